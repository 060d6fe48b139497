"""info warps, info lanes, info divergence, info barriers."""
import re

import gdb

from . import agent, link, text
from .symbols import Names


def parse_waves(device, words):
    """ "0.1", "0-3.*", "2" (of the selected core), "all" as a list of indices."""
    out = []
    for word in words.split():
        if word == "all":
            word = "*.*"
        core, dot, number = word.rpartition(".")
        if dot:
            cores = text.parse_ranges(core, device.cores, "core")
        else:
            cores = [device.place()[0] // device.waves_per_core]
        numbers = text.parse_ranges(number, device.waves_per_core, device.wave_word)
        out += [device.index(c, n) for c in cores for n in numbers]
    return out


def chosen_waves(device, words):
    """The active waves that are named, or all."""
    wanted = parse_waves(device, words) if words else sorted(device.waves)
    return [device.waves[i] for i in wanted if i in device.waves]


class InfoWarps(link.Command):
    """List the warps: where each one is, which of its lanes are active, why it waits.

Usage: info warps [-all] [-each] [-ready] [-waiting] [WARP...]

  -all      also those that are not active
  -each     a row for each; else those that differ in nothing share a row
  -ready    only those that can continue
  -waiting  only those that wait

WARP is CORE.WARP; both can be numbers, ranges (0-3), lists (1,4-6) or * for all. Without CORE it
is the selected warp's. A lane is shown as # if it is active, as - if it waits for its turn or for
the others after a branch, as . if it is switched off; where a character means several lanes,
+ says that some are active. The row of the selected warp is marked with *."""

    NAME = "info warps"
    OPTIONS = ("all", "each", "ready", "waiting")

    def __init__(self, name=None):
        super().__init__(name or self.NAME, gdb.COMMAND_STATUS)

    def run(self, argument):
        chosen, rest = text.options(argument, self.OPTIONS)
        device = link.Device()
        waves = chosen_waves(device, rest)
        if "ready" in chosen or "waiting" in chosen:
            states = {"ready", "running", "stopped"} if "ready" in chosen else set()
            states |= {"waits"} if "waiting" in chosen else set()
            waves = [w for w in waves if w.state in states]
        thread = link.selected_thread()
        current = device.place()[0] if thread is not None else None
        rows = self.rows(device, waves, current, "each" in chosen)
        if "all" in chosen:
            wanted = parse_waves(device, rest) if rest else range(device.cores * device.waves_per_core)
            rows += self.off_rows(device, [i for i in wanted if i not in device.waves])
        if not rows:
            gdb.write(f"No {device.wave_word} is active: the program has ended.\n" if device.ended else
                      f"There is no such {device.wave_word} now; see 'info warps -all'.\n")
            return
        text.table(["", "Core", device.wave_word.capitalize(), "State",
                    device.lane_word.capitalize() + "s", "PC", "Function", "Line", "Why"],
                   [row[1:] for row in sorted(rows, key=lambda row: row[0])],
                   dim={i for i, row in enumerate(sorted(rows, key=lambda row: row[0]))
                        if row[4] == "off"})

    @staticmethod
    def rows(device, waves, current, each):
        names = Names()
        groups = {}
        for wave in waves:
            function, line = ("", "") if wave.running else names.of(wave.where)
            said = (wave.state, text.bar(wave), "" if wave.running else device.address(wave.where),
                    function, line, wave.wait)
            # Warps of several cores share no row: who is where would be hard to read.
            key = (wave.core, said, wave.index if each else 0)
            groups.setdefault(key, []).append(wave)
        rows = []
        for (core, said, _), members in groups.items():
            marked = "*" if any(w.index == current for w in members) else ""
            rows.append(((core, members[0].number), marked, str(core),
                         text.ranges(w.number for w in members), *said))
        return merge_cores(rows)

    @staticmethod
    def off_rows(device, indices):
        cores = {}
        for index in indices:
            core, number = divmod(index, device.waves_per_core)
            cores.setdefault(core, []).append(number)
        return merge_cores([((core, numbers[0]), "", str(core), text.ranges(numbers), "off", "", "", "",
                             "", "") for core, numbers in cores.items()])

    def complete(self, line, word):
        return text.completions(line, word, ["-" + name for name in self.OPTIONS])


def merge_cores(rows):
    """Rows of cores that have the same waves in the same state become one."""
    merged = {}
    for row in rows:
        merged.setdefault(row[3:], []).append(row)
    out = []
    for same in merged.values():
        cores = text.ranges(int(row[2]) for row in same)
        out.append((same[0][0], "*" if any(row[1] for row in same) else "", cores) + same[0][3:])
    return out


class InfoLanes(link.Command):
    """Show the lanes of the selected warp, and the value of an expression in each of them.

Usage: info lanes [-active] [-group] [/FORMAT] [EXPRESSION]

  -active  only the lanes that are active
  -group   lanes that differ in nothing share a row
  /FORMAT  a format letter of `print`: /x, /d, /t, ...

Lanes that are not active are dimmed where the terminal can do that. State says what they do: one
that `waits` continues at its PC when its turn has come or the others have arrived, one that is
`off` was switched off by the program. EXPRESSION is evaluated where each lane is. If another
frame than the innermost one is selected, it is evaluated in that frame of each lane."""

    OPTIONS = ("active", "group")

    def __init__(self, name="info lanes"):
        super().__init__(name, gdb.COMMAND_STATUS)

    def run(self, argument):
        # "info lanes/x EXPRESSION" comes as "/x EXPRESSION", options before or after.
        form = ""
        chosen, rest = text.options(argument, self.OPTIONS)
        found = re.match(r"/([a-z]*)\s*(.*)", rest, re.S)
        if found:
            form = found[1]
            more, rest = text.options(found[2], self.OPTIONS)
            chosen |= more
            if len(form) > 1 or form in "is":
                raise gdb.GdbError(f"'/{form}' is not a format for a value: give one letter, as for `print`.")
        device, wave, current = link.selected_device()
        lanes = [i for i in range(device.lanes) if "active" not in chosen or wave.mask >> i & 1]
        if not lanes:
            gdb.write(f"No {device.lane_word} of {wave.name} is active.\n")
            return
        results = agent.evaluate(device, wave, current, lanes, rest) if rest else {}
        names = Names()
        rows, last = [], None
        for lane in lanes:
            pc = wave.lane_pc(lane)
            said = (wave.lane_state(lane), results[lane].text(form) if rest else "",
                    device.address(pc), *names.of(pc))
            if "group" in chosen and said == last:
                rows[-1][0].append(lane)
            else:
                rows.append(([lane], said))
            last = said
        gdb.write(f"{wave.name}, {device.lane_word}s {text.bar(wave)}"
                  + (f", waits: {wave.wait}" if wave.wait else "") + "\n")
        text.table(["", device.lane_word.capitalize(), "State", " ".join(rest.split()), "PC", "Function",
                    "Line"],
                   [("*" if current in members else "", text.ranges(members), *said)
                    for members, said in rows],
                   dim={i for i, (_, said) in enumerate(rows) if said[0] != "active"})

    def complete(self, line, word):
        if line.split(" ")[-1].startswith("-"):
            return text.completions(line, word, ["-" + name for name in self.OPTIONS])
        return gdb.COMPLETE_EXPRESSION


class InfoDivergence(link.Command):
    """Show how branches have divided the lanes of a warp: which wait where, as a tree.

Usage: info divergence [WARP...]

Each level of the tree is a branch that is not over: one part of the lanes waits, for its turn or
for the others to arrive, and the other part continues below. WARP is as for `info warps`; without
it the selected warp is shown."""

    def __init__(self):
        super().__init__("info divergence", gdb.COMMAND_STATUS)

    def run(self, argument):
        if argument.strip():
            device = link.Device()
            waves = chosen_waves(device, argument)
            if not waves:
                raise gdb.GdbError("None of these is active; see 'info warps'.")
        else:
            device, wave, _ = link.selected_device()
            waves = [wave]
        names = Names()
        for wave in waves:
            gdb.write("\n".join(divergence(wave, names)) + "\n")

    def complete(self, line, word):
        return gdb.COMPLETE_NONE


def divergence(wave, names):
    """The tree, as lines."""
    device = wave.device
    if wave.running:
        return [f"{wave.name} is running"]
    if not wave.told:
        return [f"{wave.name}: this device does not tell of its divergence stack"]

    def row(lanes, mark, what):
        return (f"{text.set_bar(lanes, device.lanes, mark)}  "
                f"{text.ranges(text.lanes_of(lanes)) or 'none'} {what}")

    known = wave.mask
    levels = []
    for lanes, pc in wave.waiters:
        lanes &= ~known
        if lanes:
            levels.append((lanes, pc, known | lanes))
            known |= lanes
    lines = [f"{wave.name}: " + (f"{text.plural(len(levels), 'branch')[:-1] + 'es' if len(levels) > 1 else '1 branch'}"
                                 " not over" if levels else "no branch divides it")]
    indent = ""
    for lanes, pc, together in reversed(levels):
        lines.append(f"{indent}{row(together, '#', 'came to a branch')}")
        lines.append(f"{indent}|-- {row(lanes, '-', 'wait to continue at ' + names.describe(device, pc))}")
        lines.append(f"{indent}`-+")
        indent += "  "
    what = f"wait: {wave.wait}: at" if wave.wait else "are active at"
    lines.append(f"{indent}{row(wave.mask, '#', f'{what} {names.describe(device, wave.where)}')}")
    off = ((1 << device.lanes) - 1) & ~known
    if off:
        lines.append(row(off, ".", "are off: the program has switched them off"))
    return lines


class InfoBarriers(link.Command):
    """List the barriers that warps wait at: who has arrived, and who has not.

Usage: info barriers

Of warps that have not arrived it is shown where they are instead. A barrier for which more warps
must arrive than are active is pointed out: it will not open."""

    def __init__(self):
        super().__init__("info barriers", gdb.COMMAND_STATUS)

    def run(self, argument):
        if argument.strip():
            raise gdb.GdbError("info barriers takes no argument.")
        device = link.Device()
        if any(not wave.told for wave in device.waves.values() if not wave.running):
            raise gdb.GdbError(f"This device does not tell what its {device.wave_word}s wait for.")
        barriers = {}
        for wave in device.waves.values():
            if wave.barrier:
                core = None if wave.barrier["cores"] else wave.core
                barriers.setdefault((core is None, core or 0, wave.barrier["id"]), []).append(wave)
        if not barriers:
            gdb.write(f"No {device.wave_word} waits at a barrier.\n")
            return
        for (between_cores, core, _), arrived in sorted(barriers.items()):
            self.show(device, None if between_cores else core, arrived)

    def show(self, device, core, arrived):
        barrier = arrived[0].barrier
        unit = "core" if core is None else device.wave_word
        place = "between cores" if core is None else f"of core {core}"
        gdb.write(f"Barrier {barrier['id']} {place}: {barrier['arrived']} of "
                  f"{text.plural(barrier['expected'], unit)} have arrived\n")
        others = [w for w in device.waves.values()
                  if (core is None or w.core == core) and w not in arrived]
        rows = []
        for said, waves in (("arrived", arrived), ("not yet", others)):
            for row in sorted(InfoWarps.rows(device, waves, None, False), key=lambda row: row[0]):
                _, _, cores, numbers, state, _, pc, function, line, why = row
                rows.append((said, cores, numbers, state, pc, function, line,
                             why if said == "not yet" else ""))
        text.table(["", "Core", device.wave_word.capitalize(), "State", "PC", "Function", "Line", "Why"],
                   rows)
        active = (len({w.core for w in device.waves.values()}) if core is None else
                  sum(w.core == core for w in device.waves.values()))
        if active < barrier["expected"]:
            gdb.write(f"It cannot open: only {text.plural(active, unit)} "
                      f"{'is' if active == 1 else 'are'} active.\n")

    def complete(self, line, word):
        return gdb.COMPLETE_NONE


def info_waves():
    """The neutral name of `info warps`."""
    text.alias("info waves", "info warps")


COMMANDS = [InfoWarps, InfoLanes, InfoDivergence, InfoBarriers, info_waves]
