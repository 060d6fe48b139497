/* See check.h. */
#include "cli/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/demangle.h"
#include "base/report.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/profile_file.h"
#include "runtime/common/counted_file.h"
#include "target/checks.h"

enum wt_status cli_check_set(struct cli_check *check, const char *value, struct wt_error *err)
{
    check->options = (struct wt_check_options){
        .limit = WT_CHECK_LIMIT, .quarantine = WT_CHECK_QUARANTINE, .first = 1, .last = UINT64_MAX};
    return wt_checks_parse(value, &check->options.checks, err);
}

enum wt_status cli_check_begin_programs(const struct cli_check *check, struct wt_error *err)
{
    char text[200];
    if (!check->options.checks)
        return WT_OK;
    wt_check_options_write(&check->options, text);
    return setenv(WT_CHECK_VARIABLE, text, 1) ? wt_fail(err, WT_NO_MEMORY, "no host memory")
                                              : WT_OK;
}

/* ---- a device here ---- */

enum wt_status cli_check_begin(struct cli_check *check, struct wt_emulated *e, struct wt_error *err)
{
    if (!check->options.checks)
        return WT_OK;
    if ((check->file = wt_counted_create(false, err)) < 0 ||
        cli_check_begin_programs(check, err) != WT_OK)
        return err->status;
    if (wt_check_wants(WT_CHECK_MEMORY) &&
        !(check->memory = wt_emulated_check(e, wt_checked_found, NULL)))
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    return WT_OK;
}

int cli_check_end(const struct cli_command *command, struct cli_check *check,
                  const struct wt_emulated *e, const char *report)
{
    if (!check->options.checks)
        return 0;
    wt_check_memory_end(check->memory);
    check->memory = NULL;
    const int status = cli_check_report(command, check, check->file, e->modules, report);
    close(check->file);
    return status;
}

/* ---- reports ---- */

struct reporting {
    const struct wt_modules *modules; /* of findings without code */
    const char *files;
    bool error;
};

/* The part of a report's object that names the object. */
static void report_object(struct wt_report_object *o, const struct wt_finding *f)
{
    if (!o->out || !f->has_object)
        return;
    fprintf(o->out, ",\"object\":{\"size\":%" PRIu64, f->object_size);
    if (f->access != WT_NO_ACCESS)
        fprintf(o->out, ",\"offset\":%" PRId64, (int64_t)(f->address - f->object));
    if (*f->object_name)
        wt_report_text(o, "name", f->object_name);
    fputc('}', o->out);
}

static void report_finding(void *context, const struct wt_finding *f,
                           const struct wt_family *family, const struct wt_modules *modules,
                           const char *maps, long process)
{
    struct reporting *r = context;
    struct wt_report_object o;
    char lanes[WT_LANES_TEXT];
    const char *function, *file;
    uint64_t offset;
    unsigned line;
    r->error |= f->severity == WT_ERROR;
    if (!modules)
        modules = r->modules;
    wt_lanes_list((wt_lanes)f->lanes[1] << 64 | f->lanes[0], ",", lanes, sizeof lanes);
    wt_report_begin_of(&o, r->files, "finding", process);
    wt_report_text(&o, "finding", wt_finding_name(f->kind));
    wt_report_text(&o, "severity", wt_severity_name(f->severity));
    wt_report_text(&o, "text", f->text);
    if (f->access != WT_NO_ACCESS) {
        wt_report_text(&o, "access", wt_access_word((enum wt_access)f->access));
        wt_report_number(&o, "bytes", f->bytes);
    }
    if (f->pc) {
        wt_report_text(&o, "lanes", lanes);
        wt_report_address(&o, "pc", f->pc);
        if (modules && wt_modules_function(modules, 0, f->pc, &function, &offset))
            wt_report_text(&o, "function", function);
        if (modules && wt_modules_line(modules, 0, f->pc, &file, &line)) {
            wt_report_text(&o, "file", file);
            wt_report_number(&o, "line", line);
        }
    }
    report_object(&o, f);
    wt_report_end(&o);
    fprintf(stderr, "wavetrap: %s: %s %s\n", wt_severity_name(f->severity),
            wt_finding_name(f->kind), f->text);
}

int cli_check_report(const struct cli_command *command, const struct cli_check *check, int fd,
                     const struct wt_modules *modules, const char *report)
{
    struct cli_profile_file file = {.modules = NULL};
    struct reporting r = {.modules = modules, .files = report};
    struct wt_error err;
    uint64_t more;
    if (!check->options.checks)
        return 0;
    const enum wt_status status =
        cli_profile_read_findings(fd, &file, report_finding, &r, &more, &err);
    cli_profile_file_free(&file);
    return status ? cli_fail(command, &err) : r.error ? WT_CHECK_STATUS : 0;
}
