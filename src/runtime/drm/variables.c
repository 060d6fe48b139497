/* See variables.h. */
#include "runtime/drm/variables.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/common/checked.h"
#include "runtime/drm/code.h"
#include "runtime/drm/core_file.h"
#include "runtime/drm/debugged.h"
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

void drm_names_list(struct drm_debugged *g)
{
    const uint64_t state = drm_code_state();
    uint32_t count;
    if (!wt_check_wants(WT_CHECK_MEMORY) ||
        (g->names == state && g->names_space == g->object_space))
        return;
    struct gen_wire_kernel *list = kernels_of(g, &count);
    wt_names_begin(g->object_space);
    for (uint32_t i = 0; i < count; i++)
        wt_function_at(g->object_space, list[i].address, list[i].code_size);
    g->names = state;
    g->names_space = g->object_space;
    free(list);
}

/* ---- variables of groups ---- */

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

bool drm_variable(void *context, enum wt_observed_space space, uint64_t pc,
                  const struct wt_origin *o, struct wt_known_variable *v)
{
    enum { MOST = 64 };
    const struct drm_debugged *g = context;
    struct wt_memory_variable list[MOST], found;
    uint32_t kernels, k = 0;
    if (space != WT_OBSERVED_GROUP || o->base != WT_ORIGIN_NO_BASE || !o->scaled || !symbols_of())
        return false;
    struct gen_wire_kernel *kernel = kernels_of(g, &kernels);
    while (k < kernels && pc - kernel[k].address >= kernel[k].code_size)
        k++;
    pthread_mutex_lock(&last.lock);
    if (k < kernels && last.number != kernel[k].number)
        take(symbols_of(), g, &kernel[k]);
    const size_t count =
        k < kernels && last.modules
            ? symbols_of()->variables(last.modules, pc, true, LOCAL_WINDOW, list, MOST)
            : 0;
    const bool is = symbols_of()->holds(list, count, (uint64_t)o->constant, &found);
    if (is) {
        *v = (struct wt_known_variable){.first = found.offset, .size = found.size};
        snprintf(v->name, sizeof v->name, "%s", found.name);
    }
    pthread_mutex_unlock(&last.lock);
    free(kernel);
    return is;
}
