"""The console with programs on the CUDA driver API. What a kernel stores says what its variables must be."""
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import time

import pexpect
import pytest

from conftest import WAVETRAP
from releases import CC
from sanitizer import BUILD, DEBIAN_PATH, ROOT, environment
from terminal import PROMPT, stop_in_kernel
from test_clang_openmp import compiled as compiled_by_clang, variables
from test_console import END, ask, debug
from test_cuda import compiled
from test_cuda_cpp import compiled as compiled_cpp
from test_long import LIMIT, until

HERE = ROOT / "tests" / "host"
SOURCE = HERE / "session.cu"
LIBRARY = BUILD / "src" / "runtime" / "cuda" / "libcuda.so.1"
SM = ["-g", "sm"]
CLANG = ["clang-19", "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_50", "-nocudainc", "-nocudalib", "-Wno-everything", "-S", "-O0", "-g"]


def stored(i, number):
    """What thread i of the grid stores in a round."""
    t = i % 64
    return (100 * number + 63 - t + 10 * t) * 2 + 1


ROUNDS = "".join(f"round {r}: {stored(0, r)} {stored(1, r)} {stored(127, r)}\n" for r in range(3))


def line_of(mark, source=SOURCE):
    return next(i for i, line in enumerate(source.read_text().splitlines(), 1) if re.search(rf"// {mark}$", line))


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """The program, and its module."""
    if not shutil.which("clang-19"):
        pytest.skip("clang-19 is not installed")
    folder = tmp_path_factory.mktemp("session")
    subprocess.run([CC, "-O1", f"-I{ROOT}/include", HERE / "cuda_session.c", "-o", folder / "session", LIBRARY], check=True)
    subprocess.run([*CLANG, SOURCE, "-o", folder / "session.ptx"], check=True)
    return [folder / "session", folder / "session.ptx"]


def test_a_breakpoint_waits_for_its_module_and_holds_for_the_next_launch_and_run(program):
    """Block, thread, warp and lane are shown; output comes through; the end is told."""
    first = line_of("first line of fill")
    said = ask(["break kernel fill", "run", "info cuda kernels", "info cuda blocks", "cuda block 1 thread 35", "info breakpoints", "continue",
                "delete", "continue", f"tbreak session.cu:{first}", "run", "kill"], *program, options=SM)
    assert said[0] == "Breakpoint 1 (kernel fill) pending.\n"
    assert re.search(r"^\[device 0, dispatch 1, group \(0,0,0\), core 0, warp 0, lane 0; lanes 0-31 enabled\]$", said[1], re.M), said[1]
    assert re.search(rf"^Breakpoint 1, fill \(.*\) at {SOURCE}:{first}\n{first}\t    int t = ", said[1], re.M), said[1]
    assert re.search(r"^\* +1 +0 Active 0x00000001 +\(2,1,1\) +\(64,1,1\) fill$", said[2], re.M), said[2]
    assert re.search(r"^\* +\(0,0,0\) +0 +0 +2 stopped\n +\(1,0,0\) +0 +0 +2 stopped$", said[3], re.M), said[3]
    assert "[Switching focus to CUDA kernel 1, block (1,0,0), thread (35,0,0), device 0, sm 0, warp 3, lane 3]" in said[4]
    assert f"in fill at {SOURCE}:{first}\n\tbreakpoint already hit 1 time" in said[5]
    assert "Breakpoint 1, fill (" in said[6]
    assert said[8] == "Continuing.\n" + ROUNDS + END
    assert f"Temporary breakpoint 2, fill (" in said[10] and said[11] == "[Program killed]\n"


def test_a_kernel_of_cuda_cplusplus_begins_in_its_own_file(tmp_path):
    """It begins with inlined calls of clang's header for threadIdx. One warp: another's hit of the breakpoint may end a step."""
    source = tmp_path / "scale.cu"
    source.write_text('''__global__ void scale(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = i * 3;
}
int main()
{
    int *out;
    cudaMalloc(&out, 128);
    scale<<<1, 32>>>(out, 32);
    return cudaDeviceSynchronize();
}
''')
    # Optimised, there are lines alone: the inlined calls of the header are no part of them.
    file = compiled_cpp(tmp_path, source, "-O1", "-g", "--cuda-gpu-arch=sm_50")
    said = ask(["break scale", "run", "bt", "info breakpoints", "step", "delete", "continue"], file, options=SM)
    assert f"file {source}, line 3." in said[0], said[0]
    frame = rf"scale\(int\*, int\) \(_Z5scalePii_param_0=\d+ \(at launch\), _Z5scalePii_param_1=32 \(at launch\)\) at {source}:3\n"
    assert re.search(rf"^Breakpoint 1, {frame}3\t    int i = ", said[1], re.M), said[1]
    assert re.fullmatch(rf"#0  {frame}", said[2]) and f"in scale(int*, int) at {source}:3\n" in said[3], said[2:4]
    assert said[4] == "4\t    if (i < n)\n" and said[6].endswith(END), said
    # Without any, the text of PTX is the source.
    file = compiled_cpp(tmp_path, source, "-O1", "--cuda-gpu-arch=sm_50")
    said = ask(["tbreak scale", "run", "list", "continue"], file, options=SM)
    line = re.search(r"^Temporary breakpoint 1, scale\(int\*, int\) \(_Z5scalePii_param_0=.*\) at PTX module 1:(\d+)\n\1\t\tmov.u32 ", said[1], re.M)
    assert line and f"{line[1]}\t\tmov.u32 " in said[2] and said[3].endswith(END), said
    file = compiled_cpp(tmp_path, source, "-O0", "-g", "--cuda-gpu-arch=sm_50")
    said = ask(["tbreak scale", "run", "bt", "next", "next", "print i", "continue"], file, options=SM)
    assert re.search(rf"^Temporary breakpoint 1, scale \(out=0x\w+, n=32\) at {source}:3\n3\t    int i = ", said[1], re.M), said[1]
    assert said[2].count("#") == 1 and said[3].endswith("4\t    if (i < n)\n") and said[4].endswith("5\t        out[i] = i * 3;\n"), said
    assert said[5] == "$1 = 0\n" and said[6].endswith(END)
    # A line alone is one of the kernel's file, not of the header whose function is inlined where the kernel begins.
    said = ask(["tbreak 5", "run", "print i", "continue"], file, options=SM)
    assert f"file {source}, line 5." in said[0] and said[1].endswith("\n5\t        out[i] = i * 3;\n") and said[2] == "$1 = 0\n" and said[3].endswith(END), said


SPLIT = """#include <cuda_runtime.h>
__device__ int counter = 3;
struct pair { int a; float b; };
__device__ int weigh(int value, int by)
{
    return value * by + 1; // weigh
}
__global__ void split(int *out, int n, pair p)
{
    int i = threadIdx.x;
    if (i & 1)
        out[i] = weigh(i, p.a); // odd lanes
    else
        out[i] = i + n; // even lanes
    out[i] += counter; // all lanes
}
int main() { int *o; cudaMallocManaged(&o, 128); split<<<1, 32>>>(o, 5, pair{3, 1.5f}); return cudaDeviceSynchronize(); }
"""


def split_program(folder, *flags):
    (folder / "split.cu").write_text(SPLIT)
    return [compiled_cpp(folder, folder / "split.cu", *flags, "--cuda-gpu-arch=sm_50")]


def split_line(mark):
    return next(i for i, line in enumerate(SPLIT.splitlines(), 1) if line.endswith(f"// {mark}"))


def test_lanes_that_are_masked_off_have_places_of_their_own(tmp_path):
    """The source says where each lane is; a core file of the same stop says the same."""
    odd, even = split_line("odd lanes"), split_line("even lanes")
    looks = ["info lanes", "info cuda lanes", "info divergence", "thread 1", "thread 2"]
    program = split_program(tmp_path, "-O0", "-g", "--cuda-noopt-device-debug")
    said = ask([f"break split.cu:{odd}", "run", *looks, f"generate-core-file {tmp_path}/core", "kill"], *program, options=SM)
    for lane, line in enumerate(said[2].splitlines()):
        assert re.match(rf"[* ] {lane} .*{'' if lane % 2 else 'masked off'} .*split.cu:{odd if lane % 2 else even}$", line), said[2]
    assert len(set(re.findall(r"0x[0-9a-f]+", said[3]))) == 2 and said[3].count("divergent") == 16, said[3]
    assert re.search(rf"^lanes 0,2,.*,30 wait, and continue at 0x\w+ <split.*> at .*split.cu:{even}$", said[4], re.M), said[4]
    assert f"split.cu:{even}\n{even}\t" in said[5] and f"split.cu:{odd}\n{odd}\t" in said[6]
    core = subprocess.run([WAVETRAP, "debug", "--batch", *[f"--ex={c}" for c in looks[:3]], f"--core={tmp_path}/core"], capture_output=True, text=True, timeout=60)
    assert all(said[n] in core.stdout for n in (2, 3, 4)), core.stdout + core.stderr


CALLED = """#include <cuda_runtime.h>
__device__ __noinline__ int deep(int n)
{
    int here = n * 10;
    if (n > 0)
        here += deep(n - 1); // calls
    return here; // returns
}
__global__ void called(int *out, int n)
{
    int i = threadIdx.x;
    int even = i * 2;
    out[i] = deep(i % 4) + even + n;
}
int main() { int *o; cudaMallocManaged(&o, 128); called<<<1, 32>>>(o, 5); return cudaDeviceSynchronize(); }
"""


def test_lanes_that_wait_in_another_call_have_that_call_s_variables(tmp_path):
    """Lanes wait in each depth of a recursion, and in the kernel. So it is in the recorded past, and in a core file."""
    (tmp_path / "called.cu").write_text(CALLED)
    program = compiled_cpp(tmp_path, tmp_path / "called.cu", "-O0", "-g", "--cuda-noopt-device-debug", "--cuda-gpu-arch=sm_50")
    line = next(i for i, text in enumerate(CALLED.splitlines(), 1) if text.endswith("// returns"))
    looks = [w for lane in range(8) for w in (f"lane {lane}", "print n", "print here", "bt", "up", "print n")]
    stop = [f"break called.cu:{line}", "run"]
    said = ask([*stop, *looks, "stepi", "reverse-stepi", *looks, f"generate-core-file {tmp_path}/core", "kill"], program, options=SM)
    core = ask(looks, options=[f"--core={tmp_path}/core"])
    for answers in (said[2:2 + len(looks)], said[4 + len(looks):4 + 2 * len(looks)], core):
        depths = []
        for lane in range(8):
            _, n, here, frames, _, outer = answers[6 * lane:6 * lane + 6]
            calls = frames.count(" deep (")
            depths.append(calls)
            left = lane % 4 + 1 - calls if calls else 0
            assert f"= {left}\n" in n and f"= {left * 10}\n" in here and f"n={lane % 4}) at" in frames, answers[6 * lane:6 * lane + 6]
            assert f"= {left + 1 if calls > 1 else 5}\n" in outer and "n=5) at" in frames, answers[6 * lane:6 * lane + 6]
        assert len(set(depths)) > 1, depths


@pytest.mark.parametrize("flags", [["-O1", "-gline-tables-only"], ["-O0", "-gline-tables-only"]])
def test_with_lines_alone_parameters_and_results_are_those_of_ptx(tmp_path, flags):
    """Also where clang describes the kernel for the sake of what it has inlined into it (-O0)."""
    (tmp_path / "called.cu").write_text(CALLED)
    program = compiled_cpp(tmp_path, tmp_path / "called.cu", *flags, "--cuda-gpu-arch=sm_50")
    said = ask(["tbreak called", "run", "info args", "break deep", "continue", "lane 1", "info args", "delete", "finish", "kill"], program, options=SM)
    assert re.search(r"\bcalled\b.*\(_Z6calledPii_param_0=\d+ \(at launch\), _Z6calledPii_param_1=5 \(at launch\)\) at ", said[1]), said[1]
    assert re.fullmatch(r"_Z6calledPii_param_0 = \d+ \(at launch\)\n_Z6calledPii_param_1 = 5 \(at launch\)\n", said[2]), said[2]
    if "-O0" in flags:
        assert said[6] == "_Z4deepi_param_0 = 1 (at the call)\n" and "Value returned is not known: the debug information does not say its type." in said[8], said[6:9]


@pytest.mark.parametrize("flags, known", [(["-O0", "-g", "--cuda-noopt-device-debug"], "int"), (["-O1", "-gline-tables-only"], "u32")])
def test_the_variables_of_work_and_globals(tmp_path, flags, known):
    """threadIdx and its like print whole, at any level. A global without debug information has PTX's type: it is read and written."""
    program = split_program(tmp_path, *flags)
    said = ask(["break split", "run", "thread 7", "print threadIdx", "print blockDim", "print gridDim", "print blockIdx", "print warpSize",
                "print threadIdx.x@*", "whatis threadIdx", "whatis blockDim", "print counter", "whatis counter", "set var counter = 9",
                "print counter", "kill"], *program, options=SM)
    values = [line.partition(" = ")[2].strip() for line in said[3:9]]
    assert values == ["{x = 6, y = 0, z = 0}", "{x = 32, y = 1, z = 1}", "{x = 1, y = 1, z = 1}", "{x = 0, y = 0, z = 0}", "32",
                      "0, 1 .. 31, step +1, in lanes 0..31"], said
    assert said[9:11] == ["type = struct uint3\n", "type = struct dim3\n"], said
    mark = " (PTX declares u32: try (int)counter)" if known == "u32" else ""
    assert said[11].endswith(f" = 3{mark}\n") and said[12] == f"type = {known}\n" and said[14].endswith(f" = 9{mark}\n"), said


def test_each_launch_ends_with_a_stop_that_catches_it(program):
    """`catch dispatch end`: one warp is left of each of the three launches, at the last line of fill."""
    last = next(i for i, line in enumerate(SOURCE.read_text().splitlines(), 1) if i > line_of("first line of fill") and line == "}")
    said = ask(["catch dispatch end", "run", "info warps", "continue", "info warps", "continue", "info warps", "continue"], *program, options=SM)
    for n in range(3):
        assert re.search(rf"^Catchpoint 1 \(dispatch end\), fill \(.*round={n}\) at {SOURCE}:{last}$", said[1 + 2 * n], re.M), said
        assert len(said[2 + 2 * n].splitlines()) == 1, said
    assert ROUNDS in said[-1], said[-1]


def test_kernels_can_be_looked_at_after_the_end(program):
    """The program unloads its module and destroys its context before it ends: whoever comes first, the module is there."""
    fill = line_of("first line of fill")
    said = ask(["break fill", "run", "delete", "continue", "info line fill", "x/i fill", "info functions weigh"], *program, options=SM)
    assert said[3].endswith(END) and said[4].startswith(f'Line {fill - 2} of "{SOURCE}" starts at address '), said
    assert re.match(r"   0x\w+ <fill>:\t", said[5]) and re.search(r"\bweigh\b", said[6]), said


@pytest.fixture
def busy():
    """More processes than processors, which never wait."""
    processes = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(1 + os.cpu_count())]
    yield
    for one in processes:
        one.kill()
        one.wait()


@pytest.mark.parametrize("load", [None, "busy"])
def test_why_a_warp_waits(program, load, request):
    """The first warp is at the barrier when the next one comes there, however late the program's thread gets a processor."""
    if load:
        request.getfixturevalue(load)
    said = ask([f"break session.cu:{line_of('tile is filled') - 1}", "run", "info waves", "continue", "info waves", "info barriers", "kill"], *program,
               options=SM)
    assert "(waits" not in said[2]
    assert re.search(r"^  device 0, dispatch \d+, group \(\d+,0,0\), core 0, warp 0 .* \(waits: barrier 0: 32 threads have arrived\)$", said[4], re.M), said[4]
    assert said[5] == "device 0, dispatch 1, group (0,0,0), core 0, warp 0: barrier 0, 32 are there\n"


def test_steps_functions_and_instructions(program):
    store, weigh = line_of("store"), line_of("weigh")
    said = ask([f"break session.cu:{store}", "run", "delete", "step", "backtrace", "finish", "x/i $pc", "stepi", "next", "continue"],
               *program, options=SM)
    assert re.search(rf"^weigh \(.*\) at {SOURCE}:{weigh}\n{weigh}\t", said[3], re.M), said[3]
    assert re.search(rf"^#0  weigh \(.*\) at {SOURCE}:{weigh}\n#1  0x\w+ in fill \(.*\) at {SOURCE}:{store}$", said[4], re.M), said[4]
    assert re.search(rf"^Run till exit from #0  weigh .*\n0x\w+ in fill \(.*\) at {SOURCE}:{store}$", said[5], re.M), said[5]
    assert re.match(r"=> 0x\w+ <fill\+\d+>:\tld\.param\.b32\s", said[6]), said[6]
    assert said[-1] == "Continuing.\n" + ROUNDS + END


def test_variables_are_those_that_the_kernel_stores(program):
    """In local memory of each lane, in shared and global memory; of the callers of a function, too."""
    said = ask([f"break session.cu:{line_of('store')} if round == 1 && blockIdx.x == 1 && threadIdx.x < 32", "run", "info args", "print t@*", "print i@*",
                "print sum@*", "print mine@7", "print tile[63 - t]@*", "print scale", "print &tile[3]", "print sizeof(tile)", "delete", "break weigh",
                "continue", "print value@*", "up", "print sum@*", "print mine.second@3 - t@3 / 2.0", "print tile[0..2]", "delete", "continue"], *program, options=SM)
    assert "fill (out=0x708000000000, round=1) at" in said[1], said[1]
    assert said[2] == "out = 0x708000000000\nround = 1\n"
    assert "0, 1 .. 31, step +1" in said[3] and "64, 65 .. 95, step +1" in said[4]
    first = 163  # tile[63] of round 1; nine more for each thread: ten times its number, and one less of the tile
    assert f"{first}, {first + 9} .. {first + 9 * 31}, step +9" in said[5], said[5]
    assert first * 2 + 1 == stored(64, 1) and (first + 9 * 31) * 2 + 1 == stored(95, 1)
    assert said[6].endswith("= {first = 70, second = 3.5}\n") and "163, 162 .. 132, step -1" in said[7]
    assert said[8].endswith("= 2\n") and "(int *) 0xfe00000c" in said[9] and said[10].endswith("= 256\n")
    assert re.search(r"Breakpoint 2, weigh \(value=\d+, by=2\)", said[13]), said[13]
    values = re.search(r"= (.*)", said[14])[1]
    assert re.search(r"= (.*)", said[16])[1] == values and said[17].endswith("= 0\n"), said[14:18]
    assert re.search(r"= \{\d+, \d+, \d+\}$", said[18]) and said[-1].endswith(END)


def test_variables_of_a_program_that_is_linked_from_several_objects(program, tmp_path):
    """Each object has its own files, lines, types and variables, in every frame."""
    other = HERE / "linked.cu"
    subprocess.run([*CLANG, other, "-o", tmp_path / "linked.ptx"], check=True)
    for first, second in ((program[1], tmp_path / "linked.ptx"), (tmp_path / "linked.ptx", program[1])):
        said = ask([f"break linked.cu:{line_of('part is known', other)}", "run", "info locals", "print part@*", "print three@2", "print scale", "ptype three",
                    "break weigh", "continue", "print value@*", "print scale", "up", "print part@5", "print scale", "list fill", "info line outer",
                    "delete", "continue"], program[0], first, "linked", second, options=SM)
        assert f"outer (out=0x708000000000) at {other}:" in said[1] and "part = 0\n" in said[2] and "three = {first = 0," in said[2], said[1:3]
        assert "0, 30 .. 930, step +30" in said[3] and said[4].endswith("= {first = 2, second = 4, third = 6}\n") and said[5].endswith("= 10\n")
        assert "    short third;\n" in said[6] and f"weigh (value=0, by=3) at {SOURCE}:{line_of('weigh')}" in said[8], said[6:9]
        assert "0, 30 .. 930, step +30" in said[9] and said[10].endswith("= 2\n") and said[12].endswith("= 150\n") and said[13].endswith("= 10\n")
        assert 'extern "C" __global__ void fill(int *out, int round)\n' in said[14] and f'of "{other}" starts at' in said[15]
        assert said[17].endswith("then 0\n1 91\n" + END)


def test_registers_of_ptx_have_their_names(program):
    """The text of the module says which register is the thread's number; R0 is a row of the register file, whatever is there."""
    tid = re.search(r"mov\.u32\s+(%r\d+), %tid\.x;", program[1].read_text().split(".entry fill(")[1])[1]
    said = ask([f"tbreak session.cu:{line_of('store')} if threadIdx.x == 37 && blockIdx.x == 1", "run", f"info registers {tid}", f"print ${tid}",
                "info registers virtual", "info registers R0"], *program, options=SM)
    assert said[2] == f"{tid:14} 32, 33 .. 63, step +1, in lanes 0..31\n" and said[3] == "$1 = 37\n", said[2:4]
    assert re.search(r"^%rd0 ", said[4], re.M) and f"\n{tid:14} 32, 33" in said[4] and re.match(r"R0 +0x", said[5]), said[4:6]


def test_a_variable_that_is_written_is_the_kernel_s(program):
    said = ask([f"break session.cu:{line_of('store')} if threadIdx.x == 5", "run", "delete", "set var sum@5 = 1000", "print sum@4..6", "continue"],
               *program, options=SM)
    assert "1000" in said[4], said[4]
    assert said[-1].endswith(END)


def test_memory_and_registers_can_be_written(program):
    """The variable of the module is the program's for all later launches."""
    said = ask([f"break session.cu:{line_of('tile is filled')}", "run", "delete", "print *(int *)&scale", "set var *(int *)&scale = 3", "continue"],
               *program, options=SM)
    assert said[3] == "$1 = 2\n"
    assert f"round 0: {(stored(0, 0) - 1) // 2 * 3 + 1} " in said[5] and said[5].endswith(END)


def changes(said):
    """Old value, new value and function of a stop at a watchpoint."""
    return re.search(r"^Old value = (.*)\nNew value = (.*)\n(\w+) \(", said, re.M).groups()


def test_watchpoints_of_global_memory(program):
    """The lane that changes the value stops behind its store, in each launch; a store of the same value does not count."""
    said = ask(["tbreak fill", "run", "watch out[70]", "continue", "print i", "info cuda threads", "continue", "continue", "continue"], *program, options=SM)
    assert said[2] == "Hardware watchpoint 2: out[70]\n"
    found = [changes(text) for text in (said[3], said[6], said[7])]
    assert [(new, name) for _, new, name in found] == [(str(stored(70, r)), "fill") for r in range(3)], found
    assert [old for old, _, _ in found] == ["0", str(stored(70, 0)), str(stored(70, 1))]
    assert "\nHardware watchpoint 2: out[70]\n" in said[3] and "lane 6;" in said[3] and said[4] == "$1 = 70\n"
    assert re.search(r"^\* +\(1,0,0\) ", said[5], re.M), said[5]
    assert said[8].endswith("Watchpoint 2 deleted: the memory of that run is gone.\n" + END)


def test_watchpoints_of_reads(program):
    """rwatch stops at reads: each of the four warps is told once in a launch, also those that have stopped at once."""
    said = ask(["tbreak fill", "run", "rwatch scale", *["continue"] * 12, "info breakpoints", "continue"], *program, options=SM)
    assert said[2] == "Hardware read watchpoint 2: scale\n"
    assert all("\nHardware read watchpoint 2: scale\n\nValue = 2\nfill (" in text for text in said[3:15]), said
    stops = re.findall(r"dispatch (\d), group \((\d),0,0\), core 0, warp (\d), lane 0;", "".join(said[3:15]))
    assert sorted(stops) == sorted((str(d), str(w // 2), str(w)) for d in (1, 2, 3) for w in range(4)), stops
    assert re.search(r"^2 +read watchpoint +keep y +scale\n\tbreakpoint already hit 12 times", said[15], re.M), said[15]
    assert said[16].endswith(END)


def test_watchpoints_of_reads_and_writes(program):
    """awatch stops at both, rwatch not at writes."""
    said = ask(["tbreak fill", "run", "rwatch out[0]", "awatch *(int *)0x708000000004", "continue", "continue", "delete", "continue"], *program, options=SM)
    assert said[3].startswith("Hardware access (read/write) watchpoint 3: ")
    for text, round in zip(said[4:6], range(2)):
        assert "Hardware access (read/write) watchpoint 3: " in text and f"New value = {stored(1, round)}\n" in text, text
    assert said[7] == "Continuing.\n" + ROUNDS + END


def test_an_access_to_memory_that_is_no_longer_watched_is_not_told(program):
    """All warps have read it when the first one is told of."""
    said = ask(["tbreak fill", "run", "rwatch scale", "continue", "delete", "continue"], *program, options=SM)
    assert "Value = 2\n" in said[3] and said[5] == "Continuing.\n" + ROUNDS + END


def test_watchpoints_of_shared_and_local_memory(program):
    """Shared memory is that of the selected thread's block in each launch, local memory its lane's: the next launch has another warp there."""
    said = ask([f"tbreak session.cu:{line_of('tile is filled')} if blockIdx.x == 1 && threadIdx.x == 40", "run", "cuda thread 40", "watch tile[3]", "watch sum",
                *["continue"] * 4], *program, options=SM)
    assert "New value" not in said[8] and said[8].endswith(END)
    found = {}
    for text in said[5:8]:
        of = re.search(r"dispatch (\d), group \(1,0,0\), .* lane (\d);[^$]*\nHardware watchpoint \d: (.*)\n", text)
        found[of[3], int(of[1])] = (of[2], *changes(text)[1:])
    sums = {("sum", 1): ("8", str((stored(104, 0) - 1) // 2), "fill")}
    assert found == {**sums, **{("tile[3]", r + 1): ("3", str(100 * r + 3), "fill") for r in (1, 2)}}


def test_a_step_ends_at_a_watchpoint(program):
    said = ask([f"tbreak session.cu:{line_of('store')} if threadIdx.x == 5 && blockIdx.x == 0", "run", "watch out[5]", "next", "next", "delete", "continue"],
               *program, options=SM)
    assert any(f"New value = {stored(5, 0)}\n" in text for text in said[3:5]), said[3:5]
    assert said[6] == "Continuing.\n" + ROUNDS + END


def test_watchpoints_of_two_gpus(program):
    """The second GPU has memory of its own, and its warps are told apart from those of the first."""
    said = ask(["break fill if round == 0 && blockIdx.x == 1 && threadIdx.x < 32", "run", "continue", "info cuda devices", "delete", "watch out[70]",
                "continue", "continue"], *program, "two", options=["-g", "sm:sms=2", "-g", "sm"])
    assert re.search(r"^\[device 0, dispatch 1,", said[1], re.M) and re.search(r"^\[device 1, dispatch 4,", said[2], re.M), said
    assert changes(said[6])[2] == "fill" and re.search(r"^\[device 1, .* lane 6;", said[6], re.M), said[6]
    assert "New value = " in said[7] and re.search(r"^\[device 1, .* lane 6;", said[7], re.M), said[7]


def test_what_cannot_be_watched(program):
    done = debug(["tbreak fill", "run", "watch $R3"], *program, options=SM)
    assert done.returncode == 1 and "$R3 is in a register here: registers cannot be watched" in done.stderr, done.stderr


def test_a_mistake_stops_and_then_ends_the_kernel_as_without_a_debugger(program):
    line = line_of("stray store")
    done = debug(["run", "info cuda lanes", "continue"], *program, "stray", options=SM)
    assert done.returncode == 0, done.stderr
    assert "Program stopped by a fault: L1_ERROR: store of 4 bytes at 0x40: no memory is mapped there\n" in done.stdout
    assert re.search(rf"^stray \(.*\) at {SOURCE}:{line}$", done.stdout, re.M), done.stdout
    assert "\nthen 700\n" in done.stdout and done.stdout.endswith(END + "=-=-=\n")
    assert re.search(r"^  device 0, dispatch \d+, group \(0,0,0\), core 0, warp 0, lanes ", done.stderr, re.M) and "of the kernel stray" in done.stderr


def test_a_mistake_of_a_warp_that_stands_still_with_another_is_told(program):
    """One SM comes to a breakpoint, the other to a stray store, before both stand still; each is a stop."""
    first, second = line_of("of the first block"), line_of("of the second block")
    done = debug([f"break session.cu:{first}", "run", "continue", "continue"], *program, "both", options=["-g", "sm:sms=2"])
    assert done.returncode == 0, done.stderr
    assert re.search(rf"^Breakpoint 1, both \(.*\) at {SOURCE}:{first}$", done.stdout, re.M), done.stdout
    assert "Program stopped by a fault: L1_ERROR: store of 4 bytes at 0x40: no memory is mapped there\n" in done.stdout, done.stdout
    assert re.search(rf"^both \(.*\) at {SOURCE}:{second}$", done.stdout, re.M), done.stdout
    assert "\nthen 700\n" in done.stdout and done.stdout.endswith(END + "=-=-=\n")


def test_a_trap_of_the_program_s_own(tmp_path):
    plain = compiled(tmp_path, CC, "cuda.c", f"-I{ROOT}/include")
    done = debug(["run", "x/i $pc", "continue"], plain, "stop", options=SM)
    assert "Program stopped by a fault: a trap of the program's own, which ends the kernel\n" in done.stdout
    assert re.search(r"^=> 0x\w+ <stop>:\ttrap$", done.stdout, re.M)
    assert "then 719, again 719\n" in done.stdout
    assert re.search(r"^  at 0x\w+ <stop> at PTX:\d+\n  trap\n  of the kernel stop$", done.stderr, re.M), done.stderr


def test_two_gpus_are_one_session(program):
    """The breakpoint holds for the module of the second one, too, whose warps are told apart by their device."""
    said = ask(["break kernel fill", "run", "info devices", "info cuda devices", *["continue"] * 14, "delete", "continue"], *program, "two",
               options=["-g", "sm:sms=2", "-g", "sm"])
    assert len(re.findall(r"^[* ] \d  sm \(nvptx64\)", said[2], re.M)) == 2
    assert re.search(r"^\* +0 +sm +2 +64 +32$", said[3], re.M) and re.search(r"^  +1 +sm +1 +64 +32$", said[3], re.M), said[3]
    stops = re.findall(r"^\[device (\d), dispatch (\d+),", "".join(said), re.M)
    assert ("0", "3") in stops and ("1", "4") in stops and ("1", "3") not in stops, stops
    assert said[-1].endswith("round 2: " + ROUNDS.split("round 2: ")[1] + END)


def test_ctrl_c_stops_a_kernel(program):
    """And the program goes on from there, with what was written."""
    c = pexpect.spawn(WAVETRAP, ["debug", "--nx", *SM, *map(str, program), "loop"], encoding="utf-8", timeout=LIMIT, env=environment())
    c.expect(PROMPT)
    c.sendline("run")
    c.expect(r"running\r\n")
    stop_in_kernel(c, "spin")
    c.sendline("set var *(int *)0x708000000000 = 1")
    c.expect(PROMPT)
    c.sendline("continue")
    c.expect("then 0\r\n1 7\r\n")
    c.expect("Program exited normally")
    c.expect(PROMPT)
    c.sendline("quit")
    c.expect(pexpect.EOF)


def test_who_comes_in_the_middle_of_a_kernel_is_told_what_is_recorded(program, tmp_path):
    """Nothing yet: the recording begins with the next kernel."""
    unrecorded = "nothing is recorded now: a recording begins with a kernel, and ends with the last one that runs"
    with subprocess.Popen([WAVETRAP, "exec", *SM, *map(str, program), "loop"], stdout=subprocess.PIPE, text=True, env=environment()) as run:
        assert any(line == "running\n" for line in iter(run.stdout.readline, ""))
        done = debug(["info time", "kill"], options=[f"--pid={run.pid}", *SM])
        assert run.wait(LIMIT) == -9
    assert done.returncode == 0, done.stderr
    assert re.search(rf"^No time travel yet: {unrecorded}\.\n=-=-=\nIssue time \d+; {unrecorded}\.$", done.stdout, re.M), done.stdout


class Waiting:
    """The program, run by `exec`, waiting for a line."""

    def __init__(self, program, folder):
        self.env = dict(environment(), WAVETRAP_SOCKETS=str(folder))
        self.run = subprocess.Popen([WAVETRAP, "exec", *SM, *program, "wait"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=self.env)

    def __enter__(self):
        assert self.run.stdout.readline() == "ready\n"
        return self

    def __exit__(self, *what):
        self.run.kill()
        self.run.wait()

    def go(self):
        self.run.stdin.write("\n")
        self.run.stdin.flush()

    def end(self):
        said = self.run.stdout.read()
        assert self.run.wait(timeout=LIMIT) == 0
        return said


@pytest.fixture
def sockets(tmp_path):
    folder = tmp_path / "s"
    folder.mkdir(mode=0o700)
    return folder


def test_a_debugger_waits_for_another_one_to_leave(program, sockets):
    """`ps`, or the look with which a debugger waits for its program, may be there for a moment: on a busy machine the program was
    said to have another debugger. The second one tries again (it sleeps, clock_nanosleep() is system call 230) and comes in."""
    with Waiting(program, sockets) as p:
        c = pexpect.spawn(WAVETRAP, ["debug", "--nx", "--pid", str(p.run.pid)], encoding="utf-8", timeout=LIMIT, env=p.env)
        c.expect(PROMPT)
        second = subprocess.Popen([WAVETRAP, "debug", "--nx", "--batch", "-ex", "info devices", "-ex", "detach", "--pid", str(p.run.pid)],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=p.env)
        while second.poll() is None and not pathlib.Path(f"/proc/{second.pid}/syscall").read_text().startswith("230 "):
            time.sleep(0.002)
        c.sendline("detach")
        said, told = second.communicate(timeout=LIMIT)
        assert second.returncode == 0 and "sm (" in said, said + told
        c.close(force=True)
        p.go()


def test_a_debugger_attaches_and_leaves(program, sockets):
    """`ps` lists the program; another debugger is refused; after `detach` all is as without."""
    with Waiting(program, sockets) as p:
        listed = subprocess.run([WAVETRAP, "ps"], capture_output=True, text=True, env=p.env, check=True).stdout
        assert re.search(rf"^ *{p.run.pid} +1  sm +.*session ", listed, re.M), listed
        c = pexpect.spawn(WAVETRAP, ["debug", "--nx", "--pid", str(p.run.pid)], encoding="utf-8", timeout=LIMIT, env=p.env)
        c.expect(PROMPT)
        second = subprocess.run([WAVETRAP, "debug", "--nx", "--batch", "--pid", str(p.run.pid)], capture_output=True, text=True, env=p.env)
        assert f"process {p.run.pid} has another debugger" in second.stderr
        c.sendline("break weigh")
        c.expect("Breakpoint 1 at 0x")
        c.expect(PROMPT)
        p.go()
        c.sendline("continue")
        c.expect(r"Breakpoint 1\S*, \S*weigh")
        c.expect(PROMPT)
        c.sendline("detach")
        c.expect(PROMPT)
        assert p.end() == ROUNDS
        c.sendline("quit")
        c.expect(pexpect.EOF)


def test_the_program_outlives_a_debugger_that_is_killed(program, sockets):
    """It stands at a breakpoint: the instruction that this covered is done, the others never see one."""
    with Waiting(program, sockets) as p:
        c = pexpect.spawn(WAVETRAP, ["debug", "--nx", "--pid", str(p.run.pid)], encoding="utf-8", timeout=LIMIT, env=p.env)
        c.expect(PROMPT)
        c.sendline(f"break session.cu:{line_of('tile is filled')}")
        c.expect("Breakpoint 1 at 0x")
        c.expect(PROMPT)
        p.go()
        c.sendline("continue")
        c.expect(r"Breakpoint 1\S*, \S*fill")
        c.kill(signal.SIGKILL)
        c.wait()
        assert p.end() == ROUNDS


def test_a_program_is_looked_at_before_it_is_run(tmp_path):
    """Symbols, lines, types, variables and code of the PTX in its fat binary; there is no memory yet that could be written."""
    source = HERE / "cuda_cpp.cu"
    line = next(i for i, text in enumerate(source.read_text().splitlines(), 1) if "return !m ? n + 1" in text)
    program = compiled_cpp(tmp_path, source, "-O0", "-g", "--cuda-gpu-arch=sm_50")
    said = ask(["break ackermann", "list ackermann", "info line ackermann", "info symbol ackermann", "ptype disc", "print counter", "print coefficients",
                "x/2i twice", "disassemble square", "info functions ackermann", f"break cuda_cpp.cu:{line + 3}", "info modules", "tbreak language", "run",
                "info breakpoints", "kill", "print coefficients[1]"], program, options=SM)
    assert said[0] == f"Breakpoint 1 at 0x{re.search(r'at 0x(1[0-9a-f]+)', said[0])[1]}: file {source}, line {line}.\n"
    assert "__device__ unsigned ackermann(unsigned m, unsigned n)\n" in said[1] and f'Line {line - 1} of "{source}" starts at' in said[2]
    assert said[3] == "ackermann(unsigned int, unsigned int)\n" and "    virtual float area(void) const;\n" in said[4]
    assert said[5] == "$1 = 0\n" and said[6] == "$2 = {1, 2, 3, 4}\n"
    assert re.search(r"^ +0x1\w+ <twice\(float\)(?:\+\d+)?>:\t\S", said[7], re.M) and "mul.rn.f32" in said[8], said[7:9]
    assert "unsigned int ackermann(unsigned int, unsigned int);" in said[9] and "Breakpoint 2 at 0x1" in said[10] and "cuda_cpp" in said[11]
    assert "Temporary breakpoint 3, language (" in said[13] and len(re.findall(r"0x00007\w+ in (?:ackermann|twice) at", said[14])) == 2, said[13:15]
    assert said[16] == "$3 = 2\n"
    for command, message in [("set var counter = 7", "its memory cannot be changed"), ("watch counter", "watched once it is there"),
                             ("x 0x1000", "Cannot access memory at address 0x1000"), ("print $pc", "No registers.")]:
        done = debug([command], program, options=SM)
        assert done.returncode == 1 and message in done.stderr, done.stderr


def test_openmp_of_clang_is_looked_at_before_it_is_run(tmp_path):
    """In an ELF file among its data; the code is that which runs."""
    path = compiled_by_clang(tmp_path, "-O2", "--offload-arch=sm_50")
    said = ask(["info functions omp_offload"], path, options=SM, env={**environment(), **variables()})
    kernels = re.findall(r"^0x1\w+  void (__omp_offloading_\w+)\((?:u64(?:, )?)+\);$", said[0], re.M)
    assert len(kernels) == 5, said[0]
    said = ask([f"x/8i {kernels[0]}", f"break kernel {kernels[0]}", "run", f"x/8i {kernels[0]}", "kill"], path, options=SM,
               env={**environment(), **variables()})
    assert "Breakpoint 1 at 0x1" in said[1] and re.search(r"^Breakpoint 1, main:\d+ \(", said[2], re.M), said[1:3]
    assert re.findall(r">:\t(.*)", said[0]) == re.findall(r">:\t(.*)", said[3]) and len(re.findall(r">:\t(.*)", said[0])) == 8


def test_openmp_of_gcc(tmp_path):
    """Regions are kernels, functions have frames; the values of what the kernel prints and gives back are those without a debugger."""
    source = HERE / "cuda_openmp.c"
    path = compiled(tmp_path, CC, source.name, "-g", "-fopenmp", "-foffload=nvptx-none", "-fno-stack-protector", "-fcf-protection=none")
    said = ask(["break fibonacci", "run", "backtrace", "delete", "finish", "continue"], path, options=SM)
    assert re.match(rf"Breakpoint 1 at 0x1\w+: file {source}, line 9\.\n", said[0]), said[0]
    assert re.search(rf"^Breakpoint 1, fibonacci \(.*\) at {source}:", said[1], re.M), said[1]
    assert re.search(rf"^#1  0x\w+ in main\$_omp_fn\$\d\$impl \(.*\) at {source}:", said[2], re.M), said[2]
    assert "gomp_nvptx_main" in said[2] and re.search(r"^Value returned is \$1 = 34$", said[4], re.M), said[4]
    assert said[5] == "Continuing.\nkernel: 495 text  2.50\nhost 0, fibonacci 55, sum 1499500, threads several\n" + END
    # GCC writes lines alone for this GPU: parameters and globals have PTX's names and types, and there are no locals.
    said = ask(["break fibonacci", "run", "info args", "info locals", "print scale", "print *(int *)&scale", "kill"], path, options=SM)
    assert said[2:6] == ["%in_ar0 = 9 (at the call)\n", "No locals.\n", "$1 = {3} (PTX declares u32: try (int[1])scale)\n", "$2 = 3\n"], said


def test_openacc_of_gcc(tmp_path):
    path = compiled(tmp_path, CC, "cuda_openacc.c", "-g", "-fopenacc", "-foffload=nvptx-none", "-fno-stack-protector", "-fcf-protection=none")
    plain = subprocess.run([WAVETRAP, "exec", *SM, path], capture_output=True, text=True, env=environment(), timeout=LIMIT)
    said = ask(["start", "info cuda kernels", "delete", "continue"], path, options=SM)
    assert re.search(r"^Temporary breakpoint 1, \S+_omp_fn\$\d \(", said[0], re.M), said[0]
    assert re.search(r"_omp_fn\$\d$", said[1], re.M), said[1]
    assert said[3] == "Continuing.\n" + plain.stdout + END


def test_openmp_of_clang(tmp_path):
    env = variables()
    path = compiled_by_clang(tmp_path, "-O2", "--offload-arch=sm_50")
    plain = subprocess.run([WAVETRAP, "exec", *SM, path], capture_output=True, text=True, env={**environment(), **env}, timeout=LIMIT)
    said = ask(["start", "backtrace", "delete", "continue"], path, options=SM, env={**environment(), **env})
    assert re.search(r"^Temporary breakpoint 1, \S+ \(", said[0], re.M), said[0]
    assert "host 0" in plain.stdout and said[3] == "Continuing.\n" + plain.stdout + END


def blocks_of(page):
    """The console blocks of a page: the commands of the shell, of the last of them the session, and what the page says that it prints. A block without a
    command of the shell continues the session before it."""
    found = []
    for block in re.findall(r"^```console\n(.*?)^```$", page, re.M | re.S):
        shell, *session = re.split(r"^\(wavetrap\) (.*)\n", block, flags=re.M)
        lines = re.split(r"^\$ ((?:.*\\\n)*.*)\n", shell, flags=re.M)
        if found and len(lines) == 1:
            found[-1][1].extend(zip(session[::2], session[1::2]))
        else:
            found.append((list(zip(lines[1::2], lines[2::2])), list(zip(session[::2], session[1::2]))))
    return found


@pytest.mark.parametrize("name, sessions", [("sm-tutorial", 1), ("sm-sessions", 3), ("sm-handler", 0), ("sm", 0), ("ffmpeg", 1)])
def test_the_pages_are_true(tmp_path, name, sessions):
    """Each command of the page's examples runs, in its order, and prints what the page says, where it says something."""
    page = (ROOT / "docs" / f"{name}.md").read_text()
    for there, of in (("examples", ROOT / "examples"), ("include", ROOT / "include"), ("build", BUILD)):
        (tmp_path / there).symlink_to(of)
    env = {**environment(), "PATH": f"{BUILD}:{DEBIAN_PATH}", "NO_COLOR": "1"}
    # What it shows of the examples' texts is in them.
    texts = ["".join(source.read_text().split()) for source in (ROOT / "examples" / "sm").glob("*.sass")]
    for code in re.findall(r"^```\n((?:\.handler| +\w+\b[^\n]*;).*?)^```$", page, re.M | re.S):
        assert any("".join(code.split()) in text for text in texts), code
    seen = 0
    for shell, session in blocks_of(page):
        for command, wanted in shell[:-1] if session else shell:
            done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, env=env, timeout=LIMIT)
            assert done.returncode == 0 or wanted, (command, done.stdout, done.stderr)
            assert wanted.strip() in (done.stdout + done.stderr).replace(f"{tmp_path}/", ""), (command, done.stdout, done.stderr)
        if not session:
            continue
        seen += 1
        command, _, *arguments = shlex.split(shell[-1][0].replace("\\\n", " "))
        assert command == "wavetrap"
        words = [word for command, _ in session for word in ("-ex", "echo =-=-=\\n", "-ex", command)]
        done = subprocess.run([WAVETRAP, "debug", "--nx", "--batch", *words, "-ex", "echo =-=-=\\n", *arguments], cwd=tmp_path, capture_output=True,
                              text=True, env=env, timeout=LIMIT, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, (shell[-1], done.stdout, done.stderr)
        said = [text.strip("\n") for text in done.stdout.split("=-=-=\n")[1:-1]]
        for (command, wanted), text in zip(session, said, strict=True):
            assert not wanted or text == wanted.strip("\n"), (command, text)
    assert seen == sessions


def test_the_tutorials_kernel_is_right_with_the_barrier(tmp_path):
    """What the page says of the mended program: its result, and what the checks say."""
    text = (ROOT / "examples" / "sm" / "mirror.cu").read_text()
    source = tmp_path / "mended.cu"
    source.write_text(text.replace("    out[t]", "    __syncthreads();\n    out[t]"))
    path = subprocess.run([WAVETRAP, "cuda-path"], capture_output=True, text=True, check=True).stdout.strip()
    subprocess.run(["clang-19", "-x", "cuda", "--cuda-gpu-arch=sm_80", f"--cuda-path={path}", "-g", source, "-o", tmp_path / "mended", f"-L{path}/lib64", "-lcudart",
                    "-lstdc++"], check=True)
    done = subprocess.run([WAVETRAP, "exec", "--check=all", tmp_path / "mended"], capture_output=True, text=True, env=environment(), timeout=LIMIT)
    assert (done.returncode, done.stdout) == (0, "0 of 64 are wrong\n") and "checks: 0 errors, 0 warnings" in done.stderr, done.stderr
