"""What the tests with stock debuggers share: programs, servers, and debuggers at a terminal.

WAVETRAP names the command (default: build/wavetrap beside the sources).
"""
import os
import re
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pexpect
import pytest

import jtag
import wire
from rsp import Client

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WAVETRAP = os.path.abspath(os.environ.get("WAVETRAP", ROOT / "build" / "wavetrap"))
CC = "riscv64-unknown-elf-gcc"
WIDTHS = {32: ["-march=rv32imafc_zicsr", "-mabi=ilp32f"], 64: ["-march=rv64imafdc_zicsr", "-mabi=lp64d"]}
PROMPT = "WT-GDB> "
TIMEOUT = 120


@dataclass(frozen=True)
class Variant:
    """One way to have the same program debugged: results must be the same for all."""
    xlen: int = 32
    threads: int = 4
    dm_only: bool = False
    base: int = 0x80000000  # of the code

    @property
    def options(self):
        words = ["--gpu", f"vortex:threads={self.threads}"]
        return words + ["--dm-only"] if self.dm_only else words

    def __str__(self):
        return f"rv{self.xlen}-{self.threads}{'-dm' if self.dm_only else ''}"


VARIANTS = [Variant(xlen, threads, dm) for xlen in (32, 64) for threads in (4, 32)
            for dm in (False, True)]
FEW = [Variant(32, 4, False), Variant(64, 32, True)]


# Each two of a width, a number of lanes and a transport: what make check has of VARIANTS.
QUICK = [Variant(32, 4, False), Variant(32, 32, True), Variant(64, 4, True), Variant(64, 32, False)]


def each(variants=VARIANTS):
    return pytest.mark.parametrize("variant", [pytest.param(one, marks=pytest.mark.full) if variants is VARIANTS and one not in QUICK else one for one in variants], ids=str)


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    """program(name, xlen): an ELF file made of programs/NAME.S, with macros if wanted, and its code at `base`."""
    folder = tmp_path_factory.mktemp("programs")

    def build(name, xlen=32, *macros, base=0x80000000):
        out = folder / f"{'-'.join((name, *macros))}.{base:x}.rv{xlen}.elf"
        if not out.exists():
            subprocess.run([CC, *WIDTHS[xlen], "-mcmodel=medany", "-nostdlib", "-nostartfiles",
                            "-static", "-g", f"-Wl,-Ttext={base:#x}", "-Wl,--build-id=none",
                            "-Wl,--no-warn-rwx-segments", *(f"-D{m}" for m in macros), "-o", out,
                            HERE / "programs" / f"{name}.S"],
                           check=True)
        return out
    return build


@pytest.fixture(scope="session")
def example(tmp_path_factory):
    """example(name, xlen): one of the example kernels."""
    folder = tmp_path_factory.mktemp("examples")

    def build(name, xlen=32, opt="-Og -g"):
        out = folder / opt.replace(" ", "")
        subprocess.run(["make", "-s", "-C", ROOT / "examples" / "vortex", f"OUT={out}", f"OPT={opt}",
                        f"{out}/{name}.rv{xlen}.elf"], check=True)
        return out / f"{name}.rv{xlen}.elf"
    return build


def symbol(file, name):
    """The address of a symbol of an ELF file, in hex digits."""
    listed = subprocess.run(["riscv64-unknown-elf-nm", file], capture_output=True, text=True, check=True)
    return re.search(rf"^0*([0-9a-f]+) \w {name}$", listed.stdout, re.M)[1]


class Server:
    """`wavetrap serve`, and where it can be reached."""

    def __init__(self, program, *options, rsp=":0", cwd=None):
        self.process = subprocess.Popen([WAVETRAP, "serve", "--rsp", rsp, *map(str, options),
                                         str(program)],
                                        cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.errors = ""
        while not (found := re.search(r"target remote (\S+)\n", self.errors)):
            line = self.process.stderr.readline()
            assert line, self.errors
            self.errors += line
        self.address = found[1]

    def client(self):
        return Client(self.address)

    def quiet_client(self):
        client = self.client()
        assert client.ask("QStartNoAckMode") == b"OK"
        client.raw(b"+")
        return client

    def wait(self):
        """Waits for its own end; the exit status. What it printed is then in output and errors."""
        self.output, errors = self.process.communicate(timeout=TIMEOUT)
        self.errors += errors
        return self.process.returncode

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        return self.wait()


@pytest.fixture
def serve():
    servers = []

    def start(program, *options, **more):
        servers.append(Server(program, *options, **more))
        return servers[-1]
    yield start
    for server in servers:
        if server.process.poll() is None:
            server.process.kill()
        server.process.communicate()


class RegisterServer:
    """`wavetrap serve --dm` or `--jtag`, and where it can be reached."""

    def __init__(self, program, *options, transport, at=":0"):
        self.process = subprocess.Popen(
            [WAVETRAP, "serve", f"--{transport}", at, *map(str, options), str(program)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.errors = ""
        self.address = self.told(r"is served at (\S+)\n")[1]

    def told(self, pattern):
        """Waits until it has said this on stderr."""
        while not (found := re.search(pattern, self.errors)):
            line = self.process.stderr.readline()
            assert line, self.errors
            self.errors += line
        return found

    def client(self):
        """Of the line protocol."""
        return wire.Client(self.address)

    def cable(self):
        """A TAP client with the DMI selected."""
        cable = jtag.Cable(self.address)
        cable.ir(jtag.DMI)
        return cable

    def stop(self, signal=15):
        self.process.send_signal(signal)
        self.output, errors = self.process.communicate(timeout=TIMEOUT)
        self.errors += errors
        return self.process.returncode


def register_servers(transport):
    """What a fixture yields: starts servers of a transport, and ends them."""
    servers = []

    def start(program, *options, **more):
        servers.append(RegisterServer(program, *options, transport=transport, **more))
        return servers[-1]
    yield start
    for server in servers:
        if server.process.poll() is None:
            server.process.kill()
        server.process.communicate()


@pytest.fixture
def serve_dm():
    yield from register_servers("dm")


@pytest.fixture
def serve_jtag():
    yield from register_servers("jtag")


def gdb_of(process):
    """The GDB that a process is, or has started: `wavetrap gdb` is busy itself while the program runs."""
    if Path(f"/proc/{process}/comm").read_text().startswith("gdb"):
        return process
    found = [gdb_of(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    return next((gdb for gdb in found if gdb), None)


class Gdb:
    """Stock GDB at a terminal."""

    def __init__(self, argv, term="dumb", **more):
        more.setdefault("timeout", TIMEOUT)
        self.child = pexpect.spawn(argv[0], [str(a) for a in argv[1:]], encoding="utf-8", echo=False,
                                   dimensions=(100, 400), env={**os.environ, "TERM": term}, **more)
        self.child.delaybeforesend = None
        self.start = self.answer()

    SETTINGS = ["-nx", "-q", "-iex", f"set prompt {PROMPT}", "-iex", "set editing off",
                "-iex", "set pagination off", "-iex", "set confirm off", "-iex", "set width 0",
                "-iex", "set debuginfod enabled off", "-iex", "set style enabled off"]

    def answer(self):
        """What GDB says until its next prompt."""
        self.child.expect_exact(PROMPT)
        return self.child.before.replace("\r\n", "\n")

    def __call__(self, command):
        self.child.sendline(command)
        return self.answer()

    def later(self, command):
        """Gives a command whose end is awaited with answer()."""
        self.child.sendline(command)

    def value(self, expression, form=""):
        said = self(f"output{form} {expression}")
        return said.strip()

    def number(self, expression):
        text = self.value(f"(long long)({expression})", "/d")
        assert re.fullmatch(r"-?\d+", text), text
        return int(text)

    def interrupt(self):
        """Ctrl-C, once GDB sleeps: GDB can lose one that comes between "Continuing." and the resumption."""
        seen, last = 0, None
        until = time.monotonic() + TIMEOUT
        process = gdb_of(self.child.pid)
        while seen < 5:
            assert time.monotonic() < until, "GDB does not come to rest"
            state, *rest = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
            used = rest[10:12]  # utime and stime
            seen = seen + 1 if state == "S" and used == last else 0
            last = used
            time.sleep(0.01)
        self.child.sendintr()

    def threads(self):
        """The rows of `info threads`: number, name, note, the rest."""
        rows = {}
        for row in re.finditer(r'^[* ] (\d+) +Thread (\d+)\.(\d+) "([^"]*)"(?: \(([^)]*)\))? *(.*)$',
                               self("info threads"), re.M):
            rows[int(row[1])] = dict(id=int(row[3]), name=row[4], note=row[5], frame=row[6])
        return rows

    def close(self):
        """Has it quit; its exit status."""
        if self.child.isalive():
            self.child.sendline("quit")
            self.child.expect(pexpect.EOF)
            self.child.wait()
        self.child.close()
        return self.child.exitstatus

    def gdb(self):
        """The process that GDB is; None when it has ended."""
        try:
            return gdb_of(self.child.pid)
        except (OSError, ValueError):
            return None

    def end(self):
        """Ends it, whatever it is doing. pexpect itself gives a process a tenth of a second to die,
        which is not always enough on a busy machine. GDB 13 may abort when its terminal hangs up: it is killed first."""
        gdb = self.gdb() if self.child.isalive() else None
        if gdb:
            os.kill(int(gdb), signal.SIGKILL)
            until = time.monotonic() + TIMEOUT
            while self.child.isalive() and time.monotonic() < until:
                time.sleep(0.01)
        for number in (signal.SIGHUP, signal.SIGKILL):
            until = time.monotonic() + TIMEOUT
            if self.child.isalive():
                self.child.kill(number)
            while self.child.isalive() and time.monotonic() < until:
                time.sleep(0.01)
        self.child.close()


@pytest.fixture
def gdb():
    """gdb(server, program): connected to it; without a program GDB has to find it by itself."""
    open_ones = []

    def start(server=None, program=None, extended=False, before=(), argv=None, **more):
        if argv is None:
            argv = ["gdb-multiarch", *Gdb.SETTINGS]
            for command in before:
                argv += ["-ex", command]
            if server:
                argv += ["-ex", f"target {'extended-' * extended}remote {server.address}"]
            if program:
                argv.append(program)
        open_ones.append(Gdb(argv, **more))
        return open_ones[-1]
    yield start
    for one in open_ones:
        one.end()


@pytest.fixture
def session(program, serve, gdb):
    """session(name, variant): server and GDB on a program of programs/."""
    def start(name, variant, *options, **more):
        file = program(name, variant.xlen, base=variant.base)
        server = serve(file, *variant.options, *options)
        return server, gdb(server, file, **more)
    return start
