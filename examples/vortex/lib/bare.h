/* What a program without a C library has: some text on the console. See bare.c. */
#ifndef BARE_H
#define BARE_H

/**
 * Prints text on the console, with one of the numbers (int) for each '%' in it.
 * A program that includes this file is listed as BARE in the Makefile.
 */
void vx_print(const char *text, ...);

#endif
