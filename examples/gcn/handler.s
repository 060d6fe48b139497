// A trap handler: it notes TRAPSTS and what the hardware has left in TTMP1:TTMP0 on the page that TMA
// points to, clears the exceptions, and continues.
//   wavetrap run --grid=64 --trap-handler=build/examples/gcn/handler.bin \
//       --dump=noted@0x1c0001000:12 build/examples/gcn/exception.co
.text
    s_getreg_b32 ttmp2, hwreg(HW_REG_TRAPSTS)
    s_getreg_b32 ttmp4, hwreg(18)           // TMA, in 256 bytes
    s_getreg_b32 ttmp5, hwreg(19)
    s_lshl_b64 ttmp[4:5], ttmp[4:5], 8
    s_store_dwordx2 ttmp[0:1], ttmp[4:5], 0
    s_store_dword ttmp2, ttmp[4:5], 8
    s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 0, 9), 0
    s_bfe_u32 ttmp2, ttmp1, 0x80010         // the trap's number: 0 for an exception
    s_cbranch_scc0 back
    s_add_u32 ttmp0, ttmp0, 4               // over s_trap
    s_addc_u32 ttmp1, ttmp1, 0
back:
    s_and_b32 ttmp1, ttmp1, 0xffff
    s_rfe_b64 ttmp[0:1]
