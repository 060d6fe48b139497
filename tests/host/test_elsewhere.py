"""Host programs in another network, process or mount namespace, under a debugger outside: exec --socket, attach --socket, and the token."""
import os
import re
import shutil
import socket
import stat
import struct
import subprocess
import sys
import time

import pytest

from conftest import WAVETRAP, compiled
from sanitizer import ROOT, environment
from test_console_cuda import program as cuda_program  # noqa: F401 (a fixture)
from test_long import LIMIT
from test_opencl_debug import build
from test_sockets import folder, greeting  # noqa: F401 (a fixture)

pytestmark = pytest.mark.hip

INSIDE_NETWORK = ["unshare", "-rn", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
# A file system of its own, too, which has the program: what the debugger shows of its code comes from the process.
CONTAINER = ["unshare", "-rnmpf", "--mount-proc", "--kill-child", "sh", "-c",
             'ip link set lo up && mount -t tmpfs none "$1" && cp "$2" "$1/program" && place=$1 && shift 2 && exec "$@" "$place/program"', "sh"]
PORT = 7000  # in a network of its own
# What `ssh -L PATH:127.0.0.1:PORT` does: what comes at a socket here goes to a port there.
RELAY = """
import socket, sys, threading
def pass_on(a, b):
    while data := a.recv(65536):
        b.sendall(data)
    b.shutdown(socket.SHUT_WR)
def serve(here):
    with here, socket.create_connection(("127.0.0.1", int(sys.argv[2]))) as there:
        back = threading.Thread(target=pass_on, args=(there, here))
        back.start()
        pass_on(here, there)
        back.join()
with socket.socket(socket.AF_UNIX) as door:
    door.bind(sys.argv[1])
    door.listen()
    print("ready", flush=True)
    while True:
        threading.Thread(target=serve, args=(door.accept()[0],), daemon=True).start()
"""


def need_namespaces(*which):
    if not shutil.which("unshare") or not shutil.which("nsenter") or not shutil.which("ip"):
        pytest.skip("unshare, nsenter or ip is not installed")
    tried = subprocess.run(["unshare", *which, "ip", "link", "set", "lo", "up"], capture_output=True, text=True)
    if tried.returncode:
        pytest.skip("no namespaces for this user: " + tried.stderr.strip())


class Program:
    """A program under `exec`, which ends at a line on its input."""

    def __init__(self, folder, *options, around=(), program=None, **more):
        self.env = dict(environment(), WAVETRAP_SOCKETS=str(folder), TMPDIR=str(folder.parent), **more)
        self.run = subprocess.Popen([*map(str, around), WAVETRAP, "exec", *map(str, options), *([program] if program else [])],
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.env)

    def __enter__(self):
        line = self.run.stdout.readline()
        if not line.startswith("ready "):
            self.run.kill()
            raise AssertionError(line + self.run.communicate()[1])
        return self

    def __exit__(self, *what):
        self.run.kill()
        self.run.communicate()

    def end(self):
        said, told = self.run.communicate("\n", timeout=LIMIT)
        assert self.run.returncode == 0 and said.endswith(" 0 wrong\n"), said + told
        return told


def attach(folder, address, *commands, options=(), **more):
    """The console of `wavetrap debug --socket`, which is that of `attach --socket`."""
    return subprocess.run([WAVETRAP, "debug", "--nx", "--batch", *(w for c in commands for w in ("-ex", c)), f"--socket={address}",
                           *map(str, options)], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=LIMIT,
                          env=dict(environment(), WAVETRAP_SOCKETS=str(folder)), check=False, **more)


def connect(path):
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(LIMIT)
    client.connect(str(path))
    return client


def heard(client):
    """What comes until the other side closes."""
    said = b""
    try:
        while more := client.recv(4096):
            said += more
    except ConnectionResetError:
        pass
    return said


def test_a_program_behind_a_forwarded_port(folder, tmp_path):
    """As at the end of `ssh -L`: it listens at TCP in a network that is not the debugger's."""
    need_namespaces("-rn")
    relay = tmp_path / "relay"
    with Program(folder, "-g", "gfx900", f"--socket=tcp:127.0.0.1:{PORT}", around=INSIDE_NETWORK, program=compiled("attach.hip")) as program:
        enter = ["nsenter", "-t", str(program.run.pid), "-U", "-n", "--preserve-credentials"]
        with subprocess.Popen([*enter, sys.executable, "-c", RELAY, str(relay), str(PORT)], stdout=subprocess.PIPE, text=True) as forward:
            try:
                assert forward.stdout.readline() == "ready\n"
                for _ in range(2):
                    done = attach(folder, f"unix:{relay}", "tbreak busy", "continue", "next", "print i", "detach")
                    assert done.returncode == 0, done.stderr
                    assert re.search(r"^Attaching to process \d+$", done.stdout, re.M), done.stdout
                    assert "Temporary breakpoint 1, busy (" in done.stdout and "\n$1 = 0\n" in done.stdout, done.stdout
                    assert "which continues.\n" in done.stdout
                assert program.end() == ""
            finally:
                forward.kill()


def test_a_program_in_a_container(folder, tmp_path):
    """Its process id, its file and its folder of sockets mean nothing outside; they share a folder. Its code is read from its memory."""
    need_namespaces("-rnmpf", "--mount-proc")
    inside, own, at, token = (tmp_path / name for name in ("inside", "own", "at", "token"))
    inside.mkdir()
    own.mkdir(mode=0o700)
    around = [*CONTAINER, inside, compiled("attach.hip")]
    with Program(own, "-g", "gfx900", f"--socket=unix:{at}", f"--token={token}", around=around) as program:
        assert not (inside / "program").exists()
        done = attach(folder, f"unix:{at}", "tbreak busy", "continue", "x/i $pc", "kill", options=["--token", token])
        assert "Temporary breakpoint 1, busy (" in done.stdout and re.search(r"^=> 0x[0-9a-f]+ <busy", done.stdout, re.M), done.stdout + done.stderr
        assert "the program is elsewhere, and cannot be killed from here: 'detach' leaves it" in done.stderr
        with subprocess.Popen([WAVETRAP, "attach", f"--socket=unix:{at}", f"--token={token}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True, env=dict(environment(), WAVETRAP_SOCKETS=str(folder))) as console:
            console.stdin.write("continue\n")
            console.stdin.flush()
            assert any(line == "Continuing.\n" for line in iter(console.stdout.readline, ""))
            assert program.end() == ""
            said = console.communicate("quit\n", timeout=LIMIT)[0]
        assert re.search(r"^\[Process \d+ has closed its GPU\]$", said, re.M), said
    assert not at.exists()


@pytest.mark.parametrize("family", ["sm", "gen9"])
def test_programs_of_the_other_families(folder, tmp_path, family, request):
    """Their kernels wait for the debugger."""
    need_namespaces("-rn")
    at = tmp_path / "at"
    words = [str(w) for w in request.getfixturevalue("cuda_program")] if family == "sm" else [str(build(ROOT / "tests/host/opencl_debug.c", tmp_path))]
    env = dict(environment(), WAVETRAP_SOCKETS=str(folder), WAVETRAP_HELD="1")
    with subprocess.Popen([*INSIDE_NETWORK, WAVETRAP, "exec", "-g", family, f"--socket=unix:{at}", *words], stdout=subprocess.PIPE,
                          text=True, env=env) as run:
        end = time.monotonic() + LIMIT
        with socket.socket(socket.AF_UNIX) as look:
            while look.connect_ex(str(at)) and run.poll() is None and time.monotonic() < end:
                time.sleep(0.01)  # its name is there a moment before somebody listens
        done = attach(folder, f"unix:{at}", f"break {'fill' if family == 'sm' else 'add'}", "continue", "backtrace", "delete", "continue")
        said = run.communicate(timeout=LIMIT)[0]
    assert re.search(r"^Breakpoint 1, (fill|add) \(", done.stdout, re.M) and re.search(r"^#0 ", done.stdout, re.M), done.stdout + done.stderr
    assert "round 0: " in said and run.returncode == 0


@pytest.mark.parametrize("shown", [b"", b"\xff" * 32])
def test_without_the_token_nothing_is_executed(folder, tmp_path, shown):
    at, own = tmp_path / "at", folder / "token"
    with Program(folder, "-g", "gfx900", f"--socket=unix:{at}", program=compiled("attach.hip")) as program:
        token = own.read_text()
        assert stat.S_IMODE(own.stat().st_mode) == 0o600 and re.fullmatch(r"[0-9a-f]{64}\n", token)
        attached = struct.pack("<8I2Q", 1, *[0] * 9)
        with connect(at) as client:
            client.sendall(greeting(token=shown) + attached)
            assert heard(client) == b""
        other = tmp_path / "other"
        other.write_text("ff" * 32)
        other.chmod(0o600)
        done = attach(folder, f"unix:{at}", "info threads", options=["--token", other])
        assert done.returncode and f"the program at unix:{at} has closed the connection: it has another token" in done.stderr, done.stderr
        with connect(at) as client:   # the one that is right
            client.sendall(greeting(token=bytes.fromhex(token)) + attached)
            client.shutdown(socket.SHUT_WR)
            assert len(heard(client)) == len(greeting()) + 24
        # Who may use the private socket needs no token.
        assert attach(folder, f"unix:{at}", "detach").returncode == 0
        told = program.end()
    assert told == f"wavetrap: a debugger at {at} was turned away: it has another token\n" * 2


@pytest.mark.parametrize("said", [b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", bytes(48), b"WTW\0" + bytes(60)])
def test_what_is_not_the_protocol_is_closed(folder, tmp_path, said):
    at = tmp_path / "at"
    with Program(folder, "-g", "gfx900", f"--socket=unix:{at}", program=compiled("attach.hip")) as program:
        for path in (at, folder / f"{program.run.pid}.gpu"):
            with connect(path) as client:
                client.sendall(said)
                assert heard(client) == b""
        assert attach(folder, f"unix:{at}", "detach").returncode == 0
        assert program.end() == ""


def test_another_version_is_refused_on_both_sides(folder):
    """The process's sentence; that of the debugger is in tests/unit/test_wire.c."""
    with Program(folder, "-g", "gfx900", program=compiled("attach.hip")) as program:
        with connect(folder / f"{program.run.pid}.gpu") as client:
            client.sendall(greeting(version=99))
            magic, version = struct.unpack_from("<4sI", heard(client))
            assert magic == b"WTWP" and version != 99
        told = program.end()
    assert re.fullmatch(rf"wavetrap: a debugger of another version was turned away: process {os.getpid()} speaks version 99 .*\n", told), told


@pytest.mark.parametrize("options, why", [
    (["--socket=tcp:0.0.0.0:7000"], "other machines could reach it"),
    (["--socket=tcp:192.0.2.1:7000"], "other machines could reach it"),
    (["--socket=unix:here"], "is not an address of a program"),
    (["--socket=7000"], "is not an address of a program"),
    (["--socket=tcp:127.0.0.1:0"], "a port is a number from 1 to 65535"),
    (["--token=x"], "--token is for --socket=ADDRESS, which is missing"),
    (["--socket=unix:/nonexistent", "--token={open}"], "other users may read it (mode 0644"),
    (["--socket=unix:/nonexistent", "--token={empty}"], "has no token: 64 hexadecimal digits"),
    (["--socket=unix:/nonexistent", "--token={here}"], "is not a file with a token"),
])
def test_what_exec_refuses(folder, tmp_path, options, why):
    for name, mode in (("open", 0o644), ("empty", 0o600)):
        (tmp_path / name).write_text("00" * 32 if name == "open" else "")
        (tmp_path / name).chmod(mode)
    names = {"open": tmp_path / "open", "empty": tmp_path / "empty", "here": tmp_path}
    done = subprocess.run([WAVETRAP, "exec", *(o.format(**names) for o in options), "true"], capture_output=True, text=True, timeout=LIMIT,
                          env=dict(environment(), WAVETRAP_SOCKETS=str(folder)), check=False)
    assert done.returncode == 125 and why in done.stderr and done.stdout == "", done.stderr


def test_an_address_that_is_taken_stops_no_program(folder, tmp_path):
    """The debugger of this system can still come."""
    at = tmp_path / "at"
    with Program(folder, "-g", "gfx900", f"--socket=unix:{at}", program=compiled("attach.hip")) as first:
        with Program(folder, "-g", "gfx900", f"--socket=unix:{at}", program=compiled("attach.hip")) as second:
            assert (folder / f"{second.run.pid}.gpu").is_socket()
            told = second.end()
        assert told == f"wavetrap: debuggers cannot attach at unix:{at}: cannot listen at unix:{at}: Address already in use\n"
        assert attach(folder, f"unix:{at}", "detach").returncode == 0
        assert first.end() == ""


def test_in_a_user_namespace_without_root(tmp_path):
    """There folders of the system belong to nobody, as its users may see."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("becomes another user, which root may")
    user = ["setpriv", "--reuid=65533", "--regid=65533", "--clear-groups"]
    folder = tmp_path / "s"
    folder.mkdir(mode=0o700)
    os.chown(folder, 65533, 65533)
    for way in tmp_path.parents[:3]:    # it may pass
        way.chmod(way.stat().st_mode | 0o011)
    tmp_path.chmod(0o711)
    done = subprocess.run([*user, "unshare", "-r", WAVETRAP, "ps"], capture_output=True, text=True, env={**os.environ, "WAVETRAP_SOCKETS": str(folder), "HOME": str(folder)})
    if "unshare failed" in done.stderr:
        pytest.skip("no namespaces for this user: " + done.stderr.strip())
    assert done.returncode == 0 and "no program" in done.stderr and "is not used" not in done.stderr, done.stderr
