"""The instruction table against LLVM's assembler and disassembler, and against itself."""
import random
import re
import subprocess

import pytest

from disassembly import BASE, STRIDE, llvm, normal, ours

# CSRs that have a name in Vortex and none, or another one, in LLVM.
VORTEX_CSRS = {
    0xCC0: "vx_thread_id", 0xCC1: "vx_warp_id", 0xCC2: "vx_core_id", 0xCC3: "vx_active_warps", 0xCC4: "vx_active_threads",
    0xFC0: "vx_num_threads", 0xFC1: "vx_num_warps", 0xFC2: "vx_num_cores", 0xFC3: "vx_local_mem_base",
    0xB01: "mpm_reserved", 0xB81: "mpm_reservedh", 0x7B4: "dscratch2", 0x7B5: "dscratch3",
}
STANDARD_CSRS = [0x001, 0x002, 0x003, 0x180, 0x300, 0x301, 0x304, 0x305, 0x340, 0x341, 0x342, 0x7B2, 0x7B3, 0xB00,
                 0xB02, 0xF11, 0xF12, 0xF13, 0xF14]


def standard(row):
    """Rows that LLVM knows: not Vortex's, nor uret, which was withdrawn with the N extension."""
    return not row["name"].startswith("vx_") and row["name"] != "uret"


def here(table, size, xlen):
    """The rows of that size that this width has."""
    return [row for row in table if row["size"] == size and row["xlen"] in (0, xlen)]


def random_words(row, rng, count):
    """Words of a row with random operands, of those that the standard defines."""
    words = []
    while len(words) < count:
        word = row["match"] | (rng.getrandbits(32) & ~row["mask"])
        if "m" in row["operands"] and (word >> 12 & 7) in (5, 6):
            continue  # reserved rounding modes
        if row["name"].startswith("fence"):
            word &= 0x0FF0707F if row["operands"] else 0x0000707F
            if row["operands"] and word >> 20 & 0xFF == 0x10:
                continue  # Zihintpause
        if "E" in row["operands"]:
            csr = rng.choice(STANDARD_CSRS + list(VORTEX_CSRS))
            word = (word & 0x000FFFFF) | csr << 20
        words.append(word)
    return words


def test_rows_are_distinct(table):
    """No word is two instructions; a compressed row may only be a special case of a later one."""
    for xlen in (32, 64):
        for size in (4, 2):
            rows = here(table, size, xlen)
            for i, first in enumerate(rows):
                assert first["match"] & ~first["mask"] == 0, first
                for second in rows[i + 1:]:
                    common = first["mask"] & second["mask"]
                    if (first["match"] ^ second["match"]) & common:
                        continue
                    assert size == 2 and common == second["mask"], (first, second)
                    assert first["mask"] != second["mask"], (first, second)


@pytest.mark.parametrize("xlen", [32, 64])
def test_each_word_is_found(table, isa_tool, xlen):
    """A word of a row, whatever its operands, is that row and no other."""
    rng = random.Random(xlen)
    rows = here(table, 4, xlen)
    names, words = [], []
    for row in rows:
        for _ in range(50):
            names.append(row["name"])
            words.append(row["match"] | (rng.getrandbits(32) & ~row["mask"]))
    out = subprocess.run([isa_tool, "find", str(xlen)], check=True, capture_output=True, text=True,
                         input="\n".join(f"{w:x}" for w in words)).stdout.splitlines()
    assert out == [f"{name} = {name}" for name in names]


@pytest.mark.parametrize("xlen", [32, 64])
def test_disassembly_is_llvms(table, isa_tool, tmp_path, xlen):
    """Every row with random operands."""
    rng = random.Random(xlen + 1)
    words, rows = [], []
    for row in filter(standard, here(table, 4, xlen)):
        chosen = random_words(row, rng, 200 if row["operands"] else 1)
        words += chosen
        rows += [row] * len(chosen)
    wrong = []
    for row, word, (length, mine), theirs in zip(rows, words, ours(isa_tool, words, xlen), llvm(tmp_path, words, 4, xlen)):
        if "E" in row["operands"] and word >> 20 in VORTEX_CSRS:
            operands = theirs.split(", ")
            operands[1] = VORTEX_CSRS[word >> 20]
            theirs = ", ".join(operands)
        if row["name"] in ("fcvt.d.s", "fcvt.d.w", "fcvt.d.wu") and mine.endswith(", rne"):
            theirs += ", rne"  # exact conversions: LLVM leaves this one out
        if length != 4 or normal(mine) != normal(theirs):
            wrong.append(f"{word:08x}: {mine!r}, LLVM {theirs!r}")
    assert not wrong, f"{len(wrong)} of {len(words)}:\n" + "\n".join(wrong[:40])


@pytest.mark.parametrize("xlen", [32, 64])
def test_what_is_no_instruction_here_is_none_in_llvm(table, isa_tool, tmp_path, xlen):
    """Words one or two bits away from a row: both know them, or neither."""
    rng = random.Random(xlen + 2)
    words = set()
    for row in filter(standard, here(table, 4, xlen)):
        for word in random_words(row, rng, 60):
            for _ in range(1 + rng.randrange(2)):
                word ^= 1 << rng.randrange(2, 32)
            if word & 0x1F != 0x1F:  # the start of a longer instruction
                words.add(word)
    words = sorted(words)
    # Instructions that LLVM adds: of supervisors and hypervisors, hints, and fixed spellings of ours.
    beyond = ("wfi", "sfence", "hfence", "hlv", "hsv", "sinval", "hinval", "mnret", "dret", "fence.tso", "pause",
              "unimp", "cbo", "prefetch", "sspush", "ssp", "lpad", "c.", "sctrclr")
    wrong = []
    for word, (_, mine), theirs in zip(words, ours(isa_tool, words, xlen), llvm(tmp_path, words, 4, xlen)):
        opcode, rm = word & 0x7F, word >> 12 & 7
        if mine.startswith("vx_") or theirs.startswith(beyond):
            continue
        if opcode in (0x43, 0x47, 0x4B, 0x4F, 0x53) and rm in (5, 6):
            continue  # a reserved rounding mode is found out when it is executed
        if opcode == 0x0F:
            continue  # reserved fences are fences (unprivileged ISA 2.7)
        if mine == "uret":
            continue
        if xlen == 32 and opcode == 0x13 and rm in (1, 5) and word >> 25 & 1:
            assert mine.startswith(".4byte")  # a shift by 32 or more is reserved; LLVM prints it
            continue
        if mine.startswith(".4byte") != (theirs == ""):
            wrong.append(f"{word:08x}: {mine!r}, LLVM {theirs!r}")
    assert not wrong, f"{len(wrong)} of {len(words)}:\n" + "\n".join(wrong[:40])


@pytest.mark.parametrize("xlen", [32, 64])
def test_every_compressed_instruction_is_llvms(isa_tool, tmp_path, xlen):
    """All 49,152 parcels that are not the start of a longer instruction."""
    halves = [h for h in range(0x10000) if h & 3 != 3]
    wrong = []
    both = zip(halves, ours(isa_tool, halves, xlen, 2), llvm(tmp_path, halves, 2, xlen))
    for half, (length, mine), theirs in both:
        theirs = "" if theirs == "c.unimp" else theirs  # all zeros: defined illegal
        if mine.startswith(".2byte"):
            mine = ""
        theirs = theirs.replace("c.slli64", "c.slli").replace("c.srli64", "c.srli").replace("c.srai64", "c.srai")
        if half >> 13 == 3 and half & 3 == 1 and half & 0x107C == 0 and half >> 7 & 31 != 2:
            assert mine == ""  # c.lui 0 is reserved; LLVM prints it
            continue
        if xlen == 32 and half & 0x1000 and theirs.startswith(("c.slli", "c.srli", "c.srai")):
            assert mine == ""  # a shift by 32 or more is reserved; LLVM prints it
            continue
        if theirs.startswith("c.lui\tzero, -"):
            theirs = f"c.lui zero, {0xFFFE0 | half >> 2 & 31}"  # a hint, printed with a sign
        if theirs.startswith("c.nop") and mine == "c.nop":
            theirs = "c.nop"  # with an immediate it is a hint
        if mine.endswith(", 0") and normal(theirs) + ", 0" == mine and mine[:6] in ("c.slli", "c.srli", "c.srai"):
            theirs = mine  # a hint that LLVM knows by the name that it has in RV128
        if length != 2 or normal(mine) != normal(theirs):
            wrong.append(f"{half:04x}: {mine!r}, LLVM {theirs!r}")
    assert not wrong, f"{len(wrong)} of {len(halves)}:\n" + "\n".join(wrong[:60])


def special(word, rng):
    """The word with fields that have an alias: registers that are 0, ra or one another, immediates."""
    for at in (7, 15, 20):
        if rng.random() < 0.6:
            word = word & ~(31 << at) | rng.choice((0, 0, 1, word >> 15 & 31)) << at
    return word & 0xFFFFF | rng.choice((0, 1, 255, 0xFFF, 4)) << 20 if rng.random() < 0.4 else word


@pytest.mark.parametrize("xlen", [32, 64])
def test_known_names_are_llvms(table, isa_tool, tmp_path, xlen):
    """Aliases, with operands that have one; all compressed instructions as what they stand for."""
    rng = random.Random(xlen + 4)
    words = []
    for row in filter(standard, here(table, 4, xlen)):
        for word in random_words(row, rng, 200 if row["operands"] else 1):
            if not row["name"].startswith(("fence", "csr")):
                other = special(word, rng)
                word = row["match"] | other & ~row["mask"]
            elif row["name"].startswith("csr"):
                word = word & ~(31 << rng.choice((7, 15))) | rng.choice((0, 0, 1)) << 7
                word = word if rng.random() < 0.5 else word & 0xFFFFF | rng.choice((1, 2, 3, 0xC00, 0xC01, 0xC02)) << 20
            words.append(word)
    words += [0x0FF0000F, 0x00008067, 0xC0001073, *(row["match"] for row in filter(standard, here(table, 4, xlen)))]
    wrong = []
    for word, (length, mine), theirs in zip(words, ours(isa_tool, words, xlen, form="known"), llvm(tmp_path, words, 4, xlen, "--no-print-imm-hex")):
        if word & 0x7F == 0x73 and word >> 12 & 3:  # names of CSRs that one of both has
            theirs = re.sub(r"\b(cycle|time|instret)\b", str(word >> 20), theirs)
            theirs = re.sub(rf"\b{word >> 20}\b", VORTEX_CSRS.get(word >> 20, str(word >> 20)), theirs)
        if length != 4 or normal(mine) != normal(theirs):
            wrong.append(f"{word:08x}: {mine!r}, LLVM {theirs!r}")
    assert not wrong, f"{len(wrong)} of {len(words)}:\n" + "\n".join(wrong[:40])


@pytest.mark.parametrize("xlen", [32, 64])
def test_known_names_of_compressed_instructions_are_llvms(isa_tool, tmp_path, xlen):
    """Those of compilers' code: hints and reserved ones are apart in test_every_compressed_instruction_is_llvms."""
    halves = [h for h in range(0x10000) if h & 3 != 3]
    wrong = []
    plain = ours(isa_tool, halves, xlen, 2)
    both = zip(halves, plain, ours(isa_tool, halves, xlen, 2, "known"), llvm(tmp_path, halves, 2, xlen, "--no-print-imm-hex"))
    for half, (_, name), (length, mine), theirs in both:
        is_hint = re.match(r"c\.(nop|(mv|add|li|lui|slli) zero|(slli|srli|srai) \w+, 0|addi \w+, 0)", name)
        if not is_hint and not name.startswith(".2byte") and (length != 2 or normal(mine) != normal(theirs)):
            wrong.append(f"{half:04x}: {mine!r}, LLVM {theirs!r}")
    assert not wrong, f"{len(wrong)} of {len(halves)}:\n" + "\n".join(wrong[:60])


@pytest.mark.parametrize("xlen", [32, 64])
def test_disassembly_assembles_to_the_same_word(table, isa_tool, tmp_path, xlen):
    """What we print, LLVM's assembler reads back."""
    rng = random.Random(xlen + 3)
    words, rows = [], []
    for row in filter(standard, here(table, 4, xlen)):
        chosen = random_words(row, rng, 20 if row["operands"] else 1)
        words += chosen
        rows += [row] * len(chosen)
    text = []
    for n, (row, (_, line)) in enumerate(zip(rows, ours(isa_tool, words, xlen))):
        if row["operands"].endswith(("p", "J")):  # the assembler takes a distance
            head, target = line.rsplit(" ", 1)
            line = f"{head} {int(target, 16) - BASE - STRIDE * n}"
        for name in sorted(VORTEX_CSRS.values(), key=len, reverse=True):
            number = next(k for k, v in VORTEX_CSRS.items() if v == name)
            line = line.replace(f" {name},", f" {number},")
        text.append(line)
    source = tmp_path / "text.s"
    source.write_text("\n".join(text) + "\n")
    elf, raw = tmp_path / "text.o", tmp_path / "text.bin"
    subprocess.run(["llvm-mc-19", f"-triple=riscv{xlen}", "-mattr=+m,+a,+f,+d,+zicsr,+zifencei,+zicond",
                    "-filetype=obj", "-o", str(elf), str(source)], check=True)
    subprocess.run(["riscv64-unknown-elf-objcopy", "-O", "binary", "-j", ".text", str(elf), str(raw)], check=True)
    data = raw.read_bytes()
    got = [int.from_bytes(data[i:i + 4], "little") for i in range(0, len(data), 4)]
    assert len(got) == len(words)
    wrong = []
    for row, word, back, line in zip(rows, words, got, text):
        # Bits that are no operand of the instruction do not survive text.
        if word != back:
            wrong.append(f"{word:08x} -> {line!r} -> {back:08x}")
    assert not wrong, f"{len(wrong)} of {len(words)}:\n" + "\n".join(wrong[:40])


# Words of Vortex's own instructions, as its hardware's decoder and intrinsics have them.
SIMT_WORDS = {
    0x0002800B: "vx_tmc t0",
    0x0000000B: "vx_tmc zero",
    0x0062900B: "vx_wspawn t0, t1",
    0x00032A8B: "vx_split s5, t1",
    0x00132A8B: "vx_split.n s5, t1",
    0x000AB00B: "vx_join s5",
    0x00E7C00B: "vx_bar a5, a4",
    0x0062D00B: "vx_pred t0, t1",
    0x0062D08B: "vx_pred.n t0, t1",
    0x0000700B: "vx_wsync",
    0x0205050B: "vx_vote.all a0, a0",
    0x0205958B: "vx_vote.any a1, a1",
    0x0206260B: "vx_vote.uni a2, a2",
    0x0206B68B: "vx_vote.ballot a3, a3",
    0x02C5C50B: "vx_shfl.up a0, a1, a2",
    0x02C5D50B: "vx_shfl.down a0, a1, a2",
    0x02C5E50B: "vx_shfl.bfly a0, a1, a2",
    0x02C5F50B: "vx_shfl.idx a0, a1, a2",
    # Vortex 3.0
    0x00C5E50B: "vx_bar.arrive a0, a1, a2",
    0x00C5E00B: "vx_bar.arrive zero, a1, a2",
    0x08C5950B: "vx_packlb fa0, a1, a2",
    0x08C5A50B: "vx_packlh fa0, a1, a2",
    0x6EC5852B: "vx_wgather a0, a1, a2, a3, 3",
    0x0400000B: "vx_tcu",
    0x066E000B: "vx_dxa t3, t1",
    0x0000202B: "vx_om4",
    0x0000402B: "vx_getws",
    0x0000502B: "vx_tex4",
    0x0000602B: "vx_window",
    0x0000702B: "vx_rtu",
}


@pytest.mark.parametrize("xlen", [32, 64])
def test_simt_words(isa_tool, table, xlen):
    """Each SIMT row is here once at least."""
    got = [text for _, text in ours(isa_tool, list(SIMT_WORDS), xlen)]
    assert got == list(SIMT_WORDS.values())
    named = {text.split()[0] for text in SIMT_WORDS.values()}
    assert named == {row["name"] for row in table if row["name"].startswith("vx_")}


def test_simt_words_are_what_the_assembler_makes(tmp_path):
    """The fields as `.insn r` places them."""
    expected = {
        ".insn r 0x0b, 0, 0, x0, t0, x0": 0x0002800B,
        ".insn r 0x0b, 6, 0, a0, a1, a2": 0x00C5E50B,
        ".insn r 0x0b, 1, 4, a0, a1, a2": 0x08C5950B,
        ".insn r4 0x2b, 0, 3, a0, a1, a2, a3": 0x6EC5852B,
        ".insn r 0x0b, 1, 0, x0, t0, t1": 0x0062900B,
        ".insn r 0x0b, 2, 0, s5, t1, x0": 0x00032A8B,
        ".insn r 0x0b, 2, 0, s5, t1, x1": 0x00132A8B,
        ".insn r 0x0b, 3, 0, x0, s5, x0": 0x000AB00B,
        ".insn r 0x0b, 4, 0, x0, a5, a4": 0x00E7C00B,
        ".insn r 0x0b, 5, 0, x0, t0, t1": 0x0062D00B,
        ".insn r 0x0b, 5, 0, x1, t0, t1": 0x0062D08B,
        ".insn r 0x0b, 7, 0, x0, x0, x0": 0x0000700B,
        ".insn r 0x0b, 3, 1, a3, a3, x0": 0x0206B68B,
        ".insn r 0x0b, 7, 1, a0, a1, a2": 0x02C5F50B,
    }
    source, elf, raw = tmp_path / "a.s", tmp_path / "a.o", tmp_path / "a.bin"
    source.write_text("\n".join(expected) + "\n")
    subprocess.run(["riscv64-unknown-elf-gcc", "-c", "-o", str(elf), str(source)], check=True)
    subprocess.run(["riscv64-unknown-elf-objcopy", "-O", "binary", str(elf), str(raw)], check=True)
    data = raw.read_bytes()
    assert [int.from_bytes(data[i:i + 4], "little") for i in range(0, len(data), 4)] == list(expected.values())
