/* The recording of a GPU: what its files share, in layers. See recording.h. */
#ifndef WT_RUNTIME_COMMON_RECORDING_STATE_H
#define WT_RUNTIME_COMMON_RECORDING_STATE_H

#include <stdatomic.h>
#include <string.h>

#include "emulator/machine/copy.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/memory.h"
#include "emulator/machine/regions.h"
#include "emulator/machine/search.h"
#include "emulator/machine/slice.h"
#include "runtime/common/recording.h"

#define RECORDING_PAGE ((unsigned)WT_PAGE_SIZE)
#define RECORDING_WORDS (RECORDING_PAGE / 8) /* words of a page */

/* A page of the process's memory that the GPU has come to. */
struct page {
    uint64_t addr;
    uint8_t *base; /* as it was then */
    uint8_t *same; /* as both sides last had it; the base until that is another */
    uint8_t *now;  /* within look(): as the process has it; NULL: the same */
    bool shared;
};

/* A store of a wave to a shared page. */
struct store {
    uint64_t addr;
    uint8_t bytes[16];
    uint8_t size;
    bool atomic; /* 4 or 8 bytes are changed as one; the slice ends after its instruction */
};

/* A change by the program's threads, at an issue time. */
struct change {
    uint64_t time, addr;
    uint8_t *bytes;
    size_t size;
};

struct wt_recording {
    const struct wt_recording_ops *ops;
    struct wt_hosted *gpu; /* the GPU that does the operations */
    struct wt_machine *machine;
    uint64_t budget;
    struct wt_copy copy;
    bool copied;                  /* the GPU works on the copy */
    struct wt_timeline *timeline; /* NULL: nothing is recorded */
    bool live;                    /* what the device does now has not happened before */
    bool waits;                   /* for the debugger, which deals with an exception */
    bool told_last;               /* the latest store was to shared memory */
    bool due;                     /* it begins as soon as kernels run */
    bool failed;                  /* there was no host memory for a page */
    atomic_uint_fast64_t time;
    struct page *page;
    size_t page_count, page_capacity;
    uint32_t *place; /* page numbers + 1, by address; a power of two of them */
    size_t places;
    struct store *store;
    size_t store_count, store_capacity;
    struct change *change;
    size_t change_count, change_capacity;
    uint64_t seen;  /* issue time until which the program sees what waves store */
    uint64_t fixed; /* issue time before which nothing can be changed any longer */
    unsigned undone, put_off;
    uint64_t looked, look_ns; /* for changes of the program's threads: when, and how long it took */
    const char *missing;
    struct wt_search search;
    struct wt_watch *watch; /* the search's */
    bool searching;
    struct wt_slice *slice; /* what a value was made of; NULL: nobody asks */
};

/** Word @p i of a page. */
static inline uint64_t recording_word(const uint8_t *page, unsigned i)
{
    uint64_t word;
    memcpy(&word, page + 8 * (size_t)i, sizeof word);
    return word;
}

/* ---- recording_pages.c: the pages of the copy, and the functions of struct wt_copy ---- */

/** The page of the copy at @p addr, to which the process has @p host; NULL without host memory. */
struct page *recording_page(struct wt_recording *r, uint64_t addr, const uint8_t *host);
/** The page of the copy at @p addr; NULL: the GPU has not come to it. */
struct page *recording_find(const struct wt_recording *r, uint64_t addr);
/** The last common state of a page, to be changed; NULL without host memory. */
uint8_t *recording_same(struct wt_recording *r, struct page *page);
/** No page is copied any longer. */
void recording_forget_pages(struct wt_recording *r);
/** The operation `page` of struct wt_copy: the copy of a page, made when it is first touched. */
const uint8_t *recording_copied(void *context, uint64_t addr, const uint8_t *host);
/** The operation `shared` of struct wt_copy: whether threads of the program see stores there. */
bool recording_shared(void *context, uint64_t addr);
/** Copies a page that threads of the program may be changing, word by word. */
void recording_copy_page(uint8_t *to, const uint8_t *from);
/** Compares two such pages. */
bool recording_same_page(const uint8_t *a, const uint8_t *b);

/* ---- recording_merge.c: both sides made the same ---- */

/** Copies the GPU's changes of a page to the process. */
void recording_publish(struct wt_recording *r, struct page *page);
/** The same of all pages. */
void recording_publish_all(struct wt_recording *r);
/** Takes in what threads have changed of shared memory, or of @p all; @p at_once: also where they
 * never stop changing it. */
void recording_look(struct wt_recording *r, bool all, bool at_once);
/** Whether it is time for that. */
bool recording_look_is_due(const struct wt_recording *r);
/** Both of them. */
void recording_merge(struct wt_recording *r);
/** A change of the program's threads becomes an input of the recording. */
void recording_put_in(struct wt_recording *r, const struct change *change);
/** Changes before now cannot be gone back to any longer. */
void recording_forget_changes(struct wt_recording *r);

/* ---- recording_stores.c: what waves store to shared memory ---- */

/** Atomics were tried so often that the next attempt counts. */
#define RECORDING_MOST_UNDONE 1000
/** The operation `stored` of struct wt_copy: notes a store to shared memory. */
void recording_stored(void *context, uint64_t addr, const void *bytes, size_t size);
/** The operation `was_atomic` of struct wt_copy: whether the last store was an atomic of @p addr.
 */
bool recording_was_atomic(void *context, uint64_t addr);
/** The program sees what waves have stored. False: a thread was faster than an atomic, the first of
 * its instruction; the stores before it have been seen. */
bool recording_show_stores(struct wt_recording *r);

/* ---- recording.c ---- */

/** Counts what the device has done as having happened: the program is told of it. */
void recording_show(struct wt_recording *r);
/** Notes which kernels have ended: whether any has. */
bool recording_find_ended(struct wt_recording *r);
/** Ends the search, if one is under way. */
void recording_end_search(struct wt_recording *r);
/** To another time. */
enum wt_status recording_goto(struct wt_recording *r, uint64_t time, struct wt_error *err);
/** The device was put to another issue time. */
void recording_moved(struct wt_recording *r);
/** The present may have got another past: the process's memory follows it. */
void recording_branched(struct wt_recording *r);

/** Whether the page at @p addr is mapped. */
static inline bool recording_maps(const struct wt_recording *r, uint64_t addr)
{
    return r->ops->maps ? r->ops->maps(r->gpu, addr)
                        : wt_regions_at(&r->machine->regions, addr) != NULL;
}

#endif
