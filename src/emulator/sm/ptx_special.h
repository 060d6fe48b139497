/* Special registers of PTX (manual 10). The names have an underscore where PTX has a dot. */
#ifndef WT_EMULATOR_SM_PTX_SPECIAL_H
#define WT_EMULATOR_SM_PTX_SPECIAL_H

/* S(name, bytes) */
#define PTX_SPECIALS(S)                                                                            \
    S(tid_x, 4) S(tid_y, 4) S(tid_z, 4) S(ntid_x, 4) S(ntid_y, 4) S(ntid_z, 4)                     \
    S(ctaid_x, 4) S(ctaid_y, 4) S(ctaid_z, 4) S(nctaid_x, 4) S(nctaid_y, 4) S(nctaid_z, 4)         \
    S(laneid, 4) S(warpid, 4) S(nwarpid, 4) S(smid, 4) S(nsmid, 4) S(gridid, 8)                    \
    S(lanemask_eq, 4) S(lanemask_lt, 4) S(lanemask_le, 4) S(lanemask_gt, 4) S(lanemask_ge, 4)      \
    S(clock, 4) S(clock_hi, 4) S(clock64, 8) S(globaltimer, 8) S(globaltimer_lo, 4)                \
    S(globaltimer_hi, 4) S(dynamic_smem_size, 4) S(total_smem_size, 4) S(aggr_smem_size, 4)        \
    S(envreg, 4)

enum ptx_special {
#define S(name, bytes) PTX_SR_##name,
    PTX_SPECIALS(S)
#undef S
        PTX_SR_COUNT
};

#endif
