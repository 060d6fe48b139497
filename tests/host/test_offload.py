"""OpenMP and OpenACC programs by Debian's compilers, as they are, on the emulated gfx900."""
import signal
import subprocess

import pytest

from conftest import environment, wavetrap
from releases import BITCODE, GCC as VERSION
from test_programs import ROOT

HERE = ROOT / "tests" / "host"
GCC = ["-O2", "-w", "-foffload=amdgcn-amdhsa", "-foffload-options=-march=gfx900"]
CLANG = ["-O2", "-fopenmp", "--offload-arch=gfx900", f"--rocm-device-lib-path={BITCODE}", "-mcode-object-version=4",
         "-Wl,-rpath,/usr/lib/llvm-19/lib"]


@pytest.mark.parametrize("schedule", ["rr:64", "rr:1", "random:1"])
def test_the_most_tasks_of_a_region_are_libgomps_limit(tmp_path, schedule):
    """While threads of GCC 12's libgomp for gfx900 wait at a team's barrier, each task that is made is one s_barrier; at the 101st of them
    they give up. So 99 tasks come to their end and 100 do not, however the waves take turns."""
    program = tmp_path / "program"
    subprocess.run([f"gcc-{VERSION}", *GCC, "-fopenmp", "-o", program, HERE / "openmp_tasks.c"], cwd=tmp_path, check=True, capture_output=True)
    done = wavetrap("exec", f"--schedule={schedule}", program, "99")
    assert (done.returncode, done.stdout) == (0, f"sum {99 * 100 // 2}\n"), done.stderr
    done = wavetrap("exec", f"--schedule={schedule}", program, "100")
    assert done.returncode == -signal.SIGABRT and "Barrier sync failed (another thread died?); aborting." in done.stdout + done.stderr, done


@pytest.mark.parametrize("compiler, model", [("clang-19", "gfx90a"), *(pytest.param(*one, marks=pytest.mark.full) for one in (
    ("clang-19", "gfx908"), ("clang-19", "gfx906"), (f"gcc-{VERSION}", "gfx906")))])
def test_other_models(tmp_path, compiler, model):
    """Of GCC's libgomp Debian has those of gfx900 and gfx906."""
    program = tmp_path / "program"
    flags = [flag.replace("gfx900", model) for flag in ([*GCC, "-fopenmp"] if compiler == f"gcc-{VERSION}" else CLANG)]
    subprocess.run([compiler, *flags, "-w", "-o", program, HERE / "openmp.c"], cwd=tmp_path, check=True, capture_output=True)
    done = wavetrap("exec", "--stats", program)
    assert done.stdout == "devices 1, on one 1, sum 1000000, last 1999\n" and f"launched on the emulated {model}, " in done.stderr, done.stderr


def test_images_for_another_gpu_are_named(tmp_path):
    """LLVM's runtime leaves the region to the host, and is silent about it."""
    program = tmp_path / "program"
    subprocess.run(["clang-19", *(flag.replace("gfx900", "gfx906") for flag in CLANG), "--offload-arch=gfx1030", "-w", "-o", program, HERE / "openmp.c"], check=True, capture_output=True)
    done = wavetrap("exec", "-g", "gfx900", program)
    assert (done.stdout, done.stderr) == ("devices 0, on one 0, sum 1000000, last 1999\n", f"wavetrap: {program}: it holds code for gfx906, gfx1030, not for gfx900: "
                                          "compile with --offload-arch=gfx900, or run it with -g gfx906\n")
    done = wavetrap("exec", program)
    assert (done.stdout, done.stderr) == ("devices 1, on one 1, sum 1000000, last 1999\n", "wavetrap: the program has code for gfx906, gfx1030: the GPU is a gfx906 (--gpu)\n")
    done = wavetrap("exec", "-g", "gfx1030", program)
    assert (done.stdout, done.stderr) == ("devices 1, on one 1, sum 1000000, last 1999\n", "")


@pytest.mark.parametrize("compiler, flags, source", [
    (f"gcc-{VERSION}", [*GCC, "-fopenmp"], "openmp.c"), (f"g++-{VERSION}", [*GCC, "-fopenmp"], "openmp.cc"),
    (f"gfortran-{VERSION}", [*GCC, "-fopenmp"], "openmp.f90"), (f"gcc-{VERSION}", [*GCC, "-fopenacc"], "openacc.c"),
    (f"gfortran-{VERSION}", [*GCC, "-fopenacc"], "openacc.f90"), ("clang-19", CLANG, "openmp.c"),
    ("clang++-19", CLANG, "openmp.cc")])
def test_a_program_runs_on_the_device(tmp_path, compiler, flags, source):
    """The sum of 2i + 1 for i below 1000 is 1000 squared, whatever computes it."""
    program = tmp_path / "program"
    subprocess.run([compiler, *flags, "-o", program, HERE / source], cwd=tmp_path, check=True, capture_output=True)
    env = environment()
    if "acc" in source:
        env["ACC_DEVICE_TYPE"] = "radeon"
    done = wavetrap("exec", program, env=env)
    assert done.stdout == "devices 1, on one 1, sum 1000000, last 1999\n", done.stderr
    assert done.returncode == 0
