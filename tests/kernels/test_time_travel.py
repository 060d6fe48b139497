"""The state at an issue time of an example kernel is the same on the way there and on every
return, under every schedule, with much and with little memory for the past; for the timeline itself,
and for a debugger whose breakpoints are in the memory that was recorded."""
import os
import subprocess
from pathlib import Path

import pytest

from conftest import PROGRAMS, ROOT

BUILD = Path(os.environ.get("WAVETRAP_BUILD", ROOT / "build"))
MUCH, LITTLE = 1 << 30, 256 << 10


def runs(*ways):
    """Each program in each width and in each of these ways. `make check` has each program in each way, with the two widths in turn."""
    return [pytest.param(name, width, *way, marks=() if (a + b + c) % 2 == 0 else pytest.mark.full)
            for a, name in enumerate(PROGRAMS) for b, width in enumerate(("rv32", "rv64")) for c, way in enumerate(ways)]


@pytest.mark.parametrize("name,width,gpu,schedule,budget", runs(
    ("cores=1,warps=4,threads=4", "rr:64", MUCH),
    ("cores=2,warps=2,threads=8", "rr:1", MUCH),
    ("cores=2,warps=3,threads=4", "lockstep", MUCH),
    ("cores=1,warps=2,threads=32", "random:3", MUCH),
    ("cores=2,warps=2,threads=4", "random:5", LITTLE),
))
def test_every_return_is_the_same(built, name, width, gpu, schedule, budget):
    done = subprocess.run([BUILD / "tests" / "kernels" / "return_tool",
                           built() / f"{name}.{width}.elf", gpu, schedule, str(budget), "1"],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    issues, trips, snapshots = map(int, done.stdout.split())
    assert issues > 1000 and trips > 0
    if budget == MUCH:
        assert snapshots >= issues // 3000


@pytest.mark.parametrize("name,width,gpu,schedule,budget", runs(
    ("cores=1,warps=2,threads=4", "rr:1", MUCH),
    ("cores=1,warps=2,threads=32", "rr:64", MUCH),
    ("cores=2,warps=2,threads=4", "lockstep", MUCH),
    ("cores=1,warps=2,threads=32", "random:3", LITTLE),
))
def test_every_stop_is_found_again(built, name, width, gpu, schedule, budget):
    """Back from stop to stop, and so many single steps back and forth, in a debugger."""
    done = subprocess.run([BUILD / "tests" / "kernels" / "debug_tool",
                           built() / f"{name}.{width}.elf", gpu, schedule, str(budget), "1"],
                          capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    issues, stops, trips, steps = map(int, done.stdout.split())
    assert issues > 1000 and stops > 5 and trips > 0 and steps > 20
