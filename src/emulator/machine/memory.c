/* Sparse copy-on-write memory: a persistent radix tree of pages. See memory.h. */
#include "emulator/machine/memory.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/array.h"

#define LEVELS 4 /* 4 levels of 9 bits above 12 bits of page offset: 48 bits */
#define FANOUT 512

struct memory_page {
    uint32_t refs;
    _Alignas(64) uint8_t data[WT_PAGE_SIZE];
};

struct memory_node {
    uint32_t refs;
    void *slot[FANOUT]; /* struct memory_node *, at the lowest level struct memory_page * */
};

/* State shared by a memory and all its forks. */
struct account {
    uint32_t refs; /* memories */
    uint64_t bytes;
};

/* Pages of a host's memory that are elsewhere. */
struct alias {
    uint64_t addr, size;
    uint8_t *host;
};

struct wt_memory {
    struct memory_node *root; /* NULL: all zeros */
    uint64_t pages;           /* below root */
    uint64_t limit;           /* the most pages that there may be */
    struct account *account;
    bool host;           /* the process's own memory; root stays NULL */
    struct alias *alias; /* alias of a host's memory, by address */
    size_t aliases, alias_capacity;
    wt_memory_source_fn source; /* source of pages that were not written; NULL: zeros */
    void *context;              /* for it */
};

static const uint8_t zero_page[WT_PAGE_SIZE];

static unsigned slot_index(uint64_t addr, unsigned level)
{
    assert(level < LEVELS);
    return (unsigned)(addr >> (WT_PAGE_BITS + 9 * level)) & (FANOUT - 1);
}

static void release(struct account *account, void *tree, unsigned level)
{
    if (!tree)
        return;
    if (level == 0) {
        struct memory_page *page = tree;
        if (--page->refs == 0) {
            account->bytes -= sizeof *page;
            free(page);
        }
        return;
    }
    struct memory_node *node = tree;
    if (--node->refs)
        return;
    for (unsigned i = 0; i < FANOUT; i++)
        release(account, node->slot[i], level - 1);
    account->bytes -= sizeof *node;
    free(node);
}

/* A copy of a shared node, its children gaining a reference each; the old node loses one. */
static struct memory_node *own_node(struct account *account, struct memory_node *old,
                                    unsigned level)
{
    if (old && old->refs == 1)
        return old;
    struct memory_node *node = calloc(1, sizeof *node);
    if (!node)
        return NULL;
    node->refs = 1;
    account->bytes += sizeof *node;
    if (old) {
        for (unsigned i = 0; i < FANOUT; i++) {
            void *child = old->slot[i];
            if (!child)
                continue;
            if (level == 1)
                ((struct memory_page *)child)->refs++;
            else
                ((struct memory_node *)child)->refs++;
            node->slot[i] = child;
        }
        old->refs--;
    }
    return node;
}

static void leave_account(struct wt_memory *m)
{
    assert(m->account->refs > 0);
    if (--m->account->refs == 0)
        free(m->account);
}

struct wt_memory *wt_memory_new(void)
{
    struct wt_memory *m = calloc(1, sizeof *m);
    if (m && !(m->account = calloc(1, sizeof *m->account))) {
        free(m);
        return NULL;
    }
    if (m) {
        m->account->refs = 1;
        m->limit = UINT64_MAX;
    }
    return m;
}

struct wt_memory *wt_memory_new_host(void)
{
    struct wt_memory *m = wt_memory_new();
    if (m)
        m->host = true;
    return m;
}

struct wt_memory *wt_memory_new_over(wt_memory_source_fn source, void *context)
{
    assert(source);
    struct wt_memory *m = wt_memory_new();
    if (m) {
        m->source = source;
        m->context = context;
    }
    return m;
}

/* Whether nothing was written to the page of addr yet: it is zero. */
static bool is_new(const struct wt_memory *m, uint64_t addr)
{
    return wt_memory_page(m, addr) == zero_page;
}

/* The index of the first alias that begins above addr. */
static size_t alias_above(const struct wt_memory *m, uint64_t addr)
{
    WT_BISECT(low, m->aliases, m->alias[middle].addr <= addr);
    return low;
}

bool wt_memory_alias(struct wt_memory *m, uint64_t addr, uint64_t size, void *host)
{
    assert(m->host && host && size > 0 && addr % WT_PAGE_SIZE == 0);
    struct alias *grown =
        wt_array_grow(m->alias, &m->alias_capacity, m->aliases + 1, sizeof *grown);
    if (!grown)
        return false;
    m->alias = grown;
    const size_t at = alias_above(m, addr);
    memmove(&m->alias[at + 1], &m->alias[at], (m->aliases - at) * sizeof *m->alias);
    m->alias[at] = (struct alias){addr, size, host};
    m->aliases++;
    return true;
}

void wt_memory_unalias(struct wt_memory *m, uint64_t addr)
{
    assert(m->host);
    const size_t at = alias_above(m, addr);
    if (!at || m->alias[at - 1].addr != addr)
        return;
    m->aliases--;
    memmove(&m->alias[at - 1], &m->alias[at], (m->aliases - at + 1) * sizeof *m->alias);
}

/* The page of the process's own memory that addr means. */
static uint8_t *host_page(const struct wt_memory *m, uint64_t addr)
{
    const uint64_t page = addr & ~WT_PAGE_MASK;
    const size_t at = alias_above(m, page);
    if (at && page - m->alias[at - 1].addr < m->alias[at - 1].size)
        return m->alias[at - 1].host + (page - m->alias[at - 1].addr);
    return (uint8_t *)(uintptr_t)page;
}

void wt_memory_free(struct wt_memory *m)
{
    if (!m)
        return;
    release(m->account, m->root, LEVELS);
    leave_account(m);
    free(m->alias);
    free(m);
}

struct wt_memory *wt_memory_fork(struct wt_memory *m)
{
    struct wt_memory *copy = m->host ? NULL : malloc(sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *m;
    copy->account->refs++;
    if (copy->root)
        copy->root->refs++;
    return copy;
}

void wt_memory_become(struct wt_memory *m, const struct wt_memory *from)
{
    assert(!m->host && !from->host && m != from);
    from->account->refs++;
    if (from->root)
        from->root->refs++;
    release(m->account, m->root, LEVELS);
    leave_account(m);
    m->root = from->root;
    m->pages = from->pages;
    m->account = from->account;
}

void wt_memory_set_limit(struct wt_memory *m, uint64_t bytes)
{
    assert(!m->host);
    m->limit = bytes / WT_PAGE_SIZE;
}

void wt_memory_refusal(const struct wt_memory *m, char *text, size_t size)
{
    assert(text && size > 0);
    if (m->pages >= m->limit)
        snprintf(text, size,
                 "the program has touched %.4g MiB of memory, all that it may have (--memory)",
                 (double)m->pages * WT_PAGE_SIZE / (1 << 20));
    else
        snprintf(text, size, "the host has no memory left");
}

void wt_memory_clear(struct wt_memory *m)
{
    assert(!m->host);
    release(m->account, m->root, LEVELS);
    m->root = NULL;
    m->pages = 0;
}

/* A page that was not written. */
static const uint8_t *unwritten(const struct wt_memory *m, uint64_t addr)
{
    return m->source ? m->source(m->context, addr) : zero_page;
}

const uint8_t *wt_memory_page(const struct wt_memory *m, uint64_t addr)
{
    if (m->host)
        return host_page(m, addr);
    const void *tree = m->root;
    for (unsigned level = LEVELS; tree && level > 0; level--)
        tree = ((const struct memory_node *)tree)->slot[slot_index(addr, level - 1)];
    return tree ? ((const struct memory_page *)tree)->data : unwritten(m, addr);
}

uint8_t *wt_memory_page_for_write(struct wt_memory *m, uint64_t addr)
{
    if (m->host)
        return host_page(m, addr);
    if (m->pages >= m->limit && is_new(m, addr))
        return NULL;
    void **at = (void **)&m->root;
    for (unsigned level = LEVELS; level > 0; level--) {
        struct memory_node *node = own_node(m->account, *at, level);
        if (!node)
            return NULL;
        *at = node;
        at = &node->slot[slot_index(addr, level - 1)];
    }
    struct memory_page *page = *at;
    if (page && page->refs == 1)
        return page->data;
    struct memory_page *copy = aligned_alloc(64, sizeof *copy);
    if (!copy)
        return NULL;
    copy->refs = 1;
    m->account->bytes += sizeof *copy;
    memcpy(copy->data, page ? page->data : unwritten(m, addr), WT_PAGE_SIZE);
    if (page)
        page->refs--;
    else
        m->pages++;
    *at = copy;
    return copy->data;
}

void wt_memory_read(const struct wt_memory *m, uint64_t addr, void *out, size_t size)
{
    assert(out || !size);
    uint8_t *to = out;
    while (size) {
        size_t offset = addr & WT_PAGE_MASK;
        size_t part = WT_PAGE_SIZE - offset < size ? WT_PAGE_SIZE - offset : size;
        memcpy(to, wt_memory_page(m, addr) + offset, part);
        to += part;
        addr += part;
        size -= part;
    }
}

bool wt_memory_is_zero(const struct wt_memory *m, uint64_t addr, const void *bytes, size_t size)
{
    const size_t offset = addr & WT_PAGE_MASK;
    assert(offset + size <= WT_PAGE_SIZE);
    return !m->source && is_new(m, addr) && memcmp(bytes, zero_page, size) == 0;
}

bool wt_memory_write(struct wt_memory *m, uint64_t addr, const void *bytes, size_t size)
{
    assert(bytes || !size);
    const uint8_t *from = bytes;
    while (size) {
        size_t offset = addr & WT_PAGE_MASK;
        size_t part = WT_PAGE_SIZE - offset < size ? WT_PAGE_SIZE - offset : size;
        uint8_t *page = wt_memory_page_for_write(m, addr);
        if (!page)
            return false;
        memcpy(page + offset, from, part);
        from += part;
        addr += part;
        size -= part;
    }
    return true;
}

static void each(const void *tree, unsigned level, uint64_t base,
                 void (*fn)(void *context, uint64_t addr, const uint8_t *bytes), void *context)
{
    if (!tree)
        return;
    if (level == 0) {
        fn(context, base, ((const struct memory_page *)tree)->data);
        return;
    }
    for (uint64_t i = 0; i < FANOUT; i++)
        each(((const struct memory_node *)tree)->slot[i], level - 1,
             base | i << (WT_PAGE_BITS + 9 * (level - 1)), fn, context);
}

void wt_memory_each(const struct wt_memory *m,
                    void (*fn)(void *context, uint64_t addr, const uint8_t *bytes), void *context)
{
    assert(!m->host && fn);
    each(m->root, LEVELS, 0, fn, context);
}

/* The sum of the hashes of all pages that are not all zero, so that the order of the walk and
 * pages of zeros do not count. */
static uint64_t hash_tree(const void *tree, unsigned level, uint64_t base)
{
    if (!tree)
        return 0;
    if (level == 0) {
        const uint8_t *data = ((const struct memory_page *)tree)->data;
        return memcmp(data, zero_page, WT_PAGE_SIZE)
                   ? XXH3_64bits_withSeed(data, WT_PAGE_SIZE, base)
                   : 0;
    }
    uint64_t sum = 0;
    for (uint64_t i = 0; i < FANOUT; i++)
        sum += hash_tree(((const struct memory_node *)tree)->slot[i], level - 1,
                         base | i << (WT_PAGE_BITS + 9 * (level - 1)));
    return sum;
}

uint64_t wt_memory_hash(const struct wt_memory *m)
{
    return hash_tree(m->root, LEVELS, 0);
}

uint64_t wt_memory_resident(const struct wt_memory *m)
{
    return m->pages * WT_PAGE_SIZE;
}

uint64_t wt_memory_held(const struct wt_memory *m)
{
    return m->account->bytes;
}

void wt_tlb_clear(struct wt_tlb *tlb)
{
    memset(tlb, 0xff, sizeof *tlb);
}
