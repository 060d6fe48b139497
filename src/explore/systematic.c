/* See systematic.h. */
#include "explore/systematic.h"

#include <stdlib.h>

#include "explore/ahead.h"
#include "explore/records.h"
#include "explore/search_record.h"

/* Goes back to the last node that has something to try; false: there is none. */
static enum wt_status go_back(struct search *s, bool *more, struct wt_error *err)
{
    *more = false;
    while (s->count) {
        const enum wt_status status = search_next(s, s->count - 1, more, err);
        if (status || *more)
            return status;
        search_pop(s);
    }
    return WT_OK;
}

/* The next run: by another process, or here. */
static enum wt_status make_run(struct search *s, struct ahead *ahead, struct wt_error *err)
{
    struct explore_records *file = s->limits->records;
    struct explore_record made = {NULL, 0};
    const bool here = !ahead || !s->count;
    enum wt_status status = here ? search_run(s, err) : ahead_run(ahead, s, &made, err);
    if (!status && here && file)
        status = search_record(s, &made, err);
    if (!status && file)
        status = explore_records_add(file, &made, err);
    if (!status)
        status = here ? search_commit(s, NULL, err) : search_read(s, &made, err);
    free(made.bytes);
    return status;
}

static bool is_enough(const struct search *s)
{
    return s->limits->runs && s->counts->runs >= s->limits->runs;
}

/* The runs that the file has, one after the other. */
static enum wt_status repeat(struct search *s, bool *more, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    while (!status && *more && s->limits->records && !is_enough(s)) {
        struct explore_record record;
        status = explore_records_next(s->limits->records, &record, err);
        if (status || !record.bytes)
            break;
        if ((status = search_read(s, &record, err)) == WT_INVALID)
            wt_fail_in(err, "%s", s->limits->records->path);
        free(record.bytes);
        if (!status)
            status = go_back(s, more, err);
    }
    return status;
}

enum wt_status explore_systematically(const struct explore_subject *subject,
                                      const struct explore_limits *limits,
                                      struct explore_counts *counts, struct wt_error *err)
{
    struct search *s = calloc(1, sizeof *s);
    struct ahead *ahead = NULL;
    enum wt_status status = WT_OK;
    bool more = true;
    *counts = (struct explore_counts){0};
    if (!s)
        return search_no_memory(err);
    s->subject = subject;
    s->limits = limits;
    s->counts = counts;
    if (!search_begin(s) || (limits->jobs > 1 && !(ahead = ahead_begin(limits->jobs))))
        status = search_no_memory(err);
    if (!status)
        status = repeat(s, &more, err);
    while (!status && more && !is_enough(s)) {
        status = make_run(s, ahead, err);
        if (!status)
            status = go_back(s, &more, err);
    }
    counts->complete = !status && !more;
    ahead_end(ahead);
    search_end(s);
    free(s);
    return status;
}
