/*
 * Fuzz target: two clients of one debugger, who send packets of GDB's and LLDB's to the whole
 * stack: sessions, debugger, probe, Debug Module and emulator, forwards and backwards. The first
 * byte is that of fuzz_rsp.h. Then each byte names a client and what it does: a packet of the table
 * below, whose arguments are taken from the input; the same packet, damaged; an interrupt; bytes of
 * the input; or it leaves, and another one comes in its place.
 *
 * Whatever was sent, nobody waits for what does not run, an interrupt ends what runs, and the next
 * clients are told why the program stands.
 */
enum { CLIENTS = 2 };

#include "fuzz_rsp.h"

/* %t: a thread-id, %a: an address, %n: a number, %r: a register, %v: eight hex digits. */
static const char *const packets[] = {
    /* Going. */
    "c", "s", "bc", "bs", "vCont;c", "vCont;s:%t;c", "vCont;s:%t", "vCont;c:%t", "vCont;t",
    "vCont;t:%t", "vCont;r%a,%a:%t;c", "c%a", "s%a", "C05", "S05;%a", "?", "vCtrlC", "R00", "vRun",
    "vRun;", "k", "vKill;1", "D", "D;1", "!", "vAttach;1", "vStopped", "QNonStop:1", "QNonStop:0",
    /* Looking and changing. */
    "g", "G%v%v", "p%r", "P%r=%v", "P20=%v", "m%a,%n", "M%a,4:%v", "x%a,%n", "X%a,4:%v", "Hg%t",
    "Hc%t", "T%t", "g;thread:%t;", "P%r=%v;thread:%t;", "qSearch:memory:%a;%n;%v", "qCRC:%a,%n",
    "qfThreadInfo", "qsThreadInfo", "qThreadExtraInfo,%t", "qThreadStopInfo%t", "jThreadsInfo",
    "qXfer:threads:read::0,1000", "qXfer:features:read:target.xml:0,1000",
    "qXfer:wavetrap-waves:read::0,1000", "qXfer:wavetrap-lanes:read:%t:0,1000",
    "qMemoryRegionInfo:%a", "qC",
    /* What is agreed. */
    "qSupported:multiprocess+;swbreak+;hwbreak+;error-message+;no-resumed+",
    "qSupported:xmlRegisters=i386,arm,mips", "QThreadSuffixSupported", "QListThreadsInStopReply",
    "QEnableErrorStrings", "QStartNoAckMode",
    /* Breakpoints and watchpoints. */
    "Z0,%a,4", "z0,%a,4", "Z1,%a,4", "z1,%a,4", "Z2,%a,%n", "z2,%a,%n", "Z3,%a,%n", "z3,%a,%n",
    "Z4,%a,%n", "z4,%a,%n", "Z0,%a,4;X3,260a21", "Z0,%a,4;X3,220127;cmds:0,X2,2227"};

/* Of `monitor`: in hex behind "qRcmd,". */
static const char *const commands[] = {"goto start",
                                       "goto end",
                                       "goto -%n",
                                       "goto +%n",
                                       "who-wrote %d,4 --all",
                                       "who-wrote %d",
                                       "hash",
                                       "time",
                                       "reset",
                                       "reset device",
                                       "reattach",
                                       "lift-breakpoints",
                                       "threads warps",
                                       "threads lanes",
                                       "lane 1",
                                       "mark m",
                                       "goto m",
                                       "stop-at-end on",
                                       "each-lane on",
                                       "info",
                                       "each-lane off",
                                       "stop-at-end off",
                                       "threads auto"};

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* What a byte does beside sending a packet. */
enum { DAMAGED = 110, INTERRUPT = 120, BYTES = 122, LEAVES = 124 };

struct input {
    const uint8_t *at, *end;
};

static unsigned take(struct input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

static void put_argument(FILE *out, char kind, unsigned n)
{
    switch (kind) {
    case 't':
        fprintf(out, "%x", n % 20);
        break;
    case 'a': /* code, mostly; the words that the program writes; anything */
        fprintf(out, "%x", n < 160 ? BASE + n / 2 : n < 240 ? BASE + 0x1000 + n % 16 : n << 24);
        break;
    case 'd':
        fprintf(out, "0x%x", BASE + 0x1000 + n % 16);
        break;
    case 'r':
        fprintf(out, "%x", n % 80);
        break;
    case 'v':
        fprintf(out, "%02x%02x0080", n, n >> 4);
        break;
    default:
        fprintf(out, "%x", n);
    }
}

static size_t put_packet(char *text, size_t size, const char *form, struct input *in)
{
    FILE *out = fmemopen(text, size, "w");
    for (; *form; form++)
        if (*form == '%')
            put_argument(out, *++form, take(in));
        else
            fputc(*form, out);
    const size_t length = (size_t)ftell(out);
    fclose(out);
    return length;
}

static void command(struct wt_rsp_session *s, const char *form, struct input *in)
{
    char text[64], packet[256] = "qRcmd,";
    const size_t length = put_packet(text, sizeof text, form, in);
    for (size_t i = 0; i < length; i++)
        sprintf(packet + 6 + 2 * i, "%02x", (unsigned char)text[i]);
    send_packet(s, packet, 6 + 2 * length);
}

/* A packet, of which one byte is another one; its checksum is right, or not. */
static void damaged(struct wt_rsp_session *s, const char *form, struct input *in)
{
    char packet[256] = "";
    const size_t length = put_packet(packet, sizeof packet, form, in);
    packet[take(in) % length] = (char)take(in);
    if (take(in) & 1) {
        send_packet(s, packet, length);
        return;
    }
    send_bytes(s, "$", 1);
    send_bytes(s, packet, length);
    send_bytes(s, "#00", 3);
}

static void act(struct wt_rsp_session *s, unsigned what, struct input *in)
{
    char packet[256] = "";
    if (what < COUNT(packets)) {
        send_packet(s, packet, put_packet(packet, sizeof packet, packets[what], in));
    } else if (what < DAMAGED) {
        command(s, commands[(what - COUNT(packets)) % COUNT(commands)], in);
    } else if (what < INTERRUPT) {
        damaged(s, packets[take(in) % COUNT(packets)], in);
    } else if (what < BYTES) {
        send_bytes(s, "\003", 1);
    } else if (what < LEAVES) {
        const size_t wanted = take(in), left = (size_t)(in->end - in->at);
        const size_t size = wanted < left ? wanted : left;
        send_bytes(s, in->at, size);
        in->at += size;
    } else {
        wt_rsp_session_end(s);
        wt_rsp_session_begin(s, true);
    }
}

_Static_assert(COUNT(packets) + COUNT(commands) <= DAMAGED, "each has its byte");

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size || size > 400)
        return 0;
    struct stack w;
    open_stack(&w, data[0]);
    struct input in = {data + 1, data + size};
    while (in.at < in.end) {
        const unsigned what = take(&in);
        act(w.talk[what & 1].s, what >> 1, &in);
        /* Every eighth is sent before the one before it is done. */
        if (take(&in) & 7)
            turn(&w);
    }
    check(&w);
    close_stack(&w);
    return 0;
}
