/* The log of calls, and why they fail. See internal.h. */
#include <stdarg.h>

#include "runtime/common/checked.h"
#include "runtime/vortex/internal.h"

static const char *const names[] = {"VX_SUCCESS",
                                    "VX_ERR_INVALID_HANDLE",
                                    "VX_ERR_INVALID_INFO",
                                    "VX_ERR_INVALID_VALUE",
                                    "VX_ERR_OUT_OF_HOST_MEMORY",
                                    "VX_ERR_OUT_OF_DEVICE_MEMORY",
                                    "VX_ERR_DEVICE_LOST",
                                    "VX_ERR_TIMEOUT",
                                    "VX_ERR_EVENT_FAILED",
                                    "VX_ERR_NOT_SUPPORTED",
                                    "VX_ERR_INTERNAL"};

void call_done(const char *name, enum vx_result result, const struct wt_error *err,
               const char *format, ...)
{
    char values[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(values, sizeof values, format, arguments);
    va_end(arguments);
    if (result && wt_check_wants(WT_CHECK_API))
        wt_checked_call(WT_FOUND_FAILED_CALL, NULL, "%s: %s (%s)", name, names[result], err->text);
    if (!call_logged())
        return;
    if (result)
        call_note("%s(%s) = %s: %s", name, values, names[result], err->text);
    else
        call_note("%s(%s) = %s", name, values, names[result]);
}

enum vx_result call_fail(struct wt_error *err, enum vx_result result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(err->text, sizeof err->text, format, arguments);
    va_end(arguments);
    return result;
}

const char *call_result_name(enum vx_result result)
{
    return (size_t)result < sizeof names / sizeof *names ? names[result] : "VX_ERR_UNKNOWN";
}

enum vx_result call_result(enum wt_status status)
{
    switch (status) {
    case WT_OK:
        return VX_SUCCESS;
    case WT_NO_MEMORY:
        return VX_ERR_OUT_OF_HOST_MEMORY;
    case WT_UNSUPPORTED:
        return VX_ERR_NOT_SUPPORTED;
    default:
        return VX_ERR_INVALID_VALUE;
    }
}
