/* Planted mistakes with OpenCL's memory, and idioms: opencl FILE.cl bad|good [CASE]... The build
 * options are CHECK_OPTIONS of the environment. The oracle is Oclgrind, which runs the same
 * program. */
#include "opencl.h"

enum { N = 8, INTS = N * sizeof(int) };

static cl_mem image(void)
{
    const cl_image_format format = {CL_R, CL_SIGNED_INT32};
    const cl_image_desc description = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = N, .image_height = 4};
    cl_mem made = clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &description,
                                (void *)pattern(), NULL);
    need(made != NULL, "an image");
    return made;
}

static void global_after(int bad)
{
    cl_mem p = buffer(INTS);
    launch("put", N, "mi", p, bad);
    end(p, INTS);
}

/* Of kernels that read p and write out, with one number behind them. */
static void reads(const char *kernel, size_t size, size_t items, int number)
{
    cl_mem p = buffer(size), out = buffer(N * 16);
    launch(kernel, items, "mmi", out, p, number);
    end(out, N * 16);
    clReleaseMemObject(p);
}

/* Of kernels that write out, with one number behind it. */
static void writes(const char *kernel, int number)
{
    cl_mem out = buffer(INTS);
    launch(kernel, N, "mi", out, number);
    end(out, INTS);
}

static void global_before(int bad)
{
    reads("get", INTS, N, -bad);
}

static void byte_after(int bad)
{
    cl_mem p = buffer(5);
    launch("put_byte", 5, "mi", p, bad);
    end(p, 5);
}

static void global_far(int bad)
{
    cl_mem p = buffer(INTS), out = buffer(INTS);
    launch("get_of_item", N, "mmii", out, p, 5, bad << 20);
    end(out, INTS);
    clReleaseMemObject(p);
}

static void vector_store(int bad)
{
    cl_mem p = buffer(N * 16 - 8 * bad);
    launch("put_vector", N, "m", p);
    end(p, N * 16 - 8 * bad);
}

static void vector_outside(int bad)
{
    reads("get_vector", N * 16, N, bad);
}

static void vector_partly(int bad)
{
    reads("get_vector", N * 16 - 8 * bad, N, 0);
}

static void atomic_after(int bad)
{
    cl_mem p = buffer(INTS);
    launch("add", N, "mi", p, bad);
    end(p, INTS);
}

static void in_inlined(int bad)
{
    reads("inlines", INTS, N, bad);
}

static void many_lanes(int bad)
{
    cl_mem p = buffer(INTS);
    launch("put_of_odd", N, "mi", p, 4 * bad);
    end(p, INTS);
}

static void local_after(int bad)
{
    writes("local_store", bad);
}

static void local_before(int bad)
{
    writes("local_load", bad);
}

static void local_sum(int bad)
{
    writes("local_atomic", bad);
}

static void local_other(int bad)
{
    writes("local_neighbour", bad);
}

static void local_text(int bad)
{
    writes("local_shorts", 2 * bad);
}

static void local_count(int bad)
{
    writes("local_counts", 2 * bad);
}

static void local_argument(int bad)
{
    cl_mem out = buffer(INTS);
    launch("local_asked", N, "ml", out, (size_t)(INTS - 4 * bad));
    end(out, INTS);
}

static void private_after(int bad)
{
    cl_mem out = buffer(INTS);
    launch("private_store", N, "mii", out, 5, bad);
    end(out, INTS);
}

static void private_before(int bad)
{
    cl_mem out = buffer(INTS);
    launch("private_load", N, "mii", out, 6, bad);
    end(out, INTS);
}

static void table_after(int bad)
{
    cl_mem out = buffer(INTS);
    launch("table_load", N, "mii", out, 3, bad ? 4 : 3);
    end(out, INTS);
}

static void table_before(int bad)
{
    cl_mem out = buffer(INTS);
    launch("rows_load", N, "mii", out, 5, bad ? -1 : 0);
    end(out, INTS);
}

static void constant_after(int bad)
{
    reads("constant_load", INTS, N, bad);
}

static void image_store_outside(int bad)
{
    const size_t origin[3] = {0}, region[3] = {N, 1, 1};
    int row[N];
    cl_mem p = image();
    launch("image_store", N - 1, "mii", p, 6, 3 * bad);
    launch("image_store", N - 1, "mii", p, 6, 4 * bad); /* the same mistake at another texel */
    clEnqueueReadImage(queue, p, CL_TRUE, origin, region, 0, 0, row, 0, NULL, NULL);
    result(row, sizeof row);
    clReleaseMemObject(p);
}

static void image_load_outside(int bad)
{
    cl_mem p = image(), out = buffer(INTS);
    launch("image_load", N, "mmii", out, p, 2, 4 * bad);
    end(out, INTS);
    clReleaseMemObject(p);
}

static void misaligned_word(int bad)
{
    reads("misaligned", 8 * N, N, 2 * bad);
}

static void null_of_item(int bad)
{
    cl_mem p = buffer(INTS), out = buffer(INTS);
    launch("null_load", N, "mmmi", out, p, bad ? NULL : p, 4);
    end(out, INTS);
    clReleaseMemObject(p);
}

/* Two parts of one buffer that lie one behind the other; a part's end is not an end of the buffer.
 */
static void part_after(int bad)
{
    cl_uint align;
    cl_mem p = buffer(1 << 10);
    clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof align, &align, NULL);
    const cl_buffer_region region = {align / 8, INTS};
    cl_mem part =
        clCreateSubBuffer(p, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, NULL);
    launch("put", N, "mi", part, bad);
    clReleaseMemObject(part);
    end(p, 1 << 10);
}

static void read_only_buffer(int bad)
{
    cl_mem p = buffer_of(INTS, bad ? CL_MEM_READ_ONLY : CL_MEM_READ_WRITE);
    launch("put", N, "mi", p, 0);
    end(p, INTS);
}

/* Oclgrind has no shared virtual memory. */
static void svm_after(int bad)
{
    int *p = clSVMAlloc(context, CL_MEM_READ_WRITE, INTS, 0);
    if (!p)
        return;
    launch("put", N, "vi", p, bad);
    clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, p, INTS, 0, NULL, NULL);
    result(p, INTS);
    clEnqueueSVMUnmap(queue, p, 0, NULL, NULL);
    clFinish(queue);
    clSVMFree(context, p);
}

static void svm_freed(int bad)
{
    int *p = clSVMAlloc(context, CL_MEM_READ_WRITE, INTS, 0);
    if (!p)
        return;
    cl_kernel kernel = kernel_of("put");
    cl_mem out = buffer(INTS);
    const size_t items = N;
    const int zero = 0;
    clSetKernelArgSVMPointer(kernel, 0, p);
    clSetKernelArg(kernel, 1, sizeof zero, &zero);
    if (bad)
        clSVMFree(context, p);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL);
    clFinish(queue);
    if (!bad)
        clSVMFree(context, p);
    clReleaseKernel(kernel);
    end(out, INTS);
}

/* ---- the host's commands ---- */

static void copy_beyond(int bad)
{
    cl_mem p = buffer(INTS), q = buffer(2 * INTS);
    clEnqueueCopyBuffer(queue, q, p, 0, 4, INTS - 4 + 4 * bad, 0, NULL, NULL); /* BUG copy_beyond */
    clFinish(queue);
    end(p, INTS);
    clReleaseMemObject(q);
}

static void read_beyond(int bad)
{
    char bytes[2 * INTS];
    cl_mem p = buffer(INTS);
    /* BUG read_beyond */
    clEnqueueReadBuffer(queue, p, CL_TRUE, 0, INTS + bad, bytes, 0, NULL, NULL);
    end(p, INTS);
}

static void fill_beyond(int bad)
{
    const int value = 77;
    cl_mem p = buffer(INTS);
    /* BUG fill_beyond */
    clEnqueueFillBuffer(queue, p, &value, sizeof value, 0, INTS + 4 * bad, 0, NULL, NULL);
    clFinish(queue);
    end(p, INTS);
}

static void freed_twice(int bad)
{
    cl_mem p = buffer(INTS), q = clCreateBuffer(context, CL_MEM_READ_WRITE, 40, NULL, NULL);
    clReleaseMemObject(q);
    if (bad)
        clReleaseMemObject(q); /* BUG freed_twice */
    end(p, INTS);
}

static void api_queue_released(int bad)
{
    cl_mem p = buffer(INTS);
    cl_command_queue other = clCreateCommandQueue(context, device, 0, NULL);
    if (!bad)
        clFinish(other);
    clReleaseCommandQueue(other);
    if (bad)
        clFinish(other); /* BUG api_queue_released */
    end(p, INTS);
}

static void api_kernel_released(int bad)
{
    const int by = 0;
    cl_mem p = buffer(INTS);
    cl_kernel kernel = kernel_of("put");
    if (bad)
        clReleaseKernel(kernel);
    clSetKernelArg(kernel, 1, sizeof by, &by); /* BUG api_kernel_released */
    if (!bad)
        clReleaseKernel(kernel);
    end(p, INTS);
}

static void api_kernel_launched(int bad)
{
    const size_t items = N;
    const int by = 0;
    cl_mem p = buffer(INTS);
    cl_kernel kernel = kernel_of("put");
    clSetKernelArg(kernel, 0, sizeof p, &p);
    clSetKernelArg(kernel, 1, sizeof by, &by);
    if (bad)
        clReleaseKernel(kernel);
    /* BUG api_kernel_launched */
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL);
    clFinish(queue);
    if (!bad)
        clReleaseKernel(kernel);
    end(p, INTS);
}

static void api_kernel_twice(int bad)
{
    cl_mem p = buffer(INTS);
    cl_kernel kernel = kernel_of("put");
    clReleaseKernel(kernel);
    if (bad)
        clReleaseKernel(kernel); /* BUG api_kernel_twice */
    end(p, INTS);
}

static void api_sampler_released(int bad)
{
    cl_mem p = buffer(INTS);
    cl_kernel kernel = kernel_of("sampled");
    cl_sampler sampler =
        clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, NULL);
    if (bad)
        clReleaseSampler(sampler);
    clSetKernelArg(kernel, 2, sizeof sampler, &sampler); /* BUG api_sampler_released */
    if (!bad)
        clReleaseSampler(sampler);
    clReleaseKernel(kernel);
    end(p, INTS);
}

static void api_context_released(int bad)
{
    cl_int status;
    cl_mem p = buffer(INTS);
    cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    if (bad)
        clReleaseContext(other);
    /* BUG api_context_released */
    cl_mem q = clCreateBuffer(other, CL_MEM_READ_WRITE, 4, NULL, &status);
    if (q)
        clReleaseMemObject(q);
    if (!bad)
        clReleaseContext(other);
    end(p, INTS);
}

/* ---- leak ---- */

static void leak_buffer(int bad)
{
    cl_mem p = buffer(INTS);
    cl_mem q = clCreateBuffer(context, CL_MEM_READ_WRITE, 44, NULL, NULL); /* BUG leak_buffer */
    if (!bad)
        clReleaseMemObject(q);
    end(p, INTS);
}

static void leak_queue(int bad)
{
    cl_mem p = buffer(INTS);
    cl_command_queue other = clCreateCommandQueue(context, device, 0, NULL); /* BUG leak_queue */
    if (!bad)
        clReleaseCommandQueue(other);
    end(p, INTS);
}

static void leak_event(int bad)
{
    const int value = 5;
    cl_event event;
    cl_mem p = buffer(INTS);
    /* BUG leak_event */
    clEnqueueFillBuffer(queue, p, &value, sizeof value, 0, INTS, 0, NULL, &event);
    clWaitForEvents(1, &event);
    if (!bad)
        clReleaseEvent(event);
    end(p, INTS);
}

static void leak_program(int bad)
{
    const char *text = "kernel void nothing(void) {}";
    cl_mem p = buffer(INTS);
    /* BUG leak_program */
    cl_program other = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    if (!bad)
        clReleaseProgram(other);
    end(p, INTS);
}

/* ---- api ---- */

static void api_argument_unset(int bad)
{
    const size_t items = N;
    const int by = 0;
    cl_kernel kernel = kernel_of("put");
    cl_mem p = buffer(INTS);
    clSetKernelArg(kernel, 0, sizeof p, &p);
    if (!bad)
        clSetKernelArg(kernel, 1, sizeof by, &by);
    /* BUG api_argument_unset */
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL);
    clFinish(queue);
    clReleaseKernel(kernel);
    end(p, INTS);
}

static void api_argument_size(int bad)
{
    const int64_t by = 0;
    cl_kernel kernel = kernel_of("put");
    cl_mem p = buffer(INTS);
    clSetKernelArg(kernel, 1, bad ? 8 : 4, &by); /* BUG api_argument_size */
    clReleaseKernel(kernel);
    end(p, INTS);
}

static void api_failed_call(int bad)
{
    cl_mem p = buffer(INTS);
    /* BUG api_failed_call */
    cl_mem q = clCreateBuffer(context, CL_MEM_READ_WRITE, bad ? 0 : 4, NULL, NULL);
    if (q)
        clReleaseMemObject(q);
    end(p, INTS);
}

static void api_overlap(int bad)
{
    cl_mem p = buffer(2 * INTS);
    clEnqueueCopyBuffer(queue, p, p, 0, bad ? 8 : INTS, INTS, 0, NULL, NULL); /* BUG api_overlap */
    clFinish(queue);
    end(p, 2 * INTS);
}

static void api_group_size(int bad)
{
    const size_t items = 12, group = bad ? 5 : 4;
    const int by = 0;
    cl_kernel kernel = kernel_of("put");
    cl_mem p = buffer(64);
    clSetKernelArg(kernel, 0, sizeof p, &p);
    clSetKernelArg(kernel, 1, sizeof by, &by);
    /* BUG api_group_size */
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL);
    clFinish(queue);
    clReleaseKernel(kernel);
    end(p, INTS);
}

/* ---- idioms ---- */

static void out_of(const char *kernel, size_t from, size_t items, size_t size)
{
    cl_mem p = buffer(from), out = buffer(size);
    launch(kernel, items, "mm", out, p);
    end(out, size);
    clReleaseMemObject(p);
}

static void vectors_of_three(int bad)
{
    (void)bad;
    out_of("vectors_of_three", 7 * 12, 7, 7 * 12);
}

static void widened_loads(int bad)
{
    (void)bad;
    out_of("neighbours", 12, N, INTS);
}

static void odd_addresses(int bad)
{
    (void)bad;
    out_of("odd_addresses", 5 * N, N, INTS);
}

/* Intel's compiler copies the argument to private memory by misaligned accesses. */
static void packed_argument(int bad)
{
    const struct packed given = {3, 1 << 20};
    (void)bad;
    cl_mem out = buffer(INTS);
    launch("packed_argument", N, "mp", out, given);
    end(out, INTS);
}

/* No bytes of padding are in the result. */
static void padding(int bad)
{
    struct {
        char c;
        int i;
        char tail;
    } there[N];
    int sums[N];
    cl_mem p = buffer(sizeof there), out = buffer(sizeof there);
    (void)bad;
    launch("padding", N, "mm", out, p);
    clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof there, there, 0, NULL, NULL);
    for (int i = 0; i < N; i++)
        sums[i] = there[i].c + there[i].i + there[i].tail;
    result(sums, sizeof sums);
    clReleaseMemObject(out);
    clReleaseMemObject(p);
}

static void group_copy(int bad)
{
    (void)bad;
    out_of("fetched", 28, N, 28);
}

static void punned(int bad)
{
    (void)bad;
    cl_mem out = buffer(INTS);
    launch("union_punning", N, "m", out);
    end(out, INTS);
}

static void print(int bad)
{
    (void)bad;
    cl_mem out = buffer(INTS);
    launch("say", N, "m", out);
    end(out, INTS);
}

static void clamped_image(int bad)
{
    (void)bad;
    cl_mem p = image(), out = buffer(INTS);
    launch("clamped", N, "mm", out, p);
    end(out, INTS);
    clReleaseMemObject(p);
}

static void local_in_two(int bad)
{
    (void)bad;
    cl_mem out = buffer(28);
    launch("local_in_two", 7, "ml", out, (size_t)35);
    end(out, 28);
}

static void one_past_the_end(int bad)
{
    (void)bad;
    reads("sum_to_end", INTS, N, N);
}

/* Sub-buffers that overlap, and their parent. */
static void overlapping_parts(int bad)
{
    (void)bad;
    cl_uint align;
    clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof align, &align, NULL);
    const size_t step = align / 8;
    const cl_buffer_region first = {0, step + INTS}, second = {step, INTS};
    cl_mem p = buffer(1 << 10), one = clCreateSubBuffer(p, CL_MEM_READ_WRITE,
                                                        CL_BUFFER_CREATE_TYPE_REGION, &first, NULL);
    cl_mem two =
        clCreateSubBuffer(p, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &second, NULL);
    launch("put", N, "mi", two, 0);
    launch("put", N, "mi", one, (int)(step / sizeof(int)));
    clReleaseMemObject(one);
    clReleaseMemObject(two);
    end(p, 1 << 10);
}

static void host_pointer(int bad)
{
    (void)bad;
    static int mine[N];
    cl_mem p = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof mine, mine, NULL);
    launch("put", N, "mi", p, 0);
    end(p, sizeof mine);
}

/* Objects that others keep: a context lives until its buffers have gone, a kernel until it has run,
 * and a sampler is the kernel's. */
static void kept_by_others(int bad)
{
    const size_t items = N;
    (void)bad;
    cl_context mine = clCreateContext(NULL, 1, &device, NULL, NULL, NULL), again;
    cl_mem there = clCreateBuffer(mine, CL_MEM_READ_WRITE, INTS, NULL, NULL);
    clReleaseContext(mine);
    clGetMemObjectInfo(there, CL_MEM_CONTEXT, sizeof again, &again, NULL);
    clRetainContext(again);
    cl_mem second = clCreateBuffer(again, CL_MEM_READ_WRITE, INTS, NULL, NULL);
    clReleaseMemObject(there);
    clReleaseMemObject(second);
    clReleaseContext(again);
    cl_mem p = image(), out = buffer(INTS);
    cl_kernel kernel = kernel_of("sampled");
    cl_sampler sampler =
        clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, NULL);
    clSetKernelArg(kernel, 0, sizeof out, &out);
    clSetKernelArg(kernel, 1, sizeof p, &p);
    clSetKernelArg(kernel, 2, sizeof sampler, &sampler);
    clReleaseSampler(sampler);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL);
    clReleaseKernel(kernel);
    end(out, INTS);
    clReleaseMemObject(p);
}

/* Kernels of one program, all at once; another one for each launch, perhaps at the same address. */
static void kernels_again(int bad)
{
    cl_kernel all[64];
    cl_uint count = 0;
    cl_mem p = buffer(INTS);
    (void)bad;
    launch("put", N, "mi", p, 0);
    clCreateKernelsInProgram(program, 64, all, &count);
    for (cl_uint i = 0; i < count; i++) {
        clRetainKernel(all[i]);
        clReleaseKernel(all[i]);
        clReleaseKernel(all[i]);
    }
    for (int i = 0; i < 4; i++)
        launch("put", N, "mi", p, 0);
    end(p, INTS);
}

/* Tables of programs with the same text, one after the other, whose constants are elsewhere each
 * time; and a buffer that has the same numbers, which may be where the first program's constants
 * were. */
static void tables_again(int bad)
{
    static const char *const text =
        "constant int low[4] = {11, 12, 13, 14}, high[8] = {21, 22, 23, 24, 25, 26, 27, 28};\n"
        "kernel void tables(global int *out, constant int *p, int n)\n"
        "{\n"
        "    const int i = get_global_id(0);\n"
        "    constant int *const chosen = i & 1 ? low : high;\n"
        "    int sum = low[i & 3] + high[n - 1 - i] + chosen[i & 3] + p[i] + p[n + i];\n"
        "    for (constant int *at = high + n; at-- > high;)\n"
        "        sum += *at;\n"
        "    out[i] += sum;\n"
        "}\n";
    int numbers[2 * N] = {11, 12, 13, 14, 21, 22, 23, 24, 25, 26, 27, 28};
    const size_t items = N;
    const cl_int n = N;
    const char *options = getenv("CHECK_OPTIONS");
    cl_mem out = buffer(INTS), kept[4], p;
    cl_kernel kernel[2];
    (void)bad;
    for (int i = 0; i < 4; i++) {
        kept[i] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof numbers, numbers, NULL);
        cl_program own = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, NULL);
        need(!clBuildProgram(own, 1, &device, options ? options : "", NULL, NULL), "the build");
        kernel[i % 2] = clCreateKernel(own, "tables", NULL);
        clReleaseProgram(own);
        for (int k = 0; k <= i % 2; k++) {
            p = k ? kept[i]
                  : clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof numbers, numbers, NULL);
            clSetKernelArg(kernel[k], 0, sizeof out, &out);
            clSetKernelArg(kernel[k], 1, sizeof p, &p);
            clSetKernelArg(kernel[k], 2, sizeof n, &n);
            clEnqueueNDRangeKernel(queue, kernel[k], 1, NULL, &items, &items, 0, NULL, NULL);
            clFinish(queue);
            if (!k)
                clReleaseMemObject(p);
        }
        for (int k = 0; k < 2 && i % 2; k++)
            clReleaseKernel(kernel[k]);
    }
    for (int i = 0; i < 4; i++)
        clReleaseMemObject(kept[i]);
    end(out, INTS);
}

/* Private arrays whose indices only the argument says, up to their last element. */
static void private_arrays(int bad)
{
    (void)bad;
    writes("private_arrays", 3);
}

static void local_neighbours(int bad)
{
    (void)bad;
    writes("local_neighbours", N);
}

static void private_structs(int bad)
{
    (void)bad;
    writes("private_structs", 2);
}

/* A work-item's row of a matrix, and its column. */
static void rows_and_columns(int bad)
{
    (void)bad;
    reads("rows_and_columns", N * N * 4, N, N);
}

CASES(CASE(global_after), CASE(global_before), CASE(byte_after), CASE(global_far),
      CASE(vector_store), CASE(vector_outside), CASE(vector_partly), CASE(atomic_after),
      CASE(in_inlined), CASE(many_lanes), CASE(local_after), CASE(local_before), CASE(local_sum),
      CASE(local_other), CASE(local_text), CASE(local_count), CASE(local_argument),
      CASE(private_after), CASE(private_before), CASE(table_after), CASE(table_before),
      CASE(constant_after), CASE(image_store_outside), CASE(image_load_outside),
      CASE(misaligned_word), CASE(null_of_item), CASE(part_after), CASE(read_only_buffer),
      CASE(svm_after), CASE(svm_freed), CASE(copy_beyond), CASE(read_beyond), CASE(fill_beyond),
      CASE(freed_twice), CASE(leak_buffer), CASE(leak_queue), CASE(leak_event), CASE(leak_program),
      CASE(api_argument_unset), CASE(api_queue_released), CASE(api_argument_size),
      CASE(api_failed_call), CASE(api_overlap), CASE(api_group_size), CASE(api_kernel_released),
      CASE(api_kernel_launched), CASE(api_kernel_twice), CASE(api_sampler_released),
      CASE(api_context_released), CASE(vectors_of_three), CASE(widened_loads), CASE(odd_addresses),
      CASE(packed_argument), CASE(padding), CASE(group_copy), CASE(punned), CASE(print),
      CASE(clamped_image), CASE(local_in_two), CASE(local_neighbours), CASE(one_past_the_end),
      CASE(overlapping_parts), CASE(host_pointer), CASE(kept_by_others), CASE(kernels_again),
      CASE(tables_again), CASE(private_arrays), CASE(private_structs), CASE(rows_and_columns))

int main(int argc, char **argv)
{
    return run_program(argc, argv, run_cases);
}
