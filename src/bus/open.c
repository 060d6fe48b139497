/* One opener for all transports. See open.h. */
#include "bus/open.h"

#include <stdio.h>
#include <string.h>

#include "bus/jtag/jtag.h"
#include "bus/tcp.h"

static enum wt_status open_jtag(const char *address, const struct wt_bus_open_options *options,
                                struct wt_bus **bus, struct wt_bus_about *about,
                                struct wt_error *err)
{
    enum wt_status status;
    struct wt_jtag_options how = wt_jtag_default_options(address);
    how.tap = (int)options->jtag_tap - 1;
    if (options->timeout_ms)
        how.timeout_ms = options->timeout_ms;
    if (options->jtag_ir && (status = wt_jtag_parse_ir(options->jtag_ir, &how, err)) != WT_OK)
        return status;
    status = wt_bus_jtag_open(&how, bus, err);
    if (!status)
        snprintf(about->text, sizeof about->text, "%s", wt_bus_jtag_about(*bus));
    return status;
}

static enum wt_status open_tcp(const char *address, const struct wt_bus_open_options *options,
                               struct wt_bus **bus, struct wt_bus_about *about,
                               struct wt_error *err)
{
    const struct wt_bus_tcp_options how = {
        .timeout_ms = options->timeout_ms, .hold = options->hold, .registers = options->registers};
    const enum wt_status status = wt_bus_tcp_open(address, &how, bus, err);
    const struct wt_bus_tcp_traits *traits = status ? NULL : wt_bus_tcp_traits(*bus);
    if (traits && !traits->pipelined)
        snprintf(about->text, sizeof about->text,
                 "%.128s takes one request at a time%s: each access waits for the last one",
                 address, traits->batch_read ? ", of up to 8 registers" : "");
    return status;
}

enum wt_status wt_bus_open(const char *address, const struct wt_bus_open_options *options,
                           struct wt_bus **bus, struct wt_bus_about *about, struct wt_error *err)
{
    static const char prefix[] = "remote_bitbang:";
    struct wt_bus_about unread;
    *bus = NULL;
    if (!about)
        about = &unread;
    about->text[0] = 0;
    if (options->jtag || strncmp(address, prefix, sizeof prefix - 1) == 0)
        return open_jtag(address, options, bus, about, err);
    return open_tcp(address, options, bus, about, err);
}
