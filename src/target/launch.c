/* Launches of kernels as command line options describe them. See launch.h. */
#include "target/launch.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "emulator/machine/groups.h"

/* Without --block groups have 64 work-items in a row; none is larger than the grid. */
static enum wt_status describe_shape(const struct wt_kernel_options *options,
                                     struct wt_kernel_launch *launch, struct wt_error *err)
{
    if (!options->grid_given)
        return wt_fail(err, WT_INVALID, "say by --grid how many work-items there are");
    launch->shared = options->shared;
    for (unsigned i = 0; i < 3; i++) {
        const uint32_t block = options->block_given ? options->block[i] : i ? 1 : 64;
        launch->grid[i] = options->grid[i];
        launch->block[i] = block < options->grid[i] ? block : options->grid[i];
    }
    return WT_OK;
}

static const char *kind_name(enum wt_value_kind kind)
{
    static const char *const names[] = {
        [WT_VALUE_PLAIN] = "a value",      [WT_VALUE_BUFFER] = "a buffer",
        [WT_VALUE_LOCAL] = "local memory", [WT_VALUE_IMAGE] = "an image",
        [WT_VALUE_SAMPLER] = "a sampler",  [WT_VALUE_OTHER] = "an image, a sampler or a queue"};
    return names[kind];
}

enum wt_status wt_launch_describe(const struct wt_emulated *e, const char *name, const void *kernel,
                                  size_t count, wt_launch_argument_fn argument,
                                  struct wt_error *err)
{
    const struct wt_emulated_options *options = e->options;
    struct wt_kernel_launch *l = e->launch;
    const enum wt_status status = describe_shape(&options->kernel, l, err);
    assert(!l->value && !l->value_count);
    if (status)
        return status;
    if (options->argument_count != count) {
        char list[300] = "";
        for (size_t i = 0, used = 0; i < count && used < sizeof list; i++) {
            const struct wt_launch_argument a = argument(kernel, i);
            used += (size_t)snprintf(list + used, sizeof list - used, "\n  %zu: %s%s%s", i, a.name,
                                     *a.name ? ", " : "", kind_name(a.kind));
        }
        return wt_fail(err, WT_INVALID, "kernel %.64s takes %zu arguments; %zu --arg are given%s",
                       name, count, options->argument_count, list);
    }
    l->value = calloc(count + 1, sizeof *l->value);
    if (!l->value)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    for (size_t i = 0; i < count; i++) {
        const struct wt_launch_argument a = argument(kernel, i);
        if (wt_value_parse(a.kind, a.size, options->argument[i], &l->value[i], err) != WT_OK)
            return wt_fail_in(err, "argument %zu%s%.64s", i, *a.name ? ", " : "", a.name);
        l->value[i].name = a.name;
        l->value_count++;
    }
    return WT_OK;
}

void wt_launch_free(struct wt_kernel_launch *l)
{
    for (size_t i = 0; i < l->value_count; i++)
        free(l->value[i].bytes);
    free(l->value);
    for (unsigned i = 0; i < 2; i++)
        free(l->handler[i].bytes);
}

bool wt_emulated_buffer(const struct wt_emulated *e, size_t index, struct wt_kernel_buffer *buffer)
{
    if (!e->launch || index >= e->launch->value_count)
        return false;
    const struct wt_value *v = &e->launch->value[index];
    *buffer = (struct wt_kernel_buffer){.name = v->name ? v->name : "",
                                        .addr = v->addr,
                                        .length = v->length,
                                        .read_only = v->read_only,
                                        .slice = v->slice,
                                        .stride = v->stride};
    return (v->kind == WT_VALUE_BUFFER && !v->is_null) || v->kind == WT_VALUE_IMAGE;
}

/* Items of a group count along x, then y, then z; the last groups of a row may be smaller. */
bool wt_emulated_work_item(const struct wt_emulated *e, uint32_t wave, unsigned lane,
                           uint64_t item[3])
{
    const struct wt_kernel_launch *l = e->launch;
    uint32_t group[3], index, size[3];
    if (!l || !wt_wave_group(e->machine, wave, group, &index))
        return false;
    for (unsigned i = 0; i < 3; i++) {
        const uint32_t left = l->grid[i] - group[i] * l->block[i];
        size[i] = left < l->block[i] ? left : l->block[i];
        assert(size[i] > 0);
    }
    const uint32_t number = index * (l->lanes ? l->lanes : e->machine->lanes) + lane;
    item[0] = (uint64_t)group[0] * l->block[0] + number % size[0];
    item[1] = (uint64_t)group[1] * l->block[1] + number / size[0] % size[1];
    item[2] = (uint64_t)group[2] * l->block[2] + number / size[0] / size[1];
    return true;
}
