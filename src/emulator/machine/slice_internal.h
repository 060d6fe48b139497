/* A slice: what its files share. */
#ifndef WT_EMULATOR_MACHINE_SLICE_INTERNAL_H
#define WT_EMULATOR_MACHINE_SLICE_INTERNAL_H

#include "base/slice_view.h"
#include "emulator/machine/observe.h"
#include "emulator/machine/operands.h"
#include "emulator/machine/timeline.h"

#define SLICE_GRANULE 32 /* bits of registers, or bytes of memory, of a place */

/* Where a value is: 32 bits of registers, or 32 bytes of memory. */
struct place {
    bool used, is_memory;
    uint8_t file;  /* file of registers, or enum wt_observed_space */
    uint8_t lane;  /* lane of PRIVATE memory */
    uint32_t mask; /* the bits or bytes that are looked for; 0: none any more */
    uint32_t depth;
    uint64_t of, at; /* at: the first bit of the registers, or the address, divided by 32 */
    uint64_t user;   /* GROUP: the id of a wave of the group */
};

/* An access of an instruction. */
struct access {
    uint64_t time;
    enum wt_watch_kind kind;
    enum wt_observed_space space;
    uint64_t home;
    bool is_scalar;
    unsigned size;
    wt_lanes lanes;
    size_t first; /* index of its addresses, one for each of the lanes */
};

struct issue { /* of no wave (UINT32_MAX): `first` bytes from `pc` on were changed from outside */
    uint64_t time, pc, id;
    uint32_t wave, name;
    wt_lanes mask;
    size_t first, accesses;
    size_t
        operands; /* 1 + index of those that its registers chose; 0: they are the instruction's */
};

struct name {
    uint64_t id;
    char text[WT_WAVE_NAME];
};

struct wt_slice {
    struct wt_timeline *timeline;
    struct wt_machine *m;
    struct wt_slice_limits limits;
    struct wt_slice_seed *seed; /* instructions, the latest first */
    size_t seeds, next_seed;
    struct place *place;      /* a hash table */
    size_t places, room;      /* used ones; a power of 2 */
    size_t registers, memory; /* places with a mask */
    struct wt_slice_found out;
    size_t step_room, input_room;
    bool short_of_memory;
    /* the window */
    enum { CHOOSING, ON_THE_WAY, NOTING, SKIMMING } state;
    uint64_t low, high, width;
    uint64_t *there; /* by slot: the id of the wave that was there at its beginning; 0: none */
    uint64_t found; /* SKIMMING: issue time of the last write to what is looked for, + 1; 0: none */
    bool closely;   /* the window ends with such a write: it is not skimmed */
    /* what was noted in it */
    struct issue *issue;
    size_t issues, issue_room;
    struct access *access;
    size_t accesses, access_room, taken; /* taken: by issues */
    uint64_t *address;
    size_t addresses, address_room;
    struct name *name;
    size_t names, name_room;
    struct wt_insn_operands *kept;
    size_t kept_count, kept_room;
    size_t chosen;     /* chosen of the issue that is under way: as struct issue has it */
    uint32_t *name_of; /* by slot: 1 + index in `name` of the wave noted last */
};

/* ---- slice_places.c: what is looked for ---- */

/* Its index in the table, or that of the free place where it would be. */
size_t slice_slot(const struct wt_slice *s, const struct place *p);
/* Makes the table, or one of twice the room; false without host memory. */
bool slice_make_room(struct wt_slice *s);
/* How many places of its kind have a mask. */
size_t *slice_count(struct wt_slice *s, const struct place *p);
/* Looks for what is in a place's mask, too. */
void slice_look_for_piece(struct wt_slice *s, const struct place *p);
/* The bits or bytes of it that were looked for; they are not any more. *depth becomes the least. */
uint32_t slice_found_piece(struct wt_slice *s, const struct place *p, uint32_t *depth);
/* Sets the place and mask of p to what is in one granule of [first, last], bits of registers or
 * addresses; returns the last one of it. */
uint64_t slice_cut(struct place *p, uint64_t first, uint64_t last);
/* Likewise for a range. */
void slice_look_for(struct wt_slice *s, struct place p, uint64_t first, uint64_t last);
/* A bit for each 8 bits, or each byte, of the range that was looked for: of the first 64. */
uint64_t slice_found(struct wt_slice *s, struct place p, uint64_t first, uint64_t last,
                     uint32_t *depth);

/* ---- slice_back.c: reading the notes, from the last one to the first ---- */

/* An operand's value in a lane, which is in several registers of a row if it is longer than one:
 * looks for it, or returns what slice_found does of its parts, one behind the other. Element: which
 * of the instruction's lanes it is. */
uint64_t slice_register(struct wt_slice *s, uint64_t id, const struct wt_insn_operand *o,
                        unsigned lane, unsigned element, bool look, uint32_t *depth);
/* The memory that a lane accesses; its address is left out. */
struct place slice_memory_place(const struct issue *i, const struct access *a, unsigned lane);
/* Takes an issue that wrote a place that is looked for: it becomes a step, and its sources are
 * looked for next. */
void slice_read(struct wt_slice *s, const struct issue *i);

#endif
