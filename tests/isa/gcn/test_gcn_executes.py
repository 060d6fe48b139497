"""Whatever Debian's compilers, AMD's runtime and the two trap handlers contain is executed; of the handlers, each instruction is reached."""
import os
import re
import subprocess
from pathlib import Path

import pytest

import test_gcn_traps as traps
import gpu
from amdgpu import Llvm
from releases import BITCODE
from gpu import ADDR_WATCH, BUILD, MEM_VIOL, SECOND, TTMP, XNACK_ERROR, Gpu, driver_handler, kernel, runtime_code

ROOT = Path(__file__).resolve().parents[3]
OPENCL = sorted([*(ROOT / "tests" / "kernels" / "gcn").rglob("*.cl"), *(ROOT / "bench" / "kernels").glob("gcn*.cl")])
HIP = sorted([*(ROOT / "tests" / "host").glob("*.hip"), *(ROOT / "examples" / "gcn").glob("*.hip")])


def split(llvm, words):
    """The instructions of straight code: their places and words."""
    at = 0
    while at < len(words):
        length, text = llvm(words[at:at + 2])
        assert length, f"dword {at}: {words[at]:#x} is not an instruction"
        yield at, words[at:at + length]
        at += length


def executed(decode_tool, instructions, model="gfx900"):
    """Mnemonics of instructions, all of which must be executed."""
    text = "".join(" ".join(f"{w:x}" for w in words) + "\n" for words in instructions)
    out = subprocess.run([decode_tool, "executes", model], input=text, capture_output=True, text=True, check=True).stdout
    answers = [line.split(" ", 2) for line in out.splitlines()]
    assert len(answers) == len(instructions) > 0
    wrong = {(name, *map(hex, words)) for (yes, _, name), words in zip(answers, instructions) if yes != "1"}
    assert not wrong
    return {name for _, _, name in answers}


def disassembled(path):
    """The instructions of a code object, as LLVM finds them."""
    text = subprocess.run(["llvm-objdump-19", "-d", path], check=True, capture_output=True, text=True).stdout
    lines = [line for line in text.splitlines() if ".long" not in line]  # what is not an instruction at all: a test of faults has one
    return [[int(w, 16) for w in m[1].split()] for m in re.finditer(r"// [0-9A-F]{12}: ((?:[0-9A-F]{8} ?)+)", "\n".join(lines))]


def compiled(source, compiler, level, option):
    """A code object of an OpenCL or HIP source; None where this compiler cannot."""
    made = BUILD / "tests" / "disassembled" / f"{source.stem}-{source.suffix[1:]}-{compiler}{level}{option}.co"
    if made.exists() and made.stat().st_mtime > source.stat().st_mtime:
        return made
    made.parent.mkdir(parents=True, exist_ok=True)
    part = made.with_suffix(f".{os.getpid()}")
    if source.suffix == ".cl":
        words = [compiler, "-fno-crash-diagnostics", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900", "-x", "cl", "-cl-std=CL2.0", f"--rocm-device-lib-path={BITCODE}"]
    else:
        words = [compiler, "-fno-crash-diagnostics", "-x", "hip", "--offload-arch=gfx900", "--rocm-path=/usr", f"--rocm-device-lib-path={BITCODE}", "--hip-path=/usr",
                 "--cuda-device-only", "--no-gpu-bundle-output"]
    done = subprocess.run([*words, level, option, "-w", source, "-o", part], capture_output=True, text=True)
    if done.returncode:
        assert (compiler, level) == ("clang-15", "-O0") and "permlanex16" in done.stderr, done.stderr  # no work_group_reduce there
        return None
    part.rename(made)
    return made


@pytest.mark.parametrize("compiler, level", [
    ("clang-19", "-O2 of a sixth"), pytest.param("clang-19", "-O2", marks=pytest.mark.full), pytest.param("clang-19", "-O0", marks=pytest.mark.full),
    pytest.param("clang-15", "-O2", marks=pytest.mark.full), pytest.param("clang-15", "-O0", marks=pytest.mark.full)])
def test_compiled_code(decode_tool, compiler, level):
    level, _, sample = level.partition(" of a ")
    sources = (OPENCL + (HIP if compiler == "clang-19" else []))[::6 if sample else 1]
    assert len(OPENCL) >= 8 and len(HIP) >= 4
    variants = [(source, option) for source in sources
                for option in (("-DREAL=float", "-DREAL=double") if "REAL" in source.read_text() else ("-DSIZE=256",))]
    objects = [made for made in (compiled(source, compiler, level, option) for source, option in variants) if made]
    names = executed(decode_tool, [words for made in objects for words in disassembled(made)])
    print(f"{compiler} {level}: {len(objects)} code objects, {len(names)} mnemonics")
    assert len(names) > 100


def test_runtime_kernels(decode_tool, llvm):
    """Those that copy (aligned, misaligned) and fill."""
    kernels = runtime_code()[1]
    assert len(kernels) == 3
    for words in kernels:
        assert "s_endpgm" in executed(decode_tool, [w for _, w in split(llvm, words)])


@pytest.mark.parametrize("model, linux, dwords", [
    *(pytest.param(name, "6.1", dwords, marks=pytest.mark.full) for name, dwords in (("gfx900", 798), ("gfx906", 798), ("gfx908", 950), ("gfx90a", 972))),
    ("gfx942", "6.12", 972)])
def test_driver_handler(decode_tool, monkeypatch, model, linux, dwords):
    """Each of its instructions is executed, and reached by what test_gcn_traps.py does."""
    monkeypatch.setattr(gpu, "MODEL", model)
    monkeypatch.setattr(gpu, "LINUX", linux)
    handler, llvm = driver_handler(), Llvm(model)
    assert len(handler) == dwords
    instructions = dict(split(llvm, handler))
    executed(decode_tool, list(instructions.values()), model)
    Gpu.seen.clear()
    for name in ("more registers", "all SGPRs, stores through the scalar cache"):
        traps.test_context_save_and_restore(model, name, linux)
    traps.test_trap_goes_through_both_handlers()
    traps.test_trap_without_a_second_handler()
    traps.test_exception_without_a_second_handler()
    traps.test_host_trap()
    traps.test_address_watch(ADDR_WATCH)
    traps.test_memory_violation()
    traps.test_single_stepped_wave_is_halted_before_it_is_saved()
    traps.test_halted_wave_waits_in_the_handler_until_it_is_saved()
    missed = {at: [hex(w) for w in words] for at, words in instructions.items() if at not in Gpu.seen[tuple(handler)]}
    print(f"{len(instructions) - len(missed)} of {len(instructions)} instructions reached")
    # Linux 6.12 extends the sign of the second handler's memory, which is of the kernel's half of all addresses then.
    assert [words[1:] for words in missed.values()] == ([["0xffff0000"]] if linux == "6.12" else [])


# The loop in which a wave is parked, halted: it goes on there when a debugger lets it go.
PARKED = {0x150 // 4, 0x154 // 4}


def parked(wave):
    """Where a wave stopped that is in that loop: the PC in TTMP7 and TTMP11[22:7]."""
    return wave.s[TTMP + 7] | (wave.s[TTMP + 11] >> 7 & 0xffff) << 32


@pytest.mark.parametrize("model", ["gfx900", *(pytest.param(name, marks=pytest.mark.full) for name in ("gfx906", "gfx908", "gfx90a"))])
def test_runtime_handler(decode_tool, monkeypatch, model):
    """The same of the runtime's, which is behind the driver's; but for the loop in which it parks a halted wave. The wave's own PC is kept beside."""
    monkeypatch.setattr(gpu, "MODEL", model)
    monkeypatch.setattr(gpu, "CODE", 0x7ff500000000)    # a PC of 48 bits
    handler, llvm = runtime_code()[0], Llvm(model)
    instructions = dict(split(llvm, handler))
    executed(decode_tool, list(instructions.values()), model)
    Gpu.seen.clear()
    divide, _, rcp, _ = traps.ONE_SOURCE["division by zero"]
    rcp = rcp.partition("\n")[0]
    behind = (" s_trap 1", " s_trap 2", rcp)
    cases = [(" s_trap 2", (), 0), (" s_trap 1", (), 0), (" s_trap 3", (), 0), (rcp, [divide], 0), (" .long 0xbeff7fff", (), 0),
             (" s_nop 0", (), MEM_VIOL), (" s_nop 0", (), MEM_VIOL | XNACK_ERROR), (" s_nop 0", (), "host")]
    for body, directives, raised in cases:
        with Gpu() as device:
            device.handlers(driver_handler(), handler)
            at = device.start(kernel(f"there:{body}\nbehind: s_nop 0\n s_endpgm", directives))
            if raised == "host":
                assert device.ask("trap", 0, 4) == "1"
            elif raised:
                assert device.ask("raise", 0, raised) == "1"
            assert device.run() == ("ended" if body == " s_trap 3" else "halted")
            if body != " s_trap 3":
                wave = device.waves()[0]
                assert wave.pc - SECOND in {4 * dword for dword in PARKED} and parked(wave) == at["behind" if body in behind else "there"], body
    missed = {at for at in instructions if at not in Gpu.seen[tuple(handler)]}
    print(f"{len(instructions) - len(missed)} of {len(instructions)} instructions reached")
    assert missed == PARKED
