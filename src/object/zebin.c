/* Zebins: sections, symbols and relocations. See zebin.h. */
#include "object/zebin.h"

#include <assert.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "object/patchtokens.h"

#define ZE_INFO 0xff000011
/* The section of a program in patch tokens. */
#define OPENCL_DEVICE_BINARY 0xff000005
#define OPENCL_SPIRV 0xff000009
enum { ALIGNMENT = 64, MOST_SECTIONS = 4096, MOST_IMAGE = 1 << 28, NOT_LOADED = -1 };

struct zebin_parse {
    const char *name;
    Elf *elf;
    size_t names;
    size_t section_count;
    int64_t *place; /* place of each section in the image; NOT_LOADED */
    struct gen_object *object;
    struct wt_error *err;
};

static enum wt_status bad(const struct zebin_parse *p, const char *why)
{
    return wt_fail(p->err, WT_INVALID, "%s: %s", p->name, why);
}

static enum wt_status no_memory(const struct zebin_parse *p)
{
    return wt_fail(p->err, WT_NO_MEMORY, "%s: the host has no memory left", p->name);
}

static const char *section_name(const struct zebin_parse *p, const GElf_Shdr *h)
{
    const char *name = elf_strptr(p->elf, p->names, h->sh_name);
    return name ? name : "";
}

/* Code and data are loaded; sections for debuggers or tools are not. */
static bool is_loaded(const struct zebin_parse *p, const GElf_Shdr *h)
{
    const char *name = section_name(p, h);
    if (h->sh_type != SHT_PROGBITS && h->sh_type != SHT_NOBITS)
        return false;
    return strncmp(name, ".text.", 6) == 0 || strncmp(name, ".data.const", 11) == 0 ||
           strncmp(name, ".data.global", 12) == 0 || strncmp(name, ".bss.const", 10) == 0 ||
           strncmp(name, ".bss.global", 11) == 0;
}

/* ---- the image ---- */

static enum wt_status place_sections(struct zebin_parse *p)
{
    uint64_t size = 0;
    Elf_Scn *section = NULL;
    for (size_t i = 0; i < p->section_count; i++)
        p->place[i] = NOT_LOADED;
    while ((section = elf_nextscn(p->elf, section))) {
        GElf_Shdr h;
        if (!gelf_getshdr(section, &h) || !is_loaded(p, &h))
            continue;
        if (h.sh_size > MOST_IMAGE || size > MOST_IMAGE)
            return bad(p, "its sections are larger than 256 MiB");
        p->place[elf_ndxscn(section)] = (int64_t)size;
        size = (size + h.sh_size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    p->object->size = size;
    p->object->image = calloc(size ? size : 1, 1);
    return p->object->image ? WT_OK : no_memory(p);
}

static enum wt_status copy_sections(struct zebin_parse *p)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(p->elf, section))) {
        GElf_Shdr h;
        const int64_t at = p->place[elf_ndxscn(section)];
        if (at < 0 || !gelf_getshdr(section, &h) || h.sh_type == SHT_NOBITS || !h.sh_size)
            continue;
        const Elf_Data *data = elf_rawdata(section, NULL);
        if (!data || !data->d_buf || data->d_size != h.sh_size)
            return bad(p, "a section lies outside the file");
        memcpy(p->object->image + at, data->d_buf, data->d_size);
    }
    return WT_OK;
}

/* ---- relocations (R_ZE_SYM_ADDR, R_ZE_SYM_ADDR_32, R_ZE_SYM_ADDR_32_HI) ---- */

static enum wt_status add_relocation(struct zebin_parse *p, const struct gen_relocation *r)
{
    struct gen_object *o = p->object;
    if (r->at > o->size || r->size > o->size - r->at)
        return bad(p, "a relocation lies outside its section");
    struct gen_relocation *grown = wt_array_grow(o->relocation, &o->relocation_capacity,
                                                 o->relocation_count + 1, sizeof *grown);
    if (!grown)
        return no_memory(p);
    o->relocation = grown;
    o->relocation[o->relocation_count++] = *r;
    return WT_OK;
}

static enum wt_status relocate(struct zebin_parse *p, const GElf_Shdr *h, const Elf_Data *data,
                               const Elf_Data *symbols, size_t index)
{
    enum { SYM_ADDR = 1, SYM_ADDR_32 = 2, SYM_ADDR_32_HI = 3 };
    GElf_Rela rela = {0};
    GElf_Rel rel;
    GElf_Sym symbol;
    if (h->sh_type == SHT_RELA) {
        if (!gelf_getrela((Elf_Data *)data, (int)index, &rela))
            return bad(p, "a relocation cannot be read");
    } else {
        if (!gelf_getrel((Elf_Data *)data, (int)index, &rel))
            return bad(p, "a relocation cannot be read");
        rela.r_offset = rel.r_offset;
        rela.r_info = rel.r_info;
    }
    const unsigned type = (unsigned)GELF_R_TYPE(rela.r_info);
    if (!gelf_getsym((Elf_Data *)symbols, (int)GELF_R_SYM(rela.r_info), &symbol))
        return bad(p, "a relocation has no symbol");
    if (type < SYM_ADDR || type > SYM_ADDR_32_HI)
        return WT_OK; /* of the payload: launches see to it */
    if (symbol.st_shndx >= p->section_count || p->place[symbol.st_shndx] < 0)
        return wt_fail(p->err, WT_UNSUPPORTED, "%s: a relocation to what the file does not have",
                       p->name);
    return add_relocation(
        p, &(struct gen_relocation){.at = (uint64_t)p->place[h->sh_info] + rela.r_offset,
                                    .addend = (uint64_t)p->place[symbol.st_shndx] +
                                              symbol.st_value + (uint64_t)rela.r_addend,
                                    .size = type == SYM_ADDR ? 8 : 4,
                                    .high = type == SYM_ADDR_32_HI});
}

static enum wt_status read_relocations(struct zebin_parse *p)
{
    Elf_Scn *section = NULL;
    enum wt_status status;
    while ((section = elf_nextscn(p->elf, section))) {
        GElf_Shdr h;
        if (!gelf_getshdr(section, &h) || (h.sh_type != SHT_REL && h.sh_type != SHT_RELA) ||
            !h.sh_entsize)
            continue;
        if (h.sh_info >= p->section_count || p->place[h.sh_info] < 0)
            continue;
        Elf_Scn *table = elf_getscn(p->elf, h.sh_link);
        const Elf_Data *data = elf_getdata(section, NULL),
                       *symbols = table ? elf_getdata(table, NULL) : NULL;
        if (!data || !symbols)
            return bad(p, "a relocation section has no symbols");
        for (size_t i = 0; i < h.sh_size / h.sh_entsize; i++)
            if ((status = relocate(p, &h, data, symbols, i)) != WT_OK)
                return status;
    }
    return WT_OK;
}

/* ---- kernels ---- */

static enum wt_status read_info(struct zebin_parse *p)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(p->elf, section))) {
        GElf_Shdr h;
        if (!gelf_getshdr(section, &h) || h.sh_type != ZE_INFO)
            continue;
        const Elf_Data *data = elf_rawdata(section, NULL);
        if (!data || !data->d_buf)
            return bad(p, ".ze_info lies outside the file");
        return gen_ze_info_parse(p->name, data->d_buf, data->d_size, p->object, p->err);
    }
    return bad(p, "it has no .ze_info, which says how to launch its kernels");
}

/* Checks that .ze_info is consistent, and that each kernel has code. */
static enum wt_status check_kernel(struct zebin_parse *p, struct gen_kernel *k)
{
    Elf_Scn *section = NULL;
    if (!k->name)
        return bad(p, "a kernel has no name");
    while ((section = elf_nextscn(p->elf, section))) {
        GElf_Shdr h;
        const int64_t at = p->place[elf_ndxscn(section)];
        if (at < 0 || !gelf_getshdr(section, &h))
            continue;
        const char *name = section_name(p, &h);
        if (strncmp(name, ".text.", 6) != 0 || strcmp(name + 6, k->name) != 0)
            continue;
        k->code = (uint64_t)at;
        k->code_size = h.sh_size;
    }
    if (!k->code_size)
        return wt_fail(p->err, WT_INVALID, "%s: kernel %.64s has no code", p->name, k->name);
    if (k->simd != 8 && k->simd != 16 && k->simd != 32)
        return wt_fail(p->err, WT_INVALID,
                       "%s: kernel %.64s has a SIMD size of %u; 8, 16 and 32 are possible", p->name,
                       k->name, k->simd);
    return WT_OK;
}

static void free_kernel(struct gen_kernel *k)
{
    for (size_t n = 0; n < k->argument_count; n++)
        free(k->argument_name[n]);
    free(k->argument_name);
    free(k->argument_size);
    free(k->name);
    free(k->payload);
    free(k->binding);
    free(k->sampler);
    for (size_t n = 0; n < k->text_count; n++)
        free(k->text[n]);
    free(k->text);
}

/* Drops the compiler's pseudo kernel for symbols that belong to no kernel: it is never launched. */
static void drop_symbol_table(struct gen_object *o)
{
    size_t kept = 0;
    for (size_t i = 0; i < o->kernel_count; i++)
        if (strcmp(o->kernel[i].name, "Intel_Symbol_Table_Void_Program") == 0)
            free_kernel(&o->kernel[i]);
        else
            o->kernel[kept++] = o->kernel[i];
    o->kernel_count = kept;
}

static enum wt_status parse_patchtokens(struct zebin_parse *p)
{
    Elf_Scn *section = NULL;
    bool is_spirv = false;
    while ((section = elf_nextscn(p->elf, section))) {
        GElf_Shdr h;
        const bool any = gelf_getshdr(section, &h) != NULL;
        is_spirv |= any && h.sh_type == OPENCL_SPIRV;
        if (!any || h.sh_type != OPENCL_DEVICE_BINARY)
            continue;
        const Elf_Data *data = elf_rawdata(section, NULL);
        if (!data || !data->d_buf)
            return bad(p, "its program lies outside the file");
        return gen_patchtokens_parse(p->name, data->d_buf, data->d_size, p->object, p->err);
    }
    return bad(p, is_spirv ? "it has no code: it is SPIR-V alone"
                           : "it has no code: no section has a program for a GPU");
}

static enum wt_status parse_elf(struct zebin_parse *p)
{
    enum wt_status status;
    GElf_Ehdr header;
    if (!p->elf || elf_kind(p->elf) != ELF_K_ELF || !gelf_getehdr(p->elf, &header))
        return bad(p, "it is not an ELF file");
    if (header.e_type == GEN_OPENCL_EXECUTABLE)
        return parse_patchtokens(p);
    if (header.e_machine != GEN_ELF_MACHINE || header.e_ident[EI_CLASS] != ELFCLASS64)
        return bad(p, "it is not an ELF file of 64 bits for Intel GPUs");
    if (elf_getshdrnum(p->elf, &p->section_count) || elf_getshdrstrndx(p->elf, &p->names) ||
        p->section_count > MOST_SECTIONS)
        return bad(p, "its section table cannot be read");
    p->place = calloc(p->section_count + 1, sizeof *p->place);
    if (!p->place)
        return no_memory(p);
    if ((status = place_sections(p)) != WT_OK || (status = copy_sections(p)) != WT_OK ||
        (status = read_relocations(p)) != WT_OK || (status = read_info(p)) != WT_OK)
        return status;
    for (size_t i = 0; i < p->object->kernel_count; i++)
        if ((status = check_kernel(p, &p->object->kernel[i])) != WT_OK)
            return status;
    drop_symbol_table(p->object);
    return p->object->kernel_count ? WT_OK : bad(p, "it has no kernels");
}

/* Checks the properties on which launches rely. */
static void check_object(const struct gen_object *o)
{
    for (size_t i = 0; i < o->relocation_count; i++) {
        const struct gen_relocation *r = &o->relocation[i];
        assert((r->size == 4 || r->size == 8) && r->at <= o->size && r->size <= o->size - r->at);
    }
    for (size_t i = 0; i < o->kernel_count; i++) {
        const struct gen_kernel *k = &o->kernel[i];
        assert(k->name && k->code <= o->size && k->code_size <= o->size - k->code);
    }
}

enum wt_status gen_object_parse(const char *name, const uint8_t *bytes, size_t length,
                                struct gen_object *object, struct wt_error *err)
{
    *object = (struct gen_object){0};
    elf_version(EV_CURRENT);
    /* libelf may write to what it reads. */
    char *copy = malloc(length ? length : 1);
    if (!copy)
        return wt_fail(err, WT_NO_MEMORY, "%s: the host has no memory left", name);
    memcpy(copy, bytes, length);
    struct zebin_parse p = {
        .name = name, .elf = elf_memory(copy, length), .object = object, .err = err};
    const bool bare = length >= 4 && wt_load_le(bytes, 4) == GEN_PATCHTOKENS_MAGIC;
    const enum wt_status status =
        bare ? gen_patchtokens_parse(name, bytes, length, object, err) : parse_elf(&p);
    elf_end(p.elf);
    object->place = p.place;
    object->section_count = p.section_count;
    free(copy);
    if (status)
        gen_object_free(object);
    else
        check_object(object);
    return status;
}

static bool fill_code(struct gen_object *o, const uint8_t *bytes, size_t length, unsigned simd,
                      const enum gen_address_mode *mode, size_t count)
{
    struct gen_kernel *k = calloc(1, sizeof *k);
    o->kernel = k;
    o->image = malloc(length);
    if (!k || !o->image)
        return false;
    memcpy(o->image, bytes, length);
    o->size = length;
    o->kernel_count = o->kernel_capacity = 1;
    *k = (struct gen_kernel){.name = strdup("code"),
                             .code_size = length,
                             .simd = simd,
                             .barriers = 1,
                             .scratch_size = 8192,
                             .local_id_size = 3 * (simd == 32 ? 64 : 32),
                             .payload = calloc(count + 1, sizeof *k->payload),
                             .binding = calloc(count + 1, sizeof *k->binding),
                             .payload_capacity = count + 1,
                             .binding_capacity = count + 1};
    if (!k->name || !k->payload || !k->binding)
        return false;
    for (size_t i = 0; i < count; i++) {
        k->payload[k->payload_count++] =
            (struct gen_payload_argument){.kind = mode[i] ? GEN_ARG_BYPOINTER : GEN_ARG_BYVALUE,
                                          .mode = (uint8_t)mode[i],
                                          .offset = 8 * (uint32_t)i,
                                          .size = 8,
                                          .index = (int32_t)i};
        if (mode[i] == GEN_ADDRESS_STATELESS)
            k->binding[k->binding_count++] =
                (struct gen_binding){.entry = (uint32_t)i, .index = (int32_t)i};
    }
    return true;
}

enum wt_status gen_object_of_code(const char *name, const uint8_t *bytes, size_t length,
                                  unsigned simd, const enum gen_address_mode *mode,
                                  size_t argument_count, struct gen_object *object,
                                  struct wt_error *err)
{
    enum { MOST_ARGUMENTS = 64 };
    assert(simd == 8 || simd == 16 || simd == 32);
    *object = (struct gen_object){0};
    if (!length || length % 8 || length > MOST_IMAGE)
        return wt_fail(
            err, WT_INVALID,
            "%s has %zu bytes: it is not a compiled program, and machine code has 8 or 16 "
            "bytes an instruction",
            name, length);
    if (argument_count > MOST_ARGUMENTS)
        return wt_fail(err, WT_INVALID, "%s: machine code takes up to %d arguments", name,
                       MOST_ARGUMENTS);
    if (fill_code(object, bytes, length, simd, mode, argument_count))
        return WT_OK;
    gen_object_free(object);
    return wt_fail(err, WT_NO_MEMORY, "%s: the host has no memory left", name);
}

void gen_object_free(struct gen_object *o)
{
    for (size_t i = 0; i < o->kernel_count; i++)
        free_kernel(&o->kernel[i]);
    free(o->kernel);
    free(o->relocation);
    free(o->place);
    free(o->image);
    *o = (struct gen_object){0};
}

const struct gen_kernel *gen_object_kernel(const struct gen_object *o, const char *name)
{
    for (size_t i = 0; i < o->kernel_count; i++)
        if (strcmp(o->kernel[i].name, name) == 0)
            return &o->kernel[i];
    return NULL;
}

bool gen_kernel_private(const struct gen_kernel *kernel, uint16_t *at, uint32_t *bytes)
{
    const uint64_t all = (uint64_t)kernel->private_size * kernel->simd;
    for (size_t i = 0; i < kernel->payload_count; i++) {
        const struct gen_payload_argument *a = &kernel->payload[i];
        if (a->kind != GEN_ARG_PRIVATE_BASE || a->size < 8 || a->offset > UINT16_MAX || !all ||
            all > UINT32_MAX)
            continue;
        *at = (uint16_t)a->offset;
        *bytes = (uint32_t)all;
        return true;
    }
    return false;
}
