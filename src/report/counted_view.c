/* See counted_view.h. */
#include "report/counted_view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/array.h"

const struct wt_family *wt_report_counted_family(const struct wt_counted_block *b)
{
    return memchr(b->gpu, 0, sizeof b->gpu) ? wt_family_of_gpu(b->gpu) : NULL;
}

/* The block at a place; NULL: there is none, or it is not complete. */
const struct wt_counted_block *wt_report_counted_at(const struct wt_report_counted_view *v,
                                                    uint64_t place)
{
    const struct wt_counted_block *b = (const void *)(v->bytes + place);
    if (!place || place % WT_COUNTED_PAGE || place >= v->end ||
        atomic_load((_Atomic uint64_t *)(uintptr_t)&b->magic) != WT_COUNTED_MAGIC ||
        b->size > v->end - place || b->size < sizeof *b || b->length > b->size - sizeof *b)
        return NULL;
    return b;
}

/* Behind the last block may be one that a process was about to write when it was killed. */
const struct wt_counted_block *wt_report_counted_next(const struct wt_report_counted_view *v,
                                                      const struct wt_counted_block *b)
{
    uint64_t place = b ? (uint64_t)((const uint8_t *)b - v->bytes) + b->size : WT_COUNTED_PAGE;
    for (b = NULL; place < v->end && !b; place += WT_COUNTED_PAGE)
        b = wt_report_counted_at(v, place);
    return b;
}

/* ---- code ---- */

/* Code without names that can be read is known by its addresses. */
static struct wt_report_counted_code *code_at(struct wt_report_counted_view *v, uint64_t place)
{
    const struct wt_counted_block *b = wt_report_counted_at(v, place);
    struct wt_error err;
    for (size_t i = 0; i < v->count; i++)
        if (v->code[i].at == place)
            return &v->code[i];
    struct wt_report_counted_code *grown =
        b ? wt_array_grow(v->code, &v->capacity, v->count + 1, sizeof *grown) : NULL;
    const struct wt_family *family = b ? wt_report_counted_family(b) : NULL;
    if (!grown || !family)
        return NULL;
    v->code = grown;
    struct wt_report_counted_code *c = &grown[v->count];
    *c = (struct wt_report_counted_code){.at = place, .modules = wt_modules_new()};
    if (!c->modules)
        return NULL;
    v->count++;
    c->family = family;
    wt_core_section_read(family, (const uint8_t *)(b + 1), (size_t)b->length, c->modules, &c->code,
                         &err);
    return c;
}

/* Source texts of a list are for the code in it. */
static void take_texts(const struct wt_report_counted_view *v, struct wt_report_counted_code *c,
                       const uint64_t *place, size_t count)
{
    struct wt_core_code text;
    struct wt_error err;
    for (size_t i = 0; i < count && !c->has_texts; i++) {
        const struct wt_counted_block *b = wt_report_counted_at(v, place[i]);
        if (b && b->length > 4 && memcmp(b + 1, "TEXT", 4) == 0)
            wt_core_section_read(wt_report_counted_family(b), (const uint8_t *)(b + 1),
                                 (size_t)b->length, c->modules, &text, &err);
    }
    c->has_texts = true;
}

struct wt_report_counted_code *wt_report_counted_code(struct wt_report_counted_view *v,
                                                      uint64_t list, uint64_t pc)
{
    const struct wt_counted_block *b = wt_report_counted_at(v, list);
    const uint64_t *place = b && b->kind == WT_COUNTED_LIST ? (const uint64_t *)(b + 1) : NULL;
    const size_t count = place ? (size_t)(b->length / sizeof *place) : 0;
    for (size_t i = count; i-- > 0;) {
        struct wt_report_counted_code *c = code_at(v, place[i]);
        const struct wt_module *m = c ? wt_modules_at(c->modules, 0, pc) : NULL;
        if (!m)
            continue;
        c->bias = m->bias;
        take_texts(v, c, place, count);
        return c;
    }
    return NULL;
}

/* ---- the file ---- */

enum wt_status wt_report_counted_open(int fd, struct wt_report_counted_view *v,
                                      struct wt_error *err)
{
    struct stat info;
    void *map = MAP_FAILED;
    if (!fstat(fd, &info))
        map = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        return wt_fail(err, WT_IO, "counts and findings cannot be read: %s", strerror(errno));
    v->bytes = map;
    v->end = (uint64_t)info.st_size;
    return WT_OK;
}

enum wt_status wt_report_counted_close(struct wt_report_counted_view *v,
                                       struct wt_report_counted_sums *sums, struct wt_error *err)
{
    struct wt_counted_head *head = (struct wt_counted_head *)(uintptr_t)v->bytes;
    const bool lost = atomic_load(&head->lost);
    *sums = (struct wt_report_counted_sums){atomic_load(&head->more), atomic_load(&head->unjudged),
                                            atomic_load(&head->opened)};
    munmap(head, v->end);
    v->bytes = NULL;
    return lost ? wt_fail(err, WT_NO_MEMORY, "the host has no memory for counts and findings")
                : WT_OK;
}

void wt_report_counted_free(struct wt_report_counted_view *v)
{
    for (size_t i = 0; i < v->count; i++) {
        struct wt_report_counted_code *c = &v->code[i];
        if (c->texts)
            c->family->core_file.code_text_end(c->texts);
        wt_modules_free(c->modules);
    }
    free(v->code);
    *v = (struct wt_report_counted_view){.count = 0};
}
