"""CSRs, local memory and where programs start."""
import re
import subprocess

import pytest

from simt import ILLEGAL
from v3 import OUT, Kernel, threads

SHAPES = [(1, 1, 1, 1), (1, 1, 4, 4), (1, 2, 4, 4), (2, 2, 2, 8), (1, 1, 16, 32), (3, 1, 2, 2)]

# Every warp of every core runs `body`; warp 0 of each core then waits for the others and exits.
EVERYWHERE = """
        csrr t0, 0xfc1
        la t1, worker
        wspawn t0, t1
        call body
        li t0, 1
        wspawn t0, x0
        tmc x0
    worker:
        call body
        tmc x0
    body:
"""


@pytest.mark.parametrize("xlen", [32, 64])
@pytest.mark.parametrize("clusters,cores,warps,threads", SHAPES)
def test_who_am_i(machine, xlen, clusters, cores, warps, threads):
    """THREAD_ID, WARP_ID, CORE_ID, mhartid, and the sizes, in every lane of the device."""
    text = EVERYWHERE + """
        all
        csrr t0, 0xcc0
        put 0, t0
        csrr t0, 0xcc1
        put 1, t0
        csrr t0, 0xcc2
        put 2, t0
        csrr t0, 0xf14
        put 3, t0
        csrr t0, 0xfc0
        put 4, t0
        csrr t0, 0xfc1
        put 5, t0
        csrr t0, 0xfc2
        put 6, t0
        csrr t0, 0xfc3
        put 7, t0
        csrr t0, 0xcc4
        put 8, t0
        li t0, 1
        tmc t0
        ret
    """
    total = clusters * cores
    result = machine.run(text, xlen, f"clusters={clusters},cores={cores},warps={warps},threads={threads}",
                         warps=total * warps)
    assert result.status == 0, result.stderr
    local = 0xFFFF0000 if xlen == 32 else 0x1FFFF0000
    for core in range(total):
        for warp in range(warps):
            flat = core * warps + warp
            lanes = range(threads)
            expected = [list(lanes), [warp] * threads, [core] * threads, [flat * threads + lane for lane in lanes],
                        [threads] * threads, [warps] * threads, [total] * threads, [local] * threads,
                        [(1 << threads) - 1] * threads]
            assert [result.slot(n, threads, flat) for n in range(9)] == expected


def test_active_warps(machine):
    """A bit for each active warp of the core."""
    text = """
        csrr t0, 0xcc3
        putone 0, t0
        li t0, 4
        la t1, worker
        wspawn t0, t1
        csrr t0, 0xcc3
        putone 1, t0
        li t0, 0
        li t1, 4
        bar t0, t1
        li t0, 1
        wspawn t0, x0
        csrr t0, 0xcc3
        putone 2, t0
        exit 0
    worker:
        li t0, 0
        li t1, 4
        bar t0, t1
        tmc x0
    """
    result = machine.run(text, 32, "warps=8", warps=8)
    assert [result.lane(n, 0) for n in range(3)] == [1, 15, 1]


ZERO = [0x180, 0x300, 0x302, 0x303, 0x304, 0x305, 0x341, 0x342, 0x3A0, 0x3B0, 0x744, 0xB01, 0xB03, 0xB1F]


@pytest.mark.parametrize("xlen", [32, 64])
def test_csrs_that_read_zero(machine, xlen):
    """Writes are ignored, as the start-up code of RISC-V's own tests needs it."""
    text = "li s0, -1\n"
    for csr in ZERO:
        text += f"csrw {csr:#x}, s0\ncsrr t0, {csr:#x}\nor s1, s1, t0\n"
    for csr in (0xF11, 0xF12, 0xF13, 0xFC4, 0xFC5, 0xFC6):
        text += f"csrr t0, {csr:#x}\nor s1, s1, t0\n"
    result = machine.run("li s1, 0\n" + text + "putone 0, s1\nexit 0\n", xlen)
    assert result.status == 0, result.stderr
    assert result.lane(0, 0) == 0


@pytest.mark.parametrize("csr", [0xCC0, 0xCC1, 0xCC2, 0xCC3, 0xCC4, 0xFC0, 0xFC1, 0xFC2, 0xFC3, 0xF14])
def test_read_only_csrs_cannot_be_written(machine, csr):
    """An illegal instruction; reading with CSRRS and x0 is not a write."""
    assert machine.run(f"csrrs t0, {csr:#x}, x0\nexit 0\n").status == 0
    assert machine.run(f"csrrci t0, {csr:#x}, 0\nexit 0\n").status == 0
    for op in ("csrrw t0, {}, x0", "csrrs t0, {}, t1", "csrrwi t0, {}, 0", "csrrsi t0, {}, 1"):
        assert machine.run(op.format(hex(csr)) + "\nexit 0\n").status == ILLEGAL


@pytest.mark.parametrize("csr", [0x000, 0x004, 0x343, 0x7C0, 0x800, 0xC03, 0xCD0, 0xFC7, 0xFFF])
def test_unknown_csrs_are_illegal(machine, csr):
    """Numbers that this version does not have."""
    result = machine.run(f"csrr t0, {csr:#x}\nexit 0\n")
    assert result.status == ILLEGAL and f"{csr:x}" in result.stderr.lower()


@pytest.mark.parametrize("xlen,bits", [(32, 0x40000000), (64, 0x8000000000000000)])
def test_misa(machine, xlen, bits):
    """The width, and the extensions A C D F I M, user mode, and X for Vortex's own; read-only."""
    for letter in "ACDFIMUX":
        bits |= 1 << (ord(letter) - ord("A"))
    result = machine.run("csrw 0x301, x0\ncsrr t0, 0x301\nputone 0, t0\nexit 0\n", xlen)
    assert result.lane(0, 0) == bits


@pytest.mark.parametrize("xlen", [32, 64])
def test_mscratch_is_of_the_core(machine, xlen):
    """STARTUP_ARG after reset; one register for all warps of a core, another one in each core."""
    argument = 0x12345678 if xlen == 32 else 0x123456789ABCDEF0
    text = """
        csrr t0, 0x340
        putone 0, t0
        csrr t0, 0xcc2
        addi t0, t0, 7
        csrw 0x340, t0
        li t0, 2
        la t1, worker
        wspawn t0, t1
        li t0, 1
        wspawn t0, x0
        exit 0
    worker:
        csrr t0, 0x340
        putone 0, t0
        tmc x0
    """
    result = machine.run(text, xlen, "cores=2,warps=2", ["--arg", hex(argument)], warps=4)
    assert [result.lane(0, 0, warp) for warp in range(4)] == [argument, 7, argument, 8]


def test_floating_point_state_is_of_the_warp(machine):
    """Flags that one warp raises and a mode that it sets are not another warp's."""
    text = """
        li t0, 2
        la t1, worker
        wspawn t0, t1
        li t0, 0
        li t1, 2
        bar t0, t1
        csrr t0, 3
        addi t0, t0, 256
        putone 0, t0
        exit 0
    worker:
        li t0, 1
        fcvt.s.w f0, t0
        fmv.w.x f1, x0
        fdiv.s f2, f0, f1
        fsrmi 3
        li t0, 0
        li t1, 2
        bar t0, t1
        csrr t0, 3
        putone 0, t0
        tmc x0
    """
    result = machine.run(text, 32, "warps=2", warps=2)
    assert result.status == 0, result.stderr
    assert [result.lane(0, 0, warp) for warp in range(2)] == [256, 0x68]


@pytest.mark.parametrize("xlen", [32, 64])
def test_dscratch_is_of_the_thread(machine, xlen):
    """DSCRATCH0 to 3 are 32 bits each, one for every thread."""
    text = "all\ncsrr s0, 0xcc0\nslli s0, s0, 4\n"
    for n in range(4):
        text += f"addi t0, s0, {n + 1}\n"
        if xlen == 64:
            text += "li t1, 0x5500000000\nadd t0, t0, t1\n"
        text += f"csrw {0x7B2 + n:#x}, t0\n"
    for n in range(4):
        text += f"csrr t0, {0x7B2 + n:#x}\nput {n}, t0\n"
    result = machine.run(text + "exit 0\n", xlen, "threads=4")
    for n in range(4):
        assert result.slot(n, 4) == [lane * 16 + n + 1 for lane in range(4)]


@pytest.mark.parametrize("schedule", ["rr:1", "rr:64", "lockstep", "random:5"])
def test_counters_count_issues(machine, schedule):
    """minstret the core's, mcycle the device's: with one warp both advance by one an instruction."""
    text = """
        csrr t0, 0xb02
        csrr t1, 0xb02
        nop
        nop
        csrr t2, 0xb02
        csrr t3, 0xb00
        csrr t4, 0xb00
        sub s0, t1, t0
        sub s1, t2, t1
        sub s2, t4, t3
        csrr s3, 0xb80
        csrr s4, 0xb82
        putone 0, s0
        putone 1, s1
        putone 2, s2
        putone 3, s3
        putone 4, s4
        exit 0
    """
    result = machine.run(text, 32, "", [f"--schedule={schedule}"])
    assert [result.lane(n, 0) for n in range(5)] == [1, 3, 1, 0, 0]


def test_device_and_core_counters(machine):
    """Two cores that do the same: each has issued half of what the device has."""
    text = """
        li t0, 100
    1:  addi t0, t0, -1
        bnez t0, 1b
        csrr t1, 0xb02
        csrr t2, 0xb00
        putone 0, t1
        putone 1, t2
        tmc x0
    """
    result = machine.run(text, 32, "cores=2,warps=1", ["--schedule=lockstep"], warps=2)
    assert result.lane(0, 0, 0) == result.lane(0, 0, 1) == 201
    assert [result.lane(1, 0, warp) for warp in range(2)] == [404, 405]  # one issue more in between


@pytest.mark.parametrize("xlen", [32, 64])
def test_local_memory_is_of_the_core(machine, xlen):
    """The same addresses, 16 KiB at LOCAL_MEM_BASE, another memory in each core."""
    text = """
        csrr s0, 0xfc3
        csrr s1, 0xcc2
        addi s1, s1, 1
        sw s1, 0(s0)
        li t0, 0x3ffc
        add t0, t0, s0
        sw s1, 0(t0)
        li a5, 0x80000000
        li a4, 4
        bar a5, a4              # all cores have written
        lw t1, 0(s0)
        lw t2, 0(t0)
        putone 0, t1
        putone 1, t2
        tmc x0
    """
    result = machine.run(text, xlen, "cores=4,warps=1", warps=4)
    assert result.status == 0, result.stderr
    for core in range(4):
        assert [result.lane(n, 0, core) for n in range(2)] == [core + 1, core + 1]


@pytest.mark.parametrize("xlen", [32, 64])
def test_warps_start_where_startup_addr_says(machine, xlen):
    """Another address than the program's entry."""
    text = "exit 1\n.balign 4096\n.org 0x1000\nexit 2\n"
    assert machine.run(text, xlen).status == 1
    assert machine.run(text, xlen, "startup=0x80001000").status == 2


def test_console_slots(machine):
    """A line for each slot, whole; --slots says which slot it came from."""
    text = """
        all
        csrr t0, 0xcc0
        addi t1, t0, 'a'
        addi t2, t0, 0x40
        sb t1, 0(t2)
        sb t1, 0(t2)
        li t1, 10
        sb t1, 0(t2)
        exit 0
    """
    result = machine.run(text, 32, "threads=4")
    assert sorted(result.stdout.splitlines()) == ["aa", "bb", "cc", "dd"]
    result = machine.run(text, 32, "threads=4", ["--slots"])
    assert sorted(result.stdout.splitlines()) == ["#0: aa", "#1: bb", "#2: cc", "#3: dd"]


# ---- each row of the table ----

STRIDE = 1024  # bytes for a thread's CSRs


def listed(wavetrap, profile, what="CSR"):
    """The numbers that `info --profile` lists."""
    said = subprocess.run([wavetrap, "info", "--profile", "-g", f"vortex:profile={profile}"], check=True, capture_output=True, text=True).stdout
    said = said[said.index(f"profile {profile}:"):].split("\nprofile ")[0]
    rows = [(int(first, 16), int(last or first, 16)) for first, last in re.findall(rf"^ +{what} (0x\w+)(?:-(0x\w+))? ", said, re.M)]
    return [number for first, last in rows for number in range(first, last + 1)]


def told(memory, numbers, place, step):
    """What the thread at a place of the memory has stored: {CSR: value}, and the address of the first instruction that reads one."""
    values = [int.from_bytes(memory[place * STRIDE + step * i:place * STRIDE + step * (i + 1)], "little") for i in range(len(numbers) + 1)]
    return dict(zip(numbers, values[1:])), values[0]


def tell(numbers, xlen):
    """Stores them from t0 on, behind the address of the first instruction: CSR number k is read 2 + 2k instructions behind it."""
    store, step = ("sd", 8) if xlen == 64 else ("sw", 4)
    return f"auipc t1, 0\n{store} t1, 0(t0)\n" + "".join(f"csrr t1, {number:#x}\n{store} t1, {step * (k + 1)}(t0)\n" for k, number in enumerate(numbers))


ALWAYS_ZERO = [0x180, *range(0x302, 0x305), 0x3A0, 0x3B0, 0x744, 0xB01, *range(0xB03, 0xB20), 0xB81, *range(0xB83, 0xBA0), 0xF11, 0xF12, 0xF13]


def constants(profile, xlen, cores, warps, lanes):
    """The CSRs that are the same in each thread of a program that has written none: by the manuals, and the table of Vortex's own."""
    misa = sum(1 << (ord(letter) - ord("A")) for letter in "ACDFIMUX") | (1 << 30 if xlen == 32 else 2 << 62)
    fresh = [0x001, 0x002, 0x003, *range(0x7B2, 0x7B6), 0x300, 0x305, 0x341, 0x342, 0xB80, 0xB82]
    return {**dict.fromkeys(ALWAYS_ZERO + fresh, 0), 0x301: misa, 0x340: OUT, 0xFC0: lanes, 0xFC1: warps, 0xFC2: cores, 0xFC3: 0xFFFF0000 if xlen == 32 else 0x1FFFF0000,
            **({0x343: 0, 0xFC4: 8} if profile == "v3" else {0xFC4: 0, 0xFC5: 0, 0xFC6: 0})}


@pytest.mark.parametrize("xlen", [32, 64])
def test_every_csr_of_v2_is_as_it_is_to_be(machine, wavetrap, xlen):
    """One warp: both counters count the instructions before the one that reads them."""
    numbers = listed(wavetrap, "v2")
    text = "all\nla t0, out\ncsrr t1, 0xcc0\nslli t1, t1, 10\nadd t0, t0, t1\n" + tell(numbers, xlen) + "exit 0\n"
    result = machine.run(text, xlen, "cores=1,warps=1,threads=4", [f"--arg={OUT:#x}"])
    assert result.status == 0, result.stderr
    memory = b"".join(word.to_bytes(8, "little") for word in result.words)
    for lane in range(4):
        is_, first = told(memory, numbers, lane, xlen // 8)
        before = {number: (first - 0x80000000) // 4 + 2 + 2 * k for k, number in enumerate(numbers)}
        assert is_ == {**constants("v2", xlen, 1, 1, 4), 0xB00: before[0xB00], 0xB02: before[0xB02], 0xCC0: lane, 0xCC1: 0, 0xCC2: 0, 0xCC3: 1, 0xCC4: 15, 0xF14: lane}


# grid, block, cluster, bytes of local memory
LAUNCHES = {"one warp": ((1, 1, 1), (4, 1, 1), (1, 1, 1), 0), "1D": ((4, 1, 1), (8, 1, 1), (1, 1, 1), 16), "2D": ((3, 2, 1), (4, 2, 1), (1, 1, 1), 64), "3D": ((2, 2, 3), (2, 2, 2), (1, 1, 1), 65),
            "ragged last warp": ((2, 1, 1), (5, 3, 1), (1, 1, 1), 0), "clusters": ((4, 2, 2), (4, 1, 1), (2, 1, 2), 8), "more CTAs than places": ((3, 3, 3), (4, 1, 1), (1, 1, 1), 0),
            "local memory at its limit": ((3, 1, 1), (4, 2, 1), (1, 1, 1), 16384), "more warps than a core": ((2, 1, 1), (33, 1, 1), (1, 1, 1), 0)}


@pytest.mark.parametrize("xlen", [32, 64])
@pytest.mark.parametrize("launch", LAUNCHES)
def test_every_csr_of_v3_is_as_it_is_to_be(wavetrap, tmp_path, xlen, launch):
    """In each thread of each shape of launch, by arithmetic on where it is; where a warp runs, it says itself. The counters are exact where one warp runs."""
    grid, block, cluster, local = LAUNCHES[launch]
    cores, warps, lanes = (1, 1, 4) if launch == "one warp" else (2, 4, 4)
    numbers = listed(wavetrap, "v3")
    place = "csrr t0, 0xcd8\n" + "".join(f"csrr t1, {times:#x}\nmul t0, t0, t1\ncsrr t1, {plus:#x}\nadd t0, t0, t1\n"
                                        for times, plus in ((0xCDD, 0xCD7), (0xCDC, 0xCD6), (0xCDB, 0xCD5), (0xCDA, 0xCD4), (0xCD9, 0xCD3))) + "slli t0, t0, 10\nadd t0, t0, a0\n"
    kernel = Kernel(tmp_path, place + tell(numbers, xlen) + "ret\n", xlen)
    everybody = [(cta, thread) for cta in threads(grid) for thread in threads(block)]
    shape = ",".join(f"{key}={'x'.join(map(str, value))}" for key, value in (("grid", grid), ("block", block), ("cluster", cluster)))
    done = kernel.run(wavetrap, f"cores={cores},warps={warps},threads={lanes},xlen={xlen},lmem={local},{shape}", size=STRIDE * len(everybody))
    assert done.returncode == 0 and not done.stderr, done.stderr
    size, pitch = block[0] * block[1] * block[2], (local + 63) // 64 * 64
    places = max(1, min(warps, 16384 // pitch if pitch else warps))
    seen = set()
    for number, (cta, thread) in enumerate(everybody):
        is_, first = told(done.memory, numbers, number, xlen // 8)
        inside = (thread[2] * block[1] + thread[1]) * block[0] + thread[0]
        lane, warp, core, at = inside % lanes, is_[0xCC1], is_[0xCC2], is_[0xCD0]
        wanted = {**constants("v3", xlen, cores, warps, lanes), 0xCC0: lane, 0xCC1: warp, 0xCC2: core, 0xCC3: is_[0xCC3], 0xCC4: (1 << min(lanes, size - inside + lane)) - 1,
                  0xF14: (core * warps + warp) * lanes + lane, 0xCD0: at, 0xCD1: inside // lanes, 0xCD2: (size + lanes - 1) // lanes, 0xCDF: (0xFFFF0000 if xlen == 32 else 0x1FFFF0000) + pitch * at,
                  0xCE0: cluster[0] * cluster[1] * cluster[2], 0xCE1: kernel.symbols["kernel"], 0xB00: is_[0xB00], 0xB02: is_[0xB02]}
        for first_csr, three in ((0xCD3, thread), (0xCD6, cta), (0xCD9, block), (0xCDC, grid)):
            wanted.update({first_csr + axis: three[axis] for axis in range(3)})
        assert is_ == wanted
        assert warp < warps and core < cores and at < places and is_[0xCC3] >> warp & 1 and is_[0xB00] and is_[0xB02]
        seen.add((core, at))
        if launch == "one warp":
            prologue = (kernel.symbols["kernel"] - 0x80000000) // 4 - 2
            assert [is_[csr] for csr in (0xB00, 0xB02)] == [prologue + (first - kernel.symbols["kernel"]) // 4 + 2 + 2 * numbers.index(csr) for csr in (0xB00, 0xB02)]
    assert launch != "more CTAs than places" or seen == {(core, at) for core in range(cores) for at in range(places)}


@pytest.mark.parametrize("xlen", [32, 64])
@pytest.mark.parametrize("profile", ["v2", "v3"])
def test_every_csr_that_can_be_written_keeps_what_it_has(machine, wavetrap, tmp_path, profile, xlen):
    """Each below the counters: as many bits as it has. Vortex has none of those that read 0."""
    value = 0x5A5A5A58 if xlen == 32 else 0x5A5A5A5A5A5A5A58
    kept = {0x001: value & 31, 0x002: value & 7, 0x003: value & 255, 0x301: constants(profile, xlen, 1, 1, 4)[0x301], 0x340: value, **dict.fromkeys(range(0x7B2, 0x7B6), value & 0xFFFFFFFF),
            **dict.fromkeys([0x180, 0x302, 0x303, 0x304, 0x3A0, 0x3B0, 0x744], 0), **dict.fromkeys([0x300, 0x305, 0x341, 0x342], value if profile == "v3" else 0), **({0x343: value} if profile == "v3" else {})}
    numbers = [number for number in listed(wavetrap, profile) if number < 0xB00]
    store, step = ("sd", 8) if xlen == 64 else ("sw", 4)
    text = f"li t2, {value:#x}\n" + "".join(f"csrw {number:#x}, t2\ncsrr t1, {number:#x}\n{store} t1, {step * k}(t0)\ncsrw {number:#x}, x0\n" for k, number in enumerate(numbers))
    if profile == "v3":
        done = Kernel(tmp_path, "mv t0, a0\n" + text + "ret\n", xlen).run(wavetrap, f"warps=1,xlen={xlen}")
        assert done.returncode == 0, done.stderr
        memory = done.memory
    else:
        result = machine.run("la t0, out\n" + text + "exit 0\n", xlen, "warps=1")
        assert result.status == 0, result.stderr
        memory = b"".join(word.to_bytes(8, "little") for word in result.words)
    assert {number: int.from_bytes(memory[step * k:step * (k + 1)], "little") for k, number in enumerate(numbers)} == kept
