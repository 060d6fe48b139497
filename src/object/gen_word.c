/*
 * Compact instructions: 64 bits whose indices stand for groups of fields of the native form
 * (Skylake PRM volume 7, "EU Compact Instructions"; the tables are that manual's).
 */
#include "object/gen_word.h"

enum { ENTRIES = 32, THREE_ENTRIES = 4, IMMEDIATE = 3 };

/* Fields 33:31, 23:12, 10:9, 34, 8. */
static const uint64_t control_table[ENTRIES] = {
    0x00002, 0x04000, 0x04001, 0x04002, 0x04003, 0x04004, 0x04005, 0x04007,
    0x04008, 0x04009, 0x0400d, 0x06000, 0x06001, 0x06002, 0x06003, 0x06004,
    0x06005, 0x06007, 0x06009, 0x0600d, 0x06010, 0x06100, 0x08000, 0x08002,
    0x08004, 0x08100, 0x16000, 0x16010, 0x18000, 0x18100, 0x28000, 0x28100};

/* Fields 63:61, 94:89, 46:35. */
static const uint64_t type_table[ENTRIES] = {
    0x040001, 0x040040, 0x040041, 0x0400c1, 0x04015d, 0x0405dd, 0x040741, 0x040745,
    0x04075d, 0x041041, 0x043040, 0x043041, 0x045145, 0x047144, 0x047145, 0x05c75d,
    0x05d71d, 0x05d75c, 0x05d75d, 0x05f75c, 0x00040c, 0x04005d, 0x040145, 0x041040,
    0x045144, 0x047104, 0x049209, 0x05775d, 0x05f75d, 0x04f34c, 0x049248, 0x04b248};

/* Fields 100:96, 68:64, 52:48. */
static const uint64_t subreg_table[ENTRIES] = {
    0x0000, 0x0001, 0x0008, 0x000f, 0x0010, 0x0080, 0x0100, 0x0180, 0x0200, 0x0210, 0x0280,
    0x1000, 0x1001, 0x1081, 0x1082, 0x1083, 0x1084, 0x1087, 0x1088, 0x108e, 0x108f, 0x1180,
    0x11e8, 0x2000, 0x2180, 0x3000, 0x3c87, 0x4000, 0x5000, 0x6000, 0x7000, 0x701c};

/* Fields 88:77, or 120:109. */
static const uint64_t source_table[ENTRIES] = {
    0x000, 0x002, 0x010, 0x012, 0x018, 0x020, 0x028, 0x048, 0x050, 0x070, 0x078,
    0x300, 0x302, 0x308, 0x310, 0x312, 0x320, 0x328, 0x338, 0x340, 0x342, 0x348,
    0x350, 0x360, 0x368, 0x370, 0x371, 0x378, 0x468, 0x469, 0x46a, 0x588};

/* Three sources: fields 36:35, 34:32, 28:8. */
static const uint64_t three_control_table[THREE_ENTRIES] = {0x0806001, 0x0006001, 0x0008001,
                                                            0x0008021};
/* Three sources: fields 126:125, 105:104, 84, 83, 114:107, 93:86, 72:65, 55:37. */
static const uint64_t three_source_table[THREE_ENTRIES] = {0x007272720f000, 0x007272720f002,
                                                           0x007272720f008, 0x007272720f020};

/* A field of the native word, and where it stands in the compact word or in an entry of a table. */
struct gen_word_part {
    uint8_t last, first, at;
};

/* Fields of the native word that one index of the compact word stands for. */
struct gen_word_group {
    uint8_t last, first; /* bits of the index */
    uint8_t entries;
    const uint64_t *table;
    struct gen_word_part part[9]; /* the last one is zeros */
};

/* One of the two compact forms. */
struct form {
    struct gen_word_group group[6];  /* the last one has no table */
    struct gen_word_part copied[14]; /* fields that stand in both words; the last one is zeros */
};

enum { SOURCE1_GROUP = 4 }; /* of `basic`: with an immediate it is bits 12:8 of that */

static const struct form basic = {
    .group = {{12,
               8,
               ENTRIES,
               control_table,
               {{33, 31, 16}, {23, 12, 4}, {10, 9, 2}, {34, 34, 1}, {8, 8, 0}}},
              {17, 13, ENTRIES, type_table, {{63, 61, 18}, {94, 89, 12}, {46, 35, 0}}},
              {22, 18, ENTRIES, subreg_table, {{100, 96, 10}, {68, 64, 5}, {52, 48, 0}}},
              {34, 30, ENTRIES, source_table, {{88, 77, 0}}},
              {39, 35, ENTRIES, source_table, {{120, 109, 0}}}},
    .copied = {{6, 0, 0},
               {30, 30, 7},
               {28, 28, 23},
               {27, 24, 24},
               {60, 53, 40},
               {76, 69, 48},
               {108, 101, 56}},
};

static const struct form three = {
    .group = {{9, 8, THREE_ENTRIES, three_control_table, {{36, 35, 24}, {34, 32, 21}, {28, 8, 0}}},
              {11,
               10,
               THREE_ENTRIES,
               three_source_table,
               {{126, 125, 47},
                {105, 104, 45},
                {84, 84, 44},
                {83, 83, 43},
                {114, 107, 35},
                {93, 86, 27},
                {72, 65, 19},
                {55, 37, 0}}}},
    .copied = {{6, 0, 0},
               {30, 30, 30},
               {31, 31, 31},
               {62, 56, 12},
               {64, 64, 28},
               {85, 85, 32},
               {106, 106, 33},
               {75, 73, 34},
               {96, 94, 37},
               {117, 115, 40},
               {82, 76, 43},
               {103, 97, 50},
               {124, 118, 57}},
};

static const struct form *const forms[] = {[GEN_WORD_BASIC] = &basic, [GEN_WORD_THREE] = &three};

/* Whether a native word's last source is an immediate of 32 bits. */
static bool has_immediate(const struct gen_word *w)
{
    return gen_field(w, 42, 41) == IMMEDIATE || gen_field(w, 90, 89) == IMMEDIATE;
}

static void set_part(struct gen_word *native, const struct gen_word_part *p, uint64_t from)
{
    gen_set_field(native, p->last, p->first, from >> p->at);
}

static uint64_t get_part(const struct gen_word *native, const struct gen_word_part *p)
{
    return gen_field(native, p->last, p->first) << p->at;
}

void gen_word_expand(enum gen_word_form kind, const struct gen_word *compact,
                     struct gen_word *native)
{
    const struct form *form = forms[kind];
    *native = (struct gen_word){0};
    for (const struct gen_word_part *p = form->copied; p == form->copied || p->last; p++)
        set_part(native, p, compact->low);
    for (unsigned i = 0; form->group[i].table; i++) {
        const struct gen_word_group *g = &form->group[i];
        const uint64_t index = gen_field(compact, g->last, g->first);
        if (form == &basic && i == SOURCE1_GROUP && has_immediate(native)) {
            /* Thirteen bits, of which the top one is repeated. */
            const uint64_t low = index << 8 | gen_field(compact, 63, 56);
            gen_set_field(native, 127, 96, low & 0x1000 ? low | 0xffffe000 : low);
            continue;
        }
        for (const struct gen_word_part *p = g->part; p->last; p++)
            set_part(native, p, g->table[index]);
    }
}

/* The index of the entry that stands for the bits of the native word; `entries` if
 * there is none. */
static unsigned find_entry(const struct gen_word_group *g, const struct gen_word *native)
{
    uint64_t wanted = 0;
    unsigned index = 0;
    for (const struct gen_word_part *p = g->part; p->last; p++)
        wanted |= get_part(native, p);
    while (index < g->entries && g->table[index] != wanted)
        index++;
    return index;
}

bool gen_word_compact(enum gen_word_form kind, const struct gen_word *native,
                      struct gen_word *compact)
{
    const struct form *form = forms[kind];
    struct gen_word result = {.low = UINT64_C(1) << 29}, again;
    for (const struct gen_word_part *p = form->copied; p == form->copied || p->last; p++)
        result.low |= get_part(native, p);
    for (unsigned i = 0; form->group[i].table; i++) {
        const struct gen_word_group *g = &form->group[i];
        if (form == &basic && i == SOURCE1_GROUP && has_immediate(native)) {
            gen_set_field(&result, 63, 56, gen_field(native, 103, 96));
            gen_set_field(&result, g->last, g->first, gen_field(native, 108, 104));
            continue;
        }
        const unsigned index = find_entry(g, native);
        if (index == g->entries)
            return false;
        gen_set_field(&result, g->last, g->first, index);
    }
    /* Bits that no field of the compact form stands for must be as expansion makes them. */
    gen_word_expand(kind, &result, &again);
    if (again.low != native->low || again.high != native->high)
        return false;
    *compact = result;
    return true;
}
