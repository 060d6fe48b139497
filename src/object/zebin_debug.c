/*
 * Links a zebin's debug information: zebins are relocatable, and their .rela.debug_* sections name
 * the places in debug sections that take addresses of code (zebin.h).
 */
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "object/zebin.h"

enum { SYM_ADDR = 1, SYM_ADDR_32 = 2 };

struct link {
    const char *name;
    const struct gen_object *object;
    uint64_t base;
    uint8_t *file; /* as it was, then a program header */
    size_t length; /* its length before */
    Elf *elf;      /* elf of a copy, which stays as it was */
    struct wt_error *err;
};

static enum wt_status bad(const struct link *l, const char *why)
{
    return wt_fail(l->err, WT_INVALID, "%s: debug information: %s", l->name, why);
}

/* The address at which a section was loaded; 0: it was not. */
static uint64_t loaded_at(const struct link *l, size_t section)
{
    const struct gen_object *o = l->object;
    return section < o->section_count && o->place[section] >= 0
               ? l->base + (uint64_t)o->place[section]
               : 0;
}

static bool lies_in(const struct link *l, uint64_t at, uint64_t size)
{
    return at <= l->length && size <= l->length - at;
}

/* ---- sections and symbols get their addresses ---- */

static void address_section(struct link *l, const GElf_Ehdr *header, size_t index)
{
    const uint64_t at = header->e_shoff + index * sizeof(Elf64_Shdr);
    if (lies_in(l, at, sizeof(Elf64_Shdr)))
        wt_store_le(l->file + at + offsetof(Elf64_Shdr, sh_addr), loaded_at(l, index), 8);
}

static void address_symbols(struct link *l, const GElf_Shdr *h)
{
    for (uint64_t i = 0; i < h->sh_size / sizeof(Elf64_Sym); i++) {
        const uint64_t at = h->sh_offset + i * sizeof(Elf64_Sym);
        if (!lies_in(l, at, sizeof(Elf64_Sym)))
            return;
        uint8_t *symbol = l->file + at;
        const size_t section = (size_t)wt_load_le(symbol + offsetof(Elf64_Sym, st_shndx), 2);
        uint8_t *value = symbol + offsetof(Elf64_Sym, st_value);
        wt_store_le(value, wt_load_le(value, 8) + loaded_at(l, section), 8);
    }
}

/* ---- relocations ---- */

/* Intel's compiler names the section that a symbol stands for; the index is another section's. */
static uint64_t address_of(const struct link *l, const GElf_Sym *symbol, const char *name)
{
    Elf_Scn *section = NULL;
    size_t names;
    GElf_Shdr h;
    if (name && name[0] == '.' && elf_getshdrstrndx(l->elf, &names) == 0)
        while ((section = elf_nextscn(l->elf, section))) {
            const char *of =
                gelf_getshdr(section, &h) ? elf_strptr(l->elf, names, h.sh_name) : NULL;
            if (of && strcmp(of, name) == 0)
                return loaded_at(l, elf_ndxscn(section)) + symbol->st_value;
        }
    return loaded_at(l, symbol->st_shndx) + symbol->st_value;
}

static enum wt_status relocate(struct link *l, const GElf_Shdr *target, const GElf_Rela *rela,
                               uint64_t address)
{
    const unsigned type = (unsigned)GELF_R_TYPE(rela->r_info);
    const unsigned size = type == SYM_ADDR ? 8 : 4;
    if (type != SYM_ADDR && type != SYM_ADDR_32)
        return bad(l, "a relocation of a kind that is not known");
    if (rela->r_offset > target->sh_size || size > target->sh_size - rela->r_offset ||
        !lies_in(l, target->sh_offset, target->sh_size))
        return bad(l, "a relocation lies outside its section");
    wt_store_le(l->file + target->sh_offset + rela->r_offset, address + (uint64_t)rela->r_addend,
                size);
    return WT_OK;
}

static enum wt_status relocate_section(struct link *l, Elf_Scn *section, const GElf_Shdr *h)
{
    GElf_Shdr target, names;
    Elf_Scn *of = elf_getscn(l->elf, h->sh_info), *table = elf_getscn(l->elf, h->sh_link);
    Elf_Data *data = elf_getdata(section, NULL), *symbols = table ? elf_getdata(table, NULL) : NULL;
    enum wt_status status = WT_OK;
    if (!of || !gelf_getshdr(of, &target) || loaded_at(l, h->sh_info) ||
        target.sh_type == SHT_NOBITS)
        return WT_OK; /* launches relocate what is loaded */
    if (!data || !symbols || !h->sh_entsize || !gelf_getshdr(table, &names))
        return bad(l, "relocations without symbols");
    for (uint64_t i = 0; i < h->sh_size / h->sh_entsize && !status; i++) {
        GElf_Rela rela;
        GElf_Sym symbol;
        if (!gelf_getrela(data, (int)i, &rela) ||
            !gelf_getsym(symbols, (int)GELF_R_SYM(rela.r_info), &symbol))
            return bad(l, "a relocation cannot be read");
        status =
            relocate(l, &target, &rela,
                     address_of(l, &symbol, elf_strptr(l->elf, names.sh_link, symbol.st_name)));
    }
    return status;
}

/* ---- the file ---- */

/* One segment: the part that was loaded. */
static void write_header(struct link *l)
{
    Elf64_Ehdr *header = (Elf64_Ehdr *)l->file;
    const Elf64_Phdr segment = {.p_type = PT_LOAD,
                                .p_flags = PF_R | PF_X,
                                .p_vaddr = l->base,
                                .p_paddr = l->base,
                                .p_memsz = l->object->size};
    const size_t at = (l->length + 7) / 8 * 8;
    memcpy(l->file + at, &segment, sizeof segment);
    header->e_type = ET_EXEC;
    header->e_phoff = at;
    header->e_phnum = 1;
    header->e_phentsize = sizeof segment;
}

static enum wt_status link_all(struct link *l)
{
    Elf_Scn *section = NULL;
    GElf_Ehdr header;
    enum wt_status status = WT_OK;
    if (!l->elf || elf_kind(l->elf) != ELF_K_ELF || !gelf_getehdr(l->elf, &header) ||
        header.e_ident[EI_CLASS] != ELFCLASS64)
        return bad(l, "it is not an ELF file of 64 bits");
    while ((section = elf_nextscn(l->elf, section)) && !status) {
        GElf_Shdr h;
        if (!gelf_getshdr(section, &h))
            continue;
        address_section(l, &header, elf_ndxscn(section));
        if (h.sh_type == SHT_SYMTAB)
            address_symbols(l, &h);
        else if (h.sh_type == SHT_RELA)
            status = relocate_section(l, section, &h);
    }
    if (!status)
        write_header(l);
    return status;
}

enum wt_status gen_object_link(const char *name, const uint8_t *bytes, size_t length,
                               const struct gen_object *object, uint64_t base, uint8_t **linked,
                               size_t *linked_length, struct wt_error *err)
{
    struct link l = {.name = name, .object = object, .base = base, .length = length, .err = err};
    if (!object->place)
        return wt_fail(err, WT_UNSUPPORTED, "%s: a program in patch tokens has no symbols", name);
    *linked_length = (length + 7) / 8 * 8 + sizeof(Elf64_Phdr);
    l.file = calloc(1, *linked_length);
    char *copy = malloc(length ? length : 1);
    if (!l.file || !copy) {
        free(l.file);
        free(copy);
        return wt_fail(err, WT_NO_MEMORY, "%s: the host has no memory left", name);
    }
    memcpy(l.file, bytes, length);
    memcpy(copy, bytes, length);
    elf_version(EV_CURRENT);
    l.elf = elf_memory(copy, length);
    const enum wt_status status = link_all(&l);
    elf_end(l.elf);
    free(copy);
    if (status)
        free(l.file);
    else
        *linked = l.file;
    return status;
}
