"""The whole debugger on a wire that fails: whatever goes wrong, in whatever state, every request is
answered, the session goes on, and the next debugger finds a device in order."""
import os
import re
import signal
import socket
import subprocess
import threading
import time

import pytest

from conftest import TIMEOUT, WAVETRAP, symbol
from faulty import Faulty
from rsp import Client, checksum

REPLY_MS = 500  # how long the debugger waits for a reply
PATIENT = "--timeout=10000"  # on a wire that nothing happens to any more, however busy the machine is


class Attached:
    """`wavetrap attach --rsp`: a debugger of a device elsewhere, and a client of it."""

    def __init__(self, transport, where, *options):
        address = f"remote_bitbang:{where}" if transport == "jtag" else f"tcp:{where}"
        self.process = subprocess.Popen(
            [WAVETRAP, "attach", f"--{transport}={address}", "--rsp=:0", f"--timeout={REPLY_MS}",
             *options], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.errors = ""
        while not (found := re.search(r"target remote (\S+)\n", self.errors)):
            line = self.process.stderr.readline()
            if not line:
                break
            self.errors += line
        self.client = None
        if found:
            # What it goes on to say must not fill the pipe.
            threading.Thread(target=self.drain, daemon=True).start()
            self.address = found[1]
            self.connect()

    def drain(self):
        for line in self.process.stderr:
            self.errors += line

    def connect(self):
        self.client = Client(self.address, timeout=TIMEOUT)
        assert self.ask("QStartNoAckMode") == b"OK"
        self.client.raw(b"+")

    def receive(self):
        """The next reply; what the debugger says for people in between ("O…") is not one."""
        while True:
            reply = self.client.receive()
            if not re.fullmatch(rb"O([0-9a-f]{2})+", reply or b""):
                return reply

    def ask(self, packet):
        self.client.send(packet)
        return self.receive()

    def stop(self, how=signal.SIGTERM):
        if self.client:
            self.client.close()
        self.process.send_signal(how)
        status = self.process.wait(TIMEOUT)
        assert status == (-how if how == signal.SIGKILL else 128 + how), self.errors


@pytest.fixture
def device(serve_dm, serve_jtag, program):
    """device(transport): an endless program on two cores behind a wire that can fail."""
    open_ones = []

    def start(transport):
        file = program("endless")
        options = ["--gpu", "vortex:cores=2,warps=2,threads=2", "--now"]
        server = (serve_jtag if transport == "jtag" else serve_dm)(file, *options)
        wire = Faulty(server.address)
        open_ones.append(wire)
        wire.code = int(symbol(file, "_start"), 16)
        wire.loop = int(symbol(file, "loop"), 16)
        wire.counter = int(symbol(file, "counter"), 16)
        return wire
    yield start
    for one in reversed(open_ones):
        one.stop()


def is_error(reply):
    return reply[:1] == b"E" and len(reply) >= 3 and not reply.startswith(b"E0000")


def settled(one, wire, packet):
    """The answer to a request, once the wire is mended. Some may fail before: a server that was
    silent is left alone for a while."""
    wire.mend()
    until = time.monotonic() + TIMEOUT
    while time.monotonic() < until:
        reply = one.ask(packet)
        if reply and not re.fullmatch(rb"E(\.|[0-9a-f]{2}).*", reply, re.S):
            return reply
        time.sleep(0.02)
    raise AssertionError((packet, reply, one.errors))


def stop_reply(reply):
    assert reply and reply[:1] in b"TSWX", reply
    return reply


def prove(one, wire, code):
    """The session works, and the device is as the program has it."""
    assert settled(one, wire, f"m{wire.code:x},20") == code
    assert settled(one, wire, f"Z0,{wire.loop:x},4") == b"OK"
    for _ in range(4):  # a stop for the trouble there was may come first
        if b"swbreak" in one.ask("vCont;c") or pc_of(one, wire) == wire.loop:
            break
    assert pc_of(one, wire) == wire.loop
    assert settled(one, wire, f"z0,{wire.loop:x},4") == b"OK"
    stop_reply(one.ask("vCont;s"))
    assert wire.loop < pc_of(one, wire) <= wire.loop + 4
    # Values that were on their way when the wire failed are not taken for others.
    assert settled(one, wire, f"M{wire.counter:x},4:78563412") == b"OK"
    assert settled(one, wire, f"m{wire.counter:x},4") == b"78563412"
    assert settled(one, wire, f"m{wire.code:x},20") == code


def pc_of(one, wire):
    return int.from_bytes(bytes.fromhex(settled(one, wire, "p20").decode()), "little")


def halted(one):
    """What runs is interrupted."""
    one.client.raw(b"\x03")
    stop_reply(one.receive())


def stopped_or_failed(reply):
    """To resume may fail, too; then nothing runs."""
    assert reply and reply[:1] in b"TSWXE", reply


# What a debugger is doing when the wire fails. Each leaves it stopped.

def registers(one, wire, spoil):
    spoil()
    assert one.ask("g")


def reading_memory(one, wire, spoil):
    spoil()
    assert one.ask(f"m{wire.code:x},40")


def writing_memory(one, wire, spoil):
    spoil()
    assert one.ask(f"M{wire.counter:x},4:01020304")


def writing_a_register(one, wire, spoil):
    spoil()
    assert one.ask("P1f=11223344")


def planting(one, wire, spoil):
    assert one.ask(f"Z0,{wire.loop:x},4") == b"OK"
    spoil()
    one.client.send("vCont;c")
    stopped_or_failed(one.receive())
    one.ask(f"z0,{wire.loop:x},4")


def stepping(one, wire, spoil):
    spoil()
    stopped_or_failed(one.ask("vCont;s"))


def running(one, wire, spoil):
    """The debugger polls."""
    one.client.send("vCont;c")
    spoil()
    assert wire.happened.wait(TIMEOUT)
    halted_by_itself_or_not(one)


def halted_by_itself_or_not(one):
    """One stop comes: by the fault, or, where that did no harm, by the interrupt. An interrupt of
    what has stopped is not answered."""
    one.client.raw(b"\x03")
    stopped_or_failed(one.receive())


def interrupting(one, wire, spoil):
    one.client.send("vCont;c")
    one.client.raw(b"\x03")
    spoil()
    stopped_or_failed(one.receive())


def kinds_and_wires(turn, kinds=Faulty.KINDS, of=2):
    """Of each kind of fault `make check` has one wire, by turns (with `of` = 4 of each second kind); where two tests have other turns, both wires (both halves) between them."""
    return pytest.mark.parametrize("kind, transport", [
        pytest.param(kind, transport, marks=[] if (n + of // 2 * w + turn) % of == 0 else pytest.mark.full)
        for n, kind in enumerate(kinds) for w, transport in enumerate(("dm", "jtag"))])


STATES = [registers, reading_memory, writing_memory, writing_a_register, planting, stepping, running,
          interrupting]


@kinds_and_wires(2, of=4)
def test_a_wire_that_fails_in_every_state(device, transport, kind):
    wire = device(transport)
    one = Attached(transport, wire.where, "--reset")
    code = one.ask(f"m{wire.code:x},20")
    assert len(code) == 64 and not is_error(code)
    for state in STATES:
        state(one, wire, lambda: wire.spoil(kind))
        assert wire.happened.is_set(), state
        prove(one, wire, code)
        assert one.process.poll() is None
    # It leaves, and the next one finds a program that runs, as it was written.
    one.stop()
    next_one = Attached(transport, wire.where)
    assert next_one.ask(f"m{wire.code:x},20") == code
    prove(next_one, wire, code)
    next_one.stop()


@kinds_and_wires(1, of=4)
def test_a_wire_that_fails_while_attaching(device, transport, kind):
    """It says so and ends, or copes; the next one attaches."""
    wire = device(transport)
    for _ in range(3 if os.environ.get("WAVETRAP_FULL") else 1):
        wire.spoil(kind)
        one = Attached(transport, wire.where)
        wire.mend()
        if one.client:
            one.stop()
        else:
            assert one.process.wait(TIMEOUT) == 125
            assert re.match(r"wavetrap(| attach): \S", one.errors), one.errors
        after = Attached(transport, wire.where, PATIENT)
        assert after.client, after.errors
        code = after.ask(f"m{wire.code:x},20")
        prove(after, wire, code)
        after.stop()


@kinds_and_wires(0, of=4)
def test_a_wire_that_fails_while_detaching(device, transport, kind):
    """Whether or not the device could be told, the client is answered and the next one attaches."""
    wire = device(transport)
    one = Attached(transport, wire.where, "--reset")
    code = one.ask(f"m{wire.code:x},20")
    assert one.ask(f"Z0,{wire.loop:x},4") == b"OK"
    stop_reply(one.ask("vCont;c"))
    wire.spoil(kind)
    assert one.ask("D")
    wire.mend()
    one.stop()
    after = Attached(transport, wire.where, "--reset")
    assert after.client, after.errors
    assert settled(after, wire, f"m{wire.code:x},20")
    after.stop()


@pytest.mark.parametrize("transport", ["dm", "jtag"])
def test_a_debugger_that_is_killed(device, transport):
    """Nothing is lifted: the next one says what it found, and can reset the device all the same."""
    wire = device(transport)
    one = Attached(transport, wire.where, "--reset")
    code = one.ask(f"m{wire.code:x},20")
    stop_reply(one.ask("vCont;s"))
    one.stop(signal.SIGKILL)
    after = Attached(transport, wire.where, PATIENT)
    assert after.client, after.errors
    prove(after, wire, code)
    after.stop()


@pytest.mark.parametrize("transport", ["dm", pytest.param("jtag", marks=pytest.mark.full)])
def test_a_wire_that_is_slow(device, transport):
    """Each answer takes a good part of the time that it may take."""
    wire = device(transport)
    wire.latency = 0.1
    one = Attached(transport, wire.where, "--reset", "--timeout=1000")
    assert one.client, one.errors
    code = one.ask(f"m{wire.code:x},20")
    prove(one, wire, code)
    one.stop()


@pytest.mark.sample(2)
@kinds_and_wires(1, ["drop", "half", "double", "garble", "cut", "broken"])
def test_a_wire_that_fails_while_checking(device, transport, kind):
    """`dm check` has its own instructions in memory then: they are taken out, over a new connection."""
    wire = device(transport)
    one = Attached(transport, wire.where, "--reset")
    code = one.ask(f"m{wire.code:x},60")
    one.stop()
    address = f"remote_bitbang:{wire.where}" if transport == "jtag" else f"tcp:{wire.where}"
    for _ in range(20):
        check = subprocess.Popen([WAVETRAP, "dm", "check", f"--connect={address}",
                                  f"--timeout={REPLY_MS}"],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for line in check.stdout:
            if "haltreq.stops" in line:
                wire.spoil(kind)
                break
        said, errors = check.communicate(timeout=TIMEOUT)
        wire.mend()
        if wire.happened.is_set():  # else this test was so slow that the check ended before
            break
    assert wire.happened.is_set()
    # Twice the same may do no harm.
    if kind != "double" or check.returncode:
        assert check.returncode == 125 and "the connection failed" in said, said
        assert wire.where in errors
    assert "FAIL" not in said
    after = Attached(transport, wire.where, PATIENT)
    assert after.client, after.errors
    assert after.ask(f"m{wire.code:x},60") == code
    prove(after, wire, code[:64])
    after.stop()


# ---- a server that is none ----

class Flood:
    """Answers everything by bytes without end, of which none is a newline."""

    def __init__(self, byte):
        self.byte = byte
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.where = "%s:%d" % self.listener.getsockname()[:2]
        self.sent = 0
        self.ended = False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while True:
            peer, _ = self.listener.accept()
            if self.ended:
                return
            try:
                peer.recv(1 << 16)
                for _ in range(1024):
                    peer.sendall(self.byte * (1 << 20))
                    self.sent += 1 << 20
            except OSError:
                pass
            peer.close()

    def stop(self):
        self.ended = True
        socket.create_connection(self.listener.getsockname()).close()
        self.thread.join(TIMEOUT)


@pytest.mark.parametrize("command, transport, byte", [
    pytest.param(command, transport, byte, marks=[] if (c + w + b) % 3 == 0 else pytest.mark.full)
    for c, command in enumerate(("attach", "check", "dm")) for w, transport in enumerate(("dm", "jtag")) for b, byte in enumerate((b"a", b"0", b"+"))])
def test_a_server_that_never_ends_a_line(command, transport, byte):
    """A gigabyte of it, were it taken: it is not, and costs no memory."""
    flood = Flood(byte)
    address = f"remote_bitbang:{flood.where}" if transport == "jtag" else f"tcp:{flood.where}"
    arguments = {"attach": ["attach", f"--{transport}={address}", "--rsp=:0"],
                 "check": ["dm", "check", f"--connect={address}"],
                 "dm": ["dm", f"--connect={address}", "PLATFORM"]}[command]
    process = subprocess.Popen([WAVETRAP, *arguments, "--timeout=300"], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    flood.stop()
    assert process.returncode == 125 and flood.where in errors, errors
    assert usage.ru_maxrss < (64 << 10) * (8 if "asan" in WAVETRAP else 1)


# ---- a client that is cut off ----

PACKETS = ["qSupported:multiprocess+;swbreak+", "?", "g", "G0011223344", "p20", "P5=01000000", "m80000000,20",
           "M80008000,4:01020304", "X80008000,4:\x01\x02\x03\x04", "Z0,80000008,4", "z0,80000008,4",
           "vCont?", "vCont;s:1;c", "vCont;c", "qfThreadInfo", "qXfer:features:read:target.xml,0,800",
           "qRcmd,68656c70", "Hg1", "T1", "QStartNoAckMode", "vFile:open:2f746d702f78,0,0", "D",
           "qXfer:threads:read::0,400", "QNonStop:1", "vStopped", "bs", "bc", "R00"]


@pytest.mark.parametrize("way", ["serve", "attach"])
def test_a_client_that_is_killed_in_the_middle_of_each_packet(serve, serve_dm, program, way):
    """After each beginning of each packet the connection ends; the next client is served."""
    file = program("endless")
    options = ["--gpu", "vortex:cores=2,warps=2,threads=2"]
    if way == "serve":
        server = serve(file, *options)
        process, address = server.process, server.address
    else:
        one = Attached("dm", serve_dm(file, *options, "--now").address.split(":", 1)[1], "--reset")
        one.client.close()
        process, address = one.process, one.address
    for packet in PACKETS:
        body = packet.encode("latin-1")
        whole = b"$" + body + b"#%02x" % checksum(body)
        cuts = {1, len(whole) // 2, len(whole) - 2, len(whole) - 1, len(whole)} | {2, len(body)}
        for cut in sorted(cuts):
            with Client(address, timeout=TIMEOUT) as client:
                client.raw(b"+")
                client.raw(whole[:cut])
        assert process.poll() is None, packet
    with Client(address, timeout=TIMEOUT) as client:
        assert client.ask("QStartNoAckMode") == b"OK"
        client.raw(b"+")
        stop_reply(client.ask("?"))
        assert len(client.ask("g")) > 64
        assert len(client.ask("m80000000,20")) == 64
        assert stop_reply(client.ask("vCont;s"))
    process.terminate()
    assert process.wait(TIMEOUT) == 128 + signal.SIGTERM


def test_a_client_that_is_killed_while_it_reads(serve, program):
    """The answer is long, and nobody is there to read the rest of it."""
    server = serve(program("endless"))
    for _ in range(20):
        client = Client(server.address, timeout=TIMEOUT)
        for _ in range(20):
            client.send("m80000000,4000")
        client.socket.recv(100)
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        client.close()  # a reset
    with server.quiet_client() as client:
        assert len(client.ask("m80000000,20")) == 64


# ---- two at once ----

@pytest.mark.parametrize("transport", ["dm", "jtag"])
def test_two_debuggers_at_once(serve_dm, serve_jtag, program, transport):
    """The second one is refused and says so; the first does not notice, and then the second may."""
    file = program("endless")
    options = ["--gpu", "vortex:cores=2,warps=2,threads=2", "--now"]
    server = (serve_jtag if transport == "jtag" else serve_dm)(file, *options)
    where = server.address.split(":", 1)[1]
    first = Attached(transport, where, "--reset")
    registers_then = first.ask("g")
    for _ in range(3):
        second = Attached(transport, where)
        assert second.client is None and second.process.wait(TIMEOUT) == 125
        assert where in second.errors
    assert first.ask("g") == registers_then
    # And two clients of one debugger.
    with Client(first.address, timeout=TIMEOUT) as other:
        assert b"another client" in other.ask("qSupported")
        assert other.receive() is None
    assert first.ask("g") == registers_then
    first.stop()
    third = Attached(transport, where)
    assert third.client, third.errors
    third.stop()
