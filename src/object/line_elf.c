/* Writing ELF files with DWARF 4 line tables ("DWARF Debugging Information Format", 6.2, 7). */
#include "object/line_elf.h"

#include <assert.h>
#include <dwarf.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"

/* Of a kernel, in st_other ("CUDA Binary Utilities"; object/cubin.c). */
#define STO_CUDA_ENTRY 0x10

enum { NULL_SECTION, TEXT, SYMTAB, STRTAB, ABBREV, INFO, LINE, STR, LOC, SHSTRTAB, SECTIONS };

static void text(struct wt_buffer *b, const char *value)
{
    wt_buffer_append(b, value, strlen(value) + 1);
}

static void uleb(struct wt_buffer *b, uint64_t value)
{
    do {
        wt_buffer_append_number(b, (value & 0x7f) | (value > 0x7f ? 0x80 : 0), 1);
        value >>= 7;
    } while (value);
}

static void sleb(struct wt_buffer *b, int64_t value)
{
    for (;;) {
        const uint8_t low = value & 0x7f;
        value >>= 7;
        const bool last = (value == 0 && !(low & 0x40)) || (value == -1 && low & 0x40);
        wt_buffer_append_number(b, low | (last ? 0 : 0x80), 1);
        if (last)
            return;
    }
}

/* The length in front of a unit is known when the unit is complete. */
static void patch(struct wt_buffer *b, size_t at)
{
    if (!b->failed)
        wt_store_le(b->bytes + at, b->length - at - 4, 4);
}

/* ---- .debug_abbrev, .debug_info ---- */

enum { UNIT = 1, FUNCTION, DATA_UNIT, BASE, ARRAY, RANGE, OPEN_RANGE, VARIABLE, PARAMETER, TYPED };

/* The codes of UNIT and so on: a tag, whether it has children, pairs of attribute and form. */
static void put_abbreviations(struct wt_buffer *b)
{
    static const uint8_t abbreviation[][15] = {
        [UNIT] = {DW_TAG_compile_unit, DW_CHILDREN_yes, DW_AT_producer, DW_FORM_string,
                  DW_AT_language, DW_FORM_data1, DW_AT_name, DW_FORM_string, DW_AT_stmt_list,
                  DW_FORM_sec_offset, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8},
        [FUNCTION] = {DW_TAG_subprogram, DW_CHILDREN_yes, DW_AT_name, DW_FORM_string, DW_AT_low_pc,
                      DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8},
        [DATA_UNIT] = {DW_TAG_compile_unit, DW_CHILDREN_yes, DW_AT_producer, DW_FORM_string,
                       DW_AT_language, DW_FORM_data1},
        [BASE] = {DW_TAG_base_type, DW_CHILDREN_no, DW_AT_name, DW_FORM_string, DW_AT_encoding,
                  DW_FORM_data1, DW_AT_byte_size, DW_FORM_data1},
        [ARRAY] = {DW_TAG_array_type, DW_CHILDREN_yes, DW_AT_type, DW_FORM_ref4},
        [RANGE] = {DW_TAG_subrange_type, DW_CHILDREN_no, DW_AT_count, DW_FORM_data8},
        [OPEN_RANGE] = {DW_TAG_subrange_type, DW_CHILDREN_no},
        [VARIABLE] = {DW_TAG_variable, DW_CHILDREN_no, DW_AT_name, DW_FORM_string, DW_AT_type,
                      DW_FORM_ref4, DW_AT_external, DW_FORM_flag_present, DW_AT_location,
                      DW_FORM_exprloc},
        [PARAMETER] = {DW_TAG_formal_parameter, DW_CHILDREN_no, DW_AT_name, DW_FORM_string,
                       DW_AT_type, DW_FORM_ref4},
        [TYPED] = {DW_TAG_subprogram, DW_CHILDREN_yes, DW_AT_type, DW_FORM_ref4, DW_AT_name,
                   DW_FORM_string, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8},
    };
    for (uint8_t code = UNIT; code <= TYPED; code++) {
        const uint8_t *at = abbreviation[code];
        wt_buffer_append(b, &code, 1);
        wt_buffer_append(b, at, 2);
        for (at += 2; *at; at += 2)
            wt_buffer_append(b, at, 2);
        wt_buffer_append(b, "\0", 2);
    }
    wt_buffer_append(b, "", 1);
}

/* The code of a unit: all there is, where it is alone; else from its first row's address to the end
 * of its last one. False: it has none. */
static bool find_code(const struct line_elf *from, size_t unit, uint64_t *low, uint64_t *high)
{
    bool any = from->unit_count == 1;
    *low = from->address;
    *high = any ? from->address + from->code_size : *low;
    if (any)
        return true;
    for (size_t i = 0; i < from->row_count; i++) {
        if (from->row[i].unit != unit)
            continue;
        if (!any)
            *low = from->row[i].address;
        any = true;
        *high =
            i + 1 < from->row_count ? from->row[i + 1].address : from->address + from->code_size;
    }
    return any;
}

/* The type of a datum; returns its place in the unit, which begins at @p start. */
static uint64_t put_type(struct wt_buffer *b, size_t start, const struct line_elf_datum *d)
{
    const uint64_t element = b->length - start;
    uleb(b, BASE);
    text(b, d->type);
    wt_buffer_append_number(b, d->encoding, 1);
    wt_buffer_append_number(b, d->size, 1);
    if (!d->count && !d->is_open)
        return element;
    const uint64_t array = b->length - start;
    uleb(b, ARRAY);
    wt_buffer_append_number(b, element, 4);
    uleb(b, d->is_open ? OPEN_RANGE : RANGE);
    if (!d->is_open)
        wt_buffer_append_number(b, d->count, 8);
    uleb(b, 0);
    return array;
}

/* The parameters of a function, each behind its type. */
static void put_parameters(struct wt_buffer *b, size_t start, const struct line_elf *from,
                           uint64_t function)
{
    for (size_t i = 0; i < from->parameter_count; i++) {
        if (from->parameter[i].function != function || from->parameter[i].is_result)
            continue;
        const uint64_t type = put_type(b, start, &from->parameter[i].own);
        uleb(b, PARAMETER);
        text(b, from->parameter[i].own.name);
        wt_buffer_append_number(b, type, 4);
    }
}

/* The beginning of a function; that of one with a result has its type. */
static void put_function(struct wt_buffer *b, size_t start, const struct line_elf *from,
                         uint64_t function)
{
    for (size_t i = 0; i < from->parameter_count; i++)
        if (from->parameter[i].function == function && from->parameter[i].is_result) {
            const uint64_t type = put_type(b, start, &from->parameter[i].own);
            uleb(b, TYPED);
            wt_buffer_append_number(b, type, 4);
            return;
        }
    uleb(b, FUNCTION);
}

/* A unit of the variables that have no other description. */
static void put_data(struct wt_buffer *b, const struct line_elf *from, uint64_t abbreviations)
{
    const size_t start = b->length;
    wt_buffer_append_number(b, 0, 4);
    wt_buffer_append_number(b, 4, 2); /* version */
    wt_buffer_append_number(b, abbreviations, 4);
    wt_buffer_append_number(b, 8, 1); /* bytes of an address */
    uleb(b, DATA_UNIT);
    text(b, from->producer);
    wt_buffer_append_number(b, DW_LANG_C99, 1);
    for (size_t i = 0; i < from->datum_count; i++) {
        const struct line_elf_datum *d = &from->datum[i];
        const uint64_t type = put_type(b, start, d);
        uleb(b, VARIABLE);
        text(b, d->name);
        wt_buffer_append_number(b, type, 4);
        uleb(b, 9);
        wt_buffer_append_number(b, DW_OP_addr, 1);
        wt_buffer_append_number(b, d->address, 8);
    }
    uleb(b, 0);
    if (!b->failed)
        wt_store_le(b->bytes + start, b->length - start - 4, 4);
}

/* The least about a unit; @p abbreviations, @p lines: where its parts of these sections begin. */
static void put_information(struct wt_buffer *b, const struct line_elf *from, size_t unit,
                            uint64_t abbreviations, uint64_t lines)
{
    const size_t start = b->length;
    uint64_t low, high;
    const bool any = find_code(from, unit, &low, &high);
    wt_buffer_append_number(b, 0, 4);
    wt_buffer_append_number(b, 4, 2); /* version */
    wt_buffer_append_number(b, abbreviations, 4);
    wt_buffer_append_number(b, 8, 1); /* bytes of an address */
    uleb(b, UNIT);
    text(b, from->producer);
    wt_buffer_append_number(b, DW_LANG_C99, 1);
    text(b, from->unit[unit].name);
    wt_buffer_append_number(b, lines, 4);
    wt_buffer_append_number(b, low, 8);
    wt_buffer_append_number(b, high - low, 8);
    for (size_t i = 0; any && i < from->symbol_count; i++) {
        const struct line_elf_symbol *s = &from->symbol[i];
        if (!s->is_function || s->address < low || s->address >= high)
            continue;
        put_function(b, start, from, s->address);
        text(b, s->name);
        wt_buffer_append_number(b, s->address, 8);
        wt_buffer_append_number(b, s->size, 8);
        put_parameters(b, start, from, s->address);
        uleb(b, 0);
    }
    uleb(b, 0);
    patch(b, start);
}

static void put_bytes(struct wt_buffer *b, const struct line_elf_bytes *from)
{
    if (from->size)
        wt_buffer_append(b, from->bytes, from->size);
}

/* ---- .debug_line ---- */

#define OPCODE_BASE 13

static void put_line_header(struct wt_buffer *b, const struct line_elf_unit *unit)
{
    static const uint8_t operands[OPCODE_BASE - 1] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
    wt_buffer_append_number(b, 0, 4);
    wt_buffer_append_number(b, 4, 2); /* version */
    const size_t header = b->length;
    wt_buffer_append_number(b, 0, 4);
    wt_buffer_append_number(b, 1, 1); /* least length of an instruction */
    wt_buffer_append_number(b, 1, 1); /* operations of one */
    wt_buffer_append_number(b, 1, 1); /* rows are statements */
    wt_buffer_append_number(b, (uint8_t)-5,
                            1); /* line base, line range: no special opcode is used */
    wt_buffer_append_number(b, 14, 1);
    wt_buffer_append_number(b, OPCODE_BASE, 1);
    wt_buffer_append(b, operands, sizeof operands);
    wt_buffer_append_number(b, 0, 1); /* no folders: names are whole */
    for (size_t i = 0; i < unit->file_count; i++) {
        text(b, unit->file[i]);
        uleb(b, 0);
        uleb(b, 0);
        uleb(b, 0);
    }
    wt_buffer_append_number(b, 0, 1);
    patch(b, header);
}

static void put_row(struct wt_buffer *b, const struct line_elf_row *before,
                    const struct line_elf_row *r)
{
    wt_buffer_append_number(b, DW_LNS_advance_pc, 1);
    uleb(b, r->address - before->address);
    wt_buffer_append_number(b, DW_LNS_advance_line, 1);
    sleb(b, (int64_t)r->line - before->line);
    if (r->file != before->file) {
        wt_buffer_append_number(b, DW_LNS_set_file, 1);
        uleb(b, r->file + UINT64_C(1));
    }
    if (r->column != before->column) {
        wt_buffer_append_number(b, DW_LNS_set_column, 1);
        uleb(b, r->column);
    }
    if (r->is_statement != before->is_statement)
        wt_buffer_append_number(b, DW_LNS_negate_stmt, 1);
    if (r->begins_body)
        wt_buffer_append_number(b, DW_LNS_set_prologue_end, 1);
    wt_buffer_append_number(b, DW_LNS_copy, 1);
}

/* Consecutive rows of a unit, up to the code of another one. Returns the index behind them. */
static size_t put_sequence(struct wt_buffer *b, const struct line_elf *from, size_t first)
{
    struct line_elf_row before = {
        .address = from->row[first].address, .line = 1, .is_statement = true};
    size_t i = first;
    wt_buffer_append_number(b, 0, 1);
    uleb(b, 9);
    wt_buffer_append_number(b, DW_LNE_set_address, 1);
    wt_buffer_append_number(b, before.address, 8);
    for (; i < from->row_count && from->row[i].unit == from->row[first].unit; i++) {
        assert(from->row[i].address >= before.address &&
               from->row[i].file < from->unit[from->row[i].unit].file_count);
        put_row(b, &before, &from->row[i]);
        before = from->row[i];
    }
    const uint64_t end =
        i < from->row_count ? from->row[i].address : from->address + from->code_size;
    wt_buffer_append_number(b, DW_LNS_advance_pc, 1);
    uleb(b, end - before.address);
    wt_buffer_append_number(b, 0, 1);
    uleb(b, 1);
    wt_buffer_append_number(b, DW_LNE_end_sequence, 1);
    return i;
}

static void put_lines(struct wt_buffer *b, const struct line_elf *from, size_t unit)
{
    const size_t start = b->length;
    put_line_header(b, &from->unit[unit]);
    for (size_t i = 0; i < from->row_count;)
        i = from->row[i].unit == unit ? put_sequence(b, from, i) : i + 1;
    patch(b, start);
}

/* ---- symbols ---- */

static void put_symbols(struct wt_buffer *symbols, struct wt_buffer *strings,
                        const struct line_elf *from)
{
    static const uint8_t none[sizeof(Elf64_Sym)];
    wt_buffer_append(symbols, none, sizeof none);
    text(strings, "");
    for (size_t i = 0; i < from->symbol_count; i++) {
        const struct line_elf_symbol *s = &from->symbol[i];
        wt_buffer_append_number(symbols, strings->length, 4);
        wt_buffer_append_number(symbols, STB_GLOBAL << 4 | (s->is_function ? STT_FUNC : STT_OBJECT),
                                1);
        wt_buffer_append_number(symbols, s->is_kernel ? STO_CUDA_ENTRY : 0, 1);
        wt_buffer_append_number(symbols, s->is_function ? TEXT : SHN_ABS, 2);
        wt_buffer_append_number(symbols, s->address, 8);
        wt_buffer_append_number(symbols, s->size, 8);
        text(strings, s->name);
    }
}

/* ---- the file ---- */

static void put_header(struct wt_buffer *b, const struct line_elf *from, uint64_t sections)
{
    uint8_t *h = b->bytes;
    memcpy(h, ELFMAG, SELFMAG);
    h[EI_CLASS] = ELFCLASS64;
    h[EI_DATA] = ELFDATA2LSB;
    h[EI_VERSION] = EV_CURRENT;
    wt_store_le(h + 16, ET_EXEC, 2);
    wt_store_le(h + 18, from->machine, 2);
    wt_store_le(h + 20, EV_CURRENT, 4);
    wt_store_le(h + 24, from->address, 8);
    wt_store_le(h + 32, sizeof(Elf64_Ehdr), 8);
    wt_store_le(h + 40, sections, 8);
    wt_store_le(h + 52, sizeof(Elf64_Ehdr), 2);
    wt_store_le(h + 54, sizeof(Elf64_Phdr), 2);
    wt_store_le(h + 56, 1, 2);
    wt_store_le(h + 58, sizeof(Elf64_Shdr), 2);
    wt_store_le(h + 60, SECTIONS, 2);
    wt_store_le(h + 62, SHSTRTAB, 2);
}

static void align(struct wt_buffer *b, size_t alignment)
{
    static const uint8_t zeros[64];
    wt_buffer_append(b, zeros, (alignment - b->length % alignment) % alignment);
}

/* The units that were there, then the made one. */
static void put_units(struct wt_buffer part[SECTIONS], const struct line_elf *from)
{
    put_bytes(&part[ABBREV], &from->abbreviations);
    put_bytes(&part[INFO], &from->information);
    put_bytes(&part[STR], &from->strings);
    put_bytes(&part[LOC], &from->locations);
    const uint64_t abbreviations = part[ABBREV].length;
    put_abbreviations(&part[ABBREV]);
    for (size_t i = 0; i < from->unit_count; i++) {
        const uint64_t lines = part[LINE].length;
        put_lines(&part[LINE], from, i);
        if (!from->unit[i].is_described)
            put_information(&part[INFO], from, i, abbreviations, lines);
        for (size_t k = 0; k < from->reference_count && !part[INFO].failed; k++)
            if (from->reference[k].unit == i)
                wt_store_le(part[INFO].bytes + from->reference[k].at, lines, 4);
    }
    if (from->datum_count)
        put_data(&part[INFO], from, abbreviations);
}

static void write_all(struct wt_buffer *out, struct wt_buffer part[SECTIONS],
                      const struct line_elf *from)
{
    static const uint8_t header[sizeof(Elf64_Ehdr)];
    static const struct {
        const char *name;
        uint32_t type, link, info, align, entry;
        uint64_t flags;
    } sections[SECTIONS] = {
        [NULL_SECTION] = {"", SHT_NULL, 0, 0, 0, 0, 0},
        [TEXT] = {".text", SHT_PROGBITS, 0, 0, 32, 0, SHF_ALLOC | SHF_EXECINSTR},
        [SYMTAB] = {".symtab", SHT_SYMTAB, STRTAB, 1, 8, sizeof(Elf64_Sym), 0},
        [STRTAB] = {".strtab", SHT_STRTAB, 0, 0, 1, 0, 0},
        [ABBREV] = {".debug_abbrev", SHT_PROGBITS, 0, 0, 1, 0, 0},
        [INFO] = {".debug_info", SHT_PROGBITS, 0, 0, 1, 0, 0},
        [LINE] = {".debug_line", SHT_PROGBITS, 0, 0, 1, 0, 0},
        [STR] = {".debug_str", SHT_PROGBITS, 0, 0, 1, 0, 0},
        [LOC] = {".debug_loc", SHT_PROGBITS, 0, 0, 1, 0, 0},
        [SHSTRTAB] = {".shstrtab", SHT_STRTAB, 0, 0, 1, 0, 0},
    };
    uint64_t offset[SECTIONS];
    uint32_t name[SECTIONS];
    put_symbols(&part[SYMTAB], &part[STRTAB], from);
    put_units(part, from);
    wt_buffer_append(&part[TEXT], from->code, from->code_size);
    for (unsigned i = 0; i < SECTIONS; i++) {
        name[i] = (uint32_t)part[SHSTRTAB].length;
        text(&part[SHSTRTAB], sections[i].name);
    }
    wt_buffer_append(out, header, sizeof header);
    const uint64_t code = (sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) + 31) / 32 * 32;
    wt_buffer_append_number(out, PT_LOAD | (uint64_t)(PF_R | PF_X) << 32, 8);
    wt_buffer_append_number(out, code, 8);
    wt_buffer_append_number(out, from->address, 8);
    wt_buffer_append_number(out, from->address, 8);
    wt_buffer_append_number(out, from->code_size, 8);
    wt_buffer_append_number(out, from->code_size, 8);
    wt_buffer_append_number(out, 32, 8);
    for (unsigned i = TEXT; i < SECTIONS; i++) {
        align(out, sections[i].align);
        offset[i] = out->length;
        wt_buffer_append(out, part[i].bytes, part[i].length);
        out->failed = out->failed || part[i].failed;
    }
    assert(out->failed || offset[TEXT] == code);
    align(out, 8);
    const uint64_t table = out->length;
    for (unsigned i = 0; i < SECTIONS; i++) {
        wt_buffer_append_number(out, name[i], 4);
        wt_buffer_append_number(out, sections[i].type, 4);
        wt_buffer_append_number(out, sections[i].flags, 8);
        wt_buffer_append_number(out, i == TEXT ? from->address : 0, 8);
        wt_buffer_append_number(out, i ? offset[i] : 0, 8);
        wt_buffer_append_number(out, part[i].length, 8);
        wt_buffer_append_number(out, sections[i].link, 4);
        wt_buffer_append_number(out, sections[i].info, 4);
        wt_buffer_append_number(out, sections[i].align, 8);
        wt_buffer_append_number(out, sections[i].entry, 8);
    }
    if (!out->failed)
        put_header(out, from, table);
}

enum wt_status line_elf_write(const struct line_elf *from, uint8_t **bytes, size_t *length,
                              struct wt_error *err)
{
    struct wt_buffer out = {0}, part[SECTIONS] = {0};
    assert(from->unit_count && from->code_size);
    write_all(&out, part, from);
    for (unsigned i = 0; i < SECTIONS; i++)
        free(part[i].bytes);
    if (out.failed) {
        free(out.bytes);
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
    }
    *bytes = out.bytes;
    *length = out.length;
    return WT_OK;
}
