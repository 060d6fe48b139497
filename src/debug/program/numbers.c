/* Numbers, as people write them behind a command. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "debug/program/program.h"

bool wt_take_number(const char **text, uint64_t *number)
{
    char *end;
    if (!isdigit((unsigned char)**text))
        return false;
    errno = 0;
    *number = strtoull(*text, &end, 0);
    if (errno || isalnum((unsigned char)*end))
        return false;
    *text = wt_skip_blanks(end);
    return true;
}

bool wt_take_triple(const char **text, uint32_t value[3])
{
    const bool brackets = **text == '(';
    const char *at = *text + brackets;
    value[0] = value[1] = value[2] = 0;
    for (unsigned i = 0; i < 3; i++) {
        uint64_t number;
        at = wt_skip_blanks(at);
        if (!wt_take_number(&at, &number) || number > UINT32_MAX)
            return false;
        value[i] = (uint32_t)number;
        if (*at != ',')
            break;
        at++;
    }
    if (brackets && *at++ != ')')
        return false;
    *text = wt_skip_blanks(at);
    return true;
}

bool wt_ranges_have(const struct wt_ranges *r, uint64_t number)
{
    for (unsigned i = 0; i < r->count; i++)
        if (number >= r->first[i] && number <= r->last[i])
            return true;
    return false;
}

enum wt_status wt_take_ranges(const char **text, struct wt_ranges *r, struct wt_error *err)
{
    static const char usage[] = "apply takes \"all\" or numbers (1 3 5-7 10..12), and a command";
    uint64_t number;
    if (wt_word_length(*text) == 3 && strncmp(*text, "all", 3) == 0) {
        *text = wt_skip_blanks(*text + 3);
        r->first[r->count] = 0;
        r->last[r->count++] = UINT64_MAX;
        return WT_OK;
    }
    while (r->count < WT_MOST_RANGES && isdigit((unsigned char)**text)) {
        if (!wt_take_number(text, &number))
            return wt_fail(err, WT_INVALID, "%s", usage);
        r->first[r->count] = r->last[r->count] = number;
        const size_t dash = **text == '-' ? 1 : strncmp(*text, "..", 2) == 0 ? 2 : 0;
        if (dash) {
            *text += dash;
            if (!wt_take_number(text, &r->last[r->count]) || r->last[r->count] < number)
                return wt_fail(err, WT_INVALID, "%s", usage);
        }
        r->count++;
    }
    return r->count ? WT_OK : wt_fail(err, WT_INVALID, "%s", usage);
}
