/* OpenCL and Level Zero programs: Intel's runtime opens a render node. */
#include "target/gen.h"

#include <stdlib.h>
#include <unistd.h>

#include "target/host_program.h"

#define INTEL_ICD "/etc/OpenCL/vendors/intel.icd"

/* Where the user has named GPUs, OpenCL's loader shows no others: our folders have no .icd. */
static bool absent(const struct wt_host_program *program, const char *folder)
{
    return !program->chosen || !setenv("OCL_ICD_VENDORS", folder, 0);
}

/* Intel's runtime waits actively for a kernel, for milliseconds, where its GPU's driver does not
 * say otherwise: a thread that waits gives way and looks, again and again, while the emulation
 * needs the core. With these keys of its own it asks the driver to wait after some microseconds. */
static bool wait_quietly(void)
{
    static const char *const keys[][2] = {{"NEOReadDebugKeys", "1"},
                                          {"OverrideEnableKmdNotify", "1"},
                                          {"OverrideKmdNotifyDelayMicroseconds", "50"},
                                          {"OverrideEnableQuickKmdSleep", "1"},
                                          {"OverrideQuickKmdSleepDelayMicroseconds", "20"}};
    bool good = true;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        good &= !setenv(keys[i][0], keys[i][1], 0);
    return good;
}

/* OpenCL's loader shows no implementation but Intel's, so that it is platform 0. */
static bool prepare(const struct wt_host_program *program, const char *folder)
{
    if (access(INTEL_ICD, R_OK) == 0 ? setenv("OCL_ICD_VENDORS", INTEL_ICD, 0)
                                     : !absent(program, folder))
        return false;
    /* pyopencl keeps binaries of programs. Those of a debugger's session are compiled for
     * debugging, and the session has no source text for those of an earlier one. */
    if (getenv("WAVETRAP_HELD") && setenv("PYOPENCL_NO_CACHE", "1", 0))
        return false;
    /* Programs in Intel's cache have no source lines. */
    if ((getenv("WAVETRAP_HELD") || program->checked) && getenv("cl_cache_dir") &&
        setenv("cl_cache_dir", "/dev/null", 1))
        return false;
    return wait_quietly() && wt_host_preload(folder, "libwavetrap-drm.so");
}

const struct wt_host_driver wt_gen_host_driver = {.library = "libwavetrap-drm.so",
                                                  .built_in = "../runtime/i915",
                                                  .package = "libdrm-dev",
                                                  .gpus = "WAVETRAP_GEN_GPUS",
                                                  .name = "Gen9",
                                                  .waves = "threads",
                                                  .prepare = prepare,
                                                  .absent = absent};

const struct wt_family_task wt_gen_tasks[] = {
    {"run kernels of zebins", "", "", false},
    {"run OpenCL programs", "own:driver lib:libOpenCL.so.1 file:/etc/OpenCL/vendors/intel.icd",
     "libdrm-dev ocl-icd-libopencl1 intel-opencl-icd", true},
    {"compile OpenCL programs", "file:/usr/include/CL/cl.h lib:libOpenCL.so", "ocl-icd-opencl-dev",
     false},
    {"run Level Zero programs", "own:driver lib:libze_loader.so.1 lib:libze_intel_gpu.so.1",
     "libdrm-dev libze1 intel-opencl-icd", true},
    {"compile OpenCL C to zebins", "cmd:ocloc", "intel-opencl-icd", false},
    {0},
};
