/*
 * printf from several threads. Threads that print different things take different ways through
 * printf, so the lanes of a warp do it one after the other (vx_serial). Each hardware thread has a
 * line of its own on the console; in which order the lines appear depends on the schedule.
 */
#include "check.h"
#include "vortex.h"

#define GREETINGS 20

static _Thread_local unsigned printed; /* each thread counts for itself */

static void greet(void *p)
{
    unsigned i = *(unsigned *)p;
    printed++;
    printf("greeting %u: the square root of %u is %.3f\n", i, i * i * i,
           (double)__builtin_sqrtf((float)(i * i * i)));
}

static void each(void *arg, size_t i)
{
    unsigned number = (unsigned)i;
    uint32_t *total = arg;
    printed = 0;
    vx_serial(greet, &number);
    vx_atomic_add(total, printed);
}

int main(void)
{
    uint32_t total = 0;
    vx_parallel(GREETINGS, each, &total);
    printf("%lu greetings\n", (unsigned long)total);
    return total != GREETINGS;
}
