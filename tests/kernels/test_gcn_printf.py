"""printf of OpenCL C kernels that run without a host runtime: what PoCL prints of the same source on the CPU."""
import struct
import subprocess
import sys

import pytest

from test_gcn_kernels import BITCODE, OPTIONS, SOURCE, WAVETRAP, compile_, doubles, floats, words

FILE = SOURCE / "pocl" / "printf.cl"
N, BLOCK = 160, 80
KERNELS = {"integers": words(N, 1), "reals": floats(N, 2, True), "vectors": words(4 * N, 3), "texts": words(N, 4),
           "branches": words(N, 5)}
NUMBERS = doubles(N, 6)
RUN = """
import sys, numpy, pyopencl as cl
kernel, path, items, block = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
platform, = [p for p in cl.get_platforms() if "Portable" in p.name]
context = cl.Context(platform.get_devices())
queue = cl.CommandQueue(context)
program = cl.Program(context, open(path).read()).build(["-cl-std=CL1.2"])
host = numpy.frombuffer(sys.stdin.buffer.read(), dtype=numpy.uint8).copy()
data = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=host)
getattr(program, kernel)(queue, (items,), (block,), data)
queue.finish()
"""
DEVICE_LIBRARIES = ["opencl", "ocml", "ockl", "oclc_daz_opt_off", "oclc_unsafe_math_off", "oclc_finite_only_off",
                    "oclc_correctly_rounded_sqrt_on", "oclc_wavefrontsize64_on", "oclc_isa_version_900"]


@pytest.fixture(scope="module")
def pocl():
    """pocl(kernel): the lines that PoCL prints, each with its work-item."""
    printed = {}

    def run(kernel):
        if kernel not in printed:
            done = subprocess.run([sys.executable, "-c", RUN, kernel, FILE, str(N), str(BLOCK)], input=KERNELS[kernel],
                                  capture_output=True, timeout=120)
            assert done.returncode == 0, done.stderr.decode()
            printed[kernel] = sorted(done.stdout.decode().splitlines())
            assert len(printed[kernel]) >= N
        return printed[kernel]
    return run


@pytest.fixture(scope="module")
def object_of(tmp_path_factory):
    """object_of(level, version): at -O0 the compiler's pass for printf must be asked for, before the libraries are linked."""
    out = tmp_path_factory.mktemp("printf")

    def build(level, version):
        path = out / f"printf{level}-{version}.co"
        target = ["-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900", f"-mcode-object-version={version}", level, "-w"]
        if path.exists():
            return path
        if level != "-O0":
            compile_("clang-19", *target, "-x", "cl", *OPTIONS, f"--rocm-device-lib-path={BITCODE}", "-Xclang",
                     "-mlink-builtin-bitcode-postopt", FILE, "-o", path)
            return path
        parts = [out / f"{version}-{n}.bc" for n in ("kernel", "bound", "linked")]
        compile_("clang-19", *target, "-x", "cl", *OPTIONS, "-nogpulib", "-emit-llvm", "-c", FILE, "-o", parts[0])
        compile_("opt-19", "-passes=amdgpu-printf-runtime-binding", parts[0], "-o", parts[1])
        compile_("llvm-link-19", "--only-needed", "--internalize", parts[1],
                 *(BITCODE / f"{n}.bc" for n in (*DEVICE_LIBRARIES, f"oclc_abi_version_{version}00")), "-o", parts[2])
        compile_("clang-19", *target, "-nogpulib", "-x", "ir", parts[2], "-o", path)
        return path
    return build


def run(path, kernel, folder, *options):
    (folder / "in").write_bytes(KERNELS.get(kernel, NUMBERS))
    return subprocess.run([WAVETRAP, "run", f"--kernel={kernel}", f"--grid={N}", f"--block={BLOCK}",
                           f"--arg=file:{folder / 'in'}", *options, path], capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("version", [4, 5])
@pytest.mark.parametrize("kernel", KERNELS)
def test_prints_what_pocl_prints(pocl, object_of, tmp_path, kernel, version, level):
    done = run(object_of(level, version), kernel, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(done.stdout.splitlines()) == pocl(kernel)


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_doubles(object_of, tmp_path, level):
    """PoCL rounds them to single precision on the way; Python prints them as C does, and so we do. (%a may be written otherwise.)"""
    done = run(object_of(level, 5), "doubles", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    lines = dict(line.split(" d|") for line in done.stdout.splitlines())
    assert len(lines) == N
    for i, (x,) in enumerate(struct.iter_unpack("<d", NUMBERS)):
        *decimal, hexadecimal = lines[str(i)].split("|")
        assert [text.lstrip("-") if x != x else text for text in decimal] == ["%f" % x, "%.17g" % x, "%e" % x]
        assert x != x or float.fromhex(hexadecimal) == x


def test_what_was_printed_before_a_stop(object_of, tmp_path):
    """A run that is cut short prints the records that are complete."""
    whole = run(object_of("-O2", 5), "texts", tmp_path, "--hash")
    limit = int(whole.stderr.split(" after ")[1].split()[0]) * 3 // 4
    done = run(object_of("-O2", 5), "texts", tmp_path, f"--max-issues={limit}")
    assert done.returncode != 0 and f"the limit of {limit} issues is reached" in done.stderr
    assert done.stdout and set(done.stdout.splitlines()) < set(whole.stdout.splitlines())


def test_a_stdout_that_takes_nothing(object_of, tmp_path):
    (tmp_path / "in").write_bytes(KERNELS["texts"])
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run([WAVETRAP, "run", "--kernel=texts", f"--grid={N}", f"--arg=file:{tmp_path / 'in'}",
                               object_of("-O2", 5)], stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
    assert done.returncode not in (0, 1) and "stdout: cannot write: No space left on device" in done.stderr


def test_a_buffer_that_is_full(tmp_path):
    """More than 16 MiB of records: the rest is lost, and one is told so."""
    source, path = tmp_path / "much.cl", tmp_path / "much.co"
    text = "x" * 1001
    source.write_text('kernel void much(int n) { for (int i = 0; i < n; i++) printf("%s%s%s%s\\n", '
                      + ", ".join([f'"{text}"'] * 4) + "); }")
    compile_("clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900", "-x", "cl", "-cl-std=CL2.0", "-O1", "-w", "-Xclang",
             "-mlink-builtin-bitcode-postopt", f"--rocm-device-lib-path={BITCODE}", source, "-o", path)
    done = subprocess.run([WAVETRAP, "run", "--grid=64", "--arg=80", path], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and "its buffer of 16 MiB is full" in done.stderr
    lines = done.stdout.splitlines()
    assert set(lines) == {4 * text} and len(lines) == ((16 << 20) - 8) // (4 * 1004 + 4)


def test_texts_that_the_compiler_has_lost(tmp_path):
    """In one step without the option, the device libraries' own empty printf takes the compiler's place."""
    path = tmp_path / "lost.co"
    compile_("clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900", "-x", "cl", *OPTIONS, "-O2", "-w",
             f"--rocm-device-lib-path={BITCODE}", FILE, "-o", path)
    done = run(path, "texts", tmp_path)
    assert "has none of its texts: compile it with a clang newer than 15" in done.stderr and "-mlink-builtin-bitcode-postopt" in done.stderr


def test_printf_of_hip_needs_the_runtime(tmp_path):
    """Its kernels ask the host by a hostcall; here is not a host that would answer."""
    source, path = tmp_path / "hello.hip", tmp_path / "hello.co"
    source.write_text('#include <hip/hip_runtime.h>\nextern "C" __global__ void hello(int k) { printf("hello %d\\n", k); }\n')
    compile_("hipcc", "--offload-arch=gfx900", "--cuda-device-only", "--no-gpu-bundle-output", "-c", "-g", source, "-o", path)
    done = subprocess.run([WAVETRAP, "run", "--grid=64", "--arg=5", path], capture_output=True, text=True, timeout=120)
    assert done.returncode not in (0, 1) and "such programs run under 'wavetrap exec'" in done.stderr, done.stderr
