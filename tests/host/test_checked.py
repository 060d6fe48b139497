"""Programs of the other tests and of the examples under --check=memory,leak,api, those in HIP under init, too. Each says what it says without checks; the findings
are those listed here, each a mistake of the program's."""
import collections
import json
import os
import pathlib
import subprocess

import pytest

from conftest import BUILD, DEBIAN_PATH, LIBRARY, ROOT, alone, compiled, environment, example, is_old, wavetrap
from releases import CC

HERE = pathlib.Path(__file__).parent
OUT = BUILD / "tests" / "host" / "checked"
LIBCUDA = LIBRARY.parents[1] / "cuda" / "libcuda.so.1"
RUN = ["-g", "vortex:cores=1,warps=2,threads=4"]


def made(source, *words):
    """A program in the folder OUT, built where it is older than its source; without the tools of another vendor that may be installed."""
    path = OUT / (source.stem + source.suffix.replace(".", "-"))
    with alone(path):
        if is_old(path, source):
            done = subprocess.run([*map(str, words), "-o", f"{path}.new"], capture_output=True, text=True, check=False, cwd=OUT,
                                  env={**os.environ, "PATH": DEBIAN_PATH})
            assert done.returncode == 0, done.stderr
            os.replace(f"{path}.new", path)
    return [path]


def hip(name):
    return [compiled(f"{name}.hip")]


def vega(name):
    return [example(name)]


def gomp(name):
    target = ["-foffload=nvptx-none"] if name == "cuda_openmp" else ["-foffload=amdgcn-amdhsa", "-foffload-options=-march=gfx900"]
    return made(HERE / f"{name}.c", CC, "-O2", "-g", "-w", "-fopenmp", "-rdynamic", "-D_GNU_SOURCE", *target, HERE / f"{name}.c")


def driver(name):
    return made(HERE / f"{name}.c", CC, "-O2", "-g", "-w", f"-I{ROOT}/include", HERE / f"{name}.c", LIBCUDA, "-lpthread", "-lm")


def cuda(name):
    path = wavetrap("cuda-path").stdout.strip()
    return made(HERE / f"{name}.cu", "clang-19", "-x", "cuda", f"--cuda-path={path}", "-O1", "-g", "-w", "--cuda-gpu-arch=sm_60", HERE / f"{name}.cu",
                f"-L{path}/lib64", "-lcudart", "-lstdc++", "-lm")


def ptx(name):
    folder = ROOT / "examples" / "sm"
    module, = made(folder / f"{name}.cu", "clang-19", "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_60", "-nocudainc", "-nocudalib", "-S", "-O0", "-g",
                   folder / f"{name}.cu")
    return made(folder / f"{name}.c", CC, f"-I{ROOT}/include/wavetrap", "-g", folder / f"{name}.c", LIBCUDA) + [module]


def opencl(name):
    source = HERE / f"{name}.c"
    source = source if source.exists() else ROOT / "examples" / "opencl" / f"{name}.c"
    return made(source, "gcc", "-O1", "-g", source, "-lOpenCL", "-lpthread")


def vortex(name):
    path = OUT / "vortex" / f"{name}.rv32.elf"
    with alone(OUT / "vortex"):
        subprocess.run(["make", "-s", "-C", ROOT / "examples" / "vortex", f"OUT={path.parent}", path], check=True, capture_output=True)
    return [path]


# Builder, program, its arguments; the findings and how many there are of each, by kind and function of the program; what the program does.
PROGRAMS = [
    # frees nothing
    (hip, "work", "streams", {"leak streams": 6}),
    (hip, "work", "reduction", {"leak reduction": 2}),
    (hip, "work", "private", {"leak private_memory": 1}),
    # copies 400 bytes to a variable of 4 to see the error; frees nothing
    (hip, "api", "symbols", {"out-of-bounds symbols": 1, "leak symbols": 1}),
    # frees nothing
    (vega, "vecadd", "", {"leak main": 3}),
    # uses an element of LDS that nothing has written: docs/hip-debug.md
    (vega, "blur", "", {"leak main": 2, "undefined-result blur": 1}),
    # frees twice, within an allocation, and copies to what is freed, to see the errors; destroys the context with a stream and two events
    (driver, "cuda", "", {"bad-free ranges": 1, "use-after-free ranges": 1, "double-free ranges": 1, "leak reverse": 3}),
    # makes each mistake to see its error; destroys contexts with what is in them
    (driver, "cuda_api", "", {"use-after-destroy streams": 5, "out-of-bounds streams": 1, "double-free pools": 1, "out-of-bounds fills": 1,
                             "use-after-destroy libraries": 1, "leak contexts": 7, "double-free contexts": 2, "use-after-destroy contexts": 4}),
    # destroys a context in which another thread has memory
    (driver, "cuda_threads", "", {"leak keeps_a_context": 1}),
    # frees nothing
    (cuda, "scales", "", {"leak main": 5}),
    (cuda, "launch_arguments", "", {"leak main": 1}),
    (ptx, "vectors", "", {"leak main": 2}),
    # releases nothing
    (opencl, "vadd", "", {"leak build": 1, "leak open_device": 1, "leak buffer": 3}),
    (opencl, "print", "", {"leak build": 1, "leak open_device": 1}),
    # the mistake that it shows; releases nothing
    (opencl, "stray", "", {"out-of-bounds stray": 1, "leak build": 1, "leak open_device": 1, "leak buffer": 1}),
    # releases neither program, buffers, queues nor events
    (opencl, "opencl_threads", "", {"leak open_device": 1, "leak compute": 4}),
    # releases kernels and some events only
    (opencl, "opencl_queues", "", {"leak main": 1, "leak note": 4, "leak queue": 4, "leak while_a_kernel_runs": 1, "leak shared": 2,
                                   "leak start_first": 1, "leak steps": 2}),
    # correct programs
    (hip, "work", "print", {}), (hip, "work", "copies", {}), (hip, "work", "managed", {}),
    (hip, "ipc", "", {}), (hip, "order", "", {}), (hip, "names", "", {}),
    (gomp, "openmp", "", {}), (gomp, "openmp_late", "", {}), (gomp, "cuda_openmp", "", {}), (cuda, "managed", "", {}),
    (vortex, "hello", "", {}), (vortex, "histogram", "", {}), (vortex, "mandelbrot", "", {}),
    (vortex, "reduce", "", {}), (vortex, "sgemm", "", {}), (vortex, "vecadd", "", {}),
]
GPUS = {hip: "gfx900", vega: "gfx900", driver: "sm", cuda: "sm", ptx: "sm", opencl: "gen9"}


def place_of(one):
    """The innermost function of the program's own source; a kernel in a text of the program's has no file."""
    own = [place["function"] for place in (one, *one.get("calls", ())) if place.get("file", "").startswith(str(ROOT / "tests")) or
           place.get("file", "").startswith(str(ROOT / "examples"))]
    return (own or [one["function"]])[0].partition("(")[0]


@pytest.mark.parametrize("build, name, word, findings", PROGRAMS, ids=lambda v: "" if isinstance(v, dict) else v if isinstance(v, str) else v.__name__)
def test_findings_are_mistakes_of_the_program(tmp_path, build, name, word, findings):
    program, report = build(name), tmp_path / "report.json"
    gpu = GPUS.get(build, "sm" if name.startswith("cuda") else "gfx900")
    start = ["run", *RUN] if build is vortex else ["exec", "-g", gpu]
    plain = wavetrap(*start, *program, *word.split())
    done = wavetrap(*start, "--check=memory,leak,api" + ",init" * (build in (hip, vega)), f"--report=json:{report}", *program, *word.split())
    found = [one for one in map(json.loads, report.read_text().splitlines()) if one["kind"] == "finding" and one["severity"] != "note"]
    kinds = collections.Counter(f"{one['finding']} {place_of(one)}" for one in found)
    assert kinds == findings, done.stderr
    assert done.returncode == (115 if found and (name == "stray" or not plain.returncode) else plain.returncode), done.stderr
    if name != "stray":  # its kernel goes on after the mistake
        assert sorted(done.stdout.splitlines()) == sorted(plain.stdout.splitlines())


def test_a_child_leaks_nothing_of_its_parent(tmp_path):
    """A child of fork() that calls exit() has its parent's objects in its table."""
    source, program, report = tmp_path / "child.c", tmp_path / "child", tmp_path / "report.json"
    source.write_text("""
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int hipMalloc(void **p, size_t size);
int hipFree(void *p);
int main(void)
{
    void *p;
    int status = 0;
    if (hipMalloc(&p, 100))
        return 1;
    const pid_t child = fork();
    if (!child)
        exit(0);
    waitpid(child, &status, 0);
    return hipFree(p) || status;
}
""")
    subprocess.run(["gcc", "-g", "-o", program, source, "-l:libamdhip64.so.5"], check=True)
    done = wavetrap("exec", "-g", "gfx900", "--check=memory,leak,api", f"--report=json:{report}", program)
    assert (done.returncode, "leak" in report.read_text()) == (0, False), done.stderr


def test_what_libgomp_keeps_mapped_is_no_leak(tmp_path):
    """A range that acc_copyin() maps until the program ends; what acc_malloc() gives to the program is one."""
    source, report = tmp_path / "mapped.c", tmp_path / "report.json"
    source.write_text("""
#include <openacc.h>
static char bytes[100];
int main(void)
{
    acc_copyin(bytes, sizeof bytes);
    return !acc_malloc(801);
}
""")
    path = tmp_path / "mapped"
    subprocess.run([CC, "-g", "-fopenacc", "-foffload=nvptx-none", source, "-o", path], check=True, env={**os.environ, "PATH": DEBIAN_PATH})
    done = wavetrap("exec", "-g", "sm", "--check=leak", f"--report=json:{report}", path, env={**environment(), "ACC_DEVICE_TYPE": "nvidia"})
    found = [one for one in map(json.loads, report.read_text().splitlines()) if one["kind"] == "finding"]
    assert [(one["finding"], one["object"]["size"], one["calls"][-1]["function"]) for one in found] == [("leak", 801, "main")], done.stderr


# gfx900 at -O0: the header's function is called, and a finding does not know its callers.
@pytest.mark.parametrize("family, level", [("gfx900", "-O2"), ("sm", "-O0"), ("sm", "-O2")])
def test_a_place_is_in_the_users_code(tmp_path, family, level):
    """Not in the header of the runtime whose function was inlined; where optimised PTX does not tell the caller's line, none is given for it."""
    source, program, sarif = HERE / "foreign.cc", tmp_path / "foreign", tmp_path / "found.sarif"
    if family == "sm":
        path = wavetrap("cuda-path").stdout.strip()
        words = ["clang-19", "-x", "cuda", f"--cuda-path={path}", "--cuda-gpu-arch=sm_60", source, "-o", program, f"-L{path}/lib64", "-lcudart", "-lstdc++"]
    else:
        words = ["hipcc", "-x", "hip", "--offload-arch=gfx900", source, "-o", program]
    subprocess.run([*map(str, words), level, "-g", "-w"], check=True, capture_output=True, env={**os.environ, "PATH": DEBIAN_PATH})
    done = wavetrap("exec", "-g", family, "--check=init", f"--report=sarif:{sarif}", program)
    line = next(n for n, text in enumerate(source.read_text().splitlines(), 1) if "/* here */" in text)
    found = json.loads(sarif.read_text())["runs"][0]["results"]
    places = [result["locations"][0]["physicalLocation"] for result in found]
    assert places and all(place["artifactLocation"]["uri"].endswith("/tests/host/foreign.cc") for place in places), done.stderr
    assert "/include/" not in done.stderr.split("kernel count")[0]
    assert "region" in places[0] and places[0]["region"]["startLine"] == line or (family, level) == ("sm", "-O2"), done.stderr
