"""`wavetrap info -g gen9`: registers with the numbers of Intel's GDB, an instruction field by field, zebins."""
import os
import re
import subprocess
import xml.etree.ElementTree

import pytest

import iga
from conftest import WAVETRAP


def info(*words):
    return subprocess.run([WAVETRAP, "info", *map(str, words)], capture_output=True, text=True)


def test_registers_as_gdb_creates_them():
    lines = info("-g", "gen9", "--registers=c").stdout.splitlines()
    assert lines[0] == 'tdesc_create_reg (feature, "r0", 0, 1, NULL, 256, "vec256");'
    assert lines[144] == 'tdesc_create_reg (feature, "cr0", 144, 1, NULL, 128, "control_reg");'
    assert lines[145] == 'tdesc_create_reg (feature, "ip", 145, 1, NULL, 32, "uint32");'
    assert sum('"vec256"' in line and '"r' in line for line in lines) == 128


def test_registers_as_xml():
    feature = xml.etree.ElementTree.fromstring(info("-g", "gen9", "--registers=xml").stdout)
    registers = {r.get("name"): r for r in feature.iter("reg")}
    assert registers["cr0"].get("regnum") == "144" and registers["cr0"].get("bitsize") == "128"
    assert registers["acc9"].get("regnum") == "138" and registers["f0"].get("type") == "uint32"
    defined = {v.get("id") for v in feature.iter("vector")} | {"uint32", "uint128"}
    assert {r.get("type") for r in registers.values()} <= defined


def test_registers_as_a_table():
    rows = [line.split() for line in info("-g", "gen9", "--registers").stdout.splitlines()]
    assert rows[0] == ["name", "number", "bits", "save_restore", "type", "group"]
    assert [r[1] for r in rows[1:]] == [str(n) for n in range(150)]


@pytest.mark.parametrize("words,part", [(["--registers=c++"], "xml or c"), (["--explain-word=12"], "8 or 16 bytes"),
                                        (["--explain-word=40960120070c05070000000000000000"], "the instruction has 8 bytes")])
def test_mistakes_are_told(words, part):
    done = info("-g", "gen9", *words)
    assert done.returncode == 125 and part in done.stderr, done.stderr


def test_other_families_say_that_they_have_no_list():
    done = info("--registers")
    assert done.returncode == 125 and "gen9" in done.stderr


def text_of(code, **environment):
    """The text of the explanation, and whether Intel's library was loaded for it."""
    done = subprocess.run([WAVETRAP, "info", "-g", "gen9", f"--explain-word={code.hex()}"], capture_output=True, text=True, check=True,
                          env={**os.environ, "LD_DEBUG": "libs", **environment})
    return done.stdout.split("text: ")[1].splitlines()[0], "libiga64" in done.stderr


def test_messages_have_the_comments_of_intel_s_library(tmp_path):
    """The line of a send is then iga64's, with its comment; without the library it lacks that. Nothing else loads it."""
    code = iga.assemble("send (16|M0) r9:w r48 0xC 0x04205E01\n", tmp_path)
    (tmp_path / "code").write_bytes(code)
    line = subprocess.run(["iga64", "-d", "-p=9", tmp_path / "code"], capture_output=True, text=True, check=True).stdout.split("\n")
    wanted = next(" ".join(text.split()) for text in line if "send" in text)
    assert "// wr:2+0, rd:2; hdc.dc1; untyped surface read with x" in wanted
    text, loaded = text_of(code)
    assert (" ".join(text.split()), loaded) == (wanted, True)
    (tmp_path / "libiga64.so.1").write_bytes(b"")
    assert " ".join(text_of(code, LD_LIBRARY_PATH=str(tmp_path))[0].split()) == wanted.split(" //")[0]
    assert text_of(iga.assemble("mov (8|M0) r1.0<1>:f r2.0<8;8,1>:f\n", tmp_path))[1] is False


def test_what_the_library_reads_in_another_way_has_no_comment(tmp_path):
    """A send whose destination is not a register of Gen9 stays no instruction."""
    code = bytearray(iga.assemble("send (16|M0) r9:w r48 0xC 0x04205E01\n", tmp_path))
    code[6] |= 0xe0  # the destination's number
    code[7] |= 0x1f
    said = info("-g", "gen9", f"--explain-word={code.hex()}").stdout
    assert "not an instruction: there is no such register" in said and "//" not in said


def test_a_word_is_explained(tmp_path):
    """The fields that iga64 has put there: dwords, the type and number of RegNum, the text."""
    code = iga.assemble("(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x4C0:uw {Switch}\n", tmp_path)
    said = info("-g", "gen9", f"--explain-word={code.hex()}").stdout
    for i in range(4):
        assert f"DW{i}: 0x{int.from_bytes(code[4 * i:4 * i + 4], 'little'):08x}" in said
    assert "RegNum 0x80: type 8 (cr), number 0" in said
    assert "immediate, type uw, 0x4c0\n" in said
    assert iga.normal(said.split("text: ")[1].splitlines()[0]) == "(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x4C0:uw {Switch}"
    assert info("-g", "gen9", f"--explain-word=0x{code[::-1].hex()}").stdout == said
    assert info("-g", "gen9", f"--explain-word={code[7::-1].hex()} {code[:7:-1].hex()}").stdout == said  # as a trace has it


@pytest.mark.parametrize("immediate,number", [("0x4C0:uw", 1216), ("-3:w", -3), ("-7:d", -7), ("0xFFFFFFF9:ud", 4294967289),
                                              ("1.0:f", 0x3f800000), ("0x12345678:v", 0x12345678)])
def test_a_constant_is_the_number_that_it_stands_for(tmp_path, immediate, number):
    code = iga.assemble(f"add (8|M0) r10.0<1>:{'f' if ':f' in immediate else 'd'} r5.0<8;8,1>:{'f' if ':f' in immediate else 'd'} {immediate}\n", tmp_path)
    assert f"the constant {number}\n" in info("-g", "gen9", f"--explain-word={code.hex()}").stdout


# Of each format. Branches have their targets within these lines.
WORDS = """(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x4C0:uw {Switch}
(~f1.1) sel (8|M8) r12.2<2>:d -r5.1<8;4,2>:d (abs)r7.3<0;1,0>:d
mov (8|M0) r[a0.3,-32]<1>:ud r[a0.1,64]<1,0>:ud
mov (4|M0) r6.0<1>:df 1.5:df
mov (1|M0) r6.3<1>:d 77:d
mad (8|M0) r10.0<1>:f r2.0<2;1>:f -r3.0<2;1>:f (abs)r4.0<1>:f
math.fdiv (8|M0) r10.0<1>:f r2.0<8;8,1>:f r3.0<8;8,1>:f
(f0.0) goto (16|M0) 32 64
if (16|M0) 32 48
while (8|M0) -16
jmpi (1|M0) 32
call (8|M0) r5.2<1>:ud 64
ret (8|M0) r5.2<0;1,0>:ud
wait (1|M0) n0.0<0;1,0>:ud
send (8|M0) r20:w r10 0xC 0x02106EFF
send (8|M0) r20:w r10 0xC a0.0
sends (16|M0) null:w r10 r12 0x8C 0x04025EFF
sends (8|M0) r20:w r10 r12 0xA a0.0
send (8|M0) null:w r127 0x27 0x02000010 {EOT}
"""


def test_every_field_of_a_word_is_shown(tmp_path):
    """The values, put back at their bits, give the instruction that iga64 has assembled; no bit is in two fields."""
    code = iga.assemble(WORDS, tmp_path)
    assert len(code) == 16 * len(WORDS.splitlines())
    for i, text in enumerate(WORDS.splitlines()):
        word = code[16 * i:16 * i + 16]
        said = info("-g", "gen9", "--explain-word", word.hex()).stdout
        fields = [(int(last), int(first), int(value, 16))
                  for last, first, value in re.findall(r"^  \w.* \[ *(\d+): *(\d+)\] (0x\w+)$", said, re.M)]
        bits = [bit for last, first, _ in fields for bit in range(first, last + 1)]
        assert len(bits) == len(set(bits)), text
        assert sum(value << first for _, first, value in fields) == int.from_bytes(word, "little"), said
        assert "\ntext: " in said


def test_a_compact_word_is_expanded(tmp_path):
    code = iga.assemble("add (16|M0) r12.0<1>:d r5.0<8;8,1>:d r7.0<0;1,0>:d {Compacted}\n", tmp_path)
    said = info("-g", "gen9", f"--explain-word={code.hex()}").stdout
    assert len(code) == 8 and said.startswith("compact: 0x") and "source 0: GRF, type d, r5, byte 0" in said


def test_a_zebin_is_described(tmp_path):
    (tmp_path / "k.cl").write_text("kernel void k(global int *a, char b, local int *c)"
                                   "{ c[get_local_id(0)] = b; barrier(CLK_LOCAL_MEM_FENCE); a[get_global_id(0)] = c[0]; }")
    said = info(iga.compile_cl(tmp_path / "k.cl", tmp_path / "k")).stdout
    for part in ("zebin for Intel GPUs", "kernel k", "with a barrier", "0: a: buffer", "1: b: value, 1 byte", "2: c: local memory",
                 "runs on: gen9"):
        assert part in said, said


def test_a_program_in_patch_tokens_is_described(tmp_path):
    """What ocloc makes without --format, in its ELF file and bare."""
    (tmp_path / "k.cl").write_text("kernel void add(global int *a, int k, local float *l) { a[get_global_id(0)] += k; l[0] = k; }")
    subprocess.run(["ocloc", "compile", "-file", tmp_path / "k.cl", "-device", "skl", "-output", "k", "-output_no_suffix", "-out_dir",
                    tmp_path, "-q"], check=True, capture_output=True)
    whole = (tmp_path / "k").read_bytes()
    (tmp_path / "bare").write_bytes(whole[whole.index(b"CTNI"):])
    for name in ("k", "bare"):
        done = subprocess.run([WAVETRAP, "info", tmp_path / name], capture_output=True, text=True, check=True)
        assert "program in patch tokens for Intel GPUs" in done.stdout
        for part in ("kernel add", "0: a: buffer, by address, 8 bytes", "1: k: value, 4 bytes", "2: l: local memory"):
            assert part in done.stdout, done.stdout


# Adds work-item and second argument into the first one, a buffer, through its surface.
CODE = """(W) mov (16|M0) r10.0<1>:ud r1.0<8;8,1>:uw
(W) shl (1|M0) r14.0<1>:ud r0.1<0;1,0>:ud 4:ud
(W) add (16|M0) r10.0<1>:ud r10.0<8;8,1>:ud r14.0<0;1,0>:ud
(W) shl (16|M0) r16.0<1>:ud r10.0<8;8,1>:ud 2:ud
(W) add (16|M0) r18.0<1>:ud r10.0<8;8,1>:ud r4.2<0;1,0>:ud
sends (16|M0) null:w r16 r18 0x8C 0x04025E00
(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud
(W) send (8|M0) null r127 0x27 0x02000010 {EOT}
"""


def test_machine_code_without_a_format_runs(tmp_path):
    (tmp_path / "code").write_bytes(iga.assemble(CODE, tmp_path))
    command = [WAVETRAP, "run", "-g", "gen9", "--grid=64", "--block=16", "--arg=zeros:256", "--arg=1000"]
    subprocess.run([*command, f"--dump-arg=0:{tmp_path / 'out'}", tmp_path / "code"], check=True, capture_output=True)
    assert (tmp_path / "out").read_bytes() == b"".join((1000 + i).to_bytes(4, "little") for i in range(64))
    done = subprocess.run([*command, "--kernel=add", tmp_path / "code"], capture_output=True, text=True, check=False)
    assert done.returncode != 0 and "--kernel=simd8, simd16 or simd32" in done.stderr
    (tmp_path / "code").write_bytes(b"12345")
    done = subprocess.run([*command, tmp_path / "code"], capture_output=True, text=True, check=False)
    assert done.returncode != 0 and "has 5 bytes: it is not a compiled program" in done.stderr


STACK = """mov (1|M0) sp.1<1>:ud 0x2000:ud
mov (1|M0) sp.0<1>:ud 0x1ff0:ud
add (1|M0) (ne)f0.0 sp.0<1>:ud sp.0<0;1,0>:ud 16:ud
add (1|M0) (ne)f0.0 sp.0<1>:ud sp.0<0;1,0>:ud 16:ud
(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud
(W) send (8|M0) null r127 0x27 0x02000010 {EOT}
"""


def test_a_stack_beyond_its_limit_is_reported(tmp_path):
    """The first addition reaches the limit, the second one would be beyond it: a plain run names thread, instruction, top and limit."""
    (tmp_path / "code").write_bytes(iga.assemble(STACK, tmp_path))
    run = [WAVETRAP, "run", "-g", "gen9", "--kernel=simd8", "--grid=8", "--block=8"]
    done = subprocess.run([*run, tmp_path / "code"], capture_output=True, text=True, check=False)
    assert done.returncode == 118, done.stdout + done.stderr
    first, place, at, instruction = done.stderr.splitlines()[:4]
    assert "the stack's top, sp.0 = 0x2010, would be beyond its limit, sp.1 = 0x2000: " in first
    assert "group (0,0,0), core 0, thread 0, channel 0, issue time 3" in place and at == "  at 0x100000030" and instruction.split()[0] == "add", done.stderr
