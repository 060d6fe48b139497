/* See profile_file.h. */
#include "cli/profile_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/array.h"
#include "runtime/common/counted.h"
#include "target/core_file.h"

/* A section of code that was loaded. */
struct cli_profile_code {
    uint64_t at; /* its place in the file */
    struct wt_modules *modules;
    struct wt_core_code code;
    uint64_t bias;
    bool has_texts; /* those of a list in which it was found are among its modules */
};

/* The file, as far as it is written now. */
struct view {
    const uint8_t *bytes;
    uint64_t end;
    struct cli_profile_file *file;
};

static const struct wt_family *family_of(const struct wt_counted_block *b)
{
    for (const struct wt_family *const *f = wt_families; *f; f++)
        if (strncmp((*f)->name, b->family, sizeof b->family) == 0)
            return *f;
    return NULL;
}

/* The block at a place; NULL: there is none, or it is not complete. */
static const struct wt_counted_block *block_at(const struct view *v, uint64_t place)
{
    const struct wt_counted_block *b = (const void *)(v->bytes + place);
    if (!place || place % WT_COUNTED_PAGE || place >= v->end ||
        atomic_load((_Atomic uint64_t *)(uintptr_t)&b->magic) != WT_COUNTED_MAGIC ||
        b->size > v->end - place || b->size < sizeof *b || b->length > b->size - sizeof *b)
        return NULL;
    return b;
}

/* The next block behind one, or behind what a process was about to write when it was killed. */
static uint64_t next_place(const struct view *v, uint64_t place)
{
    const struct wt_counted_block *b = block_at(v, place);
    for (place += b ? b->size : WT_COUNTED_PAGE; place < v->end; place += WT_COUNTED_PAGE)
        if (block_at(v, place))
            break;
    return place;
}

/* ---- code ---- */

/* Code without names that can be read is known by its addresses. */
static struct cli_profile_code *code_at(const struct view *v, uint64_t place)
{
    struct cli_profile_file *file = v->file;
    const struct wt_counted_block *b = block_at(v, place);
    struct wt_error err;
    for (size_t i = 0; i < file->count; i++)
        if (file->modules[i].at == place)
            return &file->modules[i];
    struct cli_profile_code *grown =
        b ? wt_array_grow(file->modules, &file->capacity, file->count + 1, sizeof *grown) : NULL;
    const struct wt_family *family = b ? family_of(b) : NULL;
    if (!grown || !family)
        return NULL;
    file->modules = grown;
    struct cli_profile_code *c = &grown[file->count];
    *c = (struct cli_profile_code){.at = place, .modules = wt_modules_new()};
    if (!c->modules)
        return NULL;
    file->count++;
    wt_core_section_read(family, (const uint8_t *)(b + 1), (size_t)b->length, c->modules, &c->code,
                         &err);
    return c;
}

/* Source texts of a list are for the code in it. */
static void take_texts(const struct view *v, struct cli_profile_code *c, const uint64_t *place,
                       size_t count)
{
    struct wt_core_code text;
    struct wt_error err;
    for (size_t i = 0; i < count && !c->has_texts; i++) {
        const struct wt_counted_block *b = block_at(v, place[i]);
        if (b && b->length > 4 && memcmp(b + 1, "TEXT", 4) == 0)
            wt_core_section_read(family_of(b), (const uint8_t *)(b + 1), (size_t)b->length,
                                 c->modules, &text, &err);
    }
    c->has_texts = true;
}

/* The code that is loaded at an address, of a list at a place. */
static const struct cli_profile_code *find_code(const struct view *v, uint64_t list, uint64_t pc)
{
    const struct wt_counted_block *b = block_at(v, list);
    const uint64_t *place = b && b->kind == WT_COUNTED_LIST ? (const uint64_t *)(b + 1) : NULL;
    const size_t count = place ? (size_t)(b->length / sizeof *place) : 0;
    for (size_t i = count; i-- > 0;) {
        struct cli_profile_code *c = code_at(v, place[i]);
        const struct wt_module *m = c ? wt_modules_at(c->modules, 0, pc) : NULL;
        if (!m)
            continue;
        c->bias = m->bias;
        take_texts(v, c, place, count);
        return c;
    }
    return NULL;
}

/* ---- counts ---- */

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

static struct cli_profile_place place_of(const struct view *v, const struct wt_counted_block *b,
                                         const struct wt_profile_count *count)
{
    struct cli_profile_file *f = v->file;
    struct cli_profile_place place = {.process = (long)b->process};
    const struct cli_profile_code *c = find_code(v, count->code, count->pc);
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

static enum wt_status take_numbers(const struct view *v, const struct wt_counted_block *b,
                                   struct cli_profile_table *t, struct wt_error *err)
{
    const struct wt_profile_count *list = (const void *)(b + 1);
    enum wt_status status = WT_OK;
    const struct wt_family *family = family_of(b);
    for (size_t i = 0; i < WT_PROFILE_BLOCK && !status; i++) {
        if (!list[i].issues)
            continue;
        const struct cli_profile_place place = place_of(v, b, &list[i]);
        t->lane = family && (!t->count || strcmp(t->lane, family->words.lane) == 0)
                      ? family->words.lane
                      : "lane";
        status = cli_profile_add(t, &place, &list[i], err);
    }
    return status;
}

/* Maps the file, as far as it is written now. */
static enum wt_status open_view(int fd, struct cli_profile_file *file, struct view *v,
                                struct wt_error *err)
{
    struct stat info;
    void *map = MAP_FAILED;
    if (!fstat(fd, &info))
        map = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        return wt_fail(err, WT_IO, "counts and findings cannot be read: %s", strerror(errno));
    *v = (struct view){map, (uint64_t)info.st_size, file};
    return WT_OK;
}

/* *more: findings beyond the limit. */
static enum wt_status close_view(const struct view *v, uint64_t *more, struct wt_error *err)
{
    struct wt_counted_head *head = (struct wt_counted_head *)(uintptr_t)v->bytes;
    const bool lost = atomic_load(&head->lost);
    *more = atomic_load(&head->more);
    munmap(head, v->end);
    return lost ? wt_fail(err, WT_NO_MEMORY, "the host has no memory for counts and findings")
                : WT_OK;
}

enum wt_status cli_profile_read_file(int fd, struct cli_profile_file *file,
                                     struct cli_profile_table *t, struct wt_error *err)
{
    struct view v = {.file = file};
    uint64_t more;
    enum wt_status status = open_view(fd, file, &v, err);
    if (status)
        return status;
    for (uint64_t at = next_place(&v, 0); at < v.end && !status; at = next_place(&v, at))
        if (block_at(&v, at)->kind == WT_COUNTED_NUMBERS)
            status = take_numbers(&v, block_at(&v, at), t, err);
    const enum wt_status closed = close_view(&v, &more, status ? WT_IGNORED : err);
    return status ? status : closed;
}

enum wt_status cli_profile_read_findings(int fd, struct cli_profile_file *file,
                                         void (*fn)(void *context, const struct wt_finding *finding,
                                                    const struct wt_family *family,
                                                    const struct wt_modules *modules,
                                                    const char *maps, long process),
                                         void *context, uint64_t *more, struct wt_error *err)
{
    struct view v = {.file = file};
    const enum wt_status status = open_view(fd, file, &v, err);
    if (status)
        return status;
    for (uint64_t at = next_place(&v, 0); at < v.end; at = next_place(&v, at)) {
        const struct wt_counted_block *b = block_at(&v, at);
        const struct wt_counted_finding *list = (const void *)(b + 1);
        for (size_t i = 0; b->kind == WT_COUNTED_FINDINGS && i < WT_COUNTED_FOUND; i++) {
            if (!atomic_load((_Atomic uint64_t *)(uintptr_t)&list[i].used))
                break;
            const struct wt_counted_block *maps = block_at(&v, list[i].maps),
                                          *code = block_at(&v, list[i].code);
            const struct cli_profile_code *c =
                list[i].finding.pc ? find_code(&v, list[i].code, list[i].finding.pc) : NULL;
            fn(context, &list[i].finding, code ? family_of(code) : NULL, c ? c->modules : NULL,
               maps ? (const char *)(maps + 1) : "", (long)b->process);
        }
    }
    return close_view(&v, more, err);
}

void cli_profile_file_free(struct cli_profile_file *file)
{
    for (size_t i = 0; i < file->count; i++)
        wt_modules_free(file->modules[i].modules);
    free(file->modules);
    free(file->process);
    free(file->kernel);
    *file = (struct cli_profile_file){.count = 0};
}
