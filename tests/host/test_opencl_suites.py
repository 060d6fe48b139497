"""Programs and test suites of others on the emulated Gen9, only in `make full`: piglit's 552 OpenCL programs, the kernels of silx, and
OpenMM."""
import os
import pathlib
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from test_opencl import PYTHON, run

pytestmark = pytest.mark.full
PIGLIT = pathlib.Path("/usr/lib/x86_64-linux-gnu/piglit")
SILX = pathlib.Path("/usr/lib/python3/dist-packages/silx/opencl")
# What does not pass, and why.
EXPECTED = {
    "doc_program.cl": "fail",  # a constant outside functions, which OpenCL C 1.2 does not have
    "include-directories.cl": "fail",  # needs piglit's own folder of headers
    "template_program.cl": "warn",  # is not a program
    "amdgcn-f16-inline-immediates.cl": "fail",  # wants denormals of halves, and asks for none
    "calls-struct.cl": "fail",  # Intel's compiler passes a structure to a function without a copy
    "global-offset.cl": "fail",  # Intel's compiler does not check the dimension that get_global_offset is asked for
    # of AMD's instructions, or of a size that no GPU has
    "amdgcn-callee-saved-registers.cl": "skip", "call-clobbers-amdgcn.cl": "skip", "load-hi16-generic.cl": "skip", "load-lo16-generic.cl": "skip",
    "store-hi16-generic.cl": "skip", "program-tester-check-local-size-test-should-skip.cl": "skip",
}
# They access their buffers outside; hardware ignores that.
STRAY = ["bswap.cl", "clz-optimizations.cl", "pyrit-wpa-psk.cl"]


def piglit(path, gpu="gen9"):
    said = run(PIGLIT / "bin" / "cl-program-tester", path, gpu=gpu).stdout
    found = re.findall(r'^PIGLIT: \{"result": "(\w+)"', said, re.M)
    return found[-1] if found else said


def programs():
    return sorted(p for part in ("generated_tests", "tests") for p in (PIGLIT / part / "cl").rglob("*.cl"))


def test_piglit():
    there = programs()
    assert len(there) > 500
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        said = dict(zip(there, pool.map(lambda p: piglit(p, "gen9:bounds=hardware"), there)))
    assert {p.name: result for p, result in said.items() if result != "pass"} == EXPECTED


@pytest.mark.parametrize("name", STRAY)
def test_stray_accesses_of_piglit_are_reported(name):
    path = next(p for p in programs() if p.name == name)
    done = run(PIGLIT / "bin" / "cl-program-tester", path)
    assert re.search(r"offset 0x[0-9a-f]+ is outside surface \d, which has \d+ bytes", done.stderr)


@pytest.mark.parametrize("path", ["test/test_addition.py", "test/test_array_utils.py", "test/test_doubleword.py", "test/test_kahan.py",
                                  "test/test_sparse.py", "test/test_stats.py", "codec/test/test_byte_offset.py"])
def test_silx(path):
    """Its tests compare with numpy. Its copy_result_int writes one value behind its buffer (`current <= out_size`) for some of
    the random data."""
    done = run(PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", SILX / path, gpu="gen9:bounds=hardware", timeout=600)
    assert done.returncode == 0 and re.search(r"^\d+ passed", done.stdout, re.M), done.stdout


def test_openmm():
    done = run(PYTHON, pathlib.Path(__file__).parent / "openmm_forces.py")
    found = re.findall(r"^(\w+) (\w+) (\S+)$", done.stdout, re.M)
    assert len(found) == 8 and all(float(difference) < 1e-4 for _, _, difference in found), done.stdout + done.stderr
