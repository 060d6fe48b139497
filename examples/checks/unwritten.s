    .include "gfx900.inc"
sum:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, 1
    s_waitcnt lgkmcnt(0)
    s_store_dword s6, s[4:5], 0x0
    s_endpgm // must be after s_dcache_wb
