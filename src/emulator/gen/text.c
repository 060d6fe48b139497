/* The text of instructions, in the form of Intel's iga64. */
#include "emulator/gen/isa.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text that grows until it is full. */
struct gen_text {
    char *at;
    size_t left, length;
};

static void add(struct gen_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct gen_text *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(t->at, t->left, format, arguments);
    va_end(arguments);
    if (n <= 0 || !t->left)
        return;
    const size_t done = (size_t)n < t->left ? (size_t)n : t->left - 1;
    t->at += done;
    t->left -= done;
    t->length += done;
}

/* Fills up to a column, with one blank at least. */
static void pad(struct gen_text *t, size_t column)
{
    add(t, " ");
    while (t->length < column && t->left > 1)
        add(t, " ");
}

static const char *const conditions[16] = {"",   "eq", "ne", "gt", "ge", "lt", "le", "?",
                                           "ov", "un", "?",  "?",  "?",  "?",  "?",  "?"};
static const char *const predicates[16] = {
    "",       "",       ".anyv",   ".allv",   ".any2h",  ".all2h",  ".any4h", ".all4h",
    ".any8h", ".all8h", ".any16h", ".all16h", ".any32h", ".all32h", "?",      "?"};
static const char *const align16_predicates[16] = {
    "", "", ".x", ".y", ".z", ".w", ".any4h", ".all4h", "?", "?", "?", "?", "?", "?", "?", "?"};

/* ---- registers ---- */

/* Names of architecture registers; those with `single` are one register without a number. */
static const struct {
    const char *name;
    bool single;
} arf_names[16] = {{"null", true}, {"a", false},   {"acc", false},    {"f", false},
                   {"ce", true},   {"msg", false}, {"sp", true},      {"sr", false},
                   {"cr", false},  {"n", false},   {"ip", true},      {"tdr", false},
                   {"tm", false},  {"fc", false},  {"arf14_", false}, {"dbg", false}};

/* Without its subregister. */
static void add_register(struct gen_text *t, const struct gen_operand *o)
{
    const unsigned kind = o->reg >> 4, number = o->reg & 15;
    if (o->file == GEN_GRF)
        add(t, "r%u", o->reg);
    else if (kind == GEN_ARF_ACC && number > 1)
        add(t, "mme%u", number - 2);
    else if (arf_names[kind].single)
        add(t, "%s", arf_names[kind].name);
    else
        add(t, "%s%u", arf_names[kind].name, number);
}

/* Whether its subregisters are written. */
static bool has_subregisters(const struct gen_operand *o)
{
    const unsigned kind = o->reg >> 4;
    return o->file == GEN_GRF ||
           (kind != GEN_ARF_NULL && kind != GEN_ARF_IP && (kind != GEN_ARF_CE || o->subreg));
}

/* iga64 counts the subregisters of some in bytes. */
static unsigned subregister_unit(const struct gen_operand *o)
{
    const unsigned kind = o->reg >> 4;
    const bool bytes = kind == GEN_ARF_CE || kind == GEN_ARF_MSG || kind == GEN_ARF_FC;
    return o->file == GEN_ARF && bytes ? 1 : gen_type_size(o->type);
}

static void add_place(struct gen_text *t, const struct gen_operand *o)
{
    if (o->indirect && o->offset)
        add(t, "r[a0.%u,%d]", o->subreg, o->offset);
    else if (o->indirect)
        add(t, "r[a0.%u]", o->subreg);
    else {
        add_register(t, o);
        if (has_subregisters(o))
            add(t, ".%u", o->subreg / subregister_unit(o));
    }
}

static void add_type(struct gen_text *t, const struct gen_operand *o)
{
    add(t, ":%s", gen_type_name(o->type));
}

static void add_mme(struct gen_text *t, const struct gen_operand *o)
{
    add_register(t, o);
    if (o->mme < GEN_NO_MME)
        add(t, ".mme%u", o->mme);
    else
        add(t, ".nomme");
}

static const char channel_names[] = "xyzw";

static void add_dst(struct gen_text *t, const struct gen_insn *insn)
{
    const struct gen_operand *o = &insn->dst;
    if (insn->saturate)
        add(t, "(sat)");
    if (o->mme != GEN_NO_MME || insn->row == &gen_rows[GEN_MADM]) {
        add_mme(t, o);
        add_type(t, o);
        return;
    }
    add_place(t, o);
    add(t, "<%u>", o->hstride);
    if (insn->align16 && o->swizzle != 15) {
        add(t, ".");
        for (unsigned i = 0; i < 4; i++)
            if (o->swizzle >> i & 1)
                add(t, "%c", channel_names[i]);
    }
    add_type(t, o);
}

static void add_swizzle(struct gen_text *t, const struct gen_operand *o)
{
    if (o->swizzle == 0xe4) /* each channel its own */
        return;
    add(t, ".");
    for (unsigned i = 0; i < 4; i++)
        add(t, "%c", channel_names[o->swizzle >> (2 * i) & 3]);
}

/* ---- immediates ---- */

static void add_nan(struct gen_text *t, bool negative, bool quiet, uint64_t payload)
{
    add(t, "%s%s(0x%" PRIX64 ")", negative ? "-" : "", quiet ? "qnan" : "snan", payload);
}

/* A number in a binary format: so many bits of exponent and fraction. */
static void add_float(struct gen_text *t, uint64_t bits, unsigned exponent_bits,
                      unsigned fraction_bits)
{
    const uint64_t fraction = bits & ((UINT64_C(1) << fraction_bits) - 1);
    const uint64_t top = (UINT64_C(1) << exponent_bits) - 1;
    const uint64_t exponent = bits >> fraction_bits & top;
    const bool negative = bits >> (fraction_bits + exponent_bits) & 1;
    char digits[40];
    double value;
    if (exponent == top && fraction) {
        const uint64_t quiet = UINT64_C(1) << (fraction_bits - 1);
        add_nan(t, negative, fraction & quiet, fraction & ~quiet);
        return;
    }
    if (exponent == top) {
        add(t, "%sinf", negative ? "-" : "");
        return;
    }
    value = exponent ? ldexp((double)(fraction | UINT64_C(1) << fraction_bits),
                             (int)exponent - (int)(top / 2) - (int)fraction_bits)
                     : ldexp((double)fraction, 1 - (int)(top / 2) - (int)fraction_bits);
    if (negative)
        value = -value;
    /* Six digits, or seven, if they say it exactly; else the bits. */
    static const char *const formats[] = {"%g", "%e"};
    for (unsigned i = 0; i < 2; i++) {
        snprintf(digits, sizeof digits, formats[i], value);
        const double read = strtod(digits, NULL);
        if (fraction_bits < 52 ? (float)read != (float)value : read != value)
            continue;
        add(t, "%s%s", digits, strpbrk(digits, ".e") ? "" : ".0");
        return;
    }
    add(t, "0x%" PRIX64, bits);
}

static void add_immediate(struct gen_text *t, const struct gen_operand *o)
{
    const uint64_t bits = o->immediate;
    switch ((enum gen_type)o->type) {
    case GEN_D:
        add(t, "%" PRId32, (int32_t)bits);
        break;
    case GEN_W:
        add(t, "%d", (int16_t)bits);
        break;
    case GEN_Q:
        add(t, "%" PRId64, (int64_t)bits);
        break;
    case GEN_UW:
        add(t, "0x%" PRIX64, bits & 0xffff);
        break;
    case GEN_F:
        add_float(t, bits & 0xffffffff, 8, 23);
        break;
    case GEN_DF:
        add_float(t, bits, 11, 52);
        break;
    case GEN_HF:
        add_float(t, bits & 0xffff, 5, 10);
        break;
    default:
        add(t, "0x%" PRIX64, bits);
        break;
    }
    add_type(t, o);
}

/* ---- operands ---- */

static void add_modifiers(struct gen_text *t, const struct gen_insn *insn,
                          const struct gen_operand *o)
{
    const unsigned opcode = insn->row->opcode;
    const bool logic = opcode >= gen_rows[GEN_NOT].opcode && opcode <= gen_rows[GEN_XOR].opcode;
    if (o->negate)
        add(t, logic && !o->absolute ? "~" : "-");
    if (o->absolute)
        add(t, "(abs)");
}

static void add_source(struct gen_text *t, const struct gen_insn *insn, unsigned index)
{
    const struct gen_operand *o = &insn->src[index];
    if (o->file == GEN_IMMEDIATE) {
        add_immediate(t, o);
        return;
    }
    add_modifiers(t, insn, o);
    if (o->mme != GEN_NO_MME || insn->row == &gen_rows[GEN_MADM] || insn->dst.mme != GEN_NO_MME) {
        add_mme(t, o);
        add_type(t, o);
        return;
    }
    add_place(t, o);
    if (insn->sources == 3) {
        add(t, index == 2 ? o->replicate ? "<0>" : "<1>" : o->replicate ? "<0;0>" : "<2;1>");
        if (!o->replicate)
            add_swizzle(t, o);
    } else if (insn->align16) {
        add(t, "<%u>", o->vstride);
        add_swizzle(t, o);
    } else if (o->vstride == GEN_STRIDE_VXH) {
        add(t, "<%u,%u>", o->width, o->hstride);
    } else {
        add(t, "<%u;%u,%u>", o->vstride, o->width, o->hstride);
    }
    add_type(t, o);
}

/* A register that holds an address: the type d is not written. */
static void add_target(struct gen_text *t, const struct gen_operand *o)
{
    add_place(t, o);
    if (o->type != GEN_D)
        add_type(t, o);
}

/* A payload of a message: whole registers. */
static void add_payload(struct gen_text *t, const struct gen_operand *o)
{
    if (o->indirect)
        add_place(t, o);
    else
        add_register(t, o);
}

static void add_options(struct gen_text *t, const struct gen_insn *insn)
{
    const bool is_send =
        insn->row->format == GEN_FORMAT_SEND || insn->row->format == GEN_FORMAT_SENDS;
    const bool is_alu = insn->row->format <= GEN_FORMAT_MATH;
    const struct {
        bool on;
        const char *name;
    } options[] = {
        {insn->accumulate && is_alu, "AccWrEn"},    {insn->thread_control == 1, "Atomic"},
        {insn->breakpoint, "Breakpoint"},           {insn->length == 8, "Compacted"},
        {is_send && insn->exdesc >> 5 & 1, "EOT"},  {insn->no_dd_check && !is_send, "NoDDChk"},
        {insn->no_dd_clear && !is_send, "NoDDClr"}, {insn->accumulate && is_send, "NoSrcDepSet"},
        {insn->thread_control == 2, "Switch"},
    };
    const char *separator = "{";
    for (unsigned i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (!options[i].on)
            continue;
        if (*separator == '{')
            pad(t, 86);
        add(t, "%s%s", separator, options[i].name);
        separator = ",";
    }
    if (*separator == ',')
        add(t, "}");
}

static void add_send(struct gen_text *t, const struct gen_insn *insn)
{
    const bool split = insn->row->format == GEN_FORMAT_SENDS;
    add_payload(t, &insn->dst);
    if (insn->dst.indirect && insn->dst.hstride != 1)
        add(t, "<%u>", insn->dst.hstride);
    if (split || insn->dst.type != GEN_UD)
        add_type(t, &insn->dst);
    pad(t, 42);
    add_payload(t, &insn->src[0]);
    if (!split && insn->src[0].type != GEN_UD)
        add_type(t, &insn->src[0]);
    if (split) {
        pad(t, 50);
        add_payload(t, &insn->src[1]);
    }
    pad(t, 58);
    if (insn->exdesc_in_register)
        add(t, "a0.%u", insn->exdesc_subreg);
    else
        add(t, "0x%X", insn->exdesc);
    pad(t, 74);
    if (insn->desc_in_register)
        add(t, "a0.0");
    else
        add(t, "0x%08X", insn->desc);
}

static void add_operands(struct gen_text *t, const struct gen_insn *insn)
{
    switch ((enum gen_format)insn->row->format) {
    case GEN_FORMAT_PLAIN:
        break;
    case GEN_FORMAT_ONE:
    case GEN_FORMAT_TWO:
    case GEN_FORMAT_THREE:
    case GEN_FORMAT_MATH:
        add_dst(t, insn);
        for (unsigned i = 0; i < insn->sources; i++) {
            pad(t, 48 + 18 * i);
            add_source(t, insn, i);
        }
        break;
    case GEN_FORMAT_JIP:
    case GEN_FORMAT_JIP_UIP:
    case GEN_FORMAT_JMPI:
        pad(t, 48);
        if (insn->sources)
            add_target(t, &insn->src[0]);
        else /* iga64 counts from the instruction itself */
            add(t, "%" PRId32,
                (int32_t)((uint32_t)insn->jip +
                          (insn->row == &gen_rows[GEN_JMPI] ? insn->length : 0u)));
        if (insn->row->format == GEN_FORMAT_JIP_UIP && !insn->sources) {
            pad(t, 69);
            add(t, "%" PRId32, insn->uip);
        }
        break;
    case GEN_FORMAT_CALL:
        add_target(t, &insn->dst);
        pad(t, 48);
        if (insn->sources)
            add_target(t, &insn->src[0]);
        else
            add(t, "%" PRId32, insn->jip);
        break;
    case GEN_FORMAT_RET:
        pad(t, 48);
        add_target(t, &insn->src[0]);
        break;
    case GEN_FORMAT_WAIT:
        pad(t, 48);
        add_source(t, insn, 0);
        break;
    case GEN_FORMAT_SEND:
    case GEN_FORMAT_SENDS:
        add_send(t, insn);
        break;
    }
}

/* "add", "math.inv", "goto.b". */
static void mnemonic(const struct gen_insn *insn, char *text, size_t size)
{
    if (insn->row->format == GEN_FORMAT_MATH)
        snprintf(text, size, "math.%s", gen_math_name(insn->condition));
    else
        snprintf(text, size, "%s%s", insn->row->name,
                 insn->row == &gen_rows[GEN_GOTO] && insn->branch ? ".b" : "");
}

static void add_predicate(struct gen_text *t, const struct gen_insn *insn)
{
    if (insn->predicate)
        add(t, "(%s%sf%u.%u%s)", insn->no_mask ? "W&" : "", insn->predicate_inverted ? "~" : "",
            insn->flag >> 1, insn->flag & 1,
            (insn->align16 ? align16_predicates : predicates)[insn->predicate]);
    else if (insn->no_mask)
        add(t, "(W)");
    if (t->length || insn->predicate)
        pad(t, 8);
    else
        add(t, "        ");
}

static bool writes_flag(const struct gen_insn *insn)
{
    if (insn->row->format == GEN_FORMAT_MATH)
        return insn->condition >= GEN_MATH_INVM;
    return insn->condition && insn->row->format >= GEN_FORMAT_ONE &&
           insn->row->format <= GEN_FORMAT_THREE;
}

void gen_text(const struct gen_insn *insn, char *text, size_t size)
{
    struct gen_text t = {.at = text, .left = size};
    char name[24];
    if (size)
        *text = 0;
    mnemonic(insn, name, sizeof name);
    if (insn->row->format == GEN_FORMAT_PLAIN) {
        add(&t, "        %s", name);
        add_options(&t, insn);
        return;
    }
    add_predicate(&t, insn);
    add(&t, "%s", name);
    if (insn->row->format != GEN_FORMAT_WAIT && insn->row->format != GEN_FORMAT_JMPI)
        add(&t, " (%u|M%u)", insn->exec_size, insn->channel);
    if (writes_flag(insn)) {
        pad(&t, 22);
        add(&t, "(%s)f%u.%u",
            insn->row->format == GEN_FORMAT_MATH ? "eo" : conditions[insn->condition],
            insn->flag >> 1, insn->flag & 1);
    }
    pad(&t, 33);
    add_operands(&t, insn);
    add_options(&t, insn);
}

unsigned gen_disassemble(const struct gen_word *word, char *text, size_t size)
{
    struct gen_insn insn;
    const char *why;
    if (gen_decode(word, &insn, &why)) {
        gen_text(&insn, text, size);
    } else if (insn.length == 8) {
        snprintf(text, size, "        .8byte 0x%016" PRIx64, word->low);
    } else {
        snprintf(text, size, "        .8byte 0x%016" PRIx64 ", 0x%016" PRIx64, word->low,
                 word->high);
    }
    return insn.length;
}
