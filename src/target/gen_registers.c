/* `wavetrap info -g gen9`: the registers of a thread, and the meaning of an instruction's words. */
#include "target/gen.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/gen/gen.h"
#include "emulator/gen/isa.h"

/* ---- the list of registers, in the forms of Intel's GDB ---- */

static void list_table(FILE *out, const struct gen_register_row *row, size_t count)
{
    fprintf(out, "%-8s %6s %5s %12s %-12s %s\n", "name", "number", "bits", "save_restore", "type",
            "group");
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%-8s %6u %5u %12u %-12s %s\n", row[i].name, row[i].number, row[i].bits, 1,
                row[i].type, row[i].group ? row[i].group : "-");
}

static void list_c(FILE *out, const struct gen_register_row *row, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(out, "tdesc_create_reg (feature, \"%s\", %u, 1, NULL, %u, \"%s\");\n", row[i].name,
                row[i].number, row[i].bits, row[i].type);
}

static void list_xml(FILE *out, const struct gen_register_row *row, size_t count)
{
    fputs("<?xml version=\"1.0\"?>\n<!DOCTYPE feature SYSTEM \"gdb-target.dtd\">\n"
          "<feature name=\"org.gnu.gdb.intelgt.gen9\">\n",
          out);
    fputs("  <vector id=\"vec256\" type=\"uint32\" count=\"8\"/>\n"
          "  <vector id=\"state_reg\" type=\"uint32\" count=\"4\"/>\n"
          "  <vector id=\"control_reg\" type=\"uint32\" count=\"4\"/>\n",
          out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "  <reg name=\"%s\" bitsize=\"%u\" regnum=\"%u\" type=\"%s\"/>\n", row[i].name,
                row[i].bits, row[i].number, row[i].type);
    fputs("</feature>\n", out);
}

enum wt_status gen_list_registers(FILE *out, const char *form, struct wt_error *err)
{
    size_t count;
    const struct gen_register_row *row = gen_register_list(&count);
    if (!form)
        list_table(out, row, count);
    else if (strcmp(form, "xml") == 0)
        list_xml(out, row, count);
    else if (strcmp(form, "c") == 0)
        list_c(out, row, count);
    else
        return wt_fail(err, WT_INVALID, "'%s' is no form of the register list: xml or c", form);
    return WT_OK;
}

/* ---- an instruction's words ---- */

/* The name of an architecture register's kind: RegNum[7:4] (PRM volume 7, table "ARF registers").
 */
static const char *const arf_kinds[16] = {"null", "a",  "acc",      "f",  "ce", "msg",
                                          "sp",   "sr", "cr",       "n",  "ip", "tdr",
                                          "tm",   "fc", "reserved", "dbg"};

static void field(FILE *out, const struct gen_word *w, const char *name, unsigned last,
                  unsigned first)
{
    fprintf(out, "  %-24s [%3u:%3u] 0x%" PRIx64 "\n", name, last, first, gen_field(w, last, first));
}

static void explain_operand(FILE *out, const char *name, const struct gen_operand *o)
{
    static const char *const files[4] = {"ARF", "GRF", "reserved", "immediate"};
    fprintf(out, "  %s: %s, type %s", name, files[o->file & 3], gen_type_name(o->type));
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

/* Fields of the native form that most instructions have. */
static const struct {
    const char *name;
    uint8_t last, first;
} fields[] = {
    {"opcode", 6, 0},
    {"access mode", 8, 8},
    {"dependency control", 10, 9},
    {"nibble control", 11, 11},
    {"quarter control", 13, 12},
    {"thread control", 15, 14},
    {"predicate control", 19, 16},
    {"predicate inversion", 20, 20},
    {"execution size", 23, 21},
    {"condition modifier", 27, 24},
    {"AccWrEn or BranchCtrl", 28, 28},
    {"CmptCtrl", 29, 29},
    {"DebugCtrl", 30, 30},
    {"saturate", 31, 31},
    {"flag subregister", 32, 32},
    {"flag register", 33, 33},
    {"mask control (WE_all)", 34, 34},
    {"destination file", 36, 35},
    {"destination type", 40, 37},
    {"source 0 file", 42, 41},
    {"source 0 type", 46, 43},
};

/* Parses 8 or 16 bytes in hexadecimal, in memory order or, with 0x, as one number. */
static bool read_word(const char *text, struct gen_word *word, bool *compact)
{
    char digits[33];
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

enum wt_status gen_explain_word(FILE *out, const char *text, struct wt_error *err)
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
            "has them, or 0x and one number",
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
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        field(out, &native, fields[i].name, fields[i].last, fields[i].first);
    if (!gen_decode(&word, &insn, &why)) {
        fprintf(out, "no instruction: %s\n", why);
        return WT_OK;
    }
    if (insn.row->format != GEN_FORMAT_PLAIN && insn.row->format <= GEN_FORMAT_MATH) {
        explain_operand(out, "destination", &insn.dst);
        for (unsigned i = 0; i < insn.sources; i++) {
            snprintf(line, sizeof line, "source %u", i);
            explain_operand(out, line, &insn.src[i]);
        }
    }
    gen_text(&insn, line, sizeof line);
    fprintf(out, "text: %s\n", line + strspn(line, " "));
    return WT_OK;
}
