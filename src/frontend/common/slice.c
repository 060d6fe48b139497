/* The steps and inputs of which a value was made, as text. */
#include "frontend/common/common.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/called_place.h"
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

/* ---- loops ---- */

/* Steps that are printed together: a step, or the turns of a loop, which are alike but for their
 * lanes and for how often the loops inside turn. */
struct piece {
    size_t first, end;  /* its steps */
    size_t body, parts; /* a loop's first turn: pieces in the old ones of struct loops */
    size_t turns;
};

struct loops {
    const struct wt_slice_step *step;
    struct piece *now; /* all of the steps */
    size_t count;
    struct piece *old; /* first turns, which fewer pieces took the place of: at most one a step */
    size_t kept;
};

enum { MOST_OF_A_TURN = 32, FEWEST_TURNS = 3 };

static bool alike(const struct loops *l, const struct piece *a, const struct piece *b, bool lanes)
{
    if (a->parts != b->parts)
        return false;
    for (size_t i = 0; i < a->parts; i++)
        if (!alike(l, &l->old[a->body + i], &l->old[b->body + i], lanes))
            return false;
    const struct wt_slice_step *x = &l->step[a->first], *y = &l->step[b->first];
    return a->parts || (x->pc == y->pc && x->id == y->id && (!lanes || x->lanes == y->lanes));
}

/* How many turns of @p size pieces begin at a piece. One instruction is a loop in equal lanes. */
static size_t count_turns(const struct loops *l, size_t at, size_t size)
{
    size_t same = size;
    while (at + same < l->count &&
           alike(l, &l->now[at + same], &l->now[at + same - size], size == 1))
        same++;
    return same / size;
}

/* Makes one piece of each loop whose turns are @p size pieces; false: there is none. */
static bool fold(struct loops *l, size_t size)
{
    const size_t count = l->count, fewest = size == 1 ? 2 : FEWEST_TURNS;
    size_t to = 0;
    for (size_t at = 0, turns; at < count; at += turns ? turns * size : 1) {
        struct piece piece = l->now[at];
        turns = count_turns(l, at, size);
        turns = turns < fewest ? 0 : turns;
        if (turns) {
            memcpy(&l->old[l->kept], &l->now[at], size * sizeof *l->old);
            piece = (struct piece){.first = piece.first,
                                   .end = l->now[at + turns * size - 1].end,
                                   .body = l->kept,
                                   .parts = size,
                                   .turns = turns};
            l->kept += size;
        }
        l->now[to++] = piece;
    }
    l->count = to;
    return to < count;
}

/* Folds the inner loops first; without host memory for that, nothing. */
static void find_loops(struct loops *l, const struct wt_slice_found *found)
{
    *l = (struct loops){.step = found->step,
                        .now = calloc(found->steps + 1, sizeof *l->now),
                        .count = found->steps,
                        .old = calloc(found->steps + 1, sizeof *l->old)};
    if (!l->now || !l->old) {
        l->count = 0;
        return;
    }
    for (size_t i = 0; i < l->count; i++)
        l->now[i] = (struct piece){.first = i, .end = i + 1, .turns = 1};
    for (size_t size = 1; size <= MOST_OF_A_TURN && size < l->count;)
        size = fold(l, size) ? 1 : size + 1;
}

/* Walks pieces, of a loop the first turn and then what is known of the others; returns how many
 * steps. */
static size_t walk(const struct loops *l, const struct wt_slice_walk *to, const struct piece *piece,
                   size_t count)
{
    size_t shown = 0;
    for (const struct piece *const end = piece + count; piece < end; piece++) {
        const struct piece *const body = &l->old[piece->body];
        struct wt_slice_turns turns = {.first = &l->step[piece->first],
                                       .turn = 1,
                                       .all = piece->end - piece->first,
                                       .turns = piece->turns,
                                       .steps = 1};
        if (!piece->parts || (piece->parts == 1 && !body->parts)) {
            to->step(to->context, &turns);
        } else {
            turns.steps = walk(l, to, body, piece->parts);
            turns.turn = body[piece->parts - 1].end - piece->first;
            to->turns(to->context, &turns);
        }
        shown += turns.steps;
    }
    return shown;
}

void wt_walk_slice(const struct wt_slice_found *found, const struct wt_slice_walk *to)
{
    struct loops loops;
    find_loops(&loops, found);
    walk(&loops, to, loops.now, loops.count);
    free(loops.now);
    free(loops.old);
}

size_t wt_slice_lines(wt_slice_line_fn *line_of, void *context, const struct wt_slice_step *step,
                      size_t count, char *text, size_t size)
{
    struct wt_slice_line line;
    char file[256] = "";
    unsigned from = 0, to = 0;
    *text = '\0';
    for (size_t i = 0; i < count; i++) {
        const struct wt_called_place place = wt_place_in_calls(step[i].pc, &step[i].calls);
        if (!line_of || !line_of(context, &place, &line))
            continue;
        if (!*file)
            snprintf(file, sizeof file, "%s", line.file);
        else if (strcmp(line.file, file) != 0)
            return 0;
        from = !from || line.number < from ? line.number : from;
        to = line.number > to ? line.number : to;
    }
    if (!*file)
        return 0;
    const char *slash = strrchr(file, '/');
    const char *name = slash ? slash + 1 : file;
    return (size_t)(to == from ? snprintf(text, size, "%s:%u", name, from)
                               : snprintf(text, size, "%s:%u-%u", name, from, to));
}

/* ---- steps ---- */

struct slice_printer {
    FILE *out;
    const struct wt_slice_report *r;
    const struct wt_slice_step *above; /* the step that was printed last; NULL: none */
};

/* The source line of a step's instruction; false: it has none. */
static bool line_of(const struct wt_slice_report *r, const struct wt_slice_step *step,
                    struct wt_slice_line *line)
{
    const struct wt_called_place place = wt_place_in_calls(step->pc, &step->calls);
    return r->line && r->line(r->context, &place, line);
}

/* The wave of a step and the text of its source line, where the step above has others. */
static void print_source(const struct slice_printer *p, const struct wt_slice_step *step)
{
    struct wt_slice_line line, above = {.number = 0};
    char file[256] = "";
    const bool other = !p->above || p->above->id != step->id;
    if (other)
        fprintf(p->out, "%s:\n", step->name);
    else if (line_of(p->r, p->above, &above))
        snprintf(file, sizeof file, "%s", above.file);
    if (line_of(p->r, step, &line) && *line.text &&
        (other || line.number != above.number || strncmp(line.file, file, sizeof file - 1) != 0))
        fprintf(p->out, "  %u\t%s\n", line.number, line.text);
}

static void print_lanes(const struct slice_printer *p, const char *before, wt_lanes lanes)
{
    char text[WT_LANES_TEXT];
    wt_lanes_text(lanes, text, sizeof text);
    if (lanes)
        fprintf(p->out, "%s%s%s %s", before, p->r->lane_word, wt_lanes_count(lanes) == 1 ? "" : "s",
                text);
}

static void print_step(void *context, const struct wt_slice_turns *turns)
{
    struct slice_printer *p = context;
    const struct wt_slice_step *step = turns->first;
    const struct wt_called_place at = wt_place_in_calls(step->pc, &step->calls);
    char place[300] = "", text[300] = "";
    print_source(p, step);
    p->above = step;
    p->r->place(p->r->context, &at, place, sizeof place);
    p->r->instruction(p->r->context, step->pc, text, sizeof text);
    fprintf(p->out, "  [%u] time %" PRIu64, step->depth, step->time);
    print_lanes(p, ", ", step->lanes);
    fprintf(p->out, " at %s: %s", place, text + strspn(text, " "));
    if (turns->turns > 1)
        fprintf(p->out, " (and %zu time%s before)", turns->turns - 1, turns->turns == 2 ? "" : "s");
    fprintf(p->out, "%s\n", step[turns->all - 1].cut ? " …" : "");
}

static wt_lanes lanes_of(const struct wt_slice_step *step, size_t count)
{
    wt_lanes lanes = 0;
    for (size_t i = 0; i < count; i++)
        lanes |= step[i].lanes;
    return lanes;
}

static void print_turns(void *context, const struct wt_slice_turns *turns)
{
    struct slice_printer *p = context;
    const struct wt_slice_step *const first = turns->first, *const last = &first[turns->all - 1];
    const wt_lanes lanes = lanes_of(first + turns->turn, turns->all - turns->turn);
    char lines[300];
    fprintf(p->out, "  … %zu more turns of these %zu steps", turns->turns - 1, turns->steps);
    if (lanes != lanes_of(first, turns->turn))
        print_lanes(p, " in ", lanes);
    if (wt_slice_lines(p->r->line, p->r->context, first, turns->turn, lines, sizeof lines))
        fprintf(p->out, ", %s", lines);
    fprintf(p->out, ", back to time %" PRIu64 "%s\n", last->time, last->cut ? " …" : "");
    p->above = last;
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

void wt_print_slice(FILE *out, const struct wt_slice_report *report,
                    const struct wt_slice_found *found, uint64_t unwritten)
{
    struct slice_printer p = {.out = out, .r = report};
    wt_walk_slice(found,
                  &(struct wt_slice_walk){.context = &p, .step = print_step, .turns = print_turns});
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
