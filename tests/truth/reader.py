"""Another reader of a kernel's debug information: llvm-dwarfdump-19's text, and a machine for the expressions in it.

It answers what the compiler says of a variable at an address. A wrong value of optimised code whose place is the one that the
compiler names is the compiler's mistake; any other is the debugger's.
"""
import re
import struct
import subprocess

FORMATS = {"i8": "b", "u8": "B", "i16": "h", "u16": "H", "i32": "i", "u32": "I", "i64": "q", "u64": "Q", "f16": "e", "f32": "f", "f64": "d"}


class Die:
    def __init__(self, tag, parent):
        self.tag, self.parent, self.children, self.text = tag, parent, [], {}

    @property
    def name(self):
        return (re.findall(r'"(.*)"', self.text.get("DW_AT_name", "") or self.text.get("DW_AT_abstract_origin", "")) or [None])[0]

    def ranges(self):
        if "DW_AT_ranges" in self.text:
            return [(int(a, 16), int(b, 16)) for a, b in re.findall(r"\[(0x\w+), (0x\w+)\)", self.text["DW_AT_ranges"])]
        low, high = (re.findall(r"0x\w+", self.text.get(a, "")) for a in ("DW_AT_low_pc", "DW_AT_high_pc"))
        return [(int(low[0], 16), int(high[0], 16))] if low and high else []

    def place(self, pc):
        """The operations at pc; None: nowhere."""
        text = self.text.get("DW_AT_location")
        if text is None:
            constant = self.text.get("DW_AT_const_value", "").strip("()")
            if constant.startswith("<"):
                constant = "0x" + "".join(reversed(constant.split(">")[1].split()))
            return [f"DW_OP_constant {int(constant, 0)}", "DW_OP_stack_value"] if re.fullmatch(r"-?\w+", constant) else None
        if "[0x" in text:
            parts = re.findall(r"\[(0x\w+), (0x\w+)\): (.*?)(?=\s*\[0x|\)?$)", text, re.S)
            text = next((ops for a, b, ops in parts if int(a, 16) <= pc < int(b, 16)), None)
            if text is None:
                return None
        return [op.strip() for op in text.strip("() \n").split(",")]


def read(file):
    """The DIEs of a file, as the root of a tree."""
    said = subprocess.run(["llvm-dwarfdump-19", "--debug-info", file], capture_output=True, text=True, check=True).stdout
    root = Die("root", None)
    stack, last, attribute = [(-1, root)], None, None
    for line in said.split("\n"):
        found = re.match(r"0x[0-9a-f]+:( *)(DW_TAG_\w+|NULL)", line)
        if found:
            depth = len(found[1])
            while stack[-1][0] >= depth:
                stack.pop()
            if found[2] == "NULL":
                continue
            last = Die(found[2], stack[-1][1])
            last.parent.children.append(last)
            stack.append((depth, last))
            attribute = None
        elif last is not None:
            found = re.match(r"\s+(DW_AT_\w+)\s*(.*)", line)
            if found:
                attribute = found[1]
                last.text[attribute] = found[2]
            elif attribute and line.strip():
                last.text[attribute] += "\n" + line.strip()
    return root


def place(root, pc, name):
    """The operations of the variable of this name that is in scope at pc, innermost first; None: nowhere."""
    best = None

    def visit(die, depth):
        nonlocal best
        ranges = die.ranges()
        inside = any(a <= pc < b for a, b in ranges)
        if die.tag in ("DW_TAG_subprogram", "DW_TAG_inlined_subroutine", "DW_TAG_lexical_block") and not inside:
            return
        if die.tag in ("DW_TAG_variable", "DW_TAG_formal_parameter") and die.name == name:
            best = die
        for child in sorted(die.children, key=lambda d: d.tag in ("DW_TAG_inlined_subroutine", "DW_TAG_lexical_block")):
            visit(child, depth + 1)
    visit(root, 0)
    return best.place(pc) if best else None


class Unknown(Exception):
    """An operation that this machine does not know, or a place in memory."""


def number(text):
    return int(text, 0)


def value(ops, register, bits):
    """The number that the operations compute; register(name) reads one. Unknown: in memory, or not that simple."""
    if any(op.startswith("DW_OP_piece") for op in ops):
        total, at, part = 0, 0, []
        for op in ops:
            if not op.startswith("DW_OP_piece"):
                part.append(op)
                continue
            size = number(op.split()[1])
            total |= (value(part, register, bits) & (1 << 8 * size) - 1) << 8 * at
            at, part = at + size, []
        return total
    stack, mask = [], (1 << bits) - 1
    stated = False

    def signed(x):
        return x - (1 << bits) if x >> (bits - 1) else x
    two = {"plus": lambda a, b: a + b, "minus": lambda a, b: a - b, "mul": lambda a, b: a * b, "and": lambda a, b: a & b, "or": lambda a, b: a | b,
           "xor": lambda a, b: a ^ b, "shl": lambda a, b: a << min(b, 64), "shr": lambda a, b: a >> min(b, 64), "shra": lambda a, b: signed(a) >> min(b, 64)}
    if ops[-3:] == ["DW_OP_lit1", "DW_OP_swap", "DW_OP_xderef"]:    # clang's OpenCL: the operand is the value (docs/debug.md)
        ops, stated = ops[:-3], True
    elif ops[-4:] == ["DW_OP_lit1", "DW_OP_swap", "DW_OP_xderef", "DW_OP_stack_value"]:
        ops, stated = ops[:-4], True
    for op in ops:
        found = re.match(r"DW_OP_(\w+?)(?:\s+(.*))?$", op)
        if not found:
            raise Unknown(op)
        name, argument = found[1], found[2] or ""
        if re.fullmatch(r"reg\d+|regx", name):
            return register(argument.split()[0])
        if re.fullmatch(r"lit\d+", name):
            stack.append(int(name[3:]))
        elif name == "implicit_value":
            return int("".join(byte[2:] for byte in reversed(argument.split()[1:])), 16)
        elif name == "constant":
            return int(argument)
        elif re.fullmatch(r"const\w+", name):
            stack.append(number(argument.lstrip("+")) & mask)
        elif re.fullmatch(r"breg\d+|bregx", name):
            base, sign, offset = re.fullmatch(r"(\w+)([+-])(\w+)", argument).groups()
            stack.append((register(base) + number(sign + offset)) & mask)
        elif name == "plus_uconst":
            stack.append((stack.pop() + number(argument)) & mask)
        elif name in two:
            b, a = stack.pop(), stack.pop()
            stack.append(two[name](a, b) & mask)
        elif name == "not":
            stack.append(~stack.pop() & mask)
        elif name == "neg":
            stack.append(-stack.pop() & mask)
        elif name == "convert":
            kind, width = re.search(r'"DW_ATE_(signed|unsigned)_(\d+)"', argument).groups()
            top = stack.pop() & (1 << int(width)) - 1
            stack.append((top - (1 << int(width)) if kind == "signed" and top >> int(width) - 1 else top) & (1 << 64) - 1)
            mask = (1 << 64) - 1
        elif name == "stack_value":
            stated = True
        else:
            raise Unknown(op)
    if not ops or not stated or len(stack) != 1:
        raise Unknown("memory")
    return stack[-1]


def typed(bits, kind):
    """A register's number as a value of a scalar type."""
    data = (bits & (1 << 64) - 1).to_bytes(8, "little")
    return struct.unpack_from("<" + FORMATS[kind], data)[0]


RISCV = "zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6".split()


def register_name(name):
    """The console's name of a register of llvm-dwarfdump's text."""
    found = re.fullmatch(r"(X|VGPR|SGPR)(\d+)(_LO16)?", name)
    if not found:
        raise Unknown(name)
    return "$" + (RISCV[int(found[2])] if found[1] == "X" else found[1][0].lower() + found[2])
