"""`exec --catch`: the first exception of a kernel ends a program that knows nothing of exceptions, with a report."""
import pathlib
import re

import pytest

import amd
from conftest import MODEL, compiled, hip, wavetrap

pytestmark = pytest.mark.hip

SOURCE = (pathlib.Path(__file__).parent / "catch.hip").read_text().splitlines()
NAMES = ["invalid", "denormal", "float_div0", "overflow", "underflow", "inexact", "int_div0", "addr_watch", "mem_viol"]


def line_of(text):
    return next(i for i, line in enumerate(SOURCE, 1) if text in line)


def caught(names, *words):
    return wavetrap("exec", f"--catch={names}", compiled("catch.hip"), *words)


@pytest.mark.parametrize("name, instruction, function, line, lane, operands", [
    ("float_div0", "v_rcp_f32", "reciprocal", "float_div0 in lane 17", 17, r"v\d+ = 0 \(0x00000000\)"),
    ("int_div0", "v_rcp_iflag_f32", "quotient", "int_div0 in lane 33", 33, r"v\d+ = 0 \(0x00000000\)"),
    ("invalid", "v_sqrt_f32", "root", "invalid in lane 5", 5, r"v\d+ = -2\.5 \(0xc0200000\)"),
    ("overflow", "v_mul_f32", "product", "overflow or underflow", 9,
     r"v\d+ = 1\.00000002e\+30 \(0x7149f2ca\), v\d+ = 1\.00000002e\+30 \(0x7149f2ca\)"),
    ("underflow", "v_mul_f32", "product", "overflow or underflow", 62, r"v\d+ = 1e-30 \(0x0da24260\), .*"),
    ("denormal", "v_mul_f32", "product", "overflow or underflow", 63, r"v\d+ = 9\.9999461e-41 \(0x000116c2\), .*"),
    ("inexact", "v_add_f64", "doubles", "inexact in lane 40", 40, r"v\d+ = 1 \(0x3ff0000000000000\), .*"),
])
def test_the_first_exception_ends_the_program(name, instruction, function, line, lane, operands):
    lane %= amd.LANES
    done = caught(name, name)
    assert (done.returncode, done.stdout) == (123, "before\n"), done.stderr
    found = re.fullmatch(
        rf"wavetrap: {MODEL} \(node 1\): {instruction}: .*, which EXCP_EN makes an exception\n"
        rf"  device 0, dispatch \d, group \(\d,0,0\), core \d, wave \d, lane {lane}, issue time \d+\n"
        rf"  at 0x[0-9a-f]+ <{function}\(.*\)\+\d+> at (.*)\n"
        rf"  {instruction}(_e32|_e64)? .*\n"
        rf"  (.*) in lane {lane}; TRAPSTS 0x[0-9a-f]{{8}}, MODE.EXCP_EN {name}; a handler would find PCRewind [12]\n"
        rf"  operands in that lane: {operands}\n"
        rf"  of the kernel at .* <{function}.*\n", done.stderr)
    assert found, done.stderr
    assert found.group(3) == name
    if function != "quotient":  # the division's instructions have the lines of the device library
        assert found.group(1).endswith(f"catch.hip:{line_of(line)}")


@pytest.mark.parametrize("names, word", [("invalid,overflow", "float_div0"), ("all", "plain"), ("addr_watch", "plain"),
                                         ("float_div0", "int_div0")])
def test_what_is_not_caught_changes_nothing(names, word):
    done = caught(names, word)
    assert (done.returncode, done.stdout, done.stderr) == (0, "before\nafter\n", "")


def test_several_names_add_up():
    for options in (["--catch=int_div0,float_div0"], ["--catch=int_div0", "--catch=float_div0"], ["--catch=all"]):
        done = wavetrap("exec", *options, compiled("catch.hip"), "float_div0")
        assert done.returncode == 123
        enabled = ", ".join(NAMES if options == ["--catch=all"] else ["float_div0", "int_div0"])
        assert f"MODE.EXCP_EN {enabled};" in done.stderr


def test_a_memory_violation():
    done = caught("mem_viol", "wild")
    assert (done.returncode, done.stdout) == (123, "before\n")
    assert "store of 4 bytes at 0x123456000: no memory is mapped there for writing" in done.stderr
    assert "Memory access fault" not in done.stderr  # the runtime had no turn


def test_without_it_the_program_runs_on():
    done = hip(compiled("catch.hip"), "float_div0")
    assert (done.returncode, done.stdout, done.stderr) == (0, "before\nafter\n", "")


@pytest.mark.parametrize("given, said", [
    ("--catch=overflown", "'overflown' is not an exception; they are invalid, denormal, float_div0"),
    ("--catch=float_div0,", "'' is not an exception"),
    ("--catch=", "'' is not an exception"),
])
def test_an_unknown_name_is_an_error_before_anything_runs(given, said):
    done = wavetrap("exec", given, "echo", "it ran")
    assert (done.returncode, done.stdout) == (125, "")
    assert said in done.stderr


@pytest.mark.parametrize("gpu", ["gen9", "sm"])
def test_a_gpu_without_these_exceptions(gpu):
    for names in "float_div0", "mem_viol,int_div0":
        done = wavetrap("exec", f"--gpu={gpu}", f"--catch={names}", "echo", "it ran")
        assert (done.returncode, done.stdout) == (125, "")
        assert "--catch: these are exceptions of AMD's GPUs; no --gpu is one (a gen9 and an sm have mem_viol and all)" in done.stderr
