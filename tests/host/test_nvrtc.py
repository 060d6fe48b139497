"""libnvrtc of wavetrap's cuda-path: CUDA C++ compiled at run time by clang, loaded and launched. Codes are those that NVIDIA's NVRTC 13.0 gives."""
import ctypes
import json
import math
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from conftest import WAVETRAP, environment, wavetrap

FOLDER = subprocess.run([WAVETRAP, "cuda-path"], capture_output=True, text=True).stdout.strip()
pytestmark = pytest.mark.skipif(not FOLDER or not shutil.which("clang-19"), reason="needs clang-19 and libclc-19")
OK, MEMORY, CREATION, INPUT, PROGRAM, OPTION, COMPILATION, BUILTIN, AFTER, BEFORE, NOT_VALID = range(11)
KERNEL = 'extern "C" __global__ void f(int *p) { *p = 1; }'


def library(version="13"):
    return ctypes.CDLL(f"{FOLDER}/lib64/libnvrtc.so.{version}")


class Program:
    """A program, compiled: result, log, ptx, and the names that the expressions became."""

    def __init__(self, source, *options, names=(), headers={}, called=None, version="13"):
        self.lib, self.handle = library(version), ctypes.c_void_p()
        texts = [list(headers.values()), list(headers)]
        lists = [(ctypes.c_char_p * len(headers))(*(word.encode() for word in words)) for words in texts]
        assert self.lib.nvrtcCreateProgram(ctypes.byref(self.handle), source.encode(), called and called.encode(), len(headers), *lists) == OK
        assert all(self.lib.nvrtcAddNameExpression(self.handle, name.encode()) == OK for name in names)
        words = (ctypes.c_char_p * len(options))(*(word.encode() for word in options))
        self.result = self.lib.nvrtcCompileProgram(self.handle, len(options), words)
        self.log, self.ptx = self.text("ProgramLog"), self.text("PTX")
        self.names = {name: self.lowered(name) for name in names}

    def text(self, what):
        size = ctypes.c_size_t()
        assert getattr(self.lib, f"nvrtcGet{what}Size")(self.handle, ctypes.byref(size)) == OK
        bytes_ = ctypes.create_string_buffer(size.value)
        assert getattr(self.lib, f"nvrtcGet{what}")(self.handle, bytes_) == OK and (not size.value or len(bytes_.value) + 1 == size.value)
        return bytes_.value.decode()

    def lowered(self, name):
        said = ctypes.c_char_p()
        return said.value.decode() if self.lib.nvrtcGetLoweredName(self.handle, name.encode(), ctypes.byref(said)) == OK else None


def launched(tmp_path, ptx, kernel, count, *values, threads=1):
    """What a kernel leaves in an array of floats that begins with the values."""
    (tmp_path / "k.ptx").write_text(ptx)
    program = """import ctypes, json, sys
cuda, (kernel, count, threads, values) = ctypes.CDLL("libcuda.so.1"), json.loads(sys.argv[1])
context, module, function, memory = (ctypes.c_void_p() for _ in range(4))
array = (ctypes.c_float * count)(*values)
assert not cuda.cuInit(0) and not cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0) and not cuda.cuModuleLoad(ctypes.byref(module), b"k.ptx")
assert not cuda.cuModuleGetFunction(ctypes.byref(function), module, kernel.encode())
assert not cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.sizeof(array)) and not cuda.cuMemcpyHtoD_v2(memory, array, ctypes.sizeof(array))
words = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
assert not cuda.cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, None, words, None) and not cuda.cuMemcpyDtoH_v2(array, memory, ctypes.sizeof(array))
print(json.dumps(list(array)))
"""
    done = wavetrap("exec", "-g", "sm:cc=8.0", sys.executable, "-c", program, json.dumps([kernel, count, threads, values]), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_template_is_compiled_by_its_name_and_runs(tmp_path):
    """Macros with and without a value, also one that clang's headers would stumble over; kernels, variables and arrays by their names."""
    p = Program("template<class T, int N> __global__ void k(T *p) { p[threadIdx.x] = twice(p[threadIdx.x]) + N + n::c[0] + A; }",
                "--gpu-architecture", "compute_80", "-D", "M2S(x)=2*x", "-D A=1", "--std=c++17", "-default-device", "--pre-include=first.h", names=["k<float,3>", "n::c", "&n::v"],
                headers={"first.h": "namespace n { __constant__ float c[2] = {0.5f}; __device__ int v; }\nfloat twice(float x) { return M2S(x); }\n"})
    assert p.result == OK and p.log == "", p.log
    assert p.names == {"k<float,3>": "_Z1kIfLi3EEvPT_", "n::c": "_ZN1n1cE", "&n::v": "_ZN1n1vE"}
    assert ".target sm_80" in p.ptx and "name_expressions" not in p.ptx
    assert launched(tmp_path, p.ptx, p.names["k<float,3>"], 3, 1, 2, 3, threads=3) == [6.5, 8.5, 10.5]


ONE = {"acosh": 2.5, "asinh": .5, "atanh": .5, "cbrt": 27, "erf": .5, "erfc": .5, "exp2": 3, "expm1": .5, "lgamma": 4, "log1p": .5, "log2": 8, "logb": 9, "nearbyint": 2.5, "rint": 3.5,
       "round": 2.5, "tgamma": 4, "trunc": 2.75, "ilogb": 9, "lrint": 3.5, "lround": 2.5, "llrint": 3.5, "llround": 2.5}
WANTED = {"exp2": lambda x: 2 ** x, "cbrt": lambda x: x ** (1 / 3), "tgamma": math.gamma, "logb": lambda x: 3, "ilogb": lambda x: 3, "nearbyint": round, "rint": round, "lrint": round, "llrint": round,
          "round": lambda x: math.floor(x + .5), "lround": lambda x: math.floor(x + .5), "llround": lambda x: math.floor(x + .5)}


def test_functions_of_float_by_their_common_names(tmp_path):
    """clang 19 declares those of the global namespace and leaves them out; nothing stays undefined."""
    lines = [f"p[{i}] = {name}(p[{i}]);" for i, name in enumerate(ONE)]
    two = ["copysign(2.f, -1.f)", "fdim(3.f, 1.f)", "fmax(1.f, 2.f)", "fmin(1.f, 2.f)", "hypot(3.f, 4.f)", "remainder(7.f, 2.f)", "fma(2.f, 3.f, 4.f)", "scalbn(1.f, 3)", "scalbln(1.f, 3L)",
           "remquo(7.f, 2.f, &n)", "nextafter(1.f, 2.f)"]
    lines += [f"p[{len(ONE) + i}] = {call};" for i, call in enumerate(two)]
    p = Program('extern "C" __global__ void k(float *p) { int n; ' + " ".join(lines) + " }", "-arch=compute_75")
    assert p.result == OK and ".extern" not in p.ptx, p.log
    said = launched(tmp_path, p.ptx, "k", len(lines), *ONE.values())
    wanted = [WANTED.get(name, getattr(math, name, None))(x) for name, x in ONE.items()] + [-2, 2, 2, 1, 5, -1, 10, 8, 8, -1, 1 + 2 ** -23]
    assert said == pytest.approx(wanted, rel=2e-6) and said[-1] == wanted[-1]


def test_arguments_of_functions_are_rounded(tmp_path):
    """Products and sums of a program may be contracted with each other, not with what is inside of a function: the sine of 11 pi, rounded, is the sine
    of that number."""
    p = Program('extern "C" __global__ void k(float *p) { double x = p[0]; p[1] = sin(x * 3.141592653589793); p[2] = cos(x * 1.5707963267948966); p[3] = tan(x * 3.141592653589793);'
                ' p[4] = sinf(p[0] * 3.14159274f); p[5] = sin(x) - sin(x + 0); }')
    said = launched(tmp_path, p.ptx, "k", 6, 11)
    single = struct.unpack("f", struct.pack("f", 11 * struct.unpack("f", struct.pack("f", 3.14159274))[0]))[0]
    assert said[1:] == pytest.approx([math.sin(11 * math.pi), math.cos(11 * math.pi / 2), math.tan(11 * math.pi), math.sin(single), 0], rel=1e-5, abs=0)


def test_logs_are_those_of_nvrtc():
    said = Program("\n__global__ void f(int *p) { *p = x; }", called="kernel.cu")
    assert said.result == COMPILATION and said.ptx == ""
    assert said.log == "kernel.cu(2): error: use of undeclared identifier 'x'\n\n1 error detected in the compilation of \"kernel.cu\".\n"
    for version, words in ("11.2", "could not"), ("13", "cannot"):
        assert f'default_program(1): catastrophic error: {words} open source file "no.h"' in Program('#include "no.h"', version=version).log
    warned = Program('extern "C" __global__ void f(int *p) { *p = 1 / 0; }', "-lineinfo")
    assert warned.result == OK and re.match(r"default_program\(1\): warning: ", warned.log), warned.log
    for option, text in (("-arch=compute_20", "invalid value for --gpu-architecture (-arch)"), ("--foo", "unrecognized option --foo found"), ("--ftz=maybe", "expects true or false"),
                         ("--std=c++99", "invalid value for --std"), ("-dlto", "makes PTX only")):
        said = Program(KERNEL, option)
        assert said.result == OPTION and said.log.startswith("nvrtc: error: ") and text in said.log


def test_options_do_what_they_say():
    divide = 'extern "C" __global__ void f(float *p) { p[0] = p[0] / p[1]; p[2] = p[2] * p[3] + p[4]; }'
    assert "div.rn.f32" in Program(divide).ptx and "fma.rn.f32" in Program(divide).ptx
    assert "div.rn.ftz.f32" in Program(divide, "-ftz=true").ptx and "div.full.f32" in Program(divide, "--prec-div=false").ptx
    assert "fma" not in Program(divide, "--fmad=false").ptx and ".ftz" in Program(divide, "--use_fast_math").ptx
    assert ".loc" in Program(divide, "-lineinfo").ptx and ".section\t.debug_info" in Program(divide, "-G").ptx
    ignored = ("--restrict", "--split-compile", "0", "--maxrregcount=32", "-w", "--minimal", "--pch", "-rdc=true", "--extra-device-vectorization")
    assert Program(divide, *ignored).result == OK
    machine = Program(KERNEL, "-arch=sm_75")
    assert machine.text("CUBIN") == machine.ptx != "" and Program(KERNEL, "-arch=compute_75").text("CUBIN") == ""


def test_headers_of_the_program_and_of_cuda_path():
    p = Program('#include "a/b.h"\n#include <cuda_fp16.h>\nextern "C" __global__ void f(half *p) { *p = __float2half(V); }', "-I", f"{FOLDER}/include",
                headers={"a/b.h": '#include "c.h"', "a/c.h": "#define V 7"})
    assert p.result == OK, p.log
    assert Program(KERNEL, headers={"../../escape": ""}).result == INPUT


def test_a_full_disk_is_named(tmp_path):
    """In a process of its own, whose folder of temporary files has no room."""
    program = f"import sys; sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r}); from test_nvrtc import *; p = Program(KERNEL + ' ' * 100000); print(p.result, p.log)"
    done = subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", 'mount -t tmpfs -o size=64k tmpfs "$TMPDIR" && exec "$@"', "sh", sys.executable, "-c", program],
                          capture_output=True, text=True, env={**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": ":".join(sys.path)})
    if "unshare failed" in done.stderr or "permission denied" in done.stderr:
        pytest.skip("needs a mount namespace")
    assert re.fullmatch(rf"11 nvrtc: error: {tmp_path}/\S+: No space left on device\n\n", done.stdout), done


def test_wrong_uses_have_their_codes():
    lib, null, size, said, p = library(), None, ctypes.c_size_t(), ctypes.c_char_p(), ctypes.c_void_p()
    at, out = ctypes.byref(p), ctypes.byref(size)
    assert [lib.nvrtcCreateProgram(null, b"", null, 0, null, null), lib.nvrtcCreateProgram(at, null, null, 0, null, null), lib.nvrtcCreateProgram(at, b"", null, -1, null, null),
            lib.nvrtcCreateProgram(at, b"", null, 1, null, null)] == [PROGRAM, INPUT, INPUT, INPUT]
    assert [lib.nvrtcDestroyProgram(null), lib.nvrtcDestroyProgram(at), lib.nvrtcCompileProgram(null, 0, null)] == [PROGRAM] * 3
    assert lib.nvrtcCreateProgram(at, KERNEL.encode(), null, 0, null, null) == OK
    assert [lib.nvrtcCompileProgram(p, -1, null), lib.nvrtcCompileProgram(p, 1, null)] == [INPUT, OPTION]
    assert (lib.nvrtcGetPTXSize(p, out), size.value) == (OK, 1) and lib.nvrtcGetLoweredName(p, b"f", ctypes.byref(said)) == BEFORE
    assert [lib.nvrtcAddNameExpression(p, null), lib.nvrtcCompileProgram(p, 0, null), lib.nvrtcAddNameExpression(p, b"f"), lib.nvrtcGetLoweredName(p, b"f", ctypes.byref(said)),
            lib.nvrtcGetPTXSize(p, null), lib.nvrtcGetPTX(p, null), lib.nvrtcGetProgramLog(p, null)] == [INPUT, OK, AFTER, NOT_VALID, INPUT, INPUT, INPUT]
    for what in ("CUBIN", "LTOIR", "OptiXIR"):
        assert (getattr(lib, f"nvrtcGet{what}Size")(p, out), size.value) == (OK, 0)
    assert lib.nvrtcDestroyProgram(at) == OK and not p.value
    lib.nvrtcGetErrorString.restype = ctypes.c_char_p
    assert [lib.nvrtcGetErrorString(code) for code in (0, 6, 10, 99)] == [b"NVRTC_SUCCESS", b"NVRTC_ERROR_COMPILATION", b"NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID", b"NVRTC_ERROR unknown"]
    bad = Program(KERNEL, names=["nothing"])
    assert bad.result == COMPILATION and bad.names == {"nothing": None}
    major, minor = ctypes.c_int(), ctypes.c_int()
    for version in ("11.2", "12", "13"):
        assert library(version).nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)) == OK and str(major.value) == version.partition(".")[0]


def test_threads_compile_side_by_side_and_leave_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda n: Program(f'extern "C" __global__ void f{n}(int *p) {{ *p = {n}; }}'), range(6)))
    assert all(p.result == OK and f".entry f{n}(" in p.ptx for n, p in enumerate(done)) and not list(tmp_path.iterdir())


def test_a_program_is_linked_with_it(tmp_path):
    (tmp_path / "v.cc").write_text('#include <nvrtc.h>\n#include <cstdio>\nint main() { int a, b; std::printf("%d %s\\n", nvrtcVersion(&a, &b), nvrtcGetErrorString(NVRTC_ERROR_COMPILATION)); }\n')
    subprocess.run(["g++", "v.cc", "-I", f"{FOLDER}/include", f"-L{FOLDER}/lib64", "-lnvrtc", f"-Wl,-rpath,{FOLDER}/lib64", "-o", "v"], cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "v"], capture_output=True, text=True).stdout == "0 NVRTC_ERROR_COMPILATION\n"


def test_exec_offers_it_where_there_is_no_other(tmp_path):
    said = wavetrap("exec", "-g", "sm", "sh", "-c", "echo $LD_LIBRARY_PATH").stdout.strip().split(":")
    theirs = subprocess.run([sys.executable, "-c", "import ctypes; ctypes.CDLL('libnvrtc.so.13')"], capture_output=True).returncode == 0
    assert (str(pathlib.Path(FOLDER, "lib64").resolve()) in [str(pathlib.Path(p).resolve()) for p in said[1:]]) != theirs


@pytest.mark.full
@pytest.mark.skipif(not shutil.which("hashcat"), reason="needs hashcat")
def test_hashcat_finds_a_password_on_the_sm(tmp_path):
    """Debian's, by its backend for CUDA: its kernels are compiled by this NVRTC, with the newest clang."""
    own = environment() | {"HOME": str(tmp_path), "LD_LIBRARY_PATH": f"{FOLDER}/lib64"}
    done = subprocess.run([WAVETRAP, "exec", "-g", "sm", "--require-launches=10", "hashcat", "-m", "0", "-a", "3", "81dc9bdb52d04dc20036dbd8313ed055", "?d?d?d?d", "--potfile-disable", "--force"],
                          capture_output=True, text=True, env=own, stdin=subprocess.DEVNULL)
    assert "81dc9bdb52d04dc20036dbd8313ed055:1234" in done.stdout and done.returncode == 0, done.stdout[-2000:] + done.stderr
