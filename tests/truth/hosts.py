"""The sessions of places.py with host programs: threads with streams (queues) of their own, several launches each, several GPUs.

    condition a breakpoint for some calls: each is a stop, in its own GPU, group and lane, and counts as one hit; a launch has one
              dispatch number
    watch     a cell of one thread, from one of its stores on: the old value is what the store before left; what was recorded
              backwards, and forwards again
    lines     the lines that next visits are those of reverse-next in the other order
"""
import collections
import random
import re

from sessions import BEGINNING, PLACE, PRESENT, VALUES, ended, number, run, session
from truth import FOLDER, HERE, Finding, WAVETRAP, amd, compiled

GPUS = {"gcn-hip": (amd.MODEL, 64), "sm-cuda": ("sm", 32), "gen9-opencl": ("gen9", 8)}  # the GPU, and lanes of its waves
FAMILIES = list(GPUS)
FIXED = {"gcn-hip": (1, 2, 258852863), "sm-cuda": (1, 2), "gen9-opencl": (1, 2)}

# launched: work-items of a launch
Host = collections.namedtuple("Host", "options file launched block calls factor cells width line source built threads launches gpus")


def recipe(family):
    """The source of a family's program, the words that compile it, and in which file of the debugger the kernel is."""
    source = HERE / "programs" / ("places_opencl.c" if family == "gen9-opencl" else "places.cu")
    if family == "gcn-hip":
        return source, ["hipcc", "-x", "hip", f"--offload-arch={amd.MODEL}", "-O0", "-g", source]
    if family == "gen9-opencl":
        return source, ["gcc", "-w", source, "-lOpenCL", "-lpthread"]
    cuda = run([WAVETRAP, "cuda-path"]).stdout.strip()
    return source, ["clang-19", "-x", "cuda", f"--cuda-path={cuda}", "--cuda-gpu-arch=sm_50", "-O0", "-g", source, f"-L{cuda}/lib64", "-lcudart",
                    "-lstdc++", "-lpthread"]


def line_of(family, mark):
    """FILE:LINE of the kernel's line with a mark. OpenCL's kernel begins on the line after `source =`."""
    text = recipe(family)[0].read_text().splitlines()
    line = next(n for n, one in enumerate(text, 1) if f"/* {mark} */" in one)
    if family != "gen9-opencl":
        return f"places.cu:{line}"
    return f"program-1.cl:{line - next(n for n, one in enumerate(text, 1) if one.endswith('source ='))}"


def settings(family, rng):
    slow = family != "sm-cuda"   # each hit of a breakpoint costs tens of milliseconds there
    return {"threads": rng.randrange(1, 4), "launches": rng.randrange(1, 3 if slow else 4), "calls": 1 if slow else rng.randrange(1, 3),
            "groups": rng.randrange(2, 5) if slow else rng.randrange(8, 20),
            "block": max(32, GPUS[family][1]) * rng.choice([1, 1, 2]), "factor": rng.randrange(2, 200), "cells": rng.choice([509, 1021, 2039]),
            "gpus": rng.choice([1, 1, 2, 3])}


def simpler(s):
    """Simpler programs, for the reducer."""
    for name in ("gpus", "threads", "launches", "calls", "groups"):
        if s[name] > 1:
            yield s | {name: 1}
            yield s | {name: s[name] - 1}


def host_of(family, s):
    source, words = recipe(family)
    path = FOLDER / f"places.{family}"
    program, built = compiled(path, source, words), [*words, "-o", path]
    file = [program, *(str(s[name]) for name in ("threads", "launches", "groups", "block", "calls", "factor", "cells"))]
    gpu, width = GPUS[family]
    return Host(["-g", gpu] * s["gpus"], file, s["groups"] * s["block"], s["block"], s["calls"], s["factor"], s["cells"], width,
                line_of(family, "store"), line_of(family, "call"), built, s["threads"], s["launches"], s["gpus"])


def ask(h, folder, name, before, commands):
    return session(h, folder, name, before, commands, file=h.file)


def unrecorded(h, rng):
    """The same without a recording, some times: then the debugger cannot look for a store in the past."""
    return h if h.gpus > 1 or rng.random() < 0.6 else h._replace(options=[*h.options, "--no-history"])


def place_is_of(h, text, g, dispatches, what):
    """The place of a stop is that of work-item g, counted through threads and launches; each launch has one dispatch number."""
    found = PLACE.search(text)
    launch = g // h.launched
    true = (launch // h.launches % h.gpus, g % h.launched // h.block, g % h.width)
    said = found and (int(found[1]), int(found[3]), int(found[8]))
    if said != true:
        raise Finding(f"{what}: work-item {g} is in (device, group, lane) {true}, and the stop names {said}: {text!r}")
    key, told = (true[0], launch), int(found[2])
    if dispatches.setdefault(key, told) != told or any(d[0] == key[0] and d != key and n == told for d, n in dispatches.items()):
        raise Finding(f"{what}: launch {launch} is told as dispatch {told}; before: {dispatches}")


def calls(h, rng, most):
    return {(rng.randrange(h.threads * h.launches * h.launched), rng.randrange(h.calls)) for _ in range(rng.randrange(1, most))}


def holds(true):
    return " || ".join(f"value == {g * 16 + i + 1}" for g, i in sorted(true))


def condition(h, rng, folder):
    true = calls(h, rng, 6)
    least, text, what = len({(g // h.width, i) for g, i in true}), holds(true), "break in a host program"
    said = ask(h, folder, "host-condition", [f"break {h.line} if {text}"],
               ["run", "print value", *["continue", "print value"] * least, "info breakpoints"])
    stops, dispatches = [], {}
    for at in range(0, len(said) - 1, 2):
        if ended(said[at]):
            break
        value = number(said[at + 1])
        if value is None or ((value - 1) // 16, (value - 1) % 16) not in true:
            raise Finding(f"{what} if {text}: stopped with value {value}: {said[at]!r}")
        place_is_of(h, said[at], (value - 1) // 16, dispatches, f"{what} if {text}")
        stops.append(value)
    if len(set(stops)) != len(stops) or len(stops) != least or f"already hit {least} time" not in said[-1]:
        raise Finding(f"{what} if {text}: it holds in {least} calls of waves, and it stopped {len(stops)} times ({stops}): {said[-1]!r}")


def watch(h, rng, folder):
    g, i = min(calls(h, rng, 3))
    h = unrecorded(h, rng)
    recorded = h.gpus == 1 and "--no-history" not in h.options
    what, count = "watch of a host program", 4
    begin = [f"tbreak {h.line} if {holds({(g, i)})}", "run"]
    back = ["reverse-continue"] * (count + 2) + ["continue"] * (count + 1)
    said = ask(h, folder, "host-watch", begin, ["print to[key]", "watch -l to[key]", *["continue"] * count, *(back if recorded else [])])
    before, stops, dispatches = number(said[0]), [], {}
    for stop in said[2:2 + count]:
        if ended(stop):
            return
        values = VALUES.search(stop)
        if not values or int(values[1]) != before:
            raise Finding(f"{what}: the store before left {before}: {stop!r}")
        before = int(values[2])
        if before:
            place_is_of(h, stop, (before - 1) // 16, dispatches, what)
        stops.append((int(values[1]), before))
    if not recorded:
        return
    # What is recorded: as many of the last stops as it holds, the last one first, perhaps stores before the first one, then the beginning.
    answers, seen = said[2 + count:4 + 2 * count], []
    for text in answers:
        values = VALUES.search(text)
        if not values:
            if BEGINNING not in text:
                raise Finding(f"{what}, backwards: neither a stop nor the beginning: {text!r}")
            break
        seen.append((int(values[2]), int(values[1])))
        if seen[-1][1]:
            place_is_of(h, text, (seen[-1][1] - 1) // 16, dispatches, f"{what}, backwards")
    known = stops[::-1]
    if seen[:len(known)] != known[:len(seen)] or any(a[0] != b[1] for a, b in zip(seen, seen[1:])):
        raise Finding(f"{what}: the stops are {stops}; backwards they are {seen}")
    if len(seen) == len(answers):
        return  # the beginning is further back
    again = []
    for text in said[4 + 2 * count:]:
        values = VALUES.search(text)
        if PRESENT in text or not values:
            break
        again.append(tuple(map(int, values.groups())))
    # Where the last stop is the present itself, the run goes on from it: stores that follow one another.
    past, new = seen[::-1], again[len(seen):]
    if new and again[:len(past)] == past and all(a[1] == b[0] for a, b in zip([past[-1], *new], new)):
        again = past
    if again not in (past[:count + 1], seen[:0:-1][:count + 1]):
        raise Finding(f"{what}: backwards the stops are {seen}; forwards through the past they are {again}")


def lines(h, rng, folder):
    """next, some times, and reverse-next as often, in the call of one work-item."""
    g, i = min(calls(h, rng, 3))
    count, what = rng.randrange(1, 3) + 3 * (h.calls - 1 - i), "next in a host program"
    asked = ["frame", *["next", "frame", "print b"] * count, *(["reverse-next", "frame", "print b"] * count if h.gpus == 1 else [])]
    said = ask(h, folder, "host-lines", [f"tbreak {h.source} if first + b == {g} && i == {i}", "run"], asked)
    said = said[:next((at for at in range(1 + 3 * count, len(said), 3) if BEGINNING in said[at]), None)]    # what is recorded may begin with another launch
    visited = [re.findall(r"^(?:0x[0-9a-f]+\t)?(\d+)\t", text, re.M)[-1:] for text in [said[0], *said[2::3]]]
    work = {number(text) for text in said[3::3]}
    forwards, back = visited[:count + 1], visited[count:]
    if work != {g % h.launched} or h.gpus == 1 and forwards[::-1][:len(back)] != back:
        raise Finding(f"{what} of work-item {g}: lines {forwards}; reverse-next: {back}; work-items {work}")


SESSIONS = {"condition": condition, "watch": watch, "lines": lines}
