"""`wavetrap hip-path`: clang compiles HIP without ROCm's own compiler."""
import os
import re
import subprocess

import pytest

from conftest import ROOT, WAVETRAP

TARGETS = ("gfx900", "gfx90a", "gfx942", "gfx1030", "gfx1100")
# The number of a GPU's instruction set in the header of its code object (e_flags, EF_AMDGPU_MACH: LLVM's AMDGPU guide).
MACH = {"gfx900": 0x2c, "gfx90a": 0x3f, "gfx942": 0x4c, "gfx1030": 0x36, "gfx1100": 0x41}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    done = subprocess.run([WAVETRAP, "hip-path"], capture_output=True, text=True, check=True)
    return done.stdout.strip(), done.stderr


def compiled(folder, target, out, *words):
    subprocess.run(["clang-22", f"--config={folder}/hip.cfg", "-w", "-x", "hip", f"--offload-arch={target}", *words, "-o", out], check=True)
    return out


@pytest.mark.parametrize("target", TARGETS)
def test_a_program_is_compiled_for_each_gpu(folder, tmp_path, target):
    code = compiled(folder[0], target, tmp_path / "code.o", "-O2", "--cuda-device-only", "--no-gpu-bundle-output", ROOT / "examples/gcn/vecadd.hip")
    header = subprocess.run(["llvm-readelf-22", "-h", code], capture_output=True, text=True, check=True).stdout
    assert int(re.search(r"Flags:\s+0x(\w+)", header).group(1), 16) & 0xff == MACH[target]
    assert re.search(r"ABI Version:\s+2", header)     # code objects of version 4, which Debian 12's runtime loads


def test_it_says_which_library_stands_in(folder):
    said = re.findall(r"^wavetrap hip-path: (\w+) is compiled with the device library of (\w+)$", folder[1], re.M)
    for target, like in said:
        assert os.readlink(f"{folder[0]}/bitcode/oclc_isa_version_{target[3:]}.bc").endswith(f"oclc_isa_version_{like[3:]}.bc")
    real = {name for name in os.listdir(f"{folder[0]}/bitcode") if os.readlink(f"{folder[0]}/bitcode/{name}").endswith(f"/{name}")}
    assert {f"oclc_isa_version_{target[3:]}.bc" for target, _ in said}.isdisjoint(real)


def test_what_clang_has_no_more_is_there(folder, tmp_path):
    """A barrier with fences (hip.bc), a reciprocal of half, the size of a wave, a function that depends on the treatment of denormals: right on the emulated GPU."""
    source = tmp_path / "parts.hip"
    source.write_text(r"""
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
#include <cstdio>
__global__ void parts(float *out)
{
    __shared__ float row[128];
    row[threadIdx.x] = threadIdx.x + 1;
    __syncthreads();
    out[threadIdx.x] = row[127 - threadIdx.x] + (float)hrcp((__half)4.0f) + warpSize + sqrtf(16.0f);
}
int main()
{
    float *out, host[128];
    if (hipMalloc(&out, sizeof host) != hipSuccess)
        return 2;
    parts<<<1, 128>>>(out);
    if (hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost) != hipSuccess)
        return 3;
    int wrong = 0;
    for (int i = 0; i < 128; i++)
        wrong += host[i] != 128 - i + 0.25f + 64 + 4;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
""")
    program = compiled(folder[0], "gfx900", tmp_path / "parts", "-O1", "-g", source, "-lamdhip64", "-lstdc++", "-lm")
    done = subprocess.run([WAVETRAP, "exec", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout == "0 wrong\n", done.stdout + done.stderr


def test_without_a_folder_for_it_the_reason_is_said(tmp_path):
    done = subprocess.run([WAVETRAP, "hip-path"], capture_output=True, text=True, check=False, env={"PATH": os.environ["PATH"], "XDG_CACHE_HOME": "/proc/none"})
    assert done.returncode == 125 and "/proc/none" in done.stderr
