/* The debuggers' view of a warp: its registers, and memory as one of its lanes sees it. */
#include "emulator/machine/explain.h"
#include "emulator/sm/internal.h"
#include "emulator/sm/watch.h"

#include <string.h>

static struct sm_warp *warp_of(struct sm_device *d, uint32_t wave)
{
    return wave < d->machine.waves && d->warp[wave].active ? &d->warp[wave] : NULL;
}

static uint64_t user_pc(struct sm_warp *w)
{
    const struct sm_entry *entry = w->trapped ? sm_trap_entry(w) : NULL;
    const uint64_t pc = entry ? entry->pc : w->pc;
    return pc + (sm_is_control(pc) ? 8 : 0);
}

static uint32_t user_mask(struct sm_warp *w)
{
    const struct sm_entry *entry = w->trapped ? sm_trap_entry(w) : NULL;
    return entry ? entry->mask & w->live : w->mask;
}

/* The row of a lane's frame of PTX: lanes that wait elsewhere may be in another one than those of
 * @p mask. */
static uint32_t frame_of(const struct sm_warp *w, uint32_t mask, unsigned lane)
{
    for (uint32_t i = w->depth; i-- > 0 && !(mask >> lane & 1);)
        if (w->stack[i].kind == SM_ENTRY_PATH && w->stack[i].mask >> lane & 1)
            return w->stack[i].base;
    return w->base;
}

static bool read_frames(struct sm_device *d, uint32_t wave, unsigned number, uint8_t *out)
{
    struct sm_warp *w = warp_of(d, wave);
    const unsigned size = number == SM_REGISTER_RETURN ? 8 : 4;
    const uint32_t mask = user_mask(w);
    bool good = w->rows > 0;
    for (unsigned lane = 0; lane < SM_LANES && good; lane++, out += size) {
        const uint32_t base = frame_of(w, mask, lane);
        const uint64_t at = (uint64_t)base * sizeof *w->r;
        if (number == SM_REGISTER_FRAME)
            wt_store_le(out, base, 4);
        else
            good = sm_read_file(d, wave,
                                number == SM_REGISTER_RETURN   ? at
                                : number == SM_REGISTER_CALLER ? at + 8
                                                               : at + sizeof *w->r + 4 * lane,
                                out, size);
    }
    return good;
}

bool sm_describe_register(struct wt_machine *m, unsigned number, struct wt_register_shape *reg)
{
    *reg = (struct wt_register_shape){.bytes = 4};
    reg->per_lane = number < SM_RZ || (number >= SM_REGISTER_FRAME && number <= SM_REGISTER_LOCAL);
    if (number == SM_REGISTER_PC || number == SM_REGISTER_ESR_PC || number == SM_REGISTER_USER_PC ||
        number == SM_REGISTER_RETURN)
        reg->bytes = 8;
    return number < SM_RZ || number - SM_REGISTER_P0 < 7 || number - SM_REGISTER_CC_Z < 4 ||
           (number >= SM_REGISTER_PC && number <= SM_REGISTER_LOCAL);
}

/* A predicate, or a flag of the condition code: a mask of lanes; NULL: it is neither. */
static uint32_t *lane_mask(struct sm_warp *w, unsigned number)
{
    uint32_t *const flags[] = {&w->z, &w->s, &w->carry, &w->o};
    return number - SM_REGISTER_P0 < 7     ? &w->p[number - SM_REGISTER_P0]
           : number - SM_REGISTER_CC_Z < 4 ? flags[number - SM_REGISTER_CC_Z]
                                           : NULL;
}

/* A register of the whole warp. */
static uint64_t special(struct sm_warp *w, unsigned number)
{
    switch (number) {
    case SM_REGISTER_PC:
        return w->pc;
    case SM_REGISTER_ACTIVE:
        return w->mask;
    case SM_REGISTER_WARP_ESR:
        return w->esr;
    case SM_REGISTER_ESR_PC:
        return w->esr_pc;
    case SM_REGISTER_TRAPPED:
        return w->trapped;
    case SM_REGISTER_USER_PC:
        return user_pc(w);
    case SM_REGISTER_USER_MASK:
        return user_mask(w);
    default:
        return *lane_mask(w, number);
    }
}

bool sm_read_row(struct wt_machine *m, uint32_t wave, unsigned number, void *out)
{
    struct sm_device *d = (struct sm_device *)m;
    struct sm_warp *w = warp_of(d, wave);
    struct wt_register_shape shape;
    if (!w || !sm_describe_register(m, number, &shape))
        return false;
    if (number >= SM_REGISTER_FRAME)
        return read_frames(d, wave, number, out);
    if (!shape.per_lane)
        wt_store_le(out, special(w, number), shape.bytes);
    else if (number < d->grid.launch.registers)
        memcpy(out, w->r[number], sizeof *w->r);
    return !shape.per_lane || number < d->grid.launch.registers;
}

bool sm_read_file(struct sm_device *d, uint32_t warp, uint64_t offset, void *out, size_t size)
{
    const struct sm_warp *w = warp_of(d, warp);
    const uint64_t room = w ? (uint64_t)sm_rows_of(w) * sizeof *w->r : 0;
    if (offset >= room || size > room - offset)
        return false;
    memcpy(out, (const uint8_t *)w->r + offset, size);
    return true;
}

struct wt_fault *sm_wave_fault(struct wt_machine *m, uint32_t warp)
{
    struct sm_warp *w = &((struct sm_device *)m)->warp[warp];
    return w->active && w->error.kind ? &w->error : NULL;
}

bool sm_warp_state(struct sm_device *d, uint32_t warp, struct sm_warp_state *state)
{
    struct sm_warp *w = warp_of(d, warp);
    if (!w)
        return false;
    *state = (struct sm_warp_state){.incarnation = w->incarnation,
                                    .index = w->index,
                                    .pc = user_pc(w),
                                    .active = user_mask(w),
                                    .in_handler = w->trapped,
                                    .steps = w->step,
                                    .error = w->error};
    memcpy(state->cta, w->cta->coordinate, sizeof state->cta);
    return true;
}

bool sm_warp_local(struct sm_device *d, uint32_t warp, unsigned lane, uint64_t *addr,
                   uint32_t *size)
{
    const struct sm_warp *w = warp_of(d, warp);
    if (!w || lane >= SM_LANES)
        return false;
    *size = (d->grid.launch.local + 7) / 8 * 8;
    *addr = w->local + (uint64_t)lane * *size;
    return true;
}

/* The program's PC; a warp that waits at a barrier waits there no longer. */
static bool set_pc(struct sm_warp *w, uint64_t pc)
{
    struct sm_entry *entry = w->trapped ? sm_trap_entry(w) : NULL;
    if (pc % 8 || pc >> WT_MEMORY_ADDRESS_BITS || sm_is_control(pc))
        return false;
    if (entry) {
        entry->pc = pc;
        return true;
    }
    sm_leave_barrier(w);
    w->pc = pc;
    sm_update_ready(w);
    return true;
}

bool sm_write_row(struct sm_device *d, uint32_t warp, unsigned number, uint32_t lanes,
                  const void *row)
{
    struct sm_warp *w = warp_of(d, warp);
    const uint8_t *bytes = row;
    if (!w)
        return false;
    if (number < SM_RZ && number < d->grid.launch.registers) {
        w->clean = false;
        for (uint32_t left = lanes; left; left &= left - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(left);
            w->r[number][lane] = (uint32_t)wt_load_le(bytes + 4 * lane, 4);
        }
        return true;
    }
    const uint32_t value = (uint32_t)wt_load_le(bytes, 4);
    if (lane_mask(w, number)) {
        *lane_mask(w, number) = value;
        return true;
    }
    if (number == SM_REGISTER_WARP_ESR) {
        w->esr = value & (SM_WESR_ERROR | SM_WESR_TRAP);
        return true;
    }
    return number == SM_REGISTER_USER_PC && set_pc(w, wt_load_le(bytes, 8));
}

/* ---- memory as a lane sees it ---- */

/* In shared memory of the warp's CTA, or in memory: global, or a lane's local memory. */
static bool find_piece(struct wt_machine *m, uint32_t wave, unsigned lane, uint64_t addr,
                       struct wt_mapped_piece *piece)
{
    struct sm_device *d = (struct sm_device *)m;
    const struct sm_warp *w = warp_of(d, wave);
    const struct sm_launch *l = &d->grid.launch;
    uint64_t room, offset = addr - SM_SHARED_WINDOW;
    if (w && offset < SM_WINDOW_BYTES) {
        room = offset < l->shared ? l->shared - offset : 0;
        piece->host = w->cta->local + offset;
    } else if (w && (offset = addr - SM_LOCAL_WINDOW) < SM_WINDOW_BYTES) {
        const uint32_t local = (l->local + 7) / 8 * 8;
        room = lane < SM_LANES && offset < local ? local - offset : 0;
        piece->addr = w->local + (uint64_t)lane * local + offset;
        piece->step = local;
    } else {
        const uint64_t end = (uint64_t)1 << WT_MEMORY_ADDRESS_BITS;
        room = addr < SM_SHARED_WINDOW ? SM_SHARED_WINDOW - addr : addr < end ? end - addr : 0;
    }
    if (piece->size > room)
        piece->size = (size_t)room;
    return room > 0 && (piece->host || sm_mapped(d, piece->addr, piece->size, false));
}

static const uint64_t bounds[] = {SM_SHARED_WINDOW, SM_LOCAL_WINDOW,
                                  SM_LOCAL_WINDOW + SM_WINDOW_BYTES};

const struct wt_address_map sm_address_map = {.piece = find_piece,
                                              .bound = bounds,
                                              .bounds = sizeof bounds / sizeof bounds[0],
                                              .watch = sm_watch_part};

/* ---- where an address leads ---- */

bool sm_explain(struct wt_machine *m, uint32_t wave, unsigned lane, uint64_t addr,
                struct wt_explanation *e)
{
    struct sm_device *d = (struct sm_device *)m;
    const struct sm_warp *w = warp_of(d, wave);
    const struct sm_launch *l = &d->grid.launch;
    uint8_t bytes[4];
    *e = (struct wt_explanation){.space = "global", .where = "memory", .landing = addr};
    if (!w || lane >= SM_LANES)
        return false;
    if (addr - SM_SHARED_WINDOW < SM_WINDOW_BYTES) {
        const uint64_t offset = addr - SM_SHARED_WINDOW;
        e->space = "shared";
        e->where = "shared memory of the block";
        e->has_aperture = true;
        e->first = SM_SHARED_WINDOW;
        wt_explanation_add(e, false, "bytes of shared memory that the block has", l->shared);
        wt_explanation_add(e, true, "address - SR_SWINLO", offset);
        e->landing = offset;
        e->usable = offset + 4 <= l->shared;
        if (e->usable)
            e->contents = wt_load_le(w->cta->local + offset, 4);
    } else {
        uint64_t local = (l->local + 7) / 8 * 8, offset = addr - SM_LOCAL_WINDOW;
        const bool is_local = offset < SM_WINDOW_BYTES;
        if (is_local) {
            e->space = "local";
            e->where = "memory (local)";
            e->has_aperture = true;
            e->first = SM_LOCAL_WINDOW;
            wt_explanation_add(e, false, "bytes of local memory that a thread has", l->local);
            wt_explanation_add(e, true, "local memory of the warp (GETLMEMBASE * 256)", w->local);
            wt_explanation_add(e, true, "lane * bytes of a thread", lane * local);
            wt_explanation_add(e, true, "address - SR_LWINLO", offset);
            e->landing = w->local + lane * local + offset;
        } else {
            wt_explanation_add(e, true, "the address itself", addr);
        }
        e->usable = (!is_local || offset + 4 <= local) && sm_mapped(d, e->landing, 4, false) &&
                    sm_device_read(d, e->landing, bytes, sizeof bytes);
        if (e->usable)
            e->contents = wt_load_le(bytes, 4);
    }
    e->last = e->first + SM_WINDOW_BYTES - 1;
    return true;
}
