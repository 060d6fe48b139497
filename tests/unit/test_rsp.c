/* What the RSP front end answers, packet by packet, in front of a test double of the debugger. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/bits.h"
#include "fake_debugger.h"
#include "conversation.h"
#include "temporary.h"

struct fixture {
    struct wt_debugger *d;
    struct wt_rsp_options options;
    struct conversation c;
    struct wt_rsp_session *s; /* of `c` */
    struct wt_packet_reader replies;
    char program[64];
};

static struct fixture f;

/* ---- a client ---- */

static void send_raw(const void *bytes, size_t size)
{
    size_t room;
    uint8_t *space = wt_packet_reader_space(&f.s->in, &room);
    assert_true(room >= size);
    memcpy(space, bytes, size);
    wt_packet_reader_added(&f.s->in, size);
}

static void send_bytes(const void *bytes, size_t size)
{
    struct wt_packet_writer w;
    wt_packet_writer_init(&w);
    wt_put_begin(&w, '$');
    wt_put_binary(&w, bytes, size);
    wt_put_end(&w);
    send_raw(w.buffer, w.end);
    wt_packet_writer_free(&w);
}

/* As the server does it: packets, the program, what happened, until all is quiet. */
static void turn(void)
{
    for (unsigned i = 0; i < 4; i++) {
        wt_rsp_session_handle(f.s);
        wt_session_pump(f.c.shared, 1000);
        wt_rsp_session_settle(f.s);
    }
    size_t size = f.s->out.end - f.s->out.start, room;
    /* Replies are read as packets are: notifications must look the same to the reader. A '%' inside
     * a packet is data, so only what stands between packets is looked at. */
    bool inside = false;
    for (size_t i = 0; i < size; i++) {
        uint8_t *byte = &f.s->out.buffer[f.s->out.start + i];
        if (!inside && *byte == '%')
            *byte = '$';
        inside = inside ? *byte != '#' : *byte == '$';
    }
    uint8_t *space = wt_packet_reader_space(&f.replies, &room);
    assert_true(room >= size);
    if (size)
        memcpy(space, f.s->out.buffer + f.s->out.start, size);
    wt_packet_reader_added(&f.replies, size);
    f.s->out.start = f.s->out.end;
}

static struct wt_packet reply(void)
{
    struct wt_packet packet;
    do
        packet = wt_packet_next(&f.replies);
    while (packet.kind == WT_PACKET_ACK);
    return packet;
}

static const char *ask_bytes(const void *bytes, size_t size)
{
    send_bytes(bytes, size);
    turn();
    struct wt_packet packet = reply();
    if (packet.kind == WT_PACKET_NONE)
        return "(nothing)";
    assert_int_equal(packet.kind, WT_PACKET_COMMAND);
    return packet.data;
}

static const char *ask(const char *text)
{
    return ask_bytes(text, strlen(text));
}

static void expect(const char *question, const char *answer)
{
    const char *got = ask(question);
    if (strcmp(got, answer) != 0)
        fail_msg("'%s' was answered '%s', not '%s'", question, got, answer);
}

static void expect_has(const char *question, const char *part)
{
    const char *got = ask(question);
    if (!strstr(got, part))
        fail_msg("'%s' was answered '%s', without '%s'", question, got, part);
}

static void expect_error(const char *question)
{
    const char *got = ask(question);
    if (got[0] != 'E')
        fail_msg("'%s' was answered '%s', which is not an error", question, got);
}

static const char *next(void)
{
    struct wt_packet packet = reply();
    return packet.kind == WT_PACKET_NONE ? "(nothing)" : packet.data;
}

static int setup(void **state)
{
    memset(&f, 0, sizeof f);
    f.d = fake_debugger_new();
    int fd = temporary_file(f.program);
    assert_int_equal(write(fd, "\177ELF-a-program", 14), 14);
    close(fd);
    f.options = wt_rsp_default_options();
    f.options.program = f.program;
    assert_true(conversation_open(&f.c, NULL, f.d, &f.options));
    f.s = f.c.s;
    assert_true(wt_packet_reader_init(&f.replies));
    conversation_begin(f.s);
    return 0;
}

static int teardown(void **state)
{
    conversation_close(&f.c);
    wt_debugger_close(f.d);
    wt_packet_reader_free(&f.replies);
    unlink(f.program);
    return 0;
}

static void as_gdb(void)
{
    expect_has("qSupported:multiprocess+;swbreak+;hwbreak+;qRelocInsn+;no-resumed+;"
               "xmlRegisters=i386",
               "PacketSize=20000");
}

/* ---- tests ---- */

static void acknowledges_until_told_not_to(void **state)
{
    send_bytes("qC", 2);
    turn();
    assert_int_equal(wt_packet_next(&f.replies).kind, WT_PACKET_ACK);
    assert_string_equal(wt_packet_next(&f.replies).data, "QC1");
    send_raw("-", 1);
    turn();
    assert_string_equal(wt_packet_next(&f.replies).data, "QC1");
    send_bytes("QStartNoAckMode", 15);
    turn();
    assert_int_equal(wt_packet_next(&f.replies).kind, WT_PACKET_ACK);
    assert_string_equal(wt_packet_next(&f.replies).data, "OK");
    send_bytes("qC", 2);
    turn();
    assert_string_equal(wt_packet_next(&f.replies).data, "QC1");
}

static void damaged_packets_are_answered(void **state)
{
    send_raw("$qC#00", 6);
    turn();
    assert_int_equal(wt_packet_next(&f.replies).kind, WT_PACKET_NAK);
    expect("QStartNoAckMode", "OK");
    send_raw("$qC#00", 6);
    turn();
    assert_int_equal(next()[0], 'E');
    expect("qC", "QC1");
}

/* Packets that must be answered by an error or by nothing, and after which all goes on. */
static void malformed_packets_get_errors(void **state)
{
    static const char *const errors[] = {
        "m",
        "m,",
        "m0",
        "m0,",
        "mx,4",
        "m80000000,4z",
        "M80000000,2:00",
        "M80000000,1:0g",
        "X80000000,2:a",
        "p",
        "pzz",
        "p999",
        "pffffffffffffffff",
        "P1",
        "P1=",
        "P1=00",
        "P1=000000zz",
        "P999=00000000",
        "G0",
        "Gzz",
        "Z0",
        "Z0,",
        "Z0,80000000",
        "Z0,80000000,4;X",
        "Z0,80000000,4;X5,00",
        "Z0,80000000,4;Xffffffffffffffff,00",
        "Z0,80000000,4;cmds:",
        "Z0,80000000,4;cmds:1",
        "Z0,80000000,4;junk",
        "z0",
        "Hg",
        "Hx1",
        "H",
        "Hg99",
        "Hgp1.99",
        "Hgp2.1",
        "T99",
        "T",
        "Tp1",
        "vCont;",
        "vCont;q",
        "vCont;c:",
        "vCont;r",
        "vCont;r1",
        "vCont;r1,",
        "vCont;Czz",
        "vCont;c:p",
        "vCont;c;;",
        "vCont;sq",
        "D;2",
        "vKill;2",
        "vAttach;2",
        "qCRC:",
        "qCRC:0,4",
        "qCRC:x",
        "qSearch:memory:",
        "qSearch:memory:80000000;10;",
        "qXfer:features:read:target.xml:0",
        "qXfer:features:read:target.xml:ffffff,10",
        "qXfer:features:read:other.xml:0,10",
        "qRcmd,0",
        "qRcmd,zz",
        "QNonStop:2",
        "QNonStop:",
        "qThreadExtraInfo,99",
        "c80000000x",
    };
    as_gdb();
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        expect_error(errors[i]);
    expect("qC", "QCp1.1");
    assert_int_equal(f.d->resume_calls, 0);
}

static void unknown_packets_get_an_empty_reply(void **state)
{
    static const char *const unknown[] = {
        "",
        "vMustReplyEmpty",
        "qTStatus",
        "QTDisconnected:0",
        "qGetTLSAddr:1,2,3",
        "b",
        "bz",
        "F0",
        "qXfer:auxv:read::0,1000",
        "qXfer:features:write:target.xml:0:aa",
        "Z5,80000000,4",
        "z5,80000000,4",
        "vFile:chmod:61,1ff",
        "qRegisterInfo0",
        "_M10,rwx",
        "qCfoo",
        "jUnknown",
    };
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        expect(unknown[i], "");
}

static void negotiation(void **state)
{
    as_gdb();
    expect_has("qSupported:multiprocess+", "multiprocess+");
    expect_has("qSupported:multiprocess+", "ConditionalBreakpoints+;BreakpointCommands+");
    expect_has("qSupported", "qXfer:exec-file:read+");
    expect("vCont?", "vCont;c;C;s;S;t;r");
    expect("qAttached:1", "0");
    expect("!", "OK");
    expect("qSymbol::", "OK");
    expect("QPassSignals:e;10", "OK");
}

static void no_program_no_exec_file(void **state)
{
    f.options.program = NULL;
    conversation_close(&f.c);
    assert_true(conversation_open(&f.c, NULL, f.d, &f.options));
    f.s = f.c.s;
    conversation_begin(f.s);
    assert_null(strstr(ask("qSupported"), "exec-file"));
    expect("qXfer:exec-file:read:1:0,1000", "");
}

static void the_thread_list_in_both_forms(void **state)
{
    f.d->waves = 2;
    f.d->masked[6] = true;
    expect("qfThreadInfo", "m1,2,3,4,5,6,7,8");
    expect("qsThreadInfo", "l");
    as_gdb();
    expect("qfThreadInfo", "mp1.1,p1.2,p1.3,p1.4,p1.5,p1.6,p1.7,p1.8");
    const char *xml = ask("qXfer:threads:read::0,ffff");
    assert_non_null(
        strstr(xml, "<thread id=\"p1.6\" core=\"0\" name=\"device 0, core 0, warp 1, thread 1\">"
                    "masked off</thread>"));
    assert_non_null(strstr(
        xml, "<thread id=\"p1.1\" core=\"0\" name=\"device 0, core 0, warp 0, thread 0\"/>"));
    /* hex of "device 0, core 0, warp 1, thread 1 (masked off)" */
    expect("qThreadExtraInfo,p1.6",
           "64657669636520302c20636f726520302c207761727020312c207468726561642031"
           "20286d61736b6564206f666629");
    expect("Tp1.8", "OK");
    expect_error("Tp1.9");
}

static void documents_come_in_pieces(void **state)
{
    char whole[8192] = "", piece[64];
    strcpy(whole, ask("qXfer:features:read:target.xml:0,1f00") + 1);
    size_t length = strlen(whole);
    assert_non_null(strstr(whole, "<osabi>none</osabi>"));
    assert_non_null(strstr(whole, "<architecture>riscv:rv32</architecture>"));
    assert_non_null(strstr(whole, "org.gnu.gdb.riscv.cpu"));
    assert_non_null(strstr(whole, "org.gnu.gdb.riscv.csr"));
    assert_non_null(strstr(whole, "org.wavetrap.vortex.csr"));
    assert_non_null(
        strstr(whole, "<reg name=\"pc\" bitsize=\"32\" regnum=\"32\" type=\"code_ptr\""));
    for (size_t at = 0;; at += 0x20) {
        snprintf(piece, sizeof piece, "qXfer:features:read:target.xml:%zx,20", at);
        const char *got = ask(piece);
        assert_int_equal(got[0], at + 0x20 >= length ? 'l' : 'm');
        assert_memory_equal(got + 1, whole + at, strlen(got + 1));
        if (got[0] == 'l')
            break;
    }
    expect_has("qXfer:memory-map:read::0,1000",
               "type=\"ram\" start=\"0x0\" length=\"0x100000000\"");
}

static void registers(void **state)
{
    expect("Hg2", "OK");
    /* x0 is 0, x1 of thread 2 is 0x201, … */
    const char *g = ask("g");
    assert_int_equal(strlen(g), 33 * 8);
    assert_memory_equal(g, "000000000102000002020000", 24);
    assert_memory_equal(g + 32 * 8, "00000080", 8);
    expect("p2", "02020000");
    expect("p20", "00000080");
    expect("pd01", "01000000"); /* 65 + 0xcc0: vx_thread_id of lane 1 */
    expect("P5=78563412", "OK");
    assert_int_equal(f.d->registers[2][5], 0x12345678);
    expect_error("Pd01=00000000");
    expect("p5;thread:1;", "05010000");
    expect("P5=01000000;thread:1;", "OK");
    assert_int_equal(f.d->registers[1][5], 1);
    assert_int_equal(f.d->registers[2][5], 0x12345678);
    char text[2 + 33 * 8] = "G";
    for (unsigned i = 0; i < 33; i++)
        sprintf(text + 1 + 8 * i, i == 7 ? "xxxxxxxx" : "%02x000000", i);
    expect(text, "OK");
    assert_int_equal(f.d->registers[2][31], 31);
    assert_int_equal(f.d->registers[2][7], 0x207);
    assert_int_equal(f.d->registers[2][32], 32);
}

static void memory(void **state)
{
    expect("M80000100,4:deadbeef", "OK");
    expect("m80000100,4", "deadbeef");
    expect("m80000102,1", "be");
    expect("m80000102,0", "");
    assert_string_equal(ask_bytes("X80000200,5:#$}*\0", 17), "OK");
    expect("m80000200,5", "23247d2a00");
    expect("X80000200,0:", "OK");
    /* Up to where memory ends, and an error beyond. */
    f.d->memory[FAKE_MEMORY_SIZE - 1] = 0x5a;
    const char *tail = ask("m8000f000,2000");
    assert_int_equal(strlen(tail), 0x2000);
    assert_string_equal(tail + 0x2000 - 2, "5a");
    expect("m80010000,4", "E05");
    expect("M80010000,1:00", "E05");
    /* Addresses that a client has sign-extended mean the same. */
    expect("mffffffff80000100,2", "dead");
}

/* The first write of a call that other lanes would run, too: it is done unless the call follows. */
static void calls_that_other_lanes_would_run(void **state)
{
    f.d->registers[1][2] = 0x80000208; /* sp */
    expect("Hg1", "OK");
    for (int i = 0; i < 2; i++) {
        expect("M800001f0,4:13000000", "OK");
        expect("m800001ee,8", "0000130000000000");
        expect("M800001f0,4:73001000", "OK");
        expect("x800001f0,2", "bs");
        assert_int_equal(f.d->memory[0x1f0], 0);
        expect_error("Pa=00000000");
        expect("m800001f0,4", "00000000");
        expect("Pa=78563412", "OK"); /* this one begins nothing */
        assert_int_equal(f.d->registers[1][10], 0x12345678);
        f.d->registers[1][10] = 0;
    }
    /* Something else follows: a breakpoint, another write, a register of another thread. */
    static const char *const others[][2] = {
        {"Z0,80000010,2", "13"}, {"M80000100,1:00", "13"}, {"M800001f0,1:73", "73"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        memset(f.d->memory + 0x1f0, 0, 4);
        expect("M800001f0,4:13000000", "OK");
        assert_int_equal(f.d->memory[0x1f0], 0);
        expect(others[i][0], "OK");
        assert_int_not_equal(f.d->memory[0x1f0], 0);
        expect("m800001f0,1", others[i][1]);
    }
    memset(f.d->memory + 0x1f0, 0, 4);
    expect("M800001f0,4:13000000", "OK");
    expect("Hg2", "OK");
    expect("Pa=00000000", "OK");
    assert_int_equal(f.d->memory[0x1f0], 0x13);
    /* With one active lane, at another address, or with other bytes nothing is held. */
    expect("Hg1", "OK");
    memset(f.d->memory + 0x1f0, 0, 4);
    expect("M800001f0,4:14000000", "OK");
    assert_int_equal(f.d->memory[0x1f0], 0x14);
    expect("M80000300,4:13000000", "OK");
    assert_int_equal(f.d->memory[0x300], 0x13);
    for (wt_thread t = 2; t <= 4; t++)
        f.d->masked[t] = true;
    expect("M800001f0,4:13000000", "OK");
    assert_int_equal(f.d->memory[0x1f0], 0x13);
    expect("Pa=00000000", "OK");
}

/* GDB steps a lane off whose condition does not hold, and continues without looking at threads. */
static void lanes_that_met_a_breakpoint_together(void **state)
{
    for (int round = 0; round < 2; round++) {
        for (wt_thread t = 1; t <= 4; t++) {
            f.d->registers[t][32] = 0x80000000;
            f.d->registers[t][5] = 0x100 + t;
        }
        f.d->masked[3] = true;
        expect("Z0,80000010,4", "OK");
        expect_has("vCont;c", "T05thread:1;");
        if (round == 1)
            expect_has("qXfer:threads:read::0,1000", "threads"); /* a person sees it */
        expect("z0,80000010,4", "OK");
        expect_has("vCont;s:1", "T05thread:1;");
        for (wt_thread t = 1; t <= 4; t++) {
            f.d->registers[t][32] = 0x80000014;
            f.d->registers[t][5] = 0x200 + t;
        }
        expect("Z0,80000010,4", "OK");
        if (round == 0) {
            expect_has("vCont;c", "T05thread:2;");
            expect("Hg2", "OK");
            expect("p20", "10000080");
            expect("p5", "02010000");
            expect("Hg4", "OK");
            expect("p5", "04020000"); /* its turn has not come */
            expect("z0,80000010,4", "OK");
            expect_has("vCont;s:2", "20:14000080;");
            expect("Hg2", "OK");
            expect("p5", "02020000");
            expect("Z0,80000010,4", "OK");
            expect_has("vCont;c", "20:10000080;");
            expect("Hg4", "OK");
            expect("p5", "04010000");
            expect("P5=78563412", "OK");
            expect("p5", "78563412");
            expect("z0,80000010,4", "OK");
            expect_has("vCont;s:4", "T05thread:4;");
        }
        const unsigned resumed = f.d->resume_calls;
        ask("vCont;c");
        assert_int_equal(f.d->resume_calls, resumed + 1);
        expect("z0,80000010,4", "OK");
        f.d->ended = false;
        f.d->current = 1;
    }
}

static void binary_reads(void **state)
{
    memcpy(f.d->memory, "#$}*abc", 7);
    send_bytes("x80000000,7", 11);
    turn();
    struct wt_packet packet = reply();
    assert_int_equal(packet.length, 8);
    assert_memory_equal(packet.data, "b#$}*abc", 8);
    /* LLDB 19 asks by x0,0 whether replies are the bytes alone. */
    expect("QThreadSuffixSupported", "OK");
    expect("x0,0", "OK");
    expect("x80000004,3", "abc");
}

static void search_and_crc(void **state)
{
    memcpy(f.d->memory + 0x1234, "needle", 6);
    expect("qSearch:memory:80000000;2000;needle", "1,80001234");
    expect("qSearch:memory:80000000;1239;needle", "0");
    expect("qSearch:memory:80000000;123a;needle", "1,80001234");
    expect("qSearch:memory:80001235;2000;needle", "0");
    memcpy(f.d->memory, "123456789", 9);
    /* CRC-32/MPEG-2 of the standard check string. */
    expect("qCRC:80000000,9", "C376e6e7");
    expect_error("qCRC:90000000,9");
}

static void breakpoints_with_conditions_and_commands(void **state)
{
    expect("Z0,80000010,2", "OK");
    assert_non_null(fake_breakpoint_at(f.d, 0x80000010));
    expect("Z0,80000010,2;X3,220127X2,2227", "OK");
    struct fake_breakpoint *b = fake_breakpoint_at(f.d, 0x80000010);
    assert_int_equal(b->conditions, 2);
    assert_int_equal(b->first_condition, 1);
    expect("Z0,80000020,2;X2,2227;cmds:1,X4,23012327", "OK");
    b = fake_breakpoint_at(f.d, 0x80000020);
    assert_int_equal(b->conditions, 1);
    assert_int_equal(b->commands, 1);
    assert_int_equal(b->first_condition, 0x27);
    assert_int_equal(b->first_command, 0x123);
    /* A hardware breakpoint at the same place is the same breakpoint, and stops without
     * conditions. It stays when one of both goes. */
    expect("Z1,80000010,2;X3,220127", "OK");
    assert_int_equal(fake_breakpoint_at(f.d, 0x80000010)->conditions, 0);
    expect("z0,80000010,2", "OK");
    assert_non_null(fake_breakpoint_at(f.d, 0x80000010));
    expect("z1,80000010,2", "OK");
    assert_null(fake_breakpoint_at(f.d, 0x80000010));
    expect("z1,80000010,2", "OK");
    /* Bytecode that is none is refused with the reason. */
    expect_error("Z0,80000010,2;X1,0c");
    expect_error("Z0,0,4");
}

static const struct wt_watchpoint_request *watched(size_t i, enum wt_watchpoint_kind kind,
                                                   uint64_t addr, uint64_t size)
{
    const struct wt_watchpoint_request *w = &f.d->watchpoint[i];
    assert_true(i < f.d->watchpoints && w->kind == kind && w->addr.offset == addr &&
                w->size == size);
    return w;
}

static void watchpoints_of_each_kind(void **state)
{
    as_gdb();
    expect("Z2,80000100,4", "OK");
    expect("Z3,80000200,1", "OK");
    expect("Z4,80000300,1000", "OK");
    /* What leaves the value as it is, GDB does not want to hear of. */
    assert_true(watched(0, WT_WATCHPOINT_WRITE, 0x80000100, 4)->changes);
    assert_false(watched(1, WT_WATCHPOINT_READ, 0x80000200, 1)->changes);
    assert_false(watched(2, WT_WATCHPOINT_ACCESS, 0x80000300, 0x1000)->changes);
    /* Once is enough, and what is not there is gone. */
    expect("Z2,80000100,4", "OK");
    assert_int_equal(f.d->watchpoints, 3);
    expect("z3,80000100,4", "OK");
    expect("z2,80000100,4", "OK");
    expect("z3,80000200,1", "OK");
    assert_int_equal(f.d->watchpoints, 1);
    expect_error("Z2,80000100,0");
    expect("Z5,80000100,4", "");
    wt_rsp_session_end(f.s);
    wt_session_pump(f.c.shared, 0);
    wt_rsp_session_settle(f.s);
    assert_int_equal(f.d->watchpoints, 0);
}

/* The view is that of the thread which was looked at first: clients lift all at each stop. */
static void a_watchpoint_keeps_its_thread(void **state)
{
    as_gdb();
    f.d->waves = 2;
    expect("Hgp1.6", "OK");
    expect("Z2,80000100,4", "OK");
    assert_int_equal(watched(0, WT_WATCHPOINT_WRITE, 0x80000100, 4)->thread, 6);
    expect("z2,80000100,4", "OK");
    expect("Hgp1.1", "OK");
    expect("Z2,80000100,4", "OK");
    assert_int_equal(watched(0, WT_WATCHPOINT_WRITE, 0x80000100, 4)->thread, 6);
    /* Gone on without it, it is another one when it comes back. */
    expect("z2,80000100,4", "OK");
    expect_has("vCont;s:p1.1", "T05");
    expect("Hgp1.2", "OK");
    expect("Z2,80000100,4", "OK");
    assert_int_equal(watched(0, WT_WATCHPOINT_WRITE, 0x80000100, 4)->thread, 2);
    /* GDB reads what is to be watched as the thread for which it was set, then looks elsewhere. */
    expect("Hgp1.7", "OK");
    expect("m80000180,4", "00000000");
    expect("m80000180,4", "00000000");
    expect("Hgp1.1", "OK");
    expect("m80000180,8", "0000000000000000");
    expect("m80000180,4", "00000000");
    expect("Z4,80000180,4", "OK");
    assert_int_equal(watched(1, WT_WATCHPOINT_ACCESS, 0x80000180, 4)->thread, 7);
}

static void a_device_without_watchpoints_says_so(void **state)
{
    f.d->cannot_watch = true;
    expect("Z2,80000100,4", "");
    expect("Z4,80000100,4", "");
    expect("qWatchpointSupportInfo:", "num:0;");
}

static void stops_for_watchpoints_name_them(void **state)
{
    static const char *const keys[] = {"watch:80000104;", "rwatch:80000104;", "awatch:80000104;"};
    as_gdb();
    for (unsigned kind = 0; kind < 3; kind++) {
        f.d->fault = (struct wt_event){.kind = WT_EVENT_STOPPED,
                                       .reason = WT_STOP_WATCHPOINT,
                                       .thread = 1,
                                       .watch = (enum wt_watchpoint_kind)kind,
                                       .addr = wt_address_of(0x80000104),
                                       .lanes = 1,
                                       .text = "who"};
        const char *got = ask("vCont;c");
        assert_memory_equal(got, "T05", 3);
        assert_non_null(strstr(got, keys[kind]));
        assert_true(kind || !strstr(got, "rwatch") || !strstr(got, "awatch"));
    }
    /* What the client cannot know is printed: several lanes did it. */
    f.d->fault.lanes = 3;
    assert_string_equal(ask("vCont;c"), "O77686f0a");
    assert_non_null(strstr(next(), "awatch:80000104;"));
}

static void breakpoints_leave_with_their_client_unless_they_persist(void **state)
{
    expect("Z0,80000010,2", "OK");
    expect("Z0,80000020,2;cmds:1,X4,23012327", "OK");
    wt_rsp_session_end(f.s);
    wt_session_pump(f.c.shared, 0);
    wt_rsp_session_settle(f.s);
    assert_null(fake_breakpoint_at(f.d, 0x80000010));
    assert_non_null(fake_breakpoint_at(f.d, 0x80000020));
}

static void stop_replies_say_where_and_why(void **state)
{
    as_gdb();
    expect("?", "T05thread:p1.1;core:0;20:00000080;01:01010000;02:02010000;08:08010000;");
    expect("Z0,80000010,4", "OK");
    expect("vCont;c", "T05thread:p1.1;core:0;20:10000080;01:01010000;02:02010000;08:08010000;"
                      "swbreak:;");
    expect("z0,80000010,4", "OK");
    expect("Z1,80000020,4", "OK");
    expect_has("c", "hwbreak:;");
    /* A step that ends on a breakpoint has not hit it. */
    f.d->registers[1][32] = 0x8000001c;
    assert_null(strstr(ask("vCont;s:p1.1"), "hwbreak"));
    assert_int_equal(f.d->registers[1][32], 0x80000020);
}

static void resuming_in_every_form(void **state)
{
    static const struct {
        const char *packet;
        size_t count;
        struct wt_resume resume[2];
    } rows[] = {
        {"vCont;s:p1.2", 1, {{.thread = 2, .kind = WT_RESUME_STEP}}},
        {"vCont;s:p1.2;c",
         2,
         {{.thread = 2, .kind = WT_RESUME_STEP}, {.thread = 0, .kind = WT_RESUME_CONTINUE}}},
        {"vCont;S05:2;C05:-1",
         2,
         {{.thread = 2, .kind = WT_RESUME_STEP}, {.thread = 0, .kind = WT_RESUME_CONTINUE}}},
        {"vCont;r80000000,80000010:p1.1;c:p1.-1",
         2,
         {{.thread = 1, .kind = WT_RESUME_RANGE, .start = 0x80000000, .end = 0x80000010},
          {.thread = 0, .kind = WT_RESUME_CONTINUE}}},
        {"s",
         2,
         {{.thread = 1, .kind = WT_RESUME_STEP}, {.thread = 0, .kind = WT_RESUME_CONTINUE}}},
        {"S05",
         2,
         {{.thread = 1, .kind = WT_RESUME_STEP}, {.thread = 0, .kind = WT_RESUME_CONTINUE}}},
        {"c", 1, {{.thread = 0, .kind = WT_RESUME_CONTINUE}}},
        {"C05", 1, {{.thread = 0, .kind = WT_RESUME_CONTINUE}}},
        {"vCont;c", 1, {{.thread = 0, .kind = WT_RESUME_CONTINUE}}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        wt_debugger_reset(f.d, WT_IGNORED);
        ask(rows[i].packet);
        if (f.d->resumes != rows[i].count ||
            memcmp(f.d->resume, rows[i].resume, rows[i].count * sizeof rows[i].resume[0]))
            fail_msg("%s", rows[i].packet);
    }
    wt_debugger_reset(f.d, WT_IGNORED);
    expect("Hc3", "OK");
    ask("s80000100");
    assert_int_equal(f.d->resumes, 1);
    assert_int_equal(f.d->resume[0].thread, 3);
    assert_int_equal(f.d->registers[3][32], 0x80000104);
    wt_debugger_reset(f.d, WT_IGNORED);
    expect("Hc-1", "OK");
    ask("c80000100");
    assert_int_equal(f.d->resume[0].thread, 0);
    assert_int_equal(f.d->registers[3][32], 0x80000100);
    expect("Hg0", "OK");
}

static void the_end_of_the_program(void **state)
{
    f.d->status = 7;
    expect("vCont;c", "W07");
    expect("?", "W07");
    expect_error("vCont;c");
    expect("qfThreadInfo", "l");
    as_gdb();
    expect("?", "W07;process:1");
    expect_has("vRun;", "T05thread:p1.1;");
    assert_int_equal(f.d->restarts, 1);
    f.d->status = 300;
    expect("vCont;c", "W12c;process:1");
}

/* GDB 13 aborts when it is told of a thread that it has not resumed. */
static void a_stop_is_told_of_a_thread_that_was_resumed(void **state)
{
    as_gdb();
    f.d->endless = true;
    expect("vCont;c:p1.2", "(nothing)");
    struct wt_event event = {.kind = WT_EVENT_STOPPED, .thread = 3, .reason = WT_STOP_BREAKPOINT};
    memset(f.d->running, 0, sizeof f.d->running);
    fake_debugger_event(f.d, event);
    turn();
    assert_memory_equal(next(), "T05thread:p1.2;", 15);
    /* With all of them resumed it is told of the one that it happened to. */
    expect("vCont;s:p1.2;c",
           "T05thread:p1.2;core:0;20:04000080;01:01020000;02:02020000;08:08020000;");
    expect("vCont;c", "(nothing)");
    memset(f.d->running, 0, sizeof f.d->running);
    fake_debugger_event(f.d, event);
    turn();
    assert_memory_equal(next(), "T05thread:p1.3;", 15);
    /* Nothing is left of what was resumed. */
    expect("vCont;c:p1.2", "(nothing)");
    memset(f.d->running, 0, sizeof f.d->running);
    event.reason = WT_STOP_REQUESTED;
    fake_debugger_event(f.d, event);
    turn();
    assert_string_equal(next(), "N");
}

static void faults_come_with_their_text(void **state)
{
    f.d->fault = (struct wt_event){.kind = WT_EVENT_STOPPED,
                                   .thread = 2,
                                   .reason = WT_STOP_FAULT,
                                   .fault = WT_FAULT_ACCESS,
                                   .text = "no memory"};
    expect("c", "O6e6f206d656d6f72790a");
    assert_memory_equal(next(), "T0bthread:2;", 12);
    assert_memory_equal(ask("?"), "T0bthread:2;", 12);
}

static void an_endless_program_is_interrupted(void **state)
{
    f.d->endless = true;
    expect("vCont;c", "(nothing)");
    /* What a client says while it must be silent waits, and does not hide the interrupt. */
    expect("qC", "(nothing)");
    send_raw("\003", 1);
    turn();
    assert_memory_equal(next(), "T02thread:1;", 12);
    assert_string_equal(next(), "QC1");
    /* One that comes when nothing runs changes nothing. */
    send_raw("\003", 1);
    turn();
    assert_string_equal(next(), "(nothing)");
    expect("vCtrlC", "OK");
}

static void a_new_client_finds_the_program_halted(void **state)
{
    f.d->endless = true;
    expect("vCont;c", "(nothing)");
    wt_rsp_session_end(f.s);
    turn();
    assert_false(wt_debugger_running(f.d));
    conversation_begin(f.s);
    assert_memory_equal(ask("?"), "T02thread:1;", 12);
}

static void detaching_lets_the_program_run(void **state)
{
    f.d->endless = true;
    expect("D", "OK");
    assert_true(f.s->closing);
    assert_true(f.s->detached);
    wt_rsp_session_end(f.s);
    turn();
    assert_true(wt_debugger_running(f.d));
    /* The next client waits until it has stopped. */
    conversation_begin(f.s);
    assert_memory_equal(ask("?"), "T02thread:1;", 12);
    assert_false(wt_debugger_running(f.d));
}

static void after_the_end_the_next_client_starts_afresh(void **state)
{
    expect("c", "W00");
    wt_rsp_session_end(f.s);
    conversation_begin(f.s);
    assert_int_equal(f.d->restarts, 1);
    assert_memory_equal(ask("?"), "T05thread:1;", 12);
}

static void killing(void **state)
{
    as_gdb();
    expect("!", "OK");
    expect("vKill;1", "OK");
    expect("?", "W00");
    expect_error("vCont;c");
    expect("qfThreadInfo", "l");
    expect_has("vRun;;", "T05thread:p1.1;");
    send_bytes("R00", 3);
    turn();
    assert_string_equal(next(), "(nothing)");
    assert_int_equal(f.d->restarts, 2);
    expect("k", "OK");
    assert_false(f.s->closing);
    conversation_begin(f.s);
    expect("k", "(nothing)");
    assert_true(f.s->closing);
}

static void nonstop_tells_stops_one_by_one(void **state)
{
    f.d->waves = 2;
    f.d->endless = true;
    expect_has("qSupported:multiprocess+;error-message+", "QNonStop+");
    expect("QNonStop:1", "OK");
    assert_true(f.d->nonstop);
    assert_memory_equal(ask("?"), "T00thread:p1.1;", 15);
    for (unsigned i = 2; i <= 8; i++) {
        char start[32];
        int length = snprintf(start, sizeof start, "T00thread:p1.%u;", i);
        assert_memory_equal(ask("vStopped"), start, (size_t)length);
    }
    expect("vStopped", "OK");
    expect("vCont;c:p1.-1", "OK");
    expect("vCont;t:p1.5", "OK");
    /* The warp stops as a whole: all its lanes are told, and no other. */
    assert_memory_equal(next(), "Stop:T00thread:p1.5;", 20);
    for (unsigned i = 6; i <= 8; i++) {
        char start[32];
        int length = snprintf(start, sizeof start, "T00thread:p1.%u;", i);
        assert_memory_equal(ask("vStopped"), start, (size_t)length);
    }
    expect("vStopped", "OK");
    expect("vStopped", "OK");
    assert_true(f.d->running[1]);
    /* Memory can be read: a thread that stands is found for it. */
    expect("m80000000,1", "00");
    expect("QNonStop:0", "OK");
    assert_false(f.d->nonstop);
}

/* GDB 13 aborts when "?" leads to more than one stop. */
static void older_gdb_hears_of_one_thread_first(void **state)
{
    as_gdb();
    expect("QNonStop:1", "OK");
    assert_memory_equal(ask("?"), "T00thread:p1.1;", 15);
    expect("vStopped", "OK");
    assert_memory_equal(next(), "Stop:T00thread:p1.2;", 20);
    assert_memory_equal(ask("vStopped"), "T00thread:p1.3;", 15);
    assert_memory_equal(ask("vStopped"), "T00thread:p1.4;", 15);
    expect("vStopped", "OK");
    assert_string_equal(next(), "(nothing)");
}

static void the_program_file_can_be_read_and_nothing_else(void **state)
{
    char question[256] = "vFile:open:", hex[160] = "";
    as_gdb();
    expect_has("qXfer:exec-file:read:1:0,1000", f.program);
    for (size_t i = 0; f.program[i]; i++)
        sprintf(hex + 2 * i, "%02x", f.program[i]);
    expect("vFile:setfs:0", "F0");
    snprintf(question, sizeof question, "vFile:open:%s,0,0", hex);
    expect(question, "F3");
    expect("vFile:pread:3,4,1", "F4;ELF-");
    expect("vFile:pread:3,100,9", "F5;ogram");
    expect("vFile:pread:3,100,9999", "F0;");
    expect("vFile:pread:4,4,0", "F-1,9");
    expect("vFile:pread:3,4", "F-1,16");
    expect("vFile:fstat:9", "F-1,9");
    send_bytes("vFile:fstat:3", 13);
    turn();
    struct wt_packet packet = reply();
    assert_memory_equal(packet.data, "F40;", 4);
    assert_int_equal(packet.length, 4 + 64);
    assert_int_equal((uint8_t)packet.data[4 + 35], 14);
    expect("vFile:close:3", "F0");
    expect("vFile:close:3", "F-1,9");
    expect("vFile:pread:3,4,0", "F-1,9");
    snprintf(question, sizeof question, "vFile:open:%s,2,0", hex);
    expect(question, "F-1,d");
    expect("vFile:open:2f6574632f706173737764,0,0", "F-1,2");
    expect("vFile:open:2f6,0,0", "F-1,16");
    expect("vFile:open:", "F-1,16");
    expect("vFile:unlink:2f", "F-1,1");
    expect("vFile:readlink:2f", "F-1,16");

    /* Whatever comes in its place, it is the one that was loaded. */
    snprintf(question, sizeof question, "vFile:open:%s,0,0", hex);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(unlink(f.program), 0);
        if (i == 0)
            assert_int_equal(symlink("/etc/passwd", f.program), 0);
        else if (i == 1)
            assert_int_equal(mkfifo(f.program, 0600), 0);
        else
            assert_int_equal(mkdir(f.program, 0700), 0);
        expect(question, "F3");
        expect("vFile:pread:3,4,1", "F4;ELF-");
        expect("vFile:close:3", "F0");
        if (i == 2)
            assert_int_equal(rmdir(f.program), 0);
    }
}

/* A pipe where the program should be is not waited for. */
static void a_pipe_is_no_program(void **state)
{
    struct wt_rsp_options options = f.options;
    char path[80];
    snprintf(path, sizeof path, "%s.pipe", f.program);
    assert_int_equal(mkfifo(path, 0600), 0);
    options.program = path;
    struct wt_rsp_session *s = wt_rsp_session_new(f.d, f.s->client, &options);
    assert_non_null(s);
    assert_null(s->program);
    wt_rsp_session_free(s);
    unlink(path);
}

/* What is read further on is the document with the same annex. */
static void documents_are_kept_by_annex(void **state)
{
    as_gdb();
    char whole[0x1001], question[64], expected[8];
    snprintf(whole, sizeof whole, "%s", ask("qXfer:wavetrap-waves:read::0,1000"));
    const size_t at = strlen(ask("qXfer:wavetrap-waves:read:-:0,1000")) - 1;
    assert_true(strlen(whole) > at + 8);
    snprintf(expected, sizeof expected, "m%.4s", whole + 1 + at);
    snprintf(question, sizeof question, "qXfer:wavetrap-waves:read::%zx,4", at);
    expect(question, expected);
}

/* "monitor TEXT", and its answer as text. */
static const char *monitor(const char *text)
{
    static char out[8192];
    char question[1024] = "qRcmd,";
    for (size_t i = 0; text[i]; i++)
        sprintf(question + 6 + 2 * i, "%02x", text[i]);
    const char *got = ask(question);
    assert_int_equal(*got++, 'O');
    size_t length = strlen(got) / 2;
    for (size_t i = 0; i < length; i++) {
        unsigned byte;
        assert_int_equal(sscanf(got + 2 * i, "%2x", &byte), 1);
        out[i] = (char)byte;
    }
    out[length] = 0;
    assert_string_equal(next(), "OK");
    return out;
}

static void monitor_commands(void **state)
{
    assert_non_null(strstr(monitor("help"), "monitor threads"));
    assert_non_null(strstr(monitor("frobnicate"), "'frobnicate' is not a command"));
    assert_non_null(strstr(monitor("frobnicate"), "monitor reset"));
    assert_non_null(strstr(monitor(" "), "monitor threads"));
    char longest[257];
    memset(longest, 'x', 256);
    longest[256] = 0;
    assert_non_null(strstr(monitor(longest), "at most 255 characters"));
    longest[255] = 0;
    assert_non_null(strstr(monitor(longest), "is not a command"));
    assert_non_null(strstr(monitor("info"), "2 cores, 2 warps a core, 4 threads a warp"));
    assert_non_null(strstr(monitor("threads warps"), "there are 1 now"));
    assert_int_equal(f.d->mode, WT_THREADS_WAVES);
    assert_non_null(strstr(monitor("lane 2"), "thread 2"));
    assert_int_equal(f.d->lane, 2);
    assert_non_null(strstr(monitor("lane 99"), "no lane 99"));
    assert_non_null(strstr(monitor("lane x"), "not a number"));
    assert_non_null(strstr(monitor("threads lanes"), "there are 4 now"));
    assert_non_null(strstr(monitor("threads what"), "is not one of"));
    assert_non_null(strstr(monitor("reset"), "memory is as it was")); /* nothing loads it here */
    assert_int_equal(f.d->restarts, 1);
    assert_non_null(strstr(monitor(" reset  device "), "device was reset"));
    assert_int_equal(f.d->resets, 1);
    assert_non_null(strstr(monitor("res what"), "unknown"));
    assert_non_null(strstr(monitor("lift-breakpoints"), "--symbols"));
    f.d->code_size = 100;
    f.d->leftovers = 1;
    assert_string_equal(monitor("lift-breakpoints"),
                        "0x80000008\n1 breakpoint of another debugger lifted.\n");
    assert_non_null(strstr(monitor("lift-breakpoints"), "no breakpoint"));
    assert_non_null(strstr(monitor("reattach"), "Attached again"));
    assert_int_equal(f.d->reattaches, 1);
    f.d->gone = true;
    assert_non_null(strstr(monitor("reattach"), "nobody is there"));
}

static void lldb_gets_its_keys(void **state)
{
    f.d->waves = 1;
    f.d->masked[3] = true;
    expect("QThreadSuffixSupported", "OK");
    expect("QListThreadsInStopReply", "OK");
    assert_null(
        strstr(ask("qSupported:xmlRegisters=i386,arm,mips,arc;multiprocess+"), "multiprocess+"));
    expect_has("?", "threads:1,2,3,4;thread-pcs:80000000,80000000,80000000,80000000;");
    expect("Z0,80000010,4", "OK");
    expect_has("c", "reason:breakpoint;");
    expect_has("jThreadsInfo",
               "{\"tid\":1,\"name\":\"device 0, core 0, warp 0, thread 0\",\"reason\":"
               "\"breakpoint\",\"registers\":{\"32\":\"10000080\"}}");
    expect_has("jThreadsInfo",
               "{\"tid\":3,\"name\":\"device 0, core 0, warp 0, thread 2 (masked off)\"");
    /* riscv32-unknown-unknown-elf */
    expect("qHostInfo", "triple:72697363763332"
                        "2d756e6b6e6f776e2d756e6b6e6f776e2d656c66;endian:little;ptrsize:4;"
                        "watchpoint_exceptions_received:after;");
    expect_has("qProcessInfo", "pid:1;");
    expect("qMemoryRegionInfo:80000000", "start:0;size:100000000;permissions:rwx;");
    expect_error("qMemoryRegionInfo:100000000");
    expect("m90000000,4", "E05");
    expect("QEnableErrorStrings", "OK");
    /* "no memory at 0x90000000" */
    expect("m90000000,4", "E05;6e6f206d656d6f72792061742030783930303030303030");
    expect_has("qThreadStopInfo2", "T00thread:2;");
}

static void json_text_is_escaped(void **state)
{
    struct wt_packet_writer w;
    wt_packet_writer_init(&w);
    wt_put_begin(&w, '$');
    wt_rsp_put_json(&w, "a\"b\\c\nd\x7f");
    wt_put_char(&w, 0);
    assert_string_equal((char *)w.buffer + w.body, "a\\\"b\\\\c\\u000ad\\u007f");
    wt_packet_writer_free(&w);
}

static void console_text_waits_for_a_client_that_listens(void **state)
{
    wt_rsp_session_output(f.s, "early\n", 6);
    f.d->endless = true;
    expect("vCont;c", "O6561726c790a");
    wt_rsp_session_output(f.s, "late", 4);
    turn();
    assert_string_equal(next(), "O6c617465");
    send_raw("\003", 1);
    turn();
    assert_memory_equal(next(), "T02", 3);
    wt_rsp_session_output(f.s, "later", 5);
    turn();
    assert_string_equal(next(), "(nothing)");
}

/* Any packet, from any state, is answered or waited for; none crashes. */
static void mangled_packets_do_no_harm(void **state)
{
    static const char *const seeds[] = {
        "qSupported:multiprocess+;swbreak+",
        "vCont;s:p1.1;c",
        "Z0,80000010,4;X3,220127",
        "Z0,80000010,4;cmds:1,X4,22012734",
        "m80000000,100",
        "M80000000,2:0000",
        "p20",
        "P5=00000000",
        "qXfer:features:read:target.xml:0,1000",
        "qXfer:threads:read::0,1000",
        "Hgp1.1",
        "T1",
        "vFile:open:2f,0,0",
        "vFile:pread:3,4,0",
        "qRcmd,68656c70",
        "qSearch:memory:80000000;10;ab",
        "QNonStop:1",
        "vStopped",
        "?",
        "vKill;1",
        "vRun;",
        "g",
        "jThreadsInfo",
        "qfThreadInfo",
        "qsThreadInfo",
        "vAttach;1",
        "qThreadExtraInfo,1",
        "x80000000,4",
        "R00",
        "c",
        "D;1",
        "k",
        "QThreadSuffixSupported",
        "QListThreadsInStopReply",
        "qMemoryRegionInfo:0",
        "qCRC:80000000,4",
        "Z2,80000100,4",
        "Z3,80000100,4",
        "z2,80000100,4",
        "z4,80000100,8",
        "Z4,80000100,8",
    };
    uint32_t seed = 12345;
    for (unsigned round = 0; round < 20000; round++) {
        char text[64];
        seed = seed * 1103515245 + 12345;
        strcpy(text, seeds[(seed >> 8) % (sizeof seeds / sizeof *seeds)]);
        size_t length = strlen(text);
        for (unsigned k = 0; k < (seed >> 28) % 3; k++) {
            seed = seed * 1103515245 + 12345;
            text[(seed >> 8) % length] = (char)(seed >> 24);
        }
        send_bytes(text, seed % 7 ? length : (seed >> 8) % length);
        if (seed % 11 == 0)
            send_raw("\003", 1);
        turn();
        while (wt_packet_next(&f.replies).kind != WT_PACKET_NONE)
            continue;
        if (f.s->closing) {
            wt_rsp_session_end(f.s);
            turn();
            conversation_begin(f.s);
        }
    }
    wt_rsp_session_end(f.s);
    turn();
    while (wt_packet_next(&f.replies).kind != WT_PACKET_NONE)
        continue;
    wt_debugger_restart(f.d, WT_IGNORED);
    conversation_begin(f.s);
    assert_memory_equal(ask("?"), "T05thread:1;", 12);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(acknowledges_until_told_not_to),
        TEST(damaged_packets_are_answered),
        TEST(malformed_packets_get_errors),
        TEST(unknown_packets_get_an_empty_reply),
        TEST(negotiation),
        TEST(no_program_no_exec_file),
        TEST(the_thread_list_in_both_forms),
        TEST(documents_come_in_pieces),
        TEST(registers),
        TEST(memory),
        TEST(calls_that_other_lanes_would_run),
        TEST(lanes_that_met_a_breakpoint_together),
        TEST(binary_reads),
        TEST(search_and_crc),
        TEST(breakpoints_with_conditions_and_commands),
        TEST(breakpoints_leave_with_their_client_unless_they_persist),
        TEST(stop_replies_say_where_and_why),
        TEST(resuming_in_every_form),
        TEST(the_end_of_the_program),
        TEST(a_stop_is_told_of_a_thread_that_was_resumed),
        TEST(faults_come_with_their_text),
        TEST(an_endless_program_is_interrupted),
        TEST(a_new_client_finds_the_program_halted),
        TEST(detaching_lets_the_program_run),
        TEST(after_the_end_the_next_client_starts_afresh),
        TEST(killing),
        TEST(nonstop_tells_stops_one_by_one),
        TEST(older_gdb_hears_of_one_thread_first),
        TEST(the_program_file_can_be_read_and_nothing_else),
        TEST(a_pipe_is_no_program),
        TEST(documents_are_kept_by_annex),
        TEST(monitor_commands),
        TEST(lldb_gets_its_keys),
        TEST(watchpoints_of_each_kind),
        TEST(a_watchpoint_keeps_its_thread),
        TEST(a_device_without_watchpoints_says_so),
        TEST(stops_for_watchpoints_name_them),
        TEST(json_text_is_escaped),
        TEST(console_text_waits_for_a_client_that_listens),
        TEST(mangled_packets_do_no_harm),
    };
    return cmocka_run_group_tests_name("rsp", tests, NULL, NULL);
}
