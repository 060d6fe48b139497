"""The console at a terminal: prompt, empty lines, completion, Ctrl-C, leaving."""
import errno
import os
import re
import select
import subprocess

import pexpect
import pytest

from conftest import TIMEOUT, WAVETRAP, ask_console, ask_gdb, debug

PROMPT = "(wavetrap) "


class Terminal:
    def __init__(self, file, *options, init=("--nx",), **more):
        env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
        self.child = pexpect.spawn(WAVETRAP, ["debug", *init, *options, str(file)], encoding="utf-8", echo=False, timeout=TIMEOUT,
                                   dimensions=(50, 200), env={**env, "TERM": "dumb", **more})
        self.child.delaybeforesend = None
        self.child.expect_exact(PROMPT)

    def __call__(self, line):
        self.child.sendline(line)
        self.child.expect_exact(PROMPT)
        return self.child.before.replace("\r", "")

    def interrupt_line(self):
        """Ctrl-C at the prompt, which gives a new one."""
        self.child.sendintr()
        self.child.expect_exact("^C")
        self.child.expect_exact(PROMPT)


@pytest.fixture
def terminal():
    open_ones = []

    def start(file, *options, **more):
        open_ones.append(Terminal(file, *options, **more))
        return open_ones[-1]
    yield start
    for one in open_ones:
        one.child.close(force=True)


def test_an_empty_line_does_a_step_again(program, terminal):
    t = terminal(program("values"))
    assert "Breakpoint 1 at" in t("break main")
    assert "main ()" in t("run")
    first, second = (int(re.search(r"^(\d+)\t", t(line), re.M)[1]) for line in ("next", ""))
    assert second == first + 1


def test_a_failure_does_not_end_the_conversation(program, terminal):
    t = terminal(program("values"))
    assert 'No symbol "nonsense" in current context.' in t("print nonsense")
    assert "$1 = 42" in t("print global")


def stopped_in_main(program, terminal):
    """A terminal where Ctrl-C has stopped a program that is in main."""
    t = terminal(program("endless"))
    t("tbreak main")
    t("run")
    t.child.sendline("continue")
    t.child.expect_exact("Continuing.")
    t.child.sendintr()
    t.child.expect_exact("Program stopped.")
    t.child.expect_exact(PROMPT)
    return t


def test_ctrl_c_stops_the_program(program, terminal):
    t = stopped_in_main(program, terminal)
    assert "main ()" in t("backtrace")


def test_ctrl_c_at_the_prompt_stops_nothing_later(program, terminal):
    t = terminal(program("values"))
    t("break main")
    t.interrupt_line()
    assert "Breakpoint 1, main ()" in t("run")


def test_leaving_asks_while_the_program_runs(program, terminal):
    t = terminal(program("values"))
    t("break main")
    t("run")
    t.child.sendline("quit")
    t.child.expect_exact("(y or n)")
    t.child.sendline("n")
    t.child.expect_exact(PROMPT)
    t.child.sendline("quit")
    t.child.expect_exact("(y or n)")
    t.child.sendline("y")
    t.child.expect(pexpect.EOF)
    t.child.close()
    assert t.child.exitstatus == 0


def test_ctrl_c_at_a_question_is_a_no(program, terminal):
    t = terminal(program("values"))
    t("break main")
    t("run")
    for command in ("quit", "delete", "run"):
        t.child.sendline(command)
        t.child.expect_exact("(y or n)")
        t.child.sendintr()
        t.child.expect_exact(PROMPT)
    assert "1 time" in t("info breakpoints") and "main ()" in t("backtrace")


def test_tab_completes_commands_and_functions(program, terminal):
    t = terminal(program("values"))
    t.child.send("disas\t")
    t.child.expect_exact("disassemble")
    t.child.sendline("")
    t.child.expect_exact(PROMPT)
    t.child.send("break stop_h\t")
    t.child.expect_exact("stop_here")
    t.child.sendline("")
    t.child.expect_exact("Breakpoint 1 at")


def test_a_long_list_of_completions_is_whole_or_says_how_many_it_leaves_out(program, terminal, tmp_path):
    (tmp_path / "init").write_text("".join(f"alias zz{n:03} = print\n" for n in range(250)))
    t = terminal(program("values"), init=("--nx", f"--command={tmp_path / 'init'}"))
    t.child.send("help w\t")
    t.child.expect(r"warp  .*  where-from  .*  with\b")
    t.interrupt_line()
    t.child.send("\t")     # more than 100 commands
    t.child.expect(r"advance  .*  x  zz000  .*… and \d+ more\r\n")
    t.interrupt_line()


def test_variables_of_the_frame_are_offered_before_those_of_the_program(program):
    """In main(), `n` begins three of its own; then come functions and variables of files."""
    done = debug(program("values"), "break 92", "run", "complete print n")
    offered = re.findall(r"^print (n\w*)$", done.stdout, re.M)
    assert offered[:4] == ["negative", "none", "number", "numbers"] and offered[4:] == sorted(offered[4:]), done.stdout


def test_names_of_libraries_are_offered_where_their_beginning_is_typed(program, tmp_path):
    source = tmp_path / "own.c"
    source.write_text("int __of_a_library = 1;\nint own = 2;\nint main(void)\n{\n    return own - __of_a_library - 1;\n}\n")
    nothing, beginning = ask_console(program(str(source)), ["break main", "run"], ["complete print (", "complete print (_"])
    assert "print (own" in nothing.splitlines() and "(_" not in nothing and "print (__of_a_library" in beginning.splitlines(), (nothing, beginning)


def test_members_and_places_of_a_file_are_completed_as_in_gdb(program):
    """GDB's `complete` on the same program; lines of a file, which it does not offer, have code."""
    file = program("values")
    texts = ["print pixel.", "print pixel.in.t", "print pixels[1].in.", "print first.next->", "print first.next->ne", "print/x hollow.l", "ptype second.v",
             "break values.c:de", "tbreak values.c:dee"]
    before, commands = ["break deep", "{}", "up"], [f"complete {text}" for text in texts]
    ours, theirs = (ask(file, [line.format("run" if ask is ask_console else "continue") for line in before], commands)
                    for ask in (ask_console, ask_gdb))
    assert ours == theirs
    lines = [int(line.rpartition(":")[2]) for line in ask_console(file, [], ["complete break values.c:7"])[0].splitlines()]
    said = ask_console(file, [], [f"break values.c:{line}" for line in lines])
    assert lines and all(text.startswith(f"Breakpoint {n} at") for n, text in enumerate(said, 1)), said
    assert "display (*first.next).value" in ask_console(file, ["break deep", "run", "up"], ["complete display (*first.next)."])[0]
    assert ask_console(file, [], ["complete print nothing.", "complete print 1.", "complete break nofile.c:"]) == ["", "", ""]


def test_lines_from_a_pipe_are_commands(program):
    done = debug(program("values"), batch=False, input="break main\nrun\nprint global\n")
    assert done.returncode == 0 and "$1 = 42" in done.stdout
    assert subprocess.run([WAVETRAP, "debug", "--help"], capture_output=True, timeout=TIMEOUT).returncode == 0


def test_commands_of_a_breakpoint_are_typed(program, terminal):
    """Up to `end`, behind a prompt of their own; an empty line is not a command again."""
    t = terminal(program("values"))
    t("break main")
    t.child.sendline("commands 1")
    t.child.expect_exact('End with a line saying just "end".')
    for line in ("silent", "print 40 + 2", "", "echo done\\n", "end"):
        t.child.expect_exact(">")
        t.child.sendline(line)
    t.child.expect_exact(PROMPT)
    said = t("run")
    assert "$1 = 42" in said and "done" in said and "Breakpoint 1, main" not in said


@pytest.mark.parametrize("command", ["set $pc = $pc", "print $pc = $pc", "output $pc = $pc", "display $pc = $pc", "x/i $pc = $pc", 'printf "%x", $pc = $pc'])
def test_a_change_in_the_past_asks(program, terminal, command):
    """Whatever command makes it; a variable of the console's own is none."""
    t = terminal(program("values"))
    t("break main")
    t("run")
    t("next")
    t("reverse-stepi")
    assert "future" not in t("set $own = 1") + t("print $own = 2")
    for answer, said in (("n", "Not changed."), ("y", "A new future begins at issue time")):
        t.child.sendline(command)
        t.child.expect_exact("discards the recording after this point.")
        t.child.expect_exact("(y or n) ")
        t.child.sendline(answer)
        t.child.expect_exact(said)
        t.child.expect_exact(PROMPT)


# ---- Ctrl-C ----

def test_a_second_ctrl_c_asks(program, terminal):
    t = stopped_in_main(program, terminal)
    t.child.sendintr()
    t.child.expect_exact("Quit and end the program? (y or n) ")
    t.child.sendline("n")
    t.child.expect_exact(PROMPT)
    assert "main ()" in t("backtrace")
    # The first one after a command asks nothing.
    t.interrupt_line()
    assert "main ()" in t("backtrace")
    t.child.sendline("continue")
    t.child.expect_exact("Continuing.")
    t.child.sendintr()
    t.child.expect_exact("Program stopped.")
    t.child.expect_exact(PROMPT)
    t.child.sendintr()
    t.child.expect_exact("Quit and end the program? (y or n) ")
    t.child.sendline("y")
    t.child.expect(pexpect.EOF)
    t.child.close()
    assert t.child.exitstatus == 0


def block(t, tmp_path):
    """A command that waits for a file for ever; returns what the file's text is to be written to."""
    fifo = tmp_path / "fifo"
    if not fifo.exists():
        os.mkfifo(fifo)
    t.child.sendline(f"source {fifo}")
    for _ in range(10 * TIMEOUT):
        try:
            return os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:  # nobody reads it yet
            assert error.errno == errno.ENXIO
            select.select([], [], [], 0.1)
    raise AssertionError("the console did not open the file")


def interrupt_until_it_asks(t):
    """The second Ctrl-C asks; one that comes before the first one was looked at is none."""
    for _ in range(20):
        t.child.sendintr()
        if t.child.expect_exact(["Quit and end the program? (y or n) ", pexpect.TIMEOUT], timeout=5) == 0:
            return
    raise AssertionError("nothing was asked")


def test_a_second_ctrl_c_asks_where_a_command_is_blocked(program, terminal, tmp_path):
    t = terminal(program("endless"))
    file = block(t, tmp_path)
    interrupt_until_it_asks(t)
    t.child.sendline("n")
    os.write(file, b"echo it goes on\\n\n")
    os.close(file)
    t.child.expect_exact("it goes on")
    t.child.expect_exact(PROMPT)
    assert "$1 = 42" in t("print 41 + 1")
    file = block(t, tmp_path)
    interrupt_until_it_asks(t)
    t.child.sendline("y")
    t.child.expect(pexpect.EOF)
    t.child.close()
    os.close(file)
    assert t.child.exitstatus == 1


def test_what_is_typed_before_a_question_does_not_answer_it(program, terminal, tmp_path):
    """The question comes a second after the second Ctrl-C, while a command is blocked. On a machine so busy that the line came behind
    the question it was an answer: then once more."""
    for _ in range(5):
        t = terminal(program("endless"))
        file, came = block(t, tmp_path), 2
        for _ in range(20):
            t.child.sendintr()
            t.child.sendline("yes, this is a line")
            came = t.child.expect_exact(["Quit and end the program? (y or n) ", pexpect.EOF, pexpect.TIMEOUT], timeout=3)
            if came != 2:
                break
        if came == 0 and t.child.expect_exact([pexpect.EOF, pexpect.TIMEOUT], timeout=1) == 1:
            t.child.sendline("n")
            os.write(file, b"echo it goes on\\n\n")
            os.close(file)
            t.child.expect_exact("it goes on")
            return
        os.close(file)
    raise AssertionError("what was typed before has ended the program")


# ---- long work shows how far it is, and is interrupted ----

SEARCH = r"\rIssue time \d+, to \d+ \(Ctrl-C stops\)"
BACK = r"\rBack at issue time \d+, \d+ % of the recorded run \(Ctrl-C stops\)"


@pytest.mark.parametrize("command, shown, then", [
    ("goto {}", SEARCH, r"Interrupted\."), ("who-wrote *(int *)0x80004000", SEARCH, r"Interrupted\."),
    ("reverse-continue", BACK, r"Program stopped\.")], ids=["goto", "who-wrote", "reverse-continue"])
def test_a_way_through_the_recorded_run_can_be_interrupted(program, terminal, command, shown, then):
    """With room for few states and without translation most ways are long: a time that a saved state is near is not taken."""
    t = terminal(program("endless"), "-g", "vortex:jit=0", "--history-memory=256K", TERM="xterm")
    t.child.sendline("set status-line off")
    t.child.sendline("run")
    t.child.expect(r"Running: issue time \d{9,} ")
    t.child.sendintr()
    t.child.expect_exact("Program stopped.")
    t.child.expect_exact(PROMPT)
    for time in range(60000000, 100000000, 4999999):
        t.child.sendline(command.format(time))
        if t.child.expect([shown, "\r\n" + re.escape(PROMPT)]) == 0:
            break
    else:
        raise AssertionError("no way was long enough")
    t.child.sendintr()
    t.child.expect(then)
    t.child.sendline("print 41 + 1")
    t.child.expect_exact("$1 = 42")


def interrupt_reading(t):
    """Whether the Ctrl-C came before the end of the reading."""
    t.child.sendline("break main")
    t.child.expect(r"Reading debug information, \d+ % \(Ctrl-C stops\)")
    t.child.sendintr()
    t.child.expect_exact("Breakpoint 1 at ")
    t.child.expect_exact(PROMPT)
    return "Interrupted: the debug information of the program has not been read." in t.child.before


def test_the_reading_of_a_big_file_can_be_interrupted(program, terminal):
    """Sixteen million types. On a busy machine this process may sleep until they have been read: it tries again."""
    for _ in range(10):
        t = terminal(program("big"), TERM="xterm")
        if interrupt_reading(t):
            break
    else:
        raise AssertionError("ten times the reading went on to its end")
    t.child.sendline("print 41 + 1")
    t.child.expect_exact("$1 = 42")


def test_ctrl_c_forgets_the_line(program, terminal):
    t = terminal(program("values"), TERM="xterm")
    t.child.send("print 1")
    t.child.expect_exact("print 1")
    t.interrupt_line()
    t.child.sendline("print 41 + 1")
    t.child.expect_exact("$1 = 42")


# ---- what a terminal shows beside text ----

def test_a_terminal_that_can_has_colours_and_a_status_line(program, terminal):
    t = terminal(program("endless"), TERM="xterm")
    t.child.sendline("break main")
    t.child.sendline("run")
    t.child.expect_exact("\x1b[1mBreakpoint 1\x1b[m, \x1b[33mmain\x1b[m () at \x1b[32m")
    # In the last row, behind what scrolls.
    t.child.expect_exact("\x1b[50;1H\x1b[7m")
    t.child.expect(r"endless\S* \| stopped: device 0, core 0, warp 0, thread 0 \| main at endless\.c:\d+ \| time \d+ ")
    t.child.sendline("delete 1")
    t.child.sendline("continue")
    t.child.expect(r"Running: issue time \d+ \(Ctrl-C stops\)")
    t.child.sendintr()
    t.child.expect_exact("Program stopped.")
    t.child.sendline("set status-line off")
    t.child.expect_exact("\x1b[r")
    t.child.sendline("continue")
    t.child.expect_exact("\rRunning: issue time")
    t.child.sendintr()
    t.child.expect_exact("Program stopped.")
    t.child.sendline("reverse-continue")
    t.child.expect(r"\rBack at issue time \d+, \d+ % of the recorded run \(Ctrl-C stops\)|No more reverse-execution history")


@pytest.mark.parametrize("more", [{"TERM": "dumb"}, {"TERM": "xterm", "NO_COLOR": "1"}], ids=["dumb", "no_color"])
def test_others_have_no_colours(program, terminal, more):
    t = terminal(program("values"), **more)
    t.child.sendline("break main")
    t.child.sendline("run")
    t.child.expect_exact("Breakpoint 1, main () at ")
    assert "\x1b[33m" not in t.child.before and "\x1b[1m" not in t.child.before


def test_colours_are_switched_off_and_not_logged(program, terminal, tmp_path):
    t = terminal(program("values"), TERM="xterm")
    log = tmp_path / "log"
    for line in ("break main", f"set logging file {log}", "run"):
        t.child.sendline(line)
    t.child.expect_exact("\x1b[33mmain\x1b[m")
    t.child.sendline("set style enabled off")
    t.child.sendline("backtrace")
    t.child.expect_exact("#0  main () at ")
    t.child.sendline("set logging off")
    t.child.sendline("print 40 + 2")
    t.child.expect_exact("$1 = 42")
    assert "Breakpoint 1, main () at " in log.read_text() and "\x1b" not in log.read_text()


# ---- files ----

@pytest.mark.parametrize("command", ["source", "save breakpoints", "set logging file", "generate-core"])
def test_tab_completes_files(program, terminal, tmp_path, command):
    (tmp_path / "a folder's").mkdir()
    (tmp_path / "only").mkdir()
    (tmp_path / "only" / "script.one").write_text("")
    (tmp_path / "only" / ".hidden").write_text("")
    t = terminal(program("values"))
    t.child.send(f"{command} {tmp_path}/on\t")
    t.child.expect_exact("only/")
    t.child.send("\t")
    t.child.expect_exact("script.one")


def test_lines_are_kept_between_sessions(program, terminal, tmp_path):
    where = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    (tmp_path / "config").mkdir()
    first = terminal(program("values"), init=(), **where)
    first("print global + 1000")
    first.child.sendline("quit")
    first.child.expect(pexpect.EOF)
    file = tmp_path / "config" / "wavetrap" / "history"
    assert "1000" in file.read_text() and file.stat().st_mode & 0o777 == 0o600
    second = terminal(program("values"), init=(), **where)
    second.child.send("\x10\x10\r")    # the line before `quit`
    second.child.expect_exact("$1 = 1042")


def test_the_prompt_is_as_set(program, terminal):
    t = terminal(program("values"))
    t.child.sendline("set prompt here> ")
    t.child.expect_exact("here>")
    t.child.sendline("print 7")
    t.child.expect_exact("$1 = 7")


def test_a_definition_is_typed(program, terminal):
    t = terminal(program("values"))
    t.child.sendline("define three")
    t.child.expect_exact('End with a line saying just "end".')
    for line in ("if 1", "print $arg0 * 3", "end"):
        t.child.sendline(line)
    t("end")
    assert "$1 = 12" in t("three 4")


# ---- pages ----

MORE = "--Type <RET> for more, q to quit, c to continue without paging--"


def pages(child, prompt, line, *answers):
    """What a command prints up to each question, and then to the prompt; further questions are answered by an empty line."""
    answers = list(answers)
    child.sendline(line)
    found = []
    while child.expect_exact([MORE, prompt]) == 0:
        found.append(child.before.replace("\r", ""))
        child.sendline(answers.pop(0) if answers else "")
    assert not answers, found
    found.append(child.before.replace("\r", ""))
    found[0] = found[0].rpartition(line + "\n")[2]  # what was typed is shown as it is edited
    return [re.sub(r"^[qc]?\n", "", text) for text in found]


def test_long_output_is_paged_as_in_gdb(program, terminal):
    """As many lines a page, and the same answers; a line that is too long counts as several."""
    file = program("values")
    t = terminal(file)
    gdb = pexpect.spawn("gdb-multiarch", ["-q", "-nx", "-iex", "set style enabled off", str(file)], encoding="utf-8", echo=False, timeout=TIMEOUT,
                        dimensions=(50, 200), env={**os.environ, "TERM": "dumb"})
    gdb.delaybeforesend = None
    gdb.expect_exact("(gdb) ")
    for setting in ("set height 6", "set width 30"):
        t(setting)
        gdb.sendline(setting)
        gdb.expect_exact("(gdb) ")
    for line, answers in (("list 1,17", ()), ("list 1,17", ("q",)), ("list 1,17", ("", "c")), ("list 1,3", ())):
        ours, theirs = pages(t.child, PROMPT, line, *answers), pages(gdb, "(gdb) ", line, *answers)
        assert ours == theirs, (line, answers)
    gdb.close(force=True)


def test_pages_are_those_of_the_terminal_until_they_are_set(program, terminal):
    t = terminal(program("values"))
    t.child.setwinsize(12, 200)
    assert pages(t.child, PROMPT, "help all", "q")[0].count("\n") == 11
    for setting, shown, whole in (("pagination off", "State of pagination is off.", True), ("pagination on", "is on.", False),
                                  ("height 0", "Number of lines in a page is unlimited.", True), ("height 5", "in a page is 5.", False),
                                  ("height unlimited", "is unlimited.", True)):
        t(f"set {setting}")
        assert shown in t("show " + setting.split()[0])
        assert (len(pages(t.child, PROMPT, "list 1,40")) == 1) == whole
    # A loop ends with the page that is the last one; the next command is paged anew.
    t("set height 5")
    t.child.sendline("while 1")
    t.child.expect_exact(">")
    t.child.sendline("echo line\\n")
    t.child.expect_exact(">")
    t.child.sendline("end")
    for answer in ("", "q"):
        t.child.expect_exact(MORE)
        t.child.sendline(answer)
    t.child.expect_exact(PROMPT)
    assert "$1 = 42" in t("print global")


def test_a_command_typed_in_a_listing_ends_it_and_is_executed(program, terminal):
    t = terminal(program("values"))
    t("set height 5")
    t.child.sendline("list 1,40")
    t.child.expect_exact(MORE)
    t.child.sendline("print 6 * 7")
    t.child.expect_exact("print 6 * 7")
    t.child.expect_exact("$1 = 42")
    t.child.expect_exact(PROMPT)
    assert "$2 = 43" in t("print 43")


def test_nothing_is_paged_without_a_person(program):
    assert MORE not in debug(program("values"), "set height 3", "list 1,40").stdout
    done = subprocess.run([WAVETRAP, "debug", "--nx", program("values")], input="set height 3\nlist 1,40\n", capture_output=True, text=True, timeout=TIMEOUT)
    assert MORE not in done.stdout and "\n40\t" in done.stdout
