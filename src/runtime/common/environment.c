/* See environment.h. */
#include "runtime/common/environment.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "wavetrap/error.h"

enum {
    MOST_TEXTS = 16,
    MOST_TEXT = sizeof((struct wt_error *)NULL)->text
}; /* different ones; the next take the place of the first */

void wt_say_once(const char *format, ...)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char said[MOST_TEXTS][MOST_TEXT];
    static unsigned count;
    char text[MOST_TEXT];
    bool known = false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < MOST_TEXTS && !known; i++)
        known = strcmp(said[i], text) == 0;
    if (!known)
        strcpy(said[count++ % MOST_TEXTS], text);
    pthread_mutex_unlock(&lock);
    if (!known)
        fprintf(stderr, "wavetrap: %s\n", text);
}

uint64_t wt_environment_number(const char *variable, uint64_t most)
{
    const char *text = getenv(variable);
    uint64_t value;
    if (!text)
        return 0;
    if (wt_parse_number(text, &value, WT_IGNORED) == WT_OK && value <= most)
        return value;
    wt_say_once("%s=%.80s is no number from 0 to %" PRIu64 ": it is not used", variable, text,
                most);
    return 0;
}
