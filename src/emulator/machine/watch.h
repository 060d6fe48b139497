/*
 * Watches: memory accesses and instructions at which a run returns. They belong to the debugger,
 * not to the machine's state: they are not saved, they do not change how the machine goes on, and
 * memory that is not watched is as fast as without them.
 */
#ifndef WT_EMULATOR_MACHINE_WATCH_H
#define WT_EMULATOR_MACHINE_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lanes.h"

struct wt_machine;

#define WT_HOME_NOW 0
/** The home of memory that the wave does not see. */
#define WT_HOME_NOWHERE (UINT64_MAX - 1)

/**
 * The condition of a watch: for which of the lanes @p mask of a wave that is about to issue the
 * instruction at @p pc at issue time @p time it holds (the machine's own time may lag within a
 * run). It may look at the machine (wt_machine_ops.read_row, read_memory) and must not change it.
 * Its lanes outside @p mask do not count. EXECUTE: the lanes are the enabled ones, and the
 * instruction is the watched one. Memory: they are the enabled ones and those that have made the
 * access, and the instruction is the one after it.
 */
typedef wt_lanes (*wt_watch_holds_fn)(void *context, struct wt_machine *m, uint32_t wave,
                                      uint64_t pc, wt_lanes mask, uint64_t time);

enum wt_watch_kind {
    /* The instruction that does it completes; then the run comes back. */
    WT_WATCH_WRITE,   /**< a lane writes into the range (the same value, too) */
    WT_WATCH_READ,    /**< a lane reads from it */
    WT_WATCH_ACCESS,  /**< either */
    WT_WATCH_MISTAKE, /**< the machine's judge (judge.h) refuses accesses of lanes; `addr` has a bit
                           for each kind of mistake that counts, `size` is 1 */
    /* The run comes back before the instruction; the next run from there on issues it. */
    WT_WATCH_EXECUTE, /**< a wave is about to issue the instruction at addr; on Vortex, one with an
                           enabled lane */
    WT_WATCH_ISSUE,   /**< a wave is about to issue any instruction; a breakpoint instruction that
                           halts it instead does not issue */
    /* A step that the debug hardware does within an access to its registers is not held up: its
     * hits are reported after it, EXECUTE and ISSUE included. */
};

struct wt_watch {
    enum wt_watch_kind kind;
    uint64_t addr;
    uint64_t
        size; /**< size of the range, in bytes; 1 or more. EXECUTE: instructions that begin in it */
    uint32_t wave;  /**< the range is where this wave sees it (local memory!), for accesses of any
                         wave; WT_WATCH_ISSUE: the wave */
    uint64_t home;  /**< WT_HOME_NOW: as the wave sees it when the watch is set; else what
                         wt_watch_pin put there: as the wave saw it then */
    uint64_t owner; /**< the id of the wave whose accesses count (its private memory: its next owner
                        has other variables there); 0: those of all */
    bool changes;   /**< WRITE: writes that leave the watched bytes as they are do not count. A step
                         of the debug hardware may be reported nevertheless. */
    /**
     * NULL: every lane counts; not for ISSUE. EXECUTE: which lanes are hits. Where it holds for
     * none, the instruction issues as if it were not watched: the turn goes on, nothing is noted.
     * It is called within runs, and within debug_write when the debug hardware does a step.
     * Memory: where it holds for none of the lanes that have made the access, the run goes on.
     * Where it holds for one, all hits of the instruction are reported. A step of the debug
     * hardware is reported without a call.
     */
    wt_watch_holds_fn holds;
    void *context; /**< for holds; must live as long as the watch */
};

/** An access that one lane has done, or (EXECUTE, ISSUE) an instruction that a wave is about to
 * issue. */
struct wt_watch_hit {
    enum wt_watch_kind
        kind; /**< WRITE, READ, ACCESS (an atomic, which does both), MISTAKE, EXECUTE, ISSUE */
    uint8_t mistake; /**< MISTAKE: its kind; `lane` is the lowest of `hits`, `addr` its address */
    uint64_t time;   /**< issue time: of the state before the instruction */
    uint32_t wave;   /**< the slot */
    uint64_t id;     /**< the wave's, wt_machine_wave_id() */
    unsigned lane;   /**< EXECUTE, ISSUE: the lowest of `hits`; where a whole wave did it (scalar
                          memory): the lowest enabled one; 0 where there is none */
    wt_lanes mask;   /**< lanes that were enabled when it issued */
    wt_lanes hits; /**< lanes that did it; EXECUTE: of those enabled, the ones for which a condition
                        holds */
    uint64_t pc;   /**< the instruction's */
    uint64_t addr; /**< first byte of the access: it overlaps a watched range, but may be wider;
                        memory with several addresses (scratch memory of gcn) is reported by its
                        global address; EXECUTE, ISSUE: the same as pc */
    uint64_t home; /**< home of the access: the group's memory that it was in (wt_watch.home); else
                        WT_HOME_NOW */
    unsigned size; /**< size of the access, 1 to 16 bytes (one of more, or one that is done in
                      pieces, is several hits); 0 for EXECUTE and ISSUE */
    uint8_t before[16], after[16]; /**< contents of the access, before this lane's part and after
                                      it; of a read the same; of a console what is stored */
};

/** Hits of one run: those of the one instruction that it came back for, by lane. (At most: 64 lanes
 * of gcn that access 16 bytes of swizzled memory which are in 5 dwords.) */
#define WT_WATCH_HITS (3 * WT_MAX_LANES)

#endif
