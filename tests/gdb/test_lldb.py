"""Stock LLDB 19 debugs programs through the same server."""
import os
import re
import subprocess

import pytest

from conftest import FEW, TIMEOUT, Variant, each, symbol

LLDB = "lldb-19"


@pytest.fixture
def lldb(program, serve):
    """lldb(name, variant, commands, options): what LLDB says to each of the commands."""
    def run(name, variant, commands, *options):
        file = program(name, variant.xlen)
        server = serve(file, *variant.options, *options)
        argv = [LLDB, "--no-lldbinit", "--batch"]
        for command in ["settings set use-color false", "settings set stop-line-count-before 0",
                        "settings set stop-line-count-after 0", f"target create {file}",
                        f"gdb-remote {server.address}", *commands]:
            argv += ["-o", command]
        # PYTHON… of the test runner would be LLDB's, too.
        done = subprocess.run(argv, capture_output=True, text=True, timeout=TIMEOUT,
                              env={**os.environ, "TERM": "dumb"})
        assert done.returncode == 0, done.stdout + done.stderr
        said = re.split(r"^\(lldb\) ", done.stdout, flags=re.M)[6:]
        assert len(said) == len(commands), done.stdout + done.stderr
        return said
    return run


@each(FEW)
def test_a_session(lldb, program, variant):
    count = symbol(program("lanes", variant.xlen), "count")
    hit, threads, registers, step, end = lldb("lanes", variant, [
        f"breakpoint set --one-shot true -a 0x{count}", "continue", "thread list",
        "register read s6 vx_warp_id vx_thread_id", "thread step-inst", "continue"])[1:]
    assert "stop reason = one-shot breakpoint" in hit
    names = re.findall(r"name = '([^']*)'", threads)
    assert len(names) == 4 * variant.threads
    assert names[:2] == ["core 0 warp 0 thread 0", "core 0 warp 0 thread 1"]
    assert re.search(r"s6 = 0x0*5\b", registers)
    assert "stop reason = instruction step into" in step
    assert re.search(r"exited with status = 42", end)


@each(FEW)
def test_many_lanes_at_a_breakpoint_go_on(lldb, program, variant):
    """LLDB steps each thread at a breakpoint past it; lanes that went along are not stepped twice."""
    count = symbol(program("lanes", variant.xlen), "count")
    commands = [f"breakpoint set -a 0x{count}", "breakpoint modify -c '$s6 == 1' 1", "continue",
                "register read s3 s6", "breakpoint delete 1", "continue"]
    said = lldb("lanes", variant, commands)
    assert re.search(r"s6 = 0x0*1\b", said[3])
    # Lane 0: 202 and five rounds of 1000.
    assert re.search(r"s3 = 0x0*1452\b", said[3])
    assert "exited with status = 42" in said[5]


@each(FEW)
def test_memory_and_registers_are_changed(lldb, program, variant):
    results = "0x" + symbol(program("lanes", variant.xlen), "results")
    said = lldb("lanes", variant, [
        "breakpoint set --one-shot true -n last", "continue", f"memory read --force -s4 -fd -c 2 {results}",
        "register write a0 7", "register read a0", "continue"])
    assert re.search(r"5202\s+5101|5202\n.*5101", said[2])
    assert re.search(r"a0 = 0x0*7\b", said[4])
    assert "exited with status = 7" in said[5]


@each(FEW)
def test_registers_that_say_where_a_lane_is(lldb, program, variant):
    store = symbol(program("lanes", variant.xlen), "store")
    commands = [f"breakpoint set -a 0x{store}", "breakpoint modify -c '$_warp == 2 && $_lane == 3' 1",
                "continue", "register read _lane _warp _core _mask s0 s1", "breakpoint delete 1", "continue"]
    said = lldb("lanes", variant, commands)
    for name, value in (("_lane", 3), ("fp", 3), ("_warp", 2), ("s1", 2), ("_core", 0),
                        ("_mask", (1 << variant.threads) - 1)):
        assert re.search(rf"\b{name} = 0x0*{value:x}\b", said[3]), (name, said[3])
    assert "exited with status = 42" in said[5]


def test_a_mistake_is_told_in_words(lldb):
    said = lldb("mistake", Variant(), ["continue"])
    assert re.search(r"stop reason = .*(illegal|instruction|not )", said[0])


def test_monitor(lldb):
    said = lldb("lanes", Variant(), ["process plugin packet monitor info"])
    assert "4 threads a warp" in said[0]


@each(FEW)
def test_going_to_a_time(lldb, program, variant):
    """LLDB has no words for going back; `monitor goto` does it, and a step shows what is there."""
    count = symbol(program("lanes", variant.xlen), "count")
    said = lldb("lanes", variant, [
        f"breakpoint set --one-shot true -a 0x{count}", "continue", "register read s6",
        "process plugin packet monitor goto start", "thread step-inst", "register read pc s6",
        "process plugin packet monitor goto end", "thread step-inst", "register read s6"])
    assert re.search(r"s6 = 0x0*5\b", said[2])
    assert "issue time 0: core 0 warp 0 thread 0" in said[3] and "LLDB shows" in said[3]
    assert re.search(r"pc = 0x0*80000004\b", said[5]) and re.search(r"s6 = 0x0*0\b", said[5])
    assert "(the present)" in said[6]
    assert re.search(r"s6 = 0x0*4\b", said[8])
