/*
 * Fuzz target: the configuration of checks. The input is a file of suppressions. Its lines are read
 * again by a second reader of their form; a line that is printed for a finding suppresses it.
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/suppress.h"
#include "report/found.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Lines that say something. */
static size_t lines_of(const char *text)
{
    size_t count = 0;
    while (*text) {
        const size_t length = strcspn(text, "\n"), blanks = strspn(text, " \t\v\f\r");
        count += blanks < length && text[blanks] != '#';
        text += length + (text[length] == '\n');
    }
    return count;
}

/* A finding whose texts are pieces of the input. */
static void check_printed(const char *text)
{
    char function[64], file[64], *line = NULL;
    size_t length;
    struct wt_error err;
    snprintf(function, sizeof function, "%s", text);
    snprintf(file, sizeof file, "%s", text + strlen(text) / 2);
    struct wt_report_call call = {.function = function, .file = file, .line = 7};
    struct wt_report_found f = {.calls = {&call, 1, 1}};
    snprintf(f.kernel, sizeof f.kernel, "%s", text);
    snprintf(f.finding.object_name, sizeof f.finding.object_name, "%s", file);
    FILE *out = open_memstream(&line, &length);
    assert(out);
    wt_report_suppression_print(out, &f, &call);
    fclose(out);
    struct wt_report_suppressions all = {.count = 0};
    assert(wt_report_suppressions_parse(&all, "printed", line, &err) == WT_OK && all.count == 1);
    assert(wt_report_suppressions_hold(&all, &f) && all.list[0].used == 1);
    wt_report_suppressions_free(&all);
    free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wt_report_suppressions all = {.count = 0};
    struct wt_report_found f = {.process = 1};
    struct wt_error err;
    char *text = strndup((const char *)data, size);
    assert(text);
    const enum wt_status status = wt_report_suppressions_parse(&all, "input", text, &err);
    if (status)
        assert(status == WT_INVALID && strncmp(err.text, "input:", 6) == 0);
    else
        assert(all.count == lines_of(text));
    for (size_t i = 0; i < all.count; i++)
        assert(all.list[i].kind && all.list[i].reason && all.list[i].from);
    wt_report_suppressions_hold(&all, &f);
    wt_report_suppressions_free(&all);
    check_printed(text);
    free(text);
    return 0;
}
