/*
 * Finds which lanes of a wave have accessed a range of memory. The hardware's address watch reports
 * the wave alone. Flat and global instructions have their addresses in registers, which a store
 * does not change (Vega ISA, microcode format FLAT).
 */
#include "base/bits.h"
#include "debug/gcn/internal.h"

enum { ENCODING_FLAT = 0x37, SEGMENT_FLAT = 0, SEGMENT_SCRATCH = 1 };

/* The size of an access by opcode, and whether it loads into registers; size 0: unknown. */
static unsigned size_of(const struct wt_probe *p, unsigned op, bool *loads)
{
    static const uint8_t plain[] = {1, 1, 2, 2, 4, 8, 12, 16}, gfx10[] = {1, 1, 2, 2, 4, 8, 16, 12};
    const unsigned atomic = p->codes->load_atomic;
    *loads = op < 24 || (op >= 32 && op < 40);
    if (op >= p->codes->load_first && op < p->codes->load_first + 8u)
        return (p->is_gfx10 ? gfx10 : plain)[op % 8];
    if (op >= 24 && op < 32) { /* bytes and words of the upper half lie among gfx10's */
        static const uint8_t stores[] = {1, 1, 2, 2, 4, 8, 16, 12};
        return (p->is_gfx10 ? stores : plain)[op % 8];
    }
    if (op >= 32 && op < 40)
        return op < 36 ? 1 : 2;
    if (op >= atomic && op < 128)
        return op < atomic + 32 ? 4 : 8;
    return 0;
}

static enum wt_status read_row(struct wt_probe *p, const struct gcnp_row *row, unsigned v,
                               uint8_t *bytes, struct wt_error *err)
{
    return gcnp_read_link(p, row->record + (uint64_t)v * gcnp_row_vgpr(row), bytes,
                          gcnp_row_vgpr(row), err);
}

/* Translates an address that a lane computes to one of global memory; false if it is in LDS, or in
 * private memory that is not contiguous. */
static bool global_of(struct wt_probe *p, uint32_t wave, unsigned lane, uint64_t addr, uint64_t *at)
{
    return gcnp_global_range(p, wave, lane, wt_address_of(addr), 1, at, WT_IGNORED) == WT_OK;
}

wt_lanes gcnp_lanes_of_access(struct wt_probe *p, uint32_t wave, const struct gcnp_row *row,
                              uint64_t pc, uint64_t addr, uint64_t size)
{
    uint8_t code[8], low[KFD_RECORD_VGPR], high[KFD_RECORD_VGPR] = {0}, scalar[8] = {0};
    const wt_lanes exec = gcnp_row_exec(row);
    wt_lanes lanes = 0;
    bool loads;
    if (gcnp_read_link(p, pc, code, sizeof code, WT_IGNORED) != WT_OK)
        return exec;
    const uint32_t word = (uint32_t)wt_load_le(code, 4), more = (uint32_t)wt_load_le(code + 4, 4);
    const unsigned segment = wt_field(word, 15, 14), v = wt_field(more, 7, 0);
    const unsigned saddr = wt_field(more, 22, 16), to = wt_field(more, 31, 24);
    const unsigned op = wt_field(word, 24, 18), bytes = size_of(p, op, &loads);
    const bool has_base = segment != SEGMENT_FLAT && saddr != p->codes->no_saddr;
    const unsigned registers = has_base ? 1 : 2;
    loads |= op >= p->codes->load_atomic &&
             wt_field(word, 16, 16); /* GLC: the atomic returns what was there */
    if (word >> 26 != ENCODING_FLAT || segment == SEGMENT_SCRATCH || !bytes ||
        v + registers > row->vgprs || (has_base && saddr + 2 > row->sgprs) ||
        (loads && to < v + registers && v < to + (bytes + 3) / 4))
        return exec;
    if (read_row(p, row, v, low, WT_IGNORED) != WT_OK ||
        (!has_base && read_row(p, row, v + 1, high, WT_IGNORED) != WT_OK) ||
        (has_base && gcnp_read_link(p, gcnp_row_sgprs(row) + 4 * saddr, scalar, sizeof scalar,
                                    WT_IGNORED) != WT_OK))
        return exec;
    /* FLAT of gfx9 has 12 bits of offset, GLOBAL 13 with a sign, both of gfx10 12 with a sign. */
    const unsigned other = 64u - p->codes->offset_bits;
    const uint64_t offset = segment == SEGMENT_FLAT && !p->is_gfx10
                                ? wt_field(word, 11, 0)
                                : (uint64_t)((int64_t)((uint64_t)word << other) >> other);
    for (unsigned lane = 0; lane < row->lanes; lane++) {
        uint64_t at = wt_load_le(low + 4 * lane, 4) | wt_load_le(high + 4 * lane, 4) << 32;
        at += wt_load_le(scalar, 8) + offset;
        if (wt_has_lane(exec, lane) && global_of(p, wave, lane, at, &at) && at < addr + size &&
            addr < at + bytes)
            lanes |= wt_lane_bit(lane);
    }
    return lanes;
}
