"""`info registers` with a column for the values. GDB's printer for RISC-V pads names to 15 characters and
puts the value of a longer name right behind it: "vx_active_threads0x1"."""
import re

import gdb

from . import link

COLUMN = 15  # of the value, in GDB's output (riscv-tdep.c, riscv_print_one_register_info)


def _long_names(architecture):
    return [r.name for r in architecture.registers() if len(r.name) >= COLUMN]


def separated(said, names):
    """GDB's lines with spaces between names and values. Of a name that begins another one the longer
    one is meant."""
    if not names:
        return said
    some = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.sub(rf"^({some})(?=\S)", r"\1 ", said, flags=re.M)


class InfoRegisters(gdb.Command):
    def __init__(self):
        # The text of GDB's own command is what `help` goes on to show.
        self.__doc__ = gdb.execute("help info registers", to_string=True).strip()
        super().__init__("info registers", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        # GDB's own command is gone once there is another one of its name. `info all-registers` is the
        # same code: with names it prints those, and the group "general" is what none stands for.
        try:
            said = gdb.execute(f"info all-registers {argument.strip() or 'general'}", to_string=True)
            architecture = gdb.selected_frame().architecture()
        except gdb.error as problem:
            raise gdb.GdbError(str(problem)) from None
        if not argument.strip():
            said = re.sub(r"^zero +0x0\t0\n", "", said, flags=re.M)  # GDB leaves it out, too
        gdb.write(separated(said, _long_names(architecture)))

    def complete(self, text, word):
        try:
            architecture = gdb.selected_frame().architecture()
        except gdb.error:
            return []
        names = [r.name for r in architecture.registers()]
        groups = [g.name for g in architecture.register_groups()]
        return sorted(name for name in names + groups if name.startswith(word))


class _Connection:
    """Other programs keep GDB's own command: it is replaced with the first stop of a device of ours."""

    def __init__(self):
        self.done = False
        gdb.events.stop.connect(self.look)
        gdb.events.before_prompt.connect(self.look)

    def look(self, event=None):
        if self.done:
            return
        there = gdb.selected_inferior().connection
        if not isinstance(there, gdb.RemoteTargetConnection) or not there.is_valid():
            return
        thread = link.selected_thread()
        if thread is None or not thread.is_stopped():
            return
        try:
            architecture = gdb.selected_frame().architecture()
        except gdb.error:
            return
        # _lane is a register that wavetrap's server adds to every device.
        if architecture.registers().find("_lane") is None:
            return
        self.forget()
        InfoRegisters()

    def forget(self):
        if not self.done:
            self.done = True
            gdb.events.stop.disconnect(self.look)
            gdb.events.before_prompt.disconnect(self.look)


def watch_for_a_connection():
    """Once, also when the extension is loaded again."""
    previous = getattr(gdb, "_wavetrap_connection", None)
    if previous is not None:
        previous.forget()
    gdb._wavetrap_connection = _Connection()


COMMANDS = [watch_for_a_connection]
