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
    {.name = "registers", .dwarf = -1, .address_bits = 12},
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

static void place(struct wt_info *info, Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops, *own = NULL;
    size_t count;
    struct wt_operand o;
    struct wt_error err = {0};
    struct wt_build b = {
        .expr = wt_expr_new(), .types = wt_info_types(info), .topology = &topology};
    if (!b.expr)
        abort();
    if (dwarf_attr_integrate(die, DW_AT_location, &attribute) &&
        (dwarf_getlocation(&attribute, &ops, &count) == 0 ||
         (ops = own = wt_dwarf_operations(&attribute, &count)) != NULL) &&
        wt_build_location(&b, &attribute, ops, count, NULL, 0, 4, &o, &err) == WT_OK &&
        o.piece_count > WT_PIECES)
        abort();
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
            place(info, &child);
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
            wt_type_print_definition(out, type);
            place(info, &die);
            if (names[i].kind == WT_NAME_FUNCTION && wt_info_entry(&die, &start, &end))
                scopes(info, start);
        }
        fclose(out);
        free(text);
    }
    wt_symbols_close(s);
    return 0;
}
