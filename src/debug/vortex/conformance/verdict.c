/* Verdicts: the first verdict of a check counts. */
#include "debug/vortex/conformance/internal.h"

#include <stdarg.h>
#include <stdio.h>

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
    return failed(c, "%s: expected 0x%x, came 0x%x", what, (unsigned)expected, (unsigned)came);
}

void remark(struct conformance *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!c->decided)
        vsnprintf(c->text, sizeof c->text, format, args);
    va_end(args);
}
