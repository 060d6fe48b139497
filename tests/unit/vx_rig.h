/* Builds random instructions of each row of Vortex's table and random states of a warp, executes an
 * instruction, and gives the state after it. Who includes it defines LANES, the warp's threads. */
#ifndef TESTS_VX_RIG_H
#define TESTS_VX_RIG_H

#include "emulator/machine/operands.h"
#include "emulator/vortex/internal.h"
#include "emulator/vortex/operands.h"

enum { WARPS = 4, DATA = 4096, MSCRATCH = 0x340, DSCRATCH = 0x7b2 };
#define CODE UINT64_C(0x80000000)
#define AREA UINT64_C(0x80010000)

/* What instructions can read and write. */
enum place {
    X,          /* 32 rows */
    F = X + 32, /* 32 rows */
    FFLAGS = F + 32,
    FRM,
    SCRATCH,
    DSCRATCHES, /* 4 rows */
    PC = DSCRATCHES + 4,
    MASK,
    IPDOM,
    RESERVATION,
    OTHERS,
    MEMORY,
    PLACES
};

struct state {
    uint64_t row[PC][LANES]; /* scalars: the first number */
    uint64_t pc, mask;
    unsigned depth;
    struct vx_ipdom ipdom[LANES - 1];
    uint64_t reserved[2][LANES];
    struct {
        bool active;
        enum vx_wait wait;
        uint32_t id;
        uint64_t pc;
    } warp[WARPS];
    uint8_t data[DATA];
    enum wt_fault_kind fault;
};

static uint64_t seed;

static uint64_t any(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t x = seed ^ seed >> 33;
    x *= UINT64_C(0xff51afd7ed558ccd);
    return x ^ x >> 33;
}

/* A number that instructions treat in a way of its own, or any. */
static uint64_t number(void)
{
    static const uint64_t odd[] = {0, 1, 2, 3, UINT64_MAX, 0x80000000, UINT64_C(1) << 63, 31};
    return any() % 4 ? odd[any() % 8] : any();
}

static uint64_t real(void)
{
    static const uint64_t odd[] = {UINT64_C(0xffffffff3f800000), UINT64_C(0xffffffff40490fdb),
                                   UINT64_C(0xffffffff7fc00000), UINT64_C(0xffffffff7fa00000),
                                   UINT64_C(0xffffffff00000001), UINT64_C(0x3ff0000000000000),
                                   UINT64_C(0x400921fb54442d18), UINT64_C(0x7ff0000000000001),
                                   UINT64_C(0x4170000010000000), UINT64_C(0xffffffffff7fffff)};
    return any() % 8 ? odd[any() % (sizeof odd / sizeof *odd)] : any();
}

static void fill_row(struct state *s, unsigned place)
{
    for (unsigned l = 0; l < LANES; l++)
        s->row[place][l] = place >= F && place < FFLAGS ? real() : number();
    if (place == X)
        memset(s->row[X], 0, sizeof s->row[X]);
    if (place == FFLAGS)
        s->row[FFLAGS][0] = any() % 2 ? s->row[FFLAGS][0] & 31 : 0;
    if (place == FRM)
        s->row[FRM][0] = any() % 8;
}

static void fill(struct state *s)
{
    memset(s, 0, sizeof *s);
    for (unsigned p = 0; p < PC; p++)
        fill_row(s, p);
    s->pc = CODE;
    s->mask = 1 + any() % ((UINT64_C(1) << LANES) - 1);
    s->depth = any() % LANES;
    for (unsigned i = 0; i < LANES - 1; i++) { /* one by one: padding stays 0 */
        s->ipdom[i].restore = 1 + any() % 15;
        s->ipdom[i].other = 1 + any() % 15;
        s->ipdom[i].pc = CODE + 64 + any() % 64 * 4;
        s->ipdom[i].fallthrough = any() % 2;
    }
    for (unsigned l = 0; l < LANES; l++) {
        s->reserved[0][l] = any() % 2 ? AREA + any() % 8 * 8 + 1 : 0;
        s->reserved[1][l] = 0;
    }
    for (unsigned i = 0; i < DATA; i++)
        s->data[i] = (uint8_t)(any() % 3 ? 0 : any());
}

static void put(struct vx_device *d, const struct state *s)
{
    struct wt_machine *m = vx_machine(d);
    struct vx_warp *w = &d->warp[0];
    vx_stop_core(d, w->core);
    m->fault = (struct wt_fault){0};
    vx_warp_start(w, s->pc, 1);
    vx_set_mask(w, s->mask);
    for (unsigned r = 0; r < 32; r++)
        for (unsigned l = 0; l < LANES; l++) {
            vx_set_x(w, r, l, s->row[X + r][l]);
            w->f[r * LANES + l] = s->row[F + r][l];
        }
    w->fflags = (uint8_t)s->row[FFLAGS][0];
    w->frm = (uint8_t)s->row[FRM][0];
    w->core->mscratch = vx_truncate(d, s->row[SCRATCH][0]);
    for (unsigned i = 0; i < 4; i++)
        for (unsigned l = 0; l < LANES; l++)
            w->dscratch[i * LANES + l] = (uint32_t)s->row[DSCRATCHES + i][l];
    w->depth = s->depth;
    memcpy(w->ipdom, s->ipdom, sizeof s->ipdom);
    memcpy(w->reserved_addr, s->reserved[0], sizeof s->reserved[0]);
    memcpy(w->reserved_value, s->reserved[1], sizeof s->reserved[1]);
    assert_true(m->ops->write_memory(m, 0, 0, AREA, s->data, DATA));
}

static void get(struct vx_device *d, struct state *s)
{
    struct wt_machine *m = vx_machine(d);
    const struct vx_warp *w = &d->warp[0];
    memset(s, 0, sizeof *s);
    for (unsigned r = 0; r < 32; r++)
        for (unsigned l = 0; l < LANES; l++) {
            s->row[X + r][l] = vx_get_x(w, r, l);
            s->row[F + r][l] = w->f[r * LANES + l];
        }
    s->row[FFLAGS][0] = w->fflags;
    s->row[FRM][0] = w->frm;
    s->row[SCRATCH][0] = w->core->mscratch;
    for (unsigned i = 0; i < 4; i++)
        for (unsigned l = 0; l < LANES; l++)
            s->row[DSCRATCHES + i][l] = w->dscratch[i * LANES + l];
    s->pc = w->pc;
    s->mask = (uint64_t)w->mask;
    s->depth = w->depth;
    memcpy(s->ipdom, w->ipdom, sizeof s->ipdom);
    memcpy(s->reserved[0], w->reserved_addr, sizeof s->reserved[0]);
    memcpy(s->reserved[1], w->reserved_value, sizeof s->reserved[1]);
    for (unsigned i = 0; i < WARPS; i++) {
        s->warp[i].active = d->warp[i].active;
        s->warp[i].wait = d->warp[i].wait;
        s->warp[i].pc = i && d->warp[i].active ? d->warp[i].pc : 0;
        s->warp[i].id = d->warp[i].wait == VX_RUNS ? 0 : d->warp[i].wait_id;
    }
    assert_true(m->ops->read_memory(m, 0, 0, AREA, s->data, DATA));
    s->fault = m->fault.kind;
}

static unsigned place_of(const struct wt_insn_operand *o)
{
    if (o->kind == WT_OPERAND_MEMORY)
        return MEMORY;
    if (o->file == VX_FILE_X || o->file == VX_FILE_F)
        return (o->file == VX_FILE_X ? X : F) + o->number;
    if (o->file == VX_FILE_STATE)
        return PC + o->number;
    switch (o->number) {
    case 1:
        return FFLAGS;
    case 2:
        return FRM;
    case MSCRATCH:
        return SCRATCH;
    default:
        assert_in_range(o->number, DSCRATCH, DSCRATCH + 3);
        return DSCRATCHES + o->number - DSCRATCH;
    }
}

/* A word of the row, with registers that differ from each other and are not x0. */
static uint32_t word_of(const struct vx_insn *row)
{
    static const uint32_t csrs[] = {1, 2, 3, MSCRATCH, DSCRATCH, DSCRATCH + 1, DSCRATCH + 3};
    for (;;) {
        uint32_t word = row->match | ((uint32_t)any() & ~row->mask);
        if (strchr(row->operands, 'E'))
            word = (word & 0xfffff) | csrs[any() % (sizeof csrs / sizeof *csrs)] << 20;
        if (strchr(row->operands, 'm') && any() % 2)
            word |= 7 << 12;
        const uint32_t rm = word >> 12 & 7;
        if (strchr(row->operands, 'm') && rm > 4 && rm != 7)
            continue;
        const unsigned r[] = {word >> 7 & 31, word >> 15 & 31, word >> 20 & 31, word >> 27};
        bool good = true;
        for (unsigned i = 0; i < (strchr(row->operands, 'E') ? 2 : 4); i++) {
            good &= (row->mask >> (unsigned[]){7, 15, 20, 27}[i] & 31) != 0 || r[i] != 0;
            for (unsigned k = 0; k < i; k++)
                good &= r[i] != r[k] || i == 3;
        }
        if (good || (!strpbrk(row->operands, "lqa") && any() % 64 == 0))
            return word;
    }
}

/* Changes random values, so that addresses lie in the data area, numbers have the width of
 * registers, and the rows vx_join, vx_bar and vx_pred come to each of their branches. */
static void help(struct state *s, const struct vx_insn *row, const struct wt_insn_operands *o,
                 unsigned xlen)
{
    for (unsigned i = 0; i < o->count; i++)
        for (unsigned l = 0; l < LANES && o->list[i].kind == WT_OPERAND_MEMORY; l++)
            if (o->list[i].number)
                s->row[X + o->list[i].number][l] =
                    AREA + any() % 8 * 8 - (uint64_t)o->list[i].value;
    const bool depth = strcmp(row->name, "vx_join") == 0, few = strcmp(row->name, "vx_bar") == 0,
               none = strncmp(row->name, "vx_pred", 7) == 0;
    for (unsigned i = 0; i < o->count && any() % 2; i++)
        for (unsigned l = 0; l < LANES && o->list[i].file == VX_FILE_X; l++)
            if (o->list[i].kind == WT_OPERAND_ROW && (depth || few || none))
                s->row[X + o->list[i].number][l] = depth ? s->depth
                                                   : few ? any() % 4
                                                         : s->row[X + o->list[i].number][l] & ~1ull;
    for (unsigned r = 0; r < 32 && xlen == 32; r++)
        for (unsigned l = 0; l < LANES; l++)
            s->row[X + r][l] = (uint32_t)s->row[X + r][l];
    for (unsigned p = SCRATCH; p < PC; p++)
        for (unsigned l = 0; l < LANES; l++)
            s->row[p][l] = p == SCRATCH && l            ? 0
                           : p == SCRATCH && xlen == 64 ? s->row[p][l]
                                                        : (uint32_t)s->row[p][l];
    s->row[FFLAGS][1] = s->row[FFLAGS][2] = s->row[FFLAGS][3] = 0;
    s->row[FRM][1] = s->row[FRM][2] = s->row[FRM][3] = 0;
}

static struct state run(struct vx_device *d, const struct state *from)
{
    struct state after;
    struct wt_machine *m = vx_machine(d);
    put(d, from);
    m->ops->run(m, 1);
    get(d, &after);
    return after;
}

static struct vx_device *device_new(unsigned xlen)
{
    struct vx_config config;
    struct vx_device *d;
    struct wt_error err;
    vx_config_default(&config);
    config.xlen = xlen;
    config.threads = LANES;
    assert_int_equal(vx_device_new(&config, &d, &err), WT_OK);
    return d;
}

/* Whether the row is one of that width. */
static bool has_row(unsigned id, unsigned xlen)
{
    const struct vx_insn *row = &vx_insns[id];
    return (row->xlen == 0 || row->xlen == xlen) &&
           vx_insn_find(row->match, xlen) == (enum vx_insn_id)id;
}

static void put_word(struct vx_device *d, uint32_t word)
{
    struct wt_machine *m = vx_machine(d);
    uint8_t bytes[4];
    wt_store_le(bytes, word, 4);
    assert_true(m->ops->write_memory(m, 0, 0, CODE, bytes, 4));
}

#endif
