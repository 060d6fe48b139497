/* See diff_ranges.h. */
#include "cli/diff_ranges.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "debug/source/modules.h"
#include "debug/source/symbols.h"

enum { MOST_ARGUMENTS = 1024 };

struct ranges {
    struct explore_range *list;
    size_t count, room;
    unsigned run;
    bool failed;
};

static void add(struct ranges *r, const struct explore_range *range)
{
    struct explore_range *grown = wt_array_grow(r->list, &r->room, r->count + 1, sizeof *grown);
    r->failed |= !grown;
    if (!grown)
        return;
    r->list = grown;
    grown[r->count++] = *range;
}

/* The rows of an image may lie apart, each GPU's in its own way. */
static void add_slices(struct ranges *r, const struct wt_kernel_buffer b[2])
{
    for (uint64_t at = 0, part; at < b[0].length && !r->failed; at += part) {
        struct explore_range range = {.name = NULL};
        part = b[0].length - at;
        for (unsigned i = 0; i < 2; i++) {
            const uint64_t slice = b[i].slice ? b[i].slice : b[i].length;
            range.addr[i] = b[i].addr + at / slice * b[i].stride + at % slice;
            part = part < slice - at % slice ? part : slice - at % slice;
        }
        range.length = part;
        add(r, &range);
    }
}

static enum wt_status add_arguments(struct ranges *r, struct wt_emulated *const device[2],
                                    struct wt_error *err)
{
    for (size_t i = 0; i < MOST_ARGUMENTS; i++) {
        struct wt_kernel_buffer b[2];
        const bool is[2] = {wt_emulated_buffer(device[0], i, &b[0]),
                            wt_emulated_buffer(device[1], i, &b[1])};
        if (!is[0] && !is[1])
            continue;
        if (!is[0] || !is[1])
            return wt_fail(err, WT_UNSUPPORTED,
                           "argument %zu is a buffer in run %u, and none in run %u", i,
                           is[0] ? 1u : 2u, is[0] ? 2u : 1u);
        if (b[0].length != b[1].length)
            return wt_fail(err, WT_UNSUPPORTED,
                           "argument %zu has %" PRIu64 " bytes in run 1, and %" PRIu64 " in run 2",
                           i, b[0].length, b[1].length);
        add_slices(r, b);
    }
    return WT_OK;
}

/* Variables of run 1 are listed; those of run 2 are looked up. */
static bool take_variable(void *context, const char *name, uint64_t addr, uint64_t size, bool code)
{
    struct ranges *r = context;
    if (code || !size || !*name)
        return true;
    for (size_t i = 0; r->run && i < r->count; i++)
        if (r->list[i].name && r->list[i].length == size && strcmp(r->list[i].name, name) == 0)
            r->list[i].addr[1] = addr;
    if (!r->run)
        add(r, &(struct explore_range){.name = name, .addr = {addr, 0}, .length = size});
    return !r->failed;
}

static void add_variables(struct ranges *r, struct wt_emulated *const device[2])
{
    for (r->run = 0; r->run < 2; r->run++) {
        size_t count;
        const struct wt_module *module = wt_modules_list(device[r->run]->modules, &count);
        for (size_t i = 0; i < count; i++)
            if (module[i].symbols)
                wt_symbols_each(module[i].symbols, take_variable, r);
    }
    for (size_t i = 0; i < r->count; i++)
        if (!r->list[i].addr[1] && r->list[i].name)
            r->list[i--] = r->list[--r->count];
}

enum wt_status cli_diff_ranges(struct wt_emulated *const device[2], struct explore_range **list,
                               size_t *count, struct wt_error *err)
{
    struct ranges r = {.list = NULL};
    struct wt_kernel_buffer b;
    for (unsigned run = 0; run < 2; run++) {
        size_t i = 0;
        while (i < MOST_ARGUMENTS && !wt_emulated_buffer(device[run], i, &b))
            i++;
        if (i == MOST_ARGUMENTS)
            return wt_fail(err, WT_UNSUPPORTED,
                           "run %u (%s) has no buffers of a kernel's arguments, which is what two "
                           "programs or GPUs have in common",
                           run + 1, device[run]->family->name);
    }
    const enum wt_status status = add_arguments(&r, device, err);
    if (!status)
        add_variables(&r, device);
    if (status || r.failed) {
        free(r.list);
        return status ? status : wt_fail(err, WT_NO_MEMORY, "no host memory");
    }
    *list = r.list;
    *count = r.count;
    return WT_OK;
}
