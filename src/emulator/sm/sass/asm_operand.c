/* The text of operands and modifiers to bits of the instruction word. See asm.h. */
#include "emulator/sm/sass/asm.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sm_asm_blanks(struct sm_asm *p)
{
    while (*p->at == ' ' || *p->at == '\t')
        p->at++;
}

bool sm_asm_take(struct sm_asm *p, const char *chars)
{
    const size_t length = strlen(chars);
    if (strncmp(p->at, chars, length) != 0)
        return false;
    p->at += length;
    return true;
}

bool sm_asm_ends_word(char c)
{
    return !isalnum((unsigned char)c) && c != '_';
}

void sm_asm_set(struct sm_asm *p, unsigned pos, unsigned width, uint64_t value)
{
    const uint64_t mask = ((UINT64_C(1) << width) - 1) << pos;
    p->word = (p->word & ~mask) | (value << pos & mask);
}

void sm_asm_set_field(struct sm_asm *p, enum sm_field_id id, unsigned value)
{
    const struct sm_field *f = &sm_fields[id];
    sm_asm_set(p, f->pos, f->width, value);
    if (f->high_width)
        sm_asm_set(p, f->high_pos, f->high_width, value >> f->width);
}

/* ---- pieces ---- */

static bool take_register(struct sm_asm *p, unsigned *number)
{
    const char *at = p->at;
    if (*at != 'R')
        return sm_asm_bad(p, "a register (R0 to R254, RZ) is expected here");
    if (at[1] == 'Z' && sm_asm_ends_word(at[2])) {
        *number = 255;
        p->at += 2;
        return true;
    }
    char *end;
    const unsigned long value = isdigit((unsigned char)at[1]) ? strtoul(at + 1, &end, 10) : 999;
    if (value > 254 || !sm_asm_ends_word(*end))
        return sm_asm_bad(p, "a register (R0 to R254, RZ) is expected here");
    *number = (unsigned)value;
    p->at = end;
    return true;
}

bool sm_asm_predicate(struct sm_asm *p, unsigned *number)
{
    const char *at = p->at;
    if (*at != 'P' || !sm_asm_ends_word(at[at[1] ? 2 : 1]) ||
        !(at[1] == 'T' || (at[1] >= '0' && at[1] <= '6')))
        return sm_asm_bad(p, "a predicate (P0 to P6, PT) is expected here");
    *number = at[1] == 'T' ? 7 : (unsigned)(at[1] - '0');
    p->at += 2;
    return true;
}

/* A whole number with or without a sign. */
static bool take_integer(struct sm_asm *p, int64_t *value)
{
    const char *at = p->at;
    const bool negative = *at == '-';
    char *end;
    at += negative;
    if (!isdigit((unsigned char)*at))
        return sm_asm_bad(p, "a number is expected here");
    errno = 0;
    const unsigned long long number = strtoull(at, &end, 0);
    if (errno || number > INT64_MAX || !sm_asm_ends_word(*end))
        return sm_asm_bad(p, "this is not a number");
    *value = negative ? -(int64_t)number : (int64_t)number;
    p->at = end;
    return true;
}

/* A number that fits so many bits, signed or not. */
static bool take_bits(struct sm_asm *p, unsigned width, bool is_signed, uint64_t *bits)
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
        return sm_asm_bad(p, why);
    }
    *bits = (uint64_t)value & ((UINT64_C(1) << width) - 1);
    return true;
}

/* A floating-point number: its bits, of a double or a float. */
static bool take_floating(struct sm_asm *p, bool is_double, uint64_t *bits)
{
    char *end;
    double number;
    const char *at = p->at;
    if (at[0] == '0' && at[1] == (is_double ? 'd' : 'f') && isxdigit((unsigned char)at[2])) {
        errno = 0;
        *bits = strtoull(at + 2, &end, 16);
        if (errno || end - at != (is_double ? 18 : 10) || !sm_asm_ends_word(*end))
            return sm_asm_bad(p, "0f takes 8 hexadecimal digits, 0d takes 16");
        p->at = end;
        return true;
    }
    const char *digit = at + (*at == '+' || *at == '-');
    if (strncmp(digit, "INF", 3) == 0) {
        number = *at == '-' ? -INFINITY : INFINITY;
        end = (char *)digit + 3;
    } else {
        if (!isdigit((unsigned char)*digit) && *digit != '.')
            return sm_asm_bad(p, "a floating-point number is expected here");
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

/* Reads the number of a constant bank, with its brackets: "c[0x3][". The error says @p expected
 * where there is no "c[". */
static bool take_bank(struct sm_asm *p, const char *expected, uint64_t *bank)
{
    if (!sm_asm_take(p, "c["))
        return sm_asm_bad(p, expected);
    if (!take_bits(p, 5, false, bank))
        return false;
    if (!sm_asm_take(p, "]"))
        return sm_asm_bad(p, "']' is missing");
    sm_asm_blanks(p);
    return sm_asm_take(p, "[") || sm_asm_bad(p, "'[' is missing");
}

static bool take_constant(struct sm_asm *p, unsigned bank_pos, unsigned shift, unsigned width)
{
    const char *start = p->at;
    uint64_t bank, offset;
    if (!take_bank(p, "constant memory (c[0x0][0x140]) is expected here", &bank) ||
        !take_bits(p, width + shift, false, &offset))
        return false;
    if (!sm_asm_take(p, "]"))
        return sm_asm_bad(p, "']' is missing");
    if (offset & ((UINT64_C(1) << shift) - 1)) {
        p->at = start;
        return sm_asm_bad(p, "the offset into constant memory must be a multiple of 4");
    }
    sm_asm_set(p, bank_pos, 5, bank);
    sm_asm_set(p, 20, width, offset >> shift);
    return true;
}

/* ---- operands ---- */

static bool take_immediate(struct sm_asm *p, char what)
{
    uint64_t bits;
    const char *start = p->at;
    if (what == 'f' || what == 'g') {
        const unsigned shift = what == 'f' ? 12 : 44;
        if (!take_floating(p, what == 'g', &bits))
            return false;
        if (bits & ((UINT64_C(1) << shift) - 1)) {
            p->at = start;
            return sm_asm_bad(p, "this number needs more than the 20 bits that there are");
        }
        bits >>= shift;
    } else if (what == 'n') {
        /* Written without a sign by NVIDIA's tools; people write it with one, too. */
        if (*start == '-' ? !take_bits(p, 20, true, &bits) : !take_bits(p, 20, false, &bits))
            return false;
    } else if (!take_bits(p, 20, true, &bits)) {
        return false;
    }
    sm_asm_set(p, 20, 19, bits);
    sm_asm_set(p, 56, 1, bits >> 19);
    return true;
}

static bool take_b(struct sm_asm *p, char what)
{
    unsigned reg;
    switch (p->form) {
    case SM_FORM_R:
    case SM_FORM_RC:
        if (!take_register(p, &reg))
            return false;
        sm_asm_set(p, p->form == SM_FORM_R ? 20 : 39, 8, reg);
        return true;
    case SM_FORM_C:
        return take_constant(p, 34, 2, 14);
    default:
        return take_immediate(p, what);
    }
}

/* "R2+0x8", "R2+-0x8", "R2", "0x8": register to bit 8, offset in units of @p unit to @p pos. */
static bool take_place(struct sm_asm *p, unsigned pos, unsigned width, unsigned unit)
{
    unsigned reg = 255;
    uint64_t bits = 0;
    bool offset = true;
    if (*p->at == 'R') {
        if (!take_register(p, &reg))
            return false;
        sm_asm_blanks(p);
        offset = sm_asm_take(p, "+") || *p->at == '-';
        sm_asm_blanks(p);
    }
    const char *start = p->at;
    const unsigned shift = unit == 4 ? 2 : 0;
    if (offset && !take_bits(p, width + shift, true, &bits))
        return false;
    if (bits % unit) {
        p->at = start;
        return sm_asm_bad(p, "the offset must be a multiple of 4");
    }
    sm_asm_set(p, 8, 8, reg);
    sm_asm_set(p, pos, width, bits >> shift);
    return true;
}

static bool take_memory(struct sm_asm *p, const struct sm_item *item)
{
    if (!sm_asm_take(p, "["))
        return sm_asm_bad(p, "an address ([R2+0x8]) is expected here");
    sm_asm_blanks(p);
    if (!take_place(p, item->pos, item->width, item->pos == 22 || item->pos == 30 ? 4 : 1))
        return false;
    sm_asm_blanks(p);
    return sm_asm_take(p, "]") || sm_asm_bad(p, "']' is missing");
}

static bool take_bank_and_place(struct sm_asm *p)
{
    uint64_t bank;
    if (!take_bank(p, "constant memory (c[0x0][R2+0x8]) is expected here", &bank))
        return false;
    sm_asm_set(p, 36, 5, bank);
    return take_place(p, 20, 16, 1) && (sm_asm_take(p, "]") || sm_asm_bad(p, "']' is missing"));
}

/* "ZPPPZPPP": the signs of A and B for lanes 0 to 3 of each four. */
static bool take_swizzle(struct sm_asm *p)
{
    for (unsigned lane = 0; lane < 4; lane++) {
        unsigned signs = 0;
        while (signs < SM_SWIZZLES && strncmp(p->at, sm_swizzles[signs], 2) != 0)
            signs++;
        if (signs == SM_SWIZZLES)
            return sm_asm_bad(p,
                              "four of PP, NP, PN, ZP are expected here, as one word (ZPPPZPPP)");
        sm_asm_set(p, 34 - 2 * lane, 2, signs);
        p->at += 2;
    }
    return true;
}

static bool take_target(struct sm_asm *p)
{
    uint64_t target;
    int64_t number;
    const char *start = p->at;
    if (strncmp(p->at, "c[", 2) == 0) {
        sm_asm_set(p, 5, 1, 1);
        return take_constant(p, 36, 0, 16);
    }
    const bool quoted = sm_asm_take(p, "`(");
    if (isdigit((unsigned char)*p->at)) {
        if (!take_integer(p, &number))
            return false;
        target = (uint64_t)number;
    } else {
        const char *name = p->at;
        while (isalnum((unsigned char)*p->at) || strchr("._$", *p->at ? *p->at : ' '))
            p->at++;
        if (p->at == name)
            return sm_asm_bad(p, "a label or an address is expected here");
        if (!p->label || !p->label(p->context, name, (size_t)(p->at - name), &target)) {
            char why[120];
            snprintf(why, sizeof why, "there is no label '%.*s'",
                     (int)(p->at - name < 64 ? p->at - name : 64), name);
            p->at = name;
            p->undefined = true;
            return sm_asm_bad(p, why);
        }
    }
    if (quoted && !sm_asm_take(p, ")"))
        return sm_asm_bad(p, "')' is missing");
    const int64_t distance = (int64_t)(target - (p->pc + 8));
    if (distance < -(1 << 23) || distance >= 1 << 23) {
        p->at = start;
        return sm_asm_bad(p, "the target is too far away: 24 bits with a sign are there for it");
    }
    sm_asm_set(p, 20, 24, (uint64_t)distance);
    return true;
}

static bool take_special(struct sm_asm *p)
{
    unsigned number;
    if (!sm_asm_take(p, "SR"))
        return sm_asm_bad(p, "a special register (SR_TID.X) is expected here");
    const char *name = p->at + 1;
    if (isdigit((unsigned char)*p->at)) {
        char *end;
        number = (unsigned)strtoul(p->at, &end, 10);
        if (number > 255 || !sm_asm_ends_word(*end))
            return sm_asm_bad(p, "there is no such special register");
        p->at = end;
        sm_asm_set(p, 20, 8, number);
        return true;
    }
    size_t length = 0;
    while (isalnum((unsigned char)name[length]) || name[length] == '_' || name[length] == '.')
        length++;
    if (*p->at != '_' || !sm_special_number(name, length, &number))
        return sm_asm_bad(p, "there is no such special register");
    p->at = name + length;
    sm_asm_set(p, 20, 8, number);
    return true;
}

static bool take_barriers(struct sm_asm *p)
{
    unsigned bits = 0;
    if (!sm_asm_take(p, "{"))
        return sm_asm_bad(p, "a list of barriers ({1,0}) is expected here");
    if (sm_asm_take(p, "}")) {
        sm_asm_set(p, 0, 6, 0);
        return true;
    }
    do {
        sm_asm_blanks(p);
        if (*p->at < '0' || *p->at > '5')
            return sm_asm_bad(p, "a barrier, 0 to 5, is expected here");
        bits |= 1u << (*p->at++ - '0');
        sm_asm_blanks(p);
    } while (sm_asm_take(p, ","));
    sm_asm_set(p, 0, 6, bits);
    return sm_asm_take(p, "}") || sm_asm_bad(p, "'}' is missing");
}

/* A register, or a number that sets bit @p flag. */
static bool take_either(struct sm_asm *p, unsigned reg_pos, unsigned pos, unsigned width,
                        unsigned flag)
{
    unsigned reg;
    uint64_t bits;
    if (*p->at == 'R') {
        if (!take_register(p, &reg))
            return false;
        sm_asm_set(p, reg_pos, 8, reg);
        sm_asm_set(p, flag, 1, 0);
        return true;
    }
    if (!take_bits(p, width, false, &bits))
        return false;
    sm_asm_set(p, pos, width, bits);
    sm_asm_set(p, flag, 1, 1);
    return true;
}

bool sm_asm_name(struct sm_asm *p, const struct sm_field *f, unsigned *value)
{
    size_t best = 0;
    for (unsigned i = 0; i < 1u << (f->width + f->high_width); i++) {
        size_t length = 0;
        const char *name = sm_field_name(f, i, &length);
        if (!name || length <= best || strncmp(p->at, name, length) != 0 ||
            !sm_asm_ends_word(p->at[length]))
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

bool sm_asm_modifier(struct sm_asm *p, enum sm_field_id id)
{
    unsigned value = 0;
    const char *start = p->at;
    if (sm_asm_take(p, ".") && sm_asm_name(p, &sm_fields[id], &value)) {
        sm_asm_set_field(p, id, value);
        return true;
    }
    p->at = start;
    if (!empty_name(&sm_fields[id], &value)) {
        char why[160];
        snprintf(why, sizeof why, "a modifier is missing here, one of %s", sm_fields[id].names);
        return sm_asm_bad(p, why);
    }
    sm_asm_set_field(p, id, value);
    return true;
}

bool sm_asm_phase(struct sm_asm *p)
{
    p->phase = true;
    for (unsigned i = 0; i < 2; i++) {
        const char *start = p->at;
        if (sm_asm_take(p, i ? ".P" : ".T") && sm_asm_ends_word(*p->at))
            p->reuse |= 1u << i;
        else
            p->at = start;
    }
    return true;
}

/* ".U16" of a video instruction, whose size stands at bit 36 (A) or 28 (B). */
static bool take_type(struct sm_asm *p, unsigned pos, bool may_have_sign)
{
    static const struct {
        const char *name;
        enum sm_video_size size;
    } sizes[] = {{"8", SM_VIDEO_BYTE}, {"16", SM_VIDEO_HALF}, {"32", SM_VIDEO_WORD}};
    const char *start = p->at;
    const char sign = *start == '.' ? start[1] : 0;
    for (unsigned i = 0; sign == 'U' || (sign == 'S' && may_have_sign) ? i < 3 : false; i++) {
        const size_t length = strlen(sizes[i].name);
        if (strncmp(start + 2, sizes[i].name, length) != 0 || !sm_asm_ends_word(start[2 + length]))
            continue;
        p->at = start + 2 + length;
        sm_asm_set(p, pos, 3, sizes[i].size);
        if (pos == 36 || may_have_sign)
            sm_asm_set(p, pos == 36 ? 48 : 49, 1, sign == 'S');
        return true;
    }
    return sm_asm_bad(p, may_have_sign ? "a type is missing here, one of .U8 to .U32, .S8 to .S32"
                                       : "a type is missing here, one of .U8, .U16, .U32");
}

bool sm_asm_types(struct sm_asm *p, const struct sm_item *item)
{
    const char *at = p->at;
    const bool typed =
        *at == '.' && (at[1] == 'U' || at[1] == 'S') && isdigit((unsigned char)at[2]);
    sm_asm_set(p, 50, 1, 1);
    if (typed || item->b_is_unsigned)
        return take_type(p, 36, true) && take_type(p, 28, !item->b_is_unsigned);
    p->no_types = true;
    sm_asm_set(p, 36, 3, SM_VIDEO_WORD);
    sm_asm_set(p, 28, 3, SM_VIDEO_WORD);
    sm_asm_set(p, 48, 2, 3);
    return true;
}

/* B of a video instruction: its bit 50 says that it is a register. */
static bool take_video(struct sm_asm *p)
{
    unsigned number;
    uint64_t bits;
    const char *start = p->at;
    if (*p->at == 'R') {
        if (!take_register(p, &number))
            return false;
        sm_asm_set(p, 20, 8, number);
        return true;
    }
    if (!take_bits(p, 16, sm_video_signed(p->word, true) && *p->at == '-', &bits))
        return false;
    if (sm_video_signed(p->word, true) && *start != '-' && bits >> 15) {
        p->at = start;
        return sm_asm_bad(p, "this does not fit 16 bits with a sign");
    }
    if (!p->no_types && sm_video_size(p->word, true) != SM_VIDEO_HALF) {
        p->at = start;
        return sm_asm_bad(p, "an integer has 16 bits: .U16 or .S16 is its type");
    }
    sm_asm_set(p, 50, 1, 0);
    sm_asm_set(p, 20, 16, bits);
    return true;
}

/* The shape of TEXS and TLDS, whose bits say the modifier, too. */
static bool take_shape(struct sm_asm *p, enum sm_field_id shape)
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
        if (!name || strncmp(start, name, length) != 0 || !sm_asm_ends_word(start[length]))
            continue;
        sm_asm_set_field(p, shape, i);
        p->at = start + length;
        return true;
    }
    return sm_asm_bad(p, "no such shape with these modifiers (1D, 2D, 3D, ARRAY_2D, CUBE)");
}

bool sm_asm_operand(struct sm_asm *p, const struct sm_item *item)
{
    unsigned number = 0;
    uint64_t bits;
    switch (item->what) {
    case 'd':
        if (!take_register(p, &number))
            return false;
        sm_asm_set(p, 0, 8, number);
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
        return sm_asm_bad(p, item->what == 'D'
                                 ? "this must be the destination register"
                                 : "this must be the register after the operand before");
    }
    case 'a':
        if (!take_register(p, &number))
            return false;
        sm_asm_set(p, 8, 8, number);
        return true;
    case 'A':
        if (!sm_asm_take(p, "["))
            return sm_asm_bad(p, "an address ([R2]) is expected here");
        if (!take_register(p, &number))
            return false;
        sm_asm_set(p, 8, 8, number);
        return sm_asm_take(p, "]") || sm_asm_bad(p, "']' is missing");
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
        sm_asm_set(p, 39, 8, number);
        return true;
    case 'r':
    case 'R':
        if (!take_register(p, &number))
            return false;
        sm_asm_set(p, item->pos, 8, number);
        return true;
    case 'v':
        return take_video(p);
    case 'T':
        return take_shape(p, item->part);
    case 'C':
        if (!sm_asm_name(p, &sm_fields[sm_components(p->word)], &number))
            return sm_asm_bad(p, sm_fields[sm_components(p->word)].names);
        sm_asm_set_field(p, SM_F_some50, number);
        return true;
    case 'F':
        if (!take_floating(p, false, &bits))
            return false;
        sm_asm_set(p, 20, 32, bits);
        return true;
    case 'p':
        if (!sm_asm_predicate(p, &number))
            return false;
        sm_asm_set(p, item->pos, 3, number);
        return true;
    case 'u':
        /* Words of 32 bits may be written with a sign. */
        if (!take_bits(p, item->width, item->width == 32 && *p->at == '-', &bits))
            return false;
        sm_asm_set(p, item->pos, item->width, bits);
        return true;
    case 's':
        if (item->width == 32 && *p->at != '-' ? !take_bits(p, 32, false, &bits)
                                               : !take_bits(p, item->width, true, &bits))
            return false;
        sm_asm_set(p, item->pos, item->width, bits);
        return true;
    case 'm':
        return take_memory(p, item);
    case 'k':
        return take_bank_and_place(p);
    case 't':
        return take_target(p);
    case 'K':
        if (strncmp(p->at, "c[", 2) != 0)
            return sm_asm_bad(p, "a target, or constant memory that has it, is expected here");
        return take_target(p);
    case 'Z':
        return take_swizzle(p);
    case 'w':
    case 'W':
        if (!take_register(p, &number))
            return false;
        sm_asm_set(p, 8, 8, number);
        sm_asm_blanks(p);
        if (*p->at != '-' && !isdigit((unsigned char)*p->at))
            return true;
        if (!take_bits(p, item->width, true, &bits))
            return false;
        sm_asm_set(p, 20, item->width, bits);
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
        if (!sm_asm_name(p, &sm_fields[item->field], &number))
            return sm_asm_bad(p, sm_fields[item->field].names);
        sm_asm_set_field(p, item->field, number);
        return true;
    case '\'': {
        char chars[16];
        snprintf(chars, sizeof chars, "%.*s", (int)item->length, item->chars);
        return sm_asm_take(p, chars) || sm_asm_bad(p, "'CC' is expected here");
    }
    default:
        assert(!"an operand that isa.def does not describe");
        return false;
    }
}
