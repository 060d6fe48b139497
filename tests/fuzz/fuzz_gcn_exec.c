/*
 * Fuzz target: decoding and executing gfx900 code. A header chooses the descriptor, the grid, the
 * schedule and what registers hold, the rest is code that a small device runs for a bounded number
 * of issues. Each mistake must tell what and where; then its wave goes on behind it, so that what
 * follows is executed, too. A run in slices, traced, saved and restored on the way, must reach the
 * same state as a run in one piece. So must a run that is watched: what is told of its accesses
 * makes of a copy of memory what is there in the end. Some inputs run once more in a device whose
 * memory is this process's own, of which the code may touch no more than is mapped.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "emulator/gcn/internal.h"
#include "emulator/gcn/know/operands.h"
#include "emulator/machine/state.h"
#include "emulator/machine/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* All of it lies below what sanitizers keep for themselves. The code begins near a page's end. */
enum {
    HEADER = 16,
    MOST_CODE = 1024,
    ISSUES = 500,
    MOST_MISTAKES = 300,
    TRIPS = 3,
    BASE = 0x10000000,
    DESCRIPTOR = BASE,
    PACKET = BASE + 0x1000,
    QUEUE = BASE + 0x1040,
    KERNARG = BASE + 0x1100,
    CODE = BASE + 0x3000 - 256,
    READ_ONLY = BASE + 0x4000,
    GAP = BASE + 0x5000, /* where nothing is mapped */
    DATA = BASE + 0x6000,
    DATA_SIZE = 0x4000,
    SCRATCH = BASE + 0x10000,
    SCRATCH_SIZE = 80 * 0x1000,
    PRIVATE = 64,
};

/* Seeds of before are for the first ones. By name, since models are added between others. */
static const struct gcn_model *model_of(const uint8_t *header)
{
    static const char *const names[] = {"gfx900", "gfx906", "gfx908", "gfx90a", "gfx942"};
    const unsigned number = header[0] >> 7 | (header[0] >> 5 & 2);
    const char *name = names[number + (number == 3 ? header[13] >> 1 & 1 : 0)];
    return gcn_model_find(name, strlen(name));
}

static void check(enum wt_status status)
{
    if (status)
        abort();
}

static void put(struct gcn_device *d, uint64_t addr, const void *bytes, size_t size)
{
    if (!gcn_device_write(d, addr, bytes, size))
        abort();
}

/* Numbers that look like what programs have in registers. */
static uint32_t number(uint64_t *seed, unsigned i)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    const uint32_t random = (uint32_t)(*seed >> 32);
    switch (random >> 28) {
    case 0:
        return DATA + (random & (DATA_SIZE - 1));
    case 1:
        return 0x10000 << (random & 1); /* the upper half of an aperture */
    case 2:
        return random & 0xff;
    case 3:
        return CODE + (random & 0x3fc);
    case 4:
        return 0x3f800000 + (random << 8);
    case 5:
        return READ_ONLY + (random & 0xffc);
    case 6:
        return random;
    case 7:
        return 0 - (random & 0xff);
    default:
        return i % 2 ? 0 : DATA + (random & (DATA_SIZE - 4));
    }
}

static void set_registers(struct gcn_device *d, const uint8_t *header)
{
    uint64_t seed = wt_load_le(header + 12, 4);
    for (uint32_t n = 0; n < d->machine.waves; n++) {
        struct gcn_wave *w = &d->wave[n];
        if (!w->active)
            continue;
        for (unsigned i = 0; i < GCN_TTMP; i++)
            w->s[i] = number(&seed, i);
        w->s[GCN_M0] = number(&seed, 1);
        /* Buffer resources: linear, swizzled with and without stride, with the lane added. */
        const uint32_t resource[4][4] = {{DATA, 4 << 16, 0x400, 4 << 12 | 4 << 15},
                                         {DATA, 16u << 16 | 1u << 31, 64, 3u << 21 | 0xfac},
                                         {SCRATCH, 1u << 31, SCRATCH_SIZE, 0xe00fac},
                                         {DATA, 0, DATA_SIZE, (header[11] | 1u) << 12}};
        for (unsigned i = 0; i < 4; i++)
            memcpy(&w->s[8 + 4 * i], resource[i], sizeof resource[i]);
        gcn_set_pair(&w->s[GCN_FLAT_SCRATCH], SCRATCH + n * 0x1000);
        if (header[10] & 1)
            gcn_set_pair(&w->s[GCN_EXEC], seed);
        for (unsigned i = 0; i < GCN_MOST_ROWS; i++) {
            if (!gcn_has_row(w, i))
                continue;
            const uint32_t first = number(&seed, i), step = i % 2 ? 0 : 4u << (first & 3);
            for (unsigned lane = 0; lane < GCN_LANES; lane++)
                w->v[i][lane] = first + step * lane;
        }
    }
}

static void fill(struct gcn_device *d, const uint8_t *header, const uint8_t *code, size_t length)
{
    static uint8_t zeros[0x10000];
    uint8_t descriptor[64] = {0}, packet[64] = {0}, queue[256] = {0};
    uint8_t numbers[DATA_SIZE];
    for (unsigned i = 0; i < DATA_SIZE; i += 4)
        wt_store_le(numbers + i, i * 2654435761u, 4);
    put(d, BASE, zeros, READ_ONLY - BASE);
    put(d, DATA, numbers, sizeof numbers);
    put(d, READ_ONLY, numbers, 0x1000);
    put(d, CODE, code, length);
    wt_store_le(descriptor + 16, CODE - DESCRIPTOR, 8);
    wt_store_le(descriptor + 44, header[12] | (header[13] & 1u) << 16, 4);
    wt_store_le(descriptor + 48, wt_load_le(header + 2, 4), 4);
    wt_store_le(descriptor + 52,
                wt_load_le(header + 6, 3) | (header[0] & 32 ? (uint64_t)header[9] << 24 : 0), 4);
    wt_store_le(descriptor + 56, (header[9] & 0x7f) | (header[9] & 0x80u) << 4, 2);
    wt_store_le(descriptor + 58, wt_load_le(header + 14, 2), 2);
    put(d, DESCRIPTOR, descriptor, sizeof descriptor);
    wt_store_le(packet, 2, 2);
    const unsigned x = 1 + (header[10] >> 1) * 3, y = 1 + (header[1] >> 6);
    for (unsigned i = 0; i < 3; i++) {
        const unsigned block = i == 0 ? (x < 96 ? x : 96) : i == 1 ? y : 1;
        wt_store_le(packet + 4 + 2 * i, block, 2);
        wt_store_le(packet + 12 + 4 * i, i == 0 ? x : i == 1 ? y + 1 : 1, 4);
    }
    wt_store_le(packet + 24, PRIVATE, 4);
    wt_store_le(packet + 28, header[11] * 64u, 4);
    wt_store_le(packet + 32, DESCRIPTOR, 8);
    wt_store_le(packet + 40, KERNARG, 8);
    put(d, PACKET, packet, sizeof packet);
    gcn_queue_set_scratch(queue, SCRATCH, SCRATCH_SIZE, PRIVATE);
    put(d, QUEUE, queue, 192);
}

/* NULL: the descriptor or the packet is refused. */
static struct gcn_device *new_device(bool in_host, const uint8_t *header, const uint8_t *code,
                                     size_t length)
{
    static const char *const kinds[] = {"rr:%u", "lockstep", "random:%u", "rr:1"};
    struct gcn_config config;
    struct wt_error err = {0};
    struct gcn_device *d;
    char schedule[32];
    gcn_config_default(&config);
    config.model = model_of(header);
    config.cu = 1 + (header[0] & 1);
    snprintf(schedule, sizeof schedule, kinds[header[0] >> 1 & 3], 1 + (header[1] & 31u));
    check(wt_schedule_parse(schedule, &config.schedule, &err));
    check(in_host ? gcn_device_new_in_host(&config, &gcn_driver, &d, &err)
                  : gcn_device_new(&config, &d, &err));
    check(gcn_device_map(d, BASE, READ_ONLY - BASE, true, &err));
    check(gcn_device_map(d, READ_ONLY, 0x1000, false, &err));
    check(gcn_device_map(d, DATA, DATA_SIZE, true, &err));
    check(gcn_device_map(d, SCRATCH, SCRATCH_SIZE, true, &err));
    fill(d, header, code, length);
    if (header[0] & 8)
        gcn_device_set_trap_handler(d, CODE + 64, DATA);
    if (gcn_device_dispatch(d, PACKET, QUEUE, &err)) {
        if (!err.text[0])
            abort();
        gcn_device_free(d);
        return NULL;
    }
    set_registers(d, header);
    return d;
}

/* After a mistake its wave goes on behind the instruction, or somewhere in the code. */
static bool mend(struct gcn_device *d, size_t length)
{
    struct wt_fault *f = &d->machine.fault;
    if (!f->kind || !f->text[0] || f->wave >= d->machine.waves || f->time > d->machine.time)
        abort();
    if (f->kind == WT_FAULT_DEADLOCK || f->kind == WT_FAULT_HOST)
        return false;
    struct gcn_wave *w = &d->wave[f->wave];
    /* An arithmetic exception is told when the instruction is done; all else has had no effect. */
    if (!w->active || (w->pc != f->pc && f->kind != WT_FAULT_TRAP && f->kind != WT_FAULT_EXCEPTION))
        abort();
    char place[WT_WAVE_NAME];
    wt_machine_name_wave(&d->machine, f->wave, place, sizeof place);
    const uint64_t in = (w->pc - CODE + 4) % (length ? length : 4);
    w->pc = CODE + (w->pc - CODE < length ? in : in % 64) / 4 * 4;
    f->kind = WT_FAULT_NONE;
    w->status &= ~(uint32_t)GCN_STATUS_FATAL_HALT;
    gcn_update_ready(w);
    return true;
}

static void ignore_trace(void *context, const struct wt_trace *trace)
{
    if (!trace->text[0] || (trace->length != 4 && trace->length != 8))
        abort();
    ++*(uint64_t *)context;
}

static enum wt_run run_whole(struct gcn_device *d, size_t length)
{
    struct wt_machine *m = gcn_machine(d);
    enum wt_run run = WT_RUN_BUDGET;
    for (unsigned mistakes = 0; mistakes < MOST_MISTAKES; mistakes++) {
        do /* in a host process it comes back for other things, too */
            run = m->ops->run(m, ISSUES - m->time);
        while (run == WT_RUN_EVENT);
        if ((run == WT_RUN_FAULT) != (m->fault.kind != WT_FAULT_NONE))
            abort();
        if (run == WT_RUN_BUDGET && m->time != ISSUES)
            abort();
        if (run != WT_RUN_FAULT || m->time >= ISSUES || !mend(d, length))
            break;
    }
    return run;
}

/* There and back: the state of a time is the same. */
static void trip(struct wt_machine *m, unsigned issues)
{
    struct wt_state *state = wt_state_save(m);
    if (!state)
        abort();
    const uint64_t before = m->ops->hash(m);
    m->ops->run(m, issues);
    const uint64_t after = m->ops->hash(m);
    wt_state_restore(m, state);
    if (m->ops->hash(m) != before)
        abort();
    m->ops->run(m, issues);
    if (m->ops->hash(m) != after)
        abort();
    wt_state_restore(m, state);
    wt_state_free(state);
}

static enum wt_run run_in_slices(struct gcn_device *d, size_t length)
{
    struct wt_machine *m = gcn_machine(d);
    enum wt_run run = WT_RUN_BUDGET;
    uint64_t traced = 0;
    unsigned mistakes = 0, trips = 0;
    for (unsigned slice = 1; mistakes < MOST_MISTAKES; slice = slice * 2 % 61) {
        const uint64_t left = ISSUES - m->time, n = slice < left ? slice : left;
        const uint64_t before = m->time;
        if (trips < TRIPS && slice % 8 == 3) {
            trip(m, slice);
            trips++;
        }
        if (slice < 16 && slice & 1) { /* a tenth of it: that is slow */
            traced = 0;
            run = m->ops->run_traced(m, n, ignore_trace, &traced);
            if (traced != m->time - before)
                abort();
        } else {
            run = m->ops->run(m, n);
        }
        if (run == WT_RUN_FAULT) {
            mistakes++;
            if (m->time >= ISSUES || !mend(d, length))
                break;
        } else if (run != WT_RUN_BUDGET || m->time == ISSUES) {
            break;
        }
    }
    return run;
}

/* What the hits say of memory, done to a copy: each tells what the one before it left. */
static void apply_hits(const struct wt_machine *m, struct wt_memory *copy)
{
    for (size_t i = 0; i < m->hits; i++) {
        const struct wt_watch_hit *hit = &m->hit[i];
        uint8_t before[16];
        if (hit->kind >= WT_WATCH_EXECUTE || hit->addr >> 48)
            continue;
        if (!hit->size || hit->size > sizeof before || hit->time >= m->time)
            abort();
        wt_memory_read(copy, hit->addr, before, hit->size);
        if (memcmp(before, hit->before, hit->size))
            abort();
        wt_memory_write(copy, hit->addr, hit->after, hit->size);
    }
}

/* All of memory; and code, waves as the header says. */
static size_t some_watches(struct wt_watch *list, const struct gcn_device *d, uint64_t seed)
{
    size_t n = 0;
    list[n++] = (struct wt_watch){.kind = WT_WATCH_ACCESS, .size = UINT64_MAX};
    if (seed & 1)
        list[n++] = (struct wt_watch){
            .kind = WT_WATCH_EXECUTE, .addr = CODE + (seed >> 8 & 0x3fc), .size = seed >> 3 & 31};
    if (seed & 2)
        list[n++] = (struct wt_watch){.kind = WT_WATCH_ISSUE,
                                      .wave = (uint32_t)(seed >> 16) % d->machine.waves};
    return n;
}

static enum wt_run run_watched(struct gcn_device *d, const uint8_t *header, size_t length)
{
    struct wt_machine *m = gcn_machine(d);
    struct wt_watch list[3];
    enum wt_run run = WT_RUN_BUDGET;
    struct wt_memory *copy = wt_memory_fork(d->machine.memory);
    wt_tlb_clear(&d->machine.tlb);
    if (!copy || !wt_set_watches(m, list, some_watches(list, d, wt_load_le(header + 12, 4))))
        abort();
    uint64_t last = UINT64_MAX;
    for (unsigned mistakes = 0, again = 0; mistakes < MOST_MISTAKES;) {
        run = m->ops->run(m, ISSUES - m->time);
        if ((run == WT_RUN_WATCH) != (m->hits != 0))
            abort();
        /* Before an issue it is told once. */
        again = m->time == last && run == WT_RUN_WATCH ? again + 1 : 0;
        last = m->time;
        if (again > 1)
            abort();
        if (run == WT_RUN_FAULT) {
            mistakes++;
            if (m->time >= ISSUES || !mend(d, length))
                break;
        } else if (run != WT_RUN_WATCH) {
            break;
        }
        apply_hits(m, copy);
    }
    if (wt_memory_hash(copy) != wt_memory_hash(d->machine.memory))
        abort();
    wt_memory_free(copy);
    return run;
}

/* The process's own memory at the addresses of the test. */
static void run_in_host(const uint8_t *header, const uint8_t *code, size_t length)
{
    static uint8_t *memory;
    if (!memory)
        memory = mmap((void *)BASE, SCRATCH + SCRATCH_SIZE - BASE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (memory != (void *)BASE || mprotect(memory + GAP - BASE, DATA - GAP, PROT_NONE))
        abort();
    struct gcn_device *d = new_device(true, header, code, length);
    if (!d)
        return;
    run_whole(d, length);
    gcn_device_abandon(d, 0);
    memset((void *)SCRATCH, 0, SCRATCH_SIZE);
    gcn_device_free(d);
}

/* What is decoded names registers that there are. */
static void check_operands(const struct gcn_model *model, const uint8_t *code, size_t length)
{
    for (size_t at = 0; at + 8 <= length; at += 4) {
        const uint32_t word[2] = {(uint32_t)wt_load_le(code + at, 4),
                                  (uint32_t)wt_load_le(code + at + 4, 4)};
        struct gcn_uop u = {0};
        struct wt_insn_operands o;
        const char *why;
        if (!gcn_decode(model, model->target.lanes, word, 2, &u, &why))
            continue;
        if (!gcn_operands(&u, &o))
            abort();
        for (unsigned i = 0; i < o.count; i++) {
            const struct wt_insn_operand *x = &o.list[i];
            const bool row = x->file == GCN_FILE_V;
            const unsigned first = row ? x->number % GCN_AGPR : x->number,
                           end = first + (x->first + x->bits + 31u) / 32;
            const bool has_registers = x->kind == WT_OPERAND_ROW || x->kind == WT_OPERAND_SCALAR;
            if (has_registers && x->file != GCN_FILE_STATE &&
                (!x->bits || end > (row ? GCN_AGPR : 128u)))
                abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size <= HEADER || size > HEADER + MOST_CODE)
        return 0;
    const uint8_t *code = data + HEADER;
    const size_t length = size - HEADER;
    check_operands(model_of(data), code, length);
    struct gcn_device *whole = new_device(false, data, code, length);
    if (!whole)
        return 0;
    struct gcn_device *pieces = new_device(false, data, code, length);
    struct wt_machine *a = gcn_machine(whole), *b = gcn_machine(pieces);
    const enum wt_run run = run_whole(whole, length);
    const enum wt_run again = run_in_slices(pieces, length);
    if (run != again || a->time != b->time || a->ops->hash(a) != b->ops->hash(b))
        abort();
    gcn_device_free(pieces);
    struct gcn_device *watched = new_device(false, data, code, length);
    const enum wt_run once_more = run_watched(watched, data, length);
    struct wt_machine *c = gcn_machine(watched);
    if (run != once_more || a->time != c->time || a->ops->hash(a) != c->ops->hash(c))
        abort();
    gcn_device_free(watched);
    gcn_device_free(whole);
    if (data[0] & 16)
        run_in_host(data, code, length);
    return 0;
}
