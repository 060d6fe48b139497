/* Encodings of x86-64. See x86.h. */
#include "emulator/translate/x86.h"

#include <string.h>

#include "base/bits.h"

/* Whether there is no room for a literal, or an instruction, any more: nothing is written then. */
static inline bool is_full(struct x86_code *c)
{
    c->overflow |= c->room - c->size < 32;
    return c->overflow;
}

static inline void byte(struct x86_code *c, unsigned value)
{
    c->bytes[c->size++] = (uint8_t)value;
}

static inline void dword(struct x86_code *c, uint32_t value)
{
    wt_store_le(c->bytes + c->size, value, 4);
    c->size += 4;
}

static bool is_byte(int32_t number)
{
    return number >= INT8_MIN && number <= INT8_MAX;
}

static void distance(struct x86_code *c, int32_t offset)
{
    if (is_byte(offset))
        byte(c, (uint32_t)offset & 0xff);
    else
        dword(c, (uint32_t)offset);
}

/* Notes an access to memory of so many bytes. True: it is a store that is left out. */
static bool note(struct x86_code *c, struct x86_place p, unsigned bytes, bool stores)
{
    struct x86_notes *n = c->notes;
    bool is_read = false;
    if (!n || (p.kind != X86_MEMORY && p.kind != X86_INDEXED) || p.number != n->base)
        return false;
    if (p.kind == X86_INDEXED || p.offset < 0 || (uint32_t)p.offset + bytes > X86_NOTED) {
        n->lost = true;
        return false;
    }
    for (uint32_t i = (uint32_t)p.offset / 4; 4 * i < (uint32_t)p.offset + bytes; i++) {
        const uint64_t bit = UINT64_C(1) << i % 64;
        (stores ? n->stored : n->read)[i / 64] |= bit;
        is_read |= (n->read[i / 64] & bit) != 0;
    }
    return stores && n->drops && !is_read;
}

/* Takes no note of an access. */
static void forgo(struct x86_code *c, struct x86_place p)
{
    if (c->notes && p.kind != X86_REGISTER && p.kind != X86_LITERAL)
        c->notes->lost |= p.number == c->notes->base;
}

/* The bytes of an operand in memory of an instruction of vectors. */
static unsigned bytes_of(const struct x86_code *c, unsigned op)
{
    switch (op) {
    case VPBROADCASTB:
    case VPBROADCASTW:
    case VPBROADCASTD:
    case VMOVD:
        return 4;
    case KMOVW:
        return 2;
    case KMOVB:
        return 1;
    case VPBROADCASTQ:
    case VMOVQ:
        return 8;
    default:
        return c->narrow ? 16 : 32;
    }
}

/* ModRM and what belongs to it; `behind` bytes of the instruction follow. */
static void operand(struct x86_code *c, unsigned reg, struct x86_place p, unsigned behind)
{
    switch (p.kind) {
    case X86_REGISTER:
        byte(c, 0xc0 | (reg & 7) << 3 | (p.number & 7));
        break;
    case X86_MEMORY:
        byte(c, (is_byte(p.offset) ? 0x40 : 0x80) | (reg & 7) << 3 | (p.number & 7));
        distance(c, p.offset);
        break;
    case X86_INDEXED:
        byte(c, (is_byte(p.offset) ? 0x44 : 0x84) | (reg & 7) << 3);
        byte(c, p.scale << 6 | (p.index & 7) << 3 | p.number);
        distance(c, p.offset);
        break;
    case X86_LITERAL:
        byte(c, 0x05 | (reg & 7) << 3);
        if (c->fixup_count == X86_FIXUPS)
            c->overflow = true;
        else
            c->fixup[c->fixup_count++] = (struct x86_fixup){(uint32_t)c->size, behind, p.number};
        dword(c, 0);
        break;
    }
}

static unsigned base_of(struct x86_place p)
{
    return p.kind == X86_LITERAL ? 0 : p.number;
}

static void vector(struct x86_code *c, unsigned op, unsigned a, unsigned b, struct x86_place p,
                   unsigned behind)
{
    const bool is_short = (op >> 2 & 63) == 1 && p.index < 8 && base_of(p) < 8;
    if (is_full(c) || note(c, p, bytes_of(c, op), op == VMOVDQU_TO))
        return;
    byte(c, is_short ? 0xc5 : 0xc4);
    if (!is_short)
        byte(c, (a < 8 ? 0x80u : 0) | (p.index < 8 ? 0x40u : 0) | (base_of(p) < 8 ? 0x20u : 0) |
                    (op >> 2 & 31));
    byte(c, (is_short ? a < 8 : op >> 7 & 1) << 7 | (~b & 15) << 3 | (c->narrow ? 0 : 1 << 2) |
                (op & 3));
    byte(c, op >> 8 & 0xff);
    operand(c, a, p, behind);
}

void x86_vector(struct x86_code *c, unsigned op, unsigned a, unsigned b, struct x86_place p)
{
    vector(c, op, a, b, p, 0);
}

void x86_vector_number(struct x86_code *c, unsigned op, unsigned a, unsigned b, struct x86_place p,
                       unsigned number)
{
    vector(c, op, a, b, p, 1);
    if (!c->overflow)
        byte(c, number);
}

void x86_gather(struct x86_code *c, unsigned op, unsigned a, unsigned mask, unsigned base,
                unsigned index)
{
    assert(base < 8);
    forgo(c, x86_mem(base, 0));
    if (is_full(c))
        return;
    byte(c, 0xc4);
    byte(c, (a < 8 ? 0x80u : 0) | (index < 8 ? 0x40u : 0) | 0x20 | (op >> 2 & 31));
    byte(c, (op >> 7 & 1) << 7 | (~mask & 15) << 3 | (c->narrow ? 0 : 1 << 2) | (op & 3));
    byte(c, op >> 8 & 0xff);
    byte(c, 0x04 | (a & 7) << 3);
    byte(c, (index & 7) << 3 | base);
}

/* Whether an offset fits a byte, in units of what is accessed. */
static bool is_near(int32_t offset, unsigned log)
{
    return !(offset & ((1 << log) - 1)) && is_byte(offset >> log);
}

static void vector_512(struct x86_code *c, unsigned op, unsigned a, unsigned b, struct x86_place p,
                       unsigned mask, unsigned behind)
{
    const unsigned base = base_of(p), wide = op >> 7 & 1,
                   above = p.kind == X86_REGISTER ? base >> 4 : p.index >> 3;
    const unsigned log = p.each ? 2 + wide : op >> 16 ? op >> 16 : 6;
    if (is_full(c) || note(c, p, 1u << log, op == VMOVDQU_TO && !mask))
        return;
    byte(c, 0x62);
    byte(c, (~a >> 3 & 1) << 7 | (~above & 1) << 6 | (~base >> 3 & 1) << 5 | (~a >> 4 & 1) << 4 |
                (op >> 2 & 7));
    byte(c, wide << 7 | (~b & 15) << 3 | 1 << 2 | (op & 3));
    byte(c, (mask & X86_ZEROS) << 4 | 2 << 5 | (unsigned)p.each << 4 | (~b >> 4 & 1) << 3 |
                (mask & 7));
    byte(c, op >> 8 & 0xff);
    if (p.kind != X86_MEMORY && p.kind != X86_INDEXED) {
        operand(c, a, p, behind);
        return;
    }
    const bool near = is_near(p.offset, log), indexed = p.kind == X86_INDEXED;
    byte(c, (near ? 0x40 : 0x80) | (a & 7) << 3 | (indexed ? 4 : p.number & 7));
    if (indexed)
        byte(c, p.scale << 6 | (p.index & 7) << 3 | p.number);
    if (near)
        byte(c, (uint32_t)(p.offset >> log) & 0xff);
    else
        dword(c, (uint32_t)p.offset);
}

void x86_512(struct x86_code *c, unsigned op, unsigned a, unsigned b, struct x86_place p,
             unsigned mask)
{
    vector_512(c, op, a, b, p, mask, 0);
}

void x86_512_number(struct x86_code *c, unsigned op, unsigned a, unsigned b, struct x86_place p,
                    unsigned mask, unsigned number)
{
    vector_512(c, op, a, b, p, mask, 1);
    if (!c->overflow)
        byte(c, number);
}

void x86_512_gather(struct x86_code *c, unsigned a, unsigned mask, unsigned base, unsigned index)
{
    assert(base < 8);
    forgo(c, x86_mem(base, 0));
    if (is_full(c))
        return;
    byte(c, 0x62);
    byte(c, (~a >> 3 & 1) << 7 | (~index >> 3 & 1) << 6 | 1 << 5 | (~a >> 4 & 1) << 4 |
                (ZPGATHERDD >> 2 & 7));
    byte(c, 15 << 3 | 1 << 2 | (ZPGATHERDD & 3));
    byte(c, 2 << 5 | (~index >> 4 & 1) << 3 | mask);
    byte(c, ZPGATHERDD >> 8);
    byte(c, 0x04 | (a & 7) << 3);
    byte(c, (index & 7) << 3 | base);
}

void x86_mask(struct x86_code *c, unsigned op, unsigned a, unsigned b, struct x86_place p)
{
    const bool narrow = c->narrow;
    c->narrow = op != KANDW && op != KANDNW && op != KORW && op != KXNORW && op != KUNPCKBW &&
                op != KUNPCKWD && op != KUNPCKDQ; /* those of two sources have the bit */
    vector(c, op, a, b, p, 0);
    c->narrow = narrow;
}

void x86_vzeroupper(struct x86_code *c)
{
    if (is_full(c))
        return;
    byte(c, 0xc5);
    byte(c, 0xf8);
    byte(c, 0x77);
}

static void rex(struct x86_code *c, bool wide, unsigned reg, struct x86_place p)
{
    const unsigned index = p.kind == X86_INDEXED ? p.index >> 3 : 0;
    const unsigned bits = (unsigned)wide << 3 | (reg >> 3) << 2 | index << 1 | base_of(p) >> 3;
    if (bits)
        byte(c, 0x40 | bits);
}

void x86_integer(struct x86_code *c, unsigned op, bool wide, unsigned a, struct x86_place b)
{
    if (is_full(c) || note(c, b, wide ? 8 : 4, op == X86_STORE))
        return;
    rex(c, wide, a, b);
    byte(c, op);
    operand(c, a, b, 0);
}

void x86_load_part(struct x86_code *c, unsigned bytes, bool is_signed, bool wide, unsigned a,
                   struct x86_place from)
{
    if (bytes == 4 && !(is_signed && wide)) {
        x86_integer(c, X86_LOAD, false, a, from);
        return;
    }
    if (is_full(c) || note(c, from, 8, false))
        return;
    rex(c, wide, a, from);
    if (bytes == 4) {
        byte(c, 0x63);
    } else {
        byte(c, 0x0f);
        byte(c, (is_signed ? 0xbe : 0xb6) | bytes >> 1);
    }
    operand(c, a, from, 0);
}

void x86_prefetch(struct x86_code *c, struct x86_place from)
{
    if (is_full(c))
        return;
    rex(c, false, 1, from);
    byte(c, 0x0f);
    byte(c, 0x18);
    operand(c, 1, from, 0);
}

void x86_store_part(struct x86_code *c, unsigned bytes, unsigned a, struct x86_place to)
{
    forgo(c, to);
    if (is_full(c))
        return;
    if (bytes == 2)
        byte(c, 0x66);
    rex(c, bytes == 8, a, to);
    byte(c, bytes == 1 ? 0x88 : 0x89);
    operand(c, a, to, 0);
}

void x86_integer_number(struct x86_code *c, unsigned op, bool wide, unsigned a, int32_t number)
{
    if (is_full(c))
        return;
    const bool is_short = op != X86_TEST && is_byte(number);
    rex(c, wide, 0, x86_reg(a));
    byte(c, op == X86_TEST ? 0xf7 : is_short ? 0x83 : 0x81);
    operand(c, op == X86_TEST ? 0 : op >> 3, x86_reg(a), 0);
    if (is_short)
        byte(c, (uint32_t)number & 0xff);
    else
        dword(c, (uint32_t)number);
}

void x86_shift(struct x86_code *c, bool left, unsigned a, unsigned by)
{
    if (is_full(c))
        return;
    rex(c, true, 0, x86_reg(a));
    byte(c, 0xc1);
    operand(c, left ? 4 : 5, x86_reg(a), 1);
    byte(c, by);
}

void x86_shift_by(struct x86_code *c, unsigned a, unsigned by)
{
    const bool narrow = c->narrow;
    c->narrow = true;
    vector(c, X86_V(1, 2, 1, 0xf7), a, by, x86_reg(a), 0); /* SHLX */
    c->narrow = narrow;
}

static void of_bits(struct x86_code *c, unsigned opcode, bool wide, unsigned a, unsigned from)
{
    if (is_full(c))
        return;
    byte(c, 0xf3);
    rex(c, wide, a, x86_reg(from));
    byte(c, 0x0f);
    byte(c, opcode);
    operand(c, a, x86_reg(from), 0);
}

void x86_count_ones(struct x86_code *c, unsigned a, unsigned from)
{
    of_bits(c, 0xb8, false, a, from);
}

void x86_find_one(struct x86_code *c, unsigned a, unsigned from)
{
    of_bits(c, 0xbc, true, a, from);
}

void x86_move_if(struct x86_code *c, int condition, unsigned a, struct x86_place from)
{
    if (is_full(c) || note(c, from, 8, false))
        return;
    rex(c, true, a, from);
    byte(c, 0x0f);
    byte(c, 0x40 + (unsigned)condition);
    operand(c, a, from, 0);
}

void x86_multiply(struct x86_code *c, unsigned a, struct x86_place by)
{
    if (is_full(c) || note(c, by, 8, false))
        return;
    rex(c, true, a, by);
    byte(c, 0x0f);
    byte(c, 0xaf);
    operand(c, a, by, 0);
}

void x86_not(struct x86_code *c, unsigned a)
{
    if (is_full(c))
        return;
    rex(c, false, 0, x86_reg(a));
    byte(c, 0xf7);
    operand(c, 2, x86_reg(a), 0);
}

void x86_set(struct x86_code *c, unsigned a, uint64_t number)
{
    if (is_full(c))
        return;
    const bool wide = number >> 32;
    rex(c, wide, 0, x86_reg(a));
    byte(c, 0xb8 | (a & 7));
    dword(c, (uint32_t)number);
    if (wide)
        dword(c, (uint32_t)(number >> 32));
}

void x86_test_byte(struct x86_code *c, struct x86_place place, unsigned bits)
{
    forgo(c, place);
    if (is_full(c))
        return;
    rex(c, false, 0, place);
    byte(c, 0xf6);
    operand(c, 0, place, 1);
    byte(c, bits);
}

static void flags(struct x86_code *c, unsigned operation, struct x86_place p)
{
    if (is_full(c))
        return;
    byte(c, 0x0f);
    byte(c, 0xae);
    operand(c, operation, p, 0);
}

void x86_store_flags(struct x86_code *c, struct x86_place to)
{
    flags(c, 3, to);
}

void x86_load_flags(struct x86_code *c, struct x86_place from)
{
    flags(c, 2, from);
}

void x86_store_number(struct x86_code *c, struct x86_place to, uint32_t number)
{
    forgo(c, to);
    if (is_full(c))
        return;
    rex(c, false, 0, to);
    byte(c, 0xc7);
    operand(c, 0, to, 4);
    dword(c, number);
}

void x86_store_condition(struct x86_code *c, int condition, struct x86_place to)
{
    forgo(c, to);
    if (is_full(c))
        return;
    rex(c, false, 0, to);
    byte(c, 0x0f);
    byte(c, 0x90 | (unsigned)condition);
    operand(c, 0, to, 0);
}

size_t x86_address(struct x86_code *c, unsigned a)
{
    if (is_full(c))
        return 0;
    rex(c, true, a, x86_reg(0));
    byte(c, 0x8d);
    byte(c, 0x05 | (a & 7) << 3);
    dword(c, 0);
    return c->size - 4;
}

void x86_jump_register(struct x86_code *c, unsigned a)
{
    if (is_full(c))
        return;
    byte(c, 0xff);
    operand(c, 4, x86_reg(a), 0);
}

void x86_call(struct x86_code *c, struct x86_place function)
{
    if (is_full(c))
        return;
    byte(c, 0xff);
    operand(c, 2, function, 0);
}

void x86_push(struct x86_code *c, unsigned a)
{
    if (is_full(c))
        return;
    byte(c, 0x50 | a);
}

void x86_pop(struct x86_code *c, unsigned a)
{
    if (is_full(c))
        return;
    byte(c, 0x58 | a);
}

void x86_return(struct x86_code *c)
{
    if (is_full(c))
        return;
    byte(c, 0xc3);
}

size_t x86_jump(struct x86_code *c, int condition)
{
    if (is_full(c))
        return 0;
    if (condition == X86_ALWAYS) {
        byte(c, 0xe9);
    } else {
        byte(c, 0x0f);
        byte(c, 0x80 | (unsigned)condition);
    }
    dword(c, 0);
    return c->size - 4;
}

static void put(struct x86_code *c, size_t at, uint32_t value)
{
    if (!c->overflow)
        memcpy(c->bytes + at, &value, 4);
}

void x86_land(struct x86_code *c, size_t jump, size_t to)
{
    put(c, jump, (uint32_t)(to - (jump + 4)));
}

struct x86_place x86_literal(struct x86_code *c, const void *bytes, size_t size)
{
    uint8_t row[32];
    size_t i = 0;
    for (size_t at = 0; at < sizeof row; at += size)
        memcpy(row + at, bytes, size);
    while (i < c->literal_count && memcmp(c->literal[i], row, sizeof row) != 0)
        i++;
    if (i == X86_LITERALS) {
        c->overflow = true;
        return x86_reg(0);
    }
    if (i == c->literal_count)
        memcpy(c->literal[c->literal_count++], row, sizeof row);
    return (struct x86_place){X86_LITERAL, (unsigned)i, 0, 0, 0, false};
}

void x86_finish(struct x86_code *c)
{
    while (!is_full(c) && c->size % 32)
        byte(c, 0xcc);
    const size_t first = c->size;
    for (size_t i = 0; i < c->literal_count && !is_full(c); i++, c->size += 32)
        memcpy(c->bytes + c->size, c->literal[i], 32);
    for (size_t i = 0; i < c->fixup_count; i++) {
        const struct x86_fixup *f = &c->fixup[i];
        put(c, f->at, (uint32_t)(first + f->literal * 32 - (f->at + 4 + f->behind)));
    }
}
