"""Another reader of a kernel's debug information: llvm-dwarfdump-19's text, and a machine for the expressions in it.

It answers what the compiler says of a variable at an address. A wrong value of optimised code whose place is the one that the
compiler names is the compiler's mistake; any other is the debugger's.
"""
import re
import struct
import subprocess

FORMATS = {"i8": "b", "u8": "B", "i16": "h", "u16": "H", "i32": "i", "u32": "I", "i64": "q", "u64": "Q", "f16": "e", "f32": "f", "f64": "d"}


class Unknown(Exception):
    """An operation that this machine does not know, or a place in memory."""


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

    def place(self, pc, lane=0):
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
        text, _, rest = text.strip("() \n").partition("<decoding error>")
        return intels(bytes.fromhex(rest.partition(")")[0]), lane, [op.strip() for op in text.split(",") if op.strip()])


# Intel's operations, which llvm-dwarfdump writes as bytes, with all that follow: names as of DWARF's, and the forms of their operands.
INTELS = {0xeb: "INTEL_regs", 0xec: "INTEL_push_bit_piece_stack", 0xed: "INTEL_push_simd_lane", 0x08: "const1u <B", 0x0a: "const2u <H", 0x0c: "const4u <I", 0x10: "constu leb", 0x0e: "const8u <Q", 0x09: "const1s <b", 0x0b: "const2s <h", 0x0d: "const4s <i", 0x06: "deref", 0x12: "dup",
          0x1a: "and", 0x1c: "minus", 0x1e: "mul", 0x1f: "neg", 0x20: "not", 0x21: "or", 0x22: "plus", 0x24: "shl", 0x25: "shr", 0x26: "shra", 0x27: "xor",
          0x23: "plus_uconst leb", 0x28: "bra <h", 0x2a: "ge", 0x2f: "skip <h", 0x9f: "stack_value", 0x93: "piece leb", 0x9d: "bit_piece leb leb", 0x90: "regx leb"}
INTELS |= {0x30 + n: f"lit{n}" for n in range(32)} | {0x50 + n: f"reg{n}" for n in range(32)}


# The private space's number: clang's before 22, and from 22 on.
SPACES = [[number, "DW_OP_swap", "DW_OP_xderef"] for number in ("DW_OP_lit1", "DW_OP_lit5")]
# How Intel's compiler may have written the operands of DW_OP_constu and DW_OP_plus_uconst: in LEB128, or in 1, 2, 4 or 8 bytes.
CONSTANTS = ["leb", "<B", "<H", "<I", "<Q"]


def readings(data, at, upper, made):
    """Each way to read the operations from data[at] on, behind those made: as text, without the branch that the lane does not take."""
    while at < len(data):
        if data[at] not in INTELS:
            return
        name, _, form = INTELS[data[at]].partition(" ")
        at += 1
        written = name in ("constu", "plus_uconst")
        for first in CONSTANTS if written else [None]:
            numbers, end = [], at
            for kind in [first] if first else form.split():
                if kind == "leb":
                    last = next((i for i in range(end, len(data)) if data[i] < 0x80), len(data) - 1)
                    numbers.append(sum((byte & 0x7f) << 7 * i for i, byte in enumerate(data[end:last + 1])))
                    end = last + 1
                elif end + struct.calcsize(kind) <= len(data):
                    numbers += struct.unpack_from(kind, data, end)
                    end += struct.calcsize(kind)
            if first and numbers:
                yield from readings(data, end, upper, [*made, f"DW_OP_{name} {numbers[0]}"])
        if written:
            return
        at = end
        if name == "bra" and made[-3:] == ["DW_OP_INTEL_push_simd_lane", "DW_OP_lit16", "DW_OP_ge"]:
            made = made[:-3]
            at += numbers[0] if upper else 0
        elif name == "skip":
            at += numbers[0]
        else:
            made = [*made, " ".join(map(str, [f"DW_OP_{name}", *numbers]))]
    yield made


def intels(data, lane, made):
    """Operations as text, with those made in front of them."""
    ways = list(readings(data, 0, lane >= 16, made))
    if not ways:
        raise Unknown("an operation")

    def makes_sense(ops):
        try:
            in_file(ops, lambda name: 0, lane)
            return True
        except (Unknown, IndexError):
            return False
    return next(filter(makes_sense, ways), ways[0]) if len(ways) > 1 else ways[0]


def shown(ops):
    """The operations as text, short where Intel's compiler takes the lane's element of registers."""
    return re.sub(r"DW_OP_INTEL_push_simd_lane DW_OP_lit\d DW_OP_shr DW_OP_plus_uconst (\d+) DW_OP_INTEL_regs DW_OP_INTEL_push_simd_lane DW_OP_lit\d+ DW_OP_and "
                  r"DW_OP_const1u (\d+) DW_OP_mul DW_OP_(?:const1u |lit)(\d+) DW_OP_INTEL_push_bit_piece_stack",
                  lambda m: f"{m[3]} of each lane's {m[2]} bits from r{int(m[1]) - 16} on", " ".join(ops))


def linked(file):
    """A zebin's bytes with its relocations applied, R_ZE_SYM_ADDR and R_ZE_SYM_ADDR_32, which llvm-dwarfdump does not know; None of another file."""
    data = bytearray(file.read_bytes())
    if data[18:20] != b"\xcd\0":
        return None
    table, = struct.unpack_from("<Q", data, 40)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, table + 64 * i) for i in range(struct.unpack_from("<H", data, 60)[0])]
    for i, (_, kind, _, _, offset, size, link, info, _, _) in enumerate(headers):
        for at in range(offset, offset + size, 24) if kind == 4 else ():
            where, symbol, plus = struct.unpack_from("<QQq", data, at)
            value, = struct.unpack_from("<Q", data, headers[link][4] + 24 * (symbol >> 32) + 8)
            struct.pack_into("<Q" if symbol & 0xffffffff == 1 else "<I", data, headers[info][4] + where, value + plus)
        if kind == 4:
            struct.pack_into("<I", data, table + 64 * i + 4, 0)
    return data


def read(file):
    """The DIEs of a file, as the root of a tree."""
    if (data := linked(file)) is not None:
        file = file.with_suffix(".linked")
        file.write_bytes(data)
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


def rows(file, source):
    """The (address, line) at which a statement of a source begins or goes on, in the code's order: by llvm-dwarfdump's table of lines, or by
    PTX's `.loc`, whose address is the number of the instruction."""
    made, numbers, last = [], set(), None
    if not file.read_bytes().startswith(b"\x7fELF"):
        at = 0
        for line in file.read_text().split("\n"):
            if found := re.match(r'\s*\.file\s+(\d+) .*"(.*)"', line):
                numbers |= {found[1]} if found[2].endswith(source) else set()
            elif found := re.match(r"\s*\.loc\s+(\d+) (\d+)", line):
                made.append((at, int(found[2]), found[1]))
            at += bool(re.match(r"\t[^./]", line))
        numbers = numbers or {"1"}      # the files' names come after the code
    else:
        if (data := linked(file)) is not None:
            file = file.with_suffix(".linked")
            file.write_bytes(data)
        said = subprocess.run(["llvm-dwarfdump-19", "--debug-line", file], capture_output=True, text=True, check=True).stdout
        for line in said.split("\n"):
            if line.startswith("debug_line["):
                table = last = line
            elif found := re.match(r"file_names\[ *(\d+)\]:", line):
                last = table + found[1]
            elif found := re.match(r' +name: "(.*)"', line):
                numbers |= {last} if found[1].endswith(source) else set()
            elif found := re.match(r"(0x[0-9a-f]+) +(\d+) +\d+ +(\d+) (.*)", line):
                if "is_stmt" in found[4]:
                    made.append((int(found[1], 16), int(found[2]), None if "end_sequence" in found[4] else table + found[3]))
    return [(address, line) for i, (address, line, of) in enumerate(made) if of in numbers and (i + 1 == len(made) or made[i + 1][0] != address)]


def lost_lines(file, table, function):
    """Lines of a function that some of its inlined copies have and others have not: the compiler gives their instructions to another copy."""
    found = []

    def visit(die):
        if die.tag == "DW_TAG_inlined_subroutine" and re.fullmatch(rf"{function}|_ZL?\d+{function}(\D.*)?", die.name or ""):
            found.append({line for address, line in table for a, b in die.ranges() if a <= address < b})
        for child in die.children:
            visit(child)
    visit(read(file))
    return set().union(*found).difference(set.intersection(*found)) if found else set()


def callers_lines(file, table, function_of):
    """Lines of PTX that are a caller's, and that its debug information gives to an inlined call: clang moves a constant of two inlined calls
    in front of both, where the second one begins then. function_of: {line: function}."""
    labels, at, found = {}, 0, set()
    text = file.read_text()
    for line in text.split("\n"):
        if label := re.match(r"(\$L__tmp\d+):", line):
            labels[label[1]] = at
        at += bool(re.match(r"\t[^./]", line))
    for low, high, called_at in re.findall(r"DW_TAG_inlined_subroutine\n(?:.*\n){1,2}?\.b64 (\S+) +// DW_AT_low_pc\n\.b64 (\S+) +// DW_AT_high_pc\n"
                                           r"(?:.*call_file\n)\.b8 (\d+) +// DW_AT_call_line", text):
        caller = function_of.get(int(called_at))
        found |= {line for address, line in table if labels[low] <= address < labels[high] and caller and function_of.get(line) == caller}
    return found


def split_divisions(file, table):
    """Lines to which Intel's compiler gives the two halves of a division of another line's, which it makes where a thread has more than 8 lanes."""
    data = linked(file)
    start, = struct.unpack_from("<Q", data, 40)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, start + 64 * i) for i in range(struct.unpack_from("<H", data, 60)[0])]
    code = next(h[4] for h in headers if h[1] == 1 and h[2] & 4)    # executable

    def divides(at, channel):
        word, = struct.unpack_from("<Q", data, code + at)
        return word & 0x7f == 0x38 and word >> 24 & 15 in (11, 12, 13) and word >> 21 & 7 == 3 and word >> 12 & 3 == channel // 8
    return {line for at, line in table if line and code + at + 24 <= len(data) and divides(at, 0) and divides(at + 16, 8)}


def without_addresses(file):
    """The names of variables in blocks for which the compiler gives no addresses: no place of the program is told to be in them."""
    found = set()

    def visit(die, lost):
        for child in die.children:
            if child.tag == "DW_TAG_variable" and lost:
                found.add(child.name)
            visit(child, child.tag == "DW_TAG_lexical_block" and not child.ranges())
    visit(read(file), False)
    return found


def in_registers(file):
    """The names of variables whose address GCC has in a register of RISC-V that is not a frame's, in all of the scope: calls overwrite it."""
    def visit(die):
        for child in die.children:
            at = re.match(r"\(?DW_OP_breg(\d+) ", child.text.get("DW_AT_location", ""))
            yield from [child.name] if at and at[1] not in ("2", "8") else []
            yield from visit(child)
    return set(visit(read(file)))


def unfinished(table, pc, lines):
    """The lines before the one at pc whose code goes on behind it, in a function that has `lines`: another statement's instructions come first."""
    here = next((i for i, (address, _) in enumerate(table) if address == pc), len(table))
    made = set()
    for _, line in table[here:]:
        if line not in lines:
            break
        made |= {line} if line < table[here][1] else set()
    return made


def places(root, pc, name, lane=0):
    """The operations of each variable of this name that is in scope at pc, innermost: of two inlined calls that share code each has one."""
    def visit(die):
        ranges = die.ranges()
        # Intel's compiler has variables in inlined calls and blocks without code.
        if die.tag in ("DW_TAG_subprogram", "DW_TAG_inlined_subroutine", "DW_TAG_lexical_block") and not any(a <= pc < b for a, b in ranges) \
                and (ranges or die.tag == "DW_TAG_subprogram"):
            return []
        own = [child for child in die.children if child.tag in ("DW_TAG_variable", "DW_TAG_formal_parameter") and child.name == name]
        return [found for child in die.children for found in visit(child)] or own[-1:]
    return [ops for ops in (die.place(pc, lane) for die in visit(root)) if ops is not None]


def number(text):
    return int(text, 0)


def in_file(ops, register, lane):
    """Likewise of Intel's operations, for which the registers r0 to r127, numbers 16 to 143 of DWARF's, are a file of bytes."""
    def bits(offset, size):
        first, last = offset // 256, (offset + size - 1) // 256
        return sum(register(f"GRF{n}") << 256 * (n - first) for n in range(first, last + 1)) >> offset % 256 & (1 << size) - 1
    stack, pieces, stated = [], [], False
    two = {"plus": lambda a, b: a + b, "minus": lambda a, b: a - b, "mul": lambda a, b: a * b, "and": lambda a, b: a & b, "or": lambda a, b: a | b,
           "xor": lambda a, b: a ^ b, "shl": lambda a, b: a << min(b, 64), "shr": lambda a, b: a >> min(b, 64), "shra": lambda a, b: a >> min(b, 64)}
    for op in ops:
        name, *numbers = op.removeprefix("DW_OP_").split()
        if found := re.fullmatch(r"(reg|lit)(\d+)", name):
            stack.append(256 * (int(found[2]) - 16) if found[1] == "reg" else int(found[2]))
        elif name == "regx":
            stack.append(256 * (number(numbers[0]) - 16))
        elif name == "INTEL_regs":
            stack.append(256 * (stack.pop() - 16))
        elif name == "INTEL_push_simd_lane":
            stack.append(lane)
        elif name == "INTEL_push_bit_piece_stack":
            size, offset, base = stack.pop(), stack.pop(), stack.pop()
            stack.append(bits(base + offset, size))
        elif name == "bit_piece":
            size, offset = map(number, numbers)
            if not stack:
                raise Unknown("a part is nowhere")
            pieces.append((stack.pop() >> offset & (1 << size) - 1 if stated else bits(stack.pop() + offset, size), size))
        elif re.fullmatch(r"const\d?[us]", name):
            stack.append(number(numbers[0]))
        elif name == "plus_uconst":
            stack.append(stack.pop() + number(numbers[0]))
        elif name in two:
            b, a = stack.pop(), stack.pop()
            stack.append(two[name](a, b) & (1 << 64) - 1)
        elif name == "stack_value":
            stated = True
        else:
            raise Unknown(op)
    if pieces:
        total = 0
        for piece, size in reversed(pieces):
            total = total << size | piece
        return total
    if len(ops) == 1:   # a register whole
        return bits(stack[0], 256)
    if not stated or len(stack) != 1:
        raise Unknown("memory")
    return stack[0]


def value(ops, register, bits, lane=0):
    """The number that the operations compute; register(name) reads one. Unknown: in memory, or not that simple."""
    if any("INTEL" in op or "bit_piece" in op for op in ops) or re.fullmatch(r"DW_OP_regx? ?(1[6-9]|[2-9]\d|\d{3}|0x\w+)", " ".join(ops)):
        return in_file(ops, register, lane)
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
    if ops[-3:] in SPACES:    # clang's OpenCL: the operand is the value (docs/debug.md)
        ops, stated = ops[:-3], True
    elif ops[-4:-1] in SPACES and ops[-1] == "DW_OP_stack_value":
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
            found = re.fullmatch(r"(\w+)([+-])(\w+)", argument)
            if not found:
                raise Unknown(op)
            base, sign, offset = found.groups()
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
            found = re.search(r'"DW_ATE_(signed|unsigned)_(\d+)"', argument)
            if not found:
                raise Unknown(op)
            kind, width = found.groups()
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
    found = re.fullmatch(r"(X|VGPR|SGPR|GRF)(\d+)(_LO16)?", name)
    if not found:
        raise Unknown(name)
    if found[1] == "GRF":
        return "$r" + found[2]
    return "$" + (RISCV[int(found[2])] if found[1] == "X" else found[1][0].lower() + found[2])
