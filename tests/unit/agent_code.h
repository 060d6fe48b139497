/* Breakpoints and values by agent bytecode, with numbers of registers as GDB has them. */
#ifndef TESTS_AGENT_CODE_H
#define TESTS_AGENT_CODE_H

#include <assert.h>
#include <stdlib.h>

#include "debug/core/debugger.h"
#include "frontend/rsp/agent.h"

#pragma GCC diagnostic ignored "-Wunused-function"

struct agent_code {
    const uint8_t *bytes;
    size_t length;
};

static enum wt_status agent_compile(struct wt_debugger *d, const struct agent_code *code,
                                    struct wt_expr **expr, int *missing, struct wt_error *err)
{
    static int index[0x10000];
    const struct wt_topology *t = wt_debugger_topology(d);
    const struct wt_agent_registers registers = {index, sizeof index / sizeof *index};
    for (size_t i = 0; i < registers.count; i++)
        index[i] = -1;
    for (size_t i = 0; i < t->register_count; i++)
        index[t->registers[i].number] = (int)i;
    return wt_agent_compile(code->bytes, code->length, &registers, expr, missing, err);
}

/* At most one condition and one command. */
static enum wt_status agent_insert_breakpoint(struct wt_debugger *d, uint64_t addr,
                                              const struct agent_code *condition,
                                              size_t condition_count,
                                              const struct agent_code *command,
                                              size_t command_count, struct wt_error *err)
{
    struct wt_expr *expr[2] = {NULL, NULL};
    enum wt_status status = WT_OK;
    assert(condition_count <= 1 && command_count <= 1);
    if (condition_count)
        status = agent_compile(d, condition, &expr[0], NULL, err);
    if (!status && command_count)
        status = agent_compile(d, command, &expr[1], NULL, err);
    if (!status)
        status = wt_debugger_insert_breakpoint(d, addr, &expr[0], condition_count, &expr[1],
                                               command_count, err);
    wt_expr_free(expr[0]);
    wt_expr_free(expr[1]);
    return status;
}

static enum wt_status agent_evaluate(struct wt_debugger *d, wt_wave_id wave, wt_lanes lanes,
                                     const struct agent_code *code, size_t size,
                                     struct wt_lane_value *result, void *bytes,
                                     struct wt_error *err)
{
    struct wt_expr *expr = NULL;
    int missing = -1;
    enum wt_status status = agent_compile(d, code, &expr, &missing, err);
    if (!status && missing >= 0)
        status = wt_fail(err, WT_INVALID, "there is no register %d", missing);
    if (!status)
        status = wt_debugger_evaluate(d, wave, lanes, expr, size, result, bytes, err);
    wt_expr_free(expr);
    return status;
}

#endif
