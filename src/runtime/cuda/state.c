/* libcuda: start, devices, errors ("CUDA Driver API": 6.1 to 6.5). Contexts are in context.c. */
#include "runtime/cuda/state.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "runtime/common/counted_file.h"
#include "runtime/cuda/checks.h"
#include "runtime/cuda/debug.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gpu *devices[STATE_MOST_GPUS];
static unsigned device_count;
static unsigned places[STATE_MOST_GPUS]; /* each GPU's among those that the process was given */
static struct {
    void (*entered)(void), (*leaving)(void);
} hook;

/* A child has neither the threads nor the GPUs of its parent: as with NVIDIA's driver, a process
 * whose parent had initialised the driver, or was about to, cannot. */
static bool is_child;
/* The GPUs could not be made, which has been said: there are none in this process. */
static bool is_refused;

static void forget(void)
{
    is_child |= device_count > 0 || pthread_mutex_trylock(&lock) != 0;
    device_count = 0;
    pthread_mutex_init(&lock, NULL);
    debug_forget();
}

static __attribute__((constructor)) void follow_forks(void)
{
    pthread_atfork(NULL, NULL, forget);
}

/* A child has what its parent made, and does not leak it. */
static __attribute__((destructor)) void end(void)
{
    if (!device_count)
        return;
    if (hook.entered)
        hook.entered();
    checks_end();
}

void state_set_hooks(void (*entered)(void), void (*leaving)(void))
{
    hook.entered = entered;
    hook.leaving = leaving;
}

CUresult state_lock(void)
{
    pthread_mutex_lock(&lock);
    wt_gate_enter(cuda_gate());
    if (hook.entered)
        hook.entered();
    return device_count ? CUDA_SUCCESS : state_leave(CUDA_ERROR_NOT_INITIALIZED);
}

CUresult state_leave(CUresult result)
{
    if (hook.leaving)
        hook.leaving();
    wt_gate_leave(cuda_gate());
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

enum { UUID_BYTES = sizeof((CUuuid *)NULL)->bytes };

/* Sixteen bytes that tell GPUs of one process apart, the same in each run. */
static void uuid_of(unsigned place, char bytes[UUID_BYTES])
{
    snprintf(bytes, UUID_BYTES, "wavetrap SM %c", 'A' + (int)place);
}

/* Whether GPU @p place is the one that an element of CUDA_VISIBLE_DEVICES names: a number, or the
 * first letters of its UUID, from "GPU-" on. */
static bool is_named(unsigned place, const char *element, size_t length)
{
    char bytes[UUID_BYTES] = {0}, text[2 * UUID_BYTES + 9] = "GPU-";
    if (length && length == strspn(element, "0123456789"))
        return strtoul(element, NULL, 10) == place;
    uuid_of(place, bytes);
    for (unsigned i = 0, at = 4; i < UUID_BYTES; i++, at += 2) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            text[at++] = '-';
        snprintf(text + at, sizeof text - at, "%02x", (unsigned char)bytes[i]);
    }
    return length > 4 && length < sizeof text && strncmp(element, text, length) == 0;
}

/*
 * Puts the numbers of the GPUs that CUDA_VISIBLE_DEVICES leaves, in its order, into @p kept, and
 * returns how many these are. An element that names none of @p count GPUs, or one again, ends the
 * list (CUDA C++ Programming Guide, "CUDA Environment Variables").
 */
static unsigned visible(unsigned count, unsigned kept[STATE_MOST_GPUS])
{
    const char *said = getenv("CUDA_VISIBLE_DEVICES");
    unsigned number = 0;
    for (; !said && number < count; number++)
        kept[number] = number;
    while (said && number < count) {
        const char *element = said + strspn(said, " ");
        const size_t length = strcspn(element, " ,");
        unsigned place = 0;
        bool again = false;
        while (place < count && !is_named(place, element, length))
            place++;
        for (unsigned i = 0; i < number; i++)
            again |= kept[i] == place;
        if (place == count || again)
            break;
        kept[number++] = place;
        said = strchr(element, ',');
        said += said != NULL;
    }
    return number;
}

/* "sm:KEY=VALUE,… sm:…": a GPU each; those that are visible are made. */
static enum wt_status make_devices(struct wt_error *err)
{
    const char *said = getenv("WAVETRAP_SM_GPUS"), *one[STATE_MOST_GPUS];
    unsigned count = 0;
    enum wt_status status;
    if (!said || !said[strspn(said, " ")])
        said = "sm";
    for (; *(said += strspn(said, " ")); said += strcspn(said, " ")) {
        if (count == STATE_MOST_GPUS)
            return wt_fail(err, WT_INVALID, "WAVETRAP_SM_GPUS: at most %d GPUs", STATE_MOST_GPUS);
        one[count++] = said;
    }
    const unsigned seen = visible(count, places);
    if (!seen)
        return wt_fail(err, WT_INVALID,
                       "CUDA_VISIBLE_DEVICES=%s leaves none of the %u emulated GPU%s",
                       getenv("CUDA_VISIBLE_DEVICES"), count, wt_plural(count));
    for (unsigned i = 0; i < seen; i++) {
        char text[256];
        const char *spec = one[places[i]];
        snprintf(text, sizeof text, "%.*s", (int)strcspn(spec, " "), spec);
        if ((status = gpu_new(text, i ? devices[i - 1] : NULL, &devices[i], err)) != WT_OK)
            return status;
        if (!wt_hosted_record(gpu_hosted(devices[i]), 0))
            return wt_fail(err, WT_NO_MEMORY, "no host memory for the recording of kernels");
        device_count++;
    }
    return WT_OK;
}

API(cuInit, "%u", (unsigned, flags))
{
    struct wt_error err;
    CUresult result = CUDA_SUCCESS;
    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    wt_gate_enter(cuda_gate());
    const bool begins = !device_count;
    if (is_child)
        result = CUDA_ERROR_NOT_INITIALIZED;
    else if (is_refused)
        result = CUDA_ERROR_NO_DEVICE;
    else if (begins && make_devices(&err) != WT_OK) {
        fprintf(stderr, "wavetrap: libcuda: %s\n", err.text);
        device_count = 0;
        is_refused = true;
        result = CUDA_ERROR_NO_DEVICE;
    } else if (begins) {
        wt_counted_opened();
        endpoint_start(devices, device_count);
        compiler_tell_at_the_end(gpu_capability(devices[0]));
    }
    return state_leave(result);
}

API(cuDriverGetVersion, "*%llu", (int *, version, RESULT(version)))
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
    const char *said = call_error_name(error, text);
    if (name)
        *text = said;
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API(cuGetErrorName, "%d, %p", (CUresult, error), (const char **, text))
{
    return error_text(error, true, text);
}

API(cuGetErrorString, "%d, %p", (CUresult, error), (const char **, text))
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

API_IN(state_lock(), cuDeviceGetCount, "*%llu", (int *, count, RESULT(count)))
{
    if (count)
        *count = (int)device_count;
    return count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API_IN(need_device(ordinal, &g), cuDeviceGet, "*%llu, %d", (CUdevice *, number, RESULT(number)),
       (int, ordinal))
{
    if (number)
        *number = ordinal;
    return number ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API_IN(need_device(number, &g), cuDeviceGetName, "%p, %d, %d", (char *, name), (int, length),
       (CUdevice, number))
{
    if (!name || length < 1)
        return CUDA_ERROR_INVALID_VALUE;
    snprintf(name, (size_t)length, "wavetrap SM");
    return CUDA_SUCCESS;
}

/* Those that are not here are 0, as for a device without them. */
static int attribute_of(const struct gpu *g, CUdevice_attribute attribute)
{
    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
        return 1024;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
        return 64;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
        return 0x7fffffff;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
        return 65535;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
        return SM_CTA_SHARED;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
        return (int)gpu_shared(g).cta;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
        return (int)gpu_shared(g).sm;
    case CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK:
        return (int)gpu_shared(g).reserved;
    case CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY:
        return 65536;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
        return 32;
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH:
        return 131072;
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT:
        return 65536;
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH:
        return (int)gpu_linear_width(g);
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT:
        return 65000;
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH:
        return 2097120;
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT:
        return 32768;
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH:
        return 16384;
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS:
        return 2048;
    case CU_DEVICE_ATTRIBUTE_MAX_PITCH:
        return 0x7fffffff;
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
        return SM_FILE;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE: /* kHz: an issue of a warp in a microsecond */
        return 1000000;
    case CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT:
    case CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT:
        return 512;
    case CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT:
        return 32;
    case CU_DEVICE_ATTRIBUTE_GPU_OVERLAP:
    case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
    case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
    case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
    case CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY:
    case CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM:
    case CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST:
    case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH:
    case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED:
        return 1;
    case CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID:
    case CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID:
        return (int)places[gpu_number(g)];
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
        return (int)gpu_sms(g);
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
        return SM_WARPS * 32;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
        return SM_CTAS;
    case CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO:
        return 1;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        return (int)gpu_capability(g) / 10;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        return (int)gpu_capability(g) % 10;
    default:
        return 0;
    }
}

API_IN(need_device(number, &g), cuDeviceGetAttribute, "*%llu, %d, %d",
       (int *, value, RESULT(value)), (CUdevice_attribute, attribute), (CUdevice, number))
{
    const unsigned last = 147; /* the last one in CUDA 13.0 */
    if (!value || attribute < 1 || attribute > last)
        return CUDA_ERROR_INVALID_VALUE;
    *value = attribute_of(g, attribute);
    return CUDA_SUCCESS;
}

API(cuDeviceComputeCapability, "*%llu, *%llu, %d", (int *, major, RESULT(major)),
    (int *, minor, RESULT(minor)), (CUdevice, number))
{
    const CUresult result =
        do_cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, number);
    return result ? result
                  : do_cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                                            number);
}

API(cuDeviceGetProperties, "%p, %d", (CUdevprop *, properties), (CUdevice, number))
{
    static const CUdevice_attribute members[] = {
        CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
        CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY,
        CU_DEVICE_ATTRIBUTE_WARP_SIZE,
        CU_DEVICE_ATTRIBUTE_MAX_PITCH,
        CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK,
        CU_DEVICE_ATTRIBUTE_CLOCK_RATE,
        CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT,
    };
    int values[sizeof(CUdevprop) / sizeof(int)];
    CUresult result = CUDA_SUCCESS;
    if (!properties)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < sizeof values / sizeof *values && !result; i++)
        result = do_cuDeviceGetAttribute(&values[i], members[i], number);
    if (!result)
        memcpy(properties, values, sizeof *properties);
    return result;
}

API_IN(need_device(number, &g), cuDeviceTotalMem_v2, "*%llu, %d", (size_t *, bytes, RESULT(bytes)),
       (CUdevice, number))
{
    if (bytes)
        *bytes = gpu_memory(g);
    return bytes ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API_IN(need_device(number, &g), cuDeviceGetUuid, "%p, %d", (CUuuid *, uuid), (CUdevice, number))
{
    if (uuid)
        uuid_of(places[number], uuid->bytes);
    return uuid ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API(cuDeviceGetUuid_v2, "%p, %d", (CUuuid *, uuid), (CUdevice, number))
{
    return do_cuDeviceGetUuid(uuid, number);
}

API_IN(need_device(number, &g), cuDeviceGetPCIBusId, "%p, %d, %d", (char *, id), (int, length),
       (CUdevice, number))
{
    if (!id || length < 1)
        return CUDA_ERROR_INVALID_VALUE;
    snprintf(id, (size_t)length, "0000:00:%02x.0", places[number]);
    return CUDA_SUCCESS;
}

/* The memory of a GPU is its own: kernels of another one do not reach it. */
API_IN(need_device(number, &g), cuDeviceCanAccessPeer, "*%llu, %d, %d", (int *, can, RESULT(can)),
       (CUdevice, number), (CUdevice, peer))
{
    if (!state_gpu(peer))
        return CUDA_ERROR_INVALID_DEVICE;
    if (can)
        *can = 0;
    return can ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API_IN(need_device(number, &g), cuDeviceGetP2PAttribute, "*%llu, %d, %d, %d",
       (int *, value, RESULT(value)), (CUdevice_P2PAttribute, attribute), (CUdevice, number),
       (CUdevice, peer))
{
    if (!state_gpu(peer) || peer == number)
        return CUDA_ERROR_INVALID_DEVICE;
    if (!value || attribute < CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK ||
        attribute > CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED)
        return CUDA_ERROR_INVALID_VALUE;
    *value = 0;
    return CUDA_SUCCESS;
}

/* "DOMAIN:BUS:DEVICE.FUNCTION", as cuDeviceGetPCIBusId has it; domain and function may be missing.
 */
API_IN(state_lock(), cuDeviceGetByPCIBusId, "*%llu, \"%s\"", (CUdevice *, number, RESULT(number)),
       (const char *, id, id ? id : "(null)"))
{
    unsigned domain = 0, bus = 0, device = 0, function = 0;
    if (!number || !id)
        return CUDA_ERROR_INVALID_VALUE;
    if (sscanf(id, "%x:%x:%x.%x", &domain, &bus, &device, &function) < 3) {
        domain = function = 0;
        if (sscanf(id, "%x:%x.%x", &bus, &device, &function) < 2)
            return CUDA_ERROR_INVALID_VALUE;
    }
    for (unsigned i = 0; !domain && !bus && !function && i < device_count; i++)
        if (places[i] == device) {
            *number = (CUdevice)i;
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_INVALID_DEVICE;
}
