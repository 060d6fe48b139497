/* See link.h. */
#include "debug/standstill/link.h"

enum wt_status wt_link_ask(const struct wt_link *link, const struct wt_wire_request *request,
                           const void *more, struct wt_wire_answer *answer, void *out, size_t size,
                           struct wt_error *err)
{
    const enum wt_status status =
        link->ops->ask(link->context, request, more, answer, out, size, err);
    return status || (answer->result >= 0 && answer->size == size)
               ? status
               : wt_fail(err, WT_UNSUPPORTED, "the driver refuses request 0x%x",
                         (unsigned)request->verb);
}
