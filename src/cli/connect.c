/* See connect.h. */
#include "base/text.h"
#include "cli/connect.h"

#include <stdio.h>

#include "bus/jtag/jtag.h"
#include "cli/options.h"

enum wt_status cli_connect_timeout(struct cli_connect *connect, const char *value,
                                   struct wt_error *err)
{
    return cli_milliseconds(value, &connect->how.timeout_ms, err);
}

enum wt_status cli_connect_tap(struct cli_connect *connect, const char *value, struct wt_error *err)
{
    enum wt_status status;
    uint64_t tap;
    if ((status = wt_parse_number(value, &tap, err)) != WT_OK)
        return status;
    if (tap >= WT_JTAG_TAPS)
        return wt_fail(err, WT_INVALID, "%s: a chain has TAPs 0 to %d", value, WT_JTAG_TAPS - 1);
    connect->how.jtag_tap = 1 + (unsigned)tap;
    return WT_OK;
}

enum wt_status cli_connect_ir(struct cli_connect *connect, const char *value, struct wt_error *err)
{
    struct wt_jtag_options parsed;
    connect->how.jtag_ir = value;
    return wt_jtag_parse_ir(value, &parsed, err);
}

enum wt_status cli_connect_open(const struct cli_connect *connect, struct wt_bus **bus,
                                struct wt_error *err)
{
    struct wt_bus_about about;
    const enum wt_status status = wt_bus_open(connect->address, &connect->how, bus, &about, err);
    if (!status && about.text[0])
        fprintf(stderr, "wavetrap: %s\n", about.text);
    return status;
}
