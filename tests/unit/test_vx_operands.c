/*
 * The operands that the table of Vortex states are those that count. Each row is executed from
 * random states. What the row does not read is poisoned: results stay the same. What it does not
 * write stays. What it reads and writes matters in some trial.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

enum { LANES = 4, TRIALS = 400 };
#include "vx_rig.h"

/* The bytes of a place; of a row those of the lanes in @p mask, the others as 0. */
static size_t bytes_of(const struct state *s, unsigned place, uint64_t mask, uint8_t *to)
{
    const void *from = s->row[place < PC ? place : 0];
    size_t size = sizeof s->row[0];
    switch (place) {
    case PC:
        from = &s->pc, size = sizeof s->pc;
        break;
    case MASK:
        from = &s->mask, size = sizeof s->mask;
        break;
    case IPDOM:
        memcpy(to, &s->depth, sizeof s->depth);
        memcpy(to + sizeof s->depth, s->ipdom, sizeof s->ipdom);
        return sizeof s->depth + sizeof s->ipdom;
    case RESERVATION:
        from = s->reserved, size = sizeof s->reserved;
        break;
    case OTHERS:
        from = s->warp, size = sizeof s->warp;
        break;
    case MEMORY:
        from = s->data, size = sizeof s->data;
        break;
    default:
        break;
    }
    memcpy(to, from, size);
    const bool per_lane =
        place < FFLAGS || (place >= DSCRATCHES && place < PC) || place == RESERVATION;
    for (size_t i = 0; i < size / 8 && per_lane; i++)
        if (!(mask >> i % LANES & 1))
            memset(to + 8 * i, 0, 8);
    return size;
}

static bool same(const struct state *a, const struct state *b, unsigned place, uint64_t mask)
{
    uint8_t one[DATA], two[DATA];
    const size_t size = bytes_of(a, place, mask, one);
    bytes_of(b, place, mask, two);
    return memcmp(one, two, size) == 0;
}

struct uses {
    bool reads[PLACES], writes[PLACES];
};

static struct uses uses_of(const struct wt_insn_operands *o)
{
    struct uses u = {0};
    for (unsigned i = 0; i < o->count; i++) {
        if (o->list[i].kind == WT_OPERAND_CONSTANT)
            continue;
        u.reads[place_of(&o->list[i])] |= o->list[i].reads;
        u.writes[place_of(&o->list[i])] |= o->list[i].writes;
    }
    u.writes[PC] = u.reads[MASK] = u.reads[PC] = true; /* of every instruction */
    return u;
}

static void spoil(struct state *s, unsigned place)
{
    if (place < PC)
        fill_row(s, place);
    else if (place == IPDOM)
        for (unsigned i = 0; i < LANES - 1; i++)
            s->ipdom[i].restore = 1 + any() % 15;
    else if (place == RESERVATION)
        for (unsigned l = 0; l < LANES; l++)
            s->reserved[0][l] = s->reserved[0][l] ? 0 : AREA + any() % 8 * 8 + 1;
    else if (place == MEMORY)
        for (unsigned i = 0; i < DATA; i++)
            s->data[i] = (uint8_t)any();
}

/* Whether two runs came to the same where the row writes; memory: in the bytes that were stored. */
static bool agree(const struct state *a, const struct state *b, const struct state *before_b,
                  const struct uses *u, const struct wt_insn_operands *o, uint64_t mask)
{
    if (a->fault || b->fault) /* nothing was written */
        return a->fault == b->fault;
    for (unsigned p = 0; p < MEMORY; p++)
        if (u->writes[p] && !same(a, b, p, mask))
            return false;
    for (unsigned i = 0; i < o->count; i++)
        for (unsigned l = 0; l < LANES && o->list[i].kind == WT_OPERAND_MEMORY; l++) {
            const uint64_t at =
                before_b->row[X + o->list[i].number][l] + (uint64_t)o->list[i].value - AREA;
            if (o->list[i].writes && mask >> l & 1 && at < DATA - 8 &&
                memcmp(a->data + at, b->data + at, o->list[i].bits / 8) != 0)
                return false;
        }
    return true;
}

static void try_row(struct vx_device *d, const struct vx_insn *row, unsigned xlen)
{
    unsigned count = 0;
    bool mattered[WT_MOST_OPERANDS] = {0}, changed[WT_MOST_OPERANDS] = {0};
    struct wt_insn_operands most = {0};
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        struct state before;
        struct wt_insn_operands o;
        const uint32_t word = word_of(row);
        if (!vx_operands(word, xlen, &o))
            fail_msg("%s (0x%08x) has no operands", row->name, word);
        put_word(d, word);
        fill(&before);
        help(&before, row, &o, xlen);
        const struct uses u = uses_of(&o);
        const struct state after = run(d, &before);
        struct state poisoned = before;
        for (unsigned p = 1; p < PLACES; p++)
            if (!u.reads[p] && p != PC && p != MASK && p != OTHERS)
                spoil(&poisoned, p);
        help(&poisoned, &(struct vx_insn){.name = ""}, &(struct wt_insn_operands){0}, xlen);
        struct state after_poison = run(d, &poisoned);
        if (!agree(&after, &after_poison, &poisoned, &u, &o, before.mask))
            fail_msg("%s (0x%08x, RV%u) reads what its row does not state", row->name, word, xlen);
        for (unsigned p = 0; p < MEMORY && !after.fault; p++)
            if (p != OTHERS && !u.writes[p] &&
                (!same(&before, &after, p, UINT64_MAX) ||
                 !same(&poisoned, &after_poison, p, UINT64_MAX)))
                fail_msg("%s (0x%08x, RV%u) writes place %u, which its row does not state",
                         row->name, word, xlen, p);
        if (!u.writes[MEMORY])
            assert_true(same(&before, &after, MEMORY, 0));
        if (o.count > count) {
            count = o.count;
            most = o;
            memset(mattered, 0, sizeof mattered);
            memset(changed, 0, sizeof changed);
        }
        for (unsigned i = 0; i < o.count && o.count == count; i++) {
            if (o.list[i].kind == WT_OPERAND_CONSTANT)
                continue;
            const unsigned p = place_of(&o.list[i]);
            changed[i] |= !same(&before, &after, p, before.mask);
            struct state other = before;
            spoil(&other, p);
            if (p == MASK)
                other.mask = 1 + any() % 15;
            if (p == PC)
                continue;
            if (p != MEMORY)
                help(&other, &(struct vx_insn){.name = ""}, &(struct wt_insn_operands){0}, xlen);
            const struct state there = run(d, &other);
            mattered[i] |= !agree(&after, &there, &other, &u, &o, before.mask) ||
                           (p != MEMORY && !same(&after, &there, MEMORY, 0));
        }
    }
    for (unsigned i = 0; i < count; i++) {
        const struct wt_insn_operand *o = &most.list[i];
        if (o->kind == WT_OPERAND_CONSTANT || place_of(o) == PC || place_of(o) == OTHERS)
            continue;
        if (o->reads && !mattered[i])
            fail_msg("%s (RV%u): operand %u is read, but never matters", row->name, xlen, i);
        if (o->writes && !changed[i])
            fail_msg("%s (RV%u): operand %u is written, but never changes", row->name, xlen, i);
    }
}

static void rows_state_what_they_read_and_write(void **state)
{
    for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
        struct vx_device *d = device_new(xlen);
        /* Those of version 3 have effects that are no operands: phases of barriers. */
        for (unsigned i = 0; i < VX_INSN_LATER; i++) {
            seed = 1 + i;
            if (has_row(i, xlen))
                try_row(d, &vx_insns[i], xlen);
        }
        vx_device_free(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_state_what_they_read_and_write)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
