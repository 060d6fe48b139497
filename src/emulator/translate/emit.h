/* What the emitter's files share: an instruction's sources and results, and the ways out. */
#ifndef WT_EMULATOR_TRANSLATE_EMIT_H
#define WT_EMULATOR_TRANSLATE_EMIT_H

#include "emulator/translate/internal.h"
#include "emulator/translate/x86.h"

/*
 * Registers of the code: di: the state; si: the frame; cx: instructions that are left. Vector
 * registers 0 to 3 and 4 to 7 are two banks: each has a row of dwords that memory has, too, or both
 * have one of qwords. 8 to 11 are for intermediate results. 12 to 15, in code for some lanes: ones
 * for each lane that does not execute.
 */
enum { STATE = X86_DI, FRAME = X86_SI, LEFT = X86_CX, BANK = 4, T0 = 8, T1, T2, T3, IDLE };
#define NOTHING UINT32_MAX

/* What the banks have. */
struct cache {
    uint32_t slot[2]; /* NOTHING: no row */
    bool wide;        /* both banks have the row of qwords at slot[0] */
    unsigned next;    /* the bank for the next result */
};

struct exit {
    size_t jump;
    uint32_t insn;
    bool calls; /* the instruction's handler, instead of leaving before it */
};

enum { EXITS = 8 * WT_ROWS_MOST };

struct emitter {
    struct x86_code code;
    const struct wt_rows_insn *insn;
    uint32_t count, at;
    bool some; /* of the lanes execute, not all */
    struct cache cache;
    struct cache before[WT_ROWS_MOST]; /* each instruction */
    size_t body[WT_ROWS_MOST];
    size_t behind[WT_ROWS_MOST]; /* jumps from a call of a handler; 0: there is none */
    struct exit exit[EXITS];
    size_t exits;
    struct {
        size_t jump;
        uint32_t target;
    } branch[WT_ROWS_MOST];
    size_t branches;
    uint64_t window[2], window_bytes;
};

/* A member of the state. */
static inline struct x86_place emit_field(size_t offset)
{
    return x86_mem(STATE, offset);
}
#define FIELD(member) emit_field(offsetof(struct wt_rows_state, member))

/* ---- emit_rows.c ---- */

/* An instruction of vectors. */
void emit_vector(struct emitter *e, unsigned op, unsigned a, unsigned b, struct x86_place c);
/* Leaves before the instruction if a condition holds. */
void emit_leave(struct emitter *e, int condition);
/* Calls the instruction's handler instead. */
void emit_call(struct emitter *e, int condition);
/* A number in all lanes. */
struct x86_place emit_literal(struct emitter *e, uint64_t value, bool wide);
/* Part `strip`, 32 bytes, of the row of a source: in a register, or in memory. */
struct x86_place emit_part(struct emitter *e, const struct wt_rows_source *s, bool wide,
                           unsigned strip);
/* The same in a register: @p into, if it is not in one yet. */
unsigned emit_loaded(struct emitter *e, struct x86_place place, unsigned into);
/* 16 bytes of dwords as qwords, in a register. */
void emit_widened(struct emitter *e, const struct wt_rows_source *s, bool is_signed, unsigned strip,
                  unsigned into);
/* Whether the result has qwords. */
bool emit_is_wide_result(const struct wt_rows_insn *n);
/* The register for part `strip` of the result. */
unsigned emit_result(const struct emitter *e, unsigned strip);
/* Part `strip` of the result is in a register: it is stored for the lanes that execute. */
void emit_store(struct emitter *e, unsigned strip, unsigned from);
/* Forgets rows of the cache that overlap [slot, slot + size). */
void emit_evict(struct cache *c, uint32_t slot, uint32_t size);
/* The result's row is in its bank from now on. */
void emit_keep(struct emitter *e);
/* A predicate in a register. */
void emit_load_predicate(struct emitter *e, const struct wt_rows_source *s, unsigned reg);

/* ---- emit_alu.c, emit_memory.c ---- */

/* Ones in a register for the lanes of a part for which the predicate in another one is 1. */
void emit_spread(struct emitter *e, unsigned to, unsigned from, bool wide, unsigned strip);
/* An instruction that is neither a branch nor an access, nor left to its handler. */
void emit_alu(struct emitter *e);
/* A load or a store. */
void emit_access(struct emitter *e);

#endif
