"""Alignment, the ends of memory, code that changes, and runs that repeat bit for bit."""
import re

import pytest

from simt import ACCESS, ILLEGAL, MISALIGNED

LOADS = {"lh": 2, "lhu": 2, "lw": 4, "flw": 4, "fld": 8}
LOADS64 = LOADS | {"lwu": 4, "ld": 8}
STORES = {"sh": 2, "sw": 4, "fsw": 4, "fsd": 8}
STORES64 = STORES | {"sd": 8}


def widths():
    """Every access wider than a byte, of both widths."""
    for xlen, loads, stores in ((32, LOADS, STORES), (64, LOADS64, STORES64)):
        for op, size in loads.items():
            yield xlen, op, size, False
        for op, size in stores.items():
            yield xlen, op, size, True


@pytest.mark.parametrize("xlen,op,size,store", widths())
def test_misaligned_accesses(machine, xlen, op, size, store):
    """A mistake, with its address and lane; with misaligned=allow they work, across pages too."""
    data = bytes((37 * i + 11) & 0xFF for i in range(32))
    register = "f0" if op[0] == "f" else "t1"
    text = "all\nla t0, place\n"
    fill = ".data\n.balign 4096\n.space 4080\nplace: .byte " + ", ".join(map(str, data)) + "\n"
    offsets = [1, size - 1, 16 - size + 1, 15]
    signed = op in ("lh", "lw")
    for n, offset in enumerate(offsets):
        if store:
            text += f"li t1, 0x{0x8182838485868788 & ((1 << xlen) - 1):x}\n"
            text += "la t2, wide\nfld f0, 0(t2)\n"
            text += f"{op} {register}, {offset}(t0)\n"
            for i in range(size):  # back byte by byte
                text += f"lbu t3, {offset + i}(t0)\nputone {8 * n + i}, t3\n"
        else:
            text += f"{op} {register}, {offset}(t0)\n"
            text += "la t2, wide\nfsd f0, 0(t2)\n" if register == "f0" else ""
            for i in range(size):
                text += f"lbu t3, {i}(t2)\n" if register == "f0" else f"srli t3, t1, {8 * i % xlen}\nandi t3, t3, 255\n"
                text += f"putone {8 * n + i}, t3\n"
            if op in LOADS64 and register == "t1":
                text += f"srli t3, t1, {xlen - 1}\nputone {40 + n}, t3\n"
    symbols = fill + ".balign 16\nwide: .dword 0x8182838485868788\n"
    result = machine.run(text + "exit 0\n", xlen, "threads=1,misaligned=allow", symbols=symbols)
    assert result.status == 0, result.stderr
    value = (0x8182838485868788 & ((1 << xlen) - 1 if register == "t1" else -1)).to_bytes(8, "little")
    for n, offset in enumerate(offsets):
        expected = value[:size] if store else data[offset:offset + size]
        assert bytes(result.lane(8 * n + i, 0) for i in range(size)) == expected
        if not store and register == "t1":
            sign = expected[-1] >> 7 if signed or size * 8 == xlen else 0
            assert result.lane(40 + n, 0) == sign
    result = machine.run(f"all\nla t0, out\n{op} {register}, {size - 1}(t0)\nexit 0\n", xlen, "threads=1")
    assert result.status == MISALIGNED
    assert f"{0x81000000 + size - 1:x}" in result.stderr.lower()


@pytest.mark.parametrize("xlen,op", [(32, "amoadd.w t1, t1, (t0)"), (32, "lr.w t1, (t0)"), (32, "sc.w t1, t1, (t0)"),
                                     (64, "amoswap.d t1, t1, (t0)"), (64, "lr.d t1, (t0)")])
@pytest.mark.parametrize("misaligned", ["fault", "allow"])
def test_atomics_are_always_aligned(machine, xlen, op, misaligned):
    """Atomics on misaligned addresses do not exist (unprivileged ISA, chapter 8.4)."""
    result = machine.run(f"la t0, out\naddi t0, t0, 2\n{op}\nexit 0\n", xlen, f"misaligned={misaligned}")
    assert result.status == MISALIGNED


def test_the_lanes_of_a_mistake_are_named(machine):
    """Lane 2 alone has a bad address."""
    text = """
        all
        csrr t0, 0xcc0
        xori t0, t0, 2
        seqz t0, t0
        la t1, out
        add t1, t1, t0
        lw t2, 0(t1)
        exit 0
    """
    result = machine.run(text, 32, "threads=4")
    assert result.status == MISALIGNED
    assert re.search(r"thread(s)? 2\b", result.stderr)


def test_an_instruction_with_a_bad_lane_has_no_effect(machine):
    """Not even in the lanes before it."""
    text = """
        all
        csrr t0, 0xcc0
        slli t0, t0, 3
        la t1, out
        add t1, t1, t0
        srli t0, t0, 4
        andi t0, t0, 1
        add t1, t1, t0          # lanes 2 and 3 are misaligned
        li t2, 7
        sw t2, 0(t1)
        exit 0
    """
    result = machine.run(text, 32, "threads=4")
    assert result.status == MISALIGNED
    assert result.slot(0, 4) == [0] * 4


@pytest.mark.parametrize("address", [1 << 60, (1 << 64) - 8])
@pytest.mark.parametrize("op", ["ld t1, 0(t0)", "sd t1, 0(t0)", "amoadd.d t1, t1, (t0)", "jr t0"])
def test_addresses_outside_memory(machine, address, op):
    """RV64 has more addresses than memory."""
    assert machine.run(f"li t0, {address:#x}\n{op}\nexit 0\n", 64).status == ACCESS


def test_rv32_addresses_wrap(machine):
    """An address is the low 32 bits of base plus offset."""
    text = """
        li t0, 0xffffff00
        li t1, 9
        sw t1, 0x104(t0)        # at 4
        lw t2, 4(x0)
        putone 0, t2
        li t1, 8
        sw t1, -4(x0)           # at 0xfffffffc
        lw t2, 0xfc(t0)
        putone 1, t2
        exit 0
    """
    result = machine.run(text, 32)
    assert result.status == 0, result.stderr
    assert [result.lane(n, 0) for n in range(2)] == [9, 8]


@pytest.mark.parametrize("place", ["0x10000", "0x90000000"])
def test_jumping_into_nothing_is_reported(machine, place):
    """Memory that nobody wrote is zero, which is not an instruction."""
    result = machine.run(f"li t0, {place}\njr t0\n")
    assert result.status == ILLEGAL
    assert place[2:] in result.stderr


@pytest.mark.parametrize("xlen", [32, 64])
@pytest.mark.parametrize("across", [False, True])
def test_code_that_changes(machine, xlen, across):
    """After FENCE.I the new instruction runs: at the place itself, in another warp, over pages."""
    pad = ".balign 4096\n.space 4092\n" if across else ""
    text = f"""
        li s1, 0
        li s2, 3
    1:  call patched
        add s1, s1, a0
        # the next round: addi a0, x0, s2
        la t0, patched
        slli t1, s2, 20
        li t2, 0x00000513
        or t1, t1, t2
        sw t1, 0(t0)
        fence.i
        addi s2, s2, -1
        bgez s2, 1b
        putone 0, s1
        li t0, 2
        la t1, worker
        wspawn t0, t1
        li t0, 1
        wspawn t0, x0
        exit 0
    worker:
        call patched
        putone 0, a0
        tmc x0
        {pad}
    patched:
        addi a0, x0, 100
        ret
    """
    result = machine.run(text, xlen, "warps=2", warps=2)
    assert result.status == 0, result.stderr
    assert result.lane(0, 0) == 100 + 3 + 2 + 1
    assert result.lane(0, 0, 1) == 0


BUSY = """
        csrr t0, 0xfc1
        la t1, worker
        wspawn t0, t1
    worker:
        all
        csrr s0, 0xf14
        csrr s1, 0xb00          # when this warp came here: depends on the schedule
        li s2, 50
    1:  la t1, out
        lw t2, 0(t1)
        mul t2, t2, s0
        addi t2, t2, 13
        xor t2, t2, s1
        sw t2, 0(t1)            # a race, on purpose
        amoadd.w t3, t2, (t1)
        fcvt.s.w f1, t3
        fdiv.s f2, f1, f2
        addi s2, s2, -1
        li t4, 1
        tmc t4
        mv t4, s2
        all
        slli t4, t4, 1
        csrr t4, 0xcc0
        bnez s2, 1b
        li t0, 5
        sw t0, 0x88(x0)
        tmc x0
"""


@pytest.mark.parametrize("schedule", ["rr:1", "rr:7", "rr:64", "lockstep", "random:1", "random:2"])
def test_runs_repeat_bit_for_bit(machine, schedule):
    """The same program under the same schedule: the same state at the same issue time."""
    hashes = set()
    for _ in range(2):
        result = machine.run(BUSY, 32, "cores=2,warps=4,threads=8", [f"--schedule={schedule}", "--hash"], warps=8)
        assert result.status == 5, result.stderr
        hashes.add(result.stdout + result.stderr)
    assert len(hashes) == 1
    assert re.search(r"[0-9a-f]{16}", hashes.pop())


def test_other_schedules_are_other_runs(machine):
    """The program's races come out differently, so the hash does depend on the state."""
    found = set()
    for schedule in ("rr:1", "rr:7", "lockstep", "random:1", "random:2"):
        result = machine.run(BUSY, 32, "cores=2,warps=4,threads=8", [f"--schedule={schedule}", "--hash"], warps=8)
        found.add(result.stdout + result.stderr)
    assert len(found) > 2
