"""The line protocol of the Debug Module over a socket, written from its description: a client, and
servers of several tempers that stand between a client and a real server."""
import re
import socket
import threading

TIMEOUT = 120
PLATFORM, DCONFIG, DSELECT, WMASK, WACTIVE, WSTATUS, DCTRL, DPC, INJECT, DSCRATCH = range(10)


def connect(address):
    kind, rest = address.split(":", 1)
    if kind == "unix":
        s = socket.socket(socket.AF_UNIX)
        s.settimeout(TIMEOUT)
        s.connect(rest)
    else:
        host, port = rest.rsplit(":", 1)
        s = socket.create_connection((host.strip("[]"), int(port)), TIMEOUT)
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return s


class Client:
    """One request, one reply."""

    def __init__(self, address):
        self.socket = connect(address)
        self.file = self.socket.makefile("rb")
        self.sent = ""

    def send(self, line):
        self.sent = line
        self.socket.sendall(line.encode("latin-1") + b"\n")

    def reply(self):
        try:
            line = self.file.readline()
        except TimeoutError as late:
            raise AssertionError(f"no reply came for {TIMEOUT} s; sent last: {self.sent[:80]!r}") from late
        assert line == b"" or line.endswith(b"\n"), line
        return line.decode("latin-1").rstrip("\n")

    def ask(self, line):
        self.send(line)
        return self.reply()

    def hello(self):
        assert self.ask("p") == "+P"
        return self

    def start(self):
        assert self.ask("s").startswith("+")

    def read(self, register):
        reply = self.ask(f"r{register:04x}")
        assert re.fullmatch(r"\+[0-9a-f]{8}", reply), reply
        return int(reply[1:], 16)

    def write(self, register, value):
        assert self.ask(f"w{register:04x}:{value:08x}").startswith("+")

    def field(self, register, msb, lsb, value):
        """Read-modify-write of the whole register, as debuggers in the field do."""
        old = self.read(register)
        mask = (1 << (msb - lsb + 1)) - 1 << lsb
        self.write(register, old & ~mask | value << lsb)

    def wake(self):
        self.field(DCTRL, 31, 31, 1)
        assert self.read(DCTRL) >> 31
        self.field(DCONFIG, 0, 0, 1)

    def select(self, warp, thread=0):
        self.field(DSELECT, 21, 7, warp)
        self.field(DSELECT, 6, 0, thread)

    def inject(self, word):
        self.write(INJECT, word)
        self.field(DCTRL, 6, 6, 1)
        while self.read(DCTRL) >> 7 & 3:
            pass

    def gpr(self, number):
        self.inject(0x7b201073 | number << 15)
        return self.read(DSCRATCH)

    def set_gpr(self, number, value):
        self.write(DSCRATCH, value)
        self.inject(0x7b202073 | number << 7)

    def close(self):
        self.file.close()
        self.socket.close()


class Between:
    """A server that hands requests on to another one, and has ways of its own.

    `answer(line, ask)` gives the bytes to reply with (None: close the connection; a list: send what
    is in it, then close); ask(line) gives the real server's reply. It takes one line of what it receives and, unless it reads ahead, drops
    the rest: nobody may send a request before the last one is answered."""

    def __init__(self, upstream, answer, reads_ahead=False, path=None):
        self.upstream, self.answer, self.reads_ahead = upstream, answer, reads_ahead
        self.listener = socket.socket(socket.AF_UNIX if path else socket.AF_INET)
        self.listener.bind(str(path) if path else ("127.0.0.1", 0))
        self.listener.listen(4)
        self.address = f"unix:{path}" if path else "tcp:%s:%d" % self.listener.getsockname()
        self.connections = 0
        self.dropped = 0
        self.lines = []
        self.ended = False
        self.current = None
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            if self.ended:
                peer.close()
                return
            self.connections += 1
            self.current = peer
            client = Client(self.upstream)
            try:
                self.talk(peer, client)
            except OSError:
                pass
            client.close()
            peer.close()

    def talk(self, peer, client):
        buffer = b""
        while data := peer.recv(65536):
            buffer += data
            while b"\n" in buffer:
                line, buffer = buffer.split(b"\n", 1)
                if not self.reads_ahead:
                    self.dropped += buffer.count(b"\n")
                    buffer = b""
                self.lines.append(line.decode("latin-1"))
                reply = self.answer(self.lines[-1], client.ask)
                if reply is None:
                    return
                if isinstance(reply, list):
                    peer.sendall(b"".join(reply))
                    return
                peer.sendall(reply)

    def stop(self):
        self.ended = True
        if self.current:
            try:
                self.current.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join(TIMEOUT)
