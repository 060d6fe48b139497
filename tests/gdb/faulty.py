"""A wire with faults: it stands between a client and a server of any protocol, and spoils what the
server sends when it is told to."""
import select
import socket
import threading
import time

from conftest import TIMEOUT
from wire import connect


class Faulty:
    """Hands bytes on in both directions. spoil(KIND) makes the next answer go wrong, once:

    drop    it does not arrive
    half    only its first half does
    double  it arrives twice
    garble  it has no bit as it was
    flip    one bit of it is wrong
    hold    it arrives when mend() is called, and all that follows waits, too
    late    it arrives after the next answer was asked for
    cut     the connection is lost instead
    broken  half of it arrives, then the connection is lost
    gone    the connection is lost, and nobody takes a new one until mend()
    """

    KINDS = ["drop", "half", "double", "garble", "flip", "hold", "late", "cut", "broken", "gone"]

    def __init__(self, upstream):
        self.upstream = upstream
        self.latency = 0  # seconds that each answer takes
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.where = "%s:%d" % self.listener.getsockname()[:2]
        self.fault = None
        self.happened = threading.Event()
        self.mended = threading.Event()
        self.ended = False
        self.connections = 0
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def spoil(self, kind):
        self.happened.clear()
        self.mended.clear()
        self.fault = kind

    def mend(self):
        self.fault = None
        self.mended.set()

    def run(self):
        while not self.ended:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            if self.ended or (self.happened.is_set() and self.gone and not self.mended.is_set()):
                peer.close()
                continue
            self.connections += 1
            with peer, connect(self.upstream) as server:
                try:
                    self.talk(peer, server)
                except OSError:
                    pass

    gone = False

    def talk(self, peer, server):
        late = b""
        while True:
            ready, _, _ = select.select([peer, server], [], [], 0.5)
            if self.ended:
                return
            if peer in ready:
                data = peer.recv(1 << 16)
                if not data:
                    return
                if late:
                    peer.sendall(late)
                    late = b""
                server.sendall(data)
            if server in ready:
                data = server.recv(1 << 16)
                if not data:
                    return
                if self.latency:
                    time.sleep(self.latency)
                fault, self.fault = self.fault, None
                if not fault:
                    peer.sendall(data)
                    continue
                self.gone = fault == "gone"
                self.happened.set()
                half = data[:len(data) // 2]
                if fault in ("half", "broken"):
                    peer.sendall(half)
                if fault == "double":
                    peer.sendall(data * 2)
                elif fault == "garble":
                    peer.sendall(bytes(b ^ 0xff for b in data))
                elif fault == "flip":
                    at = len(data) // 2
                    peer.sendall(data[:at] + bytes([data[at] ^ 1]) + data[at + 1:])
                elif fault == "hold":
                    self.mended.wait(TIMEOUT)
                    peer.sendall(data)
                elif fault == "late":
                    late = data
                elif fault in ("cut", "broken", "gone"):
                    return

    def stop(self):
        self.ended = True
        self.mend()
        try:
            socket.create_connection(self.listener.getsockname(), 1).close()
        except OSError:
            pass
        self.thread.join(TIMEOUT)
        self.listener.close()
