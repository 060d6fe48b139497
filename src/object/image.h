/* Program images: the memory contents that a file gives a program to start with. */
#ifndef WT_OBJECT_IMAGE_H
#define WT_OBJECT_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct wt_segment {
    uint64_t addr;
    uint64_t size; /**< in memory; what goes beyond `length` is zero */
    uint8_t *bytes;
    size_t length;             /**< length of bytes */
    bool executable, writable; /**< as far as the format tells; true where it cannot */
};

enum wt_image_format { WT_IMAGE_ELF, WT_IMAGE_RAW, WT_IMAGE_HEX, WT_IMAGE_VXBIN };

/** A kernel that an image names. */
struct wt_image_kernel {
    char *name; /**< printable ASCII, at most 65535 characters; others are '?' */
    uint64_t addr;
};

struct wt_image {
    enum wt_image_format format;
    bool has_entry;
    uint64_t entry;
    unsigned bits;        /**< 32 or 64 from the ELF class; 0 when the format does not tell */
    unsigned elf_machine; /**< e_machine; 0 if not ELF */
    unsigned elf_flags;   /**< e_flags; 0 if not ELF */
    struct wt_segment *segment;
    size_t segments, segment_capacity;
    bool has_kernels; /**< a .vxbin with a symbol table, which may be empty */
    struct wt_image_kernel *kernel;
    size_t kernels;
    uint64_t held;    /**< bytes that all segments hold */
    uint64_t covered; /**< memory that all segments cover, zeros included */
};

/** Opens a program's file. WT_IO: the host refuses it, or it is a directory; the error names it. */
enum wt_status wt_image_open(const char *path, int *fd, struct wt_error *err);

/**
 * Reads @p path, whose format is told by its contents (ELF magic; Intel HEX begins with ':') or,
 * where they cannot tell, by its name: .vxbin, else a raw binary, which is placed at @p base.
 * Malformed files give WT_INVALID and say what is wrong at which offset or line; nothing is leaked.
 * At most 1 GiB of bytes and 4 GiB of memory in all.
 */
enum wt_status wt_image_load(const char *path, uint64_t base, struct wt_image *image,
                             struct wt_error *err);

/** As wt_image_load, for bytes in memory; @p name is used in messages and for the format. */
enum wt_status wt_image_parse(const char *name, const uint8_t *bytes, size_t length, uint64_t base,
                              struct wt_image *image, struct wt_error *err);

/**
 * Checks that the place of the program is given exactly once. WT_INVALID for a raw binary without a
 * base that is not called .bin (text would run as code), and for any other format with one.
 */
enum wt_status wt_image_check_base(const struct wt_image *image, const char *path, bool base_given,
                                   struct wt_error *err);

/** The usual name of an ELF machine (e_machine): "x86-64"; "unknown machine" if it is not known. */
const char *wt_image_machine_name(unsigned elf_machine);

/** Fails with the reason why a program for this ELF machine cannot run on an emulated GPU. */
enum wt_status wt_image_wrong_machine(const char *program, unsigned elf_machine,
                                      struct wt_error *err);

/** Frees what wt_image_load gave. */
void wt_image_free(struct wt_image *image);

#endif
