/*
 * Addresses that lanes keep in registers, which the code re-uses: the probe follows the function's
 * instructions, and is told which lines declare variables.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "debug/source/attributes.h"
#include "debug/source/frames_internal.h"
#include "debug/source/symbols.h"

enum { MOST_LINES = 64 };

/* Lines of a function that declare variables of the same location. */
struct declared {
    const struct wt_frame *frame;
    struct wt_frames *frames;
    Dwarf_Block location;
    unsigned own, line[MOST_LINES], count;
    Dwarf_Off die;         /* the variable, */
    unsigned alike, index; /* … one of so many of its line */
};

static unsigned declared_line(Dwarf_Die *die)
{
    uint64_t line = 0;
    wt_die_number(die, DW_AT_decl_line, &line);
    return (unsigned)line;
}

/* Only one expression for the whole scope. */
static bool location_of(Dwarf_Die *die, Dwarf_Block *block)
{
    Dwarf_Attribute attribute;
    return dwarf_attr_integrate(die, DW_AT_location, &attribute) &&
           dwarf_formblock(&attribute, block) == 0;
}

static bool has_lists(Dwarf_Die *scope, unsigned depth)
{
    Dwarf_Die child;
    Dwarf_Attribute attribute;
    if (depth > WT_SCOPES || dwarf_child(scope, &child) != 0)
        return false;
    do {
        const char *name = dwarf_diename(&child);
        if (name && strncmp(name, "__", 2) == 0) /* Intel's __ocl_dbg_gid0 and the like */
            continue;
        const unsigned form =
            dwarf_attr(&child, DW_AT_location, &attribute) ? dwarf_whatform(&attribute) : 0;
        if (form == DW_FORM_sec_offset || form == DW_FORM_loclistx || form == DW_FORM_data4 ||
            has_lists(&child, depth + 1))
            return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

bool wt_frame_has_lists(const struct wt_frame *frame)
{
    Dwarf_Die function;
    if (!frame->scope_count)
        return false;
    function = frame->scope[0];
    return has_lists(&function, 0);
}

/* Inlined copies of a function have the same lines. */
static void count_line(struct declared *d, Dwarf_Die *die, unsigned line, bool inlined)
{
    d->line[d->count++] = line;
    if (dwarf_dieoffset(die) == d->die)
        d->index = d->alike;
    d->alike += line == d->own && !inlined;
}

static void find_lines(struct declared *d, Dwarf_Die *scope, bool inlined, unsigned depth)
{
    Dwarf_Die child;
    Dwarf_Block block;
    if (depth > WT_SCOPES || dwarf_child(scope, &child) != 0)
        return;
    do {
        const int tag = dwarf_tag(&child);
        const bool is_variable = tag == DW_TAG_variable || tag == DW_TAG_formal_parameter;
        if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine)
            find_lines(d, &child, inlined || tag == DW_TAG_inlined_subroutine, depth + 1);
        else if (is_variable && d->count < MOST_LINES && location_of(&child, &block) &&
                 block.length == d->location.length &&
                 memcmp(block.data, d->location.data, block.length) == 0)
            count_line(d, &child, declared_line(&child), inlined);
    } while (dwarf_siblingof(&child, &child) == 0);
}

static enum wt_kept_line line_at(void *context, uint64_t pc)
{
    const struct declared *d = context;
    const struct wt_frame *frame = d->frame;
    struct wt_line_row row;
    Dwarf_Die scope = frame->scope[frame->first_scope];
    if (!wt_symbols_row(frame->symbols, pc - frame->bias, &row) || !row.line)
        return WT_KEPT_LINE_OF_NONE;
    if (row.line == d->own && (!frame->inlined || dwarf_haspc(&scope, pc - frame->bias) > 0))
        return WT_KEPT_LINE_OF_IT;
    for (unsigned i = 0; i < d->count; i++)
        if (d->line[i] == row.line)
            return WT_KEPT_LINE_OF_ANOTHER;
    return WT_KEPT_LINE_OF_NONE;
}

/* From the module's file while the device's memory cannot be read: while code is loaded, and while
 * a host program runs. */
static bool read_from(struct wt_frames *f, struct wt_symbols *symbols, uint64_t bias, uint64_t addr,
                      void *out, size_t size)
{
    return wt_debugger_read_memory(f->debugger, f->thread, wt_address_of(addr), out, size,
                                   WT_IGNORED) == WT_OK ||
           wt_symbols_code(symbols, addr - bias, out, size);
}

static bool read_code(void *context, uint64_t addr, void *out, size_t size)
{
    const struct declared *d = context;
    return read_from(d->frames, d->frame->symbols, d->frame->bias, addr, out, size);
}

/* The addresses of the frame's function: not all have a symbol. */
static bool find_extent(const struct wt_frame *frame, uint64_t *start, uint64_t *end)
{
    const uint64_t inside = frame->inside - frame->bias;
    Dwarf_Die function = frame->scope[0];
    return (dwarf_lowpc(&function, start) == 0 && dwarf_highpc(&function, end) == 0 &&
            inside >= *start && inside < *end) ||
           wt_symbols_extent(frame->symbols, inside, start, end);
}

static uint64_t size_of(Dwarf_Die *variable)
{
    Dwarf_Attribute attribute;
    Dwarf_Die type;
    Dwarf_Word size;
    return variable && dwarf_attr_integrate(variable, DW_AT_type, &attribute) &&
                   dwarf_formref_die(&attribute, &type) && dwarf_aggregate_size(&type, &size) == 0
               ? size
               : 0;
}

enum wt_status wt_frames_kept(const struct wt_build *b, const struct wt_frame *frame,
                              const struct wt_kept_address *place, struct wt_kept_answer *answer,
                              struct wt_error *err)
{
    struct declared declared = {.frame = frame, .frames = b->frames};
    struct wt_kept_address asked = *place;
    Dwarf_Die function;
    *answer = (struct wt_kept_answer){.state = WT_KEPT_IN_PLACE};
    if (!b->frames || !frame || frame->physical || !frame->symbols || !frame->scope_count ||
        !find_extent(frame, &asked.start, &asked.end))
        return WT_OK;
    function = frame->scope[0];
    asked.context = &declared;
    asked.line = line_at;
    asked.read_code = read_code;
    asked.start += frame->bias;
    asked.end += frame->bias;
    asked.pc = frame->inside;
    asked.named = b->named_end ? b->named + frame->bias : asked.start;
    asked.named_end = b->named_end ? b->named_end + frame->bias : asked.end;
    asked.is_argument =
        b->variable && !frame->inlined && dwarf_tag(b->variable) == DW_TAG_formal_parameter;
    asked.bytes = size_of(b->variable);
    declared.own = b->variable ? declared_line(b->variable) : 0;
    declared.die = b->variable ? dwarf_dieoffset(b->variable) : 0;
    if (b->variable && location_of(b->variable, &declared.location))
        find_lines(&declared, &function, false, 0);
    asked.alike = frame->inlined ? 0 : declared.alike;
    asked.index = declared.index;
    return wt_debugger_find_kept(b->frames->debugger, &asked, answer, err);
}

struct innermost {
    struct wt_frames *frames;
    const struct wt_physical *physical;
};

static bool read_own_code(void *context, uint64_t addr, void *out, size_t size)
{
    const struct innermost *i = context;
    return read_from(i->frames, i->physical->symbols, i->physical->bias, addr, out, size);
}

void wt_frames_find_cfa(struct wt_frames *f, struct wt_physical *p)
{
    struct innermost innermost = {f, p};
    struct wt_kept_address asked = {.pc = p->pc, .context = &innermost, .read_code = read_own_code};
    if (!wt_symbols_extent(p->symbols, p->pc - p->bias, &asked.start, &asked.end))
        return;
    asked.start += p->bias;
    asked.end += p->bias;
    wt_debugger_find_cfa(f->debugger, &asked, &p->by_code);
    Dwarf_Frame *cfi =
        p->by_code.is_given ? wt_info_frame(p->info, p->by_code.row - p->bias) : NULL;
    if (cfi) {
        free(p->cfi);
        p->cfi = cfi;
    }
}
