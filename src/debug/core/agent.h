/*
 * Agent expressions: the bytecode in which GDB hands over conditions and commands of breakpoints
 * (GDB manual, appendix "The GDB Agent Expression Mechanism"). Compiled once, then run for each
 * lane. Bytecode comes from outside: any bytes are either refused by wt_agent_compile() or run
 * within bounds.
 */
#ifndef WT_DEBUG_CORE_AGENT_H
#define WT_DEBUG_CORE_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wavetrap/error.h"

struct wt_agent;

/** What an expression can reach beside registers. Members may be NULL. */
struct wt_agent_world {
    void *context;
    bool (*read_memory)(void *context, uint64_t addr, void *out, size_t size);
    void (*print)(void *context, const char *text, size_t length);
};

/**
 * Checks and translates bytecode. Truncated operands, unknown opcodes, jumps to no instruction and
 * trace opcodes give WT_INVALID. Opcodes that cannot work here (trace state variables, floating
 * point) are accepted: running into one makes the evaluation fail.
 */
enum wt_status wt_agent_compile(const uint8_t *bytes, size_t length, struct wt_agent **agent,
                                struct wt_error *err);
void wt_agent_free(struct wt_agent *agent);

/** The numbers of the registers that it names, each once. */
const unsigned *wt_agent_registers(const struct wt_agent *agent, size_t *count);

/** Whether it can read memory. */
bool wt_agent_reads_memory(const struct wt_agent *agent);

/**
 * Runs it. @p registers holds the values of wt_agent_registers(), in that order. False if the
 * evaluation failed: stack under- or overflow, division by zero, unreadable memory, too many
 * steps. *value (may be NULL) is what was on top of the stack at the end, 0 if it was empty.
 */
bool wt_agent_run(const struct wt_agent *agent, const uint64_t *registers,
                  const struct wt_agent_world *world, uint64_t *value);

#endif
