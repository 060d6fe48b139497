"""Stops against what the work-items themselves say: wave, group, lane, line, hit count, old and new value.

A program of a seed has many more waves than its device has slots. Each work-item calls f() some times, which stores a value that
names the work-item and the call in a cell that other work-items store to, too. So a value tells who wrote it, and the arithmetic of the
program, done here once more, tells how often each cell is written. The sessions of a seed, with random breakpoints, conditions,
ignore counts and watchpoints:

    watch     a cell, to the end of the program: each stop is of the work-item that the new value names, each writer's store is a stop,
              the old value is what the stop before left; who-wrote names the same writer
              then the same stops backwards, old and new exchanged, to the beginning of the recorded run
    condition a breakpoint for some calls: each of them is a stop or is ignored, once, in its own work-item, and counts as one hit;
              with the emulator's services or only what hardware has; then backwards
    finish    out of f() of a call, into the same work-item
    lines     the lines that next visits are those of reverse-next in the other order
    core      a core file of a stop shows the same lane, and what was recorded before it
    host      a program with threads, streams and several launches: conditions and stores as above; a launch has one dispatch number
"""
import collections
import fcntl
import os
import random
import re
import shlex
import subprocess
import sys

from truth import BUILD, HERE, ROOT, Finding, WAVETRAP

HOSTS = {"gcn-hip": ("gfx900", 64), "sm-cuda": ("sm", 32)}  # the GPU, and lanes of its waves
FAMILIES = ["rv32", "rv64", "gcn", "gen9", "sm", *HOSTS]
FIXED = {family: (1,) if family in HOSTS else (1, 2, 3) for family in FAMILIES}
TIMEOUT = 120
MARK = "=-=-="

# ---- programs ----

FUNCTION = """
NOINLINE void f(int key, int value, GLOBAL int *to)
{
    int before = to[key];
    to[key] = value; /* store */
    before = before + 1;
}
"""
BODY = """
    int b = ITEM;
    int n = CALLS;
    for (int i = 0; i < n; i++) {
        int key = (b * n + i) * FACTOR % CELLS;
        f(key, b * 16 + i + 1, cells); /* call */
        key = key + i;
    }
"""
CL = "#define GLOBAL __global\n#define NOINLINE __attribute__((noinline))\n#define ITEM get_global_id(0)\n"
C = """#include "vortex.h"
#define GLOBAL
#define NOINLINE __attribute__((noinline))
#define ITEM (round * HARTS + (int)vx_hart())
static int cells[CELLS + 1];
static volatile int round;
"""
BITCODE = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"
LIBCLC = "/usr/lib/clc/nvptx64--nvidiacl.bc"
PICOLIBC = "/usr/lib/picolibc/riscv64-unknown-elf"
LIBRARY = ROOT / "examples" / "vortex" / "lib"
WIDTHS = {"rv32": ("rv32imf", "ilp32f"), "rv64": ("rv64ifd", "lp64d")}
BUFFER = 0x200000000  # where a standalone kernel's first buffer is
PRIMES = [509, 1021, 2039]

Program = collections.namedtuple("Program", "file options items block calls factor cells width lines shape")


def run(words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def vortex(family, rng, source, out, config):
    cores, warps, threads = rng.choice([(1, 2, 4), (1, 4, 4), (2, 4, 2)])
    harts, rounds = cores * warps * threads, rng.randrange(6, 14)
    source.write_text(config + f"#define HARTS {harts}\n" + C + FUNCTION
                      + "static void k(void *arg)\n{\n    (void)arg;" + BODY + "}\n\nint main(void)\n{\n"
                      f"    for (int r = 0; r < {rounds}; r++) {{\n        round = r;\n        vx_launch(k, 0);\n    }}\n    return 0;\n}}\n")
    march, abi = WIDTHS[family]
    libgcc = run(["riscv64-unknown-elf-gcc", f"-march={march}", f"-mabi={abi}", "-print-libgcc-file-name"]).stdout.strip()
    run(["riscv64-unknown-elf-gcc", "-march=rv32imaf_zicsr" if family == "rv32" else "-march=rv64imafd_zicsr", f"-mabi={abi}", "-O0", "-g", "-mcmodel=medany", "--param=min-pagesize=0", "-isystem", f"{PICOLIBC}/include", f"-I{LIBRARY}", "-nostdlib",
         "-nostartfiles", "-static", f"-T{LIBRARY}/vortex.ld", "-o", out, source,
         *(LIBRARY / name for name in ("start.S", "diverge.S", "spawn.c", "console.c")), f"{PICOLIBC}/lib/{march}/{abi}/libc.a", libgcc])
    options = ["-g", f"vortex:cores={cores},warps={warps},threads={threads}"]
    return options, harts * rounds, harts, threads, (warps, threads)


def opencl(family, rng, source, out, config):
    source.write_text(config + CL + FUNCTION + "__kernel void k(__global int *cells)\n{" + BODY + "}\n")
    words = ["clang-19", "-x", "cl", "-cl-std=CL2.0", "-w", "-g", "-O0", source, "-o", out]
    if family == "gcn":
        run([*words, "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900", f"--rocm-device-lib-path={BITCODE}"])
        gpu, block, groups = "gfx900:cu=1", rng.choice([64, 64, 128]), rng.randrange(60, 100)
        if rng.random() < 0.3:  # and a device that is almost empty
            gpu, groups = "gfx900", rng.randrange(3, 6)
    elif family == "sm":
        run([*words, "-target", "nvptx64--nvidiacl", "-S", "-Xclang", "-mlink-builtin-bitcode", "-Xclang", LIBCLC])
        gpu, block, groups = f"sm:sms={rng.choice([1, 2])}", rng.choice([32, 32, 64]), rng.randrange(150, 220)
    else:
        sys.path.insert(0, str(ROOT / "tests" / "isa" / "gen"))
        import iga
        iga.compile_cl(source, out, "-g", "-cl-opt-disable")
        gpu, block, groups = "gen9:subslices=1", 32, rng.randrange(40, 70)
    options = ["-g", gpu, "--kernel=k", f"--grid={groups * block}", f"--block={block}", f"--arg=zeros:{4 * 4096}"]
    return options, groups * block, block, {"gcn": 64, "sm": 32, "gen9": 0}[family], None


def make(family, rng, folder):
    """A program of the family, and how it is started."""
    calls, cells, factor = rng.randrange(1, 4), rng.choice(PRIMES), rng.randrange(2, 200)
    config = f"#define CALLS {calls}\n#define CELLS {cells}\n#define FACTOR {factor}\n"
    source, out = folder / ("k.c" if family.startswith("rv") else "k.cl"), folder / "k.out"
    build = vortex if family.startswith("rv") else opencl
    options, items, block, width, shape = build(family, rng, source, out, config)
    schedule = rng.choice(["rr:64", "rr:1", "rr:40", "lockstep", f"random:{rng.randrange(100)}"])
    lines = {}
    for number, text in enumerate(source.read_text().splitlines(), 1):
        for mark in re.findall(r"/\* (\w+) \*/", text):
            lines[mark] = number
    return Program(out, [*options, f"--schedule={schedule}"], items, block, calls, factor, cells, width, lines, shape)


def writers(p):
    """{cell: the (work-item, call) that store there}."""
    found = collections.defaultdict(set)
    for b in range(p.items):
        for i in range(p.calls):
            found[(b * p.calls + i) * p.factor % p.cells].add((b, i))
    return found


# ---- sessions ----

def session(p, folder, name, before, commands, options=(), file=None):
    """What the console answers to each command. The script that repeats the session stays beside the program."""
    marked = [line for command in commands for line in (f"echo {MARK}\\n", command)] + [f"echo {MARK}\\n"]
    words = [WAVETRAP, "debug", "--nx", *(p.options if file is None else []), *options,
             *[word for line in [*before, *marked, "quit"] for word in ("-ex", line)], *(file or [p.file])]
    words = [str(word) for word in words]
    (folder / f"{name}.sh").write_text(" ".join(map(shlex.quote, words)) + "\n")
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT)
    (folder / f"{name}.said").write_text(done.stdout + done.stderr)
    said = [part.strip("\n") for part in done.stdout.split(MARK + "\n")[1:-1]]
    if len(said) != len(commands):
        raise Finding(f"{name}: the session has ended early (status {done.returncode}): {done.stderr[-500:]}")
    return said


PLACE = re.compile(r"^\[device (\d+)(?:, dispatch (\d+), group \((\d+),(\d+),(\d+)\))?, core (\d+), \w+ (\d+), \w+ (\d+)", re.M)
VALUES = re.compile(r"^Old value = (-?\d+)\nNew value = (-?\d+)$", re.M)


def place_is_of(p, text, b, what):
    """The place that a stop names must be that of work-item b."""
    found = PLACE.search(text)
    if not found:
        raise Finding(f"{what}: the stop of work-item {b} names no place: {text!r}")
    _, _, group, _, _, core, slot, lane = (int(x) if x else None for x in found.groups())
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


def ended(text):
    return "[Program exited" in text


def watched_stops(p, said, cell, what):
    """The (old, new) of the stops in the answers, each held against its writer."""
    stops, before = [], 0
    for text in said:
        if ended(text):
            break
        values = VALUES.search(text)
        if not values:
            raise Finding(f"{what}: neither a stop nor the end: {text!r}")
        old, new = map(int, values.groups())
        if old != before:
            raise Finding(f"{what}: the old value is {old}, the stop before left {before}: {text!r}")
        b, i = (new - 1) // 16, (new - 1) % 16
        place_is_of(p, text, b, what)
        stops.append((old, new))
        before = new
    return stops


def watch(p, rng, folder, options):
    """One cell, forwards to the end, who-wrote at each stop, and backwards from the last stop."""
    cells = writers(p)
    cell = rng.choice([c for c, who in sorted(cells.items()) if len(who) >= 1])
    count = len(cells[cell])
    begin = ["start", f"watch cells[{cell}]"]
    where = f"cells[{cell}]" if p.shape else f"*(int *){BUFFER + 4 * cell:#x}"
    rounds = ["continue", f"who-wrote {where}"] * count
    what = f"watch cells[{cell}]"
    said = session(p, folder, "watch", begin, [*rounds, "print $_time", *["reverse-continue", "print $_time"] * (count + 1)], options)
    stops = watched_stops(p, said[:2 * count:2], cell, what)
    seen, true = {((new - 1) // 16, (new - 1) % 16) for _, new in stops}, cells[cell]
    if seen != true or len(stops) != count:
        raise Finding(f"{what}: (work-item, call) {sorted(true)} store there; the {len(stops)} stops are of {sorted(seen)}")
    for text, wrote in zip(said[:2 * count:2], said[1:2 * count:2]):
        core, slot, lane = PLACE.search(text).groups()[-3:]
        last = wrote.splitlines()[0] if wrote else ""
        if not re.search(rf"core {core} \w+ {slot} \w+ {lane} ", last):
            raise Finding(f"{what}: the stop is in core {core}, slot {slot}, lane {lane}; who-wrote says {wrote!r}")
    back, now = said[2 * count + 1::2], said[2 * count + 2::2]
    for (old, new), text, time, wrote in zip(reversed(stops), back, now, said[2 * count - 1::-2]):
        if not wrote.startswith(f"time {time.split(' = ')[1]}: "):
            raise Finding(f"{what}, backwards: the stop is at {time!r}; who-wrote said {wrote!r}")
        values = VALUES.search(text)
        if not values or tuple(map(int, values.groups())) != (new, old):
            raise Finding(f"{what}, backwards: the stop of {old} -> {new} is {text!r}")
        place_is_of(p, text, (new - 1) // 16, f"{what}, backwards")
    if "No more reverse-execution history" not in back[count]:
        raise Finding(f"{what}, backwards: before the first store is the beginning: {back[count]!r}")
    return stops


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
    """A breakpoint in f() with a condition, perhaps with an ignore count, then finish."""
    text, true = told(p, rng)
    what = f"break if {text}"
    least = most = len(waves_of(p, true))
    if not p.width and not p.shape:
        least, most = 1, len(true)
    ignore = rng.randrange(least) if rng.random() < 0.4 else 0
    before = [f"break k.{'c' if p.shape else 'cl'}:{p.lines['store']} if {text}", *([f"ignore 1 {ignore}"] if ignore else [])]
    asks = ["value", "key"]
    back = [] if {"--hw-only", "--no-history"} & set(options) else ["reverse-continue", "print value"]
    said = session(p, folder, "condition", before, ["run", *[f"print {a}" for a in asks], *["continue", *[f"print {a}" for a in asks]] * (most - ignore),
                                                    "info breakpoints"], options)
    stops = []
    for at in range(0, len(said) - 1, 3):
        if ended(said[at]):
            break
        if "Breakpoint 1, f" not in said[at] or f"\n{p.lines['store']}\t" not in said[at]:
            raise Finding(f"{what}: a stop that is none of breakpoint 1: {said[at]!r}")
        value, key = (int(said[at + k].split(" = ")[1]) for k in (1, 2))
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
    if not back or not stops:
        return
    said = session(p, folder, "condition-back", [*before, "run", *["continue"] * (len(stops) - 1)],
                   ["print value", *back * (len(stops) + ignore)], options)
    again = [int(text.split(" = ")[1]) if " = " in text else None for text in said[0::2]]
    if again[:len(stops)] != stops[::-1] or "No more reverse-execution history" not in said[-2]:
        raise Finding(f"{what}: forwards it stops at values {stops} after {ignore} ignored ones; backwards {again}, then {said[-2]!r}")


def finish(p, rng, folder, options):
    """Out of f() into the same work-item, and hit counts."""
    b, i = rng.randrange(p.items), rng.randrange(p.calls)
    what = f"finish of work-item {b}, call {i}"
    said = session(p, folder, "finish", [f"tbreak k.{'c' if p.shape else 'cl'}:{p.lines['store']} if value == {b * 16 + i + 1}", "run"],
                   ["print value", "finish", "print b", "print i", "next", "print b"], options)
    answers = [int(text.split(" = ")[1]) if " = " in text else text for text in (said[0], said[2], said[3], said[5])]
    if answers[:3] != [b * 16 + i + 1, b, i]:
        raise Finding(f"{what}: value, b and i are {answers}; {said}")
    if answers[3] != b:
        raise Finding(f"{what}: next leads to work-item {answers[3]}: {said[4]!r}")


def lines(p, rng, folder, options):
    """next, some times, and reverse-next as often."""
    b, count = rng.randrange(p.items), rng.randrange(1, 3 * p.calls)
    where = f"k.{'c' if p.shape else 'cl'}:{p.lines['call']}"
    said = session(p, folder, "lines", [f"tbreak {where} if b == {b}", "run"],
                   ["frame", *["next", "frame", "print b"] * count, *["reverse-next", "frame", "print b"] * count], options)
    numbers = [re.findall(r"^(?:0x[0-9a-f]+\t)?(\d+)\t", text, re.M)[-1:] for text in [said[0], *said[2::3]]]
    work = [text.split(" = ")[-1] for text in said[3::3]]
    forwards, back = numbers[:count + 1], numbers[count:]
    if forwards != back[::-1] or set(work) != {str(b)}:
        raise Finding(f"next from the call in work-item {b}: lines {forwards}; reverse-next: {back}; work-items {work}")


def core(p, rng, folder, options):
    """A core file of a stop: the same place; and the store before it, as it was recorded."""
    cells = writers(p)
    cell = rng.choice(sorted(cells))
    file = folder / "core"
    said = session(p, folder, "core", ["start", f"watch cells[{cell}]"],
                   ["continue", "print $_wave_id", f"generate-core {file} all", "reverse-stepi", "print/x $pc"], options)
    again = session(p, folder, "core-again", [], ["info threads", "print value", "reverse-stepi", "print/x $pc"], file=["--core", file])
    new = int(VALUES.search(said[0])[2])
    place_is_of(p, said[0], (new - 1) // 16, "core: the stop")
    if again[1] != f"$1 = {new}":
        raise Finding(f"core: the stop is of value {new}; its core file shows {again[1]!r}")
    if said[4].split(" = ")[1] != again[3].split(" = ")[1]:
        raise Finding(f"core: reverse-stepi leads to {said[4]!r} in the session and {again[3]!r} in its core file")


# ---- host programs: threads with streams of their own, several launches each ----

def host_program(family):
    """The program, compiled where it is older than its source; others wait meanwhile, and find it."""
    source, path = HERE / "programs" / "places.cu", BUILD / "tests" / "truth" / f"places.{family}"
    words = ["hipcc", "-x", "hip", "--offload-arch=gfx900", "-O0", "-g", source]
    if family == "sm-cuda":
        cuda = run([WAVETRAP, "cuda-path"]).stdout.strip()
        words = ["clang-19", "-x", "cuda", f"--cuda-path={cuda}", "--cuda-gpu-arch=sm_50", "-O0", "-g", source, f"-L{cuda}/lib64", "-lcudart",
                 "-lstdc++", "-lpthread"]
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path.with_suffix(".lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists() or path.stat().st_mtime < source.stat().st_mtime:
            run([*words, "-o", path.with_suffix(".new")])
            os.replace(path.with_suffix(".new"), path)
    return path, next(n for n, text in enumerate(source.read_text().splitlines(), 1) if "/* store */" in text)


def host_place(text, g, items, block, width, dispatches, what):
    """The place of a stop is that of work-item g, counted through threads and launches; each launch has one dispatch number."""
    found = PLACE.search(text)
    true = (g % items // block, g % width)
    if not found or (int(found[3]), int(found[8])) != true:
        raise Finding(f"{what}: work-item {g} is in (group, lane) {true}: {text!r}")
    launch, dispatch = g // items, int(found[2])
    if dispatches.setdefault(launch, dispatch) != dispatch or len(set(dispatches.values())) != len(dispatches):
        raise Finding(f"{what}: launch {launch} is told as dispatch {dispatch}; before: {dispatches}")


def host(family, rng, folder):
    """Conditions in kernels of several threads; then the stores to one cell of one of them."""
    program, line = host_program(family)
    gpu, width = HOSTS[family]
    threads, launches, calls = rng.randrange(1, 4), rng.randrange(1, 4), rng.randrange(1, 3)
    groups = rng.randrange(4, 9) if family == "gcn-hip" else rng.randrange(12, 30)
    block, factor, cells = width * rng.choice([1, 2]), rng.randrange(2, 200), rng.choice(PRIMES)
    items = groups * block
    p = Program(program, ["-g", gpu], items, block, calls, factor, cells, width, {}, None)
    file = [program, *map(str, (threads, launches, groups, block, calls, factor, cells))]
    true = {(rng.randrange(threads * launches * items), rng.randrange(calls)) for _ in range(rng.randrange(2, 6))}
    calls_of_waves, dispatches = {(g // width, i) for g, i in true}, {}
    text = " || ".join(f"value == {g * 16 + i + 1}" for g, i in sorted(true))
    said = session(p, folder, "host", [f"break places.cu:{line} if {text}"],
                   ["run", "print value", *["continue", "print value"] * len(calls_of_waves), "info breakpoints"], file=file, options=p.options)
    stops = 0
    for at in range(0, len(said) - 1, 2):
        if ended(said[at]):
            break
        value = int(said[at + 1].split(" = ")[1])
        if ((value - 1) // 16, (value - 1) % 16) not in true:
            raise Finding(f"break if {text}: stopped with value {value}: {said[at]!r}")
        host_place(said[at], (value - 1) // 16, items, block, width, dispatches, f"break if {text}")
        stops += 1
    if stops != len(calls_of_waves) or f"already hit {stops} time" not in said[-1]:
        raise Finding(f"break if {text}: it holds in {len(calls_of_waves)} calls of waves, and it stopped {stops} times: {said[-1]!r}")
    g, i = min(true)
    said = session(p, folder, "host-watch", [f"tbreak places.cu:{line} if value == {g * 16 + i + 1}", "run"],
                   ["print to[key]", "watch -l to[key]", *["continue"] * 4], file=file, options=p.options)
    before = int(said[0].split(" = ")[1])
    for stop in said[2:]:
        if ended(stop):
            break
        values = VALUES.search(stop)
        if not values or int(values[1]) != before:
            raise Finding(f"watch of a host program: the store before left {before}: {stop!r}")
        before = int(values[2])
        host_place(stop, (before - 1) // 16, items, block, width, {}, "watch of a host program")


SESSIONS = {"watch": watch, "condition": condition, "finish": finish, "lines": lines, "core": core}


def once(family, seed, folder):
    rng = random.Random(f"{family} {seed}")
    if family in HOSTS:
        host(family, rng, folder)
        return
    p = make(family, rng, folder)
    for name, check in SESSIONS.items():
        way = ["--hw-only"] if name == "condition" and rng.random() < 0.3 else []
        if name in ("condition", "finish") and rng.random() < 0.2:
            way.append("--no-history")
        check(p, rng, folder, way)
