/* Shared by the files that emit vectors of 512 bits: rows in banks, predicates in k registers. */
#ifndef WT_EMULATOR_TRANSLATE_EMIT_512_H
#define WT_EMULATOR_TRANSLATE_EMIT_512_H

#include "emulator/translate/emit.h"

/*
 * A row is one to four parts of 16 lanes, and a predicate is as many k registers. k1 to k4 have
 * ones for the lanes that do not execute; k7, k0 and k5, k6 are for intermediate results. Lanes
 * that an instruction leaves out raise no exceptions.
 */
enum { LANES = 16 };
enum { K_IDLE = 1, K5 = 5, K6, K7 };
/* Numbers of comparisons of integers. */
enum {
    IS_EQUAL,
    IS_LESS,
    IS_NOT_GREATER,
    IS_NEVER,
    IS_NOT_EQUAL,
    IS_NOT_LESS,
    IS_GREATER,
    IS_ALWAYS
};

/* How many parts a row has. */
static inline unsigned parts_of(const struct emitter *e)
{
    return e->shape->lanes / LANES;
}

/* Likewise of qwords. */
static inline unsigned parts_of_row(const struct emitter *e, bool wide)
{
    return wide ? 2 * parts_of(e) : parts_of(e);
}

/* Whether the result has qwords: of a shape without scalars. */
bool emit_512_is_wide(const struct emitter *e);
/* Whether source number i has. */
bool emit_512_is_wide_source(const struct emitter *e, unsigned i);

/* Parts of the result. */
static inline unsigned parts_of_result(const struct emitter *e)
{
    return parts_of_row(e, emit_512_is_wide(e));
}

/* The first register of a bank, by its number in the cache. */
static inline unsigned register_of(unsigned bank)
{
    return (BANK + bank) & 31;
}

/* The number of a bank, by its first register. */
static inline unsigned bank_of(unsigned first)
{
    return (first - BANK) & 31;
}

/* Bytes of a row. */
static inline unsigned row_of(const struct emitter *e)
{
    return 4 * e->shape->lanes;
}

/* An instruction of vectors, for all lanes. */
static inline void z(struct emitter *e, unsigned op, unsigned a, unsigned b, struct x86_place c)
{
    x86_512(&e->code, op, a, b, c, 0);
}

/* Likewise with a mask and a number. */
static inline void zn(struct emitter *e, unsigned op, unsigned a, unsigned b, struct x86_place c,
                      unsigned mask, unsigned number)
{
    x86_512_number(&e->code, op, a, b, c, mask, number);
}

/* An instruction of k registers. */
static inline void k(struct emitter *e, unsigned op, unsigned a, unsigned b, unsigned c)
{
    x86_mask(&e->code, op, a, b, x86_reg(c));
}

/* A number that all lanes have. */
static inline struct x86_place in_all(struct emitter *e, uint32_t value)
{
    struct x86_place p = emit_literal(e, value, false);
    p.each = true;
    return p;
}

/* ---- emit_512_rows.c ---- */

/* A row comes into a bank from memory. */
void emit_512_load_bank(struct emitter *e, unsigned bank, uint32_t slot, bool wide);
/* The bank of a row that has one of its own, or NOTHING. */
unsigned emit_512_home(const struct emitter *e, uint32_t slot, bool wide);
/* A bank has a row now. */
void emit_512_note(struct cache *c, unsigned bank, uint32_t slot, bool wide);
/* Whether source number i has qwords. */
bool emit_512_has_wide_source(const struct wt_rows_insn *n, unsigned i);

/* Part `strip`, 64 bytes, of a row: in a register, or in memory. */
struct x86_place emit_512_row(const struct emitter *e, uint32_t slot, unsigned strip);
/* Likewise of a row of qwords. */
struct x86_place emit_512_part(const struct emitter *e, uint32_t slot, bool wide, unsigned strip);
/* Likewise in a register: @p into, if it is not in one yet. */
unsigned emit_512_loaded(struct emitter *e, struct x86_place place, unsigned into);
/* The lanes of a part that execute, in k7; returns it, or, in code for all, 0. */
unsigned emit_512_executing(struct emitter *e, unsigned strip);
/* Likewise of a part of dwords, or of qwords. */
unsigned emit_512_executing_of(struct emitter *e, bool wide, unsigned strip);
/* Chooses a bank for a result, which has no row from now on, and is that of no other result of the
 * instruction; returns its first register. */
unsigned emit_512_choose(struct emitter *e);
/* Likewise for what is written part by part, each when all sources' have been read: it may be the
 * bank of its row, which may be a source. */
unsigned emit_512_choose_home(struct emitter *e);
/* Part `strip` of a row is in a register: it is stored for the lanes that execute, and a register
 * of a bank has it. */
void emit_512_store(struct emitter *e, uint32_t slot, unsigned bank, unsigned strip, unsigned from);
/* A bank has a row from now on. */
void emit_512_keep(struct emitter *e, uint32_t slot, unsigned bank);
/* Where a part is computed that is stored then: the bank itself if all lanes execute. */
unsigned emit_512_target(const struct emitter *e, unsigned bank, unsigned strip);
/* Part `strip` of source number i likewise; or what all lanes have alike, in memory. */
struct x86_place emit_512_source(struct emitter *e, unsigned i, unsigned strip);
/* The k register for part `strip` of a predicate; k7 is free meanwhile. */
unsigned emit_512_bits(unsigned strip);
/* It is there: ax becomes the predicate behind the last one. */
void emit_512_join(struct emitter *e, unsigned strip);
/* Likewise of parts of qwords. */
void emit_512_join_wide(struct emitter *e, unsigned strip);
/* ax becomes a predicate, 0 for lanes that do not execute. */
void emit_512_store_predicate(struct emitter *e, uint32_t slot);

/* Likewise in a register: @p into, if it is not in one yet. */
static inline unsigned loaded(struct emitter *e, unsigned i, unsigned strip, unsigned into)
{
    const struct x86_place place = emit_512_source(e, i, strip);
    if (!place.each || !emit_512_is_wide_source(e, i))
        return emit_512_loaded(e, place, into);
    z(e, ZPBROADCASTQ, into, 0, emit_literal(e, e->insn[e->at].s[i].value, true));
    return into;
}

/* Likewise in this register, whatever else has it, too. */
static inline void load(struct emitter *e, unsigned i, unsigned strip, unsigned into)
{
    const unsigned from = loaded(e, i, strip, into);
    if (from != into)
        z(e, VMOVDQU, into, 0, x86_reg(from));
}

/* Part `strip` of the result. */
static inline void store(struct emitter *e, unsigned bank, unsigned strip, unsigned from)
{
    emit_512_store(e, e->insn[e->at].d, bank, strip, from);
}

/* The bank of the result has it from now on. */
static inline void keep(struct emitter *e, unsigned bank)
{
    emit_512_keep(e, e->insn[e->at].d, bank);
}

/* ---- emit_512_wide.c: of shapes without scalars ---- */

/* Longer dwords, their products, shorter qwords; arithmetic on singles. */
void emit_512_plain(struct emitter *e);

/* ---- emit_512_real.c ---- */

/* An instruction on singles. False: it is none, or AVX2 does it. */
bool emit_512_real(struct emitter *e);

/* ---- emit_512_memory.c ---- */

/* The address of the first lane in ax, which must be aligned. */
void emit_512_first_address(struct emitter *e);
/* Jumps where the first lane's address is in the window; returns the jump, 0: there is no window.
 */
size_t emit_512_begin_window(struct emitter *e);
/* What comes next is by way of the window; the lanes are done one by one where others' addresses
 * are not in it, or might leave it by the offset. */
void emit_512_enter_window(struct emitter *e);
/* Jumps where the lanes that execute do not access one place behind the other, lane 0 the first
 * one; returns the jumps. Where a scalar is added to the dwords of addresses, none overflows. */
void emit_512_find_row(struct emitter *e, size_t scattered[3]);
/* The lanes are done one by one where not all that execute are in one page, or in a part of the
 * group's memory that begins it; else registers from `places` on have the places of all, and dx
 * what is added to them. */
void emit_512_find_common(struct emitter *e, unsigned places);

#endif
