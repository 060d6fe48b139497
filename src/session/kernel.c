/* Options that choose the kernel of a code object. See kernel.h. */
#include "session/kernel.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "base/text.h"

/* "X", "X,Y" or "X,Y,Z". */
static enum wt_status sizes(const char *text, uint32_t size[3], struct wt_error *err)
{
    const char *at = text;
    for (unsigned i = 0; i < 3; i++)
        size[i] = 1;
    for (unsigned i = 0; i < 3; i++) {
        char *end;
        errno = 0;
        const unsigned long number = strtoul(at, &end, 0);
        if (!isdigit((unsigned char)*at) || errno || number < 1 || number > UINT32_MAX)
            break;
        size[i] = (uint32_t)number;
        if (!*end)
            return WT_OK;
        if (*end != ',')
            break;
        at = end + 1;
    }
    return wt_fail(err, WT_INVALID, "'%s' is not X, X,Y or X,Y,Z with numbers from 1 on", text);
}

static struct wt_kernel_options *kernel_of(void *context)
{
    struct wt_session_drive *drive = context;
    drive->options.device.kernel.given = true;
    return &drive->options.device.kernel;
}

enum wt_status wt_session_kernel_set_name(void *context, const char *value, struct wt_error *err)
{
    kernel_of(context)->name = value;
    return WT_OK;
}

enum wt_status wt_session_kernel_set_grid(void *context, const char *value, struct wt_error *err)
{
    struct wt_kernel_options *k = kernel_of(context);
    k->grid_given = true;
    return sizes(value, k->grid, err);
}

enum wt_status wt_session_kernel_set_block(void *context, const char *value, struct wt_error *err)
{
    struct wt_kernel_options *k = kernel_of(context);
    enum wt_status status;
    k->block_given = true;
    if ((status = sizes(value, k->block, err)) != WT_OK)
        return status;
    for (unsigned i = 0; i < 3; i++)
        if (k->block[i] > 1024)
            return wt_fail(err, WT_INVALID, "a work-group has at most 1024 work-items");
    return WT_OK;
}

enum wt_status wt_session_kernel_set_shared(void *context, const char *value, struct wt_error *err)
{
    return wt_parse_size(value, "", &kernel_of(context)->shared, err);
}

enum wt_status wt_session_kernel_add_handler(void *context, const char *value, struct wt_error *err)
{
    struct wt_kernel_options *k = kernel_of(context);
    if (k->handler_count == 2)
        return wt_fail(err, WT_INVALID, "there are two levels of trap handlers, not three");
    k->handler[k->handler_count++] = value;
    return WT_OK;
}
