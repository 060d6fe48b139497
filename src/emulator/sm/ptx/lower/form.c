/* Splits opcodes of PTX into their words. See sm/ptx/lower/form.h. */
#include "emulator/sm/ptx/lower/form.h"
#include "emulator/sm/ptx/image.h"

#include <assert.h>
#include <string.h>

#include "emulator/machine/softfloat.h"
#include "emulator/sm/sass/isa.h"

static const struct {
    const char *name;
    uint32_t fields;
} rows[] = {
#define P(name, lowering, operation, operands, fields) {#name, fields},
#include "emulator/sm/ptx/ptx.def"
#undef P
};

static_assert(PTX_WORD_COUNT <= 128, "ptx_form.words has a bit of each");

enum { OF_SYSTEM = 0x80 }; /* of a word for an order: without another scope it is the system's */

static const struct {
    const char *name;
    uint32_t field;
    uint8_t value;
} words[] = {
    {"rn", ROUND, WT_RNE},
    {"rz", ROUND, WT_RTZ},
    {"rm", ROUND, WT_RDN},
    {"rp", ROUND, WT_RUP},
    {"rna", ROUND, WT_RMM},
    {"rni", IROUND, WT_RNE},
    {"rzi", IROUND, WT_RTZ},
    {"rmi", IROUND, WT_RDN},
    {"rpi", IROUND, WT_RUP},
    {"ftz", FTZ, 1},
    {"sat", SAT, 1},
    {"approx", APPROX, 1},
    {"full", APPROX, 2},
    {"lo", HALF, PTX_LO},
    {"hi", HALF, PTX_HI},
    {"wide", HALF, PTX_WIDE},
    {"cc", CC, 1},
    {"eq", CMP, PTX_EQUAL},
    {"ne", CMP, PTX_LESS | PTX_GREATER},
    {"lt", CMP, PTX_LESS},
    {"le", CMP, PTX_LESS | PTX_EQUAL},
    {"gt", CMP, PTX_GREATER},
    {"ge", CMP, PTX_GREATER | PTX_EQUAL},
    {"lo", CMP, 16 | PTX_LESS},
    {"ls", CMP, 16 | PTX_LESS | PTX_EQUAL},
    {"hi", CMP, 16 | PTX_GREATER},
    {"hs", CMP, 16 | PTX_GREATER | PTX_EQUAL},
    {"equ", CMP, PTX_EQUAL | PTX_UNORDERED},
    {"neu", CMP, PTX_LESS | PTX_GREATER | PTX_UNORDERED},
    {"ltu", CMP, PTX_LESS | PTX_UNORDERED},
    {"leu", CMP, PTX_LESS | PTX_EQUAL | PTX_UNORDERED},
    {"gtu", CMP, PTX_GREATER | PTX_UNORDERED},
    {"geu", CMP, PTX_GREATER | PTX_EQUAL | PTX_UNORDERED},
    {"num", CMP, PTX_LESS | PTX_EQUAL | PTX_GREATER},
    {"nan", CMP, PTX_UNORDERED},
    {"and", BOOL, 0},
    {"or", BOOL, 1},
    {"xor", BOOL, 2},
    {"popc", BOOL, 3},
    {"const", SPACE, PTX_SPACE_CONST},
    {"global", SPACE, PTX_SPACE_GLOBAL},
    {"local", SPACE, PTX_SPACE_LOCAL},
    {"param", SPACE, PTX_SPACE_PARAM},
    {"param::entry", SPACE, PTX_SPACE_PARAM},
    {"param::func", SPACE, PTX_SPACE_PARAM},
    {"shared", SPACE, PTX_SPACE_SHARED},
    {"shared::cta", SPACE, PTX_SPACE_SHARED},
    {"shared::cluster", SPACE, PTX_SPACE_SHARED},
    {"v2", VEC, 2},
    {"v4", VEC, 4},
    {"volatile", SEM, WT_ORDER_RELAXED | OF_SYSTEM},
    {"relaxed", SEM, WT_ORDER_RELAXED},
    {"acquire", SEM, WT_ORDER_ACQUIRE},
    {"release", SEM, WT_ORDER_RELEASE},
    {"acq_rel", SEM, WT_ORDER_BOTH},
    {"weak", SEM, WT_ORDER_PLAIN},
    {"mmio", SEM, WT_ORDER_RELAXED | OF_SYSTEM},
    {"sc", SEM, WT_ORDER_SEQUENTIAL},
    {"cta", SCOPE, WT_AMONG_GROUP},
    {"cluster", SCOPE, WT_AMONG_DEVICE},
    {"gpu", SCOPE, WT_AMONG_DEVICE},
    {"gl", SCOPE, WT_AMONG_DEVICE},
    {"sys", SCOPE, WT_AMONG_SYSTEM},
    {"ca", CACHE, 0},
    {"cg", CACHE, 1},
    {"cs", CACHE, 0},
    {"lu", CACHE, 0},
    {"cv", CACHE, 1},
    {"wb", CACHE, 0},
    {"wt", CACHE, 1},
    {"nc", CACHE, 0},
    {"L1", CACHE, 0},
    {"L2", CACHE, 0},
    {"add", ATOM, SM_ATOMIC_ADD},
    {"min", ATOM, SM_ATOMIC_MIN},
    {"max", ATOM, SM_ATOMIC_MAX},
    {"inc", ATOM, SM_ATOMIC_INC},
    {"dec", ATOM, SM_ATOMIC_DEC},
    {"and", ATOM, SM_ATOMIC_AND},
    {"or", ATOM, SM_ATOMIC_OR},
    {"xor", ATOM, SM_ATOMIC_XOR},
    {"exch", ATOM, SM_ATOMIC_EXCH},
    {"cas", ATOM, SM_ATOMIC_CAS},
    {"commit_group", OTHER, PTX_WORD_wait_all}, /* of cp.async, which are alike */
    {"wait_group", OTHER, PTX_WORD_wait_all},
#define W(name) {#name, OTHER, PTX_WORD_##name},
#include "emulator/sm/ptx/lower/words.def"
#undef W
};

static void put(struct ptx_form *f, uint32_t field, uint8_t value)
{
    f->fields |= field;
    switch (field) {
    case ROUND:
    case IROUND:
        f->round = value;
        break;
    case HALF:
        f->half = value;
        break;
    case CMP:
        f->outcomes = value & 15;
        f->is_unsigned_comparison = value & 16;
        break;
    case BOOL:
        f->combine = value;
        break;
    case SPACE:
        f->space = (enum ptx_space)value;
        break;
    case APPROX:
        f->is_full = value == 2;
        break;
    case VEC:
        f->vector = value;
        break;
    case ATOM:
        f->atom = value;
        break;
    case SEM:
        f->order = (enum wt_observed_order)(value & ~OF_SYSTEM);
        f->scope = value & OF_SYSTEM ? WT_AMONG_SYSTEM : f->scope;
        break;
    case CACHE:
        f->bypasses |= value;
        break;
    case SCOPE:
        f->scope = (enum wt_observed_scope)value;
        break;
    case OTHER:
        f->words |= ptx_word_bit((enum ptx_word)value);
        break;
    default:
        break;
    }
}

static bool take_word(struct ptx_form *f, struct ptx_name word)
{
    const uint32_t allowed = rows[f->row].fields;
    const enum ptx_type type = ptx_type_of(word.at, word.length);
    if (type != PTX_NO_TYPE) {
        if (f->type_count == 4)
            return false;
        f->type[f->type_count++] = type;
        return true;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (words[i].field & allowed && ptx_name_is(word, words[i].name)) {
            put(f, words[i].field, words[i].value);
            return true;
        }
    /* .L1::evict_last, .L2::128B and the like say what may be kept in caches. */
    if (allowed & CACHE && word.length > 4 &&
        (memcmp(word.at, "L1::", 4) == 0 || memcmp(word.at, "L2::", 4) == 0))
        return true;
    f->fields |= allowed & FREE;
    return allowed & FREE;
}

bool ptx_form_of(struct ptx_name opcode, struct ptx_form *form, struct ptx_name *bad)
{
    const char *at = opcode.at, *end = opcode.at + opcode.length;
    bool first = true;
    *form = (struct ptx_form){.row = -1, .vector = 1, .scope = WT_AMONG_DEVICE};
    while (at < end) {
        const char *dot = memchr(at, '.', (size_t)(end - at));
        const struct ptx_name word = {at, (uint32_t)((dot ? dot : end) - at)};
        *bad = word;
        if (first) {
            for (size_t i = 0; i < sizeof rows / sizeof rows[0] && form->row < 0; i++)
                if (ptx_name_is(word, rows[i].name))
                    form->row = (int)i;
            if (form->row < 0)
                return false;
        } else if (!take_word(form, word)) {
            return false;
        }
        first = false;
        at = dot ? dot + 1 : end;
    }
    return form->row >= 0;
}
