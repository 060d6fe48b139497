/*
 * The file in which host programs leave what their GPUs did: counts (counted.h) and findings
 * (checked.h). The command makes it in memory; the drivers in the program and in its children write
 * to it, so that it is there however a process ends. Code goes into it, too, as sections of a core
 * file (core_format.h), since the program may unload it and load other code at its place.
 */
#ifndef WT_RUNTIME_COMMON_COUNTED_FILE_H
#define WT_RUNTIME_COMMON_COUNTED_FILE_H

#include <stdatomic.h>

#include "check/finding.h"

/** The variable by which the command names the file. */
#define WT_COUNTED_VARIABLE "WAVETRAP_PROFILE"

#define WT_COUNTED_PAGE UINT64_C(4096)

/** Its first page. */
struct wt_counted_head {
    _Atomic uint64_t end;      /**< end of the blocks, which begin with the second page */
    _Atomic uint64_t more;     /**< findings beyond the limit */
    _Atomic uint64_t unjudged; /**< pairs of operations of two host threads (check/order.h) */
    atomic_bool opened;        /**< a process has opened a GPU */
    atomic_bool lost;          /**< something could not be counted, without memory */
    bool counts;               /**< instructions are counted (--profile) */
};

enum wt_counted_kind {
    WT_COUNTED_NUMBERS,  /**< WT_PROFILE_BLOCK counts; `code`: a place of a LIST */
    WT_COUNTED_SECTION,  /**< a section of a core file, with its header */
    WT_COUNTED_LIST,     /**< the code that is loaded: places of SECTIONs, 64 bits each */
    WT_COUNTED_FINDINGS, /**< WT_COUNTED_FOUND of struct wt_counted_finding */
    WT_COUNTED_MAPS,     /**< the code of the process: lines of /proc/PID/maps, and a NUL */
    WT_COUNTED_UNSEEN,   /**< a sentence on what a check does not see, and a NUL */
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
    uint64_t size;          /**< size of all of it */
    uint64_t length;        /**< length of the content */
    int64_t process;
    uint32_t kind;
    uint32_t device; /**< its number in the process */
    char gpu[24];    /**< name of its family, or model */
};

/** Makes the file and sets WT_COUNTED_VARIABLE for the programs that this process starts.
 * @p counts: for --profile. -1: see *err; the caller closes it. */
int wt_counted_create(bool counts, struct wt_error *err);

/* ---- drivers ---- */

/** Whether somebody wants counts or findings: the first call reads the variable. */
bool wt_counted_is_wanted(void);
/** Whether counts are. */
bool wt_counted_counts(void);
/** A block with room for @p length bytes, all of them 0; NULL: it is told why. The caller completes
 * and unmaps it. */
struct wt_counted_block *wt_counted_add_block(enum wt_counted_kind kind, uint64_t length,
                                              uint64_t *place);
/** From now on who reads the file finds it. */
void wt_counted_complete(struct wt_counted_block *b);
/** Adds a block of these bytes, about a device of this name ("": none); its place, or 0. */
uint64_t wt_counted_add_bytes(enum wt_counted_kind kind, const char *gpu, uint32_t device,
                              const void *bytes, uint64_t length);
/** Maps the first page; NULL: there is no file. */
struct wt_counted_head *wt_counted_open_head(void);
/** A process has opened a GPU. */
void wt_counted_opened(void);

#endif
