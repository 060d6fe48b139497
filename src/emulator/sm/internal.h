/* The SM emulator's structures and the functions that its files share. */
#ifndef WT_EMULATOR_SM_INTERNAL_H
#define WT_EMULATOR_SM_INTERNAL_H

#include <assert.h>

#include "base/bits.h"
#include "base/lanes.h"
#include "emulator/machine/fields.h"
#include "emulator/machine/groups.h"
#include "emulator/machine/code_pages.h"
#include "emulator/machine/console.h"
#include "emulator/machine/engine.h"
#include "emulator/machine/memory.h"
#include "emulator/machine/mapped.h"
#include "emulator/sm/sass/isa.h"
#include "emulator/sm/sm.h"

#define SM_LANES 32
#define SM_RZ 255
#define SM_ROWS 259 /* RZ and what a vector that begins with it would take are zeros */
#define SM_STACK 64
#define SM_WAYS 4
#define SM_BARRIERS 16
#define SM_SLOTS (WT_PAGE_SIZE / 8)
#define SM_TAIL 2 /* the last one: sm/ptx/know/block.c */

struct sm_warp;
struct sm_uop;
typedef const struct sm_uop *(*sm_op)(struct sm_warp *w, const struct sm_uop *u);

struct sm_exec;
/* Computes a row of lanes; returns how many result rows x->d has: 0, 1 or 2. */
typedef unsigned (*sm_alu)(struct sm_exec *x);

/* Modifiers of a decoded instruction of an ALU: of its operands, and fields of one bit. */
enum sm_mod {
    SM_NEG_A = 1 << 0,
    SM_ABS_A = 1 << 1,
    SM_NOT_A = 1 << 2,
    SM_UPPER_A = 1 << 3, /* its upper half */
    SM_NEG_B = 1 << 4,
    SM_ABS_B = 1 << 5,
    SM_NOT_B = 1 << 6,
    SM_UPPER_B = 1 << 7,
    SM_NEG_C = 1 << 8,
    SM_CC = 1 << 9,
    SM_SAT = 1 << 10,
    SM_EXTENDED = 1 << 11, /* .X */
    SM_WRAPS = 1 << 12,    /* .W */
    SM_HIGH = 1 << 13,     /* .HI; .MX */
    SM_SIGNED = 1 << 14,   /* .S32: no .U32 */
    SM_FTZ = 1 << 15,
    SM_FMZ = 1 << 16,
    SM_REVERSED = 1 << 17, /* .BREV */
    SM_SHIFT = 1 << 18,    /* .SH */
    SM_FLOAT = 1 << 19,    /* .BF */
    SM_PSL = 1 << 20,
    SM_MERGES = 1 << 21, /* .MRG */
    SM_WIDE = 1 << 22,   /* operand B, or a constant in its place, has 64 bits */
};

/* A decoded instruction. */
struct sm_uop {
    sm_op run;
    union {
        sm_alu alu;                         /* NULL: `run` does all */
        const struct wt_paged_entry *entry; /* a record of PTX whose handler is sm_run_block */
    };
    uint64_t word;
    union {
        uint64_t immediate;       /* operand B; a double has 64 bits */
        const struct ptx_op *ptx; /* the record of an instruction of PTX (sm/ptx/image.h) */
    };
    uint8_t insn;
    uint8_t guard : 4;  /* predicate and its inversion; 7: always */
    uint8_t form : 2;   /* enum sm_form; a number of 16 or 32 bits is SM_FORM_I, too */
    uint8_t round : 2;  /* field rnd */
    uint8_t d, a, b, c; /* registers */
    uint8_t step;       /* records to the next instruction: control words are skipped */
    uint8_t how;        /* values of other fields of an ALU, the first one lowest */
    uint16_t offset;    /* constant operand */
    uint16_t visits;    /* how often a turn or a jump came here, until it is translated */
    uint32_t mods : 27; /* enum sm_mod */
    uint32_t bank : 5;
};
static_assert(sizeof(struct sm_uop) == 48, "records of code fill whole lines of the cache");

struct sm_code {
    struct wt_code_page page;
    struct wt_paged_page *blocks; /* the device's; NULL: it has not been translated */
    struct sm_uop uop[SM_SLOTS + SM_TAIL];
};

/* Entries of the call-return stack. */
enum sm_entry_kind {
    SM_ENTRY_SSY,  /* SSY: lanes come together */
    SM_ENTRY_DIV,  /* lanes that wait for their turn after a divergent branch */
    SM_ENTRY_PBK,  /* PBK */
    SM_ENTRY_PCNT, /* PCNT */
    SM_ENTRY_CALL, /* CAL, JCAL, PRET */
    SM_ENTRY_JUMP, /* PLONGJMP */
    SM_ENTRY_TRAP, /* entry of the trap handler */
    SM_ENTRY_PATH, /* PTX: lanes that are elsewhere (sm/ptx/exec/flow.c) */
};

struct sm_entry {
    uint64_t pc;
    uint32_t mask;
    uint32_t kind;
    /* a PATH's row of its frame; what it waits for (enum ptx_wait); what BAR.RED has found, or,
     * while it waits, for how many of its lanes the predicate holds */
    uint32_t base, wait, result;
    uint32_t zero; /* no padding: entries are hashed as they are */
};

/* Warp error codes (HWW_WARP_ESR.ERROR). */
enum sm_error_code {
    SM_STACK_ERROR = 0x01,
    SM_API_STACK_ERROR = 0x02,
    SM_RET_EMPTY_STACK_ERROR = 0x03,
    SM_PC_WRAP = 0x04,
    SM_MISALIGNED_PC = 0x05,
    SM_PC_OVERFLOW = 0x06,
    SM_MISALIGNED_IMMC_ADDR = 0x07,
    SM_MISALIGNED_REG = 0x08,
    SM_ILLEGAL_INSTR_ENCODING = 0x09,
    SM_ILLEGAL_INSTR_PARAM = 0x0b,
    SM_INVALID_CONST_ADDR = 0x0c,
    SM_OOR_REG = 0x0d,
    SM_OOR_ADDR = 0x0e,
    SM_MISALIGNED_ADDR = 0x0f,
    SM_INVALID_ADDR_SPACE = 0x10,
    SM_INVALID_CONST_ADDR_LDC = 0x12,
    SM_L1_ERROR = 0x80, /* no warp error: bit 1 of the global ESR */
    SM_ASSERT =
        1 << 16 | SM_ILLEGAL_INSTR_PARAM, /* for sm_error(), which tells it as an assertion */
};

/* Bits of the global ESR (HWW_GLOBAL_ESR); the upper ones are defined by wavetrap. */
enum {
    SM_GESR_L1_ERROR = 1 << 1,
    SM_GESR_MULTIPLE_WARP_ERRORS = 1 << 2,
    SM_GESR_STACK_OVERFLOW = 1 << 3,
    SM_GESR_BPT_INT = 1 << 4,
    SM_GESR_BPT_PAUSE = 1 << 5,
    SM_GESR_SINGLE_STEP = 1 << 6,
    SM_GESR_TRAP_SHIFT = 8,         /* bit 8 + n: BPT.TRAP n was met, n = 1..7 */
    SM_GESR_STOP_TRIGGER = 1 << 16, /* as S2R reads it only */
    SM_GESR_ALL = 0xfe7e,
};

/* The warp ESR: ERROR in [15:0]; the trap's immediate in [18:16] (defined by wavetrap). */
enum { SM_WESR_ERROR = 0xffff, SM_WESR_TRAP_SHIFT = 16, SM_WESR_TRAP = 7 << 16 };

/* An error that has happened and has not arrived yet. */
struct sm_late {
    uint64_t due; /* when the warp has issued so many instructions */
    struct wt_fault fault;
};

enum sm_pause { SM_RUNS, SM_PAUSED, SM_PAUSED_QUIET };

struct sm_cta;

struct sm_warp {
    /* Each turn uses two lines of the host's cache, and the second one begins at `code`. */
    WT_WAVE_HEAD(struct sm_cta, cta);
    uint32_t (*r)[SM_LANES]; /* SM_ROWS rows; NULL until a warp ran here */
    struct sm_device *device;
    _Alignas(64) struct sm_code *code; /* page of the instruction being executed, valid while it
                                          runs */
    uint64_t issued;                   /* instructions since it started */
    uint32_t live, mask;               /* lanes that have not exited; those enabled now */
    uint32_t depth;                    /* entries of the stack */
    /* PTX (sm/ptx/exec/flow.c): the path that runs; the others are entries of the stack */
    uint32_t base, wait, result; /* as in struct sm_entry */
    uint32_t spins,
        hold;   /* backward branches while one path has waited longest; left of its right */
    bool fresh; /* rows may not have been cleared (sm/ptx/know/fresh.c); false while nothing runs */
    bool opens; /* likewise of its newest frame, of a function */
    bool bare;  /* likewise: it has not begun, and has no frame yet (sm/ptx/exec/paths.c) */
    uint8_t at_barrier;   /* number + 1 */
    bool marked;          /* `error` and `late` may be more than zeros; no part of the state */
    uint8_t late_code[2]; /* error codes of `late`; 0: none */
    /* the trap unit */
    bool must_enter;       /* enters the handler before its next instruction */
    uint8_t paused;        /* enum sm_pause */
    bool held;             /* at RTT, by the stop trigger */
    bool step;             /* traps again behind the next instruction */
    bool stepped;          /* the instruction of a step has issued, and waits at a barrier */
    bool trapped;          /* in the handler */
    bool masked;           /* IDE.DIS */
    uint8_t pending_traps; /* bit n: BPT.TRAP n waits for IDE.EN or RTT */
    uint8_t ways;   /* entries of `way` of a fresh warp; 0: its lanes have come the same way */
    uint32_t rows;  /* rows of the register file that are in use */
    uint64_t local; /* address of lane 0's local memory */
    uint64_t runs;  /* while `fresh`, without ways: the runs of records that it has come to, a bit
                       each; else 0 */
    uint32_t p[8];  /* predicates, a mask of lanes each; PT is all ones */
    uint32_t z, s, carry, o; /* condition code, a mask of lanes each */
    /* BAR.RED: its operation; threads that arrived, for whom the predicate holds; the result */
    uint8_t bar_op;
    uint8_t bar_threads, bar_true;
    uint32_t bar_result; /* a count, and in bit 31 the predicate */
    uint32_t esr;
    uint64_t esr_pc;
    uint32_t room; /* rows that r has memory for; no part of the state */
    bool clean;    /* the registers of machine code are zeros still; likewise */
    /* Members from here on are not cleared as a whole for a new warp. */
    struct wt_fault error;  /* the last one that arrived, until the warp goes on; kind 0: none */
    struct sm_late late[2]; /* a warp error, an L1 error */
    struct sm_entry stack[SM_STACK];
    /* Lanes of a fresh warp, and the runs that they have come to. */
    struct sm_way {
        uint32_t mask;
        uint64_t runs;
    } way[SM_WAYS];
};

struct sm_barrier {
    uint32_t arrived;   /* warps; of a kernel of PTX threads */
    uint32_t expected;  /* likewise; 0: all that live */
    uint32_t holds, op; /* PTX, barrier.red: for how many threads the predicate holds; how */
};

/* A CTA that is being run. */
struct sm_cta {
    WT_GROUP_HEAD;
    uint32_t threads; /* that live; no part of the hashes */
    uint64_t slots;   /* its warps, a bit each of the SM's; no part of the hashes */
    bool meets;       /* a warp has come to one of its barriers; no part of the hashes */
    struct sm_barrier barrier[SM_BARRIERS];
};

/* One SM: its trap unit and the debugger's registers. */
struct sm_unit {
    bool in_trap; /* SM_IN_TRAP_MODE */
    bool debugger, stop_any_warp, stop_any_sm, single_step, stop;
    bool loud; /* a warp paused with BPT.PAUSE in this trap event, or was stopped */
    uint32_t global_esr;
    uint32_t warp_report, global_report; /* report masks */
    uint64_t pause_mask, trap_mask;
    uint32_t exception_enable; /* TPC_EXCEPTION_EN */
    uint32_t interrupts;       /* how many have been raised, modulo 2^32 (defined by wavetrap) */
    uint32_t inconsistent;     /* wakes that were out of order (defined by wavetrap) */
};

/* The kernel that runs, or ran last. */
struct sm_grid {
    WT_LAUNCH_HEAD;
    struct sm_launch launch;
    uint32_t warps_per_cta;
};

/* Operations of code for the device: decoding; frames, paths and blocks of PTX. */
struct sm_code_ops {
    /* Fills the slot of a record of PTX at pc, whose word is there; false: it is none. */
    bool (*decode_record)(struct sm_device *d, uint64_t pc, struct sm_uop *slot);
    /* Fills the slot of a word of machine code, also of one that is illegal. */
    void (*decode_word)(struct sm_device *d, struct sm_uop *slot);
    void (*translate)(struct sm_warp *w, struct sm_uop *slot); /* sm_translate() */
    bool (*launch_fits)(const struct sm_device *d, const struct sm_launch *l);
    bool (*start_warp)(struct sm_warp *w);
    bool (*is_unseen)(const struct sm_device *d);
    bool (*open_barrier)(struct sm_device *d, struct sm_cta *c, unsigned number);
    bool (*open_cluster)(struct sm_device *d, struct sm_cta *c);
    void (*leave_barriers)(struct sm_warp *w);
    void (*settle)(struct sm_warp *w, uint64_t pc);
    void (*settle_frame)(struct sm_warp *w, uint64_t pc);
};

struct sm_device {
    struct wt_machine machine;
    const struct sm_code_ops *code_ops;
    struct wt_near near; /* what has been decoded to be executed */
    struct sm_config config;
    struct sm_warp *warp;
    struct sm_cta *cta; /* SM_CTAS an SM */
    struct sm_unit unit[SM_MOST_SMS];
    struct sm_grid grid;
    uint64_t handler; /* address of the trap handler; 0: none */
    bool grant;       /* exceptions go to the debugger */
    /* execution */
    const struct sm_uop *executing; /* the record of the turn under way; NULL: none yet */
    const struct sm_warp
        *prepared;        /* for which, in it, blocks are (sm/ptx/know/block.c); NULL: none yet */
    bool prepared_launch; /* … in it or a turn that it follows without the engine (device.c) */
    struct sm_trace_point *trace;
    struct wt_console console; /* vprintf's: one */
    struct sm_ptx **image;     /* images of PTX, whose instructions are in memory */
    size_t image_count, image_capacity;
    unsigned jit;            /* as in the configuration, or fewer, of a launch of many warps */
    struct wt_paged *blocks; /* translated code (sm/ptx/know/block.c); NULL: there is none yet */
    /* Warps that are fresh (sm/ptx/know/fresh.c): there may be some; nobody sees the warps before
     * the run returns; there was a launch since the last one; the kernels that are known, and the
     * one that runs, if that helps. */
    bool has_fresh, hidden, unknown;
    bool has_unseen;       /* sm_run_unseen() may execute warps of the kernel that runs */
    bool starts_bare;      /* warps of the CTA that starts are bare */
    struct sm_warp *ended; /* the last one that did; NULL: none, or another one has its rows */
    struct ptx_fresh *known, *called[64]; /* … functions by their numbers; NULL: not yet */
    struct ptx_fresh *fresh;
};

/* A computation over the lanes of a warp. */
struct sm_exec {
    struct sm_warp *w;
    const struct sm_uop *u;
    uint32_t exec;             /* lanes that count */
    const uint32_t *a, *b, *c; /* rows; the upper half of a pair is SM_LANES behind it */
    uint32_t d[2][SM_LANES];
    uint32_t a_row[2 * SM_LANES], b_row[2 * SM_LANES], c_row[2 * SM_LANES];
    uint32_t error; /* an ALU instruction's warp error, 0: none */
};

/* Lanes have exited. */
static inline void sm_lanes_end(struct sm_warp *w, uint32_t lanes)
{
    const uint32_t ended = w->live & lanes;
    w->cta->threads -= ended == UINT32_MAX ? SM_LANES : wt_count_ones(ended);
    w->live &= ~lanes;
}

/* The SM that a warp runs on. */
static inline struct sm_unit *sm_unit_of(const struct sm_warp *w)
{
    return &w->device->unit[w->id / SM_WARPS];
}

/* Address of an instruction of the page that the warp executes. */
static inline uint64_t sm_pc_of(const struct sm_warp *w, const struct sm_uop *u)
{
    return w->code->page.base + (uint64_t)(u - w->code->uop) * 8;
}

/* Issue time of the instruction being executed. */
static inline uint64_t sm_now(const struct sm_warp *w)
{
    return wt_issue_time(&w->device->machine, w->left);
}

/* The record behind u: control words are skipped. */
static inline const struct sm_uop *sm_next(const struct sm_uop *u)
{
    return u + u->step;
}

/* Lanes for which a predicate, with its inversion in bit 3, holds. */
static inline uint32_t sm_predicate(const struct sm_warp *w, unsigned p)
{
    return w->p[p & 7] ^ (p & 8 ? 0xffffffffu : 0);
}

/* Lanes that execute u. */
static inline uint32_t sm_lanes_of(const struct sm_warp *w, const struct sm_uop *u)
{
    return w->mask & sm_predicate(w, u->guard);
}

/* One bit of a word. */
static inline bool sm_bit(uint64_t word, unsigned bit)
{
    return word >> bit & 1;
}

/* Whether the paths of a warp of PTX all wait at barriers (sm/ptx/exec/flow.c). */
static inline bool sm_paths_wait(const struct sm_warp *w)
{
    return w->wait && w->wait < 0x100;
}

/* Rows of registers that are a part of the state. */
static inline uint32_t sm_rows_of(const struct sm_warp *w)
{
    return w->rows ? w->rows : SM_RZ;
}

/* ---- fetch.c ---- */

/* The record at pc; sets w->code. NULL where an error was raised. */
const struct sm_uop *sm_fetch(struct sm_warp *w, uint64_t pc);
/* Goes on at pc: the next record for a handler to return. */
const struct sm_uop *sm_jump(struct sm_warp *w, uint64_t pc);
extern const struct wt_code_format sm_code_format;
/* Pushes an entry of SSY, PBK, PCNT, a call or divergence; false: the stack is full, which was
 * raised. */
bool sm_push(struct sm_warp *w, enum sm_entry_kind kind, uint32_t mask, uint64_t pc);
/* The next record. Where no lane is active, the topmost entry that has lanes goes on; where there
 * is none (SETCRSPTR has dropped it, or lanes came back that it does not have), the warp ends. */
const struct sm_uop *sm_next_lanes(struct sm_warp *w, const struct sm_uop *u);
/* Lanes leave: removed from the active ones and from all entries. Returns where the warp goes on,
 * NULL if it has ended or the turn has. */
const struct sm_uop *sm_exit_lanes(struct sm_warp *w, const struct sm_uop *u, uint32_t lanes);

/* ---- sass/code.c ---- */

/* Fills a record, but for `step`, from the word of an instruction; false: there is none such. */
bool sm_decode_uop(uint64_t word, struct sm_uop *u);
/* Fills a slot that has its word. */
void sm_decode_word(struct sm_device *d, struct sm_uop *slot);

/* ---- sm/ptx/know/block.c: translated code ---- */

/* Translates what begins at a record of PTX that has been visited often, if that pays and has not
 * been done. */
void sm_translate(struct sm_warp *w, struct sm_uop *slot);
/* The operation `piece`. */
extern WT_MACHINE_FN(piece) sm_piece;
/* Frees all translated code. */
void sm_blocks_free(struct sm_device *d);
/* Memory has been lost in the turn: if a block was executing, the warp is where the block was. */
void sm_blocks_lost(struct sm_warp *w);

/* Executes a bare warp, whose turn has begun, by code whose rows nobody sees, which may be in the
 * page of the turn before. False: it has not, and is bare. */
bool sm_run_unseen(struct sm_warp *w, struct sm_code *code);

/* A turn or a jump comes to a record. What cannot be translated is tried at powers of two. */
static inline const struct sm_uop *sm_visit(struct sm_warp *w, struct sm_uop *slot)
{
    const unsigned visits = ++slot->visits;
    if (visits > w->device->jit - 1 /* 0: never */ && !(visits & (visits - 1)))
        w->device->code_ops->translate(w, slot);
    return slot;
}

/* ---- exec.c: what the ALU executors share ---- */

/* Executes an ALU instruction; what follows. */
const struct sm_uop *sm_run_alu(struct sm_warp *w, const struct sm_uop *u);
/* The dword of a constant bank that u has as an operand, or (`wide`) two, of which the upper one
 * may not be there: then it is 0. False: there is none. Watches and observers know of the access,
 * unless u is NULL. */
bool sm_constant(struct sm_warp *w, const struct sm_uop *u, unsigned bank, uint32_t offset,
                 bool wide, uint64_t *value);

/* ---- access.c ---- */

/* Whether all of [addr, addr + size) is mapped, and for writing where `write`. */
bool sm_mapped(const struct sm_device *d, uint64_t addr, uint64_t size, bool write);
/* The TLB's misses: NULL where it may not have the page. */
const uint8_t *sm_tlb_fill_read(struct sm_device *d, uint64_t addr);
/* Likewise for writing. */
uint8_t *sm_tlb_fill_write(struct sm_device *d, uint64_t addr);
/* Ends the launch with a fault. */
void sm_fault(struct sm_warp *w, const struct wt_fault *fault);

/* The byte at addr and those behind it in its page; NULL: sm_mapped and slower ways decide. */
static inline const uint8_t *sm_readable(struct sm_device *d, uint64_t addr)
{
    struct wt_tlb_entry *e = wt_tlb_entry_of(&d->machine.tlb, addr);
    if (e->read_page == (addr & ~WT_PAGE_MASK))
        return e->read_host + (addr & WT_PAGE_MASK);
    return sm_tlb_fill_read(d, addr);
}

/* Likewise for writing. */
static inline uint8_t *sm_writable(struct sm_device *d, uint64_t addr)
{
    struct wt_tlb_entry *e = wt_tlb_entry_of(&d->machine.tlb, addr);
    if (e->write_page == (addr & ~WT_PAGE_MASK))
        return e->write_host + (addr & WT_PAGE_MASK);
    return sm_tlb_fill_write(d, addr);
}

/* ---- grid.c ---- */

/* So many rows of zeros for a warp, to be freed with their number; NULL: the host has no memory. */
uint32_t (*sm_rows_new(uint32_t warp, uint32_t rows))[SM_LANES];
/* Frees them, of which there may be none (NULL). */
void sm_rows_free(uint32_t (*r)[SM_LANES], uint32_t rows);
/* This family's operations for groups (machine/groups.h). */
extern const struct wt_group_ops sm_group_ops;
/* All lanes of a warp have exited. */
void sm_warp_end(struct sm_warp *w);
/* Lanes of the warp arrive at a barrier, at wait_pc; false: it waits there. */
bool sm_barrier_arrive(struct sm_warp *w, uint32_t lanes, unsigned number, uint32_t threads,
                       bool waits);

/* ---- sass/flow.c ---- */

/* Lanes for which a test of the condition code holds. */
uint32_t sm_condition(const struct sm_warp *w, unsigned test);
/* Likewise of four flags. */
uint32_t sm_flags_hold(uint32_t z, uint32_t s, uint32_t c, uint32_t o, unsigned test);
/* ---- trap.c ---- */

/*
 * A warp error at u, which has had no effect. It arrives at once or late, as the configuration
 * says; the trap handler takes it, or the launch ends with a report. Returns the next record.
 */
const struct sm_uop *sm_error(struct sm_warp *w, const struct sm_uop *u, uint32_t code,
                              uint32_t lanes, uint64_t addr, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
/* Executes no instruction, at the warp's pc where none can be: a warp error. */
const struct sm_uop *sm_op_nowhere(struct sm_warp *w, const struct sm_uop *u);
/* Before a turn: late errors that are due, and entry of the handler. False: the launch has ended
 * with a fault. *n becomes how many instructions may be issued before this is to be called again.
 */
bool sm_trap_before_turn(struct sm_warp *w, uint64_t *n);
/* Errors that have not arrived yet are taken before the warp ends. False: it goes on instead. */
bool sm_trap_before_exit(struct sm_warp *w, const struct sm_uop *u);
/* A warp has ended, or paused, or returned: does the SM leave trap mode? */
void sm_trap_settle(struct sm_device *d, uint32_t sm);
/* Whether the SM starts no block now. */
bool sm_trap_holds_blocks(const struct sm_device *d, uint32_t sm);
/* A block has started: does its warp pause before its first instruction? */
void sm_trap_warp_begins(struct sm_warp *w);
/* A warp that waits at a barrier waits there no longer: it comes to it again. */
void sm_leave_barrier(struct sm_warp *w);
/* The entry of the trap handler on a warp's stack; NULL: the warp is not in it. */
struct sm_entry *sm_trap_entry(struct sm_warp *w);
/* The run trigger. */
void sm_trap_run(struct sm_device *d, uint32_t sm);
/* The stop trigger has been set. */
void sm_trap_stop(struct sm_device *d, uint32_t sm);
/* Whether the debugger has locked the SM down. */
bool sm_locked_down(const struct sm_device *d, uint32_t sm);
/* The global status as S2R reads it. */
uint32_t sm_trap_global_status(const struct sm_warp *w);
/* trap and brkpt of PTX: BPT.TRAP 1. */
const struct sm_uop *sm_take_program_trap(struct sm_warp *w, const struct sm_uop *u, uint32_t lanes,
                                          const char *name);
/* Whether the trap unit lets the warp issue. */
static inline bool sm_trap_runs(const struct sm_warp *w)
{
    return !w->paused && !w->held;
}

/* Recomputes whether the warp can issue. */
static inline void sm_update_ready(struct sm_warp *w)
{
    wt_turns_set_ready(&w->device->machine.turns, w->id,
                       w->active && !w->at_barrier && !sm_paths_wait(w) && sm_trap_runs(w));
}

/* ---- the machine's and the engine's operations of these names ---- */

WT_MACHINE_FN(describe_register) sm_describe_register;
WT_MACHINE_FN(read_row) sm_read_row;
WT_MACHINE_FN(array) sm_array;
WT_MACHINE_FN(frame) sm_frame;
extern const struct wt_address_map sm_address_map;
WT_MACHINE_FN(explain) sm_explain;
WT_MACHINE_FN(state) sm_state;
extern const struct wt_field sm_grid_begin[], sm_grid_fields[], sm_grid_end[], sm_unit_fields[],
    sm_warp_fields[], sm_warp_barrier[], sm_warp_trap[];
/** Whether an active warp is one that there can be. */
bool sm_warp_is_sound(struct sm_warp *w);
WT_MACHINE_FN(hash) sm_hash;
WT_MACHINE_FN(program_hash) sm_program_hash;
WT_ENGINE_FN(check) sm_check;

/* ---- trace.c ---- */

WT_ENGINE_FN(trace_before) sm_trace_before;
WT_ENGINE_FN(trace_after) sm_trace_after;
/* Frees what sm_trace_before allocated. */
void sm_trace_free(struct sm_device *d);

/* The executors, as isa.def names them. */
#define I(id, class, executor, text, state, mask, reg, con, imm, rc, ...) DECLARE_##class(executor)
#define DECLARE_OP(executor)                                                                       \
    const struct sm_uop *sm_op_##executor(struct sm_warp *w, const struct sm_uop *u);
#define DECLARE_ALU(executor) unsigned sm_alu_##executor(struct sm_exec *x);
#include "emulator/sm/sass/isa.def"
#undef I

#endif
