"""Core files of host programs: written by the program itself at its first fault (exec --core-on-fault), or at a stop (generate-core).
The console must answer in them as it answers in the program."""
import os
import re
import signal
import stat
import subprocess

import pytest

from amd import BY_GCC
from conftest import MODEL, WAVETRAP, compiled
from releases import CC
from sanitizer import ROOT, environment
from test_console_offload import CLANG, GCC0, program as offload
from test_recording import times

pytestmark = pytest.mark.hip

SOURCE = ROOT / "tests" / "host" / "session.hip"
MARK = "=-=-="
TIMEOUT = 200
SEEN = ["backtrace", "info registers pc", "print value@*", "print *p@3", "info locals", "up", "print tile", "print out[0..3]", "print table",
        "info lanes mine", "info waves", "disassemble", "list", "info modules", "x/8xw out", "info registers s4 vcc exec m0 mode", "print threadIdx.x@60..63"]


def console(commands, *words, env=None):
    line = [WAVETRAP, "debug", "--nx", "--batch"]
    for command in commands:
        line += ["-ex", f"echo {MARK}\\n", "-ex", command]
    return subprocess.run([*line, "-ex", f"echo {MARK}\\n", *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=TIMEOUT, env=env or environment())


def ask(commands, *words, **more):
    done = console(commands, *words, **more)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout.split(MARK + "\n")


def execute(core, program, *words, options=(), **more):
    return subprocess.run([WAVETRAP, "exec", f"--core-on-fault={core}", *options, program, *words], capture_output=True, text=True,
                          timeout=TIMEOUT, env=environment(), **more)


def faulted(core, *words, **more):
    """The same, with a fault: the runtime aborts the program."""
    done = execute(core, *words, **more)
    assert done.returncode == -signal.SIGABRT, done.stderr
    return done


def session():
    return compiled("session.hip", "-O0", name="session-O0")


@pytest.mark.parametrize("options", [(), ("--no-history",)])
def test_a_core_file_shows_what_the_program_shows(tmp_path, options):
    """In memory, private memory, LDS and registers of all waves, with breakpoints out of the code; the program goes on."""
    core = tmp_path / "core"
    before = ["break weigh if value == 640", "run", f"generate-core {core}"]
    live = ask([*before, *SEEN, "delete", "continue"], *options, session())[1:-1]
    assert live[2] == f"Saved corefile {core}\n" and "round 2: 1269 2498 2578\n" in live[-1]
    assert stat.S_IMODE(os.stat(core).st_mode) == 0o600
    said = ask(SEEN, "--core", core)
    assert "weigh (value=640" in said[0] and "\nProgram stopped.\n" in said[0]
    different = [(c, a, b) for c, a, b in zip(SEEN, live[3:], said[1:-1]) if a != b]
    assert not different


def test_a_fault_leaves_a_core_file(tmp_path):
    """At the instruction and the lane, with the program's code in it: neither the program nor its folder is needed."""
    core = tmp_path / "core"
    done = faulted("core", session(), "fault", cwd=tmp_path)
    assert f"  The state is in {core}: 'wavetrap debug --core {core}' opens it.\n" in done.stderr
    said = ask(["print i", "print where", "print out[0..2]", "backtrace", "info waves"], "--core", core)
    assert "core 1, wave 0, lane 5; lanes 0-63 enabled]" in said[0]
    assert "Program stopped by a fault: flat_store_dword: store of 4 bytes at 0x123456000: no memory is mapped there for writing" in said[0]
    assert re.search(r"in stray \(out=0x\w+\) at .*session.hip:\d+\n\d+\t    \*where = i; /\* fault \*/\n", said[0])
    assert said[1] == "$1 = 69\n" and said[2] == "$2 = (int *) 0x123456000\n" and said[3] == "$3 = {0, 1, 2}\n"
    assert len(said[5].splitlines()) == 1
    for command, message in [("continue", "the core file ends here"), ("set var i = 1", "it can be looked at"), ("run", "it can be looked at")]:
        failed = console([command], "--core", core)
        assert failed.returncode == 1 and message in failed.stderr


def test_the_page_s_report_is_true(tmp_path):
    page = (ROOT / "docs" / "post-mortem.md").read_text()
    wanted = re.search(r"^\$ wavetrap exec --core-on-fault=hip.core ./program\n((?:.+\n)+)```", page, re.M)[1]
    done = faulted("hip.core", session(), "fault", cwd=tmp_path)
    told = done.stderr.replace(str(SOURCE), SOURCE.name).replace(f"{tmp_path}/", "")

    def plain(text):
        text = re.sub(r"0x7[ef]\w+", "0x7f…", re.sub(r"issue time \d+", "issue time …", re.sub(r"session.hip:\d+", "session.hip:…", text)))
        return text if MODEL == "gfx900" else re.sub(r"(?<=\+)\d+(?=>)|v\[?[\d:]+\]?", "…", text)    # code of another length, in other registers
    assert plain(wanted.replace("gfx900", MODEL)) in plain(told), told


@pytest.mark.parametrize("what, options, reason, line", [
    ("trap", (), "s_trap 2 (the program gave up: assert, abort or __builtin_trap)", "__builtin_trap(); // in lane 5 alone"),
    ("illegal", (), "illegal instruction 0xbeff7fff: there is no such instruction", "SOP1 has no such operation"),
    ("divide", ("--catch=float_div0",), "which EXCP_EN makes an exception", "// in lane 5"),
])
def test_other_ends_of_kernels(tmp_path, what, options, reason, line):
    """Where a trap handler has stopped the wave, the file has it as it was before the handler."""
    core = tmp_path / "core"
    done = execute(core, compiled("faults.hip"), what, options=options)
    assert done.returncode == (123 if options else -signal.SIGABRT), done.stderr
    assert f"The state is in {core}" in done.stderr
    said = ask(["info registers pc"], "--core", core)
    assert reason in said[0] and line in said[0], said[0]


def test_an_assertion_has_its_callers(tmp_path):
    core = tmp_path / "core"
    faulted(core, compiled("faults.hip"), "assert")
    frames = ask(["backtrace"], "--core", core)[1]
    assert re.search(r"^#0 .*__assert_fail.*\n(#.*\n)*#\d .* asserts \(", frames, re.M), frames


def test_a_program_without_a_fault_leaves_none(tmp_path):
    done = execute(tmp_path / "core", session())
    assert done.returncode == 0 and not list(tmp_path.iterdir())


# The place of each wave, and its registers.
STATE = ["info waves", "info lanes", "print/x $exec", "print/x $v0@*", "print/x $v3@*", "x/4i $pc", "info time"]
BACK = ["print out[70]", "watch out[70]", "who-wrote out[70] 5", "reverse-continue", "info time", "print k@6", "reverse-continue", "backtrace",
        "reverse-stepi", *STATE, "reverse-next", "info locals", "goto start", *STATE, "goto end", *STATE]


def line_of(mark):
    return next(i for i, line in enumerate((ROOT / "tests/host/recording.hip").read_text().splitlines(), 1) if f"/* {mark} */" in line)


def plain(text):
    """Without numbers of breakpoints and values, which count what came before."""
    return re.sub(r"(reakpoint|atchpoint) \d+", r"\1 N", re.sub(r"^\$\d+ = ", "$ = ", text, flags=re.M))


def is_as_before(core, before, commands, *program, points=(), after=(), **more):
    """A core file, in which `points` are set, says what the program's own recording says. Returns both."""
    live = ask([*before, f"generate-core {core} all", *commands, *after], *program, **more)[len(before) + 2:len(before) + 2 + len(commands)]
    said = ask([*points, *commands], "--core", core)[1 + len(points):-1]
    different = [(c, a, b) for c, a, b in zip(commands, live, said) if plain(a) != plain(b)]
    assert not different, different[0]
    return said


def is_exact(core):
    """Each point of the recorded run can be gone to, in any order. A run that returned at an atomic on the program's memory, or at a
    breakpoint that has gone since, returns there again."""
    _, first, last = times(ask(["info time"], "--core", core)[1])
    each = [first + (last - first) * (k * 7 % 24) // 24 for k in range(24)]
    said = ask([c for time in each for c in (f"goto {time}", "info time")], "--core", core)[2::2]
    assert [times(s)[0] for s in said] == each and first < last


def is_nowhere(core, before, *program):
    """What no memory is at cannot be read in the file, as in the program; $1 of the session can."""
    live = ask([*before, f"generate-core {core} all", "output $1", "x/2dw $1", "kill"], *program)
    at, values = re.search("0x[0-9a-f]+", live[-4])[0], live[-3].split("\t")[1:]
    assert len(values) == 2
    assert ask([f"x/2dw {at}"], "--core", core)[1].split("\t")[1:] == values
    for address in "0", "0x10", "0x123456000", "0x7ffffffff000", "0x800000000000":
        done = console([f"x/2xw {address}"], "--core", core)
        assert done.returncode == 1 and f"Cannot access memory at address {hex(int(address, 0))}" in done.stderr, done.stdout + done.stderr


def test_memory_that_is_not_there_is_not_there_in_the_file(tmp_path):
    is_nowhere(tmp_path / "core", ["break fill", "run", "print &table[0]"], session())


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_the_recorded_run_is_in_the_file(tmp_path, level):
    """Writes, watchpoints and steps backwards, with two breakpoints in the code of the recorded run."""
    scaled = line_of("scaled")
    program = compiled("recording.hip", level, name=f"recording{level}")
    where = " if i == 70 && k == 3" if level == "-O0" else ""
    before = [f"break recording.hip:{scaled}{where}", "run", f"tbreak recording.hip:{scaled + 2}", *["continue"] * (1 if where else 4)]
    commands = BACK if level == "-O0" else [c for c in BACK if not re.search(r"out|k@|reverse-continue", c)]
    said = is_as_before(tmp_path / "core", before, commands, program, "sums", points=[c for c in before if "break" in c])
    if level == "-O0":
        assert said[2].count("recording.hip:") == 5 and "Old value" in said[3]
    start = re.match(r"Issue time (\d+), in the past; recorded from \1 to (\d+)\.", said[commands.index("goto start") + len(STATE)])
    assert start and int(start[1]) < int(start[2])


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_what_threads_did_meanwhile_is_in_the_file(tmp_path, level):
    """Atomics on memory that a thread of the program changes, too, and answers that it writes: each point is what it was."""
    answered = f"break recording.hip:{line_of('answered')}"
    commands = ["info time", *STATE, "goto start", *STATE, "delete", answered, "continue", *STATE, *["reverse-stepi"] * 20, *STATE, "goto end",
                *["reverse-stepi"] * 3, *STATE, "reverse-continue", *STATE]
    said = is_as_before(tmp_path / "core", [answered, "run"], commands, compiled("recording.hip", level, name=f"recording{level}"), "talk",
                        after=["delete", "continue"])
    assert "in the past" in said[-1] and said[commands.index("continue")].startswith("Continuing.")
    is_exact(tmp_path / "core")


@pytest.mark.parametrize("compiler, flags, source, at", [
    (CC, [*GCC0, "-fopenmp"], "openmp.c", "sum += a[i]"), (CC, [*GCC0, "-fopenacc"], "openacc.c", "sum += a[i]"),
    ("clang-19", [CLANG[0], "-g", *CLANG[1:]], "openmp.c", "sum += a[i]")])
def test_the_recorded_run_of_openmp_and_openacc_is_in_the_file(tmp_path, compiler, flags, source, at):
    """Steps back, breakpoints backwards, variables and frames, as in the program."""
    if compiler == CC and MODEL not in BY_GCC:
        pytest.skip(f"{CC} has no {MODEL}")
    here = next(i for i, line in enumerate((ROOT / "tests/host" / source).read_text().splitlines(), 1) if at in line)
    env = dict(environment(), ACC_DEVICE_TYPE="radeon")
    commands = ["info time", *STATE, *["reverse-stepi"] * 12, *STATE, "info locals", "backtrace", "reverse-next", "info time", "reverse-continue", *STATE,
                "goto start", *STATE, "goto end", *STATE]
    said = is_as_before(tmp_path / "core", [f"break {source}:{here}", "run"], commands, offload(compiler, flags, source), env=env)
    first, last = map(int, re.match(r"Issue time \d+; recorded from (\d+) to (\d+)\.", said[0]).groups())
    assert first + 100 < last and f"Issue time {first}, in the past" in said[commands.index("goto start") + len(STATE)]


def test_a_fault_has_its_history(tmp_path):
    core, part = tmp_path / "core", tmp_path / "part"
    fault = next(i for i, line in enumerate(SOURCE.read_text().splitlines(), 1) if "/* fault */" in line)
    for file, issues in [(core, "all"), (part, "20")]:
        done = faulted(file, session(), "fault", options=(f"--core-history={issues}",))
        assert f"  The state is in {file}: " in done.stderr, done.stderr
    said = ask(["info time", "reverse-stepi", "print i", f"break {SOURCE.name}:{fault} if i == 69", "reverse-continue", "print i", "goto start", "info time"], "--core", core)
    now, first, last = map(int, re.match(r"Issue time (\d+); recorded from (\d+) to (\d+)\.", said[1]).groups())
    assert first + 20 < now == last and said[3] == "$1 = 69\n" and "Breakpoint 1, stray (" in said[5] and "lane 5;" in said[5]
    assert f"Issue time {first}, in the past" in said[8]
    assert f"Issue time {last}; recorded from {last - 20} to {last}." in ask(["info time"], "--core", part)[1]


def test_history_needs_a_file_and_one_gpu(tmp_path):
    alone = subprocess.run([WAVETRAP, "exec", "--core-history=all", session()], capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert alone.returncode == 125 and "--core-history is for --core-on-fault=FILE, which is missing" in alone.stderr
    two = execute(tmp_path / "core", session(), options=("--core-history=all", "-g", "gfx900", "-g", "gfx900"))
    assert two.returncode == 125 and "several GPUs" in two.stderr


def test_failures_are_told(tmp_path):
    bad = execute(tmp_path / "nowhere" / "core", session())
    assert bad.returncode == 125 and "nowhere/core: cannot be written: No such file or directory" in bad.stderr
    for command, message in [(f"generate-core {tmp_path}/no/core", "no/core: cannot create: No such file or directory"),
                             (f"generate-core {tmp_path}/core few", "generate-core takes a file and how much of the recorded run")]:
        done = console(["break fill", "run", command], session())
        assert done.returncode == 1 and message in done.stderr, done.stderr
    assert not list(tmp_path.iterdir())
