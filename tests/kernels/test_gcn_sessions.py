"""Sessions of a debugger with a gfx900 kernel, through the probe of the driver's debug interface: with the emulator's
services, recorded, and with nothing but what hardware would offer."""
import itertools
import os
import re
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

import amd
from releases import HIPCC_CLANG

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path(__file__).resolve().parent / "gcn" / "session.cl"
BUILD = Path(os.environ.get("WAVETRAP_BUILD", ROOT / "build"))
TOOL = BUILD / "tests" / "kernels" / "gcn_session_tool"
BITCODE = amd.bitcode()
COMPILERS = [c for c in ("clang-19", HIPCC_CLANG) if shutil.which(c)]
BUFFER = 0x200000000
CODE = 0x100000000
MODES = ["bare", "full", "recorded"]
N, BLOCK = 512, 128

pytestmark = pytest.mark.skipif(not COMPILERS or not BITCODE.is_dir(), reason="no compiler for gfx900")


@pytest.fixture(scope="session")
def compiled(tmp_path_factory):
    objects = {}

    def build(compiler=COMPILERS[0], level="-O2"):
        key = compiler, level
        if key not in objects:
            out = tmp_path_factory.mktemp("sessions") / "session.co"
            subprocess.run([compiler, "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900", "-x", "cl", "-cl-std=CL2.0", level, "-g",
                            f"--rocm-device-lib-path={BITCODE}", SOURCE, "-o", out], check=True)
            objects[key] = out
        return objects[key]
    return build


class Session:
    """Of a kernel (mode, code object, kernel, grid, work-group, arguments), or of a process ("process", its number)."""

    def __init__(self, *words, tool=TOOL, env=None):
        words = [tool, *words]
        self.tool = subprocess.Popen(list(map(str, words)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.tool.stdin.close()
        try:
            assert self.tool.wait(timeout=60) == 0
        finally:
            self.tool.kill()

    def ask(self, command):
        self.tool.stdin.write(command + "\n")
        self.tool.stdin.flush()
        answer = self.tool.stdout.readline()
        assert answer, f"the session has ended at '{command}'"
        return answer.rstrip("\n")

    def number(self, command):
        return int(self.ask(command), 16)

    def row(self, name):
        return [int(v, 16) for v in self.ask(f"row {name}").split()]

    def words(self, space, offset, count, lane=0):
        return list(struct.unpack(f"<{count}i", bytes.fromhex(self.ask(f"mem {space} {offset:#x} {4 * count} {lane}"))))

    def hits(self):
        """Continues to the end; the place of each stop for a breakpoint."""
        while True:
            answer = self.ask("continue")
            if answer.startswith("exited"):
                return
            assert answer.startswith("breakpoint"), answer
            yield place(answer)


def place(answer):
    m = re.search(r"thread (\d+) id (\w+) group (\d+),(\d+),(\d+) wave (\d+) mask (\w+) pc (\w+) (.*)", answer)
    assert m, answer
    return {"thread": int(m[1]), "id": m[2], "group": int(m[3]), "wave": int(m[6]), "mask": int(m[7], 16), "pc": int(m[8], 16),
            "text": m[9]}


def enabled(at):
    """Whether the thread's lane executes its wave's next instruction."""
    return at["mask"] >> (at["thread"] - 1) % 64 & 1


def work(mode, co, items=N, block=BLOCK):
    return Session(mode, co, "work", items, block, f"zeros:{4 * items}", f"iota:{4 * items}", items)


def a_of(i):
    return i + (i & 3) * 1000


def b_of(i, block=BLOCK):
    return i // block * block + (i % block + 1) % block


def result(i, block=BLOCK):
    return a_of(i) * 3 + b_of(i, block) + (7 if i & 1 else 0)


@pytest.fixture(params=[f"{c} {level}" for c in COMPILERS for level in ("-O0", "-O2")])
def code(request, compiled):
    return compiled(*request.param.split())


@pytest.mark.parametrize("mode", MODES)
def test_a_session_begins_before_the_first_instruction(mode, code):
    with work(mode, code) as s:
        threads = s.ask("threads").split()
        assert int(threads[0]) == N // 64
        pcs = {int(t.split(":")[1], 16) for t in threads[1:]}
        assert len(pcs) == 1
        seen = set()
        for t in threads[1:]:
            s.ask(f"thread {t.split(':')[0]}")
            at = place(s.ask("where"))
            seen.add((at["group"], at["wave"]))
            assert at["mask"] == (1 << 64) - 1 and "<work>" in at["text"]
            assert s.row("v0") == [at["wave"] * 64 + lane for lane in range(64)]
            assert s.number("reg exec") == at["mask"] and s.number("reg pc") == at["pc"]
        assert seen == {(g, w) for g in range(N // BLOCK) for w in range(BLOCK // 64)}
        assert s.ask("threads").split() == threads


@pytest.mark.parametrize("mode", MODES)
def test_every_wave_stops_once_at_a_breakpoint(mode, code):
    with work(mode, code) as s:
        at = s.number("break add3")
        original = s.ask(f"mem global {at:#x} 4")
        seen = []
        for hit in s.hits():
            assert hit["pc"] == at
            seen.append(hit["id"])
            items = [hit["group"] * BLOCK + hit["wave"] * 64 + lane for lane in range(64)]
            assert s.row("v0") == list(map(a_of, items))
            assert s.row("v1") == list(map(b_of, items))
            assert s.ask(f"mem global {at:#x} 4") == original
        assert len(seen) == len(set(seen)) == N // 64
        assert s.words("global", BUFFER, 32) == list(map(result, range(32)))


@pytest.mark.parametrize("mode", MODES)
def test_a_condition_is_that_of_a_lane(mode, code):
    with work(mode, code) as s:
        s.ask("break add3")
        stack = s.number("reg sp") if place(s.ask("continue")) else None
        s.ask(f"delete {s.number('reg pc'):#x}")
        item = 333
        s.ask(f"break-if add3 v0 {a_of(item)} sp {stack}")
        hit = place(s.ask("continue"))
        assert (hit["group"], hit["wave"]) == (item // BLOCK, item % BLOCK // 64)
        assert s.row("v0")[item % 64] == a_of(item)
        assert s.ask("continue").startswith("exited")


@pytest.mark.parametrize("mode", MODES)
def test_memory_of_a_lane(mode, code):
    with work(mode, code) as s:
        s.ask("break add3")
        hit = place(s.ask("continue"))
        first = hit["group"] * BLOCK
        assert s.words("local", 0, 32) == [first + l for l in range(32)]
        assert s.words("generic", 0x1000000000000 + 8, 4) == [first + 2 + l for l in range(4)]
        assert s.ask("poke local 16 78563412") == "ok"
        assert s.words("local", 16, 1) == [0x12345678]
        assert s.ask("poke generic 0x1000000000010 04000000") == "ok"
        assert s.words("local", 16, 1) == [4]
        assert "LDS" in s.ask("mem local 0x20000 4")
        # The next wave of the group sees the same.
        s.ask("poke local 20 ff000000")
        other = [t for t in s.ask("threads").split()[1:]]
        s.ask(f"thread {other[hit['thread'] // 64 ^ 1].split(':')[0]}")
        assert s.words("local", 20, 1) == [255]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_private_memory(mode, compiler, compiled):
    with work(mode, compiled(compiler, "-O0")) as s:
        # Before the kernel has set FLAT_SCRATCH.
        assert s.number("reg flat_scratch") == 0
        assert s.ask("poke private 0 78563412 7") == "ok"
        assert s.words("private", 0, 1, 7) == [0x12345678] and s.words("private", 0, 1, 6) == [0]
        s.ask("break add3")
        hit = place(s.ask("continue"))
        first = hit["group"] * BLOCK + hit["wave"] * 64
        wanted = {lane: [first + lane + k * 1000 for k in range(4)] for lane in (0, 5, 63)}
        memory = s.words("private", 0, 64, 5)
        at = next(k for k in range(60) if memory[k:k + 4] == wanted[5])
        for lane, values in wanted.items():
            assert s.words("private", 4 * at, 4, lane) == values
            assert s.words("generic", 0x2000000000000 + 4 * at, 4, lane) == values
            assert s.words("private_wave", 4 * (at * 64 + lane), 1) == values[:1]
        s.ask(f"poke private {4 * at + 1:#x} 55 5")
        assert s.words("private", 4 * at, 1, 5)[0] >> 8 & 255 == 0x55
        assert s.words("private", 4 * at, 1, 0) == wanted[0][:1]
        # What was read before counts no longer: other spaces of the same memory are written, and the register that says where it is.
        base = s.number("reg flat_scratch")
        s.ask(f"poke private_wave {4 * (at * 64 + 63):#x} 11000000")
        assert s.words("private", 4 * at, 1, 63) == [0x11]
        s.ask(f"poke global {base + 4 * (at * 64 + 63):#x} 22000000")
        assert s.words("private", 4 * at, 1, 63) == [0x22]
        assert s.ask(f"set flat_scratch 0 {base + 256:#x}") == "ok"
        assert [s.words("private", 4 * at, 1, lane) for lane in (0, 63)] == [wanted[0][1:2], wanted[63][1:2]]


@pytest.mark.parametrize("mode", MODES)
def test_registers_can_be_written(mode, code):
    with work(mode, code) as s:
        s.ask("break add3")
        hit = place(s.ask("continue"))
        first = hit["group"] * BLOCK + hit["wave"] * 64
        assert s.ask("set v0 3 100") == "ok"
        assert s.row("v0")[:5] == [a_of(first), a_of(first + 1), a_of(first + 2), 100, a_of(first + 4)]
        s.ask(f"delete {hit['pc']:#x}")
        assert s.ask("continue").startswith("exited")
        values = s.words("global", BUFFER + 4 * first, 8)
        wanted = [result(first + k) for k in range(8)]
        wanted[3] += 3 * (100 - a_of(first + 3))
        assert values == wanted


@pytest.mark.parametrize("mode", MODES)
def test_steps_follow_the_program(mode, code):
    done = subprocess.run([BUILD / "wavetrap", "trace", "--kernel=work", "--grid=64", "--block=64", "--arg=zeros:256", "--arg=iota:256",
                           "--arg=64", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    issues = [(int(m[2], 16), int(m[1], 16))
              for m in re.finditer(r"^ *\d+ core \d+ wave \d+ 0x(\w+) (\w+):", done.stdout, re.M)]
    assert len(issues) > 30
    # A step is one of the thread's lane; while all lanes are enabled these are all issues.
    together = [pc for pc, _ in itertools.takewhile(lambda issue: issue[1] == (1 << 64) - 1, issues)]
    with work(mode, code, 64, 64) as s:
        seen = [place(s.ask("where"))["pc"] - CODE]
        while len(seen) < len(together):
            answer = s.ask("step")
            assert answer.startswith("step"), answer
            seen.append(place(answer)["pc"] - CODE)
        assert seen == together
        if len(together) == len(issues):
            assert s.ask("insn") == "4 end"
            assert s.ask("step").startswith("exited")


@pytest.mark.parametrize("mode", MODES)
def test_waves_that_take_the_places_of_others(mode, compiled):
    items = 64 * 400
    with work(mode, compiled(), items, 64) as s:
        s.ask("break add3")
        hits = list(s.hits())
        assert len(hits) == 400
        assert {h["group"] for h in hits} == set(range(400))
        assert len({h["id"] for h in hits}) == 400
        assert s.words("global", BUFFER, 64) == [result(i, 64) for i in range(64)]


@pytest.mark.parametrize("mode", MODES)
def test_a_step_past_a_barrier_waits_for_the_others(mode, compiled):
    with work(mode, compiled(), 128, 128) as s:
        thread = place(s.ask("where"))["thread"]
        while s.ask("insn") != "4 barrier":
            assert s.ask("step").startswith("step")
        barrier = place(s.ask("where"))
        # Alone it cannot; with the other wave it can.
        assert s.ask("step").startswith("interrupted")
        after = s.number(f"break {barrier['pc'] + 4:#x}")
        hits = {place(s.ask("continue"))["thread"], place(s.ask("continue"))["thread"]}
        assert len(hits) == 2 and thread in hits and after == barrier["pc"] + 4


@pytest.mark.parametrize("mode", MODES)
def test_a_memory_violation_is_told(mode, compiled):
    with Session(mode, compiled(), "astray", 64, 64, "zeros:64", 64) as s:
        answer = s.ask("continue")
        # The emulator knows the access, the registers only that there was one.
        known, registers = " store of 4 bytes at 0x", " memory violation (TRAPSTS.MEM_VIOL) by the instruction at 0x"
        assert answer.startswith("fault") and (registers if mode == "bare" else known) in answer, (mode, answer)
        assert "<astray" in place(answer)["text"]


@pytest.mark.parametrize("mode", MODES)
def test_a_trap_of_the_program(mode, compiled):
    with Session(mode, compiled(), "gives_up", 64, 64, "zeros:256") as s:
        answer = s.ask("continue")
        assert answer.startswith("trap"), answer
        assert s.ask("insn") == "4 trap"


@pytest.mark.parametrize("mode", MODES)
def test_a_kernel_runs_again(mode, compiled):
    with work(mode, compiled()) as s:
        s.ask("break add3")
        first = list(s.hits())
        time = s.ask("time")
        assert s.ask("restart") == "ok"
        assert s.ask("time") == "0"
        again = list(s.hits())
        assert [(h["group"], h["wave"]) for h in again] == [(h["group"], h["wave"]) for h in first]
        assert not {h["id"] for h in again} & {h["id"] for h in first}
        assert s.ask("time") == time


def test_time_travel(code):
    with work("recorded", code) as s:
        s.ask("break add3")
        stops = []
        for hit in s.hits():
            stops.append((int(s.ask("time")), s.ask("hash"), hit))
        end = int(s.ask("time"))
        for time, state, hit in reversed(stops):
            answer = s.ask("reverse")
            assert answer.startswith("breakpoint"), answer
            assert (int(s.ask("time")), place(answer)["id"]) == (time, hit["id"])
            assert s.ask("hash") == state
            assert place(answer)["thread"] == hit["thread"]
            items = [hit["group"] * BLOCK + hit["wave"] * 64 + lane for lane in range(64)]
            assert s.row("v0") == list(map(a_of, items))
        assert s.ask("reverse").startswith("begin")
        for time, state, _ in stops[1:]:
            s.ask(f"goto {time}")
            assert s.ask("hash") == state
        # A step is one instruction that the thread's lane executes: from one where it is enabled, forth and back.
        here = next(at for time in range(end // 2, end) if s.ask(f"goto {time}") and enabled(at := place(s.ask("where"))))
        forth = place(s.ask("step"))
        back = place(s.ask("reverse-step"))
        assert back["thread"] == forth["thread"] == here["thread"]
        assert back["pc"] == here["pc"] != forth["pc"]
        s.ask(f"goto {end}")
        assert s.words("global", BUFFER, 32) == list(map(result, range(32)))


def test_a_wave_that_waits_at_a_breakpoint_while_others_run_has_arrived_once(code):
    """The planted breakpoint halts a wave, which issues the instruction after others have run on: one hit backwards, as forwards."""
    with work("recorded", code) as s:
        s.ask("break add3")
        waiting = place(s.ask("continue"))
        first = int(s.ask("time"))
        other = next(t for t in re.findall(r"(\d+):", s.ask("threads")) if int(t) != waiting["thread"])
        s.ask(f"thread {other}")
        for _ in range(3):
            assert s.ask("step").startswith("step")
        assert int(s.ask("time")) == first + 3
        forwards = [waiting["id"]] + [hit["id"] for hit in s.hits()]
        assert len(set(forwards)) == len(forwards) == N // 64
        backwards = []
        while (answer := s.ask("reverse")).startswith("breakpoint"):
            backwards.append(place(answer)["id"])
        assert backwards == forwards[::-1]


def test_a_new_future(compiled):
    with work("recorded", compiled()) as s:
        at = s.number("break add3")
        list(s.hits())
        hit = place(s.ask("reverse"))
        first = hit["group"] * BLOCK + hit["wave"] * 64
        assert s.ask("set v1 0 5000") == "ok"
        s.ask(f"delete {at:#x}")
        assert s.ask("continue").startswith("exited")
        assert s.words("global", BUFFER + 4 * first, 1) == [result(first) - b_of(first) + 5000]


@pytest.mark.parametrize("mode", MODES)
def test_a_watchpoint_stops_behind_the_store(mode, compiled):
    watched = 130
    with work(mode, compiled()) as s:
        assert s.ask(f"watch {BUFFER + 4 * watched:#x} 4") == "ok"
        answer = s.ask("continue")
        assert answer.startswith("watchpoint"), answer
        hit = place(answer)
        # Neighbours in the same block of 64 bytes, and in others, are none of it.
        assert (hit["group"], hit["wave"]) == (watched // BLOCK, watched % BLOCK // 64)
        assert f"at {BUFFER + 4 * watched:x}" in answer
        assert s.words("global", BUFFER + 4 * watched, 1) == [result(watched)]
        assert s.ask("continue").startswith("exited")


@pytest.mark.parametrize("mode", ["bare"])
def test_hardware_has_four_watches(mode, compiled):
    with work(mode, compiled()) as s:
        for i in range(5):
            assert s.ask(f"watch {BUFFER + 64 * i:#x} 4") == "ok"
        assert "4 address watches; 5 are asked for" in s.ask("continue")
