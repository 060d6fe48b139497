/* See environment.h. */
#include "runtime/common/environment.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/held.h"
#include "base/text.h"

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

/* ---- the variables that there are ---- */

#define CHECKED "WAVETRAP_CHECKED"

/* docs/man/wavetrap-exec.1 describes each. */
static const struct environment_variable {
    const char *name;
    const char *option;  /* option of exec that sets the variable, or removes it; NULL: none does */
    const char *accepts; /* values of that option */
} variables[] = {
    {"WAVETRAP_CATCH", "--catch", "exceptions, as mem_viol,invalid"},
    {"WAVETRAP_CHECK", NULL, NULL},
    {CHECKED, NULL, NULL},
    {"WAVETRAP_CODE_CACHE", NULL, NULL},
    {"WAVETRAP_CORE", "--core-on-fault", "a file"},
    {"WAVETRAP_CORE_HISTORY", "--core-history", "a number of issues, or all"},
    {"WAVETRAP_EXPLAIN", "'wavetrap explain-address'", "a function and an address"},
    {"WAVETRAP_FILL", "--fill", "zero, a pattern of 32 bits, random:SEED"},
    {"WAVETRAP_GEM", "--gem", "a file"},
    {"WAVETRAP_GEN_GPUS", NULL, NULL},
    {"WAVETRAP_GPUS", NULL, NULL},
    {"WAVETRAP_HELD", NULL, NULL},
    {"WAVETRAP_LISTEN", NULL, NULL},
    {"WAVETRAP_LOG_CALLS", "--log-calls", "a file"},
    {"WAVETRAP_MEMORY", "--memory", "a number of bytes, with K, M or G"},
    {"WAVETRAP_OBSERVED", NULL, NULL},
    {"WAVETRAP_OPENCL_OPTIONS", "'set opencl-options' of the debugger", "keep"},
    {"WAVETRAP_PROFILE", NULL, NULL},
    {"WAVETRAP_PROGRESS", "--progress", "auto, always"},
    {"WAVETRAP_REPORT", "--report", "json:FILE"},
    {"WAVETRAP_RESULTS", NULL, NULL},
    {"WAVETRAP_SCHEDULE", "--schedule", "rr:N, lockstep, random:SEED, file:FILE"},
    {"WAVETRAP_SM_DEFAULT", "--gpu", "sm:KEY=VALUE,…"},
    {"WAVETRAP_SM_GPUS", NULL, NULL},
    {"WAVETRAP_SOCKETS", NULL, NULL},
    {"WAVETRAP_SYMBOLS", NULL, NULL},
    {"WAVETRAP_TALLY", NULL, NULL},
    {"WAVETRAP_TOKEN", NULL, NULL},
    {"WAVETRAP_VORTEX_GPUS", NULL, NULL},
};

/* Those of the project's own tests and of examples in its documents. */
static const char *const others[] = {
    "WAVETRAP_BUILD",    "WAVETRAP_FIRST",      "WAVETRAP_FULL",       "WAVETRAP_LONG",
    "WAVETRAP_PROGRAMS", "WAVETRAP_SEEDS",      "WAVETRAP_SIMX",       "WAVETRAP_SOURCE",
    "WAVETRAP_TEST",     "WAVETRAP_TEST_CACHE", "WAVETRAP_TEST_LIMIT", "WAVETRAP_TOY_GPUS",
};

static bool is_name(const char *name, const char *set, size_t length)
{
    return strlen(name) == length && strncmp(name, set, length) == 0;
}

/* A variable of the environment, "NAME=VALUE". */
static void check(const char *set, bool by_exec)
{
    const size_t length = strcspn(set, "=");
    if (strncmp(set, "WAVETRAP_", 9) != 0)
        return;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (is_name(others[i], set, length))
            return;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const struct environment_variable *v = &variables[i];
        if (!is_name(v->name, set, length))
            continue;
        /* A debugger that started the program has set what a command of its own sets. */
        const bool set_here = v->option && strncmp(v->option, "'set ", 5) == 0 &&
                              getenv(WT_HELD_VARIABLE) && set[length] &&
                              strcmp(set + length + 1, v->accepts) == 0;
        if (by_exec && v->option && !set_here && set[length] && set[length + 1])
            wt_say_once("%.120s in the environment is not used: %s sets it (%s)", set, v->option,
                        v->accepts);
        return;
    }
    wt_say_once("%.*s is not a variable of wavetrap and does nothing: 'man wavetrap-exec' lists "
                "them",
                (int)(length < 80 ? length : 80), set);
}

void wt_environment_check(bool by_exec)
{
    if (getenv(CHECKED))
        return;
    for (char *const *set = environ; set && *set; set++)
        check(*set, by_exec);
    if (by_exec)
        setenv(CHECKED, "1", 1);
}

uint64_t wt_environment_number(const char *variable, uint64_t most)
{
    const char *text = getenv(variable);
    uint64_t value;
    if (!text)
        return 0;
    if (wt_parse_number(text, &value, WT_IGNORED) == WT_OK && value <= most)
        return value;
    wt_say_once("%s=%.80s is not a number from 0 to %" PRIu64 ": it is not used", variable, text,
                most);
    return 0;
}
