/* `wavetrap cuda-path`: prints the folder that stands in for NVIDIA's tools for clang. */
#include <limits.h>
#include <stdio.h>

#include "base/llvm.h"
#include "cli/cli.h"
#include "target/own_files.h"

struct cuda_path {
    bool environment, clang;
};

bool cli_cuda_folder(char *folder, size_t size)
{
    static const char *const places[] = {"../cudapath", WT_HOST_LIBRARY "/cuda", NULL};
    return wt_own_folder(places, "nvvm/libdevice/libdevice.10.bc", folder, size);
}

int cli_print_clang(const struct wt_subcommand *command, const char *files)
{
    struct wt_error err;
    const unsigned version = wt_llvm_newest(files);
    if (!version) {
        wt_fail(&err, WT_UNSUPPORTED, "there is no clang-%u or newer: see 'wavetrap doctor'",
                WT_LLVM_OLDEST);
        return wt_subcommand_fail(command, &err);
    }
    printf("clang-%u\n", version);
    return 0;
}

/* Where clang's libraries for OpenMP lie: those of the newest version that has them. */
static void print_environment(void)
{
    static const char *const lines[] = {
        "export LIBRARY_PATH=/usr/lib/llvm-#/lib${LIBRARY_PATH:+:$LIBRARY_PATH}",
        "export LD_LIBRARY_PATH=/usr/lib/llvm-#/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"};
    const unsigned version = wt_llvm_newest("/usr/lib/llvm-#/lib/libomptarget.so.#.1");
    char line[160];
    for (unsigned i = 0; i < 2; i++) {
        /* '$#' is no part of these lines. */
        wt_llvm_text(line, sizeof line, lines[i], version ? version : WT_LLVM_USUAL);
        puts(line);
    }
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
                "clang and libclc");
        return wt_subcommand_fail(&cli_cuda_path, &err);
    }
    if (c.clang)
        return cli_print_clang(&cli_cuda_path, "clang-#");
    if (c.environment)
        print_environment();
    else
        puts(folder);
    return 0;
}

static const struct wt_option options[] = {
    {"env", 0, NULL, "print, for a shell's eval, the variables that clang and its programs need",
     WT_OPTION_FLAG(struct cuda_path, environment)},
    {"clang", 0, NULL, "print the name of the newest clang that is installed, instead",
     WT_OPTION_FLAG(struct cuda_path, clang)},
    {0},
};

const struct wt_subcommand cli_cuda_path = {
    .name = "cuda-path",
    .operands = "",
    .summary = "Prints the folder for clang's --cuda-path: stand-ins for NVIDIA's tools.",
    .options = options,
    .notes =
        "P=$(wavetrap cuda-path) C=$(wavetrap cuda-path --clang)\n"
        "$C -x cuda --cuda-gpu-arch=sm_50 --cuda-path=$P program.cu -L$P/lib64 -lcudart -lstdc++\n"
        "makes a program of CUDA C++ for 'wavetrap exec -g sm'. Its kernels stay PTX until they "
        "are loaded.\n"
        "OpenMP: $C -fopenmp --offload-arch=sm_50 --cuda-path=$P program.c\n",
    .run = run,
};
