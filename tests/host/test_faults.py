"""A GPU's faults reach the runtime, which ends the program; our report says where they were."""
import pathlib
import re
import signal
import struct

import pytest

import amd
from conftest import MODEL, ROOT, compiled, environment, example, hip, wavetrap

pytestmark = pytest.mark.hip

XNACK = " without HSA_XNACK=1" if MODEL in ("gfx90a", "gfx942") else ""
SOURCE = (pathlib.Path(__file__).parent / "faults.hip").read_text().splitlines()


def line_of(text):
    return next(i for i, line in enumerate(SOURCE, 1) if text in line)


of_gfx900 = pytest.mark.skipif(MODEL != "gfx900", reason="the example's assembly is gfx900's")


def report(done):
    """Our report: what, function, line, place, lanes."""
    found = re.search(rf"wavetrap: {MODEL} \(node 1\): (.*)\n  (device .*), lanes? (.*), issue time \d+\n"
                      r"  at 0x[0-9a-f]+ <([^+>]*)\+\d+>(?: at (.*))?\n(?:  .*\n)*?  of the kernel at .*\n", done.stderr)
    assert found, done.stderr
    assert done.returncode == -signal.SIGABRT
    what, place, lanes, function, line = found.groups()
    return what, function, line, place, lanes


@pytest.mark.parametrize("word, what, function, line, lanes, runtime", [
    ("store", "global_store_dword: store of 4 bytes at 0x123456000: no memory is mapped there for writing",
     "store_nowhere(int*)", "out[threadIdx.x] = 1; // nothing", "0-63",
     "Memory access fault by GPU node-1 .* on address 0x123456000. Reason: Page not present"),
    ("load", "global_load_dword: load of 4 bytes at 0x123456000: no memory is mapped there",
     "load_nowhere(int const*, int*)", "out[threadIdx.x] = in", "0-63",
     "Memory access fault by GPU node-1 .* on address 0x123456000. Reason: Page not present"),
    ("illegal", "illegal instruction 0xbeff7fff: there is no such instruction",
     "no_instruction(int*)", "0xbeff7fff", "0-63", "HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION"),
    ("divide", "v_div_fixup_f32: division by zero, which EXCP_EN makes an exception", "divides(int*)", "(float)((int)threadIdx.x", "5",
     "HSA_STATUS_ERROR_EXCEPTION"),
    ("trap", "s_trap 2 (the program gave up: assert, abort or __builtin_trap)",
     "gives_up(int*)", "__builtin_trap();", "5", "HSA_STATUS_ERROR_EXCEPTION"),
])
def test_fault(word, what, function, line, lanes, runtime):
    done = hip(compiled("faults.hip"), word)
    place = "device 0, dispatch 3, group (0,0,0), core 0, wave 0"
    said = report(done)
    assert said[:2] + said[3:] == (what, function, place, lanes.replace("63", str(amd.LANES - 1)))
    if word != "illegal":  # assembly has the line of the statement that it stands in, or none
        assert said[2].endswith(f"faults.hip:{line_of(line)}")
    assert re.search(runtime, done.stderr)
    assert done.stdout == ""


def test_lanes_past_the_end_of_a_buffer():
    """64 lanes 4 MiB apart: the fault names those that have left what is mapped, and their address."""
    said = report(hip(compiled("faults.hip"), "end"))
    assert "no memory is mapped there for writing" in said[0]
    assert "0" not in said[4].split(",")[0].split("-")


def test_assert_prints_and_ends_the_program():
    done = hip(compiled("faults.hip"), "assert")
    assert done.stderr.count("Device-side assertion `threadIdx.x >= least' failed.") == 2
    assert report(done)[0].startswith("s_trap 2")
    assert report(done)[4] == "0-1"


def test_a_debug_trap_without_a_debugger_is_no_fault():
    done = hip(compiled("faults.hip"), "debugtrap")
    assert (done.stdout, done.stderr, done.returncode) == ("value 5\n", "", 0)


@pytest.mark.parametrize("word, said, gpus", [
    ("null", r"0x(0: a null pointer|[1-9a-f][0-9a-f]*: \d+ bytes after a null pointer)", 1),
    ("host", r"0x[0-9a-f]+: the program's own memory, which it has neither allocated nor registered for GPUs "
             rf"\(hipMalloc, hipHostMalloc, hipHostRegister{', or HSA_XNACK=1' if XNACK else ''}\)", 1),
    ("registered", r"0x[0-9a-f]+: the program's address of registered memory, which GPUs have at 0x[0-9a-f]+ "
                   r"\(hipHostGetDevicePointer\)", 1),
    ("peer", r"0x[0-9a-f]+: memory of node 2, which this GPU may not use \(hipDeviceEnablePeerAccess\)", 2),
    ("small", r"0x[0-9a-f]+: \d+ bytes past the end of an allocation of 400 bytes at 0x[0-9a-f]+", 1),
    ("freed", r"0x[0-9a-f]+: byte 4000 of an allocation of 5242880 bytes at 0x[0-9a-f]+, which the program has freed", 1),
    ("libc", rf"0x[0-9a-f]+: the program's own memory: /\S+/libc.so.6, which GPUs may not use{XNACK}", 1),
    ("stack", rf"0x[0-9a-f]+: the program's own memory: its stack, which GPUs may not use{XNACK}", 1),
    ("private", r"0x[0-9a-f]+: private memory of lane 0, byte \d+ of 80", 1),
    ("far", r"0x[0-9a-f]+: (\d+ bytes past the end of an allocation of \d+ bytes at 0x[0-9a-f]+|the program's own memory.*)", 1),
    ("reserved", r"0x[0-9a-f]+: (byte \d+ of|\d+ bytes past the end of|\d+ bytes before) an allocation of \d+ bytes at 0x[0-9a-f]+", 1),
    ("behind", r"0x[0-9a-f]+: 20 bytes past the end of an allocation of 4194304 bytes at 0x[0-9a-f]+", 1),
])
def test_what_an_address_is_that_the_gpu_may_not_use(word, said, gpus):
    done = hip(compiled("faults.hip"), word, gpus=["gfx900"] * gpus)
    report(done)
    assert re.search(rf"^  {said}$", done.stderr, re.M), done.stderr


def test_a_memory_fault_has_a_short_report():
    """The runtime's thirty lines about memory are off, but for the first, which scripts look for."""
    done = hip(compiled("faults.hip"), "store")
    report(done)
    lines = done.stderr.splitlines()
    assert len(lines) == 7 and lines[5].startswith("Memory access fault by GPU node-1") and "Assertion" in lines[6], lines
    env = {**environment(), "HSA_ENABLE_VM_FAULT_MESSAGE": "1"}
    done = wavetrap("exec", compiled("faults.hip"), "store", env=env)
    report(done)
    assert "Nearby memory map" in done.stderr


def test_a_launch_beyond_the_kernels_bounds():
    """HIP's own error is silent; one that it explains by another error stays as it is."""
    done = hip(compiled("faults.hip"), "bounds")
    assert (done.returncode, done.stdout) == (0, "value 0\n")
    assert done.stderr == ("wavetrap: HIP has refused to launch bounded(int*): a block of 128 work-items, and the kernel was compiled "
                           "for at most 64 (__launch_bounds__, --gpu-max-threads-per-block)\n")
    assert hip(compiled("faults.hip"), "too many").stderr == ""


def test_small_buffers_by_themselves():
    """The runtime cuts them out of blocks of 2 MiB, unless it is told not to."""
    assert hip(compiled("faults.hip"), "page").stderr == ""
    done = wavetrap("exec", compiled("faults.hip"), "page", env={**environment(), "HSA_DISABLE_FRAGMENT_ALLOCATOR": "1"})
    assert "no memory is mapped there for writing" in report(done)[0]
    assert re.search(r"^  0x[0-9a-f]+: just past the end of an allocation of 4096 bytes at", done.stderr, re.M)


def line_of_example(name, text):
    lines = (ROOT / "examples" / "gcn" / name).read_text().splitlines()
    return f"{name}:{next(i for i, line in enumerate(lines, 1) if text in line)}"


def test_example_of_a_division_by_zero():
    """An enabled exception: the runtime's trap handler finds it; the report has the lanes that divide by zero."""
    said = report(hip(example("division")))
    assert said[0] == "v_div_fixup_f32: division by zero, which EXCP_EN makes an exception"
    assert said[2].endswith(line_of_example("division.hip", "speed[i] = metres[i]")) and said[4] == ("21,42,63" if amd.LANES == 64 else "21")


@pytest.mark.parametrize("program, lane", [(lambda: [example("division")], 21), (lambda: [compiled("faults.hip"), "divide"], 5)], ids=["one", "in-two-waves"])
def test_an_exception_is_decoded(program, lane):
    """Also one that the program has enabled itself, and that the runtime's handler has taken; another wave raises its own in the meantime."""
    done = hip(*program())
    report(done)
    assert re.search(rf"^  v_div_fixup_f32 .*\n  float_div0 in lane {lane}; TRAPSTS 0x[0-9a-f]{{8}}, MODE.EXCP_EN float_div0; PCRewind 2\n"
                     r"  operands in that lane: v\d+ = .*, v\d+ = 0 \(0x00000000\), ", done.stderr, re.M), done.stderr


@of_gfx900
def test_example_of_an_exception_in_assembly():
    """Without a runtime: the same, in words of the registers, and status 123."""
    done = wavetrap("run", "--grid=64", example("exception.co"))
    assert done.returncode == 123
    assert "  float_div0 in lane 37; TRAPSTS 0x00020004, MODE.EXCP_EN float_div0; a handler would find PCRewind 1\n" in done.stderr
    assert re.search(r"wavetrap: v_rcp_f32: division by zero, which EXCP_EN .*, and there is no trap handler\n.*, lane 37, .*\n"
                     rf"  at 0x\w+ <reciprocals\+12> at .*{line_of_example('exception.s', 'v_rcp_f32')}\n", done.stderr)


@of_gfx900
def test_example_of_a_trap_handler(tmp_path):
    """It notes the next PC, PCRewind 1, number 0, the exception and the 16 lanes; the kernel ends."""
    done = wavetrap("run", "--grid=64", f"--trap-handler={example('handler.bin')}", f"--dump={tmp_path}/noted@0x1c0001000:12",
                    example("exception.co"))
    assert (done.returncode, done.stderr) == (0, "")
    low, high, trapsts = struct.unpack("<3I", (tmp_path / "noted").read_bytes())
    assert low | high << 32 == 0x100001410 | 1 << 57 and trapsts == 4 | 2 << 16
