/*
 * The check of memory: judges the accesses of a machine's waves (machine/judge.h) by the table of
 * objects, and reports those that must not be.
 */
#ifndef WT_CHECK_MEMORY_H
#define WT_CHECK_MEMORY_H

#include "check/finding.h"
#include "check/names.h"
#include "emulator/machine/observe.h"

/** The name of the function that has made objects of a device's heap. */
#define WT_CHECK_HEAP "malloc in a kernel"

/** Takes a finding, whose counts are of one access; called on the thread that runs the machine. */
typedef void wt_found_fn(void *context, const struct wt_finding *finding);

struct wt_archive;
struct wt_check_memory;
struct wt_check_start;
struct wt_machine;
struct wt_origin;

/** Judges the accesses of the machine from now on; its CONSTANT memory has the addresses of the
 * space, too, which wt_check_memory_set_space() changes. */
struct wt_check_memory *wt_check_memory_begin(const struct wt_check_start *start);
/**
 * Repeats, for a machine whose recorded run was read from a core file, what a judge has decided in
 * that run, which the archive has; it decides nothing anew. NULL: the archive has failed, or there
 * is no host memory. The caller ends it before the machine ends.
 */
struct wt_check_memory *wt_check_memory_repeat(struct wt_machine *m, struct wt_archive *a);
/** Other addresses are valid from now on; the machine is judged again where its owner has taken
 * its judge away. */
void wt_check_memory_set_space(struct wt_check_memory *c, const void *space);
/** Whether an access outside of the objects is no mistake; @p near: the nearest object, size 0:
 * none. A @p size of WT_PAGE_SIZE, at a page's begin: whether any access of that page is none. */
typedef bool wt_check_allows_fn(void *context, uint64_t addr, unsigned size, bool write,
                                const struct wt_object *near);
/** Asks @p allows, too. */
void wt_check_memory_set_allows(struct wt_check_memory *c, wt_check_allows_fn *allows,
                                void *context);
/**
 * The variable from whose address the code at @p pc makes that of an access to memory of @p space,
 * where it is no variable at a fixed address of GLOBAL memory, or one whose address is shared
 * (names.h). `first` is what the constant of @p origin is compared with. False: none is known.
 */
typedef bool wt_check_variable_fn(void *context, enum wt_observed_space space, uint64_t pc,
                                  const struct wt_origin *origin, struct wt_known_variable *v);
/** Asks @p variable for variables of stacks and groups. */
void wt_check_memory_set_variables(struct wt_check_memory *c, wt_check_variable_fn *variable,
                                   void *context);
/** Stacks of threads, one beside the other: that of thread N, as waves and their lanes count, is
 * [top - (N + 1) * size, top - N * size). */
struct wt_check_stacks {
    uint64_t top, size;
    uint16_t pointer; /**< the register that points to them */
};
/** Judges stores at addresses that the code makes of a stack pointer by these stacks, too. */
void wt_check_memory_set_stacks(struct wt_check_memory *c, const struct wt_check_stacks *stacks);
/** Reports what kernels have taken of the device's heap and not freed as leaks; each is reported
 * once. */
void wt_check_memory_tell_leaks(struct wt_check_memory *c);
/** The machine is not judged any more; frees the check. NULL is allowed. */
void wt_check_memory_end(struct wt_check_memory *c);
/** Frees the check of a machine that has ended. NULL is allowed. */
void wt_check_memory_free(struct wt_check_memory *c);

/**
 * Judges a copy or a fill of the host, as kernels' accesses are; calls @p found for a mistake.
 * @p calls: of the host; @p by: the function. Returns how many bytes, from the first one on, may be
 * accessed.
 */
uint64_t wt_check_host_access(const void *space, uint64_t addr, uint64_t size,
                              enum wt_access access, const char *by,
                              const struct wt_call_stack *calls, wt_found_fn *found, void *context);

#endif
