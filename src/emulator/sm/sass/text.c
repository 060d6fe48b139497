/* The text of instructions in NVIDIA's notation. See isa.h. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "emulator/sm/sass/isa.h"

/* A text that grows until it is full. */
struct out {
    char *at;
    size_t left;
};

__attribute__((format(printf, 2, 3))) static void put(struct out *o, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(o->at, o->left, format, arguments);
    va_end(arguments);
    const size_t used = n < 0 ? 0 : (size_t)n < o->left ? (size_t)n : o->left - 1;
    o->at += used;
    o->left -= used;
}

static void put_register(struct out *o, unsigned number)
{
    if (number == 255)
        put(o, "RZ");
    else
        put(o, "R%u", number);
}

static void put_signed(struct out *o, int64_t value)
{
    put(o, "%s0x%" PRIx64, value < 0 ? "-" : "", (uint64_t)(value < 0 ? -value : value));
}

static int64_t sign_extend(uint64_t value, unsigned width)
{
    const uint64_t top = UINT64_C(1) << (width - 1);
    return (int64_t)((value ^ top) - top);
}

/* From ten digits before the point on, NVIDIA's tools write an exponent. */
static void put_number(struct out *o, double value)
{
    put(o, fabs(value) < 1e9 ? "%.20g" : "%.20e", value);
}

static void put_float(struct out *o, uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    if (isnan(value))
        put(o, "0f%08" PRIx32, bits);
    else if (isinf(value))
        put(o, "%sINF", value < 0 ? "-" : "+");
    else
        put_number(o, (double)value);
}

static void put_double(struct out *o, uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    if (isnan(value))
        put(o, "0d%016" PRIx64, bits);
    else if (isinf(value))
        put(o, "%sINF", value < 0 ? "-" : "+");
    else
        put_number(o, value);
}

static void put_constant(struct out *o, uint64_t word)
{
    put(o, "c[0x%x][0x%x]", (unsigned)sm_bits(word, 34, 5), (unsigned)sm_bits(word, 20, 14) * 4);
}

/* Operand B of the forms that isa.def describes; false: it was an immediate. */
static bool put_b(struct out *o, uint64_t word, enum sm_form form, char what)
{
    const uint64_t sign = word >> 56 & 1, bits = sm_bits(word, 20, 19) | sign << 19;
    switch (form) {
    case SM_FORM_R:
        put_register(o, (unsigned)sm_bits(word, 20, 8));
        return true;
    case SM_FORM_RC:
        put_register(o, (unsigned)sm_bits(word, 39, 8));
        return true;
    case SM_FORM_C:
        put_constant(o, word);
        return true;
    default:
        if (what == 'f')
            put_float(o, (uint32_t)bits << 12);
        else if (what == 'g')
            put_double(o, bits << 44);
        else if (what == 'n')
            put(o, "0x%x", (unsigned)bits);
        else
            put_signed(o, sign_extend(bits, 20));
        return false;
    }
}

static void put_memory(struct out *o, unsigned reg, int64_t offset)
{
    if (reg == 255 && offset >= 0)
        put(o, offset ? "0x%" PRIx64 : "RZ", (uint64_t)offset);
    else {
        put_register(o, reg);
        if (offset) {
            put(o, "+");
            put_signed(o, offset);
        }
    }
}

static void put_test(struct out *o, unsigned test)
{
    size_t length = 0;
    const char *name = sm_field_name(&sm_fields[SM_F_ccop8], test, &length);
    put(o, "CC.%.*s", (int)length, name);
}

static void put_name(struct out *o, uint64_t word, enum sm_field_id id)
{
    size_t length = 0;
    const char *name = sm_field_name(&sm_fields[id], sm_field_value(word, id), &length);
    put(o, "%.*s", (int)length, name);
}

static void put_part(struct out *o, uint64_t word, char what, enum sm_field_id part)
{
    size_t length = 0;
    const unsigned value = sm_field_value(word, part);
    const char *name = sm_field_name(&sm_fields[part], value, &length);
    if (what == 'v' && !(word >> 50 & 1))
        return; /* an immediate has no parts */
    /* Halves and bytes are chosen by the same field, of the source's size. */
    if (what == 'b' && part == SM_F_part41 && value == 2 && SM_FIELD(word, isrc) % 4 == 1) {
        name = "H1";
        length = 2;
    }
    if (length)
        put(o, ".%.*s", (int)length, name);
}

static void put_barriers(struct out *o, unsigned set)
{
    bool first = true;
    put(o, "{");
    for (unsigned i = 6; i-- > 0;) {
        if (!(set >> i & 1))
            continue;
        put(o, "%s%u", first ? "" : ",", i);
        first = false;
    }
    put(o, "}");
}

static void put_target(struct out *o, uint64_t word, uint64_t pc)
{
    if (word >> 5 & 1)
        put(o, "c[0x%x][0x%x]", (unsigned)sm_bits(word, 36, 5), (unsigned)sm_bits(word, 20, 16));
    else
        put(o, "0x%" PRIx64, pc + 8 + (uint64_t)sign_extend(sm_bits(word, 20, 24), 24));
}

/* Whether an operand that may be left out has its default. */
static bool is_fallback(uint64_t word, const struct sm_item *item)
{
    switch (item->what) {
    case 'd':
        return sm_bits(word, 0, 8) == 255;
    case 'j':
        return sm_bits(word, 0, 6) == 0;
    case 'z':
        return sm_bits(word, 43, 1) && sm_bits(word, 20, 12) == 0;
    default:
        return sm_bits(word, item->pos, item->width) == item->fallback;
    }
}

static void put_reuse(struct out *o, unsigned reuse, unsigned operand)
{
    if (reuse >> operand & 1)
        put(o, ".reuse");
}

static bool has_bit(uint64_t word, uint8_t bit)
{
    return bit != SM_NO_BIT && word >> bit & 1;
}

/* The operand itself, without what stands around it; false: an immediate that takes ".NEG". */
static bool put_operand(struct out *o, uint64_t word, uint64_t pc, enum sm_form form,
                        const struct sm_item *item)
{
    const uint64_t value = sm_bits(word, item->pos, item->width ? item->width : 1);
    switch (item->what) {
    case 'd':
    case 'D':
        put_register(o, (unsigned)sm_bits(word, 0, 8));
        break;
    case 'a':
        put_register(o, (unsigned)sm_bits(word, 8, 8));
        break;
    case 'A':
        put(o, "[");
        put_register(o, (unsigned)sm_bits(word, 8, 8));
        put(o, "]");
        break;
    case 'b':
    case 'n':
    case 'f':
    case 'g':
        return put_b(o, word, form, item->what);
    case 'B': {
        const unsigned reg = (unsigned)sm_bits(word, 20, 8);
        const bool wide = item->has_part && sm_field_value(word, item->part);
        put_register(o, reg == 255 ? 255 : (reg + (wide ? 2 : 1)) & 255);
        break;
    }
    case 'c':
        if (form == SM_FORM_RC)
            put_constant(o, word);
        else
            put_register(o, (unsigned)sm_bits(word, 39, 8));
        break;
    case 'r':
    case 'R':
        put_register(o, (unsigned)value);
        break;
    case 'v':
        if (word >> 50 & 1)
            put_register(o, (unsigned)sm_bits(word, 20, 8));
        else
            put_signed(o, sm_video_signed(word, true) ? sign_extend(sm_bits(word, 20, 16), 16)
                                                      : (int64_t)sm_bits(word, 20, 16));
        break;
    case 'Z':
        for (unsigned lane = 0; lane < 4; lane++)
            put(o, "%s", sm_swizzles[sm_swizzle(word, lane)]);
        break;
    case 'T':
        put_name(o, word, item->part);
        break;
    case 'C':
        put_name(o, word, sm_components(word));
        break;
    case 'F':
        put_float(o, (uint32_t)sm_bits(word, 20, 32));
        break;
    case 'p':
        put(o, value == 7 ? "PT" : "P%u", (unsigned)value);
        break;
    case 'u':
        put(o, "0x%" PRIx64, value);
        break;
    case 's':
        put_signed(o, sign_extend(value, item->width));
        break;
    case 'm':
        put(o, "[");
        put_memory(o, (unsigned)sm_bits(word, 8, 8),
                   sign_extend(value, item->width) * (item->pos == 22 || item->pos == 30 ? 4 : 1));
        put(o, "]");
        break;
    case 'k':
        put(o, "c[0x%x][", (unsigned)sm_bits(word, 36, 5));
        put_memory(o, (unsigned)sm_bits(word, 8, 8), sign_extend(sm_bits(word, 20, 16), 16));
        put(o, "]");
        break;
    case 't':
    case 'K':
        put_target(o, word, pc);
        break;
    case 'w':
    case 'W':
        put_register(o, (unsigned)sm_bits(word, 8, 8));
        if (value) {
            put(o, " ");
            put_signed(o, sign_extend(value, item->width));
        }
        break;
    case 'S': {
        const char *name = sm_special_name((unsigned)sm_bits(word, 20, 8));
        if (name)
            put(o, "SR_%s", name);
        else
            put(o, "SR%u", (unsigned)sm_bits(word, 20, 8));
        break;
    }
    case 'h':
        if (word >> 28 & 1)
            put(o, "0x%x", (unsigned)sm_bits(word, 20, 5));
        else
            put_register(o, (unsigned)sm_bits(word, 20, 8));
        break;
    case 'H':
        if (word >> 29 & 1)
            put(o, "0x%x", (unsigned)sm_bits(word, 34, 13));
        else
            put_register(o, (unsigned)sm_bits(word, 39, 8));
        break;
    case 'y':
        if (word >> 44 & 1)
            put(o, "0x%x", (unsigned)sm_bits(word, 8, 8));
        else
            put_register(o, (unsigned)sm_bits(word, 8, 8));
        break;
    case 'z':
        if (word >> 43 & 1)
            put(o, "0x%x", (unsigned)sm_bits(word, 20, 12));
        else
            put_register(o, (unsigned)sm_bits(word, 20, 8));
        break;
    case 'j':
        put_barriers(o, (unsigned)sm_bits(word, 0, 6));
        break;
    case '[':
        put_name(o, word, item->field);
        break;
    case '\'':
        put(o, "%.*s", (int)item->length, item->chars);
        break;
    default:
        assert(!"an operand that isa.def does not describe");
    }
    return true;
}

/* Which operand of the register caches a letter is. */
static unsigned reuse_slot(uint64_t word, const struct sm_item *item, enum sm_form form)
{
    switch (item->what) {
    case 'a':
        return 0;
    case 'b':
    case 'n':
    case 'f':
    case 'g':
        return form == SM_FORM_R || form == SM_FORM_RC ? 1 : 3;
    case 'v':
        return word >> 50 & 1 ? 1 : 3;
    case 'c':
        return form == SM_FORM_RC ? 3 : 2;
    default:
        return 3;
    }
}

static void put_whole(struct out *o, uint64_t word, uint64_t pc, enum sm_form form, unsigned reuse,
                      const struct sm_item *item)
{
    const bool neg = has_bit(word, item->neg), abs = has_bit(word, item->abs);
    const bool immediate = sm_item_is_immediate(item, form);
    const unsigned slot = reuse_slot(word, item, form);
    if (neg && !immediate)
        put(o, "-");
    if (has_bit(word, item->inv))
        put(o, item->what == 'p' ? "!" : "~");
    if (abs)
        put(o, "|");
    put_operand(o, word, pc, form, item);
    if (abs)
        put(o, "|");
    if (neg && immediate)
        put(o, ".NEG");
    if (has_bit(word, item->cc))
        put(o, ".CC");
    if (item->has_part && item->what != 'B' && item->what != 'T')
        put_part(o, word, item->what, item->part);
    if (slot < 3)
        put_reuse(o, reuse, slot);
}

static void put_type(struct out *o, enum sm_video_size size, bool has_sign)
{
    static const char *const bits[] = {
        [SM_VIDEO_BYTE] = "8", [SM_VIDEO_HALF] = "16", [SM_VIDEO_WORD] = "32"};
    put(o, ".%c%s", has_sign ? 'S' : 'U', bits[size]);
}

/* The types of a video instruction; two signed words are not written. */
static void put_types(struct out *o, uint64_t word, const struct sm_item *item)
{
    const bool immediate = !(word >> 50 & 1);
    const bool sign_a = sm_video_signed(word, false);
    const bool sign_b = !item->b_is_unsigned && sm_video_signed(word, true);
    if (sign_a && sign_b && sm_video_size(word, false) == SM_VIDEO_WORD &&
        (immediate || sm_video_size(word, true) == SM_VIDEO_WORD))
        return;
    put_type(o, sm_video_size(word, false), sign_a);
    put_type(o, sm_video_size(word, true), sign_b);
}

static void put_instruction(struct out *o, uint64_t word, uint64_t pc, enum sm_insn insn,
                            enum sm_form form, unsigned reuse)
{
    const char *at = sm_rows[insn].text;
    bool in_operands = false, first = true;
    size_t length;
    if (*at == '!') {
        at++;
    } else if (sm_bits(word, 16, 4) != 7) {
        const unsigned p = (unsigned)sm_bits(word, 16, 3);
        put(o, "@%s", word >> 19 & 1 ? "!" : "");
        put(o, p == 7 ? "PT " : "P%u ", p);
    }
    for (;;) {
        const struct sm_item item = sm_item_next(&at, &in_operands);
        switch (item.kind) {
        case SM_ITEM_END:
            return;
        case SM_ITEM_CHARS:
            put(o, "%.*s", (int)item.length, item.chars);
            break;
        case SM_ITEM_FIELD: {
            const char *name =
                sm_field_name(&sm_fields[item.field], sm_field_value(word, item.field), &length);
            if (length)
                put(o, ".%.*s", (int)length, name);
            break;
        }
        case SM_ITEM_PHASE:
            put(o, "%s%s", reuse & 1 ? ".T" : "", reuse & 2 ? ".P" : "");
            reuse = 0; /* its registers are not kept */
            break;
        case SM_ITEM_TYPES:
            put_types(o, word, &item);
            break;
        case SM_ITEM_OPERAND:
            if ((item.optional && is_fallback(word, &item)) ||
                (item.what == 'x' && sm_bits(word, 0, 5) == 15))
                break;
            put(o, first ? " " : ", ");
            first = false;
            if (item.what == 'x')
                put_test(o, (unsigned)sm_bits(word, 0, 5));
            else
                put_whole(o, word, pc, form, reuse, &item);
            break;
        }
    }
}

void sm_disassemble(uint64_t word, uint64_t pc, unsigned reuse, char *text, size_t size)
{
    enum sm_insn insn;
    enum sm_form form;
    struct out o = {text, size};
    assert(size > 0);
    *text = 0;
    if (sm_decode(word, &insn, &form) && sm_fields_legal(word, insn))
        put_instruction(&o, word, pc, insn, form, reuse);
    else {
        const struct sm_refused *known = sm_refused_word(word);
        put(&o, ".quad 0x%016" PRIx64, word);
        if (known)
            put(&o, " /* %s */", known->name);
    }
}

static void put_barrier(struct out *o, const char *name, unsigned number)
{
    if (number == 7)
        put(o, ":%s-", name);
    else
        put(o, ":%s%u", name, number);
}

void sm_control_text(struct sm_control c, char *text, size_t size)
{
    struct out o = {text, size};
    put(&o, "[B");
    for (unsigned i = 0; i < 6; i++)
        put(&o, c.wait >> i & 1 ? "%u" : "-", i);
    put_barrier(&o, "R", c.read_barrier);
    put_barrier(&o, "W", c.write_barrier);
    put(&o, ":%c:S%02u]", c.yield ? '-' : 'Y', c.stall);
}
