/* Suspends and resumes queues, and reads the waves in their save areas. */
#include "debug/gcn/internal.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "object/aql.h"

#define EVERY_EXCEPTION (~(uint64_t)0)
#define QUEUE_TYPE_AQL 2u
/* Trap instructions that compilers generate for assert, abort and __builtin_trap (LLVM, "Trap
 * Handler ABI"). */
#define TRAP_ABORT 2u
enum {
    STATUS_HALT = 1 << 13,
    MODE_DEBUG_EN = 1 << 11,
    TRAPSTS_ILLEGAL = 1 << 11,
    TRAPSTS_MEM_VIOL = 1 << 8
};
/* Address watches, as exceptions: enabled, and raised. */
enum { MODE_WATCH = 1 << 19, TRAPSTS_WATCH = 1 << 7 | 7 << 12 };

/* ---- launches ---- */

/* The dimensions that a packet asks for; 1 each if it cannot be read any more. */
static void read_packet(struct wt_probe *p, const struct kfd_queue_entry *q, uint64_t packet,
                        struct wt_standstill_launch *l)
{
    uint8_t bytes[GCN_AQL_BYTES];
    const uint64_t places = q->ring_size / GCN_AQL_BYTES;
    for (unsigned i = 0; i < 3; i++)
        l->groups[i] = l->block[i] = l->grid[i] = 1;
    if (!places || gcnp_read_link(p, q->ring_base_address + packet % places * GCN_AQL_BYTES, bytes,
                                  sizeof bytes, WT_IGNORED) != WT_OK)
        return;
    const struct gcn_aql_dispatch d = gcn_aql_dispatch(bytes);
    for (unsigned i = 0; i < 3; i++)
        if (d.group[i] && d.grid[i]) {
            l->groups[i] = (d.grid[i] - 1) / d.group[i] + 1;
            l->block[i] = d.group[i];
            l->grid[i] = d.grid[i];
        }
    l->arguments = d.kernarg;
}

/*
 * The number of a packet since its queue's beginning. A wave has only the low bits, the packet's
 * index in the ring. Packets with running waves lie between the read index and one ring length
 * behind it.
 */
static uint64_t packet_number(uint64_t read, uint64_t places, uint32_t low)
{
    if (!places)
        return low;
    return read + ((low - read) & (places - 1));
}

/* ---- records ---- */

/* The row for a wave: the row of its slot in the chip. If the hardware does not report the slot,
 * the row with the wave's name, or a free one. NULL: there are more waves than the device has
 * slots. */
static struct gcnp_row *row_for(struct wt_probe *p, const struct gcnp_row *found, wt_wave_id id)
{
    const uint32_t slot = found->hw[KFD_HW_SLOT], per_core = p->common.topology.waves_per_core,
                   own = p->simds * p->device[found->common.wave.device].max_waves_per_simd;
    const uint32_t room = p->common.device_cores[found->common.wave.device] * per_core;
    struct gcnp_row *free_row = NULL;
    uint32_t first = 0;
    for (uint32_t i = 0; i < found->common.wave.device; i++)
        first += p->common.device_cores[i] * per_core;
    if (slot && own) {
        const uint32_t in_room = (slot - 1) / own * per_core + (slot - 1) % own;
        return in_room < room ? gcnp_row(p, first + in_room) : NULL;
    }
    for (uint32_t i = first; i < first + room; i++) {
        if (gcnp_row(p, i)->common.wave.id == id)
            return gcnp_row(p, i);
        if (!gcnp_row(p, i)->common.present && !free_row)
            free_row = gcnp_row(p, i);
    }
    return free_row;
}

/* The hardware registers and TTMPs in a row's record, as the row has them. */
static struct wt_link_piece registers_of(struct gcnp_row *row)
{
    _Static_assert(offsetof(struct gcnp_row, ttmp) ==
                           offsetof(struct gcnp_row, hw) + sizeof row->hw &&
                       sizeof row->hw + sizeof row->ttmp == KFD_RECORD_REGISTERS,
                   "as a record has them");
    return (struct wt_link_piece){
        .addr = gcnp_row_hw(row), .bytes = row->hw, .size = KFD_RECORD_REGISTERS};
}

/* Writes the registers of rows that have changed to their records, of all in one message. */
static enum wt_status write_back(struct wt_probe *p, struct wt_error *err)
{
    size_t count = 0;
    for (uint32_t i = 0; i < p->common.topology.waves; i++) {
        struct gcnp_row *row = gcnp_row(p, i);
        if (!row->common.present || !row->changed)
            continue;
        const enum wt_status status = gcnp_add_piece(p, &count, registers_of(row), err);
        if (status != WT_OK)
            return status;
        row->changed = false;
    }
    p->changes += count > 0;
    return gcnp_transfer(p, count, true, err);
}

/* Takes over what a wave's record says of a stop. This is done once, since the wave
 * does not run. */
static void take_stop(struct gcnp_row *row)
{
    row->common.cause = gcnp_cause_of(row);
    row->common.run = row->common.step = false;
    row->watched = row->common.cause == WT_HALT_WATCH;
    if (row->common.cause != WT_HALT_BREAKPOINT)
        return;
    row->traps_to_abort = (row->ttmp[6] >> KFD_TTMP6_TRAP_SHIFT & 15) == TRAP_ABORT;
    /* The handler has moved the PC behind the s_trap; a debugger expects it at the s_trap. */
    gcnp_row_set_pc(row, gcnp_row_pc(row) - 4);
    row->ttmp[6] &= ~(uint32_t)(15u << KFD_TTMP6_TRAP_SHIFT);
    row->ttmp[6] |= KFD_TTMP6_STOPPED;
    row->changed = true;
}

static bool find_device(const struct wt_probe *p, const struct kfd_queue_entry *q, uint32_t *device)
{
    for (*device = 0; *device < p->devices; ++*device)
        if (p->device[*device].gpu_id == q->gpu_id)
            return true;
    return false;
}

static uint64_t pair(const struct gcnp_row *row, unsigned low)
{
    return row->hw[low] | (uint64_t)row->hw[low + 1] << 32;
}

/* A wave's position in its launch, from its TTMPs; its id, from the emulated driver. */
static void describe_work(struct gcnp_row *row, const struct wt_standstill_launch *l,
                          const struct kfd_queue_entry *q)
{
    struct wt_wave *wave = &row->common.wave;
    wave->lanes = row->lanes;
    wave->dispatch = l->number;
    wave->index = row->ttmp[11] & KFD_TTMP11_WAVE_IN_GROUP;
    memcpy(wave->group, &row->ttmp[8], sizeof wave->group);
    memcpy(wave->block, l->block, sizeof wave->block);
    memcpy(wave->grid, l->grid, sizeof wave->grid);
    wave->arguments = l->arguments;
    wave->has_queue = true;
    wave->queue = q->queue_id;
    wave->id = row->hw[KFD_HW_SLOT] ? pair(row, KFD_HW_WAVE_LO) : WT_NO_WAVE;
    if (wave->id == WT_NO_WAVE)
        wave->id = wt_standstill_name(wave, l->groups);
}

static uint32_t gpu_of(const struct wt_probe *p, const struct kfd_queue_entry *q)
{
    uint32_t gpu = 0;
    while (gpu + 1 < p->devices && p->device[gpu].gpu_id != q->gpu_id)
        gpu++;
    return gpu;
}

/* The low bits of its packet's number: in TTMP6, or in TTMP11 (linux, cwsr_trap_handler_gfx9.asm).
 */
static uint32_t packet_of(const struct wt_probe *p, const struct gcnp_row *row)
{
    return (p->private_registers >> gpu_of(p, &p->queue[row->queue]) & 1
                ? row->ttmp[11] >> KFD_TTMP11_PACKET_SHIFT
                : row->ttmp[6]) &
           KFD_TTMP6_PACKET;
}

/* A record that was read; *leader becomes the handle of the first wave of its group. */
static enum wt_status take_record(struct wt_probe *p, struct gcnp_row found, uint32_t *leader,
                                  struct wt_error *err)
{
    const struct kfd_queue_entry *q = &p->queue[found.queue];
    const uint64_t packet = packet_number(wt_load_le(p->area[found.queue].read, 8),
                                          q->ring_size / GCN_AQL_BYTES, packet_of(p, &found));
    enum wt_status status;
    struct wt_standstill_launch *l;
    const uint64_t number = found.hw[KFD_HW_SLOT] ? pair(&found, KFD_HW_LAUNCH_LO) : 0;
    const uint64_t key[2] = {q->queue_id, packet};
    if ((status = wt_standstill_find_launch(p, number, key, &l, err)) != WT_OK)
        return status;
    if (!l->groups[0])
        read_packet(p, q, packet, l);
    describe_work(&found, l, q);
    if (!find_device(p, q, &found.common.wave.device))
        return wt_fail(err, WT_IO, "queue %u is of a GPU that the program has not reported",
                       (unsigned)q->queue_id);
    struct gcnp_row *row = row_for(p, &found, found.common.wave.id);
    if (!row)
        return wt_fail(err, WT_IO, "the save area of queue %u has more waves than the device",
                       (unsigned)q->queue_id);
    const wt_wave_handle handle = (wt_wave_handle)(row - gcnp_row(p, 0));
    const bool halted = found.hw[KFD_HW_STATUS] & STATUS_HALT;
    const bool known = row->common.wave.id == found.common.wave.id;
    /* The wave began while launches were held for a moment. */
    const bool begun = !known && halted && !(found.ttmp[6] & KFD_TTMP6_STOPPED) && !p->common.hold;
    if (found.is_first || *leader == WT_NO_HANDLE)
        *leader = handle;
    found.common.present = true;
    found.common.wave.simd = handle % p->common.topology.waves_per_core % p->simds;
    found.leader = *leader;
    found.common.run = known ? row->common.run : !halted || begun;
    found.common.step = known && row->common.step;
    found.common.held = known ? row->common.held : begun;
    found.common.told = known && row->common.told;
    found.traps_to_abort = known && row->traps_to_abort;
    found.aborts = known && row->aborts;
    found.given_up = known && row->given_up;
    found.common.cause = known ? row->common.cause : halted ? WT_HALT_REQUEST : WT_HALT_NONE;
    const bool stops =
        halted && !found.common.held && !found.given_up && (found.common.run || !known);
    *row = found;
    if (stops)
        take_stop(row);
    return WT_OK;
}

/* Appends a record to p->found. It is yet to be read, unless it was expected there. */
static enum wt_status find_record(struct wt_probe *p, const struct gcnp_row *found,
                                  struct wt_error *err)
{
    struct gcnp_row *more =
        wt_array_grow(p->found, &p->found_capacity, p->found_count + 1, sizeof *more);
    if (!more)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for records of waves");
    p->found = more;
    more += p->found_count++;
    if (p->found_count > p->expected || gcnp_row_hw(more) != gcnp_row_hw(found))
        *more = *found;
    more->queue = found->queue;
    more->record = found->record;
    more->vgprs = found->vgprs;
    more->agprs = found->agprs;
    more->sgprs = found->sgprs;
    more->lds = found->lds;
    more->lanes = found->lanes;
    more->frame_lanes = found->frame_lanes;
    more->is_gfx10 = found->is_gfx10;
    more->is_first = found->is_first;
    return WT_OK;
}

/* Finds the records of a queue's area by its control stack. */
static enum wt_status find_records(struct wt_probe *p, uint32_t queue, const uint8_t *stack,
                                   const struct kfd_save_header *h, struct wt_error *err)
{
    const uint64_t begin = p->queue[queue].ctx_save_restore_address + h->wave_state_offset;
    uint64_t top = begin + h->wave_state_size;
    struct gcnp_row shape = {.queue = queue, .lanes = GCN_LANES, .is_gfx10 = p->is_gfx10};
    uint32_t lds = 0;
    const uint32_t gpu = gpu_of(p, &p->queue[queue]);
    const bool accumulates = p->accumulates >> gpu & 1, unified = p->unified >> gpu & 1;
    enum wt_status status = WT_OK;
    for (uint32_t at = KFD_CONTROL_HEADER; at < h->control_stack_size && !status; at += 4) {
        const uint32_t word = (uint32_t)wt_load_le(stack + at, 4);
        if (word & KFD_RELAUNCH_EVENT)
            continue;
        if (word & KFD_RELAUNCH_STATE && p->is_gfx10) {
            shape.lanes = word & KFD_RELAUNCH_WAVE32 ? GCN_LANES / 2 : GCN_LANES;
            shape.vgprs = (wt_field(word, 5, 0) + 1) * (shape.lanes < GCN_LANES ? 8 : 4);
            shape.sgprs = KFD_GFX10_SGPRS;
            lds = wt_field(word, 17, 10) * KFD_LDS_UNIT;
            at += 4; /* a second dword */
            continue;
        }
        if (word & KFD_RELAUNCH_STATE) {
            const uint32_t both = (wt_field(word, 5, 0) + 1) * 8,
                           own = (wt_field(word, unified ? 29 : 5, unified ? 24 : 0) + 1) * 4;
            shape.vgprs = unified && own > both ? both : own;
            shape.agprs = unified ? both - shape.vgprs : accumulates ? shape.vgprs : 0;
            shape.sgprs = wt_field(word, 8, 6) * 16;
            lds = wt_field(word, unified ? 16 : 17, 9) * KFD_LDS_UNIT;
            continue;
        }
        shape.frame_lanes = p->private_registers >> gpu & 1 ? 1 : shape.lanes;
        shape.is_first = word & (p->is_gfx10 ? KFD_RELAUNCH_FIRST_GFX10 : KFD_RELAUNCH_FIRST);
        const uint64_t size = (uint64_t)(shape.vgprs + shape.agprs) * gcnp_row_vgpr(&shape) +
                              4 * shape.sgprs + KFD_RECORD_REGISTERS + (shape.is_first ? lds : 0);
        if (shape.sgprs < KFD_RECORD_SPECIAL || top - begin < size + KFD_RECORD_GAP)
            return wt_fail(err, WT_IO, "the save area of queue %u has a wave beyond its end",
                           (unsigned)p->queue[queue].queue_id);
        top -= size;
        shape.record = top;
        shape.lds = lds;
        top -= KFD_RECORD_GAP;
        status = find_record(p, &shape, err);
    }
    return status;
}

/* Finds the records of a queue whose area's head was read; a longer control stack is yet to be. */
static enum wt_status look_at_area(struct wt_probe *p, uint32_t queue, struct wt_error *err)
{
    const struct kfd_queue_entry *q = &p->queue[queue];
    const struct gcnp_area *area = &p->area[queue];
    struct kfd_save_header h;
    memcpy(&h, area->head, sizeof h);
    const uint64_t end = (uint64_t)h.wave_state_offset + h.wave_state_size;
    const uint64_t stack_end = (uint64_t)h.control_stack_offset + h.control_stack_size;
    if (h.control_stack_size < KFD_CONTROL_HEADER || h.control_stack_size % 4 ||
        stack_end > q->ctx_save_restore_area_size || end > q->ctx_save_restore_area_size)
        return wt_fail(err, WT_IO, "the save area of queue %u has no sense in its header",
                       (unsigned)q->queue_id);
    if (stack_end <= sizeof area->head)
        return find_records(p, queue, area->head + h.control_stack_offset, &h, err);
    uint8_t *stack = malloc(h.control_stack_size);
    if (!stack)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a control stack");
    enum wt_status status = gcnp_read_link(p, q->ctx_save_restore_address + h.control_stack_offset,
                                           stack, h.control_stack_size, err);
    if (status == WT_OK)
        status = find_records(p, queue, stack, &h, err);
    free(stack);
    return status;
}

/* Asks for what the areas of all queues begin with, and how far each queue was read. */
static enum wt_status add_heads(struct wt_probe *p, size_t *count, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    for (uint32_t i = 0; i < p->queues && !status; i++) {
        const struct kfd_queue_entry *q = &p->queue[i];
        struct gcnp_area *area = &p->area[i];
        const uint32_t room = q->ctx_save_restore_area_size;
        *area = (struct gcnp_area){.read = {0}};
        if (q->queue_type != QUEUE_TYPE_AQL || !room)
            continue;
        status = gcnp_add_piece(
            p, count,
            (struct wt_link_piece){.addr = q->ctx_save_restore_address,
                                   .bytes = area->head,
                                   .size = room < sizeof area->head ? room : sizeof area->head},
            err);
        if (!status && q->read_pointer_address)
            status = gcnp_add_piece(p, count,
                                    (struct wt_link_piece){.addr = q->read_pointer_address,
                                                           .bytes = area->read,
                                                           .size = sizeof area->read},
                                    err);
    }
    return status;
}

/* Asks for the records of p->found that were not read, up to @p end. */
static enum wt_status add_records(struct wt_probe *p, size_t end, size_t *count,
                                  struct wt_error *err)
{
    enum wt_status status = WT_OK;
    for (size_t i = 0; i < end && !status; i++)
        if (!p->found[i].is_read)
            status = gcnp_add_piece(p, count, registers_of(&p->found[i]), err);
    return status;
}

/* Reads the heads of all areas, and the records that are expected, which may be elsewhere now. */
static enum wt_status read_heads(struct wt_probe *p, struct wt_error *err)
{
    size_t heads = 0, count;
    enum wt_status status = add_heads(p, &heads, err);
    count = heads;
    p->expected = p->alone ? p->found_count : 0;
    for (size_t i = 0; i < p->expected; i++)
        p->found[i].is_read = false;
    if (status || (status = add_records(p, p->expected, &count, err)) ||
        (status = wt_link_transfer(p->common.link, p->piece, count, false, err)))
        return status;
    for (size_t i = 0; i < p->expected; i++)
        p->found[i].is_read = !p->piece[heads + i].absent;
    return gcnp_all_there(p, heads, err);
}

/* All queues together: the number of messages does not depend on the number of waves. */
static enum wt_status read_waves(struct wt_probe *p, struct wt_error *err)
{
    enum wt_status status = read_heads(p, err);
    uint32_t leader = WT_NO_HANDLE;
    size_t count = 0;
    wt_standstill_begin_list(p);
    p->found_count = 0;
    for (uint32_t i = 0; i < p->queues && !status; i++)
        if (p->queue[i].queue_type == QUEUE_TYPE_AQL)
            status = look_at_area(p, i, err);
    if (status || (status = add_records(p, p->found_count, &count, err)) ||
        (status = gcnp_transfer(p, count, false, err)))
        return status;
    for (size_t i = 0; i < p->found_count && !status; i++)
        status = take_record(p, p->found[i], &leader, err);
    return status ? status : write_back(p, err);
}

/* ---- suspending, resuming ---- */

/* Suspends or resumes all queues that are known; *done: so many were. */
static enum wt_status change_queues(struct wt_probe *p, uint32_t op, int *done,
                                    struct wt_error *err)
{
    struct kfd_debug_call call = {.op = op, .queue_count = p->queues};
    call.arg[0] = op == KFD_DEBUG_SUSPEND_QUEUES ? EVERY_EXCEPTION : 0;
    for (uint32_t i = 0; i < p->queues; i++)
        call.queue[i] = p->queue[i].queue_id;
    const enum wt_status status = gcnp_call(p, &call, err);
    *done = call.result;
    return status;
}

/* Waves that begin from now on are held, or run. */
static enum wt_status set_launch_mode(struct wt_probe *p, uint32_t mode, struct wt_error *err)
{
    struct kfd_debug_call call = {.op = KFD_DEBUG_SET_WAVE_LAUNCH_MODE, .arg = {mode}};
    const enum wt_status status = mode == p->launch_mode ? WT_OK : gcnp_call(p, &call, err);
    if (status == WT_OK)
        p->launch_mode = mode;
    return status;
}

/* The program may make another queue at any moment: its waves are held at their beginning, until
 * the next standstill lists it. That is not the one after a step, for which all waves that begin
 * are held, unless the program has destroyed a queue meanwhile. */
static enum wt_status suspend(struct wt_probe *p, struct wt_error *err)
{
    enum wt_status status = set_launch_mode(p, KFD_LAUNCH_HALT, err);
    int done = -1;
    if (!status && p->alone)
        status = change_queues(p, KFD_DEBUG_SUSPEND_QUEUES, &done, err);
    if (!status && done < (int)p->queues && (status = gcnp_list_queues(p, err)) == WT_OK)
        status = change_queues(p, KFD_DEBUG_SUSPEND_QUEUES, &done, err);
    if (status != WT_OK)
        return status;
    p->common.still = true;
    p->changes++;
    status = read_waves(p, err);
    return status ? status : gcnp_take_hits(p, err);
}

/* The record of a wave that is to be resumed, as the runtime's handler would leave it (ROCdbgapi,
 * wave_set_state). A wave that is merely held for a moment is halted without being stopped. */
static void prepare(const struct wt_probe *p, struct gcnp_row *row, bool moment)
{
    uint32_t status = row->hw[KFD_HW_STATUS], mode = row->hw[gcnp_mode(row)], ttmp6 = row->ttmp[6];
    uint32_t trapsts = row->hw[KFD_HW_TRAPSTS];
    const bool stopped = ttmp6 & KFD_TTMP6_STOPPED, halted = status & STATUS_HALT;
    /* Who has halted it, and it is to run: the program, if not the launch mode. */
    const bool own_halt = halted && row->common.run && !row->common.held;
    if (row->given_up)
        return;
    row->common.held = row->common.run && moment;
    if (row->common.run && !moment) {
        const bool own = stopped && ttmp6 & KFD_TTMP6_SAVED_HALT; /* by the program itself */
        status = own ? status | STATUS_HALT : status & ~(uint32_t)STATUS_HALT;
        ttmp6 &= KFD_TTMP6_PACKET;
        mode = row->common.step ? mode | MODE_DEBUG_EN : mode & ~(uint32_t)MODE_DEBUG_EN;
        mode = p->watches ? mode | MODE_WATCH : mode & ~(uint32_t)MODE_WATCH;
        /* They were reported. */
        trapsts &= ~(uint32_t)(TRAPSTS_ILLEGAL | TRAPSTS_MEM_VIOL | TRAPSTS_WATCH);
    } else {
        if (!stopped) {
            ttmp6 &= KFD_TTMP6_PACKET;
            ttmp6 |= KFD_TTMP6_STOPPED;
            ttmp6 |= own_halt ? KFD_TTMP6_SAVED_HALT : 0;
        }
        status |= STATUS_HALT;
        mode &= ~(uint32_t)MODE_DEBUG_EN;
    }
    if (status == row->hw[KFD_HW_STATUS] && mode == row->hw[gcnp_mode(row)] &&
        ttmp6 == row->ttmp[6] && trapsts == row->hw[KFD_HW_TRAPSTS])
        return;
    row->hw[KFD_HW_STATUS] = status;
    row->hw[gcnp_mode(row)] = mode;
    row->hw[KFD_HW_TRAPSTS] = trapsts;
    row->ttmp[6] = ttmp6;
    row->changed = true;
}

static enum wt_status resume(struct wt_probe *p, uint32_t only, struct wt_error *err)
{
    const uint32_t mode =
        p->common.hold || only != WT_NO_HANDLE ? KFD_LAUNCH_HALT : KFD_LAUNCH_NORMAL;
    enum wt_status status;
    int done;
    for (uint32_t i = 0; i < p->common.topology.waves; i++)
        if (gcnp_row(p, i)->common.present)
            prepare(p, gcnp_row(p, i), only != WT_NO_HANDLE && i != only);
    if ((status = write_back(p, err)) != WT_OK || (status = set_launch_mode(p, mode, err)) != WT_OK)
        return status;
    p->alone = only != WT_NO_HANDLE;
    return change_queues(p, KFD_DEBUG_RESUME_QUEUES, &done, err);
}

/* A wave that is resumed after an exception does what it would do without a debugger: it stays
 * halted, and the runtime is told, which ends the program (ROCdbgapi, amd_dbgapi_wave_resume). If
 * there is no runtime, it continues behind the instruction. A wave of which the debugger has yet to
 * hear stays where it is. */
static enum wt_status give_up(struct wt_probe *p, wt_wave_handle wave, bool step,
                              struct wt_error *err)
{
    struct gcnp_row *row = gcnp_row(p, wave);
    if (step)
        return WT_OK;
    const bool failed = row->common.cause == WT_HALT_EXCEPTION || row->aborts;
    const uint32_t code = gcnp_code_of(row);
    row->aborts = false;
    if (!p->common.link->host_launches || !failed || wt_standstill_has_news(p, wave))
        return WT_OK;
    struct kfd_debug_call call = {.op = KFD_DEBUG_SEND_RUNTIME_EVENT,
                                  .arg = {kfd_exception_bit(code)},
                                  .queue_count = 1,
                                  .queue = {p->queue[row->queue].queue_id}};
    row->given_up = true;
    const enum wt_status status = gcnp_call(p, &call, err);
    if (status || code != KFD_EC_QUEUE_WAVE_MEMORY_VIOLATION)
        return status;
    /* The runtime leaves exceptions of queues to the driver's report of the page fault. */
    call = (struct kfd_debug_call){.op = KFD_DEBUG_SEND_RUNTIME_EVENT,
                                   .arg = {kfd_exception_bit(KFD_EC_DEVICE_MEMORY_VIOLATION)},
                                   .device = row->common.wave.device};
    return gcnp_call(p, &call, err);
}

static void view(const struct wt_standstill_row *row, uint64_t *pc, wt_lanes *mask)
{
    *pc = gcnp_row_pc((const struct gcnp_row *)row);
    *mask = gcnp_row_exec((const struct gcnp_row *)row);
}

/* The driver keeps the launch mode when the program's side is reset. */
static enum wt_status reset(struct wt_probe *p, struct wt_error *err)
{
    p->launch_mode = UINT32_MAX;
    p->alone = false;
    const enum wt_status status = set_launch_mode(p, KFD_LAUNCH_HALT, err);
    return status ? status : wt_standstill_reset_program(p, err);
}

const struct wt_standstill_ops gcnp_standstill = {
    .settles = true, /* waves are changed in the save area */
    .stop = suspend,
    .go = resume,
    .view = view,
    .give_up = give_up,
    .exception = gcnp_describe_exception,
    .reset = reset,
    .read_rows = gcnp_read_rows,
    .write_row = gcnp_write_row,
};
