/*
 * The Debug Module as the Vortex probe sees it: register and field names of the VxDebug
 * specification ("Debug Module Registers"), and what the probe's files share.
 */
#ifndef WT_DEBUG_VORTEX_DM_H
#define WT_DEBUG_VORTEX_DM_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug/vortex/vortex.h"

enum dm_register {
    DM_PLATFORM = 0x0,
    DM_DCONFIG = 0x1,
    DM_DSELECT = 0x2,
    DM_WMASK = 0x3,
    DM_WACTIVE = 0x4,
    DM_WSTATUS = 0x5,
    DM_DCTRL = 0x6,
    DM_DPC = 0x7,
    DM_INJECT = 0x8,
    DM_DSCRATCH0 = 0x9,
};

#define DCONFIG_EH ((uint32_t)1 << 0)

#define DCTRL_DMACTIVE ((uint32_t)1 << 31)
#define DCTRL_NDMRESET ((uint32_t)1 << 30)
#define DCTRL_ANYHALTED ((uint32_t)1 << 28)
#define DCTRL_ANYRUNNING ((uint32_t)1 << 26)
#define DCTRL_ALLUNAVAIL ((uint32_t)1 << 25)
#define DCTRL_INJECTREQ ((uint32_t)1 << 6)
#define DCTRL_STEPREQ ((uint32_t)1 << 3)
#define DCTRL_RESETHALTREQ ((uint32_t)1 << 2)
#define DCTRL_RESUMEREQ ((uint32_t)1 << 1)
#define DCTRL_HALTREQ ((uint32_t)1 << 0)
#define DCTRL_INJECTSTATE ((uint32_t)3 << 7)
#define DCTRL_STEPSTATE ((uint32_t)3 << 4)
#define DCTRL_HACAUSE(v) ((v) >> 9 & 7)

#define DM_MAX_WINDOWS (WT_MAX_WAVES / 32)

/* CSRs that the probe itself uses. */
enum {
    CSR_MISA = 0x301,
    CSR_DSCRATCH0 = 0x7b2,
    CSR_ACTIVE_THREADS = 0xcc4,
    CSR_NUM_THREADS = 0xfc0,
    CSR_LOCAL_MEM_BASE = 0xfc3,
};

enum { X_T0 = 5, X_T1 = 6 };

/* The parts of wt_register.code: a class, and the number within it. */
enum {
    CODE_GPR = 0x10000,
    CODE_FPR = 0x20000,
    CODE_CSR = 0x30000,
    CODE_PC = 0x40000,
    CODE_SCRATCH = 0x50000
};
#define CODE_CLASS(code) ((code)&0xf0000)
#define CODE_NUMBER(code) ((code)&0xffff)

/** Register accesses that make one request, with the injections among them marked. */
struct dm_batch {
    struct wt_bus_op *op;
    size_t count, capacity;
    size_t *injection; /**< index of the last poll of each injection */
    size_t injections, injection_capacity;
    size_t guard; /**< index of the read that shows that the Debug Module was awake, if guarded */
    bool guarded;
    uint32_t selected; /**< DSELECT as it will be, when selected_known */
    uint32_t instruction;
    bool selected_known, instruction_known;
    bool no_memory;
};

enum ebreak_dpc {
    EBREAK_DPC_UNKNOWN,
    EBREAK_DPC_AT,    /**< DPC of an EBREAK halt is the address of the ebreak */
    EBREAK_DPC_AFTER, /**< it is the address of what follows (the RTL of 2025) */
};

/** t0 and t1 of a lane as the program left them, while injections use them. */
struct dm_saved {
    bool valid;
    uint32_t wave;
    unsigned lane;
    uint64_t t0, t1;
};

/** Lanes, of one or several warps, in the order in which a batch takes them. */
struct dm_places {
    unsigned count;
    struct {
        uint32_t wave;
        uint8_t lane;
    } at[WT_MAX_LANES];
};

/** Lane 0 of each of up to WT_MAX_LANES warps. */
static inline struct dm_places dm_first_lanes(const uint32_t *wave, unsigned count)
{
    struct dm_places places = {.count = count};
    for (unsigned i = 0; i < count; i++)
        places.at[i].wave = wave[i];
    return places;
}

/** Lanes whose t0 (and t1) injections use, and what they held, by place. */
struct dm_loan {
    struct dm_places places;
    bool t1_too;
    bool faulted; /**< the program had made a mistake before the batch that runs under this loan */
    uint64_t t0[WT_MAX_LANES], t1[WT_MAX_LANES];
};

/** The work that a warp was found with, which it does to its end. */
struct known_work {
    wt_wave_id id; /**< WT_NO_WAVE: on nothing that is known */
    struct wt_vortex_work is;
};

struct wt_probe {
    const struct wt_target *target;
    const struct wt_vortex_link *link;
    struct wt_bus *bus; /**< bus of the link */
    bool port;
    unsigned *device_cores; /* device cores of each of several GPUs */
    struct wt_topology topology;
    struct wt_space space;
    struct wt_register *registers;
    struct known_work *work; /* work of each warp; NULL: it is not known */
    unsigned windows;
    unsigned xlen;
    bool has_f, has_d;

    bool brisk; /**< injections were always done by the last of `polls` reads so far */
    unsigned polls;
    bool stuck; /**< a wait ran out: do not wait as long again until something is answered */
    struct dm_batch batch;
    struct dm_saved saved;
    /* The loan that could not be given back since the device did not answer: it is given back
     * first. */
    struct dm_loan owed;
    bool owes;
    bool owes_shift; /**< t0 may have been shifted right by 32 already; its upper half is unknown */
    bool owes_memory; /**< the words at `scratch`, too */
    uint32_t owed_word[2];
    bool scanned; /**< `scan` holds WACTIVE and WSTATUS as they were at the end of the last batch */
    struct wt_wave_set scan[2];
    /* Who is in each slot, where the target does not tell: counted as far as scans and steps show
     * that a warp has become active. */
    struct wt_wave_set active; /**< as of the last scan or step */
    uint32_t *incarnation;     /**< by slot */
    uint16_t epoch;            /**< resets so far: the ids of each are its own */
    bool hold;                 /**< waves that begin are to be held */
    bool held;                 /**< the warps that were not active are halted for that */
    bool end_reported;         /**< that no warp is active */
    bool wmask_known;
    uint32_t wmask[DM_MAX_WINDOWS];
    uint32_t platform;
    uint32_t dconfig; /**< as it was found */
    enum ebreak_dpc ebreak_dpc;
    struct wt_wave_set went; /**< set going by this probe since it was opened */
    struct wt_wave_set
        found; /**< halted already when the probe was opened, and not set going since */
    struct wt_wave_set examined;  /**< cause read since it halted, DPC put right */
    struct wt_wave_set overtaken; /**< at an ebreak, whose halt cause a halt request has replaced */
    enum { MASK_UNKNOWN, MASK_OF_WARP, MASK_OF_INJECTION } mask_csr;
    bool step_under_way;
    uint32_t step_wave;
    /** RV64: the latest places above 4 GiB, which DPC cannot name, that have a breakpoint or were
     *  set (see whole_pc). */
    uint64_t far[8];
    unsigned fars;
    bool far_code;  /**< a warp was seen above 4 GiB: upper halves of PCs are read, too */
    bool code_told; /**< a host program: clients were told of modules in the state `code` */
    uint64_t code;
    bool scratch_known;
    uint64_t scratch; /**< memory through which doubles pass on RV32 */
};

/* ---- batch.c: building and running batches ---- */

/** Begins an empty batch. */
void dm_begin(struct wt_probe *p);
/** Adds a write of a register. */
void dm_put(struct wt_probe *p, enum dm_register reg, uint32_t value);
/** Reads a register; the result is dm_got() of what this returns. */
size_t dm_get(struct wt_probe *p, enum dm_register reg);
/** Adds a write of DSELECT, unless it is known to have that value. */
void dm_select(struct wt_probe *p, unsigned window, uint32_t wave, unsigned lane);
/** Adds the injection of an instruction on the selected lane. */
void dm_inject(struct wt_probe *p, uint32_t instruction);
/** Has the batch look whether the Debug Module is awake, as it does before the first request. */
void dm_guard(struct wt_probe *p);
/** Writes request bits of DCTRL. */
void dm_request(struct wt_probe *p, uint32_t bits);
/** The value of the read whose index dm_get() returned, after dm_run(). */
static inline uint32_t dm_got(const struct wt_probe *p, size_t index)
{
    assert(index < p->batch.count && !p->batch.op[index].write);
    return p->batch.op[index].value;
}

/**
 * Runs the batch. It must be restartable: where the device turns out to be slower than it was,
 * it is run a second time from its beginning, injection by injection.
 */
enum wt_status dm_run(struct wt_probe *p, struct wt_error *err);

/** Polls DCTRL of the selected warp until none of @p bits is set; says @p what it waited for. */
enum wt_status dm_wait_clear(struct wt_probe *p, uint32_t bits, const char *what,
                             struct wt_error *err);

/** A clock for bounded waits: false once the time is over; naps where polling goes on for long. */
struct dm_wait {
    uint64_t deadline_ns;
    unsigned polls;
};
/** Begins a wait of link->wait_ms at most; shorter where the device is taken for stuck. */
void dm_wait_begin(struct wt_probe *p, struct dm_wait *wait);
/** Whether there is time left; naps before it says so where polling goes on for long. */
bool dm_wait_more(struct dm_wait *wait);

/** Instructions that set @p reg to @p value, whatever it held. */
void dm_inject_constant(struct wt_probe *p, unsigned reg, uint64_t value);

/** An instruction of the I form (RISC-V unprivileged specification, section 2.2). */
static inline uint32_t rv_i(unsigned op, unsigned rd, unsigned f3, unsigned rs1, int32_t imm)
{
    return (uint32_t)imm << 20 | rs1 << 15 | f3 << 12 | rd << 7 | op;
}
/** An instruction of the S form. */
static inline uint32_t rv_s(unsigned op, unsigned f3, unsigned rs1, unsigned rs2, int32_t imm)
{
    return ((uint32_t)imm >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 |
           ((uint32_t)imm & 0x1f) << 7 | op;
}
/** csrw CSR, RS1. */
static inline uint32_t rv_csrw(unsigned csr, unsigned rs1)
{
    return rv_i(0x73, 0, 1, rs1, (int32_t)csr);
}
/** csrr RD, CSR. */
static inline uint32_t rv_csrr(unsigned rd, unsigned csr)
{
    return rv_i(0x73, rd, 2, 0, (int32_t)csr);
}
/* Vortex: sets the warp's mask of active threads. */
static inline uint32_t rv_tmc(unsigned rs1)
{
    return rv_i(0x0b, 0, 0, rs1, 0);
}
/** addi RD, RS1, IMM. */
static inline uint32_t rv_addi(unsigned rd, unsigned rs1, int32_t imm)
{
    return rv_i(0x13, rd, 0, rs1, imm);
}
/** slli RD, RS1, BY. */
static inline uint32_t rv_slli(unsigned rd, unsigned rs1, unsigned by)
{
    return rv_i(0x13, rd, 1, rs1, (int32_t)by);
}
/** srli RD, RS1, BY. */
static inline uint32_t rv_srli(unsigned rd, unsigned rs1, unsigned by)
{
    return rv_i(0x13, rd, 5, rs1, (int32_t)by);
}

/* ---- cause.c: why and where a warp has halted ---- */

/** Why @p wave is halted, by what DCTRL reads with it selected. */
enum wt_halt_cause vortex_cause_of(const struct wt_probe *p, uint32_t wave, uint32_t dctrl);
/** The address that DPC means where the upper half is not read: below 4 GiB, or a place that has a
 * breakpoint or was set. */
uint64_t vortex_whole_pc(const struct wt_probe *p, uint32_t dpc);
/** Puts the upper halves into the PCs of halted warps, which hold DPC; @p step is the distance of
 * two of them in bytes. Nothing is done where code lies below 4 GiB. */
enum wt_status vortex_upper_pcs(struct wt_probe *p, const uint32_t *wave, size_t count,
                                uint64_t *pc, size_t step, struct wt_error *err);
/** Finds whether a halted warp, and so the code, is above 4 GiB. */
enum wt_status vortex_find_code(struct wt_probe *p, uint32_t wave, struct wt_error *err);
/** Makes a DPC at the low half of @p addr mean that address, if it is above 4 GiB. */
void vortex_remember_far(struct wt_probe *p, uint64_t addr);
/** Corrects the DPC of an EBREAK halt on a device that has it behind the ebreak, and *pc. */
enum wt_status vortex_settle_dpc(struct wt_probe *p, uint32_t wave, uint64_t *pc,
                                 struct wt_error *err);
WT_PROBE_FN(halt_cause) vortex_halt_cause;

/* ---- gpus.c: several GPUs behind one bus ---- */

/** Their shapes, in the topology; how many cores and numbers of warps they have. */
enum wt_status vortex_add_gpus(struct wt_probe *p, uint64_t *cores, uint64_t *waves,
                               struct wt_error *err);
/** GPU, core, slot and number of lanes of a warp. */
void vortex_place(const struct wt_probe *p, uint32_t warp, struct wt_wave *wave);
/** The address of the code that the warp's GPU has at @p pc: it says which GPU's it is. */
uint64_t vortex_code_of(const struct wt_probe *p, uint32_t warp, uint64_t pc);

/* ---- survey.c ---- */

/** The probe's operation survey: causes, pcs and masks of several halted waves in few batches. */
WT_PROBE_FN(survey) vortex_survey;

/* ---- loan.c ---- */

/** Gives back what is owed; fails while the device does not answer. */
enum wt_status vortex_repay(struct wt_probe *p, struct wt_error *err);
/** Reads the low 32 bits of a CSR of one lane. */
enum wt_status vortex_read_csr(struct wt_probe *p, uint32_t wave, unsigned lane, unsigned csr,
                               uint32_t *value, struct wt_error *err);

/* ---- access.c: registers by injection ---- */

/** Reads registers of each lane as numbers: all of the lowest lane, then those of the next. */
WT_PROBE_FN(read_rows) vortex_read_rows;
WT_PROBE_FN(write_row) vortex_write_row;
WT_PROBE_FN(wave_id) vortex_wave_id;
/** The probe's mask(): the target's service tells it, or CSR ACTIVE_THREADS. */
WT_PROBE_FN(mask) vortex_mask;
/** Wakes the Debug Module; *slept (may be NULL): it was asleep, or was reset. */
enum wt_status vortex_wake(struct wt_probe *p, bool *slept, struct wt_error *err);
/** Reads PLATFORM into the topology, and has the device halt warps on ebreak. WT_INVALID: it is no
 * Vortex Debug Module. */
enum wt_status vortex_read_platform(struct wt_probe *p, struct wt_error *err);
/** Asks a warp for what PLATFORM does not tell; without an active warp every Vortex's features. */
enum wt_status vortex_describe(struct wt_probe *p, struct wt_error *err);
/** Adds the writes that make WMASK select exactly @p waves. */
void vortex_select(struct wt_probe *p, const struct wt_wave_set *waves);
/** Runs a batch that may have changed WMASK. */
enum wt_status vortex_run_selection(struct wt_probe *p, struct wt_error *err);
/** Forgets what is known of a warp that goes on. */
void vortex_forget(struct wt_probe *p, uint32_t wave);
/** Halts these warps, and waits until they are halted. */
enum wt_status vortex_halt_set(struct wt_probe *p, const struct wt_wave_set *asked,
                               struct wt_error *err);
/** Resumes these warps. */
enum wt_status vortex_resume_set(struct wt_probe *p, const struct wt_wave_set *asked,
                                 struct wt_error *err);
WT_PROBE_FN(scan) vortex_scan;
WT_PROBE_FN(summary) vortex_summary;
/** Finds XLEN by what shifts do, and leaves the lane as it was. */
enum wt_status vortex_discover_xlen(struct wt_probe *p, uint32_t wave, struct wt_error *err);

/* ---- code.c ---- */

#define EBREAK 0x00100073u
#define C_EBREAK 0x9002u

WT_PROBE_FN(window) vortex_window;
WT_PROBE_FN(patch) vortex_patch;
WT_PROBE_FN(decode) vortex_decode;
WT_PROBE_FN(find_kept) vortex_find_kept;

/* ---- memory.c: memory by injection, or through a port ---- */

WT_PROBE_FN(read_memory) vortex_read_memory;
WT_PROBE_FN(write_memory) vortex_write_memory;
/* ---- registers.c ---- */

/** Makes the register table of topology. */
enum wt_status vortex_make_registers(struct wt_probe *p, struct wt_error *err);

#endif
