"""Where lanes of a warp come together again: at the post-dominator of the branch at which they have parted, wherever the blocks stand in the text. A model
knows with which lanes a structured program reaches each place; its blocks are put into any order.

    test_ptx_order.py FIRST COUNT      as many programs, from a number on, by hand
"""
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
WAVETRAP = os.environ.get("WAVETRAP", str(ROOT / "build" / "wavetrap"))
ALL = (1 << 32) - 1
HEAD = """.version 8.4
.target sm_60
.address_size 64
.visible .entry k(.param .u64 out) {
.reg .b64 %y, %w; .reg .b32 %i, %t, %m, %c<4>; .reg .pred %p;
ld.param.u64 %y, [out]; mov.u32 %i, %tid.x; mul.wide.u32 %w, %i, 4; add.u64 %y, %y, %w;
"""


class Program:
    """A random program of notes ("n", k), branches ("i", lanes, then, else), loops ("w", factor, body), and in these ("b",); and ends ("r",)."""

    def __init__(self, number):
        self.draw = random.Random(number)
        self.notes = self.labels = 0
        self.blocks = []      # label, text
        self.body = self.some(3, False) + [self.note()]

    def note(self):
        self.notes += 1
        return ("n", self.notes - 1)

    def some(self, depth, in_loop):
        return [self.one(depth, in_loop) for _ in range(self.draw.randrange(1, 4))]

    def one(self, depth, in_loop):
        kind = self.draw.choice("niiw" if depth else "n")
        if kind == "n":
            return self.note()
        if kind == "w":
            return ("w", self.draw.randrange(1, 1 << 16) | 1, self.some(depth - 1, True) + [self.note()], depth)
        arms = [self.some(depth - 1, in_loop) for _ in range(2)]
        if self.draw.random() < 0.25:
            arms[1] = []
        if self.draw.random() < (0.3 if in_loop else 0.05):
            arms[0].append(("b",) if in_loop and self.draw.random() < 0.8 else ("r",))
        return ("i", self.draw.getrandbits(32), *arms)

    # ---- what it does ----

    @staticmethod
    def trips(factor, lane):
        return (lane * factor >> 5) & 3

    def model(self):
        self.seen = [[0] * 32 for _ in range(self.notes)]
        self.go(self.body, ALL, [])
        return self.seen

    def go(self, body, lanes, loops):
        """The lanes that come to the end of it."""
        for s in body:
            if s[0] == "n":
                for lane in range(32):
                    if lanes >> lane & 1:
                        self.seen[s[1]][lane] = lanes
            elif s[0] == "i":
                lanes = self.go(s[2], lanes & s[1], loops) | self.go(s[3], lanes & ~s[1], loops)
            elif s[0] == "w":
                left, out = {lane: self.trips(s[1], lane) for lane in range(32)}, [0]
                while lanes:
                    ended = sum(1 << lane for lane in range(32) if lanes >> lane & 1 and not left[lane])
                    out[0] |= ended
                    for lane in range(32):
                        left[lane] -= 1
                    lanes = self.go(s[2], lanes & ~ended, [out])
                lanes = out[0]
            else:
                if s[0] == "b":
                    loops[-1][0] |= lanes
                lanes = 0
        return lanes

    # ---- its text ----

    def label(self):
        self.labels += 1
        return f"L{self.labels}"

    def emit(self, body, label, end, loops):
        """Blocks that begin at a label and go on at another one."""
        text = ""
        for s in body:
            if s[0] == "n":
                text += f"activemask.b32 %m; st.global.u32 [%y+{128 * s[1]}], %m;\n"
            elif s[0] == "i":
                arms, behind = [self.label(), self.label()], self.label()
                jumps = [f"@%p bra {arms[0]}; bra {arms[1]};", f"@!%p bra {arms[1]}; bra {arms[0]};"]
                self.blocks.append((label, f"{text}mov.u32 %t, {s[1]}; shr.u32 %t, %t, %i; and.b32 %t, %t, 1; setp.ne.u32 %p, %t, 0;\n{self.draw.choice(jumps)}"))
                for arm, into in zip(s[2:], arms):
                    self.emit(arm, into, behind, loops)
                label, text = behind, ""
            elif s[0] == "w":
                head, inside, latch, behind = (self.label() for _ in range(4))
                self.blocks.append((label, f"{text}mul.lo.u32 %c{s[3]}, %i, {s[1]}; shr.u32 %c{s[3]}, %c{s[3]}, 5; and.b32 %c{s[3]}, %c{s[3]}, 3; bra {head};"))
                self.blocks.append((head, f"setp.eq.u32 %p, %c{s[3]}, 0; @%p bra {behind}; bra {inside};"))
                self.blocks.append((latch, f"sub.u32 %c{s[3]}, %c{s[3]}, 1; bra {head};"))
                self.emit(s[2], inside, latch, [behind])
                label, text = behind, ""
            else:
                self.blocks.append((label, text + (f"bra {loops[-1]};" if s[0] == "b" else "ret;")))
                return
        self.blocks.append((label, f"{text}bra {end};"))

    def text(self):
        self.emit(self.body, "FIRST", "END", [])
        self.draw.shuffle(self.blocks)
        blocks = [*self.blocks, ("END", "ret;")]
        return (HEAD + "bra FIRST;\n" + "".join(f"{label}:\n{text}\n" for label, text in blocks) + "}\n")


def run(folder, notes, *options):
    """The lanes that each lane has seen at each note."""
    done = subprocess.run([WAVETRAP, "run", "-g", "sm:" + ",".join(("cc=6.0", *options)), "--grid=32", "--block=32", f"--arg=zeros:{128 * notes}",
                           f"--dump-arg=0:{folder}/out", folder / "k.ptx"], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    words = struct.unpack(f"<{32 * notes}I", (folder / "out").read_bytes())
    return [list(words[32 * k:32 * k + 32]) for k in range(notes)]


def judge(folder, number, *options):
    program = Program(number)
    wanted = program.model()
    (folder / "k.ptx").write_text(program.text())
    got = run(folder, program.notes, *options)
    assert got == wanted, f"program {number}, note {[g == w for g, w in zip(got, wanted)].index(False)}:\n{program.text()}"


@pytest.mark.parametrize("code", ["jit=0", "jit=1"])
def test_lanes_come_together_wherever_blocks_stand(tmp_path, code):
    for number in range(60):
        judge(tmp_path, number, code)


def test_lanes_wait_for_a_long_loop(tmp_path):
    """Below 7.0: one that others leave hundreds of rounds earlier."""
    (tmp_path / "k.ptx").write_text(HEAD + """mul.lo.u32 %t, %i, 40;
LOOP: setp.eq.u32 %p, %t, 0; @%p bra OUT; sub.u32 %t, %t, 1; bra LOOP;
OUT: activemask.b32 %m; st.global.u32 [%y], %m; ret;
}
""")
    assert run(tmp_path, 1) == [[ALL] * 32]


@pytest.mark.parametrize("code", ["jit=0", "jit=1"])
def test_how_long_lanes_waited_before_does_not_count(tmp_path, code):
    """25,000 times odd lanes go round a small loop, tell their neighbour a number, and meet the even ones, which have waited: 75,000 branches backwards, in
    which no lane has waited for more than three."""
    (tmp_path / "k.ptx").write_text(HEAD + """.reg .b32 %n, %s, %v, %a; .shared .b32 told[32];
mov.u32 %s, told; mad.lo.u32 %s, %i, 4, %s; and.b32 %c0, %i, 1; xor.b32 %c1, %i, 1; mov.u32 %a, told; mad.lo.u32 %a, %c1, 4, %a;
mov.u32 %n, 0; mov.u32 %t, 0;
LOOP: setp.eq.u32 %p, %c0, 0; mad.lo.u32 %v, %n, 7, %i; st.shared.u32 [%s], %v; @%p bra MEET;
mov.u32 %c2, 0;
ROUND: add.u32 %v, %v, 11; add.u32 %c2, %c2, 1; setp.lt.u32 %p, %c2, 4; @%p bra ROUND;
st.shared.u32 [%s], %v;
MEET: ld.shared.u32 %m, [%a]; add.u32 %t, %t, %m; add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 25000; @%p bra LOOP;
st.global.u32 [%y], %t; ret;
}
""")
    total = 7 * sum(range(25000))
    assert run(tmp_path, 1, code) == [[(total + 25000 * ((lane ^ 1) + (0 if lane & 1 else 44))) & ALL for lane in range(32)]]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        for count in range(int(sys.argv[1]), int(sys.argv[1]) + int(sys.argv[2])):
            judge(pathlib.Path(made), count, f"jit={count % 2}")
