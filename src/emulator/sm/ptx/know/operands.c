/* The operands of a record of PTX: registers of the frame, by their slots; the operands that differ
 * from record to record stand in a list of the executors. */
#include "emulator/sm/operands.h"

#include "emulator/machine/operands.h"
#include "emulator/sm/ptx/image.h"
#include "emulator/sm/ptx/exec/matrix.h"
#include "emulator/sm/ptx/know/meaning.h"
#include "emulator/sm/texture.h"

/* A record whose operands are being listed, before it is executed. */
struct ptx_listing {
    struct wt_insn_operands *o;
    const struct sm_warp *w; /* NULL: whoever executes it, in a frame at row 0 */
    uint32_t base;           /* row of its frame */
    const struct sm_ptx *image;
    const struct ptx_op *op;
    uint32_t function; /* index of its ptx_function_info */
    uint8_t pair;      /* the pair of the operand that is listed now */
};

enum { UNSET = PTX_LOCAL_ROW * PTX_ROW_BYTES, MOST_PAIRS = 60 };

static bool has_room(const struct ptx_listing *l)
{
    return l->o->count + 2 < WT_MOST_OPERANDS;
}

static struct wt_insn_operand *put(struct ptx_listing *l, enum wt_operand_kind kind, uint32_t byte,
                                   unsigned bytes, bool writes)
{
    return wt_operands_add(l->o, (struct wt_insn_operand){.kind = kind,
                                                          .reads = !writes,
                                                          .writes = writes,
                                                          .pair = l->pair,
                                                          .file = SM_FILE_R,
                                                          .bits = (uint16_t)(8 * bytes),
                                                          .number = byte});
}

/* A register of 4 or 8 bytes in each lane, or (0 bytes) a mask of lanes. @p base: of its frame. */
static struct wt_insn_operand *put_row(struct ptx_listing *l, uint32_t base, uint32_t slot,
                                       unsigned bytes, bool writes)
{
    struct wt_insn_operand *x = put(l, bytes ? WT_OPERAND_ROW : WT_OPERAND_SCALAR,
                                    base * PTX_ROW_BYTES + slot, bytes ? bytes : 4, writes);
    x->step = x->bits < 32 ? 32 : x->bits; /* a lane of a row has a dword at least (image.h) */
    x->by_lane = !bytes;
    return x;
}

/* Rows as a whole, in all lanes. */
static struct wt_insn_operand *put_rows(struct ptx_listing *l, uint32_t base, uint32_t slot,
                                        unsigned rows, bool writes)
{
    const unsigned bytes = rows * PTX_ROW_BYTES;
    return put(l, WT_OPERAND_SCALAR, base * PTX_ROW_BYTES + slot, bytes < 8000 ? bytes : 8000,
               writes);
}

enum { READS = 1, WRITES = 2 };

static void put_memory(struct ptx_listing *l, unsigned accesses)
{
    wt_operands_add(l->o, (struct wt_insn_operand){.kind = WT_OPERAND_MEMORY,
                                                   .reads = accesses & READS,
                                                   .writes = accesses & WRITES,
                                                   .file = SM_FILE_MEMORY});
}

static struct wt_insn_operand *put_carry(struct ptx_listing *l, bool writes)
{
    return wt_operands_add(l->o, (struct wt_insn_operand){.kind = WT_OPERAND_SCALAR,
                                                          .reads = !writes,
                                                          .writes = writes,
                                                          .by_lane = true,
                                                          .file = SM_FILE_STATE,
                                                          .bits = 32,
                                                          .number = SM_STATE_CARRY});
}

/* Bytes of the register at a slot, 0: a predicate; -1: it has no name. */
static int declared_bytes(const struct ptx_listing *l, uint32_t slot)
{
    for (size_t i = 0; i < l->image->reg_count; i++) {
        const struct ptx_register *r = &l->image->reg[i];
        const uint32_t each = r->bytes ? r->bytes / 4u * PTX_ROW_BYTES : 4u;
        if (r->function == l->function && slot >= r->slot &&
            slot - r->slot < (r->range ? r->range : 1) * r->vector * each)
            return r->bytes;
    }
    return -1;
}

/* … else as wide as the other operand that is known: such slots are those of moves. */
static unsigned bytes_of(const struct ptx_listing *l, uint32_t slot, uint32_t other)
{
    int bytes = declared_bytes(l, slot);
    if (bytes < 0)
        bytes = declared_bytes(l, other);
    return bytes < 0 ? 4 : (unsigned)bytes;
}

static struct wt_insn_operand *put_source(struct ptx_listing *l, unsigned k)
{
    const struct ptx_source *s = &l->op->s[k];
    if (s->constant || s->slot == PTX_NO_SLOT || s->slot == UNSET)
        return NULL;
    return put_row(l, l->base, s->slot, bytes_of(l, s->slot, l->op->d), false);
}

static void put_aside(struct ptx_listing *l, unsigned k)
{
    struct wt_insn_operand *x = put_source(l, k);
    if (x)
        x->aside = true;
}

static void put_crossing(struct ptx_listing *l, unsigned k)
{
    struct wt_insn_operand *x = put_source(l, k);
    if (x)
        x->crosses = true;
}

static void put_result(struct ptx_listing *l, uint32_t slot)
{
    if (slot != PTX_NO_SLOT)
        put_row(l, l->base, slot, bytes_of(l, slot, l->op->s[0].slot), true);
}

/* Registers of a vector, of @p bytes each, of which some are constants or sinks. */
static void put_vector(struct ptx_listing *l, unsigned bytes, bool writes)
{
    for (unsigned k = 0; k < l->op->count && k < 4; k++)
        if (l->op->vector[k] != PTX_NO_SLOT && !l->op->vector_constant[k])
            put_row(l, l->base, l->op->vector[k], bytes, writes)->value = (int64_t)k * l->op->size;
}

/* Some bits of a register of 4 or 8 bytes. */
static void put_part(struct ptx_listing *l, uint32_t slot, unsigned bytes, unsigned first,
                     unsigned bits, bool writes)
{
    struct wt_insn_operand *x = put_row(l, l->base, slot, bytes, writes);
    x->first = (uint8_t)first;
    x->bits = (uint16_t)bits;
}

/* The elements of a vector are parts of one register: each of them is a move of its own. */
static void put_elements(struct ptx_listing *l, uint32_t whole, bool packs)
{
    const struct ptx_op *op = l->op;
    const unsigned bits = 8u * op->size;
    l->o->operation = WT_DOES_MOVE;
    l->o->width = (uint8_t)bits;
    for (unsigned k = 0; k < op->count && k < 4; k++) {
        const bool named = op->vector[k] != PTX_NO_SLOT && !op->vector_constant[k];
        l->pair = (uint8_t)(k + 1);
        if (packs)
            put_part(l, whole, op->element, k * bits, bits, true);
        if (named && packs)
            put_part(l, op->vector[k], 4, 0, bits, false);
        else if (named)
            put_row(l, l->base, op->vector[k], 4, true);
        if (named && !packs && whole != PTX_NO_SLOT)
            put_part(l, whole, op->element, k * bits, bits, false);
    }
    l->pair = 0;
}

/* ---- parameters of functions: a dword a row ---- */

/* A move between a register, or a half of one of 64 bits, and a row, or a part of one. */
static void put_parameter_part(struct ptx_listing *l, unsigned k, unsigned half, bool loads)
{
    const struct ptx_op *op = l->op;
    const uint32_t at = (uint32_t)op->offset + k * op->size;
    const unsigned bits = op->size < 4 ? 8u * op->size : 32;
    const bool named = op->vector[k] != PTX_NO_SLOT && !op->vector_constant[k];
    if (loads && !named)
        return;
    l->pair = (uint8_t)(2 * k + half + 1);
    if (loads && (bits < 32 || op->size < op->how)) /* zeros, or a sign, fill its register */
        put_row(l, l->base, op->vector[k], op->how, true)->type =
            op->is_signed ? WT_OPERAND_SIGNED : WT_OPERAND_BITS;
    else if (named)
        put_part(l, op->vector[k], op->how, 32 * half, bits, loads);
    struct wt_insn_operand *x =
        put_row(l, l->base, op->s[0].slot + (at / 4 + half) * PTX_ROW_BYTES, 4, !loads);
    x->first = (uint8_t)(bits < 32 ? 8 * (at % 4) : 0); /* step stays that of dwords */
    x->bits = (uint16_t)bits;
}

/* The elements of a vector, each moved between its register and the parameter's rows. */
static void put_parameter(struct ptx_listing *l, bool loads)
{
    l->o->operation = WT_DOES_MOVE;
    l->o->width = l->op->size < 4 ? (uint8_t)(8 * l->op->size) : 32;
    for (unsigned k = 0; k < l->op->count && k < 4; k++)
        for (unsigned half = 0; half < (l->op->size == 8 ? 2u : 1u); half++)
            put_parameter_part(l, k, half, loads);
    l->pair = 0;
}

/* ---- calls ---- */

/* A dword of each lane from one frame to another; @p wide: from a half of a register of 64 bits. */
static void put_move(struct ptx_listing *l, uint32_t to_base, uint32_t to, uint32_t from_base,
                     const struct ptx_source *from, uint32_t n, bool wide)
{
    if (!has_room(l) || l->pair == MOST_PAIRS) { /* the list is full */
        l->o->incomplete = true;
        return;
    }
    l->pair++;
    put_row(l, to_base, to, 4, true);
    if (from->constant)
        return;
    struct wt_insn_operand *x =
        put_row(l, from_base, from->slot + (wide ? 0 : n * PTX_ROW_BYTES), wide ? 8 : 4, false);
    x->first = wide ? (uint8_t)(32 * n) : 0;
    x->bits = 32;
}

/* Arguments go to rows of the new frame, whose other registers are those that nobody has written.
 */
static void put_call(struct ptx_listing *l)
{
    const struct ptx_call *c = &l->image->call[l->op->index];
    if (!l->w) {
        l->o->operation = WT_DOES_UNTOLD;
        for (uint32_t k = 0; k < c->result_count && has_room(l); k++)
            if (c->result[k] != PTX_NO_SLOT)
                put_row(l, 0, c->result[k], 4, true);
        return;
    }
    const uint32_t base = ptx_rows_in_use(l->w);
    uint32_t rows = c->rows + PTX_PARAMETER_ROW;
    if (l->op->run == ptx_op_call)
        rows = l->image->function[l->op->offset].rows;
    l->o->operation = WT_DOES_MOVE;
    l->o->width = 32;
    for (uint32_t k = 0; k < c->argument_count; k++) {
        const struct ptx_move *m = &c->argument[k];
        for (uint32_t n = 0; n < (m->wide ? 2 : m->dwords); n++)
            put_move(l, base, m->to + n * PTX_ROW_BYTES, l->base, &m->from, n, m->wide);
    }
    l->pair = 0;
    if (l->op->run == ptx_op_call_register && has_room(l))
        put_aside(l, 0);
    const uint32_t listed = l->o->incomplete ? c->rows + PTX_PARAMETER_ROW : 0;
    if (rows > listed)
        l->o->empties = (struct wt_unwritten){.file = SM_FILE_R,
                                              .first = (base + listed) * PTX_ROW_BYTES,
                                              .count = (rows - listed) * PTX_ROW_BYTES};
}

static void put_return(struct ptx_listing *l)
{
    if (!l->w)
        return;
    const uint32_t *header = ptx_header(l->w, l->base);
    const uint64_t back = header[PTX_RETURN_LOW] | (uint64_t)header[PTX_RETURN_HIGH] << 32;
    uint32_t index;
    const struct sm_ptx *image =
        l->base == PTX_FIRST_ROW ? NULL : ptx_image_at(l->w->device, back, &index);
    if (!image || header[PTX_CALL] >= image->call_count)
        return;
    const struct ptx_call *c = &image->call[header[PTX_CALL]];
    l->o->operation = WT_DOES_MOVE;
    l->o->width = 32;
    for (uint32_t k = 0; k < c->result_count; k++) {
        const struct ptx_source from = {.slot = c->result_slot + k * PTX_ROW_BYTES};
        if (c->result[k] != PTX_NO_SLOT)
            put_move(l, header[PTX_CALLER], c->result[k], l->base, &from, 0, false);
    }
    l->pair = 0;
}

/* printf, malloc and free: their arguments, and a result. */
static void put_builtin(struct ptx_listing *l)
{
    const struct ptx_call *c = &l->image->call[l->op->index];
    l->o->operation = WT_DOES_UNTOLD;
    for (uint32_t k = 0; k < c->result_count && has_room(l); k++)
        if (c->result[k] != PTX_NO_SLOT)
            put_row(l, l->base, c->result[k], 4, true);
    for (uint32_t k = 0; k < c->argument_count && has_room(l); k++)
        if (!c->argument[k].from.constant)
            put_row(l, l->base, c->argument[k].from.slot, c->argument[k].wide ? 8 : 4, false);
}

/* ---- matrices: a lane's elements lie in rows one behind the other ---- */

/* Dwords of a lane's elements of A (0), B, C, D (3) of mma. */
static unsigned matrix_rows(const struct ptx_op *o, unsigned which)
{
    static const uint8_t bits[] = {
#define K(name, bits, exponent, fraction) bits,
        PTX_KINDS(K)
#undef K
    };
    const unsigned kind[] = {o->from_type, o->how, o->combine, o->type},
                   size[] = {o->size * o->index, o->element * o->index, o->size * o->element,
                             o->size * o->element};
    const unsigned products = o->from_type == PTX_KIND_f16 && o->index == 4 ? 4 : 1;
    return (size[which] * products / SM_LANES * bits[kind[which]] + 31) / 32;
}

static void put_matrix(struct ptx_listing *l)
{
    const struct ptx_op *op = l->op;
    const unsigned many = op->from_type == PTX_KIND_f16 && op->index == 4 ? 4 : 1;
    l->o->operation = WT_DOES_UNTOLD;
    l->o->products = many * op->size * op->element * op->index;
    put_rows(l, l->base, op->d, matrix_rows(op, 3), true);
    for (unsigned k = 0; k < 3; k++)
        put_rows(l, l->base, op->s[k].slot, matrix_rows(op, k), false);
    put_aside(l, 3);
}

/* ---- the executors that are not "from s to d, lane by lane" ---- */

static bool is_load(sm_op run)
{
    return run == ptx_op_load || run == ptx_op_load_parameter || run == ptx_op_texture ||
           run == ptx_op_surface_load;
}

/* Whether it has texels in the form of its texture, or of its surface (sust.p). */
static bool chooses_texels(const struct ptx_op *op)
{
    return op->run == ptx_op_texture || (op->run == ptx_op_surface_store && op->flag);
}

/* The texture or surface of a handle; false: there is none. */
static bool texture_at(const struct sm_warp *w, uint64_t handle, struct sm_texture *t)
{
    uint8_t bytes[SM_TEXTURE_BYTES] = {0};
    if (handle % SM_TEXTURE_BYTES)
        return false;
    wt_memory_read(w->device->machine.memory, handle, bytes, sizeof bytes);
    return sm_texture_load(bytes, t);
}

/* The texture of the lanes' handles, where all lanes have texels of one form. */
static bool find_texels(const struct ptx_listing *l, struct sm_texture *t)
{
    if (!l->w)
        return false;
    const uint64_t *handle = ptx_in(ptx_frame(l->w), &l->op->s[0]);
    const uint32_t lanes = (uint32_t)l->o->enabled;
    bool found = l->op->space != PTX_SPACE_GLOBAL && lanes;
    for (uint32_t left = lanes; found && left; left &= left - 1) {
        struct sm_texture own;
        found = texture_at(l->w, handle[__builtin_ctz(left)], &own);
        if (found && left == lanes)
            *t = own;
        found = found && own.texel == t->texel && own.bytes == t->bytes && own.flags == t->flags;
    }
    return found;
}

/* Registers, of which the first one is operand @p first, are components of a texel. */
static void put_components(struct ptx_listing *l, const struct sm_texture *t, unsigned first)
{
    l->o->element = t->bytes;
    for (unsigned k = 0; k < 4; k++)
        if (l->op->vector[k] != PTX_NO_SLOT && !l->op->vector_constant[k] && k < l->op->count)
            l->o->list[first++].value = k < t->channels ? k * t->bytes : UINT8_MAX;
}

/* Where texels are not mixed, registers get copies of their components. */
static void put_texels(struct ptx_listing *l)
{
    struct sm_texture t;
    bool converts;
    if (l->op->combine || !find_texels(l, &t) || !sm_texture_copies(&t, l->op->flag, &converts))
        return;
    l->o->then = converts ? WT_DOES_UNTOLD : WT_DOES_OTHER;
    l->o->operation = t.texel == SM_TEXEL_SIGNED ? WT_DOES_LOAD_SIGNED : WT_DOES_LOAD;
    put_components(l, &t, 0);
}

static void put_load(struct ptx_listing *l)
{
    const bool plain = l->op->run == ptx_op_load || l->op->run == ptx_op_load_parameter ||
                       (l->op->run == ptx_op_surface_load && l->op->space != PTX_SPACE_GLOBAL);
    l->o->operation = !plain             ? WT_DOES_OTHER
                      : l->op->is_signed ? WT_DOES_LOAD_SIGNED
                                         : WT_DOES_LOAD;
    l->o->element = plain ? l->op->size : 0;
    put_vector(l,
               l->op->run == ptx_op_texture        ? 4
               : l->op->run == ptx_op_surface_load ? (l->op->size == 8 ? 8 : 4)
                                                   : l->op->how,
               true);
    if (l->op->run == ptx_op_texture)
        put_texels(l);
    for (unsigned k = 0; k < 4 && l->op->run != ptx_op_load_parameter; k++)
        put_aside(l, k);
    for (unsigned k = 0; l->op->run == ptx_op_texture && k < l->op->size; k++)
        put_row(l, l->base, l->op->d2 + k * PTX_ROW_BYTES, 4, false)->aside = true;
    put_memory(l, READS);
}

static void put_store(struct ptx_listing *l)
{
    l->o->operation = WT_DOES_STORE;
    l->o->element = l->op->size;
    const unsigned first = l->o->count;
    put_vector(l, l->op->run == ptx_op_store ? l->op->how : l->op->size == 8 ? 8 : 4, false);
    struct sm_texture t;
    if (chooses_texels(l->op) && l->op->run == ptx_op_surface_store && find_texels(l, &t)) {
        l->o->then = WT_DOES_UNTOLD;
        put_components(l, &t, first);
    }
    for (unsigned k = 0; k < 4; k++)
        put_aside(l, k);
    put_memory(l, WRITES);
}

/* The value that an atomic operation computes with: also a constant, since what is added tells
 * whether it is an atomic load. */
static void put_computed(struct ptx_listing *l, unsigned k)
{
    const struct ptx_source *s = &l->op->s[k];
    if (s->constant)
        wt_operands_add_constant(l->o, (int64_t)ptx_get(s->constant, l->op->size, 0));
    else
        put_source(l, k);
}

static void put_atomic(struct ptx_listing *l)
{
    const unsigned wide = l->op->size == 8 ? 8 : 4;
    const bool barrier = l->op->run == ptx_op_mbarrier;
    const unsigned result = barrier ? bytes_of(l, l->op->d, PTX_NO_SLOT) : wide;
    l->o->operation = !barrier && l->op->how != SM_ATOMIC_EXCH ? WT_DOES_ATOMIC
                      : result                                 ? WT_DOES_EXCHANGE
                                                               : WT_DOES_OTHER;
    if (!barrier &&
        (l->op->how == SM_ATOMIC_ADD || l->op->how == SM_ATOMIC_OR || l->op->how == SM_ATOMIC_XOR))
        l->o->then = WT_DOES_ADD;
    if (l->op->d != PTX_NO_SLOT)
        put_row(l, l->base, l->op->d, result, true);
    put_aside(l, 0);
    put_computed(l, 1);
    if (l->op->run == ptx_op_atomic && l->op->how == SM_ATOMIC_CAS)
        put_computed(l, 2);
    put_memory(l, READS | WRITES);
}

static bool is_exchange(sm_op run)
{
    return run == ptx_op_shuffle || run == ptx_op_vote || run == ptx_op_match ||
           run == ptx_op_reduce || run == ptx_op_transpose;
}

/* Lanes have results from other lanes; the others of the operands say which. */
static void put_exchange(struct ptx_listing *l)
{
    const bool shuffles = l->op->run == ptx_op_shuffle;
    l->o->operation = shuffles                         ? WT_DOES_MOVE
                      : l->op->run == ptx_op_transpose ? WT_DOES_UNTOLD
                                                       : WT_DOES_OTHER;
    l->o->exchanges = shuffles;
    l->pair = shuffles; /* its predicate does not depend on the value, */
    put_result(l, l->op->d);
    l->pair = shuffles ? 2 : 0;
    put_result(l, l->op->d2);
    l->pair = shuffles;
    put_crossing(l, 0);
    l->pair = 0;
    for (unsigned k = 1; k < 4; k++)
        put_aside(l, k);
}

/* Whether its lanes come together with others first. */
static bool is_together(const struct ptx_op *op)
{
    return (is_exchange(op->run) && op->flag) || op->run == ptx_op_elect ||
           op->run == ptx_op_matrix || op->run == ptx_op_load_matrix ||
           op->run == ptx_op_store_matrix || op->run == ptx_op_load_fragment ||
           op->run == ptx_op_store_fragment || op->run == ptx_op_transpose;
}

/* Results that no register is read for. */
static bool is_source(sm_op run)
{
    return run == ptx_op_special || run == ptx_op_address || run == ptx_op_active ||
           run == ptx_op_elect || run == ptx_op_barrier_result;
}

static bool is_control(sm_op run)
{
    return run == ptx_op_nop || run == ptx_op_copy_wait || run == ptx_op_fence ||
           run == ptx_op_bra || run == ptx_op_brx || run == ptx_op_exit || run == ptx_op_trap ||
           run == ptx_op_barrier || run == ptx_op_warp_barrier || run == ptx_op_join;
}

/* ---- arithmetic, conversions, selection, predicates; alloca and the stack ---- */

/* A source as a leaf of the meaning; the row of local memory's places counts as 0. */
static void put_leaf(struct ptx_listing *l, const struct ptx_meaning *m, unsigned k)
{
    const struct ptx_source *s = &l->op->s[k];
    const unsigned bytes = m->bytes[k + 1], part = k < 3 ? m->part[k] : 0;
    const bool is_signed = m->extended >> k & 1;
    struct wt_insn_operand *x;
    if (s->constant || s->slot == UNSET) {
        uint64_t value = s->constant ? ptx_get(s->constant, bytes == 8 ? 8 : 4, 0) : 0;
        if (part)
            value = value >> m->first[k] & wt_low_bits(part);
        if (is_signed)
            value = (uint64_t)wt_sign_extend(value, part);
        wt_operands_add_constant(l->o, (int64_t)(value ^ s->negated));
        x = &l->o->list[l->o->count - 1];
    } else {
        x = put_row(l, l->base, s->slot, bytes, false);
        x->inverted = s->negated;
        x->type = is_signed ? WT_OPERAND_SIGNED : WT_OPERAND_BITS;
        x->first = part ? m->first[k] : 0;
        x->bits = part ? part : x->bits;
    }
    x->leaf = (uint8_t)(WT_M_A + k);
    x->width = m->packed ? 0 : m->width[k + 1];
    x->halves = m->packed ? 2 : 0;
}

static void put_arithmetic(struct ptx_listing *l)
{
    const struct ptx_op *op = l->op;
    struct ptx_meaning m;
    if (!ptx_meaning_of(op, &m)) {
        put_result(l, op->d);
        put_result(l, op->d2);
        for (unsigned k = 0; k < 4; k++)
            if (op->s[k].slot)
                put_source(l, k);
        return;
    }
    if (op->d != PTX_NO_SLOT) {
        struct wt_insn_operand *d = put_row(l, l->base, op->d, m.bytes[0], true);
        d->type = m.is_signed ? WT_OPERAND_SIGNED : WT_OPERAND_BITS;
        d->result = m.bytes[0] ? WT_RESULT_D : WT_RESULT_MASK;
        d->width = m.packed ? 0 : m.width[0];
    }
    if (!m.bytes[0] && op->d2 != PTX_NO_SLOT)
        put_row(l, l->base, op->d2, 0, true)->result = WT_RESULT_SECOND;
    for (unsigned k = 0; k < 4; k++)
        if (ptx_meaning_uses(&m, k))
            put_leaf(l, &m, k);
    if (ptx_is_carrying(op->run) && op->flag)
        put_carry(l, true)->result = WT_RESULT_MASK;
    if (ptx_is_carrying(op->run) && op->how & 1)
        put_carry(l, false)->leaf = WT_M_VCC;
    l->o->mixes = m.mixes;
    l->o->packed = m.packed ? 16 : 0;
    memcpy(l->o->composed, m.code, sizeof m.code);
    wt_operands_set_meaning(l->o, NULL);
}

static void put_operands(struct ptx_listing *l)
{
    const struct ptx_op *op = l->op;
    if (is_load(op->run))
        put_load(l);
    else if (op->run == ptx_op_store || op->run == ptx_op_surface_store)
        put_store(l);
    else if (op->run == ptx_op_load_argument || op->run == ptx_op_store_parameter)
        put_parameter(l, op->run == ptx_op_load_argument);
    else if (op->run == ptx_op_atomic || op->run == ptx_op_mbarrier)
        put_atomic(l);
    else if (is_exchange(op->run))
        put_exchange(l);
    else if (op->run == ptx_op_call || op->run == ptx_op_call_register)
        put_call(l);
    else if (op->run == ptx_op_ret)
        put_return(l);
    else if (op->run == ptx_op_builtin)
        put_builtin(l);
    else if (op->run == ptx_op_matrix)
        put_matrix(l);
    else if (is_source(op->run)) {
        put_result(l, op->d);
        put_result(l, op->d2);
    } else if (op->run == ptx_op_brx) {
        l->o->operation = WT_DOES_BRANCH;
        put_source(l, 0);
    } else if (is_control(op->run)) {
        for (unsigned k = 0; k < 4; k++)
            put_aside(l, k);
    } else if (op->run == ptx_op_copy_async || op->run == ptx_op_bulk_copy) {
        l->o->operation = WT_DOES_STORE;
        for (unsigned k = 0; k < 3; k++)
            put_aside(l, k);
        put_memory(l, READS | WRITES);
    } else if (op->run == ptx_op_load_matrix) {
        l->o->operation = WT_DOES_UNTOLD;
        put_rows(l, l->base, op->d, op->count, true);
        put_aside(l, 0);
        put_memory(l, READS);
    } else if (op->run == ptx_op_store_matrix) {
        l->o->operation = WT_DOES_STORE;
        put_rows(l, l->base, op->s[1].slot, op->count, false);
        put_aside(l, 0);
        put_memory(l, WRITES);
    } else if (op->run == ptx_op_load_fragment || op->run == ptx_op_store_fragment) {
        const bool loads = op->run == ptx_op_load_fragment;
        l->o->operation = loads ? WT_DOES_UNTOLD : WT_DOES_STORE;
        put_rows(l, l->base, loads ? op->d : op->s[2].slot, op->count, loads);
        put_aside(l, 0);
        put_aside(l, 1);
        put_memory(l, loads ? READS : WRITES);
    } else if (op->run == ptx_op_pack) {
        put_elements(l, op->d, true);
    } else if (op->run == ptx_op_unpack) {
        put_elements(l, op->s[0].constant ? PTX_NO_SLOT : op->s[0].slot, false);
    } else {
        put_arithmetic(l);
    }
}

bool ptx_operands(const struct sm_warp *w, const struct sm_ptx *image, uint32_t index,
                  struct wt_insn_operands *o)
{
    struct ptx_listing l = {
        .o = o, .w = w, .base = w ? w->base : 0, .image = image, .op = &image->op[index]};
    while (l.function < image->function_count &&
           (index < image->function[l.function].entry || index >= image->function[l.function].end))
        l.function++;
    *o = (struct wt_insn_operands){.indirect = true, .exact = true};
    if (l.function == image->function_count)
        return false;
    if (w)
        o->enabled = is_together(l.op) ? ptx_lanes_together(w, l.op) : ptx_lanes(w, l.op);
    /* Calls and returns move registers, and textures have formats, that the frame does not tell. */
    o->steady = !is_together(l.op) && !chooses_texels(l.op) && l.op->run != ptx_op_call &&
                l.op->run != ptx_op_call_register && l.op->run != ptx_op_ret;
    put_operands(&l);
    if (l.op->guard != PTX_NO_SLOT) {
        struct wt_insn_operand *x = put_row(&l, l.base, l.op->guard, 0, false);
        x->aside = x->crosses = x->guards = true; /* it says which lanes are enabled */
        x->inverted = l.op->guard_negated;
    }
    return true;
}
