/* The trace of a run: what stood before each instruction, and what it changed. Private to the GCN
 * emulator. */
#ifndef WT_EMULATOR_GCN_TRACE_H
#define WT_EMULATOR_GCN_TRACE_H

#include "emulator/gcn/internal.h"

/* A wave before an instruction. */
struct gcn_trace_point {
    struct gcn_wave wave; /* but for its vector registers */
    uint64_t time;
    uint32_t (*v)[GCN_LANES]; /* GCN_VGPRS rows, of which the wave's are filled */
    uint8_t bytes[8];
    unsigned available; /* of bytes */
};

bool gcn_trace_point_init(struct gcn_trace_point *p);
void gcn_trace_point_free(struct gcn_trace_point *p);
void gcn_trace_before(struct gcn_wave *w, struct gcn_trace_point *p);
void gcn_trace_after(struct gcn_wave *w, const struct gcn_trace_point *p,
                     struct gcn_disassembler *disassembler, gcn_trace_fn fn, void *context);

#endif
