/* libcuda: functions by name, how modules are loaded, the profiler's switches ("CUDA Driver
 * API": 6.33, 6.36, 6.10). */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "runtime/cuda/state.h"

/* This library: programs may have other ones with functions of these names. */
static void *own_library(void)
{
    Dl_info info;
    return dladdr((void *)cuInit, &info) ? dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD) : NULL;
}

static void *find(const char *name, const char *version)
{
    char text[100];
    void *library = own_library();
    snprintf(text, sizeof text, "%s%s", name, version);
    void *found = library ? dlsym(library, text) : NULL;
    if (library)
        dlclose(library); /* it stays, for it is in use */
    return found;
}

/* The form of a function that a driver's version has: functions whose forms differ by more than the
 * width of their numbers, the newest form first, with the version that brought it. */
static const char *form_of(const char *name, int version)
{
    static const struct {
        const char *name;
        int since;
        const char *form;
    } later[] = {{"cuCtxCreate", 12050, "_v4"},
                 {"cuCtxCreate", 11040, "_v3"},
                 {"cuCtxGetDevice", 13000, "_v2"},
                 {"cuCtxSynchronize", 13000, "_v2"},
                 {"cuEventElapsedTime", 12080, "_v2"},
                 {"cuGetProcAddress", 12000, "_v2"},
                 {"cuGraphAddDependencies", 12030, "_v2"},
                 {"cuGraphAddKernelNode", 12000, "_v2"},
                 {"cuGraphAddNode", 12030, "_v2"},
                 {"cuGraphGetEdges", 12030, "_v2"},
                 {"cuGraphKernelNodeSetParams", 12000, "_v2"},
                 {"cuGraphKernelNodeGetParams", 12000, "_v2"},
                 {"cuGraphExecKernelNodeSetParams", 12000, "_v2"},
                 {"cuGraphExecUpdate", 12000, "_v2"},
                 {"cuGraphNodeGetDependencies", 12030, "_v2"},
                 {"cuGraphNodeGetDependentNodes", 12030, "_v2"},
                 {"cuGraphRemoveDependencies", 12030, "_v2"},
                 {"cuMemAdvise", 12020, "_v2"},
                 {"cuMemPrefetchAsync", 12020, "_v2"},
                 {"cuMemcpy3DBatchAsync", 13000, "_v2"},
                 {"cuMemcpyBatchAsync", 13000, "_v2"},
                 {"cuStreamGetCaptureInfo", 12030, "_v3"},
                 {"cuStreamGetCaptureInfo", 11030, "_v2"},
                 {"cuStreamGetCtx", 12050, "_v2"},
                 {"cuStreamUpdateCaptureDependencies", 12030, "_v2"}};
    bool differs = false;
    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
        if (strcmp(name, later[i].name) == 0) {
            if (version >= later[i].since)
                return later[i].form;
            differs = strcmp(name, "cuCtxCreate") != 0;
        }
    return !differs && version >= 3020 ? "_v2" : "";
}

static CUdriverProcAddressQueryResult look_up(const char *name, void **function, int version)
{
    if (strcmp(name, "cuGraphInstantiate") == 0 && version >= 12000)
        name = "cuGraphInstantiateWithFlags";
    *function = strncmp(name, "cu", 2) == 0 ? find(name, form_of(name, version)) : NULL;
    if (!*function && strncmp(name, "cu", 2) == 0)
        *function = find(name, "");
    return *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
}

/* `flags` choose between functions for the legacy default stream and for one of each thread, which
 * are the same here. */
API(cuGetProcAddress_v2, "\"%s\", *%p, %d, %llu, *%llu",
    (const char *, name, name ? name : "(null)"), (void **, function, HANDLE(function)),
    (int, version), (cuuint64_t, flags, (unsigned long long)flags),
    (CUdriverProcAddressQueryResult *, status, RESULT(status)))
{
    enum { FLAGS = 3 };
    if (!name || !function || flags & ~(cuuint64_t)FLAGS)
        return CUDA_ERROR_INVALID_VALUE;
    const CUdriverProcAddressQueryResult got = look_up(name, function, version);
    if (status)
        *status = got;
    return got && !status ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}

API(cuGetProcAddress, "\"%s\", *%p, %d, %llu", (const char *, name, name ? name : "(null)"),
    (void **, function, HANDLE(function)), (int, version),
    (cuuint64_t, flags, (unsigned long long)flags))
{
    return do_cuGetProcAddress_v2(name, function, version, flags, NULL);
}

API_IN(state_lock(), cuModuleGetLoadingMode, "*%llu", (CUmoduleLoadingMode *, mode, RESULT(mode)))
{
    if (mode)
        *mode = CU_MODULE_EAGER_LOADING;
    return mode ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* No profiler is there to be told; NVIDIA's driver does nothing, either, where none is. */
API(cuProfilerStart, "%s", (void, , ""))
{
    struct gpu *g;
    const CUresult result = state_enter(&g);
    return result ? result : state_leave(CUDA_SUCCESS);
}

API(cuProfilerStop, "%s", (void, , ""))
{
    return do_cuProfilerStart();
}
