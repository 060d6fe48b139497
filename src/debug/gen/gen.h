/*
 * The probe of Intel Gen9: how it reaches a device. It uses what a debugger has on a real system:
 * the registers TD_CTL, TD_ATT and TD_CLR, the driver's system routine, in which threads wait and
 * which leaves their registers in memory (object/gen_saved.h), and that memory.
 */
#ifndef WT_DEBUG_GEN_GEN_H
#define WT_DEBUG_GEN_GEN_H

#include "debug/core/probe.h"
#include "debug/standstill/link.h"
#include "object/gen_saved.h"
#include "object/gen_wire.h"

/** The registers of a link: offsets in the GPU's registers, in bytes. */
enum wt_gen_register {
    WT_GEN_MCR_SELECTOR =
        0xfdc, /**< slice in bits 27:26, subslice in 25:24: whose TD_ATT, TD_CLR */
    WT_GEN_TD_CTL = 0xe400,
    WT_GEN_TD_ATT0 = 0xe470,
    WT_GEN_TD_ATT1 = 0xe474,
    WT_GEN_TD_CLR0 = 0xe490,
    WT_GEN_TD_CLR1 = 0xe494,
};

/**
 * The mark that distinguishes an address of GPU @p gpu from the same one of another GPU, whose
 * memory there is another: it is added to addresses of code and of scratch memory. An address
 * without a mark is of the GPU of the thread that looks. 0: there is only one GPU.
 */
static inline uint64_t wt_gen_mark(const struct wt_link *link, uint32_t gpu)
{
    return link->gpus > 1 ? (uint64_t)(gpu + 1) << GEN_WIRE_GPU_BIT : 0;
}

/** Takes the mark off *addr; the number of its GPU, or @p otherwise where it has none. */
static inline uint32_t wt_gen_unmark(const struct wt_link *link, uint64_t *addr, uint32_t otherwise)
{
    const uint64_t mark = link->gpus > 1 ? *addr >> GEN_WIRE_GPU_BIT : 0;
    if (!mark || mark > link->gpus)
        return otherwise;
    *addr &= ((uint64_t)1 << GEN_WIRE_GPU_BIT) - 1;
    return (uint32_t)mark - 1;
}

/* struct wt_link: units are a GPU's subslices, number n is subslice n % 3 of slice n / 3; places
 * are those of enum gen_wire_place. Threads are numbered through: subslice, EU, thread. */

extern const struct wt_probe_ops wt_probe_gen;

#endif
