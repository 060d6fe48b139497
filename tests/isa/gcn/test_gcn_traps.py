"""Traps through the kernel driver's own handler (from Debian's linux-source-6.1) and a second one behind it; exceptions; context save."""
import random
import struct

import pytest

from gpu import (ADDR_WATCH, AREA, AREA_SIZE, EXEC, FLAT_SCRATCH, HALT, HANDLER, ILLEGAL, M0, MEM_VIOL, OUT, PRIV, SAVECTX, TMA2, TTMP, VCC,
                 XNACK_ERROR, XNACK_MASK, Gpu, assemble, driver_handler, kernel)

# A second-level handler: it notes what it finds at TMA, steps over traps and illegal instructions, clears exceptions, and halts
# a wave that is single-stepped.
SECOND_LEVEL = """
.amdgcn_target "amdgcn-amd-amdhsa--gfx900"
.text
.globl handler
handler:
 s_getreg_b32 ttmp2, hwreg(HW_REG_TRAPSTS)
 s_load_dword ttmp3, ttmp[14:15], 0x0 glc
 s_waitcnt lgkmcnt(0)
 s_add_u32 ttmp3, ttmp3, 1
 s_store_dword ttmp3, ttmp[14:15], 0x0 glc
 s_store_dwordx2 ttmp[0:1], ttmp[14:15], 0x8 glc
 s_store_dword ttmp2, ttmp[14:15], 0x10 glc
 s_store_dword ttmp12, ttmp[14:15], 0x14 glc
 s_store_dword ttmp11, ttmp[14:15], 0x18 glc
 s_waitcnt lgkmcnt(0)
 s_bfe_u32 ttmp3, ttmp1, 0x80010
 s_cbranch_scc0 exception
 s_bitcmp1_b32 ttmp1, 24
 s_cbranch_scc1 done
 s_add_u32 ttmp0, ttmp0, 4
 s_addc_u32 ttmp1, ttmp1, 0
 s_branch done
exception:
 s_mov_b32 ttmp3, 0
 s_setreg_b32 hwreg(HW_REG_TRAPSTS, 0, 10), ttmp3
 s_setreg_b32 hwreg(HW_REG_TRAPSTS, 11, 4), ttmp3
 s_bitcmp1_b32 ttmp2, 11
 s_cbranch_scc0 stepped
 s_add_u32 ttmp0, ttmp0, 4
 s_addc_u32 ttmp1, ttmp1, 0
stepped:
 s_getreg_b32 ttmp3, hwreg(HW_REG_MODE, 11, 1)
 s_lshl_b32 ttmp3, ttmp3, 13
 s_or_b32 ttmp12, ttmp12, ttmp3
done:
 s_and_b32 ttmp1, ttmp1, 0xffff
 s_and_b64 exec, exec, exec
 s_and_b64 vcc, vcc, vcc
 s_setreg_b32 hwreg(HW_REG_STATUS), ttmp12
 s_rfe_b64 ttmp[0:1]
"""


def second_level():
    pieces, symbols = assemble(SECOND_LEVEL)
    addr, data = next((a, d) for a, d in pieces if a <= symbols["handler"] < a + len(d))
    data = data[symbols["handler"] - addr:]
    return struct.unpack(f"<{len(data) // 4}I", data[:len(data) // 4 * 4])


class Noted:
    """What the second-level handler has found."""

    def __init__(self, gpu):
        self.count, _, low, high, self.trapsts, self.status, self.ttmp11 = gpu.read(TMA2, 7)
        self.pc, self.trap, self.host, self.rewind = low | (high & 0xffff) << 32, high >> 16 & 0xff, high >> 24 & 1, high >> 25


ENDS = " s_load_dwordx2 s[4:5], s[0:1], 0x0\n v_mov_b32 v1, s3\n v_mov_b32 v2, 0\n s_waitcnt lgkmcnt(0)\n" \
       " global_store_dword v2, v1, s[4:5]\n s_endpgm\n"


def trap_run(gpu, body, directives=(), second=True, before=None):
    """Runs one wave; it sets s3 to 7 behind `there`, and stores it in the end."""
    gpu.handlers(driver_handler(), second_level() if second else None)
    symbols = gpu.start(kernel(f" s_mov_b32 s3, 0\n{body}\n s_mov_b32 s3, 7\n{ENDS}", directives))
    if before:
        before(gpu)
    return gpu.run(), symbols


def test_trap_goes_through_both_handlers():
    """s_trap 2: to the driver's handler, to the second one with what it expects in TTMPs, and back behind the trap."""
    with Gpu() as gpu:
        why, at = trap_run(gpu, "there: s_trap 2")
        noted = Noted(gpu)
        assert why == "ended" and gpu.read(OUT, 1) == [7]
        assert (noted.count, noted.pc, noted.trap, noted.host, noted.trapsts) == (1, at["there"], 2, 0, 0)
        assert noted.status & PRIV and not noted.ttmp11 >> 23


def test_trap_without_a_second_handler():
    """The driver's own way: it steps over the trap."""
    with Gpu() as gpu:
        why, _ = trap_run(gpu, "there: s_trap 2", second=False)
        assert why == "ended" and gpu.read(OUT, 1) == [7]


# ---- the nine exceptions ----

ONE_SOURCE = {  # directive, bit, instructions with `there` behind the one that raises it, further bits that come with it
    "invalid": ("amdhsa_exception_fp_ieee_invalid_op 1", 0, " v_sqrt_f32 v3, -1.0\nthere:", 0),
    "denormal source": ("amdhsa_exception_fp_denorm_src 1", 1, " v_mov_b32 v2, 5\n v_max_f32 v3, v2, 1.0\nthere:", 0),
    "division by zero": ("amdhsa_exception_fp_ieee_div_zero 1", 2, " v_rcp_f32 v3, 0\nthere:", 0),
    "overflow": ("amdhsa_exception_fp_ieee_overflow 1", 3, " v_mov_b32 v2, 0x7f7fffff\n v_add_f32 v3, v2, v2\nthere:", 1 << 5),
    "underflow": ("amdhsa_exception_fp_ieee_underflow 1", 4, " v_mov_b32 v2, 0x00ffffff\n v_mul_f32 v3, 0.15915494, v2\nthere:", 1 << 5),
    "inexact": ("amdhsa_exception_fp_ieee_inexact 1", 5, " v_mov_b32 v2, 0x33000000\n v_add_f32 v3, 1.0, v2\nthere:", 0),
    "integer division by zero": ("amdhsa_exception_int_div_zero 1", 6, " v_rcp_iflag_f32 v3, 0\nthere:", 0),
}


@pytest.mark.parametrize("name", ONE_SOURCE)
def test_enabled_exception(name):
    """The instruction is done; the handler finds the next one's PC, trap number 0, and the exception in TRAPSTS."""
    directive, bit, body, others = ONE_SOURCE[name]
    with Gpu() as gpu:
        why, at = trap_run(gpu, body, [directive])
        noted = Noted(gpu)
        assert why == "ended" and gpu.read(OUT, 1) == [7]
        assert (noted.count, noted.pc, noted.trap, noted.trapsts) == (1, at["there"], 0, 1 << bit | others)
    with Gpu() as gpu:  # the same instruction, and another exception enabled
        other = next(d for d, b, _, _ in ONE_SOURCE.values() if b == (bit + 3) % 7)
        why, _ = trap_run(gpu, body, [other] if not others >> (bit + 3) % 7 & 1 else [])
        assert why == "ended" and gpu.read(OUT, 1) == [7] and Noted(gpu).count == 0


@pytest.mark.parametrize("bit", [ADDR_WATCH, 1 << 12, 1 << 13, 1 << 14], ids=["0", "1", "2", "3"])
def test_address_watch(bit):
    """What the watch hardware will do: one enable bit for the four addresses."""
    body = " s_setreg_imm32_b32 hwreg(HW_REG_MODE, 19, 1), {}\n s_nop 0\nthere:\n s_nop 0"
    for enabled in (1, 0):
        with Gpu() as gpu:
            at = {}

            def watched(gpu):
                assert gpu.run(3) == "budget" and gpu.ask("raise", 0, bit) == "1"
            why, at = trap_run(gpu, body.format(enabled), before=watched)
            noted = Noted(gpu)
            assert why == "ended" and gpu.read(OUT, 1) == [7] and noted.count == enabled
            if enabled:
                assert (noted.pc, noted.trap, noted.trapsts) == (at["there"], 0, bit)


def test_memory_violation():
    """No mask holds it back: PC behind the access, which has no effect."""
    with Gpu() as gpu:
        why, at = trap_run(gpu, " v_mov_b32 v2, 0\n v_mov_b32 v3, 0x55\n global_load_dword v4, v[2:3], off\nthere:")
        noted = Noted(gpu)
        assert why == "ended" and gpu.read(OUT, 1) == [7]
        assert (noted.count, noted.pc, noted.trap, noted.trapsts) == (1, at["there"], 0, MEM_VIOL)


def test_illegal_instruction():
    """Neither: PC at the instruction."""
    with Gpu() as gpu:
        why, at = trap_run(gpu, "there: .long 0xbeff7fff")
        noted = Noted(gpu)
        assert why == "ended" and gpu.read(OUT, 1) == [7]
        assert (noted.count, noted.pc, noted.trap, noted.trapsts) == (1, at["there"], 0, ILLEGAL)


def test_exception_without_a_second_handler():
    """The driver's handler halts the wave, two instructions back, so that it does not end halted."""
    with Gpu() as gpu:
        why, at = trap_run(gpu, " v_rcp_f32 v3, 0\nthere:", [ONE_SOURCE["division by zero"][0]], second=False)
        wave = gpu.waves()[0]
        assert why == "halted" and wave.pc == at["there"] - 8 and wave.status & (PRIV | HALT) == HALT


REWINDS = {  # PCRewind: the length of the instruction that raised an exception, 0 for all else; `there` is behind it
    "4 bytes": (" v_rcp_f32 v3, 0\nthere:", 1), "8 bytes": (" v_rcp_f32_e64 v3, 0\nthere:", 2),
    "a literal": (" v_mov_b32 v2, 0x7f7fffff\n v_add_f32 v3, 0x7f7fffff, v2\nthere:", 2),
    "a memory violation": (" v_mov_b32 v2, 0\n v_mov_b32 v3, 0x55\n global_load_dword v4, v[2:3], off\nthere:", 2),
    "a memory violation of scalar memory": (" s_mov_b32 s8, 0\n s_mov_b32 s9, 0x55\n s_load_dword s8, s[8:9], 0x0\nthere:", 2),
    "s_trap": ("there: s_trap 7", 0), "an illegal instruction": ("there: .long 0xbeff7fff", 0)}


@pytest.mark.parametrize("name", REWINDS)
def test_rewind(name):
    """PC - PCRewind * 4 is the instruction."""
    body, rewind = REWINDS[name]
    with Gpu() as gpu:
        why, at = trap_run(gpu, body, [ONE_SOURCE["division by zero"][0], ONE_SOURCE["overflow"][0]])
        noted = Noted(gpu)
        assert why == "ended" and (noted.count, noted.pc, noted.rewind) == (1, at["there"], rewind)


@pytest.mark.parametrize("bit", [0, 1])
def test_memory_violation_whatever_mode_says(bit):
    """MODE[20] is kept as state; the exception traps whether it is set or not."""
    body = f" s_setreg_imm32_b32 hwreg(HW_REG_MODE, 20, 1), {bit}\n v_mov_b32 v2, 0\n v_mov_b32 v3, 0x55\n s_getreg_b32 s6, hwreg(HW_REG_MODE, 20, 1)" \
           "\n global_load_dword v4, v[2:3], off\nthere:\n s_mov_b32 s3, s6"
    with Gpu() as gpu:
        gpu.handlers(driver_handler(), second_level())
        symbols = gpu.start(kernel(body + "\n" + ENDS))
        assert gpu.run() == "ended" and gpu.read(OUT, 1) == [bit]
        noted = Noted(gpu)
        assert (noted.count, noted.pc, noted.trapsts) == (1, symbols["there"], MEM_VIOL)


def test_host_trap():
    """From outside, with HT: nothing is stepped over; a second one is refused while the wave is in the handler."""
    for second in (True, False):
        with Gpu() as gpu:
            def stopped(gpu):
                assert gpu.run(3) == "budget" and gpu.ask("trap", 0, 5) == "1" and gpu.ask("trap", 0, 5) == "0"
            why, at = trap_run(gpu, " s_nop 0\n s_nop 0\nthere: s_nop 0", second=second, before=stopped)
            noted = Noted(gpu)
            assert why == "ended" and gpu.read(OUT, 1) == [7]
            if second:
                assert (noted.count, noted.pc, noted.trap, noted.host) == (1, at["there"], 5, 1)


def test_no_trap_handler():
    """An exception that is enabled, and nobody to deal with it: the run ends with its name."""
    with Gpu() as gpu:
        gpu.start(kernel(" v_rcp_f32 v3, 0\n s_endpgm", [ONE_SOURCE["division by zero"][0]]))
        assert gpu.run() == "fault v_rcp_f32: division by zero, which EXCP_EN makes an exception, and there is no trap handler"


def test_lanes_that_raise():
    """EXCP_CYCLE[1:0]: which 16 lanes the first one is among; the report names them."""
    body = " v_add_u32 v3, -37, v0\n v_cvt_f32_i32 v3, v3\n v_rcp_f32 v3, v3\nthere:"
    directive = ONE_SOURCE["division by zero"][0]
    with Gpu() as gpu:
        why, at = trap_run(gpu, body, [directive])
        assert why == "ended" and Noted(gpu).trapsts == 4 | 2 << 16
    with Gpu() as gpu:
        gpu.start(kernel(body + ENDS, [directive]))
        assert gpu.run().startswith("fault v_rcp_f32") and gpu.ask("lanes") == "2000000000"


# ---- context save and restore ----

ITEMS, LDS = 256, 1100
SPECIAL = {VCC: 0x123456789abcdef0, FLAT_SCRATCH: 0x0badcafe55aa33cc, XNACK_MASK: 0x1122334455667788}


def rounds(lds):
    return 12 if lds else 90


def work(vgprs, lds, model):
    """Each round: a number goes into LDS, a neighbour's comes out; waves leave traces in all kinds of registers."""
    exclusive = " v_xor_b32 v3, v3, v4" if model == "gfx900" else " v_xnor_b32 v3, v3, v4\n v_not_b32 v3, v3"
    share = """
 ds_write_b32 v1, v3
 s_waitcnt lgkmcnt(0)
 s_barrier
 ds_read_b32 v4, v2
 s_waitcnt lgkmcnt(0)
 s_barrier
""" if lds else " v_add_u32 v4, 3, v3\n"
    fill = "".join(f" v_mul_u32_u24 v{r}, {r}, v0\n" for r in range(5, vgprs))
    check = "".join(f" v_add_u32 v3, v3, v{r}\n" for r in range(5, vgprs))
    if model in ("gfx908", "gfx90a", "gfx942"):  # meanwhile, the numbers are in accumulation registers
        fill += " s_nop 1\n" + "".join(f" v_accvgpr_write_b32 a{r}, v{r}\n" for r in range(5, vgprs)) + "".join(f" v_mov_b32 v{r}, 0\n" for r in range(5, vgprs))
        check = "".join(f" v_accvgpr_read_b32 v{r}, a{r}\n" for r in range(5, vgprs)) + check
    specials = "".join(f" s_mov_b32 {name}, 0x{value:x}\n" for name, value in (
        ("flat_scratch_lo", SPECIAL[FLAT_SCRATCH] & 0xffffffff), ("flat_scratch_hi", SPECIAL[FLAT_SCRATCH] >> 32),
        ("xnack_mask_lo", SPECIAL[XNACK_MASK] & 0xffffffff), ("xnack_mask_hi", SPECIAL[XNACK_MASK] >> 32),
        ("vcc_lo", SPECIAL[VCC] & 0xffffffff), ("vcc_hi", SPECIAL[VCC] >> 32), ("m0", 0x8765)))
    return f"""
 s_load_dwordx2 s[4:5], s[0:1], 0x0
 s_waitcnt lgkmcnt(0)
 s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0x6
{specials}{fill}
 v_lshlrev_b32 v1, 2, v0
 v_add_u32 v2, 37, v0
 v_and_b32 v2, {ITEMS - 1}, v2
 v_lshlrev_b32 v2, 2, v2
 v_mov_b32 v3, s2
 v_mad_u32_u24 v3, v0, 7, v3
 s_movk_i32 s6, {rounds(lds)}
again:
{share}
{exclusive}
 v_add_u32 v3, s6, v3
 s_sub_u32 s6, s6, 1
 s_cmp_lg_u32 s6, 0
 s_cbranch_scc1 again
{check}
 v_add_u32 v3, vcc_lo, v3
 v_add_u32 v3, m0, v3
 s_lshl_b32 s7, s2, 10
 v_add_u32 v1, s7, v1
 global_store_dword v1, v3, s[4:5]
 s_endpgm
"""


def results(groups, vgprs, lds):
    """The same in Python."""
    out, mask = [], 0xffffffff
    for group in range(groups):
        v3 = [(i * 7 + group) & mask for i in range(ITEMS)]
        for left in range(rounds(lds), 0, -1):
            v4 = [v3[(i + 37) % ITEMS] for i in range(ITEMS)] if lds else [x + 3 for x in v3]
            v3 = [((x ^ y) + left) & mask for x, y in zip(v3, v4)]
        out += [(x + sum(r * i for r in range(5, vgprs)) + (SPECIAL[VCC] & mask) + 0x8765) & mask for i, x in enumerate(v3)]
    return out


def read_record(memory, wave, first):
    """A saved wave by the layout of the gfx9 record: VGPRs (and accumulation registers), SGPRs, hardware registers, trap temporaries; LDS if it is the first."""
    vgprs, sgprs = len(wave.v), 16 * ((wave.gpr_alloc >> 24 & 15) + 1)
    at = 0

    def take(n):
        nonlocal at
        at += n
        return memory[at - n:at]
    record = {"v": [take(64) for _ in range(vgprs)], "s": take(sgprs), "hwreg": take(16), "ttmp": take(16)}
    record["lds"] = take((wave.lds_alloc >> 12 & 0x1ff) * 64) if first else []
    for name, back in ((VCC, 2), (XNACK_MASK, 4), (FLAT_SCRATCH, 6)):
        record[name] = record["s"][sgprs - back] | record["s"][sgprs - back + 1] << 32
    return record


def check_record(record, wave, lds, rows):
    """The record says what the wave was."""
    s = record["s"]
    assert record["v"][:rows] == wave.v[:rows]
    plain = min(len(s) - 6, FLAT_SCRATCH)
    assert s[:plain] == wave.s[:plain]
    assert [record[n] for n in SPECIAL] == [wave.pair(n) for n in SPECIAL]
    m0, pc_lo, pc_hi, exec_lo, exec_hi, status, trapsts, xnack_lo, xnack_hi, mode = record["hwreg"][:10]
    assert m0 == wave.s[M0] and pc_lo | pc_hi << 32 == wave.pc and exec_lo | exec_hi << 32 == wave.pair(EXEC)
    assert xnack_lo | xnack_hi << 32 == wave.pair(XNACK_MASK) and mode == wave.mode and trapsts == wave.trapsts
    assert status & 1 == wave.scc and status & PRIV
    assert record["ttmp"][6] == wave.s[TTMP + 6] and record["ttmp"][8:12] == wave.s[TTMP + 8:TTMP + 12]
    assert record["lds"][:len(lds)] == lds and not any(record["lds"][len(lds):])


def same(before, after, rows):
    """Whether a wave is again what it was."""
    assert after.pc == before.pc and after.scc == before.scc and after.mode == before.mode
    assert after.v[:rows] == before.v[:rows]
    plain = min(16 * ((before.gpr_alloc >> 24 & 15) + 1) - 6, FLAT_SCRATCH)  # the last six are those with names
    assert after.s[:plain] == before.s[:plain] and after.s[FLAT_SCRATCH:TTMP] == before.s[FLAT_SCRATCH:TTMP]
    assert after.s[M0] == before.s[M0] and after.pair(EXEC) == before.pair(EXEC)
    assert after.s[TTMP + 6:TTMP + 12] == before.s[TTMP + 6:TTMP + 12] and after.s[TTMP + 13] == before.s[TTMP + 13]
    in_barrier = 1 << 12  # it comes there again
    assert after.status & ~in_barrier == before.status & ~in_barrier and after.trapsts == before.trapsts
    assert (after.gpr_alloc, after.lds_alloc, after.hw_id) == (before.gpr_alloc, before.lds_alloc, before.hw_id)


def lds_words(gpu, wave, size):
    data = bytes.fromhex(gpu.ask("lds", wave, size))
    return list(struct.unpack(f"<{len(data) // 4}I", data))


def save_and_restore(gpu, bits=0, lds=LDS):
    """Saves all waves, looks at the records, restores, and compares. After an XNACK error, the handlers of Arcturus and Aldebaran save VGPRs where
    accumulation registers belong: it indexes v_readlane, as it does for the VGPRs before, and has them in v0 to v3."""
    def rows(wave):
        return 4 * ((wave.gpr_alloc >> (12 if gpu.unified else 8) & 0x3f) + 1) if bits & XNACK_ERROR else len(wave.v)
    before = gpu.waves()
    if bits:
        for number in before:
            assert gpu.ask("raise", number, bits) == "1"
        before = gpu.waves()
    group_of = {number: tuple(w.s[TTMP + 8:TTMP + 11]) for number, w in before.items()}
    shares = {number: lds_words(gpu, number, lds) for number in before}
    assert gpu.ask("save", AREA, AREA_SIZE) == "ok"
    assert gpu.ask("saved").startswith("0") == bool(before)
    assert gpu.ask("restore") == f"{len(before)} waves are still being saved"
    assert gpu.run() == "event"
    assert gpu.ask("saved").startswith("1") and not gpu.waves()
    places = {}
    for number, wave in before.items():
        saved, addr, first = [int(x, 16) for x in gpu.ask("place", number).split()]
        assert saved
        places[addr] = number
        size = 64 * len(wave.v) + 16 * ((wave.gpr_alloc >> 24 & 15) + 1) + 32 + (first and (wave.lds_alloc >> 12 & 0x1ff) * 64)
        check_record(read_record(gpu.read(addr, size), wave, first), wave, shares[number] if first else [], rows(wave))
        if first:
            assert not any(n != number and group_of[n] == group_of[number] and a < addr for a, n in places.items())
    after = gpu.waves("restore")
    assert after.keys() == before.keys()
    for number in before:
        same(before[number], after[number], rows(before[number]))


def prepared(gpu, groups, vgprs, sgprs, lds, program="gfx900", model=None, linux="6.1"):
    """With the program for one model, on another that has its instructions."""
    gpu.handlers(driver_handler(model, linux), second_level())
    gpu.start(kernel(work(vgprs, lds, program), [f"amdhsa_group_segment_fixed_size {lds}"], vgprs, sgprs, model), groups, ITEMS, lds)


CONTEXTS = {  # work-groups, VGPRs, SGPRs, LDS, bits of TRAPSTS beside SAVECTX
    "few registers": (3, 8, 10, LDS, 0), "more registers": (3, 24, 30, LDS, 0), "groups that wait for room": (11, 64, 30, LDS, 0),
    "all SGPRs, stores through the scalar cache": (3, 24, 96, LDS, XNACK_ERROR), "no LDS": (3, 24, 30, 0, 0),
    "no LDS, scalar cache": (3, 5, 10, 0, XNACK_ERROR)}


@pytest.mark.parametrize("model,name,linux", [
    *(("gfx900", name, "6.1") for name in CONTEXTS),
    *(pytest.param("gfx906", name, "6.1", marks=pytest.mark.full if name != "few registers" else ()) for name in CONTEXTS),
    *(pytest.param("gfx908", name, "6.1", marks=pytest.mark.full if "registers" not in name else ()) for name in CONTEXTS),
    *(pytest.param("gfx90a", name, "6.1", marks=pytest.mark.full if "registers" not in name else ()) for name in CONTEXTS),
    *(pytest.param("gfx942", name, "6.12", marks=pytest.mark.full if "registers" not in name else ()) for name in CONTEXTS),
    *(pytest.param(model, name, "6.12", marks=pytest.mark.full) for model in ("gfx900", "gfx906", "gfx908", "gfx90a") for name in CONTEXTS)])
def test_context_save_and_restore(model, name, linux):
    """At many points of the program: what lies in memory, what the restored waves are, and what they compute in the end."""
    random.seed(name)
    groups, vgprs, sgprs, lds, bits = CONTEXTS[name]
    with Gpu(model) as gpu:
        prepared(gpu, groups, vgprs, sgprs, lds, "gfx906" if model in ("gfx908", "gfx90a", "gfx942") and bits else model, model, linux)
        saves = 0
        while gpu.run(random.randrange(1, 200 if groups < 9 else 2000)) == "budget":
            save_and_restore(gpu, bits, lds)
            saves += 1
        assert saves > 5
        assert gpu.read(OUT, groups * ITEMS) == results(groups, vgprs, lds)


def test_host_traps_disturb_nothing():
    """Waves are made to trap wherever they are, also at barriers, to which they come again."""
    random.seed("host traps")
    with Gpu() as gpu:
        prepared(gpu, 3, 8, 10, LDS)
        at_barrier = traps = 0
        while gpu.run(random.randrange(1, 100)) == "budget":
            for number, wave in gpu.waves().items():
                if random.random() < 0.1 and gpu.ask("trap", number, 9) == "1":
                    traps += 1
                    at_barrier += wave.status >> 12 & 1
        assert at_barrier > 10 and traps - at_barrier > 10
        assert Noted(gpu).count > 50 and gpu.read(OUT, 3 * ITEMS) == results(3, 8, LDS)


@pytest.mark.parametrize("how", ["semaphore", "barrier"])
def test_waves_that_wait_for_other_groups_are_saved(how):
    """Global wave sync: a wave that waits comes back to the instruction, and the counter is as if it had not been there."""
    waits, lets = ("ds_gws_sema_p offset:3 gds", "ds_gws_sema_v offset:3 gds") if how == "semaphore" else \
        ("ds_gws_barrier v3 offset:3 gds", "ds_gws_barrier v3 offset:3 gds")
    with Gpu() as gpu:
        gpu.handlers(driver_handler(), second_level())
        gpu.start(kernel(f"""
 s_mov_b32 m0, 0
 v_mov_b32 v3, 1
 s_load_dwordx2 s[4:5], s[0:1], 0x0
 s_cmp_eq_u32 s2, 0
 s_cbranch_scc0 other
 {"ds_gws_init v3 offset:3 gds" if how == "barrier" else "s_nop 0"}
there: {waits}
 s_branch both
other:
 s_movk_i32 s6, 200
again:
 s_sub_u32 s6, s6, 1
 s_cmp_lg_u32 s6, 0
 s_cbranch_scc1 again
 {lets}
both:
 s_waitcnt lgkmcnt(0)
 v_mov_b32 v1, 7
 s_lshl_b32 s7, s2, 2
 v_mov_b32 v2, s7
 global_store_dword v2, v1, s[4:5]
 s_endpgm
""", vgprs=8), 2)
        assert gpu.run(100) == "budget"
        for _ in range(2):
            save_and_restore(gpu, lds=0)
        assert gpu.run() == "ended" and gpu.read(OUT, 2) == [7, 7]


def test_program_asks_for_its_own_save():
    """TRAPSTS.SAVECTX is a program's to write; without an area that is a mistake that says so."""
    body = " s_mov_b32 s3, 1\n s_setreg_b32 hwreg(HW_REG_TRAPSTS, 10, 1), s3\nthere:"
    with Gpu() as gpu:
        why, at = trap_run(gpu, body)
        assert why == "fault s_sendmsg: nobody has asked for the wave's context to be saved"


def test_saves_that_are_refused():
    with Gpu() as gpu:
        gpu.start(kernel(" s_endpgm"))
        assert gpu.ask("save", AREA, AREA_SIZE) == "there is no trap handler, which would save the context"
        gpu.handlers(driver_handler())
        assert gpu.ask("save", 0x900000000, 0x1000).endswith("is not memory that the GPU may write, on a multiple of 256")
        assert gpu.ask("restore") == "no context is saved (1 waves run)"
        assert gpu.ask("save", AREA, 0x400) == "ok" and gpu.ask("save", AREA, AREA_SIZE) == "the context is saved already"
        assert gpu.run() == "fault s_sendmsg: the wave's context takes 2304 bytes; the area has 1024 left"


def test_single_stepped_wave_is_halted_before_it_is_saved():
    """MODE.DEBUG_EN: the second handler comes first and halts the wave; then the request to save is met, and it comes back halted."""
    with Gpu() as gpu:
        gpu.handlers(driver_handler(), second_level())
        at = gpu.start(kernel(f" s_setreg_imm32_b32 hwreg(HW_REG_MODE, 11, 1), 1\n s_nop 0\nthere: s_mov_b32 s3, 7\n{ENDS}"))
        assert gpu.run(2) == "budget" and gpu.ask("save", AREA, AREA_SIZE) == "ok" and gpu.run() == "event"
        assert Noted(gpu).count == 1
        wave = gpu.waves("restore")[0]
        assert wave.pc == at["there"] and wave.status & (HALT | PRIV) == HALT and gpu.run() == "halted"


def test_halted_wave_waits_in_the_handler_until_it_is_saved():
    """A memory violation of a halted wave: the driver's handler waits for the save."""
    with Gpu() as gpu:
        gpu.handlers(driver_handler(), second_level())
        at = gpu.start(kernel(f" s_sethalt 1\nthere: s_mov_b32 s3, 7\n{ENDS}"))
        assert gpu.run() == "halted" and gpu.ask("raise", 0, MEM_VIOL) == "1" and gpu.run(100) == "budget"
        assert gpu.ask("save", AREA, AREA_SIZE) == "ok" and gpu.run() == "event" and Noted(gpu).count == 0
        wave = gpu.waves("restore")[0]
        assert wave.pc == at["there"] and wave.trapsts == MEM_VIOL and wave.status & HALT


# ---- everything at once ----

SPI_GDBG_TRAP_MASK = 0x31d3
HALTS, RESUMES, DEBUGS, TRAPS = 1, 2, 4, 5
PROCESS = 2 << 4


def save_and_go_on(gpu):
    """A context save wherever the waves are, in their handler or halted, too; then they go on."""
    assert gpu.ask("save", AREA, AREA_SIZE) == "ok"
    for _ in range(100):
        if gpu.run() == "event":
            break
    assert gpu.ask("saved").startswith("1")
    gpu.ask("restore")


@pytest.mark.parametrize("seed", range(6))
def test_disturbances_change_no_result(seed):
    """Halts, resumes, steps, traps, watches and context saves at random points, with the kernel driver's handler: the same results."""
    random.seed(f"disturbed {seed}")
    groups, lds = 3, LDS if seed % 2 else 0
    kinds = {name: 0 for name in ("halt", "resume", "step", "trap", "watch", "gone", "save")}
    with Gpu() as gpu:
        assert gpu.ask("reg", SPI_GDBG_TRAP_MASK, 0x80) == "ok"  # address watch
        prepared(gpu, groups, 8, 10, lds)
        resume = lambda: gpu.ask("control", RESUMES | PROCESS, 0)
        for round_ in range(100000):
            why = gpu.run(random.randrange(1, 100))
            if why == "ended":
                break
            assert why in ("budget", "halted"), why
            if round_ > 250:
                gpu.ask("gone")
                resume()
                continue
            if why == "halted":
                resume()
            waves = gpu.waves()
            if not waves:
                continue
            message = int(gpu.ask("at", random.choice(list(waves))), 16)
            kind = random.choice(list(kinds))
            kinds[kind] += 1
            if kind == "save":
                save_and_go_on(gpu)
            elif kind == "watch":
                gpu.ask("watch", OUT + random.randrange(0, 0x1000), random.choice((0xffffffff, 0xffffff00, 0)) | random.randrange(4) << 32)
            elif kind == "gone":
                gpu.ask("gone")
                assert gpu.ask("reg", SPI_GDBG_TRAP_MASK, 0x80) == "ok"
            else:
                what = {"halt": HALTS, "resume": RESUMES, "step": DEBUGS, "trap": TRAPS | random.randrange(8) << 8}[kind]
                assert gpu.ask("control", what | random.choice((0, PROCESS, 3 << 4)), message) == "0"
        assert why == "ended" and all(kinds.values()), (why, kinds)
        assert gpu.read(OUT, groups * ITEMS) == results(groups, 8, lds)
