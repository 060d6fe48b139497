"""Backtraces of deep and of damaged stacks: all frames, or why there are no more. GDB 13 is the oracle on RISC-V."""
import re
import subprocess

import pytest

from conftest import HERE, OPENCL_TARGETS, ask_console, ask_gdb, debug
from releases import HIPCC_CLANG

DEEP = 1000


def line_of(name, mark):
    return next(i for i, line in enumerate((HERE / "programs" / name).read_text().splitlines(), 1) if f"/* {mark} */" in line)


@pytest.mark.parametrize("xlen,opt", [(32, "-O2"), (64, "-O0")])
def test_deep_recursion_is_as_gdb_has_it(program, xlen, opt):
    """All frames, the innermost and the outermost: numbers, places and arguments."""
    file, asked = program("deep", xlen, opt, "-fno-optimize-sibling-calls"), ["backtrace", "backtrace 5", "backtrace -5", f"backtrace {DEEP + 1}", "frame 900", "print n"]
    at = f"deep.c:{line_of('deep.c', 'bottom')}"
    ours = ask_console(file, [f"break {at}", "run"], asked)
    gdb = ask_gdb(file, ["set print entry-values no", f"break {at}", "continue"], asked)
    # GDB does not print that there are more where it reads no terminal.
    assert [text.replace("\n(More stack frames follow...)", "") for text in ours] == gdb
    assert ours[0].count("\n") == DEEP + 1 and " in main () at " in ours[0].splitlines()[-1], ours[0][-300:]
    assert ours[1].count("\n") == 5 and ours[1].endswith("\n(More stack frames follow...)")


@pytest.mark.parametrize("xlen", [32, 64])
def test_frames_of_a_damaged_stack_end_where_gdb_ends_them(program, xlen):
    """An endless circle, a caller's frame inwards, and a return address that is not code: GDB shows that one as a frame without a name."""
    file = program("damaged", xlen, "-O0")
    for mark in ("circle", "inner"):
        at = f"damaged.c:{line_of('damaged.c', mark)}"
        ours, = ask_console(file, [f"break {at}", "run"], ["backtrace"])
        gdb, = ask_gdb(file, [f"break {at}", "continue"], ["backtrace"])
        assert "\nBacktrace stopped: previous frame " in ours
        # GDB writes the sentence to its standard error.
        assert [re.sub(r" at \S*/", " at ", line) for line in ours.splitlines()[:-1]] == [re.sub(r" at \S*/", " at ", line) for line in gdb.splitlines() if line[0] == "#"]
    ours, cut, more = ask_console(file, [f"break damaged.c:{line_of('damaged.c', 'lost')}", "run"], ["backtrace", "backtrace 1", "backtrace 7"])
    assert re.fullmatch(r"#0  lost \(x=1\) at .*\nBacktrace stopped: lost returns to 0x0, where the program has no code", ours), ours
    assert ours == cut == more


@pytest.fixture(scope="module")
def dives(tmp_path_factory):
    folder = tmp_path_factory.mktemp("deep")

    def build(compiler, target):
        out = folder / f"{compiler}-{target}"
        subprocess.run([compiler, "-x", "cl", "-cl-std=CL2.0", *OPENCL_TARGETS[target], "-w", "-g", "-O0", HERE / "programs" / "deep.cl", "-o", out], check=True)
        return out, target
    return build


def options(target, depth):
    return ["-g", target, "--kernel", "dive", "--grid", "64", "--block", "64", "--arg=zeros:256", f"--arg=i32:{depth}"]


@pytest.mark.parametrize("compiler,target,depth", [(HIPCC_CLANG, "gfx900", 180), ("clang-19", "gfx900", 320), ("clang-19", "sm", DEEP)])
def test_deep_recursion_on_devices_that_launch_grids(dives, compiler, target, depth):
    """Each call has its own argument, and the kernel is the last frame."""
    file, _ = dives(compiler, target)
    bottom = f"break deep.cl:{line_of('deep.cl', 'bottom')}"
    whole, some, last, most, lanes = ask_console(file, [bottom, "run"], ["backtrace", "backtrace 5", "backtrace -5", f"backtrace {depth - 1}", "print n@*"],
                                                 options(target, depth))
    lines = whole.splitlines()
    assert len(lines) == depth + 2 and re.match(rf"#{depth + 1} .* in dive \(out=\S+, n={depth}\) at ", lines[-1]), whole[-400:]
    for i, line in enumerate(lines[:-1]):
        assert re.match(rf"#{i:<2} (0x\w+ in )?deep \(n={i}, out=0x\w+\) at ", line), line
    assert some.splitlines() == [*lines[:5], "(More stack frames follow...)"] and last.splitlines() == lines[-5:]
    assert most.splitlines() == [*lines[:depth - 1], "(More stack frames follow...)"] and lanes.startswith("$1 = 0 in all ")
    outer, = ask_console(file, [bottom, "run", f"frame {depth - 10}"], ["print n@*"], options(target, depth))
    assert re.match(rf"\$1 = {depth - 10} in all \d+ lanes", outer), outer


def test_frames_in_memory_that_cannot_be_read_say_so(dives):
    """The recursion has left the lanes' stacks: the sentence names the address, not the code."""
    file, target = dives(HIPCC_CLANG, "gfx900")
    done = debug(file, f"break deep.cl:{line_of('deep.cl', 'bottom')}", "run", "backtrace", options=options(target, DEEP))
    assert re.search(r"\n#1 .* in deep \(n=\d+, .*\nBacktrace stopped: Cannot access memory at address 0x\w+\n", done.stdout), done.stdout
