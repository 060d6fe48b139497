"""Time travel within the kernels of a HIP program, by the console. What a kernel had on its way forwards says what it must have on
its way back, and the program checks its results itself."""
import os
import re
import signal
import subprocess

import pytest

from conftest import WAVETRAP, compiled
from sanitizer import ROOT, environment
from test_console import MARK, ask, debug

pytestmark = pytest.mark.hip

SOURCE = ROOT / "tests" / "host" / "recording.hip"
RIGHT = "0 wrong\n[Program exited normally]\n"


def line_of(mark):
    return next(i for i, line in enumerate(SOURCE.read_text().splitlines(), 1) if f"/* {mark} */" in line)


def recording(level="-O0"):
    return compiled("recording.hip", level, name=f"recording{level}")


@pytest.fixture(params=["-O0", "-O2"])
def program(request):
    return recording(request.param)


def times(text):
    now, first, last = re.match(r"Issue time (\d+)(?:, in the past)?; recorded from (\d+) to (\d+)\.", text).groups()
    return int(now), int(first), int(last)


def test_every_step_back_is_the_step_forwards(program):
    """PC, mask, VGPRs, LDS and memory at each instruction."""
    look = ["print/x $pc", "print/x $exec", "print/x $v0@*", "print/x $v3@*", "print $vcc", "print $_time", "info time"]
    start = [f"tbreak {SOURCE.name}:{line_of('scaled') - 1}", "run"]
    if program.name.endswith("-O0"): # else the pointers are optimised out
        start += ["print in", "print out"]
        look[5:5] = ["x/4xw $1", "print $2[0..63]"]
    steps = 60 if program.name.endswith("-O0") else 30
    said = ask([*start, *(c for _ in range(steps) for c in ["stepi", *look]), *(c for _ in range(steps - 1) for c in ["reverse-stepi", *look]),
                "delete", "continue", "continue"], program, "sums")
    each = 1 + len(look)
    first = len(start)
    part = [said[first + k * each:first + (k + 1) * each] for k in range(2 * steps - 1)]
    for k in range(steps - 1):
        forwards, back = part[steps - 2 - k], part[steps + k]
        values = [[re.sub(r"^\$\d+ = ", "", text) for text in these[1:-2]] for these in (forwards, back)]
        assert values[0] == values[1], k
    for these in part: # `$_time` is what `info time` says
        assert re.search(r"= (\d+)", these[-2])[1] == str(times(these[-1])[0]), these
    assert len({p[1] for p in part[:steps]}) > 20 and said[-1].endswith(RIGHT)


def test_back_to_the_write_of_a_watchpoint():
    """A watchpoint that was set after the writes; who wrote; the breakpoint before; the result is right in the end."""
    scaled = line_of("scaled")
    said = ask([f"tbreak {SOURCE.name}:{scaled + 2} if blockIdx.x == 1", "run", "info time", "print out[70]", "watch out[70]", "who-wrote out[70] 5",
                "reverse-continue", "info time", "print k@6", "reverse-continue", "print out[70]", "print threadIdx.x", "delete", "continue",
                "continue"], recording(), "sums")
    now, first, last = times(said[2])
    assert first < now == last
    writes = re.findall(r"^time (\d+): device 0, dispatch \d+, group \(1,0,0\), core 1, wave \d+, lane 6, work-item \(6,0,0\) at .*recording\.hip:(\d+)$", said[5], re.M)
    assert len(writes) == 5 and "There may be others before." in said[5] and all(int(line) == scaled for _, line in writes)
    value = int(said[3].split(" = ")[1])
    assert f"Old value = {value}\n" in said[6] and "group (1,0,0)" in said[6] and "lane 6;" in said[6]
    assert times(said[7]) == (int(writes[0][0]), first, last) and said[8].endswith("= 7\n")
    before = int(re.search(r"New value = (\d+)", said[6])[1])
    assert f"Old value = {before}\n" in said[9] and said[11].endswith(" = 6\n")
    assert "The present has been reached again" in said[13] and said[14].endswith(RIGHT)


def test_the_old_value_after_goto_is_that_of_the_time():
    """Forwards from the beginning, where another value was seen last."""
    said = ask([f"tbreak {SOURCE.name}:{line_of('scaled') + 2} if blockIdx.x == 1", "run", "print out[70]", "watch out[70]", "goto start", "continue", "continue",
                "goto end", "delete", "continue"], recording(), "sums")
    first = re.search(r"Old value = (-?\d+)\nNew value = (-?\d+)\n", said[5])
    assert first and first[1] == "0", said[5]
    assert f"Old value = {first[2]}\n" in said[6], said[6]


def test_conditions_of_watchpoints_in_the_past():
    """They are evaluated behind the write, as on the way forwards."""
    scaled = line_of("scaled")
    said = ask([f"tbreak {SOURCE.name}:{scaled} if i == 70 && k == 6", "run", "watch out[70] if i == 70 && k % 3 == 1", "reverse-continue", "print k@6",
                "print out[70]", "reverse-continue", "print k@6", "print out[70]", "continue", "print out[70]", "delete", "continue", "continue"],
               recording(), "sums")
    assert said[4] == "$1 = 4\n" and said[7] == "$3 = 1\n"
    changes = [re.search(r"Old value = (-?\d+)\nNew value = (-?\d+)", said[n]).groups() for n in (3, 6, 9)]
    assert changes[2] == changes[1][::-1], changes
    assert [said[n].split(" = ")[1] for n in (5, 8, 10)] == [change[1] + "\n" for change in changes]
    assert said[-1].endswith(RIGHT)


def test_lds_is_watched_in_the_past():
    """The debug hardware watches no LDS, the recording does."""
    said = ask([f"tbreak {SOURCE.name}:{line_of('scaled')}", "run", "print tile[5]", "who-wrote tile[5]", "watch tile[5]", "reverse-continue",
                "print tile[5]", "print threadIdx.x", "delete", "continue", "continue"], recording(), "sums")
    assert said[2] == "$1 = 25\n" and re.search(r"^time \d+: .* lanes? (5|0-63)[ ,]", said[3], re.M)
    assert "Old value = 25\nNew value = 0\n" in said[5] and said[6] == "$2 = 0\n" and said[7] == "$3 = 5\n"
    assert said[-1].endswith(RIGHT)


def test_breakpoints_steps_and_conditions_backwards():
    """Breakpoints with conditions hold backwards; steps go over lines; the beginning of the kernel is told."""
    first, scaled = line_of("first line of scale"), line_of("scaled")
    said = ask([f"tbreak {SOURCE.name}:{scaled} if i == 70 && k == 6", "run", "print k", f"break {SOURCE.name}:{scaled} if i == 70 && k % 3 == 1",
                "reverse-continue", "print k", "reverse-continue", "print k", "reverse-next", "delete", f"break {SOURCE.name}:{first} if i == i",
                "reverse-continue", "delete", "reverse-continue", "goto end", "print k", "continue"], recording(), "sums")
    assert said[2] == "$1 = 6\n" and said[5] == "$2 = 4\n" and said[7] == "$3 = 1\n"
    assert re.search(rf"^{scaled - 1}\t", said[8], re.M)
    assert f"recording.hip:{first}\n" in said[11] and "No more reverse-execution history" in said[13]
    assert said[15] == "$4 = 6\n" and said[-1].endswith(RIGHT)


def test_a_new_future():
    """What is written in the past drops what came after; the program gets the result of the new run."""
    done = debug([f"tbreak {SOURCE.name}:{line_of('flipped')} if i == 69", "run", "print mine", "print other", f"tbreak {SOURCE.name}:{line_of('flipped') - 1}",
                "reverse-continue", "set var mine@5 = mine@5 + 1000", "info time", "delete", "continue"], recording(), "sums")
    said = done.stdout.split(MARK + "\n")[1:-1]
    assert done.returncode == 1, done.stderr
    assert "A new future begins at issue time" in said[6] and times(said[7])[0] == times(said[7])[2]
    assert said[-1].endswith(" wrong\n[Program exited with code 01]\n") and not said[-1].endswith("0 wrong\n[Program exited with code 01]\n")


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_threads_of_the_host_meanwhile(level):
    """Waves print, count in host memory where a thread counts, too, and wait for the thread: nothing is lost, forwards and after travel."""
    said = ask([f"break {SOURCE.name}:{line_of('answered')}", "run", "info time", "reverse-stepi", "goto start", "goto end", "delete", "continue"],
               recording(level), "talk")
    lines = [f"group {g} lane {k} says {3 * (64 * g + k)}\n" for g in range(4) for k in range(2)]
    everything = "".join(said)
    assert all(everything.count(line) == 1 for line in lines), everything
    assert said[-1].endswith("0 wrong, counted 256\n[Program exited normally]\n")


def test_kernels_and_copies_beside_each_other():
    """A recording reaches from the latest beginning or end of a kernel; results are right."""
    said = ask([f"break {SOURCE.name}:{line_of('churned')}", "run", *["info time", "reverse-stepi", "reverse-next", "goto start", "continue",
                                                                        "continue"] * 6, "delete", "continue"], recording("-O2"), "streams")
    assert said[-1].endswith(RIGHT)


@pytest.fixture(name="bounded")
def bounded_fixture():
    """A test that waits for output fails after three minutes."""
    def late(*_):
        raise TimeoutError("the program has written nothing for three minutes")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(180)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def test_the_debugger_goes_in_the_past(bounded): # pylint: disable=unused-argument
    """The program that is let go continues from the present; one whose debugger is killed ends, too, and waits for nobody."""
    start = [f"tbreak {SOURCE.name}:{line_of('scaled') + 2}", "run", "goto start"]
    done = debug([*start, "detach"], recording(), "sums")
    assert done.returncode == 0 and "Detach" in done.stdout, done.stdout + done.stderr
    folder = os.environ.get("WAVETRAP_SOCKETS")
    with subprocess.Popen([WAVETRAP, "debug", "--nx", recording(), "sums"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          env=dict(environment(), **({"WAVETRAP_SOCKETS": folder} if folder else {}))) as process:
        process.stdin.write("\n".join(start) + "\n")
        process.stdin.flush()
        while not (line := process.stdout.readline()).startswith("Issue time"):
            assert line, "the debugger has ended"
        process.kill()
        process.stdout.read() # until the program has ended: the debugger had started it, and is gone


@pytest.mark.parametrize("options, words, commands, message", [
    (["--no-history"], ["sums"], ["break kernel flip", "run", "reverse-stepi"], "--no-history was given"),
    (["--hw-only"], ["sums"], ["break kernel flip", "run", "who-wrote out[0]"], "the run is not recorded"),
    (["-g", "gfx900", "-g", "gfx900"], ["sums"], ["break kernel flip", "run", "reverse-next"], "several GPUs"),
])
def test_where_there_is_no_way_back(options, words, commands, message):
    done = debug(commands, recording(), *words, options=options)
    assert done.returncode == 1 and message in done.stderr, done.stderr + done.stdout
    assert MARK in done.stdout


def test_kernels_that_run_when_a_debugger_comes_are_recorded():
    """The GPU is never idle from the debugger's coming on: 64 blocks wait for the host."""
    waits = subprocess.Popen([WAVETRAP, "exec", compiled("long.hip")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment())
    try:
        assert waits.stdout.readline() == "running\n"
        commands = ["info time", "print $pc", "stepi", "print $pc", "stepi", "info time", "reverse-stepi", "print $pc", "reverse-stepi", "print $pc",
                    "info time", "detach"]
        said = subprocess.run([WAVETRAP, "debug", "--nx", f"--pid={waits.pid}", *(word for c in commands for word in ("-ex", c))],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment(), timeout=120)
        times = [tuple(map(int, t)) for t in re.findall(r"^Issue time (\d+)(?:, in the past)?; recorded from (\d+) to (\d+)\.", said.stdout, re.M)]
        soon = "nothing is recorded yet: a recording begins when the waves run on"
        first = re.search(rf"^No time travel yet: {soon}\.\nIssue time (\d+); {soon}\.", said.stdout, re.M)
        if first:   # else it has begun before the GPU was halted
            times.insert(0, (int(first[1]),) * 3)
        assert len(times) == 3 and ("No time travel yet" in said.stdout) == bool(first), said.stdout + said.stderr
        assert times[0][0] < times[1][0] and times[2][0] < times[1][0] and times[1][1:] == times[2][1:]
        pcs = re.findall(r"^\$\d+ = .*?(0x[0-9a-f]+)", said.stdout, re.M)
        assert len(pcs) == 4 and pcs[0] == pcs[3] and pcs[1] == pcs[2] != pcs[0]
        assert waits.communicate("\n", timeout=60)[0] == "value 1\n" and waits.returncode == 0
    finally:
        waits.kill()
        waits.communicate()


def test_lds_is_watched_forwards():
    """Each access of the watched element in its own group, and no other group's: the write of lane 5, then reads of lanes whose k reaches it."""
    first = SOURCE.read_text().splitlines().index("    tile[threadIdx.x] = in[i];") + 1
    said = ask([f"tbreak {SOURCE.name}:{first} if blockIdx.x == 3 && threadIdx.x == 9", "run", "watch tile[5]", "print in[192 + 5]", "continue", "delete",
                "rwatch tile[5]", *["continue", "print k"] * 3, "delete", "continue"], recording(), "sums")
    value = re.search(r" = (-?\d+)", said[3])[1]
    assert f"Old value = 0\nNew value = {value}\n" in said[4] and "group (3,0,0)" in said[4] and "lane 5;" in said[4], said[4]
    for n, text in enumerate(said[7:13:2]):
        # Lane 5 - k reads it in its k-th turn, and a wave of 64 lanes has one that does so.
        assert f"Value = {value}\n" in text and "group (3,0,0)" in text and f"lane {(5 - n) % 64};" in text, (n, text)
        assert f" = {n}" in said[8 + 2 * n]
    assert said[-1].endswith(RIGHT)


def test_what_a_sum_is_made_of():
    """Work-item 5 has added eight cells of the input, which work-items 5 to 12 had put into the group's memory."""
    said = ask([f"tbreak {SOURCE.name}:{line_of('scaled')} if i == 5 && k == 7", "run", "print/x (long) in", "where-from --depth=1000 --steps=1000 sum",
                "delete", "continue"], recording(), "sums")
    first = int(re.search(r"= (0x[0-9a-f]+)", said[2])[1], 16) + 4*5
    assert f"memory: 32 bytes at {first:#x}, which no instruction of the recorded run wrote before" in said[3], said[3]
    assert "There are other" not in said[3] and "[0] time " in said[3], said[3]
    assert said[3].count("[0] time") == 1 and said[-1].endswith(RIGHT), said[3]
