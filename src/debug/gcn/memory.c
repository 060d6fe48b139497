/* Memory as a lane sees it: the aperture of a generic address selects LDS, the lane's private
 * memory, or global memory. */
#include "debug/gcn/internal.h"

#include <assert.h>
#include <string.h>

#include "base/bits.h"

_Static_assert(GCNP_DWORD_ROW == 4 * GCN_LANES, "a dword of each lane, at most");
/* Fields of amd_queue_t, in which the read pointer lies at READ_INDEX. */
enum { QUEUE_READ_INDEX = 128, QUEUE_SCRATCH = 160 };

void gcnp_describe_spaces(struct wt_probe *p)
{
    /* DWARF's numbers: LLVM, "User Guide for AMDGPU Backend", address space identifier. Those of
     * clang: clang/lib/Basic/Targets/AMDGPU.h, getDWARFAddressSpace(). */
    p->space[SPACE_GENERIC] = (struct wt_space){
        .name = "generic", .dwarf = 1, .scope = WT_SCOPE_LANE, .address_bits = 64};
    p->space[SPACE_GLOBAL] = (struct wt_space){
        .name = "global", .dwarf = 0, .scope = WT_SCOPE_DEVICE, .address_bits = 64};
    p->space[SPACE_LOCAL] = (struct wt_space){.name = "local",
                                              .dwarf = 3,
                                              .scope = WT_SCOPE_GROUP,
                                              .address_bits = 32,
                                              .aperture = p->device->lds_base,
                                              .clang = 2};
    p->space[SPACE_PRIVATE] = (struct wt_space){.name = "private",
                                                .dwarf = 5,
                                                .scope = WT_SCOPE_LANE,
                                                .address_bits = 32,
                                                .aperture = p->device->scratch_base,
                                                .clang = 1};
    p->space[SPACE_SCRATCH] = (struct wt_space){
        .name = "private_wave", .dwarf = 6, .scope = WT_SCOPE_WAVE, .address_bits = 32};
    p->common.topology.spaces = p->space;
    p->common.topology.space_count = SPACES;
    p->common.topology.code_spaces = 1u << SPACE_GLOBAL;
    p->common.topology.address_bits = 64;
    p->common.topology.frame_space = SPACE_PRIVATE;
    p->common.topology.frame_scale = gcnp_varies(p) ? 0 : GCN_LANES;
    p->common.topology.stack_grows_up = true;
    p->common.topology.result_registers = 4;
}

/* Translates a generic address to the space that it selects. */
static struct wt_address by_aperture(const struct wt_probe *p, struct wt_address addr)
{
    const struct kfd_device_entry *d = p->device; /* apertures are those of the process */
    const uint64_t at = addr.offset;
    if (addr.space != SPACE_GENERIC)
        return addr;
    if (at >= d->lds_base && at <= d->lds_limit)
        return (struct wt_address){SPACE_LOCAL, at - d->lds_base};
    if (at >= d->scratch_base && at <= d->scratch_limit)
        return (struct wt_address){SPACE_PRIVATE, at - d->scratch_base};
    return (struct wt_address){SPACE_GLOBAL, at};
}

bool gcnp_device_watches(const struct wt_probe *p, const struct wt_watchpoint *w, uint64_t *at)
{
    const struct wt_address addr = by_aperture(p, w->addr);
    *at = addr.offset + (addr.space == SPACE_LOCAL ? p->device->lds_base : 0);
    return addr.space == SPACE_LOCAL || (addr.space == SPACE_GLOBAL && w->rule);
}

/* The begin of the wave's private memory: in FLAT_SCRATCH, once the kernel has set it. Before that,
 * the wave's offset is in TTMP13, where the driver has the hardware leave it. */
static enum wt_status find_scratch(struct wt_probe *p, const struct gcnp_row *row, uint64_t *base,
                                   struct wt_error *err)
{
    const struct kfd_queue_entry *q = &p->queue[row->queue];
    const uint64_t at = row->is_gfx10 ? gcnp_row_hw(row) + 4 * KFD_HW_GFX10_FLAT_LO
                                      : gcnp_row_sgprs(row) + 4 * gcnp_row_numbered(row);
    uint8_t bytes[8];
    enum wt_status status = gcnp_read_link(p, at, bytes, sizeof bytes, err);
    if (status != WT_OK || (*base = wt_load_le(bytes, 8)) != 0)
        return status;
    if (!q->read_pointer_address)
        return wt_fail(err, WT_INVALID, "the wave has not set FLAT_SCRATCH yet");
    status = gcnp_read_link(p, q->read_pointer_address - QUEUE_READ_INDEX + QUEUE_SCRATCH, bytes,
                            sizeof bytes, err);
    *base = wt_load_le(bytes, 8) + row->ttmp[13];
    return status || wt_load_le(bytes, 8)
               ? status
               : wt_fail(err, WT_INVALID, "the kernel has no private memory");
}

static enum wt_status scratch_of(struct wt_probe *p, struct gcnp_row *row, uint64_t *base,
                                 struct wt_error *err)
{
    enum wt_status status = WT_OK;
    if (!p->common.still || row->scratch_changes != p->changes)
        status = find_scratch(p, row, &row->scratch, err);
    row->scratch_changes = status ? 0 : p->changes;
    *base = row->scratch;
    return status;
}

/* Reads private memory, which lies in one row of dwords. What other lanes have there is kept: a
 * condition asks for all lanes, one after the other. */
static enum wt_status read_private(struct wt_probe *p, uint64_t at, uint8_t *out, size_t size,
                                   struct wt_error *err)
{
    const uint64_t offset = at % GCNP_DWORD_ROW, row = at - offset;
    assert(offset + size <= GCNP_DWORD_ROW);
    if (p->dwords.changes != p->changes || p->dwords.at != row || !p->common.still) {
        p->dwords.changes = 0;
        if (gcnp_read_link(p, row, p->dwords.bytes, GCNP_DWORD_ROW, WT_IGNORED) != WT_OK)
            return gcnp_read_link(p, at, out, size, err);
        p->dwords.at = row;
        p->dwords.changes = p->changes;
    }
    memcpy(out, p->dwords.bytes + offset, size);
    return WT_OK;
}

/* The part of [addr, addr + *size) that is contiguous in memory, and where it is. */
static enum wt_status place(struct wt_probe *p, struct gcnp_row *row, unsigned lane,
                            struct wt_address addr, size_t *size, uint64_t *at,
                            struct wt_error *err)
{
    enum wt_status status;
    uint64_t base, room = UINT64_MAX;
    const struct gcnp_row *leader = gcnp_row(p, row->leader);
    switch ((enum gcnp_space)addr.space) {
    case SPACE_LOCAL:
        if (addr.offset >= row->lds)
            return wt_fail(err, WT_INVALID, "the work-group has %u bytes of LDS",
                           (unsigned)row->lds);
        room = row->lds - addr.offset;
        *at = gcnp_row_hw(leader) + KFD_RECORD_REGISTERS + addr.offset;
        break;
    case SPACE_PRIVATE:
        if ((status = scratch_of(p, row, &base, err)) != WT_OK)
            return status;
        room = 4 - addr.offset % 4;
        *at = base + addr.offset / 4 * gcnp_row_vgpr(row) + 4 * lane + addr.offset % 4;
        break;
    default:
        if ((status = scratch_of(p, row, &base, err)) != WT_OK)
            return status;
        *at = base + addr.offset;
        break;
    }
    if (*size > room)
        *size = (size_t)room;
    return WT_OK;
}

/* Reads to `out`, or writes what is at `bytes`. */
static enum wt_status access_memory(struct wt_probe *p, uint32_t wave, unsigned lane,
                                    struct wt_address addr, uint8_t *out, const uint8_t *bytes,
                                    size_t size, struct wt_error *err)
{
    struct gcnp_row *row;
    enum wt_status status;
    addr = by_aperture(p, addr);
    if (addr.space == SPACE_GLOBAL)
        return out ? gcnp_read_link(p, addr.offset, out, size, err)
                   : gcnp_write_link(p, addr.offset, bytes, size, err);
    if ((status = gcnp_find_row(p, wave, &row, err)) != WT_OK)
        return status;
    for (size_t done = 0, part; done < size; done += part) {
        uint64_t at = 0;
        part = size - done;
        if ((status = place(p, row, lane, wt_address_plus(addr, done), &part, &at, err)) != WT_OK)
            return status;
        if (out && addr.space == SPACE_PRIVATE && at % GCNP_DWORD_ROW + part <= GCNP_DWORD_ROW)
            status = read_private(p, at, out + done, part, err);
        else
            status = out ? gcnp_read_link(p, at, out + done, part, err)
                         : gcnp_write_link(p, at, bytes + done, part, err);
        if (status != WT_OK)
            return status;
    }
    return WT_OK;
}

/* The memory port can access generic addresses. While queues are suspended, LDS and the register
 * that holds the private memory's address are in the save area. While queues run, only the port can
 * access them: a condition is evaluated in the middle of a wave's turn. */
static bool by_port(struct wt_probe *p, struct wt_address *addr)
{
    const struct wt_address at = by_aperture(p, *addr);
    const struct wt_space *space = &p->space[at.space];
    if (!p->common.port || (at.space != SPACE_GLOBAL && (p->common.still || !space->aperture)))
        return false;
    *addr = (struct wt_address){SPACE_GENERIC, at.offset + space->aperture};
    return true;
}

enum wt_status gcnp_read_memory(struct wt_probe *p, uint32_t wave, unsigned lane,
                                struct wt_address addr, void *out, size_t size,
                                struct wt_error *err)
{
    assert(addr.space < SPACES && lane < GCN_LANES);
    if (by_port(p, &addr))
        return p->common.target->services->read_memory(p->common.target->context, wave, lane, addr,
                                                       out, size)
                   ? WT_OK
                   : wt_fail(err, WT_INVALID, "no memory can be read at 0x%llx",
                             (unsigned long long)addr.offset);
    return access_memory(p, wave, lane, addr, out, NULL, size, err);
}

enum wt_status gcnp_write_memory(struct wt_probe *p, uint32_t wave, unsigned lane,
                                 struct wt_address addr, const void *bytes, size_t size,
                                 struct wt_error *err)
{
    assert(addr.space < SPACES && lane < GCN_LANES);
    if (by_port(p, &addr)) {
        p->changes++;
        return p->common.target->services->write_memory(p->common.target->context, wave, lane, addr,
                                                        bytes, size)
                   ? WT_OK
                   : wt_fail(err, WT_INVALID, "no memory can be written at 0x%llx",
                             (unsigned long long)addr.offset);
    }
    return access_memory(p, wave, lane, addr, NULL, bytes, size, err);
}

enum wt_status gcnp_global_range(struct wt_probe *p, uint32_t wave, unsigned lane,
                                 struct wt_address addr, uint64_t size, uint64_t *at,
                                 struct wt_error *err)
{
    struct gcnp_row *row;
    size_t part = size;
    enum wt_status status;
    addr = by_aperture(p, addr);
    *at = addr.offset;
    if (addr.space == SPACE_GLOBAL)
        return WT_OK;
    if (addr.space == SPACE_LOCAL)
        return wt_fail(err, WT_UNSUPPORTED,
                       "address watch sees vector memory, not LDS: only an emulated device can "
                       "watch it");
    if ((status = gcnp_find_row(p, wave, &row, err)) != WT_OK ||
        (status = place(p, row, lane, addr, &part, at, err)) != WT_OK)
        return status;
    return part == size
               ? WT_OK
               : wt_fail(err, WT_UNSUPPORTED,
                         "the dwords of a lane's private memory lie %u bytes apart: watch one of "
                         "them",
                         (unsigned)gcnp_row_vgpr(row));
}

enum wt_status gcnp_find_home(struct wt_probe *p, uint32_t wave, unsigned lane,
                              struct wt_address addr, uint64_t size, struct wt_address *home,
                              uint64_t *part, struct wt_error *err)
{
    struct gcnp_row *row;
    enum wt_status status;
    size_t piece = size;
    *part = size;
    addr = by_aperture(p, addr);
    if (addr.space == SPACE_GLOBAL || addr.space == SPACE_LOCAL) {
        *home = wt_address_generic(&p->common.topology, addr);
        if (addr.space == SPACE_GLOBAL)
            home->space = SPACE_GENERIC;
        return WT_OK;
    }
    home->space = SPACE_GENERIC;
    if ((status = gcnp_find_row(p, wave, &row, err)) != WT_OK ||
        (status = place(p, row, lane, addr, &piece, &home->offset, err)) != WT_OK)
        return status;
    *part = piece;
    return WT_OK;
}
