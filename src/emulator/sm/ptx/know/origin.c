/*
 * Where addresses of PTX come from, for judges: what records do with them (machine/origin.h). The
 * registers are the rows of a frame, of which the first one of a register of 64 bits has its value,
 * and behind them the variables that the function names, which nobody writes.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/demangle.h"
#include "emulator/machine/meaning.h"
#include "emulator/machine/origin.h"
#include "emulator/sm/operands.h"
#include "emulator/sm/ptx/image.h"
#include "emulator/sm/ptx/know/meaning.h"
#include "object/ptx_section.h"

/* A function that is looked at. */
struct ptx_code {
    const struct sm_ptx *image;
    const struct ptx_function_info *function;
    uint32_t *variable; /* the register of each variable of the image, or 0 */
    uint32_t *number;   /* each register behind the rows: index of its variable, plus 1 */
    size_t room;
    uint32_t count;
    uint64_t *target; /* the places of a branch to one of several */
    size_t targets;
    wt_origin_value unwritten; /* the value of each register at the begin */
};

/* ---- values ---- */

static void begin(void *context, struct wt_flow *f, wt_origin_value *reg)
{
    struct ptx_code *c = context;
    const uint32_t rows = c->function->rows;
    c->unwritten = wt_flow_unknown(f);
    for (uint32_t r = 0; r < rows; r++)
        reg[r] = c->unwritten;
    for (uint32_t i = 0; i < c->count; i++)
        reg[rows + i] = wt_flow_base(f, (uint16_t)(rows + i));
}

/* The value of a source (NULL: it is none of the record's), whose operand is `x`; NULL: an address
 * of 64 bits. */
static wt_origin_value value_of(const struct ptx_code *c, struct wt_flow *f,
                                const wt_origin_value *reg, const struct ptx_source *s,
                                const struct wt_insn_operand *x)
{
    if (s && s->variable)
        return reg[c->variable[s->variable]];
    if (x && x->kind == WT_OPERAND_CONSTANT)
        return wt_flow_constant(f, x->value);
    if (!x && s->constant)
        return wt_flow_constant(f, (int64_t)ptx_get(s->constant, 8, 0));
    if (x && (x->kind != WT_OPERAND_ROW || x->file != SM_FILE_R))
        return wt_flow_index(f);
    const uint32_t row = (x ? x->number : s->slot) / PTX_ROW_BYTES;
    const wt_origin_value v = row < c->function->rows ? reg[row] : wt_flow_unknown(f);
    return x && (x->first || x->bits < 32 || x->crosses) ? wt_flow_mixed(f, v, v) : v;
}

/* Values that a record writes to registers. */
static wt_origin_value result_of(const struct ptx_code *c, struct wt_flow *f,
                                 const struct ptx_op *o, const wt_origin_value *reg,
                                 const struct wt_insn_operands *all)
{
    wt_origin_value leaf[WT_M_LEAVES], mixed = wt_flow_index(f);
    if (o->run == ptx_op_address)
        return o->s[0].variable ? value_of(c, f, reg, &o->s[0], NULL) : wt_flow_unknown(f);
    for (unsigned i = 0; i < WT_M_LEAVES; i++)
        leaf[i] = wt_flow_index(f);
    for (unsigned i = 0; i < all->count; i++) {
        const struct wt_insn_operand *x = &all->list[i];
        const bool is_source = x->leaf >= WT_M_A && x->leaf < WT_M_A + 4;
        if (x->kind == WT_OPERAND_MEMORY && x->reads)
            return wt_flow_number(f);
        if (!x->reads)
            continue;
        const wt_origin_value v =
            value_of(c, f, reg, is_source ? &o->s[x->leaf - WT_M_A] : NULL, x);
        leaf[x->leaf] = v;
        mixed = wt_flow_picked(f, mixed, v);
    }
    const uint8_t *code = all->operation == WT_DOES_MEANT
                              ? wt_meaning_result(wt_operands_meaning(all), WT_RESULT_D)
                              : NULL;
    if (o->run == ptx_op_load_argument)
        return wt_flow_number(f);
    return !code || all->packed || all->mixes ? mixed : wt_flow_meaning(f, &code, leaf);
}

static void write(const struct ptx_code *c, struct wt_flow *f, wt_origin_value *reg,
                  const struct wt_insn_operand *x, bool guarded, wt_origin_value v)
{
    const uint32_t row = x->number / PTX_ROW_BYTES,
                   bytes = x->kind == WT_OPERAND_ROW
                               ? (x->first + x->bits + 31u) / 32 * PTX_ROW_BYTES
                               : x->bits / 8u,
                   count = (bytes + PTX_ROW_BYTES - 1) / PTX_ROW_BYTES;
    const bool part = x->kind == WT_OPERAND_ROW && (x->first || x->bits < 32);
    for (uint32_t i = row; i < row + count && i < c->function->rows; i++) {
        const wt_origin_value now = i == row ? v : wt_flow_number(f), was = reg[i];
        reg[i] = was == c->unwritten ? now
                 : part              ? wt_flow_picked(f, was, now)
                 : guarded           ? wt_flow_choice(f, was, now)
                                     : now;
    }
}

/* ---- ways ---- */

static bool is_branch(const struct ptx_op *o)
{
    return o->run == ptx_op_bra;
}

/* Whether it goes to one of several places. */
static bool is_table(const struct ptx_op *o)
{
    return o->run == ptx_op_brx;
}

static bool leaves(const struct ptx_op *o)
{
    return is_branch(o) || is_table(o) || o->run == ptx_op_ret || o->run == ptx_op_exit ||
           o->run == ptx_op_trap;
}

/* Records of a function that a way has come to, and those whose next ones are to be looked at. */
struct ptx_ways {
    const struct ptx_function_info *f;
    bool *seen;
    uint32_t *open, opened;
};

static void come_to(struct ptx_ways *w, uint32_t next)
{
    if (next < w->f->entry || next >= w->f->end || w->seen[next - w->f->entry])
        return;
    w->seen[next - w->f->entry] = true;
    w->open[w->opened++] = next;
}

bool ptx_leads_to(const struct sm_ptx *image, uint32_t from, uint32_t to)
{
    const struct ptx_function_info *f = image->function, *last = f + image->function_count;
    while (f < last && (from < f->entry || from >= f->end))
        f++;
    if (f == last || to < f->entry || to >= f->end)
        return true;
    const uint32_t count = f->end - f->entry;
    struct ptx_ways w = {.f = f,
                         .seen = calloc(count, sizeof *w.seen),
                         .open = malloc((count + 1) * sizeof *w.open)};
    bool comes = !w.seen || !w.open;
    if (!comes)
        w.open[w.opened++] = from;
    while (!comes && w.opened) {
        const uint32_t at = w.open[--w.opened];
        const struct ptx_op *o = &image->op[at];
        const uint32_t *target = is_table(o) ? &image->target[o->index] : NULL;
        uint32_t next;
        if (!leaves(o) || o->guard != PTX_NO_SLOT)
            come_to(&w, at + 1);
        if (is_branch(o) && ptx_index(image, ptx_pc(image, at) + (uint64_t)o->offset, &next))
            come_to(&w, next);
        for (uint32_t i = 0; target && i < target[0]; i++)
            come_to(&w, target[1 + i]);
        comes = w.seen[to - f->entry];
    }
    free(w.seen);
    free(w.open);
    return comes;
}

/* ---- records ---- */

static bool is_access(const struct ptx_op *o)
{
    return o->run == ptx_op_load || o->run == ptx_op_store || o->run == ptx_op_atomic;
}

/* The ways of a brx. */
static void take_targets(struct ptx_code *c, const struct ptx_op *o, struct wt_flow_step *step)
{
    const uint32_t *target = &c->image->target[o->index];
    uint64_t *grown = wt_array_grow(c->target, &c->targets, target[0], sizeof *grown);
    step->loses = !grown;
    if (!grown)
        return;
    c->target = grown;
    for (uint32_t i = 0; i < target[0]; i++)
        grown[i] = ptx_pc(c->image, target[1 + i]);
    step->more = grown;
    step->more_count = target[0];
}

static bool step(void *context, struct wt_flow *f, uint64_t pc, wt_origin_value *reg,
                 struct wt_flow_step *step)
{
    struct ptx_code *c = context;
    struct wt_insn_operands all;
    uint32_t index;
    if (!ptx_index(c->image, pc, &index) || !ptx_operands(NULL, c->image, index, &all))
        return false;
    const struct ptx_op *o = &c->image->op[index];
    const bool guarded = o->guard != PTX_NO_SLOT;
    step->bytes = (unsigned)(ptx_pc(c->image, index + 1) - pc);
    step->falls = (!leaves(o) || guarded) && index + 1 < c->function->end;
    step->branches = is_branch(o);
    step->target = pc + (uint64_t)o->offset;
    if (is_table(o))
        take_targets(c, o, step);
    if (is_access(o)) {
        step->accesses = 1;
        step->address[0] = value_of(c, f, reg, &o->s[0], NULL);
    }
    const wt_origin_value v = result_of(c, f, o, reg, &all);
    for (unsigned i = 0; i < all.count; i++)
        if (all.list[i].writes && all.list[i].file == SM_FILE_R &&
            all.list[i].kind != WT_OPERAND_MEMORY)
            write(c, f, reg, &all.list[i], guarded, v);
    return true;
}

/*
 * ---- variables of threads ----
 *
 * Without optimisation all of a function's are one variable of PTX, __local_depotN, and the debug
 * information of the text says which bytes of it each has (DW_OP_addr of it, DW_OP_plus_uconst).
 */

enum { DIES = 1 << 20, DEEP = 32, POINTER = 8 };

/* An entry of debug information: its place, what it is, the type that it names. */
struct local_die {
    uint64_t at, type, size, count;
    uint32_t tag, parent;
    uint64_t offset; /* in `depot` */
    uint16_t depot;  /* an origin, plus 1; 0: its place is not there */
    char name[48];
};

struct local_reader {
    struct sm_ptx *image;
    const struct ptx_module *text;
    struct wt_buffer info, abbrev, strings;
    const uint8_t *next, *end;
    struct local_die *die;
    size_t dies, room;
};

/* A variable that the section names is its origin's number, plus 1, as an address. */
static bool name_value(void *context, struct ptx_name name, unsigned size, struct wt_buffer *out)
{
    const struct local_reader *r = context;
    uint64_t value = 0;
    for (size_t i = 0; i < r->image->origin_count && size == 8; i++) {
        const struct ptx_origin *o = &r->image->origin[i];
        if (o->space == PTX_SPACE_LOCAL && o->name.length == name.length &&
            memcmp(o->name.at, name.at, name.length) == 0 && o->name.at >= r->text->text &&
            o->name.at < r->text->text + strlen(r->text->text))
            value = i + 1;
    }
    wt_buffer_append_number(out, value, size);
    return true;
}

static uint64_t number(struct local_reader *r, unsigned size)
{
    if ((size_t)(r->end - r->next) < size) {
        r->next = r->end;
        return 0;
    }
    r->next += size;
    return size ? wt_load_le(r->next - size, size) : 0;
}

/* LEB128; signs of those that count nothing do not matter. */
static uint64_t leb(struct local_reader *r)
{
    uint64_t value = 0;
    for (unsigned shift = 0; r->next < r->end; shift += 7) {
        const uint8_t byte = *r->next++;
        value |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
        if (!(byte & 0x80))
            break;
    }
    return value;
}

/* The number of an attribute, or the length of its block; `block` becomes where one begins. False:
 * its form is not known. */
static bool take(struct local_reader *r, uint64_t form, uint64_t *value, const uint8_t **block)
{
    static const uint8_t fixed[] = {
        [DW_FORM_addr] = 8,       [DW_FORM_data1] = 1,       [DW_FORM_data2] = 2,
        [DW_FORM_data4] = 4,      [DW_FORM_data8] = 8,       [DW_FORM_flag] = 1,
        [DW_FORM_strp] = 4,       [DW_FORM_ref1] = 1,        [DW_FORM_ref2] = 2,
        [DW_FORM_ref4] = 4,       [DW_FORM_ref8] = 8,        [DW_FORM_ref_addr] = 4,
        [DW_FORM_sec_offset] = 4, [DW_FORM_flag_present] = 0};
    *block = NULL;
    switch (form) {
    case DW_FORM_block1:
    case DW_FORM_block2:
    case DW_FORM_block4:
    case DW_FORM_block:
    case DW_FORM_exprloc:
        *value = form == DW_FORM_block1   ? number(r, 1)
                 : form == DW_FORM_block2 ? number(r, 2)
                 : form == DW_FORM_block4 ? number(r, 4)
                                          : leb(r);
        *block = r->next;
        r->next = *value > (uint64_t)(r->end - r->next) ? r->end : r->next + *value;
        return true;
    case DW_FORM_string:
        *block = r->next;
        while (r->next < r->end && *r->next)
            r->next++;
        *value = (uint64_t)(r->next - *block);
        r->next += r->next < r->end;
        return true;
    case DW_FORM_sdata:
    case DW_FORM_udata:
    case DW_FORM_ref_udata:
        *value = leb(r);
        return true;
    case DW_FORM_flag_present:
        *value = 1;
        return true;
    default:
        *value = form < sizeof fixed && fixed[form] ? number(r, fixed[form]) : 0;
        return form < sizeof fixed && fixed[form];
    }
}

static void note_attribute(struct local_reader *r, struct local_die *d, uint64_t attribute,
                           uint64_t form, uint64_t value, const uint8_t *block)
{
    if (attribute == DW_AT_name) {
        const uint8_t *text =
            form == DW_FORM_strp && value < r->strings.length ? r->strings.bytes + value : block;
        const size_t most = !text   ? 0
                            : block ? (size_t)value
                                    : strnlen((const char *)text, r->strings.length - value);
        if (text)
            memcpy(d->name, text, most < sizeof d->name ? most : sizeof d->name - 1);
    } else if (attribute == DW_AT_type) {
        d->type = value;
    } else if (attribute == DW_AT_byte_size) {
        d->size = value;
    } else if (attribute == DW_AT_count || attribute == DW_AT_upper_bound) {
        d->count = value + (attribute == DW_AT_upper_bound);
    } else if (attribute == DW_AT_location && block && value >= 9 && *block == DW_OP_addr) {
        struct local_reader rest = {.next = block + 9, .end = block + value};
        const bool moves = rest.next < rest.end && *rest.next++ == DW_OP_plus_uconst;
        d->depot = (uint16_t)wt_load_le(block + 1, 8);
        d->offset = moves ? leb(&rest) : 0;
        if (rest.next != rest.end)
            d->depot = 0;
    }
}

/* The abbreviation of a code: its tag, and whether entries have children; r->next becomes its list
 * of attributes. False: there is none. */
static bool find_abbreviation(struct local_reader *r, uint64_t code, uint64_t *tag, bool *children)
{
    r->next = r->abbrev.bytes;
    r->end = r->next + r->abbrev.length;
    for (uint64_t one; r->next < r->end && (one = leb(r));) {
        *tag = leb(r);
        *children = number(r, 1);
        if (one == code)
            return true;
        for (uint64_t a = 1, f = 1; (a || f) && r->next < r->end;) {
            a = leb(r);
            f = leb(r);
        }
    }
    return false;
}

/* Reads an entry. False: the bytes are not understood. */
static bool read_die(struct local_reader *r, uint64_t code, struct local_die *d, bool *children)
{
    struct local_reader list = *r;
    uint64_t tag, value;
    if (!find_abbreviation(&list, code, &tag, children))
        return false;
    d->tag = (uint32_t)tag;
    for (;;) {
        const uint64_t attribute = leb(&list), form = leb(&list);
        const uint8_t *block;
        if (!attribute && !form)
            return true;
        if (list.next >= list.end || r->next > r->end || !take(r, form, &value, &block))
            return false;
        note_attribute(r, d, attribute, form, value, block);
    }
}

static void read_unit(struct local_reader *r)
{
    enum { HEADER = 11 }; /* length, version, abbreviations, size of an address */
    uint32_t parent[DEEP];
    unsigned depth = 0;
    r->next = r->info.bytes + (r->info.length < HEADER ? r->info.length : HEADER);
    r->end = r->info.bytes + r->info.length;
    while (r->next < r->end && r->dies < DIES) {
        struct local_die d = {.at = (uint64_t)(r->next - r->info.bytes),
                              .parent = depth ? parent[depth - 1] : UINT32_MAX};
        const uint64_t code = leb(r);
        bool children = false;
        if (!code) {
            if (!depth || !--depth)
                return;
            continue;
        }
        struct local_die *grown = wt_array_grow(r->die, &r->room, r->dies + 1, sizeof *grown);
        if (!grown)
            return;
        r->die = grown;
        if (!read_die(r, code, &d, &children) || (children && depth == DEEP))
            return;
        if (children)
            parent[depth++] = (uint32_t)r->dies;
        r->die[r->dies++] = d;
    }
}

/* Bytes of a type; 0: they are not known. */
static uint64_t size_of(const struct local_reader *r, uint64_t type)
{
    uint64_t times = 1;
    for (unsigned n = 0; n < DEEP; n++) {
        size_t low = 0, high = r->dies;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (r->die[middle].at < type)
                low = middle + 1;
            else
                high = middle;
        }
        if (low == r->dies || r->die[low].at != type)
            return 0;
        const struct local_die *d = &r->die[low];
        if (d->tag == DW_TAG_array_type)
            for (size_t i = low + 1; i < r->dies && r->die[i].parent >= low; i++)
                times *= r->die[i].parent == low && r->die[i].tag == DW_TAG_subrange_type
                             ? r->die[i].count
                             : 1;
        else if (d->size)
            return d->size * times;
        else if (d->tag == DW_TAG_pointer_type || d->tag == DW_TAG_reference_type)
            return POINTER * times;
        type = d->type;
    }
    return 0;
}

static void add_locals(struct local_reader *r)
{
    struct sm_ptx *image = r->image;
    for (size_t i = 0; i < r->dies; i++) {
        const struct local_die *d = &r->die[i];
        const uint64_t size = d->depot ? size_of(r, d->type) : 0;
        const struct ptx_origin *depot = &image->origin[d->depot ? d->depot - 1 : 0];
        if (!size || d->depot > image->origin_count || d->offset > depot->variable.size ||
            size > depot->variable.size - d->offset)
            continue;
        struct ptx_local *grown =
            wt_array_grow(image->local, &image->local_room, image->local_count + 1, sizeof *grown);
        if (!grown)
            return;
        image->local = grown;
        grown[image->local_count++] =
            (struct ptx_local){.depot = d->depot,
                               .variable = {.name = strdup(d->name),
                                            .first = depot->variable.first + d->offset,
                                            .size = size,
                                            .guess = true}};
    }
}

/* Adds the variables of a text to image->local. */
static void find_locals(struct sm_ptx *image, const struct ptx_module *text)
{
    struct local_reader r = {.image = image, .text = text};
    const struct {
        const char *name;
        struct wt_buffer *bytes;
    } wanted[] = {
        {".debug_info", &r.info}, {".debug_abbrev", &r.abbrev}, {".debug_str", &r.strings}};
    bool good = true;
    for (size_t i = 0; i < text->section_count; i++)
        for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
            if (ptx_name_is(text->section[i].name, wanted[k].name))
                good &= ptx_section_bytes(&text->section[i], name_value, &r, wanted[k].bytes,
                                          WT_IGNORED) == WT_OK &&
                        !wanted[k].bytes->failed;
    if (good && r.info.length && r.abbrev.length)
        read_unit(&r);
    add_locals(&r);
    free(r.info.bytes);
    free(r.abbrev.bytes);
    free(r.strings.bytes);
    free(r.die);
}

/* ---- accesses ---- */

/* The expression of its result. */
static const uint8_t *expression_of(const struct ptx_meaning *m)
{
    static const uint8_t none[] = {WT_M_END};
    const uint8_t *code = wt_meaning_result(m->code, WT_RESULT_D);
    return code ? code : none;
}

/* Whether a record makes a number that is no address: one that counts elements. */
static bool is_scaled(const struct ptx_op *o)
{
    static const uint8_t scaled[] = {WT_M_SHL, WT_M_SHL_OUT, WT_M_MUL, WT_M_SEXT, WT_M_ZEXT};
    struct ptx_meaning m;
    return ptx_meaning_of(o, &m) && memchr(scaled, *expression_of(&m), sizeof scaled);
}

/* The record that makes a register; NULL: none, or several do. */
static const struct ptx_op *maker_of(const struct sm_ptx *image, const struct ptx_function_info *f,
                                     uint32_t slot)
{
    const struct ptx_op *found = NULL;
    for (uint32_t i = f->entry; i < f->end; i++) {
        if (image->op[i].d != slot)
            continue;
        if (found)
            return NULL;
        found = &image->op[i];
    }
    return found;
}

static bool is_of_register(const struct ptx_op *o)
{
    return is_access(o) && !o->s[0].constant && !o->s[0].variable &&
           (o->space == PTX_SPACE_NONE || o->space == PTX_SPACE_LOCAL);
}

/* Finds out which accesses of a function count elements, and from which address (ptx_op.array). */
static void find_arrays(struct sm_ptx *image, const struct ptx_function_info *f)
{
    static const uint8_t sum[] = {WT_M_ADD, WT_M_A, WT_M_B};
    struct ptx_meaning m;
    for (uint32_t i = f->entry; i < f->end && image->local_count; i++) {
        struct ptx_op *o = &image->op[i];
        const struct ptx_op *add = is_of_register(o) ? maker_of(image, f, o->s[0].slot) : NULL;
        if (!add || !ptx_meaning_of(add, &m) ||
            !wt_meaning_begins(expression_of(&m), sum, sizeof sum) || add->s[0].constant ||
            add->s[1].constant)
            continue;
        const struct ptx_op *made[] = {maker_of(image, f, add->s[0].slot),
                                       maker_of(image, f, add->s[1].slot)};
        for (unsigned k = 0; k < 2; k++)
            if (made[!k] && is_scaled(made[!k]) && !(made[k] && is_scaled(made[k])))
                o->array = add->s[k].slot + 1;
    }
}

/* The variable of a function's frame that begins at `at`; the frame does so at `local`. */
static bool find_local(const struct sm_ptx *image, uint32_t index, uint64_t at, uint64_t local,
                       struct wt_judged_variable *v)
{
    const struct ptx_function_info *f = image->function;
    while (f < image->function + image->function_count && (index < f->entry || index >= f->end))
        f++;
    for (size_t i = 0; f < image->function + image->function_count && i < image->local_count; i++)
        if (image->local[i].depot == f->depot && image->local[i].variable.first == at - local) {
            *v = image->local[i].variable;
            v->first = at;
            return true;
        }
    return false;
}

uint32_t ptx_local_of(const struct sm_warp *w, const struct ptx_op *o, uint64_t pc, uint32_t lanes,
                      struct wt_judged_variable *v)
{
    const unsigned lane = (unsigned)__builtin_ctz(lanes);
    const uint64_t *from = (const void *)(ptx_frame(w) + o->array - 1);
    const uint64_t at = o->space == PTX_SPACE_LOCAL ? from[lane] : from[lane] - SM_LOCAL_WINDOW;
    uint32_t index, base = w->base, others = 0;
    for (uint32_t left = lanes; left; left &= left - 1)
        others |= from[__builtin_ctz(left)] != from[lane] ? left & -left : 0;
    const struct sm_ptx *image = ptx_image_at(w->device, pc, &index);
    while (image && !find_local(image, index, at, w->r[base + PTX_LOCAL_ROW][lane], v) &&
           base != PTX_FIRST_ROW) {
        const uint32_t *header = ptx_header(w, base);
        const uint64_t back = header[PTX_RETURN_LOW] | (uint64_t)header[PTX_RETURN_HIGH] << 32;
        image = ptx_image_at(w->device, back, &index);
        index -= 1; /* the call */
        base = header[PTX_CALLER];
    }
    return others;
}

/* ---- the image ---- */

/* Gives the variables that a function names registers. */
static bool list_variables(struct ptx_code *c)
{
    const struct sm_ptx *image = c->image;
    memset(c->variable, 0, (image->origin_count + 1) * sizeof *c->variable);
    c->count = 0;
    uint32_t depot = 0;
    for (uint32_t i = c->function->entry; i < c->function->end; i++)
        for (unsigned k = 0; k < 4; k++) {
            const uint32_t n = image->op[i].s[k].variable;
            if (!n || c->variable[n])
                continue;
            uint32_t *grown = wt_array_grow(c->number, &c->room, c->count + 1, sizeof *grown);
            if (!grown)
                return false;
            c->number = grown;
            c->number[c->count] = n;
            if (image->origin[n - 1].space == PTX_SPACE_LOCAL)
                depot = depot ? UINT32_MAX : n;
            c->variable[n] = c->function->rows + c->count++;
        }
    image->function[c->function - image->function].depot = depot == UINT32_MAX ? 0 : depot;
    return c->count && c->function->rows + c->count < WT_ORIGIN_NO_BASE;
}

static void look_at(struct sm_ptx *image, struct ptx_code *c)
{
    const struct ptx_function_info *info = c->function;
    const struct wt_flow_family family = {info->rows + c->count, WT_ORIGIN_NO_BASE, begin, step};
    size_t count;
    struct wt_origin *found = wt_origins_find(&family, c, ptx_pc(image, info->entry),
                                              ptx_pc(image, info->end - 1) + 8, &count);
    uint32_t index;
    for (size_t i = 0; i < count; i++)
        if (found[i].known && found[i].base != WT_ORIGIN_NO_BASE &&
            ptx_index(image, found[i].pc, &index))
            image->op[index].origin = &image->origin[c->number[found[i].base - info->rows] - 1];
    free(found);
}

void sm_ptx_find_origins(struct sm_ptx *image, const struct sm_ptx_module *modules, size_t count)
{
    struct ptx_code c = {.image = image,
                         .variable = calloc(image->origin_count + 1, sizeof *c.variable)};
    for (size_t i = 0; i < image->origin_count; i++) {
        struct ptx_origin *o = &image->origin[i];
        char symbol[400], text[400];
        snprintf(symbol, sizeof symbol, "%.*s", (int)o->name.length, o->name.at);
        wt_demangle_variable(symbol, text, sizeof text);
        if (!o->variable.name) /* all of a function's has the compiler's name */
            o->variable.name = strdup(strncmp(text, "__local_depot", 13) == 0 ? "" : text);
        if (!o->variable.name)
            o->variable.name = strdup("");
    }
    for (size_t i = 0; i < count; i++)
        find_locals(image, modules[i].text);
    for (size_t i = 0; c.variable && i < image->function_count; i++) {
        c.function = &image->function[i];
        find_arrays(image, c.function);
        if (c.function->end > c.function->entry && list_variables(&c))
            look_at(image, &c);
    }
    free(c.variable);
    free(c.number);
    free(c.target);
}
