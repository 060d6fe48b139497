/* Planted mistakes with memory of Level Zero (USM), and idioms: level_zero FILE.spv bad|good
 * [CASE]... The kernels are those of kernels.cl, whose lines opencl.c and Oclgrind prove. */
#include <stdarg.h>
#include "ze.h"

enum { N = 8, INTS = N * sizeof(int) };

static ze_module_handle_t module;

static ze_module_handle_t load(void)
{
    const ze_module_desc_t description = module_of_file();
    ze_module_handle_t made = NULL;
    zeModuleCreate(context, device, &description, &made, NULL); /* BUG load */
    return made;
}

static void set_up(const char *path)
{
    find_device(path);
    need((module = load()) != NULL, "the module");
}

enum place { ON_DEVICE, ON_HOST, SHARED };

static void *memory(enum place place, size_t size)
{
    const ze_device_mem_alloc_desc_t on_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t on_host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    char bytes[1 << 10];
    void *p = NULL;
    if (place == ON_DEVICE)
        zeMemAllocDevice(context, &on_device, size, 1, device, &p);
    else if (place == ON_HOST)
        zeMemAllocHost(context, &on_host, size, 1, &p);
    else
        zeMemAllocShared(context, &on_device, &on_host, size, 1, device, &p);
    need(p != NULL, "an allocation");
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(7 * i + 1);
    need(!zeCommandListAppendMemoryCopy(list, p, bytes, size, NULL, 0, NULL), "a copy");
    return p;
}

static ze_kernel_handle_t kernel_of(ze_module_handle_t of, const char *name)
{
    const ze_kernel_desc_t description = {ZE_STRUCTURE_TYPE_KERNEL_DESC, NULL, 0, name};
    ze_kernel_handle_t kernel;
    need(!zeKernelCreate(of, &description, &kernel), name);
    return kernel;
}

/* Arguments by their letters: p a pointer, i int, l bytes of local memory. One group of @p items
 * work-items. */
static void launch(const char *name, uint32_t items, const char *letters, ...)
{
    const ze_group_count_t one = {1, 1, 1};
    ze_kernel_handle_t kernel = kernel_of(module, name);
    va_list arguments;
    va_start(arguments, letters);
    for (uint32_t i = 0; letters[i]; i++) {
        if (letters[i] == 'p') {
            void *p = va_arg(arguments, void *);
            zeKernelSetArgumentValue(kernel, i, sizeof p, p ? &p : NULL);
        } else if (letters[i] == 'i') {
            const int number = va_arg(arguments, int);
            zeKernelSetArgumentValue(kernel, i, sizeof number, &number);
        } else {
            zeKernelSetArgumentValue(kernel, i, va_arg(arguments, size_t), NULL);
        }
    }
    va_end(arguments);
    zeKernelSetGroupSize(kernel, items, 1, 1);
    zeCommandListAppendLaunchKernel(list, kernel, &one, NULL, 0, NULL);
    zeKernelDestroy(kernel);
}

/* The first @p size bytes are the case's result. */
static void end(void *p, size_t size)
{
    char bytes[1 << 10];
    zeCommandListAppendMemoryCopy(list, bytes, p, size, NULL, 0, NULL);
    result(bytes, size);
    zeMemFree(context, p);
}

static void put_beyond(enum place place, int bad)
{
    int *p = memory(place, INTS);
    launch("put", N, "pi", p, bad);
    end(p, INTS);
}

static void device_after(int bad)
{
    put_beyond(ON_DEVICE, bad);
}

static void host_after(int bad)
{
    put_beyond(ON_HOST, bad);
}

static void shared_after(int bad)
{
    put_beyond(SHARED, bad);
}

static void device_before(int bad)
{
    int *p = memory(ON_DEVICE, INTS), *out = memory(ON_DEVICE, 4 * INTS);
    launch("get", N, "ppi", out, p, -bad);
    end(out, 4 * INTS);
    zeMemFree(context, p);
}

static void byte_after(int bad)
{
    char *p = memory(ON_DEVICE, 5);
    launch("put_byte", 5, "pi", p, bad);
    end(p, 5);
}

static void vector_store(int bad)
{
    char *p = memory(ON_DEVICE, N * 16 - 8 * bad);
    launch("put_vector", N, "p", p);
    end(p, N * 16 - 8 * bad);
}

static void atomic_after(int bad)
{
    int *p = memory(ON_DEVICE, INTS);
    launch("add", N, "pi", p, bad);
    end(p, INTS);
}

static void local_after(int bad)
{
    int *out = memory(ON_DEVICE, INTS);
    launch("local_store", N, "pi", out, bad);
    end(out, INTS);
}

static void local_other(int bad)
{
    int *out = memory(ON_DEVICE, INTS);
    launch("local_neighbour", N, "pi", out, bad);
    end(out, INTS);
}

static void local_argument(int bad)
{
    int *out = memory(ON_DEVICE, INTS);
    launch("local_asked", N, "pl", out, (size_t)(INTS - 4 * bad));
    end(out, INTS);
}

static void private_after(int bad)
{
    int *out = memory(ON_DEVICE, INTS);
    launch("private_store", N, "pii", out, 5, bad);
    end(out, INTS);
}

static void null_of_item(int bad)
{
    int *p = memory(ON_DEVICE, INTS), *out = memory(ON_DEVICE, INTS);
    launch("null_load", N, "pppi", out, p, bad ? NULL : p, 4);
    end(out, INTS);
    zeMemFree(context, p);
}

static void device_freed(int bad)
{
    int *p = memory(ON_DEVICE, INTS), *q = memory(ON_DEVICE, INTS);
    zeMemFree(context, p);
    launch("put", N, "pi", bad ? p : q, 0);
    end(q, INTS);
}

/* ---- the host's commands ---- */

static void freed_twice(int bad)
{
    int *p = memory(ON_DEVICE, INTS), *q = memory(ON_DEVICE, INTS),
        *other = memory(ON_DEVICE, INTS);
    zeMemFree(context, p);
    zeMemFree(context, bad ? p : other); /* BUG freed_twice */
    if (bad)
        zeMemFree(context, other);
    end(q, INTS);
}

static void freed_inside(int bad)
{
    int *p = memory(ON_DEVICE, 2 * INTS), *q = memory(ON_DEVICE, INTS);
    zeMemFree(context, p + N * bad); /* BUG freed_inside */
    if (bad)
        zeMemFree(context, p);
    end(q, INTS);
}

static void copy_beyond(int bad)
{
    static char from[2 * INTS];
    char *p = memory(ON_DEVICE, INTS);
    zeCommandListAppendMemoryCopy(list, p, from, INTS + bad, NULL, 0, NULL); /* BUG copy_beyond */
    end(p, INTS);
}

static void fill_beyond(int bad)
{
    const int pattern = 0x1234;
    char *p = memory(ON_DEVICE, INTS);
    /* BUG fill_beyond */
    zeCommandListAppendMemoryFill(list, p, &pattern, 4, INTS + 4 * bad, NULL, 0, NULL);
    end(p, INTS);
}

static void leak_memory(int bad)
{
    const ze_device_mem_alloc_desc_t on_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    void *p, *q = memory(ON_DEVICE, INTS);
    zeMemAllocDevice(context, &on_device, 52, 1, device, &p); /* BUG leak_memory */
    if (!bad)
        zeMemFree(context, p);
    end(q, INTS);
}

static void leak_module(int bad)
{
    void *q = memory(ON_DEVICE, INTS);
    ze_module_handle_t other = load();
    if (!bad)
        zeModuleDestroy(other);
    end(q, INTS);
}

static void leak_pool(int bad)
{
    const ze_event_pool_desc_t description = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                              .count = 4};
    void *q = memory(ON_DEVICE, INTS);
    ze_event_pool_handle_t pool;
    zeEventPoolCreate(context, &description, 1, &device, &pool); /* BUG leak_pool */
    if (!bad)
        zeEventPoolDestroy(pool);
    end(q, INTS);
}

static void api_argument_size(int bad)
{
    const int64_t by = 0;
    void *q = memory(ON_DEVICE, INTS);
    ze_kernel_handle_t kernel = kernel_of(module, "put");
    zeKernelSetArgumentValue(kernel, 1, bad ? 8 : 4, &by); /* BUG api_argument_size */
    zeKernelDestroy(kernel);
    end(q, INTS);
}

static void api_failed_call(int bad)
{
    void *q = memory(ON_DEVICE, INTS);
    ze_kernel_handle_t kernel = kernel_of(module, "put");
    zeKernelSetGroupSize(kernel, bad ? 1 << 20 : 8, 1, 1); /* BUG api_failed_call */
    zeKernelDestroy(kernel);
    end(q, INTS);
}

/* ---- idioms ---- */

static void vectors_of_three(int bad)
{
    int *p = memory(ON_DEVICE, 7 * 12), *out = memory(ON_DEVICE, 7 * 12);
    (void)bad;
    launch("vectors_of_three", 7, "pp", out, p);
    end(out, 7 * 12);
    zeMemFree(context, p);
}

static void widened_loads(int bad)
{
    int *p = memory(ON_DEVICE, 12), *out = memory(ON_DEVICE, INTS);
    (void)bad;
    launch("neighbours", N, "pp", out, p);
    end(out, INTS);
    zeMemFree(context, p);
}

/* The program's own allocator: parts of one allocation. */
static void program_allocator(int bad)
{
    char *arena = memory(SHARED, 3 * INTS);
    (void)bad;
    for (int i = 0; i < 3; i++)
        launch("put", N, "pi", arena + i * INTS, 0);
    end(arena, 3 * INTS);
}

static void groups_of_none(int bad)
{
    const ze_group_count_t none = {0, 1, 1};
    const int by = 0;
    int *p = memory(ON_DEVICE, INTS);
    ze_kernel_handle_t kernel = kernel_of(module, "put");
    (void)bad;
    zeKernelSetArgumentValue(kernel, 0, sizeof p, &p);
    zeKernelSetArgumentValue(kernel, 1, sizeof by, &by);
    zeKernelSetGroupSize(kernel, N, 1, 1);
    zeCommandListAppendLaunchKernel(list, kernel, &none, NULL, 0, NULL);
    zeKernelDestroy(kernel);
    end(p, INTS);
}

CASES(CASE(device_after), CASE(host_after), CASE(shared_after), CASE(device_before),
      CASE(byte_after), CASE(vector_store), CASE(atomic_after), CASE(local_after),
      CASE(local_other), CASE(local_argument), CASE(private_after), CASE(null_of_item),
      CASE(device_freed), CASE(freed_twice), CASE(freed_inside), CASE(copy_beyond),
      CASE(fill_beyond), CASE(leak_memory), CASE(leak_module), CASE(leak_pool),
      CASE(api_argument_size), CASE(api_failed_call), CASE(vectors_of_three), CASE(widened_loads),
      CASE(program_allocator), CASE(groups_of_none))

int main(int argc, char **argv)
{
    need(argc > 2, "reading the arguments");
    set_up(argv[1]);
    run_cases(argc - 1, argv + 1);
    zeModuleDestroy(module);
    zeCommandListDestroy(list);
    zeContextDestroy(context);
    return 0;
}
