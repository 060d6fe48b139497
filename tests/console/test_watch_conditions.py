"""Conditions of watchpoints: the stops are those of GDB, which evaluates a condition itself at a stop for each access."""
import re

import pytest
from conftest import ask_console, ask_gdb, debug

BEGIN = ["break watched.c:16", "run", "delete"]
GDBS = ["break watched.c:16", "continue", "delete"]


def plain(text):
    text = re.sub(r"^\[device .*\n\n?|^\[Switching .*\n|^Thread .* hit |^Continuing\.\n|^\n", "", text, flags=re.M)
    return re.sub(r"(\w+)=\1@entry=", r"\1=", text)


@pytest.mark.parametrize("xlen", [32, 64])
@pytest.mark.parametrize("condition, stops", [("i % 5 == 3", 4), ("total > 500", 5), ("rounds == 7 && total > 0", 2), ("k == 64", 1),
                                              ("count == 20 && i > 16", 2), ("$a0 == $a0 && i == 4", 1)])
def test_the_stops_are_those_of_gdb(program, xlen, condition, stops):
    """Of locals, which another function that writes does not have, of globals, and of both."""
    file = program("watched", xlen)
    commands = [f"watch total if {condition}", *["continue"] * stops, "info locals", "print total"]
    ours = ask_console(file, BEGIN, commands)
    gdbs = ask_gdb(file, GDBS, commands)
    assert "Old value = " in ours[1]
    assert [plain(text) for text in ours] == [plain(text) for text in gdbs]


def test_names_are_those_of_the_function_where_it_was_set(program):
    """The called function has a variable of the same name."""
    file = program("watched")
    said = ask_console(file, BEGIN, ["watch total if k == 225", *["continue"] * 2, "up", "print k"])
    assert "sum_up (count=20)" in said[1] and "bump (" in said[2] and said[4] == "$1 = 225"


@pytest.mark.parametrize("condition", ["i % 3 == 1", "total > 300"])
@pytest.mark.parametrize("way", [(), ("--dm-only",)])
def test_backwards_it_counts_the_same_accesses(program, condition, way):
    file = program("watched")
    said = ask_console(file, BEGIN, ["watch total if " + condition, *["continue"] * 4, *["reverse-continue"] * 5], way)
    values = [re.findall(r"(?:Old|New) value = (\d+)", text) for text in said]
    forwards, back = values[1:5], values[5:9]
    assert all(forwards) and [pair[::-1] for pair in forwards[::-1]] == back, values
    assert "No more reverse-execution history" in said[9]


def test_reads_and_accesses(program):
    file = program("watched")
    commands = ["rwatch total if i == 9", "continue", "print i", "delete", "awatch rounds if i == 12", "continue", "continue", "print i"]
    ours, gdbs = ask_console(file, BEGIN, commands), ask_gdb(file, GDBS, commands)
    assert "Value = 214" in ours[1] and "Old value = 12\nNew value = 13" in ours[6]
    assert [plain(text) for text in ours] == [plain(text) for text in gdbs]


def test_two_watchpoints_of_one_variable_have_their_own_conditions(program):
    file = program("watched")
    said = ask_console(file, BEGIN, ["watch total if i == 4", "watch total if i % 2 == 0", *["continue"] * 4, "info breakpoints"])
    told = [re.search(r"watchpoint (\d): total\n\nOld value = (\d+)\nNew value = (\d+)", text).groups() for text in said[2:6]]
    assert told == [("3", "1", "5"), ("2", "17", "33"), ("3", "17", "33"), ("3", "58", "94")]
    assert [int(n) for n in re.findall(r"already hit (\d) time", said[6])] == [1, 3]


def test_conditions_change_and_crossings_are_ignored(program):
    file = program("watched")
    said = ask_console(file, BEGIN, ["watch total if i == 4", "condition 2 i > 5", "ignore 2 2", "continue", "condition 2", "continue", "continue"])
    assert "Old value = 143\nNew value = 150" in said[3] and "unconditional" in said[4]
    assert "Old value = 150\nNew value = 214" in said[5] and "Old value = 214\nNew value = 295" in said[6]


@pytest.mark.parametrize("condition, message", [("nosuch == 1", 'No symbol "nosuch" in current context.'), ("i ==", "A syntax error"), ("i = 3", "an assignment is not a condition")])
def test_a_condition_that_means_nothing_is_refused(program, condition, message):
    done = debug(program("watched"), *BEGIN, f"watch total if {condition}")
    assert done.returncode == 1 and message in done.stderr, done.stderr
