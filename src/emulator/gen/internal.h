/* The Gen9 emulator's structures and the functions that its files share. */
#ifndef WT_EMULATOR_GEN_INTERNAL_H
#define WT_EMULATOR_GEN_INTERNAL_H

#include <assert.h>

#include "base/bits.h"
#include "emulator/gen/gen.h"
#include "emulator/gen/isa.h"
#include "emulator/machine/fields.h"
#include "emulator/machine/groups.h"
#include "emulator/machine/code_pages.h"
#include "emulator/machine/engine.h"
#include "emulator/machine/judge.h"
#include "emulator/machine/memory.h"
#include "emulator/machine/softfloat.h"

enum {
    GEN_CHANNELS = 32,
    GEN_GRFS = 128,
    GEN_GRF_BYTES = 32,
    GEN_REGISTER_FILE = GEN_GRFS * GEN_GRF_BYTES,
    GEN_ACCS = 10,
    GEN_GRANULE = 8,
    GEN_SLOTS = WT_PAGE_SIZE / GEN_GRANULE,
    GEN_TAIL = 3,               /* the last one is a witness (block.c) */
    GEN_FC_ELEMENTS = 39,       /* fc0.0 to fc0.31, fc1.0, fc2.0, fc3.0 to fc3.3, fc4.0 */
    GEN_MOST_SCRATCH_CODE = 11, /* 2 MiB a thread */
};

/* Bits of cr0.0, and of cr0.1 (docs/gen9.md has the table). */
enum {
    GEN_CR0_ALT = 1 << 0,
    GEN_CR0_ACC_DISABLE = 1 << 1,
    GEN_CR0_SPF = 1 << 2,
    GEN_CR0_ROUNDING = 3 << 4, /* 0 is to nearest, as the host does */
    GEN_CR0_KEEP_DF = 1 << 6,
    GEN_CR0_KEEP_F = 1 << 7,
    GEN_CR0_KEEP_HF = 1 << 10,
    GEN_CR0_SUPPRESS = 1 << 15,
};
#define GEN_CR0_MASTER ((uint32_t)1 << 31)
enum {
    GEN_CR1_ENABLE_SAVE = 1 << 9,
    GEN_CR1_ENABLE_STACK = 1 << 11,
    GEN_CR1_ENABLE_ILLEGAL = 1 << 12,
    GEN_CR1_ENABLE_SOFTWARE = 1 << 13,
    GEN_CR1_ENABLE_BREAKPOINT = 1 << 15,
    GEN_CR1_SAVE = 1 << 25,
    GEN_CR1_FORCED = 1 << 26,
    GEN_CR1_STACK = 1 << 27,
    GEN_CR1_ILLEGAL = 1 << 28,
    GEN_CR1_SOFTWARE = 1 << 29,
    GEN_CR1_HALT = 1 << 30,
};
#define GEN_CR1_BREAKPOINT ((uint32_t)1 << 31)
/* cr0.3: the routine is to save the context (Intel's routines for preemption test it). */
#define GEN_CR3_SAVE ((uint32_t)1 << 9)
/* TD_CTL as Linux's driver sets it for a debugger. */
enum {
    GEN_DRIVER_TD_CTL =
        GEN_TD_CTL_BREAKPOINTS | GEN_TD_CTL_FORCE_BREAKPOINTS | GEN_TD_CTL_FORCE_ENABLE
};

struct gen_thread;
struct gen_uop;
typedef const struct gen_uop *(*gen_op)(struct gen_thread *t, const struct gen_uop *u);

/* Values of the channels of an instruction. */
union gen_values {
    _Alignas(64) int64_t q[GEN_CHANNELS];
    uint64_t uq[GEN_CHANNELS];
    int32_t d[GEN_CHANNELS];
    uint32_t ud[GEN_CHANNELS];
    float f[GEN_CHANNELS];
    double df[GEN_CHANNELS];
};

/* The type in which an instruction computes. hf is computed as f and rounded at the end. */
enum gen_domain { GEN_INT32, GEN_INT64, GEN_FLOAT, GEN_DOUBLE };

/* That of an instruction (prepare.c). */
enum gen_domain gen_domain_of(const struct gen_insn *insn);

/* An arithmetic instruction being computed. */
struct gen_alu {
    struct gen_thread *t;
    const struct gen_uop *u;
    enum gen_domain domain;
    unsigned n;  /* channels */
    uint32_t on; /* those that count, from bit 0 on */
    bool soft;   /* not the host's arithmetic: another rounding mode, or denormals are flushed */
    struct wt_fp fp;
    const void *a, *b, *c;   /* sources: n values of the domain's type */
    union gen_values *r;     /* the result */
    uint32_t flags;          /* what a comparison has found */
    bool has_flags;          /* `flags` is the condition's outcome */
    bool only_flags;         /* nobody looks at the result of a comparison */
    union gen_values *carry; /* addc, subb: what the accumulator gets instead of the result */
    bool has_carry;
};

/* Registers are bytes, which instructions see as any type, at any byte. */
typedef int32_t gen_i32 __attribute__((may_alias, aligned(1)));
typedef uint32_t gen_u32 __attribute__((may_alias, aligned(1)));
typedef int64_t gen_i64 __attribute__((may_alias, aligned(1)));
typedef uint64_t gen_u64 __attribute__((may_alias, aligned(1)));
typedef float gen_f32 __attribute__((may_alias, aligned(1)));
typedef double gen_f64 __attribute__((may_alias, aligned(1)));
typedef void (*gen_alu_op)(struct gen_alu *x);

/* Operands that are known when an instruction is decoded (quick.c). */
enum gen_quick_kind { GEN_QUICK_ROW, GEN_QUICK_STEPS, GEN_QUICK_VALUE };
/* Likewise as rows.c tells them apart. */
enum gen_quick_fetch {
    GEN_FETCH_OTHER,
    GEN_FETCH_ROW,
    GEN_FETCH_DWORD, /* one for all channels */
    GEN_FETCH_VALUE,
    GEN_FETCH_ELEMENT, /* one of fewer bytes for all channels */
    GEN_FETCH_WORDS,   /* side by side */
    GEN_FETCH_LOW      /* fewer bytes, which begin dwords side by side */
};
struct gen_quick_source {
    uint8_t kind;  /* enum gen_quick_kind */
    uint8_t fetch; /* enum gen_quick_fetch; rows.c only, as the next four are */
    bool is_real, absolute, negate;
    bool complements; /* negation is a complement */
    uint8_t size;     /* bytes of an element: 1, 2, 4, 8 */
    bool is_signed;
    bool modified; /* abs or negation */
    uint16_t step; /* bytes from element to element; 0: one for all channels */
    uint16_t at;   /* byte in the registers */
    uint64_t value;
};
struct gen_quick {
    struct gen_quick_source source[3];
    uint16_t to;              /* byte in the registers */
    uint8_t to_size, to_step; /* bytes, of an element and from one to the next */
    bool nowhere;             /* the result goes nowhere */
    bool rows, wide;          /* rows.c executes it, or wide.c */
    bool selects;             /* sel: all channels are written */
    bool tests;               /* flags are set by the result */
};

/* A message: what send and sends say, decoded (message.h). */
struct gen_message {
    struct gen_thread *t;
    const struct gen_uop *u;
    uint32_t desc, exdesc;
    unsigned sfid;
    unsigned bti;
    unsigned type;       /* type of data ports: desc[18:14] */
    unsigned lengths[2]; /* lengths of the payloads in registers */
    unsigned response;   /* registers */
    bool header;
    uint32_t on;         /* channels, from bit 0 on */
    unsigned payload[2]; /* byte offsets in the register file */
    unsigned dst;        /* likewise; valid if response > 0 */
};

/* A decoded instruction in its page; its handler comes first (machine/code_pages.h). */
struct gen_uop {
    gen_op run;
    gen_op general;   /* general of one that gen_run_quick executes: what does so in any case */
    gen_op real;      /* real of an instruction with DebugCtrl: its handler without it */
    gen_alu_op alu;   /* NULL: it is no arithmetic */
    uint8_t domain;   /* enum gen_domain */
    uint8_t granules; /* granules of its length */
    bool raw;         /* a move of bits */
    bool uses_ip;     /* an operand is the instruction pointer */
    bool
        has_message; /* send.c: no register changes what is said, and `message` has all but t, on */
    union {
        struct gen_quick quick;
        struct gen_message message; /* message of send and sends */
    };
    const char *mistake; /* why it is not executed; NULL: it is, or it is no instruction */
    struct gen_insn insn;
    struct gen_word word; /* as it stands in memory */
};

/* The decoded instructions of one page of code. */
struct gen_code {
    struct wt_code_page page;
    struct wt_paged_page *blocks; /* blocks of the device; NULL: it has not been translated */
    uint16_t visits[GEN_SLOTS];   /* how often turns and jumps came there, and blocks ended */
    struct gen_uop uop[GEN_SLOTS + GEN_TAIL]; /* the last ones lead to the next page */
};

struct gen_group;

/* Registers of a thread, as its state has them. */
struct gen_registers {
    _Alignas(64) uint8_t r[GEN_REGISTER_FILE];
    uint8_t acc[GEN_ACCS][GEN_GRF_BYTES];     /* acc2..acc9 are mme0..mme7 */
    uint32_t acc_high[2 * GEN_GRF_BYTES / 4]; /* upper halves of acc0 and acc1 as integers */
    uint8_t a0[GEN_GRF_BYTES];
    uint32_t f[2];
    uint32_t sp[4], sr[4], cr[4], n[4], tdr[4], dbg[4], msg[8];
    uint8_t fc[GEN_FC_ELEMENTS][GEN_GRF_BYTES];
    uint32_t ce, ip, tm[8], zero[8]; /* ce, ip, tm0: as they were read last */
};

struct gen_thread {
    WT_WAVE_HEAD(struct gen_group, group);
    struct gen_registers *g; /* NULL until a thread ran here */
    struct gen_device *device;
    struct gen_code *code;       /* page of the instruction being executed, valid while it runs */
    uint64_t base;               /* instruction base address */
    uint32_t mask;               /* channels that execute now */
    uint32_t waiting;            /* channels that wait for the thread to come to their IP */
    uint32_t dispatched;         /* channels that it was started with */
    uint32_t wake[GEN_CHANNELS]; /* wake of a waiting channel: its IP */
    uint64_t back_to;  /* the lowest place to which it went back since its last access; 0: none */
    uint64_t wake_set; /* bits gen_wake_bit of those IPs, and maybe of others */
    bool waits;        /* in `wait`, for a notification */
    bool in_system;    /* Master Exception State, before the instruction being executed */
    bool suppresses;   /* breakpoints, for the instruction being executed */
    /* routine.c: the driver's system routine has the thread. */
    bool held;
    bool steps;      /* it is back there after the instruction being executed */
    uint32_t status; /* why: bits of cr0.1 that are requests, which the program does not see */
    bool suppress;   /* Breakpoint Suppress, for when it goes on */
};

/* A thread group that is being run. */
struct gen_group {
    WT_GROUP_HEAD;
    uint64_t number;  /* number of the walk's groups */
    uint16_t arrived; /* at the barrier */
};

/* A walk under way. Once it has ended it stays as it was until another one takes its place. */
struct gen_running {
    WT_LAUNCH_HEAD;
    struct gen_walk walk;
    uint64_t id;
};

struct gen_trace_point;

struct gen_device {
    struct wt_machine machine;
    struct wt_near near; /* what has been decoded to be executed */
    struct gen_config config;
    uint64_t root;       /* physical address of the PPGTT's PML4; 0: there is none */
    uint64_t next_table; /* the next one that gen_device_map takes */
    struct gen_thread *thread;
    struct gen_group *group; /* as many as threads */
    struct gen_running walk[GEN_WALKS];
    const struct gen_steps *steps; /* gen_device_set_steps() */
    uint32_t td_ctl, mcr_selector; /* registers of the bus */
    bool debugged;                 /* routine.c: the driver's routine is there */
    bool attention;                /* … and has a thread that the host does not know of */
    /* execution */
    struct gen_trace_point *trace; /* the issue being traced; NULL until a run is */
    const struct gen_uop *sending; /* the message that is being executed; NULL: none */
    struct wt_paged *blocks;       /* translated code; NULL until there is some */
};

/* The walker command that the thread's group belongs to. */
static inline struct gen_running *gen_walk_of(const struct gen_thread *t)
{
    return &t->device->walk[t->group->launch];
}

/* Address of an instruction of the page that the thread executes. */
static inline uint64_t gen_pc_of(const struct gen_thread *t, const struct gen_uop *u)
{
    return t->code->page.base + (uint64_t)(u - t->code->uop) * GEN_GRANULE;
}

/* Issue time of the instruction being executed. */
static inline uint64_t gen_now(const struct gen_thread *t)
{
    return wt_issue_time(&t->device->machine, t->left);
}

/* The instruction behind this one. */
static inline const struct gen_uop *gen_next(const struct gen_uop *u)
{
    return u + u->granules;
}

/* ---- code.c: decoded pages ---- */

extern const struct wt_code_format gen_code_format;
/* The decoded instruction at pc; sets t->code. NULL with a fault if nothing can be fetched there.
 */
const struct gen_uop *gen_fetch(struct gen_thread *t, uint64_t pc);
/* The next instruction is the one at pc: NULL at the end of the turn. */
const struct gen_uop *gen_jump(struct gen_thread *t, uint64_t pc);

/* Decodes a record that has not been executed yet, if that does not show anywhere; whether it did.
 */
bool gen_decode_record(struct gen_thread *t, struct gen_uop *slot);

/* ---- block.c: translated code ---- */

/* The handler of records that have code. */
const struct gen_uop *gen_run_block(struct gen_thread *t, const struct gen_uop *u);
/* Translates what begins at a record that has been visited often, if that pays. */
void gen_translate(struct gen_thread *t, const struct gen_uop *u);
/* Memory is gone, so that no code is being executed any more: what has accessed it; NULL: nothing
 * of a thread. */
const struct gen_uop *gen_blocks_lost(struct gen_device *d);
/* The operation `piece`. */
extern WT_MACHINE_FN(piece) gen_piece;
/* Frees all translated code. */
void gen_blocks_free(struct gen_device *d);

/* A turn or a jump comes to a record. What cannot be translated is tried at powers of two. */
static inline const struct gen_uop *gen_visit(struct gen_thread *t, const struct gen_uop *u)
{
    const unsigned visits = ++t->code->visits[u - t->code->uop];
    if (__builtin_expect(visits > t->device->config.jit - 1 /* 0: never */ &&
                             !(visits & (visits - 1)) && u->run != gen_run_block,
                         false))
        gen_translate(t, u);
    return u;
}

/* ---- device.c: readiness, mistakes ---- */

/* Recomputes whether the thread can issue. */
void gen_update_ready(struct gen_thread *t);

/* The program's mistake in instruction u: the turn ends, and u has had no effect. */
const struct gen_uop *gen_fault(struct gen_thread *t, const struct gen_uop *u,
                                enum wt_fault_kind kind, uint32_t lanes, uint64_t addr,
                                const char *format, ...) __attribute__((format(printf, 6, 7)));
/* A store found no memory on the host. */
const struct gen_uop *gen_no_memory(struct gen_thread *t, const struct gen_uop *u, uint32_t lanes,
                                    uint64_t addr);

/* ---- exec.c: what all instructions share ---- */

/* The channels of the instruction that are enabled by mask and predicate, from bit 0 on. */
uint32_t gen_enabled(const struct gen_thread *t, const struct gen_insn *insn);
/* Without the predicate. */
uint32_t gen_unpredicated(const struct gen_thread *t, const struct gen_insn *insn);
/* The predicate alone: a bit for each channel of the instruction. */
uint32_t gen_predicate(const struct gen_thread *t, const struct gen_insn *insn);
/* Puts bits into the flag register, for the channels in `on`. */
void gen_set_flags(struct gen_thread *t, const struct gen_insn *insn, uint32_t on, uint32_t bits);
/* A bit for each channel of whose result the instruction's condition holds: of rows whose elements
 * are those of the destination. */
uint32_t gen_test_row(struct gen_alu *x);
/* abs, then negation, of a row of source values; of logic instructions negation is a complement. */
void gen_modify(const struct gen_alu *x, const struct gen_operand *o, union gen_values *row);

/* ---- quick.c ---- */

/* Whether the arithmetic instruction is one for gen_run_quick; then u->quick is set. */
bool gen_quick_prepare(struct gen_uop *u);
/* Executes an instruction that gen_quick_prepare has taken; what follows. */
const struct gen_uop *gen_run_quick(struct gen_thread *t, const struct gen_uop *u);
/* Whether the host's arithmetic is the GPU's: to nearest, and denormals are kept. */
static inline bool gen_is_as_host(const struct gen_thread *t, const struct gen_uop *u)
{
    const uint32_t keep = u->domain == GEN_DOUBLE ? GEN_CR0_KEEP_DF : GEN_CR0_KEEP_F;
    return u->domain < GEN_FLOAT || (t->g->cr[0] & (GEN_CR0_ROUNDING | keep)) == keep;
}
/* Copies a row by parts as long as those in which results are stored: the host's processor waits
 * for all stores before it executes a wider load of what they store. */
static inline void gen_copy_row(void *to, const void *from, unsigned bytes)
{
    unsigned done = 0;
    if (bytes == 2 * GEN_GRF_BYTES) { /* most of them */
        memcpy(to, from, GEN_GRF_BYTES);
        memcpy((uint8_t *)to + GEN_GRF_BYTES, (const uint8_t *)from + GEN_GRF_BYTES, GEN_GRF_BYTES);
        return;
    }
    for (; bytes - done >= GEN_GRF_BYTES; done += GEN_GRF_BYTES) {
        memcpy((uint8_t *)to + done, (const uint8_t *)from + done, GEN_GRF_BYTES);
        __asm__ volatile("" ::: "memory"); /* or compilers make one memcpy() of all parts again */
    }
    if (done < bytes)
        memcpy((uint8_t *)to + done, (const uint8_t *)from + done, bytes - done);
}

/* The element of a source at an address, extended. */
static inline uint64_t gen_quick_element(const uint8_t *at, const struct gen_quick_source *s)
{
    const uint64_t bits = wt_load_le(at, s->size);
    return s->is_signed ? (uint64_t)wt_sign_extend(bits, s->size * 8u) : bits;
}

/* ---- rows.c ---- */

/* Chooses a handler for an instruction that gen_quick_prepare has taken; false: there is none. */
bool gen_rows_prepare(struct gen_uop *u);

/* ---- wide.c ---- */

/* Likewise for doubles, and for moves of 64 bits. */
bool gen_wide_prepare(struct gen_uop *u);

/* An arithmetic instruction. */
const struct gen_uop *gen_run_alu(struct gen_thread *t, const struct gen_uop *u);
/* Likewise for a move that changes no bits. */
const struct gen_uop *gen_run_raw(struct gen_thread *t, const struct gen_uop *u);
/* Chooses domain and handler of a decoded instruction (prepare.c). */
void gen_prepare(struct gen_uop *u);
/* Which restriction of regions an instruction breaks (regions.c); NULL: none. */
const char *gen_region_mistake(const struct gen_insn *insn);

/* ---- send.c ---- */

/* Decodes the message of a send or sends, if it is the same each time. */
void gen_prepare_message(struct gen_uop *u);

/* ---- operand.c: regions ---- */

/* Where the elements of an operand lie: byte offsets into its register file, `n` of them. False: a
 * part of it lies outside. */
bool gen_region(const struct gen_thread *t, const struct gen_operand *o, bool align16, bool is_dst,
                unsigned n, uint16_t *at);
/* The storage of an ARF operand's register, brought up to date; *size bytes. NULL: there is none.
 */
uint8_t *gen_arf(struct gen_thread *t, unsigned reg, unsigned *size);
/* One element of a scalar operand (branches, descriptors), zero-extended. */
bool gen_scalar(struct gen_thread *t, const struct gen_operand *o, uint64_t *value);
/* The first GRF byte of a message's payload; false: it lies outside. */
bool gen_payload(const struct gen_thread *t, const struct gen_operand *o, unsigned registers,
                 unsigned *at);

/* ---- flow.c ---- */

/* Channels that wait for this IP execute from here on. */
void gen_wake_here(struct gen_thread *t, uint32_t ip);

/* The bit of wake_set for an IP; several IPs share one. */
static inline uint64_t gen_wake_bit(uint32_t ip)
{
    return UINT64_C(1) << (ip / GEN_GRANULE % 64);
}

/* Likewise, where it is likely that none does. */
static inline void gen_wake(struct gen_thread *t, uint64_t pc)
{
    const uint32_t ip = (uint32_t)(pc - t->base);
    if (t->wake_set & gen_wake_bit(ip))
        gen_wake_here(t, ip);
}

/* ---- exceptions.c ---- */

/* An instruction with DebugCtrl: an exception, or u->real. */
const struct gen_uop *gen_op_breakpoint(struct gen_thread *t, const struct gen_uop *u);
/* The illegal instruction u as an exception; false: the thread has not enabled it. *next is what
 * follows. */
bool gen_take_illegal(struct gen_thread *t, const struct gen_uop *u, const struct gen_uop **next);
/* Instruction u has written cr0: what follows. */
const struct gen_uop *gen_control_written(struct gen_thread *t, const struct gen_uop *u);
/* Whether an instruction sets bits of cr0.0, which gen_run_mode() does: each kernel's first one. */
bool gen_sets_mode(const struct gen_insn *insn);
/* Executes it. */
const struct gen_uop *gen_run_mode(struct gen_thread *t, const struct gen_uop *u);
/* An instruction that writes sp: it has no effect if the stack's top would be beyond its limit,
 * which is an exception, or the program's mistake. */
const struct gen_uop *gen_run_on_stack(struct gen_thread *t, const struct gen_uop *u);
/* The one instruction after a return with Breakpoint Suppress has been issued; u comes next, or
 * NULL: the turn is over, and t->pc comes next. */
const struct gen_uop *gen_after_suppressed(struct gen_thread *t, const struct gen_uop *u);
/* The thread stands before its first instruction: TD_CTL may halt it. */
void gen_thread_begins(struct gen_thread *t);
/* Not within a turn: the thread enters its system routine if its status bits ask for it. */
void gen_take_request(struct gen_thread *t);
/* Not within a turn: asks a thread to save its context, if it has enabled that or is forced to. */
void gen_request_save(struct gen_thread *t, bool forced);
/* Not within a turn: the thread enters its system routine if that was asked of it. */
void gen_take_save(struct gen_thread *t);
/* The thread waits in its system routine for the host. */
bool gen_has_attention(const struct gen_thread *t);

/* ---- routine.c: the driver's system routine ---- */

/* The thread is between instructions: the routine has it, which goes on at t->pc. */
void gen_hold(struct gen_thread *t, uint32_t status);
/* TD_CLR: the thread leaves the routine. */
void gen_release(struct gen_thread *t);
/* Reads or writes what the routine has saved; false: no thread of the routine lies there. */
bool gen_saved_read(struct gen_device *d, uint64_t addr, void *out, size_t size);
/* Writes what the routine has saved; false: no thread of the routine lies there. */
bool gen_saved_write(struct gen_device *d, uint64_t addr, const void *bytes, size_t size);

/* ---- bus.c ---- */

/* Reads a register of the bus; 0 where there is none. */
uint32_t gen_debug_read(struct wt_machine *m, uint32_t addr);
/* Writes a register of the bus; nothing happens where there is none. */
void gen_debug_write(struct wt_machine *m, uint32_t addr, uint32_t value);

/* ---- access.c: memory ---- */

/* Where the page tables of a device's own lie: behind all memory that it can map. */
#define GEN_TABLES (UINT64_C(0x7f) << 40)

struct wt_gtt_walk;

/* Whether all of [addr, addr + size) is mapped, and for writing where `write`. */
bool gen_mapped(struct gen_device *d, uint64_t addr, uint64_t size, bool write);
/* Calls @p found for the physical memory of the page tables and of what they map. */
void gen_each_memory(struct gen_device *d,
                     void (*found)(void *context, uint64_t physical, uint64_t size), void *context);
/* The walk of an address, in words. There is a table. */
void gen_walk_tables(struct gen_device *d, uint64_t addr, struct wt_gtt_walk *walk);
/* The TLB's misses: NULL where it may not have the page. */
const uint8_t *gen_tlb_fill_read(struct gen_device *d, uint64_t addr);
/* Likewise for writing. */
uint8_t *gen_tlb_fill_write(struct gen_device *d, uint64_t addr);

/* The bytes at addr, as far as they lie in one page; NULL: gen_mapped and slower ways decide. */
static inline const uint8_t *gen_readable(struct gen_device *d, uint64_t addr, unsigned size)
{
    if ((addr & WT_PAGE_MASK) + size > WT_PAGE_SIZE)
        return NULL;
    struct wt_tlb_entry *e = wt_tlb_entry_of(&d->machine.tlb, addr);
    if (e->read_page == (addr & ~WT_PAGE_MASK))
        return e->read_host + (addr & WT_PAGE_MASK);
    return gen_tlb_fill_read(d, addr);
}

/* A store to memory has been done on a copy of the process's memory, for which it is told; as an
 * atomic in shared memory it ends the turn. */
void gen_stored(struct gen_thread *t, uint64_t addr, const uint8_t *bytes, unsigned size,
                bool atomic);

/* Likewise for writing. */
static inline uint8_t *gen_writable(struct gen_device *d, uint64_t addr, unsigned size)
{
    if ((addr & WT_PAGE_MASK) + size > WT_PAGE_SIZE)
        return NULL;
    struct wt_tlb_entry *e = wt_tlb_entry_of(&d->machine.tlb, addr);
    if (e->write_page == (addr & ~WT_PAGE_MASK))
        return e->write_host + (addr & WT_PAGE_MASK);
    return gen_tlb_fill_write(d, addr);
}

/* ---- groups.c ---- */

/* This family's operations for groups (machine/groups.h). */
extern const struct wt_group_ops gen_group_ops;
/* A thread has ended. */
void gen_thread_end(struct gen_thread *t);
/* The thread signals its group's barrier, by the instruction at pc. */
void gen_barrier(struct gen_thread *t, uint64_t pc);

/* ---- the machine's and the engine's operations of these names ---- */

WT_MACHINE_FN(describe_register) gen_describe_register;
WT_MACHINE_FN(read_row) gen_read_row;
WT_MACHINE_FN(origins) gen_origins;
WT_MACHINE_FN(read_cell) gen_read_cell;
WT_MACHINE_FN(unwritten) gen_unwritten;
WT_MACHINE_FN(read_memory) gen_read_memory;
WT_MACHINE_FN(write_memory) gen_write_memory;
WT_MACHINE_FN(explain) gen_explain;
WT_MACHINE_FN(state) gen_state;
extern const struct wt_field gen_walk_first[], gen_walk_fields[], gen_walk_last[],
    gen_group_fields[], gen_thread_fields[], gen_thread_last[];
WT_MACHINE_FN(hash) gen_hash;
WT_MACHINE_FN(program_hash) gen_program_hash;
WT_ENGINE_FN(check) gen_check;
extern const struct wt_engine_ops gen_engine_ops;

/* ---- trace.c ---- */

WT_ENGINE_FN(trace_before) gen_trace_before;
WT_ENGINE_FN(trace_after) gen_trace_after;
/* Frees what gen_trace_before allocated. */
void gen_trace_free(struct gen_device *d);

/* ---- watch.c ---- */

extern const struct wt_address_map gen_address_map;
/* The SLM in which an address of the window lies as the thread sees it (wt_machine_ops.home). */
WT_MACHINE_FN(home) gen_home;
/* That of a group (wt_group_ops.home). */
uint64_t gen_group_home(const struct wt_machine *m, const struct wt_group_head *g);
/* Whether a page holds a watched byte, so that the TLB may not have it. */
bool gen_watches_page(const struct gen_device *d, uint64_t addr, bool write);
/* A lane has accessed `size` bytes, 1 to 16, at addr, or at GEN_SLM_APERTURE + offset. */
void gen_watch_access(struct gen_thread *t, const struct gen_uop *u, enum wt_watch_kind kind,
                      unsigned lane, uint64_t addr, unsigned size, const void *before,
                      const void *after);
/* Tells the observer, where wt_observes_rows(), of the accesses of channels, 1 or more, which are
 * all in SLM's aperture or all in memory, the lowest one's to @p lowest. Returns where the caller
 * writes the addresses, channel i's at i. */
uint64_t *gen_observe_row(struct gen_thread *t, const struct gen_uop *u, enum wt_watch_kind kind,
                          uint32_t lanes, uint64_t lowest, unsigned size, bool is_row);
/* The handler of an instruction that is watched. */
const struct gen_uop *gen_watch_here(struct gen_thread *t, const struct gen_uop *u);
/* The issue of the instruction at pc at that time, with the channels of now. */
WT_ENGINE_FN(issue_at) gen_issue_at;

/* The functions that execute instructions, as isa.def names them: see gen_prepare. */
#define ALU(executor) void gen_alu_##executor(struct gen_alu *x);
#define OP(executor)                                                                               \
    const struct gen_uop *gen_op_##executor(struct gen_thread *t, const struct gen_uop *u);
#define I(id, name, opcode, format, allows, executor, ...) executor
#include "emulator/gen/isa.def"
#undef ALU
#undef OP
#undef I

#endif
