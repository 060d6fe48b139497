/*
 * LLDB's way off breakpoints through the RSP front end, in front of the debugger and the emulator:
 * each truth with the memory port and through the Debug Module alone, in both widths.
 */
#include "conversation.h"
#include "steered.h"

#include <inttypes.h>

static const struct rig_options variants[] = {
    {.xlen = 32},
    {.xlen = 64},
    {.xlen = 32, .dm_only = true},
    {.xlen = 64, .dm_only = true},
    {.xlen = 32, .dm_clock = 1},
    {.xlen = 64, .dm_only = true, .dm_clock = 1},
    {.xlen = 32, .ebreak_after = true},
    {.xlen = 32, .dm_only = true, .bare = true, .dm_clock = 1, .ebreak_after = true},
    {.xlen = 64, .dm_only = true, .bare = true},
};

static const uint32_t divergent[] = {
    /* 00 */ ADDI(A0, X0, 15),
    /* 04 */ TMC(A0),
    /* 08 */ CSRR(A1, 0xcc0),
    /* 0c */ ANDI(A2, A1, 1),
    /* 10 */ SPLIT(S5, A2),
    /* 14 */ BEQZ(A2, 12),
    /* 18 */ ADDI(A3, X0, 111), /* lanes 1 and 3 */
    /* 1c */ J(X0, 8),
    /* 20 */ ADDI(A3, X0, 222), /* lanes 0 and 2 */
    /* 24 */ JOIN(S5),
    /* 28 */ ADDI(A4, A3, 1),
    /* 2c */ SW(A4, X0, 0x88),
    /* 30 */ TMC(X0),
};

struct talk {
    struct rig *r;
    struct wt_rsp_options options;
    struct conversation c;
    struct wt_packet_reader replies;
};

static const char *ask(struct talk *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static const char *ask(struct talk *t, const char *format, ...)
{
    struct wt_rsp_session *s = t->c.s;
    struct wt_packet_writer w;
    struct wt_packet packet = {.kind = WT_PACKET_NONE};
    char text[128];
    size_t room;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    wt_packet_writer_init(&w);
    wt_put_begin(&w, '$');
    wt_put_text(&w, text);
    wt_put_end(&w);
    memcpy(wt_packet_reader_space(&s->in, &room), w.buffer, w.end);
    wt_packet_reader_added(&s->in, w.end);
    wt_packet_writer_free(&w);
    for (int i = 0; i < 10000; i++) {
        wt_rsp_session_handle(s);
        wt_session_pump(t->c.shared, 1000);
        wt_rsp_session_settle(s);
        const size_t size = s->out.end - s->out.start;
        memcpy(wt_packet_reader_space(&t->replies, &room), s->out.buffer + s->out.start, size);
        wt_packet_reader_added(&t->replies, size);
        s->out.start = s->out.end;
        do
            packet = wt_packet_next(&t->replies);
        while (packet.kind == WT_PACKET_ACK);
        if (packet.kind != WT_PACKET_NONE)
            return packet.data;
    }
    fail_msg("'%s' was not answered", text);
    return "";
}

static void expect(struct talk *t, const char *question, const char *begin)
{
    const char *got = ask(t, "%s", question);
    if (strncmp(got, begin, strlen(begin)) != 0)
        fail_msg("'%s' was answered '%s', not '%s'", question, got, begin);
}

static void insert(struct talk *t, uint64_t addr)
{
    assert_string_equal(ask(t, "Z0,%" PRIx64 ",4", addr), "OK");
}

static void remove_bp(struct talk *t, uint64_t addr)
{
    assert_string_equal(ask(t, "z0,%" PRIx64 ",4", addr), "OK");
}

/* A stop of one thread; @p pc is where it is said to stand. */
static void expect_step(struct talk *t, unsigned thread)
{
    char begin[32];
    snprintf(begin, sizeof begin, "T05thread:%x;", thread);
    const char *got = ask(t, "vCont;s:%x", thread);
    if (strncmp(got, begin, strlen(begin)) != 0)
        fail_msg("a step of thread %u was answered '%s'", thread, got);
}

static void begin(struct talk *t, const struct rig_options *variant)
{
    memset(t, 0, sizeof *t);
    t->r = rig_new(variant, divergent, 13);
    t->options = wt_rsp_default_options();
    assert_true(conversation_open(&t->c, NULL, t->r->d, &t->options));
    assert_true(wt_packet_reader_init(&t->replies));
    conversation_begin(t->c.s);
    expect(t, "QThreadSuffixSupported", "OK");
}

static void end(struct talk *t)
{
    conversation_close(&t->c);
    wt_packet_reader_free(&t->replies);
    rig_free(t->r);
}

static uint64_t pc(struct talk *t, wt_thread thread)
{
    return reg(t->r, thread, 32);
}

static void lanes_that_went_along_are_not_moved_again(void **state)
{
    FOR_VARIANTS(v)
    {
        struct talk t;
        begin(&t, v);
        insert(&t, CODE + 0x08);
        expect(&t, "vCont;c", "T05thread:1;");
        for (wt_thread n = 1; n <= 4; n++) { /* as LLDB does before it continues */
            remove_bp(&t, CODE + 0x08);
            expect_step(&t, n);
            insert(&t, CODE + 0x08);
            assert_int_equal(pc(&t, n), CODE + 0x0c);
        }
        /* A person who steps another lane does move it. */
        expect_step(&t, 3);
        assert_int_equal(pc(&t, 3), CODE + 0x10);
        expect(&t, "vCont;c", "W70");
        end(&t);
    }
}

static void a_lane_that_is_stepped_by_a_person_moves(void **state)
{
    FOR_VARIANTS(v)
    {
        struct talk t;
        begin(&t, v);
        insert(&t, CODE + 0x08);
        expect(&t, "vCont;c", "T05thread:1;");
        remove_bp(&t, CODE + 0x08);
        expect_step(&t, 1);
        insert(&t, CODE + 0x08);
        expect_step(&t, 2);
        assert_int_equal(pc(&t, 2), CODE + 0x10);
        end(&t);
    }
}

static void a_pc_that_was_set_is_stepped_from(void **state)
{
    FOR_VARIANTS(v)
    {
        struct talk t;
        begin(&t, v);
        insert(&t, CODE + 0x08);
        expect(&t, "vCont;c", "T05thread:1;");
        remove_bp(&t, CODE + 0x08);
        expect_step(&t, 1);
        insert(&t, CODE + 0x08);
        expect(&t, v->xlen == 32 ? "P20=0c000080;thread:2;" : "P20=0c00008000000000;thread:2;",
               "OK");
        remove_bp(&t, CODE + 0x08);
        expect_step(&t, 2);
        assert_int_equal(pc(&t, 2), CODE + 0x10);
        end(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_that_went_along_are_not_moved_again),
        cmocka_unit_test(a_lane_that_is_stepped_by_a_person_moves),
        cmocka_unit_test(a_pc_that_was_set_is_stepped_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
