/* The instructions of operands.def: what they compute (operands.c), and the program that has a GPU
 * compute it (operands.hip). */
#include <stddef.h>
#include <stdint.h>

typedef uint64_t value(uint64_t a, uint64_t b, uint64_t c);
struct row {
    const char *name, *kinds;
    value *model;
};
struct product {
    const char *name;
    char kind;
    int side, k, per, group, blocks;
};

#ifdef __cplusplus
extern "C" {
#endif
extern int gfx90a; /* whether denormal halves and bfloats are zeros */
extern const struct row rows[], atomics[];
extern const struct product products[];
/** A number of a kind of operands.def, or ('b', 'i', 'd') of a product's elements. */
uint64_t number(uint64_t *seed, char kind);
/** Whether two values of a kind are the same; all that are no numbers are one. */
int same(char kind, uint64_t x, uint64_t y);
/** Of one issue, [lane][dword]: how many elements of D are not those of A B + C. */
size_t wrong_elements(const struct product *p, const uint32_t *a, const uint32_t *b,
                      const uint32_t *c, const uint32_t *d);
#ifdef __cplusplus
}
#endif
