"""Debian's OpenCL libraries on the emulated Gen9: programs that use them compare each result with the host's, and the test
compares them with PoCL's."""
import os
import pathlib
import re
import subprocess

import pytest

from conftest import BUILD, WAVETRAP, alone, is_old

SOURCES = pathlib.Path(__file__).parent / "opencl_libraries"
# How far results may differ, of the largest number of each: sums have another order on a device of another width.
BOUNDS = {"boost_compute.cc": {"": 0}, "clfft.c": {"": 1e-5}, "viennacl.cc": {" float": 2e-4, " double": 1e-10}}
POCL = {**os.environ, "OCL_ICD_VENDORS": "/etc/OpenCL/vendors/pocl.icd"}
LIBRARIES = {"boost_compute.cc": ([], 14), "clfft.c": (["-lclFFT", "-lm"], 14), "viennacl.cc": ([], 20)}


def built(name, libraries):
    source = SOURCES / name
    path = BUILD / "tests" / "host" / source.stem
    with alone(path):
        if is_old(path, source):
            new = path.with_suffix(".new")
            subprocess.run([*(["gcc", "-O1"] if source.suffix == ".c" else ["g++", "-O0"]), "-w", "-o", new, source, *libraries, "-lOpenCL"],
                           check=True)
            os.replace(new, path)
    return path


def results(path):
    """The numbers that a program has kept, by name."""
    lines = [line.rpartition(":") for line in path.read_text().splitlines()]
    return {name: [float(word) for word in numbers.split()] for name, _, numbers in lines}


@pytest.mark.parametrize("name, step", [("boost_compute.cc", 1), pytest.param("clfft.c", 5, marks=pytest.mark.full), pytest.param("clfft.c", 1, marks=pytest.mark.full), pytest.param("viennacl.cc", 1, marks=pytest.mark.full)])
def test_results_are_those_of_the_host_and_of_pocl(tmp_path, name, step):
    """PoCL compiles clFFT's transforms for long: it has each fifth of them, or all."""
    libraries, tests = LIBRARIES[name]
    program = built(name, libraries)
    kept = {}
    for device, command, environment, wanted in (("gen9", [WAVETRAP, "exec", "-g", "gen9"], None, tests), ("pocl", [], POCL, -(-tests // step))):
        file = tmp_path / device
        done = subprocess.run([*command, program, file, *([str(step)] if device == "pocl" else [])], capture_output=True, text=True, timeout=400, check=False, env=environment)
        assert re.fullmatch("(.*: ok\n){%d}" % wanted, done.stdout), done.stdout + done.stderr
        assert done.returncode == 0
        kept[device] = results(file)
        assert len(kept[device]) == wanted
    for what, other in kept["pocl"].items():
        numbers = kept["gen9"][what]
        (bound,) = [bound for end, bound in BOUNDS[name].items() if what.endswith(end)]
        assert other and len(numbers) == len(other), what
        most = max(map(abs, other))
        assert all(abs(a - b) <= bound * most for a, b in zip(numbers, other)), what


def passed_and_failed(said):
    """Of each routine that could be tested."""
    parts = re.split(r"Starting tests for the \x1b\[1m'(\w+)'", said)
    counts = {routine: [int(n) for word in ("passed", "failed") for n in re.findall(rf"(\d+) test\(s\) {word}", text)]
              for routine, text in zip(parts[1::2], parts[2::2])}
    return {routine: found for routine, found in counts.items() if found}


@pytest.mark.parametrize("routine", [pytest.param("xgemv", marks=pytest.mark.full), pytest.param("xherk", marks=pytest.mark.full), pytest.param("xtrsv", marks=pytest.mark.full), "xomatcopy"])
def test_clblast(routine):
    """Debian's tests of CLBlast compare with a reference of their own: a vector, a matrix and other routines. As many pass as with
    PoCL, which has no halves."""
    done = subprocess.run([WAVETRAP, "exec", "-g", "gen9", f"clblast_test_{routine}"], capture_output=True, text=True, timeout=400,
                          check=False)
    gen9 = passed_and_failed(done.stdout)
    assert sum(passed for passed, _ in gen9.values()) > 100 and not any(failed for _, failed in gen9.values()), done.stdout + done.stderr
    done = subprocess.run([f"clblast_test_{routine}"], capture_output=True, text=True, timeout=400, check=False, env=POCL)
    pocl = passed_and_failed(done.stdout)
    assert pocl and pocl == {name: gen9[name] for name in pocl}, done.stdout + done.stderr
