/* The parts of the check of memory, for the files that implement it. */
#ifndef WT_CHECK_MEMORY_STATE_H
#define WT_CHECK_MEMORY_STATE_H

#include "base/map.h"
#include "check/decisions.h"
#include "check/memory.h"
#include "check/names.h"
#include "emulator/machine/array.h"
#include "emulator/machine/judge.h"
#include "emulator/machine/memory.h"
#include "emulator/machine/origin.h"

enum { CACHED = 8, RECENT = 64, PAGES = 256 };

/* The lanes of an instruction and their addresses, of which the judge is asked. */
struct question {
    const struct wt_wave_head *wave;
    const struct wt_lane_access *access;
    wt_lanes lanes;
    const uint64_t *at;
    wt_lanes told; /* lanes whose refusal was noted */
};

/* An access of the code, as an analysis of its function knows it (memory_origin.c). */
struct site {
    uint64_t pc;
    uint32_t part;
    bool used, judged;
    bool by_stack;                /* it is a store whose address is made of the stack pointer */
    enum wt_observed_space space; /* that is judged: others may be accessed by generic addresses */
    bool met;                     /* a lane has accessed the variable, … */
    uint64_t met_at;              /* … first at this issue time */
    struct wt_known_variable variable; /* from whose address that of the access is made */
    struct wt_origin origin;
    struct wt_array_access array; /* from where it counts elements, in private memory */
    uint64_t from[3];        /* `variable` is what was found from this address, frame and caller */
    struct wt_finding *left; /* lanes have left the variable before any has accessed it: the first
                                of these; NULL: none have */
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
    struct wt_decisions decisions;        /* decisions of the recorded run */
    uint64_t resets;                      /* resets of the machine, in the run that they are of */
    bool only_repeats;                    /* the run is that of a core file */
    struct wt_good good[CACHED];          /* ranges that were found good, in turn */
    unsigned next;
    struct allowed {            /* pages without objects that may be accessed, by their numbers */
        uint64_t loads, stores; /* the objects' state then; 0: not known */
        uint64_t page;
    } allowed[PAGES];
    struct recent { /* accesses that need not be looked at, by their code's address: … */
        uint64_t pc, first, last; /* within these addresses, … */
        uint64_t since;           /* from this issue time on */
        uint64_t good; /* all of these may be accessed, in this state of the objects; 0: in none */
        uint32_t part;
    } recent[RECENT];
    struct site *site; /* a hash table; a power of 2 of places */
    size_t sites, site_room;
    uint64_t names, site_resets; /* the state of the names, and the machine's resets, then */
    uint64_t variables_first, variables_last; /* the addresses of variables; 1 and 0: none */
    wt_check_variable_fn *variable;           /* NULL: no others are known */
    void *variable_context;
    struct wt_check_stacks stacks;
    wt_lanes *on_stack; /* the lanes of each wave that have used their stacks; NULL: no stacks are
                           known */
    struct heap_call *call; /* call of the kernels' allocator */
    size_t calls, call_room;
    struct wt_finding *leak; /* the first of each call that takes memory of the device's heap */
    size_t leaks, leak_room;
    struct wt_map taken;         /* blocks: such memory, by its address */
    bool tells_leaks, no_access; /* struct wt_check_start */
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

/* memory_run.c: the recorded run, and reports */

/* Before a question of @p w is decided anew: drops what has not happened. */
void memory_begin_question(struct wt_check_memory *c, const struct wt_wave_head *w);
/* The lanes that were refused when the question was asked the first time. */
wt_lanes memory_decided(struct wt_check_memory *c);
/* Notes a decision of the machine's run, of which @p w does the issue; one that refuses lanes is
 * about the present question. */
void memory_decide(struct wt_check_memory *c, const struct wt_wave_head *w,
                   struct wt_decision decision);
/* The finding that a mistake is. */
struct wt_finding memory_finding(struct wt_check_memory *c, const struct wt_wave_head *w,
                                 const struct wt_lane_access *a, const struct mistake *bad,
                                 enum wt_finding_space space);
/* Reports a mistake, unless it is not new, and notes that its lanes were refused. */
void memory_report(struct wt_check_memory *c, const struct wt_wave_head *w,
                   const struct wt_lane_access *a, const struct mistake *bad,
                   enum wt_finding_space space);

/* ---- memory_beside.c ---- */

/* Compilers widen loads; and of an atomic operation on a byte they make one on its word. */
static inline bool memory_must_be_whole(const struct wt_lane_access *a)
{
    return a->kind == WT_WATCH_WRITE;
}
/* Whether an access that is partly in [first, first + size) may be one that a compiler has widened.
 */
static inline bool memory_is_widened(const struct wt_lane_access *a, uint64_t at, uint64_t first,
                                     uint64_t size)
{
    const uint64_t unit = a->unit ? a->unit : WT_PAGE_SIZE, end = first + size,
                   last = at + a->size - a->spare - 1;
    const bool begins = at - first < size;
    return !memory_must_be_whole(a) && (begins || first - at < a->size) &&
           (begins || at / unit == first / unit) &&
           (last - first < size || last / unit == (end - 1) / unit);
}
/* How many bytes there are where a group's or a lane's own memory is accessed; 0: it is none. */
uint64_t memory_room_of(struct wt_machine *m, const struct wt_wave_head *w,
                        enum wt_observed_space space);
/* A variable whose address lanes use. */
struct variable_of_lanes {
    const char *name;
    const uint64_t *first; /* each lane's */
    uint64_t size;
};
/* The mistake of lanes that leave it; `lanes` 0: none does. *space becomes its memory. */
struct mistake memory_beside(struct wt_check_memory *c, const struct wt_wave_head *w,
                             const struct wt_lane_access *a, wt_lanes lanes, const uint64_t *at,
                             const struct variable_of_lanes *v, enum wt_finding_space *space);

/* memory_origin.c: variables, by an analysis of the code */

/* Lanes that leave the variable whose address the code uses, which are reported; @p low and @p high
 * are the lowest and the highest address. */
wt_lanes memory_judge_origin(struct wt_check_memory *c, const struct wt_wave_head *w,
                             const struct wt_lane_access *a, wt_lanes lanes, const uint64_t *at,
                             uint64_t low, uint64_t high);
/* Whether all lanes are known to access what they may, if aligned. */
bool memory_is_recent(struct wt_check_memory *c, const struct wt_wave_head *w,
                      const struct wt_lane_access *a, uint64_t low, uint64_t high);
/* Whether the address of an access is known to be made of no variable's. */
bool memory_uses_no_variable(struct wt_check_memory *c, const struct wt_wave_head *w,
                             const struct wt_lane_access *a);
/* The lanes of an access between @p low and @p high may make it. */
void memory_note_good(struct wt_check_memory *c, const struct wt_lane_access *a, uint64_t low,
                      uint64_t high);
/* Frees what is known of the code. */
void memory_free_sites(struct wt_check_memory *c);
/* Whether an address range may hold variables that are told apart. */
bool memory_may_have_variables(struct wt_check_memory *c, uint64_t first, uint64_t last);

/* memory_heap.c: members of the judge, for what kernels allocate */

/* See judge.h. */
void memory_taken(void *context, const struct wt_wave_head *w, const struct wt_lane_access *call,
                  uint64_t addr, uint64_t size);
/* See judge.h. */
bool memory_given_back(void *context, const struct wt_wave_head *w,
                       const struct wt_lane_access *call, uint64_t addr);
/* See judge.h. */
bool memory_is_allocator(void *context, uint64_t pc);
/* See judge.h. */
wt_lanes memory_allocator(void *context, struct wt_machine *m, const struct wt_wave_head *w,
                          uint64_t pc, uint64_t returns, wt_lanes lanes, const uint64_t *value);

#endif
