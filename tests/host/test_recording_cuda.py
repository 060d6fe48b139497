"""Time travel within the kernels of CUDA programs, by the console. What a kernel had on its way forwards says what it must have on
its way back, and the program checks its results itself."""
import os
import re
import shutil
import subprocess

import pytest

from conftest import WAVETRAP
from releases import CC
from sanitizer import ROOT, environment
from test_console import MARK, are_all_told, ask, debug
from test_cuda import compiled as compiled_c
from test_cuda_cpp import compiled
from test_recording import bounded_fixture, times # pylint: disable=unused-import

SOURCE = ROOT / "tests" / "host" / "recording.cu"
RIGHT = "0 wrong\n[Program exited normally]\n"
SM = ["-g", "sm"]


def line_of(mark):
    return next(i for i, line in enumerate(SOURCE.read_text().splitlines(), 1) if f"/* {mark} */" in line)


def expected(i):
    """What `scale` stores for thread i of the first block."""
    return sum((((i + k) % 64) ** 2 % 1009) * (k + 1) for k in range(8))


@pytest.fixture(name="recording", scope="module")
def recording_fixture(tmp_path_factory):
    if not shutil.which("clang-19"):
        pytest.skip("clang-19 is not installed")
    return compiled(tmp_path_factory.mktemp("recording"), SOURCE, "-O0", "-g", "--cuda-gpu-arch=sm_50")


def test_every_step_back_is_the_step_forwards(recording):
    """PC, lanes, registers, shared, local and global memory at each instruction of a warp; others may run between two of them."""
    look = ["print/x $pc", "print sum@*", "print k@*", "x/4xw $1", "print $2[0..31]", "print tile", "info registers $active", "info time"]
    start = [f"tbreak {SOURCE.name}:{line_of('scaled') - 1} if i == 5", "run", "print in", "print out"]
    steps = 40
    said = ask([*start, *(c for _ in range(steps) for c in ["stepi", *look]), *(c for _ in range(steps - 1) for c in ["reverse-stepi", *look]),
                "delete", "continue", "continue"], recording, "sums", options=SM)
    each = 1 + len(look)
    part = [said[len(start) + k * each:len(start) + (k + 1) * each] for k in range(2 * steps - 1)]
    for k in range(steps - 1):
        values = [[re.sub(r"^\$\d+ = ", "", text) for text in these[1:-1]] for these in (part[steps - 2 - k], part[steps + k])]
        assert values[0] == values[1], k
    assert len({p[1] for p in part[:steps]}) > 20 and len({p[2] for p in part[:steps]}) > 1 and said[-1].endswith(RIGHT)


def test_back_to_the_write_of_a_watchpoint(recording):
    """A watchpoint that was set after the writes; who wrote; the breakpoint before; the result is right in the end."""
    scaled = line_of("scaled")
    said = ask([f"tbreak {SOURCE.name}:{scaled + 2} if blockIdx.x == 1", "run", "info time", "print out[70]", "watch out[70]", "who-wrote out[70] 5",
                "reverse-continue", "info time", "print k@6", "reverse-continue", "print out[70]", "print threadIdx.x", "delete", "continue",
                "continue"], recording, "sums", options=SM)
    now, first, last = times(said[2])
    assert first < now == last
    writes = re.findall(r"^time (\d+): device 0, dispatch \d+, group \(1,0,0\), core 0, warp 2, lane 6, work-item \(6,0,0\) at \w+ <.*> at recording\.cu:(\d+)$", said[5], re.M)
    assert len(writes) == 5 and "There may be others before." in said[5] and all(int(line) == scaled for _, line in writes)
    value = int(said[3].split(" = ")[1])
    assert f"Old value = {value}\n" in said[6] and "group (1,0,0)" in said[6] and "lane 6;" in said[6]
    assert times(said[7]) == (int(writes[0][0]), first, last) and said[8].endswith("= 7\n")
    before = int(re.search(r"New value = (\d+)", said[6])[1])
    assert f"Old value = {before}\n" in said[9] and said[11].endswith(" = 6\n")
    assert "The present has been reached again" in said[13] and said[14].endswith(RIGHT)


def test_shared_memory_is_watched_in_the_past(recording):
    said = ask([f"tbreak {SOURCE.name}:{line_of('scaled')}", "run", "print tile[5]", "who-wrote tile[5]", "watch tile[5]", "reverse-continue",
                "print tile[5]", "print threadIdx.x", "delete", "continue", "continue"], recording, "sums", options=SM)
    assert said[2] == "$1 = 25\n" and re.search(r"^time \d+: .* lanes? (5|0-31)[ ,]", said[3], re.M)
    assert "Old value = 25\nNew value = 0\n" in said[5] and said[6] == "$2 = 0\n" and said[7] == "$3 = 5\n"
    assert said[-1].endswith(RIGHT)


def test_breakpoints_steps_and_conditions_backwards(recording):
    """Breakpoints with conditions hold backwards; steps go over lines; the beginning of the kernel is told."""
    first, scaled = line_of("first line of scale"), line_of("scaled")
    said = ask([f"tbreak {SOURCE.name}:{scaled} if i == 70 && k == 6", "run", "print k", f"break {SOURCE.name}:{scaled} if i == 70 && k % 3 == 1",
                "reverse-continue", "print k", "reverse-continue", "print k", "reverse-next", "delete", 
                f"tbreak {SOURCE.name}:{first} if blockIdx.x == 1 && threadIdx.x == 6", "reverse-continue", "delete", "reverse-continue", "goto end", "print k", "continue"], recording, "sums", options=SM)
    assert said[2] == "$1 = 6\n" and said[5] == "$2 = 4\n" and said[7] == "$3 = 1\n"
    assert re.search(rf"^{scaled - 1}\t", said[8], re.M), said[8]
    assert f"recording.cu:{first}\n" in said[11] and "No more reverse-execution history" in said[13]
    assert said[15] == "$4 = 6\n" and said[-1].endswith(RIGHT)


def test_a_live_watchpoint_and_the_way_back_from_it(recording):
    """A watchpoint of what runs now stops at the write; back before it and forwards again it is the same write."""
    said = ask([f"tbreak {SOURCE.name}:{line_of('first line of scale')}", "run", "print out", "watch $1[6]", "continue", "info time",
                "goto start", "continue", "info time", "goto end", "delete", "continue"], recording, "sums", options=SM)
    now, first, last = times(said[5])
    assert first < now == last and "lane 6;" in said[4] and "Old value = 0\nNew value = 36\n" in said[4]
    assert "lane 6;" in said[7] and "Old value = 0\nNew value = 36\n" in said[7] and times(said[8]) == (now, first, last)
    assert said[-1].endswith(RIGHT)


def test_each_watchpoint_of_an_access_is_told(recording):
    are_all_told([f"tbreak {SOURCE.name}:{line_of('first line of scale')}", "run", "print &out[70]"], recording, "sums", options=SM)


def test_a_new_future(recording):
    """What is written in the past drops what came after; the program gets the result of the new run."""
    done = debug([f"tbreak {SOURCE.name}:{line_of('flipped')}", "run", "print mine@5", f"tbreak {SOURCE.name}:{line_of('flipped') - 1}",
                  "reverse-continue", "set var mine@5 = mine@5 + 1000", "info time", "delete", "continue"], recording, "sums", options=SM)
    said = done.stdout.split(MARK + "\n")[1:-1]
    assert done.returncode == 1, done.stderr
    assert "A new future begins at issue time" in said[5] and times(said[6])[0] == times(said[6])[2]
    assert re.search(r"^[1-9]\d* wrong\n\[Program exited with code 01\]\n$", said[-1], re.M), said[-1]


def test_threads_of_the_host_meanwhile(recording):
    """Kernels print, count in managed memory where a thread counts, too, and wait for the thread: nothing is lost, forwards and after
    travel."""
    said = ask([f"break {SOURCE.name}:{line_of('answered')}", "run", "info time", "reverse-stepi", "goto start", "goto end", "delete", "continue"],
               recording, "talk", options=SM)
    lines = [f"group {g} lane {k} says {3 * (64 * g + k)}\n" for g in range(4) for k in range(2)]
    everything = "".join(said)
    assert all(everything.count(line) == 1 for line in lines), everything
    assert said[-1].endswith("0 wrong, counted 256\n[Program exited normally]\n")


REDUCTION = """#include <cuda_runtime.h>
#include <cstdio>
__global__ void red(const int *in, int *out)
{
    __shared__ int part[64];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    part[t] = in[i];
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s)
            part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}
int main()
{
    int *in, *out, wrong = 0;
    cudaMallocManaged(&in, 8 * 64 * 4); cudaMallocManaged(&out, 8 * 4);
    for (int i = 0; i < 8 * 64; i++) in[i] = i;
    red<<<8, 64>>>(in, out);
    int r = cudaDeviceSynchronize();
    for (int b = 0; b < 8; b++) { int s = 0; for (int i = 0; i < 64; i++) s += b * 64 + i; wrong += s != out[b]; }
    printf("result %d, wrong %d\\n", r, wrong);
    return r || wrong;
}
"""


@pytest.mark.parametrize("line, steps", [(8, 1), (14, 3)])
def test_a_recorded_program_is_left_in_the_middle_of_steps(tmp_path, line, steps):
    """`next` has stopped other warps at the breakpoint; nothing of it is left when the debugger goes."""
    (tmp_path / "red.cu").write_text(REDUCTION)
    program = compiled(tmp_path, tmp_path / "red.cu", "-O0", "-g", "--cuda-noopt-device-debug", "--cuda-gpu-arch=sm_50")
    commands = [f"break red.cu:{line}", "run", *["next"] * steps, "delete", "detach"]
    done = subprocess.run([WAVETRAP, "debug", "--batch", *SM, *[f"--ex={c}" for c in commands], program], capture_output=True, text=True,
                          timeout=120, env=environment())
    assert "Detached from process" in done.stdout and "result 0, wrong 0" in done.stdout, done.stdout + done.stderr


def test_a_recording_begins_with_each_kernel(recording):
    """The second kernel's recording begins where the first one has ended."""
    said = ask([f"break {SOURCE.name}:{line_of('scaled') + 2}", "run", "info time", "delete", "tbreak kernel flip", "continue", "info time",
                "reverse-continue", "info time", "continue", "continue"], recording, "sums", options=SM)
    scale, flip = times(said[2]), times(said[6])
    assert scale[1] < scale[0] < flip[1] < flip[0] and times(said[8])[0] == flip[1]
    assert "No more reverse-execution history" in said[7] and said[-1].endswith(RIGHT)


def test_the_debugger_goes_in_the_past(recording, bounded): # pylint: disable=unused-argument
    """The program that is let go continues from the present; one whose debugger is killed ends, too, and waits for nobody."""
    start = [f"tbreak {SOURCE.name}:{line_of('scaled') + 2}", "run", "goto start"]
    done = debug([*start, "detach"], recording, "sums", options=SM)
    assert done.returncode == 0 and "Detach" in done.stdout, done.stdout + done.stderr
    folder = os.environ.get("WAVETRAP_SOCKETS")
    with subprocess.Popen([WAVETRAP, "debug", "--nx", *SM, recording, "sums"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          env=dict(environment(), **({"WAVETRAP_SOCKETS": folder} if folder else {}))) as process:
        process.stdin.write("\n".join(start) + "\n")
        process.stdin.flush()
        while not (line := process.stdout.readline()).startswith("Issue time"):
            assert line, "the debugger has ended"
        process.kill()
        process.stdout.read() # until the program has ended: the debugger had started it, and is gone


@pytest.mark.parametrize("words", [("sums",), ("sums", "free")])
def test_memory_is_looked_at_after_the_end(recording, words):
    """It is what the last kernel has left, whether the program has freed it or not, without the breakpoints in code; PTX has its text."""
    said = ask([f"break {SOURCE.name}:{line_of('scaled')}", "tbreak kernel flip", "run", "print in", "print out", "disable 1", "continue", "enable 1",
                "continue", "print $1[3..5]", "print $2[0..1]", "x/2dw $2", "disassemble scale", "run", "print k", "kill"], recording, *words, options=SM)
    assert said[8].endswith(RIGHT) and said[9] == "$3 = {9, 16, 25}\n", said
    results = re.match(r"\$4 = \{(-?\d+), (-?\d+)\}$", said[10])
    assert int(results[1]) == -int(results[2]) == expected(0) - expected(1) and said[11].endswith(f":\t{results[1]}\t{results[2]}\n")
    assert "cvta.local.u64 %SP, %SPL\n" in said[12] and "BPT" not in said[12], said[12]
    assert "Breakpoint 1, scale (" in said[13] and re.search(r"at .*recording.cu:\d+$", said[13], re.M)


def test_memory_of_a_program_that_was_killed_is_gone(recording):
    done = debug(["break kernel flip", "run", "print out", "kill", "x/2dw $1"], recording, "sums", options=SM)
    assert done.returncode == 1 and "Cannot access memory at address 0x" in done.stderr, done.stderr


@pytest.mark.parametrize("options, words, commands, message", [
    (["-g", "sm", "--no-history"], ["sums"], ["break kernel flip", "run", "reverse-stepi"], "--no-history was given"),
    (["-g", "sm", "-g", "sm"], ["sums"], ["break kernel flip", "run", "reverse-next"], "several GPUs"),
])
def test_where_there_is_no_way_back(recording, options, words, commands, message):
    done = debug(commands, recording, *words, options=options)
    assert done.returncode == 1 and message in done.stderr, done.stderr + done.stdout
    assert MARK in done.stdout


def test_openmp_of_gcc(tmp_path):
    """In a region of GCC's OpenMP: back from a function to its caller's line before the call, and to the beginning of the kernel."""
    path = compiled_c(tmp_path, CC, "cuda_openmp.c", "-g", "-fopenmp", "-foffload=nvptx-none", "-fno-stack-protector", "-fcf-protection=none")
    said = ask(["break fibonacci", "run", "info time", "backtrace", "stepi", "print/x $pc", "stepi", "reverse-stepi", "print/x $pc", "delete",
                "reverse-finish", "backtrace", "goto start", "info time", "goto end", "continue"], path, options=SM)
    now, first, last = times(said[2])
    assert first < now == last and said[5].split("= ")[1] == said[8].split("= ")[1]
    assert re.match(r"#0  0x\w+ in main\$_omp_fn\$\d\$impl \(", said[11]), said[11]
    assert times(said[13])[0] == first
    assert said[-1].endswith("kernel: 495 text  2.50\nhost 0, fibonacci 55, sum 1499500, threads several\n[Program exited normally]\n")


def test_what_a_sum_is_made_of(recording):
    """Work-item 5 has added eight cells of the input, which work-items 5 to 12 had put into the group's memory."""
    said = ask([f"tbreak {SOURCE.name}:{line_of('scaled')} if i == 5 && k == 7", "run", "print/x (long) in", "where-from --depth=1000 --steps=1000 sum",
                "delete", "continue"], recording, "sums", options=SM)
    first = int(re.search(r"= (0x[0-9a-f]+)", said[2])[1], 16) + 4*5
    assert f"memory: 32 bytes at {first:#x}, which no instruction of the recorded run wrote before" in said[3], said[3]
    assert "There are other" not in said[3] and "[0] time " in said[3], said[3]
    assert said[3].count("[0] time") == 1 and said[-1].endswith(RIGHT), said[3]
