/* Halts threads in the system routine, releases them, and reads their saved state. */
#include "debug/gen/internal.h"

#include <stdlib.h>
#include <string.h>

/* Bits of TD_CTL (Linux, EU debug of i915 and xe). */
enum {
    TD_CTL_BREAKPOINTS = 1 << 2,
    TD_CTL_FORCE = 1 << 3,
    TD_CTL_FORCE_BREAKPOINTS = 1 << 4,
    TD_CTL_HALT = 1 << 6,
    TD_CTL_FORCE_ENABLE = 1 << 7,
    TD_CTL_DEBUGGED = TD_CTL_BREAKPOINTS | TD_CTL_FORCE_BREAKPOINTS | TD_CTL_FORCE_ENABLE,
};
/* TD_ATT and TD_CLR: two rows of four EUs, of eight bits each, seven of which are threads. */
enum { ROWS = 2, EUS_OF_ROW = 4, BITS_OF_EU = 8 };

#define STOPS                                                                                      \
    (GEN_SAVED_BREAKPOINT | GEN_SAVED_HALT | GEN_SAVED_SOFTWARE | GEN_SAVED_ILLEGAL |              \
     GEN_SAVED_STACK | GEN_SAVED_FORCED)

/* ---- records ---- */

static void describe_work(const struct wt_probe *p, wt_wave_handle handle, unsigned device,
                          uint64_t dispatch)
{
    struct genp_row *row = genp_row(p, handle);
    const struct gen_saved *s = &row->saved;
    struct wt_wave *wave = &row->common.wave;
    wave->lanes = s->simd;
    wave->device = device;
    wave->simd = handle % GENP_SUBSLICE_THREADS / GENP_EU_THREADS;
    wave->dispatch = dispatch;
    wave->index = s->index;
    memcpy(wave->group, s->group, sizeof wave->group);
    memcpy(wave->block, s->block, sizeof wave->block);
    memcpy(wave->grid, s->grid, sizeof wave->grid);
    wave->arguments = s->arguments;
    wave->id = s->id != WT_NO_WAVE ? s->id : wt_standstill_name(wave, s->groups);
}

/* A record that was read. */
static enum wt_status take_record(struct wt_probe *p, uint32_t wave, struct wt_error *err)
{
    struct genp_row *row = genp_row(p, wave);
    const uint64_t mark = wt_gen_mark(p->common.link, genp_device_of(p, wave));
    enum wt_status status;
    row->saved.instructions += mark;
    row->saved.scratch += mark;
    row->saved.arguments += mark;
    if (row->saved.simd != 8 && row->saved.simd != 16 && row->saved.simd != 32)
        return wt_fail(err, WT_IO,
                       "the driver has saved a thread of %u channels: 8, 16 or 32 exist",
                       (unsigned)row->saved.simd);
    struct wt_standstill_launch *launch;
    const uint32_t device = genp_device_of(p, wave);
    const uint64_t key[2] = {device};
    if ((status = wt_standstill_find_launch(p, row->saved.launch, key, &launch, err)) != WT_OK)
        return status;
    const wt_wave_id before = row->common.wave.id;
    describe_work(p, wave, device, launch->number);
    const bool known = row->common.wave.id == before;
    const uint32_t why = row->saved.cr[1] & STOPS;
    /* An external halt is this probe's own request; a forced exception is the beginning of a
     * thread. */
    uint32_t causes = why & ~(GEN_SAVED_HALT | GEN_SAVED_FORCED);
    /* The program may set this bit without enabling the exception. */
    if (!(row->saved.cr[1] & GEN_SAVED_ENABLE_SOFTWARE))
        causes &= ~GEN_SAVED_SOFTWARE;
    row->common.present = true;
    if (!known) {
        row->common.run = !p->common.hold || !(why & GEN_SAVED_FORCED);
        row->common.step = row->common.held = false;
        row->common.cause = row->common.run ? WT_HALT_NONE : WT_HALT_REQUEST;
    }
    if (!row->common.run || row->common.held || !causes)
        return WT_OK;
    row->common.cause = genp_cause_of(causes, row->common.step);
    row->causes = causes;
    row->common.run = row->common.step = false;
    return WT_OK;
}

static uint32_t thread_of(uint32_t subslice, uint32_t row, uint32_t bit)
{
    const uint32_t eu = row * EUS_OF_ROW + bit / BITS_OF_EU;
    return subslice * GENP_SUBSLICE_THREADS + eu * GENP_EU_THREADS + bit % BITS_OF_EU;
}

/* Accesses TD_ATT or TD_CLR of a subslice: @p list has room for what selects it before them. */
static enum wt_status access_subslice(struct wt_probe *p, uint32_t subslice,
                                      struct wt_wire_register *list, size_t count,
                                      struct wt_error *err)
{
    const struct wt_link *link = p->common.link;
    uint32_t first;
    const uint32_t gpu = wt_standstill_gpu_of(p, subslice, &first);
    subslice -= first;
    list[0] = (struct wt_wire_register){.addr = WT_GEN_MCR_SELECTOR / 4,
                                        .write = true,
                                        .value = subslice / 3 << 26 | subslice % 3 << 24};
    return link->ops->registers(link->context, gpu, list, count, err);
}

static enum wt_status take_records(struct wt_probe *p, struct wt_link_piece *list, size_t count,
                                   struct wt_error *err)
{
    /* A thread whose piece is absent has ended with its kernel since it was looked at, which a
     * fault does that nothing can mend. */
    enum wt_status status = wt_link_transfer(p->common.link, list, count, false, err);
    for (size_t i = 0; i < count && !status; i++)
        status = list[i].absent ? wt_fail(err, WT_INVALID, "thread %u has no saved state",
                                          (unsigned)list[i].wave)
                                : take_record(p, list[i].wave, err);
    return status;
}

/* The bits of TD_ATT of each subslice: the threads that are in the system routine. */
typedef uint32_t attention_bits[ROWS];

static enum wt_status read_attention(struct wt_probe *p, attention_bits *bits, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    for (uint32_t i = 0; i < p->common.topology.cores && !status; i++) {
        struct wt_wire_register list[1 + ROWS] = {
            {.addr = 0}, {.addr = WT_GEN_TD_ATT0 / 4}, {.addr = WT_GEN_TD_ATT1 / 4}};
        status = access_subslice(p, i, list, 1 + ROWS, err);
        for (uint32_t row = 0; row < ROWS && !status; row++)
            bits[i][row] = list[1 + row].value;
    }
    return status;
}

static enum wt_status read_subslice(struct wt_probe *p, uint32_t subslice, const uint32_t *rows,
                                    struct wt_error *err)
{
    struct wt_link_piece list[GENP_SUBSLICE_THREADS];
    size_t count = 0;
    for (uint32_t row = 0; row < ROWS; row++) {
        for (uint32_t bits = rows[row]; bits; bits &= bits - 1) {
            const uint32_t bit = (uint32_t)__builtin_ctz(bits);
            if (bit % BITS_OF_EU >= GENP_EU_THREADS)
                continue;
            const uint32_t wave = thread_of(subslice, row, bit);
            list[count++] =
                (struct wt_link_piece){.wave = wave,
                                       .addr = genp_area(p, wave) + GENP_RECORD,
                                       .bytes = (uint8_t *)&genp_row(p, wave)->saved + GENP_RECORD,
                                       .size = GENP_RECORD_BYTES};
        }
    }
    return take_records(p, list, count, err);
}

/* A kernel may begin while registers are read, one after the other: they are read until they are as
 * they were before, so that all of its threads are listed, or none. */
static enum wt_status read_threads(struct wt_probe *p, struct wt_error *err)
{
    enum { MOST_TRIES = 1000 };
    const uint32_t cores = p->common.topology.cores;
    const size_t size = cores * sizeof(attention_bits);
    attention_bits *bits = malloc(2 * size);
    enum wt_status status =
        bits ? read_attention(p, bits, err) : wt_fail(err, WT_NO_MEMORY, "no host memory");
    for (unsigned i = 0; i < MOST_TRIES && !status; i++) {
        if ((status = read_attention(p, bits + cores, err)) ||
            memcmp(bits, bits + cores, size) == 0)
            break;
        memcpy(bits, bits + cores, size);
    }
    wt_standstill_begin_list(p);
    for (uint32_t i = 0; i < cores && !status; i++)
        status = read_subslice(p, i, bits[i], err);
    free(bits);
    return status;
}

/* ---- halting ---- */

static enum wt_status write_control(struct wt_probe *p, uint32_t value, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    if (value == p->td_ctl)
        return WT_OK;
    for (uint32_t gpu = 0; gpu < p->common.link->gpus && !status; gpu++) {
        struct wt_wire_register one = {.addr = WT_GEN_TD_CTL / 4, .write = true, .value = value};
        status = p->common.link->ops->registers(p->common.link->context, gpu, &one, 1, err);
    }
    if (status == WT_OK)
        p->td_ctl = value;
    return status;
}

/* Threads that run enter the routine; so do threads that begin meanwhile. */
static enum wt_status stop(struct wt_probe *p, struct wt_error *err)
{
    enum wt_status status;
    p->td_ctl = 0;
    if ((status = write_control(p, TD_CTL_DEBUGGED | TD_CTL_FORCE | TD_CTL_HALT, err)) != WT_OK)
        return status;
    p->common.still = true;
    status = read_threads(p, err);
    return status ? status : wt_driver_watches_take(p, err);
}

/* ---- going on ---- */

/* The cr0 that a thread finds when it is resumed: without the causes that were
 * reported. A step is a breakpoint exception after the instruction that Breakpoint
 * Suppress lets through (intel/gdb). */
static bool prepare(struct wt_probe *p, uint32_t wave, struct wt_link_piece *piece)
{
    struct genp_row *row = genp_row(p, wave);
    uint32_t cr[2] = {row->saved.cr[0] & ~GEN_SAVED_SUPPRESS, row->saved.cr[1] & ~STOPS};
    if (row->common.step) {
        cr[0] |= GEN_SAVED_SUPPRESS;
        cr[1] |= GEN_SAVED_BREAKPOINT;
    }
    if (memcmp(cr, row->saved.cr, sizeof cr) == 0)
        return false;
    memcpy(row->saved.cr, cr, sizeof cr);
    *piece = (struct wt_link_piece){.wave = wave,
                                    .addr = genp_area(p, wave) + offsetof(struct gen_saved, cr),
                                    .bytes = row->saved.cr,
                                    .size = sizeof cr};
    return true;
}

static enum wt_status clear_subslice(struct wt_probe *p, uint32_t subslice, uint32_t only,
                                     struct wt_error *err)
{
    static const uint32_t clear[ROWS] = {WT_GEN_TD_CLR0, WT_GEN_TD_CLR1};
    struct wt_link_piece list[GENP_SUBSLICE_THREADS];
    size_t count = 0;
    uint32_t bits[ROWS] = {0};
    enum wt_status status = WT_OK;
    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t bit = 0; bit < 32; bit++) {
            const uint32_t wave = thread_of(subslice, row, bit);
            if (bit % BITS_OF_EU >= GENP_EU_THREADS)
                continue;
            struct wt_standstill_row *thread = wt_standstill_row(p, wave);
            if (!thread->present || !thread->run)
                continue;
            thread->held = only != WT_NO_HANDLE && wave != only;
            if (thread->held)
                continue;
            count += prepare(p, wave, &list[count]);
            bits[row] |= (uint32_t)1 << bit;
        }
    if (!(bits[0] | bits[1]))
        return WT_OK;
    struct wt_wire_register cleared[1 + ROWS];
    size_t rows = 1;
    for (uint32_t row = 0; row < ROWS; row++)
        if (bits[row])
            cleared[rows++] = (struct wt_wire_register){
                .addr = clear[row] / 4, .write = true, .value = bits[row]};
    status = wt_link_transfer(p->common.link, list, count, true, err);
    return status ? status : access_subslice(p, subslice, cleared, rows, err);
}

static enum wt_status let_go(struct wt_probe *p, uint32_t only, struct wt_error *err)
{
    enum wt_status status;
    const bool held = p->common.hold || only != WT_NO_HANDLE;
    if ((status = write_control(p, TD_CTL_DEBUGGED | (held ? TD_CTL_FORCE : 0), err)) != WT_OK)
        return status;
    for (uint32_t i = 0; i < p->common.topology.cores && !status; i++)
        status = clear_subslice(p, i, only, err);
    return status;
}

static void view(const struct wt_standstill_row *row, uint64_t *pc, wt_lanes *mask)
{
    *pc = genp_row_pc((const struct genp_row *)row);
    *mask = genp_channels((const struct genp_row *)row);
}

/* Threads that begin enter the routine: TD_CTL keeps its value when the program's side is reset. */
static enum wt_status reset(struct wt_probe *p, struct wt_error *err)
{
    const enum wt_status status = wt_standstill_hold(p, err);
    return status ? status : wt_standstill_reset_program(p, err);
}

const struct wt_standstill_ops genp_standstill = {
    .stop = stop,
    .go = let_go,
    .view = view,
    .exception = genp_describe_exception,
    .reset = reset,
    .read_rows = genp_read_rows,
    .write_row = genp_write_row,
};
