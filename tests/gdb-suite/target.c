/*
 * What the suite's programs call beyond the C library, as far as it makes sense on bare metal.
 * There is no clock: a sleep runs for a number of instructions, long enough to be interrupted; the
 * alarm that ends a program that was forgotten is not needed. Programs that want more (other
 * processes, signals, files) are not run: skipped.txt.
 */
#include <stdio.h>
#include <unistd.h>

unsigned alarm(unsigned seconds)
{
    (void)seconds;
    return 0;
}

#define LOOPS_PER_SECOND 10000000u

unsigned sleep(unsigned seconds)
{
    for (volatile unsigned left = seconds * LOOPS_PER_SECOND; left > 0;)
        left = left - 1;
    return 0;
}

int usleep(useconds_t microseconds)
{
    for (volatile unsigned left = microseconds * (LOOPS_PER_SECOND / 1000000u); left > 0;)
        left = left - 1;
    return 0;
}

int isatty(int fd)
{
    return fd >= 0 && fd <= 2;
}

pid_t getppid(void)
{
    return 0;
}

/* Standard output and error are the console; there is nothing to read. */
ssize_t write(int fd, const void *bytes, size_t count)
{
    if (fd != 1 && fd != 2)
        return -1;
    for (size_t i = 0; i < count; i++)
        putchar(((const char *)bytes)[i]);
    return (ssize_t)count;
}

ssize_t read(int fd, void *bytes, size_t count)
{
    (void)bytes;
    (void)count;
    return fd == 0 ? 0 : -1;
}
