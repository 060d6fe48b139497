/* What the driver needs from the emulator: walks that run to their end, time, and reports. */
#include "runtime/drm/emulated.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/text.h"
#include "emulator/gen/host.h"

struct wt_drm_emulated {
    struct gen_device *device;
    struct wt_i915 *driver;
};

/* Where an address lies that no object of the batch has. */
static void describe_address(const struct wt_i915_mapping *mappings, size_t count, uint64_t address,
                             char *text, size_t size)
{
    size_t above = 0;
    while (above < count && mappings[above].address <= address)
        above++;
    if (!above) {
        snprintf(text, size, "below all %zu buffer objects of the batch", count);
        return;
    }
    const struct wt_i915_mapping *m = &mappings[above - 1];
    if (address - m->address < m->size)
        snprintf(text, size,
                 "%" PRIu64 " bytes into buffer object %" PRIu32 " of %" PRIu64 " bytes",
                 address - m->address, m->handle, m->size);
    else
        snprintf(text, size,
                 "%" PRIu64 " bytes behind the end of buffer object %" PRIu32 ", which has %" PRIu64
                 " bytes",
                 address - m->address - m->size, m->handle, m->size);
}

/* The fault of a walk, as the driver's message. */
static enum wt_status report(struct wt_drm_emulated *gpu, const struct wt_i915_mapping *mappings,
                             size_t count, const struct gen_walk *walk, struct wt_error *err)
{
    const struct wt_fault *fault = &gen_machine(gpu->device)->fault;
    uint32_t group[3] = {0}, index = 0;
    char channels[WT_LANES_TEXT], where[160] = "";
    gen_thread_group(gpu->device, fault->wave, group, &index);
    wt_lanes_text(fault->lanes, channels, sizeof channels);
    if (fault->kind == WT_FAULT_ACCESS && fault->addr < GEN_SLM_APERTURE) {
        where[0] = ';';
        where[1] = ' ';
        describe_address(mappings, count, fault->addr, where + 2, sizeof where - 2);
    }
    return wt_fail(err, WT_INVALID,
                   "group (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") thread %" PRIu32
                   " channels %s, instruction 0x%" PRIx64 " of the kernel: %s%s",
                   group[0], group[1], group[2], index, channels,
                   fault->pc - walk->instructions - walk->kernel, fault->text, where);
}

static enum wt_status run(void *context, const struct wt_i915_mapping *mappings, size_t count,
                          const struct gen_walk *walk, struct wt_error *err)
{
    enum { SLICE = 1 << 20 };
    struct wt_drm_emulated *gpu = context;
    struct wt_machine *m = gen_machine(gpu->device);
    enum wt_status status;
    enum wt_run why;
    struct gen_host_pages *pages = calloc(count + 1, sizeof *pages);
    if (!pages)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    for (size_t i = 0; i < count; i++)
        pages[i] = (struct gen_host_pages){mappings[i].address, mappings[i].size, mappings[i].host};
    status = gen_device_see(gpu->device, pages, count, err);
    free(pages);
    if (status != WT_OK || (status = gen_device_walk(gpu->device, walk, err)) != WT_OK)
        return status;
    do
        why = m->ops->run(m, m->time + SLICE);
    while (why == WT_RUN_BUDGET || why == WT_RUN_EVENT);
    if (why == WT_RUN_ENDED)
        return WT_OK;
    status = why == WT_RUN_FAULT
                 ? report(gpu, mappings, count, walk, err)
                 : wt_fail(err, WT_INVALID, "all threads wait, and nothing will wake them");
    m->ops->reset(m);
    return status;
}

static uint64_t ticks(void *context)
{
    /* 12 MHz; the product of nanoseconds and frequency would overflow after half an hour. */
    return wt_clock_ns() / 1000 * (WT_I915_CLOCK_HZ / 1000000);
}

static void say(void *context, const char *text)
{
    fprintf(stderr, "wavetrap: %s\n", text);
}

static const struct wt_i915_ops ops = {run, ticks, say};

enum wt_status wt_drm_emulated_new(const struct gen_config *config, struct wt_drm_emulated **gpu,
                                   struct wt_error *err)
{
    enum wt_status status;
    struct wt_drm_emulated *g = calloc(1, sizeof *g);
    if (!g)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a GPU");
    if ((status = gen_device_new_in_host(config, &g->device, err)) != WT_OK ||
        (status = wt_i915_new(&ops, g, config->subslices, &g->driver, err)) != WT_OK) {
        wt_drm_emulated_free(g);
        return status;
    }
    *gpu = g;
    return WT_OK;
}

void wt_drm_emulated_free(struct wt_drm_emulated *gpu)
{
    if (!gpu)
        return;
    wt_i915_free(gpu->driver);
    gen_device_free(gpu->device);
    free(gpu);
}

struct wt_i915 *wt_drm_emulated_driver(struct wt_drm_emulated *gpu)
{
    return gpu->driver;
}
