/*
 * What tests of the SM have in common: a device with a kernel and a trap handler that are given as
 * SASS. cmocka.h comes before it.
 */
#ifndef TESTS_SM_RIG_H
#define TESTS_SM_RIG_H

#include <string.h>

#include "emulator/sm/sass/assembler.h"
#include "emulator/sm/internal.h"

#pragma GCC diagnostic ignored "-Wunused-function" /* no test uses all of it */

#define CODE UINT64_C(0x10000)
#define HANDLER UINT64_C(0x20000)
#define BANK UINT64_C(0x30000)
#define DATA UINT64_C(0x40000)
#define DATA_SIZE 0x1000
#define LOCAL UINT64_C(0x100000)

/* Registers, by their word addresses on the bus. */
enum {
    EXCEPTION = 0x508 / 4,
    STATUS0 = 0x60c / 4,
    CONTROL0 = 0x610 / 4,
    VALID = 0x614 / 4,
    PAUSE = 0x624 / 4,
    PAUSE_1 = 0x628 / 4,
    TRAPS = 0x634 / 4,
    WARP_REPORT = 0x644 / 4,
    WARP_ESR = 0x648 / 4,
    GLOBAL_REPORT = 0x64c / 4,
    GLOBAL_ESR = 0x650 / 4,
    WARP_ESR_PC = 0x654 / 4,
    INCONSISTENT = 0x658 / 4,
    IN_TRAP = 1,
    LOCKED = 16,
    STEP = 8,
};
#define RUN 0x40000000u
#define STOP 0x80000000u

struct rig {
    struct sm_device *d;
    struct wt_machine *m;
};

static void place(struct sm_device *d, uint64_t at, const char *prefix, const char *text)
{
    char source[4096];
    struct cubin cubin;
    struct wt_error err;
    snprintf(source, sizeof source, "%s f\n%s", prefix, text);
    if (sm_assemble_file("rig", source, &cubin, &err) != WT_OK)
        fail_msg("%s", err.text);
    assert_int_equal(sm_device_map(d, at, cubin.code_size, false, &err), WT_OK);
    assert_true(sm_device_write(d, at, cubin.code, cubin.code_size));
    cubin_free(&cubin);
}

/* A device that is about to run @p warps blocks of one warp; handler NULL: none. */
static void rig_open(struct rig *r, const char *options, const char *kernel, const char *handler,
                     unsigned warps)
{
    struct sm_config config;
    struct wt_error err;
    sm_config_default(&config);
    assert_int_equal(wt_config_parse(&sm_config_table, &config, options, &err), WT_OK);
    assert_int_equal(sm_device_new(&config, &r->d, &err), WT_OK);
    r->m = sm_machine(r->d);
    place(r->d, CODE, ".kernel", kernel);
    if (handler) {
        place(r->d, HANDLER, ".handler", handler);
        sm_device_set_trap_handler(r->d, HANDLER);
    }
    assert_int_equal(sm_device_map(r->d, DATA, DATA_SIZE, true, &err), WT_OK);
    assert_int_equal(sm_device_map(r->d, BANK, 0x1000, false, &err), WT_OK);
    assert_int_equal(sm_device_map(r->d, LOCAL, sm_device_local_size(r->d, 16), true, &err), WT_OK);
    const struct sm_launch launch = {.entry = CODE,
                                     .grid = {warps, 1, 1},
                                     .block = {32, 1, 1},
                                     .registers = 32,
                                     .shared = 256,
                                     .local = 16,
                                     .bank = {BANK},
                                     .bank_size = {0x160},
                                     .local_base = LOCAL};
    assert_int_equal(sm_device_launch(r->d, &launch, &err), WT_OK);
}

static void rig_close(struct rig *r)
{
    sm_device_free(r->d);
}

static uint32_t reg(struct rig *r, uint32_t addr)
{
    return r->m->ops->debug_read(r->m, addr);
}

static void set_reg(struct rig *r, uint32_t addr, uint32_t value)
{
    r->m->ops->debug_write(r->m, addr, value);
}

/* Runs until nothing can issue, or so many issues. */
static enum wt_run run(struct rig *r, uint64_t issues)
{
    const uint64_t end = r->m->time + issues;
    enum wt_run result;
    do
        result = r->m->ops->run(r->m, end - r->m->time);
    while (result == WT_RUN_EVENT && r->m->time < end);
    return result == WT_RUN_EVENT ? WT_RUN_BUDGET : result;
}

/* The CPU wakes everybody, as the public driver does. */
static void resume(struct rig *r)
{
    set_reg(r, PAUSE, 0);
    set_reg(r, PAUSE_1, 0);
    set_reg(r, CONTROL0, reg(r, CONTROL0) & ~STOP);
    set_reg(r, CONTROL0, reg(r, CONTROL0) | RUN);
}

/* Wakes everybody until the kernel has ended. */
static void finish(struct rig *r)
{
    for (unsigned i = 0; i < 20; i++) {
        resume(r);
        if (run(r, 1000) == WT_RUN_ENDED)
            return;
    }
    fail_msg("the kernel does not end");
}

static uint32_t data(struct rig *r, unsigned index)
{
    uint8_t bytes[4];
    assert_true(sm_device_read(r->d, DATA + 4 * index, bytes, 4));
    return (uint32_t)wt_load_le(bytes, 4);
}

#endif
