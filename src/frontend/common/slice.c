/* The steps and inputs of which a value was made, as text. */
#include "frontend/common/common.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* ---- limits ---- */

enum { MOST = 1000000 };

/* "NAME=N" at *text. */
static bool take_limit(const char **text, const char *name, uint32_t *limit)
{
    const size_t length = strlen(name);
    char *end;
    if (strncmp(*text, name, length) != 0)
        return false;
    const unsigned long number = strtoul(*text + length, &end, 10);
    if (end == *text + length || number > MOST || (*text)[length] == '-')
        return false;
    *limit = (uint32_t)number;
    *text = end;
    return true;
}

enum wt_status wt_slice_option(const char **text, struct wt_slice_limits *limits,
                               struct wt_error *err)
{
    static const char addresses[] = "--addresses";
    const char *at = *text;
    if (strncmp(at, addresses, sizeof addresses - 1) == 0) {
        limits->addresses = true;
        at += sizeof addresses - 1;
    } else if (!take_limit(&at, "--depth=", &limits->depth) &&
               !(take_limit(&at, "--steps=", &limits->steps) && limits->steps)) {
        at = "x";
    }
    if (*at && *at != ' ')
        return wt_fail(err, WT_INVALID,
                       "'%.32s' is not one of --depth=N, --steps=N (up to %d) and --addresses",
                       *text, MOST);
    *text = at + strspn(at, " ");
    return WT_OK;
}

/* ---- steps ---- */

static bool same_step(const struct wt_slice_step *a, const struct wt_slice_step *b)
{
    return a->pc == b->pc && a->id == b->id && a->lanes == b->lanes;
}

/* How many steps from there on are the same instruction of the same lanes, as in a loop. */
static size_t same_steps(const struct wt_slice_found *found, size_t first)
{
    const struct wt_slice_step *a = &found->step[first];
    size_t count = 1;
    while (first + count < found->steps && same_step(&a[count], a))
        count++;
    return count;
}

/* The source line of a step's instruction; false: it has none. */
static bool line_of(const struct wt_slice_report *r, const struct wt_slice_step *step,
                    struct wt_slice_line *line)
{
    return r->line && r->line(r->context, step->pc, line);
}

/* The text of a step's source line, where the step above it is of another line. */
static void print_source(FILE *out, const struct wt_slice_report *r,
                         const struct wt_slice_step *step, bool first)
{
    struct wt_slice_line line, above = {.number = 0};
    if (!first && !line_of(r, &step[-1], &above))
        above.number = 0;
    if (line_of(r, step, &line) && line.number != above.number && *line.text)
        fprintf(out, "  %u\t%s\n", line.number, line.text);
}

static void print_step(FILE *out, const struct wt_slice_report *r, const struct wt_slice_step *step,
                       size_t count)
{
    char lanes[WT_LANES_TEXT], place[300] = "", text[300] = "";
    wt_lanes_text(step->lanes, lanes, sizeof lanes);
    r->place(r->context, step->pc, place, sizeof place);
    r->instruction(r->context, step->pc, text, sizeof text);
    fprintf(out, "  [%u] time %" PRIu64, step->depth, step->time);
    if (step->lanes)
        fprintf(out, ", %s%s %s", r->lane_word, wt_lanes_count(step->lanes) == 1 ? "" : "s", lanes);
    fprintf(out, " at %s: %s", place, text + strspn(text, " "));
    if (count > 1)
        fprintf(out, " (and %zu time%s before)", count - 1, count == 2 ? "" : "s");
    fprintf(out, "%s\n", step[count - 1].cut ? " …" : "");
}

/* ---- turns of a loop ---- */

enum { MOST_OF_A_TURN = 32, FEWEST_TURNS = 3 };

/* How many steps from there on are one turn of a loop that follows at least FEWEST_TURNS times, and
 * how many turns; 0: none. Equal steps in a row are no turn of their own (same_steps). */
static size_t find_turns(const struct wt_slice_found *found, size_t first, size_t *turns)
{
    const struct wt_slice_step *a = &found->step[first];
    const size_t left = found->steps - first;
    for (size_t turn = 2; turn <= MOST_OF_A_TURN && turn * FEWEST_TURNS <= left; turn++) {
        size_t same = turn;
        while (same < left && same_step(&a[same], &a[same - turn]))
            same++;
        *turns = same / turn;
        if (*turns >= FEWEST_TURNS && !same_step(&a[0], &a[1]))
            return turn;
    }
    return 0;
}

/* Says which turns like the one at @p step, of @p turn steps, are left out after it. */
static void print_turns(FILE *out, const struct wt_slice_report *r,
                        const struct wt_slice_step *step, size_t turn, size_t turns)
{
    struct wt_slice_line line;
    const char *file = NULL;
    unsigned from = 0, to = 0;
    for (size_t i = 0; i < turn; i++) {
        if (!line_of(r, &step[i], &line) || (file && strcmp(line.file, file) != 0)) {
            file = NULL;
            break;
        }
        from = !file || line.number < from ? line.number : from;
        to = !file || line.number > to ? line.number : to;
        file = line.file;
    }
    fprintf(out, "  … %zu more turns of these %zu steps", turns - 1, turn);
    if (file) {
        const char *slash = strrchr(file, '/');
        fprintf(out, ", %s:%u", slash ? slash + 1 : file, from);
        if (to != from)
            fprintf(out, "-%u", to);
    }
    fprintf(out, ", back to time %" PRIu64 "%s\n", step[turn * turns - 1].time,
            step[turn * turns - 1].cut ? " …" : "");
}

/* ---- inputs ---- */

/* The name of a wave: as a step has it, which belongs to the time of the step. */
static const char *name_of(const struct wt_slice_found *found, uint64_t id)
{
    for (size_t i = 0; i < found->steps; i++)
        if (found->step[i].id == id)
            return found->step[i].name;
    return "the wave";
}

/* A register in lanes side by side is one line; returns how many inputs were printed. */
static size_t print_row(FILE *out, const struct wt_slice_report *r,
                        const struct wt_slice_found *found, size_t first)
{
    const struct wt_slice_input *in = &found->input[first];
    char lanes[WT_LANES_TEXT];
    wt_lanes set = 0;
    size_t count = 0;
    for (; first + count < found->inputs; count++) {
        const struct wt_slice_input *next = &in[count];
        if (next->space != in->space || next->of != in->of || strcmp(next->name, in->name) != 0)
            break;
        set |= wt_lane_bit(next->lane);
    }
    wt_lanes_text(set, lanes, sizeof lanes);
    fprintf(out, "  %s of %s, %s%s %s, as it began\n", in->name, name_of(found, in->of),
            r->lane_word, count == 1 ? "" : "s", lanes);
    return count;
}

/* How many inputs from there on are as many bytes of one memory, each as far after the one before.
 */
static size_t same_distance(const struct wt_slice_found *found, size_t first)
{
    const struct wt_slice_input *in = &found->input[first];
    size_t count = 1;
    for (; first + count < found->inputs; count++) {
        const struct wt_slice_input *next = &in[count];
        if (next->space != in->space || next->of != in->of || next->lane != in->lane ||
            next->size != in->size || next->time != in->time ||
            next->at - next[-1].at != in[1].at - in->at)
            break;
    }
    return count >= FEWEST_TURNS ? count : 1;
}

/* Returns how many inputs were printed. */
static size_t print_memory(FILE *out, const struct wt_slice_report *r,
                           const struct wt_slice_found *found, size_t first)
{
    static const char *const words[] = {[WT_SLICE_GLOBAL] = "memory",
                                        [WT_SLICE_GROUP] = "memory of the group",
                                        [WT_SLICE_PRIVATE] = "private memory",
                                        [WT_SLICE_DEVICE] = "memory of the device"};
    const struct wt_slice_input *in = &found->input[first];
    const size_t count = same_distance(found, first);
    char what[300] = "";
    if (in->space == WT_SLICE_GLOBAL)
        r->memory(r->context, in->at, what, sizeof what);
    fprintf(out, "  %s", words[in->space]);
    if (in->space == WT_SLICE_PRIVATE)
        fprintf(out, " of %s, %s %u", name_of(found, in->of), r->lane_word, in->lane);
    fprintf(out, ": %" PRIu64 " byte%s at 0x%" PRIx64 "%s%s", in->size, in->size == 1 ? "" : "s",
            in->at, what[0] ? " " : "", what);
    if (count > 1)
        fprintf(out, " and %zu more, each %" PRIu64 " bytes after the one before", count - 1,
                in[1].at - in->at);
    fputs(", which ", out);
    if (in->time != UINT64_MAX)
        fprintf(out, "the host or a debugger wrote at time %" PRIu64 "\n", in->time);
    else
        fprintf(out, "no instruction %swrote before\n",
                in->space == WT_SLICE_GLOBAL ? "of the recorded run " : "");
    return count;
}

static size_t print_input(FILE *out, const struct wt_slice_report *r,
                          const struct wt_slice_found *found, size_t first)
{
    const struct wt_slice_input *in = &found->input[first];
    switch ((enum wt_slice_space)in->space) {
    case WT_SLICE_REGISTER:
        fputs("  ", out);
        if (in->size)
            fprintf(out, "%" PRIu64 " bytes in ", in->size);
        fprintf(out, "%s of %s, as it began\n", in->name, name_of(found, in->of));
        return 1;
    case WT_SLICE_ROW:
        return print_row(out, r, found, first);
    default:
        return print_memory(out, r, found, first);
    }
}

/* Prints the steps from @p first to before @p end. */
static void print_steps(FILE *out, const struct wt_slice_report *report,
                        const struct wt_slice_found *found, size_t first, size_t end)
{
    for (size_t i = first, count; i < end; i += count) {
        const bool other = !i || found->step[i].id != found->step[i - 1].id;
        count = same_steps(found, i);
        count = count > end - i ? end - i : count;
        if (other)
            fprintf(out, "%s:\n", found->step[i].name);
        print_source(out, report, &found->step[i], other);
        print_step(out, report, &found->step[i], count);
    }
}

void wt_print_slice(FILE *out, const struct wt_slice_report *report,
                    const struct wt_slice_found *found, uint64_t unwritten)
{
    for (size_t i = 0, turns; i < found->steps;) {
        const size_t turn = find_turns(found, i, &turns);
        const size_t count = turn ? turn : same_steps(found, i);
        print_steps(out, report, found, i, i + count);
        if (turn)
            print_turns(out, report, &found->step[i], turn, turns);
        i += turn ? turn * turns : count;
    }
    if (unwritten)
        fprintf(out,
                "%" PRIu64 " byte%s of it: no instruction of the recorded run before now wrote "
                "to them.\n",
                unwritten, unwritten == 1 ? "" : "s");
    if (found->inputs)
        fputs("Made of:\n", out);
    for (size_t i = 0; i < found->inputs;)
        i += print_input(out, report, found, i);
    if (found->more)
        fputs("There are other steps: --depth=N and --steps=N let it go further.\n", out);
    if (found->untold)
        fputs("There may be others: what some instructions on the way write is not known.\n", out);
}
