/* The tables of sm_50 and how words are looked up in them. See isa.h. */
#include "emulator/sm/sass/isa.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "emulator/machine/meaning_code.h"

const struct sm_row sm_rows[SM_INSNS] = {
#define I(id, class, executor, text, state, mask, reg, con, imm, rc, ...)                          \
    [SM_##id] = {text, state, mask, {reg, con, imm, rc}, (const uint8_t[]){__VA_ARGS__ WT_M_END}},
#include "emulator/sm/sass/isa.def"
#undef I
};

const struct sm_field sm_fields[SM_FIELDS] = {
#define F(name, pos, width, high_pos, high_width, names)                                           \
    [SM_F_##name] = {#name, pos, width, high_pos, high_width, names},
#include "emulator/sm/sass/fields.def"
#undef F
};

/* In the immediate form of operand B bit 56 is the sign. Rows that have no other form keep all bits
 * of their mask, but for the two whose immediate is of that kind. */
static uint64_t mask_of(const struct sm_row *row, unsigned form)
{
    return form == SM_FORM_I ? row->mask & ~(UINT64_C(1) << 56) : row->mask;
}

bool sm_decode(uint64_t word, enum sm_insn *insn, enum sm_form *form)
{
    for (unsigned i = 0; i < SM_INSNS; i++) {
        const struct sm_row *row = &sm_rows[i];
        for (unsigned f = 0; f < SM_FORMS; f++) {
            const uint64_t mask = mask_of(row, f);
            if (!row->word[f] || (word & mask) != (row->word[f] & mask))
                continue;
            *insn = (enum sm_insn)i;
            *form = (enum sm_form)f;
            return true;
        }
    }
    return false;
}

static const struct {
    struct sm_refused what;
    uint64_t mask, word;
} refused[] = {
#define R(name, mask, word, why) {{#name, why}, mask, word},
#include "emulator/sm/sass/refused.def"
#undef R
};

const struct sm_refused *sm_refused_word(uint64_t word)
{
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if ((word & refused[i].mask) == refused[i].word)
            return &refused[i].what;
    return NULL;
}

const struct sm_refused *sm_refused_name(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (strlen(refused[i].what.name) == length &&
            strncmp(refused[i].what.name, name, length) == 0)
            return &refused[i].what;
    return NULL;
}

const struct sm_refused *sm_refused_at(size_t n)
{
    return n < sizeof refused / sizeof refused[0] ? &refused[n].what : NULL;
}

const char *const sm_swizzles[SM_SWIZZLES] = {"PP", "NP", "PN", "ZP"};

const char *sm_field_name(const struct sm_field *field, unsigned value, size_t *length)
{
    const char *at = field->names;
    while (value--) {
        at = strchr(at, '|');
        if (!at)
            return NULL;
        at++;
    }
    *length = strcspn(at, "|");
    return *length == 1 && *at == '-' ? NULL : at;
}

void sm_mnemonic(enum sm_insn insn, char *text, size_t size)
{
    const char *at = sm_rows[insn].text;
    size_t used = 0;
    for (at += *at == '!'; *at && *at != ' ' && used + 1 < size; at++) {
        if (*at == '[')
            at = strchr(at, ']');
        else if (*at == '{')
            at = strchr(at, '}');
        else
            text[used++] = *at;
    }
    text[used] = 0;
}

/* ---- the text of a row, item by item ---- */

static enum sm_field_id field_id(const char *name, size_t length)
{
    for (unsigned i = 0; i < SM_FIELDS; i++)
        if (strlen(sm_fields[i].name) == length && strncmp(sm_fields[i].name, name, length) == 0)
            return (enum sm_field_id)i;
    assert(!"a field that fields.def does not have");
    return SM_FIELDS;
}

static unsigned take_number(const char **at)
{
    unsigned value = 0;
    assert(isdigit((unsigned char)**at));
    for (; isdigit((unsigned char)**at); (*at)++)
        value = value * 10 + (unsigned)(**at - '0');
    return value;
}

static enum sm_field_id take_field(const char **at)
{
    assert(**at == '[');
    const size_t length = strcspn(*at + 1, "]");
    const enum sm_field_id id = field_id(*at + 1, length);
    *at += length + 2;
    return id;
}

static void take_prefixes(const char **at, struct sm_item *item)
{
    for (;;) {
        uint8_t *bit;
        switch (**at) {
        case '?':
            item->optional = true;
            (*at)++;
            continue;
        case '-':
            bit = &item->neg;
            break;
        case '|':
            bit = &item->abs;
            break;
        case '~':
        case '!':
            bit = &item->inv;
            break;
        default:
            return;
        }
        (*at)++;
        *bit = (uint8_t)take_number(at);
    }
}

static void take_letter(const char **at, struct sm_item *item)
{
    item->what = *(*at)++;
    switch (item->what) {
    case 'p':
        item->pos = (uint8_t)take_number(at);
        item->width = 3;
        item->fallback = 7;
        break;
    case 'u':
    case 's':
        item->pos = (uint8_t)take_number(at);
        (*at)++; /* ':' */
        item->width = (uint8_t)take_number(at);
        break;
    case 'm':
        item->pos = 20;
        if (**at == 'a' || **at == 's' || **at == 'c' || **at == 'l') {
            /* offset of 20 bits at 28; of 22 bits at 30, in units of 4; CCTL's, CCTLL's */
            const char kind = *(*at)++;
            item->pos = kind == 'a' ? 28 : kind == 's' ? 30 : 22;
            item->width = kind == 'a' ? 20 : kind == 'c' ? 30 : 22;
            break;
        }
        item->width = (uint8_t)take_number(at);
        break;
    case 'r':
    case 'R':
        item->pos = item->what == 'r' ? 20 : 28;
        item->width = 8;
        item->fallback = 255;
        break;
    case 'w':
        item->pos = 20;
        item->width = 24;
        break;
    case 'W':
        item->pos = 20;
        item->width = 32;
        break;
    case '\'':
        item->chars = *at;
        item->length = strcspn(*at, "'");
        *at += item->length + 1;
        break;
    default:
        break;
    }
}

static struct sm_item take_operand(const char **at)
{
    struct sm_item item = {.kind = SM_ITEM_OPERAND,
                           .neg = SM_NO_BIT,
                           .abs = SM_NO_BIT,
                           .inv = SM_NO_BIT,
                           .cc = SM_NO_BIT};
    take_prefixes(at, &item);
    if (**at == '[') {
        item.what = '[';
        item.field = take_field(at);
    } else {
        take_letter(at, &item);
    }
    if (**at == '=') {
        (*at)++;
        item.fallback = take_number(at);
    }
    if (**at == '.') {
        (*at)++;
        item.cc = (uint8_t)take_number(at);
    }
    if (**at == '[') {
        item.has_part = true;
        item.part = take_field(at);
    }
    assert(!**at || **at == ',');
    *at += **at == ',';
    return item;
}

struct sm_item sm_item_next(const char **at, bool *in_operands)
{
    if (!**at)
        return (struct sm_item){.kind = SM_ITEM_END};
    if (**at == ' ') {
        *in_operands = true;
        (*at)++;
    }
    if (*in_operands)
        return take_operand(at);
    if (**at == '[')
        return (struct sm_item){.kind = SM_ITEM_FIELD, .field = take_field(at)};
    if (**at == '{') {
        const char which = (*at)[1];
        *at += 3;
        return (struct sm_item){.kind = which == 'T' ? SM_ITEM_PHASE : SM_ITEM_TYPES,
                                .b_is_unsigned = which == 'W'};
    }
    struct sm_item item = {.kind = SM_ITEM_CHARS, .chars = *at};
    item.length = strcspn(*at, "[{ ");
    *at += item.length;
    return item;
}

bool sm_fields_legal(uint64_t word, enum sm_insn insn)
{
    const char *at = sm_rows[insn].text + (sm_rows[insn].text[0] == '!');
    bool in_operands = false;
    size_t length;
    for (;;) {
        const struct sm_item item = sm_item_next(&at, &in_operands);
        if (item.kind == SM_ITEM_END)
            return true;
        const bool is_field =
            item.kind == SM_ITEM_FIELD || (item.kind == SM_ITEM_OPERAND && item.what == '[');
        if (is_field &&
            !sm_field_name(&sm_fields[item.field], sm_field_value(word, item.field), &length))
            return false;
        /* A part whose bits belong to an immediate is none. */
        if (item.has_part && !(item.what == 'v' && !(word >> 50 & 1)) &&
            !sm_field_name(&sm_fields[item.part], sm_field_value(word, item.part), &length))
            return false;
        if (item.kind == SM_ITEM_OPERAND && item.what == 'C' &&
            !sm_field_name(&sm_fields[sm_components(word)], (unsigned)sm_bits(word, 50, 3),
                           &length))
            return false;
    }
}

/* ---- special registers ---- */

static const struct {
    uint8_t number;
    const char *name;
} specials[] = {
    {0x00, "LANEID"},
    {0x01, "CLOCK"},
    {0x02, "VIRTCFG"},
    {0x03, "VIRTID"},
    {0x04, "PM0"},
    {0x05, "PM1"},
    {0x06, "PM2"},
    {0x07, "PM3"},
    {0x08, "PM4"},
    {0x09, "PM5"},
    {0x0a, "PM6"},
    {0x0b, "PM7"},
    {0x10, "PRIM_TYPE"},
    {0x11, "INVOCATION_ID"},
    {0x12, "Y_DIRECTION"},
    {0x13, "THREAD_KILL"},
    {0x14, "SHADER_TYPE"},
    {0x18, "MACHINE_ID_0"},
    {0x19, "MACHINE_ID_1"},
    {0x1a, "MACHINE_ID_2"},
    {0x1b, "MACHINE_ID_3"},
    {0x1c, "AFFINITY"},
    {0x20, "TID"},
    {0x21, "TID.X"},
    {0x22, "TID.Y"},
    {0x23, "TID.Z"},
    {0x24, "CTA_PARAM"},
    {0x25, "CTAID.X"},
    {0x26, "CTAID.Y"},
    {0x27, "CTAID.Z"},
    {0x28, "NTID"},
    {0x29, "CirQueueIncrMinusOne"},
    {0x2a, "NLATC"},
    {0x30, "SWINLO"},
    {0x31, "SWINSZ"},
    {0x32, "SMEMSZ"},
    {0x33, "SMEMBANKS"},
    {0x34, "LWINLO"},
    {0x35, "LWINSZ"},
    {0x36, "LMEMLOSZ"},
    {0x37, "LMEMHIOFF"},
    {0x38, "EQMASK"},
    {0x39, "LTMASK"},
    {0x3a, "LEMASK"},
    {0x3b, "GTMASK"},
    {0x3c, "GEMASK"},
    {0x3d, "REGALLOC"},
    {0x3e, "CTXADDR"},
    {0x40, "GLOBALERRORSTATUS"},
    {0x42, "WARPERRORSTATUS"},
    {0x43, "WARPERRORSTATUSCLEAR"},
    {0x50, "CLOCKLO"},
    {0x51, "CLOCKHI"},
    {0x52, "GLOBALTIMERLO"},
    {0x53, "GLOBALTIMERHI"},
    {0x60, "HWTASKID"},
};

const char *sm_special_name(unsigned number)
{
    for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++)
        if (specials[i].number == number)
            return specials[i].name;
    return NULL;
}

bool sm_special_number(const char *name, size_t length, unsigned *number)
{
    for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++) {
        if (strlen(specials[i].name) != length || strncmp(specials[i].name, name, length) != 0)
            continue;
        *number = specials[i].number;
        return true;
    }
    return false;
}
