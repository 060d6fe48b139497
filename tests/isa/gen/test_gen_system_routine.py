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


CSR_BEGIN = bytes.fromhex("018000000400003e0006000000000000" "05000000441000260610000e00020000")   # mov dbg0.0 f0.0; and f0.0 cr0.3 512


def image(number):
    """One of the library's seven routines for debuggers, without the part for preemption before it."""
    code = LIBRARY.read_bytes()
    begin = [found.start() for found in re.finditer(re.escape(BEGIN), code)][number] - 16
    return code[begin:code.index(END, begin) + len(END)]


# Image 0 saves to surface 0xfc; 3 and 6 to binding table entry 0x92, which leads to the same surface. 1 and 4 save to entry 0, which
# only Intel's runtime makes the save area. 2 and 5 do not save all of r1 to r4 (see the last but one test).
@pytest.fixture(scope="module", params=[0, 3, 6])
def routine(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("system") / "routine.bin"
    path.write_bytes(image(request.param))
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


@pytest.mark.parametrize("number", [2, 5])
def test_two_routines_save_one_oword_of_r1_to_r4(kernel, tmp_path, number):
    """Their first message has four registers and writes one OWord of them (bits 12:8 of the descriptor are 0, not 4): of r1 to r4 only
    the local ids of eight channels are there, and that is what their threads get back."""
    routine = tmp_path / "routine.bin"
    code = image(number)
    routine.write_bytes(code)
    descriptors = [struct.unpack_from("<I", code, at + 12)[0] for at in range(0, len(code), 16) if code[at] == 0x33]   # sends
    assert descriptors[0] == 0x020a00fc and descriptors[2] == 0x020a04fc
    _, area = reg(kernel, routine, tmp_path, HALTED, f"{SAVE:#x}:{2 * THREAD:#x}")
    for thread in range(2):
        saved = area[thread * THREAD + 32:thread * THREAD + 160]
        assert list(struct.unpack("<8H", saved[:16])) == list(range(32 * thread, 32 * thread + 8)) and not any(saved[16:])
    out, result = reg(kernel, routine, tmp_path, HALTED + GO_ON, "0x200000000:256")
    assert out.splitlines()[-1].endswith("the kernel has ended")
    assert result != struct.pack("<64I", *(3 * i + 1 for i in range(64)))


def test_a_routine_for_preemption_is_stopped_with_a_report(kernel, tmp_path):
    """It ends the thread after the save, and expects that the command streamer starts it again in the routine: nobody does here."""
    code = LIBRARY.read_bytes()
    begin = code.index(CSR_BEGIN) - 16
    path = tmp_path / "routine.bin"
    path.write_bytes(code[begin:begin + 8480])
    done = subprocess.run([WAVETRAP, "reg", "-g", "gen9", "--grid=64", "--arg=zeros:256", f"--trap-handler={path}", kernel,
                           "run 6", "CONTEXT_SAVE=3", "run 100000"], capture_output=True, text=True, timeout=60, check=False)
    assert "an operand lies outside the registers: " in done.stderr and "sr1.0<4;4,1>:ud" in done.stderr, done.stdout + done.stderr
