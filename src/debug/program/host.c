/* Programs in processes of their own: their arguments, their environment, their end. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "debug/program/internal.h"

/* ---- arguments, environment ---- */

enum wt_status wt_program_set_arguments(struct wt_program *g, const char *text,
                                        struct wt_error *err)
{
    char *copy = strdup(text);
    if (!copy)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    free(g->arguments);
    g->arguments = copy;
    return WT_OK;
}

enum wt_status wt_program_change_environment(struct wt_program *g, char *change,
                                             struct wt_error *err)
{
    char **grown = wt_array_grow(g->environment, &g->environment_capacity, g->environment_count + 2,
                                 sizeof(char *));
    if (!grown || !change) {
        free(change);
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    }
    g->environment = grown;
    grown[g->environment_count++] = change;
    grown[g->environment_count] = NULL;
    return WT_OK;
}

enum wt_status wt_program_name_symbols(struct wt_program *g, const char *path, struct wt_error *err)
{
    char whole[PATH_MAX], *change;
    if (!g->topology->takes_symbols)
        return wt_fail(err, WT_UNSUPPORTED, "the code that these programs load has its symbols");
    if (g->started)
        return wt_fail(err, WT_STATE,
                       "code gets its symbols as it is loaded: name the file before 'run'");
    if (!realpath(path, whole) || access(whole, R_OK))
        return wt_fail(err, WT_IO, "%.400s: %s", path, strerror(errno));
    if (asprintf(&change, "WAVETRAP_SYMBOLS=%s", whole) < 0)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    return wt_program_change_environment(g, change, err);
}

void pg_free_environment(struct wt_program *g)
{
    for (size_t i = 0; i < g->environment_count; i++)
        free(g->environment[i]);
    free(g->environment);
    free(g->arguments);
}

/* ---- run ---- */

void pg_forget(struct wt_program *g)
{
    g->started = false;
    wt_program_select(g, 0);
}

void pg_end_host(struct wt_program *g)
{
    bool known;
    int code = 0;
    char text[100] = "";
    const int pid = g->options.host->pid(g->options.host_context);
    const bool elsewhere = g->options.host->is_elsewhere(g->options.host_context);
    g->options.host->finish(g->options.host_context, &known, &g->opened_again, &code, text,
                            sizeof text);
    if (g->opened_again) {
        pg_tell(g, &(struct wt_news){.kind = WT_NEWS_AGAIN, .code = pid});
        return;
    }
    pg_forget(g);
    g->ended = true;
    g->exit_word = (uint32_t)code;
    if (!known)
        pg_tell(g, &(struct wt_news){.kind = WT_NEWS_PROCESS,
                                     .code = pid,
                                     .is_there = elsewhere || kill(pid, 0) == 0 || errno != ESRCH});
    else if (text[0])
        pg_tell(g, &(struct wt_news){.kind = WT_NEWS_SIGNALLED, .text = text});
    else
        pg_tell(g, &(struct wt_news){.kind = WT_NEWS_EXITED, .code = code});
}
