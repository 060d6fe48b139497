"""The random kernels of test_race_model.py as machine code of a gfx900, a Gen9 and of Vortex, with the rules of these families: whose lanes are in lockstep, which
stores and loads do not tell that they are atomic, what releases and acquires, and to whom. Flags are stored or exchanged, and loaded or fetched by an atomic operation.

    test_race_run.py FAMILY FIRST COUNT      as many kernels, from a number on, by hand
"""
import concurrent.futures
import dataclasses
import itertools
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import pytest

import checks
from sanitizer import ROOT
from test_hazard import compile_
from test_race_model import GROUPS, ROW, WARPS, group_of

WAVES, PLACES, STEPS, AT_ONCE = GROUPS * WARPS, 7, 6, 20


@dataclasses.dataclass(frozen=True)
class Op:
    wave: int
    what: str           # load, store, atomic; release, acquire of an edge
    place: int          # those below PLACES are global, the next one a group's
    form: str = ROW     # each lane its word; "one": lane 0 its word; "byte": lane 0 a byte of it; "turned": each lane another one's word
    edge: int = 0
    fence: str = ""     # a name of the family's FENCES
    plain: bool = False     # the flag is stored, or loaded, and not by an atomic operation
    wait: bool = False      # gfx900: the wave waits for it
    number: int = 0

    def touched(self, lanes):
        """{byte of the place: lane}"""
        if self.form in (ROW, "turned"):
            return {4 * (lane ^ (self.form == "turned")) + byte: lane for lane in range(lanes) for byte in range(4)}
        return {byte: 0 for byte in range(4 if self.form == "one" else 1)}


@dataclasses.dataclass
class Kernel:
    number: int
    steps: list     # operations, and groups that come to a barrier
    lines: dict = dataclasses.field(default_factory=dict)    # of the source: the operation


def random_kernel(number, family):
    """Half of the flags, and of the barriers, are between accesses to one place."""
    r, code = random.Random(f"{family} {number}"), CODE[family]
    steps, edges, atomics = [], itertools.count(1), r.random() < 0.6

    def access(wave, place):
        what = r.choice(["load", "load", "store", "atomic" if atomics else "store"])
        form = r.choice([ROW, ROW, "one", "one" if what == "atomic" else "byte", "turned"])
        steps.append(Op(wave, what, place, form, wait=r.random() < 0.4))

    def hand_on(a, b):
        edge, (stored, loaded) = next(edges), r.choice(code.FLAGS)
        steps.append(Op(a, "release", 0, edge=edge, fence=r.choice(code.FENCES), plain=stored))
        steps.append(Op(b, "acquire", 0, edge=edge, fence=r.choice(code.FENCES), plain=loaded))

    for _ in range(STEPS):
        kind, place, among_group = r.random(), r.randrange(PLACES + 1), r.random() < 0.5
        waves = r.sample(range(WARPS), 3) if among_group else r.sample(range(WAVES), 3)
        if kind < 0.15:
            steps.append(r.randrange(GROUPS))
        elif kind < 0.3:
            access(waves[0], place)
            steps.append(group_of(waves[0]))
            access(waves[1], place)
        elif kind < 0.45:
            hand_on(*waves[:2])
        elif kind < 0.7:
            access(waves[0], place)
            for a, b in itertools.pairwise(waves[:r.randint(2, 3)]):
                hand_on(a, b)
                access(b, place)
        else:
            for wave in waves[:r.randint(1, 3)]:
                access(wave, r.randrange(PLACES + 1))
    return Kernel(number, [step if isinstance(step, int) else dataclasses.replace(step, number=n) for n, step in enumerate(steps)])


# ---- code ----

class Code:
    LANES = 16
    FENCES = ["all", "all", "all", ""]
    FLAGS = [(False, False)]        # whether the flag is stored, and loaded, by plain instructions
    INDEPENDENT = False             # lanes of a wave are
    STORES_HIDE = LOADS_HIDE = False        # a store, a load beside an atomic operation may be one
    WAITS = False                   # the rules of a gfx900's counters
    HANDS_ON = True                 # what a wave has learnt of others it hands on without a release

    def __init__(self):
        self.labels = itertools.count()

    def write(self, kernel, lines, name):
        lines += self.BEGIN.format(name).splitlines()
        for op in kernel.steps:
            if isinstance(op, int):
                lines += self.barrier(op, f"past{next(self.labels)}")
                continue
            past = f"past{next(self.labels)}"
            before, inside, behind = self.code(op, past)
            lines += before
            first = len(lines) + 1
            lines += inside
            kernel.lines |= {line: op for line in range(first, len(lines) + 1)}
            lines += behind
        lines += self.END.format(name).splitlines()


class Gcn(Code):
    """s16: the wave's number, s17: the group's; v1: the lane's offset, v2: another one's."""
    LANES, WAITS, STORES_HIDE = 64, True, True
    FENCES = ["device", "device", "device", "group", ""]
    FLAGS = [(stored, loaded) for stored in (True, False) for loaded in (True, False)]
    HEAD = f'.amdgcn_target "amdgcn-amd-amdhsa--{checks.AMD}"\n.text'
    BEGIN = """.globl {0}
.p2align 8
.type {0},@function
{0}:
s_load_dwordx4 s[8:11], s[0:1], 0x0
s_mov_b32 s17, s2
s_mov_b32 m0, -1
v_lshrrev_b32 v3, 6, v0
v_readfirstlane_b32 s16, v3
s_mul_i32 s18, s17, 3
s_add_u32 s16, s16, s18
v_and_b32 v1, 63, v0
v_lshlrev_b32 v1, 2, v1
v_xor_b32 v2, 4, v1
v_mov_b32 v3, s16
v_mov_b32 v5, 1
v_mov_b32 v6, 0
v_mov_b32 v7, 0
s_waitcnt vmcnt(0) lgkmcnt(0)"""
    END = checks.unified("""s_endpgm
.size {0}, . - {0}
.section .rodata
.p2align 6
.amdhsa_kernel {0}
.amdhsa_next_free_vgpr 16
.amdhsa_next_free_sgpr 32
.amdhsa_group_segment_fixed_size 512
.amdhsa_user_sgpr_kernarg_segment_ptr 1
.end_amdhsa_kernel
.text""")
    METADATA = """  - .name: {0}
    .symbol: {0}.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 512
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 38
    .vgpr_count: 16
    .max_flat_workgroup_size: 192
    .args:
      - {{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}}
      - {{.size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global}}"""

    def code(self, op, past):
        before, behind = [f"s_cmp_lg_u32 s16, {op.wave}", f"s_cbranch_scc1 {past}"], [f"{past}:"]
        if op.what == "release":
            flag = f"global_store_dword v6, v5, s[10:11] offset:{4 * op.edge}" if op.plain else f"global_atomic_swap v6, v5, s[10:11] offset:{4 * op.edge}"
            return [*before, *(["s_waitcnt vmcnt(0)"] if op.fence == "device" else []), "s_mov_b64 exec, 1"], [flag], ["s_mov_b64 exec, -1", *behind]
        if op.what == "acquire":
            load = f"global_load_dword v4, v6, s[10:11] offset:{4 * op.edge} glc" if op.plain else f"global_atomic_cmpswap v4, v6, v[6:7], s[10:11] offset:{4 * op.edge} glc"
            last = ["buffer_wbinvl1_vol"] if op.fence == "device" else []
            return ([*before, "s_mov_b64 exec, 1", f"{past}spin:"], [load],
                    ["s_waitcnt vmcnt(0)", "v_readfirstlane_b32 s18, v4", "s_cmp_eq_u32 s18, 0", f"s_cbranch_scc1 {past}spin", *last, "s_mov_b64 exec, -1", *behind])
        one, at = op.form in ("one", "byte"), "v2" if op.form == "turned" else "v1"
        if op.place >= PLACES:
            access = {"load": f"ds_read_{'u8' if op.form == 'byte' else 'b32'} v4, {at}", "store": f"ds_write_b{8 if op.form == 'byte' else 32} {at}, v3", "atomic": f"ds_add_u32 {at}, v3"}
        else:
            end = f"s[8:9] offset:{256 * op.place}"
            access = {"load": f"global_load_{'ubyte' if op.form == 'byte' else 'dword'} v4, {at}, {end}",
                      "store": f"global_store_{'byte' if op.form == 'byte' else 'dword'} {at}, v3, {end}", "atomic": f"global_atomic_add {at}, v3, {end}"}
        return ([*before, *(["s_mov_b64 exec, 1"] if one else [])], [access[op.what]],
                [*(["s_waitcnt vmcnt(0) lgkmcnt(0)"] if op.wait else []), *(["s_mov_b64 exec, -1"] if one else []), *behind])

    @staticmethod
    def barrier(group, past):
        return [f"s_cmp_lg_u32 s17, {group}", f"s_cbranch_scc1 {past}", "s_waitcnt vmcnt(0) lgkmcnt(0)", "s_barrier", f"{past}:"]

    @staticmethod
    def run(folder, lines, kernels, jit):
        names = [f"k{i}" for i in range(len(kernels))]
        text = [*lines, ".amdgpu_metadata", "---", "amdhsa.version: [1, 1]", "amdhsa.kernels:", *(Gcn.METADATA.format(name) for name in names), "...", ".end_amdgpu_metadata"]
        (folder / "code.s").write_text("\n".join(text) + "\n")
        compile_(folder / "code.s", folder / "code.co", "-g", "-mcode-object-version=4")
        for name in names:
            yield findings(folder, "-g", f"{checks.AMD}:jit={jit}", f"--kernel={name}", f"--grid={WAVES * 64}", f"--block={WARPS * 64}", "--arg=zeros:2048", "--arg=zeros:256", folder / "code.co")


class Gen(Code):
    """Threads of 16 channels; r10: the channel's number, r12: its offset, r14: another one's, r16: the thread's number, r18: the group's."""
    INDEPENDENT, HANDS_ON = True, False
    BEGIN = """(W) mov (16|M0) r20.0<1>:ud r1.0<16;16,1>:uw
(W) and (16|M0) r10.0<1>:ud r20.0<8;8,1>:ud 0xf:ud
(W) shl (16|M0) r12.0<1>:ud r10.0<8;8,1>:ud 0x2:uw
(W) xor (16|M0) r14.0<1>:ud r12.0<8;8,1>:ud 0x4:ud
(W) shr (16|M0) r16.0<1>:ud r20.0<8;8,1>:ud 0x4:uw
(W) mov (16|M0) r18.0<1>:ud r0.1<0;1,0>:ud
(W) mul (16|M0) r20.0<1>:d r18.0<8;8,1>:d 0x3:w
(W) add (16|M0) r16.0<1>:d r16.0<8;8,1>:d r20.0<8;8,1>:d
(W) mov (16|M0) r28.0<1>:ud 0x0:ud
(W) mov (16|M0) r30.0<1>:ud 0x1:ud"""
    END = """(W) mov (8|M0) r127.0<1>:ud r0.0<8;8,1>:ud
(W) send (8|M0) null:ud r127 0x27 0x02000010 {{EOT}}"""
    FENCE = ["(W) send (8|M0) r40:ud r0 0xa 0x0219e000"]

    @staticmethod
    def guarded(register, number, past):
        return ([f"(W) cmp (16|M0) (eq)f0.0 null<1>:ud {register}.0<8;8,1>:ud 0x{number:x}:ud", f"(f0.0) if (16|M0) {past} {past}"],
                [f"{past}:", f"endif (16|M0) {past}b", f"{past}b:"])

    @staticmethod
    def message(what, to, at, surface, data=""):
        """Untyped reads, writes, atomic operations of port 1; bytes of port 0."""
        control, port = {"load": (1 << 14 | 0x10 << 8 | 0xe << 8, 0xc), "store": (9 << 14 | 0x1e << 8, 0xc), "byte load": (4 << 14 | 1 << 8, 0xa), "byte store": (12 << 14 | 1 << 8, 0xa),
                         "atomic": (2 << 14 | 7 << 8, 0xc), "exchange": (2 << 14 | 4 << 8, 0xc), "fetch": (2 << 14 | 0x22 << 8, 0xc)}[what]
        desc = control | surface | 2 << 25 | (0 if to == "null:ud" else 2) << 20
        return f"sends (16|M0) {to} {at} {data} 0x{port | 2 << 6:x} 0x{desc:x}" if data else f"send (16|M0) {to} {at} 0x{port:x} 0x{desc:x}"

    def code(self, op, past):
        before, behind = self.guarded("r16", op.wave, past)
        first, last = self.guarded("r10", 0, past + "one")
        if op.what in ("release", "acquire"):
            address, fence = f"mov (16|M0) r24.0<1>:ud 0x{4 * op.edge:x}:ud", self.FENCE if op.fence else []
            if op.what == "release":
                return [*before, *fence, *first, address], [self.message("exchange", "null:ud", "r24", 1, "r30")], [*last, *behind]
            loop = [f"cmp (16|M0) (eq)f0.0 null<1>:ud r26.0<8;8,1>:ud 0x0:ud", f"(f0.0) while (16|M0) {past}spin"]
            return [*before, *first, address, f"{past}spin:"], [self.message("fetch", "r26:ud", "r24", 1, "r28")], [*loop, *last, *fence, *behind]
        one, surface = op.form in ("one", "byte"), 0xfe if op.place >= PLACES else 0
        base = 0 if op.place >= PLACES else 4 * self.LANES * op.place
        address = f"add (16|M0) r24.0<1>:d {'r14' if op.form == 'turned' else 'r12'}.0<8;8,1>:d 0x{base:x}:d"
        what = f"byte {op.what}" if op.form == "byte" else op.what
        access = self.message(what, "r26:ud", "r24", surface) if op.what == "load" else self.message(what, "null:ud", "r24", surface, "r16")
        return [*before, *(first if one else []), address], [access], [*(last if one else []), *behind]

    def barrier(self, group, past):
        before, behind = self.guarded("r18", group, past)
        return [*before, "(W) mov (8|M0) r42.0<1>:ud 0x0:ud", "(W) and (1|M0) r42.2<1>:ud r0.2<0;1,0>:ud 0x8F000000:ud", "(W) send (8|M0) null:ud r42 0x3 0x02000004", "(W) wait n0:ud", *behind]

    @staticmethod
    def run(folder, lines, kernels, jit):
        text, code = folder / "code.asm", folder / "code.krn"
        text.write_text("\n".join(lines) + "\n")
        done = subprocess.run(["iga64", "-a", "-p=9", text, "-o", code], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        numbers = [n for n, line in enumerate(lines, 1) if not line.endswith(":")]
        begin = 0
        for end in [k for k, n in enumerate(numbers) if "{EOT}" in lines[n - 1]]:
            (folder / "one.krn").write_bytes(code.read_bytes()[16 * begin:16 * (end + 1)])
            found, text = findings(folder, "-g", f"gen9:jit={jit}", "--kernel=simd16", f"--grid={WAVES * 16}", f"--block={WARPS * 16}", "--arg=zeros:2048", "--arg=zeros:256", "--arg=local:512", folder / "one.krn")
            for side in [one[name] if name else one for one in found for name in ("", "other")]:
                side["line"] = numbers[begin + (int(side["pc"], 16) & 0xffffffff) // 16]
            yield found, text
            begin = end + 1


class Vortex(Code):
    """Two cores of three warps of eight threads, which are in lockstep. s1: the warp's number, s2: the core's; s3: the thread's offset, s4: another one's."""
    LANES, STORES_HIDE, LOADS_HIDE = 8, True, True
    FLAGS = [(False, False), (False, True), (True, False)]
    FENCES = ["all", "all", "all", "bits", ""]
    HEAD = """#include "asm.h"
.macro vx_bar id, count
.insn r 0x0b, 4, 0, x0, \\id, \\count
.endm
.section .text.start, "ax", @progbits
.globl _start
.type _start, @function
_start:
li t0, 3
la t1, begin
vx_wspawn t0, t1
begin:
li t0, 0xff
vx_tmc t0
csrr s2, CSR_CORE_ID
csrr s1, CSR_WARP_ID
li t0, 3
mul t0, t0, s2
add s1, s1, t0
csrr s3, CSR_THREAD_ID
slli s3, s3, 2
xori s4, s3, 4
la s5, data
la s6, flags
csrr s7, CSR_LOCAL_MEM_BASE
li s8, 1
la t0, kernels
csrr t1, CSR_MSCRATCH
slli t1, t1, 2
add t0, t0, t1
lw t0, 0(t0)
jr t0
.size _start, . - _start"""
    BEGIN = ".balign 4\n{0}:"
    END = "vx_tmc zero"

    def code(self, op, past):
        before, behind = [f"li t0, {op.wave}", f"beq s1, t0, {past}in", f"j {past}", f"{past}in:"], [f"{past}:"]
        first, last = ["vx_tmc s8"], ["li t0, 0xff", "vx_tmc t0"]
        if op.what in ("release", "acquire"):
            fence, bits = ["fence rw, rw"] if op.fence == "all" else [], {"release": ".rl", "acquire": ".aq"}[op.what] if op.fence == "bits" else ""
            at = f"addi t1, s6, {4 * op.edge}"
            if op.what == "release":
                return [*before, *fence, *first, at], ["sw s8, 0(t1)" if op.plain else f"amoswap.w{bits} zero, s8, (t1)"], [*last, *behind]
            return ([*before, *first, at, f"{past}spin:"], ["lw t2, 0(t1)" if op.plain else f"amoor.w{bits} t2, zero, (t1)"],
                    [f"beqz t2, {past}spin", *fence, *last, *behind])
        one, own = op.form in ("one", "byte"), op.place >= PLACES
        address = [f"addi t1, {'s7' if own else 's5'}, {0 if own else 4 * self.LANES * op.place}", f"add t1, t1, {'s4' if op.form == 'turned' else 's3'}"]
        access = {"load": f"l{'bu' if op.form == 'byte' else 'w'} t2, 0(t1)", "store": f"s{'b' if op.form == 'byte' else 'w'} s1, 0(t1)", "atomic": "amoadd.w zero, s1, (t1)"}
        return [*before, *(first if one else []), *address], [access[op.what]], [*(last if one else []), *behind]

    @staticmethod
    def barrier(group, past):
        return [f"li t0, {group}", f"bne s2, t0, {past}", "li t0, 0", "li t1, 3", "vx_bar t0, t1", f"{past}:"]

    @staticmethod
    def run(folder, lines, kernels, jit):
        data = [".section .rodata", "kernels:", *(f".word k{i}" for i in range(len(kernels))), ".bss", ".balign 64",
                *(line for name in ("data", "flags") for line in (f".globl {name}", f".type {name}, @object", f"{name}: .zero 512", f".size {name}, 512"))]
        source, program = folder / "code.S", folder / "code.elf"
        source.write_text("\n".join([*lines, *data]) + "\n")
        library = ROOT / "examples" / "vortex" / "lib"
        subprocess.run(["riscv64-unknown-elf-gcc", "-march=rv32imaf_zicsr", "-mabi=ilp32f", "-mcmodel=medany", "-g", f"-I{library}", "-nostdlib", "-nostartfiles", "-static",
                        f"-T{library}/vortex.ld", "-o", program, source], check=True)
        for i in range(len(kernels)):
            yield findings(folder, "-g", f"vortex:cores={GROUPS},warps={WARPS},threads=8,jit={jit}", f"--arg={i}", program)


CODE = {"gfx900": Gcn, "gen9": Gen, "vortex": Vortex}


# ---- the model ----

class Wave:
    """before: the operations of others that are ordered before what it does next, and its own, where that is so for all lanes. released: what an atomic store
    publishes, to the group, and to the device; read: what its atomic loads have read, which it acquires; handed: what those of others had read before a barrier."""
    def __init__(self, number, code):
        self.number, self.code, self.group = number, code, group_of(number)
        self.before, self.own, self.read, self.handed = set(), set(), [], []
        self.released = {"group": set(), "device": set()}

    def all(self):
        return self.before | self.own

    def acquire(self, scope):
        for by, what in [*self.read, *(self.handed if scope == "device" else ())]:
            self.before |= what["device"] if scope == "device" else set()
            self.before |= what["group"] if group_of(by) == self.group else set()

    def wait(self):
        """gfx900: for the counters."""
        self.acquire("group")
        self.released["device"] = self.all()

    def release(self, op):
        if self.code.WAITS:
            if op.fence == "device":
                self.wait()
            return {"group": self.all(), "device": self.before | self.released["device"]}
        if op.fence == "all":
            self.acquire("device")
            self.released = {"group": self.all(), "device": self.all()}
        own = self.own if op.fence == "bits" and not op.plain else set()
        return {scope: what | own | (self.before if self.code.HANDS_ON else set()) for scope, what in self.released.items()}

    def take(self, op, published):
        self.read.append(published)
        if self.code.WAITS:
            self.wait()
            self.acquire("device" if op.fence == "device" else "group")
        elif op.fence == "all":
            self.acquire("device")
            self.released = {"group": self.all(), "device": self.all()}
        elif op.fence == "bits" and not op.plain:
            self.acquire("device")


def races_of(kernel, code):
    """{place: {frozenset of two operations}}: accesses to one byte, one of them no atomic one and one a store, that nothing orders."""
    waves, published, done = [Wave(wave, code) for wave in range(WAVES)], {}, []
    for op in kernel.steps:
        if isinstance(op, int):
            members = [wave for wave in waves if wave.group == op]
            for wave in members if code.WAITS else ():
                wave.wait()
            everything = set().union(*(wave.all() for wave in members))
            handed = [one for wave in members for one in (*wave.read, *wave.handed)] if code.HANDS_ON else []
            for wave in members:
                wave.before, wave.handed = set(everything), list(handed)
            continue
        wave = waves[op.wave]
        if op.what == "release":
            published[op.edge] = (op.wave, wave.release(op))
        elif op.what == "acquire":
            wave.take(op, published[op.edge])
        else:
            done.append((op, set(wave.before)))
            wave.own.add(op.number)
            if code.WAITS and op.wait:
                wave.wait()
    found = {}
    for (op, _), (later, before) in itertools.combinations(done, 2):
        mine, theirs = op.touched(code.LANES), later.touched(code.LANES)
        if op.wave == later.wave:
            meets = code.INDEPENDENT and any(theirs.get(byte, lane) != lane for byte, lane in mine.items())
        else:
            meets = mine.keys() & theirs.keys()
        same_memory = op.place == later.place and (op.place < PLACES or group_of(op.wave) == group_of(later.wave))
        if meets and same_memory and op.number not in before and conflict({op.what, later.what}, code):
            found.setdefault((op.place, group_of(op.wave) if op.place >= PLACES else 0), set()).add(frozenset((op.number, later.number)))
    return found


def conflict(kinds, code):
    if kinds == {"store", "atomic"}:    # a gfx900's places are counters
        return not code.STORES_HIDE or code.WAITS
    if kinds == {"load", "atomic"}:
        return not code.LOADS_HIDE
    return kinds not in ({"load"}, {"atomic"})


# ---- the check ----

def findings(folder, *words):
    """The races of a run, and what it has said."""
    report = folder / "report.json"
    report.write_text("")
    done = checks.run(checks.command_under_test(), "run", "--check=race", "--check-limit=1000000", f"--report=json:{report}", "--max-issues=100000", *words)
    assert done.returncode in (0, 115), done.stderr
    return [one for one in map(json.loads, report.read_text().splitlines()) if one["kind"] == "finding"], done.stderr


def is_guess(kernel, pair):
    """A load, and an atomic operation that it races with, where its wave does an atomic operation in the same place behind it: it is not reported."""
    ops = [kernel.steps[number] for number in pair]
    load = next((op for op in ops if op.what == "load"), None)
    return {op.what for op in ops} == {"load", "atomic"} and any(
        not isinstance(other, int) and (other.wave, other.what, other.place) == (load.wave, "atomic", load.place) and other.number > load.number for other in kernel.steps)


def may_be_ordered(kernel, pair, code):
    """Whether atomic operations in one place, and what may be such, which a run may do in either order, can order the two."""
    atomics = {"atomic"} | ({"store"} if code.STORES_HIDE else set())
    loads = atomics | ({"load"} if code.LOADS_HIDE else set())
    nodes = [(n, wave) for n, step in enumerate(kernel.steps) for wave in range(WAVES) if (group_of(wave) == step if isinstance(step, int) else step.wave == wave)]

    def follows(a, b):
        """None: no; True: in a run."""
        first, then = kernel.steps[a[0]], kernel.steps[b[0]]
        if a[1] == b[1] or a[0] == b[0]:
            return False if a[0] <= b[0] else None
        if isinstance(first, int) or isinstance(then, int):
            return None
        if {first.what, then.what} == {"release", "acquire"} and first.edge == then.edge:      # one that fetches the flag stores it, too
            return False if first.what == "release" else None if first.plain or then.plain else True
        return first.what in atomics and then.what in loads and "atomic" in (first.what, then.what) and first.place == then.place or None

    ends = [(number, kernel.steps[number].wave) for number in pair]
    for end in ends:
        reached, left = {(end, False)}, [(end, False)]
        while left:
            at, by_run = left.pop()
            new = {(node, by_run or how) for node in nodes if (how := follows(at, node)) is not None} - reached
            reached |= new
            left += new
        if any((other, True) in reached for other in ends if other != end):
            return True
    return False


def is_forgotten(kernel, pair, code):
    """A load, or an atomic operation, in a place in which three waves make such, or three lanes where each is one of its own: two of them are kept."""
    place = kernel.steps[min(pair)].place
    makers = {(op.wave, code.INDEPENDENT and op.form) for op in kernel.steps if not isinstance(op, int) and op.what in ("load", "atomic") and op.place == place}
    return len(makers) > 2 and any(kernel.steps[number].what in ("load", "atomic") for number in pair)


def judge_kernel(kernel, found, code):
    """What is wrong, as texts."""
    pairs = {frozenset(kernel.lines[side["line"]].number if side["line"] in kernel.lines else -side["line"] for side in (one, one["other"]))
             for one in found if "lanes of one instruction" not in one["text"]}
    wanted = races_of(kernel, code)
    wrong = [f"no race: {[kernel.steps[number] if number >= 0 else number for number in pair]}" for pair in pairs - set().union(*wanted.values())]
    wrong += [f"nothing in {place}: {[[kernel.steps[number] for number in pair] for pair in races]}" for place, races in wanted.items()
              if not races & pairs and not all(is_guess(kernel, pair) or may_be_ordered(kernel, pair, code) or is_forgotten(kernel, pair, code) for pair in races)]
    return wrong, len(pairs)


def judge(folder, family, first, count):
    """The kernels from a number on, every other time with translated code from the first visit on; how many have a race."""
    code, kernels = CODE[family](), [random_kernel(n, family) for n in range(first, first + count)]
    lines = getattr(code, "HEAD", "").splitlines()
    for i, kernel in enumerate(kernels):
        code.write(kernel, lines, f"k{i}")
    texts, racy = [], 0
    for kernel, (found, said) in zip(kernels, code.run(folder, lines, kernels, first // AT_ONCE % 2)):
        wrong, races = judge_kernel(kernel, found, code)
        texts += [f"kernel {kernel.number}: {text}\n{kernel.steps}\n{said}" for text in wrong]
        racy += bool(races)
    assert not texts, "\n".join(texts)
    return racy


@pytest.mark.parametrize("family", CODE)
def test_random_kernels(tmp_path, family):
    """Of two batches one has translated code."""
    assert 5 <= sum(judge(tmp_path, family, first, AT_ONCE) for first in (0, AT_ONCE)) < 2 * AT_ONCE


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made, concurrent.futures.ThreadPoolExecutor(2) as pool:
        def one_batch(first):
            folder = pathlib.Path(made) / str(first)
            folder.mkdir()
            try:
                judge(folder, sys.argv[1], first, AT_ONCE)
                return ""
            except AssertionError as error:
                return str(error)
        for text in pool.map(one_batch, range(int(sys.argv[2]), int(sys.argv[2]) + int(sys.argv[3]), AT_ONCE)):
            print(text, end="", flush=True)
