"""Intel's own system routine for Gen9, from Debian's compiler library, on the emulated EU: it saves a thread's state, waits for the
host, restores the state, and returns."""
import re
import struct
import subprocess
from pathlib import Path

import pytest

import iga
from conftest import WAVETRAP

LIBRARY = Path("/usr/lib/x86_64-linux-gnu/libigc.so.1")
BEGIN = bytes.fromhex("06800000040000300010000602000000")   # or cr0.0 cr0.0 0x2 {Switch}: behind a nop
END = bytes.fromhex("058000000400003000100006fdffff7f")     # and cr0.0 cr0.0 0x7ffffffd {Switch}
KERNEL = "kernel void k(global uint *out) { uint i = get_global_id(0); out[i] = i * 3u + 1u; }"
SAVE, THREAD = 0x4C0000000000, 0x180 * 16                   # the save area, and a thread's part of it
BREAKPOINT, HALT, AREA_CR, AREA_IP = 1 << 31, 1 << 30, 131, 132


# The library has seven images. Two (1, 4) save to binding table entry 0, which only Intel's runtime makes the save area; two (2, 5)
# save one OWord of r1 to r4 only, so that threads cannot go on. The last one saves contexts for preemption, too.
@pytest.fixture(scope="module", params=[0, 3, 6])
def routine(request, tmp_path_factory):
    code = LIBRARY.read_bytes()
    begin = [found.start() for found in re.finditer(re.escape(BEGIN), code)][request.param] - 16
    path = tmp_path_factory.mktemp("system") / "routine.bin"
    path.write_bytes(code[begin:code.index(END, begin) + len(END)])
    return path


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kernel")
    source = folder / "k.cl"
    source.write_text(KERNEL)
    return iga.compile_cl(source, folder / "k")


def reg(program, routine, tmp_path, commands, place):
    """The commands' output, and what memory holds at the end: `place` is ADDRESS:LENGTH."""
    out = tmp_path / "dump"
    done = subprocess.run([WAVETRAP, "reg", "-g", "gen9", "--grid=64", "--arg=zeros:256", f"--trap-handler={routine}",
                           f"--dump={out}@{place}", program, *commands], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout, out.read_bytes()


def row(area, thread, register):
    return struct.unpack_from("<8I", area, thread * THREAD + 32 * register)


GO_ON = ["TD_CTL.FORCE_EXTERNAL_HALT=0", "TD_CLR0=0xffffffff", "TD_ATT0", "run 100000"]
HALTED = ["run 6", "TD_CTL.FORCE_EXTERNAL_HALT=1", "wait TD_ATT0=0x3"]


def test_halted_threads_are_saved(kernel, routine, tmp_path):
    """Two threads of 32 channels: r1 and r2 are the local ids, AIP is where each was, the status is the external halt's."""
    out, area = reg(kernel, routine, tmp_path, HALTED, f"{SAVE:#x}:{2 * THREAD:#x}")
    assert re.search(r"TD_ATT0=0x3 after \d+ issues", out)
    for thread in range(2):
        ids = struct.unpack("<32H", area[thread * THREAD + 32:thread * THREAD + 96])
        assert list(ids) == list(range(32 * thread, 32 * thread + 32))
        cr0, cr1, aip = row(area, thread, AREA_CR)[:3]
        assert cr0 >> 31 == 1 and cr1 == HALT
        assert (aip == 0) == (thread == 1)     # the second one had not issued yet
        assert row(area, thread, AREA_IP)[0] >= 0x70000000     # the routine itself


def test_threads_go_on_as_if_nothing_had_been(kernel, routine, tmp_path):
    out, result = reg(kernel, routine, tmp_path, HALTED + GO_ON, "0x200000000:256")
    assert "TD_ATT0 = 0x00000000" in out and out.splitlines()[-1].endswith("the kernel has ended")
    assert result == struct.pack("<64I", *(3 * i + 1 for i in range(64)))


def test_a_breakpoint_bit_in_the_code_stops_each_thread_once(kernel, routine, tmp_path):
    """DebugCtrl of the second instruction, or cr0.0 cr0.0 0x4c0: AIP is its address. The routine suppresses it on return."""
    code = kernel.read_bytes()
    prologue = bytes.fromhex("068000000400003000100016c004c004")
    assert code.count(prologue) == 1
    program = tmp_path / "breakpoint"
    program.write_bytes(code.replace(prologue, prologue[:3] + b"\x40" + prologue[4:]))
    commands = ["wait TD_ATT0=0x3"]
    _, area = reg(program, routine, tmp_path, commands, f"{SAVE:#x}:{2 * THREAD:#x}")
    for thread in range(2):
        assert row(area, thread, AREA_CR)[1:3] == (BREAKPOINT, 0x10)
    out, result = reg(program, routine, tmp_path, commands + ["TD_CLR0=3", "run 100000"], "0x200000000:256")
    assert out.splitlines()[-1].endswith("the kernel has ended")
    assert result == struct.pack("<64I", *(3 * i + 1 for i in range(64)))


def test_a_run_with_a_routine(kernel, routine, tmp_path):
    test = subprocess.run([WAVETRAP, "run", "-g", "gen9", "--grid=64", "--arg=zeros:256", f"--trap-handler={routine}", kernel],
                          capture_output=True, text=True, timeout=60, check=False)
    assert test.returncode == 0, test.stderr   # nothing is asked for: the routine is not entered
    bad = tmp_path / "bad"
    bad.write_bytes(b"123")
    test = subprocess.run([WAVETRAP, "run", "-g", "gen9", "--grid=64", "--arg=zeros:256", f"--trap-handler={bad}", kernel],
                          capture_output=True, text=True, timeout=60, check=False)
    assert "3 bytes; a system routine is the code alone" in test.stderr


SAVE_REQUEST = ["run 6", "CONTEXT_SAVE=3", "wait TD_ATT0=0x3"]   # REQUEST and FORCE
CONTEXT_SAVE, CR3_SAVE = 1 << 25, 1 << 9


def test_a_context_save_leaves_the_threads_state_in_the_area(kernel, routine, tmp_path):
    """The same layout as after a halt: r1 and r2 are the local ids, AIP is where each was; cr0.1 and cr0.3 say why."""
    _, area = reg(kernel, routine, tmp_path, SAVE_REQUEST, f"{SAVE:#x}:{2 * THREAD:#x}")
    for thread in range(2):
        ids = struct.unpack("<32H", area[thread * THREAD + 32:thread * THREAD + 96])
        assert list(ids) == list(range(32 * thread, 32 * thread + 32))
        cr0, cr1, aip, cr3 = row(area, thread, AREA_CR)[:4]
        assert cr0 >> 31 == 1 and cr1 == CONTEXT_SAVE and cr3 == CR3_SAVE
        assert (aip == 0) == (thread == 1)     # the second one had not issued yet
    out, result = reg(kernel, routine, tmp_path, SAVE_REQUEST + ["TD_CLR0=3", "run 100000"], "0x200000000:256")
    assert out.splitlines()[-1].endswith("the kernel has ended")
    assert result == struct.pack("<64I", *(3 * i + 1 for i in range(64)))


def test_a_context_save_is_for_threads_that_enable_it(kernel, routine, tmp_path):
    """Without FORCE, and without cr0.1 bit 9, the kernel runs on."""
    out, _ = reg(kernel, routine, tmp_path, ["run 6", "CONTEXT_SAVE=1", "run 100000"], "0x200000000:256")
    assert out.splitlines()[-1].endswith("the kernel has ended")
