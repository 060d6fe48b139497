"""PTX as nvcc -G writes it: DW_OP_regx with a register's name as a number, inlined calls that begin behind a jump to a label. One text is made here; nvcc's own where it is
installed."""
import os
import re
import shutil
import subprocess

import pytest

from conftest import WAVETRAP, debug

CODE = """.version 7.0
.target sm_50
.address_size 64
.visible .entry work(.param .u64 at)
{
	.reg .b32 %r<5>;
	.reg .b64 %rd<5>;
$L__func_begin0:
	.loc 1 6 0
	ld.param.u64 %rd1, [at];
	mov.u32 %r1, %tid.x;
$L__tmp0:
	.loc 1 8 5
	bra.uni $L__tmp1;
$L__tmp1:
	.loc 1 3 5
	mul.lo.s32 %r2, %r1, 2;
$L__tmp2:
	.loc 1 4 5
	add.s32 %r3, %r2, 1;
$L__tmp3:
	.loc 1 9 5
	mul.wide.s32 %rd2, %r1, 4;
	add.s64 %rd3, %rd1, %rd2;
	st.global.u32 [%rd3], %r3;
	ret;
$L__func_end0:
}
.file 1 "FILE"
"""
SOURCE = """__device__ int twice(int v)
{
    int w = v * 2;
    return w + 1;
}
__global__ void work(int *at)
{
    int t = threadIdx.x, k = twice(t);
    at[t] = k;
}
"""
COMPILE_UNIT, BASE, ABSTRACT, PARAMETER, VARIABLE, FUNCTION, INLINED, PARAMETER_OF, VARIABLE_OF, PLACED = range(1, 11)
# tag, whether it has children, attributes and forms (DWARF 2)
ABBREVIATIONS = {COMPILE_UNIT: (0x11, 1, (3, 8, 0x13, 0xb, 0x10, 6, 0x11, 1, 0x12, 1)), BASE: (0x24, 0, (3, 8, 0x3e, 0xb, 0xb, 0xb)), ABSTRACT: (0x2e, 1, (3, 8, 0x49, 0x13, 0x20, 0xb)),
                 PARAMETER: (5, 0, (3, 8, 0x49, 0x13)), VARIABLE: (0x34, 0, (3, 8, 0x49, 0x13)), FUNCTION: (0x2e, 1, (3, 8, 0x11, 1, 0x12, 1, 0x3f, 0xc)),
                 INLINED: (0x1d, 1, (0x31, 0x13, 0x11, 1, 0x12, 1, 0x58, 0xb, 0x59, 0xb)), PARAMETER_OF: (5, 0, (0x31, 0x13, 2, 0xa)), VARIABLE_OF: (0x34, 0, (0x31, 0x13, 2, 0xa)),
                 PLACED: (0x34, 0, (3, 8, 0x49, 0x13, 2, 0xa))}


def at_register(name):
    """A location: DW_OP_regx, whose number has the letters of the name, the last one lowest."""
    number, out = int.from_bytes(name.encode(), "big"), [0x90]
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return [1 + len(out), *out, number]


def information():
    """.debug_info and .debug_abbrev, in PTX."""
    lines, size, places = [], 11, {}

    def put(*values):
        nonlocal size
        for value in values:
            if isinstance(value, str) and value.startswith(("$", ".")):
                wide = value.startswith("$")
                lines.append(f".b{64 if wide else 32} {value}")
                size += 8 if wide else 4
            elif isinstance(value, tuple):
                lines.append(f".b32 {places[value[0]]}")
                size += 4
            else:
                data = value if isinstance(value, list) else [*value.encode(), 0] if isinstance(value, str) else [value]
                lines.extend(f".b8 {byte}" for byte in data)
                size += len(data)

    def entry(name, *values):
        places[name] = size
        put(*values)

    put(COMPILE_UNIT, "own.cu", 4, ".debug_line", "$L__func_begin0", "$L__func_end0")
    entry("int", BASE, "int", 5, 4)
    entry("twice", ABSTRACT, "twice", ("int",), 1)
    entry("v", PARAMETER, "v", ("int",))
    entry("w", VARIABLE, "w", ("int",))
    put(0)
    entry("work", FUNCTION, "work", "$L__func_begin0", "$L__func_end0", 1)
    entry("t", PLACED, "t", ("int",), at_register("%r1"))
    entry("k", PLACED, "k", ("int",), at_register("%r3"))
    entry("call", INLINED, ("twice",), "$L__tmp1", "$L__tmp3", 1, 8)
    put(PARAMETER_OF, ("v",), at_register("%r1"), VARIABLE_OF, ("w",), at_register("%r2"), 0, 0, 0)
    abbreviations = [byte for code, (tag, children, pairs) in ABBREVIATIONS.items() for byte in (code, tag, children, *pairs, 0, 0)] + [0]
    head = [f".b32 {size - 4}", ".b8 2", ".b8 0", ".b32 .debug_abbrev", ".b8 8"]
    return ("\t.section .debug_info\n\t{\n" + "\n".join(head + lines) + "\n\t}\n\t.section .debug_abbrev\n\t{\n" + "\n".join(f".b8 {byte}" for byte in abbreviations) +
            "\n\t}\n\t.section .debug_line { }\n")


def test_registers_by_name_and_inlined_calls(tmp_path):
    (tmp_path / "own.cu").write_text(SOURCE)
    file = tmp_path / "own.ptx"
    file.write_text(CODE.replace("FILE", str(tmp_path / "own.cu")) + information())
    done = debug(file, "break twice", "run", "backtrace", "lane 5", "print v", "next", "print w", "up", "print t", "next", "print k",
                 options=["-g", "sm", "--kernel=work", "--grid=32", "--block=32", "--arg=zeros:128"], cwd=tmp_path)
    out = done.stdout
    assert re.search(r"Breakpoint 1, twice \(v=0\) at \S*own\.cu:3\n3\t", out), out + done.stderr
    assert re.search(r"#0  twice \(v=0\) at \S*own\.cu:3\n#1  work \(.*\) at \S*own\.cu:8\n", out), out
    assert re.findall(r"^\$\d+ = (.*)$", out, re.M)[:3] == ["5", "10", "5"], out
    assert re.search(r"^\$\d+ = 11$", out, re.M), out


NVCC = shutil.which("nvcc") or (os.access("/usr/local/cuda/bin/nvcc", os.X_OK) and "/usr/local/cuda/bin/nvcc")
PROGRAM = """#include <cstdio>
__device__ __forceinline__ int twice(int v) { int w = v * 2; return w + 1; }
__device__ __noinline__ int deep(int a, float f) { int r = a + (int)f; r += twice(a); return r; }
__global__ void work(int *out)
{
    int i = threadIdx.x;
    int own[4] = {i, i + 1, i + 2, i + 3};
    out[i] = twice(i) + deep(i, 2.5f) + own[i & 3];
}
int main()
{
    int *o, h[32];
    cudaMalloc(&o, sizeof h);
    work<<<1, 32>>>(o);
    cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\\n", h[31]);
    return 0;
}
"""


@pytest.mark.skipif(not NVCC, reason="nvcc is not installed")
def test_a_program_by_nvcc(tmp_path):
    (tmp_path / "own.cu").write_text(PROGRAM)
    subprocess.run([NVCC, "-G", "-g", "-arch=compute_75", "-cudart", "shared", "own.cu", "-o", "own"], cwd=tmp_path, check=True, capture_output=True)
    looks = ["break twice", "break deep", "run", "backtrace", "lane 3", "print v", "up", "print own[3]", "print i", "continue", "backtrace", "info args", "continue", "backtrace", "info args",
             "up", "print r", "delete", "continue"]
    out = subprocess.run([WAVETRAP, "debug", "--nx", "--batch", *[word for one in looks for word in ("-ex", one)], "./own"], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    stops = out.stdout.split("Continuing.\n")
    assert re.search(r"#0  twice \(v=0\) at \S*own\.cu:2\n#1  work \(.*\) at \S*own\.cu:8\n", stops[0]), out.stdout + out.stderr
    assert re.search(r"#0  deep \(a=[03], f=2\.5\) at \S*own\.cu:3\n#1  0x[0-9a-f]+ in work \(.*\) at \S*own\.cu:8\n", stops[1]), out.stdout
    assert re.search(r"#0  twice \(v=[03]\) at \S*own\.cu:2\n#1  deep \(a=[03], f=2\.5\) at \S*own\.cu:3\n#2  0x[0-9a-f]+ in work ", stops[2]), out.stdout
    assert re.findall(r"^\$\d+ = (.*)$", stops[0], re.M) == ["3", "6", "3"] and f"{31 * 2 + 1 + 33 + 63 + 34}\n" in stops[3], out.stdout
