/*
 * The device's memory: the page tables through which threads see it, the TLB's misses, and accesses
 * from outside. The tables are a PPGTT of 48 bits (gtt/). Physical addresses are those of the
 * device's memory.
 */
#include "emulator/gen/host.h"
#include "emulator/gen/internal.h"

#include <string.h>

#include "emulator/gen/gtt/gtt.h"
#include "emulator/gen/gtt/tables.h"
#include "emulator/machine/copy.h"

/* ---- page tables ---- */

/* The memory that the tables are in: they do not change while the device works on a copy. */
static const struct wt_memory *tables_of(const struct gen_device *d)
{
    return d->machine.process.memory ? d->machine.process.memory : d->machine.memory;
}

static uint64_t read_entry(void *context, uint64_t physical)
{
    const struct gen_device *d = context;
    return wt_load_le(wt_memory_page(tables_of(d), physical) + (physical & WT_PAGE_MASK), 8);
}

static bool write_entry(void *context, uint64_t physical, uint64_t entry)
{
    struct gen_device *d = context;
    uint8_t bytes[8];
    wt_store_le(bytes, entry, sizeof bytes);
    return wt_memory_write(d->machine.memory, physical, bytes, sizeof bytes);
}

/* The memory is zero until it is written, so that a table takes nothing before its first entry. */
static uint64_t new_table(void *context)
{
    struct gen_device *d = context;
    if (d->next_table >= (uint64_t)1 << WT_MEMORY_ADDRESS_BITS)
        return 0;
    const uint64_t table = d->next_table;
    d->next_table += WT_PPGTT_TABLE_BYTES;
    return table;
}

enum wt_status gen_device_map(struct gen_device *d, uint64_t addr, uint64_t size, bool writable,
                              struct wt_error *err)
{
    const struct wt_ppgtt_memory memory = {d, read_entry, write_entry, new_table};
    const uint64_t first = addr & ~WT_PAGE_MASK;
    uint64_t end, sizes;
    if (__builtin_add_overflow(addr, size, &end) || end > GEN_TABLES)
        return wt_fail(err, WT_INVALID,
                       "0x%llx bytes at 0x%llx: memory ends at 0x%llx, where page tables begin",
                       (unsigned long long)size, (unsigned long long)addr,
                       (unsigned long long)GEN_TABLES);
    end = (end + WT_PAGE_MASK) & ~WT_PAGE_MASK;
    return wt_ppgtt_map(&memory, d->root, first, first, end - first, writable, &sizes, err);
}

void gen_device_use_table(struct gen_device *d, uint64_t root)
{
    assert(!(root & WT_PAGE_MASK));
    d->root = root;
    wt_machine_recheck_code(&d->machine);
}

/* The host memory behind an address; false if it is not mapped, or not mapped for writing. */
static bool translate(struct gen_device *d, uint64_t addr, bool write, uint64_t *physical)
{
    struct wt_ppgtt_page page;
    if (!d->root || !wt_ppgtt_translate(read_entry, d, d->root, addr, &page) ||
        (write && !page.writable))
        return false;
    *physical = page.physical;
    return true;
}

void gen_each_memory(struct gen_device *d, wt_ppgtt_found *found, void *context)
{
    if (d->root)
        wt_ppgtt_each(read_entry, d, d->root, found, context);
}

bool gen_mapped(struct gen_device *d, uint64_t addr, uint64_t size, bool write)
{
    uint64_t physical, room;
    for (; size; size -= size < room ? size : room, addr += room) {
        room = WT_PAGE_SIZE - (addr & WT_PAGE_MASK);
        if (!translate(d, addr, write, &physical))
            return false;
    }
    return true;
}

static bool read_for_walk(void *context, uint64_t physical, void *bytes, size_t size)
{
    wt_memory_read(tables_of(context), physical, bytes, size);
    return true;
}

void gen_walk_tables(struct gen_device *d, uint64_t addr, struct wt_gtt_walk *walk)
{
    const struct wt_gtt table = {
        .gen = 9, .kind = WT_GTT_PROCESS48, .enabled = true, .root = {d->root}, .root_count = 1};
    assert(d->root);
    wt_gtt_walk(&table, read_for_walk, d, addr, walk);
}

void gen_device_tell_walk(FILE *out, const char *indent, struct gen_device *d, uint64_t addr)
{
    struct wt_gtt_walk walk;
    if (!d->root || gen_mapped(d, addr, 1, true))
        return;
    gen_walk_tables(d, addr, &walk);
    wt_gtt_print(out, indent, &walk, addr);
}

/* ---- the TLB's misses ---- */

const uint8_t *gen_tlb_fill_read(struct gen_device *d, uint64_t addr)
{
    uint64_t physical;
    if (gen_watches_page(d, addr, false) || !translate(d, addr, false, &physical))
        return NULL;
    return wt_tlb_fill_read(&d->machine.tlb, addr, wt_memory_page(d->machine.memory, physical));
}

uint8_t *gen_tlb_fill_write(struct gen_device *d, uint64_t addr)
{
    uint64_t physical;
    if (gen_watches_page(d, addr, true) || wt_code_on_page(&d->machine.code, addr) ||
        !translate(d, addr, true, &physical) || wt_in_process_shares(&d->machine.process, physical))
        return NULL;
    uint8_t *page = wt_memory_page_for_write(d->machine.memory, physical);
    return page ? wt_tlb_fill_write(&d->machine.tlb, addr, page, !gen_watches_page(d, addr, false),
                                    true)
                : NULL;
}

/* ---- accesses of any length ---- */

/* Bytes of [addr, addr + size) in the page of addr. */
static size_t part_of(uint64_t addr, size_t size)
{
    const size_t room = (size_t)(WT_PAGE_SIZE - (addr & WT_PAGE_MASK));
    return size < room ? size : room;
}

bool gen_device_read(struct gen_device *d, uint64_t addr, void *out, size_t size)
{
    assert(out || !size);
    uint8_t *to = out;
    uint64_t physical;
    for (size_t part; size; size -= part, addr += part, to += part) {
        part = part_of(addr, size);
        const uint8_t *from = gen_readable(d, addr, (unsigned)part);
        if (from) {
            memcpy(to, from, part);
            continue;
        }
        /* Watched pages are not in the TLB. */
        if (!translate(d, addr, false, &physical))
            return false;
        wt_memory_read(d->machine.memory, physical, to, part);
    }
    return true;
}

bool gen_device_write(struct gen_device *d, uint64_t addr, const void *bytes, size_t size)
{
    assert(bytes || !size);
    const uint8_t *from = bytes;
    uint64_t physical;
    for (size_t part; size; size -= part, addr += part, from += part) {
        part = part_of(addr, size);
        if (!translate(d, addr, false, &physical))
            return false;
        if (wt_memory_is_zero(d->machine.memory, physical, from, part))
            continue;
        const bool done = wt_memory_write(d->machine.memory, physical, from, part);
        wt_tlb_drop(&d->machine.tlb, addr); /* the page may have moved to a private copy */
        if (!done)
            return false;
        wt_code_invalidate(&d->machine.code, addr, part);
    }
    return true;
}

void gen_stored(struct gen_thread *t, uint64_t addr, const uint8_t *bytes, unsigned size,
                bool atomic)
{
    enum { MOST = 16 }; /* dwords of a store that is told */
    struct gen_device *d = t->device;
    uint64_t physical;
    for (unsigned done = 0, part; done < size; done += part) {
        part = (unsigned)part_of(addr + done, size - done < MOST ? size - done : MOST);
        if (!translate(d, addr + done, true, &physical))
            return;
        wt_in_process_stored(&d->machine.process, physical, bytes + done, part);
        if (!atomic || !wt_in_process_atomic(&d->machine.process, physical))
            continue;
        d->machine.event = true;
        wt_end_turn(&d->machine, &t->left);
    }
}

enum wt_status gen_device_put(struct gen_device *d, uint64_t addr, const void *bytes, size_t size,
                              struct wt_error *err)
{
    char why[128];
    if (gen_device_write(d, addr, bytes, size))
        return WT_OK;
    if (!gen_mapped(d, addr, size, false))
        return wt_fail(err, WT_INVALID, "%zu bytes at 0x%llx: no memory is mapped there", size,
                       (unsigned long long)addr);
    wt_memory_refusal(d->machine.memory, why, sizeof why);
    return wt_fail(err, WT_NO_MEMORY, "%zu bytes at 0x%llx: %s", size, (unsigned long long)addr,
                   why);
}
