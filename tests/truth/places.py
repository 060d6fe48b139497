"""Stops against what the work-items themselves say: wave, group, lane, line, hit count, old and new value.

A program of a seed has many more waves than its device has slots. Each work-item calls f() some times, which stores a value that
names the work-item and the call in a cell that other work-items store to, too. So a value tells who wrote it, and the arithmetic of the
program, done here once more, tells how often each cell is written. The sessions of a seed, with random breakpoints, conditions,
ignore counts and watchpoints:

    watch     a cell, to the end of the program: each stop is of the work-item that the new value names, each writer's store is a stop,
              the old value is what the stop before left; who-wrote names the same writer
              then the same stops backwards, old and new exchanged, to the beginning of the recorded run; and from there forwards again
    condition a breakpoint for some calls: each of them is a stop or is ignored, once, in its own work-item, and counts as one hit;
              with the emulator's services or only what hardware has; then backwards, and forwards through the past
    own       a variable of one work-item, or memory of its group: each stop is of that work-item or group, whoever has the slot later or
              had it before, with points that come and go meanwhile; backwards from the end of the kernel the same stops
    hardware  a watchpoint with what hardware has: the same stops where the GPU has watchpoints, an error elsewhere
    finish    out of f() of a call, into the same work-item
    lines     the lines that next visits are those of reverse-next in the other order, at the same addresses
    steps     the places that step visits are those of reverse-step in the other order
    core      a core file of a stop shows the same lane; in what was recorded before, the same stops backwards and forwards
    trace     `wavetrap trace` has the store at the time, in the wave and lane, and at the address of the stop and of who-wrote; at other
              times of the past the next instruction is the trace's

hosts.py does the same with host programs.
"""
import collections
import random
import re
import subprocess
import sys

import hosts
from sessions import BEGINNING, PLACE, PRESENT, VALUES, ended, lines_of, number, run, session
from truth import ROOT, Finding, WAVETRAP, amd

DEVICES = ["rv32", "rv64", "gcn", "gen9", "sm"]
FAMILIES = [*DEVICES, *hosts.FAMILIES]
ROUND = 200
FIXED = {family: hosts.FIXED.get(family, (2, 4, 5) if family == "gcn" else (1, 2, 3)) for family in FAMILIES}
QUICK = {"rv32": (1,), "rv64": (1,), "gcn": (2,), "gen9": (3,), "sm": (2,), "gcn-hip": (2,), "sm-cuda": (2,), "gen9-opencl": (2,)}

# ---- programs ----

FUNCTION = """
NOINLINE OPTIMISED int last(int x)
{
    return x + 1;
}

NOINLINE OPTIMISED int tail(int x)
{
    TAIL return last(x); /* a jump, where the compiler can */
}

NOINLINE void f(int key, int value, GLOBAL int *to)
{
    int before = to[key];
    to[key] = value; /* store */
    before = before + 1;
}
"""
BODY = """
    LOCAL int mine[1];
    int b = ITEM;
    int n = CALLS;
    for (int i = 0; i < n; i++) {
        int key = (b * n + i) * FACTOR % CELLS;
        f(key, b * 16 + i + 1, cells); /* call */
        key = tail(key) + i;
        n = n + ITEM - b;
        mine[0] = b * 16 + i + 1;
    }
    n = 0; /* last */
"""
CL = """#define GLOBAL __global
#define LOCAL __local
#define NOINLINE __attribute__((noinline))
#define OPTIMISED
#ifdef __AMDGCN__
#define TAIL __attribute__((musttail))
#else
#define TAIL
#endif
#define ITEM get_global_id(0)
"""
C = """#include "vortex.h"
#define GLOBAL
#define LOCAL static
#define NOINLINE __attribute__((noinline))
#define OPTIMISED __attribute__((optimize("O2")))
#define TAIL
#define ITEM (round * HARTS + (int)vx_hart())
static int cells[CELLS + 1];
static volatile int round;
"""
BITCODE = amd.bitcode()
LIBCLC = "/usr/lib/clc/nvptx64--nvidiacl.bc"
PICOLIBC = "/usr/lib/picolibc/riscv64-unknown-elf"
LIBRARY = ROOT / "examples" / "vortex" / "lib"
WIDTHS = {"rv32": ("rv32imf", "ilp32f"), "rv64": ("rv64ifd", "lp64d")}
BUFFER = 0x200000000  # where a standalone kernel's first buffer is
PRIMES = [509, 1021, 2039]

# lines: {mark: line}; shape: (warps, threads) of a Vortex core; source: its name; built: the command that compiles it.
Program = collections.namedtuple("Program", "file options items block calls factor cells width lines shape source built")


def settings(family, rng):
    """What a program of the family is made of."""
    s = {"calls": rng.randrange(1, 4), "cells": rng.choice(PRIMES), "factor": rng.randrange(2, 200),
         "schedule": rng.choice(["rr:64", "rr:1", "rr:40", "lockstep", f"random:{rng.randrange(100)}"])}
    if family in ("rv32", "rv64"):
        cores, warps, threads = rng.choice([(1, 2, 4), (1, 4, 4), (2, 4, 2)])
        return s | {"cores": cores, "warps": warps, "threads": threads, "groups": rng.randrange(6, 14)}
    if family == "gcn":
        s |= {"gpu": f"{amd.MODEL}:cu={amd.PAIRS}", "block": rng.choice([64, 64, 128]), "groups": rng.randrange(60, 100)}
        if rng.random() < 0.3:  # and a device that is almost empty
            s |= {"gpu": amd.MODEL, "groups": rng.randrange(3, 6)}
        return s
    if family == "sm":
        return s | {"gpu": f"sm:sms={rng.choice([1, 2])}", "block": rng.choice([32, 32, 64]), "groups": rng.randrange(150, 220)}
    return s | {"gpu": "gen9:subslices=1", "block": 32, "groups": rng.randrange(40, 70)}


def simpler(s):
    """Simpler programs, for the reducer."""
    for name, least in (("groups", 1), ("calls", 1), ("cores", 1), ("warps", 1), ("threads", 2)):
        if s.get(name, 0) > least:
            yield s | {name: max(least, s[name] // 2)}
            yield s | {name: s[name] - 1}
    for name, plain in (("schedule", "rr:64"), ("factor", 2), ("cells", PRIMES[0])):
        if s[name] != plain:
            yield s | {name: plain}


def vortex(family, s, source, out, config):
    cores, warps, threads = s["cores"], s["warps"], s["threads"]
    harts = cores * warps * threads
    source.write_text(config + f"#define HARTS {harts}\n" + C + FUNCTION
                      + "static void k(void *arg)\n{\n    (void)arg;" + BODY + "}\n\nint main(void)\n{\n"
                      f"    for (int r = 0; r < {s['groups']}; r++) {{\n        round = r;\n        vx_launch(k, 0);\n    }}\n    return 0;\n}}\n")
    march, abi = WIDTHS[family]
    libgcc = run(["riscv64-unknown-elf-gcc", f"-march={march}", f"-mabi={abi}", "-print-libgcc-file-name"]).stdout.strip()
    built = ["riscv64-unknown-elf-gcc", "-march=rv32imaf_zicsr" if family == "rv32" else "-march=rv64imafd_zicsr", f"-mabi={abi}", "-O0", "-g",
             "-mcmodel=medany", "--param=min-pagesize=0", "-isystem", f"{PICOLIBC}/include", f"-I{LIBRARY}", "-nostdlib",
             "-nostartfiles", "-static", f"-T{LIBRARY}/vortex.ld", "-o", out, source,
             *(LIBRARY / name for name in ("start.S", "diverge.S", "spawn.c", "console.c")), f"{PICOLIBC}/lib/{march}/{abi}/libc.a", libgcc]
    run(built)
    options = ["-g", f"vortex:cores={cores},warps={warps},threads={threads}"]
    return options, harts * s["groups"], harts, threads, (warps, threads), built


def opencl(family, s, source, out, config):
    source.write_text(config + CL + FUNCTION + "__kernel void k(__global int *cells)\n{" + BODY + "}\n")
    built = ["clang-19", "-x", "cl", "-cl-std=CL2.0", "-w", "-g", "-O0", source, "-o", out]
    if family == "gcn":
        built += ["-target", "amdgcn-amd-amdhsa", *amd.TARGET, f"--rocm-device-lib-path={BITCODE}"]
    elif family == "sm":
        built += ["-target", "nvptx64--nvidiacl", "-S", "-Xclang", "-mlink-builtin-bitcode", "-Xclang", LIBCLC]
    if family == "gen9":
        sys.path.insert(0, str(ROOT / "tests" / "isa" / "gen"))
        import iga
        iga.compile_cl(source, out, "-g", "-cl-opt-disable")
        built = []
    else:
        run(built)
    items = s["groups"] * s["block"]
    options = ["-g", s["gpu"], "--kernel=k", f"--grid={items}", f"--block={s['block']}", f"--arg=zeros:{4 * 4096}"]
    return options, items, s["block"], {"gcn": amd.LANES, "sm": 32, "gen9": 0}[family], None, built


def build(family, s, folder):
    """The program of these settings, and how it is started."""
    config = f"#define CALLS {s['calls']}\n#define CELLS {s['cells']}\n#define FACTOR {s['factor']}\n"
    source, out = folder / ("k.c" if family.startswith("rv") else "k.cl"), folder / "k.out"
    compiler = vortex if family.startswith("rv") else opencl
    options, items, block, width, shape, built = compiler(family, s, source, out, config)
    lines = {}
    for number, text in enumerate(source.read_text().splitlines(), 1):
        for mark in re.findall(r"/\* (\w+) \*/", text):
            lines[mark] = number
    return Program(out, [*options, f"--schedule={s['schedule']}"], items, block, s["calls"], s["factor"], s["cells"], width, lines, shape,
                   source.name, built)


def writers(p):
    """{cell: the (work-item, call) that store there}."""
    found = collections.defaultdict(set)
    for b in range(p.items):
        for i in range(p.calls):
            found[(b * p.calls + i) * p.factor % p.cells].add((b, i))
    return found


# ---- sessions ----

def source_of(p, mark):
    return f"{p.source}:{p.lines[mark]}"


def address_of(p, cell):
    """An expression of the cell that holds in each frame."""
    return f"cells[{cell}]" if p.shape else f"*(int *){BUFFER + 4 * cell:#x}"


def place_is_of(p, text, b, what):
    """The place that a stop names must be that of work-item b."""
    found = PLACE.search(text)
    if not found:
        raise Finding(f"{what}: the stop of work-item {b} names no place: {text!r}")
    _, _, group, _, _, core, slot, lane = (int(x) if x else None for x in found.groups()[:8])
    if p.shape:
        warps, threads = p.shape
        hart = b % p.block
        true, said = (hart // (warps * threads), hart // threads % warps, hart % threads), (core, slot, lane)
    elif p.width:
        true, said = (b // p.block, b % p.width), (group, lane)
    else:  # Gen9: the compiler chose the width
        true, said = b // p.block, group
    if said != true:
        raise Finding(f"{what}: work-item {b} is at {true} (core, warp, lane; or group, lane), and the stop names {said}: {text!r}")


def watched_stops(p, said, what, before=0, until=ended):
    """The (old, new) of the stops in the answers, each held against its writer."""
    stops = []
    for text in said:
        if until(text):
            break
        values = VALUES.search(text)
        if not values:
            raise Finding(f"{what}: neither a stop nor the end: {text!r}")
        old, new = map(int, values.groups())
        if old != before:
            raise Finding(f"{what}: the old value is {old}, the stop before left {before}: {text!r}")
        place_is_of(p, text, (new - 1) // 16, what)
        stops.append((old, new))
        before = new
    return stops


def all_wrote(stops, true, what):
    seen = {((new - 1) // 16, (new - 1) % 16) for _, new in stops}
    if seen != true or len(stops) != len(true):
        raise Finding(f"{what}: (work-item, call) {sorted(true)} store there; the {len(stops)} stops are of {sorted(seen)}")


def backwards_are(p, stops, back, what):
    """The answers to reverse-continue are the stops, the last one first, old and new exchanged; then the beginning."""
    for (old, new), text in zip(reversed(stops), back):
        values = VALUES.search(text)
        if not values or tuple(map(int, values.groups())) != (new, old):
            raise Finding(f"{what}, backwards: the stop of {old} -> {new} is {text!r}")
        place_is_of(p, text, (new - 1) // 16, f"{what}, backwards")
    if BEGINNING not in back[len(stops)]:
        raise Finding(f"{what}, backwards: before the first store is the beginning: {back[len(stops)]!r}")


def forwards_are(p, stops, forwards, what):
    """And from the beginning, through the past, the same stops again. The last one is where the present is."""
    again = watched_stops(p, forwards, f"{what}, forwards in the past", until=lambda text: PRESENT in text)
    if again not in (stops, stops[:-1]):
        raise Finding(f"{what}: the stops are {stops}; from the beginning through the past they are {again}")
    if len(again) < len(stops):
        place_is_of(p, forwards[len(again)], (stops[-1][1] - 1) // 16, f"{what}: the present")


def watch(p, rng, folder, options):
    """One cell, forwards to the end, who-wrote at each stop, backwards from the last stop, and forwards again."""
    cells = writers(p)
    cell = rng.choice(sorted(cells))
    count = len(cells[cell])
    begin = ["start", f"watch cells[{cell}]"]
    rounds = ["continue", f"who-wrote {address_of(p, cell)}"] * count
    what = f"watch cells[{cell}]"
    said = session(p, folder, "watch", begin, [*rounds, "print $_time", *["reverse-continue", "print $_time"] * (count + 1), *["continue"] * count], options)
    stops = watched_stops(p, said[:2 * count:2], what)
    all_wrote(stops, cells[cell], what)
    for text, wrote in zip(said[:2 * count:2], said[1:2 * count:2]):
        core, slot, lane = PLACE.search(text).groups()[5:8]
        last = wrote.splitlines()[0] if wrote else ""
        if not re.search(rf"core {core}, \w+ {slot}, \w+ {lane}\b", last):
            raise Finding(f"{what}: the stop is in core {core}, slot {slot}, lane {lane}; who-wrote says {wrote!r}")
        b = (int(VALUES.search(text)[2]) - 1) // 16
        if not p.shape and not re.search(rf", group \({b // p.block},0,0\), .*, work-item \({b % p.block},0,0\) at ", last):
            raise Finding(f"{what}: work-item {b % p.block} of group {b // p.block} wrote; who-wrote says {wrote!r}")
    back, now = said[2 * count + 1:-count:2], said[2 * count + 2:-count:2]
    for time, wrote in zip(now, said[2 * count - 1::-2]):
        if not wrote.startswith(f"time {number(time)}: "):
            raise Finding(f"{what}, backwards: the stop is at {time!r}; who-wrote said {wrote!r}")
    backwards_are(p, stops, back, what)
    forwards_are(p, stops, said[-count:], what)


def own(p, rng, folder, options):
    """Private memory is a wave's own, group memory a group's, though others have the same addresses."""
    if p.shape:
        return
    b, other, name = rng.randrange(p.items), rng.randrange(p.items), rng.choice(["i", "mine[0]"])
    what, most = f"watch {name} of work-item {b}", p.calls * (p.block // 8 if name != "i" else 1) + 1
    begin = [f"tbreak {source_of(p, 'call')} if b == {b}", "run", f"watch {name}", f"break {source_of(p, 'last')} if b == {other}", "catch dispatch end"]
    again = ["disable 2", "enable 2", f"watch {address_of(p, p.cells)}"]
    said = session(p, folder, "own", begin, ["continue", *again] * (most + 2), options)[::1 + len(again)]
    end = next((i for i, text in enumerate(said) if "(dispatch end)" in text), None)
    if end is None:
        raise Finding(f"{what}: no end after {len(said)} stops: {said}")
    stops = [tuple(map(int, VALUES.search(text).groups())) for text in said[:end] if VALUES.search(text)]
    for text in said[:end]:
        if VALUES.search(text):
            own_place(p, text, b, name, what)
    if name == "i" and stops != [(i, i + 1) for i in range(stops[0][0], p.calls)]:
        raise Finding(f"{what}: the stops are {stops}")
    back = session(p, folder, "own-back", begin, [*["continue", *again] * (end + 1), "delete 3", *["reverse-continue"] * (len(stops) + 3)],
                   options)[(1 + len(again)) * (end + 1) + 1:]
    for (old, new), text in zip(reversed(stops), back):
        values = VALUES.search(text)
        if not values or tuple(map(int, values.groups())) != (new, old):
            raise Finding(f"{what}, backwards: the stop of {old} -> {new} is {text!r}")
    for text in back:
        if BEGINNING in text:
            break
        own_place(p, text, b, name, f"{what}, backwards")


def own_place(p, text, b, name, what):
    """The stop is in work-item b; of its group's memory, in its group."""
    if name == "i":
        place_is_of(p, text, b, what)
        return
    place = PLACE.search(text)
    if not place or int(place[3]) != b // p.block:
        raise Finding(f"{what}: group {b // p.block} is watched, and the stop is {text!r}")


def hardware(p, rng, folder, options):
    """Watchpoints of the hardware: gfx900 has them. Others say that there are none, and nobody says when it was."""
    cells = writers(p)
    cell = rng.choice(sorted(cells))
    count, what = len(cells[cell]), f"watch cells[{cell}] with --hw-only"
    begin = ["start", f"watch cells[{cell}]"]
    if not p.options[1].startswith(amd.MODEL):
        refused, listed = session(p, folder, "hardware", begin[:1], [begin[1], "info watchpoints"], ["--hw-only"])
        if "Hardware watchpoint" in refused or f"cells[{cell}]" in listed or \
                "this device has no watchpoints" not in (folder / "hardware.said").read_text():
            raise Finding(f"{what}: no watchpoints are there, and it says {refused!r}, {listed!r}")
        return
    said = session(p, folder, "hardware", begin, ["continue"] * count + ["reverse-continue", "continue"], ["--hw-only"])
    all_wrote(watched_stops(p, said[:count], what), cells[cell], what)
    if "is not recorded" not in (folder / "hardware.said").read_text() or not ended(said[-1]):
        raise Finding(f"{what}: back in time it says {said[-2]!r}, and at the end {said[-1]!r}")


def trace(p, rng, folder, options):
    """`wavetrap trace`, of a run without a debugger: the first store to a cell; and any times before it."""
    cells = writers(p)
    cell = rng.choice(sorted(cells))
    where = address_of(p, cell)
    what = f"trace of the first store to cells[{cell}]"
    said = session(p, folder, "first", [f"watch {where}"], ["run", "print $_time", f"who-wrote {where}"])
    time = number(said[1])
    times = sorted({max(0, time - 1 - rng.randrange(1, 1 << rng.randrange(1, 16))) for _ in range(3)} - {0})
    past = session(p, folder, "trace", [f"watch {where}", "run"], [c for t in times for c in (f"goto {t}", "info waves")])
    words = [WAVETRAP, "trace", *p.options, f"--from={times[0] if times else time - 1}", f"--to={time}", p.file]
    issues = {}
    for line in run(words).stdout.splitlines():
        found = re.match(r" *(\d+) \w+ (\d+) \w+ (\d+) 0x([0-9a-f]+) ([0-9a-f]+):", line)
        if found:
            issues[int(found[1])] = (found[2], found[3], int(found[4], 16), int(found[5], 16))
    core, slot, mask, pc = issues.get(time - 1, (None, None, 0, 0))
    stop = PLACE.search(said[0])
    if not stop or (stop[6], stop[7]) != (core, slot) or not mask >> int(stop[8]) & 1:
        raise Finding(f"{what}: the trace has {issues.get(time - 1)} at {time - 1}; the stop is {said[0]!r}")
    wrote = re.match(r"time (\d+): .*?core (\d+), \w+ (\d+), \w+ (\d+)(?:, work-item \S+)? at 0x([0-9a-f]+)", said[2])
    if not wrote or wrote.groups()[:4] != (str(time - 1), core, slot, stop[8]) or int(wrote[5], 16) & 0xffffffff != pc & 0xffffffff:
        raise Finding(f"{what}: the trace has {issues.get(time - 1)} at {time - 1}; who-wrote says {said[2]!r}")
    for t, waves in zip(times, past[1::2]):
        core, slot, mask, pc = issues.get(t, (None,) * 4)
        row = re.search(rf"^[* ] device 0,.*? core {core}, \w+ {slot}  .*?(?:lane|thread|channel)s ([\d,-]+|none) .*?0x([0-9a-f]+)", waves, re.M)
        if not row or int(row[2], 16) & 0xffffffff != pc & 0xffffffff or lanes_of(row[1]) != mask:
            raise Finding(f"at time {t} the trace has {core, slot, hex(mask or 0), hex(pc or 0)}; 'info waves' there says\n{waves}")


def lanes_of(text):
    """The mask of `0-3,7`; of `none`."""
    mask = 0
    for part in text.split(",") if text != "none" else ():
        first, _, last = part.partition("-")
        mask |= (2 << int(last or first)) - (1 << int(first))
    return mask


def told(p, rng):
    """A condition of f()'s variables, and the waves' calls for which it holds in some lane: {(wave, call): work-items}."""
    cells = writers(p)
    if rng.random() < 0.5:
        cell = rng.choice(sorted(cells))
        text, true = f"key == {cell}", cells[cell]
    else:
        b, i = rng.randrange(p.items), rng.randrange(p.calls)
        text, true = f"value == {b * 16 + i + 1}", {(b, i)}
        if rng.random() < 0.5:
            other = rng.randrange(p.items)
            text, true = text + f" || value == {other * 16 + i + 1}", true | {(other, i)}
    return text, true


def waves_of(p, items):
    """The calls of waves, one or more lanes each. Gen9: the width is not known, so lanes may be one wave or two."""
    def wave(b):
        return b // (p.width or 8) if not p.shape else b // p.shape[1]
    return {(wave(b) if p.width or p.shape else b, i) for b, i in items}


def condition(p, rng, folder, options):
    """A breakpoint in f() with a condition, perhaps with an ignore count, then backwards, and through the past."""
    text, true = told(p, rng)
    what = f"break if {text}"
    least = most = len(waves_of(p, true))
    if not p.width and not p.shape:
        least, most = 1, len(true)
    ignore = rng.randrange(least) if rng.random() < 0.4 else 0
    before = [f"break {source_of(p, 'store')} if {text}", *([f"ignore 1 {ignore}"] if ignore else [])]
    asks = ["value", "key"]
    said = session(p, folder, "condition", before, ["run", *[f"print {a}" for a in asks], *["continue", *[f"print {a}" for a in asks]] * (most - ignore),
                                                    "info breakpoints"], options)
    stops = []
    for at in range(0, len(said) - 1, 3):
        if ended(said[at]):
            break
        if "Breakpoint 1, f" not in said[at] or f"\n{p.lines['store']}\t" not in said[at]:
            raise Finding(f"{what}: a stop that is not one of breakpoint 1: {said[at]!r}")
        value, key = (number(said[at + k]) for k in (1, 2))
        b, i = (value - 1) // 16, (value - 1) % 16
        if (b, i) not in true:
            raise Finding(f"{what}: it stopped for work-item {b}, call {i}, for which it does not hold: {said[at]!r}")
        if key != (b * p.calls + i) * p.factor % p.cells:
            raise Finding(f"{what}: key is {key} with value {value}")
        place_is_of(p, said[at], b, what)
        stops.append(value)
    else:
        raise Finding(f"{what}: more than {most} stops")
    if not least - ignore <= len(stops) <= most - ignore:
        raise Finding(f"{what}: it holds in {least} to {most} calls, {ignore} are ignored, and it stopped {len(stops)} times")
    counted = re.search(r"already hit (\d+) time", said[-1])
    if not counted or int(counted[1]) != len(stops) + ignore:
        raise Finding(f"{what}: {len(stops)} stops and {ignore} ignored hits, and the debugger counts {said[-1]!r}")
    if {"--hw-only", "--no-history"} & set(options) or not stops:
        return
    count = len(stops) + ignore
    said = session(p, folder, "condition-back", [*before, "run", *["continue"] * (len(stops) - 1)],
                   ["print value", *["reverse-continue", "print value"] * count, *["continue", "print value"] * count], options)
    again = [number(text) for text in said[0::2]]
    back, forwards = again[:count + 1], again[count + 1:]
    if back[:len(stops)] != stops[::-1] or BEGINNING not in said[2 * count - 1]:
        raise Finding(f"{what}: forwards it stops at values {stops} after {ignore} ignored ones; backwards {back}, then {said[2 * count - 1]!r}")
    if forwards != back[count - 1::-1] or PRESENT not in said[-2]:
        raise Finding(f"{what}: forwards through the past it stops at values {forwards}, then {said[-2]!r}; it was {back[count - 1::-1]}")


def finish(p, rng, folder, options):
    """Out of f() into the same work-item, and hit counts."""
    b, i = rng.randrange(p.items), rng.randrange(p.calls)
    what = f"finish of work-item {b}, call {i}"
    said = session(p, folder, "finish", [f"tbreak {source_of(p, 'store')} if value == {b * 16 + i + 1}", "run"],
                   ["print value", "finish", "print b", "print i", "next", "print b"], options)
    answers = [number(said[k]) for k in (0, 2, 3, 5)]
    if answers[:3] != [b * 16 + i + 1, b, i]:
        raise Finding(f"{what}: value, b and i are {answers}; {said}")
    if answers[3] != b:
        raise Finding(f"{what}: next leads to work-item {answers[3]}: {said[4]!r}")


def lines(p, rng, folder, options):
    """next, some times, and reverse-next as often."""
    b, count = rng.randrange(p.items), rng.randrange(1, 3 * p.calls)
    said = session(p, folder, "lines", [f"tbreak {source_of(p, 'call')} if b == {b}", "run"],
                   ["print/x $pc", "frame", "print b", *["next", "print/x $pc", "frame", "print b"] * count,
                    *["reverse-next", "print/x $pc", "frame", "print b"] * count], options)
    mirrored(["", *said], count, b, f"next from the call in work-item {b}")


def steps(p, rng, folder, options):
    """step, some times, into calls and out of them, and reverse-step back to where it began."""
    b, count = rng.randrange(p.items), rng.randrange(1, 12 * p.calls)
    what = f"step from the call in work-item {b}"
    forwards = session(p, folder, "steps", [f"tbreak {source_of(p, 'call')} if b == {b}", "run"], [*["frame", "step"] * count, "frame"], options)[::2]
    back = session(p, folder, "steps-back", [f"tbreak {source_of(p, 'call')} if b == {b}", "run", *["step"] * count],
                   ["frame", *["reverse-step", "frame"] * 2 * count], options)[::2]
    # Only forwards, a step stops behind a call, within the line; only backwards, where a function opens.
    forwards = [text for text in forwards[:-1] if not re.match(r"#0  0x", text)] + forwards[-1:]
    back = [text for text in back if not re.search(r"\t(\{$|NOINLINE )", text)][:len(forwards)]
    if forwards != back[::-1]:
        raise Finding(f"{what}: {forwards}; reverse-step: {back}")


def mirrored(said, count, b, what):
    """The lines that next has visited are those of reverse-next in the other order, each at the same address, all in work-item b."""
    visited = [(text.split(" = ")[-1], lines_of(line)) for text, line in zip(said[1::4], said[2::4])]
    work = [number(text) for text in said[3::4]]
    forwards, back = visited[:count + 1], visited[count:]
    if forwards != back[::-1] or set(work) != {b}:
        raise Finding(f"{what}: lines {forwards}; reverse-next: {back}; work-items {work}")


def core(p, rng, folder, options):
    """A core file of a stop: the same place; and in the recorded past the same stops, backwards and forwards."""
    cells = writers(p)
    cell = rng.choice(sorted(cells))
    count = rng.randrange(1, len(cells[cell]) + 1)
    file, what = folder / "core", f"core of a stop of cells[{cell}]"
    said = session(p, folder, "core", ["start", f"watch cells[{cell}]"],
                   [*["continue"] * count, f"generate-core {file} all", "reverse-stepi", "print/x $pc"], options)
    stops = watched_stops(p, said[:count], what)
    again = session(p, folder, "core-again", [], ["frame", "print value", "reverse-stepi", "print/x $pc", "goto end", f"watch {address_of(p, cell)}",
                                                  *["reverse-continue"] * (count + 1), *["continue"] * count], file=["--core", file])
    if number(again[1]) != stops[-1][1]:
        raise Finding(f"{what}: the stop is of value {stops[-1][1]}; its core file shows {again[1]!r}")
    if said[-1].split(" = ")[-1] != again[3].split(" = ")[-1]:
        raise Finding(f"{what}: reverse-stepi leads to {said[-1]!r} in the session and {again[3]!r} in its core file")
    backwards_are(p, stops, again[6:7 + count], what)
    forwards_are(p, stops, again[7 + count:], what)


SESSIONS = {"watch": watch, "condition": condition, "finish": finish, "lines": lines, "steps": steps, "core": core, "own": own, "hardware": hardware, "trace": trace}


def draw(family, seed):
    """names: which sessions."""
    of = hosts if family in hosts.FAMILIES else sys.modules[__name__]
    return {"seed": seed, "turn": 0, "names": list(of.SESSIONS), "settings": of.settings(family, random.Random(f"{family} {seed}"))}


def smaller(family, plan):
    """With simpler programs, and another choice of what is asked."""
    for s in hosts.simpler(plan["settings"]) if family in hosts.FAMILIES else simpler(plan["settings"]):
        for turn in range(3):
            yield plan | {"settings": s, "turn": turn}


def attempt(family, plan, folder):
    for name in plan["names"]:
        rng = random.Random(f"{family} {plan['seed']} {name} {plan['turn']}")
        if family in hosts.FAMILIES:
            hosts.SESSIONS[name](hosts.host_of(family, plan["settings"]), rng, folder)
            continue
        way = ["--hw-only"] if name == "condition" and rng.random() < 0.3 else []
        if name in ("condition", "finish") and rng.random() < 0.2:
            way.append("--no-history")
        SESSIONS[name](build(family, plan["settings"], folder), rng, folder, way)
