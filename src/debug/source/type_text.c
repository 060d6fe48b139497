/* Types as C and C++ write them, in the form that GDB prints. */
#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "debug/source/language.h"
#include "debug/source/types.h"

#define MOST_DEPTH 40

static bool is_cplusplus(const struct wt_type *type)
{
    Dwarf_Die die = type->die;
    return die.addr && wt_language_is_cplusplus(&die);
}

static bool is_fortran(const struct wt_type *type)
{
    Dwarf_Die die = type->die;
    return die.addr && wt_language_is_fortran(&die);
}

static const char *keyword(const struct wt_type *type)
{
    if (is_fortran(type) && type->kind == WT_TYPE_STRUCT)
        return "Type ";
    switch (type->kind) {
    case WT_TYPE_UNION:
        return "union ";
    case WT_TYPE_ENUM:
        return "enum ";
    case WT_TYPE_CLASS:
        return "class ";
    default:
        return "struct ";
    }
}

/* Fortran's CHARACTER. */
static bool is_string(const struct wt_type *type)
{
    Dwarf_Die die = type->die;
    return die.addr && dwarf_tag(&die) == DW_TAG_string_type;
}

/* The words before the declarator. */
static void print_base(FILE *out, const struct wt_type *type, unsigned depth)
{
    if (depth > MOST_DEPTH) {
        fputs("...", out);
        return;
    }
    switch (type->kind) {
    case WT_TYPE_ARRAY:
        if (is_string(type)) {
            fprintf(out, "character*%" PRIu64, type->count);
            break;
        }
        /* fall through */
    case WT_TYPE_POINTER:
    case WT_TYPE_MEMBER:
    case WT_TYPE_REFERENCE:
    case WT_TYPE_FUNCTION:
        if (type->target)
            print_base(out, type->target, depth + 1);
        else
            fputs("void", out);
        break;
    case WT_TYPE_CONST:
    case WT_TYPE_VOLATILE: {
        const struct wt_type *target = type;
        bool is_const = false, is_volatile = false;
        for (; target && (target->kind == WT_TYPE_CONST || target->kind == WT_TYPE_VOLATILE) &&
               depth < MOST_DEPTH;
             target = target->target, depth++) {
            is_const |= target->kind == WT_TYPE_CONST;
            is_volatile |= target->kind == WT_TYPE_VOLATILE;
        }
        /* The qualifiers of a pointer follow the star: the declarator writes them. */
        if (!target || (target->kind != WT_TYPE_POINTER && target->kind != WT_TYPE_REFERENCE))
            fprintf(out, "%s%s", is_const ? "const " : "", is_volatile ? "volatile " : "");
        if (target)
            print_base(out, target, depth + 1);
        else
            fputs("void", out);
        break;
    }
    case WT_TYPE_TYPEDEF:
        if (type->name)
            fputs(type->name, out);
        else if (type->target)
            print_base(out, type->target, depth + 1);
        else
            fputs("void", out);
        break;
    case WT_TYPE_STRUCT:
    case WT_TYPE_CLASS:
    case WT_TYPE_UNION:
    case WT_TYPE_ENUM:
        if (!type->name || !is_cplusplus(type))
            fputs(keyword(type), out);
        fputs(type->name ? type->name : "{...}", out);
        break;
    default:
        fputs(type->name ? type->name : "void", out);
        break;
    }
}

static bool is_derived(const struct wt_type *type)
{
    return type && (type->kind == WT_TYPE_ARRAY || type->kind == WT_TYPE_FUNCTION);
}

/* Prints the sign that makes a declarator one of a pointer or reference. */
static void put_star(FILE *out, const struct wt_type *type)
{
    if (type->kind == WT_TYPE_MEMBER)
        fprintf(out, "%s::*", type->owner->name ? type->owner->name : "{...}");
    else
        fputs(type->kind == WT_TYPE_POINTER ? "*" : type->is_rvalue ? "&&" : "&", out);
}

/* The part before the name: stars, references, opening parentheses. */
static bool print_prefix(FILE *out, const struct wt_type *type, bool named, unsigned depth)
{
    if (!type || depth > MOST_DEPTH)
        return false;
    switch (type->kind) {
    case WT_TYPE_POINTER:
    case WT_TYPE_MEMBER:
    case WT_TYPE_REFERENCE: {
        const bool before = print_prefix(out, type->target, true, depth + 1);
        if (!before)
            fputc(' ', out);
        if (is_derived(type->target))
            fputc('(', out);
        put_star(out, type);
        return true;
    }
    case WT_TYPE_CONST:
    case WT_TYPE_VOLATILE: {
        const bool before = print_prefix(out, type->target, named, depth + 1);
        if (before && type->target->kind == WT_TYPE_POINTER) {
            fputs(type->kind == WT_TYPE_CONST ? " const" : " volatile", out);
            if (named)
                fputc(' ', out);
        }
        return before;
    }
    case WT_TYPE_ARRAY:
    case WT_TYPE_FUNCTION:
        return print_prefix(out, type->target, true, depth + 1);
    case WT_TYPE_TYPEDEF:
        return type->name ? false : print_prefix(out, type->target, named, depth + 1);
    default:
        return false;
    }
}

static void print_declared(FILE *out, const struct wt_type *type, const char *name, unsigned depth);

static bool is_artificial(const struct wt_member *parameter)
{
    Dwarf_Die die = parameter->die;
    return die.addr && dwarf_hasattr(&die, DW_AT_artificial);
}

/* Parameters may be functions with parameters, which form cycles in damaged files. */
static void print_parameters(FILE *out, const struct wt_type *type, unsigned depth)
{
    size_t count;
    const struct wt_member *p = wt_type_members(type, &count);
    fputc('(', out);
    for (size_t i = 0; i < count; i++) {
        if (i)
            fputs(", ", out);
        print_declared(out, p[i].type, "", depth + MOST_DEPTH / 4);
        /* As GDB has it: `this` does not change, which types of methods do not say. */
        if (i == 0 && is_artificial(&p[i]) && p[i].type->kind == WT_TYPE_POINTER)
            fputs(" const", out);
    }
    if (type->is_variadic)
        fputs(count ? ", ..." : "...", out);
    else if (!count && type->has_prototype)
        fputs("void", out);
    fputc(')', out);
}

/* "(2,-1:1)": the first dimension is that of the innermost array. */
static void print_bounds(FILE *out, const struct wt_type *type)
{
    const struct wt_type *level[16];
    unsigned count = 0;
    for (; type->kind == WT_TYPE_ARRAY && count < 16; type = wt_type_plain(wt_type_target(type)))
        level[count++] = type;
    fputc('(', out);
    while (count-- > 0) {
        const struct wt_type *t = level[count];
        if (!t->has_count)
            fputc(':', out);
        else if (t->lower != 1)
            fprintf(out, "%" PRId64 ":%" PRId64, t->lower, t->lower + (int64_t)t->count - 1);
        else
            fprintf(out, "%" PRIu64, t->count);
        if (count)
            fputc(',', out);
    }
    fputc(')', out);
}

static void print_suffix(FILE *out, const struct wt_type *type, unsigned depth)
{
    if (!type || depth > MOST_DEPTH)
        return;
    switch (type->kind) {
    case WT_TYPE_POINTER:
    case WT_TYPE_MEMBER:
    case WT_TYPE_REFERENCE:
        if (is_derived(type->target))
            fputc(')', out);
        print_suffix(out, type->target, depth + 1);
        break;
    case WT_TYPE_ARRAY:
        if (is_string(type))
            break;
        if (is_fortran(type)) {
            print_bounds(out, type);
            break;
        }
        if (type->is_vector)
            fprintf(out, " __attribute__ ((vector_size(%" PRIu64 ")))", type->count);
        else if (type->has_count)
            fprintf(out, "[%" PRIu64 "]", type->count);
        else
            fputs("[]", out);
        print_suffix(out, type->target, depth + 1);
        break;
    case WT_TYPE_FUNCTION:
        print_parameters(out, type, depth);
        print_suffix(out, type->target, depth + 1);
        break;
    case WT_TYPE_CONST:
    case WT_TYPE_VOLATILE:
        print_suffix(out, type->target, depth + 1);
        break;
    case WT_TYPE_TYPEDEF:
        if (!type->name)
            print_suffix(out, type->target, depth + 1);
        break;
    default:
        break;
    }
}

static void print_declared(FILE *out, const struct wt_type *type, const char *name, unsigned depth)
{
    print_base(out, type, depth);
    const bool stars = print_prefix(out, type, name[0] != 0, depth);
    if (!stars &&
        (name[0] || (type->kind == WT_TYPE_ARRAY && !type->is_vector && !is_string(type)) ||
         type->kind == WT_TYPE_FUNCTION))
        fputc(' ', out);
    fputs(name, out);
    print_suffix(out, type, depth);
}

void wt_type_print_declared(FILE *out, const struct wt_type *type, const char *name)
{
    print_declared(out, type, name, 0);
}

/* A vector of OpenCL C, which is shown by the name that the language has for it. */
static bool is_named_vector(const struct wt_type *type)
{
    Dwarf_Die die = type->die;
    return type->kind == WT_TYPE_ARRAY && type->is_vector && die.addr &&
           wt_type_plain(wt_type_target(type))->name && wt_language_is_opencl(&die);
}

/* The name that OpenCL C has for a vector: "uint4"; false: it is none. */
static bool print_vector(FILE *out, const struct wt_type *type)
{
    static const struct {
        const char *c, *opencl;
    } names[] = {{"unsigned char", "uchar"},
                 {"unsigned short", "ushort"},
                 {"unsigned int", "uint"},
                 {"unsigned long", "ulong"},
                 {"__fp16", "half"}};
    if (!is_named_vector(type))
        return false;
    const char *name = wt_type_plain(wt_type_target(type))->name;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i].c) == 0)
            name = names[i].opencl;
    fprintf(out, "%s%" PRIu64, name, type->count);
    return true;
}

void wt_type_print(FILE *out, const struct wt_type *type)
{
    if (!print_vector(out, type))
        wt_type_print_declared(out, type, "");
}

char *wt_type_text(const struct wt_type *type)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    wt_type_print(out, type);
    fclose(out);
    return text;
}

static bool fits(const struct wt_type *to, const struct wt_type *from)
{
    const struct wt_type *a = wt_type_plain(to), *b = wt_type_plain(from);
    if (a == b || wt_type_is_scalar(a) || wt_type_is_scalar(b))
        return true;
    if (a->kind != b->kind || wt_type_size(a) != wt_type_size(b))
        return false;
    return a->kind == WT_TYPE_ARRAY ? fits(wt_type_target(a), wt_type_target(b))
                                    : a->name && b->name && strcmp(a->name, b->name) == 0;
}

enum wt_status wt_type_check_assigned(const struct wt_type *to, const struct wt_type *from,
                                      struct wt_error *err)
{
    if (fits(to, from))
        return WT_OK;
    char *a = wt_type_text(to), *b = wt_type_text(from);
    const enum wt_status status =
        wt_fail(err, WT_INVALID, "a value of type %s cannot be assigned to one of type %s",
                b ? b : "?", a ? a : "?");
    free(a);
    free(b);
    return status;
}

/* ---- ptype ---- */

/* Records without a name that are printed within one, at most: in damaged debug information they
 * may contain each other, or themselves. */
#define MOST_RECORDS 256

#define OFFSETS_WIDTH 27 /* width of the columns of offset and size */

/* How a record is printed; with offsets also where it is. */
struct type_record {
    struct wt_ptype_flags flags;
    unsigned indent, depth;
    unsigned *left;      /* how many of MOST_RECORDS are left */
    uint64_t begin, end; /* bits: of it, in the outermost record; of its last member, in it */
};

static void print_record(FILE *out, const struct wt_type *type, struct type_record *r);

/* Blanks up to where a line of a record begins, below the columns of offset and size. */
static void put_indent(FILE *out, const struct type_record *r, unsigned more)
{
    fprintf(out, "%*s", (int)((r->flags.offsets ? OFFSETS_WIDTH : 0) + r->indent + more), "");
}

/* As GDB has it: nothing is told before the first member. */
static void print_hole(FILE *out, const struct type_record *r, uint64_t at, const char *what)
{
    const uint64_t hole = r->end && r->end < at ? at - r->end : 0;
    if (hole % 8)
        fprintf(out, "/* XXX %2" PRIu64 "-bit %-7s    */\n", hole % 8, what);
    if (hole / 8)
        fprintf(out, "/* XXX %2" PRIu64 "-byte %-7s   */\n", hole / 8, what);
}

/* The columns of a member. */
static void print_offset(FILE *out, const struct wt_type *type, const struct wt_member *m,
                         struct type_record *r)
{
    const uint64_t size = wt_type_size(wt_type_plain(m->type)), at = 8 * m->offset + m->bit_offset;
    const uint64_t place = r->begin + at;
    const bool hex = r->flags.hex;
    if (type->kind == WT_TYPE_UNION) {
        fprintf(out,
                hex ? "/*                0x%04" PRIx64 " */" : "/*                %6" PRIu64 " */",
                size);
        return;
    }
    print_hole(out, r, at, "hole");
    fprintf(out, hex ? "/* 0x%04" PRIx64 : "/* %6" PRIu64, place / 8);
    if (m->bit_size)
        fprintf(out, hex ? ": 0x%" PRIx64 : ":%2" PRIu64 "  ", place % 8);
    else
        fputs("     ", out);
    fprintf(out, hex ? " |  0x%04" PRIx64 " */" : " |  %6" PRIu64 " */", size);
    r->end = at + (m->bit_size ? m->bit_size : 8 * size);
}

static const struct wt_type *without_qualifiers(const struct wt_type *type)
{
    while (type->target && (type->kind == WT_TYPE_CONST || type->kind == WT_TYPE_VOLATILE))
        type = type->target;
    return type;
}

/* Whether a member's own members are printed: of a record without a name within the outermost one;
 * with offsets of each record. */
static bool is_opened(const struct wt_member *m, const struct type_record *r)
{
    const struct wt_type *plain = wt_type_plain(m->type);
    if (!wt_type_is_record(plain) || r->depth == MOST_DEPTH || !*r->left)
        return false;
    return r->flags.offsets && !m->is_static ? without_qualifiers(m->type)->kind != WT_TYPE_TYPEDEF
                                             : !plain->name && !r->depth;
}

static void print_qualifiers(FILE *out, const struct wt_type *type);

static void print_member(FILE *out, const struct wt_type *type, const struct wt_member *m,
                         struct type_record *r)
{
    const struct wt_type *plain = wt_type_plain(m->type);
    if (r->flags.offsets && !m->is_static) {
        print_offset(out, type, m, r);
        fprintf(out, "%*s", (int)r->indent + 4, "");
    } else {
        put_indent(out, r, 4);
    }
    if (m->is_static)
        fputs("static ", out);
    if (is_opened(m, r)) {
        struct type_record inner = {
            r->flags, r->indent + 4, r->depth + 1, r->left, r->begin + 8 * m->offset, 0};
        --*r->left;
        print_qualifiers(out, m->type);
        print_record(out, plain, &inner);
        if (m->name)
            fprintf(out, " %s", m->name);
    } else {
        wt_type_print_declared(out, m->type, m->name ? m->name : "");
    }
    if (m->bit_size)
        fprintf(out, " : %" PRIu32, m->bit_size);
    fputs(";\n", out);
}

/* ---- access, methods ---- */

static unsigned access_of(const struct wt_type *type, uint64_t given)
{
    return given                         ? (unsigned)given
           : type->kind == WT_TYPE_CLASS ? DW_ACCESS_private
                                         : DW_ACCESS_public;
}

/* Prints "public:" and the like where the access changes; 0: no part has begun yet. */
static void print_access(FILE *out, unsigned access, unsigned *part, const struct type_record *r)
{
    if (access == *part)
        return;
    *part = access;
    put_indent(out, r, 2);
    fprintf(out, "%s:\n",
            access == DW_ACCESS_private     ? "private"
            : access == DW_ACCESS_protected ? "protected"
                                            : "public");
}

static bool next_method(Dwarf_Die *child, bool *any)
{
    bool more = true;
    if (*any)
        more = dwarf_siblingof(child, child) == 0;
    *any = true;
    for (; more; more = dwarf_siblingof(child, child) == 0)
        if (dwarf_tag(child) == DW_TAG_subprogram && dwarf_diename(child) &&
            !dwarf_hasattr(child, DW_AT_artificial))
            return true;
    return false;
}

static uint64_t access_given(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Word word;
    return dwarf_attr(die, DW_AT_accessibility, &attribute) &&
                   dwarf_formudata(&attribute, &word) == 0
               ? word
               : 0;
}

/* Members that a compiler adds to classes with virtual methods; ptype leaves them out. */
static bool is_table_pointer(const struct wt_member *m)
{
    return m->name && strncmp(m->name, "_vptr", 5) == 0;
}

/* Whether GDB's ptype shows access for members: it does if some have another access than the
 * default of this kind of structure. */
static bool needs_access(const struct wt_type *type, const struct wt_member *m, size_t count)
{
    const unsigned usual = access_of(type, 0);
    Dwarf_Die die = type->die, child;
    bool any = false;
    for (size_t i = 0; i < count; i++)
        if (is_table_pointer(&m[i]) || (!m[i].is_base && access_of(type, m[i].access) != usual))
            return true;
    if (!die.addr || dwarf_child(&die, &child) != 0)
        return false;
    while (next_method(&child, &any))
        if (access_of(type, access_given(&child)) != usual)
            return true;
    return false;
}

/* "int sum(void) const;" */
static void print_method(FILE *out, const struct wt_type *type, Dwarf_Die *die,
                         const struct type_record *r)
{
    const struct wt_type *function = wt_types_read(type->types, die);
    const char *name = dwarf_diename(die);
    Dwarf_Attribute attribute;
    Dwarf_Word word;
    Dwarf_Die child;
    bool is_const = false, has_object = false;
    unsigned count = 0;
    put_indent(out, r, 4);
    const bool has_first = dwarf_child(die, &child) == 0;
    if (has_first && dwarf_hasattr(&child, DW_AT_artificial)) {
        const struct wt_type *object = wt_type_plain(wt_types_of(type->types, &child));
        has_object = true;
        is_const = wt_type_target(object)->kind == WT_TYPE_CONST;
    }
    if (dwarf_attr(die, DW_AT_virtuality, &attribute) && dwarf_formudata(&attribute, &word) == 0 &&
        word)
        fputs("virtual ", out);
    else if (!has_object)
        fputs("static ", out);
    Dwarf_Die own = type->die;
    const char *class = dwarf_diename(&own);
    const size_t length = strlen(name); /* a constructor has the name of its class */
    const bool makes =
        class && strncmp(name, class, length) == 0 && (!class[length] || class[length] == '<');
    if (!makes && name[0] != '~') {
        wt_type_print(out, wt_type_target(function));
        fputc(' ', out);
    }
    fprintf(out, "%s(", name);
    if (has_first)
        do {
            if (dwarf_tag(&child) != DW_TAG_formal_parameter ||
                dwarf_hasattr(&child, DW_AT_artificial))
                continue;
            fputs(count++ ? ", " : "", out);
            wt_type_print(out, wt_types_of(type->types, &child));
        } while (dwarf_siblingof(&child, &child) == 0);
    fprintf(out, "%s)%s;\n", count ? "" : "void", is_const ? " const" : "");
}

static void print_methods(FILE *out, const struct wt_type *type, unsigned part,
                          const struct type_record *r)
{
    Dwarf_Die die = type->die, child;
    bool any = false, shown = false;
    if (r->flags.no_methods || !die.addr || !is_cplusplus(type) || dwarf_child(&die, &child) != 0)
        return;
    while (next_method(&child, &any)) {
        if (part && !shown)
            fputc('\n', out);
        shown = true;
        print_access(out, access_of(type, access_given(&child)), &part, r);
        print_method(out, type, &child, r);
    }
}

/* "Type point … End Type point" */
static void print_fortran_record(FILE *out, const struct wt_type *type)
{
    size_t count;
    const struct wt_member *m = wt_type_members(type, &count);
    fprintf(out, "Type %s\n", type->name ? type->name : "");
    for (size_t i = 0; i < count; i++) {
        fputs("    ", out);
        print_base(out, m[i].type, 0);
        fprintf(out, " :: %s", m[i].name ? m[i].name : "");
        print_suffix(out, m[i].type, 0);
        fputc('\n', out);
    }
    fprintf(out, "End Type %s", type->name ? type->name : "");
}

static void print_record(FILE *out, const struct wt_type *type, struct type_record *r)
{
    size_t count, bases = 0;
    unsigned part = 0;
    const struct wt_member *m = wt_type_members(type, &count);
    fputs(keyword(type), out);
    if (type->name)
        fprintf(out, "%s ", type->name);
    for (size_t i = 0; i < count; i++)
        if (m[i].is_base) {
            fputs(bases++ ? ", public " : ": public ", out);
            if (m[i].is_virtual)
                fputs("virtual ", out);
            wt_type_print(out, m[i].type);
        }
    fputs(bases ? " {\n" : "{\n", out);
    if (type->is_incomplete || count == 0) {
        put_indent(out, r, 4);
        fputs(type->is_incomplete ? "<incomplete type>\n" : "<no data fields>\n", out);
    }
    const bool labelled = is_cplusplus(type) && needs_access(type, m, count);
    for (size_t i = 0; i < count; i++) {
        if (m[i].is_base || (labelled && is_table_pointer(&m[i])))
            continue;
        if (labelled)
            print_access(out, access_of(type, m[i].access), &part, r);
        print_member(out, type, &m[i], r);
    }
    print_methods(out, type, part, r);
    if (r->flags.offsets) {
        print_hole(out, r, 8 * wt_type_size(type), "padding");
        fputc('\n', out);
        put_indent(out, r, 4);
        fprintf(out, "/* total size (bytes): %4" PRIu64 " */\n", wt_type_size(type));
    }
    put_indent(out, r, r->flags.offsets && !r->indent ? 2 : 0);
    fputc('}', out);
}

size_t wt_type_enumerator_scope(const struct wt_type *type)
{
    size_t length = 0, angle = 0;
    if (!type->name || !is_cplusplus(type))
        return 0;
    if (type->is_scoped)
        return strlen(type->name);
    for (size_t i = 0; type->name[i]; i++) {
        angle += type->name[i] == '<';
        angle -= type->name[i] == '>' && angle;
        if (!angle && type->name[i] == ':' && type->name[i + 1] == ':')
            length = i;
    }
    return length;
}

static void print_enumeration(FILE *out, const struct wt_type *type)
{
    size_t count;
    const struct wt_member *m = wt_type_members(type, &count);
    int64_t next = 0;
    const size_t scope = wt_type_enumerator_scope(type);
    fputs(type->is_scoped ? "enum class " : "enum ", out);
    if (type->name)
        fprintf(out, "%s ", type->name);
    if (is_cplusplus(type) && type->target && type->target->name)
        fprintf(out, ": %s ", type->target->name);
    fputc('{', out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s%.*s%s%s", i ? ", " : "", (int)scope, scope ? type->name : "",
                scope ? "::" : "", m[i].name ? m[i].name : "?");
        if (m[i].value != next)
            fprintf(out, " = %" PRId64, m[i].value);
        next = m[i].value + 1;
    }
    fputc('}', out);
}

/* The type that ptype shows: without typedefs at its outside and at the end of pointers. */
static const struct wt_type *innermost(const struct wt_type *type, unsigned depth)
{
    const struct wt_type *plain = wt_type_plain(type);
    if (depth < MOST_DEPTH && !is_named_vector(plain) &&
        (plain->kind == WT_TYPE_POINTER || plain->kind == WT_TYPE_REFERENCE ||
         plain->kind == WT_TYPE_MEMBER || plain->kind == WT_TYPE_ARRAY ||
         plain->kind == WT_TYPE_FUNCTION))
        return innermost(wt_type_target(plain), depth + 1);
    return plain;
}

/* The declarator around the result of innermost(). */
static void print_around(FILE *out, const struct wt_type *type, bool before, unsigned depth)
{
    const struct wt_type *plain = wt_type_plain(type);
    const bool pointer = plain->kind == WT_TYPE_POINTER || plain->kind == WT_TYPE_REFERENCE ||
                         plain->kind == WT_TYPE_MEMBER;
    if (depth > MOST_DEPTH || is_named_vector(plain) ||
        (!pointer && plain->kind != WT_TYPE_ARRAY && plain->kind != WT_TYPE_FUNCTION))
        return;
    const struct wt_type *target = wt_type_plain(wt_type_target(plain));
    const bool derived = is_derived(target) && !is_named_vector(target);
    if (before) {
        print_around(out, target, true, depth + 1);
        if (pointer) {
            if (derived)
                fputc('(', out);
            put_star(out, plain);
        }
        return;
    }
    if (pointer && derived)
        fputc(')', out);
    if (plain->kind == WT_TYPE_ARRAY && is_fortran(plain)) {
        print_bounds(out, plain);
        return;
    }
    if (plain->kind == WT_TYPE_ARRAY) {
        if (plain->is_vector)
            fprintf(out, "__attribute__ ((vector_size(%" PRIu64 ")))", plain->count);
        else if (plain->has_count)
            fprintf(out, "[%" PRIu64 "]", plain->count);
        else
            fputs("[]", out);
    }
    if (plain->kind == WT_TYPE_FUNCTION)
        print_parameters(out, plain, depth);
    print_around(out, target, false, depth + 1);
}

/* The qualifiers of the result of innermost(). */
static void print_qualifiers(FILE *out, const struct wt_type *type)
{
    bool is_const = false, is_volatile = false;
    for (unsigned depth = 0; type && depth < MOST_DEPTH; depth++, type = type->target) {
        if (type->kind == WT_TYPE_CONST)
            is_const = true;
        else if (type->kind == WT_TYPE_VOLATILE)
            is_volatile = true;
        else if (type->kind == WT_TYPE_POINTER || type->kind == WT_TYPE_REFERENCE ||
                 type->kind == WT_TYPE_MEMBER || type->kind == WT_TYPE_FUNCTION)
            is_const = is_volatile = false; /* of the pointer itself */
        else if (type->kind != WT_TYPE_TYPEDEF && type->kind != WT_TYPE_ARRAY)
            break;
    }
    fprintf(out, "%s%s", is_const ? "const " : "", is_volatile ? "volatile " : "");
}

void wt_type_print_definition(FILE *out, const struct wt_type *type,
                              const struct wt_ptype_flags *flags)
{
    const struct wt_type *inner = innermost(type, 0), *plain = wt_type_plain(type);
    unsigned left = MOST_RECORDS;
    struct type_record outermost = {.flags = *flags, .left = &left};
    outermost.flags.offsets &= !is_fortran(inner);
    if (outermost.flags.offsets && wt_type_is_record(without_qualifiers(type)))
        fputs("/* offset      |    size */  ", out);
    fputs("type = ", out);
    if (is_string(plain)) {
        wt_type_print(out, plain);
        return;
    }
    print_qualifiers(out, type);
    if (print_vector(out, inner))
        ;
    else if (wt_type_is_record(inner) && is_fortran(inner))
        print_fortran_record(out, inner);
    else if (wt_type_is_record(inner))
        print_record(out, inner, &outermost);
    else if (inner->kind == WT_TYPE_ENUM)
        print_enumeration(out, inner);
    else
        print_base(out, inner, 0);
    if (inner == plain)
        return;
    fputc(' ', out);
    print_around(out, type, true, 0);
    print_around(out, type, false, 0);
}
