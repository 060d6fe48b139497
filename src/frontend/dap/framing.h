/*
 * The frames of the Debug Adapter Protocol in a stream of bytes: "Content-Length: N", an empty
 * line, N bytes of JSON. Anything else is no client of ours.
 */
#ifndef WT_FRONTEND_DAP_FRAMING_H
#define WT_FRONTEND_DAP_FRAMING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define DAP_MOST_BYTES ((size_t)16 << 20) /**< bytes of a message: no client sends a longer one */

/** Bytes that were read and not taken yet. {0}: none. */
struct dap_input {
    char *bytes;
    size_t start, end, capacity;
    size_t most; /**< bytes of a message; 0: DAP_MOST_BYTES */
};

enum dap_found {
    DAP_NOTHING, /**< more must be read */
    DAP_MESSAGE,
    DAP_FOREIGN, /**< the stream is not of the protocol */
};

/** Adds what has been read. WT_NO_MEMORY. */
enum wt_status dap_input_add(struct dap_input *in, const char *bytes, size_t size,
                             struct wt_error *err);
/**
 * Takes the next message: *body, of *length bytes, is valid until more is added. DAP_FOREIGN, with
 * *err, as soon as the bytes cannot be the beginning of a frame.
 */
enum dap_found dap_input_next(struct dap_input *in, const char **body, size_t *length,
                              struct wt_error *err);
/** Frees what it has. */
void dap_input_free(struct dap_input *in);

#endif
