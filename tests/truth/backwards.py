"""What the debugger prints at one issue time does not depend on the way there.

A session of a seed walks through a program of places.py: forwards and backwards, by instructions, lines, breakpoints, watchpoints
and `goto`, through the present and the past. After each command it asks for the time, all waves, the cells, and for frames, variables
and registers of the selected lane. Two answers for the same time (and the same wave and lane, where they are of a lane) are equal.
"""
import random
import re

import places
from truth import Finding

FAMILIES = [family for family in places.FAMILIES if family not in places.HOSTS]
FIXED = {family: (1, 2, 3) for family in FAMILIES}
OF_ALL = ["info waves", "x/12dw {cells}"]
OF_LANE = ["bt", "info locals", "print $pc", "frame"]
TIME = ["print $_time", "print $_wave_id", "print $_lane"]
WAYS = ["stepi", "stepi", "stepi {n}", "next", "step", "continue", "finish", "reverse-stepi", "reverse-stepi {n}", "reverse-next", "reverse-step",
        "reverse-continue", "reverse-finish", "goto {t}", "goto {t}", "delete 2"]


def number(text):
    found = re.search(r" = (-?\d+)$", text)
    return int(found[1]) if found else None


def plain(text):
    """Without what is about the selection, and the numbers of threads and values, which count what was asked."""
    text = re.sub(r"^\$\d+ = ", "", text, flags=re.M)
    return re.sub(r"^[* ] ", "  ", text, flags=re.M)


def read(said, commands, step, known, what):
    """The answers after one command, held against those that are known."""
    time, wave, lane = (number(text) for text in said[:3])
    if time is None:
        return None
    state = dict(zip(commands, map(plain, said[3:])))
    for command, text in state.items():
        key = (time, command) if command in commands[:len(OF_ALL)] else (time, wave, lane, command)
        if wave is None and len(key) > 2:
            continue
        before = known.setdefault(key, (step, text))
        if before[1] != text:
            raise Finding(f"{what}: at time {time} (wave {wave}, lane {lane}) '{command}' says\n{text}\nafter {step}; after {before[0]} it was\n{before[1]}")
    return time


def once(family, seed, folder):
    rng = random.Random(f"{family} {seed}")
    p = places.make(family, rng, folder)
    cells = places.writers(p)
    cell = rng.choice(sorted(cells))
    cells_at = "cells" if p.shape else f"{places.BUFFER:#x}"
    asked = [*(c.format(cells="&" + cells_at if p.shape else cells_at) for c in OF_ALL), *OF_LANE]
    first = places.session(p, folder, "extent", ["start", f"watch cells[{cell}]"], ["continue", *TIME])
    end = number(first[1]) or 2000
    begin = ["start", f"watch cells[{cell}]", f"break k.{'c' if p.shape else 'cl'}:{p.lines['call']} if b % {rng.randrange(7, 40)} == 3", "continue", "continue"]
    steps = []
    for _ in range(rng.randrange(10, 16)):
        steps.append(rng.choice(WAYS).format(n=rng.randrange(2, 60), t=rng.randrange(end // 2, end)))
    commands = [c for step in steps for c in (step, *TIME, *asked)]
    said = places.session(p, folder, "walk", begin, commands)
    known, times, width = {}, [], 1 + len(TIME) + len(asked)
    for at, step in zip(range(0, len(said), width), steps):
        time = read(said[at + 1:at + width], asked, f"'{step}' (command {at // width + 1})", known, "the same session")
        if time is not None:
            times.append(time)
    # Once more, straight there: in the same session each time, in another order.
    times = rng.sample(sorted(set(times)), min(len(set(times)), 8))
    last = [c for t in times for c in (f"goto {t}", *TIME, *asked)]
    again = places.session(p, folder, "again", [*begin, *steps], last)
    for at, time in zip(range(0, len(again), width), times):
        read(again[at + 1:at + width], asked, f"'goto {time}'", known, "straight there")
