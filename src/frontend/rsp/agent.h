/*
 * Agent expressions: the bytecode in which GDB hands over conditions and commands of breakpoints
 * (GDB manual, appendix "The GDB Agent Expression Mechanism"), made expressions of the debugger.
 * Bytecode comes from outside: any bytes are either refused, or made an expression that ends.
 */
#ifndef WT_FRONTEND_RSP_AGENT_H
#define WT_FRONTEND_RSP_AGENT_H

#include <stddef.h>
#include <stdint.h>

#include "expr/expr.h"

/** How the bytecode names registers. */
struct wt_agent_registers {
    const int *index; /**< by the number in the bytecode: what the expression names; -1: none */
    size_t count;
};

/**
 * Translates bytecode. Truncated operands, unknown opcodes, jumps to no instruction and trace
 * opcodes give WT_INVALID. What cannot work (registers that there are not, stack under- or
 * overflow, ways that meet with stacks of different depth, trace state variables, floating point)
 * is accepted: coming there makes the evaluation fail. Without @p registers numbers are taken as
 * they are. *missing (may be NULL) is a register that there is not, -1 if there are all.
 */
enum wt_status wt_agent_compile(const uint8_t *bytes, size_t length,
                                const struct wt_agent_registers *registers, struct wt_expr **expr,
                                int *missing, struct wt_error *err);

#endif
