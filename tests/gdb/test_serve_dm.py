"""`wavetrap serve --dm`: the Debug Module for other people's debuggers, as they drive it."""
import os
import re
import stat
import subprocess

import pytest

from conftest import TIMEOUT, WAVETRAP, symbol
from wire import DCONFIG, DCTRL, DPC, DSELECT, PLATFORM, WACTIVE, WMASK, WSTATUS, Client

EBREAK = 0x00100073


def test_the_first_lines_of_a_session_are_those_of_the_field(serve_dm, program):
    """What the usual client sends first, and what it must get to go on."""
    client = serve_dm(program("lanes"), "--gpu", "vortex:warps=4,threads=4").client()
    for request, reply in [("p", "+P"), ("s", "+"), ("r0000", "+10201022")]:
        assert client.ask(request) == reply
    assert client.ask("w0006:8d000000") == "+"
    assert client.read(DCTRL) & 0xc0000000 == 0x80000000
    client.write(DCONFIG, client.read(DCONFIG) | 1)
    assert client.read(DCONFIG) & 1


def halted(client, warp):
    return client.read(WSTATUS) >> warp & 1


def test_a_program_is_debugged_by_hand(serve_dm, program):
    """Reset and halt, a breakpoint, registers of lanes, a step, on to the end: all by registers."""
    file = program("lanes")
    server = serve_dm(file, "--gpu", "vortex:threads=4")
    client = server.client().hello()
    client.start()
    client.wake()
    client.write(DSELECT, 0)
    client.write(WMASK, 0xffffffff)
    client.field(DCTRL, 2, 2, 1)  # resethaltreq, then ndmreset
    client.field(DCTRL, 30, 30, 1)
    while client.read(DCTRL) >> 30 & 1:
        pass
    assert client.read(DCTRL) >> 29 & 1 and halted(client, 0)
    assert client.read(DPC) == 0x80000000
    client.select(0, 0)
    place = int(symbol(file, "count"), 16)
    client.set_gpr(5, place)
    client.inject(0x0002a303)  # lw t1, 0(t0)
    old = client.gpr(6)
    client.set_gpr(6, EBREAK)
    client.inject(0x0062a023)  # sw t1, 0(t0)
    # All of them: a warp that is spawned while it is halted would be waited for.
    client.field(DCTRL, 1, 1, 1)
    while not (client.read(WSTATUS) & client.read(WACTIVE)):
        pass
    assert client.read(DCTRL) >> 9 & 7 == 1  # hacause: EBREAK
    assert client.read(DPC) == place
    client.select(0, 1)
    t2 = client.gpr(7)
    client.inject(0xcc0023f3)  # csrr t2, vx_thread_id
    assert client.gpr(7) == 1
    client.set_gpr(7, t2)
    client.select(0, 0)
    t0, t1 = client.gpr(5), client.gpr(6)
    client.set_gpr(5, place)
    client.set_gpr(6, old)
    client.inject(0x0062a023)
    client.set_gpr(5, t0)
    client.set_gpr(6, t1)
    client.field(DCTRL, 3, 3, 1)
    while client.read(DCTRL) >> 4 & 3:
        pass
    assert client.read(DPC) == place + (4 if old & 3 == 3 else 2)
    client.field(DCTRL, 1, 1, 1)
    server.told("the program has ended with status 42")
    # It goes on being served, and says that nobody is active.
    assert client.read(WACTIVE) == 0
    assert client.read(DCTRL) >> 25 & 1
    assert client.read(PLATFORM) >> 28 == 1


def test_the_program_waits_for_the_start(serve_dm, program):
    """It does nothing before a client says "s", however many registers are read."""
    server = serve_dm(program("lanes"))
    client = server.client().hello()
    assert client.read(WACTIVE) == 1
    client.wake()
    assert client.read(DPC) == 0x80000000
    client.close()
    client = server.client().hello()
    assert client.read(DPC) == 0x80000000
    client.start()
    server.told("the program has ended with status 42")
    assert client.ask("s") == "+"


def test_now_starts_without_a_client(serve_dm, program):
    serve_dm(program("lanes"), "--now").told("the program has ended with status 42")


def test_batches_with_both_separators(serve_dm, program):
    client = serve_dm(program("lanes")).client().hello()
    client.wake()
    assert client.ask("W0002,0003;00000000,0000000f") == "+"
    assert client.ask("R0002,0003") == "+00000000,0000000f"
    assert client.ask("W0009,0003:000000ff,00000001") == "+"
    assert client.ask("R0003,0009,0003,0003,0003,0003,0003,0009") == \
        "+00000001,000000ff," + "00000001," * 5 + "000000ff"


@pytest.mark.parametrize("line", ["x", "r", "r00g0", "w0003", "w0003;1", "R", "W0002,0003;1",
                                  "q", "help", "GET / HTTP/1.1", "r0006,0007", "\xff\xfe", "w0003:123456789",
                                  "R" + ",".join(["0003"] * 9), "$qSupported#37"])
def test_unknown_lines_are_answered_no(serve_dm, program, line):
    client = serve_dm(program("lanes")).client().hello()
    client.wake()
    client.write(WMASK, 5)
    assert client.ask(line) == "-"
    assert client.read(WMASK) == 5


def test_many_requests_at_once_are_answered_in_order(serve_dm, program):
    client = serve_dm(program("lanes")).client().hello()
    client.wake()
    count = 20000
    client.socket.sendall(b"".join(b"w0003:%08x\nr0003\n" % (i & 15) for i in range(count)))
    for i in range(count):
        assert client.reply() == "+"
        assert client.reply() == f"+{i & 15:08x}"


def test_connections_come_one_after_another(serve_dm, program):
    """A second one at the same time is told why not; the first does not notice."""
    server = serve_dm(program("lanes"))
    first = server.client().hello()
    first.wake()
    for _ in range(12):
        second = server.client()
        second.send("p")
        assert second.reply().startswith("-another client")
        assert second.reply() == ""
        second.close()
    first.write(WMASK, 3)
    first.close()
    for _ in range(20):
        client = server.client().hello()
        assert client.read(WMASK) == 3
        client.close()
    # One that leaves without a word, in the middle of a line.
    rude = server.client()
    rude.socket.sendall(b"r00")
    rude.close()
    client = server.client().hello()
    assert client.ask("06") == "-"
    assert client.read(WMASK) == 3


def memory_of(process):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as f:
        return int(re.search(r"^VmHWM:\s+(\d+) kB", f.read(), re.M)[1])


def test_a_gigabyte_without_a_newline_costs_no_memory(serve_dm, program):
    server = serve_dm(program("lanes"))
    client = server.client().hello()
    before = memory_of(server.process)
    much = b"r" * (1 << 22)
    for _ in range(256):
        client.socket.sendall(much)
    assert client.ask("") == "-"
    assert client.read(PLATFORM) >> 28 == 1
    assert memory_of(server.process) - before < 8192


def test_a_client_that_does_not_read_is_not_fed(serve_dm, program):
    """Requests whose answers nobody takes stop being read, and the server's memory stays."""
    server = serve_dm(program("lanes"))
    client = server.client().hello()
    before = memory_of(server.process)
    client.socket.setblocking(False)
    line, sent = b"R0000,0000,0000,0000,0000,0000,0000,0000\n" * 1000, 0
    while True:
        try:
            sent += client.socket.send(line)
        except BlockingIOError:
            break
    assert sent < 64 << 20
    assert memory_of(server.process) - before < 8192
    client.close()
    assert server.client().ask("p") == "+P"


def test_unix_sockets_are_the_owners_only(serve_dm, program, tmp_path):
    path = tmp_path / "dm"
    server = serve_dm(program("lanes"), at=f"unix:{path}")
    assert server.address == f"unix:{path}"
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert server.client().ask("p") == "+P"
    assert server.stop() == 128 + 15
    assert not path.exists()


def test_loopback_unless_another_address_is_asked_for(serve_dm, program):
    server = serve_dm(program("lanes"))
    assert server.address.startswith("tcp:127.0.0.1:")
    assert server.stop(2) == 0
    assert "warning" not in server.errors
    server = serve_dm(program("lanes"), "--any-client", at="0.0.0.0:0")
    assert "no authentication" in server.told(r"warning: .*\n")[0]
    port = int(server.address.rsplit(":", 1)[1])
    assert Client(f"tcp:127.0.0.1:{port}").ask("p") == "+P"


def test_once_ends_with_the_first_client(serve_dm, program):
    server = serve_dm(program("lanes"), "--once")
    client = server.client().hello()
    client.close()
    server.process.communicate(timeout=TIMEOUT)
    assert server.process.returncode == 0


@pytest.mark.parametrize("options, text", [
    (["--dm", "stdio"], "not an address to listen at"),
    (["--dm", "host:port"], "not an address to listen at"),
    (["--dm", "unix:"], "1 to"),
    (["--dm", ":0", "--rsp", ":0"], "no debugger here"),
    (["--dm", ":0", "--console-to-gdb"], "no debugger here"),
])
def test_bad_options_are_explained(program, options, text):
    done = subprocess.run([WAVETRAP, "serve", *options, program("lanes")], capture_output=True,
                          text=True, timeout=TIMEOUT)
    assert done.returncode == 125
    assert text in done.stderr


def test_a_port_in_use_is_explained(serve_dm, program):
    server = serve_dm(program("lanes"))
    done = subprocess.run([WAVETRAP, "serve", "--dm", server.address, program("lanes")],
                          capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 125
    assert "Address already in use" in done.stderr


def test_a_device_that_needs_time_is_watched_at_it(serve_dm, program):
    """dm-clock: an injection takes cycles, which pass with each access."""
    client = serve_dm(program("lanes"), "--gpu", "vortex:dm-clock=1").client().hello()
    client.start()
    client.wake()
    client.write(WMASK, 1)
    client.field(DCTRL, 0, 0, 1)
    while not halted(client, 0):
        pass
    client.set_gpr(7, 0x1234)
    assert client.gpr(7) == 0x1234


CONNECT = "import socket, sys; s = socket.create_connection((sys.argv[3], int(sys.argv[1])), 60); s.sendall(sys.argv[2].encode()); print(len(s.recv(1)))"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be several users")
@pytest.mark.parametrize("words, hello", [(["serve", "--rsp=:0"], "+$qSupported#37"), (["serve", "--dm=:0"], "p\n"), (["serve", "--jtag=:0"], "R"),
                                          (["dap", "--listen=0"], "Content-Length: 64\r\n\r\n" + '{"seq":1,"type":"request","command":"initialize","arguments":{}}')],
                         ids=["rsp", "dm", "jtag", "dap"])
def test_who_may_connect(program, words, hello):
    """A protocol without a password: clients of the server's own user and of root, on this machine. `--any-client` lets all in, and alone lets it listen elsewhere."""
    try:
        subprocess.run([WAVETRAP, "--version"], user=65534, cwd="/", capture_output=True, check=True)
    except (PermissionError, subprocess.CalledProcessError):
        pytest.skip("other users do not reach the build folder")
    code = open(program("lanes"), "rb")    # other users may read it, but not the folder that it is in
    file = [f"/proc/self/fd/{code.fileno()}"] if words[0] == "serve" else []
    for server_user, others in (0, {"0": "1", "65534": "0"}), (65534, {"0": "1", "65534": "1", "1234": "0"}), ("any", {"1234": "1"}):
        options = ["--any-client"] if server_user == "any" else []
        process = subprocess.Popen([WAVETRAP, *words, *options, *file], stderr=subprocess.PIPE, text=True, user=0 if options else server_user, cwd="/",
                                   pass_fds=[code.fileno()], env={**os.environ, "HOME": "/nonexistent"})
        try:
            port, said = None, ""
            while not port:
                line = process.stderr.readline()
                said = said + line
                assert line, said
                port = re.search(r":(\d+)$", line.split()[-1].rstrip("."))
            for user, answered in others.items():
                # Sockets of IPv6 connect to mapped addresses, as Java's do; the list of the other kind of sockets has them.
                mapped = "::ffff:127.0.0.1" if user == "0" and os.path.exists("/proc/net/if_inet6") else "127.0.0.1"
                done = subprocess.run(["/usr/bin/python3", "-c", CONNECT, port[1], hello, mapped], capture_output=True, text=True, user=int(user), timeout=TIMEOUT, cwd="/")
                got = done.stdout.strip() or "0"    # a connection that is closed with bytes unread is reset
                assert got == answered, (server_user, user, done.stdout, done.stderr)
        finally:
            process.terminate()
            said = process.communicate(timeout=TIMEOUT)[1]
        assert ("was refused: --any-client" in said) == ("0" in others.values()), said
    done = subprocess.run([WAVETRAP, *words[:-1], words[-1].split("=")[0] + "=0.0.0.0:0", *file], pass_fds=[code.fileno()], capture_output=True, text=True, timeout=TIMEOUT)
    code.close()
    assert done.returncode == 125 and "other machines could reach it" in done.stderr and "--any-client" in done.stderr, done.stderr
