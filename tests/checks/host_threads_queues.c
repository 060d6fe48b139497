/* As host_threads.cu, by OpenCL and Level Zero: each thread gives a kernel to a queue of its own.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "queues.h"

static queue_t queue[2];
static buffer_t p;
static atomic_int seen;
static int waits;

static void *first(void *context)
{
    put(queue[0], p, 0, N, NONE);
    if (waits)
        finish(queue[0]);
    seen = 1;
    return context;
}

static void *second(void *context)
{
    while (context && !seen)
        continue;
    put(queue[1], p, 0, N, NONE);
    return NULL;
}

int main(int count, char **words)
{
    pthread_t one, two;
    waits = count > 3;
    set_up(words[1]);
    p = new_buffer();
    for (int i = 0; i < 2; i++)
        queue[i] = new_queue();
    fill(queue[0], p, 0, NONE);
    finish(queue[0]);
    pthread_create(&one, NULL, first, NULL);
    if (!strcmp(words[2], "join")) {
        pthread_join(one, NULL);
        second(NULL);
    } else {
        pthread_create(&two, NULL, second, &one);
        pthread_join(one, NULL);
        pthread_join(two, NULL);
    }
    finish(queue[0]);
    finish(queue[1]);
    puts("0");
}
