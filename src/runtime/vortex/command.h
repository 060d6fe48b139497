/*
 * The command processor of Vortex 3.0: registers, and a ring of commands in the host's memory, by
 * which upstream's libvortex.so drives a device. (VX_cp_axil_regfile.sv, cmd_processor.cpp of
 * d76b7f24e.) What upstream's passes over in silence stops the queue here, with a sentence.
 */
#ifndef WT_RUNTIME_VORTEX_COMMAND_H
#define WT_RUNTIME_VORTEX_COMMAND_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/** How a command, or an access of a register, goes. */
enum command_result {
    COMMAND_DONE,
    COMMAND_WAITS,   /**< a launch runs, or an event has not come */
    COMMAND_REFUSED, /**< the sentence says why */
    COMMAND_FAULT,   /**< the device has reported a fault of the kernel */
    COMMAND_STOPPED, /**< an earlier command has stopped the queue, and was reported then */
};

/** The objects of commands. Addresses are those of commands: of device memory, or of the host's
 * memory that both reach. Functions return false and a sentence where there is no such memory. */
struct command_target {
    bool (*read)(void *context, uint64_t addr, void *to, uint64_t size, struct wt_error *err);
    bool (*write)(void *context, uint64_t addr, const void *from, uint64_t size,
                  struct wt_error *err);
    bool (*copy)(void *context, uint64_t to, uint64_t from, uint64_t size, struct wt_error *err);
    bool (*write_dcr)(void *context, uint32_t addr, uint32_t value); /**< false: there is none */
    bool (*read_dcr)(void *context, uint32_t addr, uint32_t tag, uint32_t *value);
    /** Starts what the DCRs say. */
    void (*begin)(void *context);
    /** Runs it for a while: COMMAND_DONE at its end, COMMAND_WAITS before. */
    enum command_result (*run)(void *context, struct wt_error *err);
    /** Gives up what was started and has not ended. */
    void (*abandon)(void *context);
    /** The issue time. */
    uint64_t (*cycle)(void *context);
    /** Each command before it is carried out, in words. */
    void (*note)(void *context, const char *name, const char *text);
};

enum { COMMAND_LINE = 64 }; /* bytes of a line of the ring */

struct command_processor {
    const struct command_target *target;
    void *context;
    uint64_t device_caps, isa_caps; /**< GPU_DEV_CAPS, GPU_ISA_CAPS */
    uint32_t cores;
    /* registers */
    uint32_t control, queue_control;
    uint64_t ring, head_place, sequence_place; /**< a place of 0: nothing is written there */
    uint32_t ring_log2;
    uint32_t tail_low;
    uint64_t tail, head; /**< bytes since reset */
    uint64_t sequence;   /**< commands that have been carried out */
    uint32_t error;      /**< enum command_result of the command that has stopped the queue */
    uint32_t dcr;        /**< the answer of the latest DCR_READ */
    /* the line at `head` */
    bool loaded;
    bool noted;      /**< its next command was */
    bool launched;   /**< its next command is a launch, which has begun */
    unsigned offset; /**< offset of its next command */
    uint8_t line[COMMAND_LINE];
};

/** The registers as after reset; @p target, @p device_caps, @p isa_caps and @p cores are set. */
void command_reset(struct command_processor *p);
/** Writes a register, and carries out what the ring has: until a launch or an event lets it wait.
 */
enum command_result command_register_write(struct command_processor *p, uint32_t offset,
                                           uint32_t value, struct wt_error *err);
/** Reads a register, after the same. */
enum command_result command_register_read(struct command_processor *p, uint32_t offset,
                                          uint32_t *value, struct wt_error *err);
/**
 * Tells of the ring in lines: the command that it has come to and those behind it, as far as their
 * memory can be read; or (@p launches) only launches that have not begun. Of the target only read()
 * is used.
 */
void command_tell(const struct command_processor *p, bool launches, FILE *out);

#endif
