/* See language.h: commands by their names. */
#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "frontend/language/language.h"

size_t wt_language_word(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '-' || text[length] == '_')
        length++;
    return length ? length : *text && strchr("!|+<>", *text);
}

static bool has_alias(const struct wt_command *command, const char *word, size_t length)
{
    const char *at = command->aliases;
    while (at && *at) {
        const size_t own = wt_word_length(at);
        if (own == length && strncmp(at, word, length) == 0)
            return true;
        at = wt_skip_blanks(at + own);
    }
    return false;
}

const struct wt_command *wt_language_find(const struct wt_command *table, const char *word,
                                          size_t length, bool *ambiguous)
{
    const struct wt_command *found = NULL;
    *ambiguous = false;
    for (const struct wt_command *x = table; x->name; x++)
        if ((strlen(x->name) == length && strncmp(x->name, word, length) == 0) ||
            has_alias(x, word, length))
            return x;
    for (const struct wt_command *x = table; x->name; x++) {
        if (strncmp(x->name, word, length) != 0)
            continue;
        if (found) {
            *ambiguous = true;
            return NULL;
        }
        found = x;
    }
    return found;
}

enum wt_status wt_language_not_found(const struct wt_command *table, const char *prefix,
                                     const char *word, size_t length, bool ambiguous,
                                     struct wt_error *err)
{
    const enum wt_status status =
        ambiguous ? WT_OK : wt_language_elsewhere(prefix, word, length, err);
    if (status)
        return status;
    if (!ambiguous)
        return wt_fail(err, WT_INVALID, "Undefined %scommand: \"%.*s\".  Try \"help%s%s\".", prefix,
                       (int)length, word, *prefix ? " " : "", *prefix ? "info" : "");
    char list[300] = "";
    for (const struct wt_command *x = table; x->name; x++)
        if (strncmp(x->name, word, length) == 0 && strlen(list) + strlen(x->name) + 3 < sizeof list)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", *list ? ", " : "",
                     x->name);
    return wt_fail(err, WT_INVALID, "Ambiguous %scommand \"%.*s\": %s.", prefix, (int)length, word,
                   list);
}
