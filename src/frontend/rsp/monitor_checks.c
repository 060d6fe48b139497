/* `monitor check`: what --check has found, and stops before it, for users of an unmodified client.
 */
#include "frontend/rsp/session.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void wt_rsp_stop_catching(struct wt_rsp_session *s)
{
    if (s->caught.addr.offset)
        wt_debugger_remove_watchpoint(s->debugger, &s->caught, WT_IGNORED);
    s->caught.addr.offset = 0;
}

/* Stops before each mistake of a kind from the next resume on. */
static enum wt_status catch_kind(struct wt_rsp_session *s, const char *kind, FILE *out,
                                 struct wt_error *err)
{
    uint64_t kinds = 0;
    const bool off = strcmp(kind, "off") == 0;
    enum wt_status status = off ? WT_OK : wt_checks_kinds(s->options->checks, kind, &kinds, err);
    if (status)
        return status;
    wt_rsp_stop_catching(s);
    s->caught = (struct wt_watchpoint_request){.kind = WT_WATCHPOINT_MISTAKE,
                                               .addr = wt_address_of(kinds),
                                               .size = 1,
                                               .owner = wt_client_number(s->client)};
    if (kinds && (status = wt_debugger_insert_watchpoint(s->debugger, &s->caught, err)) != WT_OK) {
        s->caught.addr.offset = 0;
        return status;
    }
    fputs(kinds ? "The program stops with SIGSEGV before each access that a check refuses.\n"
                : "The program does not stop for what checks find.\n",
          out);
    return WT_OK;
}

void wt_rsp_info_checks(struct wt_rsp_session *s, const char *text, FILE *out)
{
    const struct wt_checks *checks = s->options->checks;
    struct wt_check_place place[2];
    struct wt_error err;
    char *end;
    const uint64_t number = strtoull(text, &end, 10);
    enum wt_status status = wt_checks_need(checks, &err);
    if (!status && *text && (!isdigit((unsigned char)*text) || *end || !number))
        status = wt_fail(&err, WT_INVALID, "monitor info checks [NUMBER]");
    if (status || checks->print(checks->context, out, number, false, place, &err))
        fprintf(out, "%s\n", err.text);
}

/* "[goto] NUMBER [other]": to the time before a finding's access, as the console's. */
static enum wt_status go_to(struct wt_rsp_session *s, const char *text, FILE *out,
                            struct wt_error *err)
{
    const struct wt_checks *checks = s->options->checks;
    const char *word = text + (strncmp(text, "goto ", 5) == 0 ? 5 : 0);
    struct wt_check_place place[2] = {{.time = 0}};
    char *end, time[24];
    word += strspn(word, " ");
    const uint64_t number = strtoull(word, &end, 10);
    const bool other = strcmp(end + strspn(end, " "), "other") == 0;
    enum wt_status status = wt_checks_need(checks, err);
    if (status)
        return status;
    if (!isdigit((unsigned char)*word) || (*end && !other) || !number)
        return wt_fail(err, WT_INVALID,
                       "monitor check [goto] NUMBER [other], or check catch [KIND|off]; "
                       "'monitor info checks [NUMBER]' shows them");
    if ((status = checks->print(checks->context, NULL, number, false, place, err)) != WT_OK)
        return status;
    if (other && !place[1].wave)
        return wt_fail(err, WT_STATE, "finding %" PRIu64 " has no other access", number);
    if (!place[other].wave)
        return wt_fail(err, WT_STATE, "finding %" PRIu64 " is one of the host's side", number);
    struct wt_debugger_time recorded;
    if ((status = wt_debugger_time(s->debugger, &recorded, err)) != WT_OK)
        return status;
    if (place[other].time < recorded.start || place[other].time > recorded.end)
        return wt_checks_not_recorded(&recorded, place[other].time, true, err);
    snprintf(time, sizeof time, "%" PRIu64, place[other].time);
    wt_rsp_goto(s, time, out);
    return WT_OK;
}

void wt_rsp_check(struct wt_rsp_session *s, const char *args, FILE *out)
{
    struct wt_error err;
    const bool catches = strncmp(args, "catch", 5) == 0 && (!args[5] || args[5] == ' ');
    if (!*args)
        wt_rsp_info_checks(s, args, out);
    else if (catches ? catch_kind(s, args + 5 + strspn(args + 5, " "), out, &err)
                     : go_to(s, args, out, &err))
        fprintf(out, "%s\n", err.text);
}

static void print_object(struct wt_rsp_session *s, const char *args, enum wt_allocation_of what,
                         FILE *out)
{
    struct wt_error err;
    char *end;
    const uint64_t addr = strtoull(args, &end, 0);
    if (!isdigit((unsigned char)*args) || *end)
        fprintf(out, "'%s' is not an address.\n", args);
    else if (wt_checks_print_object(s->debugger, s->options->checks, wt_rsp_thread(s),
                                    wt_debugger_address(s->debugger, addr), what, out, &err))
        fprintf(out, "%s\n", err.text);
}

void wt_rsp_allocation(struct wt_rsp_session *s, const char *args, FILE *out)
{
    print_object(s, args, WT_ALLOCATION, out);
}
