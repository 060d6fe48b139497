/* The log of calls, and the names of results. See call.h. */
#include "runtime/cuda/call.h"

#include <stdarg.h>
#include <stdio.h>

#include "runtime/cuda/checks.h"

static const struct {
    CUresult result;
    const char *name, *text;
} errors[] = {
#define E(name, text)                                                                              \
    {                                                                                              \
        name, #name, text                                                                          \
    }
    E(CUDA_SUCCESS, "no error"),
    E(CUDA_ERROR_INVALID_VALUE, "invalid argument"),
    E(CUDA_ERROR_OUT_OF_MEMORY, "out of memory"),
    E(CUDA_ERROR_NOT_INITIALIZED, "initialization error"),
    E(CUDA_ERROR_DEINITIALIZED, "driver shutting down"),
    E(CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected"),
    E(CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"),
    E(CUDA_ERROR_INVALID_IMAGE, "device kernel image is invalid"),
    E(CUDA_ERROR_INVALID_CONTEXT, "invalid device context"),
    E(CUDA_ERROR_NO_BINARY_FOR_GPU, "no kernel image is available for execution on the device"),
    E(CUDA_ERROR_UNSUPPORTED_LIMIT, "limit is not supported on this architecture"),
    E(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, "peer access is not supported between these two devices"),
    E(CUDA_ERROR_INVALID_PTX, "a PTX JIT compilation failed"),
    E(CUDA_ERROR_INVALID_SOURCE, "device kernel image is invalid"),
    E(CUDA_ERROR_FILE_NOT_FOUND, "file not found"),
    E(CUDA_ERROR_INVALID_HANDLE, "invalid resource handle"),
    E(CUDA_ERROR_ILLEGAL_STATE, "the operation cannot be performed in the present state"),
    E(CUDA_ERROR_NOT_FOUND, "named symbol not found"),
    E(CUDA_ERROR_NOT_READY, "device not ready"),
    E(CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory access was encountered"),
    E(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "too many resources requested for launch"),
    E(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, "peer access is already enabled"),
    E(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, "peer access has not been enabled"),
    E(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, "cannot set while device is active in this process"),
    E(CUDA_ERROR_CONTEXT_IS_DESTROYED, "context is destroyed"),
    E(CUDA_ERROR_ASSERT, "device-side assert triggered"),
    E(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
      "part or all of the requested memory range is already mapped"),
    E(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
      "pointer does not correspond to a registered memory region"),
    E(CUDA_ERROR_HARDWARE_STACK_ERROR, "hardware stack error"),
    E(CUDA_ERROR_ILLEGAL_INSTRUCTION, "an illegal instruction was encountered"),
    E(CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address"),
    E(CUDA_ERROR_INVALID_PC, "invalid program counter"),
    E(CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure"),
    E(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "too many blocks in cooperative launch"),
    E(CUDA_ERROR_NOT_SUPPORTED, "operation not supported"),
    E(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "not permitted while the stream is captured"),
    E(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "the capture of the stream is invalid"),
    E(CUDA_ERROR_STREAM_CAPTURE_MERGE, "two captures would become one"),
    E(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, "the capture began in another stream"),
    E(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "a stream of the capture was not joined"),
    E(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, "a stream that is captured waits for other work"),
    E(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "the default stream would become part of a capture"),
    E(CUDA_ERROR_CAPTURED_EVENT, "the event was recorded in a stream that is captured"),
    E(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, "the capture began in another thread"),
    E(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, "the graph differs from the one that was instantiated"),
    E(CUDA_ERROR_UNKNOWN, "unknown error"),
#undef E
};

const char *call_error_name(CUresult error, const char **text)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (errors[i].result == error) {
            *text = errors[i].text;
            return errors[i].name;
        }
    return *text = NULL;
}

void call_log(const char *name, CUresult result, const char *format, ...)
{
    char values[400];
    const char *text, *said = call_error_name(result, &text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(values, sizeof values, format, arguments);
    va_end(arguments);
    if (said)
        call_note("%s(%s) = %s", name, values, said);
    else
        call_note("%s(%s) = %d", name, values, (int)result);
}

void call_refused(const char *what)
{
    fprintf(stderr, "wavetrap: libcuda: %s\n", what);
}

void call_failed(const char *name, CUresult result, void *caller)
{
    const char *text, *error = call_error_name(result, &text);
    if (result != CUDA_ERROR_NOT_READY)
        checks_failed(name, error ? error : "?", text ? text : "?", caller);
}
