/* A device inside a host process. See host.h. */
#include "emulator/gen/host.h"

#include <stdio.h>

#include "emulator/gen/internal.h"

enum wt_status gen_device_new_in_host(const struct gen_config *config, struct gen_device **device,
                                      struct wt_error *err)
{
    enum wt_status status;
    struct wt_memory *memory = wt_memory_new_host();
    if (!memory)
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
    if ((status = gen_device_new(config, device, err)) != WT_OK) {
        wt_memory_free(memory);
        return status;
    }
    wt_memory_free((*device)->memory);
    (*device)->memory = memory;
    (*device)->root = 0;
    return WT_OK;
}

bool gen_device_lost_memory(struct gen_device *d, uint64_t addr)
{
    static const char text[] = "the program has given back the memory at 0x%llx, which the kernel "
                               "uses";
    struct wt_machine *m = &d->machine;
    struct gen_thread *t = &d->thread[m->turns.current];
    const struct gen_uop *u = d->sending;
    d->sending = NULL;
    if (!m->in_turn || !u) {
        m->fault = (struct wt_fault){.kind = WT_FAULT_ACCESS,
                                     .wave = t->id,
                                     .lanes = t->mask,
                                     .pc = t->pc,
                                     .addr = addr,
                                     .time = m->time};
        snprintf(m->fault.text, sizeof m->fault.text, text, (unsigned long long)addr);
        m->in_turn = false;
        return false;
    }
    gen_fault(t, u, WT_FAULT_ACCESS, t->mask, addr, text, (unsigned long long)addr);
    m->turns.left -= (uint32_t)wt_finish_turn(m, t->left);
    return true;
}
