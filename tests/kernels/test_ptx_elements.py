"""Plain C functions over arrays, compiled for NVPTX by Debian's clang (CUDA C++) and GCC (OpenACC), optimised and not, do on the
emulated SM what the same source does on the CPU, bit for bit (but for the payload of NaNs)."""
import ctypes
import os
import random
import re
import struct
import subprocess

import pytest

import test_gcn_kernels as gcn
from releases import CC
from test_gcn_kernels import ROOT

FOLDER = ROOT / "tests" / "kernels" / "ptx"
SOURCE = FOLDER / "elements.c"
# name: types of the result and of the operands
FUNCTIONS = {m[1]: (m[2], m[3]) for m in re.finditer(r"^F\((\w+), (\w+), (\w+),", (FOLDER / "elements.def").read_text(), re.M)}
FORMATS = {"uint8_t": "B", "int16_t": "h", "uint32_t": "I", "int32_t": "i", "uint64_t": "Q", "int64_t": "q", "float": "f", "double": "d"}
N = 256
BUFFER = 0x200000000  # where the first buffer of a launch is
BUILDS = [(compiler, level) for compiler in ("clang", "gcc") for level in ("-O0", "-O2")]
CLANG = ["clang-19", "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_60", "-nocudainc", "-nocudalib", "-S",
         "-ffp-contract=off", "-w"]


def operands(kind, seed):
    random.seed(seed)
    size = struct.calcsize(kind)
    if kind in "fd":
        return gcn.floats(N, seed) if kind == "f" else gcn.doubles(N, seed)
    edges = [0, 1, 2, (1 << 8 * size) - 1, 1 << 8 * size - 1, (1 << 8 * size - 1) - 1, 3, 0x55]
    values = [random.choice(edges) if i % 4 == 0 else random.getrandbits(8 * size) >> random.choice([0, 0, 4 * size, 6 * size])
              for i in range(N)]
    return b"".join(v.to_bytes(size, "little") for v in values)


@pytest.fixture(scope="session")
def host(tmp_path_factory):
    path = tmp_path_factory.mktemp("host") / "elements.so"
    subprocess.run([CC, "-O1", "-ffp-contract=off", "-fno-math-errno", "-shared", "-fPIC", "-w", SOURCE, "-o", path, "-lm"],
                   check=True)
    return ctypes.CDLL(str(path))


@pytest.fixture(scope="session")
def ptx(tmp_path_factory):
    """ptx(compiler, level) is a file with all kernels. GCC's is what it makes before its own tools link it."""
    out, made = tmp_path_factory.mktemp("elements"), {}

    def build(compiler, level):
        if (compiler, level) not in made:
            folder = out / f"{compiler}{level}"
            folder.mkdir()
            if compiler == "clang":
                command, path = [*CLANG, level, SOURCE, "-o", folder / "e.ptx"], folder / "e.ptx"
            else:
                command = [CC, "-DOPENACC", level, "-fno-math-errno", "-ffp-contract=off", "-fopenacc", "-foffload=nvptx-none",
                           f"-foffload-options=nvptx-none={level} -ffp-contract=off", "-fPIC", "-shared", "-save-temps", "-w", SOURCE,
                           "-o", folder / "e"]
                path = folder / "e.xnvptx-none.mkoffload.s"
            # Without the tools of another vendor that may be installed: GCC would call its assembler.
            done = subprocess.run(command, capture_output=True, text=True, cwd=folder, 
                                  env={**os.environ, "PATH": f"{os.environ.get('CACHED_COMPILERS', '/usr/bin')}:/usr/bin:/bin"})
            assert path.exists(), done.stderr
            made[compiler, level] = path
        return made[compiler, level]
    return build


def on_host(host, name, a, b):
    kind = FORMATS[FUNCTIONS[name][0]]
    out = ctypes.create_string_buffer(N * struct.calcsize(kind))
    getattr(host, name)(out, ctypes.create_string_buffer(a, len(a)), ctypes.create_string_buffer(b, len(b)))
    return out.raw


def by_clang(path, name, a, b, folder):
    size = N * struct.calcsize(FORMATS[FUNCTIONS[name][0]])
    (folder / "a").write_bytes(a)
    (folder / "b").write_bytes(b)
    arguments = [f"--arg=zeros:{size}", f"--arg=file:{folder}/a", f"--arg=file:{folder}/b"]
    return run(path, name, arguments, folder)


def by_gcc(path, name, a, b, folder):
    """The parameter points to a pointer to a pointer to the arrays, all of it in one buffer."""
    size = N * struct.calcsize(FORMATS[FUNCTIONS[name][0]])
    (folder / "all").write_bytes(struct.pack("<8Q", BUFFER + 8, BUFFER + 64, *[0] * 6) + a + b + bytes(size))
    return run(path, f"{name}$_omp_fn$0", [f"--arg=file:{folder}/all"], folder)[64 + 2 * len(a):]


def run(path, kernel, arguments, folder):
    done = subprocess.run([gcn.WAVETRAP, "run", "--gpu=sm", f"--kernel={kernel}", f"--grid={N}", "--block=32", *arguments,
                           f"--dump-arg=0:{folder}/out", path], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return (folder / "out").read_bytes()


@pytest.mark.parametrize("compiler,level", BUILDS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_as_on_the_host(host, ptx, tmp_path, name, compiler, level):
    result, kind = (FORMATS[t] for t in FUNCTIONS[name])
    a, b = operands(kind, name + "a"), operands(kind, name + "b")
    got = (by_clang if compiler == "clang" else by_gcc)(ptx(compiler, level), name, a, b, tmp_path)
    want = on_host(host, name, a, b)
    assert len(got) == len(want)
    for i, ((g,), (w,)) in enumerate(zip(struct.iter_unpack("<" + result, got), struct.iter_unpack("<" + result, want))):
        size = struct.calcsize(result)
        same = got[i * size:(i + 1) * size] == want[i * size:(i + 1) * size] or (g != g and w != w)
        assert same, f"element {i}: {g}, not {w}; of {a[i * struct.calcsize(kind):][:struct.calcsize(kind)][::-1].hex()} " \
            f"and {b[i * struct.calcsize(kind):][:struct.calcsize(kind)][::-1].hex()}"
