/*
 * Launches that HIP refuses without a word: a block with more work-items than the kernel was
 * compiled for gives hipErrorLaunchFailure, which many programs never look at. These functions
 * stand before HIP's in every program that `exec` starts; they call HIP's and say why it refused.
 */
#include <stdint.h>
#include <stdio.h>

#include "base/demangle.h"
#include "object/kfd_wire.h"
#include "runtime/common/next_function.h"
#include "runtime/common/tally.h"

/* No header declares what programs find here by its name. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* Declarations of hip_runtime_api.h, parts of which are C++. */
enum { LAUNCH_FAILURE = 719, MOST_THREADS_PER_BLOCK = 0 /* of hipFuncGetAttribute */ };
struct dim3 {
    uint32_t x, y, z;
};
struct attributes { /* hipFuncAttributes */
    int binary_version, cache_mode;
    size_t const_bytes, local_bytes;
    int most_shared, most_threads, registers, preferred_carveout, ptx_version;
    size_t shared_bytes;
};

static void *next(const char *name)
{
    return wt_next_function("libamdhip64.so.5", name);
}

static void tell(const char *name, uint64_t items, int most)
{
    char plain[300];
    wt_demangle(name ? name : "a kernel", plain, sizeof plain);
    fprintf(stderr,
            "wavetrap: HIP has refused to launch %s: a block of %llu work-items, and the kernel "
            "was compiled for at most %d (__launch_bounds__, --gpu-max-threads-per-block)\n",
            plain, (unsigned long long)items, most);
}

static void count_refused(int result)
{
    const char *(*text)(int);
    char why[WT_TALLY_TEXT];
    if (!result)
        return;
    *(void **)&text = next("hipGetErrorString");
    snprintf(why, sizeof why, "HIP's error %d%s%s", result, text ? ", " : "",
             text ? text(result) : "");
    wt_tally_refused(KFD_WIRE_FAMILY, why);
}

static int by_pointer(int result, const void *function, struct dim3 block, void *stream)
{
    int (*get)(struct attributes *, const void *);
    const char *(*name)(const void *, void *);
    struct attributes a;
    const uint64_t items = (uint64_t)block.x * block.y * block.z;
    count_refused(result);
    if (result != LAUNCH_FAILURE)
        return result;
    *(void **)&get = next("hipFuncGetAttributes");
    *(void **)&name = next("hipKernelNameRefByPtr");
    if (get && !get(&a, function) && a.most_threads > 0 && items > (uint64_t)a.most_threads)
        tell(name ? name(function, stream) : NULL, items, a.most_threads);
    return result;
}

/* ---- HIP's functions ---- */

/* Each is looked up once. Without HIP nobody calls these; one that asks the dynamic
 * linker for them gets an error from them. */
enum { NO_HIP = 3 /* hipErrorNotInitialized */ };

__attribute__((visibility("default"))) int hipLaunchKernel(const void *function, struct dim3 grid,
                                                           struct dim3 block, void **arguments,
                                                           size_t shared, void *stream)
{
    static int (*_Atomic launch)(const void *, struct dim3, struct dim3, void **, size_t, void *);
    if (!launch)
        *(void *_Atomic *)&launch = next("hipLaunchKernel");
    return launch ? by_pointer(launch(function, grid, block, arguments, shared, stream), function,
                               block, stream)
                  : NO_HIP;
}

__attribute__((visibility("default"))) int
hipLaunchCooperativeKernel(const void *function, struct dim3 grid, struct dim3 block,
                           void **arguments, unsigned shared, void *stream)
{
    static int (*_Atomic launch)(const void *, struct dim3, struct dim3, void **, unsigned, void *);
    if (!launch)
        *(void *_Atomic *)&launch = next("hipLaunchCooperativeKernel");
    return launch ? by_pointer(launch(function, grid, block, arguments, shared, stream), function,
                               block, stream)
                  : NO_HIP;
}

static int by_handle(int result, void *function, uint64_t items)
{
    int (*get)(int *, int, void *);
    const char *(*name)(void *);
    int most = 0;
    count_refused(result);
    if (result != LAUNCH_FAILURE)
        return result;
    *(void **)&get = next("hipFuncGetAttribute");
    *(void **)&name = next("hipKernelNameRef");
    if (get && !get(&most, MOST_THREADS_PER_BLOCK, function) && most > 0 && items > (uint64_t)most)
        tell(name ? name(function) : NULL, items, most);
    return result;
}

__attribute__((visibility("default"))) int
hipModuleLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                      unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                      void *stream, void **arguments, void **extra)
{
    static int (*_Atomic launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                 unsigned, void *, void **, void **);
    if (!launch)
        *(void *_Atomic *)&launch = next("hipModuleLaunchKernel");
    return launch ? by_handle(launch(function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                                     shared, stream, arguments, extra),
                              function, (uint64_t)block_x * block_y * block_z)
                  : NO_HIP;
}
