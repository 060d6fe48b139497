/* A session of the library (include/wavetrap/wavetrap.h): another front of `wavetrap debug`. */
#ifndef WT_API_INTERNAL_H
#define WT_API_INTERNAL_H

#include <assert.h>
#include <string.h>

#include "api/observed.h"
#include "frontend/common/words.h"
#include "frontend/console/console.h"
#include "session/debuggee.h"
#include "wavetrap/wavetrap.h"

/* Text that goes to a buffer, and not to the user's function. */
struct api_captured {
    char *text; /* NULL: it does not */
    size_t size, length;
};

struct wavetrap {
    struct wt_debuggee d; /* first: the context of its services */
    char **word;          /* word of wavetrap_open(), which d points into */
    wavetrap_text_fn *text;
    void *context;
    struct api_captured captured;
    int interrupt;                /* an eventfd: wavetrap_interrupt() */
    struct wavetrap_stop *stop;   /* stop of the run at hand; NULL: none is */
    struct api_observed observed; /* who observes accesses */
    /* The event that was handed over last. */
    struct wavetrap_wave *wave;
    struct wavetrap_register *reg;
    struct wavetrap_number *number;
    struct wavetrap_event *event;
    struct wavetrap_finding *finding;
    struct wt_names local;          /* its list ends with NULL */
    const struct wt_checks *checks; /* NULL: nothing is checked */
};

/** The program of a session. */
static inline struct wt_program *api_program(struct wavetrap *w)
{
    return wt_shell_debugged(w->d.console);
}

/** A set of lanes as users have it. */
static inline struct wavetrap_lanes api_lanes(wt_lanes lanes)
{
    return (struct wavetrap_lanes){{(uint64_t)lanes, (uint64_t)(lanes >> 64)}};
}

static_assert((int)WAVETRAP_TIMEOUT == (int)WT_TIMEOUT,
              "the library's statuses are those below it");

/** Ends a function of the library: what failed below it, as users have it. */
static inline enum wavetrap_status api_end(enum wt_status status, const struct wt_error *from,
                                           struct wavetrap_error *error)
{
    if (status) {
        error->status = (enum wavetrap_status)status;
        memcpy(error->text, from->text, sizeof error->text);
    }
    return (enum wavetrap_status)status;
}

/* ---- inspect.c ---- */

/** Frees the names; there are none then. */
void api_free_names(struct wt_names *names);

/* ---- stops.c ---- */

/** Takes what happens to the program, of struct wt_shell_options; the context is the session. */
bool api_news(void *context, const struct wt_news *news);

#endif
