/*
 * ptx_poison PTX INPUT: runs the kernel `k(out, in)` of a file with 64 threads, and at each issue
 * holds the operands that the record states (emulator/sm/operands.h) against what happens. What it
 * does not read is poisoned: results stay the same. What it does not write stays. Fails with a
 * sentence.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "emulator/machine/operands.h"
#include "emulator/machine/state.h"
#include "emulator/machine/trace.h"
#include "emulator/sm/operands.h"
#include "emulator/sm/ptx/image.h"

#define CODE UINT64_C(0x100000000)
#define DATA UINT64_C(0x110000000)
#define BANK UINT64_C(0x120000000)
#define OUT UINT64_C(0x200000000)
#define IN UINT64_C(0x210000000)
#define HEAP UINT64_C(0x220000000)
#define LOCAL UINT64_C(0x230000000)
enum { BUFFER = 0x4000, THREADS = 64, MOST_ROWS = 4096, MOST_ISSUES = 20000 };

/* A warp, the memory of the program, as they are after an issue. */
struct outcome {
    uint8_t r[MOST_ROWS * PTX_ROW_BYTES];
    uint32_t rows, base, mask, live, carry, depth;
    uint64_t pc;
    bool active, fault;
    uint8_t out[BUFFER], shared[SM_CTA_SHARED];
};

/* Bits of registers, and of the carries. */
struct uses {
    uint8_t r[MOST_ROWS * PTX_ROW_BYTES];
    uint32_t carry;
};

static struct sm_device *device;
static struct wt_machine *m;

static uint64_t random64(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15u;
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1du;
}

static void fail(const char *what, const char *text, uint64_t pc, long where)
{
    fprintf(stderr, "%s: 0x%llx: %s (%ld)\n", what, (unsigned long long)pc, text, where);
    exit(1);
}

static void need(bool good, const char *what)
{
    if (!good)
        fail("ptx_poison", what, 0, 0);
}

/* ---- the kernel ---- */

static void map(uint64_t at, const uint8_t *bytes, size_t size, bool writable)
{
    struct wt_error err;
    if (size)
        need(sm_device_map(device, at, size, writable, &err) == WT_OK &&
                 (!bytes || sm_device_write(device, at, bytes, size)),
             "no memory");
}

static void launch(struct sm_ptx *image, const struct sm_ptx_kernel *kernel, const uint8_t *input,
                   size_t length)
{
    struct sm_config config;
    struct wt_error err;
    uint8_t bank[0x1000] = {0};
    size_t code_size, data_size;
    const uint8_t *code = sm_ptx_code(image, &code_size), *data = sm_ptx_data(image, &data_size);
    sm_config_default(&config);
    config.cc = 90;
    need(sm_device_new(&config, &device, &err) == WT_OK, "no device");
    m = sm_machine(device);
    map(CODE, code, code_size, false);
    map(DATA, data, data_size, true);
    map(OUT, NULL, BUFFER, true);
    map(IN, NULL, BUFFER, true);
    map(HEAP, NULL, 0x10000, true);
    need(length <= BUFFER && sm_device_write(device, IN, input, length), "the input is too long");
    wt_store_le(bank + 0x140, OUT, 8);
    wt_store_le(bank + 0x148, IN, 8);
    map(BANK, bank, sizeof bank, false);
    struct sm_launch l = {.entry = kernel->entry,
                          .grid = {1, 1, 1},
                          .block = {THREADS, 1, 1},
                          .shared = kernel->shared,
                          .local = kernel->local + 1024,
                          .bank = {BANK},
                          .bank_size = {sizeof bank},
                          .local_base = LOCAL,
                          .heap = HEAP,
                          .heap_size = 0x10000};
    sm_ptx_launch(image, kernel, &l);
    need(sm_device_attach_ptx(device, image, &err) == WT_OK, "no image");
    map(LOCAL, NULL, sm_device_local_size(device, l.local), true);
    if (sm_device_launch(device, &l, &err) != WT_OK)
        fail("launch", err.text, 0, 0);
}

/* ---- states ---- */

static void look(uint32_t wave, struct outcome *o)
{
    const struct sm_warp *w = &device->warp[wave];
    const uint32_t rows = w->active && w->rows < MOST_ROWS ? w->rows : 0;
    memset(o, 0, sizeof *o);
    o->active = w->active;
    o->fault = m->fault.kind != WT_FAULT_NONE;
    o->rows = rows;
    o->base = w->base;
    o->mask = w->mask;
    o->live = w->live;
    o->carry = w->carry;
    o->depth = w->depth;
    o->pc = w->pc;
    memcpy(o->r, w->r, (size_t)rows * PTX_ROW_BYTES);
    need(sm_device_read(device, OUT, o->out, BUFFER), "no buffer");
    if (w->active && w->cta)
        memcpy(o->shared, w->cta->local, device->grid.launch.shared);
}

/* ---- what is stated ---- */

static void add(struct uses *u, const struct wt_insn_operands *list,
                const struct wt_insn_operand *o)
{
    const wt_lanes lanes = o->crosses ? wt_lanes_first(SM_LANES) : list->enabled;
    const bool whole = o->kind == WT_OPERAND_SCALAR && !o->by_lane;
    if (o->kind > WT_OPERAND_SCALAR)
        return;
    if (o->file == SM_FILE_STATE) {
        u->carry |= (uint32_t)lanes;
        return;
    }
    for (unsigned lane = 0; lane < (whole ? 1 : SM_LANES); lane++) {
        const uint64_t bit = 8ull * o->number + o->first + (o->by_lane ? lane : lane * o->step);
        if (!whole && !wt_has_lane(lanes, lane))
            continue;
        for (unsigned b = 0; b < (o->by_lane ? 1u : o->bits); b++)
            if ((bit + b) / 8 < sizeof u->r)
                u->r[(bit + b) / 8] |= (uint8_t)(1 << (bit + b) % 8);
    }
}

static void uses_of(const struct wt_insn_operands *o, bool written, struct uses *u)
{
    memset(u, 0, sizeof *u);
    for (unsigned i = 0; i < o->count; i++)
        if (written ? o->list[i].writes : o->list[i].reads)
            add(u, o, &o->list[i]);
}

/* The first rows of frames have what executors trust. */
static bool is_of_frame(const struct sm_warp *w, uint32_t row)
{
    for (uint32_t base = w->base;; base = ptx_header(w, base)[PTX_CALLER]) {
        if (row >= base && row < base + PTX_PARAMETER_ROW)
            return true;
        if (base <= PTX_FIRST_ROW)
            break;
    }
    for (uint32_t i = 0; i < w->depth; i++)
        if (row >= w->stack[i].base && row < w->stack[i].base + PTX_PARAMETER_ROW)
            return true;
    return false;
}

static void spoil(struct sm_warp *w, const struct uses *keep)
{
    uint8_t *r = (uint8_t *)w->r;
    for (uint32_t row = PTX_FIRST_ROW; row < w->rows && row < MOST_ROWS; row++)
        for (unsigned i = 0; i < PTX_ROW_BYTES && !is_of_frame(w, row); i++) {
            const uint8_t kept = keep->r[row * PTX_ROW_BYTES + i];
            uint8_t *at = &r[row * PTX_ROW_BYTES + i];
            *at = (uint8_t)((*at & kept) | (random64() & (uint8_t)~kept));
        }
    w->carry = (w->carry & keep->carry) | ((uint32_t)random64() & ~keep->carry);
}

/* ---- an issue ---- */

struct issued {
    uint32_t wave;
    uint64_t pc;
    char text[200];
};

static void note(void *context, const struct wt_trace *trace)
{
    struct issued *i = context;
    i->wave = trace->wave;
    i->pc = trace->pc;
    snprintf(i->text, sizeof i->text, "%s", trace->text);
}

static void try_issue(const struct issued *i, struct wt_state *start)
{
    static struct outcome before, after, other, end;
    static struct uses reads, writes;
    struct wt_insn_operands o;
    look(i->wave, &after);
    wt_state_restore(m, start);
    look(i->wave, &before);
    if (!m->ops->operands(m, i->wave, i->pc, &o))
        fail("no operands", i->text, i->pc, 0);
    uses_of(&o, false, &reads);
    uses_of(&o, true, &writes);
    if (after.fault || !after.active)
        return;
    /* A frame that is left is nobody's any more. */
    const uint32_t rows = before.rows < after.rows ? before.rows : after.rows;
    for (size_t b = 0; b < (size_t)rows * PTX_ROW_BYTES; b++) {
        const uint32_t row = (uint32_t)(b / PTX_ROW_BYTES);
        if (((before.r[b] ^ after.r[b]) & (uint8_t)~writes.r[b]) &&
            !is_of_frame(&device->warp[i->wave], row))
            fail("it writes what it does not state", i->text, i->pc, (long)b);
    }
    spoil(&device->warp[i->wave], &reads);
    look(i->wave, &other);
    m->ops->run(m, 1);
    look(i->wave, &end);
    if (end.fault || end.pc != after.pc || end.mask != after.mask || end.base != after.base ||
        end.live != after.live || end.depth != after.depth ||
        memcmp(end.out, after.out, sizeof end.out) != 0 ||
        memcmp(end.shared, after.shared, sizeof end.shared) != 0)
        fail("it reads what it does not state", i->text, i->pc, -1);
    for (size_t b = 0; b < (size_t)after.rows * PTX_ROW_BYTES; b++) {
        const uint8_t counts = writes.r[b] | (before.r[b] ^ after.r[b]) | (other.r[b] ^ end.r[b]);
        if (counts & (after.r[b] ^ end.r[b]))
            fail("it reads what it does not state", i->text, i->pc, (long)b);
    }
    if ((writes.carry | (before.carry ^ after.carry)) & (after.carry ^ end.carry))
        fail("its carry comes from what it does not state", i->text, i->pc, 0);
}

int main(int count, char **words)
{
    struct ptx_module text;
    struct wt_error err;
    struct sm_ptx *image;
    static char source[1 << 20];
    static uint8_t input[BUFFER];
    need(count == 3, "ptx_poison PTX INPUT");
    FILE *f = fopen(words[1], "r"), *in = fopen(words[2], "r");
    need(f && in, "a file cannot be opened");
    const size_t size = fread(source, 1, sizeof source - 1, f);
    const size_t length = fread(input, 1, sizeof input, in);
    fclose(f);
    fclose(in);
    if (ptx_parse(words[1], source, size, &text, &err) != WT_OK)
        fail("parse", err.text, 0, 0);
    const struct sm_ptx_module module = {words[1], &text};
    if (sm_ptx_link(&module, 1, CODE, DATA, &image, &err) != WT_OK)
        fail("link", err.text, 0, 0);
    size_t kernels;
    const struct sm_ptx_kernel *list = sm_ptx_kernels(image, &kernels);
    for (size_t i = 0; i < kernels; i++)
        if (list[i].is_kernel)
            launch(image, &list[i], input, length);
    need(device, "there is no kernel");
    for (unsigned i = 0; i < MOST_ISSUES; i++) {
        struct issued issue = {.wave = UINT32_MAX};
        struct wt_state *start = wt_state_save(m);
        need(start, "no memory for a state");
        m->ops->run_traced(m, 1, note, &issue);
        if (issue.wave == UINT32_MAX) {
            wt_state_free(start);
            break;
        }
        struct wt_state *behind = wt_state_save(m);
        need(behind, "no memory for a state");
        try_issue(&issue, start);
        wt_state_restore(m, behind);
        wt_state_free(start);
        wt_state_free(behind);
    }
    sm_device_free(device);
    sm_ptx_free(image);
    ptx_free(&text);
    return 0;
}
