"""`wavetrap gdb`: one command from program to prompt."""
import os
import re
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from conftest import FEW, PROMPT, TIMEOUT, WAVETRAP, Gdb, Variant, each


def settings():
    return Gdb.SETTINGS


@each(FEW)
def test_it_starts_at_the_first_instruction(gdb, program, variant):
    file = program("lanes", variant.xlen)
    one = gdb(argv=[WAVETRAP, "gdb", *variant.options, file, "--", *settings()])
    assert "_start" in one.start
    assert one.value("$pc", "/x") == "0x80000000"
    one("break *count")
    assert "hit Breakpoint 1" in one("continue")
    assert "hit Breakpoint 1" in one("run")
    one("delete")
    assert "exited with code 052" in one("continue")
    assert one.close() == 0


def test_it_starts_with_what_helps(gdb, program):
    """No licence, no line for each thread that comes, but one that names what is there."""
    file = program("lanes")
    bare = [word for word in settings() if word != "-q"]
    one = gdb(argv=[WAVETRAP, "gdb", file, "--", *bare])
    assert "warranty" not in one.start.lower() and "GNU gdb" not in one.start
    assert "For GPUs: info warps" in one.start and "'help wavetrap'" in one.start
    assert "info divergence" in one("help wavetrap")
    one("break *count")
    said = one("continue")
    assert "hit Breakpoint 1" in said and "New Thread" not in said
    plain = gdb(argv=[WAVETRAP, "gdb", "--plain", file, "--", *bare])
    assert "For GPUs" not in plain.start and "_start" in plain.start


@pytest.mark.parametrize("asked", ["info registers vx_active_threads", "info registers", "info registers $vx_active_threads pc",
                                   "info all-registers vx_active_threads"])
def test_registers_with_long_names_are_the_first_thing_printed(program, asked):
    """GDB 13's printer for RISC-V fails on them unless it has printed other registers before."""
    done = subprocess.run([WAVETRAP, "gdb", program("lanes"), "--", "-nx", "-q", "-batch", "-ex", asked],
                          capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0 and "internal problem" not in done.stdout + done.stderr
    space = " ?" if "all" in asked else " "     # none in GDB 13, which pads it to less than its length
    assert re.search(rf"^vx_active_threads{space}0x1\t1$", done.stdout, re.M), done.stdout + done.stderr


def test_ctrl_c_reaches_gdb_and_the_program(gdb, program):
    one = gdb(argv=[WAVETRAP, "gdb", program("endless"), "--", *settings()])
    one("stepi 6")
    for _ in range(3):
        one.later("continue")
        one.child.expect_exact("Continuing.")
        one.interrupt()
        assert "SIGINT" in one.answer()
    # At the prompt it interrupts nothing, and ends nothing.
    one.interrupt()
    one.answer()
    assert "loop" in one.value("$pc", "/a")
    assert one.close() == 0


def test_the_status_is_gdbs(program):
    done = subprocess.run([WAVETRAP, "gdb", program("lanes"), "--", "-nx", "-batch", "-ex", "quit 7"],
                          capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 7
    done = subprocess.run([WAVETRAP, "gdb", "--gdb", "/nonexistent/gdb", program("lanes")],
                          capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 125
    assert "/nonexistent/gdb" in done.stderr


@pytest.fixture
def short():
    """A folder whose name is short enough for the command's own folder, for sockets have short names."""
    folder = Path(tempfile.mkdtemp())
    yield folder
    folder.rmdir()


def test_it_leaves_nothing_behind(program, short):
    done = subprocess.run([WAVETRAP, "gdb", program("lanes"), "--", "-nx", "-batch", "-ex", "info threads"],
                          capture_output=True, text=True, timeout=TIMEOUT,
                          env={**os.environ, "TMPDIR": str(short)})
    assert done.returncode == 0
    assert "device 0, core 0, warp 0, thread 0" in done.stdout
    assert list(short.iterdir()) == []


def test_it_leaves_nothing_behind_when_it_is_killed(program, short):
    """Its folder goes, although it can do nothing about that any more; and nobody holds its output open."""
    one = subprocess.Popen([WAVETRAP, "gdb", program("endless"), "--", "-nx", "-batch", "-ex", "continue"], stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, "TMPDIR": str(short)},
                           start_new_session=True)
    until(lambda: any(folder.joinpath("gdb").exists() for folder in short.iterdir()))
    os.kill(one.pid, signal.SIGKILL)
    until(lambda: not list(short.iterdir()))
    one.communicate(timeout=TIMEOUT)
    assert one.returncode == -signal.SIGKILL


def until(condition):
    end = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_when_it_is_ended_gdb_ends(gdb, program):
    """No GDB is left without its server."""
    import signal
    one = gdb(argv=[WAVETRAP, "gdb", program("endless"), "--", *settings()])
    children = open(f"/proc/{one.child.pid}/task/{one.child.pid}/children").read().split()
    assert len(children) == 1
    os.kill(one.child.pid, signal.SIGTERM)
    one.child.wait()
    assert not os.path.exists(f"/proc/{children[0]}")
    assert one.child.exitstatus == 128 + signal.SIGTERM


def test_the_programs_console_is_shown_by_gdb(gdb, example):
    one = gdb(argv=[WAVETRAP, "gdb", example("vecadd"), "--", *settings()])
    said = one("continue")
    assert re.search(r"vecadd: 1000 elements.*\n.*exited normally", said, re.S)


def test_a_bad_program_is_refused(tmp_path):
    bad = tmp_path / "bad.elf"
    bad.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(30))
    for command in ("gdb", "serve"):
        done = subprocess.run([WAVETRAP, command, bad], capture_output=True, text=True, timeout=TIMEOUT)
        assert done.returncode == 125
        assert "bad.elf" in done.stderr


@pytest.mark.parametrize("xlen", [32, 64])
def test_the_first_function_of_an_example_is_known(example, xlen):
    """The start-up code lies before it; what debug information says of that ends where it ends."""
    done = subprocess.run([WAVETRAP, "gdb", example("hello", xlen), "--", "-nx", "-batch", "-ex", "break greet", "-ex", "continue",
                           "-ex", "backtrace 1", "-ex", "info symbol $pc", "-ex", "info source"],
                          capture_output=True, text=True, timeout=TIMEOUT)
    first = subprocess.run(["riscv64-unknown-elf-nm", "-n", example("hello", xlen)], capture_output=True, text=True, check=True).stdout
    names = [line.split()[2] for line in first.splitlines() if line.split()[1] in "tT"]
    assert names[names.index("vx_thread_setup") + 1] == "greet"
    assert re.search(r"#0  greet \(p=.*\) at \S*hello\.c:\d+", done.stdout), done.stdout
    assert re.search(r"Current source file is \S*hello\.c", done.stdout), done.stdout
