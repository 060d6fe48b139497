/* The objects of --report: stops, values, the program's end. */
#include <stdlib.h>

#include "base/report.h"
#include "base/wave_name.h"
#include "frontend/console/internal.h"

/* Why the program stands, by the news that told it; NULL: the news is of something else. */
static const char *reason_of(const struct wt_news *n)
{
    switch (n->kind) {
    case WT_NEWS_HIT:
        return n->point->kind == WT_POINT_CATCH ? "catchpoint" : "breakpoint";
    case WT_NEWS_MODULES:
    case WT_NEWS_MISTAKE:
        return "catchpoint";
    case WT_NEWS_UNDECIDED:
        return "condition-error";
    case WT_NEWS_WATCH:
    case WT_NEWS_ACCESS:
        return "watchpoint";
    case WT_NEWS_SCOPE_LEFT:
        return "scope-left";
    case WT_NEWS_FAULT:
        return "fault";
    case WT_NEWS_INTERRUPTED:
        return "interrupted";
    case WT_NEWS_TRAP:
        return "trap";
    case WT_NEWS_HISTORY_BEGIN:
        return "history-begin";
    case WT_NEWS_HISTORY_END:
        return "history-end";
    default:
        return NULL;
    }
}

static void report_end(struct wt_shell *c, const char *how, const char *text, uint64_t status)
{
    struct wt_report_object o;
    wt_report_begin(&o, c->options.report, "exit");
    wt_report_text(&o, "command", "debug");
    if (text)
        wt_report_text(&o, how, text);
    else
        wt_report_number(&o, how, status);
    wt_report_end(&o);
}

void report_news(struct wt_shell *c, const struct wt_news *n)
{
    if (!c->options.report)
        return;
    const char *reason = reason_of(n);
    if (n->kind == WT_NEWS_EXITED)
        report_end(c, "status", NULL, (uint64_t)n->code);
    else if (n->kind == WT_NEWS_SIGNALLED)
        report_end(c, "signal", n->text, 0);
    else if (n->kind == WT_NEWS_FAULT_ENDED)
        report_end(c, "fault", n->text, 0);
    if (reason) {
        c->stop_reason = reason;
        c->stop_point = n->point ? n->point->number : 0;
    }
}

void report_stop(struct wt_shell *c)
{
    struct wt_report_object o;
    struct wt_wave wave;
    struct wt_thread_position place;
    struct wt_debugger_time time;
    const struct wt_frame *frame;
    char name[WT_WAVE_NAME], lanes[WT_LANES_TEXT];
    if (!c->options.report ||
        wt_program_wave(c->program, c->program->thread, &wave, &place, WT_IGNORED) != WT_OK)
        return;
    wt_debugger_name_wave(c->program->debugger, &wave, name, sizeof name);
    wt_lanes_list(place.active, ",", lanes, sizeof lanes);
    wt_report_begin(&o, c->options.report, "stop");
    wt_report_text(&o, "reason", c->stop_reason ? c->stop_reason : "step");
    if (c->stop_point)
        wt_report_number(&o, "point", c->stop_point);
    wt_report_text(&o, "wave", name);
    wt_report_number(&o, "lane", place.lane);
    wt_report_text(&o, "lanes", lanes);
    if (wt_debugger_time(c->program->debugger, &time, WT_IGNORED) == WT_OK)
        wt_report_number(&o, "time", time.now);
    if (wt_program_need_frame(c->program, &frame, WT_IGNORED) == WT_OK) {
        wt_report_address(&o, "pc", frame->pc);
        if (frame->function)
            wt_report_text(&o, "function", frame->function);
        if (frame->path && frame->line) {
            wt_report_text(&o, "file", frame->path);
            wt_report_number(&o, "line", frame->line);
        }
    }
    wt_report_end(&o);
    c->stop_reason = NULL;
    c->stop_point = 0;
}

/* A value as `print` has it; NULL without host memory. The caller frees it. */
static char *value_text(const struct wt_view *view, const struct wt_values *values, unsigned k,
                        const struct wt_format *format)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out) {
        wt_values_print(out, view, values, k, format);
        fclose(out);
    }
    return text;
}

void report_values(struct wt_shell *c, const char *expression, unsigned number,
                   const struct wt_view *view, const struct wt_values *values,
                   const struct wt_format *format)
{
    wt_lanes left = values->lanes;
    for (unsigned k = 0; c->options.report && k < values->lane_count; k++) {
        struct wt_report_object o;
        char *text = value_text(view, values, k, format), *type = wt_type_text(values->type);
        wt_report_begin(&o, c->options.report, "value");
        wt_report_text(&o, "expression", expression);
        if (number)
            wt_report_number(&o, "number", number);
        if (left) {
            wt_report_number(&o, "lane", wt_lanes_lowest(left));
            left &= ~wt_lane_bit(wt_lanes_lowest(left));
        }
        wt_report_text(&o, "type", type ? type : "");
        wt_report_text(&o, "value", text ? text : "");
        wt_report_end(&o);
        free(text);
        free(type);
    }
}
