"""Registers of lanes that GDB has not resumed, and `info registers` for names of any length.

GDB keeps the registers of threads that it did not resume. When it steps one lane over a breakpoint, or with scheduler-locking, the other
lanes of the warp move as well: at each stop GDB reads registers anew.

 GDB's printer for RISC-V pads a name to 15 characters, and
for a longer one reads beyond a string of its own: "vx_active_threads0x1", or the end of GDB. Registers with
such names are printed here."""
import re

import gdb

from . import link

COLUMN = 15  # of the value, in GDB's output (riscv-tdep.c, riscv_print_one_register_info)


def _long_names(architecture):
    return {r.name for r in architecture.registers() if len(r.name) >= COLUMN}


def _groups():
    """{group: names of its registers, in GDB's order}. From the text, since GDB's Python interface does not tell the members; and since GDB 16 crashes at its exit
    after Architecture.register_groups()."""
    table = gdb.execute("maint print register-groups", to_string=True)
    found = {}
    for name, groups in re.findall(r"^ (\w+) +\d+ +\d+ +\d+ +\d+ .* (\S+)$", table, re.M):
        for group in groups.split(","):
            found.setdefault(group, []).append(name)
    return found


def _line(frame, name):
    value = frame.read_register(name)
    return f"{name} {value.format_string(format='x')}\t{value.format_string()}\n"


def _printed(names, long_names):
    """The registers of these names: by GDB's own command as many in a row as it can."""
    said, row = "", []
    for name in names + [None]:
        if name is not None and name.lstrip("$") not in long_names:
            row.append(name)
            continue
        if row:
            said += gdb.execute(f"info all-registers {' '.join(row)}", to_string=True)
            row = []
        if name is not None:
            said += _line(gdb.selected_frame(), name.lstrip("$"))
    return said


class InfoRegisters(gdb.Command):
    def __init__(self):
        # The text of GDB's own command is what `help` then shows.
        self.__doc__ = gdb.execute("help info registers", to_string=True).strip()
        super().__init__("info registers", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        # GDB's own command is gone once there is another one of its name. `info all-registers` is the
        # same code: with names it prints those, and the group "general" is what none means.
        try:
            # Of a program that has no registers now GDB says so.
            gdb.execute("info all-registers pc", to_string=True)
            architecture = gdb.selected_frame().architecture()
            long_names = _long_names(architecture)
            groups = _groups()
            names = []
            for word in argument.split() or ["general"]:
                members = groups.get(word, [])
                if long_names.isdisjoint(members):
                    names.append(word)
                else:
                    # GDB leaves out zero where no name was given.
                    names += [name for name in members if argument.strip() or name != "zero"]
            gdb.write(_printed(names, long_names))
        except gdb.error as problem:
            raise gdb.GdbError(str(problem)) from None

    def complete(self, text, word):
        try:
            architecture = gdb.selected_frame().architecture()
        except gdb.error:
            return []
        names = [r.name for r in architecture.registers()]
        return sorted(name for name in {*names, *_groups()} if name.startswith(word or ""))  # None: GDB only asks where the word begins


def _read_anew(event=None):
    gdb.execute("maintenance flush register-cache", to_string=True)


class _Connection:
    """Other programs keep GDB's own command: it is replaced with the first stop of a device of ours."""

    def __init__(self):
        self.done = self.reads_anew = False
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
        # GDB's printer ends GDB if the first name that it pads in its life is a long one.
        gdb.execute("info all-registers pc", to_string=True)
        InfoRegisters()
        gdb.events.stop.connect(_read_anew)
        self.reads_anew = True

    def forget(self):
        if self.reads_anew:
            self.reads_anew = False
            gdb.events.stop.disconnect(_read_anew)
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
