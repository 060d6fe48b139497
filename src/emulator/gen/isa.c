/* The table of Gen9's instructions (isa.def) and of its operands' types. */
#include "emulator/gen/isa.h"

#include <string.h>

#include "emulator/machine/meaning_code.h"
#define STATEMENTS(...) __VA_ARGS__
#define I(id, name, opcode, format, allows, executor, integers, floats)                            \
    static const uint8_t integers_##id[] = {STATEMENTS integers WT_M_END},                         \
                         floats_##id[] = {STATEMENTS floats WT_M_END};
#include "emulator/gen/isa.def"
#undef I
#define M(id, number, name, ...) static const uint8_t math_##id[] = {__VA_ARGS__ WT_M_END};
#include "emulator/gen/math.def"
#undef M
#include "emulator/machine/meaning_end.h"

const struct gen_row gen_rows[GEN_INSNS] = {
#define I(id, name, opcode, format, allows, executor, ...)                                         \
    {name, opcode, GEN_FORMAT_##format, GEN_ALLOWS_##allows, {integers_##id, floats_##id}},
#include "emulator/gen/isa.def"
#undef I
};

const struct gen_row *gen_row_of(unsigned opcode)
{
    for (unsigned i = 0; i < GEN_INSNS; i++)
        if (gen_rows[i].opcode == opcode)
            return &gen_rows[i];
    return NULL;
}

static const struct {
    const char *name;
    const uint8_t *meaning;
} functions[16] = {
#define M(id, number, name, ...) [number] = {name, math_##id},
#include "emulator/gen/math.def"
#undef M
};

const char *gen_math_name(unsigned function)
{
    const char *name = functions[function & 15].name;
    return name ? name : "?";
}

const uint8_t *gen_math_meaning(unsigned function)
{
    return functions[function & 15].meaning;
}

bool gen_math_is_near(unsigned function)
{
    return functions[function & 15].name && (function < GEN_MATH_IDIV || function > GEN_MATH_IREM);
}

/* The compact form of an opcode; false if it has none. */
static bool form_of(const struct gen_word *w, enum gen_word_form *form)
{
    const struct gen_row *row = gen_row_of((unsigned)gen_field(w, 6, 0));
    *form = row && row->format == GEN_FORMAT_THREE ? GEN_WORD_THREE : GEN_WORD_BASIC;
    return row && (row->format == GEN_FORMAT_ONE || row->format == GEN_FORMAT_TWO ||
                   row->format == GEN_FORMAT_MATH || row->format == GEN_FORMAT_THREE);
}

bool gen_expand(const struct gen_word *compact, struct gen_word *native)
{
    enum gen_word_form form;
    *native = (struct gen_word){0};
    if (!form_of(compact, &form) || !gen_is_compact(compact))
        return false;
    gen_word_expand(form, compact, native);
    return true;
}

bool gen_compact(const struct gen_word *native, struct gen_word *compact)
{
    enum gen_word_form form;
    return form_of(native, &form) && !gen_is_compact(native) &&
           gen_word_compact(form, native, compact);
}

static const struct {
    const char *name;
    uint8_t size;
    bool is_float, is_signed;
} types[GEN_TYPES] = {
    [GEN_UD] = {"ud", 4, false, false}, [GEN_D] = {"d", 4, false, true},
    [GEN_UW] = {"uw", 2, false, false}, [GEN_W] = {"w", 2, false, true},
    [GEN_UB] = {"ub", 1, false, false}, [GEN_B] = {"b", 1, false, true},
    [GEN_DF] = {"df", 8, true, true},   [GEN_F] = {"f", 4, true, true},
    [GEN_UQ] = {"uq", 8, false, false}, [GEN_Q] = {"q", 8, false, true},
    [GEN_HF] = {"hf", 2, true, true},   [GEN_UV] = {"uv", 2, false, false},
    [GEN_V] = {"v", 2, false, true},    [GEN_VF] = {"vf", 4, true, true},
};

const char *gen_type_name(enum gen_type type)
{
    return type < GEN_TYPES ? types[type].name : "?";
}

unsigned gen_type_size(enum gen_type type)
{
    return type < GEN_TYPES ? types[type].size : 1;
}

unsigned gen_swizzled(const struct gen_operand *o, unsigned channel)
{
    /* Groups of two doubles: xy of the swizzle is the first one, zw the second. */
    if (gen_type_size(o->type) == 8 && o->swizzle != GEN_SWIZZLE_XYZW)
        return channel / 2 * 2 + (o->swizzle >> (4 * (channel % 2)) >> 1 & 1);
    return channel / 4 * o->vstride + (o->swizzle >> (2 * (channel % 4)) & 3);
}

uint32_t gen_written_channels(const struct gen_operand *dst)
{
    const uint32_t mask = dst->swizzle;
    if (gen_type_size(dst->type) == 8)
        return ((mask & 3 ? 1u : 0u) | (mask & 12 ? 2u : 0u)) * 0x55555555u;
    return mask * 0x11111111u;
}

bool gen_type_is_float(enum gen_type type)
{
    return type < GEN_TYPES && types[type].is_float;
}

bool gen_type_is_signed(enum gen_type type)
{
    return type < GEN_TYPES && types[type].is_signed;
}
