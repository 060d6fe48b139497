/*
 * The console of Vortex 3.0: a ring in memory for each of 64 slots (a hart's number modulo 64). A
 * program stores a byte and then moves the slot's write index; if its ring is full it drops the
 * byte and counts it. The host's part, which reads bytes and moves the read index, is done here as
 * soon as a write index moves: a ring is never full. ring=host leaves it to the host's program.
 */
#include "emulator/vortex/internal.h"

#include <stdio.h>

/* u32 write[64], u32 read[64], u8 data[64][512], u32 lost[64]. */
enum {
    SLOTS = 64,
    DEPTH = 512,
    WRITE = 0,
    READ = WRITE + 4 * SLOTS,
    DATA = READ + 4 * SLOTS,
    LOST = DATA + SLOTS * DEPTH
};
static_assert(LOST + 4 * SLOTS == VX_CONSOLE_RING_BYTES, "the layout of the ring");

bool vx_ring_is_ours(const struct vx_device *d)
{
    return d->profile->console_ring && !d->config.ring_of_host;
}

bool vx_ring_is_index(const struct vx_device *d, uint64_t addr, unsigned size)
{
    const uint64_t first = d->config.console_addr + WRITE;
    return vx_ring_is_ours(d) && addr < first + 4 * SLOTS && first < addr + size;
}

static uint32_t word(struct vx_device *d, uint64_t offset)
{
    uint8_t bytes[4] = {0};
    wt_memory_read(d->machine.memory, d->config.console_addr + offset, bytes, sizeof bytes);
    return (uint32_t)wt_load_le(bytes, sizeof bytes);
}

static void put_word(struct vx_device *d, uint64_t offset, uint32_t value)
{
    uint8_t bytes[4];
    wt_store_le(bytes, value, sizeof bytes);
    /* Without host memory the index stays: the program may drop bytes, and counts them. */
    (void)vx_write_bytes(&d->core[0], d, d->config.console_addr + offset, bytes, sizeof bytes);
}

/* A write index that is further than a ring from the read index is no program's of this console:
 * what the ring holds is taken once. */
static void drain(struct vx_device *d, unsigned slot)
{
    const uint32_t to = word(d, WRITE + 4 * slot);
    uint32_t from = word(d, READ + 4 * slot);
    if (from == to)
        return;
    if (to - from > DEPTH)
        from = to - DEPTH;
    for (; from != to; from++) {
        uint8_t c;
        wt_memory_read(d->machine.memory,
                       d->config.console_addr + DATA + slot * DEPTH + from % DEPTH, &c, 1);
        wt_console_put(&d->machine, &d->console, slot, (char)c);
    }
    put_word(d, READ + 4 * slot, to);
}

void vx_ring_drain(struct vx_device *d)
{
    for (unsigned slot = 0; slot < SLOTS; slot++)
        drain(d, slot);
}

void vx_ring_tell_lost(struct vx_device *d)
{
    for (unsigned slot = 0; slot < SLOTS; slot++) {
        char line[64];
        const uint32_t lost = word(d, LOST + 4 * slot);
        if (!lost)
            continue;
        const int length = snprintf(line, sizeof line, "[#%u: lost %u bytes]", slot, lost);
        if (d->machine.console)
            d->machine.console(d->machine.console_context, slot, line, (size_t)length);
        put_word(d, LOST + 4 * slot, 0);
    }
}
