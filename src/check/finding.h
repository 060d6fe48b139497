/*
 * Findings: the mistakes that checks report. A finding is one record of plain data, which a process
 * of the program leaves in a file that the command reads (runtime/common/counted.h).
 */
#ifndef WT_CHECK_FINDING_H
#define WT_CHECK_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/lanes.h"
#include "base/wave_name.h"
#include "check/objects.h"
#include "wavetrap/error.h"

/** The checks, as bits: what --check=LIST chooses. */
enum wt_check {
    WT_CHECK_MEMORY = 1 << 0,
    WT_CHECK_LEAK = 1 << 1,
    WT_CHECK_API = 1 << 2,
    WT_CHECK_RACE = 1 << 3,   /**< it needs MEMORY */
    WT_CHECK_SYNC = 1 << 4,   /**< barriers, and what lanes do together */
    WT_CHECK_INIT = 1 << 5,   /**< it needs MEMORY */
    WT_CHECK_HAZARD = 1 << 6, /**< what hardware does not wait for */
    WT_CHECK_STALE = 1 << 7,  /**< what hardware's caches may still hold */
    WT_CHECK_ALL = (1 << 8) - 1,
    WT_CHECK_ADVICE = 1 << 8, /**< notes: what a run has not needed; no mistakes */
};

enum wt_finding_kind {
    WT_FOUND_OUT_OF_BOUNDS,  /**< an access outside of every object, or beyond the end of one */
    WT_FOUND_OUT_OF_OBJECT,  /**< an access in another object than the one whose address it uses */
    WT_FOUND_USE_AFTER_FREE, /**< an access to an object that was freed */
    WT_FOUND_MISALIGNED,
    WT_FOUND_READ_ONLY, /**< a store to memory that must not be written */
    WT_FOUND_NULL,      /**< an access in the first 64 KiB */
    WT_FOUND_DOUBLE_FREE,
    WT_FOUND_BAD_FREE, /**< of what was never allocated, or from within an allocation */
    WT_FOUND_LEAK,
    WT_FOUND_FAILED_CALL, /**< a call of an API that returned an error */
    WT_FOUND_USE_AFTER_DESTROY,
    WT_FOUND_WRONG_DIRECTION, /**< a copy whose direction is not that of its addresses */
    WT_FOUND_UNSET_ARGUMENT,  /**< a launch of a kernel whose arguments are not all set */
    WT_FOUND_ARGUMENT_SIZE,
    WT_FOUND_RACE,      /**< two accesses that nothing orders */
    WT_FOUND_HOST_RACE, /**< a copy's, fill's or the host's access, and another one that no call
                             orders with it */
    WT_FOUND_MISSED_BARRIER,  /**< lanes go on without a barrier that others of the group reach */
    WT_FOUND_OTHER_BARRIER,   /**< lanes wait at different barriers for each other */
    WT_FOUND_BARRIER_COUNT,   /**< they do not say the same of how many a barrier waits for */
    WT_FOUND_SYNC_MASK,       /**< a mask of lanes that is not that of those which execute it */
    WT_FOUND_INACTIVE_LANE,   /**< a value of a lane that does not take part */
    WT_FOUND_UNFINISHED_COPY, /**< an access to what is being copied asynchronously */
    WT_FOUND_DEADLOCK,
    WT_FOUND_UNDEFINED_BRANCH, /**< bits that nothing has written decide which lanes execute what */
    WT_FOUND_UNDEFINED_ADDRESS,
    WT_FOUND_UNDEFINED_ATOMIC, /**< … or go into an atomic operation */
    WT_FOUND_UNDEFINED_RESULT, /**< the host gets what was computed of them */
    WT_FOUND_UNDEFINED_LOAD,   /**< they are loaded: --check-init=load */
    WT_FOUND_UNDEFINED_COPY,   /**< they are copied to the host: --check-init=copy */
    WT_FOUND_UNWAITED_RESULT,  /**< a register is used before its result is there */
    WT_FOUND_UNWAITED_SOURCE,  /**< … is written before it has been read */
    WT_FOUND_WAIT_STATES,      /**< too few wait states between two instructions */
    WT_FOUND_STALE,            /**< a load may get what a cache held before a store */
    WT_FOUND_UNWRITTEN,        /**< a store stays in a cache that nothing writes back */
    WT_FOUND_IDLE_BARRIER,     /**< nothing conflicts across a barrier */
    WT_FOUND_IDLE_FENCE,
    WT_FINDING_KINDS
};

enum wt_severity { WT_ERROR, WT_WARNING, WT_NOTE };

/** The name of a kind, as reports and suppressions have it: "out-of-bounds". */
const char *wt_finding_name(enum wt_finding_kind kind);
/** What a kind is, in a sentence. */
const char *wt_finding_meaning(enum wt_finding_kind kind);
/** The check that reports a kind. */
enum wt_check wt_finding_check(enum wt_finding_kind kind);
/** "error", "warning", "note". */
const char *wt_severity_name(enum wt_severity severity);

/**
 * Parses "memory,leak", "all", …: *checks becomes the bits. WT_INVALID: the text names the checks
 * that there are.
 */
enum wt_status wt_checks_parse(const char *list, unsigned *checks, struct wt_error *err);

/** Where an access that is reported goes. */
enum wt_finding_space {
    WT_FOUND_GLOBAL,
    WT_FOUND_GROUP,
    WT_FOUND_PRIVATE,
    WT_FOUND_CONSTANT,
    WT_FOUND_IMAGE,
    WT_FOUND_HOST, /**< the host makes it: a copy, a fill, a call */
};

enum { WT_NO_ACCESS = 0xff };

/** What the pieces of a finding are numbers of. */
enum wt_finding_pieces {
    WT_PIECES_OF_COPY,   /**< in what is copied */
    WT_PIECES_OF_OBJECT, /**< in an object */
    WT_PIECES_OF_MEMORY, /**< they are addresses */
};

enum { WT_FINDING_PIECES = 8 /**< that are listed */ };

/** The other access of a race. */
struct wt_finding_other {
    uint64_t pc, time; /**< pc 0: there is none, or, with a name in `wave`, it is the host's */
    uint64_t bytes;
    uint64_t lanes[2];
    uint64_t wave_id;
    uint32_t access;         /**< enum wt_access */
    char wave[WT_WAVE_NAME]; /**< its name; of the host's access: the function that makes it */
};

/** A reported mistake. Numbers that are not known are 0, texts "". */
struct wt_finding {
    uint32_t kind;     /**< enum wt_finding_kind */
    uint32_t severity; /**< enum wt_severity */
    uint32_t space;    /**< enum wt_finding_space */
    uint32_t access;   /**< enum wt_access, or WT_NO_ACCESS: it is about no access */
    uint64_t bytes;    /**< of the access; 0: not known */
    uint64_t address;  /**< of the access of the lowest of the lanes; GROUP, PRIVATE: the offset;
                            of a free: what was freed */
    char text[200];    /**< what else there is to say, a sentence without period */
    /* UNDEFINED_RESULT, UNDEFINED_COPY: the bytes that are meant, in pieces, */
    struct {
        uint64_t first, last;
    } piece[WT_FINDING_PIECES];
    uint64_t pieces;          /**< all of them; 0: not known */
    uint64_t rest, rest_last; /**< bytes of those that `piece` has not, and the last one of them */
    uint32_t pieces_of;       /**< enum wt_finding_pieces */
    uint32_t origin;          /**< enum wt_defined_origin of their bits */
    uint64_t whole;           /**< OBJECT: its address */
    char whole_name[48];      /**< OBJECT: of a variable; "": it has none */
    /* Of a kernel's instruction; `pc` 0: the host did it. */
    uint64_t pc, time;
    uint64_t entry;    /**< its kernel's first instruction; 0: not known */
    uint64_t lanes[2]; /**< bits of the first wave that made the mistake: 0 to 63, 64 to 127 */
    uint64_t wave_id;  /**< of that wave, wt_machine_wave_id() */
    uint64_t launch;
    uint32_t device;
    char wave[WT_WAVE_NAME]; /**< its name */
    struct wt_finding_other other;
    /* The object that the access should have stayed in, or the nearest one. */
    bool has_object;
    bool freed;
    uint64_t object, object_size, object_number;
    char object_by[40];               /**< the function that made it */
    char object_name[64];             /**< of a variable */
    struct wt_call_stack made, ended; /**< of the object: by the host */
    struct wt_call_stack calls;       /**< of the host: of the call, or of the launch */
    struct wt_call_stack other_calls; /**< the same of the other access */
    /* How often it was found: of this kind, at this instruction or call, with objects that were
     * made at one place. */
    uint64_t times;    /**< accesses of waves, or calls */
    uint64_t lanes_of; /**< lanes of all of them */
    uint64_t groups;   /**< work-groups in which it was found */
    uint64_t launches;
};

/** Lanes as a finding has them. */
#define WT_FINDING_LANES(of)                                                                       \
    {                                                                                              \
        (uint64_t)(of), (uint64_t)((wt_lanes)(of) >> 64)                                           \
    }

/** The lanes of a finding. */
static inline wt_lanes wt_finding_lanes(const struct wt_finding *f)
{
    return (wt_lanes)f->lanes[1] << 64 | f->lanes[0];
}

/** Those of the other access. */
static inline wt_lanes wt_finding_other_lanes(const struct wt_finding *f)
{
    return (wt_lanes)f->other.lanes[1] << 64 | f->other.lanes[0];
}

/** Fills in what of a finding is an object's. */
void wt_finding_of_object(struct wt_finding *f, const struct wt_object *object);
/** Whether two are of one kind, at one place, or both places of a race, and their objects were made
 * at one place. */
bool wt_finding_is_like(const struct wt_finding *a, const struct wt_finding *b);

#endif
