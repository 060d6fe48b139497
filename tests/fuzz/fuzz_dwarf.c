/*
 * Fuzz target: debug information of damaged ELF files: names, scopes, types, locations and call
 * frame information. libFuzzer mutates whole files; the seeds are small ones with DWARF.
 */
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>

#include "debug/source/build.h"
#include "debug/source/info.h"
#include "debug/source/symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NAMES 300 /* of one file, at most */

static const struct wt_space spaces[] = {
    {.name = "memory", .dwarf = 0, .address_bits = 64},
    {.name = "registers", .dwarf = -1, .address_bits = 12, .aperture = UINT64_C(1) << 40},
};
static const struct wt_register lane = {.name = "_lane", .bits = 32, .dwarf = -1};
static const struct wt_topology topology = {.spaces = spaces,
                                            .space_count = 2,
                                            .registers = &lane,
                                            .register_count = 1,
                                            .file_space = 1,
                                            .file_dwarf = 16,
                                            .file_bytes = 32,
                                            .address_bits = 64};

/* Every lane's memory is what its address is. */
static wt_lanes read_memory(void *context, wt_lanes which, const uint64_t *addr, unsigned size,
                            uint64_t *out)
{
    (void)context;
    for (wt_lanes rest = which; rest; rest &= rest - 1) {
        const unsigned k = wt_lanes_lowest(rest);
        out[k] = addr[k] & ~UINT64_C(0) >> (64 - 8 * size);
    }
    return which;
}

/* A location that is accepted can be computed. */
static void evaluate(struct wt_expr *expr, const struct wt_operand *o)
{
    enum { LANES = 32 };
    uint64_t number[LANES], value[LANES];
    const uint64_t *row[1] = {number};
    const struct wt_expr_world world = {.read = read_memory};
    struct wt_error err = {0};
    size_t count;
    for (unsigned k = 0; k < LANES; k++)
        number[k] = k;
    const wt_expr_vector v = o->piece_count ? o->piece[0].vector : wt_expr_constant(expr, 0);
    wt_expr_add(expr, WT_EXPR_END, 0, wt_expr_temporary(expr, 0), v, v);
    if (wt_expr_finish(expr, &err) != WT_OK || wt_expr_loops(expr))
        abort();
    wt_expr_registers(expr, &count);
    if (count > 1)
        abort();
    wt_expr_run(expr, row, LANES, &world, value);
}

static void place(struct wt_info *info, Dwarf_Die *die, uint64_t pc)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops = NULL, *own = NULL;
    size_t count;
    struct wt_operand o;
    struct wt_error err = {0};
    struct wt_build b = {
        .expr = wt_expr_new(), .types = wt_info_types(info), .topology = &topology};
    if (!b.expr)
        abort();
    if (dwarf_attr_integrate(die, DW_AT_location, &attribute) &&
        (dwarf_getlocation(&attribute, &ops, &count) == 0 ||
         (wt_dwarf_operations(&attribute, pc, &own, &count, &err) == WT_OK &&
          (ops = own) != NULL)) &&
        wt_build_location(&b, &attribute, ops, count, NULL, 0, 4, &o, &err) == WT_OK) {
        if (o.piece_count > WT_PIECES)
            abort();
        evaluate(b.expr, &o);
    }
    free(own);
    wt_expr_free(b.expr);
}

static void scopes(struct wt_info *info, uint64_t pc)
{
    Dwarf_Die scope[WT_SCOPES], child;
    const unsigned count = wt_info_scopes(info, pc, scope);
    for (unsigned i = 0; i < count; i++) {
        unsigned left = NAMES;
        wt_info_name_of(info, &scope[i]);
        if (dwarf_child(&scope[i], &child) != 0)
            continue;
        do {
            wt_types_of(wt_info_types(info), &child);
            place(info, &child, pc);
        } while (--left && dwarf_siblingof(&child, &child) == 0);
    }
    free(wt_info_frame(info, pc));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wt_symbols *s;
    struct wt_error err = {0};
    char *text = NULL;
    size_t length, count;
    if (wt_symbols_open_bytes("fuzzed", data, size, &s, &err))
        return 0;
    struct wt_info *info = wt_symbols_info(s);
    FILE *out = info ? open_memstream(&text, &length) : NULL;
    if (out) {
        const struct wt_name *names = wt_info_names(info, &count);
        for (size_t i = 0; i < count && i < NAMES; i++) {
            Dwarf_Die die = names[i].die;
            uint64_t start, end;
            const struct wt_type *type = names[i].kind == WT_NAME_TYPE
                                             ? wt_types_read(wt_info_types(info), &die)
                                             : wt_types_of(wt_info_types(info), &die);
            wt_type_print_declared(out, type, names[i].name);
            wt_type_print_definition(out, type, &(struct wt_ptype_flags){.offsets = i % 2});
            place(info, &die, 0);
            if (names[i].kind == WT_NAME_FUNCTION && wt_info_entry(&die, &start, &end))
                scopes(info, start);
        }
        fclose(out);
        free(text);
    }
    wt_symbols_close(s);
    return 0;
}
