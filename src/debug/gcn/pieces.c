/* Pieces of the memory of waves, which are transferred together: of many waves in one message. */
#include "base/array.h"
#include "debug/gcn/internal.h"

enum wt_status gcnp_all_there(const struct wt_probe *p, size_t count, struct wt_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (p->piece[i].absent)
            return wt_fail(err, WT_INVALID, "there is no memory at 0x%llx",
                           (unsigned long long)p->piece[i].addr);
    return WT_OK;
}

enum wt_status gcnp_transfer(struct wt_probe *p, size_t count, bool write, struct wt_error *err)
{
    const enum wt_status status = wt_link_transfer(p->common.link, p->piece, count, write, err);
    return status ? status : gcnp_all_there(p, count, err);
}

enum wt_status gcnp_add_piece(struct wt_probe *p, size_t *count, struct wt_link_piece piece,
                              struct wt_error *err)
{
    struct wt_link_piece *more =
        wt_array_grow(p->piece, &p->piece_capacity, *count + 1, sizeof *more);
    if (!more)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for records of waves");
    p->piece = more;
    more[(*count)++] = piece;
    return WT_OK;
}
