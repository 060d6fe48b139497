/* Names of kernels. See kernels.h. */
#include "runtime/drm/kernels.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct named {
    uint64_t address;
    char *name;
};

/* A process has one address space of the GPU in which OpenCL tells addresses: opencl.c sees to it.
 */
static struct named *kernel;
static size_t kernel_count, kernel_capacity;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct named *find(uint64_t address)
{
    size_t i = 0;
    while (i < kernel_count && kernel[i].address != address)
        i++;
    return i < kernel_count ? &kernel[i] : NULL;
}

static struct named *add(uint64_t address)
{
    struct named *grown = wt_array_grow(kernel, &kernel_capacity, kernel_count + 1, sizeof *grown);
    if (!grown)
        return NULL;
    kernel = grown;
    kernel[kernel_count] = (struct named){.address = address};
    return &kernel[kernel_count++];
}

void wt_drm_kernel_is(uint64_t address, const char *name)
{
    pthread_mutex_lock(&lock);
    struct named *k = find(address);
    if (!k)
        k = add(address);
    if (k && (!k->name || strcmp(k->name, name) != 0)) {
        free(k->name);
        k->name = strdup(name);
    }
    pthread_mutex_unlock(&lock);
}

/* False: it is not known. */
static bool name_of(uint64_t address, char *text, size_t size)
{
    pthread_mutex_lock(&lock);
    const struct named *k = find(address);
    const bool known = k && k->name;
    if (known)
        snprintf(text, size, "%s", k->name);
    pthread_mutex_unlock(&lock);
    return known;
}

void wt_drm_kernel_describe(uint64_t start, uint64_t pc, char *text, size_t size)
{
    char name[200];
    if (name_of(start, name, sizeof name))
        snprintf(text, size, "0x%" PRIx64 " <%s+%" PRIu64 ">", pc, name, pc - start);
    else
        snprintf(text, size, "0x%" PRIx64, pc);
}

void wt_drm_kernel_name(uint64_t start, char *text, size_t size)
{
    if (!name_of(start, text, size))
        snprintf(text, size, "the kernel at 0x%" PRIx64, start);
}
