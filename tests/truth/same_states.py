#!/usr/bin/python3
"""Two builds compute the same: hashes and core files of random programs at random issue times, for all schedules.

    same_states.py BEFORE|handlers [--programs N] [--seed N] [--hashes-only] [--keep]

BEFORE is the `wavetrap` of the build before; the other one is this build's (WAVETRAP, WAVETRAP_BUILD). `handlers` is this build without translated code,
beside it with code that is translated at the first visit. The programs are those of the harnesses
Places (many more waves than slots, with one to two cores) and Values (unoptimised and optimised), in turn for each family. At the end, and at random
issue times reached forwards and from behind, the hash of the device's state must be the same; the core file there, with all that was recorded
before, the same bytes; and a session of random commands (breakpoints, watchpoints, steps, the way back, who-wrote) must print the same.
For changes that must not change what is computed: docs/testing.md, "Changes that must change nothing".
"""
import argparse
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


def said(way, *words, lines=()):
    """way: the program, and the parameter that is added to those of the device, or ''. lines: its input."""
    wavetrap, more = way
    words = [str(word) for word in words]
    device = words.index("-g") + 1
    words[device] += more and (",:"[":" not in words[device]] + more)
    try:
        done = subprocess.run([str(wavetrap), *words], input="\n".join(lines), capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return "It has not ended in 300 s."
    return f"{done.returncode}\n{done.stdout}{done.stderr}".replace(more, "")


def hashes(way, *words):
    """The exit status and the line of the hash: what builds have in common that say and store other things."""
    text = said(way, *words)
    return text.split("\n", 1)[0] + " " + re.search(r"state hash .*|$", text)[0]


def content(file, way):
    """A core file; without the parameter that is added, and the sum at its end that counts it."""
    return file.read_bytes() if not way[1] else file.read_bytes()[:-8].replace(way[1].encode(), b"")


def issues(text):
    return int(re.search(r"state hash [0-9a-f]+ after (\d+) issues", text)[1])


def session(rng, words, end):
    """Random commands of a session that goes forwards and back. One that the program has no object for is an error in both builds."""
    memory = [f"*(int *){places.BUFFER + 4 * rng.randrange(100):#x}", "*(int *)$sp", f"cells[{rng.randrange(100)}]"]
    memory = memory[:1] if any(str(word).startswith("--kernel") for word in words) else memory[1:]
    kinds = ["break *$pc", "tbreak *$pc", "watch {memory}", "watch {memory}", "who-wrote {memory}", "print {memory}", "stepi {steps}", "stepi {steps}",
             "reverse-stepi {steps}", "continue", "continue", "continue", "reverse-continue", "next", "step", "finish", "reverse-next", "reverse-step", "reverse-finish",
             "info registers", "info threads", "backtrace", "x/4i $pc"]
    for begin in (["start", "stepi 100"], ["start"], ["run"], *[["delete"]] * 4):     # what is recorded from `run` on
        yield from begin
        if begin[0] != "start":
            yield f"goto {rng.randrange(1, end)}"
        for _ in range(5):
            yield rng.choice(kinds).format(memory=rng.choice(memory), steps=rng.choice([1, 2, 7, 64, 300]))
            yield rng.choice(["info time", "info lanes", "print $pc"])


def differences(both, words, rng, folder, only_hashes):
    """(which state, before, after) of each state of a program that differs."""
    said_of = hashes if only_hashes else said
    schedule = ["--schedule", rng.choice(SCHEDULES).format(rng.randrange(100))]
    whole = [said_of(w, "run", "--hash", *schedule, *words) for w in both]
    if whole[0] != whole[1]:
        yield "at the end", *whole
    end = issues(whole[0])
    times = [rng.randrange(1, end) for _ in range(TIMES)]
    for time in times:
        part = [said_of(w, "run", "--hash", f"--max-issues={time}", *schedule, *words) for w in both]
        if part[0] != part[1]:
            yield f"after {time} issues", *part
    if only_hashes:
        return
    cores = [folder / f"{name}.{i}" for name in ("before", "after") for i in range(TIMES)]
    for w, files in zip(both, (cores[:TIMES], cores[TIMES:])):
        travel = [f"goto {max(times)}", *(line for time, file in zip(times, files) for line in (f"goto {time}", f"generate-core {file} all"))]
        answer = said(w, "debug", "--nx", "--batch", *schedule, *(word for line in ("run", *travel) for word in ("-ex", line)), *words)
        assert all(file.exists() for file in files), answer
    for time, one, other in zip(times, cores[:TIMES], cores[TIMES:]):
        if content(one, both[0]) != content(other, both[1]):
            yield f"the core file at {time}", str(one), str(other)
    commands = list(session(rng, words, end))
    told = [said(w, "debug", "--nx", *schedule, *words, lines=commands) for w in both]
    if told[0] != told[1]:
        yield "the session " + "; ".join(commands), *("\n".join(lines) for lines in first_difference(*told))


def first_difference(one, other):
    """The lines from the first one on that differs."""
    one, other = one.splitlines(), other.splitlines()
    at = next((i for i, lines in enumerate(zip(one, other)) if lines[0] != lines[1]), min(len(one), len(other)))
    return one[max(at - 1, 0):at + 5], other[max(at - 1, 0):at + 5]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", help="a wavetrap, or `handlers`")
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hashes-only", action="store_true", help="no texts and no core files, of which BEFORE has others")
    parser.add_argument("--keep", action="store_true", help="keep the folders of programs that differ")
    options = parser.parse_args()
    made, different = kernels(), 0
    both = [(WAVETRAP, "jit=0"), (WAVETRAP, "jit=1")] if options.before == "handlers" else [(os.path.abspath(options.before), ""), (WAVETRAP, "")]
    for n in range(options.programs):
        name, build = made[n % len(made)]
        rng = random.Random(f"{name} {options.seed} {n // len(made)}")
        folder = pathlib.Path(tempfile.mkdtemp(prefix="wt-states-"))
        found = list(differences(both, build(folder, rng), rng, folder, options.hashes_only))
        for what, one, other in found:
            print(f"{name}, program {n}, {what}:\n  before: {one.strip()}\n  after:  {other.strip()}", flush=True)
        different += bool(found)
        if not (found and options.keep):
            shutil.rmtree(folder)
    print(f"{options.programs} programs, {different} with other states")
    return different > 0


if __name__ == "__main__":
    sys.exit(main())
