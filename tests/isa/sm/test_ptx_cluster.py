"""barrier.cluster of a cluster of one block: who arrives goes on, who waits does so until all live threads have arrived; its errors, and registers."""
import os
import struct
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
WAVETRAP = os.environ.get("WAVETRAP", str(ROOT / "build" / "wavetrap"))
HEAD = """.version 8.4
.target sm_90
.address_size 64
.shared .align 4 .b32 data[128];
.visible .entry k(.param .u64 out) {
.reg .b64 %y, %w; .reg .b32 %r<9>, %i; .reg .pred %p, %q;
ld.param.u64 %y, [out];
mov.u32 %i, %tid.x;
"""
STORE = "mul.wide.u32 %w, %i, 4; add.u64 %w, %w, %y; st.global.u32 [%w], %r0;\n"


def run(folder, text, threads, *options, grid=1):
    (folder / "k.ptx").write_text(HEAD + text + "ret;\n}\n")
    return subprocess.run([WAVETRAP, "run", "--gpu=sm:cc=9.0", f"--grid={threads * grid}", f"--block={threads}", "--arg=zeros:512", *options,
                           f"--dump-arg=0:{folder}/out", folder / "k.ptx"], capture_output=True, text=True, timeout=60, check=False)


def ran(folder, text, threads, *options):
    done = run(folder, text, threads, *options)
    assert done.returncode == 0, done.stderr
    return list(struct.unpack("<128I", (folder / "out").read_bytes()))[:threads]


@pytest.mark.parametrize("schedule", ["rr:1", "lockstep", "random:3", "random:9"])
@pytest.mark.parametrize("aligned", ["", ".aligned"])
def test_rounds(tmp_path, schedule, aligned):
    """In each of five rounds a thread's value goes to another warp's thread; the sums are right only if each wait is one for all."""
    text = f"""mov.u32 %r7, 0; mov.u32 %r0, 0;
ROUND: mov.u32 %r1, data; mad.lo.u32 %r1, %i, 4, %r1; mad.lo.u32 %r2, %r7, 1000, %i; st.shared.u32 [%r1], %r2;
barrier.cluster.arrive.release{aligned}; add.u32 %r3, %i, 45; and.b32 %r3, %r3, 127;
barrier.cluster.wait.acquire{aligned}; mov.u32 %r1, data; mad.lo.u32 %r1, %r3, 4, %r1; ld.shared.u32 %r4, [%r1]; add.u32 %r0, %r0, %r4;
barrier.cluster.arrive{aligned}; barrier.cluster.wait{aligned}; add.u32 %r7, %r7, 1; setp.lt.u32 %p, %r7, 5; @%p bra ROUND;
""" + STORE
    assert ran(tmp_path, text, 128, f"--schedule={schedule}") == [5 * ((i + 45) % 128) + 10000 for i in range(128)]


def test_who_arrives_goes_on(tmp_path):
    """The first warp arrives and, before it waits, sees what the others store after theirs: a barrier of one piece would hang."""
    text = """mov.u32 %r1, data; setp.ge.u32 %p, %i, 32; barrier.cluster.arrive; @%p bra OTHERS;
SPIN: ld.volatile.shared.u32 %r0, [%r1]; setp.eq.u32 %q, %r0, 0; @%q bra SPIN; barrier.cluster.wait; bra END;
OTHERS: barrier.cluster.wait; mov.u32 %r0, 7; st.volatile.shared.u32 [%r1], %r0;
END:
""" + STORE
    assert ran(tmp_path, text, 128) == [7] * 128


def test_lanes_of_a_warp_come_apart(tmp_path):
    """Half of each warp arrives and waits while the other half is still on its way; some threads end without an arrival."""
    text = """and.b32 %r1, %i, 1; setp.eq.u32 %p, %r1, 0; setp.ge.u32 %q, %i, 96; mov.u32 %r2, data; @%q bra LAST; @%p bra EVEN;
mov.u32 %r3, 40; LONG: sub.u32 %r3, %r3, 1; setp.ne.u32 %q, %r3, 0; @%q bra LONG;
atom.shared.add.u32 %r4, [%r2], 1; barrier.cluster.arrive; barrier.cluster.wait; bra GO;
EVEN: atom.shared.add.u32 %r4, [%r2], 1; barrier.cluster.arrive.relaxed; barrier.cluster.wait;
GO: ld.shared.u32 %r0, [%r2];
""" + STORE + "ret;\nLAST: mov.u32 %r3, 60; MORE: sub.u32 %r3, %r3, 1; setp.ne.u32 %q, %r3, 0; @%q bra MORE;\n"
    assert ran(tmp_path, text, 128) == [96] * 96 + [0] * 32


@pytest.mark.parametrize("text, message", [("barrier.cluster.arrive; barrier.cluster.arrive;", "barrier.cluster.arrive again, without a wait"),
                                           ("barrier.cluster.wait;", "barrier.cluster.wait without an arrive"),
                                           ("barrier.cluster.arrive; barrier.cluster.wait; barrier.cluster.wait;", "barrier.cluster.wait without an arrive")])
def test_errors(tmp_path, text, message):
    done = run(tmp_path, text + "\n", 64)
    assert done.returncode and message in done.stderr, done.stderr


def test_a_wait_for_ever_is_a_deadlock(tmp_path):
    done = run(tmp_path, "setp.lt.u32 %p, %i, 32; @%p bar.sync 1, 64; barrier.cluster.arrive; barrier.cluster.wait;\n", 64)
    assert done.returncode and "barrier.cluster: not all threads have arrived" in done.stderr, done.stderr


@pytest.mark.parametrize("checks", ["race,sync", "race"])
def test_checks_know_the_order(tmp_path, checks):
    """With the barrier there is no race, without its wait there is one."""
    text = """mov.u32 %r1, data; mad.lo.u32 %r2, %i, 4, %r1; st.shared.u32 [%r2], %i; barrier.cluster.arrive; WAIT
xor.b32 %r3, %i, 32; mad.lo.u32 %r2, %r3, 4, %r1; ld.shared.u32 %r0, [%r2];
""" + STORE
    good = run(tmp_path, text.replace("WAIT", "barrier.cluster.wait;"), 64, f"--check={checks}")
    assert good.returncode == 0 and "race" not in good.stderr, good.stderr
    none = run(tmp_path, text.replace("barrier.cluster.arrive; WAIT", ""), 64, f"--check={checks}")
    assert "race" in none.stderr, none.stderr


def test_registers(tmp_path):
    text = """mov.pred %p, %is_explicit_cluster; selp.u32 %r0, 1, 0, %p; mov.u32 %r1, %reserved_smem_offset_begin; add.u32 %r0, %r0, %r1;
mov.u32 %r1, %reserved_smem_offset_end; add.u32 %r0, %r0, %r1; mov.u32 %r1, %reserved_smem_offset_cap; add.u32 %r0, %r0, %r1;
mov.u32 %r1, %reserved_smem_offset_1; add.u32 %r0, %r0, %r1; add.u32 %r0, %r0, 5;
""" + STORE
    assert ran(tmp_path, text, 32) == [5] * 32


@pytest.mark.parametrize("text", ["barrier.cluster.arrive.acquire;", "barrier.cluster.wait.release;", "barrier.cluster;", "barrier.cluster.sync;",
                                  "barrier.cluster.arrive 0;", "mov.u32 %r0, %is_explicit_cluster;", "barrier.sync;"])
def test_forms_that_are_none(tmp_path, text):
    done = run(tmp_path, text + "\n", 32)
    assert done.returncode == 125 and "k.ptx:9:" in done.stderr, done.stderr
