"""What there is, for people: `help wavetrap`, and the memory of a program that has ended."""
import gdb

from . import link, travel


class Wavetrap(link.Command):
    """Commands for GPUs, beside GDB's own.

  info warps         where each warp is, and why it waits
  info lanes [EXPR]  the lanes of the selected warp, and a value in each
  info divergence    how branches have divided a warp
  info barriers      who has arrived at a barrier
  warp, lane         select by number; warp-apply, lane-apply: a command in several
  time, goto-time    where in the recorded run this is; go elsewhere in it
  who-wrote, who-read EXPR  which instruction wrote to memory, or read it

$_core, $_warp, $_lane, $_mask and $_time work in expressions and conditions. 'monitor help' lists
what the server itself does. A lane is one element of a warp; Vortex calls it a thread, and so do
the names of GDB's threads: "device 0, core 0, warp 1, thread 2". 'help COMMAND' shows more of
each.

Usage: wavetrap"""

    def __init__(self):
        super().__init__("wavetrap", gdb.COMMAND_SUPPORT)

    def run(self, argument):
        gdb.execute("help wavetrap")

    def complete(self, line, word):
        return gdb.COMPLETE_NONE


#: Commands that read memory. GDB runs a command of their name with "hook-" in its last word before each.
READERS = ("print", "call", "output", "printf", "x", "display", "find", "dump memory", "dump value",
           "dump binary memory", "dump binary value")


class _End:
    """GDB asks no server for memory once the program has ended: it shows what the program's file
    holds (remote_target::xfer_partial in its remote.c). So a recorded run goes back to before its last
    instruction when a command wants to read memory."""

    def __init__(self):
        self.told = True
        self.recorded = False
        gdb.events.exited.connect(self.exited)
        gdb.events.before_prompt.connect(self.before_prompt)
        gdb._wavetrap_before_a_reader = self.before_a_reader
        for name in READERS:
            self.hook(name)

    def hook(self, name):
        *prefix, last = name.split()
        hook = " ".join((*prefix, f"hook-{last}"))
        try:
            there = gdb.execute(f"show user {hook}", to_string=True)
            if "_wavetrap_before_a_reader" not in there:
                return  # a person's own
        except gdb.error:
            pass
        gdb.execute(f"define {hook}\npython gdb._wavetrap_before_a_reader()\nend")

    def exited(self, event):
        self.told = False
        self.recorded = False
        try:
            if link.Device("-").ended and not gdb.parameter("non-stop"):
                self.recorded = "recorded:" in gdb.execute("monitor time", to_string=True)
        except gdb.error:
            pass

    def before_prompt(self):
        if self.told:
            return
        self.told = True
        try:
            if not link.Device("-").ended:
                return
        except gdb.error:
            return
        if self.recorded:
            gdb.write("The program has ended: print and x go back to before its last instruction, and show "
                      "what was in memory then.\n")
        else:
            gdb.write("The program has ended: print and x show what its file holds.\n")

    def before_a_reader(self):
        inferior = gdb.selected_inferior()
        if not self.recorded or inferior.pid:
            return
        try:
            travel.to_the_last_instruction()
        except gdb.error:  # the connection is gone, or the program is not there any more
            self.recorded = False


def watch_the_end():
    """Once, also when the extension is loaded again."""
    previous = getattr(gdb, "_wavetrap_end", None)
    if previous is not None:
        gdb.events.exited.disconnect(previous.exited)
        gdb.events.before_prompt.disconnect(previous.before_prompt)
    gdb._wavetrap_end = _End()


def no_way_back_in_non_stop(*_):
    """GDB asks whether there is a way back before it chooses its mode, and in non-stop mode, where there is none, remembers the
    direction of a refused command: the next `next` would continue backwards. So it does not ask the server for one."""
    use = "off" if gdb.parameter("non-stop") else "auto"
    if getattr(gdb, "_wavetrap_way_back", "auto") != use:
        gdb._wavetrap_way_back = use
        for packet in ("step", "continue"):
            gdb.execute(f"set remote reverse-{packet}-packet {use}", to_string=True)


def watch_the_mode():
    """Once, also when the extension is loaded again. At a prompt, or, in scripts, at a stop."""
    previous = getattr(gdb, "_wavetrap_mode", None)
    for event in (gdb.events.before_prompt, gdb.events.stop):
        if previous is not None:
            event.disconnect(previous)
        event.connect(no_way_back_in_non_stop)
    gdb._wavetrap_mode = no_way_back_in_non_stop
    no_way_back_in_non_stop()


COMMANDS = [Wavetrap, watch_the_end, watch_the_mode]
