"""Runs instructions on the emulator through gcn_run_tool, many cases in one process."""
import copy
import functools
import subprocess

DATA, SCRATCH, CODE = 0x100000, 0x200000, 0x10000
VCC, M0, EXEC, FLAT_SCRATCH = 106, 124, 126, 102
ALL = (1 << 64) - 1


class Case:
    """One case: instructions, what the wave has before, and what is to be shown of it after."""

    def __init__(self, words, issues=1, model="gfx900"):
        self.model = model
        self.parts = [f"{issues:x} " + " ".join(f"{w & 0xffffffff:x}" for w in words)]
        self.shown = []

    def scalar(self, number, value, dwords=1):
        for i in range(dwords):
            self.parts.append(f"s {number + i:x} {value >> 32 * i & 0xffffffff:x}")
        return self

    def vector(self, number, values):
        self.parts.append(f"v {number:x} " + " ".join(["%x" % (v & 0xffffffff) for v in values]))
        return self

    def wide(self, number, values, dwords):
        """Values of several registers."""
        for i in range(dwords):
            self.vector(number + i, [v >> 32 * i for v in values])
        return self

    def exec(self, mask):
        return self.scalar(EXEC, mask, 2)

    def with_exec(self, mask):
        """The same case with another mask of lanes."""
        case = copy.copy(self)
        case.parts = self.parts.copy()
        return case.exec(mask)

    def mode(self, value):
        self.parts.append(f"mode {value:x}")
        return self

    def status(self, bits):
        self.parts.append(f"status {bits:x}")
        return self

    def scc(self, value):
        self.parts.append(f"scc {value:x}")
        return self

    def memory(self, addr, data):
        self.parts.append(f"m {addr:x} {bytes(data).hex()}")
        return self

    def show(self, *numbers):
        self.shown += [f"v {n:x}" for n in numbers]
        return self

    def show_memory(self, addr, length):
        self.shown.append(f"m {addr:x} {length:x}")
        return self

    def show_gds(self, addr, length):
        self.shown.append(f"g {addr:x} {length:x}")
        return self

    def text(self):
        return ";".join(self.parts) + ";show " + ", ".join(self.shown) + "\n" if self.shown \
            else ";".join(self.parts) + "\n"


class Result:
    """What is there after a case. Few look at all of it, so that numbers are made of the text when they are asked for."""

    def __init__(self, line):
        fault, scc, mode, trapsts, self.scalars, *self.text = line.rstrip("\n").split("|")
        self.fault = None if fault == "-" else fault
        self.scc, self.mode, self.trapsts = int(scc, 16), int(mode, 16), int(trapsts, 16)

    @functools.cached_property
    def s(self):
        return [int(x, 16) for x in self.scalars.split()]

    @functools.cached_property
    def shown(self):
        return [[int(x, 16) for x in part.split()] if " " in part else bytes.fromhex(part) for part in self.text]

    def lane(self, number):
        """What this lane has of each register shown."""
        return [int(part.split(" ")[number], 16) for part in self.text]

    def pair(self, number):
        low, high = self.scalars.split(" ", number + 2)[number:number + 2]
        return int(low, 16) | int(high, 16) << 32


def run(tool, cases):
    """The results in the order of the cases, each from a GPU of its model, which may say the lanes of a wave: "gfx1030:32"."""
    results = [None] * len(cases)
    for model in {case.model for case in cases}:
        own = [i for i, case in enumerate(cases) if case.model == model]
        done = subprocess.run([tool, *model.split(":")], input="".join(cases[i].text() for i in own), capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        lines = done.stdout.splitlines()
        assert len(lines) == len(own)
        for i, line in zip(own, lines):
            results[i] = Result(line)
    return results
