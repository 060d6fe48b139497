/* libcudart: errors. See cudart.h. */
#include "runtime/cuda/checks.h"
#include "runtime/cudart/cudart.h"

static _Thread_local cudaError_t last;

cudaError_t cudart_result(cudaError_t error)
{
    if (error && error != cudaErrorNotReady) {
        last = error;
        wavetrap_cudart_failed(cudaGetErrorName(error), cudaGetErrorString(error));
    }
    return error;
}

cudaError_t cudart_of(CUresult result)
{
    return cudart_result((cudaError_t)result);
}

EXPORT cudaError_t cudaGetLastError(void)
{
    const cudaError_t error = last;
    last = cudaSuccess;
    return error;
}

EXPORT cudaError_t cudaPeekAtLastError(void)
{
    return last;
}

static const struct {
    cudaError_t error;
    const char *name, *text;
} errors[] = {
#define E(name, text)                                                                              \
    {                                                                                              \
        name, #name, text                                                                          \
    }
    E(cudaSuccess, "no error"),
    E(cudaErrorInvalidValue, "invalid argument"),
    E(cudaErrorMemoryAllocation, "out of memory"),
    E(cudaErrorInitializationError, "initialization error"),
    E(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    E(cudaErrorInvalidPitchValue, "invalid pitch argument"),
    E(cudaErrorInvalidSymbol, "invalid device symbol"),
    E(cudaErrorInvalidDevicePointer, "invalid device pointer"),
    E(cudaErrorInvalidTexture, "invalid texture reference"),
    E(cudaErrorInvalidChannelDescriptor, "invalid channel descriptor"),
    E(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    E(cudaErrorMissingConfiguration, "__global__ function call is not configured"),
    E(cudaErrorInvalidDeviceFunction, "invalid device function"),
    E(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    E(cudaErrorInvalidDevice, "invalid device ordinal"),
    E(cudaErrorInvalidKernelImage, "device kernel image is invalid"),
    E(cudaErrorDeviceUninitialized, "invalid device context"),
    E(cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the device"),
    E(cudaErrorPeerAccessUnsupported, "peer access is not supported between these two devices"),
    E(cudaErrorInvalidPtx, "a PTX JIT compilation failed"),
    E(cudaErrorFileNotFound, "file not found"),
    E(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    E(cudaErrorSymbolNotFound, "named symbol not found"),
    E(cudaErrorNotReady, "device not ready"),
    E(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    E(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    E(cudaErrorAssert, "device-side assert triggered"),
    E(cudaErrorHostMemoryAlreadyRegistered,
      "part or all of the requested memory range is already mapped"),
    E(cudaErrorHostMemoryNotRegistered,
      "pointer does not correspond to a registered memory region"),
    E(cudaErrorHardwareStackError, "hardware stack error"),
    E(cudaErrorIllegalInstruction, "an illegal instruction was encountered"),
    E(cudaErrorMisalignedAddress, "misaligned address"),
    E(cudaErrorInvalidPc, "invalid program counter"),
    E(cudaErrorLaunchFailure, "unspecified launch failure"),
    E(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    E(cudaErrorCudartUnloading, "driver shutting down"),
    E(cudaErrorInvalidHostPointer, "invalid host pointer"),
    E(cudaErrorInvalidTextureBinding, "texture is not bound to a pointer"),
    E(cudaErrorInsufficientDriver, "CUDA driver version is insufficient for CUDA runtime version"),
    E(cudaErrorDevicesUnavailable, "CUDA-capable devices are busy or unavailable"),
    E(cudaErrorUnsupportedLimit, "limit is not supported on this architecture"),
    E(cudaErrorIllegalState, "the operation cannot be performed in the present state"),
    E(cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
    E(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    E(cudaErrorPeerAccessNotEnabled, "peer access has not been enabled"),
    E(cudaErrorSetOnActiveProcess, "cannot set while device is active in this process"),
    E(cudaErrorContextIsDestroyed, "context is destroyed"),
    E(cudaErrorInvalidAddressSpace, "operation not supported on global/shared address space"),
    E(cudaErrorNotPermitted, "operation not permitted"),
    E(cudaErrorNotSupported, "operation not supported"),
    E(cudaErrorProfilerDisabled, "the profiler is switched off"),
    E(cudaErrorAddressOfConstant, "the address of a constant cannot be taken"),
    E(cudaErrorTextureFetchFailed, "a texture could not be fetched"),
    E(cudaErrorTextureNotBound, "the texture is not bound"),
    E(cudaErrorSynchronizationError, "synchronization failed"),
    E(cudaErrorInvalidFilterSetting, "invalid filter mode for this texture"),
    E(cudaErrorInvalidNormSetting, "invalid normalization for this texture"),
    E(cudaErrorMixedDeviceExecution, "code of host and device cannot be mixed"),
    E(cudaErrorNotYetImplemented, "not implemented"),
    E(cudaErrorMemoryValueTooLarge, "the value is too large for an address"),
    E(cudaErrorStubLibrary, "the CUDA driver is a stub library"),
    E(cudaErrorCallRequiresNewerDriver, "the call needs a newer CUDA driver"),
    E(cudaErrorInvalidSurface, "invalid surface"),
    E(cudaErrorDuplicateVariableName, "two variables have the same name"),
    E(cudaErrorDuplicateTextureName, "two textures have the same name"),
    E(cudaErrorDuplicateSurfaceName, "two surfaces have the same name"),
    E(cudaErrorIncompatibleDriverContext, "the context of the driver does not fit"),
    E(cudaErrorPriorLaunchFailure, "an earlier launch failed"),
    E(cudaErrorLaunchMaxDepthExceeded, "launches from kernels are nested too deeply"),
    E(cudaErrorLaunchFileScopedTex, "a launch from a kernel uses a texture of file scope"),
    E(cudaErrorLaunchFileScopedSurf, "a launch from a kernel uses a surface of file scope"),
    E(cudaErrorSyncDepthExceeded, "synchronization in kernels is nested too deeply"),
    E(cudaErrorLaunchPendingCountExceeded, "too many launches from kernels are pending"),
    E(cudaErrorStartupFailure, "the runtime could not start"),
    E(cudaErrorMapBufferObjectFailed, "a buffer of graphics could not be mapped"),
    E(cudaErrorUnmapBufferObjectFailed, "a buffer of graphics could not be unmapped"),
    E(cudaErrorArrayIsMapped, "the array is mapped"),
    E(cudaErrorAlreadyMapped, "the resource is mapped already"),
    E(cudaErrorAlreadyAcquired, "the resource is acquired already"),
    E(cudaErrorNotMapped, "the resource is not mapped"),
    E(cudaErrorNotMappedAsArray, "the resource is not mapped as an array"),
    E(cudaErrorNotMappedAsPointer, "the resource is not mapped as a pointer"),
    E(cudaErrorECCUncorrectable, "memory has an error that cannot be corrected"),
    E(cudaErrorDeviceAlreadyInUse, "another thread uses the device exclusively"),
    E(cudaErrorInvalidGraphicsContext, "invalid context of graphics"),
    E(cudaErrorNvlinkUncorrectable, "NVLink has an error that cannot be corrected"),
    E(cudaErrorJitCompilerNotFound, "the PTX JIT compiler is not there"),
    E(cudaErrorUnsupportedPtxVersion, "the PTX is of a newer version than the JIT compiler"),
    E(cudaErrorInvalidSource, "the source of the kernel is invalid"),
    E(cudaErrorSharedObjectSymbolNotFound, "a symbol of a shared library is not there"),
    E(cudaErrorSharedObjectInitFailed, "a shared library could not be initialized"),
    E(cudaErrorOperatingSystem, "a call of the operating system failed"),
    E(cudaErrorLaunchIncompatibleTexturing, "the textures of the launch do not fit the kernel"),
    E(cudaErrorTooManyPeers, "too many peers are mapped"),
    E(cudaErrorSystemNotReady, "the system is not ready"),
    E(cudaErrorSystemDriverMismatch, "display driver and CUDA driver do not fit"),
    E(cudaErrorStreamCaptureUnsupported, "not permitted while the stream is captured"),
    E(cudaErrorStreamCaptureInvalidated, "the capture of the stream is invalid"),
    E(cudaErrorStreamCaptureMerge, "two captures would become one"),
    E(cudaErrorStreamCaptureUnmatched, "the capture began in another stream"),
    E(cudaErrorStreamCaptureUnjoined, "a stream of the capture was not joined"),
    E(cudaErrorStreamCaptureIsolation, "a stream that is captured waits for other work"),
    E(cudaErrorStreamCaptureImplicit, "the default stream would become part of a capture"),
    E(cudaErrorCapturedEvent, "the event was recorded in a stream that is captured"),
    E(cudaErrorStreamCaptureWrongThread, "the capture began in another thread"),
    E(cudaErrorGraphExecUpdateFailure, "the graph differs from the one that was instantiated"),
    E(cudaErrorApiFailureBase, "an error of the driver, of old runtimes"),
    E(cudaErrorUnknown, "unknown error"),
#undef E
};

EXPORT const char *cudaGetErrorName(cudaError_t error)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (errors[i].error == error)
            return errors[i].name;
    return "unrecognized error code";
}

EXPORT const char *cudaGetErrorString(cudaError_t error)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (errors[i].error == error)
            return errors[i].text;
    return "unrecognized error code";
}
