/* Reading code objects: the ELF file by libelf, the metadata by msgpack-c. See code_object.h. */
#include "object/code_object.h"

#include <assert.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "object/gcn_target.h"
#include "object/metadata.h"
#include "object/printf_format.h"

enum {
    OSABI_AMDGPU_HSA = 64,
    FLAGS_MACHINE_MASK = 0xff,
    GENERIC_VERSION = 1, /* e_flags[31:24]: the only one that there is */
    ABI_V4 = 2,          /* e_ident[EI_ABIVERSION] */
    ABI_V6 = 4,
    NOTE_METADATA = 32,
};
/* More than any real code object covers; an absurd program header is refused, not mapped. */
#define MOST_MEMORY ((uint64_t)1 << 30)

struct code_object_reader {
    const char *name;
    const struct gcn_target *target;
    Elf *elf;
    size_t length;
    struct gcn_object *object;
    size_t relocation_capacity;
};

static enum wt_status check_header(struct code_object_reader *r, struct wt_error *err)
{
    GElf_Ehdr header;
    if (elf_kind(r->elf) != ELF_K_ELF || !gelf_getehdr(r->elf, &header) ||
        gelf_getclass(r->elf) != ELFCLASS64)
        return wt_fail(err, WT_INVALID, "%s: not an ELF file of 64 bits", r->name);
    if (header.e_machine != GCN_ELF_MACHINE)
        return wt_fail(err, WT_INVALID, "%s: ELF machine %u is not AMD GPU (%u)", r->name,
                       header.e_machine, GCN_ELF_MACHINE);
    if (header.e_ident[EI_OSABI] != OSABI_AMDGPU_HSA)
        return wt_fail(
            err, WT_INVALID,
            "%s: it is not for the HSA operating system ABI (OS/ABI %u, not %u): compile "
            "for -target amdgcn-amd-amdhsa",
            r->name, header.e_ident[EI_OSABI], OSABI_AMDGPU_HSA);
    const unsigned abi = header.e_ident[EI_ABIVERSION];
    if (abi < ABI_V4 || abi > ABI_V6)
        return wt_fail(err, WT_INVALID,
                       "%s: code object ABI version %u; 4 (2), 5 (3) and 6 (4) are known", r->name,
                       abi);
    r->object->version = abi + 2;
    /* Code for all GPUs of a generation (LLVM, "Generic Processor Versioning"). */
    const struct gcn_target *target = r->target;
    if (abi == ABI_V6 && target->generic &&
        (header.e_flags & FLAGS_MACHINE_MASK) == target->generic)
        return header.e_flags >> 24 == GENERIC_VERSION
                   ? WT_OK
                   : wt_fail(err, WT_INVALID,
                             "%s: its generic code is of version %u, and version %u alone is "
                             "known",
                             r->name, header.e_flags >> 24, GENERIC_VERSION);
    const unsigned machine = header.e_flags & FLAGS_MACHINE_MASK;
    const char *other = gcn_machine_name(machine);
    if (machine != target->machine)
        return wt_fail(err, WT_INVALID,
                       "%s: it is for another GPU than %s (e_flags 0x%x%s%s): compile with "
                       "-mcpu=%s",
                       r->name, target->name, header.e_flags, other ? ", " : "", other ? other : "",
                       target->name);
    return WT_OK;
}

static enum wt_status read_segments(struct code_object_reader *r, struct wt_error *err)
{
    size_t count;
    if (elf_getphdrnum(r->elf, &count))
        return wt_fail(err, WT_INVALID, "%s: %s", r->name, elf_errmsg(-1));
    r->object->segment = calloc(count ? count : 1, sizeof *r->object->segment);
    if (!r->object->segment)
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr p;
        if (!gelf_getphdr(r->elf, (int)i, &p))
            return wt_fail(err, WT_INVALID, "%s: program header %zu: %s", r->name, i,
                           elf_errmsg(-1));
        if (p.p_type != PT_LOAD || !p.p_memsz)
            continue;
        if (p.p_offset > r->length || p.p_filesz > r->length - p.p_offset)
            return wt_fail(err, WT_INVALID, "%s: program header %zu reaches beyond the file",
                           r->name, i);
        if (p.p_filesz > p.p_memsz)
            return wt_fail(err, WT_INVALID,
                           "%s: program header %zu has more bytes in the file than in memory",
                           r->name, i);
        if (p.p_vaddr > MOST_MEMORY || p.p_memsz > MOST_MEMORY)
            return wt_fail(err, WT_INVALID, "%s: program header %zu reaches beyond 1 GiB of memory",
                           r->name, i);
        r->object->segment[r->object->segments++] = (struct gcn_object_segment){
            .addr = p.p_vaddr,
            .size = p.p_memsz,
            .bytes = r->object->file + p.p_offset,
            .length = p.p_filesz,
            .writable = p.p_flags & PF_W,
        };
        if (p.p_vaddr + p.p_memsz > r->object->size)
            r->object->size = p.p_vaddr + p.p_memsz;
    }
    if (!r->object->segments)
        return wt_fail(err, WT_INVALID, "%s: it has no loadable segment", r->name);
    return WT_OK;
}

static enum wt_status read_metadata(struct code_object_reader *r, struct wt_error *err)
{
    Elf_Scn *section = NULL;
    bool any = false;
    while ((section = elf_nextscn(r->elf, section))) {
        GElf_Shdr header;
        Elf_Data *data;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_NOTE ||
            !(data = elf_getdata(section, NULL)) || !data->d_buf)
            continue;
        GElf_Nhdr note;
        size_t at = 0, name, body, next;
        while (at < data->d_size && (next = gelf_getnote(data, at, &note, &name, &body))) {
            const char *owner = (const char *)data->d_buf + name;
            if (note.n_type == NOTE_METADATA && note.n_namesz == 7 &&
                memcmp(owner, "AMDGPU", 7) == 0) {
                const enum wt_status status = gcn_metadata_parse(
                    r->name, (const uint8_t *)data->d_buf + body, note.n_descsz, r->object, err);
                if (status != WT_OK)
                    return status;
                any = true;
            }
            at = next;
        }
    }
    if (any)
        return WT_OK;
    return wt_fail(err, WT_INVALID, "%s: it has no note with AMDGPU metadata", r->name);
}

/* The value of a dynamic symbol; false if there is none of that name. */
static bool find_symbol(struct code_object_reader *r, const char *name, uint64_t *value)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(r->elf, section))) {
        GElf_Shdr header;
        Elf_Data *data;
        if (!gelf_getshdr(section, &header) ||
            (header.sh_type != SHT_DYNSYM && header.sh_type != SHT_SYMTAB) ||
            !(data = elf_getdata(section, NULL)) || !header.sh_entsize)
            continue;
        for (size_t i = 0; i < data->d_size / header.sh_entsize; i++) {
            GElf_Sym symbol;
            const char *text;
            if (gelf_getsym(data, (int)i, &symbol) && symbol.st_shndx != SHN_UNDEF &&
                (text = elf_strptr(r->elf, header.sh_link, symbol.st_name)) &&
                strcmp(text, name) == 0) {
                *value = symbol.st_value;
                return true;
            }
        }
    }
    return false;
}

/* Metadata name the symbols of the descriptors; here they get their addresses. */
static enum wt_status find_descriptors(struct code_object_reader *r, struct wt_error *err)
{
    for (size_t i = 0; i < r->object->kernels; i++) {
        struct gcn_kernel *k = &r->object->kernel[i];
        char symbol[1024];
        if ((size_t)snprintf(symbol, sizeof symbol, "%s.kd", k->name) >= sizeof symbol ||
            !find_symbol(r, symbol, &k->descriptor))
            return wt_fail(err, WT_INVALID, "%s: kernel %.64s has no symbol %.64s.kd", r->name,
                           k->name, k->name);
        const char *why = NULL;
        if (k->descriptor % 64)
            why = "which is not a multiple of 64";
        else if (k->descriptor > r->object->size || r->object->size - k->descriptor < 64)
            why = "outside the file's segments";
        if (why)
            return wt_fail(err, WT_INVALID, "%s: the descriptor of kernel %.64s is at 0x%llx, %s",
                           r->name, k->name, (unsigned long long)k->descriptor, why);
    }
    return WT_OK;
}

/* The relocations of one section: addresses within the object (tables of functions and variables).
 * LLVM, "User Guide for AMDGPU Backend", relocation records. */
static enum wt_status read_relocations(struct code_object_reader *r, const GElf_Shdr *header,
                                       Elf_Data *data, struct wt_error *err)
{
    enum { R_AMDGPU_ABS64 = 3, R_AMDGPU_RELATIVE64 = 13 };
    const size_t count = header->sh_entsize ? data->d_size / header->sh_entsize : 0;
    struct gcn_object *o = r->object;
    if (!count)
        return WT_OK;
    struct gcn_relocation *grown = wt_array_grow(o->relocation, &r->relocation_capacity,
                                                 o->relocations + count, sizeof *grown);
    if (!grown)
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
    o->relocation = grown;
    for (size_t i = 0; i < count; i++) {
        GElf_Rela rela;
        if (!gelf_getrela(data, (int)i, &rela) || rela.r_offset > o->size ||
            o->size - rela.r_offset < 8)
            return wt_fail(err, WT_INVALID, "%s: relocation %zu lies outside the file's segments",
                           r->name, i);
        uint64_t addend = (uint64_t)rela.r_addend;
        const unsigned type = (unsigned)GELF_R_TYPE(rela.r_info);
        if (type == R_AMDGPU_ABS64) {
            Elf_Scn *table = elf_getscn(r->elf, header->sh_link);
            Elf_Data *symbols = table ? elf_getdata(table, NULL) : NULL;
            GElf_Sym symbol;
            if (!symbols || !gelf_getsym(symbols, (int)GELF_R_SYM(rela.r_info), &symbol) ||
                symbol.st_shndx == SHN_UNDEF)
                return wt_fail(err, WT_UNSUPPORTED,
                               "%s: relocation %zu needs a symbol that is not in the file", r->name,
                               i);
            addend += symbol.st_value;
        } else if (type != R_AMDGPU_RELATIVE64) {
            return wt_fail(err, WT_UNSUPPORTED,
                           "%s: relocation %zu is of type %u; 3 and 13 are "
                           "known",
                           r->name, i, type);
        }
        o->relocation[o->relocations++] = (struct gcn_relocation){rela.r_offset, addend};
    }
    return WT_OK;
}

static enum wt_status find_relocations(struct code_object_reader *r, struct wt_error *err)
{
    enum wt_status status;
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(r->elf, section))) {
        GElf_Shdr header;
        Elf_Data *data;
        if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC) ||
            header.sh_type != SHT_RELA || !(data = elf_getdata(section, NULL)))
            continue;
        if ((status = read_relocations(r, &header, data, err)) != WT_OK)
            return status;
    }
    return WT_OK;
}

/* Kernels are for waves as the target has them, or of 64 lanes. */
static enum wt_status check_lanes(const struct code_object_reader *r, struct wt_error *err)
{
    for (size_t i = 0; i < r->object->kernels; i++) {
        const struct gcn_kernel *k = &r->object->kernel[i];
        if (k->lanes != r->target->lanes && k->lanes != 64)
            return wt_fail(err, WT_INVALID,
                           "%s: kernel %.64s is for waves of %u lanes; those of %s have %u",
                           r->name, k->name, k->lanes, r->target->name, r->target->lanes);
    }
    return WT_OK;
}

/* Checks the properties on which launches rely. */
static void check_object(const struct gcn_object *o)
{
    for (size_t i = 0; i < o->segments; i++) {
        const struct gcn_object_segment *s = &o->segment[i];
        assert(s->length <= s->size && s->addr <= o->size && s->size <= o->size - s->addr);
    }
    for (size_t i = 0; i < o->relocations; i++)
        assert(o->size >= 8 && o->relocation[i].at <= o->size - 8);
    for (size_t i = 0; i < o->kernels; i++) {
        const struct gcn_kernel *k = &o->kernel[i];
        assert(k->name && k->explicit_arguments <= k->arguments);
        for (size_t j = 0; j < k->arguments; j++) {
            const struct gcn_argument *a = &k->argument[j];
            assert(a->name && a->offset <= k->kernarg_size &&
                   a->size <= k->kernarg_size - a->offset);
        }
    }
}

enum wt_status gcn_object_parse(const char *name, const uint8_t *bytes, size_t length,
                                const struct gcn_target *target, struct gcn_object *object,
                                struct wt_error *err)
{
    assert(target && object && err);
    *object = (struct gcn_object){.file = malloc(length ? length : 1)};
    if (!object->file)
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
    memcpy(object->file, bytes, length);
    elf_version(EV_CURRENT);
    struct code_object_reader r = {.name = name,
                                   .target = target,
                                   .length = length,
                                   .object = object,
                                   .elf = elf_memory((char *)object->file, length)};
    enum wt_status status;
    if (!r.elf)
        status = wt_fail(err, WT_INVALID, "%s: not an ELF file", name);
    else if (!(status = check_header(&r, err)) && !(status = read_segments(&r, err)) &&
             !(status = find_relocations(&r, err)) && !(status = read_metadata(&r, err)) &&
             !(status = check_lanes(&r, err)))
        status = find_descriptors(&r, err);
    elf_end(r.elf);
    if (status)
        gcn_object_free(object);
    else
        check_object(object);
    return status;
}

void gcn_object_free(struct gcn_object *object)
{
    for (size_t i = 0; i < object->kernels; i++) {
        struct gcn_kernel *k = &object->kernel[i];
        for (size_t j = 0; j < k->arguments; j++)
            free(k->argument[j].name);
        free(k->argument);
        free(k->name);
    }
    for (size_t i = 0; i < object->formats; i++)
        gcn_format_free(&object->format[i]);
    free(object->format);
    free(object->kernel);
    free(object->relocation);
    free(object->segment);
    free(object->file);
    *object = (struct gcn_object){0};
}

const uint8_t *gcn_object_bytes(const struct gcn_object *object, uint64_t addr, size_t size)
{
    for (size_t i = 0; i < object->segments; i++) {
        const struct gcn_object_segment *s = &object->segment[i];
        if (addr >= s->addr && addr - s->addr <= s->length && s->length - (addr - s->addr) >= size)
            return s->bytes + (addr - s->addr);
    }
    return NULL;
}

const struct gcn_kernel *gcn_object_kernel(const struct gcn_object *object, const char *name)
{
    for (size_t i = 0; i < object->kernels; i++)
        if (strcmp(object->kernel[i].name, name) == 0)
            return &object->kernel[i];
    return NULL;
}
