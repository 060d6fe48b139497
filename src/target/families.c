/* The choice of a family of GPUs. See family.h; registry.c has the list of all. */
#include "emulator/machine/config.h"
#include "target/family.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const struct wt_family *wt_family_of_machine(unsigned elf_machine)
{
    for (const struct wt_family *const *f = wt_families; *f; f++)
        if ((*f)->files.elf_machine == elf_machine)
            return *f;
    return NULL;
}

const struct wt_family *wt_family_of_file(const char *path)
{
    for (const struct wt_family *const *f = wt_families; *f; f++)
        if ((*f)->files.takes && (*f)->files.takes(path))
            return *f;
    return NULL;
}

const struct wt_family *wt_family_of_contained(const char *path)
{
    for (const struct wt_family *const *f = wt_families; *f; f++)
        if ((*f)->files.contained && (*f)->files.contained(path))
            return *f;
    return NULL;
}

const struct wt_hw_table *wt_family_registers(const struct wt_family *family, const void *config)
{
    return config && family->debug.registers_of ? family->debug.registers_of(config)
                                                : family->debug.registers;
}

const struct wt_family *wt_family_of_registers(void)
{
    const struct wt_family *const *f = wt_families;
    while (!(*f)->debug.registers_elsewhere)
        f++;
    return *f;
}

/* Most Vortex programs are files of their own. */
const struct wt_family *wt_family_of_host_programs(void)
{
    const struct wt_family *const *f = wt_families;
    while (!(*f)->debug.process || (*f)->debug.registers_elsewhere)
        f++;
    return *f;
}

/* A model that is looked for by its name. */
struct wanted {
    const char *name;
    size_t length;
    char keys[64];   /* keys of the model that has it */
    char newest[64]; /* keys of the last one: that of the family's alias */
    bool found;
};

static bool is(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && strncmp(name, text, length) == 0;
}

static void compare_model(void *context, const char *name, const char *about, const char *keys)
{
    struct wanted *w = context;
    (void)about;
    assert(strlen(keys) < sizeof w->newest);
    snprintf(w->newest, sizeof w->newest, "%s", keys);
    if (w->found || !is(name, w->name, w->length))
        return;
    w->found = true;
    snprintf(w->keys, sizeof w->keys, "%s", keys);
    assert(strcmp(w->keys, keys) == 0);
}

/* Whether "FAMILY:KEY=VALUE,…" has the key. */
static bool has_key(const char *spec, const char *key, size_t length)
{
    const char *at = strpbrk(spec, ":");
    for (; at; at = strchr(at + 1, ','))
        if (strncmp(at + 1, key, length) == 0 && at[1 + length] == '=')
            return true;
    return false;
}

const struct wt_family *wt_family_of_gpu(const char *name)
{
    for (const struct wt_family *const *f = wt_families; *f; f++) {
        struct wanted w = {.name = name, .length = strlen(name)};
        if ((*f)->models)
            (*f)->models(compare_model, &w);
        if (w.found || strcmp((*f)->name, name) == 0)
            return *f;
    }
    return NULL;
}

/* Finds the family of this name, or that of the model of this name; @p keys: those of the model. A
 * family's alias is its newest model, or the one that a key of the text names. */
static enum wt_status find_family(const char *text, size_t length, const struct wt_family **family,
                                  char keys[64], struct wt_error *err)
{
    char names[200] = "";
    size_t used = 0;
    for (const struct wt_family *const *f = wt_families; *f; f++) {
        struct wanted w = {.name = text, .length = length};
        if ((*f)->models)
            (*f)->models(compare_model, &w);
        const bool alias = (*f)->alias && is((*f)->alias, text, length);
        if (is((*f)->name, text, length) || alias || w.found) {
            *family = *f;
            memcpy(keys, alias ? w.newest : w.keys, sizeof w.keys);
            if (alias && has_key(text, keys, strcspn(keys, "=")))
                *keys = 0;
            return WT_OK;
        }
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                 f == wt_families ? ""
                                 : f[1]           ? ", "
                                                  : " and ",
                                 (*f)->name);
        assert(used < sizeof names);
    }
    return wt_fail(err, WT_INVALID,
                   "there is no GPU family '%.*s', only %s; their models: wavetrap info --models",
                   (int)length, text, names);
}

/* Adds "KEY=VALUE,…" to the options given, item by item. A repeated key is an error of the user's,
 * since only one of the two values can apply. */
static enum wt_status add_keys(struct wt_gpu *gpu, const char *text, struct wt_error *err)
{
    char *spec = realloc(gpu->spec, strlen(gpu->spec) + strlen(text) + 2);
    if (!spec)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    gpu->spec = spec;
    while (*text) {
        const size_t item = strcspn(text, ","), key = strcspn(text, "=,");
        const size_t had = strlen(spec);
        if (key && has_key(spec, text, key))
            return wt_fail(err, WT_INVALID, "'%.*s' is given twice", (int)key, text);
        sprintf(spec + had, "%c%.*s", strchr(spec, ':') ? ',' : ':', (int)item, text);
        text += item;
        text += *text == ',';
    }
    return WT_OK;
}

static enum wt_status take_keys(struct wt_gpu *gpu, const char *keys, struct wt_error *err)
{
    const enum wt_status status = add_keys(gpu, keys, err);
    return status ? status : wt_config_parse(gpu->family->config.table, gpu->config, keys, err);
}

enum wt_status wt_gpu_choose(struct wt_gpu *gpu, const char *text, struct wt_error *err)
{
    const size_t length = strcspn(text, ":");
    const struct wt_family *family = NULL;
    char keys[64];
    enum wt_status status;
    if ((status = find_family(text, length, &family, keys, err)) != WT_OK)
        return status;
    if (gpu->family && gpu->family != family)
        return wt_fail(err, WT_INVALID, "%s and %s: one GPU runs the program", gpu->family->name,
                       family->name);
    if (!gpu->config) {
        gpu->config = malloc(family->config.table->size);
        gpu->spec = strdup(family->name);
        if (!gpu->config || !gpu->spec)
            return wt_fail(err, WT_NO_MEMORY, "no host memory");
        gpu->family = family;
        family->config.table->set_default(gpu->config);
    }
    if (*keys && (status = take_keys(gpu, keys, err)) != WT_OK)
        return status;
    return text[length] ? take_keys(gpu, text + length + 1, err) : WT_OK;
}

const char *wt_gpu_name(const struct wt_gpu *gpu)
{
    return gpu->family->model ? gpu->family->model(gpu->config) : gpu->family->name;
}

void wt_gpu_help(FILE *out)
{
    for (const struct wt_family *const *f = wt_families; *f; f++) {
        fprintf(out, "--gpu=%s:KEY=VALUE,… with these%s:\n", (*f)->name,
                f == wt_families ? " keys (and defaults)" : "");
        wt_config_help((*f)->config.table, out);
    }
}

static void print_model(void *out, const char *name, const char *about, const char *keys)
{
    fprintf(out, "  %-10s  %s%s%s\n", name, about, *keys ? "; " : "", keys);
}

void wt_gpu_list_models(FILE *out)
{
    for (const struct wt_family *const *f = wt_families; *f; f++) {
        const char *alias = (*f)->alias;
        fprintf(out, "%s%s%s:\n", (*f)->name, alias ? ", " : "", alias ? alias : "");
        if ((*f)->models)
            (*f)->models(print_model, out);
    }
}

void wt_gpu_free(struct wt_gpu *gpu)
{
    free(gpu->config);
    free(gpu->spec);
    *gpu = (struct wt_gpu){0};
}
