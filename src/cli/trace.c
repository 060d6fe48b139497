/* `wavetrap trace`: runs a program and prints one line for each instruction issued. */
#include "base/array.h"
#include "base/demangle.h"
#include "base/text.h"
#include "cli/cli.h"
#include "session/kernel.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "debug/source/modules.h"
#include "debug/source/symbols.h"
#include "emulator/machine/groups.h"
#include "emulator/machine/observe_copies.h"
#include "emulator/machine/trace.h"

/* Which issues to print: those that match all filters that were given. */
struct filter {
    const char *core, *warp; /* numbers, as "3", "0-2" or "0,4-7"; NULL: all */
    const char *range;       /* "A..B" or a function's name; NULL: all */
    uint64_t start, end;     /* the range, once resolved */
    const char *function;    /* when range is one: its name in the file */
    uint64_t from, to;       /* issue time, both included */
};

struct traced {
    struct wt_session_drive drive; /* first: the context of the options about the device */
    struct filter filter;
    const char *output;
    bool symbols, accesses, events;
    bool attaches; /* the observer is told of what is there */
    FILE *out;
    struct wt_observed *access; /* access of the issue that is printed next */
    size_t access_count, access_capacity;
    struct wt_observed_event *event; /* likewise */
    size_t event_count, event_capacity;
    struct wt_emulated *device;
    unsigned waves_per_core;
};

/* ---- options ---- */

/* Whether a list like "0,4-7" is well formed, and contains @p value. */
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

/* The least number of a well-formed list. */
static uint64_t least_of(const char *list)
{
    uint64_t least = UINT64_MAX;
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        const uint64_t first = strtoull(at, NULL, 10);
        least = first < least ? first : least;
    }
    return least;
}

static enum wt_status check_list(const char *value, struct wt_error *err)
{
    bool good;
    list_holds(value, 0, &good);
    return good ? WT_OK
                : wt_fail(err, WT_INVALID, "'%s' is not a list of numbers such as 0,4-7", value);
}

static enum wt_status set_core(void *context, const char *value, struct wt_error *err)
{
    ((struct traced *)context)->filter.core = value;
    return check_list(value, err);
}

static enum wt_status set_warp(void *context, const char *value, struct wt_error *err)
{
    ((struct traced *)context)->filter.warp = value;
    return check_list(value, err);
}

static const struct wt_option options[] = {
    {"core", 0, "LIST", "only these cores (gcn: compute units), such as 0,4-7",
     WT_OPTION_SET(set_core)},
    {"warp", 0, "LIST", "only these warps (gcn: waves) of each core", WT_OPTION_SET(set_warp)},
    {"range", 0, "A..B",
     "only instructions at A and up to, not including, B: addresses or\n"
     "symbols; or the name of one function",
     WT_OPTION_TEXT(struct traced, filter.range)},
    {"from", 0, "TIME", "only from this issue time on",
     WT_OPTION_NUMBER(struct traced, filter.from)},
    {"to", 0, "TIME", "only up to this issue time", WT_OPTION_NUMBER(struct traced, filter.to)},
    {"output", 'o', "FILE", "write the trace to FILE", WT_OPTION_TEXT(struct traced, output)},
    {"symbols", 0, NULL, "print <function+offset> after each address",
     WT_OPTION_FLAG(struct traced, symbols)},
    {"accesses", 0, NULL, "print a line for what each instruction accesses in memory",
     WT_OPTION_FLAG(struct traced, accesses)},
    {"events", 0, NULL,
     "print a line for what orders accesses: barriers, fences, waits,\n"
     "the begin and end of dispatches, groups and waves",
     WT_OPTION_FLAG(struct traced, events)},
    WT_DRIVE_OPTIONS,
    WT_KERNEL_OPTIONS,
    {0},
};

/* Load address minus address in the program's file, for code at @p pc. */
static uint64_t bias_at(const struct traced *t, uint64_t pc)
{
    const struct wt_module *module = wt_modules_at(t->device->modules, 0, pc);
    return module ? module->bias : 0;
}

/* An address of code as the trace prints it: the address in the program's file, wherever it is
 * loaded. */
static enum wt_status code_address(const struct traced *t, const char *text, uint64_t *addr,
                                   struct wt_error *err)
{
    const enum wt_status status = wt_emulated_address(t->device, text, addr, err);
    if (!status && !(text[0] >= '0' && text[0] <= '9'))
        *addr -= bias_at(t, *addr);
    return status;
}

/* The functions that --range may name. */
struct functions {
    const char *called;
    uint64_t addr; /* addr of the first one */
    size_t count;
    char names[400]; /* for a message */
};

static bool take_function(void *context, const char *name, uint64_t addr, uint64_t size, bool code)
{
    struct functions *f = context;
    const size_t used = strlen(f->names);
    char plain[150];
    if (!code || !wt_name_matches(name, f->called) || (f->count && addr == f->addr))
        return true;
    if (!f->count++)
        f->addr = addr;
    wt_demangle(name, plain, sizeof plain);
    snprintf(f->names + used, sizeof f->names - used, "%s%s", used ? ", " : " ", plain);
    return true;
}

/* Looks the function up by its name in the file, or as C++ writes it. */
static enum wt_status find_function(struct traced *t, struct wt_error *err)
{
    const struct wt_modules *modules = t->device->modules;
    struct filter *f = &t->filter;
    struct functions found = {.called = f->range};
    uint64_t offset;
    size_t count = 0;
    const struct wt_module *module = modules ? wt_modules_list(modules, &count) : NULL;
    const enum wt_status status = wt_emulated_address(t->device, f->range, &found.addr, err);
    if (!status && wt_modules_function(modules, 0, found.addr, &f->function, &offset) &&
        strcmp(f->function, f->range) == 0)
        return WT_OK;
    for (size_t i = 0; !found.count && i < count; i++) {
        wt_symbols_each(module[i].symbols, take_function, &found);
        found.addr += module[i].bias;
    }
    if (found.count > 1)
        return wt_fail(err, WT_INVALID, "--range: '%s' may be several functions:%s", f->range,
                       found.names);
    if (found.count && wt_modules_function(modules, 0, found.addr, &f->function, &offset))
        return WT_OK;
    if (status)
        return wt_fail_in(err, "--range");
    return wt_fail(err, WT_INVALID, "--range: '%s' is neither A..B nor a function", f->range);
}

/* "A..B" or a function. */
static enum wt_status resolve_range(struct traced *t, struct wt_error *err)
{
    struct filter *f = &t->filter;
    if (!f->range)
        return WT_OK;
    const char *dots = strstr(f->range, "..");
    if (!dots)
        return find_function(t, err);
    char first[256];
    if ((size_t)(dots - f->range) >= sizeof first)
        return wt_fail(err, WT_INVALID, "--range: '%.32s…' is too long for an address", f->range);
    snprintf(first, sizeof first, "%.*s", (int)(dots - f->range), f->range);
    if (code_address(t, first, &f->start, err) != WT_OK ||
        code_address(t, dots + 2, &f->end, err) != WT_OK)
        return wt_fail_in(err, "--range");
    if (f->end <= f->start)
        return wt_fail(err, WT_INVALID, "--range: 0x%" PRIx64 "..0x%" PRIx64 " is empty", f->start,
                       f->end);
    return WT_OK;
}

/* ---- tracing ---- */

/* @p pc is as loaded, @p own_pc as in the program's file. */
static bool wanted(const struct traced *t, uint64_t pc, uint64_t own_pc, unsigned core,
                   unsigned wave)
{
    const struct filter *f = &t->filter;
    bool good;
    if ((f->core && !list_holds(f->core, core, &good)) ||
        (f->warp && !list_holds(f->warp, wave, &good)))
        return false;
    if (f->function) {
        const char *name;
        uint64_t offset;
        return wt_modules_function(t->device->modules, 0, pc, &name, &offset) &&
               strcmp(name, f->function) == 0;
    }
    return !f->range || (own_pc >= f->start && own_pc < f->end);
}

/* " <function+offset>" if it is wanted and known. */
static void function_text(const struct traced *t, uint64_t pc, char *text, size_t size)
{
    const char *name;
    char plain[151];
    uint64_t offset;
    text[0] = 0;
    if (t->symbols && wt_modules_function(t->device->modules, 0, pc, &name, &offset)) {
        wt_demangle(name, plain, sizeof plain);
        snprintf(text, size, " <%s+%" PRIu64 ">", plain, offset);
    }
}

static void no_memory(struct wt_machine *m)
{
    m->fault = (struct wt_fault){.kind = WT_FAULT_HOST,
                                 .time = m->time,
                                 .text = "the host has no memory left for the trace"};
}

/* Keeps an access for the line that follows. */
static void note_access(void *context, struct wt_machine *m, const struct wt_observed *access)
{
    struct traced *t = context;
    struct wt_observed *grown =
        wt_array_grow(t->access, &t->access_capacity, t->access_count + 1, sizeof *grown);
    if (grown)
        t->access = grown;
    if (grown)
        grown[t->access_count++] = *access;
    else
        no_memory(m);
}

static void pass_over(void *context, struct wt_machine *m, const struct wt_observed *access)
{
}

/* The addresses of the lanes in order: "0x100 0x104", or, of at least three that lie equally far
 * apart, "0x100 +4", or, of all that are one, "0x100". */
static void print_addresses(FILE *out, const struct wt_observed *a)
{
    const unsigned first = wt_lanes_lowest(a->lanes);
    const wt_lanes others = a->lanes & ~wt_lane_bit(first);
    const uint64_t step = others ? a->at[wt_lanes_lowest(others)] - a->at[first] : 0;
    uint64_t last = a->at[first];
    bool even = wt_lanes_count(a->lanes) != 2 || !step;
    for (wt_lanes left = others; left && even; left &= left - 1) {
        const uint64_t at = a->at[wt_lanes_lowest(left)];
        even = at - last == step;
        last = at;
    }
    fprintf(out, " 0x%" PRIx64, a->at[first]);
    if (even && step)
        fprintf(out, " %+" PRId64, (int64_t)step);
    for (wt_lanes left = even ? 0 : others; left; left &= left - 1)
        fprintf(out, " 0x%" PRIx64, a->at[wt_lanes_lowest(left)]);
}

static const char *const orders[] = {
    "no order", "relaxed", "acquire", "release", "acquire and release", "sequential"};
static const char *const scopes[] = {"wave", "group", "core", "device", "system"};

/* "lane 3", "lanes 0-3,8" */
static void print_lanes(const struct traced *t, wt_lanes lanes)
{
    char text[WT_LANES_TEXT];
    wt_lanes_text(lanes, text, sizeof text);
    fprintf(t->out, "%s%s %s", t->device->family->words.lane, wt_plural(wt_lanes_count(lanes)),
            text);
}

static void print_access(const struct traced *t, const struct wt_observed *a)
{
    const struct wt_family_words *words = &t->device->family->words;
    const char *const spaces[] = {[WT_OBSERVED_GLOBAL] = "global",
                                  [WT_OBSERVED_GROUP] = words->local,
                                  [WT_OBSERVED_PRIVATE] = "private",
                                  [WT_OBSERVED_CONSTANT] = "constant",
                                  [WT_OBSERVED_DEVICE] = "device"};
    static const char *const kinds[] = {
        [WT_WATCH_READ] = "load", [WT_WATCH_WRITE] = "store", [WT_WATCH_ACCESS] = "atomic"};
    fprintf(t->out, "%10s %s", "", kinds[a->kind]);
    if (a->order)
        fprintf(t->out, " (%s, %s)", orders[a->order], scopes[a->scope]);
    fprintf(t->out, " of %u byte%s, %s, ", a->size, wt_plural(a->size), spaces[a->space]);
    if (a->is_scalar)
        fputs(words->wave, t->out);
    else
        print_lanes(t, a->lanes);
    fputc(':', t->out);
    print_addresses(t->out, a);
    fputc('\n', t->out);
}

/* "lanes 0-3 arrive at barrier 1 of the group" */
static void print_at_barrier(const struct traced *t, const struct wt_observed_event *e,
                             const char *verb)
{
    static const char *const whose[] = {[WT_BARRIER_GROUP] = "the group",
                                        [WT_BARRIER_CORE] = "the core",
                                        [WT_BARRIER_CORES] = "several cores",
                                        [WT_BARRIER_DEVICE] = "the device"};
    print_lanes(t, e->lanes);
    fprintf(t->out, " %s ", verb);
    if (e->barrier == WT_BARRIER_LANES)
        fputs("a barrier of their own", t->out);
    else
        fprintf(t->out, "barrier %u of %s", e->number, whose[e->barrier]);
}

static void print_wait(FILE *out, const struct wt_observed_event *e)
{
    static const char *const names[] = {"vmcnt", "expcnt", "lgkmcnt", "vscnt"};
    fputs("waits for", out);
    for (unsigned i = 0; i < WT_COUNTS; i++)
        if (e->count[i] != WT_NO_COUNT)
            fprintf(out, " %s(%u)", names[i], e->count[i]);
}

static void print_named(const struct traced *t, const struct wt_observed_event *e, const char *verb)
{
    print_lanes(t, e->lanes);
    fprintf(t->out, " %s ", verb);
    print_lanes(t, e->named);
}

static void print_event(const struct traced *t, const struct wt_observed_event *e)
{
    fprintf(t->out, "%10s ", "");
    if (e->kind == WT_SEEN_GROUP || e->kind == WT_SEEN_GROUP_END)
        fprintf(t->out, "group %" PRIu64 " of ", wt_watch_home_group(e->home));
    if (!e->id)
        fprintf(t->out, "dispatch %" PRIu64, e->launch);
    else
        fprintf(t->out, "core %u %s %u", e->wave / t->waves_per_core, t->device->family->words.wave,
                e->wave % t->waves_per_core);
    fputs(e->id ? ": " : " ", t->out);
    switch (e->kind) {
    case WT_SEEN_WAVE:
        fputs("begins with ", t->out);
        print_lanes(t, e->lanes);
        break;
    case WT_SEEN_ARRIVE:
        print_at_barrier(t, e, "arrive at");
        break;
    case WT_SEEN_RELEASE:
        print_at_barrier(t, e, "leave");
        break;
    case WT_SEEN_CALL:
    case WT_SEEN_RETURN:
        break; /* their instructions say it */
    case WT_SEEN_FENCE:
        fputs("fence of ", t->out);
        print_lanes(t, e->lanes);
        fprintf(t->out, ", %s, %s", orders[e->order], scopes[e->scope]);
        break;
    case WT_SEEN_WAIT:
        print_wait(t->out, e);
        break;
    case WT_SEEN_CACHE:
        fprintf(t->out, "the scalar cache %s",
                e->number & WT_CACHE_WRITES ? "writes back" : "forgets what it holds");
        break;
    case WT_SEEN_ALONE:
        fputs("is alone on its core", t->out);
        break;
    case WT_SEEN_TOGETHER:
        print_named(t, e, "are to execute it with");
        break;
    case WT_SEEN_EXCHANGE:
        print_named(t, e, "take values, without their taking part, of");
        break;
    case WT_SEEN_COPY:
    case WT_SEEN_COMMIT:
        print_lanes(t, e->lanes);
        fputs(e->kind == WT_SEEN_COPY ? " begin to copy"
              : wt_copies_phase(e)    ? " leave the end of copies to a barrier"
                                      : " end a group of copies",
              t->out);
        break;
    case WT_SEEN_COPIED:
        print_lanes(t, e->lanes);
        fputs(wt_copies_unseen(e) ? " end a phase" : " wait for copies", t->out);
        if (wt_copies_phase(e))
            fputs(" at a barrier", t->out);
        else if (e->number != WT_ALL_COPIES)
            fprintf(t->out, ", but for %u groups", e->number & WT_COPIES_NUMBER);
        break;
    case WT_SEEN_DEADLOCK:
        fputs("deadlocked", t->out);
        break;
    case WT_SEEN_LAUNCH:
    case WT_SEEN_GROUP:
        fputs("begins", t->out);
        break;
    case WT_SEEN_WAVE_END:
    case WT_SEEN_GROUP_END:
    case WT_SEEN_LAUNCH_END:
        fputs("ends", t->out);
        break;
    }
    fputc('\n', t->out);
}

/* Keeps an event for the line of the instruction that does it. */
static void note_event(void *context, struct wt_machine *m, const struct wt_observed_event *event)
{
    struct traced *t = context;
    if (t->attaches) {
        print_event(t, event);
        return;
    }
    struct wt_observed_event *grown =
        wt_array_grow(t->event, &t->event_capacity, t->event_count + 1, sizeof *grown);
    if (grown)
        t->event = grown;
    if (grown)
        grown[t->event_count++] = *event;
    else
        no_memory(m);
}

static void print_issue(void *context, const struct wt_trace *issue)
{
    struct traced *t = context;
    const size_t accesses = t->access_count, events = t->event_count;
    const struct wt_family *family = t->device->family;
    const unsigned core = issue->wave / t->waves_per_core, wave = issue->wave % t->waves_per_core;
    const uint64_t pc = issue->pc - bias_at(t, issue->pc);
    t->access_count = t->event_count = 0;
    if (!wanted(t, issue->pc, pc, core, wave))
        return;
    char mask[40], place[200], bytes[80];
    if (family->words.mask_digits)
        snprintf(mask, sizeof mask, "0x%0*" PRIx64, (int)family->words.mask_digits,
                 (uint64_t)issue->mask);
    else
        wt_mask_text(issue->mask, mask, sizeof mask);
    function_text(t, issue->pc, place, sizeof place);
    wt_trace_bytes(issue, bytes, sizeof bytes);
    fprintf(t->out, "%10" PRIu64 " core %u %s %u %s %08" PRIx64 "%s: %s %s", issue->time, core,
            family->words.wave, wave, mask, pc, place, bytes, issue->text);
    fprintf(t->out, issue->effect[0] ? "  # %s\n" : "\n", issue->effect);
    for (size_t i = 0; i < accesses; i++)
        print_access(t, &t->access[i]);
    for (size_t i = 0; i < events; i++)
        print_event(t, &t->event[i]);
}

static void observe(struct traced *t, struct wt_machine *m)
{
    if (!wt_observe(m, t->accesses ? note_access : pass_over, t, NULL, 0)) {
        no_memory(m);
        return;
    }
    t->attaches = true;
    if (t->events)
        wt_groups_observe(m, note_event);
    t->attaches = false;
}

/* Runs untraced where no issue is to be printed. */
static enum wt_run run_some(void *context, struct wt_emulated *device, uint64_t issues)
{
    struct traced *t = context;
    struct wt_machine *m = device->machine;
    const struct filter *f = &t->filter;
    if (m->time < f->from) {
        const uint64_t before = f->from - m->time;
        return m->ops->run(m, before < issues ? before : issues);
    }
    if (m->time > f->to) {
        wt_observe(m, NULL, NULL, NULL, 0);
        return m->ops->run(m, issues);
    }
    const uint64_t left = f->to - m->time;
    if ((t->accesses || t->events) && !m->observer)
        observe(t, m);
    return m->ops->run_traced(m, left < issues ? left + 1 : issues, print_issue, t);
}

/* Refuses filters that can never match. */
static enum wt_status check_filter(const struct traced *t, struct wt_error *err)
{
    const struct filter *f = &t->filter;
    const struct wt_family *family = t->device->family;
    const unsigned waves = t->waves_per_core, cores = t->device->machine->waves / waves;
    if (f->from > f->to)
        return wt_fail(err, WT_INVALID,
                       "--from=%" PRIu64 " is after --to=%" PRIu64 ": there is nothing to trace",
                       f->from, f->to);
    if (f->warp && least_of(f->warp) >= waves)
        return wt_fail(err, WT_INVALID, "--warp=%s: a %s has %ss 0 to %u", f->warp,
                       family->words.core, family->words.wave, waves - 1);
    if (f->core && least_of(f->core) >= cores)
        return wt_fail(err, WT_INVALID, "--core=%s: the device has %ss 0 to %u", f->core,
                       family->words.core, cores - 1);
    return WT_OK;
}

static enum wt_status open_output(struct traced *t, struct wt_error *err)
{
    t->out = t->output ? fopen(t->output, "w") : stdout;
    return t->out ? WT_OK
                  : wt_fail(err, WT_IO, "%s: cannot create: %s", t->output, strerror(errno));
}

/* Closes the trace; returns the status, or that of a trace that could not be written. */
static int close_output(struct traced *t, int status)
{
    struct wt_error err;
    bool broken = fflush(t->out) || ferror(t->out);
    if (t->output)
        broken = fclose(t->out) || broken;
    if (!broken)
        return status;
    wt_fail(&err, WT_IO, "the trace could not be written: %s", strerror(errno));
    return wt_subcommand_fail(&cli_trace, &err);
}

static int trace_program(struct traced *t, const char *path)
{
    struct wt_emulated device;
    struct wt_error err;
    if (wt_session_open_device(&device, &t->drive.options, path, &err) != WT_OK)
        return wt_subcommand_fail(&cli_trace, &err);
    int status;
    t->device = &device;
    t->waves_per_core = device.machine->groups.waves_per_core;
    if (check_filter(t, &err) != WT_OK || resolve_range(t, &err) != WT_OK ||
        open_output(t, &err) != WT_OK) {
        status = wt_subcommand_fail(&cli_trace, &err);
    } else {
        if (!t->output)
            device.console = stderr;
        t->drive.run = run_some;
        t->drive.context = t;
        status = close_output(t, wt_session_drive(&cli_trace, &t->drive, &device));
    }
    wt_emulated_close(&device);
    free(t->access);
    free(t->event);
    return status;
}

static int run(int argc, char **argv)
{
    struct traced trace = {.filter.to = UINT64_MAX};
    int status =
        wt_subcommand_parse(&cli_trace, argc, argv, &trace, &trace.drive.options, 1, false);
    if (status == WT_SUBCOMMAND_GO) {
        status = trace_program(&trace, argv[optind]);
    }
    wt_session_drive_free(&trace.drive);
    return status;
}

const struct wt_subcommand cli_trace = {
    .name = "trace",
    .operands = "PROGRAM",
    .summary =
        "Runs PROGRAM and prints one line for each issued instruction. The line has the issue\n"
        "time, core, warp, thread mask, address, instruction, disassembly and, after '#', what\n"
        "was written. The trace goes to stdout and the program's console to\n"
        "stderr; with --output the console goes to stdout.",
    .options = options,
    .device = true,
    .notes = WT_DRIVE_NOTES,
    .run = run,
};
