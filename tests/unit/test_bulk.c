/*
 * The documents that tell of many lanes at once (docs/rsp.md, "Bulk data"), in front of a test
 * double of the debugger: what is in them, that they come in pieces, and what is answered to
 * nonsense.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fake_debugger.h"
#include "conversation.h"

struct fixture {
    struct wt_debugger *d;
    struct wt_rsp_options options;
    struct conversation c;
    struct wt_rsp_session *s; /* of `c` */
    struct wt_packet_reader replies;
};

static struct fixture f;

static const char *ask(const char *question)
{
    struct wt_packet_writer w;
    size_t room;
    wt_packet_writer_init(&w);
    wt_put_begin(&w, '$');
    wt_put_binary(&w, question, strlen(question));
    wt_put_end(&w);
    uint8_t *space = wt_packet_reader_space(&f.s->in, &room);
    assert_true(room >= w.end);
    memcpy(space, w.buffer, w.end);
    wt_packet_reader_added(&f.s->in, w.end);
    wt_packet_writer_free(&w);
    wt_rsp_session_handle(f.s);
    size_t size = f.s->out.end - f.s->out.start;
    space = wt_packet_reader_space(&f.replies, &room);
    assert_true(room >= size);
    memcpy(space, f.s->out.buffer + f.s->out.start, size);
    wt_packet_reader_added(&f.replies, size);
    f.s->out.start = f.s->out.end;
    struct wt_packet packet;
    do
        packet = wt_packet_next(&f.replies);
    while (packet.kind == WT_PACKET_ACK);
    assert_int_equal(packet.kind, WT_PACKET_COMMAND);
    return packet.data;
}

static void expect_has(const char *question, const char *part)
{
    const char *got = ask(question);
    if (!strstr(got, part))
        fail_msg("'%s' was answered '%s', without '%s'", question, got, part);
}

static void expect(const char *question, const char *answer)
{
    const char *got = ask(question);
    if (strcmp(got, answer) != 0)
        fail_msg("'%s' was answered '%s', not '%s'", question, got, answer);
}

static int setup(void **state)
{
    memset(&f, 0, sizeof f);
    f.d = fake_debugger_new();
    f.options = wt_rsp_default_options();
    assert_true(conversation_open(&f.c, NULL, f.d, &f.options));
    f.s = f.c.s;
    assert_true(wt_packet_reader_init(&f.replies));
    conversation_begin(f.s);
    expect_has("qSupported:error-message+",
               "qXfer:wavetrap-waves:read+;qXfer:wavetrap-lanes:read+");
    return 0;
}

static int teardown(void **state)
{
    conversation_close(&f.c);
    wt_debugger_close(f.d);
    wt_packet_reader_free(&f.replies);
    return 0;
}

#define ALL_WAVES "qXfer:wavetrap-waves:read::0,1f000"

static void the_device_stands_at_the_head(void **state)
{
    static const char head[] =
        "{\"family\":\"vortex\",\"wave_word\":\"warp\",\"lane_word\":\"thread\",\"cores\":2,"
        "\"waves_per_core\":2,\"lanes\":4,\"address_bits\":32,\"threads\":\"lanes\",\"chosen_"
        "lane\":0,"
        "\"ended\":false,\"waves\":[\n";
    char want[1024];
    snprintf(want, sizeof want, "l%s]}\n", head);
    expect("qXfer:wavetrap-waves:read:-:0,1000", want);
    snprintf(
        want, sizeof want,
        "l%s{\"wave\":0,\"name\":\"a wave\",\"pc\":2147483648,\"mask\":\"f\",\"detail\":false}]}\n",
        head);
    expect(ALL_WAVES, want);
    f.d->mode = WT_THREADS_WAVES;
    f.d->lane = 3;
    expect_has("qXfer:wavetrap-waves:read:-:0,1000", "\"threads\":\"waves\",\"chosen_lane\":3");
}

static void a_row_for_each_active_wave(void **state)
{
    f.d->waves = 3;
    f.d->masked[5] = f.d->masked[8] = true;
    f.d->running[9] = true;
    const char *got = ask(ALL_WAVES);
    assert_non_null(strstr(
        got,
        "{\"wave\":0,\"name\":\"a wave\",\"pc\":2147483648,\"mask\":\"f\",\"detail\":false},\n"));
    assert_non_null(strstr(
        got,
        "{\"wave\":1,\"name\":\"a wave\",\"pc\":2147483648,\"mask\":\"6\",\"detail\":false},\n"));
    assert_non_null(strstr(got, "{\"wave\":2,\"name\":\"a wave\",\"running\":true}]}\n"));
    assert_null(strstr(got, "{\"wave\":3"));
    got = ask("qXfer:wavetrap-waves:read:1:0,1000");
    assert_non_null(strstr(got, "[\n{\"wave\":1,\"name\":\"a "
                                "wave\",\"pc\":2147483648,\"mask\":\"6\",\"detail\":false}]}\n"));
    /* One that is not active has no row, and is not an error. */
    expect_has("qXfer:wavetrap-waves:read:3:0,1000", "\"waves\":[\n]}\n");
}

static void why_a_wave_waits_and_which_lanes_wait_in_it(void **state)
{
    f.d->detail[0] = (struct wt_wave_detail){
        .view = {.mask = 3,
                 .waiting = true,
                 .wait = "a \"barrier\"",
                 .wait_pc = 0x80000010,
                 .at_barrier = true,
                 .barrier = 7,
                 .arrived = 1,
                 .expected = 2},
        .waiter_count = 2,
        .waiter = {{.lanes = wt_lane_bit(2), .pc = 0x20},
                   {.lanes = wt_lane_bit(127) | 8, .pc = 0x24}},
    };
    assert_null(strstr(ask(ALL_WAVES), "detail"));
    expect_has(ALL_WAVES, "\"mask\":\"f\",\"wait\":\"a \\\"barrier\\\"\",\"wait_pc\":2147483664,"
                          "\"barrier\":{\"id\":7,\"cores\":false,\"arrived\":1,\"expected\":2},"
                          "\"waiters\":[[\"4\",32],[\"80000000000000000000000000000008\",36]]}");
    f.d->detail[0].view.between_cores = true;
    expect_has(ALL_WAVES, "\"cores\":true");
}

static void documents_come_in_pieces(void **state)
{
    char whole[4096], question[80];
    f.d->waves = 4;
    strcpy(whole, ask(ALL_WAVES) + 1);
    size_t at = 0;
    const char *got;
    do {
        snprintf(question, sizeof question, "qXfer:wavetrap-waves:read::%zx,11", at);
        got = ask(question);
        assert_memory_equal(got + 1, whole + at, strlen(got + 1));
        at += strlen(got + 1);
    } while (got[0] == 'm');
    assert_int_equal(got[0], 'l');
    assert_int_equal(at, strlen(whole));
}

static void a_program_that_has_ended_has_no_waves(void **state)
{
    f.d->ended = true;
    expect_has(ALL_WAVES, "\"ended\":true,\"waves\":[\n]}\n");
    f.d->ended = false;
    expect("vKill;1", "OK");
    expect_has(ALL_WAVES, "\"ended\":true,\"waves\":[\n]}\n");
}

static void values_of_lanes(void **state)
{
    /* reg vx_thread_id, const8 5, add, end */
    expect("qXfer:wavetrap-lanes:read:0,f,0,260d0122050227:0,1000",
           "l{\"values\":[\"0500000000000000\",\"0600000000000000\",\"0700000000000000\","
           "\"0800000000000000\"]}\n");
    expect("qXfer:wavetrap-lanes:read:0,a,0,260d0122050227:0,1000",
           "l{\"values\":[\"0600000000000000\",\"0800000000000000\"]}\n");
    expect("qXfer:wavetrap-lanes:read:0,1,0,220122000527:0,1000", "l{\"values\":[null]}\n");
}

static void bytes_of_lanes(void **state)
{
    memcpy(f.d->memory, "\x01\x02", 2);
    memcpy(f.d->memory + 0x200, "\xfe\xff", 2);
    /* Lane 3's memory cannot be read: its address is told. */
    /* 0x80000000 + 0x100 * vx_thread_id */
    expect("qXfer:wavetrap-lanes:read:0,f,2,260d012301000424800000000227:0,1000",
           "l{\"values\":[\"0102\",\"0000\",\"feff\",2147484416]}\n");
}

static void nonsense_is_refused(void **state)
{
    static const char *const errors[] = {
        "qXfer:wavetrap-waves:read:4:0,1000",
        "qXfer:wavetrap-waves:read:x:0,1000",
        "qXfer:wavetrap-waves:read:0,1:0,1000",
        "qXfer:wavetrap-waves:read:--:0,1000",
        "qXfer:wavetrap-waves:read:ffffffffffffffffff:0,1000",
        "qXfer:wavetrap-waves:read::0",
        "qXfer:wavetrap-waves:read:0,1000",
        "qXfer:wavetrap-waves:read::ffffff,10",
        "qXfer:wavetrap-lanes:read::0,1000",
        "qXfer:wavetrap-lanes:read:0,f,0:0,1000",
        "qXfer:wavetrap-lanes:read:0,f,0,:0,1000",
        "qXfer:wavetrap-lanes:read:0,f,0,5:0,1000",
        "qXfer:wavetrap-lanes:read:0,f,0,0g:0,1000",
        "qXfer:wavetrap-lanes:read:0,,0,05:0,1000",
        "qXfer:wavetrap-lanes:read:0,0,0,05:0,1000",
        "qXfer:wavetrap-lanes:read:0,1f,0,05:0,1000",
        "qXfer:wavetrap-lanes:read:0,fg,0,05:0,1000",
        "qXfer:wavetrap-lanes:read:9,f,0,05:0,1000",
        "qXfer:wavetrap-lanes:read:100000000,f,0,05:0,1000",
        "qXfer:wavetrap-lanes:read:0,1000000000000000000000000000000000,0,05:0,1000",
        "qXfer:wavetrap-lanes:read:0,f,1001,05:0,1000",
        "qXfer:wavetrap-lanes:read:0,f,ffffffffffffffff,05:0,1000",
        "qXfer:wavetrap-lanes:read:0,f,0,0c:0,1000",
    };
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        const char *got = ask(errors[i]);
        /* With a message: "E." and what is wrong. */
        if (memcmp(got, "E.", 2) != 0 || strlen(got) < 10)
            fail_msg("'%s' was answered '%s'", errors[i], got);
    }
    expect("qXfer:wavetrap-waves:write::0:00", "");
    expect("qXfer:wavetrap-nothing:read::0,10", "");
    f.d->broken = true;
    expect_has(ALL_WAVES, "E.the device does not answer");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(the_device_stands_at_the_head),
        TEST(a_row_for_each_active_wave),
        TEST(why_a_wave_waits_and_which_lanes_wait_in_it),
        TEST(documents_come_in_pieces),
        TEST(a_program_that_has_ended_has_no_waves),
        TEST(values_of_lanes),
        TEST(bytes_of_lanes),
        TEST(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
