/*
 * The operands that the table of gfx900 states are those that count. Each row is executed in each
 * of its forms from random states. What it does not read is poisoned: results stay the same. What
 * it does not write stays. What it reads and writes matters in some trial.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "emulator/gcn/know/operands.h"
#include "gcn_rig.h"
#include "gcn_words.h"

enum { AREA = 1024, STATES = GCN_STATE_DEVICE + 1, MEMORIES = 4, TRIALS = 40, MOST_TRIALS = 4000 };
enum memory { GLOBAL, LOCAL, GDS, PRIVATE_MEMORY };

/* VGPRs, then accumulation registers. */
enum { ROWS = 2 * REGISTERS };

static unsigned place_of(unsigned row)
{
    return row < GCN_AGPR ? row : REGISTERS + row - GCN_AGPR;
}

struct state {
    uint32_t v[ROWS][GCN_LANES];
    uint32_t s[GCN_SCALARS];
    uint64_t number[STATES]; /* that is compared */
    uint8_t memory[MEMORIES][AREA];
    bool fault, ended;
};

/* What an instruction says that it reads or writes: bits of each register. */
struct uses {
    uint32_t v[ROWS], s[GCN_SCALARS];
    uint64_t lanes[ROWS]; /* in which the bits of v count */
    bool number[STATES], memory[MEMORIES];
};

static uint64_t exec_of(const struct state *s)
{
    return gcn_pair(&s->s[GCN_EXEC]);
}

/* ---- random states ---- */

static uint32_t mode(void)
{
    return (uint32_t)any(0x400);
}

static void fill(struct state *s)
{
    memset(s, 0, sizeof *s);
    for (unsigned r = 0; r < ROWS; r++)
        for (unsigned l = 0; l < GCN_LANES; l++)
            s->v[r][l] = number();
    for (unsigned r = 0; r < GCN_SCALARS; r++)
        s->s[r] = number();
    s->number[GCN_STATE_SCC] = any(2);
    s->number[GCN_STATE_MODE] = mode() | (uint32_t)any(8) << 29;
    s->number[GCN_STATE_TRAPSTS] = any(3) ? 0 : any(64);
    for (unsigned m = 0; m < MEMORIES; m++)
        for (unsigned i = 0; i < AREA; i++)
            s->memory[m][i] = (uint8_t)(any(3) ? number() : any(256));
    if (!any(3))
        gcn_set_pair(&s->s[GCN_EXEC], ALL);
    else if (!exec_of(s))
        s->s[GCN_EXEC] = 1;
}

/* ---- the machine ---- */

static struct gcn_wave first_wave; /* as it is before anything has issued */

static void put_state(struct rig *r, const struct state *s)
{
    struct gcn_wave *w = wave_of(r, 0);
    uint32_t(*v)[GCN_LANES] = w->v;
    *w = first_wave;
    w->v = v;
    r->m->fault = (struct wt_fault){0};
    gcn_update_ready(w);
    for (unsigned file = 0; file < GCN_FILES && gcn_rows_of(w, file); file++)
        memcpy(w->v[file * GCN_AGPR], s->v[file * REGISTERS], sizeof s->v / 2);
    memcpy(w->s, s->s, sizeof s->s);
    w->scc = s->number[GCN_STATE_SCC];
    w->mode = (uint32_t)s->number[GCN_STATE_MODE];
    w->trapsts = (uint32_t)s->number[GCN_STATE_TRAPSTS];
    put(r->d, DATA, s->memory[GLOBAL], AREA);
    memcpy(w->group->local, s->memory[LOCAL], AREA);
    memset(w->group->local + AREA, 0, LDS - AREA);
    memcpy(r->d->gds, s->memory[GDS], AREA);
    put(r->d, SCRATCH, s->memory[PRIVATE_MEMORY], AREA);
}

static void get_state(struct rig *r, const struct state *from, struct state *s)
{
    *s = *from;
    s->fault = r->m->fault.kind != WT_FAULT_NONE;
    s->ended = !r->m->active;
    if (s->ended)
        return;
    struct gcn_wave *w = wave_of(r, 0);
    for (unsigned file = 0; file < GCN_FILES && gcn_rows_of(w, file); file++)
        memcpy(s->v[file * REGISTERS], w->v[file * GCN_AGPR], sizeof s->v / 2);
    memcpy(s->s, w->s, sizeof s->s);
    s->number[GCN_STATE_SCC] = w->scc;
    s->number[GCN_STATE_MODE] = w->mode;
    s->number[GCN_STATE_TRAPSTS] = w->trapsts;
    s->number[GCN_STATE_PC] = w->pc;
    s->number[GCN_STATE_WAVE] = w->status ^ (uint64_t)w->kill << 32;
    assert_true(gcn_read(r->d, DATA, s->memory[GLOBAL], AREA));
    memcpy(s->memory[LOCAL], w->group->local, AREA);
    memcpy(s->memory[GDS], r->d->gds, AREA);
    assert_true(gcn_read(r->d, SCRATCH, s->memory[PRIVATE_MEMORY], AREA));
}

static struct rig new_rig(void)
{
    static const uint32_t code[64] = {S_NOP};
    struct rig r = rig_new("rr:1", 1, 64, code, 64);
    run(&r, 1);
    first_wave = *wave_of(&r, 0);
    first_wave.pc = CODE;
    return r;
}

static uint32_t words[3]; /* of the instruction */

/* Of a wave that has ended nothing is left to begin with. */
static void execute(struct rig *r, const struct state *from, struct state *to)
{
    if (!r->m->active) {
        rig_free(r);
        *r = new_rig();
    }
    put(r->d, CODE, words, sizeof words);
    put_state(r, from);
    run(r, 1);
    get_state(r, from, to);
}

/* ---- what it states ---- */

static uint32_t bits_in(const struct wt_insn_operand *o, unsigned k)
{
    const unsigned end = o->first + o->bits, from = k ? 0 : o->first;
    const unsigned to = end > 32 * (k + 1) ? 32 : end - 32 * k;
    return (uint32_t)(((UINT64_C(1) << to) - 1) & ~((UINT64_C(1) << from) - 1));
}

static unsigned registers_of(const struct wt_insn_operand *o)
{
    return (o->first + o->bits + 31u) / 32;
}

static void add_memory(struct uses *u, unsigned file)
{
    u->memory[GLOBAL] |=
        file == GCN_FILE_MEMORY || file == GCN_FILE_FLAT || file == GCN_FILE_SCALAR;
    u->memory[LOCAL] |= file == GCN_FILE_LDS || file == GCN_FILE_FLAT;
    u->memory[GDS] |= file == GCN_FILE_GDS;
    u->memory[PRIVATE_MEMORY] |= file == GCN_FILE_PRIVATE || file == GCN_FILE_FLAT;
}

static uint64_t lanes_of(const struct wt_insn_operand *o, uint64_t exec)
{
    switch (o->whose) {
    case WT_LANE_OWN:
        return o->crosses ? ALL : exec;
    case WT_LANE_FIRST:
        return exec ? exec & -exec : 1;
    default:
        return UINT64_C(1) << (o->whose - WT_LANE_0);
    }
}

static void add(struct uses *u, const struct wt_insn_operand *o, uint64_t exec)
{
    if (o->kind == WT_OPERAND_MEMORY)
        add_memory(u, o->file);
    else if (o->kind != WT_OPERAND_CONSTANT && o->file == GCN_FILE_STATE)
        u->number[o->number] = true;
    else
        for (unsigned k = 0; o->kind != WT_OPERAND_CONSTANT && k < registers_of(o); k++) {
            const unsigned n = o->file == GCN_FILE_V ? place_of(o->number + k) : o->number + k;
            assert_true(n < (o->file == GCN_FILE_V ? ROWS : GCN_SCALARS));
            (o->file == GCN_FILE_V ? u->v : u->s)[n] |= bits_in(o, k);
            if (o->file == GCN_FILE_V)
                u->lanes[n] |= lanes_of(o, exec);
        }
}

static void uses_of(const struct wt_insn_operands *o, struct uses *reads, struct uses *writes,
                    uint64_t exec)
{
    exec = o->unmasked ? ALL : exec;
    memset(reads, 0, sizeof *reads);
    memset(writes, 0, sizeof *writes);
    for (unsigned i = 0; i < o->count; i++) {
        if (o->list[i].reads)
            add(reads, &o->list[i], exec);
        if (o->list[i].writes)
            add(writes, &o->list[i], exec);
    }
}

/* ---- poison, and comparison ---- */

static bool is_lane(uint64_t mask, unsigned lane)
{
    return mask >> lane & 1;
}

/* Of any of the plain scalar registers nobody can tell which it is. */
static uint32_t bits_of_scalar(const struct uses *u, unsigned r)
{
    return u->number[GCN_STATE_RELATIVE] && r < GCN_VCC ? UINT32_MAX : u->s[r];
}

static void spoil(struct state *s, const struct uses *keep)
{
    for (unsigned r = 0; r < ROWS; r++)
        for (unsigned l = 0; l < GCN_LANES; l++) {
            const uint32_t kept = is_lane(keep->lanes[r], l) ? keep->v[r] : 0;
            s->v[r][l] = (s->v[r][l] & kept) | (number() & ~kept);
        }
    for (unsigned r = 0; r < GCN_EXEC; r++) {
        const uint32_t kept = bits_of_scalar(keep, r);
        s->s[r] = (s->s[r] & kept) | (number() & ~kept);
    }
    if (!keep->number[GCN_STATE_SCC])
        s->number[GCN_STATE_SCC] = any(2);
    if (!keep->number[GCN_STATE_MODE])
        s->number[GCN_STATE_MODE] = mode() | (uint32_t)any(8) << 29;
    if (!keep->number[GCN_STATE_TRAPSTS])
        s->number[GCN_STATE_TRAPSTS] = any(64);
    for (unsigned m = 0; m < MEMORIES; m++)
        for (unsigned i = 0; i < AREA && !keep->memory[m]; i++)
            s->memory[m][i] = (uint8_t)any(256);
}

/* Whether two runs came to the same: in what the instruction states that it writes, and in what one
 * of them has changed. */
static bool agree(const struct state *a0, const struct state *a, const struct state *b0,
                  const struct state *b, const struct uses *writes)
{
    if (a->fault || b->fault || a->ended || b->ended)
        return a->fault == b->fault && a->ended == b->ended;
    for (unsigned i = 0; i < ROWS * GCN_LANES; i++) {
        const uint32_t *p[] = {a0->v[0] + i, a->v[0] + i, b0->v[0] + i, b->v[0] + i};
        const unsigned r = i / GCN_LANES;
        const bool counts = is_lane(writes->lanes[r], i % GCN_LANES);
        if (((*p[0] ^ *p[1]) | (*p[2] ^ *p[3]) | (counts ? writes->v[r] : 0)) & (*p[1] ^ *p[3]))
            return false;
    }
    for (unsigned i = 0; i < GCN_SCALARS; i++)
        if (((a0->s[i] ^ a->s[i]) | (b0->s[i] ^ b->s[i]) | writes->s[i]) & (a->s[i] ^ b->s[i]))
            return false;
    for (unsigned i = 0; i < STATES; i++)
        if (((a0->number[i] ^ a->number[i]) | (b0->number[i] ^ b->number[i]) |
             (writes->number[i] ? UINT64_MAX : 0)) &
            (a->number[i] ^ b->number[i]))
            return false;
    for (unsigned i = 0; i < MEMORIES * AREA; i++) {
        const uint8_t *p[] = {a0->memory[0] + i, a->memory[0] + i, b0->memory[0] + i,
                              b->memory[0] + i};
        if ((*p[0] != *p[1] || *p[2] != *p[3]) && *p[1] != *p[3])
            return false;
    }
    return true;
}

/* The first place that has changed, and is not stated as written; "" is none. */
static const char *changed_beside(const struct state *before, const struct state *after,
                                  const struct uses *writes)
{
    static char text[32];
    if (after->fault || after->ended)
        return "";
    for (unsigned r = 0; r < ROWS; r++)
        for (unsigned l = 0; l < GCN_LANES; l++) {
            const uint32_t may = is_lane(writes->lanes[r], l) ? writes->v[r] : 0;
            if ((before->v[r][l] ^ after->v[r][l]) & ~may) {
                snprintf(text, sizeof text, "v%u", r);
                return text;
            }
        }
    for (unsigned r = 0; r < GCN_SCALARS; r++)
        if ((before->s[r] ^ after->s[r]) & ~bits_of_scalar(writes, r)) {
            gcn_scalar_name(r, 1, text, sizeof text);
            return text;
        }
    for (unsigned i = 0; i < STATES; i++)
        if (before->number[i] != after->number[i] && !writes->number[i] && i != GCN_STATE_PC) {
            snprintf(text, sizeof text, "state %u", i);
            return text;
        }
    for (unsigned m = 0; m < MEMORIES; m++)
        if (!writes->memory[m] && memcmp(before->memory[m], after->memory[m], AREA) != 0)
            return "memory";
    return "";
}

/* ---- addresses that lie in the areas ---- */

static void set_row(struct state *s, unsigned r, uint64_t base, bool wide)
{
    for (unsigned l = 0; l < GCN_LANES; l++) {
        const uint64_t at = base + any(16) * 16;
        s->v[r][l] = (uint32_t)at;
        if (wide)
            s->v[r + 1][l] = (uint32_t)(at >> 32);
    }
}

/* An image of 4 texels a dimension, of 16 bytes or what an atomic wants, and coordinates in it. */
static void set_image(struct state *s, const struct gcn_uop *u)
{
    static const uint8_t types[] = {8, 9, 10, 12, 13};
    const bool sampled = u->row->operands[1] == 's' || u->row->operands[1] == 'g';
    const uint32_t format = u->row->operands[0] != 'a' ? 14 | 7u << 6
                            : u->size == 4             ? 4 | 4u << 6
                                                       : 11 | 4u << 6;
    const uint32_t type = u->row->operands[1] == 'g' ? 9 + 4 * (uint32_t)any(2) : types[any(5)];
    const uint32_t image[8] = {(uint32_t)(DATA >> 8), (uint32_t)(DATA >> 40) | format << 20,
                               3 | 3u << 14, 0xfacu | type << 28, 3 | 3u << 13};
    memcpy(&s->s[80], image, sizeof image);
    s->s[96] = any(2) ? 0x8000 : (uint32_t)any(4) * 0x49;
    s->s[97] = 0;
    s->s[98] = any(2) ? 5u << 20 : 0;
    s->s[99] = 0;
    for (unsigned i = 0; i < 10 && u->src[0] + i < REGISTERS; i++)
        for (unsigned l = 0; l < GCN_LANES; l++)
            s->v[u->src[0] + i][l] =
                sampled && any(8) ? 0x3f800000u + (uint32_t)any(0x01000000) : (uint32_t)any(4);
}

static void set_addresses(struct state *s, const struct gcn_uop *u)
{
    const uint64_t offset = (uint64_t)(int64_t)u->imm;
    const uint64_t flat[] = {DATA, GCN_SHARED_APERTURE};
    gcn_set_pair(&s->s[GCN_FLAT_SCRATCH], SCRATCH);
    switch ((enum gcn_encoding)u->row->encoding) {
    case GCN_SMEM:
    case GCN_MUBUF:
    case GCN_MTBUF:
        s->s[80] = (uint32_t)any(4) * 8;
        s->s[96] = (uint32_t)DATA;
        s->s[97] = 0;
        s->s[98] = 512;
        s->s[99] = 0x00077fac; /* X, Y, Z, W; floats of 32 bits: four of them */
        if (u->row->encoding == GCN_SMEM)
            break;
        if (u->idxen)
            set_row(s, u->src[0], 0, false);
        if (u->offen)
            set_row(s, u->src[0] + u->idxen, 0, false);
        break;
    case GCN_MIMG:
        set_image(s, u);
        break;
    case GCN_DS:
        set_row(s, u->src[0], 0, false);
        break;
    case GCN_FLAT:
        set_row(s, u->src[0], flat[any(2)] - offset, true);
        if (!any(3)) /* all lanes' private memory begins within the area */
            for (unsigned l = 0; l < GCN_LANES; l++) {
                s->v[u->src[0]][l] = (uint32_t)-offset;
                s->v[u->src[0] + 1][l] = (uint32_t)((GCN_PRIVATE_APERTURE - offset) >> 32);
            }
        break;
    case GCN_GLOBAL:
        set_row(s, u->src[0], u->base == 0x7f ? DATA - offset : 16, u->base == 0x7f);
        if (u->base != 0x7f)
            gcn_set_pair(&s->s[u->base], DATA);
        break;
    case GCN_SCRATCH:
        for (unsigned l = 0; l < GCN_LANES; l++)
            s->v[u->src[0]][l] = 4 * (uint32_t)any(2);
        if (u->base != 0x7f)
            s->s[u->base] = 4;
        break;
    default:
        break;
    }
    if (u->row->encoding >= GCN_DS)
        s->s[GCN_M0] = u->gds ? 768 : (uint32_t)any(8) * 8;
    if (u->row->encoding >= GCN_DS || u->row->encoding == GCN_SMEM)
        for (unsigned m = 0; m < MEMORIES && any(2); m++) /* what compares finds an equal */
            memset(s->memory[m], 0, AREA);
    if (u->row->encoding <= GCN_SOPP && any(2))
        s->number[GCN_STATE_MODE] |= GCN_MODE_GPR_IDX_EN | GCN_MODE_VSKIP;
    if (u->row->encoding >= GCN_VOP2 && u->row->encoding <= GCN_VOP3P && !any(4)) { /* indexing */
        s->number[GCN_STATE_MODE] |= GCN_MODE_GPR_IDX_EN;
        s->s[GCN_M0] = (uint32_t)(any(16) << 12 | any(REGISTERS / 8));
    }
    if (u->row->encoding >= GCN_VOP2 && !any(8))
        s->number[GCN_STATE_MODE] |= GCN_MODE_VSKIP;
    if (strstr(u->row->name, "movrel"))
        s->s[GCN_M0] = (uint32_t)any(4) * 2;
    if (strstr(u->row->name, "_join") && any(2))
        s->s[u->src[0] & 127] = (uint32_t)(s->number[GCN_STATE_MODE] >> 29);
}

/* ---- each row ---- */

static bool ends(const struct gcn_row *row)
{
    return strchr(row->state, 'w') || strchr(row->state, 'd');
}

static bool is_compared(const struct wt_insn_operand *o)
{
    return o->kind != WT_OPERAND_CONSTANT &&
           (o->kind != WT_OPERAND_SCALAR || o->file != GCN_FILE_STATE || o->number < GCN_STATE_PC);
}

/* v_cmp_f_… and v_cmp_t_…, whose result does not depend on anything. */
static bool is_constant(const struct gcn_row *row)
{
    return row->encoding == GCN_VOPC &&
           (strstr(row->name, "_f_") || strstr(row->name, "_t_") || strstr(row->name, "_tru_"));
}

static void try_form(struct rig *r, const struct gcn_row *row, unsigned form)
{
    static struct state before, after, other, end;
    struct wt_insn_operands most = {0};
    bool mattered[WT_MOST_OPERANDS] = {0}, changed[WT_MOST_OPERANDS] = {0};
    unsigned done = 0;
    bool all = false;
    const unsigned most_trials = ends(row) || is_constant(row) ? TRIALS : MOST_TRIALS;
    for (unsigned trial = 0; trial < TRIALS || (!all && trial < most_trials); trial++) {
        uint32_t *word = words;
        struct gcn_uop u = {0};
        const char *why;
        struct wt_insn_operands o;
        struct uses reads, writes;
        unsigned tries = 0;
        do {
            make_words(row, form, word);
            assert_true(++tries < 20000);
        } while (!gcn_decode(rig_model, GCN_LANES, word, 3, &u, &why) || u.row != row);
        if (ends(row)) {
            rig_free(r);
            *r = new_rig();
        }
        fill(&before);
        set_addresses(&before, &u);
        const uint64_t exec = exec_of(&before);
        if (!r->m->active) {
            rig_free(r);
            *r = new_rig();
        }
        put_state(r, &before);
        if (!gcn_operands_now(&u, wave_of(r, 0), &o))
            fail_msg("%s has no operands", row->name);
        uses_of(&o, &reads, &writes, exec);
        execute(r, &before, &after);
        if (after.fault)
            continue;
        done++;
        if (ends(row))
            continue;
        const char *beside = changed_beside(&before, &after, &writes);
        if (*beside)
            fail_msg("%s, form %u (0x%08x 0x%08x) writes %s, which it does not state", row->name,
                     form, word[0], word[1], beside);
        other = before;
        spoil(&other, &reads);
        execute(r, &other, &end);
        if (!agree(&before, &after, &other, &end, &writes))
            fail_msg("%s, form %u (0x%08x 0x%08x) reads what it does not state", row->name, form,
                     word[0], word[1]);
        beside = changed_beside(&other, &end, &writes);
        if (*beside)
            fail_msg("%s, form %u (0x%08x 0x%08x) writes %s, which it does not state", row->name,
                     form, word[0], word[1], beside);
        if (o.count > most.count) {
            most = o;
            memset(mattered, 0, sizeof mattered);
            memset(changed, 0, sizeof changed);
        }
        for (unsigned i = 0; i < o.count && o.count == most.count; i++) {
            struct uses one, keep;
            memset(&one, 0, sizeof one);
            add(&one, &o.list[i], o.unmasked ? ALL : exec);
            if (o.list[i].writes && !changed[i]) {
                struct uses rest = writes;
                for (unsigned k = 0; k < ROWS; k++)
                    rest.v[k] &= ~one.v[k];
                for (unsigned k = 0; k < GCN_SCALARS; k++)
                    rest.s[k] &= ~one.s[k];
                for (unsigned k = 0; k < STATES; k++)
                    rest.number[k] &= !one.number[k];
                for (unsigned k = 0; k < MEMORIES; k++)
                    rest.memory[k] &= !one.memory[k];
                changed[i] =
                    *changed_beside(&before, &after, &rest) ||
                    (one.number[GCN_STATE_PC] && after.number[GCN_STATE_PC] != CODE + 4 * u.length);
            }
            if (!o.list[i].reads || mattered[i] || o.list[i].kind == WT_OPERAND_CONSTANT)
                continue;
            memset(&keep, 0xff, sizeof keep);
            for (unsigned k = 0; k < ROWS; k++)
                keep.v[k] &= ~one.v[k];
            for (unsigned k = 0; k < GCN_SCALARS; k++)
                keep.s[k] &= ~one.s[k];
            for (unsigned k = 0; k < STATES; k++)
                keep.number[k] = !one.number[k];
            for (unsigned k = 0; k < MEMORIES; k++)
                keep.memory[k] = !one.memory[k];
            keep.number[GCN_STATE_RELATIVE] = false;
            other = before;
            spoil(&other, &keep);
            if (one.s[GCN_EXEC])
                gcn_set_pair(&other.s[GCN_EXEC], any(2) ? 0 : ~exec);
            execute(r, &other, &end);
            mattered[i] = !agree(&before, &after, &other, &end, &writes);
        }
        all = true;
        for (unsigned i = 0; i < most.count; i++)
            all &= !is_compared(&most.list[i]) ||
                   ((!most.list[i].reads || mattered[i]) && (!most.list[i].writes || changed[i]));
    }
    if (!done && !ends(row))
        fail_msg("%s, form %u: no trial comes to an end", row->name, form);
    for (unsigned i = 0; i < most.count && !is_constant(row); i++) {
        const struct wt_insn_operand *o = &most.list[i];
        char name[96] = "a constant";
        if (!is_compared(o))
            continue;
        gcn_operand_name(o, name, sizeof name);
        if (o->reads && !mattered[i])
            fail_msg("%s, form %u: %s is read, but never matters", row->name, form, name);
        if (o->writes && !changed[i])
            fail_msg("%s, form %u: %s is written, but never changes", row->name, form, name);
    }
}

static void rows_state_what_they_read_and_write(void **state)
{
    struct rig r = new_rig();
    (void)state;
    for (unsigned i = 0; i < GCN_INSNS; i++)
        for (unsigned form = 0; form < FORMS; form++)
            if (rig_encodes(&gcn_rows[i]) && gcn_row_executes(&gcn_rows[i]) &&
                (gcn_rows[i].forms & form_bits[form]) == form_bits[form]) {
                /* The same words for a row however many rows there are. */
                random_state =
                    gcn_rows[i].encoding * 1000u + gcn_rows[i].opcode + gcn_rows[i].models;
                if (rig_take_model_of(&gcn_rows[i])) {
                    rig_free(&r);
                    r = new_rig();
                }
                try_form(&r, &gcn_rows[i], form);
            }
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_state_what_they_read_and_write)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
