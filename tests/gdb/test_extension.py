"""Our commands in stock GDB: what each says is checked against what GDB itself says lane by lane, for
both widths, 4 and 32 lanes, and threads that are lanes or warps."""
import os
import re
import socket
import subprocess
from dataclasses import dataclass

import pexpect
import pytest

from conftest import ROOT, TIMEOUT, WAVETRAP, Gdb

EXTENSION = subprocess.run([WAVETRAP, "info", "--gdb-extension"], capture_output=True, text=True,
                           check=True).stdout.strip()


@dataclass(frozen=True)
class Way:
    xlen: int
    threads: int
    mode: str

    def __str__(self):
        return f"rv{self.xlen}-{self.threads}-{self.mode}"


WAYS = [Way(xlen, threads, mode) for xlen in (32, 64) for threads in (4, 32)
        for mode in ("lanes", "warps")]
SMALL = [Way(32, 4, "lanes"), Way(64, 32, "warps")]


# Each two of a width, a number of lanes and a mode: what make check has of WAYS.
QUICK = [Way(32, 4, "lanes"), Way(32, 32, "warps"), Way(64, 4, "warps"), Way(64, 32, "lanes")]


def ways(which=WAYS):
    return pytest.mark.parametrize("way", [pytest.param(way, marks=pytest.mark.full) if which is WAYS and way not in QUICK else way for way in which], ids=str)


@pytest.fixture
def debug(serve, gdb):
    """debug(file, way, *options): GDB with the extension, connected."""
    def start(file, way, *options, cores=1, warps=4, before=(), **more):
        # All warps are under way together.
        server = serve(file, "--gpu", f"vortex:cores={cores},warps={warps},threads={way.threads}", "--schedule",
                       "lockstep", "--gdb-threads", way.mode, *options)
        return gdb(server, file, before=[f"source {EXTENSION}", *before], **more)
    return start


def table(text):
    """A table as a list of rows by column; a column's cells begin below its head."""
    lines = [line for line in text.splitlines() if line.strip()]
    head = next(i for i, line in enumerate(lines) if re.search(r"\b(Warp|Thread)\b  ", line))
    starts = [m.start() for m in re.finditer(r"\S+(?: \S+)*", lines[head])]
    names = [lines[head][a:b].strip() for a, b in zip(starts, starts[1:] + [None])]
    rows = []
    for line in lines[head + 1:]:
        row = {name: line[a:b].strip() for name, a, b in zip(names, starts, starts[1:] + [None])}
        row["mark"] = line[:starts[0]].strip()
        rows.append(row)
    return rows


def bits(bar):
    return sum(1 << i for i, char in enumerate(bar) if char == "#")


def in_branch(debug, program, way, *options, **more):
    """A session that stands in warp 2's odd part of the branch of lanes.S."""
    gdb = debug(program("lanes", way.xlen), way, *options, **more)
    gdb("break *odd if $_warp == 2 && $_lane == 1")
    assert "hit Breakpoint 1" in gdb("continue")
    return gdb


# ---- variables ----

@ways()
def test_variables_follow_the_selected_thread(debug, program, way):
    """$_core, $_warp, $_lane, $_mask and $_time, at the prompt and in conditions."""
    gdb = in_branch(debug, program, way)
    assert gdb.number("$_core") == 0
    assert gdb.number("$_warp") == 2 == gdb.number("$s1")
    assert gdb.number("$_mask") == int("a" * (way.threads // 4), 16)
    time = gdb.number("$_time")
    assert f"issue time: {time}" in gdb("monitor info")
    gdb("lane 1")
    assert gdb.number("$_lane") == 1 == gdb.number("$s0")
    gdb("warp 1")
    assert gdb.number("$_warp") == 1 == gdb.number("$s1")
    gdb("lane 3")
    assert gdb.number("$_lane") == 3 == gdb.number("$s0")
    assert gdb.number("$_time") == time
    assert "cannot be set" in gdb("print $_lane = 2")
    assert re.search(r"^_lane +0x3\s+3$", gdb("info registers place"), re.M)


@ways(SMALL)
def test_conditions_with_variables_are_evaluated_by_the_target(debug, program, way):
    gdb = debug(program("lanes", way.xlen), way)
    gdb("break *store if $_lane == 2 && $_warp == 3 && $_core == 0")
    gdb("set debug remote 1")
    said = gdb("continue")
    gdb("set debug remote 0")
    # The one stop is that of the right warp, and the condition went along with the breakpoint.
    assert len(re.findall(r"Packet received: T05", said)) == 1
    assert re.search(r"Sending packet: \$Z0,[^#]*;X[0-9a-f]+,", said)
    gdb("lane 2")
    assert (gdb.number("$s0"), gdb.number("$s1")) == (2, 3)


@ways(SMALL)
def test_conditions_with_variables_can_be_evaluated_by_gdb(debug, program, way):
    gdb = debug(program("lanes", way.xlen), way)
    gdb("set breakpoint condition-evaluation host")
    gdb("break *store if $_warp == 3 && $_time > 10")
    assert "hit Breakpoint 1" in gdb("continue")
    assert gdb.number("$s1") == 3


@ways(SMALL)
def test_a_break_by_mask_and_time(debug, program, way):
    gdb = debug(program("lanes", way.xlen), way)
    gdb(f"break *count if $_mask == {(1 << way.threads) - 1} && $_time >= 40")
    assert "hit Breakpoint 1" in gdb("continue")
    assert gdb.number("$_time") >= 40
    time = gdb.number("$_time")
    gdb("continue")
    assert gdb.number("$_time") > time


# ---- info warps ----

@ways()
def test_info_warps(debug, program, way):
    """A row for each warp: where it stands, which lanes are active, which wait."""
    gdb = in_branch(debug, program, way)
    rows = table(gdb("info warps -each"))
    assert [row["Warp"] for row in rows] == ["0", "1", "2", "3"]
    assert {row["Core"] for row in rows} == {"0"} and {row["State"] for row in rows} == {"ready"}
    assert [row["mark"] for row in rows] == ["", "", "*", ""]
    assert rows[2]["Threads"] == "-#" * (way.threads // 2)
    assert rows[2]["Line"].startswith("lanes.S:")
    assert [row["Threads"] for row in rows if row["Warp"] == "2"] == ["-#" * (way.threads // 2)]
    for row in rows:
        gdb(f"warp 0.{row['Warp']}")
        assert gdb.number("$pc") == int(row["PC"], 16)
        assert gdb.number("$_mask") == bits(row["Threads"])


@ways(SMALL)
def test_equal_warps_share_a_row(debug, program, way):
    gdb = debug(program("barrier", way.xlen), way, warps=8)
    gdb("break *late")
    gdb("continue")
    rows = table(gdb("info warps"))
    assert [(row["mark"], row["Warp"], row["State"]) for row in rows] == [
        ("*", "0", "ready"), ("", "1-3", "waits")]
    assert rows[1]["Why"] == "barrier 0: 3 of 4 warps have arrived"
    assert gdb.number("&meet") == int(rows[1]["PC"], 16)
    rows = table(gdb("info warps -all"))
    assert [(row["Warp"], row["State"]) for row in rows] == [("0", "ready"), ("1-3", "waits"),
                                                             ("4-7", "off")]
    assert [row["Warp"] for row in table(gdb("info warps -waiting -each"))] == ["1", "2", "3"]
    assert [row["Warp"] for row in table(gdb("info warps -ready"))] == ["0"]
    assert [row["Warp"] for row in table(gdb("info warps 0.0-2 0.7"))] == ["0", "1-2"]
    assert [row["Warp"] for row in table(gdb("info waves -e 3"))] == ["3"]


@ways(SMALL)
def test_cores_with_equal_warps_share_a_row(debug, program, way):
    file = program("lanes", way.xlen)
    one = debug(file, way, cores=4, warps=8)
    one("break *store if $_core == 3 && $_warp == 7")
    one("continue")
    rows = table(one("info warps"))
    assert len(rows) < 32
    told = {(core, warp) for row in rows for core in spread(row["Core"]) for warp in spread(row["Warp"])}
    assert told == {(core, warp) for core in range(4) for warp in range(8)}
    assert [row["mark"] for row in rows].count("*") == 1


def spread(text):
    return [n for part in text.split(",")
            for n in range(int(part.split("-")[0]), int(part.split("-")[-1]) + 1)]


# ---- info lanes ----

@ways()
def test_info_lanes_without_an_expression(debug, program, way):
    gdb = in_branch(debug, program, way)
    said = gdb("info lanes")
    assert said.startswith(f"device 0, core 0, warp 2, threads {'-#' * (way.threads // 2)}\n")
    rows = table(said)
    assert [row["Thread"] for row in rows] == [str(i) for i in range(way.threads)]
    assert [row["State"] for row in rows] == ["waits", "active"] * (way.threads // 2)
    assert [row["mark"] for row in rows].index("*") == gdb.number("$_lane")
    for lane in (0, 1, way.threads - 1):
        gdb(f"lane {lane}")
        assert gdb.number("$pc") == int(rows[lane]["PC"], 16)
    assert len(table(gdb("info lanes -active"))) == way.threads // 2
    assert len(table(gdb("info lanes -group"))) == way.threads


@ways()
def test_registers_of_all_lanes(debug, program, way):
    """Masked-off lanes have values, too; whether GDB can compile the expression does not matter."""
    gdb = in_branch(debug, program, way)
    lane = gdb.number("$_lane")
    rows = table(gdb("info lanes $s2 * 10 + $_lane"))
    number = 2 * way.threads
    assert [row["$s2 * 10 + $_lane"] for row in rows] == [str((number + i) * 10 + i)
                                                         for i in range(way.threads)]
    assert [row["$x18"] for row in table(gdb("info lanes/x $x18"))] == [
        hex(number + i) for i in range(way.threads)]
    assert gdb.number("$_lane") == lane


VALUES = ["pixel", "point", "point.count", "&point", "point.count == 60", "*(unsigned char *)p@4",
          "point.x * 2", "(char)point.count", "point.x", "(short)point.count - 30", "p", "sizeof(point)",
          "point.count % 7 ? (int)pixel : -1", "*&point", "$pc", "((int *)&point)[4]", "draw", "limit_ * 2"]


@ways()
@pytest.mark.parametrize("opt", ["-Og -g", "-O2 -g"])
def test_values_are_those_that_gdb_prints_lane_by_lane(debug, example, way, opt):
    """For integers, floating point, structures, pointers, arrays; in lanes that a branch divided."""
    gdb = debug(example("mandelbrot", way.xlen, opt), way, warps=2)
    line = next(i for i, text in enumerate(open(ROOT / "examples/vortex/mandelbrot.c"), 1)
                if "VX_ELSE" in text) + 1
    gdb(f"break mandelbrot.c:{line} if $_mask != {(1 << way.threads) - 1}")
    assert "hit Breakpoint" in gdb("continue")
    waiting = {row["State"] for row in table(gdb("info lanes"))}
    assert "active" in waiting
    lane, level = gdb.number("$_lane"), "#0"
    for expression in VALUES:
        said = gdb(f"info lanes {expression}")
        each = [re.sub(r"^\$\d+ = (\(.*\*.*\) (?=0x))?", "", line) for line in
                gdb(f"lane-apply all -q -c print {expression}").strip().splitlines()]
        if said.startswith("No symbol"):
            assert all(line == said.strip() for line in each)
            continue
        rows = table(said)
        assert len(rows) == len(each) == way.threads, said
        column = [name for name in rows[0] if name not in ("Thread", "State", "PC", "Function", "Line",
                                                           "mark")][0]
        for row, want in zip(rows, each):
            got = row[column]
            if got.startswith("<error: "):
                got = got[len("<error: "):-1] + "."
            assert got.rstrip(".") == want.rstrip("."), (expression, row)
    assert gdb.number("$_lane") == lane
    assert gdb("frame").startswith(level)


@ways(SMALL)
def test_a_mistake_in_the_expression_is_said_once(debug, example, way):
    gdb = debug(example("mandelbrot", way.xlen), way)
    gdb("break draw")
    gdb("continue")
    assert gdb("info lanes nosuch") == 'No symbol "nosuch" in current context.\n'
    assert gdb("info lanes pixel +") == "A syntax error in expression, near `'.\n"
    assert "not a format" in gdb("info lanes/zz pixel")
    assert "'-nosuch' is not an option here" in gdb("info lanes -nosuch")
    rows = table(gdb("info lanes *(int *)0"))
    assert len(rows) == way.threads


@ways(SMALL)
def test_a_frame_further_out_is_evaluated_in_and_kept(debug, example, way):
    gdb = debug(example("mandelbrot", way.xlen), way)
    gdb("break draw if $_warp == 1")
    gdb("continue")
    gdb("up")
    rows = table(gdb("info lanes range"))
    assert {row["range"] for row in rows} == {gdb.value("range", "/x")}
    assert gdb("frame").startswith("#1")
    assert "No symbol" in gdb("info lanes pixel")
    assert gdb("frame").startswith("#1")
    gdb("lane-apply all -q print $_lane")
    assert gdb("frame").startswith("#1")


@ways(SMALL)
def test_dimming(debug, program, way):
    """Where the terminal has styles, what is masked off is dimmed; elsewhere it is only marked."""
    gdb = in_branch(debug, program, way, term="xterm")
    assert "\033" not in gdb("info lanes")
    gdb("set style enabled on")
    lines = gdb("info lanes $s0").splitlines()[-way.threads:]
    assert [line.startswith("\033[2m") and line.endswith("\033[m") for line in lines] == [
        True, False] * (way.threads // 2)
    # Text that a script captures has no styles; nor has GDB's own output on a dumb terminal.
    gdb("python said = gdb.execute('info lanes', to_string=True)")
    assert "False" in gdb("python print('\\033' in said)")
    gdb = in_branch(debug, program, way)  # TERM=dumb
    gdb("set style enabled on")
    assert "\033" not in gdb("info lanes")


def lanes_of(server, program, *options, **more):
    """What a GDB that is not a person's terminal says of lanes, one of which is masked off, and of the time: its output."""
    commands = ["set style enabled on", f"source {EXTENSION}", f"target remote {server.address}", "break *odd", "continue",
                "info lanes", "time", "kill"]
    done = subprocess.run(["gdb-multiarch", "-nx", "-q", "-iex", "set debuginfod enabled off", *options, program],
                          input="".join(f"{command}\n" for command in commands), capture_output=True, text=True,
                          env={**os.environ, "TERM": "xterm-256color"}, timeout=TIMEOUT, **more)
    return done.stdout


@pytest.mark.parametrize("options", [[], ["-i=mi"], ["--interpreter", "mi3"]], ids=["pipe", "mi", "mi3"])
def test_pipes_and_programs_get_no_escapes_and_all_of_a_command(serve, program, options):
    """The answer of `time`, which is the server's, is where the other commands write."""
    file = program("lanes")
    said = lanes_of(serve(file, "--gpu", "vortex:threads=4"), file, *options)
    assert "waits" in said, said
    ours = said[said.index("Thread", said.index("hit Breakpoint")):]
    assert "\033" not in re.sub(r"\033\[\?2004[hl]", "", ours) and "\\033" not in ours, ours
    assert re.search(r"issue time \d+", ours), said


def test_the_machine_interface_at_a_terminal_gets_no_escapes(gdb, serve, program):
    file = program("lanes")
    server = serve(file, "--gpu", "vortex:threads=4")
    child = pexpect.spawn("gdb-multiarch", ["-nx", "-q", "-i=mi", str(file)], encoding="utf-8", echo=False, timeout=TIMEOUT,
                          env={**os.environ, "TERM": "xterm-256color"})
    try:
        for command in ("set style enabled on", f"source {EXTENSION}", f"target remote {server.address}", "break *odd"):
            child.sendline(command)
            child.expect("\\^(done|connected)")
        child.sendline("continue")
        child.expect("breakpoint-hit")
        child.sendline("info lanes")
        child.expect("\\^done")
        child.expect("\\(gdb\\)")
        said = child.before
        child.sendline("info lanes")
        child.expect("\\^done")
        assert "waits" in said + child.before and "033" not in said + child.before, child.before
    finally:
        child.close(force=True)


# ---- divergence, barriers ----

@ways()
def test_info_divergence(debug, program, way):
    gdb = debug(program("lanes", way.xlen), way)
    gdb("break *divide if $_warp == 2")
    gdb("continue")
    assert gdb("info divergence").startswith("device 0, core 0, warp 2: no branch divides it\n")
    gdb("delete")
    gdb("break *odd if $_warp == 2")
    gdb("continue")
    half = way.threads // 2
    odd, even = ",".join(map(str, range(1, way.threads, 2))), ",".join(map(str, range(0, way.threads, 2)))
    place = r"0x[0-9a-f]{%d} in \w+ at lanes.S:\d+" % (way.xlen // 4)
    assert re.fullmatch(
        r"device 0, core 0, warp 2: 1 branch not over\n"
        rf"{'#' * way.threads}  0-{way.threads - 1} came to a branch\n"
        rf"\|-- {re.escape('-.' * half)}  {even} wait to continue at {place}\n"
        r"`-\+\n"
        rf"  {re.escape('.#' * half)}  {odd} are active at {place}\n", gdb("info divergence"))
    assert gdb("info divergence all").count("core 0, warp") == 4
    assert gdb("info divergence 0.1-2").count("core 0, warp") == 2


@ways()
def test_info_barriers(debug, program, way):
    gdb = debug(program("barrier", way.xlen), way)
    assert gdb("info barriers") == "No warp waits at a barrier.\n"
    gdb("break *late")
    gdb("continue")
    said = gdb("info barriers")
    assert said.startswith("Barrier 0 of core 0: 3 of 4 warps have arrived\n")
    rows = table(said)
    assert [(row["mark"], row["Warp"]) for row in rows] == [("arrived", "1-3"), ("not yet", "0")]
    assert gdb.number("&meet") == int(rows[0]["PC"], 16)
    assert gdb.number("&late") == int(rows[1]["PC"], 16)
    assert "cannot open" not in said
    assert "SIGABRT" in gdb("continue")
    said = gdb("info barriers")
    assert said.startswith("Barrier 1 of core 0: 4 of 5 warps have arrived\n")
    assert "It cannot open: only 4 warps are active.\n" in said


# ---- selecting ----

@ways()
def test_warp_and_lane_select(debug, program, way):
    gdb = in_branch(debug, program, way)
    said = gdb("lane 3")
    assert said.startswith("[Switching to device 0, core 0, warp 2, thread 3]\n#0 ")
    assert (gdb.number("$s0"), gdb.number("$s1")) == (3, 2)
    said = gdb("lane 2")
    assert said.startswith("[Switching to device 0, core 0, warp 2, thread 2 (masked off)]\n#0 ")
    assert gdb("lane") == "[The selected thread is device 0, core 0, warp 2, thread 2]\n"
    said = gdb("warp 0.1")
    assert said.startswith("[Switching to device 0, core 0, warp 1, thread ")
    assert gdb("warp") == "[The selected warp is device 0, core 0, warp 1]\n"
    assert gdb.number("$s1") == 1
    gdb("wave 2")
    # Lane 2 is masked off there: the lowest active one is selected.
    assert gdb.number("$s1") == 2
    assert gdb.number("$_mask") >> gdb.number("$_lane") & 1
    assert f"There is no thread {way.threads}: they go from 0 to {way.threads - 1}." in gdb(
        f"lane {way.threads}")
    gdb("lane 1 + 1")
    assert gdb.number("$_lane") == 2
    assert "not a number of a thread" in gdb("lane nosuch")
    assert "There is no warp 4: they go from 0 to 3." in gdb("warp 4")
    assert "There is no core 1: they go from 0 to 0." in gdb("warp 1.0")
    assert "'x' is not a core" in gdb("warp x.1")
    assert "Give one warp" in gdb("warp 0.*")


@ways(SMALL)
def test_a_warp_that_is_not_active_cannot_be_selected(debug, program, way):
    gdb = debug(program("lanes", way.xlen), way)
    assert gdb("warp 3") == "core 0, warp 3 is not active; see 'info warps'.\n"
    assert gdb.number("$_warp") == 0


@ways()
def test_warp_apply_and_lane_apply(debug, program, way):
    gdb = in_branch(debug, program, way)
    lane = gdb.number("$_lane")
    said = gdb("warp-apply all -q print $s1")
    assert [int(n) for n in re.findall(r"= (\d+)", said)] == [0, 1, 2, 3]
    said = gdb("warp-apply 0.1,3 print $_warp")
    assert re.fullmatch(r"\ndevice 0, core 0, warp 1:\n\$\d+ = 1\n\ndevice 0, core 0, warp 3:\n\$\d+ = 3\n", said)
    said = gdb("lane-apply 0-2,3 -q output (long)$s0")
    assert said == "0123"
    said = gdb("lane-apply active print $_lane")
    assert re.findall(r"thread (\d+) \(active\):\n\$\d+ = (\d+)\n", said) == [
        (str(n), str(n)) for n in range(1, way.threads, 2)]
    assert gdb.number("$_lane") == lane and gdb.number("$_warp") == 2
    # An error ends it, unless -c or -s is given.
    said = gdb("lane-apply all print nosuch")
    assert said.count("No symbol") == 1 and gdb.number("$_lane") == lane
    assert gdb("lane-apply all -c print nosuch").count("No symbol") == way.threads
    assert gdb("lane-apply all -s print nosuch") == ""
    assert "Which command?" in gdb("lane-apply all -q")
    assert "Which ones, and which command?" in gdb("warp-apply")


# ---- time ----

@ways()
def test_goto_time(debug, program, way):
    """Everything is as it was, the selected thread is still that thread, and the end is the same."""
    gdb = in_branch(debug, program, way)
    gdb("delete")
    end, there = gdb.number("$_time"), gdb("monitor hash").split()[0]
    gdb("warp 1")
    gdb("lane 3")
    before = gdb.number("$s3")
    said = gdb("goto-time -6")
    assert said.startswith(f"[device 0, core 0, warp 1, thread 3 at issue time {end - 6}]\n#0 ")
    assert "maintenance flush" not in said
    assert (gdb.number("$_time"), gdb.number("$_warp"), gdb.number("$_lane")) == (end - 6, 1, 3)
    assert gdb.number("$s1") == 1
    past = gdb.number("$pc")
    gdb("goto-time end")
    assert (gdb.number("$_time"), gdb.number("$s3")) == (end, before)
    assert gdb("monitor hash").split()[0] == there
    gdb(f"goto-time {end - 6}")
    assert gdb.number("$pc") == past
    assert f"issue time {end - 6} of 0-{end}, in the past" in gdb("time")


@ways()
def test_going_to_where_the_selected_warp_was_not_active_yet(debug, program, way):
    gdb = in_branch(debug, program, way)
    said = gdb("goto-time 2")
    assert said.startswith("[device 0, core 0, warp 0, thread ") and "at issue time 2]\n#0 " in said
    assert gdb.number("$_warp") == 0
    assert [row["Warp"] for row in table(gdb("info warps"))] == ["0"]
    gdb("goto-time end")
    assert len(table(gdb("info warps -each"))) == 4


@ways(SMALL)
def test_the_end_of_a_program_that_has_ended(debug, program, way):
    """GDB asks for no memory then: what reads memory goes back to before the last instruction."""
    gdb = debug(program("lanes", way.xlen), way, extended=True)
    gdb("set width 0")
    said = gdb("continue")
    assert "exited with code 052" in said
    assert said.endswith("The program has ended: print and x go back to before its last instruction, and show "
                         "what was in memory then.\n"), said
    assert gdb("info threads") == "No threads.\n"
    assert gdb("print *(int *)&results") == "$1 = 5202\n"
    assert gdb.number("$_exitcode") == 42
    for where in ("-1", "end"):
        gdb("continue")
        said = gdb(f"goto-time {where}")
        assert "at issue time" in said and "#0 " in said, said
        assert gdb.number("*(int *)&results") == 5202
        assert gdb.threads()
    assert "The program ends with the next instruction.\n[device 0, core 0, warp 0" in said
    said = gdb("continue")
    assert "exited with code 052" in said and said.count("The program has ended:") == 1
    assert gdb("print 1") == "$2 = 1\n"


@pytest.mark.parametrize("command, told", [
    ("print/x *(int *)&results", "= 0x1452"), ("p *(int *)&results", "= 5202"), ("call *(int *)&results", "= 5202"),
    ("x/dw &results", "5202"), ("output *(int *)&results", "5202"), ('printf "%d\\n", *(int *)&results', "5202"),
    ("find /w1 &results, +4, 5202", "1 pattern found"), ("info registers place", "The program has no registers now.")])
def test_commands_after_the_programs_end(debug, program, command, told):
    """Each command that reads memory, as the first one after the end."""
    gdb = debug(program("lanes"), SMALL[0], extended=True)
    assert "exited with code 052" in gdb("continue")
    assert told in gdb(command)


@pytest.mark.parametrize("command", ["dump binary value {} *(int *)&results",
                                     "dump value {} *(int *)&results",
                                     "dump memory {} &results ((char *)&results + 4)",
                                     "dump binary memory {} &results ((char *)&results + 4)"])
def test_dumps_after_the_programs_end(debug, program, tmp_path, command):
    gdb = debug(program("lanes"), SMALL[0], extended=True)
    assert "exited with code 052" in gdb("continue")
    gdb(command.format(tmp_path / "dump"))
    assert (tmp_path / "dump").read_bytes() == (5202).to_bytes(4, "little")


def test_a_run_that_was_not_recorded_shows_the_file_after_its_end(debug, program):
    gdb = debug(program("lanes"), SMALL[0], "--no-history", extended=True)
    said = gdb("continue")
    assert said.endswith("The program has ended: print and x show what its file holds.\n"), said
    assert gdb.value("*(int *)&results") == "0"
    assert gdb("info threads") == "No threads.\n"
    # The server still has it.
    assert 'received: "52140000"' in gdb("maintenance packet m%x,4" % (gdb.number("(long)&results") & 0xffffffff))


def test_a_persons_own_hook_stays(debug, program):
    hook = "define hook-print\necho mine\\n\nend\n"
    gdb = debug(program("lanes"), SMALL[0], before=[f'python gdb.execute({hook!r})', f"source {EXTENSION}"])
    assert gdb("print 1") == "mine\n$1 = 1\n"


@ways(SMALL)
def test_registers_with_long_names(debug, program, way):
    """GDB's own printer for RISC-V has no room for them: vx_active_threads0x1."""
    gdb = debug(program("lanes", way.xlen), way)
    said = gdb("info registers")
    assert re.search(r"^vx_active_threads 0x1\t1$", said, re.M), said
    assert re.search(r"^vx_active_warps 0x1\t1$", said, re.M), said
    assert re.search(r"^vx_local_mem_base 0x\w+\t", said, re.M), said
    assert not re.search(r"^zero", said, re.M) and re.search(r"^zero +0x0\t0$", gdb("info registers zero"), re.M)
    for some in ("info registers vx_active_threads pc", "info r vx_active_threads pc"):
        assert re.fullmatch(r"vx_active_threads 0x1\t1\npc +0x\w+\t0x\w+ <_start>\n", gdb(some))
    assert gdb("info registers nosuch") == "Invalid register `nosuch'\n"
    assert "vx_active_threads" in gdb("complete info registers vx_act")
    assert "registers" in gdb("help info registers")


@ways(SMALL)
def test_times_that_there_are_not(debug, program, way):
    gdb = in_branch(debug, program, way)
    now = gdb.number("$_time")
    assert "is not an issue time" in gdb("goto-time nosuch")
    assert f"it is before the beginning (now it is {now}" in gdb("goto-time -99999999999")
    assert "is not recorded" in gdb("goto-time 1000000")
    assert "Which time?" in gdb("goto-time")
    assert "takes no argument" in gdb("time 5")
    assert gdb.number("$_time") == now
    assert gdb.number("$_warp") == 2


@ways()
def test_who_wrote(debug, program, way):
    """The warp, lane and time of the store are told, and are where it is."""
    gdb = debug(program("lanes", way.xlen), way)
    gdb("break *last")
    gdb("continue")
    number = 2 * way.threads + 3
    out = f"((int *)&results)[{number}]"
    value = gdb.number(out)
    said = gdb(f"who-wrote {out}")
    found = re.match(r"issue time (\d+): device 0, core 0, warp 2, threads? .*, (0x[0-9a-f]+) <store\S*> at lanes.S:\d+", said)
    assert found, said
    assert f"'goto-time {found[1]}' goes to just before it.\n" in said and "monitor" not in said
    gdb(f"goto-time {found[1]}")
    gdb("warp 2")
    gdb("lane 3")
    assert gdb.number("$pc") == int(found[2], 16) == gdb.number("&store")
    assert gdb.number("$s3") == value
    assert gdb.number(out) == 0
    gdb("delete")
    gdb("stepi")
    assert gdb.number(out) == value


@ways(SMALL)
def test_who_wrote_takes_what_is_in_memory_and_addresses(debug, example, way):
    gdb = debug(example("mandelbrot", way.xlen), way)
    gdb("break draw if pixel == 70")
    gdb("continue")
    gdb("delete")
    gdb("next")
    gdb("next")
    plain = gdb("who-wrote point.count")
    assert " -> " in plain
    assert gdb("who-wrote &point.count") == plain
    assert gdb("who-wrote *&point.count") == plain
    address = gdb.number("&point.count") & (1 << way.xlen) - 1
    assert gdb(f"who-wrote {address:#x}, 4") == plain
    assert gdb(f"who-wrote {address:#x}, sizeof(point.count)") == plain
    # All of a structure: at least as many writes as one member has.
    one = gdb("who-wrote -all point.count").count("issue time")
    assert gdb("who-wrote -all point").count("issue time") > one >= 1
    assert gdb("who-wrote pixel") == "pixel is in a register, not in memory.\n"
    assert gdb("who-wrote point, 0") == "0 is not a number of bytes.\n"
    assert "Who wrote what?" in gdb("who-wrote") and "Who read what?" in gdb("who-read")
    assert "No symbol" in gdb("who-wrote nosuch")
    assert "neither something in memory nor an address" in gdb("who-wrote 1.5")


@ways(SMALL)
def test_without_history(debug, program, way):
    gdb = debug(program("lanes", way.xlen), way, "--no-history")
    gdb("stepi")
    assert "not recorded" in gdb("goto-time start")
    assert "issue time 1;" in gdb("time")
    assert gdb.number("$_time") == 1


# ---- many lanes ----

@pytest.mark.parametrize("mode", ["lanes", "warps"])
def test_4096_lanes_cost_few_packets(debug, example, mode):
    """Bulk data comes in one packet each, not in one for each warp or lane."""
    file = example("mandelbrot", 32)
    gdb = debug(file, Way(32, 32, mode), cores=4, warps=32)
    gdb("break draw if $_core == 1 && $_warp == 7")
    assert "hit Breakpoint" in gdb("continue")
    gdb("info threads")

    def packets(command):
        gdb("set debug remote 1")
        said = gdb(command)
        gdb("set debug remote 0")
        return len(re.findall(r"Sending packet: ", said)), said

    gdb("info warps")
    count, said = packets("info warps -each")
    assert count == 1 and "1     7" in said
    assert packets("info barriers")[0] == 1
    assert packets("info divergence all")[0] == 1
    assert packets("info lanes")[0] <= 2
    gdb("info lanes pixel")
    count, said = packets("info lanes pixel")
    assert count <= 4, said
    assert len([row for row in table(gdb("info lanes pixel")) if row["pixel"].isdigit()]) == 32
    count, said = packets("info lanes *(int *)p@8")
    assert count <= 5, said


# ---- when it cannot work ----

def test_without_a_connection(gdb):
    one = gdb(before=[f"source {EXTENSION}"])
    for command in ("info warps", "info lanes", "info divergence", "info barriers", "lane 1", "warp 1",
                    "warp-apply all print 1", "lane-apply all print 1", "time", "goto-time 1", "who-wrote 1"):
        assert one(command).startswith("There is no connection to wavetrap: "), command


def test_with_another_server(gdb, example, tmp_path):
    """QEMU's stub has no documents of ours: that is said."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    source = tmp_path / "end.S"
    source.write_text(".globl _start\n_start: li a7, 93\n li a0, 0\n ecall\n")
    subprocess.run(["riscv64-unknown-elf-gcc", "-nostdlib", "-nostartfiles", "-static", "-o",
                    tmp_path / "end", source], check=True)
    other = subprocess.Popen(["qemu-riscv64", "-g", str(port), tmp_path / "end"])
    try:
        one = gdb(before=[f"source {EXTENSION}", "set tcp auto-retry on", f"target remote 127.0.0.1:{port}"])
        assert one("info warps").startswith("What GDB is connected to has no document 'wavetrap-waves'")
        one("kill")
    finally:
        other.kill()
        other.wait()


@ways(SMALL)
def test_after_the_programs_end(debug, program, way):
    gdb = debug(program("lanes", way.xlen), way, extended=True)
    assert "exited with code 052" in gdb("continue")
    assert gdb("info warps") == "No warp is active: the program has ended.\n"
    assert gdb("info barriers") == "No warp waits at a barrier.\n"
    assert gdb("info lanes").startswith("No thread is selected: the program has ended")
    assert gdb("lane 1").startswith("No thread is selected: the program has ended")
    assert "off" in gdb("info warps -all")
    gdb("break *count")
    assert "hit Breakpoint" in gdb("run")
    assert len(table(gdb("info warps -each"))) == 4


@ways(SMALL)
def test_while_the_program_runs(debug, program, way):
    gdb = debug(program("endless", way.xlen), way)
    gdb("continue &")
    assert gdb("info warps") == "The program is running: type 'interrupt' (or Ctrl-C) first.\n"
    assert gdb("info lanes $s0") == "The program is running: type 'interrupt' (or Ctrl-C) first.\n"
    gdb.later("interrupt")
    gdb.child.expect("SIGINT|stopped")
    assert table(gdb("info warps"))


@ways(SMALL)
def test_non_stop(debug, program, way):
    """Warps that run have a row, too; those that stand can be looked at meanwhile."""
    gdb = debug(program("endless", way.xlen), way, before=["set non-stop on", "set mi-async on"])
    gdb("continue -a &")
    # GDB resumes in its own time after that.
    for _ in range(10000):
        if {row["State"] for row in table(gdb("info warps"))} == {"running"}:
            break
    else:
        raise AssertionError(gdb("info warps"))
    assert re.search(r"is running: type 'interrupt' first", gdb("info lanes"))
    gdb("interrupt -a")


@ways(SMALL)
def test_gdb_itself_refuses_to_go_back_in_non_stop(debug, program, way):
    """Asked, the server can only refuse; GDB then remembers the direction, and takes the next `next` for a way back."""
    gdb = debug(program("calls", way.xlen), way, warps=1, before=["set non-stop on"])
    while "(running)" in gdb("info threads"):
        pass
    for _ in range(2):
        assert "does not support this command" in gdb("reverse-stepi")
        said = gdb("next")
        assert "reverse" not in said and "way back" not in said and re.search(r"^\d+\t", said, re.M), said


@ways(SMALL)
def test_another_architecture_does_no_harm(debug, program, way):
    gdb = in_branch(debug, program, way)
    gdb("set architecture i386")
    assert len(table(gdb("info warps -each"))) == 4
    gdb("info lanes $s0")
    gdb("set architecture auto")
    assert len(table(gdb("info lanes $s0"))) == way.threads


@ways(SMALL)
def test_a_device_with_debug_registers_alone(serve_dm, program, gdb, way):
    """Nothing tells there why warps wait; everything else works."""
    file = program("lanes", way.xlen)
    server = serve_dm(file, "--gpu", f"vortex:threads={way.threads}", "--schedule", "lockstep")
    one = gdb(argv=[WAVETRAP, "attach", "--dm", server.address, "--symbols", file, "--hold",
                    "--gdb-threads", way.mode, "--", *Gdb.SETTINGS])
    one("break *odd if $_warp == 2 && $_lane == 1")
    assert "hit Breakpoint 1" in one("continue")
    rows = table(one("info warps -each"))
    assert {row["State"] for row in rows} == {"stopped"}
    assert [row["Threads"] for row in rows if row["Warp"] == "2"] == [".#" * (way.threads // 2)]
    assert [row["$fp"] for row in table(one("info lanes $fp"))] == [
        hex(i) for i in range(way.threads)]
    assert "does not tell of its divergence stack" in one("info divergence")
    assert "does not tell what its warps wait for" in one("info barriers")
    assert one.value("$_time") == "void"
    assert "not recorded" in one("goto-time 1")


@pytest.mark.parametrize("threads", [32, 64, 128])
def test_rows_of_warps_fit_a_screen(debug, example, threads):
    gdb = debug(example("mandelbrot"), Way(32, threads, "lanes"))
    gdb("break draw")
    gdb("continue")
    said = gdb("info warps")
    assert max(map(len, said.splitlines())) <= 100, said
    assert max(map(len, gdb("info divergence").splitlines())) <= 100
    assert {row["Threads"] for row in table(said)} <= {
        "#" * 32, "####" + "." * 28, "########" + "." * 24}


def test_sets_of_lanes_have_no_sign(debug, program):
    gdb = debug(program("lanes"), Way(32, 32, "lanes"))
    gdb("break *count")
    gdb("continue")
    assert gdb.value("$vx_active_threads") == gdb.value("$_mask") == "4294967295"
    gdb = debug(program("lanes", 64), Way(64, 64, "lanes"))
    gdb("break *count")
    gdb("continue")
    assert gdb.value("$vx_active_threads") == gdb.value("$_mask") == str((1 << 64) - 1)


# ---- help and completion ----

COMMANDS = ["info warps", "info lanes", "info divergence", "info barriers", "warp", "lane", "warp-apply",
            "lane-apply", "time", "goto-time", "who-wrote", "who-read"]


def test_help(gdb):
    one = gdb(before=[f"source {EXTENSION}"])
    about = one("help wavetrap")
    assert max(map(len, about.splitlines())) <= 100
    for command in COMMANDS:
        assert command in about
    assert one("wavetrap") == about
    for command in COMMANDS:
        text = one(f"help {command}")
        assert f"Usage: {command}" in text
        assert max(map(len, text.splitlines())) <= 100
    assert "info waves -- List the warps" in one("help info")


@ways(SMALL)
def test_completion(debug, program, way):
    gdb = in_branch(debug, program, way)

    def complete(text):
        return gdb(f"complete {text}").splitlines()

    assert complete("info warp") == ["info warps"]
    assert complete("info warps -r") == ["info warps -ready"]
    assert complete("info lanes -a") == ["info lanes -active"]
    assert complete("info lanes resul") == ["info lanes results"]
    assert complete("lane 3") == ["lane 3"] + [f"lane {n}" for n in range(30, 32)] * (way.threads == 32)
    assert complete("warp 0.") == [f"warp 0.{n}" for n in range(4)]
    assert complete("lane-apply a") == ["lane-apply active", "lane-apply all"]
    assert complete("lane-apply all prin") == [f"lane-apply all {c}" for c in
                                               ("print", "print-object", "printf")]
    assert complete("warp-apply all print resul") == ["warp-apply all print results"]


# ---- loading ----

def test_wavetrap_gdb_loads_it(gdb, program):
    settings = Gdb.SETTINGS
    one = gdb(argv=[WAVETRAP, "gdb", program("lanes"), "--", *settings])
    assert len(table(one("info warps"))) == 1
    plain = gdb(argv=[WAVETRAP, "gdb", "--plain", program("lanes"), "--", *settings])
    assert 'Undefined info command: "warps"' in plain("info warps")
    # The variables are there all the same.
    assert plain.number("$_lane") == 0


def test_serve_says_what_to_source(serve, program):
    server = serve(program("lanes"))
    assert f"    source {EXTENSION}\n    target remote {server.address}\n" in server.errors


def test_sourcing_it_twice_does_no_harm(gdb, serve, program):
    file = program("lanes")
    one = gdb(serve(file), file, before=[f"source {EXTENSION}", f"source {EXTENSION}"])
    assert len(table(one("info warps"))) == 1
    assert one.start.count("rror") == 0


# ---- as editors drive GDB ----

def test_gdb_mi(serve, example):
    """The machine interface, in the order in which VS Code's C/C++ extension sends it: set-up commands,
    the program, extended-remote, a breakpoint; then the console, and the program once more."""
    file = example("mandelbrot")
    server = serve(file, "--gpu", "vortex:warps=2,threads=4")
    child = subprocess.Popen(["gdb-multiarch", "-nx", "-q", "--interpreter=mi"], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, text=True)

    def until(pattern):
        said = []
        for line in child.stdout:
            said.append(line)
            if re.match(pattern, line):
                return "".join(said)
        raise AssertionError("".join(said))

    def ask(number, command, result="done"):
        child.stdin.write(f"{number}{command}\n")
        child.stdin.flush()
        return until(rf"{number}\^{result}")

    try:
        ask(1, f'-interpreter-exec console "source {EXTENSION}"')
        ask(2, '-interpreter-exec console "set print thread-events off"')
        ask(3, f"-file-exec-and-symbols {file}")
        ask(4, f"-target-select extended-remote {server.address}", "connected")
        ask(5, '-break-insert -c "pixel == 238" draw')
        ask(6, "-exec-continue", "running")
        stopped = until(r"\*stopped,")
        assert 'reason="breakpoint-hit"' in stopped and 'value="238"' in stopped, stopped
        assert 'target-id="Thread 1.7"' in ask(7, "-thread-info")
        assert "device 0, core 0, warp 1" in ask(8, '-interpreter-exec console "info lanes pixel"')
        ask(9, "-break-delete 1")
        ask(10, "-exec-continue", "running")
        until(r"\*stopped,.*exited-normally")
        ask(11, "-break-insert -t main")
        ask(12, "-exec-run", "running")
        assert 'func="main"' in until(r"\*stopped,.*breakpoint-hit")
    finally:
        child.kill()
        child.communicate()
