/* The objects of --report: stops, values, the program's end. */
#include <stdlib.h>

#include "base/report.h"
#include "base/text.h"
#include "base/wave_name.h"
#include "frontend/common/common.h"

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

static void report_end(const char *files, const char *how, const char *text, uint64_t status)
{
    struct wt_report_object o;
    wt_report_begin(&o, files, "exit");
    wt_report_text(&o, "command", "debug");
    if (text)
        wt_report_text(&o, how, text);
    else
        wt_report_number(&o, how, status);
    wt_report_end(&o);
}

void wt_report_news(struct wt_report_of *r, const struct wt_news *n)
{
    if (!r->files)
        return;
    const char *reason = reason_of(n);
    if (n->kind == WT_NEWS_EXITED)
        report_end(r->files, "status", NULL, (uint64_t)n->code);
    else if (n->kind == WT_NEWS_SIGNALLED)
        report_end(r->files, "signal", n->text, 0);
    else if (n->kind == WT_NEWS_FAULT_ENDED)
        report_end(r->files, "fault", n->text, 0);
    if (reason) {
        r->reason = reason;
        r->point = n->point ? n->point->number : 0;
    }
}

void wt_report_stop(struct wt_report_of *r, struct wt_program *p)
{
    struct wt_report_object o;
    struct wt_wave wave;
    struct wt_thread_position place;
    struct wt_debugger_time time;
    const struct wt_frame *frame;
    char name[WT_WAVE_NAME], lanes[WT_LANES_TEXT];
    if (!r->files || wt_program_wave(p, p->thread, &wave, &place, WT_IGNORED) != WT_OK)
        return;
    wt_debugger_name_wave(p->debugger, &wave, name, sizeof name);
    wt_lanes_list(place.active, ",", lanes, sizeof lanes);
    wt_report_begin(&o, r->files, "stop");
    wt_report_text(&o, "reason", r->reason ? r->reason : "step");
    if (r->point)
        wt_report_number(&o, "point", r->point);
    wt_report_text(&o, "wave", name);
    wt_report_number(&o, "lane", place.lane);
    wt_report_text(&o, "lanes", lanes);
    if (wt_debugger_time(p->debugger, &time, WT_IGNORED) == WT_OK)
        wt_report_number(&o, "time", time.now);
    if (wt_program_need_frame(p, &frame, WT_IGNORED) == WT_OK) {
        wt_report_address(&o, "pc", frame->pc);
        if (frame->function)
            wt_report_text(&o, "function", frame->function);
        if (frame->path && frame->line) {
            wt_report_text(&o, "file", frame->path);
            wt_report_number(&o, "line", frame->line);
        }
    }
    wt_report_end(&o);
    r->reason = NULL;
    r->point = 0;
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

void wt_report_values(const char *files, const char *expression, unsigned number,
                      const struct wt_view *view, const struct wt_values *values,
                      const struct wt_format *format)
{
    wt_lanes left = values->lanes;
    for (unsigned k = 0; files && k < values->lane_count; k++) {
        struct wt_report_object o;
        char *text = value_text(view, values, k, format), *type = wt_type_text(values->type);
        wt_report_begin(&o, files, "value");
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
