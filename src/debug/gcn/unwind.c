/*
 * Callers, by the instructions of a function. LLVM's compilers write no call frame information for
 * AMD's GPUs. The calling convention (LLVM, "User Guide for AMDGPU Backend", Non-Kernel Functions):
 * a function returns to s[30:31]; s32 is the stack pointer, s33 the frame pointer, both in bytes of
 * the whole wave; the stack grows upwards. A prologue saves s30, s31, s33 and others in lanes of a
 * VGPR (v_writelane_b32), and what that VGPR held in the frame.
 *
 * The prologue is followed from the function's first instruction to the wave's, or up to a branch
 * or call. In an epilogue, what is still to be restored is followed up to the return.
 */
#include "debug/gcn/internal.h"

#include <stdio.h>
#include <string.h>

#include "base/bits.h"

#define MOST_CODE 2048  /* bytes of a prologue */
#define MOST_TAIL 512   /* bytes of an epilogue */
#define SGPR_COUNT 108u /* with vcc at 106, in which clang 19 keeps the frame pointer at -O0 */
#define MOST_SAVED 40
#define SGPR0 32 /* DWARF number of s0; of 64 they follow each other */
#define SGPRS_LOW 64
#define VGPR0 2560 /* its DWARF number (LLVM, "User Guide for AMDGPU Backend") */

enum { RA_LOW = 30, RA_HIGH = 31, SP = 32, FP = 33, EXEC_LOW = 126, VCC_LOW = 106 };

/* Values of operands: integers from 0 to 64 and from -1 to -16, or the dword that follows. */
enum { SOURCE_ZERO = 128, SOURCE_64 = 192, SOURCE_MINUS_16 = 208, SOURCE_LITERAL = 255 };

/* The value of an SGPR, as far as it is known. */
struct content {
    enum { UNKNOWN, ENTRY, ENTRY_SP } kind;
    unsigned number; /* ENTRY: of the register that held it when the function began */
    int64_t offset;  /* ENTRY_SP: the stack pointer of then, and so much */
};

/* An SGPR's value at the function's beginning, kept in a lane of a VGPR. */
struct in_lane {
    unsigned sgpr, vgpr, lane;
};

/* A VGPR's value at the function's beginning, kept in its frame. */
struct in_frame {
    unsigned vgpr;
    int64_t offset; /* in bytes of a lane, from the stack pointer of then */
};

struct follower {
    struct wt_probe *p;
    const struct wt_callee *callee;
    struct content sgpr[SGPR_COUNT];
    struct in_lane lane[MOST_SAVED];
    unsigned lane_count;
    struct in_frame frame[MOST_SAVED];
    unsigned frame_count;
    bool whole;     /* EXEC has all lanes */
    unsigned lanes; /* whose bytes the stack pointer counts */
};

/* ---- instructions ---- */

struct gcn_insn {
    const struct gcnp_codes *codes;
    uint32_t word, second;
    struct wt_instruction what;
};

static bool fetch(struct follower *f, uint64_t addr, struct gcn_insn *in)
{
    struct wt_window window = {.addr = addr, .size = 8, .least = 4};
    in->codes = f->p->codes;
    if (!f->callee->read_code(f->callee->context, addr, window.bytes, 8) &&
        !f->callee->read_code(f->callee->context, addr, window.bytes, 4))
        return false;
    gcnp_decode_instruction(f->p, addr, &window, &in->what);
    in->word = (uint32_t)wt_load_le(window.bytes, 4);
    in->second = (uint32_t)wt_load_le(window.bytes + 4, 4);
    return true;
}

static bool is_return(const struct gcn_insn *in)
{
    return in->what.kind == WT_INSTRUCTION_RETURN;
}

static bool leaves_line(const struct gcn_insn *in)
{
    return in->what.kind == WT_INSTRUCTION_CALL || in->what.kind == WT_INSTRUCTION_BRANCH ||
           in->what.kind == WT_INSTRUCTION_RETURN || in->what.kind == WT_INSTRUCTION_END;
}

static bool constant(const struct gcn_insn *in, uint32_t source, int64_t *value)
{
    if (source >= SOURCE_ZERO && source <= SOURCE_64)
        *value = (int64_t)source - SOURCE_ZERO;
    else if (source > SOURCE_64 && source <= SOURCE_MINUS_16)
        *value = (int64_t)SOURCE_64 - (int64_t)source;
    else if (source == SOURCE_LITERAL)
        *value = (int32_t)in->second;
    else
        return false;
    return true;
}

/* Formats and opcodes: AMD, "Vega" Instruction Set Architecture, chapter 12. */
static bool is_sop1(const struct gcn_insn *in, unsigned op)
{
    return in->word >> 23 == 0x17d && (in->word >> 8 & 0xff) == op;
}

static unsigned scalar_target(const struct gcn_insn *in)
{
    return in->word >> 16 & 0x7f;
}

/* s32 or s33 plus a constant: s_add_u32, s_add_i32, s_sub_u32, s_sub_i32, s_addk_i32. */
static bool is_sum(const struct gcn_insn *in, unsigned *source, int64_t *by)
{
    const uint32_t word = in->word;
    if (word >> 28 == 0xb && (word >> 23 & 0x1f) == in->codes->s_addk) {
        *source = scalar_target(in);
        *by = (int16_t)word;
        return true;
    }
    const unsigned op = word >> 23 & 0x7f;
    if (word >> 30 != 2 || op > 3)
        return false;
    *source = word & 0xff;
    if (!constant(in, word >> 8 & 0xff, by))
        return false;
    if (op & 1)
        *by = -*by;
    return true;
}

/* SOP2 whose first source is its target: s_and_b32 s33, s33, … aligns a frame. */
static bool reads_itself(const struct gcn_insn *in)
{
    return in->word >> 30 == 2 && in->word >> 28 != 0xb && (in->word & 0xff) == scalar_target(in);
}

struct lane_move {
    unsigned sgpr, vgpr, lane;
};

/* v_writelane_b32 (to true) or v_readlane_b32 with a constant lane. */
static bool is_lane_move(const struct gcn_insn *in, bool to, struct lane_move *move)
{
    const struct gcnp_codes *c = in->codes;
    int64_t lane;
    if (in->word >> 16 != ((uint32_t)c->vop3 << 10 | (to ? c->v_writelane : c->v_readlane)) ||
        !constant(in, in->second >> 9 & 0x1ff, &lane) || lane < 0 || lane >= (int64_t)GCN_LANES)
        return false;
    const unsigned own = in->word & 0xff, source = in->second & 0x1ff;
    *move = (struct lane_move){
        .sgpr = to ? source : own, .vgpr = to ? own : source & 0xff, .lane = (unsigned)lane};
    return move->sgpr < SGPR_COUNT;
}

/*
 * A dword of the stack: "buffer_store_dword v, off, s[0:3], s33 offset:N", or load; where the
 * hardware adds the lane's place (gfx942), "scratch_store_dword off, v, s33 offset:N".
 */
static bool is_stack_access(const struct gcn_insn *in, bool store, unsigned *vgpr, unsigned *base,
                            int *offset)
{
    enum { STORE = 28, OFFEN_IDXEN = 3 << 12, FLAT = 0x37, SEGMENT = 7 << 13, SCRATCH = 1 << 14 };
    if ((in->word >> 18 & 0x7f) != (store ? STORE : in->codes->load_dword))
        return false;
    if (in->word >> 26 == FLAT && (in->word & SEGMENT) == SCRATCH) {
        const unsigned sign = in->codes == &gcnp_codes_gfx10 ? 0x800 : 0x1000;
        *vgpr = in->second >> (store ? 8 : 24) & 0xff;
        *base = in->second >> 16 & 0xff; /* and whether the VGPR is an accumulation register */
        *offset = (int)(in->word & (sign - 1)) - (int)(in->word & sign);
        return *base == SP || *base == FP;
    }
    if (in->word >> 26 != 0x38 || in->word & OFFEN_IDXEN || (in->second >> 16 & 0x1f) != 0)
        return false;
    *vgpr = in->second >> 8 & 0xff;
    *base = in->second >> 24;
    *offset = (int)(in->word & 0xfff);
    return *base == SP || *base == FP;
}

/* The SGPRs that an instruction writes: *first and how many; 0: none. */
static unsigned written(const struct gcn_insn *in, unsigned *first)
{
    const struct gcnp_codes *c = in->codes;
    const uint32_t word = in->word;
    if (word >> 23 == 0x17d) {
        *first = scalar_target(in);
        const unsigned op = word >> 8 & 0xff;
        return memchr(c->sop1_narrow, (int)op, sizeof c->sop1_narrow) ||
                       (op >= c->sop1_narrow_from && op <= c->sop1_narrow_to)
                   ? 1
                   : 2;
    }
    if (word >> 23 == 0x17e || word >> 23 == 0x17f)
        return 0;
    if (word >> 30 == 2) { /* SOPK, SOP2: those of 64 bits have odd opcodes behind sop2_narrow */
        *first = scalar_target(in);
        return word >> 28 != 0xb && (word >> 23 & 0x7f) > c->sop2_narrow ? 2 : 1;
    }
    if (word >> 26 == c->smem) {
        *first = word >> 6 & 0x7f;
        const unsigned op = word >> 18 & 0xff;
        return op <= 4 ? 1u << op : op >= 8 && op <= 12 ? 1u << (op - 8) : 1;
    }
    if (word >> 26 == c->vop3 && (word >> 16 & 0x3ff) < 0x100) { /* VOPC in 64 bits */
        *first = word & 0xff;
        return c == &gcnp_codes_gfx10 ? 1 : 2; /* a wave of 64 lanes writes the next, too */
    }
    if (word >> 25 == 0x3f && (word >> 9 & 0xff) == 2) { /* v_readfirstlane_b32 */
        *first = word >> 17 & 0xff;
        return 1;
    }
    struct lane_move move;
    if (is_lane_move(in, false, &move)) {
        *first = move.sgpr;
        return 1;
    }
    return 0;
}

/* ---- the prologue ---- */

static void save_in_lane(struct follower *f, const struct lane_move *move)
{
    const struct content *c = &f->sgpr[move->sgpr];
    if (c->kind == ENTRY && f->lane_count < MOST_SAVED)
        f->lane[f->lane_count++] = (struct in_lane){c->number, move->vgpr, move->lane};
}

static void save_in_frame(struct follower *f, unsigned vgpr, unsigned base, int offset)
{
    const struct content *c = &f->sgpr[base];
    for (unsigned i = 0; i < f->frame_count; i++)
        if (f->frame[i].vgpr == vgpr)
            return;
    if (f->whole && c->kind == ENTRY_SP && f->frame_count < MOST_SAVED)
        f->frame[f->frame_count++] =
            (struct in_frame){vgpr, c->offset / (int64_t)f->lanes + offset};
}

static void follow(struct follower *f, const struct gcn_insn *in)
{
    const struct gcnp_codes *c = f->p->codes;
    struct lane_move move;
    struct content result = {.kind = UNKNOWN};
    unsigned first = 0, vgpr, base, source;
    int offset;
    int64_t by;
    if (is_lane_move(in, true, &move)) {
        save_in_lane(f, &move);
        return;
    }
    if (is_stack_access(in, true, &vgpr, &base, &offset)) {
        save_in_frame(f, vgpr, base, offset);
        return;
    }
    if (is_sop1(in, c->s_mov_b32) && (in->word & 0xff) < SGPR_COUNT)
        result = f->sgpr[in->word & 0xff];
    else if (is_sum(in, &source, &by) && source < SGPR_COUNT && f->sgpr[source].kind == ENTRY_SP)
        result = (struct content){.kind = ENTRY_SP, .offset = f->sgpr[source].offset + by};
    if (is_sop1(in, c->s_or_saveexec[0]) || is_sop1(in, c->s_or_saveexec[1]))
        f->whole = true;
    else if ((is_sop1(in, c->s_mov_b64) || (f->p->is_gfx10 && is_sop1(in, c->s_mov_b32))) &&
             scalar_target(in) == EXEC_LOW)
        f->whole = (in->word & 0xff) == SOURCE_64 + 1;
    const unsigned count = written(in, &first);
    for (unsigned i = 0; i < count && first + i < SGPR_COUNT; i++)
        f->sgpr[first + i] = i ? (struct content){.kind = UNKNOWN} : result;
}

static void begin(struct follower *f)
{
    f->lanes = f->lanes ? f->lanes : GCN_LANES;
    for (unsigned i = 0; i < SGPR_COUNT; i++)
        f->sgpr[i] = (struct content){.kind = ENTRY, .number = i};
    f->sgpr[SP] = (struct content){.kind = ENTRY_SP};
}

static void follow_prologue(struct follower *f)
{
    struct gcn_insn in;
    begin(f);
    for (uint64_t at = f->callee->start;
         at < f->callee->pc && at - f->callee->start < MOST_CODE && fetch(f, at, &in);
         at += in.what.length) {
        if (leaves_line(&in))
            return;
        follow(f, &in);
    }
}

/* ---- the frame's base ---- */

static bool writes(const struct gcn_insn *in, unsigned sgpr)
{
    unsigned first = 0;
    const unsigned count = written(in, &first);
    return sgpr >= first && sgpr < first + count;
}

/* The stack pointer or the frame pointer, as the debug information names it. */
static int index_of_role(const struct wt_probe *p, enum wt_register_role role)
{
    int i = 0;
    while (p->common.topology.registers[i].role != role)
        i++;
    return i;
}

/* The function's code, read in pieces: each read may be a message to another process. */
struct unwound_code {
    const struct wt_kept_address *asked;
    uint64_t addr;
    size_t size;
    uint8_t bytes[4096];
};

static bool read_asked(void *context, uint64_t addr, void *out, size_t size)
{
    struct unwound_code *c = context;
    if (addr - c->addr >= c->size || size > c->size - (addr - c->addr)) {
        const uint64_t rest = c->asked->end - addr;
        c->addr = addr;
        c->size = rest < sizeof c->bytes ? (size_t)rest : sizeof c->bytes;
        if (addr >= c->asked->end || size > c->size ||
            !c->asked->read_code(c->asked->context, addr, c->bytes, c->size)) {
            c->size = 0;
            return false;
        }
    }
    memcpy(out, c->bytes + (addr - c->addr), size);
    return true;
}

static void find_variable(struct wt_probe *p, const struct wt_kept_address *asked,
                          struct wt_kept_answer *answer);

/*
 * s33 is the base from the instruction of the prologue that sets it, to that of an epilogue that
 * restores the caller's. Both stand once in the code from the function's beginning to a return.
 * Behind the epilogue's the stack pointer tells, which has been restored before.
 */
enum wt_status gcnp_find_kept(struct wt_probe *p, const struct wt_kept_address *asked,
                              struct wt_kept_answer *answer, struct wt_error *err)
{
    enum { BEFORE, INSIDE, BEHIND } part = BEFORE;
    struct unwound_code code = {.asked = asked};
    const struct wt_callee callee = {.context = &code, .read_code = read_asked};
    struct follower f = {.p = p, .callee = &callee}, body;
    struct gcn_insn in;
    *answer = (struct wt_kept_answer){.state = WT_KEPT_IN_PLACE};
    if (asked->size)
        find_variable(p, asked, answer);
    if (asked->size || asked->reg != index_of_role(p, WT_ROLE_FP))
        return WT_OK;
    begin(&f);
    body = f;
    uint64_t at = asked->start;
    for (; at < asked->pc && fetch(&f, at, &in); at += in.what.length) {
        const bool changes = writes(&in, FP), moves = writes(&in, SP);
        follow(&f, &in);
        if (is_return(&in) && part == BEHIND) {
            f = body;
            part = INSIDE;
        } else if (changes && part == BEFORE) {
            part = INSIDE;
        } else if (changes && part == INSIDE && !reads_itself(&in)) {
            part = BEHIND;
        }
        if (part == INSIDE && (changes || moves))
            body = f;
    }
    bool is_set = part != BEFORE;
    for (; !is_set && at < asked->end && fetch(&f, at, &in); at += in.what.length)
        is_set = writes(&in, FP);
    if (!is_set)
        return WT_OK;
    const struct content *base = &body.sgpr[FP], *stack = &f.sgpr[SP];
    if (part == BEFORE)
        answer->state = WT_KEPT_NOT_YET;
    else if (part == BEHIND && (base->kind != ENTRY_SP || stack->kind != ENTRY_SP))
        answer->state = WT_KEPT_GONE;
    else if (part == BEHIND)
        *answer = (struct wt_kept_answer){.state = WT_KEPT_COMPUTED,
                                          .count = 1,
                                          .term = {{.reg = index_of_role(p, WT_ROLE_SP)}},
                                          .plus = base->offset - stack->offset};
    return WT_OK;
}

/* ---- GCC's frames ---- */

/*
 * GCC's stack pointer is s[16:17], its frame pointer s[14:15], in bytes of memory; the CFA is the
 * stack pointer when the function began (GCC, config/gcn/gcn.cc, gcn_expand_prologue()). Its call
 * frame information has no row for the two instructions of a sum of 64 bits, nor for an epilogue.
 */
enum { GCC_FP = 14, GCC_SP = 16, GCC_PAIRS_END = 18 };

/* A half of one of the pairs: that of the stack pointer when the function began, plus so much. */
struct half {
    bool known;
    int64_t offset;
};

/* A sum or copy of a half from one of the pairs: which one; false: it is none. */
static bool is_half_sum(const struct gcn_insn *in, unsigned *source, int64_t *by, bool *carries)
{
    const unsigned op = in->word >> 23 & 0x7f;
    *by = 0;
    *source = in->word & 0xff;
    *carries = in->word >> 30 == 2 && in->word >> 28 != 0xb && (op == 4 || op == 5);
    return is_sop1(in, in->codes->s_mov_b32) || *carries || is_sum(in, source, by);
}

static void follow_halves(struct half *half, const struct gcn_insn *in)
{
    struct half result = {.known = false};
    unsigned first = 0, source;
    int64_t by;
    bool carries;
    const unsigned count = written(in, &first);
    const bool is_copy = is_sop1(in, in->codes->s_mov_b64) && (in->word & 0xff) < GCC_PAIRS_END - 1;
    if (count == 1 && is_half_sum(in, &source, &by, &carries) && source < GCC_PAIRS_END &&
        half[source].known && first < GCC_PAIRS_END)
        result = (struct half){true, carries ? half[first - (first & 1)].offset
                                             : half[source].offset + by};
    const struct half copied[2] = {is_copy ? half[in->word & 0xff] : result,
                                   is_copy ? half[(in->word & 0xff) + 1] : (struct half){0}};
    for (unsigned i = 0; i < count && first + i < GCC_PAIRS_END; i++)
        half[first + i] = i < 2 ? copied[i] : (struct half){0};
}

static int index_of_sgpr(const struct wt_probe *p, unsigned n)
{
    const struct wt_topology *t = &p->common.topology;
    char name[8];
    int i = 0;
    snprintf(name, sizeof name, "s%u", n);
    while (strcmp(t->registers[i].name, name) != 0)
        i++;
    return i;
}

/*
 * The prologue's part without a row begins behind the instruction that moves the stack pointer, and
 * ends where neither pair changes. An epilogue's begins where the stack pointer has the value again
 * that it had when the function began, and ends with the return.
 */
void gcnp_find_cfa(struct wt_probe *p, const struct wt_kept_address *asked,
                   struct wt_cfa_answer *answer)
{
    enum { BEFORE, PROLOGUE, BODY, EPILOGUE } part = BEFORE;
    struct unwound_code code = {.asked = asked};
    const struct wt_callee callee = {.context = &code, .read_code = read_asked};
    struct follower f = {.p = p, .callee = &callee};
    struct half half[GCC_PAIRS_END] = {[GCC_SP] = {true, 0}, [GCC_SP + 1] = {true, 0}};
    struct half body[GCC_PAIRS_END];
    struct gcn_insn in;
    uint64_t at = asked->start, row = 0, pc_part = BEFORE;
    struct half low = {0}, high = {0};
    for (; (at <= asked->pc || part == PROLOGUE) && at < asked->end && fetch(&f, at, &in);
         at += in.what.length) {
        bool changes = false;
        for (unsigned i = GCC_FP; i < GCC_PAIRS_END; i++)
            changes |= writes(&in, i);
        if (part == PROLOGUE && !changes) {
            part = BODY;
            row = at;
            memcpy(body, half, sizeof body);
        }
        if (at == asked->pc) {
            pc_part = part;
            low = half[GCC_SP];
            high = half[GCC_SP + 1];
        }
        follow_halves(half, &in);
        if (part == BEFORE && writes(&in, GCC_SP))
            part = PROLOGUE;
        else if (part == BODY && writes(&in, GCC_SP) && half[GCC_SP].known &&
                 half[GCC_SP].offset == 0)
            part = EPILOGUE;
        else if (part == EPILOGUE && is_return(&in)) {
            part = BODY;
            memcpy(half, body, sizeof body);
        }
    }
    if ((pc_part == PROLOGUE || pc_part == EPILOGUE) && row && low.known && high.known)
        *answer = (struct wt_cfa_answer){.is_given = true,
                                         .row = row,
                                         .low = index_of_sgpr(p, GCC_SP),
                                         .high = index_of_sgpr(p, GCC_SP + 1),
                                         .low_plus = high.offset - low.offset,
                                         .plus = -high.offset};
}

/*
 * Whether an SGPR has the variable that GCC's debug information names it for, at all instructions
 * of a function. One that the prologue saves in a lane has not before the code writes it first, nor
 * once an epilogue has restored it. A parameter is there as it came, or where the prologue has
 * copied it to, until the register is written again: the code may have re-used it.
 */
static void find_variable(struct wt_probe *p, const struct wt_kept_address *asked,
                          struct wt_kept_answer *answer)
{
    const int number = asked->reg < 0 ? -1 : p->common.topology.registers[asked->reg].dwarf;
    struct unwound_code code = {.asked = asked};
    const struct wt_callee callee = {.context = &code, .read_code = read_asked};
    struct follower f = {.p = p, .callee = &callee};
    bool is_saved = false, is_restored = false;
    unsigned written_count = 0;
    struct lane_move move;
    struct gcn_insn in;
    if (number < SGPR0 || number >= SGPR0 + SGPRS_LOW)
        return;
    const unsigned n = (unsigned)(number - SGPR0);
    const bool preserved =
        p->common.topology.registers[index_of_sgpr(p, n)].by_gcc == WT_GCC_PRESERVED;
    for (uint64_t at = asked->start;
         (at < asked->pc || (!written_count && !is_saved)) && at < asked->end && fetch(&f, at, &in);
         at += in.what.length) {
        if (at >= asked->pc && leaves_line(&in))
            break;
        is_saved |= preserved && !written_count && is_lane_move(&in, true, &move) && move.sgpr == n;
        if (at >= asked->pc)
            continue;
        if (is_return(&in))
            is_restored = false;
        else if (is_saved && written_count && is_lane_move(&in, false, &move) && move.sgpr == n)
            is_restored = true;
        else
            written_count += writes(&in, n) || (in.what.kind == WT_INSTRUCTION_CALL && !is_saved);
    }
    if (is_saved && !written_count)
        answer->state = WT_KEPT_NOT_YET;
    else if (is_restored || (asked->is_argument && written_count > is_saved))
        answer->state = WT_KEPT_GONE;
}

/* ---- values ---- */

static bool read_sgpr(const struct follower *f, unsigned n, uint32_t *value)
{
    uint64_t wide;
    char name[8];
    const struct wt_topology *t = &f->p->common.topology;
    if (n == VCC_LOW || n == VCC_LOW + 1)
        snprintf(name, sizeof name, "vcc");
    else
        snprintf(name, sizeof name, "s%u", n);
    for (size_t i = 0; i < t->register_count; i++) {
        if (strcmp(t->registers[i].name, name) != 0)
            continue;
        if (!f->callee->read_register(f->callee->context, (unsigned)i, 0, &wide))
            return false;
        *value = (uint32_t)(n == VCC_LOW + 1 ? wide >> 32 : wide);
        return true;
    }
    return false;
}

static int index_of_vgpr(const struct follower *f, unsigned n)
{
    const struct wt_topology *t = &f->p->common.topology;
    for (size_t i = 0; i < t->register_count; i++)
        if (t->registers[i].dwarf == VGPR0 + (int)n)
            return (int)i;
    return -1;
}

static bool read_lane(const struct follower *f, unsigned vgpr, unsigned lane, uint32_t *value)
{
    uint64_t wide;
    const int index = index_of_vgpr(f, vgpr);
    if (index < 0 || !f->callee->read_register(f->callee->context, (unsigned)index, lane, &wide))
        return false;
    *value = (uint32_t)wide;
    return true;
}

/* The value that an SGPR had when the function began; *changed: it differs from the value now. */
static bool value_at_entry(const struct follower *f, unsigned n, uint32_t *value)
{
    /* A copy in a lane is preferred to the register itself: a call behind the prologue may have
     * changed the register. */
    for (unsigned i = 0; i < f->lane_count; i++)
        if (f->lane[i].sgpr == n)
            return read_lane(f, f->lane[i].vgpr, f->lane[i].lane, value);
    if (f->sgpr[n].kind == ENTRY && f->sgpr[n].number == n)
        return read_sgpr(f, n, value);
    for (unsigned i = 0; i < SGPR_COUNT; i++)
        if (f->sgpr[i].kind == ENTRY && f->sgpr[i].number == n)
            return read_sgpr(f, i, value);
    return false;
}

static bool stack_at_entry(const struct follower *f, uint32_t *value)
{
    for (unsigned i = SP; i <= FP; i++)
        if (f->sgpr[i].kind == ENTRY_SP && read_sgpr(f, i, value)) {
            *value -= (uint32_t)f->sgpr[i].offset;
            return true;
        }
    return false;
}

/* ---- the epilogue ---- */

/* Values that SGPRs will have when the function returns, from their values now. */
struct tail {
    bool known[SGPR_COUNT];
    uint32_t value[SGPR_COUNT];
};

static bool tail_value(struct follower *f, struct tail *t, unsigned n, uint32_t *value)
{
    if (n >= SGPR_COUNT || (!t->known[n] && !read_sgpr(f, n, value)))
        return false;
    if (t->known[n])
        *value = t->value[n];
    return true;
}

/* Follows the code to the function's return, if no branch comes before it. */
static bool follow_epilogue(struct follower *f, struct tail *t)
{
    struct gcn_insn in;
    struct lane_move move;
    uint32_t value;
    unsigned source;
    int64_t by;
    for (uint64_t at = f->callee->pc; at - f->callee->pc < MOST_TAIL && fetch(f, at, &in);
         at += in.what.length) {
        if (is_return(&in))
            return true;
        /* It is the prologue that is still to come. */
        if (leaves_line(&in) || is_lane_move(&in, true, &move))
            return false;
        unsigned to = SGPR_COUNT;
        if (is_lane_move(&in, false, &move)) {
            to = move.sgpr;
            if (!read_lane(f, move.vgpr, move.lane, &value))
                return false;
        } else if (is_sop1(&in, in.codes->s_mov_b32) && tail_value(f, t, in.word & 0xff, &value)) {
            to = scalar_target(&in);
        } else if (is_sum(&in, &source, &by) && tail_value(f, t, source, &value)) {
            to = scalar_target(&in);
            value += (uint32_t)by;
        }
        if (to < SGPR_COUNT) {
            t->known[to] = true;
            t->value[to] = value;
        }
    }
    return false;
}

/* ---- the answer ---- */

static void add(struct wt_caller *caller, const struct wt_caller_register *r)
{
    if (caller->register_count < WT_CALLER_REGISTERS)
        caller->reg[caller->register_count++] = *r;
}

static void add_named(const struct follower *f, struct wt_caller *caller, const char *name,
                      uint64_t value)
{
    const struct wt_topology *t = &f->p->common.topology;
    for (size_t i = 0; i < t->register_count; i++)
        if (strcmp(t->registers[i].name, name) == 0)
            add(caller, &(struct wt_caller_register){.index = (unsigned)i, .value = value});
}

static void add_sgpr(const struct follower *f, struct wt_caller *caller, unsigned n, uint32_t value)
{
    char name[8];
    snprintf(name, sizeof name, "s%u", n);
    add_named(f, caller, name, value);
}

static void add_frame(const struct follower *f, struct wt_caller *caller, uint32_t ra[2],
                      uint32_t sp, uint32_t fp)
{
    caller->pc = ra[0] | (uint64_t)(ra[1] & 0xffff) << 32;
    caller->cfa = sp;
    add_named(f, caller, "sp", sp);
    add_named(f, caller, "fp", fp);
    add_sgpr(f, caller, SP, sp);
    add_sgpr(f, caller, FP, fp);
}

enum wt_status gcnp_find_caller(struct wt_probe *p, const struct wt_callee *callee,
                                struct wt_caller *caller, struct wt_error *err)
{
    struct follower f = {.p = p, .callee = callee};
    struct tail tail = {0};
    uint32_t ra[2], sp, fp, value;
    uint64_t lanes = GCN_LANES;
    if (callee->start == WT_NO_START)
        return wt_fail(err, WT_UNSUPPORTED, "nothing says where this code begins");
    if (gcnp_varies(p) &&
        !callee->read_register(callee->context, (unsigned)p->common.topology.frame_scale_index, 0,
                               &lanes))
        return wt_fail(err, WT_UNSUPPORTED, "the wave does not say what its stack pointer counts");
    f.lanes = (unsigned)lanes;
    *caller = (struct wt_caller){0};
    if (follow_epilogue(&f, &tail) && tail_value(&f, &tail, RA_LOW, &ra[0]) &&
        tail_value(&f, &tail, RA_HIGH, &ra[1]) && tail_value(&f, &tail, SP, &sp) &&
        tail_value(&f, &tail, FP, &fp)) {
        add_frame(&f, caller, ra, sp, fp);
        for (unsigned i = 0; i < SGPR_COUNT; i++)
            if (tail.known[i] && i != SP && i != FP && i < VCC_LOW)
                add_sgpr(&f, caller, i, tail.value[i]);
    }
    follow_prologue(&f);
    if (!caller->register_count) {
        if (!value_at_entry(&f, RA_LOW, &ra[0]) || !value_at_entry(&f, RA_HIGH, &ra[1]) ||
            !stack_at_entry(&f, &sp) || !value_at_entry(&f, FP, &fp))
            return wt_fail(err, WT_UNSUPPORTED,
                           "the function's instructions do not show where it returns to");
        add_frame(&f, caller, ra, sp, fp);
        for (unsigned i = 0; i < f.lane_count; i++)
            if (f.lane[i].sgpr != FP && f.lane[i].sgpr < VCC_LOW &&
                read_lane(&f, f.lane[i].vgpr, f.lane[i].lane, &value))
                add_sgpr(&f, caller, f.lane[i].sgpr, value);
    }
    uint64_t written[4];
    if (gcnp_written_vgprs(p, callee, written)) {
        caller->untouched_first = VGPR0;
        for (unsigned i = 0; i < 4; i++)
            caller->untouched[i] = ~written[i];
    }
    for (unsigned i = 0; i < f.frame_count; i++) {
        const int index = index_of_vgpr(&f, f.frame[i].vgpr);
        const uint64_t at = caller->cfa / f.lanes + (uint64_t)f.frame[i].offset;
        if (index >= 0)
            add(caller, &(struct wt_caller_register){.index = (unsigned)index,
                                                     .in_memory = true,
                                                     .addr = {SPACE_PRIVATE, at}});
    }
    return WT_OK;
}
