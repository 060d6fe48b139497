"""Selecting warps and lanes, and doing something in several of them."""
import gdb

from . import link, text
from .tables import parse_waves


def show(device, wave, lane):
    """Says what is selected, as `thread` does."""
    note = "" if wave.mask >> lane & 1 else f" ({'masked off' if wave.mask else 'switched off'})"
    gdb.write(f"[Switching to {wave.name}, {device.lane_word} {lane}{note}]\n")
    gdb.execute("frame", False)


class Lane(link.Command):
    """Select a lane of the selected warp; without an argument, say which is selected.

Usage: lane [NUMBER]

Whether a thread of GDB's is a lane or a whole warp makes no difference. See also: warp, info lanes."""

    def __init__(self):
        super().__init__("lane", gdb.COMMAND_RUNNING)

    def run(self, argument):
        device, wave, lane = link.selected_device()
        words = argument.split()
        if not words:
            gdb.write(f"[The selected {device.lane_word} is {wave.name}, {device.lane_word} {lane}]\n")
            return
        if len(words) > 1 or not words[0].isdigit():
            lane = number(argument, device.lanes, device.lane_word)
        else:
            lane = int(words[0])
        if lane >= device.lanes:
            raise gdb.GdbError(f"There is no {device.lane_word} {lane}: they go from 0 to "
                               f"{device.lanes - 1}.")
        device.select(wave.index, lane)
        show(device, wave, lane)

    def complete(self, line, word):
        return complete_names(line, word, lambda: map(str, range(link.Device("-").lanes)))


def number(expression, limit, what):
    """A number that is given as an expression."""
    try:
        value = int(gdb.parse_and_eval(expression))
    except (gdb.error, ValueError, TypeError) as problem:
        raise gdb.GdbError(f"'{expression}' is not a number of a {what}: {problem}") from None
    if not 0 <= value < limit:
        raise gdb.GdbError(f"There is no {what} {value}: they go from 0 to {limit - 1}.")
    return value


def complete_names(line, word, names):
    """Completion asks the server; where it does not answer there is nothing to complete."""
    try:
        return text.completions(line, word, names())
    except gdb.error:
        return gdb.COMPLETE_NONE


def active_waves():
    return [wave.short for wave in link.Device().waves.values()]


class Warp(link.Command):
    """Select a warp; without an argument, say which is selected.

Usage: warp [CORE.WARP]

Without CORE it is one of the selected warp's core. The lane stays the same if it is active there,
else the lowest active one is selected. See also: lane, info warps."""

    def __init__(self):
        super().__init__("warp", gdb.COMMAND_RUNNING)

    def run(self, argument):
        device = link.Device()
        if not argument.strip():
            index, lane = device.place()
            wave = device.waves.get(index)
            if wave is None:
                raise gdb.GdbError("The selected thread has ended; see 'info threads'.")
            gdb.write(f"[The selected {device.wave_word} is {wave.name}]\n")
            return
        wanted = parse_waves(device, argument)
        if len(wanted) != 1:
            raise gdb.GdbError(f"Give one {device.wave_word}, as CORE.{device.wave_word.upper()}: "
                               f"'{device.wave_word} 0.1'.")
        wave = device.waves.get(wanted[0])
        if wave is not None and wave.running:
            raise gdb.GdbError(f"{wave.name} is running: type 'interrupt' first.")
        lane = best_lane(device, wave) if wave is not None else 0
        device.select(wanted[0], lane)
        show(device, wave, lane)

    def complete(self, line, word):
        return complete_names(line, word, active_waves)


def best_lane(device, wave):
    """The selected lane if it is active in that wave, too, else the lowest active one."""
    lane = 0
    if link.selected_thread() is not None:
        _, lane = device.place()
    if wave.mask and not wave.mask >> lane & 1:
        lane = (wave.mask & -wave.mask).bit_length() - 1
    return lane


FLAGS = ("c", "q", "s")


def apply(device, places, argument):
    """Runs a command in each place, as `thread apply` does; flags come before the command."""
    flags, command = text.options(argument, FLAGS)
    if not command:
        raise gdb.GdbError("Which command? It comes last: 'lane-apply all print x'.")
    with link.selection_kept(device):
        for wave, lane, title in places:
            try:
                device.select(wave.index, lane)
                said = gdb.execute(command, to_string=True)
            except gdb.error as problem:
                if "s" in flags:
                    continue
                said = f"{problem}\n"
                if "c" not in flags:
                    if "q" not in flags:
                        gdb.write(f"\n{title}:\n")
                    raise
            if "s" in flags and not said:
                continue
            gdb.write(said if "q" in flags else f"\n{title}:\n{said}")


def complete_command(line, first_words):
    """What GDB would complete after the first word."""
    head, space, rest = line.partition(" ")
    if not space:
        return [word for word in first_words if word.startswith(head)]
    while rest.startswith("-"):
        _, _, rest = rest.partition(" ")
    try:
        found = gdb.execute(f"complete {rest}", to_string=True).splitlines()
    except gdb.error:
        return gdb.COMPLETE_NONE
    # GDB wants what follows the last break of what was typed.
    kept = len(rest) - len(rest.split(" ")[-1])
    return [line_[kept:] for line_ in found]


class WarpApply(link.Command):
    """Run a command in each of several warps.

Usage: warp-apply WARPS [-q] [-c] [-s] COMMAND

WARPS is `all` or as for `info warps`: 0.1, 0-3.*, 2. In each warp the command runs in the selected
lane if that is active there, else in the lowest active one.

  -q  do not say which warp it is
  -c  continue after an error
  -s  continue after an error, and say nothing of it, nor of warps where nothing is printed"""

    def __init__(self):
        super().__init__("warp-apply", gdb.COMMAND_RUNNING)

    def run(self, argument):
        device = link.Device()
        which, _, rest = argument.strip().partition(" ")
        if not which:
            raise gdb.GdbError("Which ones, and which command? 'warp-apply all print x'.")
        places = []
        for index in parse_waves(device, which):
            wave = device.waves.get(index)
            if wave is not None and not wave.running:
                places.append((wave, best_lane(device, wave), wave.name))
        if not places:
            raise gdb.GdbError("None of these is active and stopped; see 'info warps'.")
        apply(device, places, rest)

    def complete(self, line, word):
        return complete_command(line, ["all"])


class LaneApply(link.Command):
    """Run a command in each of several lanes of the selected warp.

Usage: lane-apply LANES [-q] [-c] [-s] COMMAND

LANES is `all`, `active`, or numbers, ranges and lists of them: 3, 0-7, 0-3,8. Flags are as for
`warp-apply`. For the value of an expression in each lane, `info lanes EXPRESSION` is much quicker."""

    def __init__(self):
        super().__init__("lane-apply", gdb.COMMAND_RUNNING)

    def run(self, argument):
        device, wave, _ = link.selected_device()
        which, _, rest = argument.strip().partition(" ")
        if not which:
            raise gdb.GdbError("Which ones, and which command? 'lane-apply active print x'.")
        if which == "active":
            lanes = text.lanes_of(wave.mask)
        else:
            lanes = text.parse_ranges("*" if which == "all" else which, device.lanes, device.lane_word)
        apply(device, [(wave, lane, f"{wave.name}, {device.lane_word} {lane} ({wave.lane_state(lane)})")
                       for lane in lanes], rest)

    def complete(self, line, word):
        return complete_command(line, ["active", "all"])


def neutral_names():
    """Names that fit every family."""
    text.alias("wave", "warp")
    text.alias("wave-apply", "warp-apply")


COMMANDS = [Lane, Warp, WarpApply, LaneApply, neutral_names]
