    .include "gfx900.inc"
sum:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_lshlrev_b32 v2, 2, v0
    s_waitcnt lgkmcnt(0)
    v_mov_b32 v1, s4
    s_mov_b32 s7, s5
    v_readfirstlane_b32 s6, v1
    s_nop 3 // must be s_nop 4
    global_store_dword v2, v0, s[6:7]
    s_endpgm
