/*
 * Watchpoints by the four address watches of gfx9. A watch covers an aligned block of 64 bytes, or
 * of a larger power of two. For writes the probe compares the bytes of the watched range; for reads
 * it can only report that the block was accessed. A wave stops some instructions after its access,
 * when other waves may have accessed the range, too. An emulated device notes writes to it, one by
 * one; of others it is not known what each of several waves has written. What has a condition it
 * watches itself: a wave for which that is false is not halted.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "debug/gcn/internal.h"
#include "debug/process/link.h"

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

/* Whether the emulated device watches a range by itself (gcnp_device_watches()), at *addr. Or
 * mistakes. */
static bool is_devices(const struct wt_probe *p, const struct wt_watchpoint *w, uint64_t *addr)
{
    if (w->kind == WT_WATCHPOINT_MISTAKE) {
        *addr = w->addr.offset;
        return true;
    }
    return p->common.link->ops->watch && gcnp_device_watches(p, w, addr);
}

/* Has the device watch by itself: LDS, and memory with a condition; and writes to other global
 * memory, which it notes. */
static enum wt_status set_devices(struct wt_probe *p, const struct wt_watchpoint *list,
                                  size_t count, struct wt_error *err)
{
    struct wt_wire_watch sent[GCNP_LOCAL_WATCHES + GCNP_WATCHES];
    const unsigned before = p->locals;
    unsigned sends = 0;
    p->locals = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t addr;
        if (!is_devices(p, &list[i], &addr))
            continue;
        if (p->locals == GCNP_LOCAL_WATCHES)
            return wt_fail(err, WT_UNSUPPORTED,
                           "there are %u watchpoints of LDS and with conditions at most",
                           GCNP_LOCAL_WATCHES);
        sent[sends++] = wt_process_link_watched(&list[i], addr);
        p->local[p->locals++] = (struct gcnp_local){list[i], addr};
    }
    for (unsigned i = 0; i < p->watches; i++)
        if (p->watch[i].asked.kind == WT_WATCHPOINT_WRITE)
            sent[sends++] = (struct wt_wire_watch){.kind = WT_WIRE_WATCH_WRITE,
                                                   .wave = WT_NO_HANDLE,
                                                   .addr = p->watch[i].addr,
                                                   .size = p->watch[i].asked.size};
    if (!p->common.link->ops->watch || (!before && !p->notes && !sends))
        return WT_OK;
    const struct wt_link *link = p->common.link;
    const enum wt_status status =
        link->ops->watch(link->context, sent, sends, p->locals ? err : WT_IGNORED);
    p->notes = status == WT_OK && sends != p->locals;
    return p->locals ? status : WT_OK;
}

static bool is_to(const struct wt_watchpoint_hit *write, const struct wt_watchpoint *asked)
{
    return wt_address_equal(write->addr, asked->addr) && write->size == asked->size;
}

static void drop_write(struct wt_probe *p, struct wt_watchpoint_hit *write)
{
    free(write->values);
    *write = p->write[--p->write_count];
}

void gcnp_drop_writes(struct wt_probe *p)
{
    while (p->write_count)
        drop_write(p, p->write);
    free(p->write);
}

/* Writes to what is watched no more are forgotten. */
static void keep_writes_of(struct wt_probe *p, const struct wt_watchpoint *list, size_t count)
{
    for (size_t i = p->write_count; i-- > 0;) {
        bool kept = false;
        for (size_t k = 0; k < count; k++)
            kept |= is_to(&p->write[i], &list[k]);
        if (!kept)
            drop_write(p, &p->write[i]);
    }
}

enum wt_status gcnp_set_watches(struct wt_probe *p, const struct wt_watchpoint *list, size_t count,
                                struct wt_error *err)
{
    enum wt_status status;
    wt_standstill_keep_hits(p, list, count);
    keep_writes_of(p, list, count);
    if ((status = clear(p, err)) != WT_OK)
        return status;
    size_t others = 0;
    for (size_t i = 0; i < count; i++)
        if (list[i].kind == WT_WATCHPOINT_MISTAKE && !p->common.link->ops->watch)
            return wt_fail(err, WT_UNSUPPORTED, "debug hardware knows nothing of checks");
    for (size_t i = 0; i < count; i++)
        others += !is_devices(p, &list[i], &(uint64_t){0});
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
    if ((status = set_devices(p, list, count, err)) != WT_OK)
        return status;
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

/* @p by: which lanes have written, and what; NULL: it is not noted. */
static enum wt_status note(struct wt_probe *p, uint32_t wave, const struct gcnp_watch *w,
                           const struct wt_watchpoint_hit *by, struct wt_error *err)
{
    const struct gcnp_row *row = gcnp_row(p, wave);
    const uint64_t pc = gcnp_row_pc(row) - 4 * (row->ttmp[1] >> KFD_TTMP1_REWIND_SHIFT & 15);
    wt_lanes lanes =
        by ? by->lanes : gcnp_lanes_of_access(p, wave, row, pc, w->addr, w->asked.size);
    if (!lanes && w->asked.kind == WT_WATCHPOINT_WRITE)
        return WT_OK; /* it has written beside the range, which another wave has changed */
    if (!lanes)
        lanes = gcnp_row_exec(row);
    return wt_standstill_note_hit(p, wave, &w->asked, pc, lanes, by ? by->values : NULL, err);
}

/* The write of a wave to the range of a watch that the device has noted; NULL: there is none. */
static struct wt_watchpoint_hit *find_write(struct wt_probe *p, wt_wave_handle wave, wt_wave_id id,
                                            const struct wt_watchpoint *asked)
{
    for (size_t i = 0; i < p->write_count; i++)
        if (p->write[i].wave == wave && p->write[i].id == id && is_to(&p->write[i], asked))
            return &p->write[i];
    return NULL;
}

/* The waves that have stopped for a watch. */
static enum wt_status take_hits_of(struct wt_probe *p, struct gcnp_watch *w, struct wt_error *err)
{
    const bool writes = w->asked.kind == WT_WATCHPOINT_WRITE;
    bool wanted = !writes, judged = wanted;
    enum wt_status status = WT_OK;
    for (uint32_t i = 0; i < p->common.topology.waves && !status; i++) {
        const struct gcnp_row *row = gcnp_row(p, i);
        if (!row->common.present || !row->watched || !has_hit(row, w))
            continue;
        struct wt_watchpoint_hit *by = find_write(p, i, row->common.wave.id, &w->asked);
        if (by)
            status = note(p, i, w, by, err);
        if (by)
            drop_write(p, by);
        if (by || (writes && p->notes))
            continue;
        if (!judged)
            status = has_changed(p, w, &wanted, err);
        judged = true;
        if (wanted && !status)
            status = note(p, i, w, NULL, err);
    }
    if (writes && !p->notes)
        wt_standstill_mix_hits(p, &w->asked);
    return status;
}

static bool writes(const struct wt_wire_hit *hit)
{
    return hit->kind != WT_WIRE_WATCH_READ && hit->kind != WT_WIRE_WATCH_MISTAKE;
}

static bool meets(const struct wt_wire_hit *hit, uint64_t addr, uint64_t size)
{
    return hit->addr < addr + size && addr < hit->addr + hit->size;
}

static bool is_watched(const struct gcnp_local *local, const struct wt_wire_hit *hit)
{
    const struct wt_watchpoint *w = &local->asked;
    if (w->home != hit->home || hit->kind == WT_WIRE_WATCH_MISTAKE)
        return false;
    return meets(hit, local->addr, w->size) &&
           (w->kind == WT_WATCHPOINT_WRITE  ? writes(hit)
            : w->kind == WT_WATCHPOINT_READ ? hit->kind != WT_WIRE_WATCH_WRITE
                                            : true);
}

/* A wave has accessed memory that the device watches, and has stopped. */
static enum wt_status note_local(struct wt_probe *p, const struct wt_watchpoint *local,
                                 const struct wt_wire_hit *hit,
                                 const struct wt_watched_values *values, struct wt_error *err)
{
    gcnp_row(p, hit->wave)->common.cause = WT_HALT_WATCH;
    return wt_standstill_note_hit(p, hit->wave, local, hit->pc, wt_lane_bit(hit->lane), values,
                                  err);
}

static int by_order(const void *a, const void *b)
{
    const struct wt_wire_hit *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

/* All accesses since the last call, in their order; *list is to be freed. */
static enum wt_status fetch_hits(struct wt_probe *p, struct wt_wire_hit **list, size_t *count,
                                 struct wt_error *err)
{
    const struct wt_link *link = p->common.link;
    const enum wt_status status = link->ops->take_hits(link->context, list, count, err);
    if (*count)
        qsort(*list, *count, sizeof **list, by_order);
    return status;
}

static void put_bytes(const struct wt_wire_hit *hit, const uint8_t *from, uint64_t addr,
                      uint8_t *bytes, size_t size)
{
    for (unsigned i = 0; i < hit->size && i < sizeof hit->before; i++)
        if (hit->addr + i - addr < size)
            bytes[hit->addr + i - addr] = from[i];
}

/* The values of @p size bytes at @p addr, now @p now, before and after access @p at of a list:
 * later writes of the list are undone. */
static struct wt_watched_values values_at(const struct wt_wire_hit *list, size_t count, size_t at,
                                          uint64_t addr, const uint8_t *now, size_t size)
{
    struct wt_watched_values v = {.order = list[at].order, .size = size};
    memcpy(v.after, now, size);
    for (size_t i = count; i-- > at + 1;)
        if (writes(&list[i]))
            put_bytes(&list[i], list[i].before, addr, v.after, size);
    memcpy(v.before, v.after, size);
    if (writes(&list[at]))
        put_bytes(&list[at], list[at].before, addr, v.before, size);
    return v;
}

/* Notes write @p hit: one of the wave's that comes to an earlier one of the same instruction, or
 * of an instruction that has not stopped it. */
static enum wt_status keep_write(struct wt_probe *p, const struct gcnp_watch *w,
                                 const struct wt_wire_hit *hit,
                                 const struct wt_watched_values *values, struct wt_error *err)
{
    struct wt_watchpoint_hit *one = find_write(p, hit->wave, hit->id, &w->asked);
    if (one) {
        memcpy(one->values->after, values->after, sizeof values->after);
        one->lanes |= wt_lane_bit(hit->lane);
        return WT_OK;
    }
    struct wt_watchpoint_hit *more =
        wt_array_grow(p->write, &p->write_capacity, p->write_count + 1, sizeof *more);
    struct wt_watched_values *kept = malloc(sizeof *kept);
    if (more)
        p->write = more;
    if (!more || !kept) {
        free(kept);
        return wt_fail(err, WT_NO_MEMORY, "out of memory for accesses to watched memory");
    }
    *kept = *values;
    more[p->write_count++] = (struct wt_watchpoint_hit){.write = true,
                                                        .addr = w->asked.addr,
                                                        .size = w->asked.size,
                                                        .wave = hit->wave,
                                                        .id = hit->id,
                                                        .lanes = wt_lane_bit(hit->lane),
                                                        .values = kept};
    return WT_OK;
}

/* Of waves that have ended: they did not stop for it. */
static void forget_writes(struct wt_probe *p)
{
    for (size_t i = p->write_count; i-- > 0;)
        if (!wt_standstill_is_in(p, p->write[i].wave, p->write[i].id))
            drop_write(p, &p->write[i]);
}

static enum wt_status take_writes(struct wt_probe *p, const struct gcnp_watch *w,
                                  const struct wt_wire_hit *list, size_t count,
                                  struct wt_error *err)
{
    uint8_t now[GCNP_WATCHED_BYTES];
    enum wt_status status = gcnp_read_link(p, w->addr, now, compared(w), err);
    for (size_t i = 0; i < count && !status; i++) {
        if (!writes(&list[i]) || !meets(&list[i], w->addr, w->asked.size) ||
            list[i].lane >= GCN_LANES || !wt_standstill_is_in(p, list[i].wave, list[i].id))
            continue;
        const struct wt_watched_values v = values_at(list, count, i, w->addr, now, compared(w));
        if (memcmp(v.before, v.after, v.size) != 0 || compared(w) < w->asked.size)
            status = keep_write(p, w, &list[i], &v, err);
    }
    return status;
}

/* The accesses of @p list to one watchpoint of the device's. Groups have LDS of their own at the
 * same addresses. */
static enum wt_status take_locals(struct wt_probe *p, const struct gcnp_local *local,
                                  const struct wt_wire_hit *list, size_t count,
                                  struct wt_error *err)
{
    const struct wt_watchpoint *w = &local->asked;
    const size_t size = w->size < WT_WATCHED_BYTES ? (size_t)w->size : WT_WATCHED_BYTES;
    struct wt_wire_hit *own = malloc((count + 1) * sizeof *own);
    uint8_t now[WT_WATCHED_BYTES];
    size_t owns = 0;
    enum wt_status status =
        own ? WT_OK : wt_fail(err, WT_NO_MEMORY, "out of memory for accesses to watched memory");
    for (size_t i = 0; i < count && own; i++)
        if (list[i].lane < GCN_LANES && wt_standstill_is_in(p, list[i].wave, list[i].id) &&
            is_watched(local, &list[i]))
            own[owns++] = list[i];
    const bool readable =
        owns && gcnp_read_memory(p, own->wave, own->lane, w->addr, now, size, WT_IGNORED) == WT_OK;
    for (size_t i = 0; i < owns && !status; i++) {
        struct wt_watched_values v;
        if (readable)
            v = values_at(own, owns, i, local->addr, now, size);
        status = note_local(p, w, &own[i], readable ? &v : NULL, err);
    }
    free(own);
    return status;
}

/* Accesses that a check has refused; their waves have stopped. */
static enum wt_status take_mistakes(struct wt_probe *p, const struct wt_watchpoint *w,
                                    const struct wt_wire_hit *list, size_t count,
                                    struct wt_error *err)
{
    enum wt_status status = WT_OK;
    for (size_t i = 0; i < count && !status; i++) {
        const struct wt_watchpoint_hit hit = wt_process_link_hit(&list[i]);
        if (!wt_watchpoint_is_mistake(w, &hit) || !wt_standstill_is_in(p, hit.wave, hit.id))
            continue;
        gcnp_row(p, hit.wave)->common.cause = WT_HALT_WATCH;
        status = wt_standstill_note_mistake(p, &hit, err);
    }
    return status;
}

enum wt_status gcnp_take_hits(struct wt_probe *p, struct wt_error *err)
{
    struct wt_wire_hit *list = NULL;
    size_t count = 0;
    enum wt_status status = WT_OK;
    forget_writes(p);
    if (p->locals || p->notes)
        status = fetch_hits(p, &list, &count, err);
    for (unsigned k = 0; k < p->locals && !status; k++)
        status = p->local[k].asked.kind == WT_WATCHPOINT_MISTAKE
                     ? take_mistakes(p, &p->local[k].asked, list, count, err)
                     : take_locals(p, &p->local[k], list, count, err);
    for (unsigned i = 0; i < p->watches && count && !status; i++)
        if (p->watch[i].asked.kind == WT_WATCHPOINT_WRITE)
            status = take_writes(p, &p->watch[i], list, count, err);
    free(list);
    for (unsigned i = 0; i < p->watches && !status; i++)
        status = take_hits_of(p, &p->watch[i], err);
    return status;
}
