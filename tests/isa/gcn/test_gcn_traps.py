"""Traps through the kernel driver's own handler (from Debian's linux-source-6.1) and a second one behind it; exceptions; context save."""
import random
import struct

import pytest

import gpu as of_gpu
from gpu import (ADDR_WATCH, AREA, AREA_SIZE, EXEC, FLAT_SCRATCH, HALT, HANDLER, ILLEGAL, M0, MEM_VIOL, OUT, PRIV, SAVECTX, TMA2, TTMP, VCC,
                 XNACK_ERROR, XNACK_MASK, Gpu, assemble, driver_handler, kernel)

LINUX_OF = {"gfx942": "6.12"}  # the first handler of it


@pytest.fixture
def each_model(request, monkeypatch):
    """The test is of this model, with its own handler."""
    monkeypatch.setattr(of_gpu, "MODEL", request.param)
    monkeypatch.setattr(of_gpu, "LINUX", LINUX_OF.get(request.param, "6.1"))
    return request.param


def by_model(*quick):
    """The test once for each model, of which `make check` has gfx900 and the quick ones."""
    names = ("gfx900", "gfx906", "gfx908", "gfx90a", "gfx942")
    each = pytest.mark.parametrize("each_model", [pytest.param(name, marks=() if name in ("gfx900", *quick) else pytest.mark.full) for name in names], indirect=True)
    return lambda test: pytest.mark.usefixtures("each_model")(each(test))


# A second-level handler: it notes what it finds at TMA, steps over traps and illegal instructions, clears exceptions, and halts
# a wave that is single-stepped. Linux 6.12's handler, which a gfx942 has, comes before a save for what TRAPSTS says of traps there: it is
# the second one's to clear.
CLEARED = " s_mov_b32 ttmp3, 0\n s_setreg_b32 hwreg(HW_REG_TRAPSTS, 22, 4), ttmp3\n"
SECOND_LEVEL = """
.amdgcn_target "amdgcn-amd-amdhsa--{model}"
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
{cleared} s_and_b32 ttmp1, ttmp1, 0xffff
 s_and_b64 exec, exec, exec
 s_and_b64 vcc, vcc, vcc
 s_setreg_b32 hwreg(HW_REG_STATUS), ttmp12
 s_rfe_b64 ttmp[0:1]
"""


def second_level():
    pieces, symbols = assemble(SECOND_LEVEL.format(model=of_gpu.MODEL, cleared=CLEARED if of_gpu.MODEL == "gfx942" else ""))
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


@by_model()
def test_trap_goes_through_both_handlers():
    """s_trap 2: to the driver's handler, to the second one with what it expects in TTMPs, and back behind the trap."""
    with Gpu() as gpu:
        why, at = trap_run(gpu, "there: s_trap 2")
        noted = Noted(gpu)
        assert why == "ended" and gpu.read(OUT, 1) == [7]
        assert (noted.count, noted.pc, noted.trap, noted.host, noted.trapsts) == (1, at["there"], 2, 0, 0)
        assert noted.status & PRIV and not noted.ttmp11 >> 23


@by_model()
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


@by_model()
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


@by_model()
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


@by_model()
def test_memory_violation():
    """No mask holds it back: PC behind the access, which has no effect."""
    with Gpu() as gpu:
        why, at = trap_run(gpu, " v_mov_b32 v2, 0\n v_mov_b32 v3, 0x55\n global_load_dword v4, v[2:3], off\nthere:")
        noted = Noted(gpu)
        assert why == "ended" and gpu.read(OUT, 1) == [7]
        assert (noted.count, noted.pc, noted.trap, noted.trapsts) == (1, at["there"], 0, MEM_VIOL)


@by_model("gfx90a")
def test_illegal_instruction():
    """Neither: PC at the instruction."""
    with Gpu() as gpu:
        why, at = trap_run(gpu, "there: .long 0xbeff7fff")
        noted = Noted(gpu)
        assert why == "ended" and gpu.read(OUT, 1) == [7]
        assert (noted.count, noted.pc, noted.trap, noted.trapsts) == (1, at["there"], 0, ILLEGAL)


@by_model()
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


@by_model()
@pytest.mark.parametrize("name", REWINDS)
def test_rewind(name):
    """PC - PCRewind * 4 is the instruction."""
    body, rewind = REWINDS[name]
    with Gpu() as gpu:
        why, at = trap_run(gpu, body, [ONE_SOURCE["division by zero"][0], ONE_SOURCE["overflow"][0]])
        noted = Noted(gpu)
        assert why == "ended" and (noted.count, noted.pc, noted.rewind) == (1, at["there"], rewind)


@by_model()
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


@by_model()
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


@by_model("gfx90a")
def test_no_trap_handler():
    """An exception that is enabled, and nobody to deal with it: the run ends with its name."""
    with Gpu() as gpu:
        gpu.start(kernel(" v_rcp_f32 v3, 0\n s_endpgm", [ONE_SOURCE["division by zero"][0]]))
        assert gpu.run() == "fault v_rcp_f32: division by zero, which EXCP_EN makes an exception, and there is no trap handler"


@by_model("gfx90a")
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


# ---- what is different from model to model (facts: linux, the masks of GC 9.0 to 9.4.3, cwsr_trap_handler_gfx9.asm) ----

SPI_GDBG_TRAP_MASK = 0x31d3
HALTS, RESUMES, DEBUGS, TRAPS = 1, 2, 4, 5
PROCESS = 2 << 4
ACCUMULATES = ("gfx908", "gfx90a", "gfx942")    # as many accumulation registers as VGPRs
OWN = ("gfx942",)   # TTMP11 has the packet's number, TTMP13 the debugger's flag; TRAPSTS says how the wave came in
HOST_TRAP, TRAP_AFTER_INST = 1 << 22, 1 << 25


@by_model("gfx90a")
def test_trap_temporaries_of_a_new_wave(each_model):
    """Number of the packet, work-group and wave of it."""
    with Gpu() as gpu:
        gpu.start(kernel(" s_endpgm"), 3, 256, packet=0x1a5b3c7)
        waves = gpu.waves().values()
        assert sorted((*w.s[TTMP + 8:TTMP + 11], w.s[TTMP + 11] & 0x3f) for w in waves) == [(g, 0, 0, i) for g in range(3) for i in range(4)]
        assert {(w.s[TTMP + 6], w.s[TTMP + 11] >> 6) for w in waves} == {(0, 0x1a5b3c7) if each_model in OWN else (0x1a5b3c7, 0)}


@by_model("gfx90a")
def test_the_second_handler_is_told_of_a_debugger(each_model):
    for attached in (0, 1):
        with Gpu() as gpu:
            gpu.handlers(driver_handler(), second_level(), attached)
            gpu.start(kernel(" s_trap 2\n s_sethalt 1\n s_endpgm"))
            assert gpu.run() == "halted" and Noted(gpu).count == 1
            assert [gpu.waves()[0].s[TTMP + n] >> 23 & 1 for n in (11, 13)] == ([0, attached] if each_model in OWN else [attached, 0])


@by_model("gfx90a")
def test_how_a_wave_came_into_its_handler(each_model):
    """TRAPSTS after a single step, and after the host's trap: a gfx942 alone has bits of them."""
    def trapped(gpu):
        assert gpu.run(3) == "budget" and gpu.ask("trap", 0, 5) == "1"
    step = " s_setreg_imm32_b32 hwreg(HW_REG_MODE, 11, 1), 1\n s_nop 0\nthere:"
    for body, before, bit in ((step, None, TRAP_AFTER_INST), (" s_nop 0\n s_nop 0\nthere: s_nop 0", trapped, HOST_TRAP)):
        with Gpu() as gpu:
            why, at = trap_run(gpu, body, before=before)
            noted = Noted(gpu)
            assert why == ("ended" if before else "halted") and (noted.count, noted.pc, noted.trapsts) == (1, at["there"], bit if each_model in OWN else 0)


@by_model("gfx90a")
def test_sizes_and_modes_that_a_wave_reads(each_model):
    """GPR_ALLOC: VGPRs in fours; in a unified file both kinds in eights, and where accumulation registers begin. MODE keeps its bits."""
    with Gpu() as gpu:
        gpu.start(kernel(f" s_setreg_imm32_b32 hwreg(HW_REG_MODE, 12, 9), 0x80\n s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), 0xa6\n s_sethalt 1\n{ENDS}", vgprs=24, sgprs=40))
        assert gpu.run() == "halted"
        wave = gpu.waves()[0]
        sgprs = (40 + 6 + 15) // 16 - 1     # with VCC, FLAT_SCRATCH and XNACK_MASK
        assert wave.gpr_alloc == (sgprs << 24 | 5 << 12 | 5 << 6 if each_model in of_gpu.UNIFIED else sgprs << 24 | 5 << 8)
        assert wave.mode & 0x1ff0ff == 0x800a6


@pytest.mark.parametrize("each_model,cu,se", [("gfx900", 64, 4), ("gfx906", 64, 4), ("gfx908", 120, 8), ("gfx90a", 104, 8)], indirect=["each_model"])
def test_place_of_each_wave_of_a_whole_chip(each_model, cu, se):
    """HW_ID: each compute unit once, by engine (three bits), array and number in it; what the debugger's messages name is the same place."""
    with Gpu(None, cu, se) as gpu:
        gpu.start(kernel(" s_endpgm"), cu, 64)
        places = set()
        for number, w in gpu.waves().items():
            field = lambda high, low, value=w.hw_id: value >> low & (1 << high - low + 1) - 1
            place = field(15, 13), field(12, 12), field(11, 8), field(5, 4), field(3, 0)
            message = int(gpu.ask("at", number), 16)
            assert place == (message >> 24, message >> 8 & 1, message >> 20 & 15, message >> 18 & 3, message >> 14 & 15)
            places.add(place[:3])
        assert len(places) == cu and {p[0] for p in places} == set(range(se))


@by_model("gfx90a")
def test_the_four_watches_stop_behind_the_access(each_model):
    """The driver sets them, SPI_GDBG_TRAP_MASK enables them in new waves: PC behind the store, the watch's own bit in TRAPSTS."""
    for number, bit in enumerate((ADDR_WATCH, 1 << 12, 1 << 13, 1 << 14)):
        with Gpu() as gpu:
            gpu.handlers(driver_handler(), second_level())
            assert gpu.ask("reg", SPI_GDBG_TRAP_MASK, 0x80) == "ok"
            for n in range(4):
                assert gpu.ask("watch", OUT + (0x100 if n == number else 0x8000 + 0x100 * n), 0xffffffff | 1 << 32) == "0"
            assert gpu.ask("watch", OUT, 0xffffffff) == "-12"
            at = gpu.start(kernel(" s_load_dwordx2 s[4:5], s[0:1], 0x0\n v_mov_b32 v1, 7\n v_mov_b32 v2, 0x100\n s_waitcnt lgkmcnt(0)\n"
                                  " global_store_dword v2, v1, s[4:5]\nthere:\n s_waitcnt vmcnt(0)\n s_endpgm"))
            assert gpu.run() == "ended" and gpu.read(OUT + 0x100, 1) == [7]
            noted = Noted(gpu)
            assert (noted.count, noted.pc, noted.trap, noted.trapsts) == (1, at["there"], 0, bit)


@by_model("gfx90a")
def test_the_driver_halts_resumes_steps_and_traps_a_wave():
    """By the message that names its place."""
    with Gpu() as gpu:
        gpu.handlers(driver_handler(), second_level())
        at = gpu.start(kernel(f" s_mov_b32 s3, 0\nthere: s_nop 0\nbehind: s_mov_b32 s3, 7\n{ENDS}"))
        message = int(gpu.ask("at", 0), 16)
        assert gpu.run(1) == "budget" and gpu.ask("control", HALTS, message) == "0" and gpu.run() == "halted"
        assert (gpu.waves()[0].pc, Noted(gpu).count) == (at["there"], 0)
        assert gpu.ask("control", TRAPS | 5 << 8, message) == "0" and gpu.ask("control", RESUMES, message) == "0"
        assert gpu.run() == "ended" and gpu.read(OUT, 1) == [7]
        noted = Noted(gpu)
        assert (noted.count, noted.trap, noted.host) == (1, 5, 1) and noted.pc == at["there"]


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
    if model in ACCUMULATES:  # meanwhile, the numbers are in accumulation registers
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


def prepared(gpu, groups, vgprs, sgprs, lds, program=None, model=None, linux=None):
    """With the program for one model, on another that has its instructions."""
    gpu.handlers(driver_handler(model, linux), second_level())
    gpu.start(kernel(work(vgprs, lds, program or of_gpu.MODEL), [f"amdhsa_group_segment_fixed_size {lds}"], vgprs, sgprs, model), groups, ITEMS, lds)


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
        prepared(gpu, groups, vgprs, sgprs, lds, "gfx906" if model in ACCUMULATES and bits else model, model, linux)
        saves = 0
        while gpu.run(random.randrange(1, 200 if groups < 9 else 2000)) == "budget":
            save_and_restore(gpu, bits, lds)
            saves += 1
        assert saves > 5
        assert gpu.read(OUT, groups * ITEMS) == results(groups, vgprs, lds)


@by_model()
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


@by_model()
@pytest.mark.parametrize("how", ["semaphore", "barrier"])
def test_waves_that_wait_for_other_groups_are_saved(how):
    """Global wave sync: a wave that waits comes back to the instruction, and the counter is as if it had not been there."""
    waits, lets = ("ds_gws_sema_p offset:3 gds", "ds_gws_sema_v offset:3 gds") if how == "semaphore" else \
        ("ds_gws_barrier v4 offset:3 gds", "ds_gws_barrier v4 offset:3 gds")
    with Gpu() as gpu:
        gpu.handlers(driver_handler(), second_level())
        gpu.start(kernel(f"""
 s_mov_b32 m0, 0
 v_mov_b32 v4, 1
 s_load_dwordx2 s[4:5], s[0:1], 0x0
 s_cmp_eq_u32 s2, 0
 s_cbranch_scc0 other
 {"ds_gws_init v4 offset:3 gds" if how == "barrier" else "s_nop 0"}
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


@by_model()
def test_program_asks_for_its_own_save():
    """TRAPSTS.SAVECTX is a program's to write; without an area that is a mistake that says so."""
    body = " s_mov_b32 s3, 1\n s_setreg_b32 hwreg(HW_REG_TRAPSTS, 10, 1), s3\nthere:"
    with Gpu() as gpu:
        why, at = trap_run(gpu, body)
        assert why == "fault s_sendmsg: nobody has asked for the wave's context to be saved"


@by_model()
def test_saves_that_are_refused(each_model):
    with Gpu() as gpu:
        gpu.start(kernel(" s_endpgm"))
        assert gpu.ask("save", AREA, AREA_SIZE) == "there is no trap handler, which would save the context"
        gpu.handlers(driver_handler())
        assert gpu.ask("save", 0x900000000, 0x1000).endswith("is not memory that the GPU may write, on a multiple of 256")
        assert gpu.ask("restore") == "no context is saved (1 waves run)"
        assert gpu.ask("save", AREA, 0x400) == "ok" and gpu.ask("save", AREA, AREA_SIZE) == "the context is saved already"
        assert gpu.run() == f"fault s_sendmsg: the wave's context takes {4352 if each_model in ACCUMULATES else 2304} bytes; the area has 1024 left"


@by_model()
def test_single_stepped_wave_is_halted_before_it_is_saved():
    """MODE.DEBUG_EN: the second handler comes first and halts the wave; then the request to save is met, and it comes back halted."""
    with Gpu() as gpu:
        gpu.handlers(driver_handler(), second_level())
        at = gpu.start(kernel(f" s_setreg_imm32_b32 hwreg(HW_REG_MODE, 11, 1), 1\n s_nop 0\nthere: s_mov_b32 s3, 7\n{ENDS}"))
        assert gpu.run(2) == "budget" and gpu.ask("save", AREA, AREA_SIZE) == "ok" and gpu.run() == "event"
        assert Noted(gpu).count == 1
        wave = gpu.waves("restore")[0]
        assert wave.pc == at["there"] and wave.status & (HALT | PRIV) == HALT and gpu.run() == "halted"


@by_model()
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


def save_and_go_on(gpu):
    """A context save wherever the waves are, in their handler or halted, too; then they go on."""
    assert gpu.ask("save", AREA, AREA_SIZE) == "ok"
    for _ in range(100):
        if gpu.run() == "event":
            break
    assert gpu.ask("saved").startswith("1")
    gpu.ask("restore")


@by_model()
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
