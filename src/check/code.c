/* See code.h. */
#include "check/code.h"

#include <string.h>

bool wt_check_code_add(struct wt_check_code *code, uint64_t pc, void *known)
{
    uint64_t *there = wt_map_add(&code->map, pc + 1);
    if (there)
        *there = (uint64_t)(uintptr_t)known;
    return there;
}

void wt_check_code_forget(struct wt_check_code *code, void (*end)(void *known))
{
    for (size_t i = 0; i < code->map.room; i++)
        if (code->map.entry[i].key)
            end((void *)(uintptr_t)code->map.entry[i].value);
    wt_map_free(&code->map);
    memset(code->last, 0, sizeof code->last);
}
