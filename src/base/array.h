/* Arrays that grow, and are searched. */
#ifndef WT_BASE_ARRAY_H
#define WT_BASE_ARRAY_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/**
 * Makes room for at least @p count elements of @p size bytes in @p array, which has room for
 * *@p capacity of them (NULL and 0 at first). Capacity at least doubles, so that appending one by
 * one costs constant time. Returns the array, which may have moved and which the caller frees, and
 * updates *capacity. Without host memory it returns NULL, and the old array stays valid.
 *
 *     struct item *grown = wt_array_grow(list, &capacity, count + 1, sizeof *list);
 *     if (!grown)
 *         return wt_fail(err, WT_NO_MEMORY, "…");
 *     list = grown;
 */
static inline void *wt_array_grow(void *array, size_t *capacity, size_t count, size_t size)
{
    assert(count > 0 && size > 0);
    assert(!*capacity == !array);
    if (count <= *capacity)
        return array;
    size_t room = *capacity < 8 ? 8 : *capacity;
    while (room < count) {
        if (room > SIZE_MAX / 2)
            return NULL;
        room *= 2;
    }
    if (room > SIZE_MAX / size)
        return NULL;
    void *grown = realloc(array, room * size);
    if (grown)
        *capacity = room;
    return grown;
}

/**
 * Declares size_t @p low: how many of @p count elements, 0 or more, come before what is sought.
 * @p before, an expression, tells whether element `middle` does; those that do come first.
 */
#define WT_BISECT(low, count, before)                                                              \
    size_t low = 0;                                                                                \
    for (size_t high_ = (count); low < high_;) {                                                   \
        const size_t middle = low + (high_ - low) / 2;                                             \
        if (before)                                                                                \
            low = middle + 1;                                                                      \
        else                                                                                       \
            high_ = middle;                                                                        \
    }

#endif
