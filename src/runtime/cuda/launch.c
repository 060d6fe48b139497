/* libcuda: launches ("CUDA Driver API": 6.22). A kernel has ended when its launch returns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "object/sm_wire.h"
#include "runtime/common/host_checks.h"
#include "runtime/common/tally.h"
#include "runtime/cuda/graph.h"
#include "runtime/cuda/order.h"
#include "runtime/cuda/state.h"

enum { MOST_GRID_YZ = 65535 };

/* A launch as a program asks for it. */
struct asked {
    CUDA_KERNEL_NODE_PARAMS is;
    CUstream stream;
    bool together; /* all blocks run at once */
};

/* The parameters' bytes: from a pointer to each, or packed as `extra` says. */
static CUresult gather(const struct gpu_kernel *k, void **parameters, void **extra, uint8_t *to)
{
    const void *packed = NULL;
    const size_t *size = NULL;
    if (parameters && extra)
        return CUDA_ERROR_INVALID_VALUE;
    if (parameters) {
        for (size_t i = 0; i < k->parameter_count; i++)
            memcpy(to + k->parameter[i].offset, parameters[i], k->parameter[i].size);
        return CUDA_SUCCESS;
    }
    for (; extra && extra[0] != CU_LAUNCH_PARAM_END; extra += 2) {
        if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
            packed = extra[1];
        if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE)
            size = extra[1];
    }
    if (k->parameter_bytes && (!packed || !size))
        return CUDA_ERROR_INVALID_VALUE;
    if (!packed || !size)
        return CUDA_SUCCESS;
    if (*size > (k->parameter_bytes + 7) / 8 * 8) /* a structure may be padded */
        return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    memcpy(to, packed, *size < k->parameter_bytes ? *size : k->parameter_bytes);
    return CUDA_SUCCESS;
}

/* Takes the lock for a launch, in the context of its stream, or of its function where it has none;
 * *function becomes the function there. */
static CUresult enter(CUfunction *function, CUstream stream, struct gpu **g)
{
    const bool named = stream && stream != CU_STREAM_LEGACY && stream != CU_STREAM_PER_THREAD;
    const CUresult result =
        named ? state_enter_stream(stream, g) : state_enter_launched(function, g);
    if (result)
        return result;
    if (named)
        *function = state_function(*function, *g);
    const CUfunction f = *function;
    if (!f || f->module->gpu != *g || /* none, or of another device or context than the stream */
        (f->module->owner && f->module->owner != state_entered_id()))
        return state_leave(CUDA_ERROR_INVALID_HANDLE);
    return CUDA_SUCCESS;
}

/* Whether a block has the threads that the kernel is made for. */
static bool has_exact_threads(const struct gpu_launch *l)
{
    const struct gpu_kernel *k = l->kernel;
    const uint32_t *exact = k->exact_threads;
    if (!exact[0] || memcmp(exact, l->block, sizeof l->block) == 0)
        return true;
    fprintf(stderr,
            "wavetrap: kernel %s: a block of %ux%ux%u threads; the kernel is made for %ux%ux%u "
            "(.reqntid)\n",
            k->name, l->block[0], l->block[1], l->block[2], exact[0], exact[1], exact[2]);
    return false;
}

/* The launch of a function on its GPU. */
static struct gpu_launch launch_of(const struct asked *a, const struct CUfunc_st *f,
                                   const uint8_t *parameters)
{
    const CUDA_KERNEL_NODE_PARAMS *is = &a->is;
    return (struct gpu_launch){.module = &f->module->module,
                               .kernel = &f->kernel,
                               .grid = {is->gridDimX, is->gridDimY, is->gridDimZ},
                               .block = {is->blockDimX, is->blockDimY, is->blockDimZ},
                               .shared = is->sharedMemBytes,
                               .together = a->together,
                               .parameters = parameters};
}

/* Whether a launch may have this form at all. */
static CUresult check(const struct gpu *g, const struct gpu_launch *l, const struct CUfunc_st *f)
{
    const uint32_t shared = f->kernel.launch.shared, most = gpu_shared(g).cta;
    const uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    for (unsigned i = 0; i < 3; i++)
        if (!l->grid[i] || !l->block[i] || l->block[i] > (i < 2 ? 1024 : 64) ||
            l->grid[i] > (i ? MOST_GRID_YZ : INT32_MAX))
            return CUDA_ERROR_INVALID_VALUE;
    if (shared > SM_CTA_SHARED || l->shared > functions_dynamic_limit(f)) {
        const bool can_ask = shared <= SM_CTA_SHARED && l->shared <= most - shared;
        fprintf(stderr,
                "wavetrap: kernel %s: %u bytes of shared memory for a block and %u that the launch "
                "adds; %u are the most%s\n",
                f->kernel.name, shared, l->shared,
                can_ask ? shared + functions_dynamic_limit(f) : most,
                can_ask ? ": ask for more first "
                          "(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)"
                        : "");
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (threads <= f->kernel.most_threads)
        return has_exact_threads(l) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    if (threads <= 1024)
        fprintf(stderr,
                "wavetrap: kernel %s: a block of %u threads; the kernel is made for %u at most "
                "(__launch_bounds__, .maxntid)\n",
                f->kernel.name, (unsigned)threads, f->kernel.most_threads);
    return CUDA_ERROR_INVALID_VALUE;
}

static bool fits_at_once(const struct gpu *g, const struct gpu_launch *l)
{
    uint64_t blocks = 1;
    for (unsigned i = 0; i < 3; i++)
        if (__builtin_mul_overflow(blocks, (uint64_t)l->grid[i], &blocks))
            return false;
    return blocks <= (uint64_t)gpu_resident(g, l) * gpu_sms(g);
}

/* *meant is the function, once it is known to be one. */
static CUresult try_launch(const struct asked *a, CUfunction *meant)
{
    struct gpu *g;
    _Alignas(uint64_t) uint8_t bytes[CUBIN_MOST_PARAMETERS] = {0};
    CUfunction f = a->is.func;
    CUresult result = enter(&f, a->stream, &g);
    if (result)
        return result;
    *meant = f;
    const struct gpu_launch l = launch_of(a, f, bytes);
    if ((result = check(g, &l, f)) != CUDA_SUCCESS ||
        (result = gather(&f->kernel, a->is.kernelParams, a->is.extra, bytes)) != CUDA_SUCCESS)
        return state_leave(result);
    if (a->together && !fits_at_once(g, &l))
        return state_leave(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    order_begin(g, a->stream, "cuLaunchKernel");
    if (wt_host_listener())
        wt_host_listener()->launching(*(const uint64_t *)(const void *)bytes);
    result = gpu_run(g, &l);
    if (result == CUDA_ERROR_OUT_OF_MEMORY || result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
        return state_leave(result);
    /* The calls that follow tell of a mistake in the kernel. */
    if (result)
        state_fail(result);
    return state_leave(CUDA_SUCCESS);
}

/* Many programs never look at the result: exec's tally counts it. */
static CUresult launch_now(const struct asked *a)
{
    CUfunction f = NULL;
    char why[WT_TALLY_TEXT];
    const char *text;
    const CUresult result = try_launch(a, &f);
    if (!result)
        return result;
    call_error_name(result, &text);
    snprintf(why, sizeof why, "%s%s%s", f ? f->kernel.name : "", f ? ": " : "", text);
    wt_tally_refused(SM_WIRE_FAMILY, why);
    return result;
}

CUresult launch_work(const CUDA_KERNEL_NODE_PARAMS *what, bool together, CUstream stream,
                     struct graph_work *work)
{
    struct gpu *g;
    CUfunction f = what->func;
    const struct asked a = {*what, stream, together};
    CUresult result = enter(&f, stream, &g);
    if (result)
        return result;
    const struct gpu_kernel *k = &f->kernel;
    const struct gpu_launch l = launch_of(&a, f, NULL);
    *work = (struct graph_work){.type = CU_GRAPH_NODE_TYPE_KERNEL};
    work->kernel.is = *what;
    work->kernel.together = together;
    work->kernel.length = k->parameter_bytes;
    work->kernel.bytes = calloc(1, CUBIN_MOST_PARAMETERS);
    work->kernel.is.extra = NULL;
    work->kernel.is.kernelParams = calloc(k->parameter_count + 1, sizeof(void *));
    if (!work->kernel.bytes || !work->kernel.is.kernelParams)
        result = CUDA_ERROR_OUT_OF_MEMORY;
    else if ((result = check(g, &l, f)) == CUDA_SUCCESS)
        result = gather(k, what->kernelParams, what->extra, work->kernel.bytes);
    for (size_t i = 0; i < k->parameter_count && !result; i++)
        work->kernel.is.kernelParams[i] = work->kernel.bytes + k->parameter[i].offset;
    if (result)
        graph_free_work(work);
    return state_leave(result);
}

CUresult launch_node(const struct graph_work *work, CUstream stream)
{
    return launch_now(&(struct asked){work->kernel.is, stream, work->kernel.together});
}

/* Launches, or makes a node of the launch where its stream is captured. */
static CUresult launch(const struct asked *a)
{
    CUresult result;
    if (!capture_is(a->stream))
        return launch_now(a);
    struct graph_work work;
    if ((result = launch_work(&a->is, a->together, a->stream, &work)) != CUDA_SUCCESS)
        return result;
    if (capture_takes(a->stream, &work, &result))
        graph_free_work(&work);
    return result;
}

API(cuLaunchKernel, "%p, %u, %u, %u, %u, %u, %u, %u, %p, %p, %p", (CUfunction, function),
    (unsigned, grid_x), (unsigned, grid_y), (unsigned, grid_z), (unsigned, block_x),
    (unsigned, block_y), (unsigned, block_z), (unsigned, shared), (CUstream, stream),
    (void **, parameters), (void **, extra))
{
    return launch(&(struct asked){.is = {.func = function,
                                         .gridDimX = grid_x,
                                         .gridDimY = grid_y,
                                         .gridDimZ = grid_z,
                                         .blockDimX = block_x,
                                         .blockDimY = block_y,
                                         .blockDimZ = block_z,
                                         .sharedMemBytes = shared,
                                         .kernelParams = parameters,
                                         .extra = extra},
                                  .stream = stream});
}

API(cuLaunchCooperativeKernel, "%p, %u, %u, %u, %u, %u, %u, %u, %p, %p", (CUfunction, function),
    (unsigned, grid_x), (unsigned, grid_y), (unsigned, grid_z), (unsigned, block_x),
    (unsigned, block_y), (unsigned, block_z), (unsigned, shared), (CUstream, stream),
    (void **, parameters))
{
    return launch(&(struct asked){.is = {.func = function,
                                         .gridDimX = grid_x,
                                         .gridDimY = grid_y,
                                         .gridDimZ = grid_z,
                                         .blockDimX = block_x,
                                         .blockDimY = block_y,
                                         .blockDimZ = block_z,
                                         .sharedMemBytes = shared,
                                         .kernelParams = parameters},
                                  .stream = stream,
                                  .together = true});
}

/* Clusters of more than one block are refused, those that no GPU launches by the error that it has
 * for them. */
static CUresult check_cluster(const CUDA_KERNEL_NODE_PARAMS *is, const CUlaunchAttribute *attribute)
{
    enum { MOST = 16 };
    const unsigned grid[3] = {is->gridDimX, is->gridDimY, is->gridDimZ};
    const unsigned cluster[3] = {attribute->value.clusterDim.x, attribute->value.clusterDim.y,
                                 attribute->value.clusterDim.z};
    uint64_t blocks = 1;
    for (unsigned i = 0; i < 3; i++) {
        if (!cluster[i] || grid[i] % cluster[i] || cluster[i] > MOST)
            return CUDA_ERROR_INVALID_CLUSTER_SIZE;
        blocks *= cluster[i];
    }
    if (blocks == 1)
        return CUDA_SUCCESS;
    if (blocks > MOST)
        return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    call_refused("cuLaunchKernelEx: a cluster of more than one block");
    return CUDA_ERROR_NOT_SUPPORTED;
}

/* Attributes of a launch that change what happens; others are about time only: launches that may
 * begin before the one before them has ended, or wait for less of the memory's traffic, need not.
 */
static CUresult take_attribute(const CUlaunchAttribute *attribute, struct asked *asked)
{
    const unsigned last = 17; /* the last one in CUDA 13.0 */
    switch (attribute->id) {
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
        asked->together = attribute->value.cooperative;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        return check_cluster(&asked->is, attribute);
    case CU_LAUNCH_ATTRIBUTE_IGNORE:
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        return CUDA_SUCCESS;
    default:
        return attribute->id <= last
                   ? call_refused("cuLaunchKernelEx: attributes of a launch other "
                                  "than its cluster, its priority, serialization and "
                                  "those of caches, memory traffic and waiting")
                   : CUDA_ERROR_INVALID_VALUE;
    }
}

API(cuLaunchKernelEx, "%p, %p, %p, %p", (const CUlaunchConfig *, config), (CUfunction, function),
    (void **, parameters), (void **, extra))
{
    if (!config || (config->numAttrs && !config->attrs))
        return CUDA_ERROR_INVALID_VALUE;
    struct asked asked = {.is = {.func = function,
                                 .gridDimX = config->gridDimX,
                                 .gridDimY = config->gridDimY,
                                 .gridDimZ = config->gridDimZ,
                                 .blockDimX = config->blockDimX,
                                 .blockDimY = config->blockDimY,
                                 .blockDimZ = config->blockDimZ,
                                 .sharedMemBytes = config->sharedMemBytes,
                                 .kernelParams = parameters,
                                 .extra = extra},
                          .stream = config->hStream};
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const CUresult result = take_attribute(&config->attrs[i], &asked);
        if (result)
            return result;
    }
    return launch(&asked);
}
