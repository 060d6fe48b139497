/* The recording of a GPU: what its files share. See recording.h. */
#ifndef WT_RUNTIME_HSAKMT_RECORDING_STATE_H
#define WT_RUNTIME_HSAKMT_RECORDING_STATE_H

#include <string.h>

#include "emulator/machine/machine.h"
#include "runtime/hsakmt/recording.h"

#define RECORDING_WORDS (HOST_PAGE / 8) /* of a page */
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
    bool atomic; /* of 4 or 8 bytes; the slice ends behind its instruction */
};

/* What the program's threads have changed, at an issue time. */
struct change {
    uint64_t time, addr;
    uint8_t *bytes;
    size_t size;
};

/* An interrupt of a wave. */
struct told {
    uint32_t data;
    bool handler; /* the trap handler has sent it */
    unsigned dispatch;
};

struct host_recording {
    uint64_t budget; /* 0: nothing is to be recorded */
    struct gcn_copy copy;
    bool copied;                  /* the GPU works on the copy */
    struct wt_timeline *timeline; /* NULL: nothing is recorded */
    bool live;                    /* what the device does now has not happened before */
    bool waits;                   /* for the debugger, which deals with an exception */
    bool told_last;               /* the latest store was to shared memory */
    bool failed;                  /* there was no host memory for a page */
    atomic_uint_fast64_t time;
    struct page *page;
    size_t page_count, page_capacity;
    uint32_t *place; /* of page numbers + 1, by address; a power of two of them */
    size_t places;
    struct store *store;
    size_t store_count, store_capacity;
    struct change *change;
    size_t change_count, change_capacity;
    struct told *told;
    size_t told_count, told_capacity;
    uint64_t seen; /* issue time until which the program sees what waves store */
    unsigned undone, put_off;
    uint64_t looked, look_ns; /* for changes of the program's threads: when, and how long it took */
    const char *missing;
    struct host_travel travel;
};

/** Word @p i of a page. */
static inline uint64_t recording_word(const uint8_t *page, unsigned i)
{
    uint64_t word;
    memcpy(&word, page + 8 * (size_t)i, sizeof word);
    return word;
}

/* ---- recording_pages.c: the copy's pages, and what the device asks of it (struct gcn_copy) ----
 */

/** The page of the copy at @p addr, to which the process has @p host; NULL without host memory. */
struct page *recording_page(struct host_gpu *gpu, uint64_t addr, const uint8_t *host);
/** The page of the copy at @p addr; NULL: the GPU has not come to it. */
struct page *recording_find(const struct host_recording *r, uint64_t addr);
/** What both sides last had of a page, to be changed; NULL without host memory. */
uint8_t *recording_same(struct host_recording *r, struct page *page);
/** No page is copied any longer. */
void recording_forget_pages(struct host_recording *r);
/** The operation `page` of struct gcn_copy: the copy of a page, made when it is first touched. */
const uint8_t *recording_copied(void *gpu, uint64_t addr, const uint8_t *host);
/** The operation `shared` of struct gcn_copy: whether threads of the program see stores there. */
bool recording_shared(void *gpu, uint64_t addr);
/** Copies a page that threads of the program may be changing, word by word. */
void recording_copy_page(uint8_t *to, const uint8_t *from);
/** Compares two such pages. */
bool recording_same_page(const uint8_t *a, const uint8_t *b);

/* ---- recording_merge.c: both sides made the same ---- */

/** What the GPU has changed of a page goes to the process. */
void recording_publish(struct host_gpu *gpu, struct page *page);
/** The same of all pages. */
void recording_publish_all(struct host_gpu *gpu);
/** Takes in what threads have changed of shared memory, or of @p all; @p at_once: also where they
 * never stop changing it. */
void recording_look(struct host_gpu *gpu, bool all, bool at_once);
/** Whether it is time for that. */
bool recording_look_is_due(const struct host_recording *r);
/** Both of them. */
void recording_merge(struct host_gpu *gpu);
/** A change of the program's threads becomes an input of the recording. */
void recording_put_in(struct host_gpu *gpu, const struct change *change);
/** Changes before now cannot be gone back to any longer. */
void recording_forget_changes(struct host_recording *r);

/* ---- recording_stores.c: what waves store to shared memory, and interrupts that they send ---- */

/** Atomics were tried so often that the next attempt counts. */
#define RECORDING_MOST_UNDONE 1000
/** The operation `stored` of struct gcn_copy: notes a store to shared memory. */
void recording_stored(void *gpu, uint64_t addr, const void *bytes, size_t size);
/** The operation `was_atomic` of struct gcn_copy: whether the last store was an atomic of @p addr.
 */
bool recording_was_atomic(void *gpu, uint64_t addr);
/** The program sees what waves have stored. False: a thread was faster than an atomic, the first of
 * its instruction; the stores before it have been seen. */
bool recording_show_stores(struct host_gpu *gpu);
/** The program is told of interrupts. */
void recording_tell_interrupts(struct host_gpu *gpu);

/* ---- recording.c ---- */

/** What the device has done has happened. */
void recording_show(struct host_gpu *gpu);
/** Kernels whose last work-group has ended are in gpu->ended. */
void recording_find_ended(struct host_gpu *gpu);

#endif
