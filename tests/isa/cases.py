"""What is executed for each row of the instruction table.

A case is one instruction with fixed registers and immediates, run over an operand table. Before
it, operands a, b, c of the table's row are in x5, x6, x7 (or f1, f2, f3); it leaves its result
in x10 (or f10), which held a sentinel. Registers 8, 9 and 11 to 15 are a case's own; x27 points
to 16 bytes of memory of its own, holding a and b, where the case asks for memory.
"""
from dataclasses import dataclass
from typing import Callable, Optional

SENTINEL = 0x5A5A5A5A5A5A5A5A
ROUNDINGS = ["rne", "rtz", "rdn", "rup", "rmm"]


@dataclass
class Case:
    """One instruction over one table."""

    name: str
    table: str
    body: str  # executed with the lanes under test alone
    before: str = ""  # executed in all lanes, before
    after: str = ""  # executed in all lanes, after
    sources: str = "xxx"  # which register files the operands go to
    result: str = "x"
    memory: bool = False  # needs and shows memory
    uniform: bool = False  # all lanes get the same row
    frm: int = 0
    keeps_flags: bool = False  # does not clear fflags before; shows all of fcsr after
    kept: Optional[Callable] = None  # what a lane that is off has as its result, of (a, b, c)
    formula: Optional[Callable] = None  # the result, of (a, b, c), where there is no other oracle


def lines(text):
    """Instructions separated by semicolons, one a line."""
    return [part.strip() for part in text.split(";") if part.strip()]


def integer_cases(xlen):
    """RV32I/RV64I and M computation."""
    ops = ["add", "sub", "sll", "slt", "sltu", "xor", "srl", "sra", "or", "and",
           "mul", "mulh", "mulhsu", "mulhu", "div", "divu", "rem", "remu"]
    if xlen == 64:
        ops += ["addw", "subw", "sllw", "srlw", "sraw", "mulw", "divw", "divuw", "remw", "remuw"]
    out = [Case(op, "ints", f"{op} x10, x5, x6") for op in ops]
    for op in ops[:8] + ops[10:14]:
        # The destination is a source, one source twice, x0 in each place.
        out.append(Case(f"{op} rd=rs1", "ints", f"{op} x10, x10, x6", before="mv x10, x5", kept=lambda a, b, c: a))
        out.append(Case(f"{op} rd=rs2", "ints", f"{op} x10, x5, x10", before="mv x10, x6", kept=lambda a, b, c: b))
        out.append(Case(f"{op} rs1=rs2", "ints", f"{op} x10, x5, x5"))
        out.append(Case(f"{op} zero", "ints", f"{op} x10, x0, x6"))
        out.append(Case(f"{op} to x0", "ints", f"{op} x0, x5, x6; mv x10, x0"))
    immediates = [0, 1, -1, 2047, -2048, 0x555, -0x556, 31]
    ops = ["addi", "slti", "sltiu", "xori", "ori", "andi"] + (["addiw"] if xlen == 64 else [])
    for op in ops:
        out += [Case(f"{op} {imm}", "ints", f"{op} x10, x5, {imm}") for imm in immediates]
    for op in ["slli", "srli", "srai"]:
        amounts = [0, 1, 7, 16, 30, 31] + ([32, 33, 48, 63] if xlen == 64 else [])
        out += [Case(f"{op} {n}", "ints", f"{op} x10, x5, {n}") for n in amounts]
    if xlen == 64:
        for op in ["slliw", "srliw", "sraiw"]:
            out += [Case(f"{op} {n}", "ints", f"{op} x10, x5, {n}") for n in (0, 1, 7, 16, 31)]
    for imm in (0, 1, 0x7FFFF, 0x80000, 0xFFFFF, 0x12345):
        out.append(Case(f"lui {imm:#x}", "few", f"lui x10, {imm:#x}"))
        out.append(Case(f"auipc {imm:#x}", "few", f"auipc x10, {imm:#x}"))
    for text in ("fence", "fence rw, w", "fence r, r", "fence.i"):
        out.append(Case(text, "few", f"{text}; mv x10, x5"))
    return out


def jump_cases():
    """Branches and jumps; all lanes agree on them."""
    out = []
    for op in ["beq", "bne", "blt", "bge", "bltu", "bgeu"]:
        forward = f"{op} x5, x6, 2f; li x10, 1; j 3f; 2: li x10, 2; 3:"
        backward = f"j 4f; 2: li x10, 2; j 3f; 4: {op} x5, x6, 2b; li x10, 1; 3:"
        far = f"{op} x5, x6, 2f; li x10, 1; j 3f; .space 4000, 0; 2: li x10, 2; 3:"
        far_back = f"j 4f; 2: li x10, 2; j 3f; .space 4000, 0; 4: {op} x5, x6, 2b; li x10, 1; 3:"
        same = f"{op} x5, x5, 2f; li x10, 1; j 3f; 2: li x10, 2; 3:"
        for name, body in (("forward", forward), ("backward", backward), ("far", far),
                           ("far backward", far_back), ("same register", same)):
            out.append(Case(f"{op} {name}", "few", body, uniform=True))
    jumps = {
        "jal": "jal x10, 2f; li x10, 0; 2:",
        "jal backward": "j 3f; 2: j 4f; 3: jal x10, 2b; li x10, 0; 4:",
        "jal far": "jal x10, 2f; .space 0x12340, 0; 2:",
        "jal far backward": "j 3f; 2: j 4f; .space 0x12340, 0; 3: jal x10, 2b; 4:",
        "jal to x0": "jal x0, 2f; li x10, 7; 2:",
        "jalr": "la x11, 2f; jalr x10, 0(x11); li x10, 0; 2:",
        "jalr offset": "la x11, 2f - 2047; jalr x10, 2047(x11); li x10, 0; 2:",
        "jalr negative offset": "la x11, 2f + 2048; jalr x10, -2048(x11); li x10, 0; 2:",
        "jalr odd": "la x11, 2f; jalr x10, 1(x11); li x10, 0; 2:",
        "jalr to its base": "la x10, 2f; jalr x10, 0(x10); li x10, 0; 2:",
        "jalr to x0": "la x11, 2f; jalr x0, 0(x11); li x10, 7; 2:",
    }
    return out + [Case(name, "few", body, uniform=True) for name, body in jumps.items()]


def memory_cases(xlen):
    """Loads, stores and atomics, each lane in its own 16 bytes."""
    out = []

    def address(imm, offset):
        return f"li x16, {offset - imm}; add x5, x27, x16"

    sizes = {"b": 1, "h": 2, "w": 4} | ({"d": 8} if xlen == 64 else {})
    loads = [("l" + s, n, "x10", "x") for s, n in sizes.items()] + [("lbu", 1, "x10", "x"), ("lhu", 2, "x10", "x")]
    loads += [("lwu", 4, "x10", "x")] if xlen == 64 else []
    loads += [("flw", 4, "f10", "f"), ("fld", 8, "f10", "f")]
    stores = [("s" + s, n, "x6") for s, n in sizes.items()] + [("fsw", 4, "f2"), ("fsd", 8, "f2")]
    for op, size, rd, result in loads:
        for imm, offset in ((0, 0), (2047, size), (-2048, 8), (8, 16 - size), (-1, 8 - size)):
            out.append(Case(f"{op} {imm}", "memory", f"{op} {rd}, {imm}(x5)", before=address(imm, offset),
                            result=result, memory=True))
        if rd == "x10":
            out.append(Case(f"{op} to its base", "memory", f"{op} x10, 0(x10)", before="mv x10, x27",
                            after="add x10, x10, x0", memory=True, kept="address"))
            out.append(Case(f"{op} to x0", "memory", f"{op} x0, 0(x5); mv x10, x0", before=address(0, 0),
                            memory=True))
    for op, size, source in stores:
        for imm, offset in ((0, 0), (2047, size), (-2048, 8), (8, 16 - size), (-1, 8 - size)):
            out.append(Case(f"{op} {imm}", "memory", f"{op} {source}, {imm}(x5); li x10, 1",
                            before=address(imm, offset), sources="xfx" if source == "f2" else "xxx", memory=True))
    for width in ["w"] + (["d"] if xlen == 64 else []):
        size = 4 if width == "w" else 8
        for name in ["swap", "add", "xor", "and", "or", "min", "max", "minu", "maxu"]:
            op = f"amo{name}.{width}"
            for suffix in ("", ".aq", ".rl", ".aqrl"):
                offset = 16 - size if suffix else 0
                out.append(Case(op + suffix, "memory", f"{op}{suffix} x10, x6, (x5)",
                                before=address(0, offset), memory=True))
            out.append(Case(f"{op} rd=rs2", "memory", f"{op} x10, x10, (x5)", before=address(0, 0) + "; mv x10, x6",
                            memory=True, kept=lambda a, b, c: b))
            out.append(Case(f"{op} to x0", "memory", f"{op} x0, x6, (x5); mv x10, x0", before=address(0, 0),
                            memory=True))
        lr, sc = f"lr.{width}", f"sc.{width}"
        reserved = {
            f"{lr}": f"{lr} x10, (x5)",
            f"{lr}.aqrl": f"{lr}.aqrl x10, (x5)",
            f"{sc} after lr": f"{lr} x11, (x5); {sc} x10, x6, (x5)",
            f"{sc}.rl after lr.aq": f"{lr}.aq x11, (x5); {sc}.rl x10, x6, (x5)",
            f"{sc} twice": f"{lr} x11, (x5); {sc} x11, x6, (x5); {sc} x10, x7, (x5)",
            f"{sc} elsewhere": f"addi x12, x5, {size}; {lr} x11, (x5); {sc} x10, x6, (x12)",
            f"{sc} in a loop": f"1: {lr} x11, (x5); add x12, x11, x6; {sc} x10, x12, (x5); ",
        }
        for name, body in reserved.items():
            out.append(Case(name, "memory", body, before=address(0, 0), memory=True))
    return out


def csr_cases():
    """Zicsr on the floating-point CSRs: of the warp, so all lanes agree."""
    out = []
    for csr in ("fflags", "frm", "fcsr"):
        for op in ("csrrw", "csrrs", "csrrc"):
            for name, body in (("", f"{op} x10, {csr}, x5"), (" x0", f"{op} x10, {csr}, x0"),
                               (" to x0", f"{op} x0, {csr}, x5; mv x10, x0"),
                               (" rd=rs1", f"{op} x13, {csr}, x13; mv x10, x13")):
                out.append(Case(f"{op} {csr}{name}", "few", body, before="csrw fcsr, x7; mv x13, x5",
                                uniform=True, keeps_flags=True))
        for op in ("csrrwi", "csrrsi", "csrrci"):
            for imm in (0, 1, 5, 21, 31):
                out.append(Case(f"{op} {csr} {imm}", "few", f"{op} x10, {csr}, {imm}", before="csrw fcsr, x7",
                                uniform=True, keeps_flags=True))
    return out


def float_cases(xlen, width):
    """F (width 32) or D (width 64)."""
    s = "s" if width == 32 else "d"
    two = "single" if width == 32 else "double"
    one = two + "1"
    out = []

    def rounded(op, registers, **case):
        for n, mode in enumerate(ROUNDINGS):
            out.append(Case(f"{op} {mode}", body=f"{op} {registers}, {mode}", **case))
            # Another rounding mode in frm must not matter for a static one, and must for dyn.
            out.append(Case(f"{op} dyn={mode}", body=f"{op} {registers}, dyn", frm=n, **case))
        out.append(Case(f"{op} rne, frm=rup", body=f"{op} {registers}, rne", frm=3, **case))

    fff = {"table": two, "sources": "fff", "result": "f"}
    for op in ("fadd", "fsub", "fmul", "fdiv"):
        rounded(f"{op}.{s}", "f10, f1, f2", **fff)
    for op in ("fmadd", "fmsub", "fnmadd", "fnmsub"):
        rounded(f"{op}.{s}", "f10, f1, f2, f3", **fff)
    rounded(f"fsqrt.{s}", "f10, f1", table=one, sources="fff", result="f")
    for op in ("fsgnj", "fsgnjn", "fsgnjx", "fmin", "fmax"):
        out.append(Case(f"{op}.{s}", body=f"{op}.{s} f10, f1, f2", **fff))
        out.append(Case(f"{op}.{s} rs1=rs2", body=f"{op}.{s} f10, f1, f1", **fff))
    for op in ("feq", "flt", "fle"):
        out.append(Case(f"{op}.{s}", body=f"{op}.{s} x10, f1, f2", table=two, sources="fff"))
    out.append(Case(f"fclass.{s}", body=f"fclass.{s} x10, f1", table=one, sources="fff"))
    out.append(Case(f"fadd.{s} rd=rs1", body=f"fadd.{s} f10, f10, f2, rne", before="fmv.d f10, f1", table=two,
                    sources="fff", result="f", kept=lambda a, b, c: a))
    out.append(Case(f"fmadd.{s} rd=rs3", body=f"fmadd.{s} f10, f1, f2, f10, rne", before="fmv.d f10, f3",
                    table=two, sources="fff", result="f", kept=lambda a, b, c: c))
    integers = ["w", "wu"] + (["l", "lu"] if xlen == 64 else [])
    for i in integers:
        rounded(f"fcvt.{i}.{s}", "x10, f1", table=one, sources="fff")
        if width == 64 and i in ("w", "wu"):
            out.append(Case(f"fcvt.d.{i}", body=f"fcvt.d.{i} f10, x5", table="ints", result="f"))
        else:
            rounded(f"fcvt.{s}.{i}", "f10, x5", table="ints", result="f")
    if width == 32:
        out.append(Case("fmv.x.w", body="fmv.x.w x10, f1", table=one, sources="fff"))
        out.append(Case("fmv.w.x", body="fmv.w.x f10, x5", table="ints", result="f"))
    else:
        rounded("fcvt.s.d", "f10, f1", table=one, sources="fff", result="f")
        out.append(Case("fcvt.d.s", body="fcvt.d.s f10, f1", table="single1", sources="fff", result="f"))
        if xlen == 64:
            out.append(Case("fmv.x.d", body="fmv.x.d x10, f1", table=one, sources="fff"))
            out.append(Case("fmv.d.x", body="fmv.d.x f10, x5", table="ints", result="f"))
    return out


def zicond_cases(xlen):
    """Zicond: newer than the oracle, and two lines in its specification."""
    eqz, nez = ".insn r 0x33, 5, 7, x10, x5, x6", ".insn r 0x33, 7, 7, x10, x5, x6"
    return [
        Case("czero.eqz", "ints", eqz, formula=lambda a, b, c: 0 if b == 0 else a),
        Case("czero.nez", "ints", nez, formula=lambda a, b, c: 0 if b != 0 else a),
    ]


def compressed_cases(xlen):
    """The C extension. x8 holds a, x9 holds b."""
    out = []
    move = "mv x8, x5; mv x9, x6"

    def alu(name, body, **case):
        case = {"before": move, "after": "mv x10, x8", "kept": lambda a, b, c: a} | case
        out.append(Case(name, "ints", body, **case))

    ops = ["c.sub", "c.xor", "c.or", "c.and", "c.mv", "c.add"] + (["c.subw", "c.addw"] if xlen == 64 else [])
    for op in ops:
        alu(op, f"{op} x8, x9")
    alu("c.mv far", "c.mv x10, x5", before="", after="", kept=None)
    alu("c.add far", "c.add x31, x5", before="mv x31, x6", after="mv x10, x31", kept=lambda a, b, c: b)
    for op in ["c.addi", "c.andi"] + (["c.addiw"] if xlen == 64 else []):
        for imm in (1, -1, 31, -32, 21):
            alu(f"{op} {imm}", f"{op} x8, {imm}")
    alu("c.andi 0", "c.andi x8, 0")
    if xlen == 64:
        alu("c.addiw 0", "c.addiw x8, 0")
    for op in ("c.slli", "c.srli", "c.srai"):
        for n in (1, 5, 16, 31) + ((32, 33, 63) if xlen == 64 else ()):
            alu(f"{op} {n}", f"{op} x8, {n}")
    for imm in (0, 1, -1, 31, -32):
        alu(f"c.li {imm}", f"c.li x8, {imm}")
    for imm in (1, 31, 0xFFFE0, 0xFFFFF):
        alu(f"c.lui {imm:#x}", f"c.lui x8, {imm:#x}")
    alu("c.nop", "c.nop")
    for imm in (-512, 496, 16, -16, 32, 64, 128, 256):
        alu(f"c.addi16sp {imm}", f"c.addi16sp sp, {imm}", before="mv x2, x5", after="mv x10, x2")
    for imm in (4, 8, 16, 32, 64, 128, 256, 512, 1020):
        alu(f"c.addi4spn {imm}", f"c.addi4spn x8, sp, {imm}", before="mv x2, x6; mv x8, x5")

    def access(name, body, base, offset, sources="xxx", result="x"):
        out.append(Case(name, "memory", body, before=f"li x16, {-offset}; add {base}, x27, x16; mv x9, x6; fmv.d f9, f2",
                        sources=sources, result=result, memory=True))

    words = [("c.lw", "c.lwsp", "x"), ("c.sw", "c.swsp", "x")]
    doubles = [("c.fld", "c.fldsp", "f"), ("c.fsd", "c.fsdsp", "f")]
    if xlen == 64:
        doubles += [("c.ld", "c.ldsp", "x"), ("c.sd", "c.sdsp", "x")]
    else:
        words += [("c.flw", "c.flwsp", "f"), ("c.fsw", "c.fswsp", "f")]
    for size, rows in ((4, words), (8, doubles)):
        for op, stack, kind in rows:
            load = "l" in op[2:]
            register = f"{kind}10" if load else f"{kind}9"
            finish = "" if load else "; li x10, 1"
            sources = "xfx" if kind == "f" and not load else "xxx"
            result = kind if load else "x"
            for bit in (0, *(size << n for n in range(5))):
                access(f"{op} {bit}", f"{op} {register}, {bit}(x8){finish}", "x8", bit, sources, result)
            for bit in (0, *(size << n for n in range(6))):
                access(f"{stack} {bit}", f"{stack} {register}, {bit}(sp){finish}", "sp", bit, sources, result)

    jumps = {
        "c.j": "c.j 2f; li x10, 7; 2:",
        "c.j backward": "c.j 3f; 2: c.j 4f; 3: c.j 2b; 4: li x10, 3",
        "c.j far": "c.j 2f; .space 2000, 0; 2: li x10, 3",
        "c.j far backward": "c.j 3f; 2: c.j 4f; .space 2000, 0; 3: c.j 2b; 4: li x10, 3",
        "c.jr": "la x11, 2f; c.jr x11; li x10, 7; 2:",
        "c.jalr": "la x11, 2f; c.jalr x11; li x1, 7; 2: mv x10, x1",
        "c.beqz": "c.beqz x8, 2f; li x10, 1; j 3f; 2: li x10, 2; 3:",
        "c.bnez": "c.bnez x8, 2f; li x10, 1; j 3f; 2: li x10, 2; 3:",
        "c.beqz backward": "c.j 4f; 2: li x10, 2; c.j 3f; .space 200, 0; 4: c.beqz x8, 2b; li x10, 1; 3:",
        "c.bnez backward": "c.j 4f; 2: li x10, 2; c.j 3f; .space 200, 0; 4: c.bnez x8, 2b; li x10, 1; 3:",
    }
    if xlen == 32:
        jumps["c.jal"] = "c.jal 2f; li x1, 7; 2: mv x10, x1"
        jumps["c.jal backward"] = "c.j 3f; 2: c.j 4f; .space 2000, 0; 3: c.jal 2b; 4: mv x10, x1"
    out += [Case(name, "few", body, before=move, uniform=True) for name, body in jumps.items()]
    # A 32-bit instruction that begins in the middle of a word, and one that crosses a page.
    out.append(Case("after a parcel", "ints", "c.nop; addi x10, x5, 5; c.nop; c.nop"))
    out.append(Case("across a page", "ints", "j 2f; .balign 4096; .space 4092; 2: c.nop; addi x10, x5, 5; c.nop"))
    return out


def groups(xlen):
    """The programs: name -> cases."""
    return {
        "integer": integer_cases(xlen),
        "jumps": jump_cases(),
        "memory": memory_cases(xlen),
        "csr": csr_cases(),
        "single": float_cases(xlen, 32),
        "double": float_cases(xlen, 64),
        "compressed": compressed_cases(xlen),
        "zicond": zicond_cases(xlen),
    }
