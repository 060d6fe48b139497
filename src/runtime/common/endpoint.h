/*
 * The endpoint of a host process for debuggers of its emulated GPUs: a Unix socket in the user's
 * own folder, and a thread that serves one debugger at a time (object/process_wire.h). Where the
 * environment has WT_LISTEN_VARIABLE (base/token.h), debuggers that show the token may come there,
 * too. The idle thread sleeps in poll() and costs the GPUs nothing.
 */
#ifndef WT_RUNTIME_COMMON_ENDPOINT_H
#define WT_RUNTIME_COMMON_ENDPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct wt_endpoint;

/** The name of threads that are ours in a program. */
#define WT_OWN_THREAD "wavetrap"

/** The operations of a family; called in the endpoint's thread unless it says otherwise. */
struct wt_endpoint_ops {
    const char *kind; /**< kind of the socket (base/private_dir.h) */
    uint32_t family;  /**< WT_WIRE_FAMILY() (object/process_wire.h) */
    /** Before all else. NULL: nothing is to be done. */
    void (*begin)(void *context);
    /** Receives a request from @p fd and answers by wt_endpoint_answer(). False: the debugger has
     * gone, or speaks another language. */
    bool (*converse)(void *context, struct wt_endpoint *endpoint, int fd);
    /** The debugger has gone, who has said something: undoes all that it has set, and lets kernels
     * run that waited for it. */
    void (*let_go)(void *context);
    /** Whether kernels wait for a debugger to come. */
    bool (*is_held)(void *context);
    /** Lets them run. */
    void (*release)(void *context);
    /** Gives bytes that the debugger is to have with the word that the process ends, in host memory
     * that is the caller's; NULL: nothing. Called in the thread that ends it, whatever that has
     * locked. */
    uint8_t *(*last)(void *context, size_t *size);
};

/**
 * Listens for debuggers in a thread of its own. @p ops must outlive the endpoint. @p holder is the
 * process for which kernels are held; they are released if it ends before a debugger has come; 0:
 * none. NULL if listening is not possible: the program runs all the same. wt_endpoint_stop frees
 * it.
 */
struct wt_endpoint *wt_endpoint_start(const struct wt_endpoint_ops *ops, void *context,
                                      pid_t holder);
/**
 * Releases the debugger that is connected, if any, stops listening and frees @p endpoint, which may
 * be NULL.
 */
void wt_endpoint_stop(struct wt_endpoint *endpoint);
/** Tells the debugger that the process ends with @p status. @p endpoint may be NULL. */
void wt_endpoint_tell_exit(struct wt_endpoint *endpoint, int status);
/**
 * As wt_endpoint_tell_exit, then serves the debugger until it goes, for some seconds at most. The
 * caller must hold no lock that serving takes.
 */
void wt_endpoint_tell_exit_and_wait(struct wt_endpoint *endpoint, int status);
/** In a child after fork(): closes the parent's descriptors. @p endpoint may be NULL. */
void wt_endpoint_after_fork(struct wt_endpoint *endpoint);
/** Removes the socket of a process that ends without wt_endpoint_stop. @p endpoint may be NULL. */
void wt_endpoint_forget(struct wt_endpoint *endpoint);

/** Receives all of @p size bytes at a connection; false: the other side has gone, or (errno is
 * EAGAIN) it is silent for longer than SO_RCVTIMEO. */
bool wt_endpoint_receive(int fd, void *to, size_t size);
/** Sends all of @p size bytes; false: the other side has gone. */
bool wt_endpoint_send(int fd, const void *from, size_t size);
/** Sends an answer, of two parts, to the debugger that converse() was called for. */
bool wt_endpoint_answer(struct wt_endpoint *endpoint, const void *answer, size_t answer_bytes,
                        const void *more, size_t more_bytes);

/**
 * WAVETRAP_HELD (base/held.h): whether this process's kernels are to wait for a debugger. @p
 * debugger becomes the process for which they wait; 0: any. Nonsense is named once, and holds
 * nothing.
 */
bool wt_endpoint_held(pid_t *debugger);

#endif
