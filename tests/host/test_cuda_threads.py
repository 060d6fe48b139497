"""Threads of a program on the CUDA driver API. `make threads` runs them under ThreadSanitizer."""
import subprocess

import pytest

from conftest import wavetrap
from releases import CC
from sanitizer import BUILD, ROOT


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp("threads") / "threads"
    subprocess.run([CC, "-g", f"-I{ROOT}/include", ROOT / "tests" / "host" / "cuda_threads.c", "-o", path,
                    BUILD / "src" / "runtime" / "cuda" / "libcuda.so.1", "-lpthread"], check=True)
    return path


@pytest.mark.parametrize("part", ["work", "destroyed"])
def test_threads(program, part):
    """Copies looked their addresses up without the lock, while other threads allocated and freed."""
    done = wavetrap("exec", "-g", "sm", program, part)
    assert (done.returncode, done.stdout) == (0, "right\n"), done.stdout + done.stderr


def test_threads_under_a_debugger(program):
    done = wavetrap("debug", "-g", "sm", "--batch", "-ex", "run", program, "work", timeout=300)
    assert "right\n" in done.stdout and "exited normally" in done.stdout, done.stdout + done.stderr
