"""wavetrap explore: the outcomes of a program under many schedules, its state file, and the search of all schedules against a model."""
import os
import pathlib
import random
import re
import signal
import struct
import subprocess
import time

import litmus
import pytest

from conftest import ROOT, WAVETRAP, run

SEVERAL = 113
CLANG = "clang-19"
# Each warp adds 1 to a word that nothing protects, some times.
UPDATES = """
_start: li a1, 4
        la t0, work
        wspawn a1, t0
work:   csrr t0, 0xcc1
        la t1, word
        li t2, 3
loop:   lw t3, (t1)
        addi t3, t3, 1
        sw t3, (t1)
        addi t2, t2, -1
        bnez t2, loop
        bnez t0, end
        exit 0
end:    tmc x0
        .data
word:   .word 0
"""


def listed(text):
    """The lines of outcomes: (count, status, the words of the command that repeats it)."""
    return [(int(m[1]), int(m[2]), m[3].split()) for m in re.finditer(r"^ *(\d+)  status (\d+)[^:]*:  wavetrap (.*)$", text, re.M)]


def explored(*words, **options):
    done = run("explore", *words, **options)
    assert done.returncode != 125, done.stderr
    return done, listed(done.stdout)


# ---- many schedules ----

def test_outcomes_are_counted_and_repeated(build, tmp_path):
    """The counts are those of single runs with the same schedules; each command gives its outcome again."""
    elf, gpu = build.asm(UPDATES), "-g=vortex:warps=4"
    runs = 30
    schedules = ["rr:64", "rr:1", "lockstep", *(f"random:{seed}" for seed in range(1, runs - 2))]
    def word(*words):
        done = run("run", *words, f"--dump={tmp_path / 'word'}@word:4", elf)
        assert done.returncode == 0, done.stderr
        return struct.unpack("<I", (tmp_path / "word").read_bytes())[0]
    values = [word("-gvortex:warps=4", f"--schedule={schedule}") for schedule in schedules]
    for jobs in ("1", "3"):
        done, outcomes = explored("-gvortex:warps=4", "--runs", runs, f"--jobs={jobs}", elf)
        assert done.returncode == SEVERAL and done.stdout.startswith(f"{runs} schedules, {len(set(values))} outcomes\n"), done.stdout
        assert sorted(count for count, _, _ in outcomes) == sorted(values.count(value) for value in set(values))
        for count, status, words in outcomes:
            assert status == 0 and words[-1] == str(elf) and "--runs" not in words
            assert values.count(word(*words[1:-1])) == count


def test_one_outcome(build):
    elf = build.asm("_start: put 0, 'a'\n put 0, 10\n exit 7\n")
    done, [(count, status, _)] = explored("--runs=5", elf)
    assert (done.returncode, count, status) == (7, 5, 7)
    assert done.stdout.startswith("5 schedules, one outcome\n") and "output " in done.stdout and "race" not in done.stdout


def test_findings_and_faults_are_part_of_an_outcome(build):
    """A barrier that one warp does not reach; with the check of races the two places of one."""
    race = build.asm(UPDATES)
    done, outcomes = explored("-gvortex:warps=4", "--runs=4", "--check=race", race)
    assert {status for _, status, _ in outcomes} == {115}
    assert re.search(r"^ +error: race in _start|^ +error: race .*program\.S:\d+, and .*program\.S:\d+$", done.stdout, re.M), done.stdout
    stuck = build.asm("_start: li a1, 2\n la t0, work\n wspawn a1, t0\n tmc x0\nwork: li t0, 0\n li t1, 2\n bar t0, t1\n exit 0\n")
    done, outcomes = explored("-gvortex:warps=4", "--runs=4", stuck)
    assert {status for _, status, _ in outcomes} == {121} and "fault: deadlock" in done.stdout, done.stdout


def test_the_search_with_checks(build, tmp_path):
    """Each schedule is run with the checks, too: an outcome has its findings, which the command that repeats it has; where the program ends before the other
    warp's access there are none. A run that waits for ever ends."""
    save = f"--save={tmp_path / 'o'}"
    race = build.asm(UPDATES.replace("li t2, 3", "li t2, 1"))
    _, plain = explored("-gvortex:warps=2", "--systematic", save, race)
    done, checked = explored("-gvortex:warps=2", "--systematic", "--check=race", save, race)
    assert len(checked) >= len(plain) > 1 and {status for _, status, _ in plain} == {0} and 115 in {status for _, status, _ in checked} <= {0, 115}
    assert len(re.findall(r"^ +error: race ", done.stdout, re.M)) == [status for _, status, _ in checked].count(115), done.stdout
    for _, status, words in checked:
        again = run(*words)
        assert again.returncode == status and ("error: race" in again.stderr) == (status == 115), again
    target = Ptx(litmus.PROGRAMS["waits for ever"], build, tmp_path)
    done, checked = explored("--systematic=0", "--check=race", save, *target.words, target.file)
    assert 121 in {status for _, status, _ in checked} and "repeats instructions until another one writes" in done.stdout, done.stdout


def test_host_programs(tmp_path):
    """What a program does that uses no GPU is the same each time, or not."""
    (tmp_path / "p").write_text("#!/bin/sh\necho $1\nexit 3\n")
    (tmp_path / "p").chmod(0o755)
    for gpu in [], ["-g", "gfx906"]:    # a model whose name is not the family's
        done, [(count, status, words)] = explored("--runs=3", *gpu, tmp_path / "p", "--runs=x")
        assert (done.returncode, count, status, words) == (3, 3, 3, ["exec", "--schedule=rr:64", *gpu, str(tmp_path / "p"), "--runs=x"]), done.stdout


CUDA = """
import ctypes, sys
cuda, ref, u64 = ctypes.CDLL("libcuda.so.1"), ctypes.byref, ctypes.c_uint64
context, module, function, word, result = u64(), u64(), u64(), u64(), u64()
good = cuda.cuInit(0) == 0 and cuda.cuCtxCreate_v2(ref(context), 0, 0) == 0 and cuda.cuModuleLoadData(ref(module), open(sys.argv[1], "rb").read() + b"\\0") == 0
cuda.cuModuleGetFunction(ref(function), module, b"k")
for at, size in ((word, 16), (result, 64)):
    cuda.cuMemAlloc_v2(ref(at), ctypes.c_size_t(size))
    cuda.cuMemsetD8_v2(at, 0, ctypes.c_size_t(size))
arguments = (ctypes.c_void_p * 2)(ctypes.addressof(word), ctypes.addressof(result))
good = good and cuda.cuLaunchKernel(function, int(sys.argv[2]), 1, 1, 1, 1, 1, 0, None, arguments, None) == 0 and cuda.cuCtxSynchronize() == 0
words = (ctypes.c_uint32 * 4)()
cuda.cuMemcpyDtoH_v2(words, word, ctypes.c_size_t(16))
print(*words)
sys.exit(not good)
"""


def test_a_program_for_cuda(build, tmp_path):
    """Its outcomes are some of the model's; files of choices of its kernel, which `run` has had, have the same results in the program."""
    program = litmus.PROGRAMS["lost updates"]
    target = Ptx(program, build, tmp_path)
    (tmp_path / "p.py").write_text(CUDA)
    words = ["-gsm", "/usr/bin/python3", str(tmp_path / "p.py"), str(target.file), "3"]
    done, outcomes = explored("--runs=12", *words, timeout=300)
    assert {status for _, status, _ in outcomes} == {0} and len(outcomes) > 1, done.stdout
    texts = {run(*command).stdout for _, _, command in outcomes}
    assert 1 < len(texts) <= len(outcomes) and texts <= {" ".join(map(str, memory)) + "\n" for memory, _, _ in litmus.outcomes(program)}
    _, searched = explored("--systematic", f"--save={tmp_path / 'o'}", *target.words, target.file)
    for _, _, command in searched[::4]:
        _, word, _ = target.dump(command)
        again = run("exec", command[1], *words)
        assert (again.stdout, again.stderr) == (" ".join(map(str, struct.unpack("<4I", word))) + "\n", ""), again


LOST = r"""
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    const char *text = "kernel void bump(global volatile int *p) { int v = *p; *p = v + 1; }";
    cl_platform_id platform; cl_device_id device;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL);
    cl_context c = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue q = clCreateCommandQueue(c, device, 0, NULL);
    cl_program m = clCreateProgramWithSource(c, 1, &text, NULL, NULL);
    if (clBuildProgram(m, 0, NULL, "", NULL, NULL)) return 1;
    cl_kernel k = clCreateKernel(m, "bump", NULL);
    int zero = 0, is;
    cl_mem p = clCreateBuffer(c, CL_MEM_READ_WRITE, 4, NULL, NULL);
    clEnqueueWriteBuffer(q, p, CL_TRUE, 0, 4, &zero, 0, NULL, NULL);
    clSetKernelArg(k, 0, sizeof p, &p);
    size_t n = 3, one = 1;
    clEnqueueNDRangeKernel(q, k, 1, NULL, &n, &one, 0, NULL, NULL);
    clFinish(q);
    clEnqueueReadBuffer(q, p, CL_TRUE, 0, 4, &is, 0, NULL, NULL);
    if (argc > 1 && argv[1][0] == 's') printf("%d\n", is);
    if (argc > 2 && argv[2][0] == 'f') clReleaseMemObject(p);
    if (argc > 2 && argv[2][0] == 'e') _exit(0);
    return 0;
}
"""


@pytest.mark.parametrize("how", [["f"], pytest.param([], marks=pytest.mark.full), pytest.param(["exits"], marks=pytest.mark.full)])
def test_memory_of_a_host_program_is_a_part_of_its_outcome(tmp_path, how):
    """A buffer in which two of three updates may be lost: an outcome for each value, also where the program never looks at it; at its end, and when it frees the buffer."""
    (tmp_path / "lost.c").write_text(LOST)
    program = tmp_path / "lost"
    subprocess.run(["gcc", "-w", tmp_path / "lost.c", "-lOpenCL", "-o", program], check=True)

    def outcomes(*words):
        done = run("explore", "--runs=4", "-g", "gen9", program, *words)
        return re.findall(r"status 0(?:, output (\w+))?, memory (\w+):", done.stdout)
    shown, quiet = outcomes("s"), outcomes("q", *how)
    assert len({value for value, _ in shown}) == len({memory for _, memory in shown}) == len(shown) >= 2, shown
    assert {memory for _, memory in quiet} == {memory for _, memory in shown} and {value for value, _ in quiet} == {""}


LOST_BY_CUDA = r"""
#include <wavetrap/cuda.h>
#include <stdlib.h>
#include <unistd.h>
static const char text[] = ".version 7.0\n.target sm_50\n.address_size 64\n.visible .global .u32 sum;\n"
    ".visible .entry bump(.param .u64 p)\n{\n.reg .b32 %v;\n.reg .b64 %p;\nld.param.u64 %p, [p];\nld.volatile.global.u32 %v, [%p];\nadd.u32 %v, %v, 1;\n"
    "st.volatile.global.u32 [%p], %v;\nret;\n}\n";
int main(int argc, char **argv)
{
    CUcontext c; CUmodule m; CUfunction f; CUdeviceptr at; size_t size;
    void *arguments[] = {&at}, *own = aligned_alloc(4096, 4096);
    *(int *)own = 0;
    if (cuInit(0) || cuCtxCreate(&c, 0, 0) || cuModuleLoadData(&m, text) || cuModuleGetFunction(&f, m, "bump")) return 1;
    if (argv[1][0] == 'v' ? cuModuleGetGlobal(&at, &size, m, "sum") : cuMemHostRegister(own, 4096, 0) || cuMemHostGetDevicePointer(&at, own, 0)) return 2;
    if (cuLaunchKernel(f, 3, 1, 1, 1, 1, 1, 0, 0, arguments, 0) || cuCtxSynchronize()) return 3;
    if (argv[2][0] == 'u' && (argv[1][0] == 'v' ? cuModuleUnload(m) : cuMemHostUnregister(own))) return 4;
    if (argv[2][0] == 'e') _exit(0);
    return 0;
}
"""


LOST_IN_AN_ARRAY = r"""
#include <wavetrap/cuda.h>
#include <unistd.h>
static const char text[] = ".version 7.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry bump(.param .u64 p)\n{\n.reg .b32 %v;\n.reg .b64 %p;\nld.param.u64 %p, [p];\nld.volatile.global.u32 %v, [%p+12];\nadd.u32 %v, %v, 1;\n"
    "st.volatile.global.u32 [%p+12], %v;\nret;\n}\n";
int main(int argc, char **argv)
{
    CUcontext c; CUmodule m; CUfunction f; CUdeviceptr at; CUarray a, other; CUmipmappedArray levels;
    void *arguments[] = {&at};
    CUDA_ARRAY3D_DESCRIPTOR what = {.Width = 2, .Height = 2, .Format = CU_AD_FORMAT_UNSIGNED_INT32, .NumChannels = 1};
    if (cuInit(0) || cuCtxCreate(&c, 0, 0) || cuModuleLoadData(&m, text) || cuModuleGetFunction(&f, m, "bump") || cuMemAlloc(&at, 16) || cuMemsetD32(at, 0, 4)) return 1;
    if (cuArray3DCreate(&other, &what) || cuMipmappedArrayCreate(&levels, &what, 2)) return 2;
    if (argv[1][0] == 'm' ? cuMipmappedArrayGetLevel(&a, levels, 0) : cuArray3DCreate(&a, &what)) return 3;
    if (cuLaunchKernel(f, 3, 1, 1, 1, 1, 1, 0, 0, arguments, 0) || cuCtxSynchronize()) return 4;
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = at, .srcPitch = 8, .dstMemoryType = CU_MEMORYTYPE_ARRAY, .dstArray = a, .WidthInBytes = 8, .Height = 2};
    if (cuMemcpy2D(&copy) || cuMemsetD32(at, 0, 4) || cuMemFree(at)) return 5;
    if (argv[2][0] == 'f' && (argv[1][0] == 'm' ? cuMipmappedArrayDestroy(levels) : cuArrayDestroy(a))) return 6;
    if (argv[2][0] == 'c' && cuCtxDestroy(c)) return 7;
    if (argv[2][0] == 'e') _exit(0);
    return 0;
}
"""


@pytest.mark.parametrize("what", ["array", "mipmap"])
def test_arrays_are_a_part(tmp_path, what):
    """A sum that an array alone has in the end, in its last row: an outcome for each value, when the array or its context goes, or the program ends."""
    (tmp_path / "lost.c").write_text(LOST_IN_AN_ARRAY)
    program = tmp_path / "lost"
    subprocess.run(["gcc", "-w", f"-I{ROOT}/include", tmp_path / "lost.c", "-o", program, os.path.join(os.path.dirname(WAVETRAP), "src", "runtime", "cuda", "libcuda.so.1")], check=True)
    sums = [set(re.findall(r"status 0, memory (\w+):", run("explore", "--runs=6", "-g", "sm", program, what, how).stdout)) for how in ("n", "f", "c", "e")]
    assert sums[0] == sums[1] == sums[2] == sums[3] and len(sums[0]) >= 2, sums


@pytest.mark.parametrize("where", ["variable", "registered"])
def test_variables_and_registered_memory_are_a_part(tmp_path, where):
    """Until they go, or the program ends by exit() or _exit(): the same outcomes, one for each sum."""
    (tmp_path / "lost.c").write_text(LOST_BY_CUDA)
    program = tmp_path / "lost"
    subprocess.run(["gcc", "-w", f"-I{ROOT}/include", tmp_path / "lost.c", "-o", program, os.path.join(os.path.dirname(WAVETRAP), "src", "runtime", "cuda", "libcuda.so.1")], check=True)
    sums = [set(re.findall(r"status 0, memory (\w+):", run("explore", "--runs=6", "-g", "sm", program, where, how).stdout)) for how in ("n", "u", "e")]
    assert sums[0] == sums[1] == sums[2] and len(sums[0]) >= 2, sums


MANY = """
_start: csrr t0, 0xcc2
        li t1, 99
        beq t0, t1, add
        bnez t0, end
add:    la t1, word
        lw t3, (t1)
        addi t3, t3, 1
        sw t3, (t1)
        bnez t0, end
        exit 0
end:    tmc x0
        .data
word:   .word 0
"""


def test_a_search_tells_hundreds_of_waves_apart(build, tmp_path):
    """The first and the last of many cores add 1 to a word that nothing protects; the others do nothing."""
    for cores in (100, 511):
        elf = build.asm(MANY.replace("99", str(cores - 1)))
        done, outcomes = explored("--systematic", f"--save={tmp_path}/", f"-gvortex:cores={cores},warps=1", elf)
        assert len(outcomes) == 2 and "no schedule has another one" in done.stdout, done.stdout
    elf = build.asm("_start: li a1, 2\nla t0, work\nwspawn a1, t0\nwork: tmc x0\n", name="more.S")
    more = run("explore", "--systematic", "-gvortex:cores=300,warps=2", elf)
    assert more.returncode == 125 and "more than 512 waves" in more.stderr, more


def test_mistakes_are_refused(build, tmp_path):
    elf = build.asm("_start: exit 0\n")
    for words, message in [(["--runs=0", elf], "runs are 1 to"), (["--schedule=rr:1", elf], "explore chooses the schedules"),
                           (["--systematic=x", elf], "bound of preemptions"), (["--systematic", "/bin/true"], "is a host program"),
                           (["--save=x", elf], "--save is for --systematic"),
                           ([elf, "more"], "'more' is too much"), (["--timeout=1", elf], "is for host programs"),
                           (["--max-issues=1", "/bin/true"], "are for kernels"), (["-gvortex:warps=99999", elf], "warps"),
                           (["-gvortex", "-gvortex", elf], "give one --gpu"), (["--slots", "/bin/true"], "are for kernels")]:
        done = run("explore", *words)
        assert done.returncode == 125 and message in done.stderr, (words, done)


# ---- the state file ----

def lines(state):
    return state.read_bytes().split(b"\n")[1:-1]


def test_a_killed_exploration_goes_on(build, tmp_path):
    """Killed at random moments: each run is in the file once, and the outcomes are those of one that was not killed."""
    elf, state, runs = build.asm(UPDATES), tmp_path / "state", 300
    words = ["explore", "-gvortex:warps=4", f"--runs={runs}", "--jobs=2", elf]
    whole = run(*words)
    kills, rng = 0, random.Random(7)
    while kills < 50:
        child = subprocess.Popen([WAVETRAP, *map(str, words[:-1]), f"--state={state}", str(elf)], stdout=subprocess.PIPE, text=True)
        want = (len(lines(state)) if state.exists() else 0) + rng.randrange(0, 7)
        while child.poll() is None and (len(lines(state)) if state.exists() else 0) < min(want, runs - 1):
            time.sleep(0.001)
        time.sleep(rng.random() / 200)
        ended = child.poll() is not None
        child.kill()
        child.communicate()
        kills += 1
        if ended and child.returncode != -signal.SIGKILL:
            break
    done = run(*words[:-1], f"--state={state}", elf)
    assert kills > 20 and (done.returncode, done.stdout) == (whole.returncode, whole.stdout), (kills, done)
    numbers = sorted(int(line.split()[1]) for line in lines(state))
    assert numbers == list(range(runs))
    # Nothing is left to do: no run is added; more runs are.
    before = state.read_bytes()
    assert run(*words[:-1], f"--state={state}", elf).stdout == whole.stdout and state.read_bytes() == before
    run("explore", "-gvortex:warps=4", f"--runs={runs + 2}", f"--state={state}", elf)
    assert len(lines(state)) == runs + 2


def searched(target, *options):
    """What a search prints, and the choices of its outcomes."""
    for old in target.folder.glob("s*.choices"):
        old.unlink()
    done = run("explore", f"--save={target.folder / 's'}", *options, *target.words, target.file)
    return done.returncode, done.stdout, done.stderr, {file.name: file.read_text() for file in target.folder.glob("s*.choices")}


@pytest.mark.parametrize("name, how", [("IRIW", "--systematic"), ("lost updates", "--systematic"), pytest.param("lost updates", "--systematic=2", marks=pytest.mark.full), ("waits for ever", "--systematic"),
                                       ("lock by CAS, once", "--systematic=1"), ("last block done, counted first", "--systematic")])
def test_a_search_by_many_processes_is_that_of_one(build, tmp_path, name, how):
    """The state file has each run, with its choices and accesses, in the order of the search: one process and several write the same bytes."""
    target = Ptx(litmus.PROGRAMS[name], build, tmp_path)
    whole = searched(target, how)
    for jobs in (1, 3):
        assert searched(target, how, f"--jobs={jobs}", f"--state={tmp_path / str(jobs)}") == whole
    one, three = ((tmp_path / jobs).read_bytes() for jobs in "13")
    assert one == three and len(one) > 1000
    assert searched(target, how, "--jobs=2", f"--state={tmp_path / '3'}") == whole and (tmp_path / "3").read_bytes() == one     # nothing is left to do


def test_a_killed_search_goes_on(build, tmp_path):
    """Killed at random moments by one process or several: no run is in the file twice, and none is lost."""
    target, state = Ptx([[("add", 0, 0)]] * 5, build, tmp_path), tmp_path / "state"
    whole = searched(target, "--systematic", f"--state={tmp_path / 'whole'}")
    words = [WAVETRAP, "explore", f"--save={tmp_path / 's'}", "--systematic", f"--state={state}", *target.words]
    kills, rng, step = 0, random.Random(5), (tmp_path / "whole").stat().st_size // 40
    size = lambda: state.stat().st_size if state.exists() else 0    # noqa: E731
    while size() < (tmp_path / "whole").stat().st_size and kills < 50:
        child = subprocess.Popen([*map(str, words), f"--jobs={rng.randrange(1, 4)}", str(target.file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        want = size() + rng.randrange(step)
        while child.poll() is None and size() < want:
            time.sleep(0.001)
        child.kill()
        child.communicate()
        kills += 1
    assert kills > 5 and whole[1].startswith("120 schedules")    # a busy machine writes more between two kills
    assert searched(target, "--systematic", f"--state={state}", "--jobs=2") == whole and state.read_bytes() == (tmp_path / "whole").read_bytes()


def test_the_state_of_a_search_is_damaged_or_of_another_command(build, tmp_path):
    target, state = Ptx(litmus.PROGRAMS["lost updates"], build, tmp_path), tmp_path / "state"
    words = ["--systematic", f"--state={state}"]
    whole = searched(target, *words)
    text = state.read_bytes()
    for damaged, message in ((text[:-5], ""), (text[:20], ""), (text[:400] + b"x" + text[401:], "is damaged"), (b"a diary\n", "no state file")):
        state.write_bytes(damaged)
        done = searched(target, *words)
        assert (done == whole and state.read_bytes() == text) if not message else (done[0] == 125 and message in done[2] and state.read_bytes() == damaged), (message, done)
    state.write_bytes(text)
    for other in (["--systematic=1", f"--state={state}"], [*words, "--max-issues=1000"]):
        done = searched(target, *other)
        assert done[0] == 125 and "the state of another command" in done[2], done
    assert run("explore", "--runs=5", f"--state={state}", *target.words, target.file).returncode == 125


def test_a_state_that_is_damaged_or_of_another_command(build, tmp_path):
    elf, state = build.asm(UPDATES), tmp_path / "state"
    words = ["explore", "--runs=6", f"--state={state}"]
    assert run(*words, "-gvortex:warps=4", elf).returncode in (0, SEVERAL)
    text = state.read_bytes()
    state.write_bytes(text[:-9])                  # a piece of the last line: that run is made again
    assert run(*words, "-gvortex:warps=4", elf).returncode in (0, SEVERAL) and sorted(lines(state)) == sorted(text.split(b"\n")[1:-1])
    state.write_bytes(text.replace(b" 0 ", b" 1 ", 1))
    done = run(*words, "-gvortex:warps=4", elf)
    assert done.returncode == 125 and "line 2: the line is damaged" in done.stderr
    state.write_bytes(text)
    done = run(*words, "-gvortex:warps=2", elf)
    assert done.returncode == 125 and "the state of another command" in done.stderr
    state.write_text("a diary\n")
    done = run(*words, "-gvortex:warps=4", elf)
    assert done.returncode == 125 and "no state file" in done.stderr and state.read_text() == "a diary\n"


# ---- on a cluster: Debian's Open MPI, on this machine ----

MPI = pathlib.Path(WAVETRAP).resolve().parent / "wavetrap-explore-mpi"


def start_mpi(ranks, folder, *words):
    """What Open MPI keeps of a killed job stays in @p folder."""
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "TMPDIR": str(folder)}
    return subprocess.Popen(["mpirun", "-q", "--oversubscribe", "-n", str(ranks), MPI, *map(str, words)], env=environment,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def mpi(ranks, folder, *words):
    child = start_mpi(ranks, folder, *words)
    out, err = child.communicate(timeout=300)
    return subprocess.CompletedProcess(child.args, child.returncode, out, err)


needs_mpi = pytest.mark.skipif(not MPI.exists(), reason="built without MPI (libopenmpi-dev)")


@needs_mpi
def test_ranks_find_what_one_process_finds(build, tmp_path):
    elf, state = build.asm(UPDATES), tmp_path / "state"
    (tmp_path / "p").write_text("#!/bin/sh\necho $1\nexit 3\n")
    (tmp_path / "p").chmod(0o755)
    for words in (["-gvortex:warps=4", "--runs=40", elf], ["--runs=4", tmp_path / "p", "--runs=x"]):
        whole = run("explore", *words)
        for ranks in (1, 2, 4):
            done = mpi(ranks, tmp_path, *words)
            assert (done.returncode, done.stdout) == (whole.returncode, whole.stdout), done
    # The state file is the same, too: each goes on with the other's.
    assert mpi(3, tmp_path, "-gvortex:warps=4", f"--state={state}", "--runs=20", elf).returncode == SEVERAL
    assert run("explore", "-gvortex:warps=4", f"--state={state}", "--runs=30", elf).returncode == SEVERAL
    done = mpi(3, tmp_path, "-gvortex:warps=4", f"--state={state}", "--runs=40", elf)
    assert done.stdout == run("explore", "-gvortex:warps=4", "--runs=40", elf).stdout and len(lines(state)) == 40


@needs_mpi
def test_ranks_say_once_what_is_wrong(build, tmp_path):
    """The command line, before any run; and what only a worker sees, with its host's name."""
    elf = build.asm(UPDATES)
    for words, message in ((["--jobs=2", elf], "mpirun's -n says"), (["--systematic", elf], "are for one machine"),
                           (["--runs=0", elf], "runs are 1 to"), (["-gvortex:warps=99999", elf], "must be 1 to"),
                           (["--load=/no/such/file@0x90000000", elf], f"on {os.uname().nodename}: "), (["--state=/no/such/file", elf], "cannot open")):
        done = mpi(3, tmp_path, *words)
        assert done.returncode == 125 and done.stderr.count(message) == 1 and not done.stdout, (words, done)


def descendants(of):
    """The processes that @p of has started, and theirs: process: name of its program."""
    found, parents = {}, {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                name, rest = open(f"/proc/{entry}/stat").read().rsplit(")", 1)
            except OSError:
                continue
            parents[int(entry)] = (int(rest.split()[1]), name.split("(", 1)[1], rest.split()[0])
    for process in parents:
        at = process
        while at in parents and at != of:
            at = parents[at][0]
        if at == of and process != of and parents[process][2] != "Z":
            found[process] = parents[process][1]
    return found


def is_at_work(process):
    """It is there, and no zombie that nobody has waited for yet."""
    try:
        return open(f"/proc/{process}/stat").read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


@needs_mpi
@pytest.mark.full
def test_a_killed_job_goes_on(build, tmp_path, most=50):
    """The starter, the manager, a worker or all of them are killed at random moments: no run is lost or made twice."""
    elf, state, runs = build.asm(UPDATES), tmp_path / "state", 40 * most
    words = ["-gvortex:warps=4", f"--runs={runs}", f"--state={state}", elf]
    rng, kills = random.Random(most), 0
    while kills < most:
        child = start_mpi(3, tmp_path, *words)
        want = (len(lines(state)) if state.exists() else 0) + rng.randrange(0, 30)
        while child.poll() is None and (len(lines(state)) if state.exists() else 0) < min(want, runs - 1):
            time.sleep(0.001)
        started = descendants(child.pid)
        ranks = sorted(process for process, name in started.items() if name.startswith("wavetrap-explor"))
        chosen = rng.choice([[child.pid], ranks[:1], ranks[1:2], [child.pid, *started]])
        for process in chosen:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        kills += bool(chosen)
        child.communicate(timeout=120)
        while any(is_at_work(process) for process in started):
            time.sleep(0.01)
    done = mpi(3, tmp_path, *words)
    whole = run("explore", *(word for word in words if "--state" not in str(word)))
    assert (done.returncode, done.stdout) == (whole.returncode, whole.stdout)
    assert sorted(int(line.split()[1]) for line in lines(state)) == list(range(runs))


# ---- all schedules ----

class Vortex:
    def __init__(self, program, build, folder):
        self.file, self.folder = build.asm(litmus.vortex(program)), folder
        self.words = [f"-gvortex:warps={len(program)},threads=1"]

    def dump(self, words):
        done = run(*words[:-1], f"--dump={self.folder / 'word'}@word:16", f"--dump={self.folder / 'result'}@result:64", words[-1])
        return done, (self.folder / "word").read_bytes(), (self.folder / "result").read_bytes()


class Kernel:
    def dump(self, words):
        done = run(*words[:-1], f"--dump-arg=0:{self.folder / 'word'}", f"--dump-arg=1:{self.folder / 'result'}", words[-1])
        return done, (self.folder / "word").read_bytes(), (self.folder / "result").read_bytes()


class Ptx(Kernel):
    def __init__(self, program, build, folder):
        self.file, self.folder = folder / "k.ptx", folder
        self.file.write_text(litmus.ptx(program))
        self.words = [f"--grid={len(program)}", "--block=1", "--arg=zeros:16", "--arg=zeros:64"]


class Gfx900(Kernel):
    def __init__(self, program, build, folder):
        self.file, self.folder, source = folder / "k.co", folder, folder / "k.cl"
        source.write_text(litmus.opencl(program, litmus.AMDGCN))
        subprocess.run([CLANG, "-x", "cl", "-cl-std=CL2.0", "-O1", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900", "-nogpulib", source, "-o", self.file], check=True)
        self.words = [f"--grid={len(program)}", "--block=1", "--arg=zeros:16", "--arg=zeros:64"]


class Gen9(Kernel):
    def __init__(self, program, build, folder):
        self.file, self.folder, source = folder / "k", folder, folder / "k.cl"
        source.write_text(litmus.opencl(program, litmus.LIBRARY))
        subprocess.run(["ocloc", "compile", "-file", source, "-device", "skl", "--format", "zebin", "-output", "k", "-output_no_suffix", "-out_dir", folder],
                       check=True, capture_output=True)
        self.words = ["-ggen9", f"--grid={len(program)}", "--block=1", "--arg=zeros:16", "--arg=zeros:64"]


def found(target, program, *options):
    """The set of outcomes of the search, with the values that the commands which it names give."""
    done, outcomes = explored(f"--systematic{''.join(options)}", f"--save={target.folder / 'o'}", *target.words, target.file)
    result = set()
    for _, status, words in outcomes:
        if status == 121:      # it spins: the run that repeats it needs an end
            words = [words[0], "--max-issues=20000", *words[1:]]
        again, word, own = target.dump(words)
        assert again.returncode == (124 if status == 121 else 0) and "could not be followed" not in again.stderr, again
        regs = struct.unpack(f"<{4 * len(program)}I", own[:16 * len(program)])
        result.add((struct.unpack("<4I", word), tuple(tuple(regs[4 * t:4 * t + 3]) for t in range(len(program))), status == 121))
    return done, outcomes, result


def expected(program, preemptions=None):
    """As the model has it. Registers of threads that wait for ever are not stored."""
    def stored(outcome):
        words, regs, stuck = outcome
        return words, regs if not stuck else None, stuck
    return {stored(o) for o in litmus.outcomes(program, preemptions)}


def without_registers(outcomes):
    return {(words, None if stuck else regs, stuck) for words, regs, stuck in outcomes}


# make check compiles each program for one of the families that need a compiler, by turns.
@pytest.mark.parametrize("name, target", [pytest.param(name, target, marks=[] if target in ((Vortex, Gen9), (Ptx, Gfx900))[n % 2] else pytest.mark.full)
                                          for n, name in enumerate(litmus.PROGRAMS) for target in (Vortex, Ptx, Gfx900, Gen9)])
def test_all_outcomes_of_litmus_programs(build, tmp_path, target, name):
    program = litmus.PROGRAMS[name]
    done, outcomes, result = found(target(program, build, tmp_path), program)
    assert "no schedule has another one" in done.stdout, done.stdout
    assert without_registers(result) == expected(program), done.stdout


@pytest.mark.parametrize("preemptions", [pytest.param(0, marks=pytest.mark.full), 1, pytest.param(2, marks=pytest.mark.full)])
@pytest.mark.parametrize("name", ["lost updates", "store buffering", "IRIW", "ticket lock, left early", "last block done, counted first"])
def test_outcomes_within_a_bound_of_preemptions(build, tmp_path, preemptions, name):
    program = litmus.PROGRAMS[name]
    done, _, result = found(Ptx(program, build, tmp_path), program, f"={preemptions}")
    assert f"no other one has at most {preemptions} preemption" in done.stdout
    assert without_registers(result) == expected(program, preemptions), done.stdout


@pytest.mark.parametrize("seed", [seed if seed < 4 else pytest.param(seed, marks=pytest.mark.full) for seed in range(12)])
def test_random_programs(build, tmp_path, seed):
    program = litmus.random_program(random.Random(seed))
    _, _, result = found(Ptx(program, build, tmp_path), program)
    assert without_registers(result) == expected(program), program


def test_the_page_is_true(tmp_path):
    """Each command of docs/explore.md prints what the page says."""
    page = (ROOT / "docs" / "explore.md").read_text()
    sessions = "".join(re.findall(r"^```console\n(.*?)^```$", page, re.M | re.S))
    parts = re.split(r"^\$ (.*)\n", sessions, flags=re.M)
    os.symlink(ROOT / "examples", tmp_path / "examples")
    env = {**os.environ, "PATH": f"{os.path.dirname(WAVETRAP)}:{os.environ['PATH']}"}
    for command, wanted in zip(parts[1::2], parts[2::2]):
        done = subprocess.run(command, shell=True, cwd=tmp_path, env=env, capture_output=True, text=True)
        assert done.stdout == wanted, command
    assert len(parts) > 10


# ---- where two runs differ ----

MARK = r"(load|store|atomic) of 4 bytes at (0x[0-9a-f]+), value (0x[0-9a-f]+), issue time (\d+)\n +group \((\d+),0,0\)"


def traced(words):
    """Of a run: (issue time, block, kind, address) of each access, as the trace has them."""
    text = run("trace", "--accesses", *words).stdout
    result = []
    for line in text.splitlines():
        if m := re.match(r" *(\d+) core (\d+) warp (\d+) ", line):
            at, warp = int(m[1]), (m[2], m[3])
        elif m := re.match(r" +(load|store|atomic)(?: \([^)]*\))? of 4 bytes, global, .*: (0x[0-9a-f]+)$", line):
            result.append((at, warp, m[1], int(m[2], 16)))
    return result


@pytest.mark.parametrize("name", ["lost updates", "store buffering", pytest.param("IRIW", marks=pytest.mark.full), "last block done, counted first", "ticket lock, left early"])
def test_the_exchanged_accesses_are_exchanged(build, tmp_path, name):
    """Each pair of outcomes: the two accesses of `diff` have one order in the trace of the first run, the other one in that of the second."""
    program = litmus.PROGRAMS[name]
    target = Ptx(program, build, tmp_path)
    _, outcomes = explored("--systematic", f"--save={tmp_path / 'o'}", *target.words, target.file)
    runs = [words[1:] for _, _, words in outcomes]
    traces = [traced(words) for words in runs]
    line = lambda words: "wavetrap run " + " ".join(words)
    assert run("diff", line(runs[0]), line(runs[0])).returncode == 0
    for a in range(len(runs)):
        for b in range(len(runs)):
            if a == b:
                continue
            done = run("diff", line(runs[a]), line(runs[b]))
            assert done.returncode == 1, done
            exchange = re.search(rf"another order. In run 1:\n +{MARK}.*\n +then {MARK}", done.stdout)
            assert exchange, done.stdout
            first, second = exchange.groups()[:5], exchange.groups()[5:]
            order = []
            for (kind, addr, _, at, _) in (first, second):
                # The access in the first run, and the same one of its warp in the second.
                [warp] = {w for t, w, k, x in traces[a] if (t, k, x) == (int(at), kind, int(addr, 16))}
                number = [t for t, w, _, _ in traces[a] if w == warp].index(int(at))
                order.append((int(at), [t for t, w, _, _ in traces[b] if w == warp][number:][:1] or [1 << 60]))
            assert first[1] == second[1] and {first[0], second[0]} != {"load"}
            assert order[0][0] < order[1][0] and order[0][1] > order[1][1], done.stdout


def test_builds_are_compared_by_their_stores(build, tmp_path):
    one, other = tmp_path / "one.ptx", tmp_path / "other.ptx"
    program = [[("st", 0, 1), ("st", 1, 7)], [("ld", 2, 0)]]
    one.write_text(litmus.ptx(program))
    other.write_text(litmus.ptx(program).replace("], 7;", "], 9;"))
    words = "--grid=2 --block=1 --arg=zeros:16 --arg=zeros:64"
    done = run("diff", f"run {words} {one}", f"wavetrap run {words} '{other}'")
    assert done.returncode == 1 and re.search(rf"run 1: {MARK}.*\n +run 2: {MARK}", done.stdout)
    assert "value 0x7" in done.stdout and "value 0x9" in done.stdout and "another order" not in done.stdout, done.stdout
    for lines, message in [((f"run '{one}", "run x"), "a quote does not end"), (("run", f"run {words} {one}"), "operand is missing"),
                           ((f"run {words} {one}", "run /nowhere"), "run 2: ")]:
        done = run("diff", *lines)
        assert done.returncode == 125 and message in done.stderr, done


PLACES = r"""
#ifdef __AMDGCN__
#define GROUP __builtin_amdgcn_workgroup_id_x()
#define ITEM __builtin_amdgcn_workitem_id_x()
#define BARRIER __builtin_amdgcn_s_barrier()
#else
#define GROUP __nvvm_read_ptx_sreg_ctaid_x()
#define ITEM __nvvm_read_ptx_sreg_tid_x()
#define BARRIER __nvvm_bar_sync(0)
#endif
int variable;
kernel void sum(global int *out, global const int *in, global int *count, int n) {
  local int part[64];
  int item = ITEM, number = GROUP * 64 + item;
  part[item] = in[number] * n;
  BARRIER;
  for (int k = 0; k < 3; k++)
    out[number] = part[63 - item] + k + (number == ODD);
  __opencl_atomic_fetch_add((global atomic_int *)count, number, memory_order_relaxed, memory_scope_device);
}
"""


def test_two_gpus_are_compared_by_places(tmp_path):
    """Work-item 37 of the second group stores another value; the sum by atomic operations counts by its end; what is not compared is named."""
    (tmp_path / "k.cl").write_text(PLACES)

    def built(name, *words):
        subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", "-g", "-nogpulib", *words, "k.cl", "-o", name], cwd=tmp_path, check=True, capture_output=True)
        return tmp_path / name
    gfx900, sm = ("-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900", "-mcode-object-version=4"), ("-target", "nvptx64-nvidia-cuda", "-S")
    plain = {"gfx900": built("k.co", *gfx900, "-O2", "-DODD=-1"), "O0": built("k0.co", *gfx900, "-O0", "-DODD=-1"), "sm": built("k.ptx", *sm, "-O1", "-DODD=-1")}
    odd = built("odd.ptx", *sm, "-O1", "-DODD=101")
    line = lambda file, start="zeros:4": f"run --grid=128 --block=64 --arg=zeros:512 --arg=iota:512 --arg={start} --arg=3 {file}"
    for words in ((line(plain["gfx900"]), line(plain["sm"])), (line(plain["sm"]), line(plain["gfx900"])), ("--places", line(plain["O0"]), line(plain["gfx900"]))):
        done = run("diff", *words)
        assert done.returncode == 0 and "No store differs" in done.stdout and "Not compared: stores to memory of groups (128 in run 1, 128 in run 2)" in done.stdout, done
    assert "stores that the same work-item has overwritten (256 in run 1" in done.stdout, done    # not optimised
    assert run("diff", line(plain["O0"]), line(plain["gfx900"])).returncode == 1                  # one by one
    done = run("diff", line(plain["gfx900"]), line(odd))
    value = 3 * (64 + 63 - 37) + 2
    assert done.returncode == 1 and re.search(rf"run 1: store of 4 bytes at 0x\w+194, value {value:#x},.*\n +group \(1,0,0\), wave 0, lane 37.*\n"
                                              rf" +run 2: store of 4 bytes at 0x\w+194, value {value + 1:#x},.*\n +group \(1,0,0\), warp 1, lane 5", done.stdout), done
    done = run("diff", line(plain["gfx900"], "pattern:4=01000000"), line(plain["sm"]))
    total = sum(range(128))
    assert done.returncode == 1 and re.search(rf"these are the last stores:\n +run 1: atomic.*value {total + 1:#x},.*\n.*\n +run 2: atomic.*value {total:#x},", done.stdout), done
    done = run("diff", line(plain["gfx900"], "zeros:8"), line(plain["sm"]))
    assert done.returncode == 125 and "argument 2 has 8 bytes in run 1, and 4 in run 2" in done.stderr, done


# Each work-item draws a texel of each layer; ODD draws another one of layer 1. The group that comes last to `turn` draws texel (0,0) of layer 0.
DRAWS = """
kernel void draw(write_only image2d_array_t to, read_only image2d_t from, global int *turn)
{
  int x = get_global_id(0), y = get_global_id(1);
  for (int layer = 0; layer < 2; layer++)
    if (x + y + layer)
      write_imagei(to, (int4)(x, y, layer, 0), read_imagei(from, (int2)(x, y)) + (x == 5 && y == 2 && layer == ODD));
  if (get_local_id(0) == 0 && atomic_inc(turn) == 5)
    write_imagei(to, (int4)(0, 0, 0, 0), (int4)(LAST, 0, 0, 7));
}
"""


@pytest.mark.parametrize("texels, size", [("rgba-sint32", 16), pytest.param("r-sint16", 2, marks=pytest.mark.full)])
def test_images_are_compared(tmp_path, texels, size):
    """Stores of texels are stores: of two schedules, and of two builds by their places, where the layers of the two lie alike. The one that differs is told with its work-item."""
    (tmp_path / "k.cl").write_text(DRAWS)

    def built(name, *options):
        subprocess.run(["ocloc", "compile", "-file", "k.cl", "-device", "skl", "--format", "zebin", "-output", name, "-output_no_suffix", "-q", "-options", " ".join(options)],
                       cwd=tmp_path, check=True, capture_output=True)
        return tmp_path / name
    line = lambda file, *words: " ".join(map(str, ["run -g gen9 --grid=12,4 --block=4,2", *words, f"--arg=image:12x4x2,{texels},zeros --arg=image:12x4,{texels},pattern:0102030405060708 --arg=zeros:4", file]))
    same, odd, plain = built("same", "-DODD=-1 -DLAST=9"), built("odd", "-DODD=1 -DLAST=9"), built("plain", "-DODD=-1 -DLAST=9 -cl-opt-disable")
    turns = built("turns", "-DODD=-1 -DLAST=get_group_id(0)+get_group_id(1)*3+1")
    for words in ((line(same), line(same)), ("--places", line(same), line(plain))):
        done = run("diff", *words)
        assert done.returncode == 0 and "No store differs" in done.stdout, done
    done = run("diff", "--places", line(plain), line(odd))
    assert done.returncode == 1 and len(re.findall(rf"run \d: store of {size} bytes at 0x\w+, value 0x\w+, issue time \d+\n +group \(1,1,0\)", done.stdout)) == 2, done
    done = run("diff", line(turns, "--schedule=rr:1"), line(turns, "--schedule=random:3"))
    assert done.returncode == 1 and "Two accesses happened in another order" in done.stdout, done


def test_a_recorded_run_is_compared(build, tmp_path):
    """Of a kernel that faults at its end: as the run itself, and the command goes there in the core file."""
    text = litmus.vortex(litmus.PROGRAMS["message passing"]).replace(" tmc x0", " lw t1, 1(s0)\n tmc x0")
    elf, core = build.asm(text), tmp_path / "core"
    one, other = (f"-gvortex:warps=2,threads=1 --schedule={schedule} {elf}" for schedule in ("rr:64", "rr:1"))
    assert "misaligned" in run("run", f"--core-on-fault={core}", "--core-history=all", *one.split()).stderr
    live, past = run("diff", f"wavetrap run {one}", f"run {other}"), run("diff", f"wavetrap debug --core {core}", f"run {other}")
    assert live.returncode == past.returncode == 1
    split = "To go there:\n"
    assert past.stdout.split(split)[0] == live.stdout.split(split)[0] and "another order" in live.stdout, (live, past)
    command = re.search(r"run 1: wavetrap (debug -ex 'goto (\d+)' --core .*)", past.stdout)
    done = subprocess.run(f"{WAVETRAP} {command[1]} --nx --batch", shell=True, capture_output=True, text=True)
    assert f"Issue time {command[2]}\n" in done.stdout, done
    assert run("run", f"--core-on-fault={core}", *one.split()).returncode == 119
    done = run("diff", f"debug --core {core}", f"run {other}")
    assert done.returncode == 125 and "has no recorded run" in done.stderr
