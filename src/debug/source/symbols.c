/*
 * Names and lines from ELF symbols and DWARF line tables, by libelf and libdw. Everything is read
 * into sorted tables when the file is opened (lines when they are first asked for), so that the
 * undamaged parts of a damaged file can be used.
 */
#include "debug/source/symbols.h"

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
#include "base/demangle.h"
#include "base/file.h"
#include "debug/source/info.h"

struct symbol {
    uint64_t addr, size;
    const char *name;
    bool code;
    bool entry;   /* the symbol itself says that it is a kernel */
    uint8_t rank; /* of two at one address the lower is the better name */
};

struct line {
    uint64_t addr;
    const char *file;
    unsigned line;
    bool end;       /* nothing is known from here on */
    bool statement; /* a statement begins here */
    bool body;      /* the prologue ends here */
    bool part;      /* it continues the statement of the row before */
    size_t order;
};

struct wt_symbols {
    uint8_t *bytes; /* the file */
    Elf *elf;
    Dwarf *dwarf;
    struct symbol *symbol;
    size_t symbols, symbol_capacity;
    struct line *line;
    size_t lines, line_capacity;
    bool lines_read;
    char **path; /* of files that line tables name relative to a folder */
    size_t path_count, path_capacity;
    struct wt_info *info; /* once it was asked for */
    bool info_read;
    unsigned owners;                  /* beside the first */
    const struct wt_loading *loading; /* NULL: nobody waits */
    uint64_t unit_bytes;              /* of .debug_info */
};

static int by_address(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;
    if (x->addr != y->addr)
        return x->addr < y->addr ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return strcmp(x->name, y->name);
}

static bool is_code(Elf *elf, const GElf_Sym *sym)
{
    GElf_Shdr header;
    Elf_Scn *section = elf_getscn(elf, sym->st_shndx);
    return section && gelf_getshdr(section, &header) && header.sh_flags & SHF_EXECINSTR;
}

/* Intel's zebins have a section .text.NAME for each kernel. */
static bool is_zebin_kernel(Elf *elf, const GElf_Sym *sym, const char *name)
{
    enum { MACHINE_INTELGT = 205 };
    GElf_Ehdr header;
    GElf_Shdr h;
    size_t names;
    Elf_Scn *section = elf_getscn(elf, sym->st_shndx);
    if (!section || !gelf_getehdr(elf, &header) || header.e_machine != MACHINE_INTELGT ||
        !gelf_getshdr(section, &h) || elf_getshdrstrndx(elf, &names))
        return false;
    const char *text = elf_strptr(elf, names, h.sh_name);
    return text && strncmp(text, ".text.", 6) == 0 && strcmp(text + 6, name) == 0;
}

/* NVIDIA's object files mark kernels in st_other. */
#define MACHINE_CUDA 190
#define STO_CUDA_ENTRY 0x10

static bool marks_kernels(Elf *elf)
{
    GElf_Ehdr header;
    return gelf_getehdr(elf, &header) && header.e_machine == MACHINE_CUDA;
}

static void add_symbol(struct wt_symbols *s, const GElf_Sym *sym, const char *name)
{
    int type = GELF_ST_TYPE(sym->st_info), bind = GELF_ST_BIND(sym->st_info);
    /* Mapping symbols ($x) and the assembler's own labels are no names. */
    if (!name || !name[0] || name[0] == '$' || strncmp(name, ".L", 2) == 0 ||
        sym->st_shndx == SHN_UNDEF ||
        (type != STT_FUNC && type != STT_NOTYPE && type != STT_OBJECT))
        return;
    struct symbol *grown =
        wt_array_grow(s->symbol, &s->symbol_capacity, s->symbols + 1, sizeof *grown);
    if (!grown)
        return;
    s->symbol = grown;
    const bool kernel = type == STT_FUNC && is_zebin_kernel(s->elf, sym, name);
    s->symbol[s->symbols++] = (struct symbol){
        .addr = sym->st_value,
        .size = sym->st_size,
        .name = name,
        .code = type == STT_FUNC || (type == STT_NOTYPE && is_code(s->elf, sym)),
        .entry =
            kernel || (type == STT_FUNC && sym->st_other & STO_CUDA_ENTRY && marks_kernels(s->elf)),
        .rank = (uint8_t)(kernel ? 0 : (type == STT_FUNC ? 0 : 2) + (bind == STB_GLOBAL ? 0 : 1)),
    };
}

static void read_symbols(struct wt_symbols *s)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(s->elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB)
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        GElf_Sym sym;
        for (int i = 1; data && gelf_getsym(data, i, &sym); i++)
            add_symbol(s, &sym, elf_strptr(s->elf, header.sh_link, sym.st_name));
    }
    if (s->symbols)
        qsort(s->symbol, s->symbols, sizeof *s->symbol, by_address);
}

static int by_line_address(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    if (x->addr != y->addr)
        return x->addr < y->addr ? -1 : 1;
    /* Where one sequence ends another one may begin. */
    if (x->end != y->end)
        return x->end ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

const char *wt_symbols_path(struct wt_symbols *s, Dwarf_Die *unit, const char *file)
{
    Dwarf_Attribute attribute;
    const char *folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
    if (!file || file[0] == '/' || !folder)
        return file;
    const size_t length = strlen(folder);
    for (size_t i = s->path_count; i--;)
        if (strncmp(s->path[i], folder, length) == 0 && s->path[i][length] == '/' &&
            strcmp(s->path[i] + length + 1, file) == 0)
            return s->path[i];
    char **grown = wt_array_grow(s->path, &s->path_capacity, s->path_count + 1, sizeof *grown);
    if (!grown)
        return NULL;
    s->path = grown;
    if (asprintf(&grown[s->path_count], "%s/%s", folder, file) < 0)
        return NULL;
    return grown[s->path_count++];
}

/* The row of a table of lines that was taken last. */
struct last_row {
    const char *file;
    int line;      /* 0: there is none */
    bool in_parts; /* a row since the line has a discriminator */
};

/*
 * Whether a row continues the one before: the same line, of which compilers distinguish parts by
 * discriminators (DWARF 5, section 6.2.2). A statement does not begin there, as in GDB
 * (dwarf_record_line_p).
 */
static bool continues(struct last_row *last, Dwarf_Line *row, const char *file, int line)
{
    unsigned discriminator = 0;
    dwarf_linediscriminator(row, &discriminator);
    const bool same = file == last->file && line == last->line;
    *last = (struct last_row){file, line, (same && last->in_parts) || discriminator};
    return same && last->in_parts;
}

static void read_unit(struct wt_symbols *s, Dwarf_Die *die)
{
    Dwarf_Lines *lines;
    size_t count;
    const char *named = NULL, *file = NULL;
    struct last_row last = {0};
    if (dwarf_getsrclines(die, &lines, &count))
        return;
    for (size_t i = 0; i < count; i++) {
        Dwarf_Line *line = dwarf_onesrcline(lines, i);
        Dwarf_Addr addr;
        int number = 0;
        bool end = false;
        if (!line || dwarf_lineaddr(line, &addr) || dwarf_lineno(line, &number) ||
            dwarf_lineendsequence(line, &end))
            continue;
        bool statement = false, body = false;
        dwarf_linebeginstatement(line, &statement);
        dwarf_lineprologueend(line, &body);
        struct line *grown = wt_array_grow(s->line, &s->line_capacity, s->lines + 1, sizeof *grown);
        if (!grown)
            return;
        s->line = grown;
        const char *name = dwarf_linesrc(line, NULL, NULL);
        if (name != named)
            file = wt_symbols_path(s, die, name);
        named = name;
        const bool part = continues(&last, line, name, number);
        if (end)
            last = (struct last_row){0};
        s->line[s->lines] = (struct line){.addr = addr,
                                          .file = file,
                                          .line = number > 0 ? (unsigned)number : 0,
                                          .end = end || !file,
                                          .statement = statement,
                                          .body = body,
                                          .part = part,
                                          .order = s->lines};
        s->lines++;
    }
}

/*
 * Whether the sections that hold DWARF's strings end with a NUL. libdw (0.188) checks only where a
 * string begins, and reads on until it finds a NUL.
 */
static bool strings_end(Elf *elf)
{
    size_t names;
    if (elf_getshdrstrndx(elf, &names))
        return false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header))
            return false;
        const char *name = elf_strptr(elf, names, header.sh_name);
        if (!name || (strcmp(name, ".debug_str") != 0 && strcmp(name, ".debug_line_str") != 0))
            continue;
        if (header.sh_flags & SHF_COMPRESSED && elf_compress(section, 0, 0) < 0)
            return false;
        const Elf_Data *data = elf_getdata(section, NULL);
        const char *text =
            data ? data->d_buf : NULL; /* NULL: a section without bytes in the file */
        if (!data || (data->d_size && (!text || text[data->d_size - 1] != 0)))
            return false;
    }
    return true;
}

static uint64_t size_of_units(Elf *elf)
{
    size_t names;
    GElf_Shdr header;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return 0;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
        const char *name =
            gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (name && strcmp(name, ".debug_info") == 0)
            return header.sh_size;
    }
    return 0;
}

/* The units are scanned twice, for lines and for names; then names are sorted, which takes about as
 * long as a quarter of both. */
static bool goes_on(const struct wt_symbols *s, unsigned pass, uint64_t done)
{
    return !s->loading || s->loading->go_on(s->loading->context,
                                            (pass * s->unit_bytes + done) * 2 / 5, s->unit_bytes);
}

static bool names_go_on(void *context, uint64_t done)
{
    return goes_on(context, 1, done);
}

static bool sorting_goes_on(void *context, unsigned percent)
{
    const struct wt_symbols *s = context;
    return goes_on(s, 2, s->unit_bytes / 2 * percent / 100);
}

static void give_up_lines(struct wt_symbols *s)
{
    s->lines = 0;
    s->lines_read = false;
    dwarf_end(s->dwarf);
    s->dwarf = NULL;
}

static void read_lines(struct wt_symbols *s)
{
    s->lines_read = true;
    if (!strings_end(s->elf))
        return;
    s->dwarf = dwarf_begin_elf(s->elf, DWARF_C_READ, NULL);
    if (!s->dwarf)
        return;
    Dwarf_Off offset = 0, next;
    size_t header;
    s->unit_bytes = size_of_units(s->elf);
    while (dwarf_nextcu(s->dwarf, offset, &next, &header, NULL, NULL, NULL) == 0 && next > offset) {
        Dwarf_Die die;
        if (dwarf_offdie(s->dwarf, offset + header, &die))
            read_unit(s, &die);
        offset = next;
        if (!goes_on(s, 0, offset)) {
            give_up_lines(s);
            return;
        }
    }
    if (s->lines)
        qsort(s->line, s->lines, sizeof *s->line, by_line_address);
}

static void add_function(struct wt_symbols *s, Dwarf_Die *unit, Dwarf_Die *die)
{
    enum { OPENCL = 21 }; /* DW_LANG_OpenCL: the kernel is its unit's first code */
    Dwarf_Addr low, high, first;
    const char *name = dwarf_diename(die);
    struct symbol *grown =
        wt_array_grow(s->symbol, &s->symbol_capacity, s->symbols + 1, sizeof *grown);
    if (grown)
        s->symbol = grown;
    if (!grown || !name || dwarf_lowpc(die, &low) || dwarf_highpc(die, &high) || high <= low)
        return;
    grown[s->symbols++] = (struct symbol){.addr = low,
                                          .size = high - low,
                                          .name = name,
                                          .code = true,
                                          .entry = dwarf_srclang(unit) == OPENCL &&
                                                   !dwarf_lowpc(unit, &first) && first == low};
}

/* If the symbol table of a file names no code (as in files that Intel's runtime gives to debuggers)
 * functions are taken from the debug information. */
static void read_functions(struct wt_symbols *s)
{
    Dwarf_Off offset = 0, next;
    size_t header;
    for (size_t i = 0; i < s->symbols; i++)
        if (s->symbol[i].code)
            return;
    read_lines(s);
    while (s->dwarf && dwarf_nextcu(s->dwarf, offset, &next, &header, NULL, NULL, NULL) == 0 &&
           next > offset) {
        Dwarf_Die unit, die;
        const bool any =
            dwarf_offdie(s->dwarf, offset + header, &unit) && dwarf_child(&unit, &die) == 0;
        for (bool more = any; more; more = dwarf_siblingof(&die, &die) == 0)
            if (dwarf_tag(&die) == DW_TAG_subprogram)
                add_function(s, &unit, &die);
        offset = next;
    }
    if (s->symbols)
        qsort(s->symbol, s->symbols, sizeof *s->symbol, by_address);
}

/* The common part of both ways to open a file; `s` is closed on failure. */
static enum wt_status open_elf(struct wt_symbols *s, const char *name, struct wt_symbols **symbols,
                               struct wt_error *err)
{
    if (!s->elf || elf_kind(s->elf) != ELF_K_ELF) {
        wt_symbols_close(s);
        return wt_fail(err, WT_INVALID, "%s: not an ELF file", name);
    }
    read_symbols(s);
    read_functions(s);
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
    size_t low = 0, high = s->symbols;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->symbol[middle].addr <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    /* Goes back to the nearest code symbol at or before the address that extends to it; labels have
     * no size. */
    const struct symbol *best = NULL;
    for (size_t i = low; i-- > 0;) {
        const struct symbol *x = &s->symbol[i];
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
        read_lines(s);
    size_t low = 0, high = s->lines;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->line[middle].addr <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct wt_info *wt_symbols_info(struct wt_symbols *s)
{
    if (!s)
        return NULL;
    if (!s->lines_read)
        read_lines(s);
    if (!s->info_read && s->lines_read) {
        bool complete = true;
        const struct wt_info_loading loading = {
            .reads = names_go_on, .sorts = sorting_goes_on, .context = s};
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
        const struct symbol *x = &s->symbol[i];
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
    const struct symbol *best = NULL;
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
        const struct line *row = &s->line[i];
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
        const struct line *row = &s->line[i];
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
        const struct line *row = &s->line[i];
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

void wt_symbols_describe_at(struct wt_symbols *s, uint64_t addr, uint64_t bias, char *text,
                            size_t size)
{
    const char *name, *file;
    uint64_t offset;
    unsigned line;
    char function[256] = "", place[256] = "", plain[220];
    if (wt_symbols_function(s, addr - bias, &name, &offset)) {
        wt_demangle(name, plain, sizeof plain);
        if (offset)
            snprintf(function, sizeof function, " <%.200s+%" PRIu64 ">", plain, offset);
        else
            snprintf(function, sizeof function, " <%.200s>", plain);
    }
    if (wt_symbols_line(s, addr - bias, &file, &line)) {
        const char *slash = strrchr(file, '/');
        snprintf(place, sizeof place, " at %.200s:%u", slash ? slash + 1 : file, line);
    }
    snprintf(text, size, "0x%" PRIx64 "%s%s", addr, function, place);
}

void wt_symbols_describe(struct wt_symbols *s, uint64_t addr, char *text, size_t size)
{
    wt_symbols_describe_at(s, addr, 0, text, size);
}
