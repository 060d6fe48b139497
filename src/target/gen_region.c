/*
 * Explains regions of Gen9's register file as assembly text names them: their elements, and a
 * drawing of them on the grid of the registers (Skylake PRM volume 7, "Register Region
 * Restrictions"; docs/gen9.md, "Regions").
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "debug/source/source.h"
#include "emulator/gen/isa.h"
#include "target/gen.h"

enum { GRFS = 128, GRF_BYTES = 32, MOST_ELEMENTS = 32 };

struct gen_region {
    unsigned elements; /* the instruction's execution size */
    unsigned reg, subreg;
    unsigned vstride, width, hstride; /* a destination: one row */
    bool is_destination;
    enum gen_type type;
    unsigned size;              /* size of an element, bytes */
    unsigned at[MOST_ELEMENTS]; /* byte offsets in the register file */
    unsigned located;           /* located of them: up to the first that lies beyond it */
};

/* ---- the text ---- */

static bool take(const char **text, char wanted)
{
    *text += strspn(*text, " ");
    if (**text != wanted)
        return false;
    ++*text;
    return true;
}

static bool take_number(const char **text, unsigned *value)
{
    *text += strspn(*text, " ");
    const size_t digits = strspn(*text, "0123456789");
    if (!digits || digits > 4)
        return false;
    *value = (unsigned)strtoul(*text, NULL, 10);
    *text += digits;
    return true;
}

static bool take_type(const char **text, enum gen_type *type)
{
    const size_t length = strspn(*text, "abcdefghijklmnopqrstuvwxyz");
    for (unsigned i = 0; i < GEN_UV; i++) {
        const char *name = gen_type_name((enum gen_type)i);
        if (strlen(name) == length && strncmp(*text, name, length) == 0) {
            *type = (enum gen_type)i;
            *text += length;
            return true;
        }
    }
    return false;
}

/* Parses "r4.1<16;8,2>:w", "r6.0<1>:w"; the text behind it, NULL: it is no region. */
static const char *parse_operand(const char *text, struct gen_region *r)
{
    if (!take(&text, 'r') || !isdigit((unsigned char)*text) || !take_number(&text, &r->reg) ||
        (*text == '.' && (!take(&text, '.') || !take_number(&text, &r->subreg))) ||
        !take(&text, '<') || !take_number(&text, &r->vstride))
        return NULL;
    if (take(&text, '>')) {
        r->is_destination = true;
        r->hstride = r->vstride;
    } else if (!take(&text, ';') || !take_number(&text, &r->width) || !take(&text, ',') ||
               !take_number(&text, &r->hstride) || !take(&text, '>')) {
        return NULL;
    }
    return take(&text, ':') && take_type(&text, &r->type) ? text : NULL;
}

/* Likewise with its execution size, "(16) r4.1<16;8,2>:w", and nothing behind it. */
static bool parse(const char *text, struct gen_region *r)
{
    *r = (struct gen_region){.elements = 16};
    if (take(&text, '(') && (!take_number(&text, &r->elements) || !take(&text, ')')))
        return false;
    text = parse_operand(text, r);
    return text && !text[strspn(text, " ")];
}

/* ---- its meaning ---- */

static bool is_power(unsigned value, unsigned most)
{
    return value <= most && value && !(value & (value - 1));
}

static enum wt_status check(const struct gen_region *r, struct wt_error *err)
{
    if (!is_power(r->elements, MOST_ELEMENTS))
        return wt_fail(err, WT_INVALID, "execution size %u: 1, 2, 4, 8, 16 and 32 are possible",
                       r->elements);
    if (r->hstride && !is_power(r->hstride, 4))
        return wt_fail(err, WT_INVALID, "horizontal stride %u: 0, 1, 2 and 4 are possible",
                       r->hstride);
    if (r->is_destination && !r->hstride)
        return wt_fail(err, WT_INVALID, "horizontal stride 0 is not possible in a destination");
    if (!r->is_destination && !is_power(r->width, 16))
        return wt_fail(err, WT_INVALID, "width %u: 1, 2, 4, 8 and 16 are possible", r->width);
    if (!r->is_destination && r->width > r->elements)
        return wt_fail(err, WT_INVALID, "rows of %u elements, but the region has %u", r->width,
                       r->elements);
    if (!r->is_destination && r->vstride && !is_power(r->vstride, 32))
        return wt_fail(err, WT_INVALID, "vertical stride %u: 0, 1, 2, 4, 8, 16 and 32 are possible",
                       r->vstride);
    return WT_OK;
}

static enum wt_status locate(struct gen_region *r, struct wt_error *err)
{
    r->size = gen_type_size(r->type);
    if (r->is_destination)
        r->width = r->elements;
    for (unsigned i = 0; i < r->elements; i++, r->located++) {
        const unsigned row = r->is_destination ? 0 : i / r->width * r->vstride;
        r->at[i] = r->reg * GRF_BYTES + (r->subreg + row + i % r->width * r->hstride) * r->size;
        if (r->at[i] + r->size > GRFS * GRF_BYTES)
            return wt_fail(err, WT_INVALID, "element %u lies beyond r127", i);
    }
    return WT_OK;
}

size_t gen_read_region(const char *text, struct wt_register_region *region)
{
    static const char *const types[] = {[GEN_UD] = "unsigned int",
                                        [GEN_D] = "int",
                                        [GEN_UW] = "unsigned short",
                                        [GEN_W] = "short",
                                        [GEN_UB] = "unsigned char",
                                        [GEN_B] = "signed char",
                                        [GEN_DF] = "double",
                                        [GEN_F] = "float",
                                        [GEN_UQ] = "unsigned long long",
                                        [GEN_Q] = "long long",
                                        [GEN_HF] = "_Float16"};
    struct gen_region r = {.elements = MOST_ELEMENTS};
    struct wt_error err = {.text = ""};
    const char *end = parse_operand(text, &r);
    if (!end || r.type >= sizeof types / sizeof *types)
        return 0;
    *region = (struct wt_register_region){0};
    if (check(&r, &err) || (locate(&r, &err) && !r.located)) {
        snprintf(region->why, sizeof region->why, "%.100s", err.text);
        return (size_t)(end - text);
    }
    region->type = types[r.type];
    region->size = r.size;
    for (; region->count < r.located; region->count++) {
        const unsigned at = r.at[region->count];
        snprintf(region->element[region->count].reg, sizeof region->element[0].reg, "r%u",
                 at / GRF_BYTES);
        region->element[region->count].from = at % GRF_BYTES;
    }
    return (size_t)(end - text);
}

/* ---- printing ---- */

static double double_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void print_element(FILE *out, const struct gen_region *r, uint64_t bits, char letter)
{
    const unsigned width = 8 * r->size;
    const int64_t value =
        width < 64 && gen_type_is_signed(r->type) ? wt_sign_extend(bits, width) : (int64_t)bits;
    if (letter == 'x')
        fprintf(out, "0x%" PRIx64, bits);
    else if (letter == 0 && r->type == GEN_F)
        fprintf(out, "%.9g", (double)wt_float_of_bits((uint32_t)bits));
    else if (letter == 0 && r->type == GEN_DF)
        fprintf(out, "%.17g", double_of_bits(bits));
    else if (gen_type_is_signed(r->type) && letter != 'u')
        fprintf(out, "%" PRId64, value);
    else
        fprintf(out, "%" PRIu64, bits);
}

/* Prints a line for each register: byte 31 on the left, a cell for each element's position, with
 * the number of the first element at that position. */
static void draw(FILE *out, const struct gen_region *r)
{
    const unsigned cells = GRF_BYTES / r->size;
    unsigned first = r->at[0] / GRF_BYTES, last = first;
    for (unsigned i = 0; i < r->elements; i++) {
        const unsigned reg = r->at[i] / GRF_BYTES;
        first = reg < first ? reg : first;
        last = reg > last ? reg : last;
    }
    fprintf(out, "        byte 31%*s\n", (int)(4 * cells) - 7, "byte 0");
    for (unsigned reg = first; reg <= last; reg++) {
        fprintf(out, "  r%-5u", reg);
        for (unsigned cell = cells; cell-- > 0;) {
            unsigned i = 0;
            while (i < r->elements && r->at[i] != reg * GRF_BYTES + cell * r->size)
                i++;
            if (i < r->elements)
                fprintf(out, "[%2u]", i);
            else
                fputs("[  ]", out);
        }
        fputc('\n', out);
    }
}

static bool read_element(const struct gen_region *r, unsigned i,
                         const struct wt_register_reader *reader, uint64_t *bits)
{
    uint8_t bytes[GRF_BYTES];
    char name[16];
    snprintf(name, sizeof name, "r%u", r->at[i] / GRF_BYTES);
    if (!reader->read(reader->context, name, bytes, sizeof bytes))
        return false;
    *bits = wt_load_le(bytes + r->at[i] % GRF_BYTES, r->size);
    return true;
}

enum wt_status gen_print_operand(FILE *out, const char *text, char letter,
                                 const struct wt_register_reader *reader, bool *is_operand,
                                 struct wt_error *err)
{
    struct gen_region r;
    enum wt_status status;
    uint64_t bits[MOST_ELEMENTS];
    *is_operand = parse(text, &r);
    if (!*is_operand)
        return WT_OK;
    if ((status = check(&r, err)) != WT_OK || (status = locate(&r, err)) != WT_OK)
        return status;
    for (unsigned i = 0; i < r.elements; i++)
        if (!read_element(&r, i, reader, &bits[i]))
            return wt_fail(err, WT_STATE, "The program has no registers now.");
    for (unsigned i = 0; i < r.elements; i++) {
        fputs(i % r.width ? ", " : i ? "},\n {" : "{{", out);
        print_element(out, &r, bits[i], letter);
    }
    fputs("}}\n", out);
    draw(out, &r);
    return WT_OK;
}
