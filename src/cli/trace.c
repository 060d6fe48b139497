/* `wavetrap trace`: runs a program and prints one line for each instruction issued. */
#include "base/text.h"
#include "cli/gcn.h"

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
    struct cli_kernel_options options; /* first: their context is this struct */
    struct filter filter;
    const char *output;
    bool symbols;
    FILE *out;
    struct wt_emulated *session; /* of a kernel: symbols and program alone */
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
    return wt_parse_number(value, &((struct trace *)context)->filter.from, err);
}

static enum wt_status set_to(void *context, const char *value, struct wt_error *err)
{
    return wt_parse_number(value, &((struct trace *)context)->filter.to, err);
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
    {"core", 0, "LIST", "only these cores (of a gfx900: compute units), such as 0,4-7", set_core},
    {"warp", 0, "LIST", "only these warps (waves) of each core", set_warp},
    {"range", 0, "A..B",
     "only instructions at A and up to, not including, B: addresses or\n"
     "symbols; or the name of one function",
     set_range},
    {"from", 0, "TIME", "only from this issue time on", set_from},
    {"to", 0, "TIME", "only up to this issue time", set_to},
    {"output", 'o', "FILE", "write the trace to FILE", set_output},
    {"symbols", 0, NULL, "print <function+offset> after each address", set_symbols},
    CLI_DRIVE_OPTIONS,
    CLI_KERNEL_OPTIONS,
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
        if (wt_emulated_address(t->session, f->range, &addr, err))
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
    if (wt_emulated_address(t->session, first, &f->start, err) ||
        wt_emulated_address(t->session, dots + 2, &f->end, err))
        return wt_fail_in(err, "--range");
    if (f->end <= f->start)
        return wt_fail(err, WT_INVALID, "--range: 0x%" PRIx64 "..0x%" PRIx64 " is empty", f->start,
                       f->end);
    return WT_OK;
}

/* ---- tracing ---- */

static bool wanted(const struct trace *t, uint64_t pc, unsigned core, unsigned warp)
{
    const struct filter *f = &t->filter;
    bool good;
    if ((f->core && !list_holds(f->core, core, &good)) ||
        (f->warp && !list_holds(f->warp, warp, &good)))
        return false;
    if (f->function) {
        const char *name;
        uint64_t offset;
        return wt_symbols_function(t->session->symbols, pc, &name, &offset) &&
               strcmp(name, f->function) == 0;
    }
    return !f->range || (pc >= f->start && pc < f->end);
}

/* " <function+offset>" where it is wanted and known. */
static void function_text(const struct trace *t, uint64_t pc, char *text, size_t size)
{
    const char *name;
    uint64_t offset;
    text[0] = 0;
    if (t->symbols && t->session->symbols &&
        wt_symbols_function(t->session->symbols, pc, &name, &offset))
        snprintf(text, size, " <%.150s+%" PRIu64 ">", name, offset);
}

static void print_effect(const struct trace *t, const struct wt_trace *issue)
{
    fprintf(t->out, issue->effect[0] ? "  # %s\n" : "\n", issue->effect);
}

static void print_issue(void *context, const struct wt_trace *issue)
{
    struct trace *t = context;
    unsigned warps = vx_device_config(t->session->device)->warps;
    unsigned core = issue->wave / warps, warp = issue->wave % warps;
    if (!wanted(t, issue->pc, core, warp))
        return;
    char mask[40], place[200], bytes[80];
    wt_mask_text(issue->mask, mask, sizeof mask);
    function_text(t, issue->pc, place, sizeof place);
    wt_trace_bytes(issue, bytes, sizeof bytes);
    fprintf(t->out, "%10" PRIu64 " core %u warp %u %s %08" PRIx64 "%s: %s %s", issue->time, core,
            warp, mask, issue->pc, place, bytes, issue->text);
    print_effect(t, issue);
}

/* Runs untraced where no issue is wanted. */
static enum wt_run run_some(void *context, struct wt_emulated *session, uint64_t issues)
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
    return m->ops->run_traced(m, issues, print_issue, t);
}

static enum wt_status open_output(struct trace *t, struct wt_error *err)
{
    t->out = t->output ? fopen(t->output, "w") : stdout;
    return t->out ? WT_OK
                  : wt_fail(err, WT_IO, "%s: cannot create: %s", t->output, strerror(errno));
}

/* Closes the trace; returns the status, or that of a trace that could not be written. */
static int close_output(struct trace *t, int status)
{
    struct wt_error err;
    bool broken = fflush(t->out) || ferror(t->out);
    if (t->output)
        broken = fclose(t->out) || broken;
    if (!broken)
        return status;
    wt_fail(&err, WT_IO, "the trace could not be written: %s", strerror(errno));
    return cli_fail(&cli_trace, &err);
}

static int trace_session(struct trace *t, struct wt_emulated *session)
{
    struct wt_error err;
    t->session = session;
    if (resolve_range(t, &err) || open_output(t, &err))
        return cli_fail(&cli_trace, &err);
    if (!t->output)
        session->console = stderr;
    t->options.drive.run = run_some;
    t->options.drive.context = t;
    return close_output(t, cli_drive(&cli_trace, &t->options.drive, session));
}

/* ---- kernels: compute units and their waves, addresses as in the code object ---- */

static void print_kernel_issue(void *context, const struct wt_trace *issue)
{
    const struct trace *t = context;
    enum { WAVES = 40 }; /* of a compute unit */
    const unsigned cu = issue->wave / WAVES, wave = issue->wave % WAVES;
    const uint64_t pc = issue->pc - GCN_LAUNCH_CODE;
    char place[200], bytes[80];
    if (!wanted(t, pc, cu, wave))
        return;
    function_text(t, pc, place, sizeof place);
    wt_trace_bytes(issue, bytes, sizeof bytes);
    fprintf(t->out, "%10" PRIu64 " cu %u wave %u 0x%016" PRIx64 " %08" PRIx64 "%s: %s %s",
            issue->time, cu, wave, (uint64_t)issue->mask, pc, place, bytes, issue->text);
    print_effect(t, issue);
}

static enum wt_status kernel_opened(void *context, struct cli_kernel_run *run, struct wt_error *err)
{
    struct trace *t = context;
    t->session->symbols = run->symbols;
    return resolve_range(t, err);
}

static enum wt_run run_kernel_some(void *context, struct cli_kernel_run *run, uint64_t issues)
{
    struct trace *t = context;
    struct wt_machine *m = gcn_machine(run->device);
    const struct filter *f = &t->filter;
    if (m->time < f->from) {
        const uint64_t before = f->from - m->time;
        return m->ops->run(m, before < issues ? before : issues);
    }
    if (m->time > f->to)
        return m->ops->run(m, issues);
    const uint64_t left = f->to - m->time;
    return m->ops->run_traced(m, left < issues ? left + 1 : issues, print_kernel_issue, t);
}

static int trace_kernel(struct trace *t, const char *path)
{
    struct wt_error err;
    struct wt_emulated session = {.program = path};
    t->session = &session;
    t->options.kernel.opened = kernel_opened;
    t->options.kernel.run = run_kernel_some;
    t->options.kernel.context = t;
    if (open_output(t, &err))
        return cli_fail(&cli_trace, &err);
    const int status = cli_run_kernel(&cli_trace, &t->options.drive, &t->options.kernel, path);
    return close_output(t, status);
}

static int run(int argc, char **argv)
{
    struct trace trace = {.filter.to = UINT64_MAX};
    struct wt_emulated session;
    struct wt_error err;
    int status;
    switch (cli_parse(&cli_trace, argc, argv, &trace, &trace.options.drive.options, 1, false)) {
    case CLI_DONE:
        status = 0;
        break;
    case CLI_BAD:
        status = CLI_FAILED;
        break;
    default:
        if (cli_is_code_object(argv[optind])) {
            status = trace_kernel(&trace, argv[optind]);
        } else if (cli_open(&session, &trace.options.drive.options, argv[optind], &err)) {
            status = cli_fail(&cli_trace, &err);
        } else {
            status = trace_session(&trace, &session);
            wt_emulated_close(&session);
        }
    }
    cli_kernel_free(&trace.options.kernel);
    cli_drive_free(&trace.options.drive);
    return status;
}

const struct cli_command cli_trace = {
    .name = "trace",
    .operands = "PROGRAM",
    .summary =
        "Runs PROGRAM and prints one line for each instruction that is issued. The line has\n"
        "the issue time, core, warp, mask of threads, address, instruction, disassembly, and\n"
        "after '#' what was written. The trace goes to stdout and the program's console to\n"
        "stderr; with --output the console goes to stdout.",
    .options = options,
    .device = true,
    .notes = CLI_DRIVE_NOTES,
    .run = run,
};
