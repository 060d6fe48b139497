"""Stock LLDB 19 debugs programs through the same server."""
import json
import os
import re
import socket
import subprocess
import threading
import time

import pytest

from conftest import CC, FEW, HERE, ROOT, TIMEOUT, Variant, each, symbol

LLDB = "lldb-19"


# LLDB reads numbers as the locale has them: "2.5" is 2 where a comma stands before the decimals.
PLAIN = {**os.environ, "TERM": "dumb", "LC_ALL": "C.UTF-8"}


@pytest.fixture
def lldb(program, serve):
    """lldb(name, variant, commands, options): what LLDB says to each of the commands."""
    def run(name, variant, commands, *options):
        file = program(name, variant.xlen)
        server = serve(file, *variant.options, *options)
        argv = [LLDB, "--no-lldbinit", "--batch"]
        for command in ["settings set use-color false", "settings set stop-line-count-before 0",
                        "settings set stop-line-count-after 0", f"target create {file}",
                        f"gdb-remote {server.address}", *commands]:
            argv += ["-o", command]
        # PYTHON… of the test runner would be LLDB's, too.
        done = subprocess.run(argv, capture_output=True, text=True, timeout=TIMEOUT,
                              env=PLAIN)
        assert done.returncode == 0, done.stdout + done.stderr
        said = re.split(r"^\(lldb\) ", done.stdout, flags=re.M)[6:]
        assert len(said) == len(commands), done.stdout + done.stderr
        return said
    return run


@each(FEW)
def test_a_session(lldb, program, variant):
    count = symbol(program("lanes", variant.xlen), "count")
    hit, threads, registers, step, end = lldb("lanes", variant, [
        f"breakpoint set --one-shot true -a 0x{count}", "continue", "thread list",
        "register read s6 vx_warp_id vx_thread_id", "thread step-inst", "continue"])[1:]
    assert "stop reason = one-shot breakpoint" in hit
    names = re.findall(r"name = '([^']*)'", threads)
    assert len(names) == 4 * variant.threads
    assert names[:2] == ["device 0, core 0, warp 0, thread 0", "device 0, core 0, warp 0, thread 1"]
    assert re.search(r"s6 = 0x0*5\b", registers)
    assert "stop reason = instruction step into" in step
    assert re.search(r"exited with status = 42", end)


@each(FEW)
def test_many_lanes_at_a_breakpoint_go_on(lldb, program, variant):
    """LLDB steps each thread at a breakpoint past it; lanes that went along are not stepped twice."""
    count = symbol(program("lanes", variant.xlen), "count")
    commands = [f"breakpoint set -a 0x{count}", "breakpoint modify -c '$s6 == 1' 1", "continue",
                "register read s3 s6", "breakpoint delete 1", "continue"]
    said = lldb("lanes", variant, commands)
    assert re.search(r"s6 = 0x0*1\b", said[3])
    # Lane 0: 202 and five rounds of 1000.
    assert re.search(r"s3 = 0x0*1452\b", said[3])
    assert "exited with status = 42" in said[5]


@each(FEW)
def test_memory_and_registers_are_changed(lldb, program, variant):
    results = "0x" + symbol(program("lanes", variant.xlen), "results")
    said = lldb("lanes", variant, [
        "breakpoint set --one-shot true -n last", "continue", f"memory read --force -s4 -fd -c 2 {results}",
        "register write a0 7", "register read a0", "continue"])
    assert re.search(r"5202\s+5101|5202\n.*5101", said[2])
    assert re.search(r"a0 = 0x0*7\b", said[4])
    assert "exited with status = 7" in said[5]


@each(FEW)
def test_registers_that_say_where_a_lane_is(lldb, program, variant):
    store = symbol(program("lanes", variant.xlen), "store")
    commands = [f"breakpoint set -a 0x{store}", "breakpoint modify -c '$_warp == 2 && $_lane == 3' 1",
                "continue", "register read _lane _warp _core _mask s0 s1", "breakpoint delete 1", "continue"]
    said = lldb("lanes", variant, commands)
    for name, value in (("_lane", 3), ("fp", 3), ("_warp", 2), ("s1", 2), ("_core", 0),
                        ("_mask", (1 << variant.threads) - 1)):
        assert re.search(rf"\b{name} = 0x0*{value:x}\b", said[3]), (name, said[3])
    assert "exited with status = 42" in said[5]


def test_a_mistake_is_told_in_words(lldb):
    said = lldb("mistake", Variant(), ["continue"])
    assert re.search(r"stop reason = .*(illegal|instruction|not )", said[0])


def test_monitor(lldb):
    said = lldb("lanes", Variant(), ["process plugin packet monitor info"])
    assert "4 threads a warp" in said[0]


@each(FEW)
def test_going_to_a_time(lldb, program, variant):
    """LLDB has no words for going back; `monitor goto` does it, and a step shows what is there."""
    count = symbol(program("lanes", variant.xlen), "count")
    said = lldb("lanes", variant, [
        f"breakpoint set --one-shot true -a 0x{count}", "continue", "register read s6",
        "process plugin packet monitor goto start", "thread step-inst", "register read pc s6",
        "process plugin packet monitor goto end", "thread step-inst", "register read s6"])
    assert re.search(r"s6 = 0x0*5\b", said[2])
    assert "issue time 0: device 0, core 0, warp 0, thread 0" in said[3] and "LLDB shows" in said[3]
    assert re.search(r"pc = 0x0*80000004\b", said[5]) and re.search(r"s6 = 0x0*0\b", said[5])
    assert "(the present)" in said[6]
    assert re.search(r"s6 = 0x0*4\b", said[8])


# ---- what LLDB 19 does not do with any RISC-V ----

@pytest.fixture
def leaf(tmp_path):
    """leaf(xlen, *macros): programs/leaf.c."""
    def build(xlen, *macros):
        out = tmp_path / f"leaf{''.join(macros)}.rv{xlen}.elf"
        place = ["-Wl,-Ttext=0x80000000", "-Wl,--no-warn-rwx-segments"] if "VORTEX" in macros else []
        subprocess.run([CC, f"-march=rv{xlen}ima_zicsr", "-mabi=" + {32: "ilp32", 64: "lp64"}[xlen],
                        "-mcmodel=medany", "-nostdlib", "-nostartfiles", "-static", "-g", "-Og",
                        *place, *(f"-D{m}" for m in macros), "-o", out,
                        HERE / "programs" / "leaf.c"], check=True)
        return out
    return build


QUESTIONS = {
    "the caller of a leaf": ["breakpoint set -n leaf", "continue", "thread backtrace"],
    "finish from a leaf": ["breakpoint set -n leaf", "continue", "breakpoint delete 1", "thread step-out"],
    "next over a call": ["breakpoint set -n middle", "continue", "breakpoint delete 1", "thread step-over",
                         "thread step-over"],
    "finish": ["breakpoint set -n middle", "continue", "breakpoint delete 1", "thread step-out"],
}


def frames(address, file, commands):
    """Where LLDB says that it is, or what is wrong."""
    argv = [LLDB, "--no-lldbinit", "--batch"]
    for command in ["settings set use-color false", f"target create {file}", f"gdb-remote {address}", *commands]:
        argv += ["-o", command]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=TIMEOUT,
                          env=PLAIN)
    said = (done.stdout + done.stderr).split("(lldb) breakpoint set", 1)[1]
    return re.findall(r"frame #\d+: 0x[0-9a-f]+ \S+`(.*)|^(error: .*)", said, re.M)


# make check has one width for each question, by turns.
@pytest.mark.parametrize("question, xlen", [pytest.param(question, xlen, marks=[] if (n + xlen // 32) % 2 else pytest.mark.full) for n, question in enumerate(QUESTIONS) for xlen in (32, 64)])
def test_what_lldb_does_not_do_it_does_not_do_with_qemu_either(leaf, serve, xlen, question):
    """LLDB 19 finds no caller of a RISC-V function that keeps no frame, so that its `next` enters
    calls of such, and its `finish` fails there. The same session with QEMU's server says the same."""
    server = serve(leaf(xlen, "VORTEX"), "--gpu", "vortex:warps=1,threads=1")
    ours = frames(server.address, leaf(xlen, "VORTEX"), QUESTIONS[question])
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    other = subprocess.Popen([f"qemu-riscv{xlen}", "-g", str(port), leaf(xlen)],
                             stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + TIMEOUT
        while not listens(port):
            assert other.poll() is None and time.monotonic() < until
            time.sleep(0.01)
        theirs = frames(f"127.0.0.1:{port}", leaf(xlen), QUESTIONS[question])
    finally:
        other.kill()
        other.wait()
    assert ours == theirs
    assert len(ours) >= 2


def listens(port):
    """Whether something listens there; a connection would be QEMU's only one."""
    wanted = f":{port:04X}"
    for name in ("/proc/net/tcp", "/proc/net/tcp6"):
        with open(name, encoding="ascii") as table:
            if any(line.split()[1].endswith(wanted) and line.split()[3] == "0A"
                   for line in table.read().splitlines()[1:]):
                return True
    return False


# ---- the adapter that editors use ----

class Adapter:
    """lldb-dap, by the Debug Adapter Protocol."""

    def __init__(self):
        self.process = subprocess.Popen(["lldb-dap-19"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        # Ends a read() that waits for ever.
        self.bound = threading.Timer(2 * TIMEOUT, self.process.kill)
        self.bound.start()
        self.sent = 0
        self.events = []

    def close(self):
        self.bound.cancel()
        self.process.kill()
        self.process.wait()

    def read(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name == b"Content-Length" else length
        assert length, f"lldb-dap has gone, or said nothing more within {2 * TIMEOUT} s"
        return json.loads(self.process.stdout.read(length))

    def send(self, command, **arguments):
        self.sent += 1
        body = json.dumps({"seq": self.sent, "type": "request", "command": command,
                           "arguments": arguments}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()
        return self.sent

    def ask(self, command, **arguments):
        number = self.send(command, **arguments)
        while True:
            message = self.read()
            if message["type"] == "event":
                self.events.append(message)
            elif message["request_seq"] == number:
                assert message["success"], message
                return message.get("body", {})

    def event(self, name):
        """The next one of that name."""
        while True:
            for i, event in enumerate(self.events):
                if event["event"] == name:
                    del self.events[:i + 1]
                    return event.get("body", {})
            message = self.read()
            if message["type"] == "event":
                self.events.append(message)
            else:
                assert message["success"], message


def documented_attach(address):
    """The commands by which docs/editors.md connects lldb-dap."""
    page = (ROOT / "docs" / "editors.md").read_text()
    commands = json.loads(re.search(r'"attachCommands": (\[.*?\n    \])', page, re.S)[1])
    return [command.replace("localhost:3333", address) for command in commands]


def test_lldb_dap(example, serve):
    """As docs/editors.md has it: a breakpoint, lanes as threads, variables, the end."""
    file = example("mandelbrot", 64)
    server = serve(file, "--gpu", "vortex:warps=2,threads=4")
    one = Adapter()
    try:
        one.ask("initialize", adapterID="lldb", linesStartAt1=True, columnsStartAt1=True, pathFormat="path")
        one.send("attach", program=str(file), attachCommands=documented_attach(server.address))
        one.event("initialized")
        set_ = one.ask("setFunctionBreakpoints", breakpoints=[{"name": "draw", "condition": "pixel == 238"}])
        assert set_["breakpoints"][0]["verified"]
        one.ask("configurationDone")
        stopped = one.event("stopped")
        assert stopped["reason"] == "breakpoint"
        names = {t["id"]: t["name"] for t in one.ask("threads")["threads"]}
        assert names[stopped["threadId"]] == "device 0, core 0, warp 1, thread 2"
        frame = one.ask("stackTrace", threadId=stopped["threadId"], startFrame=0, levels=1)["stackFrames"][0]
        assert frame["name"] == "draw" and frame["source"]["name"] == "mandelbrot.c"
        scopes = one.ask("scopes", frameId=frame["id"])["scopes"]
        local = one.ask("variables", variablesReference=scopes[0]["variablesReference"])["variables"]
        assert {v["name"]: v["value"] for v in local}["pixel"] == "238"
        one.ask("setFunctionBreakpoints", breakpoints=[])
        one.ask("continue", threadId=stopped["threadId"])
        assert one.event("exited")["exitCode"] == 0
    finally:
        one.close()


def test_kill_is_answered(lldb):
    """LLDB waits for an answer to k; without one it says "failed to send k packet"."""
    said = lldb("lanes", Variant(), ["process kill"])
    assert "exited with status = 9" in said[0] and "failed" not in said[0], said


@each(FEW)
def test_registers_of_floating_point_are_numbers(lldb, variant):
    """A double by the register's own name, a single in its lower half by another: LLDB has no unions of registers."""
    said = lldb("lanes", variant, ["register write ft0 2.5", "register read ft0", "register write ft1_single -0.375",
                                   "register read ft1_single", "register read -f x ft1_single", "register read -f x ft0"])
    assert re.search(r"ft0 = 2\.5$", said[1], re.M), said
    assert re.search(r"ft1_single = -0\.375$", said[3], re.M), said
    assert "0xbec00000" in said[4] and "0x4004000000000000" in said[5], said


def test_a_backtrace_ends_in_a_named_function(serve, example):
    """The functions of the library in assembly are global: for a local one LLDB shows a mapping symbol ("$xrv32i…")."""
    file = example("vecadd", 32, "-O0 -g")
    server = serve(file)
    done = subprocess.run([LLDB, "--no-lldbinit", "--batch", "-o", f"gdb-remote {server.address}", "-o", "breakpoint set -n add",
                           "-o", "continue", "-o", "bt all", str(file)], capture_output=True, text=True, timeout=TIMEOUT)
    assert "`vx_warp_entry at start.S" in done.stdout and "`$x" not in done.stdout, done.stdout


def test_functions_cannot_be_called(serve, example):
    """LLDB's loader for programs without an operating system switches its compiler off before it asks the server anything (docs/rsp.md)."""
    file = example("vecadd", 32, "-O0 -g")
    done = subprocess.run([LLDB, "--no-lldbinit", "--batch", "-o", f"gdb-remote {serve(file).address}", "-o", "p noise_float(3)",
                           str(file)], capture_output=True, text=True, timeout=TIMEOUT)
    assert "Interpreter doesn't handle one of the expression's opcodes" in done.stderr, done.stderr


def test_a_variable_in_a_floating_point_register_is_read(serve, example, gdb):
    """By the register's number in DWARF; its value is the one that GDB prints."""
    file = example("vecadd", 32, "-Og -g")
    here = "vecadd.c:21"
    one = gdb(serve(file), file)
    one(f"break {here}")
    one("continue")
    assert "$f" in one("info address x")
    done = subprocess.run([LLDB, "--no-lldbinit", "--batch", "-o", f"gdb-remote {serve(file).address}", "-o",
                           "breakpoint set -f vecadd.c -l 21", "-o", "continue", "-o", "p x", "-o", "p y", str(file)],
                          capture_output=True, text=True, timeout=TIMEOUT)
    said = [float(value) for value in re.findall(r"^\(float\) (\S+)", done.stdout, re.M)]
    assert len(said) == 2 and said == pytest.approx([float(one.value("x")), float(one.value("y"))], rel=1e-6), done.stdout
