/* The parts of a timeline, for the files that implement it. */
#ifndef WT_EMULATOR_MACHINE_TIMELINE_STATE_H
#define WT_EMULATOR_MACHINE_TIMELINE_STATE_H

#include "emulator/machine/timeline.h"

struct entry {
    uint64_t time;         /* before it */
    uint64_t after;        /* after it */
    bool ran;              /* no input: a run that came back early; `time` is then `after` */
    uint64_t until;        /* until of a run: where it would have stopped for lack of issues */
    struct wt_input input; /* bytes: owned */
};

struct snapshot {
    uint64_t time;
    size_t entries; /* done before it */
    struct wt_state *state;
};

struct wt_timeline {
    struct wt_machine *m;
    uint64_t budget;
    struct entry *entry;
    size_t entries, entry_room, entry_bytes;
    struct snapshot *snapshot; /* by time and entries; the first one is the beginning */
    size_t snapshots, snapshot_capacity;
    uint64_t state_bytes; /* bytes of all snapshots */
    size_t done;          /* entries that the machine's state has behind it */
    uint64_t end;         /* issue time of the last recorded state */
    uint64_t resets;
    uint64_t held;  /* pages, when the last snapshot was taken */
    uint64_t tried; /* where the last snapshot was tried (work_at); it may be gone */
    uint64_t interval, fixed_interval;
    struct wt_state *looking; /* the state to come back to, or NULL */
    uint64_t look_time;       /* its issue time */
    bool strayed;             /* issues have passed while looking, or an input was lost */
    struct entry *seen;       /* inputs while looking */
    size_t seen_count, seen_room;
    uint64_t lost; /* issue time before which the past was dropped, the log being too long */
    uint64_t branches, restarts;
    bool late;    /* an event came with a watch hit, and was not returned yet: the next run does */
    bool foreign; /* its beginning was read from a file, which may lie about it */
    bool broken;  /* the host's memory did not suffice: there is no past */
};

/*
 * Takes a snapshot here. False without host memory: states near here are then reached from an
 * earlier snapshot.
 */
bool timeline_take_snapshot(struct wt_timeline *t);

/* Appends a copy of an entry to a list; false without host memory. */
bool timeline_add_entry(struct entry **list, size_t *count, size_t *room,
                        const struct entry *entry);

/* Host memory that @p size bytes of an entry count as. */
size_t timeline_heap_bytes(size_t size);

#endif
