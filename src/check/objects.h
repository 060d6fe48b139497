/*
 * The memory objects of a program: its allocations that GPUs use, each with the bytes that the
 * program asked for. Drivers report each allocation, its end, and the copies and fills that the
 * host asks for. Reports of faults name objects; checks judge accesses by them. A process has one
 * table, which any thread may use.
 *
 * Memory of a driver from which objects are cut is a block. In a block that has held an object only
 * its objects may be accessed; all of any other block may be: it is the runtime's.
 */
#ifndef WT_CHECK_OBJECTS_H
#define WT_CHECK_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/object_view.h"

enum {
    WT_STACK_DEPTH = WT_OBJECT_STACK, /* calls of the host that are kept of an event */
    WT_OBJECTS_FREED = 4096,          /* how many freed objects are remembered: the last ones */
};

/** Calls of the host's thread, the innermost first, those of our own libraries included; they are
 * taken for a listener, and where wt_objects_take_calls() asks for them. */
struct wt_call_stack {
    void *address[WT_STACK_DEPTH]; /**< address of return */
    unsigned depth;
};

/** Takes the calling thread's. */
void wt_call_stack_take(struct wt_call_stack *calls);

struct wt_object {
    const void *space;   /**< whose addresses: NULL: the process's own; else the driver's word */
    uint64_t addr, size; /**< bytes that the program asked for; 0: a handle, no memory */
    uint64_t number;     /**< 1 for the first one of the process */
    uint64_t allocation; /**< the same of allocations alone; 0: it is none */
    pid_t process;       /**< that made it: a child of fork() has its parent's objects, too */
    const char *by;      /**< the function that made it: constant text */
    char name[48];       /**< name of a variable; "": it has none */
    bool read_only;      /**< GPUs must not write it */
    bool freed;
    bool given_up; /**< the program has freed it, in vain: an earlier error forbids that */
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
/** Calls @p fn with each object that is about to be freed, from now on, on the thread that frees.
 */
typedef void wt_object_end_fn(const struct wt_object *object);
void wt_objects_follow_ends(wt_object_end_fn *fn);
/** Objects have the calls that make and end them, from now on. */
void wt_objects_take_calls(void);

/** The program has memory of @p size bytes at @p addr of a space, by function @p by. Without host
 * memory it is not noted: reports then know less. */
void wt_object_made(const void *space, uint64_t addr, uint64_t size, const char *by);
/** Likewise, of memory whose address was not known when the calls were made. */
void wt_object_made_before(const void *space, uint64_t addr, uint64_t size, const char *by,
                           const struct wt_call_stack *calls);
/** Likewise of a variable of a module. */
void wt_object_variable(const void *space, uint64_t addr, uint64_t size, const char *name,
                        bool read_only);
/** The name of the objects of wt_object_arguments(). */
#define WT_ARGUMENTS "the kernel's arguments"
/** A kernel that begins has its arguments there, in a block of a runtime. They stay an object until
 * other ones take the place, since time travel may repeat the kernel. */
void wt_object_arguments(const void *space, uint64_t addr, uint64_t size);
/** GPUs must not write the object that begins at @p addr. */
void wt_object_set_read_only(const void *space, uint64_t addr, bool read_only);
/** The program would have freed the object that begins at @p addr, had no earlier error forbidden
 * it: it is no leak. */
void wt_object_give_up(const void *space, uint64_t addr);
/** The object that begins at @p addr is about to be freed. False: none does. */
bool wt_object_freed(const void *space, uint64_t addr, const char *by);
/** Bytes are about to be copied, by a copy engine or the host, between or within memory of GPUs and
 * of the host, in the process's own space. */
void wt_object_copied(uint64_t addr, uint64_t from, uint64_t size, const char *by);
/** Bytes are about to be filled. */
void wt_object_filled(uint64_t addr, uint64_t size, const char *by);

/** A driver has memory from which it may cut objects, or which is its own. */
void wt_block_made(const void *space, uint64_t addr, uint64_t size);
/** Whether a block holds @p addr. */
bool wt_block_holds(const void *space, uint64_t addr);
/** The block that begins at @p addr goes, and forgets its objects that were not freed. */
void wt_block_gone(const void *space, uint64_t addr);

/** The block that begins at @p addr is freed, and is kept: its objects are freed. Returns its size;
 * 0: it has held none. */
uint64_t wt_block_freed(const void *space, uint64_t addr);

/** Frees memory whose object was freed before. */
typedef void wt_object_release_fn(void *context, uint64_t addr);
/**
 * Keeps memory of a freed object unusable until so much is kept (wt_objects_set_quarantine):
 * @p release is called then, or at once. What is small counts for 16 KiB. No lock of the caller's
 * that it takes may be held.
 */
void wt_object_keep(uint64_t addr, uint64_t size, wt_object_release_fn *release, void *context);
/** Releases all that is kept, where memory is short. False: there was nothing. */
bool wt_objects_release_kept(void);
/** How many bytes of freed objects are kept at most; 0, the beginning: none. */
void wt_objects_set_quarantine(uint64_t bytes);

enum wt_object_verdict {
    WT_GOOD,
    WT_PARTLY,    /**< it begins in an object and ends behind it, or the other way round */
    WT_OUTSIDE,   /**< outside of every object */
    WT_FREED,     /**< in a freed object */
    WT_READ_ONLY, /**< a write to a read-only object */
};

/** Memory that was found good: all of [first, last], and the objects' state then. */
struct wt_good {
    uint64_t first, last;
    bool writable;
    uint64_t state;
};

/**
 * Judges an access. *object: the object that it is in or was meant for, by distance; size 0: there
 * is none near. GOOD: *good becomes the memory around it.
 */
enum wt_object_verdict wt_objects_judge(const void *space, uint64_t addr, uint64_t size, bool write,
                                        struct wt_object *object, struct wt_good *good);
/** A number that changes with each object that is made or freed; not 0. */
uint64_t wt_objects_state(void);

/**
 * Finds the object that holds @p addr, or the newest freed one that did. False: *before becomes the
 * object that ends last below it, *behind the one that begins first above it (size 0: none), where
 * they are not NULL.
 */
bool wt_object_find(const void *space, uint64_t addr, struct wt_object *found,
                    struct wt_object *before, struct wt_object *behind);
/** Whether an object, or a freed one that is remembered, has some of [first, last]. */
bool wt_objects_have(const void *space, uint64_t first, uint64_t last);
/** Describes an object. */
void wt_object_view_of(const struct wt_object *object, struct wt_object_view *view);
/** Describes the object that holds @p addr, or held it last, else the nearest ones around it.
 * Returns how many. */
size_t wt_object_views(const void *space, uint64_t addr, struct wt_object_view *list);
/** Calls @p visit for each object that is not freed, by space and address, until it says false. It
 * must not call functions of this file. */
void wt_objects_each(bool (*visit)(void *context, const struct wt_object *object), void *context);
/** Likewise of all objects of a space, the freed ones that are remembered first, the oldest of
 * these first. */
void wt_objects_of(const void *space, bool (*visit)(void *context, const struct wt_object *object),
                   void *context);
/** Adds an object of another process, as wt_objects_of() had it there, in that order; its `by` must
 * stay. Without host memory it is left out. */
void wt_object_restore(const struct wt_object *object);

#endif
