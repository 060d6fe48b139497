"""NVIDIA SM on the command line: the assembler, the sample handlers, reports, registers."""
import re
import struct

import pytest

from conftest import ROOT, run

EXAMPLES = ROOT / "examples" / "sm"
NAME = "NV_PTPC_PRI_SM_"


def assemble(folder, name, text=None):
    """The cubin of an example, or of a text; with --kernel, since a file may have its handler, too."""
    source = EXAMPLES / f"{name}.sass"
    if text is not None:
        source = folder / f"{name}.sass"
        source.write_text(text)
    done = run("asm", source, "-o", folder / f"{name}.cubin", "--gpu=sm")
    assert done.returncode == 0, done.stderr
    return folder / f"{name}.cubin"


def handler_of(folder, name):
    """The handler that an example has in the same file."""
    text = (EXAMPLES / f"{name}.sass").read_text()
    return assemble(folder, f"{name}-handler", text[text.index(".handler"):])


@pytest.mark.parametrize("name", sorted(f.stem for f in EXAMPLES.glob("*.sass")))
def test_disassembly_assembles_to_the_same(tmp_path, name):
    cubin = assemble(tmp_path, name)
    listing = run("asm", "-d", cubin).stdout
    again = assemble(tmp_path, "again", listing)
    assert run("asm", "-d", again).stdout == listing
    assert not re.search(r"\.quad", listing)


def test_mistakes_have_line_and_column(tmp_path):
    (tmp_path / "bad.sass").write_text(".kernel k\n    EXIT;\n    IADD R0, R1, R2, R3;\n")
    done = run("asm", tmp_path / "bad.sass", "-o", tmp_path / "out")
    assert done.returncode == 125 and "bad.sass:3:20: this does not belong" in done.stderr
    assert not (tmp_path / "out").exists()
    done = run("asm", EXAMPLES / "vadd.sass")
    assert done.returncode == 125 and "-o" in done.stderr
    done = run("asm", "--gpu=gfx900", EXAMPLES / "vadd.sass", "-o", tmp_path / "out")
    assert done.returncode == 125 and "no assembler for gfx900" in done.stderr


def vadd(folder, *more, n=100):
    return run("run", "--grid=128", "--block=64", "--arg=zeros:512", "--arg=iota:512", "--arg=pattern:512=07000000",
               f"--arg={n}", *more, assemble(folder, "vadd"))


def test_vector_add_in_every_schedule(tmp_path):
    want = [i + 7 if i < 100 else 0 for i in range(128)]
    hashes = set()
    for gpu in ("sm", "sm:sms=2"):
        for schedule in ("rr:64", "rr:1", "lockstep", "random:3"):
            done = vadd(tmp_path, f"--gpu={gpu}", f"--schedule={schedule}", f"--dump-arg=0:{tmp_path}/c", "--hash")
            assert done.returncode == 0, done.stderr
            assert list(struct.unpack("<128I", (tmp_path / "c").read_bytes())) == want
            hashes.add(re.search("state hash (\\w+)", done.stderr)[1])
    assert len(hashes) == 8, "the schedule is a part of the state"


def test_who_wrote_and_trace(tmp_path):
    done = vadd(tmp_path, "--who-wrote=0:40")
    assert "written last by work-item (10,0,0)" in done.stderr and "STG.E [R6], R8" in done.stderr
    assert "<vadd+200>" in done.stderr
    text = run("trace", "--grid=32", "--arg=zeros:128", "--arg=iota:128", "--arg=iota:128", "--arg=32",
               assemble(tmp_path, "vadd")).stdout
    assert re.search(r"S2R R2, SR_TID.X  # R2\[1\]=0x1", text) and "STG.E [R6], R8" in text


def test_info(tmp_path):
    text = run("info", assemble(tmp_path, "local")).stdout
    assert "cubin for sm_50" in text and "kernel local" in text and "function handler" in text
    assert "local memory: 16 bytes a thread" in text and "0: 8 bytes at c[0x0][0x140]" in text
    assert "BPT.PAUSE_QUIET" in run("info", "--isa", "--gpu=sm").stdout


@pytest.mark.parametrize("options, words", [
    (["--grid=32"], "takes 4 arguments; 0 --arg are given"),
    (["--grid=33", "--block=32", "--arg=1"], "not a multiple"),
    (["--grid=32", "--arg=zeros:4", "--arg=1", "--arg=1", "--arg=zeros:8"], "has 4 bytes; a pointer"),
    (["--grid=32", "--kernel=other"], "there is no kernel 'other'"),
    (["--grid=32", "--gpu=sm:sms=17"], "sms=17: must be 1 to 16"),
    (["--grid=32", "--gpu=sm:cc=4.0"], "cc=4.0: must be 5.0 to 9.0"),
    (["--grid=32", "--gpu=sm:speed=1"], "an SM has no 'speed=1'"),
])
def test_bad_calls(tmp_path, options, words):
    done = run("run", *options, assemble(tmp_path, "vadd"))
    assert done.returncode == 125 and words in done.stderr


def test_other_files_are_refused(tmp_path):
    cubin = bytearray(assemble(tmp_path, "vadd").read_bytes())
    cubin[48] = 75  # another SM in e_flags
    (tmp_path / "other.cubin").write_bytes(cubin)
    done = run("run", "--grid=32", tmp_path / "other.cubin")
    assert done.returncode == 125 and "code for sm_75" in done.stderr
    done = run("gdb", assemble(tmp_path, "vadd"), "--", "true")
    assert done.returncode == 125 and "GDB's protocol does not reach GPUs that run cubins" in done.stderr


def test_addresses_are_explained_as_a_lane_of_machine_code_sees_them(tmp_path):
    """Global, shared and local memory, code, and where there is nothing; also where a lane stands at an instruction."""
    text = """.kernel k
.param 8 out
.shared 64
.local 16
    S2R R0, SR_TID.X;
    MOV R2, 0x4;
    STS [R2], R0;
    MOV R3, RZ;
    STL [R2], R0;
    NOP;
    EXIT;
"""
    cubin = assemble(tmp_path, "k", text)

    def explain(address, *options):
        done = run("explain-address", "--grid=64", "--block=32", "--arg=zeros:256", *options, cubin, address)
        assert done.returncode == 0, done.stderr
        return done.stdout
    assert "0x200000000: global\n" in explain("0x200000000") and "in memory, which holds 0x00000000" in explain("0x200000000")
    assert "in memory, where there is nothing" in explain("0x40")
    assert "0x10000008: global" in explain("0x10000008")
    # At the NOP each lane has stored: in shared memory the highest one last, in local memory each its own.
    there = "--at=k+0x38"
    shared = explain("0xfe000004", there)
    assert "shared, aperture 0xfe000000 .. 0xfeffffff" in shared and "in shared memory of the block, which holds 0x0000001f" in shared, shared
    local = explain("0xff000004", there, "--lane=5")
    assert "local, aperture 0xff000000 .. 0xffffffff" in local and "in memory (local), which holds 0x00000005" in local, local
    assert "GETLMEMBASE" in local and "0x10  bytes of local memory that a thread has" in local, local


# ---- the sample handlers, for each use that BPT's description names ----

def test_families_with_another_assembler_name_it(tmp_path):
    for gpu, words in (("gen9", "iga64 -p=9 -a FILE assembles its text (Debian's package libigc-tools)"), ("gfx900", "clang -target amdgcn-amd-amdhsa"),
                       ("vortex", "gcc-riscv64-unknown-elf")):
        done = run("asm", "-g", gpu, __file__, "-o", tmp_path / "out")
        assert done.returncode == 125 and words in done.stderr, done.stderr


def test_a_breakpoint_and_its_handler(tmp_path):
    """The tutorial's session: stop, look, wake."""
    done = run("reg", "--grid=32", "--arg=zeros:128", f"--trap-handler={assemble(tmp_path, 'debugger')}",
               assemble(tmp_path, "breakpoint"), "run 100", NAME + "DBGR_STATUS0", NAME + "HWW_WARP_ESR",
               NAME + "DBGR_BPT_PAUSE_MASK=0", NAME + "DBGR_CONTROL0.RUN_TRIGGER=1", "run 100", NAME + "WARP_VALID_MASK")
    assert done.returncode == 0, done.stderr
    assert "SM_IN_TRAP_MODE=1 LOCKED_DOWN=1" in done.stdout
    assert "HWW_WARP_ESR = 0x00010000 ERROR=0(none) TRAP=1" in done.stdout
    assert "WARP_VALID_MASK = 0x00000000" in done.stdout


@pytest.mark.parametrize("register", ["CONTROL0", "STATUS0"])
def test_the_run_trigger_is_in_two_registers(tmp_path, register):
    # The description of BPT has it in STATUS0, GM20B's headers in CONTROL0.
    done = run("reg", "--grid=32", "--arg=zeros:128", f"--trap-handler={assemble(tmp_path, 'debugger')}",
               assemble(tmp_path, "breakpoint"), f"wait {NAME}DBGR_STATUS0.LOCKED_DOWN=1", NAME + "DBGR_BPT_PAUSE_MASK=0",
               NAME + f"DBGR_{register}.RUN_TRIGGER=1", "run 100", NAME + "WARP_VALID_MASK", NAME + "DBGR_STATUS0")
    assert done.returncode == 0, done.stderr
    assert "WARP_VALID_MASK = 0x00000000" in done.stdout and "DBGR_STATUS0 = 0x00000000" in done.stdout


def test_blocks_are_continued_later(tmp_path):
    done = run("reg", "--kernel=continuation", "--grid=96", "--block=32", "--arg=zeros:12",
               f"--trap-handler={handler_of(tmp_path, 'continuation')}", assemble(tmp_path, "continuation"),
               f"wait {NAME}DBGR_BPT_PAUSE_MASK=7", NAME + "DBGR_STATUS0", NAME + "DBGR_BPT_PAUSE_MASK",
               NAME + "DBGR_CONTROL0.STOP_TRIGGER=1", NAME + "DBGR_BPT_PAUSE_MASK=0", NAME + "DBGR_CONTROL0.RUN_TRIGGER=1",
               f"wait {NAME}DBGR_STATUS0.LOCKED_DOWN=1", NAME + "DBGR_CONTROL0.STOP_TRIGGER=0", NAME + "DBGR_BPT_PAUSE_MASK=0",
               NAME + "DBGR_CONTROL0.RUN_TRIGGER=1", f"wait {NAME}WARP_VALID_MASK=0", NAME + "DBGR_INCONSISTENT")
    assert done.returncode == 0, done.stderr
    # All wait, and the SM is in user mode; no wake is out of order.
    assert "DBGR_STATUS0 = 0x00000000" in done.stdout and "DBGR_BPT_PAUSE_MASK = 0x00000007" in done.stdout
    assert "DBGR_INCONSISTENT = 0x00000000" in done.stdout


def test_system_calls(tmp_path):
    done = run("run", "--kernel=syscall", "--grid=96", "--block=96", "--arg=zeros:64", "--arg=zeros:384",
               f"--dump-arg=1:{tmp_path}/out", f"--trap-handler={handler_of(tmp_path, 'syscall')}",
               assemble(tmp_path, "syscall"))
    assert done.returncode == 0, done.stderr
    assert struct.unpack("<96I", (tmp_path / "out").read_bytes()) == (0x2a,) * 96


def test_an_abi_through_local_memory(tmp_path):
    done = run("run", "--kernel=local", "--grid=64", "--block=64", "--arg=zeros:256", f"--dump-arg=0:{tmp_path}/out",
               f"--trap-handler={handler_of(tmp_path, 'local')}", assemble(tmp_path, "local"))
    assert done.returncode == 0, done.stderr
    assert struct.unpack("<64I", (tmp_path / "out").read_bytes()) == tuple(2 * i for i in range(64))


def test_notifications(tmp_path):
    done = run("reg", "--grid=1", "--block=1", "--arg=zeros:4", "--arg=5", assemble(tmp_path, "notify"),
               *([f"wait {NAME}HWW_GLOBAL_ESR.BPT_INT=1", NAME + "HWW_GLOBAL_ESR.BPT_INT", NAME + "HWW_GLOBAL_ESR=0x10"] * 3))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines().count(NAME + "HWW_GLOBAL_ESR.BPT_INT=1") == 3, done.stdout


def test_warps_are_peeled_off(tmp_path):
    done = run("reg", "--grid=96", "--block=32", "--arg=zeros:384", f"--trap-handler={assemble(tmp_path, 'peel')}",
               assemble(tmp_path, "breakpoint"), f"wait {NAME}DBGR_STATUS0.LOCKED_DOWN=1", NAME + "DBGR_BPT_PAUSE_MASK", NAME + "DBGR_STATUS0",
               NAME + "HWW_GLOBAL_ESR.BPT_PAUSE")
    assert done.returncode == 0, done.stderr
    assert "PAUSE_MASK = 0x00000007" in done.stdout or "WARPS=0x7" in done.stdout
    assert "LOCKED_DOWN=1" in done.stdout and "BPT_PAUSE=1" in done.stdout


def test_run_goes_on_when_a_warp_halts(tmp_path):
    """N instructions, as the help says: warps that halt one after the other do not end it."""
    arguments = ["reg", "--grid=96", "--block=32", "--arg=zeros:384", f"--trap-handler={assemble(tmp_path, 'peel')}", assemble(tmp_path, "breakpoint")]
    whole = run(*arguments, "run 1000")
    issues = int(re.match(r"ran (\d+) issues to time \d+: every active warp is halted\n$", whole.stdout)[1])
    first = run(*arguments, f"wait {NAME}DBGR_BPT_PAUSE_MASK=1").stdout
    halts = int(re.search(r"time (\d+)", first)[1])
    assert halts + 2 < issues
    done = run(*arguments, f"run {halts - 2}", "run 4")
    assert done.stdout == f"ran {halts - 2} issues to time {halts - 2}\nran 4 issues to time {halts + 2}\n", done.stdout


def test_a_handler_that_pauses_needs_a_debugger(tmp_path):
    done = run("run", "--grid=32", "--arg=zeros:128", f"--trap-handler={assemble(tmp_path, 'debugger')}",
               assemble(tmp_path, "breakpoint"))
    assert done.returncode == 125 and "every warp is halted" in done.stderr


def test_late_errors_say_so(tmp_path):
    text = ".kernel k\n    MOV R4, 0x2;\n    LDS R5, [R4];\n" + "    NOP;\n" * 6 + "    EXIT;\n"
    cubin = assemble(tmp_path, "late", text)
    done = run("run", "--grid=32", cubin)
    assert done.returncode == 119 and "imprecise" not in done.stderr and "LDS R5, [R4]" in done.stderr
    done = run("run", "--grid=32", "--gpu=sm:error-delay=4", cubin)
    assert done.returncode == 119 and "imprecise: the warp is at" in done.stderr and "LDS R5, [R4]" in done.stderr
