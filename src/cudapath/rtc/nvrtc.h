/*
 * NVRTC, NVIDIA's run-time compiler for CUDA C++ (NVRTC documentation 13.0, "User Interface"): the
 * declarations, in words of our own, as they lie in cuda-path's include, too.
 */
#ifndef WT_CUDAPATH_RTC_NVRTC_H
#define WT_CUDAPATH_RTC_NVRTC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    NVRTC_SUCCESS = 0,
    NVRTC_ERROR_OUT_OF_MEMORY = 1,
    NVRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
    NVRTC_ERROR_INVALID_INPUT = 3,
    NVRTC_ERROR_INVALID_PROGRAM = 4,
    NVRTC_ERROR_INVALID_OPTION = 5,
    NVRTC_ERROR_COMPILATION = 6,
    NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
    NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
    NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
    NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
    NVRTC_ERROR_INTERNAL_ERROR = 11,
    NVRTC_ERROR_TIME_FILE_WRITE_FAILED = 12,
    NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED = 13,
    NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED = 14,
    NVRTC_ERROR_PCH_CREATE = 15,
    NVRTC_ERROR_CANCELLED = 16,
    NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED = 17
} nvrtcResult;

typedef struct nvrtc_program *nvrtcProgram;

#define NVRTC_EXPORT __attribute__((visibility("default")))

NVRTC_EXPORT nvrtcResult nvrtcVersion(int *major, int *minor);
NVRTC_EXPORT nvrtcResult nvrtcGetNumSupportedArchs(int *count);
NVRTC_EXPORT nvrtcResult nvrtcGetSupportedArchs(int *archs);
NVRTC_EXPORT const char *nvrtcGetErrorString(nvrtcResult result);
NVRTC_EXPORT nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source,
                                            const char *name, int count, const char *const *headers,
                                            const char *const *names);
NVRTC_EXPORT nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program);
NVRTC_EXPORT nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count,
                                             const char *const *options);
NVRTC_EXPORT nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *size);
NVRTC_EXPORT nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *ptx);
NVRTC_EXPORT nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *size);
NVRTC_EXPORT nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *cubin);
NVRTC_EXPORT nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram program, size_t *size);
NVRTC_EXPORT nvrtcResult nvrtcGetLTOIR(nvrtcProgram program, char *code);
NVRTC_EXPORT nvrtcResult nvrtcGetOptiXIRSize(nvrtcProgram program, size_t *size);
NVRTC_EXPORT nvrtcResult nvrtcGetOptiXIR(nvrtcProgram program, char *code);
NVRTC_EXPORT nvrtcResult nvrtcGetNVVMSize(nvrtcProgram program, size_t *size);
NVRTC_EXPORT nvrtcResult nvrtcGetNVVM(nvrtcProgram program, char *code);
NVRTC_EXPORT nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *size);
NVRTC_EXPORT nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log);
NVRTC_EXPORT nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *expression);
NVRTC_EXPORT nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char *expression,
                                             const char **lowered);
NVRTC_EXPORT nvrtcResult nvrtcGetPCHHeapSize(size_t *size);
NVRTC_EXPORT nvrtcResult nvrtcSetPCHHeapSize(size_t size);
NVRTC_EXPORT nvrtcResult nvrtcGetPCHCreateStatus(nvrtcProgram program);
NVRTC_EXPORT nvrtcResult nvrtcGetPCHHeapSizeRequired(nvrtcProgram program, size_t *size);
NVRTC_EXPORT nvrtcResult nvrtcSetFlowCallback(nvrtcProgram program, int (*callback)(void *, void *),
                                              void *payload);

#ifdef __cplusplus
}
#endif

#endif
