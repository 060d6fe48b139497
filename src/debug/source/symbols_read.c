/* Reads a file's ELF symbols and DWARF line tables into sorted tables. See symbols_internal.h. */
#include "debug/source/symbols_internal.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "debug/source/info.h"
#include "debug/source/symbols.h"

static int by_address(const void *a, const void *b)
{
    const struct wt_symbol *x = a, *y = b;
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
    struct wt_symbol *grown =
        wt_array_grow(s->symbol, &s->symbol_capacity, s->symbols + 1, sizeof *grown);
    if (!grown)
        return;
    s->symbol = grown;
    const bool kernel = type == STT_FUNC && is_zebin_kernel(s->elf, sym, name);
    s->symbol[s->symbols++] = (struct wt_symbol){
        .addr = sym->st_value,
        .size = sym->st_size,
        .name = name,
        .code = type == STT_FUNC || (type == STT_NOTYPE && is_code(s->elf, sym)),
        .entry =
            kernel || (type == STT_FUNC && sym->st_other & STO_CUDA_ENTRY && marks_kernels(s->elf)),
        .rank = (uint8_t)(kernel ? 0 : (type == STT_FUNC ? 0 : 2) + (bind == STB_GLOBAL ? 0 : 1)),
    };
}

void wt_symbols_read_names(struct wt_symbols *s)
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
    const struct wt_row *x = a, *y = b;
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
    const char *slash = file ? strrchr(file, '/') : NULL, *name = slash ? slash + 1 : file;
    char text[64];
    /* Intel's compiler numbers the texts of OpenCL programs, which are no files. */
    const bool is_text = name && *name && !name[strspn(name, "0123456789")];
    if (!file || (!is_text && (file[0] == '/' || !folder)))
        return file;
    if (is_text) {
        snprintf(text, sizeof text, "program-%.20s.cl", name);
        file = text;
        folder = "/opencl";
    }
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
        struct wt_row *grown =
            wt_array_grow(s->line, &s->line_capacity, s->lines + 1, sizeof *grown);
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
        s->line[s->lines] = (struct wt_row){.addr = addr,
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

bool wt_symbols_names_go_on(void *context, uint64_t done)
{
    return goes_on(context, 1, done);
}

bool wt_symbols_sorting_goes_on(void *context, unsigned percent)
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

void wt_symbols_read_lines(struct wt_symbols *s)
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
    struct wt_symbol *grown =
        wt_array_grow(s->symbol, &s->symbol_capacity, s->symbols + 1, sizeof *grown);
    if (grown)
        s->symbol = grown;
    if (!grown || !name || dwarf_lowpc(die, &low) || dwarf_highpc(die, &high) || high <= low)
        return;
    grown[s->symbols++] = (struct wt_symbol){.addr = low,
                                             .size = high - low,
                                             .name = name,
                                             .code = true,
                                             .entry = dwarf_srclang(unit) == OPENCL &&
                                                      !dwarf_lowpc(unit, &first) && first == low};
}

void wt_symbols_read_functions(struct wt_symbols *s)
{
    Dwarf_Off offset = 0, next;
    size_t header;
    for (size_t i = 0; i < s->symbols; i++)
        if (s->symbol[i].code)
            return;
    wt_symbols_read_lines(s);
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
