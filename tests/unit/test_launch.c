/* Device configuration registers and what a reset makes of them (profile v2). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(startup_addr_is_where_every_core_begins),
        cmocka_unit_test(startup_arg_is_in_mscratch_after_reset),
        cmocka_unit_test(the_second_registers_hold_bits_63_to_32),
        cmocka_unit_test(unknown_registers_are_refused),
        cmocka_unit_test(a_reset_begins_again_and_keeps_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
