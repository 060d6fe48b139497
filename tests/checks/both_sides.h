/* Memory that the host and the GPU use at one address, in one language for OpenCL and Level Zero.
 */
#ifndef BOTH_SIDES_H
#define BOTH_SIDES_H
#include "cases.h"
#include "queues.h"

enum { MANY = 2048, MANY_BYTES = MANY * sizeof(int) }; /* two pages */
static queue_t a, b;

#ifdef OPENCL_QUEUES
CALLED int *new_memory(int of_host)
{
    int *made = clSVMAlloc(context, CL_MEM_READ_WRITE, MANY_BYTES, 0);
    (void)of_host;
    return made;
}
CALLED void free_memory(int *memory)
{
    clSVMFree(context, memory);
}
CALLED event_t put_at(queue_t on, int *to)
{
    cl_kernel kernel = clCreateKernel(program, "put", NULL);
    const int first = 0;
    works(clSetKernelArgSVMPointer(kernel, 0, to));
    works(clSetKernelArg(kernel, 1, sizeof first, &first));
    return launch(on, kernel, MANY, NONE);
}
CALLED event_t get_at(queue_t on, buffer_t to, const int *from)
{
    cl_kernel kernel = clCreateKernel(program, "get", NULL);
    works(clSetKernelArg(kernel, 0, sizeof to, &to));
    works(clSetKernelArgSVMPointer(kernel, 1, from));
    return launch(on, kernel, MANY, NONE);
}
CALLED buffer_t buffer_of(cl_mem_flags flags, void *memory)
{
    cl_int status;
    buffer_t made = clCreateBuffer(context, CL_MEM_READ_WRITE | flags, MANY_BYTES, memory, &status);
    works(status);
    return made;
}
CALLED buffer_t new_many(void)
{
    return buffer_of(0, NULL);
}
CALLED int *map(queue_t on, buffer_t what, cl_map_flags flags, int waits, event_t *done)
{
    cl_int status;
    int *at = clEnqueueMapBuffer(on, what, waits, flags, 0, MANY_BYTES, 0, NULL, done, &status);
    works(status);
    return at;
}
CALLED event_t unmap(queue_t on, buffer_t what, void *at)
{
    event_t done;
    works(clEnqueueUnmapMemObject(on, what, at, 0, NULL, &done)); /* BUG unmap */
    return done;
}
#else
CALLED int *new_memory(int of_host)
{
    const ze_device_mem_alloc_desc_t on_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t on_host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *made;
    works(of_host ? zeMemAllocHost(context, &on_host, MANY_BYTES, 1, &made)
                  : zeMemAllocShared(context, &on_device, &on_host, MANY_BYTES, 1, device, &made));
    return made;
}
CALLED void free_memory(int *memory)
{
    works(zeMemFree(context, memory));
}
CALLED event_t put_at(queue_t on, int *to)
{
    return put(on, to, 0, MANY, NONE);
}
CALLED event_t get_at(queue_t on, buffer_t to, int *from)
{
    return get(on, to, from, MANY, NONE);
}
CALLED buffer_t new_many(void)
{
    const ze_device_mem_alloc_desc_t on_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    void *made;
    works(zeMemAllocDevice(context, &on_device, MANY_BYTES, 1, device, &made));
    return made;
}
#endif

static void begin(void)
{
    a = new_queue();
    b = new_queue();
}

static void end(int sum)
{
    finish(a);
    finish(b);
    result(&sum, sizeof sum);
}
#endif
