/* The drop-in library by which host programs reach a toy. */
#ifndef TOY_HOST_H
#define TOY_HOST_H

#include <stddef.h>
#include <stdint.h>

/** Memory of the toy, which the program may use, too; NULL: there is no more. */
void *toy_allocate(size_t bytes);
/** Runs a kernel, a file of it in memory, to its end; 0, or -1 after a message. */
int toy_launch(const void *file, size_t bytes, uint32_t groups, uint32_t waves,
               const uint64_t *argument);

#endif
