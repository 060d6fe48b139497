/* See checks.h. */
#include "runtime/cuda/checks.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fork_lock.h"
#include "check/memory.h"
#include "runtime/common/host_checks.h"
#include "runtime/common/results.h"

/* ---- which function the program has called ---- */

enum library { OTHER, DRIVER, RUNTIME };

static enum library library_of(const Dl_info *where)
{
    Dl_info own;
    const char *file = where->dli_fname ? strrchr(where->dli_fname, '/') : NULL;
    if (dladdr((void *)(uintptr_t)checks_entry, &own) && own.dli_fbase == where->dli_fbase)
        return DRIVER;
    return file && strncmp(file, "/libcudart", 10) == 0 ? RUNTIME : OTHER;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the known names */

WT_LOCK_OVER_FORKS(names, lock)

/* A name without "_v2", which lives on. */
static const char *plain(const char *name)
{
    enum { MOST = 256 };
    static struct {
        const char *of;
        char text[48];
    } known[MOST];
    const char *version = strstr(name, "_v");
    unsigned i = 0;
    if (!version)
        return name;
    pthread_mutex_lock(&lock);
    while (i < MOST - 1 && known[i].of && known[i].of != name)
        i++;
    known[i].of = name;
    snprintf(known[i].text, sizeof known[i].text, "%.*s", (int)(version - name), name);
    pthread_mutex_unlock(&lock);
    return known[i].text;
}

/* The outermost of our functions that are under way. *caller: the library that has called it, or
 * the program; NULL: not known. */
static const char *outermost(const char **caller)
{
    struct wt_call_stack calls;
    Dl_info where;
    const char *name = NULL;
    *caller = NULL;
    wt_call_stack_take(&calls);
    for (unsigned i = 0; i < calls.depth; i++) {
        if (!dladdr((char *)calls.address[i] - 1, &where))
            break;
        if (library_of(&where) == OTHER) {
            *caller = where.dli_fname;
            break;
        }
        name = where.dli_sname;
    }
    return name;
}

const char *checks_entry(const char *usual)
{
    const char *caller, *name = wt_checks_wanted() ? outermost(&caller) : NULL;
    return name ? plain(name) : usual;
}

static bool is_runtime(const char *file)
{
    return file && (strstr(file, "libgomp") || strstr(file, "libomptarget"));
}

/* Whether a runtime of OpenMP makes the call: what it makes for itself stays to the end. */
static bool is_by_runtime(void)
{
    const char *caller;
    outermost(&caller);
    return is_runtime(caller);
}

void checks_failed(const char *name, const char *error, const char *text, void *caller)
{
    Dl_info where;
    if (!wt_check_wants(WT_CHECK_API) ||
        (dladdr((char *)caller - 1, &where) &&
         (library_of(&where) != OTHER || is_runtime(where.dli_fname))))
        return;
    wt_checked_call(WT_FOUND_FAILED_CALL, NULL, "%s: %s (%s)", plain(name), error, text);
}

void checks_bad_free(uint64_t address, const char *by)
{
    struct wt_object found;
    if (!wt_check_wants(WT_CHECK_MEMORY))
        return;
    if (wt_object_find(NULL, address, &found, NULL, NULL) && !found.freed && found.addr == address)
        wt_checked_call(WT_FOUND_BAD_FREE, &found, "%s: memory of %s", by,
                        *found.by ? found.by : "a module");
    else
        wt_checked_free(NULL, address, by);
}

/* ---- handles ---- */

static const char space = 0; /* its address is that of handles (check/objects.h) */

void checks_handle_made(const void *handle, uint64_t size, const char *usual)
{
    if (wt_checks_wanted() && !is_by_runtime())
        wt_object_made(&space, (uintptr_t)handle, size, checks_entry(usual));
}

static void release(void *context, uint64_t at)
{
    free((void *)(uintptr_t)at);
}

void checks_handle_gone(void *handle, const char *usual)
{
    if (!wt_checks_wanted()) {
        free(handle);
        return;
    }
    wt_object_freed(&space, (uintptr_t)handle, checks_entry(usual));
    wt_object_keep((uintptr_t)handle, 1, release, NULL);
}

CUresult checks_free_fails(uint64_t address, CUresult result)
{
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_INVALID_VALUE && wt_checks_wanted()) {
        wt_object_give_up(NULL, address);
        wt_object_give_up(&space, address);
    }
    return result;
}

void checks_handle_missed(const void *handle, const char *what)
{
    struct wt_object found;
    if (!wt_check_wants(WT_CHECK_API) ||
        !wt_object_find(&space, (uintptr_t)handle, &found, NULL, NULL) || !found.freed)
        return;
    wt_checked_call(WT_FOUND_USE_AFTER_DESTROY, &found, "%s: the %s was destroyed before",
                    checks_entry("a call"), what);
}

void checks_module_made(const void *module)
{
    const char *by = checks_entry("cuModuleLoad");
    if (strncmp(by, "cuModule", 8) == 0)
        checks_handle_made(module, 1, by);
}

/* ---- for libcudart ---- */

void wavetrap_cudart_failed(const char *name, const char *text)
{
    if (wt_check_wants(WT_CHECK_API))
        wt_checked_call(WT_FOUND_FAILED_CALL, NULL, "%s: %s (%s)", checks_entry("a call"), name,
                        text);
}

/* Whether an address is that of memory that was freed. */
static bool is_freed(const void *at)
{
    struct wt_object found;
    return wt_object_find(NULL, (uintptr_t)at, &found, NULL, NULL) && found.freed;
}

void wavetrap_cudart_direction(const void *to, const void *from, size_t bytes)
{
    const char *by = checks_entry("cudaMemcpy");
    if (is_freed(to))
        wt_checked_access(NULL, (uintptr_t)to, bytes, WT_ACCESS_STORE, by);
    else if (is_freed(from))
        wt_checked_access(NULL, (uintptr_t)from, bytes, WT_ACCESS_LOAD, by);
    else
        wt_checked_call(WT_FOUND_WRONG_DIRECTION, NULL,
                        "%s: 0x%" PRIxPTR " or 0x%" PRIxPTR " is not memory of the device", by,
                        (uintptr_t)to, (uintptr_t)from);
}

void wavetrap_cudart_beyond(uint64_t address, size_t bytes, bool store)
{
    wt_checked_access(NULL, address, bytes, store ? WT_ACCESS_STORE : WT_ACCESS_LOAD,
                      checks_entry("a copy"));
}

/* ---- the end ---- */

/* Whether libgomp keeps the memory, for a range that is mapped until the program ends. Its plugin
 * alone allocates what acc_malloc() is asked for. */
static bool is_mapped_range(const struct wt_object *object)
{
    Dl_info where;
    bool is = false;
    if (strncmp(object->by, "cuMem", 5) != 0)
        return false;
    for (unsigned i = 0; i < object->made.depth; i++) {
        if (!dladdr((char *)object->made.address[i] - 1, &where))
            return is;
        if (library_of(&where) != OTHER)
            continue;
        if (!is_runtime(where.dli_fname))
            return is;
        is |= strstr(where.dli_fname, "libgomp.so") != NULL;
    }
    return is;
}

/* Whether the program itself has made the object: variables and a library's own memory are no
 * leaks. */
static bool is_leak(const struct wt_object *object)
{
    const bool is_texels = !object->space && strstr(object->by, "Array"); /* their handle is one */
    return *object->by && !is_texels && !strstr(object->by, "Register") &&
           strcmp(object->by, WT_CHECK_HEAP) != 0 && strcmp(object->by, WT_HOST_MAPPED) != 0 &&
           !is_mapped_range(object);
}

static void lost(const void *of, uint64_t address)
{
    struct wt_object found;
    if (wt_check_wants(WT_CHECK_LEAK) && wt_object_find(of, address, &found, NULL, NULL) &&
        !found.freed && !found.given_up && is_leak(&found))
        wt_checked_leak(&found);
}

void checks_lost(uint64_t address)
{
    lost(NULL, address);
}

void checks_handle_lost(const void *handle)
{
    lost(&space, (uintptr_t)handle);
}

void checks_end(void)
{
    wt_checked_leaks(is_leak);
}

/* ---- for functions of libgomp ---- */

static bool is_of_gpus(uint64_t addr)
{
    struct wt_object object;
    return wt_object_find(NULL, addr, &object, NULL, NULL) || wt_block_holds(NULL, addr);
}

__attribute__((visibility("default"))) const struct wt_host_checks wavetrap_checks = {
    .wants = wt_check_wants,
    .made = wt_object_made,
    .find = wt_host_find,
    .free = wt_checked_free,
    .access = wt_checked_access,
    .copied = wt_checked_copied,
    .is_of_gpus = is_of_gpus,
    .listen = wt_host_listen,
    .results_end = wt_results_end,
};
