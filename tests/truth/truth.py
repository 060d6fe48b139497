#!/usr/bin/python3
"""What the truth harnesses share: seeds, findings, the reducer, and the loop of `make truth`.

A harness is a module of this folder with
    FAMILIES                     the targets that it knows: "rv32", "gcn-opencl", ...
    FIXED                        {family: seeds}: what `make full` tries
    QUICK                        {family: seeds}: those of them that `make check` tries; else all
    ROUND                        how many random seeds of a family `make truth` tries, unless it is given a time
    draw(family, seed)           a plan: what the seed stands for, of dictionaries, lists, numbers and texts
    attempt(family, plan, folder)    makes the plan's program and sessions in an empty folder; raises Finding when an answer of the
                                 debugger is not the oracle's
    smaller(family, plan)        simpler plans with the same lists, if there are some
    TIMES                        {family: how often a plan is tried}, where the same plan may go another way each time; else 1
`test_NAME.py` runs the fixed seeds of harness NAME; `truth.py` runs a round of random ones, or for as long as it is told:

    truth.py [--harness NAME]... [--family NAME]... [--seeds N] [--seconds N] [--seed N] [--whole]
    truth.py --harness NAME --family NAME --plan FILE

The folder of a seed with a finding stays, in build/truth: it holds the program, the sessions, and what the debugger and the oracle
said. Its folder `reduced` has the smallest plan with the same finding that the reducer found, and `again.sh`, which repeats it.
"""
import argparse
import copy
import fcntl
import functools
import importlib
import json
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
sys.path.insert(0, str(ROOT / "tests" / "compilers"))
import amd  # noqa: E402
FOLDER = BUILD / "tests" / "truth" / ("" if amd.MODEL == amd.MODELS[0] else f"{amd.MODEL}-{amd.LANES}")  # of compiled programs


class Finding(AssertionError):
    """The debugger's answer is not the oracle's: what it said, what is true. kind: what two findings of one defect have in common."""

    def __init__(self, text, kind=None):
        super().__init__(text)
        self.kind = kind or re.sub(r"/\S+|-?(0x[0-9a-f]+|\d+)", "N", str(text))[:50]


# ---- the reducer ----

PATIENCE = 200  # seconds, for one finding


def shortest(items, fails):
    """The shortest list of the items, in their order, for which fails(list) is found to hold: without halves first, then ever smaller parts."""
    size = max(1, len(items) // 2)
    while items:
        at, progress = 0, False
        while at < len(items):
            fewer = items[:at] + items[at + size:]
            if fails(fewer):
                items, progress = fewer, True
            else:
                at += size
        if size == 1 and not progress:
            break
        size = max(1, size // 2)
    return items


def simplest(plan, smaller, fails):
    """The smallest plan that still fails: smaller(plan) yields simpler ones, fails(plan) tries them."""
    while made := next(filter(fails, smaller(plan)), None):
        plan = made
    return plan


def lists(plan, path=()):
    """The paths of all lists of a plan."""
    if isinstance(plan, list):
        yield path
    inner = plan.items() if isinstance(plan, dict) else enumerate(plan) if isinstance(plan, list) else ()
    for key, value in inner:
        yield from lists(value, (*path, key))


def at(plan, path):
    return functools.reduce(lambda part, key: part[key], path, plan)


def with_list(plan, path, items):
    made = copy.deepcopy(plan)
    at(made, path[:-1])[path[-1]] = items
    return made


def reduced(harness, family, plan, finding, folder):
    """Shortens the plan's lists and simplifies the rest of it while the same finding comes; writes what is left, and its script. Returns a text
    about it."""
    best, until = finding, time.monotonic() + PATIENCE

    def fails(one):
        nonlocal best
        for _ in range(getattr(harness, "TIMES", {}).get(family, 1)):
            if time.monotonic() > until:
                return False
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            try:
                harness.attempt(family, one, folder)
            except (AssertionError, RuntimeError) as found:     # another one is a program that is none any more
                if getattr(found, "kind", None) == finding.kind:
                    best = found
                    return True
        return False
    n = 0
    while n < len(paths := list(lists(plan))):
        path = paths[n]
        plan = with_list(plan, path, shortest(at(plan, path), lambda some, path=path: fails(with_list(plan, path, some))))
        n += 1
    plan = simplest(plan, lambda one: getattr(harness, "smaller", lambda *_: ())(family, one), fails)
    until += PATIENCE / 4
    same = fails(plan)
    (folder / "plan.json").write_text(json.dumps(plan, indent=1) + "\n")
    if not (folder / "again.sh").exists():
        (folder / "again.sh").write_text(f"#!/bin/sh\n# Repeats the finding with the plan of this folder.\n: ${{WAVETRAP:={WAVETRAP}}} ${{WAVETRAP_BUILD:={BUILD}}}\n"
                                         f"export WAVETRAP WAVETRAP_BUILD\nexec python3 {HERE}/truth.py --harness={harness.__name__} "
                                         f"--family={family} --plan={folder}/plan.json\n")
    return f"reduced, in {folder} (again.sh repeats it{'' if same else ', not each time'}): {best}"


def once(harness, family, seed, folder, shrink=True):
    """One seed of a harness in an empty folder. Returns what the attempt does; raises its finding, reduced."""
    plan = harness.draw(family, seed)
    try:
        return harness.attempt(family, plan, folder)
    except Finding as finding:
        if not shrink:
            raise
        raise Finding(f"{finding}\n{reduced(harness, family, plan, finding, folder / 'reduced')}", finding.kind) from None


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


def try_seed(harness, family, seed, kept, plan=None, shrink=True):
    """One seed of a harness, or a plan. Returns the finding, or None; the folder of a finding stays below `kept`."""
    name = harness.__name__
    folder = kept / f"{name}-{family}-{seed}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        if plan:
            harness.attempt(family, plan, folder)
        else:
            once(harness, family, seed, folder, shrink)
    except Finding as finding:
        (folder / "finding").write_text(f"{finding}\n")
        return finding
    shutil.rmtree(folder)
    return None


def parameters(harness):
    """The (family, seed) pairs of a harness's test file."""
    import pytest       # which `make truth` does without
    quick = getattr(harness, "QUICK", harness.FIXED)
    assert all(set(seeds) <= set(harness.FIXED[family]) for family, seeds in quick.items())
    return [pytest.param(family, seed, marks=[] if seed in quick.get(family, ()) else pytest.mark.full)
            for family in harness.FAMILIES for seed in harness.FIXED.get(family, ())]


def main():
    arguments = argparse.ArgumentParser(description="Looks for wrong answers of the debugger with random seeds.")
    arguments.add_argument("--harness", action="append", choices=harnesses())
    arguments.add_argument("--family", action="append")
    arguments.add_argument("--seeds", type=int, help="for each harness and family; else the harness says how many")
    arguments.add_argument("--seconds", type=float, help="for each harness and family, instead")
    arguments.add_argument("--seed", type=int, help="this seed only")
    arguments.add_argument("--whole", action="store_true", help="findings are not reduced")
    arguments.add_argument("--plan", type=pathlib.Path, help="this plan only, of one harness and family, as often as its harness says")
    chosen = arguments.parse_args()
    plan = json.loads(chosen.plan.read_text()) if chosen.plan else None
    kept = BUILD / "truth"
    tried = failed = 0
    modules = {name: importlib.import_module(name) for name in chosen.harness or harnesses()}
    known = {family for harness in modules.values() for family in harness.FAMILIES}
    unknown = set(chosen.family or ()) - known
    if unknown:
        arguments.error(f"there is no family {', '.join(sorted(unknown))}: one of {', '.join(sorted(known))}")
    for name, harness in modules.items():
        for family in harness.FAMILIES:
            if chosen.family and family not in chosen.family:
                continue
            end, count, found = time.monotonic() + (chosen.seconds or 0), 0, 0
            source, most = random.SystemRandom(), getattr(harness, "TIMES", {}).get(family, 1) if plan else chosen.seeds or harness.ROUND
            while time.monotonic() < end if chosen.seconds else count < most:
                seed = "plan" if plan else source.randrange(1 << 31) if chosen.seed is None else chosen.seed
                count += 1
                try:
                    finding = try_seed(harness, family, seed, kept, plan, not chosen.whole)
                except Exception:  # The harness itself, or the command, went wrong: that is a finding, too.
                    finding = traceback.format_exc()
                if finding:
                    found += 1
                    print(f"{name} {family}, seed {seed}: {finding}\n  again: tests/truth/truth.py --harness={name} "
                          f"--family={family} " + (f"--plan={chosen.plan}" if plan else f"--seed={seed}"), flush=True)
                if chosen.seed is not None or plan and finding:
                    break
            print(f"{name} {family}: {count} seeds, {found} with findings", flush=True)
            tried, failed = tried + count, failed + found
    print(f"{tried - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    import truth  # the harnesses' own module, so that Finding is one class
    sys.exit(truth.main())
