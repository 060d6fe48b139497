/* Framing of the remote serial protocol, with friendly and hostile input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "frontend/rsp/command.h"
#include "frontend/rsp/hex.h"
#include "frontend/rsp/packet.h"

static struct wt_packet_reader reader;

static int fresh_reader(void **state)
{
    assert_true(wt_packet_reader_init(&reader));
    return 0;
}

static int free_reader(void **state)
{
    wt_packet_reader_free(&reader);
    return 0;
}

static void feed_bytes(const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    while (size) {
        size_t room;
        uint8_t *space = wt_packet_reader_space(&reader, &room);
        assert_true(room > 0);
        size_t part = size < room ? size : room;
        memcpy(space, from, part);
        wt_packet_reader_added(&reader, part);
        from += part;
        size -= part;
    }
}

static void feed(const char *text)
{
    feed_bytes(text, strlen(text));
}

static void expect(enum wt_packet_kind kind)
{
    assert_int_equal(wt_packet_next(&reader).kind, kind);
}

static void expect_command(const char *data)
{
    struct wt_packet packet = wt_packet_next(&reader);
    assert_int_equal(packet.kind, WT_PACKET_COMMAND);
    assert_int_equal(packet.length, strlen(data));
    assert_string_equal(packet.data, data);
}

static void packets_signs_and_interrupts_in_order(void **state)
{
    feed("+$g#67-$m0,4#fd\003$?#3f");
    expect(WT_PACKET_ACK);
    expect_command("g");
    expect(WT_PACKET_NAK);
    expect_command("m0,4");
    expect(WT_PACKET_INTERRUPT);
    expect_command("?");
    expect(WT_PACKET_NONE);
}

static void a_packet_may_come_byte_by_byte(void **state)
{
    const char *text = "$vCont;c#a8";
    for (size_t i = 0; i < strlen(text); i++) {
        expect(WT_PACKET_NONE);
        feed_bytes(text + i, 1);
    }
    expect_command("vCont;c");
}

static void escapes_are_undone_in_place(void **state)
{
    /* '}' 0x03 is '#', '}' 0x04 is '$', '}' 0x5d is '}'. */
    const char body[] = "X0,3:}\003}\004}]";
    uint8_t sum = 0;
    for (size_t i = 0; i < sizeof body - 1; i++)
        sum += (uint8_t)body[i];
    char text[64];
    int length = snprintf(text, sizeof text, "$%s#%02x", body, sum);
    feed_bytes(text, (size_t)length);
    expect_command("X0,3:#$}");
}

static void a_wrong_checksum_is_told(void **state)
{
    feed("$g#68$g#6z$g#67");
    expect(WT_PACKET_DAMAGED);
    expect(WT_PACKET_DAMAGED);
    expect_command("g");
}

static void garbage_between_packets_is_skipped(void **state)
{
    feed("hello#00world\n$g#67\377\376$?#3f");
    expect_command("g");
    expect_command("?");
    expect(WT_PACKET_NONE);
}

static void what_comes_before_the_first_packet_is_not_skipped_where_that_is_asked_for(void **state)
{
    reader.strict = true;
    feed("+-\003hello$g#67");
    expect(WT_PACKET_ACK);
    expect(WT_PACKET_NAK);
    expect(WT_PACKET_INTERRUPT);
    expect(WT_PACKET_FOREIGN);
    expect(WT_PACKET_FOREIGN);
    wt_packet_reader_clear(&reader);
    feed("$g#67$m0,4#fdhello$g#67");
    expect_command("g");
    expect_command("m0,4");
    expect_command("g");
}

/* The first word of a request is the page's. */
static void a_web_page_s_request_is_none_of_ours(void **state)
{
    static const char *const requests[] = {
        "$ / HTTP/1.1\r\n\r\n$m0,4#fd", "$g#67 / HTTP/1.1\r\n\r\n$m0,4#fd",
        "$x#00 / HTTP/1.1\r\n\r\n$m0,4#fd", "$g#67$k#6b / HTTP/1.1\r\n\r\n$m0,4#fd"};
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        enum wt_packet_kind kind;
        wt_packet_reader_clear(&reader);
        reader.strict = true;
        feed(requests[i]);
        do {
            const struct wt_packet packet = wt_packet_next(&reader);
            kind = packet.kind;
            if (kind == WT_PACKET_COMMAND)
                assert_string_equal(packet.data, "g");
        } while (kind == WT_PACKET_COMMAND || kind == WT_PACKET_DAMAGED);
        assert_int_equal(kind, WT_PACKET_FOREIGN);
    }
}

static void a_packet_that_was_cut_off_does_not_spoil_the_next(void **state)
{
    feed("$m8000$g#67");
    expect_command("g");
    expect(WT_PACKET_NONE);
}

static void a_packet_that_is_too_long_is_skipped_whole(void **state)
{
    char *big = malloc(WT_PACKET_LIMIT + 100);
    memset(big, 'a', WT_PACKET_LIMIT + 100);
    feed("$");
    for (unsigned i = 0; i < 3; i++) {
        feed_bytes(big, WT_PACKET_LIMIT + 100);
        expect(WT_PACKET_NONE);
    }
    feed("#00$g#67");
    expect(WT_PACKET_TOO_LONG);
    expect_command("g");
    free(big);
}

static void a_packet_of_the_announced_size_is_taken(void **state)
{
    char *big = malloc(WT_PACKET_SIZE + 8);
    memset(big, 'a', WT_PACKET_SIZE);
    feed("$g#67$");
    feed_bytes(big, WT_PACKET_SIZE);
    char end[8];
    snprintf(end, sizeof end, "#%02x", (unsigned)(uint8_t)('a' * WT_PACKET_SIZE));
    feed(end);
    expect_command("g");
    struct wt_packet packet = wt_packet_next(&reader);
    assert_int_equal(packet.kind, WT_PACKET_COMMAND);
    assert_int_equal(packet.length, WT_PACKET_SIZE);
    free(big);
}

static void an_interrupt_is_found_behind_packets(void **state)
{
    feed("$X0,1:\003#22+$g#67\003$?#3f");
    assert_true(wt_packet_take_interrupt(&reader));
    assert_false(wt_packet_take_interrupt(&reader));
    struct wt_packet packet = wt_packet_next(&reader);
    assert_int_equal(packet.kind, WT_PACKET_COMMAND);
    assert_int_equal(packet.data[packet.length - 1], 3);
    expect(WT_PACKET_ACK);
    expect_command("g");
    expect_command("?");
}

/* Whatever comes, the reader neither loses its way for good nor runs over its buffer. */
static void random_bytes_never_confuse_it_for_good(void **state)
{
    uint32_t seed = 1;
    static const char alphabet[] = "$#+-\003}g0167abz";
    for (unsigned round = 0; round < 200; round++) {
        char noise[500];
        for (size_t i = 0; i < sizeof noise; i++) {
            seed = seed * 1103515245 + 12345;
            noise[i] =
                seed >> 31 ? alphabet[(seed >> 16) % (sizeof alphabet - 1)] : (char)(seed >> 16);
        }
        feed_bytes(noise, sizeof noise);
        struct wt_packet packet;
        do {
            packet = wt_packet_next(&reader);
            if (packet.kind == WT_PACKET_COMMAND)
                assert_int_equal(packet.data[packet.length], 0);
        } while (packet.kind != WT_PACKET_NONE);
    }
    feed("#00$qC#b4");
    struct wt_packet packet, last = {0};
    while ((packet = wt_packet_next(&reader)).kind != WT_PACKET_NONE)
        last = packet;
    assert_int_equal(last.kind, WT_PACKET_COMMAND);
    assert_string_equal(last.data, "qC");
}

static void what_is_written_can_be_read(void **state)
{
    struct wt_packet_writer w;
    uint8_t bytes[1024];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * i >> 3);
    wt_packet_writer_init(&w);
    for (size_t size = 0; size < sizeof bytes; size += 7) {
        wt_put_begin(&w, '$');
        wt_put_binary(&w, bytes, size);
        wt_put_end(&w);
        feed_bytes(w.buffer + w.start, w.end - w.start);
        w.start = w.end;
        struct wt_packet packet = wt_packet_next(&reader);
        assert_int_equal(packet.kind, WT_PACKET_COMMAND);
        assert_int_equal(packet.length, size);
        assert_memory_equal(packet.data, bytes, size);
    }
    wt_packet_writer_free(&w);
}

static void binary_data_never_holds_what_must_be_escaped(void **state)
{
    struct wt_packet_writer w;
    uint8_t bytes[256];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)i;
    wt_packet_writer_init(&w);
    wt_put_begin(&w, '$');
    wt_put_binary(&w, bytes, sizeof bytes);
    size_t length = wt_put_length(&w);
    assert_int_equal(length, 256 + 4);
    assert_null(memchr(w.buffer + w.body, '#', length));
    assert_null(memchr(w.buffer + w.body, '$', length));
    assert_null(memchr(w.buffer + w.body, '*', length));
    wt_packet_writer_free(&w);
}

static void the_last_packet_is_sent_again(void **state)
{
    struct wt_packet_writer w;
    wt_packet_writer_init(&w);
    w.keep_last = true;
    wt_put_begin(&w, '$');
    wt_put_text(&w, "OK");
    wt_put_end(&w);
    w.start = w.end;
    wt_put_again(&w);
    assert_int_equal(w.end - w.start, 6);
    assert_memory_equal(w.buffer + w.start, "$OK#9a", 6);
    wt_packet_writer_free(&w);
}

static void hex_both_ways(void **state)
{
    uint8_t bytes[100], back[100];
    char text[201] = "";
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 37 + 5);
    for (size_t size = 0; size <= sizeof bytes; size++) {
        char expected[201] = "";
        for (size_t i = 0; i < size; i++)
            sprintf(expected + 2 * i, "%02x", bytes[i]);
        wt_hex_encode(text, bytes, size);
        assert_memory_equal(text, expected, 2 * size);
        assert_int_equal(wt_hex_decode(back, text, size), size);
        assert_memory_equal(back, bytes, size);
    }
    assert_int_equal(wt_hex_decode(back, "12g4", 2), 1);
    assert_int_equal(wt_hex_decode(back, "ABcd", 2), 2);
    assert_int_equal(back[0], 0xab);
}

/* ---- parsing ---- */

static void schemas(void **state)
{
    static const struct {
        const char *schema, *text;
        bool fits;
        unsigned count;
    } rows[] = {
        {"%x,%x", "80000000,4", true, 2},
        {"%x,%x", "80000000", false, 0},
        {"%x,%x", "80000000,", false, 0},
        {"%x,%x", "80000000,4x", false, 0},
        {"%x,%x", "10000000000000000,4", false, 0},
        {"%x,%x", "ffffffffffffffff,4", true, 2},
        {"[%x", "", true, 0},
        {"[%x", "12", true, 1},
        {"%x[;%x", "12;13", true, 2},
        {"%x[;%x", "12;", false, 0},
        {"%t", "p1.-1", true, 1},
        {"%t", "-1", true, 1},
        {"%t", "p1", true, 1},
        {"%t", "p", false, 0},
        {"%t", "p1.", false, 0},
        {"%t", "", false, 0},
        {"%t", "-2", false, 0},
        {"%s:%b", "a:b:c", true, 2},
        {"%s:%b", "abc", false, 0},
        {"", "", true, 0},
        {"", "x", false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wt_rsp_args args;
        bool fits = wt_rsp_parse(rows[i].schema, rows[i].text, strlen(rows[i].text), &args);
        if (fits != rows[i].fits)
            fail_msg("'%s' against '%s'", rows[i].text, rows[i].schema);
        if (fits)
            assert_int_equal(args.count, rows[i].count);
    }
}

static void thread_ids(void **state)
{
    struct wt_rsp_args args;
    assert_true(wt_rsp_parse("%t", "p1.2a", 5, &args));
    assert_true(args.arg[0].id.has_process);
    assert_int_equal(args.arg[0].id.process, 1);
    assert_int_equal(args.arg[0].id.thread, 0x2a);
    assert_true(wt_rsp_parse("%t", "p2", 2, &args));
    assert_int_equal(args.arg[0].id.thread, -1);
    assert_true(wt_rsp_parse("%t", "0", 1, &args));
    assert_int_equal(args.arg[0].id.thread, 0);
}

int main(void)
{
#define WITH_READER(test) cmocka_unit_test_setup_teardown(test, fresh_reader, free_reader)
    const struct CMUnitTest tests[] = {
        WITH_READER(packets_signs_and_interrupts_in_order),
        WITH_READER(a_packet_may_come_byte_by_byte),
        WITH_READER(escapes_are_undone_in_place),
        WITH_READER(a_wrong_checksum_is_told),
        WITH_READER(garbage_between_packets_is_skipped),
        WITH_READER(what_comes_before_the_first_packet_is_not_skipped_where_that_is_asked_for),
        WITH_READER(a_web_page_s_request_is_none_of_ours),
        WITH_READER(a_packet_that_was_cut_off_does_not_spoil_the_next),
        WITH_READER(a_packet_that_is_too_long_is_skipped_whole),
        WITH_READER(a_packet_of_the_announced_size_is_taken),
        WITH_READER(an_interrupt_is_found_behind_packets),
        WITH_READER(random_bytes_never_confuse_it_for_good),
        WITH_READER(what_is_written_can_be_read),
        cmocka_unit_test(binary_data_never_holds_what_must_be_escaped),
        cmocka_unit_test(the_last_packet_is_sent_again),
        cmocka_unit_test(hex_both_ways),
        cmocka_unit_test(schemas),
        cmocka_unit_test(thread_ids),
    };
    return cmocka_run_group_tests_name("packet", tests, NULL, NULL);
}
