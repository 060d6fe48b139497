"""The emulated i915 driver under OpenCL programs: its buffer objects by 'wavetrap gem', threads, children."""
import json
import pathlib
import re
import socket
import struct
import subprocess
import tempfile
import time

import pytest

from conftest import ROOT, WAVETRAP, environment
from test_long import Running
from test_opencl_long import build
from test_sockets import VERSION

HERE = pathlib.Path(__file__).parent
GEN9 = ["-g", "gen9"]


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    out = tmp_path_factory.mktemp("driver")
    return {source.stem: build(source, out) for source in
            (HERE / "opencl_long.c", HERE / "opencl_queues.c", HERE / "opencl_threads.c", ROOT / "examples" / "opencl" / "vadd.c")}


def gem(*argv, status=0):
    done = subprocess.run([WAVETRAP, "gem", *map(str, argv)], capture_output=True, text=True, timeout=60, env=environment(), check=False)
    assert done.returncode == status, done.stderr
    return done.stderr if status else done.stdout


def test_objects_of_a_program_that_runs(programs, tmp_path):
    """While the kernel runs its batch's objects are active; the program answers although its thread is in the driver."""
    with Running(program=programs["opencl_long"], options=GEN9) as run:
        pid = run.process.pid
        report = gem(f"--pid={pid}")
        state = json.loads(gem(f"--pid={pid}", "--json"))
        assert "has not opened a gen9 of number 1" in gem(f"--pid={pid}", "--device=1", status=125)
        run.end()
    active = [o for o in state["objects"] if o["active"]]
    lines = [line for line in report.splitlines() if re.match(r"[0-9a-f]{16}: \*", line)]
    assert len(active) >= 8 and len(lines) == len(active)
    # The buffer of a page that the kernel spins on is bound once, in the context's own table.
    assert any(o["size"] == 4096 and len(o["vmas"]) == 1 and not o["vmas"][0]["ggtt"] and o["vmas"][0]["pages"] == [4096]
               for o in active)
    for line in lines:
        assert re.match(r"[0-9a-f]{16}: \*[ p][ XY][ g][ M] +\d+KiB 02 0[02]  LLC( dirty)? "
                        r"\(pinned x 0\) \(ppgtt offset: [0-9a-f]{8,12}, size: [0-9a-f]{8,}, pages: (4K|2M|M)\)( \(rcs0\))?$", line), line
    total = sum(o["size"] for o in state["objects"])
    assert f"{len(state['objects'])} objects, {total} bytes\n" in report
    assert re.search(rf"^opencl_long: {len(state['objects'])} objects, {total} bytes \(\d+ active, ", report, re.M)
    # A state that was kept says the same.
    (tmp_path / "state").write_text(json.dumps(state))
    assert gem(f"--state={tmp_path / 'state'}") == report
    assert "is not a program of yours that uses a gen9" in gem(f"--pid={pid}", status=125)


def test_a_recording_has_each_batch(programs, tmp_path):
    record = tmp_path / "record"
    done = subprocess.run([WAVETRAP, "exec", *GEN9, f"--gem={record}", programs["opencl_threads"]], capture_output=True, text=True,
                          timeout=300, cwd="/", check=False)
    assert done.returncode == 0, done.stderr
    states = [json.loads(line) for line in record.read_text().splitlines()]
    assert len(states) > 60
    for n in (1, 30):
        text = gem(f"--state={record}", f"--batch={n + 1}")
        assert f"\n{len(states[n]['objects'])} objects" in text
        assert text.count(": *") == sum(o["active"] for o in states[n]["objects"]) > 0
    assert f"\n{len(states[-1]['objects'])} objects" in gem(f"--state={record}")
    assert "there is no batch 100000" in gem(f"--state={record}", "--batch=100000", status=125)


def test_threads_queues_and_children(programs):
    done = subprocess.run([WAVETRAP, "exec", *GEN9, programs["opencl_threads"]], capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout) == (0, "a child before: 0 wrong\nthreads: 0 wrong\na child that does nothing: status 0\n"
                                                 "threads again: 0 wrong\n"), done.stderr


def test_calls_return_while_a_kernel_runs(programs):
    """Queues, events of users and of commands, callbacks, threads: see the program. A driver that runs kernels within the call would hang."""
    done = subprocess.run([WAVETRAP, "exec", *GEN9, programs["opencl_queues"]], capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "enqueued while a kernel runs\nlog: 1 2 3 4 5, callbacks: 1\nthreads: done\n", "")


def test_a_program_ends_while_its_kernel_runs(programs):
    """It would never end."""
    done = subprocess.run([WAVETRAP, "exec", *GEN9, programs["opencl_queues"], "exit"], capture_output=True, text=True, timeout=300,
                          check=False)
    assert (done.returncode, done.stdout, done.stderr) == (3, "the kernel runs\n", "")


def test_where_nothing_can_be_recorded(programs):
    done = subprocess.run([WAVETRAP, "exec", *GEN9, "--gem=/nonexistent/record", programs["vadd"]], capture_output=True, text=True, timeout=60,
                          check=False)
    assert done.returncode == 125 and "/nonexistent/record: cannot be written" in done.stderr


# ---- the runtime's own system routine ----

HELLO, ATTACH, READ, REGISTERS = 0, 1, 4, 6   # object/process_wire.h
GREETING = struct.pack("<4sIII4I32x", b"WTWP", VERSION, 48, 24, 0x200, 0, 0, 0)
MCR_SELECTOR, TD_CTL, TD_ATT, TD_CLR = 0xfdc, 0xe400, 0xe470, 0xe490
HALT = 1 << 6
DRIVER_TD_CTL, RUNTIME_TD_CTL = 0x94, 0x90   # the latter is what the runtime's batches write there for a debugger
THREAD, AREA, ROW_CR, ROW_IP = 0x1800, 0x1800000, 131, 132   # what the routine saves of a thread, and where


class Endpoint:
    """The registers and the memory of a program's GPU, without its driver's debug support: the runtime's routine stays in its place."""

    def __init__(self, pid, folder):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(f"{folder}/{pid}.gen9")
        self.socket.sendall(GREETING)
        self.receive(len(GREETING))

    def receive(self, size):
        data = b""
        while len(data) < size:
            data += (more := self.socket.recv(size - len(data)))
            assert more
        return data

    def ask(self, verb, size=0, addr=0, more=b""):
        self.socket.sendall(struct.pack("<8I2Q", verb, len(more), size, 0, 0, 0, 0, 0, addr, 0) + more)
        result, follows, *_ = struct.unpack("<iIQQ", self.receive(24))
        assert result == 0
        return self.receive(follows)

    def get(self, register):
        return struct.unpack("<III", self.ask(REGISTERS, more=struct.pack("<III", register // 4, 0, 0)))[2]

    def set(self, register, value):
        self.ask(REGISTERS, more=struct.pack("<III", register // 4, 1, value))

    def attention(self, subslice):
        self.set(MCR_SELECTOR, subslice << 24)
        return self.get(TD_ATT), self.get(TD_ATT + 4)


def test_registers_of_a_running_program(programs):
    """TD_CTL is what the runtime's batches have written. A halt enters its routine; a thread that is let go clears its bit."""
    with tempfile.TemporaryDirectory() as folder:
        debugged = {"NEOReadDebugKeys": "1", "EnableMockSourceLevelDebugger": "1", "WAVETRAP_SOCKETS": folder}
        with Running(program=programs["opencl_long"], options=GEN9, **debugged) as run:
            def reg(*commands):
                done = subprocess.run([WAVETRAP, "reg", f"--pid={run.process.pid}", *commands], capture_output=True, text=True, timeout=60, check=False,
                                      env={**environment(), **debugged})
                return done.stdout.splitlines() if done.returncode == 0 else done.stderr
            said = reg("TD_CTL", "TD_CTL.FORCE_EXTERNAL_HALT=1", "wait TD_ATT0=0x7f7f7f7f", "TD_CTL.FORCE_EXTERNAL_HALT=0", "TD_CLR0=1", "TD_ATT0.THREADS")
            assert said[0].startswith("TD_CTL = 0x00000090") and said[-1] == "TD_ATT0.THREADS=0x7f7f7f7e", said
            assert any(line.startswith("TD_ATT0=0x7f7f7f7f after ") for line in said), said
            assert reg("--device=1", "TD_CTL").endswith("has 1 GPUs, from 0\n")
            assert "cannot be reached" in reg("-g", "sm", "TD_CTL") and "cannot be reached" in reg("-g", "vortex", "TD_CTL")
            for subslice in range(3):
                reg(f"MCR_SELECTOR.SUBSLICE={subslice}", "TD_CLR0=0xffffffff", "TD_CLR1=0xffffffff")
            run.end()


def test_the_runtime_s_own_system_routine(programs):
    """
    With its debugger the runtime loads a system routine, which saves threads to an area of the runtime's own through the binding table.
    A halt enters it: it saves each thread, waits, and goes on as if nothing had been. Its batches have written TD_CTL by then.
    """
    with tempfile.TemporaryDirectory() as folder:
        debugged = {"NEOReadDebugKeys": "1", "EnableMockSourceLevelDebugger": "1", "WAVETRAP_SOCKETS": folder}
        with Running(program=programs["opencl_long"], options=GEN9, **debugged) as run:
            gpu = Endpoint(run.process.pid, folder)
            gpu.ask(HELLO)
            state = json.loads(subprocess.run([WAVETRAP, "gem", f"--pid={run.process.pid}", "--json"], capture_output=True, text=True,
                                              check=True, env={**environment(), **debugged}).stdout)
            area, = (o["vmas"][0]["start"] for o in state["objects"] if o["size"] == AREA and o["active"])
            assert gpu.attention(0) == (0, 0)
            assert gpu.get(TD_CTL) == RUNTIME_TD_CTL
            gpu.set(TD_CTL, HALT)
            end = time.monotonic() + 60
            while any(gpu.attention(n) != (0x7f7f7f7f, 0x7f7f7f7f) for n in range(3)):
                assert time.monotonic() < end
            saved = [gpu.ask(READ, size=THREAD, addr=area + n * THREAD) for n in range(168)]
            gpu.set(TD_CTL, RUNTIME_TD_CTL)
            for subslice in range(3):
                gpu.attention(subslice)
                gpu.set(TD_CLR, 0xffffffff)
                gpu.set(TD_CLR + 4, 0xffffffff)
                assert gpu.attention(subslice) == (0, 0)
            gpu.ask(ATTACH)  # from here on until the debugger goes, TD_CTL is the driver's
            assert gpu.get(TD_CTL) == DRIVER_TD_CTL
            gpu.socket.close()
            gpu = Endpoint(run.process.pid, folder)
            gpu.ask(HELLO)
            assert gpu.get(TD_CTL) == RUNTIME_TD_CTL
            gpu.socket.close()
            run.end()
    ids = set()
    for thread in saved:
        ids.add(struct.unpack_from("<8H", thread, 32))   # r1: the local ids of eight channels
        cr0, cr1, aip = struct.unpack_from("<3I", thread, 32 * ROW_CR)
        assert cr0 >> 31 == 1 and cr1 == 1 << 30 and aip
        assert struct.unpack_from("<I", thread, 32 * ROW_IP)[0] > 0
    assert ids == {tuple(range(first, first + 8)) for first in range(0, 64, 8)}
