/* Several conversations in one session, in front of a test double of the debugger. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "fake_debugger.h"
#include "conversation.h"

struct table {
    struct wt_debugger *d;
    struct wt_session *shared;
    struct wt_rsp_options options;
    struct conversation a, b;
};

static struct table t;

static int set_up(void **state)
{
    memset(&t, 0, sizeof t);
    t.d = fake_debugger_new();
    t.d->endless = true;
    t.options = wt_rsp_default_options();
    t.shared = wt_session_new(t.d);
    assert_non_null(t.shared);
    assert_true(conversation_open(&t.a, t.shared, t.d, &t.options));
    assert_true(conversation_open(&t.b, t.shared, t.d, &t.options));
    conversation_begin(t.a.s);
    conversation_begin(t.b.s);
    return 0;
}

static int tear_down(void **state)
{
    conversation_close(&t.a);
    conversation_close(&t.b);
    wt_session_free(t.shared);
    wt_debugger_close(t.d);
    return 0;
}

static void turn(void)
{
    for (unsigned i = 0; i < 4; i++) {
        wt_rsp_session_handle(t.a.s);
        wt_rsp_session_handle(t.b.s);
        wt_session_pump(t.shared, 1000);
        wt_rsp_session_settle(t.a.s);
        wt_rsp_session_settle(t.b.s);
    }
}

/* What has been said since it was last asked: bodies of packets, without acknowledgements. */
static const char *said(struct conversation *c)
{
    static char text[2][4096];
    static unsigned which;
    char *out = text[which = !which];
    size_t length = 0;
    const struct wt_packet_writer *w = &c->s->out;
    for (size_t i = w->start; i < w->end && length < sizeof text[0] - 1; i++) {
        const char byte = (char)w->buffer[i];
        if (byte == '#') {
            i += 2;
            out[length++] = ' ';
        } else if (byte != '$' && byte != '+') {
            out[length++] = byte;
        }
    }
    out[length] = 0;
    c->s->out.start = c->s->out.end;
    return out;
}

static void put(struct conversation *c, const char *text)
{
    size_t room;
    uint8_t *space = wt_packet_reader_space(&c->s->in, &room);
    memcpy(space, text, strlen(text));
    wt_packet_reader_added(&c->s->in, strlen(text));
}

static const char *ask(struct conversation *c, const char *packet)
{
    char text[256];
    unsigned sum = 0;
    for (const char *at = packet; *at; at++)
        sum += (unsigned char)*at;
    snprintf(text, sizeof text, "$%s#%02x", packet, sum & 0xff);
    put(c, text);
    turn();
    return said(c);
}

static void what_needs_a_stopped_target_is_busy(void **state)
{
    assert_string_equal(ask(&t.a, "vCont;c"), "");
    assert_true(wt_client_is_waiting(t.b.client));
    assert_false(wt_client_is_waiting(t.a.client));
    assert_memory_equal(ask(&t.b, "g"), "E.busy: ", 8);
    assert_memory_equal(ask(&t.b, "vCont;s:1"), "E.busy: ", 8);
    assert_memory_equal(ask(&t.b, "p20"), "E.busy: ", 8);
    /* What does not, is answered. */
    assert_string_equal(ask(&t.b, "qC"), "QC1 ");
    /* The run is not B's: its interrupt is everybody's, and told to who waits. */
    put(&t.b, "\003");
    turn();
    assert_memory_equal(said(&t.a), "T02", 3);
    assert_string_equal(said(&t.b), "");
    assert_false(wt_client_is_waiting(t.b.client));
    assert_true(strlen(ask(&t.b, "g")) > 100);
}

static void who_joins_a_run_is_told_of_its_end(void **state)
{
    assert_string_equal(ask(&t.a, "vCont;c"), "");
    assert_string_equal(ask(&t.b, "vCont;c"), "");
    assert_int_equal(t.d->resume_calls, 1);
    put(&t.a, "\003");
    turn();
    assert_memory_equal(said(&t.a), "T02", 3);
    assert_memory_equal(said(&t.b), "T02", 3);
}

static void what_is_inserted_has_an_owner(void **state)
{
    assert_string_equal(ask(&t.a, "Z0,80000010,4"), "OK ");
    assert_string_equal(ask(&t.b, "Z0,80000020,4"), "OK ");
    assert_string_equal(ask(&t.b, "Z2,80000020,4"), "OK ");
    assert_int_equal(fake_breakpoint_at(t.d, 0x80000010)->owner, wt_client_number(t.a.client));
    assert_int_equal(fake_breakpoint_at(t.d, 0x80000020)->owner, wt_client_number(t.b.client));
    assert_int_equal(t.d->watchpoint[0].owner, wt_client_number(t.b.client));
    assert_true(wt_client_number(t.a.client) != wt_client_number(t.b.client));
    /* They go with their client, also while another one's run is under way. */
    t.d->breakpoint[0].used = true;
    t.d->registers[1][32] = 0x80000010;
    wt_rsp_session_end(t.b.s);
    wt_rsp_session_settle(t.b.s);
    assert_null(fake_breakpoint_at(t.d, 0x80000020));
    assert_int_equal(t.d->watchpoints, 0);
    assert_non_null(fake_breakpoint_at(t.d, 0x80000010));
}

static void a_client_that_leaves_ends_no_run_of_another(void **state)
{
    assert_string_equal(ask(&t.a, "vCont;c"), "");
    wt_rsp_session_end(t.b.s);
    turn();
    assert_true(wt_debugger_running(t.d));
    assert_string_equal(said(&t.a), "");
    /* Its own it does. */
    wt_rsp_session_end(t.a.s);
    turn();
    assert_false(wt_debugger_running(t.d));
}

static void a_kill_leaves_the_program_to_the_others(void **state)
{
    assert_string_equal(ask(&t.b, "vKill;1"), "OK ");
    wt_rsp_session_end(t.b.s);
    turn();
    assert_int_equal(t.d->restarts, 0);
    assert_true(strlen(ask(&t.a, "g")) > 100);
}

static void nonstop_is_for_one_alone(void **state)
{
    assert_memory_equal(ask(&t.b, "QNonStop:1"), "E.busy: ", 8);
    assert_false(t.d->nonstop);
    wt_rsp_session_end(t.a.s);
    turn();
    assert_string_equal(ask(&t.b, "QNonStop:1"), "OK ");
}

static void a_long_goto_hears_an_interrupt(void **state)
{
    t.d->recorded = true;
    /* "goto 80": no answer while it is under way, and the others are busy. */
    assert_string_equal(ask(&t.a, "qRcmd,676f746f203830"), "");
    assert_memory_equal(ask(&t.b, "g"), "E.busy: ", 8);
    put(&t.a, "\003");
    turn();
    /* "Interrupted …", then OK. */
    const char *text = said(&t.a);
    assert_memory_equal(text, "O496e746572727570746564", 23);
    assert_string_equal(text + strlen(text) - 3, "OK ");
    assert_int_equal(t.d->now, 40);
    assert_true(strlen(ask(&t.a, "g")) > 100);
    assert_true(strlen(ask(&t.b, "g")) > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_needs_a_stopped_target_is_busy, set_up, tear_down),
        cmocka_unit_test_setup_teardown(who_joins_a_run_is_told_of_its_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_inserted_has_an_owner, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_client_that_leaves_ends_no_run_of_another, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_kill_leaves_the_program_to_the_others, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nonstop_is_for_one_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_long_goto_hears_an_interrupt, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
