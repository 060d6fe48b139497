/* Commands of queues: the checks when one is enqueued, and the work when the queue comes to it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "runtime/vortex/queue.h"

/* Arguments that are handles. */
struct ask {
    const void *queue;
    uint32_t count;
    const vx_event_h *events;
    vx_event_h *done;
    bool to, from, event; /* which of the following it has */
    const void *to_handle, *from_handle, *event_handle;
    /* More that is to be checked. Locked; NULL: nothing is. */
    enum vx_result (*check)(struct command *c, const struct ask *ask, struct wt_error *err);
    const void *info;
    uint32_t number;
    void **host;
};

static enum vx_result no_memory(struct wt_error *err)
{
    return call_fail(err, VX_ERR_OUT_OF_HOST_MEMORY, "no host memory");
}

static enum vx_result find_buffer(const struct command *c, const void *handle, uint64_t offset,
                                  struct buffer **buffer, struct wt_error *err)
{
    struct buffer *b = handle_need(HANDLE_BUFFER, handle, err);
    if (!b)
        return VX_ERR_INVALID_HANDLE;
    if (b->gpu != c->queue->gpu)
        return call_fail(err, VX_ERR_INVALID_HANDLE, "%p is a buffer of another device", handle);
    const enum vx_result result = part_check(b, offset, c->size, err);
    if (result)
        return result;
    buffer_use(b);
    *buffer = b;
    return VX_SUCCESS;
}

static struct event *find_event(const struct command *c, const void *handle, struct wt_error *err)
{
    struct event *e = handle_need(HANDLE_EVENT, handle, err);
    if (e && e->gpu != c->queue->gpu) {
        call_fail(err, VX_ERR_INVALID_HANDLE, "%p is an event of another device", handle);
        return NULL;
    }
    if (e)
        e->uses++;
    return e;
}

static enum vx_result find_events(struct command *c, const struct ask *a, struct wt_error *err)
{
    if (a->count && !a->events)
        return call_fail(err, VX_ERR_INVALID_VALUE, "no list of %u events", a->count);
    if (a->count && !(c->wait = calloc(a->count, sizeof *c->wait)))
        return no_memory(err);
    for (; c->waits < a->count; c->waits++)
        if (!(c->wait[c->waits] = find_event(c, a->events[c->waits], err)))
            return VX_ERR_INVALID_HANDLE;
    return VX_SUCCESS;
}

/* Finds what a command works on. Locked. */
static enum vx_result find(struct command *c, const struct ask *a, struct wt_error *err)
{
    enum vx_result result = VX_SUCCESS;
    if (!(c->queue = handle_need(HANDLE_QUEUE, a->queue, err)))
        return VX_ERR_INVALID_HANDLE;
    if (a->to)
        result = find_buffer(c, a->to_handle, c->to_offset, &c->to, err);
    if (!result && a->from)
        result = find_buffer(c, a->from_handle, c->from_offset, &c->from, err);
    if (!result && a->event && !(c->event = find_event(c, a->event_handle, err)))
        result = VX_ERR_INVALID_HANDLE;
    if (!result)
        result = find_events(c, a, err);
    if (!result && a->check)
        result = a->check(c, a, err);
    return result ? result : queue_append(c, a->done, err);
}

static enum vx_result enqueue(struct command *c, const struct ask *a, struct wt_error *err)
{
    state_lock();
    const enum vx_result result = find(c, a, err);
    state_unlock();
    if (result)
        command_end(c);
    return result;
}

#define LIST (uint32_t, count), (const vx_event_h *, events), (vx_event_h *, done, HANDLE(done))
#define LIST_FORMAT ", %u, %p, *%p"
#define ASK(...)                                                                                   \
    &(const struct ask)                                                                            \
    {                                                                                              \
        queue, count, events, done, __VA_ARGS__                                                    \
    }

/* ---- copies ---- */

/* Copies bytes from where a command has them to where it wants them; the GPU is entered. */
static bool copy(struct command *c, uint64_t to, uint64_t from, uint64_t size)
{
    struct gpu *g = c->queue->gpu;
    if (c->from)
        order_copied(g, c->from->addr + from, size, WT_ACCESS_LOAD);
    if (c->to)
        order_copied(g, c->to->addr + to, size, WT_ACCESS_STORE);
    /* Memory of the program is beyond all addresses of a device. */
    if (c->host_to)
        order_copied(g, (uintptr_t)c->host_to + to, size, WT_ACCESS_STORE);
    if (c->host_from)
        order_copied(g, (uintptr_t)c->host_from + from, size, WT_ACCESS_LOAD);
    if (c->host_to)
        return gpu_read(g, c->from->addr + from, (uint8_t *)c->host_to + to, size);
    if (c->host_from)
        return gpu_write(g, c->to->addr + to, (const uint8_t *)c->host_from + from, size);
    return gpu_copy(g, c->to->addr + to, c->from->addr + from, size);
}

static enum vx_result do_copy(struct command *c, struct wt_error *err)
{
    if (!c->size)
        return VX_SUCCESS;
    gpu_enter(c->queue->gpu);
    const bool done = copy(c, c->to_offset, c->from_offset, c->size);
    gpu_leave(c->queue->gpu);
    return done ? VX_SUCCESS : no_memory(err);
}

API3(vx_enqueue_copy, "%p, %p, %" PRIu64 ", %p, %" PRIu64 ", %" PRIu64 LIST_FORMAT,
     (vx_queue_h, queue), (vx_buffer_h, to), (uint64_t, to_offset), (vx_buffer_h, from),
     (uint64_t, from_offset), (uint64_t, size), LIST)
{
    struct command c = {.name = "vx_enqueue_copy",
                        .work = do_copy,
                        .to_offset = to_offset,
                        .from_offset = from_offset,
                        .size = size};
    return enqueue(&c, ASK(.to = true, .from = true, .to_handle = to, .from_handle = from), err);
}

API3(vx_enqueue_read, "%p, %p, %p, %" PRIu64 ", %" PRIu64 LIST_FORMAT, (vx_queue_h, queue),
     (void *, to), (vx_buffer_h, from), (uint64_t, offset), (uint64_t, size), LIST)
{
    struct command c = {.name = "vx_enqueue_read",
                        .work = do_copy,
                        .host_to = to,
                        .from_offset = offset,
                        .size = size};
    if (!to && size)
        return call_fail(err, VX_ERR_INVALID_VALUE, "no memory of the program");
    return enqueue(&c, ASK(.from = true, .from_handle = from), err);
}

API3(vx_enqueue_write, "%p, %p, %" PRIu64 ", %p, %" PRIu64 LIST_FORMAT, (vx_queue_h, queue),
     (vx_buffer_h, to), (uint64_t, offset), (const void *, from), (uint64_t, size), LIST)
{
    struct command c = {.name = "vx_enqueue_write",
                        .work = do_copy,
                        .to_offset = offset,
                        .host_from = from,
                        .size = size};
    if (!from && size)
        return call_fail(err, VX_ERR_INVALID_VALUE, "no memory of the program");
    return enqueue(&c, ASK(.to = true, .to_handle = to), err);
}

/* ---- boxes ---- */

/* One side of a box: where it begins, and its pitches. False: they are too small, or the last byte
 * cannot be told. */
static bool take_side(const size_t region[3], const size_t origin[3], uint64_t row, uint64_t slice,
                      uint64_t *begin, uint64_t *row_pitch, uint64_t *slice_pitch, uint64_t *end)
{
    uint64_t rows, last, at;
    *row_pitch = row ? row : region[0];
    if (__builtin_mul_overflow(*row_pitch, region[1], &rows))
        return false;
    *slice_pitch = slice ? slice : rows;
    return *row_pitch >= region[0] && *slice_pitch >= rows &&
           !__builtin_mul_overflow(*slice_pitch, origin[2], begin) &&
           !__builtin_mul_overflow(*row_pitch, origin[1], &at) &&
           !__builtin_add_overflow(*begin, at, begin) &&
           !__builtin_add_overflow(*begin, origin[0], begin) &&
           !__builtin_mul_overflow(*slice_pitch, region[2] - 1, &last) &&
           !__builtin_add_overflow(last, *row_pitch * (region[1] - 1) + region[0], &last) &&
           !__builtin_add_overflow(*begin, last, end);
}

static enum vx_result check_box(struct command *c, const struct ask *a, struct wt_error *err)
{
    const vx_rect_info_t *i = a->info;
    struct box *b = &c->box;
    const bool reads = c->host_to != NULL;
    uint64_t buffer_end_at, host_end;
    if (!i)
        return call_fail(err, VX_ERR_INVALID_VALUE, "no vx_rect_info_t");
    if (i->struct_size < sizeof *i)
        return call_fail(err, VX_ERR_INVALID_INFO, "struct_size is %zu, at least %zu is wanted",
                         i->struct_size, sizeof *i);
    const size_t *r = i->region;
    if (!r[0] || !r[1] || !r[2])
        return call_fail(err, VX_ERR_INVALID_VALUE, "a box of %zu bytes, %zu rows, %zu slices",
                         r[0], r[1], r[2]);
    *b = (struct box){.row = r[0], .rows = r[1], .slices = r[2]};
    if (!take_side(r, i->buffer_origin, i->buffer_row_pitch, i->buffer_slice_pitch,
                   reads ? &b->from : &b->to, reads ? &b->from_row : &b->to_row,
                   reads ? &b->from_slice : &b->to_slice, &buffer_end_at) ||
        !take_side(r, i->host_origin, i->host_row_pitch, i->host_slice_pitch,
                   reads ? &b->to : &b->from, reads ? &b->to_row : &b->from_row,
                   reads ? &b->to_slice : &b->from_slice, &host_end))
        return call_fail(err, VX_ERR_INVALID_VALUE,
                         "a pitch smaller than what it is to hold, or a box beyond all memory");
    const enum vx_result result = part_check(reads ? c->from : c->to, 0, buffer_end_at, err);
    return !result && c->to && c->from ? part_check(c->from, 0, host_end, err) : result;
}

static enum vx_result do_box(struct command *c, struct wt_error *err)
{
    const struct box *b = &c->box;
    bool done = true;
    gpu_enter(c->queue->gpu);
    for (uint64_t z = 0; z < b->slices && done; z++)
        for (uint64_t y = 0; y < b->rows && done; y++)
            done = copy(c, b->to + z * b->to_slice + y * b->to_row,
                        b->from + z * b->from_slice + y * b->from_row, b->row);
    gpu_leave(c->queue->gpu);
    return done ? VX_SUCCESS : no_memory(err);
}

API3(vx_enqueue_read_rect, "%p, %p, %p, %p" LIST_FORMAT, (vx_queue_h, queue), (void *, to),
     (vx_buffer_h, from), (const vx_rect_info_t *, info), LIST)
{
    struct command c = {.name = "vx_enqueue_read_rect", .work = do_box, .host_to = to};
    if (!to)
        return call_fail(err, VX_ERR_INVALID_VALUE, "no memory of the program");
    return enqueue(&c, ASK(.from = true, .from_handle = from, .check = check_box, .info = info),
                   err);
}

API3(vx_enqueue_write_rect, "%p, %p, %p, %p" LIST_FORMAT, (vx_queue_h, queue), (vx_buffer_h, to),
     (const void *, from), (const vx_rect_info_t *, info), LIST)
{
    struct command c = {.name = "vx_enqueue_write_rect", .work = do_box, .host_from = from};
    if (!from)
        return call_fail(err, VX_ERR_INVALID_VALUE, "no memory of the program");
    return enqueue(&c, ASK(.to = true, .to_handle = to, .check = check_box, .info = info), err);
}

API3(vx_enqueue_copy_rect, "%p, %p, %p, %p" LIST_FORMAT, (vx_queue_h, queue), (vx_buffer_h, to),
     (vx_buffer_h, from), (const vx_rect_info_t *, info), LIST)
{
    struct command c = {.name = "vx_enqueue_copy_rect", .work = do_box};
    return enqueue(&c,
                   ASK(.to = true, .from = true, .to_handle = to, .from_handle = from,
                       .check = check_box, .info = info),
                   err);
}

/* ---- fills ---- */

static enum vx_result do_fill(struct command *c, struct wt_error *err)
{
    bool done = true;
    gpu_enter(c->queue->gpu);
    order_copied(c->queue->gpu, c->to->addr + c->to_offset, c->size, WT_ACCESS_STORE);
    for (uint64_t at = 0; at < c->size && done; at += c->pattern_size)
        done = gpu_write(c->queue->gpu, c->to->addr + c->to_offset + at, c->pattern,
                         c->size - at < c->pattern_size ? c->size - at : c->pattern_size);
    gpu_leave(c->queue->gpu);
    return done ? VX_SUCCESS : no_memory(err);
}

/* Repeats a pattern, so that less is to be written. */
static uint8_t *repeat(const void *pattern, size_t size, uint64_t room, size_t *length)
{
    enum { AT_ONCE = 65536 };
    const uint64_t times = size >= AT_ONCE ? 1 : AT_ONCE / size, wanted = room / size;
    const size_t count = (size_t)(wanted < times ? wanted : times);
    uint8_t *bytes = malloc(count ? count * size : 1);
    for (size_t i = 0; bytes && i < count; i++)
        memcpy(bytes + i * size, pattern, size);
    *length = count ? count * size : 1;
    return bytes;
}

API3(vx_enqueue_fill_buffer, "%p, %p, %" PRIu64 ", %" PRIu64 ", %p, %zu" LIST_FORMAT,
     (vx_queue_h, queue), (vx_buffer_h, to), (uint64_t, offset), (uint64_t, size),
     (const void *, pattern), (size_t, pattern_size), LIST)
{
    struct command c = {
        .name = "vx_enqueue_fill_buffer", .work = do_fill, .to_offset = offset, .size = size};
    if (!pattern || !pattern_size || size % pattern_size)
        return call_fail(err, VX_ERR_INVALID_VALUE,
                         "a pattern at %p of %zu bytes for %" PRIu64 " bytes", pattern,
                         pattern_size, size);
    if (!(c.pattern = repeat(pattern, pattern_size, size, &c.pattern_size)))
        return no_memory(err);
    return enqueue(&c, ASK(.to = true, .to_handle = to), err);
}

/* ---- maps ---- */

static enum vx_result check_map(struct command *c, const struct ask *a, struct wt_error *err)
{
    if (!a->host)
        return call_fail(err, VX_ERR_INVALID_VALUE, "no place for the address");
    const enum vx_result result =
        map_begin(c->to, c->to_offset, c->size, c->addr, err); /* addr: the flags */
    if (!result)
        *a->host = c->to->mapped;
    return result;
}

static enum vx_result do_map(struct command *c, struct wt_error *err)
{
    return map_read(c->to, err);
}

API3(vx_enqueue_map, "%p, %p, %" PRIu64 ", %" PRIu64 ", 0x%x" LIST_FORMAT ", *%p",
     (vx_queue_h, queue), (vx_buffer_h, buffer), (uint64_t, offset), (uint64_t, size),
     (uint32_t, flags), LIST, (void **, host, HANDLE(host)))
{
    struct command c = {
        .name = "vx_enqueue_map", .work = do_map, .to_offset = offset, .size = size, .addr = flags};
    return enqueue(&c, ASK(.to = true, .to_handle = buffer, .check = check_map, .host = host), err);
}

static enum vx_result do_unmap(struct command *c, struct wt_error *err)
{
    return map_end(c->to, c->host_from, err);
}

API3(vx_enqueue_unmap, "%p, %p, %p" LIST_FORMAT, (vx_queue_h, queue), (vx_buffer_h, buffer),
     (void *, host), LIST)
{
    struct command c = {.name = "vx_enqueue_unmap", .work = do_unmap, .host_from = host};
    return enqueue(&c, ASK(.to = true, .to_handle = buffer), err);
}

/* ---- order ---- */

API3(vx_enqueue_barrier, "%p" LIST_FORMAT, (vx_queue_h, queue), LIST)
{
    struct command c = {.name = "vx_enqueue_barrier"};
    return enqueue(&c, ASK(.to = false), err);
}

static enum vx_result do_signal(struct command *c, struct wt_error *err)
{
    state_lock();
    if (c->event->value < c->value) {
        c->event->value = c->value;
        order_signalled(c->event, c->value, c->queue);
    }
    state_changed();
    state_unlock();
    return VX_SUCCESS;
}

API3(vx_enqueue_signal, "%p, %p, %" PRIu64 LIST_FORMAT, (vx_queue_h, queue), (vx_event_h, event),
     (uint64_t, value), LIST)
{
    struct command c = {.name = "vx_enqueue_signal", .work = do_signal, .value = value};
    return enqueue(&c, ASK(.event = true, .event_handle = event), err);
}

API3(vx_enqueue_wait_value, "%p, %p, %" PRIu64 LIST_FORMAT, (vx_queue_h, queue),
     (vx_event_h, event), (uint64_t, value), LIST)
{
    struct command c = {.name = "vx_enqueue_wait_value", .awaits = true, .value = value};
    return enqueue(&c, ASK(.event = true, .event_handle = event), err);
}

/* ---- registers ---- */

static enum vx_result no_register(const struct gpu *g, uint32_t addr, struct wt_error *err)
{
    return call_fail(err, VX_ERR_INVALID_VALUE,
                     "Vortex %s has no device configuration register 0x%x", g->config.profile->name,
                     addr);
}

static enum vx_result do_dcr_write(struct command *c, struct wt_error *err)
{
    gpu_enter(c->queue->gpu);
    const bool is = gpu_write_dcr(c->queue->gpu, c->addr, (uint32_t)c->value);
    gpu_leave(c->queue->gpu);
    return is ? VX_SUCCESS : no_register(c->queue->gpu, c->addr, err);
}

static enum vx_result check_dcr(struct command *c, const struct ask *a, struct wt_error *err)
{
    gpu_note_dcr(c->queue->gpu, c->addr);
    return VX_SUCCESS;
}

API3(vx_enqueue_dcr_write, "%p, 0x%x, 0x%x" LIST_FORMAT, (vx_queue_h, queue), (uint32_t, address),
     (uint32_t, value), LIST)
{
    struct command c = {
        .name = "vx_enqueue_dcr_write", .work = do_dcr_write, .addr = address, .value = value};
    return enqueue(&c, ASK(.check = check_dcr), err);
}

static enum vx_result do_dcr_read(struct command *c, struct wt_error *err)
{
    gpu_enter(c->queue->gpu);
    const bool is = gpu_read_dcr(c->queue->gpu, c->addr, 0, c->word);
    gpu_leave(c->queue->gpu);
    return is ? VX_SUCCESS : no_register(c->queue->gpu, c->addr, err);
}

API3(vx_enqueue_dcr_read, "%p, 0x%x, %p" LIST_FORMAT, (vx_queue_h, queue), (uint32_t, address),
     (uint32_t *, value), LIST)
{
    struct command c = {
        .name = "vx_enqueue_dcr_read", .work = do_dcr_read, .addr = address, .word = value};
    if (!value)
        return call_fail(err, VX_ERR_INVALID_VALUE, "no place for the value");
    return enqueue(&c, ASK(.to = false), err);
}

/* ---- launches ---- */

static enum vx_result check_shape(const struct gpu *g, const vx_launch_info_t *i,
                                  struct vx_launch *l, struct wt_error *err)
{
    *l = (struct vx_launch){.local_size = i->lmem_size};
    uint64_t threads = 1;
    for (unsigned k = 0; k < 3; k++) {
        const bool has = k < i->ndim;
        l->grid[k] = has ? i->grid_dim[k] : 1;
        l->block[k] = has ? i->block_dim[k] : 1;
        l->cluster[k] = has && i->cluster_dim[k] ? i->cluster_dim[k] : 1;
        if (__builtin_mul_overflow(threads, l->block[k], &threads) || threads > UINT32_MAX)
            return call_fail(err, VX_ERR_INVALID_VALUE, "a block of more than 2^32 threads");
        if (l->grid[k] % l->cluster[k])
            return call_fail(err, VX_ERR_INVALID_VALUE,
                             "a cluster of %u blocks does not divide the grid's %u (%c)",
                             l->cluster[k], l->grid[k], "xyz"[k]);
    }
    if (i->lmem_size > g->config.profile->local_mem_size)
        return call_fail(err, VX_ERR_INVALID_VALUE,
                         "a block wants %u bytes of local memory; a core has %" PRIu64,
                         i->lmem_size, g->config.profile->local_mem_size);
    vx_launch_complete(l, g->config.threads);
    return VX_SUCCESS;
}

static enum vx_result check_kernel(const struct gpu *g, const vx_launch_info_t *i, struct launch *l,
                                   struct wt_error *err)
{
    if (!i->kernel)
        return g->startup_given
                   ? VX_SUCCESS
                   : call_fail(err, VX_ERR_INVALID_VALUE,
                               "no kernel, and the program has not written STARTUP_ADDR itself");
    struct kernel *k = handle_need(HANDLE_KERNEL, i->kernel, err);
    if (!k)
        return VX_ERR_INVALID_HANDLE;
    if (k->module->gpu != g)
        return call_fail(err, VX_ERR_INVALID_HANDLE, "%p is a kernel of another device",
                         (void *)i->kernel);
    k->uses++;
    l->kernel = k;
    return VX_SUCCESS;
}

/* Fills a launch, which is there. */
static enum vx_result check_launch(const struct gpu *g, const vx_launch_info_t *i, struct launch *l,
                                   struct wt_error *err)
{
    enum vx_result result;
    if (!g->config.profile->launch_unit)
        return call_fail(err, VX_ERR_NOT_SUPPORTED,
                         "profile %s has no launch unit: give -g vortex:profile=v3",
                         g->config.profile->name);
    if (!i)
        return call_fail(err, VX_ERR_INVALID_VALUE, "no vx_launch_info_t");
    if (i->struct_size < sizeof *i)
        return call_fail(err, VX_ERR_INVALID_INFO, "struct_size is %zu, at least %zu is wanted",
                         i->struct_size, sizeof *i);
    if (i->ndim > 3 || (i->args_size && !i->args_host))
        return call_fail(err, VX_ERR_INVALID_VALUE,
                         i->ndim > 3 ? "%u dimensions" : "%u dimensions, and no arguments",
                         i->ndim);
    if ((result = check_shape(g, i, &l->shape, err)) || (result = check_kernel(g, i, l, err)))
        return result;
    l->shaped = i->ndim;
    l->size = i->args_size;
    if (l->size && !(l->args = malloc(l->size)))
        return no_memory(err);
    if (l->size)
        memcpy(l->args, i->args_host, l->size);
    return VX_SUCCESS;
}

static enum vx_result check_commands(struct command *c, const struct ask *a, struct wt_error *err)
{
    const vx_command_t *list = a->info;
    enum vx_result result = VX_SUCCESS;
    if (!list || !a->number)
        return call_fail(err, VX_ERR_INVALID_VALUE, "no commands");
    if (!(c->step = calloc(a->number, sizeof *c->step)))
        return no_memory(err);
    for (uint32_t i = 0; i < a->number && !result; i++) {
        struct step *s = &c->step[c->steps++];
        if (list[i].type == VX_COMMAND_DCR_WRITE) {
            *s = (struct step){.addr = list[i].data.dcr.addr, .value = list[i].data.dcr.value};
            gpu_note_dcr(c->queue->gpu, s->addr);
        } else if (list[i].type == VX_COMMAND_LAUNCH) {
            result = (s->launch = calloc(1, sizeof *s->launch))
                         ? check_launch(c->queue->gpu, list[i].data.launch, s->launch, err)
                         : no_memory(err);
        } else {
            result = call_fail(err, VX_ERR_INVALID_VALUE, "command %u is of no kind there is (%u)",
                               i, list[i].type);
        }
    }
    return result;
}

static void set_shape(struct gpu *g, const struct vx_launch *l)
{
    for (uint32_t i = 0; i < 3; i++) {
        gpu_set_dcr(g, VX_DCR_GRID_DIM, i, l->grid[i]);
        gpu_set_dcr(g, VX_DCR_BLOCK_DIM, i, l->block[i]);
        gpu_set_dcr(g, VX_DCR_CLUSTER_DIM, i, l->cluster[i]);
        gpu_set_dcr(g, VX_DCR_WARP_STEP, i, l->warp_step[i]);
    }
    gpu_set_dcr(g, VX_DCR_LMEM_SIZE, 0, l->local_size);
    gpu_set_dcr(g, VX_DCR_BLOCK_SIZE, 0, l->block_size);
}

static enum vx_result run_launch(struct gpu *g, const struct launch *l, struct wt_error *err)
{
    struct buffer *args = NULL;
    enum vx_result result = l->size ? buffer_stage(g, l->size, &args, err) : VX_SUCCESS;
    if (result)
        return result;
    gpu_enter(g);
    if (args) {
        gpu_write(g, args->addr, l->args, l->size);
        gpu_set_address(g, VX_DCR_STARTUP_ARG0, args->addr);
    }
    if (l->kernel) {
        gpu_set_address(g, VX_DCR_STARTUP_ADDR0, l->kernel->module->image->addr);
        gpu_set_address(g, VX_DCR_KERNEL_ENTRY0, l->kernel->addr);
    }
    if (l->shaped)
        set_shape(g, &l->shape);
    start_kernel(g, l->kernel ? l->kernel->name : "kernel");
    g->order = order_of_queues();
    result = gpu_run_and_leave(g, err);
    if (args)
        buffer_unuse(args, "vx_enqueue_launch");
    return result;
}

static enum vx_result do_steps(struct command *c, struct wt_error *err)
{
    struct gpu *g = c->queue->gpu;
    enum vx_result result = VX_SUCCESS;
    for (uint32_t i = 0; i < c->steps && !result; i++) {
        const struct step *s = &c->step[i];
        if (s->launch) {
            result = run_launch(g, s->launch, err);
            continue;
        }
        gpu_enter(g);
        if (!gpu_write_dcr(g, s->addr, s->value))
            result = no_register(g, s->addr, err);
        gpu_leave(g);
    }
    return result;
}

API3(vx_enqueue_commands, "%p, %p, %u" LIST_FORMAT, (vx_queue_h, queue),
     (const vx_command_t *, commands), (uint32_t, number), LIST)
{
    struct command c = {.name = "vx_enqueue_commands", .work = do_steps};
    return enqueue(&c, ASK(.check = check_commands, .info = commands, .number = number), err);
}

/* The kernel's name, for the log. */
static const char *name_of(const vx_launch_info_t *info, char *text, size_t size)
{
    *text = 0;
    state_lock();
    const struct kernel *k = info ? handle_get(HANDLE_KERNEL, info->kernel) : NULL;
    if (k)
        snprintf(text, size, "%s", k->name);
    state_unlock();
    return text;
}

API3(vx_enqueue_launch, "%p, {kernel %p \"%s\"}" LIST_FORMAT, (vx_queue_h, queue),
     (const vx_launch_info_t *, info, info ? (void *)info->kernel : NULL,
      name_of(info, (char[256]){""}, 256)),
     LIST)
{
    const vx_command_t command = {.type = VX_COMMAND_LAUNCH, .data.launch = info};
    struct command c = {.name = "vx_enqueue_launch", .work = do_steps};
    return enqueue(&c, ASK(.check = check_commands, .info = &command, .number = 1), err);
}

API3(vx_enqueue_draw, "%p, %p, %u" LIST_FORMAT, (vx_queue_h, queue),
     (const vx_command_t *, commands), (uint32_t, number), LIST)
{
    state_lock();
    const struct queue *q = handle_need(HANDLE_QUEUE, queue, err);
    state_unlock();
    return !q ? VX_ERR_INVALID_HANDLE
              : call_fail(err, VX_ERR_NOT_SUPPORTED,
                          "a draw needs the RASTER, TEX and OM units, which this Vortex does not "
                          "have");
}
