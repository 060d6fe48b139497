/*
 * What the C library (picolibc) needs from us: where characters go, and how a program ends.
 *
 * The console is 64 bytes at 0x40: a byte stored there is printed. Each thread uses the byte of
 * its number, modulo 64; the lines of threads whose bytes differ do not get mixed.
 */
#include "vortex.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define CONSOLE ((volatile uint8_t *)0x40)
#define CONSOLE_SLOTS 64u
#define EXIT_WORD ((volatile uint32_t *)0x88)

void vx_release_workers(void);

static int put(char c, FILE *file)
{
    (void)file;
    CONSOLE[vx_thread() % CONSOLE_SLOTS] = (uint8_t)c;
    return (unsigned char)c;
}

static int get(FILE *file)
{
    (void)file;
    return EOF; /* there is no keyboard */
}

static FILE console = FDEV_SETUP_STREAM(put, get, NULL, _FDEV_SETUP_RW);
FILE *const stdin = &console;
FILE *const stdout = &console;
FILE *const stderr = &console;

/* The end of main() and exit(). Not for kernels: other warps would continue. */
void _exit(int status)
{
    vx_release_workers();
    *EXIT_WORD = (uint32_t)status;
    vx_fence();
    for (;;)
        __asm__ volatile(".insn r 0x0b, 0, 0, x0, x0, x0"); /* tmc 0: the warp ends */
}

/* abort() and raise() come here: the program ends, with the status that shells use for signals. */
int kill(pid_t process, int signal)
{
    (void)process;
    _exit(128 + signal);
}

pid_t getpid(void)
{
    return 1;
}
