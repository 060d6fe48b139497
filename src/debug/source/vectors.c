/* Components of vectors as OpenCL C names them (OpenCL C specification, "Vector Components"). */
#include <ctype.h>
#include <string.h>

#include "debug/source/build.h"

enum { MOST_COMPONENTS = 16 };

/* The elements that ".lo", ".odd" and the like select. */
static unsigned select_half(const char *name, unsigned elements, unsigned *index)
{
    const unsigned half = elements == 3 ? 2 : elements / 2;
    const bool lo = strcmp(name, "lo") == 0, hi = strcmp(name, "hi") == 0;
    const bool odd = strcmp(name, "odd") == 0;
    unsigned count = 0;
    if (!lo && !hi && !odd && strcmp(name, "even") != 0)
        return 0;
    for (unsigned i = 0; i < half; i++)
        index[count++] = lo ? i : hi ? half + i : 2 * i + odd;
    return count;
}

/* The elements of "xyzw" or "s01"; 0: it is something else. */
static unsigned select_elements(const char *name, unsigned *index)
{
    static const char letters[] = "xyzw", digits[] = "0123456789abcdef";
    const bool numbered = (*name == 's' || *name == 'S') && name[1];
    unsigned count = 0;
    for (const char *at = name + numbered; *at; at++) {
        const char *list = numbered ? digits : letters;
        const char *found = strchr(list, tolower((unsigned char)*at));
        if (!found || count == MOST_COMPONENTS || (!numbered && isupper((unsigned char)*at)))
            return 0;
        index[count++] = (unsigned)(found - list);
    }
    return count;
}

bool wt_operand_is_component(const struct wt_operand *vector, const char *name)
{
    unsigned index[MOST_COMPONENTS];
    const struct wt_type *plain = wt_type_plain(vector->type);
    return plain->kind == WT_TYPE_ARRAY && plain->is_vector && plain->count <= MOST_COMPONENTS &&
           (select_half(name, (unsigned)plain->count, index) || select_elements(name, index));
}

enum wt_status wt_operand_components(struct wt_build *b, const struct wt_operand *vector,
                                     const char *name, struct wt_operand *o, struct wt_error *err)
{
    const struct wt_type *plain = wt_type_plain(vector->type), *element = wt_type_target(plain);
    unsigned index[MOST_COMPONENTS];
    unsigned count = select_half(name, (unsigned)plain->count, index);
    if (!count)
        count = select_elements(name, index);
    *o =
        (struct wt_operand){.type = count == 1 ? element : wt_types_vector(b->types, plain, count)};
    for (unsigned i = 0; i < count; i++) {
        struct wt_operand part;
        if (index[i] >= plain->count)
            return wt_fail(err, WT_INVALID, "The vector has no component %u: it has %u.", index[i],
                           (unsigned)plain->count);
        enum wt_status status =
            wt_operand_part(b, vector, index[i] * wt_type_size(element), element, &part, err);
        if (status)
            return status;
        for (unsigned k = 0; k < part.piece_count; k++) {
            if (o->piece_count == WT_PIECES)
                return wt_fail(err, WT_UNSUPPORTED, "the value is in too many pieces");
            o->piece[o->piece_count++] = part.piece[k];
        }
    }
    return WT_OK;
}
