/*
 * The value that a function has returned, by the convention of calls: RISC-V's psABI ("Procedure
 * Calling Convention"); AMD GPUs as LLVM has them (clang's AMDGPUABIInfo, LLVM's "User Guide for
 * AMDGPU Backend") and as GCC has them (its amdgcn back end returns numbers from s24 on).
 */
#include <stdio.h>
#include <string.h>

#include "debug/program/internal.h"

enum { MOST_LEAVES = 16, MOST_GCC = 8, AMD_PACKED = 8, DWORD = 4 };

/* A number in a structure. */
struct leaf {
    uint64_t offset, size;
    bool is_float;
};

struct leaves {
    struct leaf leaf[MOST_LEAVES];
    unsigned count;
    enum wt_abi abi;
};

/* Numbers side by side, of `step` bytes; the last may be smaller. */
static bool add_numbers(uint64_t offset, uint64_t size, uint64_t step, bool is_float,
                        struct leaves *l)
{
    for (uint64_t at = 0; at < size; at += step) {
        if (l->count == MOST_LEAVES)
            return false;
        l->leaf[l->count++] =
            (struct leaf){offset + at, size - at < step ? size - at : step, is_float};
    }
    return true;
}

/* The numbers that a type consists of; false: too many, or not only numbers side by side. */
static bool add_leaves(const struct wt_type *type, uint64_t offset, struct leaves *l)
{
    const struct wt_type *plain = wt_type_plain(type);
    const uint64_t size = wt_type_size(plain);
    if (plain->kind == WT_TYPE_COMPLEX)
        return add_numbers(offset, size, size / 2, true, l);
    if (plain->kind == WT_TYPE_ARRAY) {
        const struct wt_type *element = wt_type_target(plain);
        const uint64_t step = wt_type_size(element);
        /* AMD GPUs have pairs of halves in a register; RISC-V's convention has no vectors. */
        if (plain->is_vector && l->abi == WT_ABI_RISCV)
            return false;
        if (plain->is_vector && step == 2)
            return add_numbers(offset, size, DWORD, false, l);
        for (uint64_t at = 0; step && at < size; at += step)
            if (!add_leaves(element, offset + at, l))
                return false;
        return step != 0;
    }
    if (plain->kind == WT_TYPE_STRUCT || plain->kind == WT_TYPE_CLASS) {
        size_t count;
        const struct wt_member *m = wt_type_members(plain, &count);
        for (size_t i = 0; i < count; i++) {
            const uint64_t at = offset + m[i].offset;
            if (m[i].is_static)
                continue;
            if (m[i].bit_size && l->abi == WT_ABI_RISCV) {
                const uint64_t bytes = (m[i].bit_offset % 8 + m[i].bit_size + 7) / 8;
                if (!add_numbers(at + m[i].bit_offset / 8, bytes, bytes, false, l))
                    return false;
            } else if (m[i].bit_size || m[i].is_virtual || !add_leaves(m[i].type, at, l)) {
                return false;
            }
        }
        return true;
    }
    return wt_type_is_scalar(plain) &&
           add_numbers(offset, size, size, plain->kind == WT_TYPE_FLOAT, l);
}

/* The first bytes of a register. */
static bool read_register(const struct wt_program *g, const char *prefix, unsigned number,
                          uint8_t *out, uint64_t size)
{
    char name[16];
    uint8_t bytes[WT_REGISTER_BITS / 8];
    snprintf(name, sizeof name, "%s%u", prefix, number);
    for (unsigned i = 0; i < g->topology->register_count; i++) {
        const struct wt_register *r = &g->topology->registers[i];
        if (strcmp(r->name, name) != 0)
            continue;
        if (size > wt_register_size(r) ||
            wt_debugger_read_registers(g->debugger, g->thread, &i, 1, bytes, WT_IGNORED) != WT_OK)
            return false;
        memcpy(out, bytes, size);
        return true;
    }
    return false;
}

/* Bytes in registers one after the other. */
static bool read_packed(const struct wt_program *g, const char *prefix, unsigned number,
                        unsigned register_bytes, uint8_t *out, uint64_t size)
{
    for (uint64_t at = 0; at < size; at += register_bytes)
        if (!read_register(g, prefix, number + (unsigned)(at / register_bytes), out + at,
                           size - at < register_bytes ? size - at : register_bytes))
            return false;
    return true;
}

static bool read_riscv(const struct wt_program *g, const struct wt_type *type, unsigned float_bytes,
                       uint8_t *out)
{
    const unsigned x = g->topology->address_bits / 8;
    const uint64_t size = wt_type_size(type);
    struct leaves l = {.abi = WT_ABI_RISCV};
    const bool numbers = add_leaves(type, 0, &l);
    const struct leaf *a = &l.leaf[0], *b = &l.leaf[1];
    const bool in_float = a->is_float && a->size <= float_bytes;
    const bool other_in_float = b->is_float && b->size <= float_bytes;
    if (numbers && l.count == 1 && in_float)
        return read_register(g, "fa", 0, out + a->offset, a->size);
    if (numbers && l.count == 2 && (in_float || other_in_float) &&
        (in_float || (!a->is_float && a->size <= x)) &&
        (other_in_float || (!b->is_float && b->size <= x)))
        return read_register(g, in_float ? "fa" : "a", 0, out + a->offset, a->size) &&
               read_register(g, other_in_float ? "fa" : "a", in_float && other_in_float,
                             out + b->offset, b->size);
    return size <= 2 * x && read_packed(g, "a", 0, x, out, size);
}

/* Structures of up to 8 bytes are packed in registers; each number of others begins a register. */
static bool read_amd(const struct wt_program *g, const struct wt_type *type, uint8_t *out)
{
    const uint64_t size = wt_type_size(type);
    struct leaves l = {.abi = WT_ABI_AMDGPU};
    unsigned number = 0;
    if (wt_type_is_record(type) && size <= AMD_PACKED)
        return read_packed(g, "v", 0, DWORD, out, size);
    if (!add_leaves(type, 0, &l))
        return false;
    for (unsigned i = 0; i < l.count; i++) {
        const struct leaf *leaf = &l.leaf[i];
        if (!read_packed(g, "v", number, DWORD, out + leaf->offset, leaf->size))
            return false;
        number += (unsigned)((leaf->size + DWORD - 1) / DWORD);
    }
    return number <= MOST_LEAVES;
}

/* Pairs of bytes: clang 19 writes each as two halves of 32 bits to a result of two bytes. */
static bool has_pair_of_bytes(const struct wt_type *type)
{
    const struct wt_type *plain = wt_type_plain(type);
    const struct wt_type *element = plain->kind == WT_TYPE_ARRAY ? wt_type_target(plain) : NULL;
    size_t count = 0;
    if (element)
        return plain->is_vector ? wt_type_size(plain) == 2 && wt_type_size(element) == 1
                                : has_pair_of_bytes(element);
    const struct wt_member *m = wt_type_is_record(plain) ? wt_type_members(plain, &count) : NULL;
    for (size_t i = 0; i < count; i++)
        if (!m[i].is_static && has_pair_of_bytes(m[i].type))
            return true;
    return false;
}

/* PTX has results in rows of the caller's frame, which are shown as registers behind the call. */
static bool read_ptx(struct wt_program *g, const struct wt_type *type, uint8_t *out)
{
    static const char name[] = "%retval";
    const struct wt_view view = wt_program_view(g);
    const uint64_t size = wt_type_size(type);
    struct wt_code_register reg;
    uint64_t known = 0;
    if (has_pair_of_bytes(type))
        return false;
    for (size_t n = 0; wt_source_code_register(&view, n, &reg); n++) {
        struct wt_values v;
        if (strncmp(reg.name, name, strlen(name)) != 0)
            continue;
        if (known >= size || wt_source_evaluate(&view, reg.expression, &v, WT_IGNORED) != WT_OK)
            return false;
        if (v.state[0] == WT_VALUE_GOOD && v.size == DWORD)
            memcpy(out + known, v.bytes, size - known < DWORD ? size - known : DWORD);
        const bool good = v.state[0] == WT_VALUE_GOOD && v.size == DWORD;
        wt_values_free(&v);
        if (!good)
            return false;
        known += DWORD;
    }
    return known && known >= size;
}

bool wt_program_returned(struct wt_program *g, const struct wt_type *type,
                         uint8_t out[WT_RETURNED_BYTES])
{
    const struct wt_frame *frame = wt_frames_get(g->frames, 0);
    unsigned float_bytes;
    if (!frame || !frame->symbols || wt_type_size(type) > WT_RETURNED_BYTES ||
        wt_type_is_passed_by_address(type))
        return false;
    switch (wt_symbols_abi(frame->symbols, &float_bytes)) {
    case WT_ABI_RISCV:
        return read_riscv(g, type, float_bytes, out);
    case WT_ABI_AMDGPU:
        if (frame->info && wt_info_is_of_gcc(frame->info))
            return (wt_type_is_scalar(type) || type->kind == WT_TYPE_COMPLEX) &&
                   wt_type_size(type) <= MOST_GCC &&
                   read_packed(g, "s", 24, DWORD, out, wt_type_size(type));
        return read_amd(g, type, out);
    case WT_ABI_UNKNOWN:
        return read_ptx(g, type, out);
    }
    return false;
}
