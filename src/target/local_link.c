/* See local_link.h. */
#include "target/local_link.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/machine/groups.h"
#include "object/process_wire.h"
#include "target/history.h"

enum wt_status wt_local_read(void *context, wt_wave_handle wave, unsigned lane, uint64_t addr,
                             void *out, size_t size, struct wt_error *err)
{
    struct wt_machine *m = ((struct wt_emulated *)context)->machine;
    return m->ops->read_memory(m, wave, lane, addr, out, size)
               ? WT_OK
               : wt_fail(err, WT_INVALID, "no memory can be read at 0x%llx",
                         (unsigned long long)addr);
}

enum wt_status wt_local_write(void *context, wt_wave_handle wave, unsigned lane, uint64_t addr,
                              const void *bytes, size_t size, struct wt_error *err)
{
    const struct wt_input input = {.kind = WT_INPUT_MEMORY,
                                   .wave = wave,
                                   .lane = lane,
                                   .addr = addr,
                                   .bytes = bytes,
                                   .size = size};
    return wt_emulated_input(context, &input)
               ? WT_OK
               : wt_fail(err, WT_INVALID, "no memory can be written at 0x%llx",
                         (unsigned long long)addr);
}

enum wt_status wt_local_registers(void *context, uint32_t gpu, struct wt_wire_register *list,
                                  size_t count, struct wt_error *err)
{
    struct wt_machine *m = ((struct wt_emulated *)context)->machine;
    for (size_t i = 0; i < count; i++)
        if (list[i].write)
            wt_emulated_input(context, &(struct wt_input){.kind = WT_INPUT_DEBUG_WRITE,
                                                          .addr = list[i].addr,
                                                          .value = list[i].value});
        else
            list[i].value = m->ops->debug_read(m, list[i].addr);
    return WT_OK;
}

/* Only the wave that steps can issue. An event before an issue is an earlier one, of the standstill
 * itself; a watched instruction is reported before it issues, and the step is meant to issue it. */
enum wt_status wt_local_event(void *context, bool wait, struct wt_link_event *event,
                              struct wt_error *err)
{
    enum { ISSUES = 4096, MOST_EARLIER = 2 };
    struct wt_emulated *e = context;
    const struct wt_family_debug *family = &e->family->debug;
    struct wt_machine *m = e->machine;
    const bool told = family->attention && family->attention(e);
    *event = (struct wt_link_event){.attention = family->looks ? !wait : told};
    for (unsigned earlier = 0; wait && !event->attention && earlier < MOST_EARLIER;) {
        const uint64_t before = m->time;
        const enum wt_run run = wt_emulated_run(e, ISSUES);
        const bool watched = run == WT_RUN_WATCH && m->time == before;
        if (watched)
            m->hits = 0;
        earlier += run == WT_RUN_EVENT && m->time == before;
        event->attention = family->attention ? family->attention(e) : m->time != before;
        if (!watched && run != WT_RUN_EVENT)
            break;
    }
    return WT_OK;
}

/* Kernels have no exit status. */
bool wt_local_ended(void *context, uint32_t *status, char *text, size_t size)
{
    struct wt_machine *m = ((struct wt_emulated *)context)->machine;
    const struct wt_group_ops *groups = m->groups.ops;
    *status = 0;
    return !m->active && !m->fault.kind && !(groups && groups->waiting(m));
}

enum wt_status wt_local_reset(void *context, struct wt_error *err)
{
    struct wt_emulated *e = context;
    wt_emulated_input(e, &(struct wt_input){.kind = WT_INPUT_RESET});
    return e->family->debug.launch_again(e, err);
}

static uint32_t input(void *context, const struct wt_input *in)
{
    return wt_emulated_input(context, in);
}

enum wt_status wt_local_ask(void *context, const struct wt_wire_request *request, const void *more,
                            struct wt_wire_answer *answer, void *out, size_t room,
                            struct wt_error *err)
{
    struct wt_emulated *e = context;
    *answer = (struct wt_wire_answer){.size = 0};
    if (!e->answer && !(e->answer = malloc(WT_WIRE_MOST)))
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    if (request->follows)
        memcpy(e->answer, more, request->follows);
    answer->result = e->family->debug.serve(e->machine, input, e, request, answer, e->answer);
    if (out)
        memcpy(out, e->answer, answer->size < room ? answer->size : room);
    return WT_OK;
}

const struct wt_link_ops wt_local_link = {.read = wt_local_read,
                                          .write = wt_local_write,
                                          .registers = wt_local_registers,
                                          .event = wt_local_event,
                                          .ended = wt_local_ended,
                                          .reset = wt_local_reset,
                                          .ask = wt_local_ask};
