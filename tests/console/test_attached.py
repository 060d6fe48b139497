"""The console on a device elsewhere: `wavetrap debug --dm` and `--jtag`, on `wavetrap serve`, show what the console shows on
the emulator and GDB on the same device."""
import os
import re
import signal
import socket
import subprocess
import time

import pexpect
import pytest

from conftest import TIMEOUT, WAVETRAP, answers, ask_console, debug, marked

SHAPE = ["--gpu", "vortex:warps=4,threads=4"]
PROMPT = "(wavetrap) "


class Server:
    """`wavetrap serve --dm` or `--jtag`, and the options of a debugger for it."""

    def __init__(self, transport, file, *options):
        self.process = subprocess.Popen([WAVETRAP, "serve", f"--{transport}", ":0", *SHAPE, *options, str(file)],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        said = ""
        while not (found := re.search(r"is served at tcp:(\S+)\n", said)):
            line = self.process.stderr.readline()
            assert line, said
            said += line
        self.options = [f"--dm=tcp:{found[1]}"] if transport == "dm" else [f"--jtag=remote_bitbang:{found[1]}"]
        # A program that has not begun is halted before it is started; behind JTAG it waits by itself.
        self.from_start = [*self.options, *(["--hold"] if transport == "dm" else [])]

    def stop(self):
        self.process.kill()
        self.process.communicate(timeout=TIMEOUT)


@pytest.fixture
def serve():
    servers = []

    def start(transport, file, *options):
        servers.append(Server(transport, file, *options))
        return servers[-1]
    yield start
    for server in servers:
        server.stop()


both_ways = pytest.mark.parametrize("transport", ["dm", "jtag"])


def where(said):
    """The stops: the lines of the lane, of the breakpoint and frame, and of the source."""
    return re.findall(r"^\[device .*|^Breakpoint \d.*|^\d+\t.*|^[\w]+ \(.*\) at .*", said, re.M)


@both_ways
@pytest.mark.parametrize("xlen", [32, 64])
def test_values_and_steps_are_those_on_the_emulator(serve, program, transport, xlen):
    file = program("values", xlen)
    commands = ["print depth", "backtrace", "print pixels", "print &global", "info locals", "x/4xw table", "break stop_here if depth == 1",
                "info breakpoints", "next", "step", "stepi", "disassemble", "list", "delete 1", "continue", "up", "print depth", "delete",
                "finish", "print global", "break values.c:104", "continue", "print here", "print pixel@0", "set var here = 5",
                "print here", "info registers sp", "delete", "continue", "print global"]
    here = ask_console(file, ["break deep", "run"], commands, SHAPE)
    server = serve(transport, file)
    there = ask_console(file, ["break deep", "continue"], commands, server.from_start)
    assert len(here) == len(commands)
    for command, one, other in zip(commands, here, there):
        assert other == one, command


@both_ways
def test_the_end_has_the_status_of_the_program(serve, program, transport):
    server = serve(transport, program("values"))
    done = debug(program("values"), "break main", "continue", "delete", "continue", options=server.from_start)
    assert done.returncode == debug(program("values"), "run").returncode
    assert "_start" in done.stdout and "[Program exited normally]" in done.stdout, done.stdout
    assert done.stderr.count("\n") <= 1, done.stderr


@both_ways
def test_a_stop_in_four_warps_is_that_on_the_emulator(serve, example, transport):
    file = example("mandelbrot")
    commands = ["print pixel", "print pixel@*", "print point.count@*", "info lanes pixel % 2", "backtrace"]
    here = debug(file, "break draw if pixel == 238", "run", *marked(commands), options=SHAPE)
    server = serve(transport, file)
    there = debug(file, "break draw if pixel == 238", "continue", *marked(commands), options=server.from_start)
    assert (here.returncode, there.returncode) == (0, 0), there.stderr
    assert where(there.stdout)[-2:] == where(here.stdout)[-2:] and "pixel=238)" in there.stdout
    assert answers(there.stdout) == answers(here.stdout)


@both_ways
def test_what_gdb_shows_there(serve, program, transport):
    """`wavetrap attach` is GDB on the same device."""
    file = program("values")
    commands = ["backtrace", "print pixels", "print/x table", "info locals", "x/4xw table"]
    server = serve(transport, file)
    words = [WAVETRAP, "attach", "--plain", *server.from_start, "--symbols", str(file), "--", "-nx", "-batch", "-iex",
             "set confirm off", "-iex", "set width 0", "-iex", "set style enabled off", "-iex", "set debuginfod enabled off"]
    for command in ["break stop_here", "continue", *marked(commands)]:
        words += ["-ex", command]
    gdb = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT)
    assert gdb.returncode == 0, gdb.stderr
    server.stop()
    console = ask_console(file, ["break stop_here", "continue"], commands, serve(transport, file).from_start)
    assert console == answers(gdb.stdout)


@both_ways
def test_a_variable_is_watched_by_steps(serve, program, transport):
    """The device has no watchpoints; the stop is the one that the emulator's watchpoint makes."""
    file = program("values")
    before = ["break stop_here", "{}", "watch global"]
    commands = ["continue", "print global", "info breakpoints", "continue", "print depth"]
    here = ask_console(file, [word.format("run") for word in before], commands, SHAPE)
    server = serve(transport, file)
    there = ask_console(file, [word.format("continue") for word in before], commands, server.from_start)
    assert "Old value = 42\nNew value = 59\n" in there[0]
    assert there[0] == here[0].replace("Hardware watchpoint", "Watchpoint")
    assert there[1] == here[1] == "$1 = 59"
    assert re.search(r"^2 +watchpoint .*global\n\tbreakpoint already hit 1 time", there[2], re.M), there[2]
    assert there[3:] == here[3:] and "Breakpoint 1, stop_here (depth=1)" in there[3]


def test_steps_and_breakpoints_beside_a_watched_variable(serve, program):
    """Each step compares; breakpoints with conditions, a dprintf and the end of a frame count as without a watched variable."""
    file = program("values")
    commands = ["next", "step", "break deep if depth == 1", "dprintf twice,\"never\\n\"", "dprintf deep,\"deep %d\\n\", depth",
                "continue", "watch local", "continue", "finish", "delete", "continue"]
    before = ["break main", "{}", "watch zeros[3]"]
    here = ask_console(file, [word.format("run") for word in before], commands, SHAPE)
    there = ask_console(file, [word.format("continue") for word in before], commands, serve("dm", file).from_start)
    for command, one, other in zip(commands, here, there):
        assert other == one.replace("Hardware watchpoint", "Watchpoint"), command
    assert "deep 3\ndeep 2\ndeep 1\n" in there[5] and "depth=1" in there[5]


@both_ways
@pytest.mark.parametrize("last", ["detach", "quit", "echo"])
def test_the_device_goes_on_afterwards(serve, program, transport, last):
    """It is halted where it is; `detach`, `quit` and the end of the script let it go on, without breakpoints."""
    file = program("endless")
    server = serve(transport, file, *(["--now"] if transport == "dm" else []))
    first = debug(file, "break endless.c:7", "continue", "continue", "print turns", last,
                  options=server.from_start if transport == "jtag" else server.options)
    assert first.returncode == 0, first.stderr
    assert ("Detached from the device, which continues." in first.stdout) == (last == "detach")
    turns, until = int(re.search(r"\$1 = (\d+)", first.stdout)[1]), time.monotonic() + TIMEOUT
    while True:
        again = debug(file, "print turns", options=server.options)
        assert again.returncode == 0 and "breakpoint" not in again.stderr, again.stderr
        if int(re.search(r"\$1 = (\d+)", again.stdout)[1]) > turns:
            break
        assert time.monotonic() < until, "the device stands still"


@pytest.mark.parametrize("runs", [True, False])
@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGHUP])
def test_a_console_that_is_ended_lets_the_device_go(serve, program, terminal, by, runs):
    """At its prompt, and while the program runs."""
    file = program("endless")
    server = serve("dm", file, "--now")
    child = terminal(file, *server.options)
    for line in ["break endless.c:7", "continue", "print turns"]:
        child.sendline(line)
        child.expect_exact(line)
        child.expect_exact(PROMPT)
    turns, until = int(re.search(r"\$1 = (\d+)", child.before)[1]), time.monotonic() + TIMEOUT
    if runs:
        child.sendline("delete")
        child.expect(r"Delete all breakpoints\?|\(wavetrap\) ")
        child.sendline("y")
        child.sendline("continue")
        child.expect_exact("Continuing.")
    child.kill(by)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 128 + by
    while True:
        again = debug(file, "print turns", options=server.options)
        assert again.returncode == 0 and "breakpoint" not in again.stderr, again.stderr
        if int(re.search(r"\$1 = (\d+)", again.stdout)[1]) > turns:
            break
        assert time.monotonic() < until, "the device stands still"


def test_nothing_is_done_after_detach(serve, program):
    server = serve("dm", program("endless"), "--now")
    done = debug(program("endless"), "detach", "continue", options=server.options)
    assert done.returncode == 1 and "The program is not being run." in done.stderr


@pytest.mark.parametrize("command, message", [
    ("run", "the device runs by itself"), ("start", "the device runs by itself"), ("kill", "the device runs by itself"),
    ("reverse-continue", "history"), ("reverse-step", "history"), ("goto 5", "not recorded"), ("who-wrote turns", "not recorded"),
    ("info time", "not recorded"), ("rwatch turns", "this device has no watchpoints"), ("awatch turns", "this device has no watchpoints"),
    ("generate-core", "core file"), ("attach 1", "attach is for host programs")])
def test_what_it_cannot_do_is_refused(serve, program, tmp_path, command, message):
    server = serve("dm", program("endless"), "--now")
    done = debug(program("endless"), command, options=server.options, cwd=tmp_path)
    assert done.returncode == 1 and message in done.stderr, done.stderr
    assert "breakpoint 1" not in done.stdout.lower()


def test_reset_begins_again(serve, program):
    server = serve("dm", program("endless"), "--now")
    done = debug(program("endless"), "print $pc", "break main", "continue", options=[*server.options, "--reset"])
    assert "0x80000000 <_start>" in done.stdout and "Breakpoint 1, main ()" in done.stdout, done.stdout


def test_a_program_that_has_ended(serve, program):
    file = program("values")
    server = serve("dm", file)
    assert "exited normally" in debug(file, "continue", options=server.from_start).stdout
    done = debug(file, "continue", options=server.options)
    assert "no warp is active: the program has already finished" in done.stderr and "--hold" in done.stderr
    assert done.returncode == 1 and "The program is not being run." in done.stderr


@pytest.fixture
def terminal():
    children = []

    def start(file, *options):
        children.append(pexpect.spawn(WAVETRAP, ["debug", "--nx", *options, str(file)], encoding="utf-8", echo=False,
                                      timeout=TIMEOUT, dimensions=(50, 200), env={**os.environ, "TERM": "dumb"}))
        children[-1].delaybeforesend = None
        children[-1].expect_exact(PROMPT)
        return children[-1]
    yield start
    for child in children:
        child.close(force=True)


@pytest.mark.parametrize("watched", [False, True], ids=["runs", "steps"])
def test_ctrl_c_stops_the_device(serve, program, terminal, watched):
    """Also while a variable is watched by steps. To leave is not a loss, and is not asked about."""
    file = program("endless")
    child = terminal(file, *serve("dm", file, "--now").options)
    for line in ["watch *(int *)&main"] if watched else []:
        child.sendline(line)
        child.expect_exact("Watchpoint 1")
        child.expect_exact(PROMPT)
    child.sendline("continue")
    child.expect_exact("Continuing.")
    child.sendintr()
    child.expect_exact("Program stopped.")
    child.expect_exact(PROMPT)
    child.sendline("backtrace")
    child.expect_exact("main ()")
    child.expect_exact(PROMPT)
    child.sendline("quit")
    child.expect(pexpect.EOF)


def test_a_device_that_is_gone_is_told(serve, program, terminal):
    file = program("endless")
    server = serve("dm", file, "--now")
    child = terminal(file, *server.options, "--timeout=1000")
    server.stop()
    for _ in range(2):
        child.sendline("stepi")
        child.expect("closed it|cannot connect|Connection refused|Connection reset")
        child.expect_exact(PROMPT)
    child.sendline("quit")
    child.expect(pexpect.EOF)


@pytest.mark.parametrize("options, text", [
    (["--dm=nonsense"], "not an address"),
    (["--dm=tcp:127.0.0.1:1"], "Connection refused"),
    (["--dm=unix:/nonexistent/dm"], "No such file"),
    (["--jtag=remote_bitbang:127.0.0.1:1"], "Connection refused"),
    (["--dm=tcp:127.0.0.1:1", "--jtag=remote_bitbang:127.0.0.1:1"], "in one of these ways"),
    (["--jtag=remote_bitbang:127.0.0.1:1", "--hold"], "--hold is about the start request"),
    (["--dm=tcp:127.0.0.1:1", "--jtag-tap=1"], "go with --jtag"),
    (["--hold"], "go with --dm or --jtag"),
    (["--reset"], "go with --dm or --jtag"),
    (["--dm=tcp:127.0.0.1:1", "--timeout=0"], "milliseconds"),
    (["--dm=tcp:127.0.0.1:1", "--gpu=vortex"], "there are no options for them"),
    (["--dm=tcp:127.0.0.1:1", "--core=x"], "give one of"),
    (["--dm=tcp:127.0.0.1:1", "--pid=1"], "give one of"),
])
def test_bad_calls_are_explained(program, options, text):
    done = debug(program("values"), options=options)
    assert done.returncode == 125 and text in done.stderr, done.stderr


def test_a_program_for_something_else_is_refused(tmp_path):
    for file, text in (WAVETRAP, "machine"), (__file__, "not an ELF"):
        done = debug(file, options=["--dm=tcp:127.0.0.1:1"])
        assert done.returncode == 125 and text in done.stderr, done.stderr


def test_ctrl_c_ends_the_wait_for_a_device(program):
    """Until the device has answered there is nothing to stop."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        process = subprocess.Popen(
            [WAVETRAP, "debug", "--nx", f"--dm=tcp:127.0.0.1:{silent.getsockname()[1]}", "--timeout=3600000",
             str(program("values"))], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        silent.settimeout(TIMEOUT)
        connection, _ = silent.accept()
        connection.settimeout(TIMEOUT)
        assert connection.recv(1)  # it asks
        process.send_signal(signal.SIGINT)
        assert process.wait(TIMEOUT) == -signal.SIGINT
        connection.close()
