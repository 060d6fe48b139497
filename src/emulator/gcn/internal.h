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
#include "emulator/machine/code_pages.h"
#include "emulator/machine/engine.h"
#include "emulator/machine/memory.h"
#include "emulator/machine/mapped.h"

#define GCN_LANES 64
#define GCN_VGPRS 256
#define GCN_SCALARS 128
#define GCN_WAVES_PER_CU 40 /* 4 SIMDs of 10 */
#define GCN_MOST_WAVES (64 * GCN_WAVES_PER_CU)
#define GCN_SIMDS 4
#define GCN_SGPRS_PER_SIMD 800
#define GCN_LDS_BYTES 65536
#define GCN_GDS_BYTES 65536
#define GCN_SLOTS (WT_PAGE_SIZE / 4)
#define GCN_TAIL 2

/* The decoded instructions of one page of code, a record a dword. */
struct gcn_code {
    struct wt_code_page page;
    struct gcn_uop uop[GCN_SLOTS + GCN_TAIL]; /* the last ones lead to the next page */
};

/* Bits of MODE, STATUS and TRAPSTS (sections 3.4 and 3.5 of the manual). */
enum {
    GCN_MODE_DX10_CLAMP = 1 << 8,
    GCN_MODE_IEEE = 1 << 9,
    GCN_MODE_DEBUG_EN = 1 << 11,
    GCN_MODE_EXCP_EN = 0x7f << 12,
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

/* Whether a wave waits at global wave sync, and as what it uses the resource. */
enum gcn_gws_wait { GCN_GWS_NONE, GCN_GWS_BARRIER, GCN_GWS_SEMAPHORE };
#define GCN_GWS 64

struct gcn_group;

struct gcn_wave {
    uint32_t (*v)[GCN_LANES]; /* GCN_VGPRS rows; NULL until a wave ran here */
    uint32_t s[GCN_SCALARS];  /* by operand number: SGPRs, FLAT_SCRATCH, VCC, TTMP, M0, EXEC */
    _Alignas(64) uint32_t on[GCN_LANES]; /* all ones in the lanes of on_mask */
    uint64_t on_mask;
    struct gcn_device *device;
    struct gcn_group *group; /* NULL: no wave here */
    struct gcn_code *code;   /* page of the instruction being executed, valid while it runs */
    uint64_t left;           /* issues left of its turn, the one being executed not counted */
    uint64_t pc;
    uint32_t mode, trapsts;
    uint32_t status; /* but for SCC, EXECZ, VCCZ and IN_BARRIER */
    bool scc;
    bool active, at_barrier;
    uint16_t vgprs, sgprs;             /* allocated */
    uint32_t id;                       /* flat index of its slot */
    uint16_t index;                    /* within the group */
    uint16_t scratch;                  /* its place in its queue's scratch memory */
    uint8_t vm_cnt, lgkm_cnt, exp_cnt; /* accesses that no s_waitcnt has waited for */
    uint64_t wait_pc;                  /* of the barrier that it waits at */
    uint8_t gws;                       /* enum gcn_gws_wait */
    uint8_t gws_resource;              /* at which it waits */
    uint64_t gws_since;                /* issue time */
    uint64_t tba, tma;     /* trap handler, as the registers were when the wave started */
    bool step_due;         /* single step: it traps once it no longer waits at this instruction */
    bool kill;             /* it ends before its next instruction */
    uint16_t save_entries; /* how often in a row it has entered the handler for SAVECTX */
    uint8_t watch_hits;   /* watches that the instruction being executed has hit; 0 between turns */
    uint8_t watch_rewind; /* then: its length in dwords */
    uint32_t record;      /* while its queue is suspended: where its record is in the save area */
    uint64_t saved; /* its context has a place in memory: what EXEC got to know of it (context.c) */
    uint16_t place; /* its group's number, once it has been saved and has ended */
    uint64_t incarnation; /* how many waves its slot has had; no part of the hashes */
};

/* A work-group that is being run. */
struct gcn_group {
    uint8_t *lds; /* GCN_LDS_BYTES, of which lds_size count; NULL until used */
    uint32_t lds_size;
    uint32_t first_cu; /* its compute unit */
    uint32_t coordinate[3];
    uint64_t waiting; /* those of its waves that wait at the barrier: slots, as a bit set */
    uint16_t waves;   /* left of it */
    uint8_t dispatch; /* which one it is a part of */
    bool used;
    bool saved; /* a wave's context has a place in memory */
};

/* What waves and work-groups have taken of a compute unit: told by them, too, but not as quickly.
 */
struct gcn_cu {
    uint64_t waves;            /* slots, as a bit set */
    uint32_t lds;              /* bytes */
    uint16_t vgprs[GCN_SIMDS]; /* rows */
    uint16_t sgprs[GCN_SIMDS];
};

/* A kernel launch: its AQL packet, its descriptor, and how far it is. Once it has ended it stays as
 * it was until another one takes its place. */
struct gcn_dispatch {
    bool active;    /* it has work-groups that have not ended */
    bool suspended; /* with its queue (kfd.c) */
    struct gcn_origin origin;
    uint64_t packet, queue; /* addresses */
    uint64_t kernarg, entry, completion;
    uint64_t id;
    uint32_t grid[3], size[3]; /* work-items; of a group */
    uint32_t groups[3];
    uint64_t next, total, done; /* groups */
    uint32_t running;           /* waves */
    uint32_t lds, private_size, rsrc1, rsrc2, properties;
    uint32_t vgprs, sgprs, waves_per_group;
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
    uint64_t exceptions; /* that are told */
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
    struct gcn_config config;
    struct wt_memory *memory;
    struct gcn_wave *wave;
    struct gcn_group *group; /* GCN_WAVES_PER_CU a compute unit */
    struct gcn_cu *cu;
    struct wt_regions regions;
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
    struct wt_fault exception; /* what the last exception of a wave was about, for reports */
    struct gcn_raise raise;
    /* execution */
    struct wt_tlb tlb;
    struct wt_code_cache code;
    struct gcn_trace_point *trace; /* the issue being traced; NULL until a run is */
    struct gcn_watched_share watched_share;
    bool in_place;               /* memory is the host process's, whose threads use it, too */
    struct wt_memory *process;   /* the host process's memory; NULL: the device is in none */
    const struct gcn_copy *copy; /* in a host process: memory is a copy of it; or NULL */
    const struct gcn_host *host; /* never NULL */
};

/* A vector instruction being computed: 64 values a source, whatever EXEC is. */
struct gcn_valu {
    struct gcn_wave *w;
    const struct gcn_uop *u;
    void *d;               /* results: uint32_t or, for U and F, uint64_t */
    const void *a, *b, *c; /* sources, likewise */
    uint8_t *m;            /* mask result, a byte of 0 or 1 a lane */
    uint64_t mask;         /* mask source */
    uint64_t exec;         /* lanes that count */
    uint32_t scalar;       /* S result */
};

static inline uint64_t gcn_pair(const uint32_t *s)
{
    return s[0] | (uint64_t)s[1] << 32;
}

static inline void gcn_set_pair(uint32_t *s, uint64_t value)
{
    s[0] = (uint32_t)value;
    s[1] = (uint32_t)(value >> 32);
}

/* A wave's slot in its compute unit, as a bit of a set. */
static inline uint64_t gcn_slot_bit(const struct gcn_wave *w)
{
    static_assert(GCN_WAVES_PER_CU <= 64, "a set of slots is one word");
    return (uint64_t)1 << (w->id % GCN_WAVES_PER_CU);
}

/* How many waves of the group wait at its barrier. */
static inline unsigned gcn_waiting(const struct gcn_group *g)
{
    return (unsigned)__builtin_popcountll(g->waiting);
}

static inline struct gcn_dispatch *gcn_dispatch_of(const struct gcn_wave *w)
{
    return &w->device->dispatch[w->group->dispatch];
}

static inline uint64_t gcn_exec(const struct gcn_wave *w)
{
    return gcn_pair(&w->s[GCN_EXEC]);
}

static inline uint64_t gcn_pc_of(const struct gcn_wave *w, const struct gcn_uop *u)
{
    return w->code->page.base + (uint64_t)(u - w->code->uop) * 4;
}

/* Issue time of the instruction being executed. */
static inline uint64_t gcn_now(const struct gcn_wave *w)
{
    return wt_issue_time(&w->device->machine, w->left);
}

static inline const struct gcn_uop *gcn_next(const struct gcn_uop *u)
{
    return u + u->length;
}

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

/* Enters it: TTMP0 and TTMP1 tell pc, the trap's number, and how many dwords pc is behind the
 * instruction that raised an exception (PCRewind). Returns its first instruction. */
const struct gcn_uop *gcn_enter_trap(struct gcn_wave *w, uint64_t pc, unsigned id, unsigned rewind);
/* Before a turn: *step, whether the wave is single-stepped, so that the turn has one issue. Takes a
 * trap that was due while the wave waited; false if it has stopped the wave for a debugger. */
bool gcn_begin_step(struct gcn_wave *w, bool *step);
/* The turn's last instruction has been executed: takes the traps that come behind it, of address
 * watches and of a single step. */
void gcn_after_instruction(struct gcn_wave *w, bool step);
/* The host's trap, or one of hardware around the wave, of a wave that may trap. */
void gcn_trap_from_outside(struct gcn_wave *w, uint32_t ttmp1);
/* A wave that waits for others gives its place at the barrier up. Returns the PC at which it comes
 * to it again; of a wave that does not wait, the PC. */
uint64_t gcn_leave_wait(struct gcn_wave *w);
/* Whether bits of TRAPSTS that have just been set make the wave enter it. */
bool gcn_calls_for_trap(const struct gcn_wave *w, uint32_t trapsts);
/* A source operand as reports show it, by its type in isa.def: "-v3 = 1.5 (0x3fc00000)"; the value
 * is that after modifiers. */
void gcn_operand_text(const struct gcn_uop *u, unsigned source, char type, uint64_t value,
                      char *text, size_t size);

/* u has had its effect, and in some lanes has raised exceptions that MODE enables: the trap
 * handler's first instruction; without one, a fault. */
const struct gcn_uop *gcn_raised(struct gcn_wave *w, const struct gcn_uop *u, uint32_t raised,
                                 uint64_t lanes);
/* s_sendmsg asks where the wave's context goes. */
const struct gcn_uop *gcn_save_answer(struct gcn_wave *w, const struct gcn_uop *u);
/* Goes on at pc: the next instruction for a handler to return. */
const struct gcn_uop *gcn_jump(struct gcn_wave *w, uint64_t pc);
extern const struct wt_code_format gcn_code_format;
/* Decodes the instruction of a slot of w->code in place; returns the handler that executes it. */
gcn_op gcn_code_decode(struct gcn_wave *w, struct gcn_uop *slot);

/* ---- faults (device.c) ---- */

/*
 * Reports a mistake at u: sets the machine's fault, the wave stays at u. Returns NULL for the
 * handler to return.
 */
const struct gcn_uop *gcn_fault(struct gcn_wave *w, const struct gcn_uop *u,
                                enum wt_fault_kind kind, uint64_t lanes, uint64_t addr,
                                const char *format, ...) __attribute__((format(printf, 6, 7)));
/* A store to addr found no memory: that fault. */
const struct gcn_uop *gcn_no_memory(struct gcn_wave *w, const struct gcn_uop *u, uint64_t lanes,
                                    uint64_t addr);
/* The illegal-instruction state: the row is not executed, or there is none. */
const struct gcn_uop *gcn_illegal(struct gcn_wave *w, const struct gcn_uop *u);

/* ---- operand.c ---- */

/* A scalar source of 32 or of 64 bits; floating: inline constants are those of 16, 32, 64 bits. The
 * registers, most of all, need no call. */
uint32_t gcn_other_scalar32(struct gcn_wave *w, const struct gcn_uop *u, unsigned n);
uint64_t gcn_other_scalar64(struct gcn_wave *w, const struct gcn_uop *u, unsigned n, bool floating);

static inline uint32_t gcn_scalar32(struct gcn_wave *w, const struct gcn_uop *u, unsigned n)
{
    return n < GCN_TTMP ? w->s[n] : gcn_other_scalar32(w, u, n);
}

static inline uint64_t gcn_scalar64(struct gcn_wave *w, const struct gcn_uop *u, unsigned n,
                                    bool floating)
{
    return n < GCN_TTMP ? gcn_pair(&w->s[n]) : gcn_other_scalar64(w, u, n, floating);
}

uint16_t gcn_inline16(unsigned n, bool floating, uint32_t whole);

/* Trap temporaries are there in privileged mode only: else they read 0. */
static inline bool gcn_hidden(const struct gcn_wave *w, unsigned n)
{
    return n >= GCN_TTMP && n < GCN_M0 && !(w->status & GCN_STATUS_PRIV);
}

/* Writes a scalar destination; EXEC, VCC and M0 are among them. */
static inline void gcn_write_scalar(struct gcn_wave *w, unsigned n, uint32_t value)
{
    if (!gcn_hidden(w, n))
        w->s[n] = value;
}

static inline void gcn_write_pair(struct gcn_wave *w, unsigned n, uint64_t value)
{
    if (!gcn_hidden(w, n))
        gcn_set_pair(&w->s[n], value);
}

/* Bytes of 0 or 1 as a mask of lanes, and back. */
uint64_t gcn_pack(const uint8_t *byte);
/* w->on for this mask. */
const uint32_t *gcn_lanes_on(struct gcn_wave *w, uint64_t mask);

/* ---- valu.c: vector instructions ---- */

const struct gcn_uop *gcn_valu_plain(struct gcn_wave *w, const struct gcn_uop *u);
const struct gcn_uop *gcn_valu_whole(struct gcn_wave *w, const struct gcn_uop *u);
const struct gcn_uop *gcn_valu_any(struct gcn_wave *w, const struct gcn_uop *u);
const struct gcn_uop *gcn_valu_writelane(struct gcn_wave *w, const struct gcn_uop *u);
/* All ones in the lanes of a mask, zeros in the others. */
void gcn_spread_mask(uint32_t *on, uint64_t mask);
/* Puts values into a register where `on` is all ones. */
void gcn_blend(uint32_t *to, const uint32_t *from, const uint32_t *on);
const struct gcn_uop *gcn_valu_swap(struct gcn_wave *w, const struct gcn_uop *u);
/* The handler that decoded instruction u needs. */
gcn_op gcn_handler_of(const struct gcn_uop *u);

/* ---- hwreg.c: what s_getreg and s_setreg see ---- */

bool gcn_hwreg_read(struct gcn_wave *w, unsigned id, uint32_t *value);
/* privileged: the write may change all of STATUS that is not computed. */
bool gcn_hwreg_write(struct gcn_wave *w, unsigned id, uint32_t value, uint32_t mask,
                     bool privileged);
uint32_t gcn_status(const struct gcn_wave *w);

/* ---- control.c: what debug hardware outside does to waves ---- */

/* HALT that counts: not in the trap handler, but for a fatal one. */
static inline bool gcn_halted(const struct gcn_wave *w)
{
    return w->status & GCN_STATUS_FATAL_HALT ||
           (w->status & (GCN_STATUS_HALT | GCN_STATUS_PRIV)) == GCN_STATUS_HALT;
}

/* SQ_CMD is written. */
void gcn_sq_command(struct gcn_device *d, uint32_t command);
/* s_sendmsg(MSG_HALT_WAVES): all waves of its process are halted. */
void gcn_halt_process(struct gcn_wave *w);
/* Whether GRBM_GFX_INDEX selects the place. */
bool gcn_selected(const struct gcn_device *d, const struct gcn_location *at);
/* Ends a wave that is not executing an instruction. */
void gcn_kill(struct gcn_wave *w);
/* Sends an interrupt about a wave. data: 24 bits. */
void gcn_send_interrupt(const struct gcn_wave *w, uint32_t data,
                        enum gcn_interrupt_encoding encoding);
/* SPI: whether no wave of a dispatch may start now; what it does to a new wave. */
bool gcn_launch_stalled(const struct gcn_device *d, const struct gcn_dispatch *k);
void gcn_launch_wave(struct gcn_device *d, struct gcn_wave *w);

/* ---- address_watch.c: TCP_WATCH ---- */

/* Whether an access to some byte of the page can hit an address watch. */
bool gcn_address_watch_page(const struct gcn_device *d, uint64_t addr);
/* The same for [first, last], which is not long. */
bool gcn_address_watch_range(const struct gcn_device *d, uint64_t first, uint64_t last);
/* A lane's access by a vector memory instruction to [addr, addr + size): notes the watches that it
 * hits, and ends the turn. */
void gcn_address_watch_access(struct gcn_wave *w, const struct gcn_uop *u, enum wt_watch_kind kind,
                              unsigned lane, uint64_t addr, unsigned size);
/* A TCP_WATCH register was written, or all of them restored. */
void gcn_address_watch_changed(struct gcn_device *d);

/* Whether accesses of vector memory instructions are looked at. */
static inline bool gcn_watching(const struct gcn_device *d)
{
    return d->machine.watch || d->address_watch;
}

/* ---- access.c: memory ---- */

/* The memory with what must follow a write to it from outside. */
struct wt_mapped gcn_memory(struct gcn_device *d);
/* Whether it is there: on a device that works on host memory only what is mapped. */
bool gcn_is_there(const struct gcn_device *d, uint64_t addr, size_t size);
/* What a host pointer to [addr, addr + size) is, if it lies in one page that may be used so; NULL
 * when gcn_read or gcn_write must be asked. */
const uint8_t *gcn_tlb_fill_read(struct gcn_device *d, uint64_t addr);
uint8_t *gcn_tlb_fill_write(struct gcn_device *d, uint64_t addr);
/* The same, whether it is watched or not. */
uint8_t *gcn_host_for_write(struct gcn_device *d, uint64_t addr);
/* Whether something is watched, but no byte of [addr, addr + size), which lies in one page. */
bool gcn_beside_watch(const struct gcn_device *d, uint64_t addr, uint64_t size);
/* What a host pointer to it is then; NULL where it is not so. Pages with watches are not in the
 * TLB. */
const uint8_t *gcn_readable_beside_watch(struct gcn_device *d, uint64_t addr, uint64_t size);
uint8_t *gcn_writable_beside_watch(struct gcn_device *d, uint64_t addr, uint64_t size);
/* False where nothing is mapped (or, writing, only for reading). */
bool gcn_read(struct gcn_device *d, uint64_t addr, void *out, size_t size);
bool gcn_write(struct gcn_device *d, uint64_t addr, const void *bytes, size_t size);
bool gcn_mapped(const struct gcn_device *d, uint64_t addr, uint64_t size, bool write);

static inline const uint8_t *gcn_readable(struct gcn_device *d, uint64_t addr, unsigned size)
{
    if ((addr & WT_PAGE_MASK) + size > WT_PAGE_SIZE)
        return NULL;
    struct wt_tlb_entry *e = wt_tlb_entry_of(&d->tlb, addr);
    if (e->read_page == (addr & ~WT_PAGE_MASK))
        return e->read_host + (addr & WT_PAGE_MASK);
    return gcn_tlb_fill_read(d, addr);
}

static inline uint8_t *gcn_writable(struct gcn_device *d, uint64_t addr, unsigned size)
{
    if ((addr & WT_PAGE_MASK) + size > WT_PAGE_SIZE)
        return NULL;
    struct wt_tlb_entry *e = wt_tlb_entry_of(&d->tlb, addr);
    if (e->write_page == (addr & ~WT_PAGE_MASK))
        return e->write_host + (addr & WT_PAGE_MASK);
    return gcn_tlb_fill_write(d, addr);
}

/* ---- vmem.c: what the vector memory encodings share ---- */

/* Accesses of 64 lanes side by side, of so many dwords each, in little-endian memory. */
void gcn_load_row(uint32_t (*to)[GCN_LANES], const uint32_t *from, unsigned words);
void gcn_store_row(uint32_t *to, uint32_t (*from)[GCN_LANES], unsigned words);
/* *differ is not 0 where the addresses high:low (high may be NULL) are not `step` from each other,
 * or the lower halves leave 32 bits. */
void gcn_leave_row(const uint32_t *low, const uint32_t *high, uint32_t step, uint32_t *differ);

/* Where the lanes of one access go: to memory or to the group's LDS. */
struct gcn_targets {
    const struct gcn_uop
        *at; /* the instruction, where it stands: one executed may be a part of it */
    uint64_t addr[GCN_LANES]; /* memory address, or offset into LDS */
    uint64_t lanes;           /* that access at all */
    uint64_t lds;             /* of them, those that go to LDS */
    uint64_t private;         /* of them, those that go to swizzled scratch: addr is the offset */
    uint64_t zero;            /* lanes whose loads give 0 and whose stores are dropped */
    uint64_t split;           /* lanes whose access begins in a linear buffer and ends behind it */
};

/*
 * The access of a full wave to memory side by side, in one page: lane i at base + high:low (high
 * may be NULL). False where it is not so, or fails: then nothing is done.
 */
bool gcn_vmem_row(struct gcn_wave *w, const struct gcn_uop *u, uint64_t base, const uint32_t *low,
                  const uint32_t *high, bool store);
const struct gcn_uop *gcn_vmem_load(struct gcn_wave *w, const struct gcn_uop *u,
                                    struct gcn_targets *t);
const struct gcn_uop *gcn_vmem_store(struct gcn_wave *w, const struct gcn_uop *u,
                                     struct gcn_targets *t);
const struct gcn_uop *gcn_vmem_atomic(struct gcn_wave *w, const struct gcn_uop *u,
                                      struct gcn_targets *t);
/*
 * Fills in where each lane's access of so many bytes through a buffer resource goes (buffer.c);
 * *done: there is nothing left to do but to return what this returned. Lanes that cross the
 * elements of a swizzled buffer are marked private, those that cross a linear buffer's end split:
 * of several dwords each counts for itself there, formatted elements and atomics are done whole
 * or not at all (section 8.1.5).
 */
const struct gcn_uop *gcn_buffer_resolve(struct gcn_wave *w, const struct gcn_uop *u, unsigned size,
                                         struct gcn_targets *t, bool *done);
/* Loads with LDS = 1 (buffer.c): to LDS at M0[15:0] plus the offset plus 4 for each lane. */
const struct gcn_uop *gcn_load_to_lds(struct gcn_wave *w, const struct gcn_uop *u,
                                      struct gcn_targets *t);
/* Where byte `offset` of a lane's private memory lies, by the wave's FLAT_SCRATCH. */
uint64_t gcn_private_addr(const struct gcn_wave *w, unsigned lane, uint64_t offset);

/* What an atomic does to memory; opcodes of MUBUF and FLAT less 0x40 or 0x60. */
enum gcn_atomic {
    GCN_ATOMIC_SWAP,
    GCN_ATOMIC_CMPSWAP,
    GCN_ATOMIC_ADD,
    GCN_ATOMIC_SUB,
    GCN_ATOMIC_SMIN,
    GCN_ATOMIC_UMIN,
    GCN_ATOMIC_SMAX,
    GCN_ATOMIC_UMAX,
    GCN_ATOMIC_AND,
    GCN_ATOMIC_OR,
    GCN_ATOMIC_XOR,
    GCN_ATOMIC_INC,
    GCN_ATOMIC_DEC,
};
/* The new value at a place of `size` bytes (4 or 8). Inline: loops know which it is. */
static inline __attribute__((always_inline)) uint64_t
gcn_atomic(enum gcn_atomic what, unsigned size, uint64_t old, uint64_t data, uint64_t compare)
{
    const unsigned bits = size * 8;
    const int64_t x = wt_sign_extend(old, bits), y = wt_sign_extend(data, bits);
    switch (what) {
    case GCN_ATOMIC_SWAP:
        return data;
    case GCN_ATOMIC_CMPSWAP:
        return old == compare ? data : old;
    case GCN_ATOMIC_ADD:
        return old + data;
    case GCN_ATOMIC_SUB:
        return old - data;
    case GCN_ATOMIC_SMIN:
        return x < y ? old : data;
    case GCN_ATOMIC_UMIN:
        return old < data ? old : data;
    case GCN_ATOMIC_SMAX:
        return x > y ? old : data;
    case GCN_ATOMIC_UMAX:
        return old > data ? old : data;
    case GCN_ATOMIC_AND:
        return old & data;
    case GCN_ATOMIC_OR:
        return old | data;
    case GCN_ATOMIC_XOR:
        return old ^ data;
    case GCN_ATOMIC_INC:
        return old >= data ? 0 : old + 1;
    default: /* GCN_ATOMIC_DEC */
        return old == 0 || old > data ? data : old - 1;
    }
}

/* ---- kfd.c, kfd_save.c: the driver's debug interface ---- */

/* Whether the driver's handlers take a trap or exception of the wave, for a debugger. What is not
 * the debugger's own (breakpoints, steps, watches) a trap handler of the program's own takes. */
bool gcn_kfd_handles(const struct gcn_wave *w, bool debuggers_own);
/* What they do: the wave is stopped, and the exception told. ttmp1: TTMP1 but for the PC. */
void gcn_kfd_stop(struct gcn_wave *w, uint64_t pc, uint32_t ttmp1, enum kfd_exception code);
/* Writes a queue's waves to its save area, whose bytes gcn_kfd_area has; false if it is too small
 * or the host has no memory. */
bool gcn_kfd_save(struct gcn_device *d, struct gcn_kfd_queue *q);
void gcn_kfd_load(struct gcn_device *d, struct gcn_kfd_queue *q);
uint8_t *gcn_kfd_area(const struct gcn_device *d, const struct gcn_kfd_queue *q);
/* The byte at an address of a save area, and how many there are from there on; NULL: none is there.
 */
uint8_t *gcn_kfd_area_at(const struct gcn_device *d, uint64_t addr, uint64_t *room);

/* ---- groups.c ---- */

/* Starts work-groups of the dispatches wherever a compute unit has room. */
void gcn_dispatch_pump(struct gcn_device *d);
/* Finds out what is taken of the compute units. */
void gcn_count_taken(struct gcn_device *d);
/* A wave whose context is saved starts again, in its own place, where the trap handler restores. */
void gcn_restart_wave(struct gcn_device *d, struct gcn_wave *w);
/* A wave has ended. */
void gcn_wave_end(struct gcn_wave *w);
/* Recomputes whether the wave can issue. */
void gcn_update_ready(struct gcn_wave *w);
/* The wave arrives at its group's barrier. */
void gcn_barrier(struct gcn_wave *w);

/* ---- host.c ---- */

/* What is around a device that stands by itself. */
extern const struct gcn_host gcn_no_driver;

/* ---- inspect.c: the machine's operations of these names ---- */

bool gcn_describe_register(struct wt_machine *m, unsigned number, struct wt_register_shape *reg);
bool gcn_read_row(struct wt_machine *m, uint32_t wave, unsigned number, void *out);
bool gcn_read_memory(struct wt_machine *m, uint32_t wave, unsigned lane, uint64_t addr, void *out,
                     size_t size);
bool gcn_write_memory(struct wt_machine *m, uint32_t wave, unsigned lane, uint64_t addr,
                      const void *bytes, size_t size);

/* ---- explain.c ---- */

/* gcn_explain_address, as the machine's operation. */
bool gcn_explain(struct wt_machine *m, uint32_t wave, unsigned lane, uint64_t addr,
                 struct wt_explanation *e);

/* ---- run.c ---- */

extern const struct wt_engine_ops gcn_engine_ops;

/* ---- check.c ---- */

void gcn_check(struct wt_machine *m);

/* ---- state.c ---- */

struct wt_state *gcn_save(struct wt_machine *m);
bool gcn_restore(struct wt_machine *m, const struct wt_state *state);
void gcn_free_state(struct wt_state *state);
uint64_t gcn_held_bytes(struct wt_machine *m);
uint64_t gcn_live_bytes(struct wt_machine *m);
uint64_t gcn_hash(struct wt_machine *m);
uint64_t gcn_program_hash(struct wt_machine *m);

/* The functions that execute instructions, as isa.def names them. */
#define I(id, name, encoding, opcode, forms, operands, executor) DECLARE_##encoding(executor)
#define DECLARE_OP(executor)                                                                       \
    const struct gcn_uop *gcn_op_##executor(struct gcn_wave *w, const struct gcn_uop *u);
#define DECLARE_VECTOR(executor) void gcn_vop_##executor(struct gcn_valu *v);
#define DECLARE_SOP2 DECLARE_OP
#define DECLARE_SOPK DECLARE_OP
#define DECLARE_SOP1 DECLARE_OP
#define DECLARE_SOPC DECLARE_OP
#define DECLARE_SOPP DECLARE_OP
#define DECLARE_SMEM DECLARE_OP
#define DECLARE_DS DECLARE_OP
#define DECLARE_FLAT DECLARE_OP
#define DECLARE_GLOBAL DECLARE_OP
#define DECLARE_SCRATCH DECLARE_OP
#define DECLARE_MUBUF DECLARE_OP
#define DECLARE_MTBUF DECLARE_OP
#define DECLARE_VOP1 DECLARE_VECTOR
#define DECLARE_VOP2 DECLARE_VECTOR
#define DECLARE_VOPC DECLARE_VECTOR
#define DECLARE_VOP3 DECLARE_VECTOR
#define DECLARE_VOP3P DECLARE_VECTOR
#include "emulator/gcn/isa.def"
#undef I

#endif
