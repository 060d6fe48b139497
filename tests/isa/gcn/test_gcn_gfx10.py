"""gfx1030: in waves of 64 lanes what both have does the same as on the other models; what is new, and what only waves of 32 lanes show."""
import random
import re
import subprocess

import pytest

from amdgpu import Llvm
from machine import DATA, EXEC, M0, VCC, Case, run
from test_gcn_decode import CASES, LITERAL

WIDE, NARROW = "gfx1030:64", "gfx1030:32"
ALL32 = (1 << 32) - 1
OTHERS = ("gfx906", "gfx90a")  # between them they have all that gfx1030 shares with gfx9
# Fields of memory instructions, images and the PC are of other tests: kernels, and decoding.
ENCODINGS = {"SOP2", "SOPK", "SOP1", "SOPC", "VOP2", "VOP1", "VOPC", "VOP3", "VOP3P", "VOP2 SDWA", "VOP1 SDWA", "VOPC SDWA", "VOP2 DPP", "VOP1 DPP", "DS"}
# Other meanings: EXEC is all that v_cmpx writes; halves stay beside a result of 16 bits; lanes of 32 exchange; registers of the hardware and code at other places.
OTHER = r"v_cmpx|ds_b?permute|s_(get|set)reg|s_getpc|s_setpc|s_swappc|s_call|s_movrel|s_cbranch|s_rfe|v_interp|ds_(append|consume|gws|ordered|nop)|.*flat_scratch|.*xnack_mask|.* null"
HALVES = r"\bv_(?!pk_|cmp|dot|mad_mix|fma_mix|cvt_pk|cvt_f32|cvt_u32|cvt_i32|sad|qsad|mqsad|msad|perm)(cvt_f16_\w\d+|\w*(_f16|_u16|_i16|_b16|mix\w+_f16))(_e32|_e64|_sdwa|_dpp)? "


def assembled(lines, lanes=64, model="gfx1030"):
    """Words of LLVM's assembler for waves of so many lanes; None where it refuses."""
    size = [f"-mattr=-wavefrontsize{96 - lanes},+wavefrontsize{lanes}"] if model == "gfx1030" else []
    done = subprocess.run(["llvm-mc-22", "-triple=amdgcn-amd-amdhsa", f"-mcpu={model}", *size, "-show-encoding"],
                          input="".join(f"l{i}:\n{line}\n" for i, line in enumerate(lines)), capture_output=True, text=True)
    found, at = {}, None
    for line in done.stdout.splitlines():
        label = re.match(r"l(\d+):", line)
        if label:
            at = int(label.group(1))
        code = re.search(r"encoding: \[([0-9a-fx,]+)\]", line)
        if code:
            data = bytes(int(b, 16) for b in code.group(1).split(","))
            found[at] = [int.from_bytes(data[i:i + 4], "little") for i in range(0, len(data), 4)]
    return [found.get(i) for i in range(len(lines))]


def shared(model):
    """Instructions of the model by LLVM's text, a few for each opcode: (text, words, words on gfx1030)."""
    llvm, texts = Llvm(model, 22), {}
    for name, opcodes, words in CASES:
        if name not in ENCODINGS:
            continue
        for op in opcodes:
            some = []
            for w in words(op):
                w = w + [LITERAL] * (3 - len(w))
                length, text = llvm(w)
                if length and not re.match(OTHER, text) and "gds" not in text:
                    some.append(re.sub(r"\s+", " ", text))
            texts.update(dict.fromkeys(random.Random(op).sample(some, min(len(some), 4))))
    lines = list(texts)
    on_10 = assembled([re.sub(r"^v_(add|sub|subrev)_u32_", r"v_\1_nc_u32_", line) for line in lines])
    return [(line, own, words) for line, own, words in zip(lines, assembled(lines, model=model), on_10) if own and words]


def numbers(seed):
    """What a wave has before: scalars and lanes, of floats of each width among others."""
    rng = random.Random(seed)
    some = [0, 1, 0x80000000, 0x7fffffff, 0x3f800000, 0xbf800000, 0x3c00bc00, 0x00010001, 0x7f800000, 0xff800000, 0x3ff00000, 0x40000000, 0xffffffff, 5, 31, 0x42280000]
    one = lambda: rng.choice(some) if rng.random() < 0.4 else rng.getrandbits(32)
    return [one() for _ in range(32)], [[one() for _ in range(64)] for _ in range(6)], rng.getrandbits(64) | 1, rng.getrandbits(64)


def case(words, model, seed):
    scalars, vectors, mask, vcc = numbers(seed)
    c = Case(words, 1, model).exec(mask).scalar(VCC, vcc, 2).scalar(M0, 0x1000).scc(seed & 1).mode(0xf0 if seed & 2 else 0)
    for i, x in enumerate(scalars):
        c.scalar(i, x)
    for i, x in enumerate(vectors):
        c.vector(i, x)
    return c.vector(106, vectors[3]).show(*range(6), 106)


@pytest.mark.parametrize("model", OTHERS)
def test_what_both_have_does_the_same(model, run_tool):
    """The assembler's words of one text: the same registers after them, but for the half that a result of 16 bits leaves alone."""
    # A gfx90a's flushes denormal halves, which is its alone.
    both = [x for x in shared(model) if model != "gfx90a" or not x[0].startswith("v_dot2")]
    names = {text.split()[0] for text, _, _ in both}
    assert len(names) > 900, len(names)
    wrong = []
    for seed in range(1, 3):
        here = run(run_tool, [case(words, WIDE, seed) for _, _, words in both])
        there = run(run_tool, [case(words, model, seed) for _, words, _ in both])
        for (text, words, _), a, b in zip(both, here, there):
            mask = 0xffff if re.match(HALVES, text) and "op_sel" not in text and not re.search("dst_sel:(BYTE|WORD)", text) else ALL32
            if a.fault or b.fault:
                if bool(a.fault) != bool(b.fault):
                    wrong.append(f"{text}: {a.fault}; {model}: {b.fault}")
                continue
            same = a.scc == b.scc and a.s[:102] == b.s[:102] and a.s[VCC:VCC + 2] == b.s[VCC:VCC + 2] and a.s[EXEC:] == b.s[EXEC:]
            same = same and all(x & mask == y & mask for p, q in zip(a.shown, b.shown) for x, y in zip(p, q))
            if not same:
                wrong.append(f"{text} {words[0]:08x}: another result than {model}'s")
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:40])


def narrow(run_tool, text, before, *shown, issues=None, lanes=32):
    """The wave after a text of instructions, by default in a wave of 32 lanes."""
    lines = text.split(";")
    words = assembled(lines, lanes)
    assert all(words), [line for line, w in zip(lines, words) if not w]
    c = Case(sum(words, []), issues or len(lines), f"gfx1030:{lanes}").exec(ALL32 if lanes == 32 else (1 << 64) - 1)
    before(c)
    (result,) = run(run_tool, [c.show(*shown)])
    assert result.fault is None, result.fault
    return result


LANES = list(range(64))


def test_masks_are_one_register(run_tool):
    """A comparison writes one SGPR, and the one after it stays; v_cndmask and carries read one."""
    r = narrow(run_tool, "v_cmp_lt_u32_e64 s7, v1, v2; v_cndmask_b32_e64 v3, 1, 2, s7; v_add_co_u32 v4, s9, v5, v1; v_add_co_ci_u32_e64 v6, s11, 0, 0, s9",
               lambda c: c.vector(1, LANES).vector(2, [16] * 64).vector(5, [ALL32 - 9] * 64).scalar(8, 0x1234).scalar(10, 0x5678), 3, 4, 6)
    assert r.s[7] == 0xffff and r.s[8] == 0x1234 and r.s[10] == 0x5678
    assert r.shown[0][:32] == [2] * 16 + [1] * 16
    assert r.s[9] == ALL32 & ~0x3ff and r.shown[2][:32] == [0] * 10 + [1] * 22


def test_exec_hi_and_null_keep_nothing(run_tool):
    r = narrow(run_tool, "s_mov_b32 exec_hi, -1; s_mov_b32 null, 7; s_mov_b32 s3, null; s_mov_b64 s[4:5], null; s_mov_b64 exec, -1; s_mov_b32 s6, exec_hi",
               lambda c: c.scalar(3, 9).scalar(4, 9).scalar(5, 9).scalar(6, 9))
    assert r.s[3:7] == [0, 0, 0, 0] and r.s[EXEC:] == [ALL32, 0]


def test_vcc_hi_is_a_register_of_its_own(run_tool):
    """VCCZ looks at VCC_LO alone: the branch over the second move is taken."""
    r = narrow(run_tool, "s_mov_b32 vcc_hi, 5; s_mov_b32 vcc_lo, 0; s_cbranch_vccz 2; s_mov_b32 s3, 1; s_mov_b32 s4, 2; s_mov_b32 s5, 3",
               lambda c: c.scalar(3, 0).scalar(4, 0), issues=4)
    assert r.s[3:6] == [0, 0, 3] and r.s[VCC + 1] == 5


@pytest.mark.parametrize("name,mask", [("and", 0x0f0f & 0x00ff), ("or", 0x0fff), ("xor", 0x0ff0), ("andn2", 0x00ff & ~0x0f0f), ("orn2", 0x00ff | ALL32 & ~0x0f0f),
                                       ("nand", ALL32 & ~0x000f), ("nor", ALL32 & ~0x0fff), ("xnor", ALL32 & ~0x0ff0), ("andn1", 0x0f0f & ~0x00ff), ("orn1", ALL32 & ~0x00ff | 0x0f0f)])
def test_saveexec_of_32_lanes(name, mask, run_tool):
    r = narrow(run_tool, f"s_{name}_saveexec_b32 s4, s5", lambda c: c.exec(0x0f0f).scalar(5, 0x00ff))
    assert (r.s[4], r.s[EXEC], r.s[EXEC + 1], r.scc) == (0x0f0f, mask & ALL32, 0, 1)


@pytest.mark.parametrize("name,mask", [("andn1", 0x0f0f & ~0x00ff), ("andn2", 0x00ff & ~0x0f0f)])
def test_wrexec_of_32_lanes(name, mask, run_tool):
    r = narrow(run_tool, f"s_{name}_wrexec_b32 s4, s5", lambda c: c.exec(0x0f0f).scalar(5, 0x00ff))
    assert (r.s[4], r.s[EXEC], r.scc) == (mask, mask, 1)


def test_cmpx_writes_exec_alone(run_tool):
    r = narrow(run_tool, "v_cmpx_lt_u32_e32 v1, v2; v_mov_b32 v3, 1", lambda c: c.vector(1, LANES).vector(2, [4] * 64).vector(3, [0] * 64).scalar(VCC, 0x77, 2), 3)
    assert r.s[VCC:VCC + 2] == [0x77, 0] and r.s[EXEC:] == [0xf, 0] and r.shown[0] == [1] * 4 + [0] * 60


def test_halves_stay(run_tool):
    """A result of 16 bits leaves the other half of its register alone, also where GCN5 clears it."""
    r = narrow(run_tool, "v_add_f16_e32 v1, v2, v3; v_lshlrev_b16 v4, 4, v2; v_fmac_f16_e32 v5, v2, v3",
               lambda c: c.vector(1, [0xabcd0000] * 64).vector(2, [0x3c00] * 64).vector(3, [0x4000] * 64).vector(4, [0x12340000] * 64).vector(5, [0x77770000] * 64), 1, 4, 5)
    assert [x[0] for x in r.shown] == [0xabcd4200, 0x1234c000, 0x77774000]


@pytest.mark.parametrize("lanes", (32, 64))
def test_lanes_by_index(lanes, run_tool):
    """v_readlane and v_writelane take the index modulo the lanes of the wave; ds_permute and ds_bpermute stay within 32."""
    r = narrow(run_tool, "v_readlane_b32 s4, v1, s5; v_writelane_b32 v2, s6, s5; ds_bpermute_b32 v3, v4, v1; s_waitcnt lgkmcnt(0)",
               lambda c: c.scalar(5, 37).scalar(6, 99).vector(1, LANES).vector(2, [0] * 64).vector(3, [0] * 64).vector(4, [4 * ((i + 40) % 64) for i in LANES]), 2, 3, lanes=lanes)
    assert r.s[4] == 37 % lanes and r.shown[0][37 % lanes] == 99 and sum(r.shown[0]) == 99
    assert r.shown[1][:lanes] == [(i & 32) | (i + 40) % 32 for i in range(lanes)]


def test_moves_between_lanes(run_tool):
    """DPP8, row_share, row_xmask, v_permlane16 and x16, with lanes that EXEC disables and FI."""
    r = narrow(run_tool, "v_mov_b32_dpp v2, v1 dpp8:[7,6,5,4,3,2,1,0]; v_mov_b32_dpp v3, v1 row_share:3 row_mask:0xf bank_mask:0xf;"
               "v_mov_b32_dpp v4, v1 row_xmask:5 row_mask:0xf bank_mask:0xf; v_permlane16_b32 v5, v1, s4, s5; v_permlanex16_b32 v6, v1, s4, s5",
               lambda c: c.vector(1, LANES).scalar(4, 0x01234567).scalar(5, 0x89abcdef), 2, 3, 4, 5, 6)
    reverse = lambda i: (0x89abcdef01234567 >> 4 * (i % 16)) & 15
    assert r.shown[0][:32] == [i ^ 7 for i in range(32)] and r.shown[1][:32] == [(i & 16) | 3 for i in range(32)]
    assert r.shown[2][:32] == [i ^ 5 for i in range(32)]
    assert r.shown[3][:32] == [(i & 16) | reverse(i) for i in range(32)] and r.shown[4][:32] == [(i & 16 ^ 16) | reverse(i) for i in range(32)]
    r = narrow(run_tool, "v_permlane16_b32 v5, v1, s4, s5; v_permlane16_b32 v6, v1, s4, s5 op_sel:[1,0]; v_permlane16_b32 v7, v1, s4, s5 op_sel:[0,1];"
               "v_mov_b32_dpp v2, v1 dpp8:[1,0,3,2,5,4,7,6]; v_mov_b32_dpp v3, v1 dpp8:[1,0,3,2,5,4,7,6] fi:1",
               lambda c: c.exec(0x5555).vector(1, [100 + i for i in LANES]).scalar(4, 0x67452301).scalar(5, 0xefcdab89)
               .vector(5, [7] * 64).vector(6, [7] * 64).vector(7, [7] * 64).vector(2, [7] * 64).vector(3, [7] * 64), 5, 6, 7, 2, 3)
    assert [x[0] for x in r.shown] == [7, 101, 0, 0, 101] and all(x[1] == 7 for x in r.shown)


def test_registers_that_m0_names(run_tool):
    r = narrow(run_tool, "v_movrels_b32_e32 v1, v2; v_movreld_b32_e32 v10, v2; s_mov_b32 m0, 0x20001; v_movrelsd_2_b32_e32 v20, v2; v_swaprel_b32 v30, v4; s_movrelsd_2_b32 s20, s4",
               lambda c: [c.vector(n, [n] * 64) for n in range(40)] and c.scalar(M0, 3).scalar(5, 55), 1, 13, 22, 32, 5)
    assert [x[0] for x in r.shown] == [5, 2, 3, 5, 32] and r.s[22] == 55


def test_sums_products_and_modes(run_tool):
    r = narrow(run_tool, "v_add_nc_u32_e64 v1, v2, v3 clamp; v_sub_nc_i32 v4, v2, v3 clamp; v_xor3_b32 v5, v2, v3, v6; v_add_nc_u16 v7, v2, v3 clamp; v_fma_legacy_f32 v8, 0, v9, 1.0;"
               "v_mullit_f32 v10, 2.0, 4.0, 1.0; v_mullit_f32 v11, 2.0, 4.0, 0; s_round_mode 0x3; s_denorm_mode 9",
               lambda c: c.vector(2, [0x80000000 + 0xfff0] * 64).vector(3, [0x80000000 + 0x20] * 64).vector(6, [1] * 64).vector(7, [0xaaaa0000] * 64).vector(9, [0x7f800000] * 64).mode(0xf0), 1, 4, 5, 7, 8, 10, 11)
    assert [x[0] for x in r.shown] == [ALL32, 0xffd0, 0xffd1, 0xaaaaffff, 0x3f800000, 0x41000000, 0xff7fffff]
    assert r.mode & 0xff == 0x93


def test_literals_and_lengths(run_tool):
    """A literal follows the long encoding; instructions of one to three dwords stand side by side."""
    r = narrow(run_tool, "v_mad_u32_u24 v1, v2, 0x1234, v3; v_mov_b32 v4, 0xabcdef; v_fmamk_f16 v5, v6, 0x4000, v7; v_add3_u32 v8, v2, 0x7fffffff, 1",
               lambda c: c.vector(2, [3] * 64).vector(3, [1] * 64).vector(5, [0] * 64).vector(6, [0x3c00] * 64).vector(7, [0x3c00] * 64), 1, 4, 5, 8)
    assert [x[0] for x in r.shown] == [3 * 0x1234 + 1, 0xabcdef, 0x4200, 0x80000003]


def test_flat_scratch_is_a_hardware_register(run_tool):
    r = narrow(run_tool, "s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s4; s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s5; s_getreg_b32 s6, hwreg(HW_REG_FLAT_SCR_LO);"
               "s_getreg_b32 s7, hwreg(HW_REG_FLAT_SCR_HI); s_getreg_b32 s8, hwreg(28, 11, 1)", lambda c: c.scalar(4, 0x12345678).scalar(5, 0x9abc).scalar(102, 7).scalar(8, 5))
    assert r.s[6:9] == [0x12345678, 0x9abc, 0] and r.s[102] == 7


def test_atomics(run_tool):
    """Minimum and maximum of floats, comparison as numbers (-0 is 0), a difference that stops at 0."""
    r = narrow(run_tool, "global_atomic_fmin v1, v2, v3, s[4:5] glc; global_atomic_fmax v2, v4, s[4:5]; global_atomic_fcmpswap v8, v5, v[6:7], s[4:5] glc; global_atomic_csub v9, v10, v11, s[4:5] glc; s_waitcnt vmcnt(0)",
               lambda c: c.exec(1).scalar(4, DATA, 2).vector(2, [0] * 64).vector(3, [0xbf800000] * 64).vector(4, [0x40000000] * 64).vector(5, [8] * 64)
               .vector(6, [0x42] * 64).vector(7, [0] * 64).vector(10, [12] * 64).vector(11, [9] * 64).memory(DATA, b"\0\0\x80?\0\0\0\0\0\0\0\x80\5\0\0\0").show_memory(DATA, 16), 1, 8, 9)
    assert r.shown[0] == bytes.fromhex("00000040" "00000000" "42000000" "00000000")
    assert [x[0] for x in r.shown[1:]] == [0x3f800000, 0x80000000, 5]


@pytest.mark.parametrize("lanes", (32, 64))
def test_addresses_of_the_lanes_numbers(lanes, run_tool):
    """global_load_dword_addtid and its store: at the scalars, the offset and four times the lane's number, of lanes that EXEC has; no register of lanes is part of it."""
    mask, words = 0xa5a5a5a5f00f1234 & ((1 << lanes) - 1), [random.Random(1).getrandbits(32) for _ in range(lanes + 8)]
    for enabled in (mask, (1 << lanes) - 1):
        r = narrow(run_tool, "global_load_dword_addtid v1, s[4:5] offset:16; s_waitcnt vmcnt(0); global_store_dword_addtid v1, s[6:7] offset:-8; global_load_dword_addtid v2, s[6:7] offset:-8; s_waitcnt vmcnt(0)",
                   lambda c, enabled=enabled: c.exec(enabled).scalar(4, DATA, 2).scalar(6, DATA + 1024, 2).vector(0, [ALL32] * 64).vector(1, [7] * 64).vector(2, [9] * 64)
                   .memory(DATA, b"".join(w.to_bytes(4, "little") for w in words)).show_memory(DATA + 1016, 4 * lanes), 1, 2, lanes=lanes)
        on = [enabled >> i & 1 for i in range(lanes)]
        assert r.shown[1][:lanes] == [words[4 + i] if on[i] else 7 for i in range(lanes)]
        assert r.shown[2][:lanes] == [words[4 + i] if on[i] else 9 for i in range(lanes)]
        stored = [int.from_bytes(r.shown[0][4 * i:4 * i + 4], "little") for i in range(lanes)]
        assert [x if o else None for x, o in zip(stored, on)] == [words[4 + i] if o else None for i, o in enumerate(on)]
        assert all(o or x not in words for x, o in zip(stored, on))


@pytest.mark.parametrize("lanes,mask,passes,saved", [(64, ALL32 << 32 | 0xff, [0xff, ALL32 << 32], 0xff), (64, 0xf0, [0xf0], 0), (64, 0xf0 << 32, [0xf0 << 32], 0), (64, 0, [], 7), (32, 0xf0, [0xf0], 0), (32, 0, [], 7)])
def test_halves_of_a_wave_in_turn(lanes, mask, passes, saved, run_tool):
    """s_subvector_loop_begin and its end: the code between them is run for the lanes 0 to 31, then for 32 to 63, of those that EXEC has; without any it is left out."""
    r = narrow(run_tool, "s_subvector_loop_begin s4, 6; s_mov_b64 s[10:11], s[8:9]; s_mov_b64 s[8:9], exec; s_add_u32 s5, s5, 1; v_add_nc_u32 v1, s5, v1; s_subvector_loop_end s4, 0xfffb; s_nop 0" if lanes == 64 else
               "s_subvector_loop_begin s4, 6; s_mov_b64 s[10:11], s[8:9]; s_mov_b32 s8, exec_lo; s_add_u32 s5, s5, 1; v_add_nc_u32 v1, s5, v1; s_subvector_loop_end s4, 0xfffb; s_nop 0",
               lambda c: c.exec(mask).scalar(4, 7).scalar(5, 0).scalar(8, 0, 2).scalar(10, 0, 2).vector(1, [0] * 64), 1, issues=1 + 5 * len(passes), lanes=lanes)
    assert r.s[EXEC] | r.s[EXEC + 1] << 32 == mask and r.s[4] == saved and r.s[5] == len(passes)
    assert [r.s[8 + 2 * i] | r.s[9 + 2 * i] << 32 for i in range(len(passes))] == passes[::-1]
    assert r.shown[0][:lanes] == [next((n + 1 for n, on in enumerate(passes) if on >> i & 1), 0) for i in range(lanes)]
