/* Shapes, schedules and the program of small devices. See small.h. */
#include "small.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../unit/mixed_program.h"

static const struct {
    unsigned cores, warps, threads;
} shapes[] = {{1, 2, 4}, {2, 2, 4}, {1, 4, 2}, {1, 1, 1}, {1, 2, 32}, {3, 3, 4}};

static const char *const schedules[] = {"rr:1", "rr:7", "rr:64", "lockstep", "random:7"};

struct play_options small_device(const struct small *small, int *fd, char path[32])
{
    uint32_t code[128];
    struct wt_error err = {0};
    const size_t words = mixed_program(code, 1 + small->rounds % 40);
    *fd = memfd_create("program", 0);
    if (*fd < 0 || write(*fd, code, 4 * words) != (ssize_t)(4 * words))
        abort();
    snprintf(path, 32, "/proc/self/fd/%d", *fd);
    struct play_options o = {
        .world = {.program = path, .interval = 37, .window = 0x10000000},
        .data = 0x10000000,
        .data_size = 1024,
        .writes_code = true,
        .most = 6000,
        .slice = 300,
    };
    /* The program writes the immediate of this instruction. */
    for (size_t i = 0; i < words; i++)
        if (code[i] == ADDI(S3, S3, 0)) {
            o.avoid_from = CODE + 4 * i;
            o.avoid_to = o.avoid_from + 4;
        }
    struct vx_config *config = &o.world.config;
    struct wt_emulated_options *device = &o.world.options;
    vx_config_default(config);
    config->xlen = small->xlen % 2 ? 64 : 32;
    config->cores = shapes[small->shape % 6].cores;
    config->warps = shapes[small->shape % 6].warps;
    config->threads = shapes[small->shape % 6].threads;
    device->base_given = true; /* its file has no name that says what it is */
    device->base = config->startup;
    device->history_memory = small->memory % 2 ? WT_TIMELINE_BUDGET_DEFAULT : 200 << 10;
    device->dm_only = small->dm_only;
    device->threads = small->waves ? WT_THREADS_WAVES : WT_THREADS_LANES;
    if (wt_schedule_parse(schedules[small->schedule % 5], &config->schedule, &err))
        abort();
    return o;
}
