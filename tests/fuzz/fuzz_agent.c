/*
 * Agent expressions from any bytes: refused, or run within bounds. What is accepted must give the
 * same result twice, and for each lane the same alone as with others; no register is named twice.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/rsp/agent.h"

#define LANES 5

struct world {
    uint64_t printed;
};

static wt_lanes read_memory(void *context, wt_lanes which, const uint64_t *addr, unsigned size,
                            uint64_t *out)
{
    wt_lanes got = 0;
    for (; which; which &= which - 1) {
        const unsigned k = wt_lanes_lowest(which);
        if (addr[k] % 7 == 0)
            continue;
        out[k] = 0;
        memset(&out[k], (int)(addr[k] % 251), size);
        got |= wt_lane_bit(k);
    }
    return got;
}

static void print(void *context, const char *text, size_t length)
{
    struct world *w = context;
    for (size_t i = 0; i < length; i++)
        w->printed = w->printed * 31 + (uint8_t)text[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wt_expr *expr;
    struct wt_error err;
    if (wt_agent_compile(data, size, NULL, &expr, NULL, &err))
        return 0;
    size_t count;
    const unsigned *number = wt_expr_registers(expr, &count);
    uint64_t *cell = calloc(LANES * count + 1, sizeof *cell);
    const uint64_t **row = calloc(count + 1, sizeof *row);
    for (size_t i = 0; i < count; i++) {
        row[i] = cell + LANES * i;
        for (unsigned k = 0; k < LANES; k++)
            cell[LANES * i + k] = (uint64_t)number[i] * 0x9e3779b97f4a7c15 + (k >> 1);
        for (size_t k = 0; k < i && i < 64; k++)
            if (number[k] == number[i])
                abort();
    }
    uint64_t value[2][LANES] = {{0}}, alone;
    wt_lanes known[2];
    struct world world[2] = {{0}, {0}};
    for (int i = 0; i < 2; i++) {
        const struct wt_expr_world reach = {
            .context = &world[i], .read = read_memory, .print = print};
        known[i] = wt_expr_run(expr, row, LANES, &reach, value[i]);
    }
    if (known[0] != known[1] || world[0].printed != world[1].printed ||
        memcmp(value[0], value[1], sizeof value[0]) != 0)
        abort();
    /* Each lane alone comes to the same, unless it comes near the limit of steps. */
    const bool short_enough = size < 2000 && !wt_expr_loops(expr) && !memchr(data, 0x34, size);
    for (unsigned k = 0; k < LANES && short_enough; k++) {
        struct world own = {0};
        const struct wt_expr_world reach = {.context = &own, .read = read_memory, .print = print};
        for (size_t i = 0; i < count; i++)
            row[i] = cell + LANES * i + k;
        const bool ok = wt_expr_run(expr, row, 1, &reach, &alone);
        if (ok != wt_has_lane(known[0], k) || (ok && alone != value[0][k]))
            abort();
    }
    free(cell);
    free(row);
    wt_expr_free(expr);
    return 0;
}
