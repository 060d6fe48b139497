/* clFFT's transforms, each compared with the sum that defines it, computed in double precision. A
 * line for each; the results go to the file of the first argument. */
#define CL_TARGET_OPENCL_VERSION 120
#include <clFFT.h>
#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "results.h"

enum { MOST = 4096 };

static const double PI = 3.14159265358979323846;

struct machine {
    cl_context context;
    cl_command_queue queue;
};

static void must(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: status %d\n", what, status);
    exit(2);
}

/** The transform of `size[0]` by `size[1]` numbers: rows first, then columns. */
static void define(double complex *numbers, const size_t size[2], int sign)
{
    double complex line[MOST];
    for (unsigned dimension = 0; dimension < 2; dimension++) {
        size_t n = size[dimension], step = dimension ? size[0] : 1;
        for (size_t i = 0; i < size[!dimension]; i++) {
            double complex *first = numbers + i * (dimension ? 1 : size[0]);
            for (size_t k = 0; k < n; k++) {
                line[k] = 0;
                for (size_t j = 0; j < n; j++)
                    line[k] +=
                        first[j * step] * cexp(sign * 2 * PI * I * (double)(j * k % n) / (double)n);
            }
            for (size_t k = 0; k < n; k++)
                first[k * step] = line[k];
        }
    }
}

static clfftPlanHandle plan_of(const struct machine *m, const size_t size[2], clfftLayout from,
                               clfftLayout to)
{
    clfftPlanHandle plan;
    cl_command_queue queue = m->queue;
    must(clfftCreateDefaultPlan(&plan, m->context, size[1] > 1 ? CLFFT_2D : CLFFT_1D, size),
         "plan");
    must(clfftSetPlanPrecision(plan, CLFFT_SINGLE), "precision");
    must(clfftSetLayout(plan, from, to), "layout");
    must(clfftSetResultLocation(plan, CLFFT_OUTOFPLACE), "location");
    if (size[1] > 1 && from == CLFFT_REAL) {
        size_t distance[2] = {1, size[0] / 2 + 1};
        must(clfftSetPlanOutStride(plan, CLFFT_2D, distance), "strides");
    }
    must(clfftBakePlan(plan, 1, &queue, NULL, NULL), "compilation");
    return plan;
}

/** Whether clFFT's numbers are the definition's, forward or (sign 1) backward. */
static bool transforms(const struct machine *m, size_t rows, size_t columns, int sign, bool real)
{
    static float in[2 * MOST], out[2 * MOST];
    static double complex expected[MOST];
    const size_t size[2] = {rows, columns}, count = rows * columns;
    double error = 0, most = 0;
    cl_int status;
    clfftPlanHandle plan = plan_of(m, size, real ? CLFFT_REAL : CLFFT_COMPLEX_INTERLEAVED,
                                   real ? CLFFT_HERMITIAN_INTERLEAVED : CLFFT_COMPLEX_INTERLEAVED);
    srand(7);
    for (size_t i = 0; i < count; i++) {
        float re = (float)(rand() % 2000 - 1000) / 500,
              im = real ? 0 : (float)(rand() % 2000 - 1000) / 500;
        expected[i] = re + im * I;
        in[real ? i : 2 * i] = re;
        if (!real)
            in[2 * i + 1] = im;
    }
    define(expected, size, sign);
    cl_mem from = clCreateBuffer(m->context, CL_MEM_COPY_HOST_PTR, sizeof in, in, &status);
    must(status, "input");
    cl_mem to = clCreateBuffer(m->context, 0, sizeof out, NULL, &status);
    must(status, "output");
    cl_command_queue queue = m->queue;
    must(clfftEnqueueTransform(plan, sign < 0 ? CLFFT_FORWARD : CLFFT_BACKWARD, 1, &queue, 0, NULL,
                               NULL, &from, &to, NULL),
         "transform");
    must(clEnqueueReadBuffer(m->queue, to, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL), "read");
    size_t width = real ? rows / 2 + 1 : rows; /* of a real input's transform clFFT stores a half */
    char name[64];
    snprintf(name, sizeof name, "%zux%zu %d%s", rows, columns, sign, real ? " of reals" : "");
    begin_result(name);
    for (size_t i = 0; i < 2 * width * columns; i++)
        keep(out[i]);
    end_result();
    for (size_t y = 0; y < columns; y++)
        for (size_t x = 0; x < width; x++) {
            double complex e = expected[y * rows + x] / (sign < 0 ? 1 : (double)count);
            error =
                fmax(error, cabs(out[2 * (y * width + x)] + out[2 * (y * width + x) + 1] * I - e));
            most = fmax(most, cabs(e));
        }
    must(clfftDestroyPlan(&plan), "end of the plan");
    clReleaseMemObject(from);
    clReleaseMemObject(to);
    return error < 1e-5 * most;
}

int main(int argc, char **argv)
{
    static const struct {
        size_t rows, columns;
        int sign;
        bool real;
    } tests[] = {
        {64, 1, -1, false},   {1024, 1, -1, false},   {1024, 1, 1, false},     {243, 1, -1, false},
        {625, 1, 1, false},   {7 * 49, 1, -1, false}, {11 * 13, 1, -1, false}, {360, 1, -1, false},
        {4096, 1, -1, false}, {512, 1, -1, true},     {600, 1, -1, true},      {32, 64, -1, false},
        {60, 35, 1, false},   {64, 32, -1, true},
    };
    struct machine m;
    clfftSetupData setup;
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    bool all_equal = true;
    open_results(argc, argv);
    must(clGetPlatformIDs(1, &platform, NULL), "platform");
    must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    m.context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    must(status, "context");
    m.queue = clCreateCommandQueue(m.context, device, 0, &status);
    must(status, "queue");
    must(clfftInitSetupData(&setup), "clFFT");
    must(clfftSetup(&setup), "clFFT");
    const size_t step = argc > 2 ? strtoul(argv[2], NULL, 10) : 1; /* 3: each third one */
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i += step) {
        bool equal = transforms(&m, tests[i].rows, tests[i].columns, tests[i].sign, tests[i].real);
        printf("%zux%zu %s%s: %s\n", tests[i].rows, tests[i].columns,
               tests[i].sign < 0 ? "forward" : "backward", tests[i].real ? " of reals" : "",
               equal ? "ok" : "WRONG");
        all_equal = all_equal && equal;
    }
    clfftTeardown();
    clReleaseCommandQueue(m.queue);
    clReleaseContext(m.context);
    return all_equal ? 0 : 1;
}
