"""`monitor who-wrote`: the writes to a place, found in the recorded run; nothing else changes by it."""
import re

import pytest

from conftest import Variant, each

WAYS = [Variant(32, 4), Variant(32, 32), Variant(64, 4), Variant(64, 32, True)]


def rows(said):
    """Issue time, warp, threads, pc with line, and what follows, of each write told."""
    return [row.groups() for row in re.finditer(
        r"^issue time (\d+): device 0, core 0, warp (\d+), (threads? [\d, -]+), (0x[0-9a-f]+ <[^>]+> at [^\s,]+)(.*)$",
        said, re.M)]


def line_of(label):
    from conftest import HERE
    text = (HERE / "programs" / "watched.S").read_text().splitlines()
    return next(i for i, line in enumerate(text, 1) if line.startswith(label + ":"))


@each(WAYS)
def test_the_last_write_and_what_was_there(session, variant):
    server, gdb = session("watched", variant)
    gdb("break *last")
    gdb("continue")
    thread = variant.threads + 1  # warp 1, lane 1, from 0
    addr = gdb.number(f"&((int *)&results)[{thread}]")
    base = 1000 + thread
    before = gdb("monitor hash")
    said = gdb(f"monitor who-wrote {addr:#x}")
    (time, warp, who, place, rest), = rows(said)
    assert (warp, who) == ("1", "thread 1")
    assert place.endswith(f"<result> at watched.S:{line_of('result')}")
    assert rest == f", {addr:#x}: {2 * base:#x} -> {base:#x}"
    # Nothing has changed by it, and the time is that before the store.
    assert gdb("monitor hash") == before
    assert f"'monitor goto {time}'" in said
    gdb(f"monitor goto {time}")
    gdb("maintenance flush register-cache")
    assert gdb.number(f"((int *)&results)[{thread}]") == 2 * base
    there = gdb("monitor hash")
    assert rows(gdb(f"monitor who-wrote {addr}"))[0][4].endswith(f"{3 * base:#x} -> {2 * base:#x}")
    assert gdb("monitor hash") == there
    assert f"issue time {time} of" in gdb("monitor time")
    assert "hit Breakpoint 1" in gdb("continue")
    assert gdb("monitor hash") == before
    gdb("monitor goto end")
    gdb("maintenance flush register-cache")
    assert "exited with code 052" in gdb("continue")


@each(WAYS)
def test_all_writes_in_the_order_of_time(session, variant):
    server, gdb = session("watched", variant)
    gdb("break *last")
    gdb("continue")
    found = rows(gdb("monitor who-wrote results --all"))
    assert [row[4].split(": ")[1] for row in found] == 5 * ["0x0 -> 0x0"] + [
        "0x0 -> 0xbb8", "0xbb8 -> 0x7d0", "0x7d0 -> 0x3e8"]
    times = [int(row[0]) for row in found]
    assert times == sorted(set(times))
    # The lanes of a warp, each after the other, and the warps in the order of time.
    adds = rows(gdb("monitor who-wrote --all sum"))
    lanes = variant.threads
    assert {row[2] for row in adds} == {f"threads 0-{lanes - 1}"}
    assert [row[4].split(": ")[1] for row in adds] == [
        f"{i * lanes:#x} -> {(i + 1) * lanes:#x}" for i in range(4)]
    # Atomics are reads, too; the stores of `results` are none, which nothing has loaded.
    reads = rows(gdb("monitor who-read --all sum"))
    assert [row[0] for row in reads if row[0] in {add[0] for add in adds}] == [row[0] for row in adds]
    assert all(" -> " not in row[4] for row in reads)
    # Only those before now.
    gdb(f"monitor goto {times[5]}")
    assert len(rows(gdb("monitor who-wrote results --all"))) == 5
    gdb("monitor goto start")
    assert "Nothing has written to" in gdb("monitor who-wrote results --all")
    assert "Nothing has written to" in gdb("monitor who-wrote results")


def test_a_range_names_each_lane(session):
    server, gdb = session("watched", Variant(32, 32))
    gdb("break *last")
    gdb("continue")
    base = gdb.number("&results")
    said = gdb(f"monitor who-wrote {base},{4 * 32}")
    assert rows(said)[0][1:3] == ("0", "threads 0-31")
    for lane in range(8):
        assert f"    thread {lane}, {base + 4 * lane:#x}: {2 * (1000 + lane):#x} -> {1000 + lane:#x}\n" in said
    assert f"    … thread 31, {base + 4 * 31:#x}: " in said
    # Part of it: the lanes that wrote to that part.
    assert rows(gdb(f"monitor who-wrote {base + 9},2"))[0][2] == "thread 2"


def test_local_memory_of_each_core(program, serve, gdb):
    file = program("watched")
    server = serve(file, "--gpu", "vortex:cores=2,warps=2,threads=4")
    one = gdb(server, file)
    one("break *last")
    one("continue")
    for core in (0, 1):
        thread = [n for n, t in one.threads().items() if f"core {core}, " in t["name"]]
        if not thread:
            continue
        one(f"thread {thread[0]}")
        one("p *(int *)0xffff0000")
        assert re.search(rf"device 0, core {core}, warp \d, threads 0-3, .*: 0x[0-9a-f]+ -> {100 + core:#x}$",
                         one("monitor who-wrote 0xffff0000"), re.M)


def test_many_writes_are_cut(session):
    """A place that is written all the time: the last ones, and a word about the rest."""
    server, gdb = session("endless", Variant())
    gdb("stepi 4")
    gdb.later("continue")
    gdb.child.expect_exact("Continuing.")
    gdb.interrupt()
    gdb.answer()
    said = gdb("monitor who-wrote counter --all")
    assert "(the last 200; there may be more before)" in said
    found = rows(said)
    assert len(found) == 200
    values = [int(row[4].split("-> ")[1], 16) for row in found]
    assert values == list(range(values[0], values[0] + 200))
    last = rows(gdb("monitor who-wrote counter"))
    assert last[0] == found[-1]


def test_watchpoints_and_breakpoints_stay(session):
    server, gdb = session("watched", Variant())
    gdb("watch *(int *)&results")
    gdb("break *add")
    gdb("continue")
    assert gdb.number("*(int *)&results") == 3000
    assert rows(gdb("monitor who-wrote results"))[0][4].endswith("0x0 -> 0xbb8")
    assert "New value = 2000" in gdb("continue")
    gdb("delete 1")
    first = gdb("continue")
    assert "hit Breakpoint 2" in first
    assert rows(gdb("monitor who-wrote results"))[0][4].endswith("0x7d0 -> 0x3e8")
    # The warp that stands on it goes on from there: it is another one that comes by next.
    assert re.search(r"warp \d", first)[0] != re.search(r"warp \d", gdb("continue"))[0]


@pytest.mark.parametrize("words", ["", "nonsense", "0x", "1,", "1,0", "1,x", ",4", "results,4,4", "0x80001000 4",
                                   "--all", "99999999999999999999", "-", "results results", 120 * "9"])
def test_what_is_no_place_is_told(session, words):
    server, gdb = session("watched", Variant())
    assert re.search("is not a place in memory|too long", gdb(f"monitor who-wrote {words}"))


def test_without_history(session):
    server, gdb = session("watched", Variant(), "--no-history")
    assert "not recorded" in gdb("monitor who-wrote results")
