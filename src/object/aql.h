/*
 * AQL packets: how a host gives work to a queue of a GPU (HSA Platform System Architecture
 * Specification 1.2, section 2.9; vendor packets as in AMD's runtime). The one place that knows
 * their layout.
 */
#ifndef WT_OBJECT_AQL_H
#define WT_OBJECT_AQL_H

#include <stdbool.h>
#include <stdint.h>

#define GCN_AQL_BYTES 64
/** Where in a packet of any type its completion signal is named: 8 bytes. */
#define GCN_AQL_COMPLETION 56
#define GCN_AQL_DEPENDENCIES 5

enum gcn_aql_type {
    GCN_AQL_VENDOR = 0,
    GCN_AQL_INVALID = 1, /**< not written yet, or done */
    GCN_AQL_DISPATCH = 2,
    GCN_AQL_BARRIER_AND = 3,
    GCN_AQL_AGENT_DISPATCH = 4,
    GCN_AQL_BARRIER_OR = 5,
};

/** The scope of a packet's fence. */
enum gcn_aql_scope { GCN_AQL_NONE = 0, GCN_AQL_AGENT = 1, GCN_AQL_SYSTEM = 2 };

/** The format of a vendor packet. */
enum gcn_aql_format {
    GCN_AQL_PM4 = 1,
    GCN_AQL_BARRIER_VALUE = 2,
};

struct gcn_aql_header {
    unsigned type;               /**< enum gcn_aql_type, or a number that is none */
    bool barrier;                /**< begins when all packets before it have ended */
    unsigned acquires, releases; /**< enum gcn_aql_scope: its fences, before and behind it */
};

/** A kernel dispatch. */
struct gcn_aql_dispatch {
    unsigned dimensions;    /**< 1 to 3 */
    uint32_t group[3];      /**< work-items of a work-group, 16 bits each */
    uint32_t grid[3];       /**< work-items of the grid */
    uint32_t private_size;  /**< bytes of a work-item */
    uint32_t group_size;    /**< bytes of LDS of a work-group */
    uint64_t kernel_object; /**< address of the kernel descriptor */
    uint64_t kernarg;       /**< address of the argument segment */
    uint64_t completion;    /**< address of the completion signal; 0: none */
};

/** A packet that waits until a masked value holds (vendor format GCN_AQL_BARRIER_VALUE). */
struct gcn_aql_barrier_value {
    int64_t value, mask;
    uint32_t condition; /**< hsa_signal_condition_t: 0 ==, 1 !=, 2 <, 3 >= */
};

/** A packet, decoded once. */
struct gcn_aql_packet {
    struct gcn_aql_header header;
    unsigned format;       /**< format of a vendor packet: enum gcn_aql_format, or another number */
    unsigned dependencies; /**< signals that it waits for: their addresses, 0: none */
    uint64_t dependency[GCN_AQL_DEPENDENCIES];
    uint64_t completion; /**< address of the completion signal; 0: none */
    union {
        struct gcn_aql_dispatch dispatch;   /**< GCN_AQL_DISPATCH */
        struct gcn_aql_barrier_value value; /**< GCN_AQL_BARRIER_VALUE */
    };
};

/** Decodes the header, the first 16 bits of a packet. */
struct gcn_aql_header gcn_aql_header(uint16_t bits);
/** Decodes a packet of GCN_AQL_BYTES bytes whose header was read before; nothing in it is checked.
 */
struct gcn_aql_packet gcn_aql_packet(const uint8_t *packet, struct gcn_aql_header header);

/** Decodes a kernel dispatch of GCN_AQL_BYTES bytes (section 2.9.6); nothing in it is checked. */
struct gcn_aql_dispatch gcn_aql_dispatch(const uint8_t *packet);

/**
 * Writes a kernel dispatch of GCN_AQL_BYTES bytes with the barrier bit and fences of system scope.
 */
void gcn_aql_write_dispatch(const struct gcn_aql_dispatch *dispatch, uint8_t *packet);

#endif
