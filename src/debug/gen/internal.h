/* Declarations shared by the files of the Gen9 probe. */
#ifndef WT_DEBUG_GEN_INTERNAL_H
#define WT_DEBUG_GEN_INTERNAL_H

#include <stddef.h>

#include "debug/gen/flow.h"
#include "debug/gen/gen.h"
#include "debug/process/watches.h"
#include "debug/standstill/standstill.h"

enum {
    GENP_LANES = 32,
    GENP_EU_THREADS = 7,
    GENP_EUS = 8,
    GENP_SUBSLICE_THREADS = GENP_EUS * GENP_EU_THREADS,
    GENP_SUBSLICES = 9,  /* three slices of three */
    GENP_DWARF_GRF = 16, /* DWARF's number of r0 */
};

/** Spaces, by their number in the topology. */
enum genp_space { GENP_GLOBAL, GENP_LOCAL, GENP_FILE, GENP_SPACES };

/** The last part of what is saved: the record that each scan reads. */
#define GENP_RECORD offsetof(struct gen_saved, f)
#define GENP_RECORD_BYTES (sizeof(struct gen_saved) - GENP_RECORD)

/** A row of the probe's table of threads: its slot, and the record that the last scan read. */
struct genp_row {
    struct wt_standstill_row common;
    uint32_t causes;        /**< WT_HALT_EXCEPTION: bits of cr0.1 that the stop had */
    struct gen_saved saved; /**< from `f` on */
};

struct wt_probe {
    struct wt_standstill common;
    struct wt_space space[GENP_SPACES];
    uint32_t td_ctl; /**< the same for all GPUs */
    struct wt_driver_watches watches;
    struct genp_functions functions;
};

/** A row of the table. */
static inline struct genp_row *genp_row(const struct wt_probe *p, wt_wave_handle wave)
{
    return (struct genp_row *)wt_standstill_row(p, wave);
}

/* ---- gpus.c ---- */

/** Takes the mark off an address as @p wave sees it: *wave becomes a thread that sees it as well.
 */
void genp_unmark(const struct wt_probe *p, uint32_t *wave, uint64_t *addr);
/** Reads memory as @p wave sees it, or at an address with a GPU's mark. */
enum wt_status genp_read_link(struct wt_probe *p, uint32_t wave, uint64_t addr, void *out,
                              size_t size, struct wt_error *err);

/** The GPU of a thread. */
uint32_t genp_device_of(const struct wt_probe *p, uint32_t wave);

/* ---- threads.c: who waits where, and why ---- */

/** A standstill is threads that wait in the system routine. */
extern const struct wt_standstill_ops genp_standstill;

/** Its next instruction. */
static inline uint64_t genp_row_pc(const struct genp_row *row)
{
    return row->saved.instructions + row->saved.cr[2];
}

/** The thread's channels that execute. */
static inline wt_lanes genp_channels(const struct genp_row *row)
{
    return row->saved.ce & (((wt_lanes)1 << row->saved.simd) - 1);
}

/** The address of a thread's area. */
static inline uint64_t genp_area(const struct wt_probe *p, uint32_t wave)
{
    uint32_t first;
    wt_standstill_gpu_of(p, wave / GENP_SUBSLICE_THREADS, &first);
    return p->common.link->place[GEN_WIRE_SAVED] +
           (uint64_t)(wave - first * GENP_SUBSLICE_THREADS) * GEN_SAVED_STRIDE;
}

/* ---- registers.c ---- */

/** Describes the topology's registers. */
enum wt_status genp_describe_registers(struct wt_probe *p, struct wt_error *err);
WT_PROBE_FN(read_rows) genp_read_rows;
WT_PROBE_FN(write_row) genp_write_row;

/* ---- memory.c ---- */

/** Fills in p->space and the topology's list of address spaces. */
void genp_describe_spaces(struct wt_probe *p);
WT_PROBE_FN(read_memory) genp_read_memory;
WT_PROBE_FN(write_memory) genp_write_memory;
/** The probe's operation find_home: shared local memory is at its aperture. */
WT_PROBE_FN(find_home) genp_find_home;

/* ---- code.c ---- */

WT_PROBE_FN(patch) genp_patch;
WT_PROBE_FN(decode) genp_decode;

/* ---- watch.c ---- */

extern const struct wt_driver_watch_ops genp_watch_ops;
/** An address of the link's for one of the debugger's. */
uint64_t genp_linear(const struct wt_probe *p, struct wt_address addr);

/* ---- unwind.c ---- */

WT_PROBE_FN(find_caller) genp_find_caller;

/* ---- addresses.c ---- */

WT_PROBE_FN(find_kept) genp_find_kept;

/* ---- exception.c ---- */

/** Why a thread has stopped, by the bits of cr0.1; of one that steps. */
enum wt_halt_cause genp_cause_of(uint32_t causes, bool step);
/** The exception that a row has stopped for (WT_HALT_EXCEPTION), in words. */
void genp_describe_exception(const struct wt_standstill_row *row,
                             struct wt_probe_exception *exception);
enum { GENP_EXCEPTIONS = 5 };
extern const struct wt_exception genp_exceptions[GENP_EXCEPTIONS];

#endif
