/* "where-from": the instructions, and the inputs, that a value was made of. */
#include <inttypes.h>

#include "frontend/common/common.h"
#include "frontend/console/internal.h"

/* "--depth=N" and the like before the expression. */
static enum wt_status take_options(const char **text, struct wt_slice_limits *limits,
                                   struct wt_error *err)
{
    static const char depth[] = "--depth=", steps[] = "--steps=", addresses[] = "--addresses";
    while (strncmp(*text, "--", 2) == 0 && (*text)[2] >= 'a') {
        const char *at = *text;
        uint64_t number = 0;
        const bool is_depth = !strncmp(at, depth, sizeof depth - 1),
                   is_steps = !strncmp(at, steps, sizeof steps - 1);
        if (is_depth || is_steps) {
            at += sizeof depth - 1;
            if (!take_number(&at, &number) || number > 1000000 || (is_steps && !number))
                return wt_fail(err, WT_INVALID, "%.8s takes a number from %u to 1000000", *text,
                               is_steps);
            *(is_depth ? &limits->depth : &limits->steps) = (uint32_t)number;
        } else if (!strncmp(at, addresses, sizeof addresses - 1)) {
            at += sizeof addresses - 1;
            limits->addresses = true;
        }
        if (at == *text || (*at && *at != ' ' && at[-1] != ' '))
            return wt_fail(err, WT_INVALID,
                           "where-from takes --depth=N, --steps=N and --addresses before the "
                           "expression");
        *text = at + strspn(at, " ");
    }
    return **text ? WT_OK : wt_fail(err, WT_INVALID, "where-from takes an expression");
}

/* How many steps from there on are the same instruction of the same lanes, as in a loop. */
static size_t same_steps(const struct wt_slice_found *found, size_t first)
{
    const struct wt_slice_step *a = &found->step[first], *b = a;
    size_t count = 1;
    while (first + count < found->steps && ++b && b->pc == a->pc && b->id == a->id &&
           b->lanes == a->lanes)
        count++;
    return count;
}

static void print_step(struct wt_shell *c, const struct wt_slice_step *step, size_t count)
{
    char lanes[WT_LANES_TEXT], place[300];
    struct wt_code_line line;
    wt_lanes_text(step->lanes, lanes, sizeof lanes);
    wt_modules_describe(c->program->modules, 0, step->pc, place, sizeof place);
    wt_program_instruction(c->program, step->pc, &line, WT_IGNORED);
    fprintf(c->out, "  [%u] time %" PRIu64, step->depth, step->time);
    if (step->lanes)
        fprintf(c->out, ", %s%s %s", c->program->topology->lane_word,
                wt_lanes_count(step->lanes) == 1 ? "" : "s", lanes);
    fprintf(c->out, " at %s: %s", place, line.text);
    if (count > 1)
        fprintf(c->out, " (and %zu time%s before)", count - 1, count == 2 ? "" : "s");
    fprintf(c->out, "%s\n", step[count - 1].cut ? " …" : "");
}

/* The name of a wave: as a step has it, which belongs to the time of the step. */
static const char *name_of(const struct wt_slice_found *found, uint64_t id)
{
    for (size_t i = 0; i < found->steps; i++)
        if (found->step[i].id == id)
            return found->step[i].name;
    return "the wave";
}

/* Inputs of the same kind in lanes side by side are one line; returns how many were printed. */
static size_t print_input(struct wt_shell *c, const struct wt_slice_found *found, size_t first)
{
    const struct wt_slice_input *in = &found->input[first];
    const char *lane_word = c->program->topology->lane_word;
    const struct wt_view view = wt_program_view(c->program);
    char symbol[300] = "", lanes[WT_LANES_TEXT];
    wt_lanes set = wt_lane_bit(in->lane);
    size_t count = 1;
    switch ((enum wt_slice_space)in->space) {
    case WT_SLICE_REGISTER:
        fprintf(c->out, "  %s of %s, as it began\n", in->name, name_of(found, in->of));
        break;
    case WT_SLICE_ROW:
        for (; first + count < found->inputs; count++) {
            const struct wt_slice_input *next = &found->input[first + count];
            if (next->space != in->space || next->of != in->of || strcmp(next->name, in->name))
                break;
            set |= wt_lane_bit(next->lane);
        }
        wt_lanes_text(set, lanes, sizeof lanes);
        fprintf(c->out, "  %s of %s, %s%s %s, as it began\n", in->name, name_of(found, in->of),
                lane_word, count == 1 ? "" : "s", lanes);
        break;
    case WT_SLICE_PRIVATE:
        fprintf(c->out, "  private memory of %s, %s %u: %" PRIu64 " bytes at 0x%" PRIx64
                        ", which were never written\n",
                name_of(found, in->of), lane_word, in->lane, in->size, in->at);
        break;
    default:
        if (in->space == WT_SLICE_GLOBAL)
            wt_source_symbol_at(&view, in->at, true, symbol, sizeof symbol);
        fprintf(c->out, "  %s: %" PRIu64 " byte%s at 0x%" PRIx64 "%s%s, before the recorded run\n",
                in->space == WT_SLICE_GLOBAL  ? "memory"
                : in->space == WT_SLICE_GROUP ? "memory of the group"
                                              : "memory of the device",
                in->size, in->size == 1 ? "" : "s", in->at, symbol[0] ? " " : "", symbol);
        break;
    }
    return count;
}

enum wt_status do_where_from(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct wt_slice_limits limits = {.depth = 64, .steps = 100};
    struct wt_slice_found found = {.more = false};
    uint64_t unwritten = 0;
    enum wt_status status = take_options(&text, &limits, err);
    if (!status)
        status = wt_program_where_from(c->program, text, &limits, &found, &unwritten, err);
    for (size_t i = 0, count; !status && i < found.steps; i += count) {
        count = same_steps(&found, i);
        if (!i || found.step[i].id != found.step[i - 1].id)
            fprintf(c->out, "%s:\n", found.step[i].name);
        print_step(c, &found.step[i], count);
    }
    if (!status && unwritten)
        fprintf(c->out, "%" PRIu64 " byte%s of it: no instruction of the recorded run before now "
                        "wrote to them.\n",
                unwritten, unwritten == 1 ? "" : "s");
    if (!status && found.inputs)
        fputs("Made of:\n", c->out);
    for (size_t i = 0; !status && i < found.inputs;)
        i += print_input(c, &found, i);
    if (!status && found.more)
        fputs("There are other steps: --depth=N and --steps=N let it go further.\n", c->out);
    if (!status && found.untold)
        fputs("There may be others: what some instructions on the way write is not known.\n", c->out);
    wt_slice_found_free(&found);
    return status;
}
