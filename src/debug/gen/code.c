/*
 * Decodes instructions of Gen9 as far as breakpoints and steps need it: their length, and their
 * effect on the IP (Skylake PRM volume 7, "Instruction Formats"; intel/gdb for DebugCtrl).
 */
#include "debug/gen/internal.h"

#include "base/bits.h"

/* Bit 29, CmptCtrl: the instruction has 64 bits, and its DebugCtrl is bit 7. In other instructions
 * DebugCtrl is bit 30. */
enum { COMPACT = 29, COMPACT_DEBUG = 7, NATIVE_DEBUG = 30, NATIVE = 16, SHORT = 8 };
enum {
    OPCODE_BRD = 0x21,
    OPCODE_IF = 0x22,
    OPCODE_BRC = 0x23,
    OPCODE_ELSE = 0x24,
    OPCODE_WHILE = 0x27,
    OPCODE_BREAK = 0x28,
    OPCODE_CALLA = 0x2b,
    OPCODE_CALL = 0x2c,
    OPCODE_RET = 0x2d,
    OPCODE_GOTO = 0x2e,
    OPCODE_JOIN = 0x2f,
    OPCODE_WAIT = 0x30,
    OPCODE_SEND = 0x31,
    OPCODE_SENDSC = 0x34,
};

/* End of Thread: bit 127 of send and related instructions, whether the message descriptor is in the
 * instruction or in a register. */
static bool ends_thread(const struct wt_window *w)
{
    return w->size >= NATIVE && w->bytes[15] >> 7;
}

static enum wt_instruction_kind kind_of(const struct wt_window *w, bool compact)
{
    const unsigned opcode = w->bytes[0] & 0x7f;
    if (opcode == OPCODE_CALL || opcode == OPCODE_CALLA)
        return WT_INSTRUCTION_CALL;
    if (opcode == OPCODE_RET)
        return WT_INSTRUCTION_RETURN;
    if (opcode == OPCODE_WAIT)
        return WT_INSTRUCTION_BARRIER;
    if (opcode >= OPCODE_SEND && opcode <= OPCODE_SENDSC)
        return !compact && ends_thread(w) ? WT_INSTRUCTION_END : WT_INSTRUCTION_PLAIN;
    return opcode >= 0x20 && opcode <= OPCODE_JOIN ? WT_INSTRUCTION_BRANCH : WT_INSTRUCTION_PLAIN;
}

static bool is_compact(const struct wt_window *window)
{
    return wt_load_le(window->bytes, 4) >> COMPACT & 1;
}

void genp_patch(struct wt_probe *p, uint64_t addr, const struct wt_window *window,
                struct wt_patch *patch)
{
    const uint32_t bit = (uint32_t)1 << (is_compact(window) ? COMPACT_DEBUG : NATIVE_DEBUG);
    *patch = (struct wt_patch){.addr = addr, .size = 4};
    wt_store_le(patch->bytes, bit, 4);
    wt_store_le(patch->mask, bit, 4);
}

void genp_decode(struct wt_probe *p, uint64_t addr, const struct wt_window *window,
                 struct wt_instruction *in)
{
    const uint32_t word = (uint32_t)wt_load_le(window->bytes, 4);
    const bool compact = is_compact(window);
    *in = (struct wt_instruction){
        .length = compact ? SHORT : NATIVE, .kind = kind_of(window, compact), .written = -1};
    if (word >> (compact ? COMPACT_DEBUG : NATIVE_DEBUG) & 1) {
        in->kind = WT_INSTRUCTION_TRAP;
        in->in_place = true;
    }
}
