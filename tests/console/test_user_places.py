"""Places of reports are in the user's code: a mistake three calls deep in a header of a compiler's folder is told at the line that calls the header, inlined or not;
frame 0 stays where the wave is. Steps pass such code, unless they are asked to go there."""
import json
import re
import subprocess
import sys

import pytest

from conftest import CC, OPENCL_TARGETS, ROOT, WAVETRAP, ask_console, debug, marked, answers

sys.path.insert(0, str(ROOT / "tests" / "isa" / "gen"))
import iga  # noqa: E402

HEADER = """LOCAL void deep_store(GLOBAL int *at, int v)
{
    *at = v;
}
LOCAL void deep_put(GLOBAL int *at, int v)
{
    deep_store(at, v);
}
LOCAL void deep_set(GLOBAL int *at, int v)
{
    deep_put(at, v);
}
"""
KERNEL = """#include <deep.h>
LOCAL void bump(GLOBAL int *counts, int k)
{
    deep_set(counts + k, k); /* here */
}
kernel void first(GLOBAL int *a, GLOBAL int *b)
{
    int k = (int)get_local_id(0);
    bump(a, k); /* good */
    a[k] = 7;
    bump(k == 3 ? (GLOBAL int *)(0x400020000000ul + a[15]) : b, k); /* call */
}
"""
VORTEX = """#include "vortex.h"
#include <deep.h>
static int good[4];
static int *volatile bad = (int *)0xfff00001;
LOCAL void bump(GLOBAL int *counts, int k)
{
    deep_set(counts + k, k); /* here */
}
int main(void)
{
    bump(good, 1); /* good */
    good[2] = 7;
    bump(bad, 0); /* call */
    return 0;
}
"""
FAMILIES = ["gfx900", "sm", "gen9", "vortex"]
LEVELS = ["-O0", "-O2"]


@pytest.fixture(scope="session")
def deep(tmp_path_factory, program):
    """deep(family, level): the program, its options, and its source."""
    folder = tmp_path_factory.mktemp("deep")
    headers = folder / "lib" / "clang" / "99" / "include"
    headers.mkdir(parents=True)
    local = "#ifdef OPENCL\n#define LOCAL static\n#define GLOBAL global\n#else\n#define LOCAL static\n#define GLOBAL\n#endif\n"
    (headers / "deep.h").write_text(local + HEADER)

    def build(family, level):
        out = folder / f"deep.{family}{level}"
        if family == "vortex":
            path = folder / "deepest.c"
            path.write_text(local + VORTEX.replace("<deep.h>", f'"{headers}/deep.h"'))
            return program(path, 32, level), [], path
        path = folder / "deep.cl"
        path.write_text(KERNEL)
        if family == "gen9":
            iga.compile_cl(path, out, "-g", "-DOPENCL", f"-I{headers}", *(["-cl-opt-disable"] if level == "-O0" else []))
        else:
            subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", *OPENCL_TARGETS[family], "-w", level, "-g", "-DOPENCL", f"-I{headers}", path, "-o", out], check=True)
        return out, ["-g", family, "--grid", "4", "--block", "4", "--arg=zeros:64", "--arg=zeros:64"], path
    return build


def line_of(path, text):
    return next(n for n, line in enumerate(path.read_text().splitlines(), 1) if f"/* {text} */" in line)


def is_place(text, path, family, level):
    """The user's line, and the one that calls it."""
    here, call = line_of(path, "here"), line_of(path, "call")
    if (family, level) == ("gen9", "-O2"):  # Intel's compiler gives the store the line of the outermost call
        return f"{path.name}:{call}" in text
    return re.search(rf"{path.name}:{here}, in \w+(\(.*\))? at \S*{path.name}:{call}\b", text) or (family, level) == ("vortex", "-O0") and "no source of the program's" in text


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("family", FAMILIES)
def test_a_fault(deep, family, level):
    """By `run`, and in the debugger, whose frame 0 is where the wave stands; threads stand where the user's code does."""
    file, how, path = deep(family, level)
    done = subprocess.run([WAVETRAP, "run", *how, file], capture_output=True, text=True, timeout=60)
    assert is_place(done.stderr, path, family, level), done.stderr
    said = debug(file, "run", *marked(["bt 1", "info threads 1", "info fault"]), options=how).stdout
    frame, threads, fault = answers(said)
    assert "deep.h:" in frame, said
    family_level = (family, level) if family != "vortex" else ("vortex", "-O2")
    assert is_place(fault, path, *family_level) and is_place(threads, path, *family_level), said


def test_code_without_lines(tmp_path):
    """A function of a library, without debug information: waves in it are listed at the line that calls it."""
    path, out = tmp_path / "bare.cl", tmp_path / "bare"
    path.write_text("""__attribute__((noinline, nodebug)) void store(global int *at) { *at = 1; }
kernel void k(global int *a)
{
    store((global int *)(0x400020000000ul + a[0])); /* call */
    a[1] = 1;
}
""")
    subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", *OPENCL_TARGETS["gfx900"], "-O0", "-g", path, "-o", out], check=True)
    said = debug(out, "run", *marked(["bt 1", "info threads", "info fault"]), options=["-g", "gfx900", "--grid", "4", "--block", "4", "--arg=zeros:64"]).stdout
    frame, threads, fault = answers(said)
    assert "bare.cl" not in frame, said
    assert f"at bare.cl:{line_of(path, 'call')}" in threads and f"at bare.cl:{line_of(path, 'call')}" in fault, said


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("family", FAMILIES[:3])
def test_a_finding(deep, family, level, tmp_path):
    file, how, path = deep(family, level)
    sarif = tmp_path / "found.sarif"
    done = subprocess.run([WAVETRAP, "run", "--check=memory", f"--report=sarif:{sarif}", *how, file], capture_output=True, text=True, timeout=60)
    place = json.loads(sarif.read_text())["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith(path.name), done.stderr
    assert place["region"]["startLine"] == line_of(path, "call" if (family, level) == ("gen9", "-O2") else "here"), done.stderr


@pytest.mark.parametrize("family", FAMILIES)
def test_the_past(deep, family):
    """who-wrote and where-from go back to a store in a function of the header, which is not inlined: it is in the user's code, too; the lane is where it was."""
    file, how, path = deep(family, "-O0")
    value = "good[1]" if family == "vortex" else "a[k]"
    begin = [f"break {path.name}:{line_of(path, 'good') + 1}", "run"]
    wrote, made, where = ask_console(file, begin, [f"who-wrote {value}", f"where-from {value}", "bt 1"], how)
    called = f"{path.name}:{line_of(path, 'here')}, in \\w+(\\(.*\\))? at \\S*{path.name}:{line_of(path, 'good')}"
    assert re.search(called, wrote) and re.search(called, made.splitlines()[2]), (wrote, made)
    assert f"{path.name}:{line_of(path, 'good') + 1}" in where, where


@pytest.mark.parametrize("family", FAMILIES)
def test_steps_pass_headers(deep, family):
    file, how, path = deep(family, "-O0")
    begin = [f"break {path.name}:{line_of(path, 'good')}", "run"]
    said = ask_console(file, begin, ["step", "step", "step", "step"], how)
    lines = [int(n) for n in re.findall(r"^(\d+)\t", "\n".join(said), re.M)]
    here, good = line_of(path, "here"), line_of(path, "good")
    assert lines[0] == here and not any("deep.h" in text for text in said) and good + 1 in lines, said
    into = ask_console(file, ["set step-headers on", *begin], ["step", "step", "show step-headers"], how)
    assert "deep_set (" in into[1] and "lib/clang/" in into[2], into


@pytest.mark.parametrize("family", FAMILIES)
def test_steps_skip_what_the_user_names(deep, family):
    """Folders that were added; functions and files by GDB's command."""
    file, how, path = deep(family, "-O0")
    begin = [f"break {path.name}:{line_of(path, 'good')}", "run"]
    for skips in (["skip function bump"], [f"skip file */{path.name}", "skip delete 1", "skip function bu*"], [f"set step-headers add {path.parent}"]):
        said = ask_console(file, [*skips, *begin], ["step", "info skip"], how)
        expected = line_of(path, "good") + 1 if "skip" in skips[0] else line_of(path, "here")  # one that begins in such code passes none
        assert re.findall(r"^(\d+)\t", said[0], re.M) == [str(expected)], said
        assert ("bu" in said[1]) == ("skip" in skips[0])
