/* Units, ranges and names of a module's debug information. See info.h. */
#include "debug/source/info.h"

#include <dwarf.h>
#include <gelf.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "debug/source/attributes.h"
#include "debug/source/language.h"
#include "debug/source/types.h"

/* Nested scopes of a damaged file may be endless. */
#define MOST_DEPTH 200

struct info_range {
    uint64_t start, end;
    Dwarf_Off die;
};

/* A list that grows; if host memory runs out it stays as it is. */
struct info_ranges {
    struct info_range *list;
    size_t count, capacity;
};

/* Entries from `from` on, up to the next one's, are in the namespace or class `prefix`. */
struct prefix_run {
    Dwarf_Off from;
    const char *prefix;
};

struct wt_info {
    Dwarf *dwarf;
    Elf *elf;
    unsigned address_size;
    struct info_ranges units, functions;
    struct wt_name *name;
    size_t name_count, name_capacity;
    char **text; /* names that were put together */
    size_t text_count, text_capacity;
    struct prefix_run *run; /* by `from` */
    size_t run_count, run_capacity;
    size_t *late; /* names that belong to the scope of another entry: their places in `name` */
    size_t late_count, late_capacity;
    bool nests;  /* functions of the unit at hand may lie in functions */
    bool of_gcc; /* GCC has made units of it, for an AMD GPU */
    struct wt_types *types;
    Dwarf_CFI *debug_frame, *eh_frame;
    bool cfi_read;
    /* Of a GPU: a copy of the file, from which libdw reads call frame information. */
    char *cfi_bytes;
    Elf *cfi_elf;
    Dwarf *cfi_dwarf;
};

/* e_machine. */
enum { MACHINE_AMDGPU = 224, MACHINE_RISCV = 243 };

static bool is_amdgpu(Elf *elf)
{
    GElf_Ehdr header;
    return elf && gelf_getehdr(elf, &header) && header.e_machine == MACHINE_AMDGPU;
}

static void add_range(struct info_ranges *r, uint64_t start, uint64_t end, Dwarf_Off die)
{
    if (start >= end)
        return;
    struct info_range *grown = wt_array_grow(r->list, &r->capacity, r->count + 1, sizeof *grown);
    if (!grown)
        return;
    r->list = grown;
    grown[r->count++] = (struct info_range){start, end, die};
}

static void add_ranges(struct info_ranges *r, Dwarf_Die *die)
{
    Dwarf_Addr base, start, end;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &start, &end)) > 0;)
        add_range(r, start, end, dwarf_dieoffset(die));
}

static int by_start(const void *a, const void *b)
{
    const struct info_range *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    /* The wider one first, so that the narrower one is found from the back. */
    return x->end > y->end ? -1 : x->end < y->end;
}

static void sort(struct info_ranges *r)
{
    if (r->count)
        qsort(r->list, r->count, sizeof *r->list, by_start);
}

/* The narrowest range that begins last at or before `pc` and holds it. */
static const struct info_range *find_range(const struct info_ranges *r, uint64_t pc)
{
    WT_BISECT(low, r->count, r->list[middle].start <= pc);
    /* Ranges overlap in damaged files only: a few steps back are enough. */
    for (size_t i = low; i-- > 0 && low - i < 64;)
        if (pc < r->list[i].end)
            return &r->list[i];
    return NULL;
}

/* ---- names ---- */

const char *wt_info_last_part(const char *name)
{
    const char *part = name;
    unsigned angle = 0;
    for (const char *c = name; *c; c++) {
        if (*c == '<')
            angle++;
        else if (*c == '>' && angle)
            angle--;
        else if (!angle && c[0] == ':' && c[1] == ':')
            part = c + 2;
    }
    return part;
}

static const char *join(struct wt_info *info, const char *prefix, const char *name)
{
    char *text;
    if (!prefix[0])
        return name;
    if (asprintf(&text, "%s::%s", prefix, name) < 0)
        return name;
    char **grown =
        wt_array_grow(info->text, &info->text_capacity, info->text_count + 1, sizeof *grown);
    if (!grown) {
        free(text);
        return name;
    }
    info->text = grown;
    return grown[info->text_count++] = text;
}

/* Notes the scope of an entry; entries come in the order of the file. */
static void note_scope(struct wt_info *info, Dwarf_Die *die, const char *prefix)
{
    if (info->run_count ? info->run[info->run_count - 1].prefix == prefix : !prefix[0])
        return;
    struct prefix_run *grown =
        wt_array_grow(info->run, &info->run_capacity, info->run_count + 1, sizeof *grown);
    if (!grown)
        return;
    info->run = grown;
    grown[info->run_count++] = (struct prefix_run){dwarf_dieoffset(die), prefix};
}

const char *wt_info_scope_of(const struct wt_info *info, Dwarf_Die *die)
{
    const Dwarf_Off at = dwarf_dieoffset(die);
    WT_BISECT(low, info->run_count, info->run[middle].from <= at);
    return low ? info->run[low - 1].prefix : "";
}

static void add_name(struct wt_info *info, const char *name, enum wt_name_kind kind,
                     const Dwarf_Die *die)
{
    struct wt_name *grown =
        wt_array_grow(info->name, &info->name_capacity, info->name_count + 1, sizeof *grown);
    if (!grown)
        return;
    info->name = grown;
    grown[info->name_count++] = (struct wt_name){.name = name, .kind = kind, .die = *die};
}

/* The name of a definition that refers to its declaration elsewhere: "made" of "point::made". */
static void add_definition(struct wt_info *info, const char *name, enum wt_name_kind kind,
                           const Dwarf_Die *die)
{
    add_name(info, name, kind, die);
    size_t *grown =
        wt_array_grow(info->late, &info->late_capacity, info->late_count + 1, sizeof *grown);
    if (!grown)
        return;
    info->late = grown;
    grown[info->late_count++] = info->name_count - 1;
}

static void add_enumerator(struct wt_info *info, const char *name, const Dwarf_Die *die,
                           const Dwarf_Die *type)
{
    const size_t before = info->name_count;
    add_name(info, name, WT_NAME_ENUMERATOR, die);
    if (info->name_count > before)
        info->name[before].type = *type;
}

static bool is_declaration(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    bool flag = false;
    return dwarf_attr(die, DW_AT_declaration, &attribute) &&
           dwarf_formflag(&attribute, &flag) == 0 && flag;
}

/* All scopes are known at this point. */
static void qualify_definitions(struct wt_info *info)
{
    for (size_t i = 0; i < info->late_count; i++) {
        struct wt_name *name = &info->name[info->late[i]];
        Dwarf_Die origin;
        wt_info_origin(&name->die, &origin);
        name->name = join(info, wt_info_scope_of(info, &origin), name->name);
    }
}

static void collect(struct wt_info *info, Dwarf_Die *parent, const char *prefix, unsigned depth);

static void collect_enumerators(struct wt_info *info, Dwarf_Die *type, const char *prefix)
{
    Dwarf_Die child;
    if (dwarf_child(type, &child) != 0)
        return;
    do {
        const char *name = dwarf_diename(&child);
        if (dwarf_tag(&child) == DW_TAG_enumerator && name)
            add_enumerator(info, join(info, prefix, name), &child, type);
    } while (dwarf_siblingof(&child, &child) == 0);
}

/* GCC places the bodies of OpenMP's and OpenACC's regions, Fortran's contained procedures, and
 * lambdas and other classes of C++ functions within the function that contains them. */
static void collect_nested(struct wt_info *info, Dwarf_Die *parent, const char *prefix,
                           unsigned depth)
{
    Dwarf_Die child;
    if (depth > MOST_DEPTH || dwarf_child(parent, &child) != 0)
        return;
    do {
        const int tag = dwarf_tag(&child);
        const char *name = dwarf_diename(&child);
        const bool is_class = tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
        if (tag == DW_TAG_subprogram) {
            add_ranges(&info->functions, &child);
            if (name && !is_declaration(&child))
                add_name(info, join(info, prefix, name), WT_NAME_FUNCTION, &child);
        }
        if (tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || is_class)
            collect_nested(info, &child, is_class && name ? join(info, prefix, name) : prefix,
                           depth + 1);
    } while (dwarf_siblingof(&child, &child) == 0);
}

/* Whether a unit is GCC's for a GPU or of C++, or Fortran's. Other units are not searched for
 * functions within functions, since that search takes time. */
static bool has_nested(struct wt_info *info, Dwarf_Die *unit)
{
    const bool by_gcc = strncmp(wt_unit_producer(unit), "GNU", 3) == 0,
               of_gcc = by_gcc && is_amdgpu(info->elf);
    info->of_gcc |= of_gcc;
    return of_gcc || wt_language_is_fortran(unit) || (by_gcc && wt_language_is_cplusplus(unit));
}

static void collect_one(struct wt_info *info, Dwarf_Die *die, const char *prefix, unsigned depth)
{
    const char *name = dwarf_diename(die);
    Dwarf_Attribute attribute;
    const bool elsewhere = dwarf_attr(die, DW_AT_specification, &attribute) != NULL ||
                           dwarf_attr(die, DW_AT_abstract_origin, &attribute) != NULL;
    switch (dwarf_tag(die)) {
    case DW_TAG_subprogram:
    case DW_TAG_entry_point:
        add_ranges(&info->functions, die);
        if (name && !is_declaration(die) && elsewhere)
            add_definition(info, name, WT_NAME_FUNCTION, die);
        else if (name && !is_declaration(die))
            add_name(info, join(info, prefix, name), WT_NAME_FUNCTION, die);
        if (info->nests)
            collect_nested(info, die, "", depth + 1);
        break;
    case DW_TAG_constant: /* Fortran's parameters */
    case DW_TAG_variable:
        if (name && elsewhere)
            add_definition(info, name, WT_NAME_VARIABLE, die);
        else if (name)
            add_name(info, join(info, prefix, name), WT_NAME_VARIABLE, die);
        break;
    case DW_TAG_member: /* DWARF 4's static members */
        if (name && is_declaration(die))
            add_name(info, join(info, prefix, name), WT_NAME_VARIABLE, die);
        break;
    case DW_TAG_enumeration_type: {
        const char *whole = name ? join(info, prefix, name) : NULL;
        const bool scoped = whole && dwarf_hasattr(die, DW_AT_enum_class);
        if (name && !is_declaration(die))
            add_name(info, whole, WT_NAME_TYPE, die);
        collect_enumerators(info, die, scoped ? whole : prefix);
        break;
    }
    case DW_TAG_typedef:
    case DW_TAG_base_type:
        if (name)
            add_name(info, join(info, prefix, name), WT_NAME_TYPE, die);
        break;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
        if (name && !is_declaration(die))
            add_name(info, join(info, prefix, name), WT_NAME_TYPE, die);
        collect(info, die, name ? join(info, prefix, name) : prefix, depth + 1);
        break;
    case DW_TAG_namespace:
    case DW_TAG_module:
        collect(info, die,
                name ? join(info, prefix, name) : join(info, prefix, "(anonymous namespace)"),
                depth + 1);
        break;
    default:
        break;
    }
}

static void collect(struct wt_info *info, Dwarf_Die *parent, const char *prefix, unsigned depth)
{
    Dwarf_Die child;
    if (depth > MOST_DEPTH || dwarf_child(parent, &child) != 0)
        return;
    do {
        note_scope(info, &child, prefix);
        collect_one(info, &child, prefix, depth);
    } while (dwarf_siblingof(&child, &child) == 0);
}

/* ---- the order of names: by their last parts ---- */

/* A name while it is sorted. Most pairs differ in their first bytes. */
struct sorted {
    uint64_t first;   /* bytes of `last`, the first one highest */
    const char *last; /* its last part */
    const struct wt_name *name;
};

struct sorting {
    const struct wt_info_loading *loading;
    uint64_t compared, expected; /* pairs */
    bool stopped;
};

/* Asks at the first pair, and now and then, whether to go on. Afterwards all are the same, which
 * ends the sorting soon. */
static bool sorts_on(struct sorting *s)
{
    enum { APART = 1 << 14, PERCENT = 100 };
    if (!s->stopped && ++s->compared % APART == 1) {
        const uint64_t done = s->compared * PERCENT / s->expected;
        s->stopped =
            !s->loading->sorts(s->loading->context, done < PERCENT ? (unsigned)done : PERCENT);
    }
    return !s->stopped;
}

static int by_name(const void *a, const void *b, void *context)
{
    const struct sorted *x = a, *y = b;
    if (!sorts_on(context))
        return 0;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    const int order = strcmp(x->last, y->last);
    if (order)
        return order;
    const int whole = strcmp(x->name->name, y->name->name);
    if (whole)
        return whole;
    return x->name->die.addr < y->name->die.addr ? -1 : x->name->die.addr > y->name->die.addr;
}

static struct sorted sorted_of(const struct wt_name *name)
{
    struct sorted s = {.last = wt_info_last_part(name->name), .name = name};
    size_t i = 0;
    for (; i < sizeof s.first && s.last[i]; i++)
        s.first = s.first << 8 | (uint8_t)s.last[i];
    s.first <<= 8 * (sizeof s.first - i) % 64;
    return s;
}

/* False: there is no host memory, or (*complete is false) it was stopped. */
static bool sort_names(struct wt_info *info, const struct wt_info_loading *loading, bool *complete)
{
    const size_t count = info->name_count;
    struct sorting s = {.loading = loading, .expected = 1};
    struct sorted *order = malloc((count + 1) * sizeof *order);
    struct wt_name *names = malloc((count + 1) * sizeof *names);
    for (size_t i = 0; order && i < count; i++)
        order[i] = sorted_of(&info->name[i]);
    for (size_t i = count; i > 1; i /= 2)
        s.expected += count;
    if (order && names)
        qsort_r(order, count, sizeof *order, by_name, &s);
    const bool done = order && names && !s.stopped;
    for (size_t i = 0; done && i < count; i++)
        names[i] = *order[i].name;
    free(order);
    free(done ? info->name : names);
    if (done) {
        info->name = names;
        info->name_capacity = count + 1;
    }
    *complete = !s.stopped;
    return done;
}

static bool take_definition(void *context, const struct wt_name *name)
{
    Dwarf_Die *die = context, type = name->die;
    const int tag = dwarf_tag(&type);
    if (name->kind != WT_NAME_TYPE ||
        (tag != DW_TAG_structure_type && tag != DW_TAG_class_type && tag != DW_TAG_union_type))
        return true;
    *die = type;
    return false;
}

static bool find_definition(void *context, const char *name, Dwarf_Die *die)
{
    *die = (Dwarf_Die){0};
    wt_info_find(context, name, take_definition, die);
    return die->addr != NULL;
}

/* The namespace or class of a C++ type. */
static const char *scope_of_type(void *context, Dwarf_Die *die)
{
    return wt_language_is_cplusplus(die) ? wt_info_scope_of(context, die) : "";
}

struct wt_info *wt_info_new(Dwarf *dwarf, Elf *elf, const struct wt_info_loading *loading,
                            bool *complete)
{
    struct wt_info *info = calloc(1, sizeof *info);
    if (!info)
        return NULL;
    info->dwarf = dwarf;
    info->elf = elf;
    info->address_size = gelf_getclass(elf) == ELFCLASS32 ? 4 : 8;
    info->types = wt_types_new(find_definition, scope_of_type, info, info->address_size);
    if (!info->types) {
        free(info);
        return NULL;
    }
    /* AMD's GPUs: private and local memory, whose address classes LLVM names so, have addresses of
     * 32 bits. */
    if (is_amdgpu(elf))
        wt_types_set_class_size(info->types, 4);
    Dwarf_Off offset = 0, next;
    size_t header;
    while (dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL) == 0 && next > offset) {
        Dwarf_Die unit;
        if (dwarf_offdie(dwarf, offset + header, &unit)) {
            add_ranges(&info->units, &unit);
            info->nests = has_nested(info, &unit);
            collect(info, &unit, "", 0);
        }
        offset = next;
        *complete = loading->reads(loading->context, offset);
        if (!*complete) {
            wt_info_free(info);
            return NULL;
        }
    }
    qualify_definitions(info);
    sort(&info->units);
    sort(&info->functions);
    if (sort_names(info, loading, complete))
        return info;
    wt_info_free(info);
    return NULL;
}

void wt_info_free(struct wt_info *info)
{
    if (!info)
        return;
    wt_types_free(info->types);
    if (info->eh_frame)
        dwarf_cfi_end(info->eh_frame);
    dwarf_end(info->cfi_dwarf);
    elf_end(info->cfi_elf);
    free(info->cfi_bytes);
    for (size_t i = 0; i < info->text_count; i++)
        free(info->text[i]);
    free(info->text);
    free(info->run);
    free(info->late);
    free(info->name);
    free(info->units.list);
    free(info->functions.list);
    free(info);
}

Elf *wt_info_elf(struct wt_info *info)
{
    return info->elf;
}

struct wt_types *wt_info_types(struct wt_info *info)
{
    return info->types;
}

/*
 * libdw reads no call frame information for machines that it does not know, since it has no default
 * rules for registers that an entry does not mention. GCC's entries for AMD GPUs mention all of
 * them, so that another machine's default rules do no harm: those of RISC-V say of some registers
 * that they are unchanged. Clang's entries for AMD GPUs are empty.
 */
static Dwarf_CFI *read_as_known_machine(struct wt_info *info)
{
    size_t size;
    const char *bytes = elf_rawfile(info->elf, &size);
    info->cfi_bytes = bytes && size > sizeof(Elf64_Ehdr) ? malloc(size) : NULL;
    if (!info->cfi_bytes)
        return NULL;
    memcpy(info->cfi_bytes, bytes, size);
    info->cfi_bytes[offsetof(Elf64_Ehdr, e_machine)] = (char)MACHINE_RISCV;
    info->cfi_bytes[offsetof(Elf64_Ehdr, e_machine) + 1] = 0;
    info->cfi_elf = elf_memory(info->cfi_bytes, size);
    info->cfi_dwarf = info->cfi_elf ? dwarf_begin_elf(info->cfi_elf, DWARF_C_READ, NULL) : NULL;
    return info->cfi_dwarf ? dwarf_getcfi(info->cfi_dwarf) : NULL;
}

Dwarf_Frame *wt_info_frame(struct wt_info *info, uint64_t pc)
{
    Dwarf_Frame *frame = NULL;
    if (!info->cfi_read) {
        info->cfi_read = true;
        info->debug_frame = info->of_gcc ? read_as_known_machine(info)
                                         : dwarf_getcfi(info->dwarf); /* libdw owns it */
        info->eh_frame = dwarf_getcfi_elf(info->elf);
    }
    if (info->debug_frame && dwarf_cfi_addrframe(info->debug_frame, pc, &frame) == 0)
        return frame;
    if (info->eh_frame && dwarf_cfi_addrframe(info->eh_frame, pc, &frame) == 0)
        return frame;
    return NULL;
}

bool wt_info_unit(struct wt_info *info, uint64_t pc, Dwarf_Die *unit)
{
    const struct info_range *r = find_range(&info->units, pc);
    return r && dwarf_offdie(info->dwarf, r->die, unit);
}

bool wt_info_is_of_gcc(const struct wt_info *info)
{
    return info->of_gcc;
}

bool wt_info_is_optimised_by_gcc(struct wt_info *info, uint64_t pc)
{
    Dwarf_Die unit;
    const char *producer = wt_info_unit(info, pc, &unit) ? wt_unit_producer(&unit) : "";
    bool optimised = false;
    if (strncmp(producer, "GNU ", 4) != 0)
        return false;
    for (const char *at = strstr(producer, " -O"); at; at = strstr(at + 1, " -O"))
        optimised = at[3] != '0';
    return optimised;
}

bool wt_info_is_assembly(struct wt_info *info, uint64_t pc)
{
    Dwarf_Die unit;
    return wt_info_unit(info, pc, &unit) && dwarf_srclang(&unit) == DW_LANG_Mips_Assembler;
}

/* ---- scopes ---- */

static bool opens_scope(int tag)
{
    return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine ||
           tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

bool wt_info_is_part(Dwarf_Die *scope, Dwarf_Die *child)
{
    Dwarf_Attribute attribute;
    Dwarf_Die own, origin;
    return dwarf_tag(child) == DW_TAG_inlined_subroutine && dwarf_tag(scope) == DW_TAG_subprogram &&
           !dwarf_hasattr(child, DW_AT_low_pc) && !dwarf_hasattr(child, DW_AT_ranges) &&
           dwarf_attr(child, DW_AT_abstract_origin, &attribute) &&
           dwarf_formref_die(&attribute, &origin) &&
           dwarf_attr(scope, DW_AT_abstract_origin, &attribute) &&
           dwarf_formref_die(&attribute, &own) && own.addr == origin.addr;
}

unsigned wt_info_scopes(struct wt_info *info, uint64_t pc, Dwarf_Die scope[WT_SCOPES])
{
    unsigned count = 0;
    const struct info_range *r = find_range(&info->functions, pc);
    if (!r || !dwarf_offdie(info->dwarf, r->die, &scope[0]))
        return 0;
    for (count = 1; count < WT_SCOPES; count++) {
        Dwarf_Die child;
        bool found = false;
        if (dwarf_child(&scope[count - 1], &child) != 0)
            break;
        do
            found = opens_scope(dwarf_tag(&child)) && dwarf_haspc(&child, pc) == 1;
        while (!found && dwarf_siblingof(&child, &child) == 0);
        if (!found)
            break;
        scope[count] = child;
    }
    return count;
}

bool wt_info_entry(Dwarf_Die *die, uint64_t *start, uint64_t *end)
{
    Dwarf_Addr low, high;
    if (dwarf_entrypc(die, &low) != 0)
        return false;
    *start = *end = low;
    if (dwarf_highpc(die, &high) == 0)
        *end = high;
    return true;
}

/* Where an inlined copy begins: DW_AT_entry_pc may name an empty range, at which the copy is not.
 */
static bool first_address(Dwarf_Die *die, uint64_t *start)
{
    Dwarf_Addr base, first, end;
    uint64_t ignored;
    ptrdiff_t at = 0;
    const bool any = wt_info_entry(die, start, &ignored);
    if (any && dwarf_haspc(die, *start) > 0)
        return true;
    while ((at = dwarf_ranges(die, at, &base, &first, &end)) > 0)
        if (first < end) {
            *start = first;
            return true;
        }
    return any;
}

static void find_inlined(Dwarf_Die *parent, Dwarf_Off function,
                         void (*found)(void *context, uint64_t start), void *context,
                         unsigned depth)
{
    Dwarf_Die child, origin;
    uint64_t start;
    if (depth > MOST_DEPTH || dwarf_child(parent, &child) != 0)
        return;
    do {
        const int tag = dwarf_tag(&child);
        if (!opens_scope(tag))
            continue;
        wt_info_origin(&child, &origin);
        if (wt_info_is_inlined_call(&child) && dwarf_dieoffset(&origin) == function &&
            first_address(&child, &start))
            found(context, start);
        find_inlined(&child, function, found, context, depth + 1);
    } while (dwarf_siblingof(&child, &child) == 0);
}

void wt_info_inlined(struct wt_info *info, const Dwarf_Die *function,
                     void (*found)(void *context, uint64_t start), void *context)
{
    Dwarf_Die wanted, outer;
    wt_info_origin(function, &wanted);
    for (size_t i = 0; i < info->functions.count; i++)
        if (dwarf_offdie(info->dwarf, info->functions.list[i].die, &outer))
            find_inlined(&outer, dwarf_dieoffset(&wanted), found, context, 0);
}

/* ---- looking up ---- */

const struct wt_name *wt_info_names(struct wt_info *info, size_t *count)
{
    *count = info->name_count;
    return info->name;
}

static bool ends_with_parts(const char *whole, const char *name)
{
    const size_t length = strlen(whole), tail = strlen(name);
    return tail < length && strcmp(whole + length - tail, name) == 0 && length - tail >= 2 &&
           whole[length - tail - 1] == ':' && whole[length - tail - 2] == ':';
}

/* The first name whose last part is not before this one. */
static size_t first_name(const struct wt_info *info, const char *part)
{
    WT_BISECT(low, info->name_count, strcmp(wt_info_last_part(info->name[middle].name), part) < 0);
    return low;
}

const struct wt_name *wt_info_names_from(struct wt_info *info, const char *part, size_t *count)
{
    const size_t low = first_name(info, part);
    *count = info->name_count - low;
    return info->name + low;
}

void wt_info_find(struct wt_info *info, const char *name,
                  bool (*found)(void *context, const struct wt_name *name), void *context)
{
    if (strncmp(name, "::", 2) == 0)
        name += 2;
    const char *part = wt_info_last_part(name);
    const size_t low = first_name(info, part);
    for (int exact = 1; exact >= 0; exact--)
        for (size_t i = low; i < info->name_count; i++) {
            const char *whole = info->name[i].name;
            if (strcmp(wt_info_last_part(whole), part) != 0)
                break;
            if (exact ? strcmp(whole, name) == 0 : ends_with_parts(whole, name))
                if (!found(context, &info->name[i]))
                    return;
        }
}

const char *wt_info_name_of(struct wt_info *info, Dwarf_Die *die)
{
    Dwarf_Die origin;
    wt_info_origin(die, &origin);
    const char *plain = dwarf_diename(&origin);
    if (!plain)
        return NULL;
    /* Declarations in classes are not listed: the name of their class is found from the parents. */
    Dwarf_Die *scopes = NULL;
    const int count = dwarf_getscopes_die(&origin, &scopes);
    const char *name = plain;
    for (int i = 1; i < count; i++) {
        const int tag = dwarf_tag(&scopes[i]);
        const char *outer = dwarf_diename(&scopes[i]);
        if (tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
            tag == DW_TAG_union_type)
            name = join(info, outer ? outer : "(anonymous namespace)", name);
    }
    free(scopes);
    return name;
}
