"""A program that stands still with no kernel running: Ctrl-C, SIGTERM, the end of its time and the debugger say what waits, for what, and where that was appended."""
import re
import signal
import subprocess
from pathlib import Path

import pytest

from conftest import WAVETRAP, environment
from test_long import LIMIT

HERE = Path(__file__).parent
FLAGS = {"gen9-opencl": ("gcc", "standstill_opencl.c", ["-w", "-lOpenCL"]), "gen9-ze": ("gcc", "standstill_ze.c", ["-w", "-lze_loader"]),
         "gfx900": ("hipcc", "standstill.hip", ["--offload-arch=gfx900", "-w", "-lhsa-runtime64"])}


@pytest.fixture(scope="module", params=FLAGS)
def program(request, tmp_path_factory):
    """Its family, its file, and its source's lines that are marked."""
    compiler, source, flags = FLAGS[request.param]
    file = tmp_path_factory.mktemp("standstill") / request.param
    subprocess.run([compiler, "-g", "-O0", HERE / source, "-o", file, *flags], check=True, capture_output=True)
    lines = (HERE / source).read_text().split("\n")
    marked = {re.search(r"/[/*] (\w+)( \*/)?$", one)[1]: number for number, one in enumerate(lines, 1) if re.search(r"/[/*] (made|appended|waits)( \*/)?$", one)}
    return request.param, file, source, marked


def expected(name, source, line):
    """Regular expressions of what a report has."""
    call = {"gen9-opencl": ("clCreateUserEvent", "clEnqueueNDRangeKernel", "clFinish"), "gen9-ze": ("zeEventCreate", "zeCommandListAppendWaitOnEvents", "zeCommandQueueSynchronize")}
    if name == "gfx900":
        return [r"  queue \d+: 1 packet has not begun\n    the first one is a barrier, which waits for the signal at 0x[0-9a-f]+: its value is 1\n"]
    made, appended, waits = (rf"{one} at {source}:{line[mark]}" for one, mark in zip(call[name], ("made", "appended", "waits")))
    batch = [r"  a batch waits at MI_SEMAPHORE_WAIT: the dword at 0x[0-9a-f]+ is \d+, and is to be != \d+\n"] if name == "gen9-ze" else []
    return [*batch, rf"  event 0x[0-9a-f]+, made by {made}: nobody has signalled it\n    waits for it: {appended}\n(?!    waits)", rf"  thread \d+ waits in {waits} \(0x[0-9a-f]+\)\n"]


def report(program, end):
    """What exec says; the program is started again, and let wait longer, if it had not come to its wait."""
    name, file, source, line = program
    for patience in (0.5, 2, 8, 20):
        with subprocess.Popen([WAVETRAP, "exec", "-g", name.split("-")[0], file], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) as run:
            assert run.stdout.readline() == "submitted\n", run.stderr.read()
            try:
                run.wait(patience)
            except subprocess.TimeoutExpired:
                run.send_signal(end)
            text = run.stderr.read()
            status = run.wait(LIMIT)
        if "interrupted" in text and (name == "gfx900" or "thread" in text):
            break
    return text, status


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_signals(program, end):
    name, _, source, line = program
    text, status = report(program, end)
    assert re.search(r"^wavetrap: interrupted: .*: no kernel runs\n", text, re.M) and status in (-end, 128 + end), text
    for one in expected(name, source, line):
        assert re.search(one, text), text


def test_the_end_of_the_time(program):
    name, file, source, line = program
    for seconds in (5, 20, 60):
        run = subprocess.run([WAVETRAP, "exec", "-g", name.split("-")[0], f"--timeout={seconds}", file], text=True, capture_output=True, env=environment(), timeout=LIMIT)
        if run.stdout and all(re.search(one, run.stderr) for one in expected(name, source, line)):
            break
    for one in expected(name, source, line):
        assert re.search(one, run.stderr), run.stderr
    assert run.returncode == 124


def test_the_debugger(program):
    """At Ctrl-C, and by `info queues`."""
    name, file, source, line = program
    for patience in (4, 15, 40):
        with subprocess.Popen([WAVETRAP, "debug", "--nx", "-g", name.split("-")[0], "-ex", "run", "-ex", "echo asked\\n", "-ex", "info queues", "-ex", "kill", "-ex", "quit", file], text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment()) as run:
            try:
                run.wait(patience)
            except subprocess.TimeoutExpired:
                run.send_signal(signal.SIGINT)
            text = run.stdout.read()
        if all(len(re.findall(one, text)) == 2 for one in expected(name, source, line)):
            break
    stop, _, asked = text.partition("asked\n")
    assert "Program stopped; no kernel runs now.\n" in stop, text
    for one in expected(name, source, line):
        assert re.search(one, stop) and re.search(one, asked), text
