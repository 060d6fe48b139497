/* NVIDIA's instructions as text: assembler, disassembler, the list of instructions. */
#include "target/sm_text.h"

#include <inttypes.h>
#include <stdlib.h>

#include "emulator/sm/assembler.h"
#include "emulator/sm/isa.h"
#include "emulator/sm/operands.h"
#include "emulator/sm/ptx.h"
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
        fputc('\n', out);
    }
    sm_ptx_list(out);
}

enum wt_status wt_sm_explain_word(FILE *out, const char *text, struct wt_error *err)
{
    struct wt_insn_operands operands;
    char *end, line[256];
    const uint64_t word = strtoull(text, &end, 16);
    if (end == text || *end || end - text > 18)
        return wt_fail(err, WT_INVALID,
                       "'%.64s' is no instruction: 64 bits in hexadecimal, such as "
                       "4c10880c0007ff10",
                       text);
    if (!sm_operands(NULL, word, &operands)) {
        const struct sm_refused *known = sm_refused_word(word);
        return wt_fail(err, WT_INVALID, "0x%016" PRIx64 "%s%s%s%s", word,
                       known ? " (" : " is no instruction of sm_50", known ? known->name : "",
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
