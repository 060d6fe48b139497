/*
 * The memory objects of a program: its allocations that GPUs use, each with the bytes that the
 * program asked for. Drivers report each allocation, its end, and the copies and fills that the
 * host asks for. Reports of faults name objects; checks listen to the drivers' reports. A process
 * has one table, which any thread may use.
 */
#ifndef WT_CHECK_OBJECTS_H
#define WT_CHECK_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    WT_STACK_DEPTH = 24,     /* calls of the host that are kept of an event */
    WT_OBJECTS_FREED = 4096, /* how many freed objects are remembered: the last ones */
};

/** Calls of the host's thread, the innermost first, those of our own libraries included; it is
 * taken only for a listener. */
struct wt_call_stack {
    void *address[WT_STACK_DEPTH]; /**< of return */
    unsigned depth;
};

struct wt_object {
    const void *space;   /**< whose addresses: NULL: the process's own; else the driver's word */
    uint64_t addr, size; /**< bytes that the program asked for, 1 or more */
    uint64_t number;     /**< 1 for the first one of the process */
    const char *by;      /**< the function that made it: constant text */
    bool freed;
    struct wt_call_stack made, ended;
};

enum wt_object_event {
    WT_OBJECT_MADE,
    WT_OBJECT_FREED,  /**< it is told before the memory is given back */
    WT_OBJECT_COPIED, /**< [addr, addr + size) becomes a copy of the bytes at `from`; each side is
                           memory of a GPU or of the host */
    WT_OBJECT_FILLED, /**< [addr, addr + size) becomes what the program says */
};

struct wt_object_news {
    enum wt_object_event event;
    const void *space;
    uint64_t addr, size, from;
    const char *by;             /**< the function: constant text */
    struct wt_call_stack calls; /**< who called it */
};

/** Takes news; it may find objects, and must not listen. Called on the thread of the event. */
typedef void wt_objects_fn(void *context, const struct wt_object_news *news);
/** Hands news to @p fn from now on; NULL: to nobody. */
void wt_objects_listen(wt_objects_fn *fn, void *context);

/** The program has memory of @p size bytes at @p addr of a space, by function @p by. Without host
 * memory it is not noted: reports then know less. */
void wt_object_made(const void *space, uint64_t addr, uint64_t size, const char *by);
/** The object that begins at @p addr is about to be freed. False: none does. */
bool wt_object_freed(const void *space, uint64_t addr, const char *by);
/** Bytes are about to be copied, by a copy engine or the host, between or within memory of GPUs and
 * of the host, in the process's own space. */
void wt_object_copied(uint64_t addr, uint64_t from, uint64_t size, const char *by);
/** Bytes are about to be filled. */
void wt_object_filled(uint64_t addr, uint64_t size, const char *by);

/**
 * Finds the object that holds @p addr, or the newest freed one that did. False: *before becomes the
 * object that ends last below it, *behind the one that begins first above it (size 0: none).
 */
bool wt_object_find(const void *space, uint64_t addr, struct wt_object *found,
                    struct wt_object *before, struct wt_object *behind);
/** Calls @p visit for each object that is not freed, by space and address, until it says false. It
 * must not call functions of this file. */
void wt_objects_each(bool (*visit)(void *context, const struct wt_object *object), void *context);

#endif
