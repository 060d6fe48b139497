    .include "gfx900.inc"
sum:
    s_mov_b32 m0, 0x10000
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v2, 1
    ds_add_u32 v1, v2 gds
    v_mov_b32 v2, 0 // must be after s_waitcnt expcnt(0)
    s_endpgm
