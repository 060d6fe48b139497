/*
 * Registers that hold a variable's address for a while: GCC keeps the address of a structure that
 * is given by value in ra, and the next call overwrites it.
 */
#include "debug/vortex/dm.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

enum { MOST_HALVES = 1 << 14 }; /* halfwords of a function's code */

/* Possible contents of the register, as bits: what the caller left, what the function's first write
 * put there, something else. */
enum { AS_CALLED = 1, OWN = 2, OTHER = 4 };

/* Registers that a called function need not keep (RISC-V calling convention): x1, x5 to x7, x10 to
 * x17, x28 to x31. */
#define CALLER_SAVED UINT32_C(0xf003fce2)

/* The target of a branch or a jump; false: it is computed. A conditional branch may also go on
 * behind itself. RISC-V manual I, "Control Transfer Instructions", and chapter C. */
static bool target_of(uint32_t w, unsigned length, uint64_t at, uint64_t *target, bool *conditional)
{
    uint32_t offset;
    unsigned bits;
    *conditional = false;
    if (length == 4 && (w & 0x7f) == 0x63) {
        offset = wt_field(w, 31, 31) << 12 | wt_field(w, 7, 7) << 11 | wt_field(w, 30, 25) << 5 |
                 wt_field(w, 11, 8) << 1;
        bits = 13;
        *conditional = true;
    } else if (length == 4 && (w & 0x7f) == 0x6f) {
        offset = wt_field(w, 31, 31) << 20 | wt_field(w, 19, 12) << 12 | wt_field(w, 20, 20) << 11 |
                 wt_field(w, 30, 21) << 1;
        bits = 21;
    } else if (length == 2 && (w & 0xe003) == 0xa001) {
        offset = wt_field(w, 12, 12) << 11 | wt_field(w, 8, 8) << 10 | wt_field(w, 10, 9) << 8 |
                 wt_field(w, 6, 6) << 7 | wt_field(w, 7, 7) << 6 | wt_field(w, 2, 2) << 5 |
                 wt_field(w, 11, 11) << 4 | wt_field(w, 5, 3) << 1;
        bits = 12;
    } else if (length == 2 && (w & 0xc003) == 0xc001) {
        offset = wt_field(w, 12, 12) << 8 | wt_field(w, 6, 5) << 6 | wt_field(w, 2, 2) << 5 |
                 wt_field(w, 11, 10) << 3 | wt_field(w, 4, 3) << 1;
        bits = 9;
        *conditional = true;
    } else {
        return false;
    }
    *target = at + wt_sign_extend(offset, bits);
    return true;
}

/* A function. `state` has the possible contents of the register before the instruction at each
 * halfword; 0: no path leads there. */
struct vx_body {
    struct wt_probe *p;
    const uint8_t *code;
    uint64_t start;
    size_t halves, own; /* own: of the first write; `halves`: there is none */
    int reg;
    uint8_t *state;
};

static void decode(const struct vx_body *b, size_t i, struct wt_instruction *in, uint32_t *word)
{
    struct wt_window window = {.addr = b->start + 2 * i, .size = i + 1 < b->halves ? 4 : 2};
    memcpy(window.bytes, b->code + 2 * i, window.size);
    vortex_decode(b->p, window.addr, &window, in);
    *word = (uint32_t)wt_load_le(window.bytes, window.size);
}

static bool put(const struct vx_body *b, uint64_t addr, uint8_t state)
{
    const uint64_t i = (addr - b->start) / 2;
    if (i >= b->halves || !(state & ~b->state[i]))
        return false;
    b->state[i] |= state;
    return true;
}

/* The possible contents of the register behind an instruction. */
static uint8_t leaves(const struct vx_body *b, size_t i, const struct wt_instruction *in,
                      uint8_t before)
{
    const uint32_t code = b->p->registers[b->reg].code;
    if (in->kind == WT_INSTRUCTION_CALL && code >> 16 == CODE_GPR >> 16 &&
        CALLER_SAVED >> (code & 31) & 1)
        return OTHER;
    return in->written != b->reg ? before : i == b->own ? OWN : OTHER;
}

/* Passes the possible contents along all paths of the code until nothing changes. */
static void follow(struct vx_body *b)
{
    b->state[0] = AS_CALLED;
    for (bool changes = true; changes;) {
        struct wt_instruction in;
        uint32_t word;
        uint64_t target;
        changes = false;
        for (size_t i = 0; i < b->halves; i += in.length / 2) {
            decode(b, i, &in, &word);
            if (!b->state[i])
                continue;
            const uint64_t at = b->start + 2 * i;
            const uint8_t after = leaves(b, i, &in, b->state[i]);
            bool goes_on = in.kind != WT_INSTRUCTION_RETURN && in.kind != WT_INSTRUCTION_END;
            if (in.kind == WT_INSTRUCTION_BRANCH &&
                target_of(word, in.length, at, &target, &goes_on))
                changes |= put(b, target, after);
            if (goes_on)
                changes |= put(b, at + in.length, after);
        }
    }
}

static void find_own(struct vx_body *b)
{
    struct wt_instruction in;
    uint32_t word;
    size_t i = 0;
    for (; i < b->halves; i += in.length / 2) {
        decode(b, i, &in, &word);
        if (in.kind != WT_INSTRUCTION_CALL && in.written == b->reg)
            break;
    }
    b->own = i < b->halves ? i : b->halves;
}

/* The register has a variable's address from the function's first write of the register to the next
 * one. If the function has no such write, the register has it from the function's beginning. */
enum wt_status vortex_find_kept(struct wt_probe *p, const struct wt_kept_address *asked,
                                struct wt_kept_answer *answer, struct wt_error *err)
{
    const uint64_t size = asked->end - asked->start;
    *answer = (struct wt_kept_answer){.state = WT_KEPT_IN_PLACE};
    if (asked->reg < 0 || p->registers[asked->reg].role == WT_ROLE_SP ||
        p->registers[asked->reg].role == WT_ROLE_FP || size > 2 * MOST_HALVES ||
        asked->pc < asked->start || asked->pc >= asked->end)
        return WT_OK;
    uint8_t *code = calloc(2, size + 4);
    if (!code)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    struct vx_body b = {.p = p,
                        .code = code,
                        .start = asked->start,
                        .halves = size / 2,
                        .reg = asked->reg,
                        .state = code + size};
    if (asked->read_code(asked->context, asked->start, code, size)) {
        find_own(&b);
        follow(&b);
        /* The PC of a frame that has called another one is within the call. */
        const uint8_t state = b.state[(asked->pc - asked->start + 1) / 2];
        answer->state = state == OWN || (state == AS_CALLED && b.own == b.halves) ? WT_KEPT_IN_PLACE
                        : state == AS_CALLED                                      ? WT_KEPT_NOT_YET
                                                                                  : WT_KEPT_GONE;
    }
    free(code);
    return WT_OK;
}
