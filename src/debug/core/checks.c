/* See checks.h. */
#include "debug/core/checks.h"

#include <inttypes.h>
#include <string.h>

#include "base/report.h"
#include "base/text.h"

enum wt_status wt_checks_need(const struct wt_checks *checks, struct wt_error *err)
{
    return checks ? WT_OK
                  : wt_fail(err, WT_STATE,
                            "no checks are on: start with --check=all, or a list of checks");
}

enum wt_status wt_checks_kinds(const struct wt_checks *checks, const char *name, uint64_t *kinds,
                               struct wt_error *err)
{
    const char *known;
    char names[400] = "";
    const enum wt_status status = wt_checks_need(checks, err);
    *kinds = 0;
    for (unsigned i = 0; !status && i < 64 && (known = checks->kind(checks->context, i)); i++) {
        if (!*known)
            continue;
        if (!*name || strcmp(name, known) == 0)
            *kinds |= (uint64_t)1 << i;
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", known);
    }
    if (status || *kinds)
        return status;
    return *names ? wt_fail(err, WT_INVALID, "no kernel's mistake is called \"%s\": there are %s",
                            name, names)
                  : wt_fail(err, WT_STATE,
                            "nothing is checked that can be stopped at: memory, init and "
                            "hazard of --check=LIST can");
}

bool wt_checks_news(const struct wt_checks *checks, uint64_t *told, char *text, size_t size)
{
    const uint64_t count = checks ? checks->count(checks->context) : 0;
    const bool more = count > *told;
    *told = count;
    snprintf(text, size, "%" PRIu64 " finding%s: info checks\n", count, wt_plural(count));
    return more;
}

uint64_t wt_checks_before(const struct wt_checks *checks, uint64_t time)
{
    uint64_t last = 0, latest = 0;
    struct wt_check_place place[2] = {{.time = 0}};
    for (uint64_t n = 1;
         checks && !checks->print(checks->context, NULL, n, false, place, WT_IGNORED); n++)
        if (place[0].wave && place[0].time < time && place[0].time >= latest) {
            latest = place[0].time;
            last = n;
        }
    return last;
}

enum wt_status wt_checks_not_recorded(const struct wt_debugger_time *time, uint64_t to,
                                      bool finding, struct wt_error *err)
{
    if (finding && to < time->start)
        return wt_fail(err, WT_INVALID,
                       "the mistake was made at issue time %" PRIu64 ", and the run is recorded "
                       "from %" PRIu64 " on: of a host program, since a kernel began or ended "
                       "last. Run it again with 'catch check', which stops there",
                       to, time->start);
    return wt_fail(err, WT_INVALID, "the run is recorded from %" PRIu64 " to %" PRIu64, time->start,
                   time->end);
}

/* ---- objects ---- */

/* "a freed allocation of 40 bytes at 0x7f0012345000". */
static void print_what(FILE *out, const struct wt_object_view *o)
{
    if (*o->name)
        fprintf(out, "variable %s", o->name);
    else if (!*o->by)
        fputs("memory of the program", out);
    else
        fprintf(out, "%s allocation", o->freed ? "a freed" : "an");
    fprintf(out, " of %" PRIu64 " byte%s at 0x%" PRIx64 "%s", o->size, wt_plural(o->size), o->addr,
            o->read_only ? ", read-only" : "");
}

static void print_place(FILE *out, const struct wt_object_view *o, uint64_t at)
{
    char where[WT_OFFSET_TEXT];
    if (o->place == WT_BEFORE_OBJECT)
        fprintf(out, "0x%" PRIx64 " is %" PRIu64 " byte%s before ", at, o->addr - at,
                wt_plural(o->addr - at));
    else {
        wt_offset_text(at - o->addr, 0, o->size, where, sizeof where);
        fprintf(out, "0x%" PRIx64 " is %s ", at, where);
    }
    print_what(out, o);
    fputc('\n', out);
}

static bool is_near(const struct wt_object_view *o, uint64_t at)
{
    const uint64_t most = UINT64_C(1) << 20;
    return o->place == WT_IN_OBJECT ||
           (at < o->addr ? o->addr - at : at - o->addr - o->size) < most;
}

/* Who made it, or freed it: @p by is the function, "" where it is not known. */
static void print_who(FILE *out, const struct wt_checks *checks, const char *did, const char *by,
                      const uint64_t *calls, unsigned depth)
{
    fprintf(out, "%s%s%s", did, *by ? " by " : "", by);
    if (!depth || !checks) {
        fputs(checks ? "; its calls are not known\n"
                     : "; its calls are known where the debugger is started with --check=memory\n",
              out);
        return;
    }
    fputc('\n', out);
    checks->print_calls(checks->context, out, calls, depth);
}

static void print_object(FILE *out, const struct wt_checks *checks, const struct wt_object_view *o,
                         uint64_t at, enum wt_allocation_of what)
{
    print_place(out, o, at);
    if (*o->name || !*o->by)
        return;
    if (what != WT_WHO_FREED)
        print_who(out, checks, "allocated", o->by, o->made, o->made_depth);
    if (o->freed && what != WT_WHO_ALLOCATED)
        print_who(out, checks, "freed", "", o->freed_by, o->freed_depth);
    else if (what == WT_WHO_FREED)
        fputs("It has not been freed.\n", out);
}

void wt_checks_print_made(FILE *out, const struct wt_checks *checks,
                          const struct wt_object_view *object)
{
    print_what(out, object);
    fputc('\n', out);
    if (!*object->name && *object->by)
        print_who(out, checks, "allocated", object->by, object->made, object->made_depth);
}

enum wt_status wt_checks_print_object(struct wt_debugger *d, const struct wt_checks *checks,
                                      wt_thread thread, struct wt_address addr,
                                      enum wt_allocation_of what, FILE *out, struct wt_error *err)
{
    struct wt_object_view list[WT_OBJECT_VIEWS];
    struct wt_debugger_time time;
    bool any = false;
    size_t count;
    const enum wt_status status = wt_debugger_objects(d, thread, addr, list, &count, err);
    if (status)
        return status;
    for (size_t i = 0; i < count; i++)
        if (is_near(&list[i], addr.offset)) {
            print_object(out, checks, &list[i], addr.offset, what);
            any = true;
        }
    if (!any)
        return wt_fail(err, WT_INVALID,
                       "no allocation is at 0x%" PRIx64 ", or within a mebibyte of it",
                       addr.offset);
    if (wt_debugger_time(d, &time, WT_IGNORED) == WT_OK && time.in_past)
        fputs("(Allocations are as the program has them in the present.)\n", out);
    return WT_OK;
}
