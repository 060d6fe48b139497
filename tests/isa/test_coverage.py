"""Every row of the instruction table is executed by a test whose results are checked."""
import re
import subprocess

import pytest

import test_divergence
import test_launches
import test_masks
import test_warps
from cases import groups
from operands import all_tables
from program import Program
from simt import Machine
from v3 import Kernel

ISSUE = re.compile(r"\s*\d+ core \d+ warp \d+ \S+ ([0-9a-f]+): ([0-9a-f]{4}|[0-9a-f]{8})\s")


def issues(wavetrap, arguments):
    """(address, instruction, its size) of each issue of a run."""
    out = subprocess.run([wavetrap, "trace", *arguments], capture_output=True, text=True, timeout=120, check=False).stdout
    found = [ISSUE.match(line) for line in out.splitlines()]
    return [(int(m.group(1), 16), int(m.group(2), 16), len(m.group(2)) // 2) for m in found if m]


def name_of(table, word, size, xlen):
    """The row that a word is: the first that matches."""
    for row in table:
        if row["size"] == size and row["xlen"] in (0, xlen) and word & row["mask"] == row["match"]:
            return row["name"]
    return None


def bodies(elf):
    """The address ranges of what the cases test: [test_N, tested_N)."""
    out = subprocess.run(["riscv64-unknown-elf-nm", elf], check=True, capture_output=True, text=True).stdout
    symbols = {name: int(value, 16) for value, _, name in (line.split() for line in out.splitlines())}
    return [(start, symbols["tested_" + name[5:]]) for name, start in symbols.items() if name.startswith("test_")]


class Recorder(Machine):
    """Runs programs, and runs them again to see what they execute."""

    def __init__(self, wavetrap, directory):
        super().__init__(wavetrap, directory)
        self.words = set()

    def ran(self, arguments):
        self.words |= {(word, size) for _, word, size in issues(self.wavetrap, arguments)}


@pytest.mark.parametrize("xlen", [32, 64])
def test_every_row_is_executed(wavetrap, table, tmp_path, monkeypatch, xlen):
    """The instruction cases, of which only the tested instructions count, and the SIMT tests."""
    executed = set()
    # One row of each operand table; both values of a branch's operands come with the first few.
    tables = {name: rows[:9] for name, rows in all_tables(xlen).items()}
    for name, cases in groups(xlen).items():
        program = Program(tmp_path, name, cases, xlen, tables)
        inside = set()
        for start, end in bodies(program.elf):
            inside.update(range(start, end, 2))
        arguments = [f"--gpu=vortex:warps=1,threads=1,xlen={xlen}", program.elf]
        executed |= {(word, size) for address, word, size in issues(wavetrap, arguments) if address in inside}
        assert not program.differences(program.run(wavetrap, 1, 0), 1, 0)
    machine = Recorder(wavetrap, tmp_path)
    test_masks.test_pred(machine, xlen, 4, False)
    test_masks.test_pred(machine, xlen, 4, True)
    test_masks.test_vote(machine, xlen, 4)
    for kind in ("up", "down", "bfly", "idx"):
        test_masks.test_shfl(machine, xlen, 4, kind)
    test_masks.test_wsync_changes_nothing(machine)
    test_divergence.test_nested_ifs(machine, xlen, 8, 1)
    test_divergence.test_nested_ifs(machine, xlen, 8, 3)
    test_warps.test_local_barrier(machine, xlen, 4, 2, "rr:64")
    test_warps.test_ecall_and_ebreak_stop_their_core(machine, "ecall")
    test_warps.test_ecall_and_ebreak_stop_their_core(machine, "ebreak")
    for op in ("mret", "sret", ".4byte 0x00200073"):
        test_warps.test_returns_from_traps_do_nothing(machine, op)
    monkeypatch.setattr(Kernel, "ran", machine.ran)
    test_launches.test_wgather(wavetrap, tmp_path, 4, -1)
    test_launches.test_packed_loads(wavetrap, tmp_path, xlen)
    test_launches.test_barriers_of_a_cta(wavetrap, tmp_path, test_launches.SPLIT, "rr:64")
    simt = {name_of(table, word, size, xlen) for word, size in machine.words}
    system = {"ecall", "ebreak", "uret", "sret", "mret"}
    names = {name_of(table, word, size, xlen) for word, size in executed}
    names |= {name for name in simt if name and (name.startswith("vx_") or name in system)}
    # c.ebreak is ebreak in two bytes: a program has no way on after it.
    result = machine.run("li t0, 7\nsw t0, 0x88(x0)\n.2byte 0x9002\n.2byte 0\nexit 1\n", xlen)
    assert result.status == 7
    names |= {name_of(table, word, size, xlen) for word, size in machine.words if size == 2}
    # An instruction of a unit that is not modelled only stops: test_launches checks how.
    names |= {text.partition(":")[0] for text in test_launches.UNITS.values()}
    missing = [row["name"] for row in table if row["xlen"] in (0, xlen) and row["name"] not in names]
    assert not missing
