"""The server's manners towards clients that no debugger resembles: malformed and endless input,
connections that drop, many at once. Whatever comes, the next client is served."""
import os
import random
import signal
import stat

import pytest

from conftest import VARIANTS, each, symbol
from rsp import Client, checksum

PACKETS = [b"qSupported:multiprocess+;swbreak+", b"vCont;s:p1.1", b"vCont;t", b"vCont?", b"g", b"G00", b"m80000000,40",
           b"x80000000,40", b"M80000000,1:00", b"X80000000,1:a", b"Z0,80000010,4;X3,220127", b"z0,80000010,4",
           b"Z1,80000010,4;cmds:1,X4,22012734", b"Hgp1.1", b"Hc-1", b"T1", b"?", b"qC", b"qfThreadInfo",
           b"qsThreadInfo", b"qThreadExtraInfo,1", b"qXfer:threads:read::0,1000",
           b"qXfer:features:read:target.xml:0,1000", b"qXfer:memory-map:read::0,100",
           b"qXfer:exec-file:read::0,100", b"vFile:setfs:0", b"vFile:open:2f,0,0", b"vFile:pread:3,10,0",
           b"qRcmd,68656c70", b"qSearch:memory:80000000;100;abc", b"qCRC:80000000,10", b"QNonStop:1",
           b"QNonStop:0", b"vStopped", b"vRun;", b"vKill;1", b"vAttach;1", b"jThreadsInfo", b"p20",
           b"P5=00000000", b"QThreadSuffixSupported", b"QListThreadsInStopReply", b"qMemoryRegionInfo:0"]


def alive(server):
    """A new client is answered."""
    with server.quiet_client() as client:
        assert client.ask("?")[:1] in (b"T", b"W")
        assert client.ask("qC")[:2] in (b"QC", b"")


@pytest.mark.parametrize("packet", [
    b"m", b"m0,", b"m,4", b"mzz,4", b"M80000000,4:00", b"M80000000,1:zz", b"X80000000,9:a", b"p", b"pffff",
    b"P1", b"P1=0", b"Z0", b"Z0,80000010", b"Z0,80000010,4;X", b"Z0,80000010,4;Xffff,00", b"Z0,1,4;cmds:",
    b"Hg", b"Hgp", b"Hg12345", b"T", b"Tffffffff", b"vCont;", b"vCont;z", b"vCont;s:", b"vCont;rff", b"qRcmd,0",
    b"qXfer:features:read:target.xml:", b"qXfer:features:read:target.xml:zz,1", b"qCRC:", b"qSearch:memory:1",
    b"vKill;99", b"vAttach;99", b"D;99", b"QNonStop:7"])
def test_malformed_packets_are_answered_by_an_error(serve, program, packet):
    server = serve(program("lanes"))
    with server.quiet_client() as client:
        client.greet()
        assert client.ask(packet)[:1] == b"E"
        assert client.ask("qC")[:2] == b"QC"


def mangled(dice):
    """A packet with up to two mistakes. None that ends the connection: the next could not be sent."""
    while True:
        packet = bytearray(dice.choice(PACKETS))
        for _ in range(dice.randrange(3)):
            at = dice.randrange(len(packet))
            what = dice.randrange(3)
            if what == 0:
                packet[at] = dice.randrange(256)
            elif what == 1:
                del packet[at:at + 1]
                packet = packet or bytearray(b"?")
            else:
                packet[at:at] = packet[at:at + 4]
        if not packet.startswith((b"k", b"D")):
            return bytes(packet)


@each()
def test_mangled_packets_do_no_harm(serve, program, variant):
    """Packets with bytes changed, lost and doubled, against the whole stack."""
    server = serve(program("lanes", variant.xlen), *variant.options)
    dice = random.Random(f"{variant}")
    for _ in range(8):
        with server.quiet_client() as client:
            client.greet()
            for _ in range(60):
                client.send(mangled(dice))
                # What goes on for ever is interrupted; what is answered is not waited for.
                if dice.randrange(4) == 0:
                    client.raw(b"\x03")
            client.raw(b"\x03")
    alive(server)


def test_noise_is_survived(serve, program):
    server = serve(program("lanes"))
    dice = random.Random(7)
    for _ in range(5):
        with server.client() as client:
            try:
                for _ in range(50):
                    client.raw(bytes(dice.choices(b"$#+-\x03}*%gmMXZvq0123456789abcdef;:,." + bytes(range(256)),
                                                  k=5000)))
            except (BrokenPipeError, ConnectionResetError):
                pass
    alive(server)


def peak(server):
    """The most memory that the server ever had, in KiB."""
    with open(f"/proc/{server.process.pid}/status") as status:
        return int(next(line for line in status if line.startswith("VmHWM")).split()[1])


def test_a_packet_without_end_costs_no_memory(serve, program):
    """It has 64 MiB, of which the server keeps what a packet may have."""
    server = serve(program("lanes"))
    with server.client() as client:
        client.greet()
        before = peak(server)
        client.raw(b"$")
        for _ in range(64):
            client.raw(b"a" * (1 << 20))
        client.raw(b"#00")
        assert client.receive()[:1] == b"E"
        assert client.ask("qC") == b"QC1"
        assert peak(server) - before < 16 * 1024
    alive(server)


def test_a_client_that_does_not_read_is_not_waited_for_in_vain(serve, program):
    """It asks for 100 MB and reads nothing: the server stops answering it, and keeps its size."""
    server = serve(program("lanes"))
    with server.quiet_client() as client:
        before = peak(server)
        packet = b"$m80000000,8000#%02x" % checksum(b"m80000000,8000")
        client.socket.settimeout(0.5)
        try:
            for _ in range(100):
                client.raw(packet * 20)
        except TimeoutError:
            pass
        assert peak(server) - before < 16 * 1024
    alive(server)


def test_a_dropped_connection_leaves_the_program_halted(serve, program):
    server = serve(program("endless"))
    with server.quiet_client() as client:
        assert client.ask("Z0,80000000,4") == b"OK"
        client.send("vCont;c")
    with server.quiet_client() as client:
        assert client.ask("?").startswith(b"T")
        first = client.ask("g")
        assert client.ask("g") == first
        # Its breakpoint has gone with it: the word is the program's own.
        assert client.ask("m80000000,4") != b"73001000"


def test_after_the_end_the_next_client_starts_afresh(serve, program):
    server = serve(program("lanes"))
    status = symbol(program("lanes"), "status")
    for _ in range(3):
        with server.quiet_client() as client:
            assert client.ask("?").startswith(b"T05thread:1;core:0;20:00000080;")
            assert client.ask(f"m{status},4") == b"2a000000"
            assert client.ask(f"M{status},4:07000000") == b"OK"
            assert client.ask("vCont;c") == b"W07"


def test_a_second_client_is_told_why_not(serve, program):
    server = serve(program("lanes"))
    with server.quiet_client() as first:
        with server.client() as second:
            assert b"another client" in second.ask("qSupported")
            assert second.receive() is None
        assert first.ask("qC") == b"QC1"
    alive(server)


def test_many_clients_at_once(serve, program):
    server = serve(program("lanes"))
    with server.quiet_client() as first:
        others = [server.client() for _ in range(30)]
        assert first.ask("qC") == b"QC1"
        for other in others:
            other.close()
    alive(server)


def test_an_interrupt_comes_through_at_once(serve, program):
    """Also when it comes in one piece with what sets the program going, and before it."""
    server = serve(program("endless"))
    with server.quiet_client() as client:
        for _ in range(20):
            client.send("vCont;c")
            client.raw(b"\x03")
            assert client.receive().startswith(b"T02")


def test_pipelined_packets_are_answered_in_order(serve, program):
    server = serve(program("lanes"))
    with server.quiet_client() as client:
        for _ in range(10):
            client.send("vCont;s:1")
            client.send("p20")
        for _ in range(10):
            stop = client.receive()
            assert stop.startswith(b"T05")
            pc = dict(pair.split(b":") for pair in stop[3:].split(b";")[:-1])[b"20"]
            assert client.receive() == pc


def test_acknowledgements_and_repeats(serve, program):
    server = serve(program("lanes"))
    with server.client() as client:
        client.raw(b"$qC#00")
        assert client.socket.recv(1) == b"-"
        client.raw(b"$qC#b4")
        assert client.receive() == b"QC1"
        client.raw(b"-")
        assert client.receive() == b"QC1"


def test_a_unix_socket_is_its_owners(serve, program, tmp_path):
    path = tmp_path / "socket"
    server = serve(program("lanes"), rsp=f"unix:{path}")
    assert server.address == str(path)
    mode = path.stat().st_mode
    assert stat.S_ISSOCK(mode) and mode & 0o777 == 0o600
    alive(server)
    assert server.stop() == 128 + signal.SIGTERM
    assert not path.exists()


def test_other_machines_are_warned_of(serve, program):
    server = serve(program("lanes"), "--any-client", rsp="*:0")
    assert "other machines" in server.errors
    assert server.address.startswith("localhost:")
    server = serve(program("lanes"), rsp="127.0.0.1:0")
    assert "other machines" not in server.errors


def test_once_ends_with_the_programs_status(serve, program):
    server = serve(program("lanes"), "--once")
    with server.quiet_client() as client:
        assert client.ask("vCont;c") == b"W2a"
    assert server.wait() == 42


def test_once_lets_a_detached_program_end(serve, program):
    server = serve(program("lanes"), "--once")
    with server.quiet_client() as client:
        client.greet()
        assert client.ask("D") == b"OK"
    assert server.wait() == 42


def test_kill_ends_what_is_served_once(serve, program):
    server = serve(program("lanes"), "--once")
    with server.quiet_client() as client:
        client.greet()
        client.send("k")
        assert client.receive() is None
    assert server.wait() == 0


def test_standard_input_and_output(program):
    import subprocess
    from conftest import WAVETRAP
    # Packets that a web page could send as the name of a method are good here: none has our standard input.
    for talk, reply in (b"+$qC#b4+$vCont;c#a8+$k#6b", b"+$QC1#c5+$W2a#"), (b"$QStartNoAckMode#b0$c#63$k#6b", b"+$OK#9a$W2a#"):
        done = subprocess.run([WAVETRAP, "serve", "--rsp", "stdio", str(program("lanes"))], input=talk,
                              capture_output=True, timeout=60)
        assert done.stdout.startswith(reply), done


@each([v for v in VARIANTS if not v.dm_only])
def test_what_is_read_is_the_same_for_every_way_to_the_device(serve, program, variant):
    """Registers of all lanes and memory after the same steps: hashed here, compared between runs with
    and without the memory port."""
    def look(*options):
        server = serve(program("lanes", variant.xlen), "--gpu", f"vortex:threads={variant.threads}", *options)
        seen = []
        meet = symbol(program("lanes", variant.xlen), "meet")
        with server.quiet_client() as client:
            assert client.ask(f"Z0,{meet},4") == b"OK"
            seen.append(client.ask("vCont;c"))
            assert client.ask(f"z0,{meet},4") == b"OK"
            for _ in range(12):
                seen.append(client.ask("vCont;s:2;c"))
            threads = client.ask("qfThreadInfo")
            seen.append(threads)
            for thread in threads[1:].split(b","):
                assert client.ask(b"Hg" + thread) == b"OK"
                seen += [client.ask("g"), client.ask("p21"), client.ask("pd01")]
            seen += [client.ask("m80000000,400"), client.ask("m80000003,9")]
            assert client.ask("M80000401,7:01020304050607") == b"OK"
            seen.append(client.ask("m80000400,10"))
            seen.append(client.ask("vCont;c"))
        return seen
    assert look() == look("--dm-only")


def test_the_console_can_go_to_the_client(serve, example):
    file = example("hello")
    server = serve(file, "--console-to-gdb", "--once")
    text = b""
    with server.quiet_client() as client:
        client.send("vCont;c")
        while (packet := client.receive())[:1] == b"O":
            text += bytes.fromhex(packet[1:].decode())
        assert packet == b"W00"
    server.wait()
    assert text.count(b"\n") >= 2
    assert server.output == ""


@pytest.mark.parametrize("history", [True, False], ids=["recorded", "not-recorded"])
def test_attaching_to_a_program_that_has_ended(serve, program, history):
    """The client gets the program before its last instruction; where that is not recorded, an error: GDB 13
    fails an assertion of its own when it is told of an exit then."""
    server = serve(program("lanes"), *([] if history else ["--no-history"]))
    with server.client() as client:
        client.greet()
        client.ask(b"!")
        assert client.ask(b"vCont;c") == b"W2a"
        said = client.ask(b"vAttach;1")
        if history:
            assert said.startswith(b"T05thread:"), said
            assert client.ask(f"m{symbol(program('lanes'), 'results')},4") == b"52140000"
            assert client.ask(b"vCont;c") == b"W2a"
        else:
            assert said.startswith(b"E"), said
        assert client.ask(b"qC")[:2] in (b"", b"QC")
