/* What becomes of a flat address that one lane of a wave uses. */
#include "emulator/gcn/internal.h"

#include <stdio.h>

static void add(struct wt_explanation *e, bool summand, const char *name, uint64_t value)
{
    assert(e->terms < WT_EXPLAIN_TERMS);
    snprintf(e->term[e->terms].name, sizeof e->term[e->terms].name, "%s", name);
    e->term[e->terms].value = value;
    e->summand[e->terms++] = summand;
}

/* FLAT_SCRATCH is the arena's base plus the wave's offset, once the kernel has set it. */
static void explain_private(struct gcn_wave *w, unsigned lane, uint64_t addr,
                            struct wt_explanation *e)
{
    assert(lane < GCN_LANES);
    const struct gcn_dispatch *k = gcn_dispatch_of(w);
    const uint64_t x = addr - GCN_PRIVATE_APERTURE, scratch = gcn_pair(&w->s[GCN_FLAT_SCRATCH]);
    e->space = "private";
    e->where = "memory (scratch)";
    add(e, false, "X = address - src_private_base", x);
    add(e, false, "private segment buffer", k->scratch);
    const uint64_t offset = (uint64_t)w->scratch * k->scratch_wave;
    add(e, false, "wave offset: slot * bytes of a wave", offset);
    if (scratch != k->scratch + offset)
        add(e, false, "FLAT_SCRATCH is not their sum: the kernel has not set it (yet)", scratch);
    add(e, true, "FLAT_SCRATCH", scratch);
    add(e, true, "X / 4 * 4 * 64: its dword, of all lanes", x / 4 * 4 * GCN_LANES);
    add(e, true, "lane * 4", lane * 4u);
    add(e, true, "X mod 4", x % 4);
    e->landing = gcn_private_addr(w, lane, x);
}

bool gcn_explain_address(struct gcn_device *d, uint32_t wave, unsigned lane, uint64_t addr,
                         struct wt_explanation *e)
{
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
        add(e, false, "bytes of LDS that the work-group has", w->group->lds_size);
        add(e, true, "address - src_shared_base", offset);
        e->landing = offset;
        e->usable = offset + 4 <= w->group->lds_size;
        if (e->usable)
            e->contents = wt_load_le(w->group->lds + offset, 4);
    } else {
        if (addr - GCN_PRIVATE_APERTURE < GCN_APERTURE_SIZE) {
            e->has_aperture = true;
            e->first = GCN_PRIVATE_APERTURE;
            explain_private(w, lane, addr, e);
        } else {
            add(e, true, "the address itself", addr);
        }
        e->usable = gcn_read(d, e->landing, bytes, sizeof bytes);
        if (e->usable)
            e->contents = wt_load_le(bytes, 4);
    }
    e->last = e->first + GCN_APERTURE_SIZE - 1;
    return true;
}

bool gcn_explain(struct wt_machine *m, uint32_t wave, unsigned lane, uint64_t addr,
                 struct wt_explanation *e)
{
    return gcn_explain_address((struct gcn_device *)m, wave, lane, addr, e);
}
