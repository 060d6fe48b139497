/* Compressed code, by the system's libraries, which are loaded here: most programs have none. */
#ifndef WT_OBJECT_UNPACK_H
#define WT_OBJECT_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/** Numbers of compressed bundles. */
enum wt_packing { WT_PACKED_BY_ZLIB, WT_PACKED_BY_ZSTD };

/**
 * Unpacks @p size bytes to the @p room that they take. WT_UNSUPPORTED: the library is not installed
 * (zlib1g, libzstd1); WT_INVALID: they are damaged.
 */
enum wt_status wt_unpack(enum wt_packing how, const uint8_t *from, size_t size, uint8_t *to,
                         size_t room);

/** A compressed bundle of code objects (Clang documentation, "Clang Offload Bundler"). */
struct wt_packed_bundle {
    enum wt_packing how;
    const uint8_t *bytes; /**< behind its header */
    size_t size;          /**< how many: at most */
    size_t whole;         /**< the size of what it stands for */
};

/** Whether one begins there. A @p room of SIZE_MAX is not known: version 1 does not say either. */
bool wt_packed_bundle_at(const uint8_t *bytes, size_t room, struct wt_packed_bundle *bundle);
/** The bundle that it stands for, of `whole` bytes, which the caller frees; NULL: see err. */
uint8_t *wt_packed_bundle_unpack(const struct wt_packed_bundle *bundle, struct wt_error *err);

#endif
