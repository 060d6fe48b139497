"""Kernels of many shapes on the emulated Gen9, optimised and not: what they compute is what PoCL computes, bit for bit. What PoCL does not
have, halves and sub-groups, is in test_gen_kernels.py, images are in test_gen_images.py."""
import re

import numpy
import pytest

import test_gcn_pocl as functions
import test_gen_images as images
import test_gen_kernels as others
from test_gcn_kernels import ROOT, doubles, floats, words
from test_gen_kernels import EXACT_DIVISION, LEVELS, OWN, Local, compiler, oracle, run, zebin  # noqa: F401

FILE = OWN / "pocl.cl"
ZEROS = bytes


def uniform(count, seed, low=-8, high=8, kind=numpy.float64):
    return numpy.random.default_rng(seed).uniform(low, high, count).astype(kind).tobytes()


# kernel: grid, block, arguments as in test_gcn_kernels.CASES
CASES = {
    "stencil": ([40, 24], [8, 8], [floats(960, 1, True), ZEROS(3840)]),
    "heat": ([12, 6, 5], [6, 3, 5], [uniform(360, 2), ZEROS(2880)]),
    "places": ([8, 6, 4], [4, 3, 2], [ZEROS(64 * 192)]),
    "bitonic": ([256], [128], [words(256, 3), ZEROS(1024)]),
    "radix": ([192], [64], [words(192, 4), ZEROS(768)]),
    "scan_longs": ([200], [100], [words(400, 5), ZEROS(1600), Local(1600)]),
    "transpose_pairs": ([24, 16], [8, 8], [doubles(768, 6), ZEROS(6144)]),
    "least": ([192], [96], [words(192, 7), ZEROS(16)]),
    "relax": ([256], [64], [words(256, 8), ZEROS(1024)]),
    "strided_copies": ([96], [32], [floats(288, 9, True), ZEROS(768), Local(128)]),
    "long_atomics": ([256], [64], [words(512, 10), ZEROS(48) + b"\xff" * 8 + ZEROS(24)]),
    "float_sum": ([128], [64], [words(128, 11), ZEROS(16)]),
    "distinct": ([192], [64], [words(192, 12), ZEROS(12)]),
    "jumps": ([256], [64], [words(256, 13), ZEROS(1024)]),
    "nested": ([256], [64], [words(256, 14), ZEROS(1024)]),
    "machine": ([128], [32], [words(16, 15), words(128, 16), ZEROS(512)]),
    "queens": ([40], [8], [ZEROS(160)]),
    "edits": ([64], [16], [words(256, 17), words(256, 18), ZEROS(256)]),
    "life": ([32, 24], [16, 4], [words(192, 19), ZEROS(768)]),
    "reversed": ([64], [32], [words(64, 60), ZEROS(1024)]),
    "sha256": ([48], [16], [words(768, 20), ZEROS(1536)]),
    "xtea": ([64], [32], [words(256, 21), words(128, 22)]),
    "squares": ([64], [64], [words(512, 23), ZEROS(4096)]),
    "moduli": ([64], [32], [words(128, 24), ZEROS(1024)]),
    "divisions": ([64], [64], [words(512, 25), words(256, 26), ZEROS(8192)]),
    "shifts": ([128], [64], [words(256, 27), ZEROS(8192)]),
    "short_vectors": ([64], [64], [words(256, 28), words(256, 29), ZEROS(8192)]),
    "base64": ([100], [20], [words(75, 30), ZEROS(400)]),
    "runs": ([128], [64], [words(128, 31), ZEROS(2048)]),
    "records": ([64], [32], [words(304, 32), ZEROS(3072)]),
    "fourier": ([32], [16], [floats(1024, 33, True), ZEROS(4096)]),
    "half_storage": ([256], [64], [floats(256, 34), ZEROS(2048), words(128, 35), ZEROS(1024)]),
    "sparse": ([96], [32], [uniform(208, 36), words(104, 37), uniform(64, 38), ZEROS(768)]),
    "ends": ([16], [8], [floats(5, 48), uniform(7, 49), ZEROS(256), ZEROS(512)]),
    "elimination": ([32], [16], [uniform(640, 39), ZEROS(1024)]),
    "bodies": ([96], [32], [uniform(384, 40, kind=numpy.float32), ZEROS(1536)]),
    "escape": ([24, 16], [8, 8], [ZEROS(768)]),
    "rounded": ([256], [64], [doubles(128, 41) + uniform(128, 42, -3e9, 3e9), ZEROS(32768)]),
    "random_sums": ([64], [32], [words(256, 43), ZEROS(512)]),
    "chosen": ([128], [64], [floats(512, 44), floats(512, 45), ZEROS(6144)]),
    "exact_reals": ([128], [64], [uniform(128, 46, -1e6, 1e6), uniform(128, 47), ZEROS(8192)]),
}
# Arguments whose NaNs may have another sign and payload.
REALS = {("half_storage", 1): "f2", ("rounded", 1): "f4"}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kernel", CASES)
def test_as_on_pocl(oracle, zebin, tmp_path, kernel, level):  # noqa: F811
    grid, block, arguments = CASES[kernel]
    want = oracle.run(FILE, kernel, grid, block, arguments, "-cl-std=CL1.2")
    got = run(zebin(FILE, EXACT_DIVISION, *LEVELS[level], prefix=False), kernel, ",".join(map(str, grid)), ",".join(map(str, block)), arguments, tmp_path,
              gpu="gen9:subslices=2")
    for i, (g, w) in enumerate(zip(got, want)):
        if g == w:
            continue
        kind = REALS.get((kernel, i), "u4")
        ours, theirs = numpy.frombuffer(g, kind), numpy.frombuffer(w, kind)
        wrong = numpy.frombuffer(g, f"u{ours.itemsize}") != numpy.frombuffer(w, f"u{ours.itemsize}")
        if ours.dtype.kind == "f":
            wrong &= ~(numpy.isnan(ours) & numpy.isnan(theirs))
        at = numpy.flatnonzero(wrong)
        assert at.size == 0, f"argument {i}, elements {at[:8]}: {ours[at[:8]]}, not {theirs[at[:8]]}"


def test_the_page_says_how_many_kernels_are_compared_with_pocl():
    """60 at least, each compiled both ways."""
    kernels = [*CASES, *others.POCL_KERNELS, *functions.EXACT, *functions.BOUNDED, *images.KERNELS]
    assert len(set(kernels)) == len(kernels) >= 60
    assert re.search(rf"\b{len(kernels)} OpenCL kernels are compared with PoCL", (ROOT / "docs" / "gen9.md").read_text()), len(kernels)
