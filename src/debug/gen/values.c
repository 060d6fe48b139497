/*
 * Values of variables that the compiler keeps in registers. The debug information names a register
 * for more instructions than it holds the variable: from before the one that computes it, to after
 * those that give the register to something else. So the writes to the register are followed to its
 * reads: writes that reach a common read are of one variable of the compiler's, a web. One of the
 * webs is the variable's; the value is in the register where only writes of that web arrive.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "debug/gen/flow.h"

enum { MOST_WRITES = 256, WORDS = MOST_WRITES / 64, AT_BEGINNING = 0, HALF_LANES = 16 };

/* Sets of writes; number 0 is what the register has at the function's beginning. */
struct set {
    uint64_t bit[WORDS];
};

struct values {
    const struct wt_kept_address *asked;
    struct genp_code code;
    unsigned from, size;      /* the element's bytes in the file, at most a dword; from
                                 GENP_FILE_BYTES on they are those of scratch memory */
    size_t at[MOST_WRITES];   /* instructions */
    uint16_t of[MOST_WRITES]; /* a write of the same web, or itself */
    bool is_read[MOST_WRITES];
    unsigned count;
    struct set *begin; /* writes that arrive at each instruction that begins a block */
    bool *reached;
};

static bool has(const struct set *s, unsigned i)
{
    return s->bit[i / 64] >> (i % 64) & 1;
}

static void add(struct set *s, unsigned i)
{
    s->bit[i / 64] |= UINT64_C(1) << (i % 64);
}

static unsigned web_of(const struct values *v, unsigned i)
{
    while (v->of[i] != i)
        i = v->of[i];
    return i;
}

static void unite(struct values *v, unsigned a, unsigned b)
{
    a = web_of(v, a);
    b = web_of(v, b);
    v->of[a > b ? a : b] = (uint16_t)(a > b ? b : a);
}

static bool in_scratch(const struct values *v, const struct genp_effects *e)
{
    return e->scratch.count && v->from >= GENP_FILE_BYTES + e->scratch.first &&
           v->from < GENP_FILE_BYTES + e->scratch.first + e->scratch.count;
}

/* How many bytes of the element an instruction writes. A call may write what its caller saves. */
static unsigned written(const struct values *v, const struct genp_effects *e)
{
    unsigned count = 0;
    if (v->from >= GENP_FILE_BYTES)
        return in_scratch(v, e) && e->writes_scratch ? v->size : 0;
    if (e->is_call)
        return v->from < GENP_CALLER_SAVES * GENP_GRF ? v->size : 0;
    for (unsigned i = 0; i < v->size && e->count && !e->writes_any; i++) {
        const unsigned byte = v->from + i;
        count += byte >= e->first && byte < e->first + e->count &&
                 (byte - e->first) % e->element_stride < e->element;
    }
    return count;
}

static bool reads(const struct values *v, const struct genp_effects *e)
{
    if (v->from >= GENP_FILE_BYTES)
        return in_scratch(v, e) && !e->writes_scratch;
    for (unsigned i = 0; i < GENP_SOURCES; i++)
        if (e->read[i].first < v->from + v->size && v->from < e->read[i].first + e->read[i].count)
            return true;
    return false;
}

/* The number of an instruction's write; UINT_MAX: it writes nothing of the element. */
static unsigned write_at(const struct values *v, size_t i)
{
    unsigned low = 1, high = v->count;
    while (low < high) {
        const unsigned mid = (low + high) / 2;
        if (v->at[mid] < i)
            low = mid + 1;
        else
            high = mid;
    }
    return low < v->count && v->at[low] == i ? low : UINT_MAX;
}

static void step(const struct values *v, size_t i, struct set *s)
{
    const struct genp_effects *e = &v->code.insn[i].e;
    const unsigned n = write_at(v, i);
    if (n == UINT_MAX)
        return;
    if (!e->is_merged && written(v, e) == v->size)
        *s = (struct set){0};
    add(s, n);
}

struct gen_arrival {
    struct values *v;
    const struct set *s;
};

static bool arrive(size_t block, void *context)
{
    const struct gen_arrival *a = context;
    struct set *to = &a->v->begin[block];
    bool changed = !a->v->reached[block];
    a->v->reached[block] = true;
    for (unsigned i = 0; i < WORDS; i++) {
        changed |= (a->s->bit[i] & ~to->bit[i]) != 0;
        to->bit[i] |= a->s->bit[i];
    }
    return changed;
}

static void follow(struct values *v)
{
    add(&v->begin[0], AT_BEGINNING);
    v->reached[0] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t block = 0, end; block < v->code.count; block = end) {
            end = genp_end_of_block(&v->code, block);
            struct set s = v->begin[block];
            for (size_t i = block; i < end; i++)
                step(v, i, &s);
            if (v->reached[block])
                changed |= genp_go_on(&v->code, end - 1, arrive, &(struct gen_arrival){v, &s});
        }
    }
}

/* Makes one web of writes. */
static void unite_all(struct values *v, const struct set *s, bool reads)
{
    unsigned first = UINT_MAX;
    for (unsigned n = 0; n < v->count; n++) {
        if (!has(s, n))
            continue;
        if (first == UINT_MAX)
            first = n;
        unite(v, first, n);
        v->is_read[n] |= reads;
    }
}

static bool is_named(const struct values *v, size_t i)
{
    const uint64_t addr = v->code.insn[i].addr;
    return addr >= v->asked->named && addr < v->asked->named_end;
}

static void find_webs(struct values *v)
{
    for (size_t block = 0, end; block < v->code.count; block = end) {
        end = genp_end_of_block(&v->code, block);
        struct set s = v->begin[block];
        for (size_t i = block; i < end && v->reached[block]; step(v, i++, &s)) {
            const struct genp_effects *e = &v->code.insn[i].e;
            const bool merges = write_at(v, i) != UINT_MAX && e->is_merged;
            if (reads(v, e))
                unite_all(v, &s, true);
            if (merges) {
                struct set both = s;
                add(&both, write_at(v, i));
                unite_all(v, &both, false);
            }
        }
    }
}

static struct set before(const struct values *v, size_t here)
{
    const size_t block = genp_block_of(&v->code, here);
    struct set s = v->begin[block];
    for (size_t i = block; i < here; i++)
        step(v, i, &s);
    return s;
}

/* The first instruction for which the debug information names the register. */
static size_t first_named(const struct values *v)
{
    size_t i = 0;
    while (i < v->code.count && v->code.insn[i].addr < v->asked->named)
        i++;
    return i;
}

/* Whether only what the register has at the function's beginning arrives there. */
static bool is_given(const struct values *v)
{
    const size_t i = first_named(v);
    const struct set s = i < v->code.count ? before(v, i) : (struct set){0};
    for (unsigned n = 1; n < v->count; n++)
        if (has(&s, n))
            return false;
    return has(&s, AT_BEGINNING);
}

/*
 * A write of the variable's web; UINT_MAX: there is none. Arguments are in their registers at the
 * beginning. Others are computed by code of their lines; or just before the debug information names
 * the register; or by the first that writes to the register then.
 */
static unsigned variables_web(const struct values *v)
{
    const struct wt_kept_address *a = v->asked;
    unsigned own = UINT_MAX, first = UINT_MAX;
    if (a->is_argument && !a->spilled && is_given(v))
        return AT_BEGINNING;
    for (unsigned n = 1; n < v->count; n++) {
        const struct genp_instruction *in = &v->code.insn[v->at[n]];
        if (!is_named(v, v->at[n]) || in->e.is_call)
            continue;
        if (a->line(a->context, in->addr) == WT_KEPT_LINE_OF_IT)
            own = n;
        if (first == UINT_MAX)
            first = n;
    }
    if (own != UINT_MAX)
        return own;
    const size_t named = first_named(v);
    const unsigned just = named ? write_at(v, named - 1) : UINT_MAX;
    return just != UINT_MAX && !v->code.insn[named - 1].e.is_call ? just : first;
}

static bool may_reach(struct values *v, unsigned web, size_t here)
{
    /* Of all writes, whether a way leads from one of the web to here: without those that end it. */
    const size_t target = genp_block_of(&v->code, here);
    struct set none = {0};
    bool found = false;
    for (unsigned n = 0; n < v->count && !found; n++) {
        if (web_of(v, n) != web)
            continue;
        if (n == AT_BEGINNING)
            return true;
        memset(v->reached, 0, v->code.count);
        const size_t at = v->at[n];
        found = genp_block_of(&v->code, at) == target && at < here;
        genp_go_on(&v->code, genp_end_of_block(&v->code, genp_block_of(&v->code, at)) - 1, arrive,
                   &(struct gen_arrival){v, &none});
        for (bool changed = true; changed;) {
            changed = false;
            for (size_t block = 0, end; block < v->code.count; block = end) {
                end = genp_end_of_block(&v->code, block);
                if (v->reached[block])
                    changed |=
                        genp_go_on(&v->code, end - 1, arrive, &(struct gen_arrival){v, &none});
            }
        }
        found |= v->reached[target];
    }
    return found;
}

/*
 * Whether an instruction writes elements of all channels at other distances than the debug
 * information has them: Intel's has numbers of 8 and 16 bits in a dword of each lane, where the
 * code may have packed them.
 */
static bool is_elsewhere(const struct values *v, unsigned n)
{
    const struct genp_effects *e = &v->code.insn[v->at[n]].e;
    return v->asked->stride && n != AT_BEGINNING && e->channels > 1 && !e->is_call && e->count &&
           e->element < GENP_GRF && e->element_stride != v->asked->stride;
}

/* Likewise of what the register has at the function's beginning: as an instruction reads it. */
static bool is_given_elsewhere(const struct values *v)
{
    const unsigned stride = v->asked->stride;
    for (size_t i = 0; stride && i < v->code.count; i++) {
        const struct genp_effects *e = &v->code.insn[i].e;
        bool packed = false;
        for (unsigned k = 0; k < GENP_SOURCES && !e->is_message; k++)
            packed |= e->read[k].first == v->from && e->read[k].count > stride &&
                      e->read[k].count < (e->channels - 1) * stride;
        if (!packed || !v->reached[genp_block_of(&v->code, i)])
            continue;
        const struct set s = before(v, i);
        if (has(&s, AT_BEGINNING))
            return true;
    }
    return false;
}

static enum wt_kept_state state_of(struct values *v)
{
    const size_t here = genp_find_instruction(&v->code, v->asked->pc);
    if (here == SIZE_MAX || !v->reached[genp_block_of(&v->code, here)])
        return WT_KEPT_IN_PLACE;
    const struct set s = before(v, here);
    const unsigned own = variables_web(v);
    bool others = false, any = false, elsewhere = false;
    if (has(&s, AT_BEGINNING))
        elsewhere = is_given_elsewhere(v);
    for (unsigned n = 0; n < v->count; n++) {
        others |= has(&s, n) && own != UINT_MAX && web_of(v, n) != web_of(v, own);
        elsewhere |= has(&s, n) && is_elsewhere(v, n);
        any |= has(&s, n) && (n != AT_BEGINNING ||
                              (!v->asked->spilled && (v->is_read[n] || v->asked->is_argument)));
    }
    if (!others && elsewhere)
        return WT_KEPT_GONE;
    if (!others)
        return any ? WT_KEPT_IN_PLACE : WT_KEPT_NOT_YET;
    return may_reach(v, web_of(v, own), here) ? WT_KEPT_GONE : WT_KEPT_NOT_YET;
}

/* Follows the writes to a part of the value; false: there are too many. */
static bool follow_part(struct values *v)
{
    v->count = 1;
    for (size_t i = 0; i < v->code.count; i++)
        if (written(v, &v->code.insn[i].e)) {
            if (v->count == MOST_WRITES)
                return false;
            v->at[v->count++] = i;
        }
    for (unsigned n = 0; n < v->count; n++) {
        v->of[n] = (uint16_t)n;
        v->is_read[n] = false;
    }
    memset(v->begin, 0, v->code.count * sizeof *v->begin);
    memset(v->reached, 0, v->code.count);
    follow(v);
    return true;
}

static enum wt_kept_state state_of_part(struct values *v)
{
    if (!follow_part(v))
        return WT_KEPT_IN_PLACE;
    find_webs(v);
    return state_of(v);
}

/* The value's parts are each the variable's or another's. */
static enum wt_kept_state state_at(struct values *v, unsigned from)
{
    enum { PART = 4 };
    enum wt_kept_state state = WT_KEPT_IN_PLACE;
    for (unsigned at = 0; at < v->asked->size && state == WT_KEPT_IN_PLACE; at += PART) {
        v->from = from + at;
        v->size = v->asked->size - at < PART ? v->asked->size - at : PART;
        state = state_of_part(v);
    }
    return state;
}

/* Whether an instruction does for the other half of 32 lanes what another one does for the first.
 */
static bool is_twin(const struct genp_effects *a, const struct genp_effects *b)
{
    return a->opcode == b->opcode && a->element == b->element &&
           a->element_stride == b->element_stride && a->channels == b->channels;
}

/*
 * Whether the other half of 32 lanes is as far as the first: the code computes each half by itself,
 * in any order, and the debug information says only where the first one is. Each write that arrives
 * must be the twin of one that arrives in the first half, whose registers lie before these.
 */
static bool is_as_far(struct values *v)
{
    const size_t here = genp_find_instruction(&v->code, v->asked->pc);
    size_t first[MOST_WRITES];
    unsigned firsts = 0;
    if (here == SIZE_MAX || v->asked->from < HALF_LANES * v->asked->stride)
        return true;
    v->from = v->asked->from - HALF_LANES * v->asked->stride;
    v->size = v->asked->stride;
    if (!follow_part(v) || !v->reached[genp_block_of(&v->code, here)])
        return true;
    struct set s = before(v, here);
    for (unsigned n = 1; n < v->count; n++)
        if (has(&s, n))
            first[firsts++] = v->at[n];
    v->from = v->asked->from;
    if (!follow_part(v))
        return true;
    s = before(v, here);
    for (unsigned n = 1; n < v->count; n++) {
        bool found = !has(&s, n);
        for (unsigned k = 0; k < firsts && !found; k++)
            found = is_twin(&v->code.insn[v->at[n]].e, &v->code.insn[first[k]].e);
        if (!found)
            return false;
    }
    return true;
}

enum wt_status genp_find_value(struct genp_functions *functions,
                               const struct wt_kept_address *place, struct wt_kept_answer *answer,
                               struct wt_error *err)
{
    const struct genp_function *function = genp_read_function(functions, place);
    struct wt_kept_address copy = *place;
    const struct wt_kept_address *asked = &copy;
    struct values v = {.asked = asked};
    if (copy.spilled)
        copy.from = GENP_FILE_BYTES + (unsigned)(copy.spilled & GENP_SCRATCH_OFFSET);
    enum wt_status status = WT_OK;
    if (function) {
        v.code = function->code;
        v.begin = calloc(v.code.count, sizeof *v.begin);
        v.reached = calloc(v.code.count, sizeof *v.reached);
        if (v.begin && v.reached) {
            answer->state = state_at(&v, asked->from);
            if (asked->stride && answer->state == WT_KEPT_IN_PLACE)
                answer->state = state_at(&v, asked->from + (v.code.lanes - 1) * asked->stride);
            if (asked->stride && asked->first && answer->state == WT_KEPT_IN_PLACE &&
                !is_as_far(&v))
                answer->state = WT_KEPT_GONE;
        } else {
            status = wt_fail(err, WT_NO_MEMORY, "no host memory to follow a function");
        }
    }
    free(v.begin);
    free(v.reached);
    return status;
}
