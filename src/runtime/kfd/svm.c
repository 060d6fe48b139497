/*
 * Shared virtual memory: attributes of ranges of the program's own memory (linux/kfd_ioctl.h, "SVM
 * attributes"), which HIP uses for managed memory. A GPU may use a range in place where an
 * attribute gives it access, as on a driver without page faults of the GPU (XNACK). Nothing
 * migrates: all memory is the process's.
 *
 * The array is changed only with host->lock held and every GPU entered, so that either is enough
 * for reading it.
 */
#include "runtime/kfd/host.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/array.h"

enum {
    NODE_UNDEFINED = UINT32_MAX,
    FLAGS_DEFAULT = HSA_SVM_FLAG_HOST_ACCESS | HSA_SVM_FLAG_COHERENT,
    GRANULARITY_DEFAULT = 9, /* 2 MiB */
    GRANULARITY_MOST = 63,
};

/* Attributes of [addr, end), whole pages. */
struct host_svm_range {
    uint64_t addr, end;
    uint32_t preferred, prefetch; /* nodes */
    uint32_t flags, granularity;
    uint32_t access, in_place; /* GPUs, as bit sets */
};

static const struct host_svm_range fresh = {.preferred = NODE_UNDEFINED,
                                            .prefetch = NODE_UNDEFINED,
                                            .flags = FLAGS_DEFAULT,
                                            .granularity = GRANULARITY_DEFAULT};

static uint32_t users(const struct host_svm_range *r)
{
    return r->access | r->in_place;
}

/* Whether the program has pages in the whole range. */
static bool is_backed(uint64_t addr, uint64_t end)
{
    return !msync((void *)(uintptr_t)addr, end - addr, MS_ASYNC);
}

/* Whether memory that the runtime has allocated lies in [addr, end). */
static bool is_allocated(const struct host *host, uint64_t addr, uint64_t end)
{
    for (size_t i = 0; i < host->allocations; i++) {
        const struct host_allocation *a = host->allocation[i];
        if (a->type != HSA_POINTER_REGISTERED_USER && a->addr < end && addr < a->addr + a->size)
            return true;
    }
    return false;
}

/* ---- the array; the caller may change it ---- */

static bool insert(struct host *host, size_t at, const struct host_svm_range *r)
{
    struct host_svm_range *grown =
        wt_array_grow(host->svm, &host->svm_capacity, host->svm_count + 1, sizeof *grown);
    if (!grown)
        return false;
    host->svm = grown;
    memmove(&grown[at + 1], &grown[at], (host->svm_count - at) * sizeof *grown);
    grown[at] = *r;
    host->svm_count++;
    return true;
}

static void take_out(struct host *host, size_t at)
{
    host->svm_count--;
    memmove(&host->svm[at], &host->svm[at + 1], (host->svm_count - at) * sizeof *host->svm);
}

/* Splits the range that addr lies within. */
static bool split(struct host *host, uint64_t addr)
{
    for (size_t i = 0; i < host->svm_count; i++) {
        struct host_svm_range *r = &host->svm[i];
        if (r->addr >= addr || addr >= r->end)
            continue;
        struct host_svm_range second = *r;
        second.addr = r->end;
        if (!insert(host, i + 1, &second)) /* which may move the array */
            return false;
        host->svm[i + 1].addr = host->svm[i].end = addr;
        return true;
    }
    return true;
}

/* Makes ranges of their own of all that lies in [addr, end). */
static bool cover(struct host *host, uint64_t addr, uint64_t end)
{
    if (!split(host, addr) || !split(host, end))
        return false;
    size_t i = 0;
    while (i < host->svm_count && host->svm[i].end <= addr)
        i++;
    while (addr < end) {
        const bool there = i < host->svm_count && host->svm[i].addr == addr;
        struct host_svm_range r = fresh;
        r.addr = addr;
        r.end = i < host->svm_count && host->svm[i].addr < end ? host->svm[i].addr : end;
        if (!there && !insert(host, i, &r))
            return false;
        addr = host->svm[i++].end;
    }
    return true;
}

/* ---- setting ---- */

static HSAKMT_STATUS check_attribute(struct host *host, const HSA_SVM_ATTRIBUTE *a)
{
    switch (a->type) {
    case HSA_SVM_ATTR_PREFERRED_LOC:
    case HSA_SVM_ATTR_PREFETCH_LOC:
        if (a->value == NODE_UNDEFINED)
            return a->type == HSA_SVM_ATTR_PREFERRED_LOC ? HSAKMT_STATUS_SUCCESS
                                                         : HSAKMT_STATUS_INVALID_NODE_UNIT;
        return a->value <= host->gpus ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_NODE_UNIT;
    case HSA_SVM_ATTR_ACCESS:
    case HSA_SVM_ATTR_ACCESS_IN_PLACE:
    case HSA_SVM_ATTR_NO_ACCESS:
        return host_gpu_of(host, a->value) ? HSAKMT_STATUS_SUCCESS
                                           : HSAKMT_STATUS_INVALID_NODE_UNIT;
    case HSA_SVM_ATTR_SET_FLAGS:
    case HSA_SVM_ATTR_CLR_FLAGS:
    case HSA_SVM_ATTR_GRANULARITY:
        return HSAKMT_STATUS_SUCCESS;
    default: /* EINVAL of the driver */
        return HSAKMT_STATUS_ERROR;
    }
}

static void apply(struct host_svm_range *r, const HSA_SVM_ATTRIBUTE *a)
{
    const uint32_t gpu = a->value ? 1u << (a->value - 1) % HOST_MOST_GPUS : 0;
    switch (a->type) {
    case HSA_SVM_ATTR_PREFERRED_LOC:
        r->preferred = a->value;
        break;
    case HSA_SVM_ATTR_PREFETCH_LOC:
        r->prefetch = a->value;
        break;
    case HSA_SVM_ATTR_ACCESS:
        r->access |= gpu;
        r->in_place &= ~gpu;
        break;
    case HSA_SVM_ATTR_ACCESS_IN_PLACE:
        r->in_place |= gpu;
        r->access &= ~gpu;
        break;
    case HSA_SVM_ATTR_NO_ACCESS:
        r->access &= ~gpu;
        r->in_place &= ~gpu;
        break;
    case HSA_SVM_ATTR_SET_FLAGS:
        r->flags |= a->value;
        break;
    case HSA_SVM_ATTR_CLR_FLAGS:
        r->flags &= ~a->value;
        break;
    default:
        r->granularity = a->value < GRANULARITY_MOST ? a->value : GRANULARITY_MOST;
        break;
    }
}

/* Gives the range to the GPUs that may use it now, and takes it from those that may no longer. */
static bool change_users(struct host *host, const struct host_svm_range *r, uint32_t before)
{
    struct wt_error err;
    bool good = true;
    for (uint32_t i = 0; i < host->gpus && good; i++) {
        struct gcn_device *device = host->gpu[i].device;
        const bool had = before >> i & 1, has = users(r) >> i & 1;
        if (has && !had)
            good = !gcn_device_map(device, r->addr, r->end - r->addr, true, &err);
        else if (had && !has)
            good = !host_unmap(&host->gpu[i], r->addr, r->end - r->addr, &err);
        if (good && has)
            good = gcn_device_set_grain(device, r->addr, r->end - r->addr,
                                        r->flags & HSA_SVM_FLAG_COHERENT, true);
    }
    return good;
}

/* A range that some GPU may use is a block. */
static void tell_block(const struct host_svm_range *r, uint32_t before)
{
    if (users(r) && !before)
        host_block_made(r->addr, r->end - r->addr);
    else if (!users(r) && before)
        host_block_gone(r->addr);
}

static HSAKMT_STATUS set(struct host *host, uint64_t addr, uint64_t end, unsigned count,
                         const HSA_SVM_ATTRIBUTE *attributes)
{
    /* The driver answers EFAULT and EADDRINUSE. */
    if (!is_backed(addr, end) || is_allocated(host, addr, end))
        return HSAKMT_STATUS_ERROR;
    if (!cover(host, addr, end))
        return HSAKMT_STATUS_ERROR;
    for (size_t i = 0; i < host->svm_count; i++) {
        struct host_svm_range *r = &host->svm[i];
        if (r->addr < addr || r->end > end)
            continue;
        const uint32_t before = users(r);
        for (unsigned k = 0; k < count; k++)
            apply(r, &attributes[k]);
        if (!change_users(host, r, before))
            return HSAKMT_STATUS_ERROR;
        tell_block(r, before);
    }
    return HSAKMT_STATUS_SUCCESS;
}

/* Whether a call can be done; @p from: the kinds of attributes below it are not looked at. */
static HSAKMT_STATUS check_call(struct host *host, const void *start, uint64_t size, unsigned count,
                                HSA_SVM_ATTRIBUTE *attributes, int from)
{
    const uint64_t addr = (uint64_t)(uintptr_t)start;
    HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    if (!addr || !size || (addr | size) % HOST_PAGE || addr + size < addr)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    for (unsigned i = 0; i < count && !status; i++)
        if ((int)attributes[i].type >= from)
            status = check_attribute(host, &attributes[i]);
    return status;
}

HSAKMT_STATUS hsaKmtSVMSetAttr(void *start, HSAuint64 size, unsigned int count,
                               HSA_SVM_ATTRIBUTE *attributes)
{
    struct host *host = host_get();
    const uint64_t addr = (uint64_t)(uintptr_t)start;
    HSAKMT_STATUS status = check_call(host, start, size, count, attributes, 0);
    if (status)
        return status;
    pthread_mutex_lock(&host->lock);
    host_enter_all(host);
    status = set(host, addr, addr + size, count, attributes);
    host_leave_all(host);
    pthread_mutex_unlock(&host->lock);
    return status;
}

/* ---- getting ---- */

/* The properties common to all ranges of [addr, end). */
struct common {
    bool any;
    struct host_svm_range of; /* undefined nodes, sets and flags that all have, least granularity */
    uint32_t flags_of_some;
};

static void join(struct common *c, const struct host_svm_range *r)
{
    if (!c->any) {
        *c = (struct common){.any = true, .of = *r, .flags_of_some = r->flags};
        return;
    }
    if (c->of.preferred != r->preferred)
        c->of.preferred = NODE_UNDEFINED;
    if (c->of.prefetch != r->prefetch)
        c->of.prefetch = NODE_UNDEFINED;
    /* Access of some kind everywhere; in place only where it is so everywhere. */
    const uint32_t all = users(&c->of) & users(r);
    c->of.in_place &= r->in_place;
    c->of.access = all & ~c->of.in_place;
    c->of.flags &= r->flags;
    c->flags_of_some |= r->flags;
    if (r->granularity < c->of.granularity)
        c->of.granularity = r->granularity;
}

static struct common common_of(const struct host *host, uint64_t addr, uint64_t end)
{
    struct common c = {.any = false};
    uint64_t at = addr;
    for (size_t i = 0; i < host->svm_count && at < end; i++) {
        const struct host_svm_range *r = &host->svm[i];
        if (r->end <= at)
            continue;
        if (r->addr > at) /* in between, or behind, nothing was set */
            join(&c, &fresh);
        if (r->addr >= end)
            break;
        join(&c, r);
        at = r->end;
    }
    if (!c.any || at < end)
        join(&c, &fresh);
    return c;
}

HSAKMT_STATUS hsaKmtSVMGetAttr(void *start, HSAuint64 size, unsigned int count,
                               HSA_SVM_ATTRIBUTE *attributes)
{
    struct host *host = host_get();
    const uint64_t addr = (uint64_t)(uintptr_t)start;
    const HSAKMT_STATUS status =
        check_call(host, start, size, count, attributes, HSA_SVM_ATTR_PREFETCH_LOC + 1);
    if (status)
        return status;
    pthread_mutex_lock(&host->lock);
    const struct common c = common_of(host, addr, addr + size);
    pthread_mutex_unlock(&host->lock);
    for (unsigned i = 0; i < count; i++) {
        HSA_SVM_ATTRIBUTE *a = &attributes[i];
        const uint32_t gpu = a->value ? 1u << (a->value - 1) % HOST_MOST_GPUS : 0;
        switch (a->type) {
        case HSA_SVM_ATTR_PREFERRED_LOC:
            a->value = c.of.preferred;
            break;
        case HSA_SVM_ATTR_PREFETCH_LOC:
            a->value = c.of.prefetch;
            break;
        case HSA_SVM_ATTR_ACCESS:
        case HSA_SVM_ATTR_ACCESS_IN_PLACE:
        case HSA_SVM_ATTR_NO_ACCESS: /* the type is the answer */
            a->type = c.of.in_place & gpu ? HSA_SVM_ATTR_ACCESS_IN_PLACE
                      : c.of.access & gpu ? HSA_SVM_ATTR_ACCESS
                                          : HSA_SVM_ATTR_NO_ACCESS;
            break;
        case HSA_SVM_ATTR_SET_FLAGS:
            a->value = c.of.flags;
            break;
        case HSA_SVM_ATTR_CLR_FLAGS:
            a->value = ~c.flags_of_some;
            break;
        default:
            a->value = c.of.granularity;
            break;
        }
    }
    return HSAKMT_STATUS_SUCCESS;
}

bool host_memory_is_svm(struct host *host, uint64_t addr)
{
    bool is = false;
    pthread_mutex_lock(&host->lock);
    for (size_t i = 0; i < host->svm_count; i++)
        is |= addr >= host->svm[i].addr && addr < host->svm[i].end && users(&host->svm[i]);
    pthread_mutex_unlock(&host->lock);
    return is;
}

/* ---- memory that the program has given back ---- */

bool host_svm_intact(const struct host_gpu *gpu)
{
    const struct host *host = gpu->host;
    for (size_t i = 0; i < host->svm_count; i++)
        if (users(&host->svm[i]) >> gpu->index & 1 &&
            !is_backed(host->svm[i].addr, host->svm[i].end))
            return false;
    return true;
}

/* Takes a range from the GPUs. */
static void drop(struct host *host, size_t at)
{
    struct host_svm_range *r = &host->svm[at];
    const uint32_t before = users(r);
    r->access = r->in_place = 0;
    (void)change_users(host, r, before);
    tell_block(r, before);
    take_out(host, at);
}

void host_svm_replace(struct host *host, uint64_t addr, uint64_t end)
{
    bool any = false;
    for (size_t i = 0; i < host->svm_count; i++)
        any |= host->svm[i].addr < end && addr < host->svm[i].end;
    if (!any)
        return;
    host_enter_all(host);
    /* Without host memory for the parts, the whole range is taken. */
    (void)(split(host, addr) && split(host, end));
    for (size_t i = host->svm_count; i-- > 0;)
        if (host->svm[i].addr < end && addr < host->svm[i].end)
            drop(host, i);
    host_leave_all(host);
}

void host_svm_tidy(struct host *host)
{
    pthread_mutex_lock(&host->lock);
    host_enter_all(host);
    for (size_t i = 0; i < host->svm_count;) {
        struct host_svm_range *r = &host->svm[i];
        if (is_backed(r->addr, r->end)) {
            i++;
            continue;
        }
        /* The part that is all there or all gone, in whole pages. */
        const bool there = is_backed(r->addr, r->addr + HOST_PAGE);
        uint64_t end = r->addr + HOST_PAGE;
        while (end < r->end && is_backed(end, end + HOST_PAGE) == there)
            end += HOST_PAGE;
        if (end < r->end && !split(host, end)) /* no memory: all of it goes */
            end = r->end;
        if (there) {
            i++;
            continue;
        }
        drop(host, i);
    }
    host_leave_all(host);
    pthread_mutex_unlock(&host->lock);
}

void host_svm_free(struct host *host)
{
    for (size_t i = 0; i < host->svm_count; i++)
        if (users(&host->svm[i]))
            host_block_gone(host->svm[i].addr);
    free(host->svm);
    host->svm = NULL;
    host->svm_count = host->svm_capacity = 0;
}
