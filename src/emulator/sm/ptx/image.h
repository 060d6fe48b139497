/*
 * The image of a PTX program and its records. A record is what one instruction of PTX, or one step
 * of it, was lowered to: an executor, places of its operands in the frame, constants.
 *
 * A frame is a window of rows of the warp's register file, one row 32 dwords:
 *   row 0     scalars of the frame: enum ptx_header
 *   row 1, 2  of each lane: where the frame's local memory begins; where it ends
 *   then      results, parameters: a dword a row
 *   then      registers: 32 bits and less a row; 64 bits two rows, as 32 qwords; predicates a dword
 *             each, a mask of lanes
 * A frame is never a part of another one: a call takes rows behind those of all paths of the warp.
 */
#ifndef WT_EMULATOR_SM_PTX_IMAGE_H
#define WT_EMULATOR_SM_PTX_IMAGE_H

#include <string.h>

#include "emulator/machine/judge.h"
#include "emulator/sm/internal.h"
#include "emulator/sm/ptx/ptx.h"
#include "object/ptx_word.h"

/** Outcomes of a comparison for which it holds, as bits: less, equal, greater, unordered. */
enum { PTX_LESS = 1, PTX_EQUAL = 2, PTX_GREATER = 4, PTX_UNORDERED = 8 };

/* Bytes of the registers that hold the type. */
static inline unsigned ptx_type_class(enum ptx_type type)
{
    return ptx_type_bytes(type) == 8 ? 8 : 4;
}

/* Whether it is a floating point type, packed ones included. */
static inline bool ptx_type_is_float(enum ptx_type type)
{
    return type == PTX_F16 || type == PTX_F16X2 || type == PTX_F32 || type == PTX_F64 ||
           type == PTX_BF16 || type == PTX_BF16X2;
}

/* Whether it is a signed integer. */
static inline bool ptx_type_is_signed(enum ptx_type type)
{
    return type == PTX_S8 || type == PTX_S16 || type == PTX_S32 || type == PTX_S64;
}

#define PTX_ROW_BYTES (SM_LANES * 4)
#define PTX_FIRST_ROW 264 /* below it are the registers of machine code, for trap handlers */
#define PTX_MOST_ROWS 1000000
#define PTX_NO_SLOT UINT32_MAX

enum ptx_header {
    PTX_RETURN_LOW, /* where the caller goes on */
    PTX_RETURN_HIGH,
    PTX_CALLER, /* its row */
    PTX_ROWS,   /* rows of this frame */
    PTX_CALL,   /* the call's index in the image, for its results */
    /* in the first frame, for barrier.cluster: the lanes that have arrived in the phase that goes
     * on, and those that have arrived and not waited since */
    PTX_CLUSTER_DUE,
    PTX_CLUSTER_CAME,
};
#define PTX_LOCAL_ROW 1
#define PTX_STACK_ROW 2
#define PTX_PARAMETER_ROW 3

/* Of instructions of textures: the shape (`how`); `combine` is an enum sm_surface_outside. */
enum ptx_shape { PTX_1D, PTX_2D, PTX_3D, PTX_A1D, PTX_A2D, PTX_SHAPES };

enum ptx_wait {
    PTX_RUNS,
    PTX_WAITS_BARRIER, /* + number */
    PTX_WAITS_CLUSTER = PTX_WAITS_BARRIER + SM_BARRIERS,
    PTX_WAITS_SYNC = 0x100, /* for the other lanes of a .sync */
    PTX_GOES_ON = 0x200,    /* the path that runs waits no longer for them */
};

/* A source: constant rows, or (NULL) a place in the frame. */
struct ptx_source {
    const void *constant;
    uint32_t slot;     /* bytes */
    bool negated;      /* a predicate is inverted */
    uint16_t variable; /* whose address it is, of the image's origins, plus 1; 0: nobody says */
};

/* Dwords that a call copies. */
struct ptx_move {
    struct ptx_source from; /* the argument's place */
    uint32_t to;            /* bytes into the callee's frame; of a result into the caller's */
    uint32_t dwords;
    bool wide; /* from a register of 64 bits: qwords */
};

struct ptx_call {
    struct ptx_move *argument;
    uint32_t argument_count;
    uint32_t result_slot; /* bytes: the callee's first result */
    uint32_t *result;     /* slots in the caller's frame, one for each dword; NO_SLOT: sink */
    uint32_t result_count;
    uint32_t rows; /* dwords of results and arguments: those that the callee must have */
};

struct ptx_op {
    sm_op run;
    uint32_t d, d2; /* slots */
    struct ptx_source s[4];
    uint32_t guard; /* slot; NO_SLOT: none */
    bool guard_negated;
    bool begins; /* the first of its function */
    bool ftz, sat, is_signed, flag;
    uint8_t type, from_type, round, how, size, count, combine, space;
    uint32_t index; /* index of the target record, the call, the function, the targets; number + 1
                       of a barrier that is known, of all threads */
    int64_t offset; /* the address's constant */
    uint32_t vector[4]; /* slots of a vector's elements */
    const void *vector_constant[4];
    uint8_t element; /* bytes of a register of the vector */
    uint8_t order;   /* enum wt_observed_order, for accesses and fences */
    uint8_t scope;
    struct ptx_name text;
    struct ptx_place place;
    uint32_t module, file, line, column;
    const struct ptx_origin
        *origin;    /* the variable that an access goes to, for a judge; NULL: not known */
    uint32_t array; /* slot, plus 1, of the address from which an access counts elements; 0: nobody
                       says */
};

/* Kinds of address that ptx_op_address computes (`how`). */
enum ptx_address { PTX_LOCAL_ADDRESS, PTX_SHARED_ADDRESS, PTX_PARAMETER_ADDRESS };

struct ptx_function_info {
    struct ptx_name name;
    uint32_t entry, end; /* records */
    uint32_t rows, local, parameter_rows;
    uint32_t builtin; /* enum ptx_builtin */
};

/* A register of a function, or a range of them; its places in the frame are its own. */
struct ptx_register {
    struct ptx_name name;  /* without characters: a place for intermediate results */
    uint32_t function;     /* index of its ptx_function_info */
    uint32_t slot, range;  /* range 0: it is one */
    uint8_t bytes, vector; /* 0 bytes: a predicate */
    bool is_float;
};

enum ptx_builtin {
    PTX_NO_BUILTIN,
    PTX_UNRESOLVED,
    PTX_VPRINTF,
    PTX_MALLOC,
    PTX_FREE,
    PTX_ASSERTFAIL,
    PTX_PURE_VIRTUAL
};

/* A variable from which addresses come (sm/ptx/know/origin.c), which has a name for judges after
 * sm_ptx_find_origins(). */
struct ptx_origin {
    struct ptx_name name;
    enum ptx_space space;
    struct wt_judged_variable variable; /* a kernel's parameters are counted from the bank's first
                                           byte; in local memory: from the frame's */
};

struct sm_ptx {
    uint64_t code, data;
    struct ptx_origin *origin;
    size_t origin_count, origin_room;
    struct ptx_op *op;
    size_t op_count, op_room;
    uint8_t *words; /* the code's */
    size_t word_bytes;
    uint8_t *bytes; /* the variables': constants, then the others */
    size_t byte_count, constant_bytes;
    struct ptx_call *call;
    size_t call_count, call_room;
    struct ptx_function_info *function;
    size_t function_count, function_room;
    struct ptx_register *reg; /* by function, in the order of declaration */
    size_t reg_count, reg_room;
    uint32_t *target; /* a brx.idx has a count, then records */
    size_t target_count, target_room;
    void **row; /* constant rows */
    size_t row_count, row_room;
    struct sm_ptx_kernel *kernel;
    size_t kernel_count;
    struct sm_ptx_symbol *symbol;
    size_t symbol_count, symbol_room;
    /* a use of a variable, a function that there is not; NULL: there is none */
    char *undefined, *undefined_function;
    struct sm_ptx_placed *placed;
    size_t placed_count, placed_room;
    struct sm_ptx_variable *variable;
    size_t variable_count, variable_room;
    bool clusters;   /* it has barrier.cluster */
    uint32_t *order; /* records among paths (sm/ptx/lower/order.c); NULL: as they stand */
    uint32_t *place; /* then: of every 8 bytes of code, in bytes */
    uint32_t places;
};

/* Address of a record: three of a bundle, behind its control word. */
static inline uint64_t ptx_pc(const struct sm_ptx *image, uint32_t index)
{
    return image->code + index / 3 * (uint64_t)SM_BUNDLE + 8 + index % 3 * 8;
}

/* The word in memory of a record (object/ptx_word.h); sm/ptx/know/text.c. */
uint64_t ptx_word(const struct sm_ptx *image, uint32_t index);

/* The record at pc; false: there is none. */
static inline bool ptx_index(const struct sm_ptx *image, uint64_t pc, uint32_t *index)
{
    const uint64_t offset = pc - image->code;
    if (pc < image->code || pc % 8 || offset % SM_BUNDLE == 0)
        return false;
    const uint64_t n = offset / SM_BUNDLE * 3 + offset % SM_BUNDLE / 8 - 1;
    *index = (uint32_t)n;
    return n < image->op_count;
}

/* ---- sm/ptx/know/text.c: what people see ---- */

/* The image that has an instruction at pc, and its record; NULL: there is none. */
const struct sm_ptx *ptx_image_at(const struct sm_device *d, uint64_t pc, uint32_t *index);
/* Fills the slot of an instruction at pc that is a record of PTX; false: it is none. */
bool ptx_decode(struct sm_device *d, uint64_t pc, struct sm_uop *slot);
/* The text of a record on one line. */
void ptx_record_text(const struct sm_ptx *image, uint32_t index, char *text, size_t size);
/* Register n of those of a record's function; false behind the last one. */
bool ptx_register_at(const struct sm_ptx *image, uint32_t index, size_t n,
                     struct sm_ptx_register *row);

/* ---- execution: for the executors ---- */

/* The frame of the function that the warp executes: rows of registers. */
static inline uint8_t *ptx_frame(const struct sm_warp *w)
{
    return (uint8_t *)(w->r + w->base);
}

/* A frame's first row, which has what its caller needs again. */
static inline uint32_t *ptx_header(const struct sm_warp *w, uint32_t base)
{
    return w->r[base];
}

/* Where a lane has a variable. Of one in local memory lanes that are together have it at one place.
 */
static inline uint64_t ptx_origin_at(const struct sm_warp *w, const struct ptx_origin *o,
                                     unsigned lane)
{
    return o->variable.first + (o->space == PTX_SPACE_PARAM   ? w->device->grid.launch.bank[0]
                                : o->space == PTX_SPACE_LOCAL ? w->r[w->base + PTX_LOCAL_ROW][lane]
                                                              : 0);
}

/* Where the frames of lanes, 1 or more, end in local memory: the first one's end, or the last
 * one's.
 */
static inline uint32_t ptx_stack_end(const struct sm_warp *w, uint32_t lanes, bool last)
{
    const uint32_t *stack = w->r[w->base + PTX_STACK_ROW];
    uint32_t end = stack[__builtin_ctz(lanes)];
    for (uint32_t left = lanes; left; left &= left - 1) {
        const uint32_t one = stack[__builtin_ctz(left)];
        end = (last ? one > end : one < end) ? one : end;
    }
    return end;
}

/* The row of a source. */
static inline const void *ptx_in(const uint8_t *frame, const struct ptx_source *s)
{
    return s->constant ? s->constant : frame + s->slot;
}

/* The lanes for which a source, a predicate, holds. */
static inline uint32_t ptx_mask(const uint8_t *frame, const struct ptx_source *s)
{
    const uint32_t mask = *(const uint32_t *)ptx_in(frame, s);
    return s->negated ? ~mask : mask;
}

/* Lanes that execute it. */
static inline uint32_t ptx_lanes(const struct sm_warp *w, const struct ptx_op *o)
{
    if (o->guard == PTX_NO_SLOT)
        return w->mask;
    const uint32_t mask = *(const uint32_t *)(ptx_frame(w) + o->guard);
    return w->mask & (o->guard_negated ? ~mask : mask);
}

/* Sets a predicate under the lanes in exec. */
static inline void ptx_set_mask(uint8_t *frame, uint32_t slot, uint32_t mask, uint32_t exec)
{
    uint32_t *to = (uint32_t *)(frame + slot);
    *to = (*to & ~exec) | (mask & exec);
}

/* The value of a register of `size` bytes in a lane. */
static inline uint64_t ptx_get(const void *row, unsigned size, unsigned lane)
{
    return size == 8 ? ((const uint64_t *)row)[lane] : ((const uint32_t *)row)[lane];
}

/* Sets it. */
static inline void ptx_put(void *row, unsigned size, unsigned lane, uint64_t value)
{
    if (size == 8)
        ((uint64_t *)row)[lane] = value;
    else
        ((uint32_t *)row)[lane] = (uint32_t)value;
}

/* for each lane i of a set */
#define PTX_LEFT(i, lanes_)                                                                        \
    for (uint32_t left_##i = (lanes_), i = left_##i ? (uint32_t)__builtin_ctz(left_##i) : 0;       \
         left_##i; left_##i &= left_##i - 1, i = left_##i ? (uint32_t)__builtin_ctz(left_##i) : 0)

/* Gives all lanes of a set one value of 4 or 8 bytes. */
static inline void ptx_fill(void *row, unsigned size, uint32_t lanes, uint64_t value)
{
    if (lanes != UINT32_MAX) {
        PTX_LEFT(i, lanes)
        ptx_put(row, size, i, value);
    } else if (size == 8) {
        for (unsigned i = 0; i < SM_LANES; i++)
            ((uint64_t *)row)[i] = value;
    } else {
        for (unsigned i = 0; i < SM_LANES; i++)
            ((uint32_t *)row)[i] = (uint32_t)value;
    }
}

/* Copies the dwords of a set of lanes. */
static inline void ptx_copy_row(void *to, const void *from, uint32_t lanes)
{
    if (lanes == UINT32_MAX)
        memcpy(to, from, PTX_ROW_BYTES);
    else
        PTX_LEFT(i, lanes)
    ((uint32_t *)to)[i] = ((const uint32_t *)from)[i];
}

/* Puts the qwords of a set of lanes into two rows of dwords, the lower ones first. */
static inline void ptx_split_row(uint32_t *restrict low, const uint64_t *restrict from,
                                 uint32_t lanes)
{
    uint32_t *high = low + SM_LANES;
    if (lanes == UINT32_MAX) {
        for (unsigned i = 0; i < SM_LANES; i++)
            low[i] = (uint32_t)from[i];
        for (unsigned i = 0; i < SM_LANES; i++)
            high[i] = (uint32_t)(from[i] >> 32);
        return;
    }
    PTX_LEFT(i, lanes)
    {
        low[i] = (uint32_t)from[i];
        high[i] = (uint32_t)(from[i] >> 32);
    }
}

/* The other way. */
static inline void ptx_join_row(uint64_t *restrict to, const uint32_t *restrict low, uint32_t lanes)
{
    if (lanes == UINT32_MAX)
        for (unsigned i = 0; i < SM_LANES; i++)
            to[i] = low[i] | (uint64_t)low[SM_LANES + i] << 32;
    else
        PTX_LEFT(i, lanes)
    to[i] = low[i] | (uint64_t)low[SM_LANES + i] << 32;
}

/* ---- choice of executors: sm/ptx/exec/int.c, sm/ptx/exec/float.c, sm/ptx/exec/cvt.c ---- */

enum ptx_math {
#define M(name, integers, floats) PTX_OP_##name,
#include "emulator/sm/ptx/math.def"
#undef M
    PTX_MATHS
};

/* Executors of integers and bits by type; NULL where there is none. */
sm_op ptx_integer(enum ptx_math op, enum ptx_type type);
/* The other way; false: it is no such executor. */
bool ptx_integer_of(sm_op run, enum ptx_math *op, enum ptx_type *type);
/* Of floating point; `plain`: the host's arithmetic does (no rounding, flushing, saturation). */
sm_op ptx_float(enum ptx_math op, enum ptx_type type, bool plain);
/* The result of one lane of add, min or max, to the nearest; `ftz`: singles are flushed. */
uint64_t ptx_float_of_lane(enum ptx_math op, enum ptx_type type, bool ftz, uint64_t a, uint64_t b);
/* setp of the type. */
sm_op ptx_set_predicate(enum ptx_type type);
/* cvt of the record. */
sm_op ptx_convert(const struct ptx_op *o);
/** The bits of a double, rounded to bfloat16: WT_RNE or WT_RTZ. */
uint16_t ptx_bfloat(uint64_t wide, unsigned round);
/* setp of f32 with .ftz. */
sm_op ptx_set_predicate_flushing(void);
/* Whether an executor has a carry: in where how & 1, out where flag. */
bool ptx_is_carrying(sm_op run);
/* selp of the type. */
sm_op ptx_select(enum ptx_type type);
/* slct of the type. */
sm_op ptx_choose(enum ptx_type type);

#define PTX_EXECUTOR(name) const struct sm_uop *name(struct sm_warp *w, const struct sm_uop *u)
PTX_EXECUTOR(ptx_op_nop);
PTX_EXECUTOR(ptx_op_fence);
PTX_EXECUTOR(ptx_op_special);
PTX_EXECUTOR(ptx_op_address);
PTX_EXECUTOR(ptx_op_predicate);
PTX_EXECUTOR(ptx_op_testp);
PTX_EXECUTOR(ptx_op_parts);
PTX_EXECUTOR(ptx_op_scalar_video);
PTX_EXECUTOR(ptx_op_pack);
PTX_EXECUTOR(ptx_op_unpack);
PTX_EXECUTOR(ptx_op_load);
PTX_EXECUTOR(ptx_op_store);
PTX_EXECUTOR(ptx_op_load_parameter);
PTX_EXECUTOR(ptx_op_store_parameter);
PTX_EXECUTOR(ptx_op_load_argument);
PTX_EXECUTOR(ptx_op_atomic);
PTX_EXECUTOR(ptx_op_texture);
PTX_EXECUTOR(ptx_op_surface_load);
PTX_EXECUTOR(ptx_op_surface_store);
PTX_EXECUTOR(ptx_op_copy_async);
PTX_EXECUTOR(ptx_op_bulk_copy);
/* Tells an observer of asynchronous copies of lanes, 0 or more; `number`: observe_copies.h. */
void ptx_tell_copies(const struct sm_warp *w, const struct sm_uop *u,
                     enum wt_observed_event_kind kind, uint32_t lanes, uint32_t number);
PTX_EXECUTOR(ptx_op_copy_wait);
PTX_EXECUTOR(ptx_op_texture_query);
PTX_EXECUTOR(ptx_op_space);
PTX_EXECUTOR(ptx_op_alloca);
PTX_EXECUTOR(ptx_op_stack);
PTX_EXECUTOR(ptx_op_bra);
PTX_EXECUTOR(ptx_op_brx);
PTX_EXECUTOR(ptx_op_call);
PTX_EXECUTOR(ptx_op_call_register);
PTX_EXECUTOR(ptx_op_ret);
PTX_EXECUTOR(ptx_op_exit);
PTX_EXECUTOR(ptx_op_trap);
PTX_EXECUTOR(ptx_op_barrier);
PTX_EXECUTOR(ptx_op_barrier_result);
PTX_EXECUTOR(ptx_op_warp_barrier);
PTX_EXECUTOR(ptx_op_shuffle);
PTX_EXECUTOR(ptx_op_vote);
PTX_EXECUTOR(ptx_op_match);
PTX_EXECUTOR(ptx_op_reduce);
PTX_EXECUTOR(ptx_op_active);
PTX_EXECUTOR(ptx_op_elect);
PTX_EXECUTOR(ptx_op_mbarrier);
PTX_EXECUTOR(ptx_op_matrix);
PTX_EXECUTOR(ptx_op_load_matrix);
PTX_EXECUTOR(ptx_op_store_matrix);
PTX_EXECUTOR(ptx_op_load_fragment);
PTX_EXECUTOR(ptx_op_store_fragment);
PTX_EXECUTOR(ptx_op_transpose);
PTX_EXECUTOR(ptx_op_builtin);
PTX_EXECUTOR(ptx_op_join);

/* ---- sm/ptx/exec/paths.c ---- */

/* Whether a path does not wait for anything. */
static inline bool ptx_can_run(const struct sm_entry *e)
{
    return e->kind == SM_ENTRY_PATH && e->wait == PTX_RUNS;
}
/* Whether a path at a runs before one at b. */
bool ptx_before(const struct sm_device *d, uint32_t a_base, uint64_t a_pc, uint32_t b_base,
                uint64_t b_pc);
/* Removes path i of those that do not run. */
void ptx_remove_entry(struct sm_warp *w, uint32_t i);
/* The lanes that execute a .sync of the path that runs, with those that come together there. */
uint32_t ptx_lanes_together(const struct sm_warp *w, const struct ptx_op *o);
/* Adds a path, to the one at the same place if there is one. */
void ptx_put_away(struct sm_warp *w, uint64_t pc, uint32_t mask, uint32_t base, uint32_t wait,
                  uint32_t result);
/* Entry i becomes the path that runs; it stands at w->pc. */
void ptx_take_path(struct sm_warp *w, uint32_t i);
/* The entry that waits so and goes first; false: there is none. */
bool ptx_find_best(const struct sm_warp *w, uint32_t wait, uint32_t *best);
/* The path that ran has gone: another one is chosen. False: there is no path left. */
bool ptx_choose_path(struct sm_warp *w);
/* Rows in use: the newest frame of all paths is the last one. */
uint32_t ptx_rows_in_use(const struct sm_warp *w);

/* ---- sm/ptx/exec/flow.c, sm/ptx/exec/paths.c ---- */

/* Branches backwards after which a path gives way to another one. Below 7.0 lanes that wait where
 * they come together do so until all have come, on hardware for ever: programs rely on it. */
static inline uint32_t ptx_patience(const struct sm_warp *w)
{
    return w->device->config.cc < 70 ? 1 << 16 : 1 << 8;
}

/* How often all lanes of the path that runs may branch backwards to plain targets before a handler
 * must do so. */
static inline uint32_t ptx_plain_branches(const struct sm_warp *w)
{
    if (!w->depth)
        return UINT32_MAX;
    const uint32_t most = ptx_patience(w), spins = w->spins < most ? most - 1 - w->spins : 0;
    return w->hold && w->hold - 1 < spins ? w->hold - 1 : spins;
}

/* Finds the order of an image's records among paths. False without host memory. */
bool ptx_order_paths(struct sm_ptx *image);
/* The place of a record in it, as an address. */
static inline uint64_t ptx_order_of(const struct sm_device *d, uint64_t pc)
{
    for (size_t i = 0; i < d->image_count; i++) {
        const struct sm_ptx *image = d->image[i];
        const uint64_t slot = (pc - image->code) / 8;
        if (slot < image->places)
            return image->code + image->place[slot];
    }
    return pc;
}

/* Whether records of a device have another order than their addresses. */
bool ptx_is_ordered(const struct sm_device *d);

/* Whether a branch of all lanes of the path to pc changes no path. */
bool ptx_is_plain_target(const struct sm_warp *w, uint64_t pc);
/* Such are all targets whose place in the order is below this one; others, too, of a path that no
 * other one may replace. */
uint64_t ptx_plain_end(const struct sm_warp *w);
/* Counts backward branches of those lanes. */
static inline void ptx_took_branches(struct sm_warp *w, uint32_t count)
{
    if (!w->depth)
        return;
    w->spins += count;
    w->hold -= w->hold ? count : 0;
}

/* The lanes of a `.sync` are those of the masks, which may differ from lane to lane: lanes with a
 * member that is to come wait for it. False: the path waits, *next is what to return. */
bool ptx_converge(struct sm_warp *w, const struct sm_uop *u, const uint32_t *members,
                  const struct sm_uop **next);
/* Barriers of threads; true: enough of them had arrived. */
bool ptx_open_barrier(struct sm_device *d, struct sm_cta *c, unsigned number);
/* Lets the warps go on that wait at barrier.cluster, if all live threads have arrived. */
bool ptx_open_cluster(struct sm_device *d, struct sm_cta *c);
/* A path of a warp that waits arrives again when it comes back from the trap handler. */
void ptx_leave_barriers(struct sm_warp *w);
/* Makes room for so many rows; false without host memory. */
bool ptx_make_room(struct sm_warp *w, uint32_t rows);
/* Begins a frame of so many rows, in row @p base: a header of zeros, and registers that nobody has
 * written. */
void ptx_clear_frame(struct sm_warp *w, uint32_t base, uint32_t rows);
/* Before the first instruction. Where nobody sees it before, the warp is bare: its frame comes with
 * its first turn, in rows that another one has just used. */
bool ptx_start_warp(struct sm_warp *w);
/* A bare warp gets rows, … */
void ptx_take_rows(struct sm_warp *w);
/* … and its frame. */
void ptx_begin_warp(struct sm_warp *w);
/* All of them do. */
void ptx_begin_all(struct sm_device *d);

/* ---- sm/ptx/exec/check.c: what a core file says ---- */

/* Whether the frames and paths of a warp, which runs, are as the executors leave them. */
bool ptx_is_sound(struct sm_warp *w);
/* Whether a launch has the rows of the function of PTX that it enters, or none where it enters
 * machine code. */
bool ptx_launch_fits(const struct sm_device *d, const struct sm_launch *l);

/* ---- sm/ptx/know/fresh.c ---- */

/* After a launch, before its warps run: what is known of its kernel. */
void ptx_fresh_choose(struct sm_device *d);
/* Forgets the kernels of an image; NULL: all. */
void ptx_fresh_forget(struct sm_device *d, const struct sm_ptx *image);
/* Whether nobody sees a warp's registers before the run returns, and those that nobody has written
 * are zeros. */
bool ptx_is_unseen(const struct sm_device *d);
/* Clears the rows of a warp, which was bare, that are cleared at first; false: it clears none. */
bool ptx_begin_fresh(struct sm_warp *w);
/* The number of the run of records, plus 1, that an instruction of the kernel is in;
 * WT_ROWS_NO_RUN: one that need not be told; 0: none. */
unsigned ptx_run_at(const struct sm_device *d, uint64_t pc);
/* Whether fresh warps of the kernel keep ways when their lanes part. */
bool ptx_has_ways(const struct sm_device *d);
/* The lanes of a fresh warp that execute come from an instruction to the run of another one. */
void ptx_comes_to(struct sm_warp *w, uint64_t from, uint64_t to);
/* Some of them do, the others come to another run. */
void ptx_parts(struct sm_warp *w, uint64_t from, uint32_t lanes, uint64_t to, uint64_t others_to);
/* Notes runs that lanes of a warp with ways have passed by code, up to an instruction. */
void ptx_came(struct sm_warp *w, const struct sm_uop *u, uint64_t runs);
/* Clears the rows that a fresh warp has not written, which stands at pc. */
void ptx_settle(struct sm_warp *w, uint64_t pc);
/* Clears rows. The C library's function uses an instruction whose start takes longer than this. */
void ptx_clear_rows(uint32_t (*r)[SM_LANES], size_t rows);
/* Clears the rows of a new frame of a function, at @p base, that are cleared at first, for a call
 * by all lanes; false: it clears none. */
bool ptx_begin_frame(struct sm_warp *w, uint32_t base, const struct sm_ptx *image,
                     const struct ptx_function_info *info);
/* Clears the rows of the newest frame of a warp that opens, which stands at pc, that have not been
 * written. */
void ptx_settle_frame(struct sm_warp *w, uint64_t pc);
/* Those of all warps. */
void ptx_settle_all(struct sm_device *d);
/* Adds how many threads wait at barriers. */
void ptx_count_waiting(const struct sm_warp *w, uint64_t waiting[SM_BARRIERS]);

#endif
