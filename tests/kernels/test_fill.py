"""`--fill`: what registers and memory hold before a program writes them, on all families, standalone and in host programs."""
import os
import pathlib
import struct
import subprocess

import pytest

from conftest import ROOT
from releases import CC
from test_accesses import COMMAND, build

BUILD = pathlib.Path(os.environ.get("WAVETRAP_BUILD", ROOT / "build"))
KERNEL = """
kernel void k(global int *zero, global int *out)
{
    local int box[64];
    int cells[16], id = get_global_id(0), l = get_local_id(0);
    volatile private int *p = cells;
    p[3] = 5;
    out[2 * id] = box[l];
    out[2 * id + 1] = p[zero[0] + 4];
}
"""
OPTIONS = {"gfx900": ["-O0", "-g"], "sm": ["-O0", "-g", "-gdwarf-2"], "gen9": []}
GRID, GROUP = 32, 16


def run(gpu, file, *options, kernel=True):
    words = ["--kernel=k", f"--grid={GRID}", f"--block={GROUP}", "--arg=zeros:64", f"--arg=zeros:{8 * GRID}", f"--dump-arg=1:{file}.out"]
    done = subprocess.run([COMMAND, "run", "-g", gpu, *(words if kernel else []), *options, file], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    if not kernel:
        return done.stdout
    with open(f"{file}.out", "rb") as out:
        return list(struct.unpack(f"<{2 * GRID}I", out.read()))


@pytest.fixture(scope="module", params=list(OPTIONS))
def kernel(request, tmp_path_factory):
    return request.param, build(request.param, KERNEL, tmp_path_factory.mktemp(request.param), OPTIONS[request.param], "-g -cl-opt-disable", ["--format", "zebin"])


def test_local_and_private_memory_are_filled(kernel):
    gpu, file = kernel
    assert set(run(gpu, file)) == set(run(gpu, file, "--fill=zero")) == {0}
    assert set(run(gpu, file, "--fill=0xffc00000")) == set(run(f"{gpu}:fill=0xffc00000", file)) == {0xffc00000}
    assert set(run(f"{gpu}:fill=0xffc00000", file, "--fill=zero")) == {0}
    seven, eight = run(gpu, file, "--fill=random:7"), run(gpu, file, "--fill=random:8")
    assert seven == run(gpu, file, "--fill=random:7") and len(set(seven)) == 2 * GRID and not set(seven) & set(eight)
    # Local memory does not depend on when its group starts.
    assert run(gpu, file, "--fill=random:7", "--schedule=lockstep")[::2] == seven[::2]


def test_the_past_and_a_core_file_have_it_too(kernel, tmp_path):
    gpu, file = kernel
    core = tmp_path / "core"
    words = [COMMAND, "debug", "--nx", "--batch", "-g", gpu, "--fill=random:7", "--kernel=k", f"--grid={GRID}", f"--block={GROUP}",
             "--arg=zeros:64", f"--arg=zeros:{8 * GRID}"]
    text = subprocess.run([*words, "-ex", "break k", "-ex", "run", "-ex", "print box[5]", "-ex", "stepi 40", "-ex", "reverse-stepi 40", "-ex",
                           "print box[5]", "-ex", f"generate-core {core}", file], capture_output=True, text=True, timeout=120)
    first, second = [line for line in text.stdout.splitlines() if line.startswith("$")]
    assert first.split(" = ")[1] == second.split(" = ")[1] != "0", text.stdout + text.stderr
    again = subprocess.run([COMMAND, "debug", "--nx", "--batch", "--core", core, "-ex", "print box[5]", "-ex", "reverse-continue", "-ex", "continue",
                            "-ex", "print box[5]"], capture_output=True, text=True, timeout=120)
    other = subprocess.run([COMMAND, "debug", "--nx", "--batch", "--core", core, "--fill=random:8"], capture_output=True, text=True, timeout=60)
    assert other.returncode and "a core file knows its GPU" in other.stderr
    assert again.stdout.count(first.split(" = ")[1]) >= 1, again.stdout + again.stderr


def test_registers_of_ptx(tmp_path):
    file = tmp_path / "r.ptx"
    file.write_text(""".version 6.0
.target sm_50
.address_size 64
.func (.reg .b32 %back) other()
{
    .reg .b32 %never;
    mov.b32 %back, %never;
    ret;
}
.visible .entry k(.param .u64 in, .param .u64 out)
{
    .reg .b32 %never, %got, %t;
    .reg .b64 %a, %i;
    ld.param.u64 %a, [out];
    mov.u32 %t, %ctaid.x;
    mad.lo.u32 %t, %t, 16, 0;
    mov.u32 %got, %tid.x;
    add.u32 %t, %t, %got;
    mul.wide.u32 %i, %t, 8;
    add.u64 %a, %a, %i;
    call (%got), other;
    st.global.u32 [%a], %never;
    st.global.u32 [%a+4], %got;
    ret;
}
""")
    assert set(run("sm", file)) == {0}
    assert set(run("sm", file, "--fill=0x7fc00001")) == {0x7fc00001}
    assert len(set(run("sm", file, "--fill=random:7"))) == 2 * GRID


def test_registers_of_gfx900(tmp_path):
    file = build("gfx900", 'kernel void k(global int *in, global int *out) { int v, s, i = get_global_id(0); '
                           '__asm__ volatile("v_mov_b32 %0, v40\\n v_mov_b32 %1, s60" : "=v"(v), "=v"(s) :: "v40", "s60"); out[2 * i] = v; out[2 * i + 1] = s; }', tmp_path)
    assert set(run("gfx900", file)) == {0}
    assert set(run("gfx900", file, "--fill=0x12345678")) == {0x12345678}
    seven = run("gfx900", file, "--fill=random:7")
    assert len(set(seven[::2])) == GRID and len(set(seven[1::2])) == GRID // GROUP    # a scalar register is its wave's


VORTEX = """
    .globl _start
_start:
    .option norelax
    li t0, 0x9000
    slli t0, t0, 16
    lw t1, 0(t0)
    la t0, zeros
    lw t2, 0(t0)
    la t0, cells
    sw s5, 0(t0)
    sw t1, 4(t0)
    sw t2, 8(t0)
    .globl stop
stop:
    li t0, 0x88          # the program ends, with status 0
    sw zero, 0(t0)
    ecall
    .bss
zeros: .space 4
    .data
cells: .space 12
"""


@pytest.mark.parametrize("xlen", [32, 64])
def test_registers_and_memory_of_vortex(xlen, tmp_path):
    (tmp_path / "v.s").write_text(VORTEX)
    file = tmp_path / "v.elf"
    subprocess.run(["riscv64-unknown-elf-gcc", f"-march=rv{xlen}im", f"-mabi={'i' * (xlen == 32)}lp{xlen}", "-mcmodel=medany", "-nostdlib", "-Ttext=0x80000000", "-o", file, tmp_path / "v.s"],
                   check=True)

    def words(*options):
        done = subprocess.run([COMMAND, "debug", "--nx", "--batch", "-g", f"vortex:xlen={xlen}", *options, "-ex", "break *&stop", "-ex", "run", "-ex",
                               "x/3xw &cells", file], capture_output=True, text=True, timeout=60)
        lines = [line for line in done.stdout.splitlines() if ":\t" in line]
        assert len(lines) == 1, done.stdout + done.stderr
        return [int(word, 16) for word in lines[0].split(":")[1].split()]
    assert words() == [0, 0, 0]
    assert words("--fill=0xcafef00d") == [0xcafef00d, 0xcafef00d, 0]
    seven = words("--fill=random:7")
    assert seven == words("--fill=random:7") and seven[0] != seven[1] and seven[2] == 0 and seven != words("--fill=random:8")


def test_a_program_that_reads_nothing_too_early_does_not_notice(tmp_path):
    names = ("histogram", "reduce", "sgemm", "vecadd")
    subprocess.run(["make", "-s", "-C", ROOT / "examples" / "vortex", f"OUT={tmp_path}", f"PROGRAMS={' '.join(names)}"], check=True)
    for name in names:
        for xlen in (32, 64):
            file = tmp_path / f"{name}.rv{xlen}.elf"
            assert run("vortex", file, kernel=False) == run("vortex", file, "--fill=random:3", kernel=False)


def test_nonsense_is_refused():
    for value in ("", "ones", "random:", "random:x", "0x100000000", "-1"):
        done = subprocess.run([COMMAND, "run", f"--fill={value}", "x"], capture_output=True, text=True)
        assert done.returncode == 125 and "is not zero, a pattern of 32 bits such as 0xffc00000, or random:SEED" in done.stderr, done.stderr
    done = subprocess.run([COMMAND, "run", "-g", "gfx900:fill=none", "x"], capture_output=True, text=True)
    assert done.returncode == 125 and "fill=none: 'none' is not zero" in done.stderr


# ---- host programs ----

HIP = """
#include <hip/hip_runtime.h>
#include <stdio.h>
__global__ void k(unsigned *out) { volatile __shared__ unsigned box[4]; out[0] = box[1]; }
int main()
{
    unsigned *a, *b, r[3] = {1, 1, 1};
    hipMalloc(&a, 4096); hipMalloc(&b, 16 << 20);
    hipMemcpy(r, a, 4, hipMemcpyDeviceToHost); hipMemcpy(r + 1, b + 1000000, 4, hipMemcpyDeviceToHost);
    k<<<1, 1>>>(a);
    hipMemcpy(r + 2, a, 4, hipMemcpyDeviceToHost);
    printf("%08x %08x %08x\\n", r[0], r[1], r[2]);
}
"""
CUDA = """
#include "wavetrap/cuda.h"
#include <stdio.h>
int main(void)
{
    CUdevice d; CUcontext c; CUdeviceptr a, b; unsigned r[2] = {1, 1};
    cuInit(0); cuDeviceGet(&d, 0); cuCtxCreate(&c, 0, d);
    cuMemAlloc(&a, 100); cuMemAlloc(&b, 16 << 20);
    cuMemcpyDtoH(r, a + 96, 4); cuMemcpyDtoH(r + 1, b + 4000000, 4);
    printf("%08x %08x\\n", r[0], r[1]);
    return 0;
}
"""


def test_new_memory_of_hip_programs(tmp_path):
    (tmp_path / "p.hip").write_text(HIP)
    subprocess.run(["hipcc", "--offload-arch=gfx900", "-O1", "p.hip", "-o", "p"], cwd=tmp_path, check=True, capture_output=True)

    def said(*options):
        return subprocess.run([COMMAND, "exec", *options, tmp_path / "p"], capture_output=True, text=True, timeout=120).stdout.split()
    assert said("--fill=0xffc00000") == said("-g", "gfx900:fill=0xffc00000") == said("-g", "gfx900:fill=1", "--fill=0xffc00000") == ["ffc00000"] * 3
    assert said("--fill=zero") == ["00000000"] * 3
    assert said("--fill=random:7") == said("--fill=random:7") != said("--fill=random:8")


def test_new_memory_of_cuda_programs(tmp_path):
    (tmp_path / "p.c").write_text(CUDA)
    library = BUILD / "src" / "runtime" / "cuda" / "libcuda.so.1"
    subprocess.run([CC, f"-I{ROOT}/include", "p.c", library, "-o", "p"], cwd=tmp_path, check=True)

    def said(*options):
        return subprocess.run([COMMAND, "exec", *options, tmp_path / "p"], capture_output=True, text=True, timeout=120).stdout.split()
    assert said("--fill=0xffc00000") == said("-g", "sm:fill=0xffc00000") == said("-g", "sm:fill=1", "--fill=0xffc00000") == ["ffc00000"] * 2
    assert said() == said("--fill=zero") == ["00000000"] * 2
    assert said("--fill=random:7") == said("--fill=random:7") != said("--fill=random:8")


OPENCL = """
import numpy
import pyopencl as cl
gpu = cl.get_platforms()[0].get_devices()[0]
context = cl.Context([gpu])
queue = cl.CommandQueue(context)
words = []
given = numpy.full(25, 7, numpy.uint32)
for flags, host in ((0, None), (cl.mem_flags.ALLOC_HOST_PTR, None), (cl.mem_flags.COPY_HOST_PTR, given), (cl.mem_flags.USE_HOST_PTR, given)):
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE | flags, size=0 if host is not None else 100, hostbuf=host)
    got = numpy.empty(25, numpy.uint32)
    cl.enqueue_copy(queue, got, buffer)
    words.append("%08x" % got[24])
print(*words)
"""


PRIVATE = """import numpy, pyopencl as cl, sys
device = cl.get_platforms()[0].get_devices()[0]
context = cl.Context([device])
queue = cl.CommandQueue(context)
kernel = cl.Program(context, """ + '"""' + """
kernel void look(global uint *out) { volatile private uint cell[40]; out[get_global_id(0)] = cell[get_global_id(0) % 40]; }
""" + '"""' + """).build(options=sys.argv[1:]).look
buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, size=256)
kernel(queue, (64,), None, buffer)
got = numpy.empty(64, numpy.uint32)
cl.enqueue_copy(queue, got, buffer)
print(*("%08x" % one for one in got))
"""


def test_private_memory_of_opencl_programs(tmp_path):
    """It is the same in each run, also where Intel's runtime has it in memory of the host that it has used before: without optimisation."""
    (tmp_path / "private.py").write_text(PRIVATE)

    def said(*fill):
        done = subprocess.run([COMMAND, "exec", "-g", "gen9", *fill, "/usr/bin/python3", tmp_path / "private.py", "-cl-opt-disable"], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return set(done.stdout.split())
    assert said() == said("--fill=zero") == {"00000000"} and said("--fill=0xffc00000") == {"ffc00000"}
    assert said("--fill=random:7") == said("--fill=random:7") != said("--fill=random:8")


def test_new_memory_of_opencl_programs(tmp_path):
    """What the host gives stays what it is."""
    (tmp_path / "new.py").write_text(OPENCL)

    def said(*options):
        done = subprocess.run([COMMAND, "exec", "-g", "gen9", *options, "/usr/bin/python3", tmp_path / "new.py"], capture_output=True, text=True,
                              timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()
    assert said("--fill=0xffc00000") == ["ffc00000", "ffc00000", "00000007", "00000007"]
    assert said("--fill=zero") == said() == ["00000000", "00000000", "00000007", "00000007"]
    assert said("--fill=random:7") == said("--fill=random:7") != said("--fill=random:8")
