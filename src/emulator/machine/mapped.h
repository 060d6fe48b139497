/*
 * Accesses to the memory of a device whose programs may use mapped pages only, for all families
 * that map memory. A write from outside concerns pages, TLB and decoded code.
 */
#ifndef WT_EMULATOR_MACHINE_MAPPED_H
#define WT_EMULATOR_MACHINE_MAPPED_H

#include "emulator/machine/machine.h"

/* ---- the TLB's misses ---- */

/** Puts the page of @p addr into the TLB for reading; NULL if it is not mapped. */
const uint8_t *wt_mapped_fill_read(struct wt_machine *m, uint64_t addr);

/**
 * Puts the page of @p addr into the TLB for writing, and with @p read for reading. NULL, and the
 * TLB as it was, if it is not mapped for writing, holds decoded code, or the host has no memory.
 */
uint8_t *wt_mapped_fill_write(struct wt_machine *m, uint64_t addr, bool read);

/** Whether the program's threads may use a page meanwhile, which is mapped (machine/copy.h). */
bool wt_mapped_shares(const struct wt_machine *m, uint64_t addr);

/* ---- accesses from outside a program: mapped or not ---- */

/** Reads @p size bytes; false if they do not lie within WT_MEMORY_ADDRESS_BITS. */
bool wt_mapped_read(const struct wt_machine *m, uint64_t addr, void *out, size_t size);

/**
 * Writes @p size bytes; zeros make no page. Decoded code there is decoded again. False if they do
 * not lie within WT_MEMORY_ADDRESS_BITS, or there is no memory for a page: those before are
 * written.
 */
bool wt_mapped_write(struct wt_machine *m, uint64_t addr, const void *bytes, size_t size);

/**
 * As wt_mapped_write, with an error for people. WT_NO_MEMORY, which says why, is the only failure.
 */
enum wt_status wt_mapped_put(struct wt_machine *m, uint64_t addr, const void *bytes, size_t size,
                             struct wt_error *err);

/* ---- memory as a lane sees it ---- */

/** Where the first bytes of a range of a lane's addresses are. */
struct wt_mapped_piece {
    uint8_t *host; /**< in memory that is no part of the pages, as a group's is; NULL: at addr */
    uint64_t addr; /**< in the pages */
    size_t size;   /**< bytes that lie together, at least 1 */
    uint64_t step; /**< the next lane's bytes are so far behind these; 0: they are these */
};

/**
 * Says where @p addr of a lane is: sets the piece's host or addr and, where it is not 0, its step,
 * and lowers its size, which is that of the access, to what lies together. False if nothing is
 * there.
 */
typedef bool (*wt_piece_fn)(struct wt_machine *machine, uint32_t wave, unsigned lane, uint64_t addr,
                            struct wt_mapped_piece *piece);

/** Where the addresses of a family's waves lead (wt_machine_ops.map). */
struct wt_address_map {
    wt_piece_fn piece; /**< for wt_pieces_read and wt_pieces_write; NULL: they are not used */
    /** The first address of each aperture, in which an address is other memory for other waves, and
     * the one behind its end; in ascending order. */
    const uint64_t *bound;
    size_t bounds;
    /** Adds [first, last], which no bound lies within, of memory @p home (wt_machine_ops.home) to
     * the watched ranges; false without host memory. NULL: the range of the space @p home. */
    bool (*watch)(struct wt_machine *m, uint64_t home, uint64_t first, uint64_t last,
                  struct wt_spans *spans);
};

/** The operation of a family with `piece`: reads piece by piece. */
WT_MACHINE_FN(read_memory) wt_pieces_read;
/**
 * Reads @p size bytes, 1 to 8, at one address as @p count lanes see it, in ascending order of
 * @p lane; false, where one look-up does not find them all: a lane at a time does.
 */
bool wt_pieces_gather(struct wt_machine *machine, uint32_t wave, const uint8_t *lane,
                      unsigned count, uint64_t addr, unsigned size, uint64_t *out);
/** As wt_pieces_read. What lies before memory that is not there is written. */
WT_MACHINE_FN(write_memory) wt_pieces_write;

#endif
