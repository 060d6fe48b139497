/* The Vortex emulator's structures and the functions that its files share. */
#ifndef WT_EMULATOR_VORTEX_INTERNAL_H
#define WT_EMULATOR_VORTEX_INTERNAL_H

#include "base/bits.h"
#include "base/lanes.h"
#include "emulator/machine/archive.h"
#include "emulator/machine/code_pages.h"
#include "emulator/machine/console.h"
#include "emulator/machine/engine.h"
#include "emulator/machine/memory.h"
#include "emulator/vortex/isa.h"
#include "emulator/vortex/profile.h"
#include "emulator/vortex/vortex.h"

struct vx_warp;
struct vx_uop;

/*
 * A handler executes one decoded instruction for all lanes of a warp and returns the next one.
 * NULL ends the turn: the handler has then set warp->pc itself.
 */
typedef const struct vx_uop *(*vx_handler)(struct vx_warp *w, const struct vx_uop *u);

/* The handlers of one width and lane count. */
struct vx_handlers {
    void (*leave)(void); /* called between handlers and code compiled for any host */
    vx_handler full[VX_INSN_COUNT];
    vx_handler compressed[VX_INSN_COUNT]; /* NULL: the same as for the full length */
};

/* A decoded instruction. Destination x0 is decoded as VX_SINK, a row that nobody reads. */
struct vx_uop {
    vx_handler run;
    uint8_t rd, rs1, rs2;
    uint8_t halves; /* length in halfwords: 1 or 2 */
    int32_t imm;    /* immediate; CSR number; of FP: rounding mode | rs3 << 8 */
};

#define VX_MOST_WARPS 511 /* warps of a core */
#define VX_SINK 32
#define VX_X_ROWS 33
#define VX_SLOTS (WT_PAGE_SIZE / 2)
#define VX_TAIL 3 /* the last one is a witness (block.c) */

/* The decoded instructions of one page of code, one record a halfword. */
struct vx_code {
    struct wt_code_page page;
    struct wt_paged_page *blocks; /* blocks of the device; NULL: it has not been translated */
    uint16_t visits[VX_SLOTS]; /* how often a turn or a jump came there, until it is translated */
    struct vx_uop uop[VX_SLOTS + VX_TAIL]; /* last; those behind VX_SLOTS lead to the next page */
};

/* Why a warp that is active cannot issue. PHASE: BAR.WAIT, for the end of a barrier's phase. */
enum vx_wait { VX_RUNS, VX_WAIT_WSPAWN, VX_WAIT_BARRIER, VX_WAIT_GLOBAL_BARRIER, VX_WAIT_PHASE };

/* An entry of the IPDOM (divergence) stack. */
struct vx_ipdom {
    wt_lanes restore; /* thread mask before the split */
    wt_lanes other;   /* lanes that wait: those not taken first; once they run, the first ones */
    uint64_t pc;      /* where they wake up: behind the split; behind the join */
    bool fallthrough; /* the second part runs: the next join pops */
};

/* Lanes that have parted from those that issue, with divergence=auto. */
struct vx_part {
    wt_lanes mask;
    uint64_t pc; /* where they go on */
};

/* Registers are arrays over lanes: register r of x starts at x + r * lanes * xlen / 8. */
struct vx_warp {
    WT_WAVE_HEAD(struct wt_group_head, group);
    uint8_t *x;               /* VX_X_ROWS rows of integers */
    uint64_t *f;              /* 32 rows of 64-bit floating point registers, binary32 NaN-boxed */
    uint32_t *lane32;         /* all ones in enabled lanes, for blending 32-bit rows */
    uint64_t *lane64;         /* the same for 64-bit rows */
    uint64_t *reserved_addr;  /* LR: address + 1 (0: no reservation) */
    uint64_t *reserved_value; /* LR: what it read */
    uint32_t *dscratch;       /* 4 rows: DSCRATCH0-3, CSRs 0x7b2-0x7b5 */
    struct vx_ipdom *ipdom;
    struct vx_part *part; /* as many as lanes */
    struct vx_device *device;
    struct vx_core *core;
    struct vx_code *code; /* page of the instruction being executed, valid while it runs */
    wt_lanes mask;
    bool full;    /* all lanes are enabled */
    bool touched; /* its registers may be other than zero */
    uint8_t frm, fflags;
    unsigned depth; /* depth of ipdom */
    unsigned parts; /* parts of part */
    enum vx_wait wait;
    uint32_t wait_id;     /* barrier, or how many warps wspawn wants */
    uint32_t wait_count;  /* barrier: how many must arrive */
    uint64_t wait_target; /* wspawn: where the new warps start */
    /* Debug Module */
    bool halted;
    bool stepping; /* issue one instruction, then halt */
    uint8_t hacause;
    /* Profiles with traps. */
    uint64_t mscratch, mstatus, mtvec, mepc, mcause, mtval;
    wt_lanes trap_mask; /* trap mask of the last trap: what xRET restores; 0: there was none */
    /* Profiles with a launch unit. */
    bool begun;          /* it has had a warp since the launch: the next one begins at the call */
    bool of_cta;         /* it was started by the launch unit, and counts in cta->left */
    uint32_t place;      /* place of its CTA in the core: CTA_ID */
    uint32_t rank, size; /* in its CTA; warps of that */
    uint32_t thread[3];  /* threadIdx of lane 0 */
    uint32_t block[3];   /* blockIdx */
};

/* A barrier of a profile with phases, beside core->arrived. */
struct vx_phase {
    uint32_t pending; /* transactions that expect_tx has announced */
    uint8_t phase;    /* 0 or 1 */
    bool reported;    /* global: all warps of this core have arrived */
};

/* The CTA that a core's dispatcher starts, warp by warp. */
struct vx_dispatch {
    bool starts;        /* there is one */
    uint32_t tail;      /* the place that the next CTA gets */
    uint32_t place;     /* its own */
    uint32_t rank;      /* rank of its next warp */
    uint32_t rest;      /* threads that have not started */
    uint32_t thread[3]; /* the first one of them */
    uint32_t block[3];
};

/* The launch unit: the next CTA, in the order of the grid. */
struct vx_kmu {
    bool runs;
    uint32_t origin[3], inner[3]; /* the cluster's place in the grid, the CTA's in the cluster */
    uint32_t core;                /* that gets the next cluster */
    uint32_t owner;               /* that gets the rest of the present one */
    struct vx_launch launch;      /* as it was when it started */
};

struct vx_core {
    struct wt_memory *local; /* local memory, at profile->local_mem_base */
    uint32_t id;
    uint32_t first_warp;
    uint32_t active; /* number of active warps */
    uint64_t mscratch;
    uint64_t issues;
    uint32_t *arrived; /* local barriers: warps that wait there */
    /* Profiles with a launch unit: */
    struct vx_phase *phase; /* phase of each barrier; NULL: it has no phases */
    uint32_t *left;         /* for the CTA in each place: warps that have not ended. NULL: none */
    struct vx_dispatch dispatch;
};

enum vx_dm_state { VX_DM_NONE, VX_DM_REQ, VX_DM_INFLIGHT };

/* The Debug Module's own state (VxDebug specification). */
struct vx_dm {
    bool active;
    uint32_t dconfig, dselect, inject;
    uint32_t *wmask; /* a window of 32 warps a word */
    enum vx_dm_state inject_state;
    uint32_t inject_warp;
    unsigned inject_thread;
    enum vx_dm_state step_state;
    uint32_t step_warp;
    bool reset_halt;     /* resethaltreq, latched until the reset */
    uint32_t reset_left; /* cycles for which ndmreset stays asserted */
    uint32_t halt_left;  /* cycles for which resethaltreq stays asserted after the reset */
};

#define VX_NO_CSR 0xff

struct vx_device {
    struct wt_machine machine;
    struct vx_config config;
    const struct vx_profile *profile;
    const struct vx_handlers *handlers; /* for this width and lane count */
    uint8_t csr[4096];                  /* by CSR number: enum vx_csr, or VX_NO_CSR */
    struct vx_warp *warp;
    struct vx_core *core;
    uint8_t *registers; /* registers of all warps, lazily touched */
    size_t registers_size;
    size_t warp_bytes;    /* warp bytes of one warp's */
    struct wt_kept *kept; /* those of each warp, for snapshots */
    uint32_t core_count, barriers;
    wt_lanes all_lanes;
    uint32_t halted;        /* warps whose halt bit is set */
    uint32_t halted_active; /* and that are active */
    /* execution */
    struct vx_core *tlb_core;     /* whose local memory the TLB shows */
    struct vx_code *inject_code;  /* scratch page for injected instructions */
    struct vx_trace_point *trace; /* the issue being traced; NULL until a run is */
    bool mask_written;            /* vx_set_mask was called (for injection) */
    bool injecting;
    wt_lanes inject_mask;   /* the warp's own mask, while an instruction is injected */
    char inject_fault[256]; /* why the last injected instruction had no effect, or "" */
    uint32_t injected_word; /* what injected_uop was decoded from, when injection_decoded */
    bool injection_decoded;
    struct vx_uop injected_uop;
    uint32_t mpm_class;
    struct vx_kmu kmu;
    struct wt_paged *blocks; /* translated code; NULL until there is some */
    struct wt_console console;
    struct vx_dm dm;
};

/* Address of an instruction of the page that the warp executes. */
static inline uint64_t vx_pc_of(const struct vx_warp *w, const struct vx_uop *u)
{
    return w->code->page.base + (uint64_t)(u - w->code->uop) * 2;
}

/* Issue time of the instruction being executed; of the next one when none is. */
static inline uint64_t vx_now(const struct vx_warp *w)
{
    return wt_issue_time(&w->device->machine, w->left);
}

/* An address as the device has it: XLEN bits. */
static inline uint64_t vx_truncate(const struct vx_device *d, uint64_t addr)
{
    return d->config.xlen == 32 ? (uint32_t)addr : addr;
}

/* Register r of one lane, as an unsigned number of xlen bits. */
uint64_t vx_get_x(const struct vx_warp *w, unsigned r, unsigned lane);
/* Sets register r of one lane; x0 stays zero. */
void vx_set_x(struct vx_warp *w, unsigned r, unsigned lane, uint64_t value);

/* ---- origin.c ---- */

WT_MACHINE_FN(origins) vx_origins;

/* ---- code.c: decoded pages ---- */

/* The decoded instruction at pc; sets w->code. NULL with a fault if nothing can be fetched there.
 */
const struct vx_uop *vx_fetch(struct vx_warp *w, uint64_t pc);
extern const struct wt_code_format vx_code_format;
/* Decodes a record of the page that the warp executes; false where it is watched: it is as it was.
 */
bool vx_decode_record(struct vx_warp *w, struct vx_uop *slot);
/*
 * Decodes one 32-bit instruction, or what a compressed one of `halves` halfwords stands for. No
 * such instruction: the illegal handler.
 */
struct vx_uop vx_decode(struct vx_device *d, uint32_t word, unsigned halves);

/* ---- faults ---- */

/*
 * Reports a mistake at u: sets the machine's fault, the warp stays at u. Returns NULL for the
 * handler to return.
 */
const struct vx_uop *vx_fault(struct vx_warp *w, const struct vx_uop *u, enum wt_fault_kind kind,
                              wt_lanes lanes, uint64_t addr, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
/* Reports an illegal instruction of all active lanes. */
const struct vx_uop *vx_illegal(struct vx_warp *w, const struct vx_uop *u);

/* ---- access.c: memory as a core sees it ---- */

/* Whether addr lies in local memory, of which each core has its own. */
bool vx_is_local(const struct vx_device *d, uint64_t addr);
/*
 * A place from which the `size` bytes at addr, which do not cross a page, may be read; NULL when
 * only vx_load may, or nothing. It is good for other bytes of the page only if size is the page's.
 */
const uint8_t *vx_tlb_fill_read(struct vx_warp *w, uint64_t addr, uint64_t size);
/* Likewise for writing; NULL when only vx_store may write there, or nothing may. */
uint8_t *vx_tlb_fill_write(struct vx_warp *w, uint64_t addr, uint64_t size);
/*
 * Where wt_observes_rows(): finds the host's places of the aligned loads or stores of the enabled
 * lanes, each of @p size bytes at rs1 + imm, and tells the observer of them. False, and nothing is
 * told: they must be made lane by lane.
 */
bool vx_tell_lanes(struct vx_warp *w, const struct vx_uop *u, enum wt_watch_kind kind,
                   unsigned size, uint8_t **host);
/* The addresses of all lanes' accesses: rs1 + imm. */
void vx_access_addresses(const struct vx_warp *w, const struct vx_uop *u, uint64_t *at);
/* Likewise for a full warp whose accesses all lie in the page of @p first, which is the first
 * lane's: its host's place; NULL: lane by lane. @p is_row: they lie one behind the other. */
uint8_t *vx_tell_page(struct vx_warp *w, const struct vx_uop *u, enum wt_watch_kind kind,
                      unsigned size, uint64_t first, bool is_row);

/*
 * Of these four, false: the access is refused (machine/engine.h), and the executor returns NULL.
 * A load of 1, 2, 4 or 8 bytes by the instruction u for one lane; it may cross a page.
 */
bool vx_load(struct vx_warp *w, const struct vx_uop *u, unsigned lane, uint64_t addr, unsigned size,
             uint64_t *value);
/* Likewise for a store. It is WT_WATCH_WRITE, or WT_WATCH_ACCESS if it is a part of an atomic. */
bool vx_store(struct vx_warp *w, const struct vx_uop *u, unsigned lane, uint64_t addr,
              unsigned size, uint64_t value, enum wt_watch_kind kind);
/* Whether a store of that size, or that of an atomic, may go there at all. */
bool vx_may_store(struct vx_warp *w, const struct vx_uop *u, unsigned lane, uint64_t addr,
                  unsigned size, enum wt_access access);
/* A load that no watch sees: a part of what an atomic does. */
bool vx_peek(struct vx_warp *w, const struct vx_uop *u, unsigned lane, uint64_t addr, unsigned size,
             uint64_t *value);
/* Memory as a core sees it, for debuggers. */
bool vx_read_bytes(struct vx_core *core, struct vx_device *d, uint64_t addr, void *out,
                   size_t size);
/* Likewise for writing; false: a part of the range is no memory, and nothing is written. */
bool vx_write_bytes(struct vx_core *core, struct vx_device *d, uint64_t addr, const void *bytes,
                    size_t size);
/* Lets the TLB show this core's local memory. */
void vx_tlb_switch_core(struct vx_device *d, struct vx_core *core);

/* ---- csr.c ---- */

/* Fills d->csr from the profile. */
void vx_csr_init(struct vx_device *d);
/* Reads a CSR as one lane sees it; false if there is none. */
bool vx_csr_read(struct vx_warp *w, unsigned number, unsigned lane, uint64_t *value);
/* Writes a CSR from the value of one lane; false if there is none or it is read-only. */
bool vx_csr_write(struct vx_warp *w, unsigned number, unsigned lane, uint64_t value);

/* ---- simt.c: warps, masks, barriers ---- */

/* Whoever writes registers of a warp calls it, for the next snapshot. */
static inline void vx_note_change(const struct vx_warp *w)
{
    w->device->kept[w->id].changed = true;
}

/* Sets the warp's thread mask; an empty mask ends the warp. */
void vx_set_mask(struct vx_warp *w, wt_lanes mask);
/* Activates a warp with those threads at pc, of which bit 0 is ignored, as of a jump's target.
 * Its registers stay as they are. */
void vx_warp_start(struct vx_warp *w, uint64_t pc, wt_lanes mask);
/** Tells who observes the machine that the warp executes a fence. */
void vx_tell_fence(const struct vx_warp *w, const struct vx_uop *u);
/* Recomputes whether the warp can issue. */
void vx_update_ready(struct vx_warp *w);
/** Cores of @p core's cluster that have arrived at a global barrier: all their active warps wait.
 */
uint32_t vx_cores_at_barrier(const struct vx_device *d, const struct vx_core *core, uint32_t id);
/* ecall or ebreak without a debugger: the whole core stops (SimX, 2025). */
void vx_stop_core(struct vx_device *d, struct vx_core *core);
/* SIMT instructions. u's operands are read from w; NULL or the next instruction is returned. */
const struct vx_uop *vx_op_tmc(struct vx_warp *w, const struct vx_uop *u);
/* wspawn: starts warps of the core. */
const struct vx_uop *vx_op_wspawn(struct vx_warp *w, const struct vx_uop *u);
/* split: lanes with a non-zero operand go on, the others wait on the IPDOM stack. */
const struct vx_uop *vx_op_split(struct vx_warp *w, const struct vx_uop *u);
/* split with the condition negated. */
const struct vx_uop *vx_op_split_n(struct vx_warp *w, const struct vx_uop *u);
/* join: the lanes of the other path go on, or all lanes again. */
const struct vx_uop *vx_op_join(struct vx_warp *w, const struct vx_uop *u);
/* bar: the warp waits for so many warps, of its core or of the cluster's cores. */
const struct vx_uop *vx_op_bar(struct vx_warp *w, const struct vx_uop *u);
/* pred: lanes with a zero operand leave the mask; an empty mask is restored. */
const struct vx_uop *vx_op_pred(struct vx_warp *w, const struct vx_uop *u);
/* pred with the condition negated. */
const struct vx_uop *vx_op_pred_n(struct vx_warp *w, const struct vx_uop *u);
/* bar.arrive: counts an arrival, or transactions; bar.wait: waits for the end of a phase. */
const struct vx_uop *vx_op_bar_arrive(struct vx_warp *w, const struct vx_uop *u);
/* An instruction of a unit that is not modelled: a fault that names it. */
const struct vx_uop *vx_op_unit(struct vx_warp *w, const struct vx_uop *u);
/* mret, sret and uret of a profile with traps. */
const struct vx_uop *vx_op_return(struct vx_warp *w, const struct vx_uop *u);
/* ecall. */
const struct vx_uop *vx_op_ecall(struct vx_warp *w, const struct vx_uop *u);
/* ebreak: a halt by the debug hardware, or the stop of the core. */
const struct vx_uop *vx_op_ebreak(struct vx_warp *w, const struct vx_uop *u);

/* ---- kmu.c ---- */

/* Puts warps, cores and the launch unit into the state before a launch; no warp is active. */
void vx_launch_clear(struct vx_device *d);
/* part.c: divergence=auto. */

/* Chooses which of a warp's parted lanes issue next; there are some. */
void vx_meet(struct vx_warp *w);
/* Each active lane goes on at its own target, an array over all lanes. */
const struct vx_uop *vx_part_lanes(struct vx_warp *w, const uint64_t *target);
/* Adds to a fault's text that lanes part as on no Vortex. */
void vx_mark_fault(struct vx_device *d);
/* The fault of an instruction of the whole warp while lanes are parted. */
const struct vx_uop *vx_parted(struct vx_warp *w, const struct vx_uop *u);

/* Whether CTAs of the launch have not started. */
bool vx_launch_pending(const struct vx_device *d);
/* Starts warps of CTAs in slots that are free. */
void vx_launch_pump(struct vx_device *d);
/* Fills in the grid, block and cluster that the configuration leaves out. */
void vx_launch_defaults(struct vx_config *config);
/* The places that CTAs of the launch may have in a core. */
uint32_t vx_launch_places(const struct vx_device *d);
/* Where the local memory of the CTA in a place begins. */
uint64_t vx_launch_local(const struct vx_device *d, uint32_t place);

/* ---- ring.c: the console of profiles with console_ring ---- */

/* Whether the device empties the rings in memory: there are some, and ring=host is not given. */
bool vx_ring_is_ours(const struct vx_device *d);
/* Whether a store of that size may have moved the write index of a console. */
bool vx_ring_is_index(const struct vx_device *d, uint64_t addr, unsigned size);
/* Takes what programs have put into the ring. */
void vx_ring_drain(struct vx_device *d);
/* Tells of bytes that programs have dropped since. */
void vx_ring_tell_lost(struct vx_device *d);

/* ---- exec.c, compiled once for each width and lane count ---- */

/* The handler table for this shape, the best up to host_level that this host can run. */
const struct vx_handlers *vx_select_handlers(unsigned xlen, unsigned threads, unsigned host_level);

/* ---- judge.c ---- */

/* The handler of an instruction that accesses memory, where the machine has a judge; NULL: it
 * accesses none. */
vx_handler vx_judged_handler(enum vx_insn_id id);

/* ---- block.c: translated code ---- */

/* The handler of records that have code. */
const struct vx_uop *vx_run_block(struct vx_warp *w, const struct vx_uop *u);
/* Translates what begins at a record that has been visited often, if that pays. */
void vx_translate(struct vx_warp *w, const struct vx_uop *u);
/* The operation `piece`. */
extern WT_MACHINE_FN(piece) vx_piece;
/* The operation `loop` (flags.c). */
extern WT_MACHINE_FN(loop) vx_loop;
/* The operation `fenced`. */
extern WT_MACHINE_FN(fenced) vx_fenced;
/* The operation `memory_model` (flags.c). */
extern const struct wt_memory_model vx_memory_model;
/* Frees all translated code. */
void vx_blocks_free(struct vx_device *d);

/* A turn or a jump comes to a record. Returns whether it is to be translated: what cannot be is
 * tried at powers of two. */
static inline bool vx_visit(struct vx_warp *w, const struct vx_uop *u)
{
    const unsigned visits = ++w->code->visits[u - w->code->uop];
    return visits > w->device->config.jit - 1 /* 0: never */ && !(visits & (visits - 1)) &&
           u->run != vx_run_block;
}

/* ---- run.c ---- */

extern const struct wt_engine_ops vx_engine_ops;

/* ---- check.c ---- */

/* Asserts the invariants of the whole device, for tests. */
void vx_check(struct wt_machine *m);

/* Lets one warp issue one instruction now, if it can; false if it cannot. */
bool vx_issue_one(struct vx_warp *w);

/* ---- dm.c ---- */

/* Allocates the Debug Module; WT_NO_MEMORY. */
enum wt_status vx_dm_init(struct vx_device *d);
/* Frees what vx_dm_init allocated. */
void vx_dm_free(struct vx_device *d);
/* The program's side is being reset: steps and injections in flight end. */
void vx_dm_after_reset(struct vx_device *d);
/* A stepping warp has issued. */
void vx_dm_stepped(struct vx_warp *w);
/* An ebreak was met; true if the warp is halted by it. */
bool vx_dm_ebreak(struct vx_warp *w);
/** Whether the instruction at @p pc is an ebreak that would halt the warp. */
bool vx_dm_halts_at(const struct vx_device *d, uint64_t pc);
/* Whether a request is under way that core cycles move on. */
static inline bool vx_dm_busy(const struct vx_device *d)
{
    const struct vx_dm *dm = &d->dm;
    return d->config.dm_clock &&
           (dm->reset_left || dm->halt_left || dm->inject_state || dm->step_state);
}
/* Core cycles pass. */
void vx_dm_tick(struct vx_device *d, uint64_t cycles);

/* Back to the state after reset (wt_machine_ops.reset): memory and debug hardware stay. */
void vx_reset(struct wt_machine *m);

/* ---- state.c: saving and restoring, for time travel ---- */

/* The machine's operation state. */
void vx_state(struct wt_machine *m, struct wt_archive *a);

#endif
