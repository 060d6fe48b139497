/* See checks.h. */
#include "debug/core/checks.h"

#include <string.h>

enum wt_status wt_checks_need(const struct wt_checks *checks, struct wt_error *err)
{
    return checks ? WT_OK
                  : wt_fail(err, WT_STATE, "nothing is checked: --check=LIST says what is to be");
}

enum wt_status wt_checks_kinds(const struct wt_checks *checks, const char *name, uint64_t *kinds,
                               struct wt_error *err)
{
    const char *known;
    char names[300] = "";
    const enum wt_status status = wt_checks_need(checks, err);
    *kinds = 0;
    for (unsigned i = 0; !status && i < 64 && (known = checks->kind(checks->context, i)); i++) {
        if (!*name || strcmp(name, known) == 0)
            *kinds |= (uint64_t)1 << i;
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", known);
    }
    if (status || *kinds)
        return status;
    return *names ? wt_fail(err, WT_INVALID, "no kernel's mistake is called \"%s\": there are %s",
                            name, names)
                  : wt_fail(err, WT_STATE, "no accesses are checked: that is --check=memory");
}
