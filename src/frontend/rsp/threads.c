/* Thread ids in the client's notation, and descriptions of threads. */
#include "frontend/rsp/session.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"

bool wt_rsp_load_threads(struct wt_rsp_session *s)
{
    const struct wt_thread_info *list;
    size_t count;
    s->thread_count = 0;
    if (s->killed || wt_debugger_threads(s->debugger, &list, &count, WT_IGNORED))
        return false;
    if (count == 0)
        return true;
    struct wt_thread_info *threads =
        wt_array_grow(s->threads, &s->thread_capacity, count, sizeof *threads);
    if (!threads)
        return false;
    s->threads = threads;
    memcpy(s->threads, list, count * sizeof *list);
    s->thread_count = count;
    return true;
}

wt_thread wt_rsp_thread(struct wt_rsp_session *s)
{
    if (s->general && wt_debugger_thread_alive(s->debugger, s->general))
        return s->general;
    return wt_debugger_current_thread(s->debugger);
}

bool wt_rsp_thread_of(struct wt_rsp_session *s, const struct wt_rsp_thread_id *id,
                      wt_thread *thread)
{
    bool ours = !id->has_process || id->process == WT_RSP_PROCESS || id->process <= 0;
    if (ours && id->thread > 0 && id->thread <= UINT32_MAX && !s->killed &&
        wt_debugger_thread_alive(s->debugger, (wt_thread)id->thread)) {
        *thread = (wt_thread)id->thread;
        return true;
    }
    wt_rsp_refuse(s, WT_INVALID, "there is no thread %lld now", (long long)id->thread);
    return false;
}

bool wt_rsp_same_wave(struct wt_rsp_session *s, wt_thread a, wt_thread b)
{
    struct wt_wave x, y;
    return wt_debugger_thread_wave(s->debugger, a, &x) &&
           wt_debugger_thread_wave(s->debugger, b, &y) && x.id == y.id;
}

void wt_rsp_thread_text(struct wt_rsp_session *s, wt_thread thread, char *name, size_t size,
                        char *note, size_t note_size)
{
    char text[WT_THREAD_NAME];
    wt_debugger_thread_name(s->debugger, thread, text, sizeof text);
    size_t length = strlen(text);
    char *open = strrchr(text, '(');
    note[0] = 0;
    if (open && open > text && text[length - 1] == ')') {
        text[length - 1] = 0;
        snprintf(note, note_size, "%s", open + 1);
        while (open > text && open[-1] == ' ')
            open--;
        *open = 0;
    }
    snprintf(name, size, "%s", text);
}
