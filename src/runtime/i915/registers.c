/*
 * The registers of the GPU that batches read and write, by their MMIO offsets (Skylake PRM volume
 * 2c, and Intel's runtime for what it writes). docs/opencl.md lists them.
 */
#include <inttypes.h>
#include <stdio.h>

#include "runtime/i915/internal.h"

enum {
    MCR_SELECTOR = 0xfdc,
    CS_DEBUG_MODE2 = 0x20ec,
    TIMESTAMP = 0x2358, /* the render engine's: 64 bits */
    CONTEXT_TIMESTAMP = 0x23a8,
    CS_CHICKEN1 = 0x2580,
    L3CNTLREG = 0x7034,
    TD_CTL = 0xe400,
    ROW_CHICKEN = 0xe404,
    TD_ATT = 0xe470,
    TD_CLR = 0xe490,
};

/* The behaviour of a register. */
enum role {
    KEPT,   /* it has the value that was written last */
    MASKED, /* likewise; the upper half of what is written says which bits of the lower one count */
    CLOCK,  /* it counts, and is not written */
    BUS,    /* registers of the debug hardware: emulator/gen/bus.c has it */
    UNKNOWN, /* as KEPT; stderr says so once */
};

static const struct {
    uint32_t first, last;
    enum role role;
} known[] = {
    {DRM_GENERAL_REGISTERS, DRM_GENERAL_REGISTERS + 0x7c, KEPT},
    {DRM_DISPATCH_DIMENSIONS, DRM_DISPATCH_DIMENSIONS + 8, KEPT},
    {TIMESTAMP, TIMESTAMP + 4, CLOCK},
    {CONTEXT_TIMESTAMP, CONTEXT_TIMESTAMP, CLOCK},
    {MCR_SELECTOR, MCR_SELECTOR, BUS},
    {TD_CTL, TD_CTL, BUS},
    {TD_ATT, TD_ATT + 4, BUS},
    {TD_CLR, TD_CLR + 4, BUS},
    /* These choose between ways of working that give the same results here. */
    {CS_DEBUG_MODE2, CS_DEBUG_MODE2, MASKED},
    {CS_CHICKEN1, CS_CHICKEN1, MASKED},
    {L3CNTLREG, L3CNTLREG, KEPT},
    {ROW_CHICKEN, ROW_CHICKEN, KEPT},
};

static enum role role_of(uint32_t at)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (at >= known[i].first && at <= known[i].last)
            return known[i].role;
    return UNKNOWN;
}

uint32_t drm_register_get(const struct drm_gpu_state *gpu, uint32_t at)
{
    for (unsigned i = 0; i < gpu->register_count; i++)
        if (gpu->registers[i].at == at)
            return gpu->registers[i].value;
    return 0;
}

bool drm_register_set(struct drm_gpu_state *gpu, uint32_t at, uint32_t value)
{
    unsigned i = 0;
    while (i < gpu->register_count && gpu->registers[i].at != at)
        i++;
    if (i == MOST_REGISTERS)
        return false;
    gpu->registers[i].at = at;
    gpu->registers[i].value = value;
    gpu->register_count += i == gpu->register_count;
    return true;
}

static void say(const struct drm_batch *batch, uint32_t at, const char *what)
{
    char text[256];
    snprintf(text, sizeof text, "batch, command at 0x%" PRIx64 ": register 0x%" PRIx32 " %s",
             batch->at, at, what);
    batch->device->ops->say(batch->device->context, text, false);
}

/* Once for each register of a context. */
static bool is_new(const struct drm_batch *batch, uint32_t at)
{
    const struct drm_gpu_state *gpu = batch->gpu;
    for (unsigned i = 0; i < gpu->register_count; i++)
        if (gpu->registers[i].at == at)
            return false;
    return true;
}

static enum wt_status keep(struct drm_batch *batch, uint32_t at, uint32_t value,
                           struct wt_error *err)
{
    return drm_register_set(batch->gpu, at, value)
               ? WT_OK
               : wt_fail(err, WT_INVALID, "more than %d registers are used", MOST_REGISTERS);
}

static uint32_t read_clock(const struct drm_batch *batch, uint32_t at)
{
    const uint64_t now = batch->device->ops->ticks(batch->device->context);
    return at == TIMESTAMP + 4 ? (uint32_t)(now >> 32) & 0xf /* 36 bits */ : (uint32_t)now;
}

enum wt_status drm_register_read(struct drm_batch *batch, uint32_t at, uint32_t *value,
                                 struct wt_error *err)
{
    const struct wt_i915 *device = batch->device;
    switch (role_of(at)) {
    case CLOCK:
        *value = read_clock(batch, at);
        return WT_OK;
    case BUS:
        *value = device->ops->read_register(device->context, at / 4);
        return WT_OK;
    case UNKNOWN:
        if (is_new(batch, at)) {
            say(batch, at, "is read; the emulated GPU does not have it, and the value is 0");
            *value = 0;
            return keep(batch, at, 0, err);
        }
        break;
    case KEPT:
    case MASKED:
        break;
    }
    *value = drm_register_get(batch->gpu, at);
    return WT_OK;
}

enum wt_status drm_register_write(struct drm_batch *batch, uint32_t at, uint32_t value,
                                  struct wt_error *err)
{
    const struct wt_i915 *device = batch->device;
    const uint32_t mask = value >> 16;
    switch (role_of(at)) {
    case CLOCK:
        if (is_new(batch, at))
            say(batch, at, "is written; it is a clock, which counts on");
        break;
    case BUS:
        device->ops->write_register(device->context, at / 4, value);
        return WT_OK;
    case UNKNOWN:
        if (is_new(batch, at))
            say(batch, at,
                "is written; the emulated GPU does not have it: the value can be read back, and "
                "has no other effect");
        break;
    case MASKED:
        value = (drm_register_get(batch->gpu, at) & ~mask) | (value & mask);
        break;
    case KEPT:
        break;
    }
    return keep(batch, at, value, err);
}
