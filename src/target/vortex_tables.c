/* Lists of Vortex's instructions, platform profiles and tasks, for users. */
#include "target/vortex.h"

#include <inttypes.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "emulator/machine/meaning.h"
#include "emulator/machine/operands.h"
#include "emulator/vortex/isa.h"
#include "emulator/vortex/operands.h"
#include "emulator/vortex/vortex.h"
#include "emulator/vortex/profile.h"
#include "object/image.h"

static const char *width(unsigned xlen)
{
    return xlen == 32 ? "rv32" : xlen == 64 ? "rv64" : "both";
}

void wt_vortex_list_isa(FILE *out, const void *config)
{
    const struct vx_config *c = config;
    const struct vx_profile *profile = c ? c->profile : vx_profiles[0];
    const unsigned count = profile->later_rows ? VX_INSN_COUNT : VX_INSN_LATER;
    for (unsigned i = 0; i < count; i++) {
        const struct vx_insn *row = &vx_insns[i];
        fprintf(out, "%-12s %s match 0x%08" PRIx32 " mask 0x%08" PRIx32 " operands %s", row->name,
                width(row->xlen), row->match, row->mask, row->operands[0] ? row->operands : "-");
        wt_meaning_print(out, ": ", row->meaning[row->xlen == 64]);
        fputc('\n', out);
    }
    for (size_t i = 0; i < vx_rvc_count; i++) {
        const struct vx_rvc *row = &vx_rvcs[i];
        fprintf(out, "%-12s %s match 0x%04x     mask 0x%04x     operands %s\n", row->name,
                width(row->xlen), row->match, row->mask, row->operands[0] ? row->operands : "-");
    }
}

void wt_vortex_list_support(wt_support_fn *tell, void *context)
{
    for (unsigned i = 0; i < VX_INSN_COUNT; i++) {
        const unsigned opcode = vx_insns[i].match & 0x7f;
        const char *unit = vx_unit_missing((enum vx_insn_id)i);
        const bool own = opcode == 0x0b || opcode == 0x2b || opcode == 0x73; /* custom, SYSTEM */
        char why[80];
        snprintf(why, sizeof why, "this Vortex has no %s", unit ? unit : "");
        tell(context, &(struct wt_support){"Vortex", vx_insns[i].name,
                                           unit ? WT_SUPPORT_REFUSED : WT_SUPPORT_WORKS,
                                           unit  ? why
                                           : own ? "models of the rules in Python"
                                                 : "QEMU user mode, LLVM's assembler"});
    }
    for (size_t i = 0; i < vx_rvc_count; i++)
        tell(context, &(struct wt_support){"Vortex", vx_rvcs[i].name, WT_SUPPORT_WORKS,
                                           "QEMU user mode, LLVM's assembler"});
}

enum wt_status wt_vortex_explain_word(FILE *out, const char *text, const void *config,
                                      struct wt_error *err)
{
    uint64_t word;
    uint32_t whole;
    uint8_t bytes[4];
    char line[128];
    bool any = false;
    if (wt_parse_number(text, &word, WT_IGNORED) || word > UINT32_MAX)
        return wt_fail(
            err, WT_INVALID,
            "'%.64s' is not an instruction: 16 or 32 bits as one number, such as 0x00b50533", text);
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
               : wt_fail(err, WT_INVALID, "0x%" PRIx64 " is not an instruction of Vortex", word);
}

static void list_profile(const struct vx_profile *p, FILE *out)
{
    fprintf(out, "profile %s: %s\n", p->name, p->about);
    fprintf(out, "  startup address  0x%" PRIx64 "\n", p->startup_addr);
    fprintf(out, "  console          0x%" PRIx64 ", %u slots%s\n", p->console_addr,
            p->console_slots, p->console_ring ? " in a ring" : "");
    fprintf(out, "  exit word        0x%" PRIx64 "\n", p->exit_addr);
    fprintf(out,
            "  local memory     0x%" PRIx64 " (RV32), 0x%" PRIx64 " (RV64), 0x%" PRIx64 " bytes\n",
            p->local_mem_base[0], p->local_mem_base[1], p->local_mem_size);
    for (const struct vx_csr_row *row = NULL; (row = vx_profile_next_csr(p, row));) {
        char number[24];
        if (row->first == row->last)
            snprintf(number, sizeof number, "0x%03x", row->first);
        else
            snprintf(number, sizeof number, "0x%03x-0x%03x", row->first, row->last);
        fprintf(out, "  CSR %-12s %-15s both %s\n", number, row->name, row->about);
    }
    for (size_t i = 0; i < p->dcr_count; i++) {
        const struct vx_dcr_row *row = &p->dcrs[i];
        char number[24];
        if (vx_dcr_count(row) == 1)
            snprintf(number, sizeof number, "0x%03x", row->addr);
        else
            snprintf(number, sizeof number, "0x%03x-0x%03x", row->addr,
                     row->addr + vx_dcr_count(row) - 1);
        fprintf(out, "  DCR %-12s %-15s      %s\n", number, row->name, row->about);
    }
}

void wt_vortex_list_profiles(FILE *out, const void *config)
{
    const struct vx_config *c = config;
    for (size_t i = 0; i < vx_profile_count; i++)
        if (!c || !c->profile_given || c->profile == vx_profiles[i])
            list_profile(vx_profiles[i], out);
}

/* ---- images ---- */

unsigned wt_vortex_image_width(const struct wt_image *image)
{
    bool far = false;
    for (size_t i = 0; i < image->segments; i++)
        far |= (image->segment[i].addr + image->segment[i].size - 1) >> 32;
    for (size_t i = 0; i < image->kernels; i++)
        far |= image->kernel[i].addr >> 32;
    return far ? 64 : 0;
}

/* The width of the ELF file of the same name beside an image, "k.elf" for "k.vxbin"; 0: there is
 * none. */
static unsigned width_beside(const char *path, char *beside, size_t size)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    const size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - path) : strlen(path);
    const int length = snprintf(beside, size, "%.*s.elf", (int)stem, path);
    struct wt_image elf;
    if (length < 0 || (size_t)length >= size || strcmp(beside, path) == 0 ||
        wt_image_load(beside, 0, &elf, WT_IGNORED) != WT_OK)
        return 0;
    const unsigned bits = elf.bits;
    wt_image_free(&elf);
    return bits;
}

static void tell_width(FILE *out, const struct wt_image *image, const char *path)
{
    char beside[4096];
    const unsigned bits = width_beside(path, beside, sizeof beside);
    if (wt_vortex_image_width(image) == 64)
        fprintf(out, "  width: RV64: it has addresses above 4 GiB\n");
    else if (bits)
        fprintf(out, "  width: RV%u, as %s has it\n", bits, beside);
    else
        fprintf(out, "  width: RV32, unless --gpu=vortex:xlen=64 says otherwise: all addresses are "
                     "below 4 GiB\n");
}

/* Whether an instruction is one that only a later version has: a row of its own, or a CSR. */
static bool is_later(uint32_t word, unsigned xlen)
{
    enum { SYSTEM = 0x73 };
    const enum vx_insn_id id = vx_insn_find(word, xlen);
    const unsigned csr = word >> 20;
    const bool reads_csr = (word & 0x7f) == SYSTEM && word >> 12 & 3;
    return (id >= VX_INSN_LATER && id < VX_INSN_COUNT) ||
           (reads_csr && id < VX_INSN_COUNT && !vx_profile_csr(vx_profiles[0], csr) &&
            vx_profile_csr(vx_profiles[1], csr));
}

static bool is_instruction(uint32_t word, unsigned length)
{
    uint32_t whole;
    return length == 4
               ? vx_insn_find(word, 32) < VX_INSN_COUNT || vx_insn_find(word, 64) < VX_INSN_COUNT
               : vx_rvc_find((uint16_t)word, 32, &whole) || vx_rvc_find((uint16_t)word, 64, &whole);
}

/* Finds the first such instruction, one behind the other from the beginning of a segment. The first
 * bytes that are none, but for zeros between functions, are the beginning of data. */
static bool find_later(const struct wt_segment *s, unsigned xlen, uint64_t *addr)
{
    for (uint64_t at = 0; at + 4 <= s->length;) {
        const unsigned length = (s->bytes[at] & 3) == 3 ? 4 : 2;
        const uint32_t word = (uint32_t)wt_load_le(s->bytes + at, length);
        *addr = s->addr + at;
        if (length == 4 && is_later(word, xlen))
            return true;
        if (word && !is_instruction(word, length))
            return false;
        at += length;
    }
    return false;
}

static void tell_needs(FILE *out, const struct wt_image *image)
{
    const unsigned xlen = wt_vortex_image_width(image) == 64 ? 64 : 32;
    uint64_t addr = 0;
    bool found = false;
    for (size_t i = 0; i < image->segments && !found; i++)
        found = find_later(&image->segment[i], xlen, &addr);
    if (image->has_kernels)
        fprintf(out, "  needs: profile v3, since it names its kernels\n");
    else if (found)
        fprintf(out, "  needs: profile v3: 0x%" PRIx64 " has an instruction or a CSR of it\n",
                addr);
    else
        fprintf(out, "  needs: no instruction and no CSR of profile v3\n");
}

void wt_vortex_tell_image(FILE *out, const struct wt_image *image, const char *path)
{
    for (size_t i = 0; i < image->kernels; i++)
        fprintf(out, "  kernel: %s at 0x%" PRIx64 "\n", image->kernel[i].name,
                image->kernel[i].addr);
    if (image->has_kernels && !image->kernels)
        fprintf(out, "  kernels: its table names none\n");
    tell_width(out, image, path);
    tell_needs(out, image);
}

const struct wt_family_task wt_vortex_tasks[] = {
    {"run and debug programs", "", "", true},
    {"run programs on Vortex's host library", "own:driver", "", true},
    {"compile C", "cmd:riscv64-unknown-elf-gcc file:/usr/lib/picolibc/riscv64-unknown-elf",
     "gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf", false},
    {0},
};
