/* --profile: its options, and where counts come from. See profile.h; profile_table.h has the
 * reports. */
#include "report/profile.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/report.h"
#include "emulator/machine/machine.h"
#include "report/profile_file.h"
#include "target/family.h"

/* ---- options ---- */

static enum wt_status add_text(char ***list, size_t *count, const char *text, struct wt_error *err)
{
    size_t capacity = *count;
    char **grown = wt_array_grow(*list, &capacity, *count + 1, sizeof *grown);
    char *copy = grown ? strdup(text) : NULL;
    if (grown)
        *list = grown;
    if (!copy)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    grown[(*count)++] = copy;
    return WT_OK;
}

enum wt_status wt_report_profile_set(void *profile, const char *value, struct wt_error *err)
{
    struct wt_report_profile *p = profile;
    if (!value) {
        p->table = true;
        return WT_OK;
    }
    if (strncmp(value, "lcov:", 5) == 0 && value[5])
        return add_text(&p->lcov, &p->lcov_count, value + 5, err);
    if (strncmp(value, "json:", 5) == 0)
        return wt_report_add(&p->json, value, err);
    return wt_fail(err, WT_INVALID, "'%s' is neither json:FILE nor lcov:FILE", value);
}

enum wt_status wt_report_profile_set_limit(void *profile, const char *value, struct wt_error *err)
{
    struct wt_report_profile *p = profile;
    if (!wt_report_profile_is_limit(value))
        return wt_fail(err, WT_INVALID,
                       "'%s' is not FILE:LINE COUNT<=N, where COUNT is issues, requests, "
                       "transactions, conflicts, collisions or bytes",
                       value);
    return add_text(&p->limit, &p->limit_count, value, err);
}

bool wt_report_profile_wanted(const struct wt_report_profile *p)
{
    return p->table || p->json || p->lcov_count || p->limit_count;
}

static void free_texts(char **list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(list[i]);
    free(list);
}

void wt_report_profile_free(struct wt_report_profile *p)
{
    wt_profile_free(p->counts);
    free_texts(p->lcov, p->lcov_count);
    free_texts(p->limit, p->limit_count);
    free(p->json);
    if (p->has_file)
        close(p->file);
}

/* ---- counting ---- */

enum wt_status wt_report_profile_begin(struct wt_report_profile *p, struct wt_emulated *e,
                                       struct wt_error *err)
{
    struct wt_profile_shape shape = e->family->profile;
    if (!wt_report_profile_wanted(p))
        return WT_OK;
    if (e->family->line)
        shape.line = e->family->line(e);
    if (!shape.together) /* as many as there are lanes */
        shape.banks = shape.together = e->machine->lanes;
    p->counts = wt_profile_begin(e->machine, &shape, NULL, NULL);
    return p->counts ? WT_OK : wt_fail(err, WT_NO_MEMORY, "no host memory for the counts");
}

enum wt_status wt_report_profile_begin_programs(struct wt_report_profile *p, bool findings,
                                                struct wt_error *err)
{
    if (!wt_report_profile_wanted(p) && !findings)
        return WT_OK;
    const int file = wt_counted_create(wt_report_profile_wanted(p), err);
    if (file < 0)
        return err->status;
    if (p->has_file)
        close(p->file);
    p->file = file;
    p->has_file = true;
    return WT_OK;
}

static enum wt_status read_device(struct wt_report_profile *p, const struct wt_emulated *e,
                                  struct wt_report_profile_table *t, struct wt_error *err)
{
    struct wt_profile_count *list;
    size_t count;
    enum wt_status status = wt_profile_list(p->counts, &list, &count, err);
    t->lane = e->family->words.lane;
    for (size_t i = 0; i < count && !status; i++) {
        const struct wt_module *m = wt_modules_at(e->modules, 0, list[i].pc);
        const struct wt_report_profile_place place = {.modules = e->modules,
                                                      .code = m ? m->id : 0,
                                                      .base = m ? m->bias : 0,
                                                      .bias = m ? m->bias : 0,
                                                      .process = (long)getpid()};
        status = wt_report_profile_add(t, &place, &list[i], err);
    }
    free(list);
    return status;
}

/* Reads the counts so far; @p file owns the names of the table. */
static enum wt_status read_all(struct wt_report_profile *p, const struct wt_emulated *e,
                               struct wt_report_profile_table *t,
                               struct wt_report_profile_file *file, struct wt_error *err)
{
    enum wt_status status = e             ? read_device(p, e, t, err)
                            : p->has_file ? wt_report_profile_read_file(p->file, file, t, err)
                                          : WT_OK;
    wt_report_profile_join_instructions(t);
    return status;
}

/* ---- reports ---- */

enum wt_status wt_report_profile_look(struct wt_report_profile *p, const struct wt_emulated *e,
                                      void (*look)(void *context,
                                                   struct wt_report_profile_table *lines),
                                      void *context, struct wt_error *err)
{
    struct wt_report_profile_table all = {.lane = "lane"}, lines = {.count = 0};
    struct wt_report_profile_file file = {.processes = 0};
    if (e ? !p->counts : !wt_report_profile_wanted(p))
        return wt_fail(err, WT_STATE, "nothing is counted: give the option --profile");
    enum wt_status status = read_all(p, e, &all, &file, err);
    if (!status && (status = wt_report_profile_lines(&all, false, &lines, err)) == WT_OK)
        look(context, &lines);
    wt_report_profile_table_free(&lines);
    wt_report_profile_table_free(&all);
    wt_report_profile_file_free(&file);
    return status;
}

static void print_table(void *out, struct wt_report_profile_table *lines)
{
    wt_report_profile_print_table(out, lines);
}

enum wt_status wt_report_profile_print(struct wt_report_profile *p, const struct wt_emulated *e,
                                       FILE *out, struct wt_error *err)
{
    return wt_report_profile_look(p, e, print_table, out, err);
}

static void write_objects(const char *files, const struct wt_report_profile_table *lines,
                          const struct wt_report_profile_table *all)
{
    if (!files)
        return;
    wt_report_profile_write_objects(files, lines, false);
    wt_report_profile_write_objects(files, all, true);
}

static enum wt_status report(const struct wt_report_profile *p, const char *files,
                             const struct wt_report_profile_table *all, bool *over,
                             struct wt_error *err)
{
    struct wt_report_profile_table of_each, lines;
    enum wt_status status = wt_report_profile_lines(all, true, &of_each, err);
    if (status)
        return status;
    write_objects(p->json, &of_each, all);
    write_objects(files, &of_each, all);
    wt_report_profile_table_free(&of_each);
    if ((status = wt_report_profile_lines(all, false, &lines, err)) != WT_OK)
        return status;
    for (size_t i = 0; i < p->lcov_count && !status; i++)
        status = wt_report_profile_write_lcov(p->lcov[i], &lines, err);
    for (size_t i = 0; i < p->limit_count; i++)
        *over |= wt_report_profile_is_over(p->limit[i], &lines);
    if (p->table)
        wt_report_profile_print_table(stderr, &lines);
    wt_report_profile_table_free(&lines);
    return status;
}

int wt_report_profile_report(const char *command, struct wt_report_profile *p,
                             const struct wt_emulated *e, const char *files)
{
    struct wt_report_profile_table all = {.lane = "lane"};
    struct wt_report_profile_file file = {.processes = 0};
    struct wt_error err;
    bool over = false;
    if (e ? !p->counts : !p->has_file || !wt_report_profile_wanted(p))
        return 0;
    enum wt_status status = read_all(p, e, &all, &file, &err);
    if (!status)
        status = report(p, files, &all, &over, &err);
    wt_report_profile_table_free(&all);
    wt_report_profile_file_free(&file);
    return status ? wt_report_failed(command, &err) : over ? WT_EXIT_OVER : 0;
}
