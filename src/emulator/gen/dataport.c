/*
 * Data ports: reads, writes and atomics of memory and of shared local memory (Skylake PRM volume 7,
 * "Data Port Messages"). A message with a faulty access has no effect: loads are written to
 * registers once all are done, and stores and atomics begin once all addresses are checked.
 */
#include "emulator/gen/lanes.h"

#include <string.h>

/* Messages of data port 0 and of data port 1, by desc[18:14]. */
enum {
    DC0_BLOCK_READ = 0x00,
    DC0_UNALIGNED_BLOCK_READ = 0x01,
    DC0_DWORD_READ = 0x03,
    DC0_BYTE_READ = 0x04,
    DC0_FENCE = 0x07,
    DC0_BLOCK_WRITE = 0x08,
    DC0_DWORD_WRITE = 0x0b,
    DC0_BYTE_WRITE = 0x0c,
    DC0_SCRATCH = 0x10, /* and all above */
    DC1_UNTYPED_READ = 0x01,
    DC1_UNTYPED_ATOMIC = 0x02,
    DC1_TYPED_READ = 0x05,
    DC1_TYPED_ATOMIC = 0x06,
    DC1_UNTYPED_WRITE = 0x09,
    DC1_TYPED_WRITE = 0x0d,
    DC1_A64_READ = 0x10,
    DC1_A64_UNTYPED_READ = 0x11,
    DC1_A64_ATOMIC = 0x12,
    DC1_A64_BLOCK_READ = 0x14,
    DC1_A64_BLOCK_WRITE = 0x15,
    DC1_A64_UNTYPED_WRITE = 0x19,
    DC1_A64_WRITE = 0x1a,
    DC1_FLOAT_ATOMIC = 0x1b,
    DC1_A64_FLOAT_ATOMIC = 0x1d,
};

/* ---- addresses ---- */

/* Addresses of the lanes, from the first register behind the header on. */
static void read_addresses(const struct gen_message *m, struct gen_transfer *x)
{
    const unsigned width = x->wide_addresses ? 8 : 4;
    const uint8_t *at = gen_addresses(m);
    for (unsigned i = 0; i < x->lanes; i++)
        x->addr[i] = wt_load_le(at + width * i, width) * (x->unit ? x->unit : 1);
}

/* Whether the payload has the registers that addresses and data take. */
static bool payload_fits(const struct gen_message *m, const struct gen_transfer *x,
                         unsigned data_bytes, unsigned *data)
{
    const unsigned addresses = x->lanes * (x->wide_addresses ? 8u : 4u);
    const unsigned head = (m->header ? GEN_GRF_BYTES : 0u) + addresses;
    if (m->lengths[0] * GEN_GRF_BYTES < (head < GEN_GRF_BYTES ? GEN_GRF_BYTES : head))
        return false;
    if (m->lengths[1]) {
        *data = m->payload[1];
        return m->lengths[1] * GEN_GRF_BYTES >= data_bytes;
    }
    *data = m->payload[0] + head;
    return m->lengths[0] * GEN_GRF_BYTES >= head + data_bytes;
}

/* Whether an element of a lane is accessed: it is in the surface, and the judge has not refused it.
 */
static bool is_inside(const struct gen_transfer *x, unsigned lane, unsigned element)
{
    return !((x->outside | x->refused) >> lane & 1) ||
           (!(x->refused >> lane & 1) &&
            x->addr[lane] - x->surface.base + x->offset[element] + x->size <= x->surface.size);
}

/* Asks the judge, if there is one. */
static void judge(const struct gen_message *m, struct gen_transfer *x, enum wt_watch_kind kind)
{
    if (m->t->device->machine.judge)
        gen_judge_lanes(m, x, kind);
}

/* Whether an access outside of its surface has no effect, as in hardware; else it is a fault. */
static bool is_lenient(const struct gen_device *d)
{
    return d->config.hardware_bounds || d->machine.judge;
}

enum stray { STRAY_NONE, STRAY_SLM, STRAY_SURFACE, STRAY_MEMORY };

/* Makes an address of a lane's offset; what is wrong with it, and then the offset stays where it is
 * outside of SLM or a surface. */
static enum stray reach(const struct gen_message *m, struct gen_transfer *x, unsigned i, bool write,
                        unsigned *inside)
{
    struct gen_device *d = m->t->device;
    const uint64_t mask = (UINT64_C(1) << WT_MEMORY_ADDRESS_BITS) - 1, offset = x->addr[i];
    const unsigned bytes = gen_extent(x);
    *inside = bytes;
    if (x->wide_addresses) { /* canonical: the upper bits repeat bit 47 */
        x->addr[i] = offset & mask;
    } else if (x->surface.is_slm) {
        x->addr[i] &= GEN_SLM_OFFSET;
        return x->addr[i] + bytes > x->surface.size ? STRAY_SLM : STRAY_NONE;
    } else {
        if (offset + bytes > x->surface.size) {
            if (!is_lenient(d))
                return STRAY_SURFACE;
            x->outside |= UINT32_C(1) << i;
            *inside = offset < x->surface.size ? (unsigned)(x->surface.size - offset) : 0;
        }
        x->addr[i] = (x->surface.base + offset) & mask;
    }
    return !*inside || gen_can_access(d, x->addr[i], *inside, write) ? STRAY_NONE : STRAY_MEMORY;
}

/* Makes addresses of offsets, and checks that all of them can be used: the mistake is that of the
 * first lane and of those like it. */
static bool resolve(const struct gen_message *m, struct gen_transfer *x, enum wt_access access,
                    const struct gen_uop **next)
{
    const bool write = access != WT_ACCESS_LOAD;
    enum stray kind = STRAY_NONE;
    unsigned inside, first = 0, size = 0;
    uint32_t lanes = 0;
    for (unsigned i = 0; i < x->lanes; i++) {
        const enum stray stray =
            (x->on & ~x->refused) >> i & 1 ? reach(m, x, i, write, &inside) : STRAY_NONE;
        if (!stray || (kind && kind != stray))
            continue;
        if (!kind) {
            kind = stray;
            first = i;
            size = inside;
        }
        lanes |= UINT32_C(1) << i;
    }
    const unsigned long long at = x->addr[first];
    switch (kind) {
    case STRAY_SLM:
        *next = gen_message_fault(
            m, WT_FAULT_ACCESS, lanes, GEN_SLM_APERTURE + at,
            "%s of %u bytes at offset 0x%llx is outside the group's %llu bytes of shared local "
            "memory",
            wt_access_word(access), size, at, (unsigned long long)x->surface.size);
        break;
    case STRAY_SURFACE:
        *next = gen_message_fault(
            m, WT_FAULT_ACCESS, lanes, x->surface.base + at,
            "%s of %u bytes at offset 0x%llx is outside surface %u, which has %llu bytes",
            wt_access_word(access), size, at, m->bti, (unsigned long long)x->surface.size);
        break;
    case STRAY_MEMORY:
        *next = gen_memory_fault(m, lanes, at, size, access);
        break;
    default:
        break;
    }
    return !kind;
}

/* ---- scattered and untyped accesses ---- */

static const struct gen_uop *load(const struct gen_message *m, struct gen_transfer *x)
{
    const struct gen_uop *next;
    const unsigned block = x->lanes * x->slot,
                   padded = block < GEN_GRF_BYTES ? GEN_GRF_BYTES : block;
    unsigned data;
    uint8_t value[GEN_CHANNELS][8][8];
    if (!payload_fits(m, x, 0, &data) || m->response * GEN_GRF_BYTES < padded * x->elements)
        return gen_message_length(m, "the");
    if (gen_load_lanes(m, x, padded))
        return gen_next(m->u);
    read_addresses(m, x);
    judge(m, x, WT_WATCH_READ);
    if (!resolve(m, x, WT_ACCESS_LOAD, &next))
        return next;
    for (unsigned i = 0; i < x->lanes; i++)
        for (unsigned k = 0; k < x->elements && (x->on >> i & 1); k++) {
            memset(value[i][k], 0, 8);
            if (is_inside(x, i, k))
                gen_message_read(m, &x->surface, i, x->addr[i] + x->offset[k], value[i][k],
                                 x->size);
        }
    for (unsigned i = 0; i < x->lanes; i++)
        for (unsigned k = 0; k < x->elements && (x->on >> i & 1); k++)
            memcpy(gen_registers(m) + m->dst + k * padded + i * x->slot, value[i][k], x->slot);
    return gen_next(m->u);
}

static const struct gen_uop *write_back(const struct gen_message *m, struct gen_transfer *x)
{
    const struct gen_uop *next;
    const unsigned block = x->lanes * x->slot,
                   padded = block < GEN_GRF_BYTES ? GEN_GRF_BYTES : block;
    unsigned data;
    if (!payload_fits(m, x, padded * x->elements, &data))
        return gen_message_length(m, "the");
    if (gen_store_lanes(m, x, data, padded))
        return gen_next(m->u);
    read_addresses(m, x);
    judge(m, x, WT_WATCH_WRITE);
    if (!resolve(m, x, WT_ACCESS_STORE, &next))
        return next;
    for (unsigned i = 0; i < x->lanes; i++)
        for (unsigned k = 0; k < x->elements && (x->on >> i & 1); k++)
            if (is_inside(x, i, k) &&
                !gen_message_write(m, &x->surface, i, x->addr[i] + x->offset[k],
                                   gen_registers(m) + data + k * padded + i * x->slot, x->size,
                                   WT_WATCH_WRITE))
                return gen_no_memory(m->t, m->u, (uint32_t)1 << gen_message_lane(m, i), x->addr[i]);
    return gen_next(m->u);
}

/* desc[11:8]: components x, y, z, w that are left out; desc[13:12]: lanes. */
static bool untyped_shape(const struct gen_message *m, struct gen_transfer *x)
{
    const unsigned mode = m->desc >> 12 & 3;
    x->size = x->slot = x->align = 4;
    x->lanes = mode == 1 ? 16 : 8;
    for (unsigned i = 0; i < 4; i++)
        if (!(m->desc >> (8 + i) & 1))
            x->offset[x->elements++] = (uint8_t)(4 * i);
    return x->elements && (mode == 1 || mode == 2);
}

/* Elements of a lane that lie side by side. */
static void set_elements(struct gen_transfer *x, unsigned count)
{
    x->elements = count;
    for (unsigned i = 0; i < count; i++)
        x->offset[i] = (uint8_t)(i * x->size);
}

/* A64: desc[9:8] bytes, dwords or qwords; desc[11:10] how many; of bytes one element of so many. */
static bool scattered_shape(const struct gen_message *m, struct gen_transfer *x)
{
    const unsigned kind = m->desc >> 8 & 3, count = 1u << (m->desc >> 10 & 3);
    x->lanes = m->desc >> 12 & 1 ? 16 : 8;
    x->slot = kind == 2 ? 8 : 4;
    x->size = kind == 0 ? count : x->slot;
    x->align = kind == 0 ? 0 : 4;
    set_elements(x, kind == 0 ? 1 : count);
    return kind < 3 && x->size <= x->slot && (kind < 2 || count <= 4);
}

/* Bytes: desc[8] lanes, desc[11:10] 1, 2 or 4 bytes each. */
static bool byte_shape(const struct gen_message *m, struct gen_transfer *x)
{
    x->lanes = m->desc >> 8 & 1 ? 16 : 8;
    x->slot = 4;
    x->size = 1u << (m->desc >> 10 & 3);
    set_elements(x, 1);
    return x->size <= 4;
}

/* Dwords: desc[9:8] lanes; addresses count dwords. */
static bool dword_shape(const struct gen_message *m, struct gen_transfer *x)
{
    const unsigned code = m->desc >> 8 & 3;
    x->lanes = code == 3 ? 16 : 8;
    x->slot = x->size = x->unit = 4;
    set_elements(x, 1);
    return code >= 2;
}

/* ---- blocks ---- */

static unsigned block_bytes(unsigned code)
{
    static const uint8_t owords[8] = {1, 1, 2, 4, 8, 0, 0, 0};
    return owords[code] * 16u;
}

/*
 * How many bytes of a block are accessed. A block that is read may reach beyond its surface, where
 * hardware reads 0: Intel's compiler makes one of a vector of three that is the last of its buffer.
 */
static unsigned block_inside(const struct gen_message *m, const struct gen_transfer *x, bool write,
                             unsigned bytes)
{
    const uint64_t first = x->addr[0], size = x->surface.size;
    const bool lenient = is_lenient(m->t->device) && !x->surface.is_slm;
    if (x->wide_addresses || first + bytes <= size)
        return bytes;
    if (first < size && (lenient || !write))
        return (unsigned)(size - first);
    return lenient ? 0 : bytes;
}

/* A block of a whole message, whatever channels are enabled: `at` is the byte of the register that
 * it begins with. */
static const struct gen_uop *move_block(const struct gen_message *m, struct gen_transfer *x,
                                        bool write, unsigned bytes, unsigned within,
                                        bool is_scratch)
{
    const struct gen_uop *next;
    uint8_t data[256];
    unsigned part = 0;
    const unsigned source = m->lengths[1] ? m->payload[1] : m->payload[0] + GEN_GRF_BYTES;
    const unsigned sent = m->lengths[1] ? m->lengths[1] : m->lengths[0] - 1;
    if (!bytes || bytes > sizeof data)
        return gen_message_unknown(m);
    if (!m->header || !m->lengths[0] ||
        (write ? !sent : m->response * GEN_GRF_BYTES < within + bytes))
        return gen_message_length(m, "the");
    /* Registers that were not sent have no defined value, so they are not written. Intel's system
     * routine sends three of four, and writes the fourth by its next message. */
    if (write && sent * GEN_GRF_BYTES < within + bytes)
        bytes = sent * GEN_GRF_BYTES - within;
    x->lanes = 1;
    x->on = 1;
    x->elements = 1;
    x->offset[0] = 0;
    x->size = 1;
    const uint64_t first = x->addr[0];
    const bool judged = m->t->device->machine.judge && !is_scratch;
    const unsigned inside =
        !judged || gen_judge_block(m, x, write, bytes) ? block_inside(m, x, write, bytes) : 0;
    memset(data + inside, 0, bytes - inside);
    /* Each byte must be there: the ends and what is between them. */
    for (unsigned done = 0; done < inside; done += part) {
        part = inside - done < 64 ? inside - done : 64;
        x->addr[0] = first + done;
        x->size = part;
        if (!resolve(m, x, write ? WT_ACCESS_STORE : WT_ACCESS_LOAD, &next))
            return next;
        if (!write)
            gen_message_read(m, &x->surface, 0, x->addr[0], data + done, part);
    }
    for (unsigned done = 0; write && done < inside; done += part) {
        part = inside - done < 64 ? inside - done : 64;
        x->addr[0] = first + done;
        x->size = part;
        resolve(m, x, WT_ACCESS_STORE, &next);
        if (!gen_message_write(m, &x->surface, 0, x->addr[0],
                               gen_registers(m) + source + within + done, part, WT_WATCH_WRITE))
            return gen_no_memory(m->t, m->u, 1, x->addr[0]);
    }
    if (!write)
        memcpy(gen_registers(m) + m->dst + within, data, bytes);
    return gen_next(m->u);
}

static uint32_t header_dword(const struct gen_message *m, unsigned index)
{
    return (uint32_t)wt_load_le(gen_registers(m) + m->payload[0] + 4 * index, 4);
}

/* Stateless blocks are relative to the buffer that the header names, too. */
static uint64_t header_base(const struct gen_message *m)
{
    return m->bti == GEN_BTI_STATELESS || m->bti == GEN_BTI_STATELESS_NC
               ? header_dword(m, 5) & ~UINT32_C(0x3ff)
               : 0;
}

static const struct gen_uop *oword_block(struct gen_message *m, struct gen_transfer *x, bool write)
{
    const unsigned code = m->desc >> 8 & 7;
    const bool aligned = m->type != DC0_UNALIGNED_BLOCK_READ;
    x->addr[0] = header_base(m) + (uint64_t)header_dword(m, 2) * (aligned ? 16 : 1);
    return move_block(m, x, write, block_bytes(code), code == 1 ? 16 : 0, false);
}

static const struct gen_uop *a64_block(struct gen_message *m, struct gen_transfer *x, bool write)
{
    const unsigned code = m->desc >> 8 & 7, kind = m->desc >> 11 & 3;
    const unsigned hwords = code == 1 ? 1 : code == 2 ? 2 : code == 3 ? 4 : code == 4 ? 8 : 0;
    x->wide_addresses = true;
    x->addr[0] = wt_load_le(gen_registers(m) + m->payload[0], 8);
    if (kind == 2)
        return gen_message_unknown(m);
    return move_block(m, x, write, kind == 3 ? hwords * 32 : block_bytes(code),
                      kind != 3 && code == 1 ? 16 : 0, false);
}

/* Scratch blocks: whole registers at an offset from the thread's scratch memory. */
static const struct gen_uop *scratch_block(struct gen_message *m, struct gen_transfer *x)
{
    const struct gen_walk *w = &gen_walk_of(m->t)->walk;
    const unsigned count = 1u << (m->desc >> 12 & 3);
    x->surface = (struct gen_surface){.base = w->general, .size = UINT64_C(1) << 32};
    x->addr[0] =
        (header_dword(m, 5) & ~UINT32_C(0x3ff)) + (uint64_t)(m->desc & 0xfff) * GEN_GRF_BYTES;
    return move_block(m, x, m->desc >> 17 & 1, count * GEN_GRF_BYTES, 0, true);
}

/* ---- atomics ---- */

enum { OP_FMAX = 1, OP_FMIN, OP_FCMPWR };

uint64_t gen_atomic_integer(unsigned op, unsigned size, uint64_t old, uint64_t a, uint64_t b)
{
    const int64_t sold = wt_sign_extend(old, size * 8), sa = wt_sign_extend(a, size * 8);
    switch (op) {
    case GEN_ATOMIC_AND:
        return old & a;
    case GEN_ATOMIC_OR:
        return old | a;
    case GEN_ATOMIC_XOR:
        return old ^ a;
    case GEN_ATOMIC_MOV:
        return a;
    case GEN_ATOMIC_INC:
        return old + 1;
    case GEN_ATOMIC_DEC:
    case GEN_ATOMIC_PREDEC:
        return old - 1;
    case GEN_ATOMIC_ADD:
        return old + a;
    case GEN_ATOMIC_SUB:
        return old - a;
    case GEN_ATOMIC_REVSUB:
        return a - old;
    case GEN_ATOMIC_IMAX:
        return sold > sa ? old : a;
    case GEN_ATOMIC_IMIN:
        return sold < sa ? old : a;
    case GEN_ATOMIC_UMAX:
        return old > a ? old : a;
    case GEN_ATOMIC_UMIN:
        return old < a ? old : a;
    default: /* GEN_ATOMIC_CMPWR */
        return old == a ? b : old;
    }
}

static uint64_t atomic_float(unsigned op, uint64_t old, uint64_t a, uint64_t b)
{
    struct wt_fp fp = {.propagate_nan = true};
    switch (op) {
    case OP_FMAX:
        return wt_f32_max((uint32_t)old, (uint32_t)a, &fp);
    case OP_FMIN:
        return wt_f32_min((uint32_t)old, (uint32_t)a, &fp);
    default: /* OP_FCMPWR */
        return wt_f32_eq((uint32_t)old, (uint32_t)a, &fp) ? b : old;
    }
}

unsigned gen_atomic_sources(unsigned op)
{
    return op == GEN_ATOMIC_INC || op == GEN_ATOMIC_DEC || op == GEN_ATOMIC_PREDEC ? 0
           : op == GEN_ATOMIC_CMPWR                                                ? 2
                                                                                   : 1;
}

static const struct gen_uop *atomic(struct gen_message *m, struct gen_transfer *x, bool is_float)
{
    const unsigned op = m->desc >> 8 & 15,
                   count = is_float ? op == OP_FCMPWR ? 2 : 1 : gen_atomic_sources(op);
    const unsigned block = x->lanes * x->size,
                   padded = block < GEN_GRF_BYTES ? GEN_GRF_BYTES : block;
    const bool returns = m->desc >> 13 & 1;
    const struct gen_uop *next;
    unsigned data;
    x->slot = x->size;
    set_elements(x, 1);
    if (!op || (is_float && op > OP_FCMPWR))
        return gen_message_unknown(m);
    if (!payload_fits(m, x, count * padded, &data) ||
        (returns && m->response * GEN_GRF_BYTES < padded))
        return gen_message_length(m, "the");
    read_addresses(m, x);
    judge(m, x, WT_WATCH_ACCESS);
    if (!resolve(m, x, WT_ACCESS_ATOMIC, &next))
        return next;
    for (unsigned i = 0; i < x->lanes; i++)
        if (((x->on & ~x->refused) >> i & 1) && x->addr[i] % x->size)
            return gen_message_fault(
                m, WT_FAULT_MISALIGNED, (uint32_t)1 << i,
                gen_watched_address(&x->surface, x->addr[i]),
                "atomic of %u bytes at 0x%llx, which is not aligned", x->size,
                (unsigned long long)gen_watched_address(&x->surface, x->addr[i]));
    for (unsigned i = 0; i < x->lanes; i++) {
        const uint8_t *const from = gen_registers(m) + data + i * x->size;
        uint8_t bytes[8] = {0};
        if (!(x->on >> i & 1))
            continue;
        if (!is_inside(x, i, 0)) {
            if (returns && m->response)
                wt_store_le(gen_registers(m) + m->dst + i * x->size, 0, x->size);
            continue;
        }
        if (x->surface.is_slm)
            memcpy(bytes, m->t->group->local + x->addr[i], x->size);
        else
            gen_device_read(m->t->device, x->addr[i], bytes, x->size);
        const uint64_t old = wt_load_le(bytes, x->size);
        const uint64_t a = count > 0 ? wt_load_le(from, x->size) : 0;
        const uint64_t b = count > 1 ? wt_load_le(from + padded, x->size) : 0;
        const uint64_t new =
            is_float ? atomic_float(op, old, a, b) : gen_atomic_integer(op, x->size, old, a, b);
        wt_store_le(bytes, new, x->size);
        if (!gen_message_write(m, &x->surface, i, x->addr[i], bytes, x->size, WT_WATCH_ACCESS))
            return gen_no_memory(m->t, m->u, (uint32_t)1 << gen_message_lane(m, i), x->addr[i]);
        if (returns && m->response)
            wt_store_le(gen_registers(m) + m->dst + i * x->size,
                        !is_float && op == GEN_ATOMIC_PREDEC ? new : old, x->size);
    }
    return gen_next(m->u);
}

/* ---- the messages ---- */

static const struct gen_uop *port1(struct gen_message *m, struct gen_transfer *x)
{
    x->wide_addresses = m->type >= DC1_A64_READ && m->type != DC1_FLOAT_ATOMIC;
    switch (m->type) {
    case DC1_UNTYPED_READ:
    case DC1_A64_UNTYPED_READ:
        return untyped_shape(m, x) ? load(m, x) : gen_message_unknown(m);
    case DC1_UNTYPED_WRITE:
    case DC1_A64_UNTYPED_WRITE:
        return untyped_shape(m, x) ? write_back(m, x) : gen_message_unknown(m);
    case DC1_A64_READ:
        return scattered_shape(m, x) ? load(m, x) : gen_message_unknown(m);
    case DC1_A64_WRITE:
        return scattered_shape(m, x) ? write_back(m, x) : gen_message_unknown(m);
    case DC1_UNTYPED_ATOMIC:
    case DC1_FLOAT_ATOMIC:
        x->lanes = m->desc >> 12 & 1 ? 8 : 16;
        x->size = 4;
        return atomic(m, x, m->type == DC1_FLOAT_ATOMIC);
    case DC1_A64_ATOMIC:
    case DC1_A64_FLOAT_ATOMIC:
        x->lanes = 8;
        x->size = m->type == DC1_A64_ATOMIC && (m->desc >> 12 & 1) ? 8 : 4;
        return atomic(m, x, m->type == DC1_A64_FLOAT_ATOMIC);
    case DC1_A64_BLOCK_READ:
    case DC1_A64_BLOCK_WRITE:
        return a64_block(m, x, m->type == DC1_A64_BLOCK_WRITE);
    default:
        return gen_message_unknown(m);
    }
}

static const struct gen_uop *port0(struct gen_message *m, struct gen_transfer *x)
{
    switch (m->type) {
    case DC0_BLOCK_READ:
    case DC0_UNALIGNED_BLOCK_READ:
    case DC0_BLOCK_WRITE:
        return oword_block(m, x, m->type == DC0_BLOCK_WRITE);
    case DC0_BYTE_READ:
        return byte_shape(m, x) ? load(m, x) : gen_message_unknown(m);
    case DC0_BYTE_WRITE:
        return byte_shape(m, x) ? write_back(m, x) : gen_message_unknown(m);
    case DC0_DWORD_READ:
        return dword_shape(m, x) ? load(m, x) : gen_message_unknown(m);
    case DC0_DWORD_WRITE:
        return dword_shape(m, x) ? write_back(m, x) : gen_message_unknown(m);
    case DC0_FENCE: /* memory is in order already */
        wt_wave_tell_fence(&m->t->device->machine, &m->t->head, gen_pc_of(m->t, m->u), m->t->mask,
                           WT_ORDER_SEQUENTIAL, WT_AMONG_DEVICE);
        return gen_next(m->u);
    default:
        return gen_message_unknown(m);
    }
}

const struct gen_uop *gen_dataport(struct gen_message *m)
{
    struct gen_transfer x; /* without its long arrays, which are set where they are used */
    const struct gen_uop *next;
    x.surface.is_slm = false;
    x.surface.base = x.surface.size = 0;
    x.wide_addresses = false;
    x.unit = x.elements = x.align = 0;
    x.on = m->on;
    x.outside = x.refused = 0;
    if (m->sfid == GEN_SFID_DC0 && m->type >= DC0_SCRATCH)
        return scratch_block(m, &x);
    if (m->sfid == GEN_SFID_DC1 &&
        (m->type == DC1_TYPED_READ || m->type == DC1_TYPED_ATOMIC || m->type == DC1_TYPED_WRITE))
        return gen_typed(m);
    const bool a64 =
        m->sfid == GEN_SFID_DC1 && m->type >= DC1_A64_READ && m->type != DC1_FLOAT_ATOMIC;
    const bool fence = m->sfid == GEN_SFID_DC0 && m->type == DC0_FENCE;
    if (!a64 && !fence && !gen_find_buffer(m, &x.surface, &next))
        return next;
    return m->sfid == GEN_SFID_DC1 ? port1(m, &x) : port0(m, &x);
}

/* ---- what registers a message has (operands.c) ---- */

static enum gen_message_form scattered_form(const struct gen_transfer *x, bool loads, bool good,
                                            struct gen_message_shape *s)
{
    s->loads = loads;
    s->lanes = x->lanes;
    s->unit = x->unit ? x->unit : 1;
    s->slot = x->slot;
    s->stored = x->size;
    s->elements = x->elements;
    s->sources = loads ? 0 : x->elements;
    return good ? GEN_MESSAGE_SCATTERED : GEN_MESSAGE_OTHER;
}

static enum gen_message_form atomic_form(uint32_t desc, unsigned lanes, unsigned size,
                                         bool is_float, struct gen_message_shape *s)
{
    const unsigned op = desc >> 8 & 15;
    s->loads = desc >> 13 & 1;
    s->changes = true;
    s->lanes = lanes;
    s->unit = 1;
    s->slot = s->stored = size;
    s->elements = 1;
    s->sources = is_float ? op == OP_FCMPWR ? 2 : 1 : gen_atomic_sources(op);
    return op && (!is_float || op <= OP_FCMPWR) ? GEN_MESSAGE_SCATTERED : GEN_MESSAGE_OTHER;
}

static enum gen_message_form block_form(unsigned bytes, bool loads, unsigned within,
                                        struct gen_message_shape *s)
{
    s->loads = loads;
    s->block = bytes;
    s->within = within;
    return bytes && bytes <= 256 ? GEN_MESSAGE_BLOCK : GEN_MESSAGE_OTHER;
}

static enum gen_message_form port1_form(const struct gen_message *m, struct gen_message_shape *s)
{
    struct gen_transfer x = {.elements = 0};
    const unsigned components = 4u - (unsigned)__builtin_popcount(m->desc >> 8 & 15),
                   slots = m->desc >> 12 & 3, code = m->desc >> 8 & 7, kind = m->desc >> 11 & 3;
    bool good;
    s->wide_addresses = m->type >= DC1_A64_READ && m->type != DC1_FLOAT_ATOMIC;
    switch (m->type) {
    case DC1_UNTYPED_READ:
    case DC1_A64_UNTYPED_READ:
    case DC1_UNTYPED_WRITE:
    case DC1_A64_UNTYPED_WRITE:
        good = untyped_shape(m, &x);
        return scattered_form(&x, m->type == DC1_UNTYPED_READ || m->type == DC1_A64_UNTYPED_READ,
                              good, s);
    case DC1_A64_READ:
    case DC1_A64_WRITE:
        good = scattered_shape(m, &x);
        return scattered_form(&x, m->type == DC1_A64_READ, good, s);
    case DC1_UNTYPED_ATOMIC:
    case DC1_FLOAT_ATOMIC:
        return atomic_form(m->desc, slots & 1 ? 8 : 16, 4, m->type == DC1_FLOAT_ATOMIC, s);
    case DC1_A64_ATOMIC:
    case DC1_A64_FLOAT_ATOMIC:
        return atomic_form(m->desc, 8, m->type == DC1_A64_ATOMIC && (slots & 1) ? 8 : 4,
                           m->type == DC1_A64_FLOAT_ATOMIC, s);
    case DC1_A64_BLOCK_READ:
    case DC1_A64_BLOCK_WRITE:
        if (kind == 2)
            return GEN_MESSAGE_OTHER;
        return block_form(kind != 3               ? block_bytes(code)
                          : code >= 1 && code < 5 ? 32u << (code - 1)
                                                  : 0,
                          m->type == DC1_A64_BLOCK_READ, kind != 3 && code == 1 ? 16 : 0, s);
    case DC1_TYPED_READ:
    case DC1_TYPED_WRITE:
        s->loads = m->type == DC1_TYPED_READ;
        s->first_lane = slots == 2 ? 8 : 0;
        s->lanes = 8;
        s->slot = 4;
        s->elements = components;
        s->sources = s->loads ? 0 : components;
        return slots == 1 || slots == 2 ? GEN_MESSAGE_TEXELS : GEN_MESSAGE_OTHER;
    case DC1_TYPED_ATOMIC:
        atomic_form(m->desc, 8, 4, false, s);
        s->first_lane = slots & 1 ? 8 : 0;
        return GEN_MESSAGE_TEXELS;
    default:
        return GEN_MESSAGE_OTHER;
    }
}

static enum gen_message_form port0_form(const struct gen_message *m, struct gen_message_shape *s)
{
    struct gen_transfer x = {.elements = 0};
    const unsigned code = m->desc >> 8 & 7;
    bool good;
    if (m->type >= DC0_SCRATCH)
        return block_form((1u << (m->desc >> 12 & 3)) * GEN_GRF_BYTES, !(m->desc >> 17 & 1), 0, s);
    switch (m->type) {
    case DC0_BLOCK_READ:
    case DC0_UNALIGNED_BLOCK_READ:
    case DC0_BLOCK_WRITE:
        return block_form(block_bytes(code), m->type != DC0_BLOCK_WRITE, code == 1 ? 16 : 0, s);
    case DC0_BYTE_READ:
    case DC0_BYTE_WRITE:
        good = byte_shape(m, &x);
        return scattered_form(&x, m->type == DC0_BYTE_READ, good, s);
    case DC0_DWORD_READ:
    case DC0_DWORD_WRITE:
        good = dword_shape(m, &x);
        return scattered_form(&x, m->type == DC0_DWORD_READ, good, s);
    default:
        return GEN_MESSAGE_OTHER;
    }
}

enum gen_message_form gen_message_shape(unsigned sfid, uint32_t desc, struct gen_message_shape *s)
{
    const struct gen_message m = {.desc = desc, .type = desc >> 14 & 31};
    const bool half = desc >> 30 & 1;
    *s = (struct gen_message_shape){.loads = false};
    switch (sfid) {
    case GEN_SFID_DC1:
        return port1_form(&m, s);
    case GEN_SFID_DC0:
    case GEN_SFID_CONSTANT:
        return port0_form(&m, s);
    case GEN_SFID_SAMPLER:
        if ((desc >> 12 & 31) == GEN_SAMPLER_FLUSH)
            return GEN_MESSAGE_OTHER;
        s->loads = true;
        s->lanes = (desc >> 17 & 3) == 2 ? 16 : 8;
        s->slot = half ? 2 : 4;
        s->elements = 4;
        return GEN_MESSAGE_TEXELS;
    default:
        return GEN_MESSAGE_OTHER;
    }
}
