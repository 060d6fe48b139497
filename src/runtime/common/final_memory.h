/*
 * The memory that a program's kernels leave, for a debugger that shows it after the program's end:
 * memory that GPUs may use then, and memory that was freed since the latest kernel began (most
 * programs free all that they have). Any thread may call these functions.
 */
#ifndef WT_RUNTIME_COMMON_FINAL_MEMORY_H
#define WT_RUNTIME_COMMON_FINAL_MEMORY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wt_final_freed;

/** Of a process. Its members are final_memory.c's own. */
struct wt_final_memory {
    pthread_mutex_t lock;
    atomic_bool wanted;
    struct wt_final_freed *freed; /* sorted by address, apart from each other */
    size_t freed_count, freed_capacity;
    uint64_t kept; /* bytes of them */
};

/** Its initial value: no debugger wants it. */
#define WT_FINAL_MEMORY_NONE                                                                       \
    {                                                                                              \
        .lock = PTHREAD_MUTEX_INITIALIZER                                                          \
    }

/** Copies memory of GPUs; false where some of it is not there. */
typedef bool wt_final_read_fn(void *context, uint64_t addr, uint8_t *bytes, size_t size);

/** The memory of GPUs, as a family's driver knows it. */
struct wt_final_ops {
    unsigned gpus;
    /** Finds the first range at or behind @p from that GPU number @p gpu may use, or the rest of
     * the one that @p from lies in; false if there is none. */
    bool (*next)(void *context, unsigned gpu, uint64_t from, uint64_t *addr, uint64_t *size);
    wt_final_read_fn *read;
};

/** Begins to keep memory that is freed (@p want), or drops what is kept, and keeps no more. */
void wt_final_want(struct wt_final_memory *final, bool want);
/** Whether a debugger wants the memory. */
bool wt_final_wanted(struct wt_final_memory *final);
/**
 * Keeps the contents of [addr, addr + size), rounded to pages, which is about to be taken from a
 * GPU; pages that @p read refuses are not kept.
 */
void wt_final_unmap(struct wt_final_memory *final, uint64_t addr, uint64_t size,
                    wt_final_read_fn *read, void *context);
/** Drops the memory that was freed before a kernel that begins. */
void wt_final_kernel(struct wt_final_memory *final);
/**
 * Finds the first piece at or behind @p from: writes a struct wt_final_wire_piece to @p bytes, and
 * the piece's bytes behind it, if not all are zero; returns how many that are. @p room is 8 KiB or
 * more. Pieces are asked for in order, from 0 on; @p context is that of @p ops.
 */
size_t wt_final_next(struct wt_final_memory *final, const struct wt_final_ops *ops, void *context,
                     uint64_t from, uint8_t *bytes, size_t room);

#endif
