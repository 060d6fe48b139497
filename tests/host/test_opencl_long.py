"""Kernels on the Gen9 that take long, or go wrong: what is said of them, as of those on a gfx900."""
import os
import pathlib
import pty
import re
import signal
import subprocess

import pytest

from conftest import ROOT, wavetrap
from test_long import LIMIT, Running, until

HERE = pathlib.Path(__file__).parent
GEN9 = ["-g", "gen9"]
LINE = rb"wavetrap: waits: 0 of 64 work-groups, [\d.]+( million)? issues a second"


def build(source, folder):
    program = folder / source.stem
    subprocess.run(["gcc", "-O1", "-o", program, source, "-lOpenCL", "-lpthread"], check=True)
    return program


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    return build(HERE / "opencl_long.c", tmp_path_factory.mktemp("long"))


def test_ctrl_c_says_where_the_threads_are(long):
    with Running(program=long, options=GEN9) as run:
        run.process.send_signal(signal.SIGINT)
        said = run.process.stderr.read().decode()  # its input stays open: the program would go on
        assert run.process.wait(LIMIT) == -signal.SIGINT
    begun = re.match(r"wavetrap: interrupted: gen9, issue time \d+: 1 kernel runs\n"
                     r"  the kernel at 0x[0-9a-f]+ <waits\+0>: 0 of 64 groups have ended, (\d+) have begun\n", said)
    assert begun, said
    places = re.findall(r"    device 0, dispatch 1, group \((\d+),0,0\), core \d, thread (\d+), channels? (\S+?)(?:, and (\d+) more threads?)?\n"
                        r"      at 0x[0-9a-f]+ <waits\+\d+>(: .*)?\n", said)
    threads = sum(1 + int(more or 0) for *_, more, _ in places)
    assert threads % int(begun[1]) == 0 and len(re.findall(r"^(?!  thread \d+ waits in cl)", said.rstrip("\n"), re.M)) == 2 + 2 * len(places), said
    # In each group one thread spins in channel 5, the others are at the barrier.
    spinning = sum(1 + int(more or 0) for *_, channels, more, wait in places if channels == "5" and not wait)
    assert spinning == int(begun[1]), said
    assert sum(1 + int(more or 0) for *_, more, wait in places if wait) == threads - spinning, said


def test_progress(long):
    with Running(program=long, options=[*GEN9, "--progress=always"]) as run:
        until(run.process.stderr.fileno(), LINE + rb"\n" + LINE + rb"\n")
        run.end()
    ours, theirs = pty.openpty()
    with Running(program=long, options=[*GEN9, "--progress"], stderr=theirs) as run:
        os.close(theirs)
        said = until(ours, rb"\r" + LINE + rb"\x1b\[K")
        assert b"\n" not in said
        run.end()
        until(ours, rb"\r\x1b\[K$")  # the line is gone in the end
    os.close(ours)


def test_no_progress_unless_it_is_wanted(long):
    with Running(program=long, options=GEN9) as quiet, Running(program=long, options=[*GEN9, "--progress=always"]) as run:
        until(run.process.stderr.fileno(), LINE + rb"\n")
        assert quiet.end() == b""
        run.end()


def test_a_fault_is_decoded(tmp_path):
    """The buffer has the size that the program asked for, not that of its pages; the kernel has its name."""
    done = wavetrap("exec", *GEN9, build(ROOT / "examples" / "opencl" / "stray.c", tmp_path))
    at = re.match(r"wavetrap: batch, .* group \(0,0,0\) thread 1 channels 28-31, instruction 0x([0-9a-f]+) of the kernel: .*\n"
                  r"  device 0, dispatch 1, group \(0,0,0\), core 0, thread 1, channels 28-31, issue time \d+\n"
                  r"  at 0x[0-9a-f]+ <stray\+(\d+)> at program-\d+\.cl:3\n"
                  r"  sends? \(.*\n  0x[0-9a-f]+: just past the end of an allocation of 256 bytes at 0x[0-9a-f]+\n"
                  r"  of the kernel at 0x[0-9a-f]+ <stray> at program-\d+\.cl:\d: SIMD32, 2 threads a group, 1 group\n", done.stderr)
    assert at and int(at[1], 16) == int(at[2]), done.stderr
    assert done.returncode != 0


LINES = """int first(global int *out, int i)
{
    out[i] = i;
    return i;
}

kernel void good(global int *out)
{
    out[get_global_id(0)] = 7;
}

kernel void bad(global int *out, int by)
{
    int i = get_global_id(0);
    if (i == 3)
        out[i + by] = first(out, i);
    out[i] = out[i + 1] + 5;
    if (i == 2)
        out[i + 2 * by] += 3;
}
"""


def lines_program(tmp_path, options, by):
    """A program whose kernel `bad`, built with these options, stores `by` ints from the place that it should."""
    text = "".join(f'"{line}\\n"\n' for line in LINES.splitlines())
    common = (ROOT / "examples" / "opencl" / "common.h").read_text().replace('"-g"', f'"{options}"')
    (tmp_path / "common.h").write_text(common)
    (tmp_path / "lines.c").write_text(f"""#include "{tmp_path}/common.h"
static const char source[] = {text};
int main(void)
{{
    const int by = {by};
    open_device();
    cl_kernel good = build(source, "good"), bad = build(source, "bad");
    cl_mem out = buffer(64 * sizeof(int), NULL);
    check(clSetKernelArg(good, 0, sizeof out, &out), "argument");
    check(clSetKernelArg(bad, 0, sizeof out, &out), "argument");
    check(clSetKernelArg(bad, 1, sizeof by, &by), "argument");
    check(run(good, 64), "good");
    check(run(bad, 32), "bad");
    return 0;
}}
""")
    return build(tmp_path / "lines.c", tmp_path)


@pytest.mark.parametrize("options, by, says", [("-g", 1 << 28, "program-2.cl:16"), ("-g", 0, None),
                                               ("-g -cl-opt-disable", 1 << 28, "program-2.cl:16"),
                                               ("", 1 << 28, "no source line is known: the program was not built with -g")])
def test_the_report_has_the_source_line(tmp_path, options, by, says):
    """As far as the program is built with debug information. Another kernel of the program has other lines."""
    done = wavetrap("exec", *GEN9, lines_program(tmp_path, options, by))
    assert (done.returncode != 0) == bool(says), done.stderr
    assert not says or re.search(rf"\n  (at .* at )?{says}\n", done.stderr), done.stderr


def test_a_cache_of_compiled_programs_has_no_lines(tmp_path, monkeypatch):
    """The program is built twice, so the second time it comes from the cache. The report says so; with checks the cache is not used."""
    program = lines_program(tmp_path, "-g", 1 << 28)
    (tmp_path / "cache").mkdir()
    monkeypatch.setenv("cl_cache_dir", str(tmp_path / "cache"))
    none = "no source line is known: the program was not built with -g, or comes from cl_cache_dir, which keeps none"
    assert f"\n  {none}\n" in wavetrap("exec", *GEN9, program).stderr
    assert re.search(r"\n  bad at .*:16\n", wavetrap("exec", *GEN9, "--check=memory", program).stderr)

@pytest.mark.parametrize("names", ["mem_viol", "all"])
def test_a_stray_access_that_is_caught_ends_the_program(tmp_path, names):
    """With the report, before the program learns of it."""
    source = (tmp_path / "stray.c").resolve()
    text = (ROOT / "examples" / "opencl" / "stray.c").read_text().replace('"common.h"', f'"{ROOT}/examples/opencl/common.h"')
    source.write_text(text.replace("    open_device();", '    printf("before\\n");\n    open_device();'))
    done = wavetrap("exec", *GEN9, f"--catch={names}", build(source, tmp_path))
    assert (done.returncode, done.stdout) == (123, "before\n"), done.stdout + done.stderr
    assert re.search(r"  at 0x[0-9a-f]+ <stray\+\d+> at program-\d+\.cl:3\n.*\n  0x[0-9a-f]+: just past the end of an allocation of 256 bytes at", done.stderr), done.stderr


def test_other_failures_are_caught_by_all(tmp_path):
    """The sampler refuses an image with mip levels: that is not an access of memory."""
    for names, status, goes_on in (("mem_viol", 0, True), ("all", 123, False)):
        done = wavetrap("exec", *GEN9, f"--catch={names}", "/usr/bin/python3", ROOT / "tests" / "host" / "opencl_refused.py", "mip")
        assert "image 0 has 4 mip levels" in done.stderr, done.stderr
        assert (done.returncode == 123, "the program goes on" in done.stdout) == (status == 123, goes_on), done.stdout + done.stderr

@pytest.fixture(scope="module")
def unmap(tmp_path_factory):
    return build(ROOT / "tests" / "host" / "opencl_unmap.c", tmp_path_factory.mktemp("unmap"))


@pytest.mark.parametrize("how, access", [("munmap", "read"), ("munmap", "write"), ("free", "read"), ("free", "write"), ("handler", "read")])
def test_memory_that_the_program_gives_back_while_a_kernel_uses_it(unmap, how, access):
    """A report with the instruction and its line; the program goes on, with handlers of its own for what it does itself."""
    done = wavetrap("exec", *GEN9, unmap, how, access)
    assert done.returncode == 0, done.stdout + done.stderr
    last = "its own handler was called\n" if how == "handler" else ""
    assert re.fullmatch(rf"the program goes on: -\d+\n{last}", done.stdout), done.stdout + done.stderr
    assert re.search(r"^wavetrap: batch.*GPGPU_WALKER: group \(\d+,0,0\) thread \d+ channels .*: the program has given back the memory at "
                     r"0x[0-9a-f]+, which the kernel uses", done.stderr, re.M), done.stderr
    assert re.search(rf"^  at 0x[0-9a-f]+ <uses\+\d+> at program-1\.cl:{6 if access == 'write' else 8}$", done.stderr, re.M), done.stderr
    assert re.search(r"^  sends? \(", done.stderr, re.M), done.stderr


def test_two_gpus_have_no_names(tmp_path):
    """OpenCL does not say on which GPU the kernel is at the address that it tells."""
    done = wavetrap("exec", *GEN9, *GEN9, build(ROOT / "examples" / "opencl" / "stray.c", tmp_path))
    assert re.search(r"\n  device 0, dispatch 1, .*\n  at 0x[0-9a-f]+\n.*\n.*just past the end of an allocation of 256 bytes at .*\n  of the kernel at 0x[0-9a-f]+: SIMD32", done.stderr), done.stderr


def test_options_that_a_gen9_has_no_use_for():
    for option, words in ("--catch=overflow", "--catch: these are exceptions of AMD's GPUs"), ("--memory=1G", "--memory is that of AMD's GPUs"):
        done = wavetrap("exec", *GEN9, option, "echo", "it ran")
        assert (done.returncode, done.stdout) == (125, "") and words in done.stderr
