/* Unit tests of the line protocol's two halves: what is sent, byte for byte, and what is taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "bus/line.h"

static const struct wt_line_dialect plain = {0}, batches = {true, ';'}, colons = {true, ':'};

static void assert_request(const struct wt_line_dialect *dialect, const struct wt_bus_op *ops,
                           size_t count, size_t span, const char *expected)
{
    char text[WT_LINE_MAX];
    assert_int_equal(wt_line_span(dialect, ops, count), span);
    assert_int_equal(wt_line_request(dialect, ops, span, text), strlen(expected));
    assert_string_equal(text, expected);
}

static void requests_are_those_of_the_protocol(void **state)
{
    const struct wt_bus_op ops[] = {
        {false, 0x6, 0}, {false, 0xabcd, 0}, {true, 6, 0x80000001}, {true, 3, 0xF}, {false, 9, 0}};
    assert_request(&plain, ops, 5, 1, "r0006\n");
    assert_request(&plain, ops + 2, 3, 1, "w0006:80000001\n");
    assert_request(&batches, ops, 5, 2, "R0006,abcd\n");
    assert_request(&batches, ops + 2, 3, 2, "W0006,0003;80000001,0000000f\n");
    assert_request(&colons, ops + 2, 3, 2, "W0006,0003:80000001,0000000f\n");
    /* One register alone needs no batch. */
    assert_request(&batches, ops + 4, 1, 1, "r0009\n");
}

static void a_batch_has_at_most_eight_registers(void **state)
{
    struct wt_bus_op ops[20] = {{0}};
    assert_int_equal(wt_line_span(&batches, ops, 20), 8);
    assert_int_equal(wt_line_span(&batches, ops, 8), 8);
    assert_int_equal(wt_line_span(&plain, ops, 20), 1);
    char text[WT_LINE_MAX];
    for (int i = 0; i < 8; i++)
        ops[i] = (struct wt_bus_op){true, 0xffff, 0xffffffff};
    assert_true(wt_line_request(&batches, ops, 8, text) < WT_LINE_MAX);
}

static enum wt_status reply(struct wt_bus_op *ops, size_t span, const char *line,
                            struct wt_error *err)
{
    return wt_line_reply(ops, span, line, strlen(line), err);
}

static void replies_give_their_values(void **state)
{
    struct wt_bus_op ops[2] = {{.addr = 6}, {.addr = 7}};
    assert_int_equal(reply(ops, 1, "+0d00beef", NULL), WT_OK);
    assert_int_equal(ops[0].value, 0x0d00beef);
    assert_int_equal(reply(ops, 1, "+0D00BEEF\r", NULL), WT_OK);
    assert_int_equal(reply(ops, 2, "+00000001,fffffffe", NULL), WT_OK);
    assert_int_equal(ops[0].value, 1);
    assert_int_equal(ops[1].value, 0xfffffffe);
    ops[0].write = true;
    assert_int_equal(reply(ops, 1, "+", NULL), WT_OK);
    assert_int_equal(reply(ops, 1, "+ok", NULL), WT_OK);
}

static void a_no_is_told_from_nonsense(void **state)
{
    static const char *const bad[] = {"",          "0d000000",   "+0d00000",           "+0d0000000",
                                      "+0d00000g", "+0d000000 ", "+0d000000,0d000000", "?",
                                      "+P",        "+",          "\xff\xfe",           "+-0000001"};
    struct wt_bus_op op = {0};
    struct wt_error err;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(reply(&op, 1, bad[i], &err), WT_IO);
    assert_int_equal(reply(&op, 1, "-", &err), WT_UNSUPPORTED);
    assert_int_equal(reply(&op, 1, "-not now", &err), WT_UNSUPPORTED);
    assert_non_null(strstr(err.text, "-not now"));
    struct wt_bus_op two[2] = {{0}};
    assert_int_equal(reply(two, 2, "+00000001;00000002", &err), WT_IO);
    assert_int_equal(reply(two, 2, "+00000001", &err), WT_IO);
    op.write = true;
    assert_int_equal(reply(&op, 1, "", &err), WT_IO);
    assert_int_equal(reply(&op, 1, "ok", &err), WT_IO);
}

/* ---- the server ---- */

struct device {
    uint32_t reg[16];
    char log[512];
    unsigned started;
};

static uint32_t dev_read(void *context, uint32_t addr)
{
    struct device *d = context;
    size_t n = strlen(d->log);
    snprintf(d->log + n, sizeof d->log - n, "r%x ", addr);
    return addr < 16 ? d->reg[addr] : 0;
}

static void dev_write(void *context, uint32_t addr, uint32_t value)
{
    struct device *d = context;
    size_t n = strlen(d->log);
    snprintf(d->log + n, sizeof d->log - n, "w%x=%x ", addr, value);
    if (addr < 16)
        d->reg[addr] = value;
}

static bool dev_start(void *context)
{
    ((struct device *)context)->started++;
    return true;
}

static void assert_dialogue(struct wt_line_server *s, const char *in, const char *expected)
{
    char out[4096];
    size_t sent, size = strlen(in);
    assert_int_equal(wt_line_server_feed(s, in, size, out, sizeof out, &sent), size);
    assert_int_equal(sent, strlen(expected));
    assert_memory_equal(out, expected, sent);
}

static struct wt_line_server new_server(struct device *d)
{
    *d = (struct device){.reg = {[0] = 0x10201022, [6] = 0x0d000000}};
    return (struct wt_line_server){
        .device = {d, dev_read, dev_write}, .start = dev_start, .context = d};
}

static void the_server_answers_byte_for_byte(void **state)
{
    struct device d;
    struct wt_line_server s = new_server(&d);
    assert_dialogue(&s, "p\n", "+P\n");
    assert_int_equal(d.started, 0);
    assert_dialogue(&s, "s\n", "+\n");
    assert_int_equal(d.started, 1);
    assert_dialogue(&s, "r0006\n", "+0d000000\n");
    assert_dialogue(&s, "w0006:8D000000\n", "+\n");
    assert_dialogue(&s, "r0006\n", "+8d000000\n");
    assert_dialogue(&s, "R0000,0006,0007\n", "+10201022,8d000000,00000000\n");
    assert_dialogue(&s, "W0002,0003;00000001,0000ffff\n", "+\n");
    assert_dialogue(&s, "W0004,0005:00000002,00000003\n", "+\n");
    assert_dialogue(&s, "R0002,0003,0004,0005\n", "+00000001,0000ffff,00000002,00000003\n");
    assert_dialogue(&s, "R0,0,0,0,0,0,0,6\n",
                    "+10201022,10201022,10201022,10201022,10201022,10201022,10201022,8d000000\n");
    assert_dialogue(&s, "r6\r\n\n\n", "+8d000000\n");
}

static void accesses_of_a_line_are_made_in_order(void **state)
{
    struct device d;
    struct wt_line_server s = new_server(&d);
    assert_dialogue(&s, "W0008,0006,0008;1,2,3\nR0006,0009,0006\nw8:4\n",
                    "+\n+00000002,00000000,00000002\n+\n");
    assert_string_equal(d.log, "w8=1 w6=2 w8=3 r6 r9 r6 w8=4 ");
}

static void what_it_does_not_know_is_refused_and_touches_nothing(void **state)
{
    static const char *const bad[] = {
        "x",
        "P",
        "pp",
        "p ",
        "s1",
        "q",
        "r",
        "r ",
        "r00g6",
        "r0006,0007",
        "r10000",
        "r0006 ",
        " r0006",
        "r-6",
        "r0x6",
        "w",
        "w0006",
        "w0006:",
        "w:1",
        "w0006;1",
        "w0006:100000000",
        "w0006:1,2",
        "w0006,0007:1,2",
        "w0006:1x",
        "R",
        "R,",
        "R0006,",
        "R0,0,0,0,0,0,0,0,0",
        "R0006:1",
        "W",
        "W0006;",
        "W0006,0007;1",
        "W0006;1,2",
        "W0006,;1,",
        "W0,0,0,0,0,0,0,0,0;1,1,1,1,1,1,1,1,1",
        "W6,7;1;2",
        "\xff\xff\xff",
        "-",
        "+",
        "W2,10000;1,2",
    };
    struct device d;
    struct wt_line_server s = new_server(&d);
    assert_dialogue(&s, "p\n", "+P\n");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char line[64];
        snprintf(line, sizeof line, "%s\n", bad[i]);
        assert_dialogue(&s, line, "-\n");
    }
    assert_string_equal(d.log, "");
    char zero[2] = {0, '\n'}, out[WT_LINE_MAX];
    size_t sent;
    assert_int_equal(wt_line_server_feed(&s, zero, 2, out, sizeof out, &sent), 2);
    assert_memory_equal(out, "-\n", 2);
}

/* As of a web browser, whose body may hold anything. Until the next connection nothing is answered.
 */
static void a_connection_that_begins_with_another_protocol_does_nothing(void **state)
{
    static const char *const begin[] = {"POST / HTTP/1.1\r\n", "x\n", "r\n", "\xff\n"};
    static char much[WT_LINE_MAX];
    memset(much, 'r', sizeof much);
    struct device d;
    struct wt_line_server s = new_server(&d);
    char out[WT_LINE_MAX];
    size_t sent;
    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++) {
        wt_line_server_begin(&s);
        assert_dialogue(&s, "\n", "");
        assert_false(s.foreign);
        assert_dialogue(&s, begin[i], "-\n");
        assert_true(s.foreign);
        assert_dialogue(&s, "w0006:80000000\ns\n", "");
    }
    wt_line_server_begin(&s);
    wt_line_server_feed(&s, much, sizeof much, out, sizeof out, &sent);
    assert_true(s.foreign);
    assert_dialogue(&s, "\nw0006:80000000\ns\n", "");
    assert_string_equal(d.log, "");
    assert_int_equal(d.started, 0);
    wt_line_server_begin(&s);
    assert_dialogue(&s, "r0006\n", "+0d000000\n");
}

static void lines_may_come_in_pieces(void **state)
{
    struct device d;
    struct wt_line_server s = new_server(&d);
    const char *in = "p\nr0006\nW0002,0003;00000001,0000ffff\nr0003\n";
    char all[256];
    size_t n = 0;
    for (const char *c = in; *c; c++) {
        char out[WT_LINE_MAX];
        size_t sent;
        assert_int_equal(wt_line_server_feed(&s, c, 1, out, sizeof out, &sent), 1);
        memcpy(all + n, out, sent);
        n += sent;
    }
    all[n] = 0;
    assert_string_equal(all, "+P\n+0d000000\n+\n+0000ffff\n");
}

static void a_line_without_end_is_not_kept(void **state)
{
    struct device d;
    struct wt_line_server s = new_server(&d);
    static char much[1 << 20];
    memset(much, 'r', sizeof much);
    assert_dialogue(&s, "p\n", "+P\n");
    char out[WT_LINE_MAX];
    size_t sent;
    for (int i = 0; i < 1024; i++) { /* a gigabyte */
        assert_int_equal(wt_line_server_feed(&s, much, sizeof much, out, sizeof out, &sent),
                         sizeof much);
        assert_int_equal(sent, 0);
    }
    assert_dialogue(&s, "\nr0006\n", "-\n+0d000000\n");
    /* The longest line that is kept, and one byte more. */
    for (size_t length = WT_LINE_MAX - 2; length < WT_LINE_MAX + 2; length++) {
        assert_int_equal(wt_line_server_feed(&s, much, length, out, sizeof out, &sent), length);
        assert_dialogue(&s, "\np\n", "-\n+P\n");
    }
    /* What the last connection left unfinished is not a part of the next one's first line. */
    assert_dialogue(&s, "r00", "");
    wt_line_server_begin(&s);
    assert_dialogue(&s, "06\n", "-\n");
}

static void it_stops_where_there_is_no_room_for_a_reply(void **state)
{
    struct device d;
    struct wt_line_server s = new_server(&d);
    char out[WT_LINE_MAX + 9];
    size_t sent, taken;
    const char *in = "r0006\nr0006\n";
    taken = wt_line_server_feed(&s, in, 12, out, sizeof out, &sent);
    assert_int_equal(taken, 6);
    assert_int_equal(sent, 10);
    taken = wt_line_server_feed(&s, in + 6, 6, out, WT_LINE_MAX - 1, &sent);
    assert_int_equal(taken, 0);
    assert_int_equal(sent, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_those_of_the_protocol),
        cmocka_unit_test(a_batch_has_at_most_eight_registers),
        cmocka_unit_test(replies_give_their_values),
        cmocka_unit_test(a_no_is_told_from_nonsense),
        cmocka_unit_test(the_server_answers_byte_for_byte),
        cmocka_unit_test(accesses_of_a_line_are_made_in_order),
        cmocka_unit_test(what_it_does_not_know_is_refused_and_touches_nothing),
        cmocka_unit_test(a_connection_that_begins_with_another_protocol_does_nothing),
        cmocka_unit_test(lines_may_come_in_pieces),
        cmocka_unit_test(a_line_without_end_is_not_kept),
        cmocka_unit_test(it_stops_where_there_is_no_room_for_a_reply),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
