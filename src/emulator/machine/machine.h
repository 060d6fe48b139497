/*
 * The interface of every emulated GPU: a machine with a clock of issues that can be reset, run for
 * a number of issues, inspected and hashed. A family embeds struct wt_machine as the first member
 * of its device.
 */
#ifndef WT_EMULATOR_MACHINE_MACHINE_H
#define WT_EMULATOR_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/lanes.h"
#include "base/wave_name.h"
#include "base/wave_view.h"
#include "emulator/machine/code_pages.h"
#include "emulator/machine/heads.h"
#include "emulator/machine/memory.h"
#include "emulator/machine/run.h"
#include "emulator/machine/schedule.h"
#include "emulator/machine/watch.h"
#include "base/error.h"

struct wt_address_map;
struct wt_array_access;
struct wt_archive;
struct wt_copy;
struct wt_device_config;
struct wt_engine_ops;
struct wt_explanation;
struct wt_insn_operand;
struct wt_insn_operands;
struct wt_memory_model;
struct wt_operand_file;
struct wt_region;
struct wt_spans;
struct wt_watch_set;
struct wt_judge;
struct wt_origin;
struct wt_observer;
struct wt_profile;
struct wt_trace;
struct wt_unwritten;

/** One entry of a wave's divergence stack, lowest first. */
struct wt_divergence {
    wt_lanes restore; /**< lanes enabled when it is popped */
    wt_lanes other;   /**< lanes that wait, for their turn or for the others to come together */
    uint64_t pc;      /**< where those lanes wake up */
};

struct wt_machine;
struct wt_insn_pace;
struct wt_pace_table;
struct wt_observed_piece;

/** A register of the family's table. */
struct wt_register_shape {
    unsigned bytes; /**< bytes of its value, or of one lane's: 1 to WT_REGISTER_BYTES */
    bool per_lane; /**< each lane has its own; else it is the wave's, the group's or the device's */
};

/** The widest register of any family. */
#define WT_REGISTER_BYTES 32
#define WT_ROW_BYTES (WT_MAX_LANES * WT_REGISTER_BYTES)

enum { WT_UNWRITTEN = 8 };
/** Of wt_machine_ops.unwritten. */
#define WT_UNTOLD SIZE_MAX
/** Of wt_machine_ops.lane_sources. */
enum { WT_NO_LANE = 0xff, WT_ZERO_LANE = 0xfe };

/** Takes one issue after it has had its effect (trace.h). Nothing in @p trace outlives the call. */
typedef void (*wt_trace_fn)(void *context, const struct wt_trace *trace);

/** The loop of a load, as its code says. */
enum wt_code_loop {
    WT_LOOP_UNKNOWN, /**< none, or nobody knows */
    WT_LOOP_COUNTS,  /**< nothing that decides when it ends comes of the load */
    WT_LOOP_WAITS,   /**< it loads from one place till that has another value */
};

/** The operations of a machine. No operation of any family is NULL (wt_machine_init). */
struct wt_machine_ops {
    const char *family;
    const char *wave_word; /**< what the family calls a wave */
    void (*free)(struct wt_machine *m);
    /** Restores the state after reset: registers, waves, clock. Memory and debug hardware stay. */
    void (*reset)(struct wt_machine *m);
    /** Runs at most @p issues wave-instructions. The number of issues that one call is asked for
     * must not matter to the states: run(a) and then run(b) do the same as run(a + b), as long as
     * the first one returns WT_RUN_BUDGET. */
    enum wt_run (*run)(struct wt_machine *m, uint64_t issues);
    /** The same, calling @p fn for each issue. Slower, the same states. */
    enum wt_run (*run_traced)(struct wt_machine *m, uint64_t issues, wt_trace_fn fn, void *context);
    /** A hash of the whole architectural state, memory included. */
    uint64_t (*hash)(struct wt_machine *m);
    /** The same without what only the debug hardware holds: halts, steps, debug scratch registers.
     */
    uint64_t (*program_hash)(struct wt_machine *m);
    /** Describes wave @p wave (0 .. waves-1). */
    void (*view)(struct wt_machine *m, uint32_t wave, struct wt_wave_view *view);
    /** The fault, other than the machine's, for which a wave stands where it is; NULL: none. */
    struct wt_fault *(*wave_fault)(struct wt_machine *m, uint32_t wave);
    /** Entry @p index (0 .. depth-1) of the wave's divergence stack; false when there is none. */
    bool (*divergence)(struct wt_machine *m, uint32_t wave, unsigned index,
                       struct wt_divergence *entry);
    /**
     * Copies memory as lane @p lane of wave @p wave sees it; false past the end of the address
     * space, and where nothing of that wave or lane is (local and private memory). A wave or lane
     * that does not exist sees what all waves share.
     */
    bool (*read_memory)(struct wt_machine *m, uint32_t wave, unsigned lane, uint64_t addr,
                        void *out, size_t size);
    bool (*write_memory)(struct wt_machine *m, uint32_t wave, unsigned lane, uint64_t addr,
                         const void *bytes, size_t size);
    /**
     * Explains how lane @p lane of wave @p wave has an address translated; false where there is no
     * such wave or lane.
     */
    bool (*explain)(struct wt_machine *m, uint32_t wave, unsigned lane, uint64_t addr,
                    struct wt_explanation *out);
    /** Describes register @p number of the family's table; false if there is none. */
    bool (*describe_register)(struct wt_machine *m, unsigned number, struct wt_register_shape *reg);
    /**
     * Copies register @p number of a wave (0 .. waves-1) to @p out, little-endian: the value, or
     * those of all lanes, lane 0 first; wt_row_bytes() in all. False, and nothing copied, if
     * there is none, or the wave has none now (gcn: it is not active, or has fewer). Changes
     * nothing.
     */
    bool (*read_row)(struct wt_machine *m, uint32_t wave, unsigned number, void *out);
    /** Reads a register of the debug hardware, which may have an effect, too. */
    uint32_t (*debug_read)(struct wt_machine *m, uint32_t addr);
    /** Writes a register of the debug hardware. */
    void (*debug_write)(struct wt_machine *m, uint32_t addr, uint32_t value);
    /** Hands lines that are not complete yet to the console. */
    void (*flush_console)(struct wt_machine *m);

    /**
     * Lists the parts of the state but memory, once for snapshots and core files (archive.h): it
     * writes them, or reads them back, and then recomputes what follows from them.
     */
    void (*state)(struct wt_machine *m, struct wt_archive *a);
    /**
     * Adds [first, last], as a watch's wave sees it, to the watched ranges (watch_set.h); false
     * without host memory.
     */
    bool (*watch_range)(struct wt_machine *m, const struct wt_watch *watch, uint64_t first,
                        uint64_t last, struct wt_spans *spans);
    /**
     * Identifies the memory that an address reaches as a wave sees it now (wt_watch.home);
     * WT_HOME_NOW where it is the same at any time.
     */
    uint64_t (*home)(struct wt_machine *m, uint32_t wave, uint64_t addr);
    /** Lists what the instruction at @p pc reads and writes: of wave @p wave, which is about to
     * execute it, or (UINT32_MAX) whoever executes it, without what registers choose. False: there
     * is none, or its family does not say. */
    bool (*operands)(struct wt_machine *m, uint32_t wave, uint64_t pc,
                     struct wt_insn_operands *operands);
    /** The translated code for observers that wave @p wave executes from @p pc on (observe.h): its
     * number, which no other has, and (@p piece not NULL) its instructions. 0: there is none. */
    uint64_t (*piece)(struct wt_machine *m, uint32_t wave, uint64_t pc,
                      struct wt_observed_piece *piece);
    /** The loop of the load at @p load, as the code says: in one that waits, whose first turn a
     * compiler may have put before it, the load is an atomic one. WT_LOOP_UNKNOWN, too, where the
     * family does not look for them. */
    enum wt_code_loop (*loop)(struct wt_machine *m, uint32_t wave, uint64_t load);
    /** Whether the load at @p load and the store at @p store, which access one place, are atomic
     * ones, as the fences beside them say: the load acquires what the store releases. False, too,
     * where the family does not look for them. */
    bool (*fenced)(struct wt_machine *m, uint32_t wave, uint64_t load, uint64_t store);
    /** Whether the load at @p load is a guess, as the code says: a compare-and-swap of its place
     * comes behind it, which proves it, and is repeated without it. False, too, where the family
     * does not look for them. */
    bool (*guesses)(struct wt_machine *m, uint32_t wave, uint64_t load);
    /** Where the addresses come from that the function at [first, end) accesses, as its code says
     * (origin.h, wt_origins_find); wave @p wave is in it. */
    struct wt_origin *(*origins)(struct wt_machine *m, uint32_t wave, uint64_t first, uint64_t end,
                                 size_t *count);
    /**
     * The addresses from which the access of private memory at @p pc, in the function that begins
     * at @p first (0: not known), counts elements, as the code says: at[lane], of @p lanes, is the
     * address that is accessed, and becomes that one; *@p access keeps what was found out. False:
     * nobody says.
     */
    bool (*array)(struct wt_machine *m, uint32_t wave, uint64_t first, uint64_t pc,
                  struct wt_array_access *access, wt_lanes lanes, uint64_t *at);
    /** Where in private memory a lane has the frame of the function that its wave executes, if it
     * has one. */
    uint64_t (*frame)(struct wt_machine *m, uint32_t wave, unsigned lane);
    /** The register that the debugger calls @p name, as an operand; false: it is no value. */
    bool (*find_operand)(const char *name, struct wt_insn_operand *operand);
    /** The value of 32 bits of a wave's registers, of those that operands() lists: cell N of a file
     * has bits 32 N and following ones of its registers, one behind the other, of each those of all
     * lanes where it has one for each. False, and 0: there is none. */
    bool (*read_cell)(struct wt_machine *m, uint32_t wave, unsigned file, uint64_t cell,
                      uint32_t *value);
    /** Lists the registers of a wave that begins which nothing has given a value; WT_UNTOLD: its
     * family does not say. @p list has room for WT_UNWRITTEN. */
    size_t (*unwritten)(struct wt_machine *m, uint32_t wave, struct wt_unwritten *list);
    /** Which memory an address leads a lane of a wave that is there to, as observers are told of an
     * access (struct wt_observed): *space is an enum wt_observed_space; *at, which is the address,
     * becomes the place in it, and *home says of which group it is. */
    void (*observed_place)(struct wt_machine *m, uint32_t wave, unsigned lane, uint64_t *at,
                           unsigned *space, uint64_t *home);
    /** From which lane each lane takes the value of operands that cross lanes, in the instruction
     * that a wave is about to execute: a number of a lane; WT_NO_LANE: the result stays as it is;
     * WT_ZERO_LANE: from none, and 0. False: it is not known. */
    bool (*lane_sources)(struct wt_machine *m, uint32_t wave, uint64_t pc, uint8_t *from);
    /** What a program must do before and behind the instruction at @p pc, as pace_table says.
     * False: there is none, or its family has no such rules. */
    bool (*pace)(struct wt_machine *m, uint64_t pc, struct wt_insn_pace *pace);
    const struct wt_pace_table *pace_table; /**< no rules, where a family has none */
    /** Its name: that of a register that operands() lists. */
    void (*name_operand)(const struct wt_insn_operand *operand, char *text, size_t size);
    const struct wt_operand_file *operand_files; /**< by wt_insn_operand.file */
    const struct wt_address_map *map; /**< for the functions of mapped.h that are operations */
    const struct wt_memory_model *memory_model;
};

/** The type of an operation: WT_MACHINE_FN(read_row) gcn_read_row; declares one. */
#define WT_MACHINE_FN(operation) __typeof__(*((struct wt_machine_ops *)0)->operation)

/** Takes what a program prints: one whole line, without its line end, of console @p slot. */
typedef void (*wt_console_fn)(void *context, unsigned slot, const char *line, size_t length);

/** The addresses that a program may use (regions.h). */
struct wt_regions {
    struct wt_region *region; /**< sorted by address */
    size_t count, room;
    /** Of memory that a program may use without having asked for it: whether the region of an
     * address, in which none is, has been added (wt_regions_lend). NULL: there is none such. */
    bool (*lends)(void *context, uint64_t addr);
    void *context; /**< for it */
};

/**
 * The pages of a copy that threads of the process may use (wt_copy.shared), by address. Where a
 * recorded run returned depends on them: an atomic there ends it. A device that was read from a
 * core file has no copy, but this list.
 */
struct wt_shared_pages {
    uint64_t *page;
    size_t count;
};

/** The host process of a device (copy.h): the one that it is in, or was in when its core file was
 * written. All 0: it has never been in one. */
struct wt_in_process {
    bool hosted;                   /**< it is in a host process, or was recorded in one */
    struct wt_memory *memory;      /**< the process's; NULL: the device is in none now */
    const struct wt_copy *copy;    /**< the device's memory is a copy of it; NULL: it is `memory` */
    struct wt_shared_pages shared; /**< pages of a recorded run that was read from a core file */
};

struct wt_machine {
    const struct wt_machine_ops *ops;
    const struct wt_engine_ops *engine; /**< what the family does for the run loop (engine.h) */
    const void *config;                 /**< the device's, as its family has it */
    uint64_t time;                      /**< issue time: wave-instructions issued since reset */
    uint64_t resets;     /**< how often it was reset: each begins a new count of issue time */
    uint64_t runs;       /**< runs before this one: resets after which something had been issued */
    uint32_t device;     /**< its number among the devices of a program, from 0; at most 15 */
    uint32_t first_core; /**< cores of the devices before it: names of waves count them */
    uint32_t waves;      /**< how many there are */
    unsigned lanes;      /**< lanes of a wave */
    void *wave;          /**< the waves, by slot, each with its head first */
    size_t wave_bytes;   /**< size of one of them */
    struct wt_fault fault;
    struct wt_turns turns; /**< which waves can issue, and whose turn it is */
    uint32_t active;       /**< waves that have started and have not ended */
    struct wt_groups groups;
    struct wt_trail *trail; /**< calls of its waves, by slot (trail.h); NULL: there were none */
    /* The turn under way, for engine.h and the family. */
    bool in_turn;   /**< an instruction is being executed */
    bool apart;     /**< a child process runs a part of a launch: what other parts see in its order
                         it must not do (wt_met) */
    bool met;       /**< … and it has come to such a thing */
    uint64_t slice; /**< issues that the turn was begun with, less those it was cut short by */
    uint64_t follow_until;      /**< the issue time up to which a family may begin turns itself, one
                                     after the other (wt_follow_turn); 0: it may not */
    bool not_issued;            /**< the handler that ended the turn has had no effect */
    bool yielded;               /**< the wave gives the rest of its turn away */
    bool attended;              /**< the turn is one of debug hardware's: engine.h, after_turn */
    bool event;                 /**< the run comes back with WT_RUN_EVENT as soon as it can */
    struct wt_watch_set *watch; /**< the watches (watch_set.h), what is observed; NULL: neither */
    struct wt_observer *observer;         /**< observer of accesses (observe.h); NULL: nobody */
    const struct wt_judge *judge;         /**< judge of accesses (judge.h); NULL: nobody */
    uint64_t first_checked, last_checked; /**< launches that checks look at: all, to begin with */
    bool recorded;                        /**< by a timeline, which can repeat the run */
    uint64_t known; /**< issues before this time have been done before: the run repeats them */
    struct wt_profile *profile; /**< counts, which saved states have, too; NULL: none */
    struct wt_watch_hit *hit;   /**< WT_WATCH_HITS of them; NULL until watched */
    size_t hits; /**< hits of the last run, if it returned WT_RUN_WATCH; or of a later step that the
                    debug hardware did within debug_read or debug_write */
    uint64_t kept_bytes; /**< host memory of what saved states share beside pages (archive.h) */
    uint8_t *
        fill_pages; /**< pages of memory that is filled (wt_machine_fill_memory); NULL: it is not */
    struct wt_memory *memory;  /**< that all waves share */
    struct wt_regions regions; /**< what is mapped of it; families with tables of pages have none */
    struct wt_memory **local;  /**< memories of cores, `locals` of them; NULL: there are none */
    uint32_t locals;
    struct wt_in_process
        process; /**< all 0: it is in no host process, and was not recorded in one */
    struct wt_tlb tlb;
    struct wt_code_cache code; /**< decoded instructions of `memory` */
    wt_console_fn console;     /**< NULL: lines are dropped */
    void *console_context;
};

/**
 * Sets up a machine of zeros: its operations, none of which may be NULL, an empty memory, the waves
 * of @p groups' cores, which are @p wave_bytes of zeros each, and the places of its groups, if it
 * has operations for them (groups.h). @p lanes is 1 .. WT_MAX_LANES. False without host memory;
 * wt_machine_end must be called then, too. The configuration is the device's own, a struct of its
 * family's, and outlives the machine.
 */
bool wt_machine_init(struct wt_machine *m, const struct wt_machine_ops *ops,
                     const struct wt_engine_ops *engine, const struct wt_groups *groups,
                     unsigned lanes, size_t wave_bytes, const struct wt_device_config *config);
/**
 * Fills memory that nobody has written, as its configuration says: that of all waves, and those of
 * cores, which must not exist yet. False without host memory.
 */
bool wt_machine_fill_memory(struct wt_machine *m);
/** Writes what its configuration says of @p place to memory that all waves share; false where
 * nothing is mapped, or the host has no memory. Zeros: nothing is written. */
bool wt_machine_fill_range(struct wt_machine *m, uint64_t place, uint64_t addr, uint64_t size);
/** Makes an empty memory, filled where wt_machine_fill_memory() has been called. */
struct wt_memory *wt_machine_new_memory(struct wt_machine *m);
/** Frees what wt_machine_init and watches took, memory and decoded code included. */
void wt_machine_end(struct wt_machine *m);

/** The operation of a family whose faults are the machine's. */
WT_MACHINE_FN(wave_fault) wt_machine_no_wave_fault;
/** The operation of a family whose waves have no divergence stack. */
WT_MACHINE_FN(divergence) wt_machine_no_divergence;
/** The operations of a family that does not say what its instructions read and write, and its
 * operand_files. */
WT_MACHINE_FN(operands) wt_machine_no_operands;
WT_MACHINE_FN(piece) wt_machine_no_piece;
WT_MACHINE_FN(loop) wt_machine_no_loop;
WT_MACHINE_FN(fenced) wt_machine_no_fences;
WT_MACHINE_FN(guesses) wt_machine_no_guesses;
WT_MACHINE_FN(origins) wt_machine_no_origins;
WT_MACHINE_FN(array) wt_machine_no_array;
WT_MACHINE_FN(frame) wt_machine_no_frame;
WT_MACHINE_FN(find_operand) wt_machine_no_operand;
WT_MACHINE_FN(read_cell) wt_machine_no_cell;
WT_MACHINE_FN(unwritten) wt_machine_untold;
WT_MACHINE_FN(observed_place) wt_machine_shared_place;
WT_MACHINE_FN(lane_sources) wt_machine_no_lane_sources;
WT_MACHINE_FN(name_operand) wt_machine_no_operand_name;
/** The operation of a family whose hardware waits by itself, and its pace_table. */
WT_MACHINE_FN(pace) wt_machine_no_pace;
extern const struct wt_pace_table wt_machine_no_pace_table;
/** That of a family whose lanes and accesses are ordered as their instructions are issued. */
extern const struct wt_memory_model wt_machine_plain_memory;
/** The operation of a family whose hardware prints nothing. */
WT_MACHINE_FN(flush_console) wt_machine_no_console;

/* The operations of a family that does not say: what registers hold, … what its instructions read
 * and write, either; … what they must wait for. */
#define WT_MACHINE_NO_ARRAYS .array = wt_machine_no_array, .frame = wt_machine_no_frame
#define WT_MACHINE_NO_GUESSES .guesses = wt_machine_no_guesses, WT_MACHINE_NO_ARRAYS
#define WT_MACHINE_NO_CELLS                                                                        \
    .read_cell = wt_machine_no_cell, .unwritten = wt_machine_untold,                               \
    .lane_sources = wt_machine_no_lane_sources, .observed_place = wt_machine_shared_place
#define WT_MACHINE_NO_OPERANDS                                                                     \
    WT_MACHINE_NO_CELLS, WT_MACHINE_NO_ARRAYS,                                                     \
        .operands = wt_machine_no_operands, .origins = wt_machine_no_origins,                      \
        .piece = wt_machine_no_piece, .loop = wt_machine_no_loop, .fenced = wt_machine_no_fences,  \
        .guesses = wt_machine_no_guesses, .find_operand = wt_machine_no_operand,                   \
        .name_operand = wt_machine_no_operand_name, .operand_files = wt_machine_no_operand_files
#define WT_MACHINE_NO_PACE .pace = wt_machine_no_pace, .pace_table = &wt_machine_no_pace_table

/**
 * A wave does what other groups may see in its order: an atomic or a fence that is not its group's
 * own, a print, an allocation. True: the machine runs a part of a launch (runtime/common/apart.h),
 * which ends here without an effect; what the caller would tell the host it must not tell.
 */
static inline bool wt_met(struct wt_machine *m)
{
    if (m->apart)
        m->met = m->event = true;
    return m->apart;
}

/** Whether the machine works on the memory of the process that it is in, which threads use, too. */
static inline bool wt_in_place(const struct wt_machine *m)
{
    return m->process.memory && !m->process.copy;
}

/* ---- a device in a host process (copy.h) ---- */

/** Puts a new device into this process: the process's memory takes the place of its own.
 * WT_NO_MEMORY: the device is freed. */
enum wt_status wt_in_process_begin(struct wt_machine *m, struct wt_error *err);
/**
 * Makes the device work on a copy of the process's memory, page by page as it comes to them; then
 * it has snapshots. Page tables and save areas of queues remain the process's own. @p copy must
 * live until wt_in_process_rejoin(). WT_NO_MEMORY; nothing changes then.
 */
enum wt_status wt_in_process_copy(struct wt_machine *m, struct wt_copy *copy, struct wt_error *err);
/** Makes the device work on the process's memory again; what only the copy has is lost. */
void wt_in_process_rejoin(struct wt_machine *m);
/** The process's own page that the device has at @p addr, which is mapped. */
uint8_t *wt_in_process_page(const struct wt_machine *m, uint64_t addr);

/** Forgets decoded code and the TLB: memory has changed, or is another one. */
void wt_machine_forget_code(struct wt_machine *m);
/** Clears the TLB, and forgets decoded code whose bytes in the process's memory are others. */
void wt_machine_recheck_code(struct wt_machine *m);

/**
 * Replaces the set of watches, and forgets which hit was reported; count 0: none. The list is
 * copied. False without host memory: then there are no watches.
 */
bool wt_set_watches(struct wt_machine *m, const struct wt_watch *list, size_t count);

/** Bytes of a row of this register. */
static inline size_t wt_row_bytes(const struct wt_machine *m, const struct wt_register_shape *reg)
{
    return reg->per_lane ? (size_t)reg->bytes * m->lanes : reg->bytes;
}

/**
 * Binds watches to the memory that their waves see now. A wave's local memory ends with its
 * work-group, and the slot's previous wave saw another one.
 */
void wt_watch_pin(struct wt_machine *m, struct wt_watch *list, size_t count);

/** The home of a group's memory (wt_watch.home): group @p number of launch @p launch. */
static inline uint64_t wt_watch_home(const struct wt_machine *m, uint64_t launch, uint64_t number)
{
    return ((uint64_t)m->device << 60 ^ launch << 40) | ((number + 1) & 0xffffffffff);
}

/** The number of the group in its launch. */
static inline uint64_t wt_watch_home_group(uint64_t home)
{
    return (home & 0xffffffffff) - 1;
}

/** The head of the wave in slot @p wave. */
static inline struct wt_wave_head *wt_machine_wave(const struct wt_machine *m, uint32_t wave)
{
    return (struct wt_wave_head *)((char *)m->wave + wave * m->wave_bytes);
}

/**
 * The id of the wave that is in slot @p wave now, or was there last: no other wave of the program's
 * devices has it, in any slot, before or after a reset. 0: the slot has had none. Time travel keeps
 * it. Bits: device [63:60], run [59:44], waves that the slot has had [43:16], slot [15:0].
 */
static inline uint64_t wt_machine_wave_id(const struct wt_machine *m, uint32_t wave)
{
    const uint64_t of_slot = wt_machine_wave(m, wave)->incarnation & 0xfffffff, run = m->runs + 1;
    return of_slot ? (uint64_t)m->device << 60 | (run & 0xffff) << 44 | of_slot << 16 | wave : 0;
}

/** The name of the wave in slot @p wave (base/wave_name.h). */
void wt_machine_wave_name(struct wt_machine *m, uint32_t wave, struct wt_wave_name *name);
/** The same as text, in at most WT_WAVE_NAME bytes. */
void wt_machine_name_wave(struct wt_machine *m, uint32_t wave, char *text, size_t size);

/**
 * The number of a launch. A driver numbers the launches of its process from 1: @p driver. A device
 * without a driver (0) has one launch a run, and its number is the run's.
 */
static inline uint64_t wt_machine_launch(const struct wt_machine *m, uint64_t driver)
{
    return driver ? driver : m->runs + 1;
}

/** Whether checks look at launch @p number. */
static inline bool wt_machine_checks(const struct wt_machine *m, uint64_t number)
{
    return number >= m->first_checked && number <= m->last_checked;
}

/** That of a wave's launch. */
static inline uint64_t wt_machine_launch_of(struct wt_machine *m, const struct wt_wave_head *w)
{
    return w->group ? m->groups.ops->launch(m, w->group) : wt_machine_launch(m, 0);
}

/** The part of every family's reset: no wave is active, and the count of issue time begins anew. */
void wt_machine_begin_run(struct wt_machine *m);

/** Lets a faulted machine run on (the faulting instruction is tried again). */
static inline void wt_machine_clear_fault(struct wt_machine *m)
{
    m->fault.kind = WT_FAULT_NONE;
}

#endif
