"""What `finish` says that a function returns is what the program then stores, or not known: each dialect and compiler, many types."""
import subprocess

import pytest

import returned
from conftest import OPENCL_TARGETS, WAVETRAP
from releases import HIPCC_CLANG

ITEMS = ["--grid=32", "--block=32", "--arg=zeros:64", "--arg=i32:3"]
TYPES = "char short int long float double".split()
CL = returned.vectors("({0})({1})", TYPES, (2, 3, 4, 8, 16))
NO_BITS = [" : "]


def take(file, types, unknown, lane, options=()):
    words = [w for c in returned.commands(types, lane) for w in ("-ex", c)]
    done = subprocess.run([WAVETRAP, "debug", "--nx", *options, *words, "-ex", "quit", file], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    returned.check(types, done.stdout, unknown)


@pytest.mark.parametrize("xlen", [32, 64])
def test_risc_v(program, tmp_path, xlen):
    """By the psABI: up to two registers; a float and another number in registers of their own; the rest is in memory, at an address that the
    caller gave."""
    vectors = {f"{t}_{n}": (t, n) for t in ("char", "int", "float", "double") for n in (8, 16, 32)}
    values = {name: "{x, " + ", ".join(str(i + 2) for i in range(1, n // returned.SIZES[t])) + "}" if n > returned.SIZES[t] else "{2}" for name, (t, n) in vectors.items()}
    more = {"complex_float": "1.5f + 2.5fi", "complex_double": "1.5 + 2.5i", "longest": "-5 - x", **({"whole": "-x"} if xlen == 64 else {})}
    prelude = "typedef _Complex float complex_float;\ntypedef _Complex double complex_double;\ntypedef long long longest;\n" + ("typedef __int128 whole;\n" if xlen == 64 else "")
    prelude += "".join(f"typedef {t} {name} __attribute__((vector_size({n})));\n" for name, (t, n) in vectors.items())
    types = returned.listed(**values, **more)
    path = tmp_path / "returned.c"
    path.write_text(returned.source(types, "__attribute__((noinline))", "volatile char sink;\nvolatile int five = 5;\nint main(void)\n{\n", "    return 0;\n}\n",
                                    prelude, item="five"))
    unknown = {32: """three_floats two_doubles float_double mixed shorts odd bytes9 bytes16 bytes17 bytes33 bytes64 bytes65 words3 words4 words5 words16
                      char_16 int_16 float_16 double_16 char_32 int_32 float_32 double_32 complex_double""",
               64: "bytes17 bytes33 bytes64 bytes65 words5 words16 char_32 int_32 float_32 double_32"}[xlen]
    take(program(path, xlen, "-O0", "-w"), types, unknown.split(), "lane 0")


@pytest.mark.parametrize("opt", ["-O0", "-O2"])
@pytest.mark.parametrize("xlen", [32, 64])
def test_risc_v_classes(program, tmp_path, xlen, opt):
    """A class that only its own functions copy or destroy is in memory; GCC says so of none, so its functions and members tell."""
    types, unknown, text = returned.classes("", "volatile char sink;\nvolatile int five = 5;\nint main()\n{\n", "    return 0;\n}\n",
                                            "int numbers[8] = {7, 6, 5, 4, 3, 2, 1};\n", "five")
    path = tmp_path / f"classes{opt}.cpp"
    path.write_text(text)
    take(program(path, xlen, opt), types, unknown, "lane 0")


def test_gfx900_classes(tmp_path):
    types, unknown, text = returned.classes("__attribute__((device))", 'extern "C" __attribute__((global)) void k(char *out, int five)\n{\n    char sink = 0;\n'
                                            "    int g = __builtin_amdgcn_workitem_id_x() + five;\n", "    out[g] = sink;\n}\n",
                                            "__attribute__((device)) int numbers[8] = {7, 6, 5, 4, 3, 2, 1};\n", "g")
    path, out = tmp_path / "classes.hip", tmp_path / "classes.co"
    path.write_text(text)
    subprocess.run(["clang-19", "-x", "hip", "--cuda-device-only", "--offload-arch=gfx900", "-nogpuinc", "-nogpulib", "--no-gpu-bundle-output", "-fno-rtti", "-w",
                    "-g", "-O0", path, "-o", out], check=True, capture_output=True)
    take(out, types, unknown, "lane 3", ["-g", "gfx900", "--kernel=k", *ITEMS])


def test_sm_classes(tmp_path):
    types, unknown, text = returned.classes("__attribute__((device))", 'extern "C" __attribute__((global)) void k(char *out, int five)\n{\n    char sink = 0;\n'
                                            "    int g = __nvvm_read_ptx_sreg_tid_x() + five;\n", "    out[g] = sink;\n}\n",
                                            "__attribute__((device)) int numbers[8] = {7, 6, 5, 4, 3, 2, 1};\n", "g")
    path, out = tmp_path / "classes.cu", tmp_path / "classes.ptx"
    path.write_text(text)
    subprocess.run(["clang-19", "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_50", "-nocudainc", "-nocudalib", "-fno-rtti", "-w", "-S", "-g", "-O0",
                    path, "-o", out], check=True, capture_output=True)
    take(out, types, unknown, "lane 3", ["-g", "sm", "--kernel=k", *ITEMS])


def opencl(tmp_path, compiler, target, types):
    path, out = tmp_path / "returned.cl", tmp_path / f"returned.{target}"
    path.write_text(returned.source(types, "__attribute__((noinline))", "__kernel void k(__global char *out, int five)\n{\n    char sink = 0;\n"
                                    "    int g = get_local_id(0) + five;\n", "    out[g] = sink;\n}\n", "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
                                    "typedef struct { short8 a; int b; } packed;\n", item="g"))
    subprocess.run([compiler, "-x", "cl", "-cl-std=CL2.0", *OPENCL_TARGETS[target], "-w", "-g", "-O0", path, "-o", out], check=True, capture_output=True)
    return out


@pytest.mark.parametrize("compiler", [HIPCC_CLANG, "clang-19"])
def test_gfx900(tmp_path, compiler):
    """As many registers as LLVM takes; vectors of 16-bit elements are packed, also in structures."""
    halves = returned.vectors("({0})({1})", ["half"], (2, 3, 4, 8))
    types = returned.listed(NO_BITS, bool="x > 5", half="(half)(x * 0.5f)", packed="{(short8)(x, 1, 2, 3, 4, 5, 6, 7), 9}", **CL, **halves)
    file = opencl(tmp_path, compiler, "gfx900", types)
    take(file, types, "bytes17 bytes33 bytes64 bytes65 long16 double16".split(), "lane 5", ["-g", "gfx900", "--kernel=k", *ITEMS])


def test_opencl_on_the_sm(tmp_path):
    """Of vectors of two bytes clang writes more than it declares: they are not known."""
    types = returned.listed(NO_BITS, bool="x > 5", **CL)
    take(opencl(tmp_path, "clang-19", "sm", types), types, "bytes65 long16 double16 char2".split(), "lane 5", ["-g", "sm", "--kernel=k", *ITEMS])


def test_cuda(tmp_path):
    """CUDA's vectors are structures that are aligned to their size."""
    sizes = {f"{t}{n}": f"struct __attribute__((aligned({returned.SIZES[t] * (1 if n == 3 else min(n, 16 // returned.SIZES[t]))}))) {t}{n} {{ {t} {', '.join('xyzw'[:n])}; }};\n"
             for t in TYPES for n in (2, 3, 4)}
    types = returned.listed(bool="x > 5", **{name: "{" + value + "}" for name, value in returned.vectors("{1}", TYPES, (2, 3, 4)).items()})
    path, out = tmp_path / "returned.cu", tmp_path / "returned.ptx"
    path.write_text(returned.source(types, "__attribute__((device, noinline))", 'extern "C" __attribute__((global)) void k(char *out, int five)\n{\n    char sink = 0;\n'
                                    "    int g = __nvvm_read_ptx_sreg_tid_x() + five;\n", "    out[g] = sink;\n}\n", "".join(sizes.values()), item="g"))
    subprocess.run(["clang-19", "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_50", "-nocudainc", "-nocudalib", "-w", "-Wno-c++11-narrowing", "-S", "-g", "-O0",
                    path, "-o", out], check=True, capture_output=True)
    take(out, types, ["bytes65"], "lane 5", ["-g", "sm", "--kernel=k", *ITEMS])
