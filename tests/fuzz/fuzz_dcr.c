/*
 * Fuzz target: device configuration registers. The input is a list of numbers and values, and of
 * launches of what they describe, on a small device of either version. A register that takes a
 * value gives it back; a launch ends, is refused, or runs on; none leaves a warp behind.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/fault.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/run.h"
#include "emulator/vortex/launch.h"
#include "emulator/vortex/profile.h"
#include "emulator/vortex/vortex.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    HEADER = 1,
    RECORD = 6,
    LAUNCH = 0xffff,
    BASE = 0x80000000u,
    ENTRY = BASE + 0x100,
    ISSUES = 300
};

static const uint32_t code[] = {
    0xce102df3, /* csrr  s11, vx_cta_entry */
    0x34002573, /* csrr  a0, mscratch */
    0x000d80e7, /* jalr  ra, s11 */
    0x0000700b, /* wsync */
    0x0000000b, /* tmc   x0 */
};
static const uint32_t kernel[] = {
    0xcd6022f3, /* csrr  t0, vx_block_id_x */
    0xcdf02373, /* csrr  t1, vx_lmem_addr */
    0x00532023, /* sw    t0, 0(t1) */
    0x00008067, /* ret */
};

static struct vx_device *new_device(uint8_t header)
{
    struct vx_config config;
    struct vx_device *device;
    struct wt_error err;
    vx_config_default(&config);
    if (header & 1)
        vx_config_use_profile(&config, vx_profile_named("v3"));
    config.xlen = header & 2 ? 64 : 32;
    config.threads = 1u << (header >> 2 & 3);
    config.warps = 1u << (header >> 4 & 3);
    config.cores = 1 + (header >> 6 & 1);
    if (vx_device_new(&config, &device, &err))
        abort();
    struct wt_machine *m = vx_machine(device);
    if (!m->ops->write_memory(m, UINT32_MAX, 0, BASE, code, sizeof code) ||
        !m->ops->write_memory(m, UINT32_MAX, 0, ENTRY, kernel, sizeof kernel))
        abort();
    vx_device_stop(device);
    m->fault.kind = WT_FAULT_NONE;
    vx_device_dcr_write(device, header & 1 ? 0x10 : 0x01, BASE);
    return device;
}

static void write_one(struct vx_device *device, uint32_t addr, uint32_t value)
{
    uint32_t is;
    const bool written = vx_device_dcr_write(device, addr, value);
    if (written && vx_device_dcr_read(device, addr, &is) && is != value &&
        addr > 5) /* those of 2.x cannot be read; CACHE_FLUSH reads 0 */
        abort();
}

static void launch(struct vx_device *device)
{
    struct wt_machine *m = vx_machine(device);
    struct vx_launch is;
    struct wt_error err = {.text = ""};
    const uint64_t before = m->time;
    if (vx_device_start(device, &err)) {
        if (!err.text[0] || m->active)
            abort();
        return;
    }
    vx_device_launch_registers(device, &is);
    const enum wt_run run = m->ops->run(m, ISSUES);
    if (m->time - before > ISSUES || (run == WT_RUN_FAULT && !m->fault.text[0]) ||
        (run == WT_RUN_ENDED && m->active))
        abort();
    vx_device_stop(device);
    m->fault.kind = WT_FAULT_NONE;
    if (m->active)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST_LAUNCHES = 8 };
    unsigned launches = 0;
    if (size < HEADER)
        return 0;
    struct vx_device *device = new_device(data[0]);
    for (data += HEADER, size -= HEADER; size >= RECORD; data += RECORD, size -= RECORD) {
        const uint32_t addr = (uint32_t)wt_load_le(data, 2);
        if (addr != LAUNCH)
            write_one(device, addr, (uint32_t)wt_load_le(data + 2, 4));
        else if (launches++ < MOST_LAUNCHES)
            launch(device);
    }
    vx_device_free(device);
    return 0;
}
