"""Kernels of HIP source, by Debian's compilers, do what the same source does on the CPU: bit for bit, but for functions that the
standards leave some room."""
import functools
import os
import struct
import subprocess
from pathlib import Path

import pytest

import amd
from conftest import BUILD, MODEL, hip, wavetrap, without_optimisation
from releases import BITCODE, ROCM_CLANG

pytestmark = pytest.mark.hip

SOURCE = Path(__file__).resolve().parent / "kernels.hip"
FOLDER = BUILD / "tests" / "host" / f"kernels-{MODEL}"
COMMON = ["-std=c++17", "-w", "-ffp-contract=off"]
CLANG = ["clang++-19", "-x", "hip", "--offload-arch=gfx900", "--rocm-path=/usr", "--hip-path=/usr",
         f"--rocm-device-lib-path={BITCODE}"]
# How far single precision may be from the truth, in units in the last place (of OpenCL's table of errors, which the device
# libraries are made for); double precision is compared with the CPU's, which may be off as well.
FUNCTIONS = {"sin": 4, "cos": 4, "tan": 5, "exp": 3, "log": 3, "pow": 16, "atan2": 6, "tanh": 5, "cbrt": 2, "exp2": 3}
KERNELS = {"integers", "floats", "doubles", "halves", "functions", "atomics", "atomics, wide", "atomics, sum", "shared",
           "dynamic_shared", "private_arrays", "structures", "structures, totals", "divergence", "calls", "function_pointers",
           "templates<unsigned>", "templates<double>", "virtual_functions", "votes", "shuffles", "allocates", "prints"}
INDIRECT = {"function_pointers", "virtual_functions", "allocates", "prints"}
# Kernels that take numbers and leave results: their symbols, and bytes of result for a work-item.
ALONE = {"integers": ("_Z8integersPKjPj", 64), "floats": ("_Z6floatsPKjPj", 64), "doubles": ("_Z7doublesPKjPy", 80),
         "halves": ("_Z6halvesPKjPj", 24), "functions": ("_Z9functionsPKjPd", 160),
         "private_arrays": ("_Z14private_arraysPKjPj", 4), "divergence": ("_Z10divergencePKjPj", 4),
         "calls": ("_Z5callsPKjPy", 8), "function_pointers": ("_Z17function_pointersPKjPj", 4),
         "templates<unsigned>": ("_Z9templatesIjEvPKT_PS0_", 4), "virtual_functions": ("_Z17virtual_functionsPKjPj", 4),
         "votes": ("_Z5votesPKjPy", 32), "shuffles": ("_Z8shufflesPKjPj", 32)}


def built(name, command, *options):
    """A file of this name, where it is not newer than its sources."""
    path = FOLDER / name
    sources = (SOURCE, SOURCE.with_name("cpu.h"))
    if not path.exists() or path.stat().st_mtime < max(s.stat().st_mtime for s in sources):
        FOLDER.mkdir(parents=True, exist_ok=True)
        new = path.with_name(f"{name}.{os.getpid()}")
        # clang-19's driver asks for a bundler without a version in its name.
        env = {**os.environ, "PATH": os.environ["PATH"] + f":/usr/lib/llvm-{ROCM_CLANG}/bin"}
        done = subprocess.run([*command, *COMMON, *options, "-o", new, SOURCE], env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        os.replace(new, path)
    return path


def parts(text):
    """{kernel: its lines}."""
    found = {}
    for part in text.split("== ")[1:]:
        name, *lines = part.splitlines()
        found[name] = lines
    assert "end" in found, "it has not come to its end"
    return found


@functools.cache
def on_cpu():
    program = built("cpu", ["clang++-19", "-x", "c++", "-DON_CPU", f"-DLANES={amd.LANES}", "-O0", "-Xclang", "-ffloat16-excess-precision=none"])
    found = parts(subprocess.run([program], capture_output=True, text=True, check=True, timeout=60).stdout)
    assert set(found) == KERNELS | {"in", "end"}
    return found


@functools.cache
def on_gpu(compiler, level):
    if compiler == "hipcc":
        program = built(f"hipcc{level}", [*(without_optimisation() if level == "-O0" else ["hipcc"]), "--offload-arch=gfx900"], level)
    else:
        program = built(f"clang{level}", CLANG, "-mcode-object-version=4", "-DDIRECT", "-lamdhip64", level)
    done = hip(program)
    assert (done.returncode, done.stderr) == (0, "")
    return parts(done.stdout)


def data(lines):
    return bytes.fromhex("".join(lines))


def distance(x, y):
    """Between two floats of single precision, in units in the last place."""
    a, b = (struct.unpack("<i", struct.pack("<f", v))[0] for v in (x, y))
    return abs((a if a >= 0 else -(a & 0x7fffffff)) - (b if b >= 0 else -(b & 0x7fffffff)))


def check(kernel, got, want):
    if kernel == "prints":  # in any order
        assert sorted(got) == sorted(want)
        return
    got, want = data(got), data(want)
    assert len(got) == len(want)
    if kernel != "functions":
        bad = [i for i in range(0, len(want), 4) if got[i:i + 4] != want[i:i + 4]]
        assert not bad, f"{len(bad)} words differ; number {bad[0] // 4} is {got[bad[0]:][3::-1].hex()}, " \
                        f"not {want[bad[0]:][3::-1].hex()}"
        return
    for at in range(0, len(want), 160):
        ours, theirs = struct.unpack_from("<20d", got, at), struct.unpack_from("<20d", want, at)
        for i, (name, bound) in enumerate(FUNCTIONS.items()):
            assert distance(ours[i], theirs[10 + i]) <= bound, f"{name} of single precision, item {at // 160}"
            assert abs(ours[10 + i] - theirs[10 + i]) <= 2 * bound * 2 ** -52 * abs(theirs[10 + i]), f"{name}, item {at // 160}"


@pytest.mark.parametrize("compiler,level", [("hipcc", "-O0"), ("hipcc", "-O2"), ("clang", "-O2")])
@pytest.mark.parametrize("kernel", sorted(KERNELS))
def test_as_on_the_cpu(kernel, compiler, level):
    """In a host program. Debian's runtime crashes at kernels that ask for a device queue, as all do that clang-19 makes at -O0."""
    if compiler == "clang" and kernel in INDIRECT:
        pytest.skip("clang-19 has it ask for a device queue, which crashes this runtime")
    check(kernel, on_gpu(compiler, level)[kernel], on_cpu()[kernel])


@pytest.mark.parametrize("version", [4, 5])
@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("kernel", ALONE)
def test_alone(tmp_path, kernel, level, version):
    """Without a runtime, by clang-19."""
    symbol, size = ALONE[kernel]
    path = built(f"alone{level}-{version}.co", CLANG, "--cuda-device-only", "--no-gpu-bundle-output", "-c",
                 f"-mcode-object-version={version}", level)
    (tmp_path / "in").write_bytes(data(on_cpu()["in"]))
    items = len(data(on_cpu()["in"])) // 4
    done = wavetrap("run", f"--kernel={symbol}", f"--grid={items}", "--block=128", f"--arg=file:{tmp_path}/in",
                    f"--arg=zeros:{items * size}", f"--dump-arg=1:{tmp_path}/out", path)
    assert (done.returncode, done.stderr) == (0, "")
    check(kernel, [(tmp_path / "out").read_bytes().hex()], on_cpu()[kernel])
