/* Source that steps do not stop in: headers of compilers and runtimes, and what the user skips. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "debug/program/internal.h"

static bool fits(const struct wt_skip *skip, const char *name)
{
    const char *last = !name ? NULL : skip->is_file ? strrchr(name, '/') : wt_info_last_part(name);
    return name && (fnmatch(skip->glob, name, 0) == 0 ||
                    (last && fnmatch(skip->glob, last + skip->is_file, 0) == 0));
}

bool wt_program_passes(const struct wt_program *g, const char *path, const char *function)
{
    bool passes = !g->steps_in_headers && wt_is_foreign(&g->foreign, path);
    for (size_t i = 0; i < g->skip_count && !passes; i++)
        passes = fits(&g->skip[i], g->skip[i].is_file ? path : function);
    return passes;
}

enum wt_status wt_program_skip(struct wt_program *g, bool is_file, const char *glob,
                               struct wt_error *err)
{
    struct wt_skip *grown =
        wt_array_grow(g->skip, &g->skip_capacity, g->skip_count + 1, sizeof *grown);
    char *copy = grown ? strdup(glob) : NULL;
    if (grown)
        g->skip = grown;
    if (!copy)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    const unsigned last = g->skip_count ? grown[g->skip_count - 1].number : 0;
    grown[g->skip_count++] = (struct wt_skip){last + 1, is_file, copy};
    return WT_OK;
}

enum wt_status wt_program_unskip(struct wt_program *g, unsigned number, struct wt_error *err)
{
    size_t kept = 0;
    const size_t before = g->skip_count;
    for (size_t i = 0; i < before; i++)
        if (number && g->skip[i].number != number)
            g->skip[kept++] = g->skip[i];
        else
            free(g->skip[i].glob);
    g->skip_count = kept;
    return number && kept == before ? wt_fail(err, WT_INVALID, "There is no skip %u.", number)
                                    : WT_OK;
}
