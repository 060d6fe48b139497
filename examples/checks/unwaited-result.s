    .include "gfx900.inc"
sum:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    global_load_dword v2, v1, s[4:5]
    global_load_dword v3, v1, s[4:5] offset:256
    s_waitcnt vmcnt(1) // must be vmcnt(0)
    v_add_u32 v2, v2, v3
    global_store_dword v1, v2, s[4:5]
    s_endpgm
