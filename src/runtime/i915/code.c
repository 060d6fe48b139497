/* The program's kernels. See code.h. */
#include "runtime/i915/code.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "object/gen_word.h"
#include "runtime/i915/kernels.h"

/* Code that the runtime has compiled. */
struct built {
    char *name;
    uint8_t *code, *elf;
    size_t size, elf_size;
    bool taken; /* the newest of several that are alike is found first, until it has an address */
};

/* A kernel in a GPU's memory. */
struct loaded {
    uint32_t device;
    uint64_t number, address;
    uint8_t *code; /* as it was without breakpoints */
    size_t size;
    const struct built *built; /* NULL: the runtime has told nothing */
};

struct i915_text {
    char *bytes;
    size_t size;
};

/* One in a process, as there is one runtime. */
static struct {
    pthread_mutex_t lock;
    struct built **built;
    struct loaded *loaded;
    struct i915_text *text;
    size_t built_count, built_capacity, loaded_count, loaded_capacity, text_count, text_capacity;
    uint64_t last; /* number that was given to a kernel */
} known_code = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *copy_of(const void *bytes, size_t size)
{
    void *copy = malloc(size ? size : 1);
    if (copy && size)
        memcpy(copy, bytes, size);
    return copy;
}

/* ---- what the runtime tells ---- */

void drm_code_built(const char *name, const void *code, size_t size, const void *elf,
                    size_t elf_size)
{
    struct built *b = calloc(1, sizeof *b);
    pthread_mutex_lock(&known_code.lock);
    struct built **grown = wt_array_grow(known_code.built, &known_code.built_capacity,
                                         known_code.built_count + 1, sizeof(struct built *));
    if (grown)
        known_code.built = grown;
    if (b)
        *b = (struct built){.name = strdup(name),
                            .code = copy_of(code, size),
                            .elf = copy_of(elf, elf_size),
                            .size = size,
                            .elf_size = elf_size};
    if (b && grown && b->name && b->code && b->elf) {
        grown[known_code.built_count++] = b;
    } else if (b) {
        free(b->name);
        free(b->code);
        free(b->elf);
        free(b);
    }
    pthread_mutex_unlock(&known_code.lock);
}

bool drm_code_source(const char *text, size_t size, char *name, size_t room)
{
    size = strnlen(text, size); /* the runtime counts a zero at the end */
    pthread_mutex_lock(&known_code.lock);
    struct i915_text *grown = wt_array_grow(known_code.text, &known_code.text_capacity,
                                            known_code.text_count + 1, sizeof *grown);
    char *copy = grown ? copy_of(text, size) : NULL;
    if (grown)
        known_code.text = grown;
    if (copy) {
        grown[known_code.text_count++] = (struct i915_text){copy, size};
        snprintf(name, room, GEN_WIRE_SOURCE_PATH, (unsigned)known_code.text_count);
    }
    pthread_mutex_unlock(&known_code.lock);
    return copy != NULL;
}

/* ---- what runs ---- */

/* DebugCtrl is bit 30 of a native instruction and bit 7 of a compact one. */
enum { NATIVE_DEBUG = 1 << 30, COMPACT_DEBUG = 1 << 7, OPCODE = 0x7f, OPCODE_MOV = 1 };
#define OTHER_CODE SIZE_MAX

/* The dwords of an instruction that has a place for a relocated address, a move of a constant:
 * Src0.RegFile is bits 42:41. */
static bool moves_constant(const struct gen_word *w)
{
    return (w->low & OPCODE) == OPCODE_MOV && gen_field(w, 42, 41) == 3;
}

/* How many constants differ, which are addresses that the runtime has put in; breakpoints do not
 * count. OTHER_CODE: the instructions are others. */
static size_t addresses_apart(const uint8_t *a, const uint8_t *b, size_t size)
{
    size_t apart = 0;
    for (size_t i = 0; i + 8 <= size; i += 8) {
        const struct gen_word w = {.low = wt_load_le(a + i, 8)};
        const bool compact = gen_is_compact(&w);
        if ((w.low ^ wt_load_le(b + i, 8)) & ~(uint64_t)(compact ? COMPACT_DEBUG : NATIVE_DEBUG))
            return OTHER_CODE;
        if (compact || i + 16 > size)
            continue;
        i += 8;
        if (wt_load_le(a + i, 8) != wt_load_le(b + i, 8)) {
            if (!moves_constant(&w))
                return OTHER_CODE;
            apart++;
        }
    }
    return apart;
}

/* The one with the fewest addresses put in. Of several equal ones, the first that has no address
 * yet; else the newest. */
static struct built *find_built(const uint8_t *code, size_t room)
{
    struct built *found = NULL;
    size_t least = OTHER_CODE;
    for (size_t i = known_code.built_count; i-- > 0;) {
        struct built *b = known_code.built[i];
        const size_t apart = b->size && b->size <= room
                                 ? addresses_apart(code, b->code, b->size & ~(size_t)7)
                                 : OTHER_CODE;
        if (apart < least || (found && apart == least && found->taken && !b->taken)) {
            found = b;
            least = apart;
        }
    }
    return found;
}

/* The length of a kernel that nothing is known of: up to the padding behind its end, of opcode 0
 * (illegal). */
static size_t length_of(const uint8_t *code, size_t room)
{
    size_t size = 0;
    while (size + 16 <= room && (wt_load_le(code + size, 8) || wt_load_le(code + size + 8, 8)))
        size += 16;
    return size;
}

static struct loaded *find_loaded(uint32_t device, uint64_t address)
{
    size_t i = 0;
    while (i < known_code.loaded_count &&
           (known_code.loaded[i].device != device || known_code.loaded[i].address != address))
        i++;
    return i < known_code.loaded_count ? &known_code.loaded[i] : NULL;
}

static void unload(struct loaded *l)
{
    free(l->code);
    *l = known_code.loaded[--known_code.loaded_count];
}

/* The runtime has given the memory of released kernels to this one. */
static void unload_overlapping(uint32_t device, uint64_t address, size_t size)
{
    for (size_t i = known_code.loaded_count; i-- > 0;)
        if (known_code.loaded[i].device == device &&
            known_code.loaded[i].address < address + size &&
            address < known_code.loaded[i].address + known_code.loaded[i].size)
            unload(&known_code.loaded[i]);
}

/* The compiler's own breakpoint is a move of a number to nowhere. */
static void remove_marker(const struct loaded *l, uint8_t *code)
{
    enum { COMPACT = 1 << 29 };
    const uint32_t was = l->size >= 16 ? (uint32_t)wt_load_le(l->code, 4) : 0;
    if (l->built && (was & (NATIVE_DEBUG | COMPACT | OPCODE)) == (NATIVE_DEBUG | OPCODE_MOV)) {
        wt_store_le(code, was & ~(uint32_t)NATIVE_DEBUG, 4);
        wt_store_le(l->code, was & ~(uint32_t)NATIVE_DEBUG, 4);
    }
}

static void load(uint32_t device, uint64_t address, uint8_t *code, size_t room)
{
    struct built *built = find_built(code, room);
    const size_t size = built ? built->size : length_of(code, room);
    struct loaded *grown = wt_array_grow(known_code.loaded, &known_code.loaded_capacity,
                                         known_code.loaded_count + 1, sizeof *grown);
    uint8_t *copy = grown ? copy_of(code, size) : NULL;
    if (grown)
        known_code.loaded = grown;
    if (!copy)
        return;
    if (built)
        built->taken = true;
    struct loaded *l = &known_code.loaded[known_code.loaded_count++];
    *l = (struct loaded){.device = device,
                         .number = ++known_code.last,
                         .address = address,
                         .code = copy,
                         .size = size,
                         .built = built};
    remove_marker(l, code);
}

void drm_code_runs(uint32_t device, uint64_t address, uint8_t *code, size_t room)
{
    if (!room)
        return;
    pthread_mutex_lock(&known_code.lock);
    const struct loaded *there = find_loaded(device, address);
    const struct built *built = find_built(code, room);
    /* A kernel that was recompiled to identical code at the same address is the same entry. */
    if (!there || there->size > room || (built && !built->taken) ||
        addresses_apart(there->code, code, there->size & ~(size_t)7) != 0) {
        unload_overlapping(device, address, built ? built->size : length_of(code, room));
        load(device, address, code, room);
    }
    pthread_mutex_unlock(&known_code.lock);
}

/* ---- what debuggers ask ---- */

uint64_t drm_code_state(void)
{
    pthread_mutex_lock(&known_code.lock);
    const uint64_t state = known_code.last;
    pthread_mutex_unlock(&known_code.lock);
    return state;
}

uint32_t drm_code_list(struct gen_wire_kernel *list, uint32_t room)
{
    uint32_t count = 0;
    pthread_mutex_lock(&known_code.lock);
    for (size_t i = 0; i < known_code.loaded_count && count < room; i++) {
        const struct loaded *l = &known_code.loaded[i];
        struct gen_wire_kernel *k = &list[count++];
        *k = (struct gen_wire_kernel){.device = l->device,
                                      .number = l->number,
                                      .address = l->address,
                                      .code_size = l->size,
                                      .elf_size = l->built ? l->built->elf_size : 0};
        if (l->built)
            snprintf(k->name, sizeof k->name, "%s", l->built->name);
        else
            wt_drm_kernel_name(l->address, k->name, sizeof k->name);
    }
    pthread_mutex_unlock(&known_code.lock);
    return count;
}

bool drm_code_has(uint32_t device, uint64_t address)
{
    bool has = false;
    pthread_mutex_lock(&known_code.lock);
    for (size_t i = 0; i < known_code.loaded_count; i++)
        has |= known_code.loaded[i].device == device &&
               address - known_code.loaded[i].address < known_code.loaded[i].size;
    pthread_mutex_unlock(&known_code.lock);
    return has;
}

static uint32_t copy_part(const void *from, size_t length, uint64_t offset, void *out,
                          uint32_t size)
{
    if (offset >= length)
        return 0;
    if (size > length - offset)
        size = (uint32_t)(length - offset);
    memcpy(out, (const uint8_t *)from + offset, size);
    return size;
}

uint32_t drm_code_elf(uint64_t number, uint64_t offset, void *out, uint32_t size)
{
    uint32_t copied = 0;
    pthread_mutex_lock(&known_code.lock);
    for (size_t i = 0; i < known_code.loaded_count; i++) {
        const struct built *b = known_code.loaded[i].built;
        if (known_code.loaded[i].number == number && b)
            copied = copy_part(b->elf, b->elf_size, offset, out, size);
    }
    pthread_mutex_unlock(&known_code.lock);
    return copied;
}

int32_t drm_code_text(uint64_t number, uint64_t offset, void *out, uint32_t size)
{
    int32_t copied = -1;
    pthread_mutex_lock(&known_code.lock);
    if (number && number <= known_code.text_count) {
        const struct i915_text *t = &known_code.text[number - 1];
        copied = (int32_t)copy_part(t->bytes, t->size, offset, out, size);
    }
    pthread_mutex_unlock(&known_code.lock);
    return copied;
}
