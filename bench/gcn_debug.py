"""What debugging kernels for gfx900 costs: each figure beside the same work without it, or in another way, in turn.

CPU time, but for a HIP program's, which is that of its process. The kernels are made here and assembled by clang-19.
"""

import os
import re
import statistics
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LOOP = """
 v_add_u32 v3, v3, v1
 v_mul_lo_u32 v3, v3, v1
 global_store_dword v1, v3, s[4:5]
 global_load_dword v4, v1, s[4:5]
 s_waitcnt vmcnt(0)
 v_add_u32 v3, v3, v4
"""
# 8 exceptions a round, where they are enabled: 1 / 0.
DIVISIONS = " v_rcp_f32 v3, v5\n" * 8
ARITHMETIC = " v_fma_f32 v3, v4, v4, v4\n" * 8
TRAPS = " s_trap 5\n" * 8
NO_TRAPS = " s_nop 0\n" * 8
ENABLE = " s_setreg_imm32_b32 hwreg(HW_REG_MODE, 12, 9), 4\n"  # float_div0
KERNEL = """.amdgcn_target "amdgcn-amd-amdhsa--gfx900"
.text
.p2align 8
.globl bench
.type bench,@function
bench:
 s_load_dwordx2 s[4:5], s[0:1], 0
 s_load_dword s6, s[0:1], 8
 s_waitcnt lgkmcnt(0)
 v_lshlrev_b32 v1, 2, v0
 v_mov_b32 v3, 0
 v_mov_b32 v4, 0
 v_mov_b32 v5, 0
{begin}
again_here:
.globl again
.type again,@function
again:
{body}
 s_sub_u32 s6, s6, 1
 s_cmp_lg_u32 s6, 0
 s_cbranch_scc1 again_here
 s_endpgm
.globl never
.type never,@function
never:
 s_nop 0
 s_endpgm
.rodata
.p2align 6
.amdhsa_kernel bench
 .amdhsa_next_free_vgpr 8
 .amdhsa_next_free_sgpr 16
 .amdhsa_user_sgpr_kernarg_segment_ptr 1
 .amdhsa_float_denorm_mode_32 3
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 1]
amdhsa.kernels:
  - .name: bench
    .symbol: bench.kd
    .kernarg_segment_size: 16
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    .args:
      - {{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}}
      - {{.size: 4, .offset: 8, .value_kind: by_value}}
...
.end_amdgpu_metadata
"""
# Goes on behind an s_trap; clears the flags of exceptions. SCC stays: nothing here asks for it.
HANDLER = """
 s_bfe_u32 ttmp2, ttmp1, 0x80010
 s_cmp_eq_u32 ttmp2, 0
 s_cbranch_scc1 exception
 s_add_u32 ttmp0, ttmp0, 4
 s_addc_u32 ttmp1, ttmp1, 0
exception:
 s_and_b32 ttmp1, ttmp1, 0xffff
 s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 0, 9), 0
 s_rfe_b64 ttmp[0:1]
"""
ROUNDS = 50000
DRIVER = "/usr/src/linux-source-6.1.tar.xz"


def assembled(folder, name, text, run):
    source, program = os.path.join(folder, f"{name}.s"), os.path.join(folder, f"{name}.co")
    with open(source, "w") as f:
        f.write(text)
    run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900", "-mcode-object-version=4", "-x", "assembler", source,
         "-o", program])
    return program


def drivers_handler(folder):
    """The kernel driver's trap handler for gfx9 as a file, from Debian's source of Linux; None where that is not there."""
    if not os.path.exists(DRIVER):
        return None
    text = subprocess.run(["tar", "-xOJf", DRIVER, "--occurrence=1",
                           "linux-source-6.1/drivers/gpu/drm/amd/amdkfd/cwsr_trap_handler.h"], capture_output=True, text=True).stdout
    words = re.findall("0x[0-9a-f]{8}", re.search(r"cwsr_trap_gfx9_hex\[\] = \{(.*?)\};", text, re.S)[1])
    path = os.path.join(folder, "cwsr.bin")
    with open(path, "wb") as f:
        f.write(struct.pack(f"<{len(words)}I", *[int(word, 16) for word in words]))
    return path


def sessions(report, folder, tool, run, pairs, count, seconds):
    program = assembled(folder, "loop", KERNEL.format(begin="", body=LOOP), run)

    def measure(what, way, waves, *extra):
        return float(run([tool, what, way, program, str(waves), str(seconds), *extra]))

    def beside(text, unit, mine, theirs):
        a, b, ratio = pairs(lambda: measure(*mine), lambda: measure(*theirs), count)
        report.row(text, a, f"{theirs[1]}, {theirs[2]} wave{'s'[:theirs[2] > 1]}", b, ratio, unit)
    report.title("GCN: a debugger's requests, by the driver's operations; with the emulator's services (full) and without (bare)")
    beside("single steps, full, 1 wave", "1/s", ("steps", "full", 1), ("steps", "bare", 1))
    beside("single steps, full, 32 waves", "1/s", ("steps", "full", 32), ("steps", "bare", 32))
    beside("single steps, recorded, 1 wave", "1/s", ("steps", "recorded", 1), ("steps", "full", 1))
    beside("breakpoint stops, full, 1 wave", "1/s", ("stops", "full", 1), ("stops", "bare", 1))
    beside("breakpoint stops, full, 32 waves", "1/s", ("stops", "full", 32), ("stops", "bare", 32))
    beside("from request to stop, full, 32 waves", "us", ("halts", "full", 32), ("halts", "full", 1))
    beside("from request to stop, bare, 32 waves", "us", ("halts", "bare", 32), ("halts", "bare", 1))
    beside("queue suspended and resumed, 32 waves", "us", ("saves", "full", 32), ("saves", "full", 1))
    handler = drivers_handler(folder)
    if handler:
        for waves in (1, 32):
            a, b, ratio = pairs(lambda: measure("preempt", handler, waves), lambda: measure("saves", "full", waves), count)
            report.row(f"preempted by the kernel driver's trap handler (CWSR), {waves} wave{'s'[:waves > 1]}", a, "suspended", b, ratio, "us")

    report.title("GCN: a run under a debugger that does not stop it, and without breakpoints and watchpoints (CPU time)")
    for text, way, extra in (("recorded", "recorded", ()), ("a breakpoint elsewhere", "full", ("elsewhere",)),
                             ("a watchpoint elsewhere, full", "full", ("far",)), ("a watchpoint elsewhere, bare", "bare", ("far",)),
                             ("a watchpoint on the loop's page, full", "full", ("near",)),
                             ("a watchpoint on the loop's page, bare", "bare", ("near",))):
        plain = "full" if way == "recorded" else way
        beside(text, "s", ("run", way, 4, *extra), ("run", plain, 4))


def traps(report, folder, wavetrap, run, pairs, timed, count):
    """Entries into a trap handler, and what enabled exceptions cost that are not raised."""
    handler = os.path.join(folder, "handler.bin")
    raw = assembled(folder, "handler", ".text\n" + HANDLER, run)
    run(["llvm-objcopy-19", "-O", "binary", "--only-section=.text", raw, handler])

    def seconds(name, begin, body):
        program = assembled(folder, name, KERNEL.format(begin=begin, body=body), run)
        command = [wavetrap, "run", "--gpu=gfx900:cu=1", "--kernel=bench", "--grid=64", "--block=64",
                   f"--trap-handler={handler}", "--arg=zeros:4096", f"--arg=u32:{ROUNDS}", program]
        return lambda: timed(command)[0]
    report.title("GCN: a trap handler of eight instructions (CPU time)")
    for text, mine, theirs, peer in (
            ("400,000 s_trap", ("traps", "", TRAPS), ("nops", "", NO_TRAPS), "s_nop"),
            ("400,000 float_div0", ("raised", ENABLE, DIVISIONS), ("quiet", "", DIVISIONS), "not enabled"),
            ("400,000 v_fma_f32, exceptions enabled", ("enabled", ENABLE, ARITHMETIC), ("off", "", ARITHMETIC), "not enabled")):
        a, b, ratio = pairs(seconds(*mine), seconds(*theirs), count)
        report.row(text, a, peer, b, ratio, "s")
        if "fma" not in text:  # those raise none
            report.figure("  entries and returns", 8 * ROUNDS / (a - b), "1/s")


def host(report, folder, wavetrap, tool, run, count):
    """A HIP program with a debugger that only looks on, and with none."""
    program = os.path.join(folder, "launches")
    run(["hipcc", "--offload-arch=gfx900", "-O2", os.path.join(HERE, "kernels", "launches.hip"), "-o", program])
    report.title("GCN: a HIP program under `wavetrap exec` with a debugger attached that does not stop it, and without (CPU time "
                 "of the program)")

    def recorded(history, *arguments):
        """Under the console, which has the program's kernels recorded or not: CPU time of both."""
        before = os.times()
        done = subprocess.run([wavetrap, "debug", "--nx", "--batch", *history, "-ex", "run", program, *arguments], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL)
        after = os.times()
        if done.returncode:
            sys.exit(f"bench: {program} {arguments} under the console failed ({done.returncode})")
        return after.children_user + after.children_system - before.children_user - before.children_system

    def once(attached, *arguments):
        environment = {**os.environ, **({"WAVETRAP_HELD": "1"} if attached else {})}
        process = subprocess.Popen([wavetrap, "exec", program, *arguments], stdout=subprocess.DEVNULL, env=environment)
        other = subprocess.Popen([tool, "process", str(process.pid)]) if attached else None
        _, ended, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(ended)
        if process.returncode or other and other.wait(60):
            sys.exit(f"bench: {program} {arguments} failed ({process.returncode}), debugger: {other and other.returncode}")
        return usage.ru_utime + usage.ru_stime
    for text, arguments in (("one long kernel", ("1", "20000")), ("5,000 short kernels", ("5000", "1"))):
        runs = [(once(True, *arguments), once(False, *arguments)) for _ in range(count)]
        report.row(text, statistics.median(a for a, _ in runs), "no debugger", statistics.median(b for _, b in runs),
                   statistics.median(a / b for a, b in runs), "s")
    report.title("GCN: a HIP program under `wavetrap debug`, recorded, and with --no-history (CPU time of both processes)")
    for text, arguments in (("one long kernel", ("1", "20000")), ("5,000 short kernels", ("5000", "1"))):
        runs = [(recorded((), *arguments), recorded(("--no-history",), *arguments)) for _ in range(count)]
        report.row(text, statistics.median(a for a, _ in runs), "not recorded", statistics.median(b for _, b in runs),
                   statistics.median(a / b for a, b in runs), "s")


def gcn_debug(report, folder, wavetrap, tool, pairs, timed, run, count, seconds):
    sessions(report, folder, tool, run, pairs, count, seconds)
    traps(report, folder, wavetrap, run, pairs, timed, count)
    host(report, folder, wavetrap, tool, run, count)
