/*
 * Where LLVM has put the variables of a work-group's memory. LLVM lays them out after it has
 * written the debug information, in which every variable is at 0, or, since LLVM 22, nowhere. Its
 * rule (AMDGPULowerModuleLDS, OptimizedStructLayout; clang 15, 19 and 22): variables that functions
 * use come first, in a block of their own; then the kernel's. In a block the next variable is the
 * one that needs the least padding, then the most aligned, the longest, and the first: by its place
 * in the source (before LLVM 16) or by its name (since).
 *
 * The debug information does not tell which variables a kernel uses. Every choice is laid out whose
 * size is that of the kernel's descriptor. An address is given where all of them have the variable
 * there; or all that have each of the kernel's own variables, if its code names their addresses.
 */
#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/demangle.h"
#include "debug/source/attributes.h"
#include "debug/source/group_memory.h"
#include "debug/source/language.h"
#include "debug/source/source_internal.h"
#include "debug/source/symbols.h"
#include "debug/source/symbols_internal.h"

#define MOST_VARIABLES 14
#define MOST_CHOICES 20000u

/* The ways in which a choice treats a variable. */
enum { ABSENT = 1, WITH_FUNCTIONS = 2, WITH_KERNEL = 4 };

struct variable_of_group {
    Dwarf_Die die;
    char *name;              /* the compiler's */
    uint64_t size;           /* bytes */
    uint64_t align, natural; /* bytes; `natural`: as the type has it */
    unsigned scope;          /* number of its function; 0: the file */
    unsigned may;            /* ABSENT | … */
    unsigned place;          /* place of the choice at hand */
    uint64_t offset;         /* likewise */
    bool is_own;             /* the kernel's, not a function's or the file's */
};

struct group_memory_group {
    Dwarf_Die unit;
    struct wt_symbols *symbols;
    struct wt_info *info;
    uint64_t kernel; /* its first address, of the file */
    uint64_t body;   /* that of its body, where that has code of its own; else 0 */
    unsigned kernels, scopes;
    unsigned kernel_scope; /* the kernel's number among the functions */
    unsigned version;      /* version of clang; 0: another compiler's */
    bool is_cplusplus, is_whole;
    struct variable_of_group list[MOST_VARIABLES];
    unsigned count;
    /* Of the choices: */
    uint64_t size; /* in the kernel's descriptor */
    unsigned wanted, tried;
    bool by_name, backwards;
    struct answer {
        bool found, differs;
        uint64_t offset;
    } any, full; /* `full`: of the choices with all of the kernel's own variables */
};

static uint64_t round_up(uint64_t value, uint64_t to)
{
    return to ? (value + to - 1) / to * to : value;
}

/* Notes which of two attributes comes first. */
static int note_first(Dwarf_Attribute *attribute, void *context)
{
    unsigned *first = context;
    const unsigned name = dwarf_whatattr(attribute);
    if (name != DW_AT_type && name != DW_AT_decl_line)
        return DWARF_CB_OK;
    *first = name;
    return DWARF_CB_ABORT;
}

/* Whether nothing can be stored to variables of this type. */
static bool is_constant(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Die type = *die;
    for (unsigned depth = 0; depth < WT_SCOPES; depth++) {
        if (!dwarf_attr(&type, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, &type) ||
            dwarf_tag(&type) == DW_TAG_const_type)
            return true;
        if (dwarf_tag(&type) != DW_TAG_array_type && dwarf_tag(&type) != DW_TAG_typedef)
            return false;
    }
    return true;
}

bool wt_compile_is_without_address(Dwarf_Die *die)
{
    Dwarf_Die unit;
    GElf_Ehdr header;
    unsigned first = 0;
    if (dwarf_tag(die) != DW_TAG_variable || dwarf_hasattr_integrate(die, DW_AT_location) ||
        dwarf_hasattr_integrate(die, DW_AT_const_value) || dwarf_hasattr(die, DW_AT_declaration) ||
        !dwarf_diecu(die, &unit, NULL, NULL) || wt_clang_version(&unit) < 22)
        return false;
    Elf *elf = dwarf_getelf(dwarf_cu_getdwarf(die->cu));
    if (!elf || !gelf_getehdr(elf, &header) || header.e_machine != EM_AMDGPU)
        return false;
    /* LLVM writes a global's type before its line, and that of a variable of the frame after it. */
    dwarf_getattrs(die, note_first, &first, 0);
    return first == DW_AT_type && !is_constant(die);
}

bool wt_compile_is_of_group(Dwarf_Die *die)
{
    if (wt_compile_is_without_address(die))
        return true;
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;
    bool is = false;
    if (dwarf_tag(die) != DW_TAG_variable ||
        !dwarf_attr_integrate(die, DW_AT_location, &attribute) ||
        dwarf_getlocation(&attribute, &ops, &count) != 0 || !count ||
        (ops[0].atom != DW_OP_addr && ops[0].atom != DW_OP_addrx))
        return false;
    for (size_t i = 1; i < count; i++)
        is |= ops[i].atom == DW_OP_xderef;
    return is;
}

/* The alignment that a type has by itself, bytes. A structure with a member that is not aligned is
 * packed. */
static uint64_t natural_alignment(const struct wt_type *type, unsigned depth)
{
    const struct wt_type *plain = wt_type_plain(type);
    uint64_t align = 1;
    size_t count;
    if (depth > WT_SCOPES)
        return 1;
    if (plain->kind == WT_TYPE_ARRAY && !plain->is_vector)
        return natural_alignment(wt_type_target(plain), depth + 1);
    if (!wt_type_is_record(plain)) {
        while (align < wt_type_size(plain))
            align *= 2;
        return align;
    }
    const struct wt_member *m = wt_type_members(plain, &count);
    for (size_t i = 0; i < count; i++) {
        if (m[i].is_static)
            continue;
        const uint64_t own = natural_alignment(m[i].type, depth + 1);
        if (!m[i].bit_size && m[i].offset % own)
            return 1;
        align = own > align ? own : align;
    }
    return wt_type_size(plain) % align ? 1 : align;
}

/* LLVM aligns a variable so that accesses of up to 16 bytes can be used. */
static uint64_t alignment_for(uint64_t size)
{
    return size > 8 ? 16 : size > 4 ? 8 : size > 2 ? 4 : size > 1 ? 2 : 1;
}

/* The name that the compiler gives a variable, by which it sorts. */
static char *name_of(const struct group_memory_group *g, Dwarf_Die *variable, Dwarf_Die *function)
{
    Dwarf_Attribute attribute;
    char *name = NULL;
    const char *own = dwarf_diename(variable);
    const char *outer = function ? dwarf_diename(function) : NULL, *linkage = NULL;
    Dwarf_Die *of = function ? function : variable;
    if (dwarf_attr_integrate(of, DW_AT_linkage_name, &attribute))
        linkage = dwarf_formstring(&attribute);
    own = own ? own : "";
    outer = outer ? outer : "";
    int length;
    if (!function)
        length = asprintf(&name, "%s", linkage ? linkage : own);
    else if (!g->is_cplusplus)
        length = asprintf(&name, "%s.%s", outer, own);
    else if (linkage && strncmp(linkage, "_Z", 2) == 0)
        length = asprintf(&name, "_ZZ%sE%zu%s", linkage + 2, strlen(own), own);
    else
        length = asprintf(&name, "_ZZ%zu%sE%zu%s", strlen(outer), outer, strlen(own), own);
    return length < 0 ? NULL : name;
}

static void add_variable(struct group_memory_group *g, Dwarf_Die *die, Dwarf_Die *function,
                         unsigned may)
{
    uint64_t asked = 0;
    if (g->count == MOST_VARIABLES) {
        g->is_whole = false;
        return;
    }
    const struct wt_type *type = wt_types_of(wt_info_types(g->info), die);
    struct variable_of_group v = {.die = *die, .size = wt_type_size(type), .may = may};
    v.scope = function ? g->scopes : 0;
    v.is_own = function && g->kernel_scope == g->scopes;
    v.name = name_of(g, die, function);
    v.natural = natural_alignment(type, 0);
    v.align = alignment_for(v.size);
    if (v.natural > v.align)
        v.align = v.natural;
    if (wt_die_number(die, DW_AT_alignment, &asked) && asked > v.align)
        v.align = asked;
    g->is_whole &= v.name && v.size;
    g->list[g->count++] = v;
}

static void add_variables_in(struct group_memory_group *g, Dwarf_Die *scope, Dwarf_Die *function,
                             unsigned may, unsigned depth)
{
    Dwarf_Die die;
    if (depth > WT_SCOPES || dwarf_child(scope, &die) != 0)
        return;
    do {
        if (wt_compile_is_of_group(&die))
            add_variable(g, &die, function, may);
        else if (dwarf_tag(&die) == DW_TAG_lexical_block)
            add_variables_in(g, &die, function, may, depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
}

static void count_kernels(struct group_memory_group *g, Dwarf_Die *scope, unsigned depth)
{
    Dwarf_Die die;
    uint64_t start, end;
    if (depth > WT_SCOPES || dwarf_child(scope, &die) != 0)
        return;
    do {
        if (dwarf_tag(&die) == DW_TAG_namespace)
            count_kernels(g, &die, depth + 1);
        else if (dwarf_tag(&die) == DW_TAG_subprogram && wt_info_entry(&die, &start, &end) &&
                 wt_symbols_is_kernel(g->symbols, start)) {
            g->kernels++;
            if (!g->kernel)
                g->kernel = start;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
}

/* Variables of functions and of the file. Since LLVM 16 what one kernel alone uses is with that
 * kernel's. */
static unsigned choices_of_shared(const struct group_memory_group *g, bool only_functions)
{
    const bool before = !g->version || g->version < 16, since = !g->version || g->version >= 16;
    unsigned may = ABSENT;
    if (before)
        may |= WITH_FUNCTIONS | (only_functions ? 0 : WITH_KERNEL);
    if (since)
        may |= WITH_KERNEL | (g->kernels > 1 ? WITH_FUNCTIONS : 0);
    return may;
}

static void add_function(struct group_memory_group *g, Dwarf_Die *die)
{
    uint64_t start, end, offset;
    const char *kernel = wt_info_kernel_of_body(die), *name;
    g->scopes++;
    if (kernel && wt_symbols_function(g->symbols, g->kernel, &name, &offset)) {
        if (strcmp(kernel, name) != 0)
            return;
        g->kernel_scope = g->scopes;
        if (wt_info_entry(die, &start, &end))
            g->body = start;
        add_variables_in(g, die, die, ABSENT | WITH_KERNEL, 0);
        return;
    }
    if (wt_info_entry(die, &start, &end) && wt_symbols_is_kernel(g->symbols, start)) {
        if (start != g->kernel)
            return;
        g->kernel_scope = g->scopes;
        add_variables_in(g, die, die, ABSENT | WITH_KERNEL, 0);
        return;
    }
    /* clang 15 has the variables of a function that was inlined in an entry without attributes. */
    const bool has_code = wt_info_entry(die, &start, &end),
               is_inlined = dwarf_hasattr(die, DW_AT_inline) != 0;
    add_variables_in(g, die, die, choices_of_shared(g, has_code && !is_inlined), 0);
}

static void add_all(struct group_memory_group *g, Dwarf_Die *scope, unsigned depth)
{
    Dwarf_Die die;
    if (depth > WT_SCOPES || dwarf_child(scope, &die) != 0)
        return;
    do {
        if (dwarf_tag(&die) == DW_TAG_namespace)
            add_all(g, &die, depth + 1);
        else if (dwarf_tag(&die) == DW_TAG_subprogram)
            add_function(g, &die);
        else if (wt_compile_is_of_group(&die))
            add_variable(g, &die, NULL, choices_of_shared(g, false));
    } while (dwarf_siblingof(&die, &die) == 0);
}

/* Whether the compiler has `a` before `b`, which need the same padding. */
static bool comes_first(const struct group_memory_group *g, const struct variable_of_group *a,
                        const struct variable_of_group *b)
{
    if (a->align != b->align || a->size != b->size)
        return a->align != b->align ? a->align > b->align : a->size > b->size;
    if (g->by_name)
        return strcmp(a->name, b->name) < 0;
    return a->scope == b->scope ? a < b : (a->scope < b->scope) != g->backwards;
}

/* Lays out the variables of one place behind `end`; the end of its block. */
static uint64_t lay_out(struct group_memory_group *g, unsigned place, uint64_t end)
{
    bool done[MOST_VARIABLES] = {0};
    uint64_t align = 1, natural = 1, at = 0;
    unsigned left = 0;
    for (unsigned i = 0; i < g->count; i++) {
        const struct variable_of_group *v = &g->list[i];
        if (v->place != place)
            continue;
        left++;
        align = v->align > align ? v->align : align;
        natural = v->natural > natural ? v->natural : natural;
    }
    if (!left)
        return end;
    const uint64_t base = round_up(end, align);
    for (; left; left--) {
        unsigned best = g->count;
        uint64_t least = 0;
        for (unsigned i = 0; i < g->count; i++) {
            const struct variable_of_group *v = &g->list[i];
            const uint64_t padding = round_up(at, v->align) - at;
            if (v->place != place || done[i])
                continue;
            if (best == g->count || padding < least ||
                (padding == least && comes_first(g, v, &g->list[best]))) {
                best = i;
                least = padding;
            }
        }
        struct variable_of_group *v = &g->list[best];
        v->offset = base + round_up(at, v->align);
        at = round_up(at, v->align) + v->size;
        done[best] = true;
    }
    return base + round_up(at, natural);
}

/* An array of the launch's, `extern __shared__`, is aligned behind the others. */
static bool is_size(const struct group_memory_group *g, uint64_t end)
{
    return end == g->size ||
           (g->is_cplusplus && (round_up(end, 8) == g->size || round_up(end, 16) == g->size));
}

/* Whether code may have a constant: as a literal, an inline constant (an operand of 8 bits or more,
 * 128 + it) or the offset of an LDS instruction. */
static bool is_named(const uint8_t *code, uint64_t length, uint64_t constant)
{
    for (uint64_t i = 0; i + 4 <= length; i += 4) {
        const uint32_t word = code[i] | (uint32_t)code[i + 1] << 8 | (uint32_t)code[i + 2] << 16 |
                              (uint32_t)code[i + 3] << 24;
        if (word == constant || (word >> 26 == 0x36 && (word & 0xffff) == constant) ||
            (constant <= 64 && (word & 0xff) == 128 + constant))
            return true;
    }
    return false;
}

/* The bytes of the file at an address of it; NULL: there are not @p length. */
static const uint8_t *bytes_at(const struct group_memory_group *g, uint64_t address,
                               uint64_t length)
{
    size_t size, count;
    GElf_Phdr p;
    const uint8_t *image = wt_symbols_image(g->symbols, &size);
    Elf *elf = wt_info_elf(g->info);
    if (!image || !elf || elf_getphdrnum(elf, &count))
        return NULL;
    for (size_t i = 0; i < count; i++) {
        if (!gelf_getphdr(elf, (int)i, &p) || p.p_type != PT_LOAD || address < p.p_vaddr ||
            address - p.p_vaddr >= p.p_filesz)
            continue;
        const uint64_t at = p.p_offset + (address - p.p_vaddr);
        return at <= size && size - at >= length ? image + at : NULL;
    }
    return NULL;
}

/* Whether the code of a function names the constant. */
static bool names(const struct group_memory_group *g, uint64_t function, uint64_t constant)
{
    uint64_t start, end;
    const uint8_t *code = wt_symbols_extent(g->symbols, function, &start, &end)
                              ? bytes_at(g, start, end - start)
                              : NULL;
    return code && is_named(code, end - start, constant);
}

/* Whether the kernel's code names the address of each of its own variables. */
static bool uses_all(const struct group_memory_group *g)
{
    bool all = true;
    for (unsigned i = 0; all && i < g->count; i++)
        all = !g->list[i].is_own || names(g, g->kernel, g->list[i].offset) ||
              (g->body && names(g, g->body, g->list[i].offset));
    return all;
}

static void note(struct answer *a, const struct variable_of_group *v)
{
    a->differs |= v->place == ABSENT || (a->found && a->offset != v->offset);
    a->found = true;
    a->offset = v->offset;
}

static void try_choices(struct group_memory_group *g, unsigned next)
{
    if (g->tried > MOST_CHOICES)
        return;
    if (next < g->count) {
        for (unsigned place = ABSENT; place <= WITH_KERNEL; place *= 2)
            if (g->list[next].may & place) {
                g->list[next].place = place;
                try_choices(g, next + 1);
            }
        return;
    }
    g->tried++;
    if (!is_size(g, lay_out(g, WITH_KERNEL, lay_out(g, WITH_FUNCTIONS, 0))))
        return;
    bool is_full = true;
    for (unsigned i = 0; i < g->count; i++)
        is_full &= !g->list[i].is_own || g->list[i].place != ABSENT;
    note(&g->any, &g->list[g->wanted]);
    if (is_full && uses_all(g))
        note(&g->full, &g->list[g->wanted]);
}

/* The number of bytes that a kernel's descriptor names (AMDGPU ABI: its first dword). */
static bool size_of_descriptor(const struct group_memory_group *g, uint64_t *size)
{
    const char *name;
    char *descriptor;
    uint64_t offset, address;
    if (!wt_symbols_function(g->symbols, g->kernel, &name, &offset) ||
        asprintf(&descriptor, "%s.kd", name) < 0)
        return false;
    const bool found = wt_symbols_address(g->symbols, descriptor, &address);
    free(descriptor);
    const uint8_t *bytes = found ? bytes_at(g, address, 4) : NULL;
    if (bytes)
        *size = bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 |
                (uint64_t)bytes[3] << 24;
    return bytes != NULL;
}

/* The kernel whose wave the scope's frame belongs to: its first address, of the file. */
static uint64_t kernel_of(const struct compiler *c)
{
    const struct wt_frame *frame = c->scope->frame;
    struct wt_frames *frames = c->scope->frames;
    uint64_t start, end;
    for (unsigned level = frame ? frame->level : 0; frame;
         frame = frames ? wt_frames_get(frames, ++level) : NULL) {
        Dwarf_Die *function = (Dwarf_Die *)&frame->scope[0];
        if (frame->scope_count && frame->symbols && wt_info_entry(function, &start, &end) &&
            wt_symbols_is_kernel(frame->symbols, start))
            return start;
    }
    return 0;
}

static void try_orders(struct group_memory_group *g)
{
    const unsigned version = g->version;
    g->by_name = true;
    if (!version || version >= 16)
        try_choices(g, 0);
    g->by_name = false;
    for (unsigned i = 0; i < 2 && (!version || version < 16); i++) {
        g->backwards = i;
        try_choices(g, 0);
    }
}

/* Where LLVM has put a variable of a kernel; 0: of the only one in its unit. */
static bool find_address(struct wt_symbols *symbols, struct wt_info *info, uint64_t kernel,
                         Dwarf_Die *die, uint64_t *address)
{
    struct group_memory_group g = {
        .symbols = symbols, .info = info, .is_whole = true, .kernel = kernel};
    Dwarf_Die own;
    wt_info_origin(die, &own);
    if (!dwarf_diecu(&own, &g.unit, NULL, NULL))
        return false;
    g.version = wt_clang_version(&g.unit);
    g.is_cplusplus = wt_language_is_cplusplus(&g.unit);
    count_kernels(&g, &g.unit, 0);
    if ((!kernel && g.kernels != 1) || !size_of_descriptor(&g, &g.size))
        return false;
    add_all(&g, &g.unit, 0);
    g.wanted = g.count;
    for (unsigned i = 0; i < g.count; i++)
        if (dwarf_dieoffset(&g.list[i].die) == dwarf_dieoffset(&own))
            g.wanted = i;
    if (g.is_whole && g.wanted < g.count)
        try_orders(&g);
    for (unsigned i = 0; i < g.count; i++)
        free(g.list[i].name);
    const struct answer *a = g.any.differs ? &g.full : &g.any;
    *address = a->offset;
    return a->found && !a->differs && g.tried <= MOST_CHOICES;
}

bool wt_compile_group_address(const struct compiler *c, Dwarf_Die *die, struct wt_info *info,
                              uint64_t *address)
{
    const struct wt_frame *frame = c->scope->frame;
    return frame && frame->info == info && frame->symbols &&
           find_address(frame->symbols, info, kernel_of(c), die, address);
}

/* The undefined symbol of the file that is called so; NULL: there is none. LLVM leaves one for each
 * variable of such memory; _ZZ begins the names of a function's own. */
static const char *undefined(struct wt_info *info, const char *called)
{
    Elf *elf = wt_info_elf(info);
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    GElf_Sym symbol;
    while (elf && (section = elf_nextscn(elf, section))) {
        Elf_Data *data;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNSYM || !header.sh_entsize ||
            !(data = elf_getdata(section, NULL)))
            continue;
        for (size_t i = 1; i < header.sh_size / header.sh_entsize; i++) {
            const char *name = gelf_getsym(data, (int)i, &symbol)
                                   ? elf_strptr(elf, header.sh_link, symbol.st_name)
                                   : NULL;
            if (name && symbol.st_shndx == SHN_UNDEF && strncmp(name, "_ZZ", 3) != 0 &&
                wt_name_matches(name, called))
                return name;
        }
    }
    return NULL;
}

bool wt_compile_group_space(const struct compiler *c, uint32_t *space)
{
    const struct wt_topology *t = c->build.topology;
    *space = 0;
    while (*space < t->space_count &&
           !(t->spaces[*space].scope == WT_SCOPE_GROUP && t->spaces[*space].clang))
        ++*space;
    return *space < t->space_count;
}

bool wt_compile_launch_array(struct compiler *c, const char *name, struct wt_operand *o)
{
    static const struct wt_type byte = {
        .kind = WT_TYPE_INT, .name = "unsigned char", .size = 1, .is_guess = true, .read = true};
    static const struct wt_type bytes = {.kind = WT_TYPE_ARRAY, .target = &byte, .read = true};
    const struct wt_frame *frame = c->scope->frame;
    uint32_t space;
    if (!frame || !frame->info || !frame->symbols || !wt_compile_group_space(c, &space))
        return false;
    struct group_memory_group g = {
        .symbols = frame->symbols, .info = frame->info, .kernel = kernel_of(c)};
    const char *symbol = undefined(g.info, name);
    if (!symbol || !g.kernel || !size_of_descriptor(&g, &g.size))
        return false;
    *o = wt_operand_memory(&bytes, space, wt_build_constant(&c->build, g.size));
    c->guess = symbol;
    c->guess_type = &bytes;
    return true;
}

/* ---- all variables at an address ---- */

struct group_memory_finding {
    struct wt_symbols *symbols;
    struct wt_info *info;
    uint64_t kernel, window;
    struct wt_memory_variable *list;
    size_t count, most;
};

/* The address of a variable whose location is nothing but that, in the window of such memory. */
static bool is_in_window(const struct group_memory_finding *f, Dwarf_Die *die, uint64_t *offset)
{
    enum { SIZE_OF_WINDOW = 1 << 24, INTEL_MARK = 1 << 28 /* of some pointers to such memory */ };
    Dwarf_Attribute attribute;
    Dwarf_Block block;
    Dwarf_Op *ops;
    size_t count;
    if (!f->window || !dwarf_attr_integrate(die, DW_AT_location, &attribute))
        return false;
    /* libdw refuses the constants of Intel's compiler. */
    if (dwarf_formblock(&attribute, &block) == 0 && block.length == 9 &&
        block.data[0] == DW_OP_const8u)
        *offset = (wt_load_le(block.data + 1, 8) - f->window) & ~(uint64_t)INTEL_MARK;
    else if (dwarf_getlocation(&attribute, &ops, &count) == 0 && count == 1 &&
             ops[0].atom == DW_OP_addr)
        *offset = ops[0].number - f->window;
    else
        return false;
    return *offset < SIZE_OF_WINDOW;
}

static void add_found(struct group_memory_finding *f, Dwarf_Die *die)
{
    struct wt_memory_variable v = {.name = dwarf_diename(die)};
    if (f->count == f->most || dwarf_tag(die) != DW_TAG_variable || !v.name)
        return;
    if (!is_in_window(f, die, &v.offset) &&
        (!wt_compile_is_of_group(die) ||
         !find_address(f->symbols, f->info, f->kernel, die, &v.offset)))
        return;
    v.size = wt_type_size(wt_types_of(wt_info_types(f->info), die));
    for (size_t i = 0; i < f->count; i++)
        if (f->list[i].offset == v.offset && strcmp(f->list[i].name, v.name) == 0)
            return;
    if (v.size)
        f->list[f->count++] = v;
}

/* Variables may be in an inlined call's own entry, or in that of its function. */
static void add_children(struct group_memory_finding *f, Dwarf_Die *scope)
{
    Dwarf_Die die;
    if (dwarf_child(scope, &die) != 0)
        return;
    do {
        add_found(f, &die);
        /* Intel's compiler has a kernel's variables in an inlined call without code. */
        if (wt_info_is_part(scope, &die))
            add_children(f, &die);
    } while (dwarf_siblingof(&die, &die) == 0);
}

/* Those of the functions at an address, and of their file. */
static void add_at(struct group_memory_finding *f, uint64_t addr)
{
    Dwarf_Die scope[WT_SCOPES], origin, unit;
    uint64_t start, end;
    const unsigned count = f->info ? wt_info_scopes(f->info, addr, scope) : 0;
    if (!count)
        return;
    if (!f->kernel && wt_info_entry(&scope[0], &start, &end) &&
        wt_symbols_is_kernel(f->symbols, start))
        f->kernel = start;
    for (unsigned i = 0; i < count; i++) {
        add_children(f, &scope[i]);
        wt_info_origin(&scope[i], &origin);
        if (dwarf_dieoffset(&origin) != dwarf_dieoffset(&scope[i]))
            add_children(f, &origin);
    }
    if (dwarf_diecu(&scope[0], &unit, NULL, NULL))
        add_children(f, &unit);
}

/* Those of a unit of variables alone, as PTX without debug information about them is given: they
 * are of all kernels, so none may be where another one is. */
static void add_data(struct group_memory_finding *f)
{
    Dwarf *dwarf = f->symbols->dwarf;
    Dwarf_Off offset = 0, next;
    Dwarf_Die unit;
    size_t header;
    while (dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL) == 0 && next > offset) {
        if (dwarf_offdie(dwarf, offset + header, &unit))
            add_children(f, &unit);
        offset = next;
    }
    for (size_t i = 0; i < f->count; i++)
        for (size_t k = 0; k < i; k++)
            if (f->list[i].offset < f->list[k].offset + f->list[k].size &&
                f->list[k].offset < f->list[i].offset + f->list[i].size)
                f->count = 0;
}

size_t wt_group_variables(struct wt_symbols *symbols, uint64_t addr, uint64_t kernel,
                          uint64_t window, struct wt_memory_variable *list, size_t most)
{
    struct group_memory_finding f = {.symbols = symbols,
                                     .info = wt_symbols_info(symbols),
                                     .kernel = kernel,
                                     .window = window,
                                     .list = list,
                                     .most = most};
    add_at(&f, addr);
    if (kernel) /* whose variables a function is given pointers to */
        add_at(&f, kernel);
    if (!f.count && f.info)
        add_data(&f);
    return f.count;
}

/* Whether a parameter is a pointer that Intel's compiler makes one to such memory by adding the
 * window. */
static bool is_local_parameter(Dwarf_Die *die, uint64_t window)
{
    Dwarf_Attribute attribute;
    Dwarf_Block block;
    if (dwarf_tag(die) != DW_TAG_formal_parameter ||
        !dwarf_attr_integrate(die, DW_AT_location, &attribute) ||
        dwarf_formblock(&attribute, &block) != 0)
        return false;
    for (Dwarf_Word i = 0; i + 9 <= block.length; i++)
        if (block.data[i] == DW_OP_const8u && wt_load_le(block.data + i + 1, 8) == window)
            return true;
    return false;
}

const char *wt_group_parameter(struct wt_symbols *symbols, uint64_t addr, uint64_t window)
{
    Dwarf_Die scope[WT_SCOPES], die;
    const char *name = NULL;
    struct wt_info *info = wt_symbols_info(symbols);
    const unsigned count = info && window ? wt_info_scopes(info, addr, scope) : 0;
    if (!count || dwarf_child(&scope[0], &die) != 0)
        return NULL;
    do {
        if (!is_local_parameter(&die, window))
            continue;
        if (name)
            return NULL;
        name = dwarf_diename(&die);
    } while (dwarf_siblingof(&die, &die) == 0);
    return name;
}
