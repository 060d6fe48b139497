/*
 * How the functions of libcuda are written: API(name, (parameters), (arguments), format, values…)
 * { body }. Where WAVETRAP_LOG_CALLS is set, each call is logged with its values and result. Our
 * own functions call do_NAME, which logs nothing.
 */
#ifndef WT_RUNTIME_CUDA_CALL_H
#define WT_RUNTIME_CUDA_CALL_H

#include "runtime/common/call_log.h"
#include "wavetrap/cuda.h"

#define API(name, format, ...)                                                                     \
    static __attribute__((noinline)) CUresult do_##name(CALL_PARAMETERS(__VA_ARGS__));             \
    EXPORT CUresult name(CALL_PARAMETERS(__VA_ARGS__))                                             \
    {                                                                                              \
        const CUresult result_ = do_##name(CALL_NAMES(__VA_ARGS__));                               \
        if (result_ != CUDA_SUCCESS)                                                               \
            call_failed(#name, result_, __builtin_return_address(0));                              \
        if (call_logged())                                                                         \
            call_log(#name, result_, format CALL_VALUES(__VA_ARGS__));                             \
        return result_;                                                                            \
    }                                                                                              \
    static CUresult do_##name(CALL_PARAMETERS(__VA_ARGS__))

/**
 * Begins an API of which all is done between @p enter, an expression of a function of state.h that
 * takes the lock and sets `g`, and state_leave(): the body returns the result. Where @p enter
 * fails, its result is the API's.
 */
#define API_IN(enter, name, format, ...)                                                           \
    static CUresult in_##name(struct gpu *g, CALL_PARAMETERS(__VA_ARGS__));                        \
    API(name, format, __VA_ARGS__)                                                                 \
    {                                                                                              \
        struct gpu *g = NULL;                                                                      \
        const CUresult result_ = enter;                                                            \
        return result_ ? result_ : state_leave(in_##name(g, CALL_NAMES(__VA_ARGS__)));             \
    }                                                                                              \
    static CUresult in_##name(struct gpu *g, CALL_PARAMETERS(__VA_ARGS__))

/** Tells checks that a function has failed; @p caller: its return address. */
void call_failed(const char *name, CUresult result, void *caller);

/** Logs a call as "NAME(values) = RESULT"; the values are formatted as by printf. */
void call_log(const char *name, CUresult result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/** Says on stderr what is refused, and why. Returns CUDA_ERROR_NOT_SUPPORTED. */
CUresult call_refused(const char *what);
/** The name of a result ("CUDA_SUCCESS"), and its description for people. NULL, and NULL: there is
 * no such result. */
const char *call_error_name(CUresult error, const char **text);

#endif
