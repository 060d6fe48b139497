/* See variables.h. */
#include "runtime/i915/variables.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "check/objects.h"
#include "emulator/machine/origin.h"
#include "runtime/common/checked.h"
#include "runtime/i915/code.h"
#include "runtime/i915/core_file.h"
#include "runtime/i915/debugged.h"
#include "runtime/i915/kernels.h"
#include "runtime/symbols/symbols.h"

/* Where Intel's compiler has group's memory among other addresses. */
#define LOCAL_WINDOW (UINT64_C(0x0a) << 56)

/* The kernels of a GPU, which the caller frees; NULL without host memory. */
static struct gen_wire_kernel *kernels_of(const struct drm_debugged *g, uint32_t *count)
{
    const uint32_t room = WT_WIRE_MOST / sizeof(struct gen_wire_kernel);
    struct gen_wire_kernel *list = calloc(room, sizeof *list);
    const uint32_t all = list ? drm_code_list(list, room) : 0;
    *count = 0;
    for (uint32_t i = 0; i < all; i++)
        if (list[i].device == g->number)
            list[(*count)++] = list[i];
    return list;
}

/* The kernel that was asked for last. */
static struct {
    pthread_mutex_t lock;
    uint64_t number; /* 0: none */
    struct wt_modules *modules;
} last = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* In a child of a fork another thread may have been reading. */
static void forget(void)
{
    pthread_mutex_init(&last.lock, NULL);
    last.number = 0;
    last.modules = NULL;
}

static __attribute__((constructor)) void follow_forks(void)
{
    pthread_atfork(NULL, NULL, forget);
}

static void take(const struct symbols *symbols, const struct drm_debugged *g,
                 const struct gen_wire_kernel *kernel)
{
    size_t length;
    symbols->free(last.modules);
    last.modules = symbols->list();
    last.number = kernel->number;
    uint8_t *elf = last.modules ? drm_kernel_elf(g, kernel, &length) : NULL;
    if (elf)
        symbols->add_bytes(last.modules, kernel->name, elf, length, kernel->address, 0, NULL,
                           WT_IGNORED);
    free(elf);
}

/* ---- constants ---- */

enum { MOST_TABLES = 32, MOST_PADDING = 15 };

/* The constants of a kernel's program, of which debug information has the values. */
struct tables {
    uint64_t number; /* number of the kernel */
    uint64_t base;   /* base of the program's constant memory; 0: not known */
    uint8_t *bytes;  /* that it has */
    size_t length;
    unsigned count;
    struct wt_known_variable list[MOST_TABLES]; /* by place; `first` is relative to `base` */
};

static struct {
    struct tables *list; /* list of the kernels that have run, last.lock is held */
    size_t count, room;
} known;

/* The only place of a value; false: there are several, or none. */
static bool find_value(const struct tables *t, const struct wt_constant_variable *v,
                       uint64_t *place)
{
    const uint8_t *first = memmem(t->bytes, t->length, v->value, v->size);
    if (!first)
        return false;
    *place = (uint64_t)(first - t->bytes);
    return !memmem(first + 1, t->length - *place - 1, v->value, v->size);
}

static int by_first(const void *a, const void *b)
{
    const struct wt_known_variable *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Whether the variables are all that is there: then each value is its variable's. */
static bool are_all(const struct tables *t)
{
    uint64_t end = 0;
    for (unsigned i = 0; i <= t->count; i++) {
        const uint64_t next = i < t->count ? t->list[i].first : t->length;
        if (next < end || next - end > MOST_PADDING)
            return false;
        for (; end < next; end++)
            if (t->bytes[end])
                return false;
        end = i < t->count ? next + t->list[i].size : end;
    }
    return true;
}

static void lay_out(struct tables *t, const struct gen_wire_kernel *kernel)
{
    struct wt_constant_variable list[MOST_TABLES];
    const size_t count =
        last.modules ? symbols_of()->constants(last.modules, kernel->address, list, MOST_TABLES)
                     : 0;
    t->count = 0;
    for (size_t i = 0; i < count; i++) {
        struct wt_known_variable *v = &t->list[t->count];
        if (!find_value(t, &list[i], &v->first))
            continue;
        v->size = list[i].size;
        v->shared = true;
        snprintf(v->name, sizeof v->name, "%s", list[i].name);
        t->count++;
    }
    qsort(t->list, t->count, sizeof *t->list, by_first);
    if (!are_all(t))
        t->count = 0;
}

/* The tables of a kernel, whose program has these bytes of constants, which are taken; NULL without
 * host memory. */
static struct tables *tables_of(const struct drm_debugged *g, const struct gen_wire_kernel *kernel,
                                uint8_t *bytes, size_t length)
{
    size_t i = 0;
    while (i < known.count && known.list[i].number != kernel->number)
        i++;
    struct tables *grown = wt_array_grow(known.list, &known.room, i + 1, sizeof *grown);
    if (!grown) {
        free(bytes);
        return NULL;
    }
    known.list = grown;
    if (i == known.count)
        grown[known.count++] = (struct tables){.number = kernel->number};
    struct tables *t = &grown[i];
    if (t->bytes && t->length == length && !memcmp(t->bytes, bytes, length)) {
        free(bytes);
        return t;
    }
    free(t->bytes);
    t->bytes = bytes;
    t->length = length;
    take(symbols_of(), g, kernel);
    lay_out(t, kernel);
    return t;
}

/* Where the program's constants are: the runtime's only memory that begins with them. 0: not
 * known. */
static uint64_t base_of(const struct drm_debugged *g, const struct tables *t,
                        const struct wt_i915_mapping *mappings, size_t count)
{
    struct wt_object object;
    uint64_t base = 0;
    for (size_t i = 0; i < count && t->count; i++) {
        const struct wt_i915_mapping *m = &mappings[i];
        if (m->size < t->length || memcmp(m->host, t->bytes, t->length) != 0 ||
            (wt_object_find(g->object_space, m->address, &object, NULL, NULL) && !object.freed))
            continue;
        if (base)
            return 0;
        base = m->address;
    }
    return base;
}

/* Whether the constants of the kernel that begins are elsewhere than before. */
static bool find_tables(const struct drm_debugged *g, const struct gen_wire_kernel *kernel,
                        const struct wt_i915_mapping *mappings, size_t count)
{
    size_t length;
    uint8_t *bytes = wt_drm_kernel_constants_copy(kernel->address, &length);
    if (!bytes || !symbols_of()) {
        free(bytes);
        return false;
    }
    pthread_mutex_lock(&last.lock);
    struct tables *t = tables_of(g, kernel, bytes, length);
    const uint64_t base = t ? base_of(g, t, mappings, count) : 0;
    const bool is_other = t && base != t->base;
    if (t)
        t->base = base;
    pthread_mutex_unlock(&last.lock);
    return is_other;
}

/* Whose they are, and whether they are there now, is asked for each access (drm_variable()). */
static void list_tables(const struct drm_debugged *g)
{
    struct wt_names_reader reader = {.space = g->object_space};
    pthread_mutex_lock(&last.lock);
    for (size_t i = 0; i < known.count; i++)
        for (unsigned k = 0; known.list[i].base && k < known.list[i].count; k++) {
            const struct wt_known_variable *v = &known.list[i].list[k];
            wt_names_read(&reader, "", known.list[i].base + v->first, 0);
            wt_names_read(&reader, v->name, known.list[i].base + v->first, v->size);
            wt_names_end(&reader);
        }
    pthread_mutex_unlock(&last.lock);
}

void drm_names_list(struct drm_debugged *g, uint64_t kernel, const struct wt_i915_mapping *mappings,
                    size_t count)
{
    const uint64_t state = drm_code_state();
    uint32_t kernels;
    bool is_other = g->names != state || g->names_space != g->object_space;
    if (!wt_check_wants(WT_CHECK_MEMORY))
        return;
    struct gen_wire_kernel *list = kernels_of(g, &kernels);
    for (uint32_t i = 0; i < kernels; i++)
        if (list[i].address == kernel)
            is_other |= find_tables(g, &list[i], mappings, count);
    if (is_other) {
        wt_names_begin(g->object_space);
        for (uint32_t i = 0; i < kernels; i++)
            wt_function_at(g->object_space, list[i].address, list[i].code_size, list[i].name);
        list_tables(g);
        g->names = state;
        g->names_space = g->object_space;
    }
    free(list);
}

/* ---- variables at an address ---- */

/* A constant of the kernel that accesses it. last.lock is held. */
static bool find_constant(const struct gen_wire_kernel *kernel, uint64_t addr,
                          struct wt_known_variable *v)
{
    for (size_t i = 0; i < known.count; i++)
        for (unsigned k = 0; known.list[i].number == kernel->number && known.list[i].base &&
                             k < known.list[i].count;
             k++) {
            *v = known.list[i].list[k];
            v->first += known.list[i].base;
            if (addr - v->first < v->size)
                return true;
        }
    return false;
}

static bool find_local(const struct drm_debugged *g, const struct gen_wire_kernel *kernel,
                       uint64_t pc, uint64_t offset, struct wt_known_variable *v)
{
    const struct wt_own_place place = {WT_PLACE_OF_GROUP, .at = offset, .window = LOCAL_WINDOW};
    struct wt_memory_variable found;
    if (last.number != kernel->number)
        take(symbols_of(), g, kernel);
    if (!last.modules || !symbols_of()->variable(last.modules, pc, &place, &found))
        return false;
    *v = (struct wt_known_variable){.first = found.offset, .size = found.size};
    snprintf(v->name, sizeof v->name, "%s", found.name);
    return true;
}

bool drm_variable(void *context, enum wt_observed_space space, uint64_t pc,
                  const struct wt_origin *o, struct wt_known_variable *v)
{
    const struct drm_debugged *g = context;
    const uint64_t at = (uint64_t)o->constant;
    uint32_t kernels, k = 0;
    if ((space != WT_OBSERVED_GROUP && space != WT_OBSERVED_GLOBAL) ||
        o->base != WT_ORIGIN_NO_BASE || !o->scaled || !symbols_of())
        return false;
    struct gen_wire_kernel *kernel = kernels_of(g, &kernels);
    while (k < kernels && pc - kernel[k].address >= kernel[k].code_size)
        k++;
    pthread_mutex_lock(&last.lock);
    const bool is =
        k < kernels && (space == WT_OBSERVED_GROUP ? find_local(g, &kernel[k], pc, at, v)
                                                   : find_constant(&kernel[k], at, v));
    pthread_mutex_unlock(&last.lock);
    free(kernel);
    return is;
}
