/*
 * libcudart: the objects that programs register at their start by compiler-generated code: fat
 * binaries, kernels, variables. A fat binary becomes a module on a device when one of its objects
 * is first used.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "runtime/cudart/cudart.h"

/* A function or variable of the host, and its name on the device. */
struct name {
    const void *host;
    const char *device;
    CUfunction function[CUDART_GPUS]; /* NULL: not asked for */
};

struct program {
    const void *wrapper;
    CUmodule module[CUDART_GPUS]; /* NULL: not loaded */
    CUresult failed[CUDART_GPUS]; /* how loading it has failed */
    struct name *name;
    size_t name_count, name_room;
    struct program *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct program *programs; /* under the lock */

static _Noreturn void no_memory(void)
{
    fprintf(stderr, "wavetrap: libcudart: no host memory\n");
    abort();
}

EXPORT void **__cudaRegisterFatBinary(const void *wrapper)
{
    struct program *p = calloc(1, sizeof *p);
    if (!p)
        no_memory(); /* the caller does not look */
    p->wrapper = wrapper;
    pthread_mutex_lock(&lock);
    p->next = programs;
    programs = p;
    pthread_mutex_unlock(&lock);
    return (void **)p;
}

EXPORT void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

EXPORT void __cudaUnregisterFatBinary(void **handle)
{
    struct program *p = (struct program *)handle;
    pthread_mutex_lock(&lock);
    struct program **at = &programs;
    while (*at && *at != p)
        at = &(*at)->next;
    if (*at)
        *at = p->next;
    pthread_mutex_unlock(&lock);
    free(p->name);
    free(p); /* modules end with the process */
}

static void add_name(void **handle, const void *host, const char *device)
{
    struct program *p = (struct program *)handle;
    pthread_mutex_lock(&lock);
    struct name *grown = wt_array_grow(p->name, &p->name_room, p->name_count + 1, sizeof *grown);
    if (!grown)
        no_memory();
    p->name = grown;
    p->name[p->name_count++] = (struct name){.host = host, .device = device};
    pthread_mutex_unlock(&lock);
}

EXPORT void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                                   int threads, uint3 *thread, uint3 *block, dim3 *block_size,
                                   dim3 *grid, int *warp)
{
    (void)device, (void)threads, (void)thread, (void)block, (void)block_size, (void)grid,
        (void)warp;
    add_name(handle, host, name);
}

EXPORT void __cudaRegisterVar(void **handle, char *host, char *address, const char *name,
                              int external, size_t bytes, int constant, int global)
{
    (void)address, (void)external, (void)bytes, (void)constant, (void)global;
    add_name(handle, host, name);
}

/* Under the lock: loads the program on the thread's device, once. */
static CUresult load(struct program *p)
{
    const int d = cudart_device();
    if (!p->module[d] && !p->failed[d])
        p->failed[d] = cuModuleLoadFatBinary(&p->module[d], p->wrapper);
    return p->failed[d];
}

/* Under the lock. */
static struct name *find(const void *host, struct program **program)
{
    for (struct program *p = programs; p; p = p->next)
        for (size_t i = 0; i < p->name_count; i++)
            if (p->name[i].host == host) {
                *program = p;
                return &p->name[i];
            }
    return NULL;
}

CUresult cudart_function(const void *host, CUfunction *function)
{
    struct program *p;
    const int d = cudart_device();
    CUresult result = cudart_enter();
    if (result)
        return result;
    pthread_mutex_lock(&lock);
    struct name *n = find(host, &p);
    result = n ? load(p) : (CUresult)cudaErrorInvalidDeviceFunction;
    if (!result && !n->function[d] &&
        (result = cuModuleGetFunction(&n->function[d], p->module[d], n->device)) ==
            CUDA_ERROR_NOT_FOUND)
        result = (CUresult)cudaErrorInvalidDeviceFunction;
    *function = result ? NULL : n->function[d];
    pthread_mutex_unlock(&lock);
    return result;
}

CUresult cudart_variable(const void *host, CUdeviceptr *address, size_t *bytes)
{
    struct program *p;
    CUresult result = cudart_enter();
    if (result)
        return result;
    pthread_mutex_lock(&lock);
    const struct name *n = find(host, &p);
    result = n ? load(p) : (CUresult)cudaErrorInvalidSymbol;
    if (!result && (result = cuModuleGetGlobal(address, bytes, p->module[cudart_device()],
                                               n->device)) == CUDA_ERROR_NOT_FOUND)
        result = (CUresult)cudaErrorInvalidSymbol;
    pthread_mutex_unlock(&lock);
    return result;
}
