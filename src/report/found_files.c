/* Files of findings for tools of continuous integration. See found.h. */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "report/found.h"

#define VERSION_OF_SARIF "2.1.0"

/* ---- SARIF ---- */

static void add_text(json_object *to, const char *name, const char *text)
{
    json_object_object_add(to, name, json_object_new_string(text));
}

static json_object *new_message(const char *text)
{
    json_object *message = json_object_new_object();
    add_text(message, "text", text);
    return message;
}

/* Characters of a path that stand for themselves in a URI (RFC 3986, 3.3). */
static void write_uri(const char *path, char *uri, size_t size)
{
    size_t used = (size_t)snprintf(uri, size, "%s", path[0] == '/' ? "file://" : "");
    for (; *path && used + 4 < size; path++) {
        const bool plain = (*path >= 'a' && *path <= 'z') || (*path >= 'A' && *path <= 'Z') ||
                           (*path >= '0' && *path <= '9') || strchr("-._~/+@,=", *path);
        used += (size_t)snprintf(uri + used, size - used, plain ? "%c" : "%%%02X",
                                 (unsigned char)*path);
    }
}

/* A location object (3.28). */
static json_object *new_location(const struct wt_report_call *c)
{
    json_object *location = json_object_new_object();
    if (c->line) {
        char uri[4096];
        json_object *physical = json_object_new_object(), *artifact = json_object_new_object(),
                    *region = json_object_new_object();
        write_uri(c->file, uri, sizeof uri);
        add_text(artifact, "uri", uri);
        json_object_object_add(physical, "artifactLocation", artifact);
        if (c->after) {
            json_object_put(region);
        } else {
            json_object_object_add(region, "startLine", json_object_new_int64(c->line));
            json_object_object_add(physical, "region", region);
        }
        json_object_object_add(location, "physicalLocation", physical);
    }
    if (*c->function) {
        json_object *logical = json_object_new_object(), *list = json_object_new_array();
        add_text(logical, "fullyQualifiedName", c->function);
        add_text(logical, "kind", "function");
        json_object_array_add(list, logical);
        json_object_object_add(location, "logicalLocations", list);
    }
    return location;
}

/* Adds a stack (3.44) to a list, unless it is empty. */
static void add_stack(json_object *stacks, const char *what, const struct wt_report_calls *calls)
{
    if (!calls->count)
        return;
    json_object *stack = json_object_new_object(), *frames = json_object_new_array();
    for (size_t i = 0; i < calls->count; i++) {
        json_object *frame = json_object_new_object();
        json_object_object_add(frame, "location", new_location(&calls->list[i]));
        json_object_array_add(frames, frame);
    }
    json_object_object_add(stack, "message", new_message(what));
    json_object_object_add(stack, "frames", frames);
    json_object_array_add(stacks, stack);
}

/* A result (3.27). */
static json_object *new_result(const struct wt_report_found *f)
{
    json_object *result = json_object_new_object(), *locations = json_object_new_array(),
                *stacks = json_object_new_array();
    const struct wt_report_call *place = wt_report_found_place(f);
    char text[512];
    wt_report_found_sentence(f, text, sizeof text);
    add_text(result, "ruleId", wt_finding_name(f->finding.kind));
    json_object_object_add(result, "ruleIndex", json_object_new_int((int)f->finding.kind));
    add_text(result, "level", wt_severity_name((enum wt_severity)f->finding.severity));
    json_object_object_add(result, "message", new_message(text));
    if (place)
        json_object_array_add(locations, new_location(place));
    json_object_object_add(result, "locations", locations);
    if (f->other.count) {
        json_object *related = json_object_new_array();
        json_object_array_add(related, new_location(&f->other.list[0]));
        json_object_object_add(result, "relatedLocations", related);
    }
    add_stack(stacks, f->finding.access == WT_NO_ACCESS ? "the place" : "the access", &f->calls);
    add_stack(stacks,
              f->finding.other.access == WT_NO_ACCESS ? "the other place" : "the other access",
              &f->other);
    add_stack(stacks, "the launch", &f->launch);
    add_stack(stacks, "the allocation", &f->made);
    add_stack(stacks, "the end of the allocation", &f->ended);
    json_object_object_add(result, "stacks", stacks);
    json_object_object_add(result, "occurrenceCount",
                           json_object_new_uint64(f->finding.times ? f->finding.times : 1));
    if (f->suppressed) {
        json_object *suppression = json_object_new_object(), *list = json_object_new_array();
        add_text(suppression, "kind", "external");
        json_object_array_add(list, suppression);
        json_object_object_add(result, "suppressions", list);
    }
    return result;
}

static json_object *new_tool(void)
{
    json_object *tool = json_object_new_object(), *driver = json_object_new_object(),
                *rules = json_object_new_array();
    for (unsigned kind = 0; kind < WT_FINDING_KINDS; kind++) {
        json_object *rule = json_object_new_object();
        add_text(rule, "id", wt_finding_name((enum wt_finding_kind)kind));
        json_object_object_add(rule, "shortDescription",
                               new_message(wt_finding_meaning((enum wt_finding_kind)kind)));
        json_object *usual = json_object_new_object();
        add_text(usual, "level",
                 wt_severity_name(wt_finding_severity((enum wt_finding_kind)kind, false)));
        json_object_object_add(rule, "defaultConfiguration", usual);
        json_object_array_add(rules, rule);
    }
    add_text(driver, "name", "wavetrap");
    json_object_object_add(driver, "rules", rules);
    json_object_object_add(tool, "driver", driver);
    return tool;
}

static enum wt_status write_text(const char *path, const char *text, struct wt_error *err)
{
    FILE *file = fopen(path, "we");
    const bool written = file && fputs(text, file) >= 0;
    if (file && fclose(file) == 0 && written)
        return WT_OK;
    return wt_fail(err, WT_IO, "%.400s: cannot be written", path);
}

enum wt_status wt_report_found_write_sarif(const char *path, const struct wt_report_found_list *all,
                                           struct wt_error *err)
{
    json_object *log = json_object_new_object(), *runs = json_object_new_array(),
                *run = json_object_new_object(), *results = json_object_new_array();
    for (size_t i = 0; i < all->count; i++)
        json_object_array_add(results, new_result(&all->list[i]));
    add_text(log, "version", VERSION_OF_SARIF);
    add_text(log, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    json_object_object_add(run, "tool", new_tool());
    json_object_object_add(run, "results", results);
    json_object_array_add(runs, run);
    json_object_object_add(log, "runs", runs);
    const enum wt_status status =
        write_text(path,
                   json_object_to_json_string_ext(log, JSON_C_TO_STRING_PRETTY |
                                                           JSON_C_TO_STRING_NOSLASHESCAPE),
                   err);
    json_object_put(log);
    return status;
}

/* ---- JUnit ---- */

/* Text of XML 1.0: what it cannot have becomes '?'. */
static void put_xml(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '&' || *text == '<' || *text == '>' || *text == '"')
            fprintf(out, "&#%d;", *text);
        else if ((unsigned char)*text < ' ' && *text != '\n')
            fputc('?', out);
        else
            fputc(*text, out);
    }
}

static void put_case(FILE *out, const struct wt_report_found *f)
{
    const struct wt_report_call *place = wt_report_found_place(f);
    char sentence[512], *report = NULL;
    size_t size;
    wt_report_found_sentence(f, sentence, sizeof sentence);
    fputs("  <testcase classname=\"wavetrap.", out);
    put_xml(out, wt_finding_name(f->finding.kind));
    fputs("\" name=\"", out);
    put_xml(out, place && *place->function ? place->function : "?");
    if (place && place->line && !place->after) {
        fputs(" at ", out);
        put_xml(out, place->file);
        fprintf(out, ":%u", place->line);
        fputs("\" file=\"", out);
        put_xml(out, place->file);
        fprintf(out, "\" line=\"%u", place->line);
    }
    fputs("\">\n", out);
    if (f->suppressed) {
        fputs("    <skipped message=\"suppressed\"/>\n", out);
    } else if (f->finding.severity == WT_ERROR) {
        FILE *text = open_memstream(&report, &size);
        if (text) {
            wt_report_found_print(text, f);
            fclose(text);
        }
        fputs("    <failure message=\"", out);
        put_xml(out, sentence);
        fprintf(out, "\" type=\"%s\">", wt_finding_name(f->finding.kind));
        put_xml(out, report ? report : "");
        fputs("</failure>\n", out);
        free(report);
    } else {
        fputs("    <system-out>", out);
        put_xml(out, sentence);
        fputs("</system-out>\n", out);
    }
    fputs("  </testcase>\n", out);
}

enum wt_status wt_report_found_write_junit(const char *path, const struct wt_report_found_list *all,
                                           struct wt_error *err)
{
    size_t failures = 0, skipped = 0;
    FILE *out = fopen(path, "we");
    if (!out)
        return wt_fail(err, WT_IO, "%.400s: cannot be written", path);
    for (size_t i = 0; i < all->count; i++) {
        skipped += all->list[i].suppressed;
        failures += !all->list[i].suppressed && all->list[i].finding.severity == WT_ERROR;
    }
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n <testsuite "
            "name=\"wavetrap --check\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" "
            "skipped=\"%zu\">\n",
            all->count + !all->count, failures, skipped);
    for (size_t i = 0; i < all->count; i++)
        put_case(out, &all->list[i]);
    if (!all->count)
        fputs("  <testcase classname=\"wavetrap\" name=\"no findings\"/>\n", out);
    fputs(" </testsuite>\n</testsuites>\n", out);
    const bool written = !ferror(out);
    return fclose(out) == 0 && written ? WT_OK
                                       : wt_fail(err, WT_IO, "%.400s: cannot be written", path);
}
