"""WSPAWN, BAR, warp exit and the end of a program, at several shapes and under every schedule."""
import pytest

from simt import DEADLOCK, ILLEGAL

SCHEDULES = ["rr:1", "rr:64", "lockstep", "random:1", "random:77"]


def run(machine, text, xlen, shape, warps, schedule="rr:64", symbols=""):
    """Runs under a schedule."""
    return machine.run(text, xlen, shape, [f"--schedule={schedule}"], warps=warps, symbols=symbols)


# Starts all warps of the core at `worker`, works itself, waits for the others, exits.
START_ALL = """
        csrr t0, 0xfc1
        la t1, worker
        wspawn t0, t1
        call worker_body
        li t0, 1
        wspawn t0, x0           # waits until all others have exited
        j after
    worker:
        call worker_body
        tmc x0
"""


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("xlen,warps,threads", [(32, 4, 4), (64, 8, 2), (32, 32, 1), (64, 3, 8)])
def test_wspawn_starts_warps_with_one_lane(machine, xlen, warps, threads, schedule):
    """Warps 1 to n-1 start at rs2 with thread 0 alone; n is cut to the warps that there are."""
    for count in (warps, warps + 5, 2, 0xFFFFFFFF):
        text = f"""
            li t0, {count}
            la t1, worker
            wspawn t0, t1
            putone 2, t0
            li t0, 1
            wspawn t0, x0
            exit 0
        worker:
            csrr t0, 0xcc4
            put 0, t0
            csrr t0, 0xcc1
            addi t0, t0, 1
            putone 1, t0
            tmc x0
        """
        result = run(machine, text, xlen, f"warps={warps},threads={threads}", warps, schedule)
        assert result.status == 0, result.stderr
        started = min(count, warps)
        for warp in range(warps):
            on = 0 < warp < started
            assert result.slot(0, threads, warp) == [int(on)] + [0] * (threads - 1)
            assert result.lane(1, 0, warp) == (warp + 1 if on else 0)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_wspawn_waits_until_its_warp_is_alone(machine, schedule):
    """The second WSPAWN finds what all workers of the first have done, and not before."""
    text = """
        li t0, 4
        la t1, slow
        wspawn t0, t1
        la t1, quick
        wspawn t0, t1           # waits for the slow ones
        li t0, 1
        wspawn t0, x0
        exit 0
    slow:
        csrr t1, 0xcc1
        slli t1, t1, 6
    1:  addi t1, t1, -1
        bgez t1, 1b
        li t0, 1
        la t1, done
        amoadd.w x0, t0, (t1)
        tmc x0
    quick:
        la t1, done
        lw t0, 0(t1)
        putone 0, t0
        tmc x0
    """
    result = run(machine, text, 32, "warps=4,threads=2", 4, schedule, symbols=".data\ndone: .word 0\n")
    assert result.status == 0, result.stderr
    assert [result.lane(0, 0, warp) for warp in range(4)] == [0, 3, 3, 3]


@pytest.mark.parametrize("count", [0, 1, 2, 4])
def test_wspawn_of_a_warp_that_is_alone_does_not_wait(machine, count):
    """Fewer than two: nothing happens."""
    text = f"""
        li t0, {count}
        la t1, worker
        wspawn t0, t1
        exit 3
    worker:
        li t0, 1
        putone 0, t0
        tmc x0
    """
    result = run(machine, text, 32, "warps=4,threads=1", 4)
    assert result.status == 3
    assert [result.lane(0, 0, warp) for warp in range(4)] == [int(0 < warp < count) for warp in range(4)]


def test_count_and_place_of_wspawn_come_from_the_last_active_lane(machine):
    """The lower lanes hold something else."""
    text = """
        all
        csrr t0, 0xcc0          # lane 2: two warps
        la t1, wrong
        li t2, 4
        tmc t2
        la t1, worker
        li t2, 7
        tmc t2
        wspawn t0, t1
        exit 0
    wrong:
        exit 9
    worker:
        li t0, 1
        putone 0, t0
        tmc x0
    """
    result = run(machine, text, 32, "warps=4,threads=4", 4)
    assert result.status == 0, result.stderr
    assert [result.lane(0, 0, warp) for warp in range(4)] == [0, 1, 0, 0]


@pytest.mark.parametrize("xlen", [32, 64])
def test_wspawn_leaves_registers_as_they_were(machine, xlen):
    """What a warp's earlier life left in x and f registers of each lane, the next one finds."""
    text = """
        li t0, 4
        la t1, first
        wspawn t0, t1
        la t1, second
        wspawn t0, t1
        li t0, 1
        wspawn t0, x0
        exit 0
    first:
        all
        csrr s0, 0xcc1
        slli s0, s0, 8
        csrr t0, 0xcc0
        add s0, s0, t0
        addi s0, s0, 1
        fcvt.s.w fs0, s0
        tmc x0
    second:
        all
        put 0, s0
        fcvt.w.s t0, fs0
        put 1, t0
        tmc x0
    """
    result = run(machine, text, xlen, "warps=4,threads=4", 4)
    assert result.status == 0, result.stderr
    for warp in range(1, 4):
        expected = [warp * 256 + lane + 1 for lane in range(4)]
        assert result.slot(0, 4, warp) == expected
        assert result.slot(1, 4, warp) == expected


def test_a_warp_other_than_0_can_spawn(machine):
    """All warps below the count but the issuer start."""
    text = """
        li t0, 3
        la t1, worker
        wspawn t0, t1
        tmc x0                  # warp 0 leaves
    worker:
        csrr t0, 0xcc1
        li t1, 2
        beq t0, t1, 1f
        tmc x0
    1:  li t0, 4
        la t1, again
        wspawn t0, t1           # warp 2, when it is alone
        li t0, 1
        wspawn t0, x0
        exit 0
    again:
        li t0, 1
        putone 0, t0
        tmc x0
    """
    result = run(machine, text, 32, "warps=4,threads=1", 4)
    assert result.status == 0, result.stderr
    assert [result.lane(0, 0, warp) for warp in range(4)] == [1, 1, 0, 1]


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("xlen,warps,threads", [(32, 4, 4), (64, 8, 2), (32, 16, 1)])
def test_local_barrier(machine, xlen, warps, threads, schedule):
    """Each warp sees what every warp did before the barrier; round after round on one barrier."""
    text = START_ALL + """
    worker_body:
        csrr s0, 0xcc1
        csrr s1, 0xfc1
        li s2, 0                # round
        li s5, 0                # how often the count was wrong
    1:  mv t0, s0
    2:  addi t0, t0, -1         # warps arrive at different times
        bgez t0, 2b
        li t0, 1
        la t1, count
        amoadd.w x0, t0, (t1)
        li a5, 0
        bar a5, s1
        addi s2, s2, 1
        mul t2, s2, s1
        lw t3, 0(t1)
        xor t3, t3, t2
        snez t3, t3
        add s5, s5, t3
        li a5, 1
        bar a5, s1              # nobody counts on before all have looked
        li t0, 20
        blt s2, t0, 1b
        addi s5, s5, 1
        putone 0, s5
        ret
    after:
        exit 0
    """
    result = run(machine, text, xlen, f"warps={warps},threads={threads}", warps, schedule,
                 symbols=".data\ncount: .word 0\n")
    assert result.status == 0, result.stderr
    assert [result.lane(0, 0, warp) for warp in range(warps)] == [1] * warps


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_barriers_are_independent(machine, schedule):
    """Warps 0 and 1 meet at one barrier, 2 and 3 at another; neither pair waits for the other."""
    text = START_ALL + """
    worker_body:
        csrr s0, 0xcc1
        srli a5, s0, 1          # barrier 0 or 1
        li a4, 2
        la t1, counts
        slli t2, a5, 2
        add t1, t1, t2
        li t0, 1
        amoadd.w x0, t0, (t1)
        bar a5, a4
        lw t3, 0(t1)
        putone 0, t3
        ret
    after:
        exit 0
    """
    result = run(machine, text, 32, "warps=4,threads=1", 4, schedule, symbols=".data\ncounts: .word 0, 0\n")
    assert result.status == 0, result.stderr
    assert [result.lane(0, 0, warp) for warp in range(4)] == [2] * 4


@pytest.mark.parametrize("count", [0, 1])
@pytest.mark.parametrize("barrier", [0, 0x80000000])
def test_a_barrier_for_fewer_than_two_does_nothing(machine, barrier, count):
    """The warp goes on at once."""
    result = machine.run(f"li t0, {barrier}\nli t1, {count}\nbar t0, t1\nexit 6\n")
    assert result.status == 6


@pytest.mark.parametrize("warps,barriers", [(1, 1), (2, 1), (4, 2), (8, 4)])
def test_a_core_has_half_as_many_barriers_as_warps(machine, warps, barriers):
    """At least one; another number is a mistake."""
    good = f"""
        li s0, 2
        la t1, worker
        wspawn s0, t1
    worker:
        li s0, 2
        li t0, {barriers - 1}
        bar t0, s0
        csrr t0, 0xcc1
        bnez t0, 1f
        exit 6
    1:  tmc x0
    """
    if warps > 1:
        assert machine.run(good, 32, f"warps={warps}").status == 6
    bad = machine.run(f"li t0, {barriers}\nli t1, 2\nbar t0, t1\nexit 6\n", 32, f"warps={warps}")
    assert bad.status == ILLEGAL and "barrier" in bad.stderr


def test_barrier_operands_come_from_the_last_active_lane(machine):
    """The lower lanes ask for a barrier that does not exist."""
    text = """
        all
        csrr t0, 0xcc0
        xori t0, t0, 3          # lane 3: barrier 0
        csrr t1, 0xcc0
        addi t1, t1, -2         # lane 3: one warp
        bar t0, t1
        exit 6
    """
    assert machine.run(text, 32, "threads=4,warps=4").status == 6


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("xlen,clusters,cores,warps", [(32, 1, 2, 2), (64, 1, 4, 3), (32, 2, 2, 2)])
def test_global_barrier(machine, xlen, clusters, cores, warps, schedule):
    """A core arrives when all its active warps have; the count is of cores of the cluster."""
    text = START_ALL + f"""
    worker_body:
        csrr s0, 0xcc2
        li t0, {cores}
        divu s1, s0, t0         # cluster
        slli s1, s1, 2
        la s2, counts
        add s2, s2, s1
        slli t0, s0, 4
    2:  addi t0, t0, -1         # cores arrive at different times
        bgez t0, 2b
        li t0, 1
        amoadd.w x0, t0, (s2)
        li a5, 0x80000000
        li a4, {cores}
        bar a5, a4
        lw t3, 0(s2)
        putone 0, t3
        ret
    after:
        exit 0
    """
    total = clusters * cores * warps
    result = run(machine, text, xlen, f"clusters={clusters},cores={cores},warps={warps},threads=1", total, schedule,
                 symbols=".data\ncounts: .word 0, 0, 0, 0\n")
    assert result.status == 0, result.stderr
    assert [result.lane(0, 0, warp) for warp in range(total)] == [cores * warps] * total


def test_a_core_arrives_at_a_global_barrier_when_its_last_other_warp_exits(machine):
    """Only active warps count."""
    text = """
        csrr t0, 0xcc2
        bnez t0, meet           # core 1 arrives at once
        li t0, 2
        la t1, leave
        wspawn t0, t1
    meet:
        li a5, 0x80000000
        li a4, 2
        bar a5, a4
        csrr t0, 0xcc2
        bnez t0, 1f
        exit 6
    1:  tmc x0
    leave:
        li t0, 300
    1:  addi t0, t0, -1
        bgez t0, 1b
        tmc x0
    """
    assert machine.run(text, 32, "cores=2,warps=2").status == 6


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_deadlocks_are_reported(machine, schedule):
    """Every active warp waits for another one: at a barrier, or in WSPAWN beside one."""
    alone = "li t0, 0\nli t1, 2\nbar t0, t1\nexit 6\n"
    result = run(machine, alone, 32, "warps=4", 4, schedule)
    assert result.status == DEADLOCK
    both = """
        li t0, 2
        la t1, worker
        wspawn t0, t1
        wspawn t0, t1           # waits for warp 1, which waits at a barrier
        exit 6
    worker:
        li t0, 0
        li t1, 3
        bar t0, t1
        tmc x0
    """
    result = run(machine, both, 32, "warps=4", 4, schedule)
    assert result.status == DEADLOCK
    assert "barrier" in result.stderr and "wspawn" in result.stderr.lower()


def test_a_program_ends_when_no_warp_is_active(machine):
    """Not when the first one exits; the exit word is that which was stored last."""
    text = """
        li t0, 2
        la t1, worker
        wspawn t0, t1
        exit 1
    worker:
        li t0, 500
    1:  addi t0, t0, -1
        bgez t0, 1b
        exit 2
    """
    assert machine.run(text, 32, "warps=2").status == 2


@pytest.mark.parametrize("op", ["ecall", "ebreak"])
def test_ecall_and_ebreak_stop_their_core(machine, op):
    """All warps of that core, at once; other cores go on. An exit word stored before stays."""
    text = f"""
        csrr t0, 0xcc2
        bnez t0, other
        li t0, 9
        sw t0, 0x88(x0)
        li t0, 4
        la t1, worker
        wspawn t0, t1
        {op}
        exit 1
    worker:
        j worker                # would run for ever
    other:
        li t0, 300
    1:  addi t0, t0, -1
        bgez t0, 1b
        li t0, 1
        putone 0, t0
        tmc x0
    """
    result = machine.run(text, 32, "cores=2,warps=4", warps=8)
    assert result.status == 9, result.stderr
    assert result.lane(0, 0, 4) == 1


@pytest.mark.parametrize("op", ["mret", "sret", ".4byte 0x00200073"])
def test_returns_from_traps_do_nothing(machine, op):
    """There are no traps in this version."""
    assert machine.run(f"li t0, 4\n{op}\naddi t0, t0, 1\nsw t0, 0x88(x0)\ntmc x0\n").status == 5


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_atomics_of_all_lanes_and_warps_add_up(machine, schedule):
    """Every lane of every warp of every core adds to one word; old values are all different."""
    text = START_ALL + """
    worker_body:
        all
        li t0, 1
        la t1, sum
        li t2, 10
    1:  amoadd.w t3, t0, (t1)
        addi t2, t2, -1
        bnez t2, 1b
        put 0, t3
        li t0, 1
        tmc t0
        ret
    after:
        la t1, sum
        lw t0, 0(t1)
        putone 1, t0
        exit 0
    """
    shape = "cores=2,warps=4,threads=8"
    result = run(machine, text, 32, shape, 8, schedule, symbols=".data\nsum: .word 0\n")
    assert result.status == 0, result.stderr
    seen = [result.lane(0, lane, warp) for warp in range(8) for lane in range(8)]
    assert len(set(seen)) == 64
    assert max(result.lane(1, 0, 0), result.lane(1, 0, 4)) == 640


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_lr_sc_lock(machine, schedule):
    """A spin lock that one lane of each warp takes by LR/SC protects a plain counter."""
    text = START_ALL + """
    worker_body:
        la s0, lock
        la s1, counter
        li s2, 25
        li s3, 1
    1:  lr.w t0, (s0)
        bnez t0, 1b
        sc.w t0, s3, (s0)
        bnez t0, 1b
        lw t1, 0(s1)
        addi t1, t1, 1
        sw t1, 0(s1)
        sw x0, 0(s0)
        addi s2, s2, -1
        bnez s2, 1b
        ret
    after:
        lw t0, 0(s1)
        putone 0, t0
        exit 0
    """
    symbols = ".data\nlock: .word 0\ncounter: .word 0\n"
    result = run(machine, text, 32, "warps=8,threads=1", 8, schedule, symbols=symbols)
    assert result.status == 0, result.stderr
    assert result.lane(0, 0) == 200
