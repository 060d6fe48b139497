/* Shared by the stand-ins for NVIDIA's ptxas and nvlink. */
#ifndef WT_CUDAPATH_TOOL_H
#define WT_CUDAPATH_TOOL_H

#include "object/ptx_object.h"

struct tool {
    const char *name, *output;
    unsigned capability; /**< 50: sm_50 */
    struct ptx_object_text *text;
    size_t count, room;
};

/** Takes a copy of a text. */
enum wt_status tool_add(void *context, const char *name, const char *text, size_t length,
                        struct wt_error *err);
/** Takes an option: "-o FILE", "--gpu-name sm_50" and the like; how many words it has, 0: none. */
int tool_option(struct tool *tool, char **word);
/** Writes the object of all texts. */
enum wt_status tool_write(const struct tool *tool, bool linked, struct wt_error *err);
/** Says what was wrong, if something was, frees all; the exit status. */
int tool_end(struct tool *tool, enum wt_status status, const struct wt_error *err);

#endif
