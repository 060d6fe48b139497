/* printf in a kernel. */
#include "common.h"

static const char source[] = "kernel void print(float step)\n"
                             "{\n"
                             "    int i = get_global_id(0);\n"
                             "    printf(\"item %d: %f\\n\", i, step * i);\n"
                             "}\n";

int main(void)
{
    const float step = 1.5f;
    open_device();
    cl_kernel kernel = build(source, "print");
    check(clSetKernelArg(kernel, 0, sizeof step, &step), "argument");
    check(run(kernel, 8), "kernel");
    return 0;
}
