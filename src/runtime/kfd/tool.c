/* The library as a tool of the HSA runtime. See tool.h. */
#include "runtime/kfd/tool.h"

#include "runtime/common/results.h"

#include <stdbool.h>
#include <stddef.h>

enum { MAJOR = 1 };

struct api_table {
    struct table_version version;
    struct core_table *core;
    struct ext_table *ext;
};

/** Called by the HSA runtime when it starts; false would unload the tool. */
bool OnLoad(void *table, uint64_t version, uint64_t failed_count, const char *const *failed);
bool OnLoad(void *table, uint64_t version, uint64_t failed_count, const char *const *failed)
{
    const struct api_table *api = table;
    struct core_table *core = api->core;
    /* A table is only as long as its version says. */
    if (core->version.major != MAJOR ||
        core->version.size < offsetof(struct core_table, and_or_xor))
        return true;
    host_tool_wait(core);
    host_tool_copy(core);
    if (api->version.major != MAJOR || api->version.size < sizeof *api ||
        api->ext->version.major != MAJOR ||
        api->ext->version.size < offsetof(struct ext_table, async_copy))
        return true;
    host_tool_allocations(core, api->ext);
    if (core->version.size >= sizeof *core && api->ext->version.size >= sizeof *api->ext)
        host_tool_order(core, api->ext);
    return true;
}

void OnUnload(void);
void OnUnload(void)
{
    wt_results_end(); /* the runtime frees all that the program has not freed */
}
