/* Tables of a PPGTT of 48 bits. See tables.h. */
#include "emulator/gen/gtt/tables.h"

#include <assert.h>
#include <inttypes.h>

#include "emulator/gen/gtt/entries.h"

enum { TOP = 3 }; /* depths: 3 PML4E, 2 PDPE, 1 PDE, 0 PTE */

static unsigned shift_of(unsigned depth)
{
    return 12 + 9 * depth;
}

static uint64_t place_of(uint64_t table, uint64_t address, unsigned depth)
{
    return table + (address >> shift_of(depth) & (WT_PPGTT_ENTRIES - 1)) * 8;
}

/* The largest pages with which [address, address + size) can begin: their depth. */
static unsigned leaf_depth(uint64_t address, uint64_t physical, uint64_t size)
{
    unsigned depth = 1; /* as linux, which makes no page of 1 GiB */
    while (depth && (((address | physical) & (((uint64_t)1 << shift_of(depth)) - 1)) ||
                     size < (uint64_t)1 << shift_of(depth)))
        depth--;
    return depth;
}

static enum wt_status no_memory(struct wt_error *err)
{
    return wt_fail(err, WT_NO_MEMORY, "the host has no memory left for page tables");
}

/* Makes the entry of one page at @p address, at the depth @p leaf or below; *depth is where. */
static enum wt_status map_page(const struct wt_ppgtt_memory *m, uint64_t table, uint64_t address,
                               uint64_t physical, unsigned leaf, bool writable, unsigned *depth,
                               struct wt_error *err)
{
    for (*depth = TOP;; --*depth) {
        const uint64_t at = place_of(table, address, *depth);
        uint64_t entry = m->read(m->context, at);
        const bool present = entry & GEN8_PRESENT;
        if (present && (!*depth || entry & GEN8_PS))
            return wt_fail(err, WT_INVALID, "0x%" PRIx64 " is mapped already", address);
        if (*depth <= leaf && !present) {
            entry =
                physical | GEN8_PRESENT | (writable ? GEN8_WRITABLE : 0) | (*depth ? GEN8_PS : 0);
            return m->write(m->context, at, entry) ? WT_OK : no_memory(err);
        }
        if (!present) {
            const uint64_t lower = m->new_table(m->context);
            entry = lower | GEN8_PRESENT | GEN8_WRITABLE;
            if (!lower || !m->write(m->context, at, entry))
                return no_memory(err);
        }
        assert(*depth);
        table = entry & GEN8_ADDRESS;
    }
}

enum wt_status wt_ppgtt_map(const struct wt_ppgtt_memory *memory, uint64_t root, uint64_t address,
                            uint64_t physical, uint64_t size, bool writable, uint64_t *page_sizes,
                            struct wt_error *err)
{
    const uint64_t end = UINT64_C(1) << 48;
    assert(!((root | address | physical | size) & 0xfff));
    *page_sizes = 0;
    if (address >= end || size > end - address || physical >= end || size > end - physical)
        return wt_fail(err, WT_INVALID,
                       "0x%" PRIx64 " bytes at 0x%" PRIx64
                       " reach beyond the 48 bits of an address",
                       size, address);
    while (size) {
        unsigned depth;
        enum wt_status status =
            map_page(memory, root, address, physical, leaf_depth(address, physical, size), writable,
                     &depth, err);
        if (status != WT_OK)
            return status;
        const uint64_t page = (uint64_t)1 << shift_of(depth);
        *page_sizes |= page;
        address += page;
        physical += page;
        size -= page;
    }
    return WT_OK;
}

bool wt_ppgtt_translate(uint64_t (*read)(void *context, uint64_t physical), void *context,
                        uint64_t root, uint64_t address, struct wt_ppgtt_page *page)
{
    uint64_t table = root;
    bool writable = true, pages_64k = false;
    if (address >> 48)
        return false;
    for (unsigned depth = TOP;; depth--) {
        uint64_t at = place_of(table, address, depth);
        if (!depth && pages_64k)
            at &= ~UINT64_C(0x7f); /* one of the 16 entries of a page is read */
        const uint64_t entry = read(context, at);
        if (!(entry & GEN8_PRESENT))
            return false;
        writable &= (entry & GEN8_WRITABLE) != 0;
        if (!depth || entry & GEN8_PS) {
            const uint64_t bytes = !depth && pages_64k ? 65536 : (uint64_t)1 << shift_of(depth);
            if (depth == TOP) /* PS is reserved there */
                return false;
            page->physical = (entry & GEN8_ADDRESS & ~(bytes - 1)) | (address & (bytes - 1));
            page->writable = writable;
            return true;
        }
        pages_64k = depth == 1 && entry & GEN8_PDE_IPS;
        table = entry & GEN8_ADDRESS;
    }
}

struct each {
    uint64_t (*read)(void *context, uint64_t physical);
    void *context;
    wt_ppgtt_found *found;
    void *found_context;
};

static void each_of(const struct each *e, uint64_t table, unsigned depth, bool pages_64k)
{
    e->found(e->found_context, table, WT_PPGTT_TABLE_BYTES);
    for (unsigned i = 0; i < WT_PPGTT_ENTRIES; i += pages_64k ? 16 : 1) {
        const uint64_t entry = e->read(e->context, table + i * 8);
        if (!(entry & GEN8_PRESENT))
            continue;
        if (depth && !(entry & GEN8_PS)) {
            each_of(e, entry & GEN8_ADDRESS, depth - 1, depth == 1 && entry & GEN8_PDE_IPS);
            continue;
        }
        const uint64_t bytes = pages_64k ? 65536 : (uint64_t)1 << shift_of(depth);
        e->found(e->found_context, entry & GEN8_ADDRESS & ~(bytes - 1), bytes);
    }
}

void wt_ppgtt_each(uint64_t (*read)(void *context, uint64_t physical), void *context, uint64_t root,
                   wt_ppgtt_found *found, void *found_context)
{
    const struct each each = {read, context, found, found_context};
    each_of(&each, root, TOP, false);
}
