"""OpenCL's built-in functions: kernels on the emulated GPU, with Debian's device libraries, against PoCL on the CPU.

Integers and what the standard rounds correctly: bit for bit (but for the payload of NaNs). The rest: within the bounds of
OpenCL 2.0's table of errors. Of float functions the truth is the same source in double precision; of double functions PoCL's
answer may be off as far as ours, so that they may differ by the sum.
"""
import struct
import subprocess

import numpy
import pytest

import amd
from pocl import Pocl
from test_gcn_kernels import BITCODE, COMPILERS, OPTIONS, SOURCE, WAVETRAP, Local, compile_, doubles, floats, words

FOLDER = SOURCE / "pocl"
N = 320
LOCAL = "local"
# kernel: block, work-items, arguments: bytes are what a buffer holds, a number its size in zeros; NaNs of these outputs are equal
EXACT = {
    "integer_functions": (64, N, [words(N, 1), words(N, 2), 64 * N], {}),
    "saturating": (64, N, [words(N, 3), words(N, 4), 32 * N], {}),
    "wide_functions": (64, N, [words(2 * N, 5), words(2 * N, 6), 64 * N], {}),
    "small_vectors": (64, N, [words(N, 7), words(N, 8), 16 * N, 24 * N], {}),
    "saturated_conversions": (64, N, [floats(N, 9), words(N, 10), 32 * N, 16 * N], {}),
    "shuffles": (64, N, [words(4 * N, 11), 32 * N], {}),
    "loads_and_stores": (64, N, [words(3 * N, 12), 12 * N, 4 * N], {}),
    "rounding": (64, N, [floats(N, 13), 32 * N], {1: "f"}),
    "rounding_double": (64, N, [doubles(N, 14), 64 * N], {1: "d"}),
    "float_parts": (64, N, [floats(N, 15, True), floats(N, 16, True), 32 * N, 8 * N], {2: "f"}),
    "relations": (64, N, [floats(N, 17), floats(N, 18), doubles(N, 19), 8 * N], {}),
    "old_atomics": (128, 512, [words(512, 20), 8 * 4 * 4, (LOCAL, 32)], {}),
    "copies": (96, 480, [words(480, 21), 4 * 480, (LOCAL, 384)], {}),
}
# kernel: ULPs of each function in float and double (OpenCL 2.0, tables 9 and 10 of the specification of C; cbrt 2, rootn 16)
BOUNDED = {
    "sines": ([4, 4, 5, 4, 4, 4], [4, 4, 5, 4, 4, 4]),
    "arcs": ([4, 4, 5, 6], [4, 4, 5, 6]),
    "exponentials": ([3, 3, 3, 3, 3], [3, 3, 3, 3, 3]),
    "logarithms": ([3, 3, 3, 2, 3], [3, 3, 3, 2, 3]),
    "powers": ([16, 16, 16, 2, 2, 4, 16], [16, 16, 16, 2, 2, 4, 16]),
    "hyperbolics": ([4, 4, 5, 4, 4, 5], [4, 4, 5, 4, 4, 5]),
    "special_functions": ([16, 16, 16], [16, 16, 16]),
}


@pytest.fixture(scope="session")
def pocl():
    """pocl(file, kernel, groups, arguments, options): what the buffers hold after PoCL has run the kernel."""
    oracle = Pocl()

    def run(file, kernel, block, items, arguments, *options):
        given = [Local(a[1]) if isinstance(a, tuple) else bytes(a) for a in arguments]
        return oracle.run(FOLDER / f"{file}.cl", kernel, (items,), (block,), given, "-cl-std=CL1.2", *options)
    return run


@pytest.fixture(scope="session")
def object_of(tmp_path_factory):
    """object_of(file, compiler, level, real) is a code object."""
    out = tmp_path_factory.mktemp("pocl")

    def build(file, compiler, level, real):
        path = out / f"{file}-{compiler}{level}-{real}.co"
        if not path.exists():
            compile_(compiler, "-target", "amdgcn-amd-amdhsa", *amd.TARGET, "-x", "cl", *OPTIONS, level, f"-DREAL={real}",
                     "-w", *amd.version(compiler), f"--rocm-device-lib-path={BITCODE}", FOLDER / f"{file}.cl", "-o", path)
        return path
    return build


def on_device(path, kernel, block, items, arguments, folder):
    command = [WAVETRAP, "run", f"--gpu={amd.MODEL}:cu=2", f"--kernel={kernel}", f"--grid={items}", f"--block={block}"]
    for i, a in enumerate(arguments):
        if isinstance(a, tuple):
            command.append(f"--arg=local:{a[1]}")
            continue
        (folder / f"in{i}").write_bytes(a if isinstance(a, bytes) else bytes(a))
        command += [f"--arg=file:{folder}/in{i}", f"--dump-arg={i}:{folder}/out{i}"]
    done = subprocess.run([*command, path], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return [None if isinstance(a, tuple) else (folder / f"out{i}").read_bytes() for i, a in enumerate(arguments)]


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("kernel", EXACT)
def test_exact(pocl, object_of, tmp_path, kernel, compiler, level):
    block, items, arguments, formats = EXACT[kernel]
    got = on_device(object_of("functions", compiler, level, "float"), kernel, block, items, arguments, tmp_path)
    want = pocl("functions", kernel, block, items, arguments)
    wrong = []
    for i, (g, w) in enumerate(zip(got, want)):
        if g == w:
            continue
        kind = formats.get(i, "I")
        for at, ((x,), (y,)) in enumerate(zip(struct.iter_unpack("<" + kind, g), struct.iter_unpack("<" + kind, w))):
            size = struct.calcsize(kind)
            a, b = g[at * size:(at + 1) * size], w[at * size:(at + 1) * size]
            if a != b and (kind == "I" or x == x or y == y):
                wrong.append(f"argument {i}, element {at}: {a[::-1].hex()}, not {b[::-1].hex()}")
    assert wrong == []


@pytest.mark.parametrize("real", ["float", "double"])
@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("kernel", BOUNDED)
def test_within_bounds(pocl, object_of, tmp_path, kernel, compiler, level, real):
    bounds = BOUNDED[kernel][real == "double"]
    kind = numpy.float32 if real == "float" else numpy.float64
    values = numpy.frombuffer(floats(N, kernel, True), dtype=numpy.float32)
    arguments = [values.astype(kind).tobytes(), values.astype(kind).itemsize * N * len(bounds)]
    got = numpy.frombuffer(on_device(object_of("math", compiler, level, real), kernel, 64, N, arguments, tmp_path)[1], dtype=kind)
    truth = numpy.frombuffer(pocl("math", kernel, 64, N, [values.astype(float).tobytes(), 8 * N * len(bounds)],
                                  "-DREAL=double")[1], dtype=float)
    for n, bound in enumerate(bounds):
        ours, real_ones = got[n * N:(n + 1) * N].astype(float), truth[n * N:(n + 1) * N]
        with numpy.errstate(over="ignore", invalid="ignore"):
            rounded = real_ones.astype(kind)
            ulp = numpy.spacing(numpy.abs(rounded)).astype(float)
            off = numpy.abs(ours - real_ones) / ulp
        same = (ours == rounded) | (numpy.isnan(ours) & numpy.isnan(rounded))
        worst = int(numpy.argmax(numpy.where(same, 0, numpy.where(numpy.isnan(off), numpy.inf, off))))
        assert same[worst] or off[worst] <= bound * (2 if real == "double" else 1), \
            f"function {n} of {values[worst]}: {ours[worst]}, not {real_ones[worst]}: {off[worst]:.2f} ULP"
