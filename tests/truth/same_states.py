#!/usr/bin/python3
"""Two builds compute the same: hashes and core files of random programs at random issue times, for all schedules.

    same_states.py BEFORE [--programs N] [--seed N] [--hashes-only] [--keep]

BEFORE is the `wavetrap` of the build before; the other one is this build's (WAVETRAP, WAVETRAP_BUILD). The programs are those of the harnesses
Places (many more waves than slots, with one to two cores) and Values (unoptimised and optimised), in turn for each family. At the end, and at random
issue times reached forwards and from behind, the hash of the device's state must be the same; the core file there, with all that was recorded
before, the same bytes. For changes that must not change what is computed: docs/testing.md, "Changes that must change nothing".
"""
import argparse
import filecmp
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import dialects
import places
import program as programs
from truth import WAVETRAP

SCHEDULES = ["rr:64", "rr:1", "rr:7", "lockstep", "random:{}"]
TIMES = 3


def kernels():
    """(name, build) without end: build(folder, seed) makes a program, and returns the words that start it."""
    def place(family):
        def build(folder, rng):
            made = places.build(family, places.settings(family, rng), folder)
            return [*made.options[:-1], made.file]      # without its schedule
        return f"places {family}", build

    def value(dialect, level):
        def build(folder, rng):
            source, _, _, _ = dialects.write(dialect, programs.make(rng.randrange(10000)), folder)
            dialect.build(source, folder / "t.out", level)
            return [*dialect.options, folder / "t.out"]
        return f"values {dialect.name} {level}", build

    return [*(place(family) for family in places.DEVICES),
            *(value(d, level) for d in dialects.all_dialects().values() for level in ("-O0", next(iter(d.levels.values()))))]


def said(wavetrap, *words):
    done = subprocess.run([str(word) for word in (wavetrap, *words)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    return f"{done.returncode}\n{done.stdout}{done.stderr}"


def hashes(wavetrap, *words):
    """The exit status and the line of the hash: what builds have in common that say and store other things."""
    text = said(wavetrap, *words)
    return text.split("\n", 1)[0] + " " + re.search(r"state hash .*|$", text)[0]


def issues(text):
    return int(re.search(r"state hash [0-9a-f]+ after (\d+) issues", text)[1])


def differences(before, words, rng, folder, only_hashes):
    """(which state, before, after) of each state of a program that differs."""
    said_of = hashes if only_hashes else said
    schedule = ["--schedule", rng.choice(SCHEDULES).format(rng.randrange(100))]
    whole = [said_of(w, "run", "--hash", *schedule, *words) for w in (before, WAVETRAP)]
    if whole[0] != whole[1]:
        yield "at the end", *whole
    end = issues(whole[0])
    times = [rng.randrange(1, end) for _ in range(TIMES)]
    for time in times:
        part = [said_of(w, "run", "--hash", f"--max-issues={time}", *schedule, *words) for w in (before, WAVETRAP)]
        if part[0] != part[1]:
            yield f"after {time} issues", *part
    if only_hashes:
        return
    cores = [folder / f"{name}.{i}" for name in ("before", "after") for i in range(TIMES)]
    for w, files in ((before, cores[:TIMES]), (WAVETRAP, cores[TIMES:])):
        travel = [f"goto {max(times)}", *(line for time, file in zip(times, files) for line in (f"goto {time}", f"generate-core {file} all"))]
        answer = said(w, "debug", "--nx", "--batch", *schedule, *(word for line in ("run", *travel) for word in ("-ex", line)), *words)
        assert all(file.exists() for file in files), answer
    for time, one, other in zip(times, cores[:TIMES], cores[TIMES:]):
        if not filecmp.cmp(one, other, shallow=False):
            yield f"the core file at {time}", str(one), str(other)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=os.path.abspath)
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hashes-only", action="store_true", help="no texts and no core files, of which BEFORE has others")
    parser.add_argument("--keep", action="store_true", help="keep the folders of programs that differ")
    options = parser.parse_args()
    made, different = kernels(), 0
    for n in range(options.programs):
        name, build = made[n % len(made)]
        rng = random.Random(f"{name} {options.seed} {n // len(made)}")
        folder = pathlib.Path(tempfile.mkdtemp(prefix="wt-states-"))
        found = list(differences(options.before, build(folder, rng), rng, folder, options.hashes_only))
        for what, one, other in found:
            print(f"{name}, program {n}, {what}:\n  before: {one.strip()}\n  after:  {other.strip()}", flush=True)
        different += bool(found)
        if not (found and options.keep):
            shutil.rmtree(folder)
    print(f"{options.programs} programs, {different} with other states")
    return different > 0


if __name__ == "__main__":
    sys.exit(main())
