/*
 * A debugger's connection to a host process with emulated GPUs: the private Unix socket, or the
 * address, at which the process listens (runtime/common/endpoint.h). What is said is the family's.
 */
#ifndef WT_DEBUG_PROCESS_CONNECTION_H
#define WT_DEBUG_PROCESS_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/token.h"
#include "base/wave_view.h"
#include "debug/process/end.h"
#include "base/error.h"

/** Where a host program is. */
struct wt_process_place {
    int pid;             /**< its process */
    const char *address; /**< where it listens (base/token.h); NULL: at its private socket. Then pid
                            is as the program knows it, perhaps in another namespace */
    const char *token;   /**< with an address: the token's file; NULL: wt_token_path() */
};

struct wt_connection {
    int fd, pid;
    bool elsewhere; /**< by an address: its pid may mean another process here, or none */
    bool ended;
    char name[112]; /**< "process 12", "the program at tcp:…" */
    uint8_t token[WT_TOKEN_BYTES];
    struct wt_process_end end; /**< then */
};

/** Connects to the program at @p place, where it is a process to its socket of @p kind. WT_INVALID:
 * it has none. */
enum wt_status wt_connection_open(struct wt_connection *connection,
                                  const struct wt_process_place *place, const char *kind,
                                  struct wt_error *err);
/** Disconnects. */
void wt_connection_close(struct wt_connection *connection);

/** Receives all of @p size bytes. WT_TIMEOUT: no answer; WT_IO: the process has ended, and
 * connection->end says how. */
enum wt_status wt_connection_receive(struct wt_connection *connection, void *to, size_t size,
                                     struct wt_error *err);
/** Sends. Where the process has closed its end, what it has said last can still be received: that
 * is no error. */
enum wt_status wt_connection_send(struct wt_connection *connection, const void *from, size_t size,
                                  struct wt_error *err);
/** WT_IO: what the process says makes no sense; it counts as ended. */
enum wt_status wt_connection_lost(struct wt_connection *connection, const char *why,
                                  struct wt_error *err);
/** The process has said that it ends with @p status, or (@p closed) goes on without its GPUs:
 * WT_IO. */
enum wt_status wt_connection_ended(struct wt_connection *connection, uint32_t status, bool closed,
                                   struct wt_error *err);

/** Whether process @p pid listens at a socket of @p kind, so that a debugger can connect. */
enum wt_status wt_connection_reachable(int pid, const char *kind, bool *reachable,
                                       struct wt_error *err);

/** Asks the program at place->address which family (WT_WIRE_FAMILY()) its GPUs are of; place->pid
 * becomes its process. */
enum wt_status wt_connection_ask_family(struct wt_process_place *place, uint32_t *family,
                                        struct wt_error *err);

/**
 * Exchanges the first words (struct wt_wire_greeting) of a new connection to GPUs of @p family.
 * WT_STATE: the process has another debugger; WT_UNSUPPORTED: it runs with another version of the
 * driver library.
 */
enum wt_status wt_connection_greet(struct wt_connection *connection, uint32_t family,
                                   struct wt_error *err);

/** Whether the @p size bytes of an answer are the view of a wave; its text ends then. */
static inline bool wt_connection_has_view(struct wt_wave_view *view, size_t size)
{
    view->wait[sizeof view->wait - 1] = 0;
    return size == sizeof *view;
}

/** Whether the @p size bytes of an answer are the record of a fault; its texts end then. */
static inline bool wt_connection_has_fault(struct wt_fault *fault, size_t size)
{
    fault->name[sizeof fault->name - 1] = 0;
    fault->text[sizeof fault->text - 1] = 0;
    fault->memory[sizeof fault->memory - 1] = 0;
    return size == sizeof *fault && fault->kind > WT_FAULT_NONE && fault->kind <= WT_FAULT_HOST;
}

/** Greets on a new connection to GPUs of @p family, and fills in *gpus, how many there are. */
typedef enum wt_status wt_connection_count(struct wt_connection *connection, uint32_t family,
                                           unsigned *gpus, struct wt_error *err);
/**
 * Calls @p found for each process of this user that answers at a socket of @p kind, with the number
 * of its GPUs and its command line: also those that have another debugger.
 */
enum wt_status wt_connection_each(const char *kind, uint32_t family, wt_connection_count *count,
                                  void (*found)(void *context, int pid, unsigned gpus,
                                                const char *name),
                                  void *context, struct wt_error *err);

#endif
