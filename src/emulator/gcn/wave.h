/* The GCN emulator's structures: waves, work-groups, dispatches, the device. */
#ifndef WT_EMULATOR_GCN_WAVE_H
#define WT_EMULATOR_GCN_WAVE_H

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
    uint8_t vs_cnt; /* from gfx10 on: of them stores, and atomic operations without a result */
    uint8_t gws, gws_resource; /* enum gcn_gws_wait; at which it waits */
    uint64_t gws_since;        /* issue time */
    uint64_t tba, tma;         /* trap handler, as the registers were when the wave started */
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
    uint32_t vgprs, agprs, sgprs, waves_per_group;
    uint32_t scratch_wave;  /* bytes of scratch a wave */
    uint32_t scratch_waves; /* how many waves the scratch arena has room for; 0: all */
    uint64_t scratch;       /* base of the scratch arena */
    uint32_t scratch_resource[4];
};

/* The last exception of a vector instruction in a slot, for reports. */
struct gcn_raise {
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
    struct gcn_raise *raise; /* likewise */
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
    return gcn_is_gfx10(gcn_model_of(d)) ? 63 : 15;
}

/* Counts an access to vector memory that is under way. */
static inline void gcn_count_vmem(struct gcn_wave *w, bool stores)
{
    uint8_t *count = stores && gcn_is_gfx10(gcn_model_of(w->device)) ? &w->vs_cnt : &w->vm_cnt;
    *count += *count < 63;
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

/* The lanes of a dispatch's waves: 64, or 32 where the kernel's descriptor says so
 * (ENABLE_WAVEFRONT_SIZE32). */
static inline unsigned gcn_dispatch_lanes(const struct gcn_dispatch *k)
{
    return k->properties & 1u << 10 ? 32 : GCN_LANES;
}

/* The lanes of an active wave. */
static inline unsigned gcn_lanes_of(const struct gcn_wave *w)
{
    return gcn_dispatch_lanes(gcn_dispatch_of(w));
}

/* The lanes whose bytes s32 and s33 count, by the calling convention. */
static inline unsigned gcn_frame_lanes(const struct gcn_wave *w)
{
    return gcn_model_of(w->device)->private_registers ? 1 : gcn_lanes_of(w);
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
    return gcn_is_gfx10(gcn_model_of(w->device)) ? w->flat_scratch
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

#endif
