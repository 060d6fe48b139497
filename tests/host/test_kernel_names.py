"""`info`, `run` and `trace` of what holds code objects: programs, libraries, bundles. Kernels have the names of the source."""
import pathlib
import re
import struct
import subprocess
import zlib

import pytest

from conftest import compiled, wavetrap
from test_offload import CLANG, GCC, VERSION

HERE = pathlib.Path(__file__).parent
FILLS = "fill(float*, int), fill(int*, int)"
SCALES = "void ns::scale<float>(float*, float), void ns::scale<int>(int*, int)"
ADD = """
template <typename T> void add(T *p, int n, T by)
{
#pragma omp target teams distribute parallel for map(tofrom : p[0 : n])
    for (int i = 0; i < n; i++)
        p[i] += by;
}
int main() { int a[3] = {}; float f[2] = {}; add(a, 3, 4); add(f, 2, .5f); }
"""


@pytest.fixture(scope="module")
def program():
    return compiled("names.hip")


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    """What hipModuleLoad takes, for two GPUs."""
    path = tmp_path_factory.mktemp("bundle") / "names.hsaco"
    subprocess.run(["hipcc", "--genco", "--offload-arch=gfx900", "--offload-arch=gfx906", "-o", path, HERE / "names.hip"], check=True)
    return path


def ran(tmp_path, file, name):
    """What `run` of this kernel makes of 0, 1, 2, 3 and the number 3."""
    done = wavetrap("run", f"--kernel={name}", "--grid=4", "--block=4", "--arg=iota:16", "--arg=3", f"--dump-arg=0:{tmp_path}/out", file)
    assert done.returncode == 0, done.stderr
    return struct.unpack("<4I", (tmp_path / "out").read_bytes())


def said(file, *options):
    done = wavetrap("run", *options, "--grid=4", "--arg=iota:16", "--arg=3", file)
    assert done.returncode == 125 and done.stdout == ""
    return done.stderr.replace(str(file), "FILE")


def test_info_names_the_kernels_as_the_source_does(program, bundle):
    done = wavetrap("info", program, bundle)
    assert done.returncode == 0 and done.stderr == ""
    for name in FILLS.split(", f")[0], "fill(int*, int)", *SCALES.split(", v")[:1], "void ns::scale<int>(int*, int)":
        assert done.stdout.count(f": {name}\n") == 2, name
    assert done.stdout.count("    kernel _Z4fillPii: fill(int*, int)\n") == 2
    assert f"{bundle}: bundle of code objects (clang-offload-bundler)\n" in done.stdout
    assert re.search("code for gfx900, gfx906; that for gfx90[06] is of version 4, with 4 kernels", done.stdout)
    assert done.stdout.endswith("  runs on: gfx906, gfx900\n")


@pytest.mark.parametrize("name,result", [
    ("fill(int*, int)", (3, 3, 3, 3)), ("_Z4fillPii", (3, 3, 3, 3)), ("ns::scale<int>", (0, 3, 6, 9)), ("scale<int>", (0, 3, 6, 9)),
    ("void ns::scale<int>(int*, int)", (0, 3, 6, 9)), ("1:scale<int>", (0, 3, 6, 9))])
def test_a_kernel_runs_by_its_plain_name(tmp_path, program, bundle, name, result):
    assert ran(tmp_path, program, name) == result
    assert ran(tmp_path, bundle, name) == result


def test_an_ambiguous_name_lists_the_candidates(program, bundle):
    for file in program, bundle:
        assert said(file, "--kernel=fill") == f"wavetrap run: FILE: 'fill' may be several kernels: {FILLS}\n"
        assert said(file, "--kernel=ns::scale") == f"wavetrap run: FILE: 'ns::scale' may be several kernels: {SCALES}\n"
        assert said(file, "--kernel=none") == f"wavetrap run: FILE: there is no kernel 'none'; there are: {FILLS}, {SCALES}\n"
        assert said(file, "--kernel=2:fill") == f"wavetrap run: FILE: there is no kernel '2:fill'; there are: {FILLS}, {SCALES}\n"
    question = f"wavetrap run: FILE: say by --kernel which one to run: {FILLS}, {SCALES}"
    assert said(program) == f"{question}. The program itself runs by 'wavetrap exec'\n"
    assert said(bundle) == f"{question}\n"
    grid = "wavetrap run: say by --grid how many work-items there are"
    assert wavetrap("run", "--kernel=1:scale<int>", program).stderr == f"{grid}. The program itself runs by 'wavetrap exec'\n"
    assert wavetrap("run", "--kernel=1:scale<int>", bundle).stderr == f"{grid}\n"
    assert wavetrap("gdb", program).stderr.endswith(f"'wavetrap debug {program}' debugs it\n")


def test_places_have_plain_names(tmp_path, program):
    """In reports, in traces, and in what --range takes."""
    fill = ["--kernel=fill(int*, int)", "--grid=4", "--block=4", "--arg=zeros:16", "--arg=3"]
    done = wavetrap("run", *fill, "--who-wrote=0:4", program)
    assert "written last by work-item (1,0,0)" in done.stderr and re.search(r" <fill\(int\*, int\)\+\d+> at names\.hip:8\n", done.stderr), done.stderr
    plain = wavetrap("trace", "--symbols", *fill, program)
    assert plain.returncode == 0 and plain.stdout.count(" <fill(int*, int)+") == plain.stdout.count("\n") > 5
    assert re.search(r"<fill\(int\*, int\)\+\d+>: .* global_store_dword ", plain.stdout)
    for name in "fill(int*, int)", "_Z4fillPii":
        assert wavetrap("trace", "--symbols", *fill, f"--range={name}", program).stdout == plain.stdout
    assert wavetrap("trace", *fill, "--range=scale<int>", program).stdout == ""
    done = wavetrap("trace", *fill, "--range=fill", program)
    assert done.returncode == 125 and f"--range: 'fill' may be several functions: {FILLS}\n" in done.stderr, done.stderr


def test_code_objects_of_one_file_are_numbered(tmp_path):
    """Two sources may have a kernel of the same name each."""
    source = '#include <hip/hip_runtime.h>\nstatic __global__ void fill(int *p, int n) { p[threadIdx.x] = n + %d; }\nvoid %s(int *p) { fill<<<1, 1>>>(p, 1); }\n'
    for number, name in (10, "a"), (20, "b"):
        (tmp_path / f"{name}.hip").write_text(source % (number, name))
    library = tmp_path / "lib.so"
    subprocess.run(["hipcc", "--offload-arch=gfx900", "-O2", "-shared", "-fPIC", "-o", library, tmp_path / "a.hip", tmp_path / "b.hip"], check=True)
    assert ran(tmp_path, library, "1:fill") == (13,) * 4
    assert ran(tmp_path, library, "2:fill") == (23,) * 4
    assert said(library, "--kernel=fill") == "wavetrap run: FILE: 'fill' may be several kernels: 1:fill(int*, int), 2:fill(int*, int)\n"
    assert "there is no kernel '3:fill'" in said(library, "--kernel=3:fill")


def test_code_for_other_gpus_is_named(tmp_path):
    source = tmp_path / "k.hip"
    source.write_text("__attribute__((global)) void k(int *p) { *p = 1; }\n")
    options = ["clang++-19", "-nogpuinc", "-nogpulib", "--offload-device-only", "-c", source]
    for name, more, words, runs in [
            ("other", ["--offload-arch=gfx1100", "--offload-arch=gfx1010:xnack-"],
             "it holds code for gfx1010:xnack-, gfx1100, not for gfx900: compile with --offload-arch=gfx900\n", "no GPU that is emulated"),
            ("newer", ["--offload-arch=gfx1030", "--offload-arch=gfx906", "--offload-compress"],
             "it holds code for gfx1030, gfx906, not for gfx900: compile with --offload-arch=gfx900, or run it with -g gfx906\n", "gfx906, gfx1030")]:
        path = tmp_path / name
        subprocess.run([*options, *more, "-o", path], check=True)
        assert words in said(path, "-g", "gfx900")
        done = wavetrap("info", path)
        assert done.returncode == 0 and done.stdout.endswith(f"runs on: {runs}\n")


def packed(version, data):
    """A compressed bundle, by zlib (Clang documentation, "Compressed Bundles"); the hash is not looked at."""
    body, wide = zlib.compress(data), "<Q" if version == 3 else "<I"
    sizes = [4 + 4 + (0 if version == 1 else struct.calcsize(wide)) + struct.calcsize(wide) + 8 + len(body)][:version != 1] + [len(data)]
    return b"CCOB" + struct.pack("<HH", version, 0) + b"".join(struct.pack(wide, size) for size in sizes) + bytes(8) + body


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_compressed_bundle_is_read(tmp_path, bundle, version):
    path = tmp_path / "packed"
    path.write_bytes(packed(version, bundle.read_bytes()))
    assert ran(tmp_path, path, "fill(int*, int)") == (3, 3, 3, 3)
    assert re.search("bundle 1: code for gfx900, gfx906; that for gfx906 is of version 4, with 4 kernels\n(.*\n)*  runs on: gfx906, gfx900\n", wavetrap("info", path).stdout)
    path.write_bytes(packed(version, bundle.read_bytes())[:-9])
    assert "it holds no code object for AMD GPUs that can be read" in said(path)
    assert "compressed, and cannot be unpacked" in wavetrap("info", path).stdout


@pytest.mark.parametrize("compiler,flags,names", [
    ("clang++-19", CLANG, ["void add<int>(int*, int, int):4", "void add<float>(float*, int, float):4"]),
    (f"g++-{VERSION}", [*GCC, "-fopenmp"], ["void add<int>(int*, int, int) [clone ._omp_fn.0]", "void add<float>(float*, int, float) [clone ._omp_fn.0]"])])
def test_regions_of_openmp_are_named_after_their_function(tmp_path, compiler, flags, names):
    source, file = tmp_path / "add.cc", tmp_path / "add"
    source.write_text(ADD)
    subprocess.run([compiler, *flags, "-o", file, source], check=True, capture_output=True)
    info = wavetrap("info", file)
    assert info.returncode == 0 and all(f": {name}\n" in info.stdout for name in names), info.stdout
    assert said(file, "--kernel=add") == f"wavetrap run: FILE: 'add' may be several kernels: {', '.join(names)}\n"
    assert "takes" in said(file, "--kernel=add<int>", "--arg=1")


@pytest.mark.parametrize("compiler,source,kernel", [(f"gcc-{VERSION}", "openacc.c", "main._omp_fn.0"), (f"gfortran-{VERSION}", "openacc.f90", "MAIN__._omp_fn.0")])
def test_regions_of_openacc_are_named(tmp_path, compiler, source, kernel):
    """GCC leaves a note for each kernel: all of them are read."""
    file = tmp_path / "program"
    subprocess.run([compiler, *GCC, "-fopenacc", "-o", file, HERE / source], cwd=tmp_path, check=True, capture_output=True)
    info = wavetrap("info", file)
    assert f"image 1: code for gfx900:xnack-; it is of version 4, with 3 kernels\n    kernel _init_array\n    kernel _fini_array\n    kernel {kernel}\n" in info.stdout
