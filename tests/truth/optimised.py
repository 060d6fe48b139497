"""The harness Optimised: a value that the debugger prints of optimised code, or with line tables alone, is one that the variable has had.

The programs are those of the harness Values. The kernel is optimised (-O1, -O2; Gen9: -g alone), or has line tables only; the host
program is not. A value that the console prints of a work-item's variable at a line must be one that GDB saw in the host's run of that
work-item, in the variable's function, at a stop up to the last one at this line. What the compiler's debug information has wrong
stands in EXCEPTIONS, by what another reader of it says.
"""
import collections
import dataclasses
import re

import console
import dialects
import program as programs
import reader
import values
from truth import amd

LEVELS = {f"{name}{level}": (d, options) for name, d in values.DIALECTS.items() if not d.gdb for level, options in d.levels.items()}
FAMILIES = list(LEVELS)
ROUND = 100
FIXED = {"rv32-O1": [2], "rv32-O2": [2], "rv64-O1": [2], "rv64-O2": [2], "rv32-cxx-O2": [1], "rv64-cxx-O1": [1], "gcn-opencl-O1": [3], "gcn-opencl-O2": [3],
         "gcn-opencl-15-O1": [3], "gcn-opencl-15-O2": [3], "gcn-hip-O1": [3], "gcn-hip-O2": [3, 1204640642], "gcn-hip-15-O1": [2], "gcn-hip-15-O2": [2], "gcn-hip-22-O2": [3], "gcn-hip-22-lines": [3], "gcn-opencl-22-O1": [3], "sm-cuda-15-O1-noopt": [3],
         "sm-cuda-22-O2-noopt": [3], "sm-opencl-22-O2": [3], "sm-cuda-O2": [2],
         "sm-opencl-O1": [1891194000, 1939720671, 1953915258], "sm-opencl-O2": [2], "sm-opencl-program-O2": [1572594511], "sm-cuda-O1-noopt": [3], "sm-cuda-O2-noopt": [2, 2105622853], "gen9-O2": [3, 8, 1983270435], "gen9-16-O2": [2, 6], "gen9-32-O2": [6, 566077310], "gen9-32-crowd-O2": [1], "gen9-program-O2": [1953142367], "rv32-lines": [2], "gcn-opencl-lines": [3], "gcn-hip-15-lines": [3],
         "sm-opencl-lines": [2], "sm-cuda-lines": [2], "gen9-lines": [3]}
QUICK = {"gcn-hip-22-O2": [3], "sm-cuda-22-O2-noopt": [3], "rv32-O2": [2], "rv64-O1": [2], "rv32-cxx-O2": [1], "gcn-opencl-O1": [3], "gcn-hip-O1": [3], "gcn-opencl-15-O1": [3], "sm-opencl-O2": [2], "sm-cuda-O1-noopt": [3], "gen9-O2": [3], "gen9-16-O2": [2], "gen9-32-O2": [6],
         "rv32-lines": [2], "gen9-lines": [3]}
# What the compilers have wrong in the programs of the fixed seeds: line, variable, and its place at that line by llvm-dwarfdump; of PTX
# without debug information 0, an array's element, and its declaration. Other ones on another GPU of AMD's have its name in the key.
EXCEPTIONS = {
    ("gcn-opencl-15-O1", 3, "gfx90a"): [
        "71 r: DW_OP_bregx VGPR2_LO16+0 DW_OP_lit1 DW_OP_shl DW_OP_lit1 DW_OP_swap DW_OP_xderef DW_OP_stack_value",
        "112 id: DW_OP_bregx VGPR1_LO16+0 DW_OP_lit1 DW_OP_swap DW_OP_xderef",
        "113 id: DW_OP_bregx VGPR1_LO16+0 DW_OP_lit1 DW_OP_swap DW_OP_xderef",
        "114 id: DW_OP_bregx VGPR1_LO16+0 DW_OP_lit1 DW_OP_swap DW_OP_xderef",
    ],
    # llvm-dwarfdump knows no names of the VGPRs of waves of 32 lanes: 0x601 is v1.
    ("gcn-hip-O1", 3, "gfx1030-32"): ["71 r: DW_OP_bregx 0x601 +0 DW_OP_lit1 DW_OP_shl DW_OP_stack_value (DW_OP_bregx 0x601 +0)"],
    ("gcn-hip-O1", 3, "gfx1030-64"): ["71 r: DW_OP_bregx VGPR1_LO16+0 DW_OP_lit1 DW_OP_shl DW_OP_stack_value"],
    ("gcn-hip-O1", 3, "gfx90a"): [
        "70 b3: DW_OP_regx VGPR1_LO16",
        "71 r: DW_OP_bregx VGPR1_LO16+0 DW_OP_lit1 DW_OP_shl DW_OP_stack_value",
    ],
    ("gcn-hip-22-O2", 3, "gfx90a"): [
        "70 b3: DW_OP_bregx VGPR1_LO16+0 DW_OP_lit1 DW_OP_swap DW_OP_xderef",
    ],
    ("gcn-hip-O2", 3, "gfx90a"): [
        "70 b3: DW_OP_regx VGPR1_LO16",
        "71 r: DW_OP_bregx VGPR1_LO16+0 DW_OP_lit1 DW_OP_shl DW_OP_stack_value",
    ],
    ("gcn-opencl-15-O2", 3, "gfx90a"): [
        "68 id: DW_OP_bregx VGPR1_LO16+0 DW_OP_lit1 DW_OP_swap DW_OP_xderef",
        "68 r: DW_OP_bregx VGPR1_LO16+0 DW_OP_lit1 DW_OP_swap DW_OP_xderef",
        "71 r: DW_OP_bregx VGPR2_LO16+0 DW_OP_lit1 DW_OP_shl DW_OP_lit1 DW_OP_swap DW_OP_xderef DW_OP_stack_value",
        "80 id: DW_OP_bregx VGPR1_LO16+0 DW_OP_lit1 DW_OP_swap DW_OP_xderef",
        "112 id: DW_OP_bregx VGPR1_LO16+0 DW_OP_lit1 DW_OP_swap DW_OP_xderef",
        "113 id: DW_OP_bregx VGPR1_LO16+0 DW_OP_lit1 DW_OP_swap DW_OP_xderef",
        "114 id: DW_OP_bregx VGPR1_LO16+0 DW_OP_lit1 DW_OP_swap DW_OP_xderef",
        "116 id: DW_OP_bregx VGPR1_LO16+0 DW_OP_lit1 DW_OP_swap DW_OP_xderef",
    ],
    ("gcn-opencl-22-O1", 3, "gfx942"): [
        "114 id: DW_OP_bregx VGPR2_LO16+0 DW_OP_lit5 DW_OP_swap DW_OP_xderef",
    ],
    ("gcn-opencl-O1", 3, "gfx942"): [
        "71 r: DW_OP_bregx VGPR0_LO16+0 DW_OP_lit1 DW_OP_shl DW_OP_lit1 DW_OP_swap DW_OP_xderef DW_OP_stack_value",
    ],
    ("sm-opencl-O1", 1953915258): [
        "0 a16: the number 0x59000000",
    ],
    ("rv32-O1", 2): [
        "104 a20: DW_OP_constant 1140912128 DW_OP_stack_value",
        "105 a20: DW_OP_constant 1140912128 DW_OP_stack_value",
    ],
    ("rv32-O2", 2): [
        "104 a20: DW_OP_constant 1140912128 DW_OP_stack_value",
    ],
    ("rv64-O2", 2): [
        "104 a20: DW_OP_constant 1140912128 DW_OP_stack_value",
        "105 a20: DW_OP_constant 1140912128 DW_OP_stack_value",
    ],
    ("gcn-opencl-O1", 3): [
        "68 id: DW_OP_bregx VGPR1_LO16+0 DW_OP_lit1 DW_OP_swap DW_OP_xderef",
        "68 r: DW_OP_bregx VGPR1_LO16+0 DW_OP_lit1 DW_OP_swap DW_OP_xderef",
        "71 r: DW_OP_bregx VGPR2_LO16+0 DW_OP_lit1 DW_OP_shl DW_OP_lit1 DW_OP_swap DW_OP_xderef DW_OP_stack_value",
        "80 id: DW_OP_bregx VGPR1_LO16+0 DW_OP_lit1 DW_OP_swap DW_OP_xderef",
        "112 id: DW_OP_bregx VGPR1_LO16+0 DW_OP_lit1 DW_OP_swap DW_OP_xderef",
        "113 id: DW_OP_bregx VGPR1_LO16+0 DW_OP_lit1 DW_OP_swap DW_OP_xderef",
        "114 id: DW_OP_bregx VGPR1_LO16+0 DW_OP_lit1 DW_OP_swap DW_OP_xderef",
    ],
    ("gcn-opencl-15-O2", 3): [
        "80 id: DW_OP_bregx VGPR1_LO16+0 DW_OP_lit1 DW_OP_swap DW_OP_xderef",
        "112 id: DW_OP_bregx VGPR1_LO16+0 DW_OP_lit1 DW_OP_swap DW_OP_xderef",
        "113 id: DW_OP_bregx VGPR1_LO16+0 DW_OP_lit1 DW_OP_swap DW_OP_xderef",
        "114 id: DW_OP_bregx VGPR1_LO16+0 DW_OP_lit1 DW_OP_swap DW_OP_xderef",
    ],
    ("gcn-hip-O2", 3): [
        "71 r: DW_OP_bregx VGPR1_LO16+0 DW_OP_lit1 DW_OP_shl DW_OP_stack_value",
    ],
    ("rv64-O1", 2): [
        "104 a20: DW_OP_constant 1140912128 DW_OP_stack_value",
        "105 a20: DW_OP_constant 1140912128 DW_OP_stack_value",
    ],
    ("gcn-opencl-O2", 3): [
        "68 id: DW_OP_bregx VGPR1_LO16+0 DW_OP_lit1 DW_OP_swap DW_OP_xderef",
        "68 r: DW_OP_bregx VGPR1_LO16+0 DW_OP_lit1 DW_OP_swap DW_OP_xderef",
        "71 r: DW_OP_bregx VGPR2_LO16+0 DW_OP_lit1 DW_OP_shl DW_OP_lit1 DW_OP_swap DW_OP_xderef DW_OP_stack_value",
        "80 id: DW_OP_bregx VGPR1_LO16+0 DW_OP_lit1 DW_OP_swap DW_OP_xderef",
        "112 id: DW_OP_bregx VGPR1_LO16+0 DW_OP_lit1 DW_OP_swap DW_OP_xderef",
        "113 id: DW_OP_bregx VGPR1_LO16+0 DW_OP_lit1 DW_OP_swap DW_OP_xderef",
        "114 id: DW_OP_bregx VGPR1_LO16+0 DW_OP_lit1 DW_OP_swap DW_OP_xderef",
    ],
    ("gcn-opencl-15-O1", 3): [
        "114 id: DW_OP_bregx VGPR1_LO16+0 DW_OP_lit1 DW_OP_swap DW_OP_xderef",
    ],
    ("gcn-hip-O1", 3): [
        "71 r: DW_OP_bregx VGPR1_LO16+0 DW_OP_lit1 DW_OP_shl DW_OP_stack_value",
    ],
    # Without debug information the type is PTX's, bytes.
    ("sm-cuda-O2", 2): ["0 table[2]: .b8 table[16]"],
    ("sm-cuda-lines", 2): ["0 table[2]: .b8 table[16]"],
    ("sm-opencl-lines", 2): ["0 table[2]: .b8 table[16]"],
    # The optimiser stores nothing there: it knows the value.
    ("gen9-O2", 3): [f"{line} tile0[id & 7]: DW_OP_const8u 0xa00000000000000 (memory)" for line in (98, 99, 101, 102, 103, 104, 105)],
    ("gen9-32-O2", 566077310): [f"{line} tile0[id & 31]: DW_OP_const8u 0xa00000000000000 (memory)" for line in (115, 130, 131, 132, 133, 134, 135)] + [
        f"{line} tile1[id & 31]: DW_OP_const8u 0xa00000000000080 (memory)" for line in (115, 130, 131, 132, 133, 134, 135)] + [
        f"{line} *p39: DW_OP_const8u 0xa00000000000080 (memory)" for line in (130, 131, 132, 133, 134, 135)],
    ("gen9-32-crowd-O2", 1): [
        "101 crowd32: 32 of each lane's 32 bits from r4 on DW_OP_stack_value DW_OP_const4u 4294967295 DW_OP_and DW_OP_const1u 255 DW_OP_and DW_OP_constu 35 DW_OP_mul DW_OP_stack_value",
    ],
    ("gen9-O2", 8): [
        "124 j28: DW_OP_implicit_value 0x8 0x01 0x00 0x00 0x00 0x00 0x00 0x00 0x00",
    ],
    ("gcn-hip-15-O1", 2): [
        "120 a20: DW_OP_implicit_value 0x4 0x00 0x10 0x01 0x44",
    ],
}
# Compilers make the same of some programs for a gfx942 as for a gfx90a.
EXCEPTIONS |= {(*key[:2], "gfx942"): mistakes for key, mistakes in EXCEPTIONS.items() if key in {("gcn-hip-O1", 3, "gfx90a"), ("gcn-hip-O2", 3, "gfx90a"), ("gcn-hip-22-O2", 3, "gfx90a")}}
EXCEPTIONS["gcn-opencl-O2", 3, "gfx942"] = EXCEPTIONS["gcn-opencl-O1", 3, "gfx942"]
AS_OF = re.compile(r" \((by a parameter as it was )?at (launch|the call)\)$")
ERROR = re.compile(values.NOT_KNOWN.pattern + r"|No symbol|use a type name as an expression|has unknown type|cannot subscript|is damaged|(are|is) not supported|has no frame base")


def exceptions_of(family, seed):
    """The compilers' mistakes of a seed on the GPU of this run. Code of another encoding has its own alone."""
    gpu = f"{amd.MODEL}-{amd.LANES}" if amd.MODEL.startswith("gfx1") and family.startswith("gcn") else amd.MODEL
    return EXCEPTIONS.get((family, seed, gpu), EXCEPTIONS.get((family, seed), ()) if gpu == amd.MODEL else ())


def histories(stops, places):
    """{(item, function, name): [(index of the stop, value)]}, and {(item, line): index of its last stop}."""
    seen, last = collections.defaultdict(list), {}
    for index, ((item, line, _), stop) in enumerate(stops.items()):
        last[item, line] = index
        for name, value in stop["values"].items():
            seen[item, places[line].function, name].append((index, values.normal(value)))
    return seen, last


def on_device(dialect, words, file, places, stops, log, lines, most=400):
    made = values.Comparison()
    seen, last = histories(stops, places)
    source = f"{log.parent}/t.cl" if dialect.shown else f"t{dialect.ending}"
    session = console.Session(dialect.options, words, dialect.shown or source, log, dialect.block)
    made.exceptions, made.tree, made.file, made.lines = collections.Counter(), None, file, lines
    made.words, made.stop = words, None
    made.bits, made.table = 32 if "rv32" in dialect.name else 64, reader.rows(file, f"t{dialect.ending}")
    try:
        values.set_breakpoints(session, source, places, [(0, line) for line in places if places[line].exact or line in {n for _, n in made.table}])
        made.script = session.script
        stop, said = session.go("run")
        while stop and most:
            most -= 1
            line, lanes, first = made.stop = stop
            if line in places:
                compare_stop(session, dialect, line, lanes, first, places, seen, last, made)
            if len(made.wrong) > values.LIMIT:
                break
            stop, said = session.go("continue")
        if most and not made.wrong and "exited normally" not in said:
            made.add(f"the end is {said!r}")
    except console.Gone as gone:
        made.add(f"the console ended: {gone}")
    finally:
        session.close()
    return made


def compare_stop(session, dialect, line, lanes, first, places, seen, last, made):
    function, blamed = places[line].function, {}
    # Of a number without a type, as a kernel's argument is with lines alone, `*` reads 8 bytes, as in GDB.
    asked = [(n, v) for n in lanes for v in places[line].shows if v.leaf and not (made.lines and v.name.startswith("*"))]
    commands = [f"output{v.form or ' '}{dialects.element(v.name)}@{n}" for n, v in asked]
    for (n, v), said, command in zip(asked, session.ask(commands), commands):
        item = first + n
        if ERROR.search(said):
            made.missing[said[:60]] += 1
            continue
        # An argument as the launch gave it is a value that it had. Memory behind it is the memory's: optimised code stores to `out` when it wants.
        # The launch's argument is zeros.
        said, later = AS_OF.sub("", said), (" (by a " in said or said == "0") and v.name.startswith("out")
        until = last.get((item, line), 1 << 30)
        history = [value for index, value in seen[item, function, v.name] if index <= until]
        if values.normal(said) in history:
            made.known += 1
        elif later:
            made.missing["memory to which optimised code has yet to store"] += 1
        elif (place := the_indexs(blamed, n, v) or the_compilers(session, dialect, made, n, v, said) or gdbs(session, dialect, made, command, said)):
            blamed[n, v.name] = place
            made.exceptions[line if made.tree else 0, v.name, place] += 1
        else:
            made.add(f"line {line}, work-item {item} (lane {n}): {v.name} is {said!r}; it was {sorted(set(history))}", command)


def the_indexs(blamed, lane, v):
    """The place of a variable in an element's index, if that is wrong in this lane."""
    return next((blamed[lane, name] for name in re.findall(r"[a-z]\w*", v.name)[1:] if (lane, name) in blamed), None)


def the_compilers(session, dialect, made, lane, v, said):
    """The compiler's place for a value that is wrong, if another reader of the debug information has the same value there; else None."""
    name, data = re.match(r"\W*(\w+)", v.name)[1], made.file.read_bytes()
    wrong = re.search(r"Cannot access memory at address 0x([0-9a-f]+)>", said)
    if wrong and re.match(r"\w", v.name) and not data.startswith(b"\x7fELF") and (place := a_constants_address(data, name, int(wrong[1], 16), name == v.name)):
        return place
    if "Cannot access memory at address" in said:   # a pointer's value is wrong
        said, of_reference = session.ask([f"output (unsigned long){name}@{lane}", f"output (unsigned long)&{name}@{lane}"])
        said = said if re.match(r"\d", said) else of_reference
        v = dataclasses.replace(v, name=name, type="u64")
    elif not re.match(r"-?([\d.]|nan|inf)", said):  # an error is nobody's value
        return None
    if not data.startswith(b"\x7fELF"):
        return of_ptx(data.decode(), v.name, said) or a_constant_of_ptx(data, v, said) or next(
            (f"the number {number:#x}" for number in constant_places(data, v.name) if is_same(said, number, v.type)), None)
    made.tree = made.tree or reader.read(made.file)
    try:
        places = reader.places(made.tree, values.in_file(dialect, session, made.table), name, lane)
    except reader.Unknown:
        return None

    def register(text):
        text, = session.ask([f"output/x {reader.register_name(text)}@{lane}"])
        dwords = [int(n, 16) for n, times in re.findall(r"(0x[0-9a-f]+)(?: <repeats (\d+) times>)?", text) for _ in range(int(times or 1))]
        return sum(dword << 32 * i for i, dword in enumerate(dwords))   # a register of Gen9 is shown as eight
    for ops in places:
        try:
            found = reader.value(ops, register, made.bits, lane)
        except reader.Unknown as unknown:
            if dialect.name.startswith("rv"):   # GDB knows
                continue
            return f"{reader.shown(ops)} ({unknown})"
        if v.name != name:
            return reader.shown(ops)
        if is_same(said, found, v.type):
            return reader.shown(ops)
    return None


def is_same(said, bits, kind):
    """Whether a number that was printed is that of another reader's bits."""
    payload, digits = re.match(r"-?nan\(0x([0-9a-f]+)\)", said), {"f16": 5, "f32": 9}.get(kind, 17)
    if payload:
        return int(payload[1], 16) == bits & (1 << {"f16": 10, "f32": 23}.get(kind, 52)) - 1
    value, number = reader.typed(bits, kind), re.match(r"-?([\d.e+-]+|inf)", said)
    return bool(number) and float(number[0]) in (float(f"{value:.{digits}g}"), value)


def gdbs(session, dialect, made, command, said):
    """On Vortex: what stock GDB says at the same stop in the same thread, if it is the same value; else None."""
    if not dialect.name.startswith("rv") or not re.match(r"-?[\d.]", said):
        return None
    time, pc = session.ask(["output $_time", "output/x $pc"])
    other = console.Gdb(dialect.options, made.words, session.source, made.file.parent / "session-gdb")
    try:
        answers = other.ask(["set confirm off", f"break *{pc} if $_time == {time}", "run"])
        stop = other.placed(answers[-1])
        command, _, lane = command.rpartition("@")
        listed, = other.ask(["info threads"])   # GDB counts threads as it meets them
        thread = re.search(rf'^\*? +(\d+) .*"device 0, core 0, warp {other.warp}, thread {lane}"', listed, re.M)
        theirs, = other.ask([f"thread apply {thread[1]} -q {command}"]) if thread and stop == made.stop else [""]
    except console.Gone:
        return None
    finally:
        other.close()
    theirs = re.sub(r"^warning: .*\n", "", theirs, flags=re.M)     # GCC 12 may shift by -24: 0, says GDB, too
    return "GDB has the same value" if values.normal(theirs) == values.normal(said) else None


OPERATORS = {0x1a: int.__and__, 0x1c: int.__sub__, 0x1e: int.__mul__, 0x21: int.__or__, 0x22: int.__add__, 0x24: int.__lshift__, 0x25: int.__rshift__, 0x27: int.__xor__}


def uleb(block, at):
    """The number there, and where it ends."""
    length = next((n for n, byte in enumerate(block[at:], 1) if not byte & 0x80), len(block) - at)
    return sum((byte & 0x7f) << 7 * i for i, byte in enumerate(block[at:at + length])), at + length


def constants_of(block):
    """The numbers that the pieces of a location of constants alone have on their stacks; [] where it has other operations."""
    stack, at, found = [], 0, []
    while at < len(block):
        op, at = block[at], at + 1
        if 0x30 <= op < 0x50:
            stack.append(op - 0x30)
        elif op == 0x10:    # DW_OP_constu
            number, at = uleb(block, at)
            stack.append(number)
        elif op in OPERATORS and len(stack) > 1:
            stack[-2:] = [OPERATORS[op](*stack[-2:])]
        elif op == 0x93 and len(stack) < 2:    # DW_OP_piece; an empty one without a number
            found, stack, at = found + stack, [], uleb(block, at)[1]
        else:
            return []
    return found + stack if len(stack) < 2 else []


def ptx_entries(data, name):
    """PTX's bytes of a variable's debug information, and of its inlined copies': for each, with the comments, what stands before its name, or before
    the offset of the variable that it is a copy of."""
    lines = [line.split() for line in data.decode().splitlines()]
    found = [int(words[1]) if len(words) > 1 and words[0] == ".b8" else -1 for words in lines]
    wanted = [*name.encode(), 0]
    named = [at for at in range(len(found)) if found[at:at + len(wanted)] == wanted]
    offsets = [int(begin[1], 16) for at in named if (begin := re.search(r"Abbrev \[\d+\] (0x[0-9a-f]+)", data.decode().splitlines()[at - 1]))]
    copies = [at for at, words in enumerate(lines) if words[-1:] == ["DW_AT_abstract_origin"] and int(words[1]) in offsets]
    for at in named + copies:
        yield found[at - 32:at], lines[at - 32:at]


def in_list(data, label):
    """The expressions of a list of locations of PTX's."""
    rest = data.decode().partition(f"\n{label}:\n")[2].splitlines()
    size, block = None, []
    for words in (line.split() for line in rest):
        if words[0] != ".b8" and words[0] != ".b64":    # the next list, or the section's end
            return
        number = int(words[1]) if words[0] == ".b8" else None
        if size is None and number is not None:
            size, block = number, [None]    # the size has two bytes
        elif number is not None:
            block.append(number)
        if size is not None and len(block) == size + 2:
            yield block[2:]
            size = None


def constant_places(data, name):
    """The numbers of a variable of PTX's that are expressions of constants."""
    for found, lines in ptx_entries(data, name):
        label = next((words[1] for words in reversed(lines) if words[-1:] == ["DW_AT_location"] and words[1].startswith("$")), None)
        for block in in_list(data, label) if label else ():
            yield from constants_of(block)
        for length in range(1, len(found)):
            block = found[-length:]
            yield from constants_of(block) if found[-length - 1:-length] == [length] and -1 not in block else ()


def a_constants_address(data, name, number, is_whole):
    """The place of a variable of PTX's that is an expression of constants, which is an address: DWARF 2 has no DW_OP_stack_value. The address
    is the variable's, or that of one of its first 64 bytes."""
    return next((f"the address {place:#x}" for place in constant_places(data, name) if 0 <= number - place < (1 if is_whole else 64)), None)


def a_constant_of_ptx(data, v, said):
    """The constant that PTX's debug information gives a variable for all of its scope, if that is the value."""
    for found, lines in ptx_entries(data, v.name):
        begin = max((i for i, words in enumerate(lines) if "Abbrev" in words), default=0)
        at = next((i for i in range(begin, len(lines)) if lines[i][-1:] == ["DW_AT_const_value"]), None)
        if at is None:
            continue
        bits = sum((byte & 0x7f) << 7 * i for i, byte in enumerate(found[at:]))     # SLEB128
        bits -= (found[-1] & 0x40) << 7 * len(found[at:]) - 6
        if is_same(said, bits & (1 << 64) - 1, v.type):
            return f"the constant {bits}"
    return None


def of_ptx(text, name, said):
    """PTX's declaration of an array of bytes, if the value is the one that it initialises: without debug information PTX's type is all there is."""
    declared = re.search(rf"\.b8 {re.match(chr(92) + 'w+', name)[0]}\[\d+\] = {{(.*?)}}", text)
    at = re.fullmatch(r"\w+\[(\d+)\]", name)
    return declared[0].partition(" =")[0] if declared and at and declared[1].split(",")[int(at[1])].strip() == said else None


def compare(dialect, made, level, folder):
    folder.mkdir(exist_ok=True)
    dialects.commands.clear()
    kernel, host, places, _ = dialects.write(dialect, made, folder)
    out = folder / "t.out"
    dialects.build_host(dialect, host, host.with_suffix(""))
    words = dialect.build(kernel, out, level) or [out]
    result = on_device(dialect, words, out, places, values.on_host(dialect, host, places, folder), folder / "session", level == dialect.levels.get("-lines"))
    values.write_script(dialect, result, words, folder)
    return result


def draw(_, seed):
    return {"seed": seed, "left": list(range(len(programs.statements(programs.make(seed, True)))))}


def attempt(family, plan, folder):
    dialect, level = LEVELS[family]
    return values.found(compare(dialect, values.program_of(dialect, plan, True), level, folder))
