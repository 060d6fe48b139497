/* AQL packets. See aql.h. */
#include "object/aql.h"

#include <string.h>

#include "base/bits.h"

enum {
    BARRIER_BIT = 1 << 8,
    ACQUIRE_SYSTEM = 2 << 9,
    RELEASE_SYSTEM = 2 << 11,
    /* Fields of a kernel dispatch. */
    DIMENSIONS = 2,
    GROUP = 4,
    GRID = 12,
    PRIVATE_SIZE = 24,
    GROUP_SIZE = 28,
    KERNEL_OBJECT = 32,
    KERNARG = 40,
    /* Signals that a packet waits for; of a vendor packet, and of one that waits for a value. */
    DEPENDENCY = 8,
    FORMAT = 2,
    VALUE = 16,
    MASK = 24,
    CONDITION = 32,
};

struct gcn_aql_header gcn_aql_header(uint16_t bits)
{
    return (struct gcn_aql_header){.type = bits & 0xff,
                                   .barrier = bits & BARRIER_BIT,
                                   .acquires = bits >> 9 & 3,
                                   .releases = bits >> 11 & 3};
}

struct gcn_aql_dispatch gcn_aql_dispatch(const uint8_t *packet)
{
    struct gcn_aql_dispatch d = {
        .dimensions = (unsigned)wt_load_le(packet + DIMENSIONS, 2) & 3,
        .private_size = (uint32_t)wt_load_le(packet + PRIVATE_SIZE, 4),
        .group_size = (uint32_t)wt_load_le(packet + GROUP_SIZE, 4),
        .kernel_object = wt_load_le(packet + KERNEL_OBJECT, 8),
        .kernarg = wt_load_le(packet + KERNARG, 8),
        .completion = wt_load_le(packet + GCN_AQL_COMPLETION, 8),
    };
    for (unsigned i = 0; i < 3; i++) {
        d.group[i] = (uint32_t)wt_load_le(packet + GROUP + 2 * i, 2);
        d.grid[i] = (uint32_t)wt_load_le(packet + GRID + 4 * i, 4);
    }
    return d;
}

static struct gcn_aql_barrier_value barrier_value(const uint8_t *packet)
{
    return (struct gcn_aql_barrier_value){
        .value = (int64_t)wt_load_le(packet + VALUE, 8),
        .mask = (int64_t)wt_load_le(packet + MASK, 8),
        .condition = (uint32_t)wt_load_le(packet + CONDITION, 4),
    };
}

struct gcn_aql_packet gcn_aql_packet(const uint8_t *packet, struct gcn_aql_header header)
{
    struct gcn_aql_packet p = {.header = header,
                               .format = packet[FORMAT],
                               .completion = wt_load_le(packet + GCN_AQL_COMPLETION, 8)};
    if (header.type == GCN_AQL_DISPATCH) {
        p.dispatch = gcn_aql_dispatch(packet);
    } else if (header.type == GCN_AQL_BARRIER_AND || header.type == GCN_AQL_BARRIER_OR) {
        p.dependencies = GCN_AQL_DEPENDENCIES;
    } else if (header.type == GCN_AQL_VENDOR && p.format == GCN_AQL_BARRIER_VALUE) {
        p.dependencies = 1;
        p.value = barrier_value(packet);
    }
    for (unsigned i = 0; i < p.dependencies; i++)
        p.dependency[i] = wt_load_le(packet + DEPENDENCY + 8 * i, 8);
    return p;
}

void gcn_aql_write_dispatch(const struct gcn_aql_dispatch *d, uint8_t *packet)
{
    memset(packet, 0, GCN_AQL_BYTES);
    wt_store_le(packet, GCN_AQL_DISPATCH | BARRIER_BIT | ACQUIRE_SYSTEM | RELEASE_SYSTEM, 2);
    wt_store_le(packet + DIMENSIONS, d->dimensions, 2);
    for (unsigned i = 0; i < 3; i++) {
        wt_store_le(packet + GROUP + 2 * i, d->group[i], 2);
        wt_store_le(packet + GRID + 4 * i, d->grid[i], 4);
    }
    wt_store_le(packet + PRIVATE_SIZE, d->private_size, 4);
    wt_store_le(packet + GROUP_SIZE, d->group_size, 4);
    wt_store_le(packet + KERNEL_OBJECT, d->kernel_object, 8);
    wt_store_le(packet + KERNARG, d->kernarg, 8);
    wt_store_le(packet + GCN_AQL_COMPLETION, d->completion, 8);
}
