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
/* The handler of such a record: tells the judge, and executes the instruction. */
const struct gcn_uop *gcn_at_allocator(struct gcn_wave *w, const struct gcn_uop *u);
/* The instruction at pc is decoded again when a wave comes there (code.c). */
void gcn_code_redecode(struct gcn_device *d, uint64_t pc);

#endif
