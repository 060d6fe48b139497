/* Loads and stores of an instruction. See init_state.h. */
#include "base/array.h"
#include "check/init_state.h"
#include "check/rows.h"
#include "emulator/machine/groups.h"

/* The operand that has byte @p at of what is moved; *within becomes the byte of it. NULL: none
 * does. */
static const struct wt_insn_operand *data_at(const struct wt_check_init *c, bool writes,
                                             unsigned at, unsigned *within)
{
    const struct init_insn *insn = c->pending.insn;
    for (unsigned i = 0; i < insn->count; i++) {
        const struct wt_insn_operand *o = &insn->list[i];
        if (!init_is_register(o) || o->aside || (writes ? !o->writes : !o->reads))
            continue;
        if (insn->head.element) {
            if (at - (unsigned)o->value >= insn->head.element)
                continue;
            *within = at - (unsigned)o->value;
            return o;
        }
        const unsigned bytes = init_bits_of(c, o) / 8;
        if (bytes >= INIT_MOST_BYTES)
            return NULL; /* rows of all lanes, in an order of their own */
        if (at < bytes) {
            *within = at;
            return o;
        }
        at -= bytes;
    }
    return NULL;
}

/* The bits of byte @p at of a texel that an operand has: of a field, or of a whole element. */
static uint8_t bits_of_byte(const struct init_insn *insn, const struct wt_insn_operand *o,
                            unsigned at)
{
    if (o->value >> 16 == 0)
        return at - (unsigned)o->value < insn->head.element ? UINT8_MAX : 0;
    const unsigned first = (unsigned)o->value & 0xffff, end = first + ((unsigned)o->value >> 16),
                   low = first > 8 * at ? first - 8 * at : 0,
                   high = end > 8 * at ? end - 8 * at : 0;
    return low >= 8 || high <= low
               ? 0
               : (uint8_t)((0xffu << low) & (high < 8 ? (1u << high) - 1 : 0xff));
}

/* Elements in another form, of which a lane has loaded some bytes: each is a copy as a whole. */
static void put_converted(struct wt_check_init *c, unsigned lane, unsigned at,
                          const struct init_byte *byte, unsigned size)
{
    for (unsigned k = 0; k < c->pending.insn->count; k++) {
        const struct wt_insn_operand *o = &c->pending.insn->list[k];
        struct init_byte bad = {0};
        if (!init_is_result(o))
            continue;
        for (unsigned i = 0; i < size; i++)
            if (byte[i].undefined & bits_of_byte(c->pending.insn, o, at + i)) {
                bad.origin = bad.undefined ? bad.origin : byte[i].origin;
                bad.undefined = UINT8_MAX;
                bad.computed |= byte[i].computed;
            }
        if (bad.undefined)
            init_put_result(c, o, lane,
                            (struct wt_defined){0, UINT64_MAX, bad.computed ? UINT64_MAX : 0},
                            bad.origin);
    }
}

/* Bytes that a lane has loaded, from byte @p at of its data on. */
static void put_loaded(struct wt_check_init *c, unsigned lane, unsigned at,
                       const struct init_byte *byte, unsigned size, bool converted)
{
    const enum wt_operation operation = (enum wt_operation)c->pending.insn->head.operation;
    const struct wt_insn_operand *o = NULL;
    unsigned within;
    if (init_converts(c->pending.insn)) {
        put_converted(c, lane, at, byte, size);
        return;
    }
    const bool is_signed = operation == WT_DOES_LOAD_SIGNED ||
                           ((operation == WT_DOES_EXCHANGE || operation == WT_DOES_ATOMIC) &&
                            (o = data_at(c, true, at, &within)) && o->type == WT_OPERAND_SIGNED);
    for (unsigned i = 0; i < size; i++) {
        if (byte[i].undefined && (o = data_at(c, true, at + i, &within)))
            init_put(c, init_part_of(c, o, lane, 8 * within, 8),
                     (struct wt_defined){0, byte[i].undefined, byte[i].computed}, byte[i].origin);
    }
    /* A sign that fills the rest of the register. */
    const unsigned each = c->pending.insn->head.element ? c->pending.insn->head.element : size;
    for (unsigned last = each - 1; is_signed && last < size; last += each) {
        const struct init_byte *b = &byte[last];
        if (!(b->undefined & 0x80) || !(o = data_at(c, true, at + last, &within)))
            continue;
        const unsigned bits = init_bits_of(c, o), from = 8 * (within + 1);
        if (bits > from)
            init_put(c, init_part_of(c, o, lane, from, bits - from),
                     (struct wt_defined){0, UINT64_MAX, b->computed & 0x80 ? UINT64_MAX : 0},
                     b->origin);
    }
    for (unsigned i = 0; converted && i < size; i++) {
        if (!byte[i].undefined)
            continue;
        const struct wt_defined all = {0, UINT64_MAX, UINT64_MAX};
        for (unsigned k = 0; k < c->pending.insn->count; k++)
            if (init_is_result(&c->pending.insn->list[k]))
                init_put_result(c, &c->pending.insn->list[k], lane, all,
                                init_computed_of(c, byte[i].origin, wt_lane_bit(lane)));
        return;
    }
}

/* The part of registers in a byte of a texel: all bits of a component may depend on
 * each of its register. */
static struct init_byte fetch_converted(struct wt_check_init *c, const struct init_wave *w,
                                        unsigned lane, unsigned at)
{
    const struct init_insn *insn = c->pending.insn;
    struct init_byte bad = {0};
    for (unsigned k = 0; k < insn->count; k++) {
        const struct wt_insn_operand *o = &insn->list[k];
        uint32_t origin = 0;
        if (!init_is_register(o) || o->aside || !o->reads)
            continue;
        const uint8_t bits = bits_of_byte(insn, o, at);
        const struct wt_defined is = init_fetch(
            c, w, c->pending.wave, init_part_of(c, o, lane, 0, init_bits_of(c, o)), &origin);
        if (is.undefined && bits)
            bad = (struct init_byte){bad.undefined | bits, bad.computed | (is.computed ? bits : 0),
                                     bad.origin ? bad.origin : origin};
    }
    return bad;
}

/* Bytes that a lane stores. */
static void fetch_stored(struct wt_check_init *c, const struct init_wave *w, unsigned lane,
                         unsigned at, struct init_byte *byte, unsigned size)
{
    const bool converts = init_converts(c->pending.insn);
    for (unsigned i = 0; i < size; i++) {
        unsigned within;
        uint32_t origin = 0;
        const struct wt_insn_operand *o = converts ? NULL : data_at(c, false, at + i, &within);
        byte[i] = converts ? fetch_converted(c, w, lane, at + i) : (struct init_byte){0};
        if (!o || o->kind == WT_OPERAND_CONSTANT)
            continue;
        const struct wt_defined is =
            init_fetch(c, w, c->pending.wave, init_part_of(c, o, lane, 8 * within, 8), &origin);
        byte[i] = (struct init_byte){(uint8_t)is.undefined, (uint8_t)is.computed, origin};
    }
}

static struct init_space *space_of(struct wt_check_init *c, struct init_wave *w,
                                   const struct wt_observed *a)
{
    if (a->space == WT_OBSERVED_GLOBAL)
        return c->global;
    if (a->space == WT_OBSERVED_PRIVATE)
        return &w->own;
    if (a->space != WT_OBSERVED_GROUP || a->home == WT_HOME_NOW)
        return NULL;
    if (c->last_group && c->last_home == a->home)
        return c->last_group;
    uint64_t *there = wt_map_add(&c->groups, a->home + 1);
    struct init_space *s = there ? (struct init_space *)(uintptr_t)*there : NULL;
    if (there && !s && (s = calloc(1, sizeof *s))) {
        s->origin = INIT_OF_GROUP;
        *there = (uint64_t)(uintptr_t)s;
    }
    c->last_home = a->home;
    return c->last_group = s;
}

enum { DWORD = 4, PAGE = 4096, GROUP_WINDOW = 1 << 24 };

uint64_t init_place(const struct init_space *s, enum wt_observed_space space, unsigned lane,
                    uint64_t addr)
{
    return space == WT_OBSERVED_PRIVATE ? (addr / DWORD * s->lanes + lane) * DWORD + addr % DWORD
           : space == WT_OBSERVED_GROUP ? addr % GROUP_WINDOW
                                        : addr;
}

/* Where the shadow has byte @p at of a lane's access. */
static uint64_t shadow_of(const struct init_space *s, const struct wt_observed *a, unsigned lane,
                          unsigned at)
{
    return init_place(s, a->space, lane, a->at[lane] + at);
}

/* How many bytes of the access, from byte @p at on, lie side by side in the shadow. */
static unsigned room_at(const struct wt_observed *a, unsigned lane, unsigned at)
{
    const unsigned rest = a->size - at, room = DWORD - (unsigned)((a->at[lane] + at) % DWORD);
    return a->space != WT_OBSERVED_PRIVATE || rest < room ? rest : room;
}

static bool is_lane_defined(struct init_space *s, const struct wt_observed *a, unsigned lane)
{
    for (unsigned at = 0; at < a->size; at += room_at(a, lane, at))
        if (!init_is_defined(s, shadow_of(s, a, lane, at), room_at(a, lane, at)))
            return false;
    return true;
}

static void load_lane(struct init_space *s, const struct wt_observed *a, unsigned lane,
                      struct init_byte *byte)
{
    for (unsigned at = 0; at < a->size; at += room_at(a, lane, at))
        init_load(s, shadow_of(s, a, lane, at), room_at(a, lane, at), byte + at);
}

static void store_lane(struct init_space *s, const struct wt_observed *a, unsigned lane,
                       const struct init_byte *byte)
{
    for (unsigned at = 0; at < a->size; at += room_at(a, lane, at))
        init_store(s, shadow_of(s, a, lane, at), room_at(a, lane, at), byte + at);
}

static void define_lane(struct init_space *s, const struct wt_observed *a, unsigned lane)
{
    for (unsigned at = 0; at < a->size; at += room_at(a, lane, at))
        init_define(s, shadow_of(s, a, lane, at), room_at(a, lane, at));
}

/* Whether the lanes access bytes one behind the other in the shadow. */
static bool is_contiguous(const struct init_space *s, const struct wt_observed *a, uint64_t *addr,
                          uint64_t *size)
{
    unsigned first, count;
    const bool own = a->space == WT_OBSERVED_PRIVATE;
    if (!wt_is_row(a, own ? 0 : a->size, &first, &count) ||
        (own && (a->size != DWORD || a->at[first] % DWORD)))
        return false;
    *addr = shadow_of(s, a, first, 0);
    *size = (uint64_t)count * a->size;
    return true;
}

/* Whether the bits that the addresses of all lanes have, and those that any has, say that nothing
 * is undefined between them. */
static bool are_never_undefined(const struct init_space *s, const struct wt_observed *a)
{
    unsigned first, count;
    uint64_t all = UINT64_MAX, any = 0;
    if (a->space != WT_OBSERVED_GLOBAL)
        return false;
    if (wt_are_neighbours(a->lanes, &first, &count))
        for (unsigned i = first; i < first + count; i++) {
            all &= a->at[i];
            any |= a->at[i];
        }
    else
        WT_EACH_LANE(lane, a->lanes)
        {
            all &= a->at[lane];
            any |= a->at[lane];
        }
    return init_is_never_undefined(s, all, any + a->size - 1);
}

/* The first and the last byte of all lanes. */
static void extent_of(const struct wt_observed *a, uint64_t *low, uint64_t *high)
{
    const struct wt_extent e = wt_extent_of(a->lanes, a->at);
    *low = e.low;
    *high = e.high + a->size - 1;
}

/* Whether all that the lanes access is known to be defined at once. */
static bool are_pages_defined(struct init_space *s, const struct wt_observed *a,
                              const struct wt_extent *e)
{
    uint64_t first = e->low, last = e->high + a->size - 1;
    if (a->space == WT_OBSERVED_PRIVATE)
        return false;
    if (a->space == WT_OBSERVED_GROUP) {
        first %= GROUP_WINDOW;
        last %= GROUP_WINDOW;
    }
    return first <= last && init_are_pages_defined(s, first, last);
}

/* Whether all that lanes access, which are no row, is defined. */
static bool are_defined_by_lane(struct init_space *s, const struct wt_observed *a)
{
    if (are_never_undefined(s, a))
        return true;
    const struct wt_extent e = wt_extent_of(a->lanes, a->at);
    if (are_pages_defined(s, a, &e))
        return true;
    const bool aligned = e.any % DWORD == 0;
    if (a->size == DWORD && aligned && a->space == WT_OBSERVED_GLOBAL) {
        WT_EACH_LANE(lane, a->lanes)
        {
            if (!init_is_dword_defined(s, a->at[lane]))
                return false;
        }
        return true;
    }
    if (a->size == DWORD && aligned) {
        bool defined = true;
        for (wt_lanes left = a->lanes; defined && left; left &= left - 1)
            defined = init_is_dword_defined(s, shadow_of(s, a, wt_lanes_lowest(left), 0));
        return defined;
    }
    for (wt_lanes left = a->lanes; left; left &= left - 1)
        if (!is_lane_defined(s, a, wt_lanes_lowest(left)))
            return false;
    return true;
}

static bool are_defined(struct init_space *s, const struct wt_observed *a)
{
    uint64_t first, size;
    if (!is_contiguous(s, a, &first, &size))
        return are_defined_by_lane(s, a);
    return init_is_never_undefined(s, first, first + size - 1) || init_is_defined(s, first, size);
}

/* Bytes that the load was widened by, outside of the object. */
static void undefine_beyond(struct wt_check_init *c, const struct wt_observed *a, unsigned lane,
                            struct init_byte *byte)
{
    struct wt_object object;
    struct wt_good good;
    const uint64_t at = a->at[lane];
    if (wt_objects_judge(c->space, at, a->size, false, &object, &good) != WT_PARTLY ||
        wt_functions_are_of_runtime(c->space, a->pc, a->pc, false)) /* the word of an atomic byte */
        return;
    struct init_origin o = {.kind = WT_ORIGIN_BEYOND, .object = object, .load = a->pc};
    const uint32_t origin = init_new_origin(&o);
    for (unsigned i = 0; i < a->size; i++)
        if (at + i < object.addr || at + i - object.addr >= object.size)
            byte[i] = (struct init_byte){0xff, 0, origin};
}

/* Whether some lane's load may be partly outside of its object. */
static bool may_leave(struct wt_check_init *c, const struct wt_observed *a)
{
    enum { ELEMENT = 4 };
    struct wt_object object;
    uint64_t low, high;
    if (a->space != WT_OBSERVED_GLOBAL || a->size <= ELEMENT || a->kind != WT_WATCH_READ)
        return false;
    extent_of(a, &low, &high);
    if (c->good.state == wt_objects_state() && low >= c->good.first && high <= c->good.last)
        return false;
    if (high - low >= INT32_MAX)
        return true;
    struct wt_good good;
    if (wt_objects_judge(c->space, low, high - low + 1, false, &object, &good) != WT_GOOD)
        return true;
    c->good = good;
    return false;
}

static bool find_object(const struct wt_check_init *c, uint64_t addr, struct wt_object *object)
{
    return wt_object_find(c->space, addr, object, NULL, NULL) && !object->freed;
}

/* Host memory is about to have undefined bytes. The page of a range that was noted last may go on
 * it. Without host memory nothing is noted. */
static void note_range(struct wt_check_init *c, struct init_range range)
{
    struct init_range *last = c->shares ? &c->shared[c->shares - 1] : NULL;
    if (last && last->addr + last->size == range.addr) {
        last->size += range.size;
        return;
    }
    struct init_range *grown =
        wt_array_grow(c->shared, &c->share_room, c->shares + 1, sizeof *grown);
    if (!grown)
        return;
    c->shared = grown;
    grown[c->shares++] = range;
}

static void note_visible(struct wt_check_init *c, uint64_t addr, unsigned size)
{
    enum { AT_FIRST = 64 };
    struct wt_object object;
    size_t room = c->visible_room ? c->visible_room : AT_FIRST;
    const bool found = find_object(c, addr, &object), driver = c->space && c->space != c->machine;
    /* A program without a host leaves its variables; what else a driver has is its runtime's, which
     * copies it for commands. */
    if (found ? init_is_hidden(&object) : !c->copies && (!c->machine->groups.ops || driver))
        return;
    struct init_range *const last = c->visibles ? &c->visible[c->visibles - 1] : NULL;
    if (last && addr - last->addr <= last->size) {
        const uint64_t end = addr + size - last->addr;
        last->size = end > last->size ? end : last->size;
        return;
    }
    /* A loop may store to the same places again and again. */
    if (c->visibles && c->visibles == c->visible_room) {
        c->visibles = init_ranges_merge(c->visible, c->visibles);
        room = c->visibles > c->visible_room / 2 ? 2 * c->visible_room : c->visible_room;
    }
    struct init_range *grown = wt_array_grow(c->visible, &c->visible_room, room, sizeof *grown);
    if (!grown)
        return;
    c->visible = grown;
    grown[c->visibles++] = (struct init_range){addr, size};
}

/* Undefined bytes are stored at @p addr. */
static void note_shared(struct wt_check_init *c, uint64_t addr)
{
    struct wt_object object;
    const uint64_t state = wt_objects_state();
    if (c->hidden_state == state && addr - c->hidden.addr < c->hidden.size)
        return;
    for (size_t i = 0; i < c->shares; i++)
        if (addr - c->shared[i].addr < c->shared[i].size)
            return;
    if (!find_object(c, addr, &object)) {
        if (c->copies)
            note_range(c, (struct init_range){addr & ~(uint64_t)(PAGE - 1), PAGE});
        return;
    }
    const struct init_range range = {object.addr, object.size};
    if (init_is_hidden(&object)) {
        c->hidden = range;
        c->hidden_state = state;
        return;
    }
    note_range(c, range);
}

void init_define_shared(struct wt_check_init *c)
{
    for (size_t i = 0; i < c->shares; i++)
        init_define(c->global, c->shared[i].addr, c->shared[i].size);
    c->shares = 0;
}

/* Whether a load brings back a register that nothing has written, from where it was saved: a
 * function does so with those that its caller may use. */
static bool is_spill(const struct wt_observed *a, uint32_t origin)
{
    return a->space == WT_OBSERVED_PRIVATE && init_origin_of(origin)->kind == WT_ORIGIN_REGISTER;
}

static uint64_t value_of(const struct wt_check_init *c, const struct init_wave *w,
                         const struct wt_insn_operand *o, unsigned lane)
{
    const unsigned bits = o->kind == WT_OPERAND_CONSTANT ? 64 : init_bits_of(c, o);
    uint32_t origin = 0;
    const struct wt_defined is = init_fetch(
        c, w, c->pending.wave, init_part_of(c, o, lane, 0, bits < 64 ? bits : 64), &origin);
    return is.value | is.undefined;
}

/* The result that a register has which also had the operand: that is not known any more. NULL:
 * there is none. */
static const struct wt_insn_operand *result_over(const struct init_insn *insn,
                                                 const struct wt_insn_operand *data)
{
    for (unsigned i = 0; i < insn->count; i++) {
        const struct wt_insn_operand *o = &insn->list[i];
        if (init_is_result(o) && o->kind == data->kind && o->file == data->file &&
            o->number == data->number)
            return o;
    }
    return NULL;
}

/* Whether memory has what a lane's result says was there before. */
static bool is_as_before(const struct wt_check_init *c, const struct init_wave *w,
                         const struct wt_observed *a, const struct wt_insn_operand *result,
                         unsigned lane)
{
    uint64_t now = 0;
    return a->size <= sizeof now &&
           c->machine->ops->read_memory(c->machine, a->wave, lane, a->at[lane], &now, a->size) &&
           now == value_of(c, w, result, lane);
}

/* Whether an atomic operation leaves what is there as it is: it adds 0, for all lanes, as an atomic
 * load is written. */
static bool adds_nothing(const struct wt_check_init *c, const struct init_wave *w,
                         const struct wt_observed *a)
{
    const struct init_insn *insn = c->pending.insn;
    if (a->kind != WT_WATCH_ACCESS || insn->head.operation != WT_DOES_ATOMIC ||
        insn->head.then != WT_DOES_ADD)
        return false;
    for (unsigned i = 0; i < insn->count; i++) {
        const struct wt_insn_operand *o = &insn->list[i];
        const bool data = o->reads && !o->aside && !o->guards && o->kind <= WT_OPERAND_CONSTANT;
        const struct wt_insn_operand *result = data ? result_over(insn, o) : NULL;
        for (wt_lanes left = data ? a->lanes : 0; left; left &= left - 1) {
            const unsigned lane = wt_lanes_lowest(left);
            if (result ? !is_as_before(c, w, a, result, lane) : value_of(c, w, o, lane) != 0)
                return false;
        }
    }
    return true;
}

static void load(struct wt_check_init *c, struct init_space *s, const struct wt_observed *a,
                 const struct init_pending *p, bool copies)
{
    const enum wt_operation operation = (enum wt_operation)p->insn->head.operation;
    const bool beyond = may_leave(c, a),
               decides = a->kind == WT_WATCH_ACCESS && operation != WT_DOES_EXCHANGE && !copies;
    wt_lanes bad = 0;
    uint32_t origin = 0;
    /* A conditional store takes nothing from memory. */
    if (operation == WT_DOES_STORE || operation == WT_DOES_UNTOLD || (!beyond && are_defined(s, a)))
        return;
    if (a->space == WT_OBSERVED_GLOBAL && a->kind == WT_WATCH_READ) {
        uint64_t low, high;
        extent_of(a, &low, &high);
        init_untouched_loaded(c->space, low, high);
    }
    for (wt_lanes left = a->lanes; left; left &= left - 1) {
        const unsigned lane = wt_lanes_lowest(left);
        struct init_byte byte[INIT_MOST_BYTES];
        bool any = false;
        load_lane(s, a, lane, byte);
        if (beyond)
            undefine_beyond(c, a, lane, byte);
        for (unsigned i = 0; i < a->size; i++)
            if (byte[i].undefined) {
                any = true;
                origin = origin ? origin : byte[i].origin;
            }
        if (!any)
            continue;
        bad |= wt_lane_bit(lane);
        if (decides)
            define_lane(s, a, lane);
        else {
            init_unlock();
            put_loaded(c, lane, p->moved + p->more[lane], byte, a->size,
                       operation == WT_DOES_OTHER || operation > WT_DOES_ATOMIC);
            init_lock();
        }
    }
    if (bad && decides)
        init_report_loaded(c, WT_FOUND_UNDEFINED_ATOMIC, bad, origin, "the value in memory", a);
    else if (bad && c->level >= WT_INIT_LOAD && !is_spill(a, origin))
        init_report_loaded(c, WT_FOUND_UNDEFINED_LOAD, bad, origin, "what is loaded", a);
}

static void store(struct wt_check_init *c, struct init_wave *w, struct init_space *s,
                  const struct wt_observed *a)
{
    uint64_t first, size;
    const bool plain = !c->pending.slow || c->pending.insn->head.operation == WT_DOES_UNTOLD;
    if (plain && is_contiguous(s, a, &first, &size)) {
        if (!init_is_never_undefined(s, first, first + size - 1))
            init_define(s, first, size);
        return;
    }
    if (plain && are_defined_by_lane(s, a))
        return;
    for (wt_lanes left = a->lanes; left; left &= left - 1) {
        const unsigned lane = wt_lanes_lowest(left);
        struct init_byte byte[INIT_MOST_BYTES];
        bool seen = false, undefined = false;
        if (plain) {
            define_lane(s, a, lane);
            continue;
        }
        fetch_stored(c, w, lane, c->pending.moved + c->pending.more[lane], byte, a->size);
        store_lane(s, a, lane, byte);
        for (unsigned i = 0; i < a->size; i++) {
            seen |= c->level >= WT_INIT_COPY ? byte[i].undefined : byte[i].computed;
            undefined |= byte[i].undefined != 0;
        }
        if (undefined && a->space == WT_OBSERVED_GLOBAL)
            note_shared(c, a->at[lane]);
        if (seen && a->space == WT_OBSERVED_GLOBAL)
            note_visible(c, a->at[lane], a->size);
    }
}

/* Most instructions have one access: what it has moved is counted before the next one. */
static void count_moved(struct init_pending *p)
{
    if (p->last == p->enabled) {
        p->moved += p->last_size;
        return;
    }
    for (wt_lanes left = p->last; left; left &= left - 1)
        p->more[wt_lanes_lowest(left)] = (uint8_t)(p->more[wt_lanes_lowest(left)] + p->last_size);
    p->any_more = true;
}

void init_access(struct wt_check_init *c, struct init_wave *w, const struct wt_observed *a)
{
    struct init_pending *p = &c->pending;
    if (p->last)
        count_moved(p);
    init_lock();
    struct init_space *s = space_of(c, w, a);
    if (s)
        s->past = c->past.kept ? &c->past : NULL;
    const bool copies = s && adds_nothing(c, w, a);
    if (s && a->kind != WT_WATCH_WRITE)
        load(c, s, a, p, copies);
    if (s && a->kind != WT_WATCH_READ && !copies)
        store(c, w, s, a);
    if (s)
        s->past = NULL;
    init_unlock();
    p->last = a->lanes;
    p->last_size = a->size;
}
