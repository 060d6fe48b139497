/*
 * Surfaces: binding table indices, the addresses of texels, and the single memory accesses of which
 * all messages consist.
 */
#include "emulator/gen/message.h"
#include "emulator/gen/texel.h"
#include "emulator/machine/copy.h"

#include <string.h>

/* Memory that describes surfaces: in place, or copied to @p copy. NULL: none is mapped there. */
static const uint8_t *look_at(const struct gen_message *m, uint64_t addr, uint8_t *copy,
                              unsigned size)
{
    const uint8_t *there = gen_readable(m->t->device, addr, size);
    return there ? there : gen_device_read(m->t->device, addr, copy, size) ? copy : NULL;
}

static bool read_dword(const struct gen_message *m, uint64_t addr, uint32_t *value)
{
    uint8_t copy[4];
    const uint8_t *bytes = look_at(m, addr, copy, sizeof copy);
    if (bytes)
        *value = (uint32_t)wt_load_le(bytes, 4);
    return bytes;
}

/* RENDER_SURFACE_STATE (PRM volume 2d). */
enum { STATE_BYTES = 64 };

static inline uint32_t dword(const uint8_t *state, unsigned i)
{
    return (uint32_t)wt_load_le(state + (size_t)4 * i, 4);
}

/* A buffer's address and size. Other surfaces have the size 0. */
static void decode_buffer(const uint8_t *state, struct gen_surface *s)
{
    s->kind = (uint8_t)wt_field(dword(state, 0), 31, 29);
    s->base = (dword(state, 8) | (uint64_t)dword(state, 9) << 32) &
              ((UINT64_C(1) << WT_MEMORY_ADDRESS_BITS) - 1);
    if (s->kind == GEN_SURFACE_BUFFER) /* its bytes less one, in three fields */
        s->size = ((uint64_t)wt_field(dword(state, 2), 13, 0) |
                   (uint64_t)wt_field(dword(state, 2), 29, 16) << 7 |
                   (uint64_t)wt_field(dword(state, 3), 31, 21) << 21) +
                  1;
}

static void decode_image(const uint8_t *state, struct gen_surface *s)
{
    s->is_array = wt_field(dword(state, 0), 28, 28);
    s->format = (uint16_t)wt_field(dword(state, 0), 26, 18);
    s->tiling = (uint8_t)wt_field(dword(state, 0), 13, 12);
    s->width = wt_field(dword(state, 2), 13, 0) + 1;
    s->height = wt_field(dword(state, 2), 29, 16) + 1;
    s->depth = wt_field(dword(state, 3), 31, 21) + 1;
    s->pitch = wt_field(dword(state, 3), 17, 0) + 1;
    s->slice_pitch = wt_field(dword(state, 1), 14, 0) << 2;
    s->first_layer = wt_field(dword(state, 4), 28, 18);
    s->x_offset = wt_field(dword(state, 5), 31, 25) << 2;
    s->y_offset = wt_field(dword(state, 5), 23, 21) << 2;
    s->levels = wt_field(dword(state, 5), 3, 0) + 1;
    for (unsigned i = 0; i < 4; i++)
        s->select[i] = (uint8_t)(dword(state, 7) >> (25 - 3 * i) & 7);
}

static bool read_surface(const struct gen_message *m, uint64_t addr, bool image,
                         struct gen_surface *s)
{
    uint8_t copy[STATE_BYTES];
    const uint8_t *state = look_at(m, addr, copy, sizeof copy);
    if (!state)
        return false;
    decode_buffer(state, s);
    if (image)
        decode_image(state, s);
    return true;
}

/* A surface that the binding table has. */
static bool read_entry(const struct gen_message *m, bool image, struct gen_surface *s)
{
    const struct gen_walk *w = &gen_walk_of(m->t)->walk;
    uint32_t entry;
    return read_dword(m, w->surfaces + w->binding_table + 4 * m->bti, &entry) &&
           read_surface(m, w->surfaces + (entry & ~UINT32_C(63)), image, s);
}

/* @p image: the members that describe images are wanted, too; else *s is not cleared before. */
static bool find_surface(const struct gen_message *m, bool image, struct gen_surface *s,
                         const struct gen_uop **next)
{
    const struct gen_walk *w = &gen_walk_of(m->t)->walk;
    if (m->bti == GEN_BTI_SLM) {
        s->is_slm = true;
        s->size = m->t->group->local_size;
        return true;
    }
    if (m->bti == GEN_BTI_STATELESS || m->bti == GEN_BTI_STATELESS_NC) {
        s->base = w->general;
        s->size = UINT64_C(1) << 32;
        return true;
    }
    /* The system routine's surface is the first one behind the surface state base address. */
    if (m->bti == GEN_BTI_SYSTEM && read_surface(m, w->surfaces, image, s))
        return true;
    if (read_entry(m, image, s))
        return true;
    *next =
        gen_message_fault(m, WT_FAULT_ACCESS, m->on, w->surfaces + w->binding_table + 4 * m->bti,
                          "no memory is mapped where surface %u is described", m->bti);
    return false;
}

bool gen_find_image(const struct gen_message *m, struct gen_surface *s, unsigned most,
                    const char *use, const struct gen_texel_format **format,
                    const struct gen_uop **next)
{
    *s = (struct gen_surface){0};
    if (!find_surface(m, true, s, next))
        return false;
    *format = gen_texel_format_of(s->format);
    if (s->is_slm)
        *next = gen_message_fault(m, WT_FAULT_ILLEGAL, m->on, 0,
                                  "binding table entry %u is shared local memory, not an image",
                                  m->bti);
    else if (s->kind > most && s->kind != GEN_SURFACE_BUFFER)
        *next = gen_message_fault(m, WT_FAULT_ILLEGAL, m->on, 0,
                                  "binding table entry %u is a surface of kind %u, which cannot be "
                                  "%s",
                                  m->bti, s->kind, use);
    else if (!*format)
        *next = gen_message_fault(m, WT_FAULT_ILLEGAL, m->on, 0,
                                  "image %u has format 0x%03x, which cannot be %s", m->bti,
                                  s->format, use);
    else if (s->levels > 1)
        *next = gen_message_fault(m, WT_FAULT_ILLEGAL, m->on, 0,
                                  "image %u has %u mip levels: one level is executed", m->bti,
                                  s->levels);
    else if (s->tiling == GEN_TILING_W)
        *next =
            gen_message_fault(m, WT_FAULT_ILLEGAL, m->on, 0,
                              "image %u has W tiles: linear, X and Y tiles are executed", m->bti);
    else
        return true;
    return false;
}

bool gen_peek_image(const struct gen_message *m, struct gen_surface *s,
                    const struct gen_texel_format **format)
{
    *s = (struct gen_surface){0};
    if (m->bti >= GEN_BTI_SYSTEM || !read_entry(m, true, s) || s->kind > GEN_SURFACE_BUFFER)
        return false;
    *format = gen_texel_format_of(s->format);
    return *format;
}

bool gen_surface_base(struct gen_thread *t, unsigned bti, uint64_t *base)
{
    const struct gen_message m = {.t = t, .bti = bti};
    struct gen_surface s = {0};
    const bool is = bti < GEN_BTI_SYSTEM && read_entry(&m, false, &s) && s.size;
    *base = s.base;
    return is;
}

bool gen_find_buffer(const struct gen_message *m, struct gen_surface *s,
                     const struct gen_uop **next)
{
    s->is_slm = false;
    s->base = s->size = 0;
    return find_surface(m, false, s, next);
}

/* Byte `x` of row `y` of a surface whose rows are `pitch` bytes long (Skylake PRM volume 5,
 * "Tiling"): a tile is 4 KiB, X 512 bytes by 8 rows, Y 128 bytes by 32 rows in columns of 16 bytes.
 */
static uint64_t tiled_offset(uint8_t tiling, uint64_t pitch, uint64_t x, uint64_t y)
{
    switch (tiling) {
    case GEN_TILING_X:
        return (y / 8 * (pitch / 512) + x / 512) * 4096 + y % 8 * 512 + x % 512;
    case GEN_TILING_Y:
        return (y / 32 * (pitch / 128) + x / 128) * 4096 + x % 128 / 16 * 512 + y % 32 * 16 +
               x % 16;
    default:
        return y * pitch + x;
    }
}

uint64_t gen_texel_address(const struct gen_surface *s, uint32_t x, uint32_t y, uint32_t layer,
                           unsigned bytes)
{
    uint64_t column = (uint64_t)x + s->x_offset, row = (uint64_t)y + s->y_offset;
    const uint64_t slice = (uint64_t)layer + s->first_layer;
    assert(s->tiling != GEN_TILING_W);
    if (s->kind == GEN_SURFACE_BUFFER)
        return s->base + (uint64_t)x * s->pitch;
    if (s->kind == GEN_SURFACE_1D)
        column += slice * s->slice_pitch;
    else
        row += slice * s->slice_pitch;
    return s->base + tiled_offset(s->tiling, s->pitch, column * bytes, row);
}

unsigned gen_payload_register(const struct gen_message *m, unsigned index)
{
    return index < m->lengths[0] ? m->payload[0] + index * GEN_GRF_BYTES
                                 : m->payload[1] + (index - m->lengths[0]) * GEN_GRF_BYTES;
}

bool gen_can_access(struct gen_device *d, uint64_t addr, unsigned size, bool write)
{
    return (write ? gen_writable(d, addr, size) != NULL : gen_readable(d, addr, size) != NULL) ||
           gen_mapped(d, addr, size, write);
}

/* The address is told in canonical form, as a pointer of the program prints. */
const struct gen_uop *gen_memory_fault(const struct gen_message *m, uint32_t lanes, uint64_t addr,
                                       unsigned size, enum wt_access access)
{
    struct gen_device *d = m->t->device;
    const bool write = access != WT_ACCESS_LOAD;
    const uint64_t missing = gen_mapped(d, addr, 1, write) ? (addr | WT_PAGE_MASK) + 1 : addr;
    return gen_message_fault(
        m, WT_FAULT_ACCESS, lanes, missing, WT_UNMAPPED, wt_access_word(access), size,
        (unsigned long long)wt_sign_extend(addr, WT_MEMORY_ADDRESS_BITS),
        write && gen_mapped(d, missing, 1, false) ? wt_access_for(access) : "");
}

bool gen_check_memory(const struct gen_message *m, unsigned lane, uint64_t addr, unsigned size,
                      enum wt_access access, const struct gen_uop **next)
{
    if (gen_can_access(m->t->device, addr, size, access != WT_ACCESS_LOAD))
        return true;
    *next = gen_memory_fault(m, (uint32_t)1 << lane, addr, size, access);
    return false;
}

unsigned gen_message_lane(const struct gen_message *m, unsigned lane)
{
    return (m->u->insn.channel + lane) % GEN_CHANNELS;
}

uint64_t gen_watched_address(const struct gen_surface *s, uint64_t addr)
{
    return s->is_slm ? GEN_SLM_APERTURE + addr : addr;
}

void gen_message_read(const struct gen_message *m, const struct gen_surface *s, unsigned lane,
                      uint64_t addr, void *out, unsigned size)
{
    struct gen_device *d = m->t->device;
    if (s->is_slm) {
        memcpy(out, m->t->group->local + addr, size);
    } else {
        const uint8_t *from = gen_readable(d, addr, size);
        if (from)
            memcpy(out, from, size);
        else
            gen_device_read(d, addr, out, size);
    }
    if (d->machine.watch)
        gen_watch_access(m->t, m->u, WT_WATCH_READ, gen_message_lane(m, lane),
                         gen_watched_address(s, addr), size, out, out);
}

bool gen_message_write(const struct gen_message *m, const struct gen_surface *s, unsigned lane,
                       uint64_t addr, const void *bytes, unsigned size, enum wt_watch_kind kind)
{
    struct gen_device *d = m->t->device;
    uint8_t before[128];
    assert(size <= sizeof before);
    if (s->is_slm) {
        memcpy(before, m->t->group->local + addr, size);
        memcpy(m->t->group->local + addr, bytes, size);
    } else {
        uint8_t *to = gen_writable(d, addr, size);
        if (kind == WT_WATCH_ACCESS)
            wt_met(&d->machine);
        if (to) {
            if (d->machine.watch)
                gen_watch_access(m->t, m->u, kind, gen_message_lane(m, lane),
                                 gen_watched_address(s, addr), size, to, bytes);
            memcpy(to, bytes, size);
            return true;
        }
        gen_device_read(d, addr, before, size);
        if (!gen_device_write(d, addr, bytes, size))
            return false;
        if (wt_in_process_reports(&d->machine.process))
            gen_stored(m->t, addr, bytes, size, kind == WT_WATCH_ACCESS);
    }
    if (d->machine.watch)
        gen_watch_access(m->t, m->u, kind, gen_message_lane(m, lane), gen_watched_address(s, addr),
                         size, before, bytes);
    return true;
}
