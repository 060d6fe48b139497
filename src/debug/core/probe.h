/*
 * A probe knows the debug registers of one family of GPU, and turns the debugger's wishes into
 * accesses of them. Each family fills one table of operations. A probe uses the target's link (a
 * register bus, a driver's interface), and services only where the debugger allows them.
 */
#ifndef WT_DEBUG_CORE_PROBE_H
#define WT_DEBUG_CORE_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lanes.h"
#include "debug/core/target.h"
#include "debug/core/wave_set.h"
#include "base/error.h"

enum wt_register_type {
    WT_REG_INT,         /**< an integer of `bits` */
    WT_REG_UINT,        /**< one without a sign, of 32 or 64 bits: a set of lanes, a time */
    WT_REG_CODE_PTR,    /**< an address of code */
    WT_REG_DATA_PTR,    /**< an address of data */
    WT_REG_FLOAT,       /**< binary32 or binary64, by `bits` */
    WT_REG_FLOAT_UNION, /**< 64 bits, seen as a binary32 (low half) or a binary64 */
};

/** The role of a register, as far as a front end has to know. */
enum wt_register_role {
    WT_ROLE_NONE,
    WT_ROLE_PC,        /**< the next instruction */
    WT_ROLE_SP,        /**< the stack */
    WT_ROLE_FP,        /**< the frame */
    WT_ROLE_RA,        /**< where the function returns to */
    WT_ROLE_EXEC_MASK, /**< the lanes enabled */
    WT_ROLE_ARGUMENT,  /**< argument number `argument` of a call */
};

#define WT_REGISTER_BITS 2048 /**< bits of the widest register */

/** A register by GCC's calling convention for AMD GPUs: SP_LOW and SP_HIGH are the halves of the
 * stack pointer, which a function leaves to its caller as it was: that is the CFA. */
enum wt_gcc_use { WT_GCC_PRESERVED, WT_GCC_CLOBBERED, WT_GCC_SP_LOW, WT_GCC_SP_HIGH };

/**
 * One register as a debugger sees it. Its value is bytes, the lowest first. The values of all lanes
 * of a wave are a row: one after the other, without gaps, the lowest lane first; of a register
 * whose scope is not WT_SCOPE_LANE a row is one value.
 */
struct wt_register {
    const char *name;
    const char *alt_name; /**< another name that people use, or NULL */
    const char *set;      /**< its register set: "cpu", "fpu", "csr", "vortex", … */
    enum wt_register_type type;
    enum wt_scope scope;
    enum wt_register_role role;
    unsigned argument; /**< WT_ROLE_ARGUMENT: which one, from 1 */
    unsigned bits;     /**< 1 to WT_REGISTER_BITS */
    unsigned number;   /**< its GDB number, which is stable within the family */
    int dwarf;         /**< its DWARF number; -1: none */
    int dwarf_narrow;  /**< that in code for waves of half as many lanes, if it is another; 0 */
    uint32_t code;     /**< the probe's own name for it */
    bool read_only;
    bool clobbered;         /**< a function need not leave it to its caller as it was */
    enum wt_gcc_use by_gcc; /**< the same in GCC's code, where that has another convention */
    bool unsteady; /**< it changes while its wave is stopped: counters, what other waves change */
};

/** The initializer of a wt_register. Its other members, `dwarf` among them, follow by name. */
#define WT_REGISTER(name_, set_, scope_, type_, bits_, number_, code_, ...)                        \
    {                                                                                              \
        .name = (name_), .set = (set_), .scope = WT_SCOPE_##scope_, .type = WT_REG_##type_,        \
        .bits = (bits_), .number = (number_), .code = (uint32_t)(code_), __VA_ARGS__               \
    }

/** A wave as its probe knows it: who it is, where it is, and what it works on. */
struct wt_wave {
    wt_wave_id id;
    unsigned lanes;            /**< 1 to WT_MAX_LANES */
    unsigned device;           /**< which GPU of the program, from 0; cores are numbered through */
    unsigned core, simd, slot; /**< `slot` counts within its core, all its SIMD units taken
                                    together */
    bool has_work;             /**< the probe knows the next three */
    uint64_t dispatch;         /**< which kernel launch of the program's run it is a part of */
    uint32_t group[3];         /**< its work-group's coordinates */
    uint32_t index;            /**< its own index in the group */
    uint32_t block[3];         /**< with topology->has_grid: work-items of a whole group */
    uint32_t grid[3];          /**< … and of the dispatch */
    bool has_place;            /**< its group has a place of its own in the core: */
    uint32_t place;            /**< … this one, from 0, … */
    uint64_t local;            /**< … with its local memory, an address of space 0, … */
    uint64_t local_size;       /**< … of so many bytes */
    uint64_t arguments;        /**< address of the launch's arguments in space 0; 0: unknown */
    bool has_queue;            /**< the device takes launches from queues: */
    uint32_t queue;            /**< … this one, as its driver numbers them */
};

/** Bytes of a register's value. */
static inline size_t wt_register_size(const struct wt_register *r)
{
    return (r->bits + 7) / 8;
}

/** Bytes of its row for a set of lanes. */
static inline size_t wt_register_row(const struct wt_register *r, wt_lanes lanes)
{
    return wt_register_size(r) * (r->scope == WT_SCOPE_LANE ? wt_lanes_count(lanes) : 1);
}

/** An exception or mistake that the GPU tells by a name of its own. */
struct wt_exception {
    const char *name;
    enum wt_fault_kind kind; /**< a fault of this kind without a name is taken for it */
};

#define WT_MOST_EXCEPTIONS 64 /**< exceptions of a GPU: they are bits of a uint64_t */

/** The device: constant while connected, but for `waves`. */
struct wt_topology {
    const char *family;           /**< "vortex" */
    const char *arch;             /**< the architecture as GNU tools name it: "riscv:rv32" */
    const char *triple;           /**< LLVM's: "riscv32-unknown-unknown-elf" */
    unsigned devices;             /**< GPUs; 0: one */
    const unsigned *device_cores; /**< how many of the cores each has, in order; NULL: one GPU */
    unsigned clusters;
    unsigned cores; /**< in all */
    unsigned waves_per_core;
    uint32_t waves;       /**< handles: 0 .. waves - 1; 1 or more; a scan() may raise it */
    uint32_t most_waves;  /**< `waves` never exceeds it; WT_MAX_WAVES at most; 0: `waves` stays */
    uint32_t fixed_slots; /**< handles below this one are slots, by core and slot */
    bool late_stops; /**< halt() and step() only ask: scan() and step_poll() show when it is done */
    bool one_step;   /**< one step at most is under way: that of another wave is taken back first */
    bool host_launches; /**< kernels are launched from outside: idle, the device waits for work */
    unsigned lanes;     /**< lanes of a wave, at most */
    const struct wt_space *spaces; /**< one or more */
    size_t space_count;
    uint64_t code_spaces;  /**< spaces beside space 0, as a bit set, whose offsets are addresses of
                                space 0, too, of the same memory */
    unsigned address_bits; /**< address bits of space 0: 32 or 64 */
    uint64_t gpu_bits;  /**< each of several GPUs has memory of its own: these bits of an address of
                             space 0, above address_bits, say whose, and those of code always do; 0
                             there: that of the wave's own. 0: all have the same memory */
    bool takes_symbols; /**< code may come without symbols: a file can be named that has them */
    uint32_t frame_space; /**< the space in which functions have their frames */
    unsigned frame_scale; /**< registers of the roles SP and FP count the bytes of so many lanes,
                               which lie interleaved; 0: of one */
    size_t frame_scale_index; /**< index of the register that says so, where waves differ; 0: none
                                 does */
    bool stack_grows_up;
    uint32_t file_space;      /**< space that is the register file, as memory; 0: there is none */
    int file_dwarf;           /**< DWARF number of the register at its offset 0 */
    unsigned file_bytes;      /**< file bytes of each register there */
    uint32_t registers_space; /**< space of the bytes of a wave's register file, in which each lane
                                   has a place of its own; 0: there is none */
    unsigned
        result_registers; /**< registers of the role ARGUMENT in which a function returns a value */
    bool has_grid;        /**< lanes are work-items of a grid, in ascending order within a group */
    bool begins_at_kernel; /**< nothing calls a kernel: it is the outermost function, and frames lie
                                upwards from it, in memory of the wave's own */
    const char *wave_word; /**< the family's word: "warp" */
    const char *lane_word; /**< "thread" */
    const char *lines_need; /**< what source lines take besides -g: " (with …)"; NULL: nothing */
    bool lanes_end;         /**< an instruction may end some lanes of a wave, not all */
    const struct wt_exception *exceptions; /**< WT_MOST_EXCEPTIONS at most */
    size_t exception_count;
    unsigned
        code_granule; /**< instructions begin at multiples of so many bytes, the shortest one */
    unsigned code_longest; /**< bytes of the longest one, where the probe has a common window() */
    const struct wt_register *registers;
    size_t register_count;
    size_t pc_index; /**< pc index of the program counter in `registers` */
};

/** The index of the register with this DWARF number; -1: the device has none, or @p t
 * is NULL. */
static inline int wt_topology_dwarf_index(const struct wt_topology *t, unsigned number)
{
    for (size_t i = 0; t && i < t->register_count; i++)
        if ((t->registers[i].dwarf >= 0 && (unsigned)t->registers[i].dwarf == number) ||
            (number && (unsigned)t->registers[i].dwarf_narrow == number))
            return (int)i;
    return -1;
}

/** Says in which lanes the condition of @p what, a "breakpoint" or "watchpoint", cannot be read. */
void wt_unread_text(const struct wt_topology *topology, const char *what, wt_lanes lanes,
                    char *text, size_t size);

/** The same place as an address of space 0, where that space reaches it. */
static inline struct wt_address wt_address_generic(const struct wt_topology *t,
                                                   struct wt_address address)
{
    const uint64_t aperture = address.space ? t->spaces[address.space].aperture : 0;
    return aperture ? wt_address_of(aperture + address.offset) : address;
}

enum wt_halt_cause {
    WT_HALT_NONE,
    WT_HALT_BREAKPOINT, /**< a breakpoint instruction */
    WT_HALT_REQUEST,
    WT_HALT_STEP,
    WT_HALT_EXCEPTION, /**< the program made a mistake, which the debug hardware has told:
                            exception() says which */
    WT_HALT_WATCH,     /**< it has accessed memory of set_watchpoints(): watched() says which */
    WT_HALT_RESET,
};

/** The device at a glance, in one round trip. */
struct wt_probe_summary {
    bool any_halted;
    bool any_running;
    bool all_unavailable; /**< no wave is active */
};

/** The state of a halted wave that is read at every stop. */
struct wt_probe_view {
    enum wt_halt_cause cause;
    uint64_t pc;   /**< its next instruction */
    wt_lanes mask; /**< lanes enabled */
};

/** The outcome of a step. */
struct wt_probe_step {
    bool done;   /**< the instruction has issued, and the wave is halted again */
    bool active; /**< the wave still has lanes to run (done only) */
    enum wt_halt_cause cause;
    uint64_t pc; /**< its next instruction (done only) */
};

/** The mistake that a wave has halted for. */
struct wt_probe_exception {
    struct wt_fault fault; /**< as far as the hardware tells: the lanes that may have made it; pc:
                                of the instruction, at which the wave may not be any more */
    uint64_t raised;       /**< bits: which of topology->exceptions; 0: fault.kind says all */
};

#define WT_WINDOW_BYTES 32

/** Bytes of code around an instruction. */
struct wt_window {
    uint64_t addr;
    size_t size;  /**< 1 to WT_WINDOW_BYTES */
    size_t least; /**< fewer than that will do where no more can be read (1 to size) */
    uint8_t bytes[WT_WINDOW_BYTES];
};

/** The kinds of instructions that stepping tells apart. */
enum wt_instruction_kind {
    WT_INSTRUCTION_PLAIN,
    WT_INSTRUCTION_CALL,
    WT_INSTRUCTION_RETURN,
    WT_INSTRUCTION_BRANCH,  /**< any other change of the pc, conditional or not */
    WT_INSTRUCTION_BARRIER, /**< it may wait for other waves */
    WT_INSTRUCTION_TRAP,    /**< a breakpoint */
    WT_INSTRUCTION_END,     /**< it ends the wave */
};

struct wt_instruction {
    unsigned length; /**< bytes */
    enum wt_instruction_kind kind;
    bool in_place; /**< WT_INSTRUCTION_TRAP: a bit makes it one, and a step past it executes it */
    int written;   /**< index of the register that it writes for each lane; -1: none */
    /** 1 + index of the wave's register that has a bit for each lane: whether the lane does it; 0:
     * all lanes do. */
    unsigned guard;
    bool guard_inverted; /**< the lanes whose bit is 0 do it */
};

#define WT_NO_START UINT64_MAX

/** A function of which a wave is to be followed to its caller. */
struct wt_callee {
    wt_wave_id wave; /**< whose function it is */
    unsigned lane;   /**< … where this lane is */
    uint64_t start;  /**< its first instruction; WT_NO_START: not known, nothing names it */
    uint64_t pc;     /**< where it goes on */
    void *context;   /**< context of the next two */
    /** A register as this function has it, of one lane; false if that is unknown. */
    bool (*read_register)(void *context, unsigned index, unsigned lane, uint64_t *value);
    /** The first bytes of a wave's register as this function has it; likewise. */
    bool (*read_bytes)(void *context, unsigned index, void *out, size_t size);
    /** Code, without the debugger's breakpoints. */
    bool (*read_code)(void *context, uint64_t addr, void *out, size_t size);
};

/** A register as the caller of a function has it. */
struct wt_caller_register {
    unsigned index; /**< in topology->registers */
    bool in_memory; /**< each lane's value is at `addr`, as that lane sees it; else it is `value` */
    uint64_t value;
    struct wt_address addr;
};

#define WT_CALLER_REGISTERS 128

/** The state of a function's caller, by the function's code. */
struct wt_caller {
    uint64_t cfa; /**< the stack pointer at the call: it names the function's frame */
    uint64_t pc;  /**< where the function returns to */
    unsigned register_count;
    /** Those that are not as the function has them. */
    struct wt_caller_register reg[WT_CALLER_REGISTERS];
    /** Registers that the function may change for its caller (`clobbered`), and does not: a bit for
     * each DWARF number from `untouched_first` on. */
    unsigned untouched_first;
    uint64_t untouched[4];
};

/** The variables declared at a line. */
enum wt_kept_line {
    WT_KEPT_LINE_OF_NONE,
    WT_KEPT_LINE_OF_IT,      /**< the variable */
    WT_KEPT_LINE_OF_ANOTHER, /**< one that the debug information has in the same place */
};

/**
 * A variable's address that lanes keep in the register file, 8 bytes for each lane, one after the
 * other, its value there, or the base of a function's frame. Code re-uses such registers.
 */
struct wt_kept_address {
    uint64_t start, end; /**< the function */
    uint64_t pc;         /**< in it: where the wave goes on */
    int reg;             /**< index of the register that has a frame's base; -1: no frame's */
    unsigned from;       /**< -1: place of the first lane's, in bytes of the file */
    unsigned first;      /**< … which is this lane */
    unsigned size;       /**< bytes of a value, not of an address; 0: it is an address */
    uint64_t spilled;    /**< not 0: an address in the wave's scratch memory, in place of `from` */
    unsigned stride;     /**< stride of a value: from lane to lane; 0: one for all lanes */
    bool is_base;        /**< the value is the address that the function's frame is counted from */
    /** Of an address: `from` is the place of the 16 lanes before `first`; the probe finds theirs.
     */
    bool is_other_half;
    /** Of an address: the line declares so many variables in this place; it is this one of them. */
    unsigned alike, index;
    uint64_t bytes; /**< bytes of an address: the variable's size; 0: not known */
    /** Of a value: the debug information names the registers for these instructions. */
    uint64_t named, named_end;
    bool is_argument; /**< the function gets the value at its beginning */
    void *context;    /**< context of the next two */
    /** Whose line an instruction belongs to. */
    enum wt_kept_line (*line)(void *context, uint64_t pc);
    /** Code, without the debugger's breakpoints. */
    bool (*read_code)(void *context, uint64_t addr, void *out, size_t size);
};

enum wt_kept_state {
    WT_KEPT_IN_PLACE, /**< it is in the register */
    WT_KEPT_COMPUTED, /**< it is a sum of what other registers have */
    WT_KEPT_NOT_YET,  /**< the code has not computed it yet */
    WT_KEPT_GONE,     /**< no register has it any longer, or the code does not show it */
};

/** A register (`reg` not -1), or an integer in the register file: that of lane `first` + i is i *
 * `stride` bytes behind the first lane's. One of 4 bytes has a sign. */
struct wt_kept_term {
    int reg;
    unsigned from, size, stride;
};

/** Where the address or the value is at the asked instruction, whichever wave comes there. */
struct wt_kept_answer {
    enum wt_kept_state state;
    unsigned count; /**< COMPUTED: the sum of these, … */
    struct wt_kept_term term[2];
    int64_t plus, stride; /**< … of `plus`, and of i * `stride` for lane `first` + i */
};

/**
 * The CFA at an instruction where a function's call frame information has none: (`high` << 32 |
 * the low 32 bits of `low` + `low_plus`) + `plus`.
 */
struct wt_cfa_answer {
    bool is_given;    /**< false: the call frame information is right there */
    uint64_t row;     /**< the instruction whose row tells where registers are saved */
    int low, high;    /**< indices of the registers */
    int64_t low_plus; /**< one of them has been changed, the other has not yet */
    int64_t plus;
};

/** Events beside those of waves, which scan() shows. */
enum wt_probe_event_kind {
    WT_PROBE_NOTHING,
    WT_PROBE_MODULES_CHANGED, /**< code was loaded or unloaded */
    WT_PROBE_ENDED,           /**< the program has ended, with `status` */
    /* Told by the debugger, which finds them by scan(): */
    WT_PROBE_DISPATCH_BEGAN, /**< a dispatch has waves: `dispatch` */
    WT_PROBE_DISPATCH_ENDED, /**< it has none any more */
    /* … and to clients that want it (wt_debugger_tell_waves()): */
    WT_PROBE_GROUP_BEGAN, /**< a group has waves: `group` of `dispatch`, `wave` is one of them */
    WT_PROBE_GROUP_ENDED, /**< it has none any more; `wave` was the last */
    WT_PROBE_WAVE_BEGAN,  /**< a wave is active: `wave`, with `dispatch` and `group` */
    WT_PROBE_WAVE_ENDED,  /**< it is so no longer */
};

struct wt_probe_event {
    enum wt_probe_event_kind kind;
    uint64_t dispatch; /**< its id: wt_debugger_dispatch(); 0: of a wave without work */
    uint32_t group[3];
    wt_wave_id wave;
    uint32_t status;
    char text[224]; /**< for people; "" if there is nothing to say */
};

struct wt_probe;

struct wt_probe_ops {
    const char *family;
    const struct wt_standstill_kind *standstill; /**< standstill of a probe over debug/standstill */

    /**
     * Wakes the debug hardware, reads what the device is, arms breakpoint halts. Leaves running
     * waves running. On success *probe is to be closed with close().
     */
    enum wt_status (*open)(const struct wt_probe_ops *ops, const struct wt_target *target,
                           bool use_memory_port, struct wt_probe **probe, struct wt_error *err);
    void (*close)(struct wt_probe *probe);
    /**
     * After the device did not answer for a while: makes sure that it is the same one, wakes its
     * debug hardware if it was reset meanwhile (*was_reset: then no wave is one of those from
     * before), and forgets what may have changed. May be NULL.
     */
    enum wt_status (*reattach)(struct wt_probe *probe, bool *was_reset, struct wt_error *err);
    /** Makes a new connection to the device. NULL: the link needs none. */
    enum wt_status (*reconnect)(struct wt_probe *probe, struct wt_error *err);
    /** Lets a program begin that waits for its debugger. NULL: none does. */
    enum wt_status (*start)(struct wt_probe *probe, struct wt_error *err);
    const struct wt_topology *(*topology)(struct wt_probe *probe);

    enum wt_status (*summary)(struct wt_probe *probe, struct wt_probe_summary *summary,
                              struct wt_error *err);
    /**
     * Which waves are active, and which are halted, right now: fills in the words of both sets for
     * all of topology->most_waves. If the device has more waves than the table has rows, it raises
     * topology->waves first.
     */
    enum wt_status (*scan)(struct wt_probe *probe, struct wt_wave_set *active,
                           struct wt_wave_set *halted, struct wt_error *err);
    /**
     * The wave that a handle is bound to, as of the last scan or step: WT_NO_WAVE if it was never
     * bound. A wave that has ended stays bound until another one takes its place. A wave keeps its
     * handle as long as it lives.
     */
    wt_wave_id (*wave_id)(struct wt_probe *probe, wt_wave_handle wave);
    /** Describes the wave that a handle is bound to; it must be bound. */
    void (*describe_wave)(struct wt_probe *probe, wt_wave_handle handle, struct wt_wave *wave);
    /**
     * Takes the next event, as of the last scan; WT_PROBE_NOTHING if there is none. That no wave is
     * active is an ordinary state: the probe alone knows whether it is the end of the program.
     */
    enum wt_status (*next_event)(struct wt_probe *probe, struct wt_probe_event *event,
                                 struct wt_error *err);
    /**
     * From the first operation on that brings all waves to a standstill, they stay there until
     * keep_still() is called as often without @p keep: what is resumed meanwhile goes then. step()
     * moves its wave, and that alone. NULL: operations bring only those waves to a halt that they
     * name.
     */
    enum wt_status (*keep_still)(struct wt_probe *probe, bool keep, struct wt_error *err);
    /**
     * Clients have been told of WT_PROBE_MODULES_CHANGED by the last next_event() of that kind, and
     * their breakpoints are in memory: launches that wait for that go on. NULL: none does.
     */
    enum wt_status (*modules_known)(struct wt_probe *probe, struct wt_error *err);
    /**
     * Says what becomes of waves that begin from now on: they are held before their first
     * instruction, or run. It takes effect with the next halt() or resume(), which may have an
     * empty set.
     */
    void (*hold_launches)(struct wt_probe *probe, bool hold);
    /**
     * Halts waves. It comes back when all that are active and in the set have halted; with
     * topology->late_stops, at once. The set may name handles up to topology->most_waves.
     */
    enum wt_status (*halt)(struct wt_probe *probe, const struct wt_wave_set *waves,
                           struct wt_error *err);
    /** Lets halted waves run. */
    enum wt_status (*resume)(struct wt_probe *probe, const struct wt_wave_set *waves,
                             struct wt_error *err);
    /**
     * Asks one halted wave to issue one instruction and halt again, and looks at it once. A wave
     * that waits may not issue for long: then step->done is false, and step_poll() tells later.
     * With topology->one_step at most one is under way. halt() of the wave takes it back.
     */
    enum wt_status (*step)(struct wt_probe *probe, uint32_t wave, struct wt_probe_step *step,
                           struct wt_error *err);
    enum wt_status (*step_poll)(struct wt_probe *probe, uint32_t wave, struct wt_probe_step *step,
                                struct wt_error *err);
    /** Why a halted wave halted, and its next instruction. */
    enum wt_status (*halt_cause)(struct wt_probe *probe, uint32_t wave, enum wt_halt_cause *cause,
                                 uint64_t *pc, struct wt_error *err);
    /** Reads the exception that a wave has halted for with WT_HALT_EXCEPTION. NULL: there is no
     * such cause. */
    enum wt_status (*exception)(struct wt_probe *probe, uint32_t wave,
                                struct wt_probe_exception *exception, struct wt_error *err);
    /**
     * Whether the breakpoint instruction of its own at which a wave has halted means that the
     * program gives up; then `text` says what it is. NULL: it never does.
     */
    bool (*gives_up)(struct wt_probe *probe, uint32_t wave, char *text, size_t size);
    /**
     * Replaces the list of ranges that debug hardware watches, where the target has no service for
     * that; count 0: none. WT_UNSUPPORTED says what it cannot. NULL: there is no such hardware.
     */
    enum wt_status (*set_watchpoints)(struct wt_probe *probe, const struct wt_watchpoint *list,
                                      size_t count, struct wt_error *err);
    /** Takes an access that a wave has halted for with WT_HALT_WATCH; *any: there was one. Its
     * values stay valid until the next call. NULL where set_watchpoints is. */
    enum wt_status (*watched)(struct wt_probe *probe, uint32_t wave, struct wt_watchpoint_hit *hit,
                              bool *any, struct wt_error *err);
    /** Of the waves that have halted with WT_HALT_WATCH, the one whose access was the first;
     * WT_NO_HANDLE: it is not known. NULL: it never is. */
    uint32_t (*first_watched)(struct wt_probe *probe);
    /** Lanes enabled in a halted wave. */
    enum wt_status (*mask)(struct wt_probe *probe, uint32_t wave, wt_lanes *mask,
                           struct wt_error *err);
    /** halt_cause and mask of many halted waves, in few round trips. May be NULL. */
    enum wt_status (*survey)(struct wt_probe *probe, const uint32_t *waves, size_t count,
                             struct wt_probe_view *views, struct wt_error *err);
    /**
     * Resets the program's side of the device, every wave halted before its first instruction.
     * NULL: the device cannot be reset.
     */
    enum wt_status (*reset_halted)(struct wt_probe *probe, struct wt_error *err);

    /**
     * Reads the rows of @p count registers of a halted wave, given by their indices in
     * topology->registers, for @p lanes (one or more), in as few round trips as it can. The rows
     * lie in @p out one after the other, without gaps. WT_UNSUPPORTED: the device lacks one.
     */
    enum wt_status (*read_rows)(struct wt_probe *probe, uint32_t wave, wt_lanes lanes,
                                const unsigned *index, size_t count, uint8_t *out,
                                struct wt_error *err);
    /** Writes the row of one register of a halted wave, for @p lanes. */
    enum wt_status (*write_row)(struct wt_probe *probe, uint32_t wave, wt_lanes lanes,
                                unsigned index, const uint8_t *row, struct wt_error *err);

    /**
     * Where a function returns to and what its caller's registers are, by its instructions, for
     * code without call frame information. NULL: nothing is known of that.
     */
    enum wt_status (*find_caller)(struct wt_probe *probe, const struct wt_callee *callee,
                                  struct wt_caller *caller, struct wt_error *err);

    /**
     * Where a variable's address or a frame's base is that the debug information has in a register,
     * by the function's instructions. NULL: registers have what the debug information says.
     */
    enum wt_status (*find_kept)(struct wt_probe *probe, const struct wt_kept_address *asked,
                                struct wt_kept_answer *answer, struct wt_error *err);

    /**
     * The CFA where GCC's call frame information has none, by the function's instructions: of
     * @p asked, start, end, pc and read_code() are given. NULL: it has one everywhere.
     */
    void (*find_cfa)(struct wt_probe *probe, const struct wt_kept_address *asked,
                     struct wt_cfa_answer *answer);

    /**
     * Where memory that a lane of a halted wave sees at @p addr lies in space 0, whoever looks:
     * *home, and *part bytes (1 to size) of it in one piece. NULL: it lies at that address.
     */
    enum wt_status (*find_home)(struct wt_probe *probe, wt_wave_handle wave, unsigned lane,
                                struct wt_address addr, uint64_t size, struct wt_address *home,
                                uint64_t *part, struct wt_error *err);

    /** Memory as a lane of a halted wave sees it. All or nothing when reading. */
    enum wt_status (*read_memory)(struct wt_probe *probe, uint32_t wave, unsigned lane,
                                  struct wt_address addr, void *out, size_t size,
                                  struct wt_error *err);
    enum wt_status (*write_memory)(struct wt_probe *probe, uint32_t wave, unsigned lane,
                                   struct wt_address addr, const void *bytes, size_t size,
                                   struct wt_error *err);

    /** The device was put into another state behind the probe's back: what is remembered is void.
     */
    void (*replaced)(struct wt_probe *probe);

    /**
     * Which bytes patch() and decode() want to see of the instruction at @p addr: fills in all but
     * the bytes themselves. WT_INVALID: no instruction can begin there.
     */
    enum wt_status (*window)(struct wt_probe *probe, uint64_t addr, struct wt_window *window,
                             struct wt_error *err);
    /**
     * The patch that makes the instruction at @p addr a breakpoint; it lies in the window. Over an
     * instruction that is a breakpoint already it changes nothing.
     */
    void (*patch)(struct wt_probe *probe, uint64_t addr, const struct wt_window *window,
                  struct wt_patch *patch);
    /** Decodes the instruction at @p addr. */
    void (*decode)(struct wt_probe *probe, uint64_t addr, const struct wt_window *window,
                   struct wt_instruction *instruction);
};

/** The type of one of its operations, to declare a function that is one. */
#define WT_PROBE_FN(operation) __typeof__(*((struct wt_probe_ops *)0)->operation)

#endif
