"""--profile of host programs: `exec` and `debug` count what kernels do as `run` does (tests/kernels/test_profile.py has the kernels and the model)."""
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from conftest import BUILD, DEBIAN_PATH, ROOT, WAVETRAP, compiled, environment, wavetrap

from releases import CC, HIPCC_CLANG
from test_cuda_cpp import compiled as compiled_cuda
from test_offload import CLANG, GCC
from test_opencl_long import build as build_opencl

sys.path.insert(0, str(ROOT / "tests" / "kernels"))
from test_accesses import BITCODE  # noqa: E402
from test_profile import COUNTS, GRID, KERNELS, SCHEMA, WAVE, build, model, source  # noqa: E402

# Python sets the locale, and in a Turkish one ROCm's compiler does not know its own options.
os.environ["LC_ALL"] = "C.UTF-8"
PYTHON, SCRIPT = "/usr/bin/python3", Path(__file__).parent / "profile_kernels.py"
GPUS = ["gfx900", "sm", "gen9"]


def made(gpu, name, folder):
    """The kernel as a host program takes it; its source file is k.cl."""
    folder.mkdir(exist_ok=True)
    if gpu == "gen9":
        (folder / "k.cl").write_text(source(name))
        return folder / "k.cl"
    if gpu == "sm":
        return build(gpu, source(name), folder, ["-g"])
    (folder / "k.cl").write_text(source(name))   # a version of code objects that this HIP takes
    subprocess.run([HIPCC_CLANG, "-x", "cl", "-cl-std=CL2.0", "-w", "-O1", "-g", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900",
                    f"--rocm-device-lib-path={BITCODE}", "k.cl", "-o", "k.gfx900"], cwd=folder, check=True)
    return folder / "k.gfx900"


def objects(path, kind="profile"):
    found = [json.loads(line) for line in path.read_text().splitlines()]
    for one in found:
        jsonschema.validate(one, SCHEMA)
    return [one for one in found if one["kind"] == kind]


def launch(gpu, *words, options=(), devices=1, **more):
    return wavetrap("exec", *["-g", gpu] * devices, *options, PYTHON, SCRIPT, gpu, *words, **more)


def own(gpu, found):
    """Instructions of k, without arguments, which PTX loads where they are used: 8 bytes of a warp. On two Gen9 kernels have no names."""
    return [one for one in found if "pc" in one and (one["function"] == "k" or one["function"].startswith("the kernel at")) and (gpu != "sm" or one["bytes"] != 8 * one["requests"])]


def check(gpu, name, found, times=1):
    """The counts of a kernel's lines, launched so often, are those of the model."""
    wanted = {4 + n: [times * number for number in model(gpu, places)] for n, (_, places) in enumerate(KERNELS[name])}
    if gpu == "gen9":
        assert [sum(one[c] for one in own(gpu, found)) for c in COUNTS] == [sum(column) for column in zip(*wanted.values())]
        return
    for line, counts in wanted.items():
        of_line = [one for one in own(gpu, found) if one.get("line") == line]
        assert [sum(one[c] for one in of_line) for c in COUNTS] == counts, (line, of_line)


@pytest.mark.parametrize("gpu, names", [("gfx900", list(KERNELS)), pytest.param("sm", list(KERNELS), marks=pytest.mark.full),
                                        *(pytest.param("gen9", [name], marks=[pytest.mark.full] if i % 3 else []) for i, name in enumerate(KERNELS))])
def test_the_counts_of_a_program_are_those_of_a_model(gpu, names, tmp_path):
    """In JSON, in the table, in the report, twice; and the program prints what it prints without. Its kernels are in as many modules, by lines; those of
    the Gen9, without lines, are one in a program."""
    files = [made(gpu, name, tmp_path / name) for name in names]
    plain = launch(gpu, *files, 3, *files)
    done = [launch(gpu, *files, 3, *files, options=["--profile", f"--profile=json:{tmp_path}/{n}", f"--report=json:{tmp_path}/r{n}"]) for n in "ab"]
    assert plain.stdout and all(one.stdout == plain.stdout and one.returncode == 0 for one in done), done[0].stderr
    assert done[0].stderr == done[1].stderr and done[0].stderr.startswith("wavetrap: profile, the lines"), done[0].stderr
    texts = [re.sub(r'"process":\d+,', "", (tmp_path / f"{n}").read_text()) for n in "ab"]
    assert texts[0] == texts[1]
    found = objects(tmp_path / "a")
    for name in names:
        check(gpu, name, [one for one in found if gpu == "gen9" or f"/{name}/" in one.get("file", "")], 4)
    assert objects(tmp_path / "ra") == found and len({one["process"] for one in found}) == 1
    assert all(one["kernel"] == "k" for one in found if one["function"] == "k")


@pytest.mark.parametrize("gpu", GPUS)
def test_two_devices_are_summed(gpu, tmp_path):
    file = made(gpu, "stride", tmp_path)
    done = [launch(gpu, file, "devices=2", file, 2, options=["--profile", f"--profile=json:{tmp_path}/{n}"], devices=2) for n in "ab"]
    assert all(one.returncode == 0 for one in done) and done[0].stderr == done[1].stderr, done[0].stderr
    found = objects(tmp_path / "a")
    check(gpu, "stride", found, 3)
    pcs = [one["pc"] for one in own(gpu, found)]
    assert len(pcs) == len(set(pcs))


@pytest.mark.parametrize("gpu", GPUS)
def test_kernels_of_one_name_in_two_modules(gpu, tmp_path):
    """Loaded one after the other; each has lines of its own."""
    names = ["coalesced", "collide"]
    files = [made(gpu, name, tmp_path / name) for name in names]
    done = launch(gpu, files[0], 2, files[1], files[0], options=[f"--profile=json:{tmp_path}/a"])
    assert done.returncode == 0, done.stderr
    found = objects(tmp_path / "a")
    if gpu == "gen9":
        wanted = [[times * number for number in model(gpu, places)] for name, times in zip(names, (3, 2)) for _, places in KERNELS[name]]
        assert [sum(one[c] for one in own(gpu, found)) for c in COUNTS] == [sum(column) for column in zip(*wanted)]
        return
    for name, times in zip(names, (3, 2)):
        check(gpu, name, [one for one in found if f"/{name}/" in one.get("file", "")], times)


def test_code_at_the_place_of_other_code(tmp_path):
    """A code object takes the place of one that was unloaded, which has a kernel of the same name and size: tests/host/test_modules.py."""
    files = []
    for number in (22, 33, 44):
        (tmp_path / f"m{number}.cl").write_text(f"__kernel void store(__global int *out)\n{{\n    out[get_global_id(0)] = {number};\n}}\n")
        files.append(tmp_path / f"m{number}.co")
        subprocess.run([HIPCC_CLANG, "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900", "-x", "cl", "-cl-std=CL2.0", "-O1", "-g",
                        f"--rocm-device-lib-path={BITCODE}", tmp_path / f"m{number}.cl", "-o", files[-1]], check=True)
    done = wavetrap("exec", "-g", "gfx900", f"--profile=json:{tmp_path}/a", compiled("modules.hip"), *files, files[1])
    assert done.stdout == "22\n33\n44\n33\n", done.stderr
    lines = {Path(one["file"]).name: one for one in objects(tmp_path / "a") if "pc" not in one and one.get("line") == 3}
    stored = {name: one["bytes"] // (64 * 4) for name, one in lines.items()}   # by a wave, beside some bytes of arguments
    assert stored == {"m22.cl": 2, "m33.cl": 4, "m44.cl": 2}, lines
    assert lines["m33.cl"]["requests"] == 2 * lines["m22.cl"]["requests"] == 2 * lines["m44.cl"]["requests"]


def test_ptx_at_the_place_of_other_ptx(tmp_path):
    """A module is loaded to where another one was: the same addresses are of two files."""
    files = [made("sm", name, tmp_path / name) for name in ("coalesced", "stride")]
    assert launch("sm", *files, options=[f"--profile=json:{tmp_path}/a"]).returncode == 0
    by_file = {name: {one["pc"] for one in objects(tmp_path / "a") if "pc" in one and f"/{name}/" in one["file"]} for name in ("coalesced", "stride")}
    assert by_file["coalesced"] & by_file["stride"], by_file


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("end, status", [("abort", 128 + signal.SIGABRT), pytest.param("kill", -signal.SIGTERM, marks=pytest.mark.full), pytest.param("exit", 3, marks=pytest.mark.full)])
def test_a_program_that_does_not_end_well(gpu, end, status, tmp_path):
    file = made(gpu, "half", tmp_path)
    options = ["-g", gpu, "--profile", f"--profile=json:{tmp_path}/a"]
    words = [PYTHON, SCRIPT, gpu, file, "2", file, end]
    done = wavetrap("exec", *options, *(["sh", "-c", f"{' '.join(map(str, words))}; exit $?"] if end == "abort" else words))
    assert done.returncode == status and "(k)" in done.stderr, done.stderr
    check(gpu, "half", objects(tmp_path / "a"), 3)


def test_children(tmp_path):
    """A process and its child, each with its file; the table has both."""
    file = made("sm", "banks", tmp_path)
    done = launch("sm", "fork", file, 2, file, options=["--profile", f"--profile=json:{tmp_path}/%p.json"])
    assert done.returncode == 0 and "k.cl:5 (k)" in done.stderr, done.stderr
    of_child, = tmp_path.glob("*.json")
    check("sm", "banks", objects(of_child), 3)
    done = wavetrap("exec", "-g", "sm", "--profile", f"--profile=json:{tmp_path}/%p.two", "sh", "-c",
                    f"{PYTHON} {SCRIPT} sm {file}; {PYTHON} {SCRIPT} sm 2 {file}")
    both = sorted(tmp_path.glob("*.two"))
    assert len(both) == 2, done.stderr
    of = [objects(one) for one in both]
    assert all(str(one["process"]) == path.stem for path, found in zip(both, of) for one in found)
    assert sorted(sum(one["issues"] for one in own("sm", found)) // sum(one["issues"] for one in own("sm", of[0])) for found in of) in ([1, 2], [0, 1])
    assert len(re.findall(r"k\.cl:5 \(k\)", done.stderr)) == 1, done.stderr


@pytest.mark.parametrize("gpu", ["gfx900", "sm"])
def test_limits(gpu, tmp_path):
    file, line = made(gpu, "stride", tmp_path), 5
    most = model(gpu, KERNELS["stride"][1][1])[1]
    assert launch(gpu, file, options=[f"--profile-limit=k.cl:{line} transactions<={most + (GRID // WAVE[gpu] if gpu == 'sm' else 0)}"]).returncode == 0
    done = launch(gpu, file, options=[f"--profile-limit=k.cl:{line} transactions<={most - 1}"])
    assert done.returncode == 114 and "--profile-limit='k.cl:5 transactions<=" in done.stderr, done.stderr
    assert launch(gpu, file, "exit", options=[f"--profile-limit=k.cl:{line} transactions<=1"]).returncode == 3
    done = launch(gpu, file, options=[f"--profile-limit=k.cl:{line} transactions<=1", f"--report=json:{tmp_path}/r"])
    end, = objects(tmp_path / "r", "exit")
    assert done.returncode == end["status"] == 114
    done = wavetrap("exec", "--profile-limit=k.cl:1 issues<=0", "true")
    assert done.returncode == 114 and "no instruction of that line has issued" in done.stderr, done.stderr
    assert wavetrap("exec", "--profile-limit=k.cl:1 hits<=0", "true").returncode == 125


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """programs(name): (folder, GPU, command line, variables) of a program of that kind."""
    def make(name):
        folder, here, variables = tmp_path_factory.mktemp(name.replace(" ", "-")), ROOT / "tests" / "host", {}
        program = folder / "program"
        if name == "HIP":
            return folder, "gfx900", [compiled("two_gpus.hip")], variables
        if name == "CUDA C++":
            return folder, "sm", [compiled_cuda(folder, here / "launches.cu", "-O2", "-g", "--cuda-gpu-arch=sm_50"), 1, 5], variables
        if name == "OpenCL":
            return folder, "gen9", [build_opencl(here / "launches.c", folder), 1, 5], variables
        if name == "Level Zero":
            (folder / "k.cl").write_text("kernel void k(global int *a, int b)\n{\n    int i = get_global_id(0);\n    a[i] = 2 * a[i] + b;\n}\n")
            subprocess.run(["ocloc", "compile", "-file", "k.cl", "-device", "skl", "-spv_only", "-output", "k", "-output_no_suffix", "-q"], cwd=folder,
                           check=True, capture_output=True)
            subprocess.run(["gcc", "-o", program, here / "level_zero.c", "-lze_loader"], check=True)
            return folder, "gen9", ["./program", "k.spv"], variables
        compiler, flags, gpu, source = {"GCC OpenMP": (CC, [*GCC, "-g", "-fopenmp"], "gfx900", "openmp.c"),
                                        "GCC OpenACC": (CC, [*GCC, "-g", "-fopenacc"], "gfx900", "openacc.c"),
                                        "clang OpenMP": ("clang-19", [*CLANG, "-g"], "gfx900", "openmp.c"),
                                        "OpenMP on PTX": (CC, ["-O2", "-g", "-w", "-fopenmp", "-foffload=nvptx-none"], "sm", "openmp.c")}[name]
        subprocess.run([compiler, *flags, "-o", program, here / source], cwd=folder, check=True, capture_output=True,
                       env={**os.environ, "PATH": DEBIAN_PATH})
        if "ACC" in name:
            variables["ACC_DEVICE_TYPE"] = "radeon"
        return folder, gpu, [program], variables
    return make


@pytest.mark.parametrize("name, line", [("HIP", "two_gpus.hip"), ("CUDA C++", "launches.hip"), ("OpenCL", ""), pytest.param("Level Zero", "", marks=pytest.mark.full), ("clang OpenMP", "openmp.c"),
                                        *(pytest.param(*one, marks=pytest.mark.full) for one in
                                          (("GCC OpenACC", "openacc.c"), ("GCC OpenMP", "openmp.c"), ("OpenMP on PTX", "")))])
def test_programs_of_all_kinds(programs, name, line):
    """Each issue is counted once: they are as many as the driver has counted. Output and status are as without counts; lines are known where the
    compiler writes some."""
    folder, gpu, words, variables = programs(name)
    gpus = ["-g", gpu] * (2 if name == "HIP" else 1)
    plain, done = (wavetrap("exec", *gpus, *options, *words, cwd=folder, env={**environment(), **variables})
                   for options in ([], [f"--report=json:{folder}/r", "--profile"]))
    assert done.returncode == 0 and done.stdout == plain.stdout, done.stderr
    found, (kernels,) = objects(folder / "r"), objects(folder / "r", "kernels")
    assert kernels["launches"] and sum(one["issues"] for one in found if "pc" in one) == kernels["issues"]
    assert not line or any(one.get("file", "").endswith(f"/{line}") for one in found), done.stderr


def test_lcov(tmp_path):
    file = made("gfx900", "half", tmp_path)
    done = launch("gfx900", file, options=[f"--profile=lcov:{tmp_path}/o.info"])
    text = (tmp_path / "o.info").read_text()
    lines = {int(a): int(b) for a, b in re.findall(r"^DA:(\d+),(\d+)$", text.split("k.cl\n")[1].split("end_of")[0], re.M)}
    assert done.returncode == 0 and lines[4] > 0 and lines[5] > 0, text


def debug(gpu, commands, *words, options=(), **more):
    return wavetrap("debug", "--nx", "--batch", "-g", gpu, *options, *(word for command in commands for word in ("-ex", command)), *words, **more)


@pytest.mark.parametrize("gpu", GPUS)
def test_under_a_debugger(gpu, tmp_path):
    """A breakpoint, steps, the past and back, a search for where a value is from: the counts are those of a program that ran through."""
    file = made(gpu, "half", tmp_path)
    program = [PYTHON, SCRIPT, gpu, file, 2, file]
    first = ["set breakpoint pending on", "break k", "run"]   # Intel's compiler makes other code for a debugger: that is run through, too
    through = debug(gpu, [*first, "delete", "continue"], *program, options=[f"--profile=json:{tmp_path}/a"])
    there = debug(gpu, [*first, "delete", "stepi 9", "info profile", "reverse-stepi 4", "info profile", "stepi 4", "info profile",
                        "continue", "continue"], *program, options=["--profile", f"--profile=json:{tmp_path}/b"])
    assert through.returncode == 0 and "wavetrap: profile" not in through.stdout, through.stdout + through.stderr
    texts = [re.sub(r'"process":\d+,', "", (tmp_path / n).read_text()) for n in "ab"]
    assert texts[0] == texts[1], there.stdout + there.stderr
    if gpu != "gen9":
        assert launch(gpu, *program[3:], options=[f"--profile=json:{tmp_path}/c"]).returncode == 0
        assert re.sub(r'"process":\d+,', "", (tmp_path / "c").read_text()) == texts[0]
    tables = [re.match("(?:.*\n){2}((?: .*\n)*)", part)[1] for part in there.stdout.split("wavetrap: profile")[1:]]
    issues = [sum(int(row.split()[0]) for row in table.splitlines()) for table in tables]
    assert len(issues) == 3 and issues[0] == issues[2] > issues[1], there.stdout


def test_where_from_counts_nothing_and_finds_the_same(tmp_path):
    file = made("gfx900", "scattered", tmp_path)
    commands = ["set breakpoint pending on", "break k.cl:6", "run", "who-wrote out[0]", "where-from out[0]", "delete", "continue"]
    done = [debug("gfx900", commands, PYTHON, SCRIPT, "gfx900", file, options=options) for options in ([], [f"--profile=json:{tmp_path}/b"])]
    assert launch("gfx900", file, options=[f"--profile=json:{tmp_path}/a"]).returncode == 0
    said = [re.sub(r"0x[0-9a-f]{8,}", "", one.stdout) for one in done]
    assert said[0] == said[1] and "where-from" not in said[0]
    texts = [re.sub(r'"process":\d+,', "", (tmp_path / n).read_text()) for n in "ab"]
    assert texts[0] == texts[1], done[1].stdout + done[1].stderr


def test_a_debugger_with_limits_and_a_second_run(tmp_path):
    """Counts of a second run are its own."""
    file = made("sm", "stride", tmp_path)
    most = model("sm", KERNELS["stride"][1][1])[1] + 2 * GRID // WAVE["sm"]
    program = [PYTHON, SCRIPT, "sm", file]
    assert debug("sm", ["run", "run"], *program, options=[f"--profile-limit=k.cl:5 transactions<={most}"]).returncode == 0
    assert debug("sm", ["run"], *program, options=["--profile-limit=k.cl:5 transactions<=1"]).returncode == 114


@pytest.mark.parametrize("words, why", [(["--pid", str(os.getpid())], "counts from a program's beginning"), (["--core", "nosuch"], "counts from a program's beginning")])
def test_what_ran_before_is_not_counted(words, why):
    done = wavetrap("debug", "--nx", "--batch", "--profile", *words)
    assert done.returncode == 125 and why in done.stderr, done.stderr
    done = wavetrap("debug", "--nx", "--batch", "-ex", "info profile", "true")
    assert done.returncode == 1 and "start the debugger with the option --profile" in done.stderr, done.stderr


def fits(shown, said):
    """Whether lines are those of the page; a line "…" is any number of lines, within one it is any text."""
    if not shown:
        return not said
    if shown[0] == "…":
        return any(fits(shown[1:], said[n:]) for n in range(len(said) + 1))
    return bool(said) and re.fullmatch(".*".join(map(re.escape, shown[0].rstrip().split("…"))), said[0].rstrip()) and fits(shown[1:], said[1:])


def test_the_sessions_of_the_page(tmp_path):
    """docs/profile.md: its programs, its commands, what they print, a shell after the other."""
    steps = [step.partition("\n") for block in re.findall(r"```console\n(.*?)```", (ROOT / "docs" / "profile.md").read_text(), re.S)
             for step in re.split(r"^\$ ", block, flags=re.M)[1:]]
    assert len(steps) > 7
    home, status = {**environment(), "PATH": f"{BUILD}:{os.environ['PATH']}"}, 0
    for command, _, shown in steps:
        if command.startswith("cat "):
            (tmp_path / command.split()[1]).write_text(shown)
            continue
        done = subprocess.run(["sh", "-c", f"(exit {status}); {command}"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=home)
        status = done.returncode
        assert fits(shown.splitlines(), done.stdout.splitlines()), f"{command}\n{done.stdout}"
