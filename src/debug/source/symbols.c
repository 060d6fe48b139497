/*
 * Names and lines from ELF symbols and DWARF line tables, by libelf and libdw. Everything is read
 * into sorted tables when the file is opened (lines when they are first asked for), so that the
 * undamaged parts of a damaged file can be used.
 */
#include "debug/source/symbols.h"
#include "debug/source/attributes.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "debug/source/info.h"
#include "debug/source/symbols_internal.h"

/* The common part of both ways to open a file; `s` is closed on failure. */
static enum wt_status open_elf(struct wt_symbols *s, const char *name, struct wt_symbols **symbols,
                               struct wt_error *err)
{
    if (!s->elf || elf_kind(s->elf) != ELF_K_ELF) {
        wt_symbols_close(s);
        return wt_fail(err, WT_INVALID, "%s: not an ELF file", name);
    }
    wt_symbols_read_names(s);
    wt_symbols_read_functions(s);
    *symbols = s;
    return WT_OK;
}

/* @p bytes come from malloc. They are freed with the symbols, or here on failure. libelf would lose
 * what it has read of an open file once its image is asked for. */
static enum wt_status open_own(const char *name, uint8_t *bytes, size_t length,
                               struct wt_symbols **symbols, struct wt_error *err)
{
    *symbols = NULL;
    struct wt_symbols *s = calloc(1, sizeof *s);
    if (!s || elf_version(EV_CURRENT) == EV_NONE) {
        free(bytes);
        free(s);
        return s ? wt_fail(err, WT_UNSUPPORTED, "libelf is too old: %s", elf_errmsg(-1))
                 : wt_fail(err, WT_NO_MEMORY, "out of memory for the symbols of %s", name);
    }
    s->bytes = bytes;
    s->elf = elf_memory((char *)bytes, length);
    return open_elf(s, name, symbols, err);
}

enum wt_status wt_symbols_open(const char *path, struct wt_symbols **symbols, struct wt_error *err)
{
    enum wt_status status;
    uint8_t *bytes;
    size_t length;
    *symbols = NULL;
    if ((status = wt_file_read(path, &bytes, &length, err)) != WT_OK)
        return status;
    return open_own(path, bytes, length, symbols, err);
}

enum wt_status wt_symbols_open_bytes(const char *name, const uint8_t *bytes, size_t length,
                                     struct wt_symbols **symbols, struct wt_error *err)
{
    uint8_t *own = malloc(length ? length : 1);
    *symbols = NULL;
    if (!own)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the symbols of %s", name);
    memcpy(own, bytes, length);
    return open_own(name, own, length, symbols, err);
}

struct wt_symbols *wt_symbols_share(struct wt_symbols *s)
{
    if (s)
        s->owners++;
    return s;
}

const uint8_t *wt_symbols_image(struct wt_symbols *symbols, size_t *length)
{
    return (const uint8_t *)elf_rawfile(symbols->elf, length);
}

bool wt_symbols_code(struct wt_symbols *s, uint64_t addr, void *out, size_t size)
{
    GElf_Shdr h;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(s->elf, section)) != NULL;) {
        const Elf_Data *data = gelf_getshdr(section, &h) && h.sh_flags & SHF_EXECINSTR &&
                                       addr >= h.sh_addr && addr - h.sh_addr < h.sh_size
                                   ? elf_rawdata(section, NULL)
                                   : NULL;
        if (!data || !data->d_buf || data->d_size < size || addr - h.sh_addr > data->d_size - size)
            continue;
        memcpy(out, (const uint8_t *)data->d_buf + (addr - h.sh_addr), size);
        return true;
    }
    return false;
}

void wt_symbols_close(struct wt_symbols *s)
{
    if (!s)
        return;
    if (s->owners) {
        s->owners--;
        return;
    }
    wt_info_free(s->info);
    if (s->dwarf)
        dwarf_end(s->dwarf);
    if (s->elf)
        elf_end(s->elf);
    free(s->bytes);
    for (size_t i = 0; i < s->path_count; i++)
        free(s->path[i]);
    free(s->path);
    free(s->symbol);
    free(s->line);
    free(s);
}

void wt_symbols_range(const struct wt_symbols *s, uint64_t *start, uint64_t *end)
{
    size_t count;
    *start = UINT64_MAX;
    *end = 0;
    if (elf_getphdrnum(s->elf, &count))
        count = 0;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr p;
        if (!gelf_getphdr(s->elf, (int)i, &p) || p.p_type != PT_LOAD || !p.p_memsz ||
            p.p_memsz > UINT64_MAX - p.p_vaddr)
            continue;
        if (p.p_vaddr < *start)
            *start = p.p_vaddr;
        if (p.p_vaddr + p.p_memsz > *end)
            *end = p.p_vaddr + p.p_memsz;
    }
    if (!*end)
        *start = 0;
}

bool wt_symbols_function(struct wt_symbols *s, uint64_t addr, const char **name, uint64_t *offset)
{
    if (!s)
        return false;
    WT_BISECT(low, s->symbols, s->symbol[middle].addr <= addr);
    /* Goes back to the nearest code symbol at or before the address that extends to it; labels have
     * no size. */
    const struct wt_symbol *best = NULL;
    for (size_t i = low; i-- > 0;) {
        const struct wt_symbol *x = &s->symbol[i];
        if (best && x->addr != best->addr)
            break;
        if (x->code && (x->size == 0 || addr - x->addr < x->size))
            best = x;
        else if (x->code && !best && x->size)
            break;
    }
    if (!best)
        return false;
    *name = best->name;
    *offset = addr - best->addr;
    return true;
}

/* The number of rows in the line table with addresses up to @p addr. The first call reads the
 * table. */
static size_t rows_until(struct wt_symbols *s, uint64_t addr)
{
    if (!s->lines_read)
        wt_symbols_read_lines(s);
    WT_BISECT(low, s->lines, s->line[middle].addr <= addr);
    return low;
}

struct wt_info *wt_symbols_info(struct wt_symbols *s)
{
    if (!s)
        return NULL;
    if (!s->lines_read)
        wt_symbols_read_lines(s);
    if (!s->info_read && s->lines_read) {
        bool complete = true;
        const struct wt_info_loading loading = {
            .reads = wt_symbols_names_go_on, .sorts = wt_symbols_sorting_goes_on, .context = s};
        s->info = s->dwarf ? wt_info_new(s->dwarf, s->elf, &loading, &complete) : NULL;
        s->info_read = complete;
    }
    return s->info;
}

void wt_symbols_set_loading(struct wt_symbols *s, const struct wt_loading *loading)
{
    if (s)
        s->loading = loading;
}

bool wt_symbols_extent(struct wt_symbols *s, uint64_t addr, uint64_t *start, uint64_t *end)
{
    const char *name;
    uint64_t offset;
    if (!wt_symbols_function(s, addr, &name, &offset))
        return false;
    *start = addr - offset;
    *end = addr + 1;
    for (size_t i = 0; i < s->symbols; i++) {
        const struct wt_symbol *x = &s->symbol[i];
        if (x->addr == *start && x->name == name && x->size)
            *end = x->addr + x->size;
        if (x->code && x->addr > addr && *end == addr + 1) {
            *end = x->addr;
            break;
        }
    }
    return true;
}

enum wt_abi wt_symbols_abi(const struct wt_symbols *s, unsigned *float_bytes)
{
    GElf_Ehdr header;
    *float_bytes = 0;
    if (!gelf_getehdr(s->elf, &header))
        return WT_ABI_UNKNOWN;
    const unsigned abi = header.e_flags & EF_RISCV_FLOAT_ABI;
    if (header.e_machine == EM_RISCV)
        *float_bytes = abi == EF_RISCV_FLOAT_ABI_SOFT     ? 0
                       : abi == EF_RISCV_FLOAT_ABI_SINGLE ? 4
                                                          : 8;
    return header.e_machine == EM_RISCV    ? WT_ABI_RISCV
           : header.e_machine == EM_AMDGPU ? WT_ABI_AMDGPU
                                           : WT_ABI_UNKNOWN;
}

bool wt_symbols_row(struct wt_symbols *s, uint64_t addr, struct wt_line_row *row)
{
    if (!s)
        return false;
    size_t low = rows_until(s, addr);
    if (low == 0 || s->line[low - 1].end)
        return false;
    /* Of several rows at one address, the last one that begins a statement counts. */
    size_t at = low - 1, high = low;
    while (at > 0 && !s->line[at].statement && s->line[at - 1].addr == s->line[at].addr &&
           !s->line[at - 1].end && s->line[at - 1].line)
        at--;
    if (!s->line[at].statement)
        at = low - 1;
    while (high < s->lines && s->line[high].addr == s->line[at].addr)
        high++;
    *row = (struct wt_line_row){.start = s->line[at].addr,
                                .end = high < s->lines ? s->line[high].addr : UINT64_MAX,
                                .file = s->line[at].file,
                                .line = s->line[at].line,
                                .statement = s->line[at].statement};
    return true;
}

void wt_symbols_files(struct wt_symbols *s, bool (*found)(void *context, const char *file),
                      void *context)
{
    if (!s)
        return;
    rows_until(s, 0); /* reads the table */
    const char *last = NULL;
    for (size_t i = 0; i < s->lines; i++) {
        if (!s->line[i].file || s->line[i].file == last)
            continue;
        last = s->line[i].file;
        if (!found(context, last))
            return;
    }
}

void wt_symbols_each(struct wt_symbols *s,
                     bool (*found)(void *context, const char *name, uint64_t addr, uint64_t size,
                                   bool code),
                     void *context)
{
    for (size_t i = 0; s && i < s->symbols; i++)
        if (!found(context, s->symbol[i].name, s->symbol[i].addr, s->symbol[i].size,
                   s->symbol[i].code))
            return;
}

bool wt_symbols_line(struct wt_symbols *s, uint64_t addr, const char **file, unsigned *line)
{
    if (!s)
        return false;
    const size_t low = rows_until(s, addr);
    if (low == 0 || s->line[low - 1].end || s->line[low - 1].line == 0)
        return false;
    *file = s->line[low - 1].file;
    *line = s->line[low - 1].line;
    return true;
}

/* Whether a symbol is a C++ function of this name at file scope. The mangled name has _Z, or _ZL if
 * the function is static, the name's length, the name, and the types of the parameters. */
static bool is_cplusplus(const char *symbol, const char *name, size_t length)
{
    char *end;
    if (strncmp(symbol, "_Z", 2) != 0)
        return false;
    symbol += symbol[2] == 'L' ? 3 : 2;
    return *symbol >= '1' && *symbol <= '9' && strtoul(symbol, &end, 10) == length &&
           strncmp(end, name, length) == 0;
}

bool wt_symbols_address(struct wt_symbols *s, const char *name, uint64_t *addr)
{
    const struct wt_symbol *best = NULL;
    for (size_t i = 0; s && i < s->symbols; i++)
        if (strcmp(s->symbol[i].name, name) == 0 && (!best || s->symbol[i].rank < best->rank))
            best = &s->symbol[i];
    const size_t length = strlen(name);
    for (size_t i = 0; s && !best && i < s->symbols; i++)
        if (s->symbol[i].code && is_cplusplus(s->symbol[i].name, name, length))
            best = &s->symbol[i];
    if (!best)
        return false;
    *addr = best->addr;
    return true;
}

unsigned wt_symbols_bits(const struct wt_symbols *s)
{
    return gelf_getclass(s->elf) == ELFCLASS32 ? 32 : 64;
}

uint32_t wt_symbols_flags(const struct wt_symbols *s)
{
    GElf_Ehdr header;
    return gelf_getehdr(s->elf, &header) ? header.e_flags : 0;
}

bool wt_symbols_thread_variables(struct wt_symbols *s, uint64_t threads, uint64_t *addr,
                                 uint64_t *size)
{
    uint64_t block;
    if (!wt_symbols_address(s, "_end", addr) || !wt_symbols_address(s, "__tls_block_size", &block))
        return false;
    *size = threads * block;
    return *size != 0;
}

bool wt_symbols_is_entry(const struct wt_symbols *s, uint64_t addr)
{
    for (size_t i = 0; s && i < s->symbols && s->symbol[i].addr <= addr; i++)
        if (s->symbol[i].entry && s->symbol[i].addr == addr)
            return true;
    return false;
}

bool wt_symbols_is_kernel(struct wt_symbols *s, uint64_t addr)
{
    const char *name;
    char *descriptor;
    uint64_t offset;
    if (!s || !wt_symbols_function(s, addr, &name, &offset))
        return false;
    if (wt_symbols_is_entry(s, addr - offset))
        return true;
    if (asprintf(&descriptor, "%s.kd", name) < 0)
        return false;
    const bool found = wt_symbols_address(s, descriptor, &offset);
    free(descriptor);
    return found;
}

uint64_t wt_symbols_body(struct wt_symbols *s, uint64_t addr)
{
    const char *name, *here;
    uint64_t offset, second = addr;
    if (!s || !wt_symbols_function(s, addr, &name, &offset))
        return addr;
    /* The next row may be anywhere. Arguments have their places from the first instruction on. */
    if (wt_symbols_info(s) && (wt_info_is_optimised_by_gcc(wt_symbols_info(s), addr) ||
                               wt_info_is_assembly(wt_symbols_info(s), addr)))
        return addr;
    for (size_t i = rows_until(s, addr); i < s->lines; i++) {
        const struct wt_row *row = &s->line[i];
        if (row->end || !wt_symbols_function(s, row->addr, &here, &offset) || here != name)
            break;
        if (row->body)
            return row->addr;
        if (second == addr && row->addr > addr && row->statement && row->line)
            second = row->addr;
    }
    return second;
}

bool wt_symbols_is_file(const char *path, const char *wanted)
{
    const size_t length = strlen(path), tail = strlen(wanted);
    return tail <= length && strcmp(path + length - tail, wanted) == 0 &&
           (tail == length || path[length - tail - 1] == '/');
}

bool wt_symbols_declares_in(Dwarf_Die *die, const char *wanted)
{
    Dwarf_Die unit;
    const char *file = wt_die_file(die, DW_AT_decl_file, &unit);
    return file && wt_symbols_is_file(file, wanted);
}

/* Whether a block has names of its own: others are part of the block around them. */
static bool has_names(Dwarf_Die *block)
{
    Dwarf_Die child;
    if (dwarf_tag(block) != DW_TAG_lexical_block)
        return true;
    if (dwarf_child(block, &child) != 0)
        return false;
    do {
        const int tag = dwarf_tag(&child);
        if (tag != DW_TAG_lexical_block && tag != DW_TAG_inlined_subroutine &&
            tag != DW_TAG_call_site && tag != DW_TAG_GNU_call_site)
            return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

/* Names the innermost block that `addr` is in: of a function, of a call that was inlined, or within
 * one; without debug information the function, or the gap between functions. */
static const void *block_at(struct wt_symbols *s, uint64_t addr)
{
    Dwarf_Die scope[WT_SCOPES];
    const char *name = NULL;
    uint64_t offset;
    struct wt_info *info = wt_symbols_info(s);
    unsigned count = info ? wt_info_scopes(info, addr, scope) : 0;
    while (count && !has_names(&scope[count - 1]))
        count--;
    if (count)
        return scope[count - 1].addr;
    wt_symbols_function(s, addr, &name, &offset);
    return name;
}

struct statements {
    uint64_t *addr;
    const void **block;
    size_t count, addr_capacity, block_capacity;
};

static bool has_block(const struct statements *l, const void *block)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->block[i] == block)
            return true;
    return false;
}

static bool add_statement(struct statements *l, uint64_t addr, const void *block)
{
    uint64_t *list = wt_array_grow(l->addr, &l->addr_capacity, l->count + 1, sizeof *list);
    l->addr = list ? list : l->addr;
    const void **blocks = wt_array_grow(l->block, &l->block_capacity, l->count + 1, sizeof *blocks);
    l->block = blocks ? blocks : l->block;
    if (!list || !blocks)
        return false;
    list[l->count] = addr;
    blocks[l->count++] = block;
    return true;
}

unsigned wt_symbols_code_line(struct wt_symbols *s, const char *file, unsigned line)
{
    unsigned nearest = UINT_MAX;
    if (!s)
        return nearest;
    rows_until(s, 0); /* reads the table */
    for (size_t i = 0; i < s->lines; i++) {
        const struct wt_row *row = &s->line[i];
        if (!row->end && row->statement && !row->part && row->line >= line && row->line < nearest &&
            wt_symbols_is_file(row->file, file))
            nearest = row->line;
    }
    return nearest;
}

enum wt_status wt_symbols_statements(struct wt_symbols *s, const char *file, unsigned line,
                                     uint64_t **list, size_t *count, struct wt_error *err)
{
    struct statements l = {0};
    bool good = true;
    *list = NULL;
    *count = 0;
    if (!s)
        return WT_OK;
    rows_until(s, 0); /* reads the table */
    /* Rows are in the order of addresses: the first of a block is its lowest. */
    for (size_t i = 0; i < s->lines && good; i++) {
        const struct wt_row *row = &s->line[i];
        const char *name;
        uint64_t offset;
        if (row->end || !row->statement || row->part || row->line != line ||
            !wt_symbols_is_file(row->file, file))
            continue;
        const void *block = block_at(s, row->addr);
        const bool entry = wt_symbols_function(s, row->addr, &name, &offset) && offset == 0;
        if (!has_block(&l, block))
            good = add_statement(&l, entry ? wt_symbols_body(s, row->addr) : row->addr, block);
    }
    free(l.block);
    if (!good) {
        free(l.addr);
        return wt_fail(err, WT_NO_MEMORY, "no host memory for the addresses of %s:%u", file, line);
    }
    *list = l.addr;
    *count = l.count;
    return WT_OK;
}
