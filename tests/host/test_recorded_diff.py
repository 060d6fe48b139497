"""`wavetrap diff` of recorded kernels of host programs with images: textures, surfaces, OpenCL's images. One texel, (5,2), is drawn with another value in the second run."""
import re
import signal
import struct
import subprocess

import pytest

from conftest import WAVETRAP, wavetrap
from sanitizer import ROOT, environment
from test_clang_openmp import cuda_path

HERE = ROOT / "tests" / "host"


def built(folder, family):
    program, source = folder / "pictures", HERE / ("pictures.c" if family == "gen9" else "pictures.cu")
    words = {"sm": ["clang-19", "-x", "cuda", "--cuda-gpu-arch=sm_50", f"--cuda-path={cuda_path()}", source, f"-L{cuda_path()}/lib64", "-lcudart", "-lstdc++"],
             "gfx900": ["hipcc", "--offload-arch=gfx900", "-x", "hip", source], "gen9": ["gcc", source, "-lOpenCL"]}[family]
    done = subprocess.run([*map(str, words), "-O1", "-g", "-w", "-o", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program


def recorded(folder, family, program, more):
    core = folder / f"{more}.core"
    said = subprocess.run([WAVETRAP, "exec", "-g", family, f"--core-on-fault={core}", "--core-history=all", program, str(more)], capture_output=True, text=True, timeout=200, env=environment(), check=False)
    assert "store of 4 bytes at 0x40: no memory is mapped there" in said.stderr and (said.returncode == -signal.SIGABRT) == (family == "gfx900"), said
    return core


def diff(one, other):
    return wavetrap("diff", f"debug --core {one}", f"wavetrap debug --core {other}")


@pytest.mark.parametrize("family", ["sm", "gen9", "gfx900"])
def test_images_of_recorded_programs(tmp_path, family):
    program = built(tmp_path, family)
    for _ in range(1 if family == "sm" else 4):     # threads of HIP's and Intel's runtimes allocate in any order
        same, odd = (recorded(tmp_path, family, program, more) for more in (0, 1))
        if "at different addresses" not in diff(same, odd).stdout:
            break
    done = diff(same, same)
    assert done.returncode == 0 and re.fullmatch(r"No store differs: (\d+) accesses of lanes in run 1, \1 in run 2\.\n", done.stdout) and int(done.stdout.split()[3]) >= 256, done
    done = diff(same, odd)
    both = re.findall(r"^  run [12]: store of (\d+) bytes at (0x\w+), value (0x\w+), issue time \d+\n +group \(0,0,0\), (.*), at (?:.*) <draw", done.stdout.split("The first load")[0], re.M)
    assert done.returncode == 1 and len(both) == 2, done
    if "at different addresses" in done.stdout:
        assert family != "sm" and both[0][2] == both[1][2] and int(both[0][1], 16) % 4096 == int(both[1][1], 16) % 4096 and "To go there" not in done.stdout, done
        return
    numbers = [i * 7 % 61 for i in range(4 * 16 * 8)]
    at = 2 * 16 + 5
    texel = [numbers[4 * at + k] for k in range(4)] if family == "gen9" else [numbers[at]]
    for (size, address, value, where), more in zip(both, (0, 1)):
        assert int(size) == 4 * len(texel) and address == both[0][1] and where == {"sm": "warp 1, lane 5", "gen9": "thread 1, channel 5", "gfx900": "wave 0, lane 37"}[family], done
        words = [int.from_bytes(struct.pack("<f", number + more), "little") if family == "gfx900" else number + more for number in texel]    # HIP's surf2Dwrite() makes floats of numbers
        assert int(value, 16) == sum(word << 32 * k for k, word in enumerate(words)), done
    time = re.search(r"run 2: wavetrap debug -ex 'goto (\d+)' --core ", done.stdout)[1]
    back = subprocess.run([WAVETRAP, "debug", "--nx", "--batch", "-ex", f"goto {time}", "-ex", "info time", "--core", odd], capture_output=True, text=True, timeout=200, env=environment(), check=False)
    assert back.returncode == 0 and f"ssue time {time}" in back.stdout, back
