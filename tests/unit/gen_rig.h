/* One thread of a Gen9 with one subslice, for unit tests. cmocka's headers come before this one. */
#ifndef TESTS_UNIT_GEN_RIG_H
#define TESTS_UNIT_GEN_RIG_H

#include <stdint.h>
#include <string.h>

#include "emulator/gen/gen.h"

#define CODE UINT64_C(0x100000000)
#define PAYLOAD UINT64_C(0x180000000)
enum { REGISTERS = 128, BYTES = 32, END = 32 };

/* What threads find in r1 and above: byte n of the register file is file[n]. */
struct rig {
    struct gen_device *device;
    uint8_t file[REGISTERS * BYTES];
    uint32_t sip, enables; /* of the walk: the system routine at CODE + sip; 0: none */
};

static inline void open_rig(struct rig *r)
{
    struct gen_config config;
    struct wt_error err;
    gen_config_default(&config);
    config.subslices = 1;
    memset(r, 0, sizeof *r);
    assert_int_equal(gen_device_new(&config, &r->device, &err), WT_OK);
    assert_int_equal(gen_device_map(r->device, CODE, 0x1000, true, &err), WT_OK);
    assert_int_equal(gen_device_map(r->device, PAYLOAD, 0x1000, true, &err), WT_OK);
}

/* Starts one thread of 16 channels with the registers that r->file says. */
static inline void start(struct rig *r, const uint64_t *code, size_t bytes)
{
    struct wt_error err;
    const struct gen_walk walk = {.instructions = CODE,
                                  .sip = r->sip,
                                  .enables = r->enables,
                                  .payload = PAYLOAD,
                                  .cross_bytes = sizeof r->file - BYTES,
                                  .simd = 16,
                                  .threads = 1,
                                  .last_mask = UINT32_MAX,
                                  .end = {1, 1, 1}};
    assert_true(gen_device_write(r->device, CODE, code, bytes));
    assert_true(gen_device_write(r->device, PAYLOAD, r->file + BYTES, sizeof r->file - BYTES));
    assert_int_equal(gen_device_walk(r->device, &walk, &err), WT_OK);
}

/* Runs to the last two instructions, which end the thread. */
static inline void run_to_end(struct rig *r, size_t bytes)
{
    struct wt_machine *m = gen_machine(r->device);
    uint64_t pc = 0;
    for (unsigned i = 0; i < 10000; i++) {
        assert_true(m->ops->read_row(m, 0, GEN_REGISTER_PC, &pc));
        if (pc == CODE + bytes - END)
            return;
        assert_int_equal(m->ops->run(m, 1), WT_RUN_BUDGET);
    }
    fail_msg("the thread has not come to its end after 10000 issues: it is at 0x%llx",
             (unsigned long long)pc);
}

static inline void read_register(struct rig *r, unsigned number, void *out)
{
    struct wt_machine *m = gen_machine(r->device);
    assert_true(m->ops->read_row(m, 0, GEN_REGISTER_R0 + number, out));
}

/* Ends the run, and the rig. */
static inline void finish(struct rig *r)
{
    struct wt_machine *m = gen_machine(r->device);
    assert_int_equal(m->ops->run(m, 100), WT_RUN_ENDED);
    gen_device_free(r->device);
}

#endif
