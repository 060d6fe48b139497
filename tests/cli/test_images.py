"""Programs of every format run; files that are none get a message and status 125."""
import re
import struct
import subprocess

import pytest

from conftest import ROOT, run
from releases import BITCODE, HIPCC_CLANG

EXIT_42 = "_start: exit 42\n"


def objcopy(elf, form, out):
    subprocess.run(["riscv64-unknown-elf-objcopy", "-O", form, elf, out], check=True)
    return out


def refused(*args):
    """Runs the command, which must fail by itself, and returns what it said."""
    done = run("run", *args)
    assert done.returncode == 125, done
    assert done.stdout == ""
    assert done.stderr.startswith("wavetrap run: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.mark.parametrize("xlen", [32, 64])
def test_each_format_runs(build, xlen):
    elf = build.asm(EXIT_42, xlen)
    assert run("run", elf).returncode == 42
    assert run("run", objcopy(elf, "ihex", build.path("k.hex"))).returncode == 42
    raw = objcopy(elf, "binary", build.path("k.bin"))
    assert run("run", raw).returncode == 42
    vxbin = struct.pack("<QQ", 0x80000000, 0x80001000) + raw.read_bytes()
    assert run("run", build.path("k.vxbin", vxbin)).returncode == 42


def test_raw_binaries_go_to_their_base(build):
    raw = objcopy(build.asm(EXIT_42), "binary", build.path("k.bin"))
    assert run("run", "--base=0x90000000", raw).returncode == 42
    assert run("run", "--gpu=vortex:startup=0x70000000", raw).returncode == 42
    # There is nothing at the startup address: zeros are no instructions.
    assert run("run", "--base=0x90000000", "--gpu=vortex:startup=0x80000000", raw).returncode == 116


def test_a_program_may_come_from_a_pipe(build):
    """Its symbols cannot be read a second time; it runs without them."""
    elf = build.asm(EXIT_42)
    with subprocess.Popen(["cat", elf], stdout=subprocess.PIPE) as pipe:
        done = run("run", "/dev/stdin", stdin=pipe.stdout)
    assert done.returncode == 42 and "no symbols" in done.stderr


def test_vxbin_of_2026_with_symbols(build):
    raw = objcopy(build.asm(EXIT_42), "binary", build.path("k.bin")).read_bytes()
    table = (b"main" + b"scale" + struct.pack("<IHHQIHHQ", 0, 4, 0, 0x80000000, 4, 5, 0, 0x80000004) +
             struct.pack("<I", 2) + b"VXSYMTAB")
    # The end address leaves room for the image alone: the table must not count as image, and the
    # image must keep its last byte.
    head = struct.pack("<QQ", 0x80000000, 0x80000000 + len(raw))
    vxbin = build.path("k.vxbin", head + raw + table)
    last = build.path("last.bin")
    assert run("run", "-g", "vortex:profile=v2", f"--dump={last}@{0x80000000 + len(raw) - 4:#x}:4", vxbin).returncode == 42
    assert last.read_bytes() == raw[-4:]
    told = run("info", vxbin).stdout
    assert "kernel: main at 0x80000000" in told and "kernel: scale at 0x80000004" in told
    assert "profile v3" in told and "RV32" in told
    assert "symbol table" in refused(build.path("l.vxbin", head + raw + table[:-12] +
                                                struct.pack("<I", 99) + b"VXSYMTAB"))


def test_missing_and_unreadable_files(build):
    assert "/nonexistent/k: cannot open: No such file" in refused("/nonexistent/k")
    assert "directory" in refused("/")
    assert "empty" in refused(build.path("k.bin", b""))
    assert "empty" in refused("/dev/null")


@pytest.mark.parametrize("gpu", [(), *(("-g", gpu) for gpu in ("gfx900", "gfx906", "gfx90a:cu=8", "gcn", "gen9", "sm:cc=8.0", "vortex"))], ids=lambda words: words[1] if words else "none")
def test_a_missing_program_is_named_whatever_runs_it(gpu):
    for command in ("run", "trace", "gdb", "serve", "debug", "view", "explore"):
        for program, said in (("/nonexistent/k.co", "No such file or directory"), ("/", "directory|Permission denied")):
            done = run(command, *gpu, program)
            assert done.returncode == 125 and re.fullmatch(rf"wavetrap {command}: {program}: .*({said}).*\n", done.stderr), (command, done.stderr)


def test_a_program_of_another_family_names_the_chosen_model(build):
    words = build.path("words", b"\x13\0\0\0" * 4)
    for gpu, name in (("gfx906", "gfx906"), ("gcn", "gfx90a"), ("sm:cc=8.0", "sm")):
        assert f"--gpu={name} runs " in refused(words, "-g", gpu)
    assert "no assembler for gfx908 here" in run("asm", "-g", "gfx908", words).stderr


def test_programs_for_other_machines(build):
    assert "x86-64" in refused("/bin/sh")
    source = build.path("x.c", "void _start(void) { for (;;); }\n")
    elf = build.path("x.elf")
    subprocess.run(["gcc", "-nostdlib", "-static", "-no-pie", "-o", elf, source], check=True)
    assert "x86-64 (ELF machine 62); Vortex runs RISC-V" in refused(elf)


def test_widths_must_agree(build):
    elf = build.asm(EXIT_42, 64)
    said = refused("--gpu=vortex:xlen=32", elf)
    assert "RV64" in said and "RV32" in said


def test_code_above_4_gib_runs(build):
    elf = build.asm(EXIT_42, 64, options=["-Wl,-Ttext=0x180000000"])
    assert run("run", elf).returncode == 42
    raw = objcopy(elf, "binary", build.path("far.bin")).read_bytes()
    vxbin = build.path("far.vxbin", struct.pack("<QQ", 0x180000000, 0x180000000 + len(raw)) + raw)
    assert run("run", vxbin).returncode == 42 # its addresses say that it is RV64
    assert "RV64" in run("info", vxbin).stdout
    assert "48 bits" in refused(build.asm(EXIT_42, 64, options=["-Wl,-Ttext=0x1000000000000"]))


def test_object_files_and_position_independent_ones(build):
    elf = build.asm(EXIT_42)
    source = elf.with_name("program.S")
    obj = build.path("k.o")
    subprocess.run(["riscv64-unknown-elf-gcc", "-c", "-o", obj, source], check=True, cwd=build.folder)
    assert "object file for RISC-V" in refused(obj)


@pytest.mark.parametrize("length", [4, 20, 60, 200])
def test_truncated_elf(build, length):
    elf = build.asm(EXIT_42, 64).read_bytes()
    said = refused(build.path("t.elf", elf[:length]))
    assert "ELF" in said or "truncated" in said


def test_truncated_elf_segment(build):
    elf = build.asm("_start: exit 42\n .fill 10000, 4, 1\n", 64).read_bytes()
    assert "truncated" in refused(build.path("t.elf", elf[:20000]))


def test_malformed_hex(build):
    elf = build.asm(EXIT_42)
    text = objcopy(elf, "ihex", build.path("k.hex")).read_text().splitlines()
    bad = text[:]
    last = int(bad[1].strip()[-2:], 16) ^ 1
    bad[1] = bad[1].strip()[:-2] + f"{last:02X}"
    assert "line 2: the checksum is" in refused(build.path("a.hex", "\n".join(bad)))
    assert "without an end record" in refused(build.path("b.hex", "\n".join(text[:-1])))
    assert "line 3" in refused(build.path("c.hex", "\n".join([*text[:2], "nonsense", *text[2:]])))


def test_malformed_vxbin(build):
    assert "header of 16 bytes" in refused(build.path("a.vxbin", b"12345"))
    head = struct.pack("<QQ", 0x80000000, 0x80000000)
    assert "not above its first address" in refused(build.path("b.vxbin", head + b"12345678"))
    head = struct.pack("<QQ", 0x80000000, 0x80000004)
    assert "0x8 bytes, but the header gives it 0x4" in refused(build.path("c.vxbin", head + b"12345678"))


def test_info_tells_what_a_file_is(build):
    elf = build.asm("_start: exit 42\n .bss\n .space 100\n", 64)
    said = run("info", elf).stdout
    assert "ELF executable" in said and "RISC-V (243), 64 bits, double-float ABI" in said
    assert "entry: 0x80000000 <_start" in said
    assert "DWARF, with source lines" in said
    assert "the last 100 of them zero" in said
    assert "runs on: vortex:xlen=64" in said
    subprocess.run(["riscv64-unknown-elf-strip", elf], check=True)
    said = run("info", elf).stdout
    assert "symbols: 0, of them functions: 0" in said and "debug information: none" in said
    hexfile = objcopy(elf, "ihex", build.path("k.hex"))
    assert "Intel HEX" in run("info", hexfile).stdout
    done = run("info", "/nonexistent", hexfile)
    assert done.returncode == 125 and "Intel HEX" in done.stdout and "/nonexistent" in done.stderr


def test_info_tells_the_kernels_of_a_code_object(build):
    source = build.path("k.cl", b"kernel __attribute__((reqd_work_group_size(128, 1, 1))) void scale(global float *data, local float *room, short n)\n"
                                b"{ room[get_local_id(0)] = n; barrier(CLK_LOCAL_MEM_FENCE); data[get_global_id(0)] *= room[0]; }\n"
                                b"kernel void nothing(void) {}\n")
    for compiler, version in ((HIPCC_CLANG, 4), ("clang-19", 5)):
        subprocess.run([compiler, "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900", "-x", "cl", "-cl-std=CL2.0", "-cl-kernel-arg-info", "-O2", "-g",
                        f"--rocm-device-lib-path={BITCODE}", source, "-o", "k.co"],
                       check=True, cwd=source.parent)
        path = source.parent / "k.co"
        said = run("info", path).stdout
        assert f"{path}: AMD GPU code object\n  version: {version}\n" in said
        assert "debug information: DWARF, with source lines" in said and "runs on: gfx900" in said
        scale, nothing = said.split("  kernel ")[1:]
        assert scale.startswith("scale\n") and "up to 128 work-items; LDS: 0 bytes" in scale
        for line in ("0: data: buffer, 8 bytes at 0\n", "1: room: LDS, 4 bytes at 8\n", "2: n: value, 2 bytes at 12\n"):
            assert line in scale
        assert nothing.startswith("nothing\n") and " 0: " not in nothing
        # What the compiler's own tool reads of the registers in the descriptor.
        notes = subprocess.run(["llvm-readelf-19", "--notes", path], capture_output=True, text=True, check=True).stdout
        used = [int(n) for n in re.findall(r"\.vgpr_count: +(\d+)", notes)]
        told = [int(n) for n in re.findall(r"(\d+) vector registers", said)]
        assert told == [max(4, (n + 3) // 4 * 4) for n in used]
    bad = build.path("bad.co", (source.parent / "k.co").read_bytes()[:900])
    done = run("info", bad)
    assert done.returncode == 125 and str(bad) in done.stderr


@pytest.mark.parametrize("word,lines", [
    ("0x0005a783", ["RV32: lw a5, 0(a1)", "  writes           a5: 32 bits a lane", "  reads            a1: 32 bits a lane",
                    "  reads            4 bytes of memory a lane, at a1+0", "RV64: lw a5, 0(a1)", "  writes           a5: 64 bits a lane"]),
    ("0x8082", ["RV32: c.jr ra", "  writes           the PC"]),
    ("0x0005200b", ["RV32: vx_split zero, a0", "  reads and writes the IPDOM stack", "  reads and writes the mask of lanes"])])
def test_a_word_of_vortex_is_explained_by_what_it_reads_and_writes(word, lines):
    assert not set(lines) - set(run("info", "-g", "vortex", f"--explain-word={word}").stdout.splitlines())


@pytest.mark.parametrize("word,lines", [
    ("82020100", ["s_addc_u32 s2, s0, s1", "  writes           s2", "  reads            s1", "  reads and writes SCC"]),
    ("0xd1000001 0x001a0702", ["v_cndmask_b32_e64 v1, v2, v3, s[6:7]", "  reads            s[6:7], a bit a lane"]),
    ("7c8806f9 05061502", ["  writes           vcc, a bit a lane", "  reads            exec",
                           "  reads            v3: 16 bits a lane, from bit 16 on, floating point"]),
    ("d86c0010 05000002", ["ds_read_b32 v5, v2 offset:16", "  writes           v5: 32 bits a lane", "  reads            v2: 32 bits a lane",
                           "  reads            4 bytes of LDS a lane, offset 16"]),
    ("c0060200 00000010", ["  writes           s[8:9]", "  reads            s[0:1]",
                           "  reads            8 bytes of global memory, once for the wave, offset 16"])])
def test_a_word_of_gfx900_is_explained_by_what_it_reads_and_writes(word, lines):
    done = run("info", "-g", "gfx900", f"--explain-word={word}")
    assert not set(lines) - set(done.stdout.splitlines()), done.stdout + done.stderr


def test_words_that_are_no_instructions_of_gfx900_are_refused():
    for word, why in (("d1010001", "it is cut off"), ("c0000000 0 0", "its dwords in hexadecimal"), ("s_nop", "its dwords in hexadecimal"),
                      ("bfff0000", "there is no such instruction")):
        done = run("info", "-g", "gfx900", f"--explain-word={word}")
        assert done.returncode and why in done.stderr, done.stderr


@pytest.mark.parametrize("word,lines", [
    ("4c10880c0007ff10", ["IADD.X R16.CC, RZ, c[0x3][0x0]", "  writes           R16: 32 bits a lane",
                          "  reads            4 bytes of c[0x3][0x0], once for the warp", "  writes           CC.O, a bit a lane",
                          "  reads            CC.C, a bit a lane", "  reads            CC.Z, a bit a lane"]),
    ("0x5cb8040002c7263a", ["I2F.F32.S16 R58, R44.H1", "  writes           R58: 32 bits a lane, floating point",
                            "  reads            R44: 16 bits a lane, from bit 16 on, signed"]),
    ("eed5200000410402", ["@P1 LDG.E.64 R2, [R4+0x4]", "  writes           R3: 32 bits a lane, but for lanes that are left out",
                          "  reads            R5: 32 bits a lane", "  reads            8 bytes of global memory a lane, offset 4",
                          "  reads            P1, a bit a lane"]),
    ("e24000000087000f", ["BRA 0x10", "  reads            the constant 8", "  writes           the PC"])])
def test_a_word_of_the_sm_is_explained_by_what_it_reads_and_writes(word, lines):
    done = run("info", "-g", "sm", f"--explain-word={word}")
    assert not set(lines) - set(done.stdout.splitlines()), done.stdout + done.stderr


def test_words_that_are_no_instructions_of_the_sm_are_refused():
    for word, why in (("0", "0x0000000000000000 is not an instruction of sm_50"), ("IADD", "64 bits in hexadecimal"), ("e003ff87cff7ff00", "(IPA): ")):
        done = run("info", "-g", "sm", f"--explain-word={word}")
        assert done.returncode and why in done.stderr, done.stderr


def test_words_that_are_no_instructions_of_vortex_are_refused():
    assert "0x5f is not an instruction of Vortex" in run("info", "-g", "vortex", "--explain-word=0x5f").stderr
    assert "16 or 32 bits as one number" in run("info", "-g", "vortex", "--explain-word=lw").stderr


def test_info_lists_the_gpu():
    isa = run("info", "--isa").stdout
    assert "\nbgeu         both match 0x00007063 mask 0x0000707f operands stp: if b <= a, jump to target\n" in isa
    gen, sm = (run("info", "-g", gpu, "--isa").stdout for gpu in ("gen9", "sm"))
    assert "three sources: d = field(c[31:0], from b[4:0], a[4:0] bits)\n" in gen and "\nmath.sin: d = function(a)\n" in gen
    assert ": d = (a << offset mod width) + b\n" in sm and "\nptx-operation div: d = a / b; of floats: d = float a / b\n" in sm
    for name in ("addi", "fmadd.d", "amoadd.w", "vx_tmc", "vx_wspawn", "vx_split", "vx_join", "vx_bar", "czero.eqz",
                 "c.addi"):
        assert f"\n{name} " in isa, name
    profile = run("info", "--profile").stdout
    assert "profile v2" in profile and "STARTUP_ADDR0" in profile and "0x7b2" in profile
    gcn = run("info", "--gpu", "gfx900", "--isa").stdout.splitlines()
    assert len(gcn) > 1000 and "v_fma_f32                        VOP3    opcode 0x1cb: d = float a * b + c" in gcn
    assert [line.split()[0] for line in gcn if "not executed" in line][:1] == ["s_endpgm_ordered_ps_done"]
    assert "no GPU family 'gfx601'" in run("info", "--gpu=gfx601", "--isa").stderr
    newer = run("info", "--gpu", "gfx906", "--isa").stdout.splitlines()
    only = [{line.split()[0] for line in one} - {line.split()[0] for line in other} for one, other in ((gcn, newer), (newer, gcn))]
    assert only[0] == {"v_mad_mix_f32", "v_mad_mixlo_f16", "v_mad_mixhi_f16"} and len(only[1]) == 12 and "v_fmac_f32" in only[1]


def test_a_word_is_explained_by_its_model():
    """One word, two instructions."""
    for model, name in (("gfx900", "v_mad_mix_f32"), ("gfx906", "v_fma_mix_f32")):
        assert run("info", "-g", model, "--explain-word", "d3a04004 1c2a0d02").stdout.startswith(name + " v4, v2, v6, v10")


def bundle(*entries):
    """A fat binary as clang-offload-bundler writes it."""
    head = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(entries))
    size = len(head) + sum(24 + len(target) for target, _ in entries)
    table, body, at = b"", b"", 4096
    assert size < at
    for target, code in entries:
        table += struct.pack("<QQQ", at, len(code), len(target)) + target.encode()
        body += code.ljust((len(code) + 4095) // 4096 * 4096, b"\0")
        at += (len(code) + 4095) // 4096 * 4096
    return (head + table).ljust(4096, b"\0") + body


def test_info_lists_the_code_objects_of_a_host_program(build):
    vadd = (ROOT / "tests" / "fuzz" / "corpus" / "code_object" / "vadd-19.co").read_bytes()
    source = build.path("host.c", "int main(void) { return 0; }\n")
    plain = build.path("host")
    subprocess.run(["gcc", "-o", plain, source], check=True)
    said = run("info", plain).stdout
    assert "program or library for the host" in said and "it brings no code for GPUs along" in said
    fat = build.path("fat", bundle(("host-x86_64-unknown-linux--", b""), ("hipv4-amdgcn-amd-amdhsa--gfx900", vadd)) +
                     bundle(("host-x86_64-unknown-linux--", b""), ("hipv4-amdgcn-amd-amdhsa--gfx1030", vadd)))
    hip = build.path("hip")
    subprocess.run(["objcopy", "--add-section", f".hip_fatbin={fat}", plain, hip], check=True)
    done = run("info", hip)
    assert done.returncode == 0
    assert re.search(r"bundle 1: code for gfx900; that for gfx900 is of version [45], with 1 kernel\n    kernel vadd\n"
                     r"  bundle 2: code for gfx1030: not for gfx900, which is emulated\n  runs on: the host; by 'wavetrap exec'", done.stdout)
    # Whatever is damaged is said, or not seen; it never ends the command.
    for cut in range(0, len(vadd), 97):
        fat.write_bytes(bundle(("hipv4-amdgcn-amd-amdhsa--gfx900", vadd[:cut])))
        subprocess.run(["objcopy", "--update-section", f".hip_fatbin={fat}", hip], check=True)
        assert run("info", hip).returncode == 0, cut
