"""How `exec` ends: what the kernels of a program and its children did, limits of time, signals, names of files. All families alike."""
import ctypes
import os
import re
import signal
import struct
import subprocess
import time
from pathlib import Path

import pytest

from conftest import ROOT, WAVETRAP, compiled, environment, wavetrap
from releases import CC
from test_cuda import compiled as compiled_cuda
from test_long import LIMIT, Running, until
from test_opencl_long import build

FAMILIES = ["gfx900", "gen9", "sm"]
SHOWN = {"gfx900": "gfx900", "gen9": "Gen9", "sm": "SM"}


@pytest.fixture(scope="module")
def waits(tmp_path_factory):
    """By family: the command line of a program whose kernel waits for a line of standard input, or for ever."""
    folder = tmp_path_factory.mktemp("ends")
    cuda = compiled_cuda(folder, CC, "cuda.c", f"-I{ROOT}/include")
    return {"gfx900": [compiled("long.hip")], "gen9": [build(ROOT / "tests" / "host" / "opencl_long.c", folder)], "sm": [cuda, "forever"]}


@pytest.fixture(scope="module")
def strays(tmp_path_factory):
    """By family: a program whose kernel makes a stray access; that on the SM does not look at the error."""
    folder = tmp_path_factory.mktemp("strays")
    cuda = compiled_cuda(folder, CC, "cuda.c", f"-I{ROOT}/include")
    return {"gfx900": [compiled("faults.hip"), "store"], "gen9": [build(ROOT / "examples" / "opencl" / "stray.c", folder)], "sm": [cuda, "stray"]}


def places(family, said):
    """Whether each wave is named."""
    return re.search({"gfx900": r"interrupted: gfx900 \(node 1\), issue time \d+: 1 kernel runs\n  the kernel at .* <waits.*\n(    device 0, dispatch \d+, group .*\n      at 0x.*\n)+",
                      "gen9": r"interrupted: gen9, issue time \d+: 1 kernel runs\n  the kernel at .* <waits.*\n(    device 0, dispatch 1, group .*\n      at 0x.*\n)+",
                      "sm": r"interrupted: sm, issue time \d+: kernel forever runs.*\n(    device 0, dispatch 1, group .*\n      at 0x.*\n)+"}[family], said)


@pytest.mark.parametrize("family", FAMILIES)
def test_sigterm_tells_what_sigint_tells(waits, family):
    """As `timeout` and CI services send it."""
    with Running(*waits[family][1:], program=waits[family][0], options=["-g", family, "--progress=always"]) as run:
        until(run.process.stderr.fileno(), rb"issues a second\n")
        run.process.send_signal(signal.SIGTERM)
        said = run.process.stderr.read().decode()
        assert run.process.wait(LIMIT) == -signal.SIGTERM
    assert places(family, said), said


def out_of_time(waits, families, seconds):
    """What exec says of each of these programs after so long; of those that run by then."""
    running, said = {}, {}
    for family in families:
        command = " ".join(map(str, waits[family]))
        running[family] = subprocess.Popen([WAVETRAP, "exec", "-g", family, f"--timeout={seconds}", "--stats", "sh", "-c", f"{command}; true"], text=True,
                                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    for family, process in running.items():
        began = process.stdout.readline() == "running\n"
        text = process.stderr.read()
        process.stdin.close()
        process.stdout.close()
        assert process.wait(LIMIT) == 124, text
        assert text.startswith(f"wavetrap exec: the program has not ended after {seconds} s (--timeout): it is ended\n"), text
        if began and re.search(r"^wavetrap: 1 kernel.* launched on ", text, re.M):
            said[family] = text
    return said


def test_a_program_whose_time_is_over(waits):
    """Status 124, the places of all waves, and the launches until then; also if it is a child of what exec runs. The kernels wait for ever, and
    compute all the while; on a slow machine they have not begun in the shorter time."""
    said = out_of_time(waits, FAMILIES, 4)
    said |= out_of_time(waits, [family for family in FAMILIES if family not in said], 20)
    for family in FAMILIES:
        assert places(family, said[family]), said[family]
        assert re.search(rf"^wavetrap: 1 kernel.* launched on the emulated {SHOWN[family]}, \d+ instructions of ", said[family], re.M), said[family]


def test_a_program_in_time():
    assert wavetrap("exec", "--timeout=100", "sh", "-c", "exit 3").returncode == 3
    for value in "0", "-1", "x", "1s", "nan", "1e99":
        done = wavetrap("exec", f"--timeout={value}", "echo", "it ran")
        assert (done.returncode, done.stdout) == (125, "") and "takes seconds, above 0" in done.stderr, done.stderr


def test_a_program_that_does_not_heed_sigterm_is_killed():
    done = wavetrap("exec", "--timeout=0.5", "sh", "-c", "trap '' TERM; while :; do sleep 0.1; done")
    assert (done.returncode, done.stdout) == (124, ""), done.stderr


@pytest.mark.parametrize("family", FAMILIES)
def test_launches_are_counted_over_all_processes(strays, family):
    """Also of those that end by a signal or by _exit. The runtime's own kernels are told apart."""
    once = " ".join(map(str, strays[family]))
    done = wavetrap("exec", "-g", family, "--stats", "sh", "-c", f"{once}; {once}; exit 0")
    assert re.search(rf"^wavetrap: 2 kernels( \(and \d+ of the GPU's runtime\))? were launched on the emulated {SHOWN[family]}, \d+ instructions of ", done.stderr, re.M), done.stderr
    assert f"wavetrap: 2 kernels on the emulated {SHOWN[family]} ended by a fault\n" in done.stderr and done.returncode == 0
    none = wavetrap("exec", "-g", family, "--stats", "true")
    assert (none.stderr, none.returncode) == (f"wavetrap: no kernel was launched on the emulated {SHOWN[family]}\n", 0)


def test_a_program_that_only_fills_memory_launches_nothing():
    """HIP fills by kernels of its own. It compiles them, which ROCm cannot in a Turkish locale, as Python sets it."""
    script = ("import ctypes; hip = ctypes.CDLL('libamdhip64.so.5'); at = ctypes.c_void_p()\n"
              "assert not hip.hipMalloc(ctypes.byref(at), 4096) and not hip.hipMemset(at, 1, 4096) and not hip.hipDeviceSynchronize()\n")
    done = wavetrap("exec", "-g", "gfx900", "--stats", "--require-launches=1", "env", "LC_ALL=C.UTF-8", "python3", "-c", script)
    assert done.returncode == 122 and "no kernel was launched on the emulated gfx900\n" in done.stderr, done.stderr
    assert re.search(r"0 kernels \(and [1-9]\d* of the GPU's runtime\) were launched on the emulated gfx900", done.stderr), done.stderr


def test_launches_are_required(waits):
    """They are there, or are too few, or one was refused; another status of the program's own stays."""
    done = wavetrap("exec", "--require-launches=1", compiled("faults.hip"), "debugtrap")
    assert (done.returncode, done.stderr) == (0, "")
    done = wavetrap("exec", "--require-launches=2", compiled("faults.hip"), "debugtrap")
    assert done.returncode == 122 and "exit status 122 (--require-launches=2): 1 kernel was launched and 0 refused (the program itself ended with 0)" in done.stderr, done.stderr
    for what, reason in ("bounds", "HIP's error 719"), ("too many", "HIP's error 9"):
        done = wavetrap("exec", "--require-launches=1", "--stats", compiled("faults.hip"), what)
        assert done.returncode == 122 and done.stdout == "value 0\n" and f"the first: {reason}" in done.stderr, done.stderr
    assert wavetrap("exec", "--require-launches=1", "sh", "-c", "exit 7").returncode == 7
    refused = wavetrap("exec", "--require-launches=0", "echo", "it ran")
    assert (refused.returncode, refused.stdout) == (125, "") and "takes 1 or more" in refused.stderr


def test_launches_that_a_driver_refuses(tmp_path):
    """A block that is too big, of CUDA's driver; a kernel that was never set up, of OpenCL's."""
    cuda = tmp_path / "refused.c"
    cuda.write_text('#include <wavetrap/cuda.h>\nstatic const char ptx[] = ".version 6.0\\n.target sm_50\\n.address_size 64\\n.visible .entry k() { ret; }\\n";\n'
                    "int main(void)\n{\n    CUcontext c;\n    CUmodule m;\n    CUfunction f;\n"
                    "    return cuInit(0) || cuCtxCreate(&c, 0, 0) || cuModuleLoadData(&m, ptx) || cuModuleGetFunction(&f, m, \"k\") ||\n"
                    "           !cuLaunchKernel(f, 1, 1, 1, 2048, 1, 1, 0, 0, 0, 0) || !cuModuleLoadData(&m, \"nonsense\");\n}\n")
    library = os.path.join(os.path.dirname(os.path.realpath(WAVETRAP if isinstance(WAVETRAP, str) else WAVETRAP[0])), "..", "runtime", "cuda", "libcuda.so.1")
    subprocess.run(["gcc", "-I", ROOT / "include", cuda, library, "-o", tmp_path / "refused"], check=True)
    done = wavetrap("exec", "-g", "sm", "--require-launches=1", "--stats", tmp_path / "refused")
    assert done.returncode == 122 and "2 launches on the emulated SM were refused; the first: k: invalid argument\n" in done.stderr, done.stderr
    opencl = ("import pyopencl as cl\nc = cl.create_some_context(False)\nq = cl.CommandQueue(c)\n"
              "k = cl.Program(c, 'kernel void k(global int *p) { *p = 1; }').build().k\n"
              "try:\n    cl.enqueue_nd_range_kernel(q, k, (64,), None)\nexcept cl.Error:\n    pass\n")
    done = wavetrap("exec", "-g", "gen9", "--require-launches=1", "--stats", "/usr/bin/python3", "-W", "ignore", "-c", opencl)
    assert done.returncode == 122 and "1 launch on the emulated Gen9 was refused; the first: OpenCL's error -52" in done.stderr, done.stderr


NEAR = re.compile(r"^wavetrap: near to hardware's results, not always equal \(info --support\): (.*)$", re.M)


def test_instructions_that_are_only_near_to_hardware(tmp_path):
    """Those that were executed, over all processes, each once: not the sine in a branch that no thread takes."""
    (tmp_path / "near.c").write_text("""#include <wavetrap/cuda.h>
static const char ptx[] = ".version 6.0\\n.target sm_50\\n.address_size 64\\n.visible .entry a() { .reg .f32 %f; .reg .pred %q;"
    "mov.f32 %f, 0f40000000; ex2.approx.ftz.f32 %f, %f; ex2.approx.ftz.f32 %f, %f; rcp.rn.f32 %f, %f; setp.lt.f32 %q, %f, %f; @!%q ret;"
    "sin.approx.f32 %f, %f; ret; }\\n.visible .entry b() { .reg .f32 %f; mov.f32 %f, 0f40000000; div.full.f32 %f, %f, %f; ret; }\\n";
int main(int count, char **words)
{
    CUcontext c;
    CUmodule m;
    CUfunction f;
    return cuInit(0) || cuCtxCreate(&c, 0, 0) || cuModuleLoadData(&m, ptx) || cuModuleGetFunction(&f, m, words[1]) ||
           cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0) || cuCtxSynchronize();
}
""")
    library = os.path.join(os.path.dirname(os.path.realpath(WAVETRAP if isinstance(WAVETRAP, str) else WAVETRAP[0])), "..", "runtime", "cuda", "libcuda.so.1")
    subprocess.run(["gcc", "-I", ROOT / "include", tmp_path / "near.c", library, "-o", tmp_path / "near"], check=True)
    report = tmp_path / "report"
    done = wavetrap("exec", "-g", "sm", "--stats", f"--report=json:{report}", "sh", "-c", "./near a; ./near b; ./near a", cwd=tmp_path)
    assert NEAR.findall(done.stderr) == ["div.full.f32, ex2.approx.ftz.f32"], done.stderr
    assert '"near":"div.full.f32, ex2.approx.ftz.f32"' in report.read_text()
    opencl = ("import pyopencl as cl, numpy as np\nc = cl.create_some_context(False)\nq = cl.CommandQueue(c)\n"
              "b = cl.Buffer(c, cl.mem_flags.READ_WRITE, 256)\n"
              "cl.Program(c, 'kernel void k(global float *p) { p[0] = native_sin(p[0]) + native_rsqrt(p[1]); ((global int *)p)[3] /= 7; '\n"
              "'int i = get_local_id(0), r = 0; for (int k = 0; k < 10; k++) r |= (i >> k & 1) << (9 - k); ((global int *)p)[i] += r; }').build().k(q, (64,), None, b)\n"
              "q.finish()\n")
    done = wavetrap("exec", "-g", "gen9", "--stats", "/usr/bin/python3", "-W", "ignore", "-c", opencl)
    assert NEAR.findall(done.stderr) == ["bfrev.f, math.rsqt, math.sin"], done.stderr
    done = wavetrap("exec", "-g", "gfx900", "--stats", compiled("catch.hip"), "invalid")
    assert NEAR.findall(done.stderr) == ["v_sqrt_f32"], done.stderr
    assert not NEAR.search(wavetrap("exec", "-g", "gfx900", "--stats", compiled("catch.hip")).stderr)


def test_faults_that_a_program_ignores(strays):
    assert wavetrap("exec", "-g", "sm", *strays["sm"]).returncode == 0
    done = wavetrap("exec", "-g", "sm", "--fault-exit=9", *strays["sm"])
    assert done.returncode == 9 and "exit status 9 (--fault-exit): 1 kernel ended by a fault (the program itself ended with 0)" in done.stderr
    assert wavetrap("exec", "-g", "sm", "--fault-exit=0", *strays["sm"]).returncode == 0
    assert wavetrap("exec", "-g", "gen9", "--fault-exit=9", *strays["gen9"]).returncode == 1  # the program's own
    assert wavetrap("exec", "--fault-exit=256", "true").returncode == 125


@pytest.mark.parametrize("family", FAMILIES)
def test_names_of_files_with_the_process_and_a_number(strays, family, tmp_path):
    """Two processes leave two core files; those of one process are numbered."""
    once = " ".join(map(str, strays[family]))
    wavetrap("exec", "-g", family, "--core-on-fault=at-%p-%n-100%%.core", "sh", "-c", f"{once}; {once}", cwd=tmp_path)
    names = sorted(p.name for p in tmp_path.glob("*.core"))
    assert len(names) == 2 and len({n.split("-")[1] for n in names}) == 2 and all(re.fullmatch(r"at-\d+-1-100%\.core", n) for n in names), names
    opened = wavetrap("debug", "--core", tmp_path / names[0], input="info waves\nquit\n")
    assert opened.returncode == 0 and re.search(r"^\* ", opened.stdout, re.M), opened.stdout + opened.stderr


def test_other_files_have_names_of_their_process_too(strays, tmp_path):
    wavetrap("exec", "-g", "sm", "--log-calls=calls.%p", *strays["sm"], cwd=tmp_path)
    wavetrap("exec", "-g", "gen9", "--gem=gem.%p", *strays["gen9"], cwd=tmp_path)
    names = sorted(p.name for p in tmp_path.iterdir())
    assert [re.sub(r"\d+", "PID", n) for n in names] == ["calls.PID", "gem.PID"] and all(p.stat().st_size for p in tmp_path.iterdir()), names
    for option in "--core-on-fault", "--log-calls", "--gem":
        done = wavetrap("exec", f"{option}=a%x", "echo", "it ran", cwd=tmp_path)
        assert (done.returncode, done.stdout) == (125, "") and "'%x' in a file's name: %p is the process's id" in done.stderr, done.stderr


def test_records_that_cannot_be_written_are_told_and_pipes_are_read(strays, tmp_path):
    """A full device is told once; a pipe's reader gets what a file would have."""
    for gpu, option, said in ("sm", "--log-calls", "not all was written"), ("gen9", "--gem", "the record cannot be written"):
        assert wavetrap("exec", "-g", gpu, f"{option}=/dev/full", *strays[gpu]).stderr.count(said) == 1
        wavetrap("exec", "-g", gpu, f"{option}={tmp_path}/file", *strays[gpu])
        os.mkfifo(tmp_path / "pipe")
        with subprocess.Popen(["cat", tmp_path / "pipe"], stdout=subprocess.PIPE, text=True) as reader:
            wavetrap("exec", "-g", gpu, f"{option}={tmp_path}/pipe", *strays[gpu])
            assert len(reader.stdout.read().splitlines()) == len((tmp_path / "file").read_text().splitlines()) > 0
        for name in "pipe", "file":
            (tmp_path / name).unlink()


def test_a_supervised_program_is_as_without():
    """Its status, its signals, its standard input, and its end with that of exec."""
    assert wavetrap("exec", "--stats", "sh", "-c", "exit 5").returncode == 5
    assert wavetrap("exec", "--stats", "/no/such/program").returncode == 127
    assert wavetrap("exec", "--stats", "sh", "-c", "kill -USR2 $$").returncode == -signal.SIGUSR2
    assert wavetrap("exec", "--stats", "cat", input="words\n").stdout == "words\n"
    process = subprocess.Popen([WAVETRAP, "exec", "--stats", "sh", "-c", "trap 'echo caught; exit 4' USR1; echo ready; while :; do sleep 0.05; done"], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment())
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGUSR1)
    assert (process.stdout.read(), process.wait(LIMIT)) == ("caught\n", 4)
    process = subprocess.Popen([WAVETRAP, "exec", "--stats", "sh", "-c", "echo ready; exec sleep 1000"], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment())
    assert process.stdout.readline() == "ready\n"
    process.kill()
    assert process.stdout.read() == ""  # the program, which has the other end, has ended
    assert process.wait(LIMIT) == -signal.SIGKILL


def test_a_temporary_folder_that_kills_the_runtime_is_named(tmp_path):
    (tmp_path / "file").touch()
    for folder, why in (tmp_path / "none", "No such file or directory"), (tmp_path / "file", "Not a directory"):
        done = wavetrap("exec", "echo", "it ran", env={**environment(), "TMPDIR": str(folder)})
        assert done.stdout == "it ran\n" and done.stderr == (f"wavetrap exec: TMPDIR={folder}: {why}: HIP's runtime needs a folder for temporary "
                                                             "files, and may die by SIGSEGV without one\n")
        assert wavetrap("exec", "-g", "sm", "true", env={**environment(), "TMPDIR": str(folder)}).stderr == ""
    # It compiles there, unless the cache of code has what it wants.
    done = wavetrap("exec", "--code-cache=off", compiled("long.hip"), env={**environment(), "TMPDIR": str(tmp_path / "none")}, stdin=subprocess.DEVNULL)
    assert done.returncode == -signal.SIGSEGV, "the runtime lives without one: the text is wrong"


def test_gcc_asks_for_no_gpu_of_amd_that_is_not_offered(tmp_path):
    """Its runtime reported that it could not be initialised."""
    program = compiled_cuda(tmp_path, CC, "openmp.c", "-fopenmp", "-foffload=nvptx-none")
    done = wavetrap("exec", "-g", "sm", program)
    assert (done.stdout, done.stderr) == ("devices 1, on one 1, sum 1000000, last 1999\n", "")


def test_the_debugger_passes_on_what_exec_is_to_do_and_refuses_the_rest():
    """--schedule and --memory had no effect under the debugger, without a word."""
    script = "run -c 'import os; print(*map(os.environ.get, (\"WAVETRAP_SCHEDULE\", \"WAVETRAP_MEMORY\")))'\n"
    for options, seen in ([], "None None"), (["--schedule=lockstep", "--memory=1G"], "lockstep 1073741824"):
        done = wavetrap("debug", "--nx", *options, "python3", input=script)
        assert f"\n{seen}\n" in done.stdout, done.stdout + done.stderr
    for option in "--arg=1", "--grid=64", "--load=x@0":
        done = wavetrap("debug", "--nx", option, "python3", input="")
        assert done.returncode == 125 and "a host program launches its kernels itself: --arg, --load and the" in done.stderr, done.stderr


def refuse_personality():
    """As a container's seccomp filter does: personality(), which switches address space layout randomization off, fails."""
    load_number, jump, fail, allow = (0x20, 0, 0, 0), (0x15, 0, 1, 135), (0x06, 0, 0, 0x50001), (0x06, 0, 0, 0x7fff0000)
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in (load_number, jump, fail, allow)))
    libc = ctypes.CDLL(None)
    assert libc.prctl(38, 1, 0, 0, 0) == libc.prctl(22, 2, struct.pack("HxxxxxxQ", 4, ctypes.addressof(code)), 0, 0) == 0


@pytest.mark.parametrize("command, consequence", [(("exec", "--core-on-fault=core", "--core-history=all"), "'wavetrap diff' may find that addresses differ"),
                                                  (("explore", "--runs=2"), "memory that has pointers may differ from run to run")])
def test_addresses_that_cannot_be_kept_are_told(tmp_path, command, consequence):
    words = [WAVETRAP, command[0], "-g", "sm", *command[1:], "true"]
    for refused in refuse_personality, None:
        done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment(), preexec_fn=refused)
        assert done.returncode == 0 and done.stderr.count(consequence) == (refused is not None), done


@pytest.mark.parametrize("family", FAMILIES)
def test_a_debugger_that_is_killed_takes_its_program_along(waits, family):
    program, *arguments = waits[family]
    words = [WAVETRAP, "debug", "--nx", "-g", family, "-ex", " ".join(["run", *arguments]), program]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as console:
        name = os.path.basename(program)[:15]
        started = until_there(lambda: [p for p in children(console.pid) if comm(p) == name])
        console.kill()
        until_there(lambda: not any(is_alive(p) for p in started))


def until_there(find):
    """What find() returns, as soon as it is true."""
    end = time.monotonic() + LIMIT
    while not (found := find()):
        assert time.monotonic() < end
        time.sleep(0.02)
    return found


def children(parent):
    return [int(n) for n in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]


def comm(process):
    try:
        return Path(f"/proc/{process}/comm").read_text().strip()
    except OSError:
        return ""


def is_alive(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False
