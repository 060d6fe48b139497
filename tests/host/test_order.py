"""In which order waves of host programs issue: `exec --schedule`."""
import subprocess

import pytest

from amd import PAIRS
from conftest import ROCM_6, WAVETRAP, compiled, wavetrap

pytestmark = pytest.mark.hip

COME = """
import numpy, pyopencl as cl
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
program = cl.Program(context, "kernel void come(global int *next, global int *order)"
                     " { if (!get_local_id(0)) order[atomic_inc(next)] = get_group_id(0); }").build()
next_, order = (cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=numpy.zeros(64, "i4")) for _ in range(2))
program.come(queue, (64 * 8,), (8,), next_, order)
got = numpy.zeros(64, "i4")
cl.enqueue_copy(queue, got, order)
print(*got)
"""


def amd(*options):
    done = wavetrap("exec", "-g", f"gfx900:cu={PAIRS}", *options, compiled("order.hip"))
    assert done.returncode == 0, done.stderr
    return [int(n) for n in done.stdout.split()]


def intel(*options):
    done = subprocess.run([WAVETRAP, "exec", "-g", "gen9:subslices=1", *options, "/usr/bin/python3", "-c", COME], capture_output=True,
                          text=True, timeout=180, check=True)
    return [int(n) for n in done.stdout.split()]


@pytest.mark.skipif(PAIRS == 2, reason="two compute units at least have groups at once")
def test_groups_come_in_order():
    """In both kernels: what ran before does not count."""
    assert amd() == amd("--schedule=rr:64") == amd("--schedule=lockstep") == [*range(24)] * 2


@pytest.mark.parametrize("run,groups", [(amd, sorted([*range(24)] * 2)), pytest.param(
    intel, [*range(64)], marks=pytest.mark.skipif(ROCM_6, reason="Debian 13 has no OpenCL driver for Gen9"))])
def test_an_order_of_ones_own(run, groups):
    plain, five, six = run(), run("--schedule=random:5"), run("--schedule=random:6")
    assert sorted(plain) == sorted(five) == sorted(six) == groups
    assert five == run("--schedule=random:5") and len({tuple(order) for order in (plain, five, six)}) == 3


def test_a_policy_that_there_is_not():
    done = wavetrap("exec", "--schedule=fair", "echo", "it ran")
    assert (done.returncode, done.stdout) == (125, "") and "schedule 'fair' is not one of rr:N" in done.stderr
