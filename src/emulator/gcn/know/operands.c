/* The operands of an instruction, by its row (isa.def) and its fields. */
#include "emulator/gcn/know/operands.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "emulator/gcn/exec/mfma.h"
#include "emulator/gcn/internal.h"
#include "emulator/machine/meaning.h"

typedef struct wt_insn_operands list;

static struct wt_insn_operand *put_registers(list *o, enum gcn_file file, unsigned number,
                                             unsigned bits, bool writes)
{
    return wt_operands_add(o, (struct wt_insn_operand){
                                  .kind = file == GCN_FILE_V ? WT_OPERAND_ROW : WT_OPERAND_SCALAR,
                                  .reads = !writes,
                                  .writes = writes,
                                  .guards = writes && file == GCN_FILE_S &&
                                            number <= GCN_EXEC + 1 && number + bits / 32 > GCN_EXEC,
                                  .file = (uint8_t)file,
                                  .bits = (uint16_t)bits,
                                  .number = (uint16_t)number});
}

static struct wt_insn_operand *put_v(list *o, unsigned number, unsigned bits, bool writes)
{
    return put_registers(o, GCN_FILE_V, number, bits, writes);
}

static struct wt_insn_operand *put_s(list *o, unsigned number, unsigned bits, bool writes)
{
    return put_registers(o, GCN_FILE_S, number, bits, writes);
}

/* A scalar that says where memory is, or which lanes. */
static void put_s_aside(list *o, unsigned number, unsigned bits)
{
    put_s(o, number, bits, false)->aside = true;
}

static void put_state(list *o, enum gcn_state number, bool reads, bool writes)
{
    wt_operands_add(o, (struct wt_insn_operand){.kind = WT_OPERAND_SCALAR,
                                                .reads = reads,
                                                .writes = writes,
                                                .aside = number != GCN_STATE_SCC,
                                                .file = GCN_FILE_STATE,
                                                .number = (uint16_t)number});
}

static void put_memory(list *o, enum gcn_file file, unsigned bytes, char access, int64_t offset)
{
    wt_operands_add(o, (struct wt_insn_operand){.kind = WT_OPERAND_MEMORY,
                                                .reads = access != 'w',
                                                .writes = access != 'r',
                                                .file = (uint8_t)file,
                                                .bits = (uint16_t)(bytes * 8),
                                                .value = offset});
}

static enum wt_operand_type type_of(char letter)
{
    return strchr("fhFB", letter) ? WT_OPERAND_FLOAT : WT_OPERAND_BITS;
}

static unsigned bits_of(char letter)
{
    switch (letter) {
    case 'U':
    case 'F':
    case 'm':
        return 64;
    case 'Q':
    case 'X':
    case 'y':
        return 128;
    case 'w':
    case 'W':
    case 'B':
        return 64;
    case 'T':
        return 256;
    case 'Y':
        return 512;
    case 'Z':
        return 1024;
    case 's':
    case 'h':
        return 16;
    default:
        return 32;
    }
}

/* A scalar source by its operand number (section 12.1), of a type of the row. */
static void put_scalar_source(list *o, const struct gcn_uop *u, unsigned n, char letter)
{
    const bool pair = letter == 'B', wide = bits_of(letter) == 64 && !pair,
               half = n >= GCN_HALF && n < GCN_HALF + 9;
    if (n < GCN_INLINE)
        put_s(o, n, wide || pair ? 64 : 32, false);
    else if (n == GCN_VCCZ || n == GCN_EXECZ)
        put_s(o, n == GCN_VCCZ ? GCN_VCC : GCN_EXEC, 64, false)->is_zero = true;
    else if (n == GCN_SCC)
        put_state(o, GCN_STATE_SCC, true, false);
    else if (n == GCN_LDS_DIRECT) {
        put_s_aside(o, GCN_M0, 32);
        put_memory(o, GCN_FILE_LDS, 4, 'r', 0);
    } else if (n <= 208)
        wt_operands_add_constant(o, pair       ? (int64_t)gcn_other_scalar32(NULL, u, n)
                                    : n <= 192 ? (int)n - 128
                                               : 192 - (int)n);
    else if (n == GCN_LITERAL && !wide)
        wt_operands_add_constant(o, (int32_t)u->literal);
    else if (half && strchr("hP", letter))
        wt_operands_add_constant(o, gcn_inline16(n, true, 0));
    else
        wt_operands_add_constant(o, wide ? (int64_t)gcn_other_scalar64(NULL, u, n, letter == 'F')
                                         : gcn_other_scalar32(NULL, u, n));
}

/* The operand that was listed last, if one was since there were @p before. */
static struct wt_insn_operand *last_of(list *o, unsigned before)
{
    struct wt_insn_operand *x = o->count > before ? &o->list[o->count - 1] : NULL;
    return x && x->kind != WT_OPERAND_MEMORY ? x : NULL;
}

/* The operand that was listed last is the row's source N. */
static void note_leaf(list *o, unsigned before, unsigned source, char letter)
{
    struct wt_insn_operand *x = last_of(o, before);
    if (!x)
        return;
    x->leaf = (uint8_t)(WT_M_A + source);
    x->width = (uint8_t)(letter == 'm' ? 1 : letter == 'Q' ? 0 : bits_of(letter));
    x->pair = letter == 'b' ? (uint8_t)(1 + source) : 0; /* a move into a half of the result */
}

/* ---- scalar encodings ---- */

static void put_scalar(list *o, const struct gcn_uop *u)
{
    const char *l = u->row->operands;
    const bool to = !strncmp(u->row->name, "s_movreld", 9),
               from = !strncmp(u->row->name, "s_movrels", 9); /* relative: GCN_STATE_RELATIVE */
    for (; *l && *l != ':'; l++)
        if (!to)
            put_s(o, u->dst, bits_of(*l), true)->result = WT_RESULT_D;
    unsigned source = 0;
    const char *const first = l += *l == ':';
    for (; *l && !from; l++) {
        const unsigned before = o->count;
        if (*l == 'd')
            put_s(o, u->dst, bits_of(u->row->operands[0]), false);
        else if (*l == 'k')
            wt_operands_add_constant(o, u->row->forms & GCN_LIT        ? (int32_t)u->literal
                                        : u->row->encoding == GCN_SOPC ? u->src[1] & 15
                                                                       : u->imm);
        else
            put_scalar_source(o, u, u->src[source++], *l);
        note_leaf(o, before, (unsigned)(l - first), *l == 'd' ? u->row->operands[0] : *l);
    }
    if (u->row->encoding == GCN_SOPP)
        wt_operands_add_constant(o, u->imm);
}

static bool compares(const struct gcn_uop *u)
{
    return u->row->operands[0] == 'a' && gcn_atomic_compares(u->row);
}

static void put_smem(list *o, const struct gcn_uop *u)
{
    const char access = u->row->operands[0];
    const bool clock = u->row->opcode == 0x24 || u->row->opcode == 0x25;
    const unsigned bits = u->size * 8u;
    if (!access)
        return;
    if (access == 'r' || (access == 'a' && u->glc))
        put_s(o, u->dst, bits, true)->result = WT_RESULT_D;
    if (clock)
        return;
    if (access != 'r')
        put_s(o, u->dst, compares(u) ? 2 * bits : bits, false);
    put_s_aside(o, u->base, strstr(u->row->name, "_buffer_") ? 128 : 64);
    if (u->has_soffset)
        put_s_aside(o, u->soffset, 32);
    put_memory(o, GCN_FILE_SCALAR, u->size, access, u->imm);
}

/* ---- vector arithmetic ---- */

/* The part of a source's register that SDWA or OP_SEL chooses. */
static void choose_part(struct wt_insn_operand *x, const struct gcn_uop *u, unsigned source,
                        char letter)
{
    if (u->form == GCN_FORM_SDWA && source < 2 && u->sel[source] < 6) {
        const bool byte = u->sel[source] < 4;
        x->first = (uint8_t)(byte ? 8 * u->sel[source] : 16 * (u->sel[source] - 4));
        x->bits = byte ? 8 : 16;
        x->type = u->sext >> source & 1 ? WT_OPERAND_SIGNED : x->type;
    } else if (letter == 's' || letter == 'h') {
        x->first = u->op_sel >> source & 1 ? 16 : 0;
        x->bits = 16;
    } else if (letter == 'x' && u->op_sel_hi >> source & 1) {
        x->first = u->op_sel >> source & 1 ? 16 : 0;
        x->bits = 16;
    }
    if (x->kind == WT_OPERAND_CONSTANT) { /* the part itself, with its sign */
        const unsigned above = 64 - x->bits;
        const uint64_t whole = (uint64_t)x->value & (letter == 'h' ? UINT16_MAX : UINT64_MAX);
        x->value = (int64_t)(whole >> x->first << above) >> above;
    }
}

/* Its modifiers: of floats, and of what v_cndmask_b32 chooses between. */
static void modify(struct wt_insn_operand *x, const struct gcn_uop *u, unsigned source, char letter)
{
    const bool packed = strchr("pPB", letter);
    const bool cleared = u->abs >> source & 1, inverted = u->neg >> source & 1;
    const bool upper = packed ? u->neg_hi >> source & 1 : inverted;
    if (packed)
        x->halves = (uint8_t)((u->op_sel >> source & 1) | (u->op_sel_hi >> source & 1) << 1 |
                              (strchr("pPB", u->row->operands[0]) ? 0 : WT_HALVES_OF_ONE));
    if (!strchr("fhFPB", letter) && u->row != &gcn_rows[GCN_I_v_cndmask_b32])
        return;
    x->abs = cleared ? 3 : 0;
    x->neg = (uint8_t)(inverted | upper << 1);
}

/* v_readlane, v_writelane: source 1 chooses the lane. */
static void choose_lane(struct wt_insn_operand *x, const struct gcn_uop *u)
{
    const unsigned n = u->src[1];
    x->crosses = n < GCN_INLINE || n > 208;
    if (!x->crosses)
        x->whose = (uint8_t)(WT_LANE_0 + ((n <= 192 ? n - 128 : 192 - n) & 63));
}

/* Where the instruction takes a few bits of a register alone, these are the operand. */
static void narrow(struct wt_insn_operand *x, const struct gcn_uop *u, unsigned source)
{
    enum { FEW = 16 };
    uint8_t first, bits;
    if (u->form == GCN_FORM_SDWA || x->bits != 32 ||
        !wt_meaning_part(u->row->meaning, (enum wt_meaning_op)(WT_M_A + source), &first, &bits) ||
        bits > FEW)
        return;
    x->first = x->at = first;
    x->bits = bits;
}

static void put_sources(list *o, const struct gcn_uop *u, const char *letters)
{
    for (unsigned i = 0; letters[i]; i++) {
        const char letter = letters[i];
        const unsigned before = o->count;
        const bool high = u->op_sel >> i & 1;
        if (letter == 'd')
            modify(put_v(o, u->dst, bits_of(*u->row->operands), false), u, i,
                   *u->row->operands == 'P' ? 'P' : letter);
        else if (letter == 'm')
            put_s(o, u->smask, 64, false)->by_lane = true;
        else if (u->src[i] < GCN_VGPR) {
            put_scalar_source(o, u, u->src[i] + (letter == 'b' && u->src[i] < GCN_INLINE && high),
                              letter);
            if (letter == 'b' && u->src[i] >= GCN_INLINE && high)
                o->list[o->count - 1].value = 0;
            struct wt_insn_operand *x = last_of(o, before);
            if (x && bits_of(letter) < 64 && x->file != GCN_FILE_STATE && !x->is_zero) {
                x->bits = 32;
                choose_part(x, u, i, letter);
                modify(x, u, i, letter);
            } else if (x)
                modify(x, u, i, letter);
        } else {
            struct wt_insn_operand *x =
                put_v(o, u->src[i] - GCN_VGPR + (letter == 'b' && high), bits_of(letter), false);
            x->type = type_of(letter);
            choose_part(x, u, i, letter);
            modify(x, u, i, letter);
            narrow(x, u, i);
            x->crosses = i == 0 && u->form == GCN_FORM_DPP;
            if (u->row == &gcn_rows[GCN_I_v_readfirstlane_b32])
                x->whose = WT_LANE_FIRST;
            if (u->row == &gcn_rows[GCN_I_v_readlane_b32] && i == 0)
                choose_lane(x, u);
        }
        note_leaf(o, before, i, letter == 'd' ? u->row->operands[0] : letter);
    }
}

/* A bit for each lane, which is 0 for those that are off. */
static void put_mask(list *o, unsigned number)
{
    struct wt_insn_operand *x = put_s(o, number, 64, true);
    x->by_lane = x->crosses = true;
    x->result = WT_RESULT_MASK;
}

static void put_result(list *o, const struct gcn_uop *u, char letter)
{
    if (letter == 'S') {
        put_s(o, u->dst, 32, true)->result = WT_RESULT_D;
        return;
    }
    if (letter == 'm') {
        put_mask(o, u->sdst);
        if (u->cmpx)
            put_mask(o, GCN_EXEC);
        put_s_aside(o, GCN_EXEC, 64); /* lanes that are off get 0 */
        return;
    }
    struct wt_insn_operand *x = put_v(o, u->dst, bits_of(letter) < 32 ? 32 : bits_of(letter), true);
    x->type = type_of(letter);
    x->result = WT_RESULT_D;
    x->width = (uint8_t)(letter == 'Q' ? 0 : bits_of(letter));
    if (u->form == GCN_FORM_SDWA && u->sel[2] < 6 && bits_of(letter) <= 32) {
        const bool byte = u->sel[2] < 4;
        const uint8_t at = (uint8_t)(byte ? 8 * u->sel[2] : 16 * (u->sel[2] - 4));
        x->width = byte ? 8 : 16;
        if (u->unused == 2) { /* the rest stays */
            x->first = at;
            x->bits = x->width;
        } else
            x->at = at;
        x->type = u->unused == 1 ? WT_OPERAND_SIGNED : x->type;
    } else if (u->form != GCN_FORM_SDWA && (letter == 's' || letter == 'h')) {
        const bool high = gcn_writes_high_half(u);
        x->first = high ? 16 : 0;
        x->bits = high || gcn_keeps_other_half(u) ? 16 : 32;
    }
    /* Lanes of which the source is out of bounds, and those of masked rows and banks, stay. */
    x->reads =
        u->form == GCN_FORM_DPP && (!u->bound_ctrl || u->row_mask != 15 || u->bank_mask != 15);
}

/* Of an operand of two registers the second one is an operand of its own, which belongs to pair. */
static void split_upper(list *o, unsigned index, uint8_t pair)
{
    o->list[index].bits = o->list[index].width = 32;
    struct wt_insn_operand upper = o->list[index];
    upper.number++;
    upper.pair = pair;
    wt_operands_add(o, upper);
}

/* v_pk_mov_b32; v_mad_u64_u32, v_mad_i64_i32: what is carried goes upwards, so that the lower half
 * of the result does not come from the upper half of what is added. Clang uses it for 32 bits. */
static void put_carried_halves(list *o)
{
    enum { LOWER = 1, UPPER = 2 };
    const unsigned count = o->count;
    for (unsigned i = 0; i < count; i++) {
        if (o->list[i].file == GCN_FILE_V && o->list[i].bits == 64)
            split_upper(o, i, UPPER);
        if (o->list[i].writes)
            o->list[i].pair = o->list[i].file == GCN_FILE_V ? LOWER : UPPER;
    }
}

enum { BROADCASTS = 16, CHOSEN = 20, SHUFFLED = 24 }; /* fields of wt_insn_operands.mixed_as */
static wt_lanes mixed_lanes(const struct wt_insn_operands *o, const struct wt_insn_operand *result,
                            unsigned lane, const struct wt_insn_operand *source)
{
    const uint32_t as = o->mixed_as;
    const struct gcn_uop u = {.row = &gcn_rows[as & UINT16_MAX],
                              .cbsz = as >> BROADCASTS & 15,
                              .abid = as >> CHOSEN & 15,
                              .blgp = as >> SHUFFLED & 15};
    return gcn_matrix_lanes(&u, result->pair - 1u, lane, source->leaf == WT_M_B);
}

/* Each register of a matrix comes from that of C, and from A and B of several lanes. */
static void put_matrix(list *o, const struct gcn_uop *u)
{
    const struct gcn_mfma *m = gcn_mfma_of(u->row);
    const unsigned each = m->type == GCN_MATRIX_F64 ? 2 : 1, count = u->result / each,
                   of_c = m->sparse ? u->dst : u->src[2] - GCN_VGPR;
    const bool constant = u->src[2] < GCN_VGPR;
    o->unmasked = true;
    o->products = gcn_matrix_products(u->row);
    o->mixed = mixed_lanes;
    o->mixed_as = (uint32_t)(u->row - gcn_rows) | (uint32_t)u->cbsz << BROADCASTS |
                  (uint32_t)u->abid << CHOSEN | (uint32_t)u->blgp << SHUFFLED;
    for (unsigned i = 0; i < (constant ? 1u : 2u) * count; i++) {
        const unsigned n = i % count;
        const bool writes = i < count;
        const unsigned at = (writes ? u->dst : of_c) + n * each;
        struct wt_insn_operand *x = put_v(o, at, 32 * each, writes);
        x->pair = (uint8_t)(n + 1);
        x->leaf = writes ? 0 : m->sparse ? WT_M_OLD : WT_M_C;
        x->result = writes ? WT_RESULT_D : 0;
        x->width = (uint8_t)(32 * each);
    }
    if (constant) {
        const unsigned before = o->count;
        put_scalar_source(o, u, u->src[2], each == 2 ? 'F' : 'u');
        note_leaf(o, before, 2, each == 2 ? 'F' : 'u');
    }
    for (unsigned i = 0; i < 2u + m->sparse; i++) { /* the third is the index */
        const char letter = strchr(u->row->operands, ':')[1 + i];
        const unsigned bits = 32 * gcn_registers_of(letter);
        struct wt_insn_operand *x = put_v(o, u->src[i] - GCN_VGPR, bits, false);
        x->crosses = true;
        x->leaf = (uint8_t)(WT_M_A + i);
    }
}

static void put_vector(list *o, const struct gcn_uop *u)
{
    const char *l = u->row->operands;
    if (u->path == GCN_PATH_MATRIX) {
        put_matrix(o, u);
        return;
    }
    if (u->row == &gcn_rows[GCN_I_v_swap_b32]) {
        struct wt_insn_operand *x = put_v(o, u->dst, 32, true);
        x->reads = true;
        x->leaf = WT_M_OLD;
        x->result = WT_RESULT_D;
        if (u->src[0] >= GCN_VGPR) {
            x = put_v(o, u->src[0] - GCN_VGPR, 32, true);
            x->reads = true;
            x->leaf = WT_M_A;
            x->result = WT_RESULT_SECOND;
        }
        return;
    }
    for (; *l && *l != ':'; l++)
        put_result(o, u, *l);
    if (u->row == &gcn_rows[GCN_I_v_writelane_b32]) {
        choose_lane(&o->list[0], u);
        o->list[0].reads = o->list[0].crosses; /* which lanes it leaves alone is not known */
    }
    put_sources(o, u, l + (*l == ':'));
    if (strchr(l, 'b') || u->row == &gcn_rows[GCN_I_v_mad_u64_u32] ||
        u->row == &gcn_rows[GCN_I_v_mad_i64_i32])
        put_carried_halves(o);
    /* OMOD and CLAMP depend on MODE: rounding, denormals, IEEE, DX10_CLAMP. */
    if ((u->omod || u->clamp) && strchr("fhF", *u->row->operands) && !strchr(u->row->state, 'o'))
        put_state(o, GCN_STATE_MODE, true, false);
}

/* ---- vector memory and LDS ---- */

/* Bits of registers that hold so many bytes; a part of one that is left alone is not written. */
static struct wt_insn_operand *put_data(list *o, const struct gcn_uop *u, unsigned number,
                                        unsigned bytes, bool writes)
{
    struct wt_insn_operand *x = put_v(o, number, bytes < 4 && writes ? 32 : bytes * 8, writes);
    if (u->half) {
        x->first = u->half == 'h' ? 16 : 0;
        x->bits = writes ? 16 : (uint16_t)(bytes * 8);
    }
    return x;
}

static void put_ds(list *o, const struct gcn_uop *u)
{
    const char access = u->row->operands[0];
    const char *name = u->row->name;
    const struct gcn_share_data data = gcn_share_data(u->row);
    const bool src2 = strstr(name, "_src2_"), tid = strstr(name, "addtid");
    const bool counts = !strcmp(name, "ds_append") || !strcmp(name, "ds_consume");
    const bool swizzle = strstr(name, "swizzle"), moves = swizzle || strstr(name, "permute");
    if (!access)
        return;
    if (data.result)
        put_data(o, u, u->dst, data.pair ? 2u * u->size : u->size, true)->result = WT_RESULT_D;
    if (counts)
        put_s_aside(o, GCN_EXEC, 64);
    else if (!tid) {
        struct wt_insn_operand *x = put_v(o, u->src[0], 32, false);
        x->crosses = swizzle;
        x->aside = !swizzle;
        x->leaf = swizzle ? WT_M_A : 0;
    }
    if (data.first) {
        struct wt_insn_operand *x = put_data(o, u, u->src[1], u->size, false);
        x->crosses = moves;
        x->leaf = moves ? WT_M_B : 0;
    }
    if (data.second)
        put_v(o, u->src[2], u->size * 8u, false);
    if (moves) {
        wt_operands_add_constant(o, u->imm);
        o->exchanges = strstr(name, "bpermute");
        return;
    }
    if (u->gds || tid || counts)
        put_s_aside(o, GCN_M0, 32);
    put_memory(o, u->gds ? GCN_FILE_GDS : GCN_FILE_LDS, u->size, src2 ? 'a' : access, u->imm);
}

static void put_flat(list *o, const struct gcn_uop *u)
{
    const char access = u->row->operands[0];
    const enum gcn_encoding encoding = (enum gcn_encoding)u->row->encoding;
    const bool wide = encoding == GCN_FLAT || (encoding == GCN_GLOBAL && u->base == GCN_NO_BASE);
    const bool to_lds = u->lds && access == 'r' && encoding != GCN_FLAT;
    if ((access == 'r' && !to_lds) || (access == 'a' && u->glc))
        put_data(o, u, u->dst, u->size, true);
    if (u->vaddr)
        put_v(o, u->src[0], wide ? 64 : 32, false)->aside = true;
    if (access != 'r')
        put_data(o, u, u->src[1], compares(u) ? 2u * u->size : u->size, false);
    if (u->base != GCN_NO_BASE)
        put_s_aside(o, u->base, encoding == GCN_GLOBAL ? 64 : 32);
    if (encoding != GCN_GLOBAL) {
        put_s_aside(o, GCN_FLAT_SCRATCH, 64);
        o->list[o->count - 1].may_count = encoding == GCN_FLAT;
    }
    put_memory(o,
               encoding == GCN_FLAT     ? GCN_FILE_FLAT
               : encoding == GCN_GLOBAL ? GCN_FILE_MEMORY
                                        : GCN_FILE_PRIVATE,
               u->size, access, u->imm);
    if (to_lds) {
        put_s_aside(o, GCN_M0, 32);
        put_memory(o, GCN_FILE_LDS, 4, 'w', 0);
    }
}

static void put_buffer(list *o, const struct gcn_uop *u)
{
    const char access = u->row->operands[0], second = access ? u->row->operands[1] : 0;
    const bool formatted = second == 'f' || second == 'd';
    const unsigned data = second == 'f'   ? 4u * u->size
                          : second == 'd' ? (u->size + 1u) / 2 * 4
                          : compares(u)   ? 2u * u->size
                                          : u->size;
    const bool from_lds = !strcmp(u->row->name, "buffer_store_lds_dword");
    const bool to_lds = u->lds && access == 'r' && !formatted;
    if (!access)
        return;
    if ((access == 'r' && !to_lds) || (access == 'a' && u->glc)) {
        struct wt_insn_operand *x = put_data(o, u, u->dst, access == 'a' ? u->size : data, true);
        /* An odd last component leaves the upper half alone. */
        if (second == 'd' && u->size % 2 && !u->half)
            x->bits = (uint16_t)(16 * u->size);
        if (u->tfe)
            put_v(o, u->dst + (data + 3) / 4, 32, true);
    }
    if (u->idxen || u->offen)
        put_v(o, u->src[0], u->idxen && u->offen ? 64 : 32, false)->aside = true;
    if (access != 'r' && !from_lds)
        put_data(o, u, u->src[1], second == 'd' ? 2u * u->size : data, false);
    put_s_aside(o, u->base, 128);
    put_scalar_source(o, u, u->soffset, 'u');
    o->list[o->count - 1].aside = true;
    put_memory(o, GCN_FILE_MEMORY, formatted ? 0 : u->size, access, u->imm);
    if (to_lds || from_lds) {
        put_s_aside(o, GCN_M0, 32);
        put_memory(o, GCN_FILE_LDS, 4, to_lds ? 'w' : 'r', 0);
    }
}

unsigned gcn_image_arguments(const struct gcn_uop *u, unsigned dimensions)
{
    unsigned count = 0;
    for (const char *o = u->row->operands + 2; *o; o++)
        count += *o == 'd' ? 2 * dimensions : *o != 'l' && *o != 'm';
    return count;
}

/* The level of detail, the bias and the derivatives make no difference: images have one level. */
void gcn_put_image(list *o, const struct gcn_uop *u, unsigned dimensions, unsigned coordinates)
{
    const char access = u->row->operands[0], kind = u->row->operands[1];
    const bool level = strchr(u->row->operands, 'm'), swaps = access == 'a' && compares(u);
    const unsigned bits = access == 'a' ? 8u * u->size : u->size * (u->d16 ? 16u : 32u);
    const unsigned given = swaps ? 2 * bits : bits;
    const unsigned first = u->src[0] + gcn_image_arguments(u, dimensions);
    if (access == 'r' || (access == 'a' && u->glc))
        put_v(o, u->dst, bits, true);
    if (access == 'r' && u->tfe)
        put_v(o, u->dst + (bits + 31) / 32, 32, true);
    if (strchr(u->row->operands, 'o'))
        put_v(o, u->src[0], 32, false)->aside = true;
    if (coordinates + level && kind != 'q')
        put_v(o, first, 32 * (coordinates + level), false)->aside = true;
    else if (kind == 'q')
        put_v(o, u->src[0], 32, false)->aside = true;
    if (access != 'r')
        put_v(o, u->src[1], given, false);
    put_s_aside(o, u->base, 256);
    if (kind == 's' || kind == 'g')
        put_s_aside(o, u->sampler, 128);
    if (kind != 'q')
        put_memory(o, GCN_FILE_MEMORY, access == 'a' ? u->size : 0, access, 0);
}

/* ---- state ---- */

static void put_letters(list *o, const char *state, bool vector)
{
    static const char letters[] = "cotprwd";
    const char *written = strchr(state, ':');
    for (const char *l = letters; *l; l++) {
        const char *read = strchr(state, *l), *write = written ? strchr(written, *l) : NULL;
        if (!read && !write)
            continue;
        put_state(o, (enum gcn_state)(l - letters), read && (!written || read < written), write);
        if (*l == 'c') {
            struct wt_insn_operand *x = &o->list[o->count - 1];
            x->leaf = x->reads ? WT_M_SCC : 0;
            x->result = x->writes ? WT_RESULT_SCC : 0;
            x->width = 1;
        }
    }
    static const struct {
        char letter;
        uint8_t number, bits, leaf, result;
    } scalars[] = {{'v', GCN_VCC, 64, WT_M_VCC, 0},
                   {'m', GCN_M0, 32, WT_M_M0, 0},
                   {'e', GCN_EXEC, 64, WT_M_EXEC, WT_RESULT_EXEC}};
    for (unsigned i = 0; i < sizeof scalars / sizeof *scalars; i++)
        for (const char *s = state; *s; s++)
            if (*s == scalars[i].letter) {
                const bool lanes = vector && scalars[i].bits == 64, writes = written && s > written;
                if (lanes && writes)
                    put_mask(o, scalars[i].number);
                else {
                    struct wt_insn_operand *x =
                        put_s(o, scalars[i].number, scalars[i].bits, writes);
                    x->by_lane = lanes;
                    x->leaf = writes ? 0 : scalars[i].leaf;
                    x->result = writes ? scalars[i].result : 0;
                    x->width = lanes ? 1 : scalars[i].bits;
                }
            }
    if (strchr(state, 'a')) {
        o->list[0].reads = true;
        o->list[0].leaf = WT_M_OLD;
    }
}

/* Its effect on them. */
static void put_meaning(list *o, const struct gcn_uop *u)
{
    const enum gcn_encoding encoding = (enum gcn_encoding)u->row->encoding;
    const char access = u->row->operands[0];
    const bool vector = encoding >= GCN_VOP2 && encoding <= GCN_VOP3P,
               memory = encoding == GCN_SMEM || encoding >= GCN_DS;
    o->clamp = vector && u->clamp;
    o->mixes = vector && access && strchr("fhFPB", access) && (u->clamp || u->omod);
    o->packed = !vector || !access ? 0 : access == 'B' ? 32 : strchr("pP", access) ? 16 : 0;
    wt_operands_set_meaning(o, u->row->meaning);
    if (o->operation == WT_DOES_LOAD && u->extend == 's')
        o->operation = WT_DOES_LOAD_SIGNED;
    if (u->path == GCN_PATH_MATRIX || /* the meaning is of one register of D, with its own C */
        (o->operation == WT_DOES_LOAD && access && strchr("fd", u->row->operands[1])))
        o->operation = WT_DOES_OTHER; /* a format converts it */
    if (*u->row->meaning != WT_M_UNSAID)
        return;
    if (encoding == GCN_SOPP || (memory && (!access || access == ':')))
        o->operation = WT_DOES_WAIT;
    else if (memory)
        o->operation = access == 'w'   ? WT_DOES_STORE
                       : access == 'a' ? WT_DOES_ATOMIC
                                       : WT_DOES_OTHER;
}

bool gcn_operands(const struct gcn_uop *u, struct wt_insn_operands *o)
{
    *o = (struct wt_insn_operands){0};
    if (!u->row)
        return false;
    bool vector = false;
    switch ((enum gcn_encoding)u->row->encoding) {
    case GCN_SMEM:
        put_smem(o, u);
        break;
    case GCN_DS:
        put_ds(o, u);
        break;
    case GCN_FLAT:
    case GCN_GLOBAL:
    case GCN_SCRATCH:
        put_flat(o, u);
        break;
    case GCN_MUBUF:
    case GCN_MTBUF:
        put_buffer(o, u);
        break;
    case GCN_MIMG: /* as many coordinates as there can be: the resource chooses */
        gcn_put_image(o, u, 3, 3);
        break;
    case GCN_VOP1:
    case GCN_VOP2:
    case GCN_VOP3:
    case GCN_VOP3P:
    case GCN_VOPC:
        put_vector(o, u);
        vector = true;
        break;
    default:
        put_scalar(o, u);
        break;
    }
    put_letters(o, u->row->state, vector);
    put_meaning(o, u);
    return true;
}

const struct wt_operand_file gcn_operand_files[] = {
    [GCN_FILE_V] = {32, true}, [GCN_FILE_S] = {32, false}, [GCN_FILE_STATE] = {64, false}};

bool gcn_find_operand(const char *name, struct wt_insn_operand *o)
{
    unsigned number;
    char letter[2];
    int end = 0;
    *o = (struct wt_insn_operand){.kind = WT_OPERAND_SCALAR, .file = GCN_FILE_S, .bits = 32};
    if (sscanf(name, "%1[av]%u%n", letter, &number, &end) == 2 && !name[end] && number < GCN_AGPR) {
        o->kind = WT_OPERAND_ROW;
        o->file = GCN_FILE_V;
        o->number = number + (*letter == 'a' ? GCN_AGPR : 0);
        return true;
    }
    if (!strcmp(name, "scc")) {
        o->file = GCN_FILE_STATE;
        o->number = GCN_STATE_SCC;
        return true;
    }
    for (number = 0; number < GCN_INLINE; number++) {
        char pair[16], one[16];
        gcn_scalar_name(number, 2, pair, sizeof pair);
        gcn_scalar_name(number, 1, one, sizeof one);
        o->number = (uint16_t)number;
        o->bits = strcmp(name, pair) ? 32 : 64;
        if (!strcmp(name, pair) || !strcmp(name, one))
            return true;
    }
    return false;
}

void gcn_scalar_name(unsigned number, unsigned count, char *text, size_t size)
{
    static const struct {
        uint8_t number;
        const char *name;
    } pairs[] = {{GCN_FLAT_SCRATCH, "flat_scratch"},
                 {GCN_XNACK_MASK, "xnack_mask"},
                 {GCN_VCC, "vcc"},
                 {GCN_EXEC, "exec"}};
    for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (number / 2 * 2 == pairs[i].number) {
            snprintf(text, size, "%s%s", pairs[i].name,
                     count > 1    ? ""
                     : number & 1 ? "_hi"
                                  : "_lo");
            return;
        }
    const bool trap = number >= GCN_TTMP && number < GCN_M0;
    const unsigned first = trap ? number - GCN_TTMP : number;
    const char *prefix = trap ? "ttmp" : "s";
    if (number == GCN_M0)
        snprintf(text, size, "m0");
    else if (count > 1)
        snprintf(text, size, "%s[%u:%u]", prefix, first, first + count - 1);
    else
        snprintf(text, size, "%s%u", prefix, first);
}

void gcn_operand_name(const struct wt_insn_operand *x, char *text, size_t size)
{
    static const char *const states[] = {
        [GCN_STATE_SCC] = "SCC",
        [GCN_STATE_MODE] = "MODE",
        [GCN_STATE_TRAPSTS] = "the exceptions in TRAPSTS",
        [GCN_STATE_PC] = "the PC",
        [GCN_STATE_RELATIVE] = "a scalar register that M0 or MODE names",
        [GCN_STATE_WAVE] = "the wave's state: halted, priority, counts of accesses",
        [GCN_STATE_DEVICE] = "the device: clock, messages, global wave sync",
    };
    static const char *const memories[] = {
        [GCN_FILE_MEMORY] = "global memory a lane",
        [GCN_FILE_FLAT] = "global, local or private memory a lane",
        [GCN_FILE_PRIVATE] = "private memory a lane",
        [GCN_FILE_LDS] = "LDS a lane",
        [GCN_FILE_GDS] = "GDS a lane",
        [GCN_FILE_SCALAR] = "global memory, once for the wave",
    };
    const unsigned count = (x->first + x->bits + 31u) / 32;
    if (x->file == GCN_FILE_STATE)
        snprintf(text, size, "%s", states[x->number]);
    else if (x->kind == WT_OPERAND_MEMORY)
        snprintf(text, size, x->value ? "%s, offset %" PRId64 : "%s", memories[x->file], x->value);
    else if (x->file == GCN_FILE_V)
        snprintf(text, size, count > 1 ? "%c[%u:%u]" : "%c%u", x->number < GCN_AGPR ? 'v' : 'a',
                 x->number % GCN_AGPR, x->number % GCN_AGPR + count - 1);
    else
        gcn_scalar_name(x->number, count, text, size);
}
