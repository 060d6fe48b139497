/* `wavetrap cuda-path`: prints the folder that stands in for NVIDIA's tools for clang. */
#include <limits.h>

#include "cli/cli.h"
#include "session/options.h"
#include "target/own_files.h"

struct cuda_path {
    bool environment;
};

bool cli_cuda_folder(char *folder, size_t size)
{
    static const char *const places[] = {"../cudapath", WT_HOST_LIBRARY "/cuda", NULL};
    return wt_own_folder(places, "nvvm/libdevice/libdevice.10.bc", folder, size);
}

static int run(int argc, char **argv)
{
    struct cuda_path c = {0};
    struct wt_error err;
    char folder[PATH_MAX];
    const int parsed = wt_subcommand_parse(&cli_cuda_path, argc, argv, &c, NULL, 0, false);
    if (parsed != WT_SUBCOMMAND_GO)
        return parsed;
    if (!cli_cuda_folder(folder, sizeof folder)) {
        wt_fail(&err, WT_UNSUPPORTED,
                "the stand-ins for NVIDIA's tools are not there: this wavetrap was built without "
                "clang-19 and libclc-19");
        return wt_subcommand_fail(&cli_cuda_path, &err);
    }
    if (c.environment)
        puts("export LIBRARY_PATH=/usr/lib/llvm-19/lib${LIBRARY_PATH:+:$LIBRARY_PATH}\n"
             "export LD_LIBRARY_PATH=/usr/lib/llvm-19/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}");
    else
        puts(folder);
    return 0;
}

static const struct wt_option options[] = {
    {"env", 0, NULL, "print, for a shell's eval, the variables that clang and its programs need",
     WT_OPTION_FLAG(struct cuda_path, environment)},
    {0},
};

const struct wt_subcommand cli_cuda_path = {
    .name = "cuda-path",
    .operands = "",
    .summary = "Prints the folder for clang's --cuda-path: stand-ins for NVIDIA's tools.",
    .options = options,
    .notes =
        "clang-19 -fopenmp --offload-arch=sm_50 --cuda-path=$(wavetrap cuda-path) program.c\n"
        "makes a program for 'wavetrap exec -g sm'. Its kernels stay PTX until they are "
        "loaded.\n"
        "CUDA C++: clang-19 -x cuda --cuda-gpu-arch=sm_50 --cuda-path=$P program.cu -L$P/lib64 "
        "-lcudart\n",
    .run = run,
};
