"""`make demo` shows what it says that it shows."""
import re
import subprocess

import pytest

from conftest import ROOT, WAVETRAP


@pytest.fixture(scope="module")
def shown():
    subprocess.run(["make", "-s", "examples"], cwd=ROOT, check=True)
    done = subprocess.run([ROOT / "scripts" / "demo.sh"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300,
                          env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "WAVETRAP": WAVETRAP})
    assert done.returncode == 0, done.stdout
    return done.stdout


def part(shown, begin):
    """What is printed between the heading that begins so and the next one."""
    text = shown.split(f"== {begin}")[1]
    return re.split(r"\n== |\n\x1b", re.sub(r"\A.*?\n\n", "", text, flags=re.S))[0]


def test_the_kernel_runs(shown):
    run = shown.split("wavetrap run --stats")[1].split("3. Stock GDB")[0]
    assert "mandelbrot: 1536 elements" in run and "exit status: 0" in run


def test_the_breakpoint_is_hit_and_threads_are_named(shown):
    assert re.search(r'"device 0, core 0, warp 0, thread 0" hit Breakpoint 1, draw', shown)
    threads = part(shown, "What GDB calls threads")
    for core in (0, 1):
        for warp in (0, 1):
            for lane in range(4):
                assert f'"device 0, core {core}, warp {warp}, thread {lane}"' in threads
    assert re.search(r"#\d+ .* in main \(\)", threads)


def test_each_lane_has_its_own_variables(shown):
    counts = re.findall(r"pixel (\d+): count (\d+) ", part(shown, "Each thread has variables"))
    assert len(counts) == 4 and len({pixel for pixel, _ in counts}) == 4
    assert {count == "60" for _, count in counts} == {True, False}  # they disagree


def test_a_divergent_branch_is_stepped_through(shown):
    stepped = part(shown, "The threads of this warp disagree")
    assert "out[pixel] = '#';" in stepped
    warp = re.search(r"^\* .*(device 0, core \d, warp \d), thread", stepped, re.M).group(1)
    lanes = re.findall(rf'"{warp}, thread \d"( \(masked off\))?', stepped)
    assert len(lanes) == 4 and 0 < sum(map(bool, lanes)) < 4
    pixels = re.findall(r"pixel \d+: now '(.)'", part(shown, "Two more steps"))
    assert len(pixels) == 4 and "#" in pixels and set(pixels) != {"#"}


def test_memory_is_changed_and_the_exit_status_tells(shown):
    assert "64 '@'" in part(shown, "Memory can be changed")
    ended = part(shown, "So the program")
    assert "element 0 is wrong" in ended and "exit status: 1" in ended
    again = part(shown, '"run" starts it afresh')
    assert "exited normally" in again and "exit status: 0" in again
