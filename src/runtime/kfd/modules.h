/* Why HIP refuses a module. */
#ifndef WT_RUNTIME_KFD_MODULES_H
#define WT_RUNTIME_KFD_MODULES_H

#include <stdbool.h>

/**
 * Says on stderr why a GPU here cannot run the code that a program gives to function @p by of
 * HIP's: the file at @p path, or with NULL the bytes at @p image. HIP ends the program where a
 * bundle has no code for a GPU, and returns an error for other code objects: so a bundle is looked
 * at before HIP's call, and a code object after it, if HIP has @p refused it.
 */
void wavetrap_module(const char *by, const char *path, const void *image, bool refused);

#endif
