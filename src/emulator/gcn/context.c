/*
 * Context save and restore of waves (CWSR): the hardware's part. The trap handler does the work;
 * who starts it, where a wave goes in memory and which waves start again is the hardware's (source:
 * the kernel driver's handler for gfx9).
 *
 * A wave that is asked to save enters the handler, which asks for an address by s_sendmsg and finds
 * it in EXEC, saves, and ends the wave. A group whose waves have been saved keeps its place: it
 * starts there again, its waves at the handler's second instruction, with the address in EXEC.
 */
#include "emulator/gcn/internal.h"

enum {
    VGPR_BYTES = 4 * GCN_LANES,
    HWREG_BYTES = 128, /* hardware registers and trap temporaries */
    RECORD_GAP = 64,   /* between the records of two waves */
    LDS_UNIT = 512,
};
#define FIRST_WAVE ((uint64_t)1 << 58) /* it holds the group's LDS */

/* Bytes of a wave's record: VGPRs, SGPRs, hardware registers, and LDS in that of the first. */
static uint64_t record_bytes(const struct gcn_wave *w, bool first)
{
    assert(w->active);
    const uint64_t lds = (w->group->local_size + LDS_UNIT - 1) / LDS_UNIT * LDS_UNIT;
    return (uint64_t)gcn_model_saved(gcn_model_of(w->device), w->vgprs, w->agprs) * VGPR_BYTES +
           w->sgprs * 4u + HWREG_BYTES + (first ? lds : 0);
}

const struct gcn_uop *gcn_save_answer(struct gcn_wave *w, const struct gcn_uop *u)
{
    struct gcn_device *d = w->device;
    const bool first = !w->group->saved;
    const uint64_t size = record_bytes(w, first);
    if (!d->saving)
        return gcn_fault(w, u, WT_FAULT_ILLEGAL, gcn_exec(w), 0,
                         "s_sendmsg: nobody has asked for the wave's context to be saved");
    if (size > d->save_end - d->save_next)
        return gcn_fault(w, u, WT_FAULT_ILLEGAL, gcn_exec(w), d->save_next,
                         "s_sendmsg: the wave's context takes %llu bytes; the area has %llu left",
                         (unsigned long long)size,
                         (unsigned long long)(d->save_end - d->save_next));
    w->saved = d->save_next | (first ? FIRST_WAVE : 0);
    w->group->saved = true;
    gcn_set_pair(&w->s[GCN_EXEC], w->saved);
    d->save_next += size + RECORD_GAP;
    if (d->save_next > d->save_end)
        d->save_next = d->save_end;
    return gcn_next(u);
}

enum wt_status gcn_device_save_context(struct gcn_device *d, uint64_t addr, uint64_t size,
                                       struct wt_error *err)
{
    assert(err);
    if (d->saving)
        return wt_fail(err, WT_STATE, "the context is saved already");
    if (!d->tba)
        return wt_fail(err, WT_STATE, "there is no trap handler, which would save the context");
    if (addr % 256 || !gcn_mapped(d, addr, size, true))
        return wt_fail(err, WT_INVALID,
                       "the area for the context, %llu bytes at 0x%llx, is not memory that the "
                       "GPU may write, on a multiple of 256",
                       (unsigned long long)size, (unsigned long long)addr);
    d->saving = true;
    d->save_next = addr;
    d->save_end = addr + size;
    for (uint32_t i = 0; i < d->machine.waves; i++) {
        struct gcn_wave *w = &d->wave[i];
        if (w->active && !w->tba) { /* it started before there was a handler, which saves it */
            w->tba = d->tba;
            w->tma = d->tma;
            w->status |= GCN_STATUS_TRAP_EN;
        }
        gcn_wave_raise(d, i, GCN_TRAPSTS_SAVECTX);
    }
    return WT_OK;
}

bool gcn_device_saved_context(const struct gcn_device *d, uint64_t *end)
{
    *end = d->save_next;
    return d->saving && !d->machine.active;
}

bool gcn_wave_saved(const struct gcn_device *d, uint32_t wave, uint64_t *addr, bool *first)
{
    assert(addr && first);
    if (wave >= d->machine.waves || d->wave[wave].active || !d->wave[wave].saved)
        return false;
    *addr = d->wave[wave].saved & 0xffffffffffff;
    *first = d->wave[wave].saved & FIRST_WAVE;
    return true;
}

enum wt_status gcn_device_restore_context(struct gcn_device *d, struct wt_error *err)
{
    assert(err);
    uint64_t end;
    if (!gcn_device_saved_context(d, &end))
        return wt_fail(err, WT_STATE,
                       d->saving ? "%u waves are still being saved"
                                 : "no context is saved (%u waves run)",
                       d->machine.active);
    d->saving = false;
    for (uint32_t i = 0; i < d->machine.waves; i++)
        if (d->wave[i].saved)
            gcn_restart_wave(d, &d->wave[i]);
    gcn_dispatch_pump(d);
    return WT_OK;
}
