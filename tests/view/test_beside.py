"""Pages beside another front end: `--view` of debug, serve and gdb. They follow what is done there."""
import contextlib
import os
import re
import select
import signal
import subprocess
import time

import pytest

from conftest import BITCODE, ROOT, TIMEOUT, WAVETRAP, collatz_words
from test_server import now

VORTEX = ["--gpu=vortex:warps=2,threads=4"]
LINE = "view.model.places[view.selectedRow().wave.pc].line"


class Beside:
    """A command with --view, its standard input and what it prints."""

    def __init__(self, *words, **more):
        self.process = subprocess.Popen([WAVETRAP, *map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0, **more)
        self.out = b""
        self.said = ""
        self.url = self.error(r"the page is at (http://\S+)")

    def error(self, pattern):
        while not re.search(pattern, self.said):
            assert select.select([self.process.stderr], [], [], TIMEOUT)[0], self.said
            data = os.read(self.process.stderr.fileno(), 4096)
            assert data, self.said
            self.said += data.decode()
        return re.search(pattern, self.said).group(1)

    def type(self, line):
        os.write(self.process.stdin.fileno(), line.encode() + b"\n")

    def until(self, text):
        """What is printed up to a text, which it ends with."""
        while text.encode() not in self.out:
            assert select.select([self.process.stdout], [], [], TIMEOUT)[0], self.out
            data = os.read(self.process.stdout.fileno(), 65536)
            assert data, (self.out, text)
            self.out += data
        at = self.out.index(text.encode()) + len(text)
        taken, self.out = self.out[:at].decode(), self.out[at:]
        return taken

    def close(self):
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.stdout.close()
        self.process.stderr.close()
        return self.process.wait(TIMEOUT)


@pytest.fixture
def beside():
    started = []

    def run(*words, **more):
        started.append(Beside(*words, **more))
        return started[-1]
    yield run
    for one in started:
        one.close()


def show(browser, one):
    browser.open(one.url)
    browser.wait("window.view && view.model")
    return browser


def press(page, label):
    page.wait(f"!document.querySelector('[aria-label=\"{label}\"]').disabled")
    page.run(f"document.querySelector('[aria-label=\"{label}\"]').click()")


# ---- the console ----

def test_the_page_follows_the_console(beside, browser, kernel):
    one = beside("debug", "--nx", "--view", *collatz_words("gfx900", 128), kernel("gfx900"))
    page = show(browser, one)
    assert page.run("view.model.frames[0].waves.length") == 0
    one.type("tbreak collatz.cl:6")
    one.type("run")
    page.wait(f"view.model.frames[0].waves.length === 2 && {LINE} === 6")
    assert page.wait("/breakpoint|pause/i.test(view.reason.reason)")
    one.type("next")
    page.wait(f"{LINE} === 7")
    one.type("lane 5")
    page.wait("view.model.body.selected.lane === 5")
    one.type("set var n = 4242")
    page.run("view.addExpression('n')")
    page.wait("JSON.stringify(view.model.body.waves).includes('4242')")
    assert not [p for p in page.problems() if not p.get("canceled")]


def test_the_page_runs_the_program_of_the_console(beside, browser, kernel):
    one = beside("debug", "--nx", "--view", *collatz_words("gfx900", 128), kernel("gfx900"))
    page = show(browser, one)
    one.type("tbreak collatz.cl:6")
    one.type("run")
    page.wait(f"view.model.frames[0].waves.length === 2 && {LINE} === 6")
    one.type("echo shown\\n")
    one.until("shown\n")
    press(page, "Step over")
    page.wait(f"{LINE} === 7")
    one.until("#0")
    assert page.run("document.querySelector('[aria-label=\"Run again from the beginning\"]').hidden")
    one.type("info line")
    one.until("Line 7 ")
    before = now(page)
    page.run(f"view.seek({before - 2})")
    page.wait(f"view.model.frames[0].time === {before - 2}")
    one.type("continue")
    one.type("continue")
    page.wait("!view.model.frames[0].waves.length")
    one.type("tbreak collatz.cl:7")
    one.type("run")
    page.wait(f"view.model.frames[0].waves.length === 2 && {LINE} === 7")


def test_while_the_console_runs_the_page_can_stop_it(beside, browser, tmp_path):
    source = tmp_path / "spin.cl"
    source.write_text("kernel void spin(global volatile unsigned *n) {\n    for (;;)\n        n[0]++;\n}\n")
    out = tmp_path / "spin.co"
    subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", "-O0", "-g", "-w", source, "-o", out, "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900",
                    f"--rocm-device-lib-path={BITCODE}"], check=True)
    one = beside("debug", "--nx", "--view", "--gpu=gfx900", "--kernel=spin", "--grid=64", "--block=64", "--arg=zeros:4", out)
    page = show(browser, one)
    one.type("run")
    page.wait("!view.pauses.disabled")
    page.run("view.send('pause', { threadId: 1 })")
    page.wait("view.model.frames[0].waves.length === 1")
    assert page.run(LINE) in (2, 3)


def test_a_session_that_ends_tells_the_page_and_leaves_nothing(beside, browser, kernel):
    one = beside("debug", "--nx", "--view", *collatz_words("gfx900", 64), kernel("gfx900"))
    children = [int(pid) for pid in open(f"/proc/{one.process.pid}/task/{one.process.pid}/children").read().split()]
    page = show(browser, one)
    one.type("quit")
    assert one.process.wait(TIMEOUT) == 0
    page.wait("/ended/.test(view.clock.textContent)")
    assert len(children) == 1 and not os.path.exists(f"/proc/{children[0]}")


def test_the_console_goes_on_when_its_pages_are_gone(beside, kernel):
    one = beside("debug", "--nx", "--view", *collatz_words("gfx900", 64), kernel("gfx900"))
    child = int(open(f"/proc/{one.process.pid}/task/{one.process.pid}/children").read().split()[0])
    os.kill(child, signal.SIGKILL)
    one.type("tbreak collatz.cl:6")
    one.type("run")
    one.until("reakpoint 1, ")
    one.type("next")
    one.until("7\t")


def test_view_and_batch_exclude_each_other(kernel):
    done = subprocess.run([WAVETRAP, "debug", "--batch", "--view", kernel("gfx900")], capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 125 and "--batch" in done.stderr
    done = subprocess.run([WAVETRAP, "debug", "--view=0.0.0.0:0", kernel("gfx900")], capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 125 and "--view takes PORT" in done.stderr


# ---- GDB ----

@pytest.fixture(scope="module")
def elf(tmp_path_factory):
    out = tmp_path_factory.mktemp("elf")
    subprocess.run(["make", "-s", "-C", ROOT / "examples" / "vortex", f"OUT={out}"], check=True, capture_output=True)
    return out / "mandelbrot.rv32.elf"


def test_the_page_follows_gdb(beside, browser, elf, tmp_path):
    one = beside("serve", *VORTEX, f"--rsp=unix:{tmp_path}/gdb", "--view", elf)
    page = show(browser, one)
    gdb = subprocess.Popen(["gdb-multiarch", "-nx", "-q", elf, "-ex", f"target extended-remote {tmp_path}/gdb"], stdin=subprocess.PIPE,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True, bufsize=1)
    try:
        gdb.stdin.write("break main\ncontinue\n")
        page.wait(f"view.model.frames[0].waves.length && (view.model.places[view.selectedRow().wave.pc] || {{}}).function === 'main'")
        line = page.run(LINE)
        gdb.stdin.write("next\n")
        page.wait(f"{LINE} > {line}")
        assert page.run("view.runs.hidden && view.slider.disabled")
        answer = page.run("view.source.transport.request('next', { threadId: view.thread }).then(() => '', (error) => error.message)")
        assert "debugger in which the session was begun" in answer
        page.run("view.addExpression('$pc')")
        page.wait("view.model.body.expressions.length === 1 && JSON.stringify(view.model.body.waves).includes('main')")
        gdb.stdin.write("kill\nquit\n")
    finally:
        gdb.stdin.close()
        gdb.wait(TIMEOUT)


def test_gdb_in_one_command_has_pages(beside, browser, elf):
    one = beside("gdb", *VORTEX, "--view", elf, "--", "-nx", "-q")
    page = show(browser, one)
    one.type("break main")
    one.type("continue")
    page.wait("view.model.frames[0].waves.length && (view.model.places[view.selectedRow().wave.pc] || {}).function === 'main'")


# ---- what runs elsewhere: view's own session, --pid, --socket, --dm ----

@pytest.fixture(scope="module")
def slow(tmp_path_factory):
    """A HIP program whose kernel waits for its debugger."""
    out = tmp_path_factory.mktemp("hip") / "twice"
    subprocess.run(["hipcc", "--offload-arch=gfx900", "-O0", "-g", "-o", out, ROOT / "tests" / "view" / "programs" / "twice.hip"], check=True)
    return out


@pytest.fixture
def held(slow, tmp_path, monkeypatch):
    """held(*options): the program under `wavetrap exec`, before its first kernel."""
    started = []
    monkeypatch.setenv("WAVETRAP_SOCKETS", str(tmp_path))

    def run(*options):
        started.append(subprocess.Popen([WAVETRAP, "exec", "-g", "gfx900", *options, slow], stdout=subprocess.DEVNULL,
                                        env={**os.environ, "WAVETRAP_HELD": "1"}))
        return started[-1]
    yield run
    for process in started:
        process.kill()
        process.wait(TIMEOUT)


def until(condition):
    end = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < end
        time.sleep(.02)


def test_the_session_of_exec_is_shown_by_its_process(beside, browser, held):
    process = held()
    until(lambda: str(process.pid) in subprocess.run([WAVETRAP, "ps"], capture_output=True, text=True, timeout=TIMEOUT).stdout)
    one = beside("view", f"--pid={process.pid}")
    page = show(browser, one)
    press(page, "Continue")
    page.wait("Object.values(view.model.body.dispatches).some((one) => one.kernel === 'twice(int*)')")


def test_the_session_of_exec_is_shown_by_its_address(beside, browser, held, tmp_path):
    socket, token = tmp_path / "gpu", tmp_path / "token"
    held(f"--socket=unix:{socket}", f"--token={token}")
    until(socket.exists)
    page = show(browser, beside("view", f"--socket=unix:{socket}", f"--token={token}"))
    press(page, "Continue")
    page.wait("Object.values(view.model.body.dispatches).some((one) => one.kernel === 'twice(int*)')")


def test_a_device_elsewhere_is_shown(beside, browser, elf):
    device = subprocess.Popen([WAVETRAP, "serve", *VORTEX, "--dm=:0", elf], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        address = re.search(r"is served at tcp:(\S+)", device.stderr.readline() + device.stderr.readline())[1]
        page = show(browser, beside("view", f"--dm=tcp:{address}", "--hold", elf))
        page.wait("view.model.frames[0].waves.length")
        pc = page.run("view.selectedRow().wave.pc")
        press(page, "Step into")
        page.wait(f"view.selectedRow().wave.pc !== {pc!r}")
    finally:
        device.kill()
        device.communicate(timeout=TIMEOUT)
