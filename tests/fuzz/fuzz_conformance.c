/*
 * The conformance test on Debug Modules that are wrong in any way: bits of registers flip when they
 * are read or written, now and then or always, writes get lost, the connection ends. It comes to
 * its end, with a verdict and a text for each check, within a bounded number of accesses.
 *
 * Input: the shape, then 4 bytes a fault: register and kind, bit, every so many accesses, from then
 * on for so many.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "debug/conformance/conformance.h"
#include "debug/vortex/vortex.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/run.h"
#include "emulator/vortex/vortex.h"

enum { MAX_FAULTS = 16, MAX_ACCESSES = 4000000 };
enum { READ_FLIPS, WRITE_FLIPS, WRITE_LOST, CUT };

struct fault {
    unsigned reg, kind, bit, period, from;
    unsigned seen;
};

struct module {
    struct wt_bus bus; /* first */
    struct vx_device *device;
    struct fault fault[MAX_FAULTS];
    size_t faults;
    unsigned accesses, reported;
};

/* Does the fault happen at this access? */
static bool happens(struct fault *f, unsigned reg, unsigned kind)
{
    if (f->reg != reg || f->kind != kind || ++f->seen <= f->from * 8)
        return false;
    return f->seen % (f->period + 1) == 0;
}

static enum wt_status transact(struct wt_bus *bus, struct wt_bus_op *ops, size_t count,
                               struct wt_error *err)
{
    struct module *m = (struct module *)bus;
    for (size_t i = 0; i < count; i++) {
        uint32_t flips = 0;
        bool lost = false;
        if (++m->accesses > MAX_ACCESSES)
            abort(); /* it would go on for ever */
        for (size_t k = 0; k < m->faults; k++) {
            struct fault *f = &m->fault[k];
            if (happens(f, ops[i].addr, CUT))
                return wt_fail(err, WT_IO, "cut");
            if (happens(f, ops[i].addr, ops[i].write ? WRITE_FLIPS : READ_FLIPS))
                flips ^= (uint32_t)1 << f->bit;
            lost |= ops[i].write && happens(f, ops[i].addr, WRITE_LOST);
        }
        if (!ops[i].write)
            ops[i].value = vx_dm_read(m->device, ops[i].addr) ^ flips;
        else if (!lost)
            vx_dm_write(m->device, ops[i].addr, ops[i].value ^ flips);
    }
    return WT_OK;
}

static void close_bus(struct wt_bus *bus)
{
}

static enum wt_pump pump(void *context, uint64_t budget)
{
    struct wt_machine *machine = vx_machine(((struct module *)context)->device);
    return machine->ops->run(machine, budget < 500 ? budget : 500) == WT_RUN_BUDGET ? WT_PUMP_RAN
                                                                                    : WT_PUMP_EVENT;
}

static void take(void *context, const struct wt_conformance_result *result)
{
    struct module *m = context;
    m->reported++;
    if (result->verdict != WT_VERDICT_PASS && !result->text[0])
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct wt_bus_ops ops = {.name = "fuzz", .transact = transact, .close = close_bus};
    static const struct wt_target_services services = {.pump = pump};
    static const char *const shapes[] = {"warps=1,threads=1", "", "cores=2,dm-clock=1",
                                         "xlen=64,cores=9,ebreak-pc=after"};
    struct module m = {.bus.ops = &ops};
    struct vx_config config;
    struct wt_error err;
    if (size == 0)
        return 0;
    vx_config_default(&config);
    if (wt_config_parse(&vx_config_table, &config, shapes[data[0] % 4], &err) ||
        vx_device_new(&config, &m.device, &err))
        abort();
    for (size_t at = 1; at + 4 <= size && m.faults < MAX_FAULTS; at += 4)
        m.fault[m.faults++] = (struct fault){.reg = data[at] & 15,
                                             .kind = data[at] >> 4 & 3,
                                             .bit = data[at + 1] & 31,
                                             .period = data[at + 2],
                                             .from = data[at + 3]};
    const struct wt_vortex_link link = {.bus = &m.bus};
    const struct wt_target target = {.link = &link, .services = &services, .context = &m};
    const struct wt_conformance_options options = {.result = take, .context = &m};
    struct wt_conformance_summary summary;
    const enum wt_status status = wt_conformance_run(&target, &options, &summary, &err);
    if (!status && m.reported != wt_conformance_check_count())
        abort();
    if (summary.passed + summary.failed + summary.cannot_tell != m.reported)
        abort();
    vx_device_free(m.device);
    return 0;
}
