/*
 * libcuda: functions that some programs look up at their start and that need features missing here:
 * graphics, other processes, memory of other drivers. Each reports its name and returns an error.
 */
#include <stdio.h>

#include "runtime/cuda/call.h"

#define REFUSED(name, why)                                                                         \
    EXPORT CUresult name(void)                                                                     \
    {                                                                                              \
        return refuse(#name, why);                                                                 \
    }

static CUresult refuse(const char *name, const char *why)
{
    fprintf(stderr, "wavetrap: libcuda: %s is refused: %s\n", name, why);
    if (call_logged())
        call_log(name, CUDA_ERROR_NOT_SUPPORTED, "%s", "");
    return CUDA_ERROR_NOT_SUPPORTED;
}

REFUSED(cuGLGetDevices_v2, "there is no OpenGL on the emulated GPU")
REFUSED(cuGraphicsGLRegisterImage, "there is no OpenGL on the emulated GPU")
REFUSED(cuGraphicsUnregisterResource, "there are no resources of graphics")
REFUSED(cuGraphicsMapResources, "there are no resources of graphics")
REFUSED(cuGraphicsUnmapResources, "there are no resources of graphics")
REFUSED(cuGraphicsSubResourceGetMappedArray, "there are no resources of graphics")
REFUSED(cuGraphicsResourceGetMappedPointer_v2, "there are no resources of graphics")
REFUSED(cuIpcGetMemHandle, "an emulated GPU belongs to one process")
REFUSED(cuIpcOpenMemHandle_v2, "an emulated GPU belongs to one process")
REFUSED(cuIpcCloseMemHandle, "an emulated GPU belongs to one process")
REFUSED(cuIpcGetEventHandle, "an emulated GPU belongs to one process")
REFUSED(cuIpcOpenEventHandle, "an emulated GPU belongs to one process")
REFUSED(cuMipmappedArrayCreate, "textures have one level")
REFUSED(cuMipmappedArrayGetLevel, "textures have one level")
REFUSED(cuMipmappedArrayDestroy, "textures have one level")
REFUSED(cuGetExportTable,
        "the program has NVIDIA's own CUDA runtime in it, which needs undocumented tables of the "
        "driver; build it on the driver API, or with clang and wavetrap's runtime")
