"""`run --profile`: the counts of kernels whose accesses are known, by the definitions of docs/profile.md, worked out here from the places
that each work-item accesses."""
import json
import os
import re
import subprocess

import jsonschema
import pytest

from conftest import ROOT
from test_accesses import COMMAND, build, read_record, trace

SCHEMA = json.loads((ROOT / "docs" / "report.schema.json").read_text())
GRID, GROUP = 256, 64
WAVE, LINE, BANKS, TOGETHER = {"gfx900": 64, "sm": 32, "gen9": 16}, {"gfx900": 64, "sm": 32, "gen9": 64}, {"gfx900": 32, "sm": 32, "gen9": 16}, {
    "gfx900": 32, "sm": 32, "gen9": 16}

# name: the statements, each with what a work-item of number i, of number l in its group, accesses: [(space, dword or None)].
KERNELS = {
    "coalesced": [("int v = in[i];", lambda i, l: [("in", i)]), ("out[i] = v;", lambda i, l: [("out", i)])],
    "stride": [("int v = in[i * 2];", lambda i, l: [("in", i * 2)]), ("out[i * 16] = v;", lambda i, l: [("out", i * 16)])],
    "unaligned": [("int v = in[i + 5];", lambda i, l: [("in", i + 5)]), ("out[i + 1] = v;", lambda i, l: [("out", i + 1)])],
    "backwards": [("int v = in[255 - i];", lambda i, l: [("in", 255 - i)]), ("out[i] = v;", lambda i, l: [("out", i)])],
    "columns": [("int v = in[i / 16 + i % 16 * 16];", lambda i, l: [("in", i // 16 + i % 16 * 16)]), ("out[i] = v;", lambda i, l: [("out", i)])],
    "scattered": [("int v = in[i * 37 % 256];", lambda i, l: [("in", i * 37 % 256)]), ("out[i * 91 % 256] = v;", lambda i, l: [("out", i * 91 % 256)])],
    "half": [("int v = in[i];", lambda i, l: [("in", i)]), ("if (i % 2 == 0) out[i] = v;", lambda i, l: [("out", i)] if i % 2 == 0 else [])],
    "rows": [("box[l] = i;", lambda i, l: [("box", l)]), ("out[i] = box[63 - l];", lambda i, l: [("box", 63 - l), ("out", i)])],
    "banks": [("box[l * 2] = i;", lambda i, l: [("box", l * 2)]), ("out[i] = box[l * 8];", lambda i, l: [("box", l * 8), ("out", i)])],
    "one_bank": [("box[l * 32] = i;", lambda i, l: [("box", l * 32)]), ("out[i] = box[l / 2 * 32];", lambda i, l: [("box", l // 2 * 32), ("out", i)])],
    "padded": [("box[l * 33] = i;", lambda i, l: [("box", l * 33)]), ("out[i] = box[l * 33];", lambda i, l: [("box", l * 33), ("out", i)])],
    "collide": [("atomic_add(&out[i % 8], i);", lambda i, l: [("atomic", i % 8)]), ("atomic_add(&out[i], i);", lambda i, l: [("atomic", i)])],
}


def source(name):
    lines = [f"    {text}\n" for text, _ in KERNELS[name]]
    return (f"__attribute__((intel_reqd_sub_group_size(16))) kernel void k(volatile global int *in, volatile global int *out)\n{{\n"
            f"    volatile local int box[64 * 33]; int i = get_global_id(0), l = get_local_id(0);\n{''.join(lines)}}}\n")


def model(gpu, places):
    """(requests, transactions, conflicts, collisions, bytes) of one statement: of each wave, for each access in it."""
    made = [0] * 5
    wave = 8 if gpu == "gen9" and places(0, 0)[0][0] == "atomic" else WAVE[gpu]   # such a message is for 8 lanes
    for first in range(0, GRID, wave):
        items = [places(i, i % GROUP) for i in range(first, first + wave)]
        for access in range(max(map(len, items))):
            lanes = [(n, item[access]) for n, item in enumerate(items) if item]
            made[0] += 1
            made[4] += 4 * len(lanes)
            if lanes[0][1][0] == "box":
                for part in range(0, WAVE[gpu], TOGETHER[gpu]):
                    dwords = {at for n, (_, at) in lanes if part <= n < part + TOGETHER[gpu]}
                    banks = [at % BANKS[gpu] for at in dwords]
                    made[2] += max(map(banks.count, banks)) - 1
            else:
                made[1] += len({4 * at // LINE[gpu] for _, (_, at) in lanes})
                made[3] += len(lanes) - len({at for _, (_, at) in lanes}) if lanes[0][1][0] == "atomic" else 0
    return made


def profile(gpu, file, *options):
    return subprocess.run([COMMAND, "run", "-g", gpu, "--kernel=k", f"--grid={GRID}", f"--block={GROUP}", "--arg=iota:65536", "--arg=zeros:65536",
                           *options, file], capture_output=True, text=True, timeout=120, cwd=file.parent)


COUNTS = ["requests", "transactions", "conflicts", "collisions", "bytes"]


@pytest.mark.parametrize("gpu", list(WAVE))
@pytest.mark.parametrize("name", list(KERNELS))
def test_the_counts_are_those_of_a_model(gpu, name, tmp_path):
    file = build(gpu, source(name), tmp_path, ["-g"])
    done = profile(gpu, file, f"--profile=json:{tmp_path}/o", "--profile")
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in (tmp_path / "o").read_text().splitlines()]
    for one in found:
        jsonschema.validate(one, SCHEMA)
    wanted = {4 + n: model(gpu, places) for n, (_, places) in enumerate(KERNELS[name])}
    if gpu == "gen9":   # no table of lines: the kernel has no other accesses
        assert [sum(one[c] for one in found) for c in COUNTS] == [sum(column) for column in zip(*wanted.values())], done.stderr
        return
    for line, counts in wanted.items():
        of_line, = (one for one in found if one.get("line") == line and "pc" not in one)
        of_instructions = [one for one in found if one.get("line") == line and "pc" in one]
        for count in [*COUNTS, "issues", "enabled", "lanes"]:
            assert sum(one[count] for one in of_instructions) == of_line[count]
        assert [of_line[c] for c in COUNTS] == counts, (line, of_line, done.stderr)
        row, = (row for row in done.stderr.splitlines() if f"k.cl:{line} (k)" in row)
        assert row.split()[3:7] == [str(of_line[c]) for c in COUNTS[:4]], (row, of_line)


@pytest.mark.parametrize("gpu", ["gfx900", "sm"])
def test_counts_change_nothing_and_are_the_same_each_time(gpu, tmp_path):
    file = build(gpu, source("banks"), tmp_path, ["-g"])
    plain, *counted = (profile(gpu, file, "--hash", *more) for more in ((), ("--profile",), ("--profile",)))
    assert plain.stderr.splitlines()[-1] in counted[0].stderr and counted[0].stderr == counted[1].stderr


@pytest.mark.parametrize("gpu", ["gfx900", "sm"])
def test_lanes_that_are_off(gpu, tmp_path):
    """Half of the lanes store."""
    file = build(gpu, source("half"), tmp_path, ["-g"])
    assert profile(gpu, file, f"--profile=json:{tmp_path}/o").returncode == 0
    stores = [one for one in map(json.loads, (tmp_path / "o").read_text().splitlines()) if one.get("line") == 5 and "pc" in one and one["bytes"]]
    assert stores and all(one["lanes"] == GRID and one["enabled"] == GRID // 2 and one["issues"] == GRID // WAVE[gpu] for one in stores), stores


def test_a_limit_that_is_kept_and_one_that_is_not(tmp_path):
    file = build("gfx900", source("stride"), tmp_path, ["-g"])
    assert profile("gfx900", file, "--profile-limit=k.cl:5 transactions<=256", "--profile-limit=k.cl:4 conflicts <= 0").returncode == 0
    done = profile("gfx900", file, "--profile-limit=k.cl:5 transactions<=255")
    assert done.returncode == 114 and "--profile-limit='k.cl:5 transactions<=255': they are 256" in done.stderr
    done = profile("gfx900", file, "--profile-limit=k.cl:99 bytes<=1")
    assert done.returncode == 114 and "no instruction of that line has issued" in done.stderr
    for bad in ("k.cl:5", "k.cl:5 hits<=3", "k.cl transactions<=1", "k.cl:5 bytes<=1 ", "k.cl:5 bytes<=1x"):
        done = profile("gfx900", file, f"--profile-limit={bad}")
        assert done.returncode == 125 and "is not FILE:LINE COUNT<=N" in done.stderr, bad


def test_lcov_takes_the_file(tmp_path):
    file = build("gfx900", source("half"), tmp_path, ["-g"])
    assert profile("gfx900", file, f"--profile=lcov:{tmp_path}/o.info").returncode == 0
    text = (tmp_path / "o.info").read_text()
    lines = {int(a): int(b) for a, b in re.findall(r"^DA:(\d+),(\d+)$", text, re.M)}
    assert text.startswith("TN:\nSF:") and text.endswith("end_of_record\n") and lines[4] > 0 and lines[5] > 0
    done = profile("gfx900", file, "--profile=lcov:/nonexistent/o")
    assert done.returncode == 125 and "cannot create" in done.stderr
    assert profile("gfx900", file, "--profile=xml:o").returncode == 125


@pytest.fixture(scope="module")
def vecadd(tmp_path_factory):
    folder = tmp_path_factory.mktemp("vecadd")
    out = folder / "vecadd.rv32.elf"
    done = subprocess.run(["make", "-s", "-C", ROOT / "examples" / "vortex", f"OUT={folder}", out], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return out


def test_a_program_of_vortex_by_line(tmp_path, vecadd):
    """sum is what the lanes execute; their requests are those of a trace."""
    out = vecadd
    subprocess.run([COMMAND, "run", f"--profile=json:{tmp_path}/o", out], check=True, capture_output=True, timeout=120)
    found = [json.loads(line) for line in (tmp_path / "o").read_text().splitlines()]
    requests = sum(one["requests"] for one in found if "pc" in one)
    issues = sum(one["issues"] for one in found if "pc" in one)
    said = subprocess.run([COMMAND, "trace", "--accesses", out], check=True, capture_output=True, text=True, timeout=120).stdout.splitlines()
    accesses = [line for line in said if re.match(" +(load|store|atomic) of", line)]
    assert len(accesses) == requests and len(said) - len(accesses) == issues


@pytest.mark.parametrize("line", [4, 64, 256])
def test_lines_of_vortex_as_long_as_the_key_says(line, tmp_path, vecadd):
    """Its transactions are the lines that the addresses of a trace touch."""
    gpu = ["-g", f"vortex:threads=8,line={line}"]
    subprocess.run([COMMAND, "run", *gpu, f"--profile=json:{tmp_path}/o", vecadd], check=True, capture_output=True, timeout=120)
    counted = sum(one["transactions"] for one in map(json.loads, (tmp_path / "o").read_text().splitlines()) if "pc" in one)
    accesses = [found for found in map(read_record, trace(*gpu, vecadd)) if found and found[2] == "global"]
    assert counted and counted == sum(len({at // line for first in found[4] for at in range(first, first + found[1])}) for found in accesses)


def test_a_line_that_is_no_power_of_two(vecadd):
    done = subprocess.run([COMMAND, "run", "-g", "vortex:line=48", vecadd], capture_output=True, text=True)
    assert done.returncode == 125 and "line=48: must be a power of two" in done.stderr


def debug(words, *commands):
    return subprocess.run([COMMAND, "debug", "--nx", "--batch", *(word for one in commands for word in ("-ex", one)), *map(str, words)], capture_output=True,
                          text=True, timeout=300)


def counts_of(path):
    return re.sub(r'"process":\d+,', "", path.read_text())


def commands_of(gpu, name, tmp_path, vecadd):
    """The words of a program or a kernel, with its GPU, for `run` and `debug`."""
    if gpu == "vortex":
        return [vecadd]
    file = build(gpu, source(name), tmp_path, ["-g"], "-g", ["--format", "zebin"])
    return ["-g", gpu, "--kernel=k", f"--grid={GRID}", f"--block={GROUP}", "--arg=iota:65536", "--arg=zeros:65536", file]


TRAVELS = {
    "steps": ["stepi 5", "next", "reverse-stepi 3", "stepi 2"],
    "back and forth": ["stepi 40", "reverse-stepi 20", "goto 0", "goto 12", "reverse-stepi 4"],
    "another way": ["stepi 60", "reverse-stepi 30", "set confirm off", "set var $pc = $pc", "stepi 10"],
    "a second run": ["stepi 20", "run"],
}


@pytest.mark.parametrize("gpu", [*WAVE, "vortex"])
@pytest.mark.parametrize("travel", list(TRAVELS))
def test_a_debugger_counts_the_run_as_it_stands(gpu, travel, tmp_path, vecadd):
    """However it went to and fro before, `run` counts the same."""
    words = commands_of(gpu, "rows", tmp_path, vecadd)
    subprocess.run([COMMAND, "run", f"--profile=json:{tmp_path}/a", *words], check=True, capture_output=True, timeout=120)
    done = debug([f"--profile=json:{tmp_path}/b", *words], "start", *TRAVELS[travel], "delete", "continue", "continue")
    assert "Program exited" in done.stdout or "ended" in done.stdout, done.stdout + done.stderr
    assert counts_of(tmp_path / "a") == counts_of(tmp_path / "b"), done.stdout + done.stderr


@pytest.mark.parametrize("gpu", [*WAVE, "vortex"])
def test_the_past_has_the_counts_of_then(gpu, tmp_path, vecadd):
    """As many issues as the issue time says; a search for where a value is from changes none."""
    words = commands_of(gpu, "rows", tmp_path, vecadd)
    search = {"gfx900": "where-from $v0", "sm": "who-read in[0]", "gen9": "where-from $r5", "vortex": "where-from $a0"}[gpu]
    look = ["start", "set scheduler-locking replay", "stepi 60", "goto 12", "info profile", "goto 5", "info profile", "goto 15", search, "info profile", "goto 40", "goto 15",
            "info profile"]
    plain, counted = debug(words, *[one for one in look if one != "info profile"]), debug(["--profile", *words], *look)
    first, *tables = re.split(r"^wavetrap: profile.*\n.*\n((?: .*\n)*)", counted.stdout, flags=re.M)
    issues = [sum(int(row.split()[0]) for row in table.splitlines()) for table in tables[::2]]
    assert issues == [12, 5, 15, 15], counted.stdout + counted.stderr
    assert first + "".join(tables[1::2]) == plain.stdout and (gpu == "sm" or "Made of:" in plain.stdout)
