/* Runs: run, start, continue. */
#include <inttypes.h>
#include <stdlib.h>

#include "frontend/console/internal.h"

/* Continues, and shows where it has stopped. */
static enum wt_status go_and_show(struct wt_shell *c, bool backwards, struct wt_error *err)
{
    struct wt_stepped end;
    const enum wt_status status = wt_program_continue(c->program, backwards, &end, err);
    if (!status)
        show_end(c, &end);
    return status;
}

static enum wt_status begin(struct wt_shell *c, const char *arguments, struct wt_error *err)
{
    enum wt_status status;
    if (*arguments && !c->options.host)
        return wt_fail(err, WT_INVALID,
                       "code for the device gets its arguments when wavetrap is started (--arg)");
    if (*arguments && (status = wt_program_set_arguments(c->program, arguments, err)) != WT_OK)
        return status;
    if (c->program->started && !ask(c, "The program being debugged has been started already.\n"
                                       "Start it from the beginning? (y or n) "))
        return wt_fail(err, WT_STATE, "Program not restarted.");
    return wt_program_begin(c->program, err);
}

enum wt_status do_run(struct wt_shell *c, const char *text, struct wt_error *err)
{
    enum wt_status status = refuse_attached(c, "run", err);
    if (!status)
        status = begin(c, text, err);
    return status || !c->program->started ? status : go_and_show(c, false, err);
}

enum wt_status do_start(struct wt_shell *c, const char *text, struct wt_error *err)
{
    enum wt_status status = refuse_attached(c, "start", err);
    if (!status)
        status = do_tbreak(c, wt_program_entry(c->program), err);
    if (!status)
        status = begin(c, text, err);
    return status || !c->program->started ? status : go_and_show(c, false, err);
}

/* "continue N": ignores the breakpoint at the current place N - 1 times. */
static enum wt_status go_on(struct wt_shell *c, const char *text, bool backwards,
                            struct wt_error *err)
{
    enum wt_status status = wt_program_need_run(c->program, err);
    uint64_t count;
    if (status)
        return status;
    if (*text) {
        if (!wt_take_number(&text, &count) || *text || count == 0)
            return wt_fail(err, WT_INVALID, "continue takes the number of stops to pass");
        struct wt_point *p = wt_program_point(c->program, c->program->stop_number);
        if (p && count > 1) {
            p->ignore = (unsigned)(count - 1);
            fprintf(c->out, "Will ignore next %u crossings of breakpoint %u.  Continuing.\n",
                    p->ignore, p->number);
        }
    } else {
        fputs("Continuing.\n", c->out);
    }
    return go_and_show(c, backwards, err);
}

enum wt_status do_continue(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return go_on(c, text, false, err);
}

enum wt_status do_reverse_continue(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return go_on(c, text, true, err);
}

/* "jump LOCATION": the selected lanes go on there. */
enum wt_status do_jump(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const struct wt_view view = wt_program_view(c->program);
    uint64_t *list;
    size_t count;
    char symbol[300];
    enum wt_status status = *text
                                ? wt_program_need_thread(c->program, err)
                                : wt_fail(err, WT_INVALID, "Argument required (starting address).");
    if (!status)
        status = wt_program_resolve(c->program, text, &list, &count, err);
    if (status)
        return status;
    const uint64_t to = count ? list[0] : 0;
    free(list);
    if (count != 1)
        return wt_fail(err, WT_INVALID, "%s has %zu places: jump goes to one", text, count);
    if ((status = wt_program_jump(c->program, to, err)) != WT_OK)
        return status;
    wt_source_symbol_at(&view, to, false, symbol, sizeof symbol);
    fprintf(c->out, "Continuing at 0x%" PRIx64 "%s%s.\n", to, *symbol ? " " : "", symbol);
    return go_and_show(c, false, err);
}
