/*
 * How a probe over standstills reaches a program, whatever its family. There are three ways: a
 * device in this process (target/local_link.c), a host process (debug/process/link.c), and a GPU
 * that no program uses (target/no_process.c).
 */
#ifndef WT_DEBUG_STANDSTILL_LINK_H
#define WT_DEBUG_STANDSTILL_LINK_H

#include "debug/core/target.h"
#include "object/process_wire.h"

/** Events of the program. */
struct wt_link_event {
    bool attention;      /**< the debug hardware has something to tell: a standstill shows what */
    bool code;           /**< the list of modules has changed since code_known() */
    uint64_t code_state; /**< code: a number for what the list is like now */
};

/** A piece of memory as a wave's first lane sees it. */
struct wt_link_piece {
    wt_wave_handle wave;
    uint64_t addr;
    void *bytes;
    uint32_t size; /**< at least 1 */
    bool absent;   /**< there is no such memory */
};

/** The operations of a link. A failure is WT_IO where the link is broken, WT_INVALID where there is
 * no such memory. GPUs and waves are numbered as the debugger counts them: through all GPUs. */
struct wt_link_ops {
    /** Memory as a lane of a wave sees it. */
    enum wt_status (*read)(void *context, wt_wave_handle wave, unsigned lane, uint64_t addr,
                           void *out, size_t size, struct wt_error *err);
    enum wt_status (*write)(void *context, wt_wave_handle wave, unsigned lane, uint64_t addr,
                            const void *bytes, size_t size, struct wt_error *err);
    /** Reads or writes some pieces, one or more, in one message. NULL: read() and write() do. */
    enum wt_status (*transfer)(void *context, struct wt_link_piece *list, size_t count, bool write,
                               struct wt_error *err);
    /** Reads and writes registers of a GPU's debug hardware, in their order. */
    enum wt_status (*registers)(void *context, uint32_t gpu, struct wt_wire_register *list,
                                size_t count, struct wt_error *err);
    /** Reads the events. With @p wait the device first goes on for a moment, until it has
     * something to tell, if that is soon. */
    enum wt_status (*event)(void *context, bool wait, struct wt_link_event *event,
                            struct wt_error *err);
    /** The debugger knows the list of modules in this state: launches that wait for that go on.
     * NULL: modules do not come and go. */
    enum wt_status (*code_known)(void *context, uint64_t state, struct wt_error *err);
    /** Sets the ranges that the emulated device watches; they replace those of the last call. A
     * range of wave WT_NO_HANDLE is the same memory for all waves. NULL: the target has a service
     * for it, or only hardware watches. */
    enum wt_status (*watch)(void *context, const struct wt_wire_watch *list, size_t count,
                            struct wt_error *err);
    /** Takes the accesses to these ranges since the last call; the caller frees *list. NULL where
     * watch is. */
    enum wt_status (*take_hits)(void *context, struct wt_wire_hit **list, size_t *count,
                                struct wt_error *err);
    /** Whether the program has ended, with which status and words for people. */
    bool (*ended)(void *context, uint32_t *status, char *text, size_t size);
    /** Runs the kernel from its beginning in memory as it is. NULL: only the program can do that.
     */
    enum wt_status (*reset)(void *context, struct wt_error *err);
    /** Sends a request whose verb is one of the family's (object/process_wire.h), with
     * request->follows bytes at @p more. It goes to the GPU of request->wave; WT_NO_HANDLE: to the
     * first. The answer's bytes go to @p out, @p room at most. */
    enum wt_status (*ask)(void *context, const struct wt_wire_request *request, const void *more,
                          struct wt_wire_answer *answer, void *out, size_t room,
                          struct wt_error *err);
};

/** The structure that `link` of a target points to. It must outlive the probe. */
struct wt_link {
    const struct wt_link_ops *ops;
    void *context;
    bool host_launches;              /**< a host program launches kernels: idle is not the end */
    uint32_t gpus;                   /**< 1 to WT_WIRE_DEVICES */
    uint32_t units[WT_WIRE_DEVICES]; /**< units of each GPU, in the family's measure (struct
                                        wt_wire_hello); waves are numbered through */
    uint64_t place[4];               /**< addresses, as the family has them */
};

/** Sends a request that is answered by exactly @p size bytes; WT_UNSUPPORTED: it is refused. */
enum wt_status wt_link_ask(const struct wt_link *link, const struct wt_wire_request *request,
                           const void *more, struct wt_wire_answer *answer, void *out, size_t size,
                           struct wt_error *err);

/** Reads or writes some pieces, in one message where the link has messages. A piece that is absent
 * is no error. */
enum wt_status wt_link_transfer(const struct wt_link *link, struct wt_link_piece *list,
                                size_t count, bool write, struct wt_error *err);

/** Reads memory as a lane of a wave sees it. */
static inline enum wt_status wt_link_read(const struct wt_link *link, wt_wave_handle wave,
                                          unsigned lane, uint64_t addr, void *out, size_t size,
                                          struct wt_error *err)
{
    return link->ops->read(link->context, wave, lane, addr, out, size, err);
}

/** Writes it. */
static inline enum wt_status wt_link_write(const struct wt_link *link, wt_wave_handle wave,
                                           unsigned lane, uint64_t addr, const void *bytes,
                                           size_t size, struct wt_error *err)
{
    return link->ops->write(link->context, wave, lane, addr, bytes, size, err);
}

#endif
