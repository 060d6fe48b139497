/*
 * Save areas from any bytes, as a driver or a process might leave them: the GCN probe lists waves
 * of them within its bounds or says what is wrong; what it lists can be looked at, stepped and
 * resumed.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "debug/gcn/gcn.h"

#define AREA UINT64_C(0x10000)
#define AREA_SIZE 65536u

struct driver {
    uint8_t area[AREA_SIZE];
    unsigned calls;
};

static enum wt_status ask(void *context, const struct wt_wire_request *request, const void *more,
                          struct wt_wire_answer *answer, void *out, size_t room,
                          struct wt_error *err)
{
    struct driver *d = context;
    struct kfd_queue_entry *queue = out;
    struct kfd_device_entry *device = out;
    *answer = (struct wt_wire_answer){.result = 0};
    switch (request->verb) {
    case KFD_WIRE_CALL:
        d->calls++;
        memmove(out, more, request->follows);
        ((struct kfd_debug_call *)out)->result = 0;
        answer->size = request->follows;
        break;
    case KFD_WIRE_QUEUES:
        *queue = (struct kfd_queue_entry){.ring_base_address = AREA,
                                          .read_pointer_address = AREA + 64,
                                          .ctx_save_restore_address = AREA,
                                          .ring_size = 1024,
                                          .gpu_id = d->area[AREA_SIZE - 1],
                                          .queue_type = 2,
                                          .ctx_save_restore_area_size = AREA_SIZE};
        answer->size = sizeof *queue;
        break;
    case KFD_WIRE_DEVICES: /* two of different sizes; the queue may be of neither */
        for (uint32_t i = 0; i < 2; i++)
            device[i] = (struct kfd_device_entry){.lds_base = (uint64_t)1 << 48,
                                                  .lds_limit = ((uint64_t)1 << 48) + UINT32_MAX,
                                                  .scratch_base = (uint64_t)2 << 48,
                                                  .scratch_limit = ((uint64_t)2 << 48) + UINT32_MAX,
                                                  .gpu_id = i,
                                                  .gfx_target_version = 90000,
                                                  .simd_count = 8 >> i,
                                                  .max_waves_per_simd = 10};
        answer->size = 2 * sizeof *device;
        break;
    default:
        abort();
    }
    return WT_OK;
}

static bool inside(uint64_t addr, size_t size)
{
    return addr >= AREA && size <= AREA_SIZE && addr - AREA <= AREA_SIZE - size;
}

static enum wt_status read_memory(void *context, wt_wave_handle wave, unsigned lane, uint64_t addr,
                                  void *out, size_t size, struct wt_error *err)
{
    if (!inside(addr, size))
        return wt_fail(err, WT_INVALID, "no memory");
    memcpy(out, ((struct driver *)context)->area + (addr - AREA), size);
    return WT_OK;
}

static enum wt_status write_memory(void *context, wt_wave_handle wave, unsigned lane, uint64_t addr,
                                   const void *bytes, size_t size, struct wt_error *err)
{
    if (!inside(addr, size))
        return wt_fail(err, WT_INVALID, "no memory");
    memcpy(((struct driver *)context)->area + (addr - AREA), bytes, size);
    return WT_OK;
}

static enum wt_status event(void *context, bool wait, struct wt_link_event *there,
                            struct wt_error *err)
{
    *there = (struct wt_link_event){.attention = true};
    return WT_OK;
}

static bool ended(void *context, uint32_t *status, char *text, size_t size)
{
    *status = 0;
    return false;
}

static const struct wt_link_ops ops = {
    .read = read_memory, .write = write_memory, .event = event, .ended = ended, .ask = ask};

static void look_at(struct wt_probe *p, uint32_t wave)
{
    const struct wt_probe_ops *o = &wt_probe_gcn;
    const struct wt_topology *t = o->topology(p);
    struct wt_probe_exception exception;
    struct wt_watchpoint_hit watched;
    bool any;
    struct wt_probe_step step;
    struct wt_wave w;
    enum wt_halt_cause cause;
    uint64_t pc;
    wt_lanes mask;
    uint8_t row[64 * 8];
    struct wt_error err;
    o->describe_wave(p, wave, &w);
    if (!w.id || w.lanes != 64 || w.core >= t->cores || w.device != (w.core >= t->device_cores[0]))
        abort();
    o->halt_cause(p, wave, &cause, &pc, &err);
    o->mask(p, wave, &mask, &err);
    o->exception(p, wave, &exception, &err);
    o->watched(p, wave, &watched, &any, &err);
    for (unsigned i = 0; i < t->register_count; i += 7)
        if (o->read_rows(p, wave, wt_lanes_first(64), &i, 1, row, &err) == WT_OK)
            o->write_row(p, wave, wt_lanes_first(64), i, row, &err);
    for (uint32_t space = 0; space < t->space_count; space++) {
        o->read_memory(p, wave, 63, (struct wt_address){space, 6}, row, 40, &err);
        o->write_memory(p, wave, 5, (struct wt_address){space, 100}, row, 9, &err);
    }
    o->step(p, wave, &step, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct wt_probe_ops *o = &wt_probe_gcn;
    struct driver *driver = calloc(1, sizeof *driver);
    const struct wt_link link = {&ops, driver, true, 2, {0}, {0}};
    const struct wt_target_services services = {.pump = NULL};
    const struct wt_target target = {.link = &link, .services = &services};
    struct wt_probe *p;
    struct wt_wave_set active, halted;
    struct wt_probe_event happened;
    struct wt_error err;
    memcpy(driver->area, data, size < AREA_SIZE ? size : AREA_SIZE);
    if (o->open(o, &target, false, &p, &err))
        abort();
    for (unsigned round = 0; round < 3; round++) {
        o->hold_launches(p, round == 1);
        if (o->scan(p, &active, &halted, &err))
            break;
        for (uint32_t i = 0, looks = 0; i < o->topology(p)->waves && looks < 8; i++)
            if (wt_wave_set_has(&active, i)) {
                look_at(p, i);
                looks++;
            }
        if (o->halt(p, &active, &err) || o->resume(p, &halted, &err))
            break;
        while (o->next_event(p, &happened, &err) == WT_OK && happened.kind != WT_PROBE_NOTHING)
            continue;
    }
    o->close(p);
    free(driver);
    return 0;
}
