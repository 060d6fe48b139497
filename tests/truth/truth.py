#!/usr/bin/python3
"""What the truth harnesses share: seeds, findings, and the loop of `make truth`.

A harness is a module of this folder with
    FAMILIES                     the targets that it knows: "rv32", "gcn-opencl", ...
    FIXED                        {family: seeds}: what `make check` tries
    ROUND                        how many random seeds of a family `make truth` tries, unless it is given a time
    once(family, seed, folder)   makes a program and a session from the seed, in an empty folder; raises Finding when an
                                 answer of the debugger is not the oracle's
`test_NAME.py` runs the fixed seeds of harness NAME; `truth.py` runs a round of random ones, or for as long as it is told:

    truth.py [--harness NAME]... [--family NAME]... [--seeds N] [--seconds N] [--seed N]

A seed's work is the same each time. The folder of a seed with a finding stays, in build/truth: it holds the program, the
script, and what the debugger and the oracle said.
"""
import argparse
import fcntl
import importlib
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = pathlib.Path(os.environ.get("WAVETRAP_BUILD", ROOT / "build")).resolve()
WAVETRAP = os.path.abspath(os.environ.get("WAVETRAP", BUILD / "wavetrap"))


class Finding(AssertionError):
    """The debugger's answer is not the oracle's: what it said, what is true, and the command that repeats it."""


def kind_of(finding):
    """What two findings of one defect have in common: the beginning, without numbers."""
    return re.sub(r"-?(0x[0-9a-f]+|\d+)", "N", str(finding))[:50]


def simplest(settings, smaller, fails, tries=40):
    """The smallest settings that still fail: smaller(settings) yields simpler ones, fails(settings) tries them."""
    for one in smaller(settings):
        tries -= 1
        if tries < 0:
            break
        if fails(one):
            return simplest(one, smaller, fails, tries)
    return settings


def compiled(path, source, words):
    """The program at `path`, compiled by the words and `-o` where it is older than its source; others wait meanwhile, and find it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{path}.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists() or path.stat().st_mtime < source.stat().st_mtime:
            done = subprocess.run([*map(str, words), "-o", f"{path}.new"], capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{words}: {done.stderr}"
            os.replace(f"{path}.new", path)
    return path


def harnesses():
    """The names of the harnesses: the modules that have a test file."""
    return sorted(path.stem[5:] for path in HERE.glob("test_*.py"))


def try_seed(name, family, seed, kept):
    """One seed of a harness. Returns the finding, or None; the folder of a finding stays below `kept`."""
    harness = importlib.import_module(name)
    folder = kept / f"{name}-{family}-{seed}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        harness.once(family, seed, folder)
    except Finding as finding:
        (folder / "finding").write_text(f"{finding}\n")
        return finding
    shutil.rmtree(folder)
    return None


def parameters(harness):
    """The (family, seed) pairs of a harness's test file."""
    return [(family, seed) for family in harness.FAMILIES for seed in harness.FIXED.get(family, ())]


def main():
    arguments = argparse.ArgumentParser(description="Looks for wrong answers of the debugger with random seeds.")
    arguments.add_argument("--harness", action="append", choices=harnesses())
    arguments.add_argument("--family", action="append")
    arguments.add_argument("--seeds", type=int, help="for each harness and family; else the harness says how many")
    arguments.add_argument("--seconds", type=float, help="for each harness and family, instead")
    arguments.add_argument("--seed", type=int, help="this seed only")
    chosen = arguments.parse_args()
    kept = BUILD / "truth"
    tried = failed = 0
    for name in chosen.harness or harnesses():
        harness = importlib.import_module(name)
        for family in harness.FAMILIES:
            if chosen.family and family not in chosen.family:
                continue
            end, count, found = time.monotonic() + (chosen.seconds or 0), 0, 0
            source, most = random.SystemRandom(), chosen.seeds or harness.ROUND
            while time.monotonic() < end if chosen.seconds else count < most:
                seed = source.randrange(1 << 31) if chosen.seed is None else chosen.seed
                count += 1
                try:
                    finding = try_seed(name, family, seed, kept)
                except Exception:  # The harness itself, or the command, went wrong: that is a finding, too.
                    finding = traceback.format_exc()
                if finding:
                    found += 1
                    print(f"{name} {family}, seed {seed}: {finding}\n  again: tests/truth/truth.py --harness={name} "
                          f"--family={family} --seed={seed}", flush=True)
                if chosen.seed is not None:
                    break
            print(f"{name} {family}: {count} seeds, {found} with findings", flush=True)
            tried, failed = tried + count, failed + found
    print(f"{tried - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    import truth  # the harnesses' own module, so that Finding is one class
    sys.exit(truth.main())
