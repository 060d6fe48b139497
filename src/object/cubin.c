/* Reading cubins by libelf. See cubin.h. */
#include "object/cubin.h"

#include <assert.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "object/cubin_link.h"

/* .nv.info: attributes of a kernel. */
enum {
    EIFMT_NVAL = 1,
    EIFMT_BVAL = 2,
    EIFMT_HVAL = 3,
    EIFMT_SVAL = 4,
    EIATTR_KPARAM_INFO = 0x17,
    EIATTR_CBANK_PARAM_SIZE = 0x19,
    EIATTR_FRAME_SIZE = 0x11,
    EIATTR_MIN_STACK_SIZE = 0x12,
    STO_CUDA_ENTRY = 0x10, /* st_other of a kernel's symbol */
    CODE_ALIGN = 128,
    MOST_CODE = 64 << 20,
    MOST_FILE = 1 << 30,
};

struct reader {
    const char *name;
    Elf *elf;
    size_t names; /* section header string table */
    struct cubin *cubin;
    size_t function_capacity;
};

uint8_t *cubin_append_code(struct cubin *c, uint64_t size, uint64_t *at)
{
    const uint64_t begin = (c->code_size + CODE_ALIGN - 1) / CODE_ALIGN * CODE_ALIGN;
    uint8_t *code = wt_array_grow(c->code, &c->code_capacity, begin + size + !size, 1);
    if (!code)
        return NULL;
    memset(code + c->code_size, 0, begin + size - c->code_size);
    c->code = code;
    c->code_size = begin + size;
    *at = begin;
    return code + begin;
}

static enum wt_status no_memory(struct wt_error *err)
{
    return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
}

void cubin_free(struct cubin *c)
{
    for (size_t i = 0; i < c->function_count; i++) {
        struct cubin_function *f = &c->function[i];
        free(f->name);
        free(f->parameter);
        for (unsigned k = 0; k < CUBIN_BANKS; k++)
            free(f->bank[k]);
    }
    for (size_t i = 0; i < c->variable_count; i++)
        free(c->variable[i].name);
    free(c->function);
    free(c->code);
    free(c->bank3);
    free(c->data);
    free(c->variable);
    free(c->relocation);
    *c = (struct cubin){0};
}

const struct cubin_function *cubin_find(const struct cubin *c, const char *name)
{
    for (size_t i = 0; i < c->function_count; i++)
        if (strcmp(c->function[i].name, name) == 0)
            return &c->function[i];
    return NULL;
}

#define HEADER 64

bool cubin_is(const uint8_t *bytes, size_t available)
{
    return available >= HEADER && memcmp(bytes, ELFMAG, SELFMAG) == 0 &&
           bytes[EI_CLASS] == ELFCLASS64 && wt_load_le(bytes + 18, 2) == CUBIN_ELF_MACHINE;
}

bool cubin_extent(const uint8_t *bytes, size_t available, size_t *size)
{
    enum { SECTION = 64, SEGMENT = 56 };
    if (!cubin_is(bytes, available))
        return false;
    const uint64_t segments = wt_load_le(bytes + 32, 8), sections = wt_load_le(bytes + 40, 8);
    const uint64_t segment_count = wt_load_le(bytes + 56, 2), count = wt_load_le(bytes + 60, 2);
    uint64_t end = HEADER;
    if (segments > MOST_FILE || sections > MOST_FILE)
        return false;
    if (segment_count && segments + segment_count * SEGMENT > end)
        end = segments + segment_count * SEGMENT;
    if (count && sections + count * SECTION > end)
        end = sections + count * SECTION;
    if (end > available)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *s = bytes + sections + i * SECTION;
        const uint64_t at = wt_load_le(s + 24, 8), length = wt_load_le(s + 32, 8);
        if (wt_load_le(s + 4, 4) == SHT_NOBITS || wt_load_le(s + 4, 4) == SHT_NULL)
            continue;
        if (at > MOST_FILE || length > MOST_FILE || at + length > available)
            return false;
        if (at + length > end)
            end = at + length;
    }
    *size = (size_t)end;
    return true;
}

static enum wt_status check_header(struct reader *r, struct wt_error *err)
{
    GElf_Ehdr header;
    if (elf_kind(r->elf) != ELF_K_ELF || !gelf_getehdr(r->elf, &header) ||
        gelf_getclass(r->elf) != ELFCLASS64)
        return wt_fail(err, WT_INVALID, "%s: not an ELF file of 64 bits", r->name);
    if (header.e_machine != CUBIN_ELF_MACHINE)
        return wt_fail(err, WT_INVALID, "%s: ELF machine %u is not NVIDIA CUDA (%u)", r->name,
                       header.e_machine, CUBIN_ELF_MACHINE);
    /* Newer files (ABI version 8) have it one byte higher. */
    r->cubin->sm = header.e_flags >> (header.e_ident[EI_ABIVERSION] >= 8 ? 8 : 0) & 0xff;
    if (r->cubin->sm < 50 || r->cubin->sm > 53)
        return wt_fail(err, WT_UNSUPPORTED,
                       "%s: it is code for sm_%u; code for sm_50, sm_52 and sm_53 (Maxwell) runs",
                       r->name, r->cubin->sm);
    if (elf_getshdrstrndx(r->elf, &r->names))
        return wt_fail(err, WT_INVALID, "%s: %s", r->name, elf_errmsg(-1));
    return WT_OK;
}

/* The name of a section, and its contents; false: the file is damaged. */
static bool section_of(struct reader *r, Elf_Scn *section, GElf_Shdr *header, const char **name)
{
    return gelf_getshdr(section, header) &&
           (*name = elf_strptr(r->elf, r->names, header->sh_name)) != NULL;
}

static Elf_Data *data_of(Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = header->sh_type == SHT_NOBITS ? NULL : elf_rawdata(section, NULL);
    return data && data->d_buf ? data : NULL;
}

static struct cubin_function *function_named(struct cubin *c, const char *name)
{
    for (size_t i = 0; i < c->function_count; i++)
        if (strcmp(c->function[i].name, name) == 0)
            return &c->function[i];
    return NULL;
}

/* ---- code ---- */

static enum wt_status add_function(struct reader *r, const char *name, const GElf_Shdr *header,
                                   const Elf_Data *data, struct wt_error *err)
{
    struct cubin *c = r->cubin;
    if (data->d_size > MOST_CODE || c->code_size + CODE_ALIGN + data->d_size > MOST_CODE)
        return wt_fail(err, WT_INVALID, "%s: more than %u MiB of code", r->name, MOST_CODE >> 20);
    if (function_named(c, name))
        return wt_fail(err, WT_INVALID, "%s: there are two functions '%.100s'", r->name, name);
    uint64_t at;
    uint8_t *code = cubin_append_code(c, data->d_size, &at);
    if (!code)
        return no_memory(err);
    memcpy(code, data->d_buf, data->d_size);
    struct cubin_function *grown =
        wt_array_grow(c->function, &r->function_capacity, c->function_count + 1, sizeof *grown);
    if (!grown)
        return no_memory(err);
    c->function = grown;
    struct cubin_function *f = &c->function[c->function_count];
    *f = (struct cubin_function){.name = strdup(name),
                                 .code = at,
                                 .size = data->d_size,
                                 .registers = (unsigned)(header->sh_info >> 24),
                                 .barriers = (unsigned)(header->sh_flags >> 20 & 0x1f)};
    if (!f->name)
        return no_memory(err);
    c->function_count++;
    return WT_OK;
}

static enum wt_status read_code(struct reader *r, struct wt_error *err)
{
    enum wt_status status;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(r->elf, section));) {
        GElf_Shdr header;
        const char *name;
        Elf_Data *data;
        if (!section_of(r, section, &header, &name))
            return wt_fail(err, WT_INVALID, "%s: %s", r->name, elf_errmsg(-1));
        if (strncmp(name, ".text.", 6) != 0 || header.sh_type != SHT_PROGBITS)
            continue;
        if (!(data = data_of(section, &header)) || data->d_size % 32)
            return wt_fail(err, WT_INVALID, "%s: section %.100s is not code: bundles have 32 bytes",
                           r->name, name);
        if ((status = add_function(r, name + 6, &header, data, err)) != WT_OK)
            return status;
    }
    return r->cubin->function_count ? WT_OK
                                    : wt_fail(err, WT_INVALID, "%s: it has no code", r->name);
}

/* ---- what belongs to a function ---- */

static enum wt_status add_parameter(struct reader *r, struct cubin_function *f,
                                    const uint8_t *value, size_t size, size_t *capacity,
                                    struct wt_error *err)
{
    if (size < 12)
        return wt_fail(err, WT_INVALID, "%s: .nv.info.%.100s is damaged", r->name, f->name);
    const size_t ordinal = wt_load_le(value + 4, 2);
    const struct cubin_parameter p = {.offset = (uint32_t)wt_load_le(value + 6, 2),
                                      .size = (uint32_t)wt_load_le(value + 8, 4) >> 18};
    if (ordinal >= 1024 || p.offset + p.size > CUBIN_MOST_PARAMETERS)
        return wt_fail(err, WT_INVALID, "%s: parameter %zu of %.100s is beyond %u bytes", r->name,
                       ordinal, f->name, CUBIN_MOST_PARAMETERS);
    const size_t count = ordinal + 1 > f->parameter_count ? ordinal + 1 : f->parameter_count;
    struct cubin_parameter *grown =
        wt_array_grow(f->parameter, capacity, count, sizeof *f->parameter);
    if (!grown)
        return no_memory(err);
    f->parameter = grown;
    for (size_t i = f->parameter_count; i < count; i++)
        grown[i] = (struct cubin_parameter){0};
    f->parameter_count = count;
    f->parameter[ordinal] = p;
    if (p.offset + p.size > f->parameter_bytes)
        f->parameter_bytes = p.offset + p.size;
    return WT_OK;
}

static enum wt_status read_info(struct reader *r, struct cubin_function *f, const Elf_Data *data,
                                struct wt_error *err)
{
    const uint8_t *bytes = data->d_buf;
    size_t at = 0, capacity = 0;
    enum wt_status status;
    if (f->parameter)
        return wt_fail(err, WT_INVALID, "%s: there are two sections .nv.info.%.100s", r->name,
                       f->name);
    while (at + 4 <= data->d_size) {
        const unsigned format = bytes[at], attribute = bytes[at + 1];
        const size_t size = wt_load_le(bytes + at + 2, 2);
        at += 4;
        if (format != EIFMT_SVAL) {
            if (attribute == EIATTR_CBANK_PARAM_SIZE && size > f->parameter_bytes &&
                size <= CUBIN_MOST_PARAMETERS)
                f->parameter_bytes = (uint32_t)size;
            continue;
        }
        if (size > data->d_size - at)
            return wt_fail(err, WT_INVALID, "%s: .nv.info.%.100s is damaged", r->name, f->name);
        if (attribute == EIATTR_KPARAM_INFO &&
            (status = add_parameter(r, f, bytes + at, size, &capacity, err)) != WT_OK)
            return status;
        at += (size + 3) / 4 * 4;
    }
    return WT_OK;
}

static enum wt_status copy(const Elf_Data *data, uint8_t **to, uint32_t *size, const char *what,
                           struct reader *r, struct wt_error *err)
{
    if (data->d_size > CUBIN_BANK_BYTES || *to)
        return wt_fail(err, WT_INVALID, "%s: section %.100s is larger than a constant bank",
                       r->name, what);
    if (!(*to = malloc(data->d_size ? data->d_size : 1)))
        return no_memory(err);
    memcpy(*to, data->d_buf, data->d_size);
    *size = (uint32_t)data->d_size;
    return WT_OK;
}

static enum wt_status read_section(struct reader *r, Elf_Scn *section, const GElf_Shdr *header,
                                   const char *name, struct wt_error *err)
{
    Elf_Data *data = data_of(section, header);
    struct cubin *c = r->cubin;
    struct cubin_function *f;
    unsigned bank;
    int used = 0;
    if (strncmp(name, ".nv.info.", 9) == 0 && (f = function_named(c, name + 9)) && data)
        return read_info(r, f, data, err);
    if (strncmp(name, ".nv.shared.", 11) == 0 && (f = function_named(c, name + 11))) {
        if (header->sh_size > 1 << 16)
            return wt_fail(err, WT_INVALID, "%s: %.100s asks for 0x%llx bytes of shared memory",
                           r->name, f->name, (unsigned long long)header->sh_size);
        f->shared = (uint32_t)header->sh_size;
        return WT_OK;
    }
    if (strcmp(name, ".nv.constant3") == 0 && data)
        return copy(data, &c->bank3, &c->bank3_size, name, r, err);
    if (sscanf(name, ".nv.constant%2u.%n", &bank, &used) == 1 && used && bank < CUBIN_BANKS &&
        (f = function_named(c, name + used)) && data)
        return copy(data, &f->bank[bank], &f->bank_size[bank], name, r, err);
    return WT_OK;
}

/* Kernels are symbols that say so; the size of a thread's stack is an attribute of the file. */
static void read_symbols(struct reader *r, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    for (size_t i = 1; data && header->sh_entsize && i < header->sh_size / header->sh_entsize;
         i++) {
        GElf_Sym symbol;
        const char *name;
        struct cubin_function *f;
        if (!gelf_getsym(data, (int)i, &symbol) ||
            !(name = elf_strptr(r->elf, header->sh_link, symbol.st_name)) ||
            !(f = function_named(r->cubin, name)))
            continue;
        if (symbol.st_other & STO_CUDA_ENTRY)
            f->is_kernel = true;
    }
}

static const char *symbol_name(struct reader *r, uint64_t index)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(r->elf, section));) {
        GElf_Shdr header;
        GElf_Sym symbol;
        Elf_Data *data;
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB &&
            (data = elf_getdata(section, NULL)) && index <= INT32_MAX &&
            gelf_getsym(data, (int)index, &symbol))
            return elf_strptr(r->elf, header.sh_link, symbol.st_name);
    }
    return NULL;
}

static void read_stacks(struct reader *r, const Elf_Data *data)
{
    const uint8_t *bytes = data->d_buf;
    for (size_t at = 0; at + 12 <= data->d_size;) {
        const size_t size = bytes[at] == EIFMT_SVAL ? wt_load_le(bytes + at + 2, 2) : 0;
        const unsigned attribute = bytes[at + 1];
        if (bytes[at] == EIFMT_SVAL && size == 8 &&
            (attribute == EIATTR_MIN_STACK_SIZE || attribute == EIATTR_FRAME_SIZE)) {
            const char *name = symbol_name(r, wt_load_le(bytes + at + 4, 4));
            struct cubin_function *f = name ? function_named(r->cubin, name) : NULL;
            const uint32_t stack = (uint32_t)wt_load_le(bytes + at + 8, 4);
            if (f && stack > f->local && stack <= 1 << 19)
                f->local = stack;
        }
        at += 4 + (size + 3) / 4 * 4;
    }
}

static enum wt_status read_rest(struct reader *r, struct wt_error *err)
{
    enum wt_status status;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(r->elf, section));) {
        GElf_Shdr header;
        const char *name;
        Elf_Data *data;
        if (!section_of(r, section, &header, &name))
            return wt_fail(err, WT_INVALID, "%s: %s", r->name, elf_errmsg(-1));
        if (header.sh_type == SHT_SYMTAB)
            read_symbols(r, section, &header);
        if (strcmp(name, ".nv.info") == 0 && (data = data_of(section, &header)))
            read_stacks(r, data);
        if ((status = read_section(r, section, &header, name, err)) != WT_OK)
            return status;
    }
    return WT_OK;
}

enum wt_status cubin_parse(const char *name, const uint8_t *bytes, size_t length,
                           struct cubin *cubin, struct wt_error *err)
{
    enum wt_status status;
    struct reader r = {.name = name, .cubin = cubin};
    *cubin = (struct cubin){0};
    /* libelf may write into the image that it is given. */
    char *image = malloc(length ? length : 1);
    if (!image)
        return no_memory(err);
    memcpy(image, bytes, length);
    elf_version(EV_CURRENT);
    r.elf = elf_memory(image, length);
    if (!r.elf)
        status = wt_fail(err, WT_INVALID, "%s: %s", name, elf_errmsg(-1));
    else if ((status = check_header(&r, err)) == WT_OK && (status = read_code(&r, err)) == WT_OK &&
             (status = read_rest(&r, err)) == WT_OK)
        status = cubin_read_variables(r.elf, r.names, name, cubin, err);
    elf_end(r.elf);
    free(image);
    if (status)
        cubin_free(cubin);
    return status;
}
