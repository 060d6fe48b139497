/*
 * Messages of translated code: dwords of each lane (see block.h). The code executes
 * most of them itself. Functions of this file execute a message whose surface has no window yet, or
 * whose addresses are not aligned. They make the checks of dataport.c, which executes the message
 * where one of these fails.
 */
#include <string.h>

#include "emulator/gen/block.h"
#include "emulator/gen/lanes.h"
#include "emulator/gen/vectors.h"

/* Where a lane's dwords are behind its address, for a message of dwords; how many. */
static unsigned dwords_of(const struct gen_message *m, uint8_t offset[4])
{
    const unsigned kind = m->desc >> 8 & 15;
    unsigned count = 0;
    switch (m->type) {
    case 0x01: /* untyped: a bit for each component that is left out */
    case 0x09:
    case 0x11:
    case 0x19:
        for (unsigned i = 0; i < 4; i++)
            if (!(kind >> i & 1))
                offset[count++] = (uint8_t)(4 * i);
        return count;
    case 0x10: /* scattered, of 64 bits */
    case 0x1a:
        for (unsigned i = 0; (kind & 3) == 1 && kind < 12 && i < 1u << kind / 4; i++)
            offset[count++] = (uint8_t)(4 * i);
        return count;
    default:
        return 0;
    }
}

/* The barrier's message: for all channels, and the thread goes on. */
static bool is_barrier(const struct gen_uop *u)
{
    const struct gen_insn *insn = &u->insn;
    return u->run == gen_op_send && u->has_message && u->message.sfid == GEN_SFID_GATEWAY &&
           (u->message.desc & 7) == 4 && insn->no_mask && !insn->predicate &&
           !(insn->exdesc >> 5 & 1);
}

void gen_block_message(const struct gen_uop *u, struct gen_block_message *to)
{
    const struct gen_message *m = &u->message;
    struct gen_message_shape s;
    uint8_t offset[4] = {0};
    *to = (struct gen_block_message){.barrier = is_barrier(u)};
    if (u->run != gen_op_send || !u->has_message)
        return;
    const enum gen_message_form form = gen_message_shape(m->sfid, m->desc, &s);
    const bool is_bytes = m->sfid == GEN_SFID_DC0 && s.unit == 1;
    to->reads = form != GEN_MESSAGE_OTHER && s.loads && !s.changes;
    if (form != GEN_MESSAGE_SCATTERED || m->bti == GEN_BTI_SYSTEM ||
        !(is_bytes || (m->sfid == GEN_SFID_DC1 && dwords_of(m, offset))))
        return;
    assert(s.elements == (is_bytes ? 1 : dwords_of(m, offset)));
    const unsigned data = s.lanes * 4 * s.elements, first = m->header ? GEN_GRF_BYTES : 0,
                   head = first + s.lanes * (s.wide_addresses ? 8 : 4);
    if (m->lengths[0] * GEN_GRF_BYTES < head + (s.loads || m->lengths[1] ? 0 : data) ||
        (s.loads ? m->response * GEN_GRF_BYTES < data
                 : m->lengths[1] && m->lengths[1] * GEN_GRF_BYTES < data))
        return;
    *to = (struct gen_block_message){.lanes = (uint8_t)s.lanes,
                                     .reads = s.loads,
                                     .bytes = (uint8_t)s.stored,
                                     .dwords = (uint8_t)s.elements,
                                     .stores = !s.loads,
                                     .wide_addresses = s.wide_addresses,
                                     .windowed = !s.wide_addresses && m->bti != GEN_BTI_SLM,
                                     .bti = (uint8_t)m->bti,
                                     .addresses = (uint16_t)(m->payload[0] + first),
                                     .data = (uint16_t)(s.loads         ? m->dst
                                                        : m->lengths[1] ? m->payload[1]
                                                                        : m->payload[0] + head)};
    memcpy(to->offset, offset, sizeof offset);
}

bool gen_block_access(const struct gen_uop *u, const struct gen_block_message *x,
                      struct wt_rows_insn *to)
{
    const struct gen_insn *insn = &u->insn;
    *to = (struct wt_rows_insn){.op = x->stores ? WT_ROWS_STORE : WT_ROWS_LOAD,
                                .access.space = x->wide_addresses ? WT_ROWS_GLOBAL
                                                : x->windowed     ? WT_ROWS_WINDOW
                                                                  : WT_ROWS_GROUP,
                                .access.short_address = !x->wide_addresses,
                                .access.offset = GEN_SLM_OFFSET,
                                .access.window = x->window,
                                .lanes = x->lanes,
                                .channel = insn->channel,
                                .unmasked = insn->no_mask,
                                .d = x->data,
                                .access.words = x->dwords,
                                .s = {{.slot = x->addresses}, {.slot = x->data}}};
    for (unsigned i = 0; i < x->dwords; i++) {
        to->access.place[i] = x->offset[i];
        to->access.row[i] = x->data + 4 * x->lanes * i;
    }
    return x->lanes && x->bytes == 4 && x->lanes == insn->exec_size &&
           x->window < WT_ROWS_WINDOWS && gen_block_predicate(insn, to);
}

/* A surface by the bytes that describe it; NULL: they are not so simple to read, or it is
 * none. *pages become theirs. */
static const struct gen_known_surface *find_surface(struct gen_thread *t, const struct gen_uop *u,
                                                    unsigned bti, struct gen_known_surfaces *known,
                                                    const uint8_t *pages[2])
{
    const struct gen_walk *w = &gen_walk_of(t)->walk;
    const uint64_t at = w->surfaces + w->binding_table + 4 * bti;
    struct gen_known_surface *k =
        &known->surface[bti % (sizeof known->surface / sizeof known->surface[0])];
    const uint8_t *entry = gen_readable(t->device, at, 4);
    if (!entry)
        return NULL;
    const uint64_t state = w->surfaces + ((uint32_t)wt_load_le(entry, 4) & ~UINT32_C(63));
    const uint8_t *bytes = gen_readable(t->device, state, sizeof k->bytes);
    if (!bytes)
        return NULL;
    pages[0] = entry - (at & WT_PAGE_MASK);
    pages[1] = bytes - (state & WT_PAGE_MASK);
    if (k->known && k->at == at && k->state == state &&
        memcmp(k->bytes, bytes, sizeof k->bytes) == 0)
        return k;
    struct gen_message m = {.t = t, .u = u, .bti = bti};
    struct gen_surface s;
    const struct gen_uop *next;
    if (!gen_find_buffer(&m, &s, &next))
        return NULL;
    *k = (struct gen_known_surface){
        .at = at, .state = state, .base = s.base, .size = s.size, .known = true};
    memcpy(k->bytes, bytes, sizeof k->bytes);
    return k;
}

void gen_close_windows(struct wt_rows_state *s)
{
    for (unsigned i = 0; i < WT_ROWS_WINDOWS; i++)
        s->window[i].bytes = 0;
    for (unsigned i = 0; i < WT_ROWS_GUARDED; i++)
        s->guarded[i] = NULL;
}

/* Code leaves stores to a page of the host to gen_access_dwords(); false: to too many already, or
 * stores to that address are elsewhere. */
static bool guard(struct gen_device *d, uint64_t addr, const uint8_t *page, struct wt_rows_state *s)
{
    const struct wt_tlb_entry *e = wt_tlb_entry_of(&d->machine.tlb, addr);
    if (e->write_page == (addr & ~WT_PAGE_MASK) && e->write_host != page)
        return false;
    for (unsigned i = 0; i < WT_ROWS_GUARDED; i++)
        if (!s->guarded[i] || s->guarded[i] == page) {
            s->guarded[i] = page;
            return true;
        }
    return false;
}

void gen_open_window(struct gen_thread *t, const struct gen_uop *u, unsigned bti, unsigned i,
                     struct gen_known_surfaces *known, struct wt_rows_state *s)
{
    const uint64_t most = UINT64_C(1) << 31;
    const uint8_t *pages[2];
    known->open = true;
    if (bti == GEN_BTI_STATELESS || bti == GEN_BTI_STATELESS_NC) {
        s->window[i].base = gen_walk_of(t)->walk.general;
        s->window[i].bytes = most;
        return;
    }
    const struct gen_known_surface *k = find_surface(t, u, bti, known, pages);
    if (!k || !guard(t->device, k->at, pages[0], s) || !guard(t->device, k->state, pages[1], s))
        return;
    s->window[i].base = k->base;
    s->window[i].bytes = k->size < most ? k->size : most;
}

/* The memory of a page, by the TLB alone; NULL: it is not there. */
static INLINE uint8_t *page_of(struct gen_device *d, uint64_t addr, bool stores)
{
    const struct wt_tlb_entry *e = wt_tlb_entry_of(&d->machine.tlb, addr);
    const uint64_t page = addr & ~WT_PAGE_MASK;
    if (stores)
        return e->write_page == page ? e->write_host : NULL;
    return e->read_page == page ? (uint8_t *)e->read_host : NULL; /* only read */
}

/* A page of the host is stored to: it may describe surfaces. */
static INLINE void note_store(struct wt_rows_state *s, const uint8_t *page)
{
    for (unsigned i = 0; i < WT_ROWS_GUARDED; i++)
        if (s->guarded[i] == page) {
            gen_close_windows(s);
            return;
        }
}

/* Bytes from a lane's address to the end of what it accesses. */
static INLINE unsigned extent(const struct gen_block_message *x)
{
    return x->offset[x->dwords - 1] + (unsigned)x->bytes;
}

/* Where a lane's address is in memory of the host; NULL: not where that is simple to say. */
static INLINE uint8_t *place_of(struct gen_thread *t, const struct gen_block_message *x,
                                unsigned lane, struct wt_rows_state *state)
{
    const uint8_t *at = t->g->r + x->addresses + (x->wide_addresses ? 8 : 4) * lane;
    uint64_t addr = x->wide_addresses ? *(const gen_u64 *)at : *(const gen_u32 *)at;
    if (!x->wide_addresses && !x->windowed) {
        addr &= GEN_SLM_OFFSET;
        return addr + extent(x) <= t->group->local_size ? t->group->local + addr : NULL;
    }
    if (x->windowed && addr + extent(x) > state->window[x->window].bytes)
        return NULL;
    if (x->windowed)
        addr += state->window[x->window].base;
    uint8_t *page = page_of(t->device, addr, x->stores);
    if (!page || (addr & WT_PAGE_MASK) > WT_PAGE_SIZE - extent(x))
        return NULL;
    if (x->stores)
        note_store(state, page);
    return page + (addr & WT_PAGE_MASK);
}

/* One of a lane's dwords between memory and a register. */
static INLINE void move_dword(const struct gen_block_message *x, uint8_t *in_memory,
                              uint8_t *in_row)
{
    if (x->bytes == 4 && x->stores)
        *(gen_u32 *)in_memory = *(const gen_u32 *)in_row;
    else if (x->bytes == 4)
        *(gen_u32 *)in_row = *(const gen_u32 *)in_memory;
    else if (x->stores)
        wt_store_le(in_memory, *(const gen_u32 *)in_row, x->bytes);
    else
        *(gen_u32 *)in_row = (uint32_t)wt_load_le(in_memory, x->bytes);
}

bool gen_access_dwords(struct gen_thread *t, const struct gen_uop *u,
                       const struct gen_block_message *x, struct gen_known_surfaces *known,
                       struct wt_rows_state *state)
{
    struct gen_device *d = t->device;
    uint8_t *data = t->g->r + x->data, *host[16];
    const uint32_t enabled = gen_enabled(t, &u->insn),
                   on = enabled & (((uint32_t)1 << x->lanes) - 1);
    if (!enabled)
        return true;
    if (!on || d->machine.watch || (x->windowed && x->window == WT_ROWS_WINDOWS))
        return false;
    if (x->windowed && !state->window[x->window].bytes)
        gen_open_window(t, u, x->bti, x->window, known, state);
    for (uint32_t left = on; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        if (!(host[i] = place_of(t, x, i, state)))
            return false;
    }
    d->sending = u; /* if memory of the process is gone, this one has a fault */
    for (uint32_t left = on; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        for (unsigned k = 0; k < x->dwords; k++)
            move_dword(x, host[i] + x->offset[k], data + 4 * (x->lanes * k + i));
    }
    d->sending = NULL;
    return true;
}

/* The addresses of all lanes: the lowest, the highest, the bits that any has; and whether each lies
 * a dword behind the one before. */
struct gen_extent {
    uint32_t low, high, any;
    bool row;
};

static INLINE void measure_lanes(const gen_u32 *at, unsigned lanes, struct gen_extent *e)
{
    uint32_t low = UINT32_MAX, high = 0, any = 0, apart = 0;
    for (unsigned i = 0; i < lanes; i++) {
        low = at[i] < low ? at[i] : low;
        high = at[i] > high ? at[i] : high;
        any |= at[i];
        apart |= at[i] ^ (at[0] + 4 * i);
    }
    *e = (struct gen_extent){low, high, any, !apart};
}

static QUICK void measure(const gen_u32 *at, unsigned lanes, struct gen_extent *e)
{
    if (lanes == 8)
        measure_lanes(at, 8, e);
    else
        measure_lanes(at, 16, e);
}

/* The addresses of all lanes: four at a time, which stay in registers. */
static QUICK void put_addresses(const gen_u32 *at, uint64_t base, unsigned lanes, uint64_t *to)
{
    typedef uint32_t narrow __attribute__((vector_size(16), aligned(4), may_alias));
    typedef uint64_t wide __attribute__((vector_size(32), aligned(8), may_alias));
    for (unsigned i = 0; i < lanes; i += 4)
        *(wide *)(to + i) = __builtin_convertvector(*(const narrow *)(at + i), wide) + base;
}

/* Loaded values may become the addresses. */
static void load_dwords(const uint8_t *host, const gen_u32 *at, uint32_t low, unsigned lanes,
                        gen_u32 *data)
{
    uint32_t loaded[16];
    for (unsigned i = 0; i < lanes; i++)
        loaded[i] = *(const gen_u32 *)(host + (at[i] - low));
    memcpy(data, loaded, 4 * lanes);
}

bool gen_tell_dwords(struct gen_thread *t, const struct gen_uop *u,
                     const struct gen_block_message *x, struct gen_known_surfaces *known,
                     struct wt_rows_state *state)
{
    struct gen_device *d = t->device;
    struct wt_machine *m = &d->machine;
    const struct gen_insn *insn = &u->insn;
    const uint32_t all = ((uint32_t)1 << x->lanes) - 1;
    const unsigned channel = insn->channel;
    const bool told = wt_observes_rows(m);
    const gen_u32 *at = (const gen_u32 *)(t->g->r + x->addresses);
    struct gen_extent e;
    if (!x->windowed || x->window == WT_ROWS_WINDOWS || x->bytes != 4 || x->dwords != 1 ||
        x->offset[0] || channel + x->lanes > GEN_CHANNELS || insn->exec_size != x->lanes ||
        insn->exdesc >> 5 & 1 || (m->watch && !told) || gen_enabled(t, insn) != all)
        return false;
    if (!state->window[x->window].bytes)
        gen_open_window(t, u, x->bti, x->window, known, state);
    measure(at, x->lanes, &e);
    const uint64_t base = state->window[x->window].base, addr = base + e.low,
                   bytes = (uint64_t)e.high - e.low + 4;
    if ((uint64_t)e.high + 4 > state->window[x->window].bytes || (base | e.any) % 4 ||
        (addr & WT_PAGE_MASK) + bytes > WT_PAGE_SIZE)
        return false;
    uint8_t *page = page_of(d, addr, x->stores);
    if (!page || !wt_judge_holds(m, addr, bytes, x->stores))
        return false;
    if (told) {
        uint64_t *to = gen_observe_row(t, u, x->stores ? WT_WATCH_WRITE : WT_WATCH_READ,
                                       all << channel, base + at[0], 4, e.row);
        put_addresses(at, base, x->lanes, to + channel);
        wt_observe_stored(m, x->stores ? WT_WATCH_WRITE : WT_WATCH_READ);
    }
    gen_u32 *data = (gen_u32 *)(t->g->r + x->data);
    uint8_t *host = page + (addr & WT_PAGE_MASK);
    if (x->stores)
        note_store(state, page);
    d->sending = u; /* if memory of the process is gone, this one has a fault */
    if (e.row)
        gen_copy_row(x->stores ? (void *)host : data, x->stores ? (void *)data : host,
                     4 * x->lanes);
    else if (x->stores)
        for (unsigned i = 0; i < x->lanes; i++)
            *(gen_u32 *)(host + (at[i] - e.low)) = data[i];
    else
        load_dwords(host, at, e.low, x->lanes, data);
    d->sending = NULL;
    return true;
}
