/*
 * Unit tests of the socket transport: against servers that know much or little, are late, silent,
 * gone, or talk nonsense. The server is a thread with registers of its own.
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
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "bus/address.h"
#include "bus/line.h"
#include "bus/tcp.h"
#include "debug/vortex/vxdebug.h"
#include "wait.h"
#include "temporary.h"

enum manner {
    FULL,       /* everything, as many requests at a time as come */
    ONE_A_READ, /* takes the first line of what it receives, drops the rest */
    COLONS,     /* "W" with ':' only, as the runtime of 2025 */
    NO_BATCHES, /* p, s, r, w */
    BARE,       /* r and w only; says nothing to anything else */
    CURT,       /* r and w only; says '-' to anything else */
};

struct peer {
    enum manner manner;
    char path[64], directory[64], address[80];
    int listener;
    pthread_t thread;
    uint32_t reg[16];
    unsigned connections, starts;
    size_t lines; /* requests since it began */
    /* What goes wrong at a request: the count of requests at which it does. */
    size_t silent_at, garbage_at, close_at, twice_at, no_at, half_at;
    int release[2]; /* read before the reply of silent_at is sent after all */
};

static uint32_t reg_read(void *context, uint32_t addr)
{
    struct peer *p = context;
    return addr < 16 ? p->reg[addr] : 0;
}

static void reg_write(void *context, uint32_t addr, uint32_t value)
{
    struct peer *p = context;
    if (addr < 16)
        p->reg[addr] = value;
}

static bool started(void *context)
{
    ((struct peer *)context)->starts++;
    return true;
}

/* The reply to one line, according to manners; 0: none. */
static size_t reply_to(struct peer *p, struct wt_line_server *s, const char *line, size_t length,
                       char *out)
{
    size_t sent;
    bool knows = true;
    switch (p->manner) {
    case BARE:
    case CURT:
        knows = line[0] == 'r' || line[0] == 'w';
        break;
    case NO_BATCHES:
        knows = strchr("psrw", line[0]) != NULL;
        break;
    case COLONS:
        knows = line[0] != 'W' || !memchr(line, ';', length);
        break;
    default:
        break;
    }
    if (!knows) {
        memcpy(out, "-\n", 2);
        return p->manner == BARE ? 0 : 2;
    }
    wt_line_server_feed(s, line, length, out, 2 * WT_LINE_MAX, &sent);
    return sent;
}

/* One connection, to its end. */
static void talk(struct peer *p, int fd)
{
    struct wt_line_server s = {.device = {p, reg_read, reg_write}, .start = started, .context = p};
    char in[65536];
    size_t have = 0;
    for (;;) {
        ssize_t got = recv(fd, in + have, sizeof in - have, 0);
        if (got <= 0)
            return;
        have += (size_t)got;
        char *newline;
        while ((newline = memchr(in, '\n', have))) {
            size_t length = (size_t)(newline - in) + 1;
            char out[2 * WT_LINE_MAX] = "";
            size_t size = reply_to(p, &s, in, length, out), at = ++p->lines;
            have -= length;
            memmove(in, in + length, have);
            if (p->manner == ONE_A_READ)
                have = 0;
            if (at == p->close_at)
                return;
            if (at == p->garbage_at) {
                memcpy(out, "\x01\xffwhat\n", 7);
                size = 7;
            }
            if (at == p->no_at) {
                memcpy(out, "-\n", 2);
                size = 2;
            }
            if (at == p->silent_at) {
                char go;
                if (read(p->release[0], &go, 1) != 1)
                    return;
            }
            if (at == p->half_at) {
                send(fd, out, size / 2, MSG_NOSIGNAL);
                return;
            }
            send(fd, out, size, MSG_NOSIGNAL);
            if (at == p->twice_at)
                send(fd, out, size, MSG_NOSIGNAL);
        }
    }
}

static void *serve(void *context)
{
    struct peer *p = context;
    for (;;) {
        int fd = accept(p->listener, NULL, NULL);
        if (fd < 0)
            return NULL;
        p->connections++;
        talk(p, fd);
        close(fd);
    }
}

static void listen_at(struct peer *p)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    strcpy(name.sun_path, p->path);
    p->listener = socket(AF_UNIX, SOCK_STREAM, 0);
    unlink(p->path);
    assert_int_equal(bind(p->listener, (struct sockaddr *)&name, sizeof name), 0);
    assert_int_equal(listen(p->listener, 4), 0);
    assert_int_equal(pthread_create(&p->thread, NULL, serve, p), 0);
}

static struct peer *new_peer(enum manner manner)
{
    struct peer *p = calloc(1, sizeof *p);
    p->manner = manner;
    p->reg[0] = 0x10201022;
    p->reg[2] = 0x1234;
    assert_true(temporary_folder(p->directory));
    snprintf(p->path, sizeof p->path, "%.40s/dm", p->directory);
    snprintf(p->address, sizeof p->address, "unix:%s", p->path);
    assert_int_equal(pipe(p->release), 0);
    listen_at(p);
    return p;
}

static void stop_peer(struct peer *p)
{
    shutdown(p->listener, SHUT_RDWR);
    join_thread(p->thread);
    close(p->listener);
}

/* The bus is closed first, or the peer would wait for it. */
static void free_peer(struct peer *p, struct wt_bus *bus)
{
    wt_bus_close(bus);
    close(p->release[1]);
    stop_peer(p);
    close(p->release[0]);
    unlink(p->path);
    rmdir(p->directory);
    free(p);
}

static struct wt_bus *open_to(struct peer *p, unsigned timeout_ms)
{
    struct wt_bus_tcp_options options = {.timeout_ms = timeout_ms, .registers = &wt_vxdebug_table};
    struct wt_bus *bus = NULL;
    struct wt_error err = {0};
    if (wt_bus_tcp_open(p->address, &options, &bus, &err))
        fail_msg("%s", err.text);
    return bus;
}

/* Writes and reads in turn, as injections do: 3 * n accesses. */
static enum wt_status ladder(struct wt_bus *bus, size_t n, struct wt_error *err)
{
    struct wt_bus_op *ops = calloc(3 * n, sizeof *ops);
    for (size_t i = 0; i < n; i++) {
        ops[3 * i] = (struct wt_bus_op){true, 8, (uint32_t)i};
        ops[3 * i + 1] = (struct wt_bus_op){true, 9, (uint32_t)~i};
        ops[3 * i + 2] = (struct wt_bus_op){false, i % 2 ? 8 : 9, 0};
    }
    enum wt_status status = wt_bus_transact(bus, ops, 3 * n, err);
    for (size_t i = 0; i < n && !status; i++)
        assert_int_equal(ops[3 * i + 2].value, (uint32_t)(i % 2 ? i : ~i));
    free(ops);
    return status;
}

static void assert_traits(enum manner manner, bool hello, bool read, bool write, bool pipelined,
                          uint64_t trips)
{
    struct peer *p = new_peer(manner);
    struct wt_bus *bus = open_to(p, 3000);
    const struct wt_bus_tcp_traits *t = wt_bus_tcp_traits(bus);
    assert_int_equal(t->hello, hello);
    assert_int_equal(t->batch_read, read);
    assert_int_equal(t->batch_write, write);
    assert_int_equal(t->pipelined, pipelined);
    assert_int_equal(p->starts, hello ? 1 : 0);
    assert_int_equal(p->reg[2], 0x1234);
    uint64_t before = bus->round_trips;
    struct wt_error err;
    assert_int_equal(ladder(bus, 100, &err), WT_OK);
    assert_int_equal(bus->round_trips - before, trips);
    assert_int_equal(p->connections, 1);
    free_peer(p, bus);
}

static void each_kind_of_server_is_recognised(void **state)
{
    assert_traits(FULL, true, true, true, true, 1);
    assert_traits(COLONS, true, true, true, true, 1);
    assert_traits(NO_BATCHES, true, false, false, true, 1);
    assert_traits(ONE_A_READ, true, true, true, false, 200);
    assert_traits(BARE, false, false, false, false, 300);
    assert_traits(CURT, false, false, false, false, 300);
}

static void one_at_a_time_is_the_plain_protocol(void **state)
{
    struct peer *p = new_peer(FULL);
    struct wt_bus_tcp_options options = {.one_at_a_time = true, .hold = true};
    struct wt_bus *bus;
    struct wt_error err;
    assert_int_equal(wt_bus_tcp_open(p->address, &options, &bus, &err), WT_OK);
    assert_int_equal(p->starts, 0);
    assert_int_equal(wt_bus_start(bus, &err), WT_OK);
    assert_int_equal(wt_bus_start(bus, &err), WT_OK);
    assert_int_equal(p->starts, 1);
    /* On the next connection it is held again. */
    assert_int_equal(wt_bus_reconnect(bus, &err), WT_OK);
    assert_int_equal(p->starts, 1);
    assert_int_equal(wt_bus_start(bus, &err), WT_OK);
    assert_int_equal(p->starts, 2);
    uint64_t before = bus->round_trips;
    assert_int_equal(ladder(bus, 10, &err), WT_OK);
    assert_int_equal(bus->round_trips - before, 30);
    free_peer(p, bus);
}

static void more_than_the_socket_holds_goes_through(void **state)
{
    struct peer *p = new_peer(FULL);
    struct wt_bus *bus = open_to(p, 20000);
    struct wt_error err;
    assert_int_equal(ladder(bus, 50000, &err), WT_OK);
    free_peer(p, bus);
}

static void nobody_there_is_said(void **state)
{
    struct peer *p = new_peer(FULL);
    stop_peer(p);
    struct wt_bus *bus;
    struct wt_error err;
    assert_int_equal(wt_bus_tcp_open(p->address, NULL, &bus, &err), WT_IO);
    assert_null(bus);
    assert_non_null(strstr(err.text, p->address));
    assert_non_null(strstr(err.text, "Connection refused"));
    listen_at(p);
    free_peer(p, NULL);
}

static void silence_is_named_and_a_late_answer_does_no_harm(void **state)
{
    struct peer *p = new_peer(FULL);
    struct wt_bus *bus = open_to(p, 1000);
    struct wt_error err = {0};
    uint32_t value;
    p->reg[6] = 0x0d000000;
    p->silent_at = p->lines + 1;
    assert_int_equal(wt_bus_read(bus, 6, &value, &err), WT_TIMEOUT);
    assert_non_null(strstr(err.text, "'r0006' (read of DCTRL)"));
    assert_non_null(strstr(err.text, "1000 ms"));
    /* The answer comes late: it is not taken for that to the next question. */
    assert_int_equal(write(p->release[1], "g", 1), 1);
    assert_int_equal(wt_bus_read(bus, 0, &value, &err), WT_OK);
    assert_int_equal(value, 0x10201022);
    assert_int_equal(p->connections, 1);
    free_peer(p, bus);
}

static void silence_that_lasts_ends_the_connection(void **state)
{
    struct peer *p = new_peer(FULL);
    struct wt_bus *bus = open_to(p, 1000);
    struct wt_error err = {0};
    uint32_t value;
    p->silent_at = p->lines + 1;
    assert_int_equal(wt_bus_read(bus, 6, &value, &err), WT_TIMEOUT);
    assert_int_equal(wt_bus_read(bus, 0, &value, &err), WT_TIMEOUT);
    assert_non_null(strstr(err.text, "'r0006' (read of DCTRL)"));
    /* Still silent: a new connection is not accepted either. */
    assert_int_equal(wt_bus_read(bus, 0, &value, &err), WT_TIMEOUT);
    assert_non_null(strstr(err.text, "nobody answers"));
    assert_int_equal(write(p->release[1], "g", 1), 1);
    UNTIL(wt_bus_read(bus, 0, &value, &err) == WT_OK, (void)0);
    assert_int_equal(value, 0x10201022);
    free_peer(p, bus);
}

/* Something goes wrong at request `at` of a transaction: it fails, and the next one works. */
static void assert_mended(struct peer *p, size_t *what, const char *text, unsigned connections)
{
    struct wt_bus *bus = open_to(p, 1000);
    struct wt_error err = {0};
    for (size_t at = 1; at <= 7; at += 3) {
        *what = p->lines + at;
        enum wt_status status = ladder(bus, 20, &err);
        if (status == WT_OK)
            fail_msg("nothing was noticed at request %zu", at);
        if (text && !strstr(err.text, text))
            fail_msg("'%s' does not say '%s'", err.text, text);
        assert_non_null(strstr(err.text, p->address));
        assert_int_equal(ladder(bus, 20, &err), WT_OK);
    }
    assert_int_equal(p->connections, connections);
    free_peer(p, bus);
}

static void what_goes_wrong_is_noticed_and_mended(void **state)
{
    for (int manner = FULL; manner <= ONE_A_READ; manner++) {
        struct peer *p = new_peer(manner);
        assert_mended(p, &p->garbage_at, "what", 4);
        p = new_peer(manner);
        assert_mended(p, &p->close_at, "closed", 4);
        p = new_peer(manner);
        assert_mended(p, &p->half_at, "closed", 4);
        p = new_peer(manner);
        assert_mended(p, &p->no_at, "says no", 1);
    }
    struct peer *p = new_peer(FULL);
    assert_mended(p, &p->twice_at, NULL, 4);
}

static void a_connection_that_was_closed_while_idle_is_opened_again(void **state)
{
    struct peer *p = new_peer(FULL);
    struct wt_bus *bus = open_to(p, 1000);
    struct wt_error err;
    uint32_t value;
    p->close_at = p->lines + 1;
    assert_int_equal(wt_bus_read(bus, 0, &value, &err), WT_IO);
    assert_int_equal(wt_bus_read(bus, 0, &value, &err), WT_OK);
    assert_int_equal(p->connections, 2);
    assert_int_equal(wt_bus_reconnect(bus, &err), WT_OK);
    assert_int_equal(wt_bus_read(bus, 0, &value, &err), WT_OK);
    assert_int_equal(p->connections, 3);
    assert_true(wt_bus_tcp_traits(bus)->pipelined);
    free_peer(p, bus);
}

static void a_reply_without_end_is_given_up(void **state)
{
    /* A listener that is not a Debug Module: it sends and sends. */
    struct peer *p = new_peer(FULL);
    stop_peer(p);
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    strcpy(name.sun_path, p->path);
    unlink(p->path);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&name, sizeof name), 0);
    assert_int_equal(listen(listener, 1), 0);
    pid_t child = fork();
    if (child == 0) {
        int fd = accept(listener, NULL, NULL);
        char much[4096];
        memset(much, '+', sizeof much);
        while (send(fd, much, sizeof much, MSG_NOSIGNAL) > 0)
            continue;
        _exit(0);
    }
    close(listener);
    struct wt_bus *bus;
    struct wt_error err = {0};
    assert_int_equal(wt_bus_tcp_open(p->address, NULL, &bus, &err), WT_IO);
    assert_non_null(strstr(err.text, "no end"));
    wait_for_child(child);
    listen_at(p);
    free_peer(p, NULL);
}

/* ---- addresses ---- */

static void assert_address(const char *text, const char *host, const char *port, const char *shown)
{
    struct wt_address a;
    struct wt_error err;
    assert_int_equal(wt_address_parse(text, &a, &err), WT_OK);
    assert_false(a.local);
    assert_string_equal(a.host, host);
    assert_string_equal(a.port, port);
    assert_string_equal(a.text, shown);
}

static void addresses_are_understood(void **state)
{
    assert_address("tcp:localhost:5555", "localhost", "5555", "tcp:localhost:5555");
    assert_address("10.0.0.1:1", "10.0.0.1", "1", "tcp:10.0.0.1:1");
    assert_address("tcp::65535", "127.0.0.1", "65535", "tcp:127.0.0.1:65535");
    assert_address("5555", "127.0.0.1", "5555", "tcp:127.0.0.1:5555");
    assert_address("tcp:[::1]:5555", "::1", "5555", "tcp:[::1]:5555");
    struct wt_address a;
    struct wt_error err;
    assert_int_equal(wt_address_parse("unix:/tmp/x", &a, &err), WT_OK);
    assert_true(a.local);
    assert_string_equal(a.path, "/tmp/x");
    static const char *const bad[] = {
        "",           "tcp:",    "tcp:host",         "tcp:host:", "host:0",
        "host:65536", "host:-1", "host:12345678901", "unix:",     "host:1x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(wt_address_parse(bad[i], &a, &err), WT_INVALID);
    char path[300] = "unix:/";
    memset(path + 6, 'a', 200);
    assert_int_equal(wt_address_parse(path, &a, &err), WT_INVALID);
    char host[600] = "tcp:";
    memset(host + 4, 'h', 500);
    strcpy(host + 504, ":1");
    assert_int_equal(wt_address_parse(host, &a, &err), WT_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_server_is_recognised),
        cmocka_unit_test(one_at_a_time_is_the_plain_protocol),
        cmocka_unit_test(more_than_the_socket_holds_goes_through),
        cmocka_unit_test(nobody_there_is_said),
        cmocka_unit_test(silence_is_named_and_a_late_answer_does_no_harm),
        cmocka_unit_test(silence_that_lasts_ends_the_connection),
        cmocka_unit_test(what_goes_wrong_is_noticed_and_mended),
        cmocka_unit_test(a_connection_that_was_closed_while_idle_is_opened_again),
        cmocka_unit_test(a_reply_without_end_is_given_up),
        cmocka_unit_test(addresses_are_understood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
