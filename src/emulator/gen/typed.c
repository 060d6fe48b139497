/*
 * Typed surfaces: reads, writes and atomics of texels (Skylake PRM volume 7, "Typed Surface
 * Read/Write"). A lane's coordinates U, V, R and LOD come first, as many of them as the payload has
 * registers for; then the data, one register for each component that is not left out.
 */

#include "emulator/gen/texel.h"
#include "emulator/gen/message.h"

#include <stdio.h>
#include <string.h>

enum { LANES = 8, TYPE_READ = 0x05, TYPE_ATOMIC = 0x06, TYPE_WRITE = 0x0d, BYTES_MAX = 16 };

struct gen_typed {
    struct gen_surface surface;
    const struct gen_texel_format *format;
    unsigned coordinates; /* registers of them */
    unsigned first;       /* register: U */
    uint32_t on;          /* lanes, from bit 0 */
    uint32_t outside;     /* lanes that read 0 and write nothing; they are not in `on` */
    unsigned first_lane;  /* first of the instruction's channels: 0 or 8 */
    uint64_t addr[LANES];
};

/* desc[13:12]: the message takes the lower or the upper eight channels. */
static void take_lanes(const struct gen_message *m, struct gen_typed *x, bool upper)
{
    x->first_lane = upper ? LANES : 0;
    x->on = m->on >> x->first_lane & 0xff;
}

static uint32_t coordinate(const struct gen_message *m, const struct gen_typed *x, unsigned which,
                           unsigned lane)
{
    if (which >= x->coordinates)
        return 0;
    return (uint32_t)wt_load_le(
        gen_registers(m) + gen_payload_register(m, x->first + which) + 4 * lane, 4);
}

static unsigned dimensions(const struct gen_surface *s)
{
    return s->kind == GEN_SURFACE_3D                                  ? 3
           : s->kind == GEN_SURFACE_2D || s->kind == GEN_SURFACE_CUBE ? 2
                                                                      : 1;
}

static const struct gen_uop *outside(const struct gen_message *m, const struct gen_typed *x,
                                     unsigned lane, const uint32_t at[3])
{
    const struct gen_surface *s = &x->surface;
    if (s->kind == GEN_SURFACE_BUFFER)
        return gen_message_fault(m, WT_FAULT_ACCESS, UINT32_C(1) << (x->first_lane + lane), s->base,
                                 "texel %d is outside image %u, which has %llu", (int)at[0], m->bti,
                                 (unsigned long long)s->size);
    return gen_message_fault(m, WT_FAULT_ACCESS, UINT32_C(1) << (x->first_lane + lane), s->base,
                             "texel (%d,%d,%d) is outside image %u, which is %u by %u by %u",
                             (int)at[0], (int)at[1], (int)at[2], m->bti, s->width, s->height,
                             s->depth);
}

/* Tells the judge of the lanes whose texels are outside, the first of which is @p at. */
static void tell(const struct gen_message *m, const struct gen_typed *x, enum wt_access access,
                 const uint32_t at[3])
{
    const struct gen_surface *s = &x->surface;
    char what[100];
    snprintf(what, sizeof what, "texel (%d,%d,%d) of an image of %u by %u by %u", (int)at[0],
             (int)at[1], (int)at[2],
             s->kind == GEN_SURFACE_BUFFER ? (unsigned)s->size : (unsigned)s->width,
             s->kind == GEN_SURFACE_BUFFER ? 1 : (unsigned)s->height,
             s->kind == GEN_SURFACE_BUFFER ? 1 : (unsigned)s->depth);
    gen_judge_texels(m, s,
                     access == WT_ACCESS_LOAD    ? WT_WATCH_READ
                     : access == WT_ACCESS_STORE ? WT_WATCH_WRITE
                                                 : WT_WATCH_ACCESS,
                     x->outside << x->first_lane, x->format->bytes, what);
}

/* Addresses of all lanes, each checked. */
static bool resolve(const struct gen_message *m, struct gen_typed *x, enum wt_access access,
                    const struct gen_uop **next)
{
    const struct gen_surface *s = &x->surface;
    const unsigned spatial = dimensions(s);
    const uint64_t width = s->kind == GEN_SURFACE_BUFFER ? s->size : s->width;
    uint32_t first[3] = {0};
    for (unsigned i = 0; i < LANES; i++) {
        if (!(x->on >> i & 1))
            continue;
        const uint32_t at[3] = {
            coordinate(m, x, 0, i), spatial >= 2 ? coordinate(m, x, 1, i) : 0,
            s->is_array || spatial == 3 ? coordinate(m, x, spatial == 3 ? 2 : spatial, i) : 0};
        const bool layered = s->is_array || spatial == 3;
        if (at[0] >= width || (spatial >= 2 && at[1] >= s->height) ||
            (layered && at[2] >= s->depth)) {
            if (!x->outside)
                memcpy(first, at, sizeof first);
            if (!m->t->device->config.hardware_bounds && !m->t->device->machine.judge) {
                *next = outside(m, x, i, at);
                return false;
            }
            x->outside |= UINT32_C(1) << i;
            x->on &= ~(UINT32_C(1) << i);
            continue;
        }
        x->addr[i] = gen_texel_address(s, at[0], at[1], at[2], x->format->bytes);
        if (!gen_check_memory(m, x->first_lane + i, x->addr[i], x->format->bytes, access, next))
            return false;
    }
    if (x->outside && m->t->device->machine.judge)
        tell(m, x, access, first);
    return true;
}

/* Splits the payload into coordinates and `data` registers behind them. */
static bool split_payload(const struct gen_message *m, struct gen_typed *x, unsigned data)
{
    const unsigned all = m->lengths[0] + m->lengths[1];
    x->first = m->header ? 1 : 0;
    if (all < x->first + data + 1 || all > x->first + data + 4)
        return false;
    x->coordinates = all - x->first - data;
    return true;
}

static const struct gen_uop *read_texels(const struct gen_message *m, struct gen_typed *x,
                                         unsigned left_out)
{
    const unsigned count = 4u - (unsigned)__builtin_popcount(left_out);
    uint8_t bytes[BYTES_MAX];
    uint32_t rgba[LANES][4] = {0};
    const struct gen_uop *next;
    if (!split_payload(m, x, 0) || m->response < count)
        return gen_message_length(m, "a typed");
    if (!resolve(m, x, WT_ACCESS_LOAD, &next))
        return next;
    for (unsigned i = 0; i < LANES; i++)
        if (x->on >> i & 1) {
            gen_message_read(m, &x->surface, x->first_lane + i, x->addr[i], bytes,
                             x->format->bytes);
            gen_texel_unpack(x->format, bytes, rgba[i]);
        }
    for (unsigned c = 0, at = m->dst; c < 4; c++) {
        if (left_out >> c & 1)
            continue;
        for (unsigned i = 0; i < LANES; i++)
            if ((x->on | x->outside) >> i & 1)
                wt_store_le(gen_registers(m) + at + 4 * i, rgba[i][c], 4);
        at += GEN_GRF_BYTES;
    }
    return gen_next(m->u);
}

/* Components that the message leaves out are 0. */
static const struct gen_uop *write_texels(const struct gen_message *m, struct gen_typed *x,
                                          unsigned left_out)
{
    const unsigned count = 4u - (unsigned)__builtin_popcount(left_out);
    uint8_t bytes[BYTES_MAX];
    const struct gen_uop *next;
    if (!split_payload(m, x, count))
        return gen_message_length(m, "a typed");
    if (!resolve(m, x, WT_ACCESS_STORE, &next))
        return next;
    for (unsigned i = 0; i < LANES; i++) {
        uint32_t rgba[4] = {0};
        if (!(x->on >> i & 1))
            continue;
        for (unsigned c = 0, at = x->first + x->coordinates; c < 4; c++)
            if (!(left_out >> c & 1))
                rgba[c] = (uint32_t)wt_load_le(
                    gen_registers(m) + gen_payload_register(m, at++) + 4 * i, 4);
        gen_texel_pack(x->format, rgba, bytes);
        if (!gen_message_write(m, &x->surface, x->first_lane + i, x->addr[i], bytes,
                               x->format->bytes, WT_WATCH_WRITE))
            return gen_no_memory(m->t, m->u, UINT32_C(1) << gen_message_lane(m, x->first_lane + i),
                                 x->addr[i]);
    }
    return gen_next(m->u);
}

/* Atomics work on texels of one integer of 32 bits. */
static const struct gen_uop *change_texels(const struct gen_message *m, struct gen_typed *x)
{
    const unsigned op = m->desc >> 8 & 15, count = gen_atomic_sources(op);
    const bool returns = m->desc >> 13 & 1;
    const struct gen_uop *next;
    if (!op || x->format->bytes != 4 || !gen_texel_is_integer(x->format) ||
        x->format->component[0].bits != 32)
        return gen_message_unknown(m);
    if (!split_payload(m, x, count) || (returns && !m->response))
        return gen_message_length(m, "a typed");
    if (!resolve(m, x, WT_ACCESS_ATOMIC, &next))
        return next;
    for (unsigned i = 0; i < LANES; i++) {
        uint8_t bytes[4];
        uint64_t operands[2] = {0, 0};
        if (returns && x->outside >> i & 1)
            wt_store_le(gen_registers(m) + m->dst + 4 * i, 0, 4);
        if (!(x->on >> i & 1))
            continue;
        for (unsigned k = 0; k < count; k++)
            operands[k] = wt_load_le(
                gen_registers(m) + gen_payload_register(m, x->first + x->coordinates + k) + 4 * i,
                4);
        gen_device_read(m->t->device, x->addr[i], bytes, sizeof bytes);
        const uint64_t old = wt_load_le(bytes, 4);
        const uint64_t new = gen_atomic_integer(op, 4, old, operands[0], operands[1]);
        wt_store_le(bytes, new, 4);
        if (!gen_message_write(m, &x->surface, x->first_lane + i, x->addr[i], bytes, 4,
                               WT_WATCH_ACCESS))
            return gen_no_memory(m->t, m->u, UINT32_C(1) << gen_message_lane(m, x->first_lane + i),
                                 x->addr[i]);
        if (returns)
            wt_store_le(gen_registers(m) + m->dst + 4 * i, op == GEN_ATOMIC_PREDEC ? new : old, 4);
    }
    return gen_next(m->u);
}

const struct gen_uop *gen_typed(struct gen_message *m)
{
    struct gen_typed x = {0};
    const struct gen_uop *next;
    const unsigned slots = m->desc >> 12 & 3;
    if (!gen_find_image(m, &x.surface, GEN_SURFACE_BUFFER, "written or read", &x.format, &next))
        return next;
    if (m->type == TYPE_ATOMIC) {
        take_lanes(m, &x, slots & 1);
        return change_texels(m, &x);
    }
    if (slots != 1 && slots != 2)
        return gen_message_unknown(m);
    take_lanes(m, &x, slots == 2);
    return m->type == TYPE_READ ? read_texels(m, &x, m->desc >> 8 & 15)
                                : write_texels(m, &x, m->desc >> 8 & 15);
}

bool gen_typed_texels(const struct gen_message *m, struct gen_texels *to)
{
    struct gen_surface s;
    *to = (struct gen_texels){.used = 0};
    if (!gen_peek_image(m, &s, &to->format))
        return false;
    const unsigned spatial = dimensions(&s),
                   left_out = m->type == TYPE_ATOMIC ? 0 : m->desc >> 8 & 15;
    to->used = (1u << (spatial + (s.is_array && spatial < 3))) - 1;
    for (unsigned c = 0; c < 4; c++)
        if (!(left_out >> c & 1))
            to->component[to->components++] = (uint8_t)c;
    return true;
}
