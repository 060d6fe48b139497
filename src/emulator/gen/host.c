/* A device inside a host process. See host.h. */
#include "emulator/gen/host.h"

#include <stdio.h>
#include <string.h>

#include "emulator/gen/internal.h"

enum wt_status gen_device_new_in_host(const struct gen_config *config, struct gen_device **device,
                                      struct wt_error *err)
{
    enum wt_status status;
    if ((status = gen_device_new(config, device, err)) ||
        (status = wt_in_process_begin(&(*device)->machine, err)))
        return status;
    (*device)->root = 0;
    return WT_OK;
}

/* ---- operations of a recording ---- */

/* Threads of the program write no code that runs. */
uint32_t gen_do_write_copy(struct wt_machine *m, const void *bytes, size_t size)
{
    struct gen_device *d = (struct gen_device *)m;
    uint64_t addr;
    if (size < sizeof addr)
        return 0;
    memcpy(&addr, bytes, sizeof addr);
    if (addr >> WT_MEMORY_ADDRESS_BITS) /* of a core file, it may be anything */
        return 0;
    wt_observe_change(m, 0, 0, addr, (const uint8_t *)bytes + sizeof addr, size - sizeof addr);
    wt_tlb_clear(&d->machine.tlb); /* the pages may move to private copies */
    return wt_memory_write(d->machine.memory, addr, (const uint8_t *)bytes + sizeof addr,
                           size - sizeof addr);
}

uint32_t gen_do_hold(struct wt_machine *m, const void *bytes, size_t size)
{
    struct gen_device *d = (struct gen_device *)m;
    uint32_t thread;
    if (size != sizeof thread)
        return 0;
    memcpy(&thread, bytes, sizeof thread);
    if (thread >= m->waves || !d->thread[thread].active)
        return 0;
    gen_device_hold(d, thread);
    return 1;
}

const wt_input_operation gen_operations[] = {gen_do_write_copy, gen_do_hold, NULL};

/* ---- memory that the program has taken back ---- */

bool gen_device_lost_memory(struct gen_device *d, uint64_t addr)
{
    struct wt_machine *m = &d->machine;
    struct gen_thread *t = &d->thread[m->turns.current];
    const struct gen_uop *u = gen_blocks_lost(d);
    if (!m->in_turn || !u) {
        m->fault = (struct wt_fault){.kind = WT_FAULT_ACCESS,
                                     .wave = t->id,
                                     .lanes = t->mask,
                                     .pc = t->pc,
                                     .addr = addr,
                                     .time = m->time};
        snprintf(m->fault.text, sizeof m->fault.text, WT_LOST_MEMORY, (unsigned long long)addr);
        m->in_turn = false;
        return false;
    }
    gen_fault(t, u, WT_FAULT_ACCESS, t->mask, addr, WT_LOST_MEMORY, (unsigned long long)addr);
    m->turns.left -= (uint32_t)wt_finish_turn(m, t->left);
    return true;
}
