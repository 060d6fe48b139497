"""Two clients of one server send packets of GDB's and LLDB's at random, some of them damaged, and leave and come back: the
server answers whoever comes next, over each way to a device. `WAVETRAP_SEEDS=FIRST:LAST` tries other seeds."""
import os
import random
import re
import select
import subprocess

import pytest

from conftest import WAVETRAP
from rsp import Client, checksum, escape

# %t: a thread-id, %a: an address, %n: a number, %r: a register, %v: eight hex digits.
PACKETS = """c s bc bs vCont;c vCont;s:%t;c vCont;s:%t vCont;c:%t vCont;t vCont;t:%t vCont;r%a,%a:%t;c C05 S05;%a ? vCtrlC R00
    vRun k vKill;1 D D;1 ! vAttach;1 vStopped QNonStop:1 QNonStop:0 g p%r P%r=%v m%a,%n M%a,4:%v x%a,%n Hg%t Hc%t T%t
    g;thread:%t; P%r=%v;thread:%t; qSearch:memory:%a;%n;%v qfThreadInfo qThreadExtraInfo,%t qThreadStopInfo%t jThreadsInfo
    qXfer:threads:read::0,1000 qXfer:wavetrap-waves:read::0,1000 qMemoryRegionInfo:%a qC
    qSupported:multiprocess+;swbreak+;hwbreak+;error-message+;no-resumed+ qSupported:xmlRegisters=i386,arm,mips
    QThreadSuffixSupported QListThreadsInStopReply QEnableErrorStrings Z0,%a,4 z0,%a,4 Z2,%d,4 z2,%d,4 Z4,%d,4 z4,%d,4
    Z0,%a,4;X3,220027""".split()
COMMANDS = ["goto start", "goto end", "goto -%n", "goto +%n", "who-wrote 0x%d --all", "who-wrote 0x%d", "hash", "time", "reset",
            "reset device", "reattach", "lift-breakpoints", "threads warps", "threads lanes", "lane 1", "stop-at-end on",
            "each-lane on", "info", "threads auto"]
ROUNDS = 120


class Talker:
    """One of the clients: it sends, and throws away what it gets."""

    def __init__(self, address, chance):
        self.address, self.chance = address, chance
        self.client = None

    def fill(self, form):
        chance = self.chance
        kinds = {"t": lambda: chance.randrange(1, 18), "a": lambda: 0x80000000 + 2 * chance.randrange(80),
                 "n": lambda: chance.randrange(200), "r": lambda: chance.randrange(70), "d": lambda: 0x80008000 + chance.randrange(64)}
        def one(found):
            return "%08x" % chance.getrandbits(32) if found[1] == "v" else "%x" % kinds[found[1]]()
        return re.sub("%([tanrvd])", one, form)

    def packet(self):
        chance = self.chance
        if chance.random() < 0.3:
            body = b"qRcmd," + self.fill(chance.choice(COMMANDS)).encode().hex().encode()
        else:
            body = self.fill(chance.choice(PACKETS)).encode()
        if chance.random() < 0.1:
            at = chance.randrange(len(body))
            body = body[:at] + bytes([chance.randrange(256)]) + body[at + 1:]
        body = escape(body)
        wrong = chance.random() < 0.05
        return b"$" + body + b"#%02x" % (checksum(body) ^ wrong)

    def act(self):
        if not self.client:
            self.client = Client(self.address)
            self.client.raw(b"+")
        what = self.chance.random()
        try:
            if what < 0.04:
                self.client.close()
                self.client = None
                return
            self.client.raw(b"\x03" if what < 0.2 else self.packet())
            # Now and then it waits until something is answered.
            while select.select([self.client.socket], [], [], self.chance.choice((0, 0, 0.01)))[0]:
                if not self.client.socket.recv(1 << 16):
                    raise ConnectionError
        except ConnectionError:
            self.client.close()
            self.client = None

    def leave(self):
        if self.client:
            self.client.close()


def seeds():
    first, last = os.environ.get("WAVETRAP_SEEDS", "1:2").split(":")
    return range(int(first), int(last))


def play(server, addresses, seed):
    chance = random.Random(seed)
    talkers = [Talker(address, chance) for address in addresses]
    for _ in range(ROUNDS * len(talkers)):
        chance.choice(talkers).act()
        assert server.poll() is None, f"seed {seed}: the server has ended with {server.returncode}: {server.stderr.read()}"
    for talker in talkers:
        talker.leave()
    for address in addresses:
        with Client(address) as after:
            assert after.ask("?")[:1] in b"TW", f"seed {seed}"
    assert server.poll() is None, f"seed {seed}: {server.stderr.read()}"


@pytest.mark.parametrize("options", [[], ["--dm-only"], ["--no-history"]], ids=lambda options: "".join(options) or "serve")
def test_two_clients_send_anything_to_a_server(serve, program, options):
    for seed in seeds():
        server = serve(program(("lanes", "endless")[seed % 2]), "--rsp", ":0", *options)
        while not (beside := re.search(r"beside it can connect to (\S+)\n", server.errors)):
            line = server.process.stderr.readline()
            assert line, server.errors
            server.errors += line
        play(server.process, [server.address, beside[1]], seed)


@pytest.mark.parametrize("transport", ["dm", "jtag"])
def test_clients_of_a_device_behind_a_wire_send_anything(program, request, transport):
    device = request.getfixturevalue(f"serve_{transport}")(program("lanes"))
    hold = ["--hold"] if transport == "dm" else []
    attached = subprocess.Popen([WAVETRAP, "attach", f"--{transport}", device.address, *hold, "--rsp", ":0"], stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    try:
        told = ""
        while not (found := re.search(r"target remote (\S+)\n", told)):
            line = attached.stderr.readline()
            assert line, told
            told += line
        for seed in seeds():
            play(attached, [found[1]], seed)
    finally:
        attached.kill()
        attached.communicate()
