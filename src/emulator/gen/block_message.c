/*
 * Messages of translated code: a dword for each lane. The code has those of one page, or of shared
 * local memory; those of several pages are here (see block.h). The checks are those of dataport.c;
 * where one of them finds more than the plain case, that executes the message.
 */
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include <string.h>

#include "emulator/gen/block.h"
#include "emulator/gen/lanes.h"
#include "emulator/gen/vectors.h"

/* Whether a message is of one dword a lane. */
static bool is_of_dwords(const struct gen_message *m)
{
    const unsigned kind = m->desc >> 8 & 15;
    switch (m->type) {
    case 0x01: /* untyped: all components but x are left out */
    case 0x09:
    case 0x11:
    case 0x19:
        return kind == 0xe;
    case 0x10: /* scattered, of 64 bits */
    case 0x1a:
        return kind == 1;
    default:
        return false;
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
    *to = (struct gen_block_message){.barrier = is_barrier(u)};
    if (u->run != gen_op_send || !u->has_message || m->sfid != GEN_SFID_DC1 || !is_of_dwords(m) ||
        m->bti == GEN_BTI_SYSTEM ||
        gen_message_shape(m->sfid, m->desc, &s) != GEN_MESSAGE_SCATTERED)
        return;
    const unsigned data = s.lanes * 4, first = m->header ? GEN_GRF_BYTES : 0,
                   head = first + s.lanes * (s.wide_addresses ? 8 : 4);
    if (m->lengths[0] * GEN_GRF_BYTES < head + (s.loads || m->lengths[1] ? 0 : data) ||
        (s.loads ? m->response * GEN_GRF_BYTES < data
                 : m->lengths[1] && m->lengths[1] * GEN_GRF_BYTES < data))
        return;
    *to = (struct gen_block_message){.lanes = (uint8_t)s.lanes,
                                     .stores = !s.loads,
                                     .wide_addresses = s.wide_addresses,
                                     .windowed = !s.wide_addresses && m->bti != GEN_BTI_SLM,
                                     .bti = (uint8_t)m->bti,
                                     .addresses = (uint16_t)(m->payload[0] + first),
                                     .data = (uint16_t)(s.loads         ? m->dst
                                                        : m->lengths[1] ? m->payload[1]
                                                                        : m->payload[0] + head)};
}

bool gen_block_access(const struct gen_uop *u, const struct gen_block_message *x,
                      struct wt_rows_insn *to)
{
    const struct gen_insn *insn = &u->insn;
    *to = (struct wt_rows_insn){.op = x->stores ? WT_ROWS_STORE : WT_ROWS_LOAD,
                                .space = x->wide_addresses ? WT_ROWS_GLOBAL
                                         : x->windowed     ? WT_ROWS_WINDOW
                                                           : WT_ROWS_GROUP,
                                .short_address = !x->wide_addresses,
                                .offset = GEN_SLM_OFFSET,
                                .window = x->window,
                                .lanes = x->lanes,
                                .channel = insn->channel,
                                .unmasked = insn->no_mask,
                                .d = x->data,
                                .s = {{.slot = x->addresses}, {.slot = x->data}}};
    return x->lanes && x->lanes == insn->exec_size && x->window < WT_ROWS_WINDOWS &&
           gen_block_predicate(insn, to);
}

/* What a surface is by the bytes that describe it; NULL: they are not so simple to read, or it is
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

/* Where lanes access memory. */
struct span {
    uint64_t low, high;
    bool row;           /* all lanes count, and their dwords lie side by side */
    uint32_t after[16]; /* bytes from low on */
};

static INLINE QUICK void measure(const uint8_t *from, unsigned lanes, uint32_t on, uint32_t kept,
                                 struct span *s)
{
    const vector_ud step = {0, 4, 8, 12, 16, 20, 24, 28};
    vector_ud at[2], apart, low, high;
    at[0] = *(const vector_at *)from & kept;
    at[1] = at[0];
    if (lanes > 8)
        at[1] = *(const vector_at *)(from + sizeof at[0]) & kept;
    const uint32_t first = at[0][0];
    apart = at[0] ^ (first + step);
    if (lanes > 8)
        apart |= at[1] ^ (first + 32 + step);
    const vector_uq pairs = (vector_uq)apart;
    s->row = on == ((uint32_t)1 << lanes) - 1 && !(pairs[0] | pairs[1] | pairs[2] | pairs[3]);
    s->low = first;
    s->high = (uint64_t)first + 4 * (lanes - 1);
    if (s->row)
        return;
    for (unsigned k = 0; k < 2; k++) {
        vector_ud counts;
        spread_bits(lanes > 8 ? on : on | on << 8, k, &counts);
        const vector_ud least = at[k] | ~counts, most = at[k] & counts;
        if (!k) {
            low = least;
            high = most;
            continue;
        }
        const vector_ud less = (vector_ud)(least < low), more = (vector_ud)(most > high);
        low = (least & less) | (low & ~less);
        high = (most & more) | (high & ~more);
    }
    uint32_t least = UINT32_MAX, most = 0;
    for (unsigned i = 0; i < LANES; i++) {
        least = low[i] < least ? low[i] : least;
        most = high[i] > most ? high[i] : most;
    }
    s->low = least;
    s->high = most;
    for (unsigned k = 0; k < 2; k++)
        *(vector_at *)(s->after + LANES * k) = at[k] - least;
}

/* Addresses of 64 bits are canonical: the upper bits repeat bit 47. False: they are far apart. */
static INLINE QUICK bool measure_wide(const uint8_t *from, unsigned lanes, uint32_t on,
                                      struct span *s)
{
    const uint64_t kept = (UINT64_C(1) << WT_MEMORY_ADDRESS_BITS) - 1;
    uint64_t at[16];
    s->row = on == ((uint32_t)1 << lanes) - 1;
    s->low = UINT64_MAX;
    s->high = 0;
    for (unsigned i = 0; i < lanes; i++) {
        at[i] = *(const gen_u64 *)(from + 8 * i) & kept;
        s->row = s->row && at[i] == at[0] + 4 * i;
        if (!(on >> i & 1))
            continue;
        s->low = at[i] < s->low ? at[i] : s->low;
        s->high = at[i] > s->high ? at[i] : s->high;
    }
    for (unsigned i = 0; i < lanes; i++)
        s->after[i] = (uint32_t)(at[i] - s->low);
    return s->high - s->low < UINT32_MAX - 4;
}

/* The memory of each lane, in several pages. */
static INLINE bool find_lanes(struct gen_device *d, const struct span *s, unsigned lanes,
                              uint32_t on, uint64_t low, bool stores, struct wt_rows_state *state,
                              uint8_t **host)
{
    for (unsigned i = 0; i < lanes; i++) {
        const uint64_t addr = low + s->after[i];
        if (!(on >> i & 1))
            continue;
        uint8_t *page = page_of(d, addr, stores);
        if (!page || (addr & WT_PAGE_MASK) > WT_PAGE_SIZE - 4 || addr >> WT_MEMORY_ADDRESS_BITS)
            return false;
        host[i] = page + (addr & WT_PAGE_MASK);
        if (stores)
            note_store(state, page);
    }
    return true;
}

static INLINE QUICK void copy(uint8_t *to, const uint8_t *from, unsigned lanes)
{
    *(vector_at *)to = *(const vector_at *)from;
    if (lanes > 8)
        *(vector_at *)(to + 32) = *(const vector_at *)(from + 32);
}

/* Each lane's dword behind a place. */
static INLINE QUICK void gather(uint8_t *to, const uint8_t *from, const struct span *s,
                                unsigned lanes, uint32_t on)
{
#ifdef __x86_64__
    for (unsigned k = 0; k < lanes; k += LANES, to += 4 * LANES) {
        vector_ud counts;
        spread_bits(on, k / LANES, &counts);
        const __m256i at = (__m256i) * (const vector_at *)(s->after + k);
        *(vector_at *)to = (vector_ud)_mm256_mask_i32gather_epi32((__m256i) * (const vector_at *)to,
                                                                  (const int *)(const void *)from,
                                                                  at, (__m256i)counts, 1);
    }
#else
    for (unsigned i = 0; i < lanes; i++)
        if (on >> i & 1)
            *(gen_u32 *)(to + 4 * i) = *(const gen_u32 *)(from + s->after[i]);
#endif
}

QUICK bool gen_access_dwords(struct gen_thread *t, const struct gen_uop *u,
                             const struct gen_block_message *x, struct gen_known_surfaces *known,
                             struct wt_rows_state *state)
{
    const struct gen_insn *insn = &u->insn;
    struct gen_device *d = t->device;
    const unsigned lanes = x->lanes;
    uint8_t *data = t->g->r + x->data, *together = NULL, *host[16];
    uint64_t base = 0, size = UINT64_MAX;
    struct span s;
    uint32_t on = (insn->no_mask ? UINT32_MAX : t->mask) >> insn->channel;
    on &= (uint32_t)((UINT64_C(1) << insn->exec_size) - 1);
    if (insn->predicate)
        on &= gen_predicate(t, insn);
    if (!on)
        return true;
    on &= ((uint32_t)1 << lanes) - 1;
    if (!on || d->machine.watch)
        return false;
    const bool slm = !x->wide_addresses && !x->windowed;
    if (x->wide_addresses) {
        if (!measure_wide(t->g->r + x->addresses, lanes, on, &s))
            return false;
    } else {
        if (slm) {
            size = t->group->local_size;
        } else if (x->window < WT_ROWS_WINDOWS) {
            if (!state->window[x->window].bytes)
                gen_open_window(t, u, x->bti, x->window, known, state);
            base = state->window[x->window].base;
            size = state->window[x->window].bytes;
        } else {
            return false;
        }
        measure(t->g->r + x->addresses, lanes, on, slm ? (uint32_t)GEN_SLM_OFFSET : UINT32_MAX, &s);
        if (s.high + 4 > size)
            return false;
    }
    const uint64_t low = base + s.low;
    if (slm) {
        together = t->group->local + low;
    } else if ((low & WT_PAGE_MASK) + (s.high - s.low) + 4 <= WT_PAGE_SIZE) {
        if (low >> WT_MEMORY_ADDRESS_BITS || !(together = page_of(d, low, x->stores)))
            return false;
        if (x->stores)
            note_store(state, together);
        together += low & WT_PAGE_MASK;
    } else {
        for (unsigned i = 0; s.row && i < lanes; i++)
            s.after[i] = 4 * i;
        s.row = false;
        if (!find_lanes(d, &s, lanes, on, low, x->stores, state, host))
            return false;
    }
    d->sending = u; /* if memory of the process is gone, this one has a fault */
    if (s.row && x->stores) {
        copy(together, data, lanes);
    } else if (s.row) {
        copy(data, together, lanes);
    } else if (together && !x->stores) {
        gather(data, together, &s, lanes, on);
    } else {
        for (uint32_t left = on; left; left &= left - 1) {
            const unsigned i = (unsigned)__builtin_ctz(left);
            uint8_t *at = together ? together + s.after[i] : host[i];
            if (x->stores)
                *(gen_u32 *)at = *(const gen_u32 *)(data + 4 * i);
            else
                *(gen_u32 *)(data + 4 * i) = *(const gen_u32 *)at;
        }
    }
    d->sending = NULL;
    return true;
}
