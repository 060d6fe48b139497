    .include "gfx900.inc"
sum:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v2, 1
    s_waitcnt lgkmcnt(0)
    s_load_dword s6, s[4:5], 0x0
    s_waitcnt lgkmcnt(0)
    global_store_dword v1, v2, s[4:5]
    s_waitcnt vmcnt(0)
    s_load_dword s7, s[4:5], 0x0 // must be after s_dcache_inv
    s_waitcnt lgkmcnt(0)
    s_endpgm
