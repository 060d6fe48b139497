/*
 * Results that calls which compile or link write back through their options ("CUDA Driver API":
 * 6.1, CUjit_option): logs of errors and information, how much of them is used, the time.
 */
#ifndef WT_RUNTIME_CUDA_JIT_LOG_H
#define WT_RUNTIME_CUDA_JIT_LOG_H

#include <stdbool.h>

#include "runtime/cuda/gpu.h"

/** One of the program's buffers. */
struct jit_buffer {
    char *text;   /**< NULL: the program gives none */
    size_t size;  /**< bytes */
    size_t used;  /**< bytes of text, without the null behind it */
    void **count; /**< the option's value, which becomes the bytes used; NULL: no such option */
};

/** The program's options. Their memory is the program's, and must live as long as this. */
struct jit_log {
    struct jit_buffer error, info;
    bool verbose;        /**< information about kernels is wanted */
    void **wall_time;    /**< becomes milliseconds, a float; NULL: not wanted */
    uint64_t began_ns;   /**< host time */
    uint64_t earlier_ns; /**< spent in earlier calls on the same linker state */
};

/** Whether a call that counts options gives none: its error is CUDA_ERROR_INVALID_VALUE. */
bool jit_log_lacks(unsigned count, const CUjit_option *options, void **values);
/** Finds the options among the @p count of a call; text buffers become empty, counts 0. */
void jit_log_find(unsigned count, const CUjit_option *options, void **values, struct jit_log *log);
/** Notes the begin of a call, for the time. */
void jit_log_begin(struct jit_log *log);
/** Writes the time of the calls so far back. */
void jit_log_end(struct jit_log *log);
/**
 * Adds a mistake to the program's log for errors as a line "error: TEXT" or, without such a log,
 * writes it to stderr. Returns @p result.
 */
CUresult jit_log_mistake(struct jit_log *log, CUresult result, const struct wt_error *err);
/** Adds a line to the log for information for each kernel of linked PTX, if that is wanted. */
void jit_log_kernels(struct jit_log *log, const struct sm_ptx *image);

#endif
