"""`wavetrap reg`: registers of each family's debug hardware by name, on standalone programs."""
import re
import subprocess

import pytest

from conftest import ROOT, run

# One wave a group; s11 counts.
COUNTING = """
 .amdgcn_target "amdgcn-amd-amdhsa--gfx900"
 .text
 .globl count
 .p2align 8
 .type count,@function
count:
 s_mov_b32 s11, 0
 v_mov_b32 v2, 7
again:
 s_add_u32 s11, s11, 1
 s_branch again
 .rodata
 .p2align 6
 .amdhsa_kernel count
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 16
 .end_amdhsa_kernel
 .amdgpu_metadata
---
amdhsa.version: [1, 1]
amdhsa.kernels:
  - .name: count
    .symbol: count.kd
    .kernarg_segment_size: 0
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
...
 .end_amdgpu_metadata
"""
HANDLER = """
 .text
 s_add_u32 s12, s12, 1
 s_mov_b32 m0, 0x123456
 s_sendmsg sendmsg(MSG_INTERRUPT)
 s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 0, 15), 0
 s_rfe_b64 ttmp[0:1]
"""


def compiled(folder, gpu="gfx900"):
    def assemble(name, text, *options):
        subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", f"-mcpu={gpu}", "-mcode-object-version=4", "-x", "assembler", *options,
                        "-", "-o", folder / name], input=text, text=True, check=True)
        return folder / name
    assemble("handler.o", HANDLER, "-c")
    subprocess.run(["llvm-objcopy-19", "-O", "binary", "-j", ".text", folder / "handler.o", folder / "handler.bin"], check=True)
    return assemble("count.co", COUNTING.replace("gfx900", gpu)), folder / "handler.bin"


@pytest.fixture(scope="module")
def counting(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("reg"))


@pytest.fixture(scope="module")
def counting10(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("reg10"), "gfx1030")


def reg(counting, *commands, gpu="cu=4,se=2", grid=512, **options):
    return run("reg", counting[0], f"--gpu=gfx900:{gpu}", f"--grid={grid}", f"--trap-handler={counting[1]}", *commands, **options)


def lines(done):
    assert done.returncode == 0, done
    return done.stdout.splitlines()


def test_fields_of_a_command_are_written_at_once(counting):
    """SQ_CMD.CMD=HALT SQ_CMD.MODE=BROADCAST is one command: all waves halt, not only the first one."""
    out = lines(reg(counting, "run", "100", "SQ_CMD.CMD=HALT", "SQ_CMD.MODE=BROADCAST", "run", "10", "SQ_CMD.CMD=RESUME",
                    "SQ_CMD.MODE=BROADCAST", "run 10"))
    assert out == ["ran 100 issues to time 100", "ran 0 issues to time 100: every active wave is halted", "ran 10 issues to time 110"]
    # one wave, by its place
    out = lines(reg(counting, "GRBM_GFX_INDEX=0x10001", "SQ_CMD.CMD=HALT", "SQ_CMD.SIMD_ID=1", "STATUS.HALT", "SQ_IND_INDEX.SIMD_ID=1",
                    "STATUS.HALT", "HW_ID.SE_ID", "HW_ID.CU_ID", "HW_ID.SIMD_ID", grid=2048))
    assert out == ["STATUS.HALT=0", "STATUS.HALT=1", "HW_ID.SE_ID=1", "HW_ID.CU_ID=1", "HW_ID.SIMD_ID=1"]


def test_wave_registers_are_read_and_written(counting):
    out = lines(reg(counting, "run", "60", "SQ_IND_INDEX.INDEX=0x20b", "SQ_IND_DATA", "SQ_IND_DATA=1000", "run", "16", "SQ_IND_DATA",
                    "SQ_IND_INDEX=0x04020140", "SQ_IND_DATA", "SQ_IND_INDEX", "STATUS.VALID", "EXEC_LO", grid=64))
    before, after = (int(re.search(r"0x(\w+)", line).group(1), 16) for line in (out[1], out[3]))
    assert before == 29 and after == 1008
    assert out[4] == "SQ_IND_DATA = 0x00000007 DATA=0x7"  # v2 of lane 5
    assert out[5].startswith("SQ_IND_INDEX = 0x04020140") and out[6:] == ["STATUS.VALID=1", "EXEC_LO = 0xffffffff VALUE=0xffffffff"]


def test_a_trap_and_its_interrupt(counting):
    """TRAP enters the handler with HT and the number; its message is an interrupt of the wave's place."""
    out = lines(reg(counting, "run", "7", "SQ_CMD.CMD=TRAP", "SQ_CMD.DATA=5", "STATUS.PRIV", "TTMP1", "wait", "STATUS.PRIV=0", "100",
                    "interrupts", grid=64))
    assert out[1:3] == ["STATUS.PRIV=1", "TTMP1 = 0x01050001 PC_HI=1 TRAP_ID=5 HT=1 PC_REWIND=0"]
    assert out[3].startswith("STATUS.PRIV=0 after 5 issues")
    assert out[4:6] == ["1 interrupts", "time 9, wave 0, VMID 8, queue 0"]
    assert "DATA=1110 " in out[6] and "PRIV=1" in out[6] and "ENCODING=1(INST)" in out[6] and "DATA_MID=3" in out[6]
    assert out[7].endswith("DATA_HI=18")


def reg10(counting10, *commands, gpu="cu=8,se=2", grid=512):
    return lines(run("reg", counting10[0], f"--gpu=gfx1030:{gpu}", f"--grid={grid}", "--block=64", f"--trap-handler={counting10[1]}", *commands))


def test_registers_of_gfx10(counting10):
    """The SIMD is GRBM_GFX_INDEX's, wave registers are at 0x101 and up, HW_ID1 and HW_ID2 are HW_ID; waves have 32 lanes."""
    out = reg10(counting10, "run", "60", "GRBM_GFX_INDEX=0x10001", "SQ_CMD.CMD=HALT", "SQ_CMD.MODE=SINGLE", "STATUS.HALT", "HW_ID1.SE_ID", "HW_ID1.WGP_ID",
                "HW_ID1.SIMD_ID", "HW_ID2.VM_ID", "SQ_WAVE_ACTIVE", "IB_STS2.WAVE64", "GRBM_GFX_INDEX=0x10000", "STATUS.HALT", "HW_ID1.SIMD_ID")
    assert out[1:6] == ["STATUS.HALT=1", "HW_ID1.SE_ID=1", "HW_ID1.WGP_ID=0", "HW_ID1.SIMD_ID=1", "HW_ID2.VM_ID=8"]
    assert out[6].startswith("SQ_WAVE_ACTIVE = 0x0000000") and out[7:] == ["IB_STS2.WAVE64=0", "STATUS.HALT=0", "HW_ID1.SIMD_ID=0"]
    out = reg10(counting10, "run", "60", "SQ_IND_INDEX.INDEX=0x20b", "SQ_IND_DATA", "SQ_IND_DATA=1000", "run", "16", "SQ_IND_DATA",
                "SQ_IND_INDEX=0x040200a0", "SQ_IND_DATA", "SQ_IND_INDEX=0x04020500", "SQ_IND_DATA.DATA", "EXEC_LO", "HW_ID1", grid=32)
    before, after = (int(re.search(r"0x(\w+)", line).group(1), 16) for line in (out[1], out[3]))
    assert before == 29 and after == 1008
    assert out[4:7] == ["SQ_IND_DATA = 0x00000007 DATA=0x7", "SQ_IND_DATA.DATA=0xbebebeef", "EXEC_LO = 0xffffffff VALUE=0xffffffff"]
    assert out[7] == "HW_ID1 = 0x00000000 WAVE_ID=0 SIMD_ID=0 WGP_ID=0 SA_ID=0 SE_ID=0"
    done = run("reg", counting10[0], "--gpu=gfx1030", "--grid=32", "HW_ID")
    assert done.returncode == 125 and "no register 'HW_ID'" in done.stderr, done


def test_a_trap_of_gfx10_and_its_interrupt(counting10):
    out = reg10(counting10, "run", "7", "SQ_CMD.CMD=TRAP", "SQ_CMD.DATA=5", "STATUS.PRIV", "TTMP1", "wait", "STATUS.PRIV=0", "100", "interrupts", grid=32)
    assert out[1:3] == ["STATUS.PRIV=1", "TTMP1 = 0x01050001 PC_HI=1 TRAP_ID=5 HT=1 PC_REWIND=0"]
    assert out[4:6] == ["1 interrupts", "time 9, wave 0, VMID 8, queue 0"]
    assert f"DATA=0x{0x123456:x} SA_ID=0 PRIV=1 WAVE_ID=0 SIMD_ID=0" in out[6] and out[7].endswith("WGP_ID=0 SE_ID=0 ENCODING=1(INST)"), out


def test_trap_zero_is_told(counting):
    """Number 0 is the hardware's own: the trap is taken, and the user told."""
    done = reg(counting, "run", "7", "SQ_CMD.CMD=TRAP", "TTMP1", grid=64)
    assert lines(done)[1].startswith("TTMP1 = 0x01000001 ")
    assert re.fullmatch(r"wavetrap: the host's trap 0 at 0x\w+: trap number 0 is the hardware's own; .*\n", done.stderr)


def test_single_step_and_launches(counting):
    """DEBUG: each instruction traps. SPI_GDBG_WAVE_CNTL holds launches back: the kernel has begun before the first command."""
    out = lines(reg(counting, "SQ_CMD.CMD=DEBUG", "MODE.DEBUG_EN", "run", "30", "SQ_IND_INDEX.INDEX=0x20c", "SQ_IND_DATA.DATA",
                    "MODE.DEBUG_EN=0", "run", "30", "SQ_IND_DATA.DATA", grid=64))
    assert out[0] == "MODE.DEBUG_EN=1" and out[2] == out[4] == "SQ_IND_DATA.DATA=0x5"


def test_the_list_is_in_the_documentation():
    """docs/gcn-debug.md has each register and field of the table, with its bits."""
    listed = run("reg", "--list", "--gpu=gfx900").stdout
    text = (ROOT / "docs" / "gcn-debug.md").read_text()
    part, missing = None, []
    for line in listed.splitlines():
        if not line.startswith(" "):
            part = re.search(r"(\w+):", line).group(1)
            section = re.search(rf"\*\*{part}\*\*(.*?)(?=\n\*\*|\n## )", text, re.S)
            missing += [] if section else [part]
            continue
        bits, field = line.split()[:2]
        if section and f"| {field} | {bits.strip('[]')} |" not in section.group(1):
            missing.append(f"{part}.{field}")
    assert not missing and listed.count("\n") > 150


def test_the_list_of_gfx10_is_in_the_documentation():
    """What differs from gfx9's is in the last section, and nothing else."""
    section = (ROOT / "docs" / "gcn-debug.md").read_text().split("## A gfx1030's registers")[1]
    told = {row[1]: row[3] for row in (re.split(r" ?\| ?", line) for line in section.splitlines()) if len(row) == 5}
    lists = []
    for gpu in ("gfx900", "gfx1030"):
        fields = {}
        for line in run("reg", "--list", f"--gpu={gpu}").stdout.splitlines():
            if not line.startswith(" "):
                name = re.search(r"(\w+):", line)[1]
                fields[name] = [line.split(f"{name}:")[0]]
            else:
                fields[name].append(f"{line.split()[1]} {line.split()[0].strip('[]')}")
        lists.append(fields)
    for name, fields in lists[1].items():
        if lists[0].get(name) == fields or re.match("TCP_WATCH[123]", name):
            assert name not in told, name
        else:
            assert told[name] == ", ".join(fields[1:]), name
    assert len(told) > 20 and set(lists[0]) - set(lists[1]) == {"SPI_GDBG_TRAP_CONFIG", "SPI_GDBG_TRAP_DATA0", "SPI_GDBG_TRAP_DATA1", "INST_DW1", "HW_ID"}


def test_all_families_are_listed():
    out = run("reg", "--list").stdout
    assert (re.search(r"^vortex:\n0x0 PLATFORM:", out, re.M) and re.search(r"^gfx900 to gfx942:\n0x2022 GRBM_GFX_CNTL:", out, re.M) and
            re.search(r"^gfx1030 to gfx1036:\n0x2022 GRBM_GFX_CNTL:", out, re.M))
    assert run("reg", "--list", "--gpu=vortex").stdout == run("dm", "--registers").stdout


def test_vortex_has_its_debug_module(build):
    program = build.asm("_start: addi t0, t0, 1\n j _start\n")
    done = run("reg", program, "DCTRL.dmactive=1", "run", "10", "WMASK=1", "DCTRL.haltreq=1", "WSTATUS", "DCTRL.hacause", "run", "5")
    assert lines(done) == ["ran 10 issues to time 10", "WSTATUS = 0x00000001 status=0x1", "DCTRL.hacause=2(HALTREQ)",
                           "ran 0 issues to time 10: every active warp is halted"]


def test_a_device_elsewhere(build, tmp_path):
    program, address = build.asm("_start: addi t0, t0, 1\n j _start\n"), f"unix:{tmp_path}/dm"
    server = subprocess.Popen([run.__globals__["WAVETRAP"], "serve", f"--dm={address}", program], stderr=subprocess.PIPE, text=True)
    try:
        while "dm" not in server.stderr.readline():
            assert server.poll() is None
        done = run("reg", f"--connect={address}", "DCTRL.dmactive=1", "PLATFORM.platformid", "run")
        assert done.stdout == "PLATFORM.platformid=1\n" and "runs by itself" in done.stderr
    finally:
        server.kill()
        server.wait()


def test_bad_commands_get_a_message(counting):
    for commands, words in ((["NOSUCH"], "'wavetrap reg --list' lists them"), (["SQ_CMD.NOSUCH=1"], "no field 'NOSUCH'"),
                            (["SQ_CMD.MODE=ALL"], "not a value of"), (["HW_ID.SE_ID=1"], "read-only"), (["SQ_CMD.DATA=16"], "does not fit"),
                            (["WAVE_MESSAGE"], "is a layout"), (["99999"], "end at 0xffff"), (["wait", "STATUS.HALT=1", "10"], "did not happen"),
                            (["watch"], "no register 'watch'")):
        done = reg(counting, *commands, grid=64)
        assert done.returncode == 125 and words in done.stderr, (commands, done)
    done = run("reg", "--gpu=gfx900", "--grid=64", "--shared=65537", counting[0])
    assert done.returncode == 125 and "--shared: the kernel has 0 bytes of LDS of its own; there are 65536 for a work-group" in done.stderr, done
    done = run("reg")
    assert done.returncode == 125 and "an operand is missing" in done.stderr


def test_scripts(counting):
    script = "# halt\nrun 10 SQ_CMD.CMD=HALT SQ_CMD.MODE=BROADCAST\nrun\n STATUS.HALT\n"
    assert lines(reg(counting, input=script)) == ["ran 10 issues to time 10", "ran 0 issues to time 10: every active wave is halted",
                                                  "STATUS.HALT=1"]
    assert "stdin: line 2" in reg(counting, input="run\nfoo\n").stderr


def test_changes_are_watched(counting):
    out = lines(reg(counting, "watch", "PC_LO,STATUS.HALT", "4", grid=64))
    assert out == ["0 issues: PC_LO = 0x00001400 VALUE=0x1400", "0 issues: STATUS.HALT=0", "1 issues: PC_LO = 0x00001404 VALUE=0x1404",
                   "2 issues: PC_LO = 0x00001408 VALUE=0x1408", "3 issues: PC_LO = 0x0000140c VALUE=0x140c",
                   "4 issues: PC_LO = 0x00001408 VALUE=0x1408"]
