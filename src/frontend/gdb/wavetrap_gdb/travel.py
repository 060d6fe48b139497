"""time, goto-time: commands of the server's that move through the run, with what GDB has to do."""
import re

import gdb

from . import link, text

#: What the server says because it cannot know that GDB is told here, too.
STALE = re.compile(r"^GDB still shows what it read before.*\n", re.M)


def after_a_jump():
    """Lets GDB find out where everything is now, and selects a thread that there is."""
    gdb.execute("maintenance flush register-cache", to_string=True)
    there = link.connection()
    threads = {t.ptid[1]: t for t in gdb.selected_inferior().threads()}
    selected = link.selected_thread()
    if selected is None or selected.ptid[1] not in threads:
        reply = there.send_packet("qC") or b""
        found = re.fullmatch(rb"QC(?:p[0-9a-f]+\.)?([0-9a-f]+)", reply)
        if not found or int(found[1], 16) not in threads:
            return
        threads[int(found[1], 16)].switch()
    device, wave, lane = link.selected_device()
    gdb.write(f"[{wave.name} {device.lane_word} {lane} at issue time {device.time}]\n")
    gdb.execute("frame")


class Time(link.Command):
    """Show the issue time, the part of the run that is recorded, and what that takes.

Usage: time

Issue time counts the instructions that warps have issued since reset. See also: goto-time."""

    def __init__(self):
        super().__init__("time", gdb.COMMAND_RUNNING)

    def run(self, argument):
        if argument.strip():
            raise gdb.GdbError("time takes no argument; 'goto-time TIME' goes to one.")
        link.connection()
        gdb.execute("monitor time")

    def complete(self, line, word):
        return gdb.COMPLETE_NONE


class GotoTime(link.Command):
    """Go to an issue time of the run that is recorded, forwards or backwards.

Usage: goto-time TIME

TIME is a number, +N or -N (from here), start, end, or the name of a mark (`monitor mark NAME` sets
one here). Everything is then as it was at that time. The selected thread stays selected if it is
there at that time, too."""

    def __init__(self):
        super().__init__("goto-time", gdb.COMMAND_RUNNING)

    def run(self, argument):
        where = argument.strip()
        if not where:
            raise gdb.GdbError("Which time? A number, +N, -N, start, end, or the name of a mark.")
        link.connection()
        said = gdb.execute(f"monitor goto {where}", to_string=True)
        if not STALE.search(said):
            raise gdb.GdbError(said.strip())
        after_a_jump()

    def complete(self, line, word):
        return text.completions(line, word, ["start", "end"])


COMMANDS = [Time, GotoTime]
