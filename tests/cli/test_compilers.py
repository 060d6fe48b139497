"""The tests' compilers with a memory (tests/compilers/cached.c): what they give back is what the compiler would make, and nothing else. And those
of HIP and CUDA that have their headers compiled before (tests/compilers/quick): what they call is what hipcc and clang call."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from releases import CC, FC

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHED = pathlib.Path(os.environ.get("WAVETRAP_BUILD", ROOT / "build")).resolve() / "tests" / "compilers" / "cached"
PATH = os.pathsep.join(part for part in os.environ["PATH"].split(os.pathsep) if part != os.environ.get("CACHED_COMPILERS"))
OPENCL = ["-x", "cl", "-cl-std=CL2.0", "-O1", "-g", "-w"]
KERNEL = '#include "k.h"\n__kernel void k(__global int *p) { *p = N; }\n'


class Compilers:
    """Calls compilers with a memory of their own, in a folder of their own."""
    def __init__(self, folder):
        self.folder, self.log = folder / "work", folder / "log"
        self.folder.mkdir()
        (folder / "bin").mkdir()
        (folder / "own").mkdir()
        self.bin, self.own = folder / "bin", folder / "own"
        self.variables = {**os.environ, "QUICK_COMPILERS": str(folder / "quick"), "PATH": f"{self.bin}:{self.own}:{PATH}", "WAVETRAP_TEST_CACHE": str(folder / "cache"), "CACHED_COMPILERS_LOG": str(self.log)}
        self.cache = folder / "cache"
        self.cache.mkdir()

    def write(self, **files):
        for name, content in files.items():
            path = self.folder / name.replace("__", "/").replace("_", ".")
            path.parent.mkdir(exist_ok=True)
            path.write_text(content)

    def plant(self, name, script):
        """A compiler of this name that is a script."""
        (self.own / name).write_text(f"#!/bin/sh\n{script}\n")
        (self.own / name).chmod(0o755)

    def __call__(self, *words, cwd=None, given=None, **variables):
        """(what the log says, status, stdout, stderr)"""
        name = words[0]
        if not (self.bin / name).exists():
            (self.bin / name).symlink_to(CACHED)
        self.log.write_text("")
        how = {"input": given} if given is not None else {"stdin": subprocess.DEVNULL}
        done = subprocess.run(list(map(str, words)), cwd=cwd or self.folder, capture_output=True, text=True, env={**self.variables, **variables}, check=False, **how)
        told = self.log.read_text().splitlines()
        assert len(told) <= 1 and all(line.split("\t")[2] == name for line in told)
        kind, why = (told[0].split("\t")[0], told[0].split("\t")[3:]) if told else ("", [])
        return ": ".join([kind, *filter(None, why)]), done.returncode, done.stdout, done.stderr

    def files(self):
        """{name: (mode, content)} of what is in the folder."""
        return {str(f.relative_to(self.folder)): (f.stat().st_mode, f.read_bytes()) for f in self.folder.rglob("*") if f.is_file()}


@pytest.fixture
def compiler(tmp_path):
    return Compilers(tmp_path)


@pytest.mark.parametrize("words,outputs", [
    (["gcc", "-O1", "-g", "-Wall", "-MD", "-c", "k.c", "-o", "k.o"], {"k.o", "k.d"}),
    (["gcc", "-g", "k.c"], {"a.out"}),
    (["gcc", "-save-temps", "k.c", "-o", "k"], {"k", "k.i", "k.s", "k.o"}),
    (["clang-19", *OPENCL, "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900", "-nogpulib", "k.cl", "-o", "k.co"], {"k.co"}),
    (["ocloc", "compile", "-file", "k.cl", "-device", "skl", "--format", "zebin", "-output", "k", "-output_no_suffix", "-out_dir", "made"], {"made/k", "made/k.spv"}),
    ([FC, "-c", "k.f90"], {"k.o", "k.mod"}),
    ([CC, "-fopenmp", "-O0", "-g", "k.c", "-o", "k", "-foffload=nvptx-none"], {"k"}),
    (["hipcc", "--offload-arch=gfx900", "-O1", "-g", "-c", "k.hip", "-o", "k.o"], {"k.o"}),
    (["gcc", "-E", "-xc", "-"], set())], ids=lambda words: words[0] if isinstance(words, list) else "")
def test_what_is_given_back_is_what_the_compiler_makes(compiler, words, outputs):
    """All files, byte by byte, their modes, and what is printed, warnings among it."""
    compiler.write(k_h="#define N 7\n", k_c='#include "k.h"\nint main(void) { int unused = N; return 0; }\n', k_cl=KERNEL, k_hip='#include <hip/hip_runtime.h>\n#include "k.h"\n__global__ void k(int *p) { *p = N; }\n',
                   k_f90="module k\n  integer :: n\nend module\n")
    before = set(compiler.files())
    given = '#include "k.h"\nN\n' if words[-1] == "-" else None
    told, *true = compiler(*words, given=given, WAVETRAP_TEST_CACHE="off")
    wanted = compiler.files()
    assert told == "" and true[0] == 0 and set(wanted) - before == outputs, true
    for expected in ("made", "hit", "hit"):
        for name in outputs:
            (compiler.folder / name).unlink()
        if (compiler.folder / "made").exists():
            (compiler.folder / "made").rmdir()
        assert compiler(*words, given=given) == (expected, *true)
        assert compiler.files() == wanted
    if given:
        assert compiler(*words, given="8\n")[0] == "made"


def test_a_change_of_anything_that_counts_compiles_again(compiler):
    """And back again, what was made before is found."""
    compiler.write(k_c='#include <k.h>\n#include "own.h"\nint main(void) { return N; }\n', b__k_h="#define N 1\n", own_h="")
    words = ["gcc", "-g", "-Ia", "-Ib", "k.c", "-o", "k"]
    (compiler.folder / "a").mkdir()

    def status():
        return subprocess.run([compiler.folder / "k"], check=False).returncode

    assert compiler(*words)[:2] == ("made", 0) and status() == 1
    compiler.write(b__k_h="#define N 2\n")
    assert compiler(*words)[0] == "made" and status() == 2
    compiler.write(own_h="#undef N\n#define N 3\n")
    assert compiler(*words)[0] == "made" and status() == 3
    compiler.write(own_h="", b__k_h="#define N 1\n")
    assert compiler(*words)[0] == "hit" and status() == 1
    compiler.write(a__k_h="#define N 4\n")     # found before the other one
    assert compiler(*words)[0] == "made" and status() == 4
    (compiler.folder / "a" / "k.h").unlink()
    assert compiler(*words)[0] == "hit" and status() == 1
    compiler.write(k_c='#include <k.h>\nint main(void) { return N + 4; }\n')
    assert compiler(*words)[0] == "made" and status() == 5
    assert compiler(*words, "-O1")[0] == "made" and compiler(*words, "-O1")[0] == "hit"
    assert compiler(*words, CPATH=str(compiler.own))[0] == "made", "a variable that compilers read"
    assert compiler(*words, COLOUR="red")[0] == "hit", "one that they do not"
    compiler.folder = compiler.folder.rename(compiler.folder.with_name("other"))    # its name is in the debug information
    assert compiler(*words)[0] == "made"


def test_another_compiler_compiles_again(compiler):
    """Its file, and that of a program that it calls."""
    compiler.plant("cc", "helper; cp k.c k")
    compiler.plant("helper", ":")
    compiler.write(k_c="")
    assert [compiler("cc")[0] for _ in range(2)] == ["made", "hit"]
    for name, script in (("cc", "helper; cp k.c k; :"), ("helper", "true")):
        compiler.plant(name, script)
        assert [compiler("cc")[0] for _ in range(2)] == ["made", "hit"]


def test_of_a_shared_library_its_symbols_count(compiler):
    """A program that is linked to one is the same while they are the same."""
    compiler.write(k_c="int f(void); int main(void) { return f(); }\n")
    words = ["gcc", "k.c", "-o", "k", "-L.", "-lf"]

    def library(text):
        subprocess.run(["gcc", "-shared", "-fPIC", "-xc", "-", "-o", compiler.folder / "libf.so"], input=text, text=True, check=True)

    library("int f(void) { return 0; }\n")
    assert [compiler(*words)[0] for _ in range(2)] == ["made", "hit"]
    library("static int x[1000] = {1}; int f(void) { return x[999] + 1; }\n")
    assert compiler(*words)[0] == "hit"
    library("int g(void) { return 0; }\n")
    assert compiler(*words)[:2] == ("not kept: fails", 1)
    library("int f(void) { return 0; }\nint g(void) { return 0; }\n")
    assert compiler(*words)[0] == "made"


def test_a_failed_compilation_is_not_kept(compiler):
    compiler.write(k_c="int main(void) { return x; }\n")
    words = ["gcc", "k.c", "-o", "k"]
    true = compiler(*words, WAVETRAP_TEST_CACHE="off")
    assert true[1] == 1 and "undeclared" in true[3]
    assert [compiler(*words) for _ in range(2)] == [("not kept: fails", *true[1:])] * 2
    compiler.plant("cc", "kill -SEGV $$")
    assert compiler("cc")[:2] == ("not kept: fails", -11)


@pytest.mark.parametrize("script,why", [
    ("cat >k", "reads its input"), ("echo >>k.c", "changes a file"), ("cat k.c >k; echo >k.c", "writes what it has read"), ("rm k.c", "removes a file"),
    ("ln -s k.c k", "makes what is not a plain file"), ("mv k.c k", "renames what it has not written"), ("cat time.c >k", "an input says when it is compiled"),
    ("cat k.c >k; mkfifo p", "makes what is not a plain file")])
def test_what_cannot_be_given_back_is_not_kept(compiler, script, why):
    compiler.plant("cc", script)
    for _ in range(2):
        compiler.write(k_c="int k;\n", time_c="char *now = __TIME__;\n")
        for name in ("k", "p"):
            (compiler.folder / name).unlink(missing_ok=True)
        assert compiler("cc", given="input")[:2] == (f"not kept: {why}", 0)
        assert (compiler.folder / "k").exists() or script in ("echo >>k.c", "rm k.c")


def test_files_that_come_and_go_are_none_of_the_outputs(compiler):
    """Temporary ones of a compiler; what it renames is kept under its last name; it may replace what was there."""
    compiler.plant("cc", "cp k.c k.tmp; cat k.tmp >k.tmp2; rm -f k; mv k.tmp2 k; rm k.tmp; echo done; echo beware >&2")
    compiler.write(k_c="x", k="old")
    for expected in ("made", "hit"):
        compiler.write(k="old")
        with open(compiler.folder / "k", encoding="ascii") as old:
            assert compiler("cc") == (expected, 0, "done\n", "beware\n")
            assert old.read() == "old", "who has the old file open keeps it"
        assert {name: content for name, (_, content) in compiler.files().items()} == {"k.c": b"x", "k": b"x"}


def test_an_entry_is_not_changed_through_what_it_gave(compiler):
    compiler.plant("cc", "cp k.c k")
    compiler.write(k_c="x")
    for _ in range(3):
        compiler("cc")
        assert (compiler.folder / "k").read_text() == "x"
        with open(compiler.folder / "k", "a", encoding="ascii") as out:
            out.write("more")


def test_several_at_once(compiler):
    """Each gets the whole."""
    compiler.plant("cc", "cat k.c k.c k.c >$1")
    compiler.write(k_c="x" * 100000)
    compiler("cc", "k")
    words = ["sh", "-c", "for n in 1 2 3 4 5 6 7 8; do cc k & cc k$n & done; wait"]
    subprocess.run(words, cwd=compiler.folder, check=True, env=compiler.variables)
    assert {f.stat().st_size for f in compiler.folder.glob("k[0-9]*")} | {(compiler.folder / "k").stat().st_size} == {300000}
    assert {f.name for f in compiler.folder.iterdir()} == {"k.c", "k", *(f"k{n}" for n in range(1, 9))}


def test_the_cache_is_bounded(compiler):
    """What was used longest ago goes first."""
    sys.path.insert(0, str(ROOT / "scripts"))
    import test as runner
    compiler.plant("cc", "cat k.c >$1")
    compiler.write(k_c="x" * 100000)
    for n in range(5):
        assert compiler("cc", f"k{n}")[0] == "made"
    assert compiler("cc", "k0")[0] == "hit"
    runner.trim(compiler.cache, 350000)
    assert [compiler("cc", f"k{n}")[0] for n in (0, 4, 3, 2, 1)] == ["hit", "hit", "hit", "made", "made"]


@pytest.mark.skipif(not shutil.which("ccache"), reason="ccache is not installed")
def test_ccache_finds_the_real_compiler(compiler):
    """It asks which compiler it has: ours would stay the same when that changes."""
    compiler.write(k_c="int k;\n")
    log = compiler.folder / "ccache.log"
    done = subprocess.run([sys.executable, ROOT / "scripts" / "one_test.py", "sh", "-c", "ccache gcc -c k.c -o k.o && gcc -c k.c -o k.o"], cwd=compiler.folder, check=False,
                          capture_output=True, text=True, env={**compiler.variables, "CCACHE_LOGFILE": str(log), "CCACHE_DIR": str(compiler.cache / "ccache")})
    assert done.returncode == 0 and "compilers: 0 found (0.0 s), 1 made" in done.stdout, done.stdout + done.stderr
    executed = set(re.findall(r"Executing (\S+)", log.read_text()))
    assert executed and not [name for name in executed if pathlib.Path(name).resolve() == CACHED], executed


# ---- headers that are compiled before ----

QUICK = CACHED.parent / "quick"
precompiled = pytest.mark.skipif(not (QUICK / "headers").exists(), reason="a build with sanitizers precompiles no headers")
HIP = "#include <hip/hip_runtime.h>\n#include <cstdio>\n__global__ void k(int *p) { p[threadIdx.x] = NUMBER; }\nint main() { k<<<1, 1>>>(nullptr); return puts(\"\") < 0; }\n"
CUDA = HIP.replace("#include <hip/hip_runtime.h>\n", "")
HIPCC = ["hipcc", "--offload-arch=gfx900", "-DNUMBER=1"]
CLANG = ["clang-19", "-x", "cuda", f"--cuda-path={CACHED.parents[2] / 'src' / 'cudapath'}", "-DNUMBER=1"]


def called(folder, compiler, *words):
    """What the driver would call, without the names of temporary files; and whether headers compiled before are among it."""
    done = subprocess.run([compiler, *words, "-###"], cwd=folder, capture_output=True, text=True, check=True, env={**os.environ, "PATH": PATH})
    lines = [line for line in done.stderr.splitlines() if line.startswith(' "')]
    pch = [re.sub(r'"-include-pch" "[^"]*" ', "", line) for line in lines]
    return [re.sub(r'[^ "]*/(k|first|lib[a-z]+-[a-z_.0-9]+)-[^ "]*|"-cuid=[^"]*"', "TEMPORARY", line) for line in pch], pch != lines


@precompiled
@pytest.mark.parametrize("words", [[*HIPCC, "-O0", "-g", "-w", "k.hip", "-o", "k"], [*HIPCC, "-O2", "-g", "-ffp-contract=off", "-x", "hip", "k.hip", "-o", "k"],
                                   [*HIPCC, "-O1", "-c", "k.hip", "-o", "k.o"],
                                   [*CLANG, "--cuda-gpu-arch=sm_50", "-O1", "k.cu", "-o", "k"]], ids=lambda words: " ".join(words[2:5]))
def test_a_quick_compiler_calls_what_the_compiler_calls(tmp_path, words):
    (tmp_path / "k.hip").write_text(HIP)
    (tmp_path / "k.cu").write_text(CUDA)
    assert called(tmp_path, QUICK / words[0], *words[1:]) == (called(tmp_path, *words)[0], True)


@precompiled
@pytest.mark.parametrize("words", [[*HIPCC, "-O1", "-std=c++17", "k.hip", "-o", "k"], [*HIPCC, "-O1", "--genco", "k.hip", "-o", "k"], [*HIPCC, "-O1", "first.hip", "-o", "k"],
                                   [*HIPCC, "-O1", "-shared", "-fPIC", "k.hip", "-o", "k"], [*CLANG, "--cuda-gpu-arch=sm_50", "-E", "k.cu"]], ids=lambda words: " ".join(words[2:6]))
def test_what_may_need_other_headers_reads_them_itself(tmp_path, words):
    """A macro before the first of them, too."""
    (tmp_path / "first.hip").write_text("#define __HIP_ENABLE_CUDA_WRAPPER_FOR_OPENMP__\n" + HIP)
    (tmp_path / "k.hip").write_text(HIP)
    (tmp_path / "k.cu").write_text(CUDA)
    assert called(tmp_path, QUICK / words[0], *words[1:]) == (called(tmp_path, *words)[0], False)


@precompiled
@pytest.mark.parametrize("words", [[*HIPCC, "-O1", "k.hip"], pytest.param([*HIPCC, "-O0", "-shared", "-fPIC", "k.hip"], marks=pytest.mark.full),
                                   pytest.param([*CLANG, "--cuda-gpu-arch=sm_50", "-O1", "-S", "--cuda-device-only", "k.cu"], marks=pytest.mark.full),
                                   [*CLANG, "--cuda-gpu-arch=sm_70", "-O0", "-S", "--cuda-device-only", "k.cu"]], ids=lambda words: " ".join(words[2:6]))
def test_the_code_is_that_without_headers_compiled_before(tmp_path, words):
    """Where the compiler takes them, and where no file of them fits its options; byte by byte."""
    (tmp_path / "k.hip").write_text(HIP)
    (tmp_path / "k.cu").write_text(CUDA)
    for compiler in (words[0], QUICK / words[0]):
        done = subprocess.run([compiler, *words[1:], "-o", tmp_path / "k"], cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "PATH": PATH}, check=False)
        assert done.returncode == 0 and not done.stderr, done.stderr
        (tmp_path / "k").rename(tmp_path / f"k{len(str(compiler)) > 10}")
    assert (tmp_path / "kTrue").read_bytes() == (tmp_path / "kFalse").read_bytes()


@precompiled
def test_a_quick_compiler_says_what_the_compiler_says(tmp_path):
    """Of a mistake: the same lines, and its status."""
    (tmp_path / "k.hip").write_text(HIP.replace("NUMBER;", "M;"))
    said = [subprocess.run([compiler, *HIPCC[1:], "-O1", "k.hip", "-o", "k"], cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "PATH": PATH}, check=False)
            for compiler in ("hipcc", QUICK / "hipcc")]
    assert "undeclared identifier 'M'" in said[1].stderr
    assert (said[0].returncode, said[0].stdout, said[0].stderr) == (said[1].returncode, said[1].stdout, said[1].stderr)
