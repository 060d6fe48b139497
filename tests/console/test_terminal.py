"""The console at a terminal: prompt, empty lines, completion, Ctrl-C, leaving."""
import os
import re
import subprocess

import pexpect
import pytest

from conftest import TIMEOUT, WAVETRAP, debug

PROMPT = "(wavetrap) "


class Terminal:
    def __init__(self, file):
        self.child = pexpect.spawn(WAVETRAP, ["debug", "--nx", str(file)], encoding="utf-8", echo=False, timeout=TIMEOUT,
                                   dimensions=(50, 200), env={**os.environ, "TERM": "dumb"})
        self.child.delaybeforesend = None
        self.child.expect_exact(PROMPT)

    def __call__(self, line):
        self.child.sendline(line)
        self.child.expect_exact(PROMPT)
        return self.child.before.replace("\r", "")


@pytest.fixture
def terminal():
    open_ones = []

    def start(file):
        open_ones.append(Terminal(file))
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


def test_ctrl_c_stops_the_program(program, terminal):
    t = terminal(program("endless"))
    t.child.sendline("run")
    t.child.expect_exact("Starting program")
    t.child.sendintr()
    t.child.expect_exact("Program stopped.")
    t.child.expect_exact(PROMPT)
    assert "main ()" in t("backtrace")


def test_ctrl_c_at_the_prompt_stops_nothing_later(program, terminal):
    t = terminal(program("values"))
    t("break main")
    t.child.sendintr()
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


def test_lines_from_a_pipe_are_commands(program):
    done = debug(program("values"), batch=False, input="break main\nrun\nprint global\n")
    assert done.returncode == 0 and "$1 = 42" in done.stdout
    assert subprocess.run([WAVETRAP, "debug", "--help"], capture_output=True, timeout=TIMEOUT).returncode == 0
