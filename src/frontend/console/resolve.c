/* Resolves breakpoints and catchpoints again when code has been loaded or unloaded. */
#include <stdlib.h>

#include "frontend/console/internal.h"

void resolve_points(struct wt_shell *c)
{
    for (size_t i = 0; i < c->point_count; i++) {
        struct point *p = c->point[i];
        struct wt_error err;
        uint64_t *list = NULL;
        size_t count = 0;
        if (p->kind == POINT_CATCH && has_addresses(p))
            resolve_catch(c, p);
        if (p->kind != POINT_BREAK || p->text[0] == '*' || !p->text[0])
            continue;
        /* Other code may soon be loaded at the same addresses. */
        if (resolve_place(c, p->text, &list, &count, NULL, WT_IGNORED) != WT_OK && !c->options.host)
            continue;
        remove_logs(c, p);
        set_addresses(p, list, count);
        if (compile_condition(c, p, &err) != WT_OK)
            fprintf(c->out, "The condition of breakpoint %u cannot be evaluated: %s\n", p->number,
                    err.text);
    }
}
