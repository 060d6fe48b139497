/* Names of kernels. See kernels.h. */
#include "runtime/i915/kernels.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/called_place.h"
#include "object/elf_header.h"
#include "object/gen_steps.h"
#include "object/line_table.h"
#include "object/patchtokens.h"
#include "runtime/symbols/symbols.h"

struct named {
    uint64_t address;
    const void *owner; /* its module, with which it goes; NULL: unknown */
    char *name;
    uint8_t *elf; /* with DWARF; NULL: none */
    size_t elf_size;
    uint8_t *constants; /* its program's; NULL: none */
    size_t constants_size;
    bool knows_private, fixed_group; /* by its program's binary */
    uint16_t private_at;             /* gen_kernel_private() */
    uint32_t private_bytes;
    bool knows_steps;
    struct gen_steps *steps; /* NULL: none */
    uint32_t local[8]; /* bytes of shared local memory that launches have asked for, at most, by the
                          power of two that the hardware gives */
};

/* A process has one address space of the GPU in which the runtimes tell addresses:
 * drm_has_one_gpu().
 */
static struct named *kernel;
static size_t kernel_count, kernel_capacity;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct named *find(uint64_t address)
{
    size_t i = 0;
    while (i < kernel_count && kernel[i].address != address)
        i++;
    return i < kernel_count ? &kernel[i] : NULL;
}

static struct named *add(uint64_t address)
{
    struct named *grown = wt_array_grow(kernel, &kernel_capacity, kernel_count + 1, sizeof *grown);
    if (!grown)
        return NULL;
    kernel = grown;
    kernel[kernel_count] = (struct named){.address = address};
    return &kernel[kernel_count++];
}

void wt_drm_kernel_is(uint64_t address, const char *name, const void *owner)
{
    pthread_mutex_lock(&lock);
    struct named *k = find(address);
    if (!k)
        k = add(address);
    if (k && (!k->name || strcmp(k->name, name) != 0)) {
        free(k->name);
        k->name = strdup(name);
        memset(k->local, 0, sizeof k->local);
        k->knows_private = k->knows_steps = false;
    }
    if (k)
        k->owner = owner;
    pthread_mutex_unlock(&lock);
}

/* The hardware gives a power of two, from 1 KiB to 64 KiB. */
static unsigned local_code(uint32_t bytes)
{
    unsigned code = 0;
    while (code < 7 && bytes > UINT32_C(1024) << code)
        code++;
    return code;
}

void wt_drm_kernel_local(uint64_t address, uint32_t bytes)
{
    pthread_mutex_lock(&lock);
    struct named *k = find(address);
    uint32_t *most = k ? &k->local[local_code(bytes)] : NULL;
    if (k && bytes > *most)
        *most = bytes;
    pthread_mutex_unlock(&lock);
}

uint32_t wt_drm_kernel_local_asked(uint64_t address, uint32_t given)
{
    pthread_mutex_lock(&lock);
    const struct named *k = find(address);
    const uint32_t bytes = k ? k->local[local_code(given)] : 0;
    pthread_mutex_unlock(&lock);
    return bytes;
}

void wt_drm_kernels_forget(const void *owner)
{
    pthread_mutex_lock(&lock);
    for (size_t i = kernel_count; owner && i-- > 0;) {
        if (kernel[i].owner != owner)
            continue;
        free(kernel[i].name);
        free(kernel[i].elf);
        free(kernel[i].constants);
        gen_steps_free(kernel[i].steps);
        kernel[i] = kernel[--kernel_count];
    }
    pthread_mutex_unlock(&lock);
}

/*
 * A kernel's ELF file in the runtime's debug data (measured on Debian's runtime): seven dwords, the
 * last of which counts kernels; then of each kernel the sizes of its name, of its ELF file and of
 * other data, and these.
 */
static const uint8_t *find_elf(const char *name, const uint8_t *data, size_t size, size_t *length)
{
    enum { HEADER = 28, COUNT = 24, ENTRY = 12, MAGIC = 0x494e5443 };
    size_t at = HEADER;
    if (size < HEADER || wt_load_le(data, 4) != MAGIC)
        return NULL;
    for (uint64_t left = wt_load_le(data + COUNT, 4); left && size - at >= ENTRY; left--) {
        const uint64_t names = wt_load_le(data + at, 4), elf = wt_load_le(data + at + 4, 4);
        const uint64_t all = names + elf + wt_load_le(data + at + 8, 4);
        at += ENTRY;
        if (all > size - at)
            return NULL;
        *length = (size_t)elf;
        if (names > strlen(name) && memcmp(data + at, name, strlen(name) + 1) == 0)
            return data + at + names;
        at += (size_t)all;
    }
    return NULL;
}

bool wt_drm_kernel_debug(uint64_t address, const char *name, const uint8_t *data, size_t size)
{
    size_t length = 0;
    const uint8_t *elf = find_elf(name, data, size, &length);
    pthread_mutex_lock(&lock);
    struct named *k = find(address);
    const bool is_new =
        k && !(elf && k->elf && k->elf_size == length && memcmp(k->elf, elf, length) == 0);
    if (is_new) {
        free(k->elf);
        k->elf = elf ? malloc(length ? length : 1) : NULL;
        k->elf_size = length;
        if (k->elf)
            memcpy(k->elf, elf, length);
    }
    pthread_mutex_unlock(&lock);
    return is_new && elf;
}

/* The type of the section of a binary, an ELF file, that has what the device gets. */
#define DEVICE_BINARY 0xff000005u

/*
 * Finds the bytes of constant memory in a device binary, whose form was measured on Debian's
 * runtime. The binary begins with seven dwords; the last one is the size of all tokens in bytes. A
 * token begins with its number and its size. The token of constant memory has 16 bytes; its last
 * dword is the size of the constants, which follow it.
 */
static const uint8_t *constants_in(const uint8_t *data, size_t size, size_t *length)
{
    enum { HEADER = 28, TOKENS = 24, MAGIC = 0x494e5443, CONSTANTS = 42, TOKEN = 16, COUNT = 12 };
    if (size < HEADER || wt_load_le(data, 4) != MAGIC)
        return NULL;
    const uint64_t tokens = wt_load_le(data + TOKENS, 4),
                   end = tokens < size - HEADER ? HEADER + tokens : size;
    for (uint64_t at = HEADER; end - at >= TOKEN;) {
        const uint64_t bytes = wt_load_le(data + at + 4, 4);
        if (bytes < 8 || bytes > end - at)
            return NULL;
        *length = (size_t)wt_load_le(data + at + COUNT, 4);
        if (wt_load_le(data + at, 4) == CONSTANTS && bytes == TOKEN)
            return *length && *length <= end - at - TOKEN ? data + at + TOKEN : NULL;
        at += bytes;
    }
    return NULL;
}

void wt_drm_kernel_constants(uint64_t address, const uint8_t *binary, size_t size)
{
    size_t all = 0, length = 0;
    const uint8_t *device = wt_elf_section(binary, size, DEVICE_BINARY, &all),
                  *constants = device ? constants_in(device, all, &length) : NULL;
    pthread_mutex_lock(&lock);
    struct named *k = find(address);
    if (k) {
        free(k->constants);
        k->constants = constants ? malloc(length) : NULL;
        k->constants_size = length;
        if (k->constants)
            memcpy(k->constants, constants, length);
    }
    pthread_mutex_unlock(&lock);
}

bool wt_drm_kernel_knows_private(uint64_t address)
{
    pthread_mutex_lock(&lock);
    const struct named *k = find(address);
    const bool known = !k || k->knows_private;
    pthread_mutex_unlock(&lock);
    return known;
}

void wt_drm_kernel_program(uint64_t address, const char *name, const uint8_t *binary, size_t size)
{
    struct gen_object object = {0};
    struct wt_error err;
    uint16_t at = 0;
    uint32_t bytes = 0;
    bool fixed = false;
    size_t length = 0;
    const uint8_t *device = wt_elf_section(binary, size, DEVICE_BINARY, &length);
    const enum wt_status status = device
                                      ? gen_patchtokens_parse(name, device, length, &object, &err)
                                      : gen_object_parse(name, binary, size, &object, &err);
    const struct gen_kernel *parsed = status == WT_OK ? gen_object_kernel(&object, name) : NULL;
    if (parsed) {
        gen_kernel_private(parsed, &at, &bytes);
        fixed = parsed->fixed_group;
    }
    gen_object_free(&object);
    pthread_mutex_lock(&lock);
    struct named *k = find(address);
    if (k) {
        k->knows_private = true;
        k->fixed_group = fixed;
        k->private_at = at;
        k->private_bytes = bytes;
    }
    pthread_mutex_unlock(&lock);
    const uint8_t *module = wt_elf_section(binary, size, GEN_STEPS_SECTION, &length);
    wt_drm_kernel_module(address, name, module, module ? length : 0);
}

void wt_drm_kernel_module(uint64_t address, const char *name, const uint8_t *module, size_t size)
{
    pthread_mutex_lock(&lock);
    struct named *k = find(address);
    if (k) {
        gen_steps_free(k->steps);
        k->steps = gen_steps_make(module, size, name, k->elf, k->elf_size);
        k->knows_steps = true;
    }
    pthread_mutex_unlock(&lock);
}

struct gen_steps *wt_drm_kernel_steps(uint64_t address)
{
    pthread_mutex_lock(&lock);
    const struct named *k = find(address);
    struct gen_steps *copy =
        k && k->knows_steps ? gen_steps_copy(k->steps) : gen_steps_make(NULL, 0, "", NULL, 0);
    pthread_mutex_unlock(&lock);
    return copy;
}

bool wt_drm_kernel_has_fixed_group(uint64_t address)
{
    pthread_mutex_lock(&lock);
    const struct named *k = find(address);
    const bool fixed = k && k->knows_private && k->fixed_group;
    pthread_mutex_unlock(&lock);
    return fixed;
}

uint32_t wt_drm_kernel_private(uint64_t address, uint16_t *at)
{
    pthread_mutex_lock(&lock);
    const struct named *k = find(address);
    const uint32_t bytes = k && k->knows_private ? k->private_bytes : 0;
    *at = bytes ? k->private_at : 0;
    pthread_mutex_unlock(&lock);
    return bytes;
}

uint8_t *wt_drm_kernel_constants_copy(uint64_t address, size_t *length)
{
    uint8_t *copy = NULL;
    pthread_mutex_lock(&lock);
    const struct named *k = find(address);
    if (k && k->constants && (copy = malloc(k->constants_size))) {
        *length = k->constants_size;
        memcpy(copy, k->constants, k->constants_size);
    }
    pthread_mutex_unlock(&lock);
    return copy;
}

uint8_t *wt_drm_kernel_elf(uint64_t address, size_t *length)
{
    uint8_t *copy = NULL;
    pthread_mutex_lock(&lock);
    const struct named *k = find(address);
    if (k && k->elf && k->elf_size && (copy = malloc(k->elf_size))) {
        *length = k->elf_size;
        memcpy(copy, k->elf, k->elf_size);
    }
    pthread_mutex_unlock(&lock);
    return copy;
}

void wt_drm_kernel_line(uint64_t start, uint64_t pc, char *text, size_t size)
{
    struct line_place place;
    pthread_mutex_lock(&lock);
    const struct named *k = find(start);
    if (!k)
        snprintf(text, size, "no source line is known: the runtime does not report this kernel");
    else if (!k->elf)
        snprintf(text, size, "no source line is known: the program was not built with -g%s",
                 getenv("cl_cache_dir") ? ", or comes from cl_cache_dir, which keeps none" : "");
    else if (!line_table_find(k->elf, k->elf_size, pc - start, &place))
        snprintf(text, size, "the compiler gives no source line for this instruction");
    else if (strchr(place.file, '.'))
        snprintf(text, size, "line %u of %s", place.line, place.file);
    else /* a source text has no file, but the number by which the debugger names it */
        snprintf(text, size, "line %u of program-%s.cl", place.line, place.file);
    pthread_mutex_unlock(&lock);
}

/* False: it is not known. */
static bool name_of(uint64_t address, char *text, size_t size)
{
    pthread_mutex_lock(&lock);
    const struct named *k = find(address);
    const bool known = k && k->name;
    if (known)
        snprintf(text, size, "%s", k->name);
    pthread_mutex_unlock(&lock);
    return known;
}

bool wt_drm_kernel_has_name(uint64_t start)
{
    pthread_mutex_lock(&lock);
    const bool known = find(start);
    pthread_mutex_unlock(&lock);
    return known;
}

/* With the lines that debug information gives; false: there is none. */
static bool describe_by_lines(uint64_t start, const struct wt_called_place *place, char *text,
                              size_t size)
{
    size_t length;
    uint8_t *elf = wt_drm_kernel_elf(start, &length);
    struct wt_modules *modules = elf && symbols_of() ? symbols_of()->list() : NULL;
    const bool knows = modules &&
                       symbols_of()->add_bytes(modules, "kernel", elf, length, start, 0, NULL,
                                               WT_IGNORED) == WT_OK &&
                       symbols_of()->describe(modules, place, text, size);
    if (modules)
        symbols_of()->free(modules);
    free(elf);
    return knows;
}

void wt_drm_kernel_describe(uint64_t start, const struct wt_called_place *place, char *text,
                            size_t size)
{
    char name[200];
    if (describe_by_lines(start, place, text, size))
        return;
    if (name_of(start, name, sizeof name))
        snprintf(text, size, "0x%" PRIx64 " <%s+%" PRIu64 ">", place->pc, name, place->pc - start);
    else
        snprintf(text, size, "0x%" PRIx64, place->pc);
}

void wt_drm_kernel_name(uint64_t start, char *text, size_t size)
{
    if (!name_of(start, text, size))
        snprintf(text, size, "the kernel at 0x%" PRIx64, start);
}
