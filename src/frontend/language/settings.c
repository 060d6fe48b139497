/* Settings: a table of them, set, put and shown. See language.h. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/language/language.h"

static enum wt_status set_switch(const char *text, bool *value, struct wt_error *err)
{
    if (!*text || strcmp(text, "on") == 0 || strcmp(text, "1") == 0)
        *value = true;
    else if (strcmp(text, "off") == 0 || strcmp(text, "0") == 0)
        *value = false;
    else
        return wt_fail(err, WT_INVALID, "\"on\" or \"off\" expected.");
    return WT_OK;
}

static enum wt_status set_count(const char *text, unsigned *value, struct wt_error *err)
{
    uint64_t number;
    if (strcmp(text, "unlimited") == 0)
        number = WT_SETTING_UNLIMITED;
    else if (wt_parse_number(text, &number, WT_IGNORED) || number > WT_SETTING_UNLIMITED)
        return wt_fail(err, WT_INVALID, "a number up to 1048576 is expected, or \"unlimited\"");
    *value = (unsigned)number;
    return WT_OK;
}

const struct wt_setting *wt_setting_take(const struct wt_setting *table, const char **text,
                                         const char *in)
{
    for (const struct wt_setting *s = table; s->name; s++) {
        const char *name = s->name;
        if (strncmp(name, in, strlen(in)) != 0)
            continue;
        name += strlen(in);
        const size_t length = strlen(name);
        if (strncmp(*text, name, length) == 0 &&
            (!(*text)[length] || isspace((unsigned char)(*text)[length]))) {
            *text = wt_skip_blanks(*text + length);
            return s;
        }
    }
    return NULL;
}

/* Number @p i of words, NULL: there are fewer. */
static const char *word_number(const char *words, unsigned i, size_t *length)
{
    for (; *words; words = wt_skip_blanks(words + *length)) {
        *length = wt_word_length(words);
        if (!i--)
            return words;
    }
    return NULL;
}

static enum wt_status choose(const struct wt_setting *s, const char *text, unsigned *value,
                             struct wt_error *err)
{
    size_t length;
    const char *word;
    for (unsigned i = 0; (word = word_number(s->words, i, &length)) != NULL; i++)
        if (strlen(text) == length && strncmp(text, word, length) == 0) {
            *value = i;
            return WT_OK;
        }
    return wt_fail(err, WT_INVALID, "set %s takes one of: %s", s->name, s->words);
}

enum wt_status wt_setting_set(const struct wt_setting *s, void *values, const char *text,
                              struct wt_error *err)
{
    void *value = (char *)values + s->offset;
    char *copy;
    switch (s->kind) {
    case WT_SETTING_SWITCH:
        return set_switch(text, value, err);
    case WT_SETTING_COUNT:
        return set_count(text, value, err);
    case WT_SETTING_ONE_OF:
        return choose(s, text, value, err);
    case WT_SETTING_TEXT:
        copy = strdup(text);
        if (!copy)
            return wt_fail(err, WT_NO_MEMORY, "no host memory");
        free(*(char **)value);
        *(char **)value = copy;
        return WT_OK;
    case WT_SETTING_FIXED:
        return strcmp(text, s->words) == 0
                   ? WT_OK
                   : wt_fail(err, WT_UNSUPPORTED, "%s is always \"%s\" here: %s", s->name, s->words,
                             s->shown);
    case WT_SETTING_NO_EFFECT: /* settings of GDB that scripts set */
        break;
    }
    return WT_OK;
}

void wt_setting_put(const struct wt_setting *s, const void *values, char *text, size_t size)
{
    const void *value = (const char *)values + s->offset;
    size_t length = 0;
    const char *word;
    *text = 0;
    switch (s->kind) {
    case WT_SETTING_SWITCH:
        snprintf(text, size, "%s", *(const bool *)value ? "on" : "off");
        break;
    case WT_SETTING_COUNT:
        if (*(const unsigned *)value == WT_SETTING_UNLIMITED)
            snprintf(text, size, "unlimited");
        else if (*(const unsigned *)value == WT_SETTING_OF_TERMINAL)
            snprintf(text, size, "that of the terminal");
        else if (*(const unsigned *)value)
            snprintf(text, size, "%u", *(const unsigned *)value);
        else
            snprintf(text, size, "%s", s->words);
        break;
    case WT_SETTING_ONE_OF:
        word = word_number(s->words, *(const unsigned *)value, &length);
        snprintf(text, size, "%.*s", (int)length, word);
        break;
    case WT_SETTING_TEXT:
        snprintf(text, size, "%s", *(char *const *)value ? *(char *const *)value : "");
        break;
    case WT_SETTING_FIXED:
        snprintf(text, size, "%s", s->words);
        break;
    case WT_SETTING_NO_EFFECT:
        break;
    }
}

void wt_setting_show(const struct wt_setting *s, const void *values, FILE *out)
{
    char value[200];
    wt_setting_put(s, values, value, sizeof value);
    if (s->kind == WT_SETTING_FIXED)
        fprintf(out, "%s is \"%s\": %s.\n", s->name, value, s->shown);
    else if (s->kind == WT_SETTING_NO_EFFECT)
        fprintf(out, "%s has no effect here.\n", s->name);
    else {
        const char *at = strstr(s->shown, "%s");
        fprintf(out, "%.*s%s%s\n", (int)(at - s->shown), s->shown, value, at + 2);
    }
}
