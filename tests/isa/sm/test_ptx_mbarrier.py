"""Barriers in shared memory of PTX (mbarrier): random operations of one thread against a model by the manual's words, and warps that wait."""
import os
import random
import struct
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
WAVETRAP = os.environ.get("WAVETRAP", str(ROOT / "build" / "wavetrap"))
HEAD = """.version 8.4
.target sm_90
.address_size 64
.shared .align 8 .b64 bar;
.shared .align 4 .b32 data[128];
.visible .entry k(.param .u64 out) {
.reg .b64 %y, %s<4>, %w; .reg .b32 %r<9>, %i; .reg .pred %p, %q;
ld.param.u64 %y, [out];
mov.u32 %i, %tid.x;
"""


def ran(folder, text, words, threads):
    (folder / "k.ptx").write_text(HEAD + text + "ret;\n}\n")
    done = subprocess.run([WAVETRAP, "run", f"--grid={threads}", f"--block={threads}", f"--arg=zeros:{4 * words}", f"--dump-arg=0:{folder}/out",
                           folder / "k.ptx"], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return struct.unpack(f"<{words}I", (folder / "out").read_bytes())


class Model:
    def __init__(self, count):
        self.pending = self.expected = count
        self.bytes = self.phases = 0

    def settle(self):
        if not self.pending and not self.bytes:
            self.phases += 1
            self.pending = self.expected

    def arrive(self, count, drops):
        self.pending -= count
        self.expected -= count * drops
        self.settle()

    def expect(self, count):
        self.bytes += count
        self.settle()


@pytest.mark.parametrize("seed", range(6))
def test_operations_against_a_model(tmp_path, seed):
    """Each is followed by four waits: for the phase before the last state was taken, by state and by parity."""
    r = random.Random(seed)
    count = r.randint(3, 12)
    model, text, want, states = Model(count), f"mbarrier.init.shared.b64 [bar], {count};\n", [], {}
    for _ in range(120):
        n = r.randint(1, max(1, model.pending))
        drops = r.random() < .05 and model.expected > n + 2
        word = "arrive_drop" if drops else "arrive"
        arrivals = ["one", "many", "bytes", "noComplete"] if model.pending else []  # no more than are pending
        choice = r.choice([*arrivals, "expect", "complete", "complete", "complete"])
        before = model.pending, model.phases
        state = r.choice(["%s0", "%s1"])
        if choice == "one":
            drops = False
            text += f"mbarrier.arrive.release.cta.shared::cta.b64 {state}, [bar];\n"
            model.arrive(1, False)
        elif choice == "many":
            text += f"mbarrier.{word}.shared.b64 {state}, [bar], {n};\n"
            model.arrive(n, drops)
        elif choice == "noComplete" and model.pending > n:
            text += f"mbarrier.{word}.noComplete.shared.b64 {state}, [bar], {n};\n"
            model.arrive(n, drops)
        elif choice == "bytes":
            text += f"mbarrier.arrive.expect_tx.shared.b64 {state}, [bar], {16 * n};\n"
            model.bytes += 16 * n
            model.arrive(1, False)
        elif choice == "expect":
            text += f"mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], {n};\n"
            model.expect(n)
            state = None
        elif choice == "complete" and model.bytes:
            part = r.choice([model.bytes, r.randint(1, model.bytes)])
            text += f"mbarrier.complete_tx.shared.b64 [bar], {part};\n"
            model.bytes -= part
            model.settle()
            state = None
        else:
            continue
        if state:
            states[state] = before[1]
            text += f"mbarrier.pending_count.b64 %r0, {state}; st.global.u32 [%y], %r0; add.u64 %y, %y, 4;\n"
            want.append(before[0])
        waits = [("try_wait.parity.shared.b64 %p, [bar], 0", model.phases % 2 != 0), ("test_wait.parity.acquire.cta.shared.b64 %p, [bar], 1", model.phases % 2 != 1),
                 *[(f"{r.choice(['test_wait', 'try_wait'])}.shared.b64 %p, [bar], {s}", model.phases != phase) for s, phase in states.items()
                   if model.phases - phase < 2]]
        for wait, over in waits:
            text += f"mbarrier.{wait}; selp.u32 %r0, 1, 0, %p; st.global.u32 [%y], %r0; add.u64 %y, %y, 4;\n"
            want.append(int(over))
    assert model.phases > 2
    assert list(ran(tmp_path, text, len(want), 1)) == want


def test_arrivals_of_copies(tmp_path):
    """With .noinc a copy's arrival is one of those that are expected; without it, one is added, which comes at once."""
    text = """mad.lo.u32 %r1, %i, 4, 0; mov.u32 %r2, data; add.u32 %r2, %r2, %r1; setp.eq.u32 %p, %i, 0;
@%p mbarrier.init.shared.b64 [bar], 32; bar.sync 0; cvt.u64.u32 %w, %r1; add.u64 %w, %w, %y;
cp.async.ca.shared.global [%r2], [%w], 4; cp.async.mbarrier.arrive.shared.b64 [bar]; bar.warp.sync -1;
mbarrier.test_wait.parity.shared.b64 %q, [bar], 0; selp.u32 %r3, 1, 0, %q; bar.warp.sync -1;
cp.async.mbarrier.arrive.noinc.shared::cta.b64 [bar]; bar.warp.sync -1;
mbarrier.test_wait.parity.shared.b64 %q, [bar], 0; selp.u32 %r4, 2, 0, %q; add.u32 %r3, %r3, %r4;
mbarrier.arrive.shared::cluster.b64 _, [bar]; st.global.u32 [%w], %r3;
"""
    assert set(ran(tmp_path, text, 32, 32)) == {2}


def test_warps_wait_for_each_other(tmp_path):
    """Each thread stores, arrives and waits for the others, in four rounds; by generic addresses, a time limit and a sink, too."""
    text = """setp.eq.u32 %p, %i, 0; @%p mbarrier.init.shared::cta.b64 [bar], 128; bar.sync 0;
mov.u32 %r7, 0; mov.u32 %r8, 0; mov.u64 %w, bar; cvta.shared.u64 %w, %w;
ROUND: mad.lo.u32 %r0, %i, 4, 0; mov.u32 %r1, data; add.u32 %r1, %r1, %r0; mad.lo.u32 %r2, %r7, 1000, %i; st.shared.u32 [%r1], %r2;
mbarrier.arrive.b64 %s0, [%w];
W1: mbarrier.try_wait.b64 %p, [%w], %s0, 100; @!%p bra W1;
add.u32 %r3, %i, 77; and.b32 %r3, %r3, 127; mad.lo.u32 %r3, %r3, 4, 0; mov.u32 %r1, data; add.u32 %r1, %r1, %r3; ld.shared.u32 %r4, [%r1];
add.u32 %r8, %r8, %r4;
mbarrier.arrive.shared.b64 _, [bar];
W2: mbarrier.test_wait.parity.shared.b64 %p, [bar], 1; @!%p bra W2;
add.u32 %r7, %r7, 1; setp.lt.u32 %p, %r7, 4; @%p bra ROUND;
mad.wide.u32 %y, %i, 4, %y; st.global.u32 [%y], %r8;
bar.sync 0; @%q mbarrier.inval.shared.b64 [bar];
"""
    assert list(ran(tmp_path, text, 128, 128)) == [4 * ((i + 77) % 128) + 6000 for i in range(128)]


@pytest.mark.parametrize("text", ["mbarrier.init.shared.b32 [bar], 1;", "mbarrier.init.shared.b64 [bar];",
                                  "mbarrier.try_wait.shared.b64 %r0, [bar], %s0;", "mbarrier.arrive.shared.b64 %s0, bar;", "mbarrier.foo.shared.b64 [bar];"])
def test_forms_that_are_none(tmp_path, text):
    (tmp_path / "k.ptx").write_text(HEAD + text + "\nret;\n}\n")
    done = subprocess.run([WAVETRAP, "run", "--grid=1", "--arg=zeros:4", tmp_path / "k.ptx"], capture_output=True, text=True, check=False)
    assert done.returncode == 125 and "k.ptx:10:" in done.stderr, done.stderr
