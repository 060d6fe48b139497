#!/usr/bin/env python3
"""Bugs that people really had: reads the list (known.txt), runs each case of a program and its fixed twin under --check=all, and judges
what is reported. known.py writes the table of docs/known-bugs.md anew."""
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
WAVETRAP = os.path.abspath(os.environ.get("WAVETRAP", HERE.parents[1] / "build" / "wavetrap"))

# Kinds of findings that are the kind of a row.
UNDEFINED = {"undefined-branch", "undefined-address", "undefined-atomic", "undefined-result", "undefined-load", "undefined-copy"}
KINDS = {"out-of-bounds": {"out-of-bounds", "out-of-object", "null", "use-after-free"}, "uninitialised or out-of-bounds": {"out-of-bounds", "out-of-object", *UNDEFINED},
         "race": {"race", "missing-warp-sync", "host-race", "missed-barrier"}, "barrier": {"missed-barrier", "other-barrier", "barrier-count", "deadlock", "race"}, "uninitialised": UNDEFINED,
         "leak": {"leak"}, "misaligned": {"misaligned"}, "launch": {"failed-call"}, "shuffle-mask": {"sync-mask", "inactive-lane"},
         "host": {"host-race", "use-after-free"}, "wrong result": {"inactive-lane", "sync-mask"}}

# Pairs that cannot exist: (family, level or "*", names): the reason.
ENDED = "threads that have ended do not count at a barrier, on either GPU"
EQUAL = "the compiler leaves the fault out: bug and twin do the same"
CANNOT = {("*", "*", "barrier_4 barrier_5"): ENDED,
          ("*", "*", "fence_4"): "a barrier and one thread's fence order all stores of its block (PTX: causality order; the other GPU's memory model says so, too)",
          ("gfx900", "*", "warp_synchrony_1 warp_synchrony_2 warp_synchrony_3 warp_synchrony_4 warp_synchrony_5"): "lanes of a wave run in lockstep",
          ("gfx900", "*", "misaligned_1 misaligned_2 misaligned_3 misaligned_4"): "the GPU makes such accesses",
          ("*", "-O3", "memory_1 memory_2 memory_3"): EQUAL,
          ("sm", "-O3", "misaligned_1"): EQUAL,
          ("*", "-O3", "uninitialised_5"): EQUAL}
# Pairs that are missed, or found without the line: the limit.
LIMITS = {("*", "-O0", "memory_1"): "a load before an array of the thread, whose value decides nothing",
          ("gfx900", "*", "shuffle_4 shuffle_5 shuffle_6"): "code for waves of 32 lanes does nothing that is undefined on waves of 64",
          ("*", "*", "managed_2 managed_3"): "the host's loads of managed memory of a page and more, beside a kernel, are not seen",
          ("sm", "-O3", "overflow_1"): "clang writes lines alone into optimised PTX, not the places of what is moved"}

Row = collections.namedtuple("Row", "name kind address fault expected languages")
Judged = collections.namedtuple("Judged", "found line twin said")


def rows():
    for line in (HERE / "known.txt").read_text().splitlines():
        if not line.startswith("#"):
            name, kind, address, fault, expected, languages = line.split(" | ")
            yield Row(name, kind, address, fault, expected.partition(";")[0], languages.split())


def lines_of(source, name):
    """The lines with the comment of a bug."""
    return {n for n, line in enumerate(source.read_text().splitlines(), 1) if re.search(rf"/\* bug\b[^*]*\b{name}\b[^*]*\*/", line)}


def findings(program, gpu, *words):
    """The findings of a run, errors and warnings, and failed calls."""
    with tempfile.TemporaryDirectory() as own:
        report = pathlib.Path(own) / "report"
        subprocess.run([WAVETRAP, "exec", "-g", gpu, "--check=all", "--fill=random:7", f"--report=json:{report}", program, *words], capture_output=True, timeout=300, check=False)
        objects = [json.loads(line) for line in report.read_text().splitlines()] if report.exists() else []
    faults = [{"finding": {"access": "null", "deadlock": "deadlock"}.get(o["fault"], o["fault"]), "line": o.get("line"), "severity": "error"} for o in objects if o["kind"] == "fault"]
    return faults + [o for o in objects if o["kind"] == "finding" and (o["severity"] != "note" or o["finding"] == "failed-call")]


def places(one):
    """The lines that a finding names, of both sides and of the calls that led there; where the compiler names none, the line that the place comes after, and the next one."""
    sides = [one, one.get("other") or {}]
    calls = [call for side in sides for key in ("calls", "launched", "made") for call in side.get(key) or []] + [call for call in (one.get("object") or {}).get("made") or []]
    return {line for at in sides + calls if isinstance(at, dict) and "line" in at for line in (at["line"], at["line"] + ("after" in at))}


def judge(row, program, source, gpu):
    bad = findings(program, gpu, row.name)
    good = [one for one in findings(program, gpu, row.name, "good") if one["severity"] == "error"]
    kinds = KINDS[row.expected]
    of_kind = [one for one in bad if one["finding"] in kinds]
    wanted = lines_of(source, row.name)
    return Judged(bool(of_kind), any(wanted & places(one) for one in of_kind), not good, sorted({one["finding"] for one in bad}) + ["twin: " + one["finding"] for one in good])


def table(program, source, gpu):
    there = subprocess.run([WAVETRAP, "exec", "-g", gpu, program], capture_output=True, text=True, check=True).stdout.split()
    cases = [row for row in rows() if row.name in there]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return dict(zip((row.name for row in cases), pool.map(lambda row: judge(row, program, source, gpu), cases)))


def reason(reasons, family, level, name):
    """Why a pair is an exception; None: it is none."""
    return next((text for (of, at, names), text in reasons.items() if of in ("*", family) and at in ("*", level) and name in names.split()), None)


def share(told, family, level):
    """(found at the line, pairs that can exist)."""
    there = [one for name, one in told.items() if not reason(CANNOT, family, level, name)]
    return sum(one.found and one.line for one in there), len(there)


GPUS = {"sm": "sm:cc=8.0", "gfx900": "gfx900"}
COLUMNS = [("sm", "-O0"), ("sm", "-O3"), ("gfx900", "-O0"), ("gfx900", "-O3")]


def built(family, level, folder):
    """The program with all cases."""
    out = folder / f"known.{family}{level}"
    if family == "sm":
        cuda = subprocess.run([WAVETRAP, "cuda-path"], capture_output=True, text=True, check=True).stdout.strip()
        words = ["clang-19", "-x", "cuda", "--cuda-gpu-arch=sm_70", level, "-g", "-w", f"--cuda-path={cuda}", HERE / "known.cu", "-o", out, f"-L{cuda}/lib64", "-lcudart", "-lstdc++"]
    else:
        words = ["hipcc", "--offload-arch=gfx900", level, "-g", "-w", "-x", "hip", HERE / "known.cu", "-o", out]
    subprocess.run(words, check=True, capture_output=True)
    return out


def cell(told, family, level, name):
    """What became of a bug there, in a word, with the number of its reason."""
    cannot, limit = reason(CANNOT, family, level, name), reason(LIMITS, family, level, name)
    texts = [*dict.fromkeys([*CANNOT.values(), *LIMITS.values()])]
    if name not in told:
        return "-"
    one = told[name]
    missing = f"{'no line' if one.found else 'missed'} ({texts.index(limit) + 1 if limit else '?'})"
    return f"cannot ({texts.index(cannot) + 1})" if cannot else "found" if one.found and one.line else missing


def tables(of):
    """The page's tables, of each column's judgements."""
    yield "| bug | from | fault | " + " | ".join(f"{'CUDA' if family == 'sm' else 'HIP'} `{level}`" for family, level in COLUMNS) + " |"
    yield "|---|---|---|---|---|---|---|"
    for row in rows():
        cells = [cell(of[column], *column, row.name) for column in COLUMNS]
        yield f"| {row.name.replace('_', ' ')} | [{row.address.split('/', 3)[3]}]({row.address}) | {row.fault} | {' | '.join(cells)} |"
    shares = [share(of[column], *column) for column in COLUMNS]
    yield "| found, of those that can exist | | | " + " | ".join(f"{found} of {pairs}" for found, pairs in shares) + " |"
    yield ""
    for number, text in enumerate(dict.fromkeys([*CANNOT.values(), *LIMITS.values()]), 1):
        yield f"{number}. {text[0].upper()}{text[1:]}."


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as own:
        judged = {(family, level): table(built(family, level, pathlib.Path(own)), HERE / "known.cu", GPUS[family]) for family, level in COLUMNS}
    page = HERE.parents[1] / "docs" / "known-bugs.md"
    before, mark, _ = page.read_text().partition("<!-- made by tests/known/known.py -->\n")
    page.write_text(before + mark + "\n".join(tables(judged)) + "\n")
