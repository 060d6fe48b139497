"""CUDA C++ programs as clang compiles them with wavetrap's headers, tools and runtime, run by wavetrap exec: each part of the
program compares the kernels' results with the host's. And what happens to a program that has NVIDIA's own runtime in it."""
import os
import re
import subprocess

import pytest

from conftest import DEBIAN_PATH, ROOT, WAVETRAP, environment, wavetrap
from releases import CC, CXX
from test_cuda import compiled as compiled_c

HERE = ROOT / "tests" / "host"
PARTS = ["vectors", "sums", "atomics", "streams", "variables", "managed", "functions", "roundings", "textures", "surfaces"]


def cuda_path():
    return subprocess.run([WAVETRAP, "cuda-path"], capture_output=True, text=True, check=True, env=environment()).stdout.strip()


def compile(folder, source, *flags):
    """Without the tools of another vendor that may be installed."""
    cuda, program = cuda_path(), folder / "program"
    return program, subprocess.run(["clang-19", "-x", "cuda", f"--cuda-path={cuda}", *flags, source, "-o", program, f"-L{cuda}/lib64",
                                    "-lcudart", "-lstdc++", "-lm", "-Xarch_host", "-frounding-math"], capture_output=True, text=True,
                                   env={**os.environ, "PATH": DEBIAN_PATH}, check=False)


def compiled(folder, source, *flags):
    program, done = compile(folder, source, *flags)
    assert done.returncode == 0, done.stderr[-3000:]
    said = "".join(line for line in done.stderr.splitlines(True) if not re.search(r"lib[at]san\.so", line))  # the linker about its functions
    assert "error" not in said and "warning" not in said, said[-3000:]
    return program


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("cpp"), HERE / "cuda_cpp.cu", "-O2", "--cuda-gpu-arch=sm_50")


def check(done, capability, sms=1):
    lines = done.stdout.splitlines()
    said = [line for line in lines if line.endswith((" right", " wrong"))]
    assert said == [f"{part} right" for part in PARTS], done.stdout + done.stderr
    assert "cell 3 2 of grid: 0.75" in lines
    assert f"device wavetrap SM {capability}, {sms} of 1, memory, shared 512, blocks 8, {2 * sms} of 1024" in lines, done.stdout
    assert lines[-1] == "mistakes 9 9 0 2 1 21 101 1 13 cudaErrorInvalidSymbol", lines[-1]


def test_every_part_against_the_host(program):
    done = wavetrap("exec", "-g", "sm:sms=2", "--stats", program)
    check(done, "5.0", 2)
    assert "20 kernels were launched on the emulated SM" in done.stderr, done.stderr


def test_without_optimisation(tmp_path):
    check(wavetrap("exec", "-g", "sm", compiled(tmp_path, HERE / "cuda_cpp.cu", "-O0", "--cuda-gpu-arch=sm_50")), "5.0")


def test_for_several_gpus(tmp_path):
    """The program has PTX for both; each runs on each."""
    program = compiled(tmp_path, HERE / "cuda_cpp.cu", "-O1", "--cuda-gpu-arch=sm_50", "--cuda-gpu-arch=sm_70")
    for capability in ("5.0", "7.0"):
        done = wavetrap("exec", "-g", f"sm:cc={capability}", "--log-calls", program)
        check(done, capability)
        assert "cuModuleLoadFatBinary(" in done.stderr


def test_a_kernel_that_fails(program):
    done = wavetrap("exec", "-g", "sm", program, "stray")
    assert done.stdout == "stray 700 700, an illegal memory access was encountered\n", done.stdout
    assert "store of 4 bytes at 0x0: no memory is mapped there" in done.stderr and "of the kernel stray(int*)\n" in done.stderr, done.stderr


def test_two_gpus_and_two_files(tmp_path):
    """Each thread has a device; kernels and variables of either file are found; a variable is there once for each GPU."""
    (tmp_path / "a.cu").write_text("""
#include <cstdio>
#include <thread>
void other(int add);
__device__ int value = 1;
__global__ void add(int n) { value += n; }
static void work(int device)
{
    int here, total = -1;
    cudaSetDevice(device);
    for (int i = 0; i < 5; i++)
        add<<<1, 1>>>(device + 1);
    other(10 * device);
    cudaMemcpyFromSymbol(&total, value, sizeof total);
    cudaGetDevice(&here);
    std::printf("%d %d %d\\n", here, total, cudaGetLastError());
}
int main()
{
    std::thread first(work, 0);
    first.join();
    std::thread second(work, 1);
    second.join();
}
""")
    (tmp_path / "b.cu").write_text("""
#include <cstdio>
__device__ int value = 5;
__global__ void add(int n, int *to) { *to = value + n; }
void other(int n)
{
    int *p, got = -1;
    cudaMalloc(&p, sizeof *p);
    add<<<1, 1>>>(n, p);
    cudaMemcpy(&got, p, sizeof got, cudaMemcpyDeviceToHost);
    std::printf("other %d\\n", got);
}
""")
    program = compiled(tmp_path, tmp_path / "a.cu", "-O1", "--cuda-gpu-arch=sm_50", tmp_path / "b.cu", "-pthread")
    done = wavetrap("exec", "-g", "sm", "-g", "sm", program)
    assert done.stdout.splitlines() == ["other 5", "0 6 0", "other 15", "1 11 0"], done.stdout + done.stderr


def test_a_mistake_in_assembly_has_its_line(tmp_path):
    (tmp_path / "bad.cu").write_text("""
#include <cstdio>
__global__ void k() { asm volatile("nonsense.u32 %0;" : : "r"(1)); }
int main() { k<<<1, 1>>>(); std::printf("%s\\n", cudaGetErrorName(cudaGetLastError())); }
""")
    done = wavetrap("exec", "-g", "sm", compiled(tmp_path, tmp_path / "bad.cu", "--cuda-gpu-arch=sm_50"))
    assert done.stdout == "cudaErrorInvalidPtx\n" and re.search(r"\.s:\d+:\d+: there is no instruction 'nonsense.u32'", done.stderr), done.stdout + done.stderr


MANAGED = ["before: 5, 1 2 3 4, 1 2.5 here, 0 0, -1 3 9",
           "cudaSuccess first: 142, 71 72 100 74, 2 5 Here, 0 30, -2 7 10",
           "cudaSuccess second: 274, 141 142 170 144, 3 10 Here, 0 59, -3 11 11",
           "through 275 1", "advice 0 0, attached 0, prefetched 0; wrong 1 1 1", "runtime 1001, 1 16, 1 1, 1010101 1010101 0, cudaSuccess 3"]


@pytest.mark.sample(2)
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_managed_variables_are_one_for_the_host_and_all_gpus(tmp_path, level):
    """Initial values, stores of the host and of either GPU, structures, arrays, templates, members, pointers, the runtime's functions."""
    program = compiled(tmp_path, HERE / "managed.cu", level, "-Wall", "--cuda-gpu-arch=sm_50")
    done = wavetrap("exec", "-g", "sm", "-g", "sm", program)
    assert done.stdout.splitlines() == MANAGED and not done.stderr, done.stdout + done.stderr


def test_managed_variables_of_files_that_are_linked(tmp_path):
    """-fgpu-rdc: kernels of one file call functions of the other; both name the same variables, as does the host's code of both."""
    (tmp_path / "other.cu").write_text(f'#define OTHER\n#include "{HERE}/managed.cu"\n')
    program = compiled(tmp_path, HERE / "managed.cu", tmp_path / "other.cu", "-O1", "-DLINKED", "-fgpu-rdc", "--offload-new-driver", "--cuda-gpu-arch=sm_50")
    done = wavetrap("exec", "-g", "sm", program)
    lines = done.stdout.splitlines()
    assert lines[:2] == [MANAGED[0], "other 1005, cudaSuccess 1001 11 2002"], done.stdout + done.stderr
    assert lines[2] == MANAGED[1].replace(" 2 5 Here", " 12 5 Here"), done.stdout


def test_managed_variables_of_a_library_that_is_loaded_and_unloaded(tmp_path):
    (tmp_path / "library.cu").write_text("""
__managed__ int in_library = 3;
__global__ void up() { in_library++; }
extern "C" int bump() { up<<<1, 1>>>(); return cudaDeviceSynchronize() ? -1 : in_library; }
""")
    cuda = cuda_path()
    subprocess.run(["clang-19", "-O1", "-x", "cuda", f"--cuda-path={cuda}", "--cuda-gpu-arch=sm_50", "-fPIC", "-shared", tmp_path / "library.cu",
                    "-o", tmp_path / "library.so", f"-L{cuda}/lib64", "-lcudart"], check=True)
    (tmp_path / "main.c").write_text("""
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    for (int i = 0; i < 3; i++) {
        void *library = dlopen("./library.so", RTLD_NOW);
        int (*bump)(void) = (int (*)(void))dlsym(library, "bump"), first = bump();
        printf("%d %d\\n", first, bump());
        dlclose(library);
    }
}
""")
    done = wavetrap("exec", "-g", "sm", compiled_c(tmp_path, CC, tmp_path / "main.c"), cwd=tmp_path)
    assert done.stdout == "4 5\n" * 3, done.stdout + done.stderr


def test_a_managed_variable_in_the_debugger(tmp_path):
    """It has its address of the host; a value that the debugger writes is the program's."""
    program = compiled(tmp_path, HERE / "managed.cu", "-O0", "-g", "--cuda-gpu-arch=sm_50")
    done = wavetrap("debug", "-g", "sm", program, input="break work\nrun\nprint counter\nprint origin\nset var counter = 500\ncontinue\nquit\n")
    assert "$1 = 10\n" in done.stdout and '$2 = {x = 1, y = 2.5, name = "here' in done.stdout, done.stdout + done.stderr
    assert "first: 632, " in done.stdout, done.stdout


def test_the_output_of_kernels_is_there_at_synchronisation_and_at_the_end(tmp_path):
    """Between what the program writes by itself; also where it ends without the C library's help."""
    (tmp_path / "print.cu").write_text("""
#include <cstdio>
#include <unistd.h>
__global__ void say(int n) { printf("device %d\\n", n); }
int main(int count, char **)
{
    say<<<1, 1>>>(1);
    cudaDeviceSynchronize();
    (void)!write(1, "host\\n", 5);
    say<<<1, 1>>>(2);
    if (count > 1) {
        cudaDeviceSynchronize();
        _exit(0);
    }
}
""")
    program = compiled(tmp_path, tmp_path / "print.cu", "-O1", "--cuda-gpu-arch=sm_50")
    for more in ([], ["x"]):
        assert wavetrap("exec", "-g", "sm", program, *more).stdout == "device 1\nhost\ndevice 2\n"


SAMPLES = ["device query", "matrix multiplication", "bodies", "convolution", "volumes", "intrinsics", "special functions", "ends of functions", "units of functions", "parts of words",
           "occupancy and streams", "complex numbers"]


def test_structures_in_private_memory(tmp_path):
    """Functions load and store their members, by all lanes and some; the memory of a warp is in one page or in two."""
    program = compiled(tmp_path, HERE / "private.cu", "-O2", "--cuda-gpu-arch=sm_50")
    for gpu in ("sm:jit=1", "sm:jit=1,vectors=256", "sm"):
        done = wavetrap("exec", "-g", gpu, program)
        assert done.stdout.splitlines() == [f"{words} same" for words in (2, 6, 17, 50, 120)] and not done.stderr, (gpu, done.stdout + done.stderr)


@pytest.mark.sample(2)
@pytest.mark.parametrize("flags", [["-O0", "--cuda-gpu-arch=sm_70"], ["-O2", "--cuda-gpu-arch=sm_50", "-std=c++20"]])
def test_what_ordinary_programs_use(tmp_path, flags):
    done = wavetrap("exec", "-g", "sm", compiled(tmp_path, HERE / "samples.cu", *flags))
    assert done.stdout.splitlines()[1:] == [f"{part} passed" for part in SAMPLES], done.stdout + done.stderr
    assert done.returncode == 0 and done.stderr == ""


def test_graphs(tmp_path):
    """Captured streams, nodes, changes, 20 random graphs against a model on the host, what is forbidden."""
    done = wavetrap("exec", "-g", "sm", compiled(tmp_path, HERE / "graphs.cu", "-O1", "--cuda-gpu-arch=sm_50"))
    assert done.stdout.splitlines() == [f"{part} right" for part in ("fork and join", "random graphs", "changes", "launches in captures", "refusals", "memory of nodes")], done.stdout + done.stderr
    assert done.stderr == "wavetrap: libcuda: cuStreamBeginCapture: work of the default stream is not captured: make a stream\n"


@pytest.mark.sample(2)
@pytest.mark.parametrize("compiler, name", [(CC, "host.c"), (CXX, "host.cc")])
def test_files_of_the_host_include_the_headers(tmp_path, compiler, name):
    """Without kernels, by a compiler that does not know CUDA."""
    (tmp_path / name).write_text("""
#include <cuda_runtime.h>
#include <cuComplex.h>
#include <math_constants.h>
#include <stdio.h>
int main(void)
{
    int count = 0;
    float4 v = make_float4(1, 2, 3, CUDART_PI_F);
    cudaError_t error = cudaGetDeviceCount(&count);
    printf("%d %d %g %g\\n", error, count, v.w, cuCabs(make_cuDoubleComplex(3, 4)));
    return 0;
}
""")
    cuda, program = cuda_path(), tmp_path / "program"
    subprocess.run([compiler, "-Wall", "-Wextra", "-Werror", f"-I{cuda}/include", tmp_path / name, "-o", program, f"-L{cuda}/lib64", "-lcudart", "-lm"], check=True)
    assert wavetrap("exec", "-g", "sm", program).stdout == "0 1 3.14159 5\n"


@pytest.mark.sample(2)
@pytest.mark.parametrize("flags", [["-O0", "--cuda-gpu-arch=sm_50"], ["-O2", "--cuda-gpu-arch=sm_70"]])
def test_numbers_of_16_bits(tmp_path, flags):
    """Every number, every rounding, arithmetic against the compiler's own type on the host, which rounds once."""
    done = wavetrap("exec", "-g", "sm", compiled(tmp_path, HERE / "halves.cu", *flags))
    assert done.stdout.splitlines() == ["all numbers right", "roundings right", "operations right", "across threads right"], done.stdout + done.stderr


BOUNDS = """#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
__global__ void touch(int *p, long at) { p[at] = 7; }
int main(int count, char **words)
{
    int *a, *b, got;
    cudaMalloc(&a, 400), cudaMalloc(&b, 400);
    touch<<<1, 1>>>(a, atol(words[1]) / 4);
    printf("%d\\n", cudaDeviceSynchronize());
    if (cudaFree(a))
        return 0;
    touch<<<1, 1>>>(b, 0);
    printf("%d\\n", cudaMemcpy(&got, b, 4, cudaMemcpyDeviceToHost));
    printf("%d %d\\n", cudaMemcpy(&got, b + 100, 4, cudaMemcpyDeviceToHost), cudaFree(b));
    touch<<<1, 1>>>(b, 0);
    printf("%d\\n", cudaDeviceSynchronize());
}
"""


def test_accesses_outside_of_allocations(tmp_path):
    """With bounds=hardware one within a block of 2 MiB that holds an allocation is not a fault; copies of the host keep to allocations."""
    (tmp_path / "bounds.cu").write_text(BOUNDS)
    program = compiled(tmp_path, tmp_path / "bounds.cu", "-O1", "--cuda-gpu-arch=sm_50")
    good, bad = "0\n0\n1 0\n700\n", "700\n"
    for at, stop, hardware in ((0, good, good), (20000, bad, good), ((2 << 20) - 4, bad, good), (2 << 20, bad, bad), (-4, bad, bad)):
        for gpu, want in (("sm", stop), ("sm:bounds=stop", stop), ("sm:bounds=hardware", hardware)):
            assert wavetrap("exec", "-g", gpu, program, str(at)).stdout == want, (gpu, at)
    assert "must be stop or hardware" in wavetrap("exec", "-g", "sm:bounds=no", program, "0").stderr


def test_mathematics_is_inlined(tmp_path):
    """What has no branch, as all of NVIDIA's library is: a square root is one instruction of the kernel, and no call."""
    source = tmp_path / "root.cu"
    source.write_text("__global__ void root(float *x) { x[threadIdx.x] = sqrtf(x[threadIdx.x]); }\n")
    done = subprocess.run(["clang-19", "-x", "cuda", f"--cuda-path={cuda_path()}", "--cuda-gpu-arch=sm_50", "--cuda-device-only", "-O2", "-S", source, "-o", "-"],
                          capture_output=True, text=True, env={**os.environ, "PATH": DEBIAN_PATH}, check=True)
    assert "sqrt.rn.f32" in done.stdout and "call" not in done.stdout, done.stdout


def test_scaling_by_powers_of_two(tmp_path):
    """ldexp and scalbn of both widths, against the host's libm."""
    done = wavetrap("exec", "-g", "sm", compiled(tmp_path, HERE / "scales.cu", "-O1", "--cuda-gpu-arch=sm_50"))
    assert done.stdout == "0 wrong\n", done.stdout + done.stderr


def test_numbers_with_the_exponent_of_a_float(tmp_path):
    """bfloat16: 65,536 pairs, rounded once, in kernels and on the host."""
    done = wavetrap("exec", "-g", "sm", compiled(tmp_path, HERE / "bfloats.cu", "-O2", "--cuda-gpu-arch=sm_60"))
    assert done.stdout == "kernel: 65536 of 65536 right\nhost: 65536 of 65536 right\ndoubles right\nfunctions right\nacross threads right\n", done.stdout + done.stderr


def test_an_allocation_that_failed_is_told_when_its_address_is_used(tmp_path):
    """The program does not look at the result of cudaMalloc."""
    (tmp_path / "big.cu").write_text("__global__ void set(int *p) { p[threadIdx.x] = 1; }\n"
                                     "int main() { int *p = nullptr; cudaMalloc(&p, 1 << 25); set<<<1, 32>>>(p); return cudaDeviceSynchronize(); }\n")
    program = compiled(tmp_path, tmp_path / "big.cu", "-O1", "--cuda-gpu-arch=sm_60")
    done = wavetrap("exec", "-g", "sm:memory=16M", program)
    assert done.returncode == 700 % 256 and "store of 4 bytes at 0x0: no memory is mapped there" in done.stderr, done.stderr
    assert "an allocation of 33554432 bytes has failed before: the GPU has 16 MiB of memory; -g sm:memory=SIZE gives it more" in done.stderr, done.stderr
    assert wavetrap("exec", "-g", "sm:memory=64M", program).returncode == 0


def test_debians_cub_and_thrust(tmp_path):
    """Algorithms of both libraries, for devices, blocks and warps, against the host's."""
    done = wavetrap("exec", "-g", "sm", compiled(tmp_path, HERE / "cub_thrust.cu", "-std=c++17", "-O1", "-w", "--cuda-gpu-arch=sm_60"))
    assert done.returncode == 0 and re.fullmatch(r"(\w[\w ]*: right\n){21}", done.stdout), done.stdout + done.stderr


GROUPS = ["blocks", "tiles of 32", "tiles of 16", "tiles of 4", "nested tiles", "coalesced", "labels", "copies", "grid", "no barrier"]


@pytest.mark.sample(2)
@pytest.mark.parametrize("flags, gpu", [(["-O0", "--cuda-gpu-arch=sm_50"], "sm"), (["-O2", "--cuda-gpu-arch=sm_70"], "sm:sms=3")])
def test_cooperative_groups(tmp_path, flags, gpu):
    """Tiles of one warp have masks of their own; a barrier of the grid without a cooperative launch says what is missing."""
    done = wavetrap("exec", "-g", gpu, compiled(tmp_path, HERE / "groups.cu", *flags))
    assert done.stdout.splitlines() == [f"{part} right" for part in GROUPS], done.stdout + done.stderr
    assert "assertion 'this_grid().is_valid(), by cudaLaunchCooperativeKernel' failed" in done.stderr, done.stderr


MATCHES = r"""
#include <cstdio>
struct results { unsigned any[32], wide[32], real[32], all[2], waited; };
__global__ void match(results *r)
{
    const int lane = threadIdx.x;
    int same, other;
    r->any[lane] = __match_any_sync(~0u, lane / 4);
    r->wide[lane] = __match_any_sync(~0u, (unsigned long long)(lane & 1) << 40);
    r->real[lane] = __match_any_sync(~0u, lane < 8 ? 0.5 : 0.25f + lane / 16);
    const unsigned a = __match_all_sync(~0u, 7L, &same), b = __match_all_sync(~0u, (float)lane, &other);
    r->all[0] = a & -same, r->all[1] = b | other;
    const long long before = clock64();
    __nanosleep(100);
    r->waited = clock64() > before;
}
int main()
{
    results *r;
    cudaMallocManaged(&r, sizeof *r);
    match<<<1, 32>>>(r);
    int wrong = cudaDeviceSynchronize();
    for (int i = 0; i < 32; i++)
        wrong += (r->any[i] != 0xfu << i / 4 * 4) + (r->wide[i] != 0x55555555u << (i & 1)) +
                 (r->real[i] != (i < 8 ? 0xffu : i < 16 ? 0xff00u : 0xffff0000u));
    std::printf("%d %x %x %u\n", wrong, r->all[0], r->all[1], r->waited);
}
"""


def test_matches_within_a_warp(tmp_path):
    """Of words and of 64 bits, whole numbers and others; they begin with sm_70."""
    (tmp_path / "match.cu").write_text(MATCHES)
    program = compiled(tmp_path, tmp_path / "match.cu", "-O1", "--cuda-gpu-arch=sm_70")
    assert wavetrap("exec", program).stdout == "0 ffffffff 0 1\n"


STATIC = r"""
#include <dlfcn.h>
#include <stdio.h>
/* The first calls of NVIDIA's static runtime, and what it tells the program. */
int main(void)
{
    static const char table[16] = "\x6b\xd5\xfb\x6c\x5b\xf4\xe7\x4a\x89\x87\xd9\x39\x12\xfd\x9d\xf9";
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    int (*init)(unsigned) = (int (*)(unsigned))dlsym(library, "cuInit");
    int (*get)(const void **, const void *) = (int (*)(const void **, const void *))dlsym(library, "cuGetExportTable");
    const void *found;
    if (init(0) || get(&found, table))
        puts("CUDA driver version is insufficient for CUDA runtime version");
    return 35;
}
"""


EDGES = r"""
#include <cmath>
#include <cstdio>
#include <cstring>
__global__ void big(int *p) { p[threadIdx.x] = 1; }
__global__ void swaps(unsigned short *p, int *o)
{
    o[threadIdx.x] = atomicCAS(p, (unsigned short)threadIdx.x, (unsigned short)(threadIdx.x + 1));
    atomicCAS_block(p + 1, (unsigned short)7, (unsigned short)9);
    atomicCAS_system(p + 1, (unsigned short)9, (unsigned short)11);
    __prof_trigger(3);
}
__global__ void nans(double *d, float *f)
{
    d[0] = nan(""), d[1] = nan("0x123"), d[2] = nan("12"), d[3] = nan("017"), d[4] = nan("19z");
    f[0] = nanf(""), f[1] = nanf("77");
}
__global__ void stray(int *p) { *p = 1; }
template <class T> void words(const void *at, int count)
{
    for (int i = 0; i < count; i++) {
        T word;
        memcpy(&word, (const T *)at + i, sizeof word);
        printf("%llx ", (unsigned long long)word);
    }
}
int main()
{
    int *o, h[32];
    unsigned short *p, v[2] = {0, 7};
    double *d, hd[5];
    float *f, hf[2];
    cudaMalloc(&p, 4), cudaMalloc(&o, 4096), cudaMalloc(&d, 40), cudaMalloc(&f, 8);
    auto last = [] { printf("%d ", cudaGetLastError()); };
    big<<<1, 32, 60000>>>(o), last();
    big<<<1, 32, (size_t)1 << 32>>>(o), last();
    big<<<1, 0>>>(o), last();
    big<<<1, dim3(1, 1, 65)>>>(o), last();
    printf("%d ", cudaFuncSetAttribute((void *)big, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000));
    big<<<1, 32, 60000>>>(o), last();
    cudaMemcpy(p, v, 4, cudaMemcpyHostToDevice);
    swaps<<<1, 32>>>(p, o);
    cudaMemcpy(h, o, 128, cudaMemcpyDeviceToHost), cudaMemcpy(v, p, 4, cudaMemcpyDeviceToHost);
    printf("\n%d %d %d %d %d\n", h[0], h[1], h[31], v[0], v[1]);
    nans<<<1, 1>>>(d, f);
    cudaMemcpy(hd, d, 40, cudaMemcpyDeviceToHost), cudaMemcpy(hf, f, 8, cudaMemcpyDeviceToHost);
    words<unsigned long long>(hd, 5), words<unsigned>(hf, 2);
    printf("\n%d %d\n", cudaDeviceReset(), cudaMalloc(&d, 8));
    stray<<<1, 1>>>((int *)64);
    printf("%d ", cudaDeviceSynchronize());
    printf("%d ", cudaDeviceReset());
    printf("%d ", cudaMalloc(&d, 64));
    printf("%d ", cudaGetLastError());
    printf("%d\n", cudaDeviceReset());
}
"""


def test_a_program_with_nvidias_own_runtime_is_told_why_it_fails(tmp_path):
    (tmp_path / "static.c").write_text(STATIC)
    done = wavetrap("exec", "-g", "sm", compiled_c(tmp_path, CC, tmp_path / "static.c"))
    assert done.returncode == 35 and "NVIDIA's own CUDA runtime in it, which needs undocumented tables" in done.stderr, done.stderr


def test_a_program_whose_rpath_finds_nvidias_runtime_is_told_which_file(tmp_path):
    """RPATH comes before LD_LIBRARY_PATH, which leads to ours; what the message advises makes the program use ours."""
    (tmp_path / "theirs.c").write_text(STATIC.replace("int main(void)", "int cudaFree(void *p)"))
    (tmp_path / "main.c").write_text("int cudaFree(void *p); int main(void) { return cudaFree(0); }\n")
    subprocess.run(["gcc", "-shared", "-fPIC", "-Wl,-soname,libcudart.so.12", "theirs.c", "-o", "libcudart.so.12"], cwd=tmp_path, check=True)
    subprocess.run(["gcc", "main.c", "-o", "main", f"-Wl,--disable-new-dtags,-rpath,{tmp_path}", "./libcudart.so.12"], cwd=tmp_path, check=True)
    done = wavetrap("exec", "-g", "sm", tmp_path / "main")
    told = re.search(r"the program loads NVIDIA's own CUDA runtime, (\S+), which needs .*: with (LD_PRELOAD)=\$\(wavetrap cuda-path\)(\S+) it", done.stderr)
    assert done.returncode == 35 and told[1] == str(tmp_path / "libcudart.so.12"), done.stderr
    done = wavetrap("exec", "-g", "sm", tmp_path / "main", env={**environment(), "LD_PRELOAD": cuda_path() + told[3]})
    assert done.returncode == 0 and not done.stderr, done.stderr


def test_edges_of_the_runtime(tmp_path):
    """Numbers of refused launches, nan() and its payloads, swaps of 16 bits, and a reset after a kernel's error, which stays."""
    (tmp_path / "edges.cu").write_text(EDGES)
    program = compiled(tmp_path, tmp_path / "edges.cu", "-O0", "--cuda-gpu-arch=sm_70")
    assert [line.rstrip() for line in wavetrap("exec", "-g", "sm:cc=7.0", program).stdout.splitlines()] == [
        "1 1 9 9 0 0", "0 1 31 32 11", "7ff8000000000000 7ff8000000000123 7ff800000000000c 7ff800000000000f 7ff8000000000000 7fc00000 7fc0004d",
        "0 0", "700 700 700 700 700"]


@pytest.mark.parametrize("asked, used, told", [
    (r"\xda\x91\x51\xd3\x3a\xe6\xcc\x41\xa5\xc0\x4f\x26\xd5\x33\xe3\x28", "0", False),  # NVIDIA's run-time compiler, which goes on
    ("unknown table..", "driver(&n, 0)", False), ("unknown table..", "0", True)])
def test_a_program_that_goes_on_without_a_table_is_told_nothing(tmp_path, asked, used, told):
    """Of a table that is not known it is told at the end, if the GPU was not used after the question."""
    text = STATIC.replace(r"\x6b\xd5\xfb\x6c\x5b\xf4\xe7\x4a\x89\x87\xd9\x39\x12\xfd\x9d\xf9", asked)
    text = text.replace("    const void *found;", "    int (*driver)(void **, int) = (int (*)(void **, int))dlsym(library, \"cuDevicePrimaryCtxRetain\");\n"
                        "    int (*use)(void *) = (int (*)(void *))dlsym(library, \"cuCtxSetCurrent\");\n"
                        "    int (*wait)(void) = (int (*)(void))dlsym(library, \"cuCtxSynchronize\");\n    void *n;\n    const void *found;")
    text = text.replace("return 35;", f"return {used.replace('driver(&n, 0)', 'driver(&n, 0) || use(n) || wait()')};")
    (tmp_path / "static.c").write_text(text)
    done = wavetrap("exec", "-g", "sm", compiled_c(tmp_path, CC, tmp_path / "static.c"))
    assert done.returncode == 0 and ("cuGetExportTable" in done.stderr) == told, done.stderr


def test_the_tool_for_fat_binaries(tmp_path):
    tool = cuda_path() + "/bin/fatbinary"

    def run(*arguments):
        return subprocess.run([tool, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)
    (tmp_path / "a,b").write_bytes(b"12345")
    assert run("-64", "--create", "out", "--image=profile=sm_61,file=a,b", "--image3=kind=ptx,sm=70,file=a,b").returncode == 0
    out = (tmp_path / "out").read_bytes()
    assert out[:4] == b"\x50\xed\x55\xba" and len(out) == 16 + 2 * 72 and (out[16], out[44], out[88], out[116]) == (2, 61, 1, 70)
    for arguments, words in ([["--create=x", "--image=file=a,b"], "profile=sm_NN,file=PATH is expected"],
                             [["--create=x", "--image=profile=sm_50,file=none"], "none"], [["--image=profile=sm_50,file=a,b"], "--create"],
                             [["--create=/no/folder/x"], "/no/folder/x"]):
        done = run(*arguments)
        assert done.returncode == 1 and "fatbinary (wavetrap): " in done.stderr and words in done.stderr, done.stderr
