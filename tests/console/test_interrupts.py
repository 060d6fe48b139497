"""Ctrl-C gives the prompt back while any command runs or steps: in kernels that have no end, on each family, and in host programs."""
import os
import re
import sys

import pytest

from conftest import ROOT, TIMEOUT

sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "tests" / "host")]
import interrupts
from sanitizer import environment

QUICK = ["stepi 100000000", "next", "until", "reverse-next 1000000", "who-wrote {OUT}"]
COMMANDS = [*interrupts.GOING, *interrupts.RECORDED]


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    folder, built, opened = tmp_path_factory.mktemp("interrupts"), {}, []  # one at a time: their kernels never end

    def start(name):
        while opened:
            opened.pop().close()
        if name not in built:
            built[name] = interrupts.build(name, str(folder / name))
        opened.append(interrupts.Session(*built[name], environment() if name in interrupts.HOST_PROGRAMS else None))
        return opened[-1]
    yield start
    for one in opened:
        one.close()


def check(session, name, command):
    """The command is interrupted where it is; the next line is a command, and no answer to a question."""
    s = session(name)
    if command in interrupts.RECORDED:
        s.record()
    for before in interrupts.GOING.get(command, []):
        s.say(before)
    delay, said = s.interrupt(command)
    assert "y or n" not in said, said
    # A way through the recorded run may come to its end before.
    assert command in interrupts.RECORDED or (delay is not None and re.search(r"Program stopped\.|Interrupted\.", said)), said
    assert "$1 = 42" in s.say("print 41 + 1").replace("$2", "$1")
    return delay


@pytest.mark.parametrize("command", QUICK)
@pytest.mark.parametrize("name", interrupts.SESSIONS)
def test_a_command_that_runs_or_steps_is_interrupted(session, name, command):
    check(session, name, command)


@pytest.mark.full
@pytest.mark.parametrize("command", [c for c in COMMANDS if c not in QUICK])
@pytest.mark.parametrize("name", interrupts.SESSIONS)
def test_each_other_command_is_interrupted(session, name, command):
    check(session, name, command)


@pytest.mark.parametrize("command", ["thread apply all stepi 100000000", "lane apply all continue"])
@pytest.mark.parametrize("name", ["gfx900", "hip"])
def test_a_command_for_all_threads_is_interrupted_once(session, name, command):
    """Not once for each thread."""
    check(session, name, command)


def test_a_script_of_steps_is_interrupted_once_and_goes_on(session, tmp_path):
    """Ctrl-C ends the command at hand; those behind it in the file are others."""
    script = tmp_path / "script"
    script.write_text("stepi 100000000\nprint 40 + 2\n")
    s = session("vortex")
    delay, said = s.interrupt(f"source {script}")
    assert delay is not None and "Program stopped." in said and "$1 = 42" in said, said
