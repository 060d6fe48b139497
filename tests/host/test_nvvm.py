"""libnvvm of wavetrap's cuda-path: NVVM IR, compiled by LLVM's tools, loaded and launched. Codes are those that NVIDIA's libNVVM 13.0 gives."""
import ctypes
import pathlib
import re
import shutil
import subprocess

import pytest

from conftest import WAVETRAP, environment
from test_nvrtc import FOLDER, launched

NVVM = pathlib.Path(FOLDER, "nvvm", "lib64", "libnvvm.so.4")
pytestmark = pytest.mark.skipif(not FOLDER or not all(map(shutil.which, ("llc-19", "opt-19", "llvm-link-19"))), reason="needs llvm-19")
OK, INPUT, PROGRAM, IR, OPTION, NONE, COMPILATION = 0, 4, 5, 6, 7, 8, 9
HEAD = 'target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"\ntarget triple = "nvptx64-nvidia-cuda"\n'
END = '!nvvm.annotations = !{!0}\n!0 = !{%s @k, !"kernel", i32 1}\n!nvvmir.version = !{!1}\n!1 = !{i32 2, i32 0}\n'


def module(body, declared="", type_="ptr"):
    """A kernel k(float *p) that executes the lines."""
    return f"{HEAD}{declared}\ndefine void @k(ptr %p) {{\n{body}\nret void\n}}\n{END % type_}"


SIMPLE = module("%v = load float, ptr %p\n%q = getelementptr float, ptr %p, i64 1\n%w = load float, ptr %q\n%d = fdiv float %v, %w\n%m = fmul float %d, %v\n%s = fadd float %m, %w\nstore float %s, ptr %p")
TYPED = HEAD + "define void @k(float* %p) {\nstore float 7.0, float* %p\nret void\n}\n" + END % "void (float*)*"


class Program:
    def __init__(self, *modules, options=(), lazy=(), verify=False):
        lib, self.handle, size = ctypes.CDLL(str(NVVM)), ctypes.c_void_p(), ctypes.c_size_t()
        assert lib.nvvmCreateProgram(ctypes.byref(self.handle)) == OK
        for add, texts in ((lib.nvvmAddModuleToProgram, modules), (lib.nvvmLazyAddModuleToProgram, lazy)):
            for text in texts:
                bytes_ = text.encode() if isinstance(text, str) else text
                assert add(self.handle, bytes_, ctypes.c_size_t(len(bytes_)), b"m") == OK
        words = (ctypes.c_char_p * len(options))(*(word.encode() for word in options))
        self.result = (lib.nvvmVerifyProgram if verify else lib.nvvmCompileProgram)(self.handle, len(options), words)
        said = {}
        for what in ("ProgramLog", "CompiledResult"):
            assert getattr(lib, f"nvvmGet{what}Size")(self.handle, ctypes.byref(size)) == OK
            text = ctypes.create_string_buffer(size.value)
            assert getattr(lib, f"nvvmGet{what}")(self.handle, text) == OK and len(text.value) + 1 == size.value
            said[what] = text.value.decode()
        self.log, self.ptx = said["ProgramLog"], said["CompiledResult"]
        assert lib.nvvmDestroyProgram(ctypes.byref(self.handle)) == OK and not self.handle.value


def test_text_and_bitcode_run(tmp_path):
    (tmp_path / "m.ll").write_text(SIMPLE)
    subprocess.run(["llvm-as-19", tmp_path / "m.ll", "-o", tmp_path / "m.bc"], check=True)
    for form in SIMPLE, SIMPLE + "\0", (tmp_path / "m.bc").read_bytes():
        p = Program(form, options=["-arch=compute_75"])
        assert (p.result, p.log) == (OK, "") and ".target sm_75" in p.ptx
    assert launched(tmp_path, p.ptx, "k", 2, 6, 2) == [20, 2]


@pytest.mark.skipif(not shutil.which("llvm-as-14"), reason="needs llvm-14")
def test_text_with_types_of_pointers_runs(tmp_path):
    p = Program(TYPED)
    assert p.result == OK, p.log
    assert launched(tmp_path, p.ptx, "k", 1, 0) == [7]


def test_modules_are_linked_and_of_lazy_ones_only_what_is_used(tmp_path):
    library = HEAD + ("define float @twice(float %x) {\n%y = fmul float %x, 2.0\nret float %y\n}\ndefine float @unused(float %x) {\nret float %x\n}\n"
                      "!nvvmir.version = !{!0}\n!0 = !{i32 2, i32 0}\n")
    p = Program(module("%v = load float, ptr %p\n%w = call float @twice(float %v)\nstore float %w, ptr %p", "declare float @twice(float)"), lazy=[library])
    assert p.result == OK and "unused" not in p.ptx and launched(tmp_path, p.ptx, "k", 1, 21) == [42], p.log
    sine = Program(module("%v = load float, ptr %p\n%w = call float @__nv_sinf(float %v)\nstore float %w, ptr %p", "declare float @__nv_sinf(float)"),
                   lazy=[pathlib.Path(FOLDER, "nvvm", "libdevice", "libdevice.10.bc").read_bytes()])
    assert sine.result == OK and launched(tmp_path, sine.ptx, "k", 1, 0.5) == pytest.approx([0.479425538])


def test_instructions_that_llvm_does_not_have(tmp_path):
    """Shuffles and votes with their mode as an argument: the lane's neighbour's value plus votes; each of the four modes."""
    lines = ["%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()", "%a = getelementptr float, ptr %p, i32 %t", "%odd = and i32 %t, 1", "%o = icmp eq i32 %odd, 1"]
    total, wanted = "0", [0.0] * 32
    shuffles = {0: lambda t: 5, 1: lambda t: t - 1 if t else 0, 2: lambda t: t + 5 if t < 27 else t, 3: lambda t: t ^ 5}
    for mode, lane in shuffles.items():
        operand, clamp = (1, 0) if mode == 1 else (5, 31)
        lines += [f"%s{mode} = call {{i32, i1}} @llvm.nvvm.shfl.sync.i32(i32 -1, i32 {mode}, i32 %t, i32 {operand}, i32 {clamp})", f"%x{mode} = extractvalue {{i32, i1}} %s{mode}, 0",
                  f"%y{mode} = mul i32 %x{mode}, {100 ** mode if mode < 3 else 1}", f"%z{mode} = add i32 %y{mode}, {total}"]
        total = f"%z{mode}"
        wanted = [w + lane(t) * (100 ** mode if mode < 3 else 1) for t, w in enumerate(wanted)]
    for mode, value in ((0, 0), (1, 1), (2, 0), (3, 0xAAAAAAAA)):
        part = 0 if mode == 3 else 1
        lines += [f"%v{mode} = call {{i32, i1}} @llvm.nvvm.vote.sync(i32 -1, i32 {mode}, i1 %o)", f"%b{mode} = extractvalue {{i32, i1}} %v{mode}, {part}",
                  f"%e{mode} = and i32 %b{mode}, 255" if part == 0 else f"%e{mode} = zext i1 %b{mode} to i32", f"%f{mode} = add i32 %e{mode}, {total}"]
        total = f"%f{mode}"
        wanted = [w + (value & 255) for w in wanted]
    lines += ["%m = call {i32, i1} @llvm.nvvm.match.all.sync.i32(i32 -1, i32 7)", "%mp = extractvalue {i32, i1} %m, 1", "%me = zext i1 %mp to i32",
              "%n = call {i32, i1} @llvm.nvvm.match.all.sync.i32(i32 -1, i32 %t)", "%np = extractvalue {i32, i1} %n, 1", "%ne = zext i1 %np to i32",
              f"%g = add i32 %me, {total}", "%h = add i32 %ne, %g"]
    total, wanted = "%h", [w + 1 for w in wanted]
    lines += [f"%r = sitofp i32 {total} to float", "store float %r, ptr %a"]
    p = Program(module("\n".join(lines), "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\ndeclare {i32, i1} @llvm.nvvm.shfl.sync.i32(i32, i32, i32, i32, i32)\n"
                                         "declare {i32, i1} @llvm.nvvm.vote.sync(i32, i32, i1)\ndeclare {i32, i1} @llvm.nvvm.match.all.sync.i32(i32, i32)"))
    assert p.result == OK and ".extern" not in p.ptx, p.log
    assert launched(tmp_path, p.ptx, "k", 32, *range(32), threads=32) == wanted


def test_assembly_in_both_arms_of_a_branch_stays_there():
    """What it gives may depend on which lanes are there."""
    ask = '%{0} = call i32 asm sideeffect "activemask.b32 $0;", "=r"()'
    body = f"%v = load float, ptr %p\n%c = fcmp ogt float %v, 0.0\nbr i1 %c, label %a, label %b\na:\n{ask.format('x')}\nbr label %end\nb:\n{ask.format('y')}\nbr label %end\n" \
        "end:\n%z = phi i32 [%x, %a], [%y, %b]\n%f = uitofp i32 %z to float\nstore float %f, ptr %p"
    assert Program(module(body)).ptx.count("activemask.b32") == 2


def test_options_do_what_they_say():
    assert "div.rn.f32" in Program(SIMPLE).ptx and "fma.rn.f32" in Program(SIMPLE).ptx
    assert "fma" not in Program(SIMPLE, options=["-fma=0"]).ptx and "div.rn.ftz.f32" in Program(SIMPLE, options=["-ftz=1"]).ptx
    assert "div.rn" not in Program(SIMPLE, options=["-prec-div=0"]).ptx and Program(SIMPLE, options=["-opt=0", "-g", "-generate-line-info", "-prec-sqrt=0"]).result == OK
    for option in "-arch=compute_20", "-arch=sm_75", "-opt=4", "-ftz=2", "-numba-debug":
        p = Program(SIMPLE, options=[option])
        assert (p.result, p.log, p.ptx) == (OPTION, f"libnvvm : error: {option} is an unsupported option", "")


def test_wrong_uses_have_their_codes():
    lib, p, null = ctypes.CDLL(str(NVVM)), ctypes.c_void_p(), None
    assert [lib.nvvmCreateProgram(null), lib.nvvmDestroyProgram(null), lib.nvvmDestroyProgram(ctypes.byref(p)), lib.nvvmCompileProgram(null, 0, null)] == [PROGRAM] * 4
    assert lib.nvvmCreateProgram(ctypes.byref(p)) == OK
    assert [lib.nvvmCompileProgram(p, 0, null), lib.nvvmVerifyProgram(p, 0, null), lib.nvvmCompileProgram(p, -1, null), lib.nvvmAddModuleToProgram(p, null, 0, null)] == [NONE, NONE, NONE, INPUT]
    assert lib.nvvmDestroyProgram(ctypes.byref(p)) == OK
    numbers = [ctypes.c_int() for _ in range(4)]
    assert lib.nvvmIRVersion(*map(ctypes.byref, numbers)) == OK and [n.value for n in numbers] == [2, 0, 3, 2]
    lib.nvvmGetErrorString.restype = ctypes.c_char_p
    assert [lib.nvvmGetErrorString(code) for code in (0, 9, 99)] == [b"NVVM_SUCCESS", b"NVVM_ERROR_COMPILATION", b"NVVM_ERROR not found"]
    assert Program("garbage").result == COMPILATION and Program("garbage", verify=True).result == IR
    # Those of CUDA 13 refuse IR without a version; older programs have none.
    assert Program(SIMPLE.split("!nvvmir")[0]).result == OK


@pytest.mark.full
@pytest.mark.skipif(not pathlib.Path("/usr/lib/python3/dist-packages/numba").exists(), reason="needs python3-numba")
def test_numbas_kernels_run(tmp_path):
    """Debian's Numba, kernels in Python: some of its own tests. They look for the functions of a default stream of each thread by their names."""
    own = environment() | {"CUDA_HOME": FOLDER, "NUMBA_CACHE_DIR": str(tmp_path), "TMPDIR": str(tmp_path)}     # setuptools leaves files there
    for module_, least in (("cudapy.test_warp_ops", 9), ("cudapy.test_sync", 8), ("cudapy.test_vectorize_decor", 8), ("cudadrv.test_ptds", 1), ("cudadrv.test_host_alloc", 4)):
        done = subprocess.run([WAVETRAP, "exec", "-g", "sm:cc=7.5", "/usr/bin/python3", "-W", "ignore", "-m", "numba.runtests", f"numba.cuda.tests.{module_}"],
                              capture_output=True, text=True, env=own, cwd=tmp_path)
        assert int(re.search(r"^Ran (\d+) tests?", done.stderr, re.M)[1]) >= least and done.returncode == 0, done.stderr
