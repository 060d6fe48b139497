/* Explains how a flat address of one lane is translated. */
#include "emulator/gcn/internal.h"
#include "emulator/gcn/memory/vmem.h"
#include "emulator/machine/explain.h"

/* FLAT_SCRATCH is the arena's base plus the wave's offset, once the kernel has set it. */
static void explain_private(struct gcn_wave *w, unsigned lane, uint64_t addr,
                            struct wt_explanation *e)
{
    assert(lane < GCN_LANES);
    const struct gcn_dispatch *k = gcn_dispatch_of(w);
    const uint64_t x = addr - GCN_PRIVATE_APERTURE, scratch = gcn_flat_scratch(w);
    e->space = "private";
    e->where = "memory (scratch)";
    wt_explanation_add(e, false, "X = address - src_private_base", x);
    wt_explanation_add(e, false, "private segment buffer", k->scratch);
    const uint64_t offset = (uint64_t)w->scratch * k->scratch_wave;
    wt_explanation_add(e, false, "wave offset: slot * bytes of a wave", offset);
    if (scratch != k->scratch + offset)
        wt_explanation_add(
            e, false, "FLAT_SCRATCH is not their sum: the kernel has not set it (yet)", scratch);
    wt_explanation_add(e, true, "FLAT_SCRATCH", scratch);
    wt_explanation_add(e, true, "X / 4 * 4 * 64: its dword, of all lanes",
                       x / 4 * 4 * gcn_lanes_of(w));
    wt_explanation_add(e, true, "lane * 4", lane * 4u);
    wt_explanation_add(e, true, "X mod 4", x % 4);
    e->landing = gcn_private_addr(w, lane, x);
}

bool gcn_explain(struct wt_machine *m, uint32_t wave, unsigned lane, uint64_t addr,
                 struct wt_explanation *e)
{
    struct gcn_device *d = (struct gcn_device *)m;
    *e = (struct wt_explanation){.space = "global", .where = "memory", .landing = addr};
    if (wave >= d->machine.waves || !d->wave[wave].active || lane >= GCN_LANES)
        return false;
    struct gcn_wave *w = &d->wave[wave];
    uint8_t bytes[4];
    if (addr - GCN_SHARED_APERTURE < GCN_APERTURE_SIZE) {
        const uint64_t offset = addr - GCN_SHARED_APERTURE;
        e->space = "local";
        e->where = "LDS of the work-group";
        e->has_aperture = true;
        e->first = GCN_SHARED_APERTURE;
        wt_explanation_add(e, false, "bytes of LDS that the work-group has", w->group->local_size);
        wt_explanation_add(e, true, "address - src_shared_base", offset);
        e->landing = offset;
        e->usable = offset + 4 <= w->group->local_size;
        if (e->usable)
            e->contents = wt_load_le(w->group->local + offset, 4);
    } else {
        if (addr - GCN_PRIVATE_APERTURE < GCN_APERTURE_SIZE) {
            e->has_aperture = true;
            e->first = GCN_PRIVATE_APERTURE;
            explain_private(w, lane, addr, e);
        } else {
            wt_explanation_add(e, true, "the address itself", addr);
        }
        e->usable = gcn_read(d, e->landing, bytes, sizeof bytes);
        if (e->usable)
            e->contents = wt_load_le(bytes, 4);
    }
    e->last = e->first + GCN_APERTURE_SIZE - 1;
    return true;
}

/* The byte of its private memory that a lane addresses by the instruction; false: other memory. */
static bool private_byte(struct gcn_wave *w, const struct gcn_uop *u, unsigned lane, uint64_t *byte)
{
    const struct gcn_dispatch *k = gcn_dispatch_of(w);
    const uint32_t(*v)[GCN_LANES] = (const uint32_t(*)[GCN_LANES])w->v;
    uint64_t offset;
    switch (u->row->encoding) {
    case GCN_FLAT:
        offset = (v[u->src[0]][lane] | (uint64_t)v[u->src[0] + 1][lane] << 32) +
                 (uint64_t)(int64_t)u->imm;
        *byte = offset - GCN_PRIVATE_APERTURE;
        return *byte < GCN_APERTURE_SIZE;
    case GCN_SCRATCH:
        *byte = gcn_scratch_offset(w, u, lane);
        return true;
    case GCN_MUBUF: /* by the wave's part of the arena; what the SGPR adds is of all its lanes */
        offset = gcn_pair(&w->s[u->base]) & 0xffffffffffff;
        *byte = gcn_scalar32(w, u, u->soffset) / gcn_lanes_of(w) + (uint32_t)u->imm +
                (u->offen ? v[u->src[0] + u->idxen][lane] : 0);
        return k->scratch && offset == k->scratch + (uint64_t)w->scratch * k->scratch_wave &&
               w->s[u->base + 1] >> 31;
    default:
        return false;
    }
}

bool gcn_explain_private_fault(struct gcn_device *d, const struct wt_fault *f, unsigned *lane,
                               uint64_t *byte, uint32_t *size)
{
    struct gcn_uop u;
    if (f->wave >= d->machine.waves || !d->wave[f->wave].active || !f->lanes ||
        !gcn_uop_at(d, f->pc, &u))
        return false;
    struct gcn_wave *w = &d->wave[f->wave];
    *lane = (unsigned)__builtin_ctzll((uint64_t)f->lanes);
    *size = gcn_dispatch_of(w)->private_size;
    return private_byte(w, &u, *lane, byte) && *byte >= *size;
}
