"""Arguments of optimised kernels that host programs launch, on each of two GPUs and in core files: those of the launch, told as such."""
import re
import subprocess

import pytest

from conftest import ROOT, WAVETRAP
from test_cuda_cpp import compiled as compiled_cpp

SOURCE = ROOT / "tests" / "host" / "launch_arguments.cu"
STORE = next(n for n, line in enumerate(SOURCE.read_text().splitlines(), 1) if line.endswith("// store"))


@pytest.fixture(scope="module", params=["gfx900", "sm"])
def program(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "sm":
        return "sm", compiled_cpp(folder, SOURCE, "-O2", "-g", "--cuda-gpu-arch=sm_50")
    subprocess.run(["hipcc", "--offload-arch=gfx900", "-O2", "-g", "-x", "hip", SOURCE, "-o", folder / "program"], check=True, capture_output=True)
    return "gfx900", folder / "program"


def said_by(*words):
    done = subprocess.run([WAVETRAP, "debug", "--nx", "--batch", *words], capture_output=True, text=True, timeout=200, check=False)
    # Intel's runtime asks how OpenCL C is to be compiled, though a module may be compiled already.
    assert done.returncode == 0 and not re.sub(r"^wavetrap: what is compiled of OpenCL C .*\n", "", done.stderr), done.stdout + done.stderr
    return done.stdout


def arguments(device, family):
    """What main() gives the launch on that GPU. Optimised CUDA has line tables alone: a structure is its bytes."""
    if family == "gfx900":
        return [f"p = {{a = {5 + device}, b = 6, c = -6, d = {{1, 2, -3}}}} (at launch)", f"n = {7 + device} (at launch)", "small = -3 '\\375' (at launch)"]
    return [rf"_param_1 = {{{5 + device}, 0, 0, 0, 0, 0, 192, 64, 250, 255, 255, 255, 255, 255, 255, 255, 1, 0, 2, 0, 253, 255, 0, 0}} (at launch)",
            f"_param_2 = {7 + device} (at launch)", "_param_3 = 253 (at launch)"]


def test_arguments_are_those_of_the_launch_on_each_gpu_and_in_core_files(program, tmp_path):
    family, file = program
    core = [tmp_path / "0.core", tmp_path / "1.core"]
    words = ["break k", "run", "echo first\\n", "info args", f"generate-core {core[0]}", "continue", "echo second\\n", "info args", f"generate-core {core[1]}", "kill"]
    said = said_by("-g", family, "-g", family, *(w for c in words for w in ("-ex", c)), file)
    parts = re.split(r"^(?:first|second)$", said, flags=re.M)
    for device in range(2):
        assert f"\n[device {device}, " in parts[device] and all(line in parts[1 + device] for line in arguments(device, family)), said
        there = said_by("--core", core[device], "-ex", "echo there\\n", "-ex", "info args").split("there\n")[1]
        assert all(line in there for line in arguments(device, family)), there


def test_a_watchpoint_of_group_memory_stops_at_the_store_forwards(program):
    """The lane that stores to the fourth element, its line, the old value and the new."""
    family, file = program
    place = f"*(int *){'shared' if family == 'sm' else 'local'}#0xc"
    words = ["break k", "run", "delete", f"watch {place}", "continue", "kill"]
    said = said_by("-g", family, *(w for c in words for w in ("-ex", c)), file)
    assert re.search(rf"lane 3; .*\n\n.*watchpoint 2: {re.escape(place)}\n\nOld value = -?\d+\nNew value = 10\n", said), said
    assert f"\n{STORE}\t" in said, said


def test_arguments_in_a_level_zero_program_that_has_a_compiled_module(tmp_path):
    """On each of two GPUs, and in core files."""
    (tmp_path / "k.cl").write_text("""struct s { int a; long b; short c; };
kernel void k(global int *out, struct s p, int n)
{
    n *= 3;
    out[get_global_id(0)] = p.a + p.b + p.c + n;
}
""")
    subprocess.run(["ocloc", "compile", "-file", "k.cl", "-device", "skl", "--format", "zebin", "-options", "-g", "-output", "k", "-output_no_suffix", "-q"],
                   cwd=tmp_path, check=True, capture_output=True)
    subprocess.run(["gcc", "-Wall", "-Werror", "-o", tmp_path / "program", ROOT / "tests" / "host" / "launch_arguments_ze.c", "-lze_loader"], check=True)
    core = [tmp_path / "0.core", tmp_path / "1.core"]
    words = ["break k if $_item_x == 0", f"run {tmp_path / 'k'}", "echo first\\n", "info args", f"generate-core {core[0]}", "continue", "echo second\\n", "info args",
             f"generate-core {core[1]}", "kill"]
    said = said_by("-g", "gen9", "-g", "gen9", *(w for c in words for w in ("-ex", c)), tmp_path / "program")
    parts = re.split(r"^(?:first|second)$", said, flags=re.M)
    for device in range(2):
        there = said_by("--core", core[device], "-ex", "echo there\\n", "-ex", "info args").split("there\n")[1]
        wanted = rf"^p = {{a = {5 + device}, b = -6, c = 7}}( \(at launch\))?\nn = {8 + device}( \(at launch\))?$"
        assert f"\n[device {device}, " in parts[device], said
        assert re.search(wanted, parts[1 + device], re.M) and re.search(wanted, there, re.M), said + there
