"""`where-from`: what it names is what a model of the program's data flow names, cell by cell and lane by lane.

A seed makes a program of statements, each on a line of its own: statement K gives work-item I a value that is made of
others' values, and of cells of the input. So the model knows of each value which cells, and which statements of which
work-items, had a part in it."""
import os
import random
import re
import subprocess

import pytest

from conftest import OPENCL_TARGETS, ROOT, WAVETRAP, ask_console, debug

STATEMENTS = 10
CELLS = 4    # of the input, for each work-item


class Plan:
    """Statement K: where its value is kept, and its operands: ("value", statement, turn), ("cell", row, turn) or
    ("byte", row, turn), where work-item I takes what belongs to work-item I ^ turn."""

    def __init__(self, seed, items, private):
        rng = random.Random(seed)
        self.items, self.kept, self.operands = items, [], []
        for k in range(STATEMENTS):
            self.kept.append(rng.choice(["global", "group", "private"] if private else ["global"]))
            count, operands = rng.choice([1, 2, 2, 3]), []
            while len(operands) < count:
                kind = rng.choice(["value", "value", "cell", "byte"]) if k else rng.choice(["cell", "byte"])
                which = rng.randrange(max(0, k - 4), k) if kind == "value" else rng.randrange(CELLS)
                turn = 0 if kind == "value" and self.kept[which] == "private" else rng.choice([0, 0, 1, 2, 5, 8])
                if (kind, which, turn) not in operands:
                    operands.append((kind, which, turn))
            self.operands.append(operands)

    def sources(self, k, item):
        """The bytes of `cells` and of `bytes` that the value is made of, and the statements' work-items."""
        cells, small, made, todo = set(), set(), set(), [(k, item)]
        while todo:
            at, i = todo.pop()
            if (at, i) in made:
                continue
            made.add((at, i))
            for kind, which, turn in self.operands[at]:
                if kind == "value":
                    todo.append((which, i ^ turn))
                elif kind == "cell":
                    cells |= {4 * (which * self.items + (i ^ turn)) + b for b in range(4)}
                else:
                    small.add(which * self.items + (i ^ turn))
        return cells, small, made

    def text(self, operand):
        kind, which, turn = operand
        index = f"{which}*{self.items} + (i ^ {turn})"
        if kind == "cell":
            return f"cells[{index}]"
        if kind == "byte":
            return f"small[{index}]"
        return {"global": f"g[{index}]", "group": f"t[{index}]", "private": f"p{which}"}[self.kept[which]]

    def statement(self, k):
        operands = [self.text(operand) for operand in self.operands[k]]
        value = operands[0] + "*3u" + "".join(f" {'+^-'[n % 3]} ({o}*{5 + 2*n}u)" for n, o in enumerate(operands[1:]))
        to = {"global": f"g[{k}*{self.items} + i] =", "group": f"t[{k}*{self.items} + i] =",
              "private": f"unsigned p{k} ="}[self.kept[k]]
        return f"{to} {value};"


def opencl(plan):
    lines = ["kernel void flow(global unsigned *cells, global unsigned char *small, global unsigned *g, local unsigned *t)",
             "{ unsigned i = get_local_id(0);"]
    where = {}
    for k in range(STATEMENTS):
        lines.append(plan.statement(k))
        where[len(lines)] = k
        lines.append("barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);")
    lines.append("g[i] ^= 0;")
    return "\n".join(lines + ["}"]) + "\n", where, len(lines)


def vortex(plan):
    count = CELLS*plan.items    # what is 0 at first would be written by the program's start
    lines = ['#include "vortex.h"', f"unsigned cells[{count}] = {{{','.join(map(str, range(7, 7 + count)))}}};",
             f"unsigned char small[{count}] = {{{','.join(str(n % 256) for n in range(9, 9 + count))}}};",
             f"unsigned g[{STATEMENTS*plan.items}];"]
    where = {}
    for k in range(STATEMENTS):
        lines += [f"static void f{k}(void *p, size_t i)", "{", plan.statement(k), "}"]
        where[len(lines) - 1] = k
    lines += ["int main(void)", "{", *(f"vx_parallel({plan.items}, f{k}, 0);" for k in range(STATEMENTS)), "return 0;", "}"]
    return "\n".join(lines) + "\n", where, len(lines) - 1


def spans(text, base, size):
    """The bytes of an array that lines "memory: N bytes at 0x…" name."""
    found = set()
    for count, at in re.findall(r"memory: (\d+) bytes? at 0x([0-9a-f]+)", text):
        first = int(at, 16) - base
        found |= set(range(max(first, 0), min(first + int(count), size)))
    return found


ACCESS = re.compile(r"load|store|ds_read|ds_write|send|\b(ld|st)\.|\b(lw|ld|lbu|sw|sd)\b")


def items_by_line(text):
    """How many work-items the accesses to memory at each line are of."""
    found, wave = {}, None
    for line in text.splitlines():
        if line.startswith("device"):
            wave = line
        elif match := re.match(r"  \[\d+\] time \d+, \w+ ([0-9,-]+) at .*?flow\d*\.cl?:(\d+): (.*)", line):
            if not ACCESS.search(match[3]):
                continue
            for part in match[1].split(","):
                first, _, last = part.partition("-")
                found.setdefault(int(match[2]), set()).update((wave, lane) for lane in range(int(first), int(last or first) + 1))
    return {line: len(items) for line, items in found.items()}


def check(plan, where, file, line, options, lines_too, rng):
    shared = [k for k in range(STATEMENTS) if plan.kept[k] == "global"]
    wanted = [(rng.choice(shared), rng.randrange(plan.items)) for _ in range(4)]
    said = ask_console(file, [f"break {line}", "run"],
                       ["p/x (unsigned long) &cells[0]", "p/x (unsigned long) &small[0]",
                        *(f"where-from --depth=1000 --steps=100000 g[{k*plan.items + i}]" for k, i in wanted)], options)
    bases = [int(re.search(r"= 0x([0-9a-f]+)", text)[1], 16) for text in said[:2]]
    for (k, i), text in zip(wanted, said[2:]):
        cells, small, made = plan.sources(k, i)
        assert "There are other steps" not in text, text
        inputs = text.partition("Made of:")[2]
        assert spans(inputs, bases[0], 4*CELLS*plan.items) == cells, (k, i, text)
        assert spans(inputs, bases[1], CELLS*plan.items) == small, (k, i, text)
        if lines_too:
            expected = {}
            for statement, _ in made:
                expected[statement] = expected.get(statement, 0) + 1
            seen = {where[at]: count for at, count in items_by_line(text).items() if at in where}
            assert seen == expected, (k, i, text)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("opt", ["-O0", "-O2"])
def test_vortex(tmp_path, program, opt, seed):
    plan = Plan(seed, 32, private=False)
    text, where, line = vortex(plan)
    source = tmp_path / f"flow{seed}.c"
    source.write_text(text)
    xlen = 32 if seed == 1 else 64
    check(plan, where, program(str(source), xlen, opt), line, ["-g", "vortex:cores=2,warps=2,threads=4"], opt == "-O0",
          random.Random(seed))


ARGUMENTS = ["--kernel=flow", "--grid=128", "--block=128", f"--arg=iota:{4*CELLS*128}", f"--arg=iota:{CELLS*128}",
             f"--arg=zeros:{4*STATEMENTS*128}", f"--arg=local:{4*STATEMENTS*128}"]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("opt", ["-O0", "-O2"])
def test_gfx900(tmp_path, opt, seed):
    plan = Plan(seed, 128, private=True)
    text, where, line = opencl(plan)
    (tmp_path / "flow.cl").write_text(text)
    subprocess.run(["clang-19", *OPENCL_TARGETS["gfx900"], "-x", "cl", "-cl-std=CL2.0", opt, "-g", "flow.cl", "-o", "flow.co"],
                   cwd=tmp_path, check=True)
    check(plan, where, tmp_path / "flow.co", line, ["-g", "gfx900", *ARGUMENTS], False, random.Random(seed))
    # Its lines: clang spills constants that it has computed once, so that the line that needed them first is named, too.


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("opt", ["-cl-opt-disable", ""])
def test_gen9(tmp_path, opt, seed):
    plan = Plan(seed, 128, private=True)
    text, where, line = opencl(plan)
    (tmp_path / "flow.cl").write_text(text)
    subprocess.run(["ocloc", "compile", "-q", "-file", "flow.cl", "-device", "skl", "--format", "zebin", "-options", f"-g {opt}",
                    "-output", "flow", "-output_no_suffix", "-out_dir", "."], cwd=tmp_path, check=True)
    check(plan, where, tmp_path / "flow", line, ["-g", "gen9", *ARGUMENTS], opt != "", random.Random(seed))


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("opt", ["-O0", "-O2"])
def test_sm(tmp_path, opt, seed):
    plan = Plan(seed, 128, private=True)
    text, where, line = opencl(plan)
    (tmp_path / "flow.cl").write_text(text)
    subprocess.run(["clang-19", *OPENCL_TARGETS["sm"], "-x", "cl", "-cl-std=CL2.0", opt, "-g", "-gdwarf-2", "flow.cl",
                    "-o", "flow.ptx"], cwd=tmp_path, check=True)
    check(plan, where, tmp_path / "flow.ptx", line, ["-g", "sm", *ARGUMENTS], opt == "-O0", random.Random(seed))


def test_the_page_is_true(tmp_path):
    """The sessions of docs/where-from.md."""
    session = "".join(re.findall(r"^```console\n(.*?)^```$", (ROOT / "docs" / "where-from.md").read_text(), re.M | re.S))
    parts = re.split(r"^\$ (.*)\n", session, flags=re.M)
    commands, wanted = parts[1::2], parts[2::2]
    assert len(commands) == 6 and commands[0] == "cat pairs.cl"
    (tmp_path / "pairs.cl").write_text(wanted[0])
    for command, text in list(zip(commands, wanted))[1:]:
        done = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=True,
                              env={**os.environ, "PATH": f"{os.path.dirname(WAVETRAP)}:{os.environ['PATH']}"})
        assert (done.stdout + done.stderr) == text, command


@pytest.mark.parametrize("command, why", [
    ("where-from", "takes an expression"), ("where-from --depth=x a", "'--depth=x a' is none of --depth=N"),
    ("where-from --steps=0 a", "is none of"), ("where-from --depth=-1 a", "is none of"), ("where-from --sideways a", "is none of"),
    ("where-from no_such", 'No symbol "no_such"'), ("where-from 1 + 2", "1 + 2 lies neither in memory nor in a register"), ("where-from $pc", "is no value")])
def test_what_is_refused(program, command, why):
    done = debug(program("values"), "break main", "run", command)
    assert done.returncode == 1 and why in done.stderr, done.stderr


def test_what_a_debugger_has_changed(tmp_path, program):
    """A value that is not what an instruction stored; and an input that was changed before an instruction read it."""
    plan = next(plan for plan in (Plan(seed, 32, private=False) for seed in range(7, 100))
                if any(kind == "cell" for kind, _, _ in plan.operands[0]))
    text, _, line = vortex(plan)
    source = tmp_path / "changed.c"
    source.write_text(text)
    _, which, turn = next(operand for operand in plan.operands[0] if operand[0] == "cell")
    cell = which*32 + (0 ^ turn)
    said = ask_console(program(str(source)), ["tbreak main", "run", f"set var cells[{cell}] = 77777", f"break {line}", "continue"],
                       [f"p/x (unsigned long) &cells[{cell}]", "where-from g[0]", "set var g[0] = 5", "where-from g[0]"],
                       ["-g", "vortex:cores=2,warps=2,threads=4"])
    at = re.search(r"= 0x([0-9a-f]+)", said[0])[1]
    changed = re.search(rf"memory: (\d) bytes at 0x{at}\S*( \S+)*, which the host or a debugger wrote at time \d+", said[1])
    assert changed, said[1]
    assert "bytes of it: the host or a debugger has changed them since instructions wrote them" in said[3], said[3]
