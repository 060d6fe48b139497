/* Finds out how a host process has ended, as far as its debugger can. See end.h. */
#include "debug/process/end.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"

#define PATIENCE_MS 5000 /* its descriptors are closed before it has ended */

static void by_signal(struct wt_process_end *end, int pid, int signal)
{
    end->status = 128 + (uint32_t)signal; /* as shells have it */
    snprintf(end->text, sizeof end->text, "process %d was ended by signal %d (%s)", pid, signal,
             strsignal(signal));
}

void wt_process_exited(struct wt_process_end *end, int pid, uint32_t status)
{
    end->status = status & 0xff;
    snprintf(end->text, sizeof end->text, "process %d has ended with status %u", pid,
             (unsigned)end->status);
}

void wt_process_closed(struct wt_process_end *end, int pid)
{
    end->status = 0;
    end->closed = true;
    snprintf(end->text, sizeof end->text, "process %d has closed its GPUs", pid);
}

/* Reads the end of a child process, whose status only its parent knows for sure. The child is not
 * reaped. False: it is alive. */
static bool ask_of_child(struct wt_process_end *end, int pid, bool *is_child)
{
    siginfo_t info = {.si_pid = 0};
    *is_child = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
    if (!*is_child || !info.si_pid)
        return false;
    if (info.si_code == CLD_EXITED)
        wt_process_exited(end, pid, (uint32_t)info.si_status);
    else
        by_signal(end, pid, info.si_status);
    return true;
}

/* Reads the end of another process: until its parent has waited for it, /proc has its status, in
 * fields 3 and 52 of proc(5). False: it is alive. */
static bool ask_of_proc(struct wt_process_end *end, int pid)
{
    char path[64], line[1024] = "", state = 0;
    int status = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "re");
    const bool there = file && fgets(line, sizeof line, file);
    if (file)
        fclose(file);
    const char *at = there ? strrchr(line, ')') : NULL; /* behind the name */
    const char *last = at ? strrchr(line, ' ') : NULL;
    if (!at || sscanf(at + 1, " %c", &state) != 1 || sscanf(last, " %d", &status) != 1 ||
        (state != 'Z' && state != 'X')) {
        if (there)
            return false;
        end->status = 0;
        snprintf(end->text, sizeof end->text,
                 "process %d has ended; with which status, its parent knows", pid);
        return true;
    }
    if (WIFSIGNALED(status))
        by_signal(end, pid, WTERMSIG(status));
    else
        wt_process_exited(end, pid, (uint32_t)WEXITSTATUS(status));
    return true;
}

void wt_process_find_end(struct wt_process_end *end, int pid)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    const int64_t until = wt_clock_ms() + PATIENCE_MS;
    bool is_child;
    do {
        if (ask_of_child(end, pid, &is_child) || (!is_child && ask_of_proc(end, pid)))
            return;
        nanosleep(&moment, NULL);
    } while (wt_clock_ms() < until);
    wt_process_closed(end, pid);
}
