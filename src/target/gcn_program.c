/* The code objects of a file and the kernel that runs. See gcn_program.h. */
#include "target/gcn_program.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/demangle.h"
#include "emulator/gcn/models.h"
#include "object/contained.h"
#include "object/elf_header.h"
#include "object/fatbin.h"

struct gcn_program_entry {
    struct gcn_object object;
    size_t length; /* length of its bytes in the file */
};

/* The code objects for the GPU, as they are in the file. */
struct gcn_program_list {
    const struct gcn_target *target;
    struct gcn_program_entry *entry;
    size_t count, capacity;
};

static void free_list(struct gcn_program_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        gcn_object_free(&list->entry[i].object);
    free(list->entry);
}

static enum wt_status add(struct gcn_program_list *list, const char *path, const uint8_t *bytes,
                          size_t length, struct wt_error *err)
{
    struct gcn_program_entry *grown =
        wt_array_grow(list->entry, &list->capacity, list->count + 1, sizeof *grown);
    if (!grown)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    list->entry = grown;
    struct gcn_program_entry *added = &list->entry[list->count];
    const enum wt_status status =
        gcn_object_parse(path, bytes, length, list->target, &added->object, err);
    if (status != WT_OK)
        return status;
    added->length = length;
    list->count++;
    return WT_OK;
}

static enum wt_status collect(const char *path, const uint8_t *bytes, size_t length,
                              struct gcn_program_list *list, struct wt_error *err)
{
    struct gcn_contained found;
    enum wt_status status;
    char held[200], all[80], text[400];
    for (size_t at = 0; gcn_contained_next(bytes, length, list->target, &at, &found);)
        if (found.usable && (status = add(list, path, found.bytes, found.size, err)) != WT_OK)
            return status;
    if (list->count)
        return WT_OK;
    if (gcn_contained_list(bytes, length, list->target, held, sizeof held)) {
        gcn_model_tell_unfit(held, list->target, gcn_model_of_code(bytes, length, all, sizeof all),
                             text, sizeof text);
        return wt_fail(err, WT_INVALID, "%s: %s", path, text);
    }
    return wt_fail(err, WT_INVALID,
                   "%s: it holds no code object for AMD GPUs that can be read (compressed ones: "
                   "with libzstd1, zlib1g)",
                   path);
}

/* ---- the kernel ---- */

/* A kernel that the name may mean. */
struct choice {
    size_t object, kernel, count; /* the first one, and how many there are */
    char names[600];              /* for a message */
};

/* Counts the kernels of that name; exactly: compares only names as the file has them. NULL matches
 * all. */
static struct choice find(const struct gcn_program_list *list, const char *name, size_t only,
                          bool exactly)
{
    struct choice c = {.count = 0};
    size_t used = 0;
    for (size_t o = 0; o < list->count; o++) {
        if (only && o + 1 != only)
            continue;
        const struct gcn_object *object = &list->entry[o].object;
        for (size_t k = 0; k < object->kernels; k++) {
            const char *own = object->kernel[k].name;
            char plain[200];
            if (name && (exactly ? strcmp(own, name) != 0 : !wt_name_matches(own, name)))
                continue;
            if (!c.count++)
                c.object = o, c.kernel = k;
            wt_demangle(own, plain, sizeof plain);
            const bool numbered = list->count > 1;
            char number[24] = "";
            if (numbered)
                snprintf(number, sizeof number, "%zu:", o + 1);
            if (used < sizeof c.names)
                used += (size_t)snprintf(c.names + used, sizeof c.names - used, "%s%s%s",
                                         c.count > 1 ? ", " : " ", number, plain);
        }
    }
    return c;
}

/* "2:NAME" is the name in the second code object; "ns::name" is not of that form. */
static size_t take_number(const char **name)
{
    char *end;
    if (!*name || !isdigit((unsigned char)**name))
        return 0;
    const unsigned long number = strtoul(*name, &end, 10);
    if (*end != ':' || end[1] == ':')
        return 0;
    *name = end + 1;
    return number;
}

static enum wt_status choose(const char *path, const char *name,
                             const struct gcn_program_list *list, struct choice *chosen,
                             struct wt_error *err)
{
    const char *called = name;
    const size_t only = take_number(&called);
    *chosen = find(list, called, only, true);
    if (!chosen->count && called)
        *chosen = find(list, called, only, false);
    if (chosen->count == 1)
        return WT_OK;
    if (chosen->count && name)
        return wt_fail(err, WT_INVALID, "%s: '%.64s' may be several kernels:%s", path, name,
                       chosen->names);
    const struct choice all = find(list, NULL, 0, true);
    if (!all.count)
        return wt_fail(err, WT_INVALID, "%s: there are no kernels in it", path);
    if (name)
        return wt_fail(err, WT_INVALID, "%s: there is no kernel '%.64s'; there are:%s", path, name,
                       all.names);
    return wt_fail(err, WT_INVALID, "%s: say by --kernel which one to run:%s", path, all.names);
}

/* ---- the file ---- */

bool wt_gcn_program_contained(const char *path)
{
    struct gcn_contained found;
    uint8_t *bytes;
    size_t length, own, at = 0;
    struct wt_elf_header header; /* neither reads a pipe */
    if ((!wt_elf_header_read(path, &header) || !wt_elf_machine_is_host(header.machine)) &&
        !gcn_fatbin_is_file(path))
        return false;
    if (gcn_fatbin_read(path, &bytes, &length, &own, WT_IGNORED) != WT_OK)
        return false;
    const bool any = gcn_contained_next(bytes, length, &gcn_models->target, &at, &found);
    free(bytes);
    return any || gcn_fatbin_is_file(path);
}

enum wt_status wt_gcn_program_read(const char *path, const char *name,
                                   const struct gcn_target *target, struct wt_gcn_program *program,
                                   struct wt_error *err)
{
    static const uint8_t machine[] = {GCN_ELF_MACHINE, 0};
    struct gcn_program_list list = {.target = target};
    struct choice chosen;
    uint8_t *bytes;
    size_t length, own;
    enum wt_status status = gcn_fatbin_read(path, &bytes, &length, &own, err);
    if (status != WT_OK)
        return status;
    const bool whole =
        own >= 20 && memcmp(bytes, "\177ELF", 4) == 0 && memcmp(bytes + 18, machine, 2) == 0;
    status = whole ? add(&list, path, bytes, own, err) : collect(path, bytes, length, &list, err);
    free(bytes);
    if (!status)
        status = choose(path, name, &list, &chosen, err);
    if (!status) {
        const struct gcn_program_entry *entry = &list.entry[chosen.object];
        *program = (struct wt_gcn_program){
            .object = entry->object, .length = entry->length, .contained = !whole};
        program->kernel = &program->object.kernel[chosen.kernel];
        list.entry[chosen.object] = list.entry[--list.count]; /* the rest is freed */
    }
    free_list(&list);
    return status;
}

void wt_gcn_program_free(struct wt_gcn_program *program)
{
    gcn_object_free(&program->object);
}
