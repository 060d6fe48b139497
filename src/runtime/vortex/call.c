/* The log of calls, and why they fail. See internal.h. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
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

static pthread_once_t once = PTHREAD_ONCE_INIT;
static FILE *to; /* NULL: nothing is logged */

/* A line is written whole, so that threads and child processes do not mix theirs. */
static void open_log(void)
{
    const char *pattern = getenv("WAVETRAP_LOG_CALLS");
    char path[PATH_MAX] = "";
    struct wt_error err;
    if (!pattern)
        return;
    if (wt_file_name(pattern, 1, path, sizeof path, &err) != WT_OK) {
        fprintf(stderr, "wavetrap: the log of calls: %s\n", err.text);
        return;
    }
    to = *path ? fopen(path, "ae") : stderr;
    if (!to) {
        fprintf(stderr, "wavetrap: the log of calls: %s: %s\n", path, strerror(errno));
        to = stderr;
    }
}

bool call_logged(void)
{
    pthread_once(&once, open_log);
    return to;
}

static void write_line(const char *line)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    if ((fprintf(to, "%s\n", line) < 0 || fflush(to)) && !atomic_flag_test_and_set(&told))
        fprintf(stderr, "wavetrap: the log of calls: not all was written: %s\n", strerror(errno));
}

void call_done(const char *name, enum vx_result result, const struct wt_error *err,
               const char *format, ...)
{
    char values[400], line[1200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(values, sizeof values, format, arguments);
    va_end(arguments);
    if (result && wt_check_wants(WT_CHECK_API))
        wt_checked_call(WT_FOUND_FAILED_CALL, WT_NOTE, NULL, "%s: %s (%s)", name, names[result],
                        err->text);
    if (!call_logged())
        return;
    if (result)
        snprintf(line, sizeof line, "%s(%s) = %s: %s", name, values, names[result], err->text);
    else
        snprintf(line, sizeof line, "%s(%s) = %s", name, values, names[result]);
    write_line(line);
}

void call_note(const char *format, ...)
{
    char line[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    write_line(line);
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
    return (size_t)result < sizeof names / sizeof *names ? names[result] : "no result of Vortex's";
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
