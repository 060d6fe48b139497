/* The device: making, loading, resetting, describing and hashing it. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "emulator/machine/explain.h"
#include "emulator/machine/fill.h"
#include "emulator/machine/hash.h"
#include "emulator/machine/mapped.h"
#include "emulator/machine/archive.h"
#include "emulator/vortex/fields.h"
#include "emulator/vortex/operands.h"
#include "emulator/vortex/trace.h"
#include "emulator/vortex/watch.h"

#define EM_RISCV 243

/* Bytes of one warp's registers, a multiple of 64, and where each part begins. */
struct layout {
    size_t x, f, lane32, lane64, reserved_addr, reserved_value, dscratch, ipdom, part, size;
};

static struct layout layout_of(const struct vx_config *config)
{
    const size_t lanes = config->threads;
    struct layout l = {0};
    size_t at = 0;
#define PART(member, bytes)                                                                        \
    l.member = at;                                                                                 \
    at += ((bytes) + 63) & ~(size_t)63
    PART(x, VX_X_ROWS * lanes * config->xlen / 8);
    PART(f, 32 * lanes * 8);
    PART(lane32, lanes * 4);
    PART(lane64, lanes * 8);
    PART(reserved_addr, lanes * 8);
    PART(reserved_value, lanes * 8);
    PART(dscratch, 4 * lanes * 4);
    PART(ipdom, (lanes > 1 ? lanes - 1 : 1) * sizeof(struct vx_ipdom));
    PART(part, lanes * sizeof(struct vx_part));
#undef PART
    l.size = at;
    return l;
}

static struct vx_device *device_of(struct wt_machine *m)
{
    return (struct vx_device *)m;
}

void vx_device_free(struct vx_device *d)
{
    if (!d)
        return;
    vx_dm_free(d);
    vx_blocks_free(d);
    wt_machine_end(&d->machine);
    wt_code_page_free((struct wt_code_page *)d->inject_code);
    free(d->trace);
    wt_console_free(&d->console);
    if (d->core)
        for (uint32_t i = 0; i < d->core_count; i++) {
            free(d->core[i].arrived);
            free(d->core[i].phase);
            free(d->core[i].left);
        }
    free(d->core);
    for (uint32_t i = 0; d->kept && i < d->machine.waves; i++)
        wt_kept_drop(d->kept[i].copy);
    free(d->kept);
    if (d->registers)
        munmap(d->registers, d->registers_size);
    free(d);
}

static void free_machine(struct wt_machine *m)
{
    vx_device_free(device_of(m));
}

/* Back to the state after reset; memory, general registers and the Debug Module stay. */
void vx_reset(struct wt_machine *m)
{
    struct vx_device *d = device_of(m);
    wt_machine_begin_run(m);
    d->halted = d->halted_active = 0;
    for (uint32_t i = 0; i < d->core_count; i++)
        d->core[i].active = 0;
    for (uint32_t i = 0; i < m->waves; i++) {
        struct vx_warp *w = &d->warp[i];
        w->active = w->halted = w->stepping = false;
        w->hacause = 0;
        w->pc = 0;
        w->mask = 0;
        w->full = false;
        if (w->touched)
            vx_set_mask(w, 0);
    }
    vx_launch_clear(d);
    d->profile->launch(d);
    vx_dm_after_reset(d);
}

/* Transactions for which a barrier still waits; "": none. */
static const char *pending(const struct vx_warp *w, char *text, size_t size)
{
    const uint32_t count = w->core->phase ? w->core->phase[w->wait_id].pending : 0;
    text[0] = 0;
    if (count)
        snprintf(text, size, "; %u transactions are pending", count);
    return text;
}

static void view_barrier(const struct vx_device *d, const struct vx_warp *w,
                         struct wt_wave_view *view)
{
    const uint32_t each = d->profile->slot_barriers;
    char more[48];
    if (each)
        snprintf(view->wait, sizeof view->wait,
                 "barrier %u of CTA place %u: %u of %u warps have arrived%s", w->wait_id % each,
                 w->wait_id / each, view->arrived, view->expected, pending(w, more, sizeof more));
    else
        snprintf(view->wait, sizeof view->wait, "barrier %u: %u of %u warps have arrived",
                 view->barrier, view->arrived, view->expected);
}

static void view_phase(const struct vx_device *d, const struct vx_warp *w,
                       struct wt_wave_view *view)
{
    const uint32_t each = d->profile->slot_barriers;
    char more[48];
    snprintf(view->wait, sizeof view->wait,
             "barrier %u of CTA place %u: until phase %u ends; %u have arrived%s",
             w->wait_id % each, w->wait_id / each, w->wait_count, view->arrived,
             pending(w, more, sizeof more));
}

static void view(struct wt_machine *m, uint32_t wave, struct wt_wave_view *view)
{
    assert(wave < m->waves && view);
    const struct vx_device *d = device_of(m);
    const struct vx_warp *w = &d->warp[wave];
    char more[48];
    *view = (struct wt_wave_view){
        .active = w->active,
        .waiting = w->wait != VX_RUNS,
        .wait_pc = w->wait_pc,
        .pc = w->pc,
        .mask = w->mask,
        .depth = w->depth + w->parts,
        .parts = d->config.part_lanes,
    };
    switch (w->wait) {
    case VX_RUNS:
        break;
    case VX_WAIT_WSPAWN:
        snprintf(view->wait, sizeof view->wait,
                 "wspawn: until it is the only active warp of its core");
        break;
    case VX_WAIT_BARRIER:
        view->at_barrier = true;
        view->barrier = w->wait_id;
        view->arrived = w->core->arrived[w->wait_id];
        view->expected = w->wait_count;
        view_barrier(d, w, view);
        break;
    case VX_WAIT_PHASE:
        view->barrier = w->wait_id;
        view->at_barrier = true;
        view->arrived = w->core->arrived[w->wait_id];
        view_phase(d, w, view);
        break;
    case VX_WAIT_GLOBAL_BARRIER:
        view->at_barrier = view->between_cores = true;
        view->barrier = w->wait_id;
        view->arrived = vx_cores_at_barrier(d, w->core, w->wait_id);
        view->expected = w->wait_count;
        snprintf(view->wait, sizeof view->wait,
                 "global barrier %u: until all active warps of %u cores have arrived%s", w->wait_id,
                 w->wait_count, pending(w, more, sizeof more));
        break;
    }
}

static bool divergence(struct wt_machine *m, uint32_t wave, unsigned index,
                       struct wt_divergence *entry)
{
    assert(wave < m->waves && entry);
    const struct vx_warp *w = &device_of(m)->warp[wave];
    if (index >= w->depth + w->parts)
        return false;
    if (index >= w->depth) {
        const struct vx_part *part = &w->part[index - w->depth];
        *entry = (struct wt_divergence){.other = part->mask, .pc = part->pc};
        return true;
    }
    const struct vx_ipdom *e = &w->ipdom[index];
    *entry = (struct wt_divergence){
        .restore = e->restore,
        .other = e->other,
        .pc = e->pc,
    };
    return true;
}

static struct vx_core *core_of(struct vx_device *d, uint32_t wave)
{
    return d->warp[wave < d->machine.waves ? wave : 0].core;
}

static bool in_space(const struct vx_device *d, uint64_t addr, size_t size)
{
    const uint64_t end = (uint64_t)1 << (d->config.xlen == 32 ? 32 : WT_MEMORY_ADDRESS_BITS);
    return addr < end && size <= end - addr;
}

static bool read_memory(struct wt_machine *m, uint32_t wave, unsigned lane, uint64_t addr,
                        void *out, size_t size)
{
    struct vx_device *d = device_of(m);
    /* No memory is a lane's own. */
    return in_space(d, addr, size) && vx_read_bytes(core_of(d, wave), d, addr, out, size);
}

static bool write_memory(struct wt_machine *m, uint32_t wave, unsigned lane, uint64_t addr,
                         const void *bytes, size_t size)
{
    struct vx_device *d = device_of(m);
    return in_space(d, addr, size) && vx_write_bytes(core_of(d, wave), d, addr, bytes, size);
}

static bool explain(struct wt_machine *m, uint32_t wave, unsigned lane, uint64_t addr,
                    struct wt_explanation *e)
{
    struct vx_device *d = device_of(m);
    uint8_t bytes[4];
    if (wave >= m->waves || lane >= m->lanes)
        return false;
    *e = (struct wt_explanation){.space = "global",
                                 .term[0] = {"the address itself", addr},
                                 .summand[0] = true,
                                 .terms = 1,
                                 .where = "memory",
                                 .landing = addr};
    if (vx_is_local(d, addr)) {
        e->space = "local";
        e->where = "local memory of the core";
    } else if (d->config.xlen == 32 && addr > UINT32_MAX) {
        e->where = "memory beyond the 32 bits of an address";
    }
    e->usable = read_memory(m, wave, lane, addr, bytes, sizeof bytes);
    e->contents = e->usable ? wt_load_le(bytes, sizeof bytes) : 0;
    return true;
}

/* An address leads a core to the same memory at any time. */
static uint64_t home(struct wt_machine *m, uint32_t wave, uint64_t addr)
{
    return WT_HOME_NOW;
}

static bool describe_register(struct wt_machine *m, unsigned number, struct wt_register_shape *reg)
{
    const struct vx_device *d = device_of(m);
    const unsigned wide = d->config.xlen / 8;
    if (number >= VX_REGISTER_CSR && (number - VX_REGISTER_CSR >= sizeof d->csr ||
                                      d->csr[number - VX_REGISTER_CSR] == VX_NO_CSR))
        return false;
    *reg = (struct wt_register_shape){.bytes = wide, .per_lane = number != VX_REGISTER_PC};
    if (number >= VX_REGISTER_F && number < VX_REGISTER_CSR)
        reg->bytes = 8;
    return true;
}

static bool read_row(struct wt_machine *m, uint32_t wave, unsigned number, void *out)
{
    struct vx_device *d = device_of(m);
    struct vx_warp *w = &d->warp[wave];
    const size_t wide = d->config.xlen / 8;
    assert(wave < m->waves);
    if (number < VX_REGISTER_PC) {
        memcpy(out, w->x + number * m->lanes * wide, m->lanes * wide);
    } else if (number == VX_REGISTER_PC) {
        wt_store_le(out, w->pc, wide);
    } else if (number < VX_REGISTER_CSR) {
        memcpy(out, w->f + (size_t)(number - VX_REGISTER_F) * m->lanes, m->lanes * sizeof *w->f);
    } else {
        for (unsigned l = 0; l < m->lanes; l++) {
            uint64_t value;
            if (number - VX_REGISTER_CSR >= sizeof d->csr ||
                !vx_csr_read(w, number - VX_REGISTER_CSR, l, &value))
                return false;
            wt_store_le((uint8_t *)out + l * wide, value, wide);
        }
    }
    return true;
}

/* ---- hash ---- */

static void mix_debug(uint64_t *hash, const struct vx_warp *w)
{
    uint64_t numbers[VX_HASH_DEBUG + 3] = {0};
    wt_hash_fields(numbers, w, vx_warp_fields);
    wt_mix(hash, numbers + VX_HASH_DEBUG, 3 * sizeof *numbers);
    wt_mix(hash, w->dscratch, 4 * (size_t)w->device->machine.lanes * sizeof *w->dscratch);
}

static void mix_warp(uint64_t *hash, const struct vx_warp *w)
{
    const struct vx_device *d = w->device;
    const size_t lanes = d->machine.lanes;
    struct vx_warp seen = *w;
    if (!w->wait)
        seen.wait_id = seen.wait_count = seen.wait_pc = 0;
    if (w->wait != VX_WAIT_WSPAWN && w->wait != VX_WAIT_PHASE)
        seen.wait_target = 0;
    uint64_t numbers[VX_HASH_DEBUG + 3] = {[0] = w->id, [5] = w->depth};
    wt_hash_fields(numbers, &seen, vx_warp_fields);
    wt_hash_fields(numbers, &seen, vx_warp_end);
    wt_mix(hash, numbers, VX_HASH_DEBUG * sizeof *numbers);
    wt_mix_lanes(hash, w->mask);
    wt_mix(hash, w->x, 32 * lanes * d->config.xlen / 8); /* not the sink */
    wt_mix(hash, w->f, 32 * lanes * sizeof *w->f);
    for (size_t l = 0; l < lanes; l++) {
        wt_mix_number(hash, w->reserved_addr[l]);
        wt_mix_number(hash, w->reserved_addr[l] ? w->reserved_value[l] : 0);
    }
    for (unsigned i = 0; i < w->depth; i++) {
        wt_mix_lanes(hash, w->ipdom[i].restore);
        wt_mix_lanes(hash, w->ipdom[i].other);
        wt_mix_number(hash, w->ipdom[i].pc);
        wt_mix_number(hash, w->ipdom[i].fallthrough);
    }
    for (unsigned i = 0; i < w->parts; i++) {
        wt_mix_lanes(hash, w->part[i].mask);
        wt_mix_number(hash, w->part[i].pc);
    }
}

/* Members of profiles with traps and a launch unit. */
static void mix_later(uint64_t *h, const struct vx_device *d)
{
    uint64_t kmu[VX_KMU_NUMBERS] = {0}, set[VX_LAUNCH_NUMBERS] = {0},
             taken[VX_LAUNCH_NUMBERS] = {0};
    if (!d->profile->launch_unit)
        return;
    wt_hash_fields(kmu, &d->kmu, vx_kmu_fields);
    wt_hash_fields(set, &d->config.launch, vx_launch_fields);
    wt_hash_fields(taken, &d->kmu.launch, vx_launch_fields);
    wt_mix(h, kmu, sizeof kmu);
    wt_mix(h, set, sizeof set);
    wt_mix(h, taken, sizeof taken);
    for (uint32_t i = 0; i < d->core_count; i++) {
        const struct vx_core *core = &d->core[i];
        uint64_t dispatch[VX_DISPATCH_NUMBERS] = {0};
        wt_hash_fields(dispatch, &core->dispatch, vx_dispatch_fields);
        wt_mix(h, dispatch, sizeof dispatch);
        wt_mix(h, core->left, d->config.warps * sizeof *core->left);
        for (uint32_t k = 0; k < d->barriers; k++)
            wt_mix_number(h, (uint64_t)core->phase[k].pending << 32 | core->phase[k].phase << 1 |
                                 core->phase[k].reported);
    }
    for (uint32_t i = 0; i < d->machine.waves; i++) {
        const struct vx_warp *w = &d->warp[i];
        uint64_t numbers[VX_LATER_NUMBERS] = {0};
        if (!w->touched)
            continue;
        wt_hash_fields(numbers, w, vx_warp_later);
        wt_mix(h, numbers, sizeof numbers);
        wt_mix_lanes(h, w->trap_mask);
    }
}

static uint64_t program_hash(struct wt_machine *m)
{
    struct vx_device *d = device_of(m);
    uint64_t h = wt_memory_hash(d->machine.memory);
    uint64_t numbers[10];
    wt_hash_machine(numbers, m);
    memmove(numbers + 6, numbers + 4, 4 * sizeof *numbers);
    numbers[4] = d->config.startup;
    numbers[5] = d->config.argument;
    wt_mix(&h, numbers, sizeof numbers);
    wt_mix(&h, d->machine.turns.round,
           wt_turns_words(&d->machine.turns) * sizeof *d->machine.turns.round);
    for (uint32_t i = 0; i < d->core_count; i++) {
        const struct vx_core *core = &d->core[i];
        wt_mix_number(&h, wt_memory_hash(core->local));
        wt_mix_number(&h, core->mscratch);
        wt_mix_number(&h, core->issues);
        wt_mix(&h, core->arrived, d->barriers * sizeof *core->arrived);
    }
    for (uint32_t i = 0; i < m->waves; i++)
        if (d->warp[i].touched)
            mix_warp(&h, &d->warp[i]);
    wt_console_hash(&d->console, &h);
    mix_later(&h, d);
    return h;
}

static uint64_t hash(struct wt_machine *m)
{
    struct vx_device *d = device_of(m);
    uint64_t h = program_hash(m);
    for (uint32_t i = 0; i < m->waves; i++)
        if (d->warp[i].touched || d->warp[i].halted)
            mix_debug(&h, &d->warp[i]);
    return h;
}

static uint32_t debug_read(struct wt_machine *m, uint32_t addr)
{
    return vx_dm_read(device_of(m), addr);
}

static void debug_write(struct wt_machine *m, uint32_t addr, uint32_t value)
{
    vx_dm_write(device_of(m), addr, value);
}

static void flush_console(struct wt_machine *m)
{
    vx_device_flush_console(device_of(m));
}

static bool operands_at(struct wt_machine *m, uint32_t wave, uint64_t pc,
                        struct wt_insn_operands *operands)
{
    struct vx_device *d = device_of(m);
    return vx_operands(vx_fetch_word(d, pc), d->config.xlen, operands);
}

static const struct wt_machine_ops machine_ops = {
    .family = "vortex",
    .wave_word = "warp",
    .free = free_machine,
    .reset = vx_reset,
    .run = wt_engine_run,
    .run_traced = wt_engine_run_traced,
    .hash = hash,
    .program_hash = program_hash,
    .view = view,
    .wave_fault = wt_machine_no_wave_fault,
    .divergence = divergence,
    .read_memory = read_memory,
    .write_memory = write_memory,
    .explain = explain,
    .home = home,
    .describe_register = describe_register,
    .operands = operands_at,
    .piece = vx_piece,
    .loop = vx_loop,
    .fenced = vx_fenced,
    WT_MACHINE_NO_GUESSES,
    .origins = vx_origins,
    .find_operand = vx_find_operand,
    .read_cell = vx_read_cell,
    .unwritten = vx_unwritten,
    .lane_sources = vx_lane_sources,
    .observed_place = vx_observed_place,
    .name_operand = vx_operand_name,
    WT_MACHINE_NO_PACE,
    .memory_model = &vx_memory_model,
    .operand_files = vx_operand_files,
    .read_row = read_row,
    .debug_read = debug_read,
    .debug_write = debug_write,
    .flush_console = flush_console,
    .state = vx_state,
    .watch_range = vx_watch_range,
    .map = &(const struct wt_address_map){.bounds = 0},
};

/* ---- making ---- */

/* Members of a device that follow from its profile. */
static void begin_profile(struct vx_device *d)
{
    const unsigned warps = d->config.warps;
    d->barriers = d->profile->slot_barriers ? warps * d->profile->slot_barriers
                  : warps > 3               ? warps / 2
                                            : 1;
    if (d->profile->launch_unit)
        vx_launch_defaults(&d->config);
}

static bool allocate_barriers(const struct vx_device *d, struct vx_core *core)
{
    core->arrived = calloc(d->barriers, sizeof *core->arrived);
    if (!core->arrived || !d->profile->launch_unit)
        return core->arrived;
    core->phase = calloc(d->barriers, sizeof *core->phase);
    core->left = calloc(d->config.warps, sizeof *core->left);
    return core->phase && core->left;
}

static bool allocate(struct vx_device *d)
{
    const struct vx_config *config = &d->config;
    const struct layout layout = layout_of(config);
    const uint32_t warps = d->machine.waves;
    d->core = calloc(d->core_count, sizeof *d->core);
    d->inject_code = (struct vx_code *)wt_code_page_new(&vx_code_format, 0);
    d->registers_size = layout.size * warps;
    d->warp_bytes = layout.size;
    d->kept = calloc(warps, sizeof *d->kept);
    /* Pages come as they are touched: idle warps cost nothing. */
    d->registers = mmap(NULL, d->registers_size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (d->registers == MAP_FAILED)
        d->registers = NULL;
    if (!wt_machine_fill_memory(&d->machine))
        return false;
    d->machine.local = calloc(d->core_count, sizeof *d->machine.local);
    if (!d->core || !d->machine.local || !wt_console_init(&d->console, config->console_slots) ||
        !d->inject_code || !d->registers || !d->kept || vx_dm_init(d))
        return false;
    d->machine.locals = d->core_count;
    for (uint32_t i = 0; i < d->core_count; i++) {
        struct vx_core *core = &d->core[i];
        core->id = i;
        core->first_warp = i * config->warps;
        core->local = d->machine.local[i] = wt_machine_new_memory(&d->machine);
        if (!core->local || !allocate_barriers(d, core))
            return false;
    }
    for (uint32_t i = 0; i < warps; i++) {
        struct vx_warp *w = &d->warp[i];
        uint8_t *base = d->registers + layout.size * i;
        w->x = base + layout.x;
        w->f = (uint64_t *)(base + layout.f);
        w->lane32 = (uint32_t *)(base + layout.lane32);
        w->lane64 = (uint64_t *)(base + layout.lane64);
        w->reserved_addr = (uint64_t *)(base + layout.reserved_addr);
        w->reserved_value = (uint64_t *)(base + layout.reserved_value);
        w->dscratch = (uint32_t *)(base + layout.dscratch);
        w->ipdom = (struct vx_ipdom *)(base + layout.ipdom);
        w->part = (struct vx_part *)(base + layout.part);
        w->device = d;
        w->core = &d->core[i / config->warps];
        w->id = i;
        w->index = (uint16_t)(i % config->warps);
    }
    return true;
}

/* Where memory is filled, what a program takes for zeros is written. */
static bool write_zeros(struct vx_device *d, uint64_t addr, uint64_t size)
{
    static const uint8_t zeros[WT_PAGE_SIZE];
    for (uint64_t at = 0; at < size && d->machine.fill_pages; at += sizeof zeros)
        if (!vx_write_bytes(&d->core[0], d, addr + at, zeros,
                            size - at < sizeof zeros ? size - at : sizeof zeros))
            return false;
    return true;
}

/* Memory that the program and its host expect to be zeros at first: the exit word, and a console's
 * ring.
 */
static bool clear_io(struct vx_device *d)
{
    return write_zeros(d, d->config.exit_addr, 8) &&
           (!d->profile->console_ring ||
            write_zeros(d, d->config.console_addr, VX_CONSOLE_RING_BYTES));
}

enum wt_status vx_device_new(const struct vx_config *config, struct vx_device **device,
                             struct wt_error *err)
{
    assert(config && device && err && config->profile);
    assert(config->clusters > 0 && config->cores > 0 && config->warps > 0);
    assert(config->threads > 0 && config->threads <= WT_MAX_LANES);
    struct vx_device *d = calloc(1, sizeof *d);
    if (!d)
        return wt_fail(err, WT_NO_MEMORY, "no memory for a Vortex device");
    d->config = *config;
    if (!d->config.xlen)
        d->config.xlen = 32;
    d->profile = config->profile;
    d->core_count = config->clusters * config->cores;
    begin_profile(d);
    d->all_lanes = wt_lanes_first(config->threads);
    d->handlers = vx_select_handlers(d->config.xlen, config->threads, config->host_level);
    const struct wt_groups shape = {.cores = d->core_count, .waves_per_core = config->warps};
    const bool ready = wt_machine_init(&d->machine, &machine_ops, &vx_engine_ops, &shape,
                                       config->threads, sizeof *d->warp, &d->config.device);
    d->warp = d->machine.wave;
    vx_csr_init(d);
    if (!ready || !allocate(d) || !clear_io(d)) {
        vx_device_free(d);
        return wt_fail(err, WT_NO_MEMORY,
                       "no memory for a Vortex of %u cores, %u warps, %u threads",
                       config->clusters * config->cores, config->warps, config->threads);
    }
    vx_reset(&d->machine);
    *device = d;
    return WT_OK;
}

enum wt_status vx_device_use_profile(struct vx_device *d, const struct vx_profile *profile,
                                     struct wt_error *err)
{
    assert(d && profile && err && !d->machine.active);
    vx_config_use_profile(&d->config, profile);
    d->profile = profile;
    begin_profile(d);
    vx_csr_init(d);
    bool ready = clear_io(d);
    for (uint32_t i = 0; i < d->core_count; i++) {
        struct vx_core *core = &d->core[i];
        free(core->arrived);
        free(core->phase);
        free(core->left);
        core->phase = NULL;
        core->left = NULL;
        ready &= allocate_barriers(d, core);
    }
    if (!ready)
        return wt_fail(err, WT_NO_MEMORY, "no memory for profile %s", profile->name);
    vx_launch_clear(d);
    return WT_OK;
}

struct wt_machine *vx_machine(struct vx_device *device)
{
    return &device->machine;
}

/* ---- programs ---- */

static enum wt_status check_image(const struct vx_device *d, const struct wt_image *image,
                                  struct wt_error *err)
{
    const unsigned xlen = d->config.xlen;
    if (image->format == WT_IMAGE_ELF && image->elf_machine != EM_RISCV)
        return wt_fail(err, WT_INVALID,
                       "the program is for another machine (ELF e_machine %u); Vortex runs RISC-V "
                       "(%u)",
                       image->elf_machine, EM_RISCV);
    if (image->bits && image->bits != xlen)
        return wt_fail(err, WT_INVALID,
                       "the program is RV%u, the device RV%u (--gpu vortex:xlen=%u)", image->bits,
                       xlen, image->bits);
    for (size_t i = 0; i < image->segments; i++) {
        const struct wt_segment *s = &image->segment[i];
        if (!in_space(d, s->addr, s->size))
            return wt_fail(err, WT_INVALID,
                           "the program wants 0x%llx bytes at 0x%llx, outside the address space of "
                           "%u bits",
                           (unsigned long long)s->size, (unsigned long long)s->addr,
                           xlen == 32 ? 32 : WT_MEMORY_ADDRESS_BITS);
    }
    return WT_OK;
}

static enum wt_status no_room(const struct vx_device *d, struct wt_error *err)
{
    char why[128];
    wt_memory_refusal(d->machine.memory, why, sizeof why);
    return wt_fail(err, WT_NO_MEMORY, "the program does not fit: %s", why);
}

static void fill_registers(struct vx_warp *w)
{
    const struct wt_machine *m = &w->device->machine;
    const struct wt_fill *fill = &w->device->config.fill;
    uint64_t value[2];
    w->touched = fill->kind != WT_FILL_ZERO;
    vx_note_change(w);
    for (unsigned r = 0; r < 32 && w->touched; r++)
        for (unsigned l = 0; l < m->lanes; l++) {
            wt_fill_bytes(fill, wt_fill_place(WT_FILLED_REGISTERS, w->id) + r * WT_MAX_LANES + l,
                          value, sizeof value);
            if (r)
                vx_set_x(w, r, l, value[0]);
            w->f[r * m->lanes + l] = value[1];
        }
}

enum wt_status vx_device_load(struct vx_device *d, const struct wt_image *image,
                              struct wt_error *err)
{
    assert(image && err);
    const enum wt_status status = check_image(d, image, err);
    if (status)
        return status;
    wt_code_clear(&d->machine.code);
    wt_memory_clear(d->machine.memory);
    for (uint32_t i = 0; i < d->core_count; i++)
        wt_memory_clear(d->core[i].local);
    wt_tlb_clear(&d->machine.tlb);
    for (size_t i = 0; i < image->segments; i++) {
        const struct wt_segment *s = &image->segment[i];
        if (!vx_write_bytes(&d->core[0], d, s->addr, s->bytes, s->length) ||
            !write_zeros(d, s->addr + s->length, s->size - s->length))
            return no_room(d, err);
    }
    if (!clear_io(d))
        return no_room(d, err);
    if (image->has_entry && !d->config.startup_given)
        d->config.startup = image->entry;
    /* Registers are undefined after power-on; here they are zero, if nothing else was asked for. */
    madvise(d->registers, d->registers_size, MADV_DONTNEED);
    for (uint32_t i = 0; i < d->machine.waves; i++)
        fill_registers(&d->warp[i]);
    wt_console_clear(&d->console);
    vx_reset(&d->machine);
    return WT_OK;
}

/* The row of a DCR, and which of x, y and z it is; NULL: there is none. */
static const struct vx_dcr_row *dcr_row(const struct vx_device *d, uint32_t addr, uint32_t *axis)
{
    for (size_t i = 0; i < d->profile->dcr_count; i++) {
        const struct vx_dcr_row *row = &d->profile->dcrs[i];
        *axis = addr - row->addr;
        if (*axis < vx_dcr_count(row))
            return row;
    }
    return NULL;
}

/* The number of 64 bits that a DCR is a half of; NULL: it is no half. */
static uint64_t *wide_dcr(struct vx_config *c, enum vx_dcr dcr, bool *upper)
{
    *upper =
        dcr == VX_DCR_STARTUP_ADDR1 || dcr == VX_DCR_STARTUP_ARG1 || dcr == VX_DCR_KERNEL_ENTRY1;
    if (dcr == VX_DCR_STARTUP_ADDR0 || dcr == VX_DCR_STARTUP_ADDR1)
        return &c->startup;
    if (dcr == VX_DCR_STARTUP_ARG0 || dcr == VX_DCR_STARTUP_ARG1)
        return &c->argument;
    if (dcr == VX_DCR_KERNEL_ENTRY0 || dcr == VX_DCR_KERNEL_ENTRY1)
        return &c->launch.entry;
    return NULL;
}

/* The number that another DCR is; NULL: it holds none. */
static uint32_t *narrow_dcr(struct vx_device *d, enum vx_dcr dcr, uint32_t axis)
{
    struct vx_launch *l = &d->config.launch;
    switch (dcr) {
    case VX_DCR_MPM_CLASS:
        return &d->mpm_class;
    case VX_DCR_BLOCK_DIM:
        return &l->block[axis];
    case VX_DCR_GRID_DIM:
        return &l->grid[axis];
    case VX_DCR_LMEM_SIZE:
        return &l->local_size;
    case VX_DCR_BLOCK_SIZE:
        return &l->block_size;
    case VX_DCR_WARP_STEP:
        return &l->warp_step[axis];
    case VX_DCR_CLUSTER_DIM:
        return &l->cluster[axis];
    default: /* CACHE_FLUSH; MPM_VALUE, which drivers answer */
        return NULL;
    }
}

bool vx_device_dcr_write(struct vx_device *d, uint32_t addr, uint32_t value)
{
    bool upper;
    uint32_t axis;
    const struct vx_dcr_row *row = dcr_row(d, addr, &axis);
    uint64_t *wide = row ? wide_dcr(&d->config, row->dcr, &upper) : NULL;
    uint32_t *narrow = row && !wide ? narrow_dcr(d, row->dcr, axis) : NULL;
    if (wide)
        *wide = upper ? (uint32_t)*wide | (uint64_t)value << 32
                      : (*wide & ~(uint64_t)UINT32_MAX) | value;
    else if (narrow)
        *narrow = value;
    return wide || narrow;
}

bool vx_device_dcr_read(struct vx_device *d, uint32_t addr, uint32_t *value)
{
    bool upper;
    uint32_t axis;
    const struct vx_dcr_row *row = dcr_row(d, addr, &axis);
    const uint64_t *wide = row ? wide_dcr(&d->config, row->dcr, &upper) : NULL;
    const uint32_t *narrow = row && !wide ? narrow_dcr(d, row->dcr, axis) : NULL;
    *value = wide ? (uint32_t)(upper ? *wide >> 32 : *wide) : narrow ? *narrow : 0;
    return row;
}

uint64_t vx_device_issues(const struct vx_device *d, uint32_t core)
{
    assert(core < d->core_count);
    return d->core[core].issues;
}

uint32_t vx_device_exit_word(struct vx_device *d)
{
    uint8_t bytes[4] = {0};
    vx_read_bytes(&d->core[0], d, d->config.exit_addr, bytes, sizeof bytes);
    return (uint32_t)wt_load_le(bytes, sizeof bytes);
}
