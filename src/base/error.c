/* Filling in struct wt_error. */
#include "base/error.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum wt_status wt_fail(struct wt_error *err, enum wt_status status, const char *format, ...)
{
    assert(err && status != WT_OK);
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    err->status = status;
    return status;
}

enum wt_status wt_fail_in(struct wt_error *err, const char *format, ...)
{
    assert(err && err->status != WT_OK);
    char prefix[256];
    va_list args;
    va_start(args, format);
    vsnprintf(prefix, sizeof prefix, format, args);
    va_end(args);
    char old[sizeof err->text];
    memcpy(old, err->text, sizeof old);
    snprintf(err->text, sizeof err->text, "%s: %.*s", prefix,
             (int)(sizeof err->text - sizeof prefix - 3), old);
    return err->status;
}
