/*
 * The device of a standalone kernel as the Gen9 probe's link. Changes to the device are recorded as
 * inputs. See gen_debugger.h.
 */
#include "target/gen_debugger.h"

#include <stddef.h>
#include <string.h>

#include "emulator/gen/host.h"
#include "target/history.h"

bool gen_debugger_attention(struct wt_emulated *e)
{
    return gen_device_attention((struct gen_device *)e->machine);
}

static bool is_flag(const uint8_t *bytes, size_t offset)
{
    return bytes[offset] <= 1;
}

static uint32_t launch_again(struct wt_machine *m, const void *bytes, size_t size)
{
    struct gen_walk walk[GEN_WALKS];
    if (size > sizeof walk || size % sizeof *walk)
        return 0;
    for (size_t at = 0; at < size; at += sizeof *walk) /* of a core file, they may be anything */
        if (!is_flag(bytes, at + offsetof(struct gen_walk, has_scratch)) ||
            !is_flag(bytes, at + offsetof(struct gen_walk, barrier)))
            return 0;
    memcpy(walk, bytes, size);
    return gen_launch_again((struct gen_device *)m, walk, (unsigned)(size / sizeof *walk),
                            WT_IGNORED) == WT_OK;
}

enum wt_status gen_debugger_launch(struct wt_emulated *e, const struct gen_launch *of,
                                   struct wt_error *err)
{
    return wt_emulated_operation(e, launch_again, of->walk, of->walk_count * sizeof *of->walk)
               ? WT_OK
               : wt_fail(err, WT_INVALID, "the kernel cannot be launched again");
}

static uint32_t attend(struct wt_machine *m, const void *bytes, size_t size)
{
    gen_device_debug((struct gen_device *)m, true);
    return 1;
}

void gen_debugger_attend(struct wt_emulated *e)
{
    wt_emulated_operation(e, attend, NULL, 0);
}

/* The order is part of the format of core files; it begins as gen_operations, with which host
 * programs write theirs. */
uint32_t (*const gen_debugger_operations[])(struct wt_machine *, const void *, size_t) = {
    gen_do_write_copy, gen_do_hold, launch_again, attend, NULL};
