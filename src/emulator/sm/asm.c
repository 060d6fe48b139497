/* One instruction's text to its word: the other direction of text.c. See isa.h. */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "emulator/sm/isa.h"

/* The instruction being parsed, for one row and one form. */
struct parse {
    const char *text, *at;
    uint64_t pc, word;
    unsigned reuse;
    enum sm_form form;
    sm_label_fn label;
    void *context;
    const char *farthest; /* where the last failure was */
    char why[160];
    bool undefined; /* a label is missing: no other row helps */
    bool phase;     /* a texture instruction: no operand is kept for reuse */
    bool no_types;  /* of a video instruction: both operands are signed words */
};

static void skip_blanks(struct parse *p)
{
    while (*p->at == ' ' || *p->at == '\t')
        p->at++;
}

/* Notes a mistake if it is the farthest one; false, for the caller to return. */
static bool bad(struct parse *p, const char *why)
{
    if (!p->farthest || p->at >= p->farthest) {
        p->farthest = p->at;
        snprintf(p->why, sizeof p->why, "%s", why);
    }
    return false;
}

static bool take(struct parse *p, const char *chars)
{
    const size_t length = strlen(chars);
    if (strncmp(p->at, chars, length) != 0)
        return false;
    p->at += length;
    return true;
}

static bool ends_word(char c)
{
    return !isalnum((unsigned char)c) && c != '_';
}

static void set(struct parse *p, unsigned pos, unsigned width, uint64_t value)
{
    const uint64_t mask = ((UINT64_C(1) << width) - 1) << pos;
    p->word = (p->word & ~mask) | (value << pos & mask);
}

static void set_field(struct parse *p, enum sm_field_id id, unsigned value)
{
    const struct sm_field *f = &sm_fields[id];
    set(p, f->pos, f->width, value);
    if (f->high_width)
        set(p, f->high_pos, f->high_width, value >> f->width);
}

/* ---- pieces ---- */

static bool take_register(struct parse *p, unsigned *number)
{
    const char *at = p->at;
    if (*at != 'R')
        return bad(p, "a register (R0 to R254, RZ) is expected here");
    if (at[1] == 'Z' && ends_word(at[2])) {
        *number = 255;
        p->at += 2;
        return true;
    }
    char *end;
    const unsigned long value = isdigit((unsigned char)at[1]) ? strtoul(at + 1, &end, 10) : 999;
    if (value > 254 || !ends_word(*end))
        return bad(p, "a register (R0 to R254, RZ) is expected here");
    *number = (unsigned)value;
    p->at = end;
    return true;
}

static bool take_predicate(struct parse *p, unsigned *number)
{
    const char *at = p->at;
    if (*at != 'P' || !ends_word(at[at[1] ? 2 : 1]) ||
        !(at[1] == 'T' || (at[1] >= '0' && at[1] <= '6')))
        return bad(p, "a predicate (P0 to P6, PT) is expected here");
    *number = at[1] == 'T' ? 7 : (unsigned)(at[1] - '0');
    p->at += 2;
    return true;
}

/* A whole number with or without a sign. */
static bool take_integer(struct parse *p, int64_t *value)
{
    const char *at = p->at;
    const bool negative = *at == '-';
    char *end;
    at += negative;
    if (!isdigit((unsigned char)*at))
        return bad(p, "a number is expected here");
    errno = 0;
    const unsigned long long number = strtoull(at, &end, 0);
    if (errno || number > INT64_MAX || !ends_word(*end))
        return bad(p, "this is no number");
    *value = negative ? -(int64_t)number : (int64_t)number;
    p->at = end;
    return true;
}

/* A number that fits so many bits, signed or not. */
static bool take_bits(struct parse *p, unsigned width, bool is_signed, uint64_t *bits)
{
    const char *start = p->at;
    int64_t value;
    if (!take_integer(p, &value))
        return false;
    const int64_t top = INT64_C(1) << (width - is_signed);
    if (value >= top || value < (is_signed ? -top : 0)) {
        char why[80];
        p->at = start;
        snprintf(why, sizeof why, "this does not fit %u bits%s", width,
                 is_signed ? " with a sign" : "");
        return bad(p, why);
    }
    *bits = (uint64_t)value & ((UINT64_C(1) << width) - 1);
    return true;
}

/* A floating-point number: its bits, of a double or a float. */
static bool take_floating(struct parse *p, bool is_double, uint64_t *bits)
{
    char *end;
    double number;
    const char *at = p->at;
    if (at[0] == '0' && at[1] == (is_double ? 'd' : 'f') && isxdigit((unsigned char)at[2])) {
        errno = 0;
        *bits = strtoull(at + 2, &end, 16);
        if (errno || end - at != (is_double ? 18 : 10) || !ends_word(*end))
            return bad(p, "0f takes 8 hexadecimal digits, 0d takes 16");
        p->at = end;
        return true;
    }
    const char *digit = at + (*at == '+' || *at == '-');
    if (strncmp(digit, "INF", 3) == 0) {
        number = *at == '-' ? -INFINITY : INFINITY;
        end = (char *)digit + 3;
    } else {
        if (!isdigit((unsigned char)*digit) && *digit != '.')
            return bad(p, "a floating-point number is expected here");
        number = strtod(at, &end);
        if (end > at && end[-1] == '.') /* "3.NEG" */
            end--;
    }
    p->at = end;
    const float narrow = (float)number;
    uint32_t half;
    memcpy(bits, &number, sizeof *bits);
    memcpy(&half, &narrow, sizeof half);
    if (!is_double)
        *bits = half;
    return true;
}

static bool take_constant(struct parse *p, unsigned bank_pos, unsigned shift, unsigned width)
{
    const char *start = p->at;
    uint64_t bank, offset;
    if (!take(p, "c["))
        return bad(p, "constant memory (c[0x0][0x140]) is expected here");
    if (!take_bits(p, 5, false, &bank))
        return false;
    if (!take(p, "]"))
        return bad(p, "']' is missing");
    skip_blanks(p);
    if (!take(p, "["))
        return bad(p, "'[' is missing");
    if (!take_bits(p, width + shift, false, &offset))
        return false;
    if (!take(p, "]"))
        return bad(p, "']' is missing");
    if (offset & ((UINT64_C(1) << shift) - 1)) {
        p->at = start;
        return bad(p, "the offset into constant memory must be a multiple of 4");
    }
    set(p, bank_pos, 5, bank);
    set(p, 20, width, offset >> shift);
    return true;
}

/* ---- operands ---- */

static bool take_immediate(struct parse *p, char what)
{
    uint64_t bits;
    const char *start = p->at;
    if (what == 'f' || what == 'g') {
        const unsigned shift = what == 'f' ? 12 : 44;
        if (!take_floating(p, what == 'g', &bits))
            return false;
        if (bits & ((UINT64_C(1) << shift) - 1)) {
            p->at = start;
            return bad(p, "this number needs more than the 20 bits that there are");
        }
        bits >>= shift;
    } else if (what == 'n') {
        /* Written without a sign by NVIDIA's tools; people write it with one, too. */
        if (*start == '-' ? !take_bits(p, 20, true, &bits) : !take_bits(p, 20, false, &bits))
            return false;
    } else if (!take_bits(p, 20, true, &bits)) {
        return false;
    }
    set(p, 20, 19, bits);
    set(p, 56, 1, bits >> 19);
    return true;
}

static bool take_b(struct parse *p, char what)
{
    unsigned reg;
    switch (p->form) {
    case SM_FORM_R:
    case SM_FORM_RC:
        if (!take_register(p, &reg))
            return false;
        set(p, p->form == SM_FORM_R ? 20 : 39, 8, reg);
        return true;
    case SM_FORM_C:
        return take_constant(p, 34, 2, 14);
    default:
        return take_immediate(p, what);
    }
}

/* "R2+0x8", "R2+-0x8", "R2", "0x8": register to bit 8, offset in units of @p unit to @p pos. */
static bool take_place(struct parse *p, unsigned pos, unsigned width, unsigned unit)
{
    unsigned reg = 255;
    uint64_t bits = 0;
    bool offset = true;
    if (*p->at == 'R') {
        if (!take_register(p, &reg))
            return false;
        skip_blanks(p);
        offset = take(p, "+") || *p->at == '-';
        skip_blanks(p);
    }
    const char *start = p->at;
    const unsigned shift = unit == 4 ? 2 : 0;
    if (offset && !take_bits(p, width + shift, true, &bits))
        return false;
    if (bits % unit) {
        p->at = start;
        return bad(p, "the offset must be a multiple of 4");
    }
    set(p, 8, 8, reg);
    set(p, pos, width, bits >> shift);
    return true;
}

static bool take_memory(struct parse *p, const struct sm_item *item)
{
    if (!take(p, "["))
        return bad(p, "an address ([R2+0x8]) is expected here");
    skip_blanks(p);
    if (!take_place(p, item->pos, item->width, item->pos == 22 || item->pos == 30 ? 4 : 1))
        return false;
    skip_blanks(p);
    return take(p, "]") || bad(p, "']' is missing");
}

static bool take_bank(struct parse *p)
{
    uint64_t bank;
    if (!take(p, "c["))
        return bad(p, "constant memory (c[0x0][R2+0x8]) is expected here");
    if (!take_bits(p, 5, false, &bank))
        return false;
    if (!take(p, "]"))
        return bad(p, "']' is missing");
    skip_blanks(p);
    if (!take(p, "["))
        return bad(p, "'[' is missing");
    set(p, 36, 5, bank);
    return take_place(p, 20, 16, 1) && (take(p, "]") || bad(p, "']' is missing"));
}

/* "ZPPPZPPP": the signs of A and B for lanes 0 to 3 of each four. */
static bool take_swizzle(struct parse *p)
{
    for (unsigned lane = 0; lane < 4; lane++) {
        unsigned signs = 0;
        while (signs < SM_SWIZZLES && strncmp(p->at, sm_swizzles[signs], 2) != 0)
            signs++;
        if (signs == SM_SWIZZLES)
            return bad(p, "four of PP, NP, PN, ZP are expected here, as one word (ZPPPZPPP)");
        set(p, 34 - 2 * lane, 2, signs);
        p->at += 2;
    }
    return true;
}

static bool take_target(struct parse *p)
{
    uint64_t target;
    int64_t number;
    const char *start = p->at;
    if (strncmp(p->at, "c[", 2) == 0) {
        set(p, 5, 1, 1);
        return take_constant(p, 36, 0, 16);
    }
    const bool quoted = take(p, "`(");
    if (isdigit((unsigned char)*p->at)) {
        if (!take_integer(p, &number))
            return false;
        target = (uint64_t)number;
    } else {
        const char *name = p->at;
        while (isalnum((unsigned char)*p->at) || strchr("._$", *p->at ? *p->at : ' '))
            p->at++;
        if (p->at == name)
            return bad(p, "a label or an address is expected here");
        if (!p->label || !p->label(p->context, name, (size_t)(p->at - name), &target)) {
            char why[120];
            snprintf(why, sizeof why, "there is no label '%.*s'",
                     (int)(p->at - name < 64 ? p->at - name : 64), name);
            p->at = name;
            p->undefined = true;
            return bad(p, why);
        }
    }
    if (quoted && !take(p, ")"))
        return bad(p, "')' is missing");
    const int64_t distance = (int64_t)(target - (p->pc + 8));
    if (distance < -(1 << 23) || distance >= 1 << 23) {
        p->at = start;
        return bad(p, "the target is too far away: 24 bits with a sign are there for it");
    }
    set(p, 20, 24, (uint64_t)distance);
    return true;
}

static bool take_special(struct parse *p)
{
    unsigned number;
    if (!take(p, "SR"))
        return bad(p, "a special register (SR_TID.X) is expected here");
    const char *name = p->at + 1;
    if (isdigit((unsigned char)*p->at)) {
        char *end;
        number = (unsigned)strtoul(p->at, &end, 10);
        if (number > 255 || !ends_word(*end))
            return bad(p, "there is no such special register");
        p->at = end;
        set(p, 20, 8, number);
        return true;
    }
    size_t length = 0;
    while (isalnum((unsigned char)name[length]) || name[length] == '_' || name[length] == '.')
        length++;
    if (*p->at != '_' || !sm_special_number(name, length, &number))
        return bad(p, "there is no such special register");
    p->at = name + length;
    set(p, 20, 8, number);
    return true;
}

static bool take_barriers(struct parse *p)
{
    unsigned bits = 0;
    if (!take(p, "{"))
        return bad(p, "a list of barriers ({1,0}) is expected here");
    if (take(p, "}")) {
        set(p, 0, 6, 0);
        return true;
    }
    do {
        skip_blanks(p);
        if (*p->at < '0' || *p->at > '5')
            return bad(p, "a barrier, 0 to 5, is expected here");
        bits |= 1u << (*p->at++ - '0');
        skip_blanks(p);
    } while (take(p, ","));
    set(p, 0, 6, bits);
    return take(p, "}") || bad(p, "'}' is missing");
}

/* A register, or a number that sets bit @p flag. */
static bool take_either(struct parse *p, unsigned reg_pos, unsigned pos, unsigned width,
                        unsigned flag)
{
    unsigned reg;
    uint64_t bits;
    if (*p->at == 'R') {
        if (!take_register(p, &reg))
            return false;
        set(p, reg_pos, 8, reg);
        set(p, flag, 1, 0);
        return true;
    }
    if (!take_bits(p, width, false, &bits))
        return false;
    set(p, pos, width, bits);
    set(p, flag, 1, 1);
    return true;
}

/* The longest name of a field that stands at p->at. */
static bool match_name(struct parse *p, const struct sm_field *f, unsigned *value)
{
    size_t best = 0;
    for (unsigned i = 0; i < 1u << (f->width + f->high_width); i++) {
        size_t length = 0;
        const char *name = sm_field_name(f, i, &length);
        if (!name || length <= best || strncmp(p->at, name, length) != 0 ||
            !ends_word(p->at[length]))
            continue;
        best = length;
        *value = i;
    }
    p->at += best;
    return best > 0;
}

/* The value whose name is empty. */
static bool empty_name(const struct sm_field *f, unsigned *value)
{
    for (unsigned i = 0; i < 1u << (f->width + f->high_width); i++) {
        size_t length = 1;
        const char *name = sm_field_name(f, i, &length);
        if (name && !length) {
            *value = i;
            return true;
        }
    }
    return false;
}

static bool take_modifier(struct parse *p, enum sm_field_id id)
{
    unsigned value = 0;
    const char *start = p->at;
    if (take(p, ".") && match_name(p, &sm_fields[id], &value)) {
        set_field(p, id, value);
        return true;
    }
    p->at = start;
    if (!empty_name(&sm_fields[id], &value)) {
        char why[160];
        snprintf(why, sizeof why, "a modifier is missing here, one of %s", sm_fields[id].names);
        return bad(p, why);
    }
    set_field(p, id, value);
    return true;
}

/* ".T" and ".P" of a texture instruction. */
static bool take_phase(struct parse *p)
{
    p->phase = true;
    for (unsigned i = 0; i < 2; i++) {
        const char *start = p->at;
        if (take(p, i ? ".P" : ".T") && ends_word(*p->at))
            p->reuse |= 1u << i;
        else
            p->at = start;
    }
    return true;
}

/* ".U16" of a video instruction. */
static bool take_type(struct parse *p, bool b, bool may_have_sign)
{
    static const struct {
        const char *name;
        enum sm_video_size size;
    } sizes[] = {{"8", SM_VIDEO_BYTE}, {"16", SM_VIDEO_HALF}, {"32", SM_VIDEO_WORD}};
    const char *start = p->at;
    const char sign = *start == '.' ? start[1] : 0;
    for (unsigned i = 0; sign == 'U' || (sign == 'S' && may_have_sign) ? i < 3 : false; i++) {
        const size_t length = strlen(sizes[i].name);
        if (strncmp(start + 2, sizes[i].name, length) != 0 || !ends_word(start[2 + length]))
            continue;
        p->at = start + 2 + length;
        set(p, b ? 28 : 36, 3, sizes[i].size);
        if (!b || may_have_sign)
            set(p, b ? 49 : 48, 1, sign == 'S');
        return true;
    }
    return bad(p, may_have_sign ? "a type is missing here, one of .U8 to .U32, .S8 to .S32"
                                : "a type is missing here, one of .U8, .U16, .U32");
}

/* The types of a video instruction: two, or none for signed words. */
static bool take_types(struct parse *p, const struct sm_item *item)
{
    const char *at = p->at;
    const bool typed =
        *at == '.' && (at[1] == 'U' || at[1] == 'S') && isdigit((unsigned char)at[2]);
    set(p, 50, 1, 1);
    if (typed || item->b_is_unsigned)
        return take_type(p, false, true) && take_type(p, true, !item->b_is_unsigned);
    p->no_types = true;
    set(p, 36, 3, SM_VIDEO_WORD);
    set(p, 28, 3, SM_VIDEO_WORD);
    set(p, 48, 2, 3);
    return true;
}

/* B of a video instruction: its bit 50 says that it is a register. */
static bool take_video(struct parse *p)
{
    unsigned number;
    uint64_t bits;
    const char *start = p->at;
    if (*p->at == 'R') {
        if (!take_register(p, &number))
            return false;
        set(p, 20, 8, number);
        return true;
    }
    if (!take_bits(p, 16, sm_video_signed(p->word, true) && *p->at == '-', &bits))
        return false;
    if (sm_video_signed(p->word, true) && *start != '-' && bits >> 15) {
        p->at = start;
        return bad(p, "this does not fit 16 bits with a sign");
    }
    if (!p->no_types && sm_video_size(p->word, true) != SM_VIDEO_HALF) {
        p->at = start;
        return bad(p, "an integer has 16 bits: .U16 or .S16 is its type");
    }
    set(p, 50, 1, 0);
    set(p, 20, 16, bits);
    return true;
}

/* The shape of TEXS and TLDS, whose bits say the modifier, too. */
static bool take_shape(struct parse *p, enum sm_field_id shape)
{
    const enum sm_field_id mode = shape == SM_F_texsd53 ? SM_F_texs53 : SM_F_tlds53;
    size_t had_length = 0, length = 0;
    const char *had = sm_field_name(&sm_fields[mode], sm_field_value(p->word, mode), &had_length);
    const char *start = p->at;
    for (unsigned i = 0; i < 16; i++) {
        const char *name = sm_field_name(&sm_fields[mode], i, &length);
        if (!name || length != had_length || strncmp(name, had, length) != 0)
            continue;
        name = sm_field_name(&sm_fields[shape], i, &length);
        if (!name || strncmp(start, name, length) != 0 || !ends_word(start[length]))
            continue;
        set_field(p, shape, i);
        p->at = start + length;
        return true;
    }
    return bad(p, "no such shape with these modifiers (1D, 2D, 3D, ARRAY_2D, CUBE)");
}

static bool take_operand(struct parse *p, const struct sm_item *item)
{
    unsigned number = 0;
    uint64_t bits;
    switch (item->what) {
    case 'd':
        if (!take_register(p, &number))
            return false;
        set(p, 0, 8, number);
        return true;
    case 'D':
    case 'B': {
        const char *start = p->at;
        const bool wide = item->has_part && sm_field_value(p->word, item->part);
        const unsigned reg = (unsigned)sm_bits(p->word, item->what == 'D' ? 0 : 20, 8);
        const unsigned want = item->what == 'D' || reg == 255 ? reg : (reg + (wide ? 2 : 1)) & 255;
        if (!take_register(p, &number))
            return false;
        if (number == want)
            return true;
        p->at = start;
        return bad(p, item->what == 'D' ? "this must be the destination register"
                                        : "this must be the register behind the operand before");
    }
    case 'a':
        if (!take_register(p, &number))
            return false;
        set(p, 8, 8, number);
        return true;
    case 'A':
        if (!take(p, "["))
            return bad(p, "an address ([R2]) is expected here");
        if (!take_register(p, &number))
            return false;
        set(p, 8, 8, number);
        return take(p, "]") || bad(p, "']' is missing");
    case 'b':
    case 'n':
    case 'f':
    case 'g':
        return take_b(p, item->what);
    case 'c':
        if (p->form == SM_FORM_RC)
            return take_constant(p, 34, 2, 14);
        if (!take_register(p, &number))
            return false;
        set(p, 39, 8, number);
        return true;
    case 'r':
    case 'R':
        if (!take_register(p, &number))
            return false;
        set(p, item->pos, 8, number);
        return true;
    case 'v':
        return take_video(p);
    case 'T':
        return take_shape(p, item->part);
    case 'C':
        if (!match_name(p, &sm_fields[sm_components(p->word)], &number))
            return bad(p, sm_fields[sm_components(p->word)].names);
        set_field(p, SM_F_some50, number);
        return true;
    case 'F':
        if (!take_floating(p, false, &bits))
            return false;
        set(p, 20, 32, bits);
        return true;
    case 'p':
        if (!take_predicate(p, &number))
            return false;
        set(p, item->pos, 3, number);
        return true;
    case 'u':
        /* Words of 32 bits may be written with a sign. */
        if (!take_bits(p, item->width, item->width == 32 && *p->at == '-', &bits))
            return false;
        set(p, item->pos, item->width, bits);
        return true;
    case 's':
        if (item->width == 32 && *p->at != '-' ? !take_bits(p, 32, false, &bits)
                                               : !take_bits(p, item->width, true, &bits))
            return false;
        set(p, item->pos, item->width, bits);
        return true;
    case 'm':
        return take_memory(p, item);
    case 'k':
        return take_bank(p);
    case 't':
        return take_target(p);
    case 'K':
        if (strncmp(p->at, "c[", 2) != 0)
            return bad(p, "a target, or constant memory that has it, is expected here");
        return take_target(p);
    case 'Z':
        return take_swizzle(p);
    case 'w':
    case 'W':
        if (!take_register(p, &number))
            return false;
        set(p, 8, 8, number);
        skip_blanks(p);
        if (*p->at != '-' && !isdigit((unsigned char)*p->at))
            return true;
        if (!take_bits(p, item->width, true, &bits))
            return false;
        set(p, 20, item->width, bits);
        return true;
    case 'S':
        return take_special(p);
    case 'h':
        return take_either(p, 20, 20, 5, 28);
    case 'H':
        return take_either(p, 39, 34, 13, 29);
    case 'y':
        return take_either(p, 8, 8, 8, 44);
    case 'z':
        return take_either(p, 20, 20, 12, 43);
    case 'j':
        return take_barriers(p);
    case '[':
        if (!match_name(p, &sm_fields[item->field], &number))
            return bad(p, sm_fields[item->field].names);
        set_field(p, item->field, number);
        return true;
    case '\'': {
        char chars[16];
        snprintf(chars, sizeof chars, "%.*s", (int)item->length, item->chars);
        return take(p, chars) || bad(p, "'CC' is expected here");
    }
    default:
        assert(!"an operand that isa.def does not describe");
        return false;
    }
}

/* Whether operand A or B of a video instruction has such a part; others do. */
static bool fits_type(const struct parse *p, const struct sm_item *item, unsigned part)
{
    if (item->part != SM_F_part36 && item->part != SM_F_part28)
        return true;
    const bool b = item->part == SM_F_part28;
    if (b && !(p->word >> 50 & 1))
        return false;
    return sm_video_size(p->word, b) == (part < SM_VIDEO_HALF ? SM_VIDEO_BYTE : SM_VIDEO_HALF);
}

static bool take_suffixes(struct parse *p, const struct sm_item *item, bool immediate)
{
    for (;;) {
        const char *start = p->at;
        unsigned value;
        if (*p->at != '.')
            return true;
        if (immediate && take(p, ".NEG") && item->neg != SM_NO_BIT) {
            set(p, item->neg, 1, 1);
        } else if (item->cc != SM_NO_BIT && take(p, ".CC")) {
            set(p, item->cc, 1, 1);
        } else if (take(p, ".reuse")) {
            const unsigned slot = item->what == 'a'                            ? 0
                                  : strchr("bnfgv", item->what)                ? 1
                                  : item->what == 'c' && p->form != SM_FORM_RC ? 2
                                                                               : 3;
            if (slot == 3 || p->phase) {
                p->at = start;
                return bad(p, "this operand cannot be kept for reuse");
            }
            p->reuse |= 1u << slot;
        } else if (item->has_part && item->part == SM_F_part41 && take(p, ".H1")) {
            set_field(p, item->part, 2);
        } else if (item->has_part && take(p, ".") &&
                   match_name(p, &sm_fields[item->part], &value) && fits_type(p, item, value)) {
            set_field(p, item->part, value);
        } else {
            p->at = start;
            return bad(p, "this modifier does not belong here");
        }
        if (!ends_word(*p->at))
            return bad(p, "this modifier does not belong here");
    }
}

/* An operand with what stands around it. */
static bool take_whole(struct parse *p, const struct sm_item *item)
{
    const bool immediate = sm_item_is_immediate(item, p->form);
    bool bars = false;
    if (item->neg != SM_NO_BIT && *p->at == '-' && !immediate) {
        p->at++;
        set(p, item->neg, 1, 1);
    }
    if (item->inv != SM_NO_BIT && *p->at == (item->what == 'p' ? '!' : '~')) {
        p->at++;
        set(p, item->inv, 1, 1);
    }
    if (item->abs != SM_NO_BIT && *p->at == '|') {
        p->at++;
        bars = true;
        set(p, item->abs, 1, 1);
    }
    if (!take_operand(p, item))
        return false;
    if (bars && !take(p, "|"))
        return bad(p, "'|' is missing");
    return take_suffixes(p, item, immediate);
}

/* The default of an operand that is left out. */
static void set_fallback(struct parse *p, const struct sm_item *item)
{
    switch (item->what) {
    case 'd':
        set(p, 0, 8, 255);
        break;
    case 'j':
        set(p, 0, 6, 0);
        break;
    case 'z':
        set(p, 43, 1, 1);
        set(p, 20, 12, 0);
        break;
    default:
        set(p, item->pos, item->width, item->fallback);
        break;
    }
}

static bool take_test(struct parse *p, bool *taken)
{
    unsigned value;
    *taken = false;
    set(p, 0, 5, 15);
    if (strncmp(p->at, "CC.", 3) != 0)
        return true;
    p->at += 3;
    if (!match_name(p, &sm_fields[SM_F_ccop8], &value))
        return bad(p, "a test of the condition code (CC.NE) is expected here");
    set(p, 0, 5, value);
    *taken = true;
    return true;
}

/* An operand with the comma before it; one that may be left out may fail. */
static bool take_next(struct parse *p, const struct sm_item *item, bool *first)
{
    const struct parse before = *p;
    bool taken = true;
    skip_blanks(p);
    if (item->what == 'x') {
        if (!take_test(p, &taken))
            return false;
        *first = *first && !taken;
        return true;
    }
    bool good = *first || take(p, ",") || bad(p, "',' and another operand are missing");
    skip_blanks(p);
    good = good && take_whole(p, item);
    if (good) {
        *first = false;
        return true;
    }
    if (!item->optional || p->undefined)
        return false;
    const struct parse failed = *p;
    *p = before;
    p->farthest = failed.farthest;
    memcpy(p->why, failed.why, sizeof p->why);
    set_fallback(p, item);
    return true;
}

/* Reports the text where the operands should begin: a modifier that does not belong there, or no
 * modifier of any instruction. */
static bool bad_modifier(struct parse *p)
{
    char why[80];
    const size_t length = strcspn(p->at, " ;\t,") % 40;
    unsigned value;
    bool known = false;
    for (unsigned id = 0; *p->at == '.' && id < SM_FIELDS && !known; id++) {
        struct parse after = *p;
        after.at++;
        known = match_name(&after, &sm_fields[id], &value);
    }
    snprintf(why, sizeof why, known ? "'%.*s' does not belong here" : "there is no modifier '%.*s'",
             (int)length, p->at);
    return bad(p, why);
}

static bool parse_row(struct parse *p, const struct sm_row *row)
{
    const char *at = row->text + (*row->text == '!'), *start = p->at;
    bool in_operands = false, first = true, begun = false;
    for (;;) {
        const struct sm_item item = sm_item_next(&at, &in_operands);
        char chars[24];
        switch (item.kind) {
        case SM_ITEM_END:
            skip_blanks(p);
            if (*p->at == ';')
                p->at++;
            skip_blanks(p);
            return !*p->at || bad(p, "this does not belong to the instruction");
        case SM_ITEM_CHARS:
            snprintf(chars, sizeof chars, "%.*s", (int)item.length, item.chars);
            if (!take(p, chars) || !ends_word(*p->at)) {
                char why[60];
                snprintf(why, sizeof why, "there is no instruction '%.*s'",
                         (int)(strcspn(start, " ;\t") % 32), start);
                return bad(p, why);
            }
            break;
        case SM_ITEM_FIELD:
            if (!take_modifier(p, item.field))
                return false;
            break;
        case SM_ITEM_PHASE:
            take_phase(p);
            break;
        case SM_ITEM_TYPES:
            if (!take_types(p, &item))
                return false;
            break;
        case SM_ITEM_OPERAND:
            if (!begun && *p->at && *p->at != ' ' && *p->at != '\t' && *p->at != ';')
                return bad_modifier(p);
            begun = true;
            if (!take_next(p, &item, &first))
                return false;
            break;
        }
    }
}

/* "@!P0 ": the predicate's four bits; 7 where there is none. */
static bool take_guard(struct parse *p, unsigned *guard)
{
    unsigned number;
    *guard = 7;
    skip_blanks(p);
    if (!take(p, "@"))
        return true;
    const bool inverted = take(p, "!");
    if (!take_predicate(p, &number))
        return false;
    *guard = number | (inverted ? 8u : 0);
    skip_blanks(p);
    return true;
}

/* Whether the row's mnemonic begins as the text does: up to the first modifier. */
static bool may_be(const struct sm_row *row, const char *text)
{
    const char *name = row->text + (*row->text == '!');
    const size_t length = strcspn(name, ".[{ ");
    return strncmp(name, text, length) == 0 && ends_word(text[length]);
}

/* Whether what stands where the parse failed looks like operand B of the form that was tried. */
static bool is_meant(const struct parse *p)
{
    const char c = *p->farthest;
    switch (p->form) {
    case SM_FORM_C:
        return c == 'c';
    case SM_FORM_I:
        return isdigit((unsigned char)c) || c == '-';
    default:
        return c == 'R';
    }
}

enum wt_status sm_assemble(const char *text, uint64_t pc, sm_label_fn label, void *context,
                           uint64_t *word, unsigned *reuse, size_t *column, struct wt_error *err)
{
    struct parse start = {.text = text, .at = text, .pc = pc, .label = label, .context = context};
    unsigned guard;
    bool known = false;
    if (!take_guard(&start, &guard)) {
        *column = (size_t)(start.farthest - text);
        return wt_fail(err, WT_INVALID, "%s", start.why);
    }
    struct parse best = start;
    for (unsigned i = 0; i < SM_INSNS; i++) {
        const struct sm_row *row = &sm_rows[i];
        if (!may_be(row, start.at))
            continue;
        known = true;
        for (unsigned form = 0; form < SM_FORMS; form++) {
            if (!row->word[form])
                continue;
            struct parse p = start;
            p.form = (enum sm_form)form;
            p.word = row->word[form];
            if (*row->text != '!')
                p.word |= (uint64_t)guard << 16;
            else if (guard != 7) {
                bad(&p, "this instruction takes no predicate");
                best = p;
                continue;
            }
            if (parse_row(&p, row)) {
                *word = p.word;
                *reuse = p.reuse;
                return WT_OK;
            }
            if (!best.farthest || p.farthest > best.farthest ||
                (p.farthest == best.farthest && is_meant(&p)))
                best = p;
        }
    }
    if (!known) {
        *column = (size_t)(start.at - text);
        const struct sm_refused *refused = sm_refused_name(start.at, strcspn(start.at, " .;\t"));
        if (refused)
            return wt_fail(err, WT_UNSUPPORTED, "%s is not in the table: %s", refused->name,
                           refused->why);
        return wt_fail(err, WT_INVALID, "there is no instruction '%.*s'",
                       (int)(strcspn(start.at, " .;\t") % 32), start.at);
    }
    *column = (size_t)(best.farthest - text);
    return wt_fail(err, WT_INVALID, "%s", best.why);
}
