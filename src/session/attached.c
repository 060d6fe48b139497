/* See attached.h. */
#include "session/attached.h"

#include <stdio.h>

#include "base/text.h"
#include "object/image.h"

/* The address of the exit word of programs of the default profile. */
#define EXIT_ADDR 0x88

/* Time limit of the search for leftover breakpoints, before the user gets a prompt. */
#define LEFTOVERS_MS 2000

/* ---- options ---- */

enum wt_status wt_session_attached_set_exit(void *context, const char *value, struct wt_error *err)
{
    struct wt_session_connect *connect = &((struct wt_session_options *)context)->connect;
    connect->exit_given = true;
    return wt_parse_number(value, &connect->exit_addr, err);
}

bool wt_session_attached_is_given(const struct wt_session_connect *connect)
{
    return connect->dm || connect->jtag;
}

enum wt_status wt_session_attached_check(const struct wt_session_connect *connect,
                                         struct wt_error *err)
{
    const struct wt_bus_open_options *how = &connect->how;
    if (connect->dm && connect->jtag)
        return wt_fail(err, WT_INVALID,
                       "--dm and --jtag: a device is reached in one of these ways");
    if (connect->jtag && how->hold)
        return wt_fail(err, WT_INVALID,
                       "--hold is about the start request of --dm; a device behind JTAG has none");
    if (!connect->jtag && (how->jtag_tap || how->jtag_ir))
        return wt_fail(err, WT_INVALID, "--jtag-tap and --jtag-ir go with --jtag");
    if (!wt_session_attached_is_given(connect) &&
        (how->hold || how->timeout_ms || connect->reset || connect->lift || connect->exit_given))
        return wt_fail(err, WT_INVALID,
                       "--timeout, --reset, --hold, --lift and --exit-word are about a device "
                       "elsewhere: they go with --dm or --jtag");
    return WT_OK;
}

/* ---- the device ---- */

/* All waves are stopped when a debugger has just attached. */
static enum wt_status stop_device(struct wt_session_attached *a,
                                  const struct wt_session_connect *connect, bool for_gdb,
                                  struct wt_error *err)
{
    enum wt_status status = WT_OK;
    if (connect->reset)
        status = wt_debugger_reset(a->debugger, err);
    else if (wt_debugger_running(a->debugger))
        status = wt_debugger_interrupt(a->debugger, err);
    struct wt_event event;
    while ((event = wt_debugger_next_event(a->debugger)).kind != WT_EVENT_NONE)
        if (event.kind == WT_EVENT_STOPPED && event.reason == WT_STOP_LOST && !status)
            status = wt_fail(err, WT_IO, "%s", event.text);
    if (!status && connect->how.hold)
        status = wt_bus_start(a->bus, err);
    const struct wt_thread_info *list;
    size_t count;
    if (!status && !(status = wt_debugger_threads(a->debugger, &list, &count, err)) && count == 0)
        fprintf(stderr,
                "wavetrap: no warp is active: the program has already finished, or has not begun "
                "(%s--reset%s the device; --hold at the start of a program stops it before its "
                "first instruction)\n",
                for_gdb ? "'run' in GDB, or " : "", for_gdb ? ", resets" : " resets");
    return status;
}

/*
 * Looks for breakpoints that a debugger left in memory when it crashed: places where memory differs
 * from the program's file. On a slow device the search is cut short.
 */
static enum wt_status look_for_leftovers(struct wt_session_attached *a, const char *program,
                                         bool lift, bool for_gdb, struct wt_error *err)
{
    uint64_t compared, total;
    size_t count;
    wt_debugger_set_code(a->debugger, a->code.list, a->code.count);
    enum wt_status status =
        wt_debugger_find_leftovers(a->debugger, lift ? 0 : LEFTOVERS_MS, &compared, &total, err);
    if (status)
        return status;
    const struct wt_leftover *list = wt_debugger_leftovers(a->debugger, &count);
    if (compared < total)
        fprintf(
            stderr,
            "wavetrap: looked for forgotten breakpoints in %llu of %llu bytes of code; %s looks "
            "at all\n",
            (unsigned long long)compared, (unsigned long long)total,
            for_gdb ? "'monitor lift-breakpoints'" : "--lift");
    if (count == 0)
        return WT_OK;
    fprintf(stderr,
            "wavetrap: %zu breakpoint%s of another debugger %s in memory, where %s has other "
            "code:",
            count, wt_plural(count), count == 1 ? "is" : "are", program);
    for (size_t i = 0; i < count && i < 8; i++)
        fprintf(stderr, " 0x%llx", (unsigned long long)list[i].addr);
    fprintf(stderr, "%s; %s\n", count > 8 ? " ..." : "",
            lift      ? "lifted"
            : for_gdb ? "'monitor lift-breakpoints' in GDB, or --lift, lifts them"
                      : "--lift lifts them");
    return lift ? wt_debugger_lift_leftovers(a->debugger, err) : WT_OK;
}

static enum wt_status read_code(struct wt_session_attached *a, const char *program,
                                struct wt_error *err)
{
    struct wt_image image;
    enum wt_status status = wt_image_load(program, 0, &image, err);
    if (status)
        return status;
    const enum wt_image_format format = image.format;
    wt_image_free(&image);
    if (format != WT_IMAGE_ELF)
        return wt_fail(err, WT_INVALID, "%s: it is not an ELF file", program);
    return wt_session_code_read(program, &a->code, err);
}

enum wt_status
wt_session_attached_open(struct wt_session_attached *a, struct wt_session_options *options,
                         const char *program, bool for_gdb,
                         void (*output)(void *context, const char *text, size_t length),
                         void *context, struct wt_error *err)
{
    struct wt_session_connect *connect = &options->connect;
    enum wt_status status;
    /* Hardware: it runs by itself, and can be reached only through its registers. */
    static const struct wt_target_services none;
    *a = (struct wt_session_attached){0};
    if (program && (status = read_code(a, program, err)) != WT_OK)
        return status;
    connect->address = connect->jtag ? connect->jtag : connect->dm;
    connect->how.jtag = connect->jtag != NULL;
    if ((status = wt_session_connect_open(connect, &a->bus, err)) != WT_OK)
        return status;
    a->link =
        (struct wt_vortex_link){.bus = a->bus,
                                .exit_addr = connect->exit_given ? connect->exit_addr : EXIT_ADDR,
                                .wait_ms = connect->how.timeout_ms};
    a->target = (struct wt_target){.link = &a->link, .services = &none, .context = a};
    const struct wt_debugger_options how = {
        .threads = options->device.threads, .output = output, .context = context};
    status = wt_debugger_open(&a->target, &wt_probe_vortex, &how, &a->debugger, err);
    if (!status)
        status = stop_device(a, connect, for_gdb, err);
    return status || !program ? status
                              : look_for_leftovers(a, program, connect->lift, for_gdb, err);
}

void wt_session_attached_close(struct wt_session_attached *a)
{
    wt_debugger_close(a->debugger);
    wt_bus_close(a->bus);
    wt_session_code_free(&a->code);
    *a = (struct wt_session_attached){0};
}
