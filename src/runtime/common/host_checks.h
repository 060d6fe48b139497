/*
 * The interface between a driver, which has the process's table of objects, and the library of
 * calls (calls.h), which stands before HIP and libgomp in a program that is checked.
 */
#ifndef WT_RUNTIME_COMMON_HOST_CHECKS_H
#define WT_RUNTIME_COMMON_HOST_CHECKS_H

#include "runtime/common/checked.h"

/** Who is told what libgomp does, by the thread that does it; a member is not NULL. */
struct wt_host_calls {
    /** It has memory of GPUs. Whether objects are cut from it: then it is none itself. */
    bool (*allocated)(uint64_t addr, uint64_t size);
    /** It may launch a kernel now. @p argument: the kernel's first one; 0: not known. */
    void (*launching)(uint64_t argument);
    /** Asked by the driver's thread: whether the kernel with these arguments must wait, since
     * launching() is still to come for it. */
    bool (*prepares)(uint64_t arguments);
};

/** For --check=race: the order of what a program gives to HIP's streams. Handles up to 2 are those
 * of the default streams; those of streams and events that nobody has told of are such, too. */
struct wt_host_order {
    /** A call begins, and ends: between calls the program's accesses are looked at. */
    void (*enter)(void);
    void (*leave)(void);
    /** A call gives an operation to a stream; it is the only one until given(). */
    void (*give)(const void *stream, const char *by, bool copies);
    /** The operation copies. Accesses of the runtime's kernels for it count as its own. */
    void (*by_kernels)(void);
    /** Its accesses, where they are to memory of GPUs. */
    void (*accesses)(uint64_t addr, uint64_t size, enum wt_access access);
    /** It was given: waits until GPUs have done all that they can. */
    void (*given)(void);
    void (*stream_made)(const void *stream, bool blocking);
    void (*gone)(const void *handle);
    void (*record)(const void *event, const void *stream);
    void (*stream_waits)(const void *stream, const void *event); /**< NULL: for all streams */
    /** The host waits. */
    void (*host_waits)(const void *stream);
    void (*host_waits_for_event)(const void *event);
    void (*host_waits_for_all)(void);
    /** Memory is made: for GPUs alone, or for both sides; or goes. */
    void (*memory_made)(uint64_t addr, uint64_t size, bool shared);
    void (*memory_gone)(uint64_t addr);
};

struct wt_host_checks {
    bool (*wants)(enum wt_check check);
    /* objects.h, checked.h */
    void (*made)(const void *space, uint64_t addr, uint64_t size, const char *by);
    /** As wt_object_find() without neighbours; not a freed object whose memory is something else
     * now. */
    bool (*find)(const void *space, uint64_t addr, struct wt_object *found);
    bool (*free)(const void *space, uint64_t addr, const char *by);
    uint64_t (*access)(const void *space, uint64_t addr, uint64_t size, enum wt_access access,
                       const char *by);
    /** wt_checked_copied() */
    void (*copied)(uint64_t to, uint64_t from, uint64_t size);
    /** Whether GPUs have memory at an address. */
    bool (*is_of_gpus)(uint64_t addr);
    /** Tells @p calls from now on; it stays. */
    void (*listen)(const struct wt_host_calls *calls);
    /** wt_results_end() */
    void (*results_end)(void);
    /* For HIP's functions; NULL: it is no driver of HIP. */
    bool (*forget)(const void *space, uint64_t addr, const char *by);
    void (*keep)(uint64_t addr, uint64_t size, wt_object_release_fn *release, void *context);
    bool (*release_kept)(void);
    void (*call)(enum wt_finding_kind kind, const struct wt_object *object, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
    void (*leaks)(bool (*is_leak)(const struct wt_object *object));
    /** A call that copies begins: the runtime may read memory of GPUs for it without the driver. */
    void (*copy_begins)(uint64_t to, uint64_t from, uint64_t size, const char *by);
    /** The thread's call that has begun last, if one has, has ended; @p done: with the copy. */
    void (*copy_ended)(bool done);
    /** Whether it is memory of the program alone. */
    bool (*is_of_host)(uint64_t addr);
    /** Lists the variables of code objects that have been loaded since. */
    void (*list_variables)(void);
    const struct wt_host_order *order;
    /** The allocation that HIP has made last in this thread since the last call; size 0: nothing.
     */
    struct wt_block (*allocated)(void);
};

/** The driver's name for it. */
#define WT_HOST_CHECKS_NAME "wavetrap_checks"
extern const struct wt_host_checks wavetrap_checks;

/** The maker (struct wt_object.by) of objects that libgomp maps. */
#define WT_HOST_MAPPED "map"

/* ---- for drivers ---- */

/** A part of wavetrap_checks. */
bool wt_host_find(const void *space, uint64_t addr, struct wt_object *found);
/** Likewise. */
void wt_host_listen(const struct wt_host_calls *calls);
/** Who listens; NULL: nobody. */
const struct wt_host_calls *wt_host_listener(void);

#endif
