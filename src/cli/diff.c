/* `wavetrap diff`: where two runs of a kernel begin to differ. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/diff_ranges.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/timeline.h"
#include "explore/trail.h"
#include "session/drive.h"
#include "target/core_file.h"
#include "target/history.h"

enum { DIFFERENT = 1, MOST_WORDS = 256 };

/* One of the two runs. */
struct diff_side {
    char *words;            /* the command line, cut into words */
    char *word[MOST_WORDS]; /* "run", then the rest; NULL ends them */
    int count;
    const char *rest; /* rest of the command line, as it was given: what is behind "wavetrap run" */
    const char *core; /* a core file, whose recorded run it is; NULL: none */
    struct wt_core_file *core_file;
    struct wt_session_drive drive;
    struct wt_emulated device; /* open while it has a family */
    struct explore_trail trail;
};

struct diff_options {
    bool places;
};

/* ---- command lines ---- */

/* Takes a word as a shell does: quotes, backslashes. Moves *from behind it; false: a quote does not
 * end. */
static bool take_word(const char **from, char **to)
{
    char quote = 0;
    const char *c = *from;
    for (; *c && (quote || !strchr(" \t\n", *c)); c++) {
        if (quote ? *c == quote : *c == '\'' || *c == '"')
            quote = quote ? 0 : *c;
        else if (*c == '\\' && quote != '\'' && c[1])
            *(*to)++ = *++c;
        else
            *(*to)++ = *c;
    }
    *(*to)++ = 0;
    *from = c;
    return !quote;
}

static enum wt_status split(struct diff_side *s, const char *line, struct wt_error *err)
{
    static char run[] = "run";
    s->word[s->count++] = run;
    s->rest = line = wt_skip_blanks(line);
    s->words = malloc(2 * strlen(line) + 2);
    if (!s->words)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    char *to = s->words;
    for (bool first = true; *line; line = wt_skip_blanks(line)) {
        char *word = to;
        if (!take_word(&line, &to))
            return wt_fail(err, WT_INVALID, "a quote does not end: %.200s", s->rest);
        if (first && (strcmp(word, "wavetrap") == 0 || strcmp(word, "run") == 0)) {
            first = strcmp(word, "wavetrap") == 0;
            s->rest = wt_skip_blanks(line);
            continue;
        }
        first = false;
        if (s->count + 1 >= MOST_WORDS)
            return wt_fail(err, WT_INVALID, "the command line has too many words: %.200s", s->rest);
        s->word[s->count++] = word;
    }
    return WT_OK;
}

/* Takes "debug --core FILE". */
static enum wt_status take_core(struct diff_side *s, struct wt_error *err)
{
    if (s->count != 4 || strcmp(s->word[2], "--core") != 0)
        return wt_fail(err, WT_INVALID, "of 'debug' only 'debug --core FILE' is a run: %.200s",
                       s->rest);
    s->core = s->word[3];
    return WT_OK;
}

/* ---- runs ---- */

/* Opens a core file, at the beginning of its recorded run. */
static enum wt_status open_core(struct diff_side *s, const char **program, struct wt_error *err)
{
    enum wt_status status = wt_core_file_open(s->core, &s->core_file, err);
    s->drive.options.device.history_memory = WT_TIMELINE_BUDGET_DEFAULT;
    if (!status)
        status = wt_core_file_load(&s->device, &s->drive.options.device, s->core_file, err);
    if (status)
        return status;
    const struct wt_timeline *t = s->device.timeline;
    *program = wt_core_file_program(s->core_file);
    if (wt_timeline_start(t) == wt_timeline_end(t))
        return wt_fail(
            err, WT_INVALID,
            "%s has no recorded run: --core-history=all of 'run' and 'exec' puts it there",
            s->core);
    s->drive.max_issues = wt_timeline_end(t);
    return wt_timeline_goto(s->device.timeline, wt_timeline_start(t), err);
}

static bool item_of(const void *device, uint32_t slot, unsigned lane, uint64_t item[3])
{
    return wt_emulated_work_item(device, slot, lane, item);
}

static enum wt_status run_side(struct diff_side *s, const char **program, struct wt_error *err)
{
    enum { SLICE = 1 << 20 };
    struct wt_machine *m;
    enum wt_run run = WT_RUN_BUDGET;
    const enum wt_status status =
        s->core ? open_core(s, program, err)
                : wt_session_open_device(&s->device, &s->drive.options, *program, err);
    if (status)
        return status;
    m = s->device.machine;
    s->device.console = NULL;
    s->trail.item = item_of;
    s->trail.context = &s->device;
    if (!explore_trail_begin(&s->trail, m))
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    while (run != WT_RUN_ENDED && run != WT_RUN_FAULT && run != WT_RUN_HALTED &&
           !(s->drive.max_issues && m->time >= s->drive.max_issues) && !s->trail.failed &&
           !s->trail.too_many) {
        const uint64_t left = s->drive.max_issues - m->time;
        run = wt_emulated_run(&s->device, s->drive.max_issues && left < SLICE ? left : SLICE);
    }
    explore_trail_end(&s->trail);
    if (s->trail.failed)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    if (s->trail.too_many)
        return wt_fail(err, WT_UNSUPPORTED,
                       "the run makes more than %d accesses of lanes: --max-issues=N ends it "
                       "earlier",
                       EXPLORE_MARKS);
    return WT_OK;
}

/* ---- what differs ---- */

static void print_value(const struct explore_mark *m)
{
    if (m->size <= sizeof m->value || (m->size <= sizeof m->bytes && !m->bytes[1]))
        printf("value 0x%" PRIx64, m->bytes[0]);
    else if (m->size <= sizeof m->bytes)
        printf("value 0x%" PRIx64 "%016" PRIx64, m->bytes[1], m->bytes[0]);
    else
        printf("a value with the hash 0x%" PRIx64, m->value);
}

static void print_mark(struct diff_side *s, size_t mark, const char *before)
{
    char place[512];
    const struct explore_mark *m = &s->trail.mark[mark];
    const struct wt_family_words *words = &s->device.family->words;
    wt_emulated_describe(&s->device, m->pc, place, sizeof place);
    printf("%s%s of %u bytes at 0x%" PRIx64 ", ", before,
           m->loads && m->stores ? "atomic"
           : m->loads            ? "load"
                                 : "store",
           m->size, m->addr);
    print_value(m);
    printf(", issue time %" PRIu64 "\n", m->time);
    printf("%*s", (int)strlen(before) + 2, "");
    if (m->has_group)
        printf("group (%" PRIu32 ",%" PRIu32 ",%" PRIu32 "), %s %u", m->group[0], m->group[1],
               m->group[2], words->wave, m->index);
    else
        printf("%s in slot %" PRIu32, words->wave, m->slot);
    printf(", %s %u, at %s\n", words->lane, m->lane, place);
}

static void print_both(struct diff_side side[2], const size_t mark[2])
{
    for (unsigned i = 0; i < 2; i++) {
        char before[32];
        snprintf(before, sizeof before, "  run %u: ", i + 1);
        if (mark[i] == EXPLORE_NONE)
            printf("%sthe wave makes no such access\n", before);
        else
            print_mark(&side[i], mark[i], before);
    }
}

/* The two accesses as run 1 has them. One of them may be in one run only. */
static void print_exchange(struct diff_side side[2], const struct explore_difference *d)
{
    fputs("Two accesses happened in another order. In run 1:\n", stdout);
    print_mark(&side[0], d->before[0], "  ");
    if (d->after[0] != EXPLORE_NONE) {
        print_mark(&side[0], d->after[0], "  then ");
    } else {
        fputs("  and never the one that in run 2 comes before it:\n", stdout);
        print_mark(&side[1], d->after[1], "  ");
    }
    if (d->before[1] == EXPLORE_NONE)
        fputs("  Run 2 never makes the first one.\n", stdout);
}

/* The command that goes to the first access of a pair, in one of the runs. */
static void print_debug(struct diff_side side[2], const size_t mark[2])
{
    for (unsigned i = 0; i < 2; i++)
        if (mark[i] != EXPLORE_NONE)
            printf("  run %u: wavetrap %s -ex 'goto %" PRIu64 "' %s\n", i + 1,
                   side[i].core ? "debug" : "debug -ex run", side[i].trail.mark[mark[i]].time,
                   side[i].core ? side[i].rest + strlen("debug ") : side[i].rest);
}

/* Whether the first store that differs does so in its page alone, in two recorded programs. */
static bool is_elsewhere(const struct diff_side side[2], const size_t mark[2])
{
    enum { PAGE = 4096 };
    if (!side[0].core || !side[1].core || mark[0] == EXPLORE_NONE || mark[1] == EXPLORE_NONE)
        return false;
    const struct explore_mark *a = &side[0].trail.mark[mark[0]], *b = &side[1].trail.mark[mark[1]];
    return a->pc % PAGE == b->pc % PAGE && a->size == b->size && a->value == b->value &&
           a->addr != b->addr && a->addr % PAGE == b->addr % PAGE;
}

/* Which stores are compared: by address, in runs of the same code or not; or by place. */
enum printed_as { OF_ONE_CODE, OF_TWO_CODES, OF_PLACES };

static int print_difference(struct diff_side side[2], const struct explore_difference *d,
                            enum printed_as as)
{
    const bool stores = d->store[0] != EXPLORE_NONE || d->store[1] != EXPLORE_NONE;
    const size_t *shown = d->load[0] != EXPLORE_NONE ? d->load : stores ? d->store : d->final;
    if (!stores && d->final[0] == EXPLORE_NONE && d->final[1] == EXPLORE_NONE) {
        printf("No store differs: %zu accesses of lanes in run 1, %zu in run 2.\n",
               side[0].trail.count, side[1].trail.count);
        return 0;
    }
    fputs(stores ? "The first store that differs:\n"
          : as == OF_PLACES
              ? "Each work-item has stored the same values; of a place these are the last stores:\n"
              : "All stores are the same; of an address these are the last ones:\n",
          stdout);
    print_both(side, stores ? d->store : d->final);
    if (stores && is_elsewhere(side, d->store)) {
        fputs("The two processes have the same memory at different addresses here, so that what "
              "comes after is not compared.\n",
              stdout);
        return DIFFERENT;
    }
    if (d->load[0] != EXPLORE_NONE) {
        fputs("The first load that has another value:\n", stdout);
        print_both(side, d->load);
    }
    if (d->before[0] != EXPLORE_NONE)
        print_exchange(side, d);
    else if (as == OF_ONE_CODE)
        fputs(
            "No two accesses of both runs happened in another order: their memory was another one "
            "at the beginning.\n",
            stdout);
    fputs("To go there:\n", stdout);
    print_debug(side, shown);
    return DIFFERENT;
}

/* Stores of two programs, or GPUs, beside those that are compared. */
static void print_left_out(struct diff_side side[2], const struct explore_left_out *l)
{
    static const char *const what[] = {
        "stores to memory of groups",
        "stores to memory that is neither an argument nor a variable of both",
        "stores of more than 16 bytes", "stores that the same work-item has overwritten"};
    const uint64_t *const count[] = {l->groups, l->elsewhere, l->wide, l->overwritten};
    for (unsigned i = 0; i < sizeof what / sizeof *what; i++)
        if (count[i][0] || count[i][1])
            printf("Not compared: %s (%" PRIu64 " in run 1, %" PRIu64 " in run 2).\n", what[i],
                   count[i][0], count[i][1]);
    for (unsigned i = 0; i < 2; i++)
        if (l->elsewhere[i]) {
            printf("  the first of these in run %u:\n", i + 1);
            print_mark(&side[i], l->first[i], "    ");
        }
    fputs("Not compared: loads, and the order of accesses: the instructions have nothing in "
          "common.\n",
          stdout);
}

/* Of two GPUs: by work-items, and places in arguments and variables. */
static enum wt_status compare_ranges(struct diff_side side[2], int *status, struct wt_error *err)
{
    struct wt_emulated *const device[2] = {&side[0].device, &side[1].device};
    struct explore_difference d;
    struct explore_left_out left_out;
    struct explore_range *range = NULL;
    size_t ranges = 0;
    const enum wt_status found = cli_diff_ranges(device, &range, &ranges, err);
    if (found)
        return found;
    const bool good =
        explore_compare_ranges(&side[0].trail, &side[1].trail, range, ranges, &d, &left_out);
    free(range);
    if (!good)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    *status = print_difference(side, &d, OF_PLACES);
    print_left_out(side, &left_out);
    return WT_OK;
}

static enum wt_status compare(struct diff_side side[2], const char **program, bool places,
                              int *status, struct wt_error *err)
{
    struct explore_difference d;
    for (unsigned i = 0; i < 2; i++) {
        const enum wt_status done = run_side(&side[i], &program[i], err);
        if (done)
            return wt_fail_in(err, "run %u", i + 1), done;
    }
    const bool same_code = strcmp(program[0], program[1]) == 0;
    if (places || side[0].device.family != side[1].device.family)
        return compare_ranges(side, status, err);
    if (!explore_compare(&side[0].trail, &side[1].trail, same_code, &d))
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    *status = print_difference(side, &d, same_code ? OF_ONE_CODE : OF_TWO_CODES);
    return WT_OK;
}

/* ---- the command ---- */

static int diff_lines(struct diff_side *side, char *const *line, bool places)
{
    struct wt_error err;
    const char *program[2] = {"", ""};
    int status = WT_SUBCOMMAND_GO;
    for (unsigned i = 0; i < 2; i++) {
        if (split(&side[i], line[i], &err) != WT_OK)
            return wt_subcommand_fail(&cli_diff, &err);
        if (side[i].count > 1 && strcmp(side[i].word[1], "debug") == 0) {
            if (take_core(&side[i], &err) != WT_OK)
                return wt_subcommand_fail(&cli_diff, &err);
            continue;
        }
        status = wt_subcommand_parse(&cli_run, side[i].count, side[i].word, &side[i].drive,
                                     &side[i].drive.options, 1, false);
        if (status != WT_SUBCOMMAND_GO)
            return status;
        program[i] = side[i].word[optind];
    }
    return compare(side, program, places, &status, &err) == WT_OK
               ? status
               : wt_subcommand_fail(&cli_diff, &err);
}

static int diff(int argc, char **argv)
{
    struct diff_options asked = {.places = false};
    int status = wt_subcommand_parse(&cli_diff, argc, argv, &asked, NULL, 2, false);
    struct diff_side *side = calloc(2, sizeof *side);
    struct wt_error err;
    if (status == WT_SUBCOMMAND_GO && !side) {
        wt_fail(&err, WT_NO_MEMORY, "no host memory");
        status = wt_subcommand_fail(&cli_diff, &err);
    }
    if (status == WT_SUBCOMMAND_GO)
        status = diff_lines(side, argv + optind, asked.places);
    for (unsigned i = 0; side && i < 2; i++) {
        explore_trail_free(&side[i].trail);
        if (side[i].device.family)
            wt_emulated_close(&side[i].device);
        wt_session_drive_free(&side[i].drive);
        wt_core_file_free(side[i].core_file);
        free(side[i].words);
    }
    free(side);
    return status;
}

static const struct wt_option options[] = {
    {"places", 0, NULL, "compare what each work-item has stored last to a place, not each store",
     WT_OPTION_FLAG(struct diff_options, places)},
    {0}};

const struct wt_subcommand cli_diff = {
    .name = "diff",
    .operands = "RUN RUN",
    .summary =
        "Shows where two runs of a kernel begin to differ. RUN is a command line of 'run' in "
        "quotes:\n\"wavetrap run --schedule=random:7 … kernel.co\"; \"wavetrap debug --core "
        "FILE\": a recorded "
        "run.",
    .options = options,
    .notes =
        "The first store that has another value or address in the other run; and of two runs "
        "of one\n"
        "program file the first load that has another value, and the two accesses that happened "
        "in\n"
        "another order. Stores of a wave are compared one by one; on two GPUs as with "
        "--places,\n"
        "which is also for builds whose instructions are others. Options of 'run' that only\n"
        "report something have no effect. The exit status is 0 where no store differs, 1 "
        "where\n"
        "one does, 125 where wavetrap itself has failed.\n",
    .run = diff,
};
