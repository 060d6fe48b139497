/* HIP, OpenMP and OpenACC programs: AMD's runtime reaches the driver through libhsakmt. */
#include "target/gcn.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "target/host_program.h"

#define HSAKMT "libhsakmt.so.1"

/* AMD's runtime writes code to a file in a temporary folder, and dies by SIGSEGV where it cannot.
 */
static void check_temporary_folder(void)
{
    const char *folder = getenv("TMPDIR");
    struct stat info;
    if (!folder || !*folder)
        return;
    const bool found = !stat(folder, &info) && (S_ISDIR(info.st_mode) || !(errno = ENOTDIR));
    if (!found || access(folder, W_OK | X_OK))
        fprintf(stderr,
                "wavetrap exec: TMPDIR=%s: %s: HIP's runtime needs a folder for temporary files, "
                "and may die by SIGSEGV without one\n",
                folder, strerror(errno));
}

static bool prepare(const struct wt_host_program *program, const char *folder)
{
    const char *name = strrchr(program->name, '/');
    /* Our report of a memory fault says more than the runtime's, in fewer lines. */
    if (!wt_host_find_libraries_in(folder) || setenv("HSA_ENABLE_VM_FAULT_MESSAGE", "0", 0))
        return false;
    check_temporary_folder();
    /* The library is a tool of the HSA runtime, too: waits.c. */
    if (!wt_host_append("HSA_TOOLS_LIB", ' ', HSAKMT))
        return false;
    /* rocminfo checks whether the kernel module is loaded. */
    if (strcmp(name ? name + 1 : program->name, "rocminfo") == 0 &&
        !wt_host_preload(folder, "libwavetrap-rocminfo.so"))
        return false;
    /* Programs that open the driver's device files themselves. */
    if (!wt_host_preload(folder, "libwavetrap-kfd.so"))
        return false;
    /* Functions of HIP and libgomp. AMD's runtime is not to cut small buffers from larger ones. */
    if (program->checked && (!wt_host_preload_calls(folder, "libwavetrap-calls.so") ||
                             setenv("HSA_DISABLE_FRAGMENT_ALLOCATOR", "1", 1)))
        return false;
    return !program->own_library || wt_host_preload(folder, HSAKMT);
}

/*
 * OpenMP's device 0 is the first GPU that the runtime finds, whether the program has code for it or
 * not (GCC's runtime asks for AMD's first). If it has none, the region silently runs on the host.
 * So a program that has code for one vendor only sees only that vendor's GPU. Others (scripts,
 * programs whose code is in libraries) see all GPUs.
 */
static bool wanted(const struct wt_host_program *program)
{
    return program->images.amd || !program->images.nvidia;
}

/* GCC's OpenMP asks for AMD's GPUs in any case, and reports where it finds no driver for them: it
 * does not where it finds no runtime. */
static bool absent(const struct wt_host_program *program, const char *folder)
{
    return !setenv("HSA_RUNTIME_LIB", "none", 0);
}

const struct wt_host_driver wt_gcn_host_driver = {.library = HSAKMT,
                                                  .built_in = "../runtime/kfd",
                                                  .package = "libhsakmt-dev",
                                                  .functions_of = {HSAKMT},
                                                  .tested = "Debian's HIP and HSA runtimes",
                                                  .gpus = "WAVETRAP_GPUS",
                                                  .name = "gfx900",
                                                  .waves = "waves",
                                                  .prepare = prepare,
                                                  .wanted = wanted,
                                                  .absent = absent};

const struct wt_family_task wt_gcn_tasks[] = {
    {"run code objects", "", "", false},
    {"run HIP programs", "own:driver lib:libamdhip64.so.5 lib:libhsa-runtime64.so.1",
     "libhsakmt-dev libamdhip64-5 libhsa-runtime64-1", true},
    {"compile HIP", "cmd:hipcc", "hipcc libamdhip64-dev rocm-device-libs", false},
    {"compile OpenCL C", "llvm:clang-#,ld.lld-# file:/usr/lib/x86_64-linux-gnu/amdgcn",
     "clang-# lld-# rocm-device-libs", false},
    {"run GCC's OpenMP and OpenACC",
     "own:driver lib:libhsa-runtime64.so.1 lib:libgomp-plugin-gcn.so.1",
     "libhsakmt-dev libhsa-runtime64-1 libgomp-plugin-amdgcn1", true},
    {"compile GCC's OpenMP and OpenACC",
     "cmd:gcc-12 cmd:x86_64-linux-gnu-accel-amdgcn-amdhsa-gcc-12", "gcc-12-offload-amdgcn", false},
    {"disassemble in reports", "llvm:/usr/lib/x86_64-linux-gnu/libLLVM.so.#.1", "libllvm#", false},
    {0},
};
