/*
 * gcn_return_tool CODE-OBJECT KERNEL GRID BLOCK GPU SCHEDULE BUDGET SEED: watched places and time
 * travel of a kernel on a gfx900, checked; see watched.h, travel.h. Each buffer has 16 KiB of
 * numbers, local memory 4 KiB, values are 77.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "runtime/gcn/launch.h"
#include "travel.h"
#include "watched.h"

enum { BUFFER = 16384, LOCAL = 4096, MOST = 8 };

static int fail(const struct wt_error *err)
{
    fprintf(stderr, "%s\n", err->text);
    return 1;
}

static enum wt_status read_object(const char *path, const struct gcn_target *target,
                                  struct gcn_object *object, struct wt_error *err)
{
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    if (!file)
        return wt_fail(err, WT_IO, "%s: cannot open", path);
    const size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return gcn_object_parse(path, bytes, length, target, object, err);
}

int main(int argc, char **argv)
{
    static uint8_t numbers[BUFFER], values[8] = {77};
    struct wt_error err;
    struct gcn_object object;
    struct gcn_config config;
    struct gcn_device *device;
    struct wt_value value[MOST] = {0};
    struct gcn_launch launch = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .value = value};
    if (argc != 9) {
        fprintf(stderr,
                "usage: gcn_return_tool CODE-OBJECT KERNEL GRID BLOCK GPU SCHEDULE BUDGET SEED\n");
        return 2;
    }
    gcn_config_default(&config);
    if (wt_config_parse(&gcn_config_table, &config, argv[5], &err) ||
        read_object(argv[1], &config.model->target, &object, &err) ||
        wt_schedule_parse(argv[6], &config.schedule, &err))
        return fail(&err);
    launch.kernel = gcn_object_kernel(&object, argv[2]);
    if (!launch.kernel || launch.kernel->explicit_arguments > MOST)
        return 2;
    sscanf(argv[3], "%u,%u", &launch.grid[0], &launch.grid[1]);
    sscanf(argv[4], "%u,%u", &launch.block[0], &launch.block[1]);
    for (size_t i = 0; i < BUFFER; i += 4)
        wt_store_le(numbers + i, i * 2654435761u, 4);
    launch.value_count = launch.kernel->explicit_arguments;
    for (size_t i = 0; i < launch.value_count; i++) {
        const struct gcn_argument *a = &launch.kernel->argument[i];
        value[i].bytes = a->kind == GCN_ARG_BUFFER  ? numbers
                         : a->kind == GCN_ARG_VALUE ? values
                                                    : NULL;
        value[i].length = a->kind == GCN_ARG_BUFFER  ? BUFFER
                          : a->kind == GCN_ARG_VALUE ? a->size
                                                     : LOCAL;
    }
    if (gcn_device_new(&config, &device, &err) || gcn_launch(device, &object, &launch, &err))
        return fail(&err);
    const uint64_t budget = strtoull(argv[7], NULL, 0), seed = strtoull(argv[8], NULL, 0);
    size_t last = launch.value_count; /* the last buffer, where the results are */
    while (last && launch.kernel->argument[last - 1].kind != GCN_ARG_BUFFER)
        last--;
    if (!last)
        return 2;
    int status = watched_check(device, value[last - 1].addr, BUFFER, seed);
    if (!status)
        status = travel_check(gcn_machine(device), budget, seed);
    gcn_device_free(device);
    gcn_object_free(&object);
    return status;
}
