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

struct dwarf_reader {
    const uint8_t *at, *end;
    bool good;
};

static uint64_t fixed(struct dwarf_reader *r, unsigned size, bool is_signed)
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

static uint64_t leb128(struct dwarf_reader *r, bool is_signed)
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

static void read_operands(struct dwarf_reader *r, Dwarf_Op *op)
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
    const uint64_t begin = op->offset + 1; /* where the operands begin */
    if (has_no_operand(op->atom))
        return end == begin;
    if (op->atom == DW_OP_addr)
        return end == begin + ADDRESSES || end == begin + ADDRESSES / 2;
    return size ? end == begin + size : end > begin && end - begin <= 2 * LONGEST;
}

/* The bytes of the section that has location lists before version 5. */
static bool find_lists(Dwarf_Attribute *attribute, struct dwarf_reader *r, unsigned *address_size)
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
        *r = (struct dwarf_reader){
            .at = data->d_buf, .end = (const uint8_t *)data->d_buf + data->d_size, .good = true};
        return true;
    }
    return false;
}

/* The expression of a location list (DWARF 4, 2.6.2) for an address. */
static bool find_in_list(Dwarf_Attribute *attribute, uint64_t address, Dwarf_Block *block,
                         uint64_t *begin, uint64_t *end)
{
    struct dwarf_reader r;
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

/*
 * Intel's compiler writes the operands of DW_OP_constu, and in values those of DW_OP_plus_uconst,
 * not in LEB128 but in 1, 2, 4 or 8 bytes, as few as the number needs; below 128 there is no
 * difference. The operations behind a constant tell how it was written: only the right reading
 * makes them an expression that leaves one value. Registers' numbers and parts of addresses are in
 * LEB128. LLVM's expressions have no DW_OP_abs.
 */
enum { MOST_TRIES = 4096, MOST_TARGETS = 32 };

struct dwarf_ways {
    const uint8_t *begin;
    Dwarf_Op *ops, *found; /* operations of the present try; those of the one that ends well */
    size_t length, count, found_count;
    unsigned tries, good;
};

/* How many values an operation takes, and how many it leaves. */
static void takes_and_leaves(const Dwarf_Op *op, unsigned *takes, unsigned *leaves)
{
    const unsigned atom = op->atom;
    *takes = *leaves = 0;
    if (atom == DW_OP_dup || atom == DW_OP_over || atom == DW_OP_pick) {
        *takes = atom == DW_OP_pick ? (unsigned)op->number + 1 : atom == DW_OP_over ? 2 : 1;
        *leaves = *takes + 1;
    } else if (atom == DW_OP_swap || atom == DW_OP_rot) {
        *takes = *leaves = atom == DW_OP_rot ? 3 : 2;
    } else if (atom == DW_OP_drop || atom == DW_OP_bra) {
        *takes = 1;
    } else if (atom == DW_OP_deref || atom == DW_OP_deref_size || atom == DW_OP_abs ||
               atom == DW_OP_neg || atom == DW_OP_not || atom == DW_OP_plus_uconst ||
               atom == DW_OP_stack_value || atom == WT_OP_INTEL_REGS) {
        *takes = *leaves = 1;
    } else if (atom == WT_OP_INTEL_PUSH_BITS) {
        *takes = 3;
        *leaves = 1;
    } else if ((atom >= DW_OP_and && atom <= DW_OP_xor) || (atom >= DW_OP_eq && atom <= DW_OP_ne)) {
        *takes = 2;
        *leaves = 1;
    } else if (atom != DW_OP_nop && atom != DW_OP_skip) {
        *leaves = 1;
    }
}

/* Whether each operation has its operands, and one value or pieces are left. */
static bool ends_well(const struct dwarf_ways *w)
{
    struct {
        uint64_t offset;
        unsigned depth;
    } target[MOST_TARGETS];
    unsigned targets = 0, depth = 0, takes, leaves;
    bool comes = true, pieces = false; /* from the operation before */
    for (size_t i = 0; i <= w->count; i++) {
        const uint64_t offset = i < w->count ? w->ops[i].offset : w->length;
        for (unsigned k = 0; k < targets; k++) {
            if (target[k].offset != offset)
                continue;
            if (comes && depth != target[k].depth)
                return false;
            depth = target[k].depth;
            comes = true;
            target[k--] = target[--targets];
        }
        if (i == w->count || !comes)
            continue;
        const Dwarf_Op *op = &w->ops[i];
        if (op->atom == DW_OP_piece || op->atom == DW_OP_bit_piece) {
            pieces = true;
            depth = 0;
            continue;
        }
        takes_and_leaves(op, &takes, &leaves);
        if (depth < takes)
            return false;
        depth += leaves - takes;
        if (op->atom == DW_OP_bra || op->atom == DW_OP_skip) {
            if (targets == MOST_TARGETS)
                return false;
            target[targets].depth = depth;
            target[targets++].offset = op->offset + 3 + op->number;
            comes = op->atom == DW_OP_bra;
        }
    }
    return !targets && comes && (depth == 1 || (pieces && !depth));
}

/* The operand in `size` bytes, if it needs them and means another number than in LEB128. */
static bool read_plain(struct dwarf_reader *r, unsigned size, Dwarf_Op *op)
{
    op->number = fixed(r, size, false);
    return r->good && (size == 1 ? op->number > 0x7f : op->number >> (4 * size) != 0);
}

/* The byte of an operation; its operands follow. */
static void read_atom(const struct dwarf_ways *w, struct dwarf_reader *r, Dwarf_Op *op)
{
    *op = (Dwarf_Op){.offset = (Dwarf_Word)(r->at - w->begin), .atom = *r->at};
    r->at++;
}

/* How many bytes an operand may have beside LEB128. */
static unsigned most_plain(struct dwarf_reader r, const Dwarf_Op *op)
{
    if (op->atom != DW_OP_plus_uconst || r.end[-1] != DW_OP_stack_value)
        return op->atom == DW_OP_constu ? 8 : 0;
    Dwarf_Op leb = *op;
    read_operands(&r, &leb);
    return r.at < r.end && *r.at != WT_OP_INTEL_REGS ? 8 : 0;
}

static void read_each_way(struct dwarf_ways *w, struct dwarf_reader r)
{
    const size_t before = w->count;
    while (r.at < r.end && r.good && w->tries < MOST_TRIES) {
        Dwarf_Op *op = &w->ops[w->count++];
        read_atom(w, &r, op);
        r.good = op->atom != DW_OP_abs;
        for (unsigned size = 1; size <= most_plain(r, op); size *= 2) {
            struct dwarf_reader other = r;
            w->tries++;
            if (read_plain(&other, size, op))
                read_each_way(w, other);
        }
        read_operands(&r, op);
    }
    if (r.good && r.at == r.end && ends_well(w) && w->good++ == 0) {
        memcpy(w->found, w->ops, w->count * sizeof *w->ops);
        w->found_count = w->count;
    }
    w->count = before;
}

/* As the standard says. */
static bool read_all(struct dwarf_ways *w, struct dwarf_reader r)
{
    w->found_count = 0;
    while (r.at < r.end && r.good) {
        Dwarf_Op *op = &w->found[w->found_count++];
        read_atom(w, &r, op);
        read_operands(&r, op);
    }
    return r.good;
}

enum wt_status wt_dwarf_read(const uint8_t *bytes, size_t length, Dwarf_Op **ops, size_t *count,
                             struct wt_error *err)
{
    const struct dwarf_reader r = {.at = bytes, .end = bytes + length, .good = true};
    struct dwarf_ways w = {.begin = bytes, .length = length}; /* an operation has a byte or more */
    enum wt_status status = WT_OK;
    w.ops = calloc(length, sizeof *w.ops);
    w.found = calloc(length, sizeof *w.found);
    bool known = w.ops && w.found;
    if (known)
        read_each_way(&w, r);
    else
        status = wt_fail(err, WT_NO_MEMORY, "no host memory for a location");
    if (known && (w.good > 1 || w.tries >= MOST_TRIES))
        status = wt_fail(err, WT_INVALID,
                         "the debug information is damaged: a constant in a location can be read "
                         "in two ways");
    else if (known && !w.good)
        known = read_all(&w, r);
    free(w.ops);
    if (status || !known) {
        free(w.found);
        w.found = NULL;
    }
    *ops = w.found;
    *count = w.found_count;
    return status;
}

enum wt_status wt_dwarf_operations(Dwarf_Attribute *attribute, uint64_t address, Dwarf_Op **ops,
                                   size_t *count, struct wt_error *err)
{
    Dwarf_Block block;
    uint64_t first, end;
    *ops = NULL;
    if ((dwarf_formblock(attribute, &block) != 0 &&
         !find_in_list(attribute, address, &block, &first, &end)) ||
        block.length == 0)
        return WT_OK;
    return wt_dwarf_read(block.data, block.length, ops, count, err);
}
