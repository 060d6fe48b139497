"""`catch check`: the debugger stops before an access that a check refuses, forwards and backwards; `info allocation` and its like; GDB's `monitor check`.
What is a mistake, and where, the labels say (labels.txt)."""
import re

import pytest

import checks

ONE = [("vortex", "vortex", "null_of_lane"), ("gfx900", "memory", "many_lanes"), ("gfx900", "memory", "shared_after"), ("gfx900", "memory", "heap_after_free"),
       ("sm", "memory", "many_lanes"), ("sm", "memory", "shared_after"), ("sm", "memory", "heap_after_free"), ("gen9", "opencl", "global_after"),
       ("gen9", "level_zero", "device_after")]
STOP = re.compile(r"^Catchpoint 1 \(check.*?\): (.*)$", re.M)


def label_of(program, case):
    return next(label for label in checks.labels_of(program) if label.case == case)


def words_of(family, program, case):
    if family == "vortex":
        return [*checks.VORTEX, f"--arg={checks.cases_of('vortex').index(case) + 1}"], list(map(str, checks.program_of("vortex", "vortex")))
    return ["-g", family], [*map(str, checks.program_of(program, family)), "bad", case]


def debug(family, program, case, *commands, options=("--check=memory",), cwd=None):
    """A session; `batch`: it ends at the first command that fails."""
    before, words = words_of(family, program, case)
    return checks.run(checks.command_under_test(), "debug", "--nx", "--batch", *before, *options, *[word for one in commands for word in ("-ex", one)], *words,
                      cwd=cwd)


def checked(family, program, case):
    return checks.wavetrap(program, family, "bad", case, options=["--check=memory"])


@pytest.mark.parametrize("family, program, case", ONE)
def test_the_debugger_stops_before_a_mistake(family, program, case):
    """With its lane selected, at its instruction, which has not been executed; the program then does what it does without a debugger."""
    label = label_of(program, case)
    done = debug(family, program, case, "catch check", "run", "output/x $pc", "echo \\n", "stepi", "output/x $pc", "echo \\n", "continue")
    assert done.stdout.count("Catchpoint 1 (check):") == 1, done.stdout + done.stderr
    (kind,) = label.kinds
    assert STOP.findall(done.stdout) == [f"{kind} {label.access} of {label.bytes} bytes, finding 1"]
    line, = re.findall(rf"at (?:\S*/)?[\w-]+\.\w+:(\d+)\n{label.line}\t", done.stdout)[:1] or ["none"]
    assert int(line) == label.line, done.stdout
    lane, = re.findall(r"(?:lane|thread|channel) (\d+); ", done.stdout)
    assert lane == re.match(r"\d+", label.lanes)[0]
    before, after = re.findall(r"^(0x[0-9a-f]+)$", done.stdout, re.M)
    pc, = re.findall(r"^  (0x[0-9a-f]+)(?:: |$)", done.stderr, re.M)
    assert before == hex(int(pc, 16)) != after, done.stdout + done.stderr
    assert checks.results(done) == checks.results(checked(family, program, case)), done.stdout
    assert done.returncode == 115 and "checks: 1 error," in done.stderr, done.stderr


def test_a_mistake_of_an_earlier_launch_is_told_of():
    """Of a host program the launches before are not recorded: the way back says so; `check goto` runs the program again, and stops there."""
    _, words = words_of("gfx900", "memory", "many_lanes")
    done = checks.run(checks.command_under_test(), "debug", "--nx", "-g", "gfx900", "--check=memory", "-ex", "catch check", "-ex", "run", "-ex", "info time", "-ex", "reverse-continue",
                      *3 * ["-ex", "continue"], "-ex", "reverse-continue", "-ex", "echo again\n", "-ex", "check goto 1", "-ex", "info breakpoints", "-ex", "kill", "-ex", "quit", *words[:-1],
                      "global_after", "many_lanes")
    earlier = "Finding 1 was made before: run the program again with 'catch check' to stop at it."
    first, _, again = done.stdout.partition("again\n")
    before, _, after = first.partition("finding 2")
    assert earlier not in before and "the recorded run begins here" in before, done.stdout
    assert earlier in after, done.stdout + done.stderr
    assert re.findall(r"[Ii]ssue time (\d+)", first)[0] == re.search(r"^Issue time (\d+)$", again, re.M)[1] and again.startswith("Starting program: "), again + done.stderr
    assert re.search(rf"^{label_of('memory', 'global_after').line}\t", again, re.M) and re.search(r"^1 +catchpoint +keep y ", again, re.M), again
    assert not re.search(r"^2 ", again, re.M), again


@pytest.mark.sample(2)
@pytest.mark.parametrize("family, program, case", [pytest.param(*one, marks=pytest.mark.full) if one[0] == "gfx900" and one[2] != "many_lanes" else one for one in ONE if one[0] != "vortex"])
def test_the_way_back_and_forth_comes_to_the_same_mistake(family, program, case):
    """What has happened since, as memory that a kernel has freed, makes no other mistakes of a run that is repeated."""
    done = debug(family, program, case, "catch check", "run", "info time", "reverse-continue", "continue", "info time", "reverse-stepi", "reverse-stepi", "continue",
                 "info time", "delete", "continue", "continue")
    times = re.findall(r"[Ii]ssue time (\d+)", done.stdout)
    assert done.stdout.count("Catchpoint 1 (check):") == 3 and "recorded run begins here" in done.stdout, done.stdout + done.stderr
    assert len(set(times[:3])) == 1, done.stdout
    assert checks.results(done) == checks.results(checked(family, program, case)), done.stdout + done.stderr
    assert "checks: 1 error," in done.stderr and " times" not in done.stderr, done.stderr


def test_a_mistake_that_was_not_caught_is_gone_back_to():
    done = debug("vortex", "vortex", "null_of_lane", "break result", "run", "catch check null", "reverse-continue", "reverse-continue")
    text, = re.findall(r"^Catchpoint 2 \(check null\): (.*)$", done.stdout, re.M)
    assert text == "null load of 4 bytes, finding 1", done.stdout


@pytest.mark.sample(3)
@pytest.mark.parametrize("family, program, case", ONE)
def test_findings_are_told_at_the_stop_and_at_the_exit(family, program, case):
    """Once each: a stop without more of them says nothing."""
    done = debug(family, program, case, "run")
    assert done.stdout.count("1 finding: info checks\n") == 1, done.stdout + done.stderr


def test_findings_are_told_at_the_first_stop_after_them():
    done = debug("vortex", "vortex", "null_of_lane", "break result", "run", "echo =-=-=\\n", "stepi", "continue")
    before, after = done.stdout.split("=-=-=")
    assert "Breakpoint 1, " in before and before.endswith("1 finding: info checks\n") and "finding" not in after, done.stdout


@pytest.mark.parametrize("family, program, case", [("gfx900", "memory", "many_lanes"), ("sm", "memory", "many_lanes"), *[one for one in ONE if one[0] == "gen9"][:1]])
def test_a_program_that_has_ended_is_run_again(family, program, case):
    """`check goto` and `goto` stop where the mistake was, with its lane selected; breakpoints do not stop the run before, and stay."""
    done = debug(family, program, case, "run", "info checks 1", "echo again\\n", "break kernel", "check goto 1", "info breakpoints", "kill")
    told, _, again = done.stdout.partition("again\n")
    time, = set(re.findall(r"\(goto (\d+)\)", told))
    assert re.findall(r"^Issue time (\d+)$", again, re.M) == [time] and "Breakpoint 1, " not in again, done.stdout + done.stderr
    label = label_of(program, case)
    assert re.search(rf"^{label.line}\t", again, re.M), again
    assert re.search(r"^1 +breakpoint +keep y ", again, re.M) and not re.search(r"^2 ", again, re.M), again
    done = debug(family, program, case, "run", f"goto {time}", "kill")
    assert re.findall(r"^Issue time (\d+)$", done.stdout, re.M) == [time], done.stdout + done.stderr


@pytest.mark.parametrize("commands, stops", [(["catch check misaligned"], 0), (["catch check out-of-bounds"], 1), (["catch check", "disable 1"], 0),
                                             (["catch check", "ignore 1 1"], 0)])
def test_only_what_is_asked_for_stops(commands, stops):
    done = debug("sm", "memory", "many_lanes", *commands, "run")
    assert len(STOP.findall(done.stdout)) == stops, done.stdout + done.stderr


def test_what_is_suppressed_does_not_stop(tmp_path):
    config = tmp_path / "conf"
    config.write_text("suppress out-of-bounds function=put_of_odd  # of this test\n")
    done = debug("sm", "memory", "many_lanes", "catch check", "run", options=["--check=memory", f"--check-config={config}"])
    assert not STOP.findall(done.stdout) and "1 suppressed" in done.stderr, done.stdout + done.stderr


def test_without_a_recording_the_instruction_is_done():
    done = debug("vortex", "vortex", "null_of_lane", "catch check", "run", options=["--check=memory", "--no-history"])
    assert len(STOP.findall(done.stdout)) == 1 and "is done, without that access" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("options, command, said", [([], "catch check", "no checks are on: start with --check=all"), (["--check=leak"], "catch check", "nothing is checked that can be stopped at"),
                                                    (["--check=memory"], "catch check leak", "there are out-of-bounds, out-of-object"),
                                                    (["--check=memory"], "info allocation", "it takes an address")])
def test_what_cannot_be_caught_is_refused(options, command, said):
    done = debug("sm", "memory", "many_lanes", command, options=options)
    assert said in done.stderr, done.stderr


@pytest.mark.parametrize("family, program, case", [ONE[0], ONE[2], ONE[5], ONE[7]])
def test_a_core_file_has_the_findings_and_the_way_back_to_them(tmp_path, family, program, case):
    """The run that it has recorded is that with checks: what was refused is not done when it is repeated."""
    core = tmp_path / "core"
    made = debug(family, program, case, "catch check", "run", "stepi", f"generate-core {core} all", "info checks")
    listed, = re.findall(r"^1  error: .*$", made.stdout, re.M)
    commands = ["info checks", "catch check", "reverse-continue", "output/x $pc", "echo \\n", "goto end", "info checks 1", "check goto 1", "output/x $pc", "echo \\n",
                "info allocation 4096"]
    done = checks.run(checks.command_under_test(), "debug", "--nx", "--batch", "--core", core, *[word for one in commands for word in ("-ex", one)])
    assert listed in done.stdout and STOP.findall(done.stdout) == STOP.findall(made.stdout), done.stdout + done.stderr
    first, second = re.findall(r"^(0x[0-9a-f]+)$", done.stdout, re.M)
    pc, = re.findall(r"^  (0x[0-9a-f]+)(?:: |$)", made.stderr, re.M)
    assert first == second == hex(int(pc, 16)) and re.search(r"no allocation is at 0x1000|0x1000 is \d+ bytes past the end of variable", done.stdout + done.stderr), done.stdout + done.stderr
    assert "checks: " not in done.stderr    # it is not reported again


@pytest.mark.parametrize("family", ["gfx900", "sm"])
def test_an_allocation_has_the_calls_that_made_and_freed_it(tmp_path, family):
    """Of a core file, too."""
    source = (checks.HERE / "memory.cu").read_text().splitlines()
    pointer = "p" if family == "gfx900" else "_Z3getPiPKii_param_1"
    asked = [f"info allocation (char *){pointer} + 5", f"who-allocated (char *){pointer}", f"who-freed (char *){pointer}"]
    done = debug(family, "memory", "freed_load", "catch check", "run", "echo asked\\n", *asked, "echo asked\\n", f"generate-core {tmp_path}/core", "delete", "continue")
    again = checks.run(checks.command_under_test(), "debug", "--nx", "--batch", "--core", tmp_path / "core", *[word for one in asked for word in ("-ex", one)])
    said = re.sub(r"^\(.*in the present.\)\n", "", done.stdout.split("asked\n")[1], flags=re.M)
    assert said in again.stdout, again.stdout + again.stderr
    assert done.stdout.count(" of a freed allocation of 128 bytes at 0x") == 3 and "is byte 5 of" in done.stdout, done.stdout + done.stderr
    lines = [source[int(line) - 1] for line in re.findall(r"^  freed_load at \S*/memory\.cu:(\d+)$", done.stdout, re.M)]
    assert len(lines) == 4 and ["device" in line for line in lines] == [True, False, True, False], lines
    assert ["API(Free)" in line for line in lines] == [False, True, False, True], lines


def test_gdb_stops_before_a_mistake_with_a_signal():
    before, words = words_of("vortex", "vortex", "null_of_lane")
    line = checks.marks("vortex.c")["null_load"]
    commands = ["monitor check catch", "continue", "monitor check", "monitor info checks 1", "stepi", "monitor check 1", "monitor time", "monitor check catch nonsense", "monitor check catch off",
                "reverse-continue", "monitor allocation 0x80000000"]
    done = checks.run(checks.command_under_test(), "gdb", *before, "--check=memory", *words, "--", "--batch", "-nx", *[w for one in commands for w in ("-ex", one)])
    said = done.stdout + done.stderr    # in a batch GDB writes to stderr what monitor says
    assert "Check: null load of 4 bytes, finding 1" in said and done.stdout.count("received signal SIGSEGV") == 1, done.stdout + done.stderr
    assert f"1  error: null load of 4 bytes, null_load at {checks.HERE}/vortex.c:{line}, issue time" in said
    time = re.search(r"null load of 4 bytes, .*, issue time (\d+)", said)[1]
    assert f"issue time {time} of " in said and said.count("error: null load of 4 bytes\n") == 2, said    # 'info checks 1', and the report at the end
    assert f"\n{line}\t" in done.stdout and "no kernel's mistake is called \"nonsense\"" in said
    assert "No more reverse-execution history" in done.stdout and "of variable _start of " in said, done.stdout
    assert "checks: 1 error," in done.stderr and done.returncode == 115, (done.returncode, done.stderr)
