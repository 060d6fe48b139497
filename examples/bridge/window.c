/*
 * A memory-mapped window: a file, or a UIO region (/dev/uio0), in which register N is the word at
 * byte 4 * N. For a board reached by XRT or OPAE replace this file: open the device in open_window(),
 * and make the two functions below it read and write a register of the kernel or the AFU.
 */
#include "window.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>

enum { REGISTERS = 1024 };

static volatile uint32_t *window;

bool open_window(const char *name)
{
    const int fd = open(name, O_RDWR | O_SYNC);
    if (fd < 0)
        return false;
    window = mmap(NULL, REGISTERS * sizeof *window, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return window != MAP_FAILED;
}

uint32_t read_register(uint32_t address)
{
    return address < REGISTERS ? window[address] : 0;
}

void write_register(uint32_t address, uint32_t value)
{
    if (address < REGISTERS)
        window[address] = value;
}
