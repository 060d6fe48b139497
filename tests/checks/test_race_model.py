"""Random kernels of PTX whose order a model knows: six warps of two groups make plain and atomic accesses, meet at barriers, and hand on by flags with
fences, some of which are missing or of too small a scope. --check=race reports a race in each place where the model has one, and only pairs that race.

    test_race_model.py FIRST COUNT      as many kernels, from a number on, by hand
"""
import concurrent.futures
import dataclasses
import itertools
import json
import pathlib
import random
import sys
import tempfile

import pytest

import checks

GROUPS, WARPS, STEPS, PLACES = 2, 3, 7, 4   # of a group; a place has 128 bytes: a word for each lane
ROW = "row"     # each lane its word; "one": lane 0 its word; "byte": lane 0 a byte of it; "turned": each lane another one's word;
NARROW = {"bytes": 1, "halves": 2}  # "bytes", "halves": each lane its byte of the place, or its 2 bytes
HEAD = """.version 7.0
.target sm_50
.address_size 64
.visible .entry k(.param .u64 data, .param .u64 flags)
{
.shared .align 16 .b8 own[512];
.reg .b64 %data, %flags, %at;
.reg .b32 %lane, %wave, %v, %group;
.reg .b64 %offset, %turned, %wide;
.reg .pred %mine, %first, %spin;
ld.param.u64 %data, [data];
ld.param.u64 %flags, [flags];
mov.u32 %lane, %tid.x;
shr.u32 %wave, %lane, 5;
and.b32 %lane, %lane, 31;
mov.u32 %group, %ctaid.x;
mad.lo.u32 %wave, %group, 3, %wave;
mul.wide.u32 %offset, %lane, 4;
xor.b32 %v, %lane, 1;
mul.wide.u32 %turned, %v, 4;
setp.eq.u32 %first, %lane, 0;
mov.u32 %v, %wave;"""


@dataclasses.dataclass(frozen=True)
class Op:
    wave: int
    what: str       # load, store, atomic; release, acquire of an edge
    place: int      # those below PLACES are global, the next ones a group's
    form: str = ROW
    edge: int = 0
    fence: str = ""     # "", cta or gl

    def touched(self):
        """Bytes of the place."""
        return range(128) if self.form in (ROW, "turned") else range(32 * NARROW[self.form]) if self.form in NARROW else range(4) if self.form == "one" else range(1)


def group_of(wave):
    return wave // WARPS


@dataclasses.dataclass
class Kernel:
    steps: list     # each a list of operations of different waves, or "barrier" GROUP
    lines: dict = dataclasses.field(default_factory=dict)    # of PTX: the operation


def random_kernel(number):
    r = random.Random(number)
    steps, edges = [], 0
    for _ in range(STEPS):
        kind = r.random()
        if kind < 0.15:
            steps.append(("barrier", r.randrange(GROUPS)))
        elif kind < 0.4:
            a, b = r.sample(range(GROUPS * WARPS), 2)
            edges += 1
            steps.append([Op(a, "release", 0, edge=edges, fence=r.choice(["gl", "gl", "gl", "cta", ""]))])
            steps.append([Op(b, "acquire", 0, edge=edges, fence=r.choice(["gl", "gl", "gl", "cta", ""]))])
        else:
            waves = r.sample(range(GROUPS * WARPS), r.randint(1, 3))
            steps.append([Op(wave, r.choice(["load", "load", "store", "atomic"]), r.randrange(PLACES + 1), r.choice([ROW, ROW, "one", "byte", "turned", *NARROW])) for wave in waves])
    return Kernel([step if isinstance(step, tuple) else [dataclasses.replace(op, form="one") if op.what == "atomic" and op.form in ("byte", *NARROW) else op for op in step]
                   for step in steps])


# ---- PTX ----

def access(op):
    space = "shared" if op.place >= PLACES else "global"
    base = "own" if space == "shared" else "%data"
    yield f"mov.u64 %at, {base};"
    if space == "global":
        yield f"add.u64 %at, %at, {128 * op.place};"
    if op.form in (ROW, "turned"):
        yield f"add.u64 %at, %at, {'%offset' if op.form == ROW else '%turned'};"
    if op.form in NARROW:
        yield f"mul.wide.u32 %wide, %lane, {NARROW[op.form]};"
        yield "add.u64 %at, %at, %wide;"
    guard = "" if op.form in (ROW, "turned", *NARROW) else "@%first "
    kind = {"byte": "u8", "bytes": "u8", "halves": "u16"}.get(op.form, "u32")
    yield guard + {"load": f"ld.{space}.{kind} %v, [%at];", "store": f"st.{space}.{kind} [%at], %v;", "atomic": f"atom.{space}.add.u32 %v, [%at], 1;"}[op.what]


def instructions(op, number):
    if op.what == "release":
        yield from [f"membar.{op.fence};"] if op.fence else []
        yield f"@%first atom.global.exch.b32 %v, [%flags+{4 * op.edge}], 1;"
    elif op.what == "acquire":
        yield f"spin{number}:"
        yield f"ld.volatile.global.u32 %v, [%flags+{4 * op.edge}];"
        yield "setp.eq.u32 %spin, %v, 0;"
        yield f"@%spin bra spin{number};"
        yield from [f"membar.{op.fence};"] if op.fence else []
    else:
        yield from access(op)


def text_of(kernel):
    lines, number = HEAD.splitlines(), itertools.count()
    for step in kernel.steps:
        if isinstance(step, tuple):
            n = next(number)
            lines += [f"setp.ne.u32 %mine, %group, {step[1]};", f"@%mine bra past{n};", "bar.sync 0;", f"past{n}:"]
            continue
        for op in step:
            n = next(number)
            lines += [f"setp.ne.u32 %mine, %wave, {op.wave};", f"@%mine bra past{n};"]
            lines += instructions(op, n)
            kernel.lines[len(lines)] = op
            lines += [f"past{n}:"]
    return "\n".join([*lines, "ret;", "}", ""])


# ---- the model ----

class Wave:
    """before: the lines that are ordered before what it does next. fenced: those before its last fence of a scope, which its atomic stores release;
    read: what its atomic loads have read, which a fence acquires. Both are handed on at a barrier: fences have one order for all ("Fence-SC order")."""
    def __init__(self, number):
        self.number, self.before, self.fenced, self.read = number, set(), {"cta": set(), "gl": set()}, []

    def fence(self, scope):
        for by, what in self.read if scope else ():
            self.before |= what["gl"] if scope == "gl" else set()
            self.before |= what["cta"] if group_of(by) == group_of(self.number) else set()
        for smaller in {"": [], "cta": ["cta"], "gl": ["cta", "gl"]}[scope]:
            self.fenced[smaller] = set(self.before)


def races_of(kernel):
    """{place: {frozenset of two lines}}: accesses to one byte, one of them no atomic one and one a store, that nothing orders."""
    waves = [Wave(wave) for wave in range(GROUPS * WARPS)]
    published, done = {}, []
    line_of = {id(op): line for line, op in kernel.lines.items()}
    for step in kernel.steps:
        if isinstance(step, tuple):
            members = [wave for wave in waves if group_of(wave.number) == step[1]]
            everything = set().union(*(wave.before for wave in members))
            fenced = {scope: set().union(*(wave.fenced[scope] for wave in members)) for scope in ("cta", "gl")}
            read = [one for wave in members for one in wave.read]
            for wave in members:
                wave.before, wave.fenced, wave.read = set(everything), {scope: set(lines) for scope, lines in fenced.items()}, list(read)
            continue
        for op in step:
            wave = waves[op.wave]
            if op.what == "release":
                wave.fence(op.fence)
                published[op.edge] = (wave.number, dict(wave.fenced))
            elif op.what == "acquire":
                wave.read.append(published[op.edge])
                wave.fence(op.fence)
            else:
                done.append((line_of[id(op)], op, set(wave.before)))
                wave.before.add(line_of[id(op)])
    found = {}
    for (line, op, _), (later, other, before) in itertools.combinations(done, 2):
        meets = op.place == other.place and set(op.touched()) & set(other.touched()) and (op.place < PLACES or group_of(op.wave) == group_of(other.wave))
        conflicts = {op.what, other.what} not in ({"load"}, {"atomic"})
        if meets and conflicts and op.wave != other.wave and line not in before:
            found.setdefault((op.place, group_of(op.wave) if op.place >= PLACES else 0), set()).add(frozenset((line, later)))
    return found


# ---- the check ----

def reported(folder, number, kernel):
    """The pairs of lines of a kernel's findings."""
    source, report = folder / f"{number}.ptx", folder / f"{number}.json"
    source.write_text(text_of(kernel))
    done = checks.run(checks.command_under_test(), "run", "-g", "sm", "--kernel=k", f"--grid={GROUPS * WARPS * 32}", f"--block={WARPS * 32}", "--arg=zeros:4096",
                      "--arg=zeros:256", "--check=race", f"--report=json:{report}", source)
    assert report.exists(), done.stderr
    found = [one for one in map(json.loads, report.read_text().splitlines()) if one["kind"] == "finding"]
    assert all(one["finding"] == "race" for one in found), done.stderr
    return [frozenset((one["line"], one["other"]["line"])) for one in found if "lanes of one instruction" not in one["text"]], done


def is_guess(kernel, pair):
    """A load, and an atomic operation that it races with, where its wave does an atomic operation in the same place behind it: it is not reported."""
    load = next((line for line in pair if kernel.lines[line].what == "load"), None)
    if load is None or {kernel.lines[line].what for line in pair} != {"load", "atomic"}:
        return False
    op = kernel.lines[load]
    return any(line > load and other.wave == op.wave and other.what == "atomic" and other.place == op.place for line, other in kernel.lines.items())


def may_be_ordered(kernel, pair):
    """Whether atomic operations in one place, which a run may do in either order, can order the two: by fences around them."""
    steps = [[op] if isinstance(step, list) else step for step in kernel.steps for op in (step if isinstance(step, list) else [None])]
    nodes = [(n, wave) for n, step in enumerate(steps) for wave in range(GROUPS * WARPS)
             if (step[0].wave == wave if isinstance(step, list) else group_of(wave) == step[1])]
    op_of = {(n, wave): steps[n][0] if isinstance(steps[n], list) else None for n, wave in nodes}

    def follows(a, b):
        first, then = op_of[a], op_of[b]
        if a[1] == b[1] or a[0] == b[0]:
            return a[0] <= b[0]
        if first and then and first.what == "release" and then.what == "acquire":
            return first.edge == then.edge
        return bool(first and then) and first.what == then.what == "atomic" and first.place == then.place

    ends = [node for node in nodes if op_of[node] in [kernel.lines[line] for line in pair]]
    for end in ends:
        reached, left = {end}, [end]
        while left:
            at = left.pop()
            new = {node for node in nodes if node not in reached and follows(at, node)}
            reached |= new
            left += new
        if any(other in reached for other in ends if other != end):
            return True
    return False


def judge(folder, number):
    kernel = random_kernel(number)
    found, done = reported(folder, number, kernel)
    wanted = races_of(kernel)
    pairs = {pair for pairs in wanted.values() for pair in pairs}
    assert set(found) <= pairs, f"kernel {number}: no races: {[[(line, kernel.lines.get(line)) for line in pair] for pair in set(found) - pairs]}\n{done.stderr}"
    missed = [place for place, pairs in wanted.items() if not pairs & set(found) and not all(is_guess(kernel, pair) or may_be_ordered(kernel, pair) for pair in pairs)]
    assert not missed, f"kernel {number}: nothing in {missed}: {[[(line, kernel.lines[line]) for line in pair] for place in missed for pair in wanted[place]]}\n{done.stderr}"
    return len(pairs)


@pytest.mark.parametrize("first", range(0, 40, 20))
def test_random_kernels(tmp_path, first):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        races = list(pool.map(lambda number: judge(tmp_path, number), range(first, first + 20)))
    assert sum(map(bool, races)) >= 5 and not all(races), races


@pytest.mark.parametrize("first", [ROW, "turned"])
def test_loads_give_way_to_later_ones(tmp_path, first):
    """A place keeps few loads: one that comes behind all of them, and is not ordered before a later store, takes the place of one."""
    def hand_on(a, b, edge, fence="gl"):
        return [[Op(a, "release", 0, edge=edge, fence=fence)], [Op(b, "acquire", 0, edge=edge, fence=fence)]]
    loads = [[Op(0, "load", 0, first)], [Op(3, "load", 0, "turned")]]
    orders = [step for n, (a, b) in enumerate([(0, 1), (3, 1), (0, 5), (3, 5)]) for step in hand_on(a, b, n + 1)]
    kernel = Kernel([*loads, *orders, [Op(1, "load", 0, "turned")], *hand_on(1, 5, 5, ""), [Op(5, "store", 0)]])
    found, done = reported(tmp_path, 0, kernel)
    assert set(found) == races_of(kernel)[0, 0] and len(found) == 1, done.stderr


@pytest.mark.parametrize("form", [ROW, "turned"])
@pytest.mark.parametrize("before, loads, after", [((), (1, 2, 3), (1, 2)), ((0,), (1, 3, 4), ())], ids=["of another group", "behind a store"])
def test_a_third_load_counts(tmp_path, form, before, loads, after):
    """A place that has two loads keeps them or not: another group's, which alone is not ordered before a store, is kept; one behind a store races with it."""
    orders = [step for wave in after for step in ([Op(wave, "release", 0, edge=wave + 1, fence="gl")], [Op(5, "acquire", 0, edge=wave + 1, fence="gl")])]
    kernel = Kernel([*([Op(wave, "store", 0)] for wave in before), *([Op(wave, "load", 0, form)] for wave in loads), *orders, *([Op(5, "store", 0)] for _ in after[:1])])
    found, done = reported(tmp_path, 0, kernel)
    assert set(found) == races_of(kernel)[0, 0] and len(found) == (1 if after else 3), done.stderr


def test_the_model_knows_order():
    """A kernel with the right fences has no race, and one for each that is wrong."""
    def kernel(release, acquire, waves=(0, 4)):
        a, b = waves
        made = Kernel([[Op(a, "store", 0)], [Op(a, "release", 0, edge=1, fence=release)], [Op(b, "acquire", 0, edge=1, fence=acquire)], [Op(b, "load", 0)]])
        text_of(made)
        return races_of(made)
    assert not kernel("gl", "gl") and not kernel("cta", "cta", (0, 1))
    assert all(kernel(*fences) for fences in (("", "gl"), ("gl", ""), ("cta", "gl"), ("gl", "cta")))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        print(sum(judge(pathlib.Path(made), number) for number in range(int(sys.argv[1]), int(sys.argv[1]) + int(sys.argv[2]))), "races")
