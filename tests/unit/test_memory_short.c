/*
 * Memory runs out while stops, news and notices are on their way: whoever waits for one of them is
 * told of it, or told that something is missing. The linker puts the allocator here in the place of
 * the C library's (--wrap).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "debug/core/going.h"
#include "conversation.h"
#include "fake_gpu.h"
#include "wait.h"

/* ---- the allocator ---- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static struct {
    bool limited, only_realloc;
    unsigned left, refused; /* allocations that still succeed; that did not */
} memory;

static bool refuse(bool is_realloc)
{
    if (!memory.limited || (memory.only_realloc && !is_realloc))
        return false;
    if (memory.left) {
        memory.left--;
        return false;
    }
    memory.refused++;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return refuse(false) ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refuse(false) ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return refuse(true) ? NULL : __real_realloc(old, size);
}

/* From now on so many allocations succeed. */
static void limit_memory(unsigned count)
{
    memory.left = count;
    memory.refused = 0;
    memory.limited = true;
}

/* Returns how many were refused. */
static unsigned end_limit(void)
{
    memory.limited = memory.only_realloc = false;
    return memory.refused;
}

/* ---- a device with waves that all come to a breakpoint ---- */

enum { FIRST = 4, WAVES = 40, AT = 11 };

static struct wt_error err;

#define OK(call)                                                                                   \
    do {                                                                                           \
        if (call)                                                                                  \
            fail_msg("%s: %s", #call, err.text);                                                   \
    } while (0)

static struct fake_gpu *new_device(struct wt_debugger **d)
{
    struct fake_gpu *gpu = fake_gpu_new();
    fake_gpu_put(gpu, 1, GPU_END, 0, 0);
    fake_gpu_put(gpu, AT + 1, GPU_END, 0, 0);
    OK(wt_debugger_open(&gpu->target, &fake_gpu_probe, NULL, d, &err));
    return gpu;
}

static void launch_all(struct fake_gpu *gpu)
{
    for (unsigned slot = FIRST; slot < WAVES; slot++)
        fake_gpu_launch(gpu, slot, AT - 1);
}

static unsigned stand_at_breakpoint(const struct fake_gpu *gpu)
{
    unsigned count = 0;
    for (unsigned slot = FIRST; slot < WAVES; slot++)
        count += gpu->wave[slot].halted && gpu->wave[slot].pc == AT * GPU_INSTRUCTION;
    return count;
}

/* ---- stops ---- */

/* One run with so many allocations; returns how many were refused. */
static unsigned stop_all(unsigned allocations)
{
    struct wt_debugger *d;
    struct fake_gpu *gpu = new_device(&d);
    const struct wt_resume all = {.kind = WT_RESUME_CONTINUE};
    bool told[WAVES] = {false}, lost = false;
    unsigned count = 0;
    wt_debugger_set_nonstop(d, true);
    OK(wt_debugger_insert_breakpoint(d, AT * GPU_INSTRUCTION, NULL, 0, NULL, 0, &err));
    OK(wt_debugger_run(d, WT_FORWARDS, &all, 1, &err));
    launch_all(gpu);
    limit_memory(allocations);
    for (unsigned i = 0; i < 200; i++)
        wt_debugger_pump(d, 100);
    const unsigned refused = end_limit();
    for (struct wt_event e; (e = wt_debugger_next_event(d)).kind != WT_EVENT_NONE;) {
        struct wt_wave wave;
        lost |= e.reason == WT_STOP_LOST && strstr(e.text, "out of memory");
        if (e.reason != WT_STOP_BREAKPOINT)
            continue;
        assert_true(wt_debugger_thread_wave(d, e.thread, &wave));
        const unsigned slot = 2 * wave.core + wave.slot;
        assert_false(told[slot]);
        told[slot] = true;
        count++;
    }
    if (!lost)
        assert_int_equal(count, stand_at_breakpoint(gpu));
    if (!refused)
        assert_int_equal(count, WAVES - FIRST);
    wt_debugger_close(d);
    fake_gpu_free(gpu);
    return refused;
}

static void each_stop_is_told_or_its_loss(void **state)
{
    unsigned most = 0;
    assert_true(stop_all(0) > 0);
    while (stop_all(++most))
        assert_true(most < 10000);
    assert_true(most > 2); /* of several kinds */
}

/* ---- stops of a client ---- */

static void say(struct conversation *c, const char *packet)
{
    char text[64];
    size_t room;
    unsigned sum = 0;
    for (const char *at = packet; *at; at++)
        sum += (unsigned char)*at;
    const int length = snprintf(text, sizeof text, "$%s#%02x", packet, sum & 0xff);
    uint8_t *space = wt_packet_reader_space(&c->s->in, &room);
    memcpy(space, text, (size_t)length);
    wt_packet_reader_added(&c->s->in, (size_t)length);
    wt_rsp_session_handle(c->s);
}

/* How often a text is in what was sent since the last call. */
static unsigned sent(struct conversation *c, const char *text)
{
    struct wt_packet_writer *w = &c->s->out;
    const size_t length = strlen(text);
    unsigned count = 0;
    for (size_t i = w->start; i + length <= w->end; i++)
        count += memcmp(w->buffer + i, text, length) == 0;
    w->start = w->end;
    return count;
}

static unsigned tell_client(unsigned allocations)
{
    struct wt_debugger *d;
    struct fake_gpu *gpu = new_device(&d);
    const struct wt_rsp_options options = wt_rsp_default_options();
    struct conversation c;
    bool lost = false;
    unsigned count = 0;
    assert_true(conversation_open(&c, NULL, d, &options));
    conversation_begin(c.s);
    wt_debugger_set_thread_mode(d, WT_THREADS_WAVES);
    say(&c, "QNonStop:1");
    say(&c, "Z0,b0,10");
    say(&c, "vCont;c");
    assert_int_equal(sent(&c, "OK"), 3);
    launch_all(gpu);
    limit_memory(allocations);
    for (unsigned i = 0; i < 200; i++) {
        wt_session_pump(c.shared, 100);
        wt_rsp_session_settle(c.s);
    }
    const unsigned refused = end_limit();
    /* A connection that has failed is closed, which the client sees. */
    for (unsigned i = 0; i < 2 * WAVES && !c.s->out.failed; i++) {
        struct wt_packet_writer *w = &c.s->out;
        const size_t start = w->start;
        count += sent(&c, "T05thread:");
        w->start = start;
        lost |= sent(&c, "T01") > 0;
        say(&c, "vStopped");
    }
    if (!c.s->out.failed && !lost)
        assert_int_equal(count, stand_at_breakpoint(gpu));
    if (!refused)
        assert_int_equal(count, WAVES - FIRST);
    conversation_close(&c);
    wt_debugger_close(d);
    fake_gpu_free(gpu);
    return refused;
}

static void a_client_is_told_or_dropped(void **state)
{
    unsigned most = 0;
    assert_true(tell_client(0) > 0);
    while (tell_client(++most))
        assert_true(most < 10000);
    assert_true(most > 2);
}

/* ---- news and notices ---- */

static void lost_news_are_said_beside_other_notices(void **state)
{
    struct wt_debugger *d;
    struct fake_gpu *gpu = new_device(&d);
    const struct wt_resume all = {.kind = WT_RESUME_CONTINUE};
    struct wt_probe_event news;
    const unsigned r9 = 9;
    const struct wt_thread_info *list;
    size_t count;
    char notice[224];
    fake_gpu_record(gpu);
    OK(wt_debugger_insert_breakpoint(d, 1 * GPU_INSTRUCTION, NULL, 0, NULL, 0, &err));
    OK(wt_debugger_run(d, WT_FORWARDS, &all, 1, &err));
    UNTIL(wt_debugger_next_event(d).kind != WT_EVENT_NONE, assert_true(wt_debugger_pump(d, 10)));
    OK(wt_debugger_goto(d, 1, &err));
    OK(wt_debugger_write_number(d, wt_debugger_current_thread(d), r9, 1, &err));
    /* More kernels than there is room for. */
    wt_debugger_remove_all_breakpoints(d);
    OK(wt_debugger_run(d, WT_FORWARDS, &all, 1, &err));
    for (unsigned i = 0; i < 20; i++)
        wt_debugger_pump(d, 100);
    memory.only_realloc = true;
    limit_memory(0);
    for (unsigned i = 0; i < 20; i++) {
        fake_gpu_launch(gpu, 0, AT - 1);
        wt_debugger_threads(d, &list, &count, WT_IGNORED); /* looks at it */
        for (unsigned k = 0; k < 10; k++)
            wt_debugger_pump(d, 100);
    }
    assert_true(end_limit() > 0);
    while (wt_debugger_next_news(d, &news))
        assert_true(news.kind == WT_PROBE_DISPATCH_BEGAN || news.kind == WT_PROBE_DISPATCH_ENDED);
    assert_true(wt_debugger_take_notice(d, notice, sizeof notice));
    assert_non_null(strstr(notice, "A new future begins"));
    assert_true(wt_debugger_take_notice(d, notice, sizeof notice));
    assert_non_null(strstr(notice, "without being reported"));
    assert_false(wt_debugger_take_notice(d, notice, sizeof notice));
    wt_debugger_close(d);
    fake_gpu_free(gpu);
}

/* ---- what a program prints ---- */

static void lost_output_is_said(void **state)
{
    struct wt_debugger *d;
    struct fake_gpu *gpu = new_device(&d);
    const struct wt_rsp_options options = wt_rsp_default_options();
    struct conversation c;
    static char much[(1 << 20) - 2];
    assert_true(conversation_open(&c, NULL, d, &options));
    conversation_begin(c.s);
    /* Nothing can be kept: "\n[3 bytes of". */
    limit_memory(0);
    wt_rsp_session_output(c.s, "abc", 3);
    assert_true(end_limit() > 0);
    c.s->waiting = true;
    wt_rsp_send_pending(c.s);
    assert_int_equal(sent(&c, "$O0a5b33206279746573206f66"), 1);
    c.s->waiting = false;
    /* The first MiB is kept, and nothing behind a gap. */
    memset(much, 'x', sizeof much);
    wt_rsp_session_output(c.s, much, sizeof much);
    wt_rsp_session_output(c.s, "abcd", 4);
    wt_rsp_session_output(c.s, "e", 1);
    c.s->waiting = true;
    wt_rsp_send_pending(c.s);
    struct wt_packet_writer *w = &c.s->out;
    const size_t start = w->start;
    assert_int_equal(sent(&c, "6162#"), 1);
    w->start = start;
    assert_int_equal(sent(&c, "$O0a5b33206279746573206f66"), 1);
    assert_int_equal(c.s->pending_lost, 0);
    c.s->waiting = false;
    conversation_close(&c);
    wt_debugger_close(d);
    fake_gpu_free(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_stop_is_told_or_its_loss),
        cmocka_unit_test(a_client_is_told_or_dropped),
        cmocka_unit_test(lost_news_are_said_beside_other_notices),
        cmocka_unit_test(lost_output_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
