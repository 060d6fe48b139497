"""Every shape that the Debug Module can describe; idle warps cost nothing."""
import os
import subprocess

import pytest

from conftest import WAVETRAP, run

SANITIZED = "asan" in WAVETRAP

# Every warp of every core adds 1 for each of its threads; core 0's exit word is the check.
COUNT = """
_start: csrr t0, 0xfc1
        la t1, work
        wspawn t0, t1
work:   li t0, -1
        tmc t0
        la t1, total
        li t2, 1
        amoadd.w x0, t2, 0(t1)
        li t0, 1
        tmc t0
        la t1, warps
        amoadd.w x0, t2, 0(t1)
        tmc x0
        .data
total:  .word 0
warps:  .word 0
"""


@pytest.mark.parametrize("clusters, cores, warps, threads", [
    (1, 1, 4, 4), (1, 1, 1, 1), (1, 1, 2, 32), (2, 3, 5, 8), (1, 1, 511, 1), (1, 511, 2, 2),
    (127, 1, 3, 4), (127, 2, 129, 4), (1, 64, 511, 2), (4, 16, 511, 1)])
def test_all_warps_and_threads_run(build, clusters, cores, warps, threads):
    elf = build.asm(COUNT)
    out = build.path("out")
    done = run("run", f"--gpu=vortex:clusters={clusters},cores={cores},warps={warps},threads={threads}",
               f"--dump={out}@total:8", elf)
    assert done.returncode == 0, done
    data = out.read_bytes()
    assert int.from_bytes(data[4:8], "little") == clusters * cores * warps
    assert int.from_bytes(data[:4], "little") == clusters * cores * warps * threads


@pytest.mark.parametrize("xlen", [32, 64])
def test_a_warp_may_have_128_threads(build, xlen):
    """A mask register holds 32 or 64 of them; lane 127 is reached by splitting a full mask."""
    elf = build.asm(COUNT, xlen)
    out = build.path("out")
    done = run("run", "--gpu=vortex:threads=128", f"--dump={out}@total:8", elf)
    assert done.returncode == 0, done
    data = out.read_bytes()
    assert int.from_bytes(data[4:8], "little") == 4
    assert int.from_bytes(data[:4], "little") in (4 * 128, 4 * xlen)


def peak_kib(*args):
    """Peak resident memory of one run, as the kernel counts it."""
    process = subprocess.Popen([WAVETRAP, "run", *map(str, args)], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    return usage.ru_maxrss


@pytest.mark.skipif(SANITIZED, reason="sanitizers keep memory of their own")
def test_idle_warps_cost_no_memory(build):
    """32,704 warps of 128 threads have 1 GiB of registers; one of them runs."""
    elf = build.asm("_start: csrr t0, 0xcc2\n bnez t0, 1f\n exit 0\n1: tmc x0\n", 64)
    small = peak_kib(elf)
    large = peak_kib("--gpu=vortex:cores=64,warps=511,threads=128", elf)
    # Bookkeeping of a warp, not its registers: 64 cores have 64 warps that ran.
    assert large - small < 64 * 1024, (small, large)
