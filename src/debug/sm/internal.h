/* What the files of the SM probe share. */
#ifndef WT_DEBUG_SM_INTERNAL_H
#define WT_DEBUG_SM_INTERNAL_H

#include "debug/sm/sm.h"

#define SMP_LANES 32u
#define SMP_WARPS 64u    /* of an SM */
#define SMP_MOST_SMS 64u /* of all GPUs */
#define SMP_BANKS 18u
#define SMP_ROW_BYTES 128u /* of the register file */

/** Spaces, by their number in the topology. */
enum smp_space {
    SPACE_GENERIC,
    SPACE_GLOBAL,
    SPACE_SHARED,
    SPACE_LOCAL,
    SPACE_CONSTANT,
    SPACE_FILE, /**< a warp's register file */
    SPACES
};

/** A row of the probe's table: a slot of an SM, and the warp that the last scan found in it. */
struct smp_row {
    wt_wave_id id; /**< WT_NO_WAVE: never bound */
    bool present;
    bool run;     /**< it is to run when its SM does */
    bool step;    /**< by one instruction */
    bool steps;   /**< as of the last scan it had yet to issue that */
    bool reports; /**< its error status has something that was told */
    enum wt_halt_cause cause;
    uint64_t dispatch;
    uint32_t block[3], index;
    uint64_t pc;
    uint32_t active;
    uint64_t aborts_at;    /**< a trap of the program's own, by which it gives up; 0: none */
    unsigned trap;         /**< of a breakpoint: the immediate of BPT.TRAP */
    struct wt_fault error; /**< of an exception */
};

struct wt_probe {
    const struct wt_sm_link *link;
    struct wt_topology topology;
    struct wt_space space[SPACES];
    struct wt_register *registers;
    char (*names)[8];
    struct smp_row *row;
    bool suspended;      /**< all SMs are locked down, and the rows are as their warps */
    bool scanned;        /**< once */
    bool code_told;      /**< clients were told that modules have changed */
    uint64_t code_state; /**< then: of their list */
    bool stands; /**< a warp has stepped, maybe off a breakpoint that is not in memory again: the
                      SMs stay locked down until the next scan or resume */
    bool hold;   /**< warps that begin are held */
    struct wt_sm_launch launch;     /**< as of the last scan */
    struct wt_probe_event event[8]; /**< to be told */
    unsigned events, first_event;
    uint64_t began, ended; /**< launches whose beginning, end was told */
    bool told_end;
};

/* ---- warps.c: lock-down and resumption, who is where ---- */

/** Locks down all SMs if they run, and describes their warps. */
enum wt_status smp_hold_still(struct wt_probe *p, struct wt_error *err);
/** Brings the rows up to date; SMs are locked down if something has happened there. */
enum wt_status smp_look(struct wt_probe *p, struct wt_error *err);
/** Lets SMs run again whose warps are to run; only: that warp alone, or WT_NO_HANDLE. */
enum wt_status smp_go(struct wt_probe *p, uint32_t only, struct wt_error *err);
/** The row of an active warp; its SM is locked down. WT_STATE if it has ended. */
enum wt_status smp_find_row(struct wt_probe *p, uint32_t wave, struct smp_row **row,
                            struct wt_error *err);
/** An event to be told. */
void smp_push_event(struct wt_probe *p, enum wt_probe_event_kind kind, uint64_t dispatch);
/** Whether the host program has ended: then no warp is there. */
bool smp_has_ended(struct wt_probe *p);
/** Debugging ends: the SMs run as they would without. */
void smp_let_go(struct wt_probe *p);

/* ---- registers.c ---- */

/** Fills in the topology's registers; false without host memory. */
bool smp_describe_registers(struct wt_probe *p);
/** The probe's operation read_rows (debug/core/probe.h). */
enum wt_status smp_read_rows(struct wt_probe *p, uint32_t wave, wt_lanes lanes,
                             const unsigned *index, size_t count, uint8_t *out,
                             struct wt_error *err);
/** The probe's operation write_row. */
enum wt_status smp_write_row(struct wt_probe *p, uint32_t wave, wt_lanes lanes, unsigned index,
                             const uint8_t *bytes, struct wt_error *err);

/** The probe's operation find_caller: functions of PTX. Each frame begins with where it returns to,
 * and its caller's row. */
enum wt_status smp_find_caller(struct wt_probe *p, const struct wt_callee *callee,
                               struct wt_caller *caller, struct wt_error *err);

/* ---- memory.c ---- */

/** Fills in p->space and the topology's list of address spaces. */
void smp_describe_spaces(struct wt_probe *p);
/** The probe's operation read_memory. */
enum wt_status smp_read_memory(struct wt_probe *p, uint32_t wave, unsigned lane,
                               struct wt_address addr, void *out, size_t size,
                               struct wt_error *err);
/** The probe's operation write_memory. */
enum wt_status smp_write_memory(struct wt_probe *p, uint32_t wave, unsigned lane,
                                struct wt_address addr, const void *bytes, size_t size,
                                struct wt_error *err);
/** The probe's operation find_home. */
enum wt_status smp_find_home(struct wt_probe *p, uint32_t wave, unsigned lane,
                             struct wt_address addr, uint64_t size, struct wt_address *home,
                             uint64_t *part, struct wt_error *err);

/* ---- code.c ---- */

/** The address of the instruction before @p pc: control words are no instructions. */
uint64_t smp_pc_before(uint64_t pc);
/** The address of the one behind the instruction at @p pc. */
uint64_t smp_pc_behind(uint64_t pc);
/** The immediate of a trap instruction, that of PTX is 1; 0: it is none. */
unsigned smp_trap_of(uint64_t word);
/** The probe's operation window. */
enum wt_status smp_window(struct wt_probe *p, uint64_t addr, struct wt_window *window,
                          struct wt_error *err);
/** The probe's operation patch. */
void smp_patch(struct wt_probe *p, uint64_t addr, const struct wt_window *window,
               struct wt_patch *patch);
/** The probe's operation decode. */
void smp_decode(struct wt_probe *p, uint64_t addr, const struct wt_window *window,
                struct wt_instruction *instruction);

#endif
