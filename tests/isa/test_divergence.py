"""SPLIT, JOIN and the IPDOM stack, against a recursive model of structured control flow."""
import random

import pytest

from simt import STACK


class Node:
    """An if/else; a part is a Node or None, which is a leaf."""

    def __init__(self, rng, threads, depth, counter):
        self.number = counter[0]
        counter[0] += 1
        style = rng.randrange(5)
        self.bits = [0, (1 << threads) - 1, 0, 0, 0][style] if style < 2 else rng.getrandbits(threads)
        if style == 2:  # two halves of one size, to meet ties
            self.bits = sum(1 << lane for lane in range(0, threads, 2))
        self.negate = rng.randrange(2) == 1
        self.parts = [Node(rng, threads, depth - 1, counter) if depth > 1 and rng.randrange(4) else None
                      for _ in range(2)]
        self.leaves = [None, None]
        for i, part in enumerate(self.parts):
            if part is None:
                self.leaves[i] = counter[1]
                counter[1] += 1


def code(node, depth):
    """Assembly of an if/else: predicates come from a table, s2.. hold what SPLIT gave."""
    register = f"s{2 + depth}"
    k = node.number
    text = f"""
        slli t0, s0, 3
        la t1, predicates + {k * 64 * 8}
        add t1, t1, t0
        lw t2, 0(t1)
        {"splitn" if node.negate else "split"} {register}, t2
        andi t3, t2, 1
        {"bnez" if node.negate else "beqz"} t3, else_{k}
    """
    for i in range(2):
        if i == 1:
            text += f"    j join_{k}\nelse_{k}:\n"
        if node.parts[i]:
            text += code(node.parts[i], depth + 1)
        else:
            text += f"""
        la t1, sequence
        lw t4, 0(t1)
        addi t4, t4, 1
        sw t4, 0(t1)
        put {node.leaves[i]}, t4
        """
    # What SPLIT gave stays in the register of each lane that was active there.
    return text + f"join_{k}:\n    join {register}\n    put {32 + k}, {register}\n"


def model(node, mask, depth, state):
    """Runs both parts as the rules of SPLIT and JOIN say: the larger first, `then` on a tie."""
    if not mask:
        return
    then = mask & (~node.bits if node.negate else node.bits)
    other = mask & ~then
    parts = [(then, 0), (other, 1)]
    divergent = then and other
    if divergent and bin(other).count("1") > bin(then).count("1"):
        parts.reverse()
    for part_mask, i in parts:
        if not part_mask:
            continue
        if node.parts[i]:
            model(node.parts[i], part_mask, depth + bool(divergent), state)
        else:
            state["sequence"] += 1
            for lane in range(64):
                if part_mask >> lane & 1:
                    state["leaves"][node.leaves[i], lane] = state["sequence"]
    for lane in range(64):
        if mask >> lane & 1:
            state["split"][node.number, lane] = depth


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("xlen,threads", [(32, 1), (32, 2), (32, 4), (64, 4), (32, 8), (64, 32), (64, 64)])
def test_nested_ifs(machine, xlen, threads, seed):
    """Order of the parts, lanes in each, what SPLIT returns, and all lanes back at the end."""
    rng = random.Random(1000 * threads + seed)
    counter = [0, 0]
    tree = Node(rng, threads, 4, counter)
    assert counter[0] <= 31 and counter[1] <= 32
    start = rng.getrandbits(threads) or 1 if seed % 2 else (1 << threads) - 1
    predicates = ".data\nsequence: .dword 0\n.balign 16\npredicates:\n"
    nodes = {}

    def collect(node):
        nodes[node.number] = node
        for part in node.parts:
            if part:
                collect(part)

    collect(tree)
    for k in sorted(nodes):
        # Only bit 0 is the predicate.
        predicates += "".join(f".dword {4 + (nodes[k].bits >> lane & 1)}\n" for lane in range(64))
    text = f"all\ncsrr s0, 0xcc0\nli t0, {start}\ntmc t0\n" + code(tree, 0)
    text += "csrr t0, 0xcc4\nput 63, t0\nexit 0\n"
    result = machine.run(text, xlen, f"threads={threads}", symbols=predicates)
    assert result.status == 0, result.stderr
    state = {"sequence": 0, "leaves": {}, "split": {}}
    model(tree, start, 0, state)
    for leaf in range(counter[1]):
        assert result.slot(leaf, threads) == [state["leaves"].get((leaf, lane), 0) for lane in range(threads)]
    for k in nodes:
        assert result.slot(32 + k, threads) == [state["split"].get((k, lane), 0) for lane in range(threads)]
    assert result.slot(63, threads) == [start if start >> lane & 1 else 0 for lane in range(threads)]


def peel(threads, pushes, again):
    """Splits one lane off at a time; `again` splits enable all lanes before, to nest deeper."""
    text = "all\ncsrr s0, 0xcc0\n"
    for n in range(pushes):
        text += f"li t0, {n}\nxor t1, s0, t0\nsltiu t1, t1, 1\nsplit s1, t1\nputone {n}, s1\n"
    for n in range(again):
        text += f"all\nslti t1, s0, 1\nsplit s1, t1\nputone {pushes + n}, s1\n"
    return text + "exit 5\n"


@pytest.mark.parametrize("xlen,threads", [(32, 2), (32, 4), (64, 8), (32, 32)])
def test_the_stack_has_one_entry_less_than_the_warp_has_threads(machine, xlen, threads):
    """threads - 1 divergent splits fit, in which each peels one lane off; one more does not."""
    fits = machine.run(peel(threads, threads - 1, 0), xlen, f"threads={threads}")
    assert fits.status == 5, fits.stderr
    assert [fits.lane(n, 0) for n in range(threads - 1)] == list(range(threads - 1))
    full = machine.run(peel(threads, threads - 1, 1), xlen, f"threads={threads}")
    assert full.status == STACK
    assert "full" in full.stderr


def test_a_split_that_does_not_diverge_pushes_nothing(machine):
    """However often, and whatever the predicate."""
    text = "all\n" + "".join(f"li t0, {n % 4}\nsplit s{n % 10 + 1}, t0\n" for n in range(100))
    result = machine.run(text + "putone 0, s10\nexit 5\n", 32, "threads=4")
    assert result.status == 5 and result.lane(0, 0) == 0


@pytest.mark.parametrize("depth", [1, 3, 0xFFFFFFFF])
def test_join_without_split(machine, depth):
    """A depth that is not the stack's, and nothing on it."""
    result = machine.run(f"li t0, {depth}\njoin t0\nexit 5\n", 32, "threads=4")
    assert result.status == STACK and "empty" in result.stderr


def test_join_of_the_present_depth_does_nothing(machine):
    """Its split did not diverge."""
    text = """
        all
        csrr t0, 0xcc0
        join x0
        csrr t1, 0xcc4
        put 0, t1
        exit 5
    """
    result = machine.run(text, 32, "threads=4")
    assert result.status == 5 and result.slot(0, 4) == [15] * 4


def test_join_takes_the_depth_of_the_last_active_lane(machine):
    """The lower lanes hold something else."""
    text = """
        all
        csrr t0, 0xcc0
        slti t1, t0, 2
        split s1, t1            # lanes 0 and 1 first (a tie), 2 and 3 after
        csrr t2, 0xcc4
        put 0, t2
        beqz t1, 1f
        slti t3, t0, 1
        add s1, s1, t3          # lane 0 now says 1: the present depth
    1:  join s1
        csrr t2, 0xcc4
        put 1, t2
        exit 5
    """
    result = machine.run(text, 32, "threads=4")
    assert result.status == 5, result.stderr
    assert result.slot(0, 4) == [3, 3, 12, 12]
    assert result.slot(1, 4) == [15] * 4


def test_the_second_part_starts_right_after_the_split(machine):
    """JOIN goes to split + 4, not to the branch's target."""
    text = """
        all
        csrr t0, 0xcc0
        slti t1, t0, 1
        split s1, t1            # lanes 1 to 3 first, then lane 0
        la t2, out + 8
        lw t3, 0(t2)
        addi t3, t3, 1
        sw t3, 0(t2)            # both parts pass here
        join s1
        putone 2, t3
        exit 5
    """
    result = machine.run(text, 32, "threads=4")
    assert result.status == 5
    assert result.lane(0, 1) == 2


def test_tmc_inside_a_split_does_not_reach_the_stack(machine):
    """The masks to restore are those of the split."""
    text = """
        all
        csrr t0, 0xcc0
        slti t1, t0, 2
        split s1, t1
        beqz t1, 1f
        li t2, 1
        tmc t2                  # of lanes 0 and 1, lane 0 goes on
    1:  csrr t2, 0xcc4
        put 0, t2
        join s1
        csrr t2, 0xcc4
        put 1, t2
        exit 5
    """
    result = machine.run(text, 32, "threads=4")
    assert result.status == 5
    assert result.slot(0, 4) == [1, 0, 12, 12]
    assert result.slot(1, 4) == [15] * 4


@pytest.mark.parametrize("xlen,threads", [(32, 4), (64, 32)])
def test_loop_with_divergent_trip_counts(machine, xlen, threads):
    """A loop whose lanes leave one after the other, as compilers make it: split, branch, join."""
    text = """
        all
        csrr s0, 0xcc0
        li s1, 0                # sum 1 + 2 + ... + lane
        li s2, 0
    1:  slt t0, s2, s0
        csrr s4, 0xcc4
        pred t0, s4
        bge s2, s0, 2f          # none wants to go on: all of the loop's lanes are back
        addi s2, s2, 1
        add s1, s1, s2
        j 1b
    2:  all
        put 0, s1
        exit 0
    """
    result = machine.run(text, xlen, f"threads={threads}")
    assert result.status == 0, result.stderr
    assert result.slot(0, threads) == [lane * (lane + 1) // 2 for lane in range(threads)]
