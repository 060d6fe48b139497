/* The list of modules, and queries on it. See modules.h. */
#include "debug/source/modules.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "debug/source/symbols.h"

struct observer {
    wt_module_fn told;
    void *context;
};

/* A source file name that is not a real file. */
struct text {
    char *path, *bytes;
    size_t length;
};

struct wt_modules {
    struct text *text;
    size_t text_count, text_capacity;
    struct wt_module *module;
    size_t module_count, module_capacity;
    struct observer *observer;
    size_t observer_count, observer_capacity;
    wt_module_id last;                /* the id given most recently */
    bool telling;                     /* observers are being called */
    unsigned bundle;                  /* bytes; 0: code is in none */
    unsigned head;                    /* of these, the first ones are no instruction */
    const struct wt_loading *loading; /* NULL: nobody waits for debug information */
    const struct wt_foreign *foreign; /* NULL: the user has added none */
};

struct wt_modules *wt_modules_new(void)
{
    return calloc(1, sizeof(struct wt_modules));
}

void wt_modules_set_bundles(struct wt_modules *modules, unsigned bundle, unsigned head)
{
    assert(bundle && !(bundle & (bundle - 1)) && head < bundle);
    modules->bundle = bundle;
    modules->head = head;
}

uint64_t wt_modules_first_instruction(const struct wt_modules *modules, uint64_t addr)
{
    return modules->bundle && addr % modules->bundle == 0 ? addr + modules->head : addr;
}

void wt_modules_set_loading(struct wt_modules *modules, const struct wt_loading *loading)
{
    modules->loading = loading;
    for (size_t i = 0; i < modules->module_count; i++)
        wt_symbols_set_loading(modules->module[i].symbols, loading);
}

static void release(struct wt_module *m)
{
    wt_symbols_close(m->symbols);
    free((char *)m->name);
}

void wt_modules_free(struct wt_modules *modules)
{
    if (!modules)
        return;
    for (size_t i = 0; i < modules->module_count; i++)
        release(&modules->module[i]);
    for (size_t i = 0; i < modules->text_count; i++) {
        free(modules->text[i].path);
        free(modules->text[i].bytes);
    }
    free(modules->text);
    free(modules->module);
    free(modules->observer);
    free(modules);
}

static void tell(struct wt_modules *modules, enum wt_module_change change,
                 const struct wt_module *module)
{
    assert(!modules->telling);
    modules->telling = true;
    for (size_t i = 0; i < modules->observer_count; i++)
        modules->observer[i].told(modules->observer[i].context, change, module);
    modules->telling = false;
}

/* Takes over `symbols`, also when it fails. */
static enum wt_status add(struct wt_modules *modules, const char *name, struct wt_symbols *symbols,
                          uint64_t bias, unsigned device, wt_module_id *id, struct wt_error *err)
{
    assert(!modules->telling);
    char *own = strdup(name);
    struct wt_module *grown = wt_array_grow(modules->module, &modules->module_capacity,
                                            modules->module_count + 1, sizeof *modules->module);
    if (grown)
        modules->module = grown;
    if (!own || !grown) {
        wt_symbols_close(symbols);
        free(own);
        return wt_fail(err, WT_NO_MEMORY, "%s: no host memory for one more module", name);
    }
    struct wt_module *m = &modules->module[modules->module_count++];
    *m = (struct wt_module){
        .id = ++modules->last, .name = own, .device = device, .bias = bias, .symbols = symbols};
    wt_symbols_set_loading(symbols, modules->loading);
    wt_symbols_range(symbols, &m->start, &m->end);
    m->start += bias;
    m->end += bias;
    if (id)
        *id = m->id;
    tell(modules, WT_MODULE_ADDED, m);
    return WT_OK;
}

enum wt_status wt_modules_add_file(struct wt_modules *modules, const char *path, uint64_t bias,
                                   unsigned device, wt_module_id *id, struct wt_error *err)
{
    struct wt_symbols *symbols;
    const enum wt_status status = wt_symbols_open(path, &symbols, err);
    return status ? status : add(modules, path, symbols, bias, device, id, err);
}

enum wt_status wt_modules_add_bytes(struct wt_modules *modules, const char *name,
                                    const uint8_t *bytes, size_t length, uint64_t bias,
                                    unsigned device, wt_module_id *id, struct wt_error *err)
{
    struct wt_symbols *symbols;
    const enum wt_status status = wt_symbols_open_bytes(name, bytes, length, &symbols, err);
    return status ? status : add(modules, name, symbols, bias, device, id, err);
}

static struct text *find_text(const struct wt_modules *modules, const char *path)
{
    for (size_t i = 0; i < modules->text_count; i++)
        if (strcmp(modules->text[i].path, path) == 0)
            return &modules->text[i];
    return NULL;
}

enum wt_status wt_modules_add_text(struct wt_modules *modules, const char *path, const char *text,
                                   size_t length, struct wt_error *err)
{
    struct text *there = find_text(modules, path), *grown = modules->text;
    char *own = there ? there->path : strdup(path), *bytes = malloc(length + 1);
    if (!there)
        grown =
            wt_array_grow(grown, &modules->text_capacity, modules->text_count + 1, sizeof *grown);
    if (grown)
        modules->text = grown;
    if (!own || !bytes || !grown) {
        if (!there)
            free(own);
        free(bytes);
        return wt_fail(err, WT_NO_MEMORY, "%s: no host memory for its text", path);
    }
    memcpy(bytes, text, length);
    if (!there)
        there = &grown[modules->text_count++];
    else
        free(there->bytes);
    *there = (struct text){.path = own, .bytes = bytes, .length = length};
    return WT_OK;
}

const char *wt_modules_text(const struct wt_modules *modules, const char *path, size_t *length)
{
    const struct text *there = find_text(modules, path);
    *length = there ? there->length : 0;
    return there ? there->bytes : NULL;
}

/* Blanks and empty lines at the end do not count: not everybody passes them on. */
static size_t without_end(const char *bytes, size_t length)
{
    while (length && strchr(" \t\r\n", bytes[length - 1]))
        length--;
    return length;
}

bool wt_modules_text_holds(const struct wt_modules *modules, size_t n, const char *file,
                           const char **path, unsigned *lines, bool *more)
{
    uint8_t *bytes;
    size_t length;
    bool found = false;
    *more = n < modules->text_count;
    *lines = 0;
    if (!*more || wt_file_read(file, &bytes, &length, WT_IGNORED) != WT_OK)
        return false;
    const struct text *t = &modules->text[n];
    const size_t wanted = without_end((const char *)bytes, length);
    for (size_t at = 0; wanted && !found && at <= t->length && wanted <= t->length - at;) {
        found = memcmp(t->bytes + at, bytes, wanted) == 0;
        const char *end = found ? NULL : memchr(t->bytes + at, '\n', t->length - at);
        if (!end)
            break;
        at = (size_t)(end - t->bytes) + 1;
        ++*lines;
    }
    free(bytes);
    *path = t->path;
    return found;
}

bool wt_modules_remove(struct wt_modules *modules, wt_module_id id)
{
    assert(!modules->telling);
    for (size_t i = 0; i < modules->module_count; i++) {
        struct wt_module gone = modules->module[i];
        if (gone.id != id)
            continue;
        modules->module_count--;
        memmove(&modules->module[i], &modules->module[i + 1],
                (modules->module_count - i) * sizeof *modules->module);
        /* The module is removed first, so that the observers find only the modules that remain. */
        tell(modules, WT_MODULE_REMOVED, &gone);
        release(&gone);
        return true;
    }
    return false;
}

const struct wt_module *wt_modules_list(const struct wt_modules *modules, size_t *count)
{
    *count = modules->module_count;
    return modules->module;
}

enum wt_status wt_modules_observe(struct wt_modules *modules, wt_module_fn told, void *context,
                                  struct wt_error *err)
{
    assert(!modules->telling);
    struct observer *grown = wt_array_grow(modules->observer, &modules->observer_capacity,
                                           modules->observer_count + 1, sizeof *modules->observer);
    if (!grown)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for an observer of modules");
    modules->observer = grown;
    modules->observer[modules->observer_count++] = (struct observer){told, context};
    return WT_OK;
}

void wt_modules_ignore(struct wt_modules *modules, wt_module_fn told, void *context)
{
    assert(!modules->telling);
    size_t kept = 0;
    for (size_t i = 0; i < modules->observer_count; i++)
        if (modules->observer[i].told != told || modules->observer[i].context != context)
            modules->observer[kept++] = modules->observer[i];
    modules->observer_count = kept;
}

const struct wt_module *wt_modules_at(const struct wt_modules *modules, unsigned device,
                                      uint64_t addr)
{
    for (size_t i = modules ? modules->module_count : 0; i-- > 0;) {
        const struct wt_module *m = &modules->module[i];
        if (m->device == device && addr >= m->start && addr < m->end)
            return m;
    }
    return NULL;
}

bool wt_modules_function(const struct wt_modules *modules, unsigned device, uint64_t addr,
                         const char **name, uint64_t *offset)
{
    const struct wt_module *m = wt_modules_at(modules, device, addr);
    return m && wt_symbols_function(m->symbols, addr - m->bias, name, offset);
}

const uint8_t *wt_modules_image(const struct wt_modules *modules, uint64_t addr,
                                const struct wt_module **module, const char **function,
                                size_t *length)
{
    const struct wt_module *m = *module = wt_modules_at(modules, 0, addr);
    uint64_t offset;
    return m && wt_symbols_function(m->symbols, addr - m->bias, function, &offset)
               ? wt_symbols_image(m->symbols, length)
               : NULL;
}

bool wt_modules_line(const struct wt_modules *modules, unsigned device, uint64_t addr,
                     const char **file, unsigned *line)
{
    const struct wt_module *m = wt_modules_at(modules, device, addr);
    return m && wt_symbols_line(m->symbols, addr - m->bias, file, line);
}

const struct wt_foreign *wt_modules_foreign(const struct wt_modules *modules)
{
    return modules ? modules->foreign : NULL;
}

void wt_modules_set_foreign(struct wt_modules *modules, const struct wt_foreign *foreign)
{
    modules->foreign = foreign;
}

bool wt_modules_address(const struct wt_modules *modules, unsigned device, const char *name,
                        uint64_t *addr)
{
    for (size_t i = 0; modules && i < modules->module_count; i++) {
        const struct wt_module *m = &modules->module[i];
        if (m->device == device && wt_symbols_address(m->symbols, name, addr)) {
            *addr += m->bias;
            return true;
        }
    }
    return false;
}
