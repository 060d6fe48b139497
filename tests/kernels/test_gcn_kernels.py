"""Kernels in OpenCL C, compiled by Debian's compilers for gfx900, do what the same source does on the CPU, bit for bit."""
import ctypes
import os
import random
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

import amd
from releases import HIPCC_CLANG

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path(__file__).resolve().parent / "gcn"
BITCODE = amd.bitcode()
WAVETRAP = os.environ.get("WAVETRAP", str(ROOT / "build" / "wavetrap"))
COMPILERS = amd.compilers(("clang-19", HIPCC_CLANG))
OPTIONS = ["-cl-std=CL2.0", "-cl-fp32-correctly-rounded-divide-sqrt", "-ffp-contract=off"]
SPECIAL32 = [0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x00800000, 0x00800001, 0x3f800000, 0xbf800000, 0x7f7fffff, 0x7f800000,
             0xff800000, 0x7fc00000, 0x3f7fffff, 0x3f800001, 0x4b800000, 0x7e800000, 0x7f000000, 0x01000000, 0x1f000000,
             0x20800000, 0x5f000000, 0x60800000]
SPECIAL64 = [0, 1 << 63, 1, 0xfffffffffffff, 1 << 52, 0x3ff << 52, 0x7fe << 52, (0x7ff << 52) - 1, 0x7ff << 52, 0xfff << 52,
             0x7ff8 << 48, 0x3ff << 52 | 1, (0x3ff << 52) - 1, 0x7fd << 52, 2 << 52, 0x100 << 52, 0x700 << 52, 0x36 << 52]


def words(count, seed):
    random.seed(seed)
    return struct.pack(f"<{count}I", *(random.getrandbits(32) for _ in range(count)))


def floats(count, seed, moderate=False):
    random.seed(seed)
    out = []
    for i in range(count):
        if moderate:
            out.append(struct.unpack("<I", struct.pack("<f", random.uniform(-8, 8)))[0])
        else:
            out.append(random.choice(SPECIAL32) ^ random.getrandbits(2) if i % 3 == 0 else random.getrandbits(32))
    return struct.pack(f"<{count}I", *out)


def doubles(count, seed):
    random.seed(seed)
    return struct.pack(f"<{count}Q", *(random.choice(SPECIAL64) ^ random.getrandbits(2) if i % 3 == 0 else random.getrandbits(64)
                                       for i in range(count)))


class Local(int):
    """Bytes of local memory."""


ZEROS = bytes
# kernel: file, grid, block, arguments: bytes are buffers, numbers are values
N = 320
CASES = {
    "widths": ("integer", [N], [64], [words(N, 1), words(N, 2), ZEROS(64 * N)]),
    "wide": ("integer", [N], [64], [words(2 * N, 3), words(2 * N, 4), ZEROS(64 * N)]),
    "bytes": ("integer", [N], [128], [words(N // 4, 5), ZEROS(N), ZEROS(2 * N)]),
    "vectors": ("integer", [64], [64], [words(256, 6), ZEROS(1024), ZEROS(256)]),
    "scalars": ("integer", [64], [32], [("i8", -5), ("u16", 65535), ("i32", -77), ("u64", 0x123456789abcdef0), ZEROS(512)]),
    "crc": ("integer", [256], [256], [words(256, 7), ZEROS(1024)]),
    "single": ("real", [N], [64], [floats(N, 8), floats(N, 9), ZEROS(32 * N)]),
    "real_double": ("real", [N], [64], [doubles(N, 10), doubles(N, 11), ZEROS(64 * N)]),
    "conversions": ("real", [N], [64], [words(N, 12), floats(N, 13), ZEROS(16 * N), ZEROS(8 * N), ZEROS(8 * N)]),
    "divide": ("real", [4096], [64], [floats(4096, 14), floats(4096, 15), ZEROS(4 * 4096)]),
    "divide_double": ("real", [4096], [64], [doubles(4096, 16), doubles(4096, 17), ZEROS(8 * 4096)]),
    "horner": ("real", [N], [64], [floats(N, 18, True), ZEROS(4 * N)]),
    "dot4": ("real", [64], [64], [floats(256, 19, True), floats(256, 20, True), ZEROS(256)]),
    "mandelbrot": ("real", [1024], [256], [ZEROS(4096), ("f32", 0.09375)]),
    "collatz": ("flow", [1000], [100], [ZEROS(4000)]),
    "branches": ("flow", [N], [64], [words(N, 21), ZEROS(4 * N)]),
    "calls": ("flow", [N], [64], [words(N, 22), ZEROS(4 * N)]),
    "sort": ("flow", [100], [64], [words(1024, 23), ZEROS(6400)]),
    "structures": ("flow", [N], [64], [words(N, 24), ZEROS(8 * N)]),
    "generic_pointers": ("flow", [N], [64], [words(N, 25)]),
    "grid3": ("flow", [12, 6, 5], [4, 3, 5], [ZEROS(4 * 360)]),
    "partial": ("flow", [1000], [192], [ZEROS(4000)]),
    "reverse": ("shared", [512], [128], [words(512, 26), Local(512)]),
    "reduce": ("shared", [1024], [256], [words(1024, 27), ZEROS(16)]),
    "scan": ("shared", [512], [256], [words(1024, 28), ZEROS(4096)]),
    "transpose": ("shared", [48, 48], [16, 16], [words(2304, 29), ZEROS(9216)]),
    "matmul": ("shared", [24, 24], [8, 8], [words(576, 30), words(576, 31), ZEROS(2304)]),
    "histogram": ("shared", [2048], [256], [words(2048, 32), ZEROS(256)]),
    "atomics": ("shared", [512], [128], [words(512, 33), b"\xff" * 32, ZEROS(24)]),
    "compare_and_swap": ("shared", [256], [64], [words(256, 34), ZEROS(16)]),
    "half_arithmetic": ("half", [N], [64], [words(N // 2, 35), words(N // 2, 36), ZEROS(16 * N)]),
    "half_pairs": ("half", [N], [64], [words(N, 37), words(N, 38), ZEROS(16 * N)]),
    "half_conversions": ("half", [N], [64], [words(N // 2, 39), floats(N, 40, True), words(N, 41), ZEROS(4 * N), ZEROS(6 * N),
                                             ZEROS(2 * N)]),
    "half_sum": ("half", [256], [64], [words(128, 42), words(128, 43), ZEROS(512)]),
    "function_table": ("pointers", [N], [64], [words(N, 44), ZEROS(4 * N)]),
    "same_function": ("pointers", [N], [64], [words(N, 45), ZEROS(4 * N), ("i32", 3)]),
    "folds": ("pointers", [N], [64], [words(N, 46), ZEROS(4 * N)]),
    "recursion": ("pointers", [128], [64], [ZEROS(512)]),
    "states": ("pointers", [192], [64], [words(64, 47), ZEROS(768)]),
    "subgroup_reduce": ("subgroup", [600], [200], [words(600, 48), ZEROS(32 * 600)]),
    "subgroup_scan": ("subgroup", [512], [256], [words(512, 49), ZEROS(16 * 512)]),
    "subgroup_wide": ("subgroup", [512], [128], [words(1024, 50), ZEROS(48 * 512)]),
    "subgroup_vote": ("subgroup", [1024], [64], [words(1024, 51), ZEROS(4096)]),
    "group_functions": ("subgroup", [768], [256], [words(768, 52), ZEROS(32 * 768)]),
}
# The compiler itself fails (it selects instructions that gfx900 does not have).
NOT_COMPILED = {("subgroup", HIPCC_CLANG, "-O0")}
# Device libraries have moves over whole waves, which gfx10 does not have: at -O0 they are left in the code.
if amd.MODEL.startswith("gfx1"):
    NOT_COMPILED |= {("subgroup", compiler, "-O0") for compiler in COMPILERS}


def compile_(command, *options):
    done = subprocess.run([command, *map(str, options)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="session")
def host(tmp_path_factory):
    """The kernels as a library of the host."""
    out = tmp_path_factory.mktemp("host")
    objects = []
    for source in sorted(SOURCE.glob("*.cl")):
        objects.append(out / f"{source.stem}.o")
        compile_("clang-19", "-x", "cl", *OPTIONS, "-Xclang", "-finclude-default-header", "-O1", "-Xclang",
                 "-ffloat16-excess-precision=none", "-fPIC", "-w", "-c", source, "-o", objects[-1])
    compile_("clang-19", "-O1", "-fPIC", "-shared", f"-DSUB_GROUP={amd.LANES}", SOURCE / "host.c", *objects, "-lm", "-o", out / "host.so")
    return ctypes.CDLL(str(out / "host.so"))


@pytest.fixture(scope="session")
def device(tmp_path_factory):
    """device(compiler, level, file) is a code object."""
    out = tmp_path_factory.mktemp("device")

    def build(compiler, level, file):
        path = out / f"{file}-{compiler}{level}.co"
        if not path.exists():
            compile_(compiler, "-target", "amdgcn-amd-amdhsa", *amd.TARGET, "-x", "cl", *OPTIONS, level, "-g", "-w", *amd.version(compiler),
                     f"--rocm-device-lib-path={BITCODE}", SOURCE / f"{file}.cl", "-o", path)
        return path
    return build


def shape(sizes):
    return sizes + [1] * (3 - len(sizes))


SCALARS = {"i8": "b", "u16": "H", "i32": "i", "u64": "Q", "f32": "f"}


def on_host(host, kernel):
    """What the buffers hold after the kernel has run on the CPU."""
    _, grid, block, arguments = CASES[kernel]
    keep, passed = [], []
    for a in arguments:
        if isinstance(a, tuple):
            passed.append(int.from_bytes(struct.pack("<" + SCALARS[a[0]], a[1]), "little", signed=a[0][0] == "i")
                          & (1 << 64) - 1)
            continue
        keep.append(ctypes.create_string_buffer(a if isinstance(a, bytes) else bytes(a), len(a) if isinstance(a, bytes) else a))
        passed.append(ctypes.addressof(keep[-1]))
    if any(isinstance(a, tuple) and a[0] == "f32" for a in arguments):
        # Floating point arguments have registers of their own: called directly, an item a time.
        return None
    host.run(getattr(host, kernel), (ctypes.c_size_t * 3)(*shape(grid)), (ctypes.c_size_t * 3)(*shape(block)),
             (ctypes.c_size_t * 6)(*(passed + [0] * (6 - len(passed)))))
    buffers = iter(keep)
    return [next(buffers).raw if not isinstance(a, tuple) else None for a in arguments]


def mandelbrot(scale):
    """In Python, rounding after each operation."""
    def f(x):
        return struct.unpack("<f", struct.pack("<f", x))[0]

    out = []
    for i in range(1024):
        cx, cy, x, y, n = f(f(i % 32 * scale) - 2), f(f(i // 32 * scale) - 1), 0.0, 0.0, 0
        while n < 100 and f(f(x * x) + f(y * y)) <= 4:
            t = f(f(f(x * x) - f(y * y)) + cx)
            y = f(f(f(2 * x) * y) + cy)
            x, n = t, n + 1
        out.append(n)
    return struct.pack("<1024I", *out)


def on_device(path, kernel, folder, gpu=f"{amd.MODEL}:cu={3 * amd.PAIRS}", *more):
    _, grid, block, arguments = CASES[kernel]
    command = [WAVETRAP, "run", f"--gpu={gpu}", f"--kernel={kernel}", "--grid=" + ",".join(map(str, grid)),
               "--block=" + ",".join(map(str, block)), *more]
    for i, a in enumerate(arguments):
        if isinstance(a, tuple):
            command.append(f"--arg={a[0]}:{a[1]}")
        elif isinstance(a, Local):
            command.append(f"--arg=local:{a}")
        else:
            (folder / f"in{i}").write_bytes(a)
            command += [f"--arg=file:{folder}/in{i}", f"--dump-arg={i}:{folder}/out{i}"]
    done = subprocess.run([*command, path], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return [(folder / f"out{i}").read_bytes() if isinstance(a, bytes) else None for i, a in enumerate(arguments)], done.stderr


def same(kernel, got, want):
    """NaNs may differ in sign and payload (they do between x86 and GCN)."""
    formats = {"single": ("f", 2), "divide": ("f", 2), "real_double": ("d", 2), "divide_double": ("d", 2), "horner": ("f", 1),
               "dot4": ("f", 2), "half_arithmetic": ("e", 2), "half_pairs": ("e", 2), "half_conversions": ("f", 3),
               "half_sum": ("e", 2)}
    kind, output = formats.get(kernel, (None, None))
    for i, (g, w) in enumerate(zip(got, want)):
        if g is None or g == w or isinstance(CASES[kernel][3][i], Local):
            continue
        if i != output:
            at = next(k for k in range(len(w)) if g[k] != w[k])
            return f"argument {i}, byte {at}: {g[at]:02x}, not {w[at]:02x}"
        size = struct.calcsize(kind)
        for at in range(0, len(w), size):
            if g[at:at + size] == w[at:at + size]:
                continue
            x, y = struct.unpack_from("<" + kind, g, at)[0], struct.unpack_from("<" + kind, w, at)[0]
            if x == x or y == y:
                return f"argument {i}, number {at // size}: {g[at:at + size][::-1].hex()}, not {w[at:at + size][::-1].hex()}"
    return ""


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("kernel", CASES)
def test_as_on_the_host(host, device, tmp_path, kernel, compiler, level):
    """Code objects of version 4 (clang-15) and 5 (clang-19)."""
    if (CASES[kernel][0], compiler, level) in NOT_COMPILED:
        pytest.skip(f"{compiler} cannot compile it {level}")
    if kernel == "recursion" and amd.LANES == 32:
        pytest.skip("its calls go deeper than the private memory that the compiler asks for, of which a wave of 32 lanes has half")
    got, _ = on_device(device(compiler, level, CASES[kernel][0]), kernel, tmp_path)
    want = on_host(host, kernel) or [mandelbrot(0.09375), None]
    assert same(kernel, got, want) == ""


@pytest.mark.parametrize("gpu,schedule", [(f"{amd.MODEL}:cu={amd.PAIRS}", "rr:1"), (f"{amd.MODEL}:cu={7 * amd.PAIRS}", "lockstep"), (amd.MODEL, "random:5")])
@pytest.mark.parametrize("kernel", ["scan", "matmul", "histogram", "compare_and_swap", "generic_pointers"])
def test_any_schedule_gives_the_same(host, device, tmp_path, kernel, gpu, schedule):
    got, _ = on_device(device(COMPILERS[0], "-O2", CASES[kernel][0]), kernel, tmp_path, gpu, f"--schedule={schedule}")
    assert same(kernel, got, on_host(host, kernel)) == ""


def test_runs_are_repeatable(device, tmp_path):
    """The same run has the same state hash; another schedule another one."""
    path = device(COMPILERS[0], "-O2", "shared")
    hashes = [on_device(path, "scan", tmp_path, amd.MODEL, "--hash", f"--schedule={s}")[1] for s in ("rr:64", "rr:64", "rr:3")]
    assert hashes[0] == hashes[1] != hashes[2]


@pytest.mark.parametrize("gpu,schedule,budget", [(f"cu={amd.PAIRS}", "rr:64", 1 << 30), (f"cu={3 * amd.PAIRS}", "lockstep", 1 << 30),
                                                 ("cu=2", "random:3", 1 << 20)])
@pytest.mark.parametrize("kernel,grid,block", [("scan", "512", "256"), ("histogram", "1000", "128"), ("sort", "200", "64"),
                                               ("matmul", "24,24", "8,8"), ("generic_pointers", "300", "64")])
def test_every_return_is_the_same(device, kernel, grid, block, gpu, schedule, budget):
    """The state at an issue time is the same on the way there and on every return; watches tell all that is written."""
    tool = Path(os.environ.get("WAVETRAP_BUILD", ROOT / "build")) / "tests" / "kernels" / "gcn_return_tool"
    done = subprocess.run([tool, device(COMPILERS[0], "-O0", CASES[kernel][0]), kernel, grid, block, f"model={amd.MODEL},{gpu}", schedule, str(budget),
                           "1"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    writes, found, issues, trips, snapshots = map(int, done.stdout.split())
    assert writes > 500 and found and issues > 1000 and trips == 40 and snapshots > 1
