/* The library that drivers get names, lines and variables from. See symbols.h. */
#include "base/called_place.h"
#include "debug/source/modules.h"
#include "runtime/symbols/symbols.h"

static bool describe(const struct wt_modules *modules, const struct wt_called_place *place,
                     char *text, size_t size)
{
    const char *name;
    uint64_t offset;
    wt_described_place(modules, place, text, size);
    return wt_modules_function(modules, place->device, place->pc, &name, &offset);
}

static bool variable(const struct wt_modules *modules, uint64_t pc,
                     const struct wt_own_place *place, struct wt_memory_variable *v)
{
    const struct wt_module *m = wt_modules_at(modules, 0, pc);
    return m && m->symbols && wt_variable_at(m->symbols, pc - m->bias, place, v);
}

static size_t constants(const struct wt_modules *modules, uint64_t pc,
                        struct wt_constant_variable *list, size_t most)
{
    const struct wt_module *m = wt_modules_at(modules, 0, pc);
    return m && m->symbols ? wt_constant_variables(m->symbols, pc - m->bias, list, most) : 0;
}

__attribute__((visibility("default"))) const struct symbols wavetrap_symbols = {
    .list = wt_modules_new,
    .free = wt_modules_free,
    .add_file = wt_modules_add_file,
    .add_bytes = wt_modules_add_bytes,
    .describe = describe,
    .address = wt_modules_address,
    .variable = variable,
    .constants = constants,
};
