"""Programs on the CUDA driver API, as they are, on the emulated SM: our own, and what Debian's GCC makes of OpenMP and OpenACC."""
import os
import re
import signal
import subprocess
import time

import pytest

import cuda_nulls
from conftest import environment, wavetrap
from releases import CC, CXX, FC
from test_long import LIMIT, Running, until
from sanitizer import BUILD, DEBIAN_PATH, ROOT

HERE = ROOT / "tests" / "host"
LIBRARY = BUILD / "src" / "runtime" / "cuda" / "libcuda.so.1"


def compiled(folder, compiler, source, *flags):
    """Without the tools of another vendor that may be installed: GCC would call its assembler."""
    program = folder / "program"
    done = subprocess.run([compiler, "-O2", "-w", *flags, HERE / source, "-o", program, *([LIBRARY] if source in ("cuda.c", "cuda_after.c", "cuda_answers.c", "cuda_api.c", "cuda_images.c", "cuda_jit.c", "cuda_nulls.c", "cuda_unmap.c") else [])],
                          cwd=folder, capture_output=True, text=True, env={**os.environ, "PATH": DEBIAN_PATH})
    assert done.returncode == 0, done.stderr
    return program


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("cuda"), CC, "cuda.c", f"-I{ROOT}/include")


def test_a_program_on_the_driver_api(program):
    done = wavetrap("exec", "-g", "sm", program)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "before 3, without a context 201, devices 1, no device 101"
    assert lines[1] == "wavetrap SM, 5.0, 32 lanes"
    assert lines[2] == "squares 88 105 9" and lines[3] == "reverse 63 0 timed"
    assert lines[4] == "range 1 1000, 1024 used; beyond it 500, free inside 1"
    assert lines[5] == "twice 1, copied there 1"
    assert lines[6].startswith("bad 218 error: PTX:5:3: there is no instruction 'foo.u32'")
    assert done.stdout.endswith("; no function 500; no global 500\n")


@pytest.fixture(scope="module")
def api(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("api"), CC, "cuda_api.c", f"-I{ROOT}/include")


@pytest.mark.parametrize("part", ["lookup", "functions", "streams", "pools", "pointers", "fills", "settings", "libraries", "cooperative",
                                  "contexts", "objects", "pairs", "handles"])
def test_what_the_documentation_says_of_each_function(api, part):
    done = wavetrap("exec", "-g", "sm", api, part)
    assert done.stdout == f"{part} right\n" and done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("part", ["no-context", "memory", "launches", "shared", "forms", "devices", "streams", "captures", "arrays", "limits", "fault"])
def test_what_the_driver_of_a_gpu_answers(tmp_path, part):
    """The program has the results of driver 580 on an H200."""
    program = compiled(tmp_path, CC, "cuda_answers.c", f"-I{ROOT}/include")
    done = wavetrap("exec", "-g", "sm:cc=9.0", program, part)
    assert done.stdout == f"{part} right\n" and done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("part", ["images", "arguments"])
def test_results_that_the_manual_of_the_driver_has(tmp_path, part):
    """CUDA Driver API, the results of each function; PTX of a later version and for an unknown target."""
    program = compiled(tmp_path, CC, "cuda_answers.c", f"-I{ROOT}/include")
    done = wavetrap("exec", "-g", "sm:cc=9.0", program, part)
    assert done.stdout == f"{part} right\n" and done.returncode == 0, done.stdout + done.stderr


def test_arguments_that_are_none(tmp_path):
    """Each pointer that is null, each handle that is 0 or of which the object is gone, in a call of each function: the errors of the manual."""
    lines = cuda_nulls.calls()
    (tmp_path / "cuda_nulls.inc").write_text("\n".join(lines))
    program = compiled(tmp_path, CC, "cuda_nulls.c", f"-I{ROOT}/include", f"-I{tmp_path}")
    done = wavetrap("exec", "-g", "sm:cc=8.0", program)
    assert (done.stdout, done.stderr, done.returncode) == (f"{len(lines)} calls\n", "", 0) and len(lines) > 700


@pytest.mark.parametrize("cc, block, sm", [("5.0", 48, 64), ("6.1", 48, 96), ("7.0", 96, 96), ("7.5", 64, 64), ("8.0", 163, 164), ("8.6", 99, 100),
                                           ("8.9", 99, 100), ("9.0", 227, 228)])
def test_a_kernel_has_the_shared_memory_that_its_gpu_has_for_one(tmp_path, cc, block, sm):
    """Sizes: CUDA C++ Programming Guide, Technical Specifications per Compute Capability."""
    program = compiled(tmp_path, CC, "cuda_answers.c", f"-I{ROOT}/include")
    done = wavetrap("exec", "-g", f"sm:cc={cc}", program, "most-shared")
    assert done.stdout == f"{block << 10} of {sm << 10}\nmost-shared right\n" and done.returncode == 0, done.stdout + done.stderr


def test_what_the_driver_refuses_says_why(api):
    assert "a block of 256 threads; the kernel is made for 128 at most (__launch_bounds__" in wavetrap("exec", "-g", "sm", api, "functions").stderr
    assert "cuStreamWaitValue: the value is not there, and work of a stream does not wait" in wavetrap("exec", "-g", "sm", api, "streams").stderr


def test_a_grid_of_which_all_blocks_run_fits_the_sms(api):
    """33 blocks are too many for one SM, and not for two."""
    assert "33, 1, 1, 1, 1, 1, 0, NULL, parameters): 0, not 720\n" in wavetrap("exec", "-g", "sm:sms=2", api, "cooperative").stdout


def test_the_gpu_is_what_was_asked_for(program):
    assert "wavetrap SM, 8.0, 32 lanes" in wavetrap("exec", "-g", "sm:cc=8.0,sms=2", program).stdout
    done = wavetrap("exec", "-g", "vortex", program)
    assert done.returncode == 126 and "libcuda.so.1, the library of an sm: give --gpu=sm" in done.stderr


ODD = ",".join(str(lane) for lane in range(1, 32, 2))


@pytest.mark.parametrize("kernel, result, words", [("stray", 700, "store of 4 bytes at 0x40: no memory is mapped there"),
                                                   ("stop", 719, "trap (BPT.TRAP 0x1), and there is no trap handler"),
                                                   ("breaks", 719, "brkpt (BPT.TRAP 0x1), and there is no trap handler"),
                                                   ("asserts", 710, "ASSERT: a > b:7: a > b: assertion 'a > b' failed"),
                                                   ("recurses", 714, "API_STACK_ERROR: a call takes more")])
def test_a_kernel_that_fails(program, kernel, result, words):
    """The launch succeeds; the calls that follow tell. The report has kernel, block, lanes, line."""
    done = wavetrap("exec", "-g", "sm", program, kernel)
    assert done.stdout.endswith(f"then {result}, again {result}\n"), done.stdout
    assert words in done.stderr and re.search(r"^  device 0, dispatch \d+, group \(0,0,0\), core 0, warp 0, lanes? ", done.stderr, re.M) and f"\n  of the kernel {kernel}\n" in done.stderr
    assert f"<{'deeper' if kernel == 'recurses' else kernel}> at PTX:" in done.stderr


@pytest.mark.parametrize("kernel, result, words, lanes", [
    ("stray", 700, "store of 4 bytes at 0x40: no memory is mapped there", "0-31"), ("odd", 700, "store of 4 bytes at 0x30: no memory is mapped there", ODD),
    ("crooked", 716, "store of 4 bytes at 0x2 of shared memory, which is not a multiple of 4", ODD)])
def test_all_lanes_that_stray_are_named(program, kernel, result, words, lanes):
    """Not only the first one, and none whose access is good."""
    done = wavetrap("exec", "-g", "sm", program, kernel)
    assert done.stdout.endswith(f"then {result}, again {result}\n") and words in done.stderr, done.stdout + done.stderr
    assert f"warp 0, lanes {lanes}, issue time " in done.stderr, done.stderr


@pytest.fixture(scope="module")
def unmap(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("unmap"), CC, "cuda_unmap.c", f"-I{ROOT}/include", "-lpthread")


@pytest.mark.parametrize("access, line, instruction", [("read", 12, "ld.global.u32 %v, [%a]"), ("write", 15, "st.global.u32 [%a], %i")])
def test_registered_memory_that_the_program_unmaps_while_a_kernel_uses_it(unmap, access, line, instruction):
    """A report with the instruction; the program goes on. So it does under a debugger, which records."""
    done = wavetrap("exec", "-g", "sm", unmap, access)
    assert (done.returncode, done.stdout) == (0, "launched 0, then 700\n"), done.stdout + done.stderr
    assert re.fullmatch(r"wavetrap: the program has given back the memory at 0x[0-9a-f]+, which the kernel uses\n"
                        rf"  device 0, dispatch \d+, group \(0,0,0\), core 0, warp 0, lanes 0-31, issue time \d+\n  at 0x[0-9a-f]+ <uses> at PTX:{line}\n"
                        rf"  {re.escape(instruction)}\n(?:  0x.*\n)?  of the kernel uses\n", done.stderr), done.stderr
    done = wavetrap("debug", "-g", "sm", unmap, access, input="run\nquit\n")
    assert "launched 0, then 700\n[Program exited normally]" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("names, kernel, ends", [("mem_viol", "stray", True), ("all", "stop", True), ("mem_viol", "stop", False)])
def test_the_program_ends_at_a_failure_that_is_caught(program, names, kernel, ends):
    done = wavetrap("exec", "-g", "sm", f"--catch={names}", "--stats", program, kernel)
    assert (done.returncode, "then" in done.stdout) == ((123, False) if ends else (0, True)), done.stdout + done.stderr
    assert f"of the kernel {kernel}\n" in done.stderr and done.stderr.count("1 kernel was launched") == 1, done.stderr


OTHER_DRIVER = """
int cuInit(unsigned flags) { return 42; }
int cuOfAnotherDriver(void *texture) { return 0; }
int cuIpcGetMemHandle(void *handle, unsigned long long address) { return 0; }
"""
CALLS = """
#include <stdio.h>
int cuInit(unsigned), cuOfAnotherDriver(void *), cuIpcGetMemHandle(void *, unsigned long long);
int main(void)
{
    printf("init %d, ipc %d\\n", cuInit(0), cuIpcGetMemHandle(0, 0));
    fflush(stdout);
    return cuOfAnotherDriver(0);
}
"""


@pytest.mark.parametrize("where", ["LD_LIBRARY_PATH", "--enable-new-dtags", "--disable-new-dtags"])
def test_another_vendors_driver_is_passed_over_and_what_is_missing_is_named(tmp_path, where):
    """A function that the driver refuses says so; one that it does not have ends the program. Wherever the other driver is."""
    (tmp_path / "driver.c").write_text(OTHER_DRIVER)
    (tmp_path / "p.c").write_text(CALLS)
    subprocess.run([CC, "-w", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "driver.c", "-o", "libcuda.so.1"], cwd=tmp_path, check=True)
    flags = [] if where == "LD_LIBRARY_PATH" else [f"-Wl,{where},-rpath,{tmp_path}"]
    subprocess.run([CC, "-w", "p.c", "-o", "p", "-L.", "-l:libcuda.so.1", *flags], cwd=tmp_path, check=True)
    other = {"LD_LIBRARY_PATH": str(tmp_path)} if where == "LD_LIBRARY_PATH" else {}
    assert subprocess.run([tmp_path / "p"], env={**os.environ, **other}, capture_output=True, text=True).stdout == "init 42, ipc 0\n"
    done = wavetrap("exec", "-g", "sm", tmp_path / "p", env={**environment(), **other})
    assert done.stdout == "init 0, ipc 801\n" and done.returncode == 127, done.stdout + done.stderr
    assert "wavetrap: libcuda: cuIpcGetMemHandle is refused: an emulated GPU belongs to one process\n" in done.stderr
    assert "undefined symbol: cuOfAnotherDriver" in done.stderr


def test_calls_are_logged(program, tmp_path):
    """Each call once, with its values and result; a launch with its kernel. To stderr, or to a file of the folder it is called in."""
    plain = wavetrap("exec", "-g", "sm", program)
    done = wavetrap("exec", "-g", "sm", "--log-calls", program)
    lines = done.stderr.splitlines()
    assert done.stdout == plain.stdout and plain.stderr == ""
    assert lines[0].endswith(") = CUDA_ERROR_NOT_INITIALIZED")
    assert lines[1:4] == ["cuInit(0) = CUDA_SUCCESS", "cuDeviceGetCount(*1) = CUDA_SUCCESS", "cuDeviceGet(*0, 0) = CUDA_SUCCESS"]
    assert sum(line.startswith("cuLaunchKernel(") for line in lines) == 3
    kernels = [re.sub(r"\d+ instructions", "N instructions", line) for line in lines if line.startswith("  kernel ")]
    assert kernels[0] == "  kernel squares on device 0: grid 4 x 1 x 1, block 64 x 1 x 1: N instructions of warps"
    wavetrap("exec", "-g", "sm", "--log-calls=calls.txt", program, cwd=tmp_path)
    assert "cuCtxDestroy_v2(" in (tmp_path / "calls.txt").read_text().splitlines()[-1]


def test_launches_are_counted(program):
    """So that nobody takes what the host computed for the GPU's work."""
    done = wavetrap("exec", "-g", "sm", "--stats", program)
    assert re.search(r"^wavetrap: 3 kernels were launched on the emulated SM, \d+ instructions of warps$", done.stderr, re.M), done.stderr
    assert wavetrap("exec", "-g", "sm", "--stats", "true").stderr == "wavetrap: no kernel was launched on the emulated SM\n"
    done = wavetrap("exec", "-g", "sm", "--stats", "python3", "-c", "import subprocess; subprocess.run(['true']); exit(3)")
    assert (done.returncode, done.stderr.count("no kernel")) == (3, 1), done.stderr
    done = wavetrap("exec", "-g", "gfx900", "--log-calls", "true")
    assert done.returncode == 125 and "is about an sm and a vortex; no --gpu is one" in done.stderr, done.stderr


def test_what_programs_see_is_listed(program):
    assert "compute capability 8.0, 2 SMs, 1024 MiB" in wavetrap("info", "--devices", "-g", "sm:cc=8.0,sms=2,memory=1G").stdout
    assert [line.split(":")[0] for line in wavetrap("info", "--devices").stdout.splitlines()] == ["vortex", "gfx900", "gen9", "sm"]
    several = wavetrap("info", "--devices", "-g", "sm", "-g", "gfx900", "-g", "sm:sms=4").stdout.splitlines()
    assert [line.split(": ")[0] for line in several] == ["sm", "gfx900", "sm:sms=4"] and "4 SMs" in several[2]
    done = wavetrap("info", "--devices", "-g", "vortex")
    assert (done.returncode, done.stdout) == (0, "vortex: a Vortex with 1 core, 4 warps of 4 threads each, RV32\n")
    done = wavetrap("info", "--isa", "-g", "sm", "-g", "gfx900")
    assert done.returncode and "one GPU" in done.stderr


def test_a_kernel_that_does_not_end(program):
    """Its progress is told, and Ctrl-C says what runs, and where the warps are."""
    with Running("forever", program=program, options=["-g", "sm", "--progress=always"]) as run:
        until(run.process.stderr.fileno(), rb"wavetrap: forever: 0 of 1 work-groups, [\d.]+( million)? issues a second\n")
        run.process.send_signal(signal.SIGINT)
        said = run.process.stderr.read().decode()
        assert run.process.wait(LIMIT) == -signal.SIGINT
    assert re.search(r"wavetrap: interrupted: sm, issue time \d+: kernel forever runs, 0 of 1 blocks have ended\n"
                     r"    device 0, dispatch \d+, group \(0,0,0\), core 0, warp 0, lanes [-\d]+\n      at 0x[0-9a-f]+ <forever> at PTX:\d+\n$", said), said


def test_registers_of_a_running_program(program):
    """`reg --pid` reaches the SM's debug hardware, while a kernel runs."""
    with Running("forever", program=program, options=["-g", "sm"]) as run:
        def reg(*commands):
            done = wavetrap("reg", f"--pid={run.process.pid}", *commands)
            assert done.returncode == 0, done
            return done.stdout.splitlines()
        control, status = "NV_PTPC_PRI_SM_DBGR_CONTROL0", "NV_PTPC_PRI_SM_DBGR_STATUS0"
        end = time.monotonic() + LIMIT
        while wavetrap("reg", f"--pid={run.process.pid}", f"{status}.LOCKED_DOWN").returncode:
            assert time.monotonic() < end, "the program opens no GPU"
        assert reg(f"{status}.LOCKED_DOWN", f"{control}.DEBUGGER_MODE") == [f"{status}.LOCKED_DOWN=0", f"{control}.DEBUGGER_MODE=0"]
        reg(f"{control}.DEBUGGER_MODE=1")
        assert reg(f"{control}.DEBUGGER_MODE") == [f"{control}.DEBUGGER_MODE=1"]
        assert run.process.poll() is None


OPENMP, OPENACC = ["-fopenmp", "-foffload=nvptx-none"], ["-fopenacc", "-foffload=nvptx-none"]


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_openmp(tmp_path, level):
    path = compiled(tmp_path, CC, "cuda_openmp.c", *OPENMP, level)
    done = wavetrap("exec", "-g", "sm", path)
    assert done.stdout == "kernel: 495 text  2.50\nhost 0, fibonacci 55, sum 1499500, threads several\n", done.stderr


@pytest.mark.parametrize("compiler, source", [(CC, "openmp.c"), (CXX, "openmp.cc"), (FC, "openmp.f90")])
def test_openmp_in_every_language(tmp_path, compiler, source):
    more = ["-foffload-options=nvptx-none=-lgfortran"] if source.endswith("f90") else []
    done = wavetrap("exec", "-g", "sm", compiled(tmp_path, compiler, source, *OPENMP, *more))
    assert done.stdout == "devices 1, on one 1, sum 1000000, last 1999\n", done.stderr


@pytest.mark.parametrize("target, launched", [("nvptx-none", True), ("amdgcn-amdhsa", False)])
def test_without_gpu_an_openmp_program_sees_the_gpu_that_it_has_code_for(tmp_path, target, launched):
    """GCC's runtime takes the first GPU for device 0, which is AMD's, where both are there."""
    path = compiled(tmp_path, CC, "openmp.c", "-fopenmp", f"-foffload={target}",
                    *(["-foffload-options=-march=gfx900"] if "amd" in target else []))
    done = wavetrap("exec", path)
    assert done.stdout == "devices 1, on one 1, sum 1000000, last 1999\n", done.stdout + done.stderr
    logged = wavetrap("exec", "--log-calls", "--stats", path).stderr
    assert ("launched on the emulated SM" in logged) == launched, logged[-500:]


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_openacc(tmp_path, level):
    env = {**environment(), "ACC_DEVICE_TYPE": "nvidia"}
    done = wavetrap("exec", "-g", "sm", compiled(tmp_path, CC, "cuda_openacc.c", *OPENACC, level), env=env)
    assert done.stdout == "on 1, sum right, b[105] 7\n", done.stderr


ADD = """// BEGIN PREAMBLE
.version 6.0
.target sm_30
.address_size 64
// END PREAMBLE
// BEGIN GLOBAL FUNCTION DECL: main
.visible .func (.param.u32 %value_out) main (.param.u32 %in_ar0, .param.u64 %in_ar1);
// BEGIN GLOBAL FUNCTION DEF: main
.visible .func (.param.u32 %value_out) main (.param.u32 %in_ar0, .param.u64 %in_ar1)
{
  .reg.u32 %r;
  ld.param.u32 %r, [%in_ar0];
  add.u32 %r, %r, 41;
  st.param.u32 [%value_out], %r;
  ret;
}
"""


REENTERS = r"""
#include <stdio.h>
#include <wavetrap/cuda.h>
static void called(CUstream stream, CUresult result, void *data)
{
    unsigned *depth = data, value = 0;
    CUdeviceptr p = 0;
    const unsigned own = ++*depth;
    int wrong = result != 0;
    wrong += cuMemAlloc(&p, 64) || cuMemsetD32Async(p, own, 16, stream);
    wrong += own < 3 && cuStreamAddCallback(stream, called, data, 0);
    wrong += cuMemcpyDtoH(&value, p, 4) || cuMemFree(p);
    printf("callback %u: %u, wrong %d\n", own, value, wrong);
}
int main(void)
{
    CUdevice device;
    CUcontext context;
    CUstream stream;
    unsigned depth = 0;
    int wrong = cuInit(0) || cuDeviceGet(&device, 0) || cuCtxCreate(&context, 0, device) || cuStreamCreate(&stream, 0);
    wrong += cuStreamAddCallback(stream, called, &depth, 0) || cuStreamSynchronize(stream);
    printf("%u callbacks, wrong %d\n", depth, wrong);
}
"""


def test_a_callback_of_a_stream_calls_the_driver_again(tmp_path):
    """It allocates, sets and copies memory, and asks for another callback."""
    (tmp_path / "p.c").write_text(REENTERS)
    program = compiled(tmp_path, CC, tmp_path / "p.c", f"-I{ROOT}/include", "-Wl,--no-as-needed", LIBRARY)
    done = wavetrap("exec", "-g", "sm", program, timeout=60)
    assert sorted(done.stdout.splitlines()) == ["3 callbacks, wrong 0", "callback 1: 1, wrong 0", "callback 2: 2, wrong 0", "callback 3: 3, wrong 0"], done.stdout


def test_nvptx_none_run(tmp_path):
    """A program for the GPU alone, assembled and linked by nvptx-tools and started by its runner: argc + 41 is its exit status."""
    library = "/usr/lib/gcc/x86_64-linux-gnu/12/accel/nvptx-none"
    env = {**os.environ, "PATH": DEBIAN_PATH}
    (tmp_path / "main.s").write_text(ADD)
    subprocess.run(["nvptx-none-as", "main.s", "-o", "main.o"], cwd=tmp_path, check=True, env=env)
    subprocess.run(["nvptx-none-ld", f"{library}/crt0.o", "main.o", f"-L{library}", "-lc", "-lgcc", "-o", "program"], cwd=tmp_path,
                   check=True, env=env)
    done = wavetrap("exec", "-g", "sm", "nvptx-none-run", tmp_path / "program", "one", "two")
    assert done.returncode == 44, done.stderr


@pytest.mark.parametrize("gpu", ["sm", "sm:sms=2", "sm:error-delay=8"])
def test_other_contexts_after_a_kernel_that_failed(tmp_path, gpu):
    done = wavetrap("exec", "-g", gpu, compiled(tmp_path, CC, "cuda_after.c", f"-I{ROOT}/include"))
    each = [f"0: 1 63, then {code} {code}, no new context: {code}" for code in (700, 719)]
    assert done.stdout.splitlines() == each * 2, done.stdout + done.stderr


def test_the_cache_of_parsed_text(tmp_path):
    """A file that was used is newer; whatever is in the folder, the program does the same."""
    (tmp_path / "src").mkdir()
    text = (".version 8.0\\n.target sm_50\\n.address_size 64\\n.visible .entry k(.param .u64 out) { .reg .u64 %a; .reg .u32 %r; "
            "ld.param.u64 %a, [out]; mov.u32 %r, 7;\\n" + "add.u32 %r, %r, 1;\\n" * 300 + "st.global.u32 [%a], %r; ret; }\\n")
    (tmp_path / "src" / "cuda.c").write_text(f"""
#include <stdio.h>
#include <wavetrap/cuda.h>
int main(void)
{{
    CUcontext c; CUmodule m; CUfunction f; CUdeviceptr p; CUdevice d; int v = 0; void *a[] = {{&p}};
    cuInit(0); cuDeviceGet(&d, 0); cuCtxCreate(&c, 0, d);
    cuModuleLoadData(&m, "{text}"); cuModuleGetFunction(&f, m, "k"); cuMemAlloc(&p, 4);
    cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, a, 0);
    cuMemcpyDtoH(&v, p, 4);
    printf("%d\\n", v);
}}
""")
    program = tmp_path / "program"
    subprocess.run([CC, "-w", f"-I{ROOT}/include", tmp_path / "src" / "cuda.c", "-o", program, LIBRARY], check=True)
    cache = tmp_path / "cache"

    def run(*options, home=cache):
        done = wavetrap("exec", "-g", "sm", *options, program, env={**environment(), "XDG_CACHE_HOME": str(home), "WAVETRAP_CODE_CACHE": "on"})
        assert (done.returncode, done.stdout, done.stderr) == (0, "307\n", ""), done.stdout + done.stderr
        return sorted((home / "wavetrap" / "code").glob("*")) if home.exists() else []

    assert run("--code-cache=off") == []
    (entry,) = run("--code-cache=on")
    whole = entry.read_bytes()
    os.utime(entry, (1000, 1000))
    assert run("--code-cache=on") == [entry] and entry.stat().st_mtime > 1000 and entry.read_bytes() == whole
    os.utime(entry, (1000, 1000))
    assert run("--code-cache=off") == [entry] and entry.stat().st_mtime == 1000
    for damaged in (b"", whole[:100], whole[:-1], whole[:2000] + b"\0\1\2\3" + whole[2004:], b"\xff" * len(whole)):
        entry.write_bytes(damaged)
        assert run("--code-cache=on") == [entry] and entry.read_bytes() == whole
    for i in range(3):  # too much in all: the oldest ones go
        old = entry.parent / f"old{i}"
        old.write_bytes(b"x")
        os.truncate(old, 30 << 20)
        os.utime(old, (2000 + i, 2000 + i))
    entry.unlink()
    assert run("--code-cache=on") == sorted([entry, entry.parent / "old1", entry.parent / "old2"])
    assert run("--code-cache=clear") == [entry] and entry.stat().st_mtime > 3000
    (tmp_path / "file").write_text("no folder")
    assert run("--code-cache=on", home=tmp_path / "file") == []
    done = wavetrap("exec", "-g", "sm", "--code-cache=sometimes", program)
    assert done.returncode == 125 and "--code-cache is on, off or clear" in done.stderr, done.stderr


NVRTC = """
int nvrtcGetNumSupportedArchs(int *n) { *n = 3; return 0; }
int nvrtcGetSupportedArchs(int *arch) { arch[0] = 75; arch[1] = 80; arch[2] = 90; return 0; }
"""
COMPILES = """
#include <stdio.h>
#include <dlfcn.h>
#include "wavetrap/cuda.h"
int main(int count, char **argument)
{
    CUmodule module;
    CUcontext context;
    CUdevice device;
    int major, minor;
    cuInit(0);
    cuDeviceGet(&device, 0);
    cuDeviceGetAttribute(&major, 75, device);
    cuDeviceGetAttribute(&minor, 76, device);
    cuCtxCreate(&context, 0, device);
    if (count > 1)
        cuModuleLoadData(&module, ".version 6.0\\n.target sm_50\\n.address_size 64\\n");
    printf("%d.%d %d\\n", major, minor, !!dlopen(NAME, RTLD_LAZY));
}
"""


def test_what_a_run_time_compiler_supports(tmp_path):
    """A program that names NVRTC gets a capability that it compiles for; one whose name is elsewhere (a script) is told which to ask for,
    unless something was loaded."""
    (tmp_path / "nvrtc.c").write_text(NVRTC)
    (tmp_path / "main.c").write_text(COMPILES)
    for name in ("libnvrtc.so.13", "libnvrtc-other.so"):
        subprocess.run([CC, "-shared", "-fPIC", "nvrtc.c", "-o", name], cwd=tmp_path, check=True)

    def run(name, *arguments, gpu="sm"):
        subprocess.run([CC, "-w", f'-DNAME="{tmp_path}/{name}"', f"-I{ROOT}/include", "main.c", "-o", "main", LIBRARY], cwd=tmp_path, check=True)
        return wavetrap("exec", "-g", gpu, tmp_path / "main", *arguments)

    named, other = run("libnvrtc.so.13"), run("libnvrtc-other.so")
    assert (named.stdout, named.stderr) == ("8.0 1\n", "")
    assert other.stdout == "5.0 1\n" and other.stderr == "wavetrap: libcuda: no module was loaded: the program's compiler (NVRTC) has no " \
        "compute capability 5.0; say -g sm:cc=7.5\n"
    assert "say -g sm:cc=9.0" in run("libnvrtc.so.13", gpu="sm:cc=8.6").stderr
    assert run("libnvrtc-other.so", "loads").stderr == ""
