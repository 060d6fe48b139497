/* See set.h. */
#include "check/set.h"

#include <unistd.h>

#include "emulator/machine/machine.h"
#include "emulator/machine/memory_model.h"

/* ---- what rows of checks.def name ---- */

static bool any(const struct wt_machine *m)
{
    return true;
}

static bool always(const struct wt_machine *m, enum wt_check_openmp openmp)
{
    return true;
}

/* Workers of OpenMP's runtimes wait at barriers of their own; GCC's code leaves out wait states. */
static bool never(const struct wt_machine *m, enum wt_check_openmp openmp)
{
    return false;
}

static bool openmp_races(const struct wt_machine *m, enum wt_check_openmp openmp)
{
    return wt_check_race_knows_openmp(m) || openmp == WT_OPENMP_GCC;
}

/* On AMD's GPUs the waves of a team write to each other's stacks, which the check has as memory of
 * one wave. */
static bool openmp_values(const struct wt_machine *m, enum wt_check_openmp openmp)
{
    return openmp == WT_OPENMP_GCC && !wt_check_race_knows_openmp(m);
}

#define nowhere(check, space) (void)(check)

/* ---- the table ---- */

struct check_row {
    const char *name;
    enum wt_check check;
    bool (*knows)(const struct wt_machine *m);
    const char *unknown;
    bool (*is_there)(const struct wt_machine *m, enum wt_check_openmp openmp);
    const char *what;
    bool (*begin)(struct wt_check_set *s, const struct wt_check_start *start);
    void (*set_space)(const struct wt_check_set *s, const void *space);
    void (*end)(struct wt_check_set *s);
    void (*free)(struct wt_check_set *s);
};

#define CHECK_OF_CALLS(...)
#define CHECK_OF_MACHINE(ID, name, includes, all, help, page, knows, unknown, set_space, ...)      \
    static bool begin_##name(struct wt_check_set *s, const struct wt_check_start *start)           \
    {                                                                                              \
        return (s->name = wt_check_##name##_begin(start)) != NULL;                                 \
    }                                                                                              \
    static void space_##name(const struct wt_check_set *s, const void *space)                      \
    {                                                                                              \
        if (s->name)                                                                               \
            set_space(s->name, space);                                                             \
    }                                                                                              \
    static void end_##name(struct wt_check_set *s)                                                 \
    {                                                                                              \
        wt_check_##name##_end(s->name);                                                            \
    }                                                                                              \
    static void free_##name(struct wt_check_set *s)                                                \
    {                                                                                              \
        wt_check_##name##_free(s->name);                                                           \
    }
#include "check/checks.def"
#undef CHECK_OF_MACHINE

static const struct check_row rows[] = {
#define CHECK_OF_MACHINE(ID, name, includes, all, help, page, knows, unknown, space, openmp, what) \
    {#name, WT_CHECK_##ID, knows,        unknown,    openmp,                                       \
     what,  begin_##name,  space_##name, end_##name, free_##name},
#include "check/checks.def"
#undef CHECK_OF_MACHINE
#undef CHECK_OF_CALLS
};
enum { ROWS = sizeof rows / sizeof *rows };

bool wt_check_set_begin(struct wt_check_set *s, const struct wt_check_start *how, unsigned checks,
                        enum wt_check_openmp openmp, wt_check_say_fn *say)
{
    const struct wt_machine *m = how->machine;
    const bool named = wt_checks_are_named(checks);
    struct wt_check_start start = *how;
    start.unseen = named ? say : NULL;
    for (const struct check_row *r = rows; r < rows + ROWS; r++) {
        if (!(checks & r->check))
            continue;
        if (!r->knows(m)) {
            const char *caches = wt_memory_model_of(m)->caches_unknown;
            if (r->check == WT_CHECK_STALE && caches)
                say("--check=%s is not there: %s", r->name, caches);
            else if (r->unknown && (named || r->check == WT_CHECK_INIT))
                say("--check=%s is not there for %s: %s", r->name, m->ops->family, r->unknown);
        } else if (openmp && !r->is_there(m, openmp)) {
            say("--check=%s is not there for OpenMP: no %s looked at in process %ld", r->name,
                r->what, (long)getpid());
        } else if (!r->begin(s, &start)) {
            return false;
        }
        if (r->check == WT_CHECK_ADVICE && m->ops->lane_sources == wt_machine_no_lane_sources)
            say("--check=advice is not there for the size of waves on %s", m->ops->family);
    }
    return true;
}

void wt_check_set_space(const struct wt_check_set *s, const void *space)
{
    for (const struct check_row *r = rows; r < rows + ROWS; r++)
        r->set_space(s, space);
}

void wt_check_set_end(struct wt_check_set *s)
{
    for (const struct check_row *r = rows + ROWS; r-- > rows;)
        r->end(s);
    *s = (struct wt_check_set){.memory = NULL};
}

void wt_check_set_free(struct wt_check_set *s)
{
    for (const struct check_row *r = rows + ROWS; r-- > rows;)
        r->free(s);
    *s = (struct wt_check_set){.memory = NULL};
}
