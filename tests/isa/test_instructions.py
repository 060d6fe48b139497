"""Every row of the instruction table against QEMU user mode: results, memory and flags.

Run with one lane, with full warps of several widths, and with some lanes off, whose registers and
memory must stay as they were and whose operands must raise no flags.
"""
import pytest

from cases import groups
from program import Program

GROUPS = sorted(groups(32))
# lanes, mask of the enabled ones (0: all)
SHAPES = [(1, 0), (2, 0), (4, 0), (4, 0b1010), (8, 0), (16, 0x7001), (32, 0), (32, 0x0F0F1235), (32, 0x80000000),
          (64, 0), (128, 0)]


@pytest.fixture(scope="session")
def programs(tmp_path_factory):
    """Builds each program when it is first asked for, and runs it on QEMU."""
    directory = tmp_path_factory.mktemp("programs")
    built = {}

    def get(name, xlen):
        if (name, xlen) not in built:
            built[name, xlen] = Program(directory, name, groups(xlen)[name], xlen)
        return built[name, xlen]

    return get


@pytest.mark.parametrize("lanes,mask", SHAPES)
@pytest.mark.parametrize("xlen", [32, 64])
@pytest.mark.parametrize("name", GROUPS)
def test_as_qemu(wavetrap, programs, name, xlen, lanes, mask):
    """The same results, flags and memory as QEMU's, for the lanes that are on."""
    program = programs(name, xlen)
    found = program.differences(program.run(wavetrap, lanes, mask), lanes, mask)
    assert not found, f"{len(found)} differences:\n" + "\n".join(found[:20])


@pytest.mark.parametrize("lanes,mask", [(2, 0), (4, 0), (4, 0b0110), (8, 0), (16, 0), (32, 0), (32, 0x0F0F1235)])
@pytest.mark.parametrize("xlen", [32, 64])
@pytest.mark.parametrize("name", GROUPS)
@pytest.mark.parametrize("level", [1])
def test_as_qemu_on_lesser_hosts(wavetrap, programs, level, name, xlen, lanes, mask):
    """The same with the code for hosts that have fewer vector instructions, or no fused multiply-add."""
    program = programs(name, xlen)
    found = program.differences(program.run(wavetrap, lanes, mask, f",host-level={level}"), lanes, mask)
    assert not found, f"{len(found)} differences:\n" + "\n".join(found[:20])


@pytest.mark.parametrize("xlen", [32, 64])
def test_the_comparison_sees_one_wrong_bit(programs, xlen):
    """A result, a flag or a byte of memory that is wrong is found."""
    program = programs("memory", xlen)
    assert not program.differences(program.expected, 1, 0)
    for case, layout in zip(program.cases, program.layouts):
        for place in (layout.values, layout.flags, layout.memory):
            broken = bytearray(program.expected)
            broken[place] ^= 1
            assert program.differences(bytes(broken), 1, 0)
        break
