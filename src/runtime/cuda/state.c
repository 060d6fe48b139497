/* libcuda: start, devices, errors ("CUDA Driver API": 6.1 to 6.5). Contexts are in context.c. */
#include "runtime/cuda/state.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/cuda/debug.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gpu *devices[STATE_MOST_GPUS];
static unsigned device_count;

CUresult state_lock(void)
{
    pthread_mutex_lock(&lock);
    debug_enter();
    return device_count ? CUDA_SUCCESS : state_leave(CUDA_ERROR_NOT_INITIALIZED);
}

CUresult state_leave(CUresult result)
{
    debug_leave();
    pthread_mutex_unlock(&lock);
    return result;
}

struct gpu *state_gpu(CUdevice number)
{
    return number >= 0 && (unsigned)number < device_count ? devices[number] : NULL;
}

struct gpu *state_owner(uint64_t address, CUdevice *number)
{
    uint64_t base, size;
    for (unsigned i = 0; i < device_count; i++)
        if (gpu_range(devices[i], address, &base, &size)) {
            if (number)
                *number = (CUdevice)i;
            return devices[i];
        }
    return NULL;
}

/* ---- start ---- */

/* "sm:KEY=VALUE,… sm:…": a GPU each. */
static enum wt_status make_devices(struct wt_error *err)
{
    const char *said = getenv("WAVETRAP_SM_GPUS");
    enum wt_status status;
    if (!said)
        said = "sm";
    while (*(said += strspn(said, " ")) && device_count < STATE_MOST_GPUS) {
        char one[256];
        const size_t length = strcspn(said, " ");
        snprintf(one, sizeof one, "%.*s", (int)length, said);
        if ((status = gpu_new(one, device_count, &devices[device_count], err)) != WT_OK)
            return status;
        if (!gpu_record(devices[device_count], 0))
            return wt_fail(err, WT_NO_MEMORY, "no host memory for the recording of kernels");
        device_count++;
        said += length;
    }
    return WT_OK;
}

API(cuInit, (unsigned flags), (flags), "%u", flags)
{
    struct wt_error err;
    CUresult result = CUDA_SUCCESS;
    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    debug_enter();
    const bool begins = !device_count;
    if (begins && make_devices(&err) != WT_OK) {
        fprintf(stderr, "wavetrap: libcuda: %s\n", err.text);
        result = CUDA_ERROR_NO_DEVICE;
    } else if (begins) {
        endpoint_start(devices, device_count);
    }
    return state_leave(result);
}

API(cuDriverGetVersion, (int *version), (version), "*%llu", RESULT(version))
{
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}

static CUresult error_text(CUresult error, bool name, const char **text)
{
    if (!text)
        return CUDA_ERROR_INVALID_VALUE;
    *text = name ? call_error_name(error) : call_error_text(error);
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API(cuGetErrorName, (CUresult error, const char **text), (error, text), "%d, %p", (int)error, text)
{
    return error_text(error, true, text);
}

API(cuGetErrorString, (CUresult error, const char **text), (error, text), "%d, %p", (int)error,
    text)
{
    return error_text(error, false, text);
}

/* ---- devices ---- */

static CUresult need_device(CUdevice number, struct gpu **gpu)
{
    const CUresult result = state_lock();
    if (result)
        return result;
    *gpu = state_gpu(number);
    return *gpu ? CUDA_SUCCESS : state_leave(CUDA_ERROR_INVALID_DEVICE);
}

API(cuDeviceGetCount, (int *count), (count), "*%llu", RESULT(count))
{
    const CUresult result = state_lock();
    if (result)
        return result;
    if (count)
        *count = (int)device_count;
    return state_leave(count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

API(cuDeviceGet, (CUdevice * number, int ordinal), (number, ordinal), "*%llu, %d", RESULT(number),
    ordinal)
{
    struct gpu *g;
    const CUresult result = need_device(ordinal, &g);
    if (result)
        return result;
    if (number)
        *number = ordinal;
    return state_leave(number ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

API(cuDeviceGetName, (char *name, int length, CUdevice number), (name, length, number),
    "%p, %d, %d", name, length, number)
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
    case 21: /* texels of textures: of one dimension, two, three; layers */
    case 22:
    case 23:
    case 27:
    case 28:
        return 65536;
    case 24:
    case 25:
    case 26:
        return 4096;
    case 29:
        return 2048;
    case 11: /* largest pitch */
        return 0x7fffffff;
    case 12: /* registers of a block, of an SM */
    case 82:
        return 65536;
    case 13: /* kHz: an issue of a warp in a microsecond */
        return 1000000;
    case 14: /* alignment of textures */
        return 512;
    case 15: /* copies beside kernels; kernels beside kernels; host memory; unified addresses;
              * managed memory */
    case 83:
    case 19:
    case 31:
    case 40:
    case 41:
        return 1;
    case 34: /* the number of its place on the bus */
        return (int)gpu_number(g);
    case 51: /* alignment of rows of textures */
        return 32;
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

API(cuDeviceGetAttribute, (int *value, int attribute, CUdevice number), (value, attribute, number),
    "*%llu, %d, %d", RESULT(value), attribute, number)
{
    struct gpu *g;
    const CUresult result = need_device(number, &g);
    if (result)
        return result;
    if (value)
        *value = attribute_of(g, attribute);
    return state_leave(value ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

API(cuDeviceComputeCapability, (int *major, int *minor, CUdevice number), (major, minor, number),
    "*%llu, *%llu, %d", RESULT(major), RESULT(minor), number)
{
    const CUresult result = do_cuDeviceGetAttribute(major, 75, number);
    return result ? result : do_cuDeviceGetAttribute(minor, 76, number);
}

API(cuDeviceTotalMem_v2, (size_t * bytes, CUdevice number), (bytes, number), "*%llu, %d",
    RESULT(bytes), number)
{
    struct gpu *g;
    const CUresult result = need_device(number, &g);
    if (result)
        return result;
    if (bytes)
        *bytes = gpu_memory(g);
    return state_leave(bytes ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

/* Sixteen bytes that tell GPUs of one process apart, the same in each run. */
API(cuDeviceGetUuid, (CUuuid * uuid, CUdevice number), (uuid, number), "%p, %d", uuid, number)
{
    struct gpu *g;
    const CUresult result = need_device(number, &g);
    if (result)
        return result;
    if (uuid)
        snprintf(uuid->bytes, sizeof uuid->bytes, "wavetrap SM %c", 'A' + number);
    return state_leave(uuid ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

API(cuDeviceGetUuid_v2, (CUuuid * uuid, CUdevice number), (uuid, number), "%p, %d", uuid, number)
{
    return do_cuDeviceGetUuid(uuid, number);
}

API(cuDeviceGetPCIBusId, (char *id, int length, CUdevice number), (id, length, number),
    "%p, %d, %d", id, length, number)
{
    struct gpu *g;
    const CUresult result = need_device(number, &g);
    if (result)
        return result;
    if (!id || length < 1)
        return state_leave(CUDA_ERROR_INVALID_VALUE);
    snprintf(id, (size_t)length, "0000:00:%02x.0", gpu_number(g));
    return state_leave(CUDA_SUCCESS);
}

/* The memory of a GPU is its own: kernels of another one do not reach it. */
API(cuDeviceCanAccessPeer, (int *can, CUdevice number, CUdevice peer), (can, number, peer),
    "*%llu, %d, %d", RESULT(can), number, peer)
{
    struct gpu *g;
    const CUresult result = need_device(number, &g);
    if (result)
        return result;
    if (!state_gpu(peer))
        return state_leave(CUDA_ERROR_INVALID_DEVICE);
    if (can)
        *can = 0;
    return state_leave(can ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}
