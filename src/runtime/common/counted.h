/*
 * Counts of what GPUs of a host program do, instruction by instruction (machine/profile.h): for
 * `exec` and `debug` with --profile; and the findings of --check (checked.h). The command makes a
 * file in memory; the drivers in the program and in its children count in it, so that the counts
 * are there however a process ends. Code goes into it, too, as sections of a core file
 * (core_format.h), since the program may unload it and load other code at its place.
 */
#ifndef WT_RUNTIME_COMMON_COUNTED_H
#define WT_RUNTIME_COMMON_COUNTED_H

#include <stdatomic.h>

#include "check/finding.h"
#include "emulator/machine/profile.h"
#include "runtime/common/hosted.h"

/** The variable by which the command names the file. */
#define WT_COUNTED_VARIABLE "WAVETRAP_PROFILE"

/* ---- the file ---- */

#define WT_COUNTED_PAGE UINT64_C(4096)

/** Its first page. */
struct wt_counted_head {
    _Atomic uint64_t end;  /**< of the blocks, which begin with the second page */
    _Atomic uint64_t more; /**< findings beyond the limit */
    atomic_bool lost;      /**< something could not be counted, without memory */
    bool counts;           /**< instructions are counted (--profile) */
};

enum wt_counted_kind {
    WT_COUNTED_NUMBERS,  /**< WT_PROFILE_BLOCK counts; `code`: a place of a LIST */
    WT_COUNTED_SECTION,  /**< a section of a core file, with its header */
    WT_COUNTED_LIST,     /**< the code that is loaded: places of SECTIONs, 64 bits each */
    WT_COUNTED_FINDINGS, /**< WT_COUNTED_FOUND of struct wt_counted_finding */
    WT_COUNTED_MAPS,     /**< the code of the process: lines of /proc/PID/maps */
};

enum { WT_COUNTED_FOUND = 8 };

struct wt_counted_finding {
    _Atomic uint64_t used; /**< 0: it is not complete, nor are those behind it */
    uint64_t code;         /**< the place of a LIST, for `pc`; 0: there is none */
    uint64_t maps;         /**< the place of MAPS, for call stacks */
    struct wt_finding finding;
};

#define WT_COUNTED_MAGIC UINT64_C(0x4b434f4c42544e43)

/** A block of whole pages: this, and its content. A place is where one begins in the file. */
struct wt_counted_block {
    _Atomic uint64_t magic; /**< 0: it is not complete */
    uint64_t size;          /**< of all of it */
    uint64_t length;        /**< of the content */
    int64_t process;
    uint32_t kind;
    uint32_t device; /**< its number in the process */
    char family[24]; /**< name */
};

/** Makes the file and sets WT_COUNTED_VARIABLE for the programs that this process starts.
 * @p counts: for --profile. -1: see *err; the caller closes it. */
int wt_counted_create(bool counts, struct wt_error *err);

/* ---- drivers ---- */

/** Whether somebody wants counts or findings: the first call reads the variable. */
bool wt_counted_is_wanted(void);
/**
 * Before a kernel begins, and before wt_recording_before_kernel(): counts and checks from now on,
 * as far as that is wanted. @p state is another one after each change of the code that is loaded;
 * @p space: whose addresses the kernel has (check/objects.h). The GPU's lock is held.
 */
void wt_counted_before_kernel(struct wt_hosted *gpu, uint64_t state, const void *space);
/** Ends it, before or after the GPU's machine has ended; the counts stay. */
void wt_counted_forget(struct wt_hosted *gpu);

#endif
