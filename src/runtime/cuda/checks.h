/*
 * Checks of what a program does with libcuda and libcudart (runtime/common/checked.h). Nothing is
 * done without --check.
 */
#ifndef WT_RUNTIME_CUDA_CHECKS_H
#define WT_RUNTIME_CUDA_CHECKS_H

#include "runtime/common/checked.h"
#include "wavetrap/cuda.h"

/**
 * The function of libcudart or libcuda that the program has called, which is under way: "cudaFree".
 * @p usual, where that is not known, or where nothing is checked. Constant text.
 */
const char *checks_entry(const char *usual);

/** The allocation at @p address is freed only with its context: a leak. */
void checks_lost(uint64_t address);
/** Likewise of a handle. */
void checks_handle_lost(const void *handle);

/** Reports a release of @p address by function @p by, where no device memory is allocated. */
void checks_bad_free(uint64_t address, const char *by);

/** A function of libcuda has failed, with an error's name and description; @p caller: its return
 * address. Calls by libcudart, which tells of its own, and by runtimes of OpenMP are left out. */
void checks_failed(const char *name, const char *error, const char *text, void *caller);
/** A call that frees what begins at @p address has this result, which it returns. */
CUresult checks_free_fails(uint64_t address, CUresult result);
/** Reports as leaks what is not freed when the process ends. */
void checks_end(void);

/* ---- streams, events, modules, arrays ---- */

/** The program has a handle, by a function of libcuda, of something of @p size bytes. */
void checks_handle_made(const void *handle, uint64_t size, const char *usual);
/** It is destroyed: its memory is freed, at once or later. */
void checks_handle_gone(void *handle, const char *usual);
/** A call names a handle that there is not: it may have been there. */
void checks_handle_missed(const void *handle, const char *what);

/** The program has loaded a module; libcudart loads those that belong to the program. */
void checks_module_made(const void *module);

/* ---- for libcudart ---- */

/** A function of libcudart fails. @p error: its name and description. */
__attribute__((visibility("default"))) void wavetrap_cudart_failed(const char *name,
                                                                   const char *text);
/** A function of libcudart, or what it was to register, is not there: says so and why. */
__attribute__((visibility("default"))) void wavetrap_cudart_refused(const char *name,
                                                                    const char *why);
/** A copy has a direction that its addresses do not have. */
__attribute__((visibility("default"))) void
wavetrap_cudart_direction(const void *to, const void *from, size_t bytes);
/** A copy goes beyond a variable. */
__attribute__((visibility("default"))) void wavetrap_cudart_beyond(uint64_t address, size_t bytes,
                                                                   bool store);

#endif
