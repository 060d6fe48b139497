"""gfx900: variables of a work-group's memory by name. clang writes 0 as the address of each; the kernel itself says where they are.

A seed makes a kernel (and functions that it calls) whose variables have random sizes, alignments and names; the kernel stores their
addresses. The console's `&NAME` is that address, or NAME is refused with the reason: where the compiler's rule leaves a choice.
"""
import random
import re
import struct
import subprocess

import pytest

from conftest import TIMEOUT, WAVETRAP, debug
from releases import HIPCC_CLANG

SIZES = {"char": 1, "short": 2, "int": 4, "long": 8, "float": 4, "double": 8}
HIP = ["-x", "hip", "--cuda-device-only", "--offload-arch=gfx900", "-nogpuinc", "-nogpulib", "--no-gpu-bundle-output"]
OPENCL = ["-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900", "-nogpulib"]
TYPES = "struct S { double d; int i[3]; char c; };\nstruct __attribute__((packed)) P { char c; int i; };\n"
HEAD = """typedef unsigned int uint;
#define __global__ __attribute__((global))
#define __device__ __attribute__((device, noinline))
#define __shared__ __attribute__((shared))
"""


class Source:
    """A program of one kernel, `k`; `where`: the variables that each function has, and the line where it stores their addresses."""

    def __init__(self, seed, hip):
        self.random, self.hip, self.count, self.where, self.line, self.refers = random.Random(seed), hip, 0, {}, {}, []
        lines = ((HEAD if hip else "") + TYPES).splitlines()
        if hip:
            lines += [f"__attribute__((device)) __shared__ {self.variable('')};" for _ in range(self.random.randint(0, 2))]
            of_file, functions = self.where.setdefault("", []), [f"f{i}" for i in range(self.random.randint(0, 2))]
            for name in functions:
                lines += self.function(name, f"__device__ void {name}(uint *out)", self.random.randint(0, 2), of_file, [])
            lines += self.function("k", 'extern "C" __global__ void k(uint *out)', self.random.randint(1, 3), of_file, functions)
        else:
            lines += self.function("k", "kernel void k(global uint *out)", self.random.randint(2, 6), [], [])
        self.text = "\n".join(lines) + "\n"
        for number, line in enumerate(lines, 1):
            stored = re.match(r"    out\[(\d+)\] = .*&(\w+); /\* (\w+) \*/", line)
            if stored:
                self.line[stored[3]] = number

    def variable(self, function):
        kind = self.random.choice([*SIZES, "struct S", "struct P"] + ([] if self.hip else ["int2", "float4", "char3", "double4"]))
        name = self.random.choice("abxyAB_") + self.random.choice(["", "1", "10", "zz"]) + f"_{self.count}"
        shape = self.random.choice(["", "[4]", "[4]", f"[{self.random.randint(1, 70)}]", f"[{self.random.randint(1, 4)}][3]"])
        aligned = f"__attribute__((aligned({self.random.choice([32, 64, 128])}))) " if self.random.random() < 0.1 else ""
        self.where.setdefault(function, []).append((self.count, name))
        self.count += 1
        return f"{kind} {aligned}{name}{shape}"

    def function(self, name, head, count, of_file, calls):
        own = [f"    {'__shared__' if self.hip else '__local'} {self.variable(name)};" for _ in range(count)]
        used = self.where.setdefault(name, []) + [v for v in of_file if self.random.random() < 0.5]
        integer = "unsigned long long" if self.hip else "size_t"
        stores = [f"    out[{number}] = (uint)({integer})&{text}; /* {name} */" for number, text in used]
        self.where[name] = used
        return [head, "{", *own, *stores, *(f"    {function}(out);" for function in calls), "}"]


def check(seed, compiler, level, hip, folder):
    """How many names were shown, and refused."""
    source, file, out = Source(seed, hip), folder / ("k.hip" if hip else "k.cl"), folder / "k.co"
    file.write_text(source.text)
    subprocess.run([compiler, *(HIP if hip else OPENCL), "-w", "-g", level, file, "-o", out], check=True)
    launch = ["-g", "gfx900", "--kernel", "k", "--grid", "64", "--block", "64", "--arg", f"pattern:{4 * source.count}=efbeadde"]
    subprocess.run([WAVETRAP, "run", *launch, f"--dump-arg=0:{folder / 'out'}", out], check=True, capture_output=True, timeout=TIMEOUT)
    stored = struct.unpack(f"<{source.count}I", (folder / "out").read_bytes())
    commands, names = [], []
    for function, line in source.line.items():
        commands += ["delete", f"break {file.name}:{line}", "run"]
        for number, name in source.where[function]:
            names.append((number, name))
            commands += [f"echo ={len(names) - 1}=", f"output/x (unsigned)&{name}"]
    done = debug(out, *commands, options=launch, batch=False)
    said = dict(re.findall(r"=(\d+)=(0x[0-9a-f]+)?", done.stdout))
    assert len(said) == len(names), done.stdout + done.stderr
    wrong = [(name, hex(stored[number]), said[str(i)]) for i, (number, name) in enumerate(names)
             if said[str(i)] and int(said[str(i)], 16) != stored[number]]
    assert not wrong, f"seed {seed}: {wrong}\n{source.text}"
    refused = list(said.values()).count("")
    assert done.stderr.count("does not say where") == refused, done.stderr
    return len(names) - refused, refused


@pytest.mark.parametrize("hip", [False, True], ids=["opencl", "hip"])
@pytest.mark.parametrize("compiler", [HIPCC_CLANG, "clang-19", "clang-22"])
def test_variables_of_a_group_lie_where_the_kernel_has_them(compiler, hip, tmp_path):
    """-O0, where each function has code of its own, and -O1."""
    counts = [check(seed, compiler, level, hip, tmp_path) for seed in range(3) for level in ("-O0", "-O1")]
    shown, refused = (sum(column) for column in zip(*counts))
    assert shown > refused if hip else refused <= 0.03 * shown, (shown, refused)


def test_two_arrays_of_one_kernel_are_shown_by_name(tmp_path):
    """Not their addresses only: elements, forwards and in a condition."""
    file = tmp_path / "two.cl"
    file.write_text("kernel void k(global int *out)\n{\n    local float part[36];\n    local int n, unused[40];\n    local float q[33];\n"
                    "    part[3] = 2.5;\n    q[32] = 7;\n    n = 9;\n    out[0] = n;\n}\n")
    subprocess.run(["clang-19", *OPENCL, "-w", "-g", "-O0", file, "-o", tmp_path / "two.co"], check=True)
    launch = ["-g", "gfx900", "--kernel", "k", "--grid", "64", "--block", "64", "--arg", "zeros:4"]
    said = debug(tmp_path / "two.co", "break two.cl:9 if q[32] == 7 && n == 9", "run", "print part[3]", "print q[32]", "print n", "print unused",
                 "print sizeof(unused)", options=launch, batch=False)
    assert "$1 = 2.5\n" in said.stdout and "$2 = 7\n" in said.stdout and "$3 = 9\n" in said.stdout and "= 160\n" in said.stdout
    assert "does not say where unused lies" in said.stderr and "(int *)ADDRESS points to it" in said.stderr


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("compiler", [HIPCC_CLANG, "clang-19", "clang-22"])
def test_arrays_of_inlined_functions_and_templates_leave_the_kernels_own_where_they_are(compiler, level, tmp_path):
    """Inlined, their variables lie among the kernel's: an array of the kernel's has its address, or is refused."""
    address = "(unsigned)(unsigned long long)(__attribute__((address_space(3))) char *)"
    (tmp_path / "k.hip").write_text(HEAD.replace(", noinline", "") + f"""
template <int N> __device__ uint part(int i) {{ __shared__ short held[N]; held[i] = i; return {address}held; }}
__device__ uint other(int i) {{ __shared__ double kept[7]; kept[i] = i; return {address}kept; }}
extern "C" __global__ void k(uint *out, int n)
{{
    __shared__ char a[13];
    __shared__ float b[5];
    a[n] = 1, b[n] = 2;
    out[2] = other(n) + part<9>(n) + part<20>(n);
    out[0] = {address}a;
    out[1] = {address}b;
}}
""")
    subprocess.run([compiler, *HIP, "-w", "-g", level, tmp_path / "k.hip", "-o", tmp_path / "k"], check=True)
    launch = ["-g", "gfx900", "--kernel", "k", "--grid", "1", "--block", "1", "--arg=zeros:64", "--arg=i32:3"]
    subprocess.run([WAVETRAP, "run", *launch, f"--dump-arg=0:{tmp_path / 'out'}", tmp_path / "k"], check=True, capture_output=True, timeout=TIMEOUT)
    stored = struct.unpack("<2I", (tmp_path / "out").read_bytes()[:8])
    for name, address in zip("ab", stored):
        done = debug(tmp_path / "k", "break k", "run", f"output/x (unsigned)&{name}", options=launch, batch=False)
        said = re.findall(r"(0x[0-9a-f]+)$", done.stdout.strip())
        assert said == [hex(address)] if said else "does not say where" in done.stderr, (name, hex(address), done.stdout, done.stderr)
