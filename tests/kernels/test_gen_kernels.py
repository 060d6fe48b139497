"""OpenCL kernels compiled by Debian's ocloc for Gen9, optimised and not, do on the emulated EU what the same source does on the
host (bit for bit) and on PoCL (within OpenCL's bounds), and what numpy says for what is Intel's own."""
import re
import shutil
import struct
import subprocess

import numpy
import pytest

import test_gcn_kernels as gcn
import test_gcn_pocl as functions
from pocl import Pocl
from test_gcn_kernels import CASES, ROOT, SOURCE, Local, host, on_host, words  # noqa: F401 (host is a fixture)
from test_gcn_pocl import pocl  # noqa: F401

OWN = ROOT / "tests" / "kernels" / "gen"
LEVELS = {"optimised": [], "not-optimised": ["-cl-opt-disable"]}
EXACT_DIVISION = "-cl-fp32-correctly-rounded-divide-sqrt"
# Function pointers, which Intel's compiler refuses; sub-groups of 64.
NOT_FOR_INTEL = {"pointers"}
HOST_KERNELS = [k for k in CASES if CASES[k][0] not in NOT_FOR_INTEL and not k.startswith("subgroup")]
# Debian's IGC 1.0.12504 negates the first half of a half2 only.
MISCOMPILED = {("half_pairs", "not-optimised")}
# x < y ? x : y, which the optimiser makes a minimum: the operand that is not a NaN.
MINIMA = {"single": ("I", 4, 8, 5), "real_double": ("Q", 8, 8, 5), "half_arithmetic": ("H", 2, 8, 4)}


@pytest.fixture(scope="session", autouse=True)
def compiler():
    assert shutil.which("ocloc"), "ocloc is missing: scripts/need.sh gen"


@pytest.fixture(scope="session")
def zebin(tmp_path_factory):
    """zebin(source, options…) is a compiled file, of whose text `prefix` comes first."""
    out, made = tmp_path_factory.mktemp("zebin"), {}

    def build(source, *options, prefix=True, form=("--format", "zebin")):
        key = (source, options, prefix, form)
        if key not in made:
            text = (OWN / "prefix.cl").read_text() if prefix else ""
            kernels = out / f"{len(made)}.cl"
            kernels.write_text(text + source.read_text())
            name = f"{source.stem}{len(made)}"
            done = subprocess.run(["ocloc", "compile", "-file", kernels, "-device", "skl", *form, "-output", name,
                                   "-output_no_suffix", "-out_dir", out, "-options", " ".join(["-cl-std=CL2.0", *options]), "-q"],
                                  capture_output=True, text=True)
            assert done.returncode == 0 and (out / name).exists(), done.stdout + done.stderr
            made[key] = out / name
        return made[key]
    return build


def run(path, kernel, grid, block, arguments, folder, *more, gpu="gen9:subslices=1"):
    """What the buffers hold afterwards; None for other arguments."""
    command = [gcn.WAVETRAP, "run", f"--gpu={gpu}", f"--kernel={kernel}", f"--grid={grid}", f"--block={block}", *more]
    for i, a in enumerate(arguments):
        if isinstance(a, tuple):
            command.append(f"--arg={a[0]}:{a[1]}")
        elif isinstance(a, Local):
            command.append(f"--arg=local:{a}")
        else:
            (folder / f"in{i}").write_bytes(a if isinstance(a, bytes) else bytes(a))
            command += [f"--arg=file:{folder}/in{i}", f"--dump-arg={i}:{folder}/out{i}"]
    done = subprocess.run([*command, path], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return [(folder / f"out{i}").read_bytes() if isinstance(a, (bytes, int)) and not isinstance(a, Local) else None
            for i, a in enumerate(arguments)]


def with_minima(kernel, got, want):
    """`want`, with the other operand where a minimum of a NaN is allowed to be it."""
    kind, size, period, place = MINIMA[kernel]
    out = bytearray(want[2])
    for at in range(place * size, len(out), period * size):
        item = at // (period * size) * size
        for operand in CASES[kernel][3][:2]:
            if got[2][at:at + size] == operand[item:item + size]:
                out[at:at + size] = operand[item:item + size]
    return [want[0], want[1], bytes(out)]


# How ocloc writes its output: zebins when asked, else patch tokens.
FORMS = {"zebin": ("--format", "zebin"), "patch-tokens": ()}


@pytest.mark.sample(3)
@pytest.mark.parametrize("form,level", [(form, level) if (form, level) != ("patch-tokens", "optimised") else
                                        pytest.param(form, level, marks=pytest.mark.full) for form in FORMS for level in LEVELS])
@pytest.mark.parametrize("kernel", HOST_KERNELS)
def test_as_on_the_host(host, zebin, tmp_path, kernel, level, form):  # noqa: F811
    if (kernel, level) in MISCOMPILED:
        pytest.skip("Debian's compiler makes wrong code of it")
    source = SOURCE / f"{CASES[kernel][0]}.cl"
    got, _ = gcn.on_device(zebin(source, EXACT_DIVISION, *LEVELS[level], form=FORMS[form]), kernel, tmp_path, "gen9:subslices=2")
    want = on_host(host, kernel) or [gcn.mandelbrot(0.09375), None]
    if kernel in MINIMA:
        want = with_minima(kernel, got, want)
    assert gcn.same(kernel, got, want) == ""


# PoCL has no halves, no sub-groups, and does not compile flow.cl; the other files are these.
POCL_KERNELS = [k for k in HOST_KERNELS if CASES[k][0] in ("integer", "real", "shared") and k != "bytes"]


@pytest.fixture(scope="session")
def oracle():
    return Pocl()


@pytest.mark.parametrize("kernel", POCL_KERNELS)
def test_what_the_host_computes_is_what_pocl_computes(host, oracle, kernel):  # noqa: F811
    """So the emulator's results, which are the host's, are PoCL's, too."""
    file, *case = CASES[kernel]
    want = on_host(host, kernel) or [gcn.mandelbrot(0.09375), None]
    assert gcn.same(kernel, oracle.run(SOURCE / f"{file}.cl", kernel, *case, "-cl-std=CL2.0"), want) == ""


@pytest.mark.sample(2)
@pytest.mark.parametrize("gpu,schedule", [("gen9:subslices=1", "rr:1"), ("gen9:subslices=7", "lockstep"), ("gen9", "random:5")])
@pytest.mark.parametrize("kernel", ["scan", "matmul", "histogram", "compare_and_swap", "generic_pointers"])
def test_any_schedule_gives_the_same(host, zebin, tmp_path, kernel, gpu, schedule):  # noqa: F811
    path = zebin(SOURCE / f"{CASES[kernel][0]}.cl", EXACT_DIVISION)
    got, _ = gcn.on_device(path, kernel, tmp_path, gpu, f"--schedule={schedule}")
    assert gcn.same(kernel, got, on_host(host, kernel)) == ""


def test_runs_are_repeatable(zebin, tmp_path):
    """The same run has the same state hash; another schedule another one."""
    path = zebin(SOURCE / "shared.cl", EXACT_DIVISION)
    hashes = [gcn.on_device(path, "scan", tmp_path, "gen9", "--hash", f"--schedule={s}")[1] for s in ("rr:64", "rr:64", "rr:3")]
    assert hashes[0] == hashes[1] != hashes[2]


@pytest.mark.sample(3)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kernel", functions.EXACT)
def test_functions_are_exact(pocl, zebin, tmp_path, kernel, level):  # noqa: F811
    block, items, arguments, formats = functions.EXACT[kernel]
    path = zebin(functions.FOLDER / "functions.cl", EXACT_DIVISION, *LEVELS[level], prefix=False)
    passed = [Local(a[1]) if isinstance(a, tuple) else a for a in arguments]
    got = run(path, kernel, items, block, passed, tmp_path)
    want = pocl("functions", kernel, block, items, arguments)
    wrong = []
    for i, (g, w) in enumerate(zip(got, want)):
        if g == w or w is None:
            continue
        kind = formats.get(i, "I")
        size = struct.calcsize(kind)
        for at in range(0, len(w), size):
            (x,), (y,) = struct.unpack_from("<" + kind, g, at), struct.unpack_from("<" + kind, w, at)
            # floor and ceil of a double: the compiler's own code adds 0.0, which loses the sign of a zero.
            same_zero = kernel == "rounding_double" and at // size % 8 < 2 and x == y == 0
            if g[at:at + size] != w[at:at + size] and not same_zero and (kind == "I" or x == x or y == y):
                wrong.append(f"argument {i}, element {at // size}: {g[at:at + size][::-1].hex()}, not {w[at:at + size][::-1].hex()}")
    assert wrong == []


@pytest.mark.sample(3)
@pytest.mark.parametrize("real", ["float", "double"])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kernel", functions.BOUNDED)
def test_functions_are_within_bounds(pocl, zebin, tmp_path, kernel, level, real):  # noqa: F811
    bounds = functions.BOUNDED[kernel][real == "double"]
    kind, n = numpy.float32 if real == "float" else numpy.float64, functions.N
    values = numpy.frombuffer(gcn.floats(n, kernel, True), dtype=numpy.float32)
    arguments = [values.astype(kind).tobytes(), values.astype(kind).itemsize * n * len(bounds)]
    path = zebin(functions.FOLDER / "math.cl", EXACT_DIVISION, f"-DREAL={real}", *LEVELS[level], prefix=False)
    got = numpy.frombuffer(run(path, kernel, n, 64, arguments, tmp_path)[1], dtype=kind)
    truth = numpy.frombuffer(pocl("math", kernel, 64, n, [values.astype(float).tobytes(), 8 * n * len(bounds)],
                                  "-DREAL=double")[1], dtype=float)
    for k, bound in enumerate(bounds):
        ours, real_ones = got[k * n:(k + 1) * n].astype(float), truth[k * n:(k + 1) * n]
        with numpy.errstate(over="ignore", invalid="ignore"):
            ulp = numpy.spacing(numpy.abs(real_ones.astype(kind))).astype(float)
            off = numpy.abs(ours - real_ones) / ulp
        both_nan = numpy.isnan(ours) & numpy.isnan(real_ones)
        off = numpy.where(both_nan | (ours == real_ones), 0, off)
        slack = 2 * bound if real == "double" else bound  # PoCL's double may be off as far
        assert numpy.max(off) <= slack, f"function {k}: {numpy.max(off)} ULP at {values[int(numpy.argmax(off))]}"


# ---- what is Intel's own ----

COUNT = 256
INPUT = numpy.frombuffer(words(COUNT, 77), dtype=numpy.int32) // 8


def rows(width):
    return INPUT.reshape(-1, width)


def reductions(width):
    x = rows(width).astype(numpy.int64)
    scan = numpy.cumsum(x, axis=1)
    out = numpy.stack([numpy.broadcast_to(x.sum(axis=1)[:, None], x.shape), numpy.broadcast_to(x.max(axis=1)[:, None], x.shape),
                       scan - x, numpy.minimum.accumulate(x, axis=1)], axis=-1)
    return (out & 0xffffffff).astype(numpy.uint32)


def shuffles_of_groups(width):
    x, lane = rows(width), numpy.arange(width)
    place = numpy.arange(COUNT // width) % (64 // width)
    return numpy.stack([x[:, width - 1 - lane], x[:, lane ^ 5], numpy.broadcast_to(x[:, 3:4], x.shape),
                        place[:, None] << 8 | lane[None, :] | width << 16], axis=-1).astype(numpy.int32)


def remainder(x, by):
    return numpy.fmod(x, by)


def votes(width):
    x = rows(width)
    hit, odd = remainder(x, 11) == 0, (x & 1) == 1
    inner = ((remainder(x, 7) == 0) & odd).any(axis=1)[:, None]
    return numpy.stack([numpy.broadcast_to(hit.any(axis=1)[:, None], x.shape), numpy.broadcast_to((~hit).all(axis=1)[:, None], x.shape),
                        numpy.where(odd, inner, 5)], axis=-1).astype(numpy.int32)


@pytest.mark.sample(5)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("width", [8, 16, 32])
@pytest.mark.parametrize("kernel,size", [("reductions", 16), ("shuffles_of_groups", 16), ("votes", 12)])
def test_sub_groups(zebin, tmp_path, kernel, size, width, level):
    path = zebin(OWN / "subgroups.cl", f"-DWIDTH={width}", *LEVELS[level], prefix=False)
    got = run(path, kernel, COUNT, 64, [INPUT.tobytes(), size * COUNT], tmp_path)[1]
    assert got == globals()[kernel](width).tobytes()


@pytest.mark.parametrize("width", [8, 16])
def test_blocks_of_sub_groups(zebin, tmp_path, width):
    path = zebin(OWN / "subgroups.cl", f"-DWIDTH={width}", prefix=False)
    data = numpy.frombuffer(words(2 * COUNT, 78), dtype=numpy.uint32)
    got = run(path, "blocks", COUNT, 64, [data.tobytes(), 8 * COUNT], tmp_path)[1]
    want = data.reshape(-1, 2, width) * numpy.uint32(3)
    want[:, 0, :] += numpy.arange(width, dtype=numpy.uint32)
    want[:, 1, :] += numpy.uint32(7)
    assert got == want.tobytes()


@pytest.mark.parametrize("level", LEVELS)
def test_atomics_of_words(zebin, tmp_path, level):
    path = zebin(OWN / "atomics.cl", *LEVELS[level], prefix=False)
    out, old = run(path, "atomics_of_words", COUNT, 64, [INPUT.tobytes(), 4 * (16 + COUNT), 4 * COUNT], tmp_path)[1:]
    x, u = INPUT.astype(numpy.int64), INPUT.astype(numpy.uint32).astype(numpy.int64)
    want = [x.sum(), -x.sum(), COUNT, -COUNT, min(0, x.min()), max(0, x.max()), 0, u.max(), 0,
            numpy.bitwise_or.reduce(x & 0xff), numpy.bitwise_xor.reduce(x)]
    got = numpy.frombuffer(out, dtype=numpy.uint32)
    assert got[:11].tolist() == [int(v) & 0xffffffff for v in want]
    assert got[16:].tolist() == (u ^ 1).tolist() and old == INPUT.tobytes()


@pytest.mark.parametrize("level", LEVELS)
def test_atomics_of_longs(zebin, tmp_path, level):
    path = zebin(OWN / "atomics.cl", *LEVELS[level], prefix=False)
    out, old = run(path, "atomics_of_longs", COUNT, 64, [INPUT.tobytes(), 8 * (16 + COUNT), 8 * COUNT], tmp_path)[1:]
    x = [(int(v) & 0xffffffff) << 20 | i for i, v in enumerate(INPUT)]
    mask = (1 << 64) - 1
    got = numpy.frombuffer(out, dtype=numpy.uint64).tolist()
    every = 0
    for v in x:
        every ^= v
    assert got[:5] == [sum(x) & mask, -sum(x) & mask, 0, max(x), every]
    assert got[16:] == [v + 5 for v in x] and numpy.frombuffer(old, dtype=numpy.uint64).tolist() == x


@pytest.mark.parametrize("level", LEVELS)
def test_atomics_of_local_memory(zebin, tmp_path, level):
    path = zebin(OWN / "atomics.cl", *LEVELS[level], prefix=False)
    out = run(path, "atomics_of_local", COUNT, 64, [INPUT.tobytes(), 4 * COUNT // 8], tmp_path)[1]
    got = numpy.frombuffer(out, dtype=numpy.int32).reshape(-1, 8)
    for row, x in zip(got, INPUT.reshape(-1, 64).astype(numpy.int64)):
        total = (int(x.sum()) + 2**31) % 2**32 - 2**31
        assert row[:5].tolist() == [total, max(0, int(x.max())), int(numpy.bitwise_or.reduce(x)), int(x.min()), 64]


# ---- reports ----

def test_a_stray_access_is_told(zebin, tmp_path):
    """Kernel argument, offset, channels, group and instruction."""
    (tmp_path / "stray.cl").write_text("kernel void stray(global int *a) { a[get_global_id(0) * 100] = 1; }")
    path = zebin(tmp_path / "stray.cl", prefix=False)
    done = subprocess.run([gcn.WAVETRAP, "run", "-g", "gen9", "--grid=64", "--block=32", "--arg=zeros:8000", path], capture_output=True,
                          text=True)
    assert done.returncode != 0
    for part in ("outside surface 0, which has 8000 bytes", "thread", "group (0,0,0)", "channel", "sends"):
        assert part in done.stderr, done.stderr


def test_a_stray_access_shows_the_walk_through_the_page_tables(zebin, tmp_path):
    """The entries are those that 'wavetrap gtt' shows of such tables, up to the one that is not valid."""
    (tmp_path / "far.cl").write_text("kernel void far(global int *a) { a[get_global_id(0) + (1L << 36)] = 1; }")
    path = zebin(tmp_path / "far.cl", "-cl-intel-greater-than-4GB-buffer-required", prefix=False)
    done = subprocess.run([gcn.WAVETRAP, "run", "-g", "gen9", "--grid=64", "--block=32", "--arg=zeros:8000", path], capture_output=True,
                          text=True)
    assert done.returncode != 0
    *_, top, directory, fault = done.stderr.splitlines()
    address = int(re.search(r"store of 4 bytes at (0x[0-9a-f]+): no memory is mapped there", done.stderr)[1], 16)
    entry = r"  {} 0x{:03x}  at 0x[0-9a-f]+: 0x[0-9a-f]{{16}}  0x[0-9a-f]+, {}valid"
    assert re.match(entry.format("PML4E", address >> 39 & 511, ""), top), done.stderr
    assert re.match(entry.format("PDPE ", address >> 30 & 511, "not "), directory), done.stderr
    assert fault.startswith(f"  {address:#x}: fault: PDPE {address >> 30 & 511:#x} at ") and fault.endswith("not valid (bit 0)")


def test_an_address_is_explained_by_its_walk(zebin, tmp_path):
    path = zebin(SOURCE / "flow.cl", EXACT_DIVISION)
    base = 0x200000000
    done = subprocess.run([gcn.WAVETRAP, "explain-address", "-g", "gen9", "--kernel=collatz", "--grid=64", "--block=64", "--arg=zeros:256",
                           path, f"{base + 0x14:#x}"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    levels = [line.split()[1:3] for line in done.stdout.splitlines() if " at 0x" in line]
    assert levels == [[n, hex(base >> s & 511)] for n, s in (("PML4E", 39), ("PDPE", 30), ("PDE", 21), ("PTE", 12))], done.stdout
    assert "0x14  the offset in that page" in done.stdout and "in physical memory, which holds 0x00000000" in done.stdout


def test_who_wrote(zebin, tmp_path):
    path = zebin(SOURCE / "flow.cl", EXACT_DIVISION)
    done = subprocess.run([gcn.WAVETRAP, "run", "-g", "gen9", "--kernel=collatz", "--grid=256", "--block=64", "--arg=zeros:1024",
                           "--who-wrote=0:400", path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "written last by work-item (100,0,0)" in done.stderr, done.stderr


def test_compare_names_the_writer(zebin, tmp_path):
    path = zebin(SOURCE / "flow.cl", EXACT_DIVISION)
    (tmp_path / "wrong").write_bytes(bytes(1024))
    done = subprocess.run([gcn.WAVETRAP, "run", "-g", "gen9", "--kernel=collatz", "--grid=256", "--block=64", "--arg=zeros:1024",
                           f"--compare-arg=0:{tmp_path}/wrong", path], capture_output=True, text=True)
    assert done.returncode == 1 and "work-item" in done.stderr, done.stderr


def test_trace(zebin):
    path = zebin(SOURCE / "flow.cl", EXACT_DIVISION)
    done = subprocess.run([gcn.WAVETRAP, "trace", "-g", "gen9", "--kernel=grid3", "--grid=8", "--block=8", "--arg=zeros:4096", path],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "{EOT}" in done.stdout and "cr0.0<1>:ud" in done.stdout and "cr0.0=0x4c0" in done.stdout
