"""Mistakes in PTX are told by the call at which NVIDIA's driver tells them, in the program's logs: an object's own mistakes when
it is added to a linker's state (218, or 300 for what another object defines), what none defines when the linker completes (300)."""
import re

import pytest

from conftest import ROOT, wavetrap
from releases import CC
from test_cuda import compiled

HEAD = ".version 8.0\n.target sm_50\n.address_size 64\n"
KERNEL = HEAD + """.extern .func (.param .b32 r) twice(.param .b32 x);
.visible .entry k(.param .u64 to)
{
  .reg .b32 %a; .reg .b64 %t; .shared .b32 room[10];
  { .param .b32 x; .param .b32 r;
  mov.u32 %a, 21;
  st.param.b32 [x], %a;
  call (r), twice, (x);
  ld.param.b32 %a, [r]; }
  ld.param.u64 %t, [to]; st.global.u32 [%t], %a; st.shared.u32 [room], %a;
  ret;
}
"""
TWICE = HEAD + """.visible .func (.param .b32 r) twice(.param .b32 x)
{
  .reg .b32 %a;
  ld.param.b32 %a, [x]; add.u32 %a, %a, %a; st.param.b32 [r], %a;
  ret;
}
"""
OTHER_TWICE = TWICE.replace("(.param .b32 x)", "(.param .b64 x)").replace("ld.param.b32", "ld.param.b32")
SYNTAX = HEAD + ".visible .entry s()\n{\n  add.u32 %r1 %r2;\n}\n"
UNKNOWN = HEAD + ".visible .entry s()\n{\n  .reg .b32 %r;\n  foo.u32 %r;\n}\n"
WRONG_TYPE = HEAD + ".visible .entry s()\n{\n  .reg .b64 %d;\n  add.f32 %d, %d, %d;\n  ret;\n}\n"
VARIABLE = HEAD + ".extern .global .u32 v;\n.visible .entry s()\n{\n  .reg .b32 %r;\n  ld.global.u32 %r, [v];\n  ret;\n}\n"
# what nvcc -rdc=true puts into each program: calls of functions that NVIDIA's driver brings
DEVICE_RUNTIME = HEAD + """.extern .func (.param .b32 r) cnpGetLastError;
.visible .func (.param .b32 r) cudaGetLastError()
{
  .reg .b32 %a; .param .b32 q;
  call (q), cnpGetLastError; ld.param.b32 %a, [q]; st.param.b32 [r], %a;
  ret;
}
"""
POINTER = HEAD + ".extern .func f;\n.visible .global .u64 table[1] = {f};\n"


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("jit"), CC, "cuda_jit.c", f"-I{ROOT}/include")


def run(program, tmp_path, how, *texts, size=1000, verbose=False):
    paths = []
    for i, text in enumerate(texts):
        paths.append(tmp_path / f"{i}.ptx")
        paths[-1].write_text(text)
    done = wavetrap("exec", "-g", "sm", program, how, size, "verbose" if verbose else "quiet", *paths)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("behind ##") == len(re.findall("behind", done.stdout)), done.stdout
    return done


def calls(done):
    return re.findall(r"^(add|complete|load) (\d+)", done.stdout, re.M)


def test_objects_with_the_device_runtime_are_linked(program, tmp_path):
    done = run(program, tmp_path, "link", KERNEL, TWICE, DEVICE_RUNTIME)
    assert calls(done) == [("add", "0"), ("add", "0"), ("add", "0"), ("complete", "0"), ("load", "0")], done.stdout


def test_objects_are_linked(program, tmp_path):
    done = run(program, tmp_path, "link", KERNEL, TWICE)
    assert calls(done) == [("add", "0"), ("add", "0"), ("complete", "0"), ("load", "0")], done.stdout
    assert "complete 0, info 0, error 0, time taken" in done.stdout, done.stdout


@pytest.mark.parametrize("texts, results, words", [
    ([KERNEL, SYNTAX], "add 0, add 218, complete 300", "error: input 2:6:15: "),
    ([UNKNOWN], "add 218, complete 300", "error: first:7:3: there is no instruction 'foo.u32'\n  foo.u32 %r"),
    ([TWICE, WRONG_TYPE], "add 0, add 218, complete 300", "error: input 2:7:"),
    ([KERNEL], "add 0, complete 300", "error: first:11:13: the function 'twice' is declared .extern, and no module defines it\n"),
    ([VARIABLE], "add 0, complete 300", "error: first:8:22: the variable 'v' is declared .extern, and no module defines it\n"),
    ([POINTER], "add 0, complete 300", "error: first:5:35: the function 'f' is declared .extern, and no module defines it\n"),
    ([KERNEL, TWICE, TWICE], "add 0, add 0, add 300, complete 300", "error: input 3:4:32: 'twice' is defined in input 2, too\n"),
    ([KERNEL, OTHER_TWICE], "add 0, add 0, complete 300", "error: first:11:3: a call of 'twice' with other parameters than it has\n"),
], ids=["syntax", "unknown", "type", "function", "variable", "pointer", "twice", "parameters"])
def test_mistakes_of_objects(program, tmp_path, texts, results, words):
    done = run(program, tmp_path, "link", *texts)
    assert ", ".join(map(" ".join, calls(done))) == results, done.stdout
    assert words in done.stdout and done.stderr == "", done.stdout + done.stderr
    used = [int(n) for n in re.findall(r"error (\d+),", done.stdout)]
    assert used == sorted(used) and used[-1] > len(words) - 3, done.stdout


@pytest.mark.parametrize("text, words", [
    (SYNTAX, "error: PTX:6:15: "), (UNKNOWN, "error: PTX:7:3: there is no"), (WRONG_TYPE, "error: PTX:7:"),
    (KERNEL, "error: PTX:11:13: the function 'twice' is"), (VARIABLE, "error: PTX:8:22: the variable 'v' is"), (POINTER, "error: PTX:5:35: the function 'f' is"),
], ids=["syntax", "unknown", "type", "function", "variable", "pointer"])
def test_mistakes_of_a_module(program, tmp_path, text, words):
    done = run(program, tmp_path, "load", text)
    assert calls(done) == [("load", "218")] and words in done.stdout and done.stderr == "", done.stdout + done.stderr


def test_what_is_used_of_the_logs(program, tmp_path):
    """The options' values become the bytes that are used, without the null behind them; a log that is too small is cut off."""
    done = run(program, tmp_path, "load", UNKNOWN)
    lines = done.stdout.splitlines()
    assert lines[0] == f"load 218, info 0, error {len(chr(10).join(lines[1:]))}, time taken, behind ##"
    done = run(program, tmp_path, "load", UNKNOWN, size=20)
    assert done.stdout == "load 218, info 0, error 19, time taken, behind ##\nerror: PTX:7:3: the\n"
    done = run(program, tmp_path, "load", UNKNOWN, size=0)
    assert done.stdout.startswith("load 218, info 0, error 0,") and "wavetrap: libcuda: PTX:7:3: there is no" in done.stderr


def test_information_about_kernels(program, tmp_path):
    whole = KERNEL.replace(HEAD + ".extern .func (.param .b32 r) twice(.param .b32 x);\n", TWICE)
    for how, texts in (("load", [whole]), ("link", [KERNEL, TWICE])):
        done = run(program, tmp_path, how, *texts, verbose=True)
        assert "info: kernel 'k': 8 bytes of parameters, 40 of shared memory, " in done.stdout, done.stdout
        assert "kernel" not in run(program, tmp_path, how, *texts).stdout


def test_an_object_with_a_log_of_its_own(program, tmp_path):
    done = run(program, tmp_path, "link-own", UNKNOWN)
    assert "add 218, info 0, error 0" in done.stdout and "own 218, info 0, error " in done.stdout, done.stdout
    assert done.stdout.index("own 218") < done.stdout.index("first:7:3") < done.stdout.index("complete 300"), done.stdout
