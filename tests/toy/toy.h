/*
 * The toy: a family of GPUs with all that a family has, as small as it can be. Waves of eight lanes
 * have sixteen registers of 64 bits; an instruction is 8 bytes: operation, a, b, c, and a signed
 * immediate of 32 bits. Memory is one region, TOY_MEMORY; a group has local memory of its own.
 */
#ifndef TOY_H
#define TOY_H

#include "emulator/machine/config.h"
#include "emulator/machine/engine.h"
#include "emulator/machine/groups.h"
#include "emulator/machine/mapped.h"
#include "emulator/machine/timeline.h"
#include "object/process_wire.h"

#define TOY_LANES 8u
#define TOY_REGISTERS 16u
#define TOY_SLOTS 8u /* waves, and groups, of a core */
#define TOY_MOST_CORES 4u
#define TOY_MEMORY UINT64_C(0x500000000000)
#define TOY_MEMORY_BYTES UINT64_C(0x1000000)
#define TOY_CODE TOY_MEMORY /* of the kernel; then its arguments, 8 bytes each; then buffers */
#define TOY_ARGUMENTS (TOY_MEMORY + 0x8000)
#define TOY_BUFFERS (TOY_MEMORY + 0x10000)
#define TOY_LOCAL UINT64_C(0x600000000000) /* the aperture of local memory */
#define TOY_LOCAL_BYTES 4096u
#define TOY_WAVES UINT64_C(0x610000000000) /* debuggers see the waves here: struct toy_wave */

/* Initializes a struct wt_profile_shape with the units of its memory. */
#define TOY_PROFILE                                                                                \
    {                                                                                              \
        .line = 64, .banks = 8, .together = 8                                                      \
    }

enum toy_op {
#define ROW(id, ...) TOY_##id,
#include "isa.def"
#undef ROW
    TOY_OPS
};

struct toy_insn {
    uint8_t op, a, b, c;
    int32_t immediate;
};

/** A file with a kernel: this, then its code. */
struct toy_header {
    char magic[8]; /**< TOY_MAGIC */
    uint32_t local_bytes;
    uint16_t arguments, buffers; /**< buffers: a bit for each argument that is one */
};
#define TOY_MAGIC "TOYCODE\n"

struct toy_config {
    WT_CONFIG_HEAD;
    unsigned cores;
};
extern const struct wt_config toy_config_table;

struct toy_launch {
    uint64_t number; /**< of the driver, from 1; 0: there is none */
    uint32_t groups, waves, local_bytes;
};

/** The register of the debug hardware; writing it makes what was written to waves count. */
enum { TOY_CONTROL };
enum { TOY_STOP = 1, TOY_HOLD = 2, TOY_ATTEND = 4 };
enum toy_cause { TOY_NO_CAUSE, TOY_AT_BREAK, TOY_STEPPED, TOY_FAILED };

struct toy_group {
    WT_GROUP_HEAD;
    uint64_t number; /**< in its launch */
    uint32_t arrived;
};

struct toy_wave {
    WT_WAVE_HEAD(struct toy_group, group);
    struct toy_device *device;
    bool at_barrier;
    uint64_t r[TOY_REGISTERS][TOY_LANES];
    /* For debuggers: */
    struct toy_debug {
        bool halted, steps;
        uint32_t cause;
    } debug;
    struct wt_fault error;
    uint64_t name, dispatch; /**< its id, and its launch's */
    struct toy_launch launch;
    uint32_t number; /**< of its group */
};

struct toy_device {
    struct wt_machine machine; /* first */
    struct toy_config config;
    struct toy_wave *wave;
    struct toy_launch launch;
    struct wt_launch_head grid;
    uint32_t control;
    uint64_t traced; /**< the PC of the issue that is traced */
};

/* ---- isa.c ---- */
extern const struct wt_group_ops toy_group_ops;
bool toy_fetch(struct toy_device *d, uint64_t pc, struct toy_insn *in);
void toy_text(const struct toy_insn *in, char *text, size_t size);
/** How many operations there are. */
extern const unsigned toy_op_count;
/** Executes one instruction; false: the turn ends. */
bool toy_execute(struct toy_wave *w);
WT_MACHINE_FN(home) toy_home;
extern const struct wt_address_map toy_address_map;

/* ---- device.c ---- */
void toy_update_ready(struct toy_wave *w);
WT_ENGINE_FN(issue_at) toy_issue_at;
/** A device whose memory is the process's, if it is @p hosted. */
struct toy_device *toy_new(const struct toy_config *config, bool hosted, struct wt_error *err);
/** Puts a kernel and its arguments into memory. */
enum wt_status toy_load(struct toy_device *d, const uint8_t *file, size_t length,
                        const uint64_t *argument, struct toy_launch *launch, struct wt_error *err);
uint32_t toy_do_launch(struct wt_machine *m, const void *bytes, size_t size);
extern const wt_input_operation toy_operations[];

/* ---- probe.c ---- */
extern const struct wt_probe_ops toy_probe;

/* ---- host programs ---- */
#define TOY_WIRE_FAMILY WT_WIRE_FAMILY(15) /* of which there are no verbs */
#define TOY_SOCKET "toy"

#endif
