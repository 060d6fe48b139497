"""OpenMP programs of clang 19, made with the stand-ins for NVIDIA's tools of `wavetrap cuda-path`."""
import os
import re
import subprocess

import pytest

from conftest import WAVETRAP, environment, wavetrap
from sanitizer import ROOT
from test_offload import CLANG

HERE = ROOT / "tests" / "host"
LLVM = "/usr/lib/llvm-19/lib"


def cuda_path():
    return subprocess.run([WAVETRAP, "cuda-path"], capture_output=True, text=True, check=True).stdout.strip()


def variables():
    """What --env prints for a shell."""
    script = subprocess.run([WAVETRAP, "cuda-path", "--env"], capture_output=True, text=True, check=True).stdout
    told = subprocess.run(["bash", "-c", script + "env"], capture_output=True, text=True, check=True, env=environment()).stdout
    return dict(line.split("=", 1) for line in told.splitlines() if "=" in line)


def compiled(folder, *flags, compiler="clang-19", sources=("clang_openmp.c", "clang_openmp_other.c")):
    program = folder / "program"
    done = subprocess.run([compiler, "-w", *flags, "-fopenmp", f"--cuda-path={cuda_path()}", *(HERE / s for s in sources), "-o", program,
                           "-lm"], capture_output=True, text=True, env={**os.environ, "LIBRARY_PATH": LLVM}, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return program


@pytest.mark.parametrize("level, capability", [("-O2", "50"), ("-O1", "70")])
def test_several_files_mathematics_and_critical_sections(tmp_path, level, capability):
    program = compiled(tmp_path, level, f"--offload-arch=sm_{capability}")
    env = variables()
    assert LLVM in env["LIBRARY_PATH"] and LLVM in env["LD_LIBRARY_PATH"]
    done = wavetrap("exec", "-g", f"sm:cc={capability[0]}.0", "--stats", program, env=env)
    assert done.stdout.splitlines() == ["on the device 0", "devices 1, host 0, sum right, near 1, critical right, other 163"], done.stderr
    assert "5 kernels were launched on the emulated SM" in done.stderr


def test_target_tasks_that_depend_on_each_other(tmp_path):
    """Their streams and events are used by threads that have no context of their own."""
    done = wavetrap("exec", "-g", "sm", compiled(tmp_path, "-O2", "--offload-arch=sm_50", sources=["clang_openmp_tasks.c"]), env=variables())
    assert (done.stdout, done.returncode) == ("host 0, wrong 0\n", 0), done.stderr


def test_the_capability_is_that_of_the_program_s_images(tmp_path):
    done = wavetrap("exec", "--stats", compiled(tmp_path, "-O1", "--offload-arch=sm_75"), env=variables())
    assert "devices 1, host 0, sum right" in done.stdout and "5 kernels were launched on the emulated SM" in done.stderr, done.stdout


def test_an_image_of_another_generation_is_left_to_the_host(tmp_path):
    """LLVM's runtime says nothing of it; --stats does."""
    done = wavetrap("exec", "-g", "sm:cc=5.0", "--stats", compiled(tmp_path, "-O2", "--offload-arch=sm_70"), env=variables())
    assert "host 1" in done.stdout and "no kernel was launched on the emulated SM" in done.stderr


def test_mistakes_of_the_tools(tmp_path):
    """Each has the tool's name, and leaves exit status 1; GCC calls ptxas to verify, and wants no file."""
    tools = cuda_path() + "/bin"
    (tmp_path / "bad.s").write_text(".version 8.0\n.target sm_50\n.entry k() { nonsense }\n")
    (tmp_path / "good.s").write_text(".version 6.0\n.target sm_30\n.address_size 64\n.visible .entry k()\n{\n  ret;\n}\n")

    def run(tool, *arguments):
        return subprocess.run([f"{tools}/{tool}", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)
    done = run("ptxas", "-m64", "--gpu-name", "sm_50", "bad.s", "-o", "bad.o")
    assert done.returncode == 1 and "ptxas (wavetrap): bad.s:3:" in done.stderr
    assert run("ptxas", "-c", "-o", "/dev/null", "good.s", "--gpu-name", "sm_35", "-O0").returncode == 0
    assert "-o is missing" in run("ptxas", "good.s").stderr
    for option in ("--version", "-V"):
        assert re.search(r".*release (\d+\.\d+).*", run("ptxas", option).stdout).group(1) == "12.0"
    assert "there is no input" in run("nvlink", "-o", "x").stderr
    assert "nvlink (wavetrap)" in run("nvlink", "-o", "x", "good.s").stderr
    assert run("ptxas", "good.s", "--output-file=good.o", "--gpu-name=sm_61").returncode == 0
    assert run("nvlink", "-o", "good", "-arch", "sm_61", "-L", ".", "good.o").returncode == 0
    header = subprocess.run(["readelf", "-h", "-s", "good"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert "EXEC" in header and "NVIDIA CUDA" in header and "FUNC    GLOBAL" in header and header.rstrip().endswith(" k")
    (tmp_path / "cut.o").write_bytes((tmp_path / "good.o").read_bytes()[:-40])
    assert "cut short" in run("nvlink", "-o", "x", "cut.o").stderr


@pytest.mark.parametrize("family, flags", [("sm", ["-O1", "--offload-arch=sm_50"]), ("gfx900", CLANG)])
def test_checks_know_memory_that_was_freed(tmp_path, family, flags):
    """LLVM's runtime would give it out again for the ranges that are mapped next."""
    program, source = compiled(tmp_path, *flags, "-g", sources=["clang_openmp_freed.c"]), HERE / "clang_openmp_freed.c"
    done = wavetrap("exec", "-g", family, "--check=all", program, env=variables())
    assert (done.stdout, done.returncode) == ("15\n", 0) and "checks: 0 errors, 0 warnings" in done.stderr, done.stderr
    done = wavetrap("exec", "-g", family, "--check=all", program, "bad", env=variables())
    line = [text.strip() for text in source.read_text().splitlines()].index("q[1] = 2; /* BUG */") + 1
    assert done.returncode == 115 and "checks: 1 error, 0 warnings" in done.stderr, done.stderr
    assert re.search(rf"error: use-after-free store of 4 bytes\n  \S+ at \S*freed.c:{line}\n", done.stderr), done.stderr


@pytest.mark.parametrize("family, flags", [("sm", ["-O1", "--offload-arch=sm_50"]), ("gfx900", CLANG)])
def test_checks_know_the_ranges_that_are_mapped(tmp_path, family, flags):
    """To the byte, as those of GCC's programs."""
    program, source = compiled(tmp_path, *flags, "-g", sources=["clang_openmp_mapped.c"]), HERE / "clang_openmp_mapped.c"
    done = wavetrap("exec", "-g", family, "--check=all", program, env=variables())
    assert (done.stdout, done.returncode) == ("2\n", 0) and "checks: 0 errors, 0 warnings" in done.stderr, done.stderr
    done = wavetrap("exec", "-g", family, "--check=memory", program, "bad", env=variables())
    line = [text.strip() for text in source.read_text().splitlines()].index("to[i] = from[i] * 2; /* BUG */") + 1
    assert done.returncode == 115 and re.search(rf"error: out-of-bounds load of 4 bytes\n  \S+ at \S*mapped.c:{line}\n", done.stderr), done.stderr
