/* Reports of faults. See fault.h. */
#include "base/fault.h"

#include <assert.h>
#include <inttypes.h>

#include "base/report.h"
#include "base/text.h"

const char *wt_access_word(enum wt_access access)
{
    return access == WT_ACCESS_LOAD ? "load" : access == WT_ACCESS_STORE ? "store" : "atomic";
}

const char *wt_access_for(enum wt_access access)
{
    return access == WT_ACCESS_LOAD ? "" : " for writing";
}

static const char *kind_name(enum wt_fault_kind kind)
{
    static const char *const names[] = {
        "none",       "illegal", "divergence", "stack-overflow", "stack-underflow",
        "misaligned", "access",  "deadlock",   "trap",           "exception",
        "host"};
    static_assert(sizeof names / sizeof *names == WT_FAULT_HOST + 1, "a name for each kind");
    return names[kind];
}

void wt_fault_report(const char *files, const struct wt_fault *f, const struct wt_fault_words *w)
{
    struct wt_report_object o;
    char lanes[WT_LANES_TEXT];
    wt_report_begin(&o, files, "fault");
    wt_report_text(&o, "fault", kind_name(f->kind));
    wt_report_text(&o, "text", f->text);
    wt_report_number(&o, "time", f->time);
    if (f->kind != WT_FAULT_DEADLOCK) { /* which is of all waves */
        wt_lanes_list(f->lanes, ",", lanes, sizeof lanes);
        wt_report_text(&o, "wave", w->wave);
        wt_report_text(&o, "lanes", lanes);
        wt_report_address(&o, "pc", f->pc);
        wt_report_text(&o, "place", w->place);
        wt_report_text(&o, "instruction", w->instruction);
        wt_report_address(&o, "address", f->addr);
        wt_report_text(&o, "memory", f->memory);
        if (w->kernel)
            wt_report_text(&o, "kernel", w->kernel);
    }
    wt_report_text(&o, "name", f->name);
    wt_report_end(&o);
}

void wt_fault_print(FILE *out, const struct wt_fault *f, const struct wt_fault_words *w)
{
    fprintf(out, "%s\n", f->text);
    wt_fault_print_details(out, f, w);
}

void wt_fault_print_details(FILE *out, const struct wt_fault *f, const struct wt_fault_words *w)
{
    char lanes[WT_LANES_TEXT];
    wt_lanes_text(f->lanes, lanes, sizeof lanes);
    fprintf(out, "  %s%s%s%s %s, issue time %" PRIu64 "\n", w->wave, *w->wave ? ", " : "",
            w->lane_word, wt_plural(wt_lanes_count(f->lanes)), *lanes ? lanes : "none", f->time);
    if (*w->place)
        fprintf(out, "  at %s\n", w->place);
    if (*w->instruction)
        fprintf(out, "  %s\n", w->instruction);
    if (*f->memory)
        fprintf(out, "  0x%" PRIx64 ": %s\n", f->addr, f->memory);
    wt_fault_report(w->report, f, w);
}

void wt_fault_near(uint64_t addr, struct wt_block below, struct wt_block above, char *text,
                   size_t size)
{
    enum { PAGE = 4096, NULL_PAGES = 1 << 16 };
    const uint64_t most = (uint64_t)1 << 32;
    const uint64_t past = below.size ? addr - (below.addr + below.size) : UINT64_MAX;
    const uint64_t short_of = above.size ? above.addr - addr : UINT64_MAX;
    *text = 0;
    if (addr == 0)
        snprintf(text, size, "a null pointer");
    else if (addr < NULL_PAGES)
        snprintf(text, size, "%" PRIu64 " bytes after a null pointer", addr);
    /* An index runs past the end more often than below the beginning. */
    else if ((below.size && addr - below.addr < below.size) ||
             (past < most && (past <= short_of || short_of > PAGE))) {
        char where[WT_OFFSET_TEXT];
        wt_offset_text(addr - below.addr, 0, below.size, where, sizeof where);
        snprintf(text, size, "%s an allocation of %" PRIu64 " bytes at 0x%" PRIx64, where,
                 below.size, below.addr);
    } else if (short_of < most)
        snprintf(text, size,
                 "%" PRIu64 " bytes before an allocation of %" PRIu64 " bytes at 0x%" PRIx64,
                 short_of, above.size, above.addr);
}
