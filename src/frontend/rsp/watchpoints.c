/* Watchpoints (packets Z2, Z3, Z4), and the stop reply of a watchpoint. */
#include "frontend/rsp/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"

/* ---- Z2, Z3, Z4 ---- */

/*
 * A packet does not say through which thread memory is watched: it is the thread at which the user
 * set the watchpoint. GDB reads the value at that time, twice in a row, and inserts the watchpoint
 * when it resumes, when it reads the value once more through any thread. GDB removes all
 * watchpoints at each stop and inserts them again: the thread stays the same.
 */

void wt_rsp_note_read(struct wt_rsp_session *s, uint64_t number, uint64_t size)
{
    const uint64_t addr = wt_debugger_address(s->debugger, number).offset;
    struct wt_rsp_reads *reads = &s->reads;
    const size_t most = sizeof reads->read / sizeof reads->read[0];
    const size_t i = reads->next, last = (i + most - 1) % most;
    if (reads->count && reads->read[last].addr == addr && reads->read[last].size == size &&
        reads->read[last].thread == s->general) {
        reads->read[last].twice = true;
        return;
    }
    reads->read[i].twice = false;
    reads->read[i].addr = addr;
    reads->read[i].size = size;
    reads->read[i].thread = s->general;
    reads->next = (i + 1) % most;
    if (reads->count < most)
        reads->count++;
}

static wt_thread whose(struct wt_rsp_session *s, uint64_t addr, uint64_t size)
{
    const struct wt_rsp_reads *reads = &s->reads;
    const size_t most = sizeof reads->read / sizeof reads->read[0];
    wt_thread once = 0;
    for (size_t i = 1; i <= reads->count; i++) {
        const size_t at = (reads->next + most - i) % most;
        if (reads->read[at].addr != addr || reads->read[at].size != size ||
            !wt_debugger_thread_alive(s->debugger, reads->read[at].thread))
            continue;
        if (reads->read[at].twice)
            return reads->read[at].thread;
        once = once ? once : reads->read[at].thread;
    }
    return once ? once : wt_rsp_thread(s);
}

static struct wt_rsp_watchpoint *watchpoint(struct wt_rsp_session *s,
                                            const struct wt_watchpoint_request *request, bool make)
{
    for (size_t i = 0; i < s->watchpoint_count; i++) {
        const struct wt_watchpoint_request *r = &s->watchpoints[i].request;
        if (r->kind == request->kind && wt_address_equal(r->addr, request->addr) &&
            r->size == request->size)
            return &s->watchpoints[i];
    }
    if (!make)
        return NULL;
    struct wt_rsp_watchpoint *grown = wt_array_grow(s->watchpoints, &s->watchpoint_capacity,
                                                    s->watchpoint_count + 1, sizeof *grown);
    if (!grown)
        return NULL;
    s->watchpoints = grown;
    struct wt_rsp_watchpoint *w = &s->watchpoints[s->watchpoint_count++];
    *w = (struct wt_rsp_watchpoint){.request = *request};
    w->request.owner = wt_client_number(s->client);
    w->request.thread = whose(s, request->addr.offset, request->size);
    return w;
}

void wt_rsp_forget_watchpoints(struct wt_rsp_session *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->watchpoint_count; i++)
        if (s->watchpoints[i].inserted)
            s->watchpoints[kept++] = s->watchpoints[i];
    s->watchpoint_count = kept;
    s->reads.count = s->reads.next = 0;
}

void wt_rsp_watch(struct wt_rsp_session *s, const struct wt_rsp_args *args, bool insert)
{
    static const enum wt_watchpoint_kind kinds[] = {WT_WATCHPOINT_WRITE, WT_WATCHPOINT_READ,
                                                    WT_WATCHPOINT_ACCESS};
    struct wt_watchpoint_request request = {
        .kind = kinds[args->arg[0].number - 2],
        .addr = wt_debugger_address(s->debugger, args->arg[1].number),
        .size = args->arg[2].number,
        /* GDB resumes by itself, a round trip later, if the watched value has not changed. */
        .changes = args->arg[0].number == 2 && !s->lldb,
    };
    struct wt_rsp_watchpoint *w = watchpoint(s, &request, insert);
    struct wt_error err = {0};
    if (!w && insert) {
        wt_rsp_refuse(s, WT_NO_MEMORY, "out of memory");
        return;
    }
    /* Removing a watchpoint that does not exist is no error, as for breakpoints. */
    enum wt_status status = !w || w->inserted == insert ? WT_OK
                            : insert
                                ? wt_debugger_insert_watchpoint(s->debugger, &w->request, &err)
                                : wt_debugger_remove_watchpoint(s->debugger, &w->request, &err);
    if (status == WT_UNSUPPORTED)
        return; /* an empty reply says that there are none */
    if (w && !status)
        w->inserted = insert;
    if (status)
        wt_rsp_error(s, &err);
    else
        wt_rsp_ok(s);
}

void wt_rsp_remove_watchpoints(struct wt_rsp_session *s)
{
    for (size_t i = 0; i < s->watchpoint_count; i++)
        if (s->watchpoints[i].inserted)
            wt_debugger_remove_watchpoint(s->debugger, &s->watchpoints[i].request, WT_IGNORED);
    s->watchpoint_count = 0;
}

/* ---- stops ---- */

/*
 * GDB assumes for some architectures, RISC-V among them, that a watchpoint stops before the
 * instruction has had its effect (gdbarch_have_nonsteppable_watchpoint): it removes the watchpoint,
 * steps that thread, and only then reads the value. Here the instruction has already been executed,
 * and another one must not follow: it may wait at a barrier for waves that GDB holds. So the thread
 * is shown at the instruction, and the step that follows is answered without moving it. Backwards
 * the order is reversed, and the PC that GDB sees meanwhile does not matter.
 */

static bool expects_before(const struct wt_rsp_session *s)
{
    return !s->lldb && s->gdb->watch_stops_before;
}

void wt_rsp_show_watchpoint(struct wt_rsp_session *s, const struct wt_event *event)
{
    if (expects_before(s) && event->kind == WT_EVENT_STOPPED && wt_rsp_is_watchpoint(event) &&
        !wt_rsp_shown_pc(s, event->thread))
        wt_rsp_show_at(s, event->thread, event->pc);
}

struct wt_rsp_shown *wt_rsp_show_at(struct wt_rsp_session *s, wt_thread thread, uint64_t pc)
{
    struct wt_rsp_shown *grown =
        wt_array_grow(s->shown, &s->shown_capacity, s->shown_count + 1, sizeof *grown);
    if (!grown)
        return NULL;
    s->shown = grown;
    struct wt_rsp_shown *shown = &s->shown[s->shown_count++];
    *shown = (struct wt_rsp_shown){.thread = thread, .pc = pc, .written = -1};
    return shown;
}

void wt_rsp_show_register(const struct wt_rsp_session *s, wt_thread thread, unsigned index,
                          uint8_t *value)
{
    const size_t size = wt_register_size(&s->topology->registers[index]);
    for (size_t i = 0; i < s->shown_count; i++) {
        if (s->shown[i].thread != thread)
            continue;
        if (index == s->topology->pc_index)
            wt_store_le(value, s->shown[i].pc, size);
        else if (s->shown[i].written == (int)index)
            memcpy(value, s->shown[i].value, size);
    }
}

void wt_rsp_forget_written(struct wt_rsp_session *s, wt_thread thread, unsigned index)
{
    for (size_t i = 0; i < s->shown_count; i++)
        if (s->shown[i].thread == thread && s->shown[i].written == (int)index)
            s->shown[i].written = -1;
}

const uint64_t *wt_rsp_shown_pc(const struct wt_rsp_session *s, wt_thread thread)
{
    for (size_t i = 0; i < s->shown_count; i++)
        if (s->shown[i].thread == thread)
            return &s->shown[i].pc;
    return NULL;
}

bool wt_rsp_take_shown(struct wt_rsp_session *s, wt_thread thread)
{
    for (size_t i = 0; i < s->shown_count; i++) {
        if (s->shown[i].thread != thread)
            continue;
        s->shown[i] = s->shown[--s->shown_count];
        return true;
    }
    return false;
}

void wt_rsp_forget_shown(struct wt_rsp_session *s, wt_thread thread)
{
    size_t kept = 0;
    for (size_t i = 0; thread && i < s->shown_count; i++)
        if (!wt_rsp_same_wave(s, s->shown[i].thread, thread))
            s->shown[kept++] = s->shown[i];
    s->shown_count = kept;
}
