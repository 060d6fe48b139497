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

static unsigned long long lane_of(const void *row, unsigned bytes, unsigned lane)
{
    return bytes == 8 ? ((const uint64_t *)row)[lane] : ((const uint32_t *)row)[lane];
}

void wt_trace_row(struct wt_text *t, const char *name, const void *now, const void *old,
                  unsigned bytes, unsigned lanes)
{
    enum { SHOWN = 4 };
    unsigned changed = 0, first = 0, shown = 0;
    bool same = true;
    for (unsigned i = 0; i < lanes; i++) {
        if (lane_of(now, bytes, i) == lane_of(old, bytes, i))
            continue;
        if (!changed++)
            first = i;
        same &= lane_of(now, bytes, i) == lane_of(now, bytes, first);
    }
    if (!changed)
        return;
    wt_text_add(t, " %s", name);
    if (same && changed > 1) {
        wt_text_add(t, "=0x%llx", lane_of(now, bytes, first));
        return;
    }
    for (unsigned i = first; i < lanes && shown < SHOWN; i++)
        if (lane_of(now, bytes, i) != lane_of(old, bytes, i))
            wt_text_add(t, "%s[%u]=0x%llx", shown++ ? "," : "", i, lane_of(now, bytes, i));
    if (changed > SHOWN)
        wt_text_add(t, ",… (%u lanes)", changed);
}
