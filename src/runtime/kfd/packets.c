/*
 * The order of packets that a program writes itself, for --check=race (check/order.h): the one that
 * the HSA Platform System Architecture Specification 1.2 guarantees, and not the one in which they
 * are done (2.9.1 packet header, 2.9.4 to 2.9.8; LLVM, "User Guide for AMDGPU Backend", "Memory
 * Model gfx6-gfx9").
 *
 * - Packets of a queue are launched one after the other. One with the barrier bit is launched when
 *   all before it have ended; one behind a barrier packet when that has ended.
 * - What has ended is seen by a kernel only when a release fence was behind it (of its own packet,
 *   or of one that has ended later), and an acquire fence is before the kernel (of its own packet,
 *   or of one that was launched before, behind that release).
 * - A packet that ends changes its signal. Who sees the signal's value (the host, a barrier packet,
 *   a copy) comes behind it; the host sees what was released to the system.
 *
 * The host's fences are not seen: each look at a signal is taken for an acquire, each store to one
 * for a release. Everything is under the lock of the only GPU.
 */
#include <stdlib.h>

#include "base/map.h"
#include "object/aql.h"
#include "runtime/common/checked.h"
#include "runtime/common/host_checks.h"
#include "runtime/common/streams.h"
#include "runtime/kfd/host.h"
#include "runtime/kfd/packets.h"

enum { TO_AGENT, TO_SYSTEM, SCOPES };

/* The knowledge at a moment: which operations have ended, which of these were released, and which
 * of those an acquire fence has taken. */
struct moment {
    struct wt_order_point ended, released[SCOPES], taken;
};

struct packet {
    struct packet *next;
    uint64_t number;
    struct wt_order_call call;    /* the doorbell's */
    struct moment at;             /* what the host knew then; once it has begun, what it knows */
    struct gcn_aql_header header; /* header of one that has begun */
    uint64_t completion;          /* likewise: its signal's address */
    uint32_t operation;           /* operation of a kernel that has begun */
    bool begun;
};

struct packets {
    uint64_t doorbell;
    uint64_t rung;         /* the packets before this one were */
    uint32_t stream, last; /* the newest operation of those that come behind each other */
    struct moment gate;    /* what the next packet comes behind, also without the barrier bit */
    struct moment all;     /* all packets that have ended */
    struct packet *first, **end;
};

struct copy {
    struct copy *next;
    struct wt_order_call call;
    struct moment at;
    struct host_async_copy is;
};

static struct wt_map signals; /* address: struct moment, of all who have changed its value */
static struct moment host_knows;
static struct copy *copies, **last_copy = &copies; /* that have not begun */
static atomic_bool follows, escaped;

bool host_packets_are_followed(void)
{
    return follows && !escaped;
}

/* ---- moments ---- */

static void join(struct moment *to, struct moment *other)
{
    struct wt_order *o = wt_streams_order();
    wt_order_wait(o, &to->ended, &other->ended);
    for (unsigned i = 0; i < SCOPES; i++)
        wt_order_wait(o, &to->released[i], &other->released[i]);
    wt_order_wait(o, &to->taken, &other->taken);
}

static void drop(struct moment *m)
{
    wt_order_drop(&m->ended);
    for (unsigned i = 0; i < SCOPES; i++)
        wt_order_drop(&m->released[i]);
    wt_order_drop(&m->taken);
}

/* A fence of that scope takes what was released. */
static void acquire(struct moment *m, unsigned scope)
{
    if (scope != GCN_AQL_NONE)
        wt_order_wait(wt_streams_order(), &m->taken, &m->released[TO_AGENT]);
}

/* One releases what has ended. */
static void release(struct moment *m, unsigned scope)
{
    if (scope != GCN_AQL_NONE)
        wt_order_wait(wt_streams_order(), &m->released[TO_AGENT], &m->ended);
    if (scope == GCN_AQL_SYSTEM)
        wt_order_wait(wt_streams_order(), &m->released[TO_SYSTEM], &m->ended);
}

/* The knowledge of a signal; NULL: nothing, or no host memory. */
static struct moment *signal_of(uint64_t at, bool make)
{
    const uint64_t *there = at ? wt_map_find(&signals, at) : NULL;
    if (there)
        return (void *)(uintptr_t)*there;
    return make && at ? wt_map_block(&signals, at, sizeof(struct moment)) : NULL;
}

static void join_signal(struct moment *to, uint64_t at)
{
    struct moment *signal = signal_of(at, false);
    if (signal)
        join(to, signal);
}

/* A signal as the GPU has it; its value is behind its kind (amd_signal_t). */
static bool is_zero(const struct host_gpu *gpu, uint64_t at)
{
    uint64_t room = 0;
    const _Atomic int64_t *signal =
        at % 8 ? NULL : (void *)gcn_device_pointer(gpu->device, at, &room);
    return signal && room >= 16 && atomic_load(&signal[1]) == 0;
}

/* ---- queues ---- */

static struct host_gpu *only_gpu(void)
{
    struct host *host = host_get();
    return host && host->gpus == 1 ? &host->gpu[0] : NULL;
}

/* The GPU whose packets are followed; NULL: there is none. */
static struct host_gpu *followed_gpu(void)
{
    return host_packets_are_followed() ? only_gpu() : NULL;
}

/* A call of the program begins: followed_gpu(), which is entered. */
static struct host_gpu *enter_call(void)
{
    struct host_gpu *gpu = followed_gpu();
    if (gpu) {
        host_order.enter();
        host_enter(gpu);
    }
    return gpu;
}

static void leave_call(struct host_gpu *gpu)
{
    host_leave(gpu);
    host_order.leave();
}

/* A kernel comes behind what has changed a signal whose value it loads, as behind a barrier packet:
 * all of its waves do from then on. */
static void kernel_sees(uint64_t addr, struct wt_order_operation *kernel)
{
    enum { VALUE = 8 }; /* in a signal (amd_signal_t) */
    struct host_gpu *gpu = followed_gpu();
    struct moment *signal = gpu ? signal_of(addr - VALUE, false) : NULL;
    for (struct host_queue *q = signal ? gpu->queues : NULL; q; q = q->next)
        for (struct packet *is = q->order ? q->order->first : NULL; is; is = is->next) {
            if (!is->operation || is->operation != kernel->number)
                continue;
            join(&is->at, signal);
            acquire(&is->at, GCN_AQL_SYSTEM);
            if (!wt_clocks_join(&kernel->before, is->at.taken.done) ||
                !wt_clocks_join(&kernel->ended, is->at.ended.done) ||
                !wt_clocks_join(&kernel->released, is->at.released[TO_AGENT].done))
                kernel->calm = wt_streams_order()->now; /* no host memory */
        }
}

/* With several GPUs all counts as ordered. */
void host_packets_follow(uint64_t ring, uint64_t doorbell)
{
    struct host_gpu *gpu = wt_check_wants(WT_CHECK_RACE) ? only_gpu() : NULL;
    if (!gpu)
        return;
    host_order.enter(); /* which also follows the checks */
    host_enter(gpu);
    for (struct host_queue *q = gpu->queues; q; q = q->next) {
        struct packets *p =
            q->ring_addr == ring && !q->copies && !q->order ? calloc(1, sizeof *p) : NULL;
        if (!p)
            continue;
        *p = (struct packets){.doorbell = doorbell, .rung = q->begun};
        p->end = &p->first;
        q->order = p;
        wt_streams_order()->sees = kernel_sees;
        follows = true;
    }
    leave_call(gpu);
}

static void forget_packet(struct packet *p)
{
    if (!p->begun)
        wt_order_call_dropped(wt_streams_order(), &p->call);
    drop(&p->at);
    free(p);
}

void host_packets_forget(struct host_queue *q)
{
    struct packets *p = q->order;
    for (struct packet *next; p && p->first; p->first = next) {
        next = p->first->next;
        forget_packet(p->first);
    }
    if (p) {
        drop(&p->gate);
        drop(&p->all);
    }
    free(p);
    q->order = NULL;
}

/* Notes the packets whose doorbell is rung, with what the host knows. */
static void note(struct host_queue *q)
{
    struct packets *p = q->order;
    const uint64_t upto = atomic_load_explicit(q->write, memory_order_acquire);
    for (; p->rung < upto; p->rung++) {
        struct packet *new = calloc(1, sizeof *new);
        if (!new)
            continue;
        new->number = p->rung;
        wt_order_call(wt_streams_order(), &new->call, "a packet");
        join(&new->at, &host_knows);
        *p->end = new;
        p->end = &new->next;
    }
    wt_streams_changed();
}

bool host_packets_may_begin(struct host_queue *q)
{
    struct packets *p = q->order;
    if (!p || q->begun < p->rung || escaped)
        return true;
    /* A kernel rings by a store alone, of the last packet's number; what the program's calls store
     * was noted before. */
    const uint32_t last = (uint32_t)atomic_load((_Atomic uint64_t *)host_queue_doorbell(q));
    if ((int32_t)(last - (uint32_t)q->begun) < 0)
        return false;
    note(q);
    return true;
}

static struct packet *packet_of(const struct packets *p, uint64_t number)
{
    struct packet *is = p->first;
    while (is && is->number != number)
        is = is->next;
    return is;
}

/* ---- packets ---- */

/* The operation of a kernel, or of a copy, that begins: it is the newest one. Those of a queue that
 * see each other are of one stream. */
static void begin_operation(struct wt_order_call *call, struct moment *at, struct packets *of)
{
    struct wt_order *o = wt_streams_order();
    const bool behind =
        of && of->stream &&
        (of->last <= o->calm || wt_clocks_of(at->taken.done, of->stream) >= of->last);
    struct wt_order_stream s = {.number = behind ? of->stream : 0};
    wt_order_drop(&call->host); /* it has taken of it what its fence takes */
    wt_order_wait(o, &s.point, &at->taken);
    wt_order_begin(o, &s, call);
    wt_order_fenced(o, &at->ended, &at->released[TO_AGENT]);
    wt_order_wait(o, &at->ended, &s.point);
    wt_order_drop(&s.point);
    wt_streams_changed();
    if (of) {
        of->stream = s.number;
        of->last = o->now;
    }
}

/* The signals that a packet waits for. */
static void join_dependencies(struct moment *to, const struct host_gpu *gpu,
                              const struct gcn_aql_packet *packet)
{
    for (unsigned i = 0; i < packet->dependencies; i++)
        if (packet->header.type != GCN_AQL_BARRIER_OR || is_zero(gpu, packet->dependency[i]))
            join_signal(to, packet->dependency[i]);
}

bool host_packets_begin(struct host_queue *q, const struct gcn_aql_packet *packet)
{
    struct packets *p = q->order;
    struct packet *is = p && !escaped ? packet_of(p, q->begun) : NULL;
    if (!is || is->begun)
        return p && is;
    const struct gcn_aql_header header = packet->header;
    is->header = header;
    is->completion = packet->completion;
    if (header.barrier)
        join(&p->gate, &p->all);
    join(&is->at, &p->gate);
    join_dependencies(&is->at, q->gpu, packet);
    acquire(&is->at, header.acquires);
    if (header.type == GCN_AQL_DISPATCH)
        acquire(&p->gate, header.acquires);
    else
        join(&p->gate, &is->at);
    is->begun = true;
    if (header.type == GCN_AQL_DISPATCH) {
        begin_operation(&is->call, &is->at, p);
        is->operation = p->last;
    } else {
        wt_order_call_dropped(wt_streams_order(), &is->call);
    }
    return true;
}

void host_packets_end(struct host_queue *q, uint64_t number)
{
    struct packets *p = q->order;
    struct packet *is = p ? packet_of(p, number) : NULL;
    if (!is)
        return;
    struct moment *signal = signal_of(is->completion, true);
    const struct gcn_aql_header header = is->header;
    release(&is->at, header.releases);
    join(&p->all, &is->at);
    if (header.type != GCN_AQL_DISPATCH) { /* its fences are there for those behind it */
        acquire(&is->at, header.acquires);
        join(&p->gate, &is->at);
    }
    if (signal)
        join(signal, &is->at);
    for (struct packet **at = &p->first; *at; at = &(*at)->next)
        if (*at == is) {
            *at = is->next;
            if (p->end == &is->next)
                p->end = at;
            break;
        }
    forget_packet(is);
}

/* ---- copies ---- */

static bool may_copy(const struct host_gpu *gpu, const struct host_async_copy *c)
{
    for (uint32_t i = 0; i < c->dependencies; i++)
        if (!is_zero(gpu, c->dependency[i]))
            return false;
    return true;
}

static void tell_access(uint64_t addr, uint64_t size, enum wt_access access)
{
    struct wt_object object;
    if (size && wt_object_find(NULL, addr, &object, NULL, NULL))
        wt_streams_accessed(addr, size, access);
}

static void tell_box(const struct host_async_copy *c, uint64_t addr,
                     const struct host_pitches *pitches, enum wt_access access)
{
    for (uint32_t slice = 0; slice < (c->slices ? c->slices : 1); slice++)
        for (uint32_t row = 0; row < (c->rows ? c->rows : 1); row++)
            tell_access(addr + slice * pitches->slice + row * pitches->row, c->size, access);
}

static void begin_copy(struct copy *c)
{
    for (uint32_t i = 0; i < c->is.dependencies; i++)
        join_signal(&c->at, c->is.dependency[i]);
    acquire(&c->at, GCN_AQL_SYSTEM);
    begin_operation(&c->call, &c->at, NULL);
    wt_streams_order()->newest.copies = true;
    tell_box(&c->is, c->is.from, &c->is.of_from, WT_ACCESS_LOAD);
    tell_box(&c->is, c->is.to, &c->is.of_to, WT_ACCESS_STORE);
    release(&c->at, GCN_AQL_SYSTEM);
    struct moment *signal = signal_of(c->is.completion, true);
    if (signal)
        join(signal, &c->at);
}

void host_packets_look(struct host_gpu *gpu)
{
    for (struct copy **at = &copies; *at;) {
        struct copy *c = *at;
        if (!may_copy(gpu, &c->is)) {
            at = &c->next;
            continue;
        }
        begin_copy(c);
        drop(&c->at);
        *at = c->next;
        if (!c->next)
            last_copy = at;
        free(c);
    }
}

void host_packets_copy(const struct host_async_copy *is, const char *by)
{
    struct host_gpu *gpu = followed_gpu();
    struct copy *c = gpu ? calloc(1, sizeof *c) : NULL;
    if (!c)
        return;
    host_order.enter();
    host_enter(gpu);
    c->is = *is;
    wt_order_call(wt_streams_order(), &c->call, by);
    join(&c->at, &host_knows);
    *last_copy = c;
    last_copy = &c->next;
    host_packets_look(gpu);
    host_leave(gpu);
}

/* ---- what the host does ---- */

static void host_learns(struct moment *m)
{
    struct wt_order *o = wt_streams_order();
    join(&host_knows, m);
    wt_order_wait(o, &o->ended, &m->ended);
    wt_streams_host_waits_for(&m->released[TO_SYSTEM]);
}

void host_packets_copied(uint64_t to, uint64_t from, uint64_t size, const char *by)
{
    struct host_gpu *gpu = enter_call();
    if (!gpu)
        return;
    struct copy c = {.is = {.to = to, .from = from, .size = size}};
    wt_order_call(wt_streams_order(), &c.call, by);
    join(&c.at, &host_knows);
    begin_copy(&c);
    host_learns(&c.at);
    drop(&c.at);
    leave_call(gpu);
}

void host_packets_freed(uint64_t address)
{
    struct host_gpu *gpu = enter_call();
    if (!gpu)
        return;
    wt_streams_forget(address, 1);
    leave_call(gpu);
}

void host_signal_stores(uint64_t signal, bool replaces)
{
    struct host_gpu *gpu = enter_call();
    if (!gpu)
        return;
    bool is_doorbell = false;
    for (struct host_queue *q = gpu->queues; q; q = q->next)
        if (q->order && q->order->doorbell == signal) {
            note(q);
            is_doorbell = true;
        }
    struct moment *m = is_doorbell ? NULL : signal_of(signal, true);
    if (m && replaces)
        drop(m);
    if (m)
        join(m, &host_knows);
    host_leave(gpu);
}

void host_signal_stored(void)
{
    struct host_gpu *gpu = followed_gpu();
    if (!gpu)
        return;
    host_enter(gpu);
    host_packets_look(gpu);
    leave_call(gpu);
}

void host_signal_seen(uint64_t signal)
{
    struct host_gpu *gpu = enter_call();
    if (!gpu)
        return;
    struct moment *m = signal_of(signal, false);
    if (m)
        host_learns(m);
    leave_call(gpu);
}

void host_signal_gone(uint64_t signal)
{
    struct host_gpu *gpu = followed_gpu();
    if (!gpu)
        return;
    host_enter(gpu);
    struct moment *m = signal_of(signal, false);
    if (m) {
        drop(m);
        free(m);
        wt_map_remove(&signals, signal);
    }
    host_leave(gpu);
}

void host_signal_escapes(void)
{
    struct host_gpu *gpu = enter_call();
    if (!gpu)
        return;
    escaped = true;
    wt_streams_host_waits_for_all();
    leave_call(gpu);
}
