"""`wavetrap gdb`: one command from program to prompt."""
import os
import re
import subprocess

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


def test_it_leaves_nothing_behind(program, tmp_path):
    done = subprocess.run([WAVETRAP, "gdb", program("lanes"), "--", "-nx", "-batch", "-ex", "info threads"],
                          capture_output=True, text=True, timeout=TIMEOUT,
                          env={**os.environ, "TMPDIR": str(tmp_path)})
    assert done.returncode == 0
    assert "core 0 warp 0 thread 0" in done.stdout
    assert list(tmp_path.iterdir()) == []


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
