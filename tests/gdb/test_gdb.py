"""Stock GDB debugs programs: what a person does at its prompt, for every width, number of lanes, and
with and without the memory port, with equal results."""
import re

import pytest

from conftest import FEW, VARIANTS, Variant, each


def lane_result(lane):
    return (101 if lane % 2 else 202) + 5000


@each()
def test_a_session(session, variant):
    """Breakpoint, threads by core, warp and lane, registers, memory, and the right exit status."""
    server, gdb = session("lanes", variant)
    assert "_start" in gdb.start
    assert gdb.value("$pc", "/x") == "0x80000000"
    assert 'currently "none"' in gdb("show osabi")

    gdb("break *count")
    hit = gdb("continue")
    assert "hit Breakpoint 1" in hit
    threads = gdb.threads()
    assert len(threads) == 4 * variant.threads
    assert [t["id"] for t in threads.values()] == list(range(1, 4 * variant.threads + 1))
    for number, thread in threads.items():
        warp, lane = divmod(number - 1, variant.threads)
        assert thread["name"] == f"device 0, core 0, warp {warp}, thread {lane}"

    stopped = int(re.search(r'Thread (\d+) "', hit)[1])
    warp = (stopped - 1) // variant.threads
    for lane in {0, 1, variant.threads - 1}:
        gdb(f"thread {warp * variant.threads + lane + 1}")
        assert gdb.number("$s0") == lane
        assert gdb.number("$s1") == warp
        assert gdb.number("$s3") == lane_result(lane) - 4000
        assert gdb.number("$vx_thread_id") == lane

    gdb("delete")
    gdb("break *last")
    gdb("continue")
    results = [gdb.number(f"((int *)&results)[{i}]") for i in range(4 * variant.threads)]
    assert results == [lane_result(i % variant.threads) for i in range(4 * variant.threads)]
    assert "exited with code 052" in gdb("continue")


@each([Variant(64, 4, dm, 0x180000000) for dm in (False, True)])
def test_code_above_4_gib(session, variant):
    """DPC has the low half of a PC: the upper half is read and set by injection."""
    server, gdb = session("lanes", variant)
    assert gdb.value("$pc", "/x") == "0x180000000"
    gdb("stepi")
    assert gdb.value("$pc", "/x") == "0x180000004"
    gdb("break *count")
    assert "hit Breakpoint 1" in gdb("continue")
    count = gdb.number("(unsigned long)&count")
    assert count >> 32 == 1 and gdb.number("$pc") == count
    assert len(gdb.threads()) == 16
    gdb("nexti")
    assert gdb.number("$pc") == count + 2
    gdb("set $pc = &again")
    assert gdb.number("$pc") == gdb.number("(unsigned long)&again")
    gdb("set $pc = 0x80000000")
    assert gdb.number("$pc") == 0x80000000
    gdb(f"set $pc = {count + 2:#x}")
    gdb("frame 0")  # GDB looks for the frame of before, and takes another one for it
    assert gdb.number("$pc") == count + 2
    gdb("delete")
    gdb("break *last")
    assert "hit Breakpoint 2" in gdb("continue")
    results = [gdb.number(f"((int *)&results)[{i}]") for i in range(16)]
    assert results == [lane_result(i) for i in range(16)]
    assert "exited with code 052" in gdb("continue")


@each()
def test_memory_and_registers_are_changed(session, variant):
    """What is written is what the program goes on with."""
    server, gdb = session("lanes", variant)
    gdb("break *meet if $vx_warp_id == 0 && $vx_thread_id == 1")
    gdb("continue")
    assert gdb.number("$s0") == 1
    gdb("set var $s3 = 7")
    assert gdb.number("$s3") == 7
    gdb("set var *(int *)&status = 3")
    assert gdb.number("*(int *)&status") == 3
    gdb("delete")
    gdb("break *last")
    gdb("continue")
    assert gdb.number("((int *)&results)[1]") == 5007
    assert gdb.number("((int *)&results)[3]") == lane_result(3)
    assert "exited with code 03" in gdb("continue")


@each()
def test_a_divergent_branch_is_stepped_through(session, variant):
    """Stepping follows the lane that is stepped, whichever way the branch divides the warp."""
    server, gdb = session("lanes", variant)
    gdb("break *divide")
    hit = gdb("continue")
    first = (int(re.search(r'Thread (\d+) "', hit)[1]) - 1) // variant.threads * variant.threads + 1
    gdb("delete")
    def follow(lane, steps):
        gdb(f"thread {first + lane}")
        seen = []
        for _ in range(steps):
            gdb("stepi")
            seen.append(re.sub(r".*<(.*)>.*", r"\1", gdb.value("$pc", "/a")))
        return seen

    assert follow(1, 4)[:3] == ["branch", "odd", "odd+4"]
    # Lane 0 slept meanwhile: where it will wake up is where it is shown.
    threads = gdb.threads()
    assert threads[first]["note"] == "masked off"
    assert threads[first + 1]["note"] is None
    gdb(f"thread {first}")
    assert gdb.value("$pc", "/a").endswith("<branch>")
    assert gdb.number("$s3") == 0
    # Its next step lets the others finish their part first.
    assert follow(0, 2) == ["even", "even+4"]
    assert gdb.number("$s3") == 200
    gdb(f"thread {first + 1}")
    assert gdb.number("$s3") == 101


@each(FEW)
def test_a_lane_put_to_sleep_does_not_run_ahead(session, variant):
    """GDB steps a lane past its breakpoint before it lets all go. Where that instruction is a SPLIT
    that puts the lane to sleep, its warp must not run on alone, past what is to stop it."""
    server, gdb = session("lanes", variant, "--schedule", "lockstep")
    gdb("break *divide if $_warp == 2")
    assert "hit Breakpoint 1" in gdb("continue")
    gdb("break *odd if $_warp == 2")
    assert "hit Breakpoint 2" in gdb("continue")


@pytest.mark.parametrize("options", [[], ["--dm-only"]], ids=["port", "dm"])
@pytest.mark.parametrize("xlen", [32, 64])
def test_a_function_is_called_by_one_lane(example, serve, gdb, xlen, options):
    """Lanes of a warp have one pc: a call is refused, in words and without a trace, while others
    would go along; with one active lane it works. In the past no future is lost by the attempt."""
    file = example("mandelbrot", xlen)
    one = gdb(serve(file, "--gpu", "vortex:warps=2,threads=4", *options), file)
    one("break draw if pixel == 238")
    assert "hit Breakpoint 1" in one("continue")
    end = int(re.match(r"issue time (\d+)", one("monitor time"))[1])

    def refused():
        state = one("monitor hash")
        said = one("print begin(3)")
        assert "all 4 active threads of device 0, core 0, warp 1 would run the function" in said, said
        assert "vx_active_threads = 0x4; afterwards 0xf again" in said, said
        assert one("monitor hash") == state
        assert f"of 0-{end}" in one("monitor time")
    refused()
    assert one.number("pixel") == 238
    one("reverse-stepi")
    refused()
    one(f"monitor goto {end}")
    one("maintenance flush register-cache")

    assert "must have a bit set" in one("set $vx_active_threads = 0")
    assert "for each of 4 threads" in one("set $vx_active_threads = 0x10")
    one("set $vx_active_threads = 4")
    assert one.number("$_mask") == one.number("$vx_active_threads") == 4
    assert "x0 = -2.0593" in one("print begin(3)")
    one("thread 6")
    assert "masked off" in one("print begin(3)")
    assert "has no pc that could be set" in one("set $pc = &begin")
    one("thread 5")
    one("set $vx_active_threads = 0xf")
    assert one.number("$_mask") == 15
    one("delete")
    assert "exited normally" in one("continue")


@each(FEW)
def test_conditions_are_evaluated_on_the_target(session, variant):
    server, gdb = session("lanes", variant)
    assert "target" in gdb("show breakpoint condition-evaluation")
    gdb("break *store if $vx_thread_id == 2 && $vx_warp_id == 3")
    assert "hit Breakpoint 1" in gdb("continue")
    assert (gdb.number("$s0"), gdb.number("$s1")) == (2, 3)
    assert "target evals" in gdb("info breakpoints") or "breakpoint already hit 1 time" in gdb(
        "info breakpoints")
    assert "exited with code 052" in gdb("continue")


@each(FEW)
def test_conditions_that_gdb_evaluates_see_every_lane(session, variant):
    """A convenience variable of floating point has no bytecode: GDB asks one thread after another,
    each as it stood at the breakpoint, whose instruction changes the register that is asked for."""
    server, gdb = session("lanes", variant)
    gdb("set $half = 0.5")
    gdb("break *again if ($s3 == 101 || $s3 == 2101 || $s3 == 3101) && $s0 == 3 && $s1 == 2 && $half < 1")
    assert "hit Breakpoint 1" in gdb("continue")
    assert [gdb.number(r) for r in ("$s0", "$s1", "$s3", "$_lane")] == [3, 2, 101, 3]
    assert "<again>" in gdb.value("$pc", "/a")
    gdb("stepi")
    assert gdb.number("$s3") == 1101
    assert "<count>" in gdb.value("$pc", "/a")
    for s3 in (2101, 3101): # and on, from the breakpoint itself, too
        assert "hit Breakpoint 1" in gdb("continue")
        assert [gdb.number(r) for r in ("$s0", "$s1", "$s3")] == [3, 2, s3]
    gdb("delete")
    gdb("break *store if $s0 == 1 && $s1 == 3 && $half < 1")
    assert "hit Breakpoint 2" in gdb("continue")
    assert (gdb.number("$s0"), gdb.number("$s1"), gdb.number("$s3")) == (1, 3, 5101)
    gdb("delete")
    assert "exited with code 052" in gdb("continue")


@each(FEW)
def test_other_things_that_gdb_does_for_one_thread(session, variant):
    """Breakpoints of a thread, dprintf by GDB, conditions where a thread is a warp."""
    server, gdb = session("lanes", variant, extended=True)
    gdb("tbreak *again if $s1 == 3")
    gdb("continue")
    number = next(n for n, t in gdb.threads().items() if t["name"] == "device 0, core 0, warp 3, thread 2")
    gdb(f"break *store thread {number}")
    assert "hit Breakpoint 2" in gdb("continue")
    assert (gdb.number("$s0"), gdb.number("$s1")) == (2, 3)
    gdb("delete")
    gdb("set dprintf-style gdb")
    gdb('dprintf *store,"warp %d lane %d\\n", (int)$vx_warp_id, (int)$vx_thread_id')
    said = gdb("run")
    assert "exited with code 052" in said
    lines = [line for line in said.split("\n") if line.startswith("warp ")]
    assert sorted(lines) == sorted(f"warp {w} lane {l}" for w in range(4)
                                   for l in range(variant.threads))
    gdb("delete")
    gdb("monitor threads warps")
    gdb("set $half = 0.5")
    gdb("break *store if $s0 == 2 && $s1 == 1 && $half < 1")
    assert "hit Breakpoint" in gdb("run")
    assert (gdb.number("$s0"), gdb.number("$s1"), gdb.number("$_lane")) == (2, 1, 2)


@each(FEW)
def test_a_stop_that_a_person_sees_is_told_once_for_its_warp(session, variant):
    """Unless every lane's is asked for, as commands of a breakpoint may need it."""
    server, gdb = session("lanes", variant, extended=True)
    gdb("break *store")
    seen = []
    for _ in range(4):
        assert "hit Breakpoint 1" in gdb("continue")
        seen.append(gdb.number("$s1"))
    assert sorted(seen) == [0, 1, 2, 3]
    assert "exited with code 052" in gdb("continue")
    assert "stops for each lane" in gdb("monitor each-lane on")
    lanes = []
    for i in range(4 * variant.threads):
        assert "hit Breakpoint 1" in gdb("continue" if i else "run")
        lanes.append((gdb.number("$s1"), gdb.number("$s0")))
    assert sorted(lanes) == [(w, l) for w in range(4) for l in range(variant.threads)]
    assert "exited with code 052" in gdb("continue")
    assert "stops once" in gdb("monitor each-lane off")


def test_other_warps_cost_a_next_one_stop_each(example, serve, gdb):
    """Behind a call GDB waits for one thread at a breakpoint of its own: the other warps that come by
    are reported once each, not lane by lane."""
    file = example("mandelbrot")
    one = gdb(serve(file, "--gpu", "vortex:warps=8,threads=32", "--schedule", "lockstep"), file)
    one("tbreak draw if $_warp == 0")
    assert "Temporary breakpoint 1" in one("continue")
    assert "begin(pixel)" in one("next")
    one("set debug remote 1")
    said = one("next")
    one("set debug remote 0")
    assert "vx_while(iterate" in said
    assert 2 < said.count("Packet received: T05") < 60


@each(FEW)
def test_a_condition_that_never_holds_never_stops(session, variant):
    server, gdb = session("lanes", variant)
    gdb("break *again if $vx_thread_id == 999")
    assert "exited with code 052" in gdb("continue")


@each(FEW)
def test_dprintf_is_done_by_the_target(session, variant, program):
    """Each lane that passes prints, without a stop; the server prints it where the console is."""
    server, gdb = session("lanes", variant)
    gdb("set dprintf-style agent")
    gdb('dprintf *store,"warp %d lane %d\\n", (int)$vx_warp_id, (int)$vx_thread_id')
    assert "exited with code 052" in gdb("continue")
    gdb.close()
    server.stop()
    said = sorted(server.output.split("\n")[:-1])
    assert said == sorted(f"warp {w} lane {l}" for w in range(4) for l in range(variant.threads))


@each(FEW)
def test_dprintf_prints_floating_point_and_strings(session, variant):
    """Floating point in memory by its bits: GDB compiles no other way to it. A variable in a register
    is sent as it is, with 32 or 64 bits (test_agent.c)."""
    server, gdb = session("lanes", variant)
    gdb("set dprintf-style agent")
    data = gdb.number("(unsigned long) &results")
    gdb(f"set {{float}} {data} = -0.25")
    gdb(f"set {{double}} {data + 32} = 1.5")
    gdb(f'set {{char[4]}} {data + 64} = "abc"')
    gdb(f'dprintf *divide,"%.3f %g %s %5.1f|\\n",*(long long *) {data + 32},*(int *) {data},'
        f'(char *) {data + 64},*(int *) {data}')
    gdb("condition $bpnum $vx_warp_id == 0 && $vx_thread_id == 0")
    assert "exited with code 052" in gdb("continue")
    gdb.close()
    server.stop()
    assert server.output == "1.500 -0.25 abc  -0.2|\n"


@each(FEW)
def test_next_is_one_range_step(session, variant):
    """`step` over one line asks the server once, not once per instruction."""
    server, gdb = session("lanes", variant)
    gdb("break *store")
    gdb("continue")
    gdb("delete")
    gdb("set debug remote 1")
    said = gdb("step")
    gdb("set debug remote 0")
    assert len(re.findall(r"\$vCont;r", said)) == 1


@each(FEW)
def test_an_endless_program_is_interrupted(session, variant):
    server, gdb = session("endless", variant)
    gdb("stepi 6")
    for _ in range(3):
        gdb.later("continue")
        gdb.child.expect_exact("Continuing.")
        gdb.interrupt()
        assert "SIGINT" in gdb.answer()
        assert "loop" in gdb.value("$pc", "/a")
        assert gdb.number("*(unsigned *)&counter") > 0


@each(FEW)
def test_detach_lets_it_run_and_attach_finds_it(session, gdb, program, variant):
    server, first = session("endless", variant)
    first("stepi 4")
    assert first.number("*(unsigned *)&counter") < 2
    first("detach")
    first.close()
    with server.quiet_client() as raw:
        # The next client halts it.
        assert raw.ask("?").startswith(b"T02")
    second = gdb(server, program("endless", variant.xlen))
    assert "loop" in second.start
    assert second.number("*(unsigned *)&counter") > 1


@each(FEW)
def test_run_starts_afresh(session, variant):
    """`run` in extended-remote mode: memory as the program has it, breakpoints still there."""
    server, gdb = session("lanes", variant, extended=True)
    gdb("break *last")
    gdb("continue")
    gdb("set var *(int *)&status = 9")
    assert gdb.number("((int *)&results)[1]") == lane_result(1)
    hit = gdb("run")
    assert "hit Breakpoint 1" in hit
    assert gdb.number("*(int *)&status") == 42
    assert "exited with code 052" in gdb("continue")
    assert "hit Breakpoint 1" in gdb("run")


@each(FEW)
def test_monitor_reset(session, variant):
    server, gdb = session("lanes", variant)
    gdb("break *last")
    gdb("continue")
    gdb("set var *(int *)&status = 9")
    assert "afresh" in gdb("monitor reset")
    gdb("maintenance flush register-cache")
    assert gdb.value("$pc", "/x") == "0x80000000"
    assert "hit Breakpoint 1" in gdb("continue")
    assert gdb.number("*(int *)&status") == 42


def test_monitor_speaks(session):
    server, gdb = session("lanes", Variant())
    assert "monitor threads" in gdb("monitor help")
    assert "is not a command of wavetrap" in gdb("monitor nonsense")
    assert "4 threads a warp" in gdb("monitor info")


def test_gdb_finds_the_program_by_itself(serve, gdb, program):
    file = program("lanes", 64)
    server = serve(file)
    alone = gdb(server)
    assert f"Reading {file} from remote target" in alone.start
    alone("break *count")
    assert "hit Breakpoint 1, count () at" in alone("continue")


def test_thousand_lanes_are_threads_and_more_are_warps(serve, gdb, program):
    """The rule: a thread per lane up to 1,024 active lanes, beyond that a thread per warp."""
    file = program("lanes")
    server = serve(file, "--gpu", "vortex:warps=33,threads=32", "--schedule", "lockstep")
    one = gdb(server, file)
    assert len(one.threads()) == 32
    one("break *store if $vx_warp_id == 32")
    one("continue")
    threads = one.threads()
    assert len(threads) == 33
    assert {t["name"] for t in threads.values()} == {f"device 0, core 0, warp {w}" for w in range(33)}
    assert one.number("$s0") == 0
    one("monitor lane 7")
    one("maintenance flush register-cache")
    assert one.number("$s0") == 7
    assert one.number("$s3") == lane_result(7)
    one("monitor threads lanes")
    assert len(one.threads()) == 33 * 32


@pytest.mark.parametrize("mode,count", [("lanes", 16), ("warps", 4)])
def test_threads_can_be_forced(session, mode, count):
    server, gdb = session("lanes", Variant(), "--gdb-threads", mode, "--schedule", "lockstep")
    gdb("break *store if $vx_warp_id == 3")
    gdb("continue")
    assert len(gdb.threads()) == count


def test_a_mistake_of_the_program_is_a_signal_with_words(session):
    server, gdb = session("mistake", Variant())
    said = gdb("continue")
    assert "SIGILL" in said
    assert "bad" in gdb.value("$pc", "/a")
    assert re.search(r"illegal|no such|instruction", said)


def all_told(gdb):
    """Waits until GDB has been told of each thread that it stands, and has said so."""
    while "(running)" in gdb("info threads"):
        pass


@each(FEW)
def test_nonstop(session, variant):
    """Each warp stops on its own; what was stopped stays so while others run."""
    server, gdb = session("lanes", variant, before=("set non-stop on",))
    all_told(gdb)
    gdb("break *count thread 1")
    assert "hit Breakpoint 1, count" in gdb("continue")
    assert gdb.number("$s1") == 0
    gdb("delete")
    assert "exited with code 052" in gdb("continue -a")


@pytest.mark.parametrize("variant", [variant if variant.threads < 32 else pytest.param(variant, marks=pytest.mark.full) for variant in FEW], ids=str)
def test_nonstop_conditions_that_gdb_evaluates_see_every_lane(session, variant):
    """Each lane's stop is told; the warp waits where the condition holds for one of them, and goes on with the last lane."""
    server, gdb = session("lanes", variant, before=("set non-stop on",))
    all_told(gdb)
    gdb("set $half = 0.5")
    gdb("break *again if ($s3 == 101 || $s3 == 2101 || $s3 == 3101) && $s0 == 3 && $s1 == 2 && $half < 1")
    hit = gdb("continue -a")
    gdb(f"thread {re.search(r'Thread ([0-9]+) .device 0, core 0, warp 2, thread 3. hit Breakpoint 1', hit)[1]}")
    assert [gdb.number(r) for r in ("$s0", "$s1", "$s3", "$_lane")] == [3, 2, 101, 3]
    assert "<again>" in gdb.value("$pc", "/a")
    assert "(running)" in gdb("info threads")
    assert "hit Breakpoint 1" in gdb("continue -a")
    assert gdb.number("$s3") == 2101
    # The lanes that GDB takes for running can be stopped, and go on.
    gdb("interrupt -a")
    all_told(gdb)
    assert gdb.number("$s3") == 2101
    assert "hit Breakpoint 1" in gdb("continue -a")
    assert gdb.number("$s3") == 3101
    gdb("delete")
    assert "exited with code 052" in gdb("continue -a")


@pytest.mark.parametrize("place,command,first,second,beside", [
    ("again", "next", "place:", "back:", "place:"), ("place", "next", "back:", "count:", "back:"),
    ("place", "step", "twice:", "sw ", "twice:"), ("inside", "step", "once:", "ret", "once:"),
    ("inside", "finish", "back:", "not meaningful in the outermost frame", "back:"),
    ("once", "finish", "inside:", "hit Breakpoint 1, once", "inside:")])
def test_nonstop_steps_over_calls_come_back(session, place, command, first, second, beside):
    """Of one lane of a warp whose lanes have all hit a breakpoint: the warp goes on with it, over the call or out of it. A lane that
    stayed behind is shown at the breakpoint until it is stepped itself; other warps stay where they are."""
    server, gdb = session("calls", Variant(), "--gpu", "vortex:warps=2", before=("set non-stop on",))
    all_told(gdb)
    gdb(f"break *{place}")
    gdb("continue -a")
    all_told(gdb)
    at = gdb.number("$pc")
    gdb("thread 3")
    assert first in gdb(command)
    assert second in gdb(command)
    gdb("thread 2")
    assert gdb.number("$pc") == at
    said = gdb(command)
    assert re.search(r"\d+\t", said), said  # a line of the program: it has stopped
    gdb("thread 6")
    assert gdb.number("$pc") == at
    assert beside in gdb(command)
    gdb("delete")
    assert "exited with code 052" in gdb("continue -a")


def test_nonstop_a_fault_is_told_for_a_thread_that_gdb_takes_for_running(session):
    """GDB 13 fails an assertion of its own if it hears of the fault from a lane that it knows to stand."""
    server, gdb = session("calls", Variant(), "--gpu", "vortex:warps=2", before=("set non-stop on",))
    all_told(gdb)
    gdb("break *place")
    gdb("continue -a")
    all_told(gdb)
    gdb("thread 3")
    for lane in range(1, 5):
        gdb(f"thread apply {lane} -q set $sp = 2")
    said = gdb("next")
    assert 'Thread 3 "device 0, core 0, warp 0, thread 2" received signal SIGBUS' in said, said


def test_nonstop_interrupt(session):
    server, gdb = session("endless", Variant(), before=("set non-stop on",))
    all_told(gdb)
    gdb("continue &")
    assert "(running)" in gdb("info threads")
    gdb("interrupt -a")
    gdb.child.expect("stopped")
    gdb.child.expect_exact("\n")
    assert "loop" in gdb.value("$pc", "/a")


@each(FEW)
def test_one_warp_runs_to_its_end(session, variant):
    """With the scheduler locked: GDB hears that nothing is left of it, and the rest goes on."""
    server, gdb = session("lanes", variant, "--schedule", "lockstep")
    gdb("break *again")
    gdb("continue")
    gdb(f"thread {variant.threads + 2}")
    assert gdb.number("$s1") == 1
    gdb("set scheduler-locking on")
    # Another lane of the warp comes to the breakpoint as well; this one is what GDB resumed.
    hit = gdb("continue")
    assert f'Thread {variant.threads + 2} "device 0, core 0, warp 1, thread 1" hit Breakpoint 1' in hit
    gdb("delete")
    assert "No unwaited-for children left" in gdb("continue")
    gdb("set scheduler-locking off")
    assert len(gdb.threads()) == 3 * variant.threads
    gdb("thread 1")
    assert "exited with code 052" in gdb("continue")


def test_hardware_breakpoints(session):
    server, gdb = session("lanes", Variant())
    gdb("hbreak *count")
    gdb("set debug remote 1")
    hit = gdb("continue")
    gdb("set debug remote 0")
    assert "$Z1," in hit and "hwbreak:;" in hit
    assert "hit Breakpoint 1" in hit
    gdb("delete")
    assert "exited with code 052" in gdb("continue")


@each(FEW)
def test_backtrace_and_variables_in_a_kernel(serve, gdb, example, variant):
    """C with debug information: arguments and locals of each lane."""
    file = example("vecadd", variant.xlen)
    server = serve(file, *variant.options)
    one = gdb(server, file)
    one("break add if i == 5")
    assert re.search(r"hit Breakpoint 1, add \(p=0x[0-9a-f]+, i=5\)", one("continue"))
    one("next")
    one("next")
    assert one.value("x == a[5]") == "1"
    one("delete")
    assert "exited normally" in one("continue")


def test_compare_sections_and_find(session):
    """Checksums and searches run beside the device."""
    server, gdb = session("lanes", Variant())
    assert "matched" in gdb("compare-sections .text")
    assert "<status>" in gdb("find /w &status, +64, 42")
    assert "not found" in gdb("find /w &status, +64, 4242")


def test_info_registers_of_every_set(session):
    server, gdb = session("lanes", Variant(64, 4))
    for name in ("ra", "pc", "ft0", "fcsr", "mhartid", "vx_thread_id", "vx_warp_id"):
        assert not re.search("Invalid|Could not|not available", gdb(f"info registers {name}")), name


@pytest.mark.parametrize("lane", [pytest.param(lane, marks=pytest.mark.full) if lane == 2 else lane for lane in range(4)])
@each([Variant(32, 4, False), Variant(32, 4, True), Variant(64, 4, False)])
def test_next_and_finish_work_on_any_lane(serve, gdb, example, variant, lane):
    """Breakpoints that GDB plants for one thread only are reported for that one, whichever lane."""
    program = example("mandelbrot", variant.xlen)
    gdb = gdb(serve(program, "--gpu", "vortex:warps=2,threads=4",
                    *(["--dm-only"] if variant.dm_only else [])), program)
    gdb(f"break draw if pixel == {236 + lane}")
    gdb("continue")
    assert gdb.number("$vx_thread_id") == lane
    gdb("delete")
    assert "begin(pixel)" in gdb("next")
    assert "vx_while" in gdb("next")  # over a call
    assert gdb.number("$vx_thread_id") == lane
    assert "VX_IF" in gdb("next")     # over a call in which lanes leave a loop one by one
    assert gdb.number("$vx_thread_id") == lane
    assert gdb.number("point.count") == [60, 60, 15, 21][lane]
    assert "run_range" in gdb("finish")
    assert gdb.number("$vx_thread_id") == lane
