/*
 * Fuzz target: instruction decode and execution. A header chooses the device, the rest is code that
 * a small device runs for a bounded number of issues. A fault must tell what and where; the
 * disassembler must have a text for every word; and a run in slices, a traced run and a run in one
 * piece must reach the same state, the latter with blocks translated from the first visit on.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/fault.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/run.h"
#include "emulator/machine/trace.h"
#include "emulator/vortex/profile.h"
#include "emulator/vortex/vortex.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEADER = 4, BASE = 0x80000000u, ISSUES = 400 };

static struct vx_device *new_device(const uint8_t *header, const uint8_t *code, size_t length,
                                    unsigned jit)
{
    struct vx_config config;
    struct wt_error err;
    struct vx_device *device;
    vx_config_default(&config);
    config.xlen = header[0] & 1 ? 64 : 32;
    config.threads = 1u << (header[0] >> 1 & 7);
    config.warps = 1 + (header[0] >> 4 & 3);
    config.cores = 1 + (header[0] >> 6 & 1);
    config.clusters = 1 + (header[0] >> 7);
    config.follow_rtl_branches = header[1] & 1;
    config.allow_misaligned = header[1] >> 1 & 1;
    config.part_lanes = header[3] >> 2 & 1;
    config.argument = header[2];
    config.jit = jit;
    if (header[1] >> 4 & 1) {
        vx_config_use_profile(&config, vx_profile_named("v3"));
        config.launch = (struct vx_launch){.grid = {1 + (header[2] & 7), 1 + (header[2] >> 6), 1},
                                           .block = {1 + (header[3] >> 3), 1, 1},
                                           .cluster = {1 + (header[1] >> 5 & 1), 1, 1},
                                           .local_size = header[1] >> 6 << 11,
                                           .entry = BASE};
    }
    char schedule[32];
    static const char *const kinds[] = {"rr:%u", "lockstep", "random:%u", "rr:1"};
    snprintf(schedule, sizeof schedule, kinds[header[1] >> 2 & 3], 1 + (header[3] & 31u));
    if (wt_schedule_parse(schedule, &config.schedule, &err) ||
        vx_device_new(&config, &device, &err))
        abort();
    struct wt_segment segment = {.addr = BASE,
                                 .size = length,
                                 .bytes = (uint8_t *)(uintptr_t)code,
                                 .length = length,
                                 .executable = true};
    struct wt_image image = {.format = WT_IMAGE_RAW,
                             .has_entry = true,
                             .entry = BASE,
                             .segment = &segment,
                             .segments = 1};
    if (vx_device_load(device, &image, &err))
        abort();
    return device;
}

static void ignore_trace(void *context, const struct wt_trace *trace)
{
    if (!trace->text[0] || (trace->length != 2 && trace->length != 4))
        abort();
    ++*(uint64_t *)context;
}

static void check_fault(struct wt_machine *m, enum wt_run run)
{
    if ((run == WT_RUN_FAULT) != (m->fault.kind != WT_FAULT_NONE))
        abort();
    if (run != WT_RUN_FAULT)
        return;
    if (!m->fault.text[0] || m->fault.wave >= m->waves)
        abort();
    if (m->fault.kind != WT_FAULT_DEADLOCK && !m->fault.lanes)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size <= HEADER || size > HEADER + 1024)
        return 0;
    const uint8_t *code = data + HEADER;
    size_t length = size - HEADER;
    for (size_t i = 0; i < length; i += 2) {
        char text[128] = "";
        unsigned available = length - i > 4 ? 4 : (unsigned)(length - i);
        if (available < 2)
            break;
        unsigned n =
            vx_disassemble(code + i, available, data[0] & 1 ? 64 : 32, BASE + i, text, sizeof text);
        if ((n != 2 && n != 4) || !text[0])
            abort();
    }
    struct vx_device *whole = new_device(data, code, length, 1);
    struct vx_device *pieces = new_device(data, code, length, 0);
    struct wt_machine *a = vx_machine(whole), *b = vx_machine(pieces);
    enum wt_run run = a->ops->run(a, ISSUES);
    check_fault(a, run);
    if (run == WT_RUN_BUDGET && a->time != ISSUES)
        abort();
    enum wt_run again = WT_RUN_BUDGET;
    uint64_t traced = 0, untraced = 0;
    for (unsigned slice = 1; again == WT_RUN_BUDGET && b->time < a->time; slice = slice * 2 + 1) {
        uint64_t left = a->time - b->time, before = b->time;
        if (slice < left)
            left = slice;
        if (slice & 2) {
            again = b->ops->run_traced(b, left, ignore_trace, &traced);
        } else {
            again = b->ops->run(b, left);
            untraced += b->time - before;
        }
    }
    if (again == WT_RUN_BUDGET && run != WT_RUN_BUDGET)
        again = b->ops->run(b, 1);
    if (again != run || a->time != b->time || traced + untraced != b->time ||
        a->ops->hash(a) != b->ops->hash(b))
        abort();
    vx_device_flush_console(whole);
    vx_device_free(whole);
    vx_device_free(pieces);
    return 0;
}
