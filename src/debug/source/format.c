/* Values as text, in GDB's notation. */
#include <assert.h>
#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/demangle.h"
#include "base/text.h"
#include "debug/source/build.h"
#include "debug/source/format.h"

#define MOST_DEPTH 40 /* most depth of structures in structures */
/* Parts of a value: each has a byte, unless in damaged debug information structures are parts of
 * themselves, more than once. */
#define MOST_PARTS ((unsigned)WT_VALUE_BYTES)

/* Prints a value of one lane, which is good. */
static void print_value(struct wt_printer *p, const struct wt_values *v, unsigned depth);

/* ---- arrays and structures ---- */

/* Whether some parts of a value that is not there as a whole are: each then says so. */
static bool has_parts(const struct wt_values *v, unsigned k)
{
    const struct wt_type *plain = wt_type_plain(v->type);
    if (!wt_type_is_record(plain) &&
        (plain->kind != WT_TYPE_ARRAY || wt_format_is_textual(wt_type_target(plain))))
        return false;
    for (unsigned i = 0; i < v->piece_count; i++)
        if (v->piece[i].state[k] == WT_VALUE_GOOD && (!i || v->piece[i - 1].end < v->size))
            return true;
    return false;
}

/* A part that has no value says why. */
static void put_child(struct wt_printer *p, const struct wt_value_child *child, unsigned depth)
{
    const struct wt_values *v = &child->values;
    const unsigned seen = p->seen_count;
    char why[WT_VALUE_REASON];
    switch ((enum wt_value_state)v->state[0]) {
    case WT_VALUE_GOOD:
        break;
    case WT_VALUE_DAMAGED:
        fputs("<damaged debug information>", p->out);
        return;
    case WT_VALUE_LOST:
        if (has_parts(v, 0))
            break;
        fputs("<optimized out>", p->out);
        return;
    default:
        if (child->kind == WT_CHILD_BASE)
            fputs("<invalid address>", p->out);
        else
            fprintf(p->out, "<error: %s>", wt_values_reason(v, 0, why));
        return;
    }
    if (child->kind == WT_CHILD_MEMBER)
        p->seen_count = 0; /* another object than the one that it is in has other virtual bases */
    print_value(p, v, depth + 1);
    if (child->kind == WT_CHILD_MEMBER)
        p->seen_count = seen;
}

/* The elements from @p i on that have the same bytes, all of them: of two of which some parts are
 * lost it is not known. */
static uint64_t equal_elements(const struct wt_values *v, const struct wt_type *plain, uint64_t i,
                               uint64_t size, bool nested)
{
    const uint64_t first = wt_type_element_at(plain, i);
    const uint8_t state = wt_values_part_state(v, 0, first, size);
    uint64_t run = 1;
    for (; i + run < plain->count; run++) {
        const uint64_t at = wt_type_element_at(plain, i + run);
        if (first > v->size || size > v->size - first || at > v->size || size > v->size - at ||
            memcmp(v->bytes + first, v->bytes + at, size) != 0 ||
            state != wt_values_part_state(v, 0, at, size) || (state && nested))
            break;
    }
    return run;
}

static void put_array(struct wt_printer *p, const struct wt_values *v, unsigned depth)
{
    const struct wt_type *plain = wt_type_plain(v->type), *element = wt_type_target(plain);
    const uint64_t size = wt_type_size(element), count = wt_value_child_count(v);
    const unsigned most = p->format.elements ? p->format.elements : WT_FORMAT_ELEMENTS;
    const bool letter = p->format.letter && p->format.letter != 's';
    if (wt_format_is_textual(element) && !letter && !plain->is_vector && count && !plain->stride) {
        uint64_t length = count;
        if (length > most)
            length = most;
        else if (v->bytes[length - 1] == 0)
            length--;
        if (p->fortran)
            wt_format_fortran_string(p->out, v->bytes, count < most ? count : most);
        else
            wt_format_string(p, v->bytes, length, count > most);
        return;
    }
    const bool rows = wt_type_plain(element)->kind == WT_TYPE_ARRAY &&
                      !wt_format_is_textual(wt_type_target(wt_type_plain(element)));
    const bool nested = !wt_type_is_scalar(wt_type_plain(element));
    fputc(p->fortran ? '(' : '{', p->out);
    const uint64_t most_equal = wt_format_repeats(p);
    uint64_t shown = 0;
    for (uint64_t i = 0, run; i < count; i += run) {
        struct wt_value_child child;
        if (shown >= most || wt_value_child(p->scope, v, i, &child, WT_IGNORED) != WT_OK) {
            fputs("...", p->out);
            break;
        }
        if (i)
            fputs(p->fortran && rows ? " " : ", ", p->out);
        put_child(p, &child, depth);
        wt_values_free(&child.values);
        run = equal_elements(v, plain, i, size, nested);
        shown += run > most_equal ? most_equal : 1;
        if (run > most_equal)
            fprintf(p->out, " <repeats %" PRIu64 " times>", run);
        else
            run = 1;
    }
    fputc(p->fortran ? ')' : '}', p->out);
}

/* Whether a virtual base has been printed already; from now on it has. */
static bool was_seen(struct wt_printer *p, const struct wt_type *type)
{
    for (unsigned i = 0; i < p->seen_count; i++)
        if (p->seen[i] == type)
            return true;
    if (p->seen_count < WT_FORMAT_BASES)
        p->seen[p->seen_count++] = type;
    return false;
}

/* The lines of a structure, as GDB's "print pretty" has them; a blank between members else. */
static void begin_line(struct wt_printer *p, unsigned depth, const char *blank)
{
    if (p->format.pretty)
        fprintf(p->out, "\n%*s", (int)(2 * depth), "");
    else
        fputs(blank, p->out);
}

static void put_member(struct wt_printer *p, const struct wt_value_child *child, unsigned depth)
{
    const bool in_static = p->in_static;
    if (child->kind == WT_CHILD_BASE) {
        fputc('<', p->out);
        wt_type_print(p->out, child->values.type);
        fputs("> = ", p->out);
    } else if (child->kind == WT_CHILD_STATIC) {
        fprintf(p->out, "static %s = ", child->name ? child->name : "?");
        p->in_static = true;
    } else if (child->name) {
        fprintf(p->out, "%s = ", child->name);
    }
    put_child(p, child, depth);
    p->in_static = in_static;
}

static void put_record(struct wt_printer *p, const struct wt_values *v, unsigned depth)
{
    const struct wt_type *plain = wt_type_plain(v->type);
    size_t count, shown = 0;
    const struct wt_member *m = wt_type_members(plain, &count);
    if (plain->is_incomplete) {
        fputs("<incomplete type>", p->out);
        return;
    }
    fputs(p->fortran ? "( " : "{", p->out);
    bool bases = false;
    for (size_t i = 0; i < count; i++) {
        struct wt_value_child child;
        if (m[i].is_static && p->in_static)
            continue; /* a class may have a static member of its own type */
        if (m[i].is_virtual && was_seen(p, wt_type_plain(m[i].type)))
            continue;
        if (shown++)
            fputs(bases && p->format.pretty ? ", " : ",", p->out);
        if (bases && !m[i].is_base && p->format.pretty && plain->name) {
            begin_line(p, depth + 1, "");
            fprintf(p->out, "members of %s:", plain->name);
        }
        bases = m[i].is_base;
        begin_line(p, depth + 1, shown > 1 ? " " : "");
        if (wt_value_child(p->scope, v, i, &child, WT_IGNORED) != WT_OK) {
            fputs("...", p->out);
            break;
        }
        put_member(p, &child, depth);
        wt_values_free(&child.values);
    }
    if (count)
        begin_line(p, depth, "");
    else
        fputs("<No data fields>", p->out);
    fputs(p->fortran ? " )" : "}", p->out);
}

/* Classes that are looked through: in damaged debug information they may be bases of each other. */
#define MOST_CLASSES 64

/* The member that begins at an offset of a class, in it or in a base class; NULL: none. *owner is
 * the class that has it. */
static const struct wt_member *member_at(const struct wt_type *class, uint64_t offset,
                                         const struct wt_type **owner, unsigned *left)
{
    size_t count;
    if (!*left || !--*left)
        return NULL;
    const struct wt_member *m = wt_type_members(class, &count);
    for (size_t i = 0; i < count; i++)
        if (!m[i].is_static && !m[i].is_base && m[i].name && !m[i].bit_size &&
            m[i].offset == offset) {
            *owner = class;
            return &m[i];
        }
    for (size_t i = 0; i < count; i++) {
        const struct wt_type *plain = wt_type_plain(m[i].type);
        const struct wt_member *found =
            m[i].is_base && !m[i].is_virtual && offset >= m[i].offset && wt_type_is_record(plain)
                ? member_at(plain, offset - m[i].offset, owner, left)
                : NULL;
        if (found)
            return found;
    }
    return NULL;
}

/* A virtual method by its place in the table. */
static void put_virtual(struct wt_printer *p, const struct wt_type *class, uint64_t place)
{
    Dwarf_Die die = class->die, child;
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;
    for (int more = die.addr ? dwarf_child(&die, &child) : 1; more == 0;
         more = dwarf_siblingof(&child, &child)) {
        char name[300];
        if (dwarf_tag(&child) != DW_TAG_subprogram ||
            !dwarf_attr(&child, DW_AT_vtable_elem_location, &attribute) ||
            dwarf_getlocation(&attribute, &ops, &count) != 0 || count != 1 ||
            ops[0].atom != DW_OP_constu || ops[0].number != place ||
            !dwarf_attr(&child, DW_AT_linkage_name, &attribute))
            continue;
        const char *linkage = dwarf_formstring(&attribute);
        wt_demangle(linkage ? linkage : "?", name, sizeof name);
        fprintf(p->out, "&virtual %s", name);
        return;
    }
    fprintf(p->out, "&virtual table[%" PRIu64 "]", place);
}

/* Pointers to members have the form of the Itanium C++ ABI (section 2.3). A pointer to a variable
 * is its offset, or -1. A pointer to a method has two words: the method's address, or its offset in
 * the table of virtual functions plus 1; and the number that is added to `this`. */
static void put_member_pointer(struct wt_printer *p, const struct wt_type *plain,
                               const uint8_t *bytes)
{
    const bool method = wt_type_plain(wt_type_target(plain))->kind == WT_TYPE_FUNCTION;
    const unsigned size = (unsigned)wt_type_size(plain) / (method ? 2 : 1);
    if (!size || size > 8) {
        fputs("<pointer to a member of unknown size>", p->out);
        return;
    }
    const uint64_t value = wt_load_le(bytes, size),
                   none = size == 8 ? UINT64_MAX : (1ull << 8 * size) - 1;
    if (value == (method ? 0 : none)) {
        fputs("NULL", p->out);
        return;
    }
    if (method && value & 1) {
        put_virtual(p, wt_type_plain(plain->owner), (value - 1) / size);
        return;
    }
    if (method) {
        fputc('(', p->out);
        wt_type_print(p->out, plain);
        fputs(") ", p->out);
        wt_format_address(p, value, false);
        return;
    }
    const struct wt_type *owner;
    unsigned left = MOST_CLASSES;
    const struct wt_member *m = member_at(wt_type_plain(plain->owner), value, &owner, &left);
    if (m)
        fprintf(p->out, "&%s::%s", owner->name ? owner->name : "{...}", m->name);
    else
        fprintf(p->out, "%" PRIu64, value);
}

static void print_value(struct wt_printer *p, const struct wt_values *v, unsigned depth)
{
    const struct wt_type *type = v->type, *plain = wt_type_plain(type);
    const uint8_t *bytes = v->bytes;
    if (depth > MOST_DEPTH || ++p->parts > MOST_PARTS) {
        fputs("{...}", p->out);
        return;
    }
    const bool is_half = wt_type_half(plain) && (!p->format.letter || p->format.letter == 'f');
    if (is_half && v->size >= 2) {
        p->format.letter = 0;
        wt_format_scalar(p, type, 0, 0, bytes, false);
        return;
    }
    if (v->bit_size) {
        wt_format_scalar(p, type, v->bit_offset, v->bit_size, bytes, depth == 0 && p->format.top);
        return;
    }
    switch (plain->kind) {
    case WT_TYPE_ARRAY:
        put_array(p, v, depth);
        break;
    case WT_TYPE_STRUCT:
    case WT_TYPE_CLASS:
    case WT_TYPE_UNION:
        put_record(p, v, depth);
        break;
    case WT_TYPE_COMPLEX: {
        const unsigned half = (unsigned)wt_type_size(plain) / 2;
        if (half != 4 && half != 8) {
            fputs("<complex number of unknown size>", p->out);
            break;
        }
        if (p->fortran)
            fputc('(', p->out);
        wt_format_float(p->out, wt_load_le(bytes, half), half);
        fputs(p->fortran ? "," : " + ", p->out);
        wt_format_float(p->out, wt_load_le(bytes + half, half), half);
        fputc(p->fortran ? ')' : 'i', p->out);
        break;
    }
    case WT_TYPE_REFERENCE: {
        /* Of a structure: as in GDB, what it refers to is not printed. */
        const uint64_t size = wt_type_size(plain);
        fprintf(p->out, "@0x%" PRIx64, wt_load_le(bytes, size < 8 ? size : 8));
        break;
    }
    case WT_TYPE_MEMBER:
        put_member_pointer(p, plain, bytes);
        break;
    case WT_TYPE_VOID:
        fputs("void", p->out);
        break;
    case WT_TYPE_FUNCTION:
        fputs("<function>", p->out);
        break;
    default:
        wt_format_scalar(p, type, 0, 0, bytes, depth == 0 && p->format.top);
        break;
    }
}

static void put_function(FILE *out, const struct wt_view *scope, const struct wt_type *type,
                         uint64_t address)
{
    char symbol[300];
    fputc('{', out);
    wt_type_print(out, type);
    fprintf(out, "} 0x%" PRIx64, address);
    wt_source_symbol_at(scope, address, false, symbol, sizeof symbol);
    if (symbol[0])
        fprintf(out, " %s", symbol);
}

/* Notes beside a value: the time that it is of, a type that is guessed. */
static void put_notes(FILE *out, const struct wt_values *v)
{
    char text[WT_VALUE_REASON];
    const char *guess = wt_values_guess(v, text);
    if (v->as_of)
        fprintf(out, v->in_memory ? " (by a parameter as it was %s)" : " (%s)", v->as_of);
    if (guess)
        fprintf(out, " (%s)", guess);
}

void wt_values_print_bytes(FILE *out, const struct wt_view *scope, const struct wt_values *like,
                           const uint8_t *bytes, const struct wt_format *format)
{
    uint8_t good = WT_VALUE_GOOD;
    uint64_t nowhere = 0;
    const struct wt_values v = {.type = like->type,
                                .lane_count = 1,
                                .size = like->size,
                                .bytes = (uint8_t *)(uintptr_t)bytes,
                                .state = &good,
                                .address = &nowhere,
                                .reg = -1,
                                .bit_offset = like->bit_offset,
                                .bit_size = like->bit_size,
                                .guess = like->guess,
                                .guess_type = like->guess_type};
    wt_values_print(out, scope, &v, 0, format);
}

void wt_values_print(FILE *out, const struct wt_view *scope, const struct wt_values *v, unsigned k,
                     const struct wt_format *format)
{
    const struct wt_type *plain = wt_type_plain(v->type);
    struct wt_printer p = {
        .out = out, .scope = scope, .format = *format, .fortran = wt_source_is_fortran(scope)};
    if (plain->kind == WT_TYPE_FUNCTION && v->in_memory) {
        put_function(out, scope, v->type, v->address[k]);
        return;
    }
    char why[WT_VALUE_REASON];
    switch ((enum wt_value_state)v->state[k]) {
    case WT_VALUE_LOST:
        if (has_parts(v, k))
            break;
        fputs("<optimized out>", out);
        return;
    case WT_VALUE_ELSEWHERE: {
        char lanes[WT_LANES_TEXT];
        wt_lanes_text(v->there, lanes, sizeof lanes);
        fprintf(out, v->there ? "<only in %ss %s>" : "<in no %s>",
                scope->source->topology->lane_word, lanes);
        return;
    }
    case WT_VALUE_NOT_YET:
        fputs("<not available yet>", out);
        return;
    case WT_VALUE_NOT_HERE:
        fputs("<not available here>", out);
        return;
    case WT_VALUE_UNREADABLE:
    case WT_VALUE_UNKNOWN:
    case WT_VALUE_DIVIDED:
    case WT_VALUE_UNFIT:
    case WT_VALUE_UNREACHED:
    case WT_VALUE_LARGE:
    case WT_VALUE_DAMAGED:
        fprintf(out, "<error: %s>", wt_values_reason(v, k, why));
        return;
    case WT_VALUE_GOOD:
        break;
    }
    /* The value of the one lane, as its thread sees memory. */
    struct wt_view lane = *scope;
    struct wt_values one = *v;
    wt_lanes rest = v->lanes;
    for (unsigned i = 0; i < k; i++)
        rest &= rest - 1;
    one.lanes = rest & -rest;
    one.lane_count = 1;
    one.bytes += k * v->size;
    one.state += k;
    one.address = v->address ? v->address + k : NULL;
    struct wt_value_piece piece[WT_PIECES];
    assert(v->piece_count <= WT_PIECES);
    for (unsigned i = 0; i < v->piece_count; i++)
        piece[i] = (struct wt_value_piece){.end = v->piece[i].end, .state = {v->piece[i].state[k]}};
    one.piece = piece;
    if (v->in_memory) {
        const wt_thread thread =
            rest ? wt_debugger_thread_of_lane(wt_source_debugger(scope->source), scope->thread,
                                              wt_lanes_lowest(rest))
                 : 0;
        lane.thread = thread ? thread : scope->thread;
        p.scope = &lane;
    }
    if (v->reference) {
        if (format->top) {
            fputc('(', out);
            wt_type_print(out, v->reference);
            fputs(") ", out);
        }
        fprintf(out, "@0x%" PRIx64 ": ", v->address[k]);
        p.format.top = false;
    }
    if (!v->bit_size && plain->kind != WT_TYPE_VOID && v->size < wt_type_size(plain)) {
        fputs("<optimized out>", out);
        return;
    }
    print_value(&p, &one, 0);
    put_notes(out, v);
}
