/*
 * Watchpoints by the four address watches of gfx9. A watch covers an aligned block of 64 bytes, or
 * of a larger power of two. For writes the probe compares the bytes of the watched range; for reads
 * it can only report that the block was accessed.
 */
#include <stdio.h>
#include <string.h>

#include "debug/gcn/internal.h"

#define BLOCK 64u
#define LARGEST_BLOCK ((uint64_t)1 << 30) /* masks have address bits 29:6 */
enum { WATCH_READ, WATCH_NONREAD, WATCH_ATOMIC, WATCH_ALL };
#define OVERRIDE_OR 0u
#define ADDRESS_WATCH 0x80u /* in the order of MODE[20:12] */

/* The smallest block that contains a range; 0: there is none. */
static uint64_t block_of(uint64_t addr, uint64_t size)
{
    uint64_t block = BLOCK;
    while (block < LARGEST_BLOCK && (addr ^ (addr + size - 1)) & ~(block - 1))
        block *= 2;
    return (addr ^ (addr + size - 1)) & ~(block - 1) ? 0 : block;
}

static size_t compared(const struct gcnp_watch *w)
{
    return w->asked.size < sizeof w->before ? (size_t)w->asked.size : sizeof w->before;
}

/* Frees a watch on the first @p count GPUs. */
static enum wt_status clear_one(struct wt_probe *p, const struct gcnp_watch *w, uint32_t count,
                                struct wt_error *err)
{
    enum wt_status status = WT_OK;
    for (uint32_t i = 0; i < count && !status; i++) {
        struct kfd_debug_call call = {
            .op = KFD_DEBUG_CLEAR_NODE_ADDRESS_WATCH, .arg = {w->id[i]}, .device = i};
        status = gcnp_call(p, &call, err);
    }
    return status;
}

static enum wt_status clear(struct wt_probe *p, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    while (p->watches && !status) {
        p->watches--;
        status = clear_one(p, &p->watch[p->watches], p->devices, err);
    }
    return status;
}

static enum wt_status set_one(struct wt_probe *p, const struct wt_watchpoint *asked,
                              struct wt_error *err)
{
    static const uint32_t modes[] = {[WT_WATCHPOINT_WRITE] = WATCH_NONREAD,
                                     [WT_WATCHPOINT_READ] = WATCH_READ,
                                     [WT_WATCHPOINT_ACCESS] = WATCH_ALL};
    struct gcnp_watch *w = &p->watch[p->watches];
    enum wt_status status;
    *w = (struct gcnp_watch){.asked = *asked};
    if ((status = gcnp_global_range(p, asked->wave, asked->lane, asked->addr, asked->size, &w->addr,
                                    err)) != WT_OK)
        return status;
    const uint64_t block = block_of(w->addr, asked->size);
    if (!block)
        return wt_fail(err, WT_UNSUPPORTED, "no address watch covers %llu bytes at 0x%llx",
                       (unsigned long long)asked->size, (unsigned long long)w->addr);
    if (asked->kind == WT_WATCHPOINT_WRITE &&
        (status = gcnp_read_link(p, w->addr, w->before, compared(w), err)) != WT_OK)
        return status;
    for (uint32_t i = 0; i < p->devices; i++) {
        struct kfd_debug_call call = {
            .op = KFD_DEBUG_SET_NODE_ADDRESS_WATCH,
            .arg = {w->addr & ~(block - 1), modes[asked->kind], (uint32_t) ~(block - 1)},
            .device = i};
        if ((status = gcnp_call(p, &call, err)) != WT_OK) {
            clear_one(p, w, i, WT_IGNORED);
            return status;
        }
        w->id[i] = (uint32_t)call.arg[3];
    }
    p->watches++;
    return WT_OK;
}

/* Whether a watchpoint is one of LDS, which the emulated device watches by itself; *addr is then
 * its address in the aperture. */
static bool is_devices(const struct wt_probe *p, const struct wt_watchpoint *w, uint64_t *addr)
{
    return p->link->ops->watch_local && gcnp_is_local(p, w->addr, addr);
}

static enum wt_status set_locals(struct wt_probe *p, const struct wt_watchpoint *list, size_t count,
                                 struct wt_error *err)
{
    static const uint32_t kinds[] = {[WT_WATCHPOINT_WRITE] = KFD_WATCH_WRITE,
                                     [WT_WATCHPOINT_READ] = KFD_WATCH_READ,
                                     [WT_WATCHPOINT_ACCESS] = KFD_WATCH_ACCESS};
    struct kfd_wire_watch sent[GCNP_LOCAL_WATCHES];
    const unsigned before = p->locals;
    p->locals = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t addr;
        if (!is_devices(p, &list[i], &addr))
            continue;
        if (p->locals == GCNP_LOCAL_WATCHES)
            return wt_fail(err, WT_UNSUPPORTED, "LDS has %u watchpoints at most",
                           GCNP_LOCAL_WATCHES);
        sent[p->locals] = (struct kfd_wire_watch){
            .kind = kinds[list[i].kind], .wave = list[i].wave, .addr = addr, .size = list[i].size};
        p->local[p->locals++] =
            (struct gcnp_local_watch){list[i], gcnp_row(p, list[i].wave)->common.wave};
    }
    return before || p->locals ? p->link->ops->watch_local(p->link->context, sent, p->locals, err)
                               : WT_OK;
}

enum wt_status gcnp_set_watches(struct wt_probe *p, const struct wt_watchpoint *list, size_t count,
                                struct wt_error *err)
{
    enum wt_status status;
    wt_standstill_keep_hits(p, list, count);
    if ((status = clear(p, err)) != WT_OK)
        return status;
    if ((status = set_locals(p, list, count, err)) != WT_OK)
        return status;
    const size_t others = count - p->locals;
    if (others > GCNP_WATCHES)
        return wt_fail(err, WT_UNSUPPORTED, "gfx9 has %u address watches; %zu are asked for",
                       GCNP_WATCHES, others);
    for (size_t i = 0; i < count; i++) {
        uint64_t addr;
        if (is_devices(p, &list[i], &addr))
            continue;
        if ((status = set_one(p, &list[i], err)) != WT_OK) {
            clear(p, WT_IGNORED);
            return status;
        }
    }
    /* Existing waves get the bit at their next resume; waves that begin get it by this call. */
    struct kfd_debug_call call = {.op = KFD_DEBUG_SET_WAVE_LAUNCH_OVERRIDE,
                                  .arg = {OVERRIDE_OR, others ? ADDRESS_WATCH : 0, ADDRESS_WATCH}};
    return gcnp_call(p, &call, err);
}

/* Whether TRAPSTS has the bit of this watch set. */
static bool has_hit(const struct gcnp_row *row, const struct gcnp_watch *w)
{
    const uint32_t id = w->id[row->common.wave.device];
    return row->hw[KFD_HW_TRAPSTS] >> (id ? 11 + id : 7) & 1;
}

/* Whether the watched range of a write watch has changed since it was looked at last. */
static enum wt_status has_changed(struct wt_probe *p, struct gcnp_watch *w, bool *changed,
                                  struct wt_error *err)
{
    uint8_t now[GCNP_WATCHED_BYTES];
    const enum wt_status status = gcnp_read_link(p, w->addr, now, compared(w), err);
    if (status != WT_OK)
        return status;
    *changed = memcmp(now, w->before, compared(w)) != 0 || compared(w) < w->asked.size;
    memcpy(w->before, now, compared(w));
    return WT_OK;
}

static enum wt_status note(struct wt_probe *p, uint32_t wave, const struct gcnp_watch *w,
                           struct wt_error *err)
{
    const struct gcnp_row *row = gcnp_row(p, wave);
    const uint64_t pc = gcnp_row_pc(row) - 4 * (row->ttmp[1] >> KFD_TTMP1_REWIND_SHIFT & 15);
    wt_lanes lanes = gcnp_lanes_of_access(p, wave, row, pc, w->addr, w->asked.size);
    char text[224];
    if (!lanes && w->asked.kind == WT_WATCHPOINT_WRITE)
        return WT_OK; /* it has written beside the range, which another wave has changed */
    snprintf(text, sizeof text, "address watch %u: the instruction at 0x%llx has %s 0x%llx",
             (unsigned)w->id[row->common.wave.device], (unsigned long long)pc,
             w->asked.kind == WT_WATCHPOINT_WRITE  ? "written to"
             : w->asked.kind == WT_WATCHPOINT_READ ? "read in the block of"
                                                   : "accessed the block of",
             (unsigned long long)w->addr);
    if (!lanes)
        lanes = gcnp_row_exec(row);
    return wt_standstill_note_hit(p, wave, &w->asked, pc, lanes, text, err);
}

/* The waves that have stopped for a watch. Which of several has changed the range cannot be known:
 * each of them may have. */
static enum wt_status take_hits_of(struct wt_probe *p, struct gcnp_watch *w, struct wt_error *err)
{
    bool wanted = w->asked.kind != WT_WATCHPOINT_WRITE, judged = wanted;
    enum wt_status status = WT_OK;
    for (uint32_t i = 0; i < p->common.topology.waves && !status; i++) {
        const struct gcnp_row *row = gcnp_row(p, i);
        if (!row->common.present || !row->watched || !has_hit(row, w))
            continue;
        if (!judged)
            status = has_changed(p, w, &wanted, err);
        judged = true;
        if (wanted && !status)
            status = note(p, i, w, err);
    }
    return status;
}

static bool is_watched(struct wt_probe *p, const struct gcnp_local_watch *local,
                       const struct kfd_wire_hit *hit)
{
    const struct wt_watchpoint *w = &local->asked;
    const struct wt_wave *wave = &gcnp_row(p, hit->wave)->common.wave;
    uint64_t addr;
    if (wave->device != local->of.device || wave->dispatch != local->of.dispatch ||
        memcmp(wave->group, local->of.group, sizeof wave->group) != 0)
        return false;
    return gcnp_is_local(p, w->addr, &addr) && hit->addr < addr + w->size &&
           addr < hit->addr + hit->size &&
           (w->kind == WT_WATCHPOINT_WRITE  ? hit->write
            : w->kind == WT_WATCHPOINT_READ ? hit->read
                                            : true);
}

static enum wt_status take_local_hits(struct wt_probe *p, struct wt_error *err)
{
    enum { MOST = 256 };
    struct kfd_wire_hit list[MOST];
    enum wt_status status = WT_OK;
    size_t count = MOST;
    while (p->locals && count == MOST && !status) {
        status = p->link->ops->local_hits(p->link->context, list, MOST, &count, err);
        for (size_t i = 0; i < count && !status; i++) {
            const struct kfd_wire_hit *hit = &list[i];
            if (hit->lane >= GCN_LANES || !wt_standstill_is_in(p, hit->wave, hit->id))
                continue;
            for (unsigned k = 0; k < p->locals && !status; k++) {
                char text[224];
                if (!is_watched(p, &p->local[k], hit))
                    continue;
                snprintf(text, sizeof text, "the instruction at 0x%llx has %s LDS at 0x%llx",
                         (unsigned long long)hit->pc,
                         !hit->write ? "read"
                         : hit->read ? "changed"
                                     : "written to",
                         (unsigned long long)p->local[k].asked.addr.offset);
                gcnp_row(p, hit->wave)->common.cause = WT_HALT_WATCH;
                status = wt_standstill_note_hit(p, hit->wave, &p->local[k].asked, hit->pc,
                                                wt_lane_bit(hit->lane), text, err);
            }
        }
    }
    return status;
}

enum wt_status gcnp_take_hits(struct wt_probe *p, struct wt_error *err)
{
    enum wt_status status = take_local_hits(p, err);
    for (unsigned i = 0; i < p->watches && !status; i++)
        status = take_hits_of(p, &p->watch[i], err);
    return status;
}
