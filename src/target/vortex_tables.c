/* Lists of Vortex's instructions, platform profiles and tasks, for users. */
#include "target/vortex.h"

#include <inttypes.h>

#include "base/bits.h"
#include "base/text.h"
#include "emulator/vortex/isa.h"
#include "emulator/vortex/operands.h"
#include "emulator/vortex/vortex.h"
#include "emulator/vortex/profile.h"

static const char *width(unsigned xlen)
{
    return xlen == 32 ? "rv32" : xlen == 64 ? "rv64" : "both";
}

void wt_vortex_list_isa(FILE *out)
{
    for (unsigned i = 0; i < VX_INSN_COUNT; i++) {
        const struct vx_insn *row = &vx_insns[i];
        fprintf(out, "%-12s %s match 0x%08" PRIx32 " mask 0x%08" PRIx32 " operands %s\n", row->name,
                width(row->xlen), row->match, row->mask, row->operands[0] ? row->operands : "-");
    }
    for (size_t i = 0; i < vx_rvc_count; i++) {
        const struct vx_rvc *row = &vx_rvcs[i];
        fprintf(out, "%-12s %s match 0x%04x     mask 0x%04x     operands %s\n", row->name,
                width(row->xlen), row->match, row->mask, row->operands[0] ? row->operands : "-");
    }
}

enum wt_status wt_vortex_explain_word(FILE *out, const char *text, struct wt_error *err)
{
    uint64_t word;
    uint32_t whole;
    uint8_t bytes[4];
    char line[128];
    bool any = false;
    if (wt_parse_number(text, &word, WT_IGNORED) || word > UINT32_MAX)
        return wt_fail(err, WT_INVALID,
                       "'%.64s' is no instruction: 16 or 32 bits as one number, such as 0x00b50533",
                       text);
    const unsigned length = (word & 3) == 3 ? 4 : 2;
    wt_store_le(bytes, word, 4);
    for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
        struct wt_insn_operands operands;
        whole = (uint32_t)word;
        if ((length == 2 && (word > UINT16_MAX || !vx_rvc_find((uint16_t)word, xlen, &whole))) ||
            !vx_operands(whole, xlen, &operands))
            continue;
        vx_disassemble(bytes, length, xlen, 0, line, sizeof line);
        fprintf(out, "RV%u: %s\n", xlen, line);
        wt_operands_print(out, &operands, vx_operand_name);
        any = true;
    }
    return any ? WT_OK
               : wt_fail(err, WT_INVALID, "0x%" PRIx64 " is no instruction of Vortex", word);
}

static void list_profile(const struct vx_profile *p, FILE *out)
{
    fprintf(out, "profile %s: %s\n", p->name, p->about);
    fprintf(out, "  startup address  0x%" PRIx64 "\n", p->startup_addr);
    fprintf(out, "  console          0x%" PRIx64 ", %u slots\n", p->console_addr, p->console_slots);
    fprintf(out, "  exit word        0x%" PRIx64 "\n", p->exit_addr);
    fprintf(out,
            "  local memory     0x%" PRIx64 " (RV32), 0x%" PRIx64 " (RV64), 0x%" PRIx64 " bytes\n",
            p->local_mem_base[0], p->local_mem_base[1], p->local_mem_size);
    for (size_t i = 0; i < p->csr_count; i++) {
        const struct vx_csr_row *row = &p->csrs[i];
        char number[24];
        if (row->first == row->last)
            snprintf(number, sizeof number, "0x%03x", row->first);
        else
            snprintf(number, sizeof number, "0x%03x-0x%03x", row->first, row->last);
        fprintf(out, "  CSR %-12s %-15s %s %s\n", number, row->name, width(row->xlen), row->about);
    }
    for (size_t i = 0; i < p->dcr_count; i++)
        fprintf(out, "  DCR 0x%03x        %-15s      %s\n", p->dcrs[i].addr, p->dcrs[i].name,
                p->dcrs[i].about);
}

void wt_vortex_list_profiles(FILE *out)
{
    for (size_t i = 0; i < vx_profile_count; i++)
        list_profile(vx_profiles[i], out);
}

const struct wt_family_task wt_vortex_tasks[] = {
    {"run and debug programs", "", "", true},
    {"run programs on Vortex's host library", "own:driver", "", true},
    {"compile C", "cmd:riscv64-unknown-elf-gcc file:/usr/lib/picolibc/riscv64-unknown-elf",
     "gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf", false},
    {0},
};
