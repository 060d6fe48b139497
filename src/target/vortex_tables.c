/* Lists of Vortex's instructions, platform profiles and tasks, for users. */
#include "target/vortex.h"

#include <inttypes.h>

#include "emulator/vortex/isa.h"
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
    {"compile C", "cmd:riscv64-unknown-elf-gcc file:/usr/lib/picolibc/riscv64-unknown-elf",
     "gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf", false},
    {0},
};
