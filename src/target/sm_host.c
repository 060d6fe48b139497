/* Programs on the CUDA driver API. */
#include "target/sm.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "target/host_program.h"

#define LIBCUDA "libcuda.so.1"

/* Whether the loader knows an NVRTC of NVIDIA's: its cache has the names of libraries as texts. To
 * load the library at each start would take longer than most programs. */
static bool has_compiler(void)
{
    static const char name[] = "libnvrtc.so";
    uint8_t *cache;
    size_t length;
    if (wt_file_read("/etc/ld.so.cache", &cache, &length, WT_IGNORED))
        return false;
    const bool there = memmem(cache, length, name, strlen(name));
    free(cache);
    return there;
}

/* NVRTC over clang comes last, where none of NVIDIA's is installed. */
static bool offer_compiler(const char *folder)
{
    static const char *const places[] = {"../../cudapath/lib64", "cuda/lib64"};
    char path[PATH_MAX];
    if (has_compiler())
        return true;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        snprintf(path, sizeof path, "%s/%s/libnvrtc.so", folder, places[i]);
        if (access(path, R_OK) == 0) {
            *strrchr(path, '/') = 0;
            return wt_host_append("LD_LIBRARY_PATH", ':', path);
        }
    }
    return true;
}

static bool prepare(const struct wt_host_program *program, const char *folder)
{
    const unsigned capability = program->images.capability;
    char text[16];
    snprintf(text, sizeof text, "cc=%u.%u", capability / 10, capability % 10);
    return wt_host_find_libraries_in(folder) && offer_compiler(folder) &&
           wt_host_set_or_unset("WAVETRAP_SM_DEFAULT", capability ? text : NULL) &&
           (!program->checked || wt_host_preload_calls(folder, "libwavetrap-gomp.so")) &&
           (!program->own_library || wt_host_preload(folder, LIBCUDA));
}

/* See gcn_host.c: OpenMP. */
static bool wanted(const struct wt_host_program *program)
{
    return program->images.nvidia || !program->images.amd || program->logged;
}

const struct wt_host_driver wt_sm_host_driver = {
    .library = LIBCUDA,
    .built_in = "../runtime/cuda",
    .package = "",
    .functions_of = {LIBCUDA, "libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13"},
    .tested = "programs of others and our own",
    .gpus = "WAVETRAP_SM_GPUS",
    .name = "SM",
    .waves = "warps",
    .logs_calls = true,
    .prepare = prepare,
    .wanted = wanted};

const struct wt_family_task wt_sm_tasks[] = {
    {"run PTX and cubins", "", "", false},
    {"run programs on the CUDA driver API", "own:driver", "", true},
    {"compile CUDA C++", "own:cuda llvm:clang-#", "clang-# libclc-#", false},
    {"run GCC's OpenMP and OpenACC", "own:driver lib:libgomp-plugin-nvptx.so.1",
     "libgomp-plugin-nvptx1", true},
    {"compile GCC's OpenMP and OpenACC", "cmd:gcc-12 cmd:x86_64-linux-gnu-accel-nvptx-none-gcc-12",
     "gcc-12-offload-nvptx", false},
    {"run and compile clang's OpenMP",
     "own:driver own:cuda llvm:clang-#,/usr/lib/llvm-#/lib/libomptarget.so.#.1",
     "clang-# libclc-# libomp-#-dev libomp5-#", true},
    {0},
};
