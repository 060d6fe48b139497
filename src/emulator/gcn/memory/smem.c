/* Scalar memory (manual, chapter 7). */
#include "emulator/gcn/memory/vmem.h"
#include "emulator/gcn/watch.h"

#include <string.h>

#define OP(name) const struct gcn_uop *gcn_op_##name(struct gcn_wave *w, const struct gcn_uop *u)

static void issued(struct gcn_wave *w)
{
    if (w->lgkm_cnt < 15)
        w->lgkm_cnt++;
}

/* Offset of the immediate and of the SGPR, M0 or nothing. */
static int64_t offset_of(struct gcn_wave *w, const struct gcn_uop *u)
{
    return (int64_t)u->imm + (u->has_soffset ? (int64_t)gcn_scalar32(w, u, u->soffset) : 0);
}

static const struct gcn_uop *violation(struct gcn_wave *w, const struct gcn_uop *u, uint64_t addr,
                                       enum wt_access access)
{
    return gcn_fault(w, u, WT_FAULT_ACCESS, gcn_exec(w), addr, "%s: " WT_UNMAPPED, u->row->name,
                     wt_access_word(access), u->size, (unsigned long long)addr,
                     wt_access_for(access));
}

static const struct gcn_uop *load(struct gcn_wave *w, const struct gcn_uop *u, uint64_t addr)
{
    uint8_t bytes[64];
    addr &= ~(uint64_t)3;
    const bool refused = !gcn_judge_scalar(w, u, WT_WATCH_READ, addr, u->size);
    const uint8_t *host =
        refused ? memset(bytes, 0, sizeof bytes) : gcn_readable(w->device, addr, u->size);
    if (!host) {
        if (!gcn_read(w->device, addr, bytes, u->size))
            return violation(w, u, addr, WT_ACCESS_LOAD);
        host = bytes;
    }
    if (w->device->machine.watch && !refused)
        gcn_watch_scalar(w, u, WT_WATCH_READ, addr, u->size, host, host);
    for (unsigned i = 0; i < u->size / 4u; i++)
        gcn_write_scalar(w, u->dst + i, (uint32_t)wt_load_le(host + 4 * i, 4));
    issued(w);
    return gcn_next(u);
}

static const struct gcn_uop *store(struct gcn_wave *w, const struct gcn_uop *u, uint64_t addr)
{
    uint8_t bytes[16];
    addr &= ~(uint64_t)3;
    if (!gcn_judge_scalar(w, u, WT_WATCH_WRITE, addr, u->size)) {
        issued(w);
        return gcn_next(u);
    }
    for (unsigned i = 0; i < u->size / 4u; i++)
        wt_store_le(bytes + 4 * i, gcn_scalar32(w, u, u->dst + i), 4);
    uint8_t *host = gcn_writable(w->device, addr, u->size), before[16];
    const bool watched = w->device->machine.watch && gcn_read(w->device, addr, before, u->size);
    if (host)
        memcpy(host, bytes, u->size);
    else if (!gcn_write(w->device, addr, bytes, u->size))
        return violation(w, u, addr, WT_ACCESS_STORE);
    if (watched)
        gcn_watch_scalar(w, u, WT_WATCH_WRITE, addr, u->size, before, bytes);
    issued(w);
    return gcn_next(u);
}

/* An atomic that is not done. */
static const struct gcn_uop *no_atomic(struct gcn_wave *w, const struct gcn_uop *u)
{
    for (unsigned i = 0; u->glc && i < u->size / 4u; i++)
        gcn_write_scalar(w, u->dst + i, 0);
    return gcn_next(u);
}

static const struct gcn_uop *atomic(struct gcn_wave *w, const struct gcn_uop *u, uint64_t addr)
{
    uint8_t bytes[8], before[8];
    addr &= ~(uint64_t)(u->size - 1);
    wt_met(&w->device->machine);
    const enum gcn_atomic what = gcn_atomic_of(gcn_model_of(w->device), u->row);
    if (!gcn_judge_scalar(w, u, WT_WATCH_ACCESS, addr, u->size) ||
        gcn_atomic_drops(w->device, what, addr)) {
        issued(w);
        return no_atomic(w, u);
    }
    if (!gcn_mapped(w->device, addr, u->size, true) || !gcn_read(w->device, addr, bytes, u->size))
        return violation(w, u, addr, WT_ACCESS_ATOMIC);
    const unsigned words = u->size / 4u;
    const uint64_t old = wt_load_le(bytes, u->size);
    const uint64_t data = words == 2 ? gcn_pair(&w->s[u->dst]) : w->s[u->dst];
    const uint64_t compare =
        words == 2 ? gcn_pair(&w->s[(u->dst + 2) & 127]) : w->s[(u->dst + 1) & 127];
    memcpy(before, bytes, u->size);
    wt_store_le(bytes, gcn_atomic(what, u->size, old, data, compare), u->size);
    if (!gcn_write(w->device, addr, bytes, u->size))
        return gcn_no_memory(w, u, gcn_exec(w), addr);
    if (w->device->machine.watch)
        gcn_watch_scalar(w, u, WT_WATCH_ACCESS, addr, u->size, before, bytes);
    if (u->glc) {
        if (words == 2)
            gcn_write_pair(w, u->dst, old);
        else
            gcn_write_scalar(w, u->dst, (uint32_t)old);
    }
    issued(w);
    return gcn_next(u);
}

static uint64_t plain(struct gcn_wave *w, const struct gcn_uop *u)
{
    return gcn_pair(&w->s[u->base]) + (uint64_t)offset_of(w, u);
}

/* Through a buffer resource: of its fields only base, stride and num_records count (section 7.4).
 */
static bool within(struct gcn_wave *w, const struct gcn_uop *u, uint64_t *addr)
{
    const uint32_t *v = &w->s[u->base];
    const uint64_t base = gcn_pair(v) & 0xffffffffffff, stride = v[1] >> 16 & 0x3fff;
    const uint64_t size = stride ? stride * v[2] : v[2];
    const int64_t offset = offset_of(w, u) & ~(int64_t)3;
    *addr = base + (uint64_t)offset;
    return offset >= 0 && (uint64_t)offset + u->size <= size;
}

OP(s_load)
{
    return load(w, u, plain(w, u));
}

OP(s_store)
{
    return store(w, u, plain(w, u));
}

OP(s_atomic)
{
    return atomic(w, u, plain(w, u));
}

/* Scratch: the SGPR's offset counts in 64 bytes (section 7.2). */
static uint64_t scratch(struct gcn_wave *w, const struct gcn_uop *u)
{
    const uint64_t offset = u->has_soffset ? (uint64_t)gcn_scalar32(w, u, u->soffset) * 64 : 0;
    return gcn_pair(&w->s[u->base]) + (uint64_t)(int64_t)u->imm + offset;
}

OP(s_scratch_load)
{
    return load(w, u, scratch(w, u));
}

OP(s_scratch_store)
{
    return store(w, u, scratch(w, u));
}

OP(s_buffer_load)
{
    uint64_t addr;
    if (within(w, u, &addr))
        return load(w, u, addr);
    /* Dwords beyond num_records read as 0. */
    const uint32_t *v = &w->s[u->base];
    const uint64_t stride = v[1] >> 16 & 0x3fff, size = stride ? stride * v[2] : v[2];
    const int64_t offset = offset_of(w, u) & ~(int64_t)3;
    const uint64_t base = gcn_pair(v) & 0xffffffffffff;
    uint32_t value[16] = {0};
    for (unsigned i = 0; i < u->size / 4u; i++) {
        const int64_t at = offset + 4 * (int64_t)i;
        uint8_t bytes[4];
        if (at < 0 || (uint64_t)at + 4 > size)
            continue;
        if (!gcn_read(w->device, base + (uint64_t)at, bytes, 4))
            return violation(w, u, base + (uint64_t)at, WT_ACCESS_LOAD);
        if (w->device->machine.watch)
            gcn_watch_scalar(w, u, WT_WATCH_READ, base + (uint64_t)at, 4, bytes, bytes);
        value[i] = (uint32_t)wt_load_le(bytes, 4);
    }
    for (unsigned i = 0; i < u->size / 4u; i++)
        gcn_write_scalar(w, u->dst + i, value[i]);
    issued(w);
    return gcn_next(u);
}

OP(s_buffer_store)
{
    uint64_t addr;
    return within(w, u, &addr) ? store(w, u, addr) : gcn_next(u);
}

OP(s_buffer_atomic)
{
    uint64_t addr;
    return within(w, u, &addr) ? atomic(w, u, addr) : no_atomic(w, u);
}

/* Both clocks are the issue time: the only clock that there is. */
OP(s_memtime)
{
    gcn_write_pair(w, u->dst, gcn_now(w));
    issued(w);
    return gcn_next(u);
}

OP(s_memrealtime)
{
    return gcn_op_s_memtime(w, u);
}

/* Caches are coherent here; who observes the machine hears of it. */
OP(s_dcache)
{
    const bool writes = strstr(u->row->name, "_wb"), forgets = strstr(u->row->name, "_inv");
    if ((writes || forgets) && wt_observes_events(&w->device->machine))
        wt_wave_tell(
            &w->device->machine, &w->head,
            &(struct wt_observed_event){.kind = WT_SEEN_CACHE,
                                        .pc = gcn_pc_of(w, u),
                                        .number = writes ? WT_CACHE_WRITES : WT_CACHE_FORGETS});
    return gcn_next(u);
}

/* Fetches a translation of addresses early; here there is none, and no data come back. */
OP(s_atc_probe)
{
    issued(w);
    return gcn_next(u);
}
