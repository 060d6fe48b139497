/*
 * DW_OP_entry_value: what a register held when the function was called (DWARF 5, 2.5.1.7). The
 * caller's debug information may say so at the call: a call site (3.4) lists, for registers that
 * pass arguments, expressions of the caller that still hold.
 */
#include <dwarf.h>
#include <string.h>

#include "debug/source/attributes.h"
#include "debug/source/frames.h"

#define MOST_DEPTH 64 /* most depth of blocks in a function */
#define MOST_CALLS 8  /* that pass on what they were given */

static enum wt_status lost(struct wt_error *err)
{
    return wt_fail(err, WT_UNSUPPORTED, "value has been optimized out");
}

static bool number_of(Dwarf_Die *die, unsigned name, uint64_t *value)
{
    Dwarf_Attribute attribute;
    Dwarf_Addr address;
    if (!dwarf_attr(die, name, &attribute) || dwarf_formaddr(&attribute, &address) != 0)
        return false;
    *value = address;
    return true;
}

/* The call in a function, or in a block of it, that returns to @p pc (of the file). */
static bool find_call(Dwarf_Die *scope, uint64_t pc, unsigned depth, Dwarf_Die *call)
{
    Dwarf_Die child;
    uint64_t at;
    if (depth > MOST_DEPTH || dwarf_child(scope, &child) != 0)
        return false;
    do {
        const int tag = dwarf_tag(&child);
        /* GCC's older form has the return address as DW_AT_low_pc. */
        if ((tag == DW_TAG_call_site && number_of(&child, DW_AT_call_return_pc, &at) && at == pc) ||
            (tag == DW_TAG_GNU_call_site && number_of(&child, DW_AT_low_pc, &at) && at == pc)) {
            *call = child;
            return true;
        }
        if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) &&
            find_call(&child, pc, depth + 1, call))
            return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

/*
 * A call of another function may have ended with a jump to this one, with other arguments. So the
 * call must be one of the function itself; of a call through a pointer that is found out for each
 * lane, and fails for those that have called something else.
 */
static enum wt_status check_callee(struct wt_build *b, Dwarf_Die *call,
                                   const struct wt_frame *caller, const struct wt_frame *callee,
                                   struct wt_error *err)
{
    Dwarf_Attribute attribute;
    Dwarf_Die origin, function = callee->scope[0];
    Dwarf_Op *ops;
    size_t count;
    uint64_t start, end, own;
    wt_expr_vector target = 0;
    if (!wt_info_entry(&function, &own, &end))
        return lost(err);
    if (dwarf_attr(call, DW_AT_call_origin, &attribute) ||
        dwarf_attr(call, DW_AT_abstract_origin, &attribute)) {
        if (!dwarf_formref_die(&attribute, &origin))
            return lost(err);
        if (origin.addr == function.addr)
            return WT_OK;
        if (wt_info_entry(&origin, &start, &end))
            return start == own ? WT_OK : lost(err);
        /* A declaration, or what the function is an instance of. */
        const char *name = dwarf_diename(&origin), *mine = dwarf_diename(&function);
        return name && mine && strcmp(name, mine) == 0 ? WT_OK : lost(err);
    }
    if ((!dwarf_attr(call, DW_AT_call_target, &attribute) &&
         !dwarf_attr(call, DW_AT_GNU_call_site_target, &attribute)) ||
        dwarf_getlocation(&attribute, &ops, &count) != 0 || count == 0)
        return lost(err);
    enum wt_status status =
        wt_build_address(b, &attribute, ops, count, caller, caller->bias, NULL, &target, err);
    if (!status)
        status = wt_build_op(b, WT_EXPR_EQUAL, 64, target, wt_build_constant(b, own + callee->bias),
                             &target, err);
    if (status)
        return status;
    const size_t branch = wt_expr_add(b->expr, WT_EXPR_BRANCH, 0, target, target, target);
    wt_expr_add(b->expr, WT_EXPR_FAIL, 0, target, target, target);
    wt_expr_set_target(b->expr, branch, wt_expr_here(b->expr));
    return WT_OK;
}

/* The register that is read, or that a location names; false: it is something else. */
static bool register_of(const Dwarf_Op *ops, size_t count, unsigned *number)
{
    if (count != 1)
        return false;
    if (wt_dwarf_register(ops, number))
        return true;
    *number = (unsigned)ops[0].number;
    return ops[0].atom == DW_OP_regval_type || ops[0].atom == DW_OP_GNU_regval_type;
}

/* The call's value of a register: an attribute with an expression of the caller. */
static bool find_parameter(Dwarf_Die *call, unsigned number, Dwarf_Attribute *value)
{
    Dwarf_Die child;
    Dwarf_Attribute location;
    Dwarf_Op *ops;
    size_t count;
    unsigned own;
    if (dwarf_child(call, &child) != 0)
        return false;
    do {
        const int tag = dwarf_tag(&child);
        if ((tag == DW_TAG_call_site_parameter || tag == DW_TAG_GNU_call_site_parameter) &&
            dwarf_attr(&child, DW_AT_location, &location) &&
            dwarf_getlocation(&location, &ops, &count) == 0 && register_of(ops, count, &own) &&
            own == number)
            return dwarf_attr(&child, DW_AT_call_value, value) ||
                   dwarf_attr(&child, DW_AT_GNU_call_site_value, value);
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

/* The innermost frame of the function that has called the frame's. */
static const struct wt_frame *caller_of(struct wt_frames *frames, const struct wt_frame *frame)
{
    const struct wt_frame *caller = frame;
    for (unsigned level = frame->level; caller && caller->physical == frame->physical; level++)
        caller = wt_frames_get(frames, level);
    return caller;
}

enum wt_status wt_frames_entry_value(struct wt_build *b, Dwarf_Attribute *attribute,
                                     const Dwarf_Op *op, const struct wt_frame *frame,
                                     wt_expr_vector *v, const struct wt_type **type,
                                     struct wt_error *err)
{
    Dwarf_Attribute expression, value;
    Dwarf_Op *ops;
    size_t count;
    unsigned number = 0;
    Dwarf_Die call, function;
    const struct wt_frame *caller = frame && b->frames ? caller_of(b->frames, frame) : NULL;
    if (!caller || !caller->scope_count || !frame->scope_count || !attribute ||
        b->calls == MOST_CALLS)
        return lost(err);
    if (dwarf_getlocation_attr(attribute, op, &expression) != 0 ||
        dwarf_getlocation(&expression, &ops, &count) != 0 || !register_of(ops, count, &number))
        return lost(err);
    function = caller->scope[0];
    if (!find_call(&function, caller->pc - caller->bias, 0, &call) ||
        !find_parameter(&call, number, &value) || dwarf_getlocation(&value, &ops, &count) != 0 ||
        count == 0)
        return lost(err);
    b->calls++;
    b->uses_frame = true;
    enum wt_status status = check_callee(b, &call, caller, frame, err);
    if (!status)
        status = wt_build_address(b, &value, ops, count, caller, caller->bias, type, v, err);
    b->calls--;
    return status;
}
