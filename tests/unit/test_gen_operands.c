/*
 * The operands that Gen9's table, regions and messages state are those that count. Each row is
 * executed from random states. What it does not read is poisoned: results stay the same. What it
 * does not write stays. What it reads and writes matters in some trial.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "gen_words.h"

enum { TRIALS = 60, MOST_TRIALS = 30000 };

/* Bits of registers, and memory. */
struct uses {
    uint8_t b[BYTES];
    bool memory;
};

/* ---- what it states ---- */

static void add_bits(struct uses *u, unsigned file, uint64_t bit, unsigned bits)
{
    static const unsigned begin[] = {
        [GEN_FILE_R] = 0, [GEN_FILE_ACC] = AT_ACC, [GEN_FILE_A] = AT_A, [GEN_FILE_F] = AT_F};
    static const unsigned end[] = {[GEN_FILE_R] = GEN_REGISTER_FILE,
                                   [GEN_FILE_ACC] = ACC_BYTES,
                                   [GEN_FILE_A] = A_BYTES,
                                   [GEN_FILE_F] = F_BYTES};
    for (uint64_t b = bit; b < bit + bits; b++) {
        if (b / 8 >= end[file]) /* of a channel that is off */
            continue;
        u->b[begin[file] + b / 8] |= (uint8_t)(1 << b % 8);
        /* An element of acc0 or acc1 has its upper half elsewhere. */
        if (file == GEN_FILE_ACC && b < 8 * HIGH_BYTES)
            memset(u->b + AT_HIGH, 0xff, HIGH_BYTES);
    }
}

static void add(struct uses *u, const struct wt_insn_operands *list,
                const struct wt_insn_operand *o, uint32_t mask)
{
    const uint32_t all = (list->lanes >= 32 ? UINT32_MAX : (UINT32_C(1) << list->lanes) - 1)
                         << list->first_lane;
    const uint32_t lanes = list->unmasked || o->crosses ? all : all & mask;
    u->memory |= o->kind == WT_OPERAND_MEMORY;
    if (o->kind > WT_OPERAND_SCALAR || o->file == GEN_FILE_STATE)
        return;
    if (o->kind == WT_OPERAND_SCALAR && !o->by_lane) {
        add_bits(u, o->file, 8u * o->number + o->first, o->bits);
        return;
    }
    for (unsigned lane = 0; lane < 32; lane++) {
        const unsigned e = lane - list->first_lane, row = o->row ? o->row : 32;
        if (!(lanes >> lane & 1))
            continue;
        if (o->by_lane) /* the flags of a register go round */
            add_bits(u, o->file, o->number / 4 * 32u + (8u * (o->number % 4) + lane) % 32, 1);
        else
            add_bits(u, o->file,
                     8u * o->number + o->first + e / row * o->row_step + e % row * o->step,
                     o->bits);
    }
}

static void uses_of(const struct wt_insn_operands *list, uint32_t mask, bool written,
                    struct uses *u)
{
    const uint32_t lanes = (list->lanes >= 32 ? UINT32_MAX : (UINT32_C(1) << list->lanes) - 1)
                           << list->first_lane;
    memset(u, 0, sizeof *u);
    if (list->any_lane && !list->unmasked && !(mask & lanes))
        return;
    for (unsigned i = 0; i < list->count; i++)
        if (written ? list->list[i].writes : list->list[i].reads || list->list[i].keeps)
            add(u, list, &list->list[i], mask);
}

static void spoil(struct state *s, const struct uses *keep)
{
    for (unsigned i = 0; i < BYTES; i++)
        s->b[i] = (uint8_t)((s->b[i] & keep->b[i]) | (any(256) & (uint8_t)~keep->b[i]));
    if (keep->memory)
        return;
    for (unsigned i = 0; i < AREA; i++)
        s->memory[i] = (uint8_t)any(256);
    for (unsigned i = 0; i < SLM; i++)
        s->slm[i] = (uint8_t)any(256);
}

/* Whether two runs agree in all that the instruction states it writes, and in all that one of them
 * changed. */
static bool agree(const struct state *a0, const struct state *a, const struct state *b0,
                  const struct state *b, const struct uses *writes)
{
    if (a->fault || b->fault)
        return a->fault == b->fault;
    if (a->pc != b->pc || a->mask != b->mask || memcmp(a->wake, b->wake, sizeof a->wake) != 0)
        return false;
    for (unsigned i = 0; i < BYTES; i++) {
        /* Which upper halves are written depends on the elements' size. */
        const uint8_t written = i >= AT_HIGH && i < AT_A ? 0 : writes->b[i];
        if (((a0->b[i] ^ a->b[i]) | (b0->b[i] ^ b->b[i]) | written) & (a->b[i] ^ b->b[i]))
            return false;
    }
    for (unsigned i = 0; i < AREA; i++)
        if ((a0->memory[i] != a->memory[i] || b0->memory[i] != b->memory[i]) &&
            a->memory[i] != b->memory[i])
            return false;
    for (unsigned i = 0; i < SLM; i++)
        if ((a0->slm[i] != a->slm[i] || b0->slm[i] != b->slm[i]) && a->slm[i] != b->slm[i])
            return false;
    return true;
}

/* The first byte that has changed and is not stated as written; -1: none. */
static int changed_beside(const struct state *before, const struct state *after,
                          const struct uses *writes)
{
    for (unsigned i = 0; i < BYTES; i++)
        if ((before->b[i] ^ after->b[i]) & (uint8_t)~writes->b[i])
            return (int)i;
    if (!writes->memory && (memcmp(before->memory, after->memory, AREA) != 0 ||
                            memcmp(before->slm, after->slm, SLM) != 0))
        return BYTES;
    return -1;
}

/* ---- each row ---- */

static void try_row(const struct gen_row *row)
{
    static struct state before, after, other, end;
    struct wt_insn_operands most = {0};
    bool mattered[WT_MOST_OPERANDS] = {0}, changed[WT_MOST_OPERANDS] = {0}, all = false;
    const bool sends = row->format == GEN_FORMAT_SEND || row->format == GEN_FORMAT_SENDS;
    const char *name = row->name;
    char most_text[200] = "";
    unsigned done = 0;
    for (unsigned trial = 0; trial < TRIALS || (!all && trial < MOST_TRIALS); trial++) {
        struct wt_insn_operands o;
        struct uses reads, writes, one, keep;
        struct gen_insn insn;
        struct gen_word word;
        const char *why;
        do
            word = word_of(row);
        while (!gen_decode(&word, &insn, &why));
        fill(&before, &insn);
        execute(&word, &before, &after);
        if (after.fault)
            continue;
        done++;
        assert_true(gen_operands(&insn, address_of, before.b, &o));
        uses_of(&o, before.mask, false, &reads);
        uses_of(&o, before.mask, true, &writes);
        char text[200];
        gen_text(&insn, text, sizeof text);
        int beside = changed_beside(&before, &after, &writes);
        if (beside >= 0)
            fail_msg("%s, %s (message %u) writes byte %d, which it does not state", name, text,
                     message, beside);
        for (unsigned again = 0; again < 2; again++) {
            other = before;
            spoil(&other, &reads);
            execute(&word, &other, &end);
            if (!agree(&before, &after, &other, &end, &writes))
                fail_msg("%s, %s (message %u) reads what it does not state", name, text, message);
            beside = changed_beside(&other, &end, &writes);
            if (beside >= 0)
                fail_msg("%s, %s (message %u) writes byte %d, which it does not state", name, text,
                         message, beside);
        }
        if (o.count > most.count) {
            most = o;
            gen_text(&insn, most_text, sizeof most_text);
            memset(mattered, 0, sizeof mattered);
            memset(changed, 0, sizeof changed);
        }
        for (unsigned i = 0; i < o.count && o.count == most.count; i++) {
            memset(&one, 0, sizeof one);
            add(&one, &o, &o.list[i], before.mask);
            if (o.list[i].writes) {
                keep = writes;
                for (unsigned b = 0; b < BYTES; b++)
                    keep.b[b] &= (uint8_t)~one.b[b];
                keep.memory &= !one.memory;
                changed[i] |= changed_beside(&before, &after, &keep) >= 0;
            }
            if (!o.list[i].reads || mattered[i] || o.list[i].kind == WT_OPERAND_CONSTANT)
                continue;
            memset(&keep, 0xff, sizeof keep);
            for (unsigned b = 0; b < BYTES; b++)
                keep.b[b] = (uint8_t)~one.b[b];
            keep.memory = !one.memory;
            other = before;
            spoil(&other, &keep);
            execute(&word, &other, &end);
            mattered[i] = !agree(&before, &after, &other, &end, &writes);
        }
        all = true;
        for (unsigned i = 0; i < most.count; i++) {
            const struct wt_insn_operand *x = &most.list[i];
            const bool counts = x->kind != WT_OPERAND_CONSTANT &&
                                (x->kind == WT_OPERAND_MEMORY || x->file != GEN_FILE_STATE);
            all &= !counts || ((!x->reads || mattered[i]) && (!x->writes || changed[i]));
        }
    }
    if (!done)
        fail_msg("%s (message %u): no trial comes to an end", name, message);
    if (sends && !most.count)
        fail_msg("%s (message %u) has no operands", name, message);
    for (unsigned i = 0; i < most.count; i++) {
        const struct wt_insn_operand *x = &most.list[i];
        char of[64];
        if (x->kind == WT_OPERAND_CONSTANT ||
            (x->kind != WT_OPERAND_MEMORY && x->file == GEN_FILE_STATE))
            continue;
        gen_operand_name(x, of, sizeof of);
        if (x->reads && !mattered[i])
            fail_msg("%s (message %u), as%s: %s is read, but never matters", name, message,
                     most_text, of);
        if (x->writes && !changed[i])
            fail_msg("%s (message %u), as%s: %s is written, but never changes", name, message,
                     most_text, of);
    }
}

static void rows_state_what_they_read_and_write(void **state)
{
    (void)state;
    open_device();
    for (unsigned i = 0; i < GEN_INSNS; i++) {
        const struct gen_row *row = &gen_rows[i];
        const bool sends = row->format == GEN_FORMAT_SEND || row->format == GEN_FORMAT_SENDS;
        if (row == &gen_rows[GEN_ILLEGAL] || row->format == GEN_FORMAT_WAIT)
            continue;
        for (message = 0; message < (sends ? sizeof messages / sizeof *messages : 1); message++) {
            seed = i * 100 + message + 1;
            try_row(row);
        }
    }
    gen_device_free(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_state_what_they_read_and_write)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
