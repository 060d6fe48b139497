/* Lists of choices as files. See schedule.h. */
#include "emulator/machine/schedule.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"

#define FIRST_LINE "wavetrap choices 1"

bool wt_choices_add(struct wt_choices *choices, uint64_t time, uint32_t wave)
{
    while (choices->count && choices->at[choices->count - 1].time >= time)
        choices->count--;
    struct wt_choice *grown =
        wt_array_grow(choices->at, &choices->capacity, choices->count + 1, sizeof *grown);
    if (!grown)
        return false;
    choices->at = grown;
    choices->at[choices->count++] = (struct wt_choice){time, wave};
    return true;
}

void wt_choices_free(struct wt_choices *choices)
{
    free(choices->at);
    *choices = (struct wt_choices){0};
}

void wt_choices_print(const struct wt_choices *choices, FILE *out)
{
    fputs(FIRST_LINE "\n", out);
    for (size_t i = 0; i < choices->count; i++)
        fprintf(out, "%" PRIu64 " %" PRIu32 "\n", choices->at[i].time, choices->at[i].wave);
}

/* Takes a decimal number from the begin of a text. */
static bool take_number(const char **text, uint64_t most, uint64_t *number)
{
    const char *c = *text;
    *number = 0;
    for (; isdigit((unsigned char)*c); c++) {
        const unsigned digit = (unsigned)(*c - '0');
        if (*number > (most - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    const bool any = c > *text;
    *text = c;
    return any;
}

/* Takes a line without its comment and blanks at both ends. */
static enum wt_status take_line(struct wt_choices *choices, const char *line, struct wt_error *err)
{
    uint64_t time, wave;
    const char *c = line;
    if (!take_number(&c, (uint64_t)1 << 62, &time) || !isblank((unsigned char)*c))
        return wt_fail(err, WT_INVALID, "'%.60s' is not TIME WAVE, two decimal numbers", line);
    c = wt_skip_blanks(c);
    if (!take_number(&c, UINT32_MAX, &wave) || *c)
        return wt_fail(err, WT_INVALID, "'%.60s' is not TIME WAVE, two decimal numbers", line);
    if (choices->count && choices->at[choices->count - 1].time >= time)
        return wt_fail(err, WT_INVALID,
                       "time %" PRIu64 " is not later than that of the choice before, %" PRIu64,
                       time, choices->at[choices->count - 1].time);
    return wt_choices_add(choices, time, (uint32_t)wave)
               ? WT_OK
               : wt_fail(err, WT_NO_MEMORY, "no host memory");
}

/* Cuts a comment and the blanks before it off. */
static void cut(char *line)
{
    line[strcspn(line, "#")] = 0;
    for (size_t n = strlen(line); n && isspace((unsigned char)line[n - 1]);)
        line[--n] = 0;
}

enum wt_status wt_choices_parse(struct wt_choices *choices, const char *name, const char *text,
                                struct wt_error *err)
{
    char line[128];
    bool begun = false;
    enum wt_status status = WT_OK;
    for (unsigned number = 1; *text && !status; number++) {
        const size_t length = strcspn(text, "\n");
        const size_t part = length < sizeof line ? length : sizeof line - 1;
        memcpy(line, text, part);
        line[part] = 0;
        cut(line);
        const char *words = wt_skip_blanks(line);
        if (length >= sizeof line && !memchr(text, '#', sizeof line - 1))
            status = wt_fail(err, WT_INVALID, "the line is too long: it is not a choice");
        else if (!*words)
            ;
        else if (begun)
            status = take_line(choices, words, err);
        else if (!(begun = strcmp(words, FIRST_LINE) == 0))
            status = wt_fail(err, WT_INVALID,
                             "'%.60s' is not '" FIRST_LINE "', with which a file of choices begins",
                             words);
        if (status)
            wt_fail_in(err, "%.280s:%u", name, number);
        text += length + (text[length] == '\n');
    }
    if (!status && !begun)
        status = wt_fail(err, WT_INVALID,
                         "%s:1: '" FIRST_LINE "', with which a file of choices begins, is missing",
                         name);
    return status;
}
