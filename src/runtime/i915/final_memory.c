/* Memory of buffer objects that are freed, kept for after the program's end: see
 * runtime/common/final_memory.h. Addresses are those at which the GPU has seen the objects. */
#include "runtime/common/own_memory.h"
#include "runtime/i915/i915.h"
#include "runtime/i915/internal.h"

struct wt_final_memory *wt_i915_final_memory(struct wt_i915 *device)
{
    return &device->final;
}

struct wt_planted_list *wt_i915_planted(struct wt_i915 *device)
{
    return &device->planted;
}

/* Where memory of the GPU is in this process. */
struct final_place {
    struct wt_i915 *device;
    uint64_t address, host;
};

static bool read_place(void *context, uint64_t addr, uint8_t *bytes, size_t size)
{
    const struct final_place *p = context;
    if (!wt_own_memory_read(p->host + (addr - p->address), bytes, size))
        return false;
    wt_planted_lift(&p->device->planted, addr, bytes, size);
    return true;
}

void drm_final_unmap(struct wt_i915 *device, uint64_t address, const uint8_t *host, uint64_t size)
{
    struct final_place place = {device, address, (uintptr_t)host};
    wt_final_unmap(&device->final, address, size, read_place, &place);
}
