/* The check of uninitialised values: what its files share. */
#ifndef WT_CHECK_INIT_STATE_H
#define WT_CHECK_INIT_STATE_H

#include "check/code.h"
#include "check/decisions.h"
#include "check/definedness.h"
#include "check/followed.h"
#include "check/init.h"
#include "check/init_shadow.h"
#include "emulator/machine/observe.h"
#include "emulator/machine/operands.h"

enum { INIT_FILES = 10, INIT_CELL = 32 /* bits */, INIT_COMPUTED = 8 };

struct init_origin {
    enum wt_defined_origin kind;
    struct wt_object object; /* OBJECT, BEYOND */
    uint64_t load;           /* BEYOND: the instruction */
    /* the first instruction that has computed with it; pc 0: it is copied as it is */
    uint64_t pc, time, wave_id, launch, group, entry;
    wt_lanes lanes; /* whose bits were undefined */
    uint32_t device;
    char wave[WT_WAVE_NAME];
    uint64_t back[WT_TRAIL]; /* as of a finding */
    struct wt_check_init *by;
};

/* Where nothing that an instruction reads or writes is undefined. */
struct init_clean {
    uint32_t state; /* the wave's state in which that is so; 0: none */
    uint32_t all;   /* the wave's state in which `count` instructions, up to `last`, which computes,
                       touch only defined bits; 0: none */
    uint32_t count;
    bool accesses; /* some of them access memory */
    struct init_insn *last;
};

/* Of a piece (observe.h): whether that is so of all of it, */
struct init_piece {
    uint64_t number;
    uint32_t frame; /* the frame of the wave's issues (wt_issue.frame) */
    uint32_t state; /* the wave's state for which this is known; 0: none */
    bool clean;
    uint64_t halts[WT_PIECE / 64]; /* … but for these instructions */
    bool better;                   /* more may be clean when more has been written */
    uint32_t uses;                 /* since the state is this one */
};
enum { INIT_PIECES = 16 };

struct init_wave {
    uint64_t id;
    struct init_file file[INIT_FILES];
    struct init_space own;    /* PRIVATE memory: dwords of all lanes side by side */
    uint32_t state;           /* changes when a register becomes undefined */
    uint32_t code;            /* the check's `code_state` of what follows */
    struct init_clean *clean; /* by number of an instruction */
    size_t clean_room;
    struct init_insn *last; /* that it was told of last; NULL: it has a branch behind it */
    struct init_piece piece[INIT_PIECES]; /* by the lowest bits of its number */
};

/* Which of a span's cells count. */
enum init_by {
    INIT_BY_ALL,
    INIT_BY_LANES, /* a cell is a lane's, and those that are enabled count */
    INIT_BY_CELLS, /* likewise, from another cell on: lanes have one each, */
    INIT_BY_PAIRS, /* or two */
    INIT_BY_BITS,  /* there is one cell, of which each bit is a lane's */
};

/* Some of 64 cells of a file, which an operand has parts of. */
struct init_span {
    uint8_t file;
    uint8_t by;   /* enum init_by */
    int8_t shift; /* where the cells of lane 0 begin in the word */
    uint32_t word;
    uint64_t cells;
};

/* The operands of an instruction, and how its results follow from them. */
struct init_insn {
    unsigned count;
    unsigned reads, writes; /* spans: those that it reads come first */
    wt_lanes lanes;         /* that it is for */
    bool whole;             /* each cell that it writes is defined where its sources are */
    struct init_span *span;
    size_t span_room;
    struct wt_insn_operands head; /* its list is not used */
    struct wt_insn_operand *list;
    const struct wt_insn_operand *guard; /* says by which lanes it is executed; NULL: none does */
    uint64_t pc;
    uint32_t number;        /* from 0 on; of an instruction whose operands are not known beforehand:
                               NO_NUMBER */
    uint8_t does;           /* enum init_does */
    bool remasks;           /* other lanes may be enabled behind it */
    struct init_insn *next; /* what is behind it, where it goes on there; NULL: not known yet */
};
enum { INIT_NO_NUMBER = UINT16_MAX };

/* What is known of an instruction beforehand, where no operand has undefined bits. */
enum init_does {
    INIT_DOES_OTHER,
    INIT_COMPUTES, /* it has a result, accesses no memory and goes to what is behind it */
    INIT_STORES,   /* likewise, what it stores is defined */
    INIT_LOADS,    /* it may make registers undefined */
    INIT_BRANCHES, /* it changes nothing, but may go elsewhere */
    INIT_PASSES,   /* it changes nothing */
};

/* Instructions that a wave is about to execute one behind the other, nobody being told of each:
 * accesses say which one it is. */
struct init_run {
    const struct init_insn *insn; /* the one at `time`; NULL: there is no run */
    uint32_t wave;
    uint64_t time, end; /* issue times */
    bool stays;         /* the wave stays in a piece: any instruction of it may follow */
    uint32_t frame;     /* then, of its issues */
};

/* Bits of a register that an instruction will have written. */
struct init_write {
    uint8_t file;
    uint64_t bit;
    unsigned bits;
    struct wt_defined is;
    uint32_t origin;
};

/* The instruction that is being executed. */
struct init_pending {
    const struct init_insn *insn; /* NULL: it is not looked at */
    uint32_t wave;
    uint64_t time, pc;
    wt_lanes enabled, guarded;  /* those that execute it; those whose guard is asked */
    bool slow;                  /* some of its sources are undefined */
    unsigned moved;             /* bytes that all lanes have loaded or stored, */
    uint8_t more[WT_MAX_LANES]; /* and that each lane has beside them, */
    bool any_more;
    wt_lanes last; /* and those that have so many more since the last access */
    unsigned last_size;
};

struct wt_check_init {
    struct wt_machine *machine;
    const void *space;
    struct init_space *global; /* the space of global memory */
    enum wt_init_level level;
    wt_found_fn *found;
    void *context;
    uint64_t stacks, stacks_size; /* lanes' stacks in `global`; size 0: they have PRIVATE memory */
    struct wt_followed run;
    struct init_wave **wave; /* by slot; NULL: none has been there */
    struct init_past past;
    struct wt_map groups; /* home + 1 -> struct init_space */
    uint64_t last_home;   /* the home of last_group, which was found last; NULL: none */
    struct init_space *last_group;
    struct wt_check_code code; /* struct init_insn */
    uint32_t insns;            /* in it, that have numbers */
    uint32_t code_state;       /* changes when it is forgotten */
    struct init_insn now;      /* whose registers choose its operands */
    struct init_pending pending;
    struct init_run unasked;
    struct init_write *write;
    size_t writes, write_room;
    struct init_range {
        uint64_t addr, size;
    } * visible; /* computed undefined bytes in memory that the host sees */
    size_t visibles, visible_room;
    struct init_range *shared; /* objects that the host sees, in which this launch has stored
                   undefined bytes, and pages that it has copied to */
    size_t shares, share_room;
    bool copies;                   /* the runtime's own kernel is executed, for a command */
    struct init_range hidden;      /* an object that the host does not see, if the objects are */
    uint64_t hidden_state;         /* in this state */
    struct wt_decisions decisions; /* what was reported of kernels in the recorded run */
    struct wt_good good;           /* for loads that were widened */
    struct {
        uint32_t of, is;
        uint64_t at;           /* issue time */
    } computed[INIT_COMPUTED]; /* the last new origins of one instruction */
    unsigned computeds;        /* that were made; of more than there are places the last */
    uint64_t computed_pc;      /* that instruction */
    struct wt_check_init *next;
};

/* ---- init_memory.c: what all devices of a process share; the lock is held ---- */

void init_lock(void);
void init_unlock(void);
/* Memory of a space. NULL without host memory. */
struct init_space *init_memory_of(const void *space);
/* A new origin, by number; 0 without host memory. */
uint32_t init_new_origin(const struct init_origin *o);
/* More lanes of the instruction that has computed with it. */
void init_add_lanes(uint32_t origin, wt_lanes lanes);
const struct init_origin *init_origin_of(uint32_t number);
/* Origins that are always there. */
enum { INIT_OF_REGISTER = 1, INIT_OF_PRIVATE, INIT_OF_GROUP, INIT_OF_INACTIVE, INIT_FIXED };
/* Whether the host sees memory only as far as it copies it. */
bool init_is_hidden(const struct wt_object *object);
/* Whether an allocator has made it for the host and GPUs, which both see it at once. */
bool init_is_of_both(const struct wt_object *object);
/* Memory is about to change for those that go back; a run that is repeated changes nothing. */
void init_note_change(const void *space, uint64_t addr, uint64_t size);
/* The host has changed memory that is followed: it is defined. */
void init_define_of_host(const void *space, uint64_t addr, uint64_t size);
/* One of the checks that are there, which knows the next one; NULL: none is. */
struct wt_check_init *init_checks(void);
/* A check begins, or ends. */
void init_enter(struct wt_check_init *c);
void init_leave(struct wt_check_init *c);

/* ---- init_pages.c: what the system tells of pages; the lock is held ---- */

enum { INIT_HOST_PAGE = 4096, INIT_HOST_PAGES = 2048 /* that are asked for at once, at most */ };
/* Stores to pages are noted from now on, by whomever: nothing counts as stored to them so far.
 * False: this system cannot. */
bool init_pages_follow(uint64_t first, uint64_t count);
/* Of pages that are followed, whether something was stored to each. False: they are followed no
 * more. *list: a descriptor that the caller closes; -1: none yet. */
bool init_pages_stored(int *list, uint64_t first, size_t count, bool *stored);
/* The system's list of pages. False: it cannot be read. */
bool init_pages_listed(int *list, uint64_t first, size_t count, uint64_t *entry);

/* ---- init_untouched.c: pages of memory of both sides that nobody has written; the lock is held
 * ---- */

/* Where it is not seen any more what the host stores, @p how says so. */
void init_untouched_say(wt_check_say_fn *how);
/* An object of both sides is undefined, but for the pages that have been written, from now on.
 * False: the host has no memory. */
bool init_untouched_made(struct init_space *s, const struct wt_object *object, uint32_t origin);
/* It is freed. */
void init_untouched_freed(const void *space, uint64_t addr);
/* A kernel begins, or bytes are about to be copied: of the objects that [first, last] meets, what
 * the host has written meanwhile is defined. */
void init_untouched_look(const void *space, uint64_t first, uint64_t last);
/* A kernel has loaded undefined bytes: those pages of [first, last] are defined that the host has
 * written since the kernel began. */
void init_untouched_loaded(const void *space, uint64_t first, uint64_t last);

/* ---- init_registers.c ---- */

/* The lanes that read an operand, if it is not of the wave. */
static inline wt_lanes init_readers(const struct init_pending *p, const struct wt_insn_operand *o)
{
    return o->guards && o->by_lane ? p->guarded : p->enabled;
}
/* Whether lanes of an operand that is read have undefined bits; more may be said. */
bool init_has_undefined(const struct wt_check_init *c, const struct init_wave *w,
                        const struct wt_insn_operand *o, wt_lanes lanes);
/* Bits [from, from + bits) of a lane's value of an operand. */
struct init_part {
    const struct wt_insn_operand *o;
    unsigned lane, element, from, bits;
};
/* The value of a part in the wave of a slot; *origin: of an undefined bit. */
struct wt_defined init_fetch(const struct wt_check_init *c, const struct init_wave *w,
                             uint32_t slot, struct init_part p, uint32_t *origin);
/* A part becomes this, when the instruction has issued. */
void init_put(struct wt_check_init *c, struct init_part p, struct wt_defined is, uint32_t origin);
/* So many cells at least, those behind the ones there were being defined. False without host
 * memory.
 */
bool init_grow_file(struct init_file *f, size_t cells);
/* Frees what it has. */
void init_free_file(struct init_file *f);
/* Lists the cells that the instruction reads and writes. False without host memory. */
bool init_list_spans(const struct wt_check_init *c, struct init_insn *insn);
/* Whether some of its sources are undefined; more may be said. */
bool init_may_be_slow(const struct init_wave *w, const struct init_insn *insn, wt_lanes lanes);
/* Whether no source and no result of the instruction has undefined bits in these lanes; less may be
 * said. */
bool init_is_clean(const struct init_wave *w, const struct init_insn *insn, wt_lanes lanes);
/* Writes are defined, but for what was put. */
void init_commit(struct wt_check_init *c, struct init_wave *w);
/* They are defined from now on. */
void init_define_operand(struct wt_check_init *c, struct init_wave *w,
                         const struct wt_insn_operand *o, wt_lanes lanes);
/* The bits of an operand's value in a lane. */
unsigned init_bits_of(const struct wt_check_init *c, const struct wt_insn_operand *o);
/* The lanes of an operand, of those that are enabled. */
wt_lanes init_lanes_of(const struct wt_check_init *c, const struct wt_insn_operand *o,
                       wt_lanes own);
/* A wave begins: registers are what a launch leaves, which is no change (init_past.h). */
void init_begin_wave(struct wt_check_init *c, struct init_wave *w, uint32_t slot, uint64_t id);
void init_free_wave(struct init_wave *w);

/* ---- init_issue.c ---- */

/* Whether a load or store has elements in another form in registers (texels), so that each bit of
 * one may depend on each bit of the other: what it does then with an element is not told. */
static inline bool init_converts(const struct init_insn *insn)
{
    return insn->head.element && insn->head.then == WT_DOES_UNTOLD;
}

static inline bool init_is_register(const struct wt_insn_operand *o)
{
    return o->kind <= WT_OPERAND_SCALAR;
}
static inline bool init_is_result(const struct wt_insn_operand *o)
{
    return o->writes && init_is_register(o) && !o->aside;
}
/* Of a lane of the instruction: which one of its lanes it is. */
static inline unsigned init_element_of(const struct wt_check_init *c, unsigned lane)
{
    return lane - c->pending.insn->head.first_lane;
}
/* Bits of a lane's value. */
static inline struct init_part init_part_of(const struct wt_check_init *c,
                                            const struct wt_insn_operand *o, unsigned lane,
                                            unsigned from, unsigned bits)
{
    return (struct init_part){o, lane, init_element_of(c, lane), from, bits};
}
/* The origin of what the instruction computes, for these lanes, of bits of this origin. */
uint32_t init_computed_of(struct wt_check_init *c, uint32_t origin, wt_lanes lanes);
/* What a lane's result will be. */
void init_put_result(struct wt_check_init *c, const struct wt_insn_operand *o, unsigned lane,
                     struct wt_defined is, uint32_t origin);
/* Before an instruction: looks at what decides, and what its results will be. */
void init_issue(struct wt_check_init *c, struct init_wave *w);

/* ---- init_access.c ---- */

/* Where the shadow of a space has a byte. */
uint64_t init_place(const struct init_space *s, enum wt_observed_space space, unsigned lane,
                    uint64_t addr);

/* An access of it. */
void init_access(struct wt_check_init *c, struct init_wave *w, const struct wt_observed *a);

/* ---- init_report.c ---- */

void init_report(struct wt_check_init *c, enum wt_finding_kind kind, wt_lanes lanes,
                 uint32_t origin, const char *what);
/* Reports a value that an access loads; its place is in the finding. */
void init_report_loaded(struct wt_check_init *c, enum wt_finding_kind kind, wt_lanes lanes,
                        uint32_t origin, const char *what, const struct wt_observed *a);
/* Mistakes at issue time @p time and later were in a future that was dropped. */
void init_forget_mistakes(struct wt_check_init *c, uint64_t time);
/* What the host gets at once that was computed from undefined bits, or is undefined. Those that are
 * one finding (finding.h) are gathered, with their bytes. */
struct init_results {
    struct wt_check_init *check; /* that reports what no kernel has computed */
    bool whole;                  /* also that */
    bool there;                  /* the bytes are no copy, they stay where the kernel stored them */
    const char *by;              /* the call that copies; NULL: the host sees the memory */
    struct wt_call_stack calls;
    struct init_gathered *list;
    size_t count, room;
    struct wt_map of_origin; /* 2 * origin + computed + 1 -> place in `list` + 1 */
};
/* Adds those of @p size bytes of s at @p addr, the first of which is number @p at of what the host
 * gets (there: is at that address); behind all that were added before. */
void init_results_add(struct init_results *r, struct init_space *s, uint64_t addr, uint64_t size,
                      uint64_t at);
/* Reports them; then there are none. */
void init_results_tell(struct init_results *r);
/* Makes one of ranges that touch each other, by address. Returns how many there are then. */
size_t init_ranges_merge(struct init_range *list, size_t count);
/* At the end of a launch: what the host sees. */
void init_report_visible(struct wt_check_init *c);
/* What the host sees it may write from now on, which nobody sees: it counts as written. */
void init_define_shared(struct wt_check_init *c);

#endif
