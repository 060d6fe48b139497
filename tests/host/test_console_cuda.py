"""The console with programs on the CUDA driver API. What a kernel stores says what its variables must be."""
import os
import re
import shutil
import signal
import subprocess

import pexpect
import pytest

from conftest import WAVETRAP
from sanitizer import BUILD, ROOT, environment
from terminal import PROMPT, stop_in_kernel
from test_clang_openmp import compiled as compiled_by_clang, variables
from test_console import END, ask, debug
from test_cuda import compiled
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
    subprocess.run(["gcc-12", "-O1", f"-I{ROOT}/include", HERE / "cuda_session.c", "-o", folder / "session", LIBRARY], check=True)
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
                "continue", "print value@*", "up", "print sum@*", "print mine.second@3", "print tile[0..2]", "delete", "continue"], *program, options=SM)
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
    assert re.search(r"= (.*)", said[16])[1] == values and said[17].endswith("= 1.5\n"), said[14:18]
    assert re.search(r"= \{\d+, \d+, \d+\}$", said[18]) and said[-1].endswith(END)


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


def test_a_mistake_stops_and_then_ends_the_kernel_as_without_a_debugger(program):
    line = line_of("stray store")
    done = debug(["run", "info cuda lanes", "continue"], *program, "stray", options=SM)
    assert done.returncode == 0, done.stderr
    assert "Program stopped by a fault: L1_ERROR: a store at 0x40: no memory is mapped there\n" in done.stdout
    assert re.search(rf"^stray \(.*\) at {SOURCE}:{line}$", done.stdout, re.M), done.stdout
    assert "\nthen 700\n" in done.stdout and done.stdout.endswith(END + "=-=-=\n")
    assert "kernel stray, SM 0 warp 0, block (0,0,0) warp 0" in done.stderr


def test_a_trap_of_the_program_s_own(tmp_path):
    plain = compiled(tmp_path, "gcc-12", "cuda.c", f"-I{ROOT}/include")
    done = debug(["run", "x/i $pc", "continue"], plain, "stop", options=SM)
    assert "Program stopped by a fault: a trap of the program's own, which ends the kernel\n" in done.stdout
    assert re.search(r"^=> 0x\w+ <stop>:\ttrap$", done.stdout, re.M)
    assert "then 719, again 719\n" in done.stdout
    assert re.search(r"kernel stop, .*\n  at 0x\w+ <stop> at PTX:\d+\n  trap\n", done.stderr), done.stderr


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


def test_openmp_of_gcc(tmp_path):
    """Regions are kernels, functions have frames; the values of what the kernel prints and gives back are those without a debugger."""
    source = HERE / "cuda_openmp.c"
    path = compiled(tmp_path, "gcc-12", source.name, "-g", "-fopenmp", "-foffload=nvptx-none", "-fno-stack-protector", "-fcf-protection=none")
    said = ask(["break fibonacci", "run", "backtrace", "delete", "finish", "continue"], path, options=SM)
    assert said[0] == "Breakpoint 1 (fibonacci) pending.\n"
    assert re.search(rf"^Breakpoint 1, fibonacci \(.*\) at {source}:", said[1], re.M), said[1]
    assert re.search(rf"^#1  0x\w+ in main\$_omp_fn\$\d\$impl \(.*\) at {source}:", said[2], re.M), said[2]
    assert "gomp_nvptx_main" in said[2]
    assert said[5] == "Continuing.\nkernel: 495 text  2.50\nhost 0, fibonacci 55, sum 1499500, threads several\n" + END


def test_openacc_of_gcc(tmp_path):
    path = compiled(tmp_path, "gcc-12", "cuda_openacc.c", "-g", "-fopenacc", "-foffload=nvptx-none", "-fno-stack-protector", "-fcf-protection=none")
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
