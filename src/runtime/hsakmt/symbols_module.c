/* The library that reports get names and lines from. See symbols.h. */
#include "runtime/hsakmt/symbols.h"

static size_t variables(const struct wt_modules *modules, uint64_t pc, bool group,
                        struct wt_memory_variable *list, size_t most)
{
    const struct wt_module *m = wt_modules_at(modules, 0, pc);
    uint64_t start, end;
    if (!m || !m->symbols || !wt_symbols_extent(m->symbols, pc - m->bias, &start, &end))
        return 0;
    return group ? wt_group_variables(m->symbols, pc - m->bias, 0, 0, list, most)
                 : wt_frame_variables(m->symbols, start, 0, list, most);
}

__attribute__((visibility("default"))) const struct host_symbols wavetrap_symbols = {
    .list = wt_modules_new,
    .free = wt_modules_free,
    .add_file = wt_modules_add_file,
    .function = wt_modules_function,
    .line = wt_modules_line,
    .address = wt_modules_address,
    .variables = variables,
    .holds = wt_variable_that_holds,
};
