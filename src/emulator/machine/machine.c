/* Making and ending a machine. See machine.h. */
#include "emulator/machine/machine.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/machine/config.h"
#include "emulator/machine/copy.h"
#include "emulator/machine/engine.h"
#include "emulator/machine/fill.h"
#include "emulator/machine/groups.h"
#include "emulator/machine/memory_model.h"
#include "emulator/machine/observe.h"
#include "emulator/machine/operands.h"
#include "emulator/machine/pace.h"
#include "emulator/machine/regions.h"
#include "emulator/machine/trail.h"

/* Both tables consist of pointers only, so they can be looked through. */
typedef void (*operation)(void);
static_assert(sizeof(struct wt_machine_ops) % sizeof(operation) == 0, "pointers only");
static_assert(sizeof(struct wt_engine_ops) % sizeof(operation) == 0, "pointers only");

static bool is_total(const void *table, size_t size)
{
    for (size_t at = 0; at < size; at += sizeof(operation)) {
        operation op;
        memcpy(&op, (const uint8_t *)table + at, sizeof op);
        if (!op)
            return false;
    }
    return true;
}

bool wt_machine_init(struct wt_machine *m, const struct wt_machine_ops *ops,
                     const struct wt_engine_ops *engine, const struct wt_groups *groups,
                     unsigned lanes, size_t wave_bytes, const struct wt_device_config *config)
{
    assert(is_total(ops, sizeof *ops) && is_total(engine, sizeof *engine));
    const uint32_t waves = groups->cores * groups->waves_per_core;
    assert(waves > 0 && lanes > 0 && lanes <= WT_MAX_LANES);
    m->ops = ops;
    m->engine = engine;
    m->config = config;
    m->last_checked = UINT64_MAX;
    m->waves = waves;
    m->lanes = lanes;
    m->wave_bytes = wave_bytes;
    wt_tlb_clear(&m->tlb);
    wt_code_init(&m->code, engine->code, &m->tlb);
    m->memory = wt_memory_new();
    if (!posix_memalign(&m->wave, 64, waves * wave_bytes))
        memset(m->wave, 0, waves * wave_bytes);
    m->groups = *groups;
    return m->memory && m->wave && wt_turns_init(&m->turns, &config->schedule, waves) &&
           (!groups->ops || wt_groups_init(m));
}

/* So many pages stand for all: the contents of a page's address must not change. */
enum { FILL_PAGES = 16 };

static const uint8_t *filled_page(void *context, uint64_t addr)
{
    const struct wt_machine *m = context;
    const uint64_t page = addr >> WT_PAGE_BITS;
    return m->fill_pages + (page ^ page >> 4 ^ page >> 11) % FILL_PAGES * WT_PAGE_SIZE;
}

struct wt_memory *wt_machine_new_memory(struct wt_machine *m)
{
    return m->fill_pages ? wt_memory_new_over(filled_page, m) : wt_memory_new();
}

static const struct wt_fill *fill_of(const struct wt_machine *m)
{
    return &((const struct wt_device_config *)m->config)->fill;
}

bool wt_machine_fill_memory(struct wt_machine *m)
{
    assert(!m->local && !m->fill_pages);
    if (fill_of(m)->kind == WT_FILL_ZERO)
        return true;
    m->fill_pages = malloc(FILL_PAGES * WT_PAGE_SIZE);
    if (!m->fill_pages)
        return false;
    wt_fill_bytes(fill_of(m), wt_fill_place(WT_FILLED_MEMORY, 0), m->fill_pages,
                  FILL_PAGES * WT_PAGE_SIZE);
    wt_memory_free(m->memory);
    m->memory = wt_machine_new_memory(m);
    return m->memory != NULL;
}

bool wt_machine_fill_range(struct wt_machine *m, uint64_t place, uint64_t addr, uint64_t size)
{
    uint8_t bytes[1024];
    for (uint64_t at = 0; at < size && fill_of(m)->kind != WT_FILL_ZERO; at += sizeof bytes) {
        const size_t part = size - at < sizeof bytes ? (size_t)(size - at) : sizeof bytes;
        wt_fill_bytes(fill_of(m), place + at, bytes, part);
        if (!m->ops->write_memory(m, m->waves, 0, addr + at, bytes, part))
            return false;
    }
    return true;
}

void wt_machine_wave_name(struct wt_machine *m, uint32_t wave, struct wt_wave_name *name)
{
    assert(wave < m->waves);
    const struct wt_group_head *g = wt_machine_wave(m, wave)->group;
    *name = (struct wt_wave_name){.device = m->device,
                                  .core = m->first_core + wave / m->groups.waves_per_core,
                                  .slot = wave % m->groups.waves_per_core,
                                  .word = m->ops->wave_word,
                                  .has_work = g};
    if (g) {
        name->dispatch = m->groups.ops->launch(m, g);
        memcpy(name->group, g->coordinate, sizeof name->group);
    }
}

void wt_machine_name_wave(struct wt_machine *m, uint32_t wave, char *text, size_t size)
{
    struct wt_wave_name name;
    wt_machine_wave_name(m, wave, &name);
    wt_wave_name(&name, text, size);
}

void wt_machine_begin_run(struct wt_machine *m)
{
    wt_turns_reset(&m->turns);
    wt_watch_set_forget(m);
    m->fault.kind = WT_FAULT_NONE;
    m->active = 0;
    m->event = false;
    m->runs += m->time > 0;
    m->resets++;
    m->follow_until = 0;
    m->time = 0;
}

struct wt_fault *wt_machine_no_wave_fault(struct wt_machine *m, uint32_t wave)
{
    return NULL;
}

bool wt_machine_no_divergence(struct wt_machine *m, uint32_t wave, unsigned index,
                              struct wt_divergence *entry)
{
    return false;
}

void wt_machine_no_console(struct wt_machine *m)
{
}

const struct wt_operand_file wt_machine_no_operand_files[1];

bool wt_machine_no_operands(struct wt_machine *m, uint32_t wave, uint64_t pc,
                            struct wt_insn_operands *operands)
{
    return false;
}

enum wt_code_loop wt_machine_no_loop(struct wt_machine *m, uint32_t wave, uint64_t load)
{
    (void)m, (void)wave, (void)load;
    return WT_LOOP_UNKNOWN;
}

bool wt_machine_no_fences(struct wt_machine *m, uint32_t wave, uint64_t load, uint64_t store)
{
    (void)m, (void)wave, (void)load, (void)store;
    return false;
}

bool wt_machine_no_guesses(struct wt_machine *m, uint32_t wave, uint64_t load)
{
    (void)m, (void)wave, (void)load;
    return false;
}

uint64_t wt_machine_no_piece(struct wt_machine *m, uint32_t wave, uint64_t pc,
                             struct wt_observed_piece *piece)
{
    return 0;
}

struct wt_origin *wt_machine_no_origins(struct wt_machine *m, uint32_t wave, uint64_t first,
                                        uint64_t end, size_t *count)
{
    *count = 0;
    return NULL;
}

bool wt_machine_no_array(struct wt_machine *m, uint32_t wave, uint64_t first, uint64_t pc,
                         struct wt_array_access *access, wt_lanes lanes, uint64_t *at)
{
    return false;
}

uint64_t wt_machine_no_frame(struct wt_machine *m, uint32_t wave, unsigned lane)
{
    return 0;
}

bool wt_machine_no_cell(struct wt_machine *m, uint32_t wave, unsigned file, uint64_t cell,
                        uint32_t *value)
{
    *value = 0;
    return false;
}

size_t wt_machine_untold(struct wt_machine *m, uint32_t wave, struct wt_unwritten *list)
{
    return WT_UNTOLD;
}

void wt_machine_shared_place(struct wt_machine *m, uint32_t wave, unsigned lane, uint64_t *at,
                             unsigned *space, uint64_t *home)
{
    *space = WT_OBSERVED_GLOBAL;
    *home = WT_HOME_NOW;
}

bool wt_machine_no_lane_sources(struct wt_machine *m, uint32_t wave, uint64_t pc, uint8_t *from)
{
    return false;
}

bool wt_machine_no_pace(struct wt_machine *m, uint64_t pc, struct wt_insn_pace *pace)
{
    return false;
}

const struct wt_pace_table wt_machine_no_pace_table = {.rules = 0};

const struct wt_memory_model wt_machine_plain_memory = {.independent = false};

const struct wt_memory_model *wt_memory_model_of(const struct wt_machine *m)
{
    const struct wt_memory_model *model = m->ops->memory_model;
    return model->of ? model->of(m) : model;
}

bool wt_machine_no_operand(const char *name, struct wt_insn_operand *operand)
{
    return false;
}

void wt_machine_no_operand_name(const struct wt_insn_operand *operand, char *text, size_t size)
{
    snprintf(text, size, "?");
}

static void end_memory(struct wt_machine *m)
{
    if (m->process.memory != m->memory)
        wt_memory_free(m->process.memory);
    wt_memory_free(m->memory);
    wt_shared_pages_free(&m->process.shared);
}

void wt_machine_end(struct wt_machine *m)
{
    wt_watch_set_free(m);
    wt_observe_free(m);
    wt_turns_free(&m->turns);
    wt_groups_free(m);
    wt_trail_free(m);
    free(m->wave);
    if (m->code.format)
        wt_code_clear(&m->code);
    end_memory(m);
    for (uint32_t i = 0; i < m->locals; i++)
        wt_memory_free(m->local[i]);
    free(m->local);
    free(m->fill_pages);
    wt_regions_free(&m->regions);
}

void wt_machine_forget_code(struct wt_machine *m)
{
    wt_code_clear(&m->code);
    wt_tlb_clear(&m->tlb);
}

void wt_machine_recheck_code(struct wt_machine *m)
{
    wt_tlb_clear(&m->tlb);
    wt_code_recheck(&m->code);
}

/* ---- in a host process ---- */

static bool read_code(void *context, uint64_t addr, void *bytes, size_t size)
{
    struct wt_machine *m = context;
    return m->ops->read_memory(m, UINT32_MAX, 0, addr, bytes, size);
}

static const uint8_t *copied_page(void *context, uint64_t addr)
{
    const struct wt_copy *copy = context;
    const uint64_t page = addr & ~WT_PAGE_MASK;
    return copy->page(copy->context, page, wt_memory_page(copy->process, page));
}

enum wt_status wt_in_process_begin(struct wt_machine *m, struct wt_error *err)
{
    struct wt_memory *process = wt_memory_new_host();
    if (!process) {
        m->ops->free(m);
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
    }
    wt_memory_free(m->memory);
    m->memory = process;
    m->process = (struct wt_in_process){.hosted = true, .memory = process};
    m->code.read = read_code;
    m->code.context = m;
    return WT_OK;
}

enum wt_status wt_in_process_copy(struct wt_machine *m, struct wt_copy *copy, struct wt_error *err)
{
    assert(wt_in_place(m) && m->memory == m->process.memory);
    assert(copy->page && copy->shared && copy->stored && copy->was_atomic);
    copy->process = m->process.memory;
    struct wt_memory *made = wt_memory_new_over(copied_page, copy);
    if (!made)
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
    m->memory = made;
    m->process.copy = copy;
    wt_machine_recheck_code(m);
    return WT_OK;
}

void wt_in_process_rejoin(struct wt_machine *m)
{
    assert(m->process.copy && m->memory != m->process.memory);
    wt_memory_free(m->memory);
    m->memory = m->process.memory;
    m->process.copy = NULL;
    wt_machine_recheck_code(m);
}

uint8_t *wt_in_process_page(const struct wt_machine *m, uint64_t addr)
{
    return wt_memory_page_for_write(m->process.memory, addr);
}
