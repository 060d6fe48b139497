/*
 * A probe of a GPU that there is not, unlike Vortex in everything: waves of 8 and of 32 lanes at
 * once, 400 registers of up to 2,048 bits, instructions of 16 bytes whose breakpoint is one bit,
 * and memory of lanes and groups in address spaces of their own. It is a device in this process,
 * which runs when it is pumped.
 */
#ifndef FAKE_GPU_H
#define FAKE_GPU_H

#include "debug/core/debugger.h"

enum {
    GPU_WAVES = 4,        /* at first */
    GPU_MOST_WAVES = 400, /* a wave that is launched in a later slot makes the device larger */
    GPU_LANES = 32,       /* of the widest waves: 0 and 1 have 8, the others have 32 */
    GPU_GROUPS = 2,       /* even waves, odd waves */
    GPU_CODE = 0x1000,    /* bytes of memory, all of it code and data */
    GPU_PRIVATE = 64,     /* bytes of each lane */
    GPU_LOCAL = 128,      /* bytes of each group */
    GPU_REGISTERS = 400,
    GPU_LANE_REGISTERS = 128, /* r0 … r127, 32 bits of each lane: registers 0 … 127 */
    GPU_WIDE = 128,           /* w0 … w15: 2,048 bits of the wave */
    GPU_WIDE_COUNT = 16,
    GPU_SCALAR = 144, /* s0 … s250: 64 bits of the wave */
    GPU_SCALAR_COUNT = 251,
    GPU_PC = 395,
    GPU_EXEC = 396,
    GPU_GROUP_REGISTER = 397, /* 48 bits */
    GPU_CORE_REGISTER = 398,
    GPU_COUNTER = 399, /* of the device; it moves while waves are stopped */
};

/* Spaces. */
enum { GPU_SPACE_MEMORY, GPU_SPACE_LOCAL, GPU_SPACE_PRIVATE };

/* An instruction is 16 bytes: its operation, operands, and a breakpoint bit in the fourth byte. */
enum gpu_op {
    GPU_NOP,
    GPU_ADD,    /* r[a] += b in enabled lanes */
    GPU_STORE,  /* private memory [a] = r[b] */
    GPU_LOOP,   /* s[0] -= 1, and to instruction a unless it is 0 */
    GPU_CALL,   /* to instruction a */
    GPU_RETURN, /* it goes on behind */
    GPU_WAIT,   /* a barrier, at which nobody waits */
    GPU_END,
};
#define GPU_INSTRUCTION 16
#define GPU_BREAK_BYTE 3
#define GPU_BREAK_BIT 0x40

struct gpu_wave {
    bool active, halted;
    unsigned stops_in; /* rounds; 0: nobody has asked */
    unsigned steps_in; /* likewise: rounds until its step issues */
    enum wt_halt_cause cause;
    wt_wave_id id;
    uint64_t dispatch; /* 0: it is there from the beginning */
    uint32_t pc;
    uint64_t exec;
    uint32_t r[GPU_LANE_REGISTERS][GPU_LANES];
    uint8_t wide[GPU_WIDE_COUNT][256];
    uint64_t s[GPU_SCALAR_COUNT];
    uint8_t private[GPU_LANES][GPU_PRIVATE];
};

/* An instruction that was issued, and what it did to memory that is watched. */
struct gpu_issue {
    unsigned wave;
    wt_wave_id id;
    uint32_t pc;
    uint64_t exec;
};

struct fake_gpu {
    /* The state; `counter` counts issues. */
    struct gpu_wave wave[GPU_MOST_WAVES];
    uint8_t memory[GPU_CODE];
    uint8_t local[GPU_GROUPS][GPU_LOCAL];
    uint64_t group_register[GPU_GROUPS], core_register, counter;
    /* No state. */
    unsigned latency; /* rounds until a wave stops that is asked to, and until a step issues */
    struct fake_history *history; /* of a device that is recorded */
    struct wt_watchpoint watch[8];
    size_t watches;
    struct wt_watchpoint_hit hit[64]; /* since they were last asked for */
    size_t hits;
    unsigned slots; /* in `wave`; it never shrinks */
    bool hold;      /* waves that begin are held */
    bool relaunch;  /* when a wave ends, the next one is in its slot in the same issue */
    unsigned launches;
    struct wt_probe_event event[1024]; /* in order; told of them, and taken by the debugger */
    unsigned told, taken;
    bool takes[GPU_MOST_WAVES]; /* waves that the program ends when the debugger asks why they halt
                                 */
    unsigned row_reads;         /* calls of read_rows */
    unsigned registers_read;
    struct wt_target_services services;
    struct wt_target target;
};

extern const struct wt_probe_ops fake_gpu_probe;

/** A device whose waves are halted at 0; memory is NOPs. */
struct fake_gpu *fake_gpu_new(void);
/** The device records its run from now on, and its memory can be watched. */
void fake_gpu_record(struct fake_gpu *gpu);
void fake_gpu_free(struct fake_gpu *gpu);
/** Puts an instruction at number @p n of memory. */
void fake_gpu_put(struct fake_gpu *gpu, unsigned n, enum gpu_op op, uint8_t a, uint8_t b);
/** Launches a kernel of one wave in a slot that is free, at instruction @p pc. */
void fake_gpu_launch(struct fake_gpu *gpu, unsigned slot, unsigned pc);
/** The host process has ended. */
void fake_gpu_end(struct fake_gpu *gpu, uint32_t status);
unsigned fake_gpu_lanes(unsigned wave);

#endif
