/* `monitor who-wrote`, `monitor who-read`: the accesses to a place in memory, for users of an
 * unmodified client. */
#include "frontend/rsp/session.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/called_place.h"
#include "base/text.h"
#include "base/wave_name.h"
#include "debug/core/touches.h"
#include "debug/source/callers.h"
#include "debug/source/described.h"
#include "debug/source/modules.h"

#define MOST_TOUCHES 200
#define DEFAULT_SIZE 4

/* The program as a module, read when it is first needed; an empty list if it has no file. */
static struct wt_modules *modules_of(struct wt_rsp_session *s)
{
    if (!s->modules && (s->modules = wt_modules_new()) && s->program) {
        /* The path may name another file by now. */
        char path[40];
        snprintf(path, sizeof path, "/proc/self/fd/%d", s->file);
        wt_modules_add_file(s->modules, path, 0, 0, NULL, WT_IGNORED);
    }
    return s->modules;
}

/* Parses ADDR[,LEN]: numbers, ADDR also a symbol. Negative numbers are addresses that were printed
 * as signed numbers. */
static bool parse_place(struct wt_rsp_session *s, const char *text, struct wt_address *addr,
                        uint64_t *size)
{
    char name[128], *end;
    uint64_t number;
    const size_t length = strcspn(text, ",");
    *size = DEFAULT_SIZE;
    if (length == 0 || length >= sizeof name)
        return false;
    memcpy(name, text, length);
    name[length] = 0;
    errno = 0;
    if (isdigit((unsigned char)*name) || *name == '-') {
        number = *name == '-' ? (uint64_t)strtoll(name, &end, 0) : strtoull(name, &end, 0);
        if (*end || errno)
            return false;
    } else if (!wt_modules_address(modules_of(s), 0, name, &number)) {
        return false;
    }
    *addr = wt_debugger_address(s->debugger, number);
    if (text[length] == ',') {
        const char *digits = text + length + 1;
        *size = strtoull(digits, &end, 0);
        return isdigit((unsigned char)*digits) && !*end && !errno && *size;
    }
    return true;
}

static void put_value(FILE *out, const uint8_t *bytes, unsigned size)
{
    fprintf(out, "0x");
    if (size > 8)
        fprintf(out, "%" PRIx64 "%016" PRIx64, wt_load_le(bytes + 8, size - 8),
                wt_load_le(bytes, 8));
    else
        fprintf(out, "%" PRIx64, wt_load_le(bytes, size));
}

/* "0x80004000: 0x0 -> 0x5", "0x80004000: 0x5" */
static void put_bytes(struct wt_rsp_session *s, FILE *out, const struct wt_watchpoint_hit *hit,
                      const uint8_t *before)
{
    fprintf(out, "0x%" PRIx64 ": ", hit->addr.offset);
    put_value(out, before, hit->size);
    if (s->errand.where.kind != WT_WATCHPOINT_READ) {
        fprintf(out, " -> ");
        put_value(out, hit->after, hit->size);
    }
    fputc('\n', out);
}

/* "threads 0-2, 7" */
static void put_lanes(struct wt_rsp_session *s, FILE *out, wt_lanes lanes)
{
    char list[WT_LANES_TEXT];
    wt_lanes_list(lanes, ", ", list, sizeof list);
    fprintf(out, "%s%s %s", s->topology->lane_word, wt_lanes_count(lanes) > 1 ? "s" : "", list);
}

static void put_touch(struct wt_rsp_session *s, FILE *out, const struct wt_touch *t)
{
    const char *word = s->topology->lane_word;
    char place[512], wave[WT_WAVE_NAME];
    const struct wt_called_place at = wt_place_in_calls(t->pc, &t->calls);
    wt_described_place(modules_of(s), &at, place, sizeof place);
    fprintf(out, "issue time %" PRIu64 ": ", t->time);
    wt_debugger_name_wave(s->debugger, &t->by, wave, sizeof wave);
    fprintf(out, "%s, ", wave);
    put_lanes(s, out, t->lanes);
    fprintf(out, ", %s", place);
    bool same = true;
    for (unsigned i = 0; i < t->shown; i++)
        same = same && wt_address_equal(t->lane[i].addr, t->last.addr) &&
               t->lane[i].size == t->last.size;
    if (same) {
        fprintf(out, ", ");
        put_bytes(s, out, &t->last, t->before);
        return;
    }
    fputc('\n', out);
    for (unsigned i = 0; i < t->shown; i++) {
        fprintf(out, "    %s %u, ", word, t->lane[i].lane);
        put_bytes(s, out, &t->lane[i], t->lane[i].before);
    }
    if (wt_lanes_count(t->lanes) > t->shown) {
        fprintf(out, "    … %s %u, ", word, t->last.lane);
        put_bytes(s, out, &t->last, t->last.before);
    }
}

static void end_search(struct wt_rsp_session *s, const struct wt_event *event, FILE *out)
{
    const struct wt_watchpoint_request where = s->errand.where;
    struct wt_error err;
    struct wt_debugger_time time;
    struct wt_touch *list = NULL;
    size_t count = 0;
    bool more = false;
    if (event->reason == WT_STOP_INTERRUPTED) {
        fprintf(out, "Interrupted: the search is not complete.\n");
        return;
    }
    wt_debugger_take_touches(s->debugger, &list, &count, &more);
    if (wt_debugger_time(s->debugger, &time, &err)) {
        fprintf(out, "%s\n", err.text);
        free(list);
        return;
    }
    if (count == 0)
        fprintf(out,
                "Nothing has %s 0x%" PRIx64 " (%" PRIu64 " bytes) between issue time %" PRIu64
                " and now, %" PRIu64 ". A debugger's own accesses are not listed.\n",
                where.kind == WT_WATCHPOINT_READ ? "read" : "written to", where.addr.offset,
                where.size, time.start, time.now);
    if (s->errand.all && more)
        fprintf(out, "(the last %zu; there may be more before)\n", count);
    for (size_t i = count; i-- > 0;)
        put_touch(s, out, &list[i]);
    if (count)
        fprintf(out, "'monitor goto %" PRIu64 "' goes to just before %s.\n", list[0].time,
                count > 1 ? "the last one" : "it");
    free(list);
}

static void search(struct wt_rsp_session *s, const char *args, enum wt_watchpoint_kind kind,
                   FILE *out)
{
    struct wt_error err = {0};
    struct wt_watchpoint_request where = {.kind = kind, .thread = s->killed ? 0 : wt_rsp_thread(s)};
    char text[160];
    bool all = false;
    size_t length = strlen(args);
    /* --all may come before or after the place. */
    if (strncmp(args, "--all", 5) == 0 && (!args[5] || isspace((unsigned char)args[5]))) {
        all = true;
        args += 5 + strspn(args + 5, " \t");
        length = strlen(args);
    } else if (length > 6 && strcmp(args + length - 5, "--all") == 0 &&
               isspace((unsigned char)args[length - 6])) {
        all = true;
        length -= 6;
    }
    while (length && isspace((unsigned char)args[length - 1]))
        length--;
    snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : sizeof text - 1),
             args);
    if (length >= sizeof text || !parse_place(s, text, &where.addr, &where.size)) {
        fprintf(
            out,
            "'%s' is not a place in memory: ADDR or ADDR,LEN, numbers, ADDR also a symbol; LEN is "
            "%d if it is left out\n",
            text, DEFAULT_SIZE);
        return;
    }
    const struct wt_callers callers = wt_callers_by_frames(modules_of(s));
    if (wt_client_begin_run(s->client, &err) ||
        wt_debugger_begin_touches(s->debugger, &where, NULL, all ? MOST_TOUCHES : 1, &callers,
                                  &err)) {
        fprintf(out, "%s\n", err.text);
        return;
    }
    wt_rsp_begin_errand(s, &(struct wt_rsp_errand){.end = end_search, .where = where, .all = all});
}

void wt_rsp_who_wrote(struct wt_rsp_session *s, const char *args, FILE *out)
{
    search(s, args, WT_WATCHPOINT_WRITE, out);
}

void wt_rsp_who_read(struct wt_rsp_session *s, const char *args, FILE *out)
{
    search(s, args, WT_WATCHPOINT_READ, out);
}
