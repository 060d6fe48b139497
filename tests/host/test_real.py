"""The programs of `make bench BENCH='--only real'` have the host's checksums on each family: with vectors of 512 bits and of 256, by
handlers alone, and translated from the first issue on. At these sizes some launches are translated in the middle; others' warps
find what warps before them have left in their registers."""
import subprocess

import pytest

from conftest import ROOT, compiled, wavetrap
from amd import MODEL
from test_cuda_cpp import compiled as compiled_cuda

SOURCE = ROOT / "bench" / "kernels" / "real.cc"
PROGRAMS = [("bodies", 300, 3), ("ambient", 64, 1), ("paths", 64, 2), ("heat", 256, 4), ("sorting", 64, 2), ("splits", 300, 2), ("queens", 7, 2), ("mandelbrot", 64, 2)]
GPUS = {"gfx900": tuple(f"{MODEL}:{options}" for options in ("", "vectors=256", "jit=1", "jit=0")), "sm": ("sm:", "sm:vectors=256", "sm:jit=1", "sm:jit=0", "sm:cc=7.0")}


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("real")
    subprocess.run(["clang++-19", "-O3", SOURCE, "-o", folder / "host"], check=True, capture_output=True)
    return {"host": folder / "host", "gfx900": compiled(SOURCE, "-x", "hip", f"--offload-arch={MODEL}", name=f"real.{MODEL}"),
            "sm": compiled_cuda(folder, SOURCE, "-O2", "-w", "--cuda-gpu-arch=sm_50")}


def checksum(done):
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.split()[-2]


@pytest.mark.parametrize("family", GPUS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program[0])
def test_results_are_those_of_the_host(programs, program, family):
    words = [str(word) for word in program]
    wanted = checksum(subprocess.run([programs["host"], *words], capture_output=True, text=True, check=False))
    found = {gpu: checksum(wavetrap("exec", "-g", gpu, programs[family], *words)) for gpu in GPUS[family]}
    assert found == dict.fromkeys(found, wanted)
