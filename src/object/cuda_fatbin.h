/*
 * Fat binaries of CUDA: a container of PTX texts and machine code for several GPUs, of which the
 * driver takes one. Format: public tools that read it; the sizes and flags are those that
 * NVIDIA's fatbinary writes. (fatbin.h is about AMD's.)
 */
#ifndef WT_OBJECT_CUDA_FATBIN_H
#define WT_OBJECT_CUDA_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

#define CUDA_FATBIN_MAGIC 0xba55ed50u
/** Of the structure in a program's section .nvFatBinSegment, which points to a container. */
#define CUDA_FATBIN_WRAPPER_MAGIC 0x466243b1u

enum cuda_fatbin_kind { CUDA_FATBIN_PTX = 1, CUDA_FATBIN_ELF = 2 };

struct cuda_fatbin_entry {
    unsigned kind;       /**< kind of enum cuda_fatbin_kind, or another one, which is not read */
    unsigned capability; /**< compute capability times 10, of the PTX's target or of the code */
    uint64_t flags;
    const uint8_t *payload;       /**< as it is stored */
    size_t payload_size;          /**< with padding */
    size_t compressed_size, size; /**< where it is compressed: stored, and as a whole */
};

/** Whether a container begins here. */
bool cuda_fatbin_is(const uint8_t *bytes, size_t available);
/** Bytes of the container, by its header, of which 16 bytes are needed; 0: it is none. */
uint64_t cuda_fatbin_size(const uint8_t *bytes);

/** Reads the entry at @p *at (0: the first one) and moves on. WT_OK with entry->kind 0: the end.
 * The entry points into @p bytes. WT_INVALID: the container is damaged. */
enum wt_status cuda_fatbin_next(const uint8_t *bytes, size_t length, size_t *at,
                                struct cuda_fatbin_entry *entry, struct wt_error *err);

/**
 * The entry for a device of @p capability: machine code that @p runs says the device can execute,
 * of the same major number, the highest minor number first that is not above the device's; else
 * PTX, the newest that is not newer than the device, else the oldest. WT_UNSUPPORTED: there is
 * none; the message lists what there is. NULL for @p runs: only PTX.
 */
enum wt_status cuda_fatbin_choose(const uint8_t *bytes, size_t length, unsigned capability,
                                  bool (*runs)(const struct cuda_fatbin_entry *entry),
                                  struct cuda_fatbin_entry *entry, struct wt_error *err);

/** Appends what an entry holds, decompressed. WT_UNSUPPORTED: compressed in a way that is not
 * read; WT_INVALID: damaged. */
enum wt_status cuda_fatbin_unpack(const struct cuda_fatbin_entry *entry, struct wt_buffer *out,
                                  struct wt_error *err);

/** One image for cuda_fatbin_write. */
struct cuda_fatbin_image {
    enum cuda_fatbin_kind kind;
    unsigned capability;
    const uint8_t *bytes;
    size_t length;
};

/** Appends a container with these images, not compressed. out->failed tells of no memory. */
void cuda_fatbin_write(const struct cuda_fatbin_image *image, size_t count, struct wt_buffer *out);

#endif
