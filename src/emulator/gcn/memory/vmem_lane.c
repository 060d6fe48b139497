/* Accesses of one lane, where all lanes cannot be done at once: its bytes may lie in memory, in
 * LDS, or in swizzled private memory. */
#include "emulator/gcn/memory/vmem.h"
#include "emulator/gcn/watch.h"

#include <string.h>

/*
 * Dword by dword, the private memory of a wave's 64 lanes is interleaved: byte `offset` of a lane
 * is at FLAT_SCRATCH + offset / 4 * 4 * 64 + lane * 4 + offset % 4.
 */
uint64_t gcn_private_addr(const struct gcn_wave *w, unsigned lane, uint64_t offset)
{
    return gcn_flat_scratch(w) + offset / 4 * 4 * gcn_lanes_of(w) + lane * 4u + offset % 4;
}

bool gcn_vmem_read_lane(struct gcn_wave *w, const struct gcn_targets *t, unsigned lane,
                        uint8_t *bytes, unsigned size)
{
    const uint64_t addr = t->addr[lane];
    if (t->lds >> lane & 1) {
        for (unsigned i = 0; i < size; i++)
            bytes[i] = addr + i < w->group->local_size ? w->group->local[addr + i] : 0;
        return true;
    }
    if (t->private >> lane & 1) {
        for (unsigned done = 0; done < size;) {
            const unsigned in = 4 - (addr + done) % 4, part = size - done < in ? size - done : in;
            const uint64_t at = gcn_private_addr(w, lane, addr + done);
            const uint8_t *host = gcn_readable(w->device, at, part);
            if (host)
                memcpy(bytes + done, host, part);
            else if (!gcn_read(w->device, at, bytes + done, part))
                return false;
            done += part;
        }
        return true;
    }
    const uint8_t *host = gcn_readable(w->device, addr, size);
    if (host)
        memcpy(bytes, host, size);
    return host || gcn_read(w->device, addr, bytes, size);
}

bool gcn_vmem_may_write(struct gcn_wave *w, const struct gcn_targets *t, unsigned lane,
                        unsigned size)
{
    if (t->lds >> lane & 1)
        return true;
    if (!(t->private >> lane & 1))
        return gcn_writable(w->device, t->addr[lane], size) ||
               gcn_mapped(w->device, t->addr[lane], size, true);
    for (unsigned i = 0; i < size; i++) {
        const uint64_t at = gcn_private_addr(w, lane, t->addr[lane] + i);
        if (!gcn_writable(w->device, at, 1) && !gcn_mapped(w->device, at, 1, true))
            return false;
    }
    return true;
}

/* One store of one size: a thread of the host may look at any moment. */
static void put(uint8_t *host, const uint8_t *bytes, unsigned size)
{
    switch (size) {
    case 1:
        *host = *bytes;
        break;
    case 2:
        memcpy(host, bytes, 2);
        break;
    case 4:
        memcpy(host, bytes, 4);
        break;
    case 8:
        memcpy(host, bytes, 8);
        break;
    default:
        memcpy(host, bytes, size);
    }
}

bool gcn_vmem_write_lane(struct gcn_wave *w, const struct gcn_targets *t, unsigned lane,
                         const uint8_t *bytes, unsigned size)
{
    const uint64_t addr = t->addr[lane];
    if (t->lds >> lane & 1) {
        for (unsigned i = 0; i < size; i++)
            if (addr + i < w->group->local_size)
                w->group->local[addr + i] = bytes[i];
        return true;
    }
    if (t->private >> lane & 1) {
        for (unsigned done = 0; done < size;) {
            const unsigned in = 4 - (addr + done) % 4, part = size - done < in ? size - done : in;
            const uint64_t at = gcn_private_addr(w, lane, addr + done);
            uint8_t *host = gcn_writable(w->device, at, part);
            if (host)
                memcpy(host, bytes + done, part);
            else if (!gcn_write(w->device, at, bytes + done, part))
                return false;
            done += part;
        }
        return true;
    }
    uint8_t *host = gcn_writable(w->device, addr, size);
    if (host)
        put(host, bytes, size);
    return host || gcn_write(w->device, addr, bytes, size);
}

/* Whether a byte of the lane's private memory is observed. */
static bool observes_private(const struct gcn_wave *w, unsigned lane, uint64_t offset,
                             unsigned size)
{
    bool observes = false;
    for (unsigned i = 0; i < size; i++) {
        const uint64_t at = gcn_private_addr(w, lane, offset + i);
        observes |= wt_watch_set_observes(w->device->machine.watch, WT_SPACE_GLOBAL, at, at);
    }
    return observes;
}

/* As gcn_watch_access: dword by dword. */
static void watch_private(struct gcn_wave *w, const struct gcn_uop *u, enum wt_watch_kind kind,
                          unsigned lane, uint64_t offset, unsigned size, const uint8_t *before,
                          const uint8_t *after)
{
    struct wt_machine *m = &w->device->machine;
    const struct wt_lane_access a = {.pc = gcn_pc_of(w, u),
                                     .kind = kind,
                                     .order = gcn_is_relaxed(u, kind) ? WT_ORDER_RELAXED
                                                                      : WT_ORDER_PLAIN,
                                     .scope = WT_AMONG_DEVICE,
                                     .space = WT_OBSERVED_PRIVATE,
                                     .lane = lane,
                                     .size = size,
                                     .at = offset};
    if (m->observer && observes_private(w, lane, offset, size))
        wt_engine_observe(m, &w->head, &a);
    for (unsigned done = 0; done < size;) {
        const unsigned in = 4 - (offset + done) % 4, part = size - done < in ? size - done : in;
        const uint64_t at = gcn_private_addr(w, lane, offset + done);
        gcn_address_watch_access(w, u, kind, lane, at, part);
        if (m->watch)
            wt_engine_watch(m, &w->head, &a, WT_SPACE_GLOBAL, at, part, before + done,
                            after + done);
        done += part;
    }
}

void gcn_vmem_watch_lane(struct gcn_wave *w, const struct gcn_targets *t, enum wt_watch_kind kind,
                         unsigned lane, unsigned size, const uint8_t *before, const uint8_t *after)
{
    const uint64_t addr = t->addr[lane];
    if (!(t->private >> lane & 1)) {
        gcn_watch_access(w, t->at, kind, lane,
                         t->lds >> lane & 1 ? GCN_SHARED_APERTURE + addr : addr, size, before,
                         after);
        return;
    }
    watch_private(w, t->at, kind, lane, addr, size, before, after);
}

const struct gcn_uop *gcn_vmem_refuse(struct gcn_wave *w, const struct gcn_uop *u,
                                      const struct gcn_targets *t, enum wt_access access)
{
    const bool load = access == WT_ACCESS_LOAD;
    uint64_t lanes = 0, first = 0;
    uint8_t bytes[16];
    for (uint64_t left = t->lanes & ~t->zero; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        if (load ? gcn_vmem_read_lane(w, t, lane, bytes, u->size)
                 : gcn_vmem_may_write(w, t, lane, u->size))
            continue;
        if (!lanes)
            first =
                t->private >> lane & 1 ? gcn_private_addr(w, lane, t->addr[lane]) : t->addr[lane];
        lanes |= (uint64_t)1 << lane;
    }
    return gcn_fault(w, u, WT_FAULT_ACCESS, lanes, first, "%s: " WT_UNMAPPED, u->row->name,
                     wt_access_word(access), u->size, (unsigned long long)first,
                     wt_access_for(access));
}
