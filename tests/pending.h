/* Breakpoints at a location that follow the loaded code, for programs of the tests. */
#ifndef WT_TESTS_PENDING_H
#define WT_TESTS_PENDING_H

#include <stdio.h>
#include <stdlib.h>

#include "debug/core/debugger.h"
#include "debug/source/locations.h"

#define MOST_PENDING 64

struct pending {
    struct wt_debugger *debugger;
    struct wt_modules *modules;
    struct wt_location location;
    uint64_t addr[MOST_PENDING];
    size_t count;
    FILE *errors; /* NULL: they are of no interest */
};

static void pending_note(struct pending *p, enum wt_status status, const struct wt_error *err)
{
    if (status && p->errors)
        fprintf(p->errors, "location: %s\n", err->text);
}

static bool pending_has(const uint64_t *list, size_t count, uint64_t addr)
{
    size_t i = 0;
    while (i < count && list[i] != addr)
        i++;
    return i < count;
}

/* Breakpoints of code that is gone go, those of new code come. */
static void pending_resolve(struct pending *p)
{
    struct wt_error err;
    uint64_t *now;
    size_t count, kept = 0;
    if (wt_location_resolve(&p->location, p->modules, 0, &now, &count, &err) != WT_OK)
        return;
    count = count > MOST_PENDING ? MOST_PENDING : count;
    for (size_t i = 0; i < p->count; i++)
        if (!pending_has(now, count, p->addr[i]))
            pending_note(p, wt_debugger_remove_breakpoint(p->debugger, p->addr[i], &err), &err);
    for (size_t i = 0; i < count; i++) {
        if (!pending_has(p->addr, p->count, now[i]))
            pending_note(p,
                         wt_debugger_insert_breakpoint(p->debugger, now[i], NULL, 0, NULL, 0, &err),
                         &err);
    }
    for (; kept < count; kept++)
        p->addr[kept] = now[kept];
    p->count = count;
    free(now);
}

static void pending_changed(void *context, enum wt_module_change change,
                            const struct wt_module *module)
{
    (void)change;
    (void)module;
    pending_resolve(context);
}

/* Sets breakpoints at the location that @p text names, now and when code comes. */
static enum wt_status pending_begin(struct pending *p, const char *text, struct wt_error *err)
{
    enum wt_status status = wt_location_parse(text, &p->location, err);
    if (!status)
        status = wt_modules_observe(p->modules, pending_changed, p, err);
    if (!status)
        pending_resolve(p);
    return status;
}

static void pending_end(struct pending *p)
{
    wt_modules_ignore(p->modules, pending_changed, p);
    wt_location_free(&p->location);
}

#endif
