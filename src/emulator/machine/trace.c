/* The common part of the traces of all families. See trace.h. */
#include "emulator/machine/trace.h"

#include <assert.h>
#include <stdio.h>

#include "base/bits.h"

void wt_trace_bytes(const struct wt_trace *trace, char *text, size_t size)
{
    const unsigned words = (trace->longest + trace->word - 1) / trace->word;
    const size_t width = 2 * trace->longest + words - 1;
    size_t at = 0;
    assert(trace->length >= 1 && trace->length <= trace->longest && width < size);
    for (unsigned i = 0; i < trace->length; i += trace->word) {
        const unsigned left = trace->length - i, part = left < trace->word ? left : trace->word;
        const unsigned long long value = wt_load_le(trace->bytes + i, part);
        at += (size_t)snprintf(text + at, size - at, "%s%0*llx", i ? " " : "", (int)(2 * part),
                               value);
    }
    snprintf(text + at, size - at, "%*s", (int)(width - at), "");
}
