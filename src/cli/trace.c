/* `wavetrap trace`: runs a program and prints one line for each instruction issued. */
#include "cli/drive.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report.h"

/* What to print: all that is given must hold. */
struct filter {
    const char *core, *warp; /* numbers, as "3", "0-2" or "0,4-7"; NULL: all */
    const char *range;       /* "A..B" or a function's name; NULL: all */
    uint64_t start, end;     /* of range, once resolved */
    const char *function;    /* when range is one */
    uint64_t from, to;       /* issue time, both included */
};

struct trace {
    struct cli_drive drive; /* first: its options' context is this struct */
    struct filter filter;
    const char *output;
    bool symbols;
    FILE *out;
    struct cli_session *session;
};

/* ---- options ---- */

/* Whether a list like "0,4-7" is well formed, and holds @p value. */
static bool list_holds(const char *list, uint64_t value, bool *good)
{
    bool found = false;
    *good = false;
    for (;;) {
        char *end;
        if (*list < '0' || *list > '9')
            return false;
        unsigned long long first = strtoull(list, &end, 10), last = first;
        if (*end == '-') {
            if (end[1] < '0' || end[1] > '9')
                return false;
            last = strtoull(end + 1, &end, 10);
        }
        found = found || (value >= first && value <= last);
        if (!*end)
            break;
        if (*end != ',')
            return false;
        list = end + 1;
    }
    *good = true;
    return found;
}

static enum wt_status check_list(const char *value, struct wt_error *err)
{
    bool good;
    list_holds(value, 0, &good);
    return good ? WT_OK
                : wt_fail(err, WT_INVALID, "'%s' is no list of numbers such as 0,4-7", value);
}

static enum wt_status set_core(void *context, const char *value, struct wt_error *err)
{
    ((struct trace *)context)->filter.core = value;
    return check_list(value, err);
}

static enum wt_status set_warp(void *context, const char *value, struct wt_error *err)
{
    ((struct trace *)context)->filter.warp = value;
    return check_list(value, err);
}

static enum wt_status set_range(void *context, const char *value, struct wt_error *err)
{
    ((struct trace *)context)->filter.range = value;
    return WT_OK;
}

static enum wt_status set_from(void *context, const char *value, struct wt_error *err)
{
    return cli_number(value, &((struct trace *)context)->filter.from, err);
}

static enum wt_status set_to(void *context, const char *value, struct wt_error *err)
{
    return cli_number(value, &((struct trace *)context)->filter.to, err);
}

static enum wt_status set_output(void *context, const char *value, struct wt_error *err)
{
    ((struct trace *)context)->output = value;
    return WT_OK;
}

static enum wt_status set_symbols(void *context, const char *value, struct wt_error *err)
{
    ((struct trace *)context)->symbols = true;
    return WT_OK;
}

static const struct cli_option options[] = {
    {"core", 0, "LIST", "only these cores, such as 0,4-7", set_core},
    {"warp", 0, "LIST", "only these warps of each core", set_warp},
    {"range", 0, "A..B", "only instructions at A and up to, not including, B: addresses or\n"
                         "symbols; or the name of one function", set_range},
    {"from", 0, "TIME", "only from this issue time on", set_from},
    {"to", 0, "TIME", "only up to this issue time", set_to},
    {"output", 'o', "FILE", "write the trace to FILE", set_output},
    {"symbols", 0, NULL, "print <function+offset> after each address", set_symbols},
    CLI_DRIVE_OPTIONS,
    {0},
};

/* "A..B" or a function. */
static enum wt_status resolve_range(struct trace *t, struct wt_error *err)
{
    struct filter *f = &t->filter;
    if (!f->range)
        return WT_OK;
    const char *dots = strstr(f->range, "..");
    if (!dots) {
        uint64_t addr;
        const char *name;
        uint64_t offset;
        if (cli_session_address(t->session, f->range, &addr, err))
            return wt_fail_in(err, "--range");
        if (!t->session->symbols ||
            !wt_symbols_function(t->session->symbols, addr, &name, &offset) ||
            strcmp(name, f->range) != 0)
            return wt_fail(err, WT_INVALID, "--range: '%s' is neither A..B nor a function",
                           f->range);
        f->function = f->range;
        return WT_OK;
    }
    char first[256];
    if ((size_t)(dots - f->range) >= sizeof first)
        return wt_fail(err, WT_INVALID, "--range: '%.32s…' is too long for an address", f->range);
    snprintf(first, sizeof first, "%.*s", (int)(dots - f->range), f->range);
    if (cli_session_address(t->session, first, &f->start, err) ||
        cli_session_address(t->session, dots + 2, &f->end, err))
        return wt_fail_in(err, "--range");
    if (f->end <= f->start)
        return wt_fail(err, WT_INVALID, "--range: 0x%" PRIx64 "..0x%" PRIx64 " is empty", f->start,
                       f->end);
    return WT_OK;
}

/* ---- tracing ---- */

static bool wanted(const struct trace *t, const struct vx_trace *issue, unsigned core,
                   unsigned warp)
{
    const struct filter *f = &t->filter;
    bool good;
    if ((f->core && !list_holds(f->core, core, &good)) ||
        (f->warp && !list_holds(f->warp, warp, &good)))
        return false;
    if (f->function) {
        const char *name;
        uint64_t offset;
        return wt_symbols_function(t->session->symbols, issue->pc, &name, &offset) &&
               strcmp(name, f->function) == 0;
    }
    return !f->range || (issue->pc >= f->start && issue->pc < f->end);
}

static void print_issue(void *context, const struct vx_trace *issue)
{
    struct trace *t = context;
    unsigned warps = vx_device_config(t->session->device)->warps;
    unsigned core = issue->wave / warps, warp = issue->wave % warps;
    if (!wanted(t, issue, core, warp))
        return;
    char mask[40], place[200] = "";
    cli_mask_text(issue->mask, mask, sizeof mask);
    if (t->symbols) {
        const char *name;
        uint64_t offset;
        if (t->session->symbols &&
            wt_symbols_function(t->session->symbols, issue->pc, &name, &offset))
            snprintf(place, sizeof place, " <%.150s+%" PRIu64 ">", name, offset);
    }
    fprintf(t->out, "%10" PRIu64 " core %u warp %u %s %08" PRIx64 "%s: %0*" PRIx32 "%*s %s",
            issue->time, core, warp, mask, issue->pc, place, issue->length == 2 ? 4 : 8,
            issue->instruction, issue->length == 2 ? 4 : 0, "", issue->text);
    fprintf(t->out, issue->effect[0] ? "  # %s\n" : "\n", issue->effect);
}

/* Runs untraced where no issue is wanted. */
static enum wt_run run_some(void *context, struct cli_session *session, uint64_t issues)
{
    struct trace *t = context;
    struct wt_machine *m = session->machine;
    const struct filter *f = &t->filter;
    if (m->time < f->from) {
        uint64_t before = f->from - m->time;
        return m->ops->run(m, before < issues ? before : issues);
    }
    if (m->time > f->to)
        return m->ops->run(m, issues);
    uint64_t left = f->to - m->time;
    if (left < issues)
        issues = left + 1;
    return vx_run_traced(session->device, issues, print_issue, t);
}

static int trace_session(struct trace *t, struct cli_session *session)
{
    struct wt_error err;
    t->session = session;
    if (resolve_range(t, &err))
        return cli_fail(&cli_trace, &err);
    t->out = t->output ? fopen(t->output, "w") : stdout;
    if (!t->out) {
        wt_fail(&err, WT_IO, "%s: cannot create: %s", t->output, strerror(errno));
        return cli_fail(&cli_trace, &err);
    }
    if (!t->output)
        session->console = stderr;
    t->drive.run = run_some;
    t->drive.context = t;
    int status = cli_drive(&cli_trace, &t->drive, session);
    bool broken = fflush(t->out) || ferror(t->out);
    if (t->output)
        broken = fclose(t->out) || broken;
    if (broken) {
        wt_fail(&err, WT_IO, "the trace could not be written: %s", strerror(errno));
        status = cli_fail(&cli_trace, &err);
    }
    return status;
}

static int run(int argc, char **argv)
{
    struct trace trace = {.filter.to = UINT64_MAX};
    struct cli_session session;
    struct wt_error err;
    int status;
    switch (cli_parse(&cli_trace, argc, argv, &trace, &trace.drive.options, 1, false)) {
    case CLI_DONE:
        status = 0;
        break;
    case CLI_BAD:
        status = CLI_FAILED;
        break;
    default:
        if (cli_session_open(&session, &trace.drive.options, argv[optind], &err)) {
            status = cli_fail(&cli_trace, &err);
        } else {
            status = trace_session(&trace, &session);
            cli_session_close(&session);
        }
    }
    cli_drive_free(&trace.drive);
    return status;
}

const struct cli_command cli_trace = {
    .name = "trace",
    .operands = "PROGRAM",
    .summary = "Runs PROGRAM and prints one line for each instruction that is issued. The line has\n"
               "the issue time, core, warp, mask of threads, address, instruction, disassembly, and\n"
               "after '#' what was written. The trace goes to stdout and the program's console to\n"
               "stderr; with --output the console goes to stdout.",
    .options = options,
    .device = true,
    .notes = CLI_DRIVE_NOTES,
    .run = run,
};
