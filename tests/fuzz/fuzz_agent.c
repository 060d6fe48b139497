/*
 * Agent expressions from any bytes: refused, or run within bounds. What is accepted must give the
 * same result twice, and name no register twice.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "debug/core/agent.h"

static bool read_memory(void *context, uint64_t addr, void *out, size_t size)
{
    if (addr % 7 == 0)
        return false;
    memset(out, (int)(addr % 251), size);
    return true;
}

static void print(void *context, const char *text, size_t length)
{
    uint64_t *sum = context;
    for (size_t i = 0; i < length; i++)
        *sum = *sum * 31 + (uint8_t)text[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wt_agent *agent;
    if (wt_agent_compile(data, size, &agent, NULL))
        return 0;
    size_t count;
    const unsigned *number = wt_agent_registers(agent, &count);
    uint64_t *registers = calloc(count + 1, sizeof *registers);
    for (size_t i = 0; i < count; i++) {
        registers[i] = (uint64_t)number[i] * 0x9e3779b97f4a7c15;
        for (size_t k = 0; k < i && i < 64; k++)
            if (number[k] == number[i])
                abort();
    }
    uint64_t value[2] = {0}, printed[2] = {0};
    bool ok[2];
    for (int i = 0; i < 2; i++) {
        const struct wt_agent_world world = {&printed[i], read_memory, print};
        ok[i] = wt_agent_run(agent, registers, &world, &value[i]);
    }
    if (ok[0] != ok[1] || printed[0] != printed[1] || (ok[0] && value[0] != value[1]))
        abort();
    free(registers);
    wt_agent_free(agent);
    return 0;
}
