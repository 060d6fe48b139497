/* `wavetrap explore`: runs a program under many schedules, and gathers the distinct outcomes. */
#include "cli/explore.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"
#include "explore/systematic.h"
#include "session/exec_file.h"
#include "session/kernel.h"

enum {
    RUNS = 100,
    MOST_RUNS = 100000000,
    MOST_JOBS = 1024,
    SEVERAL = 113, /* exit status: there are several outcomes */
};

/* ---- options ---- */

static enum wt_status set_number(const char *value, uint64_t most, const char *what, uint64_t *to,
                                 struct wt_error *err)
{
    const enum wt_status status = wt_parse_number(value, to, err);
    if (status || (*to >= 1 && *to <= most))
        return status;
    return wt_fail(err, WT_INVALID, "%s are 1 to %" PRIu64 ", not %s", what, most, value);
}

static enum wt_status set_runs(void *context, const char *value, struct wt_error *err)
{
    return set_number(value, MOST_RUNS, "runs", &((struct explore *)context)->runs, err);
}

static enum wt_status set_jobs(void *context, const char *value, struct wt_error *err)
{
    return set_number(value, MOST_JOBS, "processes", &((struct explore *)context)->jobs, err);
}

static enum wt_status set_systematic(void *context, const char *value, struct wt_error *err)
{
    struct explore *x = context;
    uint64_t preemptions = EXPLORE_UNBOUNDED;
    if (value && (wt_parse_number(value, &preemptions, err) || preemptions > 1000))
        return wt_fail(err, WT_INVALID, "the bound of preemptions is 0 to 1000, not %s", value);
    x->systematic = true;
    x->preemptions = (uint32_t)preemptions;
    return WT_OK;
}

static const struct wt_option options[] = {
    {"runs", 0, "N",
     "run under N schedules: rr:64, rr:1, lockstep, random:1, … (default: 100);\n"
     "with --systematic: leave the search after N runs (default: never)",
     WT_OPTION_SET(set_runs)},
    {"systematic", 0, "[=N]",
     "of a kernel: all schedules, up to the order of instructions that do not\n"
     "conflict; N: those with at most N preemptions",
     WT_OPTION_SET(set_systematic)},
    {"jobs", 0, "N",
     "run N processes at a time (default: one for each CPU; with\n"
     "--systematic: one)",
     WT_OPTION_SET(set_jobs)},
    {"state", 0, "FILE",
     "keep the outcomes in FILE; the same command continues from there, also\n"
     "after it was killed",
     WT_OPTION_TEXT(struct explore, state)},
    {"save", 0, "PREFIX",
     "with --systematic: write the choices of outcome N to PREFIXN.choices\n"
     "(default: outcome-)",
     WT_OPTION_TEXT(struct explore, save)},
    {"max-issues", 0, "N", "of a kernel: end a run after N issues; its outcome has status 124",
     WT_OPTION_SET(wt_session_set_max_issues)},
    {"timeout", 0, "SECONDS", "of a host program: end a run after that time, with status 124",
     WT_OPTION_PART(wt_session_seconds, struct explore, timeout)},
    WT_KERNEL_OPTIONS,
    WT_CHECK_OPTIONS(struct explore, drive.check),
    {0},
};

/* ---- the command that repeats a run ---- */

/* Whether a word of the command line is an option of `explore` that `run` and `exec` do not have;
 * *value: the next word is its value. */
static bool is_own(const char *word, bool *value)
{
    static const struct {
        const char *name;
        bool value;
    } own[] = {{"--runs", true},
               {"--systematic", false},
               {"--jobs", true},
               {"--state", true},
               {"--save", true}};
    const size_t length = strcspn(word, "=");
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (length > 2 && strncmp(word, own[i].name, length) == 0) {
            *value = own[i].value && !word[length];
            return true;
        }
    return false;
}

/* The words of the command line that a run's has, too. */
static enum wt_status take_words(struct explore *x, int argc, char **argv, struct wt_error *err)
{
    size_t size;
    FILE *out = open_memstream(&x->words, &size);
    for (int i = 1; out && i < argc; i++) {
        bool value = false;
        if (&argv[i] < x->program && is_own(argv[i], &value))
            i += value;
        else
            cli_print_word(out, argv[i]);
    }
    return out && !fclose(out) ? WT_OK : wt_fail(err, WT_NO_MEMORY, "no host memory");
}

/* ---- what was found ---- */

static void print_outcome(const struct explore *x, size_t place)
{
    const struct explore_counted *one = &x->outcomes.list[place];
    const struct explore_outcome *o = &one->outcome;
    char schedule[PATH_MAX + 8] = "file:";
    if (x->systematic)
        explore_file(x, place + 1, schedule + 5, sizeof schedule - 5);
    else
        explore_schedule(one->first, schedule, sizeof schedule);
    printf("%8" PRIu64 "  status %d", one->count, o->status);
    if (o->output)
        printf(", output %08x", (unsigned)(o->output >> 32));
    if (o->memory)
        printf(", memory %08x", (unsigned)(o->memory >> 32));
    printf(":  wavetrap %s", x->is_host ? "exec" : "run");
    char option[sizeof schedule + 16];
    snprintf(option, sizeof option, "--schedule=%s", schedule);
    cli_print_word(stdout, option);
    printf("%s\n", x->words);
    for (const char *line = o->found; *line;) {
        const size_t length = strcspn(line, "\n");
        printf("%10s%.*s\n", "", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

static int print_all(struct explore *x)
{
    const struct explore_outcomes *all = &x->outcomes;
    uint64_t runs = 0;
    explore_outcomes_sort(&x->outcomes);
    for (size_t i = 0; i < all->count; i++)
        runs += all->list[i].count;
    printf("%" PRIu64 " schedule%s, ", runs, wt_plural(runs));
    if (all->count == 1)
        fputs("one outcome", stdout);
    else
        printf("%zu outcomes", all->count);
    if (x->systematic && x->complete && x->preemptions != EXPLORE_UNBOUNDED)
        printf("; no other one has at most %" PRIu32 " preemption%s", x->preemptions,
               wt_plural(x->preemptions));
    else if (x->systematic && x->complete)
        fputs("; no schedule has another one", stdout);
    else if (x->systematic)
        fputs("; the search was left before its end", stdout);
    fputc('\n', stdout);
    for (size_t i = 0; i < all->count; i++)
        print_outcome(x, i);
    return all->count == 1 ? all->list[0].outcome.status : SEVERAL;
}

/* ---- the command ---- */

static enum wt_status refuse(const struct explore *x, struct wt_error *err)
{
    const struct wt_session_options *o = &x->drive.options;
    char path[PATH_MAX];
    if (x->is_host && !exec_file_find(x->program[0], path, sizeof path))
        return wt_fail(err, WT_IO, "%s: %s", x->program[0],
                       strerror(access(x->program[0], F_OK) ? ENOENT : EACCES));
    if (o->schedule_text)
        return wt_fail(err, WT_INVALID, "--schedule: explore chooses the schedules itself");
    if (x->systematic && x->is_host)
        return wt_fail(err, WT_INVALID,
                       "--systematic is for kernels, as 'run' takes them; %s is a host program",
                       x->program[0]);
    if (x->share && (x->systematic || x->jobs))
        return wt_fail(err, WT_INVALID,
                       "--systematic and --jobs are for one machine; mpirun's -n says how many "
                       "processes there are");
    if (x->save && !x->systematic)
        return wt_fail(err, WT_INVALID, "--save is for --systematic");
    if (!x->is_host && o->gpu_count > 1)
        return wt_fail(err, WT_INVALID, "a kernel runs on one GPU: give one --gpu");
    if (!x->is_host && x->program[1])
        return wt_fail(err, WT_INVALID, "a kernel has its arguments by --arg: '%s' is too much",
                       x->program[1]);
    if (x->is_host ? x->drive.max_issues != 0 || o->device.argument_count || o->device.load_count ||
                         o->device.kernel.given || o->device.base_given || o->device.console_slots
                   : x->timeout > 0)
        return wt_fail(err, WT_INVALID, "%s",
                       x->is_host ? "a host program has no --arg, --base, --load, --slots, "
                                    "--max-issues, --kernel, --grid or --block: these are for "
                                    "kernels"
                                  : "--timeout is for host programs; --max-issues ends a kernel");
    return wt_report_check_complete((struct wt_report_check *)&x->drive.check, err);
}

static void set_defaults(struct explore *x)
{
    cpu_set_t cpus;
    x->runs = x->runs || x->systematic ? x->runs : RUNS;
    if (!x->jobs && x->systematic)
        x->jobs = 1;
    if (!x->jobs)
        x->jobs = sched_getaffinity(0, sizeof cpus, &cpus) ? 1 : (uint64_t)CPU_COUNT(&cpus);
    x->save = x->save ? x->save : "outcome-";
}

int explore_shared(int argc, char **argv, const struct explore_share *share)
{
    struct explore x = {.command = &cli_explore, .share = share, .preemptions = EXPLORE_UNBOUNDED};
    struct wt_error err;
    int status = wt_subcommand_parse(&cli_explore, argc, argv, &x, &x.drive.options, 1, true);
    if (status == WT_SUBCOMMAND_GO) {
        x.program = argv + optind;
        x.is_host = !wt_emulated_takes(&x.drive.options.device, x.program[0]);
        status = WT_EXIT_FAILED;
        enum wt_status done = refuse(&x, &err);
        if (!done) {
            set_defaults(&x);
            done = take_words(&x, argc, argv, &err);
        }
        if (!done)
            done = x.systematic ? explore_search(&x, &err) : explore_runs(&x, &err);
        status = done                ? wt_subcommand_fail(&cli_explore, &err)
                 : explore_works(&x) ? 0
                                     : print_all(&x);
    }
    explore_outcomes_free(&x.outcomes);
    free(x.words);
    wt_session_drive_free(&x.drive);
    return status;
}

static int explore(int argc, char **argv)
{
    return explore_shared(argc, argv, NULL);
}

const struct wt_subcommand cli_explore = {
    .name = "explore",
    .operands = "PROGRAM [ARGUMENT]…",
    .summary = "Runs PROGRAM under many schedules and lists its distinct outcomes. PROGRAM is a "
               "kernel\nas 'run' takes it, or a host program; each outcome has the command that "
               "repeats it.",
    .options = options,
    .device = true,
    .many_gpus = true,
    .program = true,
    .notes =
        "An outcome is the exit status, what goes to stdout, a kernel's memory (the buffers of "
        "its\n"
        "arguments, variables of its module; on Vortex what the program may write), faults and\n"
        "findings of --check. That all runs have one outcome does not mean that there is no race.\n"
        "The exit status is that of the program where there is one outcome, 113 where there are\n"
        "several, 125 where wavetrap itself has failed.\n",
    .run = explore,
};
