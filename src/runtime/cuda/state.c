/* libcuda: start, devices, contexts, errors ("CUDA Driver API": 6.1 to 6.8). */
#include "runtime/cuda/state.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CUctx_st {
    struct CUctx_st *next; /* of all there are */
};

enum { MOST_CONTEXTS = 64 }; /* of a thread's stack */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gpu *device;
static struct CUctx_st *contexts;
static CUresult failed; /* of a kernel */
static _Thread_local struct CUctx_st *current[MOST_CONTEXTS];
static _Thread_local unsigned depth;

static bool is_context(const struct CUctx_st *context)
{
    const struct CUctx_st *c = contexts;
    while (c && c != context)
        c = c->next;
    return c != NULL;
}

static struct CUctx_st *own_context(void)
{
    return depth && is_context(current[depth - 1]) ? current[depth - 1] : NULL;
}

CUresult state_enter(bool context, struct gpu **gpu)
{
    pthread_mutex_lock(&lock);
    const CUresult result = !device                     ? CUDA_ERROR_NOT_INITIALIZED
                            : context && !own_context() ? CUDA_ERROR_INVALID_CONTEXT
                            : context                   ? failed
                                                        : CUDA_SUCCESS;
    *gpu = device;
    if (result)
        pthread_mutex_unlock(&lock);
    return result;
}

CUresult state_leave(CUresult result)
{
    pthread_mutex_unlock(&lock);
    return result;
}

CUresult state_fail(CUresult result)
{
    return failed = result;
}

/* ---- start ---- */

EXPORT CUresult cuInit(unsigned flags)
{
    struct wt_error err;
    CUresult result = CUDA_SUCCESS;
    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    if (!device && gpu_new(&device, &err) != WT_OK) {
        fprintf(stderr, "wavetrap: libcuda: %s\n", err.text);
        result = CUDA_ERROR_NO_DEVICE;
    }
    return state_leave(result);
}

EXPORT CUresult cuDriverGetVersion(int *version)
{
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}

static const struct {
    CUresult result;
    const char *name, *text;
} errors[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {CUDA_ERROR_FILE_NOT_FOUND, "CUDA_ERROR_FILE_NOT_FOUND", "file not found"},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
     "too many resources requested for launch"},
    {CUDA_ERROR_ILLEGAL_INSTRUCTION, "CUDA_ERROR_ILLEGAL_INSTRUCTION",
     "an illegal instruction was encountered"},
    {CUDA_ERROR_MISALIGNED_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

static CUresult error_text(CUresult error, bool name, const char **text)
{
    if (!text)
        return CUDA_ERROR_INVALID_VALUE;
    *text = NULL;
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (errors[i].result == error)
            *text = name ? errors[i].name : errors[i].text;
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuGetErrorName(CUresult error, const char **text)
{
    return error_text(error, true, text);
}

EXPORT CUresult cuGetErrorString(CUresult error, const char **text)
{
    return error_text(error, false, text);
}

/* ---- devices ---- */

static CUresult need_device(CUdevice number, struct gpu **gpu)
{
    const CUresult result = state_enter(false, gpu);
    if (result || number == 0)
        return result;
    return state_leave(CUDA_ERROR_INVALID_DEVICE);
}

EXPORT CUresult cuDeviceGetCount(int *count)
{
    struct gpu *g;
    const CUresult result = state_enter(false, &g);
    if (result)
        return result;
    if (count)
        *count = 1;
    return state_leave(count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

EXPORT CUresult cuDeviceGet(CUdevice *number, int ordinal)
{
    struct gpu *g;
    const CUresult result = need_device(ordinal, &g);
    if (result)
        return result;
    if (number)
        *number = ordinal;
    return state_leave(number ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

EXPORT CUresult cuDeviceGetName(char *name, int length, CUdevice number)
{
    struct gpu *g;
    const CUresult result = need_device(number, &g);
    if (result)
        return result;
    if (!name || length < 1)
        return state_leave(CUDA_ERROR_INVALID_VALUE);
    snprintf(name, (size_t)length, "wavetrap SM");
    return state_leave(CUDA_SUCCESS);
}

/* Numbers of CUdevice_attribute. Those that are not here are 0, as for a device without them. */
static int attribute_of(const struct gpu *g, int attribute)
{
    switch (attribute) {
    case 1: /* threads of a block; of its x and y */
    case 2:
    case 3:
        return 1024;
    case 4:
        return 64;
    case 5: /* blocks of a grid */
        return 0x7fffffff;
    case 6:
    case 7:
        return 65535;
    case 8: /* bytes of shared memory of a block, of constant memory */
    case 9:
        return 65536 - (attribute == 8 ? 16384 : 0);
    case 10: /* lanes of a warp */
        return 32;
    case 11: /* largest pitch */
        return 0x7fffffff;
    case 12: /* registers of a block, of an SM */
    case 82:
        return 65536;
    case 13: /* kHz: an issue of a warp in a microsecond */
        return 1000000;
    case 14: /* alignment of textures */
        return 512;
    case 15: /* copies beside kernels; kernels beside kernels; host memory; unified addresses */
    case 19:
    case 31:
    case 40:
    case 41:
        return 1;
    case 16:
        return (int)gpu_sms(g);
    case 39: /* threads of an SM */
        return 2048;
    case 75:
        return (int)gpu_capability(g) / 10;
    case 76:
        return (int)gpu_capability(g) % 10;
    case 81: /* bytes of shared memory of an SM */
        return 98304;
    default:
        return 0;
    }
}

EXPORT CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice number)
{
    struct gpu *g;
    const CUresult result = need_device(number, &g);
    if (result)
        return result;
    if (value)
        *value = attribute_of(g, attribute);
    return state_leave(value ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

EXPORT CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice number)
{
    const CUresult result = cuDeviceGetAttribute(major, 75, number);
    return result ? result : cuDeviceGetAttribute(minor, 76, number);
}

EXPORT CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice number)
{
    struct gpu *g;
    const CUresult result = need_device(number, &g);
    if (result)
        return result;
    if (bytes)
        *bytes = CUDA_MEMORY;
    return state_leave(bytes ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

/* ---- contexts ---- */

static CUresult push(struct CUctx_st *context)
{
    if (depth == MOST_CONTEXTS)
        return CUDA_ERROR_OUT_OF_MEMORY;
    current[depth++] = context;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice number)
{
    struct gpu *g;
    CUresult result = need_device(number, &g);
    if (result)
        return result;
    struct CUctx_st *c = context ? calloc(1, sizeof *c) : NULL;
    if (!c)
        return state_leave(context ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_VALUE);
    if ((result = push(c)) != CUDA_SUCCESS) {
        free(c);
        return state_leave(result);
    }
    c->next = contexts;
    contexts = c;
    *context = c;
    return state_leave(CUDA_SUCCESS);
}

EXPORT CUresult cuCtxDestroy_v2(CUcontext context)
{
    struct gpu *g;
    const CUresult result = state_enter(false, &g);
    if (result)
        return result;
    if (!is_context(context))
        return state_leave(CUDA_ERROR_INVALID_CONTEXT);
    struct CUctx_st **at = &contexts;
    while (*at != context)
        at = &(*at)->next;
    *at = context->next;
    if (depth && current[depth - 1] == context)
        depth--;
    free(context);
    return state_leave(CUDA_SUCCESS);
}

EXPORT CUresult cuCtxPushCurrent_v2(CUcontext context)
{
    struct gpu *g;
    const CUresult result = state_enter(false, &g);
    if (result)
        return result;
    return state_leave(is_context(context) ? push(context) : CUDA_ERROR_INVALID_CONTEXT);
}

EXPORT CUresult cuCtxPopCurrent_v2(CUcontext *context)
{
    struct gpu *g;
    const CUresult result = state_enter(false, &g);
    if (result)
        return result;
    if (!depth)
        return state_leave(CUDA_ERROR_INVALID_CONTEXT);
    depth--;
    if (context)
        *context = current[depth];
    return state_leave(CUDA_SUCCESS);
}

EXPORT CUresult cuCtxSetCurrent(CUcontext context)
{
    struct gpu *g;
    const CUresult result = state_enter(false, &g);
    if (result)
        return result;
    if (context && !is_context(context))
        return state_leave(CUDA_ERROR_INVALID_CONTEXT);
    depth -= depth > 0;
    return state_leave(context ? push(context) : CUDA_SUCCESS);
}

EXPORT CUresult cuCtxGetCurrent(CUcontext *context)
{
    struct gpu *g;
    const CUresult result = state_enter(false, &g);
    if (result)
        return result;
    if (context)
        *context = own_context();
    return state_leave(context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

EXPORT CUresult cuCtxGetDevice(CUdevice *number)
{
    struct gpu *g;
    const CUresult result = state_enter(true, &g);
    if (result)
        return result;
    if (number)
        *number = 0;
    return state_leave(number ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

/* Kernels have ended when their launch returns: what is left to tell is that one has failed. */
EXPORT CUresult cuCtxSynchronize(void)
{
    struct gpu *g;
    const CUresult result = state_enter(true, &g);
    return result ? result : state_leave(CUDA_SUCCESS);
}

EXPORT CUresult cuCtxSetLimit(int limit, size_t value)
{
    return cuCtxSynchronize();
}

EXPORT CUresult cuCtxGetLimit(size_t *value, int limit)
{
    const CUresult result = cuCtxSynchronize();
    if (!result && value)
        *value = limit == 2 ? 8 << 20 : 16384;
    return result;
}
