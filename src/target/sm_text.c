/* NVIDIA's instructions as text: assembler, disassembler, the list of instructions. */
#include "target/sm_text.h"

#include <inttypes.h>
#include <stdlib.h>

#include "emulator/machine/meaning.h"
#include "emulator/machine/operands.h"
#include "emulator/sm/sass/assembler.h"
#include "emulator/sm/sass/isa.h"
#include "emulator/sm/operands.h"
#include "emulator/sm/ptx/ptx.h"
#include "object/cubin.h"

void wt_sm_list_isa(FILE *out, const void *config)
{
    for (unsigned i = 0; i < SM_INSNS; i++) {
        static const char *const forms[SM_FORMS] = {"register", "constant", "immediate",
                                                    "register-constant"};
        char name[32];
        sm_mnemonic((enum sm_insn)i, name, sizeof name);
        fprintf(out, "%-20s", name);
        for (unsigned f = 0; f < SM_FORMS; f++)
            if (sm_rows[i].word[f])
                fprintf(out, " %s 0x%016" PRIx64, forms[f], sm_rows[i].word[f]);
        wt_meaning_print(out, ": ", sm_rows[i].meaning);
        fputc('\n', out);
    }
    const uint8_t *meaning[2];
    const char *name;
    bool only_near, near_too;
    for (size_t i = 0; sm_ptx_row(i, &name, &only_near, &near_too); i++)
        fprintf(out, "ptx %s\n", name);
    for (size_t i = 0; sm_ptx_operation(i, &name, meaning); i++) {
        fprintf(out, "ptx-operation %s", name);
        wt_meaning_print_types(out, meaning);
        fputc('\n', out);
    }
}

void wt_sm_list_support(wt_support_fn *tell, void *context)
{
    static const char tested[] = "models of the manual's words in Python";
    static const char near[] =
        "the exact result, rounded; hardware's may differ in its last places";
    const struct sm_refused *refused;
    const char *known, *why;
    char name[32], before[32] = "";
    bool only_near, near_too;
    for (unsigned i = 0; i < SM_INSNS; i++) {
        sm_mnemonic((enum sm_insn)i, name, sizeof name);
        if (strcmp(name, before) != 0) /* rows of one instruction lie together */
            tell(context, strcmp(name, "MUFU") == 0
                              ? &(struct wt_support){"SM", name, WT_SUPPORT_NEAR, near}
                              : &(struct wt_support){"SM", name, WT_SUPPORT_WORKS, tested});
        snprintf(before, sizeof before, "%s", name);
    }
    *before = 0;
    for (size_t i = 0; (refused = sm_refused_at(i)); i++) {
        if (strcmp(refused->name, before) != 0)
            tell(context,
                 &(struct wt_support){"SM", refused->name, WT_SUPPORT_REFUSED, refused->why});
        snprintf(before, sizeof before, "%s", refused->name);
    }
    for (size_t i = 0; sm_ptx_row(i, &known, &only_near, &near_too); i++) {
        if (!only_near)
            tell(context, &(struct wt_support){"PTX", known, WT_SUPPORT_WORKS, tested});
        snprintf(name, sizeof name, "%s.approx", known);
        if (near_too)
            tell(context,
                 &(struct wt_support){"PTX", only_near ? known : name, WT_SUPPORT_NEAR, near});
    }
    for (size_t i = 0; sm_ptx_refused(i, &known, &why); i++)
        tell(context, &(struct wt_support){"PTX", known, WT_SUPPORT_REFUSED, why});
}

enum wt_status wt_sm_explain_word(FILE *out, const char *text, const void *config,
                                  struct wt_error *err)
{
    struct wt_insn_operands operands;
    char *end, line[256];
    const uint64_t word = strtoull(text, &end, 16);
    if (end == text || *end || end - text > 18)
        return wt_fail(err, WT_INVALID,
                       "'%.64s' is not an instruction: 64 bits in hexadecimal, such as "
                       "4c10880c0007ff10",
                       text);
    if (!sm_operands(NULL, word, &operands)) {
        const struct sm_refused *known = sm_refused_word(word);
        return wt_fail(err, WT_INVALID, "0x%016" PRIx64 "%s%s%s%s", word,
                       known ? " (" : " is not an instruction of sm_50", known ? known->name : "",
                       known ? "): " : "", known ? known->why : "");
    }
    sm_disassemble(word, 0, 0, line, sizeof line);
    fprintf(out, "%s\n", line);
    wt_operands_print(out, &operands, sm_operand_name);
    return WT_OK;
}

enum wt_status wt_sm_assemble(const char *name, const char *text, uint8_t **bytes, size_t *length,
                              struct wt_error *err)
{
    enum wt_status status;
    struct cubin cubin;
    if ((status = sm_assemble_file(name, text, &cubin, err)) != WT_OK)
        return status;
    status = cubin_write(&cubin, bytes, length, err);
    cubin_free(&cubin);
    return status;
}

enum wt_status wt_sm_disassemble(const char *name, const uint8_t *bytes, size_t length, FILE *out,
                                 struct wt_error *err)
{
    enum wt_status status;
    struct cubin cubin;
    if ((status = cubin_parse(name, bytes, length, &cubin, err)) != WT_OK)
        return status;
    sm_disassemble_file(&cubin, out);
    cubin_free(&cubin);
    return WT_OK;
}
