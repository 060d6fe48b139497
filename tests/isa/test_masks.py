"""TMC, PRED, VOTE, SHFL and the rules of the last active lane, against rules stated here."""
import random

import pytest

from simt import ACCESS, DIVERGENCE, ILLEGAL

WIDTHS = [(32, 1), (32, 2), (32, 4), (64, 4), (32, 8), (64, 16), (32, 32), (64, 32), (64, 64)]


def full(threads):
    """All lanes."""
    return (1 << threads) - 1


def last(mask):
    """The last active lane."""
    return mask.bit_length() - 1


def random_masks(threads, seed, count):
    """Masks that are not empty: single lanes at both ends, all, and random ones."""
    rng = random.Random(seed)
    masks = [1, 1 << (threads - 1), full(threads)]
    while len(masks) < count:
        mask = rng.getrandbits(threads)
        if mask:
            masks.append(mask)
    return masks


@pytest.mark.parametrize("xlen,threads", WIDTHS)
def test_tmc_enables_exactly_the_lanes_of_the_mask(machine, xlen, threads):
    """Each lane that is on stores; active_threads shows the mask; lanes keep what they held."""
    masks = random_masks(threads, threads, 8)
    text = "all\ncsrr s0, 0xcc0\naddi s0, s0, 100\n"
    for n, mask in enumerate(masks):
        text += f"li t0, {mask}\ntmc t0\ncsrr t1, 0xcc4\nput {n}, t1\naddi s0, s0, 1\nall\n"
    text += "put 20, s0\nexit 0\n"
    result = machine.run(text, xlen, f"threads={threads}")
    assert result.status == 0, result.stderr
    for n, mask in enumerate(masks):
        assert result.slot(n, threads) == [mask if mask >> lane & 1 else 0 for lane in range(threads)]
    counts = [100 + lane + sum(mask >> lane & 1 for mask in masks) for lane in range(threads)]
    assert result.slot(20, threads) == counts


@pytest.mark.parametrize("xlen,threads", [(32, 4), (64, 32)])
def test_tmc_takes_the_mask_of_the_last_active_lane(machine, xlen, threads):
    """Each lane asks for another mask; that of the highest enabled lane counts."""
    first = 0b0110  # lane 2 is the last active one
    text = f"""
        all
        csrr t0, 0xcc0
        addi t0, t0, 1          # lane L asks for the mask L + 1
        li t1, {first}
        tmc t1
        tmc t0
        csrr t2, 0xcc4
        put 0, t2
        exit 0
    """
    result = machine.run(text, xlen, f"threads={threads}")
    assert result.status == 0, result.stderr
    assert result.slot(0, 4) == [3, 3, 0, 0]


@pytest.mark.parametrize("xlen,threads", [(32, 4), (64, 8), (32, 16)])
def test_tmc_ignores_bits_beyond_the_warp(machine, xlen, threads):
    """The mask is rs1[NT-1:0]; only bits beyond it are no lanes at all, and the warp exits."""
    text = f"""
        li t0, {1 << threads | 1}
        tmc t0
        csrr t1, 0xcc4
        put 0, t1
        li t0, 7
        sw t0, 0x88(x0)
        li t0, {1 << threads}
        tmc t0
        li t0, 9
        sw t0, 0x88(x0)
        tmc x0
    """
    result = machine.run(text, xlen, f"threads={threads}")
    assert result.lane(0, 0) == 1
    assert result.status == 7


@pytest.mark.parametrize("xlen", [32, 64])
def test_minus_one_enables_all_lanes_of_the_widest_warp(machine, xlen):
    """Lanes beyond xlen follow the sign."""
    result = machine.run("all\nli t0, 5\nput 0, t0\nexit 0\n", xlen, "threads=128")
    assert result.status == 0, result.stderr
    assert result.slot(0, 128) == [5] * 128


def test_reset_has_one_lane_of_one_warp_on_every_core(machine):
    """Warp 0 with thread mask 1; the other warps are inactive."""
    text = "csrr t0, 0xcc4\nput 0, t0\ncsrr t0, 0xcc3\nput 1, t0\nexit 0\n"
    result = machine.run(text, 32, "clusters=2,cores=2,warps=2,threads=4", warps=8)
    for core in range(4):
        assert result.slot(0, 4, 2 * core) == [1, 0, 0, 0]
        assert result.slot(1, 4, 2 * core) == [1, 0, 0, 0]
        assert result.slot(0, 4, 2 * core + 1) == [0, 0, 0, 0]


@pytest.mark.parametrize("negate", [False, True])
@pytest.mark.parametrize("xlen,threads", [(32, 4), (64, 4), (32, 32), (64, 64)])
def test_pred(machine, xlen, threads, negate):
    """m = active and predicate (bit 0 only): m if it is not empty, else rs2 of the last active lane."""
    rng = random.Random(threads + negate)
    cases = []
    for n in range(12):
        active = rng.getrandbits(threads) or 1
        bits = [0, full(threads), rng.getrandbits(threads), 1 << rng.randrange(threads)][n % 4]
        restore = rng.getrandbits(threads) | 1
        cases.append((active, bits, restore))
    name = "predn" if negate else "pred"
    text, tables = "", ""
    for n, (active, bits, restore) in enumerate(cases):
        # Predicates are odd for 1 and even for 0: only bit 0 counts. Lanes other than the last
        # active one hold another restore mask.
        tables += f"t{n}:\n" + "".join(
            f".dword {6 + (bits >> lane & 1)}, {restore if lane == last(active) else 1 << lane}\n"
            for lane in range(threads))
        load = "ld" if xlen == 64 else "lw"
        text += f"""
            all
            la a0, t{n}
            csrr a1, 0xcc0
            slli a1, a1, 4
            add a0, a0, a1
            {load} t0, 0(a0)
            {load} t1, 8(a0)
            li t2, {active}
            tmc t2
            {name} t0, t1
            csrr t3, 0xcc4
            put {n}, t3
        """
    result = machine.run(text + "all\nexit 0\n", xlen, f"threads={threads}", symbols=".data\n.balign 16\n" + tables)
    assert result.status == 0, result.stderr
    for n, (active, bits, restore) in enumerate(cases):
        mask = active & (~bits if negate else bits)
        mask = mask or restore
        expected = [mask if mask >> lane & 1 else 0 for lane in range(threads)]
        assert result.slot(n, threads) == expected, cases[n]


def test_pred_that_restores_no_lane_ends_the_warp(machine):
    """No lane wants to go on and the mask to restore is empty: the warp exits."""
    result = machine.run("li t0, 3\nsw t0, 0x88(x0)\npred x0, x0\nli t0, 4\nsw t0, 0x88(x0)\ntmc x0\n")
    assert result.status == 3


@pytest.mark.parametrize("xlen,threads", [(32, 4), (64, 16), (32, 32)])
def test_pred_loop(machine, xlen, threads):
    """The idiom: lanes leave the loop as they finish, and all go on after it."""
    text = """
        all
        csrr s0, 0xcc0
        addi s0, s0, 1          # lane L goes round L + 1 times
        csrr s1, 0xcc4
        li s2, 0
    1:  addi s2, s2, 1
        slt t0, s2, s0
        pred t0, s1
        # uniform: the lanes that are left want to go on, or all are back and none does
        blt s2, s0, 1b
        put 0, s2
        exit 0
    """
    result = machine.run(text, xlen, f"threads={threads}")
    assert result.status == 0, result.stderr
    assert result.slot(0, threads) == [lane + 1 for lane in range(threads)]


@pytest.mark.parametrize("xlen,threads", [(32, 1), (32, 4), (64, 4), (32, 32), (64, 64)])
def test_vote(machine, xlen, threads):
    """ALL, ANY, UNI and BALLOT over bit 0 of the active lanes; written to the active lanes."""
    rng = random.Random(threads)
    cases = []
    for n in range(8):
        active = rng.getrandbits(threads) or 1
        bits = [0, full(threads), rng.getrandbits(threads), active & -active][n % 4]
        cases.append((active, bits))
    text, tables, load = "", "", "ld" if xlen == 64 else "lw"
    for n, (active, bits) in enumerate(cases):
        tables += f"t{n}:\n" + "".join(f".dword {2 + (bits >> lane & 1)}\n" for lane in range(threads))
        text += f"""
            all
            la a0, t{n}
            csrr a1, 0xcc0
            slli a1, a1, 3
            add a0, a0, a1
            {load} t0, 0(a0)
            li s2, 77
            li s3, 77
            li s4, 77
            li s5, 77
            li t2, {active}
            tmc t2
            vote 0, s2, t0
            vote 1, s3, t0
            vote 2, s4, t0
            vote 3, s5, t0
            all
            put {4 * n}, s2
            put {4 * n + 1}, s3
            put {4 * n + 2}, s4
            put {4 * n + 3}, s5
        """
    result = machine.run(text + "exit 0\n", xlen, f"threads={threads}", symbols=".data\n.balign 16\n" + tables)
    assert result.status == 0, result.stderr
    for n, (active, bits) in enumerate(cases):
        yes = active & bits
        answers = [yes == active, yes != 0, yes in (0, active), yes]
        for kind, answer in enumerate(answers):
            expected = [int(answer) if active >> lane & 1 else 77 for lane in range(threads)]
            assert result.slot(4 * n + kind, threads) == expected, (kind, cases[n])


def shuffled(kind, values, lane, control):
    """What one lane gets, also from lanes that are off: CUDA's shuffles, `up` bounded by the segment."""
    b, c, segment = control & 63, control >> 6 & 63, control >> 12 & 63
    least = lane & segment
    most = least | (c & ~segment & 63)
    source = {"up": lane - b, "down": lane + b, "bfly": lane ^ b, "idx": least | (b & ~segment & 63)}[kind]
    inside = source >= least if kind == "up" else source <= most
    return values[source] if inside and 0 <= source < len(values) else values[lane]


@pytest.mark.parametrize("kind", ["up", "down", "bfly", "idx"])
@pytest.mark.parametrize("xlen,threads", [(32, 4), (64, 8), (32, 32), (64, 64)])
def test_shfl(machine, xlen, threads, kind):
    """Per lane: distance or index, clamp and segment of its own; all lanes on, then some off."""
    rng = random.Random(threads)
    number = {"up": 4, "down": 5, "bfly": 6, "idx": 7}[kind]
    values = [rng.getrandbits(31) for _ in range(threads)]
    cases = []
    for n in range(10):
        active = full(threads) if n % 2 == 0 else rng.getrandbits(threads) or 1
        if n < 4:  # the usual controls: the whole warp as one segment, one distance for all
            clamp = 0 if kind == "up" else threads - 1
            controls = [clamp << 6 | n] * threads
        elif n < 7:  # segments of 2, 4, 8 lanes
            segment = 63 & ~((2 << (n - 4)) - 1)
            clamp = 0 if kind == "up" else 63
            controls = [segment << 12 | clamp << 6 | rng.randrange(8) for _ in range(threads)]
        else:
            controls = [rng.getrandbits(18) for _ in range(threads)]
        cases.append((active, controls))
    load = "ld" if xlen == 64 else "lw"
    text, tables = "", "values:\n" + "".join(f".dword {v}\n" for v in values)
    for n, (active, controls) in enumerate(cases):
        tables += f"t{n}:\n" + "".join(f".dword {c}\n" for c in controls)
        text += f"""
            all
            csrr a1, 0xcc0
            slli a1, a1, 3
            la a0, values
            add a0, a0, a1
            {load} t0, 0(a0)
            la a0, t{n}
            add a0, a0, a1
            {load} t1, 0(a0)
            li s2, 77
            li t2, {active}
            tmc t2
            shfl {number}, s2, t0, t1
            shfl {number}, t0, t0, t1       # the destination is the source
            all
            put {2 * n}, s2
            put {2 * n + 1}, t0
        """
    result = machine.run(text + "exit 0\n", xlen, f"threads={threads}", symbols=".data\n.balign 16\n" + tables)
    assert result.status == 0, result.stderr
    for n, (active, controls) in enumerate(cases):
        got = [shuffled(kind, values, lane, controls[lane]) for lane in range(threads)]
        on = [active >> lane & 1 for lane in range(threads)]
        assert result.slot(2 * n, threads) == [g if o else 77 for g, o in zip(got, on)], cases[n]
        assert result.slot(2 * n + 1, threads) == [g if o else v for g, o, v in zip(got, on, values)], cases[n]


def test_wsync_changes_nothing(machine):
    """There is no pipeline to drain."""
    result = machine.run("all\nli t0, 5\nwsync\nput 0, t0\nexit 0\n", 32, "threads=4")
    assert result.status == 0 and result.slot(0, 4) == [5] * 4


@pytest.mark.parametrize("xlen,threads", [(32, 4), (64, 32)])
def test_jalr_goes_where_the_last_active_lane_says(machine, xlen, threads):
    """The others' registers may hold anything; the link goes to all active lanes."""
    text = """
        all
        la s0, wrong
        li t0, 6
        tmc t0
        la s1, wrong
        li t0, 4
        tmc t0
        la s1, right
        li t0, 6
        tmc t0                  # lanes 1 and 2; lane 2 is the last
    here:
        jalr s0, 0(s1)
    wrong:
        exit 9
    right:
        all
        la t0, wrong
        sub s0, s0, t0
        put 0, s0
        exit 0
    """
    result = machine.run(text, xlen, f"threads={threads}")
    assert result.status == 0, result.stderr
    assert result.slot(0, threads) == [0] * threads  # all: off lanes held it already, on lanes got it


@pytest.mark.parametrize("xlen", [32, 64])
def test_a_branch_on_which_lanes_disagree_is_a_mistake(machine, xlen):
    """Reported; with branches=rtl the last active lane decides for all."""
    text = """
        all
        csrr t0, 0xcc0
        li t1, 0b0111
        tmc t1
        {op} t0, 1f
        exit 3
    1:  exit 4
    """
    shape = "threads=4"
    for op in ("beqz", "bnez"):
        result = machine.run(text.format(op=op), xlen, shape)
        assert result.status == DIVERGENCE, result.stderr
    assert machine.run(text.format(op="beqz"), xlen, shape + ",branches=rtl").status == 3
    assert machine.run(text.format(op="bnez"), xlen, shape + ",branches=rtl").status == 4


def test_lanes_that_are_off_have_no_say_in_a_branch(machine):
    """All active lanes agree."""
    text = """
        all
        csrr t0, 0xcc0
        li t1, 0b1100
        tmc t1
        sltiu t2, t0, 2
        bnez t2, 1f
        exit 3
    1:  exit 4
    """
    assert machine.run(text, 32, "threads=4").status == 3


@pytest.mark.parametrize("xlen", [32, 64])
def test_csrs_of_warp_and_core_take_the_last_active_lane(machine, xlen):
    """mscratch and fflags written with a value per lane."""
    text = """
        all
        csrr t0, 0xcc0
        addi t0, t0, 1
        li t1, 0b0110
        tmc t1
        csrw 0x340, t0
        csrw 0x001, t0
        all
        csrr t2, 0x340
        csrr t3, 0x001
        put 0, t2
        put 1, t3
        exit 0
    """
    result = machine.run(text, xlen, "threads=4")
    assert result.slot(0, 4) == [3] * 4
    assert result.slot(1, 4) == [3] * 4


def test_lanes_that_are_off_touch_no_memory(machine):
    """Not even with addresses that would be mistakes."""
    text = """
        all
        csrr t0, 0xcc0
        li t3, 1
        sll t3, t3, t0          # an odd address in lane 0, misaligned ones above
        la t1, out
        li t2, 8
        tmc t2
        mv t3, t1
        sw t2, 0(t3)
        lw t2, 0(t3)
        exit 0
    """
    result = machine.run(text, 32, "threads=4")
    assert result.status == 0, result.stderr
    assert result.lane(0, 0) == 8


def test_io_takes_single_bytes_only(machine):
    """Stores to the console are one byte; others are a mistake, and the program's own memory is not."""
    assert machine.run("li t0, 0x40\nsb x0, 0(t0)\nexit 0\n").status == 0
    assert machine.run("li t0, 0x40\nsw x0, 0(t0)\nexit 0\n").status == ACCESS
    assert machine.run("li t0, 0x42\nsh x0, 0(t0)\nexit 0\n").status == ACCESS


def test_words_that_are_no_instruction(machine):
    """Reserved encodings of Vortex's own opcode, and all zeros."""
    for word in (0x0000600B, 0x0400000B, 0xFFFFFFFF, 0x0000002B, 0x0000005B, 0x0000007B):
        result = machine.run(f".4byte {word:#x}\nexit 0\n")
        assert result.status == ILLEGAL, hex(word)
    assert machine.run(".2byte 0\n.2byte 0\nexit 0\n").status == ILLEGAL


@pytest.mark.parametrize("op", ["fadd.s f0, f1, f2", "fcvt.w.s t0, f0", "fsqrt.d f0, f1", "fcvt.s.w f0, t0"])
def test_reserved_rounding_modes_are_illegal(machine, op):
    """Static 5 and 6, and 5, 6, 7 in frm when the mode is dynamic."""
    for frm in (5, 6, 7):
        result = machine.run(f"li t1, {frm}\ncsrw frm, t1\n{op}, dyn\nexit 0\n")
        assert result.status == ILLEGAL
        # A static mode does not look at frm.
        assert machine.run(f"li t1, {frm}\ncsrw frm, t1\n{op}, rtz\nexit 0\n").status == 0
    for rm in (5, 6):
        assert machine.run(f".4byte {0x00208053 | rm << 12:#x}\nexit 0\n").status == ILLEGAL
