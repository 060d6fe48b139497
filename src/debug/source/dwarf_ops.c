/*
 * Reads the operations of a DWARF expression that libdw refuses: of vendor operations it knows only
 * GNU's. (DWARF version 5, section 7.7.1: encodings.)
 */
#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "debug/source/build.h"

struct reader {
    const uint8_t *at, *end;
    bool good;
};

static uint64_t fixed(struct reader *r, unsigned size, bool is_signed)
{
    if ((size_t)(r->end - r->at) < size) {
        r->good = false;
        return 0;
    }
    uint64_t value = wt_load_le(r->at, size);
    r->at += size;
    if (is_signed && size < 8 && value >> (8 * size - 1))
        value |= ~UINT64_C(0) << (8 * size);
    return value;
}

static uint64_t leb128(struct reader *r, bool is_signed)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 0x80;
    while (byte & 0x80) {
        if (r->at == r->end || shift >= 64) {
            r->good = false;
            return 0;
        }
        byte = *r->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    }
    if (is_signed && byte & 0x40 && shift < 64)
        value |= ~UINT64_C(0) << shift;
    return value;
}

static bool has_no_operand(unsigned atom)
{
    return atom == DW_OP_deref || (atom >= DW_OP_dup && atom <= DW_OP_over) ||
           (atom >= DW_OP_swap && atom <= DW_OP_plus) || (atom >= DW_OP_shl && atom <= DW_OP_xor) ||
           (atom >= DW_OP_eq && atom <= DW_OP_ne) || (atom >= DW_OP_lit0 && atom <= DW_OP_reg31) ||
           atom == DW_OP_nop || atom == DW_OP_call_frame_cfa || atom == DW_OP_stack_value ||
           (atom >= WT_OP_INTEL_REGS && atom <= WT_OP_INTEL_LAST);
}

/* The sizes of fixed operands, plus 0x80 if signed; 0 if there is no operand of a fixed size. */
static unsigned fixed_operand(unsigned atom)
{
    enum { SIGNED = 0x80 };
    switch (atom) {
    case DW_OP_addr:
    case DW_OP_const8u:
    case DW_OP_const8s:
        return 8;
    case DW_OP_const1u:
    case DW_OP_pick:
    case DW_OP_deref_size:
        return 1;
    case DW_OP_const1s:
        return 1 | SIGNED;
    case DW_OP_const2u:
        return 2;
    case DW_OP_const2s:
    case DW_OP_bra:
    case DW_OP_skip:
        return 2 | SIGNED;
    case DW_OP_const4u:
        return 4;
    case DW_OP_const4s:
        return 4 | SIGNED;
    default:
        return 0;
    }
}

static void read_operands(struct reader *r, Dwarf_Op *op)
{
    const unsigned size = fixed_operand(op->atom);
    if (size) {
        op->number = fixed(r, size & 0x7f, size >> 7);
        return;
    }
    if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
        op->number = leb128(r, true);
        return;
    }
    switch (op->atom) {
    case DW_OP_constu:
    case DW_OP_plus_uconst:
    case DW_OP_regx:
    case DW_OP_piece:
        op->number = leb128(r, false);
        return;
    case DW_OP_consts:
    case DW_OP_fbreg:
        op->number = leb128(r, true);
        return;
    case DW_OP_bregx:
        op->number = leb128(r, false);
        op->number2 = leb128(r, true);
        return;
    case DW_OP_bit_piece:
        op->number = leb128(r, false);
        op->number2 = leb128(r, false);
        return;
    default:
        r->good &= has_no_operand(op->atom);
    }
}

bool wt_dwarf_operation_ends(const Dwarf_Op *op, uint64_t end)
{
    enum { LONGEST = 10, ADDRESSES = 8 }; /* bytes of a number in LEB128, of an address */
    const unsigned size = fixed_operand(op->atom) & 0x7f;
    const uint64_t begin = op->offset + 1; /* of the operands */
    if (has_no_operand(op->atom))
        return end == begin;
    if (op->atom == DW_OP_addr)
        return end == begin + ADDRESSES || end == begin + ADDRESSES / 2;
    return size ? end == begin + size : end > begin && end - begin <= 2 * LONGEST;
}

/* The bytes of the section that has location lists before version 5. */
static bool find_lists(Dwarf_Attribute *attribute, struct reader *r, unsigned *address_size)
{
    size_t names;
    GElf_Shdr header;
    Elf *elf = dwarf_getelf(dwarf_cu_getdwarf(attribute->cu));
    if (!elf || elf_getshdrstrndx(elf, &names) != 0)
        return false;
    *address_size = gelf_getclass(elf) == ELFCLASS32 ? 4 : 8;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
        const char *name =
            gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        const Elf_Data *data =
            name && strcmp(name, ".debug_loc") == 0 ? elf_getdata(section, NULL) : NULL;
        if (!data || !data->d_buf || header.sh_flags & SHF_COMPRESSED)
            continue;
        *r = (struct reader){
            .at = data->d_buf, .end = (const uint8_t *)data->d_buf + data->d_size, .good = true};
        return true;
    }
    return false;
}

/* The expression of a location list (DWARF 4, 2.6.2) for an address. */
static bool find_in_list(Dwarf_Attribute *attribute, uint64_t address, Dwarf_Block *block,
                         uint64_t *begin, uint64_t *end)
{
    struct reader r;
    Dwarf_Die unit;
    Dwarf_Half version;
    Dwarf_Word offset;
    Dwarf_Addr base;
    unsigned size;
    if (dwarf_whatform(attribute) != DW_FORM_sec_offset ||
        dwarf_formudata(attribute, &offset) != 0 ||
        dwarf_cu_info(attribute->cu, &version, NULL, &unit, NULL, NULL, NULL, NULL) != 0 ||
        version > 4 || !find_lists(attribute, &r, &size) || offset > (size_t)(r.end - r.at))
        return false;
    if (dwarf_lowpc(&unit, &base) != 0)
        base = 0;
    r.at += offset;
    for (;;) {
        const uint64_t first = fixed(&r, size, false), last = fixed(&r, size, false);
        if (!r.good || (first == 0 && last == 0))
            return false;
        if (first == (size == 4 ? UINT32_MAX : UINT64_MAX)) {
            base = last;
            continue;
        }
        const uint64_t length = fixed(&r, 2, false);
        if (!r.good || length > (size_t)(r.end - r.at))
            return false;
        *block = (Dwarf_Block){.length = length, .data = (unsigned char *)r.at};
        *begin = base + first;
        *end = base + last;
        if (address - *begin < last - first)
            return true;
        r.at += length;
    }
}

bool wt_dwarf_named(Dwarf_Attribute *attribute, uint64_t address, uint64_t *first, uint64_t *end)
{
    Dwarf_Block block;
    return find_in_list(attribute, address, &block, first, end);
}

Dwarf_Op *wt_dwarf_operations(Dwarf_Attribute *attribute, uint64_t address, size_t *count)
{
    Dwarf_Block block;
    uint64_t first, end;
    if ((dwarf_formblock(attribute, &block) != 0 &&
         !find_in_list(attribute, address, &block, &first, &end)) ||
        block.length == 0)
        return NULL;
    struct reader r = {.at = block.data, .end = block.data + block.length, .good = true};
    Dwarf_Op *ops = calloc(block.length, sizeof *ops); /* an operation has a byte or more */
    for (*count = 0; ops && r.at < r.end && r.good; ++*count) {
        Dwarf_Op *op = &ops[*count];
        op->offset = (Dwarf_Word)(r.at - (const uint8_t *)block.data);
        op->atom = *r.at++;
        read_operands(&r, op);
    }
    if (r.good)
        return ops;
    free(ops);
    return NULL;
}
