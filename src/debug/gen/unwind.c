/*
 * Finds callers by the instructions of a function. Intel's compiler describes frames by offsets in
 * scratch memory, in oword units; its call frame information treats these offsets as addresses. The
 * instructions of a function are unambiguous.
 *
 * One register, rN, holds the stack of a thread (measured on Debian's compiler, -cl-opt-disable).
 * Dword 0 is the return address relative to the instruction base, which `call` writes. Dwords 2 and
 * 3 are the top of the stack and the frame, in owords of the thread's scratch memory. Qwords 2 and
 * 3 are those of private memory, which holds variables. A function saves rN on top of the stack,
 * and sets dword 3 to the old dword 2; it restores rN from other registers just before `ret`.
 */
#include "debug/gen/internal.h"

#include "base/bits.h"

enum { OPCODE_MOV = 0x01, OPCODE_RET = 0x2d, OPCODE = 0x7f, COMPACT = 1 << 29 };
enum { NATIVE = 16, SHORT = 8, OWORD = 16, GRF = 32 };
enum { MOST_CODE = 1 << 20, MOST_PROLOGUE = 1 << 10 };
enum { TOP = 2, FRAME = 3 }; /* dwords of rN */

struct unwound_insn {
    uint8_t bytes[NATIVE];
    unsigned length, opcode;
};

static bool fetch(const struct wt_callee *callee, uint64_t addr, struct unwound_insn *in)
{
    if (!callee->read_code(callee->context, addr, in->bytes, NATIVE) &&
        !callee->read_code(callee->context, addr, in->bytes, SHORT))
        return false;
    const uint32_t word = (uint32_t)wt_load_le(in->bytes, 4);
    in->length = word & COMPACT ? SHORT : NATIVE;
    in->opcode = word & OPCODE;
    return true;
}

/* Fields of a native instruction with direct operands (Skylake PRM volume 7). */
static unsigned destination(const struct unwound_insn *in, unsigned *byte)
{
    const uint32_t word = (uint32_t)wt_load_le(in->bytes + 4, 4);
    *byte = word >> 16 & 0x1f;
    return word >> 21 & 0xff;
}

static unsigned source(const struct unwound_insn *in, unsigned *byte)
{
    const uint32_t word = (uint32_t)wt_load_le(in->bytes + 8, 4);
    *byte = word & 0x1f;
    return word >> 5 & 0xff;
}

/* The number of rN, found by the function's next `ret`. */
static bool find_stack(const struct wt_callee *callee, unsigned *number, bool *returns)
{
    struct unwound_insn in;
    unsigned byte;
    for (uint64_t at = callee->pc; at - callee->pc < MOST_CODE && fetch(callee, at, &in);
         at += in.length) {
        if (in.opcode == 0) /* the padding behind a kernel */
            return false;
        if (in.opcode != OPCODE_RET || in.length != NATIVE)
            continue;
        *number = source(&in, &byte);
        *returns = at == callee->pc;
        return true;
    }
    return false;
}

/* The address at which the function's own frame is set up: behind `mov rN.3:ud rN.2:ud`. Where a
 * function has no name, that is ahead of its pc, or it has been passed. */
static bool find_frame(const struct wt_callee *callee, unsigned number, uint64_t *addr)
{
    const bool named = callee->start != WT_NO_START;
    const uint64_t first = named ? callee->start : callee->pc;
    struct unwound_insn in;
    *addr = first;
    for (uint64_t at = first; at - first < MOST_PROLOGUE && fetch(callee, at, &in);
         at += in.length) {
        unsigned to, from;
        if (!named && in.opcode == OPCODE_RET)
            break;
        if (in.opcode != OPCODE_MOV || in.length != NATIVE || destination(&in, &to) != number ||
            source(&in, &from) != number || to != 4 * FRAME || from != 4 * TOP)
            continue;
        *addr = at + in.length;
        return true;
    }
    return !named;
}

static unsigned index_of(const struct wt_probe *p, uint32_t code)
{
    unsigned i = 0;
    while (p->common.registers[i].code != code)
        i++;
    return i;
}

static const struct genp_row *find_row(struct wt_probe *p, wt_wave_id id)
{
    for (uint32_t i = 0; i < p->common.topology.waves; i++)
        if (genp_row(p, i)->common.present && genp_row(p, i)->common.wave.id == id)
            return genp_row(p, i);
    return NULL;
}

enum wt_status genp_find_caller(struct wt_probe *p, const struct wt_callee *callee,
                                struct wt_caller *caller, struct wt_error *err)
{
    unsigned number = 0;
    bool returns;
    uint64_t begun;
    uint8_t stack[GRF], saved[4];
    if (!find_stack(callee, &number, &returns) || !find_frame(callee, number, &begun))
        return wt_fail(err, WT_UNSUPPORTED, "the code at 0x%llx is not a function that returns",
                       (unsigned long long)callee->start);
    const unsigned index =
        index_of(p, (uint32_t)(offsetof(struct gen_saved, r) + (size_t)GRF * number));
    const struct genp_row *row = find_row(p, callee->wave);
    if (!row || !callee->read_bytes(callee->context, index, stack, sizeof stack))
        return wt_fail(err, WT_STATE, "the registers of this frame are not known");
    const bool in_place = returns || callee->pc < begun;
    const uint64_t frame =
        row->saved.scratch + OWORD * wt_load_le(stack + 4 * (in_place ? TOP : FRAME), 4);
    enum wt_status status = WT_OK;
    if (!in_place)
        status = genp_read_link(p, 0, frame, saved, sizeof saved, err);
    *caller = (struct wt_caller){.cfa = frame};
    caller->pc = row->saved.instructions + wt_load_le(in_place ? stack : saved, 4);
    if (!in_place)
        caller->reg[caller->register_count++] = (struct wt_caller_register){
            .index = index, .in_memory = true, .addr = wt_address_of(frame)};
    return status;
}
