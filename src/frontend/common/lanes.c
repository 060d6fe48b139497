/*
 * Values over lanes, compactly: one value if all lanes agree; a range of lanes with a stride if the
 * values form an arithmetic sequence; else a row for each range of lanes that agree. Masked lanes
 * are marked.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "frontend/common/common.h"

/* One lane's value as text. */
struct lane_cell {
    unsigned lane;
    bool enabled;
    char *text;
};

static void free_cells(struct lane_cell *cell, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        free(cell[i].text);
    free(cell);
}

/* An integer in decimal or hexadecimal, or a pointer with its type; false for any other text. */
static bool integer_of(const char *text, int64_t *value)
{
    char *end;
    const char *type = text[0] == '(' ? strstr(text, ") 0x") : NULL;
    if (type)
        text = type + 2;
    if (!*text)
        return false;
    *value = text[0] == '0' && text[1] == 'x' ? (int64_t)strtoull(text, &end, 16)
                                              : strtoll(text, &end, 10);
    return *end == 0;
}

/* The number of cells from `first` on whose values differ by the same step other than 0. */
static unsigned stride_run(const struct lane_cell *cell, unsigned count, unsigned first,
                           int64_t *step)
{
    int64_t a, b;
    if (first + 1 >= count || !integer_of(cell[first].text, &a) ||
        !integer_of(cell[first + 1].text, &b) || a == b)
        return 1;
    *step = (int64_t)((uint64_t)b - (uint64_t)a);
    unsigned run = 1;
    while (first + run < count && cell[first + run].lane == cell[first].lane + run &&
           cell[first + run].enabled == cell[first].enabled &&
           integer_of(cell[first + run].text, &b) &&
           (uint64_t)b == (uint64_t)a + (uint64_t)*step * run)
        run++;
    return run;
}

static unsigned equal_run(const struct lane_cell *cell, unsigned count, unsigned first)
{
    unsigned run = 1;
    while (first + run < count && cell[first + run].lane == cell[first].lane + run &&
           cell[first + run].enabled == cell[first].enabled &&
           strcmp(cell[first + run].text, cell[first].text) == 0)
        run++;
    return run;
}

/* Where values are printed, and how the rows of masked lanes begin and end. */
struct paper {
    FILE *out;
    const char *dim, *plain;
};

static void print_row(const struct paper *c, const struct lane_cell *first, unsigned run,
                      const char *text)
{
    char lanes[32];
    if (run == 1)
        snprintf(lanes, sizeof lanes, "%u", first->lane);
    else
        snprintf(lanes, sizeof lanes, "%u..%u", first->lane, first->lane + run - 1);
    fprintf(c->out, "%s  %-8s %s%s%s\n", first->enabled ? "" : c->dim, lanes, text,
            first->enabled ? "" : "  (masked off)", first->enabled ? "" : c->plain);
}

static struct lane_cell *make_cells(struct wt_debugger *d, const struct wt_view *view,
                                    const struct wt_values *values, const struct wt_format *format)
{
    struct wt_thread_position place = {.active = ~(wt_lanes)0};
    struct lane_cell *cell = calloc(values->lane_count, sizeof *cell);
    unsigned i = 0;
    if (!cell)
        return NULL;
    wt_debugger_thread_position(d, view->thread, &place, WT_IGNORED);
    for (wt_lanes rest = values->lanes; i < values->lane_count; i++, rest &= rest - 1) {
        size_t length;
        FILE *out = open_memstream(&cell[i].text, &length);
        cell[i].lane = wt_lanes_lowest(rest);
        cell[i].enabled = wt_has_lane(place.active, cell[i].lane);
        if (out) {
            wt_values_print(out, view, values, i, format);
            fclose(out);
        }
        if (!cell[i].text)
            cell[i].text = strdup("");
    }
    return cell;
}

void wt_print_lanes(FILE *out, struct wt_debugger *d, const struct wt_view *view,
                    const struct wt_values *values, const struct wt_format *format, const char *dim,
                    const char *plain_style)
{
    const struct paper paper = {out, dim, plain_style}, *c = &paper;
    const char *lane_word = wt_debugger_topology(d)->lane_word;
    /* The addresses of the lanes' references are left out: they would differ where the values
     * agree. */
    struct wt_values plain = *values;
    plain.reference = NULL;
    struct lane_cell *cell = make_cells(d, view, &plain, format);
    const unsigned count = values->lane_count;
    int64_t step = 0;
    char lanes[WT_LANES_TEXT];
    if (!cell)
        return;
    bool equal = true, enabled = true;
    for (unsigned i = 0; i < count; i++) {
        equal &= strcmp(cell[i].text, cell[0].text) == 0;
        enabled &= cell[i].enabled;
    }
    if (equal) {
        wt_lanes off = 0;
        for (unsigned i = 0; i < count; i++)
            if (!cell[i].enabled)
                off |= wt_lane_bit(cell[i].lane);
        wt_lanes_text(off, lanes, sizeof lanes);
        fprintf(c->out, "%s", cell[0].text);
        if (count > 1)
            fprintf(c->out, " in all %u %ss", count, lane_word);
        if (off)
            fprintf(c->out, "  (masked off: %s)", lanes);
        fputc('\n', c->out);
    } else if (enabled && count > 2 && stride_run(cell, count, 0, &step) == count) {
        fprintf(c->out, "%s, %s .. %s, step %s%" PRId64 ", in %ss %u..%u\n", cell[0].text,
                cell[1].text, cell[count - 1].text, step > 0 ? "+" : "", step, lane_word,
                cell[0].lane, cell[count - 1].lane);
    } else {
        fputc('\n', c->out);
        for (unsigned i = 0; i < count;) {
            const unsigned same = equal_run(cell, count, i);
            const unsigned strided = stride_run(cell, count, i, &step);
            if (strided >= 4 && strided > same) {
                char *text;
                if (asprintf(&text, "%s, %s .. %s, step %s%" PRId64, cell[i].text, cell[i + 1].text,
                             cell[i + strided - 1].text, step > 0 ? "+" : "", step) < 0)
                    break;
                print_row(c, &cell[i], strided, text);
                free(text);
                i += strided;
            } else {
                print_row(c, &cell[i], same, cell[i].text);
                i += same;
            }
        }
    }
    free_cells(cell, count);
}
