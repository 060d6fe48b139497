"""A stop names the wave that it is about, where slots are used by one wave after the other. The kernels store their own group's
number, so what the debugger says of a stop can be held against the memory that the wave has written."""
import re
import subprocess

import pytest

from conftest import OPENCL_TARGETS, amd, ask_console, debug

# More groups than the device has slots for; the groups that are asked for come late.
HOW = {"gfx900": ["-g", f"{amd.MODEL}:cu={amd.PAIRS}", "--kernel=k", "--grid=65536", "--block=64", *["--arg=zeros:4096"] * 2],
       "sm": ["-g", "sm", "--kernel=k", "--grid=8192", "--block=32", *["--arg=zeros:1024"] * 2]}
GROUPS = {"gfx900": (400, 600, 800, 1000), "sm": (80, 140, 200, 255)}
SLOTS = """
__attribute__((noinline)) void f(int a, __global int *out) { out[a] = a + 7; }
__kernel void k(__global int *seen, __global int *out)
{
    int b = get_group_id(0);
    if (get_local_id(0) == 0) {
        seen[b] = b + 1;
        f(b, out);
    }
}
"""
READS = """
__kernel void k(__global int *seen, __global int *out)
{
    int b = get_group_id(0);
    if (get_local_id(0) == 3) {
        out[b] = seen[b] + b;
        out[b] += 1;
    }
}
"""
LINES = """
__kernel void k(__global int *out)
{
    int id = get_global_id(0);
    int a = id + 1;
    out[id] = a;
    out[id] = a + 1;
}
"""
# Group 39 loops on when the others have ended.
STAYS = """
__kernel void k(__global int *out)
{
    int id = get_global_id(0);
    int n = id < 2496 ? 2 : 400;
    for (int i = 0; i < n; i++)
        out[id] += i;
}
"""
both = pytest.mark.parametrize("gpu", ["gfx900", "sm"])


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    """kernel(text, gpu): the text, compiled without optimisation."""
    folder, made = tmp_path_factory.mktemp("identity"), {}

    def build(text, gpu):
        if (text, gpu) not in made:
            source, out = folder / f"{len(made)}.cl", folder / f"{len(made)}.out"
            source.write_text(text)
            subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", *OPENCL_TARGETS[gpu], "-w", "-g", "-O0", source, "-o", out],
                           check=True)
            made[text, gpu] = out
        return made[text, gpu]
    return build


def group_of(text):
    """The group in the line before a stop."""
    return int(re.search(r"^\[device 0, dispatch \d+, group \((\d+),0,0\)", text, re.M)[1])


@both
@pytest.mark.parametrize("way", [[], ["--no-history"], ["--schedule=lockstep"], ["--schedule=random:3"]],
                         ids=["default", "no_history", "lockstep", "random"])
def test_a_stop_names_the_wave_whose_it_is(kernel, gpu, way):
    """The writer of a watched word, the wave of a conditional breakpoint and of a temporary one, each hit once."""
    written, met, once, again = GROUPS[gpu]
    said = ask_console(kernel(SLOTS, gpu), ["start", f"watch seen[{written}]"],
                       ["continue", "print b", "delete", f"break f if a == {met}", "continue", "print a", "info breakpoints",
                        f"tbreak f if a == {once}", "continue", "print a",
                        f"break f if $_group_x == {again}", "continue", "print a"],
                       options=[*HOW[gpu], *way])
    assert group_of(said[0]) == written and said[1] == f"$1 = {written}", said[:2]
    assert f"Old value = 0\nNew value = {written + 1}\n" in said[0]
    assert group_of(said[4]) == met and said[5] == f"$2 = {met}" and "Breakpoint 3, f " in said[4], said[4:7]
    assert "already hit 1 time" in said[6]
    assert group_of(said[8]) == once and said[9] == f"$3 = {once}" and "Temporary breakpoint 4, f " in said[8], said[8:10]
    assert group_of(said[11]) == again and said[12] == f"$4 = {again}", said[11:]


@both
def test_a_lane_is_stepped_while_other_waves_end(kernel, gpu):
    """Many lanes at first, so that waves are the threads, few at last, so that lanes could be: the lane stays the one that was selected."""
    waves = 40
    how = ["-g", amd.gpu(gpu), "--kernel=k", f"--grid={64 * waves}", "--block=64", f"--arg=zeros:{256 * waves}", "--schedule=rr:1"]
    steps = [word for _ in range(60) for word in ("step", "print id % 64")]
    said = ask_console(kernel(STAYS, gpu), ["break k if get_global_id(0) == 2556"], ["run", "delete", "next", *steps], options=how)
    lanes = re.findall(r"^\$\d+ = (\d+)$", "\n".join(said), re.M)
    assert lanes == ["60"] * 60, said


@both
def test_who_read_names_the_work_item(kernel, gpu):
    """One group reads each cell, and reads and writes its result; a store alone is not a read."""
    groups = GROUPS[gpu]
    said = ask_console(kernel(READS, gpu), [f"break 7 if b == {groups[3]}", "run"],
                       [*(f"who-read seen[{b}] 2" for b in groups), f"who-read out[{groups[3]}]", f"who-read out[{groups[0]}]", f"who-wrote out[{groups[0]}] 9"],
                       options=HOW[gpu])
    for b, text in zip(groups, said):
        assert re.fullmatch(rf"time \d+: device 0, dispatch 1, group \({b},0,0\), core \d+, w\w+ \d+, lane 3, work-item \(3,0,0\) at 0x\w+ <k\+\d+> "
                            r"at \d+\.cl:6\n  value 0", text), text
    assert said[4] == "No instruction of the recorded run before now read it."
    assert ".cl:7\n" in said[5] and said[5].endswith(f"\n  value {groups[0]}"), said[5]
    assert re.findall(r"was \d+, is \d+", said[6]) == [f"was {groups[0]}, is {groups[0] + 1}", f"was 0, is {groups[0]}"], said[6]


@both
def test_who_wrote_names_the_work_item(kernel, gpu):
    """Of writes by waves whose slots other waves have now; the memory says which group each was of."""
    written = GROUPS[gpu]
    said = ask_console(kernel(SLOTS, gpu), [f"break f if a == {written[3]}", "run", "up"], [f"who-wrote seen[{b}]" for b in written] + ["print b"],
                       options=HOW[gpu])
    for b, text in zip(written, said):
        assert f", group ({b},0,0), core " in text and ", work-item (0,0,0) at " in text and text.endswith(f"\n  was 0, is {b + 1}"), text
    assert said[-1] == f"$1 = {written[3]}"
    said = ask_console(kernel(LINES, gpu), ["break 7 if id == 133", "run"], ["who-wrote out[133]", "who-wrote out[69]"],
                       options=["-g", amd.gpu(gpu), "--kernel=k", "--grid=192", "--block=32", "--schedule=lockstep", "--arg=zeros:1024"])
    assert all(f" group ({g},0,0), " in text and ", lane 5, work-item (5,0,0) at " in text for g, text in zip((4, 2), said)), said


@both
def test_a_wave_is_told_by_its_id(kernel, gpu):
    """$_wave_id is another one for each wave, in whichever slot; a condition can name one."""
    first, second, *_ = GROUPS[gpu]
    said = ask_console(kernel(SLOTS, gpu), [f"break f if a == {first} || a == {second}", "run"],
                       ["print $_wave_id", "continue", "print $_wave_id", "reverse-continue", "print $_wave_id"], options=HOW[gpu])
    ids = [int(text.split(" = ")[1]) for text in said[::2]]
    assert ids[0] == ids[2] != ids[1] and ids[1] >> 32, said
    said = ask_console(kernel(SLOTS, gpu), [f"break f if $_wave_id == {ids[1]}", "run"], ["print a"], options=HOW[gpu])
    assert said == [f"$1 = {second}"]


@both
def test_the_only_launch_is_dispatch_1(kernel, gpu):
    """A restart is a launch; what was there before the first run is none."""
    said = ask_console(kernel(SLOTS, gpu), ["set confirm off"], ["start", "run", "break f if a == 2", "run"], options=HOW[gpu])
    assert "[device 0, dispatch 1, " in said[0] and "exited normally" in said[1] and "[device 0, dispatch 3, " in said[3], said


@both
@pytest.mark.parametrize("schedule", ["rr:40", "lockstep"])
def test_a_condition_that_is_false_does_not_stop_backwards(kernel, gpu, schedule):
    """Where a turn has ended just before the breakpoint, too. Before the only wave for which it holds there is the beginning."""
    how = ["-g", amd.gpu(gpu), "--kernel=k", "--grid=192", f"--block={64 if gpu == 'gfx900' else 32}", f"--schedule={schedule}",
           "--arg=zeros:1024"]
    said = ask_console(kernel(LINES, gpu), ["break 7 if id == 133", "run"], ["print id", "reverse-continue"], options=how)
    assert said[0] == "$1 = 133" and "No more reverse-execution history" in said[1], said


@both
def test_a_condition_that_cannot_be_read_stops_and_says_so(kernel, gpu):
    """Nothing is at address 16: whether the condition holds is not known."""
    done = debug(kernel(SLOTS, gpu), "break f if *(int *)16 == 1", "run", "continue", options=HOW[gpu])
    why = r"\nError in testing condition for breakpoint 1:\nthe breakpoint's condition cannot be read here in lane 0\n"
    assert len(re.findall(why, done.stdout)) == 2, done.stdout


OWN = """
__kernel void k(__global int *out)
{
    __local int shared[2];
    int g = get_group_id(0);
    shared[0] = g;
    shared[1] = g; /* watched */
    g = g + 1000;
    shared[0] = g;
    out[get_group_id(0)] = shared[0]; /* last */
}
"""


@both
def test_watched_memory_of_a_group_and_of_a_lane_is_not_that_of_those_who_have_its_place_later(kernel, gpu):
    """Forwards with points that are set later, and backwards when the group has ended."""
    early, late = GROUPS[gpu][:2]
    line = {mark: number for number, text in enumerate(OWN.splitlines(), 1) for mark in re.findall(r"/\* (\w+) \*/", text)}
    begin = [f"tbreak {line['watched']} if g == {early}", "run", "watch shared[0]", "watch g"]
    said = ask_console(kernel(OWN, gpu), begin,
                       ["continue", "continue", f"tbreak {line['last']} if $_group_x == {late}", "continue", "watch out[1]", "catch dispatch end",
                        "disable 2", "enable 2", "continue", "reverse-continue", "reverse-continue", "reverse-continue"], options=HOW[gpu][:-1])
    own = f"Old value = {early}\nNew value = {early + 1000}\n"
    assert all(group_of(said[i]) == early and own in said[i] for i in (0, 1)), said[:2]
    assert group_of(said[3]) == late and "(dispatch end)" in said[8], said[3:9]
    back = f"Old value = {early + 1000}\nNew value = {early}\n"
    assert all(group_of(said[i]) == early and back in said[i] for i in (9, 10)) and group_of(said[11]) == early, said[9:]
