/*
 * Symbols of a launch under a libvortex.so of upstream's, which tells its driver of no files: those
 * of the ELF file in the current folder whose bytes are in the device's memory.
 */
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/vortex/internal.h"

enum { MOST_FILES = 256 }; /* that are looked into */

static bool ends(const char *name, const char *end)
{
    const size_t length = strlen(name);
    return length > strlen(end) && !strcmp(name + length - strlen(end), end);
}

/* Linkers put a file's headers before the first instruction, and drivers do not load them. */
static bool is_loaded(struct gpu *g, const struct wt_image *image, uint64_t startup)
{
    bool same = image->bits == g->config.xlen, any = false;
    for (size_t i = 0; i < image->segments && same; i++) {
        const struct wt_segment *s = &image->segment[i];
        const uint64_t before = startup > s->addr ? startup - s->addr : 0;
        const size_t length = before < s->length ? s->length - (size_t)before : 0;
        uint8_t *bytes = length ? malloc(length) : NULL;
        if (!length)
            continue;
        any = true;
        same = bytes && gpu_read(g, s->addr + before, bytes, length) &&
               !memcmp(bytes, s->bytes + before, length);
        free(bytes);
    }
    return same && any;
}

/* A program that covers the first instruction, from its file; NULL: the file is another's. */
static struct buffer *program_of(struct gpu *g, const char *path, uint64_t startup)
{
    static atomic_uint_fast64_t last;
    struct wt_image image;
    struct buffer *b = NULL;
    if (wt_image_load(path, 0, &image, WT_IGNORED))
        return NULL;
    const struct wt_segment *end = image.segments ? &image.segment[image.segments - 1] : NULL;
    if (end && startup - image.segment->addr < end->addr + end->size - image.segment->addr &&
        is_loaded(g, &image, startup) && (b = calloc(1, sizeof *b))) {
        *b = (struct buffer){.gpu = g,
                             .staged = true,
                             .addr = startup,
                             .size = end->addr + end->size - startup,
                             .program = {.id = atomic_fetch_add(&last, 1) + 1,
                                         .elf = realpath(path, NULL),
                                         .entry = startup}};
        if (!b->program.elf) {
            free(b);
            b = NULL;
        }
    }
    wt_image_free(&image);
    return b;
}

static void set(struct gpu *g, struct buffer *b)
{
    state_lock();
    struct buffer *before = g->buffers;
    g->buffers = b;
    g->programs += before || b;
    state_unlock();
    gpu_gate()->code += before || b;
    if (before)
        free(before->program.elf);
    free(before);
}

void plugin_program_find(struct gpu *g, uint64_t startup)
{
    DIR *folder = opendir(".");
    struct buffer *found = NULL;
    const struct dirent *entry;
    unsigned looked = 0;
    while (folder && !found && looked < MOST_FILES && (entry = readdir(folder)))
        if (ends(entry->d_name, ".elf") && ++looked)
            found = program_of(g, entry->d_name, startup);
    if (folder)
        closedir(folder);
    set(g, found);
}

void plugin_program_forget(struct gpu *g)
{
    set(g, NULL);
}
