/* libcuda: functions under their older names, which programs look up beside the newer ones. */
#define WAVETRAP_CUDA_NAMES_ONLY
#include "runtime/cuda/call.h"

/* No header declares what programs find here by its name. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

EXPORT CUresult cuLinkCreate(unsigned count, CUjit_option *options, void **values,
                             CUlinkState *state)
{
    return cuLinkCreate_v2(count, options, values, state);
}

EXPORT CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size,
                              const char *name, unsigned count, CUjit_option *options,
                              void **values)
{
    return cuLinkAddData_v2(state, type, data, size, name, count, options, values);
}

EXPORT CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path,
                              unsigned count, CUjit_option *options, void **values)
{
    return cuLinkAddFile_v2(state, type, path, count, options, values);
}

EXPORT CUresult cuEventDestroy(CUevent event)
{
    return cuEventDestroy_v2(event);
}

EXPORT CUresult cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule module,
                                  const char *name)
{
    return cuModuleGetGlobal_v2(address, bytes, module, name);
}

EXPORT CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, CUgraphNode *wrong, char *log,
                                   size_t size)
{
    return cuGraphInstantiate_v2(exec, graph, wrong, log, size);
}

EXPORT CUresult cuStreamBeginCapture(CUstream stream)
{
    return cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}
