/* Sorted ranges of addresses. See spans.h. */
#include "emulator/machine/spans.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"

bool wt_spans_add(struct wt_spans *spans, uint64_t space, uint64_t first, uint64_t last)
{
    assert(first <= last && spans->count <= spans->capacity);
    struct wt_span *grown =
        wt_array_grow(spans->span, &spans->capacity, spans->count + 1, sizeof *grown);
    if (!grown)
        return false;
    spans->span = grown;
    spans->span[spans->count++] = (struct wt_span){space, first, last};
    return true;
}

static int by_place(const void *a, const void *b)
{
    const struct wt_span *x = a, *y = b;
    if (x->space != y->space)
        return x->space < y->space ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

void wt_spans_sort(struct wt_spans *spans)
{
    if (!spans->count)
        return;
    qsort(spans->span, spans->count, sizeof *spans->span, by_place);
    size_t kept = 0;
    for (size_t i = 1; i < spans->count; i++) {
        struct wt_span *last = &spans->span[kept];
        const struct wt_span *next = &spans->span[i];
        if (next->space == last->space &&
            (last->last == UINT64_MAX || next->first <= last->last + 1)) {
            if (next->last > last->last)
                last->last = next->last;
        } else {
            spans->span[++kept] = *next;
        }
    }
    spans->count = kept + 1;
}

bool wt_spans_meet(const struct wt_spans *spans, uint64_t space, uint64_t first, uint64_t last)
{
    assert(first <= last);
    /* The first span that does not end before the range begins is the only one that may meet it. */
    const struct wt_span *s = spans->span;
    WT_BISECT(low, spans->count,
              s[middle].space < space || (s[middle].space == space && s[middle].last < first));
    return low < spans->count && spans->span[low].space == space && spans->span[low].first <= last;
}

void wt_spans_free(struct wt_spans *spans)
{
    free(spans->span);
    *spans = (struct wt_spans){0};
}
