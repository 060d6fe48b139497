/* The GCN emulator's structures and the functions that its files share. */
#ifndef WT_EMULATOR_GCN_INTERNAL_H
#define WT_EMULATOR_GCN_INTERNAL_H

#include "base/bits.h"
#include "base/lanes.h"
#include "emulator/gcn/debug.h"
#include "emulator/gcn/gcn.h"
#include "emulator/gcn/host.h"
#include "emulator/gcn/isa.h"
#include "emulator/gcn/kfd.h"
#include "emulator/machine/fields.h"
#include "emulator/machine/groups.h"
#include "emulator/machine/code_pages.h"
#include "emulator/machine/engine.h"
#include "emulator/machine/memory.h"
#include "emulator/machine/mapped.h"

#define GCN_SCALARS 128
#define GCN_SLOTS (WT_PAGE_SIZE / 4)
#define GCN_TAIL (GCN_MOST_DWORDS + 1) /* the last one is a witness (block.c) */

/* The decoded instructions of one page of code, a record a dword. */
struct gcn_code {
    struct wt_code_page page;
    struct wt_paged_page *blocks; /* blocks of the device; NULL: it has not been translated */
    uint16_t visits[GCN_SLOTS]; /* how often a turn or a jump came there, until it is translated */
    struct gcn_uop uop[GCN_SLOTS + GCN_TAIL]; /* the last ones lead to the next page */
};

/* Bits of MODE, STATUS and TRAPSTS (sections 3.4 and 3.5 of the manual). */
enum {
    GCN_MODE_DX10_CLAMP = 1 << 8,
    GCN_MODE_IEEE = 1 << 9,
    GCN_MODE_DEBUG_EN = 1 << 11,
    GCN_MODE_EXCP_EN = 0x7f << 12,
    GCN_MODE_EXCP_WATCH = 1 << 19,
    GCN_MODE_FP16_OVFL = 1 << 23,
    GCN_MODE_GPR_IDX_EN = 1 << 27,
    GCN_MODE_VSKIP = 1 << 28,
    GCN_STATUS_PRIV = 1 << 5,
    GCN_STATUS_TRAP_EN = 1 << 6,
    GCN_STATUS_HALT = 1 << 13,
    GCN_STATUS_FATAL_HALT = 1 << 23,
    GCN_TRAPSTS_EXCP = 0x1ff,
    GCN_TRAPSTS_ADDR_WATCH0 = 1 << 7,
    GCN_TRAPSTS_MEM_VIOL = 1 << 8,
    GCN_TRAPSTS_SAVECTX = 1 << 10,
    GCN_TRAPSTS_ILLEGAL = 1 << 11,
    GCN_TRAPSTS_ADDR_WATCH1 = 1 << 12, /* and the next two bits */
};

/* The order of TRAPSTS.EXCP and MODE.EXCP_EN, which is that of x86's MXCSR, too. */
enum gcn_exception {
    GCN_EXCP_INVALID = 1,
    GCN_EXCP_DENORM = 2,
    GCN_EXCP_DIV0 = 4,
    GCN_EXCP_OVERFLOW = 8,
    GCN_EXCP_UNDERFLOW = 16,
    GCN_EXCP_INEXACT = 32,
    GCN_EXCP_INT_DIV0 = 64,
};

/* Whether a wave waits at global wave sync, and how it uses the resource. */
enum gcn_gws_wait { GCN_GWS_NONE, GCN_GWS_BARRIER, GCN_GWS_SEMAPHORE };
#define GCN_GWS 64

struct gcn_group;

struct gcn_wave {
    WT_WAVE_HEAD(struct gcn_group, group);
    uint32_t (*v)[GCN_LANES]; /* its model's rows; NULL until a wave ran here */
    uint32_t s[GCN_SCALARS];  /* by operand number: SGPRs, FLAT_SCRATCH, VCC, TTMP, M0, EXEC */
    _Alignas(64) uint32_t on[GCN_LANES]; /* all ones in the lanes of on_mask */
    uint64_t on_mask;
    struct gcn_device *device;
    struct gcn_code *code; /* page of the instruction being executed, valid while it runs */
    uint32_t mode, trapsts;
    uint32_t status; /* but for SCC, EXECZ, VCCZ and IN_BARRIER */
    bool scc;
    bool at_barrier;
    bool narrow;                       /* it has 32 lanes: those above are never enabled */
    uint64_t flat_scratch;             /* from gfx10 on, where it is no scalar register */
    uint16_t vgprs, agprs, sgprs;      /* allocated */
    uint16_t scratch;                  /* its place in its queue's scratch memory */
    uint8_t vm_cnt, lgkm_cnt, exp_cnt; /* accesses that no s_waitcnt has waited for */
    uint8_t gws, gws_resource;         /* enum gcn_gws_wait; at which it waits */
    uint64_t gws_since;                /* issue time */
    uint64_t tba, tma;     /* trap handler, as the registers were when the wave started */
    bool step_due;         /* single step: it traps once it no longer waits at this instruction */
    bool kill;             /* it ends before its next instruction */
    uint16_t save_entries; /* how often in a row it has entered the handler for SAVECTX */
    uint8_t watch_hits;   /* watches that the instruction being executed has hit; 0 between turns */
    uint8_t watch_rewind; /* then: its length in dwords */
    uint32_t record;      /* while its queue is suspended: where its record is in the save area */
    uint64_t saved; /* its context has a place in memory: the value that EXEC got (context.c) */
    uint16_t place; /* its group's number, once it has been saved and has ended */
    uint32_t late;  /* instructions until the violation that is noted for it is told; 0: none is */
};

/* A work-group that is being run. */
struct gcn_group {
    WT_GROUP_HEAD;
    uint64_t waiting; /* those of its waves that wait at the barrier: slots, as a bit set */
    bool saved;       /* a wave's context has a place in memory */
};

/* Registers of a compute unit that waves have taken; slots and LDS are in struct wt_core_room. */
struct gcn_cu {
    uint16_t vgprs[GCN_MOST_SIMDS]; /* rows */
    uint16_t sgprs[GCN_MOST_SIMDS];
};

/* A kernel launch: its AQL packet, its descriptor, and how far it is. Once it has ended it stays as
 * it was until another one takes its place. */
struct gcn_dispatch {
    WT_LAUNCH_HEAD;
    bool suspended; /* with its queue (kfd.c) */
    struct gcn_origin origin;
    uint64_t packet, queue; /* addresses */
    uint64_t kernarg, entry, completion;
    uint64_t id;
    uint32_t grid[3], size[3]; /* work-items; of a group */
    uint32_t groups[3];
    uint32_t running; /* waves */
    uint32_t lds, private_size, rsrc1, rsrc2, properties;
    uint32_t preload; /* dwords of arguments that waves start with, and the first one's number */
    uint32_t lanes;   /* of a wave: 64 or 32 */
    uint32_t vgprs, agprs, sgprs, waves_per_group;
    uint32_t scratch_wave;  /* bytes of scratch a wave */
    uint32_t scratch_waves; /* how many waves the scratch arena has room for; 0: all */
    uint64_t scratch;       /* base of the scratch arena */
    uint32_t scratch_resource[4];
};

/* The last exception of a vector instruction, for reports. */
struct gcn_raise {
    uint32_t wave;
    uint64_t time;
    uint32_t rewind; /* the instruction's length in dwords */
    char operands[256];
};

/* Registers of the debug hardware outside the waves (debug.c). */
struct gcn_debug {
    uint32_t gfx_cntl, gfx_index; /* GRBM */
    uint32_t ind_index;           /* SQ_IND_INDEX */
    struct {
        uint32_t high, low, cntl;
    } watch[GCN_WATCHES];                                                 /* TCP_WATCHn */
    uint32_t wave_cntl, wave_cntl2, trap_config, trap_mask, trap_data[2]; /* SPI_GDBG */
};

/* A queue as the driver's debug interface has it. */
struct gcn_kfd_queue {
    bool used, suspended;
    uint32_t area_used; /* bytes of its save area, while it is suspended */
    struct kfd_queue_entry entry;
};

/* The state of the driver's debug interface (kfd.c). */
struct gcn_kfd {
    bool enabled;
    uint32_t flags;
    uint64_t exceptions; /* that are reported */
    uint64_t status;     /* exceptions of the device */
    struct gcn_kfd_queue queue[KFD_DEBUG_QUEUES];
};

/* The data share that a DS instruction uses, when it is watched (ds.c). */
struct gcn_watched_share {
    uint8_t *bytes;
    uint32_t size;
    uint64_t addr; /* as watches know it */
    struct gcn_wave *w;
    const struct gcn_uop *u;
};

struct gcn_device {
    struct wt_machine machine;
    struct wt_near near; /* what has been decoded to be executed */
    struct gcn_config config;
    struct gcn_wave *wave;
    struct gcn_group *group; /* gcn_cu_waves() a compute unit */
    struct gcn_cu *cu;
    struct gcn_dispatch dispatch[GCN_DISPATCHES];
    uint32_t launching; /* those that have work-groups to start, as a bit set */
    uint32_t served;    /* the one that the last work-group started was of */
    uint8_t *gds;
    uint32_t gws[GCN_GWS]; /* counters of global wave sync */
    uint64_t tba, tma;     /* trap handler of new waves: what the hardware registers hold */
    struct gcn_debug debug;
    bool address_watch;                             /* one of debug.watch is valid */
    uint64_t interrupts;                            /* since the reset */
    struct gcn_interrupt interrupt[GCN_INTERRUPTS]; /* the newest ones, by number modulo these */
    struct gcn_kfd kfd;
    struct kfd_debug_call kfd_answer; /* the last call; no part of the state */
    uint8_t *
        kfd_area[KFD_DEBUG_QUEUES]; /* save areas of a device in no host process; NULL until used */
    /* context save: no group starts; where the next wave's goes, and the end of that memory */
    bool saving;
    uint64_t save_next, save_end;
    char notice[160]; /* for the user; "" if there is nothing */
    bool notice_told;
    /* The last exception of each slot's wave, for reports; NULL until there is one. No part of the
     * hashes. */
    struct wt_fault *exception;
    struct gcn_raise raise;
    /* execution */
    struct gcn_trace_point *trace; /* the issue being traced; NULL until a run is */
    struct gcn_watched_share watched_share;
    const struct gcn_host *host; /* never NULL */
    struct wt_paged *blocks;     /* translated code; NULL until there is some */
};

/* A vector instruction being computed: 64 values a source, whatever EXEC is. */
struct gcn_valu {
    struct gcn_wave *w;
    const struct gcn_uop *u;
    void *d;               /* results: uint32_t or, for U and F, uint64_t */
    const void *a, *b, *c; /* sources, likewise */
    uint32_t *m;           /* mask result: a lane's highest bit */
    uint64_t mask;         /* mask source */
    uint64_t exec;         /* lanes that count */
    uint32_t scalar;       /* S result */
};

/* Two scalar registers, the low one first, as a number of 64 bits. */
static inline uint64_t gcn_pair(const uint32_t *s)
{
    return s[0] | (uint64_t)s[1] << 32;
}

/* Writes a number of 64 bits to two scalar registers, the low one first. */
static inline void gcn_set_pair(uint32_t *s, uint64_t value)
{
    s[0] = (uint32_t)value;
    s[1] = (uint32_t)(value >> 32);
}

/* The model of a device. */
static inline const struct gcn_model *gcn_model_of(const struct gcn_device *d)
{
    return d->config.model;
}

/* The highest value of lgkmcnt, which waits for nothing. */
static inline unsigned gcn_most_lgkm(const struct gcn_device *d)
{
    return gcn_model_of(d)->encodings == GCN_GFX10 ? 63 : 15;
}

/* Vector registers lie in two files: VGPRs, and from row GCN_AGPR on accumulation registers. */
#define GCN_FILES 2

/* The registers that the wave has of a file. */
static inline uint32_t gcn_rows_of(const struct gcn_wave *w, unsigned file)
{
    return file ? w->agprs : w->vgprs;
}

/* Whether the wave has these rows of one file. */
static inline bool gcn_has_rows(const struct gcn_wave *w, unsigned first, unsigned count)
{
    return first % GCN_AGPR + count <= gcn_rows_of(w, first / GCN_AGPR);
}

/* Whether the wave has this row. */
static inline bool gcn_has_row(const struct gcn_wave *w, uint64_t row)
{
    return row < GCN_MOST_ROWS && gcn_has_rows(w, (unsigned)row, 1);
}

/* The slots for waves of a compute unit. */
static inline uint32_t gcn_cu_waves(const struct gcn_device *d)
{
    return gcn_model_cu_waves(gcn_model_of(d));
}

/* A wave's slot in its compute unit, as a bit of a set. */
static inline uint64_t gcn_slot_bit(const struct gcn_wave *w)
{
    static_assert(GCN_MOST_CU_WAVES <= 64, "a set of slots is one word");
    return (uint64_t)1 << (w->id % gcn_cu_waves(w->device));
}

/* The number of waves that wait at the group's barrier. */
static inline unsigned gcn_waiting(const struct gcn_group *g)
{
    return wt_count_ones(g->waiting);
}

/* The dispatch of an active wave. */
static inline struct gcn_dispatch *gcn_dispatch_of(const struct gcn_wave *w)
{
    return &w->device->dispatch[w->group->launch];
}

/* The lanes of an active wave: 64, or 32 where its kernel's descriptor says so. */
static inline unsigned gcn_lanes_of(const struct gcn_wave *w)
{
    return gcn_dispatch_of(w)->lanes;
}

/* MODE of a dispatch's waves at their beginning. */
uint32_t gcn_first_mode(const struct gcn_dispatch *k);

/* VCC, of which a wave of 32 lanes has the low half; its other half is a register as others are. */
static inline uint64_t gcn_vcc(const struct gcn_wave *w)
{
    return w->narrow ? w->s[GCN_VCC] : gcn_pair(&w->s[GCN_VCC]);
}

/* A mask of lanes in scalar registers. */
static inline uint64_t gcn_mask(const struct gcn_wave *w, const struct gcn_uop *u, unsigned n)
{
    return u->narrow ? w->s[n] : gcn_pair(&w->s[n]);
}

/* Sets EXEC, whose upper half is 0 in a wave of 32 lanes. */
static inline void gcn_set_exec(struct gcn_wave *w, uint64_t lanes)
{
    gcn_set_pair(&w->s[GCN_EXEC], w->narrow ? (uint32_t)lanes : lanes);
}

/* FLAT_SCRATCH: where the wave's private memory begins. */
static inline uint64_t gcn_flat_scratch(const struct gcn_wave *w)
{
    return gcn_model_of(w->device)->encodings == GCN_GFX10 ? w->flat_scratch
                                                           : gcn_pair(&w->s[GCN_FLAT_SCRATCH]);
}

/* EXEC: the lanes that are enabled. */
static inline uint64_t gcn_exec(const struct gcn_wave *w)
{
    return gcn_pair(&w->s[GCN_EXEC]);
}

/* The address of a record of w->code, the page being executed. */
static inline uint64_t gcn_pc_of(const struct gcn_wave *w, const struct gcn_uop *u)
{
    return w->code->page.base + (uint64_t)(u - w->code->uop) * 4;
}

/* Issue time of the instruction being executed. */
static inline uint64_t gcn_now(const struct gcn_wave *w)
{
    return wt_issue_time(&w->device->machine, w->left);
}

/* The record of the next instruction in the page, or one of those that lead to the next page. */
static inline const struct gcn_uop *gcn_next(const struct gcn_uop *u)
{
    return u + u->length;
}

/* ---- origin.c ---- */

WT_MACHINE_FN(origins) gcn_origins;

/* ---- code.c: decoded pages ---- */

/* The decoded instruction at pc; sets w->code. NULL with a fault if nothing can be fetched there.
 */
const struct gcn_uop *gcn_fetch(struct gcn_wave *w, uint64_t pc);

/* Whether the wave has a trap handler, and is not in it. */
static inline bool gcn_may_trap(const struct gcn_wave *w)
{
    const uint32_t trap_bits = GCN_STATUS_TRAP_EN | GCN_STATUS_PRIV;
    return w->tba && (w->status & trap_bits) == GCN_STATUS_TRAP_EN;
}

/*
 * Enters the trap handler (section 3.10): TTMP0 and TTMP1 get pc, the trap's number (8 bits), and
 * PCRewind: how many dwords pc is behind the instruction that raised an exception. The wave must be
 * one that may trap. Returns the handler's first instruction.
 */
const struct gcn_uop *gcn_enter_trap(struct gcn_wave *w, uint64_t pc, unsigned id, unsigned rewind);
/*
 * Before a turn of a wave: *step becomes whether it is single-stepped, so that the turn has one
 * issue. Takes a trap that was due while the wave waited; false if that has stopped the wave for a
 * debugger.
 */
bool gcn_begin_step(struct gcn_wave *w, bool *step);
/*
 * After the turn's last instruction: takes the traps that follow an instruction, those of address
 * watches and of a single step.
 */
void gcn_after_instruction(struct gcn_wave *w, bool step);
/*
 * Makes a wave that may trap enter the handler before its next instruction: a trap of the host or
 * of hardware around the wave. ttmp1: TTMP1 but for the PC.
 */
void gcn_trap_from_outside(struct gcn_wave *w, uint32_t ttmp1);
/*
 * Ends a wave's wait at a barrier or at global wave sync, so that it arrives there again later.
 * Returns the PC of the instruction it waited at; the wave's PC if it did not wait.
 */
uint64_t gcn_leave_wait(struct gcn_wave *w);
/* Whether bits of TRAPSTS that have just been set make the wave enter the trap handler. */
bool gcn_calls_for_trap(const struct gcn_wave *w, uint32_t trapsts);
/*
 * Writes a source operand for reports, by its type in isa.def: "-v3 = 1.5 (0x3fc00000)". `value` is
 * the one after modifiers.
 */
void gcn_operand_text(const struct gcn_uop *u, unsigned source, char type, uint64_t value,
                      char *text, size_t size);

/*
 * Takes exceptions that u has raised in some lanes, that MODE enables and that come after u's
 * effect. Returns the trap handler's first instruction; NULL where a debugger takes them, or, with
 * a fault, where there is no handler.
 */
const struct gcn_uop *gcn_raised(struct gcn_wave *w, const struct gcn_uop *u, uint32_t raised,
                                 uint64_t lanes);
/*
 * Executes s_sendmsg(MSG_SAVEWAVE): EXEC gets the place for the wave's context. A fault if nobody
 * has asked for the context, or the area is full.
 */
const struct gcn_uop *gcn_save_answer(struct gcn_wave *w, const struct gcn_uop *u);

/*
 * Goes on at pc: returns the next instruction for a handler to return; NULL, with w->pc set, where
 * it cannot.
 */
const struct gcn_uop *gcn_jump(struct gcn_wave *w, uint64_t pc);
extern const struct wt_code_format gcn_code_format;

/* Decodes a record that has not been executed yet, if that does not show anywhere; whether it did.
 */
bool gcn_decode_record(struct gcn_wave *w, struct gcn_uop *slot);

/* ---- flags.c ---- */

/* The operation `of_flag`. */
extern WT_MACHINE_FN(of_flag) gcn_of_flag;
/* The operation `guesses`. */
extern WT_MACHINE_FN(guesses) gcn_guesses;

/* ---- block.c: translated code ---- */

/* The operation `piece`. */
extern WT_MACHINE_FN(piece) gcn_piece;
/* Frees all translated code. */
void gcn_blocks_free(struct gcn_device *d);

/* ---- faults (device.c) ---- */

/* Notes the exception of a wave that is active; returns the note, NULL without host memory. */
struct wt_fault *gcn_note_exception(struct gcn_device *d, const struct wt_fault *fault);
/* The exception that is noted for a wave, told or not; NULL: none. */
struct wt_fault *gcn_noted_exception(struct gcn_device *d, uint32_t wave);
/* Tells of the violation for which w->late counts: the wave enters its trap handler, stops for its
 * debugger, or the machine's fault is set. Not within an instruction that counts as issued. */
void gcn_tell_late(struct gcn_wave *w);
/*
 * Reports a mistake at u. Where the configuration has violations of memory late, it notes them, and
 * the wave goes on behind u. A memory violation or an illegal instruction enters the wave's trap
 * handler or stops for its debugger, if it has one. Else the machine's fault is set and the wave
 * stays at u. Returns what the instruction's handler returns: the trap handler's first instruction,
 * or NULL.
 */
const struct gcn_uop *gcn_fault(struct gcn_wave *w, const struct gcn_uop *u,
                                enum wt_fault_kind kind, uint64_t lanes, uint64_t addr,
                                const char *format, ...) __attribute__((format(printf, 6, 7)));
/* Reports an instruction that names a row of a file that the wave does not have. Returns as
 * gcn_fault. */
const struct gcn_uop *gcn_no_row(struct gcn_wave *w, const struct gcn_uop *u, unsigned row);
/*
 * Reports WT_FAULT_HOST for a store to addr that the host has no memory for. Returns NULL, as
 * gcn_fault.
 */
const struct gcn_uop *gcn_no_memory(struct gcn_wave *w, const struct gcn_uop *u, uint64_t lanes,
                                    uint64_t addr);
/*
 * Reports an illegal instruction, or one that the emulator does not execute; without a handler the
 * wave is halted for good. Returns what the handler returns, as gcn_fault.
 */
const struct gcn_uop *gcn_illegal(struct gcn_wave *w, const struct gcn_uop *u);
/* Reports an access by a resource of gfx10 with a format, of which the emulator has no table.
 * Returns as gcn_fault. */
const struct gcn_uop *gcn_formats_unknown(struct gcn_wave *w, const struct gcn_uop *u);

/* ---- operand.c ---- */

/*
 * Reads a scalar source of 32 bits that is no plain register: TTMP, M0, EXEC, inline constants,
 * apertures, flags, a literal (section 12.1).
 */
uint32_t gcn_other_scalar32(struct gcn_wave *w, const struct gcn_uop *u, unsigned n);
/*
 * As gcn_other_scalar32, of 64 bits. floating: the operation's type, for which a literal is the
 * high half.
 */
uint64_t gcn_other_scalar64(struct gcn_wave *w, const struct gcn_uop *u, unsigned n, bool floating);

/* Reads a scalar source of 32 bits by its operand number. Plain registers need no call. */
static inline uint32_t gcn_scalar32(struct gcn_wave *w, const struct gcn_uop *u, unsigned n)
{
    return n < GCN_TTMP ? w->s[n] : gcn_other_scalar32(w, u, n);
}

/* Reads a scalar source of 64 bits by its operand number; floating: see gcn_other_scalar64. */
static inline uint64_t gcn_scalar64(struct gcn_wave *w, const struct gcn_uop *u, unsigned n,
                                    bool floating)
{
    return n < GCN_TTMP ? gcn_pair(&w->s[n]) : gcn_other_scalar64(w, u, n, floating);
}

/*
 * A scalar source of 16 bits by its operand number: for a floating-point operation the inline
 * constants of binary16 (section 3.4), else the low half of `whole`, the source of 32 bits.
 */
uint16_t gcn_inline16(unsigned n, bool floating, uint32_t whole);

/*
 * Whether operand n is a trap temporary that the wave cannot access: outside privileged mode they
 * read 0 and writes are dropped.
 */
static inline bool gcn_hidden(const struct gcn_wave *w, unsigned n)
{
    return n >= GCN_TTMP && n < GCN_M0 && !(w->status & GCN_STATUS_PRIV);
}

/* Whether operand n keeps what is written to it: not the null register, nor EXEC_HI in a wave of 32
 * lanes. */
static inline bool gcn_keeps(const struct gcn_wave *w, unsigned n)
{
    return n < GCN_TTMP ||
           (!gcn_hidden(w, n) && n != GCN_NULL && !(w->narrow && n == GCN_EXEC + 1));
}

/* Writes a scalar destination by its operand number; EXEC, VCC and M0 are among them. */
static inline void gcn_write_scalar(struct gcn_wave *w, unsigned n, uint32_t value)
{
    if (gcn_keeps(w, n))
        w->s[n] = value;
}

/* Writes a scalar destination of 64 bits by its operand number. */
static inline void gcn_write_pair(struct gcn_wave *w, unsigned n, uint64_t value)
{
    if (gcn_keeps(w, n))
        gcn_set_pair(&w->s[n], n == GCN_EXEC && w->narrow ? (uint32_t)value : value);
}

/* Writes a mask of lanes to scalar registers. */
static inline void gcn_write_mask(struct gcn_wave *w, const struct gcn_uop *u, unsigned n,
                                  uint64_t mask)
{
    if (u->narrow)
        gcn_write_scalar(w, n, (uint32_t)mask);
    else
        gcn_write_pair(w, n, mask);
}

/* The highest bit of each lane's number, as a mask of lanes. */
uint64_t gcn_pack(const uint32_t *row);
/*
 * All ones in the lanes of the mask, zeros in the others; valid until the next call for the wave
 * (w->on).
 */
const uint32_t *gcn_lanes_on(struct gcn_wave *w, uint64_t mask);

/* ---- valu.c: vector instructions ---- */

/* Writes all ones to the lanes of a mask, zeros to the others: 64 dwords. */
void gcn_spread_mask(uint32_t *on, uint64_t mask);
/* Copies 64 values into a register where `on` is all ones. */
void gcn_blend(uint32_t *to, const uint32_t *from, const uint32_t *on);
/* The handler that executes decoded instruction u; gcn_illegal where the emulator does not. */
gcn_op gcn_handler_of(const struct gcn_uop *u);

/* ---- hwreg.c: what s_getreg and s_setreg see ---- */

/*
 * Reads the hardware register of an active wave that s_getreg knows by this id (section 5.8); false
 * if there is none.
 */
bool gcn_hwreg_read(struct gcn_wave *w, unsigned id, uint32_t *value);
/*
 * Writes the bits of a mask to a hardware register; read-only ones drop the write. False if there
 * is none of this id. privileged: the write may change all of STATUS that is not computed.
 */
bool gcn_hwreg_write(struct gcn_wave *w, unsigned id, uint32_t value, uint32_t mask,
                     bool privileged);
/* The bits of STATUS that a write may change: not those that are computed, nor TRAP_EN in a wave
 * that has no trap handler. */
uint32_t gcn_status_held(const struct gcn_wave *w);
/* STATUS with its computed bits: SCC, EXECZ, VCCZ, IN_TG, IN_BARRIER, VALID. */
uint32_t gcn_status(const struct gcn_wave *w);

/* ---- control.c: what debug hardware outside does to waves ---- */

/*
 * Whether the wave does not issue because of HALT: it counts outside the trap handler; a fatal one
 * everywhere.
 */
static inline bool gcn_halted(const struct gcn_wave *w)
{
    return w->status & GCN_STATUS_FATAL_HALT ||
           (w->status & (GCN_STATUS_HALT | GCN_STATUS_PRIV)) == GCN_STATUS_HALT;
}

/* Obeys a write of SQ_CMD: halts, resumes, kills, steps or traps the waves that it selects. */
void gcn_sq_command(struct gcn_device *d, uint32_t command);
/* Executes s_sendmsg(MSG_HALT_WAVES): halts all waves of the wave's process (VMID). */
void gcn_halt_process(struct gcn_wave *w);
/* Whether GRBM_GFX_INDEX selects the compute unit of a location. */
bool gcn_selected(const struct gcn_device *d, const struct gcn_location *at);
/* Ends a wave outside of a turn. */
void gcn_kill(struct gcn_wave *w);
/* Sends an interrupt about a wave to the host. data: 24 bits. */
void gcn_send_interrupt(const struct gcn_wave *w, uint32_t data,
                        enum gcn_interrupt_encoding encoding);
/* Whether SPI_GDBG_WAVE_CNTL keeps waves of the dispatch from starting. */
bool gcn_launch_stalled(const struct gcn_device *d, const struct gcn_dispatch *k);
/*
 * Applies the SPI's debug registers to a new wave: the exceptions it enables (SPI_GDBG_TRAP_MASK),
 * and whether it starts halted, killed or with DEBUG_EN (SPI_GDBG_WAVE_CNTL2).
 */
void gcn_launch_wave(struct gcn_device *d, struct gcn_wave *w);

/* ---- address_watch.c: TCP_WATCH ---- */

/* Whether an access to some byte of the page can hit an address watch. */
bool gcn_address_watch_page(const struct gcn_device *d, uint64_t addr);
/*
 * Whether an access to some byte of [first, last] can hit an address watch. It is checked by blocks
 * of 64 bytes.
 */
bool gcn_address_watch_range(const struct gcn_device *d, uint64_t first, uint64_t last);
/*
 * Checks a lane's access by a vector memory instruction to [addr, addr + size): notes the address
 * watches that it hits, and ends the turn.
 */
void gcn_address_watch_access(struct gcn_wave *w, const struct gcn_uop *u, enum wt_watch_kind kind,
                              unsigned lane, uint64_t addr, unsigned size);
/* Must be called after a TCP_WATCH register was written, or all were restored. */
void gcn_address_watch_changed(struct gcn_device *d);

/*
 * Whether accesses of vector memory instructions must be checked: a debugger's watch or an address
 * watch is set.
 */
static inline bool gcn_watching(const struct gcn_device *d)
{
    return d->machine.watch || d->address_watch;
}

/* ---- access.c: memory ---- */

/*
 * Whether the host may access [addr, addr + size): on a device that works on host memory only what
 * is mapped.
 */
bool gcn_is_there(const struct gcn_device *d, uint64_t addr, size_t size);
/*
 * Puts the page of addr into the TLB for reading. Returns a host pointer to addr; NULL where
 * gcn_read must be used: nothing is mapped, or a byte of the page is watched.
 */
const uint8_t *gcn_tlb_fill_read(struct gcn_device *d, uint64_t addr);
/*
 * Puts the page of addr into the TLB for writing. Returns a host pointer to addr; NULL where
 * gcn_write must be used: nothing is mapped for writing, a byte of the page is watched, it holds
 * decoded code, or its stores are reported to the host.
 */
uint8_t *gcn_tlb_fill_write(struct gcn_device *d, uint64_t addr);
/*
 * A host pointer to addr for writing, watched or not, that is not put into the TLB; NULL where
 * gcn_write must be used.
 */
uint8_t *gcn_host_for_write(struct gcn_device *d, uint64_t addr);
/*
 * Whether something is watched on the device, but no byte of [addr, addr + size), which lies in one
 * page.
 */
bool gcn_beside_watch(const struct gcn_device *d, uint64_t addr, uint64_t size);
/*
 * A host pointer to [addr, addr + size) for reading, in one page that is kept out of the TLB by a
 * watch; NULL where a byte of it is watched, nothing is watched at all, or nothing is mapped.
 */
const uint8_t *gcn_readable_beside_watch(struct gcn_device *d, uint64_t addr, uint64_t size);
/* As gcn_readable_beside_watch, for writing; NULL also where gcn_host_for_write gives NULL. */
uint8_t *gcn_writable_beside_watch(struct gcn_device *d, uint64_t addr, uint64_t size);
/* Reads memory as a kernel does; false where a byte is not mapped. */
bool gcn_read(struct gcn_device *d, uint64_t addr, void *out, size_t size);
/* Decodes the instruction at an address; false: there is none. */
bool gcn_uop_at(struct gcn_device *d, uint64_t pc, struct gcn_uop *u);
/*
 * Writes memory as a kernel does; false where a byte is not mapped for writing, or without host
 * memory.
 */
bool gcn_write(struct gcn_device *d, uint64_t addr, const void *bytes, size_t size);
/* Whether all of [addr, addr + size) is mapped, and where `write` says so for writing. */
bool gcn_mapped(const struct gcn_device *d, uint64_t addr, uint64_t size, bool write);

/*
 * A host pointer to `size` bytes at addr for reading, by the TLB; NULL where they cross a page, or
 * gcn_read must be used (gcn_tlb_fill_read).
 */
static inline const uint8_t *gcn_readable(struct gcn_device *d, uint64_t addr, unsigned size)
{
    if ((addr & WT_PAGE_MASK) + size > WT_PAGE_SIZE)
        return NULL;
    struct wt_tlb_entry *e = wt_tlb_entry_of(&d->machine.tlb, addr);
    if (e->read_page == (addr & ~WT_PAGE_MASK))
        return e->read_host + (addr & WT_PAGE_MASK);
    return gcn_tlb_fill_read(d, addr);
}

/*
 * A host pointer to `size` bytes at addr for writing, by the TLB; NULL where they cross a page, or
 * gcn_write must be used (gcn_tlb_fill_write).
 */
static inline uint8_t *gcn_writable(struct gcn_device *d, uint64_t addr, unsigned size)
{
    if ((addr & WT_PAGE_MASK) + size > WT_PAGE_SIZE)
        return NULL;
    struct wt_tlb_entry *e = wt_tlb_entry_of(&d->machine.tlb, addr);
    if (e->write_page == (addr & ~WT_PAGE_MASK))
        return e->write_host + (addr & WT_PAGE_MASK);
    return gcn_tlb_fill_write(d, addr);
}

/* ---- kfd.c, kfd_save.c: the driver's debug interface ---- */

/*
 * Whether the driver's handlers take a trap or exception of the wave for a debugger. Other ones
 * than the debugger's own (breakpoints, steps, watches) go to a trap handler of the program, if it
 * has one.
 */
bool gcn_kfd_handles(const struct gcn_wave *w, bool debuggers_own);
/*
 * Stops the wave as the driver's handlers do, and raises the exception. pc: of the trap; ttmp1:
 * TTMP1 but for the PC.
 */
void gcn_kfd_stop(struct gcn_wave *w, uint64_t pc, uint32_t ttmp1, enum kfd_exception code);
/*
 * Writes a queue's waves to its save area (gcn_kfd_area); false if it is too small or the host has
 * no memory.
 */
bool gcn_kfd_save(struct gcn_device *d, struct gcn_kfd_queue *q);
/* Takes the registers and LDS of a suspended queue's waves back from its save area. */
void gcn_kfd_load(struct gcn_device *d, struct gcn_kfd_queue *q);
/** Whether a wave's record, with the LDS of its group, is within the save area: the record is at 0
 * if there is none. */
bool gcn_kfd_record_fits(const struct gcn_device *d, const struct gcn_wave *w);
/* The bytes of a queue's save area; NULL where a device in no host process has not used it yet. */
uint8_t *gcn_kfd_area(const struct gcn_device *d, const struct gcn_kfd_queue *q);
/*
 * The byte at an address of a save area, and in *room how many follow up to its end; NULL: the
 * address is in none.
 */
uint8_t *gcn_kfd_area_at(const struct gcn_device *d, uint64_t addr, uint64_t *room);

/* ---- groups.c ---- */

/* This family's operations for groups (machine/groups.h). */
extern const struct wt_group_ops gcn_group_ops;
/* Starts work-groups of the dispatches wherever a compute unit has room. */
void gcn_dispatch_pump(struct gcn_device *d);
/*
 * Recomputes what waves and work-groups have taken of the compute units, and the running waves of
 * each dispatch, after the waves were replaced.
 */
void gcn_count_taken(struct gcn_device *d);
/* Starts a wave whose context is saved again, in its own slot, where the trap handler restores. */
void gcn_restart_wave(struct gcn_device *d, struct gcn_wave *w);
/* Ends a wave; with its group's last wave ends the group, and other groups may start. */
void gcn_wave_end(struct gcn_wave *w);
/* Recomputes whether the wave can issue, and puts it into the ready set or takes it out. */
void gcn_update_ready(struct gcn_wave *w);
/*
 * Lets the wave wait at its group's barrier, which opens with the last wave to come (section 4.3).
 */
void gcn_barrier(struct gcn_wave *w);

/* ---- host.c ---- */

/* The host of a device that is in no host process. */
extern const struct gcn_host gcn_no_driver;
/* The host of a device that repeats what one in a host process did: its runs return where the
 * recorded ones did. */
extern const struct gcn_host gcn_recorded_driver;

/* ---- inspect.c: the machine's operations of these names ---- */

/* By the numbers of enum gcn_register. */
WT_MACHINE_FN(describe_register) gcn_describe_register;
/* False also where the wave is not active or has fewer VGPRs. */
WT_MACHINE_FN(read_row) gcn_read_row;
/* Flat addresses, GDS and the save areas of queues. */
extern const struct wt_address_map gcn_address_map;

/* ---- definedness.c: the machine's operations of these names ---- */

WT_MACHINE_FN(read_cell) gcn_read_cell;
WT_MACHINE_FN(unwritten) gcn_unwritten;
WT_MACHINE_FN(lane_sources) gcn_lane_sources;
WT_MACHINE_FN(pace) gcn_pace;
extern const struct wt_pace_table gcn_pace_table;

/* The die of a compute unit: each has as many. */
static inline uint32_t gcn_xcc_of(const struct gcn_device *d, uint32_t cu)
{
    return cu / (d->config.cu / d->config.xcc);
}

/* How many SGPRs a wave has values in when it starts (groups.c). */
unsigned gcn_first_sgprs(const struct gcn_wave *w);
/* How many rows of VGPRs. */
unsigned gcn_first_vgprs(const struct gcn_wave *w);

/* ---- the machine's and the engine's other operations, in files of these names ---- */

/* How a flat address is translated (wt_machine_ops.explain). */
WT_MACHINE_FN(explain) gcn_explain;
WT_ENGINE_FN(check) gcn_check;
WT_MACHINE_FN(state) gcn_state;
extern const struct wt_field gcn_dispatch_fields[], gcn_group_fields[], gcn_wave_fields[];
/** Why an active wave is one that there cannot be: a sentence without a period; NULL. */
const char *gcn_wave_flaw(const struct gcn_device *d, const struct gcn_wave *w);
/* All of the state but the driver's debug interface and interrupts. */
WT_MACHINE_FN(hash) gcn_hash;
/* Without the registers of the debug hardware, and without what the driver's debug interface does
 * to waves. */
WT_MACHINE_FN(program_hash) gcn_program_hash;
extern const struct wt_engine_ops gcn_engine_ops;

/* The functions that execute instructions, as isa.def names them. */
#define GCN_OP(executor)                                                                           \
    const struct gcn_uop *gcn_op_##executor(struct gcn_wave *w, const struct gcn_uop *u);
#define GCN_VECTOR(executor) void gcn_vop_##executor(struct gcn_valu *v);
#define I(id, name, encoding, opcode, forms, operands, state, models, gfx10, executor, ...)        \
    GCN_RUNS_##encoding(executor)
#include "emulator/gcn/isa.def"
#undef I
#undef GCN_OP
#undef GCN_VECTOR

/* ---- salu.c: s_movrel ---- */

/* The scalar registers, by operand number, that M0 names with register n; count: 1, or 2 for a
 * pair. Two names may stand for one; -1: there is none. False: it leads beyond the registers. */
bool gcn_relative(const struct gcn_wave *w, unsigned n, unsigned count, int *named, int *other);

#endif
