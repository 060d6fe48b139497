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
    for count, at, more, step in re.findall(r"memory: (\d+) bytes? at 0x([0-9a-f]+)(?:.*? and (\d+) more, each (\d+) bytes)?", text):
        for k in range(int(more or 0) + 1):
            first = int(at, 16) - base + k * int(step or 0)
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


# ---- machine code of the SM ----

BANK, PARAMETERS, FIRST, ROW = 0x30000000, 0x140, 40, 128    # FIRST: the register of statement 0; ROW: work-items


class Code:
    """Machine code for random statements, and of each statement which operands each work-item has.

    Statement K makes the value R(40+K), in the ways that machine code has: sums with a carry, halves of words, predicates, conditional moves,
    constants from bank 0. It keeps the value in the register, in global, shared or local memory, and there as a part of a vector, too."""

    def __init__(self, seed):
        self.rng, self.lines, self.main, self.sources = random.Random(seed), [], {}, {}
        self.kept, self.count = [], 1    # S2R comes first
        for k in range(STATEMENTS):
            self.kept.append(self.rng.choice(["register", "global", "vector", "shared", "local"]))
            self.statement(k)
        self.emit("BAR.SYNC 0x0")
        self.end = self.at()
        self.emit("NOP")
        self.emit("EXIT")

    def at(self):
        """Of the instruction that comes next: from the beginning of the kernel on."""
        return self.count // 3 * 32 + 8 + self.count % 3 * 8

    def emit(self, text):
        self.lines.append(f"    {text};")
        self.count += 1

    def address(self, parameter, row, turn, scale, more=0):
        """R2, R3: what is `more` bytes behind element (row, work-item ^ turn) of the buffer."""
        self.emit(f"LOP32I.XOR R2, R0, {turn:#x}")
        self.emit(f"IADD32I R2, R2, {row*ROW:#x}")
        self.emit(f"SHL R2, R2, {scale:#x}")
        self.emit(f"IADD R2.CC, R2, c[0x0][{PARAMETERS + 8*parameter:#x}]")
        self.emit(f"IADD.X R3, RZ, c[0x0][{PARAMETERS + 8*parameter + 4:#x}]")
        return more

    def shared(self, row, turn):
        self.emit(f"LOP32I.XOR R2, R0, {turn:#x}")
        self.emit(f"IADD32I R2, R2, {row*ROW:#x}")
        self.emit("SHL R2, R2, 0x2")

    def fetch(self, k, register):
        """Loads an operand; returns what it is to work-item i: {("cell", byte), ("small", byte), ("bank", byte), ("value", K, item)}."""
        rng = self.rng
        kind = rng.choice(["value", "value", "value", "cell", "part", "byte", "parameter"] if k else ["cell", "part", "byte"])
        turn = rng.choice([0, 0, 1, 2, 5, 33])
        if kind == "value":
            which = rng.randrange(max(0, k - 4), k)
            kept = self.kept[which]
            turn = 0 if kept in ("register", "local") else turn
            if kept == "register":
                self.emit(f"MOV R{register}, R{FIRST + which}")
            elif kept == "global":
                self.address(2, which, turn, 2)
                self.emit(f"LDG.E R{register}, [R2]")
            elif kept == "vector":    # the upper half of a pair
                self.address(3, which, turn, 3)
                if rng.randrange(2):
                    self.emit(f"LDG.E R{register}, [R2+0x4]")
                else:
                    self.emit("LDG.E.64 R20, [R2]")
                    self.emit(f"MOV R{register}, R21")
            elif kept == "shared":
                self.shared(which, turn)
                self.emit(f"LDS R{register}, [R2]")
            else:
                self.emit(f"LDL R{register}, [{4*which:#x}]")
            return lambda i: {("value", which, i ^ turn)}
        row = rng.randrange(CELLS)
        if kind == "parameter":
            self.emit(f"MOV R{register}, c[0x0][{PARAMETERS + 0x20:#x}]")
            return lambda i: {("bank", PARAMETERS + 0x20 + b) for b in range(4)}
        if kind == "byte":
            self.address(1, row, turn, 0)
            self.emit(f"LDG.E.U8 R{register}, [R2]")
            return lambda i: {("small", row*ROW + (i ^ turn))}
        self.address(0, row, turn, 4 if kind == "part" else 2)
        if kind == "part" and row == 0:    # one of four cells that are loaded together
            part = rng.randrange(4)
            self.emit("LDG.E.128 R20, [R2]")
            self.emit(f"MOV R{register}, R{20 + part}")
            return lambda i: {("cell", 16*(i ^ turn) + 4*part + b) for b in range(4)}
        if kind == "part":    # one half of a cell: a cell is 16 bytes here
            self.address(0, 0, turn, 4)
            self.emit("LDG.E R20, [R2]")
            self.emit(f"XMAD R{register}, R20.H1, 0x3, RZ")
            return lambda i: {("cell", 16*(i ^ turn) + 2 + b) for b in range(2)}
        self.emit(f"LDG.E R{register}, [R2]")
        return lambda i: {("cell", 4*(row*ROW + (i ^ turn)) + b) for b in range(4)}

    def statement(self, k):
        rng, to = self.rng, FIRST + k
        a, b, c = (self.fetch(k, register) for register in (4, 5, 6))
        way = rng.choice(["sum", "carry", "logic", "product", "choice", "moves", "compare", "double"])
        everything, where = (lambda i: a(i) | b(i) | c(i)), None
        if way == "sum":
            self.emit(f"IADD3 R{to}, R4, R5, -R6")
        elif way == "carry":
            self.emit("IADD RZ.CC, R4, R5")
            self.emit(f"IADD.X R{to}, R6, RZ")
        elif way == "logic":    # C is in no row of the table that counts
            self.emit(f"LOP3.LUT R{to}, R4, R5, R6, 0x3c")
            everything = lambda i: a(i) | b(i)
        elif way == "product":
            self.emit(f"FFMA R{to}, R4, c[0x0][{PARAMETERS + 0x24:#x}], R5")
            everything = lambda i: a(i) | b(i) | {("bank", PARAMETERS + 0x24 + n) for n in range(4)}
        elif way == "choice":    # even work-items have A, odd ones B
            bit = rng.randrange(3)
            self.emit(f"LOP32I.AND R22, R0, {1 << bit:#x}")
            self.emit("ISETP.NE.AND P1, PT, R22, RZ, PT")
            self.emit(f"MOV R{to}, R4")
            where = ~0
            self.main.setdefault(k, []).append((self.at(), lambda i: i >> bit & 1))
            self.emit(f"@P1 MOV R{to}, R5")
            everything = lambda i: b(i) if i >> bit & 1 else a(i)
        elif way == "moves":    # the value of a predicate is a part, whose lane it is
            self.emit("ISETP.LT.AND P2, PT, R4, R5, PT")
            self.emit(f"SEL R{to}, R6, RZ, P2")
        elif way == "compare":
            self.emit("ISETP.GE.U32.AND P3, P4, R4, R5, PT")
            self.emit("PSETP.XOR.AND P5, PT, P3, PT, PT")
            self.emit(f"SEL R{to}, RZ, 0x7, P5")
            everything = lambda i: a(i) | b(i)
        else:
            self.emit("I2F.F64.U32 R24, R4")
            self.emit("I2F.F64.U32 R26, R5")
            self.emit("DADD R24, R24, R26")
            self.emit(f"F2I.U32.F64.TRUNC R{to}, R24")
            everything = lambda i: a(i) | b(i)
        if where is None:
            self.main.setdefault(k, []).append((self.before(), lambda i: True))
        self.sources[k] = everything
        kept = self.kept[k]
        if kept == "global":
            self.address(2, k, 0, 2)
            self.emit(f"STG.E [R2], R{to}")
        elif kept == "vector":
            self.emit("MOV R20, R4")
            self.emit(f"MOV R21, R{to}")
            self.address(3, k, 0, 3)
            self.emit("STG.E.64 [R2], R20")
        elif kept == "shared":
            self.shared(k, 0)
            self.emit(f"STS [R2], R{to}")
        elif kept == "local":
            self.emit(f"STL [{4*k:#x}], R{to}")
        if kept not in ("register", "local"):
            self.emit("BAR.SYNC 0x0")

    def before(self):
        """Of the instruction that came last."""
        n = self.count - 1
        return n // 3 * 32 + 8 + n % 3 * 8

    def text(self):
        head = [".kernel flow", ".param 8 cells", ".param 8 small", ".param 8 g", ".param 8 pairs", ".param 4 number", ".param 4 factor",
                f".shared {4*STATEMENTS*ROW}", f".local {4*STATEMENTS}", "    S2R R0, SR_TID.X;"]
        return "\n".join([*head, *self.lines]) + "\n"

    def made_of(self, k, item):
        found, made, todo = set(), set(), [(k, item)]
        while todo:
            at, i = todo.pop()
            if (at, i) in made:
                continue
            made.add((at, i))
            for one in self.sources[at](i):
                if one[0] == "value":
                    todo.append(one[1:])
                else:
                    found.add(one)
        return found, made


def bytes_in(text, base, size, kind):
    return {(kind, at) for at in spans(text, base, size)}


@pytest.mark.parametrize("seed", range(6))
def test_machine_code_of_the_sm(tmp_path, seed):
    """Bytes of the inputs, and of the constant bank; which lanes of the instruction that makes each value."""
    code, rng = Code(seed), random.Random(seed)
    (tmp_path / "flow.sass").write_text(code.text())
    subprocess.run([WAVETRAP, "asm", "-g", "sm", "flow.sass", "-o", "flow.cubin"], cwd=tmp_path, check=True)
    options = ["-g", "sm", f"--grid={ROW}", f"--block={ROW}", f"--arg=iota:{16*ROW}", f"--arg=iota:{CELLS*ROW}", f"--arg=zeros:{4*STATEMENTS*ROW}",
               f"--arg=zeros:{8*STATEMENTS*ROW}", "--arg=u32:77", "--arg=f32:1.5"]
    kernel = 0x10000000
    place = {"register": lambda k, i: f"$R{FIRST + k}", "local": lambda k, i: f"$R{FIRST + k}", "shared": lambda k, i: f"$R{FIRST + k}",
             "global": lambda k, i: f"*(unsigned *)($g + {4*(k*ROW + i)})", "vector": lambda k, i: f"*(unsigned *)($v + {8*(k*ROW + i) + 4})"}
    wanted = []
    for k in rng.sample(range(STATEMENTS), 5):
        item = rng.randrange(ROW)
        wanted.append((k, item if code.kept[k] in ("global", "vector") else None))
    said = ask_console(tmp_path / "flow.cubin", [f"break *{kernel + code.end:#x}", "run", f"set $g = *(unsigned long *){BANK + PARAMETERS + 16:#x}",
                                                 f"set $v = *(unsigned long *){BANK + PARAMETERS + 24:#x}"],
                       [f"p/x *(unsigned long *){BANK + PARAMETERS:#x}", f"p/x *(unsigned long *){BANK + PARAMETERS + 8:#x}", "p $R0",
                        *(f"where-from --depth=1000 --steps=100000 {place[code.kept[k]](k, item)}" for k, item in wanted)], options)
    cells, small = (int(re.search(r"= 0x([0-9a-f]+)", text)[1], 16) for text in said[:2])
    lane = int(re.search(r"= (\d+)", said[2])[1])
    for (k, item), text in zip(wanted, said[3:]):
        found, made = code.made_of(k, lane if item is None else item)
        assert "There are other steps" not in text, text
        inputs = text.partition("Made of:")[2]
        seen = (bytes_in(inputs, cells, 16*ROW, "cell") | bytes_in(inputs, small, CELLS*ROW, "small") | bytes_in(inputs, BANK, 0x200, "bank"))
        assert seen == found, (k, item, sorted(seen ^ found)[:8], text, code.text())
        assert "as it began" not in inputs, text
        executed = {}
        warp = None
        for line in text.partition("Made of:")[0].splitlines():
            if match := re.match(r"device.*warp (\d+)", line):
                warp = int(match[1])
            elif match := re.match(r"  \[\d+\] time \d+, lanes? ([0-9,-]+) at 0x\w+ <flow\+(\d+)>", line):
                for part in match[1].split(","):
                    first, _, last = part.partition("-")
                    executed.setdefault(int(match[2]), set()).update(32*warp + n for n in range(int(first), int(last or first) + 1))
        for at, mains in code.main.items():
            for offset, takes in mains:
                assert executed.get(offset, set()) == {i for which, i in made if which == at and takes(i)}, (k, item, at, hex(offset), text, code.text())


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
    ("where-from", "takes an expression"), ("where-from --depth=x a", "'--depth=x a' is not one of --depth=N"),
    ("where-from --steps=0 a", "is not one of"), ("where-from --depth=-1 a", "is not one of"), ("where-from --sideways a", "is not one of"),
    ("where-from no_such", 'No symbol "no_such"'), ("where-from 1 + 2", "1 + 2 lies neither in memory nor in a register"), ("where-from $pc", "is not a value")])
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


LOOP = """
int cells[64] = {1, 2, 3};
int main(void)
{
    volatile int sum = 0;
    for (int i = 0; i < 16; i++)
        sum += cells[4 * i];
    return sum == 0;
}
"""


def test_turns_of_a_loop_and_inputs_at_one_distance_share_a_line(program, tmp_path):
    """A sum of 16 cells: one turn with the source's text, a count of the 15 before it, and one line for the cells."""
    source = tmp_path / "loop.c"
    source.write_text(LOOP)
    said = ask_console(program(str(source)), ["break 8", "run"], ["print &cells", "where-from sum"])
    base = int(re.search(r"0x([0-9a-f]+)", said[0])[1], 16)
    turns = re.findall(r"^  … (\d+) more turns of these (\d+) steps, loop\.c:(\d+), back to time \d+$", said[1], re.M)
    assert [(count, line) for count, _, line in turns] == [("15", "7")], said[1]
    shown = re.search(r"^  7\t        sum \+= cells\[4 \* i\];\n((?:  \[.*\n)+)  …", said[1], re.M)
    assert len(shown[1].splitlines()) == int(turns[0][1]), said[1]
    assert re.search(r"^  5\t    volatile int sum = 0;$", said[1], re.M), said[1]
    assert f"memory: 4 bytes at {base:#x} <cells> and 15 more, each 16 bytes after the one before, which" in said[1], said[1]


def test_lines_of_two_files_with_one_number_are_both_shown(program, tmp_path):
    (tmp_path / "twice.h").write_text("#define N 2\n\n\nstatic inline __attribute__((always_inline)) int twice(int v)\n{\n    return N * v;\n}\n")
    source = tmp_path / "caller.c"
    source.write_text('#include "twice.h"\nvolatile int from = 4, to;\nint main(void)\n{\n    int v = from;\n    to = twice(v) + 1;\n    return 0;\n}\n')
    said, = ask_console(program(str(source)), ["break 7", "run"], ["where-from to"])
    shown = re.findall(r"^  6\t *(.*)$", said, re.M)
    assert shown[:2] == ["to = twice(v) + 1;", "return N * v;"], said


NESTED = """
int twice(int v)
{
    return 2 * v;
}
kernel void nested(global const int *in, global int *out, local int *t)
{
    int i = get_local_id(0), sum = 0, more = 0;
    for (int k = 0; k < 9; k++) {
        for (int j = 0; j < 7; j++)
            sum += in[k + j];
        sum *= 5;
    }
    for (int k = 0; k < 6; k++)
        more ^= twice(in[k]);
    t[i] = in[i];
    for (int d = 1; d < 8; d++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i == d)
            t[i] = t[i - 1] * 3;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = sum + more;
    out[8 + i] = t[7];
    out[i] += 0;
}
"""
COMPILED = {"gfx900": ["clang-19", *OPENCL_TARGETS["gfx900"]], "sm": ["clang-19", *OPENCL_TARGETS["sm"], "-gdwarf-2"]}


@pytest.mark.parametrize("gpu", ["gfx900", "gen9", "sm"])
def test_turns_of_nested_loops_of_calls_and_from_lane_to_lane_are_folded(tmp_path, gpu):
    """The outer loop's turns are folded with the inner ones', a called function's with the caller's; a value that goes from lane to lane names the lanes."""
    (tmp_path / "nested.cl").write_text(NESTED)
    words = [*COMPILED[gpu], "-x", "cl", "-cl-std=CL2.0", "-O0", "-g", "nested.cl", "-o", "nested"] if gpu != "gen9" else [
        "ocloc", "compile", "-q", "-file", "nested.cl", "-device", "skl", "--format", "zebin", "-options", "-g -cl-opt-disable",
        "-output", "nested", "-output_no_suffix", "-out_dir", "."]
    subprocess.run(words, cwd=tmp_path, check=True)
    line = {text.strip(): number for number, text in enumerate(NESTED.splitlines(), 1)}
    inner, outer, call = line["sum += in[k + j];"], line["sum *= 5;"], line["more ^= twice(in[k]);"]
    everything = "where-from --depth=1000 --steps=100000"
    said = ask_console(tmp_path / "nested", [f"break nested.cl:{line['out[i] += 0;']}", "run"], [f"{everything} out[0]", f"{everything} out[8]", "where-from --steps=9 out[0]"],
                       ["-g", gpu, "--kernel=nested", "--grid=8", "--block=8", "--arg=iota:64", "--arg=zeros:64", "--arg=local:32"])
    turns = re.findall(r"^  … (\d+) more turns of these \d+ steps(.*?), nested\.cl:(?:\d+-)?(\d+), back to time \d+$", said[0], re.M)
    # What 'sum' and 'more' were made of comes by the time; the program did one after the other.
    assert turns == [("5", "", str(call)), ("6", "", str(inner)), ("8", "", str(outer))], said[0]
    turns = re.findall(r"^  … (\d+) more turns of these \d+ steps( in \w+ [0-9-]+), nested", said[1], re.M)
    assert [(count, lanes.split()[-1]) for count, lanes in turns] == [("6", "1-6")], said[1]
    assert len(re.findall(r"^  \[\d+\]", said[2], re.M)) <= 9 and "There are other steps: --depth=N and --steps=N let it go further." in said[2], said[2]


PAIRS = """
kernel void pairs(global const int2 *in, global int2 *out)
{
    const int i = get_local_id(0);
    int2 moved;
    __asm("v_pk_mov_b32 %0, %1, %2 op_sel:[1,0]" : "=v"(moved) : "v"(in[i]), "v"(in[i + 64]));
    out[i] = moved;
}
"""


def test_halves_of_a_move_of_pairs_are_apart(tmp_path):
    """Each register of v_pk_mov_b32's result comes from the one that OP_SEL chooses, alone."""
    (tmp_path / "pairs.cl").write_text(PAIRS)
    flags = [flag.replace("gfx900", "gfx90a") for flag in COMPILED["gfx900"]]
    subprocess.run([*flags, "-x", "cl", "-cl-std=CL2.0", "-O1", "pairs.cl", "-o", "pairs"], cwd=tmp_path, check=True)
    done = subprocess.run([WAVETRAP, "slice", "-g", "gfx90a", "--grid=64", "--arg=iota:1024", "--arg=zeros:512", "--of=1:40", "--of=1:44", "pairs"], cwd=tmp_path, capture_output=True, text=True)
    assert re.findall(r"memory: 4 bytes at \w+ \(argument 0, byte (\d+)\)", done.stderr) == ["44", "552"] and done.stderr.count(" memory: ") == 2, done.stderr
