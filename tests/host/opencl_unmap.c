/*
 * A program that gives memory back while a kernel uses it. Arguments: how ("munmap", "free" or
 * "handler": munmap, in a program that handles SIGSEGV itself), and whether the kernel reads or
 * writes ("read", "write").
 */
#include "../../examples/opencl/common.h"
#include <malloc.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { SIZE = 8 << 20, PAGE = 4096, ITEMS = 64, TRIES = 60000 };

static const char source[] =
    "kernel void uses(global volatile int *data, global volatile int *state, int writes)\n"
    "{\n"
    "    int sum = 0, i = get_global_id(0);\n"
    "    for (int round = 0; !state[1]; round++) {\n"
    "        if (writes)\n"
    "            data[1024 * (round & 1023) + i] = round;\n"
    "        else\n"
    "            sum += data[1024 * (round & 1023) + i];\n"
    "        state[0] = 1;\n"
    "    }\n"
    "    state[2] = sum;\n"
    "}\n";

static sigjmp_buf own;

static void on_signal(int number)
{
    siglongjmp(own, number);
}

static cl_mem in_place(void *memory, size_t size)
{
    cl_int status;
    cl_mem made =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size, memory, &status);
    check(status, "buffer");
    return made;
}

/* Until the kernel runs; a minute at most. */
static void wait_for(const volatile int *state)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    for (int i = 0; !*state; i++) {
        if (i == TRIES) {
            puts("the kernel has not begun");
            exit(2);
        }
        nanosleep(&moment, NULL);
    }
}

int main(int argc, char **argv)
{
    const int frees = argc > 1 && !strcmp(argv[1], "free");
    const int writes = argc > 2 && !strcmp(argv[2], "write");
    const int handles = argc > 1 && !strcmp(argv[1], "handler");
    /* Another thread may map memory where the data was. */
    volatile int *none = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const size_t items = ITEMS;
    if (handles)
        signal(SIGSEGV, on_signal);
    mallopt(M_MMAP_THRESHOLD, SIZE / 2); /* free() unmaps */
    alarm(150);                          /* a kernel that is not stopped has no end */
    int *state = aligned_alloc(PAGE, PAGE);
    int *data = frees
                    ? aligned_alloc(PAGE, SIZE)
                    : mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(state, 0, PAGE);
    memset(data, 0, SIZE);
    open_device();
    cl_kernel kernel = build(source, "uses");
    cl_mem used = in_place(data, SIZE), shared = in_place(state, PAGE);
    check(clSetKernelArg(kernel, 0, sizeof used, &used), "argument");
    check(clSetKernelArg(kernel, 1, sizeof shared, &shared), "argument");
    check(clSetKernelArg(kernel, 2, sizeof writes, &writes), "argument");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), "launch");
    check(clFlush(queue), "flush");
    wait_for(state);
    if (frees)
        free(data);
    else
        munmap(data, SIZE);
    const cl_int status = clFinish(queue);
    printf("the program goes on: %d\n", status);
    if (handles && !sigsetjmp(own, 1))
        *none = 1;
    else if (handles)
        puts("its own handler was called");
    fflush(stdout);
    _Exit(0); /* Intel's runtime would submit another batch */
}
