/* Catchpoints: stops for what happens to the program. */
#include <stdio.h>
#include <string.h>

#include "frontend/console/internal.h"

static const struct {
    const char *name;
    enum catch_kind kind;
} kinds[] = {{"fault", CATCH_FAULT},
             {"dispatch begin", CATCH_DISPATCHES},
             {"dispatch", CATCH_DISPATCHES},
             {"module load", CATCH_MODULES},
             {"load", CATCH_MODULES}};

/* The first wave of a dispatch, at its first instruction. */
#define FIRST_WAVE                                                                                 \
    "$_group_x == 0 && $_group_y == 0 && $_group_z == 0 && $_item_x == 0 && $_item_y == 0 && "     \
    "$_item_z == 0"

enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* The words of @p text with one blank between them. */
static void take_words(const char *text, char *words, size_t size)
{
    size_t used = 0;
    words[0] = 0;
    for (size_t length; (length = word_length(text)) != 0; text = skip_blanks(text + length))
        used += (size_t)snprintf(words + used, used < size ? size - used : 0, "%s%.*s",
                                 used ? " " : "", length < 40 ? (int)length : 40, text);
}

enum wt_status do_catch(struct wt_shell *c, const char *text, struct wt_error *err)
{
    char words[200];
    size_t i = 0;
    if (strlen(text) >= sizeof words / 2)
        return wt_fail(err, WT_INVALID, "catch takes no such words");
    take_words(text, words, sizeof words);
    while (i < KINDS && strcmp(words, kinds[i].name) != 0)
        i++;
    if (i == KINDS)
        return wt_fail(err, WT_INVALID,
                       "catch takes \"fault\", \"dispatch begin\" or \"module load\"");
    if (kinds[i].kind == CATCH_MODULES && !c->options.host)
        return wt_fail(err, WT_UNSUPPORTED, "all code is loaded before the program begins");
    if (kinds[i].kind == CATCH_DISPATCHES && !c->topology->has_grid)
        return wt_fail(err, WT_UNSUPPORTED, "the device does not tell of dispatches");
    struct point *p = add_point(c, POINT_CATCH, kinds[i].name, err);
    if (!p)
        return WT_NO_MEMORY;
    p->caught = kinds[i].kind;
    if (p->caught == CATCH_DISPATCHES) {
        p->condition = strdup(FIRST_WAVE);
        resolve_points(c);
    }
    fprintf(c->out, "Catchpoint %u (%s)\n", p->number, p->text);
    return WT_OK;
}

void catch_news(struct wt_shell *c, const struct wt_probe_event *news)
{
    if (news->kind != WT_PROBE_MODULES_CHANGED)
        return;
    for (size_t i = 0; i < c->point_count && c->waiting && !c->caught_number; i++) {
        struct point *p = c->point[i];
        if (p->kind != POINT_CATCH || !p->enabled || p->caught != CATCH_MODULES)
            continue;
        p->hits++;
        if (p->ignore) {
            p->ignore--;
            continue;
        }
        c->caught_number = p->number;
        wt_debugger_interrupt(c->debugger, WT_IGNORED);
    }
}

bool report_catch(struct wt_shell *c)
{
    struct point *p = c->caught_number ? find_point(c, c->caught_number) : NULL;
    c->caught_number = 0;
    if (!p)
        return false;
    print_where(c, c->thread);
    fprintf(c->out, "\nCatchpoint %u (%s): the program has loaded or unloaded code.\n", p->number,
            p->text);
    c->stop_number = p->number;
    queue_commands(c, p);
    return true;
}

struct point *catch_of_faults(const struct wt_shell *c)
{
    for (size_t i = 0; i < c->point_count; i++)
        if (c->point[i]->kind == POINT_CATCH && c->point[i]->caught == CATCH_FAULT)
            return c->point[i];
    return NULL;
}

bool passes_faults(const struct wt_shell *c)
{
    const struct point *p = catch_of_faults(c);
    return p && !p->enabled;
}
