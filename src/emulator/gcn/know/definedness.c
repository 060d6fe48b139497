/* Definedness: values of registers, those that a launch leaves without one, lanes of exchanges. */
#include <string.h>

#include "emulator/gcn/memory/ds.h"
#include "emulator/gcn/know/operands.h"

bool gcn_read_cell(struct wt_machine *m, uint32_t wave, unsigned file, uint64_t cell,
                   uint32_t *value)
{
    const struct gcn_wave *w = (const struct gcn_wave *)wt_machine_wave(m, wave);
    *value = 0;
    if (file == GCN_FILE_V && w->v && gcn_has_row(w, cell / GCN_LANES))
        *value = w->v[cell / GCN_LANES][cell % GCN_LANES];
    else if (file == GCN_FILE_S && cell < GCN_SCALARS)
        *value = w->s[cell];
    else if (file == GCN_FILE_STATE && cell == 2 * GCN_STATE_SCC)
        *value = w->scc;
    else
        return false;
    return true;
}

/* LLVM, "User Guide for AMDGPU Backend", "Initial Kernel Execution State": user and system SGPRs,
 * the work-item's coordinates, EXEC and FLAT_SCRATCH have values; of M0 it says nothing, and code
 * for GFX9 sets it where it uses it. */
size_t gcn_unwritten(struct wt_machine *m, uint32_t wave, struct wt_unwritten *list)
{
    const struct gcn_wave *w = (const struct gcn_wave *)wt_machine_wave(m, wave);
    size_t count = 0;
    if (!w->head.group)
        return 0;
    const unsigned scalars = gcn_first_sgprs(w), rows = gcn_first_vgprs(w);
    if (rows < w->vgprs)
        list[count++] =
            (struct wt_unwritten){.file = GCN_FILE_V, .first = rows, .count = w->vgprs - rows};
    if (w->agprs)
        list[count++] =
            (struct wt_unwritten){.file = GCN_FILE_V, .first = GCN_AGPR, .count = w->agprs};
    if (scalars < GCN_FLAT_SCRATCH)
        list[count++] = (struct wt_unwritten){
            .file = GCN_FILE_S, .first = scalars, .count = GCN_FLAT_SCRATCH - scalars};
    list[count++] = (struct wt_unwritten){.file = GCN_FILE_S, .first = GCN_VCC, .count = 2};
    return count;
}

/* ---- lanes ---- */

bool gcn_lane_sources(struct wt_machine *m, uint32_t wave, uint64_t pc, uint8_t *from)
{
    struct gcn_wave *w = (struct gcn_wave *)wt_machine_wave(m, wave);
    struct gcn_uop u;
    if (!gcn_uop_at(w->device, pc, &u))
        return false;
    const uint64_t exec = gcn_exec(w);
    /* From gfx10 on lanes are exchanged by LDS among 32. */
    const unsigned among = gcn_is_gfx10(gcn_model_of(w->device)) ? 32 : GCN_LANES;
    const bool dpp = u.form == GCN_FORM_DPP && u.row->encoding <= GCN_VOP3P,
               swizzles = u.row == &gcn_rows[GCN_I_ds_swizzle_b32],
               permutes = u.row == &gcn_rows[GCN_I_ds_bpermute_b32],
               reads = u.row == &gcn_rows[GCN_I_v_readlane_b32];
    if (!dpp && !swizzles && !permutes && !reads)
        return false;
    for (unsigned i = 0; i < GCN_LANES; i++) {
        const int lane =
            dpp        ? gcn_dpp_lane(u.dpp, (int)i)
            : swizzles ? (int)gcn_swizzled((uint32_t)u.imm, i)
            : permutes
                ? (int)((w->v[u.src[0]][i] + (uint32_t)u.imm) / 4 % among + i / among * among)
                : (int)(gcn_scalar32(w, &u, u.src[1]) % gcn_lanes_of(w));
        const bool there = lane >= 0 && (reads || u.fetches_inactive || exec >> lane & 1),
                   stays = dpp && (!(u.row_mask >> (i / 16) & 1) ||
                                   !(u.bank_mask >> (i / 4 % 4) & 1) || (!there && !u.bound_ctrl));
        from[i] = stays ? WT_NO_LANE : there ? (uint8_t)lane : WT_ZERO_LANE;
    }
    return true;
}
