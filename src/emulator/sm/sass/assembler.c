/* Files of SASS: directives, labels, control words. See assembler.h. */
#include "emulator/sm/sass/assembler.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "emulator/sm/sass/isa.h"

enum { LINE_BYTES = 1024, MOST_INSTRUCTIONS = 1 << 20 };

/* A name that stands for a number, within its function or (function == NONE) in the file. */
struct symbol {
    char name[SM_NAME_BYTES];
    size_t function;
    uint64_t value;
    bool is_label;
};
#define NO_FUNCTION SIZE_MAX
#define NO_PLACE UINT64_MAX /* a variable's, until all are known */

struct assembler {
    const char *name;
    struct cubin *cubin;
    size_t function_capacity;
    struct symbol *symbol;
    size_t symbol_count, symbol_capacity;
    size_t function; /* the one that is being assembled; NO_FUNCTION: none yet */
    size_t parameter_capacity;
    uint64_t instructions; /* instructions of the function so far */
    unsigned highest;      /* register that the function names */
    bool registers_given;
    size_t variable_capacity, data_capacity, constant_capacity, relocation_capacity;
    uint64_t *word; /* bundles of the function */
    size_t word_capacity;
    unsigned pass, line;
    char text[LINE_BYTES]; /* the line without comments */
};

static enum wt_status wrong(struct assembler *a, size_t column, struct wt_error *err,
                            const char *why)
{
    char reason[sizeof err->text];
    snprintf(reason, sizeof reason, "%s", why); /* it may be err->text itself */
    return wt_fail(err, WT_INVALID, "%s:%u:%zu: %s", a->name, a->line, column + 1, reason);
}

static enum wt_status no_memory(struct wt_error *err)
{
    return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
}

static struct cubin_function *current(struct assembler *a)
{
    return &a->cubin->function[a->function];
}

/* The address of the function's instruction @p index: three to a bundle, behind its control word.
 */
static uint64_t address_of(uint64_t index)
{
    return index / 3 * SM_BUNDLE + 8 + index % 3 * 8;
}

/* ---- names ---- */

static const struct symbol *find(const struct assembler *a, const char *name, size_t length)
{
    for (size_t i = a->symbol_count; i-- > 0;) {
        const struct symbol *s = &a->symbol[i];
        if ((s->function == a->function || s->function == NO_FUNCTION) &&
            strlen(s->name) == length && memcmp(s->name, name, length) == 0)
            return s;
    }
    return NULL;
}

static enum wt_status define(struct assembler *a, const char *name, size_t length, size_t function,
                             uint64_t value, bool is_label, struct wt_error *err)
{
    struct symbol s = {.function = function, .value = value, .is_label = is_label};
    if (length >= sizeof s.name)
        return wrong(a, 0, err, "the name is too long");
    const struct symbol *old = find(a, name, length);
    if (old && (old->function == function || old->is_label == is_label)) {
        if (a->pass == 2)
            return WT_OK; /* the second reading finds what the first one defined */
        return wrong(a, 0, err, "this name is defined already");
    }
    memcpy(s.name, name, length);
    struct symbol *grown =
        wt_array_grow(a->symbol, &a->symbol_capacity, a->symbol_count + 1, sizeof *grown);
    if (!grown)
        return no_memory(err);
    a->symbol = grown;
    a->symbol[a->symbol_count++] = s;
    return WT_OK;
}

static bool label_address(void *context, const char *name, size_t length, uint64_t *address)
{
    const struct symbol *s = find(context, name, length);
    if (!s)
        return false;
    *address = s->value;
    return true;
}

/* ---- lines ---- */

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

static const char *blanks(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

/* Copies a line without its comments; *at then stands behind it. */
static enum wt_status take_line(struct assembler *a, const char **at, bool *in_comment,
                                struct wt_error *err)
{
    size_t used = 0;
    for (; **at && **at != '\n'; (*at)++) {
        if (*in_comment) {
            if (strncmp(*at, "*/", 2) == 0) {
                *in_comment = false;
                (*at)++;
            }
            continue;
        }
        if (strncmp(*at, "/*", 2) == 0) {
            *in_comment = true;
            (*at)++;
            continue;
        }
        if (strncmp(*at, "//", 2) == 0 || **at == '#') {
            *at += strcspn(*at, "\n");
            break;
        }
        if (used + 1 >= sizeof a->text)
            return wrong(a, used, err, "the line is too long");
        a->text[used++] = **at == '\r' ? ' ' : **at;
    }
    while (used && (a->text[used - 1] == ' ' || a->text[used - 1] == '\t'))
        used--;
    a->text[used] = 0;
    *at += **at == '\n';
    return WT_OK;
}

/* ---- directives ---- */

static enum wt_status take_number(struct assembler *a, const char **at, uint64_t most,
                                  uint64_t *value, struct wt_error *err)
{
    char *end;
    *at = blanks(*at);
    errno = 0;
    *value = strtoull(*at, &end, 0);
    if (!isdigit((unsigned char)**at) || errno || *value > most || is_name(*end)) {
        char why[80];
        snprintf(why, sizeof why, "a number up to %" PRIu64 " is expected here", most);
        return wrong(a, (size_t)(*at - a->text), err, why);
    }
    *at = end;
    return WT_OK;
}

static enum wt_status take_name(struct assembler *a, const char **at, size_t *length,
                                struct wt_error *err)
{
    *at = blanks(*at);
    for (*length = 0; is_name((*at)[*length]); (*length)++)
        ;
    if (*length && *length < SM_NAME_BYTES && !isdigit((unsigned char)**at))
        return WT_OK;
    return wrong(a, (size_t)(*at - a->text), err, "a name is expected here");
}

/* The function's code is complete: pads it to a bundle, and keeps it. */
static enum wt_status end_function(struct assembler *a, struct wt_error *err)
{
    if (a->function == NO_FUNCTION || a->pass == 1)
        return WT_OK;
    struct cubin_function *f = current(a);
    struct cubin *c = a->cubin;
    if (!a->instructions)
        return wrong(a, 0, err, "the function before this line has no instructions");
    for (; a->instructions % 3; a->instructions++) {
        uint64_t *bundle = &a->word[a->instructions / 3 * 4];
        bundle[1 + a->instructions % 3] = UINT64_C(0x50b0000000070f00); /* NOP */
        bundle[0] = sm_control_set(bundle[0], a->instructions % 3, SM_CONTROL_NONE);
    }
    f->size = a->instructions / 3 * SM_BUNDLE;
    uint8_t *code = cubin_append_code(c, f->size, &f->code);
    if (!code)
        return no_memory(err);
    for (uint64_t i = 0; i < f->size / 8; i++)
        wt_store_le(code + 8 * i, a->word[i], 8);
    if (!a->registers_given) /* the last one named may be the first of four */
        f->registers = a->highest + 4 > 254 ? 255 : a->highest + 4;
    /* The parameters are the tail of bank 0. */
    f->bank_size[0] = CUBIN_PARAMETERS + f->parameter_bytes;
    f->bank[0] = calloc(1, f->bank_size[0]);
    return f->bank[0] ? WT_OK : no_memory(err);
}

static enum wt_status begin_function(struct assembler *a, const char *at, bool is_kernel,
                                     struct wt_error *err)
{
    enum wt_status status;
    size_t length;
    struct cubin *c = a->cubin;
    if ((status = end_function(a, err)) != WT_OK ||
        (status = take_name(a, &at, &length, err)) != WT_OK)
        return status;
    a->function = a->function == NO_FUNCTION ? 0 : a->function + 1;
    a->instructions = 0;
    a->highest = 0;
    a->registers_given = false;
    a->parameter_capacity = 0;
    if (a->pass == 2) {
        a->parameter_capacity = 0;
        return WT_OK;
    }
    struct cubin_function *grown =
        wt_array_grow(c->function, &a->function_capacity, c->function_count + 1, sizeof *grown);
    if (!grown)
        return no_memory(err);
    c->function = grown;
    if (c->function_count == 100)
        return wrong(a, 0, err, "a file has at most 100 functions");
    for (size_t i = 0; i < c->function_count; i++)
        if (strlen(grown[i].name) == length && memcmp(grown[i].name, at, length) == 0)
            return wrong(a, (size_t)(at - a->text), err, "there is a function of this name");
    grown[c->function_count] =
        (struct cubin_function){.name = strndup(at, length), .is_kernel = is_kernel, .barriers = 1};
    return grown[c->function_count++].name ? WT_OK : no_memory(err);
}

static enum wt_status add_parameter(struct assembler *a, const char *at, struct wt_error *err)
{
    enum wt_status status;
    struct cubin_function *f = current(a);
    uint64_t size;
    size_t length = 0;
    if ((status = take_number(a, &at, CUBIN_MOST_PARAMETERS, &size, err)) != WT_OK)
        return status;
    if (!size)
        return wrong(a, 0, err, "a parameter has at least one byte");
    if (f->parameter_count >= 500)
        return wrong(a, 0, err, "a function has at most 500 parameters");
    if (*blanks(at) && (status = take_name(a, &at, &length, err)) != WT_OK)
        return status;
    if (a->pass == 2)
        return WT_OK;
    /* Aligned to their size, up to 8 bytes. */
    const uint32_t align = size % 8 == 0 ? 8 : size % 4 == 0 ? 4 : size % 2 == 0 ? 2 : 1;
    const uint32_t offset = (f->parameter_bytes + align - 1) / align * align;
    if (offset + size > CUBIN_MOST_PARAMETERS)
        return wrong(a, 0, err, "parameters have 4096 bytes at most");
    struct cubin_parameter *grown =
        wt_array_grow(f->parameter, &a->parameter_capacity, f->parameter_count + 1, sizeof *grown);
    if (!grown)
        return no_memory(err);
    f->parameter = grown;
    f->parameter[f->parameter_count++] =
        (struct cubin_parameter){.offset = offset, .size = (uint32_t)size};
    f->parameter_bytes = offset + (uint32_t)size;
    return length ? define(a, at, length, a->function, CUBIN_PARAMETERS + offset, false, err)
                  : WT_OK;
}

/* ".const BANK,OFFSET 0x…, 0x…": dwords in a constant bank of the function. */
static enum wt_status add_constants(struct assembler *a, const char *at, struct wt_error *err)
{
    enum wt_status status;
    struct cubin_function *f = current(a);
    uint64_t bank, offset, value;
    if ((status = take_number(a, &at, CUBIN_BANKS - 1, &bank, err)) != WT_OK)
        return status;
    if (*at != ',' || bank == 0 || bank == 1)
        return wrong(a, (size_t)(at - a->text), err,
                     "'BANK,OFFSET' with a bank from 2 on is expected here");
    at++;
    if ((status = take_number(a, &at, CUBIN_BANK_BYTES - 4, &offset, err)) != WT_OK)
        return status;
    do {
        if ((status = take_number(a, &at, UINT32_MAX, &value, err)) != WT_OK)
            return status;
        if (offset > CUBIN_BANK_BYTES - 4)
            return wrong(a, (size_t)(at - a->text), err, "a constant bank has 64 KiB");
        if (!f->bank[bank] && !(f->bank[bank] = calloc(1, CUBIN_BANK_BYTES)))
            return no_memory(err);
        wt_store_le(f->bank[bank] + offset, value, 4);
        offset += 4;
        if (offset > f->bank_size[bank])
            f->bank_size[bank] = (uint32_t)offset;
        at = blanks(at);
    } while (*at == ',' && at++);
    return *at ? wrong(a, (size_t)(at - a->text), err, "',' and another number are expected here")
               : WT_OK;
}

/* Room at the end of @p *bytes for a variable; zeros. */
static uint8_t *extend(uint8_t **bytes, size_t *capacity, uint64_t used, uint64_t at, uint64_t size)
{
    uint8_t *grown = wt_array_grow(*bytes, capacity, at + size, 1);
    if (!grown)
        return NULL;
    memset(grown + used, 0, at + size - used);
    *bytes = grown;
    return grown + at;
}

/* The dwords of a variable of @p size bytes at @p to. */
static enum wt_status take_values(struct assembler *a, const char *at, uint8_t *to, uint64_t size,
                                  struct wt_error *err)
{
    enum wt_status status;
    uint64_t value, used = 0;
    for (at = blanks(at); *at; at = blanks(at)) {
        if (used && *at != ',')
            return wrong(a, (size_t)(at - a->text), err,
                         "',' and another number are expected here");
        at += used > 0;
        if ((status = take_number(a, &at, UINT32_MAX, &value, err)) != WT_OK)
            return status;
        if (used + 4 > size)
            return wrong(a, (size_t)(at - a->text), err, "the variable has no room for that many");
        wt_store_le(to + used, value, 4);
        used += 4;
    }
    return WT_OK;
}

/*
 * ".global NAME SIZE 0x…, 0x…" and ".constant NAME SIZE 0x…, 0x…": a variable with the values of
 * its first dwords. A constant's name stands for its offset in bank 3. Global variables without
 * values get their place behind the others when all are known.
 */
static enum wt_status add_variable(struct assembler *a, const char *at, bool is_constant,
                                   struct wt_error *err)
{
    enum { ALIGN = 16, MOST = 16 << 20 };
    enum wt_status status;
    struct cubin *c = a->cubin;
    size_t length;
    uint64_t size;
    if (a->pass == 2)
        return WT_OK;
    if ((status = take_name(a, &at, &length, err)) != WT_OK)
        return status;
    const char *name = at;
    at += length;
    if ((status = take_number(a, &at, MOST, &size, err)) != WT_OK)
        return status;
    const uint64_t end = is_constant ? c->bank3_size : c->data_size;
    const uint64_t begin = (end + ALIGN - 1) / ALIGN * ALIGN;
    const uint64_t most = is_constant ? CUBIN_BANK_BYTES : MOST;
    if (!size || begin + size > most)
        return wrong(a, 0, err, is_constant ? "constants have 64 KiB" : "variables have 16 MiB");
    const bool later = !is_constant && !*blanks(at);
    uint8_t *to =
        later ? NULL
              : extend(is_constant ? &c->bank3 : &c->data,
                       is_constant ? &a->constant_capacity : &a->data_capacity, end, begin, size);
    struct cubin_variable *grown =
        wt_array_grow(c->variable, &a->variable_capacity, c->variable_count + 1, sizeof *grown);
    if (grown)
        c->variable = grown;
    if ((!to && !later) || !grown)
        return no_memory(err);
    grown[c->variable_count] = (struct cubin_variable){.name = strndup(name, length),
                                                       .is_constant = is_constant,
                                                       .offset = later ? NO_PLACE : begin,
                                                       .size = size};
    if (!grown[c->variable_count].name)
        return no_memory(err);
    const struct cubin_variable *added = &grown[c->variable_count++];
    if (cubin_find_variable(c, added->name) != added)
        return wrong(a, (size_t)(name - a->text), err, "there is a variable of this name");
    if (is_constant) {
        c->bank3_size = (uint32_t)(begin + size);
        if ((status = define(a, name, length, NO_FUNCTION, begin, false, err)) != WT_OK)
            return status;
    } else if (!later) {
        c->data_size = c->initialized = begin + size;
    }
    return take_values(a, at, to, size, err);
}

static enum wt_status add_equ(struct assembler *a, const char *at, struct wt_error *err)
{
    enum wt_status status;
    size_t length;
    uint64_t value;
    if ((status = take_name(a, &at, &length, err)) != WT_OK)
        return status;
    const char *name = at;
    at += length;
    if ((status = take_number(a, &at, UINT32_MAX, &value, err)) != WT_OK)
        return status;
    return define(a, name, length, a->function, value, false, err);
}

static enum wt_status take_setting(struct assembler *a, const char *at, const char *word,
                                   size_t length, struct wt_error *err)
{
    static const struct {
        const char *word;
        uint64_t most;
    } settings[] = {{".reg", 255}, {".shared", 49152}, {".local", 1 << 19}, {".bar", 16}};
    struct cubin_function *f = current(a);
    enum wt_status status;
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        uint64_t value;
        if (strlen(settings[i].word) != length || strncmp(settings[i].word, word, length) != 0)
            continue;
        if ((status = take_number(a, &at, settings[i].most, &value, err)) != WT_OK)
            return status;
        switch (i) {
        case 0:
            f->registers = (unsigned)value;
            a->registers_given = true;
            break;
        case 1:
            f->shared = (uint32_t)value;
            break;
        case 2:
            f->local = (uint32_t)value;
            break;
        default:
            f->barriers = (unsigned)value;
            break;
        }
        return *blanks(at) ? wrong(a, (size_t)(at - a->text), err, "the line should end here")
                           : WT_OK;
    }
    return wrong(a, (size_t)(word - a->text), err,
                 "there is no such directive: .kernel, .handler, .param, .reg, .shared, .local, "
                 ".bar, .const, .equ, .global and .constant are there");
}

static enum wt_status take_directive(struct assembler *a, const char *word, struct wt_error *err)
{
    const size_t length = strcspn(word, " \t");
    const char *at = word + length;
    if (strncmp(word, ".kernel", length) == 0 && length == 7)
        return begin_function(a, at, true, err);
    if (strncmp(word, ".handler", length) == 0 && length == 8)
        return begin_function(a, at, false, err);
    if (strncmp(word, ".equ", length) == 0 && length == 4)
        return add_equ(a, at, err);
    if (strncmp(word, ".global", length) == 0 && length == 7)
        return add_variable(a, at, false, err);
    if (strncmp(word, ".constant", length) == 0 && length == 9)
        return add_variable(a, at, true, err);
    if (a->function == NO_FUNCTION)
        return wrong(a, 0, err, "a file begins with '.kernel NAME' or '.handler NAME'");
    if (strncmp(word, ".param", length) == 0 && length == 6)
        return add_parameter(a, at, err);
    if (strncmp(word, ".const", length) == 0 && length == 6)
        return add_constants(a, at, err);
    return take_setting(a, at, word, length, err);
}

/* ---- instructions ---- */

/* Puts numbers in the place of names that stand for some, and notes the highest register. */
static enum wt_status substitute(struct assembler *a, const char *at, char *out, size_t size,
                                 struct wt_error *err)
{
    size_t used = 0;
    while (*at) {
        size_t length = 0;
        char number[24];
        const char *piece = at;
        if (isalpha((unsigned char)*at) || *at == '_') {
            while (isalnum((unsigned char)at[length]) || at[length] == '_')
                length++;
            const struct symbol *s = find(a, at, length);
            char *end;
            const unsigned long reg =
                *at == 'R' && isdigit((unsigned char)at[1]) ? strtoul(at + 1, &end, 10) : 0;
            if (reg < 255 && reg > a->highest)
                a->highest = (unsigned)reg;
            if (s && !s->is_label && at[length] != '[') { /* "c[" is constant memory */
                snprintf(number, sizeof number, "0x%" PRIx64, s->value);
                at += length;
                piece = number;
                length = strlen(number);
            } else {
                at += length;
            }
        } else {
            do
                length++;
            while (at[length] && (isdigit((unsigned char)*at) ? is_name(at[length]) : false));
            at += length;
        }
        if (used + length >= size)
            return wrong(a, 0, err, "the line is too long");
        memcpy(out + used, piece, length);
        used += length;
    }
    out[used] = 0;
    return WT_OK;
}

static enum wt_status put_word(struct assembler *a, uint64_t word, struct sm_control control,
                               struct wt_error *err)
{
    const size_t bundle = a->instructions / 3 * 4, slot = a->instructions % 3;
    uint64_t *grown = wt_array_grow(a->word, &a->word_capacity, bundle + 4, sizeof *grown);
    if (!grown)
        return no_memory(err);
    a->word = grown;
    if (!slot)
        memset(&a->word[bundle], 0, 4 * sizeof *a->word);
    a->word[bundle] = sm_control_set(a->word[bundle], (unsigned)slot, control);
    a->word[bundle + 1 + slot] = word;
    a->instructions++;
    return WT_OK;
}

/* The address of a variable or function in an instruction. */
struct address {
    bool found;
    size_t column; /* where it is written */
    struct cubin_relocation relocation;
};

/* Takes "32@lo(NAME)" or "32@hi(NAME)" out of the line: 0 is written there. */
static enum wt_status take_address(struct assembler *a, char *line, struct address *address,
                                   struct wt_error *err)
{
    char *at = strstr(line, "32@");
    *address = (struct address){.found = at != NULL};
    if (!at)
        return WT_OK;
    const struct cubin *c = a->cubin;
    char name[SM_NAME_BYTES];
    const size_t length =
        strspn(at + 6, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.$");
    const bool low = strncmp(at + 3, "lo(", 3) == 0;
    address->column = (size_t)(at - line);
    if ((!low && strncmp(at + 3, "hi(", 3) != 0) || !length || length >= sizeof name ||
        at[6 + length] != ')')
        return wrong(a, address->column, err, "'32@lo(NAME)' or '32@hi(NAME)' is expected here");
    memcpy(name, at + 6, length);
    name[length] = 0;
    const struct cubin_variable *v = cubin_find_variable(c, name);
    const struct cubin_function *f = v ? NULL : cubin_find(c, name);
    if (!v && !f)
        return wrong(a, address->column + 6, err, "there is no variable or function of this name");
    address->relocation = (struct cubin_relocation){
        .part = CUBIN_CODE,
        .function = a->function,
        .offset = address_of(a->instructions),
        .field = low ? CUBIN_LOW_20 : CUBIN_HIGH_20,
        .to_function = f != NULL,
        .target = v ? (size_t)(v - c->variable) : (size_t)(f - c->function),
    };
    memset(at, ' ', 7 + length);
    *at = '0';
    return WT_OK;
}

static enum wt_status add_relocation(struct assembler *a, const struct address *address,
                                     enum sm_insn insn, struct wt_error *err)
{
    struct cubin *c = a->cubin;
    if (!address->found)
        return WT_OK;
    if (insn != SM_MOV32I && insn != SM_IADD32I && insn != SM_LOP32I)
        return wrong(a, address->column, err, "an address has 32 bits: MOV32I takes one");
    struct cubin_relocation *grown = wt_array_grow(c->relocation, &a->relocation_capacity,
                                                   c->relocation_count + 1, sizeof *grown);
    if (!grown)
        return no_memory(err);
    c->relocation = grown;
    c->relocation[c->relocation_count++] = address->relocation;
    return WT_OK;
}

static enum wt_status take_instruction(struct assembler *a, const char *at, struct wt_error *err)
{
    enum wt_status status;
    struct sm_control control;
    char text[2 * LINE_BYTES];
    const char *const begin = at;
    const bool given = *at == '[';
    uint64_t word = 0;
    unsigned reuse = 0;
    size_t column = 0;
    enum sm_insn insn;
    enum sm_form form;
    if (a->function == NO_FUNCTION)
        return wrong(a, 0, err, "a file begins with '.kernel NAME' or '.handler NAME'");
    if (a->instructions == MOST_INSTRUCTIONS)
        return wrong(a, 0, err, "more than 2^20 instructions");
    if (given && !sm_control_parse(&at, &control))
        return wrong(a, (size_t)(at - a->text), err,
                     "'[B01----:R0:W1:Y:S05]' is expected here: barriers, stall 0 to 15");
    at = blanks(at);
    if (a->pass == 1) {
        a->instructions++;
        return WT_OK;
    }
    struct address address;
    if ((status = take_address(a, a->text, &address, err)) != WT_OK ||
        (status = substitute(a, at, text, sizeof text, err)) != WT_OK)
        return status;
    const uint64_t pc = address_of(a->instructions);
    if (strncmp(text, ".quad", 5) == 0) {
        char *end;
        errno = 0;
        word = strtoull(text + 5, &end, 0);
        if (end == text + 5 || errno || (*blanks(end) && *blanks(end) != ';'))
            return wrong(a, (size_t)(at - a->text), err, "'.quad NUMBER' is expected here");
        if (!given)
            control = SM_CONTROL_NONE;
        return put_word(a, word, control, err);
    }
    if ((status = sm_assemble(text, pc, label_address, a, &word, &reuse, &column, err)) != WT_OK)
        return wrong(a, (size_t)(at - a->text) + column, err, err->text);
    const bool known = sm_decode(word, &insn, &form);
    assert(known);
    if (!known || !given)
        control = sm_control_safe(word, insn);
    if (word >> 52 == 0xe3a && control.stall < SM_BPT_STALL)
        return wrong(a, (size_t)(begin - a->text), err,
                     "BPT needs a stall of 5 or more: [B------:R-:W-:-:S05]");
    control.reuse |= (uint8_t)reuse;
    if ((status = add_relocation(a, &address, insn, err)) != WT_OK)
        return status;
    return put_word(a, word, control, err);
}

static enum wt_status take_statement(struct assembler *a, const char *at, struct wt_error *err)
{
    enum wt_status status;
    at = blanks(at);
    while (is_name(*at)) { /* labels */
        size_t length = 0;
        while (is_name(at[length]))
            length++;
        if (at[length] != ':')
            break;
        if (a->function == NO_FUNCTION)
            return wrong(a, 0, err, "a file begins with '.kernel NAME' or '.handler NAME'");
        if ((status = define(a, at, length, a->function, address_of(a->instructions), true, err)) !=
            WT_OK)
            return status;
        at = blanks(at + length + 1);
    }
    if (!*at)
        return WT_OK;
    if (*at == '.' && strncmp(at, ".quad", 5) != 0)
        return take_directive(a, at, err);
    return take_instruction(a, at, err);
}

/* The statements of a line: behind a semicolon there may be another one. */
static enum wt_status take_statements(struct assembler *a, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    for (char *at = a->text, *next; at && !status; at = next) {
        const size_t length = strcspn(at, ";");
        next = at[length] && *blanks(at + length + 1) ? at + length + 1 : NULL;
        const char first = next ? *next : 0;
        if (next)
            *next = 0; /* meanwhile it is no part of the line */
        status = take_statement(a, at, err);
        if (next)
            *next = first;
    }
    return status;
}

static enum wt_status read_all(struct assembler *a, const char *text, struct wt_error *err)
{
    enum wt_status status;
    bool in_comment = false;
    a->function = NO_FUNCTION;
    a->instructions = 0;
    for (a->line = 1; *text; a->line++)
        if ((status = take_line(a, &text, &in_comment, err)) != WT_OK ||
            (status = take_statements(a, err)) != WT_OK)
            return status;
    if (in_comment)
        return wrong(a, 0, err, "a comment does not end");
    if (a->function == NO_FUNCTION)
        return wrong(a, 0, err, "there is no kernel in this file");
    return end_function(a, err);
}

/* Puts the variables that have no values behind the others, as .nv.global is behind
 * .nv.global.init. */
static enum wt_status place_zeros(struct assembler *a, struct wt_error *err)
{
    enum { ALIGN = 16, DATA_ALIGN = 256, MOST = 64 << 20 };
    struct cubin *c = a->cubin;
    uint64_t end = (c->data_size + DATA_ALIGN - 1) / DATA_ALIGN * DATA_ALIGN;
    bool any = false;
    for (size_t i = 0; i < c->variable_count; i++) {
        struct cubin_variable *v = &c->variable[i];
        if (v->offset != NO_PLACE)
            continue;
        any = true;
        v->offset = end;
        end = (end + v->size + ALIGN - 1) / ALIGN * ALIGN;
        if (end > MOST)
            return wt_fail(err, WT_INVALID, "%s: variables have 64 MiB", a->name);
    }
    if (any && !extend(&c->data, &a->data_capacity, c->data_size, c->data_size, end - c->data_size))
        return no_memory(err);
    c->data_size = any ? end : c->data_size;
    return WT_OK;
}

enum wt_status sm_assemble_file(const char *name, const char *text, struct cubin *cubin,
                                struct wt_error *err)
{
    enum wt_status status;
    struct assembler a = {.name = name, .cubin = cubin, .pass = 1};
    *cubin = (struct cubin){.sm = 50};
    if ((status = read_all(&a, text, err)) == WT_OK && (status = place_zeros(&a, err)) == WT_OK) {
        a.pass = 2;
        status = read_all(&a, text, err);
    }
    free(a.symbol);
    free(a.word);
    if (status)
        cubin_free(cubin);
    return status;
}
