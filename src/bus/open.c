/* One opener for all transports. See open.h. */
#include "bus/open.h"

#include <string.h>

#include "bus/jtag.h"
#include "bus/tcp.h"

enum wt_status wt_bus_open(const char *address, const struct wt_bus_open_options *options,
                           struct wt_bus **bus, struct wt_error *err)
{
    *bus = NULL;
    if (strncmp(address, "remote_bitbang:", strlen("remote_bitbang:")) == 0) {
        struct wt_jtag_options how = wt_jtag_default_options(address);
        if (options->timeout_ms)
            how.timeout_ms = options->timeout_ms;
        return wt_bus_jtag_open(&how, bus, err);
    }
    const struct wt_bus_tcp_options how = {.timeout_ms = options->timeout_ms,
                                           .hold = options->hold};
    return wt_bus_tcp_open(address, &how, bus, err);
}
