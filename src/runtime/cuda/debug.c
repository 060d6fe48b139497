/* See debug.h. */
#include "runtime/cuda/debug.h"

#include <string.h>

#include "base/array.h"
#include "emulator/machine/machine.h"
#include "runtime/common/armed.h"
#include "runtime/cuda/gpu_internal.h"

static struct wt_gate gate = WT_GATE_OPEN;

static struct {
    bool unloaded; /* since the gate's state of the code: debug_module_removed() */
    struct debug_module *module;
    size_t module_count, module_room;
    uint64_t next_module;
    struct sm_wire_launch launch;
    uint64_t bank[SM_BANKS]; /* the launch's banks: addresses, bytes */
    uint32_t bank_size[SM_BANKS];
    uint32_t interrupts; /* that the SMs of its GPU had raised before the run */
} shared = {.next_module = 1};

struct wt_gate *cuda_gate(void)
{
    return &gate;
}

void debug_forget(void)
{
    wt_gate_forget(&gate);
    shared.launch.runs = false;
}

uint64_t debug_budget(const struct gpu *gpu, uint64_t without)
{
    shared.interrupts = sm_device_interrupts(gpu->device);
    return wt_gate_budget(&gate, without);
}

bool debug_follows(void)
{
    return gate.followed;
}

/* All SMs stop behind an instruction that has accessed watched memory, so that it is as the access
 * has left it. */
static void take_hits(struct gpu *gpu)
{
    struct wt_machine *m = sm_machine(gpu->device);
    watched_take(&gpu->watched, m, NULL);
    for (uint32_t sm = 0; sm < m->waves / SM_WARPS; sm++)
        wt_hosted_input(&gpu->hosted, &(struct wt_input){.kind = WT_INPUT_OPERATION,
                                                         .bytes = &sm,
                                                         .size = sizeof sm,
                                                         .operation = sm_do_stop});
}

/* Whether a debugger is to be told how a run came back. An event may be no more than an atomic of a
 * recorded kernel. */
static bool is_news(const struct gpu *gpu, enum wt_run result)
{
    return result != WT_RUN_BUDGET &&
           (result != WT_RUN_EVENT || sm_device_interrupts(gpu->device) != shared.interrupts);
}

bool debug_turn(struct gpu *gpu, enum wt_run *result)
{
    if (*result == WT_RUN_WATCH && armed_take(&gpu->hosted))
        take_hits(gpu);
    else if (*result == WT_RUN_WATCH)
        *result = WT_RUN_BUDGET;
    return wt_gate_turn(&gate, result, is_news(gpu, *result));
}

/* ---- launches ---- */

void debug_launch_wait(void)
{
    gate.code += shared.unloaded;
    shared.unloaded = false;
    wt_gate_await(&gate);
}

void debug_launch_began(struct gpu *gpu, const struct sm_launch *launch)
{
    wt_gate_began(&gate, &gpu->hosted);
    shared.launch =
        (struct sm_wire_launch){.number = launch->number, .runs = true, .device = gpu->number};
    memcpy(shared.launch.block, launch->block, sizeof shared.launch.block);
    memcpy(shared.launch.grid, launch->grid, sizeof shared.launch.grid);
    memcpy(shared.bank, launch->bank, sizeof shared.bank);
    memcpy(shared.bank_size, launch->bank_size, sizeof shared.bank_size);
}

void debug_launch_ended(void)
{
    shared.launch.runs = false;
    wt_gate_ended(&gate);
}

struct sm_wire_launch debug_launch(void)
{
    return shared.launch;
}

bool debug_bank(unsigned bank, uint64_t *addr, uint32_t *size)
{
    *addr = bank < SM_BANKS ? shared.bank[bank] : 0;
    *size = bank < SM_BANKS ? shared.bank_size[bank] : 0;
    return shared.launch.number > 0;
}

/* ---- modules ---- */

void debug_module_added(const struct gpu *gpu, struct gpu_module *module)
{
    struct debug_module *grown =
        wt_array_grow(shared.module, &shared.module_room, shared.module_count + 1, sizeof *grown);
    if (!grown)
        return; /* the program runs; its code has no symbols */
    shared.module = grown;
    shared.unloaded = false;
    grown[shared.module_count++] = (struct debug_module){.wire = {.id = shared.next_module++,
                                                                  .code = module->code,
                                                                  .data = module->data,
                                                                  .device = gpu->number,
                                                                  .texts = (uint32_t)module->count,
                                                                  .is_cubin = !module->count},
                                                         .module = module};
    gate.code++;
}

void debug_module_removed(const struct gpu_module *module)
{
    for (size_t i = 0; i < shared.module_count; i++) {
        if (shared.module[i].module != module)
            continue;
        memmove(&shared.module[i], &shared.module[i + 1],
                (--shared.module_count - i) * sizeof *shared.module);
        shared.unloaded = true;
        return;
    }
}

const struct debug_module *debug_modules(size_t *count, uint64_t *state)
{
    *count = shared.module_count;
    *state = gate.code;
    return shared.module;
}
