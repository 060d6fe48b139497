/* See profile_file.h. */
#include "report/profile_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* The index of a number in a list, to which it is added; 0 without host memory. */
static size_t index_of(uint64_t number, uint64_t **list, size_t *count, size_t *room)
{
    size_t i = 0;
    while (i < *count && (*list)[i] != number)
        i++;
    if (i < *count)
        return i;
    uint64_t *grown = wt_array_grow(*list, room, *count + 1, sizeof *grown);
    if (!grown)
        return 0;
    *list = grown;
    grown[*count] = number;
    return (*count)++;
}

static struct wt_report_profile_place place_of(struct wt_report_profile_file *f,
                                               const struct wt_counted_block *b,
                                               const struct wt_profile_count *count)
{
    struct wt_report_profile_place place = {.process = (long)b->process};
    const struct wt_report_counted_code *c =
        wt_report_counted_code(&f->view, count->code, count->pc);
    place.order = index_of((uint64_t)b->process, &f->process, &f->processes, &f->process_room);
    if (c) {
        place.modules = c->modules;
        place.code = c->code.id;
        place.base = c->code.base;
        place.bias = c->bias;
        return place;
    }
    /* Its addresses may be others in another run. */
    place.unlisted = true;
    place.code = index_of(count->entry, &f->kernel, &f->kernels, &f->kernel_room);
    place.base = place.bias = count->entry;
    return place;
}

static enum wt_status take_numbers(struct wt_report_profile_file *f,
                                   const struct wt_counted_block *b,
                                   struct wt_report_profile_table *t, struct wt_error *err)
{
    const struct wt_profile_count *list = (const void *)(b + 1);
    enum wt_status status = WT_OK;
    const struct wt_family *family = wt_report_counted_family(b);
    for (size_t i = 0; i < WT_PROFILE_BLOCK && !status; i++) {
        if (!list[i].issues)
            continue;
        const struct wt_report_profile_place place = place_of(f, b, &list[i]);
        t->lane = family && (!t->count || strcmp(t->lane, family->words.lane) == 0)
                      ? family->words.lane
                      : "lane";
        status = wt_report_profile_add(t, &place, &list[i], err);
    }
    return status;
}

enum wt_status wt_report_profile_read_file(int fd, struct wt_report_profile_file *file,
                                           struct wt_report_profile_table *t, struct wt_error *err)
{
    struct wt_report_counted_sums sums;
    enum wt_status status = wt_report_counted_open(fd, &file->view, err);
    if (status)
        return status;
    const struct wt_counted_block *b = NULL;
    while (!status && (b = wt_report_counted_next(&file->view, b)))
        if (b->kind == WT_COUNTED_NUMBERS)
            status = take_numbers(file, b, t, err);
    const enum wt_status closed =
        wt_report_counted_close(&file->view, &sums, status ? WT_IGNORED : err);
    return status ? status : closed;
}

void wt_report_profile_file_free(struct wt_report_profile_file *file)
{
    wt_report_counted_free(&file->view);
    free(file->process);
    free(file->kernel);
    *file = (struct wt_report_profile_file){.processes = 0};
}
