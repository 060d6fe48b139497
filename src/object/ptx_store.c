/*
 * A header, then the arrays of the module as they are in memory, in which the address of each name
 * is its index in the text + 1. A checksum covers all of it. See ptx_store.h.
 */
#include "object/ptx_store.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define FORMAT 3 /* count it up when the parser makes another tree of the same text */

enum { ARRAYS = 9, MOST_NAMES = 3, MOST_RECORDS = 1 << 26 };

/* The records of an array: their size, and where they have names. */
static const struct store_layout {
    uint32_t size;
    uint32_t name[MOST_NAMES];
    unsigned names;
} layouts[ARRAYS] = {
    {sizeof(struct ptx_function), {offsetof(struct ptx_function, name)}, 1},
    {sizeof(struct ptx_variable), {offsetof(struct ptx_variable, name)}, 1},
    {sizeof(uint32_t), {0}, 0},
    {sizeof(struct ptx_statement),
     {offsetof(struct ptx_statement, name), offsetof(struct ptx_statement, guard),
      offsetof(struct ptx_statement, text)},
     3},
    {sizeof(struct ptx_operand),
     {offsetof(struct ptx_operand, name), offsetof(struct ptx_operand, component)},
     2},
    {sizeof(struct ptx_initial), {offsetof(struct ptx_initial, symbol)}, 1},
    {sizeof(struct ptx_file),
     {offsetof(struct ptx_file, folder), offsetof(struct ptx_file, name)},
     2},
    {sizeof(struct ptx_section),
     {offsetof(struct ptx_section, name), offsetof(struct ptx_section, body)},
     2},
    {sizeof(struct ptx_alias),
     {offsetof(struct ptx_alias, name), offsetof(struct ptx_alias, target)},
     2},
};

struct header {
    uint64_t checksum; /* checksum of what follows it */
    uint64_t format, text_hash, text_length;
    uint64_t count[ARRAYS];
    uint64_t target_at; /* place of the name of the module's target, as of every name */
    uint32_t target_length, version, address_size, zero;
};

uint64_t ptx_store_format(void)
{
    static const char version[] = WT_VERSION;
    return XXH3_64bits_withSeed(layouts, sizeof layouts,
                                FORMAT + XXH3_64bits(version, sizeof version));
}

static uint64_t checksum_of(const uint8_t *bytes, size_t length)
{
    return XXH3_64bits(bytes + sizeof(uint64_t), length - sizeof(uint64_t));
}

/* The arrays of a module and their counts, in the order of the layouts. */
static void arrays_of(struct ptx_module *m, void **array[ARRAYS], size_t *count[ARRAYS])
{
    void **const arrays[ARRAYS] = {
        (void **)&m->function,  (void **)&m->variable, (void **)&m->global,
        (void **)&m->statement, (void **)&m->item,     (void **)&m->initial,
        (void **)&m->file,      (void **)&m->section,  (void **)&m->alias};
    size_t *const counts[ARRAYS] = {&m->function_count,  &m->variable_count, &m->global_count,
                                    &m->statement_count, &m->item_count,     &m->initial_count,
                                    &m->file_count,      &m->section_count,  &m->alias_count};
    memcpy(array, arrays, sizeof arrays);
    memcpy(count, counts, sizeof counts);
}

static uint64_t index_of(const struct ptx_name *name, const char *text)
{
    return name->at ? (uint64_t)(name->at - text) + 1 : 0;
}

/* Puts the address in the place of an index; false: it is beyond the text. */
static bool address_of(struct ptx_name *name, uint64_t index, const char *text, uint64_t length)
{
    if (index > length + 1 || (index && name->length > length + 1 - index) ||
        (!index && name->length))
        return false;
    name->at = index ? text + index - 1 : NULL;
    return true;
}

bool ptx_store(const struct ptx_module *module, uint8_t **bytes, size_t *length)
{
    struct ptx_module m = *module; /* whose arrays are only read */
    void **array[ARRAYS];
    size_t *count[ARRAYS];
    const size_t text_length = strlen(m.text);
    struct header h = {.format = ptx_store_format(),
                       .text_hash = XXH3_64bits(m.text, text_length),
                       .text_length = text_length,
                       .target_at = index_of(&m.target, m.text),
                       .target_length = m.target.length,
                       .version = m.version,
                       .address_size = m.address_size};
    arrays_of(&m, array, count);
    *length = sizeof h;
    for (unsigned i = 0; i < ARRAYS; i++) {
        h.count[i] = *count[i];
        *length += *count[i] * layouts[i].size;
    }
    uint8_t *at = *bytes = malloc(*length);
    if (!at)
        return false;
    at += sizeof h;
    for (unsigned i = 0; i < ARRAYS; i++) {
        const struct store_layout *l = &layouts[i];
        if (*count[i])
            memcpy(at, *array[i], *count[i] * l->size);
        for (size_t n = 0; n < *count[i]; n++, at += l->size)
            for (unsigned k = 0; k < l->names; k++) {
                struct ptx_name name;
                memcpy(&name, at + l->name[k], sizeof name);
                const uint64_t index = index_of(&name, m.text);
                memcpy(at + l->name[k] + offsetof(struct ptx_name, at), &index, sizeof index);
            }
    }
    memcpy(*bytes, &h, sizeof h);
    h.checksum = checksum_of(*bytes, *length);
    memcpy(*bytes, &h, sizeof h);
    return true;
}

/* Copies an array, and makes its names point into the text. */
static bool restore_array(const struct store_layout *l, const uint8_t *from, size_t count,
                          const char *text, uint64_t length, void **array)
{
    uint8_t *at = *array = malloc(count * l->size);
    if (!at)
        return false;
    memcpy(at, from, count * l->size);
    for (size_t n = 0; n < count; n++, at += l->size)
        for (unsigned k = 0; k < l->names; k++) {
            struct ptx_name *name = (struct ptx_name *)(void *)(at + l->name[k]);
            uint64_t index;
            memcpy(&index, &name->at, sizeof index);
            if (!address_of(name, index, text, length))
                return false;
        }
    return true;
}

/* Whether the bytes are of this build and text, and whole. */
static bool fits(const struct header *h, const uint8_t *bytes, size_t bytes_length,
                 const char *text, size_t length)
{
    uint64_t need = sizeof *h;
    for (unsigned i = 0; i < ARRAYS; i++) {
        if (h->count[i] > MOST_RECORDS)
            return false;
        need += h->count[i] * layouts[i].size;
    }
    return h->format == ptx_store_format() && h->text_length == length && need == bytes_length &&
           h->text_hash == XXH3_64bits(text, length) &&
           h->checksum == checksum_of(bytes, bytes_length);
}

bool ptx_restore(const uint8_t *bytes, size_t bytes_length, const char *text, size_t length,
                 struct ptx_module *module)
{
    struct header h;
    void **array[ARRAYS];
    size_t *count[ARRAYS];
    *module = (struct ptx_module){0};
    if (bytes_length < sizeof h)
        return false;
    memcpy(&h, bytes, sizeof h);
    if (!fits(&h, bytes, bytes_length, text, length) || !(module->text = malloc(length + 1)))
        return false;
    memcpy(module->text, text, length);
    module->text[length] = 0;
    module->version = h.version;
    module->address_size = h.address_size;
    module->target.length = h.target_length;
    arrays_of(module, array, count);
    bool good = address_of(&module->target, h.target_at, module->text, length);
    bytes += sizeof h;
    for (unsigned i = 0; good && i < ARRAYS; i++) {
        *count[i] = module->room[i] = (size_t)h.count[i];
        if (*count[i])
            good = restore_array(&layouts[i], bytes, *count[i], module->text, length, array[i]);
        bytes += *count[i] * layouts[i].size;
    }
    if (!good)
        ptx_free(module);
    return good;
}
