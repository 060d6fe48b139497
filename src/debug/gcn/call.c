/* Operations of the kernel driver. */
#include "debug/gcn/internal.h"

#include <errno.h>
#include <string.h>

enum wt_status gcnp_call(struct wt_probe *p, struct kfd_debug_call *call, struct wt_error *err)
{
    enum wt_status status = p->link->ops->call(p->link->common.context, call, err);
    if (status != WT_OK)
        return status;
    if (call->result >= 0)
        return WT_OK;
    return wt_fail(err, call->result == -EINVAL ? WT_INVALID : WT_STATE,
                   "the driver refuses debug operation %u: %s", (unsigned)call->op,
                   strerror(-call->result));
}
