/* The RSP server's sockets: who is let in, who is refused, what ends it. The server runs in a child
 * process, in front of a test double of the debugger. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <netinet/in.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/listen.h"
#include "fake_debugger.h"
#include "frontend/rsp/rsp.h"
#include "wait.h"
#include "temporary.h"

struct running {
    pid_t pid;
    int stop; /* written to end it */
    char address[160];
    char directory[64];
};

/* In the child: exit status 0 if it ended as it should, plus 1 if the program still runs. */
static int serve(const struct wt_rsp_options *options, int tell)
{
    struct wt_debugger *d = fake_debugger_new();
    struct wt_session *session = wt_session_new(d);
    struct wt_rsp_server *server;
    struct wt_error err;
    d->endless = true;
    d->status = 3;
    if (!session || wt_rsp_server_open(options, session, &server, &err)) {
        dprintf(tell, "!%s", err.text);
        return 9;
    }
    dprintf(tell, "%s", wt_rsp_server_address(server));
    close(tell);
    int status = wt_rsp_server_run(server, &err) ? 8 : wt_debugger_running(d);
    wt_rsp_server_close(server);
    wt_session_free(session);
    wt_debugger_close(d);
    return status;
}

static void start(struct running *r, const char *address, enum wt_rsp_until until)
{
    int tell[2], stop[2];
    assert_int_equal(pipe(tell), 0);
    assert_int_equal(pipe(stop), 0);
    struct wt_rsp_options options = wt_rsp_default_options();
    options.address = address;
    options.until = until;
    options.stop_fd = stop[0];
    r->pid = fork();
    if (r->pid == 0) {
        close(tell[0]);
        close(stop[1]);
        _exit(serve(&options, tell[1]));
    }
    close(tell[1]);
    close(stop[0]);
    r->stop = stop[1];
    size_t length = 0;
    ssize_t got;
    do {
        struct pollfd p = {.fd = tell[0], .events = POLLIN};
        if (poll(&p, 1, WAIT_S * 1000) != 1)
            fail_msg("the server did not tell its address");
        got = read(tell[0], r->address + length, sizeof r->address - 1 - length);
        length += got > 0 ? (size_t)got : 0;
    } while (got > 0 && length < sizeof r->address - 1);
    r->address[length] = 0;
    close(tell[0]);
}

static int wait_for(struct running *r)
{
    const int status = wait_for_child(r->pid);
    close(r->stop);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int end(struct running *r)
{
    assert_int_equal(write(r->stop, "x", 1), 1);
    return wait_for(r);
}

static int dial_tcp(const struct running *r)
{
    const char *colon = strrchr(r->address, ':');
    assert_non_null(colon);
    struct sockaddr_in name = {.sin_family = AF_INET,
                               .sin_port = htons((uint16_t)atoi(colon + 1)),
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&name, sizeof name), 0);
    return fd;
}

static int dial_unix(const char *path)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    strcpy(name.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&name, sizeof name), 0);
    return fd;
}

/* Sends bytes and reads until the answer ends in a checksum, or the connection does. */
static const char *talk(int fd, const char *text)
{
    static char answer[4096];
    size_t length = 0;
    assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
    while (length < sizeof answer - 1) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (poll(&p, 1, 10000) != 1)
            fail_msg("no answer to '%s'", text);
        ssize_t got = read(fd, answer + length, sizeof answer - 1 - length);
        if (got <= 0)
            break;
        length += (size_t)got;
        answer[length] = 0;
        if (length >= 4 && answer[length - 3] == '#')
            break;
    }
    answer[length] = 0;
    return answer;
}

static void any_free_port_is_told(void **state)
{
    struct running r;
    start(&r, ":0", WT_RSP_FOREVER);
    assert_memory_equal(r.address, "127.0.0.1:", 10);
    assert_true(atoi(r.address + 10) > 0);
    int fd = dial_tcp(&r);
    assert_string_equal(talk(fd, "+$qC#b4"), "+$QC1#c5");
    close(fd);
    assert_int_equal(end(&r), 0);
}

static void a_unix_socket_is_private_and_leaves_nothing(void **state)
{
    struct running r;
    struct stat st;
    char directory[TEMPORARY_PATH], address[2 * TEMPORARY_PATH];
    assert_true(temporary_folder(directory));
    snprintf(address, sizeof address, "unix:%s/s", directory);
    start(&r, address, WT_RSP_FOREVER);
    assert_string_equal(r.address, address + 5);
    assert_int_equal(stat(r.address, &st), 0);
    assert_true(S_ISSOCK(st.st_mode));
    assert_int_equal(st.st_mode & 0777, 0600);
    int fd = dial_unix(r.address);
    assert_string_equal(talk(fd, "$qC#b4"), "+$QC1#c5");
    /* Another server does not take the place of one that serves. */
    struct running second;
    start(&second, address, WT_RSP_FOREVER);
    assert_int_equal(second.address[0], '!');
    assert_int_equal(wait_for(&second), 9);
    assert_string_equal(talk(fd, "+$qC#b4"), "+$QC1#c5");
    close(fd);
    assert_int_equal(end(&r), 0);
    assert_int_equal(stat(r.address, &st), -1);
    assert_int_equal(rmdir(directory), 0);
}

static void what_a_killed_server_left_is_no_obstacle(void **state)
{
    struct running r;
    char directory[TEMPORARY_PATH], address[2 * TEMPORARY_PATH];
    assert_true(temporary_folder(directory));
    snprintf(address, sizeof address, "unix:%s/s", directory);
    start(&r, address, WT_RSP_FOREVER);
    kill(r.pid, SIGKILL);
    wait_for_child(r.pid);
    close(r.stop);
    start(&r, address, WT_RSP_FOREVER);
    int fd = dial_unix(r.address);
    assert_string_equal(talk(fd, "$qC#b4"), "+$QC1#c5");
    close(fd);
    assert_int_equal(end(&r), 0);
    rmdir(directory);
}

static void a_second_client_is_refused_with_words(void **state)
{
    struct running r;
    start(&r, ":0", WT_RSP_FOREVER);
    int first = dial_tcp(&r);
    assert_string_equal(talk(first, "$qC#b4"), "+$QC1#c5");
    int second = dial_tcp(&r);
    assert_non_null(strstr(talk(second, "+$qSupported#37"), "E.another client"));
    close(second);
    assert_string_equal(talk(first, "+$qC#b4"), "+$QC1#c5");
    close(first);
    /* Now there is room. */
    int third = dial_tcp(&r);
    assert_string_equal(talk(third, "+$qC#b4"), "+$QC1#c5");
    close(third);
    assert_int_equal(end(&r), 0);
}

static void an_interrupt_reaches_an_endless_program(void **state)
{
    struct running r;
    start(&r, ":0", WT_RSP_FOREVER);
    int fd = dial_tcp(&r);
    assert_string_equal(talk(fd, "$QStartNoAckMode#b0"), "+$OK#9a");
    assert_int_equal(send(fd, "+$vCont;c#a8", 12, 0), 12);
    assert_memory_equal(talk(fd, "\003"), "$T02thread:1;", 13);
    close(fd);
    assert_int_equal(end(&r), 0);
}

/* Sends a text again and again until so many bytes have gone, or the server takes no more. */
static void flood(int fd, const char *text, size_t bytes)
{
    for (size_t sent = 0; sent < bytes;) {
        struct pollfd p = {.fd = fd, .events = POLLOUT};
        assert_int_equal(poll(&p, 1, 10000), 1);
        const ssize_t n = send(fd, text, strlen(text), MSG_NOSIGNAL);
        assert_true(n > 0);
        sent += (size_t)n;
    }
}

#define MUCH ((size_t)2 << 20) /* more than the server and the kernel keep */

static void acknowledgements_do_not_fill_the_server(void **state)
{
    struct running r;
    start(&r, ":0", WT_RSP_FOREVER);
    int fd = dial_tcp(&r);
    assert_string_equal(talk(fd, "$QStartNoAckMode#b0"), "+$OK#9a");
    assert_int_equal(send(fd, "+$vCont;c#a8", 12, 0), 12);
    flood(fd, "++++++++++++++++++++++++++++++++", MUCH);
    assert_memory_equal(talk(fd, "\003"), "$T02thread:1;", 13);
    assert_string_equal(talk(fd, "$qC#b4"), "$QC1#c5");
    close(fd);
    assert_int_equal(end(&r), 0);
}

static void an_interrupt_is_heard_behind_too_many_packets(void **state)
{
    struct running r;
    start(&r, ":0", WT_RSP_FOREVER);
    int fd = dial_tcp(&r);
    assert_string_equal(talk(fd, "$QStartNoAckMode#b0"), "+$OK#9a");
    assert_int_equal(send(fd, "+$vCont;c#a8", 12, 0), 12);
    flood(fd, "$qC#b4$qC#b4$qC#b4$qC#b4$qC#b4$qC#b4$qC#b4$qC#b4", MUCH);
    /* The stop is told; but what was sent is not complete, so that the connection ends. */
    assert_memory_equal(talk(fd, "\003"), "$T02thread:1;", 13);
    int second = dial_tcp(&r);
    assert_string_equal(talk(second, "$qC#b4"), "+$QC1#c5");
    close(fd);
    close(second);
    assert_int_equal(end(&r), 0);
}

static void a_client_that_leaves_behind_too_many_packets_is_missed(void **state)
{
    char directory[TEMPORARY_PATH], address[2 * TEMPORARY_PATH];
    assert_true(temporary_folder(directory));
    snprintf(address, sizeof address, "unix:%s/s", directory);
    for (int local = 0; local < 2; local++) {
        struct running r;
        start(&r, local ? address : ":0", WT_RSP_FOREVER);
        int fd = local ? dial_unix(r.address) : dial_tcp(&r);
        assert_int_equal(send(fd, "$vCont;c#a8", 11, 0), 11);
        flood(fd, "$qC#b4$qC#b4$qC#b4$qC#b4$qC#b4$qC#b4$qC#b4$qC#b4", MUCH);
        close(fd);
        fd = local ? dial_unix(r.address) : dial_tcp(&r);
        assert_memory_equal(talk(fd, "$?#3f"), "+$T02thread:1;", 14);
        close(fd);
        assert_int_equal(end(&r), 0);
    }
    rmdir(directory);
}

static void a_dropped_connection_leaves_the_program_halted(void **state)
{
    struct running r;
    start(&r, ":0", WT_RSP_FOREVER);
    int fd = dial_tcp(&r);
    char got;
    assert_int_equal(send(fd, "$vCont;c#a8", 11, 0), 11);
    assert_int_equal(recv(fd, &got, 1, 0),
                     1); /* of a connection that has gone nobody knows whose it was */
    close(fd);
    fd = dial_tcp(&r);
    assert_memory_equal(talk(fd, "$?#3f"), "+$T02thread:1;", 14);
    close(fd);
    assert_int_equal(end(&r), 0);
}

static void once_ends_with_its_client(void **state)
{
    struct running r;
    start(&r, ":0", WT_RSP_CLIENT_LEFT);
    int fd = dial_tcp(&r);
    assert_string_equal(talk(fd, "$qC#b4"), "+$QC1#c5");
    close(fd);
    assert_int_equal(wait_for(&r), 0);
}

/* The packet with which debuggers begin. */
static void greet(int fd)
{
    assert_memory_equal(talk(fd, "$qSupported:#71"), "+$PacketSize=", 13);
}

static void a_detached_program_goes_on(void **state)
{
    struct running r;
    start(&r, ":0", WT_RSP_CLIENT_LEFT);
    int fd = dial_tcp(&r);
    greet(fd);
    assert_string_equal(talk(fd, "+$D#44"), "+$OK#9a");
    assert_string_equal(talk(fd, ""), "");
    close(fd);
    fd = dial_tcp(&r);
    assert_memory_equal(talk(fd, "$?#3f"), "+$T02thread:1;", 14);
    assert_string_equal(talk(fd, "+$D#44"), "+$OK#9a");
    close(fd);
    /* It runs when the server is told to end. */
    assert_int_equal(end(&r), 1);
}

static void killing_ends_what_is_served_once(void **state)
{
    struct running r;
    start(&r, ":0", WT_RSP_CLIENT_LEFT);
    int fd = dial_tcp(&r);
    greet(fd);
    assert_string_equal(talk(fd, "+$k#6b"), "+");
    close(fd);
    assert_int_equal(wait_for(&r), 0);
}

static void hostile_clients_do_not_stop_it(void **state)
{
    struct running r;
    start(&r, ":0", WT_RSP_FOREVER);
    char *noise = malloc(1 << 20);
    memset(noise, 'a', 1 << 20);
    noise[0] = '$';
    for (unsigned i = 0; i < 5; i++) {
        int fd = dial_tcp(&r);
        size_t at = 0;
        ssize_t sent = 1;
        while (at < 1 << 20 && sent > 0) {
            sent = send(fd, noise + at, (1 << 20) - at, MSG_NOSIGNAL);
            at += sent > 0 ? (size_t)sent : 0;
        }
        close(fd);
    }
    free(noise);
    int fd = dial_tcp(&r);
    assert_string_equal(talk(fd, "+$qC#b4"), "+$QC1#c5");
    close(fd);
    assert_int_equal(end(&r), 0);
}

static void bad_addresses_are_refused(void **state)
{
    static const char *const bad[] = {"",
                                      ":",
                                      ":x",
                                      ":-1",
                                      ":65536",
                                      "1.2.3.4.5:0",
                                      "unix:",
                                      ":12a",
                                      "no such host:1",
                                      "unix:/nonexistent/directory/s"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct wt_listener l;
        struct wt_error err = {0};
        if (wt_listen(bad[i], &l, &err) == WT_OK)
            fail_msg("'%s' was taken", bad[i]);
        assert_true(err.text[0] != 0);
    }
}

static void only_loopback_is_private(void **state)
{
    struct wt_listener l;
    assert_int_equal(wt_listen("127.0.0.1:0", &l, WT_IGNORED), WT_OK);
    assert_false(l.exposed);
    wt_listener_close(&l);
    assert_int_equal(wt_listen("0", &l, WT_IGNORED), WT_OK);
    assert_false(l.exposed);
    wt_listener_close(&l);
    assert_int_equal(wt_listen("*:0", &l, WT_IGNORED), WT_OK);
    assert_true(l.exposed);
    wt_listener_close(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_free_port_is_told),
        cmocka_unit_test(a_unix_socket_is_private_and_leaves_nothing),
        cmocka_unit_test(what_a_killed_server_left_is_no_obstacle),
        cmocka_unit_test(a_second_client_is_refused_with_words),
        cmocka_unit_test(an_interrupt_reaches_an_endless_program),
        cmocka_unit_test(acknowledgements_do_not_fill_the_server),
        cmocka_unit_test(an_interrupt_is_heard_behind_too_many_packets),
        cmocka_unit_test(a_client_that_leaves_behind_too_many_packets_is_missed),
        cmocka_unit_test(a_dropped_connection_leaves_the_program_halted),
        cmocka_unit_test(once_ends_with_its_client),
        cmocka_unit_test(a_detached_program_goes_on),
        cmocka_unit_test(killing_ends_what_is_served_once),
        cmocka_unit_test(hostile_clients_do_not_stop_it),
        cmocka_unit_test(bad_addresses_are_refused),
        cmocka_unit_test(only_loopback_is_private),
    };
    return cmocka_run_group_tests_name("server", tests, NULL, NULL);
}
