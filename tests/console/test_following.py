"""Steps follow one wave, on each family: others run as far as it needs, and no further. The kernel says where a wave waits."""
import re
import subprocess
import sys

import pytest

from conftest import OPENCL_TARGETS, ROOT, ask_console, debug

sys.path.insert(0, str(ROOT / "tests" / "isa" / "gen"))
import iga  # noqa: E402

# Two waves or more wait at a barrier.
BARRIER = """kernel void k(global int *o)
{
    local int m[128];
    int t = get_local_id(0);
    m[t] = t * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    int v = m[get_local_size(0) - 1 - t];
    o[get_global_id(0)] = v;
}
"""
# The first group waits for the second one.
SPIN = """kernel void k(global int *o, global volatile int *flag)
{
    if (get_group_id(0) == 0) {
        while (!*flag) { }
        o[get_global_id(0)] = *flag;
    } else {
        o[get_global_id(0)] = 1;
        *flag = 7;
    }
}
"""
VORTEX = """#include "vortex.h"
static int m[64], o[64];
static volatile int flag;
static void waits(void *p)
{
    unsigned t = vx_thread();
    m[t] = (int)t * 3;
    vx_barrier();
    o[t] = m[(t + 5) % 8];
}
static void spins(void *p)
{
    if (vx_thread() < 4) {
        while (!flag) { }
        o[vx_thread()] = flag;
    } else {
        flag = 7;
    }
}
int main(void)
{
    vx_launch(waits, 0);
    vx_launch(spins, 0);
    return 0;
}
"""
BLOCK = {"gfx900": 128, "sm": 64, "gen9": 32}
FAMILIES = ["gfx900", "sm", "gen9", "vortex"]


@pytest.fixture(scope="session")
def made(tmp_path_factory, program):
    """made(family, source): a program, and the options that it takes."""
    folder = tmp_path_factory.mktemp("following")

    def build(family, source):
        name = {BARRIER: "barrier", SPIN: "spin"}[source]
        path, out = folder / f"{name}.cl", folder / f"{name}.{family}"
        if family == "vortex":
            path = folder / "vortex.c"
            path.write_text(VORTEX)
            return program(path), []
        path.write_text(source)
        if family == "gen9":
            iga.compile_cl(path, out, "-g", "-cl-opt-disable")
        else:
            subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", *OPENCL_TARGETS[family], "-w", "-O0", "-g", path, "-o", out], check=True)
        block = BLOCK[family]
        return out, ["-g", family, "--grid", str(2 * block), "--block", str(block), f"--arg=zeros:{8 * block}",
                     *(["--arg=zeros:4"] if source == SPIN else [])]
    return build


def line_of(text, source):
    """The line in the program that is made of a source."""
    lines = (VORTEX if source == "vortex" else source).splitlines()
    return next(n for n, line in enumerate(lines, 1) if text in line)


def place(family, source, there):
    name = "vortex.c" if family == "vortex" else {BARRIER: "barrier.cl", SPIN: "spin.cl"}[source]
    return f"{name}:{line_of(there, 'vortex' if family == 'vortex' else source)}"


def shown(text):
    """The lines of source that were shown, by number."""
    return [int(n) for n in re.findall(r"^(\d+)\t", text, re.M)]


FIRST = {"vortex": "m[t] = "}
BARRIERS = {"vortex": "vx_barrier"}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_step_over_a_barrier_lets_the_group_run_and_nobody_else(made, family):
    """The wave goes on line by line: its mates come to the breakpoint meanwhile, which is counted in one line; those of the other group stand where they
    stood."""
    file, how = made(family, BARRIER)
    at = place(family, BARRIER, FIRST.get(family, "m[t] = "))
    own, mates, _, before, *steps, after, same, points = ask_console(
        file, [f"break {at}", "run"], ["print $_wave_id", "info waves", "print 0", "info waves", "next", "next", "next", "info waves", "print $_wave_id", "info breakpoints"], how)
    first = int(at.split(":")[1])
    assert [shown(text) for text in steps] == [[first + 1], [first + 2], [first + 3]]
    said = [line for line in "".join(f"{text}\n" for text in steps).splitlines() if line.startswith("[")]
    assert len(said) == 1 and re.match(r"\[Breakpoint 1 was hit by other \w+s meanwhile, \d+ times?\.\]$", said[0]), steps
    assert own.split("=")[1] == same.split("=")[1]
    times = int(re.search(r"meanwhile, (\d+)", said[0])[1])
    assert f"already hit {times + 1} times" in points
    other = [[line for line in text.splitlines() if "group (1,0,0)" in line] for text in (before, after)]
    assert other[0] == other[1]
    assert family == "vortex" or times == len(re.findall(r"group \(0,0,0\)", mates)) - 1


@pytest.mark.parametrize("family", FAMILIES)
def test_another_point_stops_the_others(made, family):
    """What the last wave of the group writes on its way to the barrier."""
    file, how = made(family, BARRIER)
    last = BLOCK.get(family, 16) - 1
    said = ask_console(file, [f"break {place(family, BARRIER, 'm[t] = ')}", "run", f"watch -l m[{last}]"], ["print $_wave_id", "next", "next", "print $_wave_id"], how)
    assert "atchpoint 2" in said[2] and f"New value = {3 * last}" in said[2] and said[0].split("=")[1] != said[3].split("=")[1], said


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("locking", ["on", "step"])
def test_a_wave_that_waits_for_held_ones_is_told_at_once(made, family, locking):
    file, how = made(family, BARRIER)
    at = place(family, BARRIER, "m[t] = ")
    done = debug(file, f"break {at}", "run", "next", f"set scheduler-locking {locking}", "next", options=how)
    assert done.returncode == 1 and re.search(
        r"-ex 'next': .* waits for device .*, held \(.*(arrived|signalled).*\); 'set scheduler-locking wave' lets", done.stderr), done.stderr
    assert shown(done.stdout) == [int(at.split(":")[1]), int(at.split(":")[1]) + 1]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_wave_that_spins_lets_all_run(made, family):
    """After 1,000 equal states, which is said in a line; under `on` it is an error."""
    file, how = made(family, SPIN)
    at = place(family, SPIN, "while (!")
    begin = [f"break {at}", "run"]
    said, = ask_console(file, begin, ["next"], how)
    assert re.search(r"^\[The \w+ has returned to the same state 1000 times: all \w+s run\.\]$", said, re.M) and shown(said) == [int(at.split(":")[1]) + 1]
    done = debug(file, *begin, "set scheduler-locking on", "next", options=how)
    assert done.returncode == 1 and "spins: it has returned to the same state 1000 times" in done.stderr


@pytest.mark.parametrize("family", FAMILIES)
def test_gdbs_ways_are_kept(made, family):
    """With `off` others reach the breakpoint and end the step."""
    file, how = made(family, BARRIER)
    said = ask_console(file, ["set scheduler-locking off", f"break {place(family, BARRIER, 'm[t] = ')}", "run"], ["show scheduler-locking", "next", "next", "next"], how)
    assert said[0] == 'Mode for locking scheduler during execution is "off".' and "Breakpoint 1, " in "".join(said[1:])


@pytest.mark.parametrize("family", FAMILIES)
def test_steps_come_to_the_end_of_the_kernel(made, family):
    """However many waves come to the breakpoint."""
    file, how = made(family, BARRIER)
    at = place(family, BARRIER, "m[t] = ")
    end = line_of("= v;", BARRIER) + 1 if family != "vortex" else line_of("o[t] = m", "vortex") + 1
    said = ask_console(file, [f"break {at}", "run"], ["next"] * 5, how)
    assert [end] in [shown(text) for text in said] and not any("Breakpoint 1, " in text for text in said), said
