/* NVIDIA's instructions as text: assembler, disassembler, the list of instructions. */
#include "target/sm_text.h"

#include <inttypes.h>

#include "emulator/sm/assembler.h"
#include "emulator/sm/ptx.h"
#include "emulator/sm/isa.h"
#include "object/cubin.h"

void wt_sm_list_isa(FILE *out)
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
