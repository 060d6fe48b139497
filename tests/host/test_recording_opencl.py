"""Time travel within the kernels of OpenCL programs, by the console. What a kernel had on its way forwards says what it must have on
its way back, and the program checks its results itself."""
import os
import re
import subprocess

import pytest

from conftest import WAVETRAP
from sanitizer import ROOT, environment
from test_console import MARK, are_all_told, ask, debug
from test_opencl_long import build
from test_recording import bounded_fixture, times # pylint: disable=unused-import

SOURCE = ROOT / "tests" / "host" / "opencl_recording.c"
TEXT = [line.split('"')[1].removesuffix("\\n") for line in SOURCE.read_text().splitlines() if re.match(r'^ +".*\\n";?$', line)]
RIGHT = "0 wrong\n[Program exited normally]\n"
GEN9 = ["-g", "gen9"]


def line_of(text):
    return next(i for i, line in enumerate(TEXT, 1) if text in line)


SCALED, FLIPPED, ANSWERED = line_of("out[i] = sum"), line_of("mine - other"), line_of("+= *flag")


def expected(i):
    """What `scale` stores for item i of the first group."""
    return sum((((i + k) % 64) ** 2 % 1009) * (k + 1) for k in range(8))


@pytest.fixture(name="recording", scope="module")
def recording_fixture(tmp_path_factory):
    return build(SOURCE, tmp_path_factory.mktemp("recording"))


def test_every_step_back_is_the_step_forwards(recording):
    """PC, channels, registers, local and global memory at each instruction of a thread; others may run between two of them."""
    look = ["print/x $pc", "print sum@*", "print k@*", "print/x $r20", "print/x $r60", "x/4xw $1", "print $2[0..7]", "print tile[0..7]", "info time"]
    start = [f"tbreak program-1.cl:{SCALED - 1} if i == 5", "run", "print in", "print out"]
    steps = 40
    said = ask([*start, *(c for _ in range(steps) for c in ["stepi", *look]), *(c for _ in range(steps - 1) for c in ["reverse-stepi", *look]),
                "delete", "continue", "continue"], recording, "sums", options=GEN9)
    each = 1 + len(look)
    part = [said[len(start) + k * each:len(start) + (k + 1) * each] for k in range(2 * steps - 1)]
    for k in range(steps - 1):
        values = [[re.sub(r"^\$\d+ = ", "", text) for text in these[1:-1]] for these in (part[steps - 2 - k], part[steps + k])]
        assert values[0] == values[1], k
    assert len({p[1] for p in part[:steps]}) > 20 and len({p[4] for p in part[:steps]} | {p[5] for p in part[:steps]}) > 2
    assert said[-1].endswith(RIGHT)


def test_back_to_the_write_of_a_watchpoint(recording):
    """A watchpoint that was set after the writes; who wrote; the breakpoint before; the result is right in the end."""
    said = ask([f"tbreak program-1.cl:{SCALED} if i == 70 && k == 7", "run", "info time", "print out[70]", "watch out[70]", "who-wrote out[70] 5",
                "reverse-continue", "info time", "print k", "reverse-continue", "print out[70]", "print i", "delete", "continue",
                "continue"], recording, "sums", options=GEN9)
    now, first, last = times(said[2])
    assert first < now == last
    writes = re.findall(rf"^time (\d+): device 0, dispatch 1, group \(1,0,0\), core \d+, thread \d+, channel 6, work-item \(\d+,0,0\) at \w+ <scale.*> at program-1\.cl:({SCALED})$", said[5], re.M)
    assert len(writes) == 5 and "There may be others before." in said[5], said[5]
    value = int(said[3].split(" = ")[1])
    assert f"Old value = {value}\n" in said[6] and "group (1,0,0)" in said[6] and "channel 6;" in said[6], said[6]
    assert times(said[7]) == (int(writes[0][0]), first, last) and said[8].endswith("= 6\n")
    before = int(re.search(r"New value = (-?\d+)", said[6])[1])
    assert f"Old value = {before}\n" in said[9] and said[11].endswith(" = 70\n")
    assert "The present has been reached again" in said[13] and said[14].endswith(RIGHT)


def test_local_memory_is_watched_in_the_past(recording):
    said = ask([f"tbreak program-1.cl:{SCALED} if i == 3", "run", "print tile[5]", "who-wrote tile[5]", "watch tile[5]", "reverse-continue",
                "print t", "delete", "continue", "continue"], recording, "sums", options=GEN9)
    assert said[2] == "$1 = 25\n" and re.search(r"^time \d+: .* channel 5, work-item .* at .* at program-1\.cl:6$", said[3], re.M), said[3]
    assert "Old value = 25\n" in said[5] and said[6] == "$2 = 5\n"
    assert said[-1].endswith(RIGHT)


def test_breakpoints_steps_and_conditions_backwards(recording):
    """Breakpoints with conditions hold backwards; steps go over lines; the beginning of the kernel is told."""
    said = ask([f"tbreak program-1.cl:{SCALED} if i == 70 && k == 6", "run", "print k", f"break program-1.cl:{SCALED} if i == 70 && k % 3 == 1",
                "reverse-continue", "print k", "reverse-continue", "print k", "reverse-next", "delete", "reverse-continue", "goto end", "print k",
                "continue"], recording, "sums", options=GEN9)
    assert said[2] == "$1 = 6\n" and said[5] == "$2 = 4\n" and said[7] == "$3 = 1\n"
    assert re.search(rf"^{SCALED - 1}\t", said[8], re.M), said[8]
    assert "No more reverse-execution history" in said[10]
    assert said[12] == "$4 = 6\n" and said[-1].endswith(RIGHT)


def test_a_live_watchpoint_and_the_way_back_from_it(recording):
    """A watchpoint of what runs now stops at the write; back before it and forwards again it is the same write."""
    said = ask([f"tbreak program-1.cl:{SCALED} if i == 6", "run", "print out", "watch $1[6]", "continue", "info time",
                "goto start", "continue", "info time", "goto end", "delete", "continue"], recording, "sums", options=GEN9)
    now, first, last = times(said[5])
    assert first < now == last and "channel 6;" in said[4] and "New value = 36\n" in said[4]
    assert "channel 6;" in said[7] and said[7].split("\n\n")[2] == said[4].split("\n\n")[2] and times(said[8]) == (now, first, last)
    assert said[-1].endswith(RIGHT)


def test_each_watchpoint_of_an_access_is_told(recording):
    are_all_told([f"tbreak program-1.cl:{SCALED} if i == 6", "run", "print &out[70]"], recording, "sums", options=GEN9)


def test_a_new_future(recording):
    """What is written in the past drops what came after; the program gets the result of the new run."""
    done = debug([f"tbreak program-1.cl:{FLIPPED} if i == 5", "run", "print mine", f"tbreak program-1.cl:{FLIPPED - 1}",
                  "reverse-continue", "set var mine = mine + 1000", "info time", "delete", "continue"], recording, "sums", options=GEN9)
    said = done.stdout.split(MARK + "\n")[1:-1]
    assert done.returncode == 1, done.stderr
    assert "A new future begins at issue time" in said[5] and times(said[6])[0] == times(said[6])[2]
    assert re.search(r"^[1-9]\d* wrong\n\[Program exited with code 01\]\n$", said[-1], re.M), said[-1]


def test_threads_of_the_host_meanwhile(recording):
    """Work-items count in memory of the host where a thread counts, too, and wait for the thread: nothing is lost, forwards and after
    travel."""
    said = ask([f"break program-1.cl:{ANSWERED}", "run", "info time", "reverse-stepi", "goto start", "goto end", "delete", "continue"],
               recording, "talk", options=GEN9)
    assert said[-1].endswith("0 wrong, counted 256\n[Program exited normally]\n")


def test_a_recording_begins_with_each_kernel(recording):
    """The second kernel's recording begins where the first one has ended."""
    said = ask([f"tbreak program-1.cl:{SCALED}", "run", "info time", "tbreak flip", "continue", "info time", "reverse-continue", "info time",
                "continue", "continue"], recording, "sums", options=GEN9)
    scale, flip = times(said[2]), times(said[5])
    assert scale[1] < scale[0] < flip[1] < flip[0] and times(said[7])[0] == flip[1]
    assert "No more reverse-execution history" in said[6] and said[-1].endswith(RIGHT)


def test_the_debugger_goes_in_the_past(recording, bounded): # pylint: disable=unused-argument
    """The program that is let go continues from the present; one whose debugger is killed ends, too, and waits for nobody."""
    start = [f"tbreak program-1.cl:{SCALED} if i == 70 && k == 6", "run", "goto start"]
    done = debug([*start, "detach"], recording, "sums", options=GEN9)
    assert done.returncode == 0 and "Detach" in done.stdout, done.stdout + done.stderr
    folder = os.environ.get("WAVETRAP_SOCKETS")
    with subprocess.Popen([WAVETRAP, "debug", "--nx", *GEN9, recording, "sums"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          env=dict(environment(), **({"WAVETRAP_SOCKETS": folder} if folder else {}))) as process:
        process.stdin.write("\n".join(start) + "\n")
        process.stdin.flush()
        while not (line := process.stdout.readline()).startswith("Issue time"):
            assert line, "the debugger has ended"
        process.kill()
        process.stdout.read() # until the program has ended: the debugger had started it, and is gone


@pytest.mark.parametrize("words", [("sums",), ("sums", "free")])
def test_memory_is_looked_at_after_the_end(recording, words):
    """It is what the last kernel has left, whether the program has freed it or not, without the breakpoints in code."""
    said = ask([f"break program-1.cl:{SCALED}", "tbreak flip", "run", "print in", "print out", "disable 1", "continue", "enable 1", "continue", "print $1[3..5]",
                "print $2[0..1]", "x/2dw $2", "disassemble scale", "run", "print i", "kill"], recording, *words, options=GEN9)
    assert said[8].endswith(RIGHT) and said[9] == "$3 = {9, 16, 25}\n", said
    results = re.match(r"\$4 = \{(-?\d+), (-?\d+)\}$", said[10])
    assert int(results[1]) == -int(results[2]) == expected(0) - expected(1) and said[11].endswith(f":\t{results[1]}\t{results[2]}\n")
    assert "> <scale+16>:" not in said[12] and said[12].count("(8|M0)") > 20 and "reakpoint" not in said[12], said[12]
    assert "Breakpoint 1, scale (" in said[13]


def test_a_line_has_no_place_in_a_module_without_code_for_it(recording):
    """Each kernel is a module. That of `flip` has no code for the line, and its next line with code is not one of it."""
    said = ask([f"break program-1.cl:{SCALED}", "tbreak flip", "run", "disable 1", "continue", "info breakpoints", "kill"], recording, "sums", options=GEN9)
    assert "flip (" in said[4] and re.search(rf"^1 +breakpoint +keep n +0x\w+ in scale at program-1\.cl:{SCALED}$", said[5], re.M), said


def test_memory_of_a_program_that_was_killed_is_gone(recording):
    done = debug(["break flip", "run", "print out", "kill", "x/2dw $1"], recording, "sums", options=GEN9)
    assert done.returncode == 1 and "Cannot access memory at address 0x" in done.stderr, done.stderr


def test_where_there_is_no_way_back(recording):
    done = debug(["tbreak scale", "run", "reverse-stepi"], recording, "sums", options=[*GEN9, "--no-history"])
    assert done.returncode == 1 and "--no-history was given" in done.stderr, done.stderr + done.stdout


def test_what_a_sum_is_made_of(recording):
    """Work-item 5 has added eight cells of the input, which work-items 5 to 12 had put into the group's memory."""
    said = ask([f"tbreak program-1.cl:{SCALED} if i == 5 && k == 7", "run", "print/x (long) in", "where-from --depth=1000 --steps=1000 sum",
                "delete", "continue"], recording, "sums", options=GEN9)
    first = int(re.search(r"= (0x[0-9a-f]+)", said[2])[1], 16) + 4*5
    assert f"memory: 32 bytes at {first:#x}, which no instruction of the recorded run wrote before" in said[3], said[3]
    assert "There are other" not in said[3] and "[0] time " in said[3], said[3]
    assert said[3].count("[0] time") == 1 and said[-1].endswith(RIGHT), said[3]
