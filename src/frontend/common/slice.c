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

/* How many steps from there on are the same instruction of the same lanes, as in a loop. */
static size_t same_steps(const struct wt_slice_found *found, size_t first)
{
    const struct wt_slice_step *a = &found->step[first];
    size_t count = 1;
    while (first + count < found->steps && a[count].pc == a->pc && a[count].id == a->id &&
           a[count].lanes == a->lanes)
        count++;
    return count;
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

static void print_memory(FILE *out, const struct wt_slice_report *r,
                         const struct wt_slice_found *found, const struct wt_slice_input *in)
{
    static const char *const words[] = {[WT_SLICE_GLOBAL] = "memory",
                                        [WT_SLICE_GROUP] = "memory of the group",
                                        [WT_SLICE_PRIVATE] = "private memory",
                                        [WT_SLICE_DEVICE] = "memory of the device"};
    char what[300] = "";
    if (in->space == WT_SLICE_GLOBAL)
        r->memory(r->context, in->at, what, sizeof what);
    fprintf(out, "  %s", words[in->space]);
    if (in->space == WT_SLICE_PRIVATE)
        fprintf(out, " of %s, %s %u", name_of(found, in->of), r->lane_word, in->lane);
    fprintf(out, ": %" PRIu64 " byte%s at 0x%" PRIx64 "%s%s, which ", in->size,
            in->size == 1 ? "" : "s", in->at, what[0] ? " " : "", what);
    if (in->time != UINT64_MAX)
        fprintf(out, "the host or a debugger wrote at time %" PRIu64 "\n", in->time);
    else
        fprintf(out, "no instruction %swrote before\n",
                in->space == WT_SLICE_GLOBAL ? "of the recorded run " : "");
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
        print_memory(out, r, found, in);
        return 1;
    }
}

void wt_print_slice(FILE *out, const struct wt_slice_report *report,
                    const struct wt_slice_found *found, uint64_t unwritten)
{
    for (size_t i = 0, count; i < found->steps; i += count) {
        count = same_steps(found, i);
        if (!i || found->step[i].id != found->step[i - 1].id)
            fprintf(out, "%s:\n", found->step[i].name);
        print_step(out, report, &found->step[i], count);
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
