"""A client of `serve` that is killed at any moment leaves nothing behind: the next one finds the program's code as it is in its
file, no breakpoint of the last one, and can run it to its end."""
import random
import select
import socket
import subprocess
import threading

import pytest

from conftest import TIMEOUT, Gdb
from rsp import Client

COMMANDS = {
    "gdb": ["break count", "break *again if $s6 == 2", "watch results", "tbreak store", "continue", "stepi", "next", "finish",
            "reverse-stepi", "reverse-continue", "info threads", "delete", "monitor goto 10", "monitor who-wrote 0x80008000 --all"],
    "lldb": ["breakpoint set -n count", "breakpoint set -n again -c '$s6 == 2'", "continue", "thread step-inst", "thread step-over",
             "thread list", "bt all", "breakpoint delete -f", "register read", "process plugin packet monitor goto 10"],
}
FILLED = {
    "gdb": lambda address, file: ["gdb-multiarch", *Gdb.SETTINGS, "-ex", f"target remote {address}", str(file)],
    "lldb": lambda address, file: ["lldb-19", "--no-lldbinit", "-o", f"gdb-remote {address}", str(file)],
}


class Between:
    """Hands on what a client and a server say, and kills the client when it has sent so many bytes."""

    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self.server = socket.create_connection((host, int(port)), TIMEOUT)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "%s:%d" % self.listener.getsockname()

    def carry(self, client, most):
        peer, _ = self.listener.accept()
        sent = 0
        with peer, self.server, self.listener:
            while sent < most:
                for end in select.select([peer, self.server], [], [])[0]:
                    if not (data := end.recv(4096)):
                        return
                    (self.server if end is peer else peer).sendall(data)
                    sent += len(data) if end is peer else 0
            client.kill()
            client.wait()


def code_of(file, tmp_path):
    """The bytes of the program's code, and where they begin: what the file says."""
    out = tmp_path / "text"
    subprocess.run(["riscv64-unknown-elf-objcopy", "-O", "binary", "-j", ".text", str(file), str(out)], check=True)
    return 0x80000000, out.read_bytes()


@pytest.mark.parametrize("kind", COMMANDS)
def test_the_next_client_finds_nothing_of_one_that_was_killed(serve, program, tmp_path, kind, may_crash):
    file = program("lanes")
    server = serve(file, "--gpu", "vortex:warps=2,threads=4", "--schedule", "rr:1")
    begin, code = code_of(file, tmp_path)
    chance = random.Random(f"killed {kind}")
    for _ in range(6):
        between = Between(server.address)
        with subprocess.Popen(FILLED[kind](between.address, file), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, text=True) as client:
            carrier = threading.Thread(target=between.carry, args=(client, chance.randrange(100, 12000)))
            carrier.start()
            try:
                client.communicate("".join(f"{command}\n" for command in chance.choices(COMMANDS[kind], k=12)), TIMEOUT)
            except BrokenPipeError:
                pass
            carrier.join(TIMEOUT)
        if kind == "lldb":
            may_crash(client)  # LLDB 19 now and then, when its connection is cut
        with Client(server.address, TIMEOUT) as next_one:
            assert next_one.ask("?")[:1] in b"TW"
            got = b"".join(bytes.fromhex(next_one.ask(f"m{begin + at:x},{min(256, len(code) - at):x}").decode())
                           for at in range(0, len(code), 256))
            assert got == code
            assert next_one.ask("?")[:1] in b"TW"
        assert server.process.poll() is None
    with Client(server.address, TIMEOUT) as last:
        last.ask("qSupported:swbreak+")
        assert last.ask("vRun;")[:1] == b"T"
        assert last.ask("vCont;c") == b"W2a"
