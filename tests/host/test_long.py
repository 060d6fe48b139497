"""Kernels that take long: Ctrl-C says where their waves are; --progress tells how far they are."""
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import time

import pytest

from conftest import MODEL, WAVETRAP, compiled, environment, wavetrap

pytestmark = pytest.mark.hip

SOURCE = (pathlib.Path(__file__).parent / "long.hip").read_text().splitlines()
LIMIT = 120  # seconds, for everything that is waited for


def line_of(text):
    return next(i for i, line in enumerate(SOURCE, 1) if text in line)


class Running:
    """The program, started, with its kernel running; killed at the end, come what may."""

    def __init__(self, *words, options=(), stderr=subprocess.PIPE, program=None, **more):
        self.process = subprocess.Popen([WAVETRAP, "exec", *options, program or compiled("long.hip"), *words], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=stderr, env={**environment(), **more}, start_new_session=True)

    def __enter__(self):
        assert self.process.stdout.readline() == b"running\n"
        return self

    def __exit__(self, *what):
        self.process.kill()
        self.process.wait()

    def end(self):
        out, err = self.process.communicate(b"go\n", timeout=LIMIT)
        assert (self.process.returncode, out) == (0, b"value 1\n")
        return err


def until(file, pattern):
    """What a descriptor gives until the pattern is in it."""
    text, end = b"", time.monotonic() + LIMIT
    while not re.search(pattern, text):
        left = end - time.monotonic()
        assert left > 0 and select.select([file], [], [], left)[0], f"no {pattern} in {text}"
        text += os.read(file, 4096)
    return text


def interrupted(*words):
    with Running(*words) as run:
        run.process.send_signal(signal.SIGINT)
        err = run.process.stderr.read()  # its input stays open: the program would end by itself
        assert run.process.wait(LIMIT) == -signal.SIGINT
        return err.decode()


def test_ctrl_c_says_where_the_waves_are():
    said = interrupted()
    assert re.match(rf"wavetrap: interrupted: {MODEL} \(node 1\), issue time \d+: 1 kernel runs\n"
                    r"  the kernel at 0x[0-9a-f]+ <waits\(int volatile\*, int\*, int\*\)> at .*: 0 of 64 work-groups have ended, 64 have begun\n", said), said
    places = re.findall(r"    device 0, dispatch \d+, group \(\d+,0,0\), core \d+, wave (\d+), lanes? (\S+?)(?:, and (\d+) more waves?)?\n"
                        r"      at 0x[0-9a-f]+ <waits[^>\n]*>(?: at [^:\n]*:(\d+))?(.*)\n", said)  # some instructions have no line
    assert len(places) + sum(int(more or 0) for *_, more, _, _ in places) == 128, said
    spin = line_of("while (!*end)")
    for wave, lanes, _, line, wait in places:
        if int(wave) % 2 == 0:  # the first of the two of its group
            assert lanes == "5" and (not line or spin - 1 <= int(line) <= spin + 1) and not wait
    # The barrier's line is one of HIP's headers.
    assert re.search(r"wave \d*[13579], lanes 0-63.*\n      at 0x[0-9a-f]+ <waits.*: s_barrier: 1 of 2 waves have arrived\n", said)


def test_ctrl_c_where_no_kernel_runs():
    assert re.fullmatch(rf"wavetrap: interrupted: {MODEL} \(node 1\), issue time \d+: no kernel runs\n", interrupted("idle"))


def test_a_programs_own_handler_stays():
    """Python's: it is there before the driver is, which leaves it alone."""
    script = ("import ctypes, os, signal\n"
              "hip = ctypes.CDLL('libamdhip64.so.5')\n"
              "assert hip.hipInit(0) == 0\n"
              "try:\n"
              "    os.kill(os.getpid(), signal.SIGINT)\n"
              "    signal.pause()\n"
              "except KeyboardInterrupt:\n"
              "    print('own handler')\n")
    done = subprocess.run([WAVETRAP, "exec", "python3", "-c", script], capture_output=True, text=True, env=environment(), timeout=LIMIT)
    assert (done.returncode, done.stdout, done.stderr) == (0, "own handler\n", "")


LINE = rb"wavetrap: waits\(int volatile\*, int\*, int\*\): 0 of 64 work-groups, [\d.]+( million)? issues a second"


def test_progress_where_it_is_forced():
    with Running(options=["--progress=always"]) as run:
        said = until(run.process.stderr.fileno(), LINE + rb"\n" + LINE + rb"\n")
        assert run.end() is not None
    assert re.fullmatch(rb"(" + LINE + rb"\n)+", said)


def test_progress_names_the_kernel_whatever_the_file_is_called(tmp_path):
    """A debug build has a source line behind the name."""
    source = tmp_path / "c++" / "long.hip"
    source.parent.mkdir()
    source.write_text("\n".join(SOURCE))
    program = tmp_path / "long"
    subprocess.run(["hipcc", "--offload-arch=gfx900", "-O2", "-g", "-o", program, source], check=True, capture_output=True)
    with Running(options=["--progress=always"], program=program) as run:
        said = until(run.process.stderr.fileno(), rb"\n")
        run.end()
    assert re.fullmatch(rb"(" + LINE + rb"\n)+", said)


def test_no_progress_without_a_terminal():
    """It has run for longer than one that shows its first line."""
    with Running(options=["--progress"]) as quiet, Running(options=["--progress=always"]) as run:
        until(run.process.stderr.fileno(), LINE + rb"\n")
        assert quiet.end() == b""
        run.end()


def test_when_progress_is_shown():
    done = wavetrap("exec", "--progress=sometimes", "echo", "it ran")
    assert (done.returncode, done.stdout) == (125, "") and "--progress is auto (on a terminal) or always" in done.stderr


def test_progress_on_a_terminal():
    ours, theirs = pty.openpty()
    with Running(options=["--progress"], stderr=theirs) as run:
        os.close(theirs)
        said = until(ours, rb"\r" + LINE + rb"\x1b\[K\r" + LINE + rb"\x1b\[K")
        assert b"\n" not in said
        run.end()
        until(ours, rb"\r\x1b\[K$")  # the line is gone in the end
    os.close(ours)
