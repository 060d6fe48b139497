/* Registers and addresses of frames: by call frame information, or by the instructions of
 * functions. See frames_internal.h. */
#include "debug/source/frames_internal.h"

#include <dwarf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "debug/source/attributes.h"
#include "debug/source/symbols.h"

enum { MOST_NESTED = 200 }; /* frames whose registers are followed in lanes other than the own */

/* ---- registers of frames ---- */

static int role_index(const struct wt_topology *t, enum wt_register_role role)
{
    for (size_t i = 0; i < t->register_count; i++)
        if (t->registers[i].role == role)
            return (int)i;
    return -1;
}

static struct wt_operand current_register(struct wt_build *b, unsigned index)
{
    const struct wt_register *r = &b->topology->registers[index];
    return (struct wt_operand){.piece_count = 1,
                               .piece = {{.kind = WT_PIECE_CELL,
                                          .vector = wt_expr_register(b->expr, index),
                                          .reg = (int)index,
                                          .size = wt_register_size(r)}}};
}

static enum wt_status not_saved(const struct wt_build *b, unsigned index, struct wt_error *err)
{
    return wt_fail(err, WT_UNSUPPORTED,
                   "value has been optimized out: register %s of this frame "
                   "is not saved",
                   b->topology->registers[index].name);
}

static enum wt_status build_cfa(struct wt_build *b, struct wt_frames *f, unsigned physical,
                                wt_expr_vector *cfa, struct wt_error *err);
static enum wt_status register_of(struct wt_build *b, struct wt_frames *f, unsigned physical,
                                  unsigned index, struct wt_operand *o, struct wt_error *err);

/* A register of the caller, by the instructions of the function; false if it is unchanged. */
static bool register_by_rules(struct wt_build *b, const struct wt_caller *rules, unsigned index,
                              struct wt_operand *o)
{
    const struct wt_register *r = &b->topology->registers[index];
    const unsigned size = (unsigned)wt_register_size(r);
    for (unsigned i = 0; i < rules->register_count; i++) {
        const struct wt_caller_register *x = &rules->reg[i];
        if (x->index != index)
            continue;
        const struct wt_type *type = wt_types_integer(b->types, size > 4 ? 8 : 4, false);
        *o = x->in_memory
                 ? wt_operand_memory(type, x->addr.space, wt_build_constant(b, x->addr.offset))
                 : wt_operand_cell(type, wt_build_constant(b, x->value));
        return true;
    }
    return false;
}

static bool is_untouched(const struct wt_caller *rules, const struct wt_register *r)
{
    const int64_t bit = (int64_t)r->dwarf - rules->untouched_first;
    return bit >= 0 && bit < 256 && rules->untouched[bit / 64] >> bit % 64 & 1;
}

/* A register without a rule in GCC's information for AMD GPUs. Its stack pointer is not LLVM's. */
static enum wt_status left_by_gcc(struct wt_build *b, struct wt_frames *f, unsigned physical,
                                  unsigned index, bool *unchanged, struct wt_operand *o,
                                  struct wt_error *err)
{
    const enum wt_gcc_use use = b->topology->registers[index].by_gcc;
    enum wt_status status;
    wt_expr_vector cfa;
    if (use == WT_GCC_CLOBBERED)
        return not_saved(b, index, err);
    *unchanged = use == WT_GCC_PRESERVED;
    if (*unchanged)
        return WT_OK;
    if ((status = build_cfa(b, f, physical, &cfa, err)) ||
        (use == WT_GCC_SP_HIGH && (status = wt_build_op(b, WT_EXPR_SHR_UNSIGNED, 0, cfa,
                                                        wt_build_constant(b, 32), &cfa, err))))
        return status;
    *o = wt_operand_cell(wt_types_integer(b->types, 4, false), cfa);
    return WT_OK;
}

/* Register `index` of the caller of `physical`; *unchanged: it is as `physical` has it. */
static enum wt_status caller_register(struct wt_build *b, struct wt_frames *f, unsigned physical,
                                      unsigned index, bool *unchanged, struct wt_operand *o,
                                      struct wt_error *err)
{
    const struct wt_physical *p = &f->physical[physical];
    const struct wt_register *r = &b->topology->registers[index];
    Dwarf_Op memory[3], *ops = NULL;
    size_t count = 0;
    enum wt_status status;
    wt_expr_vector cell;
    *unchanged = true;
    if (!p->cfi) {
        const struct wt_caller *rules = wt_frames_rules(f, physical);
        *unchanged = !rules || !register_by_rules(b, rules, index, o);
        if (!*unchanged)
            return WT_OK;
        if (rules && r->clobbered && !is_untouched(rules, r))
            return not_saved(b, index, err);
        /* Code without such information is taken for a leaf function that has saved nothing. */
        return WT_OK;
    }
    if (r->dwarf < 0)
        return r->scope == WT_SCOPE_LANE ? not_saved(b, index, err) : WT_OK;
    if (dwarf_frame_register(p->cfi, r->dwarf, memory, &ops, &count) != 0)
        return wt_fail(err, WT_INVALID, "the call frame information is damaged: %s",
                       dwarf_errmsg(-1));
    if (count == 0) {
        if (wt_info_is_of_gcc(p->info))
            return left_by_gcc(b, f, physical, index, unchanged, o, err);
        if (r->role == WT_ROLE_SP) {
            if ((status = build_cfa(b, f, physical, &cell, err)) != WT_OK)
                return status;
            *o = wt_operand_cell(wt_types_integer(b->types, b->topology->address_bits / 8, false),
                                 cell);
            *unchanged = false;
            return WT_OK;
        }
        /* libdw reports a missing rule in the same way as an undefined register. A register without
         * a rule is unchanged, as GDB takes it. */
        return WT_OK;
    }
    *unchanged = false;
    const struct wt_frame frame = {.physical = physical, .level = p->level, .bias = p->bias};
    /* GCC for AMD GPUs describes the return address of a function that has not saved it by the
     * address itself, as if the register were saved at that address. The location of a saved
     * register is a distance from the CFA: two operations. */
    Dwarf_Op value[8];
    if (r->role == WT_ROLE_PC && wt_info_is_of_gcc(p->info) && count > 2 &&
        count < sizeof value / sizeof value[0]) {
        memcpy(value, ops, count * sizeof *ops);
        value[count++] = (Dwarf_Op){.atom = DW_OP_stack_value};
        ops = value;
    }
    status = wt_build_location(b, NULL, ops, count, &frame, 0, wt_register_size(r), o, err);
    if (!status && o->piece_count && o->piece[0].size > wt_register_size(r))
        o->piece[0].size = wt_register_size(r);
    return status;
}

static enum wt_status register_of(struct wt_build *b, struct wt_frames *f, unsigned physical,
                                  unsigned index, struct wt_operand *o, struct wt_error *err)
{
    /* A lane's coordinates and work-item are the same in all of its frames. */
    if (strcmp(b->topology->registers[index].set, WT_ADDED_SET) == 0) {
        *o = current_register(b, index);
        return WT_OK;
    }
    b->uses_frame = true;
    /* Each step outwards that changes nothing is taken in this loop, to avoid recursion. */
    for (; physical > 0; physical--) {
        bool unchanged;
        if (b->topology->registers[index].role == WT_ROLE_PC) {
            *o = wt_operand_cell(wt_types_integer(b->types, b->topology->address_bits / 8, false),
                                 wt_build_constant(b, f->physical[physical].pc));
            return WT_OK;
        }
        enum wt_status status = caller_register(b, f, physical - 1, index, &unchanged, o, err);
        if (status || !unchanged)
            return status;
    }
    *o = current_register(b, index);
    return WT_OK;
}

enum wt_status wt_frames_register(struct wt_build *b, const struct wt_frame *frame, unsigned index,
                                  struct wt_operand *o, struct wt_error *err)
{
    if (!b->frames) {
        b->uses_frame = true;
        *o = current_register(b, index);
        return WT_OK;
    }
    return register_of(b, b->frames, frame ? frame->physical : 0, index, o, err);
}

/* A register that GCC's code for AMD GPUs has saved for its caller has a variable between the
 * prologue and the epilogue only, though the debug information may name it everywhere. */
static enum wt_status leave_gcc_register(struct wt_build *b, const struct wt_frame *frame,
                                         unsigned index, struct wt_error *err)
{
    const struct wt_kept_address place = {
        .reg = (int)index, .size = (unsigned)wt_register_size(&b->topology->registers[index])};
    struct wt_kept_answer kept;
    if (!b->kept || !b->variable || b->named_end || !frame || !frame->info ||
        !wt_info_is_of_gcc(frame->info))
        return WT_OK;
    const enum wt_status status = b->kept(b, frame, &place, &kept, err);
    if (!status && kept.state != WT_KEPT_IN_PLACE)
        wt_build_leave_kept(b, kept.state);
    return status;
}

/* The name that LLVM makes the number of a register of PTX of: its letters, the last one lowest. */
static bool is_name(uint64_t number, char name[9])
{
    unsigned length = 0;
    for (int shift = 56; shift >= 0; shift -= 8)
        if (length || number >> shift)
            name[length++] = (char)(number >> shift);
    name[length] = 0;
    return length > 1 && name[0] == '%' && strlen(name) == length;
}

static enum wt_status frame_dwarf_register(struct wt_build *b, const struct wt_frame *frame,
                                           uint64_t number, struct wt_operand *o,
                                           struct wt_error *err)
{
    const int index =
        number <= UINT_MAX ? wt_topology_dwarf_index(b->topology, (unsigned)number) : -1;
    char name[9];
    bool found = false;
    enum wt_status status = WT_OK;
    if (index < 0 && b->named_register && is_name(number, name))
        status = b->named_register(b, name, &found, o, err);
    if (found || status)
        return status;
    if (index < 0)
        return wt_fail(err, WT_UNSUPPORTED,
                       "the debug information names register %" PRIu64 ", which the "
                       "device does not have",
                       number);
    status = leave_gcc_register(b, frame, (unsigned)index, err);
    return status ? status : wt_frames_register(b, frame, (unsigned)index, o, err);
}

static enum wt_status build_cfa_by_code(struct wt_build *b, const struct wt_cfa_answer *answer,
                                        wt_expr_vector *cfa, struct wt_error *err)
{
    wt_expr_vector low = wt_expr_register(b->expr, (unsigned)answer->low),
                   high = wt_expr_register(b->expr, (unsigned)answer->high);
    enum wt_status status;
    if ((status = wt_build_op(b, WT_EXPR_ADD, 0, low,
                              wt_build_constant(b, (uint64_t)answer->low_plus), &low, err)) ||
        (status =
             wt_build_op(b, WT_EXPR_AND, 0, low, wt_build_constant(b, UINT32_MAX), &low, err)) ||
        (status = wt_build_op(b, WT_EXPR_SHL, 0, high, wt_build_constant(b, 32), &high, err)) ||
        (status = wt_build_op(b, WT_EXPR_ADD, 0, low, high, cfa, err)))
        return status;
    return wt_build_op(b, WT_EXPR_ADD, 0, *cfa, wt_build_constant(b, (uint64_t)answer->plus), cfa,
                       err);
}

static enum wt_status build_cfa(struct wt_build *b, struct wt_frames *f, unsigned physical,
                                wt_expr_vector *cfa, struct wt_error *err)
{
    struct wt_physical *p = &f->physical[physical];
    Dwarf_Op *ops;
    size_t count;
    enum wt_status status;
    const unsigned mark = b->next;
    const struct wt_frame frame = {.physical = physical, .level = p->level, .bias = p->bias};
    b->uses_frame = true;
    if (b->own_lane && p->has_cfa) {
        *cfa = wt_build_constant(b, p->cfa);
        return WT_OK;
    }
    if (!b->own_lane && physical >= MOST_NESTED)
        return wt_fail(err, WT_UNSUPPORTED,
                       "the frames of other lanes are followed for %d calls only", MOST_NESTED);
    if (p->by_code.is_given) {
        status = build_cfa_by_code(b, &p->by_code, cfa, err);
        return status ? status : wt_build_release(b, mark, cfa, err);
    }
    const struct wt_caller *rules = p->cfi || p->is_kernel ? NULL : wt_frames_rules(f, physical);
    if (rules || (p->is_kernel && !p->cfi)) {
        *cfa = wt_build_constant(b, rules ? rules->cfa : 0);
        return WT_OK;
    }
    if (!p->cfi) {
        const int sp = role_index(b->topology, WT_ROLE_SP);
        struct wt_operand o;
        if (sp < 0)
            return wt_fail(err, WT_UNSUPPORTED, "the frame of this function cannot be found");
        if ((status = register_of(b, f, physical, (unsigned)sp, &o, err)) != WT_OK)
            return status;
        o.type = wt_types_integer(b->types, o.piece[0].size <= 4 ? 4 : 8, false);
        return wt_operand_cell_of(b, &o, cfa, err);
    }
    if (dwarf_frame_cfa(p->cfi, &ops, &count) != 0 || count == 0)
        return wt_fail(err, WT_INVALID, "the call frame information is damaged: %s",
                       dwarf_errmsg(-1));
    status = wt_build_address(b, NULL, ops, count, &frame, 0, NULL, cfa, err);
    return status ? status : wt_build_release(b, mark, cfa, err);
}

static enum wt_status frame_cfa(struct wt_build *b, const struct wt_frame *frame,
                                wt_expr_vector *cfa, struct wt_error *err)
{
    if (!b->frames)
        return wt_fail(err, WT_STATE, "No frame selected.");
    return build_cfa(b, b->frames, frame->physical, cfa, err);
}

/* A register that has the base of the frame between the prologue and the epilogue. */
static enum wt_status follow_base(struct wt_build *b, const struct wt_frame *frame, unsigned number,
                                  wt_expr_vector *base, struct wt_error *err)
{
    struct wt_kept_answer kept = {.state = WT_KEPT_IN_PLACE};
    struct wt_operand o;
    const struct wt_kept_address place = {.reg = wt_topology_dwarf_index(b->topology, number)};
    enum wt_status status = b->kept ? b->kept(b, frame, &place, &kept, err) : WT_OK;
    if (status || kept.state == WT_KEPT_IN_PLACE)
        return status;
    if (kept.state != WT_KEPT_COMPUTED) {
        wt_build_leave_kept(b, kept.state);
        return WT_OK;
    }
    if ((status = wt_frames_register(b, frame, (unsigned)kept.term[0].reg, &o, err)) != WT_OK)
        return status;
    o.type = wt_types_integer(b->types, o.piece[0].size <= 4 ? 4 : 8, false);
    if ((status = wt_operand_cell_of(b, &o, base, err)) != WT_OK)
        return status;
    return wt_build_op(b, WT_EXPR_ADD, 0, *base, wt_build_constant(b, (uint64_t)kept.plus), base,
                       err);
}

static enum wt_status frame_base(struct wt_build *b, const struct wt_frame *frame,
                                 wt_expr_vector *base, bool *in_frame, struct wt_error *err)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;
    Dwarf_Die function;
    if (!frame->scope_count)
        return wt_fail(err, WT_INVALID, "the function has no frame in the debug information");
    function = frame->scope[0];
    if (!dwarf_attr_integrate(&function, DW_AT_frame_base, &attribute) ||
        dwarf_getlocation_addr(&attribute, frame->inside - frame->bias, &ops, &count, 1) != 1)
        return wt_fail(err, WT_INVALID, "the function has no frame base in the debug information");
    /* A frame base that refers to itself would recurse for ever. */
    for (size_t i = 0; i < count; i++)
        if (ops[i].atom == DW_OP_fbreg)
            return wt_fail(err, WT_INVALID,
                           "the debug information is damaged: a frame base names "
                           "itself");
    enum wt_status status =
        wt_build_address(b, &attribute, ops, count, frame, frame->bias, NULL, base, err);
    unsigned number;
    *in_frame =
        count == 1 && wt_dwarf_register(ops, &number) && wt_build_is_frame_register(b, number);
    if (!status && *in_frame)
        status = follow_base(b, frame, number, base, err);
    if (!status && *in_frame)
        status = wt_build_frame_address(b, base, err);
    return status;
}

static const struct wt_caller_register *saved_register(struct wt_frames *f, unsigned physical,
                                                       unsigned index);

static bool frame_saved(const struct wt_build *b, const struct wt_frame *frame, unsigned number,
                        struct wt_address *addr)
{
    const int index = wt_topology_dwarf_index(b->topology, number);
    const struct wt_caller_register *saved =
        index >= 0 && b->frames && frame
            ? saved_register(b->frames, frame->physical, (unsigned)index)
            : NULL;
    if (saved)
        *addr = saved->addr;
    return saved != NULL;
}

const struct wt_frame_ops wt_frame_ops = {frame_dwarf_register, frame_cfa, frame_base, frame_saved};

/* ---- numbers of the thread's lane ---- */

typedef enum wt_status build_fn(struct wt_build *b, struct wt_frames *f, unsigned physical,
                                unsigned index, wt_expr_vector *v, struct wt_error *err);

static enum wt_status build_register(struct wt_build *b, struct wt_frames *f, unsigned physical,
                                     unsigned index, wt_expr_vector *v, struct wt_error *err)
{
    struct wt_operand o;
    bool unchanged;
    enum wt_status status = caller_register(b, f, physical, index, &unchanged, &o, err);
    if (!status && unchanged)
        status = register_of(b, f, physical, index, &o, err);
    if (status)
        return status;
    o.type = wt_types_integer(b->types, o.piece[0].size <= 4 ? 4 : 8, false);
    return wt_operand_cell_of(b, &o, v, err);
}

static enum wt_status build_the_cfa(struct wt_build *b, struct wt_frames *f, unsigned physical,
                                    unsigned index, wt_expr_vector *v, struct wt_error *err)
{
    return build_cfa(b, f, physical, v, err);
}

static enum wt_status build_own_register(struct wt_build *b, struct wt_frames *f, unsigned physical,
                                         unsigned index, wt_expr_vector *v, struct wt_error *err)
{
    struct wt_operand o;
    enum wt_status status = register_of(b, f, physical, index, &o, err);
    if (status)
        return status;
    const size_t size = wt_register_size(&b->topology->registers[index]);
    o.type = wt_types_integer(b->types, size <= 4 ? 4 : 8, false);
    return wt_operand_cell_of(b, &o, v, err);
}

static bool number_of(struct wt_frames *f, build_fn *build, unsigned physical, unsigned index,
                      unsigned lane, uint64_t *value, struct wt_error *err)
{
    struct wt_types *types = wt_types_new(NULL, NULL, NULL, f->topology->address_bits / 8);
    struct wt_build b = {.expr = wt_expr_new(),
                         .types = types,
                         .topology = f->topology,
                         .frame_ops = &wt_frame_ops,
                         .frames = f,
                         .own_lane = lane == f->lane};
    wt_expr_vector v;
    struct wt_lane_value result = {0};
    bool fine = types && b.expr && build(&b, f, physical, index, &v, err) == WT_OK;
    if (fine) {
        wt_expr_add(b.expr, WT_EXPR_END, 0, wt_expr_temporary(b.expr, 0), v, v);
        fine = wt_expr_finish(b.expr, err) == WT_OK &&
               wt_debugger_evaluate(f->debugger, f->wave.id, wt_lane_bit(lane), b.expr, 0, &result,
                                    NULL, err) == WT_OK;
        if (fine && !result.known) {
            fine = false;
            wt_fail(err, WT_INVALID,
                    result.failure == WT_EXPR_UNREAD ? "Cannot access memory at address 0x%" PRIx64
                                                     : "the call frame information has no value",
                    result.value);
        }
    }
    wt_expr_free(b.expr);
    wt_types_free(types);
    *value = result.value;
    return fine;
}

bool wt_frames_set_cfa(struct wt_frames *f, unsigned physical)
{
    struct wt_physical *p = &f->physical[physical];
    if (!p->cfa_tried) {
        p->cfa_tried = true;
        p->has_cfa = number_of(f, build_the_cfa, physical, 0, f->lane, &p->cfa, WT_IGNORED);
    }
    return p->has_cfa;
}

/* ---- callers by the instructions of a function ---- */

struct frame_asked {
    struct wt_frames *f;
    unsigned physical;
};

static bool read_own_register(void *context, unsigned index, unsigned lane, uint64_t *value)
{
    const struct frame_asked *a = context;
    return number_of(a->f, build_own_register, a->physical, index, lane, value, &a->f->unread);
}

static bool read_code(void *context, uint64_t addr, void *out, size_t size)
{
    const struct wt_frames *f = ((const struct frame_asked *)context)->f;
    return wt_debugger_read_memory(f->debugger, f->thread, wt_address_of(addr), out, size,
                                   WT_IGNORED) == WT_OK;
}

/* The location where a called function has saved register `index` of `physical`; NULL: nowhere. */
static const struct wt_caller_register *saved_register(struct wt_frames *f, unsigned physical,
                                                       unsigned index)
{
    while (physical-- > 0) {
        const struct wt_caller *rules = f->physical[physical].rules;
        for (unsigned i = 0; rules && i < rules->register_count; i++)
            if (rules->reg[i].index == index && rules->reg[i].in_memory)
                return &rules->reg[i];
    }
    return NULL;
}

static bool read_own_bytes(void *context, unsigned index, void *out, size_t size)
{
    const struct frame_asked *a = context;
    struct wt_frames *f = a->f;
    uint8_t bytes[256];
    const struct wt_caller_register *saved = saved_register(f, a->physical, index);
    if (saved)
        return wt_debugger_read_memory(f->debugger, f->thread, saved->addr, out, size,
                                       WT_IGNORED) == WT_OK;
    const struct wt_register *r = &f->topology->registers[index];
    if (r->scope == WT_SCOPE_LANE || wt_register_size(r) > sizeof bytes ||
        size > wt_register_size(r) ||
        wt_debugger_read_registers(f->debugger, f->thread, &index, 1, bytes, WT_IGNORED) != WT_OK)
        return false;
    memcpy(out, bytes, size);
    return true;
}

const struct wt_caller *wt_frames_rules(struct wt_frames *f, unsigned physical)
{
    struct wt_physical *p = &f->physical[physical];
    struct frame_asked asked = {f, physical};
    struct wt_callee callee = {.wave = f->wave.id,
                               .lane = f->lane,
                               .pc = p->pc,
                               .context = &asked,
                               .read_register = read_own_register,
                               .read_bytes = read_own_bytes,
                               .read_code = read_code};
    uint64_t start, end;
    if (p->rules_tried || p->is_kernel || !f->thread || !p->symbols)
        return p->rules;
    p->rules_tried = true;
    /* A routine of the compiler's may have no name. */
    const bool named = wt_symbols_extent(p->symbols, p->inside - p->bias, &start, &end);
    callee.start = named ? start + p->bias : WT_NO_START;
    struct wt_caller *rules = malloc(sizeof *rules);
    struct wt_error err;
    const enum wt_status status =
        rules ? wt_debugger_find_caller(f->debugger, &callee, rules, &err) : WT_NO_MEMORY;
    if (status == WT_OK) {
        f->physical[physical].rules = rules;
        return rules;
    }
    if (rules && status != WT_UNSUPPORTED && status != WT_STATE && !f->unread.text[0])
        f->unread = err;
    free(rules);
    return NULL;
}

int wt_frames_return_register(const struct wt_frames *f, const struct wt_physical *p)
{
    bool signal;
    if (p->cfi) {
        const int number = dwarf_frame_info(p->cfi, NULL, NULL, &signal);
        const int index = number >= 0 ? wt_topology_dwarf_index(f->topology, (unsigned)number) : -1;
        if (index >= 0)
            return index;
    }
    return role_index(f->topology, WT_ROLE_RA);
}

bool wt_frames_returns_to(struct wt_frames *f, unsigned physical, unsigned index, uint64_t *pc,
                          struct wt_error *err)
{
    return number_of(f, build_register, physical, index, f->lane, pc, err);
}
