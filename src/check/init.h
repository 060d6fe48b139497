/*
 * The check of uninitialised values: which bits of registers and memory are defined, and what
 * depends on the others. docs/check-rules.md has the rules of each family.
 */
#ifndef WT_CHECK_INIT_H
#define WT_CHECK_INIT_H

#include "base/defined_view.h"
#include "check/start.h"

struct wt_check_init;

/** Reports beside uses of undefined bits. */
enum wt_init_level {
    WT_INIT_USE,  /**< nothing */
    WT_INIT_COPY, /**< copies to the host */
    WT_INIT_LOAD, /**< loads, too */
};

/** Whether the check knows what a family's launches leave undefined, and what its instructions do.
 */
bool wt_check_init_knows(const struct wt_machine *m);

/** Follows what the machine's waves do from now on. All that waves and memory have now counts as
 * defined. */
struct wt_check_init *wt_check_init_begin(const struct wt_check_start *start);
/** Other addresses are valid from now on. */
void wt_check_init_set_space(struct wt_check_init *c, const void *space);
/** Of a machine in no host process: so much of GLOBAL memory is the lanes' stacks, which nothing
 * has written when the program begins. */
void wt_check_init_set_stacks(struct wt_check_init *c, uint64_t first, uint64_t size);
/** The next launches are of the runtime's own kernels: what they store outside of objects a command
 * copies to the host. */
void wt_check_init_set_copies(struct wt_check_init *c, bool copies);
/** Nothing is looked at any more; frees the check. NULL is allowed. */
void wt_check_init_end(struct wt_check_init *c);
/** Frees the check of a machine that has ended. NULL is allowed. */
void wt_check_init_free(struct wt_check_init *c);

/** Answers what a debugger asks about a value of the wave in a slot, as it is at the machine's
 * time: now, or in the past. */
void wt_check_init_tell(struct wt_machine *m, uint32_t slot,
                        const struct wt_defined_request *request, struct wt_defined_view *view);

/** Follows memory of the process's objects (objects.h) from now on: it listens to news of them.
 * What it cannot see, @p say says to the user, once. */
void wt_check_init_listen(wt_check_say_fn *say);
/** Whether the host sees memory at once: it is no object that only copies reach. */
bool wt_check_init_is_of_host(const void *space, uint64_t addr);
/** A call by which the program copies [from, from + size) to the host, while it is made. */
struct wt_init_read {
    uint64_t from, size;
    uint64_t at; /**< bytes that the call copies before these */
    bool told;   /**< objects.h has told that a part of it was copied */
    struct init_results *found;
    struct wt_init_read *next;
};
/** Such a call begins, `from`, `size` and `at` being set. */
void wt_check_init_read_begins(struct wt_init_read *r);
/** The call goes on with [from, from + size), which is its next row; of a call of rows `size` is 0
 * before the first one. */
void wt_check_init_read_row(struct wt_init_read *r, uint64_t from, uint64_t size);
/** It has ended: what it has copied is reported. Returns whether the copy was told; if not, the
 * runtime has read the memory by itself. */
bool wt_check_init_read_ended(struct wt_init_read *r);
/** The host has got [addr, addr + size) by such a call, by function @p by, which @p calls have
 * called. */
void wt_check_init_got(struct wt_init_read *r, const void *space, uint64_t addr, uint64_t size,
                       const char *by, const struct wt_call_stack *calls);
/** The host writes to memory of GPUs. */
void wt_check_init_filled(const void *space, uint64_t addr, uint64_t size);

#endif
