"""What the debugger prints at one issue time does not depend on the way there.

A session of a seed walks through a program of places.py: forwards and backwards, by instructions, lines, breakpoints, watchpoints
and `goto`, through the present and the past. After each command it asks for the time, all waves, the cells, and for frames, variables
and registers of the selected lane. Two answers for the same time (and the same wave and lane, where they are of a lane) are equal.
Host programs (hosts.py), with threads and streams, do so within what is recorded.
"""
import random
import re

import console
import hosts
import places
from sessions import number, session
from truth import Finding

FAMILIES = places.FAMILIES
ROUND = 1000
TIMES = {family: 4 for family in hosts.FAMILIES}    # threads
FIXED = {family: (1, 2) if family in hosts.FAMILIES else (1, 2, 3) for family in FAMILIES}
FIXED["gcn"] += (1433361825,)   # a wave halts by the store that a watchpoint stops at
OF_ALL = ["info waves", "x/12dw {cells}"]
OF_LANE = ["bt", "info locals", "print $pc", "frame"]
TIME = ["print $_time", "print $_wave_id", "print $_lane"]
WAYS = ["stepi", "stepi", "stepi {n}", "next", "step", "continue", "finish", "reverse-stepi", "reverse-stepi {n}", "reverse-next", "reverse-step",
        "reverse-continue", "reverse-finish", "goto {share}", "goto {share}", "delete 2"]


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


def at_share(step, first, last):
    """`goto 0.25` is a time a quarter of the way from the first to the last one."""
    word, _, share = step.partition(" ")
    return f"goto {first + int(float(share) * (last - first))}" if word == "goto" else step


def draw(family, seed):
    """steps: the walk; places of `goto`, the watched cell: shares of what there is."""
    rng = random.Random(f"{family} {seed}")
    host = family in hosts.FAMILIES
    settings = hosts.settings(family, rng) | {"gpus": 1, "threads": rng.randrange(2, 4)} if host else places.settings(family, rng)
    steps = [rng.choice(WAYS).format(n=rng.randrange(2, 60), share=round(rng.random(), 4)) for _ in range(rng.randrange(12, 20) if host else rng.randrange(10, 16))]
    steps += [f"straight {round(rng.random(), 4)}" for _ in range(6 if host else 8)]
    return {"settings": settings, "modulo": rng.randrange(7, 40), "cell": rng.random(), "steps": steps}


def smaller(family, plan):
    for settings in hosts.simpler(plan["settings"]) if family in hosts.FAMILIES else places.simpler(plan["settings"]):
        yield plan | {"settings": settings}


def attempt(family, plan, folder):
    (host if family in hosts.FAMILIES else device)(family, plan, folder)


def chosen(share, times):
    """The time at a share of the known ones."""
    return sorted(times)[min(int(share * len(times)), len(times) - 1)]


def device(family, plan, folder):
    p = places.build(family, plan["settings"], folder)
    cells = sorted(places.writers(p))
    cell = cells[int(plan["cell"] * len(cells))]
    cells_at = "&cells" if p.shape else f"{places.BUFFER:#x}"
    asked = [*(c.format(cells=cells_at) for c in OF_ALL), *OF_LANE]
    first = session(p, folder, "extent", ["start", f"watch cells[{cell}]"], ["continue", *TIME])
    end = number(first[1]) or 2000
    begin = ["start", f"watch cells[{cell}]", f"break {places.source_of(p, 'call')} if b % {plan['modulo']} == 3", "continue", "continue"]
    steps = [at_share(step, end // 2, end) for step in plan["steps"] if not step.startswith("straight")]
    commands = [c for step in steps for c in (step, *TIME, *asked)]
    said = session(p, folder, "walk", begin, commands)
    known, times, width = {}, set(), 1 + len(TIME) + len(asked)
    for at, step in zip(range(0, len(said), width), steps):
        time = read(said[at + 1:at + width], asked, f"'{step}' (command {at // width + 1})", known, "the same session")
        times |= {time} - {None}
    # And straight to some of the times, in the same way as far as there.
    times = [chosen(float(step.split()[1]), times) for step in plan["steps"] if step.startswith("straight") and times]
    again = session(p, folder, "again", [*begin, *steps], [c for t in times for c in (f"goto {t}", *TIME, *asked)])
    for at, time in zip(range(0, len(again), width), times):
        read(again[at + 1:at + width], asked, f"'goto {time}'", known, "straight there")


EXTENT = re.compile(r"Issue time (\d+)(?:, in the past)?; recorded from (\d+) to (\d+)\.")


def host(family, plan, folder):
    """There is one session: another one has its threads in another order."""
    h = hosts.host_of(family, plan["settings"])
    one = console.Session(h.options, h.file, "", folder / "session")
    try:
        one.ask(["set confirm off", f"break {h.source} if b % {plan['modulo']} == 3", "run", "watch -l to[key]"])
        at, = one.ask(["print/x (long)to"])
        asked = [*(c.format(cells=at.split(" = ")[-1]) for c in OF_ALL), *OF_LANE]
        known, times, extent = {}, set(), None
        for count, way in enumerate(plan["steps"], 1):
            if way.startswith(("goto", "straight")):
                if extent is None:
                    continue
                here = [t for t in times if extent[0] <= t <= extent[1]]
                way = f"goto {chosen(float(way.split()[1]), here)}" if way.startswith("straight") and here else at_share(way.replace("straight", "goto"), *extent)
            said = one.ask([way, "info time", *TIME[1:], *asked])
            found = EXTENT.search(said[1])
            if not found:
                break  # no kernel runs any more
            now, *now_extent = map(int, found.groups())
            if extent is None or extent[0] != now_extent[0]:
                known, times = {}, set()  # a new recording has begun
            extent = now_extent
            times.add(now)
            if said[len(TIME) + 1].startswith("No waves"):
                continue   # between two kernels: the program goes on, and may launch the next one at this time, while it is asked
            read(said[1:], asked, f"'{way}' (command {count})", known, "the same session", now)
    except console.Gone as gone:
        raise Finding(f"the console ended: {gone}") from None
    finally:
        one.close()
