"""One expression for all lanes of a wave.

GDB compiles expressions to bytecode for the conditions of breakpoints. Here it does so for the
expression that was asked for, wavetrap runs the bytecode for all lanes at once, and GDB turns the
bytes that come back into values again. What GDB cannot compile is evaluated lane by lane.

Lanes that a branch has switched off may be elsewhere, where the same name has another place or
another meaning: what is compiled is good for the lanes that are at the same instruction.
"""
import re

import gdb

from . import link

MOST_BYTES = 0x1000

# Opcodes as `maintenance agent-eval` prints them: number, bytes of the operand (GDB manual, "The GDB
# Agent Expression Mechanism", "Bytecode Descriptions").
OPCODES = {
    "add": (0x02, 0), "sub": (0x03, 0), "mul": (0x04, 0), "div_signed": (0x05, 0),
    "div_unsigned": (0x06, 0), "rem_signed": (0x07, 0), "rem_unsigned": (0x08, 0), "lsh": (0x09, 0),
    "rsh_signed": (0x0a, 0), "rsh_unsigned": (0x0b, 0), "log_not": (0x0e, 0), "bit_and": (0x0f, 0),
    "bit_or": (0x10, 0), "bit_xor": (0x11, 0), "bit_not": (0x12, 0), "equal": (0x13, 0),
    "less_signed": (0x14, 0), "less_unsigned": (0x15, 0), "ext": (0x16, 1), "ref8": (0x17, 0),
    "ref16": (0x18, 0), "ref32": (0x19, 0), "ref64": (0x1a, 0), "if_goto": (0x20, 2),
    "goto": (0x21, 2), "const8": (0x22, 1), "const16": (0x23, 2), "const32": (0x24, 4),
    "const64": (0x25, 8), "reg": (0x26, 2), "end": (0x27, 0), "dup": (0x28, 0), "pop": (0x29, 0),
    "zero_ext": (0x2a, 1), "swap": (0x2b, 0), "pick": (0x32, 1), "rot": (0x33, 0),
}


class CannotCompile(Exception):
    pass


def compile_expression(text):
    """Bytecode for an expression in the selected thread's frame 0."""
    try:
        listing = gdb.execute(f"maintenance agent-eval {text}", to_string=True)
    except gdb.error as problem:
        raise CannotCompile(str(problem)) from None
    code = bytearray()
    for line in listing.splitlines():
        found = re.fullmatch(r" *(\d+)  (\w+)(?: (-?\d+))?", line)
        if not found:
            continue
        if found[2] not in OPCODES or int(found[1]) != len(code):
            raise CannotCompile(line)
        number, size = OPCODES[found[2]]
        code.append(number)
        if size:
            code += (int(found[3]) & ((1 << 8 * size) - 1)).to_bytes(size, "big")
    if not code:
        raise CannotCompile(listing)
    return bytes(code)


class Result:
    """What an expression is in one lane: a gdb.Value, or why there is none."""

    def __init__(self, value=None, error=None):
        self.value = value
        self.error = error

    def text(self, form):
        if self.error is None:
            try:
                return self.value.format_string(**({"format": form} if form else {}))
            except (gdb.error, ValueError) as problem:
                return f"<error: {problem}>"
        return f"<{self.error}>"


def _plan(expression):
    """How all lanes can be asked at once: (bytecode, type, bytes to read at the address or 0)."""
    try:
        code, by_address = compile_expression(f"&({expression})"), True
    except CannotCompile:
        code, by_address = compile_expression(expression), False
    # GDB compiles nothing that has an effect: so it may be evaluated here for its type alone.
    kind = gdb.parse_and_eval(expression).type
    plain = kind.strip_typedefs()
    if plain.code in (gdb.TYPE_CODE_FUNC, gdb.TYPE_CODE_VOID) or kind.dynamic or plain.sizeof == 0:
        raise CannotCompile("of a type that has no bytes")
    if by_address and plain.sizeof <= MOST_BYTES:
        return code, kind, plain.sizeof
    if not by_address and plain.sizeof <= 8 and plain.code != gdb.TYPE_CODE_ARRAY:
        return code, kind, 0
    raise CannotCompile("too large")


def _all_at_once(wave, lanes, expression):
    code, kind, size = _plan(expression)
    wanted = sum(1 << lane for lane in lanes)
    told = link.document("lanes", f"{wave.index:x},{wanted:x},{size:x},{code.hex()}")
    out = {}
    for lane, value in zip(sorted(lanes), told["values"]):
        if value is None:
            out[lane] = Result(error="error: it cannot be evaluated here")
        elif isinstance(value, int):
            out[lane] = Result(error=f"error: Cannot access memory at address {value:#x}")
        else:
            out[lane] = Result(gdb.Value(bytes.fromhex(value)[:kind.sizeof], kind))
    return out


def _one_by_one(device, wave, lanes, expression, level):
    out = {}
    for lane in lanes:
        device.select(wave.index, lane)
        link.select_frame(level)
        try:
            value = gdb.parse_and_eval(expression)
            value.fetch_lazy()
            out[lane] = Result(value)
        except gdb.error as problem:
            out[lane] = Result(error=f"error: {str(problem).rstrip('.')}")
    return out


def evaluate(device, wave, current, lanes, expression):
    """The expression's Result for each of `lanes` of a stopped wave."""
    level = link.frame_level()
    groups = {}
    for lane in lanes:
        groups.setdefault(wave.lane_pc(lane), []).append(lane)
    out = {}
    at = current
    with link.selection_kept(device):
        # The selected lane's first: what makes no sense there is a mistake, and said as one.
        for group in sorted(groups.values(), key=lambda lanes: current not in lanes):
            if level == 0 and len(group) > 1:
                wanted = current if current in group else group[0]
                if wanted != at:
                    device.select(wave.index, wanted)
                    at = wanted
                try:
                    out.update(_all_at_once(wave, group, expression))
                    continue
                except CannotCompile as problem:
                    if _is_mistake(str(problem)):
                        if current in group:
                            raise gdb.GdbError(str(problem)) from None
                        out.update((lane, Result(error="error: " + str(problem).rstrip(".")))
                                   for lane in group)
                        continue
                except gdb.error:
                    pass
            out.update(_one_by_one(device, wave, group, expression, level))
            at = None
    return out


def _is_mistake(problem):
    """Whether GDB would say the same for every lane that is there."""
    return problem.startswith(("No symbol ", "A syntax error", "Invalid number", "Invalid character",
                               "A parse error", "Unmatched", "There is no member", "There is no field"))
