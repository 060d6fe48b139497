/*
 * Fat binaries: the containers of code objects in HIP programs, one bundle for each source file
 * with an entry for each target (Clang documentation, "Clang Offload Bundler").
 */
#ifndef WT_OBJECT_FATBIN_H
#define WT_OBJECT_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object/gcn_target.h"
#include "base/error.h"

/** Whether the code of a bundle can run on the GPU that is asked about. */
enum gcn_fatbin_verdict {
    GCN_FATBIN_GOOD,  /**< it can; `version` is that of its code object */
    GCN_FATBIN_OTHER, /**< it is for other GPUs, which `targets` names */
    GCN_FATBIN_XNACK, /**< it is for that GPU with XNACK on only, and it is off, or vice versa */
    GCN_FATBIN_COMPRESSED, /**< it is compressed: gcn_fatbin_read() unpacks it */
};

struct gcn_fatbin_bundle {
    enum gcn_fatbin_verdict verdict;
    unsigned version;      /**< version of the code object ABI; 0: unknown */
    const uint8_t *object; /**< in the bytes walked over: GCN_FATBIN_GOOD: the code object;
                                GCN_FATBIN_COMPRESSED: the bundle, with what is behind it */
    size_t object_size;
    char targets[200]; /**< "gfx906, gfx1030": what it has code for; "nothing" */
};

/** An iterator over the bundles in `bytes`; starts with `at` 0. */
struct gcn_fatbin {
    const uint8_t *bytes;
    size_t size;
    size_t at;
    const struct gcn_target *target; /**< the GPU that is asked about */
};

/** Bytes by which gcn_fatbin_begins() knows one. */
enum { GCN_FATBIN_MAGIC = 24 };
/** Whether those bytes begin a bundle that is not compressed. */
bool gcn_fatbin_begins(const char bytes[GCN_FATBIN_MAGIC]);

/** Whether a regular file is a bundle, compressed or not, as clang --offload-device-only writes. */
bool gcn_fatbin_is_file(const char *path);

/**
 * Reads a file: *bytes, which the caller frees, become it, `own` bytes, and behind that, each at a
 * multiple of 4096, the bundles that the compressed ones in it stand for, which can be unpacked.
 */
enum wt_status gcn_fatbin_read(const char *path, uint8_t **bytes, size_t *length, size_t *own,
                               struct wt_error *err);

/** Reads the next bundle; false at the end and at the first malformed byte. */
bool gcn_fatbin_next(struct gcn_fatbin *fatbin, struct gcn_fatbin_bundle *bundle);

#endif
