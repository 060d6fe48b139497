/*
 * Fuzz target: Debug Module traffic. The input is a list of register reads, writes, runs and memory
 * writes on a small device with a program that uses all its warps. What the specification promises
 * of the registers must hold after every step.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/wave_view.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/run.h"
#include "emulator/vortex/vortex.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Starts all warps and threads, which count, diverge, meet at a barrier and begin again. */
static const uint32_t program[] = {
    0xfc1022f3, /*       csrr   t0, num_warps   */
    0x00000317, /*       auipc  t1, 0           */
    0x00c30313, /*       addi   t1, t1, 12      */
    0x0062900b, /*       wspawn t0, t1          */
    0x00f00293, /* work: li     t0, 15          */
    0x0002800b, /*       tmc    t0              */
    0x00f00293, /*       li     t0, 15          */
    0xcc0023f3, /*       csrr   t2, vx_thread_id */
    0x0013f313, /*       andi   t1, t2, 1       */
    0x00032e0b, /*       split  t3, t1          */
    0x00030463, /*       beqz   t1, +8          */
    0x00140413, /*       addi   s0, s0, 1       */
    0x000e300b, /*       join   t3              */
    0x00000493, /*       li     s1, 0           */
    0xfc102973, /*       csrr   s2, num_warps   */
    0x0124c00b, /*       bar    s1, s2          */
    0xfd1ff06f, /*       j      work            */
};

/* What must hold at any time, whatever was written. */
static void check(struct vx_device *device)
{
    struct wt_machine *m = vx_machine(device);
    uint32_t dctrl = vx_dm_read(device, VX_DM_DCTRL);
    /* Requests are not states: they read 0 (issue: "request bits read 0"). */
    if (dctrl & (1u << 6 | 1u << 3 | 1u << 2 | 1u << 1 | 1u << 0))
        abort();
    if (wt_field(dctrl, 23, 12))
        abort(); /* reserved */
    bool allhalted = dctrl >> 29 & 1, anyhalted = dctrl >> 28 & 1;
    bool allrunning = dctrl >> 27 & 1, anyrunning = dctrl >> 26 & 1;
    bool allunavail = dctrl >> 25 & 1, anyunavail = dctrl >> 24 & 1;
    if ((allhalted && !anyhalted) || (allrunning && !anyrunning) || (allunavail && !anyunavail) ||
        (allhalted && anyrunning) || (allrunning && anyhalted) ||
        (allunavail && (anyhalted || anyrunning)) || (!allunavail && !anyhalted && !anyrunning))
        abort();
    if (wt_field(dctrl, 11, 9) > 4 || wt_field(dctrl, 8, 7) > 2 || wt_field(dctrl, 5, 4) > 2)
        abort();
    if (vx_dm_read(device, VX_DM_PLATFORM) >> 28 != 1 || vx_dm_read(device, VX_DM_DSCRATCH3 + 1))
        abort();
    /* No warp beyond the last one is active or halted. */
    uint32_t winsel = vx_dm_read(device, VX_DM_DSELECT) >> 22;
    uint32_t exist = winsel * 32 >= m->waves        ? 0
                     : m->waves - winsel * 32 >= 32 ? UINT32_MAX
                                                    : (1u << (m->waves - winsel * 32)) - 1;
    if ((vx_dm_read(device, VX_DM_WACTIVE) | vx_dm_read(device, VX_DM_WSTATUS)) & ~exist)
        abort();
}

static struct vx_device *new_device(uint8_t shape)
{
    struct vx_config config;
    struct wt_error err;
    struct vx_device *device;
    vx_config_default(&config);
    config.xlen = shape & 1 ? 64 : 32;
    config.cores = 1 + (shape >> 1 & 3);
    config.warps = shape & 8 ? 13 : 2;
    config.dm_clock = shape >> 4 & 7;
    if (vx_device_new(&config, &device, &err))
        abort();
    struct wt_segment segment = {.addr = 0x80000000,
                                 .size = sizeof program,
                                 .bytes = (uint8_t *)(uintptr_t)program,
                                 .length = sizeof program,
                                 .executable = true};
    struct wt_image image = {.format = WT_IMAGE_RAW,
                             .has_entry = true,
                             .entry = 0x80000000,
                             .segment = &segment,
                             .segments = 1};
    if (vx_device_load(device, &image, &err))
        abort();
    vx_dm_write(device, VX_DM_DCTRL, 1u << 31);
    vx_dm_write(device, VX_DM_DCTRL, 1u << 31);
    return device;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { STEP = 5, STEPS = 200 };
    if (size < 1 || size > 1 + STEP * STEPS)
        return 0;
    struct vx_device *device = new_device(data[0]);
    struct wt_machine *m = vx_machine(device);
    for (size_t at = 1; at + STEP <= size; at += STEP) {
        uint32_t value = (uint32_t)wt_load_le(data + at + 1, 4);
        unsigned what = data[at] >> 4;
        switch (what) {
        case 0: /* run */
            if (m->ops->run(m, value % 300) == WT_RUN_FAULT && !m->fault.text[0])
                abort();
            break;
        case 1:
            wt_machine_clear_fault(m);
            break;
        case 2: /* as a program that writes itself, or a debugger that plants a breakpoint */
            m->ops->write_memory(m, 0, 0, 0x80000000 + value % sizeof program, data + at + 1, 4);
            break;
        case 3:
        case 4: { /* read, change, write back a bit of DCTRL, as clients do */
            uint32_t dctrl = vx_dm_read(device, VX_DM_DCTRL);
            vx_dm_write(device, VX_DM_DCTRL, dctrl | 1u << (value % 7));
            break;
        }
        case 5:
            (void)vx_dm_read(device, value);
            break;
        case 6:
            vx_dm_write(device, value >> 16, value);
            break;
        default:
            vx_dm_write(device, data[at] & 15, value);
            break;
        }
        check(device);
    }
    for (uint32_t wave = 0; wave < m->waves; wave++) {
        struct wt_wave_view view;
        m->ops->view(m, wave, &view);
        for (unsigned i = 0; i < view.depth; i++) {
            struct wt_divergence entry;
            if (!m->ops->divergence(m, wave, i, &entry))
                abort();
        }
    }
    m->ops->reset(m);
    check(device);
    vx_device_free(device);
    return 0;
}
