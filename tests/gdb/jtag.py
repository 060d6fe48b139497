"""JTAG over remote_bitbang, written from IEEE 1149.1, RISC-V Debug Specification 0.13 and OpenOCD's
description of the protocol, without a look at wavetrap's: a client that drives a TAP, and a server
that is a chain of them, with a Debug Transport Module in one."""
import socket
import threading

from wire import TIMEOUT, connect

# state: (after TMS 0, after TMS 1)
TAP = {
    "reset": ("idle", "reset"), "idle": ("idle", "select-dr"),
    "select-dr": ("capture-dr", "select-ir"), "capture-dr": ("shift-dr", "exit1-dr"),
    "shift-dr": ("shift-dr", "exit1-dr"), "exit1-dr": ("pause-dr", "update-dr"),
    "pause-dr": ("pause-dr", "exit2-dr"), "exit2-dr": ("shift-dr", "update-dr"),
    "update-dr": ("idle", "select-dr"),
    "select-ir": ("capture-ir", "reset"), "capture-ir": ("shift-ir", "exit1-ir"),
    "shift-ir": ("shift-ir", "exit1-ir"), "exit1-ir": ("pause-ir", "update-ir"),
    "pause-ir": ("pause-ir", "exit2-ir"), "exit2-ir": ("shift-ir", "update-ir"),
    "update-ir": ("idle", "select-dr"),
}
IDCODE, DTMCS, DMI = 0x01, 0x10, 0x11
NOP, READ, WRITE = 0, 1, 2
OK, FAILED, BUSY = 0, 2, 3


class Cable:
    """A client: one TAP, scans one at a time."""

    def __init__(self, address, abits=7):
        self.socket = connect(address)
        self.abits, self.wait = abits, 0
        self.raw("0" + "26" * 5 + "04" + "0")

    def raw(self, text):
        self.socket.sendall(text.encode("latin-1"))

    def bits(self, count):
        got = b""
        while len(got) < count:
            part = self.socket.recv(count - len(got))
            assert part, "the server has closed the connection"
            got += part
        assert set(got) <= set(b"01"), got
        return got

    def scan(self, value, width, ir=False):
        """From Run-Test/Idle and back; what was captured."""
        self.raw(("2626" if ir else "26") + "0404")  # to Shift
        for i in range(width):
            pins = (value >> i & 1) | (2 if i == width - 1 else 0)
            self.raw(f"{pins}R{pins + 4}")
        self.raw("26" "04" "0")  # Update, Run-Test/Idle
        return sum((b - 48) << i for i, b in enumerate(self.bits(width)))

    def ir(self, value):
        return self.scan(value, 5, ir=True)

    def dr(self, value, width):
        return self.scan(value, width)

    def idle(self, clocks):
        if clocks:
            self.raw("04" * clocks + "0")

    def dmi(self, op, address=0, data=0):
        """(status, data) of the access before."""
        got = self.dr(address << 34 | data << 2 | op, 34 + self.abits)
        return got & 3, got >> 2 & 0xffffffff

    def read(self, address):
        self.dmi(READ, address)
        self.idle(self.wait)
        status, data = self.dmi(NOP)
        assert status == OK
        return data

    def write(self, address, data):
        self.dmi(WRITE, address, data)
        self.idle(self.wait)
        assert self.dmi(NOP)[0] == OK

    def close(self, goodbye=False):
        if goodbye:
            self.raw("Q")
        self.socket.close()


class Plain:
    """A TAP without a DTM: an IDCODE and BYPASS."""

    def __init__(self, ir_bits=4, idcode=0x0badc0df):
        self.ir_bits, self.id = ir_bits, idcode
        self.state, self.instruction = "reset", None
        self.shift = self.width = 0
        self.tdo = 1

    def reset(self):
        self.instruction = None

    def capture(self):
        return (0, 1) if self.instruction is not None or not self.id else (self.id, 32)

    def update(self, value):
        pass

    def tick(self):
        pass

    def rise(self, tms, tdi):
        self.tick()
        if self.state == "capture-ir":
            self.shift, self.width = 1, self.ir_bits
        elif self.state == "capture-dr":
            self.shift, self.width = self.capture()
        elif self.state in ("shift-ir", "shift-dr"):
            self.shift = self.shift >> 1 | tdi << self.width - 1
        self.state = TAP[self.state][tms]

    def fall(self):
        self.tdo = 1
        if self.state == "reset":
            self.reset()
        elif self.state in ("shift-ir", "shift-dr"):
            self.tdo = self.shift & 1
        elif self.state == "update-ir":
            self.instruction = self.shift
        elif self.state == "update-dr":
            self.update(self.shift)


class Dtm(Plain):
    """One with a DTM. access(write, address, value) gives what is read; None: it fails."""

    def __init__(self, access, cycles=0, idle=0, abits=6, ir_bits=5, idcode=0x10e31913, version=1):
        super().__init__(ir_bits, idcode)
        self.access, self.cycles, self.hint, self.abits = access, cycles, idle, abits
        self.version = version
        self.instruction = IDCODE
        self.status, self.result, self.address = OK, 0, 0
        self.pending, self.left = None, 0
        self.busy_seen = self.accesses = 0

    def reset(self):
        self.instruction = IDCODE

    def finish(self):
        op, self.address, value = self.pending
        self.pending = None
        self.accesses += 1
        got = self.access(op == WRITE, self.address, value)
        if got is None:
            self.status = FAILED
        else:
            self.result = got

    def tick(self):
        if self.pending:
            self.left -= 1
            if self.left <= 0:
                self.finish()

    def capture(self):
        if self.instruction == IDCODE:
            return self.id, 32
        if self.instruction == DTMCS:
            return self.version | self.abits << 4 | self.status << 10 | self.hint << 12, 32
        if self.instruction != DMI:
            return 0, 1
        if self.pending and self.status == OK:
            self.status = BUSY
            self.busy_seen += 1
        return self.address << 34 | self.result << 2 | self.status, 34 + self.abits

    def update(self, value):
        if self.instruction == DTMCS:
            if value >> 17 & 1:
                self.pending = None
            if value >> 16 & 3:
                self.status = OK
        elif self.instruction == DMI and self.status == OK and value & 3 in (READ, WRITE):
            self.pending = (value & 3, value >> 34, value >> 2 & 0xffffffff)
            self.left = self.cycles
            if self.left == 0:
                self.finish()


class Server:
    """Serves taps (the first is next to TDO), one connection after another.

    `fault(replies)`, where given, says what happens to the next reply: None (nothing), bytes to
    send in its place, or "close"."""

    def __init__(self, *taps, fault=None):
        self.taps, self.fault = taps, fault
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(4)
        self.address = "remote_bitbang:%s:%d" % self.listener.getsockname()
        self.replies = self.connections = self.exchanges = 0
        self.tck = 0
        self.ended = False
        self.current = None
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while True:
            try:
                self.current, _ = self.listener.accept()
            except OSError:
                return
            if self.ended:
                return
            self.connections += 1
            try:
                while data := self.current.recv(65536):
                    self.exchanges += 1
                    out, more = self.take(data)
                    self.current.sendall(out)
                    if not more:
                        break
            except OSError:
                pass
            self.current.close()

    def take(self, data):
        out = bytearray()
        for c in data:
            if 48 <= c < 56:
                self.pins(c & 4, c >> 1 & 1, c & 1)
            elif c == 82:  # R
                reply = self.fault(self.replies) if self.fault else None
                self.replies += 1
                if reply == "close":
                    return bytes(out), False
                out += b"01"[self.taps[0].tdo:][:1] if reply is None else reply
            elif c == 81:  # Q
                return bytes(out), False
        return bytes(out), True

    def pins(self, tck, tms, tdi):
        if tck == self.tck:
            return
        self.tck = tck
        if not tck:
            for tap in self.taps:
                tap.fall()
            return
        for tap in reversed(self.taps):
            out = tap.tdo
            tap.rise(tms, tdi)
            tdi = out

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
