/* "where-from": the instructions, and the inputs, that a value was made of. "info defined": which
 * of its bits something has written. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"

#include "frontend/console/internal.h"

static void put_place(void *context, uint64_t pc, char *text, size_t size)
{
    const struct wt_program *g = context;
    wt_modules_describe(g->modules, 0, pc, text, size);
}

static void put_symbol(void *context, uint64_t address, char *text, size_t size)
{
    struct wt_program *g = context;
    const struct wt_view view = wt_program_view(g);
    wt_source_symbol_at(&view, address, true, text, size);
}

enum wt_status do_where_from(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct wt_slice_limits limits = WT_SLICE_LIMITS;
    struct wt_where_from from = {.unwritten = 0};
    enum wt_status status = WT_OK;
    while (!status && strncmp(text, "--", 2) == 0 && text[2] >= 'a' && text[2] <= 'z')
        status = wt_slice_option(&text, &limits, err);
    if (!status && !*text)
        status = wt_fail(err, WT_INVALID, "where-from takes an expression");
    if (!status)
        status = wt_program_where_from(c->program, text, &limits, &from, err);
    const struct wt_slice_report report = {
        .lane_word = c->program->topology ? c->program->topology->lane_word : "lane",
        .place = put_place,
        .instruction = wt_program_instruction_text,
        .memory = put_symbol,
        .context = c->program};
    if (!status && from.changed)
        fprintf(c->out,
                "%" PRIu64 " byte%s of it: the host or a debugger has changed them since "
                "instructions wrote them:\n",
                from.changed, from.changed == 1 ? "" : "s");
    if (!status)
        wt_print_slice(c->out, &report, &from.found, from.unwritten);
    wt_slice_found_free(&from.found);
    return status;
}

/* ---- info defined ---- */

static bool is_undefined(const struct wt_defined_lane *lane, uint32_t bit)
{
    return lane->undefined[bit / 8] >> bit % 8 & 1;
}

static bool are_alike(const struct wt_defined_value *v, unsigned a, unsigned b)
{
    const struct wt_defined_lane *x = &v->lane[a], *y = &v->lane[b];
    return x->is_there == y->is_there && !memcmp(x->undefined, y->undefined, v->size) &&
           x->first.origin == y->first.origin && x->first.pc == y->first.pc &&
           x->first.object.addr == y->first.object.addr;
}

/* "bits 0-7,31 of 32"; the number of them. */
static uint32_t print_bits(FILE *out, const struct wt_defined_value *v,
                           const struct wt_defined_lane *lane)
{
    uint32_t count = 0;
    for (uint32_t bit = 0; bit < v->bits; bit++)
        count += is_undefined(lane, v->from + bit);
    if (!count || count == v->bits) {
        fprintf(out, "all %" PRIu32 " bits are %s", v->bits, count ? "undefined" : "defined");
        return count;
    }
    fputs(count == 1 ? "bit " : "bits ", out);
    const char *comma = "";
    for (uint32_t bit = 0, end; bit < v->bits; bit = end + 1, comma = ",") {
        for (; bit < v->bits && !is_undefined(lane, v->from + bit); bit++)
            continue;
        for (end = bit; end < v->bits && is_undefined(lane, v->from + end); end++)
            continue;
        if (bit < v->bits && end - bit > 1)
            fprintf(out, "%s%" PRIu32 "-%" PRIu32, comma, bit, end - 1);
        else if (bit < v->bits)
            fprintf(out, "%s%" PRIu32, comma, bit);
    }
    fprintf(out, " of %" PRIu32 " %s undefined", v->bits, count == 1 ? "is" : "are");
    return count;
}

static void print_origin(struct wt_shell *c, const struct wt_defined_view *view)
{
    char place[WT_FUNCTION_TEXT];
    fprintf(c->out, ", %s\n", wt_origin_text(view->origin));
    if (view->pc) {
        put_place(c->program, view->pc, place, sizeof place);
        fprintf(c->out, "computed first by %s, %s, issue time %" PRIu64 "\n", place, view->wave,
                view->time);
    }
    if (view->origin >= WT_ORIGIN_OBJECT)
        wt_checks_print_made(c->out, c->options.checks, &view->object);
}

enum wt_status do_info_defined(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct wt_defined_value v;
    if (!*text)
        return wt_fail(err, WT_INVALID, "info defined takes an expression");
    enum wt_status status = wt_checks_need(c->options.checks, err);
    if (!status)
        status = wt_program_need_thread(c->program, err);
    if (!status)
        status = wt_program_defined(c->program, text, &v, err);
    if (status)
        return status;
    wt_lanes told = 0;
    for (unsigned i = 0; i < v.lanes; i++) {
        char lanes[WT_LANES_TEXT];
        wt_lanes like = 0;
        if (told & wt_lane_bit(i))
            continue;
        for (unsigned k = i; k < v.lanes; k++)
            if (are_alike(&v, i, k)) {
                told |= wt_lane_bit(k);
                like |= wt_lane_bit(v.lane[k].lane);
            }
        wt_lanes_text(like, lanes, sizeof lanes);
        fprintf(c->out, "%s%s %s: ", c->program->topology->lane_word,
                wt_plural(wt_lanes_count(like)), lanes);
        if (!v.lane[i].is_there)
            fputs("there is no value\n", c->out);
        else if (print_bits(c->out, &v, &v.lane[i]))
            print_origin(c, &v.lane[i].first);
        else
            fputc('\n', c->out);
    }
    wt_defined_value_free(&v);
    return WT_OK;
}
