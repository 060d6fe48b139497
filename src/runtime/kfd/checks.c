/* The driver's side of checks in a host program. See host_checks.h. */
#include "runtime/common/host_checks.h"

#include <dlfcn.h>
#include <string.h>

#include "check/init.h"
#include "runtime/kfd/host.h"
#include "runtime/common/results.h"

/* ---- addresses ---- */

static const struct host_allocation *allocation_of(struct host *host, uint64_t addr)
{
    const struct host_allocation *before;
    return host_memory_find(host, addr, &before);
}

static bool is_object(uint64_t addr)
{
    struct wt_object object;
    return wt_object_find(NULL, addr, &object, NULL, NULL) && !object.freed;
}

static bool is_of_gpus(uint64_t addr)
{
    struct host *host = host_get();
    if (!host)
        return false;
    if (is_object(addr))
        return true;
    pthread_mutex_lock(&host->lock);
    const struct host_allocation *a = allocation_of(host, addr);
    const bool is = a && addr - a->gpu_addr < a->size;
    pthread_mutex_unlock(&host->lock);
    return is || host_memory_is_svm(host, addr);
}

static bool is_of_host(uint64_t addr)
{
    struct host *host = host_get();
    if (!host || is_object(addr))
        return false;
    pthread_mutex_lock(&host->lock);
    const bool is = !allocation_of(host, addr);
    pthread_mutex_unlock(&host->lock);
    return is && !host_memory_is_svm(host, addr);
}

/* ---- copies ---- */

/* The thread's call that copies to the host; size 0: there is none. */
static _Thread_local struct {
    struct wt_init_read read;
    uint64_t to;
    const char *by;
} copy;

static void copy_begins(uint64_t to, uint64_t from, uint64_t size, const char *by)
{
    if (!size || !wt_check_wants(WT_CHECK_INIT) || !wt_check_init_is_of_host(NULL, to) ||
        wt_check_init_is_of_host(NULL, from))
        return;
    copy.read = (struct wt_init_read){.from = from, .size = size};
    copy.to = to;
    copy.by = by;
    wt_check_init_read_begins(&copy.read);
}

static void copy_ended(bool done)
{
    if (!copy.read.size)
        return;
    const uint64_t size = copy.read.size;
    const bool told = wt_check_init_read_ended(&copy.read);
    copy.read.size = 0;
    if (told || !done)
        return;
    host_enter_all(host_get());
    wt_object_copied(copy.to, copy.read.from, size, copy.by);
    host_leave_all(host_get());
}

/* ---- results ---- */

/* GPUs have registered memory at other addresses than the program (wt_results_read_fn). */
static bool read_of_gpus(const void *space, uint64_t addr, uint8_t *bytes, size_t size)
{
    struct host *host = space ? NULL : host_get();
    const uint8_t *at = NULL;
    for (uint64_t room; host && host->gpus && size; addr += room, bytes += room, size -= room) {
        at = gcn_device_pointer(host->gpu[0].device, addr, &room);
        room = room < size ? room : size;
        if (!at || !room)
            return false;
        memcpy(bytes, at, room);
    }
    return at;
}

static __attribute__((constructor)) void begin_results(void)
{
    if (wt_results_are_wanted())
        wt_results_set_read(read_of_gpus);
}

/* ---- who allocates ---- */

const char *host_calling_runtime(void)
{
    static const char *const runtimes[] = {"libamdhip64", "libgomp", "libomptarget", "libamdocl"};
    static const char *const between[] = {"libhsakmt", "libhsa-runtime64"};
    struct wt_call_stack calls;
    Dl_info info;
    wt_call_stack_take(&calls);
    for (unsigned i = 0; i < calls.depth; i++) {
        bool skipped = false;
        if (!dladdr(calls.address[i], &info) || !info.dli_fname)
            return NULL;
        for (unsigned k = 0; k < sizeof between / sizeof *between; k++)
            skipped |= strstr(info.dli_fname, between[k]) != NULL;
        for (unsigned k = 0; k < sizeof runtimes / sizeof *runtimes; k++)
            if (strstr(info.dli_fname, runtimes[k]))
                return runtimes[k];
        if (!skipped)
            return NULL;
    }
    return NULL;
}

bool host_called_by_runtime(void)
{
    return host_calling_runtime() != NULL;
}

static _Thread_local struct wt_block newest;

void host_note_allocated(uint64_t addr, uint64_t size)
{
    newest = (struct wt_block){addr, size};
}

static struct wt_block allocated(void)
{
    const struct wt_block is = newest;
    newest.size = 0;
    return is;
}

__attribute__((visibility("default"))) const struct wt_host_checks wavetrap_checks = {
    .wants = wt_check_wants,
    .made = wt_object_made,
    .find = wt_host_find,
    .free = wt_checked_free,
    .forget = wt_object_freed,
    .keep = wt_object_keep,
    .release_kept = wt_objects_release_kept,
    .access = wt_checked_access,
    .copied = wt_checked_copied,
    .copy_begins = copy_begins,
    .copy_ended = copy_ended,
    .call = wt_checked_call,
    .leaks = wt_checked_leaks,
    .results_end = wt_results_end,
    .is_of_gpus = is_of_gpus,
    .is_of_host = is_of_host,
    .list_variables = host_variables_list,
    .order = &host_order,
    .allocated = allocated,
    .listen = wt_host_listen,
};
