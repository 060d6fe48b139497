"""Textures, surfaces, copies of boxes, managed memory and several GPUs of the driver API, against formulas in the program itself."""
import subprocess

import pytest

from conftest import wavetrap
from sanitizer import ROOT
from test_cuda import LIBRARY, HERE


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp("cuda") / "program"
    done = subprocess.run(["gcc-12", "-O2", "-w", f"-I{ROOT}/include", HERE / "cuda_textures.c", "-o", path, LIBRARY, "-lm"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return path


def test_textures_and_memory(program):
    done = wavetrap("exec", "-g", "sm", program)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines() == [
        "textures right 4096", "linear 3 4 0 1, beyond 0", "layers right, 5 x 4", "gathered 1", "by name 1",
        "surface 108 109, 104 105, stored 105 104 beside 113 107", "too many rows 1",
        "managed 42: 1, of the host 1, registered 1, again 712, gone 1"]


def test_two_gpus(program):
    done = wavetrap("exec", "-g", "sm", "-g", "sm:sms=2", program)
    assert done.stdout.endswith("active 0, device 1 got 7, peers 0 1\n"), done.stdout + done.stderr


@pytest.mark.parametrize("kernel, words", [("tex2d", "0x1234 is the handle of no texture or surface"),
                                           ("trapped", "0x1234 is the handle of no texture or surface")])
def test_a_handle_that_is_none(program, kernel, words):
    done = wavetrap("exec", "-g", "sm", program, kernel, "0x1234")
    assert done.stdout == "then 719\n" and words in done.stderr and f"<{kernel}> at PTX:" in done.stderr, done.stderr
