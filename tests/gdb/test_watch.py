"""Watchpoints with stock GDB and LLDB: any number, forwards and backwards, in any space."""
import re

import pytest

from conftest import Variant, each, symbol
from test_lldb import lldb  # noqa: F401 (a fixture)

WAYS = [Variant(32, 4), Variant(32, 32), Variant(64, 4), Variant(64, 32), Variant(32, 4, True)]


def stop(said):
    """Old and new value of a stop for a watchpoint, and the thread's name."""
    found = re.search(r'"([^"]*)" hit (?:Hardware |Temporary )*(?:access \(read/write\) )?watchpoint \d+: .*\n\n'
                      r"Old value = (.*)\nNew value = (.*)\n", said)
    assert found, said
    return found[2], found[3], found[1]


def at(gdb):
    return re.sub(r".*<(.*)>.*", r"\1", gdb.value("$pc", "/a"))


@each(WAYS)
def test_each_change_of_a_word_stops(session, variant):
    """Behind the store, in the thread that did it, with both values; what changes nothing does not."""
    server, gdb = session("watched", variant)
    thread = variant.threads + 2  # warp 1, lane 1
    base = 1000 + thread - 1
    gdb(f"watch ((int *)&results)[{thread - 1}]")
    before = 0
    for rounds in (3, 2, 1):
        said = gdb("continue")
        assert stop(said) == (str(before), str(base * rounds), "device 0, core 0, warp 1, thread 1")
        assert at(gdb) == "result+4"
        assert gdb.number("$_thread") == int(re.search(r'Thread (\d+) "', said)[1])
        assert gdb.number("$s7") == rounds
        before = base * rounds
    assert "exited with code 052" in gdb("continue")


@each(WAYS)
def test_reads_and_accesses(session, variant):
    server, gdb = session("watched", variant)
    gdb("rwatch *(int *)&constant")
    names = set()
    for _ in range(4):
        said = gdb("continue")
        names.add(re.search(r'"(device 0, core 0, warp \d), thread 0" hit Hardware read watchpoint 1', said)[1])
        assert "Value = 7" in said
        # All lanes of a warp read it at once: which they were, GDB cannot know.
        assert re.search(rf"device 0, core 0, warp \d, thread 0 read 0x[0-9a-f]+: 0x7; so did threads "
                         rf"1-{variant.threads - 1}\n", said)
    assert len(names) == 4
    assert "exited with code 052" in gdb("continue")


@each(WAYS)
def test_an_atomic_is_an_access(session, variant):
    server, gdb = session("watched", variant)
    gdb("awatch *(int *)&sum")
    for warp in range(4):
        old, new, name = stop(gdb("continue"))
        assert (old, new) == (str(warp * variant.threads), str((warp + 1) * variant.threads))
        assert at(gdb) == "look"
    assert "exited with code 052" in gdb("continue")


@each(WAYS)
def test_a_barrier_behind_the_store(session, variant):
    """A stop right before a barrier: nothing more is issued, so nothing waits."""
    server, gdb = session("watched", variant)
    gdb("watch *(int *)&shared")
    seen = set()
    for _ in range(4):
        old, new, name = stop(gdb("continue"))
        assert name == f"device 0, core 0, warp {new}, thread 0"
        assert at(gdb) == "arrive+4"
        seen.add(new)
    assert seen == {"0", "1", "2", "3"}
    assert "exited with code 052" in gdb("continue")


@each(WAYS)
def test_conditions_are_gdbs_own(session, variant):
    server, gdb = session("watched", variant)
    gdb("watch -l ((int *)&results)[2] if ((int *)&results)[2] == 1002")
    assert stop(gdb("continue"))[1:] == ("1002", "device 0, core 0, warp 0, thread 2")
    assert gdb.number("$s7") == 1
    assert "exited with code 052" in gdb("continue")


def test_several_watchpoints_of_one_instruction(session):
    """One store of four lanes meets three of them: each is told, at the same issue time."""
    server, gdb = session("watched", Variant())
    for i in range(3):
        gdb(f"watch ((int *)&results)[{i}]")
    times, told = set(), set()
    for _ in range(3):
        old, new, name = stop(gdb("continue"))
        times.add(re.search(r"issue time (\d+)", gdb("monitor time"))[1])
        told.add((old, new, name))
    assert told == {("0", str(3 * (1000 + i)), f"device 0, core 0, warp 0, thread {i}") for i in range(3)}
    assert len(times) == 1
    assert stop(gdb("continue"))[0] in {str(3 * (1000 + i)) for i in range(3)}
    gdb("delete")
    assert "exited with code 052" in gdb("continue")


@each([Variant(32, 4), Variant(64, 4), Variant(64, 32, True)])
def test_local_memory_is_that_of_the_threads_core(program, serve, gdb, variant):
    """The same address in two cores is two places: the one that was looked at is watched."""
    file = program("watched", variant.xlen)
    local = "0xffff0000" if variant.xlen == 32 else "0x1ffff0000"
    for core in (0, 1):
        server = serve(file, "--gpu", f"vortex:cores=2,warps=2,threads={variant.threads}",
                       "--schedule", "lockstep", *(["--dm-only"] if variant.dm_only else []))
        one = gdb(server, file)
        two = [n for n, t in one.threads().items() if f"core {core}, " in t["name"]][0]
        one(f"thread {two}")
        one(f"watch *(int *){local}")
        one("thread 1")
        said = one("continue")
        assert stop(said)[:2] == ("0", str(100 + core))
        assert f"core {core}, " in stop(said)[2]
        assert at(one) == "local+4"
        one("delete")
        assert "exited with code 052" in one("continue")


def test_a_thousand_watchpoints(session):
    server, gdb = session("watched", Variant(), before=("set can-use-hw-watchpoints 1",))
    base = gdb.number("&results")
    gdb("set $i = 0")
    for line in ("while $i < 1000", f'eval "watch *(char *)%ld", {base} + 400 + $i', "set $i = $i + 1"):
        gdb.child.sendline(line)
    assert "1000: *(char *)" in gdb("end")
    gdb(f"watch *(int *){base + 20}")
    assert stop(gdb("continue"))[1] == "3015"
    gdb("delete 1001")
    assert "exited with code 052" in gdb("continue")


@each([Variant(32, 4), Variant(64, 32)])
def test_a_large_range(session, variant):
    """A whole array, as GDB watches it; the stop names the element by its address."""
    server, gdb = session("watched", variant)
    gdb("watch *(int (*)[2048])&results")
    said = gdb("continue")
    assert re.search(r"so did threads 1-", said)
    assert "hit Hardware watchpoint 1" in said
    assert at(gdb) == "result+4"


@each([Variant(32, 4), Variant(64, 4)])
def test_backwards(session, variant):
    """The same stops from the other side: before the store, old and new value changed over."""
    server, gdb = session("watched", variant)
    thread = variant.threads + 2
    base = 1000 + thread - 1
    gdb("break *last")
    gdb("continue")
    gdb(f"watch ((int *)&results)[{thread - 1}]")
    after = base
    for value in (2 * base, 3 * base, 0):
        assert stop(gdb("reverse-continue")) == (str(after), str(value), "device 0, core 0, warp 1, thread 1")
        assert at(gdb) == "result"
        after = value
    assert "No more reverse-execution history" in gdb("reverse-continue")
    for value in (3 * base, 2 * base):
        assert stop(gdb("continue"))[1] == str(value)
        assert at(gdb) == "result+4"


def test_several_watchpoints_backwards(session):
    """Each is told on the way back, too, and again on the way forwards."""
    server, gdb = session("watched", Variant())
    gdb("break *last")
    gdb("continue")
    for i in range(3):
        gdb(f"watch ((int *)&results)[{i}]")
    for command, old, new in (("reverse-continue", 1, 2), ("reverse-continue", 2, 3), ("continue", 3, 2)):
        times, told = set(), set()
        for _ in range(3):
            told.add(stop(gdb(command)))
            times.add(re.search(r"issue time (\d+)", gdb("monitor time"))[1])
        assert told == {(str(old * (1000 + i)), str(new * (1000 + i)), f"device 0, core 0, warp 0, thread {i}")
                        for i in range(3)}
        assert len(times) == 1


@each([Variant(32, 4), Variant(64, 4)])
def test_steps_stop_too(session, variant):
    server, gdb = session("watched", variant)
    gdb("break *result if $vx_warp_id == 0")
    gdb("continue")
    gdb("delete")
    gdb("watch *(int *)&results")
    assert stop(gdb("stepi"))[1] == "3000"
    assert at(gdb) == "result+4"
    for _ in range(4):
        assert "watchpoint" not in gdb("stepi")
    assert at(gdb) == "result"
    assert stop(gdb("next"))[:2] == ("3000", "2000")
    assert stop(gdb("next 100"))[:2] == ("2000", "1000")


@each([Variant(32, 4), Variant(64, 4)])
def test_software_watchpoints(session, variant):
    """By single steps, as on a device without any."""
    server, gdb = session("watched", variant, before=("set can-use-hw-watchpoints 0",))
    gdb("break *again if $vx_warp_id == 0")
    gdb("continue")
    gdb("delete")
    assert "Watchpoint 2" in gdb("watch *(int *)&results")
    gdb("set debug remote 1")
    said = gdb("continue")
    gdb("set debug remote 0")
    assert "$Z2" not in said
    assert "Old value = 0\nNew value = 3000" in re.sub(r"(?m)^\[remote\].*\n", "", said)


@each([Variant(32, 4), Variant(64, 4)])
def test_nonstop(session, variant):
    """The warp that did it stops; GDB shows it, and the others come to their end."""
    server, gdb = session("watched", variant, before=("set non-stop on",))
    while "(running)" in gdb("info threads"):
        pass
    gdb("watch *(int *)&results")
    assert stop(gdb("continue")) == ("0", "3000", "device 0, core 0, warp 0, thread 0")
    assert at(gdb) == "result+4"
    gdb("delete")
    assert "exited with code 052" in gdb("continue -a")


@each([Variant(32, 4), Variant(64, 4)])
def test_a_local_variable_until_its_frame_ends(serve, gdb, example, variant):
    """Each lane has its own: the lane that was looked at, until its function returns."""
    file = example("mandelbrot", variant.xlen)
    one = gdb(serve(file, "--gpu", "vortex:warps=2,threads=4"), file)
    one("break draw if pixel == 238")
    one("continue")
    one("delete")
    one("next")
    assert one.number("$vx_thread_id") == 2
    watched = one("watch point.count")
    assert "Hardware watchpoint 2" in watched, watched
    counts = []
    while "New value" in (said := one("continue")):
        assert one.number("$vx_thread_id") == 2
        counts.append(int(stop(said)[1]))
    assert counts[-15:] == list(range(1, 16)), counts
    assert "deleted because the program has left the block" in said
    assert "exited" in one("continue")


@each([Variant(32, 4), Variant(64, 32)])
def test_lldb(lldb, program, variant):  # noqa: F811
    """LLDB's own watchpoints: on change, on reads, and what `watchpoint list` counts."""
    results = "0x" + symbol(program("watched", variant.xlen), "results")
    constant = "0x" + symbol(program("watched", variant.xlen), "constant")
    said = lldb("watched", variant, [
        f"watchpoint set expression -w modify -s 4 -- {results}", "continue", "register read s7 vx_warp_id",
        "continue", "register read s7", "watchpoint delete -f",
        f"watchpoint set expression -w read -s 4 -- {constant}", "continue", "disassemble -c 1",
        "watchpoint delete -f", "continue"])
    assert "Watchpoint created" in said[0]
    assert "stop reason = watchpoint 1" in said[1]
    assert re.search(r"new value: 3000", said[1])
    assert re.search(r"s7 = 0x0*3\b", said[2])
    assert "stop reason = watchpoint 1" in said[3]
    assert re.search(r"s7 = 0x0*2\b", said[4])
    assert "stop reason = watchpoint 2" in said[7]
    assert "exited with status = 42" in said[10]
