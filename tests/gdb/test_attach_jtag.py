"""`wavetrap attach --jtag`: stock GDB on a device behind JTAG. The servers are `wavetrap serve
--jtag`, and chains of TAPs in Python (jtag.py), since OpenOCD is not a server of remote_bitbang; the
latter hand accesses on to `wavetrap serve --dm`."""
import subprocess

import pytest

import jtag
from conftest import TIMEOUT, WAVETRAP, Gdb, Variant, each

SHAPES = [Variant(32, 4), Variant(64, 32)]


@pytest.fixture
def attach(gdb):
    """attach(address, program): GDB started by `wavetrap attach --jtag`."""
    def start(address, program, *options):
        return gdb(argv=[WAVETRAP, "attach", "--jtag", address, "--symbols", program, *options, "--",
                         *Gdb.SETTINGS])
    return start


@pytest.fixture
def chain(serve_dm):
    """chain(program, options, before=(), after=(), **dtm): TAPs in Python; the one with the DTM has
    `before` nearer to TDO, and is in front of a `wavetrap serve --dm` with these options."""
    open_ones = []

    def start(program, options=(), before=(), after=(), fault=None, **how):
        client = serve_dm(program, "--now", *options).client().hello()
        client.wake()
        # What runs by itself is halted, and started again by a reset: GDB finds its beginning.
        client.write(2, 0)
        client.write(3, 0xffffffff)
        client.field(6, 2, 2, 1)
        client.field(6, 30, 30, 1)
        while client.read(6) >> 30 & 1:
            pass

        def access(write, address, value):
            if address > 0xffff:
                return 0
            if write:
                client.write(address, value)
                return value
            return client.read(address)
        dtm = jtag.Dtm(access, **how)
        server = jtag.Server(*before, dtm, *after, fault=fault)
        server.dtm = dtm
        open_ones.append((server, client))
        return server
    yield start
    for server, client in open_ones:
        server.stop()
        client.close()


def debug_to_the_end(one, lanes):
    """A breakpoint, where the lanes are, registers of lanes, a step, memory, the end."""
    assert "_start" in one.start, one.start
    assert one.value("$pc", "/x") == "0x80000000"
    one("break count")
    said = one("continue")
    assert "hit Breakpoint 1, count" in said, said
    assert len(one.threads()) % lanes == 0
    pc = one.number("$pc")
    one("stepi")
    assert one.number("$pc") > pc
    one("set $t6 = 0x12345678")
    stopped = one.number("$_thread")
    one(f"thread {stopped % 4 + 1}")
    one("set $t6 = 0x2222")
    assert one.number("$t6") == 0x2222
    one(f"thread {stopped}")
    assert one.number("$t6") == 0x12345678
    one("set {int}0x80008000 = 77")
    assert one.number("*(int *)0x80008000") == 77
    one("delete")
    assert "exited with code 052" in one("continue")


@each(SHAPES)
@pytest.mark.parametrize("cycles", [0, 7, 60])
def test_a_session_over_jtag(serve_jtag, program, attach, variant, cycles):
    """As over any other way to the registers, also when each access takes its time (60 clocks are
    more than DTMCS can ask a debugger to wait)."""
    file = program("lanes", variant.xlen)
    server = serve_jtag(file, *variant.options, "--jtag-cycles", cycles)
    one = attach("remote_bitbang:" + server.address.removeprefix("tcp:"), file)
    debug_to_the_end(one, variant.threads)
    assert one.close() == 0
    server.told("the client of .* is gone")
    cable = server.cable()  # somebody else's turn
    cable.wait = cycles
    assert cable.read(0) >> 28 == 1


def test_a_condition_while_other_warps_run_on(serve_jtag, example, attach):
    """Warps that meet the breakpoint while the condition of another one is evaluated have met it."""
    file = example("mandelbrot")
    server = serve_jtag(file, "--gpu", "vortex:warps=4,threads=4")
    one = attach("remote_bitbang:" + server.address.removeprefix("tcp:"), file)
    one("break draw if pixel == 238")
    said = one("continue")
    assert "hit Breakpoint 1, draw (" in said and "pixel=238)" in said, said
    one("delete")
    assert "exited normally" in one("continue")


def test_a_session_over_a_unix_socket(serve_jtag, program, attach, tmp_path):
    file = program("lanes")
    server = serve_jtag(file, at=f"unix:{tmp_path}/tap")
    debug_to_the_end(attach(f"remote_bitbang:unix:{tmp_path}/tap", file), 4)


@pytest.mark.parametrize("how", [
    dict(),
    dict(cycles=3, abits=32),
    dict(cycles=20, idle=2, ir_bits=8),  # it says 2, which is a lie
], ids=["plain", "wide", "liar"])
def test_a_session_over_somebody_elses_tap(chain, program, attach, how):
    file = program("lanes")
    server = chain(file, **how)
    debug_to_the_end(attach(server.address, file), 4)
    assert (server.dtm.busy_seen > 0) == ("idle" in how)
    assert server.connections == 1


def test_a_chain_of_taps(chain, program, attach):
    """Two other TAPs, one without an IDCODE, around the one that counts."""
    file = program("lanes")
    server = chain(file, before=[jtag.Plain(4)], after=[jtag.Plain(7, idcode=0), jtag.Plain(2)])
    debug_to_the_end(attach(server.address, file, "--jtag-tap", "1", "--jtag-ir", "4,5,7,2"), 4)


def test_registers_in_a_chain_of_taps(chain, program):
    """`wavetrap dm` and `wavetrap dm check` find their TAP by the same options."""
    server = chain(program("endless"), before=[jtag.Plain(4)], after=[jtag.Plain(2)])
    where = ["--connect", f"remote_bitbang:{server.address.split(':', 1)[1]}", "--jtag-tap", "1",
             "--jtag-ir", "4,5,2"]
    for command, said in ((["dm", *where, "PLATFORM.platformid"], "PLATFORM.platformid=1\n"),
                          (["dm", "check", *where, "--only=platform.id,dselect"], "pass         platform.id")):
        done = subprocess.run([WAVETRAP, *command], capture_output=True, text=True, timeout=TIMEOUT)
        assert done.returncode == 0 and said in done.stdout, done
        assert "TAP 1 of 3" in done.stderr


def attach_fails(address, *options):
    """What it says when it cannot attach."""
    done = subprocess.run([WAVETRAP, "attach", "--jtag", address, "--timeout", "500", *options],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 125, done.stderr
    return done.stderr


def test_a_chain_that_is_not_described_is_listed(chain, program):
    server = chain(program("lanes"), before=[jtag.Plain(4)], after=[jtag.Plain(7, idcode=0)])
    said = attach_fails(server.address)
    assert "3 TAPs: 0 (IDCODE 0x0badc0df), 1 (IDCODE 0x10e31913), 2 (no IDCODE)" in said
    assert "16 instruction register bits in all" in said
    assert "--jtag-tap N --jtag-ir" in said
    assert "not a Debug Transport Module" in attach_fails(server.address, "--jtag-tap", "0",
                                                       "--jtag-ir", "4,5,7")
    assert "not 17" in attach_fails(server.address, "--jtag-tap", "1", "--jtag-ir", "4,6,7")


def test_a_dtm_of_another_version_is_refused(chain, program):
    server = chain(program("lanes"), version=0)
    assert "0 is one of 0.11" in attach_fails(server.address)


@pytest.mark.parametrize("fault, text", [
    (lambda n: b"0", "TDO is stuck at 0"),
    (lambda n: b"1", "TDO is stuck at 1"),
    (lambda n: b"01"[n * 7 // 3 % 2:][:1], "TDO is garbage"),
    (lambda n: b"?", "answered byte 0x3f"),
    (lambda n: b"", "no answer within 500 ms while looking for TAPs"),
    (lambda n: "close", "closed the connection while looking for TAPs"),
    (lambda n: b"0" if 600 < n < 1000 else None, "while measuring instruction registers"),
    (lambda n: "close" if n > 1180 else None, "while reading DTMCS"),
    (lambda n: b"" if n > 1200 else None, "while accessing debug registers"),
], ids=["zero", "one", "garbage", "letter", "silent", "close", "late", "dtmcs", "dmi"])
def test_what_is_wrong_is_said(chain, program, fault, text):
    assert text in attach_fails(chain(program("lanes"), fault=fault).address)


def test_nobody_there(program):
    assert "Connection refused" in attach_fails("remote_bitbang:127.0.0.1:1")


@pytest.mark.parametrize("fault, text", [
    (b"1", "TDO is stuck at 1"), (b"0", "TDO is stuck at 0"), ("close", "closed the connection"),
    (b"", "no answer within 500 ms")], ids=["one", "zero", "close", "silent"])
def test_a_link_that_breaks_in_a_session_can_be_mended(chain, program, attach, fault, text):
    """GDB is told, keeps its breakpoints, and goes on when the link is well again."""
    broken = []
    file = program("lanes")
    server = chain(file, fault=lambda n: broken[0] if broken else None)
    one = attach(server.address, file, "--timeout", "500")
    one("break count")
    broken.append(fault)
    said = one("x/4wx 0x80008000") + one("monitor reattach")
    assert text in said, said
    broken.clear()
    assert "Attached again" in one("monitor reattach")
    assert "hit Breakpoint 1, count" in one("continue")
    one("delete")
    assert "exited with code 052" in one("continue")
