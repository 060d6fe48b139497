/* See planted.h. */
#include "runtime/common/planted.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Whether it is still there after bytes are written. */
static bool stays(const struct wt_planted_one *p, uint64_t addr, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < p->size; i++) {
        const uint64_t at = p->addr + i - addr;
        if (at < size && (bytes[at] ^ p->trap[i]) & p->mask[i])
            return false;
    }
    return true;
}

void wt_planted_written(struct wt_planted_list *l, uint64_t addr, const uint8_t *bytes, size_t size)
{
    pthread_mutex_lock(&l->lock);
    for (size_t i = 0; i < l->count;)
        if (stays(&l->one[i], addr, bytes, size))
            i++;
        else
            l->one[i] = l->one[--l->count];
    pthread_mutex_unlock(&l->lock);
}

static bool is_known(const struct wt_planted_list *l, const struct wt_planted_one *one)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->one[i].addr == one->addr && !memcmp(l->one[i].mask, one->mask, sizeof one->mask))
            return true;
    return false;
}

void wt_planted_add(struct wt_planted_list *l, const struct wt_planted_one *one)
{
    assert(one->size && one->size <= WT_PLANTED_BYTES);
    pthread_mutex_lock(&l->lock);
    struct wt_planted_one *grown =
        is_known(l, one) ? NULL : wt_array_grow(l->one, &l->capacity, l->count + 1, sizeof *grown);
    if (grown) {
        l->one = grown;
        grown[l->count++] = *one;
    }
    pthread_mutex_unlock(&l->lock);
}

void wt_planted_forget(struct wt_planted_list *l)
{
    pthread_mutex_lock(&l->lock);
    free(l->one);
    l->one = NULL;
    l->count = l->capacity = 0;
    pthread_mutex_unlock(&l->lock);
}

/* Copies entry i; false: there are fewer. */
static bool get(struct wt_planted_list *l, size_t i, struct wt_planted_one *one)
{
    pthread_mutex_lock(&l->lock);
    const bool is = i < l->count;
    if (is)
        *one = l->one[i];
    pthread_mutex_unlock(&l->lock);
    return is;
}

/* Memory is copied without the lock: it has locks of its own. */
void wt_planted_set(struct wt_planted_list *l, bool on, wt_planted_copy_fn *copy, void *context)
{
    struct wt_planted_one p;
    for (size_t i = 0; get(l, i, &p); i++) {
        const uint8_t *from = on ? p.original : p.trap, *to = on ? p.trap : p.original;
        uint8_t now[WT_PLANTED_BYTES];
        bool expected = copy(context, p.addr, now, p.size, true);
        for (size_t k = 0; k < p.size && expected; k++) {
            expected = !((now[k] ^ from[k]) & p.mask[k]);
            now[k] = (uint8_t)((now[k] & ~p.mask[k]) | (to[k] & p.mask[k]));
        }
        if (expected)
            copy(context, p.addr, now, p.size, false);
    }
}

/* Byte by byte: a copy may end in the midst of a breakpoint. */
void wt_planted_lift(struct wt_planted_list *l, uint64_t addr, uint8_t *bytes, size_t size)
{
    pthread_mutex_lock(&l->lock);
    for (size_t i = 0; i < l->count; i++) {
        const struct wt_planted_one *p = &l->one[i];
        for (size_t k = 0; k < p->size; k++) {
            const uint64_t at = p->addr + k - addr;
            if (at < size && !((bytes[at] ^ p->trap[k]) & p->mask[k]))
                bytes[at] = (uint8_t)((bytes[at] & ~p->mask[k]) | (p->original[k] & p->mask[k]));
        }
    }
    pthread_mutex_unlock(&l->lock);
}
