"""Breakpoints that the process of a program judges by itself: counts and text are those of all waves of all launches."""
import re
import subprocess

import pytest

from conftest import WAVETRAP
from sanitizer import DEBIAN_PATH, ROOT, environment
from test_console import END, ask
from test_cuda_cpp import compiled as compiled_cuda

KERNELS = ROOT / "bench" / "kernels"
BLOCKS, LAUNCHES, ROUNDS = 16, 6, 3
LANES = {"sm": 32, "gfx900": 64, "gen9": 8}


def line_of(source, mark):
    return f"{source}:{next(i for i, line in enumerate(source.read_text().splitlines(), 1) if line.endswith(f'// {mark}'))}"


@pytest.fixture(scope="module", params=["sm", "gfx900", "gen9"])
def program(request, tmp_path_factory):
    """The GPU, the command, the places of a step and of the end."""
    folder = tmp_path_factory.mktemp("live")
    if request.param == "sm":
        source, command = KERNELS / "live.cc", [compiled_cuda(folder, KERNELS / "live.cc", "-O0", "-g", "--cuda-gpu-arch=sm_50")]
    elif request.param == "gfx900":
        source, command = KERNELS / "live.cc", [folder / "program"]
        subprocess.run(["hipcc", "--offload-arch=gfx900", "-O0", "-g", source, "-o", command[0]], check=True)
    else:
        source, command = KERNELS / "live.cl", [folder / "program", KERNELS / "live.cl"]
        subprocess.run(["gcc", "-w", KERNELS / "live_opencl.c", "-o", command[0], "-lOpenCL"], check=True)
    return request.param, [*command, BLOCKS, LAUNCHES, ROUNDS], line_of(source, "step"), line_of(source, "end")


def said_by(program, *commands):
    gpu, command, _, _ = program
    return ask(commands, *command, options=["-g", gpu])


def test_each_lane_of_each_launch_prints_and_no_false_condition_stops(program):
    _, _, step, end = program
    said = said_by(program, f"break {step} if k == 77", f'dprintf {end} if i % 100 == 3,"item %u\\n",i', "run", "info breakpoints")
    assert said[2].endswith(END) and "Breakpoint 1," not in said[2], said[2][-500:]
    assert sorted(map(int, re.findall(r"^item (\d+)$", said[2], re.M))) == sorted(list(range(3, BLOCKS * 256, 100)) * LAUNCHES)


def test_ignored_waves_are_counted_over_launches(program):
    gpu, _, step, end = program
    waves = BLOCKS * 256 // LANES[gpu]
    said = said_by(program, f"break {end}", f"ignore 1 {2 * waves + 1}", "run", "info breakpoints", "ignore 1 100000", "continue", "info breakpoints")
    first = int(re.search(r"dispatch (\d+)", said[2])[1])
    assert "Breakpoint 1," in said[2] and f"already hit {2 * waves + 2} times" in said[3], said[2:4]
    assert said[5].endswith(END) and f"already hit {LAUNCHES * waves} times" in said[6], said[5:]
    said = said_by(program, "catch dispatch", "run", "ignore 1 2", "continue", "info breakpoints")
    assert int(re.search(r"dispatch (\d+)", said[3])[1]) >= first and "already hit 4 times" in said[4], said


def test_a_condition_that_holds_stops_in_its_lane_and_again(program):
    _, _, step, _ = program
    said = said_by(program, f"break {step} if i == 700 && k == 1", "run", "print i", "continue", "print i", "info breakpoints")
    assert re.search(r" = 700\n", said[2]) and re.search(r" = 700\n", said[4]) and "already hit 2 times" in said[5], said


def test_watched_memory_stops_for_the_lanes_whose_condition_holds(program):
    _, _, _, end = program
    said = said_by(program, f"tbreak {end}", "run", "awatch *(unsigned (*)[64])data if i == 37", "watch data[5] if i == 6", "continue", "print i", "continue", "print i",
                   "info breakpoints", "delete", "awatch *(unsigned (*)[64])data if i == 64", "continue")
    assert "atchpoint 2:" in said[4] and "atchpoint 2:" in said[6] and said[5] == said[7].replace("$2", "$1") == "$1 = 37\n" and "already hit 2 times" in said[8], said
    assert END in said[-1] and "atchpoint 4:" not in said[-1], said[-1][-500:]
