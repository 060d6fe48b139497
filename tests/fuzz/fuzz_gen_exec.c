/*
 * Fuzz target: executing Gen9 code. A header chooses grid and schedule and what registers hold; the
 * rest is code that a small device runs for a bounded number of issues. Each mistake must tell what
 * and where; then its thread goes on behind it. The header chooses a system routine in the code,
 * TD_CTL and whether a debugger steps threads, too. A run in slices, traced, saved and restored on
 * the way, must reach the same state as a run in one piece.
 */
#include <stdlib.h>
#include <string.h>

#include "emulator/gen/internal.h"
#include "emulator/machine/state.h"
#include "emulator/machine/trace.h"
#include "object/gen_saved.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    HEADER = 8,
    MOST_CODE = 1024,
    ISSUES = 300,
    MOST_MISTAKES = 60,
    MOST_STOPS = 400,
    REGISTERS = 4064
};
enum { EXCEPTIONS = GEN_ENABLE_SOFTWARE | GEN_ENABLE_STACK | GEN_ENABLE_ILLEGAL };
#define CODE UINT64_C(0x100000000)
#define PAYLOAD UINT64_C(0x180000000)
#define DATA UINT64_C(0x200000000)

static void check(bool good)
{
    if (!good)
        abort();
}

/* Numbers that look like what programs have in registers. */
static uint32_t number(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    const uint32_t random = (uint32_t)(*seed >> 32);
    switch (random >> 29) {
    case 0:
        return random & 0xffc;
    case 1:
        return 2; /* the upper half of DATA */
    case 2:
        return 0x3f800000 + (random << 8);
    case 3:
        return random & 0xff;
    default:
        return random;
    }
}

static struct gen_device *make(const uint8_t *data, size_t size)
{
    struct gen_config config;
    struct gen_device *d;
    struct wt_error err;
    uint8_t payload[REGISTERS], surface[256] = {0};
    uint64_t seed = wt_load_le(data, 4);
    gen_config_default(&config);
    config.subslices = 1;
    check(gen_device_new(&config, &d, &err) == WT_OK);
    wt_memory_set_limit(d->machine.memory, 1 << 20);
    check(gen_device_map(d, CODE, 0x2000, true, &err) == WT_OK);
    check(gen_device_map(d, PAYLOAD, 0x3000, true, &err) == WT_OK);
    check(gen_device_map(d, DATA, 0x2000, true, &err) == WT_OK);
    for (unsigned i = 0; i < REGISTERS; i += 4)
        wt_store_le(payload + i, number(&seed), 4);
    /* One surface: a buffer of 4096 bytes; the binding table stands behind its state. */
    wt_store_le(surface, UINT64_C(4) << 29, 4);
    wt_store_le(surface + 8, 0x7f | 0x1f << 16, 4);
    wt_store_le(surface + 32, DATA, 8);
    check(gen_device_write(d, PAYLOAD, payload, sizeof payload));
    check(gen_device_write(d, PAYLOAD + 0x2000, surface, sizeof surface));
    check(gen_device_write(d, CODE + 0x1000 - 64, data + HEADER, size - HEADER));
    const struct gen_walk walk = {.instructions = CODE,
                                  .kernel = 0x1000 - 64,
                                  .surfaces = PAYLOAD + 0x2000,
                                  .binding_table = 64,
                                  .general = DATA,
                                  .payload = PAYLOAD,
                                  .cross_bytes = REGISTERS,
                                  .simd = (uint8_t)(8 << data[4] % 3),
                                  .threads = (uint16_t)(data[5] % 4 + 1),
                                  .last_mask = data[6] | 1u,
                                  .end = {data[7] % 2 + 1u, 1, 1},
                                  .slm_bytes = 1024,
                                  .sip = data[7] & 2 ? 0x1000 - 64 + (data[6] & 0xf8) : 0,
                                  .enables = data[7] & 4 ? EXCEPTIONS : 0,
                                  .barrier = true};
    if (data[7] & 8)
        gen_device_debug(d, true);
    d->machine.ops->debug_write(&d->machine, GEN_TD_CTL,
                                (uint32_t)(data[7] & 0xf0) >> 2 | (data[7] & 4) << 5);
    check(gen_device_walk(d, &walk, &err) == WT_OK);
    return d;
}

static void traced(void *context, const struct wt_trace *trace)
{
    check(trace->length == 8 || trace->length == 16);
    *(size_t *)context += strlen(trace->text);
}

/* On behind a mistake; false: nothing can go on. */
static bool step_over(struct gen_device *d)
{
    struct wt_machine *m = &d->machine;
    check(m->fault.text[0] && m->fault.wave < m->waves);
    if (m->fault.kind == WT_FAULT_DEADLOCK || m->fault.kind == WT_FAULT_HOST)
        return false;
    struct gen_thread *t = &d->thread[m->fault.wave];
    wt_machine_clear_fault(m);
    t->pc = (t->pc + 8) & ~UINT64_C(7);
    return t->pc - CODE < 0x2000;
}

/* Threads that wait in a routine go on: from the driver's, every other one by a step. */
static bool let_go(struct gen_device *d)
{
    bool any = false;
    d->machine.ops->debug_write(&d->machine, GEN_MCR_SELECTOR, 0);
    for (uint32_t i = 0; i < d->machine.waves; i++) {
        const uint64_t at = GEN_SAVED_APERTURE + i * GEN_SAVED_STRIDE;
        struct gen_saved saved;
        if (!d->machine.ops->read_memory(&d->machine, i, 0, at, &saved, sizeof saved))
            continue;
        check(saved.cr[0] & GEN_SAVED_MASTER);
        saved.cr[1] = (d->machine.time + i) % 2 ? GEN_SAVED_BREAKPOINT : 0;
        saved.cr[0] |= GEN_SAVED_SUPPRESS;
        check(d->machine.ops->write_memory(&d->machine, i, 0, at, &saved, sizeof saved));
    }
    for (unsigned row = 0; row < 2; row++) {
        const uint32_t waits = d->machine.ops->debug_read(&d->machine, GEN_TD_ATT + row);
        any |= waits != 0;
        d->machine.ops->debug_write(&d->machine, GEN_TD_CLR + row, waits);
    }
    return any;
}

static uint64_t run(struct gen_device *d, uint64_t slice, bool travels)
{
    struct wt_machine *m = &d->machine;
    size_t letters = 0;
    unsigned stops = 0;
    for (unsigned mistakes = 0; m->time < ISSUES && mistakes < MOST_MISTAKES;) {
        const uint64_t left = ISSUES - m->time, n = slice < left ? slice : left;
        struct wt_state *state = travels ? wt_state_save(m) : NULL;
        enum wt_run result =
            travels ? m->ops->run_traced(m, n, traced, &letters) : m->ops->run(m, n);
        if (state) { /* back, and there again */
            wt_state_restore(m, state);
            wt_state_free(state);
            result = m->ops->run(m, n);
        }
        if (result == WT_RUN_FAULT) {
            mistakes++;
            if (!step_over(d))
                break;
        } else if (result == WT_RUN_HALTED || result == WT_RUN_EVENT) {
            if (++stops > MOST_STOPS || (!let_go(d) && result == WT_RUN_HALTED))
                break;
        } else if (result != WT_RUN_BUDGET) {
            break;
        }
    }
    return m->ops->hash(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEADER + 8 || size > HEADER + MOST_CODE)
        return -1;
    struct gen_device *whole = make(data, size), *sliced = make(data, size);
    check(run(whole, ISSUES, false) == run(sliced, 7, true));
    gen_device_free(whole);
    gen_device_free(sliced);
    return 0;
}
