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
#include "base/error.h"

/** The checks, in their order. */
enum wt_check_number {
#define CHECK_OF_CALLS(ID, ...) WT_CHECK_NUMBER_##ID,
#define CHECK_OF_MACHINE(ID, ...) WT_CHECK_NUMBER_##ID,
#include "check/checks.def"
#undef CHECK_OF_CALLS
#undef CHECK_OF_MACHINE
    WT_CHECKS
};

/** The same as bits: what --check=LIST chooses. */
enum wt_check {
#define CHECK_OF_CALLS(ID, ...) WT_CHECK_##ID = 1 << WT_CHECK_NUMBER_##ID,
#define CHECK_OF_MACHINE(ID, ...) WT_CHECK_##ID = 1 << WT_CHECK_NUMBER_##ID,
#include "check/checks.def"
#undef CHECK_OF_CALLS
#undef CHECK_OF_MACHINE
    WT_CHECK_ALL = 0
#define CHECK_OF_CALLS(ID, name, includes, all, ...) | (all ? WT_CHECK_##ID : 0)
#define CHECK_OF_MACHINE(ID, name, includes, all, ...) | (all ? WT_CHECK_##ID : 0)
#include "check/checks.def"
#undef CHECK_OF_CALLS
#undef CHECK_OF_MACHINE
};

/** Whether somebody has named these checks, and not all of them. */
static inline bool wt_checks_are_named(unsigned checks)
{
    return WT_CHECK_ALL & ~(checks | WT_CHECK_MEMORY); /* others may include it, or leave it out */
}

/** The text of --check's help. */
extern const char wt_checks_help[];

enum wt_finding_kind {
#define KIND(ID, ...) WT_FOUND_##ID,
#include "check/kinds.def"
#undef KIND
    WT_FINDING_KINDS
};

/** Where a debugger can stop at a mistake. */
enum wt_finding_stop {
    WT_STOP_NEVER, /**< it is known later, or is the host's */
    WT_STOP_THERE, /**< at the instruction */
    WT_STOP_LOADS, /**< likewise, with --check-init=load */
};

enum wt_severity { WT_ERROR, WT_WARNING, WT_NOTE };

/** The name of a kind, as reports and suppressions have it: "out-of-bounds". */
const char *wt_finding_name(enum wt_finding_kind kind);
/** The meaning of a kind, in a sentence. */
const char *wt_finding_meaning(enum wt_finding_kind kind);
/** The check that reports a kind. */
enum wt_check wt_finding_check(enum wt_finding_kind kind);
/** Where a debugger can stop at a mistake of a kind. */
enum wt_finding_stop wt_finding_stop(enum wt_finding_kind kind);
/** How bad a kind is; @p weaker: where less is certain. */
enum wt_severity wt_finding_severity(enum wt_finding_kind kind, bool weaker);
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

/** Alignment of the window in which a group sees its memory: what remains is an offset in it. */
enum { WT_WINDOW = 1 << 20 };

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
    uint64_t back[WT_TRAIL]; /**< where the calls come back to that `pc` is in, the innermost first;
                                  0: there are no more */
};

/** A reported mistake. Numbers that are not known are 0, texts "". */
struct wt_finding {
    uint32_t kind;     /**< enum wt_finding_kind */
    uint32_t severity; /**< enum wt_severity */
    uint32_t space;    /**< enum wt_finding_space */
    uint32_t access;   /**< enum wt_access, or WT_NO_ACCESS: it is about no access */
    uint64_t bytes;    /**< bytes of the access; 0: not known */
    uint64_t address;  /**< the address that the lowest of the lanes accesses; GROUP, PRIVATE: the
                          offset; a free: the object */
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
    uint64_t wave_id;  /**< that wave's, wt_machine_wave_id() */
    uint64_t launch;
    uint32_t device;
    char wave[WT_WAVE_NAME]; /**< its name */
    uint64_t back[WT_TRAIL]; /**< as of `other` */
    struct wt_finding_other other;
    /* The object that the access should have stayed in, or the nearest one. */
    bool has_object;
    bool freed;
    uint64_t object, object_size, object_number;
    char object_by[40];               /**< the function that made it */
    char object_name[64];             /**< a variable's name */
    struct wt_call_stack made, ended; /**< where the host made the object, and ended it */
    struct wt_call_stack calls;       /**< the host's call, or launch */
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
