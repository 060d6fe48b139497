"""cp.async.bulk of PTX by the manual's words: what is copied, when a barrier's phase or a group is over, what is refused; --check=sync and --check=race of it,
and of cp.async whose end is left to a barrier."""
import os
import struct
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
WAVETRAP = os.environ.get("WAVETRAP", str(ROOT / "build" / "wavetrap"))
HEAD = """.version 8.6
.target sm_90
.address_size 64
.shared .align 8 .b64 bar;
.shared .align 8 .b64 other;
.shared .align 16 .b32 data[512];
.visible .entry k(.param .u64 out, .param .u64 in) {
.reg .b64 %y, %x, %s<4>, %w, %h; .reg .b32 %r<9>, %i, %d, %b, %n; .reg .pred %p, %q, %first;
ld.param.u64 %y, [out]; ld.param.u64 %x, [in];
mov.u32 %i, %tid.x; mov.u32 %d, data; mov.u32 %b, bar; setp.eq.u32 %first, %i, 0; mov.u64 %h, 0; mov.u32 %n, 256;
@%first mbarrier.init.shared.b64 [bar], 1; @%first mbarrier.init.shared.b64 [other], 64; bar.sync 0;
"""
EXPECT = "@%first mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256;\n"
LOAD = "@%first cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%d], [%x], 256, [%b];\n"
WAIT = "W: mbarrier.try_wait.parity.shared.b64 %p, [bar], 0; @!%p bra W;\n"
MINE = "mad.lo.u32 %r1, %i, 4, %d; mad.wide.u32 %w, %i, 4, %y;\n"
USE = MINE + "ld.shared.u32 %r0, [%r1]; st.global.u32 [%w], %r0;\n"
FILL = MINE + "add.u32 %r0, %i, 900; st.shared.u32 [%r1], %r0; fence.proxy.async.shared::cta; bar.sync 0;\n"
STORE = "@%first cp.async.bulk.global.shared::cta.bulk_group [%y], [%d], 256;\n"
COMMIT = "cp.async.bulk.commit_group;\n"
SMALL = "mad.wide.u32 %w, %i, 4, %x; " + MINE.replace("%w", "%s3") + "cp.async.ca.shared.global [%r1], [%w], 4;\n"
ARRIVE = "cp.async.mbarrier.arrive.noinc.shared.b64 [other];\n"
WAIT_OTHER = WAIT.replace("[bar]", "[other]").replace("W", "V")


def run(folder, text, *options, threads=64):
    (folder / "k.ptx").write_text(HEAD + text + "ret;\n}\n")
    return subprocess.run([WAVETRAP, "run", "--gpu=sm:cc=9.0", f"--grid={threads}", f"--block={threads}", "--arg=zeros:2048", "--arg=iota:2048", *options,
                           f"--dump-arg=0:{folder}/out", folder / "k.ptx"], capture_output=True, text=True, timeout=60, check=False)


def ran(folder, text, words=64):
    done = run(folder, text)
    assert done.returncode == 0, done.stderr
    return list(struct.unpack("<512I", (folder / "out").read_bytes()))[:words]


@pytest.mark.parametrize("to, hint", [("cluster", ""), ("cta", ""), ("cluster", ".L2::cache_hint"), ("cta", ".L2::cache_hint")])
@pytest.mark.parametrize("size", [16, 128, 240, 256])
def test_to_shared_memory(tmp_path, to, hint, size):
    """Bytes behind the size stay; the barrier's phase is over with the last byte that it expects."""
    text = MINE + f"""mov.u32 %r0, 7777; st.shared.u32 [%r1], %r0; bar.sync 0; mov.u32 %n, {size};
@%first mbarrier.arrive.expect_tx.shared.b64 _, [bar], {size};
@%first cp.async.bulk.shared::{to}.global.mbarrier::complete_tx::bytes{hint} [%d], [%x+32], %n, [bar]{', %h' if hint else ''};
""" + WAIT + USE
    assert ran(tmp_path, text) == [8 + i if 4 * i < size else 7777 for i in range(64)]


def test_bytes_complete_a_phase(tmp_path):
    """A phase that expects 256 bytes is not over with 240 of them, and is with 16 more, by another thread; each lane copies its own bytes."""
    look = "mbarrier.test_wait.parity.shared.b64 %p, [bar], 0; selp.u32 %r2, 1, 0, %p; mad.lo.u32 %r0, %r0, 10, %r2; bar.sync 0;\n"
    text = EXPECT + """mov.u32 %r0, 0; bar.sync 0; setp.lt.u32 %q, %i, 15; mad.lo.u32 %r3, %i, 16, %d; mul.wide.u32 %w, %i, 16; add.u64 %w, %w, %x;
@%q cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r3], [%w], 16, [%b]; bar.sync 0;
""" + look + "setp.eq.u32 %q, %i, 40; @%q cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [data+240], [%x+240], 16, [%b]; bar.sync 0;\n" + look
    text += MINE + "ld.shared.u32 %r2, [%r1]; mad.lo.u32 %r0, %r2, 100, %r0; st.global.u32 [%w], %r0;\n"
    assert ran(tmp_path, text) == [100 * i + 1 for i in range(64)]


@pytest.mark.parametrize("wait", ["wait_group 0", "wait_group.read 0"])
@pytest.mark.parametrize("hint", ["", ".L2::cache_hint"])
def test_to_global_memory(tmp_path, wait, hint):
    text = FILL + STORE.replace("_group", "_group" + hint).replace("[%y], [%d], 256", "[%y+16], [data+32], 112" + (", %h" if hint else "")) + COMMIT
    assert ran(tmp_path, text + f"cp.async.bulk.{wait};\n") == [0] * 4 + [908 + i for i in range(28)] + [0] * 32


def test_within_shared_memory(tmp_path):
    """To the cluster's shared memory, which is the block's own."""
    text = FILL + EXPECT + """mov.u32 %r2, 0; mapa.shared::cluster.u32 %r3, %d, %r2; mapa.shared::cluster.u32 %r4, %b, %r2;
@%first cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r3+1024], [%d], 256, [%r4];
""" + WAIT + USE.replace("[%r1]", "[%r1+1024]")
    assert ran(tmp_path, text) == [900 + i for i in range(64)]
    assert "unfinished-copy" not in run(tmp_path, text, "--check=sync").stderr
    early = text.replace(WAIT, "@%first st.shared.u32 [%d], %i;\n" + WAIT)
    assert "a store to what a copy under way reads" in run(tmp_path, early, "--check=sync").stderr


def test_prefetch(tmp_path):
    text = USE + """cp.async.bulk.prefetch.L2.global [%y], %n; cp.async.bulk.prefetch.L2.global.L2::cache_hint [%x+16], 64, %h;
""" + MINE + "ld.global.u32 %r0, [%w]; add.u32 %r0, %r0, 3; st.global.u32 [%w], %r0;\n"
    assert ran(tmp_path, text) == [3] * 64


@pytest.mark.parametrize("place", ["[%d], [%x], 8", "[%d], [%x], 100", "[%d+8], [%x], 16", "[%d], [%x+4], 16"])
@pytest.mark.parametrize("way", ["shared", "global"])
def test_no_multiple_of_16(tmp_path, place, way):
    text = EXPECT + (LOAD.replace("[%d], [%x], 256", place) if way == "shared" else STORE.replace("[%y], [%d], 256", place.replace("%d", "%y").replace("%x", "%d")))
    done = run(tmp_path, text)
    size = place.split()[-1]
    assert done.returncode and "ILLEGAL_INSTR_PARAM" in done.stderr, done.stderr
    assert f"a bulk copy of {size} bytes; addresses and bytes are multiples of 16" in done.stderr, done.stderr


@pytest.mark.parametrize("place", ["[%d], [%x], 0x100000", "[%d+0x80000], [%x], 16"])
def test_outside_of_shared_memory(tmp_path, place):
    done = run(tmp_path, EXPECT + LOAD.replace("[%d], [%x], 256", place))
    assert done.returncode and "OOR_ADDR: store of 16 bytes at 0x8" in done.stderr and "k.ptx:13" in done.stderr, done.stderr


@pytest.mark.parametrize("text", [
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%d], [%x], 16, [%b], 1;",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%d], [%x], 16;",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%d], [%x], 16, %b;",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%d], [%x], 16, [%b];",
    "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.L2::cache_hint [%d], [%d], 16, [%b], %h;",
    "cp.async.bulk.global.shared::cta.bulk_group [%y], [%d], 16, [%b];",
    "cp.async.bulk.global.shared::cta [%y], [%d], 16;",
    "cp.async.bulk.wait_group %r0;", "cp.async.bulk.wait_group;", "cp.async.bulk.commit_group 1;",
    "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%d], [%x, {%r0}], [%b];",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%y], [%d], 16;"])
def test_forms_that_are_none(tmp_path, text):
    done = run(tmp_path, text + "\n")
    assert done.returncode == 125 and "k.ptx:12:" in done.stderr, done.stderr


@pytest.mark.parametrize("text", [
    EXPECT + LOAD + WAIT + USE,
    EXPECT + LOAD + "mov.u64 %w, bar; cvta.shared.u64 %w, %w;\nW: mbarrier.test_wait.parity.b64 %p, [%w], 0; @!%p bra W;\n" + USE,
    "setp.lt.u32 %q, %i, 32; @%q bra FIRST;\n" + WAIT + USE + "ret;\nFIRST:\n" + EXPECT + LOAD,    # whose warp ends before it is done
    FILL + STORE + COMMIT + "cp.async.bulk.wait_group.read 0;\n@%first st.shared.u32 [%d], %i;\n",
    FILL + STORE + COMMIT + STORE.replace("[%y], [%d]", "[%y+256], [%d+256]") + COMMIT + "cp.async.bulk.wait_group.read 1;\n@%first st.shared.u32 [%d], %i;\n"
    "@%first ld.shared.u32 %r0, [%d+256];\ncp.async.bulk.wait_group 0;\n",
    EXPECT + LOAD + "@%first mbarrier.arrive.shared.b64 _, [bar]; bar.sync 0;\n" + WAIT.replace(", 0;", ", 1;") + USE,     # the phase behind it ends later
    SMALL + ARRIVE + WAIT_OTHER + USE.replace("[%r1]", "[data]"),
    SMALL + "cp.async.mbarrier.arrive.shared.b64 [other]; mbarrier.arrive.shared.b64 _, [other];\n" + WAIT_OTHER + USE.replace("[%r1]", "[data]"),
    SMALL + ARRIVE + "cp.async.wait_all; bar.sync 0;\n" + USE])
@pytest.mark.parametrize("schedule", ["rr:1", "random:5"])
def test_checks_find_nothing(tmp_path, text, schedule):
    done = run(tmp_path, text, "--check=sync,race", f"--schedule={schedule}")
    assert done.returncode == 0 and "unfinished-copy" not in done.stderr and "race" not in done.stderr, done.stderr


EARLY, STORED, NOBODY = "a load from where a copy is under way", "a store to what a copy under way reads", "nobody waits for the copy"


@pytest.mark.parametrize("text, message", [
    (EXPECT + LOAD + "bar.sync 0;\n" + USE + WAIT, EARLY),
    (EXPECT.replace("256", "512") + LOAD + WAIT.replace(", 0;", ", 1;") + USE + LOAD.replace("%d", "%d+256") + WAIT.replace("W", "V"), EARLY),  # the phase before
    (EXPECT + LOAD + "bar.sync 0;\ncp.async.wait_all;\n" + USE + WAIT, EARLY),     # is for other copies
    (EXPECT + LOAD, NOBODY),
    (FILL + STORE + COMMIT, NOBODY),
    (FILL + STORE + "cp.async.bulk.wait_group 0;\n", NOBODY),                      # it is in no group
    (FILL + STORE + "cp.async.commit_group; cp.async.wait_all;\n", NOBODY),
    (FILL + STORE + COMMIT + STORE.replace("[%d]", "[%d+256]") + "cp.async.commit_group; cp.async.bulk.wait_group 0;\n", NOBODY),
    (FILL + STORE + COMMIT + "@%first st.shared.u32 [%d+252], %i;\ncp.async.bulk.wait_group 0;\n", STORED),
    (FILL + STORE + COMMIT + "cp.async.bulk.wait_group.read 1;\n@%first st.shared.u32 [%d], %i;\ncp.async.bulk.wait_group 0;\n", STORED),
    (SMALL + ARRIVE + "bar.sync 0;\n" + USE + WAIT_OTHER, EARLY),
    (SMALL + "@!%first " + ARRIVE + WAIT_OTHER.replace(", 0;", ", 1;") + USE + "@%first " + ARRIVE + WAIT_OTHER.replace("V", "U"), EARLY),
    (ARRIVE + SMALL + WAIT_OTHER + USE + "cp.async.wait_all;\n", EARLY),                                    # the arrival is for copies before it
    (SMALL + ARRIVE, NOBODY)])
def test_sync_finds_copies_under_way(tmp_path, text, message):
    done = run(tmp_path, text, "--check=sync")
    assert "unfinished-copy" in done.stderr and message in done.stderr, done.stderr
    assert done.stderr.count("unfinished-copy: ") == 1, done.stderr


@pytest.mark.parametrize("text", [
    EXPECT + LOAD + USE + WAIT,                                                     # loads of other threads
    MINE + "st.shared.u32 [%r1], %i;\n" + EXPECT + LOAD + WAIT,                     # stores before it
    MINE + "st.shared.u32 [%r1], %i;\n" + STORE + COMMIT + "cp.async.bulk.wait_group 0;\n",
    FILL + STORE + COMMIT + "cp.async.bulk.wait_group 0;\nld.global.u32 %r0, [%w];\n"])
def test_races_with_copies(tmp_path, text):
    """Accesses of other threads that neither the barrier's phase nor another barrier orders."""
    done = run(tmp_path, text, "--check=race")
    assert "race" in done.stderr and "cp.async.bulk" in done.stderr, done.stderr


@pytest.mark.parametrize("text, access", [(STORE.replace("[%y], [%d], 256", "[%y+2032], [%d], 32") + COMMIT + "cp.async.bulk.wait_group 0;\n", "store"),
                                          (EXPECT + LOAD.replace("[%x]", "[%x+2032]") + WAIT, "load")])
def test_copies_beyond_an_object(tmp_path, text, access):
    """The second piece of 16 bytes, and those behind it, are outside of the argument."""
    done = run(tmp_path, text, "--check=memory")
    assert "out-of-bounds" in done.stderr and f"{access} of 16 bytes" in done.stderr and "cp.async.bulk" in done.stderr, done.stderr
