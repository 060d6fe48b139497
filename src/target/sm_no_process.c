/* The debugger of SMs that no program uses: front ends look at the program's file before it is
 * started. See process.h. */
#include "target/sm_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "emulator/sm/sass/isa.h"
#include "object/cubin.h"
#include "object/cuda_contained.h"
#include "object/cuda_fatbin.h"
#include "object/ptx_object.h"

/* ---- the code in the program's file ---- */

enum {
    FILE_CODE_BITS = 32, /* the first image is at 1 << 32, each has as much to itself */
    FILE_DATA_BITS = 31,
};

/* Where images of a program's file are put. */
struct placing {
    struct wt_process *process;
    const char *name;
    struct wt_sm_ptx texts; /* of the file's own data: GCC has each object of a program there */
    const uint8_t *first;   /* byte of the file */
    uint64_t images;
};

static uint64_t code_of(const struct placing *to)
{
    return (to->images + 1) << FILE_CODE_BITS;
}

static bool show_bytes(struct wt_process *p, uint64_t at, const uint8_t *bytes, size_t size)
{
    if (!size)
        return true;
    uint8_t *copy = malloc(size);
    if (!copy)
        return false;
    memcpy(copy, bytes, size);
    return wt_memory_image_add(&p->image, at, copy, size);
}

/* Takes over the texts. What cannot be linked, or takes too much room, is left out. */
static bool show_ptx(struct placing *to, struct wt_sm_ptx *texts)
{
    struct wt_code_list *o = to->process->code;
    const uint64_t code = code_of(to), data = code + (UINT64_C(1) << FILE_DATA_BITS);
    struct wt_sm_loaded *loaded = wt_code_list_next(o, sizeof *loaded);
    size_t code_size = 0, data_size = 0;
    bool good = loaded && texts->count && wt_sm_ptx_link(texts, code, data, WT_IGNORED) == WT_OK;
    if (good) {
        const uint8_t *code_bytes = sm_ptx_code(texts->image, &code_size);
        const uint8_t *data_bytes = sm_ptx_data(texts->image, &data_size);
        good = code_size && code_size <= data - code && data_size <= data - code &&
               wt_sm_ptx_add_module(texts, to->process->modules, &loaded->of.module, WT_IGNORED) ==
                   WT_OK &&
               show_bytes(to->process, code, code_bytes, code_size) &&
               show_bytes(to->process, data, data_bytes, data_size);
        loaded->ptx = *texts;
        o->count += good;
        to->images += good;
    }
    if (!good)
        wt_sm_ptx_free(texts);
    *texts = (struct wt_sm_ptx){0};
    return good;
}

static void show_cubin(struct placing *to, const uint8_t *bytes, size_t size)
{
    struct cubin cubin;
    if (cubin_parse(to->name, bytes, size, &cubin, WT_IGNORED) != WT_OK)
        return;
    if (cubin.code_size &&
        wt_modules_add_bytes(to->process->modules, to->name, bytes, size, code_of(to), 0, NULL,
                             WT_IGNORED) == WT_OK &&
        show_bytes(to->process, code_of(to), cubin.code, (size_t)cubin.code_size))
        to->images++;
    cubin_free(&cubin);
}

static enum wt_status add_named(void *context, const char *name, const char *text, size_t length,
                                struct wt_error *err)
{
    return wt_sm_ptx_add(context, name, text, length, err);
}

static void show_elf(struct placing *to, const uint8_t *bytes, size_t size)
{
    struct wt_sm_ptx texts = {0};
    size_t whole;
    if (!ptx_object_is(bytes, size, &whole))
        show_cubin(to, bytes, size);
    else if (ptx_object_each(bytes, size, add_named, &texts, WT_IGNORED) == WT_OK)
        show_ptx(to, &texts);
    wt_sm_ptx_free(&texts);
}

static bool any_code(const struct cuda_fatbin_entry *entry)
{
    size_t size;
    return (entry->capability >= 50 && entry->capability <= 53) ||
           ptx_object_is(entry->payload, entry->payload_size, &size);
}

/* The entry that a GPU takes for which the program was made: `exec` chooses the GPU by it. */
static void show_fatbin(struct placing *to, const struct cuda_contained *found)
{
    enum { MAXWELL = 53 };
    struct cuda_fatbin_entry entry;
    struct wt_buffer inner = {0};
    struct wt_sm_ptx texts = {0};
    size_t at = 0;
    enum wt_status status =
        cuda_fatbin_choose(found->bytes, found->size, MAXWELL, any_code, &entry, WT_IGNORED);
    if (status)
        status = cuda_fatbin_next(found->bytes, found->size, &at, &entry, WT_IGNORED);
    if (!status && cuda_fatbin_unpack(&entry, &inner, WT_IGNORED) == WT_OK && inner.length) {
        if (entry.kind == CUDA_FATBIN_ELF)
            show_elf(to, inner.bytes, inner.length);
        else if (entry.kind == CUDA_FATBIN_PTX &&
                 wt_sm_ptx_add(&texts, to->name, (const char *)inner.bytes, inner.length,
                               WT_IGNORED) == WT_OK)
            show_ptx(to, &texts);
    }
    wt_sm_ptx_free(&texts);
    free(inner.bytes);
}

static void show_text(struct placing *to, const struct cuda_contained *found)
{
    char name[300];
    snprintf(name, sizeof name, "%.250s, PTX at 0x%zx", to->name,
             (size_t)(found->bytes - to->first));
    wt_sm_ptx_add(&to->texts, name, (const char *)found->bytes, found->size, WT_IGNORED);
}

/* The texts are the objects of one program, as GCC has them; or else each is a program. */
static void show_texts(struct placing *to, const uint8_t *bytes, size_t length)
{
    struct cuda_contained found;
    size_t at = 0;
    if (!to->texts.count || show_ptx(to, &to->texts))
        return;
    while (cuda_contained_next(bytes, length, &at, &found))
        if (found.kind == CUDA_CONTAINED_TEXT) {
            show_text(to, &found);
            show_ptx(to, &to->texts);
        }
}

static void show_file(struct wt_process *p, const char *program)
{
    struct placing to = {.process = p, .name = program};
    struct cuda_contained found;
    uint8_t *bytes;
    size_t length, at = 0;
    if (wt_file_read(program, &bytes, &length, WT_IGNORED) != WT_OK)
        return; /* reported when the program is started */
    to.first = bytes;
    while (cuda_contained_next(bytes, length, &at, &found))
        if (found.kind == CUDA_CONTAINED_FATBIN)
            show_fatbin(&to, &found);
        else if (found.kind == CUDA_CONTAINED_ELF)
            show_elf(&to, found.bytes, found.size);
        else
            show_text(&to, &found);
    show_texts(&to, bytes, length);
    free(bytes);
}

enum wt_status wt_sm_show_file(struct wt_process *p, const char *program, struct wt_error *err)
{
    wt_modules_set_bundles(p->modules, SM_BUNDLE, 8);
    p->code = calloc(1, sizeof(struct wt_code_list));
    if (!p->code)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a program's code");
    if (program)
        show_file(p, program);
    return WT_OK;
}
