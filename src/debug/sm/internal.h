/* Declarations shared by the files of the SM probe. */
#ifndef WT_DEBUG_SM_INTERNAL_H
#define WT_DEBUG_SM_INTERNAL_H

#include "debug/sm/sm.h"
#include "debug/process/watches.h"
#include "debug/standstill/standstill.h"
#include "object/process_wire.h"

#define SMP_LANES 32u
#define SMP_WARPS 64u    /* warps of an SM */
#define SMP_MOST_SMS 64u /* SMs of all GPUs */
#define SMP_BANKS 18u
#define SMP_WINDOW_BYTES                                                                           \
    UINT64_C(0x1000000) /* bytes of the windows of shared and of local memory */
#define SMP_ROW_BYTES WT_SM_FILE_ROW

/** Spaces, by their number in the topology. */
enum smp_space {
    SPACE_GENERIC,
    SPACE_GLOBAL,
    SPACE_SHARED,
    SPACE_LOCAL,
    SPACE_CONSTANT,
    SPACE_FILE, /**< a warp's register file */
    SPACE_ROWS, /**< the same as a lane sees it: of each row its own dword */
    SPACES
};

/** A row of the probe's table: a slot of an SM, and the warp that the last scan found in it. */
struct smp_row {
    struct wt_standstill_row common;
    bool steps;   /**< as of the last scan it had yet to issue the instruction that it steps */
    bool reports; /**< its error status has something that was told */
    uint64_t pc;
    uint32_t active;
    bool aborts;           /**< the debugger has heard of a trap or a fault that ends its kernel */
    unsigned trap;         /**< trap of a breakpoint: the immediate of BPT.TRAP */
    struct wt_fault error; /**< error of an exception */
};

struct wt_probe {
    struct wt_standstill common;
    struct sm_wire_warp *warps; /**< the warps of all GPUs, as the last scan has found them */
    struct wt_space space[SPACES];
    struct sm_wire_launch launch; /**< as of the last scan */
    bool has_handler; /**< a trap handler is installed; else the trap unit pauses warps itself */
    uint64_t arguments, arguments_of; /**< the block of arguments; of which launch */
    struct wt_driver_watches watches;
    bool owes; /**< a host program's warps were resumed, and no run was waited for since */
};

/** A row of the table. */
static inline struct smp_row *smp_row(const struct wt_probe *p, wt_wave_handle wave)
{
    return (struct smp_row *)wt_standstill_row(p, wave);
}

/* ---- driver.c: what the driver is asked. WT_INVALID, WT_STATE: there is no such thing ---- */

/** A request that is answered by @p size bytes. WT_UNSUPPORTED: it is refused. */
enum wt_status smp_ask(struct wt_probe *p, const struct wt_wire_request *request, void *out,
                       size_t size, struct wt_error *err);
/** A register of enum wt_sm_register: 32 dwords, or one value of 8 bytes. */
enum wt_status smp_get_row(struct wt_probe *p, uint32_t warp, unsigned number, void *row,
                           struct wt_error *err);
/** Likewise; of R0 to R254 for those lanes only. */
enum wt_status smp_set_row(struct wt_probe *p, uint32_t warp, unsigned number, uint32_t lanes,
                           const void *row, struct wt_error *err);
/** Bytes of a warp's register file, rows of 32 dwords. */
enum wt_status smp_get_file(struct wt_probe *p, uint32_t warp, uint64_t offset, void *out,
                            size_t size, struct wt_error *err);
/** Where a constant bank of the launch is in memory, and how many bytes it has; 0: none. */
enum wt_status smp_find_bank(struct wt_probe *p, unsigned bank, uint64_t *addr, uint32_t *size,
                             struct wt_error *err);
/** Where a lane's local memory begins in memory, and how many bytes it has. */
enum wt_status smp_find_local(struct wt_probe *p, uint32_t warp, unsigned lane, uint64_t *addr,
                              uint32_t *size, struct wt_error *err);

/* ---- warps.c: lock-down and resumption, who is where ---- */

/** A standstill is SMs that are locked down. */
extern const struct wt_standstill_ops smp_standstill;
/** Debugging begins: traps and errors pause warps. */
enum wt_status smp_arm(struct wt_probe *p, struct wt_error *err);
/** Debugging ends: the SMs run as they would without. */
void smp_let_go(struct wt_probe *p);

/* ---- registers.c ---- */

/** Describes the topology's registers. */
enum wt_status smp_describe_registers(struct wt_probe *p, struct wt_error *err);
/** The index in the topology of the predicate P0 to P6. */
unsigned smp_predicate_index(unsigned number);
WT_PROBE_FN(read_rows) smp_read_rows;
WT_PROBE_FN(write_row) smp_write_row;

/** The probe's operation find_caller: functions of PTX. Each frame begins with where it returns to,
 * and its caller's row. */
WT_PROBE_FN(find_caller) smp_find_caller;

/* ---- memory.c ---- */

/** Fills in p->space and the topology's list of address spaces. */
void smp_describe_spaces(struct wt_probe *p);
WT_PROBE_FN(read_memory) smp_read_memory;
WT_PROBE_FN(write_memory) smp_write_memory;
WT_PROBE_FN(find_home) smp_find_home;

/* ---- watch.c ---- */

extern const struct wt_driver_watch_ops smp_watch_ops;

/* ---- code.c ---- */

/** The address of the instruction before @p pc: control words are no instructions. */
uint64_t smp_pc_before(uint64_t pc);
/** The immediate of a trap instruction, that of PTX is 1; 0: it is none. */
unsigned smp_trap_of(uint64_t word);
WT_PROBE_FN(window) smp_window;
WT_PROBE_FN(patch) smp_patch;
WT_PROBE_FN(decode) smp_decode;

/* ---- warps.c ---- */
extern const struct wt_exception smp_exceptions[];
extern const size_t smp_exception_count;

#endif
