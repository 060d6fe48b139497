/* For tests with cmocka: a rig whose debugger is told to go on, and waited for. */
#ifndef TESTS_STEERED_H
#define TESTS_STEERED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "debug/core/going.h"
#include "rig.h"

/* A call that must succeed; it takes &err. */
#define OK(call)                                                                                   \
    do {                                                                                           \
        struct wt_error err = {0};                                                                 \
        if (call)                                                                                  \
            fail_msg("%s: %s", #call, err.text);                                                   \
    } while (0)

/* Each element of the test's array `variants`, as *v. */
#define FOR_VARIANTS(v)                                                                            \
    for (const struct rig_options *v = variants; v < variants + sizeof variants / sizeof *v; v++)

/* Pumps until something happens. */
static struct wt_event wait_event(struct rig *r)
{
    for (int i = 0; i < 100000; i++) {
        struct wt_event e = wt_debugger_next_event(r->d);
        if (e.kind != WT_EVENT_NONE)
            return e;
        if (!wt_debugger_pump(r->d, 1000) && !wt_debugger_running(r->d))
            break;
    }
    return wt_debugger_next_event(r->d);
}

static void resume_thread(struct rig *r, wt_thread thread, enum wt_resume_kind kind)
{
    const struct wt_resume how = {.thread = thread, .kind = kind};
    OK(wt_debugger_run(r->d, WT_FORWARDS, &how, 1, &err));
}

static struct wt_event resume(struct rig *r, wt_thread thread, enum wt_resume_kind kind)
{
    resume_thread(r, thread, kind);
    return wait_event(r);
}

static struct wt_event go(struct rig *r)
{
    return resume(r, 0, WT_RESUME_CONTINUE);
}

static struct wt_event step(struct rig *r, wt_thread thread)
{
    return resume(r, thread, WT_RESUME_STEP);
}

static uint64_t reg(struct rig *r, wt_thread thread, unsigned number)
{
    const struct wt_topology *t = wt_debugger_topology(r->d);
    uint64_t value = 0;
    for (unsigned i = 0; i < t->register_count; i++)
        if (t->registers[i].number == number)
            OK(wt_debugger_read_numbers(r->d, thread, &i, 1, &value, &err));
    return value;
}

#endif
