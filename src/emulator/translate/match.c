/* Matches meanings of instructions with operations on rows (rows.def): both are parsed to trees,
 * whose shapes are compared. */
#include "emulator/translate/match.h"

#include <assert.h>
#include <string.h>

#include "emulator/translate/rows.h"
#include "emulator/machine/meaning_code.h"

enum { S = 1, CARRIES = 2, MOST_NODES = 160, WORD = 32 };

/* The bytes of each pattern, named by its line. */
#define ROWS(op, how, combine, bits, flags, ...)                                                   \
    static const uint8_t CODE(__LINE__)[] = {__VA_ARGS__ WT_M_END};
#define CODE(line) NAMED(line)
#define NAMED(line) code_##line
#include "emulator/translate/rows.def"
#undef ROWS

static const struct {
    uint8_t op, how, combine, bits, flags;
    const uint8_t *code;
} patterns[] = {
#define ROWS(op, how, combine, bits, flags, ...)                                                   \
    {WT_ROWS_##op, how, combine, bits, flags, CODE(__LINE__)},
#include "emulator/translate/rows.def"
#undef ROWS
};

/* ---- trees ---- */

enum { MOST_STATEMENTS = 3 };
struct tree {
    unsigned statements;
    uint8_t result[MOST_STATEMENTS], root[MOST_STATEMENTS];
    struct wt_meaning_node node[MOST_NODES];
    uint8_t bits[MOST_NODES], child[MOST_NODES][3];
    unsigned count;
    const uint8_t *leaf_bits;
    bool wide; /* patterns of 32 bits are those of 64 */
};

static unsigned add(struct tree *t, struct wt_meaning_node node, const uint8_t *child)
{
    unsigned widths[3] = {0};
    const unsigned i = t->count++;
    assert(i < MOST_NODES);
    t->node[i] = node;
    for (unsigned k = 0; k < node.operands; k++) {
        t->child[i][k] = child[k];
        widths[k] = t->bits[child[k]];
    }
    t->bits[i] =
        (uint8_t)(node.op == WT_M_K                           ? node.n
                  : node.op >= WT_M_A && node.op <= WT_M_C    ? t->leaf_bits[node.op - WT_M_A]
                  : node.op < (enum wt_meaning_op)WT_M_LEAVES ? 1
                                                              : wt_meaning_width(&node, widths));
    return i;
}

/* The lowest bits of a node: those of sums and products come from those of their operands. */
static unsigned low(struct tree *t, unsigned i, unsigned bits)
{
    struct wt_meaning_node node = t->node[i];
    uint8_t child[3] = {t->child[i][0], t->child[i][1], t->child[i][2]};
    const unsigned of = node.operands ? t->bits[child[0]] : 0;
    if (t->bits[i] == bits)
        return i;
    switch (node.op) {
    case WT_M_ADD:
    case WT_M_SUB:
    case WT_M_ADDC:
    case WT_M_SUBC:
    case WT_M_MUL:
        child[0] = (uint8_t)low(t, child[0], bits);
        child[1] = (uint8_t)low(t, child[1], bits);
        return add(t, node, child);
    case WT_M_ZEXT:
    case WT_M_SEXT:
        if (of >= bits)
            return low(t, child[0], bits);
        node.n = (uint8_t)bits;
        return add(t, node, child);
    default:
        child[0] = (uint8_t)i;
        return add(t, (struct wt_meaning_node){.op = WT_M_PART, .m = (uint8_t)bits, .operands = 1},
                   child);
    }
}

static unsigned parse(struct tree *t, const uint8_t **code)
{
    const struct wt_meaning_node node = wt_meaning_take(code);
    uint8_t child[3] = {0};
    for (unsigned k = 0; k < node.operands; k++)
        child[k] = (uint8_t)parse(t, code);
    if ((node.op >= WT_M_CLAMP && node.op <= WT_M_CLAMP_SU) || (node.op == WT_M_PART && !node.n))
        return low(t, child[0], node.op == WT_M_PART ? node.m : node.n);
    return add(t, node, child);
}

/* ---- shapes ---- */

static bool is_source(const struct tree *t, unsigned i)
{
    return t->node[i].op >= WT_M_A && t->node[i].op <= WT_M_C && t->bits[i] > 1;
}

/* A source of the pattern: a leaf, or the low bits of one. */
static bool match_source(const struct tree *t, unsigned i, unsigned source, struct wt_rows_match *m)
{
    const struct wt_meaning_node *node = &t->node[i];
    if (m->lower) { /* of a word */
        if (node->op != WT_M_PART || node->n || node->m != WORD)
            return false;
        i = t->child[i][0];
    } else if (node->op == WT_M_ZEXT || node->op == WT_M_SEXT) {
        const unsigned part = t->child[i][0];
        if (t->node[part].op != WT_M_PART || t->node[part].n || source > 1 ||
            (m->low && m->low != t->node[part].m))
            return false;
        m->low = t->node[part].m;
        m->is_signed = node->op == WT_M_SEXT;
        i = t->child[part][0];
    }
    const uint8_t leaf = (uint8_t)(t->node[i].op - WT_M_A);
    if (!is_source(t, i) || (source < m->sources && m->source[source] != leaf))
        return false;
    assert(source <= m->sources);
    m->source[source] = leaf;
    m->bits = m->lower ? WORD : t->bits[i] > m->bits ? t->bits[i] : m->bits;
    m->sources = (uint8_t)(source < m->sources ? m->sources : source + 1);
    return true;
}

static bool match(const struct tree *t, unsigned i, const uint8_t **pattern,
                  struct wt_rows_match *m)
{
    const struct wt_meaning_node is = t->node[i], p = wt_meaning_take(pattern);
    const bool any = (p.op == WT_M_LOGIC || p.op == WT_M_FCOMPARE) && !p.n;
    if (p.op >= WT_M_A && p.op <= WT_M_C)
        return match_source(t, i, p.op - WT_M_A, m);
    if (p.op == WT_M_VCC)
        return !is.operands && is.op != WT_M_K && t->bits[i] == 1;
    const uint8_t n = t->wide && (p.op == WT_M_ZEXT || p.op == WT_M_K) ? 2 * p.n : p.n;
    if (is.op != p.op || (!any && (is.n != n || is.m != p.m)))
        return false;
    m->how = any ? is.n : m->how;
    for (unsigned k = 0; k < p.operands; k++)
        if (!match(t, t->child[i][k], pattern, m))
            return false;
    return true;
}

/* False: the meaning has a statement other than results. */
static bool parse_all(struct tree *t, const uint8_t *code)
{
    while (*code == WT_M_OUT && t->statements < MOST_STATEMENTS) {
        t->result[t->statements] = code[1];
        code += 2;
        t->root[t->statements++] = (uint8_t)parse(t, &code);
    }
    return *code == WT_M_END;
}

static bool match_all(const struct tree *t, const uint8_t *pattern, struct wt_rows_match *m)
{
    for (unsigned i = 0; i < t->statements; i++) {
        if (*pattern != WT_M_OUT || pattern[1] != t->result[i])
            return false;
        pattern += 2;
        const unsigned root = t->root[i];
        m->lower = t->wide && t->node[root].op == WT_M_SEXT && t->bits[t->child[root][0]] == WORD;
        if (!match(t, m->lower ? t->child[root][0] : root, &pattern, m))
            return false;
    }
    return *pattern == WT_M_END;
}

/* Sources of a comparison come as the instruction has them. */
static void turn(struct wt_rows_match *m)
{
    const uint8_t how = m->how;
    m->how = (uint8_t)((how & WT_ROWS_EQUAL) | (how & WT_ROWS_LESS ? WT_ROWS_GREATER : 0) |
                       (how & WT_ROWS_GREATER ? WT_ROWS_LESS : 0));
    m->source[0] = 0;
    m->source[1] = 1;
}

static bool match_any(const struct tree *t, struct wt_rows_match *m)
{
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        *m = (struct wt_rows_match){.op = patterns[i].op,
                                    .how = patterns[i].how,
                                    .combine = patterns[i].combine,
                                    .is_signed = patterns[i].flags & S,
                                    .carries = patterns[i].flags & CARRIES};
        const unsigned scale = t->wide && patterns[i].bits == WORD ? 2 : 1;
        if (!match_all(t, patterns[i].code, m) ||
            m->bits != (m->lower ? patterns[i].bits : scale * patterns[i].bits))
            continue;
        if (m->op == WT_ROWS_COMPARE && m->source[0])
            turn(m);
        return true;
    }
    return false;
}

bool wt_rows_match(const uint8_t *meaning, const uint8_t bits[3], bool wide,
                   struct wt_rows_match *m)
{
    struct tree t = {.leaf_bits = bits, .wide = wide};
    return parse_all(&t, meaning) && match_any(&t, m);
}

bool wt_rows_match_condition(const uint8_t *condition, const uint8_t bits[3], bool wide,
                             struct wt_rows_match *m)
{
    struct tree t = {.statements = 1, .result = {WT_RESULT_MASK}, .leaf_bits = bits, .wide = wide};
    t.root[0] = (uint8_t)parse(&t, &condition);
    return match_any(&t, m) && (m->op == WT_ROWS_COMPARE || m->op == WT_ROWS_FLOAT_COMPARE);
}
