"""Batch sessions: exit statuses, run control forwards and backwards, lanes."""
import re
import subprocess

import pytest

from conftest import WAVETRAP, ask_console, ask_gdb, debug


def plain(text):
    """Without the line that says where the lane is, which GDB has in another form."""
    return re.sub(r"^\[device .*\n\n?|^Run till exit .*\n|^\[Switching .*\n|^Thread .* hit |^\n", "", text, flags=re.M)


# ---- exit statuses ----

def test_the_status_is_that_of_run(program):
    done = debug(program("values"), "run")
    assert done.returncode == 0 and "[Program exited normally]" in done.stdout


def test_a_stopped_program_has_status_0(program):
    assert debug(program("values"), "break main", "run").returncode == 0


def test_quit_gives_its_status(program):
    assert debug(program("values"), "break main", "run", "quit 7").returncode == 7


@pytest.mark.parametrize("command, message", [
    ("print nonsense", 'No symbol "nonsense" in current context.'),
    ("nonsense", 'Undefined command: "nonsense".'),
    ("print 1 +", "A syntax error in expression"),
    ("next", "The program is not being run."),
    ("break nowhere", 'Function "nowhere" not defined.'),
    ("info locals", "No stack."),
    ('printf "%99999999d", 1', "a field of more than 999 characters"),
    ("delete 5", "No breakpoint number 5."),
])
def test_the_first_failure_ends_with_1(program, command, message):
    done = debug(program("values"), command, "echo not reached\\n")
    assert done.returncode == 1
    assert done.stderr.startswith(f"wavetrap: -ex '{command}': ") and message in done.stderr
    assert "not reached" not in done.stdout


def test_commands_of_standard_input_end_as_those_of_options_do(program):
    for commands in (["run"], ["break main", "run"], ["break main", "run", "quit 7"], ["print nonsense", "echo not reached\\n"]):
        done = subprocess.run([WAVETRAP, "debug", "--nx", "--batch", "-g", "vortex", program("values")], input="\n".join(commands), capture_output=True, text=True, timeout=60)
        options = debug(program("values"), *commands)
        assert (done.returncode, done.stdout) == (options.returncode, options.stdout), commands


def test_a_script_names_its_line(program, tmp_path):
    script = tmp_path / "script"
    script.write_text("# a comment\nbreak main\n\nprint nonsense\n")
    done = debug(program("values"), options=["-x", script])
    assert done.returncode == 1
    assert done.stderr == f'wavetrap: {script}:4: No symbol "nonsense" in current context.\n'


def test_a_lane_that_there_is_not_is_a_failure(program):
    done = debug(program("values"), "break main", "run", "print global@64")
    assert done.returncode == 1 and "there is no lane 64" in done.stderr


def test_values_are_there_before_and_after_the_run(program):
    said = ask_console(program("values"), [], ["print global", "run", "print global", "x/2dw &table"])
    assert said[0] == "$1 = 42" and said[2] == "$2 = 60"
    assert said[3].endswith("1\t2")


# ---- running ----

@pytest.mark.parametrize("xlen", [32, 64])
def test_steps_go_where_those_of_gdb_go(program, xlen):
    file = program("values", xlen)
    commands = ["next", "next", "next 13", "next", "step", "bt", "stepi", "step", "next", "step", "step", "step", "bt", "nexti", "finish",
                "next", "until"]
    ours = ask_console(file, ["break main", "run"], commands)
    gdbs = ask_gdb(file, ["break main", "continue"], commands)
    wrong = [f"{c}\n    GDB:  {g!r}\n    ours: {o!r}" for c, g, o in zip(commands, gdbs, ours) if plain(g) != plain(o)]
    assert not wrong, "\n".join(wrong)


def test_the_outermost_frames_are_those_of_gdb(program):
    file, commands = program("values"), ["bt -1", "bt -2", "bt -99", "bt 0"]
    assert ask_console(file, ["break deep if depth == 1", "run"], commands) == ask_gdb(file, ["break deep if depth == 1", "continue"], commands)


def test_what_is_not_there_is_told(program):
    started = ["break main", "run"]
    assert ask_console(program("values"), started, ["info groups", "info barriers", "show environment"]) == [
        "No work-groups.", "Nothing waits at a barrier.", "The program gets the environment of the console."]
    for command, complaint in [("thread 999", "Unknown thread 999."), ("thread apply 99 print 1", "There is no such thread."), ("lane apply 77 print 1", "There is no such thread."),
                               ("thread apply", "apply takes")]:
        done = debug(program("values"), *started, command)
        assert done.returncode == 1 and complaint in done.stderr, done.stderr


def test_finish_prints_what_is_returned(program):
    said = ask_console(program("values"), ["break deep if depth == 2", "run"], ["finish"])[0]
    assert said.startswith("Run till exit from #0  deep (depth=2)") and "Value returned is $1 = 30" in said


def test_reverse_steps_lead_back(program):
    said = ask_console(program("values"), ["break main", "run"],
                       ["next", "next", "reverse-next", "reverse-next", "print $pc", "next", "reverse-stepi", "reverse-continue"])
    first = re.search(r"^\d+\t.*", said[3], re.M)[0]
    assert "int here = 17" in first
    assert "history" in said[-1] or "Breakpoint 1" in said[-1]


@pytest.mark.parametrize("options", [[], ["--hw-only"]], ids=["services", "hw_only"])
def test_a_condition_stops_where_it_holds(program, options):
    said = ask_console(program("values"), ["break deep if depth == 1", "run"], ["print depth", "info breakpoints"], options)
    assert said[0] == "$1 = 1"
    assert "stop only if depth == 1" in said[1] and "already hit 1 time" in said[1]


def test_ignore_and_temporary_breakpoints(program):
    said = ask_console(program("values"), ["break deep", "ignore 1 2", "run"], ["print depth"])
    assert said[0] == "$1 = 1"
    said = ask_console(program("values"), ["tbreak deep", "run"], ["info breakpoints", "continue"])
    assert said[0] == "No breakpoints or watchpoints." and "exited normally" in said[1]


def test_a_watchpoint_tells_old_and_new(program):
    said = ask_console(program("values"), ["break main", "run", "watch global"], ["continue", "print global"])
    assert re.search(r"Hardware watchpoint 2: global\n\nOld value = 42\nNew value = 59\n", said[0])
    assert said[1] == "$1 = 59"


def test_who_wrote_and_goto(program):
    said = ask_console(program("values"), ["break deep if depth == 0", "run"], ["who-wrote global", "info time"])
    time = re.search(r"^time (\d+): device 0, core 0, warp 0, thread 0 at .*<stop_here\+", said[0])[1]
    there = ask_console(program("values"), ["break deep if depth == 0", "run", f"goto {time}"], ["print global", "stepi", "print global"])
    assert (there[0], there[2]) == ("$1 = 42", "$2 = 59")


def test_commands_of_a_breakpoint(program, tmp_path):
    script = tmp_path / "script"
    script.write_text("break deep\ncommands\nsilent\nprintf \"at %d\\n\", depth\ncontinue\nend\nrun\n")
    done = debug(program("values"), options=["-x", script])
    assert done.returncode == 0, done.stderr
    assert "at 3\nContinuing.\nat 2\nContinuing.\nat 1\nContinuing.\nat 0\n" in done.stdout


def test_commands_that_continue_are_executed_at_any_number_of_hits(program, tmp_path):
    script = tmp_path / "script"
    script.write_text("break deep\ncommands\nsilent\nprint n\ncontinue\nend\nrun\necho after\\n\n")
    done = debug(program("deep"), options=["-x", script])
    assert done.returncode == 0, done.stderr
    assert [int(n) for n in re.findall(r"= (\d+)$", done.stdout, re.M)] == list(range(1000, -1, -1)) and done.stdout.endswith("after\n")


def test_breakpoints_are_saved_and_read_again(program, tmp_path):
    saved = tmp_path / "saved"
    assert debug(program("values"), "break deep if depth == 1", "tbreak twice", f"save breakpoints {saved}").returncode == 0
    assert saved.read_text() == "break deep if depth == 1\ntbreak twice\n"
    assert "depth=1" in debug(program("values"), f"source {saved}", "run").stdout


def test_set_var_changes_memory_and_registers(program):
    said = ask_console(program("values"), ["break stop_here", "run"],
                       ["set var depth = 5", "print depth", "set var global = -1", "print global", "set var $a0 = 9", "print $a0",
                        "print first.value = 8", "print first"])
    assert [said[i] for i in (1, 3, 5, 6)] == ["$1 = 5", "$2 = -1", "$3 = 9", "$4 = 8"]
    assert said[7].startswith("$5 = {value = 8")


def test_displays_are_shown_at_stops(program):
    said = ask_console(program("values"), ["break deep", "run", "display depth", "display/x global"], ["continue", "info display"])
    assert said[0].endswith("1: depth = 2\n2: /x global = 0x3b")


# ---- lanes ----

LANES = ["break draw if pixel == 9", "run"]


def test_values_over_lanes_are_compact(example):
    said = ask_console(example("mandelbrot"), LANES, ["print pixel@*", "print pixel@2", "print pixel@1..2", "print p@* == p@0",
                                                     "print min(pixel@*)", "print max(pixel@*)", "print sum(pixel@*)",
                                                     "print any(pixel@* == 10)", "print all(pixel@* > pixel@0)", "print count(pixel@* > 9)",
                                                     "info lanes", "info lanes pixel % 2", "print $_lane@*",
                                                     "print sum((unsigned char)(pixel * 20)@*)", "print sum((signed char)(0 - pixel * 10)@*)",
                                                     "whatis sum((unsigned char)pixel@*)", "print sum((float)pixel / 4@*)", "whatis sum((float)pixel@*)"])
    assert said[0] == "$1 = 8, 9 .. 11, step +1, in threads 0..3"
    assert said[1] == "$2 = 10"
    assert said[3] == "$4 = 1 in all 4 threads"
    assert [text.split(" = ")[1] for text in said[4:10]] == ["8", "11", "38", "1", "0", "2"]
    assert said[10].startswith("* 0..3")
    assert [text.split(" = ")[-1] for text in said[-5:]] == ["760", "-380", "unsigned long long", "9.5", "double"], said[-5:]


def test_a_stop_selects_the_lane_of_its_condition(example):
    done = debug(example("mandelbrot"), *LANES)
    assert "[device 0, core 0, warp 2, thread 1; threads 0-3 enabled]" in done.stdout


def test_one_lane_is_set_alone(example):
    said = ask_console(example("mandelbrot"), LANES, ["set var pixel@3 = 100", "print pixel@*", "lane 3", "print pixel"])
    assert said[1].split() == "$1 = 0..2 8, 9 .. 10, step +1 3 100".split() or "100" in said[1]
    assert said[3] == "$2 = 100"


def test_a_hint_for_those_who_mean_elements(program):
    said = ask_console(program("values"), ["break main", "run"], ["print *table@3", "print *table@0"])
    assert "elements" in said[0].lower() and "table[0..2]" in said[0]
    assert "$2 = {1, 2, 3, 4}" == said[1]
    assert ask_console(program("values"), ["break main", "run"], ["print table[1][1..2]"])[0] == "$1 = {6, 7}"


def test_bounds_of_a_slice_are_expressions(program):
    said = ask_console(program("values"), ["break stop_here", "run"],
                       ["up 5", "print numbers[0..length]", "print numbers[bit.one..length - 1]", "print table[length - 2][negative + 4..small + 8]",
                        "print sizeof (numbers[0..length])"])
    assert said[1:] == ["$1 = {10, 20, 30, 40}", "$2 = {20, 30}", "$3 = {6, 7, 8}", "$4 = 16"]


def test_lanes_must_agree_on_the_bounds_of_a_slice(example):
    said = ask_console(example("mandelbrot"), LANES, ["output ((char *)p)[0..pixel]@2", "output ((char *)p)[0..10]@2", "output/d ((int *)&pixel)[pixel@1 - 9..0]@1..2"])
    assert said[0] == said[1] and "9" in said[2] and "10" in said[2], said


@pytest.mark.parametrize("command, complaint", [
    ("print ((char *)p)[0..pixel]@*", "lanes 0 and 1 have different bounds of the array: select one of them with @0"),
    ("print ((char *)p)[pixel..1]", "a slice has from 1 to 1048576 elements"), ("print ((char *)p)[0..1.5]", "a bound must be an integer"),
    ("break draw if ((char *)p)[0..pixel][1] == 3", "in a condition the bounds of a slice are constants")])
def test_bounds_that_a_slice_cannot_have(example, command, complaint):
    done = debug(example("mandelbrot"), *LANES, command)
    assert complaint in done.stderr and done.returncode == 1, done.stderr


def test_help_and_completion_name_every_command(program):
    said = debug(program("values"), "help", "help break", "help info", "help info lanes").stdout
    for name in ("break", "continue", "reverse-step", "print", "who-wrote", "disassemble", "info lanes"):
        assert name in said


def test_list_and_disassemble(program):
    said = ask_console(program("values"), ["break deep", "run"], ["list", "list 40,42", "disassemble", "x/2i $pc", "info line deep"])
    assert "int local = depth * 10;" in said[0]
    assert said[1].startswith("40\t") and said[1].count("\n") == 2
    assert said[2].startswith("Dump of assembler code for function deep:") and "=> " in said[2]
    assert said[3].startswith("=> ")


# The warp with pixels 8 to 11 is the third; in each warp pixel@0 is a multiple of 4.
@pytest.mark.parametrize("options", [[], ["--hw-only"]], ids=["services", "hw_only"])
@pytest.mark.parametrize("condition, lane", [
    ("any(pixel@* == 9)", 0), ("sum(pixel@*) == 38", 0), ("sum((unsigned char)(pixel * 20)@*) == 760", 0), ("sum((signed char)(0 - pixel * 10)@*) == -380", 0), ("sum((float)pixel * 3e37f@*) > 1.1e39 && sum((float)pixel * 3e37f@*) < 1.2e39", 0), ("min(pixel@*) >= 8 && pixel == 10", 2), ("max(pixel@*) == 11", 0),
    ("count(pixel@* > 9) == 2", 0), ("all(pixel@* > 7)", 0), ("pixel@2 == 10", 0), ("sum(pixel@0..1) == 17", 0), ("sum(pixel@3) == 11", 0),
    ("pixel % 4 == 3 && min(pixel@*) == 8", 3), ("pixel == max(pixel@*) && sum(pixel@1..2) == 19", 3), ("any(pixel@* - pixel@1 == 2) && any(pixel@0 == 8)", 0), ("pixel@0 == 8 && pixel@1 == 9 && any(pixel@* == 11)", 0),
    ("min((float)pixel / 2@*) == 4 && max(-(int)pixel@*) == -8", 0), ("sum(pixel / 2.0f@*) == 19", 0)])
def test_a_condition_asks_other_lanes(example, condition, lane, options):
    done = debug(example("mandelbrot"), f"break draw if {condition}", "run", "print pixel@*", options=options)
    assert done.returncode == 0, done.stderr
    assert f"[device 0, core 0, warp 2, thread {lane}; threads 0-3 enabled]" in done.stdout
    assert "$1 = 8, 9 .. 11, step +1, in threads 0..3" in done.stdout


def test_conditions_over_lanes_that_never_hold(example):
    done = debug(example("mandelbrot"), "break draw if any(pixel@* < pixel@0)", "break draw if all(pixel@* != pixel@0)", "run")
    assert "[Program exited normally]" in done.stdout


@pytest.mark.parametrize("condition, message", [
    ("pixel@* == 1", "a condition is one for each lane: take the lanes together"), ("pixel@9 == 1", "there is no lane 9: a warp has lanes 0 to 3"),
    ("sum(pixel)@2..3 == 1", "a condition is one for each lane"), ("any()", "any() takes one value over lanes")])
def test_conditions_that_name_no_lanes(example, condition, message):
    done = debug(example("mandelbrot"), f"break draw if {condition}")
    assert done.returncode == 1 and message in done.stderr


# ---- what ends with its frame, what is saved, what is selected ----

def test_a_watchpoint_ends_with_its_frame(program):
    file = program("values")
    commands = ["watch local", "continue", "continue", "continue"]
    ours = ask_console(file, ["break deep if depth == 1", "run"], commands)
    gdbs = ask_gdb(file, ["break deep if depth == 1", "continue"], commands)
    assert "Watchpoint 2 deleted because the program has left the block in\nwhich its expression is valid." in ours[2]
    assert plain(ours[2]).replace("Continuing.\n", "") == plain(gdbs[2]).replace("Continuing.\n", "")
    # Not so where the address was meant, or what has no frame.
    said = ask_console(file, ["break deep if depth == 1", "run", "watch -l local", "watch global", "delete 1"], ["finish", "info breakpoints"])
    assert re.findall(r"^(\d) +hw watchpoint", said[1], re.M) == ["2", "3"]


@pytest.mark.parametrize("opt", ["-O1", "-O2"])
@pytest.mark.parametrize("xlen", [32, 64])
def test_functions_of_optimised_code_begin_where_they_do_in_gdb(program, xlen, opt):
    """At the first instruction, once for each call: the next row of the line table may be in a loop."""
    commands = ["tbreak sum_up", "tbreak bump", "tbreak main"]
    file = program("watched", xlen, opt)
    ours, gdbs = ask_console(file, [], commands), ask_gdb(file, [], commands)
    assert ours == gdbs
    said = ask_console(file, ["break sum_up", "break bump", "run"], [*["continue"] * 6, "info breakpoints"])
    assert re.findall(r"already hit (\d) time", said[-1]) == ["1", "5"] and "[Program exited normally]" in said[5]


def test_saved_points_come_back_as_they_were(program, tmp_path):
    saved, again = tmp_path / "saved", tmp_path / "again"
    commands = ["break deep if depth == 1", "ignore 1 2", "tbreak twice", "watch global", "disable 3", "catch fault", "break 77"]
    assert debug(program("values"), *commands, f"save breakpoints {saved}").returncode == 0
    done = debug(program("values"), f"source {saved}", "info breakpoints", f"save breakpoints {again}")
    assert done.returncode == 0, done.stderr
    assert saved.read_text() == again.read_text() and "ignore $bpnum 2" in saved.read_text()
    assert re.search(r"^3 +hw watchpoint +keep n", done.stdout, re.M) and "ignore next 2 hits" in done.stdout


def test_numbers_that_apply_takes(example):
    said = ask_console(example("mandelbrot"), LANES, ["lane apply 1 3 print pixel", "lane apply 0-1 3 output pixel", "lane apply 0 2..3 output pixel", "thread apply 1-2 print 1"])
    assert said[0] == "\nthread 1:\n$1 = 9\n\nthread 3:\n$2 = 11".strip("\n")
    assert [int(n) for n in re.findall(r"^(\d+)$", said[1], re.M)] == [8, 9, 11]
    assert [int(n) for n in re.findall(r"^(\d+)$", said[2], re.M)] == [8, 10, 11]
    assert re.findall(r"Thread (\d+) ", said[3]) == ["1", "2"]
    assert debug(example("mandelbrot"), *LANES, "lane apply print pixel").returncode == 1
    assert debug(example("mandelbrot"), *LANES, "lane apply 3-1 print pixel").returncode == 1


def test_where_a_lane_is_holds_in_all_frames(example):
    assert ask_console(example("mandelbrot"), LANES, ["up", "output $_lane@*", "output $_lane"])[1:] == ["0, 1 .. 3, step +1, in threads 0..3", "1"]


def test_symbols_of_data_and_places_of_lines(program):
    said = ask_console(program("values"), ["break deep", "run"], ["info symbol table", "info symbol &table[1]", "info line 77"])
    assert said[:2] == ["table", "table + 16"]
    assert re.fullmatch(r'Line 77 of ".*values.c" starts at address 0x\w+ <deep\+\d+> and ends at 0x\w+ <deep\+\d+>\.', said[2])


def test_groups_are_for_devices_that_have_them(example):
    done = debug(example("mandelbrot"), *LANES, "group 0")
    assert done.returncode == 1 and "the device does not report work-groups" in done.stderr


# ---- exceptions by name ----

STRAY = """int table[4];
int main(void)
{
    volatile int *where = (int *)((char *)table + 1);
    return *where;
}
"""


@pytest.fixture(scope="module")
def misaligned(program, tmp_path_factory):
    """A program whose load is not aligned."""
    folder = tmp_path_factory.mktemp("misaligned")
    (folder / "stray.c").write_text(STRAY)
    return program(folder / "stray", 32)


def test_a_mistake_is_caught_by_its_name(misaligned):
    done = debug(misaligned, "catch access", "catch Misaligned", "run", "info breakpoints")
    assert "Catchpoint 2: Program stopped by a fault: " in done.stdout
    assert re.search(r"^1 +catchpoint +keep y +access\n2 +catchpoint +keep y +misaligned\n\tbreakpoint already hit 1 time", done.stdout, re.M), done.stdout
    # Others stop as without a catchpoint; one that is disabled lets its own pass.
    done = debug(misaligned, "catch access", "run")
    assert "Catchpoint" not in done.stdout.split("Starting")[1] and "\nProgram stopped by a fault: " in done.stdout
    done = debug(misaligned, "catch misaligned", "disable 1", "run")
    assert "Program stopped" not in done.stdout and "Program terminated by a fault: " in done.stdout


def test_a_fault_is_caught_where_a_condition_holds(misaligned):
    """As GDB's catchpoints: it is listed, changed and saved; what no catchpoint stops for is passed on."""
    done = debug(misaligned, "catch misaligned if $_lane == 0 && where != 0", "run", "info breakpoints")
    assert "Catchpoint 1: Program stopped by a fault: " in done.stdout
    assert re.search(r"misaligned\n\tstop only if \$_lane == 0 && where != 0\n\tbreakpoint already hit 1 time", done.stdout), done.stdout
    done = debug(misaligned, "catch misaligned", "condition 1 $_lane == 1", "run")
    assert "Program stopped" not in done.stdout and "Program terminated by a fault: " in done.stdout
    # The second catchpoint stops for what the first one does not, and one that is disabled does not hide it.
    done = debug(misaligned, "catch fault if where == 0", "catch fault", "disable 2", "catch misaligned", "run", "condition 1", "info breakpoints")
    assert "Catchpoint 3: Program stopped by a fault: " in done.stdout and "Breakpoint 1 now unconditional." in done.stdout
    assert "stop only if" not in done.stdout
    done = debug(misaligned, "catch fault", "ignore 1 1", "run")
    assert "Program stopped" not in done.stdout and "Program terminated by a fault: " in done.stdout


def test_a_catchpoint_whose_condition_cannot_be_evaluated_stops_and_says_so(misaligned):
    done = debug(misaligned, "catch fault if nothing_of_this_name", "run")
    assert 'Error in testing condition for breakpoint 1:\nNo symbol "nothing_of_this_name" in current context.' in done.stdout
    assert "Catchpoint 1: Program stopped by a fault: " in done.stdout
    done = debug(misaligned, "catch fault if 1 +")
    assert done.returncode == 1 and "Catchpoint" not in done.stdout and "syntax error" in done.stderr, done.stderr


def test_an_unknown_exception_is_a_failure_that_lists_the_known_ones(program):
    done = debug(program("values"), "catch int_div0")
    assert done.returncode == 1 and 'There is nothing to catch that is called "int_div0": catch takes "fault"' in done.stderr
    assert '"divergence"' in done.stderr and '"deadlock"' in done.stderr
    assert "the device does not report dispatches" in debug(program("values"), "catch dispatch end").stderr


# ---- dprintf ----

def test_a_log_has_a_text_for_each_lane(example):
    done = debug(example("mandelbrot"), 'dprintf draw if pixel > 8 && pixel < 12 && pixel != 10,"%d of %s: %5.1f|%x|%c%%\\n",pixel,"abc",pixel/2.0f,-pixel,65+pixel',
                 "ignore 1 0", "run")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^9 of abc:   4\.5\|fffffff7\|J%\n11 of abc:   5\.5\|fffffff5\|L%\n(?!\d+ of)", done.stdout, re.M), done.stdout


def test_a_log_says_what_gdb_says(program):
    commands = ['dprintf deep,"depth %d, %5.2f %lx %c\\n",depth,depth/2.0,sizeof(depth),65+depth', "info breakpoints", "continue"]
    ours = ask_console(program("values"), ["break main", "run"], commands)
    gdbs = ask_gdb(program("values"), ["break main", "continue"], commands)
    assert [plain(g) for g in gdbs[:1]] == [plain(o) for o in ours[:1]]
    assert re.search(r"^ +printf .*", gdbs[1], re.M)[0].strip() == re.search(r"^ +printf .*", ours[1], re.M)[0].strip()
    assert re.findall("^depth .*", gdbs[2], re.M) == re.findall("^depth .*", ours[2], re.M) != []


PRINTED = ['"%d %d %u %x\\n",bit.one,bit.five,bit.rest,bit.five', '"%x\\n",table', '"%d %u %d %ld\\n",(unsigned char)200,(unsigned char)200,(signed char)200,4000000000u',
           '"%d %x %x\\n",4000000000u,(char)-1,-1', '"%p\\n",deep']


def test_numbers_of_a_format_are_those_of_gdb(program):
    """Of bit fields, arrays, unsigned numbers; a log has the same."""
    commands, at = [f"printf {text}" for text in PRINTED], "values.c:104"
    gdbs = [plain(g) for g in ask_gdb(program("values"), [f"break {at}", "continue"], commands)]
    assert [plain(o) for o in ask_console(program("values"), [f"break {at}", "run"], commands)] == gdbs and all(gdbs)
    logged = debug(program("values"), *(f"dprintf {at},{text}" for text in PRINTED), "run").stdout.splitlines()
    assert {g.strip() for g in gdbs} <= set(logged)


@pytest.mark.parametrize("text, message", [
    ('"%d",pixels[0]', "Value can't be converted to integer."), ('"%f",$nonsense', "Invalid cast."), ('"%d",$nonsense', "Value can't be converted to integer."),
    ('"%s",$nonsense', "Value can't be converted to integer."), ('"%f",table', "Invalid cast.")])
def test_what_is_no_number_is_not_printed_as_one(program, text, message):
    done = debug(program("values"), "break deep", "run", f"printf {text}")
    assert done.returncode == 1 and message in done.stderr


def test_a_log_is_counted_ignored_saved_and_stepped_over(program, tmp_path):
    file, saved = program("values"), tmp_path / "saved"
    text = 'dprintf deep if depth < 3,"at %d\\n",depth'
    done = debug(file, text, "ignore 1 1", f"save breakpoints {saved}", "run", "info breakpoints")
    assert re.findall("^at .*", done.stdout, re.M) == ["at 1", "at 0"] and "already hit 3 times" in done.stdout
    assert saved.read_text() == text + "\nignore $bpnum 1\n"
    assert re.findall("^at .*", debug(file, f"source {saved}", "run").stdout, re.M) == ["at 1", "at 0"]
    said = ask_console(file, ["break deep if depth == 2", "run", 'dprintf deep,"at %d\\n",depth'], ["next", "next", "next"])
    assert re.findall("^at .*", "\n".join(said), re.M) == ["at 1", "at 0"]


@pytest.mark.parametrize("text, message", [
    ('deep,"%d\\n"', "Wrong number of arguments"), ('deep,"\\n",1', "Wrong number of arguments"), ('deep,"%d\\n",nonsense', 'No symbol "nonsense"'),
    ("deep", "dprintf takes a location"), ('nowhere,"x"', 'Function "nowhere" not defined.'), ('deep,"%y",1', "Unrecognized format specifier 'y'"),
    ('deep,"x', "non-terminated")])
def test_logs_that_are_no_logs(program, text, message):
    done = debug(program("values"), f"dprintf {text}")
    assert done.returncode == 1 and message in done.stderr
    assert "No breakpoints" in debug(program("values"), "info breakpoints").stdout


# ---- functions that are only inlined ----

@pytest.mark.parametrize("opt, stops", [("-O0", 4), ("-O2", 3)])
def test_each_call_that_was_inlined_is_a_place(program, opt, stops):
    """As in GDB: where they are, what the arguments are there, and the frames around. -O2 begins the call in the loop before the loop."""
    file = program("inlined", 32, opt)
    commands = ["print x", "bt", *["continue", "print x", "bt"] * (stops - 1), "info breakpoints", "continue"]
    ours = ask_console(file, ["break scaled", "run"], commands)
    gdbs = ask_gdb(file, ["break scaled", "continue"], commands)
    places = [re.findall(r"^1\.\d .*", said[-2], re.M) for said in (ours, gdbs)]
    assert places[0] == places[1] and len(places[0]) == 3
    for i in range(stops):
        assert ours[3 * i:3 * i + 2] == gdbs[3 * i:3 * i + 2]
    assert "exited normally" in ours[-1] and "exited normally" in gdbs[-1]


def test_a_line_without_code_in_an_inlined_function_is_within_it(program):
    """Stops are in the function that was inlined, at its next line, also after another thread was selected. (GDB 13 takes line 5, too; GDB 16 does not.)"""
    file, commands = program("inlined", 32, "-O0"), ["print x", "bt", "continue", "print x", "bt"]
    ours = ask_console(file, ["break inlined.c:5", "run"], [*commands, "thread apply all print $pc", "bt"])
    gdbs = ask_gdb(file, ["break inlined.c:6", "continue"], commands)
    assert ours[:2] + ours[3:5] == gdbs[:2] + gdbs[3:]
    assert ours[6] == ours[4] and "#0  scaled (x=7)" in ours[4]


def test_a_condition_on_an_inlined_functions_argument(program):
    done = debug(program("inlined", 32, "-O2"), "break scaled if x == 7", "run", "print x")
    assert done.returncode == 0 and "$1 = 7" in done.stdout, done.stderr


# ---- what '@' binds to ----

WEAK = "('@' binds weakest: a && x@0 is (a && x)@0. For x in lane 0: a && (x@0))\n"


def test_a_hint_where_a_lane_is_selected_of_more_than_was_meant(example):
    file = example("mandelbrot")
    said = ask_console(file, LANES, ["print any(pixel@* == 9) && pixel@0 == 8", "print any(pixel@* == 9) && pixel@0 == 8"])
    assert said == [WEAK + "$1 = 0", "$2 = 0"]
    said = ask_console(file, LANES, ["print any(pixel@* == 9) && (pixel@0) == 8", "print (any(pixel@* == 9) && pixel)@0", "print pixel@0 == 8 && pixel@1 == 9",
                                     "print pixel + 1@0", "print any(pixel@* != pixel@0)"])
    assert said == ["$1 = 1", "$2 = 1", "$3 = 1", "$4 = 9", "$5 = 1"]
    assert WEAK in debug(file, "break draw if pixel && pixel@0 == 1").stdout


# ---- where no breakpoint can be ----

@pytest.mark.parametrize("place, why", [("*(int)&main + 2", "No instruction begins at 0x[0-9a-f]+: one of 4 bytes begins at 0x[0-9a-f]+"),
                                        ("*(int)&main + 1", "No instruction begins at 0x[0-9a-f]+, which is not a multiple of 2|one of 4 bytes")])
def test_an_address_where_no_instruction_begins_is_refused_when_it_is_set(program, place, why):
    done = debug(program("values"), "break main", "run", f"break {place}")
    assert done.returncode == 1 and re.search(why, done.stderr), done.stderr + done.stdout


def test_a_breakpoint_lines_further_and_one_of_a_thread(program):
    """`break +1` counts from the line that is selected; `break PLACE thread N` stops that thread only."""
    file = program("values")
    said = debug(file, "break main", "run", "break +1", "break -1").stdout
    lines = [int(line) for line in re.findall(r"^Breakpoint \d at .* line (\d+)\.$", said, re.M)]
    assert lines[1] == lines[0] + 1, said
    said = debug(file, "break main", "run", "tbreak +1 thread 1", "continue", "info breakpoints")
    assert "Temporary breakpoint 2, main" in said.stdout, said.stdout + said.stderr
    done = debug(file, "break main", "run", "break +1 thread 77777")
    assert done.returncode == 1 and "Unknown thread 77777." in done.stderr


@pytest.mark.parametrize("name", ["_dispatch_pos", "_thread_workgroup_pos", "_nonsense"])
def test_a_name_of_the_debugger_that_does_not_exist_is_an_error(program, name):
    done = debug(program("values"), "break main", "run", f"print ${name}")
    assert done.returncode == 1 and re.search(rf"\${name} is of other debuggers|This device has no \${name}", done.stderr), done.stdout + done.stderr


def test_a_change_in_the_past_says_in_batch_that_the_future_is_dropped(program):
    done = debug(program("values"), "break main", "run", "next", "reverse-stepi", "set $pc = $pc")
    assert "the recording after it is discarded." in done.stdout, done.stdout + done.stderr


def test_thousands_of_threads_share_lines(example):
    """Each thread is in one line of `info threads`, as one of those at a place, and in one stack of `thread apply all bt`."""
    how = ["-g", "vortex:cores=4,warps=16,threads=16"]
    said = debug(example("mandelbrot"), "break draw", "run", "info threads", "info threads all", "info threads 3-5", "thread apply all bt", options=how).stdout
    folded = re.findall(r"^  ([\d, …-]+?) +(?:(\d+) threads of \d+ warps?|device .* thread (\d+)\.\.(\d+))(?: \(masked off\))? +(\S.*)$", said, re.M)
    folded = [(threads, int(count or int(last) - int(first) + 1), place) for threads, count, first, last, place in folded]
    assert 1 < len(folded) < 20 and sum(count for _, count, _ in folded) == 1023, said
    lines = re.findall(r"^([* ]) (\d+) +device \d+, .*?, thread \d+ +(\S.*)$", said, re.M)
    places = {int(n): place for mark, n, place in lines}
    assert [int(n) for _, n, _ in lines[1:]] == [*range(1, 1025), 3, 4, 5] and lines[0][0] == "*", lines[:3]
    for threads, count, place in folded:
        if "…" not in threads:
            named = [n for part in threads.split(", ") for n in range(int(part.split("-")[0]), int(part.split("-")[-1]) + 1)]
            assert len(named) == count and all(places[n] == place for n in named), threads
    stacks = re.findall(r"^Threads? ([\d, …-]+) \((\d+)\):\n#0  (.*)$", said, re.M)
    assert sum(int(count) for _, count, _ in stacks) == 1024 and len(stacks) < 20, stacks
    assert "'thread apply 1-1024 bt' shows each" in said and "=..." in said


def test_threads_are_apart_where_they_are_named(example):
    said = debug(example("mandelbrot"), "break draw", "run", "thread apply 1-64 bt", "thread apply all output $_lane",
                 options=["-g", "vortex:warps=4,threads=16"]).stdout
    assert len(re.findall(r"^Thread \d+ \(device", said, re.M)) == 64 and "shows each" in said
    lanes = re.findall(r"^Threads ([\d, -]+) \(4\):\n(\d+)$", said, re.M)
    assert [(threads, int(lane)) for threads, lane in lanes] == [(f"{n}, {n + 16}, {n + 32}, {n + 48}", n - 1) for n in range(1, 17)], said[-800:]


@pytest.mark.parametrize("how", ["scalars", "all", "none", "presence"])
def test_arguments_of_frames_are_printed_as_in_gdb(program, how):
    commands = [f"set print frame-arguments {how}", "bt", "show print frame-arguments"]
    ours, theirs = (ask(program("values", 64), ["break deep", "run" if ask is ask_console else "continue"], commands) for ask in (ask_console, ask_gdb))
    assert ours[1].replace(" ()", "") == theirs[1].replace(" ()", "") and how in ours[2]


def test_who_wrote_says_which_value(program):
    """The last write has left what the variable is."""
    said = debug(program("watched"), "break bump if by == 7", "run", "who-wrote total", "print total").stdout
    assert re.search(r"^  was \d+, is (\d+)\n(?:.*\n)*\$1 = \1$", said, re.M), said
    assert said.count("\ntime ") == 1, said


def test_translated_blocks_change_no_session(example):
    """Breakpoints within blocks, steps, the way back: the same words with blocks from the first visit on, and without."""
    file = example("sgemm", 32)
    commands = ["break sgemm.c:61", "run", "continue", "info lanes", "print sum", "stepi", "stepi", "info registers", "delete", "stepi 90",
                "backtrace", "reverse-stepi 77", "info lanes", "print $pc", "break sgemm.c:54", "continue", "continue", "delete", "stepi 30",
                "info time", "reverse-stepi 10", "info lanes", "continue"]
    said = []
    for jit in (0, 1):
        done = debug(file, *commands, options=[f"--gpu=vortex:jit={jit},threads=8,warps=2"])
        said.append((done.stdout + done.stderr).replace(f"jit={jit}", ""))
    assert said[0] == said[1]
    assert said[0].count("Breakpoint 1, ") == 2 and said[0].count("Breakpoint 2, ") == 1, said[0]
    told = [subprocess.run([WAVETRAP, "run", "--stats", f"--gpu=vortex:jit={jit}", file], capture_output=True, text=True, check=True).stderr for jit in (0, 1)]
    assert "translated" not in told[0] and re.search(r"\d blocks translated .*, in which \d{4,} of the issues were\n", told[1]), told
