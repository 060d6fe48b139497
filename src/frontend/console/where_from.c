/* "where-from": the instructions, and the inputs, that a value was made of. "info defined": which
 * of its bits something has written. */
#include <inttypes.h>
#include <string.h>

#include "base/called_place.h"
#include "debug/source/described.h"
#include "frontend/console/internal.h"

static void put_place(void *context, const struct wt_called_place *place, char *text, size_t size)
{
    const struct wt_program *g = context;
    wt_described_place(g->modules, place, text, size);
}

static void put_symbol(void *context, uint64_t address, char *text, size_t size)
{
    struct wt_program *g = context;
    const struct wt_view view = wt_program_view(g);
    wt_source_symbol_at(&view, address, true, text, size);
}

static bool put_line(void *context, const struct wt_called_place *place, struct wt_slice_line *line)
{
    struct wt_program *g = context;
    if (!wt_described_line(g->modules, place, &line->file, &line->number))
        return false;
    const struct wt_text_file *f = wt_program_open_source(g, line->file);
    line->text =
        f && line->number && line->number <= f->line_count ? f->line[line->number - 1] : "";
    return true;
}

static struct wt_slice_report report_of(const struct wt_shell *c)
{
    return (struct wt_slice_report){
        .lane_word = c->program->topology ? c->program->topology->lane_word : "lane",
        .place = put_place,
        .instruction = wt_program_instruction_text,
        .memory = put_symbol,
        .line = put_line,
        .context = c->program};
}

enum wt_status do_where_from(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct wt_slice_limits limits = WT_SLICE_LIMITS;
    struct wt_where_from from = {.unwritten = 0};
    enum wt_status status = WT_OK;
    const struct wt_slice_report report = report_of(c);
    while (!status && strncmp(text, "--", 2) == 0 && text[2] >= 'a' && text[2] <= 'z')
        status = wt_slice_option(&text, &limits, err);
    if (!status && !*text)
        status = wt_fail(err, WT_INVALID, "where-from takes an expression");
    if (!status)
        status = wt_program_where_from(c->program, text, &limits, &from, err);
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
    const struct wt_slice_report report = report_of(c);
    wt_print_defined(c->out, &report, c->options.checks, &v);
    wt_defined_value_free(&v);
    return WT_OK;
}
