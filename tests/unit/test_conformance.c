/*
 * The conformance test of Debug Modules: the emulator's passes it in every shape, and each check
 * notices a module that is wrong where it looks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "debug/conformance/conformance.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/run.h"
#include "mutant.h"

enum { MAX_CHECKS = 256 };

/* What each check said in a run, in the order of the table. */
struct outcome {
    enum wt_verdict verdict[MAX_CHECKS];
    char text[MAX_CHECKS][320];
    unsigned reported;
    const char *only; /* this check alone */
    struct wt_conformance_summary summary;
};

static size_t index_of(const char *name)
{
    for (size_t i = 0; i < wt_conformance_check_count(); i++)
        if (strcmp(wt_conformance_check(i)->name, name) == 0)
            return i;
    fail_msg("there is no check '%s'", name);
    return 0;
}

static bool wanted(void *context, const struct wt_conformance_check *check)
{
    const struct outcome *o = context;
    return !o->only || strcmp(check->name, o->only) == 0;
}

static void take(void *context, const struct wt_conformance_result *result)
{
    struct outcome *o = context;
    const size_t i = index_of(result->check->name);
    o->verdict[i] = result->verdict;
    snprintf(o->text[i], sizeof o->text[i], "%s", result->text);
    o->reported++;
    /* A verdict that is not "pass" says why. */
    assert_true(result->verdict == WT_VERDICT_PASS || result->text[0]);
}

static enum wt_status run(struct mutant *m, struct outcome *o, struct wt_error *err)
{
    const struct wt_conformance_options options = {.wanted = wanted, .result = take, .context = o};
    const char *only = o->only;
    *o = (struct outcome){.only = only};
    return wt_conformance_run(&m->target, &options, &o->summary, err);
}

static struct outcome *run_on(const char *gpu, const struct mutation *mutation)
{
    struct outcome *o = calloc(1, sizeof *o);
    struct wt_error err;
    struct mutant *m = mutant_new(gpu, mutation);
    if (run(m, o, &err))
        fail_msg("%s", err.text);
    mutant_free(m);
    assert_int_equal(o->reported, wt_conformance_check_count());
    assert_int_equal(o->summary.passed + o->summary.failed + o->summary.cannot_tell, o->reported);
    return o;
}

/* ---- the emulator passes ---- */

static const char *const shapes[] = {
    "",
    "warps=1,threads=1",
    "warps=1,threads=1,xlen=64",
    "warps=2,threads=128",
    "cores=3,warps=40,threads=8",
    "clusters=2,cores=20,warps=1,xlen=64",
    "dm-clock=1",
    "dm-clock=1,cores=9,warps=5,xlen=64",
    "dm-clock=7,cores=2",
    "ebreak-pc=after",
    "startup=0x10000,cores=2",
    "clusters=64,warps=511,threads=128",
    "cores=128,warps=256,threads=128",
};

static void the_emulator_passes_in_every_shape(void **state)
{
    bool passed[MAX_CHECKS] = {false};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        struct outcome *o = run_on(shapes[s], NULL);
        for (size_t i = 0; i < wt_conformance_check_count(); i++) {
            if (o->verdict[i] == WT_VERDICT_FAIL)
                fail_msg("%s: %s: %s", shapes[s], wt_conformance_check(i)->name, o->text[i]);
            passed[i] |= o->verdict[i] == WT_VERDICT_PASS;
        }
        free(o);
    }
    /* "Cannot tell" is right in some shapes; in all of them it would be no check. */
    for (size_t i = 0; i < wt_conformance_check_count(); i++)
        if (!passed[i])
            fail_msg("%s passes nowhere", wt_conformance_check(i)->name);
}

static void each_check_passes_when_run_alone(void **state)
{
    static const char *const gpus[] = {"cores=40,warps=4", "dm-clock=1"};
    for (size_t i = 0; i < wt_conformance_check_count(); i++) {
        bool passed = false;
        for (size_t g = 0; g < 2; g++) {
            struct outcome o = {.only = wt_conformance_check(i)->name};
            struct mutant *m = mutant_new(gpus[g], NULL);
            assert_int_equal(run(m, &o, NULL), WT_OK);
            mutant_free(m);
            assert_int_equal(o.reported, 1);
            assert_int_equal(o.summary.failed, 0);
            passed |= o.summary.passed == 1;
        }
        if (!passed)
            fail_msg("%s does not pass alone", wt_conformance_check(i)->name);
    }
}

/* ---- each check can fail ---- */

static void every_mutation_is_noticed_by_its_checks(void **state)
{
    unsigned missed = 0;
    for (size_t i = 0; i < mutation_count; i++) {
        const struct mutation *m = &mutations[i];
        struct outcome *o = run_on(m->gpu ? m->gpu : "", m);
        for (size_t k = 0; k < 5 && m->kills[k]; k++) {
            const size_t check = index_of(m->kills[k]);
            if (o->verdict[check] == WT_VERDICT_FAIL)
                continue;
            missed++;
            print_error("'%s' is not noticed by %s (%s)\n", m->name, m->kills[k], o->text[check]);
        }
        free(o);
    }
    assert_int_equal(missed, 0);
}

static void every_check_is_failed_by_some_mutation(void **state)
{
    unsigned idle = 0;
    for (size_t i = 0; i < wt_conformance_check_count(); i++) {
        const char *name = wt_conformance_check(i)->name;
        bool killed = false;
        for (size_t m = 0; m < mutation_count; m++)
            for (size_t k = 0; k < 5 && mutations[m].kills[k]; k++)
                killed |= strcmp(mutations[m].kills[k], name) == 0;
        if (!killed) {
            idle++;
            print_error("no mutation is for %s\n", name);
        }
    }
    assert_int_equal(idle, 0);
}

/* A failure is the module's: the same shape without the mutation passes. */
static void the_shapes_of_the_mutations_pass_without_them(void **state)
{
    for (size_t i = 0; i < mutation_count; i++) {
        const struct mutation *m = &mutations[i];
        for (size_t k = 0; m->gpu && k < 5 && m->kills[k]; k++) {
            struct outcome o = {.only = m->kills[k]};
            struct mutant *device = mutant_new(m->gpu, NULL);
            assert_int_equal(run(device, &o, NULL), WT_OK);
            mutant_free(device);
            if (o.summary.passed != 1)
                fail_msg("%s does not pass with %s", m->kills[k], m->gpu);
        }
    }
}

/* ---- how a device is left ---- */

static void the_device_is_left_reset_and_running_its_own_program(void **state)
{
    static const char *const gpus[] = {"", "cores=2,dm-clock=1", "xlen=64,warps=1"};
    for (size_t g = 0; g < 3; g++) {
        struct mutant *m = mutant_new(gpus[g], NULL);
        struct wt_machine *machine = vx_machine(m->device);
        struct outcome o = {0};
        uint32_t before[32], after[32];
        vx_dm_write(m->device, VX_DM_DCTRL, 1u << 31);
        vx_dm_write(m->device, VX_DM_DCONFIG, 3u << 29 | 1u << 26);
        assert_true(machine->ops->read_memory(machine, 0, 0, 0x80000000, before, sizeof before));
        assert_int_equal(run(m, &o, NULL), WT_OK);
        assert_true(o.summary.device.placed);
        assert_true(machine->ops->read_memory(machine, 0, 0, 0x80000000, after, sizeof after));
        assert_memory_equal(before, after, sizeof before);
        assert_int_equal(vx_dm_read(m->device, VX_DM_WSTATUS), 0);
        assert_int_equal(vx_dm_read(m->device, VX_DM_WMASK), 0);
        assert_int_equal(vx_dm_read(m->device, VX_DM_DPC), 0x80000000);
        assert_int_equal(vx_dm_read(m->device, VX_DM_DCTRL) >> 31, 1); /* as it was */
        assert_int_equal(vx_dm_read(m->device, VX_DM_DCONFIG), 3u << 29 | 1u << 26);
        assert_int_equal(machine->ops->run(machine, 100), WT_RUN_BUDGET);
        mutant_free(m);
    }
}

static void a_module_that_slept_sleeps_again(void **state)
{
    struct mutant *m = mutant_new("", NULL);
    struct outcome o = {0};
    assert_int_equal(run(m, &o, NULL), WT_OK);
    assert_int_equal(vx_dm_read(m->device, VX_DM_DCTRL) >> 31, 0);
    mutant_free(m);
}

/* Without a program there is memory full of zeros, which is not a program. */
static void instructions_can_go_elsewhere(void **state)
{
    struct mutant *m = mutant_new("cores=2", NULL);
    struct outcome o = {0};
    const struct wt_conformance_options options = {
        .wanted = wanted, .result = take, .context = &o, .base_given = true, .base = 0x20000000};
    assert_int_equal(wt_conformance_run(&m->target, &options, &o.summary, NULL), WT_OK);
    for (size_t i = 0; i < wt_conformance_check_count(); i++)
        if (o.verdict[i] == WT_VERDICT_FAIL)
            fail_msg("%s: %s", wt_conformance_check(i)->name, o.text[i]);
    assert_int_equal(o.summary.device.base, 0x20000000);
    assert_true(o.summary.passed > 80);
    mutant_free(m);
}

/* ---- a connection that fails, wherever it does ---- */

static void a_cut_wire_ends_the_run(void **state)
{
    struct mutant *whole = mutant_new("cores=2", NULL);
    struct outcome o = {0};
    whole->cut_at = UINT64_MAX;
    assert_int_equal(run(whole, &o, NULL), WT_OK);
    const uint64_t accesses = whole->accesses;
    mutant_free(whole);
    assert_true(accesses > 1000);
    for (uint64_t at = 1; at <= accesses; at += at / 8 + 1) {
        struct mutant *m = mutant_new("cores=2", NULL);
        struct wt_error err;
        m->cut_at = at;
        m->dead = at % 2;
        assert_int_equal(run(m, &o, &err), WT_IO);
        assert_non_null(strstr(err.text, "the wire is cut"));
        assert_int_equal(o.summary.failed, 0); /* what it says of the module stays true */
        assert_true(o.reported <= wt_conformance_check_count());
        /* Over a new connection the device is put in order. */
        if (!m->dead) {
            static const uint32_t program[2] = {0x00128293, 0xffdff06f};
            uint32_t word[17];
            struct wt_machine *machine = vx_machine(m->device);
            assert_true(machine->ops->read_memory(machine, 0, 0, 0x80000000, word, sizeof word));
            assert_memory_equal(word, program, sizeof program);
            for (unsigned i = 2; i < 17; i++)
                assert_int_equal(word[i], 0);
            assert_int_equal(vx_dm_read(m->device, VX_DM_WSTATUS), 0);
        }
        mutant_free(m);
    }
}

static bool stop_at_once(void *context)
{
    return true;
}

static void a_run_can_be_stopped(void **state)
{
    struct mutant *m = mutant_new("", NULL);
    struct wt_conformance_summary summary;
    const struct wt_conformance_options options = {.stop = stop_at_once};
    assert_int_equal(wt_conformance_run(&m->target, &options, &summary, NULL), WT_OK);
    assert_true(summary.stopped);
    assert_int_equal(summary.passed, 0);
    mutant_free(m);
}

static void the_table_is_sound(void **state)
{
    const size_t count = wt_conformance_check_count();
    assert_true(count <= MAX_CHECKS);
    assert_null(wt_conformance_check(count));
    for (size_t i = 0; i < count; i++) {
        const struct wt_conformance_check *check = wt_conformance_check(i);
        assert_int_equal(index_of(check->name), i); /* no name twice */
        assert_true(check->section[0] && check->reg[0] && check->title[0]);
        assert_non_null(strchr(check->name, '.'));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_sound),
        cmocka_unit_test(the_emulator_passes_in_every_shape),
        cmocka_unit_test(each_check_passes_when_run_alone),
        cmocka_unit_test(every_mutation_is_noticed_by_its_checks),
        cmocka_unit_test(every_check_is_failed_by_some_mutation),
        cmocka_unit_test(the_shapes_of_the_mutations_pass_without_them),
        cmocka_unit_test(the_device_is_left_reset_and_running_its_own_program),
        cmocka_unit_test(a_module_that_slept_sleeps_again),
        cmocka_unit_test(instructions_can_go_elsewhere),
        cmocka_unit_test(a_cut_wire_ends_the_run),
        cmocka_unit_test(a_run_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
