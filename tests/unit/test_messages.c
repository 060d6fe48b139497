/*
 * Messages of dprintf in the console: each lane has its own text, and nothing stops for it. A
 * second client of the session counts the stops. The program is the C++ program of the fuzz targets
 * (PROGRAM): one warp of four threads, each of which calls deep(3).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/console/console.h"
#include "target/emulated.h"

struct rig {
    struct wt_emulated_options options;
    struct wt_emulated e;
    FILE *device_console;
    struct wt_session *session;
    struct wt_client *witness;
    struct wt_shell *shell;
    unsigned stops;
    char said[65536];
    size_t length;
};

static void put(void *context, const char *text, size_t length)
{
    struct rig *r = context;
    assert_true(r->length + length < sizeof r->said);
    memcpy(r->said + r->length, text, length);
    r->length += length;
    r->said[r->length] = 0;
}

static ssize_t put_program(void *context, const char *text, size_t length)
{
    struct rig *r = context;
    if (r->shell)
        wt_shell_print(r->shell, text, length);
    return (ssize_t)length;
}

static void put_message(void *context, const char *text, size_t length)
{
    put_program(context, text, length);
}

static void nothing(void *context)
{
    (void)context;
}

static bool no(void *context)
{
    (void)context;
    return false;
}

static bool yes(void *context)
{
    (void)context;
    return true;
}

static void count_stop(void *context, const struct wt_event *event)
{
    ((struct rig *)context)->stops += event->kind == WT_EVENT_STOPPED;
}

static const struct wt_client_ops witness_ops = {
    .handle = nothing, .event = count_stop, .answer = no, .is_full = no, .is_idle = yes};

static struct rig *rig_new(void)
{
    struct wt_error err = {0};
    struct rig *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->options = (struct wt_emulated_options){.history_memory = (uint64_t)16 << 20,
                                              .memory = (uint64_t)16 << 20};
    assert_int_equal(wt_gpu_choose(&r->options.gpu, "vortex:warps=2,threads=4", &err), WT_OK);
    assert_int_equal(wt_emulated_open(&r->e, &r->options, PROGRAM, &err), WT_OK);
    r->device_console = fopencookie(r, "w", (cookie_io_functions_t){.write = put_program});
    assert_non_null(r->device_console);
    r->e.console = r->device_console;
    assert_int_equal(wt_emulated_debug(&r->e, put_message, r, &err), WT_OK);
    assert_non_null(r->session = wt_session_new(r->e.debugger));
    assert_non_null(r->witness = wt_session_join(r->session, &witness_ops, r));
    const struct wt_shell_options options = {.session = r->session,
                                             .modules = r->e.modules,
                                             .program = "program",
                                             .output = put,
                                             .context = r};
    assert_non_null(r->shell = wt_shell_new(&options));
    return r;
}

static void rig_free(struct rig *r)
{
    wt_shell_free(r->shell);
    wt_client_leave(r->witness);
    wt_session_free(r->session);
    wt_debugger_close(r->e.debugger);
    wt_emulated_close(&r->e);
    fclose(r->device_console);
    wt_gpu_free(&r->options.gpu);
    free(r);
}

/* What a command says. */
static const char *ask(struct rig *r, const char *command)
{
    struct wt_error err = {0};
    r->length = 0;
    r->said[0] = 0;
    if (wt_shell_execute(r->shell, command, &err) != WT_OK)
        fail_msg("%s: %s", command, err.text);
    return r->said;
}

static unsigned count(const char *text, const char *what)
{
    unsigned n = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at += strlen(what))
        n++;
    return n;
}

static void each_lane_prints_its_own_and_nothing_stops(void **state)
{
    (void)state;
    struct rig *r = rig_new();
    ask(r, "dprintf deep if n == 3,\"[%u %5.1f %s]\\n\",$_lane,n/2.0,\"deep\"");
    const char *said = ask(r, "run");
    assert_non_null(
        strstr(said, "[0   1.5 deep]\n[1   1.5 deep]\n[2   1.5 deep]\n[3   1.5 deep]\n"));
    assert_int_equal(count(said, " deep]"), 4);
    assert_int_equal(r->stops, 0);
    rig_free(r);
}

static void a_condition_chooses_lanes_whose_values_may_ask_others(void **state)
{
    (void)state;
    struct rig *r = rig_new();
    ask(r, "dprintf deep if n == 3 && $_lane > 1,\"%d of %d\\n\",$_lane,sum($_lane@*)");
    const char *said = ask(r, "run");
    assert_int_equal(count(said, "2 of 6\n"), 1);
    assert_int_equal(count(said, "3 of 6\n"), 1);
    assert_int_equal(count(said, " of "), 2);
    assert_non_null(strstr(ask(r, "info breakpoints"), "already hit 1 time\n"));
    assert_int_equal(r->stops, 0);
    rig_free(r);
}

static void a_value_that_cannot_be_read_is_told(void **state)
{
    (void)state;
    struct rig *r = rig_new();
    ask(r, "dprintf deep if n == 3,\"%d\\n\",12/($_lane-1)");
    const char *said = ask(r, "run");
    assert_int_equal(count(said, "\n0\n12\n6\n"), 1);
    assert_int_equal(count(said, "cannot be read in thread 1.\n"), 1);
    assert_int_equal(r->stops, 0);
    rig_free(r);
}

/* An array of a length that the program computes, or a string of no memory, is printed at a stop,
 * which the user does not see. */
static void what_needs_a_stop_gets_one(void **state)
{
    (void)state;
    struct rig *r = rig_new();
    ask(r, "dprintf deep if n == 3,\"<%5.2s>\\n\",\"abc\"");
    const char *said = ask(r, "run");
    assert_int_equal(count(said, "<   ab>\n"), 4);
    assert_int_equal(count(said, "Program stopped"), 0);
    assert_int_not_equal(r->stops, 0);
    rig_free(r);
}

static void a_stop_at_the_same_place_prints_once(void **state)
{
    (void)state;
    struct rig *r = rig_new();
    ask(r, "dprintf deep if n == 3,\"[%d]\\n\",n");
    ask(r, "break deep if n == 3");
    const char *said = ask(r, "run");
    assert_int_equal(count(said, "[3]\n"), 4);
    assert_int_equal(count(said, "Breakpoint 2, "), 1);
    said = ask(r, "continue");
    assert_int_equal(count(said, "[3]\n"), 0);
    assert_int_equal(r->stops, 1);
    /* Backwards it stops, to print. */
    ask(r, "delete 1");
    ask(r, "dprintf deep if n == 2,\"[%d]\\n\",n");
    ask(r, "run");
    said = ask(r, "reverse-continue");
    assert_int_equal(count(said, "[2]\n"), 4);
    rig_free(r);
}

/* Each level compiles its branches for their type, too: 2 to the power of 60 ways. */
static void a_chain_of_choices_ends(void **state)
{
    (void)state;
    struct rig *r = rig_new();
    char text[1000] = "print ", many[2000] = "dprintf deep,\"";
    struct wt_error err = {0};
    for (unsigned i = 0; i < 60; i++)
        strcat(text, "1?2:");
    strcat(text, "3");
    assert_int_not_equal(wt_shell_execute(r->shell, text, &err), WT_OK);
    assert_non_null(strstr(err.text, "too long"));
    /* More values than a message may have are printed at a stop. */
    for (unsigned i = 0; i < 100; i++)
        strcat(many, "%s");
    strcat(many, "\"");
    for (unsigned i = 0; i < 100; i++)
        strcat(many, ",\"a\"");
    ask(r, many);
    assert_non_null(strstr(ask(r, "run"), "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
    rig_free(r);
}

/* GDB leaves the breakpoint at which a step has ended, and so does the console. */
static void a_step_to_a_breakpoint_is_one_stop(void **state)
{
    (void)state;
    struct rig *r = rig_new();
    ask(r, "break deep if n == 3");
    ask(r, "run");
    ask(r, "stepi");
    ask(r, "break *$pc if n == 3");
    ask(r, "dprintf *$pc,\"[%d]\\n\",n");
    ask(r, "run");
    const char *said = ask(r, "stepi");
    assert_int_equal(count(said, "Breakpoint 2, "), 1);
    assert_int_equal(count(said, "[3]\n"), 4);
    said = ask(r, "continue");
    assert_int_equal(count(said, "Breakpoint 2, "), 0);
    assert_int_equal(count(said, "[3]\n"), 0);
    assert_int_equal(count(said, "[2]\n"), 4);
    rig_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_lane_prints_its_own_and_nothing_stops),
        cmocka_unit_test(a_condition_chooses_lanes_whose_values_may_ask_others),
        cmocka_unit_test(a_value_that_cannot_be_read_is_told),
        cmocka_unit_test(what_needs_a_stop_gets_one),
        cmocka_unit_test(a_stop_at_the_same_place_prints_once),
        cmocka_unit_test(a_step_to_a_breakpoint_is_one_stop),
        cmocka_unit_test(a_chain_of_choices_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
