/* Decoding words into the records of code pages (machine/code_pages.h). */
#include "emulator/sm/internal.h"

#include <string.h>

#define I(id, class, executor, text, state, mask, reg, con, imm, rc, ...)                          \
    [SM_##id] = RUN_##class(executor),
#define RUN_OP(executor) sm_op_##executor
#define RUN_ALU(executor) sm_run_alu
static const sm_op runs[SM_INSNS] = {
#include "emulator/sm/sass/isa.def"
};
#undef RUN_OP
#undef RUN_ALU
#define RUN_OP(executor) NULL
#define RUN_ALU(executor) sm_alu_##executor
static const sm_alu alus[SM_INSNS] = {
#include "emulator/sm/sass/isa.def"
};
#undef I

static const struct sm_uop *illegal(struct sm_warp *w, const struct sm_uop *u)
{
    const struct sm_refused *known = sm_refused_word(u->word);
    return known
               ? sm_error(w, u, SM_ILLEGAL_INSTR_ENCODING, w->mask, 0, "%s (0x%016llx): %s",
                          known->name, (unsigned long long)u->word, known->why)
               : sm_error(w, u, SM_ILLEGAL_INSTR_ENCODING, w->mask, 0,
                          "0x%016llx is not an instruction of sm_50", (unsigned long long)u->word);
}

/* Fields that are modifiers, by the letters of their names, and fields that executors read from the
 * word. */
static const struct {
    const char *letters;
    uint32_t mods[4]; /* by its value */
} modifiers[] = {
    {"sat", {0, SM_SAT}},
    {"x", {0, SM_EXTENDED}},
    {"w", {0, SM_WRAPS}},
    {"hi", {0, SM_HIGH}},
    {"mx", {0, SM_HIGH}},
    {"u", {0, SM_SIGNED}},
    {"ud", {0, SM_SIGNED}},
    {"sd", {0, SM_SIGNED}},
    {"ftz", {0, SM_FTZ}},
    {"fmz", {0, SM_FTZ, SM_FTZ | SM_FMZ}},
    {"brev", {0, SM_REVERSED}},
    {"sh", {0, SM_SHIFT}},
    {"bf", {0, SM_FLOAT}},
    {"psl", {0, SM_PSL}},
    {"mrg", {0, SM_MERGES}},
    {"isrc", {0, 0, 0, SM_WIDE}},
    {"fsrc", {0, 0, 0, SM_WIDE}},
    {"rnd", {0}},
    {"bool", {0}},
    {"lopz", {0}},
};

/* Adds a value to `how`, behind those before it; what has no room is read from the word. */
static void take_value(struct sm_uop *u, uint64_t value, unsigned width, unsigned *used)
{
    if (*used + width <= 8)
        u->how |= (uint8_t)(value << *used);
    *used += width;
}

static void take_field(struct sm_uop *u, enum sm_field_id id, unsigned *used)
{
    const struct sm_field *f = &sm_fields[id];
    const size_t length = strcspn(f->name, "0123456789");
    const unsigned value = sm_field_value(u->word, id);
    if (strncmp(f->name, "rnd", 3) == 0)
        u->round = value & 3;
    for (size_t i = 0; i < sizeof modifiers / sizeof *modifiers; i++)
        if (strncmp(f->name, modifiers[i].letters, length) == 0 && !modifiers[i].letters[length]) {
            u->mods |= modifiers[i].mods[value & 3];
            return;
        }
    take_value(u, value, f->width + f->high_width, used);
}

static bool is_set(uint64_t word, uint8_t bit)
{
    return bit != SM_NO_BIT && sm_bit(word, bit);
}

/* Modifiers of an operand that is A, B or C: `first` of enum sm_mod. */
static void take_modifiers(struct sm_uop *u, const struct sm_item *item, unsigned first)
{
    const bool is_upper = item->has_part && sm_fields[item->part].name[0] == 'h' &&
                          sm_field_value(u->word, item->part);
    u->mods |= first * ((is_set(u->word, item->neg) ? SM_NEG_A : 0) |
                        (is_set(u->word, item->abs) ? SM_ABS_A : 0) |
                        (is_set(u->word, item->inv) ? SM_NOT_A : 0) | (is_upper ? SM_UPPER_A : 0));
}

/* An operand, by its letter in isa.def. A number that stands at bit 20 is operand B. */
static void take_operand(struct sm_uop *u, const struct sm_item *item, unsigned *used)
{
    const char what = item->what;
    const uint64_t word = u->word;
    const bool is_number = what == 'u' || what == 's',
               is_b = strchr("bnfgFv", what) || (is_number && item->pos == 20);
    if (what == 'd' && is_set(word, item->cc))
        u->mods |= SM_CC;
    if (what == 'a' || is_b)
        take_modifiers(u, item, what == 'a' ? SM_NEG_A : SM_NEG_B);
    else if ((what == 'c' || what == 'D') && is_set(word, item->neg))
        u->mods |= SM_NEG_C;
    if (what == 'g')
        u->mods |= SM_WIDE;
    if (what == 'D')
        u->c = u->d;
    if (item->has_part && sm_fields[item->part].width == 2) /* not of video instructions */
        take_value(u, sm_field_value(word, item->part), 2, used);
    if (is_number && !is_b)
        take_value(u, sm_bits(word, item->pos, item->width), item->width, used);
    if (what == 'F' || (is_number && is_b) || (what == 'v' && !sm_bit(word, 50))) {
        u->form = SM_FORM_I;
        u->immediate = sm_bits(word, 20, what == 'F' ? 32 : what == 'v' ? 16 : item->width);
    } else if (is_b && u->form == SM_FORM_I) {
        const uint64_t value = sm_immediate(word);
        u->immediate = what == 'f' ? value << 12 & UINT32_MAX : what == 'g' ? value << 44 : value;
    }
}

bool sm_decode_uop(uint64_t word, struct sm_uop *u)
{
    enum sm_insn insn;
    enum sm_form form;
    if (!sm_decode(word, &insn, &form) || !sm_fields_legal(word, insn))
        return false;
    u->word = word;
    u->run = runs[insn];
    u->alu = alus[insn];
    u->insn = (uint8_t)insn;
    u->form = form;
    u->d = (uint8_t)sm_bits(word, 0, 8);
    u->a = (uint8_t)sm_bits(word, 8, 8);
    u->b = (uint8_t)sm_bits(word, form == SM_FORM_RC ? 39 : 20, 8);
    u->c = (uint8_t)sm_bits(word, 39, 8);
    u->bank = sm_bits(word, 34, 5) & 31;
    u->offset = (uint16_t)(sm_bits(word, 20, 14) * 4);
    u->guard = sm_rows[insn].text[0] == '!' ? 7 : sm_bits(word, 16, 4) & 15;
    u->mods = u->round = u->how = 0;
    const char *at = sm_rows[insn].text + (sm_rows[insn].text[0] == '!');
    bool in_operands = false;
    unsigned used = 0;
    for (struct sm_item item;
         (item = sm_item_next(&at, &in_operands)).kind != SM_ITEM_END && u->alu;)
        if (item.kind == SM_ITEM_FIELD)
            take_field(u, item.field, &used);
        else if (item.kind == SM_ITEM_OPERAND)
            take_operand(u, &item, &used);
    return true;
}

void sm_decode_word(struct sm_device *d, struct sm_uop *u)
{
    if (!sm_decode_uop(u->word, u))
        u->run = illegal;
    else if (u->insn == SM_MUFU)
        wt_near_add(&d->near, "MUFU", 4);
}
