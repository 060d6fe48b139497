/* Shared by the emitter's files: an instruction's sources and results, and the ways out. */
#ifndef WT_EMULATOR_TRANSLATE_EMIT_H
#define WT_EMULATOR_TRANSLATE_EMIT_H

#include "emulator/translate/internal.h"
#include "emulator/translate/x86.h"

/*
 * Registers of the code: di: the state; si: the frame; cx: instructions that are left. Vector
 * registers 0 to 7 have rows that memory has, too, each in as many as it has parts. 8 to 11 are for
 * intermediate results. 12 to 15, in code for some of up to 32 lanes: ones for each lane that does
 * not execute. Of 64 lanes, and with regions: 12 for intermediate results, 13 to 15 for sources
 * that are no rows as they are, in that order. r11: the scalars.
 *
 * With vectors of 512 bits (emit_512.c) 16 to 31 have rows, too, each in as many registers as it
 * has parts of 64 bytes, a bank: four of 64 lanes, eight of 32, sixteen of 16; and so do 0 to 7,
 * behind these, where no row is in them otherwise. k1 to k4: ones for lanes that do not execute, in
 * code for some.
 *
 * Code for all or some of 32 lanes: r11: the number of the row that is `alone`, or 0.
 *
 * In code for few lanes (`few`) a register has their values side by side; 13 to 15 are for sources,
 * r11 and r10 have the lanes' numbers.
 */
enum { STATE = X86_DI, FRAME = X86_SI, LEFT = X86_CX, SCALARS = X86_R11 };
enum { LANE = X86_R11, LANE_2 = X86_R10, KNOWN = X86_R11 };
enum { CACHED = 8, T0 = 8, T1, T2, T3, IDLE, T4 = IDLE, SOURCE };
enum { BANKS = 24, BANK = 16 };
#define NOTHING UINT32_MAX

/* The rows that registers have, by the first one. */
struct cache {
    uint32_t slot[CACHED]; /* NOTHING: no row begins there */
    bool wide[CACHED];
    bool ones[CACHED];   /* for few lanes: ones where the predicate of this slot is 1 */
    unsigned next;       /* where the next result goes */
    uint32_t row[BANKS]; /* those that banks have, by their first register, or NOTHING */
    uint32_t qwords;     /* a bit for each of these that has qwords, in twice as many registers */
    unsigned bank;       /* the next one: its first register */
};

struct exit {
    size_t jump;
    uint32_t insn;
    bool calls; /* the instruction's handler, instead of leaving before it */
};

enum { EXITS = 24 * WT_ROWS_MOST, DETOURS = 32 };

struct emitter {
    struct x86_code code;
    const struct wt_rows_insn *insn;
    const struct wt_rows_shape *shape;
    uint32_t count, at;
    unsigned result; /* the first register of the result */
    bool some;       /* some of the lanes execute, not all */
    unsigned few;    /* so many lanes execute, 1 or 2; 0: it is not known */
    bool sparse;     /* not more than WT_ROWS_SPARSE parts of eight */
    bool looping;    /* over these: frame is where that of one begins, r10 how far behind */
    unsigned chosen; /* banks of 512 bits for results of the instruction, a bit each */
    bool is_512;     /* vectors have 512 bits where they can; not in code for few */
    /* Of shapes without scalars: rows that are in one bank wherever they are in any, by it, or
     * NOTHING. Other results are in those from `banks` to `banks_end`, one after the other. */
    uint32_t home[BANKS], home_qwords;
    unsigned banks, banks_end;
    bool conditional; /* the state says which lanes execute the instruction */
    struct cache cache;
    struct cache before[WT_ROWS_MOST]; /* each instruction */
    size_t body[WT_ROWS_MOST];
    size_t behind[WT_ROWS_MOST]; /* jumps from a call of a handler; 0: there is none */
    struct exit exit[EXITS];
    size_t exits;
    size_t detour[DETOURS]; /* jumps to where lanes are done one by one; of the instruction */
    size_t detours;
    struct {
        size_t jump;
        uint32_t target;
    } branch[WT_ROWS_MOST];
    size_t branches;
    /* The code for some lanes, behind where it loads registers. */
    size_t ready;
    /* Where the mask has changed: jumps, and addresses of where they lead in the end. */
    struct {
        size_t at;
        uint32_t insn;
        enum { TO_ALL, TO_SOME, TO_FEW, TO_READY } to;
    } change[11 * WT_ROWS_MOST];
    size_t changes;
    bool windowed; /* an access is in the group's memory by way of the window */
    bool begins_loop[WT_ROWS_MOST];
    bool met[WT_ROWS_MOST]; /* branches lead to it */
    /* A row of addresses in local memory (emit_local.c). Where r11 has its number, which is not 0,
     * all lanes that execute have one address there, the host has their memory in one piece, and
     * the state's `base` is where. */
    struct {
        uint32_t number, slot;
        bool wide, store;
        uint64_t window;
        /* Where r11 has `lead` in its upper half, too, the state's `ahead` has what is in that
         * memory from 4 bytes behind `first` on, so many dwords (and the one before) in all. */
        uint32_t lead, count;
        uint64_t first;
    } alone;
    bool spares_idle; /* likewise, without scalars: no instruction needs it, nor registers of it */
    bool has_idle;    /* with vectors of 512 bits: others need the state's `idle` */
    /* Code for all lanes whose rows nobody sees (wt_rows_run_unseen()): has it stored to memory?
     * does it leave behind that? */
    bool unseen, unseen_stored, unseen_fails;
    struct x86_notes notes;
    size_t unless; /* a jump past a loop over lanes, where none executes; 0 */
};

/* A member of the state. */
static inline struct x86_place emit_field(size_t offset)
{
    return x86_mem(STATE, offset);
}
#define FIELD(member) emit_field(offsetof(struct wt_rows_state, member))

/* Whether there may be lanes that do not execute the instruction. */
static inline bool emit_is_partial(const struct emitter *e)
{
    return e->some || e->conditional;
}

/* Whether registers have the ones for lanes that do not execute. */
static inline bool emit_has_idle(const struct emitter *e)
{
    return e->shape->lanes <= 32 && !e->shape->regions && !e->spares_idle;
}

/* The lanes that do. */
static inline struct x86_place emit_executing(const struct emitter *e)
{
    return e->conditional ? FIELD(executing) : FIELD(mask);
}

/* ---- emit_unseen.c ---- */

/* How many instructions are executed at most from the first one to the wave's last one by code
 * whose rows nobody sees; 0: the block cannot have such code. */
uint32_t emit_longest_unseen(const struct emitter *e);

/* ---- emit_rows.c ---- */

/* How many parts of 32 bytes, or fewer, a row has. Instructions of vectors are of that size from
 * then on. */
unsigned emit_parts(struct emitter *e, bool wide);
/* Lanes of such a part. */
unsigned emit_part_lanes(const struct emitter *e, bool wide);
/* No row is in a register. */
void emit_forget(struct emitter *e);
/* Chooses registers for the result of the instruction. */
void emit_choose(struct emitter *e);

/* An instruction of vectors. */
void emit_vector(struct emitter *e, unsigned op, unsigned a, unsigned b, struct x86_place c);
/* Leaves before the instruction if a condition holds. */
void emit_leave(struct emitter *e, int condition);
/* Calls the instruction's handler instead. */
void emit_call(struct emitter *e, int condition);
/* Sources that are scalars come into registers. */
void emit_scalars(struct emitter *e);
/* A number in all lanes. */
struct x86_place emit_literal(struct emitter *e, uint64_t value, bool wide);
/* Part `strip`, 32 bytes, of the row of a source: in a register, or in memory. */
struct x86_place emit_part(struct emitter *e, const struct wt_rows_source *s, bool wide,
                           unsigned strip);
/* Likewise in a register: @p into, if it is not in one yet. */
unsigned emit_loaded(struct emitter *e, struct x86_place place, unsigned into);
/* 16 bytes of dwords of a row, whose instruction is of qwords: in memory, or, of few lanes, in a
 * register, @p into if not in one yet. */
struct x86_place emit_half(struct emitter *e, const struct wt_rows_source *s, unsigned strip,
                           unsigned into);
/* 16 bytes of dwords as qwords, in a register. */
void emit_widened(struct emitter *e, const struct wt_rows_source *s, bool is_signed, unsigned strip,
                  unsigned into);
/* Whether the result has qwords. */
bool emit_is_wide_result(const struct wt_rows_insn *n);
/* The register for part `strip` of the result. */
unsigned emit_result(const struct emitter *e, unsigned strip);
/* Ones for the lanes of a part that do not execute, in a register: @p into, if not in one yet. */
unsigned emit_idle(struct emitter *e, bool wide, unsigned strip, unsigned into);
/* Part `strip` of the result is in a register: it is stored for the lanes that execute. */
void emit_store(struct emitter *e, unsigned strip, unsigned from);
/* Part `strip` of a row of dwords is in a register, which changes: it is stored likewise, and is in
 * no register from then on. */
void emit_store_from(struct emitter *e, uint32_t slot, unsigned strip, unsigned from);
/* Of few lanes: the values that they have in a row come into a register. */
void emit_load_few(struct emitter *e, unsigned to, unsigned base, uint32_t slot, bool wide);
/* They go to the row from a register. */
void emit_store_few(struct emitter *e, uint32_t slot, bool wide, unsigned from);
/* The lanes' numbers come into registers; r8 and r9 are free for it. */
void emit_number_few(struct emitter *e);
/* Begins the code for few lanes: it finds the numbers of the lanes, and stores the vectors that
 * emit_bits_of_few() names. It uses T0 and T1. */
void emit_begin_few(struct emitter *e);
/* Of few lanes: ax becomes a predicate where T0 has ones; its bits of others say nothing. T1 is
 * free for it. */
void emit_signs_of_few(struct emitter *e, bool wide);
/* Where the state has a bit for each of them, in each of their dwords, or qwords. */
struct x86_place emit_bits_of_few(bool wide);
/* Whether any of the dwords, or qwords, of a register, one for each lane, are ones. Of few lanes
 * registers have others, too. */
void emit_test_any(struct emitter *e, unsigned reg, bool wide);
/* Singles of the unsigned dwords in a register, rounded once: in T1. T0 is changed. */
void emit_float_of_unsigned(struct emitter *e, unsigned from);
/* Forgets rows of the cache that overlap [slot, slot + size). */
void emit_evict(struct emitter *e, uint32_t slot, uint32_t size);
/* The result's row is in its registers from now on. */
void emit_keep(struct emitter *e);
/* The register of the result has ones where the predicate that has been stored is 1. */
void emit_keep_ones(struct emitter *e);
/* A register that has ones, in dwords or qwords, where a predicate is 1; NOTHING: there is none. */
unsigned emit_kept_ones(const struct emitter *e, uint32_t slot, bool wide);
/* A predicate in a register. */
void emit_load_predicate(struct emitter *e, const struct wt_rows_source *s, unsigned reg);

/* Ones are added to T3 for the singles of a part that may count as 0: denormal ones, and the least
 * normal one, to which results may have been rounded. T2 and a register are free for it. */
void emit_note_small(struct emitter *e, struct x86_place part, unsigned scratch);
/* Likewise for part `strip` of sources; T1 and T2 are free for it. */
void emit_note_small_sources(struct emitter *e, unsigned strip, unsigned sources);
/* The handler is called if T3 has ones. */
void emit_call_for_noted(struct emitter *e);
/* The handler is called where parts of sources may count as 0; T1 to T3 are free for it. */
void emit_call_for_small(struct emitter *e, unsigned parts, unsigned sources);

/* ---- emit_alu.c, emit_predicate.c, emit_memory.c ---- */

/* Ones in a register for the lanes of a part for which the predicate in another one is 1. */
void emit_spread(struct emitter *e, unsigned to, unsigned from, bool wide, unsigned strip);
/* In all bytes of a register the byte of a predicate of 64 lanes that the part of a loop has. */
void emit_load_byte(struct emitter *e, unsigned to, uint32_t slot);
/* The predicate in ax becomes the result, for the lanes that execute. */
void emit_store_predicate(struct emitter *e);
/* Jumps on where two rows compare in no lane as an instruction says; leaves before it where lanes
 * disagree. Returns the jump. */
size_t emit_decide(struct emitter *e);
/* An instruction that is neither a branch nor an access, nor left to its handler. */
void emit_alu(struct emitter *e);
/* The number for VCMPPS of outcomes for which a comparison holds; it raises no exception but for
 * signalling NaNs and denormal numbers. */
unsigned emit_float_predicate(unsigned how);
/* A comparison, a combination of predicates, a selection. */
void emit_predicate(struct emitter *e);
/* A load or a store. */
void emit_access(struct emitter *e);
/* The same lane by lane, which finds the places of all of them first; no register has the result.
 */
void emit_access_by_lanes(struct emitter *e);
/* A load of all lanes from one address. */
void emit_parameter(struct emitter *e);
/* Where that is, from dx on; the handler is called if the host has no such place. */
struct x86_place emit_find_parameter(struct emitter *e);

/* The source of the address of a lane. */
struct x86_place emit_base_of(const struct wt_rows_insn *n, unsigned lane);
/* An address in ax becomes one of the host: in the group's memory. */
void emit_reach_group(struct emitter *e);
/* The source of the address of the first lane that executes, which is lane r10 if not all do; of
 * unseen code register r9 has it. */
struct x86_place emit_first_base(const struct emitter *e);
/* The source of the address of lane r10. */
struct x86_place emit_base_of_one(const struct wt_rows_insn *n);
/* Part `strip` of the sources of addresses. */
struct x86_place emit_base_part(struct emitter *e, unsigned strip);
/* Addresses that are split become qwords of the state. */
void emit_join_addresses(struct emitter *e);
/* The offset is added to the source of an address in ax. */
void emit_add_offset(struct emitter *e);
/* The address of the first lane in ax; the handler is called if it is not aligned. */
void emit_first_address(struct emitter *e);
/* From a lane's first byte in memory to behind its last one. */
unsigned emit_span(const struct wt_rows_insn *n);
/* Jumps where the lanes do not access one place behind the other; returns the jumps, of which the
 * first and the last may be 0. */
void emit_find_row(struct emitter *e, size_t scattered[3]);
/* An address of memory, in ax, becomes one of the host. */
void emit_reach_memory(struct emitter *e);
/* Of few lanes: where they access memory comes to r9 and ax, that of one alone to ax. */
void emit_reach_few(struct emitter *e);
/* The first lane that executes comes to r10; jumps to where they are done one by one if none does.
 */
void emit_first_lane(struct emitter *e);
/* The address in ax, at which each dword of all lanes is a row in the group's memory, becomes one
 * of the host. The handler is called if that is not all in it. */
void emit_reach_group_rows(struct emitter *e);
/* The first lane's generic address is not in a window of the group's memory; jumps to where it is
 * in that of local memory, and returns the jump. */
size_t emit_leave_windows(struct emitter *e);
/* Where each lane accesses memory of the host: in the state's `host`. */
void emit_find_lanes(struct emitter *e);

/* ---- emit_real.c ---- */

/* Roots, quotients, conversions, classes. False: it is none of these. */
bool emit_real(struct emitter *e);
/* Exceptions that the host has raised are kept in the state, or, `with` the other instruction, is
 * again as it was: unless the program has had an inexact result, so that one more is none. */
void emit_keep_flags(struct emitter *e, void (*with)(struct x86_code *, struct x86_place));
/* Scalars come from memory. */
void emit_fetch(struct emitter *e);

/* ---- emit_words.c ---- */

/* A load or a store of several dwords. */
void emit_access_words(struct emitter *e);
/* Whether stores of whole rows, one after the other, do what those of the lanes do. */
bool emit_has_rows(const struct wt_rows_insn *n);
/* Whether it is one of rows that are known when it is translated. */
static inline bool emit_is_swizzled_row(const struct wt_rows_insn *n)
{
    return (n->op == WT_ROWS_LOAD || n->op == WT_ROWS_STORE) &&
           n->access.space == WT_ROWS_SWIZZLED && n->s[0].constant;
}
/* A load or a store of lanes side by side. */
void emit_access_swizzled(struct emitter *e);
/* Those of a lane, whose number a register has, of which the first lies at a place. r8 is free for
 * it. */
void emit_copy_words(struct emitter *e, struct x86_place memory, unsigned lane);
/* All lie in one page, or in a part of the group's memory that begins it: dx: what is added to the
 * source of an address and the offset; else the lanes are done one by one. */
void emit_find_common(struct emitter *e);
/* They are; nothing is accessed before all lanes' places have been found. */
void emit_access_anywhere(struct emitter *e);

/* ---- emit_vectors.c ---- */

/* Several dwords, or two qwords, of a shape without scalars. */
void emit_access_vectors(struct emitter *e);

/* ---- emit_place.c ---- */

/* The lanes are done one by one if a condition holds. */
void emit_detour(struct emitter *e, int condition);
/* For the address in ax: the host's page in dx, the GPU's address of it in r8. */
void emit_find_page(struct emitter *e, bool is_store);
/* Notes the place, for a fault of the host's memory during the access. */
void emit_note_access(struct emitter *e);
/* Begins a loop over the lanes that execute; r10: the lane. Returns where it begins. */
size_t emit_begin_lanes(struct emitter *e);
/* Ends it; r8 is free for it. */
void emit_end_lanes(struct emitter *e, size_t loop);

/* Jumps on if no lane of a part executes: its result stays as it is in memory. 0: there is no jump,
 * since all lanes execute. */
size_t emit_skip_idle(struct emitter *e, bool wide, unsigned strip);
/* Begins a loop over parts of which lanes execute: part 0 is one of them until it ends. r9 and r10
 * are for it. In other code than that for few lanes it does nothing. */
size_t emit_begin_parts(struct emitter *e);
/* Ends it; r8 is free for it. */
void emit_end_parts(struct emitter *e, size_t loop);
/* The place that such a jump, if there is one, leads to. */
void emit_skipped(struct emitter *e, size_t jump);

/* ---- emit_local.c ---- */

/* Whether emit_access_local() is there for the instruction. */
bool emit_has_local(const struct emitter *e);
/* A load or a store of local memory, whose addresses begin at `window`. */
void emit_access_local(struct emitter *e, uint64_t window);
/* Likewise for lanes that are known to have one address. The code behind it is for other lanes.
 * `done` gets the jumps to behind the access (0: there is none). The call comes first of all that
 * emits the access. */
void emit_access_alone(struct emitter *e, uint64_t window, size_t done[3]);

/* ---- emit_given.c ---- */

/* Rows that a family gives, a division, a row in halves. */
void emit_given(struct emitter *e);
/* 64 lanes' bits of a predicate: those of part `strip`, the signs of dwords in a register, are
 * added to ax; dx is free for it. In a loop over parts ax is 0 at first, and r8 free, too. */
void emit_add_signs(struct emitter *e, unsigned strip, unsigned from);
/* ax becomes a predicate of 64 lanes at a slot, 0 for those that do not execute. */
void emit_store_lanes(struct emitter *e, uint32_t slot);

/* ---- emit_512.c, emit_512_homes.c, emit_512_memory.c, emit_512_rows.c, emit_512_words.c ---- */

/* Whether vectors of 512 bits do an instruction. */
bool emit_is_512(const struct emitter *e, const struct wt_rows_insn *n);
/* Chooses which rows have banks of their own: those that are most used, where loops count more. */
void emit_512_settle(struct emitter *e);
/* A loop begins: registers have those of its rows that it reads, and no others. */
void emit_512_begin_loop(struct emitter *e);
/* They have them again, before a branch to where it begins. */
void emit_512_end_loop(struct emitter *e, uint32_t target);
/* Of code for all lanes: the instruction's result, if registers of 256 bits have it, is in a bank,
 * too, from now on, if an instruction that soon comes reads it: the host waits where it loads at
 * once what it has stored in parts. In code for some these registers may lack what banks must have,
 * the values of lanes that do not execute. */
void emit_512_join_parts(struct emitter *e);
/* Sources that have banks of their own come into them. */
void emit_512_fetch(struct emitter *e);
/* An instruction that they do, neither a load nor a store. */
void emit_512(struct emitter *e);
/* Jumps on as emit_decide() does. */
size_t emit_512_decide(struct emitter *e);
/* The k registers, and `idle` if the block needs it, become those of the state's mask. */
void emit_512_masks(struct emitter *e);
/* Rows that banks have come into them. */
void emit_512_enter(struct emitter *e, const struct cache *c);
/* A load or a store, of one dword or less. */
void emit_512_access(struct emitter *e);
/* A load or a store of several dwords. */
void emit_512_access_words(struct emitter *e);
/* Rows side by side with memory at dx, of a load or store of lanes side by side. `kept`: registers
 * may have them afterwards. */
void emit_512_copy_swizzled(struct emitter *e, bool kept);

/* ---- emit_regions.c ---- */

/* An instruction of a shape with regions: arithmetic, or a comparison. */
void emit_region(struct emitter *e);
/* Jumps nowhere; leaves before the instruction unless all lanes that execute branch. */
void emit_decide_region(struct emitter *e);
/* Whether there may be lanes of the instruction that do not execute. */
bool emit_is_partial_region(const struct emitter *e);
/* A bit in a register for each lane that executes; r8 is free for it. */
void emit_enabled_region(struct emitter *e, unsigned reg);
/* T3: ones for the lanes of a part that do not execute. */
void emit_idle_region(struct emitter *e, unsigned strip);
/* Registers for the parts of the result, which are forgotten. */
void emit_choose_region(struct emitter *e, unsigned d[2]);
/* Part `strip` of a result is in a register: it is stored for the lanes that execute. */
void emit_store_region(struct emitter *e, uint32_t slot, unsigned strip, unsigned d);
/* The result is in its registers from now on. */
void emit_keep_region(struct emitter *e, const unsigned d[2]);

/* ---- emit_region_memory.c ---- */

/* A load or a store of a shape with regions. */
void emit_access_region(struct emitter *e);
/* Counts a dword of the frame down; leaves before the instruction where it is 0. */
void emit_wait_region(struct emitter *e);
/* Arrives at a barrier; the handler is called for the last one that does. */
void emit_arrive_region(struct emitter *e);

/* ---- emit_wave.c, emit_scalar.c ---- */

/* An instruction of a shape with scalars. False: the others' code does it, too. */
bool emit_wave(struct emitter *e);

/* Calls the handler of an instruction that the state's `guard` is for, or a carry. */
void emit_guard(struct emitter *e);
/* Jumps where a scalar holds the condition; returns the jump. */
size_t emit_decide_scalar(struct emitter *e);
/* An instruction of scalars. */
void emit_scalar(struct emitter *e);
/* Counters are limited to the numbers that are waited for. */
void emit_at_most(struct emitter *e);
/* Counts an access that has been done. */
void emit_count(struct emitter *e);

#endif
