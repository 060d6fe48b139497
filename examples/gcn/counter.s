// A trap handler that counts traps where TMA points to, a dword each: traps of s_trap, traps of the
// host, exceptions, and all others (single steps, illegal instructions, requests to save).
//   wavetrap run --grid=64 --trap-handler=build/examples/gcn/counter.bin \
//       --dump=counts@0x1c0001000:16 build/examples/gcn/exception.co
.text
    s_getreg_b32 ttmp12, hwreg(HW_REG_STATUS)       // SCC is in it
    s_getreg_b32 ttmp4, hwreg(18)                   // TMA, in 256 bytes
    s_getreg_b32 ttmp5, hwreg(19)
    s_lshl_b64 ttmp[4:5], ttmp[4:5], 8
    s_bitcmp1_b32 ttmp1, 24                         // HT: the host's
    s_cbranch_scc1 by_host
    s_bfe_u32 ttmp2, ttmp1, 0x80010                 // the number in bits 23:16
    s_cbranch_scc1 by_instruction
    s_bfe_u32 ttmp2, ttmp1, 0x40019                 // PCRewind in bits 28:25
    s_cbranch_scc1 by_exception
    s_mov_b32 ttmp2, 12
    s_branch count
by_host:
    s_mov_b32 ttmp2, 4
    s_branch count
by_instruction:
    s_add_u32 ttmp0, ttmp0, 4                       // the PC is that of s_trap: continue after it
    s_addc_u32 ttmp1, ttmp1, 0
    s_mov_b32 ttmp2, 0
    s_branch count
by_exception:
    s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 0, 9), 0       // its bits stay until software clears
    s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 12, 3), 0      // them
    s_mov_b32 ttmp2, 8
count:
    s_add_u32 ttmp4, ttmp4, ttmp2
    s_addc_u32 ttmp5, ttmp5, 0
    s_mov_b32 ttmp3, 1
    s_atomic_add ttmp3, ttmp[4:5], 0x0
    s_waitcnt lgkmcnt(0)
    s_setreg_b32 hwreg(HW_REG_STATUS), ttmp12       // SCC as it was
    s_rfe_b64 ttmp[0:1]                             // back, without privilege
