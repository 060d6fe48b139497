/*
 * libNVVM, NVIDIA's compiler of NVVM IR to PTX (libNVVM API 13.0): the declarations, in words of
 * our own, as they lie in cuda-path's include, too.
 */
#ifndef WT_CUDAPATH_RTC_NVVM_H
#define WT_CUDAPATH_RTC_NVVM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    NVVM_SUCCESS = 0,
    NVVM_ERROR_OUT_OF_MEMORY = 1,
    NVVM_ERROR_PROGRAM_CREATION_FAILURE = 2,
    NVVM_ERROR_IR_VERSION_MISMATCH = 3,
    NVVM_ERROR_INVALID_INPUT = 4,
    NVVM_ERROR_INVALID_PROGRAM = 5,
    NVVM_ERROR_INVALID_IR = 6,
    NVVM_ERROR_INVALID_OPTION = 7,
    NVVM_ERROR_NO_MODULE_IN_PROGRAM = 8,
    NVVM_ERROR_COMPILATION = 9,
    NVVM_ERROR_CANCELLED = 10
} nvvmResult;

typedef struct nvvm_program *nvvmProgram;

#define NVVM_EXPORT __attribute__((visibility("default")))

NVVM_EXPORT const char *nvvmGetErrorString(nvvmResult result);
NVVM_EXPORT nvvmResult nvvmVersion(int *major, int *minor);
NVVM_EXPORT nvvmResult nvvmIRVersion(int *major, int *minor, int *debug_major, int *debug_minor);
NVVM_EXPORT nvvmResult nvvmCreateProgram(nvvmProgram *program);
NVVM_EXPORT nvvmResult nvvmDestroyProgram(nvvmProgram *program);
NVVM_EXPORT nvvmResult nvvmAddModuleToProgram(nvvmProgram program, const char *bytes, size_t size,
                                              const char *name);
NVVM_EXPORT nvvmResult nvvmLazyAddModuleToProgram(nvvmProgram program, const char *bytes,
                                                  size_t size, const char *name);
NVVM_EXPORT nvvmResult nvvmCompileProgram(nvvmProgram program, int count, const char **options);
NVVM_EXPORT nvvmResult nvvmVerifyProgram(nvvmProgram program, int count, const char **options);
NVVM_EXPORT nvvmResult nvvmGetCompiledResultSize(nvvmProgram program, size_t *size);
NVVM_EXPORT nvvmResult nvvmGetCompiledResult(nvvmProgram program, char *ptx);
NVVM_EXPORT nvvmResult nvvmGetProgramLogSize(nvvmProgram program, size_t *size);
NVVM_EXPORT nvvmResult nvvmGetProgramLog(nvvmProgram program, char *log);
NVVM_EXPORT void nvvmDisableConcurrentAPI(void);

#ifdef __cplusplus
}
#endif

#endif
