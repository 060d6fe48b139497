/*
 * Shows the instruction table to the tests in this folder.
 *   isa_tool rows              one line a row: bytes, xlen, match, mask, operands, name
 *   isa_tool find XLEN         for each hexadecimal word on stdin: every row that it matches
 *   isa_tool disassemble XLEN PC   for each word on stdin: its text; PC goes on with each
 *   isa_tool known XLEN PC         … by the names that people know
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "emulator/vortex/isa.h"
#include "emulator/vortex/vortex.h"

static void rows(void)
{
    for (size_t i = 0; i < VX_INSN_COUNT; i++) {
        const struct vx_insn *row = &vx_insns[i];
        printf("4\t%u\t%08" PRIx32 "\t%08" PRIx32 "\t%s\t%s\n", row->xlen, row->match, row->mask,
               row->operands, row->name);
    }
    for (size_t i = 0; i < vx_rvc_count; i++) {
        const struct vx_rvc *row = &vx_rvcs[i];
        printf("2\t%u\t%04x\t%04x\t%s\t%s\n", row->xlen, row->match, row->mask, row->operands,
               row->name);
    }
}

static void find(unsigned xlen)
{
    uint32_t word;
    while (scanf("%" SCNx32, &word) == 1) {
        for (size_t i = 0; i < VX_INSN_COUNT; i++) {
            const struct vx_insn *row = &vx_insns[i];
            if ((word & row->mask) == row->match && (row->xlen == 0 || row->xlen == xlen))
                printf("%s ", row->name);
        }
        enum vx_insn_id id = vx_insn_find(word, xlen);
        printf("= %s\n", id == VX_INSN_COUNT ? "-" : vx_insns[id].name);
    }
}

typedef unsigned text_fn(const uint8_t *bytes, unsigned available, unsigned xlen, uint64_t pc,
                         char *text, size_t size);

static void disassemble(unsigned xlen, uint64_t pc, text_fn *put)
{
    uint32_t word;
    while (scanf("%" SCNx32, &word) == 1) {
        uint8_t bytes[4];
        char text[128];
        wt_store_le(bytes, word, 4);
        unsigned length = put(bytes, sizeof bytes, xlen, pc, text, sizeof text);
        printf("%u %s\n", length, text);
        pc += length;
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "rows") == 0)
        rows();
    else if (argc == 3 && strcmp(argv[1], "find") == 0)
        find((unsigned)atoi(argv[2]));
    else if (argc == 4 && strcmp(argv[1], "disassemble") == 0)
        disassemble((unsigned)atoi(argv[2]), strtoull(argv[3], NULL, 0), vx_disassemble);
    else if (argc == 4 && strcmp(argv[1], "known") == 0)
        disassemble((unsigned)atoi(argv[2]), strtoull(argv[3], NULL, 0), vx_disassemble_known);
    else
        return 2;
    return 0;
}
