/* Launches of kernels as command line options describe them. See launch.h. */
#include "target/launch.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum wt_status wt_launch_shape(const struct wt_kernel_options *options, uint32_t grid[3],
                               uint32_t block[3], struct wt_error *err)
{
    if (!options->grid_given)
        return wt_fail(err, WT_INVALID, "say by --grid how many work-items there are");
    if (options->shared)
        return wt_fail(err, WT_INVALID,
                       "--shared is for kernels of an SM; here local memory is an argument: "
                       "--arg=local:BYTES");
    for (unsigned i = 0; i < 3; i++) {
        grid[i] = options->grid[i];
        block[i] = options->block_given ? options->block[i] : i ? 1 : 64;
        if (block[i] > grid[i])
            block[i] = grid[i];
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

enum wt_status wt_launch_read_values(const struct wt_emulated_options *options, const char *name,
                                     const void *kernel, size_t count,
                                     wt_launch_argument_fn argument, struct wt_value **value,
                                     size_t *value_count, struct wt_error *err)
{
    assert(!*value && !*value_count);
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
    *value = calloc(count + 1, sizeof **value);
    if (!*value)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    for (size_t i = 0; i < count; i++) {
        const struct wt_launch_argument a = argument(kernel, i);
        if (wt_value_parse(a.kind, a.size, options->argument[i], &(*value)[i], err) != WT_OK)
            return wt_fail_in(err, "argument %zu%s%.64s", i, *a.name ? ", " : "", a.name);
        ++*value_count;
    }
    return WT_OK;
}

void wt_launch_free_values(struct wt_value *value, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(value[i].bytes);
    free(value);
}

void wt_launch_work_item(const uint32_t grid[3], const uint32_t block[3], const uint32_t group[3],
                         uint32_t number, uint64_t item[3])
{
    uint32_t size[3];
    for (unsigned i = 0; i < 3; i++) {
        const uint32_t left = grid[i] - group[i] * block[i];
        size[i] = left < block[i] ? left : block[i];
        assert(size[i] > 0);
    }
    item[0] = (uint64_t)group[0] * block[0] + number % size[0];
    item[1] = (uint64_t)group[1] * block[1] + number / size[0] % size[1];
    item[2] = (uint64_t)group[2] * block[2] + number / size[0] / size[1];
}
