/* See code_list.h. */
#include "target/code_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "target/process.h"

static bool has_id(const void *list, size_t count, size_t size, uint64_t id)
{
    for (size_t i = 0; i < count; i++)
        if (memcmp((const char *)list + i * size, &id, sizeof id) == 0)
            return true;
    return false;
}

void *wt_code_list_next(struct wt_code_list *l, size_t size)
{
    char *grown = wt_array_grow(l->entry, &l->room, l->count + 1, size);
    l->entry = grown ? grown : l->entry;
    return grown ? memset(grown + l->count * size, 0, size) : NULL;
}

static void drop_unloaded(struct wt_process *p, const struct wt_code_list_ops *ops,
                          struct wt_code_list *l, const void *list, size_t count)
{
    const size_t size = ops->entry_bytes;
    for (size_t i = 0; i < l->count; i++) {
        char *entry = (char *)l->entry + i * size;
        const struct wt_listed_code *loaded = (const void *)entry;
        if (has_id(list, count, ops->record_bytes, loaded->id))
            continue;
        if (loaded->module)
            wt_modules_remove(p->modules, loaded->module);
        ops->drop(entry);
        memmove(entry, (char *)l->entry + --l->count * size, size);
        i--;
    }
}

enum wt_status wt_process_follow(struct wt_process *p, const struct wt_code_list_ops *ops,
                                 struct wt_code_list *l, struct wt_error *err)
{
    void *list;
    size_t count;
    enum wt_status status =
        wt_process_link_list(p->wire, ops->verb, ops->record_bytes, &list, &count, err);
    if (status)
        return status;
    drop_unloaded(p, ops, l, list, count);
    for (size_t i = 0; i < count && !status; i++) {
        char *record = (char *)list + i * ops->record_bytes;
        uint64_t id;
        memcpy(&id, record, sizeof id);
        if (has_id(l->entry, l->count, ops->entry_bytes, id))
            continue;
        struct wt_listed_code *entry = wt_code_list_next(l, ops->entry_bytes);
        status = wt_fail(err, WT_NO_MEMORY, "out of memory for a list of code");
        if (entry) {
            entry->id = id;
            status = ops->add(p, record, entry, err);
        }
        l->count += status == WT_OK;
        status = status == WT_INVALID ? WT_OK : status;
    }
    free(list);
    return status;
}
