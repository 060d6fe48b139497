"""time, generate-core, goto-time, who-wrote, who-read: commands of the server's that move through the run, with what GDB has to do."""
import os
import re

import gdb

from . import link, text

#: What the server says because it cannot know that GDB learns it here, too.
STALE = re.compile(r"^GDB still shows what it read before.*\n", re.M)


def find_threads():
    """Lets GDB find out where everything is now, and selects a thread that there is; false: none is."""
    gdb.execute("maintenance flush register-cache", to_string=True)
    # GDB says "[New Thread ...]" of each that it finds here.
    gdb.execute("python gdb.selected_inferior().threads()", to_string=True)
    there = link.connection()
    threads = {t.ptid[1]: t for t in gdb.selected_inferior().threads()}
    selected = link.selected_thread()
    if selected is None or selected.ptid[1] not in threads:
        reply = there.send_packet("qC") or b""
        found = re.fullmatch(rb"QC(?:p[0-9a-f]+\.)?([0-9a-f]+)", reply)
        if not found or int(found[1], 16) not in threads:
            return False
        threads[int(found[1], 16)].switch()
    return True


def to_the_last_instruction():
    """Of a program that has ended: to before it, without a word."""
    link.connection()
    gdb.execute("monitor goto end", to_string=True)
    gdb.execute("monitor goto -1", to_string=True)
    find_threads()


def after_a_jump():
    """The same, and says where that is."""
    if not find_threads():
        return
    device, wave, lane = link.selected_device()
    gdb.write(f"[{wave.name}, {device.lane_word} {lane} at issue time {device.time}]\n")
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
        gdb.write(gdb.execute("monitor time", to_string=True))  # to where commands write: the server's text goes elsewhere

    def complete(self, line, word):
        return gdb.COMPLETE_NONE


class GenerateCore(link.Command):
    """Write the program's state to a core file, for `wavetrap debug --core FILE`.

Usage: generate-core [FILE [ISSUES | all]]

FILE is wavetrap.core if it is not given. With ISSUES, that much of the recorded run before here is
in it, and with `all` the whole of it. The file is written by wavetrap, where that runs."""

    def __init__(self):
        super().__init__("generate-core", gdb.COMMAND_DATA, gdb.COMPLETE_FILENAME)

    def run(self, argument):
        words = argument.split() or ["wavetrap.core"]
        link.connection()
        if not words[0].startswith("/"):
            words[0] = os.path.join(os.getcwd(), words[0])
        said = gdb.execute("monitor generate-core " + " ".join(words), to_string=True)
        if not said.startswith("Saved"):
            raise gdb.GdbError(said.strip())
        gdb.write(said)


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
        if "the program has ended" in said:
            # Nothing is there to be looked at: to what was there last.
            gdb.execute("monitor goto -1", to_string=True)
            gdb.write("The program ends with the next instruction.\n")
        after_a_jump()

    def complete(self, line, word):
        return text.completions(line, word, ["start", "end"])


def split_length(argument):
    """ "EXPR, LEN" as (EXPR, LEN or None): the last comma outside of brackets and quotes."""
    depth, quote, at = 0, "", -1
    for i, char in enumerate(argument):
        if quote:
            quote = "" if char == quote and argument[i - 1] != "\\" else quote
        elif char in "\"'":
            quote = char
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == "," and depth == 0:
            at = i
    if at < 0:
        return argument.strip(), None
    return argument[:at].strip(), argument[at + 1:].strip()


def memory_of(expression):
    """The address and size that an expression means: where it lies in memory, or, if it is an
    address itself, what lies there. The size is None where the type does not tell."""
    try:
        where = gdb.parse_and_eval(f"&({expression})")
        return int(where), where.type.target().sizeof
    except gdb.error as problem:
        if "register" in str(problem):
            raise gdb.GdbError(f"{expression} is in a register, not in memory.") from None
    value = gdb.parse_and_eval(expression)
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_PTR:
        target = kind.target().strip_typedefs()
        known = target.code not in (gdb.TYPE_CODE_VOID, gdb.TYPE_CODE_FUNC)
        return int(value), target.sizeof if known else None
    if kind.code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_ENUM):
        return int(value), None
    raise gdb.GdbError(f"{expression} is neither something in memory nor an address.")


class Who(link.Command):
    """Tell which instruction {did} memory last, before now: its time, warp, lane, and line.

Usage: {name} [-all] EXPRESSION[, BYTES]

  -all  all {those} that are recorded, the latest last

EXPRESSION is something in memory, such as a variable or out[3], or an address, such as &out[3] or
0x80004000; BYTES says how much of it is meant, if not all. `goto-time` goes to the time that is
told: the instruction is then about to be executed. See also: reverse-continue with `watch`."""

    OPTIONS = ("all",)

    def __init__(self, name, did, those):
        self.name = name
        self.__doc__ = Who.__doc__.format(name=name, did=did, those=those)
        super().__init__(name, gdb.COMMAND_DATA)

    def run(self, argument):
        chosen, rest = text.options(argument, self.OPTIONS)
        expression, length = split_length(rest)
        if not expression:
            raise gdb.GdbError(f"{self.name.capitalize().replace('-', ' ')} what? '{self.name} out[3]', '{self.name} &out[3], 4'.")
        link.connection()
        address, size = memory_of(expression)
        if length is not None:
            size = int(gdb.parse_and_eval(length))
            if size < 1:
                raise gdb.GdbError(f"{size} is not a number of bytes.")
        device = link.Device("-")
        address &= (1 << 4 * device.digits) - 1
        try:
            # Local memory is that of the selected thread's core: reading makes GDB tell which it is.
            gdb.selected_inferior().read_memory(address, 1)
        except gdb.error:
            pass
        said = gdb.execute(f"monitor {self.name} {address:#x}" + (f",{size}" if size else "")
                           + (" --all" if "all" in chosen else ""), to_string=True)
        gdb.write(said.replace("'monitor goto ", "'goto-time "))

    def complete(self, line, word):
        if line.split(" ")[-1].startswith("-"):
            return text.completions(line, word, ["-all"])
        return gdb.COMPLETE_EXPRESSION


def who_wrote():
    return Who("who-wrote", "wrote to", "writes")


def who_read():
    return Who("who-read", "read", "reads")


COMMANDS = [Time, GenerateCore, GotoTime, who_wrote, who_read]
