"""Bars, ranges of numbers, tables."""
import os
import re

import gdb

WIDEST_BAR = 32 # so that the rows of `info warps` stay within 100 columns


def bar(wave):
    """The lanes of a wave, a character each: '#' active, '-' waits to be woken, '.' off."""
    count = wave.device.lanes
    if wave.running:
        return "running"
    step = -(-count // WIDEST_BAR)
    out = []
    for first in range(0, count, step):
        kinds = {wave.lane_state(lane) for lane in range(first, min(first + step, count))}
        out.append({"active": "#", "waits": "-", "off": "."}[kinds.pop()] if len(kinds) == 1
                   else "+" if "active" in kinds else "-")
    return "".join(out)


def set_bar(lanes, count, mark):
    """The same for a set of lanes: `mark` for those in it."""
    step = -(-count // WIDEST_BAR)
    return "".join(mark if lanes >> first & ((1 << step) - 1) else "." for first in range(0, count, step))


def ranges(numbers):
    """[0, 1, 2, 5] as "0-2,5"."""
    out = []
    for n in sorted(numbers):
        if out and out[-1][1] == n - 1:
            out[-1][1] = n
        else:
            out.append([n, n])
    return ",".join(f"{a}" if a == b else f"{a}-{b}" for a, b in out)


def lanes_of(mask):
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


def plural(count, word):
    return f"{count} {word}" + ("" if count == 1 else "s")


def parse_ranges(text, limit, what):
    """ "0-2,5" or "*" as a list of numbers below `limit`."""
    if text == "*":
        return list(range(limit))
    out = []
    for part in text.split(","):
        found = re.fullmatch(r"(\d+)(?:-(\d+))?", part)
        if not found:
            raise gdb.GdbError(f"'{part}' is not a {what}: give numbers (1), ranges (0-3), lists (1,4-6) "
                               "or * for all.")
        first, last = int(found[1]), int(found[2] or found[1])
        if last >= limit or first > last:
            raise gdb.GdbError(f"There is no {what} {part}: they go from 0 to {limit - 1}.")
        out += range(first, last + 1)
    return out


#: Whether a person has typed the command that is being executed: else its text may be captured, or go into a file.
typed = False


def in_mi():
    """Whether GDB was started for a program that reads its machine interface."""
    try:
        with open("/proc/self/cmdline", "rb") as file:
            words = file.read().decode(errors="replace").split("\0")
    except OSError:
        return False
    return re.search(r"(?:^|\0)--?i(?:nterpreter)?[=\0]mi", "\0".join(words)) is not None


def styled():
    """By GDB's own rule: at a terminal that has styles."""
    return bool(typed and gdb.parameter("style enabled") and os.environ.get("TERM", "dumb") not in ("", "dumb")
                and os.isatty(1) and not in_mi())


def table(head, rows, dim=()):
    """Prints rows of words under their heads; `dim` has the indices of those that matter less."""
    rows = [[str(word) for word in row] for row in rows]
    used = [i for i in range(len(head)) if any(row[i] for row in rows) or i < 2]
    widths = {i: max(len(row[i]) for row in [head] + rows) for i in used}

    def line(row):
        return "  ".join(row[i].ljust(widths[i]) for i in used).rstrip()
    lines = [line(head)]
    for number, row in enumerate(rows):
        text = line(row)
        lines.append(f"\033[2m{text}\033[m" if number in dim and styled() else text)
    gdb.write("\n".join(lines) + "\n")


def options(words, known):
    """Takes options off the front of a line: (set of options, the rest). An option may be cut short
    while it stays unique."""
    found = set()
    rest = words.strip()
    while rest.startswith("-") and not re.match(r"-[\d(.]", rest):
        word, _, more = rest.partition(" ")
        if word == "--":
            return found, more.strip()
        fitting = [name for name in known if name.startswith(word[1:])] if len(word) > 1 else []
        if word[1:] in known:
            fitting = [word[1:]]
        if len(fitting) != 1:
            raise gdb.GdbError(f"'{word}' is not an option here; there are "
                               + ", ".join(f"-{name}" for name in known) + ".")
        found.add(fitting[0])
        rest = more.strip()
    return found, rest


def completions(line, word, names):
    """Those of `names` that fit what was typed. GDB breaks words at '-' and '.', too, and wants what
    follows the break."""
    typed = line.split(" ")[-1]
    return [name[len(typed) - len(word):] for name in names if name.startswith(typed)]


def alias(new, command):
    """Another name for a command; there already when the extension is loaded again."""
    try:
        gdb.execute(f"alias {new} = {command}")
    except gdb.error:
        pass
