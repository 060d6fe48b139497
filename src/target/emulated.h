/*
 * An emulated device of any family with a program in it, as a target of the debugger: the one place
 * where the emulator's side and the debugger's side meet.
 */
#ifndef WT_TARGET_EMULATED_H
#define WT_TARGET_EMULATED_H

#include <stdio.h>

#include "bus/bus.h"
#include "debug/core/target.h"
#include "debug/core/touches.h"
#include "debug/source/modules.h"
#include "emulator/machine/search.h"
#include "runtime/common/value.h"
#include "target/family.h"

/** A file whose bytes are put into memory: "PATH@PLACE". */
struct wt_load_file {
    const char *path;
    size_t path_length; /**< length of the part before the '@' */
    const char *place;  /**< an address as wt_emulated_address takes it */
};
/** Splits "FILE@PLACE" at the last '@'. */
enum wt_status wt_load_file_parse(const char *text, struct wt_load_file *load,
                                  struct wt_error *err);

/** Which kernel of a file runs, and on how much. */
struct wt_kernel_options {
    bool given;       /**< the user has named an option of kernels */
    const char *name; /**< NULL: the only one there is */
    uint32_t grid[3], block[3];
    bool grid_given, block_given;
    uint64_t shared; /**< bytes of a group's memory that the launch of a HIP or CUDA kernel adds */
    const char *handler[2]; /**< files with code of trap handlers */
    size_t handler_count;
};

/** The keys of a configuration with which nothing is translated to machine code of the host. */
#define WT_NO_JIT "jit=0"
#define WT_MEMORY_DEFAULT_MOST ((uint64_t)16 << 30)

/** The user's choices of the device, its memory and its debugger. */
struct wt_emulated_options {
    struct wt_gpu gpu;                  /**< no family: that of the program, with its defaults */
    const struct wt_schedule *schedule; /**< NULL: as the GPU's configuration says */
    const struct wt_fill *fill;         /**< likewise */
    bool no_jit;                        /**< the device translates nothing to code of the host */
    const char **argument;              /**< the program's arguments as people write them */
    size_t argument_count;
    struct wt_kernel_options kernel;
    uint64_t base; /**< where a raw binary goes, when base_given */
    bool base_given;
    struct wt_load_file *load;
    size_t load_count;
    bool debugged;               /**< only a GPU that GDB knows will do */
    bool console_slots;          /**< console lines begin with "#slot: " */
    bool dm_only;                /**< the debugger gets no memory port */
    bool hw_only;                /**< … nor any other service that real hardware lacks */
    enum wt_thread_mode threads; /**< what a debugger's thread is */
    uint64_t memory;             /**< bytes that a program may touch; 0: WT_MEMORY_DEFAULT_MOST, or
                                      three quarters of the host's memory if that is less */
    uint64_t history_memory;     /**< bytes of host memory for the recording; 0: no recording */
};

/** The bytes of a struct wt_load_file, kept for when the program is loaded again. */
struct wt_loaded {
    uint8_t *bytes;
    size_t length;
    uint64_t addr;
};

/** The condition of a watched instruction, as the debugger gave it. */
struct wt_emulated_condition {
    wt_watchpoint_condition *holds; /**< NULL: none */
    void *context;
};

struct wt_emulated {
    const struct wt_emulated_options *options;
    const char *program; /**< NULL: none, memory is empty */
    const struct wt_family *family;
    void *own; /**< the family's */
    struct wt_kernel_launch
        *launch;                /**< the program's launch, a part of `own`; NULL: it is no kernel */
    struct wt_machine *machine; /**< the device */
    bool is_elf;                /**< the program is an ELF file: a debugger can read it */
    struct wt_modules *modules; /**< the program's code, if it is ELF; never NULL while open */
    bool reads_change_state;    /**< reading a register of the debug hardware is an input */
    char notice[512]; /**< what the user should know of the program; "" if there is nothing */
    struct wt_loaded *loaded;
    FILE *console;          /**< where the program's lines go; NULL drops them */
    int console_broken;     /**< a line could not be written: errno of then; else 0 */
    bool fault_reported;    /**< pump has reported the present fault */
    struct wt_watch *watch; /**< the debugger's watches */
    struct wt_emulated_condition *condition; /**< each one's */
    size_t watch_count;
    struct wt_watchpoint_hit *hit;        /**< room for WT_WATCH_HITS, once something was watched */
    struct wt_check_memory *repeated;     /**< what a check has decided in its run; NULL: nothing */
    const struct wt_core_file *core_file; /**< whose state the device began with; NULL: none */
    struct wt_timeline *timeline;         /**< NULL: the run is not recorded */
    struct wt_search search;              /**< the last search of the recorded run */
    struct wt_slice *slice;               /**< the slice that is being made; NULL: none */
    struct wt_watch *query_watch;         /**< its watches */
    struct wt_emulated_condition *query_condition; /**< each one's */
    struct wt_target_services services;
    struct wt_bus *bus;
    uint8_t *answer;              /**< WT_WIRE_MOST bytes, once a probe has asked (local_link.c) */
    struct wt_link link;          /**< `target`'s link, but where the family has another one */
    struct wt_target target;      /**< see wt_emulated_target */
    struct wt_debugger *debugger; /**< NULL until wt_emulated_debug */
};

/**
 * Loads @p program (NULL: none, memory is empty) into a new device, ready to run from its first
 * instruction. The console goes to stdout; the caller may set e->console to another stream. On
 * failure nothing is left to close. @p options must outlive the device, and *e stays where it is
 * in memory.
 */
enum wt_status wt_emulated_open(struct wt_emulated *e, const struct wt_emulated_options *options,
                                const char *program, struct wt_error *err);

/** The device as a debugger's target (e->target) with its services; without a link until
 * wt_emulated_attach. */
const struct wt_target *wt_emulated_target(struct wt_emulated *e);

/** Puts the register bus in front of a device (e->bus). */
enum wt_status wt_emulated_connect(struct wt_emulated *e, struct wt_error *err);

/** The same for a debugger (e->target); its family has a probe. */
enum wt_status wt_emulated_attach(struct wt_emulated *e, struct wt_error *err);

/** The registers of the debug hardware, for a server of them. */
struct wt_bus_device wt_emulated_registers(struct wt_emulated *e);

/**
 * wt_emulated_attach, then a recording (unless history_memory is 0) and a debugger (e->debugger)
 * that has every wave halted before its first instruction. @p output takes what breakpoint commands
 * print; may be NULL. The caller closes it with wt_debugger_close() before it closes the device.
 */
enum wt_status wt_emulated_debug(struct wt_emulated *e,
                                 void (*output)(void *context, const char *text, size_t length),
                                 void *output_context, struct wt_error *err);

/** The part of wt_emulated_open that makes the device, with @p config of its family; NULL: the
 * default one. */
enum wt_status wt_emulated_make(struct wt_emulated *e, const void *config, struct wt_error *err);

/** Frees everything; a device that failed to open may be closed, too. */
void wt_emulated_close(struct wt_emulated *e);

/** Parses an address: a number, a symbol, or symbol+number. */
enum wt_status wt_emulated_address(struct wt_emulated *e, const char *text, uint64_t *addr,
                                   struct wt_error *err);

/**
 * The fault for which a wave stands where it is, with what is at its address; NULL: none. Valid
 * until the machine runs.
 */
const struct wt_fault *wt_emulated_fault(struct wt_emulated *e, uint32_t wave);
/** The registers of its debug hardware; NULL: it has none. */
const struct wt_hw_table *wt_emulated_register_table(const struct wt_emulated *e);
/** The name of the model, or of the family where that has one. */
const char *wt_emulated_model(const struct wt_emulated *e);
/**
 * Describes a loaded address of code: "0x80000010 <main+16> at kernel.c:12". The number is the
 * address that the program's file has.
 */
void wt_emulated_describe(const struct wt_emulated *e, uint64_t pc, char *text, size_t size);
/** Describes where lanes of a wave are now, with the calls that the lowest of them is in. */
void wt_emulated_describe_wave(const struct wt_emulated *e, uint32_t wave, wt_lanes lanes,
                               uint64_t pc, char *text, size_t size);

/** Disassembles the instruction at @p pc for a report; false: it cannot be read, or reports have
 * none. */
bool wt_emulated_instruction(struct wt_emulated *e, uint64_t pc, char *text, size_t size);
/** Argument @p index of the kernel; false if it is no buffer, or there is no kernel. */
bool wt_emulated_buffer(const struct wt_emulated *e, size_t index, struct wt_kernel_buffer *buffer);
/** The coordinates in the grid of the work-item that a lane is now; false: it is none. */
bool wt_emulated_work_item(const struct wt_emulated *e, uint32_t wave, unsigned lane,
                           uint64_t item[3]);

/** The status that the program has ended with; 0 where programs have none. */
static inline uint32_t wt_emulated_exit_word(struct wt_emulated *e)
{
    return e->family->run.exit_word ? e->family->run.exit_word(e) : 0;
}

/** Puts the program and the loaded files into memory, and resets the device. */
enum wt_status wt_emulated_load(struct wt_emulated *e, struct wt_error *err);

/** The last access to a range of memory. */
struct wt_last_touch {
    bool any; /**< there is one; else the rest is not set */
    struct wt_touch touch;
    char place[WT_WAVE_NAME]; /**< the name of its wave */
    bool has_item;
    uint64_t item[3]; /**< the work-item of its last lane, in a grid */
};

/**
 * Searches the recording, which there must be, for the last write to a range, or the last read of
 * it: its kind is WT_WATCHPOINT_WRITE or WT_WATCHPOINT_READ. The device stands where it stood.
 */
enum wt_status wt_emulated_last_touch(struct wt_emulated *e, const struct wt_watchpoint *range,
                                      struct wt_last_touch *last, struct wt_error *err);
/** Counts the instructions of the recording that made such an access. The device stands where it
 *  stood. */
enum wt_status wt_emulated_count_touches(struct wt_emulated *e, const struct wt_watchpoint *range,
                                         uint64_t *count, struct wt_error *err);
/** Instructions that are looked for at most, for a range that several have written. */
#define WT_EMULATED_WRITES 64
/** Lists the instructions of the recording that wrote a range's bytes last, as wt_touch_seeds()
 * does. The device stands where it stood. */
enum wt_status wt_emulated_writers(struct wt_emulated *e, const struct wt_watchpoint *range,
                                   struct wt_slice_seed seed[WT_EMULATED_WRITES], size_t *seeds,
                                   uint64_t *unwritten, struct wt_error *err);
/** The instructions and inputs of which the results of instructions are made (base/slice_view.h);
 * the caller frees *found. The device stands where it stood. */
enum wt_status wt_emulated_slice(struct wt_emulated *e, const struct wt_slice_seed *seed,
                                 size_t seeds, const struct wt_slice_limits *limits,
                                 struct wt_slice_found *found, struct wt_error *err);

/** Whether the file is a program for an emulated device, and not for the host. */
bool wt_emulated_takes(const struct wt_emulated_options *options, const char *program);

#endif
