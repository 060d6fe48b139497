/*
 * In the place of console.c and a C library, for programs that need neither: how a program ends, and
 * text on the console (see console.c for both).
 */
#include "bare.h"
#include "vortex.h"

#include <stdarg.h>

void vx_release_workers(void);

/* start.S calls it after main(). There are no buffers and no handlers. */
void exit(int status)
{
    vx_release_workers();
    *(volatile uint32_t *)0x88 = (uint32_t)status;
    vx_fence();
    for (;;)
        __asm__ volatile(".insn r 0x0b, 0, 0, x0, x0, x0"); /* tmc 0: the warp ends */
}

static void put(char c)
{
    *((volatile uint8_t *)0x40 + vx_thread() % 64) = (uint8_t)c;
}

static void put_number(unsigned n)
{
    if (n >= 10)
        put_number(n / 10);
    put((char)('0' + n % 10));
}

void vx_print(const char *text, ...)
{
    va_list numbers;
    va_start(numbers, text);
    for (; *text; text++) {
        if (*text != '%') {
            put(*text);
            continue;
        }
        const int n = va_arg(numbers, int);
        if (n < 0)
            put('-');
        put_number(n < 0 ? 0u - (unsigned)n : (unsigned)n);
    }
    va_end(numbers);
}
