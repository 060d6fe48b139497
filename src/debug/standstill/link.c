/* See link.h. */
#include "debug/standstill/link.h"

enum wt_status wt_link_transfer(const struct wt_link *link, struct wt_link_piece *list,
                                size_t count, bool write, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    if (link->ops->transfer)
        return count ? link->ops->transfer(link->context, list, count, write, err) : WT_OK;
    for (size_t i = 0; i < count && (status == WT_OK || status == WT_INVALID); i++) {
        struct wt_link_piece *one = &list[i];
        status = write ? wt_link_write(link, one->wave, 0, one->addr, one->bytes, one->size, err)
                       : wt_link_read(link, one->wave, 0, one->addr, one->bytes, one->size, err);
        one->absent = status == WT_INVALID;
    }
    return status == WT_INVALID ? WT_OK : status;
}

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
