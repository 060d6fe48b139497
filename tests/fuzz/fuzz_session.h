/* A debugger and a host process that answers anything: the debugger's session, and the harness's
 * socket. The target has serve(), which is the process, and look_at_thread(), which is called for
 * the first threads at each stop. */
#ifndef TESTS_FUZZ_FUZZ_SESSION_H
#define TESTS_FUZZ_FUZZ_SESSION_H

#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>

#include "fuzz_host.h"

#include "base/listen.h"
#include "debug/source/locations.h"
#include "target/process.h"

static struct wt_listener listener;
static int pid; /* of the process, as the debugger knows it */

/* The target's. */
static void look_at_thread(struct wt_process *process, wt_thread thread, size_t index);

static void location_changed(void *context, unsigned id, uint64_t addr, bool gained)
{
    struct wt_debugger *d = context;
    if (gained)
        wt_debugger_insert_breakpoint(d, addr, NULL, 0, NULL, 0, WT_IGNORED);
    else
        wt_debugger_remove_breakpoint(d, addr, WT_IGNORED);
}

static void look(struct wt_debugger *d, struct wt_process *process)
{
    const struct wt_thread_info *list;
    struct wt_thread_position at;
    struct wt_wave wave;
    size_t count;
    uint8_t bytes[80], row[64];
    if (wt_debugger_threads(d, &list, &count, WT_IGNORED))
        return;
    for (size_t i = 0; i < count && i < 6; i++) {
        const wt_thread thread = list[i].id;
        const unsigned index = (unsigned)(7 * i);
        if (!wt_debugger_thread_wave(d, thread, &wave) ||
            wt_debugger_thread_position(d, thread, &at, WT_IGNORED))
            return;
        wt_debugger_read_registers(d, thread, &index, 1, row, WT_IGNORED);
        for (uint32_t space = 0; space < wt_debugger_topology(d)->space_count; space++)
            wt_debugger_read_memory(d, thread, (struct wt_address){space, 12}, bytes, sizeof bytes,
                                    WT_IGNORED);
        if (i == 0)
            wt_debugger_insert_breakpoint(d, at.pc, NULL, 0, NULL, 0, WT_IGNORED);
        look_at_thread(process, thread, i);
    }
    wt_process_refresh(process, WT_IGNORED);
}

static void wait_for_stop(struct wt_debugger *d, struct wt_process *process)
{
    struct wt_probe_event news;
    for (unsigned i = 0; i < 8 && wt_debugger_running(d); i++) {
        wt_debugger_pump(d, 1000);
        while (wt_debugger_next_news(d, &news))
            if (news.kind == WT_PROBE_MODULES_CHANGED)
                wt_process_refresh(process, WT_IGNORED);
        while (wt_debugger_next_event(d).kind != WT_EVENT_NONE)
            continue;
    }
}

static void debug(struct wt_process *process)
{
    static const enum wt_resume_kind kinds[] = {WT_RESUME_CONTINUE, WT_RESUME_STEP,
                                                WT_RESUME_CONTINUE};
    struct wt_debugger *d = process->debugger;
    struct wt_locations *locations = NULL;
    const struct wt_thread_info *list;
    size_t count;
    unsigned id;
    uint32_t status;
    if (!wt_locations_new(process->modules, 0, location_changed, d, &locations, WT_IGNORED))
        wt_locations_add(locations, "kernel", &id, WT_IGNORED);
    for (unsigned i = 0; i < 3 && !wt_debugger_ended(d, &status); i++) {
        wt_debugger_interrupt(d, WT_IGNORED);
        wait_for_stop(d, process);
        look(d, process);
        struct wt_resume how = {.kind = kinds[i]};
        if (kinds[i] == WT_RESUME_STEP && !wt_debugger_threads(d, &list, &count, WT_IGNORED) &&
            count)
            how.thread = list[0].id;
        else
            how.kind = WT_RESUME_CONTINUE;
        if (wt_debugger_run(d, WT_FORWARDS, &how, 1, WT_IGNORED))
            break;
        wait_for_stop(d, process);
    }
    if (locations)
        wt_locations_free(locations);
}

static void close_listener(void)
{
    wt_listener_close(&listener);
}

/* Listens as a process would at PID.SUFFIX. That process has ended already, so that the debugger
 * does not wait for its end. */
static inline void begin(const char *target, const char *suffix)
{
    char address[160];
    struct wt_error err;
    siginfo_t info;
    make_folder(target);
    pid = fork();
    if (pid == 0)
        _exit(0);
    if (pid < 0 || waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT))
        abort();
    snprintf(address, sizeof address, "unix:%s/%d.%s", folder, pid, suffix);
    if (wt_listen(address, &listener, &err) || fcntl(listener.fd, F_SETFL, 0))
        abort();
    atexit(close_listener);
}

/* A session with the process that `serve` is, in a thread, with its context. */
static inline void hold_session(const struct wt_family *family, void *(*serve)(void *),
                                void *context)
{
    const struct wt_debugger_options options = {.threads = WT_THREADS_WAVES};
    struct wt_process process;
    struct wt_error err;
    pthread_t thread;
    if (pthread_create(&thread, NULL, serve, context))
        abort();
    if (wt_process_open(&process, family, pid, &options, &err) == WT_OK) {
        debug(&process);
        wt_process_close(&process);
    } else if (!*err.text) {
        abort(); /* without a reason */
    }
    pthread_join(thread, NULL);
}

#endif
