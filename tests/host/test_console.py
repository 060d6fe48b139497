"""The console with HIP programs: `wavetrap debug ./program`. What a kernel stores says what its variables must be."""
import os
import re
import signal
import subprocess
from pathlib import Path

import pexpect
import pytest

from conftest import MODEL, ROCM_6, WAVETRAP, compiled
from sanitizer import ROOT, environment
from terminal import PROMPT, stop_in_kernel

pytestmark = pytest.mark.hip

SOURCE = ROOT / "tests" / "host" / "session.hip"
MARK = "=-=-="
TIMEOUT = 200
ROUNDS = "round 0: 9 18 18\nround 1: 639 1258 1298\nround 2: 1269 2498 2578\n"
END = "[Program exited normally]\n"


def line_of(mark):
    return next(i for i, line in enumerate(SOURCE.read_text().splitlines(), 1) if f"/* {mark} */" in line)


@pytest.fixture(params=["-O0", "-O2"])
def program(request):
    return session(request.param)


def session(level="-O0"):
    """The program, compiled at a level."""
    return compiled("session.hip", level, name=f"session{level}")


def debug(commands, *program, options=(), **more):
    """A batch session; its commands are echoed by marks."""
    words = [WAVETRAP, "debug", "--nx", "--batch", *options]
    for command in commands:
        words += ["-ex", f"echo {MARK}\\n", "-ex", command]
    folder = os.environ.get("WAVETRAP_SOCKETS")
    more.setdefault("env", dict(environment(), **({"WAVETRAP_SOCKETS": folder} if folder else {})))
    return subprocess.run([*words, "-ex", f"echo {MARK}\\n", *map(str, program)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=TIMEOUT, **more)


def ask(commands, *program, **more):
    """What each command has said."""
    done = debug(commands, *program, **more)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout.split(MARK + "\n")[1:-1]


def test_a_kernel_is_stopped_at_its_first_line(program):
    """Grid, group and lane are shown; the breakpoint holds for the next launches and the next run; output comes through."""
    first = line_of("first line of fill")
    said = ask(["break kernel fill", "run", "print blockIdx.x", "print i@*", "info breakpoints", "tbreak weigh if value == 640", "delete 1",
                "continue", "print value", "backtrace", "delete", "continue", "break kernel fill", "run", "kill", "info breakpoints"],
               program)
    assert re.match(r"Breakpoint 1 \(kernel fill\) pending|Breakpoint 1 at", said[0])
    assert said[1].startswith(f"Starting program: {program}\n")
    assert re.search(r"^\[device 0, dispatch \d+, group \(0,0,0\), core 0, wave 0, lane 0; lanes 0-63 enabled\]$", said[1], re.M)
    assert re.search(rf"^Breakpoint 1, fill \(out=.*, round=.*\) at .*session.hip:{first}\n{first}\t", said[1], re.M), said[1]
    assert said[2] == "$1 = 0\n" and re.search(rf"in fill at .*session.hip:{first}\n\tbreakpoint already hit 1 time", said[4])
    assert "group (1,0,0), core 1" in said[7] and "lane 63;" in said[7] and "Temporary breakpoint 2, weigh (value=640" in said[7]
    assert said[8] == "$3 = 640\n" and re.search(r"^#0  weigh \(.*\n#1  .* fill \(", said[9])
    assert said[11] == "Continuing.\n" + ROUNDS + END
    assert "Breakpoint 3, fill (" in said[13] and said[14] == "[Program killed]\n"
    assert re.search(r"^3 +breakpoint +keep y ", said[15], re.M)


def test_backtraces_go_on_through_a_leaf_function_of_a_library():
    """__ockl_get_local_id has no debug information: at each of its instructions its callers are the same, up to the kernel, and so behind it."""
    said = ask(["tbreak __ockl_get_local_id", "run", *["backtrace", "stepi"] * 80, "kill"], session())
    traces = [re.findall(r"^#\d+ +(?:0x[0-9a-f]+ in )?(.*?) \((?:.*\) at (\S+:\d+))?", text, re.M) for text in said[2:-1:2]]
    count = next(i for i, trace in enumerate(traces) if trace[0][0] != "__ockl_get_local_id")
    inside, behind = traces[:count], traces[count]
    callers = inside[0][1:]
    assert count > 3 and all(trace[1:] == callers for trace in inside), traces
    assert callers[0][0] == "__HIP_ThreadIdx::operator()" and callers[-1][0] == "fill" and "Backtrace stopped" not in said[2], said[2]
    assert re.search(r"/session\.hip:\d+$", callers[-1][1]) and all(place for _, place in callers), callers
    assert [name for name, _ in behind] == [name for name, _ in callers], (behind, callers)


def test_why_a_wave_waits(tmp_path):
    """Lane 5 of a group's first wave loops, and the second wave waits for it. A core file says the same."""
    loop = next(i for i, line in enumerate((ROOT / "tests" / "host" / "long.hip").read_text().splitlines(), 1) if "while (!*end)" in line)
    core = tmp_path / "core"
    said = ask([f"break long.hip:{loop}", "run", "ignore 1 20", "continue", "info waves", f"generate-core-file {core}", "kill"], compiled("long.hip"))
    there = subprocess.run([WAVETRAP, "debug", "--nx", "--batch", "-ex", "info waves", "--core", core], capture_output=True, text=True, timeout=TIMEOUT)
    live, dead = [re.findall(r"group (\S+), core .*  index 1 .* \(waits: s_barrier: 1 of 2 waves have arrived\)$", text, re.M) for text in (said[4], there.stdout)]
    assert live and live == dead and "(waits" not in "".join(re.findall(r".*/0 .*", said[4])), said[4] + there.stdout


def test_a_program_of_this_folder_needs_no_path():
    """As in GDB: without a slash the file here is meant."""
    said = ask(["start", "kill"], session().name, cwd=session().parent)
    assert f"Starting program: ./{session().name}\n" in said[0] and "Temporary breakpoint 1, " in said[0]


def test_a_program_is_looked_at_before_it_is_run():
    """Symbols, lines, types, constants and code of the code objects in its file; there is no memory yet that could be written."""
    program = session()
    first = line_of("first line of fill")
    said = ask(["break kernel fill", "list weigh", "info line fill", "info symbol weigh", "ptype struct pair", "print table", "print sizeof(struct pair)",
                "x/4dw &table", "x/2i fill", "disassemble weigh", "info functions twice", "info modules", "break session.hip:40", "run",
                "info breakpoints", "kill", "print table"], program)
    assert re.match(rf"Breakpoint 1 at 0x1\w+: file .*session.hip, line {first}\.\n", said[0])
    assert "int weigh(int value, const pair *p)\n" in said[1] and re.match(r'Line \d+ of ".*session.hip" starts at', said[2])
    assert said[3] == "weigh(int, pair const*)\n" and "    float second;\n" in said[4]
    assert said[5] == "$1 = {3, 1, 4, 1}\n" and said[6] == "$2 = 8\n" and said[7].endswith(":\t3\t1\t4\t1\n")
    code = re.findall(r"^ +0x\w+ <fill\(int\*, int\)(?:\+\d+)?>:\t(s_\w+|v_\w+)", said[8], re.M)
    assert len(code) == 2 and "s_setpc_b64" in said[9] and "void twice(int *);" in said[10] and str(program) in said[11]
    assert "Breakpoint 2 at" in said[12] and "Breakpoint 1, fill (" in said[13]
    assert len(re.findall(r"0x00007\w+ in (?:fill|twice) at", said[14])) == 2 and said[16] == "$3 = {3, 1, 4, 1}\n"
    for command, message in [("set var table[0] = 7", "its memory cannot be changed"), ("watch table[0]", "watched once it is there"),
                             ("x 0x1000", "Cannot access memory at address 0x1000"), ("print $pc", "No registers.")]:
        done = debug([command], program)
        assert done.returncode == 1 and message in done.stderr, done.stderr


@pytest.mark.parametrize("words", [(), ("free",)])
def test_memory_is_looked_at_after_the_end(words):
    """It is what the last kernel has left, whether the program has freed it or not, until something else is run."""
    said = ask(["break twice", "run", "print out", "delete", "continue", "print $1[0..1]", "print $1[127]", "x/2dw $1", "print table", "x/i twice",
                "info modules", "break fill", "run", "print i", "kill"], session(), *words)
    assert said[4] == "Continuing.\n" + ROUNDS + END
    assert said[5] == "$2 = {1269, 2498}\n" and said[6] == "$3 = 2578\n" and said[7].endswith(":\t1269\t2498\n")
    assert said[8] == "$4 = {3, 1, 4, 1}\n" and "<twice(int*)>:\ts_" in said[9] and "file://" in said[10]
    assert "Breakpoint 2, fill (" in said[12] and said[13] == "$5 = 0\n"


def test_freed_memory_of_many_pieces_is_looked_at_after_the_end():
    """Each second page has something: 8,192 of 64 MiB."""
    said = ask(["break spread", "run", "print pages", "delete", "continue", "print $1[0]", "print $1[1024]", "print $1[2048 * 8191]", "print $1[8388608..8388609]"], session(), "spread")
    assert said[4] == "Continuing.\n" + END
    assert said[5:] == ["$2 = 1\n", "$3 = 0\n", "$4 = 128\n", "$5 = {65, 0}\n"]


def test_a_program_that_was_stopped_answers_each_question_once():
    """Its answer to a question that was given up, which comes when it goes on, is not that to the next one."""
    signal = "shell kill -{} $(pgrep -P $PPID session)"
    commands = [f"break {SOURCE.name}:{line_of('weighed')}", "run", signal.format("STOP"), "print p->first", signal.format("CONT"), "print table", "print sum@5", "kill"]
    done = subprocess.run([WAVETRAP, "debug", "--nx", session()], input="\n".join(commands), capture_output=True, text=True, timeout=TIMEOUT, env=environment(), check=False)
    assert "does not answer" in done.stdout + done.stderr and "= {3, 1, 4, 1}\n" in done.stdout and "= 9\n" in done.stdout, done.stdout + done.stderr


def test_memory_of_a_program_that_was_killed_is_gone():
    done = debug(["break twice", "run", "print out", "kill", "print table", "x/2dw $1"], session())
    assert done.returncode == 1 and "Cannot access memory at address 0x7" in done.stderr and "$2 = {3, 1, 4, 1}" in done.stdout


def test_values_are_those_that_are_stored():
    """In memory of the process, in LDS, in private memory and constant data."""
    said = ask([f"break {SOURCE.name}:{line_of('weighed')}", "run", "print sum", "print p->first", "print *p@62..63", "print table",
                "up", "print tile[0..3]", "print mine@3", "print threadIdx.x@60..63", "print out == &out[0]", "info locals", "info args",
                "whatis mine", "ptype struct pair", "print sizeof(mine)", "print tile[63 - threadIdx.x]@*", "print/x $exec", "info lanes i",
                "print out@*", "print &out[i]@*"], session())
    assert said[2] == "$1 = 9\n" and said[3] == "$2 = 0\n" and "{first = 0, second = 31}" in said[4]
    assert said[5] == "$4 = {3, 1, 4, 1}\n" and said[7] == "$5 = {0, 10, 20, 30}\n" and said[8] == "$6 = {first = 0, second = 1.5}\n"
    assert "60, 61 .. 63, step +1" in said[9] and said[10].endswith("= true\n")
    assert "i = 0\n" in said[11] and "mine = {first = 0, second = 0}\n" in said[11] and "round = 0\n" in said[12]
    assert said[13] == "type = pair\n" and "float second;" in said[14] and said[15].endswith("= 8\n")
    assert "630, 620 .. 0, step -10, in lanes 0..63" in said[16] and said[17].endswith("= 0xffffffffffffffff\n")
    assert "in all 64 lanes" in said[19] and re.search(r"\(int \*\) 0x\w+, \(int \*\) 0x\w+ .. \(int \*\) 0x\w+, step \+4, in lanes 0..63", said[20])


def test_what_is_written_changes_the_result():
    """A variable of one lane: out[17] is a table's sum, 9, and ten times the lane across, times nothing in round 0."""
    said = ask([f"break {SOURCE.name}:{line_of('weighed')}", "run", "set var sum@0 = 1000", "delete", "continue"], session())
    assert "round 0: 1000 18 18\n" in said[4]


def test_inlined_calls():
    """A kernel whose first line begins with one is shown on that line; `next` goes over calls, `step` and `finish` in and out."""
    first, twice = line_of("first line of fill"), line_of("first line of twice")
    said = ask(["set step-headers on", "tbreak kernel fill", "run", "backtrace", "next", "tbreak kernel twice", "info breakpoints", "continue", "step", "backtrace", "up",
                "down", "finish", "next"], session("-O2"))[1:]
    assert re.search(rf"^Temporary breakpoint 1, fill \(.*\) at \S*session.hip:{first}\n{first}\t", said[1], re.M)
    assert len(said[2].splitlines()) == 1 and said[2].startswith("#0  fill (")
    assert first < int(re.match(r"(\d+)\t", said[3])[1]) <= line_of("store")
    assert f"session.hip, line {twice}." in said[4] and re.search(rf" in twice at \S*session.hip:{twice}$", said[5], re.M)
    assert re.search(rf"^Temporary breakpoint 2, twice \(.*session.hip:{twice}\n", said[6], re.M)
    assert said[7].startswith("__HIP_") and "hip_runtime.h" in said[7] and "reakpoint" not in said[7]
    assert re.search(r"^#0  __HIP_.*\n#1  twice \(", said[8]) and said[9].startswith("#1  twice (")
    assert re.match(r"Run till exit from #0  __HIP_.*\n(0x\w+ in )?twice \(", said[11]), said[11]
    assert "hip_runtime.h" not in said[12]


def test_steps(program):
    """Into a function and out of it; a wave that ends ends its step."""
    store, weigh = line_of("store"), line_of("weigh")
    # Optimised for a gfx942, the line begins before the barrier of the line above it.
    there = ["next"] * 2 if (MODEL, program) == ("gfx942", session("-O2")) else []
    said = ask([f"tbreak {SOURCE.name}:{store}", "run", *there, "tbreak weigh", "next", "backtrace", "next", "finish", "stepi", "nexti", "next", "next",
                "info program"], program)
    del said[2:2 + len(there)]
    assert re.search(rf"weigh \(.*\) at .*session.hip:{weigh}\n{weigh}\t", said[3]), said[3]
    assert re.search(r"#0  weigh .*\n#1  .* fill ", said[4])
    assert re.match(r"\d+\t", said[5]) and re.search(rf"Run till exit from #0  weigh.*\n.*fill \(.*\n{store}\t", said[6])
    assert re.match(r"0x\w+\t|\d+\t", said[7]) and re.search(r"\nThe step is over: device 0, dispatch \d+, group \(\d,0,0\), core \d, wave 0 has ended\.\n", said[9] + said[10])
    assert "The program is stopped." in said[11]


def test_conditions_ignore_counts_and_commands(tmp_path):
    """A stop by a condition selects the first lane for which it holds; `ignore` counts stops of a wave."""
    script = tmp_path / "script"
    script.write_text("commands\nsilent\nprint blockIdx.x\nend\n")
    said = ask(["break weigh if value % 100 == 50 && value > 600", "run", "print value", "print $_lane", "delete",
                "break kernel twice if blockIdx.x == 1", f"source {script}", "ignore 2 1", "continue", "info breakpoints", "delete", "continue"],
               session())
    assert "Breakpoint 1, weigh (value=1250, " in said[1] and said[2] == "$1 = 1250\n" and said[3] == "$2 = 2\n"
    assert "round 0: 9 18 18\n" in said[8] and "round 1" not in said[8] and said[8].endswith("$3 = 1\n")
    assert "stop only if blockIdx.x == 1" in said[9] and "already hit 2 times" in said[9] and "print blockIdx.x" in said[9]
    assert said[11].endswith(END)


def test_watchpoints():
    """Of memory that a kernel writes; the old value and the new, and the lane that wrote."""
    said = ask(["break kernel fill", "run", "delete", "watch out[70]", "continue", "print i", "continue", "continue", "info breakpoints",
                "delete", "continue"], session())
    assert "Hardware watchpoint 2: out[70]" in said[4] and "Old value = 0\nNew value = 9\n" in said[4]
    assert "group (1,0,0)" in said[4] and "lane 6;" in said[4] and said[5] == "$1 = 70\n"
    assert "Old value = 9\nNew value = 1219\n" in said[6] and "Old value = 1219\nNew value = 2429\n" in said[7]
    assert said[10].endswith("round 2: 1269 2498 2578\n" + END)


def test_each_watchpoint_of_an_access_is_told():
    """Two of one kind and one of another, on one variable: each is a stop, at the same instruction, before the wave goes on."""
    are_all_told([f"tbreak {SOURCE.name}:{line_of('store')}", "run", "print &out[70]"], session())


def are_all_told(start, *program, options=()):
    said = ask([*start, "delete", "watch *$1", "awatch *$1", "watch *$1 if *$1 == *$1", "continue", "print/x $pc", "info time", "continue", "print/x $pc",
                "info time", "continue", "print/x $pc", "info time", "delete", "continue"], *program, options=options)
    said = said[len(start) + 4:]
    told = [re.search(r"^Hardware .*watchpoint (\d): .*\n\nOld value = (.*)\nNew value = (.*)\n", said[i], re.M) for i in (0, 3, 6)]
    assert all(told), said
    assert sorted(int(t[1]) for t in told) == [2, 3, 4] and len({(t[2], t[3]) for t in told}) == 1, said
    assert len({said[i].split(" = ")[1] for i in (1, 4, 7)}) == 1 and len({said[i] for i in (2, 5, 8)}) == 1, said
    assert said[-1].endswith(END), said[-1]


def test_conditions_of_watchpoints():
    """The values of the writes that did not count are known at the one that does; names are those of the kernel."""
    said = ask(["break kernel fill", "run", "delete", "watch out[70] if out[70] > 2000 && i == 70", "continue", "print i", "info breakpoints", "continue"],
               session())
    assert "Old value = 1219\nNew value = 2429\n" in said[4] and "lane 6;" in said[4] and said[5] == "$1 = 70\n"
    assert "already hit 1 time" in said[6] and said[7].endswith("[Program exited normally]\n")


def test_each_of_the_waves_that_access_watched_memory_at_once_is_told():
    """Waves of both GPUs have stopped when the queues are suspended: each is told once before it goes on."""
    groups = 12
    said = ask(["tbreak readers", "run", "rwatch in[0]", *["continue"] * (2 * groups + 1)], compiled("readers.hip", "-O0", name="readers"),
               options=["-g", "gfx900", "-g", "gfx900"])
    stops = [re.search(r"device (\d), .* group \((\d+),0,0\).*\n\nHardware read watchpoint 2: in\[0\]\n\nValue = 7\n", text)
             for text in said[3:3 + 2 * groups]]
    assert all(stops), said
    assert sorted((int(stop[1]), int(stop[2])) for stop in stops) == [(gpu, group) for gpu in range(2) for group in range(groups)]
    last = said[3 + 2 * groups]
    assert f"sum {2 * 64 * sum(7 + group for group in range(groups))}\n" in last and last.endswith(END)


@pytest.mark.parametrize("options", [[], ["--no-history"]])
def test_values_of_writes_at_once(options):
    """Waves of twelve groups write one word before the queues are suspended: each stop has the values of its own write, in the order of the writes."""
    groups = 12
    said = ask(["tbreak writers", "run", "watch -l out[1]", *["continue"] * (groups + 1)], compiled("writers.hip", "-O0", name="writers"), options=options)
    stops = [re.search(r" group \((\d+),0,0\).* lane 5;.*\n\nHardware watchpoint 2: .*\n\nOld value = (\d+)\nNew value = (\d+)\n", text)
             for text in said[3:3 + groups]]
    assert all(stops), said
    assert [int(stop[3]) for stop in stops] == [int(stop[1]) + 1 for stop in stops], "the value names the group"
    assert [int(stop[2]) for stop in stops] == [0, *(int(stop[3]) for stop in stops[:-1])]
    assert sorted(int(stop[1]) for stop in stops) == list(range(groups))
    assert "written\n" in said[3 + groups] and said[3 + groups].endswith(END)


def test_watchpoints_that_the_hardware_cannot_have():
    """The command that asks for one too many says why, sets none, and the program goes on with the others. LDS takes none of the four."""
    start = [f"tbreak {SOURCE.name}:{line_of('store')}", "run"]
    four = [f"watch out[{32 * i}]" for i in range(4)]
    done = debug([*start, "watch tile[3]", *four, "watch out[200]"], session())
    assert done.returncode == 1 and "-ex 'watch out[200]': gfx9 has 4 address watches; 5 are asked for" in done.stderr, done.stderr
    assert "Hardware watchpoint 6: out[96]" in done.stdout and "out[200]" not in done.stdout
    done = debug([*start, "watch $v3"], session())
    assert done.returncode == 1 and "$v3 is in a register here: registers cannot be watched" in done.stderr
    lines = [*start, "watch mine.first", "tbreak weigh", "continue", *(f"watch out[{i}]" for i in (1, 30, 60, 90)), "continue", "delete", "continue"]
    lines[lines.index("tbreak weigh"):lines.index("tbreak weigh") + 2] = ["tbreak weigh", "next", "up"]
    done = subprocess.run([WAVETRAP, "debug", "--nx", session()], input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=TIMEOUT,
                          env=environment())
    assert "gfx9 has 4 address watches; 5 are asked for" in done.stdout + done.stderr
    assert done.stdout.endswith("round 2: 1269 2498 2578\n" + END), done.stdout


def test_the_hardware_s_registers():
    """What an address watch leaves in TRAPSTS; an exception that is enabled by hand, in a process of its own."""
    said = ask(["break kernel fill", "run", "delete", "watch out[70]", "continue", "info trap", "print ($trapsts >> 7) & 1", "info spaces"], session())
    assert "TRAPSTS = 0x00000080: raised since software cleared them: addr_watch" in said[5] and "EXCP_EN addr_watch" in said[5]
    assert said[6] == "$1 = 1\n" and "at 0x2000000000000 of space 0" in said[7]


def test_catch_the_end_of_dispatches(program, tmp_path):
    """Each of them once, when one of its waves is left, which is at its last instruction; copies by the runtime's kernels may run beside it."""
    said = ask(["catch dispatch end", "run", "info warps", "x/i $pc", "delete", "continue"], program)
    left = re.findall(r"^(.) device 0, (dispatch \d+),", said[2], re.M)
    mine = dict(left)["*"]
    assert "Catchpoint 1 (dispatch end), " in said[1] and [d for _, d in left].count(mine) == 1 and "s_endpgm" in said[3] and END in said[-1]
    script = tmp_path / "script"
    script.write_text("".join(f"catch dispatch {which}\ncommands\ncontinue\nend\n" for which in ("begin", "end")) + "run\n")
    done = debug([], program, options=["-x", script])
    stops = re.findall(r"^\[device 0, (dispatch \d+), .*\n\nCatchpoint \d \(dispatch (begin|end)\), ", done.stdout, re.M)
    each = {dispatch: [what for d, what in stops if d == dispatch] for dispatch, _ in stops}
    assert len(each) >= 3 and all(what == ["begin", "end"] for what in each.values()), done.stdout + done.stderr


def test_catch(program):
    """Launches, those of the runtime's own kernels too; code that comes."""
    said = ask(["catch dispatch begin", "catch module load", "run", "delete 2", *["continue"] * 4, "info breakpoints", "delete", "continue"],
               program)
    assert said[0] == "Catchpoint 1 (dispatch begin)\n" and said[1] == "Catchpoint 2 (module load)\n"
    assert "\nCatchpoint 2 (module load): the program has loaded or unloaded code.\n" in said[2]
    stops = re.findall(r"lane 0; lanes 0-63 enabled\]\n\nCatchpoint 1 \(dispatch begin\), (?:0x\w+ in )?(\w+) \(", "".join(said[4:8]))
    assert len(stops) == 4 and stops[-3:] == ["fill", "twice", "fill"], said[4:8]
    assert re.search(r"^1 +catchpoint +keep y +dispatch begin\n\tbreakpoint already hit 4 times$", said[8], re.M), said[8]
    assert said[10].endswith(END)


# Which of both instructions it is, the compiler decides.
STRAY = "(flat|global)_store_dword: store of 4 bytes at 0x123456000: no memory is mapped there for writing"


def test_a_fault_stops(program):
    said = ask(["run", "info lanes where", "print i@*", "backtrace", "list", "kill"], program, "fault")
    fault = line_of("fault")
    assert re.search(f"^Program stopped by a fault: {STRAY}$", said[0], re.M) and f"session.hip:{fault}" in said[0]
    assert "group (1,0,0)" in said[0] and re.search(r"^#0  (0x\w+ in )?stray \(", said[3])


def test_a_fault_of_a_wave_that_stands_still_with_another_is_told(program):
    """One GPU comes to a breakpoint, the other to a stray store, before both stand still; each is a stop."""
    first, second = line_of("of the first GPU"), line_of("of the second GPU")
    said = ask([f"break session.hip:{first}", "run", "continue", "kill"], program, "both", options=["-g", "gfx900", "-g", "gfx900"])
    told = "".join(said[1:3])
    assert re.search(rf"^Breakpoint 1, both \(.*\) at .*session.hip:{first}$", told, re.M), told
    assert re.search(f"^Program stopped by a fault: {STRAY}$", told, re.M) and f"session.hip:{second}" in told, told


def test_a_fault_that_is_continued_ends_the_program():
    """As `exec` ends: the runtime is told of it, and aborts."""
    done = debug(["catch fault", "run", "info breakpoints", "continue"], session(), "fault")
    said = done.stdout.split(MARK + "\n")[1:]
    assert re.search(f"^Catchpoint 1: Program stopped by a fault: {STRAY}$", said[1], re.M)
    assert "\tbreakpoint already hit 1 time" in said[2]
    assert "Program terminated with signal SIGABRT, Aborted." in said[3] and done.returncode == 134
    done = debug(["catch fault", "disable 1", "run"], session(), "fault")
    assert "Program stopped" not in done.stdout and done.returncode == 134


def test_arguments_environment_and_status():
    """As the shell takes them; what a program says comes before the word of its end, whose status is the script's."""
    said = ask(["set environment SESSION = a b", "run", "unset environment SESSION", "run name input < /etc/hostname", "show args",
                "set args 'say x  y' status=0", "run", "run host status=0 | cat"], session(), "name", "input", "say it's $HOME")
    assert said[1].startswith(f"Starting program: {session()} name input 'say it'\\''s $HOME'\n")
    assert "SESSION is a b\ninput is empty\nit's $HOME\n" + ROUNDS + END in said[1]
    assert "SESSION is not set\ninput is " in said[3] and "input is empty" not in said[3] and END in said[3]
    assert said[4] == 'Argument list to give program being debugged when it is started is "name input < /etc/hostname".\n'
    assert "x  y\n" + ROUNDS + END in said[6]
    assert debug(["run"], session(), "status=7").returncode == 7
    done = debug(["run"], session(), "host")
    assert done.returncode == 3 and "[Program exited with code 03]" in done.stdout
    done = debug(["run"], session(), "abort")
    assert done.returncode == 134 and "Program terminated with signal SIGABRT, Aborted." in done.stdout
    assert debug(["break kernel fill", "run"], session()).returncode == 0


def test_programs_that_the_program_starts_do_not_wait_for_the_debugger(tmp_path):
    """It comes to the program alone: the kernels of its children would wait for ever."""
    script = tmp_path / "twice"
    script.write_text(f"#!/bin/sh\n{session()}\n{session()}\n")
    script.chmod(0o755)
    said = ask(["run"], script)
    assert said[0].endswith(ROUNDS + ROUNDS + END)


def page_session(page, prompt="(wavetrap) "):
    """The commands of a page's sessions, and what it says that they answer; addresses are any."""
    text = "".join(re.findall(r"^```console\n(\(wavetrap\) .*?)^```$", (ROOT / "docs" / page).read_text(), re.M | re.S))
    parts = re.split(r"^\(wavetrap\) (.*)\n", text, flags=re.M)
    return parts[1::2], [some_address(answer) for answer in parts[2::2]]


def some_address(text):
    return re.sub(r"0x[0-9a-f]{9,16}\b(?!0)", lambda m: m[0] if m[0].endswith("00000000000000") else "0x...", text)


@pytest.mark.skipif(MODEL != "gfx900" or ROCM_6, reason="the page is Debian 12's compiler's, for a gfx900")
def test_the_tutorial_for_hip_programs_is_true(tmp_path):
    out = tmp_path / "gcn"
    subprocess.run(["make", "-s", "-C", ROOT / "examples" / "gcn", f"OUT={out}", "OPT=-O0 -g", out / "blur"], check=True, capture_output=True)
    said = subprocess.run([WAVETRAP, "exec", out / "blur"], capture_output=True, text=True, timeout=TIMEOUT, env=environment())
    assert said.stdout in (ROOT / "docs" / "hip-debug.md").read_text() and said.returncode == 1
    commands, wanted = page_session("hip-debug.md")
    assert len(commands) > 15
    done = debug(commands, out / "blur")
    answers = [some_address(a.replace(str(out), "/tmp/gcn")) for a in done.stdout.split(MARK + "\n")[1:-1]]
    assert list(zip(commands, answers)) == list(zip(commands, wanted)), done.stderr
    assert done.returncode == 1


@pytest.mark.skipif(MODEL != "gfx900" or ROCM_6, reason="the page is Debian 12's compiler's, for a gfx900")
def test_the_tutorial_for_openmp_programs_is_true(tmp_path):
    page = (ROOT / "docs" / "openmp-debug.md").read_text()
    build = re.search(r"^\$ (gcc-12 .*) examples/gcn/axpy.c -o /tmp/axpy$", page, re.M)[1]
    subprocess.run(["sh", "-c", f"{build} axpy.c -o {tmp_path}/axpy"], cwd=ROOT / "examples" / "gcn", check=True, capture_output=True)
    said = subprocess.run([WAVETRAP, "exec", tmp_path / "axpy"], capture_output=True, text=True, timeout=TIMEOUT, env=environment())
    assert said.stdout in page and said.returncode == 1
    commands, wanted = page_session("openmp-debug.md")
    assert len(commands) > 8
    done = debug(commands, tmp_path / "axpy")
    answers = [some_address(a.replace(str(tmp_path), "/tmp")) for a in done.stdout.split(MARK + "\n")[1:-1]]
    assert [(c, a.replace("examples/gcn/axpy.c", "axpy.c")) for c, a in zip(commands, wanted)] == list(zip(commands, answers)), done.stderr


@pytest.fixture
def sockets(tmp_path, monkeypatch):
    folder = tmp_path / "s"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("WAVETRAP_SOCKETS", str(folder))
    return folder


@pytest.fixture
def running(sockets):
    """A program that launches kernels until its input ends."""
    p = subprocess.Popen([WAVETRAP, "exec", compiled("attach.hip")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                         env=dict(environment(), WAVETRAP_SOCKETS=str(sockets)))
    assert p.stdout.readline().startswith("ready")
    yield p
    p.kill()
    p.wait()


def test_a_running_program(running):
    """Attached to by its process id; detached from, it goes on."""
    pid = running.pid
    said = ask(["tbreak twice_and", "continue", "print a@*", "detach", f"attach {pid}", "detach"], options=["-p", str(pid)])
    assert "Temporary breakpoint 1, twice_and (a=" in said[1] and "step +1, in lanes 0..63" in said[2]
    assert said[3] == f"Detached from process {pid}, which continues.\n" and f"Attaching to process {pid}\n" in said[4]
    assert running.poll() is None
    rest, _ = running.communicate("\n", timeout=TIMEOUT)
    assert re.fullmatch(r"\d+ launches, 0 wrong\n", rest) and running.returncode == 0


def test_quit_asks_before_it_ends_a_program_not_before_it_lets_one_go(running):
    """A program that ran before goes on: it was asked whether to end it."""
    c = pexpect.spawn(WAVETRAP, ["debug", "--nx", f"--pid={running.pid}"], encoding="utf-8", timeout=90, env=environment())
    c.expect(PROMPT)
    c.sendintr()
    c.expect(PROMPT)
    c.sendintr()
    c.expect_exact("Quit? (y or n) ")
    c.sendline("n")
    c.expect(PROMPT)
    c.sendline("quit")
    assert c.expect([pexpect.EOF, r"\(y or n\) "]) == 0
    rest, _ = running.communicate("\n", timeout=TIMEOUT)
    assert re.fullmatch(r"\d+ launches, 0 wrong\n", rest) and running.returncode == 0


def test_attach_opens_the_console(running):
    """`wavetrap attach --pid` is `wavetrap debug --pid`."""
    done = subprocess.run([WAVETRAP, "attach", f"--pid={running.pid}"], input="info devices\ndetach\nquit\n", capture_output=True, text=True,
                          timeout=TIMEOUT)
    assert done.returncode == 0 and f"Attaching to process {running.pid}\n" in done.stdout, done
    assert MODEL in done.stdout and f"Detached from process {running.pid}, which continues.\n" in done.stdout
    done = subprocess.run([WAVETRAP, "attach", f"--pid={running.pid}", "--dm=tcp::1"], capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 125 and "--pid opens the console" in done.stderr


def test_a_program_that_is_killed(running):
    said = ask([f"attach {running.pid}", "kill"], session())
    assert said[1] == "[Program killed]\n" and running.wait(timeout=TIMEOUT) == -signal.SIGKILL


def test_a_breakpoint_on_what_is_not_there_says_so_and_asks():
    """The program's code is known before it runs: a mistyped name is told. At a terminal it becomes a breakpoint only if that is wanted."""
    said = ask(["break nosuchfunc", "break session.hip:9999", "break nofile.c:3"], session())
    assert [text.splitlines()[0] for text in said] == ['Function "nosuchfunc" not defined.', 'No line 9999 in file "session.hip".',
                                                       'No line 3 in file "nofile.c".']
    assert all(text.endswith(" pending.\n") for text in said)
    c = pexpect.spawn(WAVETRAP, ["debug", "--nx", str(session())], encoding="utf-8", timeout=90, env=environment())
    c.expect(PROMPT)
    for answer, then in (("n", 'Function "nosuchfunc" not defined'), ("y", "Breakpoint 1 .nosuchfunc. pending")):
        c.sendline("break nosuchfunc")
        c.expect(r"Make breakpoint pending on code that is loaded later\? \(y or n\) ")
        c.sendline(answer)
        c.expect(then)
        c.expect(PROMPT)
    for setting, then in (("off", r'break other\r\nFunction "other" not defined\.'), ("on", r'Function "other" not defined\.\r\nBreakpoint 2 .other. pending')):
        for line, said in ((f"set breakpoint pending {setting}", ""), ("show breakpoint pending", f"pending breakpoints is {setting}"), ("break other", then)):
            c.sendline(line)
            c.expect(said)
            c.expect(PROMPT)
    c.close(force=True)


def test_the_address_of_a_function_goes_with_its_code():
    """`break *weigh` before the code is loaded, and when it is loaded elsewhere in another run, stops at weigh's first instruction."""
    said = ask(["break *weigh", "break *&fill", "run", "info symbol $pc", "delete 2", "continue", "info symbol $pc", "kill", "run",
                "info symbol $pc"], session())
    assert "Breakpoint 2, " in said[2] and "Breakpoint 1, " in said[5] and "Breakpoint 1, " in said[8]
    assert said[3].startswith("fill") and said[6].startswith("weigh") and said[9].startswith("weigh")
    assert not re.search(r"\+ \d", said[3] + said[6] + said[9]), said


def test_a_breakpoint_on_a_last_instruction_that_never_holds_stops_nothing():
    """The last wave of a kernel ends as it passes the breakpoint; the program goes on to its next kernels."""
    program = session("-O2")
    listed = ask(["tbreak twice", "run", "disassemble", "kill"], program)[2]
    here = int(re.search(r"^=> (0x[0-9a-f]+)", listed, re.M)[1], 16)
    ends = [int(at, 16) - here for at in re.findall(r"(0x[0-9a-f]+) <.*s_endpgm", listed)]
    assert ends, listed
    said = ask(["tbreak twice", "run", *[f"break *($pc + {at}) if $_lane == 77" for at in ends], "continue"], program)
    assert said[-1] == "Continuing.\n" + ROUNDS + END


def test_ctrl_c_stops_a_kernel():
    """And the program goes on from there; it is asked before it is ended."""
    c = pexpect.spawn(WAVETRAP, ["debug", "--nx", str(session()), "loop"], encoding="utf-8", timeout=90, env=environment())
    c.expect(PROMPT)
    c.sendline("run")
    c.expect(r"spinning\r\n")
    stop_in_kernel(c, "spin (out=0x")  # at its first instructions `out` is not available yet
    c.sendline("set var out[0] = 1")
    c.expect(PROMPT)
    assert c.before.splitlines() == ["set var out[0] = 1"], c.before
    c.sendline("continue")
    c.expect("Program exited normally")
    c.expect(PROMPT)
    c.sendline("start")
    c.expect("first line of fill|spin")
    c.expect(PROMPT)
    c.sendline("quit")
    c.expect(r"Quit and end the program\? \(y or n\) ")
    c.sendline("y")
    c.expect(pexpect.EOF)


@pytest.mark.parametrize("commands, message", [
    (["next"], "The program is not being run."),
    (["detach"], "The program is not being run."),
    (["print out[0]"], 'No symbol "out" in current context.'),
    (["attach 1"], "process 1 cannot be reached"),
    (["attach x"], "attach takes a process id"),
    (["unset environment"], 'unset takes "environment NAME"'),
    (["catch nothing"], 'catch takes "fault"'),
    (["break kernel twice", "run", "goto 5"], "the run is recorded from "),
    (["break kernel twice", "run", "print i@64"], "there is no lane 64: the wave has lanes 0 to 63"),
])
def test_failures_are_told(commands, message):
    done = debug(commands, session())
    assert done.returncode == 1 and message in done.stderr, done.stderr + done.stdout


def test_a_program_that_is_missing():
    done = debug(["run"], "./no-such-program")
    assert done.returncode == 125 and "no-such-program" in done.stderr


def test_nothing_is_left_running(tmp_path):
    """The program that a script leaves stopped is ended with it."""
    done = debug(["break kernel spin", f"run loop {tmp_path}", "info program"], session())
    assert done.returncode == 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        assert str(tmp_path).encode() not in words, f"{process} is left"


def test_two_gpus():
    """Both are devices of one session: a stop says on which it is."""
    said = ask(["break mark", "run", "info devices", "ignore 1 1", "continue", "info devices", "delete", "continue"], compiled("two_gpus.hip"),
               options=["-g", "gfx900:cu=2", "-g", "gfx900:cu=3"])
    devices = [re.findall(r"^(.) (\d)  gcn .*: (\d) cores of", text, re.M) for text in (said[2], said[5])]
    assert [(n, cores) for _, n, cores in devices[0]] == [("0", "2"), ("1", "3")]
    stops = [re.search(r"^\[device (\d), .* core (\d)", text, re.M).groups() for text in (said[1], said[4])]
    assert {device for device, _ in stops} == {"0", "1"}, said
    for (device, core), listed in zip(stops, devices):
        assert [n for mark, n, _ in listed if mark == "*"] == [device] and (int(core) >= 2) == (device == "1")
    assert said[-1].endswith(END)


def test_device_code_has_one_gpu(tmp_path):
    code = tmp_path / "code.bin"
    code.write_bytes(bytes(64))
    done = subprocess.run([WAVETRAP, "debug", "-g", "vortex", "-g", "vortex", "--batch", code], capture_output=True, text=True,
                          timeout=TIMEOUT)
    assert done.returncode == 125 and "it has one --gpu" in done.stderr


def test_code_that_the_runtime_reads_from_a_file_and_gpus_that_are_opened_again(tmp_path):
    """A program without HIP names the file of its code, without a part of it. It opens its GPUs ROUNDS times: a breakpoint holds each time, for all of its 32 waves."""
    checks = ROOT / "tests" / "checks"
    subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", "-O1", "-g", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900", "-nogpulib", "-mcode-object-version=4",
                    checks / "queue_kernels.c", "-o", tmp_path / "kernels"], check=True)
    subprocess.run(["gcc", "-w", checks / "packets.c", "-o", tmp_path / "packets", "-lhsa-runtime64"], check=True)
    for rounds in (1, 3):
        said = ask(["break put", "ignore 1 100000", "run", "info breakpoints"], tmp_path / "packets", tmp_path / "kernels", "bad", "no_barrier_bit",
                   options=["-g", "gfx900"], env=dict(environment(), ROUNDS=str(rounds)))
        assert said[2].count("has closed its GPU and opened one again]\n") == rounds - 1 and said[2].endswith(END), said[2]
        assert f"already hit {32 * rounds} times" in said[3], said[3]


def test_the_past_of_a_program_that_has_ended():
    """Asked for, it brings the program back to the end of its last launch, at the addresses of the first run. A program without a launch has none."""
    said = ask(["break kernel fill", "run", "print out", "print/x $pc", "delete", "continue", "who-wrote out[1]", "print out", "reverse-stepi", "kill"], session())
    assert "Program exited" in said[5] or said[5].endswith(END), said[5]
    assert said[6].count("Starting program: ") == 2 and re.search(r"^time \d+: device 0, dispatch \d+, group \(0,0,0\), .* at session.hip:\d+$", said[6], re.M), said[6]
    assert said[2].split(" = ")[1] == said[7].split(" = ")[1], said
    done = debug(["run", "who-wrote 1"], "/bin/true")
    assert "the program has launched no kernel" in done.stderr or "not opened a GPU" in done.stderr, done.stderr + done.stdout


def test_a_programs_own_arguments_are_its_own():
    """GDB's short spellings are options before the program alone; --args may come before it."""
    own = ["/bin/echo", "-x", "5", "-batch", "-ex", "--args"]
    for words in (own, ["--args", *own], ["-args", *own]):
        done = subprocess.run([WAVETRAP, "debug", "-nx", "-batch", "-ex", "run", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT)
        assert "\n-x 5 -batch -ex --args\n" in done.stdout, done.stdout + done.stderr
