/* `wavetrap info -g gen9 --explain-word`: the fields of an instruction's words (Skylake PRM volume
 * 7, "EU Instruction Formats"). */
#include "target/gen.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/gen/operands.h"
#include "emulator/gen/isa.h"
#include "target/gen_text.h"

/* ---- fields ---- */

struct gen_word_field {
    const char *name; /* NULL ends a list */
    uint8_t last, first;
};

/* DW0, and the beginning of DW1. */
static const struct gen_word_field head_fields[] = {
    {"opcode", 6, 0},
    {"access mode", 8, 8},
    {"dependency control", 10, 9},
    {"nibble control", 11, 11},
    {"quarter control", 13, 12},
    {"thread control", 15, 14},
    {"predicate control", 19, 16},
    {"predicate inversion", 20, 20},
    {"execution size", 23, 21},
    {NULL, 0, 0},
};
static const struct gen_word_field tail_fields[] = {
    {"CmptCtrl", 29, 29},
    {"DebugCtrl", 30, 30},
    {"saturate", 31, 31},
    {"flag subregister", 32, 32},
    {"flag register", 33, 33},
    {"mask control (WE_all)", 34, 34},
    {NULL, 0, 0},
};
static const struct gen_word_field type_fields[] = {
    {"destination file", 36, 35},
    {"destination type", 40, 37},
    {"source 0 file", 42, 41},
    {"source 0 type", 46, 43},
    {"source 1 file", 90, 89},
    {"source 1 type", 94, 91},
    {NULL, 0, 0},
};
static const struct gen_word_field three_fields[] = {
    {"source 2 is hf", 35, 35},
    {"source 1 is hf", 36, 36},
    {"source 0 absolute", 37, 37},
    {"source 0 negated", 38, 38},
    {"source 1 absolute", 39, 39},
    {"source 1 negated", 40, 40},
    {"source 2 absolute", 41, 41},
    {"source 2 negated", 42, 42},
    {"source type", 45, 43},
    {"destination type", 48, 46},
    {"destination write mask", 52, 49},
    {"destination subregister", 55, 53},
    {"destination register", 63, 56},
    {"source 0 replicated", 64, 64},
    {"source 0 swizzle", 72, 65},
    {"source 0 subregister", 75, 73},
    {"source 0 register", 83, 76},
    {"source 0 half of a dword", 84, 84},
    {"source 1 replicated", 85, 85},
    {"source 1 swizzle", 93, 86},
    {"source 1 subregister", 96, 94},
    {"source 1 register", 104, 97},
    {"source 1 half of a dword", 105, 105},
    {"source 2 replicated", 106, 106},
    {"source 2 swizzle", 114, 107},
    {"source 2 subregister", 117, 115},
    {"source 2 register", 125, 118},
    {"source 2 half of a dword", 126, 126},
    {NULL, 0, 0},
};
static const struct gen_word_field send_fields[] = {
    {"descriptor file", 90, 89},       {"descriptor", 126, 96},
    {"end of thread", 127, 127},       {"ext. descriptor 31:28", 94, 91},
    {"ext. descriptor 27:24", 88, 85}, {"ext. descriptor 23:20", 83, 80},
    {"ext. descriptor 19:16", 67, 64}, {NULL, 0, 0},
};
static const struct gen_word_field sends_fields[] = {
    {"destination file", 35, 35},
    {"source 1 file", 36, 36},
    {"destination type", 40, 37},
    {"source 1 register", 51, 44},
    {"descriptor in a0.0", 77, 77},
    {"ext. descriptor in a0", 61, 61},
    {"end of thread", 127, 127},
    {"descriptor", 126, 96},
    {NULL, 0, 0},
};
static const struct gen_word_field sends_immediate_fields[] = {
    {"ext. descriptor 9:6", 67, 64},
    {"ext. descriptor 31:16", 95, 80},
    {NULL, 0, 0},
};
static const struct gen_word_field sends_register_fields[] = {
    {"a0 of ext. descriptor", 82, 80},
    {NULL, 0, 0},
};

static void put(FILE *out, const struct gen_word *w, const char *name, unsigned last,
                unsigned first)
{
    fprintf(out, "  %-29s [%3u:%3u] 0x%" PRIx64 "\n", name, last, first, gen_field(w, last, first));
}

static void put_all(FILE *out, const struct gen_word *w, const struct gen_word_field *fields)
{
    for (const struct gen_word_field *f = fields; f->name; f++)
        put(out, w, f->name, f->last, f->first);
}

/* A field of source @p index, whose bits are counted from 64 or 96 on. */
static void put_source_field(FILE *out, const struct gen_word *w, unsigned index, const char *name,
                             unsigned last, unsigned first)
{
    char text[64];
    const unsigned at = index ? 96 : 64;
    snprintf(text, sizeof text, "source %u %s", index, name);
    put(out, w, text, at + last, at + first);
}

static void put_destination(FILE *out, const struct gen_word *w, const struct gen_insn *insn)
{
    const bool indirect = gen_field(w, 63, 63);
    const unsigned low = insn->align16 ? 52 : 48;
    if (indirect) {
        put(out, w, "destination offset 9", 47, 47);
        put(out, w, insn->align16 ? "destination offset 8:4" : "destination offset 8:0", 56, low);
        put(out, w, "destination a0 subregister", 60, 57);
    } else {
        put(out, w, insn->align16 ? "destination subregister 4" : "destination subregister", 52,
            low);
        put(out, w, "destination register", 60, 53);
    }
    if (insn->align16)
        put(out, w, "destination write mask", 51, 48);
    put(out, w, "destination stride", 62, 61);
    put(out, w, "destination address mode", 63, 63);
}

static void put_source(FILE *out, const struct gen_word *w, const struct gen_insn *insn,
                       unsigned index)
{
    const unsigned at = index ? 96 : 64;
    if (insn->align16) {
        put_source_field(out, w, index, "swizzle y, x", 3, 0);
        put_source_field(out, w, index, "swizzle w, z", 19, 16);
    } else {
        put_source_field(out, w, index, "horizontal stride", 17, 16);
        put_source_field(out, w, index, "width", 20, 18);
    }
    if (gen_field(w, at + 15, at + 15)) {
        put_source_field(out, w, index, insn->align16 ? "offset 8:4" : "offset 8:0", 8,
                         insn->align16 ? 4 : 0);
        put(out, w, index ? "source 1 offset 9" : "source 0 offset 9", index ? 121 : 95,
            index ? 121 : 95);
        put_source_field(out, w, index, "a0 subregister", 12, 9);
    } else {
        put_source_field(out, w, index, insn->align16 ? "subregister 4" : "subregister", 4,
                         insn->align16 ? 4 : 0);
        put_source_field(out, w, index, "register", 12, 5);
    }
    put_source_field(out, w, index, "absolute", 13, 13);
    put_source_field(out, w, index, "negated", 14, 14);
    put_source_field(out, w, index, "address mode", 15, 15);
    put_source_field(out, w, index, "vertical stride", 24, 21);
}

/* Of a source, or of the immediate in its place. */
static void put_operand(FILE *out, const struct gen_word *w, const struct gen_insn *insn,
                        unsigned index)
{
    const uint64_t file = index ? gen_field(w, 90, 89) : gen_field(w, 42, 41);
    if (file != GEN_IMMEDIATE)
        put_source(out, w, insn, index);
    else if (gen_type_size(insn->src[index].type) == 8)
        put(out, w, "immediate", 127, 64);
    else
        put(out, w, "immediate", 127, 96);
}

static bool has_wide_immediate(const struct gen_insn *insn)
{
    const struct gen_operand *o = &insn->src[0];
    return insn->sources == 1 && o->file == GEN_IMMEDIATE && gen_type_size(o->type) == 8;
}

/* sends: whole registers, and no types of sources. */
static void put_split_send(FILE *out, const struct gen_word *w)
{
    put_all(out, w, sends_fields);
    if (gen_field(w, 63, 63)) {
        put(out, w, "destination offset 8:4", 56, 52);
        put(out, w, "destination a0 subregister", 60, 57);
        put(out, w, "destination offset 9", 62, 62);
    } else {
        put(out, w, "destination register", 60, 53);
    }
    put(out, w, "destination address mode", 63, 63);
    if (gen_field(w, 79, 79)) {
        put(out, w, "source 0 offset 8:4", 72, 68);
        put(out, w, "source 0 a0 subregister", 76, 73);
        put(out, w, "source 0 offset 9", 78, 78);
    } else {
        put(out, w, "source 0 register", 76, 69);
    }
    put(out, w, "source 0 address mode", 79, 79);
    put_all(out, w, gen_field(w, 61, 61) ? sends_register_fields : sends_immediate_fields);
}

static void put_send(FILE *out, const struct gen_word *w, const struct gen_insn *insn)
{
    put(out, w, "destination file", 36, 35);
    put(out, w, "destination type", 40, 37);
    put_destination(out, w, insn);
    put(out, w, "source 0 file", 42, 41);
    put(out, w, "source 0 type", 46, 43);
    if (gen_field(w, 79, 79)) {
        put(out, w, "source 0 offset 8:4", 72, 68);
        put(out, w, "source 0 a0 subregister", 76, 73);
        put(out, w, "source 0 offset 9", 95, 95);
    } else {
        put(out, w, "source 0 subregister 4", 68, 68);
        put(out, w, "source 0 register", 76, 69);
    }
    put(out, w, "source 0 address mode", 79, 79);
    put_all(out, w, send_fields);
}

/* DW1 from the types on, DW2 and DW3: what their bits are depends on the format. */
static void put_rest(FILE *out, const struct gen_word *w, const struct gen_insn *insn)
{
    const enum gen_format format = insn->row->format;
    switch (format) {
    case GEN_FORMAT_PLAIN:
        return;
    case GEN_FORMAT_THREE:
        put_all(out, w, three_fields);
        return;
    case GEN_FORMAT_SENDS:
        put_split_send(out, w);
        return;
    case GEN_FORMAT_SEND:
        put_send(out, w, insn);
        return;
    case GEN_FORMAT_JIP:
    case GEN_FORMAT_JIP_UIP:
        put(out, w, "destination file", 36, 35);
        put(out, w, "destination type", 40, 37);
        put(out, w, "source 0 file", 42, 41);
        put(out, w, "source 0 type", 46, 43);
        put_destination(out, w, insn);
        if (insn->sources)
            put_operand(out, w, insn, 0);
        else
            put(out, w, format == GEN_FORMAT_JIP ? "no meaning (UIP of others)" : "UIP", 95, 64);
        put(out, w, "JIP", 127, 96);
        return;
    case GEN_FORMAT_ONE:
    case GEN_FORMAT_TWO:
    case GEN_FORMAT_MATH:
    case GEN_FORMAT_JMPI:
    case GEN_FORMAT_CALL:
    case GEN_FORMAT_RET:
    case GEN_FORMAT_WAIT:
        break;
    }
    for (const struct gen_word_field *f = type_fields; f->name; f++)
        if (f->first < 64 || !has_wide_immediate(insn))
            put(out, w, f->name, f->last, f->first);
    put_destination(out, w, insn);
    /* An immediate that is source 0 has the place of source 1, or of both. */
    if (gen_field(w, 42, 41) == GEN_IMMEDIATE) {
        put_operand(out, w, insn, 0);
        return;
    }
    put_operand(out, w, insn, 0);
    put_operand(out, w, insn, 1);
}

static void put_fields(FILE *out, const struct gen_word *w, const struct gen_insn *insn)
{
    const enum gen_format format = insn->row->format;
    const bool sends = format == GEN_FORMAT_SEND || format == GEN_FORMAT_SENDS;
    const bool branch = format >= GEN_FORMAT_JIP && !sends;
    put_all(out, w, head_fields);
    put(out, w,
        sends                       ? "SFID"
        : format == GEN_FORMAT_MATH ? "math function"
                                    : "condition modifier",
        27, 24);
    put(out, w, branch ? "BranchCtrl" : "AccWrEn", 28, 28);
    put_all(out, w, tail_fields);
    put_rest(out, w, insn);
}

/* ---- operands ---- */

/* The name of an architecture register's kind: RegNum[7:4] (PRM volume 7, table "ARF registers").
 */
static const char *const arf_kinds[16] = {"null", "a",  "acc",      "f",  "ce", "msg",
                                          "sp",   "sr", "cr",       "n",  "ip", "tdr",
                                          "tm",   "fc", "reserved", "dbg"};

static void explain_operand(FILE *out, const char *name, const struct gen_operand *o, bool typed)
{
    static const char *const files[4] = {"ARF", "GRF", "reserved", "immediate"};
    fprintf(out, "  %s: %s", name, files[o->file & 3]);
    if (typed)
        fprintf(out, ", type %s", gen_type_name(o->type));
    if (o->file == GEN_IMMEDIATE)
        fprintf(out, ", 0x%" PRIx64,
                gen_type_size(o->type) == 2 && o->type < GEN_UV ? o->immediate & 0xffff
                                                                : o->immediate);
    else if (o->indirect)
        fprintf(out, ", indirect by a0.%u with offset %d", o->subreg, o->offset);
    else if (o->file == GEN_ARF)
        fprintf(out, ", RegNum 0x%02x: type %x (%s), number %u, byte %u", o->reg, o->reg >> 4,
                arf_kinds[o->reg >> 4], o->reg & 15, o->subreg);
    else
        fprintf(out, ", r%u, byte %u", o->reg, o->subreg);
    fputc('\n', out);
}

static void explain_operands(FILE *out, const struct gen_insn *insn)
{
    const enum gen_format format = insn->row->format;
    const bool sends = format == GEN_FORMAT_SEND || format == GEN_FORMAT_SENDS;
    char name[16];
    if (sends || (format != GEN_FORMAT_PLAIN && format <= GEN_FORMAT_MATH))
        explain_operand(out, "destination", &insn->dst, !sends);
    for (unsigned i = 0; i < insn->sources; i++) {
        snprintf(name, sizeof name, "source %u", i);
        explain_operand(out, name, &insn->src[i], !sends);
    }
}

/* ---- the command ---- */

/* "2100020c00600001 0000000000200000": DW1 and DW0, then DW3 and DW2, as traces have them. */
static bool read_traced(const char *text, struct gen_word *word)
{
    static const char hex[] = "0123456789abcdefABCDEF";
    if (strlen(text) != 33 || strspn(text, hex) != 16 || text[16] != ' ' ||
        strspn(text + 17, hex) != 16)
        return false;
    *word =
        (struct gen_word){.low = strtoull(text, NULL, 16), .high = strtoull(text + 17, NULL, 16)};
    return true;
}

/* Parses 8 or 16 bytes in hexadecimal, in memory order or, with 0x, as one number. */
static bool read_word(const char *text, struct gen_word *word, bool *compact)
{
    char digits[33];
    *compact = false;
    if (read_traced(text, word))
        return true;
    size_t count = 0;
    const bool is_number = strncmp(text, "0x", 2) == 0;
    for (const char *at = is_number ? text + 2 : text; *at; at++) {
        if (*at == ' ' || *at == '_' || *at == '`')
            continue;
        if (count == 32 || !strchr("0123456789abcdefABCDEF", *at))
            return false;
        digits[count++] = *at;
    }
    digits[count] = 0;
    if (count != 16 && count != 32)
        return false;
    *word = (struct gen_word){0};
    for (size_t i = 0; i < count / 2; i++) {
        const char pair[3] = {digits[2 * i], digits[2 * i + 1], 0};
        const size_t at = is_number ? count / 2 - 1 - i : i;
        uint64_t *half = at < 8 ? &word->low : &word->high;
        *half |= (uint64_t)strtoul(pair, NULL, 16) << (8 * (at % 8));
    }
    *compact = count == 16;
    return true;
}

enum wt_status gen_explain_word(FILE *out, const char *text, const void *config,
                                struct wt_error *err)
{
    struct gen_word word, native;
    struct gen_insn insn;
    char line[256];
    const char *why;
    bool compact;
    if (!read_word(text, &word, &compact))
        return wt_fail(
            err, WT_INVALID,
            "'%.64s' is not an instruction of 8 or 16 bytes in hexadecimal: bytes as memory "
            "has them, 0x and one number, or two numbers as trace prints them",
            text);
    if (compact != gen_is_compact(&word))
        return wt_fail(err, WT_INVALID,
                       "CmptCtrl (bit 29) says that the instruction has %u bytes, and %u are given",
                       gen_is_compact(&word) ? 8 : 16, compact ? 8 : 16);
    native = word;
    if (compact) {
        fprintf(out, "compact: 0x%016" PRIx64 "\n", word.low);
        if (!gen_expand(&word, &native))
            return wt_fail(err, WT_INVALID, "its opcode has no compact form");
    }
    for (unsigned i = 0; i < 4; i++)
        fprintf(out, "DW%u: 0x%08" PRIx64 "\n", i, gen_field(&native, 32 * i + 31, 32 * i));
    const bool good = gen_decode(&word, &insn, &why);
    if (insn.row) {
        put_fields(out, &native, &insn);
    } else {
        put_all(out, &native, head_fields);
        put_all(out, &native, tail_fields);
    }
    if (!good) {
        fprintf(out, "not an instruction: %s\n", why);
        return WT_OK;
    }
    explain_operands(out, &insn);
    wt_gen_text(&word, line, sizeof line);
    fprintf(out, "text: %s\n", line + strspn(line, " "));
    struct wt_insn_operands operands;
    if (!gen_operands(&insn, NULL, NULL, &operands))
        fputs("  (operands that address registers choose are left out)\n", out);
    wt_operands_print(out, &operands, gen_operand_name);
    return WT_OK;
}
