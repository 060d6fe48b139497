/*
 * The head of a wave: the members that every family's wave has. The lanes that are enabled are not
 * among them: gfx900 has them in a register, EXEC (wt_engine_ops.issue_at tells them).
 */
#ifndef WT_EMULATOR_MACHINE_WAVE_H
#define WT_EMULATOR_MACHINE_WAVE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * pc: of the next instruction, between turns.
 * wait_pc: of the instruction that it waits at, while it waits.
 * left: issues left of its turn, the one being executed not counted.
 * incarnation: how many waves its slot has had; no part of the hashes.
 * id: flat index of its slot.
 * active: a wave is in the slot.
 */
#define WT_WAVE_MEMBERS                                                                            \
    uint64_t pc;                                                                                   \
    uint64_t wait_pc;                                                                              \
    uint64_t left;                                                                                 \
    uint64_t incarnation;                                                                          \
    uint32_t id;                                                                                   \
    bool active;

struct wt_wave_head {
    WT_WAVE_MEMBERS
};

/** The first member of a family's wave: the members of its head, by name and as `head`. */
#define WT_WAVE_HEAD                                                                               \
    union {                                                                                        \
        struct wt_wave_head head;                                                                  \
        struct {                                                                                   \
            WT_WAVE_MEMBERS                                                                        \
        };                                                                                         \
    }

#endif
