"""The harness Values: what the debugger shows of a kernel is what GDB shows of the same program on the host.

A seed makes a program (program.py), a dialect writes it (dialects.py). The kernel stands at each of its lines once for each time that a
work-item comes there, and so does the host program, which computes the work-items one after the other under stock GDB. Each
variable, argument, element, pointer's target and frame must be equal in each lane; or the debugger says that it is not available, of
which a family may have a share (MOST).
"""
import collections
import dataclasses
import functools
import json
import os
import re
import shlex
import subprocess

import console
import dialects
import launched
import program as programs
import reader
from truth import Finding, HERE, ROOT, WAVETRAP

DIALECTS = dialects.all_dialects() | launched.all_dialects()
DIALECTS |= {f"{d.name}-gdb": dataclasses.replace(d, name=f"{d.name}-gdb", gdb=True) for d in DIALECTS.values() if d.name.startswith("rv")}
FAMILIES = list(DIALECTS)
ROUND = 200
FIXED = {"rv32": [2, 4], "rv64": [8], "rv32-cxx": [3], "rv64-cxx": [1], "rv32-gdb": [4], "rv64-gdb": [8], "rv32-cxx-gdb": [3], "rv64-cxx-gdb": [1], "gcn-opencl": [7, 8, 980311975], "gcn-opencl-15": [8], "gcn-opencl-22": [1, 7], "gcn-hip": [1], "gcn-hip-15": [16], "gcn-hip-22": [1, 3],
         "sm-opencl-22": [8], "sm-cuda-15": [16], "sm-cuda-22": [16], "sm-cuda-program-22": [27],
         "sm-opencl": [8], "sm-cuda": [16, 1036900510], "gen9": [1, 11, 1360642251], "gen9-16": [1, 9, 11, 232, 238], "gen9-32": [1, 7, 9, 11, 108], "gen9-32-crowd": [2],
         "gcn-hip-program": [27, 92], "sm-cuda-program": [27], "gen9-program": [1, 12, 13, 611904887], "gcn-opencl-15-program": [5], "sm-opencl-program": [5]}
QUICK = {"rv32": [2], "rv64": [8], "rv32-cxx": [3], "rv32-cxx-gdb": [3], "gcn-opencl": [7], "gcn-hip-15": [16], "gcn-hip-22": [1], "sm-cuda-22": [16], "sm-opencl": [8], "sm-cuda": [16], "gen9": [1], "gen9-16": [1], "gen9-32": [1],
         "sm-cuda-program": [27], "gen9-program": [1]}
# The share of values that a family may have not available, in percent; docs/truth.md states what the fixed seeds have (stated()).
MOST = {family: 5 if family.startswith("gen9") else 1 for family in FAMILIES}
# What else the fixed seeds of a family hold: masked-off lanes, results of finish, closing braces, lines with several copies; where a seed has
# not all of them. Intel's compiler inlines nothing without optimisation.
KINDS = {"masked", "finish", "braces", "copies"}
# What the seeds of `make check` hold of the ways in which a value is asked for once more: writes found, bit-fields, values watched, changes of these.
AGAIN = {"wrote", "fields", "watched", "changes"}
SEEN = {"rv32-cxx": {"finish", "braces"}, "rv64-cxx": {"finish", "braces"}, "rv32-gdb": {"masked", "copies", "braces"}, "rv32-cxx-gdb": {"finish", "braces"}, "rv64-cxx-gdb": {"finish", "braces"},
        "gcn-hip": {"masked", "finish", "braces"}, "gen9": {"finish", "braces"}, "gen9-16": {"masked", "finish", "braces"}, "gen9-32": {"masked", "finish", "braces"}, "gen9-32-crowd": {"finish"},
        **{f"{one}-program": {"masked", "braces"} for one in ("gen9", "gcn-opencl-15", "sm-opencl")}}
# What "is not known" looks like.
NOT_KNOWN = re.compile(r"optimized out|not available|cannot be computed|does not say|is not known|not known|only in \w+s")
PAGE = ROOT / "docs" / "truth.md"
LIMIT = 60
HIDDEN = re.compile(r"vx_\w+_|w_|z_|tile\d|item|__ocl_dbg_\w+")


def normal(text):
    """Without what differs from run to run: addresses, the types that come with them, the text behind a single character; and without
    "at the call", said of a parameter of which the compiler keeps no copy: its value is compared all the same."""
    text = re.sub(r" \((by a parameter as it was )?at (launch|the call)\)$", "", text, flags=re.M)
    text = re.sub(r"\(([\w ]+ )?[*&]+( ?const)?\) (?=@?0x|@?\w+#)", "", text)
    text = re.sub(r"(\w+#)?0x[0-9a-f]+\b( <[^>]*>)?", "PTR", text)
    part = r"""("([^"\\]|\\.)*"|'[^']+' <repeats \d+ times>)"""
    return re.sub(rf"PTR *({part}(, {part})*(\.\.\.)?)?(<error: [^>]*>)?", "PTR", text).strip()


@functools.cache
def demangled(name):
    """A function's name with its templates' arguments."""
    said = subprocess.run(["c++filt", name], capture_output=True, text=True, check=True).stdout
    return re.search(r"\bg\d+(<.*?>)?(?=\()", said)[0]


def frames(text):
    """(function, arguments, line) of each frame of a backtrace, down to the kernel."""
    made = []
    for line in text.split("\n"):
        found = re.match(r"#\d+ +(?:0x[0-9a-f]+ in )?(\S.*?) ?\((.*)\) at .*:(\d+)$", line)
        if found:
            name = demangled(found[1]) if found[1].startswith("_Z") else found[1]  # GDB 13 demangles no _Float16
            # GDB writes the names of types of templates' arguments its own way.
            for ours, gdbs in (("short int", "short"), ("long long unsigned int", "unsigned long long"), ("long long int", "long long")):
                name = name.replace(ours, gdbs)
            made.append((name, normal(found[2]), int(found[3])))
            if found[1] == "k":
                break
    return made


def variables(text):
    """{name: value} of `info locals` or `info args`; the innermost of a name."""
    made = {}
    for line in text.split("\n"):
        name, equals, value = line.partition(" = ")
        if equals and re.fullmatch(r"\w+", name):
            made.setdefault(name, normal(value))
    return made


def on_host(dialect, host, places, folder):
    """{(item, line, n): what GDB shows} of the host's program."""
    plan, out = folder / "plan.json", folder / "host.json"
    plan.write_text(json.dumps({"file": host.name, "every": 4,
                                "lines": {n: {v.name: v.form + dialects.element(v.name) for v in p.shows} for n, p in places.items()}}))
    with open(folder / "host.said", "w", encoding="utf-8") as said:     # a pipe would wake its reader at each stop, for some words
        subprocess.run(["gdb", "-nx", "-q", "-batch", "-iex", "set debuginfod enabled off", "-x", HERE / "recorder.py", host.with_suffix("")],
                       env={**os.environ, "PLAN": str(plan), "OUT": str(out)}, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT, timeout=300, check=False)
    assert out.exists(), (folder / "host.said").read_text()
    stops, count = {}, collections.Counter()
    for stop in json.loads(out.read_text()):
        at = stop["item"], stop["line"]
        stops[*at, count[at]] = stop
        count[at] += 1
    return stops


class Comparison:
    """What was compared, and what was wrong."""

    def __init__(self):
        self.known = 0
        self.kinds = collections.Counter()  # of masked-off lanes, of results of finish, at closing braces; lines with several copies
        self.missing = collections.Counter()
        self.wrong = []
        self.script = []    # the session's commands up to now
        self.again = None   # those that show the first wrong answer
        self.kind = None    # and what is wrong about it, for the reducer

    def add(self, text, *last):
        if not self.wrong:
            self.again = [*self.script, *last]
            self.kind = re.sub(r"\d+", "N", " ".join(last) + re.sub(r"(?s).*?: |.*stop", "", text, 1)[:12])
        self.wrong.append(text)

    def value(self, what, said, true, command, pointer=False, early=lambda: ()):
        """early(): what else may be said, None: anything."""
        if NOT_KNOWN.search(said):
            self.missing[said[:200]] += 1
        elif pointer and re.search(r"0x[0-9a-f]+", said):
            self.known += 1
        elif normal(said) == normal(true) and said:
            self.known += 1
        elif None in (before := early()) or normal(said) in map(normal, before):
            self.kinds["unfinished"] += 1
        else:
            self.add(f"{what} is {said!r}; GDB has {true!r}", command)


def stated():
    """{family: the share of values not available, in percent} as the table of docs/truth.md has it."""
    made = {}
    for row in re.findall(r"^\| (`[^|]*`) \|.*\| (\d+(?:\.\d+)?) % \|$", PAGE.read_text(), re.M):
        made |= dict.fromkeys(re.findall(r"`([\w-]+)`", row[0]), float(row[1]))
    return made


def set_breakpoints(session, source, places, table):
    """A breakpoint at each line that has code."""
    lines = sorted({line for _, line in table} & set(places))
    session.begin(["set confirm off", "set print elements 1000", *(f"break {source}:{line}" for line in lines)])


def on_device(dialect, file, places, table, stops, log, nowhere, unsound=frozenset()):
    """Takes the kernel through its lines, and compares. nowhere: variables of which the debug information does not say where their names hold.
    unsound: those that are not asked for."""
    made, count, seen = Comparison(), collections.Counter(), set()
    made.nowhere = nowhere
    made.unsound = unsound
    last, follows = {}, following(stops)
    source = f"{log.parent}/t.cl" if dialect.shown else f"t{dialect.ending}"    # a program that is compiled from a string is found by its text
    session = (console.Gdb if dialect.gdb else console.Session)(dialect.options, file, dialect.shown or source, log, dialect.block)
    try:
        set_breakpoints(session, source, places, table)
        made.script = session.script
        watch = Watch(session, made)
        stop, said = session.go("run")
        made.kinds["copies"] += len(re.findall(r"^\d+\.2\b", *session.ask(["info breakpoints"]), re.M))    # those with a second place
        while stop:
            line, lanes, first = stop
            if line in places:
                compare_stop(dialect, session, line, lanes, first, places, table, stops, count, seen, made)
                compare_masked(dialect, session, line, lanes, first, places, stops, count, last, follows, made)
                # clang 22 ends an OpenCL kernel's last line in a function around it, which has none of its variables.
                compare_kept(dialect, session, line, [n for n in lanes if (first + n, line, count[first + n, line] - 1) in stops], places, made)
            if len(made.wrong) > LIMIT:
                break
            if line in places and places[line].returns:
                watch.end()
                stop, said = leave(session, line, lanes, first, stops, count, made)
            else:
                if line in places and not dialect.gdb:
                    watch.begin(line, lanes, first, places, stops, count)
                stop, said = watch.go()
        if not made.wrong and "exited normally" not in said:
            made.add(f"the end is {said!r}")
        if len(made.wrong) <= LIMIT:
            for key in stops:
                if key not in seen and places[key[1]].exact:
                    made.add(f"work-item {key[0]} did not stop at line {key[1]} for the {key[2] + 1}. time")
    except console.Gone as gone:
        made.add(f"the console ended: {gone}")
    finally:
        session.close()
    return made


def following(stops):
    """The stop that comes after each one in its work-item."""
    made, before = {}, {}
    for key in stops:
        if key[0] in before:
            made[before[key[0]]] = key
        before[key[0]] = key
    return made


def compare_masked(dialect, session, line, lanes, first, places, stops, count, last, follows, made):
    """Lanes that are masked off stand where their line before has left them: behind it, which is before the host's next stop. What both
    lines show of one function that does not call itself is compared. A loop's counter may be counted between the two, and begin again."""
    for n in lanes:
        last[first + n] = (first + n, line, count[first + n, line] - 1)
    asked = []
    for item in range(first, first + session.width):
        key = follows.get(last.get(item))
        if item - first in lanes or key is None or places[key[1]].function != places[line].function or places[last[item][1]].function != places[line].function:
            continue
        both = {id(v) for v in places[key[1]].shows} & {id(v) for v in places[last[item][1]].shows}
        asked += [(item, v, key) for v in places[line].shows if id(v) in both and v.leaf and not v.name.startswith(("*", "tile", "out["))]
    made.kinds["masked"] += len(asked)
    made.kinds["braces"] += not places[line].exact
    commands = [f"output{v.form or ' '}{dialects.element(v.name)}@{item - first}" for item, v, _ in asked]
    for (item, v, key), said, command in zip(asked, session.ask(commands), commands):
        true, before = stops[key]["values"][v.name], stops[last[item]]["values"][v.name]
        if re.fullmatch(r"j\d+", v.name) and normal(said) in (normal(before), str(int(before) + 1)):
            true = said
        made.value(f"line {line}, work-item {item} (lane {item - first}, masked off at line {last[item][1]}): {v.name}", said, true, command)


RETURNED = re.compile(r"^Value returned is \$\d+ = (.*)$", re.M)


def leave(session, line, lanes, first, stops, count, made):
    """`finish` from `return r;`: the value is that of r on the host. What comes instead, if another wave stops first, is the next stop."""
    lane = lanes[0]
    key = (first + lane, line, count[first + lane, line] - 1)
    session.script += [f"lane {lane}", "finish"]
    _, said = session.ask([f"lane {lane}", "finish"])
    if "Breakpoint " in said:
        return session.placed(said), said
    value = RETURNED.search(said)
    made.kinds["finish"] += key in stops
    if key in stops:
        made.value(f"line {line}, work-item {key[0]} (lane {lane}): finish", value[1] if value else said, stops[key]["values"]["r"], "finish")
    return session.go("continue")


def in_file(dialect, session, table):
    """The PC in the program's file."""
    pc, = session.ask(["output/x $pc"])
    if not dialect.loads:
        return int(pc, 16) & dialect.mask
    if session.moved is None:   # by how much the code is elsewhere
        for line in {line for _, line in table}:
            said, = session.ask([f"info line {session.source}:{line}"])
            if said.startswith(f"Line {line} "):
                session.moved = min(int(n, 16) for n in re.findall(r"starts at address (0x[0-9a-f]+)", said)) - min(at for at, of in table if of == line)
                break
    return int(pc, 16) - session.moved


def unfinished(dialect, session, line, places, table, key, stops, name, shown):
    """What the debugger may say of a variable at a stop, besides what the host has: the compiler has put instructions of this line before
    the last ones of a line before (another reader of the lines says so), so the value is what it was before that line, or nothing yet."""
    pc = in_file(dialect, session, table)
    lines = [n for n, p in places.items() if p.function == places[line].function]
    made, order = [], list(stops)
    for before in reader.unfinished(table, pc, range(min(lines), max(lines) + 1)) & set(places):
        last = [k for k in order[:order.index(key)] if k[:2] == (key[0], before)][-1:]
        made += [shown(stops[k]) if name in {v.name for v in places[before].shows} else None for k in last]
    return made


def compare_stop(dialect, session, line, lanes, first, places, table, stops, count, seen, made):
    place = places[line]
    keys, shows = {}, [v for v in place.shows if re.match(r"\W*(\w*)", v.name)[1] not in made.unsound]

    def early(n, name, shown):
        return lambda: unfinished(dialect, session, line, places, table, keys[n], stops, name, shown)
    for n in lanes:
        at = first + n, line
        keys[n] = (*at, count[at])
        count[at] += 1
        seen.add(keys[n])
        if keys[n] not in stops and place.exact:
            made.add(f"work-item {at[0]} stopped at line {line} for the {keys[n][2] + 1}. time; on the host it did not")
    lanes = [n for n in lanes if keys[n] in stops]
    asked = [(n, v) for n in lanes for v in shows]
    commands = [f"output{v.form or ' '}{dialects.element(v.name)}@{n}" for n, v in asked]
    answers = session.ask(commands)
    for (n, v), said, command in zip(asked, answers, commands):
        made.value(f"line {line}, work-item {keys[n][0]} (lane {n}), {keys[n][2] + 1}. time: {v.name}", said, stops[keys[n]]["values"][v.name], command, v.pointer,
                   early(n, v.name, lambda stop, v=v: stop["values"][v.name]))
    lane = next((n for n in lanes if "bt" in stops[keys[n]]), None)
    if lane is not None:
        session.ask([f"lane {lane}"])
        where, stop = f"line {line}, work-item {keys[lane][0]} (lane {lane})", stops[keys[lane]]
        backtrace, local, argument = session.ask(["backtrace", "info locals", "info args"])
        ours, gdbs = frames(backtrace), frames(stop["bt"])
        if dialect.name.startswith(("rv", "gen9")):     # the kernel has an argument more
            ours, gdbs = [(f, a if f != "k" else "", at) for f, a, at in ours], [(f, a if f != "k" else "", at) for f, a, at in gdbs]
        if ours != gdbs or not ours:
            made.add(f"{where}: backtrace\n{backtrace}\nGDB has\n{stop['bt']}", f"lane {lane}", "backtrace")
        known = {v.name for v in shows if re.fullmatch(r"\w+", v.name) and not v.form}
        for what, said, true in (("info locals", local, stop["locals"]), ("info args", argument, stop["args"])):
            said, true = variables(said), variables(true)
            names = [{n for n in each if not HIDDEN.fullmatch(n)} for each in (said, true)]
            names[1] -= {n for n in names[1] - names[0] if "optimized out" in true[n]}   # in code that is never reached
            names = [each - made.nowhere for each in names]
            if names[0] != names[1]:
                made.add(f"{where}: {what} has {sorted(names[0])}; GDB has {sorted(names[1])}")
            for name in sorted(names[0] & names[1] & known):
                made.value(f"{where}: {what}: {name}", said[name], true[name], f"lane apply {lane} {what}",
                           early=early(lane, name, lambda stop, name=name, of=what.split()[1]: variables(stop[of])[name]))


MOST_WATCHED = 8    # values of a program
OWN = re.compile(r"[asrwvtb]\d+(\.\w+|\[\d\])*")
TOLD = re.compile(r"watchpoint \d+: .*\n\nOld value = (.*)\nNew value = (.*)")


def compare_kept(dialect, session, line, lanes, places, made):
    """Some values of a stop once more: what `set $x` keeps is the value, the last write of it has made it what it is, and parts of a vector
    are its elements, also in another order."""
    shows = [v for v in places[line].shows if not v.pointer and not v.form and re.match(r"\W*(\w*)", v.name)[1] not in made.unsound]
    if not lanes or not shows or dialect.gdb:
        return
    n = lanes[line % len(lanes)]
    session.ask([f"lane {n}"])
    fields = [v for v in shows if v.field] or shows
    for v in {id(v): v for v in (shows[(5 * line + n) % len(shows)], fields[(11 * line + 3 * n + 1) % len(fields)])}.values():
        name = dialects.element(v.name)
        true, _, kept, wrote = session.ask([f"output {name}", f"set $kept = {name}", "output $kept", f"who-wrote {name}"])
        if NOT_KNOWN.search(true) or not true:
            continue
        where = f"line {line}, lane {n}: {name}"
        made.value(f"{where}, kept", kept, true, f"lane {n}")
        last = re.search(r"^  was .*, is (.*)$", wrote, re.M)
        made.kinds["wrote"] += bool(last)
        made.kinds["fields"] += v.field
        if last:
            made.value(f"{where}, written", last[1], true, f"who-wrote {name}")
        if v.type == "vector" and f"{v.name}.s2" in {w.name for w in shows}:
            z, x, both = session.ask([f"output {name}.z", f"output {name}.x", f"output {name}.zx"])
            made.value(f"{where}: parts", both, "{%s, %s}" % (z, x), f"output {name}.zx")


class Watch:
    """A value of one lane that is watched, from a stop to the next one of its wave: at each change the old value is the one before, and the new
    one is a value that the host shows later."""

    def __init__(self, session, made):
        self.session, self.made, self.point, self.first = session, made, None, None

    def begin(self, line, lanes, first, places, stops, count):
        """Chooses a value that the lane's next stop on the host has otherwise; none: nothing is watched."""
        n = lanes[line % len(lanes)] if lanes else 0
        key = (first + n, line, count[first + n, line] - 1)
        if self.point or key not in stops or self.made.kinds["watched"] >= MOST_WATCHED:
            return
        order = list(stops)
        later = [k for k in order[order.index(key):] if k[0] == key[0]]
        # Another variable of that name, around the block that ends, is not the watched one.
        both = {id(v) for k in later[1:2] if k[1] in places for v in places[k[1]].shows}
        own = [v for v in places[line].shows if v.leaf and OWN.fullmatch(v.name) and not v.form and "64" not in v.type    # some code stores halves
               and id(v) in both and stops[key]["values"][v.name] != stops[later[1]]["values"][v.name]]
        if not own:
            return
        own = [v for v in own if v.field] or own
        shown = own[(7 * line + n) % len(own)]
        self.known = {normal(stops[k]["values"][shown.name]) for k in later if k[1] in places and any(v is shown for v in places[k[1]].shows)}
        name = dialects.element(shown.name)
        self.session.ask([f"lane {n}"])
        self.old, said = self.session.ask([f"output {name}", f"watch {name}"])
        point = re.match(r"Hardware watchpoint (\d+)", said)
        if not point:
            return
        self.point, self.first, self.where = point[1], first, f"line {line}, work-item {key[0]} (lane {n}), watch {name}"
        self.session.script += [f"lane {n}", f"watch {name}"]
        self.made.kinds["watched"] += 1

    def end(self):
        if self.point:
            self.session.begin([f"delete {self.point}"])
        self.point = None

    def go(self):
        """Continues to the next breakpoint, or the end, as session.go() tells it."""
        stop, said = self.session.go("continue")
        while self.point and (told := TOLD.search(said)) and "Breakpoint " not in said:
            self.made.kinds["changes"] += 1
            self.made.value(f"{self.where}: old", told[1], self.old, "continue")
            if normal(told[2]) not in self.known:
                self.made.add(f"{self.where}: new is {told[2]!r}; GDB has {sorted(self.known)}", "continue")
            self.old = told[2]
            stop, said = self.session.go("continue")
        if self.point and f"Watchpoint {self.point} deleted" in said:
            self.point = None
            return (stop, said) if "Breakpoint " in said or "exited" in said else self.go()
        if stop and stop[2] == self.first:
            self.end()
        return stop, said


def write_script(dialect, result, file, folder):
    """again.sh, if an answer was wrong."""
    if result.again:
        words = ["$WAVETRAP debug --nx", *map(shlex.quote, dialect.options), *(f"-ex {shlex.quote(c)}" for c in result.again), "--", *(shlex.quote(str(word)) for word in file)]
        (folder / "again.sh").write_text(f"#!/bin/sh\n# Builds the kernel and the host program, and shows the first wrong answer.\n: ${{WAVETRAP:={WAVETRAP}}}\n"
                                         + "".join(shlex.join(map(str, c)) + "\n" for c in dialects.commands) + " ".join(words) + "\n")


def compare(dialect, made, level, folder):
    """Builds and compares a program. Returns the Comparison."""
    folder.mkdir(exist_ok=True)
    dialects.commands.clear()
    kernel, host, places, _ = dialects.write(dialect, made, folder)
    out = folder / "t.out"
    dialects.build_host(dialect, host, host.with_suffix(""))
    words = dialect.build(kernel, out, level) or [out]
    table = reader.rows(out, kernel.name)
    files = {host.with_suffix(""): reader.rows(host.with_suffix(""), host.name), out: table}
    for line in set().union(*(set(places) - {line for _, line in rows} for rows in files.values())):
        places[line].exact = False      # x = x; is not code for some compilers
    for file, rows in files.items():
        for function in {p.function for p in places.values() if p.inlined} if file.read_bytes().startswith(b"\x7fELF") else ():
            for line in reader.lost_lines(file, rows, function) & set(places):
                del places[line]
    if not out.read_bytes().startswith(b"\x7fELF"):
        for line in reader.callers_lines(out, table, {n: p.function for n, p in places.items()}) & set(places):
            del places[line]
    for line in reader.split_divisions(out, table) & set(places) if dialect.name.startswith("gen9") else ():
        del places[line]
    nowhere = reader.without_addresses(out) if dialect.name.startswith("gen9") else set()
    unsound = reader.in_registers(out) if dialect.gdb else set()        # GDB does not see that the register has something else
    result = on_device(dialect, words, places, table, on_host(dialect, host, places, folder), folder / "session", nowhere, unsound)
    write_script(dialect, result, words, folder)
    return result


def draw(_, seed):
    """left: which of the program's statements it has."""
    return {"seed": seed, "left": list(range(len(programs.statements(programs.make(seed)))))}


def program_of(dialect, plan, keep=False):
    made = programs.make(plan["seed"], keep, dialect.block)
    left = set(plan["left"])
    return programs.take(made, dialect.features, {id(s) for i, s in enumerate(programs.statements(made)) if i not in left})


def found(result):
    """Raises a finding if an answer is wrong."""
    if result.wrong:
        raise Finding(f"{len(result.wrong)} answers are wrong ({result.known} are right):\n" + "\n".join(result.wrong[:20]), result.kind)
    return result


def attempt(family, plan, folder):
    dialect = DIALECTS[family]
    return found(compare(dialect, program_of(dialect, plan), "-O0", folder))
