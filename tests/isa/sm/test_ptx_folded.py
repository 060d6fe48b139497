"""Values that NVIDIA's assembler computes, and the parts of words that PTX's video instructions choose.

ptxas 13.0 replaces an instruction on constants by its result: the table has what it put into code for sm_90, so that it is an oracle for
arithmetic that the manual leaves to the hardware. An approximation stands there as an exact result that is rounded, a quotient
as a product of roundings. Of NaNs the table has those alone for which the instruction that it emits otherwise gives the same."""
import random
import struct

import pytest

from test_ptx_rows import EDGES, HEAD, M32, check_operands, run, s

REGISTERS = {"u32": ("b32", 4), "s32": ("b32", 4), "b32": ("b32", 4), "f32": ("f32", 4), "u16": ("b16", 2), "f16": ("b16", 2), "bf16": ("b16", 2), "s16": ("b16", 2),
             "f16x2": ("b32", 4), "u64": ("b64", 8), "s64": ("b64", 8), "f64": ("f64", 8), "pred": ("pred", 4)}

# opcode, type of the result, of the operands: operands and result, as bits
FOLDED = """
rem.u32 u32 u32,u32: 80000000 0 = ffffffff, ffffffff 0 = ffffffff, 21 0 = ffffffff, 1 10000 = 1, 0 7f7f7f7f = 0, 1 800000 = 1
rem.s32 s32 s32,s32: ffffffff 0 = ffffffff, 1 0 = ffffffff, 7fffff 0 = ffffffff, 0 1f = 0, ffffffff aaaaaaaa = ffffffff, 0 40 = 0
mad.hi.sat.s32 s32 s32,s32,s32: 80808080 0 1ffffff = 1ffffff, 0 ffffff 1 = 1, 55555555 0 8000 = 8000
mul24.hi.s32 s32 s32,s32: 0 800000 = 0, 80000000 2 = 0, 10000 20 = 20
mad24.hi.sat.s32 s32 s32,s32,s32: ffff 8000 ffff = 17ffe, fffffffe 7fffffff fffffffe = fffffffe, 1 80000000 ffffff = ffffff
bfe.s32 s32 s32,u32,u32: 1000001 15 5 = 8, 40 15 3b = 0, caaea4fe 36 45 = ffffffff
shf.l.clamp.b32 b32 b32,b32,u32: 1f 2 bf59c924 = 1f, ffffff ffff 7072cfad = ffffff, ee77e484 20626855 1c = 5ee77e48
fns.b32 b32 b32,u32,u32: 7fff 7 4 = a, a79d765e 5 5 = d, 7fff7fff 7 b = 12
neg.f16 f16 f16: 7fff = 7fff, 7c01 = 7fff, fc00 = 7c00, 6400 = e400, 7660 = f660
div.approx.f32 f32 f32,f32: 7f5b5e78 7f5b5e78 = 0, 0 7e800000 = 0, 7b6c5bd9 ff0a19da = 80000000, 477ff000 477ff000 = 3f800000, 40178bac bef9af55 = c09b60e7, 5f800000 7f800000 = 0
rcp.approx.f32 f32 f32: ff1f73cf = 80336037, cb284800 = b3c2b8bd, cf000000 = b0000000
sqrt.approx.f32 f32 f32: 3f800000 = 3f800000, 43e80000 = 41ac5345, 400000 = 1fb504f3
div.full.f32 f32 f32,f32: ff10e8ca ff10e8ca = 3f800000, 84db8816 ff6e2027 = 0, 7f04d800 7ebdf607 = 3fb306b3, cf000000 c3000000 = 4b800000, 3f7fffff bf800000 = bf7fffff, 7f7fffff c2fc0000 = fc020820
sin.approx.f32 f32 f32: 1 = 0, 5c2144 = 0, 200000 = 0, 40490fdb = b3bbbd2e, 30e54c59 = 30e54c59, 43e00000 = 3f72c1fe
cos.approx.f32 f32 f32: a75000 = 3f800000, ced1904f = 3c620f75, bfb91077 = 3dff4bc5
lg2.approx.f32 f32 f32: 400000 = c2fe0000, 42fe0000 = 40dfa34e, 40200000 = 3fa934f1
ex2.approx.f32 f32 f32: 43000000 = 7f800000, 3f217000 = 3fc62c3d, 7f7b3000 = 7f800000
div.approx.ftz.f32 f32 f32,f32: ff6b8a7e ff6b8a7e = 0, 7f000000 7f7fc000 = 0, 477ff000 7e800000 = 87ff000, c6507000 b6c7f000 = 4f057114, 33800000 3fc90fdb = 3322f983, 3fc00000 4b800001 = 33bffffe
div.full.ftz.f32 f32 f32,f32: 43e80000 7f7fc000 = 3e83a0e, c3160000 7f7f8000 = 83164b26, 7f0931bf 7ed4b3c3 = 3fa51f27, ca869bcd 4981062e = c0858a46, 47600000 33800000 = 53600000, cbe42ae1 caefa0d9 = 4073c195
rsqrt.approx.ftz.f32 f32 f32: 437f0000 = 3d804030, 3fd80fe3 = 3f450a64
neg.bf16 bf16 bf16: ffbf = 7fff, 7f81 = 7fff, 8c69 = c69, 42b0 = c2b0, 4208 = c208
set.ltu.u32.f32 u32 f32,f32: 7f7fffff 7f7fc000 = 0, 65800000 501502f9 = 0, 40490fdb 3fc90fdb = 0
slct.b32.f32 b32 b32,b32,f32: 2 8000 387fc000 = 2, 6d04f987 6d04f980 6d04f9ae = 6d04f987, 7fff 20 3f7fffff = 7fff
slct.ftz.b32.f32 b32 b32,b32,f32: 7fffffff 7fffffff 807fffff = 7fffffff, ffffffff 1000000 807fffff = ffffffff, 80 0 80000001 = 80, 10000 ffffffff 43000000 = 10000, 3f ffffff 80800000 = ffffff, 39918783 8dd57172 3fbbfcd1 = 39918783
cvt.rzi.s32.f32 s32 f32: c135a800 = fffffff5, 8c4945b2 = 0, 2c3b1899 = 0, bf000000 = 0, 3f800000 = 1, 32209f66 = 0
cvt.rn.ftz.f16.f32 f16 f32: b414b4a8 = 8002, 33000000 = 0, 387fc000 = 3ff, 800000 = 0, 65800000 = 7c00, 4f000000 = 7c00
cvt.rn.ftz.sat.f16.f32 f16 f32: 33800000 = 1, 33000001 = 1, b47b5b66 = 0, 1 = 0, bf178800 = 0, 477fff00 = 3c00
cvt.rn.bf16.f32 bf16 f32: 4afdb8f6 = 4afe, ffbfffff = 7fff, 806f4f1f = 806f
cvt.rz.f32.bf16 f32 bf16: ffbf = ffbf0000, 7fff = 7fff0000, 0 = 0, c1db = c1db0000, 3f7f = 3f7f0000
cvt.f32.f32 f32 f32: ffbfffff = ffbfffff, ff800000 = ff800000, 7fc00000 = 7fc00000, df000000 = df000000, 3a800001 = 3a800001, 8109eab3 = 8109eab3
cvt.rna.tf32.f32 b32 f32: ff800000 = ff800000, 7f800001 = 7f800000, 437f0000 = 437f0000, 4f800000 = 4f800000, 33800000 = 33800000
cvt.rna.satfinite.tf32.f32 b32 f32: 7f800001 = 7f7fe000, ffc00000 = ffbfe000, ff800000 = ff7fe000, bff95000 = bff96000, bf95638c = bf956000, 1247bbc = 1248000
vabsdiff.s32.u32.u32.min s32 b32,b32,b32: 80808080 aaaaaaaa 0 = 0, 1000000 7fffffff 0 = 0, 3 2 0 = 0
vadd4.u32.u32.u32 b32 b32,b32,b32: fffffffe 3f ffffffff = ffffff3d, 7fff 7f7f7f7f 3 = 7f7ffe7e, 84955eb9 f839eebf 57068d71 = 7cce4c78
"""

# What an H200 computes.
COMPUTED = """
rem.u16 u16 u16,u16: 7fff 0 = ffff, 8000 0 = ffff, 7 5 = 2
rem.s16 s16 s16,s16: 0 0 = ffff, 5555 0 = ffff, fffe 0 = ffff, fff9 5 = fffe
add.rn.sat.f16 f16 f16,f16: 7c01 7c01 = 0, 7e00 5c00 = 0, fe00 8400 = 0
sub.rn.ftz.sat.f16 f16 f16,f16: 1400 7c01 = 0, 7e00 7e00 = 0
mul.rn.sat.f16x2 f16x2 f16x2,f16x2: 7fff3800 78007bff = 3c00, fe003800 80008000 = 0
fma.rn.sat.f16x2 f16x2 f16x2,f16x2,f16x2: fdff0001 2c018400 fe0057ff = 3c00, fe007c00 80007c01 57ff3800 = 0
neg.ftz.f16 f16 f16: 3ff = 8000, 8001 = 0, 1 = 8000, 83ff = 0
abs.ftz.f16 f16 f16: 200 = 0
neg.ftz.f16x2 f16x2 f16x2: 64000200 = e4008000, 80017e00 = 7fff
abs.ftz.f16x2 f16x2 f16x2: 7c000001 = 7c000000, 7bff0200 = 7bff0000, 3ff3c00 = 3c00, 4008001 = 4000000
setp.lt.ftz.f16 pred f16,f16: 8001 0 = 0, 8000 200 = 0, 61 80 = 0
set.eq.ftz.u32.f16 u32 f16,f16: 83ff 3ff = ffffffff, 3ff 200 = ffffffff, 8001 83ff = ffffffff
set.eq.ftz.f16x2.f16x2 f16x2 f16x2,f16x2: 80002c01 80014bff = 3c000000, 2008001 8001fbff = 3c000000, 4248 17c01 = 3c000000
testp.normal.f32 pred f32: 80000000 = 1, 0 = 1
testp.normal.f64 pred f64: 8000000000000000 = 1, 0 = 1
cvt.rzi.u8.f64 u16 f64: 7fffffffffffffff = 80, fff7ffffffffffff = 80
cvt.rzi.s32.f64 s32 f64: fff8000000000000 = 80000000, 7fffffffffffffff = 80000000
cvt.rzi.s64.f32 s64 f32: 7fffffff = 8000000000000000, ffbfffff = 8000000000000000
cvt.rzi.u64.f16 u64 f16: 7e00 = 8000000000000000, fe00 = 8000000000000000
cvt.rn.sat.f16.u8 f16 u16: ff = 3c00, aa = 3c00, 21 = 3c00
cvt.rm.sat.f16.s32 f16 s32: 1ffffff = 3c00, 2 = 3c00, ffffffff = 0
cvt.rn.sat.f64.s16 f64 s16: fffe = 0, ffff = 0, 80 = 3ff0000000000000
cvt.rm.bf16.u16 bf16 u16: 5555 = 46aa, ffff = 477f, 7f7f = 46fe
cvt.rp.bf16.u16 bf16 u16: 9c70 = 471d, 8080 = 4701, 3344 = 464e
cvt.rm.bf16.s32 bf16 s32: 7f7f7f7f = 4efe, 1ffffff = 4bff
cvt.rp.bf16.f32 bf16 f32: c9ccd030 = c9cc, 3f800001 = 3f81, c366c000 = c366
cvt.rm.bf16.f64 bf16 f64: 7fe0000000000000 = 7f7f, 7ff0000000000001 = 7fc0, 380fffffffffffff = 7f
cvt.rz.bf16.f64 bf16 f64: fff7ffffffffffff = ffff, 7ff8000000000000 = 7fc0
cvt.rp.f16.f64 f16 f64: 7ff0000000000001 = 7e00, fff8000000000000 = fe00
cvt.rm.ftz.f16.f32 f16 f32: 804718fb = 8001, 80000001 = 8001
cvt.rp.ftz.sat.f16.f32 f16 f32: 1 = 1, 7fffff = 1
cvt.rn.f32.f64 f32 f64: fff7ffffffffffff = ffffffff, 7ff0000000000001 = 7fc00000, fff8000000000000 = ffc00000
cvt.rz.ftz.f32.f64 f32 f64: 7ff0000000000001 = 7fc00000, fff7ffffffffffff = ffffffff
cvt.ftz.f64.f32 f64 f32: 7f800001 = 7fffffffe0000000, ffc00000 = 7fffffffe0000000
cvt.rni.f64.f64 f64 f64: fff7ffffffffffff = ffffffffffffffff, 7ff0000000000001 = 7ff8000000000001
add.rn.f64 f64 f64,f64: fff7ffffffffffff 7ff0000000000001 = 7ff8000000000001, 7ff8000000000000 7fffffffffffffff = 7fffffffffffffff
sub.rn.f64 f64 f64,f64: 7fffffffffffffff fff8000000000000 = fff8000000000000, 7fffffffffffffff 7ff8000000000000 = 7ff8000000000000
mul.rz.f64 f64 f64,f64: 8000000000000000 fff0000000000000 = fff8000000000000, 7ff8000000000000 7ff0000000000001 = 7ff8000000000001
fma.rn.f64 f64 f64,f64,f64: fff7ffffffffffff bfe0000000000000 fff8000000000000 = fff8000000000000, 3ca0000000000000 7ff0000000000001 fff8000000000000 = 7ff8000000000001
fma.rz.f64 f64 f64,f64,f64: 7ff0000000000000 0 8000000000000001 = fff8000000000000, fff7ffffffffffff 7fffffffffffffff 7ff8000000000000 = 7fffffffffffffff
div.rz.f64 f64 f64,f64: 0 8000000000000000 = fff8000000000000, fff7ffffffffffff 7fffffffffffffff = ffffffffffffffff
sqrt.rn.f64 f64 f64: bfe0000000000000 = fff8000000000000, 8000000000000001 = fff8000000000000
sqrt.rm.f64 f64 f64: fff0000000000000 = fff8000000000000
neg.f64 f64 f64: fff8000000000000 = fff8000000000000, fff7ffffffffffff = ffffffffffffffff, 7ff8000000000000 = 7ff8000000000000
abs.f64 f64 f64: fff8000000000000 = fff8000000000000, 7ff0000000000001 = 7ff8000000000001, fff7ffffffffffff = ffffffffffffffff
min.f64 f64 f64,f64: fff7ffffffffffff 7ff0000000000001 = 7ff8000000000001, fff8000000000000 7fffffffffffffff = 7fffffffffffffff
max.f64 f64 f64,f64: 7ff0000000000001 fff7ffffffffffff = ffffffffffffffff, 7ff8000000000000 7fffffffffffffff = 7fffffffffffffff
"""


def listed(table):
    for line in table.strip().split("\n"):
        what, values = line.split(": ")
        opcode, result, operands = what.split()
        for row in values.split(", "):
            given, want = row.split(" = ")
            yield opcode, result, operands.split(","), [int(v, 16) for v in given.split()], int(want, 16)


def moved(kind, register, value):
    if kind == "f64":
        return f"mov.f64 {register}, 0d{value:016x};"
    return f"mov.f32 {register}, 0f{value:08x};" if kind == "f32" else f"mov.{REGISTERS[kind][0]} {register}, {value:#x};"


@pytest.mark.parametrize("table", ("FOLDED", "COMPUTED"))
def test_literal_results(tmp_path, table):
    rows, text = list(listed(globals()[table])), "ld.param.u64 %y, [out];\n"
    for n, (opcode, result, operands, values, _) in enumerate(rows):
        registers = "".join(f".reg .{REGISTERS[k][0]} %s{i}; " for i, k in enumerate(operands)) + f".reg .{REGISTERS[result][0]} %r;"
        text += "{ " + registers + " ".join(moved(k, f"%s{i}", v) for i, (k, v) in enumerate(zip(operands, values)))
        text += f" {opcode} %r, {', '.join(f'%s{i}' for i in range(len(operands)))};"
        if result == "pred":
            text += f" .reg .b32 %w; selp.b32 %w, 1, 0, %r; st.global.b32 [%y+{8 * n}], %w; }}\n"
        else:
            text += f" st.global.{REGISTERS[result][0]} [%y+{8 * n}], %r; }}\n"
    # the last word is what run() stores
    got = run(tmp_path, text + f"add.u64 %y, %y, {8 * len(rows)}; mov.u32 %d, 1;", bytes(12), 8 * len(rows) + 4, 1)
    wrong = [(opcode, [hex(v) for v in values], hex(want)) for n, (opcode, result, _, values, want) in enumerate(rows)
             if int.from_bytes(got[8 * n:8 * n + REGISTERS[result][1]], "little") != want]
    assert not wrong and len(rows) > 105


def clamp(value, bits, signed):
    most = (1 << bits - signed) - 1
    return max(-most - 1 if signed else 0, min(most, value))


def part(word, selector, signed):
    """Its place, its bits, and its value."""
    at, bits = {"": (0, 32), "b": (8 * int(selector[1:] or 0), 8), "h": (16 * int(selector[1:] or 0), 16)}[selector[:1]]
    value = word >> at & (1 << bits) - 1
    return at, bits, s(value, bits) if signed else value


VIDEO = {"vadd": lambda a, b: a + b, "vsub": lambda a, b: a - b, "vabsdiff": lambda a, b: abs(a - b), "vmin": min, "vmax": max,
         "vshl": lambda a, b: a << b, "vshr": lambda a, b: a >> b, "vset": lambda a, b: None}
COMPARED = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
            "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b}


def video(opcode, selectors, a, b, c):
    """The manual's words (9.7.19), in integers without bounds."""
    name, *words = opcode.split(".")
    types = [w for w in words if w in ("u32", "s32")]
    signed = [t == "s32" for t in types]
    if name == "vset":
        signed.insert(0, False)
    _, _, x = part(a, selectors[1], signed[1])
    _, _, y = part(b, selectors[2], signed[2])
    if name in ("vshl", "vshr"):
        y = y & 31 if "wrap" in words else min(y, 32)
    value = COMPARED[next(w for w in words if w in COMPARED)](x, y) * 1 if name == "vset" else VIDEO[name](x, y)
    at, bits, _ = part(0, selectors[0], False)
    if "sat" in words:
        value = clamp(value, bits, signed[0])
    addend = s(c) if signed[0] else c
    for word, join in (("add", lambda v: v + addend), ("min", lambda v: min(v, addend)), ("max", lambda v: max(v, addend))):
        if word in words:
            return join(value) & M32
    mask = ((1 << bits) - 1) << at
    return (value << at & mask) | (c & ~mask & M32)


def multiplied(opcode, signs, a, b, c):
    words = opcode.split(".")
    x, y = (s(v) if t == "s32" else v for v, t in zip((a, b), words[2:4]))
    signed = "s32" in words[2:4] or bool(signs)
    addend = s(c) if signed else c
    value = (-x * y if "p" in signs else x * y) + (-addend if "c" in signs else addend) + ("po" in words)
    value >>= 7 if "shr7" in words else 15 if "shr15" in words else 0
    return clamp(value, 32, signed) & M32 if "sat" in words else value & M32


SCALAR = [("vadd.s32.u32.s32.sat", ("", "b3", "h1")), ("vadd.u32.s32.s32.sat", ("", "", "b0")), ("vsub.s32.s32.u32", ("h0", "h0", "")),
          ("vsub.u32.u32.u32.sat.add", ("", "", "")), ("vabsdiff.s32.u32.u32.min", ("", "", "")), ("vabsdiff.u32.s32.s32", ("", "b1", "b2")),
          ("vmin.s32.s32.u32.max", ("", "", "b1")), ("vmax.u32.s32.u32.sat", ("b0", "", "")), ("vshl.s32.s32.u32.clamp", ("", "b1", "")),
          ("vshl.u32.u32.u32.wrap.add", ("", "h1", "")), ("vshr.s32.s32.u32.clamp", ("h0", "", "b0")), ("vset.s32.u32.lt", ("b1", "", "h0")),
          ("vset.u32.u32.ge.add", ("", "", ""))]


def inputs_of(text):
    random.seed(text)
    return [[random.choice(EDGES) if random.random() < .5 else random.getrandbits(32) for _ in range(3)] for _ in range(64)]


def compare(folder, text, want):
    values = inputs_of(text)
    got = struct.unpack("<64I", run(folder, text, b"".join(struct.pack("<3I", *v) for v in values), 256, 64))
    for v, value in zip(values, got):
        assert value == want(*v), [hex(x) for x in v]
    check_operands(folder)


@pytest.mark.parametrize("opcode, selectors", SCALAR, ids=[o for o, _ in SCALAR])
def test_scalar_video(tmp_path, opcode, selectors):
    dot = [f".{x}" if x else "" for x in selectors]
    third = ", %c" if selectors[0] or opcode.split(".")[-1] in ("add", "min", "max") else ""
    compare(tmp_path, f"{opcode} %d{dot[0]}, %a{dot[1]}, %b{dot[2]}{third};",
            lambda a, b, c: video(opcode, selectors, a, b, c if third else 0))


@pytest.mark.parametrize("opcode, signs", [("vmad.s32.s32.s32.sat.shr7", ""), ("vmad.s32.s32.s32.sat", "p"),
                                           ("vmad.s32.u32.s32", "c"), ("vmad.s32.s32.s32.po.sat", "")])
def test_vmad(tmp_path, opcode, signs):
    # The manual's opcode has .po before .sat; "-" stands before a or b, or before c.
    compare(tmp_path, f"{opcode} %d, {'-' if 'p' in signs else ''}%a, %b, {'-' if 'c' in signs else ''}%c;",
            lambda a, b, c: multiplied(opcode, signs, a, b, c))


def halves(a, b, operation, signed):
    return sum((operation(s(a >> n, 16) if signed else a >> n & 0xffff, s(b >> n, 16) if signed else b >> n & 0xffff) & 0xffff) << n
               for n in (0, 16))


@pytest.mark.parametrize("text, want", [
    ("add.u16x2 %d, %a, %b;", lambda a, b, c: halves(a, b, lambda x, y: x + y, False)),
    ("min.s16x2 %d, %a, %b;", lambda a, b, c: halves(a, b, min, True)), ("max.u16x2 %d, %a, %b;", lambda a, b, c: halves(a, b, max, False)),
    ("max.relu.s16x2 %d, %a, %b;", lambda a, b, c: halves(a, b, lambda x, y: max(x, y, 0), True)),
    ("min.relu.s32 %d, %a, %b;", lambda a, b, c: max(0, min(s(a), s(b)))),
    ("mad.hi.sat.s32 %d, %a, %b, %c;", lambda a, b, c: clamp((s(a) * s(b) >> 32) + s(c), 32, True) & M32),
    ("lop3.and.b32 %d|%p, %a, %b, %c, 0x6a, %r; selp.u32 %d, 1, %d, %p;",
     lambda a, b, c: 1 if a & b ^ c and c & 1 else a & b ^ c),
    ("lop3.or.b32 %d|%p, %a, %b, %c, 0xe8, %r; selp.u32 %d, 1, %d, %p;",
     lambda a, b, c: 1 if a & b | a & c | b & c or c & 1 else 0)], ids=lambda x: x.split()[0] if isinstance(x, str) else "")
def test_other_integers(tmp_path, text, want):
    compare(tmp_path, text, want)


def test_atomics_of_vectors(tmp_path):
    """One of each element: old values, what is in memory behind them, and a sum and a maximum of halves."""
    text = """mov.u64 %D, room; st.global.v2.u32 [%D], {0x3f800000, 0x40000000}; st.global.v2.u32 [%D+8], {0x00003c00, 0x7fff3c00};
.reg .f32 %s, %t2; .reg .b16 %h0, %h1, %h2, %h3;
atom.global.add.v2.f32 {%s, %t2}, [%D], {0f3f000000, 0f3f000000};
red.global.max.noftz.v2.f16x2 [%D+8], {%b, %c};
red.global.add.noftz.v4.bf16 [%D+8], {%h, %h, %h, %h};
mov.b32 %d, %s; st.global.u32 [%y+4], %d; mov.b32 %d, %t2; st.global.u32 [%y+8], %d;
ld.global.u32 %d, [%D]; st.global.u32 [%y+12], %d; ld.global.u32 %d, [%D+4]; st.global.u32 [%y+16], %d;
ld.global.u32 %d, [%D+8]; st.global.u32 [%y+20], %d; ld.global.u32 %d, [%D+12];"""
    got = run(tmp_path, ".global .align 16 .b8 room[16];\n" + text, struct.pack("<3I", 0, 0x44003800, 0x3c00bc00), 24, 1)
    # 0x44003c00 and 0x3c003c00 as pairs of bfloat16, to which 0 is added: the NaN went to the other half
    assert struct.unpack("<6I", got) == (0x3c003c00, 0x3f800000, 0x40000000, 0x3fc00000, 0x40200000, 0x44003c00)


@pytest.mark.parametrize("text, why", [
    ("atom.global.add.v2.f32 {%f, %f}, [%x], {%f, %f};", "a register that is a result and what is still to be read"),
    ("red.global.min.v2.f32 [%x], {%f, %f};", "there is no instruction"), ("red.global.min.noftz.f16 [%x], %h;", "there is no instruction"),
    ("red.global.add.noftz.v8.bf16x2 [%x], {%a, %a, %a, %a, %a, %a, %a, %a};", "there is no instruction"),
    ("add.u32 %d, -%a, %b;", "'-' before a register, which only vmad has"), ("vadd.u32.u32.u32 %d, %a.b4, %b;", "cannot be chosen here"),
    ("vadd.u32.u32.u32 %d.b0, %a, %b;", "the number of operands is wrong"), ("vmad.u32.u32.u32.po %d, -%a, %b, %c;", "negated"),
    ("add.relu.s16x2 %d, %a, %b;", "there is no instruction"), ("min.NaN.s32 %d, %a, %b;", "there is no instruction")])
def test_what_there_is_not(tmp_path, text, why):
    from test_ptx_rows import WAVETRAP, subprocess
    (tmp_path / "k.ptx").write_text(HEAD + text + "\nret;\n}\n")
    done = subprocess.run([WAVETRAP, "run", "--grid=1", "--arg=zeros:4", "--arg=zeros:12", tmp_path / "k.ptx"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 125 and why in done.stderr, done.stderr
