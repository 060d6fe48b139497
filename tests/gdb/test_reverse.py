"""Stock GDB runs programs backwards: what it saw on the way there it sees again on the way back, in
every width, number of lanes, and with and without the memory port."""
import re

import pytest

from conftest import FEW, Variant, each

RV32, DM = Variant(32, 4, False), Variant(32, 4, True)


def time(gdb):
    return int(re.match(r"issue time (\d+)", gdb("monitor time"))[1])


def state_hash(gdb):
    """The hash of the program's state, and its issue time."""
    said = re.match(r"([0-9a-f]{16}) at issue time (\d+)\n", gdb("monitor hash"))
    return said[1], int(said[2])


def go_to(gdb, when):
    said = gdb(f"monitor goto {when}")
    gdb("maintenance flush register-cache")
    gdb("maintenance flush dcache")
    return said


def place(gdb):
    return gdb.value("$pc", "/a"), gdb.number("$s3"), time(gdb)


def lane_of(text):
    found = re.search(r'Thread \d+ "device 0, core (\d+), warp (\d+), thread (\d+)"', text)
    return tuple(map(int, found.groups()))


@each()
def test_steps_back_undo_steps(session, variant):
    """A lane goes back the way it came, through a branch on which the lanes disagree, and forwards
    again through what was recorded; the state is the same whenever it is there."""
    server, gdb = session("lanes", variant)
    gdb("break *divide")
    first = (int(re.search(r'Thread (\d+) "', gdb("continue"))[1]) - 1) // variant.threads
    first = first * variant.threads + 1
    gdb("delete")
    gdb(f"thread {first + 1}")
    way, hashes = [place(gdb)], [state_hash(gdb)]
    for _ in range(12):
        gdb("stepi")
        way.append(place(gdb))
        hashes.append(state_hash(gdb))
    assert any("odd" in p for p, _, _ in way)
    for there, known in zip(way[-2::-1], hashes[-2::-1]):
        gdb("reverse-stepi")
        # Behind the lane's instruction others may have had their turn: the state is that of
        # before the lane's next one.
        pc, s3, when = place(gdb)
        assert (pc, s3) == there[:2]
        assert when >= there[2]
        go_to(gdb, there[2])
        assert state_hash(gdb) == known
        assert place(gdb) == there
    for there, known in zip(way[1:], hashes[1:]):
        gdb("stepi")
        assert place(gdb)[:2] == there[:2]
        go_to(gdb, there[2])
        assert state_hash(gdb) == known


@each()
def test_a_lane_that_slept_is_followed_back(session, variant):
    """Lane 0 takes the second part of the branch: back from its end it passes nothing of the
    other part, during which it slept."""
    server, gdb = session("lanes", variant)
    gdb("break *again")
    gdb("continue")
    warp = gdb.number("$s1")
    gdb("delete")
    gdb(f"thread {warp * variant.threads + 1}")
    seen = []
    while not seen or "divide" not in seen[-1]:
        gdb("reverse-stepi")
        seen.append(gdb.value("$pc", "/a"))
    names = [re.sub(r".*<(.*)>.*", r"\1", s) for s in seen]
    assert [n for n in names if n.startswith("odd")] == []
    assert [n for n in names if n.startswith("even")] == ["even+4", "even"]
    assert names[-1] == "divide"


@each()
def test_reverse_continue_meets_every_breakpoint_again(session, variant):
    """With a condition that some lanes fulfil: the same stops in the opposite order, each with the
    state it had."""
    server, gdb = session("lanes", variant)
    gdb("break *count if $s6 == 3 && $vx_warp_id != 2")
    gdb("break *store")
    gdb("monitor stop-at-end on")
    stops, back, on = [], [], []

    def follow(command, to):
        while "hit Breakpoint" in (said := gdb(command)):
            to.append((lane_of(said)[1], gdb.value("$pc", "/a"), *state_hash(gdb)))
        return said

    said = follow("continue", stops)
    assert "SIGTRAP" in said and "with status 42" in said
    assert len(stops) == 3 + 4
    assert "No more reverse-execution history" in follow("reverse-continue", back)
    assert back == stops[::-1]
    assert time(gdb) == 0
    # And forwards through the recorded run, up to the present, where it ends.
    assert "exited with code 052" in follow("continue", on)
    assert on == stops


@each(FEW)
def test_reverse_next_and_step_and_finish(serve, gdb, example, variant):
    """Source lines backwards; a call is passed over, entered at its end, and left at its call."""
    file = example("vecadd", variant.xlen, "-O0 -g")
    gdb = gdb(serve(file, *variant.options), file)
    gdb("break main")
    gdb("continue")
    line = lambda: int(re.search(r"^line += (\d+)|[Ll]ine (\d+)", gdb("info line *$pc"))[2])
    assert gdb("info symbol $pc").startswith("main")
    gdb("tbreak judge")
    gdb("continue")
    assert gdb("info symbol $pc").startswith("judge")
    gdb("reverse-finish")
    assert gdb("info symbol $pc").startswith("main")
    call = line()
    assert "judge(" in gdb("list *$pc,+1")
    gdb("reverse-next")
    assert gdb("info symbol $pc").startswith("main") and line() == call # its beginning
    gdb("reverse-next")
    assert gdb("info symbol $pc").startswith("main") and line() < call
    gdb("tbreak add")
    said = gdb("reverse-continue")
    assert "add (" in said
    lane = gdb.number("i")
    gdb("next")
    gdb("next")
    second = line()
    gdb("reverse-next")
    assert line() < second and gdb.number("i") == lane
    gdb("next")
    assert line() == second and gdb.number("i") == lane


@each(FEW)
def test_the_ends_of_history(session, variant):
    """There is nothing before the beginning, and behind the present the run is new."""
    server, gdb = session("lanes", variant)
    gdb("stepi 5")
    here = place(gdb)
    assert "No more reverse-execution history" in gdb("reverse-stepi 50")
    assert gdb.value("$pc", "/x") == "0x80000000" and time(gdb) == 0
    said = gdb("continue")
    assert "No more reverse-execution history" in said and "the present is reached again" in said
    assert place(gdb) == here
    assert "exited with code 052" in gdb("continue")


@each(FEW)
def test_goto_marks_and_what_is_no_time(session, variant):
    server, gdb = session("lanes", variant)
    gdb("break *store")
    gdb("continue")
    end = time(gdb)
    assert gdb("monitor mark here") == f"here is issue time {end}\n"
    assert f"issue time {end - 7}" in go_to(gdb, "-7")
    assert f"issue time {end - 4}" in go_to(gdb, "+3")
    assert "in the past" in gdb("monitor time")
    assert "issue time 0:" in go_to(gdb, "start")
    assert gdb.value("$pc", "/x") == "0x80000000"
    assert "(the present)" in go_to(gdb, "here")
    assert gdb.value("$pc", "/a").endswith("<store>")
    assert go_to(gdb, end + 1).startswith(f"issue time {end + 1} is not recorded: history reaches "
                                          f"from 0 to {end}")
    for wrong in ("", "x", "-", "+", "--1", f"-{end + 1}", "1x", "99999999999999999999"):
        assert "is not an issue time" in gdb(f"monitor goto {wrong}")
    assert "cannot name a mark" in gdb("monitor mark 7")
    assert "cannot name a mark" in gdb("monitor mark start")
    assert gdb("monitor mark") == f"here                 {end}\n"
    assert "forgotten" in gdb("monitor unmark here")
    assert "there is no mark" in gdb("monitor unmark here")
    assert time(gdb) == end


@each()
def test_a_change_in_the_past_makes_a_new_future(session, variant):
    """The old one is dropped, the user is told, and the program goes on with what was written."""
    server, gdb = session("lanes", variant)
    gdb("break *last")
    gdb("continue")
    last = time(gdb)
    # The thread is lane 0 of warp 0; the results are there.
    result = gdb.number("((int *)&results)[0]")
    gdb("delete")
    gdb("tbreak *store if $vx_warp_id == 0")
    assert "store" in gdb("reverse-continue")
    when = time(gdb)
    assert gdb.number("((int *)&results)[0]") == 0
    gdb("set var $s3 = 77")
    assert gdb.number("$s3") == 77
    assert f"issue time {when} of 0-{when}\n" in gdb("monitor time")
    lane = gdb.number("$vx_thread_id")
    gdb("break *last")
    # The client is told when it listens next.
    assert f"A new future begins at issue time {when}" in gdb("continue")
    assert gdb.number(f"((int *)&results)[{lane}]") == 77
    other = (lane + 1) % variant.threads
    assert gdb.number(f"((int *)&results)[{other}]") == (101 if other % 2 else 202) + 5000
    assert f"history reaches from 0 to {time(gdb)}" in go_to(gdb, last + 100000)
    # Memory is written, too, and breakpoints planted in the old future are not met in memory.
    go_to(gdb, 0)
    gdb("set var *(int *)&status = 9")
    assert "not recorded" in go_to(gdb, 5)
    gdb("delete")
    assert "exited with code 011" in gdb("continue")


@each(FEW)
def test_code_reads_as_the_program_has_it(session, variant):
    """In the past memory holds the breakpoints of then: the user sees the program's own code."""
    server, gdb = session("lanes", variant)
    code = gdb("x/4xw &store")
    gdb("break *store")
    gdb("break *count")
    gdb("continue")
    gdb("stepi")
    gdb("delete")
    gdb("stepi")
    go_to(gdb, "-2")
    assert gdb("x/4xw &store") == code
    go_to(gdb, 0)
    assert gdb("x/4xw &store") == code


def test_nothing_is_recorded_if_nothing_is_wanted(session):
    server, gdb = session("lanes", RV32, "--no-history")
    gdb("stepi 3")
    assert "does not support this command" in gdb("reverse-stepi")
    assert "not recorded" in gdb("monitor time")
    assert "not recorded" in gdb("monitor goto 1")
    assert "not recorded" in gdb("monitor hash")
    assert "exited with code 052" in gdb("continue")


@pytest.mark.parametrize("variant", [RV32, DM], ids=str)
def test_a_fault_has_its_history_behind_it(session, variant):
    """The mistake is a signal; the way to it can be gone back, and leads to it again."""
    server, gdb = session("mistake", variant)
    assert "SIGILL" in gdb("continue")
    when = time(gdb)
    gdb("reverse-stepi")
    assert gdb.value("$pc", "/x") == "0x80000000"
    assert gdb.number("$s0") == 0
    said = gdb("continue")
    assert "SIGILL" in said and "bad" in gdb.value("$pc", "/a")
    assert time(gdb) == when and gdb.number("$s0") == 7
    assert "SIGILL" in gdb("continue")


@pytest.mark.parametrize("mistake,signal,words", [
    (1, "SIGILL", "divergent branch"),
    (2, "SIGABRT", "IPDOM stack"),
    (3, "SIGABRT", "IPDOM stack"),
    (4, "SIGABRT", "deadlock"),
], ids=["divergence", "overflow", "underflow", "deadlock"])
@each(FEW)
def test_mistakes_are_signals_with_words_and_history(serve, gdb, program, variant, mistake, signal,
                                                     words):
    """Where the mistake was made, with which signal, in words; and the way back from it."""
    file = program("mistakes", variant.xlen, f"MISTAKE={mistake}")
    gdb = gdb(serve(file, *variant.options), file)
    said = gdb("continue")
    assert signal in said and words in said
    if mistake != 4:
        assert gdb.value("$pc", "/a").endswith("<bad>")
    assert gdb.number("$s2") == 7
    when = time(gdb)
    gdb("reverse-stepi")
    assert time(gdb) < when
    gdb("tbreak *bad")
    assert "bad" in gdb("reverse-continue") or time(gdb) == 0
    go_to(gdb, "start")
    assert gdb.number("$s2") == 0
    said = gdb("continue")
    while "hit" in said:
        said = gdb("continue")
    assert signal in said and words in said
    assert time(gdb) == when


def test_a_search_is_interrupted(session):
    """Ctrl-C ends a long way back; where it stopped, all is there to be seen."""
    server, gdb = session("endless", RV32)
    gdb.later("continue")
    gdb.child.expect_exact("Continuing")
    before = -1
    while before < 3000000:
        gdb.interrupt()
        gdb.answer()
        before = time(gdb)
        if before < 3000000:
            gdb.later("continue")
            gdb.child.expect_exact("Continuing")
    # (GDB cannot translate $s0, a second name of $fp, for the target.)
    gdb("break *loop if $fp == 1000000000")
    while time(gdb) == before:
        gdb.later("reverse-continue")
        gdb.child.expect_exact("Continuing")
        gdb.interrupt()
        said = gdb.answer()
        assert "SIGINT" in said or "No more reverse-execution history" in said
    s0, stored = gdb.number("$s0"), gdb.number("*(int *)&counter")
    assert stored in (s0, s0 - 1)
    assert "the present is reached again" in gdb("continue")
    assert time(gdb) == before


def test_what_was_printed_is_not_printed_again(serve, gdb, example):
    file = example("hello", 32)
    server = serve(file)
    gdb = gdb(server, file)
    gdb("monitor stop-at-end on")
    gdb("continue")
    gdb("reverse-continue")
    gdb("continue")
    gdb("continue")
    gdb.close()
    server.stop()
    assert server.output.count("greeting 0:") == 1
    assert server.output.count("greeting ") == server.output.count("\n") - 1 == 20


def test_not_in_nonstop(session):
    server, gdb = session("lanes", RV32, before=("set non-stop on",))
    while "(running)" in gdb("info threads"):
        pass
    assert "non-stop" in gdb("monitor goto 0")
    # GDB has asked what there is before it chose the mode: it prints the refusal, and goes on.
    for command in ("reverse-stepi", "reverse-continue", "reverse-next"):
        said = gdb(command)
        assert "there is no way back in non-stop mode" in said and "No more reverse-execution history." in said, said
        assert gdb.value("$pc", "/a") == "0x80000000 <_start>"
    gdb("stepi")
    assert gdb.number("$pc") > 0x80000000
    assert "exited with code 052" in gdb("continue -a")


def test_nonstop_does_not_offer_the_way_back(serve, program):
    with serve(program("lanes")).client() as client:
        assert b"ReverseStep+" in client.ask("qSupported")
        assert client.ask("QNonStop:1") == b"OK"
        assert b"Reverse" not in client.ask("qSupported")


def test_reset_begins_a_new_history(session):
    server, gdb = session("lanes", RV32)
    gdb("stepi 20")
    gdb("monitor mark somewhere")
    go_to(gdb, 3)
    gdb("monitor reset")
    gdb("maintenance flush register-cache")
    assert gdb("monitor time").startswith("issue time 0 of 0-0\n")
    assert "There are no marks" in gdb("monitor mark")
    gdb("stepi 2")
    go_to(gdb, 1)
    gdb("monitor reset device")
    gdb("maintenance flush register-cache")
    assert gdb("monitor time").startswith("issue time 0 of 0-0\n")
    gdb("delete")
    assert "exited with code 052" in gdb("continue")


def test_detach_goes_on_from_the_present(session, gdb, program):
    """The program that is left running is the one that the user sees last in the present."""
    server, one = session("endless", RV32)
    one.later("continue")
    one.child.expect_exact("Continuing")
    one.interrupt()
    one.answer()
    when = time(one)
    go_to(one, "start")
    one("detach")
    two = gdb(server, program("endless", 32))
    assert time(two) >= when


def test_many_schedules_and_cores(serve, gdb, program):
    """Going there by any way gives the same state, whatever the schedule."""
    for schedule in ("rr:1", "rr:7", "lockstep", "random:5"):
        file = program("lanes")
        g = gdb(serve(file, "--gpu", "vortex:cores=2,warps=3,threads=4", "--schedule", schedule), file)
        g("break *store")
        known = {}
        for _ in range(4):
            g("continue")
            digest, when = state_hash(g)
            known[when] = digest
        assert len(known) >= 2
        for when in sorted(known) + sorted(known, reverse=True):
            go_to(g, when)
            assert state_hash(g) == (known[when], when)


@pytest.mark.parametrize("schedule", ["rr:1", "rr:7", "lockstep", "random:5"])
def test_breakpoints_do_not_change_the_run(serve, gdb, program, schedule):
    """The state at an issue time is the same with many breakpoints met on the way, and with few."""
    file = program("lanes")
    options = ("--gpu", "vortex:cores=2,warps=3,threads=4", "--schedule", schedule)

    def stops(*breakpoints):
        g = gdb(serve(file, *options), file)
        for place in breakpoints:
            g(f"break *{place}")
        g("monitor stop-at-end on")
        seen = []
        while "hit Breakpoint" in (said := g("continue")):
            if "store" in said:
                seen.append(state_hash(g))
        assert "SIGTRAP" in said
        return seen + [state_hash(g)]

    assert stops("store", "count", "divide", "odd", "last") == stops("store")


@each(FEW)
def test_conditions_that_gdb_evaluates_see_every_lane_backwards(session, variant):
    """As forwards: GDB asks one thread after another, each where it stood."""
    server, gdb = session("lanes", variant)
    gdb("break *last")
    assert "hit Breakpoint 1" in gdb("continue")
    gdb("set $half = 0.5")
    gdb("break *again if $s3 == 2101 && $s0 == 3 && $s1 == 2 && $half < 1")
    said = gdb("reverse-continue")
    assert "hit Breakpoint 2" in said, said
    assert lane_of(said) == (0, 2, 3)
    assert [gdb.number(r) for r in ("$s0", "$s1", "$s3", "$_lane")] == [3, 2, 2101, 3]
    when = time(gdb)
    gdb("delete 2")
    gdb("break *again if $s3 == 1202 && $s0 == 2 && $s1 == 2 && $half < 1")
    assert lane_of(gdb("reverse-continue")) == (0, 2, 2)
    assert gdb.number("$s3") == 1202 and time(gdb) < when
    # Round again: forwards from there.
    gdb("delete 3")
    gdb("break *again if $s3 == 3101 && $s0 == 1 && $s1 == 2 && $half < 1")
    assert lane_of(gdb("continue")) == (0, 2, 1)
    assert gdb.number("$s3") == 3101 and time(gdb) > when
    gdb("delete 4")
    assert "hit Breakpoint 1" in gdb("continue")


@each(FEW)
def test_a_wave_that_waited_at_a_breakpoint_has_arrived_once(session, variant):
    """A breakpoint halts a warp, another runs on, and the warp issues the instruction later: backwards that is one hit, and one step."""
    server, gdb = session("lanes", variant)
    gdb("break *again")
    said = gdb("continue")
    warp, first = lane_of(said)[1], time(gdb)
    other = next(t for t in re.findall(r"Thread (1\.\d+) \"device 0, core 0, warp (\d+), thread 0\"", gdb("info threads")) if int(t[1]) != warp)
    gdb("set scheduler-locking on")
    gdb(f"thread {other[0]}")
    gdb("stepi 3")
    assert time(gdb) == first + 3
    gdb("thread 1.1")
    gdb("set scheduler-locking off")
    arrived = []
    gdb("delete")
    gdb("break *store")
    assert "hit Breakpoint 2" in gdb("continue")
    gdb("delete")
    gdb("break *again")
    while "hit Breakpoint 3" in (said := gdb("reverse-continue")):
        arrived.append((lane_of(said)[1], gdb.number("$s6")))
    assert len(arrived) == len(set(arrived)) and (warp, 5) in arrived, arrived
    gdb(f"monitor goto {first + 3}")
    gdb("maintenance flush register-cache")
    before = gdb.value("$pc", "/a")
    gdb("reverse-stepi")
    assert gdb.value("$pc", "/a") != before
