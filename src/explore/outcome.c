/* See outcome.h. */
#include "explore/outcome.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void explore_outcome_free(struct explore_outcome *o)
{
    free(o->found);
    o->found = NULL;
}

/* ---- faults and findings ---- */

static const char *member(struct json_object *o, const char *name)
{
    struct json_object *value;
    return json_object_object_get_ex(o, name, &value) ? json_object_get_string(value) : NULL;
}

/* " in FUNCTION at FILE:LINE", or " at PC". */
static void print_place(FILE *out, struct json_object *o)
{
    const char *function = member(o, "function"), *file = member(o, "file"),
               *line = member(o, "line"), *pc = member(o, "pc");
    if (function)
        fprintf(out, " in %s", function);
    if (file && line)
        fprintf(out, " at %s:%s", file, line);
    else if (pc)
        fprintf(out, " at %s", pc);
}

/* Prints what an object of a report tells; "" if that is no fault and no finding. */
static void print_found(FILE *out, struct json_object *o)
{
    const char *kind = member(o, "kind");
    const bool finding = kind && strcmp(kind, "finding") == 0;
    struct json_object *other;
    if (!finding && (!kind || strcmp(kind, "fault") != 0))
        return;
    const char *name = member(o, finding ? "finding" : "fault");
    const char *severity = finding ? member(o, "severity") : "fault";
    fprintf(out, "%s: %s", severity ? severity : "", name ? name : "");
    print_place(out, o);
    if (json_object_object_get_ex(o, "other", &other)) {
        fputs(", and", out);
        print_place(out, other);
    }
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Joins the lines in order, each once, and frees them. */
static char *join_lines(char **line, size_t count)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (count)
        qsort(line, count, sizeof *line, by_text);
    for (size_t i = 0; i < count; i++) {
        if (out && (!i || strcmp(line[i], line[i - 1]) != 0))
            fprintf(out, "%s\n", line[i]);
    }
    for (size_t i = 0; i < count; i++)
        free(line[i]);
    free(line);
    return out && !fclose(out) ? text : NULL;
}

/* The line of one object; NULL without host memory. */
static char *line_of(const char *text, size_t length)
{
    char *line = NULL, *whole = strndup(text, length);
    size_t size;
    FILE *out = open_memstream(&line, &size);
    struct json_object *o = whole ? json_tokener_parse(whole) : NULL;
    if (o && out)
        print_found(out, o);
    json_object_put(o);
    free(whole);
    return out && !fclose(out) ? line : NULL;
}

char *explore_found(const char *report)
{
    char **list = NULL;
    size_t count = 0, capacity = 0;
    bool good = true;
    while (*report && good) {
        const size_t length = strcspn(report, "\n");
        char *line = line_of(report, length);
        char **grown =
            line && *line ? wt_array_grow(list, &capacity, count + 1, sizeof *grown) : NULL;
        good = line && (!*line || grown);
        if (grown) {
            list = grown;
            list[count++] = line;
        } else {
            free(line);
        }
        report += length + (report[length] == '\n');
    }
    char *text = join_lines(list, count);
    if (!good) {
        free(text);
        return NULL;
    }
    return text;
}

/* ---- the set ---- */

static bool is_same(const struct explore_outcome *a, const struct explore_outcome *b)
{
    return a->status == b->status && a->output == b->output && a->memory == b->memory &&
           strcmp(a->found, b->found) == 0;
}

enum wt_status explore_outcomes_add(struct explore_outcomes *all,
                                    const struct explore_outcome *outcome, uint64_t run,
                                    size_t *place, struct wt_error *err)
{
    size_t i = 0;
    while (i < all->count && !is_same(&all->list[i].outcome, outcome))
        i++;
    *place = i;
    if (i < all->count) {
        struct explore_counted *one = &all->list[i];
        one->count++;
        one->first = run < one->first ? run : one->first;
        return WT_OK;
    }
    char *found = strdup(outcome->found);
    struct explore_counted *grown =
        wt_array_grow(all->list, &all->capacity, all->count + 1, sizeof *grown);
    if (!grown || !found) {
        free(found);
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    }
    all->list = grown;
    grown[i] = (struct explore_counted){*outcome, 1, run};
    grown[i].outcome.found = found;
    all->count++;
    return WT_OK;
}

static int by_first(const void *a, const void *b)
{
    const struct explore_counted *one = a, *other = b;
    return one->first < other->first ? -1 : one->first > other->first;
}

void explore_outcomes_sort(struct explore_outcomes *all)
{
    if (all->count)
        qsort(all->list, all->count, sizeof *all->list, by_first);
}

void explore_outcomes_free(struct explore_outcomes *all)
{
    for (size_t i = 0; i < all->count; i++)
        explore_outcome_free(&all->list[i].outcome);
    free(all->list);
    *all = (struct explore_outcomes){0};
}
