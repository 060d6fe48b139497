"""Core files: what is in them is the state that was left, forwards and backwards; nothing in them can be changed."""
import lzma
import os
import re
import stat
import subprocess

import pytest

from conftest import HERE, MARK, ROOT, TIMEOUT, WAVETRAP, answers, ask_console, debug, marked
from test_gcn import VALUES, code, line_of, options  # noqa: F401 (code is a fixture)

INFOS = ["address", "all-registers", "args", "barriers", "breakpoints", "devices", "dispatches", "display", "divergence",
         "frame", "functions", "groups", "lanes", "line", "locals", "program", "registers", "sources", "spaces", "stack",
         "threads", "time", "types", "variables", "warps"]
LOOKS = [f"info {topic}" for topic in INFOS if topic not in ("address", "line", "breakpoints")]


def ask_core(file, commands, *more):
    """What the console answers to each command in a core file."""
    words = [WAVETRAP, "debug", "--nx", "--batch", "--core", str(file), *more]
    for command in marked(commands):
        words += ["-ex", command]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0, done.stderr + done.stdout
    return answers(done.stdout)


def refused(file, *commands, words=()):
    """stderr of a session that must fail."""
    line = [WAVETRAP, "debug", "--nx", "--batch", "--core", str(file), *words]
    for command in commands:
        line += ["-ex", command]
    done = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode != 0, done.stdout
    return done.stderr


def plain(text):
    """Without numbers that a debugger counts by itself (launches, breakpoints), and without the registers of gfx900 that tell that a
    debugger holds the wave (STATUS.HALT, bit 30 of TTMP6): whoever held it when the file was written is gone."""
    return re.sub(r"^(status|ttmp6) .*", r"\1", re.sub(r"(dispatch|Breakpoint) \d+", r"\1 N", text), flags=re.M)


def differences(commands, live, core):
    live, core = [[plain(text) for text in said] for said in (live, core)]
    assert len(live) == len(core) == len(commands)
    return [f"{c}\n    live: {a!r}\n    core: {b!r}" for c, a, b in zip(commands, live, core) if a != b]


# ---- the same views ----

VORTEX = LOOKS + ["backtrace", "backtrace full", "print table", "print/x $sp", "x/8xw $sp", "list", "disassemble", "info source",
                  "lane 0", "print $_time", "up", "info locals", "thread 1", "display global"]


@pytest.mark.parametrize("xlen", [32, 64])
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_a_vortex_program_looks_the_same(program, tmp_path, xlen, level):
    core, file = tmp_path / "core", program("values", xlen, level)
    live = ask_console(file, ["break deep", "run", f"generate-core {core} all"], VORTEX)
    assert not differences(VORTEX, live, ask_core(core, VORTEX))


GCN = LOOKS + ["backtrace", "print $exec", "print $v0@*", "print $s4", "info registers", "disassemble", "print get_local_id(0)@*",
               "info lanes $v1", "x/4xw $pc"]
VARIABLES = ["print into@*", "print *from@17", "print real@*", "print array@0..7", "x/4xw from", "print both@5"]


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_a_kernel_for_gfx900_looks_the_same(code, tmp_path, level):  # noqa: F811
    core, file = tmp_path / "core", code("values.cl", "clang-19", level)
    before = [f"break values.cl:{line_of('values.cl', 'stop')}", "run", f"generate-core {core} all"]
    commands = GCN + (VARIABLES if level == "-O0" else [])
    live = ask_console(file, before, commands, VALUES)
    assert not differences(commands, live, ask_core(core, commands))


def test_waves_at_a_barrier_of_gfx900_are_there(code, tmp_path):  # noqa: F811
    """Three of four waves of a group wait when the last one comes. In the file, too, the recorded run can be run again through the barrier."""
    core, file = tmp_path / "core", code("values.cl", "clang-19", "-O2")
    how = ["-g", "gfx900", "--kernel", "values", "--grid", "256", "--block", "256", "--arg=iota:1024", "--arg=zeros:1024", "--arg=zeros:30720",
           "--arg=i32:256"]
    at = f"break values.cl:{line_of('values.cl', 'stop')}"
    commands = ["info waves", "info barriers", "goto-time start", "goto end", "info waves"]
    live = ask_console(file, [at, "run", *["continue"] * 3, f"generate-core {core} all", "delete"], commands, how)
    assert live[0].count("(waits: s_barrier: 3 of 4 waves have arrived)") == 3 and live[1].count("barrier 0, 3 of 4 are there") == 3, live
    assert not differences(commands, live, ask_core(core, commands))


BACK = ["reverse-next", "info time", "reverse-step", "info locals", "reverse-stepi", "info time", "info registers", "who-wrote global", "goto start",
        "info time", "break main", "continue", "info time", "backtrace", "next", "next", "info time", "goto end", "info time", "backtrace"]


@pytest.mark.parametrize("xlen", [32, 64])
def test_the_recorded_run_is_there(program, tmp_path, xlen):
    core, file = tmp_path / "core", program("values", xlen)
    live = ask_console(file, ["break deep", "run", f"generate-core {core} all", "delete"], BACK)
    assert not differences(BACK, live, ask_core(core, BACK))


def test_a_place_that_was_gone_to_is_shown_by_itself(program, tmp_path):
    """Not by the breakpoint of the last stop: an inlined call that begins there is not entered yet, in the program as in its core file."""
    core, file = tmp_path / "core", program("inlined", 32, "-O2")
    commands = ["goto start", "goto end", "backtrace"]
    live = ask_console(file, ["break scaled", "run", "backtrace", f"generate-core {core} all"], commands)
    assert "#0" in live[2] and not differences(commands, live, ask_core(core, commands))


def test_the_recorded_run_of_gfx900_is_there(code, tmp_path):  # noqa: F811
    core, file = tmp_path / "core", code("values.cl")
    commands = ["reverse-next", "info time", "reverse-stepi", "info registers", "goto start", "info time", "break values", "continue", "info time",
                "backtrace", "next", "next", "info time", "goto end", "info time", "backtrace"]
    before = [f"break values.cl:{line_of('values.cl', 'stop')}", "run", f"generate-core {core} all", "delete"]
    live = ask_console(file, before, commands, VALUES)
    assert not differences(commands, live, ask_core(core, commands))


def test_only_so_much_of_the_run_is_there(program, tmp_path):
    core, file = tmp_path / "core", program("values")
    end = int(ask_console(file, ["break deep", "run", f"generate-core {core} 100"], ["info time"])[0].split()[2].rstrip(";."))
    assert ask_core(core, ["info time"]) == [f"Issue time {end}; recorded from {end - 100} to {end}."]
    assert ask_core(core, ["goto start", "info time"])[1].startswith(f"Issue time {end - 100}, in the past")


def test_a_core_file_of_the_past_and_of_a_core_file(program, tmp_path):
    first, second, third = (tmp_path / name for name in ("first", "second", "third"))
    file = program("values")
    live = ask_console(file, ["break deep", "run", "reverse-stepi", f"generate-core {first}"], ["backtrace", "info registers", "info time"])
    core = ask_core(first, ["backtrace", "info registers", f"generate-core {second} all"])
    assert core[:2] == live[:2]
    assert ask_core(second, ["backtrace", "info registers"]) == live[:2]
    ask_console(file, ["break deep", "run"], [f"generate-core {first} all"])
    then = ask_core(first, ["goto 100", "info registers", f"generate-core {third} 50", "info time"])
    assert ask_core(third, ["info registers"]) == [then[1]]
    assert "Issue time 100, in the past" in then[3]


def test_the_run_goes_on_after_a_core_file(program, tmp_path):
    file = program("values")
    commands = ["info time", "next", "next", "info time", "delete", "continue"]
    without = ask_console(file, ["break main", "run"], commands)
    assert ask_console(file, ["break main", "run", f"generate-core {tmp_path}/core all"], commands) == without


def test_program_and_core_file_as_gdb_takes_them(program, tmp_path):
    file, core = program("values"), tmp_path / "core"
    said = subprocess.run([WAVETRAP, "debug", "--nx", "--batch", "-ex", "tbreak stop_here", "-ex", "run", "-ex", f"generate-core {core}", file],
                          capture_output=True, text=True, timeout=TIMEOUT)
    assert said.returncode == 0, said.stderr
    done = subprocess.run([WAVETRAP, "debug", "--nx", "--batch", "-ex", "backtrace", file, core], capture_output=True, text=True, timeout=TIMEOUT)
    assert "#0  stop_here (depth=17)" in done.stdout and done.returncode == 0, done.stdout + done.stderr


# ---- nothing can be changed ----

@pytest.mark.parametrize("command", ["run", "start", "kill", "set var global = 1", "set $a0 = 1", "print $a0 = 1"])
def test_what_needs_a_live_program_says_so(program, tmp_path, command):
    core = tmp_path / "core"
    ask_console(program("values"), ["break main", "run"], [f"generate-core {core} all"])
    for before in ([], ["goto 100"]):
        assert refused(core, *before, command) == f"wavetrap: -ex '{command}': this is a core file: it can be looked at, not changed or run\n"


@pytest.mark.parametrize("command", ["continue", "step", "next", "stepi", "nexti", "finish", "until"])
def test_the_end_of_the_file_is_told(program, tmp_path, command):
    core = tmp_path / "core"
    ask_console(program("values"), ["break deep", "run"], [f"generate-core {core}"])
    assert refused(core, command).endswith("the core file ends here; you can go back to any time before\n")


# ---- faults ----

STRAY = options("stray", "iota:512", "zeros:512")


@pytest.mark.parametrize("history", [[], ["--core-history=all"], ["--core-history=50"]])
def test_a_fault_leaves_a_core_file(code, tmp_path, history):  # noqa: F811
    core, file = tmp_path / "core", code("stray.cl")
    done = subprocess.run([WAVETRAP, "run", *STRAY, f"--core-on-fault={core}", *history, file], capture_output=True, text=True, timeout=TIMEOUT)
    plain = subprocess.run([WAVETRAP, "run", *STRAY, file], capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == plain.returncode == 120
    assert done.stderr == plain.stderr + f"  The state is in {core}: 'wavetrap debug --core {core}' opens it.\n"
    assert stat.S_IMODE(os.stat(core).st_mode) == 0o600
    said = ask_core(core, ["backtrace", "up", "print item", "print item@3", "print out[37]", "info time"])
    assert "store_to (to=0x10, value=38)" in said[0] and "in stray (" in said[0]
    assert [said[i] for i in (2, 3, 4)] == ["$1 = 37", "$2 = 3", "$3 = 38"]
    if history:
        wrote = ask_core(core, ["up", "who-wrote in[37] 1", "goto start", "info time"])
        begin, end = map(int, re.search(r"recorded from (\d+) to (\d+)", said[5]).groups())
        assert begin == (end - 50 if "50" in history[0] else 0)
        assert wrote[3] == f"Issue time {begin}, in the past; recorded from {begin} to {end}."
    else:
        assert re.fullmatch(r"Issue time (\d+); recorded from \1 to \1\.", said[5])


def test_without_a_fault_there_is_no_core_file(program, tmp_path):
    done = subprocess.run([WAVETRAP, "run", f"--core-on-fault={tmp_path}/core", program("values")], capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0 and not list(tmp_path.iterdir())


def test_a_file_that_cannot_be_written_is_told(code, tmp_path):  # noqa: F811
    done = subprocess.run([WAVETRAP, "run", *STRAY, f"--core-on-fault={tmp_path}/none/core", code("stray.cl")], capture_output=True, text=True,
                          timeout=TIMEOUT)
    assert done.returncode == 120 and f"--core-on-fault: {tmp_path}/none/core: cannot create: No such file or directory" in done.stderr


def test_history_wants_a_file(program):
    done = subprocess.run([WAVETRAP, "run", "--core-history=all", program("values")], capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 125 and "--core-history is for --core-on-fault=FILE" in done.stderr


# ---- files that are none ----

@pytest.fixture(scope="module")
def good(program, tmp_path_factory):
    core = tmp_path_factory.mktemp("good") / "core"
    ask_console(program("values"), ["break deep", "run"], [f"generate-core {core} all"])
    return core.read_bytes()


@pytest.mark.parametrize("name, change, message", [
    ("empty", lambda b: b"", "is not a core file of wavetrap"),
    ("other", lambda b: b"\177ELF" + b[4:], "is not a core file of wavetrap"),
    ("version", lambda b: b[:8] + b"\1\0\0\0" + b[12:], "is a core file of version 1; this wavetrap reads versions 4 to 9"),
    ("short", lambda b: b[:-1], "is not complete: its end is missing"),
    ("half", lambda b: b[:len(b) // 2], "is not complete: its end is missing"),
    ("flipped", lambda b: b[:5000] + bytes([b[5000] ^ 1]) + b[5001:], "is damaged: its bytes are not those written"),
])
def test_other_files_are_refused(good, tmp_path, name, change, message):
    file = tmp_path / name
    file.write_bytes(change(good))
    assert f"{file} {message}" in refused(file)


def test_a_core_file_comes_with_its_program_or_alone(good, program, tmp_path):
    file = tmp_path / "core"
    file.write_bytes(good)
    assert "is a core file of" in refused(file, words=[str(program("endless"))])
    assert "no options for them" in refused(file, words=["-g", "vortex"])


# cores/version4-*.xz were written by `wavetrap run --core-on-fault=F --core-history=all` of the last wavetrap that wrote version 4, version7-gfx900.xz by that of
# 30 November 2026 (79d83821): of test_faults.py's kernel (128 work-items in groups of 64; gfx900 with one compute unit), whose work-item 3 is the first to store at
# out + (3 + 2^20) * 4, and of programs/fault.c.
STRAY_STORE = ["where", "print id", "print out", "print far"], \
    ["#0  k (out=0x200000000, in=0x200002000, far=1048576) at stray.cl:5", "$1 = 3", "$2 = (int *) 0x200000000", "$3 = 1048576"]
OLD = {"version4-gfx900": (["store of 4 bytes at 0x20040000c", "issue time 789"], *STRAY_STORE),
       "version7-gfx900": (["store of 4 bytes at 0x20040000c", "issue time 794"], *STRAY_STORE),
       "version4-sm": (["a store at 0x20040000c", "issue time 42"], ["where", "print id", "print far"],
              ["#0  k (out=0x200000000, in=0x200011000, far=1048576) at stray.cl:5", "$1 = 3", "$2 = 1048576"]),
       "version4-gen9": (["write of 4 bytes at 0x20040000c", "issue time 61"], ["print $pc"], ["$1 = (void (*)()) 0x1000003d0"]),
       "version4-vortex": (["store of 4 bytes at 0x7fff800000000000", "issue time 69"], ["print far", "print p"], ["$1 = 1", "$2 = (int *) 0x7fff800000000000"])}


@pytest.mark.parametrize("name", OLD)
def test_files_of_earlier_versions_can_be_read(tmp_path, name):
    """The fault with its wave, the state, the recorded run: back by an instruction, to its beginning, and forwards into the fault again."""
    core, (fault, questions, wanted) = tmp_path / "core", OLD[name]
    core.write_bytes(lzma.decompress((HERE / "cores" / f"{name}.xz").read_bytes()))
    assert core.read_bytes()[8] == int(name[7])
    said = ask_core(core, ["info fault", *questions, "reverse-stepi", "info fault", "continue", *questions, "goto start", "info time", "continue",
                           "info time", "goto start"])
    n = len(questions)
    assert all(part in said[0] for part in fault) and ", core 0, " in said[0], said[0]
    assert said[1:1 + n] == wanted, said
    again = [re.sub(r"^\$(\d+)", lambda m: f"${int(m[1]) - sum(q.startswith('print') for q in questions)}", text) for text in said[4 + n:4 + 2 * n]]
    assert "No fault is recorded" in said[2 + n] and "stopped by a fault" in said[3 + n] and again == wanted, said
    assert said[-4].startswith("Issue time 0, in the past") and said[-2] == f"Issue time {fault[1].split()[-1]}; recorded from 0 to {fault[1].split()[-1]}.", said


# ---- GDB ----

def test_gdb_writes_core_files(program, tmp_path):
    file, core = program("values"), tmp_path / "core"
    words = [WAVETRAP, "gdb", str(file), "--", "-nx", "-batch"]
    for command in ["break deep", "continue", f"generate-core {core} all", f"monitor generate-core {core}.2", "info registers sp"]:
        words += ["-ex", command]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT)
    assert f"Saved corefile {core}\n" in done.stdout and f"Saved corefile {core}.2\n" in done.stdout + done.stderr, done.stderr
    gdbs = re.search(r"^sp +(0x[0-9a-f]+)", done.stdout, re.M).group(1)
    said = ask_core(core, ["print/x $sp", "backtrace", "reverse-stepi"])
    assert said[0] == f"$1 = {gdbs}" and said[1].startswith("#0  deep (depth=")
    assert ask_core(f"{core}.2", ["print/x $sp"]) == said[:1]


# ---- the tutorial ----

def test_the_tutorial_is_true(tmp_path):
    subprocess.run(["make", "-s", "-C", ROOT / "examples" / "vortex", "PROGRAMS=broken/clamp", "OPT=-O0 -g", f"OUT={tmp_path}/build/examples"], check=True)
    environment = {**os.environ, "PATH": f"{os.path.dirname(WAVETRAP)}:{os.environ['PATH']}"}
    page = (ROOT / "docs" / "post-mortem.md").read_text()
    sessions = 0
    for block in re.findall(r"^```console\n(.*?)^```$", page, re.M | re.S):
        shell, rest = re.match(r"\$ ([^\n]*)\n(.*)", block, re.S).groups()
        wanted = re.split(r"^\(wavetrap\) (.*)\n", rest, flags=re.M)
        words = shell.split()
        if len(wanted) > 1:
            words[2:2] = ["--batch", "--nx"]
            words += [word for command in marked(wanted[1::2]) for word in ("-ex", command)]
        done = subprocess.run(words, env=environment, cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=TIMEOUT)
        said = done.stdout if len(wanted) == 1 else [text.strip("\n") for text in done.stdout.split(MARK + "\n")[:-1]]
        assert said == (rest if len(wanted) == 1 else [text.strip("\n") for text in wanted[::2]])
        sessions += 1
    assert sessions >= 3


def test_a_core_file_with_its_program_as_gdb_takes_them(program, tmp_path):
    """`PROGRAM CORE`, and `--core CORE PROGRAM`; a core file of another program is refused."""
    file, core = program("values"), tmp_path / "core"
    assert debug(file, "break main", "run", f"generate-core {core}").returncode == 0
    told = [subprocess.run([WAVETRAP, "debug", "--nx", "--batch", "-ex", "backtrace 1", *words], capture_output=True, text=True, timeout=TIMEOUT)
            for words in ([file, core], [f"--core={core}", file], [f"--core={core}"])]
    assert all(done.returncode == 0 and "#0  main ()" in done.stdout for done in told), told
    other = subprocess.run([WAVETRAP, "debug", "--nx", "--batch", program("endless"), core], capture_output=True, text=True, timeout=TIMEOUT)
    assert other.returncode == 125 and "is a core file of" in other.stderr, other.stderr


@pytest.mark.parametrize("steps", [382, 383, 384])
def test_a_warp_stands_before_the_first_instruction_of_a_page(tmp_path, steps):
    """A page of code is 4,096 bytes, 384 instructions of PTX."""
    source, core = tmp_path / "long.ptx", tmp_path / "core"
    source.write_text(".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<2>;\nmov.u32 %r1, 0;\n"
                      + "add.u32 %r1, %r1, 1;\n" * 500 + "ret;\n}\n")
    done = debug(source, "start", f"stepi {steps}", f"generate-core-file {core}", options=["-g", "sm", "--grid=1", "--block=32", "--arg=zeros:4"])
    assert done.returncode == 0, done.stderr
    assert f"long.ptx:{8 + steps}\n" in ask_core(core, ["frame"])[0], "the first step is that of line 8"
