/* See names.h. */
#include "check/names.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fork_lock.h"

enum owner { OF_PROGRAM, OF_LIBRARY, OF_RUNTIME };

struct names_name {
    const void *space;
    struct wt_known_variable v; /* a function's name and addresses */
    enum owner owner;           /* owner of a function */
};

struct names_of {
    struct names_name *list; /* by space and address, where `sorted` */
    size_t count, room;
    bool sorted;
};

static struct {
    pthread_mutex_t lock;
    struct names_of functions, variables;
    _Atomic uint64_t state;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

WT_LOCK_OVER_FORKS(names, all.lock)

static int by_address(const void *a, const void *b)
{
    const struct names_name *x = a, *y = b;
    if (x->space != y->space)
        return (uintptr_t)x->space < (uintptr_t)y->space ? -1 : 1;
    return x->v.first != y->v.first ? (x->v.first < y->v.first ? -1 : 1) : 0;
}

static void add(struct names_of *n, const void *space, const struct wt_known_variable *v,
                enum owner owner)
{
    pthread_mutex_lock(&all.lock);
    struct names_name *grown = wt_array_grow(n->list, &n->room, n->count + 1, sizeof *grown);
    if (grown) {
        n->list = grown;
        grown[n->count++] = (struct names_name){space, *v, owner};
        n->sorted = false;
        all.state++;
    }
    pthread_mutex_unlock(&all.lock);
}

static void forget(struct names_of *n, const void *space)
{
    size_t kept = 0;
    for (size_t i = 0; i < n->count; i++)
        if (n->list[i].space != space)
            n->list[kept++] = n->list[i];
    n->count = kept;
}

void wt_names_begin(const void *space)
{
    pthread_mutex_lock(&all.lock);
    forget(&all.functions, space);
    forget(&all.variables, space);
    all.state++;
    pthread_mutex_unlock(&all.lock);
}

static bool begins(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* Functions of libgomp, of LLVM's device library
 * ("OpenMP in LLVM", device runtime), of libatomic, and of the C library's allocator; and functions
 * of the C library that programs and those call. */
static enum owner owner_by(const char *name)
{
    static const char *const prefixes[] = {"gomp_",   "GOMP_",    "omp_",      "goacc_",
                                           "GOACC_",  "__kmpc_",  "__malloc_", "_malloc_r",
                                           "_free_r", "__nvptx_", "__atomic_", "__sync_"};
    static const char *const whole[] = {"malloc", "free", "calloc", "realloc"};
    static const char *const library[] = {"memcpy", "memmove", "memset"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (begins(name, prefixes[i]))
            return OF_RUNTIME;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (strcmp(name, whole[i]) == 0)
            return OF_RUNTIME;
    for (size_t i = 0; i < sizeof library / sizeof *library; i++)
        if (strcmp(name, library[i]) == 0)
            return OF_LIBRARY;
    return OF_PROGRAM;
}

void wt_functions_gone(const void *space, uint64_t first, uint64_t size)
{
    struct names_of *n = &all.functions;
    size_t kept = 0;
    pthread_mutex_lock(&all.lock);
    for (size_t i = 0; i < n->count; i++)
        if (n->list[i].space != space || n->list[i].v.first - first >= size)
            n->list[kept++] = n->list[i];
    n->count = kept;
    pthread_mutex_unlock(&all.lock);
}

void wt_function_at(const void *space, uint64_t first, uint64_t size, const char *name)
{
    add(&all.functions, space, &(struct wt_known_variable){.first = first, .size = size},
        owner_by(name));
}

void wt_names_end(struct wt_names_reader *r)
{
    if (r->variable.size)
        add(&all.variables, r->space, &r->variable, OF_PROGRAM);
    r->variable.size = 0;
}

void wt_names_read(struct wt_names_reader *r, const char *name, uint64_t addr, uint64_t size)
{
    struct wt_known_variable *v = &r->variable;
    const bool inside = v->size && addr - v->first < v->size;
    if (!size) {
        v->shared |= inside && addr == v->first;
        r->any = true;
        r->bare = addr;
    } else if (inside) {
        const uint64_t more = addr + size - v->first;
        v->size = more > v->size ? more : v->size;
    } else {
        wt_names_end(r);
        *v = (struct wt_known_variable){
            .first = addr, .size = size, .shared = r->any && r->bare == addr};
        snprintf(v->name, sizeof v->name, "%s", name);
    }
}

static void sort(struct names_of *n)
{
    if (!n->sorted && n->count)
        qsort(n->list, n->count, sizeof *n->list, by_address);
    n->sorted = true;
}

/* The last one that begins at or before an address. */
static const struct names_name *before(struct names_of *n, const void *space, uint64_t addr)
{
    const struct names_name wanted = {.space = space, .v = {.first = addr}};
    sort(n);
    WT_BISECT(low, n->count, by_address(&n->list[middle], &wanted) <= 0);
    return low && n->list[low - 1].space == space ? &n->list[low - 1] : NULL;
}

static bool find(struct names_of *n, const void *space, uint64_t addr, struct wt_known_variable *v)
{
    pthread_mutex_lock(&all.lock);
    const struct names_name *found = before(n, space, addr);
    const bool is = found && addr - found->v.first < found->v.size;
    if (is)
        *v = found->v;
    pthread_mutex_unlock(&all.lock);
    return is;
}

bool wt_function_of(const void *space, uint64_t pc, uint64_t *first, uint64_t *end)
{
    struct wt_known_variable v;
    if (!find(&all.functions, space, pc, &v))
        return false;
    *first = v.first;
    *end = v.first + v.size;
    return true;
}

/* The lock is held. */
static enum owner owner_of(const void *space, uint64_t pc)
{
    const struct names_name *found = before(&all.functions, space, pc);
    return found && pc - found->v.first < found->v.size ? found->owner : OF_PROGRAM;
}

bool wt_functions_are_of_runtime(const void *space, uint64_t pc, uint64_t other, bool heap)
{
    pthread_mutex_lock(&all.lock);
    const enum owner a = owner_of(space, pc), b = owner_of(space, other);
    pthread_mutex_unlock(&all.lock);
    return (heap || a == OF_RUNTIME || b == OF_RUNTIME) && a != OF_PROGRAM && b != OF_PROGRAM;
}

bool wt_variable_of(const void *space, uint64_t addr, struct wt_known_variable *variable)
{
    return find(&all.variables, space, addr, variable);
}

void wt_variable_within(struct wt_object *object, uint64_t addr)
{
    struct wt_known_variable v;
    if (*object->name || (object->by && *object->by) || !wt_variable_of(object->space, addr, &v) ||
        v.first < object->addr || v.first + v.size > object->addr + object->size)
        return;
    object->number = v.first | UINT64_C(1) << 63; /* those of objects are counted */
    object->addr = v.first;
    object->size = v.size;
    snprintf(object->name, sizeof object->name, "%s", v.name);
}

bool wt_variables_extent(const void *space, uint64_t *first, uint64_t *last)
{
    bool any = false;
    pthread_mutex_lock(&all.lock);
    for (size_t i = 0; i < all.variables.count; i++) {
        const struct names_name *one = &all.variables.list[i];
        if (one->space != space)
            continue;
        const uint64_t end = one->v.first + one->v.size - 1;
        *first = any && *first < one->v.first ? *first : one->v.first;
        *last = any && *last > end ? *last : end;
        any = true;
    }
    pthread_mutex_unlock(&all.lock);
    return any;
}

uint64_t wt_names_state(void)
{
    return atomic_load_explicit(&all.state, memory_order_acquire);
}
