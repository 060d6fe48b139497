/* Reads line number programs (DWARF 4, section 6.2). See line_table.h. */
#include "object/line_table.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

/* Bytes that are left; `bad`: more were asked for. */
struct line_bytes {
    const uint8_t *at, *end;
    bool bad;
};

static uint64_t take(struct line_bytes *b, unsigned size)
{
    uint64_t value = 0;
    if ((size_t)(b->end - b->at) < size) {
        b->at = b->end;
        b->bad = true;
        return 0;
    }
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)b->at[i] << 8 * i;
    b->at += size;
    return value;
}

static uint64_t take_leb(struct line_bytes *b, bool is_signed)
{
    uint64_t value = 0, byte = 0x80;
    unsigned shift = 0;
    for (; byte & 0x80; shift += 7) {
        byte = take(b, 1);
        if (shift < 64)
            value |= (byte & 0x7f) << shift;
    }
    return is_signed && byte & 0x40 && shift < 64 ? value | ~UINT64_C(0) << shift : value;
}

static const char *take_text(struct line_bytes *b)
{
    const char *text = (const char *)b->at;
    const size_t room = (size_t)(b->end - b->at), length = strnlen(text, room);
    if (length == room) {
        b->at = b->end;
        b->bad = true;
        return "";
    }
    b->at += length + 1;
    return text;
}

static bool part(const uint8_t *elf, size_t size, uint64_t offset, uint64_t length,
                 struct line_bytes *bytes)
{
    if (offset > size || length > size - offset)
        return false;
    *bytes = (struct line_bytes){.at = elf + offset, .end = elf + offset + length};
    return true;
}

static bool section(const uint8_t *elf, size_t size, const Elf64_Ehdr *header, unsigned index,
                    Elf64_Shdr *out)
{
    struct line_bytes bytes;
    if (!part(elf, size, header->e_shoff, (uint64_t)header->e_shnum * sizeof *out, &bytes) ||
        index >= header->e_shnum)
        return false;
    memcpy(out, bytes.at + index * sizeof *out, sizeof *out);
    return true;
}

static bool find_section(const uint8_t *elf, size_t size, struct line_bytes *lines)
{
    Elf64_Ehdr header;
    Elf64_Shdr names, s;
    struct line_bytes text, name;
    if (size < sizeof header)
        return false;
    memcpy(&header, elf, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        !section(elf, size, &header, header.e_shstrndx, &names) ||
        !part(elf, size, names.sh_offset, names.sh_size, &text))
        return false;
    for (unsigned i = 0; section(elf, size, &header, i, &s); i++) {
        if (s.sh_name >= names.sh_size)
            continue;
        name = (struct line_bytes){.at = text.at + s.sh_name, .end = text.end};
        if (strcmp(take_text(&name), ".debug_line") == 0 && s.sh_type != SHT_NOBITS)
            return part(elf, size, s.sh_offset, s.sh_size, lines);
    }
    return false;
}

/* The header of a unit. */
struct unit {
    unsigned shortest, line_range, opcode_base;
    int line_base;
    const uint8_t *argument_counts; /* argument counts of opcodes 1 to opcode_base - 1 */
    struct line_bytes files;
};

static bool read_header(struct line_bytes *b, struct unit *u)
{
    const uint64_t version = take(b, 2), length = take(b, 4);
    if (version < 2 || version > 4 || length > (uint64_t)(b->end - b->at))
        return false;
    const uint8_t *program = b->at + length;
    u->shortest = (unsigned)take(b, 1);
    take(b, version == 4 ? 2 : 1); /* operations of an instruction; default_is_stmt */
    u->line_base = (int8_t)take(b, 1);
    u->line_range = (unsigned)take(b, 1);
    u->opcode_base = (unsigned)take(b, 1);
    u->argument_counts = b->at;
    for (unsigned i = 1; i < u->opcode_base; i++)
        take(b, 1);
    while (!b->bad && *take_text(b)) /* folders */
        continue;
    u->files = (struct line_bytes){.at = b->at, .end = program};
    b->at = program;
    return !b->bad && u->line_range && u->opcode_base && u->files.at <= program;
}

static void name_file(const struct unit *u, uint64_t number, char *name)
{
    struct line_bytes files = u->files;
    const char *text = "";
    for (uint64_t i = 0; i < number && !files.bad; i++) {
        text = take_text(&files);
        if (!*text)
            break;
        for (unsigned k = 0; k < 3; k++) /* folder, time, length */
            take_leb(&files, false);
    }
    snprintf(name, LINE_TABLE_NAME, "%s", text);
}

/* The state machine; `last` is the row before the one that is being made. */
struct line_row {
    uint64_t address, file, line;
};

struct line_search {
    uint64_t address;
    line_table_fn *take; /* take of each row; NULL: `address` is looked for */
    void *context;
    const struct unit *unit;
    struct line_row last;
    bool any; /* `last` is a row of this sequence */
    bool found;
};

static void add_row(struct line_search *s, const struct line_row *row, bool ends)
{
    char name[LINE_TABLE_NAME];
    if (s->take) {
        const bool is_line = !ends && row->line <= INT32_MAX;
        name_file(s->unit, row->file, name);
        s->take(s->context, row->address, is_line ? (unsigned)row->line : 0, name);
        return;
    }
    if (s->any && !s->found && s->address >= s->last.address && s->address < row->address)
        s->found = true;
    if (s->found)
        return;
    s->last = *row;
    s->any = !ends;
}

static void extended(struct line_bytes *b, struct line_row *row, struct line_search *s)
{
    enum { END_SEQUENCE = 1, SET_ADDRESS = 2 };
    const uint64_t length = take_leb(b, false);
    if (!length || length > (uint64_t)(b->end - b->at)) {
        b->bad = true;
        return;
    }
    struct line_bytes inner = {.at = b->at, .end = b->at + length};
    b->at += length;
    const uint64_t opcode = take(&inner, 1);
    if (opcode == END_SEQUENCE) {
        add_row(s, row, true);
        *row = (struct line_row){.file = 1, .line = 1};
    } else if (opcode == SET_ADDRESS) {
        row->address = take(&inner, length > 8 ? 8 : (unsigned)length - 1);
    }
}

static void standard(struct line_bytes *b, unsigned opcode, const struct unit *u,
                     struct line_row *row, struct line_search *s)
{
    enum { COPY = 1, ADVANCE_PC, ADVANCE_LINE, SET_FILE, CONST_ADD_PC = 8, FIXED_ADVANCE_PC };
    switch (opcode) {
    case COPY:
        add_row(s, row, false);
        break;
    case ADVANCE_PC:
        row->address += take_leb(b, false) * u->shortest;
        break;
    case ADVANCE_LINE:
        row->line += take_leb(b, true);
        break;
    case SET_FILE:
        row->file = take_leb(b, false);
        break;
    case CONST_ADD_PC:
        row->address += (255 - u->opcode_base) / u->line_range * u->shortest;
        break;
    case FIXED_ADVANCE_PC:
        row->address += take(b, 2);
        break;
    default:
        for (unsigned i = 0; i < u->argument_counts[opcode - 1]; i++)
            take_leb(b, false);
        break;
    }
}

/* A unit's program; false at what is malformed. */
static bool run_unit(struct line_bytes b, struct line_search *s, struct line_place *place)
{
    struct unit u;
    struct line_row row = {.file = 1, .line = 1};
    if (!read_header(&b, &u))
        return false;
    s->any = false;
    s->unit = &u;
    while (b.at < b.end && !b.bad && !s->found) {
        const unsigned opcode = (unsigned)take(&b, 1);
        if (!opcode) {
            extended(&b, &row, s);
        } else if (opcode < u.opcode_base) {
            standard(&b, opcode, &u, &row, s);
        } else {
            const unsigned moved = opcode - u.opcode_base;
            row.address += (uint64_t)(moved / u.line_range) * u.shortest;
            row.line += (uint64_t)(int64_t)(u.line_base + (int)(moved % u.line_range));
            add_row(s, &row, false);
        }
    }
    if (s->found) {
        place->line = (unsigned)s->last.line;
        name_file(&u, s->last.file, place->file);
    }
    s->unit = NULL;
    return !b.bad;
}

static bool run_units(const uint8_t *elf, size_t size, struct line_search *s,
                      struct line_place *place)
{
    struct line_bytes lines;
    if (!find_section(elf, size, &lines))
        return false;
    while (lines.at < lines.end && !s->found) {
        const uint64_t length = take(&lines, 4);
        if (lines.bad || length > (uint64_t)(lines.end - lines.at))
            return false;
        const struct line_bytes unit = {.at = lines.at, .end = lines.at + length};
        lines.at += length;
        if (!run_unit(unit, s, place))
            return false;
    }
    return true;
}

bool line_table_find(const uint8_t *elf, size_t size, uint64_t address, struct line_place *place)
{
    struct line_search s = {.address = address};
    return run_units(elf, size, &s, place) && s.found && s.last.line > 0 &&
           s.last.line <= INT32_MAX;
}

bool line_table_each(const uint8_t *elf, size_t size, line_table_fn *take_row, void *context)
{
    return run_units(elf, size, &(struct line_search){.take = take_row, .context = context}, NULL);
}
