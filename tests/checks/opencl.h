/* An OpenCL program of cases: its kernels are those of a file. */
#ifndef OPENCL_H
#define OPENCL_H
#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdarg.h>
#include <stdlib.h>
#include "cases.h"

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_program program; /* that was built last */
static char source[1 << 16];
static int one_case;

static void need(int right, const char *what)
{
    if (!right) {
        printf("%s: %s failed\n", case_name, what);
        exit(3);
    }
}

static void set_up(const char *path)
{
    cl_platform_id platform;
    FILE *file = fopen(path, "r");
    need(file && fread(source, 1, sizeof source - 1, file), "reading the kernels");
    fclose(file);
    need(!clGetPlatformIDs(1, &platform, NULL), "the platform");
    need(!clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "the device");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueue(context, device, 0, NULL);
}

/* Makes lines of other kernels than @p name empty: one kernel is compiled sooner than all. */
static const char *keep_kernel(const char *name)
{
    static char kept[sizeof source];
    int other = 0;
    memcpy(kept, source, sizeof source);
    for (char *line = kept, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        const int begins = strncmp(line, "kernel void ", 12) == 0, ends = *line == '}';
        if (begins)
            other = strncmp(line + 12, name, strlen(name)) != 0 || line[12 + strlen(name)] != '(';
        if (other)
            memset(line, ' ', (size_t)(end - line));
        if (ends)
            other = 0;
    }
    return kept;
}

static cl_kernel kernel_of(const char *name)
{
    const char *options = getenv("CHECK_OPTIONS");
    cl_kernel kernel = program ? clCreateKernel(program, name, NULL) : NULL;
    if (!kernel) {
        const char *text = one_case ? keep_kernel(name) : source;
        if (program)
            clReleaseProgram(program);
        program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
        need(!clBuildProgram(program, 1, &device, options ? options : "", NULL, NULL), "the build");
        kernel = clCreateKernel(program, name, NULL);
    }
    need(kernel != NULL, name);
    return kernel;
}

static const char *pattern(void)
{
    static char bytes[1 << 10];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(7 * i + 1);
    return bytes;
}

static cl_mem buffer_of(size_t size, cl_mem_flags flags)
{
    cl_mem made =
        clCreateBuffer(context, flags | CL_MEM_COPY_HOST_PTR, size, (void *)pattern(), NULL);
    need(made != NULL, "a buffer");
    return made;
}

static cl_mem buffer(size_t size)
{
    return buffer_of(size, CL_MEM_READ_WRITE);
}

struct __attribute__((packed)) packed {
    char c;
    int i;
};

static size_t group_items; /* work-items of a group; 0: all of a kernel's */

/* Arguments by their letters: m memory, i int, p a packed structure, l bytes of local memory, v
 * SVM. */
static void launch(const char *name, size_t items, const char *letters, ...)
{
    cl_kernel kernel = kernel_of(name);
    va_list list;
    va_start(list, letters);
    for (cl_uint i = 0; letters[i]; i++) {
        cl_int error;
        if (letters[i] == 'm') {
            cl_mem memory = va_arg(list, cl_mem);
            error = clSetKernelArg(kernel, i, sizeof memory, &memory);
        } else if (letters[i] == 'i') {
            const int number = va_arg(list, int);
            error = clSetKernelArg(kernel, i, sizeof number, &number);
        } else if (letters[i] == 'p') {
            const struct packed given = va_arg(list, struct packed);
            error = clSetKernelArg(kernel, i, sizeof given, &given);
        } else if (letters[i] == 'l') {
            error = clSetKernelArg(kernel, i, va_arg(list, size_t), NULL);
        } else {
            error = clSetKernelArgSVMPointer(kernel, i, va_arg(list, void *));
        }
        need(!error, "an argument");
    }
    va_end(list);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, group_items ? &group_items : &items, 0,
                           NULL, NULL);
    clFinish(queue);
    clReleaseKernel(kernel);
}

/* The first @p size bytes are the case's result. */
static void end(cl_mem memory, size_t size)
{
    char bytes[1 << 10];
    clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, size, bytes, 0, NULL, NULL);
    result(bytes, size);
    clReleaseMemObject(memory);
}

/* main(). */
static int run_program(int argc, char **argv, void (*cases)(int argc, char **argv))
{
    need(argc > 2, "reading the arguments");
    set_up(argv[1]);
    one_case = argc == 4;
    cases(argc - 1, argv + 1);
    if (program)
        clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}

#endif
