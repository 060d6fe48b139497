/* Programs in processes of their own: starts them anew at each run, attaches, detaches, and kills
 * them. */
#include <string.h>

#include "frontend/console/console.h"
#include "frontend/console/internal.h"

static enum wt_status need_host(struct wt_shell *c, const char *what, struct wt_error *err)
{
    if (!c->options.host)
        return wt_fail(err, WT_UNSUPPORTED, "%s is for host programs: this is code for the device",
                       what);
    return WT_OK;
}

enum wt_status do_unset(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const size_t length = wt_word_length(text);
    const char *name = wt_skip_blanks(text + length);
    const enum wt_status other = wt_language_elsewhere("unset ", text, length, err);
    if (other)
        return other;
    if (length >= 3 && strncmp(text, "substitute-path", length) == 0) {
        wt_program_forget_substitutions(c->program);
        return WT_OK;
    }
    if (!length || (strncmp(text, "environment", length) != 0) || !*name || strchr(name, '='))
        return wt_fail(err, WT_INVALID, "unset takes \"environment NAME\", or \"substitute-path\"");
    enum wt_status status = need_host(c, "unset environment", err);
    return status ? status : wt_program_change_environment(c->program, strdup(name), err);
}

enum wt_status do_symbol_file(struct wt_shell *c, const char *text, struct wt_error *err)
{
    enum wt_status status = need_host(c, "symbol-file", err);
    if (!status && (status = wt_program_name_symbols(c->program, text, err)) == WT_OK)
        fprintf(c->out, "Symbols of %s pending.\n", text);
    return status;
}

enum wt_status do_attach(struct wt_shell *c, const char *text, struct wt_error *err)
{
    uint64_t pid;
    enum wt_status status = need_host(c, "attach", err);
    if (status)
        return status;
    const char *const where = text;
    if (strncmp(text, "unix:", 5) != 0 && strncmp(text, "tcp:", 4) != 0 &&
        (!wt_take_number(&text, &pid) || *text || pid == 0 || pid > INT32_MAX))
        return wt_fail(err, WT_INVALID,
                       "attach takes a process id ('wavetrap ps' lists them), or an address, "
                       "tcp:HOST:PORT or unix:PATH");
    if (c->program->started && !ask(c, "A program is being debugged already. Kill it? (y or n) "))
        return wt_fail(err, WT_STATE, "Not killed.");
    if ((status = wt_program_attach(c->program, where, err)) != WT_OK)
        return status;
    if (c->program->started)
        wt_words_stop(&c->words, true);
    const char *unrecorded =
        c->program->thread ? wt_debugger_unrecorded(c->program->debugger) : NULL;
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
        status = wt_program_need_run(c->program, err);
    if (status)
        return status;
    if (c->options.attached) {
        if ((status = wt_program_let_go(c->program, err)) == WT_OK)
            fputs("Detached from the device, which continues.\n", c->out);
        return status;
    }
    const int pid = c->options.host->pid(c->options.context);
    wt_program_leave(c->program, false);
    fprintf(c->out, "Detached from process %d, which continues.\n", pid);
    return WT_OK;
}

enum wt_status do_kill(struct wt_shell *c, const char *text, struct wt_error *err)
{
    enum wt_status status = take_no_arguments(text, "kill", err);
    if (!status)
        status = refuse_attached(c, "kill", err);
    if (!status)
        status = wt_program_need_run(c->program, err);
    if (status)
        return status;
    if (c->program->post_mortem)
        return wt_fail(err, WT_STATE,
                       "this is a core file: it can be looked at, not changed or run");
    if (c->options.host && c->options.host->is_elsewhere(c->options.context))
        return wt_fail(
            err, WT_UNSUPPORTED,
            "the program is elsewhere, and cannot be killed from here: 'detach' leaves it");
    if (!ask(c, "Kill the program being debugged? (y or n) "))
        return wt_fail(err, WT_STATE, "Not confirmed.");
    wt_program_leave(c->program, true);
    fputs("[Program killed]\n", c->out);
    return WT_OK;
}
