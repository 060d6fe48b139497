/*
 * return_tool PROGRAM GPU SCHEDULE BUDGET SEED: time travel of a program on a Vortex, checked; see
 * travel.h.
 */
#include <stdio.h>
#include <stdlib.h>

#include "emulator/vortex/vortex.h"
#include "travel.h"

static int fail(const struct wt_error *err)
{
    fprintf(stderr, "%s\n", err->text);
    return 1;
}

int main(int argc, char **argv)
{
    struct wt_error err;
    struct wt_image image;
    struct vx_config config;
    struct vx_device *device;
    if (argc != 6) {
        fprintf(stderr, "usage: return_tool PROGRAM GPU SCHEDULE BUDGET SEED\n");
        return 2;
    }
    vx_config_default(&config);
    if (wt_image_load(argv[1], 0, &image, &err) ||
        wt_config_parse(&vx_config_table, &config, argv[2], &err) ||
        wt_schedule_parse(argv[3], &config.schedule, &err))
        return fail(&err);
    config.xlen = image.bits;
    if (vx_device_new(&config, &device, &err) || vx_device_load(device, &image, &err))
        return fail(&err);
    struct wt_machine *m = vx_machine(device);
    const int status = travel_check(m, strtoull(argv[4], NULL, 0), strtoull(argv[5], NULL, 0));
    vx_device_free(device);
    wt_image_free(&image);
    return status;
}
