/* Verdicts: the first verdict of a check counts. */
#include "debug/conformance/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void decide(struct conformance *c, enum wt_verdict verdict, const char *format, va_list args)
{
    if (c->decided)
        return;
    c->decided = true;
    c->verdict = verdict;
    vsnprintf(c->text, sizeof c->text, format, args);
}

bool cannot(struct conformance *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    decide(c, WT_VERDICT_CANNOT_TELL, format, args);
    va_end(args);
    return false;
}

bool cannot_yet(struct conformance *c, enum would would, const char *format, ...)
{
    static const struct {
        const char *emulated, *elsewhere;
    } what[] = {
        [WOULD_TIME] = {"--patience=MS waits longer", "--patience=MS waits longer"},
        [WOULD_THREADS] = {"-g vortex:threads=2 shows it", "a device with more threads shows it"},
        [WOULD_WARPS] = {"-g vortex:warps=2 shows it", "a device with more warps shows it"},
        [WOULD_WINDOWS] = {"-g vortex:warps=64 shows it",
                           "a device with more than 32 warps shows it"},
        [WOULD_ABSENT] = {"-g vortex:warps=4 shows it",
                          "a device whose warps are not a multiple of 32 shows it"},
        [WOULD_SLOWNESS] = {"no option shows it: the emulated reset lasts for no access",
                            "a device whose reset lasts longer than an access shows it"},
        [WOULD_SCRATCHES] = {"no option shows it", "a device with DSCRATCH1 to 3 shows it"},
    };
    va_list args;
    const bool first = !c->decided;
    va_start(args, format);
    decide(c, WT_VERDICT_CANNOT_TELL, format, args);
    va_end(args);
    const size_t used = strlen(c->text);
    if (first)
        snprintf(c->text + used, sizeof c->text - used, "; %s",
                 c->options->emulated ? what[would].emulated : what[would].elsewhere);
    return false;
}

bool failed(struct conformance *c, const char *format, ...)
{
    if (c->broken)
        return false; /* what came is not the device's */
    va_list args;
    va_start(args, format);
    decide(c, WT_VERDICT_FAIL, format, args);
    va_end(args);
    return false;
}

bool expect(struct conformance *c, uint32_t expected, uint32_t came, const char *format, ...)
{
    if (expected == came)
        return !c->broken;
    char what[200];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return failed(c, "%s: expected 0x%x, got 0x%x", what, (unsigned)expected, (unsigned)came);
}

void remark(struct conformance *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!c->decided)
        vsnprintf(c->text, sizeof c->text, format, args);
    va_end(args);
}
