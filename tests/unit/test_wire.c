/*
 * The first words between a debugger and a host process (object/process_wire.h): each side turns
 * away one of another version or other sizes, with a sentence, and one that speaks something else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* cmocka wants the four above first */
#include <cmocka.h>

#include "base/listen.h"
#include "debug/process/connection.h"
#include "debug/process/final_memory.h"
#include "debug/process/link.h"
#include "object/process_wire.h"
#include "runtime/common/endpoint.h"

#include "temporary.h"

#define KIND "gpu"
#define FAMILY WT_WIRE_FAMILY(1)

static char folder[TEMPORARY_PATH];

static void path_of(char *path, size_t size)
{
    snprintf(path, size, "%s/%d." KIND, folder, (int)getpid());
}

static struct wt_process_place self;

static int set_up(void **state)
{
    (void)state;
    self.pid = (int)getpid();
    return !temporary_folder(folder) || setenv("WAVETRAP_SOCKETS", folder, 1);
}

static int tear_down(void **state)
{
    (void)state;
    return rmdir(folder);
}

/* Greetings that are not this version's: the place of a 32-bit word, and what it is instead. */
static const struct other {
    const char *name;
    size_t at;
    uint32_t value;
} others[] = {
    {"version", offsetof(struct wt_wire_greeting, version), WT_WIRE_VERSION + 1},
    {"an old version", offsetof(struct wt_wire_greeting, version), WT_WIRE_VERSION - 1},
    {"requests", offsetof(struct wt_wire_greeting, request_bytes),
     sizeof(struct wt_wire_request) + 8},
    {"answers", offsetof(struct wt_wire_greeting, answer_bytes), sizeof(struct wt_wire_answer) - 8},
};
enum { OTHERS = sizeof others / sizeof *others };

static struct wt_wire_greeting greeting_of(const struct other *other)
{
    struct wt_wire_greeting greeting = wt_wire_greeting(FAMILY, (uint32_t)getpid());
    memcpy((uint8_t *)&greeting + other->at, &other->value, sizeof other->value);
    return greeting;
}

/* ---- the debugger's side ---- */

struct process {
    struct wt_listener listener;
    const void *said;
    size_t size;
};

static void *answer(void *context)
{
    const struct process *p = context;
    struct wt_wire_greeting other;
    int fd;
    while ((fd = accept(p->listener.fd, NULL, NULL)) < 0)
        usleep(1000); /* it does not block */
    assert_true(wt_endpoint_receive(fd, &other, sizeof other));
    assert_int_equal(other.magic, WT_WIRE_MAGIC);
    wt_endpoint_send(fd, p->said, p->size);
    close(fd);
    return NULL;
}

/* What the debugger makes of a process that says so. */
static enum wt_status meet(const void *said, size_t size, struct wt_error *err)
{
    struct process p = {.said = said, .size = size};
    struct wt_connection c;
    char address[128] = "unix:";
    pthread_t thread;
    path_of(address + 5, sizeof address - 5);
    assert_int_equal(wt_listen(address, &p.listener, err), WT_OK);
    assert_int_equal(pthread_create(&thread, NULL, answer, &p), 0);
    enum wt_status status = wt_connection_open(&c, &self, KIND, err);
    if (status == WT_OK)
        status = wt_connection_greet(&c, FAMILY, err);
    wt_connection_close(&c);
    pthread_join(thread, NULL);
    wt_listener_close(&p.listener);
    return status;
}

static void test_a_process_of_this_version_is_greeted(void **state)
{
    struct wt_error err;
    const struct wt_wire_greeting right = wt_wire_greeting(FAMILY, (uint32_t)getpid());
    (void)state;
    assert_int_equal(meet(&right, sizeof right, &err), WT_OK);
}

static void test_a_process_of_another_version_is_refused(void **state)
{
    struct wt_error err;
    (void)state;
    for (size_t i = 0; i < OTHERS; i++) {
        const struct wt_wire_greeting wrong = greeting_of(&others[i]);
        assert_int_equal(meet(&wrong, sizeof wrong, &err), WT_UNSUPPORTED);
        assert_non_null(strstr(err.text, "another version of the driver library"));
    }
}

static void test_a_process_that_has_a_debugger_says_so(void **state)
{
    struct wt_error err;
    struct wt_wire_greeting busy = wt_wire_greeting(FAMILY, (uint32_t)getpid());
    (void)state;
    busy.result = -EBUSY;
    assert_int_equal(meet(&busy, sizeof busy, &err), WT_STATE);
    assert_non_null(strstr(err.text, "has another debugger"));
}

static void test_other_words_of_a_process_are_no_greeting(void **state)
{
    static const char web[] =
        "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n.....";
    struct wt_wire_greeting other = wt_wire_greeting(WT_WIRE_FAMILY(3), (uint32_t)getpid());
    struct wt_error err;
    (void)state;
    assert_true(sizeof web > sizeof other);
    assert_int_equal(meet(web, sizeof other, &err), WT_IO);
    assert_non_null(strstr(err.text, "another protocol"));
    assert_int_equal(meet(&other, sizeof other, &err), WT_IO); /* GPUs of another family */
}

/* ---- the end ---- */

static bool nothing_is_found(void *context, uint64_t addr, uint8_t *bytes, uint64_t size)
{
    fail();
    return false;
}

/* It lives on, so that nobody could tell whether an answer was still to come. */
static void test_a_process_that_has_closed_its_gpus_is_asked_for_no_memory(void **state)
{
    int fd[2];
    char byte;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
    assert_int_equal(shutdown(fd[1], SHUT_WR), 0);
    struct wt_connection c = {.fd = fd[0], .pid = getpid(), .ended = true};
    wt_process_closed(&c.end, c.pid);
    wt_process_final_memory(&c, 0, nothing_is_found, NULL);
    assert_int_equal(recv(fd[1], &byte, 1, MSG_DONTWAIT), -1);
    assert_int_equal(errno, EAGAIN);
    close(fd[0]);
    close(fd[1]);
}

/* ---- late answers ---- */

static void say(int fd, int32_t result, const void *bytes, uint32_t size)
{
    const struct wt_wire_answer head = {.result = result, .size = size};
    assert_true(wt_endpoint_send(fd, &head, sizeof head) && wt_endpoint_send(fd, bytes, size));
}

/* Requests that were given up, whose answers have bytes, as many as they like, or none. */
static void test_an_answer_that_comes_late_is_not_the_next_requests(void **state)
{
    static const uint8_t memory[10000] = {1, 2, 3};
    const struct timeval at_once = {.tv_usec = 1000};
    const struct wt_wire_request request = {.verb = WT_WIRE_READ, .size = 4};
    struct wt_process_link link = {.connection = {.name = "process 7"}};
    struct wt_wire_answer answer;
    struct wt_error err;
    uint8_t bytes[4];
    int fd[2];
    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
    assert_int_equal(setsockopt(fd[0], SOL_SOCKET, SO_RCVTIMEO, &at_once, sizeof at_once), 0);
    link.connection.fd = fd[0];
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(wt_process_link_ask(&link, &request, NULL, &answer, bytes, 4, &err),
                         WT_TIMEOUT);
        assert_string_equal(err.text, "process 7 does not answer");
    }
    say(fd[1], 0, memory, sizeof memory);
    /* One of both is late still. */
    assert_int_equal(wt_process_link_ask(&link, &request, NULL, &answer, bytes, 4, &err),
                     WT_TIMEOUT);
    say(fd[1], -EFAULT, memory, 0);
    say(fd[1], -EFAULT, memory, 4);
    say(fd[1], 5, "own", 4);
    assert_int_equal(wt_process_link_ask(&link, &request, NULL, &answer, bytes, 4, &err), WT_OK);
    assert_int_equal(answer.result, 5);
    assert_string_equal((char *)bytes, "own");
    /* Where one stops in its middle, nobody knows what comes next. */
    const struct wt_wire_answer head = {.size = 4};
    assert_true(wt_endpoint_send(fd[1], &head, sizeof head));
    assert_int_equal(wt_process_link_ask(&link, &request, NULL, &answer, bytes, 4, &err), WT_IO);
    assert_string_equal(err.text, "process 7: it stops in the middle of an answer");
    close(fd[0]);
    close(fd[1]);
}

/* ---- the process's side ---- */

static unsigned requests; /* that were executed */

static bool converse(void *context, struct wt_endpoint *endpoint, int fd)
{
    struct wt_wire_request request;
    const struct wt_wire_answer good = {.result = 0};
    (void)context;
    if (!wt_endpoint_receive(fd, &request, sizeof request))
        return false;
    requests++;
    return wt_endpoint_answer(endpoint, &good, sizeof good, NULL, 0);
}

static void let_go(void *context)
{
    (void)context;
}

static uint8_t *last(void *context, size_t *size)
{
    (void)context;
    *size = 0;
    return NULL;
}

static bool is_held(void *context)
{
    (void)context;
    return false;
}

static const struct wt_endpoint_ops ops = {.kind = KIND,
                                           .family = FAMILY,
                                           .converse = converse,
                                           .let_go = let_go,
                                           .is_held = is_held,
                                           .release = let_go,
                                           .last = last};

static int connect_to(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    path_of(name.sun_path, sizeof name.sun_path);
    assert_int_equal(connect(fd, (struct sockaddr *)&name, sizeof name), 0);
    return fd;
}

/* Sends first words and a request behind them. The bytes that come back, until the end. */
static size_t speak(const void *first, size_t size, void *back, size_t room)
{
    const struct wt_wire_request request = {.verb = WT_WIRE_ATTACH};
    const int fd = connect_to();
    size_t got = 0;
    wt_endpoint_send(fd, first, size);
    wt_endpoint_send(fd, &request, sizeof request);
    shutdown(fd, SHUT_WR);
    for (ssize_t n; got < room && (n = recv(fd, (uint8_t *)back + got, room - got, 0)) > 0;)
        got += (size_t)n;
    close(fd);
    return got;
}

/* What is said on standard error while a function runs. */
static void heard(void (*run)(const void *), const void *argument, char *text, size_t size)
{
    FILE *file = tmpfile();
    const int before = dup(STDERR_FILENO);
    assert_non_null(file);
    dup2(fileno(file), STDERR_FILENO);
    run(argument);
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = 0;
    fclose(file);
}

static void be_another(const void *argument)
{
    const struct wt_wire_greeting wrong = greeting_of(argument);
    struct wt_wire_greeting back;
    assert_int_equal(speak(&wrong, sizeof wrong, &back, sizeof back), sizeof back);
    assert_int_equal(back.magic, WT_WIRE_MAGIC);
    assert_int_equal(back.version, WT_WIRE_VERSION);
}

static void test_a_debugger_of_another_version_is_turned_away(void **state)
{
    char text[512];
    struct wt_endpoint *endpoint = wt_endpoint_start(&ops, NULL, 0);
    (void)state;
    assert_non_null(endpoint);
    requests = 0;
    for (size_t i = 0; i < OTHERS; i++) {
        heard(be_another, &others[i], text, sizeof text);
        assert_non_null(strstr(text, "a debugger of another version was turned away"));
        assert_non_null(strchr(text, '\n'));
        assert_null(strchr(strchr(text, '\n') + 1, '\n'));
    }
    wt_endpoint_stop(endpoint);
    assert_int_equal(requests, 0);
}

static void be_a_stranger(const void *argument)
{
    uint8_t back[64];
    assert_int_equal(speak(argument, sizeof(struct wt_wire_greeting), back, sizeof back), 0);
}

static void test_what_is_not_the_protocol_is_closed_without_a_word(void **state)
{
    static const char web[sizeof(struct wt_wire_greeting)] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    static const struct wt_wire_request first_version; /* whose first words are a request */
    char text[512];
    uint8_t nothing[sizeof(struct wt_wire_greeting)] = {0};
    struct wt_endpoint *endpoint = wt_endpoint_start(&ops, NULL, 0);
    (void)state;
    assert_non_null(endpoint);
    requests = 0;
    memcpy(nothing, &first_version, sizeof first_version);
    heard(be_a_stranger, web, text, sizeof text);
    assert_string_equal(text, "");
    heard(be_a_stranger, nothing, text, sizeof text);
    assert_string_equal(text, "");
    assert_int_equal(requests, 0);
    /* The next debugger is served. */
    struct wt_connection c;
    struct wt_error err;
    assert_int_equal(wt_connection_open(&c, &self, KIND, &err), WT_OK);
    assert_int_equal(wt_connection_greet(&c, FAMILY, &err), WT_OK);
    const struct wt_wire_request request = {.verb = WT_WIRE_ATTACH};
    struct wt_wire_answer good;
    assert_int_equal(wt_connection_send(&c, &request, sizeof request, &err), WT_OK);
    assert_int_equal(wt_connection_receive(&c, &good, sizeof good, &err), WT_OK);
    assert_int_equal(requests, 1);
    wt_connection_close(&c);
    wt_endpoint_stop(endpoint);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_process_of_this_version_is_greeted),
        cmocka_unit_test(test_a_process_of_another_version_is_refused),
        cmocka_unit_test(test_a_process_that_has_a_debugger_says_so),
        cmocka_unit_test(test_other_words_of_a_process_are_no_greeting),
        cmocka_unit_test(test_a_process_that_has_closed_its_gpus_is_asked_for_no_memory),
        cmocka_unit_test(test_an_answer_that_comes_late_is_not_the_next_requests),
        cmocka_unit_test(test_a_debugger_of_another_version_is_turned_away),
        cmocka_unit_test(test_what_is_not_the_protocol_is_closed_without_a_word),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
