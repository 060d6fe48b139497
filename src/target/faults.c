/* The faults of an emulated device, with what is at their addresses. See emulated.h. */
#include "emulator/machine/machine.h"
#include "target/emulated.h"
#include "target/family.h"

/* Describes the memory at a fault's address, by the memory of the arguments. A core file has its
 * writer's description. */
static void note_memory(struct wt_emulated *e, struct wt_fault *f)
{
    struct wt_block below = {0}, above = {0};
    struct wt_kernel_buffer b;
    if (f->kind != WT_FAULT_ACCESS || *f->memory || e->core_file || !e->launch ||
        (e->family->run.fault_memory &&
         e->family->run.fault_memory(e, f, f->memory, sizeof f->memory)))
        return;
    for (size_t i = 0; i < e->options->argument_count; i++) {
        if (!wt_emulated_buffer(e, i, &b))
            continue;
        const uint64_t slices = b.slice ? b.length / b.slice : 1;
        const struct wt_block block = {b.addr, b.slice && slices ? (slices - 1) * b.stride + b.slice
                                                                 : b.length};
        if (block.addr <= f->addr && (!below.size || block.addr > below.addr))
            below = block;
        else if (block.addr > f->addr && (!above.size || block.addr < above.addr))
            above = block;
    }
    wt_fault_near(f->addr, below, above, f->memory, sizeof f->memory);
}

const struct wt_fault *wt_emulated_fault(struct wt_emulated *e, uint32_t wave)
{
    struct wt_machine *m = e->machine;
    struct wt_fault *f =
        m->fault.kind && m->fault.wave == wave ? &m->fault : m->ops->wave_fault(m, wave);
    if (f)
        note_memory(e, f);
    return f;
}
