/* Settings: a table of them, set, put and shown. See language.h. */
#include <stdlib.h>
#include <string.h>

#include "frontend/language/language.h"

static enum wt_status set_switch(const char *text, bool *value, struct wt_error *err)
{
    static const char *const words[2][4] = {{"off", "0", "no", "disable"},
                                            {"on", "1", "yes", "enable"}};
    if (!*text) {
        *value = true;
        return WT_OK;
    }
    for (unsigned i = 0; i < 8; i++)
        if (strcmp(words[i % 2][i / 2], text) == 0) {
            *value = i % 2;
            return WT_OK;
        }
    return wt_fail(err, WT_INVALID, "\"on\" or \"off\" expected.");
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

/* Whether the text begins with a setting's words, which it skips. *exact: none is abbreviated. */
static bool takes(const char *name, const char **text, bool *exact)
{
    const char *at = *text;
    *exact = true;
    while (*name) {
        const size_t own = wt_word_length(name), typed = wt_word_length(at);
        if (!typed || typed > own || strncmp(name, at, typed) != 0 ||
            (typed < own && typed < 3 && !name[own]))
            return false;
        *exact &= typed == own;
        name = wt_skip_blanks(name + own);
        at = wt_skip_blanks(at + typed);
    }
    *text = at;
    return true;
}

bool wt_setting_is_prefix(const struct wt_setting *table, const char *word)
{
    const size_t length = strlen(word);
    for (const struct wt_setting *s = table; s->name; s++)
        if (length && strncmp(s->name, word, length) == 0 && s->name[length] == ' ')
            return true;
    return false;
}

const struct wt_setting *wt_setting_take(const struct wt_setting *table, const char **text,
                                         const char *in)
{
    const struct wt_setting *found = NULL;
    const char *behind = *text;
    unsigned count = 0;
    for (const struct wt_setting *s = table; s->name; s++) {
        const char *at = *text;
        bool exact;
        if (strncmp(s->name, in, strlen(in)) != 0 || !takes(s->name + strlen(in), &at, &exact))
            continue;
        found = s;
        behind = at;
        count++;
        if (exact) {
            count = 1;
            break;
        }
    }
    if (count != 1)
        return NULL;
    *text = behind;
    return found;
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
