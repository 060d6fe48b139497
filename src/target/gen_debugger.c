/*
 * The device of a standalone kernel as the Gen9 probe's link. Changes to the device are recorded as
 * inputs. See gen_debugger.h.
 */
#include "target/gen_debugger.h"

#include <stddef.h>
#include <string.h>

#include "emulator/gen/host.h"
#include "target/history.h"

/* Issues of a wait: the thread that steps is the only one that can issue. */
#define WAIT_ISSUES 4096u

static enum wt_status link_info(void *context, struct wt_gen_info *info, struct wt_error *err)
{
    const struct gen_way_in *way = context;
    (void)err;
    *info = (struct wt_gen_info){.gpus = 1,
                                 .subslices = {way->e->machine->waves / GEN_SUBSLICE_THREADS},
                                 .saved = GEN_SAVED_APERTURE,
                                 .slm = GEN_SLM_APERTURE,
                                 .file = GEN_FILE_APERTURE};
    return WT_OK;
}

static enum wt_status link_read_register(void *context, uint32_t gpu, uint32_t offset,
                                         uint32_t *value, struct wt_error *err)
{
    struct wt_machine *m = ((struct gen_way_in *)context)->e->machine;
    (void)gpu, (void)err;
    *value = m->ops->debug_read(m, offset / 4);
    return WT_OK;
}

static enum wt_status link_write_register(void *context, uint32_t gpu, uint32_t offset,
                                          uint32_t value, struct wt_error *err)
{
    (void)gpu, (void)err;
    wt_emulated_input(
        ((struct gen_way_in *)context)->e,
        &(struct wt_input){.kind = WT_INPUT_DEBUG_WRITE, .addr = offset / 4, .value = value});
    return WT_OK;
}

static enum wt_status link_read(void *context, uint32_t thread, uint64_t addr, void *out,
                                size_t size, struct wt_error *err)
{
    struct wt_machine *m = ((struct gen_way_in *)context)->e->machine;
    if (m->ops->read_memory(m, thread, 0, addr, out, size))
        return WT_OK;
    return wt_fail(err, WT_INVALID, "no memory can be read at 0x%llx", (unsigned long long)addr);
}

static enum wt_status link_write(void *context, uint32_t thread, uint64_t addr, const void *bytes,
                                 size_t size, struct wt_error *err)
{
    const struct wt_input input = {
        .kind = WT_INPUT_MEMORY, .wave = thread, .addr = addr, .bytes = bytes, .size = size};
    if (wt_emulated_input(((struct gen_way_in *)context)->e, &input))
        return WT_OK;
    return wt_fail(err, WT_INVALID, "no memory can be written at 0x%llx", (unsigned long long)addr);
}

static enum wt_status link_event(void *context, bool wait, struct wt_gen_event *event,
                                 struct wt_error *err)
{
    struct gen_way_in *way = context;
    struct wt_machine *m = way->e->machine;
    (void)err;
    gen_device_attention(way->device);
    *event = (struct wt_gen_event){.attention = !wait};
    while (wait && !event->attention) {
        const uint64_t before = m->time;
        const enum wt_run run = wt_emulated_run(way->e, WAIT_ISSUES);
        event->attention = gen_device_attention(way->device);
        /* A watched instruction is reported before it issues; the step is meant to issue it. */
        const bool told_before = run == WT_RUN_WATCH && m->time == before;
        if (told_before)
            m->hits = 0;
        else if (run != WT_RUN_EVENT)
            break;
    }
    return WT_OK;
}

static bool link_ended(void *context, uint32_t *status, char *text, size_t size)
{
    const struct wt_machine *m = ((const struct gen_way_in *)context)->e->machine;
    (void)text, (void)size;
    *status = 0; /* kernels have none */
    return !m->active && !m->fault.kind;
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

static enum wt_status link_reset(void *context, struct wt_error *err)
{
    struct gen_way_in *way = context;
    const struct wt_input launch = {.kind = WT_INPUT_OPERATION,
                                    .bytes = way->launch->walk,
                                    .size = way->launch->walk_count * sizeof *way->launch->walk,
                                    .operation = launch_again};
    wt_emulated_input(way->e, &(struct wt_input){.kind = WT_INPUT_RESET});
    if (wt_emulated_input(way->e, &launch))
        return WT_OK;
    return wt_fail(err, WT_INVALID, "the kernel cannot be launched again");
}

/* The device goes with its debugger. */
static void link_detach(void *context)
{
    (void)context;
}

static uint32_t attend(struct wt_machine *m, const void *bytes, size_t size)
{
    (void)bytes, (void)size;
    gen_device_debug((struct gen_device *)m, true);
    return 1;
}

void gen_debugger_attend(struct wt_emulated *e)
{
    wt_emulated_input(e, &(struct wt_input){.kind = WT_INPUT_OPERATION, .operation = attend});
}

/* The order is part of the format of core files; it begins as gen_operations, with which host
 * programs write theirs. */
uint32_t (*const gen_debugger_operations[])(struct wt_machine *, const void *, size_t) = {
    gen_do_write_copy, gen_do_hold, launch_again, attend, NULL};

const struct wt_gen_link_ops gen_debugger_link = {
    .info = link_info,
    .read_register = link_read_register,
    .write_register = link_write_register,
    .read = link_read,
    .write = link_write,
    .event = link_event,
    .ended = link_ended,
    .reset = link_reset,
    .detach = link_detach,
};
