/* The recording of an SM behind libcuda (runtime/common/recording.h). Kernels run within a call of
 * the program, one at a time: a recording is of one kernel. See gpu_internal.h. */
#include <stdlib.h>

#include "runtime/cuda/debug.h"
#include "runtime/cuda/gpu_internal.h"

static struct sm_device *device_of(void *gpu)
{
    return ((struct gpu *)gpu)->device;
}

static bool is_of_gpu(const struct gpu *g, uint64_t addr)
{
    return addr - g->space < SPACE_BYTES ||
           addr - (LOW_CODE + g->number * LOW_CODE_BYTES) < LOW_CODE_BYTES;
}

/* Managed memory, and memory of the host that kernels access. */
static bool is_shared(void *context, uint64_t addr)
{
    const struct gpu *g = context;
    if (!is_of_gpu(g, addr))
        return true;
    for (size_t i = 0; i < g->range_count; i++)
        if (addr + GAP > g->range[i].base && addr - g->range[i].base < g->range[i].size)
            return g->range[i].managed;
    return false;
}

static bool has_kernels(void *gpu)
{
    return sm_device_runs(device_of(gpu));
}

static bool has_exception(void *gpu)
{
    return wt_gate_has_news(cuda_gate());
}

/* Prints what kernels have printed: it counts now. */
static void shown(void *context)
{
    struct gpu *g = context;
    if (g->output_length) {
        fwrite(g->output, 1, g->output_length, stdout);
        g->printed = true;
    }
    g->output_length = 0;
}

static void take_back(void *gpu)
{
    ((struct gpu *)gpu)->output_length = 0;
}

static void name(void *gpu, char *text, size_t size)
{
    snprintf(text, size, "SM (GPU %u)", ((const struct gpu *)gpu)->number);
}

static void freed(void *context)
{
    struct gpu *g = context;
    free(g->output);
    g->output = NULL;
    g->output_length = g->output_room = 0;
}

const struct wt_recording_ops cuda_recording_ops = {
    .is_shared = is_shared,
    .has_kernels = has_kernels,
    .has_exception = has_exception,
    .shown = shown,
    .take_back = take_back,
    .name = name,
    .freed = freed,
};
