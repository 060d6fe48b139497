"""OpenCL programs that are not built from source: SPIR-V, binaries, the cache of Intel's compiler; Level Zero programs."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

from conftest import ROOT, WAVETRAP

sys.path.insert(0, str(ROOT / "tests" / "isa" / "gen"))
import iga

SCRIPT = pathlib.Path(__file__).parent / "opencl_programs.py"
SOURCE = "kernel void answer(global uint *out) { out[get_global_id(0)] = 0x12345678u + get_global_id(0); }"


def answer(first=0x12345678):
    return " ".join(hex(first + i) for i in range(40)) + "\n"


def execute(way, path="", first=0x12345678, **environment):
    return subprocess.run([WAVETRAP, "exec", "-g", "gen9", "/usr/bin/python3", SCRIPT, way, str(path), str(first)],
                          capture_output=True, text=True, timeout=180, check=False,
                          env={**os.environ, "PYOPENCL_NO_CACHE": "1", "PYTHONWARNINGS": "ignore", **environment})


def run(way, path="", first=0x12345678, **environment):
    done = execute(way, path, first, **environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def ocloc(folder, *options):
    """The text, compiled by Intel's offline compiler."""
    (folder / "answer.cl").write_text(SOURCE)
    subprocess.run(["ocloc", "compile", "-file", "answer.cl", "-device", "skl", "-output", "answer", "-output_no_suffix", "-out_dir", ".",
                    "-q", *options], cwd=folder, check=True, capture_output=True)


def test_a_program_in_spir_v(tmp_path):
    """clCreateProgramWithIL."""
    ocloc(tmp_path)
    assert (tmp_path / "answer.spv").read_bytes()[:4] == bytes.fromhex("03022307")
    assert run("il", tmp_path / "answer.spv") == answer()


def test_a_programs_binary_of_an_earlier_run(tmp_path):
    """clGetProgramInfo and clCreateProgramWithBinary. The binary is of another text than the script's."""
    assert run("save", tmp_path / "binary", 0x777) == answer(0x777)
    assert run("binary", tmp_path / "binary") == answer(0x777)


@pytest.mark.parametrize("form", [[], ["--format", "zebin"]], ids=["patch tokens", "zebin"])
def test_a_binary_of_the_offline_compiler(tmp_path, form):
    ocloc(tmp_path, *form)
    assert run("binary", tmp_path / "answer") == answer()


def test_a_stack_beyond_its_limit_is_told(tmp_path):
    """The first instruction sets sp.0 above sp.1, which is 0: the report has kernel, thread, instruction and both values."""
    ocloc(tmp_path, "--format", "zebin", "-options", "-cl-opt-disable")
    code = dict(iga.sections(tmp_path / "answer"))[".text.answer"]
    program = (tmp_path / "answer").read_bytes()
    (tmp_path / "answer").write_bytes(program.replace(code[:16], iga.assemble("mov (1|M0) sp.0<1>:ud 0x40:ud\n", tmp_path), 1))
    done = execute("binary", tmp_path / "answer")
    for part in (r"group \(0,0,0\) thread 0 channels .*the stack's top, sp\.0 = 0x40, would be beyond its limit, sp\.1 = 0x0: ",
                 r"of the kernel at 0x\w+ <answer\+0>", r"\n  mov +\(1\|M0\) +sp\.0<1>:ud "):
        assert re.search(part, done.stderr), done.stderr


def test_the_runtimes_cache_of_compiled_programs(tmp_path):
    """A later run executes what an earlier one left in the cache: with the code of another program in the place of its own it
    writes what that one writes."""
    kept = {}
    for first in (0x12345678, 0x777):
        folder = tmp_path / hex(first)
        folder.mkdir()
        for _ in range(2):
            assert run("source", first=first, cl_cache_dir=str(folder)) == answer(first)
            kept.setdefault(first, {path.name: path.read_bytes() for path in folder.iterdir()})
            assert {path.name: path.read_bytes() for path in folder.iterdir()} == kept[first]
    (own,), (other,) = kept[0x12345678].keys() - kept[0x777].keys(), kept[0x777].keys() - kept[0x12345678].keys()
    (tmp_path / "0x12345678" / own).write_bytes(kept[0x777][other])
    assert run("source", cl_cache_dir=str(tmp_path / "0x12345678")) == answer(0x777)


@pytest.fixture(scope="module")
def level_zero(tmp_path_factory):
    """The program, and its modules without and with source lines, k.spv and lines.spv, whose source is k.cl."""
    folder = tmp_path_factory.mktemp("level_zero")
    (folder / "k.cl").write_text("kernel void k(global int *a, int b)\n{\n    int i = get_global_id(0);\n    a[i] = 2 * a[i] + b;\n}\n")
    for name, options in (("k", ""), ("lines", "-g -cl-opt-disable")):
        subprocess.run(["ocloc", "compile", "-file", "k.cl", "-device", "skl", "-spv_only", "-output", name, "-output_no_suffix", "-q", "-options",
                        options], cwd=folder, check=True, capture_output=True)
    subprocess.run(["gcc", "-Wall", "-Werror", "-o", folder / "program", ROOT / "tests" / "host" / "level_zero.c", "-lze_loader"], check=True)
    return folder


def debug_level_zero(folder, module, *commands):
    done = subprocess.run([WAVETRAP, "debug", "--nx", "--batch", "-g", "gen9", "-ex", "break k", "-ex", f"run {module}",
                           *[word for command in commands for word in ("-ex", command)], "./program"], cwd=folder, capture_output=True,
                          text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_level_zero_program(level_zero):
    """Its results are those of C's arithmetic on its data."""
    done = subprocess.run([WAVETRAP, "exec", "-g", "gen9", "./program", "k.spv"], cwd=level_zero, capture_output=True, text=True, timeout=60)
    queues = [2 * (2 * i + 3) + 1 for i in (0, 1, 63)]
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == ("Intel(R) HD Graphics 530 [0x1912]\nwaits: 1\nqueues: {} {} {}\nimmediate: 5 7 131 77, time 1\n").format(*queues)
    session = debug_level_zero(level_zero, "k.spv", "x/i $pc", "delete", "continue")
    assert "\nBreakpoint 1, 0x" in session and " <k>:\t" in session, session
    assert done.stdout.split("queues")[1] in session


@pytest.mark.parametrize("module, line, intercept", [("k", "no source line is known: the program was not built with -g", "0"),
                                                     ("lines", r"at 0x[0-9a-f]+ <k\+\d+> at k.cl:4", "0"), ("lines", r"at 0x[0-9a-f]+ <k\+\d+> at k.cl:4", "1")])
def test_a_stray_access_of_a_level_zero_program(level_zero, module, line, intercept):
    """The report has the kernel's name, the size that the program asked for and, where the module has it, the source line; with handles of the
    loader's own, too."""
    done = subprocess.run([WAVETRAP, "exec", "-g", "gen9", "./program", f"{module}.spv", "stray"], cwd=level_zero, capture_output=True, text=True,
                          timeout=60, env=dict(os.environ, ZE_ENABLE_LOADER_INTERCEPT=intercept))
    assert done.returncode == 1
    assert re.search(r"^  0x[0-9a-f]+: 65336 bytes past the end of an allocation of 200 bytes at 0x[0-9a-f]+$", done.stderr, re.MULTILINE), done.stderr
    assert re.search(r"^  of the kernel at 0x[0-9a-f]+ <k(\+0)?>( at k.cl:\d)?: ", done.stderr, re.MULTILINE), done.stderr
    assert re.search(rf"^  {line}$", done.stderr, re.MULTILINE), done.stderr


def test_source_lines_of_a_level_zero_program(level_zero):
    """A module that was compiled with -g has source lines, arguments and variables in the debugger."""
    session = debug_level_zero(level_zero, "lines.spv", "delete", "next", "print i", "print b", "print a[1]")
    assert "\nBreakpoint 1, k (a=0x" in session and ", b=3) at k.cl:3\n3\t    int i = get_global_id(0);\n" in session, session
    assert session.endswith("4\t    a[i] = 2 * a[i] + b;\n$1 = 0\n$2 = 3\n$3 = 1\n"), session


def test_the_debugger_at_a_stray_access_of_a_level_zero_program(level_zero):
    """It says what exec says, at the instruction's line; so does the core file that it writes there. a[16384] is the first element of no page."""
    core = level_zero / "core"
    common = ["info fault", "backtrace", "print i", "print b"]
    words = [word for c in ["run lines.spv stray", *common, f"generate-core-file {core}"] for word in ("-ex", c)]
    live = subprocess.run([WAVETRAP, "debug", "--nx", "--batch", "-g", "gen9", *words, "./program"], cwd=level_zero, capture_output=True, text=True,
                          timeout=60)
    dead = subprocess.run([WAVETRAP, "debug", "--nx", "--batch", "--core", core, *[word for c in common for word in ("-ex", c)]], cwd=level_zero,
                          capture_output=True, text=True, timeout=60)
    for said in (live, dead):
        assert said.stdout.count("65336 bytes past the end of an allocation of 200 bytes at 0x") == 2, said.stdout + said.stderr
        assert re.search(r"^#0  0x[0-9a-f]+ in k \(a=0x[0-9a-f]+, b=(\d)\) at k\.cl:4$", said.stdout, re.M), said.stdout
    tail = [said.stdout[said.stdout.index("#0  "):].split("Saved")[0] for said in (live, dead)]
    assert tail[0] == tail[1] and "$1 = 16384\n" in tail[0]
