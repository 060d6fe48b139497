/* Which bits of a value something has written, as text. */
#include "frontend/common/common.h"

#include <inttypes.h>
#include <string.h>

#include "base/called_place.h"
#include "base/text.h"
#include "debug/core/checks.h"
#include "frontend/common/words.h"

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

static void print_origin(FILE *out, const struct wt_slice_report *report,
                         const struct wt_checks *checks, const struct wt_defined_view *view)
{
    char place[WT_FUNCTION_TEXT];
    fprintf(out, ", %s\n", wt_origin_text(view->origin));
    if (view->pc) {
        report->place(report->context, &(struct wt_called_place){.pc = view->pc}, place,
                      sizeof place);
        fprintf(out, "computed first by %s, %s, issue time %" PRIu64 "\n", place, view->wave,
                view->time);
    }
    if (view->origin >= WT_ORIGIN_OBJECT)
        wt_checks_print_made(out, checks, &view->object);
}

void wt_print_defined(FILE *out, const struct wt_slice_report *report,
                      const struct wt_checks *checks, const struct wt_defined_value *v)
{
    wt_lanes told = 0;
    for (unsigned i = 0; i < v->lanes; i++) {
        char lanes[WT_LANES_TEXT];
        wt_lanes like = 0;
        if (told & wt_lane_bit(i))
            continue;
        for (unsigned k = i; k < v->lanes; k++)
            if (are_alike(v, i, k)) {
                told |= wt_lane_bit(k);
                like |= wt_lane_bit(v->lane[k].lane);
            }
        wt_lanes_text(like, lanes, sizeof lanes);
        fprintf(out, "%s%s %s: ", report->lane_word, wt_plural(wt_lanes_count(like)), lanes);
        if (!v->lane[i].is_there)
            fputs("there is no value\n", out);
        else if (print_bits(out, v, &v->lane[i]))
            print_origin(out, report, checks, &v->lane[i].first);
        else
            fputc('\n', out);
    }
}
