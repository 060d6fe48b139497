/* Places of code that the machine's judge wants to know of: the allocator of kernels. */
#ifndef WT_EMULATOR_GCN_JUDGE_H
#define WT_EMULATOR_GCN_JUDGE_H

#include "emulator/gcn/internal.h"
#include "emulator/machine/judge.h"

/* Whether the judge is to be told of waves that come to pc. */
static inline bool gcn_is_allocator(const struct gcn_device *d, uint64_t pc)
{
    const struct wt_judge *j = d->machine.judge;
    return j && j->is_allocator(j->context, pc);
}
/* Tells it of a wave that comes to pc. Returns where the wave will come back to, if the judge wants
 * to know of that; 0: it does not. */
uint64_t gcn_judge_allocator(struct gcn_wave *w, uint64_t pc);

#endif
