/* Accesses of the host. See memory.h. */
#include <stdio.h>

#include "check/memory.h"

uint64_t wt_check_host_access(const void *space, uint64_t addr, uint64_t size,
                              enum wt_access access, const char *by,
                              const struct wt_call_stack *calls, wt_found_fn *found, void *context)
{
    struct wt_object object;
    struct wt_good good;
    /* The host may store where kernels may not. */
    const enum wt_object_verdict verdict =
        wt_objects_judge(space, addr, size, false, &object, &good);
    const enum wt_finding_kind kind =
        verdict == WT_FREED ? WT_FOUND_USE_AFTER_FREE : WT_FOUND_OUT_OF_BOUNDS;
    struct wt_finding f = {.kind = kind,
                           .severity = wt_finding_severity(kind, false),
                           .space = WT_FOUND_HOST,
                           .access = access,
                           .bytes = size,
                           .address = addr,
                           .calls = *calls,
                           .times = 1};
    if (verdict == WT_GOOD)
        return size;
    snprintf(f.text, sizeof f.text, "%s", by);
    if (object.size)
        wt_finding_of_object(&f, &object);
    found(context, &f);
    return verdict == WT_PARTLY && addr - object.addr < object.size
               ? object.size - (addr - object.addr)
               : 0;
}
