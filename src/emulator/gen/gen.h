/*
 * An emulated Intel Gen9 GPU: subslices of eight execution units (EUs), each of which runs seven
 * threads of up to 32 channels. This header is all that the world outside emulator/gen needs.
 */
#ifndef WT_EMULATOR_GEN_GEN_H
#define WT_EMULATOR_GEN_GEN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/hw_registers.h"
#include "emulator/machine/config.h"
#include "emulator/machine/near.h"
#include "emulator/machine/schedule.h"
#include "base/error.h"

/** Initializes a struct wt_profile_shape with the units of its memory. */
#define GEN_PROFILE                                                                                \
    {                                                                                              \
        .line = 64, .banks = 16, .together = 16                                                    \
    }

struct gen_device;
struct wt_archive;
struct wt_machine;
struct wt_rows_totals;

/** A device's configuration: the keys behind "gen9:". */
struct gen_config {
    WT_CONFIG_HEAD;
    unsigned subslices; /**< 1..9: three slices of three are the most that Gen9 has */
    /** The effect of a message outside its surface. True: as in hardware, a read gives 0 and a
     * write has no effect. False: it is a stray access. */
    bool hardware_bounds;
    unsigned jit; /**< visits of an instruction after which it is translated; 0: never */
};

/** 3 subslices (GT2: 24 EUs, 168 threads), round robin, stray accesses are reported. */
void gen_config_default(void *config);
/** The keys of a struct gen_config, behind "gen9:" in --gpu. */
extern const struct wt_config gen_config_table;

/** A new device; no memory is mapped. */
enum wt_status gen_device_new(const struct gen_config *config, struct gen_device **device,
                              struct wt_error *err);
/* Frees a device; NULL is allowed. */
void gen_device_free(struct gen_device *device);
/** Counts of code that was translated for the host. */
struct wt_rows_totals gen_device_translated(const struct gen_device *device);

/** As new: no memory is mapped, nothing is under way. Only the driver's debug support stays. */
void gen_device_clear(struct gen_device *device);

/** The device as a machine (run, reset, hash, views); the same object. */
struct wt_machine *gen_machine(struct gen_device *device);
/** The instructions it has executed whose results may differ from hardware's. */
const struct wt_near *gen_device_near(const struct gen_device *device);

/** EUs of a subslice, threads of an EU, and of a subslice. */
enum { GEN_EUS = 8, GEN_EU_THREADS = 7, GEN_SUBSLICE_THREADS = GEN_EUS * GEN_EU_THREADS };

/* ---- memory ---- */

/** Shared local memory has no addresses of 64 bits: for whoever looks from outside it begins here.
 */
#define GEN_SLM_APERTURE ((uint64_t)1 << 48)
#define GEN_SLM_BYTES 65536

/**
 * Threads see memory through a table (PPGTT) of 48 bits in gen9's formats, which lies in the
 * device's memory. Maps [addr, addr + size), rounded to pages, to the memory of the same addresses;
 * the bytes there keep their values, which are zero at first. WT_INVALID if a part is mapped
 * already.
 */
enum wt_status gen_device_map(struct gen_device *device, uint64_t addr, uint64_t size,
                              bool writable, struct wt_error *err);
/** Memory as threads see it; false where it is not mapped, or without host memory. */
bool gen_device_read(struct gen_device *device, uint64_t addr, void *out, size_t size);
/* Likewise for writing, also where threads may only read. */
bool gen_device_write(struct gen_device *device, uint64_t addr, const void *bytes, size_t size);
/** gen_device_write with a message: WT_NO_MEMORY says which limit was reached. Zeros take no memory
 * where nothing was written yet. */
enum wt_status gen_device_put(struct gen_device *device, uint64_t addr, const void *bytes,
                              size_t size, struct wt_error *err);

/** Prints how an address that is not mapped for writing is translated: the entries that the walk
 * reads, then why it ends, each line behind @p indent. Nothing where it is mapped. */
void gen_device_tell_walk(FILE *out, const char *indent, struct gen_device *device, uint64_t addr);

/* ---- dispatch ---- */

/** How many walkers can be under way at once. */
#define GEN_WALKS 8

/** Exceptions that an interface descriptor enables (INTERFACE_DESCRIPTOR_DATA, dword 2). */
enum { GEN_ENABLE_SOFTWARE = 1 << 7, GEN_ENABLE_STACK = 1 << 11, GEN_ENABLE_ILLEGAL = 1 << 13 };

/**
 * The content of GPGPU_WALKER, its interface descriptor and the state base addresses (Skylake PRM
 * volume 2a). Addresses are absolute.
 */
struct gen_walk {
    uint64_t instructions;  /**< instruction base address: IPs count from here */
    uint64_t kernel;        /**< first instruction, relative to it */
    uint64_t sip;           /**< system routine, relative to it; 0: none */
    uint64_t surfaces;      /**< surface state base address */
    uint32_t binding_table; /**< relative to it */
    uint32_t samplers;    /**< relative to the dynamic state base address, as r0.3 has it; bits 4:2:
                               how many there are, in fours */
    uint64_t dynamic;     /**< dynamic state base address */
    uint64_t general;     /**< general state base address: scratch memory, stateless messages */
    uint32_t scratch;     /**< its scratch space, relative to `general`, a multiple of 1 KiB */
    uint8_t scratch_code; /**< a thread has 1 KiB << this; used where has_scratch */
    bool has_scratch;
    uint64_t payload;          /**< cross-thread data, then a block for each thread of a group */
    uint16_t cross_bytes;      /**< cross bytes of the cross-thread data: a multiple of 32 */
    uint16_t thread_bytes;     /**< thread bytes of a thread's block: likewise */
    uint8_t simd;              /**< 8, 16 or 32 */
    uint16_t threads;          /**< threads of a group: 1..56 */
    uint32_t last_mask;        /**< channels of a group's last thread */
    uint32_t start[3], end[3]; /**< groups: coordinates from start up to but without end */
    uint32_t slm_bytes;        /**< slm bytes of a group: up to GEN_SLM_BYTES */
    bool barrier;              /**< the group uses one */
    bool in_step;     /**< it is one thread, as the compiler knew: its barriers have no code */
    uint32_t enables; /**< exceptions (GEN_ENABLE_…), single program flow (bit 18), FP mode (16) */
    /* For debuggers: the driver knows it, the hardware does not. */
    uint64_t launch; /**< number of the kernel launch that it is a part of, in its process; 0: there
                          is no driver, and the run is one launch */
    uint32_t slm_asked;     /**< bytes of slm_bytes that the kernel asks for; 0: not known */
    uint32_t private_bytes; /**< of a thread, of memory at an address of the cross-thread data,
                               which is at byte private_at there: an array of as many as there are
                                 threads; 0: none is known */
    uint16_t private_at;
    uint32_t block[3], grid[3]; /**< work-items of a group, and of the launch; 0: not known */
};

struct gen_steps;
/** Says where sub-groups of the kernels of walks from now on wait (object/gen_steps.h), which stays
 * till the walks have ended; NULL: nowhere, or it is not known. */
void gen_device_set_steps(struct gen_device *device, const struct gen_steps *steps);

/** Begins a walk. It runs beside those that have not ended, as far as there is room; WT_STATE while
 * there are GEN_WALKS. */
enum wt_status gen_device_walk(struct gen_device *device, const struct gen_walk *walk,
                               struct wt_error *err);

/** How far a walk is: groups. */
struct gen_progress {
    uint64_t total, begun, done;
};
/** @p walk: below GEN_WALKS; false if none of that number is under way. */
bool gen_device_progress(const struct gen_device *device, unsigned walk,
                         struct gen_progress *progress);

/* ---- registers of the bus: wt_machine_ops.debug_read and debug_write ---- */

/** Word addresses: an offset in the GPU's registers by 4. TD_ATT and TD_CLR are two rows of 32
 * bits: four EUs of eight bits, a bit for each thread, of the subslice that MCR_SELECTOR selects
 * (slice in bits 27:26, subslice in bits 25:24). */
enum gen_bus_register {
    GEN_MCR_SELECTOR = 0xfdc / 4,
    GEN_TD_CTL = 0xe400 / 4,
    GEN_TD_ATT = 0xe470 / 4,       /**< the thread waits in its system routine */
    GEN_TD_CLR = 0xe490 / 4,       /**< written 1: it goes on */
    GEN_CONTEXT_SAVE = 0xe480 / 4, /**< written: threads save their context (wavetrap's own) */
};

/** Likewise for tools. */
extern const struct wt_hw_table gen_register_table;

/** Bits of CONTEXT_SAVE: the request; it also applies to threads that have not enabled it. */
enum { GEN_SAVE_REQUEST = 1 << 0, GEN_SAVE_FORCE = 1 << 1 };

/** Bits of TD_CTL. */
enum {
    GEN_TD_CTL_BREAKPOINTS = 1 << 2,       /**< DebugCtrl bits of instructions count */
    GEN_TD_CTL_FORCE = 1 << 3,             /**< a thread begins with a forced exception */
    GEN_TD_CTL_FORCE_BREAKPOINTS = 1 << 4, /**< they count in threads that have not enabled them */
    GEN_TD_CTL_HALT = 1 << 6,              /**< external halt of all threads */
    GEN_TD_CTL_FORCE_ENABLE = 1 << 7,      /**< forced exceptions are enabled */
    GEN_TD_CTL_MASK = 0xdc
};

/* ---- the driver's debug support ---- */

/** Where the driver's system routine leaves what it has saved: thread n's (object/gen_saved.h) is
 * at GEN_SAVED_APERTURE + n * GEN_SAVED_STRIDE, as long as the thread waits in the routine. */
#define GEN_SAVED_APERTURE ((uint64_t)1 << 49)
/** Where whoever looks as a thread finds its general registers: r0 first, 4096 bytes in all. */
#define GEN_FILE_APERTURE ((uint64_t)1 << 50)

/**
 * Puts the driver's system routine in the place of those that walks name, and sets TD_CTL as
 * Linux's driver does for a debugger; or takes it back, whereupon all threads go on. The routine
 * takes no issues and leaves no trace in the program's state.
 */
void gen_device_debug(struct gen_device *device, bool on);
/** An active thread enters it now, without a reason of its own. */
void gen_device_hold(struct gen_device *device, uint32_t thread);
/** Whether a thread waits in it that the host has not seen: since the last call. */
bool gen_device_attention(struct gen_device *device);

/* ---- registers, for looking into a thread ---- */

/** Registers as wt_machine_ops.read_row numbers them: those of Intel's GDB (target descriptions
 * intelgt-grf and intelgt-arf9); the program counter has a number of its own. */
enum gen_register {
    GEN_REGISTER_R0 = 0, /**< r0-r127: 256 bits */
    GEN_REGISTER_A0 = 128,
    GEN_REGISTER_ACC0 = 129, /**< acc0-acc9: 256 bits */
    GEN_REGISTER_F0 = 139,   /**< f0, f1: 32 bits */
    GEN_REGISTER_CE = 141,
    GEN_REGISTER_SP = 142,  /**< 128 bits */
    GEN_REGISTER_SR0 = 143, /**< 128 bits */
    GEN_REGISTER_CR0 = 144, /**< 128 bits */
    GEN_REGISTER_IP = 145,  /**< 32 bits, relative to the instruction base */
    GEN_REGISTER_TDR = 146, /**< 128 bits */
    GEN_REGISTER_TM0 = 147, /**< 128 bits */
    GEN_REGISTER_EMASK = 148,
    GEN_REGISTER_IEMASK = 149,
    GEN_REGISTER_PC = 0x1000, /**< 64 bits: the absolute address */
};

/** A row of the register list (`wavetrap info -g gen9 --registers`). */
struct gen_register_row {
    const char *name;
    uint16_t number, bits;
    const char *type;  /**< GDB's type */
    const char *group; /**< NULL: none */
};
/** The list, in the order of the numbers; *count is set. */
const struct gen_register_row *gen_register_list(size_t *count);

#endif
