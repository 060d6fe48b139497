/* Which GPUs a host program has code for: OpenMP's runtimes count on what is there, not on that. */
#ifndef WT_CLI_EXEC_IMAGES_H
#define WT_CLI_EXEC_IMAGES_H

#include <stdbool.h>

struct exec_images {
    bool amd, nvidia;
    unsigned capability; /**< of an SM, that fits the images best, times 10: 50 and above; 0: any */
};

/** Looks for code of AMD's and NVIDIA's GPUs in the file: objects, fat binaries, PTX as text. It
 * does not look into the program's libraries, nor into compressed code. */
struct exec_images exec_images_look(const char *path);

#endif
