"""What there is, for people: `help wavetrap`, and a word when the program has ended."""
import gdb

from . import link


class Wavetrap(link.Command):
    """Commands for GPUs, beside GDB's own.

  info warps         where each warp stands, and why it waits
  info lanes [EXPR]  the lanes of the selected warp, and a value in each
  info divergence    how branches have divided a warp
  info barriers      who has arrived at a barrier
  warp, lane         select by number; warp-apply, lane-apply: a command in several
  time, goto-time    where in the recorded run this is; go elsewhere in it
  who-wrote EXPR     which instruction wrote to memory

$_core, $_warp, $_lane, $_mask and $_time work in expressions and conditions. 'monitor help' lists
what the server itself does. A lane is one element of a warp; Vortex calls it a thread, and so do
the names of GDB's threads: "core 0 warp 1 thread 2". 'help COMMAND' tells more of each.

Usage: wavetrap"""

    def __init__(self):
        super().__init__("wavetrap", gdb.COMMAND_SUPPORT)

    def run(self, argument):
        gdb.execute("help wavetrap")

    def complete(self, line, word):
        return gdb.COMPLETE_NONE


class _End:
    """GDB reads memory from the program's file once the program has ended, without a word."""

    def __init__(self):
        self.told = True
        gdb.events.exited.connect(self.exited)
        gdb.events.before_prompt.connect(self.before_prompt)

    def exited(self, event):
        self.told = False

    def before_prompt(self):
        if self.told:
            return
        self.told = True
        try:
            if not link.Device("-").ended:
                return
            recorded = "recorded:" in gdb.execute("monitor time", to_string=True)
        except gdb.error:
            return
        back = "; 'goto-time -1' goes back to what was in memory then" if recorded else ""
        gdb.write(f"The program has ended: print and x show what its file holds{back}.\n")



def watch_the_end():
    """Once, also when the extension is loaded again."""
    previous = getattr(gdb, "_wavetrap_end", None)
    if previous is not None:
        gdb.events.exited.disconnect(previous.exited)
        gdb.events.before_prompt.disconnect(previous.before_prompt)
    gdb._wavetrap_end = _End()


COMMANDS = [Wavetrap, watch_the_end]
