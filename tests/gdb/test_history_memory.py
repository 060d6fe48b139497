"""A long run under a small --history-memory still reaches its start, exactly, and the server's memory
stays within what it was given."""
import re

import pytest

from conftest import WAVETRAP, Variant

MIB = 1 << 20
BUDGET = 6 * MIB
PROGRAM = 4 * MIB  # what it writes, again and again
OPTIONS = "--gpu", "vortex:warps=1,threads=1"


def memory(server, what):
    """The server's memory, in bytes: now (VmRSS), or the most that it ever was (VmHWM)."""
    with open(f"/proc/{server.process.pid}/status") as status:
        return int(re.search(rf"^{what}:\s*(\d+) kB", status.read(), re.M)[1]) << 10


def run(serve, gdb, file, *options):
    """Runs the program to its end. Returns its sessions and how much the memory has grown."""
    server = serve(file, *OPTIONS, *options)
    user = gdb(server, file)
    user("monitor stop-at-end on")
    before = memory(server, "VmRSS")
    assert "ends with the next instruction" in user("continue")
    return server, user, memory(server, "VmHWM") - before


def state(gdb):
    return re.match(r"([0-9a-f]{16} at issue time \d+)\n", gdb("monitor hash"))[1]


def recorded(gdb):
    """States saved, and the memory that is told for them."""
    said = re.search(r"recorded: (\d+) states saved, ([\d.]+) MiB of", gdb("monitor time"))
    return int(said[1]), float(said[2]) * MIB


@pytest.mark.skipif(b"__asan_init" in open(WAVETRAP, "rb").read(),
                    reason="what AddressSanitizer keeps back is not what the program keeps")
def test_memory_stays_within_the_budget(program, serve, gdb):
    file = program("pages", 32)
    _, _, unbounded = run(serve, gdb, file)
    server, user, bounded = run(serve, gdb, file, "--history-memory", f"{BUDGET // MIB}M")
    # Beside what is kept of the past: the program's own memory, and the state that is about to be
    # saved before another one goes.
    most = BUDGET + 2 * PROGRAM + 2 * MIB
    assert bounded <= most, (bounded, unbounded)
    assert unbounded > most, "the run is too short to tell anything"
    states, told = recorded(user)
    assert states >= 1 and told <= BUDGET + PROGRAM


@pytest.mark.parametrize("variant, budget", [(Variant(32, 1), "6M"), (Variant(64, 1), "1K"), pytest.param(Variant(32, 1), "1K", marks=pytest.mark.full),
                                             pytest.param(Variant(64, 1), "6M", marks=pytest.mark.full)], ids=str)
def test_the_start_is_reached(program, serve, gdb, budget, variant):
    """Whatever had to be thrown away: each point of the run is the same on the way back."""
    file = program("pages", variant.xlen, "ROUNDS=3000")
    server = serve(file, *OPTIONS, "--history-memory", budget)
    user = gdb(server, file)
    first = state(user)
    user("monitor stop-at-end on")
    user("tbreak *round if $s0 == 2000")
    assert "Temporary breakpoint" in user("continue")
    middle = state(user)
    assert "ends with the next instruction" in user("continue")
    last = state(user)
    assert len({first, middle, last}) == 3
    user("monitor goto start")
    assert state(user) == first
    user(f"monitor goto {middle.split()[-1]}")
    assert state(user) == middle
    user("maintenance flush register-cache")
    assert user.number("$s0") == 2000
    user(f"monitor goto {last.split()[-1]}")
    assert state(user) == last
    assert "No more reverse-execution history" in user("reverse-continue")
    assert state(user) == first


def test_what_a_long_log_loses_is_said(program, serve, gdb):
    """Conditions that do not hold are logged where the debug registers alone are there."""
    file = program("endless")
    server = serve(file, *OPTIONS, "--dm-only", "--history-memory", "1M")
    user = gdb(server, file)
    user("break loop if $vx_warp_id == 77")
    user("tbreak *(char *)&loop + 4 if $vx_warp_id == 0 && $_time > 200000")
    said = user("continue")
    start = re.search(r"The recorded run begins at issue time (\d+) now", said)
    assert start and "Temporary breakpoint 2" in said, said
    assert f"of {start[1]}-" in user("monitor time")
    assert f"before issue time {start[1]}: lost" in user("monitor time")
    assert "is not recorded" in user(f"monitor goto {int(start[1]) - 1}")
    assert "(masked off)" not in user(f"monitor goto {start[1]}")
