/* The systematic search of `wavetrap explore`. See explore.h. */
#include "cli/explore.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/whole_file.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/schedule.h"
#include "explore/journal.h"
#include "explore/records.h"
#include "explore/systematic.h"

enum { MOST_ISSUES = 100000 }; /* issues of a run, without --max-issues */

struct searched {
    struct explore *x;
    struct wt_emulated device;
    struct wt_emulated
        checked;   /* another one, for runs with checks; without a family: there are none */
    FILE *console; /* what the program of this run has printed */
    char *printed;
    size_t length;
    struct explore_outcome last; /* what end() has found */
};

void explore_file(const struct explore *x, size_t outcome, char *name, size_t size)
{
    snprintf(name, size, "%s%zu.choices", x->save, outcome);
}

static enum wt_status write_choices(const struct explore *x, size_t outcome,
                                    const struct wt_choices *choices, struct wt_error *err)
{
    char name[PATH_MAX];
    struct wt_whole_file file;
    explore_file(x, outcome, name, sizeof name);
    const enum wt_status status = wt_whole_file_begin(&file, name, err);
    if (status)
        return status;
    FILE *out = fdopen(dup(file.fd), "w");
    if (out)
        wt_choices_print(choices, out);
    const bool failed = !out || ferror(out);
    if ((out && fclose(out)) || failed) {
        wt_whole_file_give_up(&file);
        return wt_fail(err, WT_IO, "%s: cannot write: %s", name, strerror(errno));
    }
    return wt_whole_file_finish(&file, err);
}

static enum wt_status begin(void *context, struct wt_error *err)
{
    struct searched *s = context;
    if (s->console)
        fclose(s->console);
    free(s->printed);
    s->printed = NULL;
    s->device.console = s->console = open_memstream(&s->printed, &s->length);
    if (!s->console)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    return wt_emulated_load(&s->device, err);
}

/* The fault, and where it was, on a line, as reports have it. */
static char *fault_line(struct wt_emulated *e)
{
    const struct wt_fault *f = &e->machine->fault;
    char where[512], *line = NULL;
    wt_emulated_describe_wave(e, f->wave, f->lanes, f->pc, where, sizeof where);
    return asprintf(&line, "fault: %s at %s\n", f->text, where) < 0 ? NULL : line;
}

/* The status that `run` ends with. */
static int status_of(struct wt_emulated *e, enum explore_end end)
{
    switch (end) {
    case EXPLORE_FAULT:
        return wt_report_fault_status(e->machine->fault.kind);
    case EXPLORE_SPINS:
        return WT_EXIT_DEADLOCK;
    case EXPLORE_LIMIT:
        return WT_EXIT_LIMIT;
    case EXPLORE_ENDED:
        break;
    }
    return wt_report_word_status(wt_emulated_exit_word(e));
}

/* The same schedule with checks, whose findings are a part of the outcome. Where waves spin, the
 * run has as many issues as it had. */
static enum wt_status check(struct searched *s, enum explore_end how,
                            const struct wt_choices *choices, struct explore_outcome *o,
                            struct wt_error *err)
{
    const bool ends = how == EXPLORE_ENDED || how == EXPLORE_FAULT;
    struct explore_outcome with;
    char *both = NULL;
    const enum wt_status status =
        explore_checked(s->x, &s->checked, choices, ends ? 0 : s->device.machine->time, &with, err);
    /* Both runs print a line about a fault. */
    if (!status && asprintf(&both, "%s%s", how == EXPLORE_FAULT ? "" : o->found, with.found) < 0) {
        explore_outcome_free(&with);
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    }
    if (!status) {
        free(o->found);
        o->found = both;
        o->status = o->status ? o->status : with.status;
    }
    explore_outcome_free(&with);
    return status;
}

static enum wt_status end(void *context, enum explore_end how, const struct wt_choices *choices,
                          struct wt_error *err)
{
    struct searched *s = context;
    struct wt_emulated *e = &s->device;
    struct explore_outcome o = {.status = status_of(e, how)};
    enum wt_status status = WT_OK;
    /* A fault stops the device in the midst of what others do: the rest is no outcome. */
    if (how == EXPLORE_ENDED || how == EXPLORE_SPINS || e->machine->fault.kind == WT_FAULT_DEADLOCK)
        status = explore_hash(e, &o.memory, err);
    if (!status && how == EXPLORE_ENDED && e->family->run.print)
        status = e->family->run.print(e, s->console, err);
    o.found = how == EXPLORE_FAULT   ? fault_line(e)
              : how == EXPLORE_SPINS ? strdup("fault: each wave that is left repeats instructions "
                                              "until another one writes\n")
                                     : strdup("");
    if (!status && (!o.found || fflush(s->console)))
        status = wt_fail(err, WT_NO_MEMORY, "no host memory");
    if (!status && s->checked.family)
        status = check(s, how, choices, &o, err);
    if (!status && s->length)
        o.output = XXH3_64bits(s->printed, s->length);
    explore_outcome_free(&s->last);
    s->last = o;
    return status;
}

static char *write_outcome(void *context)
{
    struct wt_error err;
    char *line;
    return explore_journal_line(0, &((struct searched *)context)->last, &line, &err) ? NULL : line;
}

static enum wt_status take_line(void *context, uint64_t run, const struct explore_outcome *o,
                                struct wt_error *err)
{
    struct explore_outcome *last = &((struct searched *)context)->last;
    (void)run;
    explore_outcome_free(last);
    *last = *o;
    last->found = strdup(o->found);
    return last->found ? WT_OK : wt_fail(err, WT_NO_MEMORY, "no host memory");
}

/* A run is done: it is counted, and the choices of a new outcome are written. */
static enum wt_status take(void *context, char *line, const struct wt_choices *choices,
                           struct wt_error *err)
{
    struct searched *s = context;
    struct explore_outcomes *all = &s->x->outcomes;
    const size_t before = all->count;
    uint64_t run = 0;
    size_t place;
    enum wt_status status = line ? explore_journal_read(line, take_line, s, err) : WT_OK;
    for (size_t i = 0; i < all->count; i++)
        run += all->list[i].count;
    if (!status)
        status = explore_outcomes_add(all, &s->last, run, &place, err);
    if (!status && all->count > before)
        status = write_choices(s->x, all->count, choices, err);
    return status;
}

enum wt_status explore_search(struct explore *x, struct wt_error *err)
{
    struct searched s = {.x = x};
    struct explore_counts counts = {0};
    struct explore_records records = {.fd = -1};
    uint64_t command;
    enum wt_status status =
        wt_session_open_device(&s.device, &x->drive.options, x->program[0], err);
    if (!status && x->drive.check.options.checks)
        status = wt_session_open_device(&s.checked, &x->drive.options, x->program[0], err);
    if (status) {
        if (s.device.family)
            wt_emulated_close(&s.device);
        return status;
    }
    const struct explore_subject subject = {s.device.machine, begin, end, write_outcome, take, &s};
    const struct explore_limits limits = {.preemptions = x->preemptions,
                                          .issues = x->drive.max_issues ? x->drive.max_issues
                                                                        : MOST_ISSUES,
                                          .runs = x->runs,
                                          .jobs = (unsigned)x->jobs,
                                          .records = x->state ? &records : NULL};
    if (x->state && (status = explore_command_number(x, &command, err)) == WT_OK &&
        (status = explore_records_open(&records, x->state, command ^ x->preemptions, err)))
        wt_fail_in(err, "--state");
    if (!status)
        status = explore_systematically(&subject, &limits, &counts, err);
    explore_records_close(&records);
    explore_outcome_free(&s.last);
    s.device.console = NULL;
    wt_emulated_close(&s.device);
    if (s.checked.family)
        wt_emulated_close(&s.checked);
    if (s.console)
        fclose(s.console);
    free(s.printed);
    x->complete = counts.complete;
    return status;
}
