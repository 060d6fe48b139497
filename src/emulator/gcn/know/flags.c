/* The use of loads, as code shows it: those in loops that wait, which a wave repeats till their
 * place has another value, and guesses, which a compare-and-swap behind them proves. */

#include <string.h>

#include "emulator/gcn/internal.h"
#include "emulator/gcn/know/operands.h"
#include "emulator/machine/array.h"
#include "emulator/machine/meaning.h"

enum { MOST = 128 }; /* instructions from a load on, or of a loop */

struct insn {
    struct gcn_uop u;
    uint64_t pc;
};

static bool read_insn(struct wt_machine *m, uint64_t pc, struct insn *i)
{
    i->pc = pc;
    return gcn_uop_at((struct gcn_device *)m, pc, &i->u);
}

static uint64_t behind(const struct insn *i)
{
    return i->pc + sizeof(uint32_t) * i->u.length;
}

static bool is(const struct insn *i, enum gcn_id id)
{
    return i->u.row == &gcn_rows[id];
}

/* The address of a jump; NULL: it is none. */
static const uint8_t *address_of(const struct insn *i)
{
    const uint8_t *code = wt_meaning_jump(i->u.row->meaning);
    if (code)
        wt_meaning_skip(&code);
    return code;
}

/* Where a branch goes; 0: it is none. */
static uint64_t goes_to(const struct insn *i)
{
    const uint8_t *to = address_of(i);
    const bool branches = to && *to == WT_M_TARGET && *i->u.row->meaning == WT_M_JUMP;
    return branches ? i->pc + 4 + (uint64_t)(int64_t)i->u.imm * 4 : 0;
}

/* It goes to where a register says, or ends. */
static bool leaves(const struct insn *i)
{
    const uint8_t *to = address_of(i);
    return to && *to != WT_M_TARGET;
}

/* Whether it stores only where it finds what is expected. */
static bool compares_and_swaps(const struct insn *i)
{
    static const uint8_t value[] = {WT_M_SELECT, WT_M_EQ, WT_M_MEMORY, WT_M_C, WT_M_B, WT_M_MEMORY};
    const uint8_t *code = i->u.row->meaning;
    if (*code++ != WT_M_ATOMIC)
        return false;
    wt_meaning_skip(&code);
    return wt_meaning_begins(code, value, sizeof value);
}

/* The access of a memory instruction: 'r', 'w', 'a'; 0: it is none, or one of a lane's own memory,
 * where code without optimisation has its variables. */
static char access_of(const struct insn *i)
{
    const unsigned encoding = i->u.row->encoding;
    const bool memory = encoding == GCN_SMEM || encoding == GCN_DS || encoding == GCN_FLAT ||
                        encoding == GCN_GLOBAL || encoding == GCN_MIMG;
    return memory ? i->u.row->operands[0] : 0;
}

static bool is_own(const struct insn *i)
{
    return i->u.row->encoding == GCN_MUBUF || i->u.row->encoding == GCN_SCRATCH;
}

/* Whether an instruction writes a VGPR; @p of_scalars: whether nothing that lanes have, and no
 * memory, is in what it writes. */
static bool writes(const struct insn *i, unsigned reg, bool *of_scalars)
{
    struct wt_insn_operands o;
    bool does = false;
    *of_scalars = true;
    if (!gcn_operands(&i->u, &o))
        return false;
    for (unsigned n = 0; n < o.count; n++) {
        const struct wt_insn_operand *x = &o.list[n];
        const bool row = x->kind == WT_OPERAND_ROW;
        does |= row && x->file == GCN_FILE_V && x->writes && reg - x->number < (x->bits + 31u) / 32;
        *of_scalars &= !x->reads || (!row && x->kind != WT_OPERAND_MEMORY);
    }
    return does;
}

/* Whether a scalar instruction writes a pair of SGPRs. */
static bool writes_base(const struct insn *i, unsigned base)
{
    const unsigned encoding = i->u.row->encoding, size = i->u.size ? i->u.size : 4;
    return (encoding <= GCN_SOP1 || encoding == GCN_SMEM) && i->u.dst < base + 2u &&
           i->u.dst + (size + 3) / 4 + 1 > base;
}

/* A loop, [first, last]. */
struct loop {
    struct wt_machine *m;
    uint64_t first, last;
};

/* Whether a loop stores to the variable that an instruction loads. */
static bool stores_to(const struct loop *l, const struct insn *own)
{
    struct insn i;
    for (uint64_t pc = l->first; pc <= l->last; pc = behind(&i))
        if (!read_insn(l->m, pc, &i) ||
            (is_own(&i) && i.u.row->operands[0] == 'w' && i.u.imm < own->u.imm + own->u.size &&
             own->u.imm < i.u.imm + i.u.size))
            return true;
    return false;
}

/* Whether a load of a loop has the same address each time: what makes its registers there, if
 * anything does, is a scalar, a variable that the loop does not store to, or such a load. */
static bool is_of_one_place(const struct loop *l, const struct insn *load, unsigned deep)
{
    enum { DEEPEST = 3 }; /* a pointer's pointer */
    const bool scalar = load->u.row->encoding == GCN_SMEM;
    const bool based =
        scalar || (load->u.row->encoding == GCN_GLOBAL && load->u.base != GCN_NO_BASE);
    const unsigned registers = scalar ? 0 : based || load->u.row->encoding == GCN_DS ? 1 : 2;
    struct insn i, by;
    for (uint64_t pc = l->first; pc <= l->last && based; pc = behind(&i))
        if (!read_insn(l->m, pc, &i) || writes_base(&i, load->u.base))
            return false;
    for (unsigned reg = load->u.src[0]; reg < load->u.src[0] + registers; reg++) {
        bool before = false, later = false, scalars, of_scalars = false;
        for (uint64_t pc = l->first; pc <= l->last; pc = behind(&i)) {
            if (!read_insn(l->m, pc, &i))
                return false;
            if (!writes(&i, reg, &scalars))
                continue;
            later = true;
            if (pc < load->pc) {
                before = true;
                of_scalars = scalars;
                by = i;
            }
        }
        if (!before && !later)
            continue;
        const bool same =
            before && (of_scalars || (is_own(&by) && !stores_to(l, &by)) ||
                       (access_of(&by) && deep < DEEPEST && is_of_one_place(l, &by, deep + 1)));
        if (!same)
            return false;
    }
    return true;
}

bool gcn_of_flag(struct wt_machine *m, uint32_t wave, uint64_t load, uint64_t store)
{
    struct insn it, i;
    struct loop l = {m, 0, load};
    if (!read_insn(m, load, &it) || access_of(&it) != 'r')
        return false;
    for (unsigned n = 0; n < MOST && !l.first; n++) {
        if (!read_insn(m, l.last, &i) || leaves(&i))
            return false;
        const uint64_t to = goes_to(&i);
        if (to && to <= load)
            l.first = to;
        else
            l.last = behind(&i);
    }
    if (!l.first || load - l.first > sizeof(uint32_t) * MOST)
        return false;
    for (uint64_t pc = l.first; pc <= l.last; pc = behind(&i)) {
        if (!read_insn(m, pc, &i) || leaves(&i) || is(&i, GCN_I_s_barrier))
            return false;
        const char access = access_of(&i);
        if (access && (access != 'r' || !is_of_one_place(&l, &i, 0)))
            return false;
    }
    return true;
}

/* Whether a compare-and-swap is of the place of a load, by the registers of its address. */
static bool is_of(const struct insn *swap, const struct insn *load)
{
    const bool based = swap->u.row->encoding == GCN_GLOBAL && swap->u.base != GCN_NO_BASE;
    const int32_t apart = swap->u.imm - load->u.imm;
    if (apart < 0 || apart >= load->u.size)
        return false;
    return load->u.row->encoding == GCN_SMEM || based ? swap->u.base == load->u.base
                                                      : swap->u.src[0] == load->u.src[0];
}

/* Whether a compare-and-swap would store one of the two numbers that an instruction compares in
 * place of the other. */
static bool swaps_the_compared(const struct insn *swap, const struct insn *compare)
{
    const unsigned wanted = GCN_VGPR + swap->u.src[1], expected = wanted + swap->u.size / 4;
    const unsigned a = compare->u.src[0], b = compare->u.src[1];
    return (a == wanted && b == expected) || (a == expected && b == wanted);
}

/* A loop that may end before its compare-and-swap, since what it finds is the greater one already,
 * needs no newest value: an old one has it look again. */
bool gcn_guesses(struct wt_machine *m, uint32_t wave, uint64_t load)
{
    struct insn it, i, compare = {.pc = 0}, early = compare;
    bool proved = false;
    if (!read_insn(m, load, &it))
        return false;
    uint64_t pc = behind(&it);
    for (unsigned n = 0; n < MOST; n++, pc = behind(&i)) {
        if (!read_insn(m, pc, &i) || leaves(&i))
            return proved;
        const uint64_t to = goes_to(&i);
        const bool may_go_on = to && i.u.row->meaning[1] != WT_M_K;
        if (to > load && to <= i.pc && !proved && compare.pc && may_go_on)
            early = compare;
        else if (to && to <= i.pc)
            return proved && to > load;
        if (i.u.mask_result && !i.u.result)
            compare = i;
        if (!proved && access_of(&i) == 'a')
            proved = compares_and_swaps(&i) && is_of(&i, &it) &&
                     (!early.pc || swaps_the_compared(&i, &early));
        if (!proved && (access_of(&i) == 'a' || access_of(&i) == 'w'))
            return false;
    }
    return proved;
}

/* ---- arrays ---- */

/* The address from which an access of private memory counts elements, as the code before it says:
 * code without optimisation adds a number, which it has multiplied or extended, to an address, and
 * then accesses the sum. At the access one of the two is still in a register. */

enum { VECTORS = 256, BEFORE = 48 };

/* The value of a vector register: values are numbered; of sums the two parts are known. */
struct array_value {
    uint32_t number, a, b;
    bool is_index;
};

struct array_walk {
    struct array_value v[VECTORS];
    uint32_t last;
};

static struct array_value fresh(struct array_walk *w)
{
    return (struct array_value){.number = ++w->last};
}

static struct array_value source(struct array_walk *w, const struct wt_insn_operands *o,
                                 unsigned leaf)
{
    for (unsigned i = 0; i < o->count; i++)
        if (o->list[i].reads && o->list[i].leaf == leaf && o->list[i].file == GCN_FILE_V &&
            o->list[i].kind == WT_OPERAND_ROW)
            return w->v[o->list[i].number % VECTORS];
    return fresh(w);
}

/* A sum's meaning clamps where it is to, and extends its parts. */
static bool is_sum(const uint8_t *code)
{
    static const uint8_t sum[] = {WT_M_CLAMP, 32,        WT_M_ADD, WT_M_ZEXT, 64,
                                  WT_M_A,     WT_M_ZEXT, 64,       WT_M_B};
    return wt_meaning_begins(code, sum, sizeof sum);
}

/* One that shifts or multiplies its index itself. */
static bool is_scaled_sum(const uint8_t *code)
{
    static const uint8_t shifted[] = {WT_M_ADD, WT_M_SHL, WT_M_A, WT_M_B, WT_M_C},
                         product[] = {WT_M_ADD, WT_M_MUL};
    return wt_meaning_begins(code, shifted, sizeof shifted) ||
           ((*code == WT_M_CLAMP || *code == WT_M_CLAMP_S) &&
            wt_meaning_begins(code + 2, product, sizeof product));
}

static void mark_index(struct array_walk *w, uint32_t number)
{
    for (unsigned r = 0; r < VECTORS; r++)
        w->v[r].is_index |= w->v[r].number == number;
}

static struct array_value array_result(struct array_walk *w, const struct gcn_uop *u,
                                       const struct wt_insn_operands *o)
{
    static const uint8_t move[] = {WT_M_A},
                         scaled[] = {WT_M_SHL, WT_M_SHL_OUT, WT_M_MUL, WT_M_SAR, WT_M_SAR_OUT};
    const uint8_t *code = wt_meaning_result(o->meaning, WT_RESULT_D);
    struct array_value v = fresh(w);
    if (o->operation != WT_DOES_MEANT || !code || o->clamp || u->form == GCN_FORM_SDWA ||
        u->form == GCN_FORM_DPP)
        return v;
    if (wt_meaning_begins(code, move, sizeof move))
        return source(w, o, WT_M_A);
    if (is_sum(code)) {
        const struct array_value a = source(w, o, WT_M_A), b = source(w, o, WT_M_B);
        v.a = a.is_index ? b.number : a.number;
        v.b = a.is_index ? a.number : b.number;
        if (a.is_index == b.is_index)
            v.a = v.b = 0;
    }
    if (is_scaled_sum(code))
        v.a = source(w, o, WT_M_C).number;
    v.is_index = memchr(scaled, *code, sizeof scaled);
    if (*code == WT_M_SAR || *code == WT_M_SAR_OUT) /* the sign of a number that is extended */
        mark_index(w, source(w, o, WT_M_B).number);
    return v;
}

static void array_step(struct array_walk *w, const struct gcn_uop *u)
{
    struct wt_insn_operands o;
    if (!gcn_operands(u, &o))
        return;
    const struct array_value v = array_result(w, u, &o);
    for (unsigned i = 0; i < o.count; i++) {
        const struct wt_insn_operand *x = &o.list[i];
        if (!x->writes || x->kind == WT_OPERAND_MEMORY || x->file != GCN_FILE_V)
            continue;
        for (unsigned k = 0; k < (x->first + x->bits + 31u) / 32; k++)
            w->v[(x->number + k) % VECTORS] =
                k || x->result != WT_RESULT_D || x->first ? fresh(w) : v;
    }
}

/* The vector register with the address of an access to a lane's own memory, VECTORS: none. */
static unsigned address_register(const struct gcn_uop *u)
{
    struct wt_insn_operands o;
    if (u->row->encoding == GCN_SMEM || u->row->encoding == GCN_DS || u->idxen ||
        !gcn_operands(u, &o))
        return VECTORS;
    for (unsigned i = 0; i < o.count; i++)
        if (o.list[i].aside && o.list[i].file == GCN_FILE_V && o.list[i].kind == WT_OPERAND_ROW)
            return o.list[i].number;
    return VECTORS;
}

/* Looks for the register, from the function's begin on: instructions have several lengths. */
static void find_array(struct gcn_device *d, uint64_t first, uint64_t pc, struct wt_array_access *a)
{
    struct array_walk w = {.last = 0};
    struct gcn_uop ring[BEFORE], u;
    unsigned n = 0;
    a->how = WT_ARRAY_NONE;
    for (uint64_t at = first; at < pc; at += 4u * u.length, n++) {
        if (!gcn_uop_at(d, at, &u) || !u.length)
            return;
        ring[n % BEFORE] = u;
    }
    if (!gcn_uop_at(d, pc, &u))
        return;
    const unsigned address = address_register(&u);
    if (address >= VECTORS)
        return;
    for (unsigned r = 0; r < VECTORS; r++)
        w.v[r] = fresh(&w);
    for (unsigned i = n < BEFORE ? 0 : n - BEFORE; i < n; i++)
        array_step(&w, &ring[i % BEFORE]);
    const struct array_value sum = w.v[address];
    for (unsigned r = 0; sum.a && r < VECTORS; r++)
        if (w.v[r].number == sum.a || (a->how == WT_ARRAY_NONE && w.v[r].number == sum.b)) {
            a->how = w.v[r].number == sum.a ? WT_ARRAY_BASE : WT_ARRAY_INDEX;
            a->reg = (uint16_t)r;
        }
}

bool gcn_array(struct wt_machine *m, uint32_t wave, uint64_t first, uint64_t pc,
               struct wt_array_access *a, wt_lanes lanes, uint64_t *at)
{
    struct gcn_device *d = (struct gcn_device *)m;
    const struct gcn_wave *w = &d->wave[wave];
    struct gcn_uop u;
    if (a->how == WT_ARRAY_UNKNOWN)
        find_array(d, first, pc, a);
    if (a->how == WT_ARRAY_NONE || a->reg >= w->vgprs || !gcn_uop_at(d, pc, &u))
        return false;
    for (; lanes; lanes &= lanes - 1) {
        const unsigned lane = wt_lanes_lowest(lanes);
        const uint32_t value = w->v[a->reg][lane];
        at[lane] = a->how == WT_ARRAY_BASE ? value : (uint32_t)(at[lane] - (uint64_t)u.imm - value);
    }
    return true;
}

uint64_t gcn_frame(struct wt_machine *m, uint32_t wave, unsigned lane)
{
    const struct gcn_wave *w = &((struct gcn_device *)m)->wave[wave];
    return w->s[33] / gcn_frame_lanes(w);
}
