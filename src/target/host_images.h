/* Which GPUs a host program has code for: OpenMP's runtimes count on what is there, not on that. */
#ifndef WT_TARGET_HOST_IMAGES_H
#define WT_TARGET_HOST_IMAGES_H

#include <stdbool.h>

struct wt_host_images {
    bool amd, nvidia;
    unsigned capability; /**< the SM's capability that fits the images best, times 10: 50 and above;
                            0: any */
};

/** Looks for code of AMD's and NVIDIA's GPUs in the file: objects, fat binaries, PTX as text. It
 * does not look into the program's libraries, nor into compressed code. */
struct wt_host_images wt_host_images_look(const char *path);

#endif
