"""The harness Break_lines: a breakpoint on a line has the addresses that GDB gives it, for each line of a program.

The programs are those of the harness Values, compiled for Vortex by GCC, as they are and optimised. Stock GDB reads the same file, and is
asked for the same lines; nothing runs. One difference stands: GDB up to 16 deletes the rows of an address at which a call of another file is
inlined, so that the line has its breakpoint behind the inlined copy, or the next line has it (lost(), by llvm-dwarfdump).
"""
import collections
import re
import subprocess

import dialects
import optimised
import truth
import values

LEVELS = {f"{name}{level}": (dialect, level) for name, dialect in dialects.all_dialects().items() if name.startswith("rv") for level in ("-O0", "-O1", "-O2")}
FAMILIES = list(LEVELS)
ROUND = 40
FIXED = {"rv32-O1": [1], "rv64-O2": [2], "rv64-cxx-O2": [1], "rv32-cxx-O0": [3]}
SCRIPT = """python
import gdb
for line in range({first}, {last} + 1):
    point = gdb.Breakpoint("{file}:%d" % line)
    print("line", line, *sorted({{hex(place.address) for place in point.locations}}))
    point.delete()
"""


draw = optimised.draw


def gdbs(file, source, first, last):
    script = file.with_suffix(".gdb")
    script.write_text(SCRIPT.format(file=source, first=first, last=last))
    said = subprocess.run(["gdb-multiarch", "-nx", "-q", "-batch", "-iex", "set debuginfod enabled off", "-ex", "set breakpoint pending on", str(file), "-x", str(script)],
                          capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL, check=True).stdout
    return {int(line): {int(address, 16) for address in rest.split()} for line, rest in re.findall(r"^line (\d+)(.*)$", said, re.M)}


def ours(file, options, source, first, last):
    lines = range(first, last + 1)
    commands = "set confirm off\n" + "".join(f"echo line {line}\\n\nbreak {source}:{line}\ninfo breakpoints\ndelete\n" for line in lines)
    said = subprocess.run([truth.WAVETRAP, "debug", *options, file], capture_output=True, text=True, timeout=120, input=commands, check=True).stdout
    made = {}
    for part in re.split(r"^line (?=\d+$)", said, flags=re.M)[1:]:
        line, _, rest = part.partition("\n")
        made[int(line)] = {int(address, 16) for address in re.findall(r"^\d.*? y +(0x[0-9a-f]+) ", rest, re.M)}
    return made


def lost(file, name):
    """{line: addresses} of a file's rows that GDB deletes as it reads the table: another file's row at the same address comes behind them."""
    said = subprocess.run(["llvm-dwarfdump-19", "--debug-line", str(file)], capture_output=True, text=True, check=True).stdout
    gone = collections.defaultdict(set)
    for table in said.split("Line table prologue:")[1:]:
        names = re.findall(r'file_names\[ *\d+\]:\n +name: "(.*)"', table)
        first = int(re.search(r"version: (\d+)", table)[1]) < 5
        rows = [(int(a, 16), int(l), names[int(f) - first], " is_stmt" in rest) for a, l, f, rest in re.findall(r"^(0x\w+) +(\d+) +\d+ +(\d+)(.*)$", table, re.M)]
        for at, (address, line, own, statement) in enumerate(rows):
            if not own.endswith(name) or not statement:
                continue
            other = next((r for r in rows[at:] if r[2] != own), None)
            if other and other[0] == address:
                gone[line].add(address)
    return gone


def attempt(family, plan, folder):
    dialect, level = LEVELS[family]
    kernel, _, _, _ = dialects.write(dialect, values.program_of(dialect, plan, True), folder)
    out = folder / "t.elf"
    dialect.build(kernel, out, level)
    last = kernel.read_text().count("\n") + 3
    theirs, own = gdbs(out, kernel.name, 1, last), ours(out, dialect.options, kernel.name, 1, last)
    assert len(theirs) == len(own) == last, (len(theirs), len(own), last)
    gone = lost(out, kernel.name)

    def is_lost(line):
        """Whether what GDB does not have is at rows that it has lost of the line, or of the next one that has any."""
        more = own[line] - theirs[line]
        return more and len(own[line]) >= len(theirs[line]) and more <= gone[min((n for n in gone if n >= line), default=0)]
    wrong = [line for line in theirs if own[line] != theirs[line] and not is_lost(line)]
    if wrong:
        raise truth.Finding(f"{len(wrong)} of {last} lines\n" + "\n".join(f"{kernel.name}:{line}: {sorted(map(hex, own[line]))}, GDB {sorted(map(hex, theirs[line]))}" for line in wrong))
    return last
