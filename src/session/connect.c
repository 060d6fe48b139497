/* See connect.h. */
#include "session/connect.h"

#include <stdio.h>

#include "base/text.h"
#include "bus/jtag/jtag.h"
#include "debug/vortex/vxdebug.h"

static struct wt_session_connect *connect_of(void *context)
{
    return &((struct wt_session_options *)context)->connect;
}

enum wt_status wt_session_set_connect_timeout(void *context, const char *value,
                                              struct wt_error *err)
{
    return wt_session_milliseconds(value, &connect_of(context)->how.timeout_ms, err);
}

enum wt_status wt_session_set_connect_tap(void *context, const char *value, struct wt_error *err)
{
    enum wt_status status;
    uint64_t tap;
    if ((status = wt_parse_number(value, &tap, err)) != WT_OK)
        return status;
    if (tap >= WT_JTAG_TAPS)
        return wt_fail(err, WT_INVALID, "%s: a chain has TAPs 0 to %d", value, WT_JTAG_TAPS - 1);
    connect_of(context)->how.jtag_tap = 1 + (unsigned)tap;
    return WT_OK;
}

enum wt_status wt_session_set_connect_ir(void *context, const char *value, struct wt_error *err)
{
    struct wt_jtag_options parsed;
    connect_of(context)->how.jtag_ir = value;
    return wt_jtag_parse_ir(value, &parsed, err);
}

enum wt_status wt_session_connect_open(const struct wt_session_connect *connect,
                                       struct wt_bus **bus, struct wt_error *err)
{
    struct wt_bus_about about;
    struct wt_bus_open_options how = connect->how;
    how.registers = &wt_vxdebug_table;
    const enum wt_status status = wt_bus_open(connect->address, &how, bus, &about, err);
    if (!status && about.text[0])
        fprintf(stderr, "wavetrap: %s\n", about.text);
    return status;
}
