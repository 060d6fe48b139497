"""The trace: one line an issue, filters, and what was written."""
import re

from conftest import run

PROGRAM = """
_start: li t0, 2
        la t1, work
        wspawn t0, t1
        li t0, 3
        tmc t0
        call leaf
        li t0, 1
        tmc t0
        put 0, 'a'
        exit 7
        .type leaf, @function
leaf:   csrr a0, 0xcc0
        addi a0, a0, 16
        la a1, word
        sw a0, 0(a1)
        ret
        .size leaf, . - leaf
work:   nop
        tmc x0
        .data
word:   .word 0
"""

LINE = re.compile(r" *(\d+) core (\d+) warp (\d+) (0x[0-9a-f]+) ([0-9a-f]{8,16})( <[^>]+>)?: "
                  r"([0-9a-f]{4}|[0-9a-f]{8}) +([^#]*?)(?:  # (.*))?")


def lines(*args):
    """(time, core, warp, mask, pc, disassembly, effect) of each line."""
    done = run("trace", *args)
    assert done.returncode == 7, done
    found = []
    for line in done.stdout.splitlines():
        m = LINE.fullmatch(line)
        assert m, line
        found.append((int(m[1]), int(m[2]), int(m[3]), int(m[4], 16), int(m[5], 16), m[8], m[9]))
    return found


def test_every_issue_has_a_line(build):
    elf = build.asm(PROGRAM)
    trace = lines("--schedule=lockstep", elf)
    assert [t[0] for t in trace] == list(range(len(trace)))
    assert trace[0][4] == 0x80000000
    assert {t[2] for t in trace} == {0, 1}
    first = trace[0]
    assert first[5].startswith("addi t0, zero, 2") or first[5].startswith("li t0")
    assert "t0=0x2" in first[6]
    # Two lanes with different results, and two stores.
    leaf = [t for t in trace if t[3] == 3]
    assert any("a0=[0x10 0x11" in (t[6] or "") for t in leaf)
    assert any("mem[0x8" in (t[6] or "") for t in leaf)
    # The mask that tmc sets is an effect.
    assert any("mask=0x3" in (t[6] or "") for t in trace)


def test_filters(build):
    elf = build.asm(PROGRAM)
    args = ["--schedule=lockstep"]
    every = lines(*args, elf)
    assert lines(*args, "--warp=1", elf) == [t for t in every if t[2] == 1]
    assert lines(*args, "--warp=0-1", elf) == every
    four = [*args, "--gpu=vortex:cores=4"]
    assert lines(*four, "--core=1,3", elf) == [t for t in lines(*four, elf) if t[1] in (1, 3)] != []
    assert lines(*args, "--from=5", "--to=9", elf) == every[5:10]
    leaf = lines(*args, "--range=leaf", elf)
    assert len(leaf) == 6 and leaf == lines(*args, "--range=leaf..work", elf)
    assert leaf[1:2] == lines(*args, "--range=leaf+4..leaf+8", elf)
    start = leaf[0][4]
    assert leaf == lines(*args, f"--range={start}..{start + 24:#x}", elf)
    done = run("trace", *args, "--symbols", "--range=leaf", elf)
    assert "<leaf+0>" in done.stdout and "<leaf+20>" in done.stdout


def test_where_the_trace_and_the_console_go(build):
    elf = build.asm(PROGRAM)
    done = run("trace", elf)
    assert done.stderr == "a\n" and "addi" in done.stdout
    out = build.path("trace.txt")
    again = run("trace", "-o", out, elf)
    assert again.stdout == "a\n" and again.stderr == ""
    assert out.read_text() == done.stdout


def test_bad_filters(build):
    elf = build.asm(PROGRAM)
    for option, words in (("--core=x", "not a list of numbers"), ("--warp=1-", "not a list of numbers"),
                          ("--warp=1,,2", "not a list of numbers"), ("--range=nosuch", "neither a number"),
                          ("--range=5..5", "is empty"), ("--range=word", "neither A..B nor a function"),
                          ("--from=x", "not a number"), ("--output=/nonexistent/x", "cannot create")):
        done = run("trace", option, elf)
        assert done.returncode == 125 and words in done.stderr, done


def test_mistakes_end_a_trace_as_they_end_a_run(build):
    done = run("trace", build.asm("_start: nop\n .word 0xffffffff\n"))
    assert done.returncode == 116
    assert len(done.stdout.splitlines()) == 1
    assert "illegal instruction" in done.stderr


def test_a_filter_that_holds_for_nothing_is_refused(build):
    elf = build.asm(PROGRAM)
    for options, words in ((["--warp=99"], "--warp=99: a core has warps 0 to 3"), (["--warp=4,5-7"], "a core has warps 0 to 3"),
                           (["--core=7"], "--core=7: the device has cores 0 to 0"),
                           (["--core=1-3"], "--core=1-3: the device has cores 0 to 0"),
                           (["--from=9", "--to=5"], "--from=9 is after --to=5")):
        done = run("trace", *options, elf)
        assert done.returncode == 125 and words in done.stderr and done.stdout == "", done
    assert len(lines("--warp=0-99", elf)) == len(lines(elf))
