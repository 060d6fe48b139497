/*
 * The operands that the table of sm_50 states are those that count. Each row is executed in each of
 * its forms from random states. What it does not read is poisoned: results stay the same. What it
 * does not write stays. What it reads and writes matters in some trial. Where the row has a meaning
 * (machine/meaning.h), its evaluator has the result, too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "emulator/machine/meaning.h"
#include "emulator/machine/operands.h"
#include "emulator/sm/operands.h"
#include "emulator/sm/ptx/image.h"
#include "emulator/sm/texture.h"
#include "planted.h"
#include "sm_rig.h"

#define HEADER (DATA + TEXELS)
#define ALL 0xffffffffu
enum {
    REGISTERS = 72, /* and RZ */
    SHARED = 256,
    LOCAL_BYTES = 16,
    TEXELS = 0x400,
    AREA = TEXELS + SM_TEXTURE_BYTES,
    BANK_BYTES = 0x160,
    HANDLE = 0x100, /* in the bank */
    MASKS = 11,     /* P0 to P6, Z, S, C, O */
    NUMBERS = 6,
    TRIALS = 500,
    MOST_TRIALS = 60000,
    ENOUGH = 30, /* trials of one list of operands, for it to be judged */
    LISTS = 1000
};
enum number { BARRIER, PC, STACK, ACTIVE, TRAP, LOCAL_BASE };
enum memory { GLOBAL, SHARED_MEMORY, LOCAL_MEMORY, CONSTANTS, MEMORIES };

struct state {
    uint32_t r[REGISTERS + 1][SM_LANES]; /* the last one is RZ */
    uint32_t mask[MASKS];
    uint64_t number[NUMBERS]; /* that is compared */
    uint8_t memory[MEMORIES][AREA];
    bool fault;
    /* what a state begins with */
    uint32_t active, depth;
    struct sm_entry stack[8];
    uint32_t barrier[4];
    uint64_t local;
};

/* What an instruction says that it reads or writes: bits. */
struct uses {
    uint32_t r[REGISTERS + 1][SM_LANES], mask[MASKS];
    bool number[NUMBERS];
    uint8_t memory[MEMORIES][AREA];
};

static uint64_t random_state;

static uint64_t any(uint64_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (random_state >> 33) % below;
}

static bool small; /* numbers of this trial are, so that sums are 0 */

static uint32_t number(void)
{
    static const uint32_t odd[] = {0,          1,          2,          0xffffffff, 0x80000000,
                                   31,         0x3f800000, 0x40490fdb, 0x7fc00000, 0x7f800001,
                                   0x41d00000, 0x3ff00000, 0x7ff00000, 0x3c003c00, 0x7c010001,
                                   0x41700000, 0xff7fffff, 0x00800001, 0x43312345, 0x40000000,
                                   0x1f,       0x101f,     0x808,      0x43700000, 0x43412345};
    if (small)
        return (uint32_t)any(4) - 1;
    return (uint32_t)(any(3) ? odd[any(sizeof odd / sizeof *odd)]
                             : any(UINT64_C(1) << 31) << 1 | any(2));
}

/* ---- words ---- */

static uint64_t put_bits(uint64_t word, unsigned pos, unsigned width, uint64_t value)
{
    const uint64_t mask = ((UINT64_C(1) << width) - 1) << pos;
    return (word & ~mask) | (value << pos & mask);
}

static uint64_t register_number(void)
{
    return !any(10) ? SM_RZ : any(6) ? 4 * any(16) : any(64);
}

/* Whether the row has an operand of one of these letters. */
static bool has_letter(const struct sm_row *row, const char *letters)
{
    const char *at = row->text + (row->text[0] == '!');
    bool in_operands = false;
    for (struct sm_item item; (item = sm_item_next(&at, &in_operands)).kind != SM_ITEM_END;)
        if (item.kind == SM_ITEM_OPERAND && strchr(letters, item.what))
            return true;
    return false;
}

/* A word of the row in this form: registers are few, constants are there. */
static uint64_t make_word(unsigned insn, unsigned form)
{
    const struct sm_row *row = &sm_rows[insn];
    const uint64_t mask = form == SM_FORM_I ? row->mask & ~(UINT64_C(1) << 56) : row->mask;
    const bool has_number = has_letter(row, "kKtwWSFjs") || strstr(row->text, "u20:") ||
                            (has_letter(row, "m") && !has_letter(row, "b"));
    for (unsigned tries = 0; tries < 100000; tries++) {
        uint64_t word =
            any(UINT64_C(1) << 31) ^ any(UINT64_C(1) << 31) << 22 ^ any(UINT64_C(1) << 31) << 33;
        enum sm_insn found;
        enum sm_form of;
        word = put_bits(word, 0, 8, register_number());
        word = put_bits(word, 8, 8, register_number());
        if (strpbrk(row->state, "GE")) /* the area is small */
            word = put_bits(word, 8, 8, any(64));
        if (form != SM_FORM_I && !has_number)
            word = put_bits(word, 20, 8, register_number());
        if (has_letter(row, "cH") || form == SM_FORM_RC)
            word = put_bits(word, 39, 8, register_number());
        if (has_letter(row, "R"))
            word = put_bits(word, 28, 8, register_number());
        word = put_bits(word, 16, 4, any(2) ? 7 : any(16));
        if (form == SM_FORM_I && any(2)) /* few, so that sums are 0, and bits are tested */
            word = put_bits(word, 20, strstr(row->text, "u20:16") ? 16 : 19,
                            any(2) ? any(3) : number());
        if ((strstr(row->text, "20:32") || has_letter(row, "F")) && any(2))
            word = put_bits(word, 20, 32, any(2) ? number() : -any(3));
        if (form == SM_FORM_C || form == SM_FORM_RC)
            word = put_bits(put_bits(word, 34, 5, 0), 20, 14, any(BANK_BYTES / 4));
        if (has_letter(row, "xtK")) { /* branches */
            word = put_bits(word, 0, 5, any(2) ? 15 : any(24));
            if (word >> 5 & 1)
                word = put_bits(put_bits(word, 36, 5, 0), 20, 16, 4 * any(BANK_BYTES / 4));
        }
        if (insn == SM_LDC)
            word = put_bits(put_bits(word, 36, 5, 0), 20, 16, any(32));
        if (strchr(row->state, 'T'))
            word = put_bits(word, 36, 13, any(5) ? HANDLE / 4 : sm_bits(word, 36, 13));
        if (strchr(row->state, 'b') && insn != SM_B2R_RESULT) {
            word = put_bits(word, 43, 2, any(4));
            if (word >> 44 & 1)
                word = put_bits(word, 8, 8, any(16));
            if (word >> 43 & 1)
                word = put_bits(word, 20, 12, 32 * any(2));
        }
        word = (word & ~mask) | (row->word[form] & mask);
        if (sm_decode(word, &found, &of) && found == insn && of == (enum sm_form)form &&
            sm_fields_legal(word, found))
            return word;
    }
    fail_msg("%s, form %u: no word is legal", row->text, form);
    return 0;
}

/* ---- the machine ---- */

static struct rig rig;
static struct sm_warp first_warp;
static struct sm_cta first_cta;
static struct sm_unit first_unit;

static void open_rig(void)
{
    rig_open(&rig, "", "NOP\nNOP\nNOP\nNOP\nEXIT", NULL, 1);
    first_warp = rig.d->warp[0];
    first_warp.local = LOCAL;
    first_cta = *first_warp.cta;
    first_unit = rig.d->unit[0];
}

static uint32_t *const *masks_of(struct sm_warp *w)
{
    static uint32_t *list[MASKS];
    for (unsigned i = 0; i < 7; i++)
        list[i] = &w->p[i];
    list[7] = &w->z;
    list[8] = &w->s;
    list[9] = &w->carry;
    list[10] = &w->o;
    return list;
}

static void put_memory(uint64_t at, const uint8_t *bytes, size_t size)
{
    assert_true(sm_device_write(rig.d, at, bytes, size));
}

static void put_state(const struct state *s)
{
    if (!rig.m->active) {
        rig_close(&rig);
        open_rig();
    }
    struct sm_warp *w = &rig.d->warp[0];
    *w = first_warp;
    uint8_t *local = w->cta->local;
    *w->cta = first_cta;
    w->cta->local = local;
    rig.d->unit[0] = first_unit;
    rig.m->fault = (struct wt_fault){0};
    rig.m->time = 7;
    w->pc = CODE + 8;
    w->mask = s->active;
    w->depth = s->depth;
    w->local = s->local;
    w->bar_op = (uint8_t)s->barrier[0];
    w->bar_threads = (uint8_t)s->barrier[1];
    w->bar_true = (uint8_t)s->barrier[2];
    w->bar_result = s->barrier[3];
    w->trapped = false;
    memcpy(w->stack, s->stack, sizeof s->stack);
    memcpy(w->r, s->r, REGISTERS * sizeof s->r[0]);
    memset(w->r[SM_RZ], 0, sizeof s->r[0]);
    for (unsigned i = 0; i < MASKS; i++)
        *masks_of(w)[i] = s->mask[i];
    for (uint32_t i = 0; i < s->depth; i++)
        w->trapped |= s->stack[i].kind == SM_ENTRY_TRAP;
    put_memory(DATA, s->memory[GLOBAL], AREA);
    put_memory(BANK, s->memory[CONSTANTS], BANK_BYTES);
    put_memory(LOCAL, s->memory[LOCAL_MEMORY], SM_LANES * LOCAL_BYTES);
    memcpy(w->cta->local, s->memory[SHARED_MEMORY], SHARED);
    sm_update_ready(w);
}

static uint64_t hash_of(const void *bytes, size_t size)
{
    uint64_t h = 0;
    for (size_t i = 0; i < size; i++)
        h = (h ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
    return h;
}

static void get_state(const struct state *from, struct state *s)
{
    struct sm_warp *w = &rig.d->warp[0];
    *s = *from;
    s->fault =
        rig.m->fault.kind != WT_FAULT_NONE || w->late_code[0] || w->late_code[1] || w->at_barrier;
    s->number[PC] = rig.m->active ? w->pc : 1;
    s->number[ACTIVE] = rig.m->active ? w->mask | (uint64_t)w->live << 32 : 0;
    if (s->fault || !rig.m->active)
        return;
    memcpy(s->r, w->r, REGISTERS * sizeof s->r[0]);
    memcpy(s->r[REGISTERS], w->r[SM_RZ], sizeof s->r[0]);
    for (unsigned i = 0; i < MASKS; i++)
        s->mask[i] = *masks_of(w)[i];
    const uint32_t barrier[] = {w->bar_op, w->bar_threads, w->bar_true, w->bar_result},
                   trap[] = {w->esr, w->trapped, w->masked, w->pending_traps, w->paused, w->held};
    s->number[BARRIER] = hash_of(barrier, sizeof barrier);
    s->number[STACK] = hash_of(w->stack, w->depth * sizeof w->stack[0]);
    s->number[TRAP] = hash_of(trap, sizeof trap) ^ rig.d->unit[0].global_esr;
    s->number[LOCAL_BASE] = w->local;
    assert_true(sm_device_read(rig.d, DATA, s->memory[GLOBAL], AREA));
    assert_true(sm_device_read(rig.d, LOCAL, s->memory[LOCAL_MEMORY], SM_LANES * LOCAL_BYTES));
    memcpy(s->memory[SHARED_MEMORY], w->cta->local, SHARED);
}

/* The state as it is compared, before it is executed from. */
static void settle(struct state *s)
{
    put_state(s);
    get_state(s, s);
    s->fault = false;
}

static uint64_t word; /* of the instruction */

static void execute(const struct state *from, struct state *to)
{
    uint8_t bytes[8];
    put_state(from);
    wt_store_le(bytes, word, 8);
    put_memory(CODE + 8, bytes, 8);
    run(&rig, 1);
    get_state(from, to);
}

/* ---- states ---- */

/* A header of a texture or surface of that shape; its texels are the area. */
static void put_header(struct state *s)
{
    const unsigned dimensions = 1 + (unsigned)any(3);
    const struct sm_texture t = {.address = DATA,
                                 .pitch = 128,
                                 .slice = 256,
                                 .width = 8,
                                 .height = dimensions > 1 ? 2 : 1,
                                 .depth = 4,
                                 .texel = SM_TEXEL_UNSIGNED,
                                 .bytes = 4,
                                 .channels = 4,
                                 .dimensions = (uint8_t)dimensions,
                                 .flags = dimensions < 3 && any(2) ? SM_TEXTURE_LAYERED : 0,
                                 .mode = {SM_TEXTURE_WRAP, SM_TEXTURE_WRAP, SM_TEXTURE_WRAP}};
    sm_texture_store(&t, s->memory[GLOBAL] + TEXELS);
}

static void fill(struct state *s)
{
    memset(s, 0, sizeof *s);
    for (unsigned r = 0; r < REGISTERS; r++)
        for (unsigned l = 0; l < SM_LANES; l++)
            s->r[r][l] = number();
    for (unsigned i = 0; i < MASKS; i++)
        s->mask[i] = any(4) ? (uint32_t)(any(UINT32_MAX) ^ any(16) << 30) : any(2) ? ALL : 0;
    for (unsigned m = 0; m < MEMORIES; m++)
        for (unsigned i = 0; i < AREA; i += 4)
            wt_store_le(s->memory[m] + i, number(), 4);
    s->active = any(2) ? ALL : any(2) ? (uint32_t)any(UINT32_MAX) | 1u << any(32) : 1u << any(32);
    s->depth = (uint32_t)any(5);
    for (uint32_t i = 0; i < s->depth; i++)
        s->stack[i] = (struct sm_entry){.pc = CODE + 8 + 32 * any(8),
                                        .mask = (uint32_t)any(UINT32_MAX),
                                        .kind = (uint32_t)any(SM_ENTRY_TRAP + 1)};
    s->barrier[0] = (uint32_t)any(3);
    s->barrier[1] = 32;
    s->barrier[2] = (uint32_t)any(33);
    s->barrier[3] = (uint32_t)any(33) | (uint32_t)any(2) << 31;
    s->local = LOCAL;
    wt_store_le(s->memory[CONSTANTS] + HANDLE, HEADER, 4);
}

/* Registers become addresses that lie in the areas. */
static void set_address(struct state *s, unsigned number_of, bool wide, uint64_t offset,
                        uint64_t base, unsigned places, unsigned size)
{
    for (unsigned l = 0; number_of < REGISTERS && l < SM_LANES; l++) {
        const uint64_t at = base + any(places) * size - offset;
        s->r[number_of][l] = (uint32_t)at;
        if (wide && number_of + 1 < REGISTERS)
            s->r[number_of + 1][l] = (uint32_t)(at >> 32);
    }
}

static void set_operands(struct state *s, unsigned insn)
{
    const struct sm_row *row = &sm_rows[insn];
    const char *what = strchr(row->text, 'm');
    const unsigned a = (unsigned)sm_bits(word, 8, 8);
    const bool wide = strstr(row->text, "[e45]")   ? word >> 45 & 1
                      : strstr(row->text, "[e48]") ? word >> 48 & 1
                      : strstr(row->text, "[e52]") ? word >> 52 & 1
                                                   : false;
    uint64_t offset = 0;
    if (what && strpbrk(row->state, "GESL"))
        offset = (uint64_t)(what[1] == 'a'   ? wt_sign_extend(sm_bits(word, 28, 20), 20)
                            : what[1] == 's' ? wt_sign_extend(sm_bits(word, 30, 22), 22) * 4
                            : what[1] == '3' ? wt_sign_extend(sm_bits(word, 20, 32), 32)
                                             : wt_sign_extend(sm_bits(word, 20, 24), 24));
    if (strchr(row->state, 'G'))
        set_address(s, a, wide, offset, DATA, TEXELS / 16, 16);
    else if (strchr(row->state, 'E'))
        set_address(s, a, wide, offset,
                    any(2)   ? DATA
                    : any(2) ? SM_SHARED_WINDOW
                             : SM_LOCAL_WINDOW,
                    1 + (unsigned)any(2) * (SHARED / 16 - 1), 16);
    else if (strchr(row->state, 'S'))
        set_address(s, a, false, offset, 0, SHARED / 16, 16);
    else if (strchr(row->state, 'L'))
        set_address(s, a, false, offset, 0, 1, 16);
    else if (strchr(row->state, 'C'))
        set_address(s, a, false, (uint64_t)wt_sign_extend(sm_bits(word, 20, 16), 16), 0,
                    BANK_BYTES / 8, 8);
    if (has_letter(row, "B") && any(2))
        memset(s->memory, 1, CONSTANTS * AREA);
    if (has_letter(row, "B")) /* what compares finds an equal */
        for (unsigned l = 0; l < SM_LANES && any(4); l++)
            for (unsigned k = 0; k < 2; k++)
                if (sm_bits(word, 20, 8) + k < REGISTERS)
                    s->r[sm_bits(word, 20, 8) + k][l] = 0x01010101;
    if (strchr(row->state, 'T')) {
        put_header(s);
        for (unsigned k = 0; k < 4; k++)
            for (unsigned l = 0; l < SM_LANES; l++)
                if (a + k < REGISTERS)
                    s->r[a + k][l] = strstr(row->text, "SU") ? (uint32_t)any(3)
                                     : strstr(row->text, "TL") && any(4)
                                         ? (uint32_t)any(8)
                                         : 0x3f800000u + (uint32_t)any(5) * 0x400000;
        /* the handle, wherever it may be */
        const unsigned place[] = {(unsigned)sm_bits(word, 20, 8), a,
                                  (unsigned)sm_bits(word, 39, 8)};
        const unsigned at = place[any(3)];
        for (unsigned l = 0; l < SM_LANES && at < REGISTERS; l++)
            s->r[at][l] = HEADER;
    }
    if (strchr(row->state, 'b') || insn == SM_SETCRSPTR)
        for (unsigned l = 0; l < SM_LANES; l++) {
            if (a < REGISTERS)
                s->r[a][l] = (uint32_t)any(insn == SM_SETCRSPTR ? 3 : 16);
            if (sm_bits(word, 20, 8) < REGISTERS && sm_bits(word, 20, 8) != a)
                s->r[sm_bits(word, 20, 8)][l] = 32 * (uint32_t)any(2);
        }
}

/* ---- what it states ---- */

static const struct {
    uint16_t special;
    uint8_t number;
} specials[] = {{SM_SPECIAL_PC, PC},
                {SM_SPECIAL_STACK, STACK},
                {SM_SPECIAL_ACTIVE, ACTIVE},
                {SM_SPECIAL_TRAP, TRAP},
                {0x42, TRAP},
                {SM_SPECIAL_LOCAL, LOCAL_BASE}};

static void add_memory(struct uses *u, const struct wt_insn_operand *o)
{
    const bool all = o->file == SM_FILE_GENERIC;
    if (o->file == SM_FILE_CONSTANT && o->number == 0 && o->value < BANK_BYTES)
        memset(u->memory[CONSTANTS] + o->value, 0xff, o->bits / 8);
    if (o->file == SM_FILE_BANK)
        memset(u->memory[CONSTANTS], 0xff, AREA);
    if (o->file == SM_FILE_GLOBAL || o->file == SM_FILE_IMAGE || all)
        memset(u->memory[GLOBAL], 0xff, AREA);
    if (o->file == SM_FILE_SHARED || all)
        memset(u->memory[SHARED_MEMORY], 0xff, AREA);
    if (o->file == SM_FILE_LOCAL || all)
        memset(u->memory[LOCAL_MEMORY], 0xff, AREA);
}

static void add(struct uses *u, const struct wt_insn_operand *o, uint32_t lanes)
{
    lanes = o->crosses ? ALL : lanes;
    if (o->kind == WT_OPERAND_MEMORY) {
        add_memory(u, o);
    } else if (o->kind == WT_OPERAND_CONSTANT) {
        return;
    } else if (o->file == SM_FILE_SPECIAL) {
        for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++)
            if (o->number == specials[i].special)
                u->number[specials[i].number] = true;
    } else if (o->file == SM_FILE_STATE && o->number == SM_STATE_BARRIER) {
        u->number[BARRIER] = true;
    } else if (o->file == SM_FILE_STATE) {
        assert_true(o->by_lane && o->number % 4 == 0 && o->number <= SM_STATE_OVERFLOW);
        u->mask[o->number / 4] |= lanes;
    } else {
        assert_true(o->kind == WT_OPERAND_ROW && o->number / PTX_ROW_BYTES < REGISTERS &&
                    o->first + o->bits <= 32);
        for (unsigned l = 0; l < SM_LANES; l++)
            if (lanes >> l & 1)
                u->r[o->number / PTX_ROW_BYTES][l] |=
                    (uint32_t)(((UINT64_C(1) << o->bits) - 1) << o->first);
    }
}

static void uses_of(const struct wt_insn_operands *o, uint32_t lanes, struct uses *reads,
                    struct uses *writes)
{
    memset(reads, 0, sizeof *reads);
    memset(writes, 0, sizeof *writes);
    for (unsigned i = 0; i < o->count; i++) {
        if (o->list[i].reads)
            add(reads, &o->list[i], lanes);
        if (o->list[i].kind == WT_OPERAND_MEMORY && o->list[i].file == SM_FILE_IMAGE)
            memset(reads->memory[GLOBAL] + TEXELS, 0xff, SM_TEXTURE_BYTES); /* what says where */
        if (o->list[i].writes && (lanes || !o->any_lane))
            add(writes, &o->list[i], lanes);
    }
}

/* ---- poison, and comparison ---- */

static void spoil(struct state *s, const struct uses *keep)
{
    for (unsigned r = 0; r < REGISTERS; r++)
        for (unsigned l = 0; l < SM_LANES; l++)
            s->r[r][l] = (s->r[r][l] & keep->r[r][l]) | (number() & ~keep->r[r][l]);
    for (unsigned i = 0; i < MASKS; i++)
        s->mask[i] = (s->mask[i] & keep->mask[i]) |
                     ((uint32_t)(any(UINT32_MAX) ^ any(4) << 31) & ~keep->mask[i]);
    for (unsigned m = 0; m < MEMORIES; m++)
        for (unsigned i = 0; i < AREA; i++)
            if (!keep->memory[m][i])
                s->memory[m][i] = (uint8_t)any(256);
    if (!keep->number[BARRIER])
        for (unsigned i = 0; i < 4; i++)
            s->barrier[i] = (uint32_t)any(3);
    if (!keep->number[LOCAL_BASE])
        s->local = LOCAL; /* where it matters, it is read by address */
    settle(s);
}

/* Whether two runs came to the same: in what the instruction states that it writes, and in what one
 * of them has changed. */
static bool agree(const struct state *a0, const struct state *a, const struct state *b0,
                  const struct state *b, const struct uses *writes)
{
    if (a->fault || b->fault)
        return a->fault == b->fault;
    for (unsigned r = 0; r < REGISTERS; r++)
        for (unsigned l = 0; l < SM_LANES; l++)
            if (((a0->r[r][l] ^ a->r[r][l]) | (b0->r[r][l] ^ b->r[r][l]) | writes->r[r][l]) &
                (a->r[r][l] ^ b->r[r][l]))
                return false;
    for (unsigned i = 0; i < MASKS; i++)
        if (((a0->mask[i] ^ a->mask[i]) | (b0->mask[i] ^ b->mask[i]) | writes->mask[i]) &
            (a->mask[i] ^ b->mask[i]))
            return false;
    for (unsigned i = 0; i < NUMBERS; i++)
        if ((a0->number[i] != a->number[i] || b0->number[i] != b->number[i] || writes->number[i]) &&
            a->number[i] != b->number[i])
            return false;
    for (unsigned i = 0; i < CONSTANTS * AREA; i++) {
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
    if (after->fault)
        return "";
    for (unsigned r = 0; r <= REGISTERS; r++)
        for (unsigned l = 0; l < SM_LANES; l++)
            if ((before->r[r][l] ^ after->r[r][l]) & ~writes->r[r][l]) {
                snprintf(text, sizeof text, "R%u, lane %u", r, l);
                return text;
            }
    for (unsigned i = 0; i < MASKS; i++)
        if ((before->mask[i] ^ after->mask[i]) & ~writes->mask[i]) {
            snprintf(text, sizeof text, "mask %u", i);
            return text;
        }
    for (unsigned i = 0; i < NUMBERS; i++)
        if (before->number[i] != after->number[i] && !writes->number[i] &&
            !(i == PC && after->number[PC] == CODE + 16)) {
            snprintf(text, sizeof text, "state %u", i);
            return text;
        }
    for (unsigned m = 0; m < CONSTANTS; m++)
        for (unsigned i = 0; i < AREA; i++)
            if (before->memory[m][i] != after->memory[m][i] && !writes->memory[m][i])
                return "memory";
    return "";
}

/* ---- each row ---- */

/* Lists of the same kinds of operands, of words with one value of one modifier, and which of them
 * mattered in some trial. */
struct seen {
    struct wt_insn_operands list;
    unsigned field, value;
    unsigned trials;
    bool mattered[WT_MOST_OPERANDS], changed[WT_MOST_OPERANDS];
    uint64_t word; /* one of them */
};

static bool is_alike(const struct wt_insn_operands *a, const struct wt_insn_operands *b)
{
    if (a->count != b->count)
        return false;
    for (unsigned i = 0; i < a->count; i++) {
        const struct wt_insn_operand *x = &a->list[i], *y = &b->list[i];
        if (x->kind != y->kind || x->file != y->file || x->reads != y->reads ||
            x->writes != y->writes ||
            (x->file != SM_FILE_R && x->kind == WT_OPERAND_SCALAR && x->number != y->number))
            return false;
    }
    return true;
}

/* What is compared beside results: not all of a warp's state is varied. */
static bool is_compared(const struct wt_insn_operand *o, bool writes)
{
    if (o->kind == WT_OPERAND_CONSTANT)
        return false;
    if (o->kind == WT_OPERAND_SCALAR && o->file == SM_FILE_SPECIAL)
        return writes && o->number >= SM_SPECIAL_PC && o->number != SM_SPECIAL_TRAP;
    return true;
}

static bool has_results(const struct wt_insn_operands *o)
{
    for (unsigned i = 0; i < o->count; i++)
        if (o->list[i].writes)
            return true;
    return false;
}

/* Instructions of traps, which end the kernel here: for them only that they have a list. */
static bool is_of_traps(const struct sm_row *row)
{
    return strchr(row->state, 't');
}

static void note(struct seen *seen, const struct wt_insn_operands *o, uint32_t lanes,
                 const struct state *before, const struct state *after, const struct uses *writes)
{
    static struct state other, end;
    static struct uses one, keep, rest;
    for (unsigned i = 0; i < o->count; i++) {
        const struct wt_insn_operand *x = &o->list[i];
        memset(&one, 0, sizeof one);
        add(&one, x, lanes);
        if (x->writes && !seen->changed[i] && is_compared(x, true)) {
            rest = *writes;
            for (size_t k = 0; k < sizeof rest / sizeof(uint32_t); k++)
                ((uint32_t *)&rest)[k] &= ~((const uint32_t *)&one)[k];
            for (unsigned k = 0; k < NUMBERS; k++)
                rest.number[k] = writes->number[k] && !one.number[k];
            seen->changed[i] = *changed_beside(before, after, &rest);
        }
        if (!x->reads || seen->mattered[i] || !is_compared(x, false))
            continue;
        memset(&keep, 0xff, sizeof keep);
        for (size_t k = 0; k < sizeof keep / sizeof(uint32_t); k++)
            ((uint32_t *)&keep)[k] &= ~((const uint32_t *)&one)[k];
        for (unsigned k = 0; k < NUMBERS; k++)
            keep.number[k] = !one.number[k];
        other = *before;
        spoil(&other, &keep);
        execute(&other, &end);
        seen->mattered[i] = !agree(before, after, &other, &end, writes);
    }
}

static bool is_settled(const struct seen *s)
{
    for (unsigned i = 0; i < s->list.count; i++) {
        const struct wt_insn_operand *x = &s->list.list[i];
        if ((x->reads && is_compared(x, false) && !s->mattered[i]) ||
            (x->writes && is_compared(x, true) && !s->changed[i]))
            return false;
    }
    return true;
}

/* Whether a source may be RZ: a product with it is 0 whatever the other factor is. */
static bool has_zero(void)
{
    return sm_bits(word, 8, 8) == SM_RZ || sm_bits(word, 20, 8) == SM_RZ ||
           sm_bits(word, 39, 8) == SM_RZ;
}

static struct seen *seen_of(struct seen *seen, unsigned *count, const struct wt_insn_operands *o,
                            unsigned field, unsigned value)
{
    unsigned i = 0;
    while (i < *count &&
           (seen[i].field != field || seen[i].value != value || !is_alike(&seen[i].list, o)))
        i++;
    if (i == LISTS)
        return NULL;
    if (i == *count) {
        memset(&seen[i], 0, sizeof seen[i]);
        seen[i].list = *o;
        seen[i].field = field;
        seen[i].value = value;
        seen[i].word = word;
        ++*count;
    }
    return &seen[i];
}

/* The sources alone, so that there are fewer kinds of lists. */
static struct wt_insn_operands sources_of(const struct wt_insn_operands *o)
{
    struct wt_insn_operands sources = {.count = 0};
    for (unsigned i = 0; i < o->count; i++)
        if (o->list[i].reads && !(o->list[i].by_lane && o->list[i].aside && o->list[i].crosses))
            sources.list[sources.count++] = o->list[i];
    return sources;
}

/* Who knows no warp lists the same, but for who is left out. */
static void check_without_warp(const struct sm_row *row, const struct wt_insn_operands *o)
{
    struct wt_insn_operands plain;
    assert_true(sm_operands(NULL, word, &plain));
    const bool guarded = row->text[0] != '!' && sm_bits(word, 16, 4) != 7;
    assert_int_equal(plain.count, o->count);
    assert_int_equal(plain.exchanges, !strncmp(row->text, "SHFL", 4));
    for (unsigned i = 0; i < o->count; i++) {
        const struct wt_insn_operand *x = &plain.list[i];
        if (x->keeps !=
            (guarded && x->writes && x->kind != WT_OPERAND_MEMORY && x->file != SM_FILE_SPECIAL))
            fail_msg("%s: operand %u keeps: %u", row->text, i, x->keeps);
    }
    assert_int_equal(o->exact, guarded);
}

/* The result in a lane comes from what is stated to be of it, and from what crosses. */
static void check_lane(const struct sm_row *row, const struct wt_insn_operands *o, uint32_t lanes,
                       const struct state *before, const struct state *after)
{
    static struct state other, end;
    static struct uses keep, writes;
    if (!lanes || strpbrk(row->state, ":GESLCT"))
        return;
    const uint32_t left = lanes & (uint32_t)(UINT32_MAX << any(32));
    const unsigned lane = (unsigned)__builtin_ctz(left ? left : lanes);
    uses_of(o, 1u << lane, &keep, &writes);
    other = *before;
    spoil(&other, &keep);
    execute(&other, &end);
    if (end.fault)
        return;
    for (unsigned r = 0; r < REGISTERS; r++)
        if (writes.r[r][lane] & (after->r[r][lane] ^ end.r[r][lane]))
            fail_msg("%s (0x%016llx): lane %u of R%u comes from other lanes", row->text,
                     (unsigned long long)word, lane, r);
    for (unsigned i = 0; i < MASKS; i++)
        if (writes.mask[i] & (after->mask[i] ^ end.mask[i]))
            fail_msg("%s (0x%016llx): lane %u of mask %u comes from other lanes", row->text,
                     (unsigned long long)word, lane, i);
}

static uint64_t leaf_at(const struct state *s, const struct wt_insn_operand *x, unsigned lane)
{
    if (x->kind == WT_OPERAND_CONSTANT)
        return (uint64_t)x->value;
    return x->by_lane ? (s->mask[x->number / 4] >> lane & 1) != x->inverted
                      : s->r[x->number / PTX_ROW_BYTES][lane] >> x->first;
}

enum { PLANTED = 20 };
static unsigned meant_results, meant_others, planted;
static bool can_plant[SM_INSNS], is_planted[SM_INSNS];

/* What the meaning says that a lane has in its results; false: one of them is something else. */
static bool mean_lane(const struct wt_insn_operands *o, const uint8_t *code, unsigned lane,
                      const struct state *before, const struct state *after)
{
    struct wt_meaning_operands in = {.clamp = false};
    struct wt_meaning_value result[WT_RESULTS] = {{0}};
    unsigned from[WT_RESULTS] = {0};
    bool same = true;
    for (unsigned i = 0; i < o->count; i++) {
        const struct wt_insn_operand *x = &o->list[i];
        struct wt_meaning_value *leaf = &in.leaf[x->leaf];
        const unsigned own = x->by_lane ? 1 : x->kind == WT_OPERAND_CONSTANT ? 64 : x->bits;
        if (!x->reads || !x->leaf || x->guards)
            continue;
        leaf->value |= wt_operand_leaf(o, x, own, 0, leaf_at(before, x, lane), false) << leaf->bits;
        leaf->bits += wt_operand_leaf_bits(o, x, own);
    }
    while (*code == WT_M_OUT) {
        const unsigned to = code[1];
        code += 2;
        result[to] = wt_meaning_evaluate(&code, &in);
        if (!in.leaf[WT_M_RESULT].bits)
            in.leaf[WT_M_RESULT] = result[to];
    }
    for (unsigned i = 0; i < o->count; i++) {
        const struct wt_insn_operand *x = &o->list[i];
        const unsigned own = x->by_lane ? 1 : x->bits, at = from[x->result];
        const struct wt_meaning_value r = result[x->result];
        bool again = false; /* ISETP's second predicate is the first one, too, and stays */
        from[x->result] += x->writes ? x->width : 0;
        for (unsigned k = i + 1; k < o->count; k++)
            again |=
                o->list[k].writes && o->list[k].file == x->file && o->list[k].number == x->number;
        if (!x->writes || !x->result || again || !r.bits)
            continue;
        same &= wt_operand_result(x, own, r.bits, at, r.value) ==
                ((x->by_lane ? after->mask[x->number / 4] >> lane & 1
                             : after->r[x->number / PTX_ROW_BYTES][lane]));
        meant_others += x->by_lane;
        meant_results += !x->by_lane;
    }
    return same;
}

/* Results are what the meaning says, and are not what one with a mistake says, of 20 instructions.
 */
static void check_meaning(unsigned insn, const struct wt_insn_operands *o, uint32_t lanes,
                          const struct state *before, const struct state *after)
{
    uint8_t wrong[WT_MOST_COMPOSED];
    const bool plants = o->operation == WT_DOES_MEANT && plant(o->composed, wrong);
    for (uint32_t left = lanes; left && o->operation == WT_DOES_MEANT; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        can_plant[insn] |= plants;
        if (!mean_lane(o, o->composed, lane, before, after)) {
            wt_meaning_print(stdout, "it means ", o->composed);
            fail_msg("%s (0x%016llx): lane %u has 0x%x, which is not what it means",
                     sm_rows[insn].text, (unsigned long long)word, lane,
                     after->r[o->list[0].number / PTX_ROW_BYTES % REGISTERS][lane]);
        }
        if (plants && !is_planted[insn] && !mean_lane(o, wrong, lane, before, after)) {
            is_planted[insn] = true;
            planted++;
        }
    }
}

static void try_form(unsigned insn, unsigned form)
{
    static struct state before, after, other, end;
    static struct uses reads, writes;
    static struct seen seen[LISTS];
    const struct sm_row *row = &sm_rows[insn];
    unsigned lists = 0, done = 0;
    bool all = false, fields[SM_FIELDS] = {false}, in_operands = false;
    const char *at = row->text + (row->text[0] == '!');
    for (struct sm_item item; (item = sm_item_next(&at, &in_operands)).kind != SM_ITEM_END;)
        if (item.kind == SM_ITEM_FIELD)
            fields[item.field] = true;
    for (unsigned trial = 0; trial < TRIALS || (!all && trial < MOST_TRIALS); trial++) {
        struct wt_insn_operands o;
        if (is_of_traps(row) && trial >= TRIALS)
            return;
        small = !any(4);
        word = make_word(insn, form);
        fill(&before);
        set_operands(&before, insn);
        settle(&before);
        if (!sm_operands(&rig.d->warp[0], word, &o))
            fail_msg("%s has no operands", row->text);
        check_without_warp(row, &o);
        const uint32_t lanes = o.exact ? (uint32_t)o.enabled : before.active;
        uses_of(&o, lanes, &reads, &writes);
        execute(&before, &after);
        if (after.fault || is_of_traps(row))
            continue;
        done++;
        const char *beside = changed_beside(&before, &after, &writes);
        if (*beside)
            fail_msg("%s, form %u (0x%016llx) writes %s, which it does not state", row->text, form,
                     (unsigned long long)word, beside);
        other = before;
        spoil(&other, &reads);
        execute(&other, &end);
        if (!agree(&before, &after, &other, &end, &writes))
            fail_msg("%s, form %u (0x%016llx) reads what it does not state", row->text, form,
                     (unsigned long long)word);
        beside = changed_beside(&other, &end, &writes);
        if (*beside)
            fail_msg("%s, form %u (0x%016llx) writes %s, which it does not state", row->text, form,
                     (unsigned long long)word, beside);
        check_lane(row, &o, lanes, &before, &after);
        check_meaning(insn, &o, lanes, &before, &after);
        const struct wt_insn_operands sources = sources_of(&o);
        for (unsigned f = 0; f <= SM_FIELDS && lanes && has_results(&o) && !has_zero(); f++) {
            if (f < SM_FIELDS && !fields[f])
                continue;
            const struct wt_insn_operands *list = f < SM_FIELDS ? &sources : &o;
            struct seen *s = seen_of(seen, &lists, list, f,
                                     f < SM_FIELDS ? sm_field_value(word, (enum sm_field_id)f) : 0);
            if (!s || is_settled(s))
                continue;
            s->trials++;
            note(s, list, lanes, &before, &after, &writes);
        }
        all = true;
        for (unsigned i = 0; i < lists; i++)
            all &= is_settled(&seen[i]) || seen[i].trials < ENOUGH;
    }
    if (!done && !is_of_traps(row))
        fail_msg("%s, form %u: no trial comes to an end", row->text, form);
    for (unsigned n = 0; n < lists; n++)
        for (unsigned i = 0;
             seen[n].trials >= ENOUGH && !is_settled(&seen[n]) && i < seen[n].list.count; i++) {
            const struct wt_insn_operand *x = &seen[n].list.list[i];
            char name[96] = "a constant";
            if (x->kind != WT_OPERAND_CONSTANT)
                sm_operand_name(x, name, sizeof name);
            if (x->reads && is_compared(x, false) && !seen[n].mattered[i])
                fail_msg(
                    "%s, form %u (0x%016llx): %s is read, but never matters in %u trials of %u",
                    row->text, form, (unsigned long long)seen[n].word, name, seen[n].trials, done);
            if (x->writes && is_compared(x, true) && !seen[n].changed[i])
                fail_msg("%s, form %u (0x%016llx): %s is written, but never changes", row->text,
                         form, (unsigned long long)seen[n].word, name);
        }
}

static void rows_state_what_they_read_and_write(void **state)
{
    (void)state;
    open_rig();
    for (unsigned i = 0; i < SM_INSNS; i++)
        for (unsigned form = 0; form < SM_FORMS; form++)
            if (sm_rows[i].word[form]) {
                random_state = i;
                try_form(i, form);
            }
    rig_close(&rig);
    printf("%u results of meanings, %u predicates and flags; mistakes of %u instructions found\n",
           meant_results, meant_others, planted);
    assert_true(meant_results > 7000 * 28 && meant_others > 7000 * 28);
    assert_true(planted >= PLANTED);
    for (unsigned i = 0; i < SM_INSNS; i++)
        if (can_plant[i] && !is_planted[i])
            fail_msg("%s: no mistake in its meaning is found", sm_rows[i].text);
}

static const char *const row_name[] = {
#define I(id, ...) #id,
#include "emulator/sm/sass/isa.def"
#undef I
};

/* Instructions without a meaning, by reason: a list that only shrinks. Of accesses and jumps it is
 * their operands, and the operation that meaning.c names. */
static void rows_without_meaning_have_a_reason(void **state)
{
    static const struct {
        const char *why, *names;
    } list[] = {
        {"across lanes", " VOTE SHFL "},
        {"floating point, by its executors alone",
         " FADD FADD32I FSWZADD FMUL FMUL32I FFMA FFMA32I FMNMX FCMP FSET FSETP FCHK MUFU RRO DADD "
         "DMUL DFMA DMNMX DSET DSETP I2F F2I F2F "},
        {"parts of words", " I2I VADD VABSDIFF VMNMX VSET VSETP VSHL VSHR VMAD VABSDIFF4 "},
        {"accesses", " LDG STG LD ST LDS STS LDL STL LDC ATOM ATOM_CAS ATOMS ATOMS_CAS RED MEMBAR "
                     "CCTL CCTLL "},
        {"images", " TEX TEX_B TEXS TLD TLD_B TLDS TLD4 TLD4_B TLD4S TXD TXD_B TXQ TXQ_B SULD "
                   "SULD_I SUST SUST_I SULD_P SULD_P_I SUST_P SUST_P_I "},
        {"barriers, state", " BAR_SYNC BAR_ARV BAR_RED B2R_RESULT DEPBAR_LE DEPBAR S2R CS2R NOP "},
        {"jumps by a stack of lanes",
         " BRA BRX JMP JMP_C JMX SSY PBK PCNT PRET PLONGJMP CAL JCAL JCAL_C SYNC BRK CONT RET "
         "LONGJMP EXIT LEPC "},
        {"traps", " BPT_DRAIN_ILLEGAL BPT_CAL BPT_PAUSE BPT_TRAP BPT_INT BPT_DRAIN BPT_PAUSE_QUIET "
                  "IDE RTT RAM SAM GETCRSPTR SETCRSPTR GETLMEMBASE SETLMEMBASE "}};
    (void)state;
    for (unsigned i = 0; i < SM_INSNS; i++) {
        char name[40];
        bool listed = false;
        snprintf(name, sizeof name, " %s ", row_name[i]);
        for (size_t k = 0; k < sizeof list / sizeof *list; k++)
            listed |= strstr(list[k].names, name) != NULL;
        if (listed == (*sm_rows[i].meaning != WT_M_END))
            fail_msg("%s is %slisted", row_name[i], listed ? "" : "not ");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_state_what_they_read_and_write),
                                       cmocka_unit_test(rows_without_meaning_have_a_reason)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
