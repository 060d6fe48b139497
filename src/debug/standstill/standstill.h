/*
 * The common part of probes whose hardware brings all waves to a standstill to examine one: gcn
 * suspends queues, gen has threads wait in the system routine, sm locks SMs down. The probe keeps a
 * table of waves, each of which is to run or not. Between two operations waves stand still only if
 * none of them is to run. A family adds its link, its registers and the functions of struct
 * wt_standstill_ops; the functions below are its operations of debug/core/probe.h.
 */
#ifndef WT_DEBUG_STANDSTILL_STANDSTILL_H
#define WT_DEBUG_STANDSTILL_STANDSTILL_H

#include <assert.h>

#include "debug/core/probe.h"
#include "debug/standstill/link.h"

/** A row of the table: a slot of the device, and the wave that was found in it last. A family's row
 * begins with it. */
struct wt_standstill_row {
    struct wt_wave wave; /**< without core and slot; WT_NO_WAVE: never bound */
    bool present;        /**< it is active */
    bool run;            /**< it is to run when the others do */
    bool step;           /**< by one instruction */
    bool held;           /**< it is to run, and waits for a moment in which others must not */
    bool told;           /**< the debugger has heard of its exception; false again as it runs */
    enum wt_halt_cause cause;
};

/** A kernel launch of which waves were found. */
struct wt_standstill_launch {
    uint64_t number;    /**< from 1: the driver's, or else of the session */
    uint64_t key[2];    /**< the device's name for it since the last reset */
    unsigned run;       /**< resets before it */
    uint32_t groups[3]; /**< groups of the whole grid; 0 until the family fills in these three */
    uint32_t block[3];  /**< work-items of a group */
    uint32_t grid[3];   /**< work-items in all */
    uint64_t arguments; /**< as in struct wt_wave */
};

/** The operations of a family. */
struct wt_standstill_ops {
    /** Brings all waves to a standstill, sets `still` once that is so, and brings the rows up to
     * date. */
    enum wt_status (*stop)(struct wt_probe *p, struct wt_error *err);
    /** Lets those waves go on that are to run; only: that wave alone, or WT_NO_HANDLE. Waves that
     * begin meanwhile wait if `hold` or @p only says so. */
    enum wt_status (*go)(struct wt_probe *p, uint32_t only, struct wt_error *err);
    /** Reads the events as the link's operation does. NULL: that does all. */
    enum wt_status (*event)(struct wt_probe *p, bool wait, struct wt_link_event *event,
                            struct wt_error *err);
    /** Changes that the debugger makes to waves at a standstill reach the device only when they go.
     * So at a stop of all waves they go, halted, and stand still again: then the device's state has
     * the changes.
     */
    bool settles;
    /** event() without @p wait brings the rows up to date, too, unless there is an attention. */
    bool event_reads_rows;
    /** A row's next instruction, and its lanes enabled. */
    void (*view)(const struct wt_standstill_row *row, uint64_t *pc, wt_lanes *mask);
    /** An active wave is resumed, or stepped (@p step): one that has failed, of which the debugger
     * knows, may do what it would do without a debugger. NULL: waves go on. */
    enum wt_status (*give_up)(struct wt_probe *p, wt_wave_handle wave, bool step,
                              struct wt_error *err);
    /** The exception that a row has stopped for (WT_HALT_EXCEPTION), in words. */
    void (*exception)(const struct wt_standstill_row *row, struct wt_probe_exception *exception);
    /** Resets the program's side, so that waves begin held. NULL: the link's
     * operation does all. */
    enum wt_status (*reset)(struct wt_probe *p, struct wt_error *err);
    /** The probe's operation read_rows, of a wave that is active, during a standstill. */
    enum wt_status (*read_rows)(struct wt_probe *p, wt_wave_handle wave, wt_lanes lanes,
                                const unsigned *index, size_t count, uint8_t *out,
                                struct wt_error *err);
    /** The probe's operation write_row, likewise. */
    enum wt_status (*write_row)(struct wt_probe *p, wt_wave_handle wave, wt_lanes lanes,
                                unsigned index, const uint8_t *bytes, struct wt_error *err);
};

/** How a family's probe begins and ends. */
struct wt_standstill_kind {
    const struct wt_standstill_ops *ops;
    size_t probe_size; /**< bytes of its struct wt_probe */
    size_t row_size;   /**< bytes of its row */
    /**
     * Describes the GPUs of the link: fills in the topology, but for what the link says by itself
     * and the number of waves, with its spaces and registers. The rest of the probe is zeros.
     */
    enum wt_status (*describe)(struct wt_probe *p, struct wt_error *err);
    /** Debugging begins. NULL: nothing is to be done. */
    enum wt_status (*begin)(struct wt_probe *p, struct wt_error *err);
    /** Debugging ends: the waves go on as they would without. NULL: likewise. */
    void (*end)(struct wt_probe *p);
    /** Frees what the family's part has. NULL: nothing. */
    void (*free)(struct wt_probe *p);
};

/** The shared part of a probe. A family's struct wt_probe begins with it. */
struct wt_standstill {
    const struct wt_standstill_kind *kind;
    const struct wt_standstill_ops *ops; /**< the kind's */
    const struct wt_link *link;
    const struct wt_target *target;
    struct wt_driver_watches *watches; /**< watches of a family whose driver watches memory */
    bool port;                         /**< the target's memory port may be used */
    struct wt_topology topology;
    unsigned device_cores[WT_WIRE_DEVICES]; /**< the topology's; the link's units, until the family
                                               says otherwise */
    struct wt_register *registers;          /**< the topology's */
    char (*names)[8];                       /**< names of registers */
    void *rows;                             /**< topology.waves of them */
    bool still;    /**< all waves stand still, and the rows are as they are */
    bool stays;    /**< a wave has stepped, maybe off a breakpoint that is not in memory again: all
                      stay where they are until the next scan or resume */
    unsigned kept; /**< a standstill lasts: so many wt_standstill_keep() are not ended */
    bool hold;     /**< waves that begin are held */
    bool went;     /**< a wave has been resumed or stepped */
    bool told_end;
    bool scanned;                 /**< the waves have been listed once */
    bool code_told;               /**< clients do not know yet that modules came or went */
    uint64_t code_state;          /**< then: of their list */
    uint64_t code_given;          /**< its state when next_event() last told of a change */
    unsigned run;                 /**< resets so far */
    struct wt_probe_event *event; /**< to be told */
    size_t event_count, event_capacity, first_event;
    struct wt_watchpoint_hit *hit; /**< that the debugger has yet to hear of, as they were found */
    size_t hit_count, hit_capacity;
    struct wt_watched_values *values_given; /**< values of the hit that was removed last */
    struct wt_standstill_launch *launch;    /**< in the order in which they were found */
    size_t launch_count, launch_capacity;
};

/** The shared part of a probe. */
static inline struct wt_standstill *wt_standstill_of(struct wt_probe *p)
{
    return (struct wt_standstill *)p;
}

/** The row of a handle below topology.waves, bound or not. */
static inline struct wt_standstill_row *wt_standstill_row(const struct wt_probe *p,
                                                          wt_wave_handle wave)
{
    const struct wt_standstill *s = (const struct wt_standstill *)p;
    assert(wave < s->topology.waves);
    return (void *)((uint8_t *)s->rows + wave * s->kind->row_size);
}

/** Whether the active wave in row @p wave, which there need not be, is the one that a driver's
 * record names: another one may have come into the slot. */
static inline bool wt_standstill_is_in(const struct wt_probe *p, wt_wave_handle wave, wt_wave_id id)
{
    return wave < ((const struct wt_standstill *)p)->topology.waves &&
           wt_standstill_row(p, wave)->present && wt_standstill_row(p, wave)->wave.id == id;
}

/* ---- table.c: who is there ---- */

/** Opens a probe of a family, whose link is the target's: of the kind that @p ops names. */
enum wt_status wt_standstill_open(const struct wt_probe_ops *ops, const struct wt_target *target,
                                  bool use_memory_port, struct wt_probe **probe,
                                  struct wt_error *err);
/** Ends debugging, and frees the probe. */
void wt_standstill_close(struct wt_probe *p);
/** Registers that are numbered. */
struct wt_register_range {
    const char *prefix; /**< prefix of their names, before the number; NULL ends a list of ranges */
    unsigned from, count;
    uint32_t step;            /**< from one code to the next */
    struct wt_register first; /**< `number`, and `dwarf` where there is one, count up */
};

/** The probe's operation window: by the topology's code_granule and code_longest. */
WT_PROBE_FN(window) wt_standstill_window;

/** Describes the topology's registers: @p count of them have names, the first of which is the pc,
 * then come the ranges. WT_NO_MEMORY. */
enum wt_status wt_standstill_describe_registers(struct wt_probe *p, const struct wt_register *named,
                                                size_t count, const struct wt_register_range *range,
                                                struct wt_error *err);
/** The GPU of a core, which are numbered through; *first becomes its first one. */
uint32_t wt_standstill_gpu_of(const struct wt_probe *p, uint32_t core, uint32_t *first);
/** An id for a wave that has none from its driver: its dispatch, group and index. The grid has so
 * many groups. */
wt_wave_id wt_standstill_name(const struct wt_wave *wave, const uint32_t groups[3]);
/** Whether a host program has ended; then it has no waves any more, and nothing is asked of it. */
bool wt_standstill_has_ended(struct wt_probe *p);
/** The sets that scan() fills in, as the rows are. */
void wt_standstill_list(const struct wt_probe *p, struct wt_wave_set *active,
                        struct wt_wave_set *halted);
WT_PROBE_FN(topology) wt_standstill_topology;
WT_PROBE_FN(summary) wt_standstill_summary;
WT_PROBE_FN(wave_id) wt_standstill_wave_id;
WT_PROBE_FN(describe_wave) wt_standstill_describe_wave;
/** The probe's operation replaced: rows keep the waves' names; the rest is read at the next
 * standstill. */
WT_PROBE_FN(replaced) wt_standstill_replaced;

/* ---- events.c: the launches, and the queue of events ---- */

/** Queues an event for next_event(). WT_NO_MEMORY. */
enum wt_status wt_standstill_push(struct wt_probe *p, struct wt_probe_event event,
                                  struct wt_error *err);
/** Before waves are listed: none is there. */
void wt_standstill_begin_list(struct wt_probe *p);
/**
 * The launch of a wave that is listed: by @p number, its number among the launches of the program,
 * which the driver knows. Where it is 0, hardware's name for it, @p key, tells launches apart, and
 * those that were found are counted. It stays valid until the next call. WT_NO_MEMORY.
 */
enum wt_status wt_standstill_find_launch(struct wt_probe *p, uint64_t number, const uint64_t key[2],
                                         struct wt_standstill_launch **launch,
                                         struct wt_error *err);
/** Forgets all launches and events: no client has seen those before the first run. */
void wt_standstill_forget(struct wt_probe *p);
/** Resets the program's side by the link, for the family's operation reset. */
enum wt_status wt_standstill_reset_program(struct wt_probe *p, struct wt_error *err);
WT_PROBE_FN(next_event) wt_standstill_next_event;

/* ---- hits.c: accesses to watched memory ---- */

/**
 * During a standstill: an active wave's instruction at @p pc, which is done, has accessed what
 * @p asked watches. The family halts the wave. Accesses of other lanes
 * by the same instruction become one. @p values: NULL: memory is as the access has left it.
 * WT_NO_MEMORY.
 */
enum wt_status wt_standstill_note_hit(struct wt_probe *p, wt_wave_handle wave,
                                      const struct wt_watchpoint *asked, uint64_t pc,
                                      wt_lanes lanes, const struct wt_watched_values *values,
                                      struct wt_error *err);
/** Likewise, of an access that a check has refused, as the device tells it. */
enum wt_status wt_standstill_note_mistake(struct wt_probe *p, const struct wt_watchpoint_hit *hit,
                                          struct wt_error *err);
/** Forgets all that were noted. */
void wt_standstill_drop_hits(struct wt_standstill *s);
/** Several waves have yet to be told to have accessed what @p asked watches, and which of them was
 * the last is not known: neither is what each has left there (WT_WATCHED_MIXED). */
void wt_standstill_mix_hits(struct wt_probe *p, const struct wt_watchpoint *asked);
/** Whether the debugger has yet to hear of an access of a wave. */
bool wt_standstill_has_hit(const struct wt_probe *p, wt_wave_handle wave);
/** Whether the debugger has yet to hear why a wave stands still: of an access, or of the exception
 * that is its cause. Several waves may have one before all stand still, and the debugger hears of
 * one a stop. The wave stays halted when it is resumed or stepped. */
bool wt_standstill_has_news(const struct wt_probe *p, wt_wave_handle wave);
/** Only @p list is watched from now on: accesses to the rest are forgotten. */
void wt_standstill_keep_hits(struct wt_probe *p, const struct wt_watchpoint *list, size_t count);
/** The probe's operation watched: the first access of the wave, which is then told. */
WT_PROBE_FN(watched) wt_standstill_watched;
WT_PROBE_FN(first_watched) wt_standstill_first_watched;

/* ---- run.c: run control: halting all waves, and resuming those that run ---- */

/** Brings all waves to a standstill if they run. */
enum wt_status wt_standstill_hold(struct wt_probe *p, struct wt_error *err);
/** Ends a look with go(); its failure is told where that of the look, @p status, is
 * not. */
enum wt_status wt_standstill_end_look(struct wt_probe *p, enum wt_status status,
                                      struct wt_error *err);
/** Brings all waves to a standstill to look at one. WT_STATE: it has ended. */
enum wt_status wt_standstill_look(struct wt_probe *p, wt_wave_handle wave, struct wt_error *err);
WT_PROBE_FN(scan) wt_standstill_scan;
WT_PROBE_FN(keep_still) wt_standstill_keep;
WT_PROBE_FN(modules_known) wt_standstill_modules_known;
WT_PROBE_FN(hold_launches) wt_standstill_hold_launches;
WT_PROBE_FN(halt) wt_standstill_halt;
WT_PROBE_FN(resume) wt_standstill_resume;
WT_PROBE_FN(step) wt_standstill_step;
WT_PROBE_FN(step_poll) wt_standstill_step_poll;
WT_PROBE_FN(halt_cause) wt_standstill_halt_cause;
WT_PROBE_FN(mask) wt_standstill_mask;
/** The probe's operation exception: the debugger hears of it. */
WT_PROBE_FN(exception) wt_standstill_exception;
WT_PROBE_FN(reset_halted) wt_standstill_reset_halted;
WT_PROBE_FN(read_rows) wt_standstill_read_rows;
WT_PROBE_FN(write_row) wt_standstill_write_row;

/** Those operations of a probe that are the same for all families, as initializers of a struct
 * wt_probe_ops. A family that does more for one of them names it behind this, by itself. */
#define WT_STANDSTILL_OPERATIONS                                                                   \
    .close = wt_standstill_close, .topology = wt_standstill_topology,                              \
    .summary = wt_standstill_summary, .scan = wt_standstill_scan,                                  \
    .wave_id = wt_standstill_wave_id, .describe_wave = wt_standstill_describe_wave,                \
    .next_event = wt_standstill_next_event, .keep_still = wt_standstill_keep,                      \
    .modules_known = wt_standstill_modules_known, .hold_launches = wt_standstill_hold_launches,    \
    .open = wt_standstill_open, .halt = wt_standstill_halt, .step_poll = wt_standstill_step_poll,  \
    .halt_cause = wt_standstill_halt_cause, .exception = wt_standstill_exception,                  \
    .mask = wt_standstill_mask, .reset_halted = wt_standstill_reset_halted,                        \
    .read_rows = wt_standstill_read_rows, .resume = wt_standstill_resume,                          \
    .step = wt_standstill_step, .watched = wt_standstill_watched,                                  \
    .first_watched = wt_standstill_first_watched, .write_row = wt_standstill_write_row

#endif
