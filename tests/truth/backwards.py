"""What the debugger prints at one issue time does not depend on the way there.

A session of a seed walks through a program of places.py: forwards and backwards, by instructions, lines, breakpoints, watchpoints
and `goto`, through the present and the past. After each command it asks for the time, all waves, the cells, and for frames, variables
and registers of the selected lane. Two answers for the same time (and the same wave and lane, where they are of a lane) are equal.
Host programs (hosts.py), with threads and streams, do so within what is recorded. A finding comes with the shortest walk that the
reducer found.
"""
import random
import re

import console
import hosts
import places
from sessions import number, session
from truth import Finding, kind_of

FAMILIES = places.FAMILIES
ROUND = 1000
FIXED = {family: (1, 2) if family in hosts.FAMILIES else (1, 2, 3) for family in FAMILIES}
OF_ALL = ["info waves", "x/12dw {cells}"]
OF_LANE = ["bt", "info locals", "print $pc", "frame"]
TIME = ["print $_time", "print $_wave_id", "print $_lane"]
WAYS = ["stepi", "stepi", "stepi {n}", "next", "step", "continue", "finish", "reverse-stepi", "reverse-stepi {n}", "reverse-next", "reverse-step",
        "reverse-continue", "reverse-finish", "goto {t}", "goto {t}", "delete 2"]


def plain(text):
    """Without what is about the selection, and the numbers of threads and values, which count what was asked."""
    text = re.sub(r"^\$\d+ = ", "", text, flags=re.M)
    return re.sub(r"^[* ] ", "  ", text, flags=re.M)


def frames_of(text):
    """The functions and lines of a backtrace."""
    return re.findall(r"^#\d+ +(?:0x[0-9a-f]+ in )?(\S+) \(.*? at (\S+:\d+)$", text, re.M)


def read(said, commands, step, known, what, time=None):
    """The answers after one command, held against those that are known."""
    if time is None:
        time = number(said[0])
    wave, lane = (number(text) for text in said[1:3])
    if time is None:
        return None
    state = dict(zip(commands, map(plain, said[3:])))
    # `step` enters an inlined call without an issue, as in GDB, and a breakpoint in one is within it: how many of the calls that begin at the
    # instruction have been entered depends on the way. All else does not; so each number of frames has its own answers.
    outer = frames_of(state.get("bt", ""))
    for command, text in state.items():
        key = (time, command) if command in commands[:len(OF_ALL)] else (time, wave, lane, len(outer), command)
        if len(key) > 2 and wave is None:
            continue
        if command == "bt":
            shorter, longer = sorted((outer, known.setdefault((time, wave, lane, "frames"), outer)), key=len)
            if shorter[1:] != longer[len(longer) - len(shorter) + 1:]:
                raise Finding(f"{what}: at time {time} (wave {wave}, lane {lane}) the frames are {outer} after {step}; before: {shorter}, {longer}")
        before = known.setdefault(key, (step, text))
        if before[1] != text:
            raise Finding(f"{what}: at time {time} (wave {wave}, lane {lane}) '{command}' says\n{text}\nafter {step}; after {before[0]} it was\n{before[1]}")
    return time


def walk(p, rng, folder, begin, steps, asked, straight):
    """The commands of `steps`, and then straight to some of the times, in the same way as far as there."""
    commands = [c for step in steps for c in (step, *TIME, *asked)]
    said = session(p, folder, "walk", begin, commands)
    known, times, width = {}, [], 1 + len(TIME) + len(asked)
    for at, step in zip(range(0, len(said), width), steps):
        time = read(said[at + 1:at + width], asked, f"'{step}' (command {at // width + 1})", known, "the same session")
        if time is not None:
            times.append(time)
    times = rng.sample(sorted(set(times)), min(len(set(times)), straight))
    again = session(p, folder, "again", [*begin, *steps], [c for t in times for c in (f"goto {t}", *TIME, *asked)])
    for at, time in zip(range(0, len(again), width), times):
        read(again[at + 1:at + width], asked, f"'goto {time}'", known, "straight there")


def reduced(p, seed, folder, begin, steps, asked, finding):
    """The finding's text with the shortest list of steps that has one of its kind; its scripts are in `folder`."""
    folder.mkdir()
    best, at = str(finding), 0
    while at < len(steps):
        fewer = steps[:at] + steps[at + 1:]
        try:
            walk(p, random.Random(seed), folder, begin, fewer, asked, 99)
            at += 1
        except Finding as found:
            if kind_of(found) == kind_of(finding):
                steps, best = fewer, str(found)
            else:
                at += 1
    return f"{finding}\nreduced to {begin + steps}, in {folder}: {best}"


def device(family, rng, seed, folder):
    p = places.make(family, rng, folder)
    cells = places.writers(p)
    cell = rng.choice(sorted(cells))
    cells_at = "&cells" if p.shape else f"{places.BUFFER:#x}"
    asked = [*(c.format(cells=cells_at) for c in OF_ALL), *OF_LANE]
    first = session(p, folder, "extent", ["start", f"watch cells[{cell}]"], ["continue", *TIME])
    end = number(first[1]) or 2000
    begin = ["start", f"watch cells[{cell}]", f"break {places.source_of(p, 'call')} if b % {rng.randrange(7, 40)} == 3", "continue", "continue"]
    steps = []
    for _ in range(rng.randrange(10, 16)):
        steps.append(rng.choice(WAYS).format(n=rng.randrange(2, 60), t=rng.randrange(end // 2, end)))
    try:
        walk(p, rng, folder, begin, steps, asked, 8)
    except Finding as finding:
        raise Finding(reduced(p, seed, folder / "reduced", begin, steps, asked, finding)) from None


EXTENT = re.compile(r"Issue time (\d+)(?:, in the past)?; recorded from (\d+) to (\d+)\.")


def host(family, rng, folder):
    """The walk chooses its times where the run is recorded, and there is one session: another one has its threads in another order."""
    settings = hosts.draw(family, rng) | {"gpus": 1, "threads": rng.randrange(2, 4)}
    h = hosts.host_of(family, settings)
    one = console.Session(h.options, h.file, "", folder / "session")
    try:
        one.ask(["set confirm off", f"break {h.source} if b % {rng.randrange(7, 40)} == 3", "run", "watch -l to[key]"])
        at, = one.ask(["print/x (long)to"])
        asked = [*(c.format(cells=at.split(" = ")[-1]) for c in OF_ALL), *OF_LANE]
        known, times, extent = {}, set(), None
        ways = [rng.choice(WAYS) for _ in range(rng.randrange(12, 20))] + ["straight"] * 6
        for count, way in enumerate(ways, 1):
            if "{t}" in way or way == "straight":
                if extent is None:
                    continue
                here = sorted(t for t in times if extent[0] <= t <= extent[1])
                way = f"goto {rng.choice(here) if way == 'straight' and here else rng.randrange(extent[0], extent[1] + 1)}"
            way = way.format(n=rng.randrange(2, 60))
            said = one.ask([way, "info time", *TIME[1:], *asked])
            found = EXTENT.search(said[1])
            if not found:
                break  # no kernel runs any more
            now, *now_extent = map(int, found.groups())
            if extent is None or extent[0] != now_extent[0]:
                known, times = {}, set()  # a new recording has begun
            extent = now_extent
            times.add(now)
            read(said[1:], asked, f"'{way}' (command {count})", known, "the same session", now)
    except console.Gone as gone:
        raise Finding(f"the console ended: {gone}") from None
    finally:
        one.close()


def once(family, seed, folder):
    rng = random.Random(f"{family} {seed}")
    if family in hosts.FAMILIES:
        host(family, rng, folder)
    else:
        device(family, rng, seed, folder)
