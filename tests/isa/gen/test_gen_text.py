"""The decoder and its text agree with iga64: on all that Debian's compiler emits for our kernels, and on a sweep of fields."""
import random
import re
import subprocess

import pytest

import iga

TWO = ["sel", "and", "or", "xor", "shr", "shl", "asr", "cmp", "cmpn", "add", "mul", "avg", "mac", "mach", "addc", "subb", "sad2",
       "sada2", "dp4", "dph", "dp3", "dp2", "line", "bfi1"]
ONE = ["mov", "not", "bfrev", "frc", "rndu", "rndd", "rnde", "rndz", "lzd", "fbh", "fbl", "cbit"]
OPCODES = {"mov": 1, "sel": 2, "not": 4, "and": 5, "or": 6, "xor": 7, "shr": 8, "shl": 9, "asr": 0xc, "cmp": 0x10, "cmpn": 0x11,
           "bfrev": 0x17, "bfi1": 0x19, "math": 0x38, "add": 0x40, "mul": 0x41, "avg": 0x42, "frc": 0x43, "rndu": 0x44, "rndd": 0x45,
           "rnde": 0x46, "rndz": 0x47, "mac": 0x48, "mach": 0x49, "lzd": 0x4a, "fbh": 0x4b, "fbl": 0x4c, "cbit": 0x4d, "addc": 0x4e,
           "subb": 0x4f, "sad2": 0x50, "sada2": 0x51, "dp4": 0x54, "dph": 0x55, "dp3": 0x56, "dp2": 0x57, "line": 0x59, "mad": 0x5b,
           "lrp": 0x5c, "madm": 0x5d, "csel": 0x12, "bfe": 0x18, "bfi2": 0x1a}
ADD = 0x008D00603A8D004020203AE800600040  # add (8|M0) r1.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f
FIELDS = [(10, 9), (13, 11), (15, 14), (20, 16), (23, 21), (27, 24), (28, 28), (30, 30), (31, 31), (33, 32), (34, 34), (40, 35), (46, 41),
          (52, 48), (59, 53), (62, 61), (63, 63), (68, 64), (75, 69), (79, 77), (81, 80), (84, 82), (88, 85), (94, 89), (100, 96),
          (107, 101), (111, 109), (113, 112), (116, 114), (120, 117)]


def put(word, last, first, value):
    mask = ((1 << last - first + 1) - 1) << first
    return word & ~mask | value << first & mask


def differences(texts, folder, words, size=16):
    """Where iga64 decodes a word without complaint and we say something else; and how many it decoded."""
    path = folder / "words"
    path.write_bytes(b"".join(w.to_bytes(size, "little") for w in words))
    theirs, wrong = iga.disassemble(path)
    ours = texts(path)
    good = {at: text for at, text in theirs.items() if at not in wrong}
    return [f"{words[at // size]:#x}: {ours.get(at)!r}, not {text!r}" for at, text in good.items()
            if ours.get(at) != text and not unknown_to_iga(text, ours.get(at, ""))], len(good)


def unknown_to_iga(theirs, ours):
    """What iga64 takes although Gen9 has no such thing, or leaves out."""
    too_far = any(int(n) > 127 for n in re.findall(r"\br(\d+)", theirs))
    no_stride = re.search(r"<0>:", theirs)                              # of a destination
    numbered = re.search(r"\b(null|ip)\.\d", theirs)                    # subregisters of what has none
    align16_predicate = re.search(r"f\d\.\d\.[xyzw]\)", ours)           # drops the predicate
    align16 = re.search(r"<4>[.:]|<1>\.", ours)                         # and swizzles and write masks: test_swizzles_and_write_masks
    return too_far or no_stride or numbered or align16_predicate or align16


def check(found):
    wrong, count = found
    assert not wrong, "\n".join(wrong[:20]) + f"\n{len(wrong)} of {count}"
    return count


def same_as_iga(texts, program, folder):
    """How many instructions a program has; each has iga64's text."""
    count = 0
    for name, code in iga.sections(program):
        if not name.startswith(".text."):
            continue
        (folder / "code").write_bytes(code)
        theirs, wrong = iga.disassemble(folder / "code")
        ours = texts(folder / "code")
        assert not wrong
        different = [f"{name} {at:#x}: {ours.get(at)!r}, not {text!r}" for at, text in theirs.items()
                     if ours.get(at, "illegal") != text]  # the last padding is half a word
        assert not different, "\n".join(different[:20])
        count += len(theirs)
    return count


@pytest.mark.sample(2)
@pytest.mark.parametrize("options", ["", "-cl-opt-disable -g", "-cl-intel-greater-than-4GB-buffer-required"])
@pytest.mark.parametrize("source", ["flow", "integer", "real", "half", "subgroup", "pocl/functions", "pocl/math"])
def test_compiled_kernels(texts, tmp_path, source, options):
    """Every instruction of every kernel that ocloc builds."""
    path = iga.compile_cl(iga.KERNELS / f"{source}.cl", tmp_path / "kernels", "-DREAL=float", options)
    assert same_as_iga(texts, path, tmp_path) > 500


@pytest.mark.sample(5)
@pytest.mark.parametrize("options", ["", "-cl-opt-disable"])
@pytest.mark.parametrize("channels", [8, 16, 32])
@pytest.mark.parametrize("source", ["flow", "integer", "real", "half"])
def test_compiled_kernels_of_each_width(texts, tmp_path, source, channels, options):
    """Threads of 8, 16 and 32 channels."""
    text = (iga.KERNELS / f"{source}.cl").read_text()
    (tmp_path / "k.cl").write_text(f"#define kernel __attribute__((intel_reqd_sub_group_size({channels}))) __kernel\n{text}")
    path = iga.compile_cl(tmp_path / "k.cl", tmp_path / "kernels", options)
    assert set(re.findall(rb"simd_size: +(\d+)\n", path.read_bytes())) >= {str(channels).encode()}
    assert same_as_iga(texts, path, tmp_path) > 200


def test_each_field_of_an_instruction(texts, tmp_path):
    words = [put(ADD, last, first, v) for last, first in FIELDS for v in range(1 << last - first + 1)]
    assert check(differences(texts, tmp_path, [w for w in words if not w >> 29 & 1])) > 600


def random_word(operations, seed):
    """Random fields, most of which are legal."""
    word = put(put(put(random.getrandbits(128), 29, 29, 0), 8, 7, 0), 6, 0, OPCODES[random.choice(operations)])
    word = put(word, 36, 35, random.choice((0, 1, 1, 1)))
    word = put(word, 42, 41, 1)
    word = put(word, 90, 89, random.choice((1, 1, 3)))
    for last in 40, 46, 94:
        word = put(word, last, last - 3, random.choice((0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)))
    word = put(word, 62, 61, random.choice((1, 2, 3)))
    word = put(word, 20, 16, random.choice((0, 0, 1, 0x11, 2, 3, 0x14, 8, 0x1d)))
    word = put(word, 27, 24, random.choice((0, 0, 0, 1, 2, 3, 4, 5, 6)))
    word = put(word, 13, 11, random.choice((0, 0, 2, 4)))
    word = put(word, 15, 14, random.choice((0, 0, 1, 2)))
    for vertical, width, at in ((88, 84, 64), (120, 116, 96)):
        v, w, h = random.choice(((4, 3, 1), (0, 0, 0), (3, 2, 1), (2, 0, 0), (5, 4, 1), (5, 3, 2)))
        word = put(put(put(word, vertical, vertical - 3, v), width, width - 2, w), at + 17, at + 16, h)
    for flag, top, at in ((63, 60, 53), (79, 76, 69), (111, 108, 101)):
        if not word >> flag & 1:
            word = put(word, top, top, 0)
    return put(word, 23, 21, random.randrange(6))


@pytest.mark.parametrize("operations", [TWO, ONE, ["math"]], ids=["two", "one", "math"])
def test_random_fields(texts, tmp_path, operations):
    random.seed(13)
    words = [random_word(operations, i) for i in range(6000)]
    if operations == ["math"]:
        words = [put(w, 27, 24, random.choice((1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13))) for w in words]
    assert check(differences(texts, tmp_path, words)) > 150


def align16_word():
    """An Align16 instruction of one or two sources in registers; floats and integers."""
    word = put(put(ADD, 8, 8, 1), 6, 0, OPCODES[random.choice(("mov", "rndd", "add", "mul", "sel", "dp4", "dp2", "mac"))])
    word = put(put(word, 23, 21, random.choice((2, 3))), 31, 31, random.randrange(2))
    kind = random.choice((7, 7, 0, 1))
    for last in 40, 46, 94:
        word = put(word, last, last - 3, kind)
    word = put(put(word, 51, 48, random.randrange(1, 16)), 52, 52, random.randrange(2))
    word = put(word, 60, 53, random.randrange(128))
    for at in 64, 96:
        word = put(put(word, at + 4, at, random.getrandbits(5)), at + 12, at + 5, random.randrange(128))
        word = put(put(word, at + 19, at + 16, random.randrange(16)), at + 14, at + 13, random.randrange(4))
        word = put(word, at + 24, at + 21, random.choice((0, 2, 3)))
    return word


def places_of(text, register, identity):
    """(register, stride, its letters) of each operand: the destination's write mask, then the sources with their modifiers."""
    found = re.findall(rf"(-?(?:\(abs\))?){register}(\d+)(?:\.(\d+))?<(\d)(?:,4,1)?>(?:\.([xyzw]+))?", text)
    full = [letters or identity for *_, letters in found]
    return [(sign if i else "", number, i and int(part or 0), stride, letters * 4 if len(letters) == 1 and i else letters)
            for i, ((sign, number, part, stride, _), letters) in enumerate(zip(found, full))]


def test_swizzles_and_write_masks(texts, tmp_path):
    """Align16, as intel-gen4disasm reads it, which prints no subregister of destinations."""
    random.seed(17)
    words = [align16_word() for _ in range(3000)]
    (tmp_path / "words").write_bytes(b"".join(w.to_bytes(16, "little") for w in words))
    lines = [", ".join(f"0x{w >> 32 * i & 0xffffffff:08x}" for i in range(4)) for w in words]
    (tmp_path / "text").write_text("".join(f"   {{ {line} }},\n" for line in lines))
    done = subprocess.run(["intel-gen4disasm", "-g", "9", tmp_path / "text"], check=True, capture_output=True, text=True)
    theirs, ours = done.stdout.splitlines(), list(texts(tmp_path / "words").values())
    assert len(ours) == len(theirs) == len(words)
    for word, text, wanted in zip(words, ours, theirs):
        places = places_of(text, "r", "xyzw")
        assert len(places) in (2, 3) and places == places_of(wanted.split("{")[0], "g", "xyzw"), f"{word:#x}: {text!r}, not {wanted!r}"


def test_three_sources(texts, tmp_path):
    random.seed(14)
    words = []
    for _ in range(4000):
        word = put(put(random.getrandbits(128), 29, 29, 0), 8, 7, 2)
        word = put(word, 6, 0, OPCODES[random.choice(("mad", "lrp", "madm", "csel", "bfe", "bfi2"))])
        kind = random.choice((0, 0, 1, 2, 3, 4))
        word = put(put(put(word, 48, 46, kind), 45, 43, kind), 23, 21, random.randrange(6))
        word = put(put(put(word, 127, 126, 0), 52, 49, 15), 20, 16, random.choice((0, 1, 0x11, 6, 7)))
        for at in 65, 86, 107:
            word = put(word, at + 7, at, 0xe4)
        for at in 56, 76, 97, 118:
            word = put(word, at + 7, at, random.randrange(128))
        words.append(put(word, 27, 24, random.choice((0, 1, 2, 3, 4, 5, 6))))
    assert check(differences(texts, tmp_path, words)) > 1000


def test_messages(texts, tmp_path):
    random.seed(15)
    words = []
    for _ in range(6000):
        word = put(put(random.getrandbits(128), 29, 29, 0), 8, 7, 0)
        word = put(put(word, 6, 0, random.choice((0x31, 0x32, 0x33, 0x34))), 23, 21, random.randrange(6))
        for top in 60, 76, 51:
            word = put(word, top, top, 0)
        words.append(word)
    assert check(differences(texts, tmp_path, words)) > 300


def test_compact_instructions(texts, tmp_path):
    random.seed(16)
    words = []
    for _ in range(16000):
        word = put(random.getrandbits(64) | 1 << 29, 6, 0, OPCODES[random.choice([*TWO, *ONE, "math", "mad", "csel"])])
        for top in 47, 55, 63:
            word = put(word, top, top, 0)
        words.append(word)
    assert check(differences(texts, tmp_path, words, 8)) > 1500


BRANCHES = """
(W)  jmpi L32
(~f0.0) if (16|M0) L32 L48
else (16|M0) L48 L48
endif (16|M0) L64
(f1.0.any16h) while (16|M0) L0
break (8|M8) L128 L144
cont (16|M0) L128 L144
halt (32|M0) L144 L144
(f0.1) goto (16|M0) L144 L160
join (16|M0) L160
brd (16|M0) r3.0
brc (16|M0) r3.0
call (16|M0) r5.0:ud L0
calla (16|M0) r5.0:ud r4.0
ret (16|M0) r5.0:ud
(W) wait n0.1<0;1,0>:ud
nop {Breakpoint}
"""


def test_branches(texts, tmp_path):
    lines = BRANCHES.strip().splitlines()
    code = iga.assemble("\n".join(f"L{16 * i}:\n{line}" for i, line in enumerate(lines)), tmp_path)
    (tmp_path / "code").write_bytes(code)
    theirs, wrong = iga.disassemble(tmp_path / "code")
    assert not wrong and texts(tmp_path / "code") == theirs and len(theirs) == len(lines)


def test_compaction_goes_both_ways(texts, compacted, tmp_path):
    """What iga64 compacts we compact to the same bits, and back; what it does not, neither do we."""
    sources = [text for name in ("integer", "real", "flow") for text in native_texts(tmp_path, name)]
    seen = 0
    for i in range(0, len(sources), 400):
        part = "\n".join(sources[i:i + 400])
        native = iga.assemble(part.replace("{Compacted}", ""), tmp_path)
        (tmp_path / "native").write_bytes(native)
        ours = compacted(tmp_path / "native")
        kept = [line for line, at in zip(sources[i:i + 400], ours) if ours[at]]
        if not kept:
            continue
        marked = "\n".join(line.split("{")[0] + with_compacted(line) for line in kept)
        theirs = iga.assemble(marked, tmp_path)  # iga64 refuses what has no compact form
        words = [pair for pair in ours.values() if pair]
        assert [w for w, _ in words] == [int.from_bytes(theirs[8 * k:8 * k + 8], "little") for k in range(len(words))]
        for at, pair in ours.items():
            if pair:
                assert pair[1] == int.from_bytes(native[at:at + 16], "little")
                seen += 1
    assert seen > 300


def with_compacted(line):
    options = re.findall(r"\{(.*)\}", line)
    names = {o for o in options[0].split(",")} if options else set()
    return "{" + ",".join(sorted(names | {"Compacted"})) + "}"


def native_texts(tmp_path, name):
    """Arithmetic instructions of compiled kernels, as text without control flow and messages."""
    path = iga.compile_cl(iga.KERNELS / f"{name}.cl", tmp_path / name)
    out = []
    for section, code in iga.sections(path):
        if section.startswith(".text."):
            (tmp_path / "part").write_bytes(code)
            theirs, _ = iga.disassemble(tmp_path / "part")
            out += [t.replace(",Compacted", "") for t in theirs.values() if re.search(
                r"\b(add|mov|mul|and|or|xor|shl|shr|asr|cmp|sel|mad)\b \(", t)]
    return sorted(set(out))
