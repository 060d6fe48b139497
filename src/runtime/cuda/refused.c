/*
 * libcuda: functions that some programs look up at their start and that need features missing here:
 * graphics, other processes, memory of other drivers, graphs of work. Each reports its name and
 * returns an error.
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
    char what[300];
    snprintf(what, sizeof what, "%s is refused: %s", name, why);
    call_refused(what);
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
REFUSED(cuDeviceGetLuid, "there are none but under Windows")
REFUSED(cuLaunchCooperativeKernelMultiDevice, "GPUs do not reach each other's memory")
REFUSED(cuImportExternalMemory, "no other driver has memory for the emulated GPU")
REFUSED(cuExternalMemoryGetMappedBuffer, "no other driver has memory for the emulated GPU")
REFUSED(cuExternalMemoryGetMappedMipmappedArray, "no other driver has memory for the emulated GPU")
REFUSED(cuDestroyExternalMemory, "no other driver has memory for the emulated GPU")
REFUSED(cuImportExternalSemaphore, "no other driver has work for the emulated GPU")
REFUSED(cuSignalExternalSemaphoresAsync, "no other driver has work for the emulated GPU")
REFUSED(cuWaitExternalSemaphoresAsync, "no other driver has work for the emulated GPU")
REFUSED(cuDestroyExternalSemaphore, "no other driver has work for the emulated GPU")
REFUSED(cuMemAddressReserve, "memory has its address from its allocation (cuMemAlloc)")
REFUSED(cuMemCreate, "memory has its address from its allocation (cuMemAlloc)")
REFUSED(cuMemMap, "memory has its address from its allocation (cuMemAlloc)")
REFUSED(cuMemPoolExportToShareableHandle, "an emulated GPU belongs to one process")
REFUSED(cuMemPoolImportFromShareableHandle, "an emulated GPU belongs to one process")
REFUSED(cuStreamBatchMemOp_v2, "write values one by one (cuStreamWriteValue32)")
REFUSED(cuStreamBeginCapture_v2, "there are no graphs: give the work to the stream each time")
REFUSED(cuStreamEndCapture, "there are no graphs: give the work to the stream each time")
REFUSED(cuGraphCreate, "there are no graphs: give the work to a stream each time")
REFUSED(cuGraphInstantiateWithFlags, "there are no graphs: give the work to a stream each time")
REFUSED(cuGraphLaunch, "there are no graphs: give the work to a stream each time")
REFUSED(cuGetExportTable,
        "the program has NVIDIA's own CUDA runtime in it, which needs undocumented tables of the "
        "driver; build it on the driver API, or with clang and wavetrap's runtime")
