/* The parts of the check of memory, for the files that implement it. */
#ifndef WT_CHECK_MEMORY_STATE_H
#define WT_CHECK_MEMORY_STATE_H

#include "check/decisions.h"
#include "check/memory.h"

enum { CACHED = 8 };

/* The lanes of an instruction and their addresses, of which the judge is asked. */
struct question {
    const struct wt_wave_head *wave;
    const struct wt_lane_access *access;
    wt_lanes lanes;
    const uint64_t *at;
    wt_lanes told; /* lanes whose refusal was noted */
};

struct wt_check_memory {
    struct wt_judge judge; /* first */
    struct wt_machine *machine;
    const void *space;
    wt_check_allows_fn *allows; /* NULL: nothing else is allowed */
    void *allows_context;
    wt_found_fn *found;
    void *context;
    struct question now;
    uint64_t last, last_pc, last_address; /* the latest mistake: issue time, … */
    struct wt_decisions decisions;        /* of the recorded run */
    uint64_t resets;                      /* of the machine, in the run that they are of */
    bool only_repeats;                    /* the run is that of a core file */
    uint64_t first_launch, last_launch;   /* that are judged */
    struct wt_good good[CACHED];          /* ranges that were found good, in turn */
    unsigned next;
    struct call *call; /* of the kernels' allocator */
    size_t calls, call_room;
};

/* One mistake of an instruction: that of its lowest lane, and of those like it. */
struct mistake {
    enum wt_finding_kind kind;
    struct wt_object object; /* size 0: none */
    uint64_t at;
    wt_lanes lanes;
    const char *what; /* NULL: there is nothing else to say */
    bool frees;       /* it is no access */
};

/* Whether the machine repeats a recorded run. */
static inline bool memory_repeats(const struct wt_check_memory *c)
{
    return c->only_repeats || c->machine->time < c->machine->known;
}

/* The number of a wave's launch. */
static inline uint64_t memory_launch_of(struct wt_machine *m, const struct wt_wave_head *w)
{
    return w->group ? m->groups.ops->launch(m, w->group) : wt_machine_launch(m, 0);
}

/* memory_run.c: the recorded run, and reports */

/* Before a question of @p w is decided anew: drops what has not happened. */
void memory_begin_question(struct wt_check_memory *c, const struct wt_wave_head *w);
/* The lanes that were refused when the question was asked the first time. */
wt_lanes memory_decided(struct wt_check_memory *c);
/* Notes a decision of the machine's run, of which @p w does the issue; one that refuses lanes is
 * about the present question. */
void memory_decide(struct wt_check_memory *c, const struct wt_wave_head *w,
                   struct wt_decision decision);
/* Reports a mistake, unless it is not new, and notes that its lanes were refused. */
void memory_report(struct wt_check_memory *c, const struct wt_wave_head *w,
                   const struct wt_lane_access *a, const struct mistake *bad,
                   enum wt_finding_space space);

/* memory_heap.c: members of the judge, for what kernels allocate */

/* See judge.h. */
void memory_taken(void *context, const struct wt_wave_head *w, uint64_t addr, uint64_t size);
/* See judge.h. */
bool memory_given_back(void *context, const struct wt_wave_head *w,
                       const struct wt_lane_access *call, uint64_t addr);
/* See judge.h. */
bool memory_is_allocator(void *context, uint64_t pc);
/* See judge.h. */
wt_lanes memory_allocator(void *context, struct wt_machine *m, const struct wt_wave_head *w,
                          uint64_t pc, uint64_t returns, wt_lanes lanes, const uint64_t *value);

#endif
