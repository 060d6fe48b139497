/* The library as a tool of the HSA runtime. See tool.h. */
#include "runtime/kfd/tool.h"

#include "runtime/common/results.h"

#include <stdbool.h>
#include <stddef.h>

/* Versions of the table of tables, and of each of them; where the later part of the extensions is.
 */
static const struct known {
    uint32_t api, table;
    size_t later;
} versions[] = {
    {1, 1, offsetof(struct ext_table, async_copy_on_engine) + 6 * sizeof(void *)}, /* ROCm 5 */
    {3, 2, offsetof(struct ext_table, async_copy_on_engine) + 8 * sizeof(void *)}, /* ROCm 6 */
};

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
    const struct known *known = versions;
    while (known < versions + sizeof versions / sizeof *versions &&
           known->table != core->version.major)
        known++;
    /* A table is only as long as its version says. */
    if (known == versions + sizeof versions / sizeof *versions ||
        core->version.size < offsetof(struct core_table, and_or_xor))
        return true;
    host_tool_wait(core);
    host_tool_copy(core);
    if (api->version.major != known->api || api->version.size < sizeof *api ||
        api->ext->version.major != known->table ||
        api->ext->version.size < offsetof(struct ext_table, async_copy))
        return true;
    host_tool_allocations(core, api->ext);
    if (core->version.size >= sizeof *core &&
        api->ext->version.size >= known->later + sizeof(struct ext_later))
        host_tool_order(core, api->ext,
                        (struct ext_later *)(void *)((uint8_t *)api->ext + known->later));
    return true;
}

void OnUnload(void);
void OnUnload(void)
{
    wt_results_end(); /* the runtime frees all that the program has not freed */
}
