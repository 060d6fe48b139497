"""`wavetrap explain-trap`: registers of a trap in words."""
import subprocess

import pytest

from conftest import ROOT, run

CASES = {  # registers: words that must be there, words that must not
    "TTMP1=0x02000001 TTMP0=0x1410": (["an exception, PCRewind 1", "PC 0x100001410; the instruction that raised it is at 0x10000140c"], []),
    "TTMP1=0x00020000 TTMP0=0x1000": (["s_trap 2 (the program gave up", "of s_trap itself: handlers add 4"], []),
    "TTMP1=0x01050000 TTMP0=0x1000": (["the host's trap 5, PCRewind 0"], ["add 4"]),
    "TTMP1=0x01000000": (["the host's trap 0"], []),
    "TTMP1=0 TRAPSTS=0x800": (["an illegal instruction, PCRewind 0", "; an illegal instruction"], ["single step"]),
    "TTMP1=0 TRAPSTS=0x400": (["a request to save the context, PCRewind 0", "; the context is to be saved"], []),
    "TTMP1=0 TRAPSTS=0 MODE=0x800": (["a single step, PCRewind 0", "; single step (DEBUG_EN)"], ["exception,"]),
    "TRAPSTS=0x1ff": (["invalid, denormal, float_div0, overflow, underflow, inexact, int_div0, addr_watch, mem_viol",
                       "address watch 0 was hit"], ["watch 1"]),
    "trapsts=0x5000": (["cleared them: none; address watch 1 was hit; address watch 3 was hit"], ["watch 2", "floating"]),
    "TRAPSTS=0x80160004": (["float_div0; floating point first in lanes 32-47, lane 37 (DP_RATE 4)"], []),
    "MODE=0x1ff000": (["EXCP_EN invalid, denormal, float_div0, overflow, underflow, inexact, int_div0, addr_watch, mem_viol"], ["step"]),
    "STATUS=0x00803020": (["in the trap handler (PRIV); halted (HALT); halted for good (FATAL_HALT); waits at s_barrier"], ["TRAP_EN"]),
    "HWW_WARP_ESR=0x3000e": (["NV_PTPC_PRI_SM_HWW_WARP_ESR = 0x0003000e\n  ERROR=14(OOR_ADDR): code of the error\n  TRAP=3: immediate of BPT.TRAP"], []),
    "HWW_WARP_ESR=0x20 hww_global_esr=0x20000022": (["ERROR=32: code", "L1_ERROR=1: an access to memory that is not there\n  BPT_PAUSE=1: BPT.PAUSE\n",
                                                     "0x20000000 besides: bits that have no meaning here"], ["TRAP"]),
    "NV_PTPC_PRI_SM_HWW_GLOBAL_ESR=0": (["NV_PTPC_PRI_SM_HWW_GLOBAL_ESR = 0x00000000: no field is set\n"], ["  "]),
    "cr0.0=0x800004e0 cr0.1=0x10001000 cr0.2=0x150": (["MASTER_EXCEPTION=1: the thread is in its system routine", "ROUNDING=2(down): of floats", "KEEP_HF=1",
                                                       "ENABLE_ILLEGAL=1: illegal opcodes are exceptions\n  ILLEGAL=1: an illegal opcode, at AIP", "AIP=0x150: IP of the"],
                                                      ["BREAKPOINT"]),
    "sr0.0=0x05005302": (["TID=2: thread", "EUID=3: EU", "SUBSLICE=1: ", "SLICE=1: ", "FFTID=5: "], []),
    "SQ_CMD=0x1": (["SQ_CMD = 0x00000001\n"], []),
    "HW_ID=0x43b56b12": (["shader engine 3, array 0, compute unit 11, SIMD 1, wave 2; VMID 11, queue 3"], []),
    "-g gfx90a HW_ID=0x4000e123": (["shader engine 7, array 0, compute unit 1, SIMD 2, wave 3; VMID 0, queue 0"], []),
    "-g gfx1030 TRAPSTS=0x81280004": (["float_div0", "floating point first in lanes 48-49 (DP_RATE 4)"], ["16", "XNACK", "TRAP_AFTER"]),
    "-g gfx1030 TRAPSTS=0x10a00401": (["invalid", "the context is to be saved", "an error of address translation", "first in lanes 8-15, 24-31\n"], ["XNACK", "step"]),
    "-g gfx1030 IB_STS=0xa9c00580": (["IB_STS = 0xa9c00580", "LGKM_CNT_BIT4=1", "VS_CNT=42"], []),
    "-g gfx1030 HW_ID1=0x000d1e0b HW_ID2=0x0b050121": (["shader engine 3, array 1, work-group processor 7, SIMD 2 of its four, wave 11\n",
                                                         "VMID 11, pipe 2, queue 1, work-group slot 5\n"], []),
    "-g gfx942 TTMP1=0 TRAPSTS=0x02000000 MODE=0x200000": (["TTMP1 = 0x00000000: a single step, PCRewind 0", "; an instruction of a single step has been executed\n",
                                                            "; a trap at the wave's end (TRAP_ON_END)\n"], ["host"]),
    "-g gfx942 TTMP1=0x01050000 TRAPSTS=0x00400000": (["the host's trap 5", "; the host's trap\n"], ["single step"]),
    "-g gfx90a GPR_ALLOC=0x0100f0c0": (["VGPR_SIZE=963: vector registers, less 1"], []),
}


# The other models have the words of a gfx900, but for what a gfx942 alone has (above).
CASES |= {f"-g {model} {registers}": CASES[registers] for model in ("gfx906", "gfx908", "gfx90a")
          for registers in list(CASES) if registers.startswith(("TTMP", "TRAPSTS", "trapsts", "MODE", "STATUS", "HW_ID"))}


@pytest.mark.parametrize("registers", [pytest.param(one, marks=pytest.mark.full) if one.startswith(("-g gfx906 ", "-g gfx908 ")) else one for one in CASES])
def test_registers_are_told_in_words(registers):
    there, absent = CASES[registers]
    done = run("explain-trap", *registers.split())
    assert done.returncode == 0, done.stderr
    for words in there:
        assert words in done.stdout
    for words in absent:
        assert words not in done.stdout


def test_bad_registers_get_a_message():
    for operands, words in ((["SPAM=1"], "the registers are TTMP0"), (["-g", "sm", "cr0.0=1"], "the registers are TTMP0"),
                            (["cr0.1=0x100000000"], "cr0.1 has 32 bits"), (["TTMP1=x"], "not a number"), (["TRAPSTS=0x100000000"], "32 bits"),
                            (["TTMP0=1"], "TTMP1 has the rest"), (["TTMP1=1", "foo"], "not a REGISTER=VALUE")):
        done = run("explain-trap", *operands)
        assert done.returncode == 125 and words in done.stderr, (operands, done)


def test_the_first_trap_of_a_program(tmp_path):
    """The example's handler is entered by a division by zero; without a handler the report and the registers are there as well."""
    example = tmp_path
    for name, options in (("exception.co", ["-g"]), ("handler.o", ["-c"])):
        subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900", "-mcode-object-version=4", *options,
                        ROOT / "examples" / "gcn" / name.replace(".co", ".s").replace(".o", ".s"), "-o", example / name], check=True)
    subprocess.run(["llvm-objcopy-19", "-O", "binary", "-j", ".text", example / "handler.o", example / "handler.bin"], check=True)
    done = run("explain-trap", "--grid=64", f"--trap-handler={example / 'handler.bin'}", example / "exception.co")
    assert done.returncode == 0, done
    for words in ("issue time 3\n", "TTMP1 = 0x02000001: an exception, PCRewind 1", "float_div0", "<reciprocals+12> at ", "v_rcp_f32_e32 v1, v1"):
        assert words in done.stdout, done.stdout
    done = run("explain-trap", "--grid=64", example / "exception.co")
    assert done.returncode == 0 and "TTMP" not in done.stdout and "float_div0" in done.stdout and "no trap handler" in done.stderr
    done = run("explain-trap", "--grid=64", "--at=1", example / "exception.co")
    assert done.returncode == 0 and "cleared them: none" in done.stdout and "issue time 1\n" in done.stdout
    (example / "k.cl").write_text("kernel void k(global int *p) { p[__builtin_amdgcn_workgroup_id_x()] = 1; }\n")
    subprocess.run(["clang-22", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1030", "-mcode-object-version=5", "-nogpulib", "-x", "cl", "-O1", example / "k.cl", "-o", example / "k.co"],
                   check=True)
    done = run("explain-trap", "-g", "gfx1030", "--grid=256", "--block=32", "--arg=zeros:64", "--at=1", example / "k.co")
    assert done.returncode == 0 and "work-group processor 0, SIMD 0 of its four, wave 0\nHW_ID2" in done.stdout and "VMID" in done.stdout, done
    done = run("explain-trap", "--grid=64", "--at=100000", "--trap-handler=" + str(example / "handler.bin"), example / "exception.co")
    assert done.returncode == 125 and "has ended" in done.stderr
