"""Debian's ffmpeg, as it is, with those OpenCL filters on the emulated Gen9 that test_opencl.py does not have. The truth is PoCL: the same samples where the arithmetic
is of integers, within one step elsewhere."""
import os
import subprocess

import pytest

from conftest import wavetrap

FFMPEG = ["ffmpeg", "-v", "error", "-nostdin", "-init_hw_device", "opencl=ocl:0.0", "-filter_hw_device", "ocl"]
SOURCES = ["-f", "lavfi", "-i", "testsrc2=s=98x66:r=25:d=0.12", "-f", "lavfi", "-i", "mandelbrot=s=98x66:r=25"]
ONE = ["yuv420p avgblur_opencl=sizeX=3", "yuv420p boxblur_opencl=luma_radius=2:luma_power=2", "yuv420p nlmeans_opencl=s=4:p=3:r=5",
       "rgba unsharp_opencl"]
TWO = ["yuv420p overlay_opencl=x=10:y=8", "rgba overlay_opencl=x=10:y=8", "yuv420p xfade_opencl=transition=wipeleft:duration=0.1:offset=0",
       "yuv420p xfade_opencl=transition=fade:duration=0.1:offset=0", "yuv420p xfade_opencl=transition=slideup:duration=0.1:offset=0"]
PAD = "yuv420p pad_opencl=w=120:h=80:x=10:y=6:color=red"


def command(case, out):
    pixels, filter_ = case.split(" ", 1)
    up, down = f"format={pixels},hwupload", f"hwdownload,format={pixels}"
    two = case in TWO
    chain = f"[0]{up}[a];[1]{up}[b];[a][b]{filter_},{down}" if two else f"[0]{up},{filter_},{down}"
    return [*FFMPEG, *(SOURCES if two else SOURCES[:4]), "-filter_complex", chain, "-frames:v", "3", "-f", "rawvideo", "-y", out]


def is_as_with_pocl(case, folder, gpu="gen9"):
    done = wavetrap("exec", "-g", gpu, *command(case, folder / "ours"))
    assert done.returncode == 0, done.stderr
    subprocess.run(command(case, folder / "pocl"), env={**os.environ, "OCL_ICD_VENDORS": "/etc/OpenCL/vendors/pocl.icd"}, check=True, timeout=180)
    ours, theirs = (folder / "ours").read_bytes(), (folder / "pocl").read_bytes()
    assert len(ours) == len(theirs) > 25000
    away = max(abs(a - b) for a, b in zip(ours, theirs))
    assert away == 0 or (away == 1 and any(word in case for word in ("blur", "nlmeans"))), away


@pytest.mark.full
@pytest.mark.parametrize("case", ONE + TWO)
def test_filters(tmp_path, case):
    is_as_with_pocl(case, tmp_path)


def test_a_filter_that_writes_outside_its_image(tmp_path):
    """Its items are a multiple of 16, and all of them write. That is reported; hardware ignores it."""
    done = wavetrap("exec", "-g", "gen9", *command(PAD, tmp_path / "ours"))
    assert done.returncode == 1 and "<pad+" in done.stderr and "texel (120,0,0) is outside image 1, which is 120 by 80 by 1" in done.stderr
    is_as_with_pocl(PAD, tmp_path, gpu="gen9:bounds=hardware")
