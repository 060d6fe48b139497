"""Debian's OpenCL libraries on the emulated Gen9: programs that use them compare each result with the host's."""
import os
import pathlib
import re
import subprocess

import pytest

from conftest import BUILD, WAVETRAP, alone, is_old

SOURCES = pathlib.Path(__file__).parent / "opencl_libraries"
LIBRARIES = {"boost_compute.cc": ([], 14), "clfft.c": (["-lclFFT", "-lm"], 14), "viennacl.cc": ([], 20)}


def built(name, libraries):
    source = SOURCES / name
    path = BUILD / "tests" / "host" / source.stem
    with alone(path):
        if is_old(path, source):
            new = path.with_suffix(".new")
            subprocess.run(["gcc" if source.suffix == ".c" else "g++", "-O1", "-w", "-o", new, source, *libraries, "-lOpenCL"],
                           check=True)
            os.replace(new, path)
    return path


@pytest.mark.parametrize("name", LIBRARIES)
def test_results_are_the_hosts(name):
    libraries, tests = LIBRARIES[name]
    done = subprocess.run([WAVETRAP, "exec", "-g", "gen9", built(name, libraries)], capture_output=True, text=True, timeout=400,
                          check=False)
    assert re.fullmatch("(.*: ok\n){%d}" % tests, done.stdout), done.stdout + done.stderr
    assert done.returncode == 0


@pytest.mark.parametrize("routine", ["xgemv", "xherk", "xtrsv", "xomatcopy"])
def test_clblast(routine):
    """Debian's tests of CLBlast compare with a reference of their own: a vector, a matrix and other routines."""
    done = subprocess.run([WAVETRAP, "exec", "-g", "gen9", f"clblast_test_{routine}"], capture_output=True, text=True, timeout=400,
                          check=False)
    passed, failed = ([int(n) for n in re.findall(rf"(\d+) test\(s\) {word}", done.stdout)] for word in ("passed", "failed"))
    assert sum(passed) > 100 and sum(failed) == 0, done.stdout + done.stderr
