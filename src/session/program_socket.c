/* See program_socket.h. */
#include "session/program_socket.h"

#include <string.h>

#include "bus/address.h"

enum wt_status wt_session_check_socket(const char *address, struct wt_error *err)
{
    struct wt_address a;
    if (strncmp(address, "tcp:", 4) != 0 && strncmp(address, "unix:/", 6) != 0)
        return wt_fail(
            err, WT_INVALID,
            "'%.100s' is not an address of a program: tcp:127.0.0.1:PORT or unix:PATH, with "
            "a path from /",
            address);
    const enum wt_status status = wt_address_parse(address, &a, err);
    if (status || a.local || strcmp(a.host, "127.0.0.1") == 0 || strcmp(a.host, "::1") == 0 ||
        strcmp(a.host, "localhost") == 0)
        return status;
    return wt_fail(err, WT_INVALID,
                   "%.100s: other machines could reach it; programs listen at 127.0.0.1, and "
                   "'ssh -L' leads there",
                   address);
}
