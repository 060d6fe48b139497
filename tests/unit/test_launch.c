/* Device configuration registers, what a reset makes of them, and launches without one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/wave_view.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/run.h"
#include "emulator/machine/state.h"
#include "emulator/vortex/vortex.h"

/* csrr t0, mscratch; sw t0, 0x88(x0); tmc x0: the kernel argument becomes the exit word. */
static const uint32_t program[] = {0x340022f3, 0x08502423, 0x0000000b};

static struct vx_device *new_device(unsigned xlen, unsigned cores)
{
    struct vx_config config;
    struct vx_device *device;
    struct wt_error err;
    vx_config_default(&config);
    config.xlen = xlen;
    config.cores = cores;
    assert_int_equal(vx_device_new(&config, &device, &err), WT_OK);
    return device;
}

static void put_program(struct vx_device *device, uint64_t addr)
{
    struct wt_machine *m = vx_machine(device);
    assert_true(m->ops->write_memory(m, 0, 0, addr, program, sizeof program));
}

static void startup_addr_is_where_every_core_begins(void **state)
{
    struct vx_device *device = new_device(32, 3);
    struct wt_machine *m = vx_machine(device);
    assert_true(vx_device_dcr_write(device, 0x001, 0x90000000));
    m->ops->reset(m);
    for (uint32_t wave = 0; wave < m->waves; wave++) {
        struct wt_wave_view view;
        m->ops->view(m, wave, &view);
        assert_int_equal(view.active, wave % 4 == 0);
        if (view.active) {
            assert_true(view.pc == 0x90000000);
            assert_true(view.mask == 1);
            assert_int_equal(view.depth, 0);
        }
    }
    vx_device_free(device);
}

static void startup_arg_is_in_mscratch_after_reset(void **state)
{
    struct vx_device *device = new_device(32, 1);
    struct wt_machine *m = vx_machine(device);
    put_program(device, 0x90000000);
    assert_true(vx_device_dcr_write(device, 0x001, 0x90000000));
    assert_true(vx_device_dcr_write(device, 0x003, 0x1234abcd));
    m->ops->reset(m);
    assert_int_equal(m->ops->run(m, 100), WT_RUN_ENDED);
    assert_int_equal(vx_device_exit_word(device), 0x1234abcd);
    assert_true(m->time == 3);
    vx_device_free(device);
}

static void the_second_registers_hold_bits_63_to_32(void **state)
{
    struct vx_device *device = new_device(64, 1);
    struct wt_machine *m = vx_machine(device);
    /* csrr t0, mscratch; sd t0, 0x88(x0); tmc x0 */
    static const uint32_t wide[] = {0x340022f3, 0x08503423, 0x0000000b};
    uint64_t argument = 0;
    assert_true(m->ops->write_memory(m, 0, 0, 0x180000000, wide, sizeof wide));
    assert_true(vx_device_dcr_write(device, 0x001, 0x80000000));
    assert_true(vx_device_dcr_write(device, 0x002, 0x1));
    assert_true(vx_device_dcr_write(device, 0x003, 0x89abcdef));
    assert_true(vx_device_dcr_write(device, 0x004, 0x01234567));
    m->ops->reset(m);
    assert_int_equal(m->ops->run(m, 100), WT_RUN_ENDED);
    assert_true(m->ops->read_memory(m, 0, 0, 0x88, &argument, sizeof argument));
    assert_true(argument == 0x0123456789abcdef);
    vx_device_free(device);
}

static void unknown_registers_are_refused(void **state)
{
    struct vx_device *device = new_device(32, 1);
    assert_true(vx_device_dcr_write(device, 0x005, 1)); /* MPM_CLASS */
    assert_false(vx_device_dcr_write(device, 0x000, 1));
    assert_false(vx_device_dcr_write(device, 0x006, 1));
    assert_false(vx_device_dcr_write(device, 0x010, 1)); /* of the version after this one */
    assert_false(vx_device_dcr_write(device, 0xfff, 1));
    vx_device_free(device);
}

/* Warps leave off where the last run left them; a reset does not clear memory. */
static void a_reset_begins_again_and_keeps_memory(void **state)
{
    struct vx_device *device = new_device(32, 1);
    struct wt_machine *m = vx_machine(device);
    put_program(device, 0x80000000);
    assert_true(vx_device_dcr_write(device, 0x003, 7));
    m->ops->reset(m);
    const uint64_t before = m->ops->hash(m);
    assert_int_equal(m->ops->run(m, 100), WT_RUN_ENDED);
    assert_int_equal(m->active, 0);
    m->ops->reset(m);
    assert_true(m->time == 0);
    assert_int_equal(vx_device_exit_word(device), 7);
    assert_true(m->ops->hash(m) != before); /* the exit word is there now */
    assert_int_equal(m->ops->run(m, 100), WT_RUN_ENDED);
    assert_int_equal(vx_device_exit_word(device), 7);
    vx_device_free(device);
}

/* ---- profile v3 ---- */

/* csrr t0, mscratch; csrr t1, vx_cta_block_id_x; slli t2, t1, 2; add t2, t2, t0; sw t1, 0(t2);
 * tmc x0. A warp that is used again goes on with the second one. */
static const uint32_t kernel[] = {0x340022f3, 0xcd602373, 0x00231393,
                                  0x005383b3, 0x0063a023, 0x0000000b};
enum { OUT = 0x81000000 };

static struct vx_device *new_v3(struct vx_launch *launch)
{
    struct vx_config config;
    struct vx_device *device;
    struct wt_error err;
    vx_config_default(&config);
    assert_int_equal(wt_config_parse(&vx_config_table, &config, "profile=v3,warps=1", &err), WT_OK);
    assert_int_equal(vx_device_new(&config, &device, &err), WT_OK);
    vx_device_stop(device); /* what a driver does, whose program launches */
    struct wt_machine *m = vx_machine(device);
    assert_true(m->ops->write_memory(m, 0, 0, 0x80000000, kernel, sizeof kernel));
    *launch = (struct vx_launch){.startup = 0x80000000,
                                 .argument = OUT,
                                 .grid = {10, 1, 1},
                                 .block = {4, 1, 1},
                                 .cluster = {1, 1, 1}};
    vx_launch_complete(launch, 4);
    return device;
}

static void launches_follow_each_other(void **state)
{
    struct vx_launch launch, seen;
    struct wt_error err;
    struct vx_device *device = new_v3(&launch);
    struct wt_machine *m = vx_machine(device);
    uint32_t out[10], value;
    assert_int_equal(vx_device_launch(device, &launch, &err), WT_OK);
    assert_int_equal(vx_device_launch(device, &launch, &err), WT_INVALID);
    assert_non_null(strstr(err.text, "has not ended"));
    assert_int_equal(m->ops->run(m, 1000), WT_RUN_ENDED);
    assert_true(m->time == 6 + 9 * 5);
    assert_true(vx_device_issues(device, 0) == 6 + 9 * 5);
    assert_true(m->ops->read_memory(m, 0, 0, OUT, out, sizeof out));
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(out[i], i);
    /* The next one has a prologue of its own; time goes on. */
    assert_true(vx_device_dcr_write(device, 0x019, 3));
    assert_int_equal(vx_device_start(device, &err), WT_OK);
    assert_int_equal(m->ops->run(m, 1000), WT_RUN_ENDED);
    assert_true(m->time == 6 + 9 * 5 + 6 + 2 * 5);
    assert_true(m->resets == 1);
    vx_device_launch_registers(device, &seen);
    assert_true(seen.grid[0] == 3 && seen.block_size == 4 && seen.argument == OUT);
    assert_true(vx_device_dcr_read(device, 0x014, &value) && value == OUT);
    assert_true(vx_device_dcr_read(device, 0x000, &value) && value == 0);
    assert_false(vx_device_dcr_write(device, 0x000, 1));
    assert_false(vx_device_dcr_read(device, 0x024, &value));
    vx_device_free(device);
}

static void a_launch_may_be_given_up(void **state)
{
    struct vx_launch launch;
    struct wt_error err;
    struct vx_device *device = new_v3(&launch);
    struct wt_machine *m = vx_machine(device);
    assert_int_equal(vx_device_launch(device, &launch, &err), WT_OK);
    assert_int_equal(m->ops->run(m, 8), WT_RUN_BUDGET);
    vx_device_stop(device);
    assert_int_equal(m->active, 0);
    assert_int_equal(m->ops->run(m, 1000), WT_RUN_ENDED);
    assert_true(m->time == 8);
    assert_int_equal(vx_device_launch(device, &launch, &err), WT_OK);
    assert_int_equal(m->ops->run(m, 1000), WT_RUN_ENDED);
    assert_true(m->time == 8 + 51);
    vx_device_free(device);
}

static void launches_that_cannot_be(void **state)
{
    struct vx_launch launch, other;
    struct wt_error err;
    struct vx_device *device = new_v3(&launch), *old = new_device(32, 1);
    struct wt_machine *m = vx_machine(device);
    other = launch;
    other.cluster[0] = 3;
    assert_int_equal(vx_device_launch(device, &other, &err), WT_INVALID);
    assert_non_null(strstr(err.text, "does not divide"));
    other = launch;
    other.local_size = 16385;
    assert_int_equal(vx_device_launch(device, &other, &err), WT_INVALID);
    assert_non_null(strstr(err.text, "16385 bytes of local memory"));
    for (unsigned i = 0; i < 3; i++) { /* nothing to run is a launch that has ended */
        other = launch;
        other.grid[i] = 0;
        assert_int_equal(vx_device_launch(device, &other, &err), WT_OK);
        assert_int_equal(m->active, 0);
        assert_int_equal(m->ops->run(m, 10), WT_RUN_ENDED);
    }
    assert_int_equal(vx_device_launch(old, &launch, &err), WT_UNSUPPORTED);
    vx_device_stop(old);
    assert_int_equal(vx_device_start(old, &err), WT_OK); /* warp 0, as a launch of 2.x */
    assert_int_equal(vx_machine(old)->active, 1);
    vx_device_free(old);
    vx_device_free(device);
}

/* The state in the middle of a grid goes to a snapshot and back, and the same follows. */
static void a_grid_is_saved_and_restored(void **state)
{
    struct vx_launch launch;
    struct wt_error err;
    struct vx_device *device = new_v3(&launch);
    struct wt_machine *m = vx_machine(device);
    assert_int_equal(vx_device_launch(device, &launch, &err), WT_OK);
    assert_int_equal(m->ops->run(m, 20), WT_RUN_BUDGET);
    struct wt_state *saved = wt_state_save(m);
    assert_non_null(saved);
    const uint64_t before = m->ops->hash(m);
    assert_int_equal(m->ops->run(m, 1000), WT_RUN_ENDED);
    const uint64_t end = m->ops->hash(m);
    wt_state_restore(m, saved);
    assert_true(m->ops->hash(m) == before);
    assert_int_equal(m->ops->run(m, 1000), WT_RUN_ENDED);
    assert_true(m->ops->hash(m) == end && before != end);
    wt_state_free(saved);
    vx_device_free(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(startup_addr_is_where_every_core_begins),
        cmocka_unit_test(startup_arg_is_in_mscratch_after_reset),
        cmocka_unit_test(the_second_registers_hold_bits_63_to_32),
        cmocka_unit_test(unknown_registers_are_refused),
        cmocka_unit_test(a_reset_begins_again_and_keeps_memory),
        cmocka_unit_test(launches_follow_each_other),
        cmocka_unit_test(a_launch_may_be_given_up),
        cmocka_unit_test(launches_that_cannot_be),
        cmocka_unit_test(a_grid_is_saved_and_restored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
