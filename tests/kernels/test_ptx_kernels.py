"""OpenCL kernels compiled by Debian's clang for NVPTX, optimised and not, do on the emulated SM what the same source does on the
CPU, bit for bit."""
import shutil
import struct
import subprocess

import pytest

import test_gcn_kernels as gcn
import test_gcn_pocl as functions
import test_gen_kernels as gen
from test_gcn_kernels import CASES, ROOT, SOURCE, host, on_host  # noqa: F401 (host is a fixture)
from test_gcn_pocl import pocl  # noqa: F401

OWN = ROOT / "tests" / "kernels" / "ptx"
LIBRARY = "/usr/lib/clc/nvptx64--nvidiacl.bc"
LEVELS = ["-O0", "-O2"]
# libclc for NVPTX has no functions of sub-groups and groups; blocks of an SM are whole.
KERNELS = [k for k in CASES if CASES[k][0] != "subgroup" and k != "partial"]
BLOCKS = {"bytes": [64], "sort": [50]}
# What libclc does not have: fma of half precision, mad_hi.
MORE = {"half": ["-Dfma=__builtin_elementwise_fma"], "functions": ["-Dmad_hi(a,b,c)=(mul_hi(a,b)+(c))"]}


@pytest.fixture(scope="session", autouse=True)
def compiler():
    assert shutil.which("clang-19"), "clang-19 is missing: scripts/need.sh"


@pytest.fixture(scope="session")
def ptx(tmp_path_factory):
    """ptx(source, level, options…) is a compiled file."""
    out, made = tmp_path_factory.mktemp("ptx"), {}

    def build(source, level, *options):
        key = (source, level, options)
        if key not in made:
            made[key] = out / f"{len(made)}.ptx"
            done = subprocess.run(["clang-19", "-x", "cl", *gcn.OPTIONS, "-target", "nvptx64--nvidiacl", "-S", level, "-w",
                                   "-Xclang", "-mlink-builtin-bitcode", "-Xclang", LIBRARY, "-Xclang", "-finclude-default-header",
                                   "-march=sm_60", "-Xclang", "-cl-ext=+cl_khr_fp16", "-Xclang",
                                   "-ffloat16-excess-precision=none", *options, source, "-o", made[key]], capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
        return made[key]
    return build


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kernel", KERNELS)
def test_as_on_the_host(host, ptx, tmp_path, monkeypatch, kernel, level):  # noqa: F811
    file, grid, block, arguments = CASES[kernel]
    monkeypatch.setitem(CASES, kernel, (file, grid, BLOCKS.get(kernel, block), arguments))
    got, _ = gcn.on_device(ptx(SOURCE / f"{file}.cl", level, *MORE.get(file, [])), kernel, tmp_path, "sm:sms=2")
    want = on_host(host, kernel) or [gcn.mandelbrot(0.09375), None]
    assert gcn.same(kernel, got, want) == ""


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kernel", functions.EXACT)
def test_functions_are_exact(pocl, ptx, tmp_path, kernel, level):  # noqa: F811
    """libclc's functions as PoCL's, bit for bit but for NaNs."""
    block, items, arguments, formats = functions.EXACT[kernel]
    passed = [gcn.Local(a[1]) if isinstance(a, tuple) else a for a in arguments]
    got = gen.run(ptx(functions.FOLDER / "functions.cl", level, *MORE["functions"]), kernel, items, block, passed, tmp_path, gpu="sm")
    want = pocl("functions", kernel, block, items, arguments)
    wrong = []
    for i, (g, w) in enumerate(zip(got, want)):
        kind = formats.get(i, "I")
        if w is None or g == w:
            continue
        size = struct.calcsize(kind)
        for at in range(0, len(w), size):
            (x,), (y,) = struct.unpack_from("<" + kind, g, at), struct.unpack_from("<" + kind, w, at)
            if g[at:at + size] != w[at:at + size] and (kind == "I" or x == x or y == y):
                wrong.append(f"argument {i}, element {at // size}: {g[at:at + size][::-1].hex()}, not {w[at:at + size][::-1].hex()}")
    assert wrong == []
