/* Memory of 64 numbers, of which some are written. */
#ifndef INIT_OPENCL_H
#define INIT_OPENCL_H
#include "opencl.h"

enum { ITEMS = 64, INTS = ITEMS * sizeof(int) };

static const int *numbers(void)
{
    static int list[ITEMS];
    for (int i = 0; i < ITEMS; i++)
        list[i] = i * 7 % 61;
    return list;
}

static cl_mem empty(void)
{
    cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE, INTS, NULL, NULL);
    need(made != NULL, "a buffer");
    return made;
}

/* Memory of which the first bytes have values. */
static cl_mem partly(size_t bytes)
{
    cl_mem made = empty();
    if (bytes)
        need(!clEnqueueWriteBuffer(queue, made, CL_TRUE, 0, bytes, numbers(), 0, NULL, NULL),
             "the write");
    return made;
}
#endif
