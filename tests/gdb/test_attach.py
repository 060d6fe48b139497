"""`wavetrap attach`: stock GDB on a device in another process, through the line protocol."""
import re
import signal
import subprocess
import threading

import pytest

from conftest import FEW, TIMEOUT, WAVETRAP, Gdb, Variant, each, symbol
from wire import DPC, WACTIVE, WSTATUS, Between


@pytest.fixture
def attach(gdb):
    """attach(address, program): GDB started by `wavetrap attach`."""
    def start(address, program, *options):
        return gdb(argv=[WAVETRAP, "attach", "--dm", address, "--symbols", program, *options, "--",
                         *Gdb.SETTINGS])
    return start


@pytest.fixture
def between():
    """between(upstream, answer): a server of its own temper in front of a real one."""
    open_ones = []

    def start(*args, **more):
        open_ones.append(Between(*args, **more))
        return open_ones[-1]
    yield start
    for one in open_ones:
        one.stop()


def debug_to_the_end(one):
    """What everybody does: a breakpoint, where the lanes are, a step, memory, the end."""
    assert "_start" in one.start, one.start
    assert one.value("$pc", "/x") == "0x80000000"
    one("break count")
    said = one("continue")
    assert "hit Breakpoint 1, count" in said, said
    assert len(one.threads()) == 16
    pc = one.number("$pc")
    one("stepi")
    assert one.number("$pc") > pc
    one("set $t6 = 0x12345678")
    assert one.number("$t6") == 0x12345678
    one("set {int}0x80008000 = 77")
    assert one.number("*(int *)0x80008000") == 77
    one("delete")
    assert "exited with code 052" in one("continue")


@pytest.mark.parametrize("profile", ["v2", "v3"])
@each(FEW)
def test_a_session_over_tcp(serve_dm, program, attach, variant, profile):
    file = program("lanes", variant.xlen)
    server = serve_dm(file, "--gpu", f"vortex:threads=4,profile={profile}")
    one = attach(server.address, file, "--hold")
    debug_to_the_end(one)
    assert one.close() == 0
    server.told("the client of .* is gone")


@pytest.mark.parametrize("schedule", ["rr:64", "lockstep"])
def test_a_condition_while_other_warps_run_on(serve_dm, example, attach, schedule):
    """Over a wire the device goes on while a condition is evaluated: warps that meet the breakpoint
    meanwhile have met it, and a false condition stops nobody."""
    file = example("mandelbrot")
    server = serve_dm(file, "--gpu", "vortex:warps=4,threads=4", "--schedule", schedule)
    one = attach(server.address, file, "--hold")
    one("break draw if pixel == 238")
    said = one("continue")
    assert "hit Breakpoint 1, draw (" in said and "pixel=238)" in said, said
    assert one.number("pixel") == 238
    one("delete")
    assert "exited normally" in one("continue")


def test_memory_is_watched_by_steps(serve_dm, program, attach):
    """Debug registers alone cannot watch memory: GDB does, and is told so from the beginning."""
    file = program("watched")
    one = attach(serve_dm(file).address, file, "--hold")
    one("break *again if $vx_warp_id == 0")
    assert "hit Breakpoint 1" in (said := one("continue")), said
    one("delete")
    assert one("watch *(int *)&results").startswith("Watchpoint 2")
    assert "Old value = 0\nNew value = 3000" in one("continue")
    # Asked for all the same, it is refused in words.
    one("delete")
    one("set can-use-hw-watchpoints 1")
    one("watch *(int *)&results")
    assert "Could not insert hardware watchpoint" in one("continue")


def test_a_session_over_a_unix_socket(serve_dm, program, attach, tmp_path):
    file = program("lanes")
    server = serve_dm(file, at=f"unix:{tmp_path}/dm")
    one = attach(server.address, file, "--hold")
    debug_to_the_end(one)


def test_a_gdb_that_connects_by_itself(serve_dm, program, gdb):
    """--rsp: as with `wavetrap serve`, one client after another."""
    file = program("lanes")
    server = serve_dm(file)
    process = subprocess.Popen([WAVETRAP, "attach", "--dm", server.address, "--rsp", ":0", "--hold",
                                "--symbols", file], stdin=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
    try:
        said = ""
        while not (found := re.search(r"target remote (\S+)\n", said)):
            line = process.stderr.readline()
            assert line, said
            said += line

        class Where:
            address = found[1]
        one = gdb(Where)  # the program comes from the server
        assert "_start" in one("info symbol $pc")
        one("break count")
        assert "hit Breakpoint 1" in one("continue")
        one("detach")
        server.told("the program has ended with status 42")
    finally:
        process.terminate()
        assert process.wait(TIMEOUT) == 128 + 15


def quirks(*names):
    """A server that knows these requests only, and says nothing to others."""
    def answer(line, ask):
        return ask(line).encode() + b"\n" if line[:1] in names else b""
    return answer


def test_a_server_that_knows_only_r_and_w(serve_dm, program, attach, between):
    """One access at a time, no handshake: slow, but a session like any other."""
    file = program("lanes")
    server = serve_dm(file, "--now", "--gpu", "vortex:threads=4")
    server.told("the program has ended")
    front = between(server.address, quirks("r", "w"))
    one = attach(front.address, file, "--reset", "--timeout", "2000")
    assert "takes one request at a time" in one.start
    debug_to_the_end(one)
    one.close()
    assert front.connections == 1 and front.dropped == 0
    assert set(line[0] for line in front.lines) == {"p", "r", "w"}
    assert front.lines.count("p") == 1


@pytest.mark.parametrize("separator", ";:")
def test_a_server_with_one_separator_that_reads_one_line(serve_dm, program, attach, between,
                                                         separator):
    """It understands one form of batch writes, and drops what comes before it has answered."""
    def answer(line, ask):
        if line[0] == "W" and separator not in line:
            return b"-\n"
        return ask(line).encode() + b"\n"
    file = program("lanes")
    front = between(serve_dm(file).address, answer)
    one = attach(front.address, file, "--hold", "--timeout", "2000")
    assert "of up to 8 registers" in one.start
    trial = front.dropped
    debug_to_the_end(one)
    one.close()
    assert front.dropped == trial
    assert any(line[0] == "W" and line.count(separator) == 1 for line in front.lines)


def test_attaching_to_what_runs_and_leaving_it_running(serve_dm, program, attach):
    """It is halted where it is; detach lets it go on, quitting GDB, too."""
    file = program("endless")
    server = serve_dm(file, "--now")
    for command in ("detach", "quit"):
        one = attach(server.address, file)
        assert "loop" in one.value("$pc", "/a")
        before = one.number("$s0")
        one("break loop")
        assert "hit Breakpoint" in one("continue")
        if command == "detach":
            one("detach")
        assert one.close() == 0
        client = server.client()
        assert client.read(WSTATUS) & client.read(WACTIVE) == 0
        client.select(0)
        while len({client.read(DPC) for _ in range(50)}) == 1:
            pass
        client.close()
        one = attach(server.address, file)
        assert one.number("$s0") > before
        assert "ebreak" not in one("x/4i &loop")
        one.close()


def test_a_program_that_has_ended_can_be_looked_at(serve_dm, program, attach):
    file = program("lanes")
    server = serve_dm(file, "--now")
    server.told("the program has ended")
    one = attach(server.address, file)
    assert "no warp is active: the program has already finished" in one.start and "--hold" in one.start
    assert "the program is" in one("monitor info")
    one("break count")
    assert "hit Breakpoint 1" in one("run")
    one("delete")
    assert "exited with code 052" in one("continue")


@pytest.mark.parametrize("options, text", [
    ([], "--dm=tcp"),
    (["--dm", "nonsense"], "not an address"),
    (["--dm", "tcp:127.0.0.1:1"], "Connection refused"),
    (["--dm", "unix:/nonexistent/dm"], "No such file"),
    (["--dm", "tcp:127.0.0.1:1", "--timeout", "0"], "milliseconds"),
    (["--dm", "tcp:127.0.0.1:1", "--symbols", __file__], "ELF"),
    (["--dm", "tcp:127.0.0.1:1", "--rsp", "stdio"], "--rsp takes"),
    (["--dm", "tcp:127.0.0.1:1", "--rsp", ":0", "--", "-x"], "argument for GDB"),
])
def test_bad_calls_are_explained(options, text):
    done = subprocess.run([WAVETRAP, "attach", *options], capture_output=True, text=True,
                          timeout=TIMEOUT)
    assert done.returncode == 125
    assert text in done.stderr


@pytest.mark.parametrize("answer, text", [
    (lambda line, ask: b"", "nobody answers"),
    (lambda line, ask: b"SSH-2.0-OpenSSH\r\n", "does not speak"),
    (lambda line, ask: None, "closed"),
    (lambda line, ask: b"+" * 100000, "no end"),
    (lambda line, ask: b"\xff\x00\n", "does not speak"),
])
def test_what_is_no_debug_module_is_said(serve_dm, program, between, answer, text):
    front = between(serve_dm(program("lanes")).address, answer)
    done = subprocess.run([WAVETRAP, "attach", "--dm", front.address, "--timeout", "300"],
                          capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 125
    assert text in done.stderr
    assert front.address in done.stderr


def test_a_second_debugger_is_refused(serve_dm, program):
    server = serve_dm(program("lanes"))
    first = server.client().hello()
    done = subprocess.run([WAVETRAP, "attach", "--dm", server.address], capture_output=True,
                          text=True, timeout=TIMEOUT)
    assert done.returncode == 125
    assert "another client is connected" in done.stderr
    assert first.read(0) >> 28 == 1


# ---- a device that is slow, stalled or gone ----

class Trouble:
    """The answers of the real server, until something is to go wrong: what `fault` does with one."""

    def __init__(self):
        self.fault = None
        self.count = 0
        self.happened = threading.Event()
        self.mended = threading.Event()

    def __call__(self, line, ask):
        fault = self.fault
        reply = ask(line).encode() + b"\n"
        if not fault:
            return reply
        self.happened.set()
        return fault(self, reply)

    def stalls(self, reply):
        assert self.mended.wait(TIMEOUT)
        return reply

    def drops(self, reply):
        self.fault = None
        return b""

    def doubles(self, reply):
        self.fault = None
        return reply * 2

    def garbles(self, reply):
        self.fault = None
        return b"\x80\x00#!\n"

    def refuses(self, reply):
        self.fault = None
        return b"-\n"

    def closes(self, reply):
        self.fault = None
        return None

    def halves(self, reply):
        self.fault = None
        return [reply[:len(reply) // 2]]


FAULTS = ["stalls", "drops", "doubles", "garbles", "refuses", "closes", "halves"]


@pytest.fixture
def troubled(serve_dm, program, attach, between):
    """A session at a breakpoint, behind a server that can be made to fail."""
    def start(reads_ahead):
        file = program("lanes")
        trouble = Trouble()
        front = between(serve_dm(file).address, trouble, reads_ahead=reads_ahead)
        # Longer than a server of a busy machine takes: an answer that is late is a fault, too, which nobody has made.
        one = attach(front.address, file, "--hold", "--timeout", "2000")
        one("break count")
        one("set var $s5 = 1")
        assert "hit Breakpoint 1" in one("continue")
        return one, trouble, front
    return start


def resettle(one, trouble):
    """Whatever went wrong is over: commands work again after the first, or a few, have failed."""
    trouble.fault = None
    trouble.mended.set()
    for _ in range(5):
        one("maintenance flush register-cache")
        if "Cannot access" not in one("x/2wx 0x80000000") and one("p $pc").startswith("$"):
            return
    assert False, "the session is lost"


def finish(one):
    """The breakpoint is still there, memory as it should be, and the program comes to its end."""
    assert len(one.threads()) == 16
    assert "breakpoint already hit" in one("info breakpoints")
    said = one("continue")
    assert "hit Breakpoint 1" in said, said
    one("delete")
    assert "exited with code 052" in one("continue")


def faults_and_ways(turn):
    """Of each fault make check has one way to read, by turns, and of the two tests both."""
    return pytest.mark.parametrize("fault, reads_ahead", [pytest.param(fault, ahead, marks=[] if (n + ahead + turn) % 2 else pytest.mark.full, id=f"{fault}-{'ahead' if ahead else 'one'}")
                                                          for n, fault in enumerate(FAULTS) for ahead in (True, False)])


@faults_and_ways(0)
def test_a_fault_while_looking_is_told_and_survived(troubled, fault, reads_ahead):
    one, trouble, _ = troubled(reads_ahead)
    trouble.fault = getattr(Trouble, fault)
    said = one("x/8wx 0x80000100")
    assert trouble.happened.is_set()
    if fault != "doubles":
        assert "Cannot access memory" in said
    resettle(one, trouble)
    finish(one)


@faults_and_ways(1)
def test_a_fault_while_running_stops_and_is_survived(troubled, fault, reads_ahead):
    one, trouble, _ = troubled(reads_ahead)
    one("delete")
    one("hbreak store if $s5 == 99")
    trouble.fault = getattr(Trouble, fault)
    said = one("continue")
    assert trouble.happened.is_set()
    resettle(one, trouble)
    if "exited" not in said:
        one("delete")
        said = one("continue")
    assert "exited with code 052" in said or "The program is not being run" in said


def test_what_was_waited_for_is_told(troubled):
    one, trouble, front = troubled(True)
    trouble.fault = Trouble.stalls
    said = one("monitor reattach")
    assert front.address in said
    assert re.search(r"waited (another )?2000 ms|and 2000 ms for", said), said
    resettle(one, trouble)
    assert "Attached again" in one("monitor reattach")
    finish(one)


def test_a_device_that_was_switched_off_and_on(serve_dm, program, attach, tmp_path):
    """Another process takes the first one's place: the session goes on in it, breakpoints and all."""
    file = program("lanes")
    path = f"unix:{tmp_path}/dm"
    server = serve_dm(file, at=path)
    one = attach(path, file, "--hold", "--timeout", "1000")
    one("break count")
    one("tbreak store")
    assert "hit Breakpoint 1" in one("continue")
    server.stop()
    said = one("stepi")
    assert "closed it" in said or "cannot connect" in said, said
    assert "cannot connect" in one("monitor reattach")
    serve_dm(file, at=path)
    assert "Attached again" in one("monitor reattach")
    one("maintenance flush register-cache")
    assert len(one.threads()) == 4  # of one warp: it is at its beginning
    one("thread 1")
    assert one.value("$pc", "/x") == "0x80000000"
    assert "hit Breakpoint 1" in one("continue")
    one("delete 1")
    assert "Temporary breakpoint 2, store" in one("continue")
    assert "exited with code 052" in one("continue")


def test_another_device_in_its_place_is_noticed(serve_dm, program, attach, tmp_path):
    file = program("lanes")
    path = f"unix:{tmp_path}/dm"
    server = serve_dm(file, at=path)
    one = attach(path, file, "--hold", "--timeout", "1000")
    server.stop()
    serve_dm(file, "--gpu", "vortex:threads=8", at=path)
    assert "another device than before" in one("monitor reattach")
    assert one.close() == 0


@pytest.mark.parametrize("convention", ["at", "after"])
def test_breakpoints_of_a_debugger_that_crashed(serve_dm, program, attach, convention):
    """They are found where the file has other code, named, and lifted when that is asked for; a warp
    that stands at one stands at it, whatever its DPC says."""
    file = program("lanes")
    place = "0x" + symbol(file, "count")
    server = serve_dm(file, "--gpu", f"vortex:ebreak-pc={convention}")
    dead = attach(server.address, file, "--hold")
    dead("break count")
    dead("break store")
    assert "hit Breakpoint 1" in dead("continue")
    dead.child.kill(signal.SIGKILL)
    server.told("the client of .* is gone")
    one = attach(server.address, file)
    assert "2 breakpoints of another debugger are in memory" in one.start
    assert place in one.start and "monitor lift-breakpoints" in one.start
    at = {thread["frame"].split(" ")[0] for thread in one.threads().values()}
    assert "count" in at, at
    assert "2 breakpoints of another debugger lifted" in one("monitor lift-breakpoints")
    assert "no breakpoint that is not" in one("monitor lift-breakpoints")
    assert "exited with code 052" in one("continue")


def test_lift_at_once(serve_dm, program, attach):
    file = program("lanes")
    server = serve_dm(file, at=":0")
    client = server.client().hello()
    client.wake()
    t0, t1 = client.gpr(5), client.gpr(6)
    client.set_gpr(5, int(symbol(file, "count"), 16))
    client.set_gpr(6, 0x00100073)
    client.inject(0x0062a023)  # sw t1, 0(t0)
    client.set_gpr(5, t0)
    client.set_gpr(6, t1)
    client.close()
    one = attach(server.address, file, "--hold", "--lift")
    assert "lifted" in one.start
    assert "exited with code 052" in one("continue")


@each([Variant(32), Variant(64)])
def test_both_conventions_of_dpc(serve_dm, program, attach, variant):
    """An ebreak halts at it, or behind it: the session is the same."""
    file = program("lanes", variant.xlen)
    server = serve_dm(file, "--gpu", "vortex:ebreak-pc=after,threads=4")
    debug_to_the_end(attach(server.address, file, "--hold"))


def test_ctrl_c_ends_the_wait_for_a_device(serve_dm, program, between):
    """Nobody has to wait for the time limit."""
    asked = threading.Event()

    def answer(line, ask):
        asked.set()
        return b""
    front = between(serve_dm(program("lanes")).address, answer)
    # Whoever runs the tests in the background has them ignore SIGINT.
    process = subprocess.Popen([WAVETRAP, "attach", "--dm", front.address, "--timeout", "3600000"],
                               stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    assert asked.wait(TIMEOUT)
    process.send_signal(signal.SIGINT)
    assert process.wait(TIMEOUT) == -signal.SIGINT
    process.stderr.close()


def test_only_the_programs_code_is_compared(serve_dm, program, attach, between):
    """Not the page before it, with the file's header: a device need not have memory there."""
    file = program("lanes")
    front = between(serve_dm(file).address, lambda line, ask: ask(line).encode() + b"\n", True)
    one = attach(front.address, file, "--hold")
    assert "_start" in one.start
    values = [value for line in front.lines if line[0] in "wW"
              for value in re.split("[:;]", line)[1].split(",")]
    assert "80000000" in values, values
    assert not any(value.startswith("7ffff") for value in values)
