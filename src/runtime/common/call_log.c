/* See call_log.h. */
#include "runtime/common/call_log.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

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

void call_note(const char *format, ...)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    char line[1200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if ((fprintf(to, "%s\n", line) < 0 || fflush(to)) && !atomic_flag_test_and_set(&told))
        fprintf(stderr, "wavetrap: the log of calls: not all was written: %s\n", strerror(errno));
}
