/* What stands in the table for instructions that the emulator does not execute. */
#include "emulator/gcn/internal.h"

const struct gcn_uop *gcn_op_none(struct gcn_wave *w, const struct gcn_uop *u)
{
    (void)w;
    return u;
}

void gcn_k_none(struct gcn_valu *v)
{
    (void)v;
}
