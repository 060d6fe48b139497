/* The emulated GPUs behind libvortex.so, as they are once they are open. */
#include <stdlib.h>

#include "base/bits.h"
#include "emulator/machine/machine.h"
#include "runtime/vortex/internal.h"

static struct {
    struct gpu *gpu[MOST_GPUS];
    unsigned count;
    struct wt_gate gate;
    struct wt_final_memory final;
} all = {.gate = WT_GATE_OPEN, .final = WT_FINAL_MEMORY_NONE};

struct wt_gate *gpu_gate(void)
{
    return &all.gate;
}

struct wt_final_memory *gpu_final(void)
{
    return &all.final;
}

uint64_t gpu_memory_end(const struct gpu *g)
{
    const bool wide = g->config.xlen == 64;
    const uint64_t threads =
        (uint64_t)g->config.clusters * g->config.cores * g->config.warps * g->config.threads;
    return g->config.profile->local_mem_base[wide] - (threads << STACK_LOG2_SIZE);
}

unsigned gpu_count(void)
{
    return all.count;
}

void gpu_add(struct gpu *g)
{
    g->own_planted = (struct wt_planted_list)WT_PLANTED_NONE;
    g->planted = &g->own_planted;
    g->final = &all.final;
    all.gpu[all.count++] = g;
}

void gpus_none(void)
{
    all.count = 0;
}

struct gpu *gpu_at(unsigned number)
{
    return all.gpu[number];
}

struct gpu *gpu_of(const void *handle, struct wt_error *err)
{
    state_lock();
    struct gpu *g = handle_get(HANDLE_DEVICE, handle);
    state_unlock();
    if (!g)
        call_fail(err, VX_ERR_INVALID_HANDLE, "%p is not a device that is open", handle);
    return g;
}

/* ---- the machine ---- */

bool gpu_read(struct gpu *g, uint64_t addr, void *to, uint64_t size)
{
    if (!g->machine->ops->read_memory(g->machine, UINT32_MAX, 0, addr, to, size))
        return false;
    wt_planted_lift(g->planted, addr, to, size);
    return true;
}

bool gpu_write(struct gpu *g, uint64_t addr, const void *from, uint64_t size)
{
    if (all.gate.held || all.gate.followed)
        writes_note(g, addr, size);
    return wt_hosted_input(&g->hosted, &(struct wt_input){.kind = WT_INPUT_MEMORY,
                                                          .wave = UINT32_MAX,
                                                          .addr = addr,
                                                          .bytes = from,
                                                          .size = size});
}

bool gpu_copy(struct gpu *g, uint64_t to, uint64_t from, uint64_t size)
{
    uint8_t *bytes = malloc(size);
    const bool done = bytes && gpu_read(g, from, bytes, size) && gpu_write(g, to, bytes, size);
    free(bytes);
    return done;
}

bool gpu_do(struct gpu *g, wt_input_operation operation, const void *bytes, size_t size)
{
    return wt_hosted_input(&g->hosted, &(struct wt_input){.kind = WT_INPUT_OPERATION,
                                                          .bytes = bytes,
                                                          .size = size,
                                                          .operation = operation});
}

bool gpu_write_dcr(struct gpu *g, uint32_t addr, uint32_t value)
{
    const struct vx_dcr_write write = {addr, value};
    return gpu_do(g, vx_do_write_dcr, &write, sizeof write);
}

/* The number of a device configuration register in the GPU's version. */
static uint32_t dcr_number(const struct gpu *g, enum vx_dcr dcr)
{
    const struct vx_profile *p = g->config.profile;
    for (size_t i = 0; i < p->dcr_count; i++)
        if (p->dcrs[i].dcr == dcr)
            return p->dcrs[i].addr;
    return UINT32_MAX;
}

uint64_t gpu_isa_flags(const struct gpu *g)
{
    enum { MISA = VX_REGISTER_CSR + 0x301 };
    uint8_t misa[WT_ROW_BYTES] = {0};
    g->machine->ops->read_row(g->machine, 0, MISA, misa);
    return (wt_load_le(misa, 4) & 0x3ffffff) | (uint64_t)(g->config.xlen == 64 ? 2 : 1) << 30 |
           VX_ISA_EXT_LMEM;
}

uint64_t gpu_counter(const struct gpu *g, uint32_t counter, uint32_t core)
{
    return counter == VX_COUNTER_CYCLE     ? g->cycles
           : counter == VX_COUNTER_INSTRET ? vx_device_issues(g->device, core)
                                           : 0;
}

/* MPM_VALUE of 3.0: its tag has the class in bits 31:22, in 21 whether the upper half is wanted, in
 * 20:16 the counter, in 15:0 the core. Here no class has counters of its own. */
bool gpu_read_dcr(struct gpu *g, uint32_t addr, uint32_t tag, uint32_t *value)
{
    enum { MPM_VALUE = 1 };
    const uint32_t core = tag & 0xffff;
    if (!g->config.profile->launch_unit || addr != MPM_VALUE)
        return vx_device_dcr_read(g->device, addr, value);
    if (core >= g->config.clusters * g->config.cores)
        return false;
    const uint64_t counter = gpu_counter(g, VX_COUNTER_CYCLE + (tag >> 16 & 0x1f), core);
    *value = (uint32_t)(tag >> 21 & 1 ? counter >> 32 : counter);
    return true;
}

void gpu_set_dcr(struct gpu *g, enum vx_dcr dcr, uint32_t axis, uint32_t value)
{
    gpu_write_dcr(g, dcr_number(g, dcr) + axis, value);
}

void gpu_set_address(struct gpu *g, enum vx_dcr low, uint64_t value)
{
    gpu_set_dcr(g, low, 0, (uint32_t)value);
    gpu_set_dcr(g, low + 1, 0, (uint32_t)(value >> 32));
}

void gpu_note_dcr(struct gpu *g, uint32_t addr)
{
    g->startup_given |= addr == dcr_number(g, VX_DCR_STARTUP_ADDR0);
}

struct buffer *buffer_of_code(const struct gpu *g, uint64_t addr)
{
    for (struct buffer *b = g->buffers; b; b = b->next)
        if (b->program.id && addr - b->addr < b->size)
            return b;
    return NULL;
}
