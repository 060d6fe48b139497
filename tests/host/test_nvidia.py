"""`make check-nvidia`, with a driver that takes the place of NVIDIA's: ours, outside of exec."""
import os
import subprocess
import sys

import pytest

from conftest import ROOT, WAVETRAP, environment
from test_cuda import LIBRARY


def compare(**more):
    without = {k: v for k, v in environment().items() if k != "LD_LIBRARY_PATH"}
    return subprocess.run([sys.executable, ROOT / "tests" / "kernels" / "nvidia.py", "collatz"], capture_output=True, text=True,
                          check=False, env={**without, "WAVETRAP": str(WAVETRAP), **more})


@pytest.mark.skipif(os.path.exists("/dev/nvidiactl"), reason="there is a GPU")
def test_nothing_is_compared_without_a_gpu():
    done = compare()
    assert done.returncode == 0 and done.stdout == "check-nvidia: there is no NVIDIA GPU, or no driver: nothing was compared\n", done.stderr


def test_results_are_compared_bit_by_bit(tmp_path):
    driver = {"LD_LIBRARY_PATH": str(LIBRARY.parent)}
    done = compare(**driver)
    assert done.returncode == 0 and done.stdout == "collatz: as wavetrap SM\n", done.stdout + done.stderr
    (tmp_path / "other").write_text(f"#!/bin/sh\n{WAVETRAP} \"$@\"\nfor out; do :; done\nprintf x | dd of=$out bs=1 seek=400 conv=notrunc 2>/dev/null\n")
    (tmp_path / "other").chmod(0o755)
    done = compare(**driver, WAVETRAP=str(tmp_path / "other"))
    assert done.returncode == 1 and done.stdout == "collatz: 1 of 4096 results differ from wavetrap SM's, the first at 100\n", done.stdout
