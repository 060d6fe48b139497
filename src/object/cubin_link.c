/*
 * Variables and relocations of cubins. .nv.global.init and .nv.global become one piece of global
 * memory; .nv.constant3 is the bank of constants that all kernels share. Numbers and meaning of the
 * relocations: public tools that read and write cubins (CuAssembler). See cubin_link.h.
 */
#include "object/cubin_link.h"

#include <assert.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"

enum {
    STT_CUDA_OBJECT = 13,
    R_CUDA_G32 = 3, /* generic addresses: here they are the same */
    R_CUDA_G64 = 4,
    DATA_ALIGN = 256,
    MOST_DATA = 256 << 20,
    MOST_PLACES = 1 << 20,
};

/* The kind of a section. */
struct section {
    bool known;
    enum cubin_part part;
    size_t function;
    unsigned bank;
    uint64_t base; /* bytes into its part */
    uint64_t addr, size;
};

struct link_reader {
    Elf *elf;
    size_t names;
    const char *name;
    struct cubin *cubin;
    struct section *section;
    size_t section_count, variable_room, relocation_room;
};

static enum wt_status no_memory(struct wt_error *err)
{
    return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
}

static bool function_index(const struct cubin *c, const char *name, size_t *index)
{
    for (*index = 0; *index < c->function_count; ++*index)
        if (strcmp(c->function[*index].name, name) == 0)
            return true;
    return false;
}

/* The section's part, if it is one that has code or data; its base is set for CODE only. */
static bool classify(const struct cubin *c, const char *name, struct section *s)
{
    int used = 0;
    if (strncmp(name, ".text.", 6) == 0 && function_index(c, name + 6, &s->function)) {
        s->part = CUBIN_CODE;
        return true;
    }
    if (strcmp(name, ".nv.global.init") == 0 || strcmp(name, ".nv.global") == 0) {
        s->part = CUBIN_DATA;
        return true;
    }
    if (strcmp(name, ".nv.constant3") == 0) {
        s->part = CUBIN_BANK3;
        return true;
    }
    if (sscanf(name, ".nv.constant%2u.%n", &s->bank, &used) == 1 && used && s->bank < CUBIN_BANKS &&
        function_index(c, name + used, &s->function)) {
        s->part = CUBIN_BANK;
        return true;
    }
    return false;
}

/* The values of variables in global memory. */
static enum wt_status read_data(struct link_reader *r, struct wt_error *err)
{
    struct cubin *c = r->cubin;
    struct section *zeros = NULL;
    Elf_Data *values = NULL;
    uint64_t size = 0;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(r->elf, scn));) {
        struct section *s = &r->section[elf_ndxscn(scn)];
        GElf_Shdr header;
        if (!s->known || s->part != CUBIN_DATA || !gelf_getshdr(scn, &header))
            continue;
        if (header.sh_type == SHT_NOBITS ? zeros != NULL : values != NULL)
            return wt_fail(err, WT_INVALID, "%s: there are two sections of variables", r->name);
        if (s->size > MOST_DATA)
            return wt_fail(err, WT_INVALID, "%s: more than %u MiB of variables", r->name,
                           MOST_DATA >> 20);
        if (header.sh_type == SHT_NOBITS)
            zeros = s;
        else if (!(values = elf_rawdata(scn, NULL)) || (s->size && !values->d_buf))
            return wt_fail(err, WT_INVALID, "%s: its variables are not in the file", r->name);
    }
    c->initialized = values ? values->d_size : 0;
    size = c->initialized;
    if (zeros) {
        zeros->base = (size + DATA_ALIGN - 1) / DATA_ALIGN * DATA_ALIGN;
        size = zeros->base + zeros->size;
    }
    if (!size)
        return WT_OK;
    if (!(c->data = calloc(1, size)))
        return no_memory(err);
    c->data_size = size;
    if (c->initialized)
        memcpy(c->data, values->d_buf, c->initialized);
    return WT_OK;
}

static enum wt_status find_sections(struct link_reader *r, struct wt_error *err)
{
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(r->elf, scn));) {
        GElf_Shdr header;
        const size_t index = elf_ndxscn(scn);
        const char *name;
        if (index >= r->section_count || !gelf_getshdr(scn, &header) ||
            !(name = elf_strptr(r->elf, r->names, header.sh_name)))
            return wt_fail(err, WT_INVALID, "%s: %s", r->name, elf_errmsg(-1));
        struct section *s = &r->section[index];
        s->known = classify(r->cubin, name, s);
        s->addr = header.sh_addr;
        s->size = header.sh_size;
        if (!s->known && strncmp(name, ".nv.global", 10) == 0 && header.sh_size)
            return wt_fail(err, WT_UNSUPPORTED, "%s: variables in %.40s are not supported", r->name,
                           name);
    }
    return read_data(r, err);
}

/* ---- symbols ---- */

/* The variable at a place of data or bank 3, which becomes one if it has a name. */
static enum wt_status add_variable(struct link_reader *r, const GElf_Sym *symbol, const char *name,
                                   struct wt_error *err)
{
    struct cubin *c = r->cubin;
    const struct section *s = &r->section[symbol->st_shndx];
    if (symbol->st_value > s->size || symbol->st_size > s->size - symbol->st_value)
        return wt_fail(err, WT_INVALID, "%s: variable '%.100s' is beyond the end of its section",
                       r->name, name);
    if (cubin_find_variable(c, name))
        return WT_OK; /* a local one of the same name */
    if (c->variable_count == MOST_PLACES)
        return wt_fail(err, WT_INVALID, "%s: too many variables", r->name);
    struct cubin_variable *grown =
        wt_array_grow(c->variable, &r->variable_room, c->variable_count + 1, sizeof *grown);
    if (!grown)
        return no_memory(err);
    c->variable = grown;
    grown[c->variable_count] = (struct cubin_variable){.name = strdup(name),
                                                       .is_constant = s->part == CUBIN_BANK3,
                                                       .offset = s->base + symbol->st_value,
                                                       .size = symbol->st_size};
    return grown[c->variable_count++].name ? WT_OK : no_memory(err);
}

static bool is_variable(const struct link_reader *r, const GElf_Sym *symbol)
{
    const unsigned type = GELF_ST_TYPE(symbol->st_info);
    return (type == STT_OBJECT || type == STT_CUDA_OBJECT) && symbol->st_shndx < r->section_count &&
           r->section[symbol->st_shndx].known &&
           (r->section[symbol->st_shndx].part == CUBIN_DATA ||
            r->section[symbol->st_shndx].part == CUBIN_BANK3);
}

static enum wt_status read_symbols(struct link_reader *r, Elf_Scn *scn, const GElf_Shdr *header,
                                   struct wt_error *err)
{
    enum wt_status status;
    Elf_Data *data = elf_getdata(scn, NULL);
    GElf_Sym symbol;
    for (int i = 1; data && gelf_getsym(data, i, &symbol); i++) {
        const char *name = elf_strptr(r->elf, header->sh_link, symbol.st_name);
        if (name && *name && is_variable(r, &symbol) &&
            (status = add_variable(r, &symbol, name, err)) != WT_OK)
            return status;
    }
    return WT_OK;
}

/* ---- relocations ---- */

/* The bytes of a relocation's part, and how many there are. */
static uint8_t *part_of(const struct cubin *c, const struct cubin_relocation *p, uint64_t *size)
{
    const struct cubin_function *f = &c->function[p->function];
    switch (p->part) {
    case CUBIN_CODE:
        *size = f->size;
        return c->code + f->code;
    case CUBIN_DATA:
        *size = c->initialized;
        return c->data;
    case CUBIN_BANK3:
        *size = c->bank3_size;
        return c->bank3;
    case CUBIN_BANK:
        *size = f->bank_size[p->bank];
        return f->bank[p->bank];
    }
    return NULL;
}

static unsigned field_bytes(enum cubin_field field)
{
    return field == CUBIN_ADDRESS_32 ? 4 : 8;
}

/* Whether a field is of instructions. */
static bool in_instruction(enum cubin_field field)
{
    return field >= CUBIN_WHOLE_20;
}

/* The addend in a section without addends: the contents of the field. */
static int64_t addend_in(const uint8_t *at, enum cubin_field field)
{
    const uint64_t bits = wt_load_le(at, field_bytes(field));
    if (!in_instruction(field))
        return field == CUBIN_ADDRESS_32 ? wt_sign_extend(bits, 32) : (int64_t)bits;
    const uint64_t value = bits >> 20 & UINT32_MAX;
    return field == CUBIN_HIGH_20 ? (int64_t)(value << 32) : wt_sign_extend(value, 32);
}

static enum wt_status find_target(struct link_reader *r, const GElf_Shdr *header, uint64_t index,
                                  struct cubin_relocation *p, struct wt_error *err)
{
    Elf_Scn *symbols = elf_getscn(r->elf, header->sh_link);
    Elf_Data *data = symbols ? elf_getdata(symbols, NULL) : NULL;
    GElf_Shdr table;
    GElf_Sym symbol;
    const char *name;
    if (!data || index > INT32_MAX || !gelf_getshdr(symbols, &table) ||
        !gelf_getsym(data, (int)index, &symbol) ||
        !(name = elf_strptr(r->elf, table.sh_link, symbol.st_name)))
        return wt_fail(err, WT_INVALID, "%s: a relocation has no symbol", r->name);
    const struct cubin_variable *v = cubin_find_variable(r->cubin, name);
    if (v && is_variable(r, &symbol)) {
        p->target = (size_t)(v - r->cubin->variable);
        return WT_OK;
    }
    p->to_function = function_index(r->cubin, name, &p->target);
    return p->to_function && symbol.st_shndx
               ? WT_OK
               : wt_fail(err, WT_UNSUPPORTED, "%s: it needs '%.100s', which is not in it", r->name,
                         name);
}

static bool field_of(uint64_t type, enum cubin_field *field)
{
    switch (type) {
    case CUBIN_ADDRESS_32:
    case CUBIN_ADDRESS_64:
    case CUBIN_WHOLE_20:
    case CUBIN_LOW_20:
    case CUBIN_HIGH_20:
        *field = (enum cubin_field)type;
        return true;
    case R_CUDA_G32:
        *field = CUBIN_ADDRESS_32;
        return true;
    case R_CUDA_G64:
        *field = CUBIN_ADDRESS_64;
        return true;
    default:
        return false;
    }
}

static enum wt_status add_relocation(struct link_reader *r, const GElf_Shdr *header,
                                     const GElf_Rela *entry, struct wt_error *err)
{
    enum wt_status status;
    struct cubin *c = r->cubin;
    const struct section *s = &r->section[header->sh_info];
    const uint64_t type = GELF_R_TYPE(entry->r_info);
    struct cubin_relocation p = {
        .part = s->part, .function = s->function, .bank = s->bank, .offset = entry->r_offset};
    uint64_t size;
    if (!field_of(type, &p.field))
        return wt_fail(err, WT_UNSUPPORTED, "%s: relocations of type %llu are not supported",
                       r->name, (unsigned long long)type);
    const uint8_t *bytes = part_of(c, &p, &size);
    const unsigned need = field_bytes(p.field);
    if (!bytes || s->base || size < need || p.offset > size - need ||
        (in_instruction(p.field) && (p.part != CUBIN_CODE || p.offset % 8 || p.offset % 32 == 0)))
        return wt_fail(err, WT_INVALID, "%s: a relocation is at 0x%llx, where it cannot be",
                       r->name, (unsigned long long)p.offset);
    p.addend = header->sh_type == SHT_RELA ? entry->r_addend : addend_in(bytes + p.offset, p.field);
    if ((status = find_target(r, header, GELF_R_SYM(entry->r_info), &p, err)) != WT_OK)
        return status;
    if (c->relocation_count == MOST_PLACES)
        return wt_fail(err, WT_INVALID, "%s: too many relocations", r->name);
    struct cubin_relocation *grown =
        wt_array_grow(c->relocation, &r->relocation_room, c->relocation_count + 1, sizeof *grown);
    if (!grown)
        return no_memory(err);
    c->relocation = grown;
    c->relocation[c->relocation_count++] = p;
    return WT_OK;
}

static enum wt_status read_relocations(struct link_reader *r, Elf_Scn *scn, const GElf_Shdr *header,
                                       struct wt_error *err)
{
    enum wt_status status;
    Elf_Data *data = elf_getdata(scn, NULL);
    if (header->sh_info >= r->section_count || !r->section[header->sh_info].known)
        return WT_OK; /* of debug information */
    for (int i = 0; data; i++) {
        GElf_Rela entry = {0};
        GElf_Rel rel;
        if (header->sh_type == SHT_RELA) {
            if (!gelf_getrela(data, i, &entry))
                return WT_OK;
        } else {
            if (!gelf_getrel(data, i, &rel))
                return WT_OK;
            entry.r_offset = rel.r_offset;
            entry.r_info = rel.r_info;
        }
        if ((status = add_relocation(r, header, &entry, err)) != WT_OK)
            return status;
    }
    return WT_OK;
}

/* Calls a function for each section of one type, or of two. */
static enum wt_status each(struct link_reader *r, uint32_t type, uint32_t other,
                           enum wt_status (*f)(struct link_reader *r, Elf_Scn *scn,
                                               const GElf_Shdr *header, struct wt_error *err),
                           struct wt_error *err)
{
    enum wt_status status;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(r->elf, scn));) {
        GElf_Shdr header;
        if (gelf_getshdr(scn, &header) && (header.sh_type == type || header.sh_type == other) &&
            (status = f(r, scn, &header, err)) != WT_OK)
            return status;
    }
    return WT_OK;
}

enum wt_status cubin_read_variables(Elf *elf, size_t names, const char *name, struct cubin *cubin,
                                    struct wt_error *err)
{
    enum wt_status status;
    struct link_reader r = {.elf = elf, .names = names, .name = name, .cubin = cubin};
    if (elf_getshdrnum(elf, &r.section_count))
        return wt_fail(err, WT_INVALID, "%s: %s", name, elf_errmsg(-1));
    if (!(r.section = calloc(r.section_count + 1, sizeof *r.section)))
        return no_memory(err);
    if ((status = find_sections(&r, err)) == WT_OK &&
        (status = each(&r, SHT_SYMTAB, SHT_SYMTAB, read_symbols, err)) == WT_OK)
        status = each(&r, SHT_REL, SHT_RELA, read_relocations, err);
    free(r.section);
    return status;
}

const struct cubin_variable *cubin_find_variable(const struct cubin *c, const char *name)
{
    for (size_t i = 0; i < c->variable_count; i++)
        if (strcmp(c->variable[i].name, name) == 0)
            return &c->variable[i];
    return NULL;
}

void cubin_relocate(struct cubin *c, uint64_t code, uint64_t data, uint64_t bank3)
{
    for (size_t i = 0; i < c->relocation_count; i++) {
        const struct cubin_relocation *p = &c->relocation[i];
        const struct cubin_variable *v = p->to_function ? NULL : &c->variable[p->target];
        uint64_t size, value = (uint64_t)p->addend;
        value +=
            !v ? code + c->function[p->target].code : (v->is_constant ? bank3 : data) + v->offset;
        uint8_t *at = part_of(c, p, &size) + p->offset;
        assert(p->offset + field_bytes(p->field) <= size);
        if (in_instruction(p->field)) {
            const uint64_t bits = (p->field == CUBIN_HIGH_20 ? value >> 32 : value) & UINT32_MAX;
            const uint64_t word = wt_load_le(at, 8) & ~((uint64_t)UINT32_MAX << 20);
            wt_store_le(at, word | bits << 20, 8);
        } else {
            wt_store_le(at, value, field_bytes(p->field));
        }
    }
}
