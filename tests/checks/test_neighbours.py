"""Variables that lie beside each other: idioms whose code looks as if an access left one (neighbours.h) have no finding, at each level of
optimisation; planted mistakes are found at those levels, too."""
import subprocess

import pytest

import checks

HOST = ("gcc", "-O0", "-w")     # of the results


def vortex(source, level):
    path = checks.OUT / f"vortex{level}" / f"{source}.rv32.elf"
    subprocess.run(["make", "-s", "-C", checks.ROOT / "examples" / "vortex", f"VPATH={checks.HERE}", f"OUT={path.parent}", f"OPT={level} -g -w -Wno-all -Wno-extra",
                    path], check=True, capture_output=True)
    return ["run", *checks.VORTEX], [path]


def gfx900(source, level):
    return ["exec", "-g", checks.AMD], [checks.built(f"{source}.gfx900{level}", "hipcc", f"--offload-arch={checks.AMD}", level, "-g", "-w", "-x", "hip",
                                                   checks.HERE / f"{source}.c")]


def sm(source, level):
    cuda = checks.cuda_path()
    return ["exec", "-g", "sm"], [checks.built(f"{source}.sm{level}", "clang-19", "-x", "cuda", "--cuda-gpu-arch=sm_50", level, "-g", "-w", f"--cuda-path={cuda}",
                                               checks.HERE / f"{source}.c", f"-L{cuda}/lib64", "-lcudart", "-lstdc++")]


LEVELS = [(vortex, level) for level in ("-O0", "-Og", "-O1", "-O2", "-O3", "-Os")] + [(gfx900, level) for level in ("-O0", "-O1", "-O3")] + [(sm, "-O1"), (sm, "-O3")]
QUICK = [(vortex, "-O0"), (vortex, "-O2"), (gfx900, "-O1"), (sm, "-O3")]     # what make check has of them


@pytest.mark.parametrize("family, level", [pytest.param(*one, marks=[] if one in QUICK else pytest.mark.full) for one in LEVELS], ids=lambda value: value if isinstance(value, str) else value.__name__)
def test_idioms_have_no_finding(family, level):
    """Their results are those without checks; those of variables and of lanes' arrays are the host's, too, but for what GCC makes of
    addresses as numbers at -O3."""
    how, words = family("neighbours", level)
    plain, checked = (checks.run(checks.command_under_test(), *how, *options, *words) for options in ((), ("--check=memory",)))
    assert plain.returncode == 0 and plain.stdout.count("\n") >= 104, plain
    assert checked.stdout == plain.stdout and "checks: 0 errors, 0 warnings" in checked.stderr, checked.stderr
    if level != "-O3":
        host = checks.run(checks.built("neighbours.host", *HOST, checks.HERE / "neighbours.c")).stdout
        assert checked.stdout.splitlines()[-104:] == host.splitlines()


# At -O0 addresses go through memory in the two last ones.
VORTEX_CASES = ("variable_after", "variable_before", "half_after", "float_after", "stack_after", "stack_before", "atomic_after", "local_after")


@pytest.mark.parametrize("level", [level if level in ("-O0", "-O2") else pytest.param(level, marks=pytest.mark.full) for level in ("-O0", "-O1", "-O2", "-O3", "-Os")])
def test_neighbours_are_found_at_each_level(level):
    how, words = vortex("vortex", level)
    cases = VORTEX_CASES[:-2] if level == "-O0" else VORTEX_CASES
    numbers = {case: checks.cases_of("vortex").index(case) + 1 for case in cases}
    done = {case: checks.run(checks.command_under_test(), *how, "--check=memory", f"--arg={number}", *words) for case, number in numbers.items()}
    missed = {case for case, one in done.items() if "checks: 1 error," not in one.stderr}
    assert not missed, {case: done[case].stderr for case in missed}
