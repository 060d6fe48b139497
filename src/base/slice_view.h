/* The request and the result of a search of a recorded run for where a value comes from. */
#ifndef WT_BASE_SLICE_VIEW_H
#define WT_BASE_SLICE_VIEW_H

#include <stdlib.h>

#include "base/fault.h"
#include "base/lanes.h"
#include "base/wave_name.h"

/** A thing whose history is asked for: an instruction that has issued, or a register of a wave that
 * is there now. */
struct wt_slice_seed {
    wt_lanes lanes; /**< whose results, or values, count; 0: all, and those of the wave */
    uint64_t id;    /**< the wave's: 64 bits that no other wave of the program has */
    uint64_t time;  /**< the instruction: its issue time, before now */
    uint32_t from;  /**< the register, or what the instruction stores: from this byte of a lane's
                         value on, */
    uint32_t bytes; /**< … so many; 0: all */
    char name[16];  /**< the register, as the debugger calls it; "": an instruction; "#": bytes of
                         the register file, by `from` */
};

struct wt_slice_limits {
    uint32_t depth;     /**< what steps of this depth read is not followed */
    uint32_t steps;     /**< the search ends when there are so many; at least 1 */
    uint32_t addresses; /**< whether addresses, and what else says where a value is, are followed */
};

/** An instruction that had a part in the value. */
struct wt_slice_step {
    wt_lanes lanes; /**< whose results count; 0: it has made a value of the wave */
    uint64_t time;  /**< issue time: of the state before it */
    uint64_t id;    /**< the wave's */
    uint64_t pc;
    uint32_t wave; /**< its slot */
    uint32_t
        depth;    /**< instructions between it and the value, on the shortest way; 0: it made it */
    uint32_t cut; /**< whether what it reads was not followed, because of its depth */
    char name[WT_WAVE_NAME];
    struct wt_calls calls; /**< that it is in; a search by the debugger fills it in */
};

/** Something that the value was made of, and that no instruction of the recorded run has made. */
struct wt_slice_input {
    uint64_t of;    /**< registers, private memory: the id of the wave; a group's memory: its
                         number; else 0 */
    uint64_t at;    /**< memory: the address, or the offset in private memory */
    uint64_t size;  /**< memory: bytes; so also of a register file that lanes share; else 0 */
    uint64_t time;  /**< memory: issue time at which the host or a debugger wrote it; UINT64_MAX: it
                        has been so since the recorded run began */
    uint32_t depth; /**< that of the instruction that reads it, + 1 */
    uint8_t space;  /**< enum wt_slice_space */
    uint16_t lane;  /**< lane of a register that each lane has, and of private memory; else 0 */
    char name[16];  /**< name of the register; "" */
};

enum wt_slice_space {
    WT_SLICE_REGISTER, /**< register of the wave */
    WT_SLICE_ROW,      /**< a register that each lane has */
    WT_SLICE_GLOBAL,   /**< memory */
    WT_SLICE_GROUP,
    WT_SLICE_PRIVATE,
    WT_SLICE_DEVICE,
};

struct wt_slice_found {
    struct wt_slice_step *step; /**< the latest first */
    size_t steps;
    struct wt_slice_input *input; /**< by space, wave and place */
    size_t inputs;
    bool more;   /**< it ended at a limit: other instructions may have a part, too */
    bool untold; /**< likewise, for it is not known what some instructions on the way write */
};

/** Frees the lists. */
static inline void wt_slice_found_free(struct wt_slice_found *found)
{
    free(found->step);
    free(found->input);
    *found = (struct wt_slice_found){.more = false};
}

#endif
