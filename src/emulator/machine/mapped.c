/* Accesses to memory of which regions are mapped. See mapped.h. */
#include "emulator/machine/mapped.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/bits.h"
#include "emulator/machine/copy.h"
#include "emulator/machine/regions.h"

const uint8_t *wt_mapped_fill_read(struct wt_machine *m, uint64_t addr)
{
    if (!wt_regions_at(&m->regions, addr))
        return NULL;
    return wt_tlb_fill_read(&m->tlb, addr, wt_memory_page(m->memory, addr));
}

uint8_t *wt_mapped_fill_write(struct wt_machine *m, uint64_t addr, bool read)
{
    const struct wt_region *r = wt_regions_at(&m->regions, addr);
    if (!r || !r->writable || wt_code_on_page(&m->code, addr))
        return NULL;
    uint8_t *page = wt_memory_page_for_write(m->memory, addr);
    return page ? wt_tlb_fill_write(&m->tlb, addr, page, read, true) : NULL;
}

bool wt_mapped_shares(const struct wt_machine *m, uint64_t addr)
{
    return wt_regions_at(&m->regions, addr) && wt_in_process_shares(&m->process, addr);
}

static bool in_space(uint64_t addr, size_t size)
{
    const uint64_t end = (uint64_t)1 << WT_MEMORY_ADDRESS_BITS;
    return addr < end && size <= end - addr;
}

bool wt_mapped_read(const struct wt_machine *m, uint64_t addr, void *out, size_t size)
{
    assert(out || !size);
    if (!in_space(addr, size))
        return false;
    wt_memory_read(m->memory, addr, out, size);
    return true;
}

bool wt_mapped_write(struct wt_machine *m, uint64_t addr, const void *bytes, size_t size)
{
    assert(bytes || !size);
    const uint8_t *from = bytes;
    if (!in_space(addr, size))
        return false;
    for (size_t part; size; size -= part, addr += part, from += part) {
        const size_t room = (size_t)(WT_PAGE_SIZE - (addr & WT_PAGE_MASK));
        part = size < room ? size : room;
        if (wt_memory_is_zero(m->memory, addr, from, part))
            continue;
        const bool done = wt_memory_write(m->memory, addr, from, part);
        wt_tlb_drop(&m->tlb, addr); /* the page may have moved to a private copy */
        if (!done)
            return false;
        wt_code_invalidate(&m->code, addr, part);
    }
    return true;
}

enum wt_status wt_mapped_put(struct wt_machine *m, uint64_t addr, const void *bytes, size_t size,
                             struct wt_error *err)
{
    char why[128];
    assert(err);
    if (wt_mapped_write(m, addr, bytes, size))
        return WT_OK;
    wt_memory_refusal(m->memory, why, sizeof why);
    return wt_fail(err, WT_NO_MEMORY, "%zu bytes at 0x%" PRIx64 ": %s", size, addr, why);
}

bool wt_pieces_read(struct wt_machine *m, uint32_t wave, unsigned lane, uint64_t addr, void *out,
                    size_t size)
{
    uint8_t *to = out;
    for (struct wt_mapped_piece p; size; size -= p.size, addr += p.size, to += p.size) {
        p = (struct wt_mapped_piece){.addr = addr, .size = size};
        if (!m->ops->map->piece(m, wave, lane, addr, &p))
            return false;
        assert(p.size > 0 && p.size <= size);
        if (p.host)
            memcpy(to, p.host, p.size);
        else if (!wt_mapped_read(m, p.addr, to, p.size))
            return false;
    }
    return true;
}

/* Where the piece @p first of a lane is, if that of the lane @p last is on its page; else NULL. */
static const uint8_t *on_one_page(const struct wt_machine *m, const struct wt_mapped_piece *first,
                                  const struct wt_mapped_piece *last)
{
    const uint64_t end = last->addr + last->size - 1;
    if (first->host)
        return first->step ? NULL : first->host;
    if (first->size != last->size || (first->addr ^ end) & ~WT_PAGE_MASK ||
        !in_space(first->addr, 1))
        return NULL;
    return wt_memory_page(m->memory, first->addr) + (first->addr & WT_PAGE_MASK);
}

bool wt_pieces_gather(struct wt_machine *m, uint32_t wave, const uint8_t *lane, unsigned count,
                      uint64_t addr, unsigned size, uint64_t *out)
{
    const wt_piece_fn piece = m->ops->map ? m->ops->map->piece : NULL;
    assert(count && size && size <= 8);
    for (unsigned got = 0; piece && got < size;) {
        struct wt_mapped_piece a = {.addr = addr + got, .size = size - got}, b = a;
        if (!piece(m, wave, lane[0], addr + got, &a) ||
            !piece(m, wave, lane[count - 1], addr + got, &b))
            return false;
        const uint8_t *from = on_one_page(m, &a, &b);
        if (!from)
            return false;
        for (unsigned k = 0; k < count; k++) {
            const uint8_t *at = from + (lane[k] - lane[0]) * a.step;
            const uint64_t part = a.size == 4 ? wt_load_le(at, 4) : wt_load_le(at, a.size);
            out[k] = (got ? out[k] : 0) | part << 8 * got;
        }
        got += (unsigned)a.size;
    }
    return piece;
}

bool wt_pieces_write(struct wt_machine *m, uint32_t wave, unsigned lane, uint64_t addr,
                     const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    for (struct wt_mapped_piece p; size; size -= p.size, addr += p.size, from += p.size) {
        p = (struct wt_mapped_piece){.addr = addr, .size = size};
        if (!m->ops->map->piece(m, wave, lane, addr, &p))
            return false;
        assert(p.size > 0 && p.size <= size);
        if (p.host)
            memcpy(p.host, from, p.size);
        else if (!wt_mapped_write(m, p.addr, from, p.size))
            return false;
    }
    return true;
}
