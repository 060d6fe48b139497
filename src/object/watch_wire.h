/*
 * Watched memory between a debugger and the emulated devices of a host process: what is to be
 * watched, and the accesses to it. For verbs WATCH and HITS (process_wire.h) and for searches of
 * the recorded past (travel_wire.h). Addresses are as the devices of the family have them.
 */
#ifndef WT_OBJECT_WATCH_WIRE_H
#define WT_OBJECT_WATCH_WIRE_H

#include <stdint.h>

enum wt_wire_watched {
    WT_WIRE_WATCH_WRITE,
    WT_WIRE_WATCH_READ,
    WT_WIRE_WATCH_ACCESS,  /**< either; of an access: an atomic, which does both */
    WT_WIRE_WATCH_MISTAKE, /**< a check has refused lanes an access: `addr` has a bit for each kind
                                that counts, `size` is 1; of an access: `mistake` is its kind */
    WT_WIRE_WATCH_MEMORY,
    /* Searches only. */
    WT_WIRE_WATCH_EXECUTE = WT_WIRE_WATCH_MEMORY, /**< an instruction */
    WT_WIRE_WATCH_ISSUE,                          /**< the wave's next issue */
    WT_WIRE_WATCH_KINDS,
};

struct wt_wire_watch {
    uint32_t kind;  /**< enum wt_wire_watched */
    uint32_t wave;  /**< a slot: the range is as its wave sees it, where home is 0 */
    uint64_t home;  /**< what WT_WIRE_HOME has answered: the memory of a group; or 0 */
    uint64_t owner; /**< the id of the wave whose accesses count; 0: those of all */
    uint64_t addr;
    uint64_t size; /**< bytes, 1 or more */
    uint64_t rule; /**< the condition, as struct wt_wire_live has it; 0: every access counts */
};

/** A lane's access to watched memory, which has been done. */
struct wt_wire_hit {
    uint64_t id;    /**< its wave's: another one may come into the slot */
    uint64_t time;  /**< issue time before the instruction */
    uint64_t pc;    /**< the instruction's */
    uint64_t home;  /**< the memory of a group that it was in; 0: none */
    uint64_t addr;  /**< addr of the access, which may be wider than what is watched */
    uint64_t lanes; /**< that have done it */
    uint64_t order; /**< the accesses that a process has noted are numbered */
    uint32_t wave, lane;
    uint32_t size; /**< bytes, 1 to 16 */
    uint32_t kind; /**< enum wt_wire_watched, below WT_WIRE_WATCH_MEMORY */
    uint32_t mistake, reserved;
    uint8_t before[16], after[16]; /**< the contents, as this lane found and left them */
};

#endif
