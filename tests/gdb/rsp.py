"""A bare client of the remote serial protocol, for what no debugger would send."""
import socket


def checksum(data):
    return sum(data) & 0xff


def escape(data):
    out = bytearray()
    for byte in data:
        if byte in b"#$}*":
            out += bytes((0x7d, byte ^ 0x20))
        else:
            out.append(byte)
    return bytes(out)


def unescape(data):
    out, it = bytearray(), iter(data)
    for byte in it:
        out.append(next(it) ^ 0x20 if byte == 0x7d else byte)
    return bytes(out)


class Client:
    """One connection. Packets are bytes; text given for one is encoded."""

    def __init__(self, address, timeout=120):
        if address.startswith("/"):
            self.socket = socket.socket(socket.AF_UNIX)
            where = address
        else:
            self.socket = socket.socket(socket.AF_INET)
            host, port = address.rsplit(":", 1)
            where = (host, int(port))
        self.socket.settimeout(timeout)
        self.socket.connect(where)
        self.data = b""
        self.sent = b"nothing"

    def raw(self, data):
        self.socket.sendall(data)

    def send(self, packet):
        packet = packet.encode() if isinstance(packet, str) else packet
        body = escape(packet)
        self.sent = packet
        self.raw(b"$" + body + b"#%02x" % checksum(body))

    def greet(self):
        """The packet with which debuggers begin: before it, none that changes something is taken."""
        assert b"PacketSize" in self.ask(b"qSupported:swbreak+")

    def receive(self):
        """The next packet or notification; None when the connection has ended."""
        while True:
            self.data = self.data.lstrip(b"+")
            end = self.data.find(b"#")
            if end >= 0 and len(self.data) >= end + 3:
                packet, self.data = self.data[:end + 3], self.data[end + 3:]
                body = packet[1:-3]
                assert packet[:1] in b"$%", packet
                assert int(packet[-2:], 16) == checksum(body), packet
                return unescape(body)
            try:
                more = self.socket.recv(1 << 20)
            except TimeoutError as late:
                raise AssertionError(f"no packet came for {self.socket.gettimeout():g} s; sent last: {self.sent[:80]}, "
                                     f"received since: {self.data[:80]}") from late
            if not more:
                return None
            self.data += more

    def ask(self, packet):
        self.send(packet)
        return self.receive()

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
