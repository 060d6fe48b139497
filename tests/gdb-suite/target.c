/*
 * What the suite's programs call beyond the C library, as far as it makes sense on bare metal: the
 * watchdog that ends them after a while is not needed, time does not pass in a sleep, and there is
 * one process. Programs that want more (fork, signals from outside, files) are not run: skipped.txt.
 */
#include <unistd.h>

unsigned alarm(unsigned seconds)
{
    (void)seconds;
    return 0;
}

unsigned sleep(unsigned seconds)
{
    (void)seconds;
    return 0;
}

int usleep(useconds_t microseconds)
{
    (void)microseconds;
    return 0;
}

int isatty(int fd)
{
    return fd >= 0 && fd <= 2;
}

pid_t getpid(void)
{
    return 1;
}

pid_t getppid(void)
{
    return 0;
}
