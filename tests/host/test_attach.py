"""A debugger attaches to a HIP program in its own process, which knows nothing of it."""
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import MODEL, WAVETRAP, code_object, compiled, instructions
from sanitizer import BUILD, environment

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "kernels"))
from test_gcn_sessions import Session, place  # noqa: E402

pytestmark = pytest.mark.hip

TOOL = BUILD / "tests" / "kernels" / "gcn_session_tool"
KERNEL = "_Z9twice_andii"
WRITTEN = "twice_and(int, int)"  # as the source writes it
GROUPS = 4
LANES = 32 if MODEL == "gfx1030" else 64


@pytest.fixture
def sockets(tmp_path, monkeypatch):
    folder = tmp_path / "s"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("WAVETRAP_SOCKETS", str(folder))
    return folder


class Program:
    def __init__(self, folder, *args, options=()):
        self.run = subprocess.Popen([WAVETRAP, "exec", *options, compiled("attach.hip"), *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                    text=True, env=dict(environment(), WAVETRAP_SOCKETS=str(folder)))
        ready, self.out = self.run.stdout.readline().split()
        assert ready == "ready"

    @property
    def pid(self):
        return self.run.pid

    def end(self):
        """Lets it end by itself; how many launches there were."""
        self.run.stdin.write("\n")
        self.run.stdin.close()
        said = self.run.stdout.read()
        assert self.run.wait(timeout=60) == 0
        m = re.fullmatch(r"(\d+) launches, (\d+) wrong\n", said)
        assert m and m[2] == "0", said
        return int(m[1])


@pytest.fixture
def program(sockets):
    p = Program(sockets)
    yield p
    p.run.kill()
    p.run.wait()


def attach(pid):
    return Session("process", pid, tool=TOOL)


def start(*words):
    """A session of a program that it starts: options of `exec`, the program, its arguments."""
    return Session("start", WAVETRAP, *words, tool=TOOL, env=dict(environment(), WAVETRAP_SOCKETS=os.environ["WAVETRAP_SOCKETS"]))


def test_threads_registers_and_steps(program):
    with attach(program.pid) as s:
        at = s.number(f"break {KERNEL}")
        hit = place(s.ask("continue"))
        assert hit["pc"] == at and WRITTEN in hit["text"] and "attach.hip" in hit["text"]
        first = hit["group"] * 64 + hit["wave"] % (64 // LANES) * LANES
        assert s.row("v0")[:LANES] == list(range(first, first + LANES))
        rounds = s.row("v1")[:LANES]
        assert len(set(rounds)) == 1
        assert len(s.ask("threads").split()) - 1 <= GROUPS * 64 // LANES
        assert s.number("reg exec") == (1 << LANES) - 1
        step = place(s.ask("step"))
        assert step["id"] == hit["id"] and step["pc"] == at + 4
        seen = {hit["group"]}
        for _ in range(GROUPS * 64 // LANES - 1):
            seen.add(place(s.ask("continue"))["group"])
        assert seen == set(range(GROUPS))
        # The next launch is another one: other waves, the next round.
        again = place(s.ask("continue"))
        assert again["id"] != hit["id"] and s.row("v1")[:LANES] == [rounds[0] + 1] * LANES
    assert program.end() > 1


def test_a_register_that_is_written_changes_the_result(program):
    with attach(program.pid) as s:
        s.ask(f"break {KERNEL}")
        place(s.ask("continue"))
        assert s.ask("set v1 5 123456") == "ok"
        assert s.row("v1")[5] == 123456
    program.run.stdin.write("\n")
    program.run.stdin.close()
    assert program.run.stdout.read().endswith(" 1 wrong\n")


def test_a_watchpoint(program):
    out = int(program.out, 16) + 4 * 100
    with attach(program.pid) as s:
        assert s.ask(f"watch {out:#x} 4") == "ok"
        answer = s.ask("continue")
        assert answer.startswith("watchpoint") and f"at {out:x}" in answer, answer
        hit = place(answer)
        assert hit["group"] == 1 and "<busy(int*, int)" in hit["text"]
        round_of_it = s.words("global", out, 1)[0] - 200
        assert round_of_it > 0
        assert place(s.ask("continue"))["id"] != hit["id"]
        assert s.words("global", out, 1) == [200 + round_of_it + 1]
    program.end()


def test_one_debugger_after_the_other(program):
    for _ in range(3):
        with attach(program.pid) as s:
            s.ask(f"break {KERNEL}")
            place(s.ask("continue"))
    program.end()


def test_a_second_debugger_at_a_time_is_turned_away(program, sockets):
    with attach(program.pid) as s:
        s.ask(f"break {KERNEL}")
        place(s.ask("continue"))
        done = subprocess.run([TOOL, "process", str(program.pid)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        assert done.returncode == 1 and "has another debugger" in done.stdout
        listed = subprocess.run([WAVETRAP, "ps"], capture_output=True, text=True, timeout=60)
        assert f"{program.pid}" in listed.stdout and "a debugger is there" in listed.stdout
        place(s.ask("continue"))
    program.end()


def test_the_program_outlives_a_debugger_that_is_killed(program):
    s = attach(program.pid)
    s.ask(f"break {KERNEL}")
    place(s.ask("continue"))
    s.tool.send_signal(signal.SIGKILL)
    s.tool.wait()
    program.end()


def test_the_end_of_the_program_is_told(program):
    with attach(program.pid) as s:
        s.ask(f"break {KERNEL}")
        place(s.ask("continue"))
        s.ask(f"delete {KERNEL}")
        program.run.stdin.write("\n")
        program.run.stdin.close()
        answer = s.ask("continue")
        assert answer.startswith("exited") and f"process {program.pid} has ended with status 0" in answer
        assert program.run.wait(timeout=60) == 0


def ending(sockets, how, *args):
    """What the debugger is told when a program ends while it runs."""
    p = Program(sockets, *args)
    try:
        with attach(p.pid) as s:
            s.ask(f"break {KERNEL}")
            place(s.ask("continue"))
            s.ask(f"delete {KERNEL}")
            s.tool.stdin.write("continue\n")
            s.tool.stdin.flush()
            how(p.run)
            said = s.tool.stdout.readline()
            # It stays told.
            assert "ended" in s.ask("continue")
    finally:
        p.run.kill()
        p.run.wait()
    return said


def test_the_status_of_the_end_is_told(sockets):
    assert "has ended with status 7\n" in ending(sockets, lambda run: run.stdin.close(), "7")


def test_a_signal_that_ends_the_program_is_told(sockets):
    assert "was ended by signal 9 (Killed)\n" in ending(sockets, lambda run: run.kill())
    assert "was ended by signal 15 (Terminated)\n" in ending(sockets, lambda run: run.terminate())


def test_a_child_of_the_program_does_not_hide_its_end(sockets):
    assert "has ended with status 9\n" in ending(sockets, lambda run: run.stdin.close(), "9", "fork")
    assert "was ended by signal 9 (Killed)\n" in ending(sockets, lambda run: run.kill(), "9", "fork")


def wait_until(condition):
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline, "still not so"
        time.sleep(0.01)


def held(folder, *, by):
    """A program whose kernels wait for a debugger that process `by` is to become; what it says comes to files."""
    return subprocess.Popen([WAVETRAP, "exec", compiled("attach.hip")], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True,
                            env=dict(environment(), WAVETRAP_SOCKETS=str(folder), WAVETRAP_HELD=f"1:{by}"))


def ends_by_itself(program, debugger):
    try:
        out, err = program.communicate(timeout=120)
    finally:
        program.kill()
    assert program.returncode == 0 and ", 0 wrong" in out, err
    assert f"process {debugger}, for which kernels were held, has ended" in err


def test_kernels_are_held_no_longer_than_their_debugger_lives(sockets):
    debugger = subprocess.Popen(["sleep", "1000"])
    program = held(sockets, by=debugger.pid)
    try:
        wait_until(lambda: str(program.pid) in subprocess.run([WAVETRAP, "ps"], capture_output=True, text=True).stdout)
    finally:
        debugger.kill()
        debugger.wait()
    ends_by_itself(program, debugger.pid)


def test_kernels_are_not_held_for_a_debugger_that_has_ended(sockets):
    debugger = subprocess.Popen(["true"])
    debugger.wait()
    ends_by_itself(held(sockets, by=debugger.pid), debugger.pid)


def test_a_program_that_goes_on_without_its_gpus(sockets):
    run = subprocess.Popen([WAVETRAP, "exec", "/usr/bin/python3", "-c", "import os; f = os.open('/dev/kfd', os.O_RDWR)\n"
                            "print('open', flush=True); input(); os.close(f); print('closed', flush=True); input()"],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                           env=dict(environment(), WAVETRAP_SOCKETS=str(sockets)))
    try:
        assert run.stdout.readline() == "open\n"
        with attach(run.pid) as s:
            assert s.ask("threads") == "0"
            s.tool.stdin.write("continue\n")
            s.tool.stdin.flush()
            run.stdin.write("\n")
            run.stdin.flush()
            assert f"process {run.pid} has closed its GPUs\n" in s.tool.stdout.readline()
            assert run.stdout.readline() == "closed\n" and run.poll() is None
    finally:
        run.kill()
        run.wait()


def test_a_program_that_is_killed_while_it_stands(program):
    with attach(program.pid) as s:
        s.ask(f"break {KERNEL}")
        place(s.ask("continue"))
        program.run.kill()
        until = time.monotonic() + 60
        while not os.waitid(os.P_PID, program.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            assert time.monotonic() < until, "the program survives SIGKILL"
        assert "was ended by signal 9" in s.ask("mem global 0x1000 4")
        answer = s.ask("continue")
        assert answer.startswith("exited") and "was ended by signal 9" in answer, answer


def test_ps_lists_what_can_be_reached(program, sockets):
    done = subprocess.run([WAVETRAP, "ps"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and re.search(rf"^ *{program.pid} +1 +.*attach", done.stdout, re.M), done.stdout
    program.end()
    assert not list(sockets.iterdir())
    done = subprocess.run([WAVETRAP, "ps"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and not done.stdout and "no program" in done.stderr


def test_an_open_folder_is_refused(tmp_path, monkeypatch):
    folder = tmp_path / "o"    # a socket's path has 108 bytes
    folder.mkdir()
    os.chmod(folder, 0o755)
    monkeypatch.setenv("WAVETRAP_SOCKETS", str(folder))
    done = subprocess.run([WAVETRAP, "ps"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 125 and done.stderr == f"wavetrap ps: {folder} is not used: other users may use it (mode 0755)\n"


WHOSE = "HW_ID2" if MODEL == "gfx1030" else "HW_ID"


def reg(pid, *commands):
    done = subprocess.run([WAVETRAP, "reg", f"--pid={pid}", *commands], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done
    return done.stdout.splitlines()


def test_registers_of_a_running_program(program):
    """New waves start halted, stay so between two commands of ours, and go on; the results are right."""
    held = reg(program.pid, "SPI_GDBG_WAVE_CNTL2.VMID_MASK=0x100", "SPI_GDBG_WAVE_CNTL2.MODE=HALT", "wait", "STATUS.HALT=1", f"{WHOSE}.VM_ID",
               "SQ_DEBUG_STS_GLOBAL.BUSY")
    assert held[0].startswith("STATUS.HALT=1 after ") and held[1:] == [f"{WHOSE}.VM_ID=8", "SQ_DEBUG_STS_GLOBAL.BUSY=1"]
    first = reg(program.pid, "PC_LO", "STATUS.HALT", "STATUS.VALID")
    assert first[1:] == ["STATUS.HALT=1", "STATUS.VALID=1"] and reg(program.pid, "PC_LO") == first[:1]
    reg(program.pid, "SPI_GDBG_WAVE_CNTL2=0", "SQ_CMD.CMD=RESUME", "SQ_CMD.MODE=BROADCAST")
    assert program.end() > 0


def test_registers_of_no_program(sockets):
    done = subprocess.run([WAVETRAP, "reg", "--pid=1", "STATUS"], capture_output=True, text=True)
    assert done.returncode == 125 and "1" in done.stderr
    done = subprocess.run([WAVETRAP, "reg", "--pid=x", "STATUS"], capture_output=True, text=True)
    assert done.returncode == 125 and "number" in done.stderr


# ---- several GPUs ----

TWO = ["-g", "gfx900:cu=2", "-g", "gfx900:cu=4"]


def test_waves_of_all_gpus_are_threads(sockets):
    """Breakpoints are in the code of both; waves that stand still on both are looked at, stepped, and watched."""
    with start(*TWO, compiled("two_gpus.hip")) as s:
        s.ask("pending mark")
        seen = []
        for _ in range(4 * 64 // LANES):
            hit = place(s.ask("continue"))
            seen.append((hit["pc"], hit["group"]))
            assert "<mark(int*, int, int)" in hit["text"] and hit["mask"] == (1 << LANES) - 1
            before = int(s.ask("reg pc"), 16)
            assert s.ask("step").startswith("step") and int(s.ask("reg pc"), 16) > before
        first, second = {pc for pc, _ in seen}
        assert sorted(group for _, group in seen) == sorted([0, 0, 1, 1] * (64 // LANES))
        assert s.ask(f"delete {first:#x}") and s.ask(f"delete {second:#x}")
        assert s.ask("continue").endswith("has ended with status 0")


def test_memory_of_each_gpu_can_be_watched(sockets):
    program = compiled("two_gpus.hip")
    # The kernarg segment's pointer is behind what else the kernel asks for: the packet's address, the descriptor of private memory.
    loads = (re.match(r"s_load_dwordx\d \S+ s\[(\d+):\d+\], (?:0x0|null)$", text) for _, text in instructions(code_object(program), "_Z4markPiii"))
    kernarg = int(next(filter(None, loads))[1])
    with start(*TWO, program) as s:
        s.ask("pending mark")
        outs, at = {}, set()
        while len(outs) < 2:
            hit = place(s.ask("continue"))
            at.add(hit["pc"])
            arguments = sum(int(s.ask(f"reg s{n}"), 16) << shift for n, shift in ((kernarg, 0), (kernarg + 1, 32)))
            low, high, device = s.words("global", arguments, 3)
            outs[device] = low & 0xffffffff | high << 32
        for pc in at:
            s.ask(f"delete {pc:#x}")
        for device, out in outs.items():
            assert s.ask(f"watch {out + 4 * 70:#x} 4") == "ok"
        stops = []
        while not (answer := s.ask("continue")).startswith("exited"):
            assert answer.startswith("watchpoint") and place(answer)["group"] == 1, answer
            stops.append(re.search(r" at (\w+) lanes", answer)[1])
        assert {f"{out + 4 * 70:x}" for out in outs.values()} == set(stops), stops


def test_registers_of_each_gpu(sockets):
    p = Program(sockets, options=TWO)
    try:
        reg(p.pid, "--device=1", "TCP_WATCH0_ADDR_L=0x1240")
        assert reg(p.pid, "--device=1", "TCP_WATCH0_ADDR_L") != reg(p.pid, "--device=0", "TCP_WATCH0_ADDR_L")
        done = subprocess.run([WAVETRAP, "reg", f"--pid={p.pid}", "--device=2", WHOSE], capture_output=True, text=True, timeout=60)
        assert done.returncode == 125 and "has 2 GPUs" in done.stderr
        assert p.end() > 0
    finally:
        p.run.kill()
        p.run.wait()
