"""The decoder agrees with LLVM's disassembler, for each model: every opcode of every encoding, and every operand number."""
import functools
import itertools
import pathlib
import re

import pytest

from amdgpu import Llvm, ours

LITERAL = 0x12345678
V = 256  # the operand number of v0


def patterns():
    """For each encoding: its opcodes, and words for one opcode with several operands."""
    yield "SOP2", range(96), lambda op: [[0x80000000 | op << 23 | d << 16 | b << 8 | a]
                                         for d, b, a in ((0, 0, 0), (16, 16, 16), (106, 255, 4), (2, 4, 255))]
    yield "SOPK", range(29), lambda op: [[0xb0000000 | op << 23 | d << 16 | imm]
                                         for d in (0, 4) for imm in (0, 1, 0xf801)]
    yield "SOP1", range(256), lambda op: [[0xbe800000 | d << 16 | op << 8 | a]
                                          for d, a in ((0, 0), (2, 4), (0, 4), (4, 0), (106, 255))]
    yield "SOPC", range(128), lambda op: [[0xbf000000 | op << 16 | b << 8 | a]
                                          for b, a in ((0, 0), (4, 4), (128, 4), (4, 255))]
    yield "SOPP", range(128), lambda op: [[0xbf800000 | op << 16 | imm] for imm in (0, 1)]
    yield "SMEM", range(256), lambda op: [[0xc0000000 | op << 18 | low, high]
                                          for low in (0, 0x20000, 0x20100, 0x4000, 0x24000, 0x30004)
                                          for high in (0, 4 << 25, 0x1ffffc)]
    yield "VOP2", range(62), lambda op: [[op << 25 | d << 17 | b << 9 | a]
                                         for d, b, a in ((0, 0, V), (2, 2, V + 2), (2, 2, 4), (0, 0, 255), (0, 0, 128))]
    yield "VOP1", range(256), lambda op: [[0x7e000000 | d << 17 | op << 9 | a]
                                          for d, a in ((0, V), (2, V + 4), (0, 4), (0, 255), (0, 242), (0, 0))]
    yield "VOPC", range(256), lambda op: [[0x7c000000 | op << 17 | b << 9 | a]
                                          for b, a in ((0, V), (2, 4), (0, 255))]
    yield "VOP3", range(0x380), lambda op: [[0xd0000000 | op << 16 | low, high]
                                            for low in (0, 0x2, 0x6a00, 0x6a02, 0x8100)
                                            for high in (0, V, V | V << 9, V | V << 9 | V << 18, 2, V | 2 << 9,
                                                         V | 4 << 18, V | V << 9 | 106 << 18, 0x20000000 | V | V << 9,
                                                         2 | 4 << 9)]
    yield "VOP3P", range(128), lambda op: [[0xd3800000 | op << 16 | low, high]
                                           for low in (0, 0x4000, 0x8700)
                                           for high in (0x18000000 | V | V << 9, V | V << 9 | V << 18, V | V << 9 | 4 << 18, 0x18000000 | V)]
    yield "DS", range(256), lambda op: [[0xd8000000 | op << 17 | gds << 16 | offset, high]
                                        for gds in (0, 1) for offset in (0, 0x0104)
                                        for high in (0, 1 << 8, 0x04030201, 0x00030201, 0x04000001, 0x00000201, 0x04000201,
                                                     0x04000000)]
    for segment, name in ((0, "FLAT"), (1, "SCRATCH"), (2, "GLOBAL")):
        yield name, range(128), lambda op, s=segment: [[0xdc000000 | op << 18 | glc << 16 | s << 14 | offset, high]
                                                       for glc in (0, 1) for offset in (0, 16)
                                                       for high in (0, 0x7f0000, 0x40000, 0x047f0201)]
    yield "MUBUF", range(128), lambda op: [[0xe0000000 | op << 18 | low, high]
                                           for low in (0, 1 << 14, 1 << 16, 0x1010, 0x2010, 0x3010)
                                           for high in (0, 0x80000000, 0x80010204)]
    yield "MTBUF", range(16), lambda op: [[0xe8000000 | op << 15 | 4 << 19 | 4 << 23 | low, high]
                                          for low in (0, 0x1010) for high in (0, 0x80010204)]
    for sampler, opcodes in ((0, range(32)), (8 // 4 << 21, range(32, 128))):
        yield f"MIMG {opcodes[0]}", opcodes, lambda op, s=sampler: [
            [0xf0000000 | op << 18 | low, 88 // 4 << 16 | s | high]
            for low in (0x100, 0xf00, 0x3300, 0x17700, 0x2005f00) for high in (0, 0x0608, 0x80000608)]
    yield "VOP2 SDWA", range(62), lambda op: [[op << 25 | 0xf9, w] for w in (0x06060600, 0x05040100, 0x86860600)]
    yield "VOP1 SDWA", range(256), lambda op: [[0x7e000000 | op << 9 | 0xf9, w] for w in (0x00060600, 0x00861600)]
    yield "VOPC SDWA", range(256), lambda op: [[0x7c000000 | op << 17 | 0xf9, w] for w in (0x06060000, 0x06068400)]
    yield "VOP2 DPP", range(62), lambda op: [[op << 25 | 0xfa, w] for w in (0xff00e400, 0xa5011100, 0xff015300)]
    yield "VOP1 DPP", range(256), lambda op: [[0x7e000000 | op << 9 | 0xfa, w] for w in (0xff00e400, 0xff014200, 0xff015300)]
    yield "VOPC DPP", range(256), lambda op: [[0x7c000000 | op << 17 | 0xfa, w] for w in (0xff00e400,)]


CASES = list(patterns())
MODELS = ("gfx900", "gfx906", "gfx908", "gfx90a", "gfx942")
UNIFIED = MODELS[3:]  # groups of registers begin at even ones
# The versions of LLVM that the product loads.
VERSIONS = (19, 22)
# LLVM 22 disassembles what its assembler refuses: 64 bits by DPP, masks of lanes in vector registers.
# LLVM 19 also disassembles tuples that begin at odd registers.
ODD = r"\b[va]\[\d*[13579]:"
LOOSE = {22: r"_dpp .*v\[0:1\]|_(cndmask|addc|subb|subbrev)_.*, v\[0:1\]$"}
LOOSE_90A = {22: LOOSE[22].split("|", 1)[1], 19: ODD}
# LLVM 19 leaves gfx942 three instructions that its later versions, do not have.
LOOSE_942 = {22: LOOSE_90A[22], 19: ODD + "|^buffer_(wbinvl1|store_lds_dword)"}
# LLVM 19 has v_pk_fmac_f16 in its own encoding alone, and reads fields of v_accvgpr_* that name nothing.
STRICT = {19: {(model, name, op) for model in ("gfx908", "gfx90a", "gfx942") for name, op in (("VOP3", 0x13c), ("VOP2 SDWA", 0x3c), ("VOP2 DPP", 0x3c))}}


def is_loose(model, version, text):
    loose = (LOOSE_942 if model == "gfx942" else LOOSE_90A if model in UNIFIED else LOOSE).get(version)
    return loose and re.search(loose, text)


@functools.cache
def llvm_of(model, version=19):
    return Llvm(model, version)


# Not of compute waves: interpolation of pixel attributes.
GRAPHICS = {("VOP3", op) for op in range(0x270, 0x278)}
# A field that LLVM names `null`: gfx900 has no such register.
NULL = 125


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name,opcodes,words", CASES, ids=[c[0] for c in CASES])
def test_every_opcode_decodes_as_in_llvm(name, opcodes, words, model, version, decode_tool):
    """Where LLVM has an instruction, so have we, with its name and length; where it has none, neither have we."""
    cases = [(op, w + [LITERAL] * (3 - len(w))) for op in opcodes for w in words(op)]
    answers, llvm = ours(decode_tool, [w for _, w in cases], model), llvm_of(model, version)
    wrong, legal, decoded = [], set(), set()
    for (op, w), (length, text) in zip(cases, answers):
        if (name, op) in GRAPHICS:
            continue
        expected_length, expected = llvm(w)
        if length:
            decoded.add(op)
        if not expected_length or is_loose(model, version, expected):
            continue
        legal.add(op)
        # LLVM has no suffix where an instruction has one form only.
        if (length, text) != (expected_length, expected.split()[0]):
            wrong.append(f"{w[0]:08x} {w[1]:08x}: LLVM {expected_length} {expected}; ours {length} {text}")
    assert not wrong, "\n".join(wrong[:20])
    decoded -= {op for m, n, op in STRICT.get(version, ()) if (m, n) == (model, name)}
    assert decoded == legal, f"opcodes in one only: {sorted(hex(op) for op in decoded ^ legal)}"
    assert legal or name == "VOPC DPP" or name.startswith("MIMG") and model == "gfx942"  # which has none


def names(model):
    """{(encoding, opcode): names without the suffix of a form}: what LLVM has of each opcode."""
    found = {}
    llvm = llvm_of(model, 22)
    for name, opcodes, words in CASES:
        for op in opcodes:
            texts = (llvm(w + [LITERAL] * (3 - len(w)))[1] for w in words(op))
            seen = {re.sub("_(e32|e64|sdwa|dpp)$", "", text.split()[0]) for text in texts if text} - {"v_illegal"}
            if seen and (name, op) not in GRAPHICS:
                found.setdefault((name.split()[0], op), set()).update(seen)
    return found


def own_opcode(encoding, op):
    """The encoding and opcode under which the table has it: VOP3's own ones, or those of the short encoding."""
    if encoding == "VOP3" and op < 0x1c0:
        return ("VOPC", op) if op < 0x100 else ("VOP2", op - 0x100) if op < 0x140 else ("VOP1", op - 0x140)
    return encoding, op


# Products of matrices, of which gfx942 renames all, and gives six opcodes to others.
RENAMED_942 = {"gfx908": [0x40, 0x41, 0x42, 0x44, 0x45, 0x48, 0x49, 0x4a, 0x4c, 0x4d, 0x50, 0x51, 0x52, 0x68, 0x6c]}
RENAMED_942["gfx90a"] = [*RENAMED_942["gfx908"], 0x64, 0x66, 0x6e, 0x6f]


def test_opcodes_that_mean_something_else_on_another_model(decode_tool, tables):
    """Derived from LLVM's names: where two models differ, the table has a row for each, and nowhere else."""
    for one, other in itertools.combinations(MODELS, 2):
        a, b = names(one), names(other)
        expected = {own_opcode(*key) for key in a.keys() & b.keys() if not a[key] & b[key]}
        rows = [{(r["encoding"], r["opcode"]): r["name"] for r in tables[model]} for model in (one, other)]
        assert {key for key in rows[0].keys() & rows[1].keys() if rows[0][key] != rows[1][key]} == expected
        only = {own_opcode(*key) for key in b.keys() - a.keys()}
        assert rows[1].keys() - rows[0].keys() == only
        assert expected == ({("VOP3P", op) for op in (0x20, 0x21, 0x22)} if one == "gfx900" else set()) | (
            {("VOP2", 4)} if other in UNIFIED and one not in UNIFIED else set()) | (
            {("VOP2", 0x17), ("VOP2", 0x18)} | ({("MUBUF", 0x29)} if one == "gfx90a" else set()) | {
                ("VOP3P", op) for op in RENAMED_942.get(one, [])} if other == "gfx942" else set())
        assert len(only) == {"gfx900": {"gfx906": 9, "gfx908": 40, "gfx90a": 66, "gfx942": 113}, "gfx906": {"gfx908": 31, "gfx90a": 57, "gfx942": 104},
                             "gfx908": {"gfx90a": 26, "gfx942": 78}, "gfx90a": {"gfx942": 55}}[one][other]


def shifted():
    """Words of gfx90a and gfx942 with registers that are odd, and with accumulation registers."""
    for name, opcodes, words in CASES:
        if not name.startswith(("S", "MIMG")) or name == "SCRATCH":
            for op in opcodes:
                for w in words(op):
                    low = w[0] + (1 if name.startswith("VOP3") else 1 << 17 if name in ("VOP1", "VOP2") else 0)
                    for more in {"DS": (0, 0x01000000, 0x00010000, 0x00000100), "FLAT": (0, 0x01000000, 0x100, 1), "GLOBAL": (0, 0x01000000, 0x100, 1),
                                 "SCRATCH": (0, 0x01000000, 0x100), "MUBUF": (0, 0x100, 1), "MTBUF": (0, 0x100, 1),
                                 "VOP3P": (0, 1, 1 << 9, 1 << 18)}.get(name, (0, 1)):
                        for acc in (0, 1) if name in ("DS", "FLAT", "GLOBAL", "SCRATCH", "MUBUF", "MTBUF", "VOP3P") else (0,):
                            if len(w) == 1:
                                yield name, op, [low + more, LITERAL, LITERAL]
                            elif name == "VOP3P":
                                yield name, op, [low | acc << 15, w[1] + more, LITERAL]
                            elif name == "DS":
                                yield name, op, [low | acc << 25, w[1] + more, LITERAL]
                            else:
                                yield name, op, [low, (w[1] | acc << 23 if name[:3] != "VOP" else w[1]) + more, LITERAL]


@pytest.mark.parametrize("model", UNIFIED)
def test_tuples_and_files(model, decode_tool):
    """Where LLVM 22 calls a register of a class of even tuples invalid, it is refused; where it does not, accepted."""
    llvm, cases = llvm_of(model, 22), list(shifted())
    answers = ours(decode_tool, [w for _, _, w in cases], model)
    wrong, odd = [], 0
    for (name, op, w), (length, text) in zip(cases, answers):
        expected_length, expected = llvm(w)
        if (name, op) in GRAPHICS or is_loose(model, 22, expected):
            continue
        if not expected_length and "Align2" in llvm.raw or re.search(ODD, expected):  # accumulation registers are not looked at
            odd += 1
            if length:
                wrong.append(f"{w[0]:08x} {w[1]:08x}: {llvm.raw}; ours {length} {text}")
        elif expected_length != length and expected_length:
            wrong.append(f"{w[0]:08x} {w[1]:08x}: LLVM {expected_length} {expected}; ours {length} {text}")
    assert not wrong, f"{len(wrong)} of {len(cases)}:\n" + "\n".join(wrong[:20])
    assert odd > 2000
    print(len(cases), odd)


def same_legality(decode_tool, llvm, instructions, but=()):
    answers = ours(decode_tool, instructions)
    wrong = []
    for w, (length, text) in zip(instructions, answers):
        expected_length, expected = llvm(w)
        if length != expected_length and w not in but:
            wrong.append(f"{w[0]:08x} {w[1]:08x}: LLVM {expected_length} {expected}; ours {length} {text}")
    assert not wrong, "\n".join(wrong[:20])


@pytest.mark.parametrize("opcode", [0, 1], ids=["s_mov_b32", "s_mov_b64"])
def test_every_scalar_operand(opcode, decode_tool, llvm):
    """Sources that exist, literals included, and destinations."""
    words = [[0xbe800000 | opcode << 8 | n, LITERAL, 0] for n in range(256)]
    words += [[0xbe800000 | opcode << 8 | n << 16, LITERAL, 0] for n in range(128)]
    null = [w for w in words if w[0] & 0xff == NULL or (w[0] >> 16 & 0x7f) == NULL]
    # LLVM gives the register of LDS data to vector instructions alone, and has warned of it before.
    same_legality(decode_tool, llvm, words, null + [[0xbe800000 | opcode << 8 | 254, LITERAL, 0]])


@pytest.mark.parametrize("opcode", [0x141, 0x160], ids=["v_mov_b32", "v_trunc_f64"])
def test_every_vector_operand(opcode, decode_tool, llvm):
    """Sources and destinations of the short and the long encoding."""
    words = [[0x7e000000 | (opcode - 0x140) << 9 | n, LITERAL, 0] for n in range(512) if n not in (249, 250)]
    words += [[0xd0000000 | opcode << 16, n, 0] for n in range(512)]
    words += [[0xd0000000 | opcode << 16 | n, V, 0] for n in range(256)]
    null = [w for w in words if (w[0] & 0x1ff) == NULL and w[0] >> 31 == 0 or w[1] == NULL]
    same_legality(decode_tool, llvm, words, null)


@pytest.mark.parametrize("model", ["gfx900", "gfx90a", "gfx942"])
def test_every_dpp_control(model, decode_tool):
    """The controls that the manual lists (12.4), from gfx90a on row_newbcast, too; LLVM 19 ends at some that do not exist."""
    exist = set(range(0x100)) | {0x130, 0x134, 0x138, 0x13c} | set(range(0x140, 0x144))
    exist |= {base + n for base in (0x100, 0x110, 0x120) for n in range(1, 16)}
    exist |= set(range(0x150, 0x160)) if model in UNIFIED else set()
    answers = ours(decode_tool, [[0x7e0002fa, 0xff000000 | c << 8] for c in range(0x200)], model)
    assert {c for c, (length, _) in enumerate(answers) if length} == exist


def test_truncated_instructions_are_refused(decode_tool):
    """An instruction whose second dword or literal is missing."""
    answers = ours(decode_tool, [[0xd0000000], [0x7e0002ff], [0xbe8000ff], [0xc0020000], [0x7e0002f9], [0xb8000000 | 20 << 23]])
    assert all(length == 0 and "cut off" in why for length, why in answers), answers


def test_table_is_sorted_and_complete(gcn_table, tables):
    """Rows are found by bisection; mnemonics are those of the models' compute encodings. No model has two rows of one opcode."""
    order = ["SOP2", "SOPK", "SOP1", "SOPC", "SOPP", "SMEM", "VOP2", "VOP1", "VOPC", "VOP3", "VOP3P", "DS", "FLAT", "GLOBAL",
             "SCRATCH", "MUBUF", "MTBUF", "MIMG"]
    def keys(rows):
        return [(order.index(r["encoding"]), r["opcode"]) for r in rows]
    assert keys(gcn_table) == sorted(keys(gcn_table))
    for table in tables.values():
        assert keys(table) == sorted(set(keys(table)))
    assert {model: len({r["name"] for r in table}) for model, table in tables.items()} == {"gfx900": 1166, "gfx906": 1175, "gfx908": 1206, "gfx90a": 1135, "gfx942": 1151}


def test_the_manual_lists_what_is_not_executed(gcn_table):
    text = (pathlib.Path(__file__).resolve().parents[3] / "docs" / "gcn.md").read_text()
    part = text.split("## What is not executed")[1].split("It is also raised")[0]
    assert set(re.findall(r"`(\w+)`", part)) == {r["name"] for r in gcn_table if not r["executes"]}
