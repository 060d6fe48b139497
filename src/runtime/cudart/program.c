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
#include "runtime/cuda/checks.h"
#include "runtime/cudart/cudart.h"

/* A function or variable of the host, and its name on the device. */
struct cudart_name {
    const void *host;
    const char *device;
    bool managed;                     /* a variable that the GPUs and the host have in common */
    CUfunction function[CUDART_GPUS]; /* NULL: not asked for */
};

struct cudart_program {
    const void *wrapper;
    CUmodule module[CUDART_GPUS]; /* NULL: not loaded */
    CUresult failed[CUDART_GPUS]; /* how loading it has failed */
    struct cudart_name *name;
    size_t name_count, name_room;
    bool complete; /* all its names are there */
    struct cudart_program *next;
};

/* The __managed__ variables of a program or library, by clang, or one of them, by nvcc: memory of
 * the host. */
struct cudart_section {
    char *begin, *end;
    bool registered; /* kernels can access it */
    bool own;        /* allocated here */
    struct cudart_section *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cudart_program *programs; /* under the lock */
static struct cudart_section *sections; /* likewise */

static _Noreturn void no_memory(void)
{
    fprintf(stderr, "wavetrap: libcudart: no host memory\n");
    abort();
}

EXPORT void **__cudaRegisterFatBinary(const void *wrapper)
{
    struct cudart_program *p = calloc(1, sizeof *p);
    if (!p)
        no_memory(); /* the caller does not look */
    p->wrapper = wrapper;
    pthread_mutex_lock(&lock);
    p->next = programs;
    programs = p;
    pthread_mutex_unlock(&lock);
    return (void **)p;
}

static struct cudart_section *section_of(const void *address)
{
    struct cudart_section *s = sections;
    while (s && ((const char *)address < s->begin || (const char *)address >= s->end))
        s = s->next;
    return s;
}

bool cudart_is_managed(const void *address)
{
    pthread_mutex_lock(&lock);
    const bool managed = section_of(address) != NULL;
    pthread_mutex_unlock(&lock);
    return managed;
}

static bool has_managed(const struct cudart_program *p)
{
    for (size_t i = 0; i < p->name_count; i++)
        if (p->name[i].managed)
            return true;
    return false;
}

static CUresult load(struct cudart_program *p);

/* The host's code may use __managed__ variables at once: loading a program gives them their initial
 * values. If it fails, so does each later use of the program. */
static void load_if_managed(struct cudart_program *p)
{
    if (p->complete && has_managed(p) && cudart_enter() == CUDA_SUCCESS)
        load(p);
}

/* Under the lock. */
static void add_section(void *begin, void *end, bool own)
{
    struct cudart_section *s = malloc(sizeof *s);
    if (!s)
        no_memory();
    *s = (struct cudart_section){.begin = begin, .end = end, .own = own, .next = sections};
    sections = s;
}

/* Registers the __managed__ variables of one file of the program. The call comes before or after
 * the registration of the GPU code: the order of the link decides. */
EXPORT void __cudaRegisterManagedSection(void *begin, void *end)
{
    pthread_mutex_lock(&lock);
    if (begin != end && !section_of(begin)) {
        add_section(begin, end, false);
        for (struct cudart_program *p = programs; p; p = p->next) {
            for (size_t i = 0; i < p->name_count; i++)
                p->name[i].managed = section_of(p->name[i].host) != NULL;
            load_if_managed(p);
        }
    }
    pthread_mutex_unlock(&lock);
}

EXPORT void __cudaRegisterFatBinaryEnd(void **handle)
{
    struct cudart_program *p = (struct cudart_program *)handle;
    pthread_mutex_lock(&lock);
    p->complete = true;
    load_if_managed(p);
    pthread_mutex_unlock(&lock);
}

/* Other modules stay until the process ends. Those with __managed__ variables do not: the host's
 * memory may be another library's next. */
static void unload(struct cudart_program *p)
{
    for (int d = 0; d < CUDART_GPUS && has_managed(p); d++)
        if (p->module[d])
            cuModuleUnload(p->module[d]);
    for (size_t i = 0; i < p->name_count; i++) {
        struct cudart_section **at = &sections, *s = section_of(p->name[i].host);
        if (!s || !p->name[i].managed)
            continue;
        while (*at != s)
            at = &(*at)->next;
        *at = s->next;
        if (s->registered)
            cuMemHostUnregister(s->begin);
        if (s->own)
            free(s->begin);
        free(s);
    }
}

EXPORT void __cudaUnregisterFatBinary(void **handle)
{
    struct cudart_program *p = (struct cudart_program *)handle;
    pthread_mutex_lock(&lock);
    unload(p);
    struct cudart_program **at = &programs;
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
    struct cudart_program *p = (struct cudart_program *)handle;
    pthread_mutex_lock(&lock);
    struct cudart_name *grown =
        wt_array_grow(p->name, &p->name_room, p->name_count + 1, sizeof *grown);
    if (!grown)
        no_memory();
    p->name = grown;
    p->name[p->name_count++] =
        (struct cudart_name){.host = host, .device = device, .managed = section_of(host) != NULL};
    pthread_mutex_unlock(&lock);
}

EXPORT void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                                   int threads, uint3 *thread, uint3 *block, dim3 *block_size,
                                   dim3 *grid, int *warp)
{
    add_name(handle, host, name);
}

EXPORT void __cudaRegisterVar(void **handle, char *host, char *address, const char *name,
                              int external, size_t bytes, int constant, int global)
{
    add_name(handle, host, name);
}

/* A __managed__ variable by nvcc, whose code on the host reaches it by a pointer. */
EXPORT void __cudaRegisterManagedVar(void **handle, void **pointer, char *address, const char *name,
                                     int external, size_t bytes, int constant, int global)
{
    enum { ALIGNMENT = 4096 };
    const size_t room = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    *pointer = aligned_alloc(ALIGNMENT, room ? room : ALIGNMENT);
    if (!*pointer)
        no_memory();
    memset(*pointer, 0, room);
    pthread_mutex_lock(&lock);
    add_section(*pointer, (char *)*pointer + (bytes ? bytes : 1), true);
    pthread_mutex_unlock(&lock);
    add_name(handle, *pointer, name);
}

/* nvcc's code calls it before the program uses a __managed__ variable for the first time. Returns
 * whether the module is ready; callers do not look. */
EXPORT char __cudaInitModule(void **handle)
{
    struct cudart_program *p = (struct cudart_program *)handle;
    pthread_mutex_lock(&lock);
    load_if_managed(p);
    pthread_mutex_unlock(&lock);
    return 1;
}

/* A variable of the host that kernels use: there is no such code for it. */
EXPORT void __cudaRegisterHostVar(void **handle, const char *name, char *variable, size_t bytes)
{
    wavetrap_cudart_refused("__cudaRegisterHostVar", "kernels do not reach variables of the host");
}

#if CUDART_VERSION < 12000
EXPORT void __cudaRegisterTexture(void **handle, const void *reference, const void **address,
                                  const char *name, int dimensions, int normalized, int external)
{
    wavetrap_cudart_refused(name, "a texture reference: use a texture object");
}

EXPORT void __cudaRegisterSurface(void **handle, const void *reference, const void **address,
                                  const char *name, int dimensions, int external)
{
    wavetrap_cudart_refused(name, "a surface reference: use a surface object");
}
#endif

/* Under the lock: lets kernels access the __managed__ variables of a program. */
static CUresult show_managed(const struct cudart_program *p)
{
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; i < p->name_count && !result; i++) {
        struct cudart_section *s = p->name[i].managed ? section_of(p->name[i].host) : NULL;
        if (!s || s->registered)
            continue;
        result = cuMemHostRegister(s->begin, (size_t)(s->end - s->begin), 0);
        s->registered = !result;
    }
    return result;
}

/* Under the lock: loads a program whose __managed__ variables are those of the host. */
static CUresult load_with_managed(struct cudart_program *p, CUmodule *module)
{
    CUjit_option options[] = {CU_JIT_GLOBAL_SYMBOL_NAMES, CU_JIT_GLOBAL_SYMBOL_ADDRESSES,
                              CU_JIT_GLOBAL_SYMBOL_COUNT};
    const char **names = calloc(p->name_count, sizeof *names);
    const void **addresses = calloc(p->name_count, sizeof *addresses);
    size_t count = 0;
    if (!names || !addresses)
        no_memory();
    for (size_t i = 0; i < p->name_count; i++)
        if (p->name[i].managed) {
            names[count] = p->name[i].device;
            addresses[count++] = p->name[i].host;
        }
    void *values[] = {names, addresses, (void *)count};
    CUresult result = show_managed(p);
    if (!result)
        result = cuModuleLoadDataEx(module, p->wrapper, 3, options, values);
    free(names);
    free(addresses);
    return result;
}

/* Under the lock: loads the program on the thread's device, once. */
static CUresult load(struct cudart_program *p)
{
    const int d = cudart_device();
    if (!p->module[d] && !p->failed[d])
        p->failed[d] = has_managed(p) ? load_with_managed(p, &p->module[d])
                                      : cuModuleLoadFatBinary(&p->module[d], p->wrapper);
    return p->failed[d];
}

/* Under the lock. */
static struct cudart_name *find(const void *host, struct cudart_program **program)
{
    for (struct cudart_program *p = programs; p; p = p->next)
        for (size_t i = 0; i < p->name_count; i++)
            if (p->name[i].host == host) {
                *program = p;
                return &p->name[i];
            }
    return NULL;
}

CUresult cudart_function(const void *host, CUfunction *function)
{
    struct cudart_program *p;
    const int d = cudart_device();
    CUresult result = cudart_enter();
    if (result)
        return result;
    pthread_mutex_lock(&lock);
    struct cudart_name *n = find(host, &p);
    result = n ? load(p) : (CUresult)cudaErrorInvalidDeviceFunction;
    if (!result && !n->function[d] &&
        (result = cuModuleGetFunction(&n->function[d], p->module[d], n->device)) ==
            CUDA_ERROR_NOT_FOUND)
        result = (CUresult)cudaErrorInvalidDeviceFunction;
    *function = result ? NULL : n->function[d];
    pthread_mutex_unlock(&lock);
    return result;
}

const void *cudart_host(CUfunction function)
{
    const void *host = NULL;
    pthread_mutex_lock(&lock);
    for (struct cudart_program *p = programs; p; p = p->next)
        for (size_t i = 0; i < p->name_count; i++)
            for (int d = 0; d < CUDART_GPUS && function; d++)
                if (p->name[i].function[d] == function)
                    host = p->name[i].host;
    pthread_mutex_unlock(&lock);
    return host;
}

CUresult cudart_variable(const void *host, CUdeviceptr *address, size_t *bytes)
{
    struct cudart_program *p;
    CUresult result = cudart_enter();
    if (result)
        return result;
    pthread_mutex_lock(&lock);
    const struct cudart_name *n = find(host, &p);
    result = n ? load(p) : (CUresult)cudaErrorInvalidSymbol;
    if (!result && (result = cuModuleGetGlobal(address, bytes, p->module[cudart_device()],
                                               n->device)) == CUDA_ERROR_NOT_FOUND)
        result = (CUresult)cudaErrorInvalidSymbol;
    pthread_mutex_unlock(&lock);
    return result;
}
