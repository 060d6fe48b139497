/* See checks.h. */
#include "target/checks.h"

#include "target/family.h"

/* Each buffer is an object, each slice of one that has some. */
static void add_buffer(const struct wt_emulated *e, const struct wt_kernel_buffer *b)
{
    const uint64_t slice = b->slice ? b->slice : b->length;
    for (uint64_t at = 0; slice && at < b->length; at += b->slice ? b->stride : b->length)
        wt_object_variable(e->machine, b->addr + at, slice, b->name, b->read_only);
}

/* Kernels may use what else is mapped: the launch has put it there. */
static bool allows(void *context, uint64_t addr, unsigned size, bool write,
                   const struct wt_object *near)
{
    struct wt_emulated *e = context;
    const uint64_t first = addr & ~WT_PAGE_MASK, last = (addr + size - 1) | WT_PAGE_MASK;
    uint8_t bytes[128];
    if (e->family->run.allows)
        return e->family->run.allows(e, addr, size, write, near);
    return last >= addr && !(near->size && near->addr <= last && near->addr + near->size > first) &&
           e->machine->ops->read_memory(e->machine, UINT32_MAX, 0, addr, bytes,
                                        size < sizeof bytes ? size : sizeof bytes);
}

struct wt_check_memory *wt_emulated_check(struct wt_emulated *e, wt_found_fn *found, void *context)
{
    struct wt_check_stacks stacks;
    struct wt_kernel_buffer b;
    enum { MOST_ARGUMENTS = 1024 };
    for (size_t i = 0; i < MOST_ARGUMENTS; i++)
        if (wt_emulated_buffer(e, i, &b))
            add_buffer(e, &b);
    if (e->family->run.objects)
        e->family->run.objects(e);
    struct wt_check_memory *c = wt_check_memory_begin(e->machine, e->machine, found, context);
    if (c)
        wt_check_memory_set_allows(c, allows, e);
    if (c && e->family->run.variable)
        wt_check_memory_set_variables(c, e->family->run.variable, e);
    if (c && e->family->run.stacks && e->family->run.stacks(e, &stacks))
        wt_check_memory_set_stacks(c, &stacks);
    return c;
}

struct wt_check_init *wt_emulated_check_init(struct wt_emulated *e, enum wt_init_level level,
                                             wt_found_fn *found, void *context)
{
    struct wt_machine *m = e->machine;
    struct wt_check_stacks stacks;
    struct wt_check_init *c = wt_check_init_begin(m, m, level, found, context);
    if (c && e->family->run.stacks && e->family->run.stacks(e, &stacks)) {
        const uint64_t size = stacks.size * m->waves * m->lanes;
        wt_check_init_set_stacks(c, stacks.top - size, size);
    }
    return c;
}
