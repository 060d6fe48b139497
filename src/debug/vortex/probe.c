/* The Vortex probe: launches, steps, resets and the way in, over the Debug Module's functions. */
#include "debug/vortex/dm.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

/* ---- what waves that begin do ---- */

static void vortex_hold_launches(struct wt_probe *p, bool hold)
{
    p->hold = hold;
}

/* A set of warps, plus the warps that are not active: those stay halted when another warp starts
 * them. */
static const struct wt_wave_set *with_inactive(struct wt_probe *p, const struct wt_wave_set *set,
                                               struct wt_wave_set *all)
{
    for (unsigned i = 0; i < p->windows; i++)
        all->word[i] = set->word[i] | ~p->active.word[i];
    return all;
}

static enum wt_status vortex_halt(struct wt_probe *p, const struct wt_wave_set *asked,
                                  struct wt_error *err)
{
    struct wt_wave_set all;
    const bool hold = p->hold && !p->held;
    enum wt_status status;
    if ((status = vortex_halt_set(p, hold ? with_inactive(p, asked, &all) : asked, err)) != WT_OK)
        return status;
    p->held |= hold;
    return WT_OK;
}

static enum wt_status vortex_resume(struct wt_probe *p, const struct wt_wave_set *asked,
                                    struct wt_error *err)
{
    struct wt_wave_set all;
    const bool release = !p->hold && p->held;
    enum wt_status status;
    if ((status = vortex_resume_set(p, release ? with_inactive(p, asked, &all) : asked, err)) !=
        WT_OK)
        return status;
    p->held &= !release;
    return WT_OK;
}

/* A warp's step has ended the warp, and left it halted: it must not still be halted when it starts
 * again. */
static enum wt_status release_ended(struct wt_probe *p, uint32_t wave, struct wt_error *err)
{
    struct wt_wave_set one;
    if (p->hold)
        return WT_OK;
    memset(&one, 0, sizeof one);
    wt_wave_set_add(&one, wave);
    return vortex_resume_set(p, &one, err);
}

/* ---- steps ---- */

/* Adds the reads that examine the selected warp's step, and after the run evaluates them. */
static void add_step_look(struct wt_probe *p)
{
    dm_get(p, DM_DCTRL);
    dm_get(p, DM_DPC);
    dm_get(p, DM_WACTIVE);
    dm_get(p, DM_WSTATUS);
}

static enum wt_status look_at_step(struct wt_probe *p, uint32_t wave, struct wt_probe_step *step,
                                   struct wt_error *err)
{
    size_t n = p->batch.count;
    uint32_t dctrl = dm_got(p, n - 4), bit = wave % 32;
    bool halted = dm_got(p, n - 1) >> bit & 1;
    step->active = dm_got(p, n - 2) >> bit & 1;
    step->done = !(dctrl & DCTRL_STEPSTATE) && (halted || !step->active);
    step->cause = vortex_cause_of(p, wave, dctrl);
    step->pc = vortex_whole_pc(p, dm_got(p, n - 3));
    p->step_under_way = !step->done;
    p->step_wave = wave;
    enum wt_status status;
    if (step->done && step->active &&
        (status = vortex_upper_pcs(p, &wave, 1, &step->pc, sizeof step->pc, err)) != WT_OK)
        return status;
    if (!step->active)
        wt_wave_set_remove(&p->active, wave);
    if (step->done && step->cause == WT_HALT_BREAKPOINT)
        return vortex_halt_cause(p, wave, &step->cause, &step->pc, err);
    if (step->done)
        wt_wave_set_add(&p->examined, wave);
    return step->done && !step->active ? release_ended(p, wave, err) : WT_OK;
}

static enum wt_status finish_step(struct wt_probe *p, uint32_t wave, struct wt_probe_step *step,
                                  struct wt_error *err)
{
    const enum wt_status status = look_at_step(p, wave, step, err);
    step->pc = vortex_code_of(p, wave, step->pc);
    return status;
}

static enum wt_status vortex_step(struct wt_probe *p, uint32_t wave, struct wt_probe_step *step,
                                  struct wt_error *err)
{
    if (p->step_under_way)
        return wt_fail(err, WT_STATE, "a step of warp %u is under way", (unsigned)p->step_wave);
    enum wt_status status = vortex_repay(p, err);
    if (status)
        return status;
    vortex_forget(p, wave);
    dm_begin(p);
    dm_select(p, wave / 32, wave, 0);
    dm_request(p, DCTRL_STEPREQ);
    /* A slow device is not the same as a warp that waits: make some more accesses in
     * the same trip. */
    for (int i = 0; i < 32 && !(p->brisk && p->polls == 1); i++)
        dm_get(p, DM_DCTRL);
    add_step_look(p);
    status = dm_run(p, err);
    return status ? status : finish_step(p, wave, step, err);
}

static enum wt_status vortex_step_poll(struct wt_probe *p, uint32_t wave,
                                       struct wt_probe_step *step, struct wt_error *err)
{
    dm_begin(p);
    dm_select(p, wave / 32, wave, 0);
    add_step_look(p);
    enum wt_status status = dm_run(p, err);
    return status ? status : finish_step(p, wave, step, err);
}

/* ---- who is in a slot ---- */

/* Of a warp that has ended it is what was found before. */
static bool describe_work(struct wt_probe *p, wt_wave_handle handle, struct wt_wave *wave)
{
    struct known_work *k = &p->work[handle];
    struct wt_vortex_work work;
    if (k->id != wave->id && p->link->work(p->link->work_context, handle, &work))
        *k = (struct known_work){.id = wave->id, .is = work};
    if (k->id != wave->id || k->id == WT_NO_WAVE)
        return false;
    wave->has_work = wave->has_place = true;
    wave->dispatch = wave->id >> 44 & 0xffff;
    memcpy(wave->group, k->is.group, sizeof wave->group);
    memcpy(wave->block, k->is.block, sizeof wave->block);
    memcpy(wave->grid, k->is.grid, sizeof wave->grid);
    wave->index = k->is.rank;
    wave->place = k->is.place;
    wave->local = k->is.local;
    wave->local_size = k->is.local_size;
    return true;
}

static void vortex_describe_wave(struct wt_probe *p, wt_wave_handle handle, struct wt_wave *wave)
{
    *wave = (struct wt_wave){.id = vortex_wave_id(p, handle), .lanes = p->topology.lanes};
    vortex_place(p, handle, wave);
    if (p->work && describe_work(p, handle, wave))
        return;
    if (!p->link->host)
        return;
    /* The warps of a core share local memory and barriers. The launch's number is that of the run
     * (wt_machine_wave_id()). */
    wave->has_work = true;
    wave->dispatch = wave->id >> 44 & 0xffff;
    wave->group[0] = wave->core;
    for (unsigned i = 0; i < wave->device; i++)
        wave->group[0] -= p->device_cores[i];
    wave->index = wave->slot;
}

/* The device was reset: no warp is the one that was in its slot before. */
static void begin_epoch(struct wt_probe *p)
{
    p->epoch++;
    memset(&p->active, 0, sizeof p->active);
}

static void vortex_replaced(struct wt_probe *p)
{
    p->saved.valid = p->wmask_known = p->scanned = false;
    memset(&p->went, 0, sizeof p->went);
    memset(&p->examined, 0, sizeof p->examined);
    memset(&p->overtaken, 0, sizeof p->overtaken);
    p->step_under_way = p->owes = p->owes_shift = p->owes_memory = false;
    p->end_reported = false;
}

static enum wt_status vortex_reset_halted(struct wt_probe *p, struct wt_error *err)
{
    struct wt_wave_set all;
    memset(&all, 0xff, sizeof all);
    const bool wmask_known = p->wmask_known; /* WMASK survives a reset */
    vortex_replaced(p);
    begin_epoch(p);
    p->hold = p->held = true;
    p->wmask_known = wmask_known;
    dm_begin(p);
    vortex_select(p, &all);
    dm_request(p, DCTRL_RESETHALTREQ);
    dm_request(p, DCTRL_NDMRESET);
    enum wt_status status = vortex_run_selection(p, err);
    if (!status)
        status = dm_wait_clear(p, DCTRL_NDMRESET, "the end of the reset (DCTRL.ndmreset)", err);
    if (status)
        return status;
    struct dm_wait wait;
    dm_wait_begin(p, &wait);
    for (;;) {
        struct wt_wave_set active, halted;
        if ((status = vortex_scan(p, &active, &halted, err)))
            return status;
        bool any = false, late = false;
        uint32_t first = 0;
        for (unsigned i = 0; i < p->windows; i++) {
            if (!any && active.word[i])
                first = 32 * i + (uint32_t)__builtin_ctz(active.word[i]);
            any |= active.word[i] != 0;
            late |= (active.word[i] & ~halted.word[i]) != 0;
        }
        if (any && !late)
            return vortex_find_code(p, first, err);
        if (!dm_wait_more(&wait))
            return wt_fail(err, WT_TIMEOUT,
                           any ? "warps are still running after the reset: waited for WSTATUS to "
                                 "show them halted (DCTRL.resethaltreq)"
                               : "no warp became active after the reset: waited for WACTIVE");
    }
}

/* ---- the program's end ---- */

/* A host program has ended when it says so, and has other code than before. */
static enum wt_status host_event(struct wt_probe *p, struct wt_probe_event *event,
                                 struct wt_error *err)
{
    const struct wt_vortex_host *host = p->link->host;
    bool changed;
    uint64_t state;
    if (p->end_reported)
        return WT_OK;
    const enum wt_status status = host->code_changed(host->context, &changed, &state, err);
    if (host->ended(host->context, &event->status, event->text, sizeof event->text)) {
        event->kind = WT_PROBE_ENDED;
        p->end_reported = true;
        return WT_OK;
    }
    if (status || !changed || (p->code_told && p->code == state))
        return status;
    event->kind = WT_PROBE_MODULES_CHANGED;
    p->code_told = true;
    p->code = state;
    return WT_OK;
}

static enum wt_status vortex_modules_known(struct wt_probe *p, struct wt_error *err)
{
    const struct wt_vortex_host *host = p->link->host;
    if (!host || !p->code_told)
        return WT_OK;
    p->code_told = false;
    return host->code_known(host->context, p->code, err);
}

/* No warp is active: the program has ended. Its exit word is read through warp 0. */
static enum wt_status vortex_next_event(struct wt_probe *p, struct wt_probe_event *event,
                                        struct wt_error *err)
{
    bool any = false;
    for (unsigned i = 0; i < p->windows; i++)
        any |= p->active.word[i] != 0;
    event->kind = WT_PROBE_NOTHING;
    if (p->link->host)
        return host_event(p, event, err);
    if (any || p->end_reported)
        return WT_OK;
    struct wt_wave_set one;
    uint8_t word[4] = {0};
    struct wt_error why;
    memset(&one, 0, sizeof one);
    wt_wave_set_add(&one, 0);
    enum wt_status status;
    if ((status = vortex_halt_set(p, &one, err)) != WT_OK)
        return status;
    event->text[0] = 0;
    if (vortex_read_memory(p, 0, 0, wt_address_of(p->link->exit_addr), word, sizeof word, &why))
        snprintf(event->text, sizeof event->text, "the exit word cannot be read: %.180s", why.text);
    if ((status = vortex_resume_set(p, &one, err)) != WT_OK)
        return status;
    event->kind = WT_PROBE_ENDED;
    event->status = (uint32_t)wt_load_le(word, 4);
    p->end_reported = true;
    return WT_OK;
}

/* ---- whose code it is ---- */

static enum wt_status told_survey(struct wt_probe *p, const uint32_t *wave, size_t count,
                                  struct wt_probe_view *view, struct wt_error *err)
{
    const enum wt_status status = vortex_survey(p, wave, count, view, err);
    for (size_t i = 0; i < count && !status; i++)
        view[i].pc = vortex_code_of(p, wave[i], view[i].pc);
    return status;
}

static enum wt_status told_halt_cause(struct wt_probe *p, uint32_t wave, enum wt_halt_cause *cause,
                                      uint64_t *pc, struct wt_error *err)
{
    const enum wt_status status = vortex_halt_cause(p, wave, cause, pc, err);
    *pc = status ? *pc : vortex_code_of(p, wave, *pc);
    return status;
}

static const struct wt_topology *vortex_topology(struct wt_probe *p)
{
    return &p->topology;
}

/* ---- opening ---- */

static enum wt_status vortex_reattach(struct wt_probe *p, bool *was_reset, struct wt_error *err)
{
    bool slept;
    *was_reset = false;
    enum wt_status status = vortex_wake(p, &slept, err);
    if (status)
        return status;
    dm_begin(p);
    size_t at = dm_get(p, DM_PLATFORM);
    dm_put(p, DM_DCONFIG, p->dconfig | DCONFIG_EH);
    if ((status = dm_run(p, err)))
        return status;
    if (dm_got(p, at) != p->platform)
        return wt_fail(err, WT_STATE,
                       "this is another device than before: PLATFORM reads 0x%08x, it was 0x%08x; "
                       "end this session and attach to it",
                       (unsigned)dm_got(p, at), (unsigned)p->platform);
    p->wmask_known = p->saved.valid = p->stuck = false;
    if (slept) {
        /* The device was reset: steps under way and borrowed registers are gone. */
        memset(&p->went, 0, sizeof p->went);
        memset(&p->examined, 0, sizeof p->examined);
        memset(&p->overtaken, 0, sizeof p->overtaken);
        memset(&p->found, 0, sizeof p->found);
        begin_epoch(p);
        *was_reset = true;
        p->step_under_way = p->owes = p->owes_shift = p->owes_memory = false;
    }
    return WT_OK;
}

static enum wt_status vortex_reconnect(struct wt_probe *p, struct wt_error *err)
{
    return wt_bus_reconnect(p->bus, err);
}

static enum wt_status vortex_start(struct wt_probe *p, struct wt_error *err)
{
    return wt_bus_start(p->bus, err);
}

static void vortex_close(struct wt_probe *p)
{
    if (!p)
        return;
    if (p->windows)
        wt_bus_write(p->bus, DM_DCONFIG, p->dconfig, WT_IGNORED);
    free(p->batch.op);
    free(p->batch.injection);
    free(p->registers);
    free(p->incarnation);
    free(p->work);
    free(p->device_cores);
    free(p);
}

/* Vortex has no exceptions: these are the faults at which the emulator stops. */
static const struct wt_exception exceptions[] = {
    {"illegal", WT_FAULT_ILLEGAL},
    {"divergence", WT_FAULT_DIVERGENCE},
    {"stack_overflow", WT_FAULT_STACK_OVERFLOW},
    {"stack_underflow", WT_FAULT_STACK_UNDERFLOW},
    {"misaligned", WT_FAULT_MISALIGNED},
    {"access", WT_FAULT_ACCESS},
    {"deadlock", WT_FAULT_DEADLOCK},
    {"trap", WT_FAULT_TRAP},
};

static enum wt_status vortex_open(const struct wt_probe_ops *ops, const struct wt_target *target,
                                  bool use_memory_port, struct wt_probe **probe,
                                  struct wt_error *err)
{
    *probe = NULL;
    const struct wt_vortex_link *link = target->link;
    if (link->xlen != 0 && link->xlen != 32 && link->xlen != 64)
        return wt_fail(err, WT_INVALID, "xlen is 32 or 64, not %u", link->xlen);
    struct wt_probe *p = calloc(1, sizeof *p);
    if (!p)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the probe");
    p->target = target;
    p->link = link;
    p->bus = link->bus;
    p->port = use_memory_port;
    p->polls = 1;
    enum wt_status status = vortex_wake(p, NULL, err);
    if (!status)
        status = vortex_read_platform(p, err);
    if (!status)
        status = vortex_describe(p, err);
    if (!status)
        status = vortex_make_registers(p, err);
    if (!status && p->port && link->work && !(p->work = calloc(p->topology.waves, sizeof *p->work)))
        status = wt_fail(err, WT_NO_MEMORY, "out of memory for the probe");
    if (status) {
        vortex_close(p);
        wt_fail_in(err, "attaching to the Debug Module");
        return status;
    }
    struct wt_topology *t = &p->topology;
    t->family = "vortex";
    t->takes_symbols = true;
    t->arch = p->xlen == 64 ? "riscv:rv64" : "riscv:rv32";
    t->triple = p->xlen == 64 ? "riscv64-unknown-unknown-elf" : "riscv32-unknown-unknown-elf";
    t->address_bits = p->xlen;
    t->result_registers = 2; /* RISC-V calling conventions: a0, a1 */
    /* Local memory lies in this range: at its addresses each core has its own. */
    p->space = (struct wt_space){
        .name = "memory", .dwarf = 0, .scope = WT_SCOPE_CORE, .address_bits = p->xlen};
    t->spaces = &p->space;
    t->space_count = 1;
    t->wave_word = "warp";
    t->lane_word = "thread";
    t->exceptions = exceptions;
    t->exception_count = sizeof exceptions / sizeof *exceptions;
    t->code_granule = 2;
    t->host_launches = link->host;
    t->has_grid = p->work;
    *probe = p;
    return WT_OK;
}

const struct wt_probe_ops wt_probe_vortex = {
    .family = "vortex",
    .open = vortex_open,
    .close = vortex_close,
    .reattach = vortex_reattach,
    .reconnect = vortex_reconnect,
    .start = vortex_start,
    .topology = vortex_topology,
    .summary = vortex_summary,
    .scan = vortex_scan,
    .wave_id = vortex_wave_id,
    .describe_wave = vortex_describe_wave,
    .next_event = vortex_next_event,
    .modules_known = vortex_modules_known,
    .hold_launches = vortex_hold_launches,
    .halt = vortex_halt,
    .resume = vortex_resume,
    .step = vortex_step,
    .step_poll = vortex_step_poll,
    .halt_cause = told_halt_cause,
    .mask = vortex_mask,
    .survey = told_survey,
    .reset_halted = vortex_reset_halted,
    .replaced = vortex_replaced,
    .read_rows = vortex_read_rows,
    .write_row = vortex_write_row,
    .read_memory = vortex_read_memory,
    .write_memory = vortex_write_memory,
    .window = vortex_window,
    .patch = vortex_patch,
    .decode = vortex_decode,
    .find_kept = vortex_find_kept,
};
