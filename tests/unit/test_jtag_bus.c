/*
 * The JTAG transport against remote_bitbang servers: of a device that is quick, slow or broken, of
 * chains of several TAPs, and against peers that are silent, gone, or talk nonsense. The server is
 * a thread; its devices are emulated TAPs with registers.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <cmocka.h>

#include "bus/jtag/jtag.h"
#include "bus/jtag/stream.h"
#include "wait.h"
#include "temporary.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct device {
    struct wt_dtm dtm;
    uint32_t reg[256];
    unsigned reads, writes;
    bool quick_after_write; /* the first write takes as long as the DTM's option says, no more */
};

/* What goes wrong, from the reply with number `at` on. */
enum fault {
    WELL,
    STUCK_0,
    STUCK_1,
    NOISE,
    INVERTED,
    NOT_A_BIT, /* answers a letter */
    EXTRA,     /* one bit more than was asked for, once */
    CLOSES,
    SILENT,
};

struct peer {
    char directory[64], path[80], address[112];
    int listener;
    pthread_t thread;
    struct device device[3]; /* 0 is next to TDO */
    unsigned taps;
    enum fault fault;
    size_t at, replies;
    unsigned connections;
    bool small_buffers;
    uint32_t noise;
};

static uint32_t read_reg(void *context, uint32_t addr)
{
    struct device *d = context;
    d->reads++;
    return d->reg[addr & 255];
}

static void write_reg(void *context, uint32_t addr, uint32_t value)
{
    struct device *d = context;
    d->writes++;
    d->reg[addr & 255] = value;
    if (d->quick_after_write)
        d->dtm.config.cycles = 0;
}

static void pins(struct peer *p, char c)
{
    bool tck = (c - '0') >> 2 & 1, tms = (c - '0') >> 1 & 1, tdi = (c - '0') & 1;
    for (unsigned i = p->taps; i-- > 0;) {
        bool out = p->device[i].dtm.tdo; /* changes at falling edges, is looked at at rising ones */
        wt_dtm_pins(&p->device[i].dtm, tck, tms, tdi);
        tdi = out;
    }
}

/* One connection, to its end. False: it stays open in silence. */
static void talk(struct peer *p, int fd)
{
    char in[1000], out[1001];
    for (;;) {
        ssize_t got = recv(fd, in, sizeof in, 0);
        if (got <= 0)
            return;
        size_t n = 0;
        for (ssize_t i = 0; i < got; i++) {
            if (in[i] >= '0' && in[i] <= '7') {
                pins(p, in[i]);
            } else if (in[i] == 'R') {
                bool bit = p->device[0].dtm.tdo, hit = p->fault && p->replies++ >= p->at;
                out[n] = bit ? '1' : '0';
                if (hit && p->fault == STUCK_0)
                    out[n] = '0';
                if (hit && p->fault == STUCK_1)
                    out[n] = '1';
                if (hit && p->fault == NOISE) {
                    p->noise = p->noise * 1664525 + 1013904223;
                    out[n] = p->noise >> 30 & 1 ? '1' : '0';
                }
                if (hit && p->fault == INVERTED)
                    out[n] ^= 1;
                if (hit && p->fault == NOT_A_BIT)
                    out[n] = 'x';
                if (hit && p->fault == CLOSES) {
                    send(fd, out, n, MSG_NOSIGNAL);
                    return;
                }
                if (hit && p->fault == SILENT)
                    continue;
                n++;
                if (hit && p->fault == EXTRA) {
                    out[n++] = '0';
                    p->fault = WELL;
                }
            }
        }
        size_t sent = 0; /* blocking: it reads no more until this is gone */
        while (sent < n) {
            ssize_t put = send(fd, out + sent, n - sent, MSG_NOSIGNAL);
            if (put <= 0)
                return;
            sent += (size_t)put;
        }
    }
}

static void *serve(void *context)
{
    struct peer *p = context;
    int fd;
    while ((fd = accept(p->listener, NULL, NULL)) >= 0) {
        if (p->small_buffers) {
            int size = 1; /* as small as it gets */
            setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
            setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
        }
        p->connections++;
        for (unsigned i = 0; i < p->taps; i++)
            wt_dtm_unplug(&p->device[i].dtm);
        talk(p, fd);
        close(fd);
    }
    return NULL;
}

static struct peer *peer_with(unsigned taps, const struct wt_dtm_config *config)
{
    struct peer *p = calloc(1, sizeof *p);
    assert_true(temporary_folder(p->directory));
    snprintf(p->path, sizeof p->path, "%s/s", p->directory);
    snprintf(p->address, sizeof p->address, "remote_bitbang:unix:%s", p->path);
    p->taps = taps;
    p->noise = 1;
    for (unsigned i = 0; i < taps; i++) {
        struct device *d = &p->device[i];
        struct wt_dtm_config c = *config;
        const struct wt_bus_device registers = {.context = d, .read = read_reg, .write = write_reg};
        c.idcode += i << 12;
        wt_dtm_init(&d->dtm, &c, &registers);
        for (unsigned k = 0; k < COUNT(d->reg); k++)
            d->reg[k] = 0x1000 * i + k;
    }
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    strcpy(a.sun_path, p->path);
    p->listener = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(p->listener, (struct sockaddr *)&a, sizeof a), 0);
    assert_int_equal(listen(p->listener, 5), 0);
    assert_int_equal(pthread_create(&p->thread, NULL, serve, p), 0);
    return p;
}

static struct peer *peer_new(unsigned cycles)
{
    struct wt_dtm_config config = wt_dtm_default_config(cycles);
    return peer_with(1, &config);
}

/* The bus is closed before. */
static void peer_free(struct peer *p)
{
    shutdown(p->listener, SHUT_RDWR);
    join_thread(p->thread);
    close(p->listener);
    unlink(p->path);
    rmdir(p->directory);
    free(p);
}

static struct wt_bus *open_bus(struct peer *p)
{
    struct wt_error err = {0};
    struct wt_bus *bus;
    struct wt_jtag_options options = wt_jtag_default_options(p->address);
    if (wt_bus_jtag_open(&options, &bus, &err))
        fail_msg("%s", err.text);
    return bus;
}

/* Opening fails, and the message has @p words in it. */
static void open_fails(const struct wt_jtag_options *options, enum wt_status status,
                       const char *words)
{
    struct wt_error err = {0};
    struct wt_bus *bus;
    assert_int_equal(wt_bus_jtag_open(options, &bus, &err), status);
    assert_null(bus);
    if (!strstr(err.text, words))
        fail_msg("'%s' lacks '%s'", err.text, words);
}

static uint32_t read_one(struct wt_bus *bus, uint16_t addr)
{
    uint32_t value;
    struct wt_error err;
    if (wt_bus_read(bus, addr, &value, &err))
        fail_msg("%s", err.text);
    return value;
}

/* ---- what works ---- */

static void a_batch_is_one_round_trip_in_order(void **state)
{
    struct peer *p = peer_new(0);
    struct wt_bus *bus = open_bus(p);
    struct wt_error err;
    struct wt_bus_op ops[600];
    for (unsigned i = 0; i < COUNT(ops); i++) /* write, read it, read another one */
        ops[i] = (struct wt_bus_op){
            .write = i % 3 == 0, .addr = i % 3 == 2 ? 77 : 5, .value = 0x80000000u + i};
    uint64_t before = bus->round_trips;
    assert_int_equal(wt_bus_transact(bus, ops, COUNT(ops), &err), WT_OK);
    assert_int_equal(bus->round_trips - before, 1);
    for (unsigned i = 0; i < COUNT(ops); i++)
        assert_int_equal(ops[i].value, i % 3 == 0   ? 0x80000000u + i
                                       : i % 3 == 1 ? 0x80000000u + i - 1
                                                    : 77);
    wt_bus_close(bus);
    assert_int_equal(p->device[0].writes, 200);
    assert_int_equal(p->device[0].reads, 400);
    peer_free(p);
}

static void a_large_batch_is_cut_into_as_few_as_possible(void **state)
{
    struct peer *p = peer_new(0);
    struct wt_bus *bus = open_bus(p);
    static struct wt_bus_op ops[WT_JTAG_BATCH * 2 + 1];
    for (unsigned i = 0; i < COUNT(ops); i++)
        ops[i] = (struct wt_bus_op){.addr = i & 127};
    uint64_t before = bus->round_trips;
    assert_int_equal(wt_bus_transact(bus, ops, COUNT(ops), WT_IGNORED), WT_OK);
    assert_int_equal(bus->round_trips - before, 3);
    for (unsigned i = 0; i < COUNT(ops); i++)
        assert_int_equal(ops[i].value, i & 127);
    assert_int_equal(wt_bus_transact(bus, ops, 0, WT_IGNORED), WT_OK);
    assert_int_equal(bus->round_trips - before, 3);
    wt_bus_close(bus);
    peer_free(p);
}

static void unbatched_takes_a_round_trip_each(void **state)
{
    struct peer *p = peer_new(0);
    struct wt_jtag_options options = wt_jtag_default_options(p->address);
    struct wt_bus *bus;
    options.batch = 1;
    assert_int_equal(wt_bus_jtag_open(&options, &bus, WT_IGNORED), WT_OK);
    struct wt_bus_op ops[50] = {{.write = true, .addr = 4, .value = 44}};
    uint64_t before = bus->round_trips;
    assert_int_equal(wt_bus_transact(bus, ops, COUNT(ops), WT_IGNORED), WT_OK);
    assert_int_equal(bus->round_trips - before, 50);
    assert_int_equal(read_one(bus, 4), 44);
    wt_bus_close(bus);
    peer_free(p);
}

/* A server that answers with blocking writes and reads nothing meanwhile. */
static void neither_side_waits_with_full_buffers(void **state)
{
    struct peer *p = peer_new(0);
    p->small_buffers = true;
    struct wt_bus *bus = open_bus(p);
    static struct wt_bus_op ops[WT_JTAG_BATCH * 4];
    memset(ops, 0, sizeof ops);
    assert_int_equal(wt_bus_transact(bus, ops, COUNT(ops), WT_IGNORED), WT_OK);
    wt_bus_close(bus);
    assert_int_equal(p->device[0].reads, COUNT(ops));
    peer_free(p);
}

/* Whatever the DTM says about waiting: each access is done once, in order. */
static void busy_accesses_are_done_once_each(void **state)
{
    static const unsigned cycles[] = {1, 4, 9, 11, 30, 200, 3000};
    for (size_t k = 0; k < COUNT(cycles); k++) {
        struct wt_dtm_config config = wt_dtm_default_config(cycles[k]);
        config.idle = 0; /* a lie */
        struct peer *p = peer_with(1, &config);
        struct wt_bus *bus = open_bus(p);
        struct wt_bus_op ops[100];
        for (unsigned i = 0; i < COUNT(ops); i++)
            ops[i] = (struct wt_bus_op){.write = i % 2 == 0, .addr = 9, .value = i};
        struct wt_error err;
        if (wt_bus_transact(bus, ops, COUNT(ops), &err))
            fail_msg("%u cycles: %s", cycles[k], err.text);
        for (unsigned i = 0; i < COUNT(ops); i++)
            assert_int_equal(ops[i].value, i & ~1u);
        /* It has learned: no more detours. */
        uint64_t before = bus->round_trips;
        for (int i = 0; i < 10; i++)
            assert_int_equal(wt_bus_transact(bus, ops, 10, &err), WT_OK);
        assert_int_equal(bus->round_trips - before, 10);
        wt_bus_close(bus);
        assert_int_equal(p->device[0].writes, 50 + 50);
        assert_int_equal(p->device[0].reads, 50 + 50);
        peer_free(p);
    }
}

static void a_device_that_stays_busy_is_given_up(void **state)
{
    struct peer *p = peer_new(400000);
    p->device[0].quick_after_write = true;
    struct wt_bus *bus = open_bus(p);
    struct wt_error err;
    uint32_t value = 0;
    assert_int_equal(wt_bus_write(bus, 1, 0x1234, &err), WT_TIMEOUT);
    assert_non_null(strstr(err.text, "busy"));
    /* When that access is done after all, the next ones are. */
    enum wt_status status = WT_TIMEOUT;
    for (int i = 0; i < 10 && status; i++)
        if ((status = wt_bus_read(bus, 1, &value, &err)))
            assert_int_equal(status, WT_TIMEOUT);
    assert_int_equal(status, WT_OK);
    assert_int_equal(value, 0x1234);
    wt_bus_close(bus);
    assert_int_equal(p->device[0].writes, 1);
    assert_int_equal(p->connections, 1);
    peer_free(p);
}

static void a_refused_access_says_which_and_the_next_works(void **state)
{
    struct wt_dtm_config config = wt_dtm_default_config(0);
    config.addresses = 13;
    struct peer *p = peer_with(1, &config);
    struct wt_bus *bus = open_bus(p);
    struct wt_error err;
    struct wt_bus_op ops[] = {{.addr = 3}, {.write = true, .addr = 14}, {.write = true, .addr = 4}};
    assert_int_equal(wt_bus_transact(bus, ops, 3, &err), WT_IO);
    assert_non_null(strstr(err.text, "write of address 0xe"));
    assert_int_equal(ops[0].value, 3);
    assert_int_equal(p->device[0].writes, 0); /* the third did not happen */
    assert_int_equal(read_one(bus, 5), 5);
    /* An address that does not fit is not sent at all. */
    ops[1].addr = 128;
    assert_int_equal(wt_bus_transact(bus, ops, 3, &err), WT_INVALID);
    assert_non_null(strstr(err.text, "0x80"));
    wt_bus_close(bus);
    peer_free(p);
}

static void an_error_that_someone_left_is_cleared(void **state)
{
    struct peer *p = peer_new(0);
    struct wt_bus *bus = open_bus(p);
    p->device[0].dtm.sticky = WT_DMI_BUSY;
    assert_int_equal(read_one(bus, 5), 5);
    p->device[0].dtm.sticky = WT_DMI_FAILED;
    assert_int_equal(read_one(bus, 6), 6);
    wt_bus_close(bus);
    peer_free(p);
}

static void addresses_may_be_wide(void **state)
{
    struct wt_dtm_config config = wt_dtm_default_config(5);
    config.abits = WT_DTM_ABITS_MAX;
    struct peer *p = peer_with(1, &config);
    struct wt_bus *bus = open_bus(p);
    assert_int_equal(read_one(bus, 0xff), 0xff);
    assert_int_equal(wt_bus_write(bus, 0x10, 0xfeedface, WT_IGNORED), WT_OK);
    assert_int_equal(read_one(bus, 0x10), 0xfeedface);
    assert_non_null(strstr(wt_bus_jtag_about(bus), "30 address bits"));
    wt_bus_close(bus);
    peer_free(p);
}

/* ---- chains ---- */

static void each_tap_of_a_chain_can_be_reached(void **state)
{
    struct wt_dtm_config config = wt_dtm_default_config(6);
    struct peer *p = peer_with(3, &config);
    struct wt_jtag_options options = wt_jtag_default_options(p->address);
    struct wt_error err;
    assert_int_equal(wt_jtag_parse_ir("5,5,5", &options, &err), WT_OK);
    for (int tap = 0; tap < 3; tap++) {
        struct wt_bus *bus;
        char idcode[32];
        options.tap = tap;
        assert_int_equal(wt_bus_jtag_open(&options, &bus, &err), WT_OK);
        snprintf(idcode, sizeof idcode, "0x%08x", WT_DTM_DEFAULT_IDCODE + (tap << 12));
        assert_non_null(strstr(wt_bus_jtag_about(bus), idcode));
        struct wt_bus_op ops[20];
        for (unsigned i = 0; i < COUNT(ops); i++)
            ops[i] = (struct wt_bus_op){.addr = i};
        assert_int_equal(wt_bus_transact(bus, ops, COUNT(ops), &err), WT_OK);
        for (unsigned i = 0; i < COUNT(ops); i++)
            assert_int_equal(ops[i].value, 0x1000 * tap + i);
        wt_bus_close(bus);
        for (int other = tap + 1; other < 3; other++)
            assert_int_equal(p->device[other].reads, 0);
    }
    /* What is not said, or wrong, is refused. */
    options.tap = 3;
    open_fails(&options, WT_INVALID, "there is no TAP 3");
    options.tap = -1;
    open_fails(&options, WT_INVALID,
               "the chain has 3 TAPs: 0 (IDCODE 0x15754001), 1 (IDCODE 0x1575");
    options.tap = 1;
    wt_jtag_parse_ir("5,5", &options, &err);
    open_fails(&options, WT_INVALID, "2 instruction register lengths");
    wt_jtag_parse_ir("5,5,6", &options, &err);
    open_fails(&options, WT_INVALID, "have 15 bits together, not 16");
    wt_jtag_parse_ir("7,4,4", &options, &err);
    open_fails(&options, WT_UNSUPPORTED, "its instruction register has 4 bits");
    options.ir_count = 0;
    open_fails(&options, WT_INVALID, "--jtag-ir");
    peer_free(p);
}

static void lists_of_lengths_are_checked(void **state)
{
    static const char *const bad[] = {"",
                                      ",",
                                      "5,",
                                      "0",
                                      "33",
                                      "5;5",
                                      "-5",
                                      "5,,5",
                                      "x",
                                      "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1",
                                      "99999999999999999999"};
    struct wt_jtag_options options = wt_jtag_default_options("");
    struct wt_error err;
    assert_int_equal(wt_jtag_parse_ir("5", &options, &err), WT_OK);
    assert_int_equal(options.ir_count, 1);
    assert_int_equal(wt_jtag_parse_ir("32,1,4", &options, &err), WT_OK);
    assert_int_equal(options.ir_count, 3);
    assert_int_equal(options.ir_bits[2], 4);
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_int_equal(wt_jtag_parse_ir(bad[i], &options, &err), WT_INVALID);
}

/* ---- what goes wrong ---- */

static void what_is_no_dtm_is_told(void **state)
{
    struct wt_dtm_config config = wt_dtm_default_config(0);
    struct peer *p = peer_with(0, &config); /* TDI is wired to TDO: nothing in between */
    p->device[0].dtm.tdo = true;
    struct wt_jtag_options options = wt_jtag_default_options(p->address);
    open_fails(&options, WT_IO, "TDO is stuck at 1");
    peer_free(p);
    config.abits = 3;
    p = peer_with(1, &config);
    options.address = p->address;
    open_fails(&options, WT_UNSUPPORTED, "addresses of 3 bits");
    peer_free(p);
}

static const struct {
    enum fault fault;
    enum wt_status status;
    const char *says;
} faults[] = {
    {STUCK_0, WT_IO, "TDO is stuck at 0"},
    {STUCK_1, WT_IO, "TDO is stuck at 1"},
    {NOISE, WT_IO, "TDO is garbage"},
    {INVERTED, WT_IO, "TDO is garbage"},
    {NOT_A_BIT, WT_IO, "byte 0x78"},
    {CLOSES, WT_IO, "closed the connection while"},
    {SILENT, WT_TIMEOUT, "no answer within 1000 ms while"},
};

/* From the first bit on: it does not open. */
static void a_broken_link_does_not_open(void **state)
{
    for (size_t i = 0; i < COUNT(faults); i++) {
        struct peer *p = peer_new(0);
        struct wt_jtag_options options = wt_jtag_default_options(p->address);
        options.timeout_ms = 1000;
        p->fault = faults[i].fault;
        open_fails(&options, faults[i].status, faults[i].says);
        p->fault = WELL;
        struct wt_bus *bus = open_bus(p); /* the next attempt works */
        assert_int_equal(read_one(bus, 5), 5);
        wt_bus_close(bus);
        peer_free(p);
    }
}

/* At any later point: opening or an access fails, and what comes next works. */
static void a_link_that_breaks_is_noticed_whenever_it_does(void **state)
{
    for (size_t i = 0; i < COUNT(faults); i++) {
        /* Replies: 576 to find TAPs, 576 for instruction registers, 40 for DTMCS, then accesses. */
        static const size_t points[] = {1, 575, 576, 900, 1151, 1152, 1160, 1191, 1192, 1193, 1200};
        for (size_t k = 0; k < COUNT(points); k++) {
            struct peer *p = peer_new(0);
            struct wt_jtag_options options = wt_jtag_default_options(p->address);
            struct wt_error err = {0};
            struct wt_bus *bus;
            options.timeout_ms = 1000;
            p->fault = faults[i].fault;
            p->at = points[k];
            enum wt_status status = wt_bus_jtag_open(&options, &bus, &err);
            struct wt_bus_op ops[40] = {{.addr = 1}};
            if (!status)
                status = wt_bus_transact(bus, ops, COUNT(ops), &err);
            assert_int_not_equal(status, WT_OK);
            assert_non_null(strstr(err.text, p->path));
            p->fault = WELL;
            if (!bus)
                bus = open_bus(p);
            assert_int_equal(read_one(bus, 5), 5);
            wt_bus_close(bus);
            peer_free(p);
        }
    }
}

static void a_bit_that_nobody_asked_for_is_noticed(void **state)
{
    struct peer *p = peer_new(0);
    struct wt_bus *bus = open_bus(p);
    struct wt_error err;
    p->fault = EXTRA;
    uint32_t value;
    /* It shifts the rest of this exchange, or is seen before the next one. */
    enum wt_status first = wt_bus_read(bus, 5, &value, &err);
    enum wt_status second = first ? WT_OK : wt_bus_read(bus, 5, &value, &err);
    assert_true(first || second);
    assert_int_equal(read_one(bus, 5), 5);
    wt_bus_close(bus);
    peer_free(p);
}

/* A server that takes connections and keeps silent costs its time limit now and then, not always.
 */
static void a_silent_server_is_not_called_at_each_access(void **state)
{
    struct peer *p = peer_new(0);
    struct wt_jtag_options options = wt_jtag_default_options(p->address);
    struct wt_bus *bus;
    struct wt_error err;
    uint32_t value;
    options.timeout_ms = 1000;
    assert_int_equal(wt_bus_jtag_open(&options, &bus, &err), WT_OK);
    p->fault = SILENT;
    assert_int_equal(wt_bus_read(bus, 5, &value, &err), WT_TIMEOUT);
    assert_non_null(strstr(err.text, "while accessing debug registers"));
    assert_int_equal(wt_bus_read(bus, 5, &value, &err), WT_TIMEOUT);
    assert_non_null(strstr(err.text, "while looking for TAPs"));
    unsigned connections = p->connections;
    assert_int_equal(wt_bus_read(bus, 5, &value, &err), WT_TIMEOUT);
    assert_non_null(strstr(err.text, "a moment ago"));
    p->fault = WELL;
    assert_int_equal(wt_bus_reconnect(bus, &err), WT_OK); /* who asks for it gets it */
    assert_int_equal(p->connections, connections + 1);
    assert_int_equal(read_one(bus, 5), 5);
    wt_bus_close(bus);
    peer_free(p);
}

static void reconnecting_begins_anew(void **state)
{
    struct peer *p = peer_new(0);
    struct wt_bus *bus = open_bus(p);
    assert_int_equal(read_one(bus, 5), 5);
    assert_int_equal(wt_bus_reconnect(bus, WT_IGNORED), WT_OK);
    assert_int_equal(read_one(bus, 6), 6);
    assert_int_equal(p->connections, 2);
    wt_bus_close(bus);
    peer_free(p);
}

static void nobody_there_is_said(void **state)
{
    struct wt_jtag_options options = wt_jtag_default_options("remote_bitbang:unix:/nonexistent/x");
    open_fails(&options, WT_IO, "/nonexistent/x");
    options.address = "remote_bitbang:";
    open_fails(&options, WT_INVALID, "");
    options.address = "remote_bitbang:localhost:x";
    open_fails(&options, WT_INVALID, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_is_one_round_trip_in_order),
        cmocka_unit_test(a_large_batch_is_cut_into_as_few_as_possible),
        cmocka_unit_test(unbatched_takes_a_round_trip_each),
        cmocka_unit_test(neither_side_waits_with_full_buffers),
        cmocka_unit_test(busy_accesses_are_done_once_each),
        cmocka_unit_test(a_device_that_stays_busy_is_given_up),
        cmocka_unit_test(a_refused_access_says_which_and_the_next_works),
        cmocka_unit_test(an_error_that_someone_left_is_cleared),
        cmocka_unit_test(addresses_may_be_wide),
        cmocka_unit_test(each_tap_of_a_chain_can_be_reached),
        cmocka_unit_test(lists_of_lengths_are_checked),
        cmocka_unit_test(what_is_no_dtm_is_told),
        cmocka_unit_test(a_broken_link_does_not_open),
        cmocka_unit_test(a_link_that_breaks_is_noticed_whenever_it_does),
        cmocka_unit_test(a_bit_that_nobody_asked_for_is_noticed),
        cmocka_unit_test(a_silent_server_is_not_called_at_each_access),
        cmocka_unit_test(reconnecting_begins_anew),
        cmocka_unit_test(nobody_there_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
