"""The console with unmodified OpenCL host programs on the emulated Gen9 GPU: `wavetrap debug -g gen9 ./program`. What the program
prints, and C's arithmetic on its data (a[i] = i, b[i] = 10 * i), say what variables must be."""
import json
import re
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from conftest import ROOT, WAVETRAP, environment
from test_console import END, MARK, ask, debug
from test_long import Running
from test_opencl_long import build

sys.path.insert(0, str(ROOT / "tests" / "isa" / "gen"))
import iga

SOURCE = ROOT / "tests" / "host" / "opencl_debug.c"
GEN9 = ["-g", "gen9"]
ROUNDS = "round 0: -315 0 -1008\nround 1: -315 -1 -1009\n"


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return build(SOURCE, tmp_path_factory.mktemp("debug"))


def said_by(commands, program, *arguments):
    return ask(commands, program, *arguments, options=GEN9)


def status_of(commands, program, *arguments):
    """The status of the session is the program's."""
    done = debug(commands, program, *arguments, options=GEN9)
    return done.returncode, done.stdout.split(MARK + "\n")[1:-1]


def test_a_kernel_is_stopped_at_its_first_line(program):
    """The kernel's source is text in the program; the breakpoint waits for the kernel, and holds for the next dispatch and run."""
    said = said_by(["break add if round == 1", "tbreak add", "run", "list", "next", "continue", "info breakpoints", "run", "info breakpoints",
                    "kill"], program, 2)
    assert said[0] == "Breakpoint 1 (add) pending.\n" and said[1] == "Temporary breakpoint 2 (add) pending.\n"
    assert said[2].startswith(f"Starting program: {program} 2\n")
    assert "\n[device 0, dispatch 1, group (0,0,0), core 0, thread 0, channel 0; channels 0-7 enabled]\n" in said[2]
    assert re.search(r"^Temporary breakpoint 2, add \(a=0x[0-9a-f]+, b=0x[0-9a-f]+, c=0x[0-9a-f]+, round=0\) at program-1.cl:8\n"
                     r"8\t    int i = get_global_id\(0\) \+ 16 \* get_global_id\(1\);$", said[2], re.M), said[2]
    assert said[3].splitlines()[-1] == "12\t    c[i] = sum;" and "9\t    int sum = a[i] + twice(b[i]);" in said[3]
    assert said[4] == "9\t    int sum = a[i] + twice(b[i]);\n"
    assert said[5].startswith("Continuing.\nround 0: -315 0 -1008\n[device 0, dispatch 4, group (")
    assert "\nBreakpoint 1, add (" in said[5] and "round=1) at program-1.cl:8\n" in said[5] and "hit 1 time" in said[6]
    assert "\nBreakpoint 1, add (" in said[7] and "hit 2 times" in said[8]


def test_the_options_of_programs_are_kept_on_demand(program):
    """Else it is said, once a program, that the compiler optimises nothing. In optimised code the first stop says that variables' places err."""
    done = debug(["run"], program, 2, options=GEN9)
    assert (done.stdout + done.stderr).count("under the debugger has -cl-opt-disable") == 1 and "optimised" not in done.stdout, done
    done = debug(["set opencl-options keep", "show opencl-options", "break add", "run", "info frame", "continue", "kill"], program, 2, options=GEN9)
    assert "-cl-opt-disable, which" not in done.stdout + done.stderr and "options for: keep" in done.stdout, done
    assert "WAVETRAP_" not in done.stdout + done.stderr, done
    assert done.stdout.count("This code is optimised") == 1 and re.search(r"wrong now and then\.\n\[device 0, [^\n]*\n\nBreakpoint 1, add", done.stdout), done.stdout
    # The first kind of code again in the same session.
    said = said_by(["set opencl-options keep", "set opencl-options debug", "break add", "run", "kill"], program, 2)
    assert "Breakpoint 1, add (a=0x" in said[3], said


@pytest.mark.full
def test_a_file_of_the_user_is_found_by_its_text(program, tmp_path):
    """The runtime calls it program-1.cl, and may have lines before it. What is not text of a program is said to be none; a line alone is of the first file."""
    text = said_by(["tbreak add", "run", "list program-1.cl:1,12", "kill"], program, 1)[2]
    lines = [line.split("\t", 1)[1] for line in text.splitlines()]
    (tmp_path / "whole.cl").write_text("\n".join(lines[:10]) + "\n\n")
    (tmp_path / "part.cl").write_text("\n".join(lines[2:10]))
    (tmp_path / "other.cl").write_text("kernel void other() {}\n")
    for place, line in ((f"{tmp_path}/whole.cl:8", 8), (f"{tmp_path}/part.cl:6", 8), ("9", 9)):
        said = said_by([f"break {place}", "run", "info breakpoints", "kill"], program, 1)
        assert "pending." in said[0] and f"at program-1.cl:{line}\n{line}\t" in said[1] and f" in add at program-1.cl:{line}\n" in said[2], said
    said = said_by([f"break {tmp_path}/other.cl:1", "break nowhere.cl:1", "tbreak add", "run", "kill"], program, 1)
    assert said[3].count("is pending still") == 2 and f"{tmp_path}/other.cl is not the text of any program that was compiled so far.\n" in said[3], said[3]
    assert "nowhere.cl is neither the name of a program that was compiled so far nor a file here.\n" in said[3]
    said = said_by([f"break {tmp_path}/whole.cl:99", f"break {tmp_path}/whole.cl:8", "break program-1.cl:99", "run", "kill"], program, 1)
    assert said[3].count("is pending still") == 2, said[3]
    assert f"program-1.cl, which has the text of {tmp_path}/whole.cl, has no code at this line or after it.\n" in said[3], said[3]
    assert "Breakpoint 3 (program-1.cl:99) is pending still: program-1.cl has no code at this line or after it.\n" in said[3], said[3]


TEXT = """kernel void k(global int *out, int n, local int *tmp)
{
    local int part[16];
    int i = get_global_id(0);
    int m = i * 2 + n;
    float4 v = (float4)(m, 1, 2, 3);
    part[get_local_id(0)] = m;
    tmp[get_local_id(0)] = m + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    v.y += part[0];
    out[i] = m + (int)v.y + part[3] + tmp[1];
}
"""
HOST = """#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    static char text[4096];
    const char *t = text;
    FILE *f = fopen(argv[1], "r");
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    cl_platform_id platform;
    cl_device_id device;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL);
    cl_context c = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue q = clCreateCommandQueueWithProperties(c, device, NULL, NULL);
    cl_program p = clCreateProgramWithSource(c, 1, &t, NULL, NULL);
    clBuildProgram(p, 1, &device, "", NULL, NULL);
    cl_kernel k = clCreateKernel(p, "k", NULL);
    cl_mem b = clCreateBuffer(c, CL_MEM_READ_WRITE, 256, NULL, NULL);
    int n = 5, out[64];
    size_t grid = 64, group = 16;
    clSetKernelArg(k, 0, sizeof b, &b);
    clSetKernelArg(k, 1, 4, &n);
    clSetKernelArg(k, 2, 64, NULL);
    clEnqueueNDRangeKernel(q, k, 1, NULL, &grid, &group, 0, NULL, NULL);
    clEnqueueReadBuffer(q, b, 1, 0, sizeof out, out, 0, NULL, NULL);
    printf("%d %d\\n", out[0], out[63]);
    return argc != 2;
}
"""


def test_vectors_and_local_arrays_by_opencls_names(tmp_path):
    """In a condition that is evaluated when the code is loaded, in values of each channel, in an assignment and a watchpoint."""
    (tmp_path / "host.c").write_text(HOST)
    (tmp_path / "t.cl").write_text(TEXT)
    said = said_by([f"break {tmp_path}/t.cl:10 if part[3] > 90 && v.s0 > 115", "run", "print part", "print part[3]@*", "print v.s0@*", "print v.xy", "print v.hi",
                    "ptype v", "set var v.s1 = 7", "print v", "watch v.y", "delete 1", "continue", "print tmp[1]", "kill"],
                   build(tmp_path / "host.c", tmp_path), tmp_path / "t.cl")
    # Group 3 has the work-items 48 to 63; m is 2 * i + 5, and 117 in the first channel of the group's second thread.
    assert "group (3,0,0)" in said[1] and "at program-1.cl:10\n" in said[1], said[1]
    assert [text.split(" = ")[1].strip() for text in said[2:8]] == [
        "{" + ", ".join(str(2 * i + 5) for i in range(48, 64)) + "}", "107 in all 8 channels", "117, 119 .. 131, step +2, in channels 0..7", "{117, 1}",
        "{2, 3}", "float4"]
    assert said[9].endswith("= {117, 7, 2, 3}\n") and "Old value = 7\nNew value = 108\n" in said[12] and said[13].endswith("= 104\n"), said[9:]


def test_values_of_each_channel(program):
    said = said_by(["tbreak program-1.cl:12", "run", "print i", "print i@*", "print sum", "print a[i] + 2 * b[i] == sum", "info registers ce",
                    "info dispatches", "print c[i]", "continue", "x/i add", "list twice"], program, 1)
    assert "Temporary breakpoint 1, add (" in said[1] and "program-1.cl:12\n12\t    c[i] = sum;\n" in said[1]
    i = int(said[2].split("= ")[1])
    group = [int(n) for n in re.search(r"group \((\d),(\d),0\)", said[1]).groups()]
    # Two threads of eight channels: a group is eight wide and two high.
    assert i in (8 * group[0] + 32 * group[1], 8 * group[0] + 32 * group[1] + 16)
    assert said[3] == f"$2 = {i}, {i + 1} .. {i + 7}, step +1, in channels 0..7\n" or str(i + 7) in said[3]
    assert said[4] == f"$3 = {21 * i}\n"
    assert said[5] == "$4 = 1\n" and re.search(r"^ce +0xff ", said[6]) and said[7].startswith("* dispatch 1  add  grid of (")
    assert said[9].endswith("round 0: -315 0 -1008\n" + END)
    # The kernel can be looked at after the end.
    assert re.match(r"   0x[0-9a-f]+ <add>:\t +mov ", said[10]) and "3\t    return 2 * x;" in said[11]


def test_several_programs_kernels_and_queues(program):
    """Each kernel is a module of its own, and comes when it is first launched; the program's status is told."""
    status, said = status_of(["break turn", "break negate", "info breakpoints", "run", "info sharedlibrary", "delete 1", "continue", "delete", "info breakpoints",
                    "continue"], program, 2, 3)
    assert status == 3
    assert re.search(r"^1 .*<PENDING> +turn\n2 .*<PENDING> +negate$", said[2], re.M), said[2]
    assert re.search(r"^\[device 0, dispatch 2, ", said[3], re.M) and "Breakpoint 1, turn (" in said[3]
    assert "at program-3.cl:3\n3\t    int i = get_global_id(0), here = get_local_id(0);\n" in said[3]
    assert re.findall(r"^0x\w+ +0x\w+ +(\w+)$", said[4], re.M) == ["add", "turn"]
    assert re.search(r"^\[device 0, dispatch 3, ", said[6], re.M) and "Breakpoint 2, negate (" in said[6] and "program-2.cl:17\n" in said[6]
    assert said[9] == "Continuing.\n" + ROUNDS + "[Program exited with code 03]\n"


@pytest.mark.full
def test_programs_of_pyopencl_are_compiled_in_each_session(tmp_path, monkeypatch):
    """Their binaries would be kept otherwise, for sessions that have no source text, and for runs without a debugger."""
    script = tmp_path / "script.py"
    script.write_text("import pyopencl as cl\ncontext = cl.create_some_context(False)\nqueue = cl.CommandQueue(context)\n"
                      "program = cl.Program(context, 'kernel void k(global int *a)\\n{\\n    a[0] = 1;\\n}\\n').build()\n"
                      "program.k(queue, (8,), None, cl.Buffer(context, 0, 64))\nqueue.finish()\n")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for _ in range(2):
        said = said_by(["break k", "run", "kill"], "/usr/bin/python3", script)
        assert "\n3\t    a[0] = 1;\n" in said[1], said


def test_why_a_thread_waits(program):
    """A thread is at the barrier of its group of two while the other one stops at the breakpoint."""
    again = ["continue", "info waves", "info barriers"] * 4
    said = said_by(["break program-3.cl:5", "run", "info barriers", *again, "kill"], program, 1)
    assert said[2] == "Nothing waits at a barrier.\n"
    stops = [(re.findall(r"^[* ] device 0, dispatch (\d+), group (\S+), core (\d+), thread (\d+)  .* \(waits: wait: 1 of 2 threads have signalled the barrier\)$",
                        waves, re.M), barriers)
             for waves, barriers in zip(said[4::3], said[5::3])]
    assert any(waits for waits, _ in stops), said
    for waits, barriers in stops:
        told = "".join(f"device 0, dispatch {dispatch}, group {group}, core {core}, thread {thread}: barrier 0, 1 of 2 are there\n"
                       for dispatch, group, core, thread in waits)
        assert barriers == (told or "Nothing waits at a barrier.\n")


def test_callers_have_frames_and_variables(program):
    """`next` goes over a call, `finish` out of one; a caller's variables are those of its own frame, in each channel."""
    said = said_by(["break twice if x == 370", "run", "backtrace", "up", "print i", "print i@*", "print a[i]", "down", "finish", "next",
                    "print sum", "delete", "tbreak turn", "continue", "kill"], program, 1)
    assert re.search(r"^#0  twice \(x=370\) at program-1.cl:3\n"
                     r"#1  0x[0-9a-f]+ in add \(a=0x[0-9a-f]+, b=0x[0-9a-f]+, c=0x[0-9a-f]+, round=0\) at program-1.cl:9\n$", said[2]), said[2]
    assert said[4] == "$1 = 37\n" and said[5] == "$2 = 32, 33 .. 39, step +1, in channels 0..7\n" and said[6] == "$3 = 37\n"
    assert said[8].startswith("Run till exit from #0  twice (x=370)") and " in add (" in said[8]
    assert said[9].startswith("10\t") and said[10] == "$4 = 777\n"
    assert "Temporary breakpoint 2, turn (" in said[13]


def test_next_goes_over_a_call(program):
    said = said_by(["tbreak program-1.cl:9", "run", "next", "backtrace", "kill"], program, 1)
    assert "Temporary breakpoint 1, add (" in said[1] and said[2].startswith("10\t") and said[3].startswith("#0  add (")


DEEP = """int leaf(int x, int y)
{
    int s = x + y;
    return s;
}
int middle(int x)
{
    int a = leaf(x, 1);
    int b = leaf(a, 2);
    return a * b;
}
int top(int x)
{
    int m = middle(x + 1);
    return m - middle(x);
}
kernel void deep(global int *o)
{
    int i = get_global_id(0);
    o[i] = top(i);
}
"""


def test_calls_in_calls(tmp_path):
    text = "".join(f'"{line}\\n"\n' for line in DEEP.splitlines())
    (tmp_path / "deep.c").write_text(f"""#include "{ROOT}/examples/opencl/common.h"
static const char source[] = {text};
int main(void)
{{
    int o[32];
    open_device();
    cl_kernel kernel = build(source, "deep");
    cl_mem memory = buffer(sizeof o, NULL);
    check(clSetKernelArg(kernel, 0, sizeof memory, &memory), "argument");
    check(run(kernel, 32), "run");
    check(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof o, o, 0, NULL, NULL), "read");
    printf("%d %d\\n", o[1], o[9]);
    return 0;
}}
""")
    said = said_by(["break leaf if x == 10", "run", "backtrace", "frame 2", "print x", "frame 3", "print i", "frame 1", "delete", "finish",
                    "continue"], build(tmp_path / "deep.c", tmp_path))
    assert re.sub(r"0x[0-9a-f]+", "ADDRESS", said[2]) == """#0  leaf (x=10, y=1) at program-1.cl:3
#1  ADDRESS in middle (x=10) at program-1.cl:8
#2  ADDRESS in top (x=9) at program-1.cl:14
#3  ADDRESS in deep (o=ADDRESS) at program-1.cl:20
"""
    assert said[4] == "$1 = 9\n" and said[6] == "$2 = 9\n" and " in top (x=9) at program-1.cl:14" in said[9]
    value = [(x + 2) * (x + 4) - (x + 1) * (x + 3) for x in (1, 9)]
    assert said[10] == f"Continuing.\n{value[0]} {value[1]}\n{END}"


def test_watchpoints_of_buffers_and_local_memory(program):
    """A watchpoint stops the channel that changes the value, in each kernel of the program."""
    said = said_by(["tbreak add", "run", "watch c[37]", "continue", "print i", "continue", "continue", "continue"], program, 1)
    changes = [re.search(r"Hardware watchpoint 2: c\[37\]\n\nOld value = (-?\d+)\nNew value = (-?\d+)\n(\w+) \(", text).groups()
               for text in (said[3], said[5], said[6])]
    # turn mirrors 16 elements: c[37] becomes c[42].
    assert [(new, kernel) for old, new, kernel in changes] == [("777", "add"), ("882", "turn"), ("-882", "negate")]
    assert [old for old, new, kernel in changes][1:] == ["777", "882"]
    assert said[4] == "$1 = 37\n" and "channel 5;" in said[3] and said[7].endswith("[Program exited normally]\n")
    said = said_by(["break program-3.cl:4 if here == 3", "run", "rwatch part[12]", "delete 1", "continue", "print here", "kill"], program, 1)
    assert "watchpoint 2: part[12]\n" in said[4] and said[5] == "$1 = 3\n"


SAME = """kernel void k(volatile global int *o, int n, local int *tmp)
{
    int i = get_global_id(0);
    o[i] = 7;
    if (i == 3) {
        o[0] = n;
        o[3] = n + 2;
        o[3] = n + 4;
    }
}
"""


def test_a_write_of_the_same_value_changes_nothing(tmp_path):
    """As in GDB: `watch` passes it, and writes beside the value; `awatch` stops at it."""
    (tmp_path / "host.c").write_text(HOST)
    (tmp_path / "t.cl").write_text(SAME)
    program = build(tmp_path / "host.c", tmp_path)
    said = said_by(["break program-1.cl:6", "run", "watch o[3]", "continue", "continue"], program, tmp_path / "t.cl")
    assert "Old value = 7\nNew value = 9\n" in said[3] and "Program exited" in said[4], said
    said = said_by(["break program-1.cl:6", "run", "awatch o[3]", "continue", "continue", "continue"], program, tmp_path / "t.cl")
    assert "Value = 7\n" in said[3] and "Old value = 7\nNew value = 9\n" in said[4] and "Program exited" in said[5], said


GROUPS = 40


@pytest.fixture(scope="module")
def readers(tmp_path_factory):
    """A program whose kernel has a thread of eight channels in each group."""
    groups, tmp_path = GROUPS, tmp_path_factory.mktemp("readers")
    (tmp_path / "readers.c").write_text(f"""#include "{ROOT}/examples/opencl/common.h"
static const char source[] = "kernel void readers(global const int *in, global int *out)\\n"
                             "{{\\n"
                             "    out[get_global_id(0)] = in[0] + (int)get_group_id(0);\\n"
                             "}}\\n";
int main(void)
{{
    enum {{ GROUPS = {groups}, LANES = 8 }};
    const size_t all = GROUPS * LANES, group = LANES;
    int seven = 7, out[GROUPS * LANES], sum = 0;
    open_device();
    cl_kernel kernel = build(source, "readers");
    cl_mem memory[] = {{buffer(sizeof seven, &seven), buffer(sizeof out, NULL)}};
    for (unsigned i = 0; i < 2; i++)
        check(clSetKernelArg(kernel, i, sizeof memory[i], &memory[i]), "argument");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &all, &group, 0, NULL, NULL), "run");
    check(clEnqueueReadBuffer(queue, memory[1], CL_TRUE, 0, sizeof out, out, 0, NULL, NULL), "read");
    for (int i = 0; i < GROUPS * LANES; i++)
        sum += out[i];
    printf("sum %d\\n", sum);
    return 0;
}}
""")
    return build(tmp_path / "readers.c", tmp_path)


def test_each_of_the_threads_that_access_watched_memory_at_once_is_told(readers):
    """Threads of all subslices are let go one subslice after the other: several stop before the debugger asks for one."""
    groups = GROUPS
    said = said_by(["tbreak readers", "run", "rwatch in[0]", *["continue"] * (groups + 1)], readers)
    stops = [re.search(r"group \((\d+),0,0\).*\n\nHardware read watchpoint 2: in\[0\]\n\nValue = 7\n", text) for text in said[3:3 + groups]]
    assert all(stops) and sorted(int(stop[1]) for stop in stops) == list(range(groups)), said
    assert f"sum {8 * sum(7 + group for group in range(groups))}\n" in said[3 + groups] and said[3 + groups].endswith(END)


def test_shared_local_memory(program):
    said = said_by(["break program-3.cl:6 if here == 3", "run", "print part[here]", "print part[here]@*", "set var part[3] = 777",
                    "print part[3]", "kill"], program, 1)
    # c[i] is 21 * i before.
    assert said[2] == "$1 = 63\n" and said[3] == "$2 = 0, 21 .. 147, step +21, in channels 0..7\n" and said[5] == "$3 = 777\n"


def test_values_that_the_user_writes(program):
    said = said_by(["tbreak program-1.cl:12 if i == 0", "run", "print sum = 1000", "print sum", "set var c[63] = 5", "print c[63]", "delete",
                    "continue"], program, 1)
    assert said[2] == "$1 = 1000\n" and said[3] == "$2 = 1000\n" and said[5] == "$3 = 5\n"
    # turn brings c[0] of its group to c[15].
    assert said[7].endswith("round 0: -315 -1000 -1008\n" + END)


AT = "$pc + 16"     # the second instruction of a line


@pytest.fixture(scope="module")
def vadd(tmp_path_factory):
    return build(ROOT / "examples" / "opencl" / "vadd.c", tmp_path_factory.mktemp("vadd"))


RIGHT = "0 of 1000 sums are wrong\n" + END


def test_an_access_of_no_memory_stops_at_its_instruction(tmp_path):
    """The channel, the line and the variables are there; when the program goes on, it learns of the mistake."""
    text = (ROOT / "examples" / "opencl" / "stray.c").read_text().replace("by = 4;", "by = 1 << 28;")
    (tmp_path / "stray.c").write_text(text.replace('"common.h"', f'"{ROOT}/examples/opencl/common.h"'))
    status, said = status_of(["catch access", "catch illegal", "run", "print by", "info lanes", "continue"], build(tmp_path / "stray.c", tmp_path))
    assert status == 1
    assert "\nCatchpoint 1: Program stopped by a fault: sends 0x" in said[2] and "no memory is mapped there" in said[2], said[2]
    assert " in stray (out=0x" in said[2] and "at program-1.cl:3\n3\t    out[get_global_id(0) + by] = -1;\n" in said[2]
    assert said[3] == f"$1 = {1 << 28}\n" and re.search(r"^\* 0\.\.7 .*<stray\+\d+> at program-1.cl:3$", said[4], re.M), said[4]
    assert "the program's memory is as it was\nkernel: error -5\n" in said[5] and "[Program exited with code 01]" in said[5], said[5]


def test_memory_that_the_program_gives_back_under_a_kernel_stops_the_kernel(tmp_path):
    """At the store, or where stores become visible to the program. The variables are there; when the program goes on, it learns of the mistake."""
    program = build(ROOT / "tests" / "host" / "opencl_unmap.c", tmp_path)
    status, said = status_of(["run", "print writes", "print i@*", "continue"], program, "munmap", "write")
    assert status == 0 and re.search(r"\nProgram stopped by a fault: the program has given back the memory at 0x[0-9a-f]+, which the kernel "
                                     r"uses\n(?:  .*\n)+(0x[0-9a-f]+ in )?uses \(data=0x[0-9a-f]+, state=0x[0-9a-f]+, writes=1\) at program-1.cl:[4-9]\n", said[0]), said
    assert said[1] == "$1 = 1\n" and "step +1, in channels 0..7" in said[2] and "the program goes on: -" in said[3], said


@pytest.mark.parametrize("how", ["read", "write"])
def test_travel_to_and_from_the_moment_when_memory_has_gone(tmp_path, how):
    """With breakpoints, which are planted on the way: back, forwards to the fault again, and on to the program's end."""
    program = build(ROOT / "tests" / "host" / "opencl_unmap.c", tmp_path)
    line = 6 if how == "write" else 8
    status, said = status_of(["break program-1.cl:9 if round == 100000", "run", "info time", "reverse-stepi", "reverse-stepi", "continue", "info time",
                              f"tbreak program-1.cl:{line}", "reverse-continue", "goto start", "continue", "info time", "delete", "continue"], program, "munmap", how)
    assert status == 0 and all("\nProgram stopped by a fault: the program has given back the memory at 0x" in said[i] for i in (1, 5)), said
    assert said[2] == said[6] == said[11], said
    assert "the program goes on: -" in said[13] and said[13].endswith(END), said


def plant(text, folder):
    """Puts an instruction in the place of the one after the next."""
    code = struct.unpack("<4I", iga.assemble(text + "\n", folder))
    return [f"set var *(unsigned *)({AT} + {4 * i}) = {word:#x}" for i, word in enumerate(code)]


@pytest.mark.parametrize("enabled", [False, True])
def test_an_illegal_instruction_that_the_user_mends(vadd, tmp_path, enabled):
    """The first byte is the opcode. With cr0.1 bit 12 it is an exception, else a mistake: both stop before the instruction, which is then tried
    again."""
    # The comparison in whose place it comes sets f0.0, too.
    enable = plant("or (1) (ne)f0.0 cr0.1<1>:ud cr0.1<0;1,0>:ud 0x1000:ud {Switch}", tmp_path) if enabled else ["print 0"] * 4
    said = said_by(["tbreak vadd", "run", *enable, f"set $opcode = *(unsigned char *)({AT} + 16)", f"set var *(unsigned char *)({AT} + 16) = 0",
                    "catch illegal", "continue", "x/i $pc", "set var *(unsigned char *)$pc = $opcode", "delete", "print $cr0[1]",
                    "continue"], vadd)
    why = "illegal instruction at 0x[0-9a-f]+ .cr0.1 bit 28" if enabled else r"illegal instruction \(illegal\)"
    assert re.search(rf"\nCatchpoint 2: Program stopped by a fault: {why}", said[9]), said[9]
    assert said[10].rstrip().endswith("illegal") and said[-1].endswith(RIGHT), said


EXCEPTIONS = {"software": ("0x2000", "or (1) cr0.1<1>:ud cr0.1<0;1,0>:ud 0x20000000:ud {Switch}", "software exception"),
              "stack": ("0x800", "mov (1) sp.0<1>:ud 64:ud", "the stack's top (sp.0) would be beyond its limit (sp.1)")}


@pytest.mark.parametrize("name", EXCEPTIONS)
def test_exceptions_of_host_programs_are_caught_by_name(vadd, tmp_path, name):
    control, instruction, words = EXCEPTIONS[name]
    said = said_by(["tbreak vadd", "run", *plant(instruction, tmp_path), f"set var $cr0[1] = {control}", "catch illegal", f"catch {name}", "continue"], vadd)
    assert f"Catchpoint 3: Program stopped by a fault: {words}" in said[-1], said
    assert " at program-1.cl:3\n" in said[-1], said


def test_exceptions_of_threads_that_raise_them_at_once_are_each_told(readers, tmp_path):
    """Each thread enables software exceptions and raises one; none is lost while the debugger lets another thread go."""
    code = iga.assemble("or (1) cr0.1<1>:ud cr0.1<0;1,0>:ud 0x2000:ud {Switch}\nor (1) cr0.1<1>:ud cr0.1<0;1,0>:ud 0x20000000:ud {Switch}\n",
                        tmp_path)
    planted = [f"set var *(unsigned *)({AT} + {4 * i}) = {word:#x}" for i, word in enumerate(struct.unpack("<8I", code))]
    said = said_by(["tbreak readers", "run", *planted, "catch software", *["continue"] * (GROUPS + 1)], readers)[2 + len(planted) + 1:]
    stops = [re.search(r"group \((\d+),0,0\).*\n\nCatchpoint 2: Program stopped by a fault: software exception", text) for text in said[:GROUPS]]
    assert all(stops) and sorted(int(stop[1]) for stop in stops) == list(range(GROUPS)), said
    assert "sum " in said[GROUPS] and said[GROUPS].endswith(END), said


def test_instructions(program):
    said = said_by(["tbreak add", "run", "print/x $pc", "stepi", "print/x $pc", "x/i $pc", "print/x $cr0", "kill"], program, 1)
    before, after = (int(said[i].split("= ")[1], 16) for i in (2, 4))
    assert after == before + 16
    assert re.match(rf"=> 0x{after:x} <add\+\d+>:\t", said[5])
    aip = re.match(r"\$3 = \{0x8[0-9a-f]+, 0x[0-9a-f]+, 0x([0-9a-f]+), 0x0\}", said[6])
    assert int(aip[1], 16) & 0xffff == after & 0xffff


def test_catch_the_end_of_dispatches(program):
    """Each launch of a round once, when one thread is left, which is at its last instruction."""
    said = said_by(["catch dispatch end", "run", *["info waves", "x/i $pc", "continue"] * 3], program, 1)
    for n, kernel in enumerate(["add", "turn", "negate"]):
        stop, waves, last = said[1 + 3 * n:4 + 3 * n]
        assert re.search(rf"^Catchpoint 1 \(dispatch end\), 0x\w+ in {kernel} \(", stop, re.M), stop
        assert len(waves.splitlines()) == 1 and "{EOT}" in last, waves + last
    assert said[-1].endswith(END), said[-1]


def test_a_program_that_ends_before_its_kernels(program, tmp_path):
    source = tmp_path / "none.c"
    source.write_text("int main(void) { return 7; }\n")
    subprocess.run(["gcc", "-o", tmp_path / "none", source], check=True)
    assert status_of(["run"], tmp_path / "none") == (7, [f"Starting program: {tmp_path / 'none'}\n[Program exited with code 07]\n"])


def test_a_program_that_runs_is_attached_to(tmp_path):
    """Its kernels were compiled without a debugger: they have names and instructions. It goes on when the debugger goes."""
    long = build(ROOT / "tests" / "host" / "opencl_long.c", tmp_path)
    with Running(program=long, options=GEN9) as run:
        pid = run.process.pid
        listed = subprocess.run([WAVETRAP, "ps"], capture_output=True, text=True, check=True, env=environment()).stdout
        assert re.search(rf"^ *{pid} +1  .*opencl_long$", listed, re.M), listed
        said = ask(["info sharedlibrary", "x/i $pc", "stepi", "info threads", "detach"], options=[f"--pid={pid}", *GEN9])
        unrecorded = "nothing is recorded now: a recording begins with a kernel, and ends with the last one that runs"
        other = debug(["info time"], options=[f"--pid={pid}", *GEN9])
        assert other.returncode == 0, other.stderr
        assert re.search(rf"^No time travel yet: {unrecorded}\.\n=-=-=\nIssue time \d+; {unrecorded}\.$", other.stdout, re.M), other.stdout
        run.end()
    name = re.search(r"^0x\w+ +0x\w+ +(\w+)$", said[0], re.M)[1]
    assert re.match(rf"=> 0x[0-9a-f]+ <{name}(\+\d+)?>:\t", said[1]), said[1]


def test_the_tutorial_for_host_programs_is_true(tmp_path):
    """Addresses of buffers are other ones each time."""
    page = (ROOT / "docs" / "opencl-debug.md").read_text().split("## A host program")[1]
    make, session = [line.removeprefix("$ ").replace("/tmp", str(tmp_path)) for line in page.splitlines() if line.startswith("$ ")]
    subprocess.run(make.split(), check=True, cwd=ROOT, capture_output=True)
    assert session == f"wavetrap debug -g gen9 {tmp_path}/vadd"
    text = "".join(re.findall(r"^```console\n(?:\$[^\n]*\n)*(.*?)^```$", page, re.M | re.S))
    parts = re.split(r"^\(wavetrap\) (.*)\n", text, flags=re.M)
    commands, wanted = parts[1::2], parts[2::2]
    status, said = status_of(commands, tmp_path / "vadd")
    assert status == 1 and len(commands) == 14

    def plain(lines):
        return [re.sub(r"0x[0-9a-f]+", "0x...", line).replace(str(tmp_path), "/tmp") for line in lines]

    assert list(zip(commands, plain(said))) == list(zip(commands, plain(wanted)))


# ---- several GPUs ----

BOTH = r"""
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
static const char ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry set(.param .u64 p)\n{\n"
                          ".reg .b64 %rd<2>;\n.reg .b32 %r<2>;\nld.param.u64 %rd0, [p];\nmov.u32 %r0, 42;\n"
                          "st.global.u32 [%rd0], %r0;\nret;\n}\n";
int main(void)
{
    const char *source = "kernel void one(global int *o) { o[0] = 7; }";
    const size_t one = 1;
    cl_platform_id platform;
    cl_device_id device;
    int o = 0;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "one", NULL);
    cl_mem memory = clCreateBuffer(context, 0, sizeof o, NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof memory, &memory);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof o, &o, 0, NULL, NULL);
    printf("OpenCL %d\n", o);
    fflush(stdout);
    void *library = dlopen("libcuda.so.1", RTLD_NOW), *cuda, *module, *function;
    unsigned long long out;
    void *arguments[] = {&out};
    int number;
#define F(name) int (*name)() = (int (*)())dlsym(library, #name)
    F(cuInit);
    F(cuDeviceGet);
    F(cuCtxCreate_v2);
    F(cuModuleLoadData);
    F(cuModuleGetFunction);
    F(cuMemAlloc_v2);
    F(cuLaunchKernel);
    F(cuMemcpyDtoH_v2);
    cuInit(0);
    cuDeviceGet(&number, 0);
    cuCtxCreate_v2(&cuda, 0, number);
    cuModuleLoadData(&module, ptx);
    cuModuleGetFunction(&function, module, "set");
    cuMemAlloc_v2(&out, (size_t)4);
    cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL);
    cuMemcpyDtoH_v2(&o, out, sizeof o);
    printf("CUDA %d\n", o);
    return 0;
}
"""

TWO = ["-g", "gen9:subslices=2", "-g", "gen9"]


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    return build(ROOT / "tests" / "host" / "opencl_two.c", tmp_path_factory.mktemp("two"))


FILLED = "round {}: {} {}, {} {}\n"


def filled(number):
    """What the program prints of a round: base + steps[i % 4] + 1 for i = 0 and 3, of each device."""
    return FILLED.format(number, *(100000 * device + 10000 * number + step + 1 for device in (0, 1) for step in (1, 1000)))


def test_two_gpus_are_one_session(two):
    """The breakpoint holds for the code of both, which lies at the same address of two memories; stops and lists name the device."""
    said = ask(["break fill", "run", "info devices", "info threads", *["continue"] * 32], two, options=TWO)
    assert re.findall(r"^([* ]) (\d)  gen9 \(intelgt\): (\d) cores of 56 threads", said[2], re.M) in (
        [("*", "0", "2"), (" ", "1", "3")], [(" ", "0", "2"), ("*", "1", "3")])
    assert re.search(r"^\* \d+ +device [01], dispatch \d+, group \(\d+,0,0\), core \d, thread \d, channel 0 ", said[3], re.M), said[3]
    stops = re.findall(r"^\[device (\d), dispatch (\d), .* core (\d),.*\n\nBreakpoint 1, fill \(o=0x\w+, base=(\d+)\)", "".join(said), re.M)
    assert len(stops) == 32 and {device for device, *_ in stops} == {"0", "1"}, said
    for device, _, core, base in stops:
        assert (int(core) >= 2) == (device == "1") == (int(base) >= 100000), stops
    assert len({dispatch for _, dispatch, *_ in stops}) == 4
    assert said[-1].endswith(filled(1) + END) and filled(0) in "".join(said)


@pytest.mark.full
def test_each_gpu_has_its_own_memory_and_watchpoints(two):
    """Frames, constants and buffers are those of the thread's GPU; a watchpoint of one of its buffers stops its threads."""
    said = ask(["break fill if base >= 100000", "run", "print steps[2]", "x/i $pc", "print (long)$pc >> 52", "print o", "delete", "watch o[5]", "continue",
                "bt", "tbreak more", "delete 2", "continue", "finish", "continue", "x/2dw $3", "info sharedlibrary", "x/i fill"], two, options=TWO)
    assert re.search(r"^\[device 1, ", said[1], re.M) and said[2].endswith("= 100\n") and " <fill+" in said[3] and said[4].endswith("= 2\n")
    assert re.search(r"^\[device 1, .* channel 5;", said[8], re.M) and "New value = 100011\n" in said[8] and "#0  fill (" in said[9]
    assert "more. (2 locations)" in said[10] or "Temporary breakpoint 3" in said[10]
    x = re.search(r"Temporary breakpoint 3, more \(x=(\d+)\)", said[12])[1]
    assert re.search(rf"Run till exit from #0  more \(x={x}\).*\n.* in fill \(", said[13]), said[13]
    assert said[14].endswith(filled(1) + END)
    # After the end, too: the second GPU's buffer, and both kernels.
    out = said[5].split("0x")[1].strip()
    assert re.match(rf"0x0*{out}( <.*>)?:\t110002\t110011$", said[15]), said[15]
    assert len(re.findall(r"^0x00[12]08001\w+ +0x\w+ +fill$", said[16], re.M)) == 2 and " <fill>:\t" in said[17], said[16:]


def test_a_mistake_on_the_second_gpu(two):
    """It stops its thread; the first GPU's results are right."""
    said = ask(["run", "print o", "continue"], two, "stray", options=TWO)
    assert "Program stopped by a fault: " in said[0] and re.search(r"^\[device 1, ", said[0], re.M), said[0]
    assert re.search(r"^round 0: 2 1001, ", said[2], re.M), said


@pytest.mark.full
def test_the_second_gpu_goes_on_when_its_debugger_goes(two):
    """Its breakpoints are lifted."""
    done = debug(["break fill if base >= 100000", "run", "detach"], two, options=TWO)
    assert done.returncode == 0 and done.stdout.count("[device 1, ") == 1, done.stdout


@pytest.mark.full
def test_a_core_file_of_the_second_gpu(two, tmp_path):
    core = tmp_path / "core"
    ask(["break fill if base >= 100000", "run", f"generate-core-file {core}", "delete", "continue"], two, options=TWO)
    said = ask(["bt", "print base", "info sharedlibrary"], options=[f"--core={core}"])
    assert said[0].startswith("#0  fill (") and said[1] == "$1 = 100000\n" and said[2].count("fill") == 1, said


@pytest.mark.full
def test_nine_gpus_are_too_many(two):
    done = subprocess.run([WAVETRAP, "exec", *["--gpu=gen9"] * 9, two], capture_output=True, text=True, timeout=60, env=environment())
    assert (done.stdout, done.returncode) == (filled(0) + filled(1), 0)
    assert done.stderr == "wavetrap: a program has at most 8 gen9 GPUs: the rest is left out\n"


@pytest.mark.parametrize("gpus", [["gen9", "gfx900"], ["gfx900", "gen9"]])
def test_a_gpu_of_another_family_beside_it(program, gpus):
    """The program uses the one of its runtime."""
    said = ask(["break add", "run 1", "info devices", "delete", "continue"], program, options=[f"--gpu={gpu}" for gpu in gpus])
    assert "Breakpoint 1, add (" in said[1] and re.fullmatch(r"\* 0  gen9 .*\n", said[2]), said[2]
    assert said[-1].endswith("round 0: -315 0 -1008\n" + END)


def test_a_program_with_gpus_of_two_families(tmp_path):
    """Kernels of the family that is not debugged do not wait for a debugger: here the CUDA ones, after those of OpenCL."""
    (tmp_path / "both.c").write_text(BOTH)
    subprocess.run(["gcc", "-o", tmp_path / "both", tmp_path / "both.c", f"-I{ROOT}/include", "-lOpenCL", "-ldl"], check=True)
    said = ask(["break one", "run", "info devices", "continue"], tmp_path / "both", options=["-g", "gen9", "-g", "sm"])
    assert "Breakpoint 1, one (" in said[1] and re.match(r"\* 0  gen9 ", said[2])
    assert re.fullmatch(r"Continuing\.\nOpenCL 7\n\[The program uses sm GPUs, too, whose kernels run without the debugger of gen9: "
                        r"'wavetrap debug -g sm --pid=\d+' debugs them\.\]\nCUDA 42\n" + re.escape(END), said[3]), said[3]


def test_kernels_wait_although_somebody_has_looked_in(program):
    """A connection on which nothing is said, as the debugger makes it to see whether the program is there, does not let them run."""
    with tempfile.TemporaryDirectory() as folder:
        environ = {**environment(), "WAVETRAP_SOCKETS": folder}
        process = subprocess.Popen([WAVETRAP, "exec", *GEN9, program], stdout=subprocess.PIPE, env={**environ, "WAVETRAP_HELD": "1"})
        try:
            end = time.monotonic() + 60
            while not (sockets := list(Path(folder).glob("*.gen9"))) and process.poll() is None and time.monotonic() < end:
                pass
            with socket.socket(socket.AF_UNIX) as look:
                while look.connect_ex(str(sockets[0])) and time.monotonic() < end:
                    pass  # its name is there a moment before somebody listens
                look.shutdown(socket.SHUT_WR)
                assert look.recv(1) == b""
            while process.poll() is None and time.monotonic() < end:
                state = subprocess.run([WAVETRAP, "gem", f"--pid={process.pid}", "--json"], capture_output=True, text=True, env=environ)
                if any(o["active"] for o in json.loads(state.stdout or '{"objects": []}')["objects"]):
                    break
            done = subprocess.run([WAVETRAP, "debug", "--nx", "--batch", "-ex", "break add", "-ex", "continue", "-ex", "delete", "-ex",
                                   "continue", *GEN9, f"--pid={process.pid}"], capture_output=True, text=True, env=environ, timeout=60)
            assert "Breakpoint 1, add (" in done.stdout, done.stdout + done.stderr
            assert process.communicate(timeout=60)[0] == b"round 0: -315 0 -1008\n"
        finally:
            process.kill()
            process.wait()
