/*
 * A stand-in for NVIDIA's ptxas, for clang and GCC: checks PTX and wraps it into an object, as
 * which it travels to the driver, where it is compiled. Options that are about machine code are
 * ignored.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cudapath/tool.h"
#include "wavetrap/cuda.h"

int main(int argc, char **argv)
{
    struct tool tool = {.name = "ptxas", .capability = 50};
    struct wt_error err;
    enum wt_status status = WT_OK;
    uint8_t *bytes;
    size_t length;
    for (int i = 1, words; i < argc && !status; i += words ? words : 1) {
        if (strcmp(argv[i], "--version") == 0 || strcmp(argv[i], "-V") == 0) {
            /* Callers look for "release N.N": it is that of the driver. */
            printf("ptxas (wavetrap): checks and wraps PTX\nCuda compilation tools, release %d.%d, "
                   "V%d.%d.0\n",
                   CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10, CUDA_VERSION / 1000,
                   CUDA_VERSION % 1000 / 10);
            return 0;
        }
        if ((words = tool_option(&tool, argv + i)))
            continue;
        if ((status = wt_file_read(argv[i], &bytes, &length, &err)) != WT_OK)
            break;
        status = tool_add(&tool, argv[i], (const char *)bytes, length, &err);
        free(bytes);
    }
    if (!status)
        status = tool_write(&tool, false, &err);
    return tool_end(&tool, status, &err);
}
