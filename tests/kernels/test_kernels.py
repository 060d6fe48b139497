"""The example kernels compute on the emulated GPU what the same sources compute on the host, for
any shape, schedule, register width and optimisation; and a run is a function of its schedule."""
import collections
import re
import subprocess

import pytest

from conftest import PROGRAMS

WIDTHS = ["rv32", "rv64"]

# Shapes and schedules: each shape with one schedule of each kind somewhere in the list.
RUNS = [
    ("cores=1,warps=1,threads=1", "rr:64"),
    ("cores=1,warps=1,threads=32", "lockstep"),
    ("cores=1,warps=4,threads=4", "rr:1"),
    ("cores=1,warps=2,threads=2", "random:7"),
    ("cores=2,warps=8,threads=4", "random:1"),
    ("cores=4,warps=3,threads=8", "rr:1"),
    ("cores=3,warps=1,threads=4", "lockstep"),
    ("clusters=2,cores=2,warps=2,threads=4", "rr:64"),
    ("clusters=2,cores=1,warps=5,threads=16", "random:99"),
    ("cores=1,warps=2,threads=64", "rr:64"),
    ("cores=2,warps=1,threads=128", "lockstep"),
    ("cores=1,warps=300,threads=32", "rr:64"),
]


def same_output(name, printed, expected):
    """`hello` prints from many threads: which line comes first is up to the schedule."""
    if name == "hello":
        return sorted(printed.splitlines()) == sorted(expected.splitlines())
    return printed == expected


def check(wavetrap, host_output, name, elf, gpu, schedule):
    done = wavetrap(elf, gpu=gpu, schedule=schedule)
    assert done.returncode == 0, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    assert same_output(name, done.stdout, host_output(name)), done.stdout


@pytest.mark.sample(5)
@pytest.mark.parametrize("gpu,schedule", RUNS)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_agrees_with_host(wavetrap, built, host_output, name, width, gpu, schedule):
    check(wavetrap, host_output, name, built() / f"{name}.{width}.elf", gpu, schedule)


@pytest.mark.sample(7)
@pytest.mark.parametrize("options", ["-O0 -g", "-O1 -g", "-O2 -g", "-O3", "-Os"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_any_optimisation(wavetrap, built, host_output, name, width, options):
    check(wavetrap, host_output, name, built(options) / f"{name}.{width}.elf",
          "cores=2,warps=3,threads=4", "random:3")


@pytest.mark.parametrize("schedule", ["rr:1", "rr:64", "lockstep", "random:5"])
@pytest.mark.parametrize("name", ["sgemm", "histogram", "hello"])
def test_same_schedule_same_state(wavetrap, built, name, schedule):
    """The hash of the whole state at the end, and all output, in order, are reproducible."""
    elf = built() / f"{name}.rv32.elf"
    runs = [wavetrap("--hash", elf, gpu="cores=2,warps=4,threads=4", schedule=schedule)
            for _ in range(2)]
    assert re.search(r"\b[0-9a-f]{16}\b", runs[0].stderr + runs[0].stdout), runs[0].stderr
    assert runs[0].returncode == 0
    assert (runs[0].stdout, runs[0].stderr) == (runs[1].stdout, runs[1].stderr)


def test_other_seed_other_order(wavetrap, built):
    """`random` does use its seed: among some seeds the greetings come in different orders."""
    elf = built() / "hello.rv32.elf"
    orders = {wavetrap(elf, gpu="cores=4,warps=1,threads=4", schedule=f"random:{seed}").stdout
              for seed in range(8)}
    assert len(orders) > 1


def simt_instructions(elf):
    """Per function, how often each SIMT instruction (by funct3) stands in it."""
    text = subprocess.run(["riscv64-unknown-elf-objdump", "-d", elf], capture_output=True,
                          text=True, check=True).stdout
    found, function = collections.defaultdict(collections.Counter), None
    for line in text.splitlines():
        if label := re.match(r"[0-9a-f]+ <(.*)>:", line):
            function = label[1]
        elif code := re.match(r"\s*[0-9a-f]+:\s+([0-9a-f]{8})\s", line):
            word = int(code[1], 16)
            if word & 0xfe00007f == 0x0b:
                found[function][word >> 12 & 7] += 1
    return found


@pytest.mark.sample(5)
@pytest.mark.parametrize("options", ["-O0 -g", "-Og -g", "-O1 -g", "-O2 -g", "-O3", "-Os"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_one_join_for_each_split(built, name, width, options):
    """Were a JOIN copied into both ways of its branch, lanes would go on in code that was made for
    the other way (lib/vortex.h, VX_IF)."""
    SPLIT, JOIN = 2, 3
    found = simt_instructions(built(options) / f"{name}.{width}.elf")
    assert found["vx_run_core"][SPLIT] == 1
    for function, count in found.items():
        assert count[SPLIT] == count[JOIN], function


WRONG = {
    "divergence": ("""
        static void odd(void *p, size_t i) { uint32_t *out = p; if (i % 2) out[i] = 1; }
        static uint32_t out[64];
        int main(void) { vx_parallel(64, odd, out); return 0; }""", "odd"),
    "nowhere": ("""
        static void jump(void *p) { ((void (*)(void))(uintptr_t)0x70000000)(); }
        int main(void) { vx_launch(jump, 0); return 0; }""", None),
}


@pytest.mark.parametrize("mistake", WRONG)
@pytest.mark.parametrize("width", WIDTHS)
def test_mistakes_are_reported(wavetrap, tmp_path, mistake, width):
    """A branch that divides a warp without SPLIT, and a jump into nothing, end the run with a
    report, not with a result."""
    source, function = WRONG[mistake]
    (tmp_path / "wrong.c").write_text('#include "vortex.h"\n' + source)
    from conftest import EXAMPLES, make
    out = tmp_path / "out"
    (out / width).mkdir(parents=True)
    flags = "-Og -g -Wno-unused-parameter"
    done = subprocess.run(["make", "-s", "-C", EXAMPLES, f"OUT={out}", f"OPT={flags}",
                           "PROGRAMS=wrong", f"VPATH={tmp_path}", f"{out}/wrong.{width}.elf"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    ran = wavetrap(out / f"wrong.{width}.elf")
    assert ran.returncode not in (0, 1)
    assert "warp" in ran.stderr
    if function:
        assert "diverge" in ran.stderr and function in ran.stderr and "wrong.c" in ran.stderr
