/*
 * What the library of calls (calls.h), which stands before HIP and libgomp in a program that is
 * checked, needs of the driver, which has the process's table of objects.
 */
#ifndef WT_RUNTIME_HSAKMT_CHECKS_H
#define WT_RUNTIME_HSAKMT_CHECKS_H

#include "runtime/common/checked.h"

/** Who is told what libgomp does by the thread that does it; a member is not NULL. */
struct host_calls {
    /** It has memory of GPUs. */
    void (*allocated)(uint64_t addr, uint64_t size);
    /** It stores to a signal, which may launch a kernel. */
    void (*launching)(void);
};

struct host_checks {
    bool (*wants)(enum wt_check check);
    /* objects.h, checked.h */
    void (*made)(const void *space, uint64_t addr, uint64_t size, const char *by);
    bool (*find)(const void *space, uint64_t addr, struct wt_object *found,
                 struct wt_object *before, struct wt_object *behind);
    bool (*free)(const void *space, uint64_t addr, const char *by);
    bool (*forget)(const void *space, uint64_t addr, const char *by);
    void (*keep)(uint64_t addr, uint64_t size, wt_object_release_fn *release, void *context);
    bool (*release_kept)(void);
    uint64_t (*access)(const void *space, uint64_t addr, uint64_t size, enum wt_access access,
                       const char *by);
    void (*call)(enum wt_finding_kind kind, enum wt_severity severity,
                 const struct wt_object *object, const char *format, ...)
        __attribute__((format(printf, 4, 5)));
    void (*leaks)(bool (*is_leak)(const struct wt_object *object));
    /** Whether GPUs have memory at an address. */
    bool (*is_of_gpus)(uint64_t addr);
    /** Whether it is memory of the program alone. */
    bool (*is_of_host)(uint64_t addr);
    /** Lists the variables of code objects that have been loaded since. */
    void (*list_variables)(void);
    /** Tells @p calls from now on; it stays. */
    void (*listen)(const struct host_calls *calls);
};

/** The driver's name for it. */
#define HOST_CHECKS_NAME "wavetrap_checks"
extern const struct host_checks wavetrap_checks;

#endif
