/*
 * Fuzz target: trap sequences. The data choose a kernel's and a handler's instructions, delays, and
 * what the CPU does to the debugger's registers between runs. Invariants hold throughout, and each
 * state that is saved and put back goes on in the same way.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "emulator/sm/internal.h"
#include "emulator/machine/state.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CODE UINT64_C(0x10000)
#define HANDLER UINT64_C(0x20000)
#define DATA UINT64_C(0x40000)
#define BANK UINT64_C(0x50000)

/* What decides how warps trap, pause, return, wait and end. */
static const char *const words[] = {"NOP",
                                    "BPT.TRAP 0x1",
                                    "BPT.TRAP 0x7",
                                    "BPT.TRAP 0x0",
                                    "BPT.TRAP 0x9",
                                    "BPT.DRAIN",
                                    "BPT.INT",
                                    "BPT.PAUSE",
                                    "BPT.PAUSE_QUIET",
                                    "RTT",
                                    "RTT.TERMINATE",
                                    "RTT.FALLTHROUGH",
                                    "IDE.DIS",
                                    "IDE.EN",
                                    "SAM",
                                    "RAM",
                                    "LDS R5, [R4]",
                                    "LDG R5, [R4]",
                                    "IADD R4, R4, 0x1",
                                    "BAR.SYNC 0x0",
                                    "S2R R4, SR_WARPERRORSTATUSCLEAR",
                                    "S2R R4, SR_GLOBALERRORSTATUS",
                                    "@P0 EXIT",
                                    "EXIT",
                                    "BRA 0x8",
                                    "@P0 BRA 0x8",
                                    "SSY 0x30",
                                    "SYNC",
                                    "CAL 0x10",
                                    "RET",
                                    "PBK 0x30",
                                    "BRK",
                                    "S2R R4, SR_LANEID",
                                    "ISETP.LT.AND P0, PT, R4, 0x7, PT",
                                    "SETCRSPTR R4",
                                    "GETCRSPTR R4",
                                    "BRX R4",
                                    "SETLMEMBASE R4",
                                    "STL [RZ], R4",
                                    "VOTE.ANY R4, P0, !P0",
                                    "LONGJMP",
                                    "PLONGJMP 0x28"};

static const uint16_t offsets[] = {0x143, 0x183, 0x184, 0x189, 0x18a, 0x191, 0x192, 0x193, 0x194};

static void put(struct sm_device *d, uint64_t at, uint64_t value)
{
    uint8_t bytes[8];
    wt_store_le(bytes, value, 8);
    if (!sm_device_write(d, at, bytes, 8))
        abort();
}

static void place(struct sm_device *d, uint64_t at, const uint8_t *choice, unsigned count)
{
    struct wt_error err;
    if (sm_device_map(d, at, 0x1000, false, &err) != WT_OK)
        abort();
    uint64_t pc = at + 8;
    for (unsigned i = 0; i <= count; i++, pc = sm_next_pc(pc)) {
        uint64_t word;
        unsigned reuse;
        size_t column;
        const char *text = i < count ? words[choice[i] % (sizeof words / sizeof *words)] : "EXIT";
        if (sm_assemble(text, pc - at, NULL, NULL, &word, &reuse, &column, &err) != WT_OK)
            abort();
        put(d, pc, word);
    }
}

static enum wt_run run(struct wt_machine *m, uint64_t issues)
{
    const enum wt_run result = m->ops->run(m, issues);
    sm_check(m);
    return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sm_config config;
    struct sm_device *d;
    struct wt_error err;
    if (size < 40)
        return 0;
    sm_config_default(&config);
    config.sms = 1 + (data[0] & 1);
    config.error_delay = data[1] % 12;
    config.memory_delay = data[2] % 12;
    if (sm_device_new(&config, &d, &err) != WT_OK)
        abort();
    struct wt_machine *m = sm_machine(d);
    place(d, CODE, data + 4, 14);
    if (data[3] & 1) {
        place(d, HANDLER, data + 18, 14);
        sm_device_set_trap_handler(d, HANDLER);
    }
    if (sm_device_map(d, DATA, 0x1000, true, &err) != WT_OK ||
        sm_device_map(d, BANK, 0x1000, false, &err) != WT_OK)
        abort();
    const struct sm_launch launch = {.entry = CODE,
                                     .grid = {1 + data[32] % 5, 1, 1},
                                     .block = {16 + data[33] % 100, 1, 1},
                                     .registers = 16,
                                     .shared = 64,
                                     .local = 16,
                                     .bank = {BANK},
                                     .bank_size = {64},
                                     .local_base = DATA};
    if (sm_device_launch(d, &launch, &err) != WT_OK)
        abort();
    for (size_t at = 34; at + 3 <= size && at < 300; at += 3) {
        const uint8_t what = data[at], value = data[at + 1];
        if (what < 128) {
            run(m, 1 + what % 32);
        } else if (what < 200) {
            const uint32_t bits = (uint32_t)(value & 15) | (uint32_t)(value >> 6) << 30;
            m->ops->debug_write(
                m, offsets[what % (sizeof offsets / sizeof *offsets)] + (value >> 4 & 1) * 0x200u,
                bits);
        } else if (what < 220) {
            wt_machine_clear_fault(m);
        } else {
            struct wt_state *saved = wt_state_save(m);
            if (!saved)
                abort();
            run(m, 9);
            const uint64_t once = m->ops->hash(m);
            wt_state_restore(m, saved);
            run(m, 9);
            if (m->ops->hash(m) != once)
                abort();
            wt_state_free(saved);
        }
        sm_check(m);
    }
    sm_device_free(d);
    return 0;
}
