"""Launches of Vortex 3.0: grids, CTAs and their places, what a warp is told, and what is reused."""
import subprocess

import pytest

from simt import ILLEGAL
from v3 import OUT, Kernel, order, threads, words

# Stores 12 numbers of each thread, at its place in the whole grid.
TELL = """
    csrr t0, 0xcd8              # the CTA's number in the grid
    csrr t1, 0xcdd
    mul t0, t0, t1
    csrr t1, 0xcd7
    add t0, t0, t1
    csrr t1, 0xcdc
    mul t0, t0, t1
    csrr t1, 0xcd6
    add t0, t0, t1
    csrr t1, 0xcdb              # threads of a CTA
    csrr t2, 0xcda
    mul t1, t1, t2
    csrr t3, 0xcd9
    mul t1, t1, t3
    mul t0, t0, t1
    csrr t1, 0xcd5              # the thread's number in the CTA
    mul t1, t1, t2
    csrr t2, 0xcd4
    add t1, t1, t2
    mul t1, t1, t3
    csrr t2, 0xcd3
    add t1, t1, t2
    add t0, t0, t1
    li t1, 48
    mul t0, t0, t1
    add t0, t0, a0
    .irp csr, 0xcd0, 0xcd1, 0xcd2, 0xcd3, 0xcd4, 0xcd5, 0xcd6, 0xcd7, 0xcd8, 0xcdf, 0xce0, 0xcc2
    csrr t1, \\csr
    sw t1, 0(t0)
    addi t0, t0, 4
    .endr
    ret
""".replace("\\\\", "\\")


def three(text):
    """'3x2' as (3, 2, 1)."""
    numbers = [int(n) for n in text.split("x")]
    return tuple(numbers + [1] * (3 - len(numbers)))


SHAPES = [("1", "1", "1"), ("5", "4", "1"), ("3x2", "3x3", "1"), ("2x3x2", "5x2x3", "1"), ("4x4", "8", "2x2"), ("6x2", "7", "3x1"), ("7", "33", "1")]


@pytest.mark.sample(3)
@pytest.mark.parametrize("schedule", ["rr:64", "rr:1", "lockstep", "random:5"])
@pytest.mark.parametrize("grid,block,cluster", SHAPES)
def test_every_thread_of_a_grid_runs_once(wavetrap, tmp_path, grid, block, cluster, schedule):
    """Each thread is told where it is, whatever the order; a CTA of 33 threads has more warps than the core."""
    kernel = Kernel(tmp_path, TELL)
    g, b, c = three(grid), three(block), three(cluster)
    everybody = threads(b)
    count = g[0] * g[1] * g[2] * len(everybody)
    done = kernel.run(wavetrap, f"cores=2,grid={grid},block={block},cluster={cluster},lmem=100", [f"--schedule={schedule}"], size=48 * count)
    assert done.returncode == 0 and not done.stderr, done.stderr
    told = words(done.memory)
    core_of, clusters = {}, 0
    for n, cta in enumerate(order(g, c)):
        if n % (c[0] * c[1] * c[2]) == 0:
            core, clusters = clusters % 2, clusters + 1
        core_of[cta] = core
    for z in range(g[2]):
        for y in range(g[1]):
            for x in range(g[0]):
                number = ((z * g[1] + y) * g[0] + x) * len(everybody)
                for t, thread in enumerate(everybody):
                    seen = told[12 * (number + t):12 * (number + t) + 12]
                    place, rank = seen[0], seen[1]
                    assert place < 4 and rank == t // 4
                    assert seen[2:] == [(len(everybody) + 3) // 4, *thread, x, y, z, 0xFFFF0000 + 128 * place, c[0] * c[1] * c[2], core_of[x, y, z]]


def test_a_warp_runs_its_prologue_once(wavetrap, tmp_path):
    """Warps that get another CTA begin 20 bytes before the end of the last one: at the call of the kernel."""
    kernel = Kernel(tmp_path, TELL)
    done = kernel.run(wavetrap, "grid=50,block=4", size=48 * 200)
    assert done.returncode == 0, done.stderr
    assert done.prologues[:5] == [4, 4, 4, 4, 0]  # one for each lane
    assert [words(done.memory)[48 * n + 6] for n in range(50)] == list(range(50))


def test_local_memory_limits_the_places(wavetrap, tmp_path):
    """A place is a CTA's part of local memory, rounded up to 64 bytes: two of 8 KiB, and one of 8 KiB and a byte."""
    kernel = Kernel(tmp_path, TELL)
    for size, places in ((0, 4), (4096, 4), (4097, 3), (8192, 2), (8193, 1), (16384, 1)):
        done = kernel.run(wavetrap, f"grid=20,block=4,lmem={size}", ["--schedule=rr:1"], size=48 * 80)
        assert done.returncode == 0, done.stderr
        seen = [words(done.memory)[48 * n] for n in range(20)]
        pitch = (size + 63) // 64 * 64
        assert set(seen) == set(range(places))
        assert [words(done.memory)[48 * n + 9] for n in range(20)] == [0xFFFF0000 + place * pitch for place in seen]


def test_launches_that_cannot_be(wavetrap, tmp_path):
    kernel = Kernel(tmp_path, TELL)
    for gpu, why in (("grid=5,cluster=2", "does not divide"), ("lmem=16385", "lmem=16385"), ("grid=3x", "after the last x"),
                     ("block=2x2x2x2", "one to three numbers"), ("slots=32", "the ring of profile v3 has 64")):
        done = kernel.run(wavetrap, gpu)
        assert done.returncode == 125 and why in done.stderr, done.stderr


# A barrier of all warps of the CTA; each warp then reads what the next one wrote before.
EXCHANGE = """
    csrr t0, 0xcdf              # local memory of the CTA
    csrr t1, 0xcd1
    csrr t2, 0xcd2
    slli t3, t1, 2
    add t3, t0, t3
    csrr t4, 0xcd6
    slli t4, t4, 8
    add t4, t4, t1
    sw t4, 0(t3)
    csrr t5, 0xcd0
    ori t5, t5, {number} << 8
    {barrier}
    addi t1, t1, 1
    blt t1, t2, 1f
    li t1, 0
1:  slli t3, t1, 2
    add t3, t0, t3
    lw t4, 0(t3)
    csrr t0, 0xcd6
    mul t0, t0, t2
    csrr t1, 0xcd1
    add t0, t0, t1
    slli t0, t0, 2
    add t0, t0, a0
    sw t4, 0(t0)
    ret
"""
SYNC = ".insn r 0x0b, 4, 0, x0, t5, t2"
SPLIT = """
    .insn r 0x0b, 6, 0, t6, t5, t2      # arrive: t6 is the phase before
    .insn r 0x0b, 6, 0, x0, t5, t6      # wait while it is that one
"""


@pytest.mark.sample(3)
@pytest.mark.parametrize("schedule", ["rr:64", "rr:1", "lockstep", "random:9"])
@pytest.mark.parametrize("barrier", [SYNC, SPLIT], ids=["bar", "arrive-wait"])
def test_barriers_of_a_cta(wavetrap, tmp_path, barrier, schedule):
    """Barriers are each CTA's own, and their phases go on from CTA to CTA in one place."""
    kernel = Kernel(tmp_path, EXCHANGE.replace("{barrier}", barrier).replace("{number}", "7"))
    for warps in (1, 2, 3):
        done = kernel.run(wavetrap, f"warps=8,grid=24,block={4 * warps},lmem=64", [f"--schedule={schedule}"], size=4 * 24 * warps)
        assert done.returncode == 0, done.stderr
        assert words(done.memory) == [cta << 8 | (rank + 1) % warps for cta in range(24) for rank in range(warps)]


@pytest.mark.parametrize("barrier", [SYNC, SPLIT], ids=["bar", "arrive-wait"])
def test_races_are_those_of_one_cta(wavetrap, tmp_path, barrier):
    """CTAs that have a place one after the other share no memory; warps of one CTA do, and race without the barrier. Local memory of a CTA
    that begins has no value that another one left."""
    for text, found in ((EXCHANGE.replace("{barrier}", barrier).replace("{number}", "7"), False), (EXCHANGE.replace("{barrier}", "").replace("{number}", "7"), True)):
        kernel = Kernel(tmp_path, text)
        done = kernel.run(wavetrap, "warps=8,grid=24,block=12,lmem=64", ["--check=race,sync"], size=4 * 24 * 3)
        assert (done.returncode, "error: race" in done.stderr) == ((115, True) if found else (0, False)), done.stderr


def test_barriers_that_cannot_be(wavetrap, tmp_path):
    """A number or a place that there is not; 0 arrivals; a CTA of more warps than the core."""
    for number, gpu, why in (("7", "block=16", None), ("8", "", "barrier 8 of CTA place 0 does not exist"),
                             ("7", "block=20", "a CTA of 5 warps at a barrier, on a core of 4")):
        kernel = Kernel(tmp_path, EXCHANGE.replace("{barrier}", SYNC).replace("{number}", number) if number == "7" else
                        "csrr t2, 0xcd2\nli t5, 0x800\n.insn r 0x0b, 4, 0, x0, t5, t2\nret")
        done = kernel.run(wavetrap, gpu)
        assert (done.returncode == 0) == (why is None), done.stderr
        assert why is None or why in done.stderr, done.stderr
    done = Kernel(tmp_path, ".insn r 0x0b, 4, 0, x0, x0, x0\nret").run(wavetrap)
    assert "a barrier for 0 arrivals" in done.stderr
    transactions = "li t2, 0x80000003\n.insn r 0x0b, 6, 0, t6, x0, t2\nli t2, 1\n.insn r 0x0b, 4, 0, x0, x0, t2\nret"
    done = Kernel(tmp_path, transactions).run(wavetrap)
    assert "3 transactions are pending" in done.stderr, done.stderr


# t5: the barrier; each line of the middle gives what is stored: the phase before, 0 or 1.
PHASES = """
    csrr t0, 0xcc0
    csrr t5, 0xcd0
    ori t5, t5, 3 << 8
    li t2, 1
    li t3, 0x80000000                   # announces no transaction
    .insn r 0x0b, 6, 0, s1, t5, t2      # arrive: 0, and it ends the phase
    .insn r 0x0b, 6, 0, s2, t5, t2      # arrive: 1, likewise
    .insn r 0x0b, 4, 0, x0, t5, t2      # bar: likewise
    .insn r 0x0b, 6, 0, s3, t5, t3      # no arrival: 1
    .insn r 0x0b, 6, 0, s4, t5, t3      # still 1
    .insn r 0x0b, 6, 0, x0, t5, x0      # wait while it is 0: it is not
    .insn r 0x0b, 6, 0, s5, t5, t2      # arrive: 1
    .insn r 0x0b, 6, 0, x0, t5, t2      # wait while it is 1: it is not
    slli t0, t0, 5
    add t0, t0, a0
    sw s1, 0(t0)
    sw s2, 4(t0)
    sw s3, 8(t0)
    sw s4, 12(t0)
    sw s5, 16(t0)
    ret
"""


@pytest.mark.parametrize("xlen", [32, 64])
def test_phases_of_a_barrier(wavetrap, tmp_path, xlen):
    """A count of 1 is an arrival that ends the phase; one barrier of a CTA's eight has its own."""
    done = Kernel(tmp_path, PHASES, xlen).run(wavetrap, f"xlen={xlen}", size=128)
    assert done.returncode == 0, done.stderr
    assert [words(done.memory)[8 * lane:8 * lane + 5] for lane in range(4)] == [[0, 1, 1, 1, 1]] * 4


# All threads of all cores add 1 to a number, at different times, and read it behind a barrier of all cores.
MEET = """
    csrr t0, 0xcc2
    slli t0, t0, 5
1:  addi t0, t0, -1
    bgez t0, 1b
    li t1, 1
    addi t0, a0, 1024
    amoadd.w x0, t1, (t0)
    csrr t5, 0xcd0
    li t1, 0x80000200
    or t5, t5, t1
    csrr t2, 0xfc2
    {barrier}
    lw t1, 0(t0)
    csrr t0, 0xcc2
    csrr t2, 0xfc1
    mul t0, t0, t2
    csrr t2, 0xcc1
    add t0, t0, t2
    slli t0, t0, 2
    add t0, t0, a0
    sw t1, 0(t0)
    ret
"""


@pytest.mark.sample(3)
@pytest.mark.parametrize("schedule", ["rr:64", "random:9"])
@pytest.mark.parametrize("barrier", [SYNC, SPLIT], ids=["bar", "arrive-wait"])
@pytest.mark.parametrize("cores,warps", [(2, 3), (4, 2)])
def test_barriers_of_all_cores(wavetrap, tmp_path, barrier, schedule, cores, warps):
    done = Kernel(tmp_path, MEET.replace("{barrier}", barrier)).run(wavetrap, f"cores={cores},warps={warps},grid={cores},block={4 * warps}", [f"--schedule={schedule}"], size=1028)
    assert done.returncode == 0, done.stderr
    assert words(done.memory)[:cores * warps] == [4 * cores * warps] * cores * warps
    if schedule == "rr:64":
        alone = Kernel(tmp_path, MEET.replace("{barrier}", ""), name="alone").run(wavetrap, f"cores={cores},warps={warps},grid={cores},block={4 * warps}", size=1028)
        assert words(alone.memory)[0] < 4 * cores * warps, "without the barrier the first core reads too early"


def test_transactions_that_nobody_completes(wavetrap, tmp_path):
    """Announced for a barrier of the CTA, or of all cores; the report tells how many the warps wait for."""
    for barrier in ("x0", "t5"):
        done = Kernel(tmp_path, f"li t5, 0x80000000\nli t2, 0x80000002\n.insn r 0x0b, 6, 0, t6, {barrier}, t2\n.insn r 0x0b, 6, 0, t6, {barrier}, t2\nli t2, 1\n.insn r 0x0b, 4, 0, x0, {barrier}, t2\nret").run(wavetrap)
        assert done.returncode == 121 and "4 transactions are pending" in done.stderr, done.stderr


@pytest.mark.parametrize("xlen", [32, 64])
def test_traps(wavetrap, tmp_path, xlen):
    """ECALL and EBREAK go to mtvec with cause, PC and mask of the warp; MRET comes back with its mask."""
    store, step = ("sd", 8) if xlen == 64 else ("sw", 4)
    kernel = Kernel(tmp_path, f"""
        csrr s0, 0xcd0
        li t0, {8 * step}
        mul s0, s0, t0
        add s0, s0, a0
        la t0, handler
        csrw mtvec, t0
        csrw mscratch, s0
        li t0, 0x5
        .insn r 0x0b, 0, 0, x0, t0, x0      # lanes 0 and 2
    call: ecall
        ebreak
        csrr t1, 0xcc4
        {store} t1, {5 * step}(s0)
        li t0, -1
        .insn r 0x0b, 0, 0, x0, t0, x0
        ret
        .balign 4
    handler:
        li t0, 1
        .insn r 0x0b, 0, 0, x0, t0, x0      # one lane
        csrr t0, mcause
        csrr t1, mepc
        csrr t2, mtval
        csrr t3, mscratch
        {store} t0, 0(s0)
        {store} t1, {step}(s0)
        {store} t2, {2 * step}(s0)
        {store} t3, {3 * step}(s0)
        addi t1, t1, 4
        csrw mepc, t1
        li t1, 11
        bne t0, t1, 1f
        {store} t0, {4 * step}(s0)          # ECALL came by
    1:  mret
    """, xlen)
    done = kernel.run(wavetrap, "grid=4", size=4 * 8 * step)
    assert done.returncode == 0, done.stderr
    for cta in range(4):
        row = [int.from_bytes(done.memory[(8 * cta + n) * step:(8 * cta + n + 1) * step], "little") for n in range(6)]
        assert row == [3, kernel.symbols["call"] + 4, 0, OUT + 8 * step * cta, 11, 5]


def test_traps_without_a_handler(wavetrap, tmp_path):
    for op, what in (("ecall", "environment call (ecall)"), ("ebreak", "breakpoint (ebreak)")):
        done = Kernel(tmp_path, f"{op}\nret").run(wavetrap)
        assert done.returncode == 122 and f"{what}, and no handler: mtvec of the warp is 0" in done.stderr, done.stderr


def test_mscratch_is_the_warps(wavetrap, tmp_path):
    """And a warp that WSPAWN starts has that of the one that started it."""
    kernel = Kernel(tmp_path, """
        li t0, 1
        .insn r 0x0b, 0, 0, x0, t0, x0
        addi t1, a0, 64
        csrw mscratch, t1
        li t0, 4
        la t1, worker
        .insn r 0x0b, 1, 0, x0, t0, t1
        csrr t1, mscratch
        sw t1, 0(a0)
        li t0, 1
        .insn r 0x0b, 1, 0, x0, t0, x0
        .insn r 0x0b, 0, 0, x0, x0, x0
    worker:
        csrr t1, mscratch
        csrr t0, 0xcc1
        add t2, t1, t0
        csrw mscratch, t2
        slli t0, t0, 2
        addi t1, t1, -64
        add t1, t1, t0
        csrr t2, mscratch
        sw t2, 0(t1)
        .insn r 0x0b, 0, 0, x0, x0, x0
    """)
    done = kernel.run(wavetrap, size=16)
    assert done.returncode == 0, done.stderr
    assert words(done.memory) == [OUT + 64 + n for n in range(4)]


@pytest.mark.sample(3)
@pytest.mark.parametrize("lanes", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("mask", [-1, 0b0101, 0b1010, 0b0001])
def test_wgather(wavetrap, tmp_path, lanes, mask):
    """Lane s of each four gives rs1, rs2, rs3 to the three behind it, also to lanes that are switched off."""
    body = "csrr t0, 0xcc0\naddi t1, t0, 100\naddi t2, t0, 200\naddi t3, t0, 300\naddi t4, t0, 400\n"
    body += f"li t5, {mask}\n.insn r 0x0b, 0, 0, x0, t5, x0\n"
    for source in range(4):
        body += f"mv s{source + 2}, t4\n"
    body = body.replace(f"li t5, {mask}", "mv s2, t4\nmv s3, t4\nmv s4, t4\nmv s5, t4\n" + f"li t5, {mask}", 1)
    for source in range(4):
        body += f".insn r4 0x2b, 0, {source}, s{source + 2}, t1, t2, t3\n"
    body += "li t5, -1\n.insn r 0x0b, 0, 0, x0, t5, x0\nslli t0, t0, 4\nadd t0, t0, a0\n"
    body += "".join(f"sw s{source + 2}, {4 * source}(t0)\n" for source in range(4)) + "ret\n"
    if not mask & ((1 << lanes) - 1):
        return
    done = Kernel(tmp_path, body).run(wavetrap, f"threads={lanes}", size=16 * lanes)
    assert done.returncode == 0, done.stderr
    active = [lane for lane in range(lanes) if mask >> lane & 1]
    expected = []
    for lane in range(lanes):
        for source in range(4):
            nominal = lane // 4 * 4 + source
            distance = (lane - source) % 4
            from_lane = nominal if nominal in active else active[-1]
            expected.append(100 * distance + from_lane if distance else 400 + lane)
    assert words(done.memory) == expected


@pytest.mark.parametrize("xlen", [32, 64])
def test_packed_loads(wavetrap, tmp_path, xlen):
    """Four bytes, or two halfwords, at a stride, in one register; an odd halfword is misaligned."""
    body = """
        csrr t0, 0xcc0
        addi t1, t0, 3              # the stride of the bytes
        la t2, table
        .insn r 0x0b, 1, 4, f1, t2, t1
        slli t1, t1, 1
        .insn r 0x0b, 2, 4, f2, t2, t1
        slli t0, t0, 3
        add t0, t0, a0
        fsw f1, 0(t0)
        fsw f2, 4(t0)
        {more}
        ret
        .balign 4
    table: .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23
        .byte 0x80 + 3 * \\n
        .endr
    """.replace("\\\\", "\\")
    done = Kernel(tmp_path, body.replace("{more}", ""), xlen).run(wavetrap, size=32)
    assert done.returncode == 0, done.stderr
    table = bytes(0x80 + 3 * n for n in range(24))
    for lane in range(4):
        stride = lane + 3
        assert done.memory[8 * lane:8 * lane + 4] == bytes(table[stride * i] for i in range(4))
        assert done.memory[8 * lane + 4:8 * lane + 8] == table[0:2] + table[2 * stride:2 * stride + 2]
    odd = Kernel(tmp_path, body.replace("{more}", ".insn r 0x0b, 2, 4, f2, t2, t3\naddi t2, t2, 1\n.insn r 0x0b, 2, 4, f2, t2, t1"), xlen, name="odd")
    done = odd.run(wavetrap)
    assert "misaligned load of 2 bytes" in done.stderr and "misaligned=allow" in done.stderr, done.stderr
    assert odd.run(wavetrap, "misaligned=allow").returncode == 0


def test_packed_loads_are_checked(wavetrap, tmp_path):
    """--check=memory sees each part: the second one of lane 3 is by a null pointer; the lane loads nothing."""
    kernel = Kernel(tmp_path, """
        csrr t0, 0xcc0
        sltiu t1, t0, 3
        addi t1, t1, -1             # lane 3: all ones
        li t2, 0x90000000
        li t3, 0x70000010           # the stride there: 0x10 comes second
        and t1, t1, t3
        li t3, 0x04030201
        sw t3, 0(t2)
        .insn r 0x0b, 1, 4, f1, t2, t1
        slli t0, t0, 2
        add t0, t0, a0
        fsw f1, 0(t0)
        ret
    """)
    done = kernel.run(wavetrap, options=["--check=memory"], size=16)
    assert done.returncode == 115 and "null load of 1 byte" in done.stderr and "thread 3," in done.stderr, done.stderr
    assert words(done.memory) == [0x01010101] * 3 + [0]


UNITS = {0x066E000B: "vx_dxa: this Vortex has no DXA unit", 0x0400000B: "vx_tcu: this Vortex has no tensor unit (TCU)",
         0x0000202B: "vx_om4: this Vortex has no output merger (OM)", 0x0000402B: "vx_getws: this Vortex has no graphics window",
         0x0000502B: "vx_tex4: this Vortex has no texture unit (TEX)", 0x0000602B: "vx_window: this Vortex has no graphics window",
         0x0000702B: "vx_rtu: this Vortex has no ray tracing unit (RTU)"}


def test_units_that_are_not_there(wavetrap, tmp_path):
    """The stop names the unit."""
    for word, text in UNITS.items():
        done = Kernel(tmp_path, f".4byte {word:#x}\nret").run(wavetrap)
        assert done.returncode == ILLEGAL and text in done.stderr, done.stderr


def test_v2_has_none_of_them(machine):
    """Words of instructions of v3 are illegal in v2, as ever."""
    for word in (0x066E000B, 0x0062E38B, 0x0800100B, 0x0000002B):
        result = machine.run(f".4byte {word:#x}\nexit 0", 32)
        assert result.status == ILLEGAL and f"illegal instruction {word:#010x}" in result.stderr, result.stderr


def test_the_smaller_part_goes_first(wavetrap, tmp_path):
    """SPLIT of three lanes and one: v3 takes the one first, v2 the three; equal parts: the `then` part."""
    body = """
        la s0, order
        csrr t0, 0xcc0
        sltiu t1, t0, {least}
        .insn r 0x0b, 2, 0, s1, t1, x0
        beqz t1, 1f
        li t2, 1
        j 2f
    1:  li t2, 2
    2:  lw t3, 0(s0)
        slli t3, t3, 4
        or t3, t3, t2
        sw t3, 0(s0)
        .insn r 0x0b, 3, 0, x0, s1, x0
        lw t3, 0(s0)
        sw t3, 0(a0)
        ret
        .balign 4
    order: .4byte 0
    """
    for least, first in ((3, 0x21), (1, 0x12), (2, 0x12)):
        done = Kernel(tmp_path, body.replace("{least}", str(least))).run(wavetrap, size=4)
        assert done.returncode == 0, done.stderr
        assert words(done.memory) == [first]


# vx_putchar of Vortex 3.0: a byte into the ring of the hart's slot, if there is room.
PUT = """
    put:                        # a1: the character
        csrr t0, mhartid
        andi t0, t0, 63
        slli t1, t0, 2
        addi t1, t1, 0x40       # the write index
        lw t2, 0(t1)
        lw t3, 256(t1)          # the read index
        sub t3, t2, t3
        li t4, 512
        bgeu t3, t4, 1f
        andi t3, t2, 511
        slli t0, t0, 9
        add t0, t0, t3
        li t4, 0x40 + 512
        add t0, t0, t4
        sb a1, 0(t0)
        addi t2, t2, 1
        sw t2, 0(t1)
        ret
    1:  li t4, 0x40 + 512 + 64 * 512
        slli t0, t0, 2
        add t4, t4, t0
        li t0, 1
        amoadd.w x0, t0, (t4)
        ret
"""


def test_the_console_is_a_ring(wavetrap, tmp_path):
    """Lines longer than a ring come whole; what a program drops itself is counted."""
    body = """
        mv s0, ra
        li t0, 1
        .insn r 0x0b, 0, 0, x0, t0, x0
        li s1, 1500
    2:  li a1, 'x'
        call put
        addi s1, s1, -1
        bnez s1, 2b
        li a1, 10
        call put
        li t0, 0x40 + 512 + 64 * 512
        li t1, 7
        sw t1, 0(t0)            # a program that has dropped 7 bytes
        mv ra, s0
        ret
    """ + PUT
    done = Kernel(tmp_path, body).run(wavetrap, options=["--slots"])
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "x" * 1500 in lines[0] and any("[#0: lost 7 bytes]" in line for line in lines[1:]), lines[1:]


def test_a_grid_is_for_v3(wavetrap, tmp_path):
    """A program that does not say that it is for v3 has no grid."""
    kernel = Kernel(tmp_path, "ret")
    for spec in ("vortex:grid=4", "vortex:profile=v2,block=8"):
        done = subprocess.run([wavetrap, "run", f"--gpu={spec}", kernel.elf], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 125 and "profile=v3" in done.stderr, done.stderr


def test_exit_word_and_profile(wavetrap, tmp_path):
    """The exit word is at 0x8348; __vx_cta_entry or a kernel's symbol chooses v3, --gpu overrides."""
    body = "li t0, 42\nli t1, 0x8348\nsw t0, 0(t1)\nli t0, 7\nsw t0, 0x88(x0)\n.insn r 0x0b, 0, 0, x0, x0, x0\n{symbol}"
    for symbol, gpu, status in (("", "vortex", 125), (".globl __vx_cta_entry\n__vx_cta_entry:", "vortex:cores=1", 42),
                                (".globl __vx_kentry_kernel_main\n.set __vx_kentry_kernel_main, kernel", "vortex:cores=1", 42),
                                (".globl __vx_cta_entry\n__vx_cta_entry:", "vortex:profile=v2", 125)):
        kernel = Kernel(tmp_path, body.replace("{symbol}", symbol))
        entry = kernel.symbols["kernel"]
        spec = gpu if "profile=v2" in gpu or not symbol or "kentry" in symbol else f"{gpu},kernel={entry:#x}"
        done = subprocess.run([wavetrap, "run", f"--gpu={spec}", kernel.elf], capture_output=True, text=True, timeout=60, check=False)
        if status == 42:
            assert done.returncode == 42, done.stderr
        else:
            assert "no such CSR 0xce1" in done.stderr, done.stderr
    two = Kernel(tmp_path, "li t0, 1\nj 1f\nsecond: li t0, 2\n1: li t1, 0x8348\nsw t0, 0(t1)\nret\n"
                 ".globl __vx_kentry_first, __vx_kentry_second\n.set __vx_kentry_first, kernel\n.set __vx_kentry_second, second")
    done = subprocess.run([wavetrap, "run", two.elf], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 125 and "has 2 kernels" in done.stderr and "first" in done.stderr and "second" in done.stderr
    for name, status in (("first", 1), ("second", 2)):
        done = subprocess.run([wavetrap, "run", f"--kernel={name}", two.elf], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == status, done.stderr
    done = subprocess.run([wavetrap, "run", "--kernel=third", two.elf], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 125 and "no kernel 'third'" in done.stderr
