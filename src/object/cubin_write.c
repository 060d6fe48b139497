/* Writing cubins: the sections that cubin.c reads, as NVIDIA's tools lay them out. See cubin.h. */
#include <assert.h>
#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/buffer.h"
#include "object/cubin.h"

enum {
    INFO_TYPE = 0x70000000, /* SHT_CUDA_INFO */
    FLAGS = 0x500,          /* e_flags: 64-bit addresses, as ptxas for sm_50 sets them */
    OSABI = 0x33,
    ABI_VERSION = 7,
    STO_CUDA_ENTRY = 0x10,
    SYMBOLS = 3, /* the section of symbols */
};

struct cubin_section {
    uint32_t name, type, link, info;
    uint64_t flags, addr, offset, size, align, entry;
};

#define MOST_SECTIONS 4096

struct cubin_writer {
    struct wt_buffer out, names, strings, symbols;
    struct cubin_section *section;
    uint32_t count;
    size_t capacity;
};

static void align_to(struct wt_buffer *b, size_t alignment)
{
    static const uint8_t zeros[128];
    wt_buffer_append(b, zeros, (alignment - b->length % alignment) % alignment);
}

static uint32_t add_string(struct wt_buffer *b, const char *text)
{
    const uint32_t at = (uint32_t)b->length;
    wt_buffer_append(b, text, strlen(text) + 1);
    return at;
}

/* Adds a section whose name is a prefix and a function's name; returns its index. */
static uint32_t add_section(struct cubin_writer *w, const char *prefix, const char *name,
                            struct cubin_section section, const void *bytes, size_t length)
{
    struct cubin_section *grown =
        wt_array_grow(w->section, &w->capacity, w->count + 1, sizeof *w->section);
    if (!grown) {
        w->out.failed = true;
        return 0;
    }
    w->section = grown;
    section.name = (uint32_t)w->names.length;
    wt_buffer_append(&w->names, prefix, strlen(prefix));
    wt_buffer_append(&w->names, name, strlen(name) + 1);
    align_to(&w->out, section.align ? section.align : 1);
    section.offset = w->out.length;
    if (section.type != SHT_NOBITS) {
        wt_buffer_append(&w->out, bytes, length);
        section.size = length;
    }
    w->section[w->count] = section;
    return w->count++;
}

static void add_symbol(struct cubin_writer *w, const char *name, unsigned info, unsigned other,
                       unsigned section, uint64_t value, uint64_t size)
{
    wt_buffer_append_number(&w->symbols, add_string(&w->strings, name), 4);
    wt_buffer_append_number(&w->symbols, info, 1);
    wt_buffer_append_number(&w->symbols, other, 1);
    wt_buffer_append_number(&w->symbols, section, 2);
    wt_buffer_append_number(&w->symbols, value, 8);
    wt_buffer_append_number(&w->symbols, size, 8);
}

/* .nv.info of a function: its parameters, last one first. */
static void add_info(struct cubin_writer *w, const struct cubin_function *f, uint32_t text)
{
    struct wt_buffer info = {0};
    wt_buffer_append_number(&info, 0x1903 | (uint64_t)f->parameter_bytes << 16, 4);
    for (size_t i = f->parameter_count; i-- > 0;) {
        wt_buffer_append_number(&info, 0x000c1704, 4);
        wt_buffer_append_number(&info, 0, 4);
        wt_buffer_append_number(&info, i | (uint64_t)f->parameter[i].offset << 16, 4);
        wt_buffer_append_number(&info, (uint64_t)f->parameter[i].size << 18 | 0x1f000, 4);
    }
    add_section(w, ".nv.info.", f->name,
                (struct cubin_section){.type = INFO_TYPE, .info = text, .align = 4}, info.bytes,
                info.length);
    w->out.failed = w->out.failed || info.failed;
    free(info.bytes);
}

/* The contents of a section: of a function, and one of its banks. */
struct cubin_held {
    enum cubin_part part;
    size_t function;
    unsigned bank;
};

/* The relocations of one section. */
static void add_relocations(struct cubin_writer *w, const struct cubin *c, struct cubin_held held,
                            const char *prefix, const char *name, uint32_t section)
{
    struct wt_buffer entries = {0};
    for (size_t i = 0; i < c->relocation_count; i++) {
        const struct cubin_relocation *p = &c->relocation[i];
        if (p->part != held.part ||
            ((held.part == CUBIN_CODE || held.part == CUBIN_BANK) &&
             p->function != held.function) ||
            (held.part == CUBIN_BANK && p->bank != held.bank))
            continue;
        /* Symbols are: none, the functions, the variables. */
        const uint64_t symbol = 1 + p->target + (p->to_function ? 0 : c->function_count);
        wt_buffer_append_number(&entries, p->offset, 8);
        wt_buffer_append_number(&entries, symbol << 32 | (uint64_t)p->field, 8);
        wt_buffer_append_number(&entries, (uint64_t)p->addend, 8);
    }
    if (entries.length)
        add_section(
            w, prefix, name,
            (struct cubin_section){
                .type = SHT_RELA, .link = SYMBOLS, .info = section, .align = 8, .entry = 24},
            entries.bytes, entries.length);
    w->out.failed = w->out.failed || entries.failed;
    free(entries.bytes);
}

static void add_function(struct cubin_writer *w, const struct cubin *c,
                         const struct cubin_function *f, struct wt_buffer *stacks, uint32_t symbol)
{
    const struct cubin_section code = {.type = SHT_PROGBITS,
                                       .flags =
                                           SHF_ALLOC | SHF_EXECINSTR | (uint64_t)f->barriers << 20,
                                       .addr = f->code, /* so that symbols differ */
                                       .info = symbol | f->registers << 24,
                                       .link = 3,
                                       .align = 32};
    const uint32_t text = add_section(w, ".text.", f->name, code, c->code + f->code, f->size);
    const size_t index = (size_t)(f - c->function);
    add_info(w, f, text);
    add_relocations(w, c, (struct cubin_held){CUBIN_CODE, index, 0}, ".rela.text.", f->name, text);
    for (unsigned i = 0; i < CUBIN_BANKS; i++) {
        char prefix[32];
        if (!f->bank[i])
            continue;
        snprintf(prefix, sizeof prefix, ".rela.nv.constant%u.", i);
        const uint32_t bank =
            add_section(w, prefix + 5, f->name,
                        (struct cubin_section){
                            .type = SHT_PROGBITS, .flags = SHF_ALLOC, .info = text, .align = 4},
                        f->bank[i], f->bank_size[i]);
        add_relocations(w, c, (struct cubin_held){CUBIN_BANK, index, i}, prefix, f->name, bank);
    }
    if (f->shared)
        add_section(w, ".nv.shared.", f->name,
                    (struct cubin_section){.type = SHT_NOBITS,
                                           .flags = SHF_ALLOC | SHF_WRITE,
                                           .info = text,
                                           .size = f->shared,
                                           .align = 16},
                    NULL, 0);
    add_symbol(w, f->name, STB_GLOBAL << 4 | STT_FUNC, f->is_kernel ? STO_CUDA_ENTRY : 0, text,
               f->code, f->size);
    wt_buffer_append_number(stacks, 0x00081204, 4); /* the least stack */
    wt_buffer_append_number(stacks, symbol, 4);
    wt_buffer_append_number(stacks, f->local, 4);
}

/* The sections of variables: .nv.constant3, .nv.global.init, .nv.global. */
static void add_variables(struct cubin_writer *w, const struct cubin *c)
{
    uint32_t constants = 0, values = 0, zeros = 0;
    const uint64_t zeros_at = (c->initialized + 255) / 256 * 256;
    if (c->bank3) {
        constants = add_section(
            w, "", ".nv.constant3",
            (struct cubin_section){.type = SHT_PROGBITS, .flags = SHF_ALLOC, .align = 4}, c->bank3,
            c->bank3_size);
        add_relocations(w, c, (struct cubin_held){.part = CUBIN_BANK3}, "", ".rela.nv.constant3",
                        constants);
    }
    if (c->initialized) {
        values = add_section(w, "", ".nv.global.init",
                             (struct cubin_section){
                                 .type = SHT_PROGBITS, .flags = SHF_ALLOC | SHF_WRITE, .align = 16},
                             c->data, c->initialized);
        add_relocations(w, c, (struct cubin_held){.part = CUBIN_DATA}, "", ".rela.nv.global.init",
                        values);
    }
    if (c->data_size > zeros_at)
        zeros = add_section(w, "", ".nv.global",
                            (struct cubin_section){.type = SHT_NOBITS,
                                                   .flags = SHF_ALLOC | SHF_WRITE,
                                                   .size = c->data_size - zeros_at,
                                                   .align = 16},
                            NULL, 0);
    for (size_t i = 0; i < c->variable_count; i++) {
        const struct cubin_variable *v = &c->variable[i];
        const bool is_zero = !v->is_constant && zeros && v->offset >= zeros_at;
        add_symbol(w, v->name, STB_GLOBAL << 4 | STT_OBJECT, 0,
                   v->is_constant ? constants
                   : is_zero      ? zeros
                                  : values,
                   v->offset - (is_zero ? zeros_at : 0), v->size);
    }
}

/* One segment: all code, where the sections say. */
static void put_segment(struct cubin_writer *w, uint64_t code_size)
{
    wt_buffer_append_number(&w->out, PT_LOAD | (uint64_t)(PF_R | PF_X) << 32, 8);
    wt_buffer_append_number(&w->out, 0, 8);
    wt_buffer_append_number(&w->out, 0, 8);
    wt_buffer_append_number(&w->out, 0, 8);
    wt_buffer_append_number(&w->out, 0, 8);
    wt_buffer_append_number(&w->out, code_size, 8);
    wt_buffer_append_number(&w->out, 128, 8);
}

static void put_header(struct cubin_writer *w, unsigned sm, uint64_t segments, uint64_t sections)
{
    uint8_t *h = w->out.bytes;
    memcpy(h, ELFMAG, SELFMAG);
    h[EI_CLASS] = ELFCLASS64;
    h[EI_DATA] = ELFDATA2LSB;
    h[EI_VERSION] = EV_CURRENT;
    h[EI_OSABI] = OSABI;
    h[EI_ABIVERSION] = ABI_VERSION;
    wt_store_le(h + 16, ET_EXEC, 2);
    wt_store_le(h + 18, CUBIN_ELF_MACHINE, 2);
    wt_store_le(h + 20, 80, 4); /* e_version: of the toolkit */
    wt_store_le(h + 32, segments, 8);
    wt_store_le(h + 40, sections, 8);
    wt_store_le(h + 48, sm | FLAGS | (uint64_t)sm << 16, 4);
    wt_store_le(h + 52, sizeof(Elf64_Ehdr), 2);
    wt_store_le(h + 54, sizeof(Elf64_Phdr), 2);
    wt_store_le(h + 56, 1, 2);
    wt_store_le(h + 58, sizeof(Elf64_Shdr), 2);
    wt_store_le(h + 60, w->count, 2);
    wt_store_le(h + 62, 1, 2);
}

static void put_sections(struct cubin_writer *w)
{
    for (uint32_t i = 0; i < w->count; i++) {
        const struct cubin_section *s = &w->section[i];
        wt_buffer_append_number(&w->out, s->name, 4);
        wt_buffer_append_number(&w->out, s->type, 4);
        wt_buffer_append_number(&w->out, s->flags, 8);
        wt_buffer_append_number(&w->out, s->addr, 8);
        wt_buffer_append_number(&w->out, s->offset, 8);
        wt_buffer_append_number(&w->out, s->size, 8);
        wt_buffer_append_number(&w->out, s->link, 4);
        wt_buffer_append_number(&w->out, s->info, 4);
        wt_buffer_append_number(&w->out, s->align, 8);
        wt_buffer_append_number(&w->out, s->entry, 8);
    }
}

/* Fills in a section that was added without its contents. */
static void fill_section(struct cubin_writer *w, uint32_t index, const struct wt_buffer *from)
{
    align_to(&w->out, 8);
    w->section[index].offset = w->out.length;
    w->section[index].size = from->length;
    wt_buffer_append(&w->out, from->bytes, from->length);
}

static void write_all(struct cubin_writer *w, const struct cubin *c)
{
    static const uint8_t header[sizeof(Elf64_Ehdr)];
    struct wt_buffer stacks = {0};
    wt_buffer_append(&w->out, header, sizeof header);
    wt_buffer_append(&w->strings, "", 1);
    add_symbol(w, "", 0, 0, 0, 0, 0);
    add_section(w, "", "", (struct cubin_section){.type = SHT_NULL}, NULL, 0);
    add_section(w, "", ".shstrtab", (struct cubin_section){.type = SHT_STRTAB, .align = 1}, NULL,
                0);
    add_section(w, "", ".strtab", (struct cubin_section){.type = SHT_STRTAB, .align = 1}, NULL, 0);
    add_section(
        w, "", ".symtab",
        (struct cubin_section){.type = SHT_SYMTAB, .align = 8, .link = 2, .info = 1, .entry = 24},
        NULL, 0);
    const uint32_t info = add_section(
        w, "", ".nv.info", (struct cubin_section){.type = INFO_TYPE, .align = 4}, NULL, 0);
    for (size_t i = 0; i < c->function_count; i++)
        add_function(w, c, &c->function[i], &stacks, (uint32_t)i + 1);
    add_variables(w, c);
    if (!w->out.failed) {
        fill_section(w, info, &stacks);
        fill_section(w, 1, &w->names);
        fill_section(w, 2, &w->strings);
        fill_section(w, 3, &w->symbols);
        align_to(&w->out, 8);
        const uint64_t segments = w->out.length;
        put_segment(w, c->code_size);
        const uint64_t sections = w->out.length;
        put_sections(w);
        if (!w->out.failed)
            put_header(w, c->sm, segments, sections);
    }
    w->out.failed =
        w->out.failed || stacks.failed || w->names.failed || w->strings.failed || w->symbols.failed;
    free(stacks.bytes);
}

enum wt_status cubin_write(const struct cubin *c, uint8_t **bytes, size_t *length,
                           struct wt_error *err)
{
    struct cubin_writer w = {0};
    assert(c->function_count && c->function_count < MOST_SECTIONS / (2 * CUBIN_BANKS + 4));
    write_all(&w, c);
    free(w.section);
    free(w.names.bytes);
    free(w.strings.bytes);
    free(w.symbols.bytes);
    if (w.out.failed) {
        free(w.out.bytes);
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
    }
    *bytes = w.out.bytes;
    *length = w.out.length;
    return WT_OK;
}
