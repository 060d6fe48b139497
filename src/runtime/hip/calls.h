/* Shared by the files whose functions stand before those of HIP (hip_runtime_api.h, parts of which
 * are C++). */
#ifndef WT_RUNTIME_HIP_CALLS_H
#define WT_RUNTIME_HIP_CALLS_H

#include <stdatomic.h>
#include <string.h>

#include "runtime/common/calls.h"

enum {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NO_HIP = 3, /* hipErrorNotInitialized */
    INVALID_HANDLE = 400,
    NOT_READY = 600,
};
#define LOOK_UP(function, name) CALLS_LOOK_UP(function, name, "libamdhip64.so.5")

/** The space of streams as objects. */
extern const char hip_streams;
/** How many streams are captured: as long as one is, nobody follows the order. */
extern atomic_uint hip_captured;

/** Who follows the order of what is given to streams (host_checks.h); NULL: nobody. */
const struct wt_host_order *hip_order(void);
/** A function of HIP is about to be called. */
void hip_enter(void);
/** It was, and has returned @p result, which is noted if it refuses. Returns it. */
int hip_leave(const char *name, int result);
/** An operation is given to a stream by function @p by, which copies or fills if @p copies. It is
 * the thread's until hip_given(). */
void hip_give(void *stream, const char *by, bool copies);
/** Likewise for function @p by, which copies to or from an array. Accesses of HIP's own kernels for
 * it count as its own. */
void hip_give_array(void *stream, const char *by);
/** It accesses memory; NULL: none. */
void hip_accesses(const void *p, size_t size, enum wt_access access);
/** It was given, and HIP has said @p result; @p waits: the host waits for it. Returns the result.
 */
int hip_given(int result, void *stream, bool waits);
/** Whether a stream, an event or a module was destroyed before, which is reported; and whether the
 * call is to fail. */
bool hip_is_destroyed(const void *space, const void *handle, const char *what, const char *by);

/** Begins the definition of a function; CALL calls HIP's. */
#define FUNCTION(name, ...)                                                                        \
    static int (*_Atomic real_##name)(__VA_ARGS__);                                                \
    __attribute__((visibility("default"))) int name(__VA_ARGS__)
#define CALL(name, ...)                                                                            \
    (LOOK_UP(real_##name, #name) ? (hip_enter(), hip_leave(#name, real_##name(__VA_ARGS__)))       \
                                 : NO_HIP)
#define UNPACK(...) __VA_ARGS__

#endif
