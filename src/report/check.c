/* See check.h. */
#include "report/check.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/private_dir.h"
#include "base/report.h"
#include "base/text.h"
#include "report/found.h"
#include "runtime/common/counted.h"
#include "runtime/common/environment.h"
#include "target/checks.h"
#include "target/core_file.h"

enum { FEW_NOTES = 5 }; /* that are printed */

/* ---- options ---- */

/* The options may come in any order. */
static struct wt_check_options *options_of(struct wt_report_check *check)
{
    if (!check->any)
        check->options = (struct wt_check_options){.limit = WT_CHECK_LIMIT,
                                                   .quarantine = WT_CHECK_QUARANTINE,
                                                   .first = 1,
                                                   .last = UINT64_MAX};
    check->any = true;
    return &check->options;
}

enum wt_status wt_report_set_check(void *context, const char *value, struct wt_error *err)
{
    struct wt_report_check *check = context;
    return wt_checks_parse(value, &options_of(check)->checks, err);
}

enum wt_status wt_report_set_check_limit(void *context, const char *value, struct wt_error *err)
{
    struct wt_report_check *check = context;
    return wt_parse_number(value, &options_of(check)->limit, err);
}

enum wt_status wt_report_set_check_quarantine(void *context, const char *value,
                                              struct wt_error *err)
{
    struct wt_report_check *check = context;
    options_of(check)->quarantine = 0;
    return strcmp(value, "0") == 0 ? WT_OK
                                   : wt_parse_size(value, "", &check->options.quarantine, err);
}

enum wt_status wt_report_set_check_stop(void *context, const char *value, struct wt_error *err)
{
    struct wt_report_check *check = context;
    options_of(check)->stop = true;
    return WT_OK;
}

enum wt_status wt_report_set_check_warnings(void *context, const char *value, struct wt_error *err)
{
    struct wt_report_check *check = context;
    options_of(check);
    check->warnings_are_errors = true;
    return strcmp(value, "error") == 0
               ? WT_OK
               : wt_fail(err, WT_INVALID, "takes error, not '%.40s'", value);
}

enum wt_status wt_report_set_check_kernel(void *context, const char *value, struct wt_error *err)
{
    struct wt_report_check *check = context;
    options_of(check);
    check->kernel = value;
    return WT_OK;
}

enum wt_status wt_report_set_check_launch(void *context, const char *value, struct wt_error *err)
{
    struct wt_report_check *check = context;
    struct wt_check_options *o = options_of(check);
    char first[24];
    const size_t length = strcspn(value, "-");
    const char *dash = value[length] ? value + length : NULL;
    bool good = length < sizeof first && (length || (dash && dash[1]));
    snprintf(first, sizeof first, "%.*s", (int)length, value);
    good = good && (!length || !wt_parse_number(first, &o->first, WT_IGNORED));
    if (good && !dash)
        o->last = o->first;
    good = good && (!dash || !dash[1] || !wt_parse_number(dash + 1, &o->last, WT_IGNORED));
    return good && o->first && o->first <= o->last
               ? WT_OK
               : wt_fail(err, WT_INVALID, "takes FIRST-LAST, launches from 1 on, not '%.60s'",
                         value);
}

enum wt_status wt_report_set_check_lanes(void *context, const char *value, struct wt_error *err)
{
    struct wt_report_check *check = context;
    const bool lockstep = strcmp(value, "lockstep") == 0;
    options_of(check)->lanes = lockstep ? WT_LANES_LOCKSTEP : WT_LANES_INDEPENDENT;
    return lockstep || strcmp(value, "independent") == 0
               ? WT_OK
               : wt_fail(err, WT_INVALID, "takes lockstep or independent, not '%.40s'", value);
}

enum wt_status wt_report_set_check_init(void *context, const char *value, struct wt_error *err)
{
    struct wt_report_check *check = context;
    const bool load = strcmp(value, "load") == 0;
    options_of(check)->init = load ? WT_INIT_LOAD : WT_INIT_COPY;
    return load || strcmp(value, "copy") == 0
               ? WT_OK
               : wt_fail(err, WT_INVALID, "takes load or copy, not '%.40s'", value);
}

enum wt_status wt_report_set_check_config(void *context, const char *value, struct wt_error *err)
{
    struct wt_report_check *check = context;
    options_of(check);
    return wt_report_suppressions_read(&check->suppressions, value, err);
}

enum wt_status wt_report_set_check_print_suppressions(void *context, const char *value,
                                                      struct wt_error *err)
{
    struct wt_report_check *check = context;
    options_of(check);
    check->print_suppressions = true;
    return WT_OK;
}

enum wt_status wt_report_set_check_report(struct wt_report_check *check, const char *value,
                                          bool *taken, struct wt_error *err)
{
    const bool sarif = strncmp(value, "sarif:", 6) == 0, junit = strncmp(value, "junit:", 6) == 0;
    char **files = sarif ? &check->sarif : &check->junit;
    char whole[PATH_MAX], *all;
    *taken = (sarif || junit) && !strchr(value, '\n');
    if (!*taken)
        return WT_OK;
    options_of(check);
    const enum wt_status status = wt_file_make(value + 6, whole, err);
    if (status)
        return status;
    if (asprintf(&all, "%s%s\n", *files ? *files : "", whole) < 0)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    free(*files);
    *files = all;
    return WT_OK;
}

enum wt_status wt_report_check_complete(struct wt_report_check *check, struct wt_error *err)
{
    if (!check->options.checks)
        return check->any ? wt_fail(err, WT_INVALID,
                                    "--check-… and --report=sarif:FILE and junit:FILE are for "
                                    "--check=LIST, which is missing")
                          : WT_OK;
    char *path = realpath(WT_CHECKS_FILE, NULL);
    enum wt_status status = WT_OK;
    if (path && wt_private_file(path, err))
        fprintf(stderr, "wavetrap: %s\n", err->text);
    else if (path)
        status = wt_report_suppressions_read(&check->suppressions, WT_CHECKS_FILE, err);
    free(path);
    return status;
}

void wt_report_check_free(struct wt_report_check *check)
{
    free(check->sarif);
    free(check->junit);
    free(check->maps);
    wt_report_suppressions_free(&check->suppressions);
}

enum wt_status wt_report_check_begin_programs(const struct wt_report_check *check,
                                              struct wt_error *err)
{
    char text[200];
    if (!check->options.checks)
        return WT_OK;
    wt_check_options_write(&check->options, text);
    return setenv(WT_CHECK_VARIABLE, text, 1) ? wt_fail(err, WT_NO_MEMORY, "no host memory")
                                              : WT_OK;
}

/* ---- a device here ---- */

enum wt_status wt_report_check_begin(struct wt_report_check *check, struct wt_emulated *e,
                                     struct wt_error *err)
{
    if (!check->options.checks)
        return WT_OK;
    if ((check->file = wt_counted_create(false, err)) < 0 ||
        wt_report_check_begin_programs(check, err) != WT_OK)
        return err->status;
    enum wt_check_lanes lanes = wt_check_lanes();
    if (lanes == WT_LANES_BY_FAMILY && e->family->run.independent_lanes &&
        e->family->run.independent_lanes(e))
        lanes = WT_LANES_INDEPENDENT;
    const struct wt_check_start start = {.machine = e->machine,
                                         .space = e->machine,
                                         .found = wt_checked_found,
                                         .lanes = lanes,
                                         .level = wt_check_init_level()};
    if (!wt_emulated_check(e, &check->set, &start, wt_checks_of_machines(), wt_checked_unseen))
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    const unsigned checks = check->options.checks;
    if (checks & (WT_CHECK_LEAK | WT_CHECK_API) && wt_checks_are_named(checks))
        wt_checked_unseen("--check=leak and --check=api look at the calls of host programs (exec): "
                          "this program makes none");
    return WT_OK;
}

enum wt_status wt_report_check_take_core_file(struct wt_report_check *check,
                                              const struct wt_core_file *core,
                                              const struct wt_emulated *e, struct wt_error *err)
{
    struct wt_archive findings, objects;
    const bool found = wt_core_file_findings(core, &findings);
    if (wt_core_file_objects(core, &objects))
        wt_checked_read_objects(&objects, e->machine, &check->maps);
    if (objects.failed)
        return wt_fail(err, WT_INVALID, "the core file is damaged: %s", objects.why);
    if (!found && !check->maps) /* nothing was checked */
        return WT_OK;
    if ((check->file = wt_counted_create(false, err)) < 0)
        return err->status;
    check->of_core_file = wt_counted_is_wanted();
    if (found)
        wt_checked_read(&findings);
    return findings.failed ? wt_fail(err, WT_INVALID, "the core file is damaged: %s", findings.why)
                           : WT_OK;
}

int wt_report_check_end(const char *command, struct wt_report_check *check,
                        const struct wt_emulated *e, const char *report)
{
    if (!check->options.checks)
        return 0;
    wt_check_set_end(&check->set);
    const int status = wt_report_check_report(command, check, check->file, e, NULL, report);
    close(check->file);
    return status;
}

/* ---- reports ---- */

/* Whether a finding is one of a kernel that is not wanted. */
static bool is_of_other_kernel(const struct wt_report_check *check, const struct wt_report_found *f)
{
    char plain[sizeof f->kernel];
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(f->kernel, "("), f->kernel);
    return check->kernel && f->finding.pc && *f->kernel &&
           fnmatch(check->kernel, f->kernel, 0) != 0 && fnmatch(check->kernel, plain, 0) != 0;
}

/* Decides which findings are reported, and how. */
static void select_findings(struct wt_report_check *check, struct wt_report_found_list *all)
{
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++) {
        struct wt_report_found *f = &all->list[i];
        if (is_of_other_kernel(check, f)) {
            wt_report_found_free_one(f);
            continue;
        }
        if (check->warnings_are_errors && f->finding.severity == WT_WARNING)
            f->finding.severity = WT_ERROR;
        f->suppressed = wt_report_suppressions_hold(&check->suppressions, f);
        all->list[kept++] = *f;
    }
    all->count = kept;
    wt_report_found_few(all, check->any ? check->options.limit : UINT64_MAX);
}

struct sums {
    size_t of[WT_NOTE + 1], suppressed;
};

static struct sums count(const struct wt_report_found_list *all)
{
    struct sums s = {.suppressed = 0};
    for (size_t i = 0; i < all->count; i++) {
        if (all->list[i].suppressed)
            s.suppressed++;
        else
            s.of[all->list[i].finding.severity]++;
    }
    return s;
}

/* @p looked NULL: the command has said what was executed. */
static void print_sums(const struct wt_report_check *check, const struct sums *s,
                       const struct wt_report_found_list *all,
                       const struct wt_report_looked *looked)
{
    const uint64_t more = all->sums.more, unjudged = all->sums.unjudged;
    size_t used = 0;
    if (looked && !all->sums.opened && !all->count) {
        if (looked->began)
            fputs("wavetrap: checks: the program has opened no emulated GPU: nothing was looked "
                  "at\n",
                  stderr);
        return;
    }
    const size_t lines = check->suppressions.count;
    for (size_t i = 0; i < lines; i++)
        used += check->suppressions.list[i].used != 0;
    fprintf(stderr, "wavetrap: checks: %zu error%s, %zu warning%s, %zu note%s", s->of[WT_ERROR],
            wt_plural(s->of[WT_ERROR]), s->of[WT_WARNING], wt_plural(s->of[WT_WARNING]),
            s->of[WT_NOTE], wt_plural(s->of[WT_NOTE]));
    if (s->of[WT_NOTE] > FEW_NOTES)
        fputs(" (not printed; --report has them)", stderr);
    if (lines)
        fprintf(stderr, "; %zu suppressed, by %zu of %zu suppression%s", s->suppressed, used, lines,
                wt_plural(lines));
    if (more)
        fprintf(stderr, "; %" PRIu64 " more beyond --check-limit=%" PRIu64, more,
                check->options.limit);
    if (looked && !looked->launches)
        fputs("; no kernel was launched", stderr);
    if (looked && looked->faults)
        fprintf(stderr, "; a fault has ended %" PRIu64 " kernel%s", looked->faults,
                wt_plural(looked->faults));
    fputc('\n', stderr);
    if (unjudged)
        fprintf(stderr,
                "wavetrap: --check=race did not judge %" PRIu64 " pair%s of operations of two host "
                "threads: no call of the program orders the threads\n",
                unjudged, wt_plural(unjudged));
    for (size_t i = 0; i < lines; i++)
        if (!check->suppressions.list[i].used)
            fprintf(stderr, "wavetrap: %s: this suppression was not used\n",
                    check->suppressions.list[i].from);
}

/* Whether a host's finding of the same kind, with other calls, has this call, too. */
static bool is_of_another(const struct wt_report_found_list *all, const struct wt_report_found *f,
                          const struct wt_report_call *c)
{
    for (size_t i = 0; i < all->count; i++) {
        const struct wt_report_found *other = &all->list[i];
        for (size_t k = 0; k < other->calls.count && other->finding.kind == f->finding.kind; k++) {
            const struct wt_report_call *call = &other->calls.list[k];
            if (other != f && !other->suppressed && call->line == c->line &&
                strcmp(call->file, c->file) == 0 && strcmp(call->function, c->function) == 0)
                return true;
        }
    }
    return false;
}

/* Whether a file is a library's header, in which all who call its functions are. */
static bool is_header(const char *file)
{
    return strncmp(file, "/usr/", 5) == 0 || strncmp(file, "/opt/", 5) == 0 ||
           strstr(file, "cuda_runtime") || strstr(file, "hip_runtime");
}

/* The place by which a finding is suppressed: of the host the innermost call that is not in a
 * header and no other's. */
static const struct wt_report_call *place_of_suppression(const struct wt_report_found_list *all,
                                                         const struct wt_report_found *f)
{
    for (size_t i = 0; i < f->calls.count && !f->finding.pc; i++) {
        const struct wt_report_call *c = &f->calls.list[i];
        if (c->own && !is_header(c->file) && !is_of_another(all, f, c))
            return c;
    }
    return wt_report_found_place(f);
}

/* Says what to type to stop at the first finding that a debugger of GPUs gets to. */
static void print_command(const struct wt_report_check *check,
                          const struct wt_report_found_list *all,
                          const struct wt_report_looked *looked)
{
    const struct wt_report_found *first = NULL;
    for (size_t i = 0; i < all->count && !first; i++)
        if (!all->list[i].suppressed && all->list[i].finding.pc &&
            all->list[i].finding.severity != WT_NOTE)
            first = &all->list[i];
    const struct wt_report_call *place = first ? wt_report_found_place(first) : NULL;
    const char *slash = place ? strrchr(place->file, '/') : NULL;
    const bool stops =
        first && wt_finding_stop((enum wt_finding_kind)first->finding.kind) != WT_STOP_NEVER;
    if (!check->again[0] || !check->again[1] ||
        !(stops || (place && place->line) || (!first && looked && looked->faults)))
        return;
    fprintf(stderr, "wavetrap: to stop there: %s", check->again[0]);
    if (stops)
        fputs(" -ex 'catch check'", stderr);
    else if (first)
        fprintf(stderr, " -ex 'break %s:%u'", slash ? slash + 1 : place->file, place->line);
    fprintf(stderr, " -ex run%s\n", check->again[1]);
}

/* Adds one object to a JSON report: the numbers of findings by severity, of launches and faults
 * that were checked, and the sentences on what the checks cannot see. */
static void report_sums(const struct sums *s, const struct wt_report_found_list *all,
                        const struct wt_report_looked *looked, const char *report)
{
    struct wt_report_object o;
    wt_report_begin(&o, report, "checks");
    wt_report_number(&o, "errors", s->of[WT_ERROR]);
    wt_report_number(&o, "warnings", s->of[WT_WARNING]);
    wt_report_number(&o, "notes", s->of[WT_NOTE]);
    wt_report_number(&o, "suppressed", s->suppressed);
    wt_report_number(&o, "more", all->sums.more);
    if (looked) {
        wt_report_number(&o, "launches", looked->launches);
        wt_report_number(&o, "faults", looked->faults);
    }
    wt_report_number(&o, "unjudged", all->sums.unjudged);
    wt_report_begin_list(&o, "unseen");
    for (const char *text = all->unseen; text && *text; text += strlen(text) + 1) {
        wt_report_begin_member(&o, NULL);
        wt_report_text(&o, "text", text);
        wt_report_end_member(&o);
    }
    wt_report_end_list(&o);
    wt_report_end(&o);
}

static void print_findings(const struct wt_report_check *check,
                           const struct wt_report_found_list *all,
                           const struct wt_report_looked *looked, const char *report)
{
    const struct sums s = count(all);
    for (size_t i = 0; i < all->count; i++) {
        const struct wt_report_found *f = &all->list[i];
        if (f->suppressed)
            continue;
        wt_report_found_report(report, f);
        if (f->finding.severity != WT_NOTE || s.of[WT_NOTE] <= FEW_NOTES)
            wt_report_found_print(stderr, f);
    }
    report_sums(&s, all, looked, report);
    print_sums(check, &s, all, looked);
    print_command(check, all, looked);
    for (size_t i = 0; i < all->count && check->print_suppressions; i++)
        if (!all->list[i].suppressed)
            wt_report_suppression_print(stderr, &all->list[i],
                                        place_of_suppression(all, &all->list[i]));
}

/* Writes each of the files, a name a line. */
static enum wt_status write_files(const char *files,
                                  enum wt_status (*write)(const char *path,
                                                          const struct wt_report_found_list *all,
                                                          struct wt_error *err),
                                  const struct wt_report_found_list *all, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    while (files && *files && !status) {
        char pattern[PATH_MAX], name[PATH_MAX];
        const size_t length = strcspn(files, "\n");
        snprintf(pattern, sizeof pattern, "%.*s", (int)length, files);
        status = wt_file_name(pattern, 1, name, sizeof name, err);
        if (!status)
            status = write(name, all, err);
        files += length + 1;
    }
    return status;
}

/* A line of a list. */
static void print_line(FILE *out, size_t number, const struct wt_report_found *f)
{
    const struct wt_report_call *place = wt_report_found_place(f);
    char sentence[512];
    wt_report_found_sentence(f, sentence, sizeof sentence);
    fprintf(out, "%zu  %s: %s", number, wt_severity_name((enum wt_severity)f->finding.severity),
            sentence);
    if (place && *place->function)
        fprintf(out, ", %s", place->function);
    if (place && place->line && !place->after)
        fprintf(out, " at %s:%u", place->file, place->line);
    if (f->finding.pc)
        fprintf(out, ", issue time %" PRIu64, f->finding.time);
    fputc('\n', out);
}

static bool is_race(const struct wt_report_found *f)
{
    return wt_finding_check((enum wt_finding_kind)f->finding.kind) == WT_CHECK_RACE;
}

static void set_call(struct wt_check_place *place, const struct wt_report_call *call)
{
    place->lane = place->lanes ? wt_lanes_lowest(place->lanes) : 0;
    if (!call)
        return;
    place->line = call->line;
    snprintf(place->function, sizeof place->function, "%s", call->function);
    snprintf(place->file, sizeof place->file, "%s", call->file);
}

static enum wt_status print(void *context, FILE *out, uint64_t number, bool races,
                            struct wt_check_place *place, struct wt_error *err)
{
    size_t listed = 0;
    struct wt_report_check *check = context;
    struct wt_report_found_list all = {.count = 0};
    enum wt_status status = wt_report_found_read(*check->of.file, check->of.e, &all, err);
    if (!status)
        select_findings(check, &all);
    if (!status && number > all.count)
        status =
            wt_fail(err, WT_INVALID, "there is no finding %" PRIu64 " (of %zu)", number, all.count);
    if (!status && number) {
        const struct wt_report_found *f = &all.list[number - 1];
        const struct wt_finding *one = &f->finding;
        place[0] = (struct wt_check_place){
            .time = one->time, .wave = one->wave_id, .lanes = wt_finding_lanes(one)};
        if (one->access != WT_NO_ACCESS)
            place[0].access = wt_access_word((enum wt_access)one->access);
        set_call(&place[0], wt_report_found_place(f));
        place[1] = (struct wt_check_place){.time = one->other.time,
                                           .wave = one->other.wave_id,
                                           .lanes = wt_finding_other_lanes(one)};
        if (one->other.pc || *one->other.wave)
            place[1].access = wt_access_word((enum wt_access)one->other.access);
        set_call(&place[1], one->other.pc ? f->other.list : wt_report_calls_own(&f->other));
    }
    if (!status && out && number)
        wt_report_found_print(out, &all.list[number - 1]);
    for (size_t i = 0; !status && out && !number && i < all.count; i++)
        if (!races || is_race(&all.list[i])) {
            print_line(out, i + 1, &all.list[i]);
            listed++;
        }
    if (!status && out && !number && !listed)
        fputs(races ? "No race was found.\n" : "No mistake was found.\n", out);
    wt_report_found_free(&all);
    return status;
}

/* The list is made anew, which reads debug information, where the file has got more findings. */
static uint64_t count_findings(void *context)
{
    struct wt_report_check *check = context;
    struct wt_report_found_list all = {.count = 0};
    const size_t used = wt_report_found_used(*check->of.file);
    if (used != check->used &&
        wt_report_found_read(*check->of.file, check->of.e, &all, WT_IGNORED) == WT_OK) {
        select_findings(check, &all);
        check->used = used;
        check->counted = all.count;
    }
    wt_report_found_free(&all);
    return check->counted;
}

/* Whether a finding is that of a stop: 2, or one like it: 1. */
static int concerns(const struct wt_finding *f, const struct wt_event *event)
{
    if (f->kind != event->mistake || f->pc != event->pc)
        return 0;
    return 1 + (f->time == event->time && f->address == event->addr.offset);
}

static bool describe(void *context, const struct wt_event *event, char *text, size_t size)
{
    struct wt_report_check *check = context;
    struct wt_report_found_list all = {.count = 0};
    const struct wt_report_found *best = NULL;
    size_t number = 0, best_number = 0;
    char sentence[512];
    bool wanted = true;
    int nearest = 0;
    snprintf(text, size, "%s", wt_finding_name((enum wt_finding_kind)event->mistake));
    if (wt_report_found_read(*check->of.file, check->of.e, &all, WT_IGNORED) != WT_OK)
        return true;
    for (size_t i = 0; i < all.count; i++) {
        const int near = concerns(&all.list[i].finding, event);
        number += !is_of_other_kernel(check, &all.list[i]);
        if (near > nearest) {
            best = &all.list[i];
            best_number = number;
        }
        nearest = near > nearest ? near : nearest;
    }
    if (best) {
        wt_report_found_sentence(best, sentence, sizeof sentence);
        snprintf(text, size, "%s, finding %zu", sentence, best_number);
        wanted = !is_of_other_kernel(check, best) &&
                 !wt_report_suppressions_hold(&check->suppressions, best);
    }
    wt_report_found_free(&all);
    return wanted;
}

static const char *kind_of_kernels(void *context, unsigned kind)
{
    const struct wt_report_check *check = context;
    const unsigned checks = check->of_core_file ? WT_CHECK_MEMORY : check->options.checks;
    if (kind >= WT_FINDING_KINDS)
        return NULL;
    const enum wt_finding_kind of = (enum wt_finding_kind)kind;
    const enum wt_finding_stop stop = wt_finding_stop(of);
    return wt_finding_check(of) & checks &&
                   (stop == WT_STOP_THERE ||
                    (stop == WT_STOP_LOADS && check->options.init == WT_INIT_LOAD))
               ? wt_finding_name(of)
               : "";
}

/* Calls of the program that is debugged, which is there, or of that of a core file. */
static void print_calls(void *context, FILE *out, const uint64_t *calls, unsigned depth)
{
    const struct wt_report_check *check = context;
    struct wt_call_stack stack = {.depth = depth < WT_STACK_DEPTH ? depth : WT_STACK_DEPTH};
    struct wt_report_host_files files = {.count = 0};
    struct wt_report_calls list = {.count = 0};
    char path[40];
    uint8_t *maps = NULL;
    size_t length;
    for (unsigned i = 0; i < stack.depth; i++)
        stack.address[i] = (void *)(uintptr_t)calls[i];
    snprintf(path, sizeof path, "/proc/%d/maps",
             check->of.pid ? check->of.pid(check->of.context) : 0);
    if (check->maps)
        wt_report_host_calls(&files, check->maps, &stack, &list);
    else if (check->of.pid && wt_file_read(path, &maps, &length, WT_IGNORED) == WT_OK)
        wt_report_host_calls(&files, (const char *)maps, &stack, &list);
    wt_report_calls_print(out, &list, "  ");
    if (!list.count)
        fputs("  the calls cannot be read\n", out);
    free(maps);
    wt_report_calls_free(&list);
    wt_report_host_files_free(&files);
}

const struct wt_checks *wt_report_check_offer(struct wt_report_check *check,
                                              const struct wt_report_checked *of)
{
    check->of = *of;
    check->offered =
        (struct wt_checks){kind_of_kernels, describe, print, count_findings, print_calls, check};
    return check->options.checks || check->of_core_file ? &check->offered : NULL;
}

int wt_report_check_report(const char *command, struct wt_report_check *check, int fd,
                           const struct wt_emulated *e, const struct wt_report_looked *looked,
                           const char *report)
{
    struct wt_report_found_list all = {.count = 0};
    struct wt_error err;
    if (!check->options.checks)
        return 0;
    enum wt_status status = wt_report_found_read(fd, e, &all, &err);
    select_findings(check, &all);
    print_findings(check, &all, looked, report);
    const size_t errors = count(&all).of[WT_ERROR];
    if (!status)
        status = write_files(check->sarif, wt_report_found_write_sarif, &all, &err);
    if (!status)
        status = write_files(check->junit, wt_report_found_write_junit, &all, &err);
    wt_report_found_free(&all);
    return status ? wt_report_failed(command, &err) : errors ? WT_CHECK_STATUS : 0;
}
