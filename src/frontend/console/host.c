/* Programs in processes of their own: starts them anew at each run, attaches, detaches, and kills
 * them. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "frontend/console/console.h"
#include "frontend/console/internal.h"

static const struct wt_shell_host *host_of(struct wt_shell *c)
{
    return c->options.host;
}

static enum wt_status need_host(struct wt_shell *c, const char *what, struct wt_error *err)
{
    if (!host_of(c))
        return wt_fail(err, WT_UNSUPPORTED, "%s is for host programs: this is code for the device",
                       what);
    return WT_OK;
}

/* ---- arguments, environment ---- */

enum wt_status set_arguments(struct wt_shell *c, const char *text, struct wt_error *err)
{
    char *copy = strdup(text);
    if (!copy)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    free(c->arguments);
    c->arguments = copy;
    return WT_OK;
}

enum wt_status change_environment(struct wt_shell *c, char *change, struct wt_error *err)
{
    char **grown = wt_array_grow(c->environment, &c->environment_capacity, c->environment_count + 2,
                                 sizeof(char *));
    if (!grown || !change) {
        free(change);
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    }
    c->environment = grown;
    grown[c->environment_count++] = change;
    grown[c->environment_count] = NULL;
    return WT_OK;
}

void free_environment(struct wt_shell *c)
{
    for (size_t i = 0; i < c->environment_count; i++)
        free(c->environment[i]);
    free(c->environment);
    free(c->arguments);
}

enum wt_status do_unset(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const size_t length = word_length(text);
    const char *name = skip_blanks(text + length);
    if (!length || (strncmp(text, "environment", length) != 0) || !*name || strchr(name, '='))
        return wt_fail(err, WT_INVALID, "unset takes \"environment NAME\"");
    enum wt_status status = need_host(c, "unset environment", err);
    return status ? status : change_environment(c, strdup(name), err);
}

/* ---- run ---- */

static void forget_program(struct wt_shell *c)
{
    c->started = false;
    select_thread(c, 0);
}

void end_host(struct wt_shell *c)
{
    bool known;
    int code = 0;
    char text[100] = "";
    const int pid = host_of(c)->pid(c->options.context);
    fflush(c->out);
    host_of(c)->finish(c->options.context, &known, &code, text, sizeof text);
    forget_program(c);
    c->ended = true;
    c->exit_word = (uint32_t)code;
    if (!known)
        fprintf(c->out, "[Process %d has %s]\n", pid,
                kill(pid, 0) == 0 || errno != ESRCH ? "closed its GPU" : "ended");
    else if (text[0])
        fprintf(c->out, "\nProgram terminated with signal %s.\n", text);
    else if (code)
        fprintf(c->out, "[Program exited with code %02o]\n", (unsigned)code);
    else
        fputs("[Program exited normally]\n", c->out);
}

enum wt_status begin_host(struct wt_shell *c, struct wt_error *err)
{
    bool ended = false;
    if (!c->options.program)
        return wt_fail(err, WT_STATE, "No program was named: there is nothing to start.");
    if (c->started) {
        if (!ask(c, "The program being debugged has been started already.\n"
                    "Start it from the beginning? (y or n) "))
            return wt_fail(err, WT_STATE, "Program not restarted.");
        host_of(c)->leave(c->options.context, true);
        forget_program(c);
    }
    c->was_run = true;
    c->ended = c->faulted = c->fault_ended = false;
    fprintf(c->out, "Starting program: %s%s%s\n", c->options.program,
            c->arguments && *c->arguments ? " " : "", c->arguments ? c->arguments : "");
    fflush(c->out);
    enum wt_status status = host_of(c)->start(c->options.context, c->arguments ? c->arguments : "",
                                              c->environment, &ended, err);
    if (status)
        return status;
    c->started = !ended;
    if (ended)
        end_host(c);
    return WT_OK;
}

/* ---- attach, detach, kill ---- */

enum wt_status do_attach(struct wt_shell *c, const char *text, struct wt_error *err)
{
    uint64_t pid;
    enum wt_status status = need_host(c, "attach", err);
    if (status)
        return status;
    if (!take_number(&text, &pid) || *text || pid == 0 || pid > INT32_MAX)
        return wt_fail(err, WT_INVALID, "attach takes a process id; 'wavetrap ps' lists them");
    if (c->started) {
        if (!ask(c, "A program is being debugged already. Kill it? (y or n) "))
            return wt_fail(err, WT_STATE, "Not killed.");
        host_of(c)->leave(c->options.context, true);
        forget_program(c);
    }
    if ((status = host_of(c)->attach(c->options.context, (int)pid, err)) != WT_OK)
        return status;
    c->started = c->was_run = true;
    c->ended = c->faulted = c->fault_ended = false;
    fprintf(c->out, "Attaching to process %" PRIu64 "\n", pid);
    /* The program runs: it is stopped as by Ctrl-C. */
    if (wt_debugger_running(c->debugger)) {
        bool again;
        if ((status = wt_debugger_interrupt(c->debugger, err)) != WT_OK ||
            (status = wait_for_stop(c, err)) != WT_OK ||
            (status = report_stop(c, &again, err)) != WT_OK)
            return status;
    }
    if (c->started)
        show_stop(c, true);
    const char *unrecorded = c->thread ? wt_debugger_unrecorded(c->debugger) : NULL;
    if (unrecorded)
        fprintf(c->out, "No time travel yet: %s.\n", unrecorded);
    return WT_OK;
}

enum wt_status do_detach(struct wt_shell *c, const char *text, struct wt_error *err)
{
    enum wt_status status = take_no_arguments(text, "detach", err);
    if (!status && !c->options.attached)
        status = need_host(c, "detach", err);
    if (!status)
        status = need_run(c, err);
    if (status)
        return status;
    if (c->options.attached) {
        if ((status = wt_shell_let_go(c, err)) == WT_OK)
            fputs("Detached from the device, which goes on.\n", c->out);
        return status;
    }
    const int pid = host_of(c)->pid(c->options.context);
    host_of(c)->leave(c->options.context, false);
    forget_program(c);
    fprintf(c->out, "Detached from process %d, which goes on.\n", pid);
    return WT_OK;
}

enum wt_status do_kill(struct wt_shell *c, const char *text, struct wt_error *err)
{
    enum wt_status status = take_no_arguments(text, "kill", err);
    if (!status)
        status = refuse_attached(c, "kill", err);
    if (!status)
        status = need_run(c, err);
    if (status)
        return status;
    if (c->post_mortem)
        return wt_fail(err, WT_STATE,
                       "this is a core file: it can be looked at, not changed or run");
    if (!ask(c, "Kill the program being debugged? (y or n) "))
        return wt_fail(err, WT_STATE, "Not confirmed.");
    if (host_of(c))
        host_of(c)->leave(c->options.context, true);
    else
        remove_all_inserted(c);
    forget_program(c);
    fputs("[Program killed]\n", c->out);
    return WT_OK;
}
