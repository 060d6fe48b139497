/*
 * The debugger's side of object/process_wire.h: a connection to a host process, with the requests
 * that all families have. Slots of waves and numbers of GPUs are those of the process.
 */
#ifndef WT_DEBUG_PROCESS_LINK_H
#define WT_DEBUG_PROCESS_LINK_H

#include "debug/core/target.h"
#include "debug/process/connection.h"
#include "debug/process/final_memory.h"
#include "debug/standstill/link.h"
#include "object/process_wire.h"
#include "object/travel_wire.h"

/**
 * The debugger's knowledge of the recorded run. It is the first member of a link, which is the
 * context of the target's services.
 */
struct wt_process_history {
    unsigned lanes;                /**< lanes of the family's waves; set before it begins */
    uint8_t *answer;               /**< WT_TRAVEL_BYTES; NULL: nothing is to be recorded */
    struct wt_watchpoint_hit *hit; /**< hits of the last match, until they are taken */
    size_t hits, hit_room;
    struct wt_travel_extent extent; /**< as last told */
    uint64_t now;                   /**< as last told */
    uint64_t saved;                 /**< as last told */
    uint64_t budget;
    const char *refused; /**< why nothing is recorded, ever; NULL: it is */
    char missing[256];   /**< why nothing is recorded now */
};

struct wt_process_link {
    struct wt_process_history history; /* first: the context of a target's services */
    struct wt_connection connection;
    struct wt_wire_hello hello;
    struct wt_link link; /**< a probe's; set, as are `waves`, by who has opened this */
    uint32_t unanswered; /**< requests that were given up; their answers may still come */
    uint64_t changes;    /**< changes of the process's waves by requests of this debugger */
    uint32_t wait;       /**< the verb by which the device goes on for a moment; 0: WT_WIRE_EVENT */
    uint8_t *pieces;     /**< WT_WIRE_MOST bytes for messages with some pieces; NULL: none yet */
    bool faulted;        /**< the last event told of a fault: WT_WIRE_FAULTED */
    bool news;           /**< an event has told of some: WT_WIRE_NEWS */
    uint8_t *last;       /**< those that have come with the process's end; NULL: none */
    size_t last_bytes;
    uint32_t
        waves[WT_WIRE_DEVICES]; /**< waves of each GPU: the debugger counts them through all GPUs */
};

/** Splits a wave's number into its GPU and its slot there. WT_NO_HANDLE stays as it is. */
void wt_process_link_locate(const struct wt_process_link *link, uint32_t wave,
                            struct wt_wire_request *request);
/** The number of a GPU's first wave. */
uint32_t wt_process_link_first(const struct wt_process_link *link, uint32_t device);

/**
 * Connects to the program at @p place (its socket of @p kind), and greets it: @p link->hello says
 * what GPUs of @p family (WT_WIRE_FAMILY()) it has. WT_INVALID: it has no socket; WT_STATE: another
 * debugger is there; WT_UNSUPPORTED: it has another version. Closed by wt_process_link_close(),
 * also after an error.
 */
enum wt_status wt_process_link_open(struct wt_process_link *link,
                                    const struct wt_process_place *place, const char *kind,
                                    uint32_t family, struct wt_error *err);
/** Disconnects, and frees what the link has allocated. */
void wt_process_link_close(struct wt_process_link *link);
/** Asks once more for link->hello; *code becomes the state of the list of code. */
enum wt_status wt_process_link_hello(struct wt_process_link *link, uint64_t *code,
                                     struct wt_error *err);

/** Sends a request, and request->follows bytes at @p more; receives its answer, and up to @p room
 * bytes that follow it to @p out. WT_IO: the process has ended, or its end of the connection makes
 * no sense. WT_TIMEOUT: it has not answered for some seconds; should its answer come later, the
 * next request drops it. */
enum wt_status wt_process_link_ask(struct wt_process_link *link,
                                   const struct wt_wire_request *request, const void *more,
                                   struct wt_wire_answer *answer, void *out, size_t room,
                                   struct wt_error *err);
/** A request without bytes, whose answer has none. */
enum wt_status wt_process_link_tell(struct wt_process_link *link, struct wt_wire_request request,
                                    struct wt_wire_answer *answer, struct wt_error *err);

/** The fault for which the wave that @p device, its slot @p wave and @p id name stands where it is.
 * False: none. */
bool wt_process_link_fault(struct wt_process_link *link, uint32_t device, uint32_t wave,
                           uint64_t id, struct wt_fault *fault);
/** A watchpoint as the wire has it, at the address that the process has for it. */
static inline struct wt_wire_watch wt_process_link_watched(const struct wt_watchpoint *w,
                                                           uint64_t addr)
{
    static const uint32_t kinds[] = {[WT_WATCHPOINT_WRITE] = WT_WIRE_WATCH_WRITE,
                                     [WT_WATCHPOINT_READ] = WT_WIRE_WATCH_READ,
                                     [WT_WATCHPOINT_ACCESS] = WT_WIRE_WATCH_ACCESS,
                                     [WT_WATCHPOINT_EXECUTE] = WT_WIRE_WATCH_EXECUTE,
                                     [WT_WATCHPOINT_MISTAKE] = WT_WIRE_WATCH_MISTAKE};
    return (struct wt_wire_watch){.kind = kinds[w->kind],
                                  .wave = w->kind == WT_WATCHPOINT_MISTAKE ? WT_NO_HANDLE : w->wave,
                                  .home = w->home,
                                  .owner = w->owner,
                                  .addr = addr,
                                  .size = w->size,
                                  .rule = w->rule};
}
/** An access as the debugger has it. */
struct wt_watchpoint_hit wt_process_link_hit(const struct wt_wire_hit *from);
/** A link's operations (debug/standstill/link.h); the context is the struct wt_process_link. */
extern const struct wt_link_ops wt_process_link_ops;

/**
 * Puts what all host programs offer into @p services, whose context is the link: why waves wait,
 * their faults, core files.
 */
void wt_process_link_offer(struct wt_target_services *services);
/** The ones by which the process judges breakpoints. */
void wt_process_link_offer_judge(struct wt_target_services *services);
/** Has the services tell where lanes of a wave wait, too: the family's driver tells them. */
void wt_process_link_offer_detail(struct wt_target_services *services);
/** Reads the object that a request names to its end: request->value is the offset. A NUL follows.
 * The caller frees *bytes, which is NULL if there is nothing. WT_INVALID: it is refused, or does
 * not end. */
enum wt_status wt_process_link_read_all(struct wt_process_link *link,
                                        struct wt_wire_request request, uint8_t **bytes,
                                        size_t *length, struct wt_error *err);
/** A list of structs of @p size bytes that one answer gives; the caller frees *list. */
enum wt_status wt_process_link_list(struct wt_process_link *link, uint32_t verb, size_t size,
                                    void **list, size_t *count, struct wt_error *err);
/** Has the process keep its memory at its end until the connection is closed. */
enum wt_status wt_process_link_want_memory(struct wt_process_link *link, struct wt_error *err);
/** The memory of one GPU after the process's end: see wt_process_final_memory(). */
void wt_process_link_final_memory(struct wt_process_link *link, uint32_t device,
                                  wt_process_piece_fn *found, void *context);

/** Calls @p found for each process of this user that answers at a socket of @p kind. */
enum wt_status wt_process_link_each(const char *kind, uint32_t family,
                                    void (*found)(void *context, int pid, unsigned gpus,
                                                  const char *name),
                                    void *context, struct wt_error *err);

#endif
