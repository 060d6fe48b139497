/*
 * Exceptions of Gen9's threads: a system routine, by assembled code (iga64), counts them, notes AIP
 * and cr0.1, and does what the test has put into its registers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <string.h>

#include "base/bits.h"
#include "base/fault.h"
#include "base/wave_view.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/run.h"
#include "gen_rig.h"
#include "object/gen_saved.h"
#include "emulator/machine/state.h"

enum { COUNT = 101, AIP, STATUS, KEEP, ADVANCE, SUPPRESS }; /* registers of the system routine */
enum { SIP = 0x800, INSTRUCTION = 16 };
#define BREAKPOINT (UINT32_C(1) << 31)
enum { HALT = 1 << 30, SOFTWARE = 1 << 29, ILLEGAL = 1 << 28, STACK = 1 << 27, FORCED = 1 << 26 };
enum { SAVE = 1 << 25, ENABLE_SAVE = 1 << 9, CR3_SAVE = 1 << 9 };
enum { BREAKPOINTS = GEN_TD_CTL_BREAKPOINTS | GEN_TD_CTL_FORCE_BREAKPOINTS };

/* wait n0.1; then, from `routine + 2` on: add r101 r101 1; mov r102 cr0.2; mov r103 cr0.1; and
 * cr0.1 cr0.1 r104; add cr0.2 cr0.2 r105; or cr0.0 cr0.0 r106; and cr0.0 cr0.0 0x7fffffff. */
static const uint64_t routine[] = {
    0x3204000400000030, 0x0000000000001204, 0x2ca0020c00000040, 0x0000000106000ca0,
    0x2cc0000c00000001, 0x0000000000001008, 0x2ce0000c00000001, 0x0000000000001004,
    0x3004000400000005, 0x00000d0002001004, 0x3008000400000040, 0x00000d2002001008,
    0x3000000400000006, 0x00000d4002001000, 0x3000000400000005, 0x7fffffff06001000};

/* add r10 r10 1; add r11 r11 1 {Breakpoint}; add r12 r12 1; add r13 r13 1; the end. */
static const uint64_t additions[] = {0x2140020c00000040, 0x0000000106000140, 0x2160020c40000040,
                                     0x0000000106000160, 0x2180020c00000040, 0x0000000106000180,
                                     0x21a0020c00000040, 0x00000001060001a0, 0x2fe0020c00600001,
                                     0x00000000008d0000, 0x2000020407600031, 0x8200001006000fe0};

/* or cr0.1 cr0.1 r20; add r11 r11 1 {Breakpoint}; mov (2) sp.0 r21; add r13 r13 1; the end. */
static const uint64_t own_control[] = {0x3004000400000006, 0x0000028002001004, 0x2160020c40000040,
                                       0x0000000106000160, 0x2c00020400200001, 0x00000000004502a0,
                                       0x21a0020c00000040, 0x00000001060001a0, 0x2fe0020c00600001,
                                       0x00000000008d0000, 0x2000020407600031, 0x8200001006000fe0};

static void put(struct rig *r, unsigned number, uint32_t value)
{
    wt_store_le(r->file + number * BYTES, value, 4);
}

static uint32_t get(struct rig *r, unsigned number)
{
    uint32_t value[8];
    read_register(r, number, value);
    return value[0];
}

static uint32_t control(struct rig *r, unsigned dword)
{
    uint32_t value[4];
    struct wt_machine *m = gen_machine(r->device);
    assert_true(m->ops->read_row(m, 0, GEN_REGISTER_CR0, value));
    return value[dword];
}

static void write_bus(struct rig *r, uint32_t addr, uint32_t value)
{
    struct wt_machine *m = gen_machine(r->device);
    m->ops->debug_write(m, addr, value);
    assert_int_equal(m->ops->debug_read(m, addr), value);
}

/* The routine clears the status bits that are not in `keep`, adds to AIP, and sets Breakpoint
 * Suppress if asked. */
static void open_with(struct rig *r, bool waits, uint32_t keep, uint32_t advance, bool suppress)
{
    open_rig(r);
    r->sip = SIP;
    assert_true(gen_device_write(r->device, CODE + SIP, routine + (waits ? 0 : 2),
                                 sizeof routine - (waits ? 0 : 16)));
    put(r, KEEP, keep);
    put(r, ADVANCE, advance);
    put(r, SUPPRESS, suppress ? 1 << 15 : 0);
}

static void each_addition_has_happened(struct rig *r)
{
    for (unsigned i = 10; i < 14; i++)
        assert_int_equal(get(r, i), 1);
    assert_int_equal(control(r, 0) & (UINT32_C(1) << 31 | 1 << 15), 0);
}

/* The instruction itself is AIP. With Breakpoint Suppress it is executed then, once. */
static void a_breakpoint_is_taken_before_its_instruction(void **state)
{
    struct rig r;
    (void)state;
    open_with(&r, false, ~BREAKPOINT, 0, true);
    write_bus(&r, GEN_TD_CTL, BREAKPOINTS);
    start(&r, additions, sizeof additions);
    run_to_end(&r, sizeof additions);
    assert_int_equal(get(&r, COUNT), 1);
    assert_int_equal(get(&r, AIP), 1 * INSTRUCTION);
    assert_int_equal(get(&r, STATUS), BREAKPOINT);
    each_addition_has_happened(&r);
    finish(&r);
}

/* Without Breakpoint Suppress it is taken again: the routine never gets behind it. */
static void without_suppression_a_breakpoint_is_taken_again(void **state)
{
    struct rig r;
    (void)state;
    open_with(&r, false, ~BREAKPOINT, 0, false);
    write_bus(&r, GEN_TD_CTL, BREAKPOINTS);
    start(&r, additions, sizeof additions);
    assert_int_equal(gen_machine(r.device)->ops->run(gen_machine(r.device), 100), WT_RUN_BUDGET);
    assert_true(get(&r, COUNT) > 5);
    assert_int_equal(get(&r, 11), 0);
    gen_device_free(r.device);
}

/* TD_CTL's Breakpoint Enable, and the thread's own enable bit or TD_CTL's for all threads; and a
 * system routine. */
static void breakpoints_must_be_enabled(void **state)
{
    const struct {
        uint32_t td_ctl, own, sip;
        unsigned taken;
    } tests[] = {{0, 0, SIP, 0},
                 {GEN_TD_CTL_BREAKPOINTS, 0, SIP, 0},
                 {GEN_TD_CTL_FORCE_BREAKPOINTS, 1 << 15, SIP, 0},
                 {GEN_TD_CTL_BREAKPOINTS, 1 << 15, SIP, 1},
                 {BREAKPOINTS, 0, SIP, 1},
                 {BREAKPOINTS, 1 << 15, 0, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        struct rig r;
        open_with(&r, false, ~BREAKPOINT, 0, true);
        r.sip = tests[i].sip;
        put(&r, 20, tests[i].own);
        write_bus(&r, GEN_TD_CTL, tests[i].td_ctl);
        start(&r, own_control, sizeof own_control);
        run_to_end(&r, sizeof own_control);
        assert_int_equal(get(&r, COUNT), tests[i].taken);
        assert_int_equal(get(&r, 11), 1);
        finish(&r);
    }
}

/* The status bit of breakpoints, left or set by the routine, steps: AIP is the next instruction. */
static void a_kept_breakpoint_status_steps(void **state)
{
    struct rig r;
    struct wt_machine *m;
    (void)state;
    open_with(&r, false, UINT32_MAX, 0, true);
    write_bus(&r, GEN_TD_CTL, BREAKPOINTS);
    start(&r, additions, sizeof additions);
    m = gen_machine(r.device);
    for (unsigned step = 0; step < 4; step++) {
        for (unsigned i = 0; get(&r, COUNT) == step || control(&r, 0) >> 31; i++) {
            assert_true(i < 100);
            assert_int_equal(m->ops->run(m, 1), WT_RUN_BUDGET);
        }
        assert_int_equal(get(&r, AIP), (1 + step) * INSTRUCTION);
        assert_int_equal(get(&r, 11), step > 0);
        assert_int_equal(get(&r, 12), step > 1);
        assert_int_equal(get(&r, 13), step > 2);
    }
    assert_int_equal(m->ops->run(m, 100), WT_RUN_ENDED);
    gen_device_free(r.device);
}

/* Opcode 0x7f, enabled by the walk's descriptor: AIP is the instruction, which the routine skips.
 */
static void an_illegal_opcode_enters_the_routine_where_enabled(void **state)
{
    uint64_t code[sizeof additions / 8];
    struct rig r;
    (void)state;
    memcpy(code, additions, sizeof code);
    code[4] = 0x7f;
    open_with(&r, false, ~(uint32_t)ILLEGAL, INSTRUCTION, false);
    r.enables = GEN_ENABLE_ILLEGAL;
    start(&r, code, sizeof code);
    run_to_end(&r, sizeof code);
    assert_int_equal(get(&r, COUNT), 1);
    assert_int_equal(get(&r, AIP), 2 * INSTRUCTION);
    assert_int_equal(get(&r, STATUS), ILLEGAL | 1 << 12);
    assert_int_equal(get(&r, 12), 0);
    assert_int_equal(get(&r, 13), 1);
    finish(&r);

    open_with(&r, false, ~(uint32_t)ILLEGAL, INSTRUCTION, false);
    start(&r, code, sizeof code);
    assert_int_equal(gen_machine(r.device)->ops->run(gen_machine(r.device), 100), WT_RUN_FAULT);
    assert_int_equal(gen_machine(r.device)->fault.kind, WT_FAULT_ILLEGAL);
    gen_device_free(r.device);
}

/* A thread sets the status bit itself; AIP is the next instruction. */
static void a_software_exception_is_the_threads_own(void **state)
{
    for (unsigned enabled = 0; enabled < 2; enabled++) {
        struct rig r;
        (void)state;
        open_with(&r, false, ~(uint32_t)SOFTWARE, 0, false);
        r.enables = enabled ? GEN_ENABLE_SOFTWARE : 0;
        put(&r, 20, SOFTWARE);
        start(&r, own_control, sizeof own_control);
        run_to_end(&r, sizeof own_control);
        assert_int_equal(get(&r, COUNT), enabled);
        assert_int_equal(get(&r, AIP), enabled ? 1 * INSTRUCTION : 0);
        assert_int_equal(get(&r, STATUS), enabled ? SOFTWARE | 1 << 13 : 0);
        assert_int_equal(get(&r, 13), 1);
        finish(&r);
    }
}

static void read_stack(struct rig *r, uint32_t stack[4])
{
    struct wt_machine *m = gen_machine(r->device);
    assert_true(m->ops->read_row(m, 0, GEN_REGISTER_SP, stack));
}

/* A stack's top (sp.0) that would be beyond its limit (sp.1): sp stays as it was. */
static void a_stack_that_is_full_is_an_exception(void **state)
{
    for (unsigned beyond = 0; beyond < 2; beyond++) {
        struct rig r;
        (void)state;
        open_with(&r, false, ~(uint32_t)STACK, INSTRUCTION, false);
        r.enables = GEN_ENABLE_STACK;
        put(&r, 21, 0x1000 + beyond);
        wt_store_le(r.file + 21 * BYTES + 4, 0x1000, 4);
        start(&r, own_control, sizeof own_control);
        run_to_end(&r, sizeof own_control);
        assert_int_equal(get(&r, COUNT), beyond);
        assert_int_equal(get(&r, AIP), beyond ? 2 * INSTRUCTION : 0);
        assert_int_equal(get(&r, STATUS), beyond ? STACK | 1 << 11 : 0);
        uint32_t stack[4];
        read_stack(&r, stack);
        assert_int_equal(stack[0], beyond ? 0 : 0x1000);
        assert_int_equal(stack[1], beyond ? 0 : 0x1000);
        finish(&r);
    }
}

/* Nobody takes the exception: without a routine, enabled or not, and with one where it is not
 * enabled. The instruction has had no effect. */
static void a_stack_that_is_full_is_reported(void **state)
{
    const struct {
        uint32_t sip, enables;
    } tests[] = {{0, 0}, {0, GEN_ENABLE_STACK}, {SIP, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        struct rig r;
        uint32_t stack[4];
        open_with(&r, false, UINT32_MAX, 0, false);
        r.sip = tests[i].sip;
        r.enables = tests[i].enables;
        put(&r, 21, 0x1001);
        wt_store_le(r.file + 21 * BYTES + 4, 0x1000, 4);
        start(&r, own_control, sizeof own_control);
        struct wt_machine *m = gen_machine(r.device);
        assert_int_equal(m->ops->run(m, 100), WT_RUN_FAULT);
        assert_int_equal(m->fault.kind, WT_FAULT_STACK_OVERFLOW);
        assert_int_equal(m->fault.pc, CODE + 2 * INSTRUCTION);
        assert_int_equal(m->time, 2);
        assert_non_null(strstr(m->fault.text, "sp.0 = 0x1001"));
        assert_non_null(strstr(m->fault.text, "sp.1 = 0x1000"));
        read_stack(&r, stack);
        assert_int_equal(stack[0] | stack[1], 0);
        gen_device_free(r.device);
    }
}

/* Thread 0 of EU 0 waits in its routine: its bit of TD_ATT is set. TD_CLR lets it go on. */
static void the_host_halts_a_thread_and_lets_it_go(void **state)
{
    struct rig r;
    struct wt_machine *m;
    struct wt_wave_view view;
    (void)state;
    open_with(&r, true, ~(uint32_t)HALT, 0, false);
    start(&r, additions, sizeof additions);
    m = gen_machine(r.device);
    assert_int_equal(m->ops->run(m, 1), WT_RUN_BUDGET);
    write_bus(&r, GEN_TD_CTL, GEN_TD_CTL_HALT);
    assert_int_equal(m->ops->debug_read(m, GEN_TD_ATT), 0);
    assert_int_equal(m->ops->run(m, 100), WT_RUN_EVENT);
    assert_int_equal(m->ops->run(m, 100), WT_RUN_HALTED);
    assert_int_equal(m->ops->debug_read(m, GEN_TD_ATT), 1);
    assert_int_equal(m->ops->debug_read(m, GEN_TD_ATT + 1), 0);
    write_bus(&r, GEN_MCR_SELECTOR, 1 << 24); /* a subslice that is not there */
    assert_int_equal(m->ops->debug_read(m, GEN_TD_ATT), 0);
    write_bus(&r, GEN_MCR_SELECTOR, 0);
    m->ops->view(m, 0, &view);
    assert_string_equal(view.wait, "wait: stopped in the system routine");
    assert_int_equal(control(&r, 1), HALT);
    assert_int_equal(control(&r, 2), 1 * INSTRUCTION);
    m->ops->debug_write(m, GEN_TD_CLR, 2); /* another thread's */
    assert_int_equal(m->ops->run(m, 100), WT_RUN_HALTED);
    write_bus(&r, GEN_TD_CTL, 0);
    m->ops->debug_write(m, GEN_TD_CLR, 1);
    run_to_end(&r, sizeof additions);
    assert_int_equal(get(&r, COUNT), 1);
    assert_int_equal(get(&r, AIP), 1 * INSTRUCTION);
    each_addition_has_happened(&r);
    finish(&r);
}

/* A request counts in threads that have enabled it, or with CONTEXT_SAVE.FORCE in all. The routine
 * finds cr0.3 bit 9 set until it returns; AIP is the next instruction. */
static void a_context_save_is_requested_by_the_host(void **state)
{
    static const struct {
        uint32_t request, own;
        bool entered;
    } tests[] = {{GEN_SAVE_REQUEST, 0, false},
                 {GEN_SAVE_FORCE, ENABLE_SAVE, false},
                 {GEN_SAVE_REQUEST, ENABLE_SAVE, true},
                 {GEN_SAVE_REQUEST | GEN_SAVE_FORCE, 0, true}};
    (void)state;
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        struct rig r;
        open_with(&r, true, ~(uint32_t)SAVE, 0, false);
        put(&r, 20, tests[i].own);
        struct wt_machine *m = gen_machine(r.device);
        start(&r, own_control, sizeof own_control);
        m->ops->run(m, 2);
        m->ops->debug_write(m, GEN_CONTEXT_SAVE, tests[i].request);
        assert_int_equal(m->ops->debug_read(m, GEN_CONTEXT_SAVE), 0);
        if (tests[i].entered) {
            m->ops->run(m, 100);
            assert_int_equal(m->ops->debug_read(m, GEN_TD_ATT), 1);
            assert_int_equal(control(&r, 3), CR3_SAVE);
            m->ops->debug_write(m, GEN_TD_CLR, 1);
        }
        run_to_end(&r, sizeof own_control);
        assert_int_equal(get(&r, COUNT), tests[i].entered);
        if (tests[i].entered) {
            assert_int_equal(get(&r, AIP), 2 * INSTRUCTION);
            assert_int_equal(get(&r, STATUS), tests[i].own | SAVE);
            assert_int_equal(control(&r, 3), 0);
        }
        finish(&r);
    }
}

/* A thread that is in its routine saves its context when it is back, if it still ought to. */
static void a_context_save_waits_for_the_routines_end(void **state)
{
    struct rig r;
    (void)state;
    open_with(&r, true, ~(uint32_t)HALT, 0, false);
    struct wt_machine *m = gen_machine(r.device);
    start(&r, additions, sizeof additions);
    m->ops->run(m, 1);
    write_bus(&r, GEN_TD_CTL, BREAKPOINTS | GEN_TD_CTL_HALT);
    write_bus(&r, GEN_TD_CTL, 0);
    m->ops->run(m, 100);
    m->ops->debug_write(m, GEN_CONTEXT_SAVE, GEN_SAVE_REQUEST | GEN_SAVE_FORCE);
    assert_int_equal(control(&r, 3), 0);
    m->ops->debug_write(m, GEN_TD_CLR, 1);
    m->ops->run(m, 100);
    assert_int_equal(control(&r, 3), CR3_SAVE);
    assert_int_equal(get(&r, COUNT), 1);
    assert_true(
        m->ops->write_memory(m, 0, 0, GEN_FILE_APERTURE + KEEP * BYTES, &(const uint32_t){0}, 4));
    m->ops->debug_write(m, GEN_TD_CLR, 1);
    run_to_end(&r, sizeof additions);
    assert_int_equal(get(&r, COUNT), 2);
    each_addition_has_happened(&r);
    finish(&r);
}

/* Both bits of TD_CTL are needed; AIP is the kernel's first instruction. */
static void a_forced_exception_comes_before_the_first_instruction(void **state)
{
    for (unsigned enabled = 0; enabled < 2; enabled++) {
        struct rig r;
        (void)state;
        open_with(&r, false, ~(uint32_t)FORCED, 0, false);
        write_bus(&r, GEN_TD_CTL, GEN_TD_CTL_FORCE | (enabled ? GEN_TD_CTL_FORCE_ENABLE : 0));
        start(&r, additions, sizeof additions);
        run_to_end(&r, sizeof additions);
        assert_int_equal(get(&r, COUNT), enabled);
        assert_int_equal(get(&r, STATUS), enabled ? FORCED : 0);
        assert_int_equal(get(&r, AIP), 0);
        each_addition_has_happened(&r);
        finish(&r);
    }
}

/* Whatever the routine was doing, a state that is restored goes on with it: steps, waiting, and the
 * bus's registers. */
static void time_travel_through_the_routine(void **state)
{
    enum { ISSUES = 40 };
    uint64_t hash[ISSUES];
    struct wt_state *saved[ISSUES];
    struct rig r;
    struct wt_machine *m;
    (void)state;
    open_with(&r, false, UINT32_MAX, 0, true);
    write_bus(&r, GEN_TD_CTL, BREAKPOINTS);
    start(&r, additions, sizeof additions);
    m = gen_machine(r.device);
    for (unsigned i = 0; i < ISSUES; i++) {
        saved[i] = wt_state_save(m);
        assert_non_null(saved[i]);
        hash[i] = m->ops->hash(m);
        m->ops->run(m, 1);
    }
    write_bus(&r, GEN_TD_CTL, 0);
    for (unsigned i = ISSUES; i--;) {
        wt_state_restore(m, saved[i]);
        for (unsigned k = i; k < ISSUES; k++) {
            assert_int_equal(m->ops->hash(m), hash[k]);
            m->ops->run(m, 1);
        }
        wt_state_free(saved[i]);
    }
    gen_device_free(r.device);
}

/* ---- the driver's routine ---- */

static void read_saved(struct rig *r, struct gen_saved *saved)
{
    struct wt_machine *m = gen_machine(r->device);
    assert_true(m->ops->read_memory(m, 0, 0, GEN_SAVED_APERTURE, saved, sizeof *saved));
}

static void write_saved_control(struct rig *r, uint32_t cr0, uint32_t cr1)
{
    struct wt_machine *m = gen_machine(r->device);
    const uint32_t cr[2] = {cr0, cr1};
    assert_true(m->ops->write_memory(m, 0, 0, GEN_SAVED_APERTURE + offsetof(struct gen_saved, cr),
                                     cr, sizeof cr));
    m->ops->debug_write(m, GEN_TD_CLR, 1);
}

/* Halted, stepped and stopped by a breakpoint, a program comes to the state that it comes to
 * without a debugger, at the same issue time. */
static void a_debugger_leaves_no_trace(void **state)
{
    struct rig plain, debugged;
    struct gen_saved saved;
    struct wt_machine *m;
    (void)state;
    open_rig(&plain);
    start(&plain, additions, sizeof additions);
    run_to_end(&plain, sizeof additions);
    open_rig(&debugged);
    m = gen_machine(debugged.device);
    gen_device_debug(debugged.device, true);
    start(&debugged, additions, sizeof additions);
    m->ops->debug_write(m, GEN_TD_CTL, m->ops->debug_read(m, GEN_TD_CTL) | GEN_TD_CTL_HALT);
    m->ops->debug_write(m, GEN_TD_CTL, BREAKPOINTS);
    read_saved(&debugged, &saved);
    assert_int_equal(saved.cr[1], HALT);
    assert_int_equal(saved.cr[2], 0);
    assert_int_equal(m->ops->run(m, 10), WT_RUN_HALTED);
    write_saved_control(&debugged, 0, 0);
    assert_int_equal(m->ops->run(m, 10), WT_RUN_EVENT);
    for (unsigned i = 1; i < 4; i++) {
        read_saved(&debugged, &saved);
        assert_int_equal(m->time, i);
        assert_int_equal(saved.cr[0], UINT32_C(1) << 31);
        assert_int_equal(saved.cr[1], BREAKPOINT);
        assert_int_equal(saved.cr[2], i * INSTRUCTION);
        assert_int_equal(m->ops->debug_read(m, GEN_TD_ATT), 1);
        write_saved_control(&debugged, GEN_SAVED_SUPPRESS, BREAKPOINT);
        assert_int_equal(m->ops->debug_read(m, GEN_TD_ATT), 0);
        assert_int_equal(m->ops->run(m, 10), WT_RUN_EVENT);
    }
    assert_int_equal(m->time, gen_machine(plain.device)->time);
    gen_device_debug(debugged.device, false);
    assert_int_equal(m->ops->hash(m), m->ops->hash(gen_machine(plain.device)));
    finish(&plain);
    finish(&debugged);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_breakpoint_is_taken_before_its_instruction),
        cmocka_unit_test(without_suppression_a_breakpoint_is_taken_again),
        cmocka_unit_test(breakpoints_must_be_enabled),
        cmocka_unit_test(a_kept_breakpoint_status_steps),
        cmocka_unit_test(an_illegal_opcode_enters_the_routine_where_enabled),
        cmocka_unit_test(a_software_exception_is_the_threads_own),
        cmocka_unit_test(a_stack_that_is_full_is_an_exception),
        cmocka_unit_test(a_stack_that_is_full_is_reported),
        cmocka_unit_test(the_host_halts_a_thread_and_lets_it_go),
        cmocka_unit_test(a_context_save_is_requested_by_the_host),
        cmocka_unit_test(a_context_save_waits_for_the_routines_end),
        cmocka_unit_test(a_forced_exception_comes_before_the_first_instruction),
        cmocka_unit_test(time_travel_through_the_routine),
        cmocka_unit_test(a_debugger_leaves_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
